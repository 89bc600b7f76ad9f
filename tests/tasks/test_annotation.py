"""Annotation against brute force, hand-made cases and nearest neighbours of scikit-learn."""

from collections import Counter
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import Bunch
from third_party import real
from verdicts import verdict_of

from nmfbench.datasets.base import load_dataset
from nmfbench.engine.perform import perform
from nmfbench.papers.or_nmf import fig12, table3
from nmfbench.papers.or_nmf.annotation import ONLINE, whole
from nmfbench.papers.or_nmf.annotation_scores import COSINE, EUCLIDEAN, FREQUENT, LEARNING
from nmfbench.papers.or_nmf.readings import one_by_one
from nmfbench.records.store import Store
from nmfbench.solvers import make_solver
from nmfbench.tasks.annotation import (
    annotation,
    joint_distances,
    nearest,
    tag_scores,
    transfer_tags,
)
from nmfbench.trials.trial import Trial
from nmfbench.verdicts.evaluate import evaluate


def tags_of(*rows, vocabulary):
    """Binary tags, one row per image."""
    Y = np.zeros((len(rows), vocabulary), dtype=bool)
    for image, row in enumerate(rows):
        Y[image, list(row)] = True
    return Y


def transfer_slowly(near, images, k, rule):
    """Label transfer with sets and sorted lists; ``images`` are sets of tags."""
    f = Counter(tag for image in images for tag in image)
    chosen = sorted(images[near[0]], key=lambda tag: (-f[tag], tag))[:k]
    local = Counter(tag for i in near[1:] for tag in images[i] if tag not in images[near[0]])

    def weight(tag):
        if rule == "local":
            return local[tag]
        joint = [sum(s in i and tag in i for i in images) / f[s] for s in chosen]
        return round(sum(joint) * local[tag], 12)

    chosen += sorted(local, key=lambda tag: (-weight(tag), -f[tag], tag))
    return (chosen + [-1] * k)[:k]


class Given(BaseEstimator):
    """An estimator whose components are given; it keeps what it was fitted on."""

    def __init__(self, components=None, n_components=None):
        self.components, self.n_components = components, n_components

    def fit(self, X):
        self.seen_ = X
        self.components_ = np.eye(X.shape[1]) if self.components is None else self.components
        return self


