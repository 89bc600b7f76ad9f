"""Figure 5: descent on faces of ORL, a chunk of samples at a time."""

from nmfbench.papers.or_nmf import chunks
from nmfbench.papers.or_nmf.panels import ORL

ARTEFACT = chunks.faces("or-nmf/fig5", ORL, "ORL", "Figure 5")
