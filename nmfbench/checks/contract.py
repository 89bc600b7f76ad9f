"""Checks on what a solver must give: factors, anchors, a trace."""

from __future__ import annotations

import random

import numpy as np

from nmfbench.checks.case import (
    N_FEATURES,
    N_SAMPLES,
    RANK,
    CheckFailed,
    NotApplicable,
    check,
    easy_data,
    in_a_line,
)
from nmfbench.guests.validate import checked_factor, checked_indices, own_trace
from nmfbench.optim.losses import LOSSES

_SLACK = 1.1  # a median, say, is a little farther than the mean


@check("a fit of easy data ends")
def _fits(case):
    case.fit(case.raw(), case.data())


@check("components_ is finite and non-negative, of shape (n_components, n_features)")
def _components(case):
    for r in (RANK, 2):
        model, X = case.raw(r=r), case.data()
        case.fit(model, X)
        if not hasattr(model, "components_"):
            raise CheckFailed(
                "there is no components_ after the fit",
                "set self.components_, of shape (n_components, n_features), in fit",
            )
        checked_factor("components_", model.components_, (r, X.shape[1]), signed=case.signed)


@check("W is finite and non-negative, of shape (n_samples, n_components)")
def _representation(case):
    model, X = case.raw(), case.data()
    W = case.fit(model, X)
    name = "fit_transform(X)"
    if W is None:
        if not callable(getattr(model, "transform", None)):
            raise NotApplicable("it has neither fit_transform nor transform; both are supplied")
        name, W = "transform(X)", model.transform(X)
    checked_factor(name, W, (X.shape[0], RANK), signed=case.signed)


@check("transform gives a row of W for each new sample")
def _transform(case):
    model, X = case.raw(), case.data()
    if not callable(getattr(model, "transform", None)):
        raise NotApplicable("it has none; an exact projection is supplied")
    case.fit(model, X)
    case.input += ".transform(X[:5])"
    W = model.transform(X[:5])
    checked_factor("transform(X[:5])", W, (5, RANK), signed=case.signed)


@check("W @ components_ is about as near to easy data as the mean of the samples, or nearer")
def _explains(case):
    model, X = case.make(), case.data()
    W = case.fit(model, X)
    if W is None:
        raise NotApplicable("it gives no W")
    if not case.is_guest and case.loss is None:
        raise NotApplicable("it minimises more than a loss")
    error = np.linalg.norm(X - case.reconstruct(model, W))
    mean = np.linalg.norm(X - X.mean(axis=0))
    if not error < _SLACK * mean:
        raise CheckFailed(
            f"the reconstruction misses X by {error:.3g}, the mean of the samples by {mean:.3g}",
            "see that W belongs to components_ (their scale, their order) and that enough "
            "iterations are made; samples are rows of X",
        )


@check("two fits with one seed are the same")
def _same_seed(case):
    for sparse in case.layouts():
        X = case.data(sparse=sparse)
        results = []
        for _ in range(2):
            random.seed(0)
            np.random.seed(0)  # noqa: NPY002
            model = case.make()
            W = case.fit(model, X)
            objective = model.trace_["objective"] if hasattr(model, "trace_") else 0.0
            results.append([model.components_, 0.0 if W is None else W, objective])
        for pair in zip(*results, strict=True):
            first, second = pair
            if not np.array_equal(first, second, equal_nan=True):
                raise CheckFailed(
                    "two fits with the same seed differ by up to "
                    f"{np.nanmax(np.abs(np.subtract(*pair))):.3g}",
                    (
                        "draw from np.random.default_rng(self.random_state), made in fit"
                        if "random_state" in case.known
                        else "take a parameter random_state and draw from "
                        "np.random.default_rng(random_state)"
                    )
                    + "; give a library that the class wraps its seed, too (the global states of "
                    "numpy and random are seeded before each fit here, so it draws elsewhere)",
                )


@check("one component is enough")
def _rank_one(case):
    case.factorize(case.make(r=1), case.data())


@check("zero rows and zero columns do no harm")
def _zeros(case):
    for r in (RANK, 1):
        for sparse in case.layouts():
            model, X = case.make(r=r), case.data(zeros=True, sparse=sparse)
            try:
                case.factorize(model, X)
            except CheckFailed as failed:
                if case.loss == "itakura-saito" and failed.problem.startswith("the fit raises"):
                    raise NotApplicable(
                        "it refuses zeros, at which its loss is not defined"
                    ) from None
                raise


@check("a fit of larger data ends")
def _larger(case):
    X = case.suited(np.tile(easy_data(), (10, 10)), "np.tile(easy_data(), (10, 10))")
    case.factorize(case.make(), X)


@check("data of single precision will do")
def _float32(case):
    case.factorize(case.make(), case.data(dtype="float32"))