def images(seed=0, n=30, n_train=20, m=6, vocabulary=8, p=0.3):
    """Random data with two views."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, vocabulary)) < p).astype(np.uint8)
    return Bunch(X=rng.random((n, m)), Y=Y, n_train=n_train)


# -- transfer ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["local", "cooccurrence"])
@pytest.mark.parametrize("n_neighbors", [1, 2, 5])
def test_transfer_is_that_of_sorted_lists(rule, n_neighbors):
    """Sets and sorted lists give the same tags, with images without tags among the neighbours."""
    rng = np.random.default_rng(0)
    for p in (0.05, 0.2, 0.5):
        Y = rng.random((40, 12)) < p
        near = np.array([rng.permutation(40)[:n_neighbors] for _ in range(50)])
        sets = [set(np.flatnonzero(row).tolist()) for row in Y]
        found = transfer_tags(near, Y, 5, rule)
        assert found.tolist() == [transfer_slowly(row, sets, 5, rule) for row in near.tolist()]


def test_transfer_by_hand():
    """The nearest image gives its tags by frequency; then votes decide, or co-occurrence.

    Frequencies of the tags 0 to 4 are 1, 3, 2, 3, 2. After 1 and 0, tag 2 has two votes, tags 3
    and 4 have one each; but 0 and 1 never occur with 4, tag 1 does with 2 and 3.
    """
    Y = tags_of({0, 1}, {1, 2}, {2, 3}, {4}, {1, 3}, {3, 4}, vocabulary=5)
    near = np.array([[0, 1, 2, 3]])
    assert transfer_tags(near, Y).tolist() == [[1, 0, 2, 3, 4]]
    assert transfer_tags(near, Y, 3).tolist() == [[1, 0, 2]]
    # Two votes for 4, one for 2 and 3: together with 1 in one image of three each.
    near = np.array([[0, 1, 3, 5]])
    assert transfer_tags(near, Y).tolist() == [[1, 0, 4, 3, 2]]
    assert transfer_tags(near, Y, rule="cooccurrence").tolist() == [[1, 0, 3, 2, 4]]


def test_an_image_with_many_tags_gives_the_most_frequent_ones():
    """Of six tags five are taken, ties by number, and no other image is used."""
    Y = tags_of(range(6), {5}, {5}, {7}, vocabulary=8)
    assert transfer_tags(np.array([[0, 3]]), Y).tolist() == [[5, 0, 1, 2, 3]]


def test_an_unknown_rule_is_named():
    """An unknown rule is an error that lists the known ones."""
    with pytest.raises(ValueError, match="'local', 'cooccurrence', got 'global'"):
        transfer_tags(np.array([[0]]), np.ones((1, 1), dtype=bool), rule="global")


# -- scores -----------------------------------------------------------------------------------


def test_scores_by_hand():
    """Of 10 tags: two of three right with three wrong; none right of two; no answer at all."""
    Y = tags_of({0, 1, 2}, {3, 4}, {0}, vocabulary=10)
    predicted = np.array([[0, 1, 7, 8, 9], [0, 1, -1, -1, -1], [-1] * 5])
    scores = tag_scores(predicted, Y)
    assert scores["ac"] == pytest.approx((2 / 5 + 0 + 0) / 3)
    assert scores["rc"] == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert scores["ns"] == pytest.approx((2 / 3 - 3 / 7 - 2 / 8) / 3)
    assert scores["all-tags"] == 0
    # Tags 0 to 4 occur, 0 twice; 0 and 1 are each answered twice, once rightly.
    assert scores["tag-precision"] == pytest.approx((1 / 2 + 1 / 2) / 5)
    assert scores["tag-recall"] == pytest.approx((1 / 2 + 1) / 5)
    assert scores["n-plus"] == 2


def test_scores_are_those_of_loops():
    """Loops over images and over tags give the same scores of random answers."""
    rng = np.random.default_rng(1)
    Y = rng.random((60, 9)) < 0.25
    predicted = np.array([rng.permutation(9)[:4] for _ in Y])
    predicted[rng.random(predicted.shape) < 0.3] = -1
    by_image, tagged = [], [i for i in range(60) if Y[i].any()]
    for i in tagged:
        answer, true = {t for t in predicted[i] if t >= 0}, set(np.flatnonzero(Y[i]))
        r, w, n = len(answer & true), len(answer - true), len(true)
        by_image.append((r / (r + w) if answer else 0, r / n, r / n - w / (9 - n), r == n))
    by_tag = []
    for t in range(9):
        true = {i for i in tagged if Y[i, t]}
        answered = {i for i in tagged if t in predicted[i]}
        hits = len(true & answered)
        by_tag.append((hits / max(len(answered), 1), hits / len(true), hits > 0))
    scores = tag_scores(predicted, Y)
    expected = [*np.mean(by_image, axis=0), *np.mean(by_tag, axis=0)[:2], sum(b[2] for b in by_tag)]
    assert len(tagged) < 60
    np.testing.assert_allclose(list(scores.values()), expected)


def test_images_without_tags_are_left_out():
    """An image without tags changes no score; images that all have none cannot be scored."""
    Y = tags_of({0}, {1, 2}, vocabulary=4)
    predicted = np.array([[0, 3], [1, 3]])
    more = np.vstack([Y, np.zeros(4, dtype=bool)]), np.vstack([predicted, [2, 1]])
    assert tag_scores(more[1], more[0]) == tag_scores(predicted, Y)
    with pytest.raises(ValueError, match="no image has a tag"):
        tag_scores(predicted, np.zeros_like(Y))


def test_an_image_with_every_tag_of_the_vocabulary_has_no_wrong_ones():
    """The normalized score is the recall where no wrong tag exists."""
    scores = tag_scores(np.array([[0, -1]]), np.ones((1, 2), dtype=bool))
    assert scores["ns"] == scores["rc"] == 0.5


# -- distances --------------------------------------------------------------------------------


def test_joint_distances_are_scaled_by_the_training_pairs():
    """Each feature counts in units of the largest distance between two training samples."""
    rng = np.random.default_rng(2)
    features = [(rng.random((4, d)), scale * rng.random((9, d))) for d, scale in ((3, 1), (2, 50))]
    expected = np.zeros((4, 9))
    for test, train in features:
        top = max(np.linalg.norm(a - b) for a, b in combinations(train, 2))
        expected += cdist(test, train) / top / 2
    np.testing.assert_allclose(joint_distances(features), expected, atol=1e-9)


def test_ties_go_to_the_lower_row_in_spite_of_rounding():
    """Binary rows at equal distances come in their order, however the space is turned."""
    rng = np.random.default_rng(3)
    X = (rng.random((60, 12)) < 0.3).astype(float)
    X[30:40] = X[:10]  # the same image twice: at distance 0, or at the same
    turn = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    exact = ((X[50:, None] != X[None, :50]).sum(axis=2)).argsort(axis=1, kind="stable")[:, :7]
    for Q in (np.eye(12), turn):
        found = nearest(joint_distances([(X[50:] @ Q, X[:50] @ Q)]), 7)
        np.testing.assert_array_equal(found, exact)


def test_equal_codes_are_at_distance_zero():
    """Bases of zeros code all images alike, and the first ones are the nearest."""
    data = images()
    outcome = annotation(data, Given(np.zeros((2, 6))), np.random.default_rng(0))
    assert outcome.metrics["rank"] == 0
    expected = transfer_tags(np.tile(np.arange(5), (10, 1)), data.Y[:20].astype(bool))
    np.testing.assert_array_equal(outcome.arrays["predicted"], expected)


# -- the task ---------------------------------------------------------------------------------


def test_bases_are_learned_on_training_images_of_unit_length():
    """Solvers see training rows only, of unit length; with ``n_learn`` a part, drawn alike."""
    data, solver = images(), Given()
    unit = data.X / np.linalg.norm(data.X, axis=1, keepdims=True)
    annotation(data, solver, np.random.default_rng(0))
    np.testing.assert_allclose(solver.seen_, unit[:20])
    annotation(data, solver, np.random.default_rng(0), unit_samples=False)
    np.testing.assert_array_equal(solver.seen_, data.X[:20])
    seen = []
    for _ in range(2):
        annotation(data, solver, np.random.default_rng(0), n_learn=7)
        seen.append(solver.seen_)
    np.testing.assert_array_equal(*seen)
    assert len(np.unique(seen[0], axis=0)) == 7
    assert (cdist(seen[0], unit[:20]).min(axis=1) < 1e-12).all()


def test_codes_are_least_squares_coefficients_with_signs():
    """Neighbours agree with ``lstsq`` codes on dependent bases, whose rank is counted."""
    data = images()
    H = np.random.default_rng(4).random((3, 6))
    H = np.vstack([H, H[0] + H[1]])
    outcome = annotation(data, Given(H), np.random.default_rng(0), unit_samples=False)
    codes = np.linalg.lstsq(H.T, data.X.T, rcond=1e-10)[0].T
    assert codes.min() < 0
    near = NearestNeighbors(n_neighbors=5).fit(codes[:20]).kneighbors(codes[20:])[1]
    Y = data.Y.astype(bool)
    np.testing.assert_array_equal(outcome.arrays["predicted"], transfer_tags(near, Y[:20]))
    assert outcome.metrics["rank"] == 3


def test_views_are_features_of_their_own():
    """With two views there are two fits, and distances are joint."""
    data = images()
    views = [slice(0, 2), slice(2, 6)]
    outcome = annotation(Bunch(**data, views=views), Given(), None, unit_samples=False)
    pairs = [(data.X[20:, view], data.X[:20, view]) for view in views]
    near = nearest(joint_distances(pairs), 5)
    Y = data.Y.astype(bool)
    np.testing.assert_array_equal(outcome.arrays["predicted"], transfer_tags(near, Y[:20]))
    assert outcome.metrics["rank"] == 6


def test_the_baseline_answers_the_most_frequent_training_tags():
    """Its scores equal a constant answer's; arrays have what a table needs."""
    data = images()
    outcome = annotation(data, Given(), None)
    order = sorted(range(8), key=lambda tag: (-int(data.Y[:20, tag].sum()), tag))
    scores = tag_scores(np.tile(order[:5], (10, 1)), data.Y[20:].astype(bool))
    assert {name: outcome.metrics[f"{name}-frequent"] for name in scores} == scores
    np.testing.assert_array_equal(outcome.arrays["frequency"], data.Y[:20].sum(axis=0))
    recall, frequent = [], []
    for row, predicted, tags in zip(
        data.Y[20:], outcome.arrays["predicted"], outcome.arrays["tags"], strict=True
    ):
        true = set(np.flatnonzero(row))
        assert {tag for tag in tags if tag >= 0} == true
        for found, answer in ((recall, predicted), (frequent, order[:5])):
            found.append(len(true & set(answer)) / max(len(true), 1))
    np.testing.assert_allclose(outcome.arrays["recall"], recall)
    np.testing.assert_allclose(outcome.arrays["recall-frequent"], frequent)


