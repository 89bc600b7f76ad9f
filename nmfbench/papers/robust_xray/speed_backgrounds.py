"""Seconds to separate backgrounds: RobustXRAY against i-ALM, for the text's claim on speed."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.bounds import slower
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.finding import at_each_reading
from nmfbench.artefacts.frames import with_columns
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.papers.clips import Clip, on_clips
from nmfbench.papers.reported import reported
from nmfbench.papers.robust_xray.speed_exemplars import ROBUST, of_projection
from nmfbench.stats.profiles import pareto_front
from nmfbench.trials.trial import Trial

PRINTED = reported("robust-xray/speed", "ialm")
_RESTAURANT = Clip("Restaurant (Human body 2)", "video-humanbody2")
_HALL = Clip("Airport Hall (Hall & monitor)", "video-hallandmonitor")
_LOBBY = Clip("Lobby (IBM test 2)", "video-ibmtest2")
_CLIPS = (_RESTAURANT, _HALL, _LOBBY)
_GENERATED = Clip("square", "moving-square")
_SIZES = {_RESTAURANT: (50, 100, 200, 300), _HALL: (50, 100, 200, 300), _LOBBY: (50, 100)}
_LARGEST = 200  # frames, on which numbers and our claims are judged
_READ_AT = (100, 200, 300)  # the paper's claims
_QUICK = 100
_ALL = {_LOBBY: "all 90"}  # frames of a clip that has fewer than it is asked for

_FAST = (Method(ROBUST, "robust-xray"), Method(ROBUST, "robust-xray", {"refits": 1}))
_TWICE = Method(ROBUST, "robust-xray", {"refits": 2})
_RANKS = (1, 2, 5)
_CHOSEN = (1, 2)
"""Ranks that the paper's protocol chooses for RobustXRAY on some clip of Figure 7."""


_TIMED = {
    f"r = {rank}, refits = {refits}": f"RobustXRAY, r = {rank}, refits = {refits}"
    for rank in _CHOSEN
    for refits in (1, 2)
}
JUDGED = _TIMED["r = 2, refits = 1"]


def _ialm(svd, tol):
    return Method(f"RPCA (i-ALM, {svd}, tol = {tol:g})", "rpca-ialm", {"svd": svd, "tol": tol})


_GRAM, _LANCZOS, _FULL = (
    [_ialm(svd, tol) for tol in (1e-7, 1e-3)] for svd in ("gram", "lanczos", "full")
)
_SLOW = (*_GRAM, *_LANCZOS, *_FULL)
METHODS = (*_FAST, _TWICE, *_SLOW)

RIVALS = [
    tuple(
        {"dataset": clip.dataset, "judged": True, "method": method}
        for method in (svd[0].label, JUDGED)
    )
    for clip in _CLIPS
    for svd in (_LANCZOS, _FULL)
]
"""Rows of i-ALM as near to what the paper timed as we can tell, and of RobustXRAY, on each clip."""


def grid(profile):
    """All settings; in the quick grid Gram matrices, and one of each on one clip."""
    if profile == "smoke":
        return _runs(_GENERATED, [30], _FAST, _RANKS[:2], _SLOW, 2)
    if profile == "quick":
        few = {_LOBBY: [_GRAM[0], _LANCZOS[0], _FULL[0]]}
        return [
            trial
            for clip in _CLIPS
            for trial in _runs(clip, [_QUICK], [_FAST[1], _TWICE], _CHOSEN, few.get(clip, _GRAM), 3)
        ]
    return [
        trial
        for clip in _CLIPS
        for trial in (
            *_runs(clip, _SIZES[clip], _FAST, _RANKS, _SLOW, 5),
            *_runs(clip, _read_at(clip), [_TWICE], _CHOSEN, (), 5),
        )
    ]


def _read_at(clip):
    """Numbers of frames at which the paper's claims are read."""
    return [n for n in _SIZES[clip] if n in _READ_AT]


def _runs(clip, sizes, fast, ranks, slow, repeats):
    base = Trial("separation", "", "", options={"dtype": "float64"}, timed=True)
    places = on_clips([clip]), options("n_frames", sizes)
    return [
        *cross(base, repeats, *places, options("n_components", ranks), methods(fast)),
        *cross(base, repeats, *places, methods(slow)),
    ]


