"""RNMFD by each of three updates of the representation: Eq. (17), and two that only descend."""

from __future__ import annotations

from nmfbench.artefacts.grids import Method
from nmfbench.papers.rnmfd.sets import method

RULES = {
    "paper": "RNMFD, Eq. (17)",
    "root": "RNMFD, exponent 1/4",
    "safe": "RNMFD",
}
"""Labels of the updates of the representation; that of the default is the method itself."""


def by_rule(rule: str, **params) -> Method:
    """RNMFD with one of the three rules."""
    return method(RULES[rule], "rnmfd", v_update=rule, **params)
