"""Ranks and tests over tasks: published examples, brute force, and verdicts on known truths."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from nmfbench.core.matters import Ratio
from nmfbench.stats.ranks import (
    cliques,
    complete_block,
    critical_difference,
    friedman,
    grouped_critical_difference,
    mean_ranks,
    nemenyi_critical_difference,
    wilcoxon_holm,
    wins_ties_losses,
)

# Demšar (2006), Table 6: area under the curve of four versions of C4.5 on 14 data sets. Of the
# two 0.975 of the last row but one, the ranks printed beside them say which one is the larger.
DEMSAR = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)
# Same, Table 5 (a): critical values for 2 to 10 methods.
Q_05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
Q_10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]


def random_scores(n, k, seed=0):
    values = np.random.default_rng(seed).random((n, k))
    return pd.DataFrame(values, columns=[f"m{j}" for j in range(k)])


# -- ranks ------------------------------------------------------------------------------------


def test_mean_ranks_are_the_published_ones():
    """The mean ranks of Demšar's Table 6."""
    ranks = mean_ranks(DEMSAR)
    expected = {"C4.5+m+cf": 1.964, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5": 3.143}
    assert list(ranks.index) == list(expected)
    np.testing.assert_allclose(ranks, list(expected.values()), atol=5e-4)


def test_ranks_follow_the_direction_of_each_task():
    """A task whose errors are ranked counts like one whose negative errors are."""
    scores = random_scores(6, 4)
    mixed = scores.copy()
    mixed.iloc[[1, 4]] *= -1
    higher = {i: i not in (1, 4) for i in range(6)}
    pd.testing.assert_series_equal(mean_ranks(scores), mean_ranks(mixed, higher))
    assert friedman(scores) == friedman(mixed, higher)
    assert friedman(scores) != friedman(mixed)
    with pytest.raises(ValueError, match="says nothing of the task 5"):
        mean_ranks(mixed, dict.fromkeys(range(5), True))


def test_rounding_errors_make_no_rank():
    """Scores that differ in the fifteenth digit tie; in the sixth they do not."""
    noisy = pd.DataFrame({"a": [0.1 + 0.2, 1.0], "b": [0.3, 1.0 - 1e-15]})
    assert mean_ranks(noisy).tolist() == [1.5, 1.5]
    assert wilcoxon_holm(noisy)["effect"].tolist() == [0]
    apart = pd.DataFrame({"a": [0.300001, 1.0], "b": [0.3, 0.999999]})
    assert mean_ranks(apart).to_dict() == {"a": 1.0, "b": 2.0}


def test_a_failure_ranks_last_and_a_gap_leaves_the_task_out():
    """Minus infinity is the worst score, shared by all that failed; NaN drops its task."""
    scores = pd.DataFrame(
        {"a": [0.9, 0.9, np.nan], "b": [-np.inf, 0.8, 0.9], "c": [-np.inf, 0.7, 0.1]}
    )
    assert mean_ranks(scores).to_dict() == {"a": 1.0, "b": 2.25, "c": 2.75}
    assert friedman(scores).n_tasks == 2
    with pytest.raises(ValueError, match="complete_block"):
        mean_ranks(scores.iloc[2:])


def test_a_complete_block_keeps_who_must_stay():
    """Tasks of the kept methods remain, and of the others whoever has all of these."""
    scores = random_scores(5, 4)
    scores.loc[[0, 1], "m0"] = np.nan
    scores.loc[1, "m1"] = np.nan
    scores.loc[3, "m2"] = np.nan
    block = complete_block(scores, keep=["m0"])
    assert list(block.index) == [2, 3, 4]
    assert list(block) == ["m0", "m1", "m3"]
    assert list(complete_block(scores)) == ["m3"]
    with pytest.raises(ValueError, match="'mine', which is no column"):
        complete_block(scores, keep=["mine"])


# -- tests of all methods ---------------------------------------------------------------------


def test_friedman_is_the_published_one_up_to_its_correction_for_ties():
    """Without the correction, Demšar's example has chi2 = 9.28 and F = 3.69."""
    n, k = DEMSAR.shape
    result = friedman(DEMSAR)
    ties = sum((row.value_counts() ** 3 - row.value_counts()).sum() for _, row in DEMSAR.iterrows())
    plain = result.chi2 * (1 - ties / (n * k * (k**2 - 1)))
    # From ranks of three decimals; the paper prints 9.28 and 3.69.
    assert plain == pytest.approx(9.28, abs=0.01)
    assert (n - 1) * plain / (n * (k - 1) - plain) == pytest.approx(3.69, abs=0.01)
    assert result.p_value < result.chi2_p < 0.05
    assert (result.n_tasks, result.n_methods) == (14, 4)


def test_f_is_that_of_an_analysis_of_variance_of_the_ranks():
    """With ties and without, F is the mean square of methods over the mean square of residuals."""
    for scores in (DEMSAR, random_scores(7, 5)):
        ranks = scores.rank(axis=1).to_numpy()
        n, k = ranks.shape
        between = n * ((ranks.mean(axis=0) - ranks.mean()) ** 2).sum()
        residual = ranks - ranks.mean(axis=0) - ranks.mean(axis=1)[:, None] + ranks.mean()
        f = between / (k - 1) / ((residual**2).sum() / ((k - 1) * (n - 1)))
        assert friedman(scores).f == pytest.approx(f)


def test_p_values_are_never_below_what_so_few_tasks_allow():
    """Three methods ranked alike by two tasks have the exact p-value 1/6, and F is infinite."""
    scores = pd.DataFrame({"a": [3, 6], "b": [2, 5], "c": [1, 4]})
    result = friedman(scores)
    assert result.f == math.inf
    assert result.p_value == pytest.approx(1 / 6)
    assert result.chi2_p == pytest.approx(1 / 6)
    assert friedman(scores.iloc[:1]).p_value == 1


def test_equal_methods_are_no_difference():
    """Where all methods tie on all tasks, p = 1 and one group holds them all."""
    scores = pd.DataFrame(0.5, index=range(4), columns=["a", "b", "c"])
    assert friedman(scores).p_value == 1
    assert set(critical_difference(scores)["groups"]) == {"a"}
    assert wilcoxon_holm(scores)["p_adjusted"].tolist() == [1, 1, 1]


def test_friedman_needs_three_methods():
    """Two methods are an error that names the test for two."""
    with pytest.raises(ValueError, match="wilcoxon_holm"):
        friedman(DEMSAR[["C4.5", "C4.5+m"]])


@pytest.mark.parametrize(("alpha", "published"), [(0.05, Q_05), (0.10, Q_10)])
def test_critical_values_are_the_published_ones(alpha, published):
    """The critical difference over its square root is Demšar's Table 5, to its third decimal."""
    found = [
        nemenyi_critical_difference(k, 14, alpha) / math.sqrt(k * (k + 1) / (6 * 14))
        for k in range(2, 11)
    ]
    np.testing.assert_allclose(found, published, atol=1e-3)


def test_critical_difference_rejects_what_has_none():
    """One method, no task, or a level outside (0, 1) is an error."""
    for arguments in ((1, 5), (3, 0), (3, 5, 1.0)):
        with pytest.raises(ValueError, match=r"needs two methods|alpha must lie"):
            nemenyi_critical_difference(*arguments)


# -- groups -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "gap", "groups"),
    [(0.05, 1.25, ["a", "a", "a", "a"]), (0.10, 1.12, ["a", "a", "ab", "b"])],
)
def test_groups_are_the_published_ones(alpha, gap, groups):
    """At 10 % C4.5 is worse than the two versions with m, and C4.5+cf is in both groups."""
    table = critical_difference(DEMSAR, alpha=alpha)
    assert table["groups"].tolist() == groups
    assert table["critical_difference"].iloc[0] == pytest.approx(gap, abs=0.005)
    assert table["n_tasks"].unique().tolist() == [14]