def told_apart(records):
    """Records with, as ``method``, the method with rank and refits, and ``judged``.

    Numbers and our claims are judged on the most frames of a clip up to 200.
    """
    # There may be no record of a clip so far.
    records = with_columns(records, ["clip", "n_components", "n_frames", "pauc@0.2"])
    most = records["n_frames"].where(records["n_frames"] <= _LARGEST)
    most = most.groupby(records["clip"], observed=True).transform("max")
    return records.assign(
        clip=records["clip"].astype(str),
        method=[_words(row) for row in records.itertuples()],
        judged=records["n_frames"] == most,
    )


def _words(row):
    if pd.isna(row.n_components):
        return row.method
    return f"{row.method}, r = {row.n_components:g}, refits = {row.params.get('refits', 0)}"


def summarise(rows):
    """Median CPU seconds and partial areas, by clip, frames and setting.

    ``slower`` is the multiple of the seconds of the setting that claims are about; on the ``front``
    is what no other setting beats in one of seconds and area without losing in the other.
    """
    groups = rows.groupby(["clip", "n_frames", "method"], sort=False)
    table = groups["cpu_seconds"].agg(["median", "min", "max", "count"])
    table = table.assign(pauc=groups["pauc@0.2"].mean()).reset_index()
    cell = ["clip", "n_frames"]
    judged = table[table["method"] == JUDGED].set_index(cell)["median"].rename("judged")
    table = table.assign(slower=table["median"] / table.join(judged, on=cell)["judged"])
    fronts = [
        pd.Series(pareto_front(part["median"], part["pauc"]), part.index)
        for _, part in table.groupby(cell)
    ]
    return table.assign(front=pd.concat(fronts) if fronts else False)


def _claim(clip, method):
    """At the authors' tolerance and without Gram matrices the paper's, else our question.

    The paper's is decided where it comes out alike on all numbers of frames, at the chosen ranks,
    with one refit and with two; ours on the most frames up to 200, at rank 2 with one.
    """
    tight = method.params["tol"] < 1e-6
    name = f"{method.params['svd']}-{'tight' if tight else 'loose'}"
    ours = not tight or method in _GRAM

    def against(fast, **frames):
        return slower(
            method.label,
            fast,
            "cpu_seconds",
            PRINTED.value,
            whose="paper",
            at={"clip": clip.label, **frames},
        )

    sizes = {n: str(_ALL.get(clip, n)) for n in _read_at(clip)}
    *others, most = sizes.values()
    frames = f"{', '.join(others)} and {most}" if others else most
    if ours:
        frames = f"up to {_LARGEST}"
        test = against(JUDGED, judged=True)
    else:
        readings = {
            f"{number} frames, {words}": against(fast, n_frames=n)
            for n, number in sizes.items()
            for words, fast in _TIMED.items()
        }
        test = at_each_reading("frames, rank and refits", readings)
    return Claim(
        f"{clip.dataset.removeprefix('video-')}-ialm-{name}",
        f"{clip.label}: on {frames} frames RobustXRAY is {PRINTED.text.removesuffix('i-ALM')}"
        f"{method.label}.",
        test=of_projection(ROBUST, test),
        reported=PRINTED.text,
        **said_at(PRINTED.source, ours=ours),
    )


CLAIMS = [_claim(clip, method) for clip in _CLIPS for method in _SLOW]

ASSUMED = {
    "rank and refits": "The paper makes one or two refits, and does not say at which rank it was "
    "timed: its claims are decided where they come out alike with one and two, at r = 1 and 2, one "
    "of which its protocol chooses on each clip of Figure 7. The rank 5, which is slower, stands "
    "beside them; numbers and our claims have r = 2 and one refit, fixed before anything was "
    "timed.",
    "frames": "They decide: the singular values of i-ALM cost more than in proportion to the "
    "frames, and the projections of RobustXRAY, at a rank of 1 or 2, do not. The paper does not "
    "say how many it timed; its clips have more than a thousand each. Its claims are decided where "
    "they come out alike on 100, 200 and 300 frames, of IBM test 2 on all 90; 50 stand beside "
    "them. Numbers and our claims have 200, or all 90. The quick grid has 100 for them, and leaves "
    "open what needs more.",
    "i-ALM": "The authors' default tolerance 1e-7, and 1e-3. Singular values by LAPACK (full), by "
    "Lanczos' method with the authors' prediction of the rank, both as near to what the paper "
    "timed as we can tell; and from the Gram matrix, which is several times faster. Claims on the "
    "latter, and at 1e-3, are ours.",
    "backgrounds": "In double precision, all methods: single precision cannot reach a tolerance "
    "of 1e-7, and MATLAB has double.",
    "parameters": "λ of i-ALM is 1 / √max(m, n); no parameter is chosen on the clock.",
}
