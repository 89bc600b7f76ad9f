"""Exemplars of text collections: 150 of the training documents, never as a dense array."""

from functools import cache

from benchmarks import QUICK, Benchmark
from benchmarks.data import corpus, size
from benchmarks.registered import make, registered

EXEMPLARS = 10 if QUICK else 150
SEPARABLE = [key for key, family in registered().items() if family == "separable"]
COLLECTIONS = {"bbc": {}, "generated": None, "reuters": {"largest_classes": 10}}
if QUICK:
    COLLECTIONS = {"generated": None}

TOO_SLOW = {
    "hottopixx": "its unknown is a dense matrix, documents by documents",
    "xray-kl": "it takes ten times as long as the others, and no figure asks for it",
}
"""Solver -> why it is left out."""


@cache
def training_half(collection):
    """Every other document of a collection, in counts; about the paper's training half."""
    if collection == "generated":
        return corpus(*size(3600, 18000))
    from nmfbench.datasets.base import DataMissingError, load_dataset

    try:
        return load_dataset(collection, **COLLECTIONS[collection]).X[::2]
    except DataMissingError:
        raise NotImplementedError(f"the data of {collection!r} are not here") from None


@cache
def _compile(key, collection):
    make(key, n_components=3, random_state=0).fit(training_half(collection)[:30])


class Exemplars(Benchmark):
    """Choose 150 exemplars of sparse text."""

    params = (SEPARABLE, list(COLLECTIONS))
    param_names = ("solver", "data")
    compared, reference = "solver", "spa"
    memory_in_table = True
    timeout = 600.0
    rounds = 1
    repeat = (1, 3, 10.0)

    def setup(self, key, collection):
        self.solver = make(key, n_components=EXEMPLARS, random_state=0)
        if key in TOO_SLOW:
            raise NotImplementedError(TOO_SLOW[key])
        if not getattr(self.solver, "accepts_sparse", True):
            raise NotImplementedError(f"{key} needs dense data")
        self.X = training_half(collection)
        _compile(key, collection)

    def time_fit(self, key, collection):
        self.solver.fit(self.X)

    def peakmem_fit(self, key, collection):
        self.solver.fit(self.X)
