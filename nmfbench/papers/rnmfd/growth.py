"""Seconds of an iteration of RNMFD and of GNMF by numbers of images and dimensions."""

from __future__ import annotations

from functools import partial

import numpy as np

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import plus_minus_cell, score_table
from nmfbench.core.matters import Ratio
from nmfbench.papers.growth import MATTERS, at_most_linear, grows_no_faster
from nmfbench.papers.rnmfd import sets
from nmfbench.trials.trial import Trial

RNMFD, GNMF = "RNMFD", "GNMF"
_SHOWN = (sets.method(RNMFD, "rnmfd"), sets.method(GNMF, "gnmf"))
METHODS = (*_SHOWN, *sets.as_printed(_SHOWN))
SECONDS = "seconds an iteration"
_IMAGES, _DIMENSIONS = (250, 500, 1000), (2000, 4000, 8000)
_SMALL = (10, 20), (60, 80)
_ITERATIONS = 30
_SOURCE = "Section 3.4"
_AXES = {
    "images": ("n_samples", {"n_features": _DIMENSIONS[1]}),
    "dimensions": ("n_features", {"n_samples": _IMAGES[1]}),
}


def trials(profile):
    """Random matrices, each size doubled twice, while the other one stays at its middle."""
    smoke = profile == "smoke"
    repeats = {"smoke": 2, "quick": 5, "paper": 10}[profile]
    images, dimensions = _SMALL if smoke else (_IMAGES, _DIMENSIONS)
    sizes = [(n, dimensions[1]) for n in images] + [(images[1], d) for d in dimensions]
    options = {"n_components": 3 if smoke else 20, "max_iter": 6 if smoke else _ITERATIONS}
    base = Trial("convergence", "uniform", "", options=options, timed=True)
    axis = [{"dataset_params": {"n_samples": n, "n_features": d}} for n, d in dict.fromkeys(sizes)]
    return cross(base, repeats, axis, methods(METHODS))


def frame(records):
    """Records with their sizes, and the CPU seconds of an iteration after the first."""
    traces = [arrays["trace"]["cpu_seconds"] for arrays in records["arrays"]]
    seconds = [(clock[-1] - clock[1]) / (len(clock) - 2) for clock in traces]
    sizes = {
        name: [params[name] for params in records["dataset_params"]]
        for name in ("n_samples", "n_features")
    }
    return records.assign(**sizes, **{SECONDS: np.maximum(seconds, 1e-9)})


def table(frame):
    """Mean milliseconds of an iteration with 95 % intervals."""
    milli = frame.assign(milli=1000 * frame[SECONDS]).astype({"method": str})
    return mean_table(milli, "milli", ["n_samples", "n_features", "method"])


def draw(table):
    """One line for each size."""
    return score_table(
        table,
        {"n_samples": "images", "n_features": "dimensions"},
        [method.label for method in METHODS],
        plus_minus_cell(2),
    )


def _no_faster(size, at, own):
    return grows_no_faster(own, GNMF, SECONDS, size, at, or_linearly=True)


ARTEFACT = register_artefact(
    Artefact(
        "rnmfd/growth",
        title="Milliseconds of an iteration of RNMFD and GNMF, by size",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=[
            *(
                Claim(
                    f"linear-in-{name}",
                    f"The cost of RNMFD is linear in the number of {name}, where there are more "
                    "dimensions than images: the CPU seconds of an iteration grow with an exponent "
                    "of about 1 at most.",
                    _SOURCE,
                    sets.at_each_exponent(
                        partial(at_most_linear, value=SECONDS, size=size, at=at), RNMFD
                    ),
                )
                for name, (size, at) in _AXES.items()
            ),
            *(
                Claim(
                    f"as-gnmf-in-{name}",
                    f"That is the same as GNMF: with the number of {name} the CPU seconds of an "
                    "iteration grow no faster than under GNMF, or than linearly, by more than the "
                    "margin.",
                    _SOURCE,
                    sets.at_each_exponent(partial(_no_faster, size, at), RNMFD),
                )
                for name, (size, at) in _AXES.items()
            ),
        ],
        planned=Plan(10, "A repeat takes some 20 s on an idle machine."),
        matters=MATTERS | {SECONDS: Ratio(0.10)},
        assumed={
            "sizes": "250, 500 and 1000 images of 4000 dimensions, and 500 images of 2000, 4000 "
            "and 8000: uniform numbers, 20 components, as only the sizes matter.",
            "cost": f"CPU seconds of an iteration on one thread, mean of {_ITERATIONS - 1} after "
            "the first. The graph is made before and costs the square of the number of images, "
            "which the paper counts too and yet calls the whole linear.",
            "linear": "An exponent of no more than 1.1, twice the smallest difference that matters "
            "above 1, over two doublings.",
            "same as GNMF": "The paper compares bounds of the cost, so that slower growth is no "
            "contradiction: an exponent not above that of GNMF, or above 1 where that is less, by "
            "more than 0.1. Costs that do not grow with the size lower the exponents of both.",
            "update": sets.ASSUMED["update"],
        },
        caption="Milliseconds of CPU time of an iteration, mean ± half of the 95 % interval over "
        "repeats.",
    )
)
