"""Shared by Figures 3 and 4: rivals, trials, means over repeats, and the look of the curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from nmfbench.artefacts.claim import said_at
from nmfbench.artefacts.finding import Test, at_each_reading
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.plots import Curves
from nmfbench.artefacts.region import Bounds
from nmfbench.problems.recovery import SMALL
from nmfbench.trials.trial import Trial

METRIC = "anchor-recovery"
FAR = Bounds(low=0.1)
"""A lead that is huge, far or much: ten points, five times the smallest difference that matters."""

LATER = "selections after the first"
"""Methods that need a subgradient: Algorithm 1 begins with D = X."""

XRAY_L2 = Method("XRAY-l2", "xray-l2")
SPA_FORMS = (Method("SPA", "spa"), Method("SPA (normalised)", "spa", {"normalize": True}))
_EXACT = Method("Hottopixx (exact)", "hottopixx")
_PUBLISHED = Method(
    "Hottopixx (published steps)", "hottopixx", {"solver": "sgd", "steps": "published"}
)
RIVALS = {
    "xray-l2": ((XRAY_L2,), "XRAY-l2"),
    "spa": (SPA_FORMS, "SPA (with its columns normalised or not)"),
    "hottopixx": ((_EXACT,), "Hottopixx, its Lagrangian solved exactly"),
    "hottopixx-published": ((_PUBLISHED,), "Hottopixx with its published step sizes"),
}
"""Rivals in both figures, each with its forms and with how the statements of claims call it."""


def who_says(slug: str, source: str) -> dict[str, Any]:
    """Source and origin of a claim that names a rival.

    Hottopixx with its published steps finds hardly more anchors than chance, at any level, so that
    to be ahead of it tells nothing.
    """
    return said_at(source, ours=slug == "hottopixx-published")


def at_each_form(forms: Sequence[Method], test_of: Callable[[str], Test]) -> Test:
    """A test against a rival, alike against each of its forms where the paper leaves it open."""
    tests = {form.label: test_of(form.label) for form in forms}
    if len(tests) == 1:
        return next(iter(tests.values()))
    return at_each_reading("the normalisation of SPA", tests)


BASE = Trial("recovery", "near-separable", solver="")
SMALL_BASE = Trial("recovery", "near-separable", solver="", dataset_params=SMALL)
SIZE = {"n_samples": 210, "n_components": 20}  # the paper's, and the defaults of the data


def with_later(records):
    """Records with the number of selections after the first."""
    return records.assign(**{LATER: records.reindex(columns=["selections"])["selections"] - 1})


def summarise(records):
    """Mean recovery, its 95 % t interval over repeats, and the recovery of a random choice.

    The starts of one repeat share its data, so they are averaged before the interval.
    """
    by = ["corruption", "method", "level"]
    sizes = pd.DataFrame([SIZE | params for params in records["dataset_params"]])
    chance = (sizes["n_components"] / sizes["n_samples"]).mean()
    return mean_table(records, METRIC, by, over=["repeat"], between=(0, 1)).assign(chance=chance)


def curves(methods, **panels):
    """Recovery against the level of the noise; ``panels`` are keywords of ``Curves``."""
    return Curves(
        x="level",
        labels=[method.label for method in methods],
        ylabel="fraction of anchors recovered",
        level=("chance", "random choice"),
        ylim=(0, 1.03),
        size=(5.6, 4.8),
        **panels,
    )
