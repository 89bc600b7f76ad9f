'''Data sets: real, bundled, generated, and labelled stand-ins.

:func:`load_dataset` returns a Bunch with ``X`` (n_samples, n_features) and ``y``. A file is
looked for in a folder of prepared files (``NMFBENCH_DATA``, or ``../shared/data`` beside the
checkout), then in the user's cache, which ``nmfbench data fetch`` fills; its SHA-256 is checked
whenever it is read, and nothing is ever unpickled or downloaded unasked.

To add a data set, decorate its loader in a file of this folder, or in any module that the
entry-point group ``nmfbench.datasets`` names::

    import numpy as np
    from sklearn.utils import Bunch

    from nmfbench.core.registry import register_dataset

    @register_dataset(
        "two-blobs",
        title="Two blobs",
        kind="generated",
        generated=True,
        n_samples=100,
        n_features=5,
        n_classes=2,
        source="made up for this page",
        licence="none needed",
        scaling="in [0, 1]",
    )
    def load_two_blobs(rng, n_samples=100):
        """Two clusters; ``n_samples`` can be given to ``load_dataset``."""
        y = np.arange(n_samples) % 2
        X = rng.gamma(2.0, size=(n_samples, 5)) + 3.0 * y[:, None]
        return Bunch(X=X / X.max(), y=y)

The loader's first argument depends on the entry: a random generator with ``generated=True``;
the verified arrays of a prepared file where ``file="name.npz"`` and ``sha256="..."`` are given
(``load_video`` in ``video.py`` is one); both, in the order arrays, generator, for data that are
generated from measured ones; nothing otherwise, for data that come with a package. Its other
arguments become parameters of :func:`load_dataset`. Images have an ``image_shape`` and
``upper=1.0``, so that they can be occluded and noise stays within [0, 1]. Optional entries:
``stand_in``, a function that returns a synthetic substitute; ``stand_in_for``, the paper's data
that a real set replaces; ``homes``, ``content`` and ``n_bytes``, where to fetch the originals, the
hash of the arrays that they convert to (``convert.py``), and the size of these. A home is a public
address, or a package in whose wheel the originals are (``convert.Wheel``).

``tests/data/test_datasets.py`` runs over all names (``-k KEY`` picks one). Solvers meet a data set
in the grids of artefacts (:mod:`nmfbench.papers`) and in the problems of comparisons
(:mod:`nmfbench.problems`).

A file that each user has to make has no ``sha256``. It is registered with its ``layout`` in words,
for messages, and with ``n_bytes``, the most that its arrays may take; its loader checks them
(``labelled_views.py``). The hash of the local file counts in the keys of its trials.
'''

from typing import TYPE_CHECKING

from nmfbench.core.lazy import lazy
from nmfbench.datasets.errors import DataError, DataMissingError, DownloadError

if TYPE_CHECKING:
    from nmfbench.datasets.base import dataset_available, dataset_info, load_dataset
    from nmfbench.datasets.download import fetch, verify

__all__ = [
    "DataError",
    "DataMissingError",
    "DownloadError",
    "dataset_available",
    "dataset_info",
    "fetch",
    "load_dataset",
    "verify",
]

_HOMES = {
    **dict.fromkeys(("dataset_available", "dataset_info", "load_dataset"), "base"),
    **dict.fromkeys(("fetch", "verify"), "download"),
}
__getattr__, __dir__ = lazy(__name__, _HOMES)
