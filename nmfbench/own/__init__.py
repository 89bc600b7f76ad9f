"""A matrix of the user's own as a data set: read, diagnosed, and named by its content.

:func:`~nmfbench.own.reader.read` takes a file, a folder of pictures or an array:

=========================  ==================================================================
``.csv .tsv .txt``         tables of numbers, with or without header and row names; any of the
                           separators ``, ; | tab blank``, decimal commas, UTF-8, UTF-16, cp1252
``.npy .npz``              arrays of numbers (never pickled ones), sparse matrices of scipy
``.mtx``                   Matrix Market
``.parquet .feather``      tables, by pyarrow
``.mat``                   MATLAB and Octave, version 7.3 where h5py is installed
``.h5ad``, 10x ``.h5``     single cells, where h5py is installed
a folder                   pictures of one size, or matrix.mtx, features.tsv and barcodes.tsv
                           of 10x
=========================  ==================================================================

Text formats may be compressed (``.csv.gz``). All files are parsed in a guarded child with limits
of time and memory, after a look at the size that they claim.

From R, and back from the folder that ``nmfbench recommend`` writes::

    write.csv(X, "counts.csv")  # with names of rows and columns, where X has them
    Matrix::writeMM(Matrix::Matrix(X, sparse = TRUE), "counts.mtx")

    W <- as.matrix(read.csv("recommendation/W.csv", row.names = 1, check.names = FALSE))
    H <- as.matrix(read.csv("recommendation/H.csv", row.names = 1, check.names = FALSE))

From Octave or MATLAB, and back::

    dlmwrite("counts.csv", X, "precision", 17);
    [i, j, v] = find(X); f = fopen("counts.mtx", "w");
    fprintf(f, "%%%%MatrixMarket matrix coordinate real general\\n");
    fprintf(f, "%d %d %d\\n", size(X), numel(v));
    fprintf(f, "%d %d %.17g\\n", [i, j, v]'); fclose(f);

    W = dlmread("recommendation/W.csv", ",", 1, 1);
    H = dlmread("recommendation/H.csv", ",", 1, 1);
"""

from typing import TYPE_CHECKING

from nmfbench.core.lazy import lazy

if TYPE_CHECKING:
    from nmfbench.own.data import OwnData
    from nmfbench.own.diagnosis import Diagnosis
    from nmfbench.own.reader import is_own, read

__all__ = ["Diagnosis", "OwnData", "is_own", "read"]

# A process that parses a file starts at once.
__getattr__, __dir__ = lazy(
    __name__, {"Diagnosis": "diagnosis", "OwnData": "data", "is_own": "reader", "read": "reader"}
)
