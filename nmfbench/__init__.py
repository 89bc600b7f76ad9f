"""nmfbench: benchmarks and reproducibility for non-negative matrix factorization."""

__version__ = "0.1.0"
