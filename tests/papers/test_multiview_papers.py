"""Figure 20 and Table 2 of MahNMF: choices, private components, easy sets, shares of variance."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from verdicts import verdict_of

from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import Finding
from nmfbench.artefacts.region import Lead
from nmfbench.papers.mahnmf import table2
from nmfbench.papers.mahnmf.multiview import MAH, RAW, frame, unless_easy
from nmfbench.papers.reported import reported
from nmfbench.stats.between import between_share


def records(**columns):
    """Fits of one split with 10, 20 and 30 dimensions."""
    fits = {
        "method": MAH,
        "dataset": "mv-msrcv1",
        "setting": "{}",
        "repeat": 0,
        "n_components": [10, 20, 30],
        "map": [0.5, 0.7, 0.6],
        "map-inner": [0.6, 0.4, 0.6],
        "rank": [10, 20, 20],
        "off": [0.0, 0.25, 0.5],
    }
    return pd.DataFrame(fits | columns)


def test_each_protocol_chooses_by_its_own_half():
    """The paper's is the best on the test half; the honest one never looks there."""
    found = table2.frame(records()).set_index("protocol")["dimensions"]
    assert found.to_dict() == {"best on the test": 20, "honest": 10}


def test_dead_components_are_not_private():
    """Ten of thirty components are zero everywhere; of the pairs of the others a quarter is off."""
    assert frame(records())["private"].tolist() == pytest.approx([0, 0.25, 0.25])


def test_raw_views_are_rows_of_their_own():
    """A fit for references gives their scores, and does not count for its method."""
    known = records(references=[True, np.nan, np.nan], **{"map-raw": [0.9, np.nan, np.nan]})
    found = frame(known)
    assert found.loc[found["method"] == MAH, "n_components"].tolist() == [20, 30]
    assert found.loc[found["method"] == RAW, "map"].tolist() == [0.9]


@pytest.mark.parametrize(("raw", "verdict"), [(0.80, "confirmed"), (0.96, "inconclusive")])
def test_a_set_that_raw_views_classify_decides_nothing(raw, verdict):
    """Whatever the test says."""
    rows = pd.DataFrame(
        {"dataset": ["mv-mfeat"], "method": [RAW], "map": [raw], "corruption": [None]}
    )
    lead = Finding("ahead {}", [of_units([0.1, 0.2, 0.1, 0.2, 0.1])], Lead())
    found = verdict_of(unless_easy("mv-mfeat", lambda frame: lead), rows)
    assert found.verdict == verdict
    assert f"raw views reach {raw:.3f}" in found.evidence


def test_printed_numbers_stand_beside_the_sets_that_stand_for_theirs():
    """Every printed number of Table 2 is shown with the claims that compare it."""
    printed = {claim.id: claim.reported for claim in table2.ARTEFACT.claims}
    voc, flickr = (reported("mahnmf/table2", f"mahnmf-gs-{of}").text for of in ("voc", "mirflickr"))
    assert voc in printed["flss-msrcv1"]
    assert flickr in printed["flss-landuse21"]
    assert not printed["flss-scene15"]


def test_the_share_between_groups_is_that_of_the_analysis_of_variance():
    """It gives the F statistic."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [5, 9, 16])
    values = rng.standard_normal(30) + labels
    share = between_share(values, labels)
    groups = [values[labels == k] for k in range(3)]
    assert share / (1 - share) * 27 / 2 == pytest.approx(stats.f_oneway(*groups).statistic)
    assert between_share(np.ones(4), [0, 0, 1, 1]) == 0
