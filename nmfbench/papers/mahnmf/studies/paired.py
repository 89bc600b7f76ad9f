"""The fits on corrupted faces as paired differences: which methods differ beyond chance?"""

from __future__ import annotations

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.estimate import Estimate
from nmfbench.artefacts.finding import Finding, Test
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.region import Lead
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, KL, METHODS, NAMES, trials_on_faces
from nmfbench.papers.mahnmf.faces_claims import slug
from nmfbench.papers.mahnmf.studies.paired_differences import ACCURACIES, DATASETS, OURS, compare
from nmfbench.papers.mahnmf.studies.paired_figure import draw, scores


def trials(profile):
    """Trials of Figures 5 and 7 and of Table 1, at every rank: no fit is this artefact's own."""
    return [
        trial
        for dataset in DATASETS
        for task in ("recognition", "reconstruction")
        for trial in trials_on_faces(task, dataset, profile)
    ]


def _significant(method, **place) -> Test:
    """``method`` is ahead of EucNMF and KLNMF, by t tests over splits."""

    def test(comparisons):
        found = select_rows(comparisons, place, method=method, rival=[EUC, KL])
        if len(found) < 2:
            text = "no split of this grid has both sides of both comparisons"
            return Finding.without("not run", text)
        leads = [
            Estimate(row.mean, row.error, row.count - 1, row.count, "points", row.rival)
            for row in found.itertuples(index=False)
        ]
        text = f"smallest lead of {method} {{}} percentage points, over {{name}}"
        notes = [
            f"Wilcoxon signed-rank tests: {row.rival} p = {row.p:.2g}"
            for row in found.itertuples(index=False)
        ]
        return Finding(text, leads, Lead(), unit="splits", notes=notes)

    return test


def _claims(dataset, conditions, source):
    return [
        Claim(
            f"{dataset}-{slug(condition)}-{metric[-1]}{'-hybrid' if method == HYBRID else ''}",
            f"{NAMES[dataset]}, {condition}, {algorithm}: {method} significantly outperforms both "
            f"{EUC} and {KL}.",
            f"ours, after {source}, whose own claim has the same test",
            _significant(method, dataset=dataset, condition=condition, metric=metric),
            origin="ours",
        )
        for condition in conditions
        for method in OURS
        for metric, algorithm in ACCURACIES.items()
    ]


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/paired",
        title="Methods on corrupted faces, as paired differences",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=compare,
        table=lambda comparisons: comparisons,
        picture=draw,
        scores=scores,
        claims=[
            *_claims("yaleb", ["Laplace", "salt & pepper"], "Section 5.2.1, Figure 5"),
            *_claims("pie", ["occlusion", "Laplace", "salt & pepper"], "Section 5.2.2, Figure 7"),
        ],
        planned=Plan(10, "As in the paper's grid: a repeat takes an hour of CPU time."),
        matters={"points": 2.0},
        assumed=faces.ASSUMED
        | {
            "significantly": "The paper names no test. Verdicts are by t tests over splits, as "
            "everywhere, so that the paper's sentences are decided with Figures 5 and 7, on the "
            "same leads; here they are asked again beside signed-rank tests. The picture has "
            "two-sided Wilcoxon signed-rank tests, corrected by Holm's procedure for the "
            "comparisons of one method on one data set by one metric (three rivals in six "
            "conditions: 18), of which no fewer than ten splits can be significant.",
            "lengths of components": faces.UNIT_LENGTH,
            "one observation": "A split: differences at the ranks of a split are averaged, over "
            "those that both methods were run at.",
        },
        caption="How much better MahNMF and its hybrid are than EucNMF and KLNMF, in percentage "
        "points of accuracy, and of relative error (less is better), on the same split at the same "
        "rank: means over splits with 95 % t intervals. The table has both algorithms, training "
        "images, and PCA. Filled: significant by the Wilcoxon signed-rank "
        "test after Holm's correction over 18 comparisons. Of fewer than ten splits none can be, "
        "however clear the difference.",
    )
)
