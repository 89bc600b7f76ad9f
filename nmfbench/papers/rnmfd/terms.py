"""RNMFD without each of its terms, clean and under noise: methods, grids, frame and table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from nmfbench.artefacts.frames import drawn_rows, mean_table, melt_metrics, reference
from nmfbench.artefacts.grids import CLEAN, changed, corrupted, labelled
from nmfbench.papers.rnmfd.sets import SETS, as_printed, clusterings, method, name_as_printed
from nmfbench.problems.noise import NOISES

ALL, NO_S, NO_GRAPH, NO_ORTHOGONALITY = (
    "RNMFD",
    "RNMFD without S",
    "RNMFD without graph",
    "RNMFD without orthogonality",
)
MORE_S, BOUNDED, S_ALONE = (
    "RNMFD with larger S",
    "RNMFD with normalised graph",
    "RNMFD with S alone",
)
NMF, GNMF, NCUTS, KMEANS = "NMF", "GNMF", "Ncuts", "K-means"

SHOWN = (
    method(ALL, "rnmfd"),
    method(NO_S, "rnmfd", lam="none"),
    method(NO_GRAPH, "rnmfd", alpha=0.0),
    method(NO_ORTHOGONALITY, "rnmfd", beta=0.0),
    method(MORE_S, "rnmfd", lam="mad"),
    method(BOUNDED, "rnmfd", laplacian="sym"),
    method(S_ALONE, "rnmfd", alpha=0.0, beta=0.0, lam="mad"),
    method(NMF, "mu"),
    method(GNMF, "gnmf"),
    method(NCUTS, "ncuts"),
    method(KMEANS, "kmeans"),
)
LIGHT = replace(method("GNMF, weight 0.1", "gnmf", alpha=0.1), drawn=False)
_PRINTED = as_printed(m for m in SHOWN if m.label in (ALL, NO_S, NO_ORTHOGONALITY, MORE_S))
METHODS = (*SHOWN, *_PRINTED, LIGHT)
_OF = {m.label: m for m in METHODS}


TITLES = {
    "occlusion": "occlusion",
    "salt-pepper": "salt & pepper",
    "laplace": "Laplace noise",
    "gaussian": "Gaussian noise",
    "poisson": "Poisson noise",
}
LEVELS = dict.fromkeys(TITLES, (0.05, 0.1, 0.2)) | {"poisson": (400.0, 100.0, 25.0)}

# -- grids ------------------------------------------------------------------------------------

_USUAL = (ALL, NO_S, NO_GRAPH, NO_ORTHOGONALITY, NMF, GNMF, NCUTS)
GROSS = ("occlusion", "salt-pepper")
_CLEAN_PRINTED = tuple(map(name_as_printed, (ALL, NO_S, NO_ORTHOGONALITY, MORE_S)))
_GROSS_PRINTED = tuple(map(name_as_printed, (ALL, NO_S, MORE_S)))
_READ = (*_GROSS_PRINTED, LIGHT.label)


def trials(profile):
    """Every method that is shown on every set, clean and under each noise.

    Those that claims are read at besides, as the exponent as printed, have the conditions of
    the paper's claims: clean images and gross errors. The quick grid has UMIST, where the graph is
    good, and YALE, where columns of RNMFD die, clean, and UMIST under noise, with all levels of
    two.
    """
    clean, whole = (
        [(None, None)],
        [(c, n) for c in GROSS for n in LEVELS[c]],
    )
    if profile == "smoke":
        return _trials(["umist"], [*clean, ("salt-pepper", 0.1)], _OF, 2, smoke=True)
    if profile == "paper":
        noisy = [(name, level) for name, levels in LEVELS.items() for level in levels]
        return [
            *_trials(SETS, clean + noisy, [m.label for m in SHOWN], 10),
            *_trials(SETS, clean, [*_CLEAN_PRINTED, LIGHT.label], 10),
            *_trials(SETS, whole, _READ, 10),
        ]
    middle = [(name, 0.1) for name in ("occlusion", "salt-pepper", "laplace", "gaussian")]
    return [
        *_trials(
            ["umist", "yale"],
            clean,
            [*_USUAL, KMEANS, BOUNDED, MORE_S, *_CLEAN_PRINTED, LIGHT.label],
            5,
        ),
        *_trials(["umist"], clean + whole, [S_ALONE], 5),
        *_trials(["umist"], whole + middle[2:], _USUAL, 5),
        *_trials(["umist"], middle[:2], [BOUNDED], 5),
        *_trials(["umist"], whole, [MORE_S, *_READ], 5),
    ]


def _trials(sets, noise, labels, runs, smoke=False):
    found = clusterings(sets, [_OF[label] for label in labels], runs, smoke=smoke)
    doses = [NOISES[name].dose(level) if name else 0.0 for name, level in noise]
    places = labelled("dose", doses, corrupted(noise))
    return [changed(trial, place) for place in places for trial in found]


# -- frame and table --------------------------------------------------------------------------

POINTS, NMI_POINTS, CHANCE = "points of AC", "points of NMI", "by chance"
KEPT, LEAD = "per cent of the clean AC above chance", "AC minus that of RNMFD"
SIMILAR, IN_S, DEAD = "similarity-between", "outlier-share", "n-dead-components"
_PERCENT = {
    POINTS: "clustering-accuracy",
    NMI_POINTS: "nmi-geometric",
    CHANCE: "clustering-accuracy-shuffled",
}
PLACE = ["dataset", "noise", "dose"]


def frame(records):
    """Records with scores in per cent.

    ``whole`` are the sets and noises with the most levels, so that levels differ in nothing else,
    and the same sets without noise.
    """
    percent = {new: 100 * records[old] for new, old in _PERCENT.items() if old in records}
    rows = records.assign(**percent)
    rows[LEAD] = rows[POINTS] - reference(rows, POINTS, {"method": ALL}, [*PLACE, "repeat"])
    clean = rows["noise"] == CLEAN
    rows[KEPT] = kept_above_chance(rows, POINTS, CHANCE, PLACE)
    levels = rows.groupby(["dataset", "noise"])["dose"].transform("nunique")
    whole = ~clean & (levels == levels[~clean].max())
    return rows.assign(whole=whole | (clean & rows["dataset"].isin(rows["dataset"][whole])))


def kept_above_chance(
    rows: pd.DataFrame, score: str, chance: str, place: Sequence[str]
) -> pd.Series:
    """Per cent of the mean clean accuracy above chance that is left in each run.

    Chance is what the same clusters have with their labels shuffled, in the mean over the runs of a
    method in a ``place``. Of the whole accuracy a method that loses everything would keep more the
    lower its clean accuracy is.
    """
    by = [*place, rows["method"].astype(str)]
    above = rows[score] - rows.groupby(by, observed=True)[chance].transform("mean")
    side = [rows["dataset"], rows["method"].astype(str)]
    clean = above.where(rows["noise"] == CLEAN).groupby(side, observed=True).transform("mean")
    return 100 * above / clean


def summarise(frame):
    """Rows of two parts, told apart by ``part``, each mean with its 95 % t interval over runs.

    ``level``: a ``metric`` at a ``dose`` of a ``noise``. ``effect``: accuracy of a method minus
    that of RNMFD, averaged over the doses that all runs of both have. The method "by chance" is
    the accuracy of the same clusters with their labels shuffled, of all methods together.
    """
    frame = drawn_rows(frame, METHODS)
    metrics = {
        name: name for name in (POINTS, NMI_POINTS, SIMILAR, IN_S, "orthogonality-gap", DEAD)
    }
    long = melt_metrics(frame, metrics, "metric", "value").dropna(subset=["value"])
    parts = [mean_table(long, "value", ["metric", *PLACE, "method"]).assign(part="level")]
    if CHANCE in frame:
        chance = mean_table(frame, CHANCE, PLACE, over=["repeat"])
        parts.append(chance.assign(part="level", metric=POINTS, method=CHANCE))
    parts.append(_effects(frame).assign(part="effect", metric=POINTS))
    table = pd.concat([part.astype({"method": str, "metric": str}) for part in parts])
    columns = ["part", "metric", *PLACE, "method", "mean", "low", "high", "count"]
    return table.reindex(columns=columns).reset_index(drop=True)


def _effects(frame):
    rows = frame[frame["method"] != ALL].dropna(subset=[LEAD])
    cell = ["method", "dataset", "noise"]
    runs = rows.groupby([*cell, "dose"], observed=True)["repeat"].transform("size")
    most = runs.groupby([rows[name] for name in cell], observed=True).transform("max")
    return mean_table(rows[runs == most], LEAD, cell, over=["repeat"])
