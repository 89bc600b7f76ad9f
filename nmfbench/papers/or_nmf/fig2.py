"""Figure 2: descent on faces of CBCL, one sample at a time."""

from nmfbench.artefacts.plan import Plan
from nmfbench.papers.or_nmf import single
from nmfbench.papers.or_nmf.panels import CBCL

PLAN = Plan(10, "Complete when plans were made; a repeat takes 32 s of CPU time.")
ARTEFACT = single.faces("or-nmf/fig2", CBCL, "CBCL", "Figure 2", PLAN)
