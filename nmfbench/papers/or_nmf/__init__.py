"""Guan, Tao, Luo & Yuan (2012), Online NMF with robust stochastic approximation."""