@check("data that are all zero are refused by an exception or fitted by zeros")
def _all_zero(case):
    model = case.make()
    X = case.suited(np.zeros((N_SAMPLES, N_FEATURES)), "np.zeros((24, 10))")
    try:
        W = case.factorize(model, X)
    except CheckFailed as failed:
        if failed.problem.startswith("the fit raises"):
            return
        raise
    if W is not None and np.abs(case.reconstruct(model, W)).max() > 1e-6:
        raise CheckFailed("a zero matrix is fitted by something else", "guard divisions by zero")


@check("given factors are where it starts")
def _start(case):
    if not case.takes_factors:
        raise NotApplicable("its fit takes no W and H")
    X = case.data()
    results = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002
        model = case.make(seed=seed)
        case.fit(model, X, **case.start(X))
        results.append(model.components_)
    if not np.array_equal(*results):
        gap = np.abs(results[0] - results[1]).max()
        raise CheckFailed(
            f"from the same W and H two fits with other seeds differ by up to {gap:.3g}",
            "start from W and H when they are given, and draw nothing then",
        )


@check("anchors are different rows of X, and the components are these rows")
def _anchors(case):
    for sparse in case.layouts():
        model, X = case.make(), case.data(sparse=sparse)
        case.fit(model, X)
        anchors = _anchors_of(model, X)
        rows = X[anchors].toarray() if sparse else X[anchors]
        if rows.shape != model.components_.shape:
            raise CheckFailed(
                f"there are {len(rows)} anchor_indices_, but {len(model.components_)} components",
                "each component is the row of X at an anchor",
            )
        gap = np.abs(rows - model.components_).max()
        if gap > 1e-6:
            raise CheckFailed(
                f"components_ differs from X[anchor_indices_] by up to {gap:.3g}",
                "set self.components_ = X[self.anchor_indices_]",
            )


def _anchors_of(model, X):
    anchors = getattr(model, "anchor_indices_", None)
    if anchors is None:
        raise NotApplicable("it has no anchor_indices_")
    return checked_indices("anchor_indices_", anchors, X.shape[0])


@check("the first anchors of a larger fit equal a smaller fit's, if declared nested")
def _nested(case):
    if not case.declares("nested"):
        raise NotApplicable("it does not say nested")
    X = case.data(noise=0.2)
    found = {}
    for r in (1, 3, 5):
        model = case.make(r=r)
        case.fit(model, X)
        found[r] = _anchors_of(model, X).tolist()
    for r in (1, 3):
        if found[r] != found[5][:r]:
            raise CheckFailed(
                f"with {r} components it chooses the rows {found[r]}, with 5 first {found[5][:r]}",
                "choose one row after another, whatever n_components is, or do not say nested",
            )


@check("of permuted samples it chooses the same, and W is permuted", note=True)
def _permutation(case):
    X = case.data()
    order = np.random.default_rng(2).permutation(N_SAMPLES)
    permuted = X[order][:, order] if case.symmetric else X[order]
    if case.takes_factors:
        _permutes_factors(case, X, permuted, order)
    else:
        _permutes_anchors(case, X, permuted, order)


def _permutes_factors(case, X, permuted, order):
    start = case.start(X)
    features = order if case.symmetric else slice(None)
    few = {"max_iter": 10} if "max_iter" in case.known else {}
    models = [case.make(**few), case.make(**few)]
    plain = case.fit(models[0], X, **start)
    if plain is None:
        raise NotApplicable("it gives no W")
    other = case.fit(models[1], permuted, W=start["W"][order], H=start["H"][:, features])
    gap = max(
        np.abs(other - plain[order]).max(),
        np.abs(models[1].components_ - models[0].components_[:, features]).max(),
    )
    scale = max(1.0, np.abs(plain).max(), np.abs(models[0].components_).max())
    if gap > scale * (1e-8 if plain.dtype == np.float64 else 1e-3):
        raise CheckFailed(
            f"from permuted initial factors permuted samples give factors that differ by {gap:.3g}",
            "nothing, if it takes samples one after another; else look for what depends on the "
            "order of the rows",
        )


def _permutes_anchors(case, X, permuted, order):
    def choose(data, seed):
        model = case.make(seed=seed)
        case.fit(model, data)
        return _anchors_of(model, data)

    plain, found = choose(X, 0), order[choose(permuted, 0)]
    same = np.array_equal if case.declares("nested") else _same_set
    if same(plain, found):
        return
    if not same(plain, choose(X, 1)):
        raise NotApplicable("it chooses rows at random")
    raise CheckFailed(
        f"of permuted samples it chooses the rows {found.tolist()}, before {plain.tolist()}",
        "look for what depends on the order of the rows, as the first of equal ones does",
    )


