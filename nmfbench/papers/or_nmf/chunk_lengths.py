"""WOR-NMF with chunks of other lengths than the rank, beside OR-NMF."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.or_nmf import curves
from nmfbench.papers.or_nmf.descent import MATTERS, SECONDS, frame_of
from nmfbench.papers.or_nmf.descent_claims import faster
from nmfbench.papers.or_nmf.methods import OR, WOR
from nmfbench.papers.or_nmf.panels import CBCL
from nmfbench.papers.or_nmf.readings import pairs_at_readings, with_readings

_LENGTHS = (2, 5, 25, 50)
_CHUNKS = {n: Method(f"{WOR}, chunks of {n}", "wor-nmf", {"chunk": n}) for n in _LENGTHS}
_SHOWN = (Method(OR, "or-nmf"), *_CHUNKS.values())
METHODS = with_readings(_SHOWN)
_PANELS = replace(CBCL, every={10: 50})  # a multiple of all lengths

ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/chunk-lengths",
        title="Descent with chunks of other lengths",
        kind="figure",
        methods=METHODS,
        grid=partial(_PANELS.grid, METHODS, repeats=20),
        frame=frame_of(pairs_at_readings((method.label, OR) for method in _CHUNKS.values())),
        table=curves.summarise,
        picture=curves.picture(_SHOWN, _PANELS.names),
        claims=[
            faster(method.label, OR, SECONDS, 10, "on CBCL", "Section II-D", name=f"chunks-{n}")
            for n, method in _CHUNKS.items()
        ],
        planned=Plan(20, "A repeat takes 2 s of CPU time."),
        matters=MATTERS,
        assumed=curves.ASSUMED
        | {
            "lengths": "The paper names none. Chunks of the rank, 10, are as in Figures 4, 5 "
            "and 7.",
            "records": "After every 50 samples, so that no chunk is cut short.",
        },
        caption=curves.CAPTION,
    )
)
