"""Online factorizations: bases are improved sample by sample, or chunk by chunk.

Every solver has ``partial_fit(X)``, which takes the rows of ``X`` in the order given, besides
``fit(X)``, which takes them in random order, ``n_epochs`` times. Data larger than memory come as
blocks of rows, from a memory-mapped file or any other iterator:

>>> import numpy as np
>>> from nmfbench import make_solver
>>> from nmfbench.solvers.online.base import feed
>>> rng = np.random.default_rng(0)
>>> model = feed(make_solver("omf", n_components=3), (rng.random((10, 5)) for _ in range(4)))
>>> model.n_samples_seen_, model.components_.shape
(40, (3, 5))
"""
