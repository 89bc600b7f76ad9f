"""Views of which it is known what they share, and the task that looks for it."""

import numpy as np
import pytest
from scipy import stats

from nmfbench.datasets import load_dataset
from nmfbench.engine.perform import perform
from nmfbench.tasks.view_activity import matched_activity
from nmfbench.trials.trial import Trial


def test_components_are_zero_where_a_view_does_without():
    """Shared components are in all views, a private one in its own alone."""
    data = load_dataset("shared-views", rng=0)
    norms = [np.linalg.norm(data.components[:, view], axis=1) for view in data.views]
    np.testing.assert_array_equal(np.array(norms) > 0, data.active)
    assert data.active.sum(axis=0).tolist() == [3] * 4 + [1] * 6


@pytest.mark.parametrize(("noise", "law"), [("gaussian", stats.norm), ("laplace", stats.laplace)])
def test_noise_has_the_stated_deviation_in_each_view(noise, law):
    """A tenth of the mean entry of the view, whatever its scale."""
    params = {"noise": noise, "n_samples": 500}
    clean, noisy = (load_dataset("shared-views", rng=0, level=x, **params) for x in (0.0, 0.1))
    clean = clean.X / clean.components.max() * noisy.components.max()
    for view in noisy.views:
        usual = 0.1 * clean[:, view].mean()
        above = clean[:, view] > 10 * usual  # where the cut at 0 is out of reach
        rest = (noisy.X - clean)[:, view][above] / usual
        assert rest.std() == pytest.approx(1, abs=0.03)
        assert stats.kstest(rest, law(scale=1 / law.std()).cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    "wrong", [{"noise": "pink"}, {"scales": [1.0]}, {"level": -0.1}], ids=lambda w: next(iter(w))
)
def test_impossible_views_are_named(wrong):
    """A noise that is not known, scales that do not fit, and a negative level are errors."""
    with pytest.raises(ValueError, match=r"noise must|as many scales|level must"):
        load_dataset("shared-views", rng=0, **wrong)


def test_components_match_whatever_their_order_and_scale():
    """Shuffled and rescaled components have the same activity; a missing one has none."""
    data = load_dataset("shared-views", rng=0)
    order = np.random.default_rng(1).permutation(len(data.components))
    scale = np.geomspace(0.1, 10, len(order))[:, None]
    found = (scale * data.components)[order]
    activity, cosines = matched_activity(data.components, found, data.active[:, order])
    np.testing.assert_array_equal(activity, data.active)
    np.testing.assert_allclose(cosines, 1)
    activity, cosines = matched_activity(data.components, found[1:], data.active[:, order[1:]])
    assert not activity[:, order[0]].any()
    assert cosines[order[0]] == 0


def test_groups_find_private_components():
    """Without noise a group penalty recovers who has what; without one every view has all."""
    score = {
        alpha: perform(
            Trial(
                "view-activity",
                "shared-views",
                "eucnmf-gs",
                {"alpha": alpha, "p": 2},
                {"level": 0.0, "n_samples": 100},
            )
        ).metrics["activity-f"]
        for alpha in (0.0, 1.0)
    }
    assert score[0.0] == pytest.approx(0.75, abs=0.01)  # recall 1, precision 18/30
    assert score[1.0] > 0.9
