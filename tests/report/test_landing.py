"""The landing page: what it says, and its structure."""

import html
import itertools
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from nmfbench.comparison.leaderboards import leaderboards
from nmfbench.core import registry
from nmfbench.pages.environment import ASSETS, SIGNS, environment
from nmfbench.papers.paper import paper
from nmfbench.reports.boards import write_leaderboards
from nmfbench.reports.landing import expected_wrong, write_landing
from nmfbench.verdicts.verdict import VERDICTS, Verdict

ARTEFACTS = [entry.target for entry in registry.artefacts.entries()]
PAPERS = sorted({artefact.paper for artefact in ARTEFACTS})


class Outline(HTMLParser):
    """All tags of a page, in order, with their attributes."""

    def __init__(self, path):
        super().__init__()
        self.tags = []
        self.feed(Path(path).read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def named(self, *names):
        return [attrs for tag, attrs in self.tags if tag in names]

    @property
    def ids(self):
        return [attrs["id"] for _, attrs in self.tags if "id" in attrs]


# -- what papers declare ----------------------------------------------------------------------


@pytest.mark.parametrize("key", PAPERS)
def test_a_paper_declares_what_there_is(key):
    """Its main claim is one sentence; the claims, figure and answers that it names exist."""
    declared = paper(key)
    assert declared.claim.endswith(".")
    assert ". " not in declared.claim
    own = {artefact.name: artefact for artefact in ARTEFACTS if artefact.paper == key}
    assert own[declared.figure].kind == "figure"
    assert set(declared.answers.values()) <= set(own)


def judged(*verdicts):
    """As much of an evaluation as counts: its verdicts."""
    return SimpleNamespace(verdicts=[(None, verdict) for verdict in verdicts])


def test_wrong_verdicts_are_expected_by_outcome():
    """Five per cent of what has a p-value, summed over artefacts; theorems and open claims not."""
    tested = {word: Verdict(word, p_value=0.001) for word in VERDICTS[:-1]}
    one = judged(*[tested["confirmed"]] * 30, *[tested["refuted"]] * 6, Verdict("refuted"))
    two = judged(*[tested["no lead"]] * 20, *[tested["inconclusive"]] * 50, tested["refuted"])
    found = expected_wrong([one, two, judged(Verdict("not run"))])
    assert found == {
        "confirmed or refuted": (37, pytest.approx(1.85)),
        "without a lead": (20, pytest.approx(1.0)),
    }
    assert expected_wrong([])["without a lead"] == (0, 0)


# -- words and colours of verdicts --------------------------------------------------------------


def test_every_verdict_has_a_sign_and_a_colour_of_its_own():
    """No two share one; what filters the table knows every sign."""
    assert tuple(SIGNS) == VERDICTS
    assert len(set(SIGNS.values())) == len(VERDICTS)
    css = (ASSETS / "layout.css").read_text(encoding="utf-8")
    colours = {
        name.strip(" ."): rule
        for names, rule in re.findall(r"^([.\w, -]+) {(.*?)}", css, re.MULTILINE)
        for name in names.split(",")
    }
    grounds = [
        re.search(r"background: var\(--(\w+)\)", colours[word.replace(" ", "-")])[1]
        for word in VERDICTS
    ]
    assert len(set(grounds)) == len(VERDICTS)
    script = (ASSETS / "tables.js").read_text(encoding="utf-8")
    (known,) = re.findall(r"replace\(/\^\[(.*?)\] /", script)
    assert set(known) == {*SIGNS.values(), *environment().globals["sentence_signs"].values()}


@pytest.fixture
def full(landing):
    """The page of all claims, with verdicts of each kind, at an interim look."""
    return landing.with_name("claims.html")


def test_the_table_of_claims_says_how_far_each_verdict_is(full):
    """Beside a verdict stand its look, the level of its interval, and the unit of n."""
    rows = [[c.partition(">")[2] for c in row] for row in rows_of(full.read_text("utf-8")).values()]
    for cells in rows:
        shown = "" if cells[3] == "– not run" else "interim, 12 of 20 repeats"
        assert cells[4] == shown
        assert cells[6] == "-0.0123 [-0.0345, 0.0123] at 99.87 %"
        assert cells[8] == "30 repeats"
    assert full.stat().st_size <= 450 * len(rows)
    assert {cells[3] for cells in rows} == {f"{sign} {word}" for word, sign in SIGNS.items()}


def test_the_page_counts_sentences_first_and_tests_below(tmp_path):
    """With signs and words, then how many tests may be expected to be wrong."""
    rows = [
        {"paper": "anp", "outcome": word, "tests": ["a"], "untestable": None}
        for word in ("holds", "no lead", "no lead", "open")
    ]
    rows.append(rows[0] | {"outcome": None, "untestable": "A matter of taste."})
    rows.append(rows[0] | {"outcome": "open", "tests": []})
    (index,) = write_landing([], [], [], tmp_path, None, sentences=rows)
    words = " ".join(html.unescape(re.sub("<.*?>", " ", index.read_text("utf-8"))).split())
    shown = "5 testable sentences so far: ✓ 1 holds = 2 no lead ? 1 open – 1 no test yet"
    sentences = words.index(shown)
    assert sentences < words.index("The sentences are tested by 0 claims")
    assert (
        "at most 0.0 of 0 that are confirmed or refuted and at most 0.0 of 0 that are without a "
        "lead may be expected to be wrong" in words
    )


# -- structure --------------------------------------------------------------------------------


@pytest.fixture
def page(smoke_report):
    return (smoke_report.folder / "index.html").read_text(encoding="utf-8")


@pytest.fixture
def table(smoke_report):
    return (smoke_report.folder / "claims.html").read_text(encoding="utf-8")


@pytest.fixture
def verdicts(smoke_report):
    return json.loads((smoke_report.folder / "claims.json").read_text(encoding="utf-8"))


def rows_of(page):
    """Cells of the table of claims as text, by the id of the row."""
    found = re.findall(r'<tr id="([^"]+/[^"]+)"[^>]*>(.*?)\n(?=<tr|</tbody)', page, flags=re.DOTALL)
    return {
        name: [html.unescape(re.sub("<.*?>", "", cell)).strip() for cell in row.split("<td")[1:]]
        for name, row in found
    }


def test_every_claim_has_its_row(table, verdicts):
    """Statement, sign and word of the verdict, printed number, and share of the paper's grid."""
    rows = rows_of(table)
    assert list(rows)
    assert set(rows) == {row["id"] for row in verdicts}
    for row in verdicts:
        cells = [cell.partition(">")[2] if ">" in cell[:30] else cell for cell in rows[row["id"]]]
        assert cells[0] == row["statement"]
        assert cells[1] == row["artefact"]
        assert cells[2] == {"paper": "paper", "ours": "us"}[row["origin"]]
        assert cells[3] == f"{SIGNS[row['verdict']]} {row['verdict']}"
        assert cells[4].startswith("interim, ") == (row["verdict"] != "not run")
        assert cells[5] == row["reported"]
        unit = row["unit"]
        if row["n"] == 1:  # start within images
            unit = re.sub(r"s( within|$)", r"\1", unit, count=1)
        assert cells[8] == (f"{row['n']} {unit}" if row["n"] else "")
        assert cells[9].endswith("%")
        assert cells[10] == row["data"]


def test_claims_of_papers_and_questions_of_ours_are_counted_apart(page, verdicts):
    """Each tally has a sign, a number and a word, and leads to these rows of the table."""
    found = re.findall(
        r'href="claims.html#by=(\w+)&amp;paper=([\w-]+)&amp;verdict=([\w+]+)">(.*?)</a>', page
    )
    counted = {(by, key, word.replace("+", " ")): text for by, key, word, text in found}
    by = {"paper": "paper", "ours": "us"}
    counts = Counter(
        (by[row["origin"]], row["artefact"].partition("/")[0], row["verdict"]) for row in verdicts
    )
    assert counted == {key: f"{SIGNS[key[2]]} {n} {key[2]}" for key, n in counts.items()}


def test_links_lead_somewhere(smoke_report):
    """Every link has words, and is a state of the filters, a file, or an id of a page."""
    index = smoke_report.folder / "index.html"
    start = Outline(index)
    assert not re.search(r"<a [^>]*>\s*</a>", index.read_text(encoding="utf-8"))
    outlines = {"": start}
    assert len(set(start.ids)) == len(start.ids)
    for link in start.named("a"):
        name, _, fragment = link["href"].partition("#")
        if name.startswith("https://"):  # of a paper
            continue
        assert not name.endswith("/"), "a folder has no page of its own everywhere"
        if name not in outlines:
            outlines[name] = Outline(smoke_report.folder / name)
        if fragment and "=" not in fragment:
            assert fragment in outlines[name].ids, link["href"]


def test_permalinks_of_artefacts_still_hold(smoke_report):
    """The id of an artefact, whose section once stood here, is a link to where it is now."""
    links = {
        link.get("id"): link for link in Outline(smoke_report.folder / "index.html").named("a")
    }
    for artefact in smoke_report.artefacts:
        name = f"{artefact.paper}-{artefact.name}"
        assert links[name]["href"] == f"{artefact.paper}.html#{name}"


@pytest.mark.parametrize("name", ["index.html", "claims.html", "leaderboards.html"])
def test_a_page_can_be_read_aloud(smoke_report, name):
    """Headings in order, scopes of table heads, alternative texts, labels of fields."""
    outline = Outline(smoke_report.folder / name)
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= level + 1 for level, later in itertools.pairwise(levels))
    assert all(head.get("scope") in ("col", "row") for head in outline.named("th"))
    assert all(len(image["alt"]) > 20 for image in outline.named("img"))
    tags = [tag for tag, _ in outline.tags]
    fields = [i for i, tag in enumerate(tags) if tag in ("input", "select")]
    assert all(tags[i - 1] == "label" for i in fields)