@pytest.mark.parametrize("seed", range(20))
def test_cliques_are_all_maximal_runs(seed):
    """Brute force over all runs agrees, for any symmetric relation."""
    rng = np.random.default_rng(seed)
    k = 8
    ranks = pd.Series(rng.permutation(k).astype(float), index=[f"m{j}" for j in range(k)])
    unlike = {frozenset(p) for p in itertools.combinations(ranks.index, 2) if rng.random() < 0.25}
    names = list(ranks.sort_values().index)
    runs = [
        names[i:j]
        for i in range(k)
        for j in range(i + 2, k + 1)
        if not any(frozenset(p) in unlike for p in itertools.combinations(names[i:j], 2))
    ]
    maximal = [run for run in runs if not any(set(run) < set(other) for other in runs)]
    assert cliques(ranks, lambda a, b: frozenset((a, b)) in unlike) == maximal


def test_groups_of_signed_rank_tests():
    """Two equal methods share a letter, and one that is worse by far on all tasks has none."""
    rng = np.random.default_rng(0)
    base = rng.random(12)
    scores = pd.DataFrame({"a": base + rng.normal(0, 0.1, 12), "b": base, "c": base - 2})
    table = critical_difference(scores, post_hoc="wilcoxon-holm").set_index("method")
    assert table["groups"].to_dict() == {"a": "a", "b": "a", "c": ""}
    assert table["critical_difference"].isna().all()
    with pytest.raises(ValueError, match="post_hoc must be one of 'nemenyi', 'wilcoxon-holm'"):
        critical_difference(scores, post_hoc="dunn")


