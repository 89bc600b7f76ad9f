"""Robustness to noise of each kind: accuracy and error against the level, and breakdowns."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, better
from nmfbench.artefacts.frames import mean_table, select_rows
from nmfbench.artefacts.grids import corrupted, cross, fields, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.core.matters import Ratio
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, KL, MAH, METHODS
from nmfbench.papers.mahnmf.studies.breakdown_figure import draw, scores
from nmfbench.problems.faces import few_people
from nmfbench.problems.noise import NOISES
from nmfbench.stats.breakdown import breakdown_levels, lead_ranges
from nmfbench.trials.trial import Trial

_ACCURACIES = ["accuracy-5", "accuracy-4"]
_METRICS = [*_ACCURACIES, "relative-error-test", "relative-error-train"]
_CURVE = ["metric", "method", "repeat"]
_PANEL = ["corruption", "metric"]


def trials(profile):
    """Every method at every level on the same splits, for recognition and reconstruction."""
    smoke, quick = profile == "smoke", profile == "quick"
    options = few_people(3, 2) if smoke else few_people()
    places: list[tuple[str | None, float | None]] = [(None, None)]
    for noise in (NOISES["laplace"], NOISES["salt-pepper"]) if smoke else NOISES.values():
        levels = (0.2,) if smoke else noise.quick if quick else noise.levels
        places += [(noise.corruption, level) for level in levels]
    return cross(
        Trial("", "yaleb", "", options=options, stand_in=smoke),
        {"smoke": 2, "quick": 1, "paper": 10}[profile],
        corrupted(places),
        methods(method for method in METHODS if method.label != MAH or not quick),
        fields("task", ["recognition", "reconstruction"]),
    )


def frame(records):
    """Curves of each split, and what claims compare of them.

    ``part`` "curve": the ``value`` of a ``metric`` (accuracies in per cent) at a ``dose``, and
    ``clean``, that of clean data; of whole curves only. ``part`` "split", a row for each method,
    split and corruption: ``level at breakdown``, the dose at which half of the clean accuracy is
    lost, and ``relative error``, the mean over the doses. A level beyond the grid is that of its
    end: differences become smaller by it, never larger.
    """
    keys = ["method", "repeat", "corruption", "level"]
    long = records.reindex(columns=[*keys, *_METRICS]).melt(keys, var_name="metric")
    long = long.astype({"method": str}).dropna(subset=["value"])
    long["value"] *= np.where(long["metric"].isin(_ACCURACIES), 100, 1)
    long = long.groupby([*keys, "metric"], dropna=False, sort=False)["value"].mean().reset_index()
    clean = long[long["corruption"].isna()].groupby(_CURVE)["value"].mean().rename("clean")
    long = long.join(clean, on=_CURVE)
    curves = pd.concat(
        [_whole(select_rows(long, corruption=n.corruption), n) for n in NOISES.values()]
    )
    split = ["corruption", "method", "repeat"]
    scores = select_rows(curves, metric="accuracy-5")
    levels = breakdown_levels(
        scores, "value", by=["corruption", "repeat"], level="dose", clean="clean"
    )
    ends = levels["corruption"].map(scores.groupby("corruption")["dose"].max())
    levels["level at breakdown"] = levels.pop("dose").clip(upper=ends)
    errors = select_rows(curves, metric="relative-error-test").groupby(split)["value"].mean()
    splits = levels.merge(errors.rename("relative error").reset_index(), how="outer", on=split)
    long = pd.concat([curves.assign(part="curve"), splits.assign(part="split")], ignore_index=True)
    return long.assign(chance=100 / records["n_classes"].iloc[0])


def _whole(rows, noise):
    """Rows of one corruption with their dose, of methods and splits that have all doses."""
    rows = rows.assign(dose=rows["level"].map(noise.dose))
    if noise.from_clean:
        starts = rows.drop_duplicates(_CURVE)
        rows = pd.concat([starts.assign(dose=0.0, value=starts["clean"]), rows])
    points = rows.groupby(_CURVE)["value"].transform("count")
    return rows[points == rows.groupby("metric")["dose"].transform("nunique")]


def summarise(frame):
    """Rows of four parts, told apart by ``part``.

    ``curve``: mean of ``metric`` and its 95 % t interval over splits at ``dose``. ``breakdown``:
    ``dose`` at which the mean of ``metric`` falls below half of that of clean data, with a
    bootstrap interval over splits. ``from``, ``to``: ends of the largest lead over EucNMF.
    ``share`` says which part of the bootstrap draws have a lead. A dose beyond the grid
    is that of its end, with ``beyond`` 1, as is the upper end of an interval with ``open`` 1.
    ``chance`` is the accuracy of guessing.
    """
    curves = select_rows(frame, part="curve")
    means = mean_table(curves, "value", [*_PANEL, "method", "dose"])
    top = np.where(means["metric"].isin(_ACCURACIES), 100, np.inf)
    means = means.assign(low=means["low"].clip(lower=0), high=means["high"].clip(upper=top))
    scores = select_rows(curves, metric=_ACCURACIES)
    how = {"by": _PANEL, "level": "dose", "over": "repeat"}
    levels = breakdown_levels(scores, "value", clean="clean", **how).dropna(subset=["dose"])
    leads = lead_ranges(scores, "value", EUC, **how).rename(columns={"end": "part"})
    found = pd.concat([levels.assign(part="breakdown"), leads])
    end = found.join(scores.groupby(_PANEL)["dose"].max().rename("end"), on=_PANEL)["end"]
    found = found.assign(
        beyond=(found["dose"] == np.inf).astype(float),
        open=(found["high"] == np.inf).astype(float),
        **{name: found[name].clip(upper=end) for name in ("dose", "low", "high")},
    )
    table = pd.concat([means.assign(part="curve"), found], ignore_index=True)
    return table.assign(chance=frame["chance"].iloc[0])


# -- claims -----------------------------------------------------------------------------------


def _claims(method):
    heavy = ("occlusion", "laplace", "salt-pepper", "sparse-laplace")

    def claim(corruption, name, statement, test, *sides, **how):
        return Claim(
            f"{corruption}-{name}" + ("-hybrid" if method == HYBRID else ""),
            f"{NOISES[corruption].title}: {statement}",
            "ours; Section 5.2 tests one level",
            test(*sides, at={"corruption": corruption}, **how),
            origin="ours",
        )

    later = (
        f"{method} bears more of it than {EUC} and {KL} before half of its clean accuracy is lost."
    )
    nearer = (
        f"averaged over the levels, reconstructions of test images by {method} are nearer the "
        f"clean ones than those by {EUC} and {KL}."
    )
    level, error, both = "level at breakdown", "relative error", (EUC, KL)
    return [
        *(claim(c, "later", later, always_best, method, both, level) for c in heavy),
        *(
            claim(
                corruption,
                "sooner",
                f"{method} loses half of its clean accuracy at a lower level than {rival}.",
                better,
                rival,
                method,
                level,
            )
            for corruption, rival in (("gaussian", EUC), ("poisson", KL))
        ),
        *(
            claim(c, "nearer", nearer, always_best, method, both, error, lower=True, ratio=True)
            for c in heavy
        ),
    ]


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/breakdown",
        title="How much noise of each kind a method bears",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        scores=scores,
        claims=[*_claims(MAH), *_claims(HYBRID)],
        planned=Plan(10, "As in the paper's grid: a repeat takes 5 minutes of CPU time."),
        matters={"level at breakdown": 0.02, "relative error": Ratio(0.02)},
        assumed={
            "people": "15 of the 38 people, drawn again for each split, 7 training and 10 test "
            "images of each, rank 15: one component a person, and fits small enough for "
            "a fine grid of levels.",
            "noise": "The same draws at all levels of a split, on training and test images.",
            "breaks down": "The smallest level at which the accuracy of Algorithm 5 is below half "
            "of that on clean data, interpolated between levels. Claims take it for each split, "
            "and count a method that never breaks down as if it did at the largest level.",
            "ahead": "The range of levels with the largest area between the mean curves.",
            "Poisson": "Fewer counts are more noise: levels are drawn as the deviation of a white "
            "pixel, one over the root of its counts.",
            "exponential": "Every pixel is drawn again at any level, which only moves how many are "
            "cut at white. So clean data are not the left end of its curves.",
        }
        | {name: faces.ASSUMED[name] for name in ("MahNMF", "EucNMF, KLNMF", "precision", "start")},
        caption="Yale B, 15 people, rank 15; training and test images corrupted. Left: accuracy "
        "against the level, means over splits with 95 % intervals (hollow: a single split, "
        "without). Right: the level at which half of the clean accuracy is lost, as a share of the "
        "largest level tested (hollow arrow: not within the levels tested; a method that starts "
        "low, such as PCA, has less to lose), with 95 % bootstrap intervals over splits, of five "
        "or more. The table has the levels themselves, the range of levels where a method is ahead "
        "of EucNMF, and errors.",
    )
)
