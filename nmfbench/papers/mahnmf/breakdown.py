"""How much noise of each kind a method bears: accuracy and error against the level, and where
the method breaks down."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, better
from nmfbench.artefacts.remember import once_per_table
from nmfbench.artefacts.style import method_styles, plot_band
from nmfbench.engine.trials import Trial
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, KL, MAH, METHODS
from nmfbench.problems.faces import few_people
from nmfbench.problems.noise import NOISES
from nmfbench.stats.intervals import first_below, longest_lead, mean_and_interval

_LABELS = [method.label for method in METHODS]
_METRICS = ("accuracy-5", "accuracy-4", "relative-error-test", "relative-error-train")
_ACCURACIES = ("accuracy-5", "accuracy-4")
_MIN_SPLITS = 5  # fewer say nothing of the spread over splits
_DRAWS = 500  # of the bootstrap


def trials(profile):
    """Every method at every level on the same splits, for recognition and reconstruction."""
    smoke, quick = profile == "smoke", profile == "quick"
    repeats = {"smoke": 2, "quick": 1, "paper": 10}[profile]
    options = few_people(3, 2) if smoke else few_people()
    cells = [(None, None)]
    for noise in (NOISES["laplace"], NOISES["salt-pepper"]) if smoke else NOISES.values():
        levels = (0.2,) if smoke else noise.quick if quick else noise.levels
        cells += [(noise.corruption, level) for level in levels]
    return [
        Trial(
            task,
            "yaleb",
            method.solver,
            method.params,
            corruption=corruption,
            level=level,
            options=options,
            repeat=repeat,
            stand_in=smoke,
        )
        for repeat in range(repeats)
        for corruption, level in cells
        for method in METHODS
        if method.label != MAH or not quick
        for task in ("recognition", "reconstruction")
    ]


# -- curves -----------------------------------------------------------------------------------


def curves(records, noise, metric):
    """A metric by method and split (rows) and dose (columns); of whole rows only.

    Returns
    -------
    DataFrame
        Accuracies in per cent. With clean data as dose 0, where they are the left end.
    clean : Series
        The metric of clean data, by method and split.
    """
    if metric not in records:
        records = records.assign(**{metric: np.nan})
    scale = 100 if metric in _ACCURACIES else 1
    rows = records.dropna(subset=[metric])
    corrupted, clean = rows["corruption"] == noise.corruption, rows["corruption"].isna()
    keys = ["method", "repeat"]
    clean = scale * rows[clean].groupby(keys, observed=True)[metric].mean()
    noisy = rows[corrupted].assign(dose=rows.loc[corrupted, "level"].map(noise.dose))
    wide = scale * noisy.groupby([*keys, "dose"], observed=True)[metric].mean().unstack("dose")
    if wide.empty:
        return wide, clean
    if noise.from_clean:
        wide.insert(0, 0.0, clean.reindex(wide.index))
    wide = wide.dropna()
    return wide, clean.reindex(wide.index)


def breakdown_levels(wide, clean):
    """For each row of :func:`curves` the dose at which half of the clean accuracy is lost.

    Infinity if that is nowhere; rows without clean data are left out.
    """
    clean = clean.dropna()
    wide = wide.loc[clean.index]
    return pd.Series(first_below(wide.columns, wide, clean / 2), index=wide.index)


def _resampled(splits):
    """Rows of splits for each draw of the bootstrap, the same for all methods."""
    return np.random.default_rng(0).integers(splits, size=(_DRAWS, splits))


def _bounds(draws):
    """95 % interval of bootstrap draws, some of which may be infinite."""
    return np.quantile(draws, [0.025, 0.975], method="inverted_cdf")


def _breakdown(x, Y, clean):
    """Breakdown of the mean curve over splits, and its interval over splits."""
    level = float(first_below(x, Y.mean(axis=0), clean.mean() / 2))
    if len(Y) < _MIN_SPLITS:
        return level, np.nan, np.nan
    draws = _resampled(len(Y))
    low, high = _bounds(first_below(x, Y[draws].mean(axis=1), clean[draws].mean(axis=1) / 2))
    return level, low, high


def _lead(x, differences):
    """Ends of the lead of the mean curve, with their intervals, and how many draws have one."""
    ends = longest_lead(x, differences.mean(axis=0))
    if len(differences) < _MIN_SPLITS:
        return [(end, np.nan, np.nan, np.nan) for end in ends]
    means = differences[_resampled(len(differences))].mean(axis=1)
    draws = np.array([longest_lead(x, mean) for mean in means])
    share = float(np.isfinite(draws[:, 0]).mean())
    draws = draws[np.isfinite(draws[:, 0])]
    if not len(draws):
        return [(end, np.nan, np.nan, share) for end in ends]
    return [(end, *_bounds(found), share) for end, found in zip(ends, draws.T, strict=True)]


# -- table ------------------------------------------------------------------------------------


def summarise(records):
    """Rows of four parts, told apart by ``part``.

    ``curve``: mean of ``metric`` and its 95 % t interval over splits at ``dose``. ``breakdown``:
    ``dose`` at which the mean of ``metric`` falls below half of that of clean data, with a
    bootstrap interval over splits. ``from``, ``to``: ends of the largest lead over EucNMF.
    ``share`` says which part of the bootstrap draws have a lead. A dose beyond the grid
    is that of its end, with ``beyond`` 1, as is the upper end of an interval with ``open`` 1.
    ``chance`` is the accuracy of guessing.
    """
    parts = []
    for noise in NOISES.values():
        for metric in _METRICS:
            wide, clean = curves(records, noise, metric)
            if wide.empty:
                continue
            top = 100 if metric in _ACCURACIES else np.inf
            rows = _curve_rows(wide, top)
            parts.append(rows.assign(corruption=noise.corruption, metric=metric))
            if metric in _ACCURACIES:
                rows = _level_rows(wide, clean)
                parts.append(rows.assign(corruption=noise.corruption, metric=metric))
    chance = 100 / records["n_classes"].iloc[0]
    return pd.concat(parts, ignore_index=True).assign(chance=chance)


def _curve_rows(wide, top):
    long = wide.rename_axis(columns="dose").stack().rename("value").reset_index()
    rows = mean_and_interval(long.groupby(["method", "dose"], observed=True)["value"])
    low, high = rows["low"].clip(lower=0), rows["high"].clip(upper=top)
    return rows.assign(part="curve", low=low, high=high)


def _level_rows(wide, clean):
    x, rows = wide.columns.to_numpy(float), []
    plain = wide.xs(EUC, level="method") if EUC in wide.index.get_level_values(0) else None
    for method in wide.index.unique("method"):
        own = wide.xs(method, level="method")
        base = clean.xs(method, level="method").dropna()
        Y = own.loc[base.index].to_numpy()
        if len(Y):
            found = (*_breakdown(x, Y, base.to_numpy()), np.nan)
            rows.append({"part": "breakdown", "method": method, "count": len(Y)} | _row(x, found))
        if plain is None or method == EUC:
            continue
        both = (own - plain).dropna()
        if len(both):
            for part, found in zip(("from", "to"), _lead(x, both.to_numpy()), strict=True):
                rows.append({"part": part, "method": method, "count": len(both)} | _row(x, found))
    return pd.DataFrame(rows)


def _row(x, found):
    level, low, high, share = found
    return {
        "dose": min(level, x[-1]) if not np.isnan(level) else np.nan,
        "low": min(low, x[-1]) if not np.isnan(low) else np.nan,
        "high": min(high, x[-1]) if not np.isnan(high) else np.nan,
        "beyond": float(level == np.inf),
        "open": float(high == np.inf),
        "share": share,
    }


# -- figure -----------------------------------------------------------------------------------


def draw(table):
    """A column a corruption: accuracy, error, where methods break down, where they lead."""
    shown = [noise for noise in NOISES.values() if (table["corruption"] == noise.corruption).any()]
    figure, axes = plt.subplots(
        4,
        len(shown),
        figsize=(2.5 * len(shown) + 1.4, 10.5),
        sharex="col",
        sharey="row",
        squeeze=False,
        height_ratios=[3, 3, 1.6, 1.6],
    )
    styles = method_styles(_LABELS)
    run = [label for label in _LABELS if (table["method"] == label).any()]
    for column, noise in zip(axes.T, shown, strict=True):
        rows = table[table["corruption"] == noise.corruption]
        for axis, metric in zip(column[:2], ("accuracy-5", "relative-error-test"), strict=True):
            _draw_curves(axis, rows[(rows["metric"] == metric)], styles)
        column[0].axhline(table["chance"].iloc[0], color="0.4", linestyle=":", label="guessing")
        levels = rows[rows["metric"] == "accuracy-5"]
        doses = rows.loc[rows["part"] == "curve", "dose"]
        begin, end = doses.min(), doses.max()
        _draw_breakdown(column[2], levels[levels["part"] == "breakdown"], styles, run, begin)
        _draw_leads(column[3], levels, styles, run)
        column[0].set_title(noise.title)
        for axis in column:
            axis.set_xlabel(noise.axis)
            axis.set_xlim(-0.03 * end, 1.06 * end)
            axis.xaxis.label.set_visible(axis is column[-1])
    axes[0, 0].set_ylabel("accuracy (%),\nAlgorithm 5")
    axes[1, 0].set_ylabel("relative error,\ntest images")
    axes[2, 0].set_ylabel("half of the clean\naccuracy lost")
    axes[3, 0].set_ylabel("ahead of EucNMF")
    axes[0, 0].set_ylim(bottom=0)
    errors = table.loc[table["metric"] == "relative-error-test", "mean"]
    axes[1, 0].set_ylim(0, 1.1 * min(1.2, errors.max()))
    for row in axes[2:]:
        row[0].set(yticks=range(len(run)), yticklabels=run, ylim=(len(run) - 0.4, -0.6))
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    return figure


def _draw_curves(axis, rows, styles):
    rows = rows[rows["part"] == "curve"]
    for label in _LABELS:
        one = rows[rows["method"] == label].sort_values("dose")
        if not one.empty:
            plot_band(axis, one["dose"], one, label, styles[label])


def _draw_breakdown(axis, rows, styles, labels, begin):
    """A dot a method; a hollow arrow where it breaks down beyond the grid, either way."""
    for row in rows.to_dict("records"):
        style, y = styles[row["method"]], labels.index(row["method"])
        if not np.isnan(row["low"]):
            axis.plot([row["low"], row["high"]], [y, y], color=style["color"], linewidth=1.2)
        look = {"marker": style["marker"]}
        if row["beyond"] or row["dose"] <= begin:
            look = {"marker": ">" if row["beyond"] else "<", "mfc": "white"}
        axis.plot(row["dose"], y, color=style["color"], markersize=6, clip_on=False, **look)


def _draw_leads(axis, rows, styles, labels):
    """A bar from where a method gets ahead to where it falls behind, each with its interval."""
    ends = rows[rows["part"].isin(["from", "to"])].pivot(
        index="method", columns="part", values=["dose", "low", "high", "beyond", "share"]
    )
    axis.plot([], [])  # so that a panel without a lead is one, too
    for method, row in ends.iterrows():
        if np.isnan(row["dose", "from"]):
            continue
        style, y = styles[method], labels.index(method)
        # By chance alone nearly every draw has a lead somewhere, but not at the same levels.
        sure = row["high", "from"] < row["low", "to"]
        axis.plot(
            [row["dose", "from"], row["dose", "to"]],
            [y, y],
            color=style["color"],
            linewidth=5,
            alpha=0.9 if sure else 0.25,
            solid_capstyle="butt",
        )
        for part in ("from", "to"):
            if not np.isnan(row["low", part]):
                place = y + (0.25 if part == "from" else -0.25)
                span = [row["low", part], row["high", part]]
                axis.plot(span, [place, place], color=style["color"], linewidth=1)
        if row["beyond", "to"]:
            axis.plot(row["dose", "to"], y, ">", color=style["color"], clip_on=False)


# -- claims -----------------------------------------------------------------------------------

_SOURCE = "ours; Section 5.2 tests one level"
_HEAVY = ("occlusion", "laplace", "salt-pepper", "sparse-laplace")


@once_per_table
def per_split(records):
    """A row for each method and split: breakdown levels and mean errors, by corruption.

    A level beyond the grid is that of its end: the differences that claims test become smaller
    by it, never larger.
    """
    found = {}
    for noise in NOISES.values():
        wide, clean = curves(records, noise, "accuracy-5")
        if not wide.empty:
            levels = breakdown_levels(wide, clean)
            found[_level(noise.corruption)] = levels.clip(upper=wide.columns.max())
        wide, _ = curves(records, noise, "relative-error-test")
        if not wide.empty:
            found[_closeness(noise.corruption)] = -wide.mean(axis=1)
    return pd.DataFrame(found).reindex(columns=_ALL_VALUES).reset_index()


def _level(corruption):
    return f"level of {corruption} at breakdown"


def _closeness(corruption):
    return f"minus mean relative error under {corruption}"


_ALL_VALUES = [f(noise.corruption) for noise in NOISES.values() for f in (_level, _closeness)]


def _claim(name, method, statement, test):
    return Claim(
        name + ("-hybrid" if method == HYBRID else ""),
        statement,
        _SOURCE,
        lambda records: test(per_split(records)),
        origin="ours",
    )


def _later(method, noise):
    return _claim(
        f"{noise.corruption}-later",
        method,
        f"{noise.title}: {method} bears more of it than {EUC} and {KL} before half of its clean "
        "accuracy is lost.",
        always_best(method, (EUC, KL), [_level(noise.corruption)]),
    )


def _sooner(method, noise, rival):
    return _claim(
        f"{noise.corruption}-sooner",
        method,
        f"{noise.title}: {method} loses half of its clean accuracy at a lower level than {rival}.",
        better(rival, method, _level(noise.corruption)),
    )


def _nearer(method, noise):
    return _claim(
        f"{noise.corruption}-nearer",
        method,
        f"{noise.title}: averaged over the levels, reconstructions of test images by {method} are "
        f"nearer the clean ones than those by {EUC} and {KL}.",
        always_best(method, (EUC, KL), [_closeness(noise.corruption)]),
    )


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/breakdown",
        title="How much noise of each kind a method bears",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=summarise,
        picture=draw,
        claims=[
            claim
            for method in (MAH, HYBRID)
            for claim in (
                *(_later(method, NOISES[corruption]) for corruption in _HEAVY),
                _sooner(method, NOISES["gaussian"], EUC),
                _sooner(method, NOISES["poisson"], KL),
                *(_nearer(method, NOISES[corruption]) for corruption in _HEAVY),
            )
        ],
        assumed={
            "people": "15 of the 38 people, drawn anew for each split, 7 training and 10 test "
            "images of each, rank 15: one component a person, and fits small enough for "
            "a fine grid of levels.",
            "noise": "The same draws at all levels of a split, on training and test images.",
            "breaks down": "The smallest level at which the accuracy of Algorithm 5 is below half "
            "of that on clean data, interpolated between levels. Claims take it for each split, "
            "and count a method that never breaks down as if it did at the largest level.",
            "ahead": "The range of levels with the largest area between the mean curves.",
            "Poisson": "Fewer counts are more noise: levels are drawn as the deviation of a white "
            "pixel, one over the root of its counts.",
            "exponential": "Every pixel is drawn anew at any level, which only moves how many are "
            "cut at white. So clean data are not the left end of its curves.",
        }
        | {name: faces.ASSUMED[name] for name in ("MahNMF", "EucNMF, KLNMF", "precision", "start")},
        caption="Yale B, 15 people, rank 15; training and test images corrupted. Rows: accuracy "
        "and relative error against the level, means over splits with 95 % intervals; the level "
        "at which half of the clean accuracy is lost (hollow arrow: not within the levels tested; "
        "a method that starts low, such as PCA, has less to lose); the range of levels where a "
        "method is ahead of EucNMF (pale: intervals of its two ends overlap, or there are none, so "
        "that it may be chance). Thin lines: 95 % bootstrap intervals over splits, of five or "
        "more.",
    )
)
