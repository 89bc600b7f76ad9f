"""Tables 1 and 2 and Figure 1 of RNMFD: what their summaries count."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from verdicts import verdict_of

from nmfbench.artefacts.style import figure_style
from nmfbench.core import registry
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd import fig1, table1, table2
from nmfbench.papers.rnmfd.protocols import grid
from nmfbench.tasks.factor_shape import columns_alike


def records(rows):
    """Records of made-up trials, from (dataset, method, repeat, task, arrays, metrics)."""
    columns = ["dataset", "method", "repeat", "task", "arrays"]
    made = pd.DataFrame([dict(zip(columns, row[:5], strict=True)) | row[5] for row in rows])
    return made.assign(stand_in=False)


def two_runs(arrays, metrics, dataset="orl", method="GNMF", shape=()):
    """The records of a clustering, of the fit behind it and of the shape of its factors, twice."""
    found = {"clustering": metrics, "factorization": {}, "factor-shape": dict(shape)}
    return [
        (dataset, method, repeat, task, arrays, of_task)
        for repeat in (0, 1)
        for task, of_task in found.items()
    ]


def shown(module, rows):
    """The picture of an artefact of made-up trials."""
    artefact = module.ARTEFACT
    return artefact.picture(artefact.table(artefact.frame(records(rows))))


def verdicts(module, found):
    """Verdicts on the claims of an artefact, by their ids."""
    frame = module.ARTEFACT.frame(found)
    return {claim.id: verdict_of(claim.test, frame) for claim in module.ARTEFACT.claims}


# -- Table 1 ----------------------------------------------------------------------------------


def test_the_paper_ticks_as_the_registry_but_twice():
    """Our ticks are the paper's, except that NSDR learns no features and that IGNMF separates."""
    differ = [
        (name, label)
        for name in table1.PROPERTIES
        for label, printed in zip(
            table1.IN_PAPER, reported("rnmfd/table1", name).value, strict=True
        )
        if (name in registry.solvers[label.lower()].info["properties"]) != bool(printed)
    ]
    assert differ == [("features", "NSDR"), ("discriminability", "IGNMF")]
    assert list(table1.PROPERTIES) == list(registry.PROPERTIES)


@pytest.mark.parametrize(
    ("W", "share"),
    [
        (np.eye(3), 0),
        (np.ones((3, 4)) * [1, 2, 3, 4], 1),
        ([[1, 0, 0], [0, 0, 1]], 1 / 3),
        ([[1, 1.1, 0], [0, 0.1, 1]], 2 / 3),
        ([[1, 1.1, 0], [0, 0.2, 1]], 0),
        ([[1e-9], [2e-9]], 0),
    ],
    ids=["orthogonal", "proportional", "zero", "nearly", "not quite", "single"],
)
def test_columns_that_are_zero_or_proportional_are_alike(W, share):
    """Columns count as alike by direction alone, and zero ones in any case."""
    assert columns_alike(np.array(W, dtype=np.float32)) == pytest.approx(share)


def test_growth_pairs_the_same_start():
    """Norms after 1000 iterations are compared with those after 300 of the same data and start."""

    def fit(label, n, repeat, w, h):
        norms = {"norm-of-the-representation": w, "norm-of-the-components": h}
        return ("yale", f"{label}, {n} iterations", repeat, "factor-shape", {}, norms)

    rows = [fit("GNMF", 300, r, 2 + r, 1) for r in (1, 0)]
    rows += [fit("GNMF", 1000, r, 1, 3 + r) for r in (0, 1)]
    found = table1.measured(records([*rows, fit("RNMFD", 1000, 0, 1, 1)]))
    later = found[found["method"] == "GNMF, 1000 iterations"].set_index("repeat")
    growth = later[["growth-of-the-representation", "growth-of-the-components"]]
    np.testing.assert_allclose(growth.loc[0], [1 / 2, 3])
    np.testing.assert_allclose(growth.loc[1], [1 / 3, 4])
    assert found.loc[~found.index.isin(later.index), "growth-of-the-components"].notna().sum() == 2


def test_table_of_properties_marks_differences():
    """A dagger marks a tick that the paper has not, or has alone; measured rows stand below."""
    shape = {"columns-alike": 1.0}
    rows = two_runs({}, {"similarity-between": 0.75}, shape=shape)
    rows += two_runs({}, {"similarity-between": 1.0}, "yale", "GNMF, weight 1000", shape)
    printed = shown(table1, rows).set_index("")
    assert printed.loc["feature learning", "NSDR"] == "– †"
    assert printed.loc["discriminability", "IGNMF"] == "✓ †"
    assert printed.loc["robustness", "RCC"] == "✓"  # not in the paper's table
    assert printed.loc["cosine between classes, ORL", "GNMF"] == "0.75 ± 0.00"
    assert printed.loc["columns alike, YALE, weight 1000", "GNMF"] == "100 %"
    assert "cosine between classes, ORL, weight 1000" not in printed.index


def test_a_failure_of_rnmfd_is_explained():
    """Where RNMFD falls into the trivial solution, the evidence counts its short columns."""
    shape = {"columns-alike": 1.0, "share-of-components-of-short-columns": 1.0}
    shape |= {"n-dead-components": 2.0, "orthogonality-gap": 1.5}
    both = ("RNMFD, weight 1000", "RNMFD, weight 1000, exponent 1")
    rows = [("orl", name, i, "factor-shape", {}, shape) for name in both for i in range(5)]
    verdict = verdicts(table1, records(rows))["rnmfd-avoids-it-large"]
    assert verdict.verdict == "refuted"
    assert "2.0 columns of W have a norm below 0.3, and theirs are 100 %" in verdict.evidence


