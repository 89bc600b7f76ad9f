"""A stream that is larger than what a process may allocate: which methods survive it?"""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.or_nmf.methods import MOR, ONMF
from nmfbench.trials.trial import Trial

_FAST = {"chunk": 100, "max_iter_inner": 20}
_WITHOUT = f"{ONMF} without codes"
METHODS = (
    Method(MOR, "mor-nmf"),
    Method(ONMF, "onmf", _FAST),
    Method(_WITHOUT, "onmf", {**_FAST, "keep_codes": False}),
)
_ALLOWANCE = 16  # megabytes
_DIED = "out of memory"


def trials(profile):
    """Streams of 100 000 patches, 144 MB; of 300 small ones in the smoke grid."""
    smoke = profile == "smoke"
    size = {"n_samples": 300, "patch": 8} if smoke else {"n_samples": 100_000}
    fixed = {"n_components": 10, "allowance": _ALLOWANCE, **size}
    base = Trial("memory", "sample-images" if smoke else "bsds", "", options=fixed)
    shown = METHODS[:2] if profile == "quick" else METHODS
    return cross(base, 5 if profile == "paper" else 1, methods(shown))


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Records with whether the process died."""
    return records.rename(columns={"out-of-memory": _DIED}).astype({"method": str})


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Share of the streams that a method does not survive."""
    return mean_table(frame, _DIED, ["method"], between=(0, 1))


def draw(table: pd.DataFrame) -> pd.DataFrame:
    """One row for each method."""
    named = table.assign(measure=f"{_DIED}, share of streams")
    columns = [*named["measure"].unique()]
    return score_table(
        named, {"method": "method"}, columns, lambda cell: f"{cell.mean:.2f}", column="measure"
    )


_STREAM = f"a stream of 144 MB while its process may allocate {_ALLOWANCE} MB more than at first"
_CLAIMS = [
    Claim(
        "onmf-dies",
        f"ONMF, which keeps the coefficients of all samples, does not survive {_STREAM}.",
        "Section IV-A",
        without_exception(ONMF, _DIED, low=1.0),
    ),
    Claim(
        "mor-survives",
        f"MOR-NMF survives {_STREAM}.",
        "Sections II-C and IV-F",
        without_exception(MOR, _DIED, high=0.0),
    ),
    Claim(
        "onmf-without-codes-survives",
        f"ONMF with the products of the coefficients in their place survives {_STREAM}.",
        "ours, after Section IV-A",
        without_exception(_WITHOUT, _DIED, high=0.0),
        origin="ours",
    ),
]

ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/limit",
        title="Streams under a limit of memory",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        claims=_CLAIMS,
        planned=Plan(5, "A repeat takes a minute of CPU time."),
        matters={_DIED: 0.02},
        assumed={
            "limit": "Any process that keeps something of each sample dies on a stream that is "
            f"long enough; {_ALLOWANCE} MB are a ninth of the stream. The codes that ONMF keeps "
            "have 8 MB at its end, which each chunk copies twice: it is the copies that do not "
            "fit. What the process holds at its start, Python and its libraries, comes on top.",
            "stream": "100 000 random patches of 19 x 19 pixels of natural images, in single "
            "precision, from a memory-mapped file; one pass at rank 10.",
            "ONMF": "Chunks of 100 samples and 20 updates, for speed: its memory is the same. The "
            "paper's O(mn + rn) counts the samples, which its updates do not need.",
        },
        caption="Share of the streams on which a method runs out of memory.",
    )
)
