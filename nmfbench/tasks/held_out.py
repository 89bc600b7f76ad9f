"""Held-out entries: how well do factors of a part of a matrix predict entries of the rest?"""

from __future__ import annotations

import numpy as np
from scipy.linalg import pinv

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_count
from nmfbench.metrics.factors import relative_error
from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.tasks.base import (
    SCALED,
    Outcome,
    drawn_start,
    in_units_of,
    timed_fit,
    total_cost,
)

__all__ = [
    "draw_blocks",
    "errors_by_rank",
    "held_out",
    "predict_block",
    "predict_blocks",
    "split_at",
]

_RTOL = 1e-6  # of the singular values of signed factors that count


@register_task(
    "held-out",
    summary="relative error of held-out entries, by bi-cross-validation",
    title="Held-out entries",
    score="held-out-error",
    score_name="relative error of the held-out entries",
    higher_is_better=False,
    matters={"*-error": Ratio(0.02)},
    revisions=SCALED,
)
def held_out(data, solver, rng, *, n_components, n_folds=2, dtype="float64"):
    r"""Hold blocks of entries out of a matrix, and predict them from factors of the rest.

    Samples and features are divided into folds at random, so that each pair of folds is a block A
    of entries. For each block the matrix is, its rows and columns put in order,

    .. math:: \begin{pmatrix} A & B \\ C & D \end{pmatrix}, \qquad D \approx L R, \qquad
              \hat A = \Big(\arg\min_{W\ge0} \|B - W R\|_F^2\Big)
                       \Big(\arg\min_{H\ge0} \|C - L H\|_F^2\Big),

    where the solver is fitted to D alone. So no solver needs weights or masks, and none sees an
    entry that it has to predict. In the end every entry is predicted once.

    Parameters
    ----------
    data : Bunch
        With ``X``, dense, and ``clean`` where ``X`` is corrupted.
    solver : estimator
        With ``components_`` once fitted.
    rng : Generator
        Draws the folds, then the starts: the same for every solver.
    n_components : int
        Rank.
    n_folds : int, default=2
        Of the samples, and of the features. Halves of both are what Owen & Perry recommend.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the fits.

    Returns
    -------
    Outcome
        Metrics ``held-out-error``, the relative error of the prediction of all entries, against
        the clean ones where they are known, and ``retained-error``, that of the products L R
        against the parts that the fits saw. Cost and iterations are sums over the blocks.

    References
    ----------
    Owen & Perry (2009), Bi-cross-validation of the SVD and the nonnegative matrix factorization,
    Annals of Applied Statistics 3(2). Kanagal & Sindhwani (2010), Rank selection in low-rank
    matrix approximations: a study of cross-validation for NMFs, hold out scattered entries
    instead, which needs solvers with weights.
    """
    X = np.asarray(data.X, dtype=dtype)
    blocks = draw_blocks(X.shape, n_folds, rng)
    predicted, retained, fit = predict_blocks(X, solver, n_components, blocks, rng)
    clean = data.get("clean", data.X)
    metrics = {"held-out-error": relative_error(clean, predicted), "retained-error": retained}
    return Outcome(metrics, fit)


def draw_blocks(shape, n_folds, rng):
    """Divide rows and columns at random, each into folds of nearly equal size.

    Returns
    -------
    list of (ndarray of int, ndarray of int)
        Rows and columns of each block, sorted. Every entry is in one of the blocks.

    Examples
    --------
    >>> blocks = draw_blocks((3, 4), 2, np.random.default_rng(0))
    >>> [(len(rows), len(columns)) for rows, columns in blocks]
    [(2, 2), (2, 2), (1, 2), (1, 2)]
    """
    check_count(n_folds, "n_folds", least=2)
    if n_folds > min(shape):
        raise ValueError(f"n_folds is {n_folds}, but the data have the shape {tuple(shape)}.")
    folds = [
        [np.sort(fold) for fold in np.array_split(rng.permutation(size), n_folds)] for size in shape
    ]
    return [(rows, columns) for rows in folds[0] for columns in folds[1]]