def test_corel_has_its_split():
    """The first rows train; as many tags occur in the test rows as quoted for the usual split."""
    stand_in = load_dataset("corel5k", stand_in=True)
    assert (stand_in.n_train, len(stand_in.X)) == (480, 600)
    data = real("corel5k")
    train, test = data.Y[: data.n_train], data.Y[data.n_train :]
    occurs = train.any(axis=0), test.any(axis=0)
    assert (len(train), len(test)) == (4500, 500)
    assert [int(o.sum()) for o in (*occurs, occurs[0] & occurs[1])] == [371, 263, 260]


# -- the artefacts ----------------------------------------------------------------------------


def test_pca_of_full_rank_is_the_features_themselves():
    """Its neighbours agree with the features': Hamming distances, and cosines of unit rows."""
    data = load_dataset("corel5k", stand_in=True)
    n, Y = data.n_train, data.Y.astype(bool)
    unit = data.X / np.linalg.norm(data.X, axis=1, keepdims=True)
    hamming = cdist(data.X[n:], data.X[:n], "hamming").round(12)
    cosine = (1 - unit[n:] @ unit[:n].T).round(12)
    for trial, distances in zip(whole("smoke"), (cosine, hamming), strict=True):
        expected = transfer_tags(nearest(distances, 5), Y[:n])
        np.testing.assert_array_equal(perform(trial).arrays["predicted"], expected)


