"""The text's claims on speed: SPA and XRAY against SMRS, RobustXRAY against i-ALM."""

from __future__ import annotations

import math

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.printed import PrintedNumber, mean_of
from nmfbench.papers.robust_xray import speed_backgrounds as backgrounds
from nmfbench.papers.robust_xray import speed_exemplars as exemplars
from nmfbench.papers.robust_xray.exemplar_accuracy import WEIGHTINGS


def trials(profile):
    """The runs of both claims."""
    return [*exemplars.grid(profile), *backgrounds.grid(profile)]


def frame(records):
    """Records of both tasks; those on clips with rank and refits as part of the ``method``."""
    on_clips = records["task"] == "separation"
    texts = records[~on_clips].astype({"method": str})
    return pd.concat([texts, backgrounds.told_apart(records[on_clips])])


def summarise(frame):
    """Seconds on collections of texts, then on clips; see the two modules."""
    on_clips = frame["task"] == "separation"
    texts = exemplars.summarise(frame[~on_clips]).assign(front=False)
    clips = backgrounds.summarise(frame[on_clips]).rename(columns={"clip": "dataset"})
    parts = [part for part in (texts, clips) if len(part)]
    table = pd.concat(parts, ignore_index=True)
    columns = ["dataset", "weighting", "n_frames", "method", "median", "min", "max"]
    return table.reindex(columns=[*columns, "faster", "slower", "pauc", "front", "count"])


def draw(table):
    """The table as printed; empty where a column is not about a row."""
    texts = {
        "data": table["dataset"],
        "chosen on": table["weighting"].map(WEIGHTINGS).fillna(""),
        "frames": _printed(table["n_frames"], "{:.0f}"),
        "method": table["method"],
        "CPU seconds (median)": _printed(table["median"], "{:.3g}"),
        "range": [
            f"{lo:.3g} to {hi:.3g}" for lo, hi in zip(table["min"], table["max"], strict=True)
        ],
        "times faster than SMRS": _printed(table["faster"], "{:.3g}"),
        "times that of r = 2, refits = 1": _printed(table["slower"], "{:.3g}"),
        "partial area": _printed(table["pauc"], "{:.3f}"),
        "front": table["front"].map({True: "yes", False: ""}),
        "runs": table["count"],
        "the paper's": [_said(row) for row in table.itertuples()],
    }
    return pd.DataFrame(texts)


def _said(row):
    """The paper's number on a method, where it has one."""
    if row.method == backgrounds.JUDGED:
        return backgrounds.PRINTED.text
    return exemplars.PRINTED.text if row.method in exemplars.FASTER else ""


def _printed(values, form):
    return ["" if pd.isna(value) else form.format(value) for value in values]


def _extreme(pairs, which):
    """The least or the greatest ratio of CPU seconds, slow over fast, of pairs that were run."""

    def ours(frame):
        slow, fast = (
            {k: mean_of("cpu_seconds", pair[side])(frame) for k, pair in enumerate(pairs)}
            for side in (0, 1)
        )
        ratios = (pd.DataFrame(slow) / pd.DataFrame(fast)).dropna(axis=1, how="all").dropna()
        return ratios.agg(which, axis=1) if len(ratios) else pd.Series(dtype=float)

    return ours


def _number(key, what, value, place, pairs, which):
    return PrintedNumber(
        key=key,
        what=what,
        value=value,
        place=place,
        metric="cpu_seconds",
        ours=_extreme(pairs, which),
        data=tuple(dict.fromkeys(fast["dataset"] for _, fast in pairs)),
    )


_LEAST, _MOST = exemplars.PRINTED.value
_NUMBERS = [
    *(
        _number(
            f"smrs-{which}",
            f"How many times faster than SMRS SPA and XRAY are: the {word} ratio of CPU seconds "
            "(raw counts of BBC, the authors' ADMM)",
            value,
            exemplars.PRINTED.source,
            exemplars.RIVALS,
            which,
        )
        for which, word, value in (("min", "least", _LEAST), ("max", "greatest", _MOST))
    ),
    _number(
        "ialm",
        "How many times faster than i-ALM RobustXRAY is: the least ratio of CPU seconds (the "
        "authors' tolerance, full or Lanczos SVD, up to 200 frames)",
        (backgrounds.PRINTED.value, math.inf),
        backgrounds.PRINTED.source,
        backgrounds.RIVALS,
        "min",
    ),
]

ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/speed",
        title="CPU time to choose 150 exemplars, and to separate background from foreground",
        kind="table",
        methods=(*exemplars.METHODS, *backgrounds.METHODS),
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        claims=[*exemplars.CLAIMS, *backgrounds.CLAIMS],
        printed=_NUMBERS,
        planned=Plan(5, "As in the paper's grid: a repeat takes 5 minutes of CPU time."),
        assumed=exemplars.ASSUMED | backgrounds.ASSUMED | {"clock": "CPU seconds, one thread."},
        caption="One fit at a time on one thread; compilation and all evaluation are not counted. "
        "Exemplars: “about 3 to 10 times” is confirmed if the interval of the ratio lies within "
        "2.5 to 12, and refuted if it lies outside. Backgrounds: “at least 10 times” is "
        "confirmed if the interval lies above 10. Partial area: mean hit rate at false-alarm "
        "rates up to 0.2. Front: no other setting is faster without a smaller area.",
    )
)