def errors_by_rank(X, solver, ranks, n_folds, rng):
    """Relative error of held-out entries for each of several ranks, on the same blocks.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    solver : estimator
    ranks : sequence of int
        At least one.
    n_folds : int
        Of the samples, and of the features.
    rng : Generator
        Draws the folds, then the starts.

    Returns
    -------
    errors : dict of int to float
        In increasing order of the rank.
    fits : list of dict
        Costs, one for each rank.
    """
    blocks = draw_blocks(X.shape, n_folds, rng)
    errors, fits = {}, []
    for rank in sorted(set(ranks)):
        predicted, _, fit = predict_blocks(X, solver, rank, blocks, rng)
        errors[rank] = relative_error(X, predicted)
        fits.append(fit)
    if not errors:
        raise ValueError("ranks is empty: there is nothing to choose from.")
    return errors, fits


def split_at(X, rows, columns):
    """The blocks of a matrix around one of them: A, which has these rows and columns; B, C, D.

    B shares the rows of A, C its columns, and D neither.
    """
    others = tuple(
        np.setdiff1d(np.arange(size), held)
        for size, held in zip(X.shape, (rows, columns), strict=True)
    )
    pairs = (rows, columns), (rows, others[1]), (others[0], columns), others
    return tuple(X[np.ix_(*pair)] for pair in pairs)


def predict_blocks(X, solver, n_components, blocks, rng):
    """Predict blocks of a matrix, each from a fit of the rows and columns that are not its own.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    solver : estimator
    n_components : int
    blocks : sequence of (ndarray of int, ndarray of int)
        Of :func:`draw_blocks`.
    rng : Generator
        Draws the starts.

    Returns
    -------
    predicted : ndarray of the shape of X
    retained : float
        Relative error of the products of factors against the parts they were fitted to.
    fit : dict
        Cost of the fits in all.
    """
    check_count(n_components, "n_components")
    solver.set_params(n_components=n_components)
    predicted = np.empty(X.shape)
    fits, parts, products = [], [], []
    for rows, columns in blocks:
        _, B, C, D = split_at(X, rows, columns)
        start = drawn_start(solver, D, n_components, rng)
        fit, arrays = timed_fit(solver, D, representation=True, **start)
        L, R = _factors(solver, in_units_of(D, solver, arrays["W"]))
        signed = getattr(solver, "signed", False)
        predicted[np.ix_(rows, columns)] = predict_block(L, R, B, C, signed=signed)
        fits.append(fit)
        parts.append(D.ravel())
        products.append((L @ R).ravel())
    retained = relative_error(np.concatenate(parts), np.concatenate(products))
    return predicted, retained, total_cost(fits)


def _factors(solver, W):
    """Factors whose product stands for the data; a mean is one component more."""
    L, R = np.asarray(W, dtype=np.float64), np.asarray(solver.components_, dtype=np.float64)
    mean = getattr(solver, "mean_", None)
    if mean is None:
        return L, R
    return np.column_stack([L, np.ones(len(L))]), np.vstack([R, mean])


def predict_block(L, R, B, C, *, signed=False, project=project_frobenius):
    r"""Predict the block A of a matrix from factors of its block D; see :func:`held_out`.

    Parameters
    ----------
    L : ndarray of shape (n_others, r)
    R : ndarray of shape (r, m_others)
        :math:`D \approx L R`.
    B : ndarray of shape (n, m_others)
        Right of A.
    C : ndarray of shape (n_others, m)
        Below A.
    signed : bool, default=False
        Least squares without the constraint, for factors of any sign: :math:`\hat A = B R^\dagger
        L^\dagger C`.
    project : callable, optional
        Another loss than least squares, of :data:`nmfbench.optim.projections.PROJECTIONS`.

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> X = np.outer([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    >>> L, R = X[1:, 1:2] / 5, X[1:2, 1:] / 2  # twice the factor, half the other
    >>> predict_block(L, R, X[:1, 1:], X[1:, :1])
    array([[4.]])
    """
    B, C = np.asarray(B, dtype=np.float64), np.asarray(C, dtype=np.float64)
    if signed:
        return (B @ pinv(R, rtol=_RTOL)) @ (pinv(L, rtol=_RTOL) @ C)
    return project(B, R) @ project(C.T, L.T).T
