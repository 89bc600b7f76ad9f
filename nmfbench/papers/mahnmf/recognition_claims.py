"""Claims on recognition in six conditions: who is ahead, who is robust, and who nearly perfect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, better, not_worse, per_repeat
from nmfbench.artefacts.finding import with_evidence
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.protocols import best
from nmfbench.artefacts.region import Bounds, Margin
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, KL, LEVEL, MAH, NOISY, PCA
from nmfbench.papers.mahnmf.faces_claims import at_levels, claim_on, slug
from nmfbench.papers.mahnmf.recognition import (
    ACCURACY,
    ALGORITHMS,
    KEPT,
    OUTLIERS,
    PERFECT,
    ROBUST,
    SAME_IMAGES,
)
from nmfbench.problems.faces import CONDITIONS

_PANELS = dict(zip(product(ALGORITHMS, CONDITIONS), "abcdefghijkl", strict=True))
_BY = ("n_components",)  # methods have not all run at the same ranks


@dataclass(frozen=True)
class Claims:
    """Claims on the panels of one algorithm, as said of one method at one place of the paper."""

    method: str
    algorithm: str
    source: str

    def ahead(self, condition: str, rivals: Sequence[str] = (EUC, KL)) -> Claim:
        """Its accuracy is above the accuracy of all ``rivals``.

        Where noise is not heavy-tailed, at each of its levels: with little of it, it may be ahead
        as without noise, and with much of it behind.
        """

        def best_at(condition):
            return always_best(self.method, rivals, ACCURACY, _BY, at=self._at(condition))

        light = condition in ("Gaussian", "Poisson")
        test = at_levels(condition, best_at) if light else best_at(condition)
        statement = f"{self.method} is ahead of {' and '.join(rivals)}."
        return self._on_panel("ahead", condition, statement, test)

    def above_pca(self, region: Margin | None = None) -> Claim:
        """It performs well on faces in shadow, where PCA does not; they need no other noise.

        It is ahead of PCA; by a one-sided margin not behind it, where both may know all images.
        """
        at = self._at("no noise")
        test = always_best(self.method, [PCA], ACCURACY, _BY, at=at, region=region)
        panel = f"({_PANELS[self.algorithm, 'no noise']}) no noise"
        found = f"not worse than {PCA} by more than the margin" if region else f"ahead of {PCA}"
        return claim_on(
            self.method,
            f"clean-above-pca-{self.algorithm[-1]}",
            f"{panel}, {self.algorithm}: {self.method} performs well on images in shadow, in which "
            f"the accuracy of {PCA} is reduced: it is {found}.",
            "Section 5.4.2, on Figures 5 and 7",
            test,
        )

    def ahead_in_all(self, rivals: Sequence[str] = (EUC, KL)) -> Claim:
        """:meth:`ahead` under every corruption at once."""
        each = {"condition": NOISY}
        test = always_best(self.method, rivals, ACCURACY, _BY, at=self._at(), each=each)
        first, last = (_PANELS[self.algorithm, condition] for condition in (NOISY[0], NOISY[-1]))
        statement = f"{self.method} is ahead of {' and '.join(rivals)} under every corruption."
        return self._claim("corrupted-ahead", f"({first}) to ({last})", statement, test)

    def robust(self) -> Claim:
        """It keeps more of its accuracy under occlusion than its rivals do."""
        test = always_best(self.method, [EUC, KL], KEPT, _BY, at=self._at("occlusion"))
        statement = (
            f"{self.method} is robust: it keeps a larger share of its accuracy without noise "
            f"than {EUC} and {KL} do."
        )
        return self._on_panel("robust", "occlusion", statement, test)

    def behind_euc_under_gaussian(self) -> Claim:
        """It does not perform well: EucNMF is ahead, at each level of the noise."""

        def behind(condition):
            return better(EUC, self.method, ACCURACY, _BY, at=self._at(condition))

        test = at_levels("Gaussian", behind)
        statement = f"{self.method} does not perform well: {EUC} is ahead of it."
        return self._on_panel("behind", "Gaussian", statement, test)

    def as_good_as_kl(self, condition: str) -> Claim:
        """It is comparable to KLNMF, under Poisson noise at each of its levels."""

        def alike(condition):
            return not_worse(self.method, [KL], ACCURACY, _BY, at=self._at(condition))

        test = at_levels(condition, alike) if condition == "Poisson" else alike(condition)
        statement = f"{self.method} is comparable to {KL}, or better."
        return self._on_panel("as-kl", condition, statement, test)

    def almost_perfect(self, condition: str) -> Claim:
        """It classifies nearly all test images, at its best rank; at each level of any noise."""

        def perfect_at(condition):
            def at_best_rank(frame):
                rows = select_rows(frame, self._at(condition), method=self.method)
                return perfect(best(rows, ACCURACY, ["method"], ["n_components"]))

            return at_best_rank

        perfect = at_least(self.method, ACCURACY, PERFECT, measured_from=100.0)
        noisy = condition != "no noise"
        test = at_levels(condition, perfect_at) if noisy else perfect_at(condition)
        statement = f"{self.method} is almost perfect (above {PERFECT:g} % at its best rank)."
        return self._on_panel("perfect", condition, statement, test)

    def _at(self, condition=None):
        return {"algorithm": self.algorithm} | ({"condition": condition} if condition else {})

    def _on_panel(self, kind, condition, statement, test):
        name = "clean" if condition == "no noise" else slug(condition)
        noise = f"{condition}, {LEVEL[condition]}" if condition in LEVEL else condition
        panel = f"({_PANELS[self.algorithm, condition]}) {noise}"
        return self._claim(f"{name}-{kind}", panel, statement, test)

    def _claim(self, name, panel, statement, test):
        id, words = f"{name}-{self.algorithm[-1]}", f"{panel}, {self.algorithm}: {statement}"
        return claim_on(self.method, id, words, self.source, test)


def asked(questions: Callable[[Claims], list[Claim]], source: str) -> list[Claim]:
    """The same questions of MahNMF and of the hybrid, by both algorithms."""
    pairs = product((MAH, HYBRID), ALGORITHMS)
    return [claim for pair in pairs for claim in questions(Claims(*pair, source))]


def traditional_not_robust() -> list[Claim]:
    """EucNMF and KLNMF recognise fewer images under each outlier than without, by the margin.

    Any method recognises a few less.
    """
    found = []
    for algorithm in ALGORITHMS:
        clean, *noisy = ({"condition": c} for c in ("no noise", *OUTLIERS))
        at, each = {"algorithm": algorithm}, {"method": [EUC, KL]}
        test = always_best(clean, noisy, ACCURACY, _BY, at=at, each=each, region=Bounds(ROBUST))
        test = with_evidence(test, partial(_lost_by_the_same_loss, algorithm))
        found.append(
            Claim(
                f"traditional-not-robust-{algorithm[-1]}",
                f"{algorithm}: {EUC} and {KL} are not robust to outliers: under occlusion, under "
                "Laplace noise and under salt & pepper their accuracy is lower than without noise, "
                f"by more than {ROBUST:g} points.",
                "Abstract; Section 1",
                test,
            )
        )
    return found


def _lost_by_the_same_loss(algorithm, frame):
    """What outliers take from the hybrid, which minimises the loss of MahNMF."""
    clean, *noisy = (
        per_repeat(frame, {"algorithm": algorithm, "method": HYBRID, "condition": c}, ACCURACY)
        for c in ("no noise", *OUTLIERS)
    )
    lost = ", ".join(
        f"{(clean - found).mean():.3g} points under {condition}"
        for condition, found in zip(OUTLIERS, noisy, strict=True)
        if len(clean) and len(found)
    )
    return f"by the Manhattan loss ({HYBRID}) {lost} are lost" if lost else ""


def of_pseudo_inverse(source: str) -> list[Claim]:
    """Outliers in the test images take more from Algorithm 4 than the margin; Algorithm 5 copes.

    It recognises more of the same images.
    """
    clean, ours, theirs = ({"algorithm": name} for name in (*ALGORITHMS, SAME_IMAGES))
    each = {"method": [EUC, KL], "condition": OUTLIERS}
    under = f"with {EUC} and {KL} at rank 20, under occlusion, Laplace noise, and salt & pepper"
    return [
        Claim(
            "pseudo-inverse",
            "The pseudo-inverse is not robust to outliers: by the same bases Algorithm 4 "
            "recognises fewer of the test images where these are corrupted than where they are "
            f"clean, by more than {ROBUST:g} points, {under}.",
            source,
            always_best(clean, [theirs], ACCURACY, _BY, each=each, region=Bounds(ROBUST)),
        ),
        Claim(
            "pseudo-inverse-overcome",
            "Algorithm 5 overcomes this: of the same corrupted test images it recognises more "
            f"than Algorithm 4 does, {under}.",
            source,
            always_best(ours, [theirs], ACCURACY, _BY, each=each),
        ),
    ]
