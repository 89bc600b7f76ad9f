"""Scores of segmentations against brute force, and the task on images whose answer is known."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import maximum_bipartite_matching
from sklearn.utils import Bunch

from nmfbench.metrics.contrast import bound_share, class_contrast
from nmfbench.metrics.segmentation import (
    boundaries,
    boundary_scores,
    connected_segments,
    covering,
    human_scores,
    n_pieces,
    object_iou,
    rand_index,
    segmentation_scores,
    variation_of_information,
)
from nmfbench.optim.kernels.bipartite_matching import bipartite_matching
from nmfbench.optim.pixel_graphs import corrupted_affinity, pixel_affinity
from nmfbench.solvers import make_solver
from nmfbench.tasks.pixels import cluster_rows, pixels_of
from nmfbench.tasks.segmentation import _pictures, segmentation


def drawn(seed, shape=(6, 6), k=3):
    return np.random.default_rng(seed).integers(0, k, shape)


def test_pri_is_the_mean_agreement_of_pairs():
    """On 6 x 6 pixels it is the share of pairs, weighted by how many humans join them."""
    for seed in range(4):
        found, humans = drawn(seed), [drawn(10 + seed + i, k=2 + i) for i in range(3)]
        total = 0.0
        pairs = list(itertools.combinations(np.ndindex(6, 6), 2))
        for a, b in pairs:
            p = np.mean([human[a] == human[b] for human in humans])
            total += p if found[a] == found[b] else 1 - p
        assert segmentation_scores(found, humans)["pri"] == pytest.approx(total / len(pairs))


def test_covering_is_its_definition():
    """Best overlaps of the true segments, weighted by their sizes; the two sides differ."""
    found, truth = drawn(0, k=4), drawn(1)
    total = 0.0
    for label in range(3):
        R = truth == label
        total += R.sum() * max(
            (R & (found == c)).sum() / (R | (found == c)).sum() for c in range(4)
        )
    assert covering(found, truth) == pytest.approx(total / 36)
    assert covering(found, truth) != pytest.approx(covering(truth, found))


def test_variation_of_information_is_a_metric():
    """It is zero for equal partitions alone, symmetric, and obeys the triangle inequality."""
    parts = [drawn(seed, (3, 4), 1 + seed % 4) for seed in range(12)]
    for a, b in itertools.product(parts, repeat=2):
        distance = variation_of_information(a, b)
        assert distance == pytest.approx(variation_of_information(b, a), abs=1e-12)
        assert (distance < 1e-9) == (rand_index(a, b) == 1)
        for c in parts:
            way = variation_of_information(a, c) + variation_of_information(c, b)
            assert distance <= way + 1e-9


def test_known_values():
    """A copy is perfect; one segment has the entropy of the truth, and no boundary."""
    truth = drawn(3, (30, 40), 4) // 2 + np.arange(40) // 20
    same = segmentation_scores(truth + 7, [truth])
    assert same["covering"] == same["pri"] == same["boundary-f"] == 1
    assert same["vi"] == pytest.approx(0, abs=1e-12)
    p = np.bincount(truth.ravel()) / truth.size
    one = segmentation_scores(np.zeros_like(truth), [truth])
    assert one["vi"] == pytest.approx(-np.sum(p * np.log2(p)))
    assert one["boundary-recall"] == one["boundary-f"] == 0
    assert boundary_scores(np.zeros((4, 4)), [np.ones((4, 4))]) == (1, 1, 1)
    assert boundary_scores(truth, [np.zeros_like(truth)]) == (0, 0, 0)


def test_a_matching_is_largest():
    """On random pairs, with empty rows too, it has the size of scipy's, and each is used once."""
    rng = np.random.default_rng(0)
    for density in (0.02, 0.1, 0.4):
        for _ in range(20):
            allowed = sp.csr_array(rng.random((30, 25)) < density)
            partners = bipartite_matching(allowed.indptr, allowed.indices, 25)
            wanted = maximum_bipartite_matching(allowed.astype(int), perm_type="column")
            assert (partners >= 0).sum() == (wanted >= 0).sum()
            used = np.flatnonzero(partners >= 0)
            assert allowed.toarray()[used, partners[used]].all()
            assert len(np.unique(partners[used])) == len(used)


