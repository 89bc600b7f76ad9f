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

ONE, OWN = "one image, one component, α = β = 100", "α = β = 100, the paper's"
SETTINGS = {
    ONE: {},
    OWN: {},
    "α = 100, β = 10⁴": {"beta": 1e4},
    "α = 0, β = 10⁴": {"alpha": 0.0, "beta": 1e4},
}
"""Parameters of the solver, by the title of the panel; all but the first on the five sets."""


def by_rule(rule: str, **params) -> Method:
    """RNMFD with one of the three rules."""
    return method(RULES[rule], "rnmfd", v_update=rule, **params)
