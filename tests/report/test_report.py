"""The report: pages, pictures, notebooks and their parameters."""

import hashlib
import html
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
import yaml

from nmfbench import papers
from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.estimate import Estimate, of_units
from nmfbench.artefacts.finding import Finding
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.region import Bounds, Lead, Margin
from nmfbench.cli import main
from nmfbench.core import registry
from nmfbench.pages import environment
from nmfbench.papers.paper import paper as paper_of
from nmfbench.records.errors import StoreError
from nmfbench.records.store import Store
from nmfbench.reports.build import _published_beside, build_report
from nmfbench.reports.changes import write_release
from nmfbench.reports.notebooks import (
    NotebookError,
    _typeset,
    execute_notebook,
    notebook_path,
    write_complete,
)
from nmfbench.reports.section import SECTION, Section, render_section, section
from nmfbench.reports.sums import verify, write_sums
from nmfbench.trials.trial import Trial
from nmfbench.verdicts.choice import choose_grid
from nmfbench.verdicts.evaluate import evaluate
from nmfbench.verdicts.verdict import percent

ARTEFACTS = [entry.target for entry in registry.artefacts.entries()]
TEMPLATES = Path(environment.__file__).parent / "templates"


def test_the_pages_of_papers_show_every_artefact(smoke_report):
    """Each artefact has its picture or table, a verdict a claim, and its trials of total."""
    papers = dict.fromkeys(artefact.paper for artefact in smoke_report.artefacts)
    page = "".join((smoke_report.folder / f"{paper}.html").read_text() for paper in papers)
    words = html.unescape(page)
    for artefact in smoke_report.artefacts:
        assert f'id="{artefact.paper}-{artefact.name}"' in page
        for claim in artefact.claims:
            assert claim.statement in words
            assert f'<tr id="{artefact.id}/{claim.id}">' in page
    pictures = re.findall(r'<img [^>]*src="([^"]+)"', page)
    assert len(pictures) == sum(artefact.kind == "figure" for artefact in smoke_report.artefacts)
    assert all((smoke_report.folder / picture).stat().st_size > 3000 for picture in pictures)
    assert page.count("trials done") == len(smoke_report.artefacts)


