"""Group-sparse MahNMF: constraints, penalties, convex sub-problems against oracles, groups."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from nmfbench.core.registry import solvers
from nmfbench.core.validation import check_groups
from nmfbench.optim.losses import manhattan
from nmfbench.optim.proximal import GroupBall, GroupPenalty, group_norm
from nmfbench.solvers.manhattan.mahnmf_gs import MahNMFGS
from nmfbench.solvers.manhattan.mahnmf_ogm import MahNMFOGM
from nmfbench.solvers.manhattan.smoothing import SmoothedLoss, optimal_gradient

P = [2, "inf"]
VIEWS = [range(4), range(4, 9)]


def problem(seed=0, n=20, m=9, r=3):
    """Non-negative data with a few outliers, and factors to start from."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, r)) @ rng.random((r, m))
    X[rng.random(X.shape) < 0.1] += 1.0
    return X, rng.random((n, r)), rng.random((r, m))


def norms(H, groups, p):
    """The group norms of the rows of H."""
    return [group_norm(H[:, list(group)].T, float(p)) for group in groups]


def optimum_inf(X, W, groups, radii=None, alpha=0.0):
    """``min ||X - W H||_1`` over H under bounds or a penalty on sums of maxima, by HiGHS."""
    (n, m), r = X.shape, W.shape[1]
    n_h, n_e, n_t = r * m, n * m, len(groups) * r  # H row by row, |E|, a level per group and row
    fit = np.kron(W, np.eye(m))
    zeros = np.zeros((n_e, n_t))
    A = [np.hstack([fit, -np.eye(n_e), zeros]), np.hstack([-fit, -np.eye(n_e), zeros])]
    b = [X.ravel(), -X.ravel()]
    for g, group in enumerate(groups):
        for k in range(r):
            for j in group:
                row = np.zeros(n_h + n_e + n_t)
                row[k * m + j], row[n_h + n_e + g * r + k] = 1, -1
                A.append(row[None])
                b.append([0.0])
        if radii is not None:
            row = np.zeros(n_h + n_e + n_t)
            row[n_h + n_e + g * r : n_h + n_e + (g + 1) * r] = 1
            A.append(row[None])
            b.append([radii[g]])
    cost = np.concatenate([np.zeros(n_h), np.ones(n_e), np.full(n_t, alpha)])
    found = linprog(cost, A_ub=np.vstack(A), b_ub=np.concatenate(b), method="highs")
    assert found.status == 0, found.message
    return found.fun


def optimum_2(X, W, groups, radii=None, alpha=0.0):
    """The same for 2-norms, by SLSQP; norms are rounded at zero, so a little above."""
    (n, m), r = X.shape, W.shape[1]
    n_h, n_e = r * m, n * m

    def group_norms(v):
        H = v[:n_h].reshape(r, m)
        return np.array([np.sqrt((H[:, list(g)] ** 2).sum(axis=1) + 1e-10).sum() for g in groups])

    def slopes(v):
        H = v[:n_h].reshape(r, m)
        out = np.zeros((len(groups), len(v)))
        for i, g in enumerate(groups):
            D = np.zeros_like(H)
            part = H[:, list(g)]
            D[:, list(g)] = part / np.sqrt((part**2).sum(axis=1, keepdims=True) + 1e-10)
            out[i, :n_h] = D.ravel()
        return out

    fit = np.hstack([np.kron(W, np.eye(m)), np.eye(n_e), -np.eye(n_e)])
    cost = np.concatenate([np.zeros(n_h), np.ones(2 * n_e)])
    constraints = [{"type": "eq", "fun": lambda v: fit @ v - X.ravel(), "jac": lambda v: fit}]
    if radii is not None:
        constraints.append(
            {"type": "ineq", "fun": lambda v: radii - group_norms(v), "jac": lambda v: -slopes(v)}
        )
    found = minimize(
        lambda v: cost @ v + alpha * group_norms(v).sum(),
        np.concatenate([np.full(n_h, 0.05), X.ravel(), np.zeros(n_e)]),
        jac=lambda v: cost + alpha * slopes(v).sum(axis=0),
        bounds=[(0, None)] * len(cost),
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-10, "maxiter": 500},
    )
    assert found.success, found.message
    H = found.x[:n_h].reshape(r, m)
    return np.abs(X - W @ H).sum() + alpha * group_norms(found.x).sum()