def test_baselines_stand_at_every_dimensionality(smoke_store):
    """A baseline without a rank or a repeat has the same score in all places of the methods."""
    with Store(smoke_store, create=False) as store:
        frame = fig12.frame(evaluate(fig12.ARTEFACT, store, profile="smoke").records)
    recall = frame[frame["kind"] == "RC"]
    places = set(zip(recall["dimensionality"], recall["repeat"], strict=True))
    assert places == {(10.0, 0), (10.0, 1), (30.0, 0), (30.0, 1)}
    counts = recall.groupby("method").size()
    assert set(counts) == {len(places)}
    assert set(ONLINE) | {COSINE, EUCLIDEAN, FREQUENT} <= set(counts.index)
    for method in (COSINE, EUCLIDEAN, FREQUENT):
        assert recall.loc[recall["method"] == method, "score (%)"].nunique() == 1


def test_claims_look_at_the_longer_learning_and_at_test_images():
    """Two passes decide where the grid has them; evidence of recall is over images."""
    places = [(learning, repeat) for learning in LEARNING for repeat in range(5)]
    pairs = one_by_one("OR-NMF", "MOR-NMF").values()
    ahead = {side: side in dict(pairs) for pair in pairs for side in pair}
    rows = [
        {
            "learning": learning,
            "kind": kind,
            "method": method,
            "dimensionality": 10.0,
            "repeat": repeat,
            "score (%)": 20.0 + lead * first + 0.1 * repeat * (not first),
            "arrays": {"recall": np.array([0.0, 1.0]) + first * 0.25},
        }
        for learning, repeat in places
        for lead in [5.0 if learning == LEARNING[0] else -5.0]
        for kind in ("AC", "RC", "NS")
        for method, first in ahead.items()
    ]
    frame = pd.DataFrame(rows)
    (claim,) = (claim for claim in fig12.ARTEFACT.claims if claim.id == "mor")
    verdict = verdict_of(claim.test, frame)
    assert verdict.verdict == "confirmed"
    assert "the lead in RC over MOR-NMF is 25 (95 % interval 25 to 25)" in verdict.evidence
    shorter = frame[frame["learning"] == LEARNING[1]]
    assert verdict_of(claim.test, shorter).verdict == "refuted"


def test_a_grid_of_baselines_alone_has_empty_panels(smoke_store):
    """While no method has finished there is nothing to draw, and no error."""
    with Store(smoke_store, create=False) as store:
        records = evaluate(fig12.ARTEFACT, store, profile="smoke").records
    table = fig12.table(fig12.frame(records[records["n_components"].isna()]))
    assert len(table) == 0
    figure = fig12.draw(table)
    assert len(figure.axes) == 6
    plt.close(figure)


def test_the_table_of_tags_agrees_with_the_scores(smoke_store):
    """Six images are shown; what is marked right is true, and the share is the task's."""
    with Store(smoke_store, create=False) as store:
        found = evaluate(table3.ARTEFACT, store, profile="smoke")
    table, records = found.table, found.records
    data = load_dataset("corel5k", stand_in=True)
    shown = table3.draw(table)
    assert table["image"].nunique() == 6
    for row in table.itertuples():
        assert row.true == bool(data.Y[data.n_train + row.image, row.tag])
        assert row.frequency == data.Y[: data.n_train, row.tag].sum()
    assert table["share"].iloc[0] == pytest.approx(100 * records["all-tags"].mean())
    marked = sum(text.count("*") for text in shown["tags predicted"])
    assert marked == int((table["true"] & (table["place"] > 0)).sum())


def test_untrained_bases_depend_on_the_seed_alone():
    """The start is the same whatever there is to learn from, so that one row serves all."""
    trials = [
        Trial("annotation", "corel5k", "random-bases", options=options, stand_in=True)
        for options in ({"n_components": 5}, {"n_components": 5, "n_learn": 40})
    ]
    found = [perform(trial).arrays["predicted"] for trial in trials]
    np.testing.assert_array_equal(*found)
    assert make_solver("random-bases").n_epochs == 2