def test_a_report_has_its_verdicts_as_data(smoke_report, smoke_store, capsys):
    """``claims.json`` is what the command ``claims`` prints."""
    capsys.readouterr()
    words = ["claims", "robust-xray", "--profile", "smoke", "--store", str(smoke_store)]
    assert main([*words, "--stand-in", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    written = json.loads((smoke_report.folder / "claims.json").read_text(encoding="utf-8"))
    assert [row for row in written if row["artefact"].startswith("robust-xray/")] == answer
    claims = [
        f"{artefact.id}/{claim.id}"
        for artefact in smoke_report.artefacts
        for claim in artefact.claims
    ]
    assert [row["id"] for row in written] == claims


def test_every_file_of_a_report_has_its_sum(smoke_report):
    """``SHA256SUMS`` names each file but itself, with the hash of its content."""
    lines = (smoke_report.folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = dict(reversed(line.split("  ")) for line in lines)
    files = {
        path.relative_to(smoke_report.folder).as_posix()
        for path in smoke_report.folder.rglob("*")
        if path.is_file()
    }
    assert set(sums) == files - {"SHA256SUMS"}
    assert list(sums) == sorted(sums)
    for name, value in sums.items():
        assert hashlib.sha256((smoke_report.folder / name).read_bytes()).hexdigest() == value


def test_a_codechecker_is_told_what_to_regenerate(smoke_report):
    """``codecheck.yml`` lists pages and figures, and leaves its own fields to the codechecker."""
    text = (smoke_report.folder / "codecheck.yml").read_text(encoding="utf-8")
    assert text.startswith("%YAML 1.1\n---\n")
    content = yaml.safe_load(text)
    assert content["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    comments = {item["file"]: item["comment"] for item in content["manifest"]}
    assert len(comments) == len(content["manifest"])
    assert all((smoke_report.folder / name).is_file() for name in comments)
    remarks = " ".join(comments.values())
    for artefact in smoke_report.artefacts:
        assert f"{artefact.paper}.html" in comments
        assert artefact.kind == "table" or f"{artefact.id}: {artefact.title}" in remarks
    assert content["paper"]["title"]
    assert content["paper"]["authors"][0]["name"]
    assert {row["title"] for row in content["nmfbench_papers"]} == {
        paper_of(key).title for key in {artefact.paper for artefact in smoke_report.artefacts}
    }
    assert not {"codechecker", "report", "certificate"} & set(content)


def test_the_sums_cover_what_is_published_beside_the_pages(tmp_path):
    """Files of the record book and of the comparison have sums, too; others do not."""
    for name in ("records/anp/fig2.parquet", "comparison/index.html", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    write_sums(_published_beside(tmp_path), tmp_path)
    assert verify(tmp_path).whole == ["comparison/index.html", "records/anp/fig2.parquet"]
    assert verify(tmp_path).unlisted == ["notes.txt"]


def test_an_artefact_is_evaluated_and_drawn_once(smoke_store, tmp_path, monkeypatch):
    """Pages, cards and verdicts come from the cells of the notebooks: nothing is evaluated here."""

    def again(*_, **__):
        raise AssertionError("evaluated outside its notebook")

    monkeypatch.setattr("nmfbench.reports.section.evaluate", again)
    monkeypatch.setattr("nmfbench.cards.card.evaluate", again)
    anp = [artefact for artefact in ARTEFACTS if artefact.paper == "anp"]
    write_release([], tmp_path / "of-old.json")
    made = build_report(
        anp,
        smoke_store,
        profile="smoke",
        output=tmp_path,
        stand_in=True,
        since=tmp_path / "of-old.json",
    )
    assert made.index == tmp_path / "index.html"
    assert [e.artefact.id for e in made.evaluations] == [artefact.id for artefact in anp]
    card = (tmp_path / "solvers" / "anp.html").read_text(encoding="utf-8")
    assert "anp/fig2" in card
    # The notebook leaves to the page what is folded there.
    notebook = (tmp_path / "anp.ipynb").read_text(encoding="utf-8")
    assert SECTION not in notebook
    assert "<details>" not in notebook
    assert "anp.html#anp-fig2" in notebook
    assert "<details>" in (tmp_path / "anp.html").read_text(encoding="utf-8")
    # What a release held of it, and what changed since: nothing held, all claims are new.
    n = sum(len(artefact.claims) for artefact in anp)
    assert f"{n} claims are new" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "claims are new" in (tmp_path / "anp.html").read_text(encoding="utf-8")
    assert {"changes.html", "released.json"} <= set(verify(tmp_path).whole)


@pytest.mark.parametrize("template", sorted(TEMPLATES.glob("*.html")), ids=lambda path: path.stem)
def test_the_keyboard_scrolls_what_is_wider_than_the_window(template):
    """A region that scrolls can have the focus, and has a name."""
    for region in re.findall('<div class="wide[^>]*>', template.read_text(encoding="utf-8")):
        assert 'tabindex="0" role="region" aria-label="' in region


@pytest.mark.parametrize("paper", sorted({artefact.paper for artefact in ARTEFACTS}))
def test_an_artefact_that_no_notebook_shows_gets_a_cell(paper, tmp_path):
    """What a paper reports comes before our own questions, and a question at the end of these."""
    committed = notebook_path(paper).read_text(encoding="utf-8")
    mine = [a for a in ARTEFACTS if a.paper == paper and f'\\"{a.id}\\"' in committed]
    assert mine
    write_complete(notebook_path(paper), tmp_path / "same.ipynb", mine)
    same = nbformat.read(tmp_path / "same.ipynb", as_version=4)
    assert same == nbformat.read(notebook_path(paper), as_version=4)
    claims = {
        origin: [Claim("a", "A.", "", lambda: 0, origin=origin)] for origin in ("paper", "ours")
    }
    new = [
        replace(mine[0], id=f"{paper}/{name}", title=name, claims=claims[name]) for name in claims
    ]
    write_complete(notebook_path(paper), tmp_path / "more.ipynb", new)
    more = nbformat.read(tmp_path / "more.ipynb", as_version=4)
    nbformat.validate(more)
    lines = [line for cell in more.cells for line in cell.source.splitlines()]
    paper_says, ours = (lines.index(f'section("{artefact.id}", **report)') for artefact in new)
    heads = [i for i, line in enumerate(lines) if line.startswith("## ")]
    start = lines.index("## Our own questions")
    end = min(i for i in heads if i > start)
    assert max(i for i in heads if i < start) < paper_says < start
    assert lines[paper_says - 1] == "### paper"
    assert lines[ours - 1 : ours + 1] == ["### ours", lines[ours]]
    assert ours == end - 1


def test_stand_ins_are_named(smoke_report):
    """Where data are synthetic stand-ins, the page says so."""
    page = (smoke_report.folder / "robust-xray.html").read_text()
    assert "reuters (synthetic stand-in)" in page
    assert "on a stand-in" in page


def test_pages_stand_alone(smoke_report):
    """No page loads anything from elsewhere, and none names a folder of the machine."""
    for path in smoke_report.folder.glob("*.html"):
        page = path.read_text()
        assert not re.findall(r'(?:src|<link[^>]* href)="https?://', page)
        if path.stem in {artefact.paper for artefact in smoke_report.artefacts}:
            assert "<math" in page
    for path in [*smoke_report.folder.glob("*.html"), *smoke_report.folder.glob("*.ipynb")]:
        assert str(Path.cwd()) not in path.read_text()


def test_notebooks_are_thin_and_committed_without_outputs():
    """A notebook holds prose and calls, and shows artefacts of its paper, each once."""
    for paper in {artefact.paper for artefact in ARTEFACTS}:
        notebook = nbformat.read(notebook_path(paper), as_version=4)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
        assert max(len(cell.source.splitlines()) for cell in code) <= 8
        shown = re.findall(r'section\("([^"]+)"', "\n".join(cells_of(paper)))
        assert len(shown) == len(set(shown))
        assert set(shown) <= {artefact.id for artefact in ARTEFACTS if artefact.paper == paper}


def test_our_own_questions_stand_under_headings_of_their_own():
    """Studies, and nothing else, are in one part of a page, after the figures of the paper."""
    for paper in {artefact.paper for artefact in ARTEFACTS}:
        outline = "\n".join(line for line in cells_of(paper) if line.startswith(("#", "section(")))
        _, _, rest = outline.partition("\n## Our own questions\n")
        part, *after = rest.split("\n## ")
        found = re.findall(r'### .*\nsection\("[^/]+/([^"]+)"', part)
        assert len(found) == rest.count("section(")
        assert "section(" not in "".join(after)
        package = Path(papers.__file__).parent / paper.replace("-", "_")
        files = (package / "studies").glob("[!_]*.py")
        assert set(found) <= {path.stem.replace("_", "-") for path in files}


def cells_of(paper):
    """All lines of the notebook of a paper."""
    notebook = nbformat.read(notebook_path(paper), as_version=4)
    return [line for cell in notebook.cells for line in cell.source.splitlines()]


def test_an_unknown_notebook_parameter_is_an_error(tmp_path):
    """A misspelt parameter stops with the nearest valid name; papermill alone would go on."""
    with pytest.raises(NotebookError, match="did you mean 'profile'"):
        execute_notebook(notebook_path("robust-xray"), tmp_path / "x.ipynb", {"profil": "smoke"})
    assert not (tmp_path / "x.ipynb").exists()


def test_a_bad_notebook_parameter_is_a_clear_error(tmp_path, smoke_store):
    """An error inside a notebook says which notebook, and what was wrong."""
    parameters = {"profile": "huge", "store": str(smoke_store), "only": ["robust-xray/fig3"]}
    with pytest.raises(NotebookError, match=r"robust-xray.ipynb failed.*profile must be one of"):
        execute_notebook(notebook_path("robust-xray"), tmp_path / "x.ipynb", parameters)


def test_a_report_needs_a_store(tmp_path):
    """Without a store there is no report, and no empty store is made."""
    with pytest.raises(StoreError, match="no store"):
        build_report(ARTEFACTS[:1], tmp_path / "none", output=tmp_path / "report")
    assert not (tmp_path / "none").exists()


def test_a_paper_without_notebook_is_named():
    """Asking for the notebook of an unknown paper says which one is missing."""
    with pytest.raises(NotebookError, match="'nonesuch'"):
        notebook_path("nonesuch")


def test_mathematics_becomes_mathml():
    """Formulas need no script to show."""
    page = _typeset(r"Let $x \ge 0$ and $$y = x^2.$$")
    assert page.count("<math") == 2
    assert "$" not in page


def test_executed_notebooks_keep_no_trace_of_the_host(smoke_report):
    """Papermill's times and paths are removed from what is published."""
    notebook = json.loads((smoke_report.folder / "robust-xray.ipynb").read_text())
    assert "papermill" not in notebook["metadata"]
    assert all("papermill" not in cell["metadata"] for cell in notebook["cells"])
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    assert {output["output_type"] for output in outputs} == {"execute_result"}  # no warnings


# -- evaluations as data, and the choice of the grid ------------------------------------------

TINY = {"n_samples": 20, "n_features": 12, "n_components": 3}
LEVELS = {"smoke": (0.5,), "quick": (0.0, 0.1), "paper": (0.0, 0.1, 0.2)}
REPEATS = {"smoke": 2, "quick": 6, "paper": 10}


def _trial(level, repeat):
    return Trial(
        "recovery", "near-separable", "spa", {}, TINY, "sparse-laplace", level, repeat=repeat
    )


def _grid(profile):
    return [_trial(x, k) for x in LEVELS[profile] for k in range(REPEATS[profile])]


def _infinite(records):
    return Finding("It is {}.", [Estimate(math.inf, 0.0, 0, 6, exact=True)], Bounds(high=1.0))


def _tested(records):
    lead = of_units([0.1, 0.2, 0.15, 0.12, 0.18, 0.13], "anchor-recovery")
    return Finding("It leads by {}.", [lead], Lead())


CLAIMS = [
    Claim("odd", "It is odd.", "here", _infinite),
    Claim("own", "It is.", "here", _tested),
]


@pytest.fixture
def small(monkeypatch):
    """An artefact of one solver: levels and repeats grow with the profile."""
    artefact = Artefact(
        "small/one",
        title="Small",
        kind="table",
        methods=[Method("SPA", "spa")],
        grid=_grid,
        table=lambda records: records[["repeat"]],
        picture=lambda table: table,
        claims=CLAIMS,
    )
    found = registry.Registry("artefact", "json")
    found.add(artefact.id, artefact)
    monkeypatch.setattr(registry, "artefacts", found)
    return artefact


def _fill(store, trials, failed=()):
    for trial in trials:
        bad = trial in failed
        store.put(
            trial.to_dict()
            | {
                "key": trial.key,
                "code": "c",
                "declared": trial.declared,
                "first_objectives": None,
                "elapsed": None,
                "status": "failed" if bad else "done",
                "error": "ValueError: on purpose" if bad else None,
                "metrics": {} if bad else {"anchor-recovery": 0.5},
                **dict.fromkeys(("seconds", "cpu_seconds", "objective"), 1.0),
                "n_iter": 1,
                "stop_reason": "max_iter",
                "peak_memory": 1,
                "host": {"platform": "p", "cpu": "c", "cores": 1},
                "versions": {"numpy": "1"},
                "finished": "2026-01-02T00:00:00+00:00",
            }
        )


def _paper(repeats):
    return [t for t in _grid("paper") if t.repeat in repeats]


def _quick(repeats):
    return [t for t in _grid("quick") if t.repeat in repeats]


@pytest.mark.parametrize(
    ("held", "profile", "whole", "judged"),
    [
        ([], "quick", 0, 12),  # nothing has run: all of the quick grid, which is missing
        (_grid("smoke"), "smoke", 2, 2),
        (_grid("quick"), "quick", 6, 12),
        (_grid("paper"), "paper", 10, 30),
        (_paper(range(5)), "paper", 5, 15),
        ([*_paper(range(4)), *_grid("quick")], "quick", 6, 12),  # four of the paper's are too few
        (_paper(range(4)), "paper", 4, 12),  # more trials than the quick grid's four repeats
        ([*_paper(range(2)), *_quick(range(4))], "quick", 4, 8),
        ([*_paper([7]), *_grid("smoke")], "paper", 1, 3),  # smoke only if neither has a repeat
        (_paper([2, 3, 5, 7, 8]), "paper", 5, 15),  # whichever repeats they are
        (_paper(range(10))[:-1], "paper", 9, 27),
        ([_trial(0.0, k) for k in range(9)], "quick", 0, 12),  # no repeat is whole
    ],
)
def test_the_largest_grid_of_whole_repeats_is_judged(small, tmp_path, held, profile, whole, judged):
    """Five whole repeats of the paper's grid, else of the quick one, else what has most trials."""
    with Store(tmp_path) as store:
        _fill(store, held)
        grid = choose_grid(small, store)
    assert (grid.profile, grid.whole, len(grid.trials)) == (profile, whole, judged)
    assert grid.repeats == REPEATS[profile]
    assert grid.total == len(_grid(profile))
    assert grid.left_out == grid.total - judged


def test_the_choice_of_a_grid_does_not_depend_on_outcomes(small, tmp_path):
    """A failed trial is a record like any other."""
    held = _paper(range(6))
    with Store(tmp_path) as store:
        _fill(store, held, failed=held[:7])
        grid = choose_grid(small, store)
        evaluation = evaluate(small, store)
    assert (grid.profile, grid.whole, grid.left_out) == ("paper", 6, 12)
    assert (evaluation.done, evaluation.failed, evaluation.missing) == (11, 7, 0)
    verdict = evaluation.verdicts[1][1]
    assert (verdict.done, verdict.paper_total, verdict.partial) == (11, 30, True)


def test_further_readings_wait_until_they_are_computed(small, tmp_path):
    """Without them the artefact is judged on all else; with five repeats of them, on all."""
    wide = replace(small, further=lambda trial: trial.level == LEVELS["paper"][-1])
    usual = [trial for trial in _paper(range(10)) if not wide.further(trial)]
    assert 0 < len(usual) < len(_grid("paper"))
    with Store(tmp_path) as store:
        _fill(store, usual)
        assert choose_grid(small, store).profile == "quick"
        grid = choose_grid(wide, store)
        assert (grid.profile, grid.whole, grid.trials) == ("paper", 10, usual)
        _fill(store, _paper(range(5)))
        assert len(choose_grid(wide, store).trials) == len(_paper(range(5)))


def test_a_fewer_repeats_grid_needs_all_of_them(small, tmp_path):
    """A grid of fewer than five repeats is preferred once it is complete, and not before."""
    three = replace(small, grid=lambda profile: [t for t in _grid(profile) if t.repeat < 3])
    with Store(tmp_path) as store:
        _fill(store, [*_paper(range(2)), *_quick(range(3))])
        assert choose_grid(three, store).profile == "quick"
        _fill(store, _paper([2])[-1:])
        assert choose_grid(three, store).profile == "paper"


def test_a_named_profile_is_judged_as_far_as_it_is_there(small, tmp_path):
    """With a profile all of its trials count, and what is missing is labelled."""
    with Store(tmp_path) as store:
        _fill(store, _paper(range(6))[:-1])
        evaluation = evaluate(small, store, profile="paper")
    assert (evaluation.whole, evaluation.repeats, evaluation.left_out) == (5, 10, 0)
    assert (evaluation.done, evaluation.missing, evaluation.total) == (17, 13, 30)


def test_records_on_the_data_come_before_those_on_stand_ins(small, tmp_path, monkeypatch):
    """Imported records of unavailable data are judged; stand-ins where there are none."""
    monkeypatch.setenv("NMFBENCH_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path / "cache"))
    on_bbc = replace(
        small,
        grid=lambda profile: [
            Trial("exemplars", "bbc", "spa", options={"sizes": [5]}, repeat=k)
            for k in range(REPEATS[profile])
        ],
    )
    with Store(tmp_path / "store") as store:
        _fill(store, on_bbc.plan("quick", stand_in=True))
        assert choose_grid(on_bbc, store).trials == on_bbc.plan("quick")
        grid = choose_grid(on_bbc, store, stand_in=True)
        assert {t.stand_in for t in grid.trials} == {True}
        _fill(store, on_bbc.plan("quick"))
        grid = choose_grid(on_bbc, store, stand_in=True)
        assert {t.stand_in for t in grid.trials} == {False}


@pytest.mark.parametrize(
    ("held", "look"),
    [
        (_paper(range(6)), "interim, 6 of 10 repeats"),
        (_grid("quick"), "interim, 6 repeats of the quick grid"),
        (_grid("paper"), ""),
    ],
)
def test_a_section_says_how_far_each_verdict_is(small, tmp_path, held, look):
    """Beside each verdict, unless its planned repeats are complete; with the corrected p-value."""
    with Store(tmp_path) as store:
        _fill(store, held)
        found = evaluate(small, store)
    page = render_section(found)
    assert found.look_text == look
    assert page.count(f'<div class="source">{look}</div>') == (len(CLAIMS) if look else 0)
    assert page.count("interim") == (len(CLAIMS) if look else 0)
    own = found.verdicts[1][1]
    assert f"p = {own.p_adjusted:.2g}." in page
    assert f"({percent(own.level)} interval" in page
    assert "Smallest" not in page
    assert "A lead of 0.02 matters" in page


def test_a_section_says_whose_number_decides(small, tmp_path):
    """A margin beside the smallest difference that matters, and a printed bound."""
    scores = of_units([0.01, 0.0, -0.01, 0.005, 0.002], "anchor-recovery")
    regions = {"margin": Margin(), "bound": Bounds(low=-1.0, whose="paper"), "lead": Lead()}
    artefact = replace(
        small,
        claims=[
            Claim(name, "It is.", "here", lambda frame, r=region: Finding("{}", [scores], r))
            for name, region in regions.items()
        ],
    )
    with Store(tmp_path) as store:
        _fill(store, _grid("paper"))
        page = html.unescape(render_section(evaluate(artefact, store)))
    assert "Margin: 0.04, ours, where the smallest difference that matters is 0.02." in page
    assert "Bound: -1, the paper's." in page
    assert page.count("Bound: ") == page.count("Margin: ") == 1


def test_what_an_author_answers_stands_beside_the_verdict(small, tmp_path):
    """Of this claim alone, and as text."""
    answer = "Our data had < 10 outliers (A. Author, 2026-11-29)."
    artefact = replace(small, claims=[CLAIMS[0], replace(CLAIMS[1], answer=answer)])
    with Store(tmp_path) as store:
        _fill(store, _grid("paper"))
        page = render_section(evaluate(artefact, store))
    (shown,) = re.findall('<div class="answer">(.*?)</div>', page)
    assert shown == f"<b>An author answers:</b> {html.escape(answer)}"
    assert page.index(f"{small.id}/own") < page.index(shown)


def test_a_section_comes_back_from_its_text(small, tmp_path):
    """The output of a notebook has all that index page, cards and claims show."""
    with Store(tmp_path) as store:
        _fill(store, _paper(range(6)), failed=_paper([0])[:1])
    made = section("small/one", store=tmp_path, output=tmp_path)
    bundle = made._repr_mimebundle_()
    assert bundle["text/html"] == made.html
    read = Section.from_json(bundle[SECTION])
    assert read.html == made.html
    ours, theirs = (replace(s.evaluation, table=None, records=None) for s in (made, read))
    assert theirs == ours
    assert read.evidence == replace(made.evidence, evaluation=read.evaluation)
    assert read.evidence.failures == {
        "spa": {"recovery on near-separable: ValueError: on purpose": 1}
    }


def test_a_page_says_which_repeats_were_judged(small, tmp_path):
    """The profile, its whole repeats of all, and what was left out; notes stand in provenance."""
    with Store(tmp_path) as store:
        _fill(store, _paper(range(6)))
        evaluation = evaluate(small, store)
    evaluation.notes.append("3 records were audited.")
    words = " ".join(html.unescape(re.sub("<.*?>", " ", render_section(evaluation))).split())
    assert "Profile paper , 6 of 10 repeats: 18 of 30 trials done, 12 left out" in words
    assert "18 elsewhere, not audited under today's code. 3 records were audited." in words
