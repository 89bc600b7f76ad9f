"""Seeds of a trial, derived from the data part of its key.

They depend neither on the solver nor on the level of a corruption, so that rivals, and all levels
of a curve, share their draws.
"""

from __future__ import annotations

import hashlib
import json

__all__ = ["SCHEME", "seed_of"]

SCHEME = 1
"""Raised when the rule below changes, or the order of work that draws from it (``perform``): every
record is another one then."""


def seed_of(trial, purpose: str) -> int:
    """Seed of 128 bits for one purpose of a trial.

    Parameters
    ----------
    trial : Trial
    purpose : str
        ``"data"``, ``"corruption"``, ``"split"`` or ``"start <number>"``.
    """
    data = [trial.dataset, dict(trial.dataset_params), trial.stand_in, trial.repeat]
    if purpose == "corruption":
        data.append(trial.corruption)
    text = json.dumps([purpose, data], sort_keys=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")
