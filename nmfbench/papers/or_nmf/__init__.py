"""Guan, Tao, Luo and Yuan (2012), Online NMF With Robust Stochastic Approximation."""
