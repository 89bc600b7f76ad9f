r"""Solvers: scikit-learn estimators that factorize ``X ~ W @ components_``, with W >= 0.

A folder for each family, a file for each algorithm. Every module below is imported on first
use, so that a new solver is one new file, and no other is edited.

How to add a solver
-------------------
A solver with an iteration inherits from :class:`~nmfbench.solvers.bases.loop.BaseNMF`, or from its
family's base, which owns validation, initial factors, the loop, the clock, the trace and the
fitted attributes. It is a dataclass whose fields are its hyper-parameters; what moves lives in
``State``. This one takes projected gradient steps, and inherits ``_start``, ``_objective``, the
stopping rule and ``transform`` from the Frobenius family:

>>> from dataclasses import dataclass
>>> import numpy as np
>>> from nmfbench.core.registry import register_solver
>>> from nmfbench.core.validation import check_number
>>> from nmfbench.solvers.frobenius.base import BaseFrobenius

>>> @register_solver(
...     "projected-gradient",
...     name="PG",
...     family="frobenius",
...     reference="Lin 2007",
...     monotone=True,  # promises that the objective never rises; the common tests check it
...     cost=("nmr",),  # leading terms in the time of an iteration
... )
... @dataclass(eq=False, repr=False, kw_only=True)
... class ProjectedGradient(BaseFrobenius):
...     '''One projected gradient step on each factor, of length 1 / its Lipschitz constant.
...
...     Parameters
...     ----------
...     damping : float, default=1.0
...         Factor of the step length, above 0 and no more than 1.
...
...     Notation
...     --------
...     Their V, W, H are our X, W, H.
...
...     Cost
...     ----
...     Per iteration: two products of ``X`` with r vectors, and :math:`O((n+m)r^2)`.
...     '''
...
...     damping: float = 1.0
...
...     def _validate_params_of_solver(self):
...         super()._validate_params_of_solver()
...         check_number(self.damping, "damping", above=0, at_most=1)
...
...     def _update(self, factor, cross, gram):
...         # Lin (2007), Eq. (9); cross and gram are X @ other and other.T @ other.
...         length = max(np.linalg.norm(gram, 2), np.finfo(gram.dtype).tiny)
...         factor -= self.damping / length * (factor @ gram - cross)
...         np.maximum(factor, 0, out=factor)

A parameter that makes no sense is refused, with its name in the message; whole numbers are checked
by ``check_count``, names by ``check_choice`` (:mod:`nmfbench.core.validation`). The docstring has
the letters of the paper in ours (*Notation*) and the *Cost* of an iteration as text, which the
common tests look for, and wants more: the problem as a formula, and the sections *Notes* (what is
guaranteed), *Departures* (from the paper, with reasons) and *References*. ``nmfbench card KEY``
shows them.

It is an estimator now, and has a name:

>>> X = np.outer([1.0, 2.0, 0.0, 3.0], [1.0, 0.0, 2.0])
>>> model = ProjectedGradient(n_components=1, tol=1e-12, random_state=0).fit(X)
>>> bool(np.allclose(model.transform(X) @ model.components_, X))
True
>>> model.stop_reason_
'converged'
>>> from nmfbench.core.registry import solvers
>>> solvers["projected-gradient"].info["reference"]
'Lin 2007'

What the base asks of a solver that starts from scratch: ``_start(X, r, rng, factors)`` returns
the state, ``_step(X, s)`` makes an iteration in place, ``_objective(X, s)`` is what is minimised
(not on the clock), ``_converged(s, trace)`` says when to stop and ``_n_steps(r)`` at the latest,
``_finish(X, s)`` sets ``components_``, and ``_representation(X, s)`` is W. A solver that alternates
over two factors inherits most of these from
:class:`~nmfbench.solvers.bases.alternating.BaseAlternating`. Class variables say what it
takes and what it minimises: ``accepts_sparse``, ``loss``, ``signed``, ``symmetric``,
``square``, ``takes_factors``.

``transform`` is non-negative least squares, unless the solver or its base gives another
``_project(X)``; then it gives ``_certify(X)`` beside it, a proof of how near to the optimum that
is, or says ``convex = False``: its problem is not convex, and there is no ``certificate``.

A solver that chooses rows of ``X`` inherits from
:class:`~nmfbench.solvers.separable.base.BaseSeparable` instead and fills ``s.anchors``;
:class:`~nmfbench.solvers.separable.spa.SPA` is one to imitate. A kernel that needs compiling goes
to :mod:`nmfbench.optim.kernels`, and is compiled before the clock starts.

``tests/solvers/test_common_solvers.py`` runs over all names (``-k KEY`` picks one); it says what a
solver owes. Besides, each is held to something independent of it, by a test of its own in
``tests/solvers``, such as ``test_hals_her.py``, with the mark
``@pytest.mark.against(KEY, "what it is compared with")``. A solver outside this package registers
itself when its module is named by the entry point ``nmfbench.solvers``.
"""

from nmfbench.core import registry

__all__ = ["make_solver"]


def make_solver(key, **params):
    """Build a registered solver.

    Parameters
    ----------
    key : str
        Registered name, such as ``"robust-xray"``.
    **params
        Its parameters.

    Returns
    -------
    estimator
        Unfitted, in scikit-learn's style.

    Raises
    ------
    UnknownNameError
        If no solver has that name; the message lists the nearest ones.
    ValueError
        If the solver has no such parameter.
    """
    solver = registry.solvers[key].target()
    return solver.set_params(**params) if params else solver
