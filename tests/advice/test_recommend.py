"""Advice for a matrix: noise, rank and solver on data where they are known."""

import functools
import itertools
import json
import re

import numpy as np
import pytest
import scipy.sparse as sp
from browser import PROGRAM, Browser
from PIL import Image

import nmfbench
from nmfbench import cli
from nmfbench.advice import advise as stages
from nmfbench.advice.advise import Advice, advise, largest_rank
from nmfbench.advice.choose import (
    LossChoice,
    RankChoice,
    choose_loss,
    choose_rank,
    most_components,
    rank_grid,
)
from nmfbench.advice.evidence import Budget, Evidence
from nmfbench.advice.folds import Prediction, draw_cells, draw_folds
from nmfbench.advice.kernels import Kernels, loss_job, solver_job
from nmfbench.advice.model import Model
from nmfbench.advice.noise import NOISES, cell_width, log_density, scale_of
from nmfbench.advice.race import enough_iterations, entrants
from nmfbench.advice.residuals import growth, outliers
from nmfbench.commands.errors import UsageError
from nmfbench.commands.recommend import _text, _undecided
from nmfbench.own.errors import OwnDataError
from nmfbench.recommendation.page import write_page

RANK = 4


def noisy(kind, seed=0, shape=(90, 60)):
    """A matrix of rank four with noise of one kind."""
    rng = np.random.default_rng(seed)
    Y = rng.gamma(0.7, 1, (shape[0], RANK)) @ rng.gamma(0.7, 1, (RANK, shape[1]))
    Y *= 5 / Y.mean()
    if kind == "frobenius":
        return np.abs(Y + rng.normal(0, 0.5, Y.shape))
    if kind == "manhattan":
        return np.abs(Y + rng.laplace(0, 0.5, Y.shape))
    if kind == "kl":
        return rng.poisson(4 * Y).astype(float)
    return Y * rng.gamma(10, 0.1, Y.shape)


@pytest.mark.parametrize("kind", NOISES)
def test_noise_loss_and_rank_are_found(kind):
    """The noise model, the loss that matches it and the known rank come out of held-out entries."""
    X = noisy(kind, shape=(120, 80))
    noises = [n for n in NOISES if n != "itakura-saito" or np.mean(X == 0) < 0.01]
    evidence = Evidence(X, noises)
    folds = draw_folds(X.shape, 4, np.random.default_rng(1))
    assert evidence.ask("blocks", folds, noises, [3, 4, 5], Budget(1e6), 1)
    chosen = choose_loss(evidence, "blocks")
    assert (chosen.noise, chosen.loss, chosen.distinct) == (kind, kind, True)
    evidence.ask("blocks", folds, [kind], [1, 2, 6], Budget(1e6), 1)
    rank = choose_rank(evidence, "blocks", kind, kind)
    assert abs(rank.rank - RANK) <= 1
    assert rank.low <= RANK <= rank.high


def test_iterations_of_the_model_are_enough_for_the_whole_matrix():
    """From two on, as many as bring the error down; just these, once the budget is used up."""
    X = noisy("kl", shape=(120, 80))
    folds = draw_folds(X.shape, 8, np.random.default_rng(0))[:3]
    ask = functools.partial(enough_iterations, X, "kl-mu", "kl", RANK, folds)
    enough = ask(2, Budget(1e6), 1.0)
    assert enough in (32, 128, 512)
    assert ask(enough, Budget(1e6), 1.0) == enough
    assert ask(2, ticking(), 1.0) == 2


def test_gross_errors_are_heavy_tails():
    """Wild entries speak for the Manhattan distance, not for multiplicative noise."""
    X, rng = noisy("frobenius"), np.random.default_rng(3)
    wild = rng.random(X.shape) < 0.08
    X[wild] = rng.uniform(0, 4 * X.max(), wild.sum())
    evidence = Evidence(X)
    folds = draw_folds(X.shape, 4, rng)
    evidence.ask("blocks", folds, list(NOISES), [3, 4], Budget(1e6), 1)
    assert choose_loss(evidence, "blocks").noise == "manhattan"