def test_pairs_are_not_told_apart_unless_all_are():
    """Where Friedman's test finds nothing, all methods are one group, whatever pairs say."""
    scores = random_scores(5, 6, seed=3)
    table = critical_difference(scores, alpha=0.05)
    assert table["friedman_p"].iloc[0] > 0.05
    assert set(table["groups"]) == {"a"}


def test_two_methods_have_a_diagram():
    """Two methods need no test before the pair's."""
    table = critical_difference(random_scores(20, 2) + [0, 1])
    assert table["method"].tolist() == ["m1", "m0"]
    assert table["groups"].tolist() == ["", ""]
    assert table["friedman_p"].isna().all()


# -- pairs ------------------------------------------------------------------------------------


def test_signed_rank_p_values_are_exact():
    """All sign changes of seven differences without a tie give the p-value, and the effect."""
    d = np.array([0.3, -0.1, 0.25, 0.7, 0.05, -0.4, 0.6])
    row = wilcoxon_holm(pd.DataFrame({"a": d, "b": 0.0})).iloc[0]
    rank = np.argsort(np.argsort(np.abs(d))) + 1
    sums = [rank @ np.array(signs) for signs in itertools.product((-1, 1), repeat=len(d))]
    observed = rank @ np.sign(d)
    assert row["p_value"] == pytest.approx(np.mean(np.abs(sums) >= abs(observed)))
    assert row["effect"] == pytest.approx(observed / rank.sum())
    assert row["difference"] == pytest.approx(0.25)


@pytest.mark.parametrize("seed", range(8))
def test_signed_rank_p_values_are_scipys(seed):
    """Equal to scipy's: exact without ties, over all sign changes with ties, and for many pairs."""
    rng = np.random.default_rng(seed)
    n = 5 + seed
    for d, options in (
        (rng.normal(0.3, 1, n), {"method": "exact"}),
        (rng.integers(-2, 4, 6), {"method": stats.PermutationMethod(n_resamples=10_000)}),
        (rng.integers(-20, 26, 60 + n), {"method": "asymptotic"}),
    ):
        d = d[d != 0].astype(float)
        row = wilcoxon_holm(pd.DataFrame({"a": d, "b": 0.0})).iloc[0]
        assert row["p_value"] == pytest.approx(stats.wilcoxon(d, **options).pvalue)


