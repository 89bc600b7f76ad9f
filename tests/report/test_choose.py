"""The page *Choose*: two or three solvers for a job, from the records behind the leaderboards."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from browser import PROGRAM, Browser

from nmfbench.cards import make_card
from nmfbench.cards.pages import card_list, constraints
from nmfbench.comparison.leaderboards import leaderboards, places
from nmfbench.core import registry
from nmfbench.guests import SolverSpec
from nmfbench.pages.environment import ASSETS
from nmfbench.reports.choose import SMALL, choices, lead, takes_sparse, write_choose
from nmfbench.reports.landing import write_landing

SHOWN = "[...table.tBodies[0].rows].filter((r) => !r.hidden).map((r) => r.innerText)"
SCORES = {"hals": 0.9, "mu": 0.6, "kl-mu": 0.5, "mahnmf-rri": 0.4, "median": 0.1}


def boards_of(scores, *, corruption=None, repeats=12, task="recognition", kind=None):
    """A leaderboard of constant leads, but for a part that all solvers share."""
    rng = np.random.default_rng(0)
    shared = rng.normal(0, 0.01, repeats)
    rows = [
        {"task": task, "problem": "faces", "corruption": corruption, "method": method}
        | {"repeat": k, "score": score(k) if callable(score) else score + shared[k]}
        | {"status": "done", "ranked": True, "loss": None, "kind": kind}
        | {"cpu_seconds": 0.5, "host": {"cpu": "this one"}}
        for method, score in scores.items()
        for k in range(repeats)
    ]
    return leaderboards(pd.DataFrame(rows), by_kind=kind is not None)[0]


def choice(found, loss="any", data="dense"):
    (one,) = (c for c in found if (c.loss, c.data) == (loss, data))
    return one


def test_the_solver_that_is_ahead_is_named_with_its_lead():
    """Its score, and the paired lead over plain NMF, whose shared part cancels."""
    one = choice(choices(boards_of(SCORES)))
    assert one.winner
    assert one.outliers == "none"
    assert one.suggestions[0].key == "hals"
    assert one.suggestions[0].lead == "+0.3 [0.3, 0.3]"
    assert "best mean rank, 1.0 of 5" in one.why
    assert one.why.endswith("ahead of all others.")
    assert len(one.suggestions) == 1


def test_no_winner_is_named_where_two_halves_disagree():
    """Both that are first in a half are shown; neither is the winner."""
    scores = SCORES | {
        "hals": lambda k: 0.9 if k % 2 else 0.7,
        "mu": lambda k: 0.7 if k % 2 else 0.9,
    }
    one = choice(choices(boards_of(scores)))
    assert not one.winner
    assert {s.key for s in one.suggestions[:2]} == {"hals", "mu"}
    assert one.why.startswith("No winner: ")
    assert "one half of 12 repeats" in one.why
    assert one.why.endswith("in the other; 3 of 5 are behind HALS.")


def test_no_winner_is_named_where_none_is_ahead():
    """Two solvers of equal scores in each repeat."""
    one = choice(choices(boards_of({"hals": 0.9, "mu": 0.9})))
    assert not one.winner
    assert "none of 2 solvers is clearly behind the first" in one.why


@pytest.mark.parametrize("score", [0.95, 0.9])
def test_a_trivial_baseline_that_is_not_behind_is_marked(score):
    """Where it is first, and where it does not differ from the first."""
    one = choice(choices(boards_of(SCORES | {"median": score})))
    (marked,) = (s for s in one.suggestions if s.baseline)
    assert marked.key == "median"
    assert "a trivial baseline" in one.why


def test_groups_are_ranked_among_themselves():
    """By the loss that a solver minimises, and whether it keeps sparse data sparse."""
    found = choices(boards_of(SCORES))
    frobenius = choice(found, "Frobenius norm")
    assert {s.key for s in frobenius.suggestions} <= {"hals", "mu"}
    assert "of 2" in frobenius.why
    for one in found:
        assert one.data == "dense" or all(takes_sparse(s.key) for s in one.suggestions)
    assert not [one for one in found if one.loss.startswith("Kullback")]  # one solver alone


def test_real_data_stand_for_the_small_problems_of_a_job():
    """Where there are both, the small ones are left out; texts are for who keeps them sparse."""
    five = SCORES | {"nenmf": 0.3}
    boards = boards_of(five, kind="images") + boards_of(five, kind="text") + boards_of(five)
    found = choices(boards)
    assert {(c.kind, c.data) for c in found} == {("images", "dense"), ("texts", "sparse")}
    for one in found:
        assert one.data == "dense" or all(takes_sparse(s.key) for s in one.suggestions)
    (best,) = (c for c in found if (c.kind, c.loss) == ("texts", "Frobenius norm"))
    assert best.suggestions[0].key == "hals"
    assert best.suggestions[0].seconds == "0.5 s"
    assert {c.kind for c in choices(boards_of(five))} == {SMALL}


def test_the_page_names_noise_in_words(tmp_path):
    """A row for each job, loss and kind of data, with a line of Python and one of the shell."""
    boards = boards_of(SCORES) + boards_of(SCORES, corruption="salt-pepper")
    page = write_choose(boards, tmp_path).read_text(encoding="utf-8")
    words = html.unescape(re.sub("<.*?>", " ", page))
    assert "salt & pepper" in words
    assert 'nmfbench.make_solver("hals", n_components=20)' in words
    assert "nmfbench compare hals --task recognition" in words
    assert page.count("<tr><td>") == len(choices(boards))


def test_a_lead_needs_both_solvers():
    """None of plain NMF over itself, nor without its records."""
    (board,) = boards_of(SCORES)
    assert lead(board, "mu") == ""
    (board,) = boards_of({"hals": 0.9, "kl-mu": 0.5})
    assert lead(board, "hals") == ""


def test_the_list_of_solvers_says_where_each_is_first(tmp_path):
    """Loss, sparse data, streams, constraints and boards; baselines are marked as such."""
    found = places(boards_of(SCORES))
    assert found["hals"]["first"] == [("recognition", "Recognition")]
    (row,) = found["mu"].pop("rows")
    assert found["mu"] == {"first": [], "level": 0, "boards": 1, "speed": ""}
    assert (row["address"], row["standing"], row["seconds"]) == ("recognition", "behind", 0.5)
    assert row["low"] < row["center"] < row["high"]
    keys = ("hals", "spa", "or-nmf", "median")
    cards = {key: make_card(SolverSpec(key), [], tmp_path) for key in keys}
    assert constraints(cards["spa"])[0] == "components are data points"
    page = card_list({"all": list(cards.values())}, found)
    rows = dict(re.findall(r'<tr id="([\w-]+)">(.*?)</tr>', page, re.DOTALL))
    assert set(rows) == set(keys)
    assert "leaderboards.html#recognition" in rows["hals"]
    assert "trivial baseline" in rows["median"]
    assert "trivial baseline" not in rows["spa"]
    cells = {key: re.findall("<td.*?>(.*?)</td>", row, re.DOTALL) for key, row in rows.items()}
    assert [cells[key][4] for key in keys] == ["no", "no", "yes", "no"]
    assert cells["hals"][2] == registry.solvers["hals"].target.loss


@pytest.mark.skipif(PROGRAM is None, reason="no headless browser is installed")
def test_the_address_holds_what_a_reader_asks_for(tmp_path):
    """Filters are read from it and written to it, on a desk and on a phone; without scripts the
    table is there, and no filters."""
    (tmp_path / "pages").mkdir()
    boards = boards_of(SCORES) + boards_of(SCORES, corruption="salt-pepper")
    page = write_choose(boards, tmp_path / "pages")
    (tmp_path / "pages" / "assets").symlink_to(ASSETS)
    (tmp_path / "profile").mkdir()
    browser = Browser(tmp_path / "profile")
    try:
        for width in (1400, 390):
            state = "#loss=Frobenius+norm&data=sparse&outliers=salt+%26+pepper"
            opened = browser.open(page, fragment=state, width=width)
            (row,) = opened.run(SHOWN)
            assert "HALS" in row or "NMF-MU" in row
            assert opened.run("document.documentElement.scrollWidth") <= width
            opened.run("form.outliers.value = 'none'; form.dispatchEvent(new Event('input'))")
            assert "outliers=none" in opened.run("location.hash")
            assert len(opened.run(SHOWN)) == 1
            assert opened.errors == []
        opened = browser.open(tmp_path / "pages" / "choose.html")
        opened.call("Emulation.setScriptExecutionDisabled", value=True)
        opened.call("Page.reload")
        browser.wait("Page.loadEventFired", opened._session)
        opened.call("Emulation.setScriptExecutionDisabled", value=False)
        seen = "document.querySelector('form').checkVisibility()"
        assert not opened.run(seen)
        assert opened.run("document.querySelectorAll('tbody tr').length") == len(choices(boards))
    finally:
        browser.close()


@pytest.mark.skipif(PROGRAM is None, reason="no headless browser is installed")
@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ({"outliers": "occlusion", "loss": "any"}, "HALS"),
        ({"on": "texts", "loss": "Frobenius norm"}, "HALS"),
    ],
)
def test_from_the_landing_page_to_a_solver_for_a_job(tmp_path, asked, answer):
    """One link and a filter: which NMF under occlusion, which for sparse texts by least squares."""
    (tmp_path / "pages").mkdir()
    five = SCORES | {"nenmf": 0.3}
    boards = boards_of(five, corruption="occlusion", kind="images")
    boards += boards_of(five, task="clustering", kind="text")
    write_choose(boards, tmp_path / "pages")
    index, *_ = write_landing([], [], boards, tmp_path / "pages", None)
    (tmp_path / "pages" / "assets").symlink_to(ASSETS)
    (tmp_path / "profile").mkdir()
    browser = Browser(tmp_path / "profile")
    try:
        page = browser.open(index)
        assert "Recognition: images under occlusion: HALS" in page.run("document.body.innerText")
        job = "document.querySelector('#h-which ~ ul a').getAttribute('href')"
        name, state = page.run(job).split("#")
        page = browser.open(index.with_name(name), fragment=f"#{state}")
        (row,) = page.run(SHOWN)
        assert "occlusion" in row
        page = browser.open(index)
        link = page.run("document.querySelector('header nav a').getAttribute('href')")
        page = browser.open(index.with_name(link))
        for name, value in asked.items():
            page.run(f"form.{name}.value = {value!r}; form.dispatchEvent(new Event('input'))")
        rows = page.run(SHOWN)
        assert rows
        assert all(answer in row for row in rows)
        assert all('make_solver("hals"' in row for row in rows)
        assert page.errors == []
    finally:
        browser.close()
