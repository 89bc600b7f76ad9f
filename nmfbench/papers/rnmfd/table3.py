"""Table 3: clustering accuracy of ten methods, and three more, on five sets of images."""

from nmfbench.papers.rnmfd.protocols import AC
from nmfbench.papers.rnmfd.scores import score_artefact

ARTEFACT = score_artefact(
    "rnmfd/table3",
    AC,
    "accuracy",
    title="Clustering accuracy (AC)",
    meaning="Accuracy under the best matching of clusters to classes",
)
