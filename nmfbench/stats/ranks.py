"""Comparisons of several methods over several tasks: ranks, tests, and groups that do not differ.

Scores are a DataFrame with one row per task and one column per method, one number each: the mean
over repeats, because repeats on one data set are not independent evidence of a difference in
general. A task on which a method failed is to count as its worst: give infinity of the bad sign.
NaN means that it was not run: no rank is made up for it, and what needs all methods on a task
leaves that task out. :func:`complete_block` chooses what can be compared.

References
----------
Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from string import ascii_letters

import numpy as np
import pandas as pd
from scipy import stats

from nmfbench.core.matters import Ratio
from nmfbench.core.validation import check_choice
from nmfbench.stats.corrections import holm
from nmfbench.stats.intervals import small_sample_factor

__all__ = [
    "Friedman",
    "cliques",
    "complete_block",
    "critical_difference",
    "friedman",
    "grouped_critical_difference",
    "mean_ranks",
    "nemenyi_critical_difference",
    "wilcoxon_holm",
    "wins_ties_losses",
]

POST_HOC = ("nemenyi", "wilcoxon-holm")

_PAIR = ("n", "difference", "effect", "p_value")
_DIGITS = 10  # differences beyond this many significant digits are rounding, not merit


def complete_block(scores, keep=()):
    """The largest part of a table in which nothing is missing, given who must be in it.

    Parameters
    ----------
    scores : DataFrame of shape (n_tasks, n_methods)
    keep : sequence of str
        Methods that must stay: tasks that one of them lacks are left out. Then any other method
        is left out that lacks one of the remaining tasks.

    Returns
    -------
    DataFrame
        Without NaN. It may be empty.

    Examples
    --------
    >>> scores = pd.DataFrame(
    ...     {"mine": [0.9, 0.8, np.nan], "mu": [0.7, 0.9, 0.6], "spa": [0.5, np.nan, 0.8]}
    ... )
    >>> complete_block(scores, keep=["mine"])
       mine   mu
    0   0.9  0.7
    1   0.8  0.9
    """
    unknown = [name for name in keep if name not in scores]
    if unknown:
        raise ValueError(f"keep names {unknown[0]!r}, which is no column of the scores.")
    return scores.dropna(subset=list(keep)).dropna(axis="columns")


def mean_ranks(scores, higher_is_better=True):
    """Mean rank of each method over the tasks that all methods have.

    Parameters
    ----------
    scores : DataFrame of shape (n_tasks, n_methods)
        Tasks that lack a method are left out.
    higher_is_better : bool or mapping of task to bool, default=True

    Returns
    -------
    Series
        By method, from the best (1 is the best possible) to the worst. Equal scores share the
        mean of their ranks, as do those equal to ten significant digits.

    Raises
    ------
    ValueError
        If no task has all of the methods.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.5], "b": [0.8, 0.5], "c": [0.1, 0.2]})
    >>> mean_ranks(scores).to_dict()
    {'a': 1.25, 'b': 1.75, 'c': 3.0}
    """
    merit = _complete(scores, higher_is_better)
    ranks = stats.rankdata(-merit.to_numpy(), axis=1).mean(axis=0)
    named = pd.Series(ranks, index=merit.columns, name="mean_rank")
    return named.sort_values(kind="stable")


@dataclass(frozen=True)
class Friedman:
    """Result of :func:`friedman`.

    Attributes
    ----------
    chi2, chi2_p : float
        Friedman's statistic, corrected for ties, and its p-value by the chi-squared distribution.
    f, p_value : float
        The statistic of Iman and Davenport, which is less conservative, and its p-value by the F
        distribution. Infinity where all tasks rank the methods alike.
    n_tasks, n_methods : int
    """

    chi2: float
    chi2_p: float
    f: float
    p_value: float
    n_tasks: int
    n_methods: int


def friedman(scores, higher_is_better=True):
    r"""Test whether the methods differ at all: Friedman's, with Iman and Davenport's F.

    .. math:: F = \frac{(n - 1) \chi^2}{n (k - 1) - \chi^2}

    for n tasks and k methods, with k - 1 and (k - 1)(n - 1) degrees of freedom.

    Parameters
    ----------
    scores : DataFrame of shape (n_tasks, n_methods)
        At least three methods. Tasks that lack a method are left out.
    higher_is_better : bool or mapping of task to bool, default=True

    Returns
    -------
    Friedman
        Both distributions are approximations, too bold for a few tasks: no p-value is reported
        below :math:`k!^{1 - n}`, the exact one where all tasks agree.

    Raises
    ------
    ValueError
        For fewer than three methods, or no task that has all of them.

    References
    ----------
    Demšar (2006), Section 3.2.2. Unlike there, the statistic is corrected for ties, so that F
    is that of an analysis of variance of the ranks.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [3, 3, 2], "b": [2, 1, 3], "c": [1, 2, 1]})
    >>> result = friedman(scores)
    >>> round(result.chi2, 3), round(result.f, 3)
    (2.667, 1.6)
    """
    merit = _complete(scores, higher_is_better)
    n, k = merit.shape
    if k < 3:
        raise ValueError(
            f"Friedman's test needs at least three methods, got {k}; compare two by wilcoxon_holm."
        )
    ranks = stats.rankdata(merit.to_numpy(), axis=1)
    if (ranks == ranks[:, :1]).all():  # all methods equal on all tasks
        return Friedman(0.0, 1.0, 0.0, 1.0, n, k)
    least = math.exp((1 - n) * math.lgamma(k + 1))
    chi2, chi2_p = stats.friedmanchisquare(*ranks.T)
    rest = n * (k - 1) - chi2
    f = (n - 1) * chi2 / rest if rest > 1e-9 * n * k else math.inf if n > 1 else math.nan
    p = stats.f.sf(f, k - 1, (k - 1) * (n - 1)) if n > 1 else 1.0
    return Friedman(float(chi2), max(float(chi2_p), least), float(f), max(float(p), least), n, k)


def nemenyi_critical_difference(n_methods, n_tasks, alpha=0.05):
    r"""The difference in mean rank from which on two of many methods differ.

    .. math:: q_\alpha \sqrt{k (k + 1) / (6 n)}

    with :math:`q_\alpha` the studentized range over :math:`\sqrt{2}`.

    Parameters
    ----------
    n_methods, n_tasks : int
        k, at least two, and n.
    alpha : float, default=0.05
        Chance that any of the pairs is called different where none is.

    References
    ----------
    Demšar (2006), Section 3.2.2 and Table 5.

    Examples
    --------
    >>> round(nemenyi_critical_difference(4, 14), 2)
    1.25
    """
    if n_methods < 2 or n_tasks < 1:
        raise ValueError(
            "a critical difference needs two methods and one task or more, got "
            f"n_methods={n_methods} and n_tasks={n_tasks}."
        )
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}.")
    q = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / math.sqrt(2)
    return float(q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_tasks)))


def wilcoxon_holm(scores, higher_is_better=True, against=None):
    """Pairs of methods compared over tasks by signed-rank tests, with Holm's correction.

    Parameters
    ----------
    scores : DataFrame of shape (n_tasks, n_methods)
        The test ranks differences on one task against those on another, so the scores of all
        tasks should be on one scale, such as shares between 0 and 1. Each pair is compared on
        the tasks that both have.
    higher_is_better : bool or mapping of task to bool, default=True
    against : str, optional
        Compare this method with each other one only: fewer tests, so that each is stronger.

    Returns
    -------
    DataFrame
        One row per pair: ``method``, ``rival``, ``n`` (tasks), ``difference`` (median; above 0
        where the method is the better), ``effect`` (rank-biserial correlation, from -1, worse on
        all tasks, to 1), ``p_value`` (two-sided; equal scores left out), ``p_adjusted``.

    References
    ----------
    Demšar (2006), Sections 3.1.3 and 3.2.2; Benavoli et al. (2016), JMLR 17, on why pairs should
    be compared by this test rather than by mean ranks, which depend on who else takes part.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.6, 0.5], "b": [0.8, 0.6, 0.4, 0.2, 0.1]})
    >>> wilcoxon_holm(scores)[["method", "rival", "p_adjusted"]].values.tolist()
    [['a', 'b', 0.0625]]
    """
    if against is not None and against not in scores:
        raise ValueError(f"against is {against!r}, which is no column of the scores.")
    merit = _merit(scores, higher_is_better)
    rivals = [name for name in merit if name != against]
    pairs = combinations(rivals, 2) if against is None else [(against, name) for name in rivals]
    rows = [
        {"method": a, "rival": b} | _signed_rank(_difference(merit[a], merit[b])) for a, b in pairs
    ]
    table = pd.DataFrame(rows, columns=["method", "rival", *_PAIR])
    return table.assign(p_adjusted=_holm_of_known(table["p_value"]))


def cliques(ranks, differs):
    """Longest runs of methods, in the order of their ranks, no two of which differ.

    Parameters
    ----------
    ranks : Series
        Mean rank by method.
    differs : callable
        ``differs(a, b)`` of two names, the same in either order.

    Returns
    -------
    list of list of str
        From the best rank on; none within another, each of two methods or more. So whatever one
        bar of a diagram covers does not differ. Two methods of one run in which another pair
        differs may have no bar in common although they do not differ.

    Examples
    --------
    >>> ranks = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0, "d": 5.0})
    >>> cliques(ranks, lambda a, b: abs(ranks[a] - ranks[b]) > 1.5)
    [['a', 'b'], ['b', 'c']]
    """
    names = list(ranks.sort_values(kind="stable").index)
    runs, reached = [], 0
    for begin in range(len(names)):
        end = begin + 1
        while end < len(names) and not any(differs(name, names[end]) for name in names[begin:end]):
            end += 1
        if end > reached and end - begin > 1:
            runs.append(names[begin:end])
        reached = max(reached, end)
    return runs


def critical_difference(scores, higher_is_better=True, *, alpha=0.05, post_hoc="nemenyi"):
    r"""The table of a critical-difference diagram.

    Parameters
    ----------
    scores : DataFrame of shape (n_tasks, n_methods)
        At least two methods. Tasks that lack a method are left out.
    higher_is_better : bool or mapping of task to bool, default=True
    alpha : float, default=0.05
    post_hoc : {"nemenyi", "wilcoxon-holm"}, default="nemenyi"
        How pairs are compared once Friedman's test finds a difference: by the
        critical difference of mean ranks, or by signed-rank tests of the scores. These can only
        tell any two of k methods apart if :math:`2^{1 - n} k (k - 1) / 2` is below alpha for n
        tasks. With two methods there is no test before this one.

    Returns
    -------
    DataFrame
        From the best method to the worst: ``method``, ``mean_rank``, ``groups`` (letters, one a
        run of :func:`cliques`: methods that share one do not differ). Then, the same in each row,
        ``critical_difference`` (NaN for signed-rank tests), ``friedman_p`` (of Iman and
        Davenport's F; NaN with two methods), ``alpha``, ``post_hoc``, ``n_tasks``.

    References
    ----------
    Demšar (2006), Sections 3.2.2 and 3.2.4.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> good, same, bad = rng.random(20) + 1, rng.random(20) + 1, rng.random(20)
    >>> table = critical_difference(pd.DataFrame({"good": good, "bad": bad, "same": same}))
    >>> dict(zip(table["method"], table["groups"], strict=True))
    {'good': 'a', 'same': 'a', 'bad': ''}
    """
    check_choice(post_hoc, "post_hoc", POST_HOC)
    merit = _complete(scores, higher_is_better)
    n, k = merit.shape
    ranks = mean_ranks(merit)
    gap = nemenyi_critical_difference(k, n, alpha)
    p = friedman(merit).p_value if k > 2 else math.nan
    if p >= alpha:
        runs = [list(ranks.index)]
    elif post_hoc == "nemenyi":
        runs = cliques(ranks, lambda a, b: abs(ranks[a] - ranks[b]) > gap)
    else:
        pairs = wilcoxon_holm(merit)
        unlike = pairs[pairs["p_adjusted"] < alpha]
        unlike = {frozenset(pair) for pair in zip(unlike["method"], unlike["rival"], strict=True)}
        runs = cliques(ranks, lambda a, b: frozenset((a, b)) in unlike)
    return _diagram(ranks, runs, gap if post_hoc == "nemenyi" else math.nan, p, alpha, post_hoc, n)


def grouped_critical_difference(
    scores, groups, higher_is_better=True, *, alpha=0.05, n_draws=2000, rng=None
):
    r"""The table of a critical-difference diagram over tasks that come in groups.

    Parts of one data set are no independent evidence of a difference in general. So ranks are
    averaged within each group, and groups drawn with replacement. The critical difference is the
    quantile of

    .. math:: \max_{a,b} |(\bar r^*_a - \bar r^*_b) - (\bar r_a - \bar r_b)|

    over the draws, with the mean ranks of a draw starred, times
    :func:`~nmfbench.stats.intervals.small_sample_factor` of the groups: all differences are within
    it of the truth at once, but in 5 % of samples of three methods (7 % where one of them leads),
    and in fewer with more methods, 1 % of samples of eight. The quantile itself errs in a quarter
    of samples of three groups. Three groups tell hardly anything apart: the critical difference of
    four methods then exceeds any difference that mean ranks can have.

    Parameters
    ----------
    scores : DataFrame of shape (n_tasks, n_methods)
        At least three methods. Tasks that lack a method are left out.
    groups : array-like of shape (n_tasks,)
        Group of each task, of three at least.
    higher_is_better : bool or mapping of task to bool, default=True
    alpha : float, default=0.05
    n_draws : int, default=2000
    rng : numpy.random.Generator, optional
        By default one with seed 0, so that a table is always the same.

    Returns
    -------
    DataFrame
        The columns of :func:`critical_difference`; ``post_hoc`` is "bootstrap", and there is no
        Friedman test. ``mean_rank`` is the mean over groups.

    Raises
    ------
    ValueError
        For fewer than three methods or groups: ranks of two methods are too coarse to be drawn.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [3] * 6, "b": [1, 2] * 3, "c": [2, 1] * 3})
    >>> table = grouped_critical_difference(scores, groups=["x", "x", "y", "y", "z", "z"])
    >>> table[["method", "mean_rank", "groups"]].values.tolist()
    [['a', 1.0, ''], ['b', 2.5, 'a'], ['c', 2.5, 'a']]
    """
    named = pd.Series(np.asarray(groups), index=scores.index)
    merit = _complete(scores, higher_is_better)
    ranks = pd.DataFrame(stats.rankdata(-merit.to_numpy(), axis=1), merit.index, merit.columns)
    means = ranks.groupby(named.loc[merit.index].to_numpy(), sort=False).mean()
    if min(means.shape) < 3:
        raise ValueError(
            "a critical difference over groups needs three methods and three groups or more, got "
            f"{means.shape[1]} and {means.shape[0]}; compare two methods by wilcoxon_holm, and "
            "tasks of one data set by their scores."
        )
    overall = means.mean().rename("mean_rank").sort_values(kind="stable")
    rng = np.random.default_rng(0) if rng is None else rng
    drawn = rng.integers(len(means), size=(n_draws, len(means)))
    away = means.to_numpy()[drawn].mean(axis=1) - means.to_numpy().mean(axis=0)
    gap = float(np.quantile(np.ptp(away, axis=1), 1 - alpha))
    gap *= small_sample_factor(len(means), 1 - alpha)
    runs = cliques(overall, lambda a, b: abs(overall[a] - overall[b]) > gap)
    return _diagram(overall, runs, gap, math.nan, alpha, "bootstrap", len(merit))


def _diagram(ranks, runs, gap, friedman_p, alpha, post_hoc, n_tasks):
    """The table of a diagram, one row per method."""
    table = ranks.rename_axis("method").reset_index()
    return table.assign(
        groups=[_letters(name, runs) for name in table["method"]],
        critical_difference=gap,
        friedman_p=friedman_p,
        alpha=alpha,
        post_hoc=post_hoc,
        n_tasks=n_tasks,
    )


def wins_ties_losses(
    records,
    method,
    value="score",
    *,
    rivals=None,
    higher_is_better=True,
    alpha=0.05,
    smallest: float | Ratio | None = None,
):
    r"""One method against each rival on each task, by signed-rank tests over repeats.

    Parameters
    ----------
    records : DataFrame
        Columns ``task``, ``method``, ``repeat`` and the value. Rivals saw the same data in one
        repeat, so that it pairs them; several rows of one method and repeat are averaged.
    method : str
    value : str, default="score"
    rivals : sequence of str, optional
        By default all other methods of the records.
    higher_is_better : bool or mapping of task to bool, default=True
    alpha : float, default=0.05
        Chance that any of all the wins and losses is none: Holm's correction is for all tasks and
        rivals together.
    smallest : float or Ratio, optional
        Smallest difference that matters. A median difference below it is a tie, however sure.

    Returns
    -------
    DataFrame
        A row for each task of the method and each rival: ``task``, ``rival``, ``n`` (repeats that
        both have), ``difference``, ``effect``, ``p_value``, ``p_adjusted`` as in
        :func:`wilcoxon_holm`, ``outcome``. The outcome is ``win``, ``tie`` or ``loss``; ``too
        few`` where even a lead in every repeat would have been no significant one, and ``not
        run`` where no repeat has both.

    Notes
    -----
    n repeats can decide fewer than :math:`\alpha 2^{n - 1}` comparisons: at 5 %, 6 repeats decide
    one, 10 decide 25, 14 decide 400. With more tasks and rivals than that, compare with fewer
    rivals at a time or, over all tasks, by :func:`wilcoxon_holm`.

    Examples
    --------
    >>> runs = [("mine", i, 0.9 + i / 100) for i in range(8)] + [("mu", i, 0.5) for i in range(8)]
    >>> records = pd.DataFrame(runs, columns=["method", "repeat", "score"]).assign(task="faces")
    >>> wins_ties_losses(records, "mine")[["task", "rival", "outcome"]].values.tolist()
    [['faces', 'mu', 'win']]
    """
    known = list(dict.fromkeys(records["method"]))
    if method not in known:
        raise ValueError(f"the records have no method {method!r}; they have {', '.join(known)}.")
    if rivals is None:
        rivals = [name for name in known if name != method]
    scores = records.groupby(["task", "repeat", "method"], observed=True, sort=False)[value].mean()
    wide = scores.unstack("method").reindex(columns=[method, *rivals])
    wide = wide[wide[method].notna()]
    tasks = wide.index.get_level_values("task")
    merit = _merit(wide, _of_each_row(tasks, higher_is_better))
    pairs = [
        (task, rival, own[method], own[rival])
        for task, own in merit.groupby(level="task", sort=False, observed=True)
        for rival in rivals
    ]
    rows = [
        {"task": task, "rival": rival} | _signed_rank(_difference(a, b))
        for task, rival, a, b in pairs
    ]
    matters = [smallest is None or _matters(a, b, smallest) for *_, a, b in pairs]
    table = pd.DataFrame(rows, columns=["task", "rival", *_PAIR])
    table["p_adjusted"] = _holm_of_known(table["p_value"])
    # The smallest p-values that n repeats can give; if these are not enough, none are.
    least = _holm_of_known((2.0 ** (1 - table["n"])).where(table["n"] > 0))
    # The median can be 0 where the test is significant; the sign of the effect is the test's.
    better = np.where(table["effect"] > 0, "win", "loss")
    outcome = np.where((table["p_adjusted"] < alpha) & np.array(matters, bool), better, "tie")
    outcome = np.where(least < alpha, outcome, "too few")
    return table.assign(outcome=np.where(table["n"] > 0, outcome, "not run"))


# -- shared -----------------------------------------------------------------------------------


def _matters(a, b, smallest) -> bool:
    """Whether the median difference of two methods is one that matters."""
    known = (a.notna() & b.notna()).to_numpy()
    a, b = a.to_numpy(dtype=float)[known], b.to_numpy(dtype=float)[known]
    sizes = np.abs(_difference(a, b))
    if isinstance(smallest, Ratio):
        smaller, infinite = np.minimum(np.abs(a), np.abs(b)), np.where(sizes > 0, np.inf, 0.0)
        some = (smaller > 0) & np.isfinite(smaller)
        sizes, smallest = np.divide(sizes, smaller, out=infinite, where=some), smallest.share
    return bool(len(sizes)) and float(np.quantile(sizes, 0.5, method="higher")) >= smallest


def _of_each_row(tasks, higher_is_better):
    if not isinstance(higher_is_better, Mapping | pd.Series):
        return np.full(len(tasks), bool(higher_is_better))
    missing = [task for task in tasks if task not in higher_is_better]
    if missing:
        raise ValueError(f"higher_is_better says nothing of the task {missing[0]!r}.")
    return np.array([bool(higher_is_better[task]) for task in tasks], dtype=bool)


def _merit(scores, higher_is_better):
    """Scores of which higher is better on every task, freed of rounding errors."""
    if not isinstance(higher_is_better, np.ndarray):
        higher_is_better = _of_each_row(scores.index, higher_is_better)
    signed = scores.to_numpy(float) * np.where(higher_is_better, 1.0, -1.0)[:, None]
    return pd.DataFrame(_rounded(signed), index=scores.index, columns=scores.columns)


def _rounded(x):
    """To ten significant digits, each entry by itself."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.round(mantissa, _DIGITS), exponent)