def test_boundary_pixels_match_one_to_one_within_the_tolerance():
    """The numbers equal an assignment over all pairs; a pixel is right if any human drew it."""
    rng = np.random.default_rng(1)
    shape = (120, 160)  # a tolerance of 1.5 pixels
    base = (np.add.outer(np.arange(120), np.arange(160)) // 60) % 3
    found = np.roll(base, 1, axis=0)
    truths = [base, np.roll(base, rng.integers(2, 4), axis=1)]
    points = np.argwhere(boundaries(found))
    right, pairs, total = set(), 0, 0
    for truth in truths:
        others = np.argwhere(boundaries(truth))
        near = np.hypot(*(points[:, None] - others).transpose(2, 0, 1)) <= 0.0075 * 200
        rows, columns = linear_sum_assignment(near, maximize=True)
        pairs += near[rows, columns].sum()
        right |= set(rows[near[rows, columns]])
        total += len(others)
    precision, recall, f = boundary_scores(found, truths)
    assert recall == pytest.approx(pairs / total)
    assert precision >= len(right) / len(points) - 0.02  # there are several largest matchings
    assert f == pytest.approx(2 * precision * recall / (precision + recall))
    assert found.shape == shape


def test_an_object_is_the_largest_segment_inside():
    """Segments at the border are none; of two inside the larger counts."""
    truth = np.zeros((8, 8), dtype=int)
    truth[1:3, 1:3], truth[4:7, 3:7] = 1, 2
    found = np.zeros_like(truth)
    found[4:7, 3:5] = 9
    assert object_iou(found, truth) == 0.5
    assert "object-iou" not in segmentation_scores(found, [np.arange(64).reshape(8, 8) // 32])


def test_humans_are_scored_against_the_others():
    """With two, each against the other; agreeing humans are a perfect ceiling."""
    a, b = drawn(0), drawn(1)
    found = human_scores([a, b])
    assert found["covering"] == pytest.approx((covering(a, b) + covering(b, a)) / 2)
    assert human_scores([a, a, a])["pri"] == 1


def test_small_pieces_join_the_neighbour_with_the_longest_border():
    """Pieces of one label come apart; below half a percent they do not stay alone."""
    segments = np.zeros((30, 30), dtype=int)
    segments[:, 20:] = 1
    segments[10, 18:20] = 2  # two pixels: five borders with 0, one with 1
    segments[0, 0] = 1  # one pixel: only 0 around it
    assert n_pieces(segments) == 4
    joined = connected_segments(segments)
    np.testing.assert_array_equal(joined, np.broadcast_to(np.arange(30) >= 20, (30, 30)))
    assert connected_segments(np.zeros((3, 3), dtype=int)).max() == 0


def test_the_affinity_is_the_formula():
    """Entry by entry; strictly within the radius, with ones on the diagonal."""
    grey, position = pixels_of(np.random.default_rng(0).random((8, 12)), 6)
    assert grey.shape == (4, 6)
    assert position.max() == 1
    assert position[:, 0].max() == pytest.approx(3 / 5)
    settings = {"sigma_brightness": 0.3, "sigma_position": 0.5, "radius": 0.4}
    W = pixel_affinity(grey.ravel(), position, **settings).toarray()
    for i, j in np.ndindex(24, 24):
        distance = np.linalg.norm(position[i] - position[j])
        unlike = (grey.ravel()[i] - grey.ravel()[j]) ** 2
        value = np.exp(-unlike / 0.09 - distance**2 / 0.25) if distance < 0.4 - 1e-9 else 0
        assert W[i, j] == pytest.approx(value, abs=1e-12)
    degree = W.sum(axis=1)
    V = W / np.sqrt(np.outer(degree, degree))
    assert np.linalg.eigvalsh(V)[-1] == pytest.approx(1)
    assert pixels_of(np.ones((3, 5)), 3)[0].max() == 0
    assert pixels_of(np.eye(8)[:6], 4, aspect=False)[1].max(axis=0).tolist() == [1, 1]


def test_corruption_is_symmetric_and_of_its_share():
    """Off the diagonal a share of the pairs has changed, and no more."""
    V = sp.csr_array(np.full((60, 60), 0.5))
    other = corrupted_affinity(V, 0.1, np.random.default_rng(0)).toarray()
    np.testing.assert_array_equal(other, other.T)
    assert 0.07 < (other != 0.5).mean() < 0.13
    assert (other.diagonal() == 0.5).all()
    assert other.max() <= 0.5


def test_zero_rows_join_by_place():
    """Only zero rows give one cluster; fewer rows than clusters do no harm."""
    place = np.arange(4.0)[:, None]
    rng = np.random.default_rng(0)
    assert cluster_rows(np.zeros((4, 2)), place, 3, rng).tolist() == [0, 0, 0, 0]
    labels = cluster_rows(np.array([[0.0], [0.0], [2.0], [0.0]]), place, 3, rng)
    assert labels.tolist() == [0, 0, 0, 0]


def test_the_contrast_of_a_product_is_that_of_its_matrix():
    """Sums of factors give what the mean over all pairs gives."""
    rng = np.random.default_rng(0)
    A, B, labels = rng.random((9, 3)), rng.random((9, 3)), rng.integers(0, 3, 9)
    M, same, off = A @ B.T, labels[:, None] == labels, ~np.eye(9, dtype=bool)
    expected = M[same & off].mean() / M[~same].mean()
    assert class_contrast(A, B, labels) == pytest.approx(expected)
    assert class_contrast(sp.csr_array(M), None, labels) == pytest.approx(expected)
    assert class_contrast(M, None, np.zeros(9)) == 1
    assert class_contrast(np.kron(np.eye(2), np.ones((2, 2))), None, [0, 0, 1, 1]) == 1e6


def three_bands():
    """An image of three bands of grey, drawn alike by two humans."""
    truth = np.repeat(np.arange(3), 8)[:, None] * np.ones(24, dtype=int)
    image = 0.1 + 0.3 * truth + 0.01 * np.random.default_rng(0).standard_normal(truth.shape)
    return Bunch(
        X=image.reshape(1, -1), images=[None], ids=["bands"], segmentations=[np.stack([truth] * 2)]
    )


@pytest.mark.parametrize(
    ("key", "params", "options"),
    [
        ("ncuts", {"mode": "recursive"}, {}),
        ("ncuts", {"mode": "vectors"}, {}),
        ("mahnmf-sym", {}, {}),
        ("sym-mu", {"max_iter": 1000}, {"rule": "argmax"}),
        ("nenmf", {}, {"n_components": 4}),
        ("kmeans", {"scale": "none"}, {"features": "brightness"}),
    ],
)
def test_clear_bands_are_found(key, params, options):
    """Every kind of solver gets what it needs, and separates three bands into three segments."""
    solver = make_solver(key, random_state=0, **params)
    graph = {"sigma_position": 1.0, "radius": 2.0}  # so far that a band is nearly of rank one
    options = {"segments": (3,), "side": 12, "humans": True} | graph | options
    outcome = segmentation(three_bands(), solver, np.random.default_rng(0), **options)
    metrics = outcome.metrics
    assert metrics["covering@3"] == pytest.approx(1)
    assert metrics["vi@3"] == pytest.approx(0, abs=1e-9)
    assert metrics["segments@3"] == metrics["human-segments"] == 3
    assert metrics["largest-segment@3"] == pytest.approx(1 / 3)
    assert metrics["gain"] == 1 - max(metrics["covering-one"], metrics["covering-stripes@3"]) > 0.5
    assert metrics["covering-humans"] == 1
    assert outcome.arrays["labels"].shape == (1, 12, 12)
    factors = key not in ("ncuts", "kmeans")
    assert ("residual-ratio@3" in metrics) == factors
    assert ("residual-ratio-start@3" in metrics) == (key in ("mahnmf-sym", "sym-mu"))
    if factors:
        assert 0 < metrics["residual-ratio@3"] < 1
        assert metrics["contrast-product@3"] > 2


def test_bad_options_are_named():
    """An unknown image, sample or rule, and a share beyond one, are refused with what is valid."""
    solver = make_solver("kmeans", random_state=0)
    for options, match in (
        ({"image": "x"}, "image must be one of 'bands'"),
        ({"features": "colour"}, "features must be"),
        ({"rule": "best"}, "rule must be"),
        ({"corrupted": 2}, "corrupted must be"),
        ({"radius": 0}, "must be positive"),
        ({"side": 1}, "side must be"),
    ):
        with pytest.raises(ValueError, match=match):
            segmentation(three_bands(), solver, np.random.default_rng(0), **options)


def test_details_show_the_matrices_in_the_order_of_segments():
    """Blocks on the diagonal of both pictures are bright, and the diagonal terms are counted."""
    options = {"segments": (3,), "side": 12, "radius": 1.0, "sigma_position": 1.0, "details": True}
    solver = make_solver("mahnmf-sym", random_state=0)
    outcome = segmentation(three_bands(), solver, np.random.default_rng(0), **options)
    matrices = outcome.arrays["matrices"]
    n = outcome.arrays["labels"].size
    assert matrices.shape == (1, 2, n, n)
    assert matrices.dtype == np.uint8
    labels = np.sort(outcome.arrays["labels"].ravel())
    within = (labels[:, None] == labels) & ~np.eye(n, dtype=bool)
    for picture in matrices[0]:
        assert not picture.diagonal().any()
        assert picture[within].mean() > 10 * picture[labels[:, None] != labels].mean()
    for name in ("bound-diagonal@3", "bound-diagonal-start@3"):
        assert 0 <= outcome.metrics[name] <= 1


def test_diagonal_terms_may_be_looked_at_with_rows_of_unit_length():
    """The fit is the same, and its rows, which are shorter than that, bind no fewer terms."""
    options = {"segments": (3,), "side": 12, "radius": 1.0, "sigma_position": 1.0, "details": True}
    plain, unit = (
        segmentation(
            three_bands(),
            make_solver("mahnmf-sym", random_state=0),
            np.random.default_rng(0),
            unit_rows=so,
            **options,
        ).metrics
        for so in (False, True)
    )
    assert unit["residual-ratio@3"] == plain["residual-ratio@3"]
    assert unit["bound-diagonal@3"] >= plain["bound-diagonal@3"]
    assert unit["bound-diagonal-start@3"] > plain["bound-diagonal-start@3"]


def test_diagonal_terms_of_one_component_are_never_bound():
    """Without the only component the whole diagonal is left; with large others it is none."""
    V, H = np.eye(4), np.ones((4, 2))
    assert bound_share(V, H[:, :1]) == 0
    assert bound_share(V, 2 * H) == 1
    assert bound_share(V, np.column_stack([H[:, 0], np.zeros(4)])) == 0.5


def test_the_pictures_of_empty_matrices_are_black():
    """Matrices of zeros, which have no scale, have black pictures."""
    pictures = _pictures([np.zeros((80, 80))] * 2, np.arange(80))
    assert pictures.dtype == np.uint8
    assert len(pictures) == 2
    assert not pictures.any()
