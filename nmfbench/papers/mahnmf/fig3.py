"""Figure 3: RRI against OGM on small and on large dense matrices."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.mahnmf.curves import METHODS, draw_curves, grid, summarise_curves
from nmfbench.papers.mahnmf.problems import LARGE, SMALL, SMOKE, TINY
from nmfbench.papers.mahnmf.speed_claims import ASSUMED, large, small

PROBLEMS = (TINY, SMALL, LARGE)
_ALL = (*PROBLEMS, SMOKE)


def trials(profile):
    return grid([SMOKE] if profile == "smoke" else PROBLEMS, METHODS, profile)


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig3",
        title="RRI and OGM on dense uniform matrices",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=partial(summarise_curves, problems=_ALL),
        picture=partial(draw_curves, problems=_ALL, methods=METHODS),
        claims=[
            *small(TINY, _ALL, "tiny", "Section 5.1, Figure 3 (a), (b)"),
            *small(SMALL, _ALL, "small", "Section 5.1, Figure 3 (a), (b)"),
            *large(LARGE, _ALL, "large", "Section 5.1, Figure 3 (c), (d)"),
        ],
        assumed=ASSUMED
        | {"repeats": "Ten, as in the paper; five on the large matrix, which takes hours."},
        caption="Features x samples. Means over repeats with 95 % intervals, up to where the "
        "shortest repeat ends; a dot marks where the paper's rule (4) stops, on average. CPU "
        "seconds on one thread, without compilation and evaluation of the objective.",
    )
)
