"""Errors of a store."""

__all__ = ["ArrayStayedBehindError", "DamagedError", "NoStoreError", "StoreError"]


class StoreError(RuntimeError):
    """A store that cannot be read or written any more, or a record that does not fit."""


class NoStoreError(StoreError):
    """A folder that has no store, or none that can be used."""


class DamagedError(StoreError):
    """A record, an array or a file that is not what was written."""


class ArrayStayedBehindError(StoreError, KeyError):
    """An array of an imported record that its file does not hold."""

    __str__ = Exception.__str__  # without the quotes of a KeyError