def test_pairs_are_corrected_for_their_number():
    """Against one method there are three tests instead of six, with smaller p-values."""
    pairs = wilcoxon_holm(DEMSAR)
    few = wilcoxon_holm(DEMSAR, against="C4.5")
    assert len(pairs) == 6
    assert few["rival"].tolist() == ["C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    both = pairs.merge(few, on=["method", "rival"])
    assert len(both) == 3
    assert (both["p_value_x"] == both["p_value_y"]).all()
    assert (both["p_adjusted_x"] >= both["p_adjusted_y"]).all()
    assert (both["p_adjusted_x"] > both["p_adjusted_y"]).any()
    assert (few["effect"] < 0).all()
    assert few["p_adjusted"].min() == pytest.approx(3 * few["p_value"].min())


def test_equal_differences_tie():
    """0.9 - 0.8 and 0.8 - 0.7 differ in the last digit, but share a rank."""
    scores = pd.DataFrame({"a": [0.9, 0.7, 0.3], "b": [0.8, 0.8, 0.1]})
    # Ranks 1.5, -1.5 and 3 of a total of 6.
    assert wilcoxon_holm(scores)["effect"].tolist() == [0.5]


def test_a_pair_is_compared_where_both_were_run():
    """Failures are the largest differences, two failures tie, and gaps are left out."""
    scores = pd.DataFrame(
        {"a": [0.5, 0.5, 0.5, -np.inf, np.nan], "b": [-np.inf, 0.4, 0.6, -np.inf, 0.1]}
    )
    row = wilcoxon_holm(scores).iloc[0]
    # Without the two failures of task 3: ranks 3, 1.5 and -1.5.
    assert (row["n"], row["effect"]) == (4, 0.5)
    assert np.isnan(wilcoxon_holm(scores.iloc[4:])["p_adjusted"].iloc[0])


# -- one against each, task by task -----------------------------------------------------------


def trials(leads, repeats=12, noise=0.01, seed=0):
    """Records of ``mine`` and of rivals that it leads by ``leads[task][rival]``."""
    rng = np.random.default_rng(seed)
    rows = []
    for task, rivals in leads.items():
        for repeat in range(repeats):
            data = rng.random()  # what all methods of a repeat share
            rows.append((task, "mine", repeat, data))
            for rival, lead in rivals.items():
                rows.append((task, rival, repeat, data - lead + noise * rng.standard_normal()))
    return pd.DataFrame(rows, columns=["task", "method", "repeat", "score"])


def test_outcomes_are_the_truth():
    """A lead is a win, a lag a loss, and none a tie, in spite of how much the data vary."""
    table = wins_ties_losses(
        trials({"faces": {"mu": 0.1, "spa": -0.1, "hals": 0.0}, "text": {"mu": -0.1}}), "mine"
    )
    found = table.set_index(["task", "rival"])["outcome"].to_dict()
    assert found == {
        ("faces", "mu"): "win",
        ("faces", "spa"): "loss",
        ("faces", "hals"): "tie",
        ("text", "mu"): "loss",
        ("text", "spa"): "not run",
        ("text", "hals"): "not run",
    }
    wins = table[table["outcome"] == "win"]
    assert wins["difference"].iloc[0] == pytest.approx(0.1, abs=0.02)
    assert (wins["n"] == 12).all()


def test_errors_turn_outcomes_round():
    """Where lower is better, the same scores lose."""
    records = trials({"faces": {"mu": 0.1}, "text": {"mu": 0.1}})
    table = wins_ties_losses(records, "mine", higher_is_better={"faces": True, "text": False})
    assert table["outcome"].tolist() == ["win", "loss"]
    assert (table["difference"] * [1, -1] > 0).all()


def test_too_few_repeats_are_no_tie():
    """Five repeats cannot decide anything, six decide one comparison, and not two."""
    for repeats, rivals, outcome in ((5, 1, "too few"), (6, 1, "win"), (6, 2, "too few")):
        leads = {"faces": {f"m{j}": 0.1 for j in range(rivals)}}
        table = wins_ties_losses(trials(leads, repeats), "mine")
        assert set(table["outcome"]) == {outcome}


def test_repeated_starts_are_no_evidence():
    """Rows of one repeat are averaged: ten starts on five data sets are five observations."""
    records = trials({"faces": {"mu": 0.1}}, repeats=5)
    table = wins_ties_losses(pd.concat([records] * 10), "mine")
    assert (table["n"].item(), table["outcome"].item()) == (5, "too few")


def test_noise_seldom_wins():
    """Under the null hypothesis at most about 5 % of all tables have a win or a loss."""
    leads = {task: {"mu": 0.0, "spa": 0.0} for task in ("faces", "text")}
    found = [
        wins_ties_losses(trials(leads, seed=seed), "mine")["outcome"].isin(["win", "loss"]).any()
        for seed in range(60)
    ]
    assert sum(found) < 9


def test_rivals_are_chosen_and_the_method_must_be_there():
    """Only the rivals named take part, and an unknown method is an error with those known."""
    records = trials({"faces": {"mu": 0.1, "spa": 0.1}})
    assert wins_ties_losses(records, "mine", rivals=["spa"])["rival"].tolist() == ["spa"]
    with pytest.raises(ValueError, match="no method 'mien'; they have mine, mu, spa"):
        wins_ties_losses(records, "mien")


@pytest.mark.parametrize("seed", range(20))
def test_equal_differences_of_shares_tie(seed):
    """Scores that are counts over a number of samples differ by counts, which tie as such."""
    rng = np.random.default_rng(seed)
    own = rng.integers(40, 90, 10)
    counts = np.array([8, 13, 7, 2, 13, 6, 8, -2, -1, 13])
    table = pd.DataFrame({"a": own, "b": own + counts})
    found = wilcoxon_holm(table / 165)["p_value"].item()
    ranks = stats.rankdata(np.abs(counts))
    sums = np.abs(np.array(list(itertools.product([-1, 1], repeat=len(counts)))) @ ranks)
    assert found == pytest.approx(np.mean(sums >= np.abs(np.sign(counts) @ ranks) - 1e-9))


def grouped_scores(n_groups, lead, seed=0):
    """Ten methods on five tasks a group, which share most of their luck; the first has a lead."""
    rng = np.random.default_rng(seed)
    luck = np.repeat(rng.standard_normal((n_groups, 10)), 5, axis=0)
    scores = luck + 0.1 * rng.standard_normal(luck.shape)
    scores[:, 0] += lead
    names = pd.Index(list("abcdefghij"))
    return pd.DataFrame(scores, columns=names), np.repeat(np.arange(n_groups), 5)


def test_groups_of_tasks_count_once():
    """Repeating all tasks of the groups changes neither mean ranks nor the critical difference."""
    scores, groups = grouped_scores(6, 1.0)
    once = grouped_critical_difference(scores, groups)
    twice = grouped_critical_difference(
        pd.concat([scores, scores], ignore_index=True), np.tile(groups, 2)
    )
    pd.testing.assert_frame_equal(
        once.drop(columns="n_tasks"), twice.drop(columns="n_tasks"), rtol=1e-12
    )
    assert (once["n_tasks"].iloc[0], twice["n_tasks"].iloc[0]) == (30, 60)


def test_parts_of_one_group_are_no_evidence():
    """Luck that the tasks of a group share would pass for merit if they were independent."""
    found = {"grouped": 0, "apart": 0}
    for seed in range(40):
        scores, groups = grouped_scores(8, 0.0, seed)
        for name, of in (("grouped", groups), ("apart", np.arange(len(scores)))):
            table = grouped_critical_difference(scores, of, n_draws=300)
            gap = table["mean_rank"].max() - table["mean_rank"].min()
            found[name] += gap > table["critical_difference"].iloc[0]
    assert found["grouped"] <= 8
    assert found["apart"] > 3 * max(1, found["grouped"])


@pytest.mark.parametrize("k", [3, 4, 8])
@pytest.mark.parametrize("n_groups", [3, 5, 8])
@pytest.mark.parametrize(("lead", "most"), [(0.0, 0.05), (0.8, 0.07)])
def test_groups_err_as_seldom_as_they_say(k, n_groups, lead, most):
    """All differences of mean ranks at once are within the critical difference of the truth."""
    names, rng = pd.Index(list("abcdefgh")[:k]), np.random.default_rng(6)

    def drawn(n):
        merits = rng.standard_normal((n, 1, k)) + 0.3 * rng.standard_normal((n, 4, k))
        merits[..., 0] = lead + (0.3 if lead else 1.0) * merits[..., 0]
        return merits

    truth = pd.Series(stats.rankdata(-drawn(20_000), axis=2).mean(axis=(0, 1)), names)
    errors, runs = 0, 200
    for _ in range(runs):
        scores = pd.DataFrame(drawn(n_groups).reshape(-1, k), columns=names)
        groups = np.repeat(np.arange(n_groups), 4)
        table = grouped_critical_difference(scores, groups, n_draws=300).set_index("method")
        errors += np.ptp(table["mean_rank"] - truth) > table["critical_difference"].iloc[0]
    assert errors <= stats.binom.ppf(0.999, runs, most)


def test_too_few_groups_or_methods_are_refused():
    """Two methods, or two groups, have no critical difference; the message says what to do."""
    scores, groups = grouped_scores(4, 0.0)
    with pytest.raises(ValueError, match=r"got 2 and 4; compare two methods by wilcoxon_holm"):
        grouped_critical_difference(scores.iloc[:, :2], groups)
    with pytest.raises(ValueError, match="three groups or more, got 10 and 2"):
        grouped_critical_difference(scores[groups < 2], groups[groups < 2])


def test_a_lead_in_all_groups_is_found():
    """The method that leads everywhere is in no group with any other, and is named first."""
    table = grouped_critical_difference(*grouped_scores(30, 6.0))
    assert table["method"].iloc[0] == "a"
    assert not set(table["groups"].iloc[0]) & set("".join(table["groups"][1:]))


def paired(gap):
    """Scores of ten repeats, in each of which one method leads by a gap."""
    rows = [("mu", i, 0.5 + i / 100) for i in range(10)]
    rows += [("mine", i, score + gap) for _, i, score in rows]
    return pd.DataFrame(rows, columns=["method", "repeat", "score"]).assign(task="faces")


@pytest.mark.parametrize(
    ("gap", "smallest", "outcome"),
    [
        (1e-6, None, "win"),
        (1e-6, 0.01, "tie"),
        (-1e-6, 0.01, "tie"),
        (0.02, 0.01, "win"),
        (-0.02, 0.01, "loss"),
        (0.005, Ratio(0.02), "tie"),
        (0.05, Ratio(0.02), "win"),
        (np.inf, Ratio(0.02), "win"),
    ],
)
def test_a_difference_that_does_not_matter_is_a_tie(gap, smallest, outcome):
    """However significant it is."""
    (found,) = wins_ties_losses(paired(gap), "mine", smallest=smallest)["outcome"]
    assert found == outcome
