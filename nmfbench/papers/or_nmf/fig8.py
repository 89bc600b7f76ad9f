"""Figure 8: descent of the Itakura-Saito divergence on faces of CBCL."""

from nmfbench.papers.or_nmf import divergence
from nmfbench.papers.or_nmf.panels import CBCL

ARTEFACT = divergence.faces("or-nmf/fig8", CBCL, "CBCL", "Figure 8")
