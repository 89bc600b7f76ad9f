"""Seconds to choose exemplars of Reuters: SPA and XRAY against the ADMM of SMRS's authors."""

from __future__ import annotations

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import cross, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import plus_minus_cell, score_table
from nmfbench.papers.robust_xray import speed_exemplars
from nmfbench.papers.robust_xray.exemplar_accuracy import WEIGHTINGS
from nmfbench.papers.robust_xray.speed_exemplars import FASTER, SMRS_ADMM, against_smrs
from nmfbench.problems.exemplars import TEXTS
from nmfbench.trials.trial import Trial

METHODS = tuple(m for m in speed_exemplars.METHODS if m.label in (SMRS_ADMM, *FASTER))
_REUTERS = "reuters"


def trials(profile):
    """Timed choices of 150 exemplars; of twenty of a stand-in in the smoke grid."""
    smoke = profile == "smoke"
    base = Trial(
        "exemplars",
        _REUTERS,
        "",
        dataset_params=TEXTS[_REUTERS],
        options={"sizes": [20] if smoke else [150]},
        stand_in=smoke,
        timed=True,
    )
    repeats = {"smoke": 1, "quick": 3, "paper": 5}[profile]
    return cross(base, repeats, options("weighting", WEIGHTINGS), methods(METHODS))


def table(frame):
    """Mean CPU seconds with 95 % intervals over splits."""
    return mean_table(frame.astype({"method": str}), "cpu_seconds", ["weighting", "method"])


def draw(table):
    """A row for each weighting, a column for each method."""
    return score_table(
        table.assign(weighting=table["weighting"].map(WEIGHTINGS)),
        {"weighting": "CPU seconds, chosen on"},
        [SMRS_ADMM, *FASTER],
        plus_minus_cell(2),
    )


ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/speed-reuters",
        title="Seconds to choose exemplars of Reuters",
        kind="table",
        methods=METHODS,
        grid=trials,
        table=table,
        picture=draw,
        claims=against_smrs(_REUTERS, "Reuters", faster="{}-faster", times="{}-times"),
        planned=Plan(5, "A fit of the ADMM takes minutes of an idle machine, one for each split."),
        assumed={
            "SMRS": "The authors' ADMM in our implementation, with one programme. Each of its "
            "iterations costs the cube of the number of documents.",
        }
        | {
            name: speed_exemplars.ASSUMED[name]
            for name in ("RobustXRAY", "exemplars", "3 to 10 times", "implementations")
        },
        caption="CPU seconds, mean ± half of the 95 % interval over splits.",
    )
)
