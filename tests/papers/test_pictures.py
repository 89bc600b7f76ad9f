"""Pictures and errors of faces: what is drawn, what is marked, what counts as added by noise."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from nmfbench.artefacts.artefact import label_records
from nmfbench.artefacts.plots import Curves, legend_of
from nmfbench.artefacts.style import figure_style, show_images
from nmfbench.papers.mahnmf import bases, faces, fig6, fig9, table1, ten_images


def made_up(artefact, keep=lambda trial: True, seed=0):
    """Records of the quick grid, or a part of it, with random scores and pictures."""
    rng = np.random.default_rng(seed)
    trials = [trial for trial in artefact.grid("quick") if keep(trial)]
    rows = []
    for trial in trials:
        scores, arrays = {}, {"components": rng.random((20, 16))}
        if trial.task == "reconstruction":
            arrays = {view: rng.random((3, 16)) for view in fig9._VIEWS}
            scores["contamination"] = rng.random()
            scores |= {f"relative-error-{part}": rng.random() for part in ("train", "test")}
        rows.append(trial.to_dict() | trial.labels | scores | {"arrays": arrays})
    return label_records(pd.DataFrame(rows), artefact.methods)


def test_images_stand_side_by_side():
    """A row of images keeps every pixel in its place, and a missing image leaves a gap."""
    images = np.random.default_rng(0).integers(0, 256, (2, 9))
    figure, axis = plt.subplots()
    show_images(axis, [images[0].tolist(), np.nan, images[1].tolist()], below=["a", "", "c"])
    drawn = axis.images[0].get_array()
    np.testing.assert_array_equal(drawn[:, :3], images[0].reshape(3, 3))
    np.testing.assert_array_equal(drawn[:, 10:], images[1].reshape(3, 3))
    assert drawn[:, 3:10].mask.all()
    assert axis.images[0].get_clim() == (0, 255)
    assert [text.get_text() for text in axis.texts] == ["a", "", "c"]
    plt.close(figure)


def test_rows_of_panels_may_be_told_by_two_columns():
    """A row is left out that the table lacks; a dotted curve of one x is a line all the same."""
    rows = [("yaleb", "AC", "NMF", 0.5), ("yaleb", "AC", "by chance", 0.2), ("pie", "MI", "NMF", 1)]
    table = pd.DataFrame(rows, columns=["dataset", "score", "method", "mean"])
    table = table.assign(x=3, low=table["mean"], high=table["mean"], count=1)
    labels = {
        (data, score): f"{data}, {score}" for data in ("yaleb", "pie") for score in ("AC", "MI")
    }
    draw = Curves("x", ["NMF"], row=("dataset", "score"), rows=labels, dotted="by chance")
    figure = draw(table)
    assert [axis.get_ylabel() for axis in figure.axes] == ["yaleb, AC", "pie, MI"]
    dotted = [line for line in figure.axes[0].lines if line.get_label() == "by chance"]
    assert [list(line.get_ydata()) for line in dotted] == [[0.2, 0.2]]
    assert figure.axes[0].get_xlim()[1] - 3 > 0.2
    plt.close(figure)


def test_points_of_one_x_stand_together():
    """However many the curves and uneven the values of x, a point is nearest to its own x."""
    names = [f"method {k}" for k in range(9)]
    table = pd.DataFrame([(x, name, 0.5) for x in (0.5, 2, 10) for name in names])
    table = table.set_axis(["x", "method", "mean"], axis=1).assign(low=0.4, high=0.6, count=5)
    figure = Curves("x", names)(table)
    drawn = [line.get_xdata() for line in figure.axes[0].lines if line.get_label() in names]
    assert len({tuple(x) for x in drawn}) == len(names)
    assert np.abs(np.array(drawn) - [0.5, 2, 10]).max() < 0.75
    plt.close(figure)


@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize(("letters", "columns"), [(1, 6), (30, 2)])
def test_a_legend_is_no_wider_than_its_figure(letters, columns, part):
    """Short names stand in a line below the panels, long ones in several of the same length."""
    with figure_style():
        whole = plt.figure(figsize=(12, 3) if part else (6, 3))
        figure = whole.subfigures(1, 2)[0] if part else whole
        axis = figure.subplots()
        for k in range(6):
            axis.plot([0, 1], label="abcdef"[k] * letters)
        legend_of(figure, axis)
        whole.canvas.draw()
    (legend,) = figure.legends
    assert legend._ncols == columns
    assert legend.get_window_extent().width <= figure.bbox.width
    plt.close(whole)


def test_every_method_shows_the_same_five_bases_scaled_to_white():
    """Bases are drawn once for all methods and conditions, each with 255 for its largest entry."""
    records = made_up(fig6.ARTEFACT)
    table = bases.table(bases.frame(records))
    drawn = table.groupby(["condition", "method"])["component"].agg(tuple)
    assert len(drawn) == 6 * 4
    assert drawn.nunique() == 1
    assert len(set(drawn.iloc[0])) == 5
    row = table.iloc[7]
    fit = (records["task"] == "factorization") & (records["repeat"] == 0)
    fit &= records["method"] == row["method"]
    fit = records[fit & records["condition"].eq(row["condition"])]
    basis = fit["arrays"].iloc[0]["components"][row["component"]]
    np.testing.assert_allclose(row["pixels"], 255 * basis / basis.max(), atol=0.5)
    assert max(row["pixels"]) == 255


def test_noise_is_charged_with_what_it_adds():
    """The part that noise adds is a difference within a method and split, as a loop finds."""
    measured = bases.frame(made_up(fig6.ARTEFACT))
    measured = measured[measured["task"] == "reconstruction"]
    score = {(r["condition"], r["method"], r["repeat"]): r for r in measured.to_dict("records")}
    for (_, method, repeat), row in score.items():
        clean = score["no noise", method, repeat]["contamination"]
        assert row["added contamination"] == pytest.approx(row["contamination"] - clean)


def test_the_lowest_of_those_with_all_splits_is_marked():
    """The asterisk is on the lowest factorization, not on PCA, nor on one with fewer splits."""
    lowest = {faces.PCA: (0.1, 5), faces.EUC: (0.4, 5), faces.KL: (0.3, 5), faces.MAH: (0.2, 1)}
    table = pd.DataFrame(
        [
            {"data": "Yale B", "n_components": 20, "images": "training", "condition": "Laplace"}
            | {"method": method, "mean": mean, "std": 0.01, "count": count}
            for method, (mean, count) in lowest.items()
        ]
    )
    row = table1.draw(table).iloc[0]
    assert row[[faces.PCA, faces.EUC, faces.KL, faces.MAH, faces.HYBRID]].tolist() == [
        "0.100 ± 0.010",
        "0.400 ± 0.010",
        "0.300 ± 0.010 *",
        "0.200",
        "",
    ]


def test_segments_say_how_they_agree_and_what_their_solver_reached():
    """Below each segmentation; a residual stands only where a method has one."""
    methods = ["image", "human", *ten_images._IN_PICTURES]
    residuals = [(np.nan, np.nan), (np.nan, np.nan), (0.25, 0.5), (np.nan, np.nan), (0.75, np.nan)]
    rows = [
        {"image": "boat", "method": method, "covering": 0.1 * k, "vi": k}
        | dict(zip(["residual-ratio", "residual-ratio-start"], pair, strict=True))
        | {"grey": np.zeros((4, 4), int).tolist(), "labels": np.eye(4, dtype=int).tolist()}
        for k, (method, pair) in enumerate(zip(methods, [*residuals, residuals[0]], strict=True))
    ]
    figure = ten_images.draw(pd.DataFrame(rows))
    assert [axis.get_xlabel() for axis in figure.axes] == [
        "",
        "2 segments",
        "covering 0.20, VI 2.0\nresidual 0.25, of the start 0.50",
        "covering 0.30, VI 3.0",
        "covering 0.40, VI 4.0\nresidual 0.75",
        "covering 0.50, VI 5.0",
    ]
    plt.close(figure)


def test_errors_are_averaged_over_splits():
    """The table has mean and standard deviation over the splits of one condition and rank."""
    records = made_up(table1.ARTEFACT)
    table = table1.table(table1.frame(records)).set_index(
        ["data", "n_components", "images", "condition", "method"]
    )
    chosen = (records["dataset"] == "yaleb") & (records["n_components"] == 20)
    chosen &= (records["method"] == faces.KL) & (records["corruption"] == "poisson")
    values = records.loc[chosen, "relative-error-test"]
    row = table.loc["Yale B", 20, "test", "Poisson", faces.KL]
    assert row.tolist() == pytest.approx([values.mean(), values.std(ddof=1), 5])


_DONE = {
    "one condition": lambda trial: trial.solver == "pca" or trial.corruption == "laplace",
    "no pictures": lambda trial: trial.repeat > 0,
    "one method": lambda trial: trial.corruption is None or trial.solver == "kl-mu",
    "reference": lambda trial: trial.solver == "pca",
    "bases": lambda trial: trial.task == "factorization",
}


@pytest.mark.parametrize(
    ("artefact", "done"),
    [
        *((a.ARTEFACT, done) for a in (fig6, fig9, table1) for done in list(_DONE)[:3]),
        (table1.ARTEFACT, "reference"),
        (fig6.ARTEFACT, "bases"),
    ],
    ids=lambda value: getattr(value, "id", value),
)
def test_a_grid_half_done_is_drawn(artefact, done):
    """A report in the middle of a run shows what there is."""
    drawn = artefact.picture(artefact.table(artefact.frame(made_up(artefact, _DONE[done]))))
    assert drawn is not None
    plt.close("all")
