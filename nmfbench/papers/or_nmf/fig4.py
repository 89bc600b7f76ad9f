"""Figure 4: descent on faces of CBCL, a chunk of samples at a time."""

from nmfbench.papers.or_nmf import chunks
from nmfbench.papers.or_nmf.panels import CBCL

ARTEFACT = chunks.faces("or-nmf/fig4", CBCL, "CBCL", "Figure 4")