@pytest.mark.parametrize("loss", NOISES)
def test_densities_integrate_to_one(loss):
    """A density over all entries has the mass 1; extended quasi-likelihood nearly so."""
    rng = np.random.default_rng(0)
    y = np.full(20_000, 8.0)
    x = {
        "frobenius": y + rng.normal(size=y.shape),
        "manhattan": y + rng.laplace(size=y.shape),
        "kl": rng.gamma(8.0, 1.0, y.shape),
        "itakura-saito": y * rng.gamma(20, 1 / 20, y.shape),
    }[loss]
    scale = scale_of(loss, x, y, len(x))
    grid = np.linspace(1e-3, 60, 400_001)
    density = np.exp(log_density(loss, grid, np.full_like(grid, 8.0), scale))
    assert np.trapezoid(density, grid) == pytest.approx(1, abs=0.03)


def test_no_density_exceeds_a_cell():
    """Entries on a grid have probabilities: none is more than 1 for a cell."""
    x = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 1.0, 2.0])
    widths = cell_width(x)
    assert widths == (1.0, 1.0)
    for loss in ("frobenius", "manhattan"):
        scale = scale_of(loss, x, x, 1.0, 1.0)
        assert log_density(loss, x, x, scale, widths).max() <= 0


def test_folds_of_blocks_are_disjoint():
    """No entry is in two blocks, and of cells each is in one."""
    rng = np.random.default_rng(0)
    count = np.zeros((17, 13), int)
    for fold in draw_folds(count.shape, 4, rng):
        count[np.ix_(fold.rows, fold.columns)] += 1
    assert count.max() == 1
    assert np.all(sum(fold.mask.astype(int) for fold in draw_cells(count.shape, 5, rng)) == 1)


def test_growth_of_residuals():
    """Exponents of constant, Poisson and multiplicative noise."""
    rng = np.random.default_rng(0)
    y = rng.uniform(20, 400, 20_000)
    for x, power in (
        (y + rng.normal(size=y.shape), 0),
        (rng.poisson(y), 0.5),
        (y * rng.gamma(50, 0.02, y.shape), 1),
    ):
        found = growth([Prediction(x, y, x, y, 1.0)])
        assert found["exponent"] == pytest.approx(power, abs=0.1)


def test_outliers_are_named():
    """A planted entry is found, with its place."""
    rng = np.random.default_rng(0)
    fit = rng.uniform(1, 2, (30, 20))
    X = fit + rng.normal(0, 0.1, fit.shape)
    X[7, 3] = 50
    found = outliers(X, fit, 0.0)
    assert [(e["row"], e["column"]) for e in found["entries"]] == [(7, 3)]
    assert found["rows"] == [(7, 1)]


def test_few_counts_where_none_were_expected_are_no_outliers():
    """One or two of a thing are as near to none as counts can be; fifty are not."""
    rng = np.random.default_rng(0)
    fit = np.where(rng.random((60, 40)) < 0.2, 1e-6, 5.0)
    X = rng.poisson(fit).astype(float)
    X[0, fit[0] < 1] = 1.0
    X[7, 3], fit[7, 3] = 50.0, 1e-6
    found = outliers(X, fit, 0.5, width=1.0)
    assert [(e["row"], e["column"]) for e in found["entries"]] == [(7, 3)]
    assert outliers(X, fit, 0.5)["share"] > found["share"]


def test_entrants_fit_the_loss_and_the_data():
    """Solvers in the race minimise the loss, have no signs, and take what the data are."""
    dense, sparse = np.ones((4, 3)), sp.csr_matrix(np.ones((4, 3)))
    keys, left_out = entrants("manhattan", dense)
    assert "mahnmf-hybrid" in keys
    assert "mahnmf-sym" in left_out
    assert "robust-lowrank-admm" in left_out
    assert "mahnmf-hybrid" in entrants("manhattan", sparse)[1]
    assert set(entrants("frobenius", dense)[0]) >= {"hals", "mu", "nenmf", "sklearn-cd"}


