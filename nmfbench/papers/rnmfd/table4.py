"""Table 4: normalised mutual information of ten methods, and three more, on five sets of images."""

from nmfbench.papers.rnmfd.protocols import NMI
from nmfbench.papers.rnmfd.scores import score_artefact

ARTEFACT = score_artefact(
    "rnmfd/table4",
    NMI,
    "NMI",
    title="Normalised mutual information (NMI)",
    meaning="Mutual information over the geometric mean of the entropies",
)
