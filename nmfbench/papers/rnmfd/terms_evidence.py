"""Evidence on what each term of RNMFD buys: means of what is compared, and what became of terms."""

from __future__ import annotations

from functools import partial

from nmfbench.artefacts.finding import with_evidence
from nmfbench.artefacts.frames import select_rows
from nmfbench.papers.rnmfd.sets import SETS, name_as_printed
from nmfbench.papers.rnmfd.terms import (
    ALL,
    BOUNDED,
    CHANCE,
    DEAD,
    IN_S,
    MORE_S,
    PLACE,
    POINTS,
    S_ALONE,
)


def both_means(value, winner, loser, rows):
    """Mean values of the two that are compared."""
    means = rows.groupby("method", observed=True)[value].mean()
    return f"mean values: {winner} {means[winner]:.3g}, {loser} {means[loser]:.3g}"


def explained(test, *beside):
    """A test with the mean accuracies of RNMFD and of the methods ``beside`` in its evidence."""
    return with_evidence(test, partial(_means, beside=beside))


def _means(rows, beside):
    """Mean accuracies in the same runs, and what became of the terms of RNMFD there."""
    index = [*PLACE, "repeat"]
    wide = rows.pivot_table(index=index, columns="method", values=POINTS, observed=True)
    wide = wide[[label for label in dict.fromkeys((ALL, *beside)) if label in wide]].dropna()
    texts = [f"{label} {value:.3g}" for label, value in wide.mean().items()]
    same = select_rows(rows, method=list(wide))
    same = same[same.set_index(index).index.isin(wide.index)]
    if CHANCE in same:
        texts.append(f"{same[CHANCE].mean():.3g} by chance")
    sets = [images.label for name, images in SETS.items() if name in set(same["dataset"])]
    where = "all sets" if len(sets) == len(SETS) else " and ".join(sets)
    found = f"AC (%) on {where}: " + ", ".join(texts)
    described = next((label for label in beside if label in _DESCRIBED), ALL)
    own = select_rows(same, method=described)
    if {IN_S, DEAD} <= set(own) and len(own):
        found += f"; S of {described} holds {100 * own[IN_S].mean():.2g} % of the entries"
        if described != S_ALONE:  # which no term keeps from shrinking
            dead = own[DEAD].sum() / own["n_components"].sum()
            found += f", and {100 * dead:.2g} % of its columns have a norm below 0.3"
    return found


_DESCRIBED = (MORE_S, BOUNDED, S_ALONE, name_as_printed(ALL))
"""Of which the evidence says what became of their terms; where none is compared, RNMFD."""
