"""Figure 3: RRI against OGM on small and on large dense matrices."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.mahnmf import speed
from nmfbench.papers.mahnmf.matrices import LARGE, METHODS, SMALL, SMOKE, TINY, runs

MATRICES = (TINY, SMALL, LARGE, SMOKE)

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig3",
        title="RRI and OGM on dense uniform matrices",
        kind="figure",
        methods=METHODS,
        grid=partial(runs, MATRICES, METHODS),
        frame=partial(speed.with_traces, matrices=MATRICES),
        table=speed.curves,
        picture=partial(speed.draw, matrices=MATRICES),
        claims=[
            *speed.small(TINY, "tiny", "Section 5.1, Figure 3 (a), (b)"),
            *speed.small(SMALL, "small", "Section 5.1, Figure 3 (a), (b)"),
            *speed.large(LARGE, "large", "Section 5.1, Figure 3 (c), (d)"),
        ],
        assumed=speed.ASSUMED
        | {"repeats": "Ten, as in the paper; five on the large matrix, which takes hours."},
        caption="Features x samples. Means over repeats with 95 % intervals, up to where the "
        "shortest repeat ends; a dot marks where the paper's rule (4) stops, on average. CPU "
        "seconds on one thread, without compilation and evaluation of the objective.",
    )
)
