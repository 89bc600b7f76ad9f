"""Solvers of ``min ||X - W H||_1``, W and H non-negative, and of its extensions."""
