"""The command line ``nmfbench``: ``app`` parses, a file of ``commands`` answers."""

from nmfbench.cli.app import main, parse

__all__ = ["main", "parse"]