def _complete(scores, higher_is_better):
    merit = _merit(scores, higher_is_better).dropna()
    if merit.empty:
        raise ValueError(
            "no task has all of the methods, so they cannot be ranked; choose methods and tasks "
            "by complete_block."
        )
    return merit


def _difference(a, b):
    """a - b, and 0 of two equal infinities; without the rows that lack one."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    known = ~(np.isnan(a) | np.isnan(b))
    a, b = a[known], b[known]
    d = np.subtract(a, b, out=np.zeros(len(a)), where=a != b)
    # On one grid, so that equal differences tie: 0.9 - 0.8 is not quite 0.8 - 0.7. Its step is
    # that of the scores, as digits that they have lost are none of their differences.
    sizes = np.abs(np.r_[a, b])
    largest = sizes[np.isfinite(sizes)].max(initial=0.0)
    return np.round(d, _DIGITS - 2 - math.floor(math.log10(largest))) if largest else d


def _signed_rank(d):
    """Number, median, rank-biserial correlation and p-value of paired differences."""
    found = {"n": len(d), "difference": math.nan, "effect": math.nan, "p_value": math.nan}
    if not len(d):
        return found
    if not d.any():
        return found | {"difference": 0.0, "effect": 0.0, "p_value": 1.0}
    with np.errstate(invalid="ignore"):  # halfway between the two infinities is nowhere
        middle = float(np.median(d))
    d = d[d != 0]
    rank = stats.rankdata(np.abs(d))
    effect = float(rank @ np.sign(d) / rank.sum())
    return found | {
        "difference": middle,
        "effect": effect,
        "p_value": _signed_rank_p(d, rank),
    }


def _signed_rank_p(d, rank):
    """Two-sided p-value of a signed-rank test: exact up to 50 differences, ties or not.

    With ties scipy tries all sign changes, which takes seconds, or approximates, which calls six
    equal differences significant at 1.5 %. Counting sums of ranks is exact and quick.
    """
    if len(d) > 50:
        return float(stats.wilcoxon(d, method="asymptotic").pvalue)
    steps = np.rint(2 * rank).astype(int)  # ranks of ties are halves
    total = steps.sum()
    chances = np.zeros(total + 1)  # of each sum of the ranks of positive differences
    chances[0] = 1.0
    for step in steps:
        chances[step:] = (chances[step:] + chances[: total + 1 - step]) / 2
        chances[:step] /= 2
    positive = steps[d > 0].sum()
    return float(min(1.0, 2 * chances[: min(positive, total - positive) + 1].sum()))


def _holm_of_known(p_values):
    """Holm's correction of the p-values that are numbers."""
    adjusted = p_values.to_numpy(float, copy=True)
    known = ~np.isnan(adjusted)
    adjusted[known] = holm(adjusted[known])
    return adjusted


def _letters(name, runs):
    """One character for each run that a method is in."""
    return "".join(_letter(i) for i, run in enumerate(runs) if name in run)


def _letter(i):
    # Beyond the alphabet, small and large, any other letter will do.
    return ascii_letters[i] if i < len(ascii_letters) else chr(0x100 + i)