def test_ranks_to_try():
    """Ranks rise, begin with one, and leave degrees of freedom."""
    for shape in ((20, 20), (500, 30), (3000, 400)):
        most = most_components(shape)
        grid = rank_grid(most)
        assert grid[0] == 1
        assert grid == sorted(set(grid))
        assert grid[-1] <= most
        assert most * sum(shape) <= shape[0] * shape[1]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recommended")
    np.savetxt(folder / "counts.csv", noisy("kl"), fmt="%d", delimiter=",")
    return nmfbench.recommend(folder / "counts.csv", budget=25, output=folder / "page"), folder


def test_shape_of_the_document(found):
    """The document has all parts, as JSON has them, and the file has the factors."""
    answer, folder = found
    document = json.loads(json.dumps(answer.data, allow_nan=False))
    assert document["stopped"] is None
    assert document["seed"] == 0
    assert document["loss"]["loss"] == "kl"
    assert abs(document["rank"]["n_components"] - RANK) <= 1
    assert document["solver"]["key"] in document["solver"]["level"]
    assert document["data"]["key"].startswith("own:")
    r = document["rank"]["n_components"]
    assert len(document["model"]["components"]) == r
    assert sum(row["share"] for row in document["model"]["components"]) == pytest.approx(1)
    with np.load(folder / "page" / "model.npz") as model:
        assert model["W"].shape == (90, r)
        assert model["H"].shape == (r, 60)
        assert min(model["W"].min(), model["H"].min()) >= 0
    assert set(answer.table["solver"]) == {row["solver"] for row in document["solver"]["race"]}
    assert "Rank: " in answer.text
    assert "make_solver" in answer.text


def test_page_of_the_answer(found, tmp_path, monkeypatch):
    """The page names the choices and how to get them again; the program gives the same factors,
    wherever it is called."""
    answer, folder = found
    page = (folder / "page" / "index.html").read_text(encoding="utf-8")
    solver = answer.data["solver"]["key"]
    for words in (
        f"<b>{solver}</b>",
        "The elbow",
        "How residuals grow",
        "--budget 25s --seed 0 --output",
    ):
        assert words in page
    tables = {path.stem for path in (folder / "page" / "tables").iterdir()}
    assert {"ranks", "noise-models", "solvers", "components"} <= tables
    with np.load(folder / "page" / "model.npz") as model:
        W, H = model["W"], model["H"]
    script = folder / "page" / "refit.py"
    (folder / "page" / "model.npz").unlink()
    monkeypatch.chdir(tmp_path)
    exec(compile(script.read_text(encoding="utf-8"), script, "exec"), {"__file__": str(script)})
    with np.load(folder / "page" / "model.npz") as model:
        np.testing.assert_array_equal(model["W"], W)
        np.testing.assert_array_equal(model["H"], H)


@pytest.mark.skipif(PROGRAM is None, reason="no headless browser is installed")
def test_page_fits_its_window(found, tmp_path):
    """Neither on a desk nor on a phone has the page a sideways scroll."""
    browser = Browser(tmp_path)
    try:
        for width in (1400, 390):
            page = browser.open(found[1] / "page" / "index.html", width=width, height=800)
            assert page.run("document.documentElement.scrollWidth") <= width
    finally:
        browser.close()


def test_page_of_pictures(tmp_path):
    """Components of pictures are pictures."""
    pictures, rng = tmp_path / "pictures", np.random.default_rng(0)
    pictures.mkdir()
    X = rng.gamma(0.5, 1, (24, 2)) @ rng.gamma(0.5, 1, (2, 120))
    X = (200 * X / X.max() + rng.uniform(0, 3, X.shape)).astype(np.uint8)
    for i, x in enumerate(X):
        Image.fromarray(x.reshape(12, 10)).save(pictures / f"{i:02d}.png")
    nmfbench.recommend(pictures, budget=6, output=tmp_path / "page")
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert "Components as pictures" in page
    assert "Largest features" not in page


