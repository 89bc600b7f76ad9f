"""Table I: state and cost of a step of the online methods, as declared and as measured."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import changed
from nmfbench.artefacts.plan import Plan
from nmfbench.core.matters import Ratio
from nmfbench.papers.or_nmf.methods import CHUNKS, INMF, OMF, SINGLE
from nmfbench.papers.or_nmf.panels import CBCL
from nmfbench.papers.reported import reported

_LENGTH = 20  # samples that MOR-NMF keeps
_PAIRS = ("all samples and coefficients", "(m + r) t + m r", lambda m, r, t: (m + r) * t + m * r)
_SUMS = ("sums of products", "2 m r + r²", lambda m, r, t: 2 * m * r + r * r)
_KEPT = {
    "or-nmf": _PAIRS,
    "mor-nmf": (
        "the last l of them",
        "(m + r) l + m r",
        lambda m, r, t: (m + r) * min(t, _LENGTH) + m * r,
    ),
    "wor-nmf": _PAIRS,
    "omf": _SUMS,
    "omf-da": _SUMS,
    "inmf": _SUMS,
    "onmf": ("all coefficients", "r t + m r", lambda m, r, t: r * t + m * r),
}
"""State of a solver from step to step with W: in words, as a formula, and as a count."""

_PRINTED = {
    solver: reported("or-nmf/table1", solver)
    for solver in ("or-nmf", "mor-nmf", "onmf", "inmf", "omf")
}
"""Memory of a solver, as the paper states it."""

_SECONDS, _INNER = "seconds a sample", "inner steps a sample"
_FLOORED, _SLOW = "denominators of zero", 10

_METHODS = (*SINGLE[:2], *CHUNKS[:2], *SINGLE[2:5])


def trials(profile):
    """One-pass and two-pass fits of Figures 2 and 4 at the smaller rank."""
    found = CBCL.grid(_METHODS, profile, repeats=20)
    least = min(trial.options["n_components"] for trial in found)
    both = [trial for trial in found if trial.options["n_components"] == least]
    return both + [changed(trial, {"options": {"n_epochs": 1}}) for trial in both]


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Records with ``passes``, the samples ``seen``, and what one of these has cost.

    Zero, or as good as: INMF counts ``denominators of zero``, and takes 1e-12 in their place.
    """
    passes = records["options"].map(lambda options: options.get("n_epochs", 2))
    seen = records["samples"] * passes
    each = {_SECONDS: records["cpu_seconds"] / seen, _INNER: records["inner-iterations"] / seen}
    found = records.assign(passes=passes, seen=seen, **each)
    return found.rename(columns={"floored-denominators": _FLOORED})


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a method: means of bytes after one pass and two, and of what a sample costs."""
    by = ["method", "solver", "passes", "features", "n_components", "seen"]
    frame = select_rows(frame, method=[method.label for method in _METHODS])
    return frame.groupby(by, observed=True)[["state-bytes", _SECONDS, _INNER]].mean().reset_index()


def draw(table: pd.DataFrame) -> pd.DataFrame:
    """As in the paper, one row per method, with measured kilobytes beside the numbers kept."""
    lines = []
    for method, rows in table.astype({"method": str}).groupby("method", sort=False):
        steps = rows.sort_values("passes").to_dict("records")
        last = steps[-1]
        kept, numbers, count = _KEPT[last["solver"]]
        sizes = [(s["features"], s["n_components"], s["seen"]) for s in steps]
        lines.append(
            {
                "method": method,
                "keeps": kept,
                "numbers": numbers,
                "the paper's": _PRINTED[last["solver"]].text if last["solver"] in _PRINTED else "",
                "kB, counted": _kilobytes(8 * count(*size) for size in sizes),
                "kB, measured": _kilobytes(step["state-bytes"] for step in steps),
                "inner steps a sample": f"{last[_INNER]:.1f}",
                "µs a sample": f"{1e6 * last[_SECONDS]:.0f}",
            }
        )
    return pd.DataFrame(lines)


def _kilobytes(sizes):
    return ", ".join(f"{size / 1e3:.0f}" for size in sizes)


ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/table1",
        title="Online methods: state and cost",
        kind="table",
        methods=_METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=[
            Claim(
                "omf-slow",
                f"OMF takes more than {_SLOW} sweeps a sample.",
                "ours, after Section IV-E, which gives no number; or-nmf/inner has whether "
                "off-diagonal terms of the Hessian are the reason",
                at_least(OMF, _INNER, _SLOW, at={"passes": 2}),
                origin="ours",
            ),
            Claim(
                "inmf-slow",
                "INMF takes more inner steps and CPU seconds a sample than OMF.",
                "ours, after Sections IV-C and IV-E, which call both slow",
                always_best(INMF, [OMF], [_INNER, _SECONDS], at={"passes": 2}, ratio=True),
                origin="ours",
            ),
            Claim(
                "inmf-zero",
                "Denominators of INMF become zero: at least one does in two passes.",
                "ours, after Section IV-C; or-nmf/inner has whether INMF then fails",
                at_least(INMF, _FLOORED, 0.5, at={"passes": 2}),
                origin="ours",
            ),
        ],
        planned=Plan(20, "A repeat takes 5 s of CPU time."),
        matters=dict.fromkeys((_SECONDS, _INNER, _FLOORED), Ratio(0.10)),
        assumed={
            "what is listed": "The paper's Table I lists its Algorithms 1 to 3 side by side. Ours "
            "lists what every method keeps, with the bytes of the pickled solver, which hold room "
            "to spare in a buffer that grows, and coefficients of the last samples.",
            "inner steps": "An update of W takes at most 1000 inner steps of OR-NMF, MOR-NMF and "
            "WOR-NMF, and 200 of INMF.",
            "ONMF": "The paper has O(mn + rn) for its memory; the coefficients alone suffice, and "
            "if they are not wanted their products, r².",
        },
        caption="On CBCL at the smaller rank, means over repeats. Kilobytes after one pass and "
        "after two: of the numbers kept, and of the pickled solver; the paper gives orders of "
        "magnitude. m features, r components, t "
        f"samples so far, l = {_LENGTH}. Cost of an inner step: O(mr) in OR-, MOR- and WOR-NMF, "
        "O(mr²) in the others.",
    )
)