def solve(X, W, prox, mu=1e-3):
    """Our sub-problem of Ht, and the error that smoothing can make in it."""
    loss = SmoothedLoss(X, W, mu, np.empty_like(X), varies="H", lipschitz="spectral")
    start = np.full((X.shape[1], W.shape[1]), 0.05)
    prox(start, 0.0)
    result = optimal_gradient(loss, start, prox=prox, tol=1e-6, max_iter=20000, restart=True)
    return result.factor, loss.smoothing_error


@pytest.mark.against("mahnmf-gs", "scipy.optimize.linprog", part="SmoothedLoss")
@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("form", ["constraint", "penalty"])
def test_the_convex_sub_problem_ends_at_the_optimum(p, form):
    """Within the error of smoothing, the objective over H is that of a generic solver."""
    X, W, _ = problem(n=6, m=4, r=2)
    groups = [[0, 2], [1, 3]]
    optimum = optimum_2 if p == 2 else optimum_inf
    indices = [np.array(g) for g in groups]
    if form == "constraint":
        radii = np.array([0.4, 0.6])
        Ht, error = solve(X, W, GroupBall(indices, float(p), radii))
        value = manhattan(X, W, Ht)
        assert np.all(norms(Ht.T, groups, p) <= radii * (1 + 1e-12))
        expected = optimum(X, W, groups, radii=radii)
    else:
        prox = GroupPenalty(indices, float(p), 2.0)
        Ht, error = solve(X, W, prox)
        value = manhattan(X, W, Ht) + prox.value(Ht)
        expected = optimum(X, W, groups, alpha=2.0)
    slack = 1e-4 * expected  # of the oracle for p = 2
    assert expected - slack <= value <= expected + error + slack


@pytest.mark.parametrize("p", [2, "inf", np.inf])
def test_the_constraints_hold_at_the_end(p):
    """Group norms are at most half of those at the start, and W stays in its box."""
    X, W, H = problem()
    start = W.max(axis=0)[:, None] * H if W.max() > 1 else H
    model = MahNMFGS(n_components=3, groups=VIEWS, p=p, max_iter=15)
    found = model.fit_transform(X, W=W, H=H)
    np.testing.assert_allclose(model.bounds_, 0.5 * np.array(norms(start, VIEWS, p)))
    np.testing.assert_allclose(model.group_norms_.sum(axis=1), norms(model.components_, VIEWS, p))
    assert np.all(model.group_norms_.sum(axis=1) <= model.bounds_ * (1 + 1e-12))
    assert found.min() >= 0
    assert found.max() <= 1
    assert model.objective_ == pytest.approx(
        manhattan(X, found, np.ascontiguousarray(model.components_.T)), rel=1e-9
    )


@pytest.mark.parametrize("p", P)
def test_samples_may_be_in_groups_too(p):
    """With groups of samples W has a constraint of its own, and no box."""
    X, W, H = problem()
    labels = np.arange(20) % 4
    samples = [np.flatnonzero(labels == label) for label in range(4)]
    model = MahNMFGS(n_components=3, sample_groups=labels, p=p, bound=0.8, max_iter=10)
    found = model.fit_transform(X, W=W, H=H)
    limits = 0.8 * np.array(norms(W.T, samples, p))
    assert np.all(np.array(norms(found.T, samples, p)) <= limits * (1 + 1e-12))


def test_without_penalty_and_box_it_is_plain_smoothing():
    """With alpha = beta = 0 and no upper bound, every iterate is that of mahnmf-ogm."""
    X, W, H = problem()
    plain = MahNMFOGM(n_components=3, max_iter=12, tol=0).fit(X, W=W, H=H)
    ours = MahNMFGS(n_components=3, form="penalty", alpha=0, upper=np.inf, max_iter=12, tol=0).fit(
        X, W=W, H=H
    )
    np.testing.assert_array_equal(ours.trace_["objective"], plain.trace_["objective"])


