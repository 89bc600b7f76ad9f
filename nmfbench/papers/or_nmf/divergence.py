"""Descent of the Itakura-Saito divergence: Figures 8 and 9."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.finding import Test, at_each_reading
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import Method, changed
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import interval_cell, score_table
from nmfbench.papers.or_nmf import curves
from nmfbench.papers.or_nmf.descent import MATTERS, SAMPLES, SECONDS, frame_of
from nmfbench.papers.or_nmf.descent_claims import faster, lower, of_the_true_cost
from nmfbench.papers.or_nmf.methods import IS, ONMF_IS
from nmfbench.papers.or_nmf.panels import Panels
from nmfbench.papers.or_nmf.readings import (
    IS_RESET,
    pairs_at_readings,
    readings,
    with_readings,
)
from nmfbench.trials.trial import Trial

_VARIANTS = {
    "is": Method(IS, "or-nmf-is"),
    "is-reset": Method(IS_RESET, "or-nmf-is", {"keep_max": False}),
    "is-small": Method("OR-NMF-IS, θ₀ = 0.01", "or-nmf-is", {"theta": 0.01}),
    "is-small-reset": Method(
        "OR-NMF-IS, θ₀ = 0.01, M∗ of each step", "or-nmf-is", {"theta": 0.01, "keep_max": False}
    ),
}
_SHOWN = (*_VARIANTS.values(), Method(ONMF_IS, "onmf-is"))
_METHODS = with_readings(_SHOWN, [IS, ONMF_IS])
_EVERY = 100  # samples: the best coefficients of all samples take many updates
_COARSE = 0.004  # of the mean pixel: about half a grey level


def _trials(panels: Panels, profile: str) -> list[Trial]:
    """All at the usual floor, and, except in quick grids, at half a grey level.

    At that floor inner loops have one tolerance, and our variants the lower rank alone.
    """
    seldom = {} if profile == "smoke" else {"record_every": _EVERY}
    fine = [
        changed(trial, {"options": {"loss": "itakura-saito"} | seldom})
        for trial in panels.grid(_METHODS, profile, repeats=20)
    ]
    if profile == "quick":
        return fine
    least = min(trial.options["n_components"] for trial in fine)
    coarse = [
        changed(trial, {"options": {"floor": _COARSE}})
        for trial in fine
        if "tol" not in trial.params
        and ("theta" not in trial.params or trial.options["n_components"] == least)
    ]
    return fine + coarse


def _at_each_floor(axis: str, rank: int) -> Test:
    """OR-NMF-IS has the lower f_t at all readings of both methods, and at two floors."""
    tests = {}
    for words, names in readings(IS, ONMF_IS).items():
        tests[words] = lower(axis, f"rank {rank}", *names)
        if names[0] in (IS, IS_RESET):  # at the tolerance that is run at the other floor
            coarse = lower(axis, f"rank {rank}, floor {_COARSE:g}", *names)
            tests[f"{words}, floor {_COARSE:g}"] = coarse
    setting = (
        f"the tolerance of inner loops, whether M∗ is kept, the first sums of {ONMF_IS} and the "
        "floor"
    )
    return at_each_reading(setting, tests)


def _ends(places: Sequence[str], table: pd.DataFrame) -> pd.DataFrame:
    """Costs after two passes, by rank and floor."""
    last = select_rows(table, axis=SAMPLES)
    last = last[last["x"] == last["x"].max()]
    lines = {"panel": "rank and floor", "measure": "cost after two passes"}
    cells = pd.concat(select_rows(last, panel=place) for place in places)
    labels = [method.label for method in _SHOWN]
    return score_table(cells, lines, labels, interval_cell(3, significant=True))


def faces(artefact_id: str, panels: Panels, name: str, figure: str) -> Artefact:
    """The artefact of Figure 8 or 9.

    Parameters
    ----------
    artefact_id : str
    panels : Panels
    name : str
        Of the data.
    figure : str
    """
    coarse = [f"{place}, floor {_COARSE:g}" for place in ("rank 4", *panels.names)]
    return register_artefact(
        Artefact(
            artefact_id,
            title=f"Descent of the Itakura-Saito divergence on {name}",
            kind="figure",
            methods=_METHODS,
            grid=partial(_trials, panels),
            frame=frame_of(
                [
                    *pairs_at_readings([(IS, ONMF_IS)]),
                    *(
                        (method.label, ONMF_IS)
                        for method in _VARIANTS.values()
                        if method.label != IS
                    ),
                ]
            ),
            table=curves.summarise,
            picture=curves.picture(_SHOWN, panels.names, curves.printed_axis(artefact_id)),
            scores=partial(_ends, ["rank 4", *panels.names, *coarse]),
            claims=[
                faster(
                    method.label,
                    ONMF_IS,
                    axis,
                    rank,
                    f"on {name}",
                    f"Section V-A.3, {figure}" + ("" if variant == "is" else "; the variant, ours"),
                    name=variant,
                    ours=variant != "is",
                    test=_at_each_floor(axis, rank) if variant == "is" else None,
                )
                for (variant, method), axis, rank in product(
                    _VARIANTS.items(), (SAMPLES, SECONDS), panels.ranks
                )
            ]
            + of_the_true_cost(
                _VARIANTS["is"].label, ONMF_IS, panels, f"on {name}", figure, stored=False
            ),
            planned=Plan(20, "A repeat takes 1 to 2 minutes of CPU time."),
            matters=MATTERS,
            assumed=curves.ASSUMED
            | {
                "scale": "None: the divergence does not change if a sample and its coefficients "
                "are scaled.",
                "M∗": f"{curves.ASSUMED['M∗']} Norms of this divergence have no bound where a "
                "model is near zero; both are drawn.",
                "start of ONMF-IS": "The paper draws its sums A and B at random and gives no "
                "range. They start as W does, with a weight of 0.001, as drawn here, or as random "
                "numbers between 0 and 1, which outweigh the first samples: its claims are decided "
                "where both come out alike.",
                "floor": "The paper names none. Data and models are taken to be no smaller than "
                "1e-9 of the mean pixel, or than 0.004 of it, about half a grey level (with the "
                "larger τ alone): its claims are decided where both come out alike, as values of "
                "the divergence depend on it.",
                "coefficients": "By 200 multiplicative updates at most, with the exponent printed; "
                "for Fₙ with the square root, which never raises the divergence.",
            },
            caption=curves.CAPTION + " The table has costs after two passes, also with a floor of "
            "half a grey level. The legends of the paper say INMF-IS for ONMF-IS.",
        )
    )