def test_page_shows_places_of_outliers(found, tmp_path):
    """Outliers have a picture, and the farthest are named; parts that were not reached are none."""
    document = json.loads(json.dumps(found[0].data))
    entry = {
        "row": 3,
        "column": 4,
        "value": 9.0,
        "fit": 1.0,
        "row_name": "ann",
        "column_name": None,
    }
    document["loss"]["outliers"] |= {"entries": [entry], "rows": [(3, 1)], "columns": [(4, 1)]}
    document |= {"rank": None, "solver": None, "model": None, "stopped": "rank"}
    given = {"noise_names": NOISES, "command": "nmfbench recommend", "outliers": np.array([[3, 4]])}
    page = write_page(document, tmp_path, **given).read_text(encoding="utf-8")
    assert "Where outliers are" in page
    assert "<td>ann</td><td>4</td>" in page
    assert "Stopped at the stage" in page
    assert "The elbow" not in page


def test_same_seed_same_choices():
    """With one seed noise, loss and both scores of ranks are the same to the last bit."""
    X = noisy("frobenius", shape=(40, 30))
    one, two = (_until(X, "residuals") for _ in range(2))
    assert one.loss.noises == two.loss.noises
    assert one.rank == two.rank
    assert one.rank_by_cells == two.rank_by_cells


