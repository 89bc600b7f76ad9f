"""Names of the methods of the paper's figures, and which of them stand beside each other."""

from __future__ import annotations

from nmfbench.artefacts.grids import Method

OR, MOR, WOR, ONMF = "OR-NMF", "MOR-NMF", "WOR-NMF", "ONMF"
OMF, OMF_DA, INMF = "OMF", "OMF-DA", "INMF"
ONE_SWEEP, PRINTED, SMALL = "OMF, one sweep", "OMF-DA, as printed", "OR-NMF, θ₀ = 0.01"
IS, ONMF_IS = "OR-NMF-IS", "ONMF-IS"

SINGLE = (
    Method(OR, "or-nmf"),
    Method(MOR, "mor-nmf"),
    Method(OMF, "omf"),
    Method(OMF_DA, "omf-da"),
    Method(INMF, "inmf"),
    Method(ONE_SWEEP, "omf", {"n_sweeps": 1}),
    Method(PRINTED, "omf-da", {"safeguard": False}),
    Method(SMALL, "or-nmf", {"theta": 0.01}),
)
"""Methods that take one sample at a time: Figures 2, 3 and 6."""
UPDATES = {
    20: Method(f"{ONMF}, 20 updates", "onmf", {"max_iter_inner": 20}),
    50: Method(f"{ONMF}, 50 updates", "onmf", {"max_iter_inner": 50}),
    200: Method(ONMF, "onmf"),
}
"""ONMF by its multiplicative updates of a chunk, of which the paper gives no number."""
STEPS = {
    20: Method(f"{PRINTED}, 20 steps", "omf-da", {"safeguard": False, "max_iter_inner": 20}),
    100: Method(PRINTED, "omf-da", {"safeguard": False}),
}
"""OMF-DA as printed by its steps for a sample: it never rests, so that their number is ours."""
FIRST_SUMS = {
    "as the bases": Method(ONMF_IS, "onmf-is"),
    "at random": Method(f"{ONMF_IS}, random sums", "onmf-is", {"first_sums": "random"}),
}
"""ONMF-IS by its first sums: at random in the paper, which does not say from what range."""
CHUNKS = (Method(WOR, "wor-nmf"), UPDATES[200], Method(OR, "or-nmf"))
"""Methods that take chunks, and one that does not, beside them: Figures 4, 5 and 7."""
RIVALS = (OMF, PRINTED, INMF)
"""Rivals in the paper, OMF-DA as it prints it."""
SAFEGUARDED = (OMF, OMF_DA, INMF)
"""The same, with an OMF-DA whose steps never raise the surrogate, for our questions."""
BATCH = (Method("NMF", "mu"), Method("HALS", "hals"), Method("NeNMF", "nenmf"))
"""Batch methods, of those that the paper lists, with HALS for its alternating least squares."""