# -- Table 2 ----------------------------------------------------------------------------------


def _sizes(dataset, repeat, *sizes):
    names = ("n-samples", "n-features", "n-classes", "smallest-class", "largest-class")
    shape = dict(zip(names, map(float, sizes), strict=True))
    return (dataset, "K-means", repeat, "factor-shape", {}, shape)


def test_sizes_are_those_of_the_trials():
    """Samples, features and classes are as in the fits."""
    rows = [_sizes("umist", 0, 409, 644, 20, 19, 48)]
    assert shown(table2, rows).to_numpy().tolist() == [
        ["UMIST", "409 (398)", "644", "20", "19 to 48"]
    ]
    found = {name: verdict.verdict for name, verdict in verdicts(table2, records(rows)).items()}
    assert found.pop("umist-sizes") == "refuted"
    assert set(found.values()) == {"not run"}


def test_stand_ins_have_no_sizes():
    """The sizes of a synthetic stand-in say nothing of the paper's data."""
    rows = records([_sizes("orl", repeat, 9, 9, 3, 3, 3) for repeat in (0, 1)])
    assert verdicts(table2, rows)["orl-sizes"].verdict == "refuted"
    assert verdicts(table2, rows.assign(stand_in=True))["orl-sizes"].verdict == "not run"


def test_sizes_of_every_run_count():
    """One run that saw other data refutes the sizes, and the evidence has both."""
    rows = [_sizes("orl", repeat, 400, 1024, 40, 10, 10) for repeat in (0, 1)]
    other = [_sizes("orl", 1, 399, 1024, 40, 9, 10)]
    assert verdicts(table2, records(rows))["orl-sizes"].verdict == "confirmed"
    verdict = verdicts(table2, records([*rows[:1], *other]))["orl-sizes"]
    assert verdict.verdict == "refuted"
    assert "400 samples" in verdict.evidence
    assert "399 samples" in verdict.evidence


# -- Figure 1 ---------------------------------------------------------------------------------


def test_matrix_is_sorted_by_class():
    """Rows and columns of the matrix are cosines of samples in the order of their classes."""
    W = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 1.0], [3.0, 4.0]])
    arrays = {"W": W, "classes": np.array([1, 0, 1, 0])}
    metrics = {"similarity-within": 0.8, "similarity-between": 0.4, "clustering-accuracy": 0.5}
    table = fig1.summarise(fig1.compared(records(two_runs(arrays, metrics, method=fig1.OWN))))
    assert table["cosines"].to_list() == [
        [100, 60, 0, 0],
        [60, 100, 80, 80],
        [0, 80, 100, 100],
        [0, 80, 100, 100],
    ]
    assert set(table["within"]) == {0.8}
    assert set(table["count"]) == {2}


def test_clusterers_are_compared_by_their_indicator():
    """A method without similarities gets its indicator's; others keep their own."""
    shape = {"cosine-within": 0.9, "cosine-between": 0.3}
    rows = two_runs({}, {}, method=fig1.GRAPH, shape=shape)
    rows += two_runs({}, {"similarity-within": 0.8, "similarity-between": 0.4}, method=fig1.OWN)
    found = fig1.compared(records(rows)).set_index("method")
    pair = found.loc[fig1.GRAPH, ["similarity-within", "similarity-between"]].to_numpy(float)
    np.testing.assert_allclose(pair, [[0.9, 0.3]] * 2)
    np.testing.assert_allclose(found.loc[fig1.OWN, "contrast"], 0.4)


def test_panels_keep_their_letters_and_scale():
    """One scale from 0 to 1 serves all panels, of which there are as many as methods."""
    arrays = {"W": np.eye(4), "classes": np.arange(4) // 2}
    metrics = {"similarity-within": 0.8, "similarity-between": 0.4, "clustering-accuracy": 0.5}
    rows = [row for m in (fig1.GNMF, fig1.OWN) for row in two_runs(arrays, metrics, method=m)]
    with figure_style():
        figure = shown(fig1, rows)
    panels = [axis for axis in figure.axes if axis.images]
    assert [axis.get_title()[:3] for axis in panels] == ["(a)", "(b)"]
    assert all(axis.images[0].get_clim() == (0, 1) for axis in panels)
    np.testing.assert_allclose(panels[1].images[0].get_array(), np.eye(4))
    plt.close(figure)


def test_fits_with_defaults_are_those_of_the_tables():
    """Figure 1 and the table of data sets ask for no second fit of what Table 3 has.

    In the paper grid Figure 1 has more repeats than Table 3.
    """
    for profile in ("quick", "paper"):
        shared = set(grid(profile))
        fits, repeats = {t.base for t in shared}, {t.repeat for t in shared}
        assert {t.base for t in table2.trials(profile)} <= fits
        clusterings = [t for t in fig1.trials(profile) if t.task == "clustering"]
        own = [t for t in clusterings if t not in shared and t.repeat in repeats]
        if profile == "paper":
            assert own == []
        assert {t.params.get("alpha") for t in own} <= {0.1}
