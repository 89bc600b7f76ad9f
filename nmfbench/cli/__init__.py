"""The command line ``nmfbench``: ``app`` parses, ``commands`` work, the other files help them."""

from nmfbench.cli.app import main, parse

__all__ = ["main", "parse"]
