"""What Tables 3 and 4 share: one score of all methods on all sets, under three protocols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import Claim, Verdict
from nmfbench.artefacts.comparisons import always_best, better
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.protocols import (
    BASELINES,
    COMPARED,
    PROTOCOLS,
    chosen,
    in_words,
)
from nmfbench.papers.rnmfd.sets import SETS
from nmfbench.stats.ranks import wilcoxon_holm

__all__ = ["ASSUMED", "CAPTION", "claims", "draw", "summarise"]

OURS = "RNMFD"
GRAPH_ALONE = "Ncuts"
_PRINTED = "printed"
_LABELS = [c.label for c in COMPARED]
_IN_PAPER = [c.label for c in COMPARED if not c.ours]  # in the order of the printed columns
_AVERAGE, _RANK = "average", "mean rank"
_LEVEL = 0.05
_ALL = (OURS, *BASELINES)


# -- table ------------------------------------------------------------------------------------


def summarise(records: pd.DataFrame, *, artefact: str, score: str) -> pd.DataFrame:
    """Rows of one score: by data set, protocol and method.

    Columns: ``mean`` and ``std`` over ``count`` runs, in per cent; ``params``, what differs from
    the defaults; ``mark``, "above" or "below" where a method differs from RNMFD on the same runs
    (signed-rank tests after Holm's correction for the methods of the row). The protocol "printed"
    has the paper's numbers. Of the data set "average" the mean is one over data sets, and of
    "mean rank" it is the mean rank among the methods of the row, the highest score having rank 1.
    """
    parts = [_printed(artefact)]
    for protocol in PROTOCOLS:
        rows = chosen(records, protocol)
        if rows.empty:
            continue
        found = rows.groupby(["dataset", "method"], observed=True).agg(
            mean=(score, "mean"),
            std=(score, "std"),
            count=(score, "count"),
            params=("params", "first"),
        )
        found[["mean", "std"]] *= 100
        found["params"] = [in_words(params) for params in found["params"]]
        marks = {
            (dataset, label): mark
            for dataset, of_set in rows.groupby("dataset")
            for label, mark in _marks(of_set, score).items()
        }
        found["mark"] = [marks.get(place, "") for place in found.index]
        parts.append(found.reset_index().assign(protocol=protocol))
    table = pd.concat([_with_averages(part) for part in parts], ignore_index=True)
    columns = ["dataset", "protocol", "method", "mean", "std", "count", "params", "mark"]
    return table.astype({"method": str})[columns]


def _printed(artefact):
    rows = [
        {"dataset": dataset, "method": label, "mean": 100 * value}
        for dataset in SETS
        for label, value in zip(_IN_PAPER, reported(artefact, dataset).value, strict=True)
    ]
    blank = {"std": np.nan, "count": 0, "params": "", "mark": "", "protocol": _PRINTED}
    return pd.DataFrame(rows).assign(**blank)


def _with_averages(rows):
    """With means over data sets of the methods that all of them have, and mean ranks."""
    wide = rows.pivot(index="method", columns="dataset", values="mean").dropna()
    common = rows.iloc[:1].assign(std=np.nan, count=0, params="", mark="")[
        ["protocol", "std", "count", "params", "mark"]
    ]
    values = {_AVERAGE: wide.mean(axis=1), _RANK: wide.rank(ascending=False).mean(axis=1)}
    extra = [
        mean.rename("mean").reset_index().assign(dataset=name).merge(common, how="cross")
        for name, mean in values.items()
    ]
    return pd.concat([rows.astype({"method": str}), *(e.astype({"method": str}) for e in extra)])


def _marks(rows, score):
    """Which methods of a data set differ from RNMFD, after Holm's correction."""
    wide = rows.pivot(index="repeat", columns="method", values=score)
    if OURS not in wide:
        return {}
    pairs = wilcoxon_holm(wide, against=OURS)
    pairs = pairs[pairs["p_adjusted"] < _LEVEL]
    return {
        row.rival: "below" if row.effect > 0 else "above"  # the effect is that of RNMFD
        for row in pairs.itertuples()
    }


def draw(table: pd.DataFrame) -> pd.DataFrame:
    """As the paper has it, a row a data set and a column a method, with a row a protocol."""
    rows = []
    names = {_PRINTED: "the paper's", **PROTOCOLS}
    for dataset in (*SETS, _AVERAGE, _RANK):
        label = SETS[dataset].label if dataset in SETS else dataset
        for protocol, name in names.items():
            cells = table[(table["dataset"] == dataset) & (table["protocol"] == protocol)]
            if len(cells):
                cells = cells.set_index("method")
                rows.append({"": label, "parameters": name} | _cells(cells))
                label = ""
                if cells["params"].any():
                    rows.append({"": "", "parameters": "…with"} | _chosen(cells))
    return pd.DataFrame(rows)


_MARKS = {"above": " ▲", "below": " ▽", "": ""}


def _cells(cells):
    ranks, printed = cells["dataset"].iloc[0] == _RANK, cells["protocol"].iloc[0] == _PRINTED
    places = 2 if ranks or printed else 1
    best = cells["mean"].idxmin() if ranks else cells["mean"].idxmax()
    texts = {}
    for label in _LABELS:
        if label not in cells.index:
            texts[label] = ""
            continue
        cell = cells.loc[label]
        text = f"{cell['mean']:.{places}f}"
        if cell["count"] > 1:
            text += f" ± {cell['std']:.1f}"
        texts[label] = text + _MARKS[cell["mark"]] + (" *" if label == best else "")
    return texts


def _chosen(cells):
    return {label: cells["params"].get(label, "") for label in _LABELS}


# -- claims -----------------------------------------------------------------------------------

_SECTION = "Section 4.2"
_UNDER = {
    "best": "each baseline at its best parameters by test accuracy",
    "default": "all at fixed defaults",
    "stable": "all at the most stable of their candidates, chosen without labels",
}


def claims(artefact: str, score: str, name: str) -> list[Claim]:
    """Claims of Section 4.2 on one score.

    Parameters
    ----------
    artefact : str
    score : str
        Its metric.
    name : str
        In words.
    """
    table = artefact.partition("/")[2].replace("table", "Table ")
    found = []
    for dataset, images in SETS.items():
        for protocol in ("best", "default"):
            test = _on(protocol, _ALL, always_best(OURS, BASELINES, [score]), dataset, score)
            found.append(
                Claim(
                    f"{dataset}-{protocol}",
                    f"{images.label}: RNMFD has a higher {name} than each of the nine other "
                    f"methods of the paper, {_UNDER[protocol]}.",
                    f"{_SECTION}, {table}",
                    test,
                    reported(artefact, dataset).text,
                )
            )
    for protocol in PROTOCOLS:
        best = always_best(OURS, BASELINES, [score], by=["dataset"])
        test = _on(protocol, _ALL, best, None, score)
        found.append(
            Claim(
                f"average-{protocol}",
                f"On average over the five sets RNMFD has a higher {name} than each of the nine "
                f"others, {_UNDER[protocol]}.",
                f"{_SECTION}, {table}",
                test,
                reported(artefact, _AVERAGE).text,
            )
        )
    found += [
        _comparison(winner, rivals, why, protocol, score, name, f"{_SECTION}, {point}, {table}")
        for point, why, winner, rivals in (
            ("first point", "locality helps", "GNMF", ["NMF"]),
            ("first point", "locality helps", OURS, ["NMF"]),
            ("second point", "a sparse part for noise helps", "RCC", ["GNMF", "DNMF"]),
            ("second point", "a sparse part for noise helps", OURS, ["GNMF", "DNMF"]),
            ("third point", "no trivial solution helps", "IGNMF", ["GNMF", "DNMF"]),
            (
                "fourth point",
                "discriminative information helps",
                "NSDR",
                [label for label in BASELINES if label != "NSDR"],
            ),
        )
        for protocol in ("best", "default")
    ]
    found += [
        Claim(
            f"{dataset or 'average'}-graph-alone",
            f"{SETS[dataset].label if dataset else 'On average over the five sets'}: RNMFD has a "
            f"higher {name} than normalised cuts of the graph it is given, {_UNDER['default']}.",
            "ours",
            _on(
                "default", [OURS], better(OURS, GRAPH_ALONE, score, by=["dataset"]), dataset, score
            ),
            origin="ours",
        )
        for dataset in (*SETS, None)
    ]
    return found


def _comparison(winner, rivals, why, protocol, score, name, source):
    others = "all other baselines" if len(rivals) > 2 else " and ".join(rivals)
    return Claim(
        f"{winner.lower()}-over-{'baselines' if len(rivals) > 2 else '-'.join(rivals).lower()}"
        f"-{protocol}",
        f"{why.capitalize()}: on average over the sets {winner} has a higher {name} than {others}, "
        f"{_UNDER[protocol]}.",
        source,
        _on(
            protocol,
            [winner, *rivals],
            always_best(winner, rivals, [score], by=["dataset"]),
            None,
            score,
        ),
    )


def _on(
    protocol: str, methods: Sequence[str], test: Callable, dataset: str | None, score: str
) -> Callable:
    """A test on the records that a protocol chooses, with what explains its verdict."""

    def explained(records):
        # A choice looks at one method and data set, whichever others there are.
        rows = chosen(records, protocol)
        rows = rows[rows["method"].isin([*methods, GRAPH_ALONE])]
        if dataset is not None:
            rows = rows[rows["dataset"] == dataset]
        verdict: Verdict = test(rows)
        if verdict.verdict in ("confirmed", "not run"):
            return verdict
        text = _explanation(rows, methods[0], score)
        return replace(verdict, evidence=f"{verdict.evidence}. {text}")

    return explained


def _explanation(rows, subject, score):
    """Scores of the best methods and of the graph alone, and whether RNMFD lost columns."""
    means = 100 * rows.groupby(["method", "dataset"], observed=True)[score].mean().unstack()
    means = means.dropna().mean(axis=1).sort_values(ascending=False)
    listed = [*means.index[:3], *(m for m in (subject, GRAPH_ALONE) if m in means.index[3:])]
    text = "Per cent: " + ", ".join(f"{label} {means[label]:.1f}" for label in listed)
    text += f" ({GRAPH_ALONE} is the graph alone)"
    own = rows[rows["method"] == OURS]
    if subject == OURS and "orthogonality-gap" in own:
        dead, gap = own["n-dead-components"].mean(), own["orthogonality-gap"].mean()
        text += f"; {dead:.1f} columns of RNMFD are near zero, and ‖WᵀW − I‖ is {gap:.1f}"
    return text


ASSUMED = sets.ASSUMED | {
    "best on the test": "The paper's protocol: baselines at the parameters of the highest mean "
    "test accuracy (of p in 1..9 and weights from 0.01 to 1000; NSDR's and NLCF's from 0.01 to a "
    "million), and for RNMFD, whose sparse part the paper weighs as fits the data, the best of "
    "three rules (95 % quantile, robust deviation, no sparse part). NMI is that of the parameters "
    "with the best accuracy. The quick profile searches the four candidates below instead.",
    "defaults": "No label is looked at: weight 100 for the graph terms of GNMF, DNMF, IGNMF and "
    "RNMFD, 1 for those of RCC and DRCC, 1 for NSDR, 0.1 for NLCF, 0.01 for ANP; p = 5.",
    "most stable": "No label is looked at: of four weights, a power of ten apart, the one whose "
    "clusters agree most from run to run (mean NMI of pairs of the first five runs; ties to the "
    "smaller weight). Ncuts has four numbers of neighbours. K-means, NMF and LNMF have no weight. "
    "Collapse is stable, too: the rule takes NLCF and DNMF to weights that leave no clusters.",
    "lambda": "The paper sets it as fits each data set, and does not say how. Twice the 95 % "
    "quantile of the errors of plain NMF, unless said otherwise.",
    "baselines": "Only named in the paper: their problems are as commonly published. Ncuts, DRCC "
    "and ANP are not in the paper's table.",
    "NMI": "Divided by the geometric mean of the entropies, as Gu, Ding & Han (2011), to whom the "
    "paper refers, do.",
}

CAPTION = (
    "{}, in per cent: mean ± standard deviation over runs, below the paper's number the same at "
    "parameters chosen in three ways, and what of these differs from the defaults. "
    "An asterisk marks the highest of a row; ▲ and ▽ are significantly above and below RNMFD on "
    "the same runs (signed-rank tests, Holm's correction, 5 %), which takes ten runs or so. Ncuts, "
    "normalised cuts of the same graph, shows what the graph gives by itself; it, DRCC and ANP are "
    "not in the paper's table."
)
