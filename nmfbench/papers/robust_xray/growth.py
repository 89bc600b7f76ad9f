"""Seconds of RobustXRAY and XRAY-IS by rows, columns and rank, beside XRAY-l2."""

from __future__ import annotations

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method, corrupted, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import mean_and_deviation, score_table
from nmfbench.papers.growth import MATTERS, grows_no_faster
from nmfbench.papers.robust_xray.speed_exemplars import of_projection
from nmfbench.trials.trial import Trial

ROBUST, IS, L2 = "RobustXRAY", "XRAY-IS", "XRAY-l2"
METHODS = (Method(ROBUST, "robust-xray"), Method(IS, "xray-is"), Method(L2, "xray-l2"))
_SIZES = {
    "n_features": (100, 200, 400),  # rows of the paper's X
    "n_samples": (100, 200, 400),
    "n_components": (10, 20, 40),
}
_SMALL = {"n_features": (20, 40), "n_samples": (20, 40), "n_components": (3, 6)}
_NAMES = {"n_features": "rows", "n_samples": "columns", "n_components": "rank"}
_MEAN = 1.0


def _middle(sizes):
    return {name: values[1] for name, values in sizes.items()}


def trials(profile):
    """Exponential data around separable matrices, each size varied with the others in the middle.

    The timed fits of the task ``recovery`` at each place.
    """
    smoke = profile == "smoke"
    sizes = _SMALL if smoke else _SIZES
    repeats = {"smoke": 2, "quick": 5, "paper": 10}[profile]
    places = [_middle(sizes) | {name: n} for name, values in sizes.items() for n in values]
    places = [dict(items) for items in dict.fromkeys(tuple(place.items()) for place in places)]
    base = Trial("recovery", "near-separable", "", timed=True)
    axis = [{"dataset_params": place} for place in places]
    noise = corrupted([("exponential", _MEAN)])
    return cross(base, repeats, noise, axis, methods(METHODS))


def frame(records):
    """Records with a column for each size."""
    sizes = {name: [params[name] for params in records["dataset_params"]] for name in _SIZES}
    return records.assign(**sizes)


def table(frame):
    """Mean CPU seconds with 95 % intervals."""
    return mean_table(frame.astype({"method": str}), "cpu_seconds", [*_SIZES, "method"])


def draw(table):
    """One line for each size."""
    return score_table(
        table,
        _NAMES,
        [method.label for method in METHODS],
        lambda cell: mean_and_deviation(cell.mean, (cell.high - cell.low) / 2, cell.count, 3),
    )


def _at(name):
    return {other: n for other, n in _middle(_SIZES).items() if other != name}


ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/growth",
        title="Seconds of near-separable methods by rows, columns and rank",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=[
            Claim(
                f"{key}-{words}",
                f"{method} inherits the scalability of XRAY: with {words} its CPU seconds grow no "
                "faster than the seconds of XRAY-l2, by more than the margin.",
                "Abstract, Section 1",
                of_projection(method, grows_no_faster(method, L2, "cpu_seconds", name, _at(name))),
            )
            for key, method in (("robust-xray", ROBUST), ("xray-is", IS))
            for name, words in _NAMES.items()
        ],
        planned=Plan(10, "A repeat takes some 30 s on an idle machine."),
        matters=MATTERS,
        assumed={
            "scalability": "The paper has no experiment on it. Exponents of growth of CPU seconds "
            "while rows, columns and rank are doubled twice, each with the others in the middle; "
            "not above that of XRAY-l2 by more than 0.1, twice the smallest difference that "
            "matters.",
            "data": "Exponential data around separable matrices, of 200 rows, 200 columns and rank "
            "20 in the middle: the methods make as many selections as the rank.",
            "implementations": "Ours, on one thread. XRAY-l2 updates its projections by active "
            "sets; l1 projections are exact, by a simplex method, in place of the paper's ADMM.",
        },
        caption="CPU seconds, mean ± half of the 95 % interval over repeats.",
    )
)
