"""Figure 2: descent on faces of CBCL, one sample at a time."""

from functools import partial
from itertools import product

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.or_nmf import curves
from nmfbench.papers.or_nmf.curves import CBCL, MOR, OR, RIVALS, SAMPLES, SECONDS, SINGLE

_SIDES = (OR, MOR)

ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/fig2",
        title="Descent on CBCL, a sample at a time",
        kind="figure",
        methods=SINGLE,
        grid=partial(CBCL.grid, SINGLE),
        frame=curves.frame_of([*product(_SIDES, RIVALS)]),
        table=curves.summarise,
        picture=curves.picture(SINGLE, CBCL.ranks),
        claims=[
            curves.faster(side, rival, axis, rank, "on CBCL", "Section V-A.1, Figure 2")
            for side, rival, axis, rank in product(_SIDES, RIVALS, (SAMPLES, SECONDS), CBCL.ranks)
        ],
        assumed=curves.ASSUMED,
        caption=curves.CAPTION,
    )
)
