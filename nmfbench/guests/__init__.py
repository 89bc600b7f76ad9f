r"""Guests: solvers that live outside this package, in a file or a package of somebody else's.

Wherever a solver is named, a guest is named by its place, with parameters if need be::

    spa                                        a registered solver
    path/to/mine.py:MyNMF                      a class in a file
    'path/to/mine.py:MyNMF(alpha=0.1)'         with parameters: literals, never evaluated
    sklearn.decomposition:NMF                  a class in a package
    mine.py:MyNMF@1f2e3d4c5b6a                 imported records of a class, whose code is not run

Requirements on a class
-----------------------
- Its constructor takes keyword parameters, ``n_components`` among them; all others have defaults.
  No base class is needed. A parameter ``random_state`` is given the seed of the trial.
- ``fit(X)``, ``fit_transform(X)`` or ``partial_fit(X)``, with ``X`` of shape (n_samples,
  n_features), rows are samples.
- ``components_`` afterwards, of shape (n_components, n_features), finite and non-negative.

That is all. These are used where they are there:

``fit_transform(X)``
    W of shape (n_samples, n_components). Without it W is ``transform(X)``.
``transform(X)``
    Without it W is the exact projection on the components under ``loss``.
``loss = "frobenius"``
    What is minimised, of ``frobenius`` (the default), ``manhattan``, ``kl``, ``itakura-saito``.
``fit(X, W=..., H=...)`` (or ``fit_transform``)
    Initial factors, so that rivals start from one point: opens the task ``convergence``.
``anchor_indices_``
    Rows of ``X`` that were chosen, in order: opens ``recovery`` and ``exemplars``.
``labels_``
    Clusters of the samples, which the task ``clustering`` then takes as they are.
``max_iter``, ``tol``; ``n_iter_``
    Parameters that ``convergence`` sets, and the number of iterations made.
``trace_``
    A structured array with the fields of :data:`nmfbench.core.trace.TRACE_DTYPE`. Without it the
    time is that of the call, and ``convergence`` makes a curve of fits of 1/2, 1/4, ... of the
    iterations from the same start, as it does for built-in solvers that wrap another package.
``monotone = True``, ``nested = True``
    The objective of ``trace_`` never rises; the first anchors of a larger fit equal the anchors of
    a smaller one. The checks test what the class declares.
``accepts_sparse = True``
    Sparse data come as CSR matrices; otherwise they are made dense first.
``signed = True``
    Factors may be negative; ``mean_`` is added to reconstructions. Of scikit-learn's own classes it
    is known.
``low_rank_``
    The low-rank part of the data, of their shape, which ``separation`` takes for the background of
    a clip. Without ``components_`` its leading right singular vectors are these.
``partial_fit(X)``
    Block after block of samples, of any number of rows, with ``components_`` after each: opens
    ``online`` and ``stream``. A class that has no ``fit`` is fitted by it, in two passes over the
    samples in one random order, ``n_components`` of them at a time.

A solver of ten lines, in a file of its own:

>>> import numpy as np, pathlib, tempfile
>>> source = '''
... import numpy as np
...
... class Rows:
...     "Components are random samples."
...
...     def __init__(self, n_components=2, random_state=None):
...         self.n_components, self.random_state = n_components, random_state
...
...     def fit(self, X):
...         rng = np.random.default_rng(self.random_state)
...         self.components_ = X[rng.choice(len(X), self.n_components, replace=False)]
...         return self
... '''
>>> import nmfbench
>>> with tempfile.TemporaryDirectory() as folder:
...     file = pathlib.Path(folder, "mine.py")
...     _ = file.write_text(source)
...     solver = nmfbench.make_solver(f"{file}:Rows", n_components=2, random_state=0)
>>> solver.fit(np.eye(3)).transform(np.eye(3)).shape
(3, 2)

``nmfbench check path/to/mine.py:Rows`` says what is wrong with a class and how to fix it.

``examples/packages.py`` of the repository has classes of ten lines around packages of others.

What a guest cannot do
----------------------
A guest runs in a child process, whose prints go nowhere, which is ended at a limit of time or
memory, and which computes for no solver of another file or package afterwards. All that it starts
counts for the limit of memory, and ends with the child, detached or not. It gets its own copy of
the data. Factors of wrong shapes, with NaN or negative entries make a failed record that says so,
and so does an end of the process, by a signal to its own group, say. Metrics of tasks that start
from its factors (clustering, recognition, reconstruction, unmixing, ...) are computed in another
process, which does not run its code. These are accidents contained; code that means harm needs
walls of another kind, a container or a machine of its own.

What remains possible: the process of a guest holds the data with their labels, its clock, and the
pipe. So it can give factors, labels, times and numbers of iterations that it did not compute, and
in tasks that fit a solver themselves (recovery, separation, convergence, held-out, ...) metrics,
too. Read the file before you run it, and audit what somebody else has run.

A trial of a guest is keyed by the name of its file (not the folder), and the source of its class
with all of the file that it uses, of what it imports from its own folder, and the versions of the
packages that it imports. A class of an installed package counts with that package's version. So a
change of the code is a new trial, and one of another class in the file is none.
"""

from nmfbench.core.lazy import lazy
from nmfbench.guests.errors import GuestError, GuestFault

__all__ = ["GuestError", "GuestFault", "SolverSpec", "parse_solver"]

# A process that parses a file starts at once.
__getattr__, __dir__ = lazy(__name__, {"SolverSpec": "spec", "parse_solver": "spec"})
