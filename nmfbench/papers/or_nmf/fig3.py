"""Figure 3: descent on faces of ORL, one sample at a time."""

from nmfbench.artefacts.plan import Plan
from nmfbench.papers.or_nmf import single
from nmfbench.papers.or_nmf.panels import ORL

PLAN = Plan(20, "A repeat takes 50 s of CPU time.")
ARTEFACT = single.faces("or-nmf/fig3", ORL, "ORL", "Figure 3", PLAN)
