"""Guan, Tao, Luo and Shawe-Taylor (2012), MahNMF: Manhattan Non-negative Matrix Factorization."""
