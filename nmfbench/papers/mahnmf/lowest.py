"""Claims that MahNMF has the lowest of some score on faces, as the paper's and as the hybrid."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from nmfbench.artefacts.claim import Claim, Threshold, decided_by, within
from nmfbench.artefacts.comparisons import always_best
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, KL, MAH, with_condition

__all__ = ["lowest"]


def lowest(
    slug: str,
    statement: str,
    source: str,
    values: Sequence[str],
    *,
    condition: str | None = None,
    prepare: Callable[..., pd.DataFrame] = with_condition,
    threshold: Threshold | None = None,
    **columns,
) -> list[Claim]:
    """Two claims: MahNMF, and the hybrid, have lower values than EucNMF and KLNMF.

    Parameters
    ----------
    slug : str
        Their id; that of the hybrid ends on ``-hybrid``.
    statement : str
        With ``{}`` where the method is named.
    source : str
        Where the paper says it of MahNMF.
    values : sequence of str
        Metrics. The claims hold if a method has the lowest of each.
    condition : str, optional
        Of :data:`~nmfbench.papers.mahnmf.faces.CONDITIONS`; by default means over all count.
    prepare : callable, optional
        Gives the records the column ``condition``, and what else the test looks at.
    threshold : Threshold, optional
        A number that ``values`` depend on: the second argument of ``prepare``.
    **columns
        What the records' columns must be, such as ``dataset="pie"``.
    """
    hybrid = f"{source}, of MahNMF; of the hybrid, which minimises the same loss further, ours"
    if condition is not None:
        columns["condition"] = condition
    tests = [_test(method, values, prepare, threshold, columns) for method in (MAH, HYBRID)]
    return [
        Claim(slug, statement.format("MahNMF"), source, tests[0]),
        Claim(f"{slug}-hybrid", statement.format("the hybrid"), hybrid, tests[1], origin="ours"),
    ]


def _test(method, values, prepare, threshold, columns):
    compare = always_best(method, [EUC, KL], values)

    def test(records):
        # A lead is by how much a value is lower.
        return compare(records.assign(**{v: -records[v] for v in values if v in records}))

    for column, value in columns.items():
        test = within({column: value}, test)
    if threshold is None:
        return lambda records: test(prepare(records))
    return decided_by(threshold, lambda number: lambda records: test(prepare(records, number)))
