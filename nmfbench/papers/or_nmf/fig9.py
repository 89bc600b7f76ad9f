"""Figure 9: descent of the Itakura-Saito divergence on faces of ORL."""

from nmfbench.papers.or_nmf import divergence
from nmfbench.papers.or_nmf.panels import ORL

ARTEFACT = divergence.faces("or-nmf/fig9", ORL, "ORL", "Figure 9")
