"""The parameters and methods of an external class, as its signatures tell them."""

from __future__ import annotations

import difflib
import inspect
from typing import Any

from nmfbench.guests.errors import GuestError

__all__ = ["check_parameters", "has_own", "nearest", "parameters_of", "takes_start"]


def parameters_of(kind: type) -> tuple[dict[str, Any], bool, list[str]]:
    """Parameters of a constructor.

    Returns
    -------
    names : dict
        Keyword parameters, and their defaults.
    any_name : bool
        Whether it takes others too, by ``**``, or cannot be looked into.
    demanded : list of str
        Parameters without a default or a name, but for ``n_components``.
    """
    try:
        found = inspect.signature(kind).parameters.values()
    except (ValueError, TypeError):  # compiled
        return {}, True, []
    names = {
        p.name: None if p.default is p.empty else p.default
        for p in found
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    }
    demanded = [
        p.name
        for p in found
        if p.default is p.empty
        and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        and (p.name != "n_components" or p.kind is p.POSITIONAL_ONLY)
    ]
    return names, any(p.kind is p.VAR_KEYWORD for p in found), demanded


def check_parameters(name: str, params, known) -> None:
    """Refuse parameters that a solver does not have, in a line with the nearest names.

    Raises
    ------
    GuestError
    """
    for param in params:
        if param not in known:
            hint = nearest(param, known, "it has")
            raise GuestError(f"{name} has no parameter {param}; {hint}")


def nearest(word: str, names, otherwise: str) -> str:
    """A question with the names that are close to ``word``; else all names, after ``otherwise``."""
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"{otherwise} {', '.join(sorted(names))}." if names else "there is none."


def takes_start(kind: type, method: str) -> bool:
    """Whether a method takes initial factors, W and H."""
    function = getattr(kind, method, None)
    try:
        return function is not None and {"W", "H"} <= set(inspect.signature(function).parameters)
    except (ValueError, TypeError):
        return False


def has_own(kind: type, method: str) -> bool:
    """Whether a class has a method that is not scikit-learn's ``fit(X).transform(X)``."""
    function = getattr(kind, method, None)
    name = getattr(inspect.unwrap(function), "__qualname__", "") if callable(function) else None
    return name is not None and not name.startswith("TransformerMixin.")
