"""The table of costs of OR-NMF's parts."""

import numpy as np
import pandas as pd

from nmfbench.papers.or_nmf.cost_measures import METHODS, PART, SECONDS, summarise


def test_shares_are_shown_before_anything_has_grown():
    """A grid of which only the parts of a step have run has their means, and no exponent."""
    frame = pd.DataFrame(
        {
            "measure": PART,
            "method": METHODS[0].label,
            "dataset": "cbcl",
            "n_components": 10,
            "repeat": range(4),
            PART: [0.2, 0.3, 0.4, 0.3],
            SECONDS: np.nan,
        }
    )
    table = summarise(frame)
    assert table["where"].tolist() == ["cbcl, rank 10"]
    assert np.isclose(table["mean"], 0.3).all()