def _until(X, last):
    """Advice of the stages before one, which stops it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages._Run, f"_{last}", _interrupt)
        return advise(X, budget=1e6)


def _interrupt(self):
    raise KeyboardInterrupt


@pytest.mark.parametrize("stage", ["pilot", "loss", "rank", "solver"])
def test_ctrl_c_keeps_what_is_done(stage):
    """Choices made before a stop are kept, and the stage is named."""
    advice = _until(noisy("frobenius", shape=(40, 30)), stage)
    assert advice.stopped == stage
    assert not advice.complete
    assert (advice.loss is not None) == (stage in ("rank", "solver"))
    assert (advice.rank is not None) == (stage in ("rank", "solver"))


def test_ctrl_c_on_the_command_line(tmp_path, monkeypatch, capsys):
    """The command prints what is done, and ends with 1."""
    monkeypatch.setattr(stages._Run, "_rank", _interrupt)
    np.save(tmp_path / "X.npy", noisy("frobenius", shape=(40, 30)))
    words = ["recommend", str(tmp_path / "X.npy"), "--budget", "20s"]
    assert cli.main([*words, "--output", str(tmp_path / "page"), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["stopped"] == "rank"
    assert document["solver"] is None
    assert document["loss"]["loss"]


ODD = {
    "few rows": np.random.default_rng(0).random((6, 40)),
    "one column": np.ones((30, 1)),
    "constant": np.full((30, 25), 3.0),
    "zeros but for one": np.diag([1.0] + [0.0] * 29),
    "identity": np.eye(30),
    "duplicated rows": np.tile(np.random.default_rng(0).random((5, 30)), (8, 1)),
    "exact rank one": np.outer(np.arange(1.0, 31), np.arange(1.0, 26)),
    "wild scales": np.random.default_rng(0).random((30, 25)) * 10.0 ** np.arange(-12, 13),
    "tiny unit": np.random.default_rng(0).random((30, 25)) * 1e-40,
    "sparse": sp.random(60, 50, 0.05, random_state=0, format="csr"),
    "binary": (np.random.default_rng(0).random((40, 30)) < 0.3).astype(float),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_data_end_in_an_answer(name):
    """Odd data give an answer that JSON can hold, or say what they do not tell."""
    answer = nmfbench.recommend(ODD[name], budget=4)
    json.dumps(answer.data, allow_nan=False)
    assert answer.text
    assert answer.data["solver"] or answer.data["undecided"]


@pytest.mark.parametrize(("entry", "words"), [(0.0, ["any components"]), (1.0, [])])
def test_a_fit_that_is_zero_is_no_answer(entry, words):
    """As of scattered entries by the Manhattan distance: the median of each row is zero."""
    found = Advice((4, 3), 0, 1.0)
    found.loss = LossChoice("manhattan", "manhattan", True, [], [])
    found.model = Model(np.full((4, 1), entry), np.ones((1, 3)), 1.0, 1.0, 0, None)
    undecided = _undecided(found)
    assert len(undecided) == len(words)
    assert all(word in line for word, line in zip(words, undecided, strict=True))


@pytest.mark.parametrize(
    ("value", "words"), [(-1.0, "negative entry"), (np.nan, "missing"), (np.inf, "infinite")]
)
def test_unusable_data_end_in_an_error(value, words):
    """Negative, missing and infinite entries are named, with a remedy."""
    X = noisy("frobenius")
    X[3, 4] = value
    with pytest.raises(OwnDataError, match=words):
        nmfbench.recommend(X)


def test_time_is_kept():
    """Past the budget no other fold begins, and the first ends with what it has."""
    evidence = Evidence(noisy("frobenius", shape=(40, 30)))
    folds = draw_folds((40, 30), 4, np.random.default_rng(0))
    ask = functools.partial(evidence.ask, "blocks", folds, ["frobenius"])
    assert not ask([1, 2], ticking(), 1.0)
    assert len(evidence.values("blocks", "frobenius", 1, "frobenius")) == 1
    assert len(evidence.values("blocks", "frobenius", 2, "frobenius")) == 0
    assert not ask([1, 2], ticking(), 0.0, last=1e6)
    for rank in (1, 2):
        assert len(evidence.values("blocks", "frobenius", rank, "frobenius")) == 2


def ticking():
    """A budget that the first look at its clock uses up."""
    ticks = itertools.count(step=10.0)
    return Budget(5.0, clock=lambda: next(ticks))


def test_shares_are_of_what_is_left():
    """After a wait the stages share the rest of the budget."""
    now = [0.0]
    budget = Budget(10.0, clock=lambda: now[0])
    assert budget.left(0.5) == 5
    now[0] = 6.0
    budget.share_out()
    assert (budget.left(0.5), budget.left()) == (2, 4)
    assert budget.allows(0.5, 2)
    assert not budget.allows(0.5, 2.1)


class Slow(Kernels):
    """Nothing but least squares is compiled in time."""

    def __init__(self):
        pass

    def request(self, jobs):
        pass

    def wait(self, jobs, seconds):
        return {job for job in jobs if "frobenius" in job}


def test_losses_without_kernels_are_left_out():
    """Fits that are not compiled in time are named, with the reason, and the advice is complete."""
    found = advise(noisy("kl", shape=(60, 40)), budget=20, kernels=Slow())
    assert found.complete
    assert found.loss.loss == "frobenius"
    assert "kl" in found.losses_left_out
    assert "not compiled" in found.losses_left_out["kl"]
    assert "kl" in found.untried["loss"]


class WithoutSolvers(Slow):
    """Losses are compiled in time, and none of the solvers."""

    def wait(self, jobs, seconds):
        return {job for job in jobs if job.startswith("loss")}


def test_solvers_without_kernels_are_said_to_be_open():
    """Where no solver of the loss is compiled in time, the rest of the advice stands."""
    found = advise(ODD["sparse"], budget=20, kernels=WithoutSolvers())
    # Whose solver that is always there takes no sparse data.
    assert found.loss.loss == "manhattan"
    assert found.rank is not None
    assert found.race is None
    assert set(found.untried) >= {"solver"}
    assert not found.undecided


def test_what_was_not_tried_makes_an_answer_provisional(found, tmp_path):
    """On the page and in the terminal, with what there was no time for; otherwise no word of it."""
    document = json.loads(json.dumps(found[0].data)) | {"untried": {"rank": "3 of 4 parts"}}
    given = {"noise_names": NOISES, "command": "nmfbench recommend"}
    page = write_page(document, tmp_path, **given).read_text(encoding="utf-8")
    assert page.count("(provisional)") == 1
    assert "Rank: 3 of 4 parts" in page
    text = _text(document)
    assert re.search(r"^Rank: \d+ \(provisional\)", text, re.MULTILINE)
    assert "  rank: 3 of 4 parts" in text
    assert "(provisional)" not in _text(document | {"untried": {}})


def test_ranks_of_few_folds_are_provisional():
    """A rank that fewer parts of the entries were held out for than are planned."""
    advice = Advice((40, 30), 0, 5.0)
    row = {"rank": 2, "score": 0.0, "folds": 1, "behind": 0.0, "low": None, "high": None}
    advice.rank = RankChoice(2, 2, 2, 2, False, [row])
    assert advice.untried == {"rank": "3 of 4 parts to hold out"}
    advice.rank = RankChoice(2, 2, 2, 2, False, [row | {"folds": 4}])
    assert advice.untried == {}


def test_a_rank_that_is_asked_for_is_fitted(tmp_path):
    """Loss and solver are chosen for it; what held-out entries say stands beside it."""
    np.savetxt(tmp_path / "X.csv", noisy("frobenius", shape=(40, 30)), delimiter=",")
    answer = nmfbench.recommend(tmp_path / "X.csv", rank=2, budget=40, output=tmp_path / "page")
    rank = answer.data["rank"]
    assert (rank["n_components"], rank["asked"]) == (2, True)
    assert rank["by_blocks"] in [row["rank"] for row in rank["curve"]]
    assert f"Rank: 2 (asked for); held-out entries say {rank['by_blocks']}" in answer.text.replace(
        " (provisional)", ""
    )
    assert len(answer.data["model"]["components"]) == 2
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert "--rank 2 --budget 40s" in page
    assert "(asked for)" in page


def test_solvers_are_judged_at_a_rank_that_the_part_can_tell():
    """The model of all data has the rank that was asked for; a note says what was judged."""
    X = noisy("frobenius", shape=(400, 60))
    assert largest_rank(X.shape) > 12
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "_ENTRIES", (1, 900, 900))
        found = advise(X, rank=12, budget=20)
    assert largest_rank(found.part.X.shape) < 12
    assert len(found.model.H) == 12
    assert any("too small for 12" in note for note in found.notes)


@pytest.mark.parametrize(
    ("rank", "words"),
    [(0, "above 0"), (2.5, "whole number"), (200, "at most 6 of a matrix of 40 x 30")],
)
def test_a_rank_that_cannot_be_judged_is_refused(rank, words):
    """With the largest that can."""
    with pytest.raises(UsageError, match=f"rank: .*{words}"):
        nmfbench.recommend(noisy("frobenius", shape=(40, 30)), rank=rank)


def test_data_too_small_for_a_choice_say_so():
    """All three choices are named as not made."""
    text = nmfbench.recommend(np.ones((6, 5)), budget=3).text
    for choice in ("Rank", "Loss", "Solver"):
        assert f"{choice}: not chosen" in text
    assert "do not tell rank, loss or solver: 6 rows and 5 columns" in text


def test_kernels_are_compiled_by_another_process():
    """Jobs are answered in their order; where the process has ended, all counts as ready."""
    jobs = [solver_job(key, "frobenius", False) for key in ("sklearn-cd", "no such solver")]
    with Kernels() as kernels:
        kernels.request(jobs)
        assert kernels.wait(jobs, 60) == set(jobs)
        kernels._process.kill()
        assert kernels.wait([loss_job("kl")], 60) == {loss_job("kl")}
        kernels.request(jobs)


def test_losses_are_compared_on_common_folds():
    """A loss with fewer folds than another is compared on these; with one fold it is left out."""
    evidence = Evidence(noisy("kl"), ["frobenius", "kl"])
    folds = draw_folds(evidence.X.shape, 4, np.random.default_rng(1))
    evidence.ask("blocks", folds[:4], ["frobenius"], [4], Budget(1e6), 1)
    evidence.ask("blocks", folds[:2], ["kl"], [4], Budget(1e6), 1)
    evidence.ask("blocks", folds[:1], ["manhattan"], [4], Budget(1e6), 1)
    chosen = choose_loss(evidence, "blocks")
    assert {row["loss"] for row in chosen.losses} == {"frobenius", "kl"}
    (score,) = (row["score"] for row in chosen.losses if row["loss"] == "frobenius")
    own = evidence.values("blocks", "frobenius", 4, chosen.noise)[:2]
    assert score == pytest.approx(own.mean())
