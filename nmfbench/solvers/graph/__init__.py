"""Solvers whose representation should cluster: graphs, orthogonality, discriminative penalties."""
