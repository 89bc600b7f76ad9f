"""Figure 3: descent on faces of ORL, one sample at a time."""

from nmfbench.papers.or_nmf import single
from nmfbench.papers.or_nmf.curves import ORL

ARTEFACT = single.faces("or-nmf/fig3", ORL, "ORL", "Figure 3")
