"""Solvers that minimise a divergence: Kullback-Leibler, Itakura-Saito."""
