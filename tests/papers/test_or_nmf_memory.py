"""Streams larger than memory: what is made of trials that end in want of it."""

import numpy as np
import pandas as pd
import pytest

from nmfbench.papers.or_nmf.studies.memory import BYTES, MOR, OR, SECONDS, frame, summarise


class StayedBehind(dict):
    """Arrays of an imported record, which fail a test that asks for one."""

    def get(self, name, default=None):
        raise AssertionError(f"{name} is asked for")

    __getitem__ = get


@pytest.fixture
def records():
    """A stream that grows like its samples, and one that does not fit into memory."""
    samples = np.arange(100, 1100, 100)
    held = dict.fromkeys(("bytes", "anonymous"), samples * 1.0) | {"seconds": np.ones(10)}
    common = {"repeat": 0, "n_samples": 1000, "visited-share": 1.0, "held-out": 0.5}
    whole = {"method": MOR, "arrays": held | {"samples": samples}, "out-of-memory": 0.0}
    gone = {"method": OR, "arrays": StayedBehind(), "out-of-memory": 1.0}
    return pd.DataFrame([common | whole, common | gone])


def test_a_stream_that_did_not_fit_is_asked_for_no_arrays(records):
    """It has none anywhere, so that its record counts where it was imported, too."""
    found = frame(records).set_index("method")
    assert found.loc[MOR, BYTES] == pytest.approx(1)
    assert found.loc[MOR, SECONDS] == pytest.approx(0)
    assert found.loc[OR, [BYTES, SECONDS]].isna().all()


def test_a_stream_that_did_not_fit_stands_at_the_limit(records):
    """In the picture and the table, at its length and the bytes that were allowed."""
    table = summarise(frame(records))
    rows = table[table["measure"] == "out of memory"]
    assert rows[["method", "samples", "value"]].to_numpy().tolist() == [[OR, 1000, 600e6]]
