"""Tables derived from records are computed once for each table of records."""

import gc

import pandas as pd

from nmfbench.artefacts.remember import once_per_table


def test_another_table_and_other_arguments_are_computed_anew():
    """What is remembered belongs to one table and one set of arguments, even of equal content."""
    calls = []

    @once_per_table
    def derived(table, factor=1):
        calls.append(factor)
        return factor * table["a"].sum()

    one, same = pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 2]})
    assert [derived(one), derived(one), derived(one, 2), derived(one, 2)] == [3, 3, 6, 6]
    assert calls == [1, 2]
    assert derived(same) == 3
    assert calls == [1, 2, 1]


def test_nothing_is_remembered_of_a_table_that_is_gone():
    """A new table in the place of an old one gets its own result."""
    derived = once_per_table(lambda table: table["a"].sum())
    for value in range(50):
        table = pd.DataFrame({"a": [value]})
        assert derived(table) == value
        del table
        gc.collect()
