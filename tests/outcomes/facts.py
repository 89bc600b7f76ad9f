"""Made-up records for the tables of facts: every number within its bounds, or beyond them."""

import numpy as np

from nmfbench.papers.anp import lemmas as of_anp
from nmfbench.papers.rnmfd import lemmas as of_rnmfd
from nmfbench.papers.robust_xray import lemmas as of_robust_xray


def _facts(facts, **others):
    """Metrics of the facts that a trial's task measures; ``others`` by whether the claims hold."""

    def made(holds):
        def metrics(row, rng):
            found = {
                name: values[not holds] + 0.001 * rng.random() for name, values in others.items()
            }
            for fact in facts:
                if fact.at["task"] == row["task"]:
                    inside = fact.high if np.isfinite(fact.high) else fact.low
                    beyond = fact.high + 1 if np.isfinite(fact.high) else fact.low - 1
                    found[fact.metric] = inside if holds else beyond
            return found

        return metrics

    return made


def _of_rnmfd(holds):
    """The facts; and a residual that falls from the shorter fits to the longer ones, or rises."""
    of_facts = _facts(of_rnmfd.FACTS)(holds)

    def metrics(row, rng):
        found = of_facts(row, rng)
        if row["method"] == of_rnmfd.SHORTER:
            found["kkt-residual"] = 0.5
        return found

    return metrics


OUTCOMES = {
    "anp/lemmas": _facts(of_anp.FACTS, **{"spread-of-optima": (0.1, 0.0)}),
    "rnmfd/lemmas": _of_rnmfd,
    "robust-xray/lemmas": _facts(
        of_robust_xray.FACTS,
        **{
            "lemma-failures": (0.0, 9.0),
            "selections": (20.0, 20.0),
            "mean-share-of-zeros": (0.05, 0.9),
        },
    ),
}
"""By artefact: from whether the claims hold to a function from a trial to its metrics."""
