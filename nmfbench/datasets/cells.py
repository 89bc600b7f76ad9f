"""Single cells: counts of the transcripts of genes."""

from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset
from nmfbench.datasets import convert
from nmfbench.datasets.convert import Wheel
from nmfbench.datasets.text import csr

__all__ = ["load_pbmc"]


@register_dataset(
    "pbmc",
    kind="counts",
    title="Blood cells of one donor, 765 genes",
    file="pbmc68k_reduced.npz",
    sha256="4ae2a3da8580aa22cf668c03fde8966234e29ce4e9db936fb134eac331c4ab20",
    content="00acb47958be1786ca6254fb08f9bbcd0e9f3efaaa3af57d341ad4242dd14a21",
    n_bytes=1094320,
    n_samples=700,
    n_features=765,
    n_classes=10,
    source="fresh 68k PBMCs, 10x Genomics; Zheng et al. 2017; 700 cells as scanpy ships them",
    licence="CC BY 4.0, as commonly stated",
    scaling="counts of transcripts",
    homes=(
        Wheel(
            "scanpy==1.11.5",
            ("scanpy/datasets/10x_pbmc68k_reduced.h5ad",),
            convert.pbmc68k,
            hashes=("e71d41e737c941559b7c57c9243bdb3d2c889c2adfdf00e3422ac6b46783676f",),
            needs="h5py",
        ),
    ),
)
def load_pbmc(arrays):
    """Counts of each cell, its type, and ``totals``, its counts of all genes, those left out too.

    A third of the entries are not zero, so that ``X`` is dense. The types, ``target_names``, are
    not independent of the counts: each cell has that of the sorted population whose mean
    expression is most like its own.
    """
    return Bunch(
        X=csr(arrays).toarray(),
        y=arrays["y"].copy(),
        totals=arrays["totals"].copy(),
        terms=arrays["terms"].copy(),
        target_names=arrays["names"].copy(),
    )