def _same_set(a, b):
    return set(a.tolist()) == set(b.tolist())


@check("trace_ counts iterations and time forward, and its objective is finite", note=True)
def _trace(case):
    for dtype in ("float64", "float32"):
        model, X = case.raw(), case.data(dtype=dtype)
        case.fit(model, X)
        trace = _trace_of(model)
        if not np.isfinite(trace["objective"]).all():
            raise CheckFailed(
                "the objective of trace_ is not finite everywhere",
                "guard divisions and logarithms; leave out rows without an objective",
            )
        if not (np.diff(trace["iteration"]) > 0).all():
            raise CheckFailed("the iterations of trace_ do not grow", "add one row per iteration")
        if not (np.diff(trace["seconds"]) >= 0).all():
            raise CheckFailed(
                "the seconds of trace_ go back", "take them from time.perf_counter(), summed up"
            )


def _trace_of(model):
    trace = own_trace(model)
    if trace is None:
        raise NotApplicable("it keeps no trace_ of our form; one is made of shorter fits")
    return trace


@check("the objective of trace_ is the loss, at given factors and at those returned", note=True)
def _objective(case):
    if not case.takes_factors or case.loss is None:
        raise NotApplicable("its fit takes no W and H, or it minimises more than a loss")
    model, X = case.raw(), case.data()
    start = case.start(X)
    W = case.fit(model, X, **{name: factor.copy() for name, factor in start.items()})
    trace = _trace_of(model)
    if W is None or getattr(model, "mean_", None) is not None:
        raise NotApplicable("it gives no W, or adds a mean")
    objective = trace["objective"]
    ends = [objective[-1], objective.min()]  # the least, where the best factors are kept
    _same_loss(case, "ends", ends, X, W, model.components_)
    if trace["iteration"][0] == 0:
        _same_loss(case, "begins", objective[:1], X, start["W"], start["H"])


def _same_loss(case, verb, objectives, X, W, H):
    loss = LOSSES[case.loss](X, W, np.ascontiguousarray(H.T))
    if not np.isclose(objectives, loss, rtol=1e-6, atol=1e-12).any():
        raise CheckFailed(
            f"the objective of trace_ {verb} with {objectives[0]:.6g}, where the loss "
            f"{case.loss!r} is {loss:.6g}",
            "record the loss itself, without a factor such as 1/2, before the first step and after "
            "the last; nothing, if it minimises more than a loss",
        )


@check("the objective never rises, if it says monotone")
def _monotone(case):
    if not case.declares("monotone"):
        raise NotApplicable("it does not say monotone")
    for dtype in ("float64", "float32"):
        rounding = 1e3 * np.finfo(dtype).eps
        for seed in range(3):
            model, X = case.raw(), case.data(noise=0.3, seed=seed, dtype=dtype)
            case.fit(model, X)
            trace = _trace_of(model)
            before, rise = trace["objective"][:-1], np.diff(trace["objective"])
            rises = np.flatnonzero(rise > rounding * np.abs(before) + 1e-12)
            if len(rises):
                first = rises[0]
                raise CheckFailed(
                    f"the objective rises by {rise[first]:.3g} from {before[first]:.6g} after "
                    f"iteration {trace['iteration'][first]}",
                    "look at the step that is made there, or do not say monotone",
                )


@check("sparse data give what dense data give")
def _sparse(case):
    if not case.accepts_sparse:
        raise NotApplicable("it does not say accepts_sparse; its data are made dense")
    found = []
    for sparse in (False, True):
        model, X = case.make(), case.data(sparse=sparse)
        case.fit(model, X)
        found.append(model.components_)
    dense, from_sparse = found
    if not np.allclose(dense, from_sparse, rtol=1e-3, atol=1e-4 * np.abs(found[0]).max()):
        gap = np.abs(found[0] - found[1]).max()
        raise CheckFailed(
            f"the components of a CSR and of the dense matrix differ by up to {gap:.3g}",
            "see what X * Y and X.sum(axis=1) mean for a CSR matrix, or drop accepts_sparse",
        )


@check("partial_fit takes batch after batch")
def _batches(case):
    if not callable(getattr(case.kind, "partial_fit", None)):
        raise NotApplicable("it has no partial_fit")
    model, X = case.raw(), case.data()
    case.input = f"X = {case.shown}; m = {case.made}; m.partial_fit(X[:12]); m.partial_fit(X[12:])"
    try:
        for batch in (X[:12], X[12:]):
            model.partial_fit(batch.copy())
    except Exception as error:
        raise CheckFailed(
            f"partial_fit raises {in_a_line(error)}",
            "it must take batches of other sizes than before",
        ) from None
    H = getattr(model, "components_", None)
    checked_factor("components_", H, (RANK, X.shape[1]), signed=case.signed)
