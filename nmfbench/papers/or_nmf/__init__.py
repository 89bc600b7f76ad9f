"""Guan, Tao, Luo and Yuan (2012), Online NMF with Robust Stochastic Approximation."""
