"""Figure 2: descent on faces of CBCL, one sample at a time."""

from nmfbench.papers.or_nmf import single
from nmfbench.papers.or_nmf.curves import CBCL

ARTEFACT = single.faces("or-nmf/fig2", CBCL, "CBCL", "Figure 2")
