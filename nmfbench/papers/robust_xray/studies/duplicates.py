"""Near-duplicates among exemplars: what a cleaning step would have to remove."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, not_worse
from nmfbench.artefacts.finding import with_evidence
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import mean_and_deviation, score_table
from nmfbench.papers.robust_xray.exemplar_accuracy import (
    WEIGHTED,
    WEIGHTINGS,
    at_each_weighting,
    with_weighting,
)
from nmfbench.problems.exemplars import TEXTS
from nmfbench.trials.trial import Trial

_SHARE = "near-duplicates"
_CLEANED, _RAW, _RANDOM = "SMRS", "SMRS, not cleaned", "random choice"
_NEAR_SEPARABLE = (
    Method("SPA", "spa"),
    Method("XRAY-l2", "xray-l2"),
    Method("RobustXRAY", "robust-xray"),
)
# One programme for both: with fewer survivors, pruned ones are taken back.
_SMRS = (
    Method(_RAW, "smrs", {"halvings": 0, "prune": False}),
    Method(_CLEANED, "smrs", {"halvings": 0}),
)
METHODS = (*_NEAR_SEPARABLE, *_SMRS)
_SEPARABLE = [method.label for method in _NEAR_SEPARABLE]
_NAMES = {"reuters": "Reuters", "bbc": "BBC"}


def trials(profile):
    """Exemplars of BBC, in the paper grid of Reuters, too; cleaned ones by raw counts alone."""
    smoke, repeats = profile == "smoke", {"smoke": 2, "quick": 5, "paper": 20}[profile]
    found = []
    for dataset in _NAMES if profile == "paper" else ["bbc"]:
        base = Trial(
            "near-duplicates",
            dataset,
            "",
            dataset_params=TEXTS[dataset],
            options={"size": 20} if smoke else {},
            stand_in=smoke,
        )
        found += cross(base, repeats, WEIGHTED, methods([*_NEAR_SEPARABLE, _SMRS[0]]))
        found += cross(base, repeats, methods(_SMRS[1:]))
    return found


def frame(records):
    """Records, with records of a random choice below: the same for all methods of a repeat."""
    records = with_weighting(records)
    chance = records[records["method"] == METHODS[0].label]
    chance = chance.assign(method=_RANDOM, **{_SHARE: chance[f"{_SHARE}-at-random"]})
    return pd.concat([records.astype({"method": str}), chance], ignore_index=True)


def summarise(frame):
    """Mean and standard deviation of the share over splits, in per cent."""
    place = ["dataset", "weighting", "method"]
    groups = (100 * frame.set_index(place)[_SHARE]).groupby(level=place)
    return groups.agg(["mean", "std", "count"]).reset_index()


def draw(table):
    """A row for each collection and weighting, a column for each method."""
    labels = [*(method.label for method in METHODS), _RANDOM]
    return score_table(
        table.assign(
            dataset=table["dataset"].map(_NAMES), weighting=table["weighting"].map(WEIGHTINGS)
        ),
        {"dataset": "near-duplicates (%)", "weighting": "chosen on"},
        labels,
        lambda cell: mean_and_deviation(cell.mean, cell.std, cell.count, 1),
    )


def _smrs(frame):
    means = (
        100 * select_rows(frame, method=[_RAW, _CLEANED, _RANDOM]).groupby("method")[_SHARE].mean()
    )
    listed = ", ".join(f"{name} {mean:.2g}" for name, mean in means.items())
    return f"per cent: {listed}"


def _with_smrs(test):
    return at_each_weighting(with_evidence(test, _smrs))


ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/duplicates",
        title="Near-duplicates among 150 exemplars",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        claims=[
            *(
                Claim(
                    f"no-cleaning-{method.solver}",
                    f"{method.label} needs no cleaning step: its exemplars have no more "
                    "near-duplicates than documents chosen at random, by more than the margin.",
                    "Section 5.2",
                    _with_smrs(not_worse(method.label, [_RANDOM], _SHARE, ["dataset"], lower=True)),
                )
                for method in _NEAR_SEPARABLE
            ),
            Claim(
                "smrs-needs-cleaning",
                "SMRS needs a cleaning step: without it more of its exemplars are near-duplicates "
                "than of documents chosen at random, and than of the exemplars of SPA, XRAY-l2 and "
                "RobustXRAY.",
                "Section 5.2",
                _with_smrs(always_best(_RAW, [*_SEPARABLE, _RANDOM], _SHARE, ["dataset"])),
            ),
        ],
        planned=Plan(20, "A repeat takes two to three minutes of CPU time."),
        assumed={
            "near-duplicate": "Not defined in the paper: a document whose tf-idf vector has a "
            "cosine above 0.9 with that of an exemplar chosen earlier.",
            "need": "More near-duplicates than documents chosen at random have, which any method "
            "that looks at them could avoid.",
            "exemplars": "The paper names no weighting of words: claims are decided where they "
            "come out alike by raw counts, counts divided by document length, and tf-idf. SMRS "
            "with one programme, at the α = 5 that its authors suggest, without its cleaning and, "
            "by raw counts, with it; where fewer than 150 survive, cleaned ones are taken back.",
        },
        caption="Share of 150 exemplars whose tf-idf vector has a cosine above 0.9 with an "
        "earlier one: mean ± standard deviation over splits.",
    )
)