@pytest.mark.parametrize("p", P)
def test_a_proximal_step_lowers_the_composite(p):
    """From any point, one step of length 1 / L lowers smoothed loss plus penalty."""
    X, W, H = problem()
    loss = SmoothedLoss(X, W, 0.1, np.empty_like(X), varies="H")
    prox = GroupPenalty([np.arange(4), np.arange(4, 9)], float(p), 3.0)
    Ht, g = H.T.copy(), np.empty(H.T.shape)
    before = loss.gradient(Ht, g) + prox.value(Ht)
    for _ in range(20):
        after = Ht - g / loss.lipschitz
        prox(after, 1 / loss.lipschitz)
        gained = 0.5 * loss.lipschitz * np.sum((after - Ht) ** 2)
        value = loss.gradient(after, g) + prox.value(after)
        assert value <= before - gained + 1e-9
        Ht, before = after, value


@pytest.mark.parametrize("p", P)
def test_views_switch_components_off(p):
    """Where each view has components of its own, a penalty leaves exact zeros to the others."""
    rng = np.random.default_rng(0)
    H = np.zeros((4, 20))
    H[:2, :10], H[2:, 10:] = rng.random((2, 10)), rng.random((2, 10))
    X = rng.random((40, 4)) @ H
    views = [slice(0, 10), slice(10, 20)]
    model = MahNMFGS(
        n_components=4, groups=views, form="penalty", p=p, alpha=8.0, random_state=0, max_iter=60
    ).fit(X)
    off = model.group_norms_ == 0
    np.testing.assert_array_equal(off, [~model.components_[:, v].any(axis=1) for v in views])
    assert off.sum() >= 2
    assert model.objective_ < 0.9 * np.abs(X).sum()


@pytest.mark.parametrize("p", P)
def test_a_heavy_penalty_switches_everything_off(p):
    """With a weight above the slope of the loss, zero is the solution."""
    X, W, H = problem()
    model = MahNMFGS(n_components=3, form="penalty", p=p, alpha=1e4, max_iter=15)
    with pytest.warns(UserWarning, match="all components are zero"):
        model.fit(X, W=W, H=H)
    assert not model.components_.any()
    assert model.n_dead_components_ == 3
    assert model.objective_ == pytest.approx(np.abs(X).sum())


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.0), (0.0, 0.5), (0.5, 0.5)])
def test_the_objective_counts_the_penalties(alpha, beta):
    """It is the loss plus both weighted norms, and never rises with the safeguard."""
    X, W, H = problem()
    model = MahNMFGS(
        n_components=3, form="penalty", alpha=alpha, beta=beta, safeguard=True, max_iter=20
    )
    found = model.fit_transform(X, W=W, H=H)
    H = model.components_
    expected = manhattan(X, found, np.ascontiguousarray(H.T))
    expected += alpha * norms(H, [range(9)], "inf")[0]
    expected += beta * norms(found.T, [range(20)], "inf")[0]
    assert model.objective_ == pytest.approx(expected, rel=1e-9)
    assert np.all(np.diff(model.trace_["objective"]) <= 1e-9)
    assert (H.max() <= 1) or alpha
    assert (found.max() <= 1) or beta


def test_without_a_bound_the_scale_escapes():
    """Shrinking H and growing W leaves the loss and lowers the penalty, unless W is bounded."""
    X, W, H = problem()
    free, boxed = (
        MahNMFGS(n_components=3, form="penalty", alpha=5.0, upper=upper, max_iter=30, tol=0)
        for upper in (np.inf, 1.0)
    )
    assert free.fit_transform(X, W=W, H=H).max() > 1
    assert boxed.fit_transform(X, W=W, H=H).max() <= 1
    assert free.objective_ < boxed.objective_
    assert free.group_norms_.sum() < boxed.group_norms_.sum()


def test_a_start_outside_the_box_is_scaled_into_it():
    """Its product stays, as the scale moves to H before the norms are taken."""
    X, W, H = problem()
    one = MahNMFGS(n_components=3, bound=2.0, max_iter=3).fit(X, W=50 * W, H=H / 50)
    assert one.trace_["objective"][0] == pytest.approx(manhattan(X, W, H.T.copy()))


