"""Exceptions for data that are missing or damaged, each with its remedy."""

__all__ = ["DataError", "DataMissingError", "DownloadError"]


class DataError(RuntimeError):
    """A data file is damaged, or is not what the registry says it is."""


class DataMissingError(DataError):
    """The data are not on this machine; the message says how to get them."""


class DownloadError(DataError):
    """A download failed; the message names the address, the reason and what to do."""