def test_the_page_is_light(smoke_report):
    """At most 400 kB, with its small pictures at most half a megabyte."""
    page = smoke_report.folder / "index.html"
    pictures = [image["src"] for image in Outline(page).named("img")]
    assert len(pictures) == len({artefact.paper for artefact in smoke_report.artefacts})
    assert page.stat().st_size <= 600_000
    weights = [(smoke_report.folder / picture).stat().st_size for picture in pictures]
    assert sum(weights) + page.stat().st_size <= 600_000


def test_leaderboards_are_on_both_pages(tmp_path):
    """The first solver, its equals and the stability: short on one page, in full on the other."""
    rows = [
        {"task": "recognition", "problem": "faces", "corruption": None, "method": method}
        | {
            "repeat": k,
            "score": score + k % 3 / 100,
            "status": "done",
            "ranked": True,
            "loss": None,
            "kind": None,
            "cpu_seconds": 1.0,
            "host": {"cpu": "this one"},
        }
        for method, score in (("mu", 0.9), ("hals", 0.9), ("spa", 0.1))
        for k in range(12)
    ]
    boards, _ = leaderboards(pd.DataFrame(rows))
    texts = [
        path.read_text(encoding="utf-8")
        for path in (
            *write_landing([], [], boards, tmp_path, None),
            write_leaderboards(boards, [], {}, tmp_path)[0],
        )
    ]
    for text in texts:
        words = " ".join(html.unescape(re.sub("<.*?>", " ", text)).split())
        assert "Recognition" in words
        assert "NMF-MU" in words
        assert "HALS" in words
        assert "τ = " in words
    assert "behind the first" in texts[1]
    assert "indistinguishable from the first" in texts[1]
    assert "0.91 [" in texts[1]


def luminance(colour):
    """Relative luminance of #rrggbb or #rgb, after WCAG 2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * d for d in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_enough_in_light_and_dark():
    """Text and background differ by 4.5 to 1 at least, level AA."""
    assert contrast("#000000", "#fff") == pytest.approx(21)
    css = (ASSETS / "layout.css").read_text(encoding="utf-8")
    schemes = [
        dict(re.findall(r"--([\w-]+): (#\w+);", rules))
        for rules in re.findall(r":root {(.*?)}", css, re.DOTALL)
    ]
    assert len(schemes) == 2
    grounds = ("good", "even", "bad", "open", "none")
    pairs = [(f"on-{ground}", ground) for ground in grounds]
    pairs += [(ink, "paper") for ink in ("ink", "soft", "link", "accent")] + [
        ("ink", "warn"),
        ("ink", "bad"),
    ]
    for scheme in schemes:
        for ink, ground in pairs:
            assert contrast(scheme[ink], scheme[ground]) >= 4.5, (ink, ground)