@pytest.mark.against("mahnmf-gs", "scipy.optimize.linprog")
@pytest.mark.parametrize("options", [{}, {"sample_groups": [0] * 20}])
def test_transform_is_exact_and_has_its_certificate(options):
    """New samples are in no group: in the box, or free where training samples had groups."""
    X, W, H = problem()
    model = MahNMFGS(n_components=3, max_iter=5, **options).fit(X, W=W, H=H)
    new, *_ = problem(seed=1, n=6)
    found = model.transform(new)
    for x, w in zip(new, found, strict=True):
        A = np.hstack([model.components_.T, np.eye(9), -np.eye(9)])
        bounds = [(0, None if options else 1)] * 3 + [(0, None)] * 18
        cost = np.concatenate([np.zeros(3), np.ones(18)])
        optimum = linprog(cost, A_eq=A, b_eq=x, bounds=bounds, method="highs").fun
        assert np.abs(x - w @ model.components_).sum() == pytest.approx(optimum, rel=1e-8)
    certificate = model.certificate(new)
    assert certificate["gap"] < 1e-8
    assert certificate["primal"] == pytest.approx(np.abs(new - found @ model.components_).sum())


def test_one_sub_problem_leaves_its_basis_as_it_is():
    """``represent`` neither scales nor projects the basis, nor the weights it is given."""
    X, W, H = problem()
    kept = W.copy(), H.copy()
    found = MahNMFGS(n_components=3, mu0=1e-3, inner_max_iter=5000).represent(X, H, W)
    np.testing.assert_array_equal(W, kept[0])
    np.testing.assert_array_equal(H, kept[1])
    assert found.max() <= 1
    assert manhattan(X, found, H.T.copy()) < manhattan(X, W, H.T.copy())


def test_groups_may_be_labels_indices_or_slices():
    """All say the same; none is one group; labels may be words."""
    expected = [[0, 2], [1, 3]]
    for groups in (["a", "b", "a", "b"], np.array([5, 7, 5, 7]), [[2, 0], (1, 3)]):
        assert [g.tolist() for g in check_groups(groups, 4)] == expected
    assert [g.tolist() for g in check_groups([slice(0, 3), slice(3, None)], 4)] == [[0, 1, 2], [3]]
    assert [g.tolist() for g in check_groups(None, 3)] == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("groups", "match"),
    [
        ([0, 1], "groups has 2 labels, but X has 9 features"),
        ([[0, 1, 2], [2, 3, 4, 5, 6, 7, 8]], "each of the 9 features once"),
        ([range(8)], "each of the 9 features once"),
        ([range(9), []], "none of them empty"),
        ([range(10)], "indices from 0 to 9"),
        ([[-1, *range(8)]], "indices from -1"),
        ([[0.5, 1.5], range(9)], "lists of indices"),
    ],
)
def test_groups_that_are_no_partition_are_refused(groups, match):
    """Each feature belongs to one group, and the message says what is wrong."""
    X, *_ = problem()
    with pytest.raises(ValueError, match=match):
        MahNMFGS(n_components=2, groups=groups).fit(X)


def test_groups_of_samples_are_refused_by_name():
    """The parameter at fault is named."""
    X, *_ = problem()
    with pytest.raises(ValueError, match="sample_groups has 3 labels, but X has 20 samples"):
        MahNMFGS(n_components=2, sample_groups=[0, 1, 1]).fit(X)


@pytest.mark.parametrize(
    "params",
    [
        {"form": "both"},
        {"p": 1},
        {"p": "2"},
        {"bound": 0.0},
        {"bound": np.inf},
        {"alpha": -1.0},
        {"beta": np.nan},
        {"upper": 0.0},
    ],
)
def test_bad_parameters_are_refused(params):
    """A value that makes no sense is refused by the name of its parameter."""
    X, *_ = problem()
    with pytest.raises(ValueError, match=f"{next(iter(params))} must be"):
        solvers["mahnmf-gs"].target(n_components=2, **params).fit(X)
