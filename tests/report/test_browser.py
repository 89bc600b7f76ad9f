"""Pages in a headless browser: interactive figures, the filters of claims, and narrow windows."""

import base64
import csv
import json
import re
import shutil
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from browser import PROGRAM, Browser
from comparisons import invented, known
from markupsafe import Markup

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.plots import Curves
from nmfbench.comparison.evaluate import evaluate
from nmfbench.comparison.page import write_page
from nmfbench.comparison.plan import make_plan
from nmfbench.comparison.run import Todo
from nmfbench.core import registry
from nmfbench.pages.environment import ASSETS, environment
from nmfbench.records.store import Store
from nmfbench.reports.section import section
from nmfbench.trials.trial import Trial

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no headless browser is installed")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def browser(running):
    """The browser of this module without a page."""
    yield running
    running.close_pages()


def fits(page):
    """Whether no part of a page is beyond the right edge of the window."""
    sizes = "[innerWidth, document.documentElement.scrollWidth, visualViewport.width]"
    window, needed, seen = page.run(sizes)
    return needed <= window <= seen


# -- interactive figures ----------------------------------------------------------------------

SIZES, METHODS = range(10, 60, 10), ("NMF, plain", "SPA", "XRAY")


def made_up():
    """Means of three methods in two panels, of six repeats each but for one of a single one."""
    rng = np.random.default_rng(0)
    rows = [
        {"data": data, "method": method, "size": size, "mean": mean}
        for data in ("faces", "texts")
        for method in METHODS
        for size, mean in zip(SIZES, rng.uniform(1, 9, len(SIZES)), strict=True)
    ]
    table = pd.DataFrame(rows).assign(count=6).assign(low=lambda t: t["mean"] - 0.5, high=9.5)
    return table.assign(count=table["count"].mask(table["method"] == "XRAY", 1))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A page with one figure of curves, and its files."""
    folder = tmp_path_factory.mktemp("report")
    trial = Trial("recovery", "near-separable", "spa", {}, {"n_samples": 20, "n_features": 12})
    artefact = Artefact(
        "small/one",
        title="Scores by size",
        kind="figure",
        methods=[Method("SPA", "spa")],
        grid=lambda profile: [trial],
        table=lambda records: made_up(),
        picture=Curves(
            x="size",
            labels=METHODS,
            column="data",
            columns={"faces": "faces", "texts": "texts, in a collection"},
            xlabel="number of exemplars",
            ylabel="score (%)",
            logx=["texts"],
        ),
        caption="Means of repeats.",
    )
    with pytest.MonkeyPatch.context() as patch:
        artefacts = registry.Registry("artefact", "json")
        artefacts.add(artefact.id, artefact)
        patch.setattr(registry, "artefacts", artefacts)
        with Store(folder / "store") as store:
            store.put(record(trial))
        made = section("small/one", store=folder / "store", output=folder)
    text = environment().get_template("page.html").render(title="Small", body=Markup(made.html))
    (folder / "small.html").write_text(text, encoding="utf-8")
    shutil.copytree(ASSETS, folder / "assets")
    return folder


def record(trial):
    values = {"key": trial.key, "declared": trial.declared, "code": "c", "first_objectives": None}
    values |= {"elapsed": None, "status": "done", "error": None, "metrics": {}}
    values |= dict.fromkeys(("seconds", "cpu_seconds", "objective"), 1.0)
    values |= {"n_iter": 1, "stop_reason": "max_iter", "peak_memory": 1}
    values |= {"host": {"platform": "p", "cpu": "c", "cores": 1}, "versions": {"numpy": "1"}}
    return trial.to_dict() | values | {"finished": "2026-01-02T00:00:00+00:00"}


@pytest.fixture
def figure(browser, folder):
    """The page with its figure made interactive."""
    page = browser.open(folder / "small.html")
    page.run('document.querySelector(".as-figure").click()')
    page.until('document.querySelectorAll(".panel canvas").length === 2')
    return page


def places(page):
    """For each panel the left, top, width and height of the area of its curves."""
    return page.run(
        '[...document.querySelectorAll(".panel .u-over")].map((area) => {'
        "const { left, top, width, height } = area.getBoundingClientRect();"
        "return [left, top, width, height]; })"
    )


def point(page, panel, across, down=0.5):
    """Point at a place of a panel, in shares of its width and height."""
    left, top, width, height = places(page)[panel]
    place = left + across * width, top + down * height
    page.move(*place)
    return place


def readout(page, panel):
    """Words on the place pointed at: a line, and a row for each curve."""
    page.until(f'document.querySelectorAll(".panel .values")[{panel}].hidden === false')
    line, *rows = page.run(
        f'(() => {{ const box = document.querySelectorAll(".panel .values")[{panel}];'
        "const cells = (row) => [...row.cells].map((cell) => cell.textContent);"
        'const rows = [...box.querySelectorAll("tbody tr")];'
        "return [box.firstChild.textContent, ...rows.map(cells)]; })()"
    )
    return line, rows


def test_the_picture_comes_first(browser, folder):
    """A page loads no library; the picture is shown until the reader asks for more."""
    page = browser.open(folder / "small.html")
    picture = 'document.querySelector("figure img")'
    page.run(f"{picture}.decode()")  # a lazy picture may come after the page
    assert page.run(f"{picture}.naturalWidth") > 300
    assert page.run('typeof uPlot + document.querySelectorAll("canvas").length') == "undefined0"
    page.run('document.querySelector(".as-figure").click()')
    page.until(
        'document.querySelector(".panel canvas") && document.querySelector("figure > a").hidden'
    )
    page.run('document.querySelector(".as-figure").click()')
    page.until('!document.querySelector("figure > a").hidden')
    assert page.run('document.querySelector(".interactive").hidden')
    assert page.errors == []


def test_the_figure_is_drawn_from_the_numbers_that_are_linked(figure, folder):
    """The script holds the very numbers of the CSV, which has all values of the table."""
    link = figure.run('document.querySelector("figcaption a").getAttribute("href")')
    drawn = figure.run(
        'Object.entries(window.figures["small-one"].points).flatMap(([panel, curves]) =>'
        " Object.entries(curves).flatMap(([curve, { x, y, low = [], high = [], n = [] }]) =>"
        " x.map((place, k) => [panel, curve, place, y[k], low[k], high[k], n[k]])))"
    )
    with open(folder / link, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    assert rows == [
        [panel, curve, *("" if number is None else f"{number:.6g}" for number in numbers)]
        for panel, curve, *numbers in drawn
    ]
    found = pd.read_csv(folder / link)
    assert set(found["curve"]) == set(METHODS)
    np.testing.assert_allclose(found["y"], made_up()["mean"], rtol=5e-5)
    np.testing.assert_array_equal(found["n"], made_up()["count"])
    assert figure.errors == []


def test_a_pointed_at_place_shows_value_interval_and_repeats(figure, folder):
    """They agree with the CSV; a mean of a single repeat has no interval. The value in the other
    panel stands beside."""
    with open(folder / "figures" / "small-one.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = ("faces", "texts, in a collection")
    values = {(r["panel"], r["curve"], r["x"]): f"{float(r['y']):.4g}" for r in rows}
    for panel, name in enumerate(names):
        point(figure, panel, 0.6)
        line, shown = readout(figure, panel)
        size = re.fullmatch(r"number of exemplars (\d+)", line)[1]
        there = [row for row in rows if (row["panel"], row["x"]) == (name, size)]
        expected = [
            [
                row["curve"],
                f"{float(row['y']):.4g}",
                "" if row["n"] == "1" else f"[{float(row['low']):.4g}, 9.5]",
                f"n = {row['n']}",
                values[names[1 - panel], row["curve"], size],
            ]
            for row in sorted(there, key=lambda row: -float(row["y"]))
        ]
        assert shown == expected
        assert len(shown) == 3
        heads = '[...document.querySelectorAll(".values:not([hidden]) th")].map((h) => h.innerText)'
        assert figure.run(heads) == [name, names[1 - panel]]
    assert figure.errors == []


def test_a_method_can_be_switched_off_and_on(figure):
    """Its button shows it, and the readout omits its values."""

    def press(name):
        figure.run(
            '[...document.querySelectorAll(".legend button")]'
            f".find((button) => button.textContent === {json.dumps(name)}).click()"
        )

    def methods():
        point(figure, 0, 0.1)
        point(figure, 0, 0.6)
        return {cells[0] for cells in readout(figure, 0)[1]}

    on = 'Array.from(document.querySelectorAll(".legend [aria-pressed=true]"), (b) => b.innerText)'
    assert methods() == set(METHODS)
    press("SPA")
    assert figure.run(on) == ["NMF, plain", "XRAY"]
    assert methods() == {"NMF, plain", "XRAY"}
    press("SPA")
    assert methods() == set(METHODS)
    assert figure.errors == []


def test_dragging_zooms_and_a_double_click_shows_all(figure):
    """The last place is out of sight after a zoom to the left half."""

    def last():
        point(figure, 0, 0.5)
        point(figure, 0, 0.98)
        return int(readout(figure, 0)[0].split()[-1])

    assert last() == 50
    figure.drag(point(figure, 0, 0.02, 0.1), point(figure, 0, 0.5, 0.9))
    assert last() <= 30
    place = point(figure, 0, 0.5)
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            figure.move(*place, kind, button="left", clickCount=count)
    assert last() == 50
    assert figure.errors == []


def test_the_keyboard_reaches_all_values(figure):
    """Arrows walk along a curve and between curves; Escape hides the readout."""
    figure.run('document.querySelector(".panel").focus()')
    figure.key("ArrowRight")
    sizes = [readout(figure, 0)[0]]
    for _ in range(5):
        figure.key("ArrowRight")
        sizes.append(readout(figure, 0)[0])
    assert sizes == [f"number of exemplars {size}" for size in (10, 20, 30, 40, 50, 50)]
    nearest = 'document.querySelector(".values .nearest").sectionRowIndex'
    for _ in range(3):
        figure.key("ArrowUp")
    assert figure.run(nearest) == 0
    figure.key("ArrowDown")
    assert figure.run(nearest) == 1
    figure.key("Escape")
    assert figure.run('document.querySelector(".values").hidden')
    assert figure.errors == []


def test_the_address_holds_what_a_figure_shows(figure, browser, folder):
    """Curves that are off and a zoom; a page opened with it shows the same, and a picture again
    leaves its place."""
    buttons = '[...document.querySelectorAll(".legend button")]'
    figure.run(f'{buttons}.find((button) => button.textContent === "SPA").click()')
    figure.drag(point(figure, 1, 0.02, 0.1), point(figure, 1, 0.5, 0.9))
    figure.until('location.hash.includes("zoom")')
    fragment = figure.run("location.hash")
    assert fragment.startswith("#figure=small-one&off=SPA&zoom=1+")
    again = browser.open(folder / "small.html", fragment=fragment)
    again.until(f"{buttons}.length === 4")
    off = f'{buttons}.filter((b) => b.ariaPressed === "false").map((b) => b.innerText)'
    assert again.run(off) == ["SPA"]
    again.run(f'{buttons}.find((button) => button.textContent === "XRAY").click()')
    assert again.run("location.hash") == fragment.replace("&zoom", "&off=XRAY&zoom")
    again.run('document.querySelector(".as-figure").click()')
    again.until('!location.hash.includes("figure=")')
    assert again.run("location.hash") == "#small-one"
    odd = browser.open(
        folder / "small.html", fragment="#figure=small-one&off=Nobody&zoom=1+near&zoom=9+0+1+0+1"
    )
    odd.until(f"{buttons}.length === 4")
    assert odd.run(off) == []
    assert figure.errors == again.errors == odd.errors == []


def test_curves_have_the_markers_of_the_picture(figure):
    """Each method has its own, in the legend, too."""
    curves = 'window.figures["small-one"].curves'
    markers = figure.run(f"{curves}.map((curve) => curve.marker)")
    assert len(set(markers)) == len(METHODS)
    drawn = '[...document.querySelectorAll(".legend [transform]")].map((p) => p.getAttribute("d"))'
    assert figure.run(drawn) == markers


@pytest.mark.parametrize("dark", [False, True])
def test_a_figure_follows_the_scheme(browser, folder, dark):
    """Its ground and its words; on a phone its buttons are as large as a finger."""
    page = browser.open(folder / "small.html", width=390, height=800, dark=dark)
    page.run('document.querySelector(".as-figure").click()')
    page.until('document.querySelectorAll(".panel canvas").length === 2')
    ground, ink = page.run(
        "[getComputedStyle(document.body).backgroundColor,"
        ' getComputedStyle(document.querySelector(".interactive .hint")).color]'
    )
    assert (brightness(ground) < brightness(ink)) is dark
    darkest = page.run(
        '(() => { const { width, height } = document.querySelector(".panel canvas");'
        'const sheet = document.querySelector(".panel canvas").getContext("2d");'
        "const { data } = sheet.getImageData(0, 0, width, height);"
        "let least = 255; for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 250)"
        " least = Math.min(least, Math.max(...data.slice(i, i + 3))); return least; })()"
    )
    assert (darkest < 60) is not dark  # the words of its axes
    sizes = page.run(
        '[...document.querySelectorAll(".as-figure, .legend button")]'
        ".map((button) => button.getBoundingClientRect()).map((r) => Math.min(r.width, r.height))"
    )
    assert min(sizes) >= 44
    assert page.errors == []


def brightness(color):
    """Mean of red, green and blue of a computed colour."""
    return sum(map(int, re.findall(r"\d+", color)[:3])) / 3


def test_a_logarithmic_axis_may_begin_anywhere(browser, folder, tmp_path):
    """Its ticks end where limits lie just below a power of ten, or within one decade."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    script = tmp_path / "figures" / "small-one.js"
    start, _, values = script.read_text(encoding="utf-8").rstrip(";\n").partition(" = ")
    values = json.loads(values)
    values["panels"][0]["limits"] |= {"x": [9.96, 30.2], "y": [0.0142, 0.0286]}
    values["panels"][0]["scales"] = {"x": "log", "y": "log"}
    values["panels"][1]["scales"]["y"] = "symlog"
    script.write_text(f"{start} = {json.dumps(values)};", encoding="utf-8")
    page = browser.open(tmp_path / "small.html")
    page.run('document.querySelector(".as-figure").click()')
    page.until('document.querySelectorAll(".panel canvas").length === 2')
    assert page.errors == []


def test_an_interactive_figure_fits_a_phone(browser, folder):
    """At 390 pixels its panels stand below each other, and the page has no sideways scroll."""
    page = browser.open(folder / "small.html", width=390, height=800, dark=True)
    page.run('document.querySelector(".as-figure").click()')
    page.until('document.querySelectorAll(".panel canvas").length === 2')
    assert fits(page)
    (left, top, width, _), (below_left, below_top, *_) = places(page)
    assert left == below_left
    assert top < below_top
    assert width > 250
    assert page.errors == []


# -- a comparison -----------------------------------------------------------------------------


def test_a_comparison_is_one_file(browser, tmp_path):
    """Mailed without the files beside it, its curves are interactive, on a phone, too."""
    plan = make_plan([known("mu")], tasks=["recognition"], profile="smoke")
    scores = {entrant.label: 0.3 + 0.1 * i for i, entrant in enumerate(plan.entrants)}
    findings = evaluate(plan, invented(plan, scores))
    todo = Todo(held=0, own=0, baselines=0, steps=0)
    made = write_page(plan, todo, findings, tmp_path / "made", checked={}, command="compare mu")
    page = browser.open(shutil.move(made, tmp_path / "mailed.html"), width=390, height=800)
    page.run('document.querySelector("#robustness-recognition .as-figure").click()')
    page.until('document.querySelector(".panel canvas")')
    point(page, 0, 0.6)
    _, rows = readout(page, 0)
    assert {cells[0] for cells in rows} == set(scores)
    assert fits(page)
    assert page.errors == []


# -- the table of claims ----------------------------------------------------------------------


@pytest.fixture
def verdicts(smoke_report):
    return json.loads((smoke_report.folder / "claims.json").read_text(encoding="utf-8"))


def shown(page):
    """Ids of the claims that the table shows, in order, and what it says of them."""
    return page.run(
        "[[...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.id),"
        ' form.querySelector("output").textContent]'
    )


def test_the_address_holds_the_state_of_the_filters(browser, smoke_report, verdicts):
    """A page opened with a state shows these claims, in this order; fields are filled."""
    word = Counter(row["verdict"] for row in verdicts).most_common(1)[0][0]
    state = f"#paper=robust-xray&verdict={word.replace(' ', '+')}&sort=-n"
    page = browser.open(smoke_report.folder / "claims.html", fragment=state)
    ids, words = shown(page)
    rows = {row["id"]: row for row in verdicts}
    asked = [
        row["id"]
        for row in verdicts
        if row["id"].startswith("robust-xray/") and row["verdict"] == word
    ]
    assert set(ids) == set(asked)
    sizes = [rows[name]["n"] for name in ids]
    assert sizes == sorted(sizes, reverse=True)
    assert words == f"{len(asked)} of {len(rows)} claims"
    assert page.run("[form.paper.value, form.verdict.value]") == ["robust-xray", word]
    assert page.errors == []


def test_a_table_without_a_form_is_sorted_by_its_heads(browser, tmp_path):
    """Numbers by size, and the other way round by a second click; what was not reached last."""
    rows = [("HALS", "9.5 [9, 10]"), ("MU", "10.5 [9, 12]"), ("ALS", "")]
    body = "".join(f"<tr><th>{name}</th><td>{score}</td></tr>" for name, score in rows)
    head = "<thead><tr><th>Solver</th><th>Score</th></tr></thead>"
    script = (ASSETS / "sorting.js").as_uri()
    (tmp_path / "page.html").write_text(
        f'<table class="sortable">{head}<tbody>{body}</tbody></table>'
        f'<script src="{script}"></script>'
    )
    page = browser.open(tmp_path / "page.html")
    names = '[...document.querySelectorAll("tbody th")].map((cell) => cell.textContent)'
    click = 'document.querySelectorAll("thead button")[{}].click()'
    page.run(click.format(0))
    assert page.run(names) == ["ALS", "HALS", "MU"]
    page.run(click.format(1))
    assert page.run(names) == ["HALS", "MU", "ALS"]
    page.run(click.format(1))
    assert page.run(names) == ["MU", "HALS", "ALS"]
    assert page.run('document.querySelector("[aria-sort]").ariaSort') == "descending"


def test_filtering_and_sorting_change_the_address(browser, smoke_report, verdicts):
    """The choices of a reader stand in the address, from where they are read again."""
    page = browser.open(smoke_report.folder / "claims.html")
    page.run(
        'form.text.value = "SPA recovers"; form.by.value = "paper";'
        'form.dispatchEvent(new Event("input")); heads[3].querySelector("button").click()'
    )
    assert page.run("decodeURIComponent(location.hash)") == (
        "#text=SPA+recovers&by=paper&sort=verdict"
    )
    expected = {
        row["id"]
        for row in verdicts
        if row["origin"] == "paper"
        and all(
            word in f"{row['id']} {row['statement']} {row['reported']} {row['evidence']}".lower()
            for word in ("spa", "recov")
        )
    }
    ids, _ = shown(page)
    assert ids
    assert set(ids) == expected
    assert page.errors == []


@pytest.mark.parametrize(("width", "longest"), [(1400, 6000), (390, 12_000)])
def test_the_landing_page_is_short(browser, landing, width, longest):
    """Each paper with its picture; on a desk all of them begin on the first screen."""
    page = browser.open(landing, width=width)
    assert len(page.run("[...document.querySelectorAll('article img')].map((i) => i.src)")) == 5
    assert page.run("document.documentElement.scrollHeight") <= longest
    tops = "[...document.querySelectorAll('article')].map((a) => a.getBoundingClientRect().top)"
    if width == 1400:
        assert max(page.run(tops)) < 700
    assert fits(page)
    assert page.errors == []


@pytest.mark.parametrize("width", [1400, 390])
def test_a_paper_has_a_number_with_its_interval_near_its_title(browser, landing, width):
    """Within 800 pixels from its head, with the share of the grid, and before its counts."""
    page = browser.open(landing, width=width)
    places = page.run(
        "[...document.querySelectorAll('article')].map((a) => {"
        "const top = a.getBoundingClientRect().top;"
        "return [...a.querySelectorAll(':scope > ul li')]"
        ".map((li) => [li.getBoundingClientRect().bottom - top, li.innerText]); })"
    )
    assert len(places) == 5
    for found in places:
        assert found
        assert all(bottom <= 800 for bottom, _ in found)
        assert any(re.search(r"\[-?[\d.]+, -?[\d.]+\] .*% of the grid", text) for _, text in found)


@pytest.mark.parametrize(
    "fragment", ["#paper=mahnmf&verdict=refuted", "#robust-xray/fig3/beats-spa"]
)
def test_older_addresses_of_claims_still_lead_to_them(browser, landing, fragment):
    """A state of the filters or the id of a claim opens the page that has the table now."""
    page = browser.open(landing, fragment=fragment)
    page.until("location.pathname.endsWith('claims.html') && typeof table === 'object'")
    assert page.run("location.hash") == fragment
    assert page.run("[...table.tBodies[0].rows].filter((r) => !r.hidden).length") > 0


def test_the_landing_page_is_printed_on_four_sheets(browser, landing):
    """At most, as A4 with the usual margins."""
    page = browser.open(landing)
    sheet = {"paperWidth": 8.27, "paperHeight": 11.69}
    pdf = base64.b64decode(page.call("Page.printToPDF", **sheet)["data"])
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 4


def test_claims_are_filtered_by_verdict_and_look(browser, landing):
    """A sign is no part of a verdict, and numbers of repeats are no part of a look."""
    claims = landing.with_name("claims.html")
    page = browser.open(claims, fragment="#verdict=no+lead&look=interim&sort=-n")
    asked = page.run('[...table.tBodies[0].rows].filter((r) => r.querySelector(".no-lead")).length')
    ids, words = shown(page)
    assert len(ids) == asked > 100
    assert words.startswith(f"{asked} of ")
    assert page.run("[form.verdict.value, form.look.value]") == ["no lead", "interim"]
    links = "[...table.tBodies[0].rows].map((row) => row.cells[0].lastChild.getAttribute('href'))"
    assert {f"#{name}" for name in ids} <= set(page.run(links))
    page = browser.open(claims, fragment="#verdict=no+lead&look=final")
    assert shown(page)[0] == []
    assert page.errors == []


def test_what_is_folded_is_one_press_away(browser, landing):
    """A press or an address unfolds it; what is folded on a phone only is there on a desk."""
    seen = "document.querySelector('{}').checkVisibility()"
    jobs, figure = seen.format(".jobs"), seen.format("#mahnmf-fig5")
    switch = seen.format("#leaderboards summary")
    desk = browser.open(landing)
    assert desk.run(f"[{jobs}, {figure}, {switch}]") == [True, False, False]
    phone = browser.open(landing, fragment="#mahnmf-fig5", width=390)
    assert phone.run(f"[{jobs}, {figure}, {switch}]") == [False, True, True]
    phone.run("document.querySelector('#leaderboards summary').click()")
    assert phone.run(jobs)


# -- narrow windows ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "index.html",
        "claims.html",
        "leaderboards.html",
        "numbers.html",
        "open.html",
        "robust-xray.html",
        "solvers/robust-xray.html",
        "trials/robust-xray-fig3.html",
    ],
)
def test_a_page_fits_a_phone(browser, smoke_report, name):
    """At 390 pixels no page has a sideways scroll, nor anything to complain about."""
    page = browser.open(smoke_report.folder / name, width=390, height=800)
    assert fits(page)
    assert page.errors == []


# -- the trials of an artefact ----------------------------------------------------------------


def test_trials_are_filtered_by_what_varies(browser, smoke_report):
    """The script of the claims filters and sorts the cells; a name is not taken for its end."""
    path = smoke_report.folder / "trials" / "robust-xray-fig3.html"
    page = browser.open(path, fragment="#method=RobustXRAY&sort=-level")
    rows = page.run(
        "[...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) =>"
        ' ["method", "level"].map((name) => row.cells[names.indexOf(name)].textContent))'
    )
    assert rows
    assert {method for method, _ in rows} == {"RobustXRAY"}
    levels = [float(level) for _, level in rows]
    assert levels == sorted(levels, reverse=True)
    total = page.run("table.tBodies[0].rows.length")
    assert page.run('form.querySelector("output").textContent') == f"{len(rows)} of {total} cells"
    assert total > len(rows)
    assert page.errors == []


# -- pages of papers --------------------------------------------------------------------------


def test_a_test_is_one_press_or_one_address_away(browser, folder):
    """Tests are folded below the figure; the address of one unfolds it and shows it."""
    text = (folder / "small.html").read_text(encoding="utf-8")
    row = (
        '<details><summary>1 test</summary><table class="tests"><tr id="small/one/a"><td>A</table>'
    )
    (folder / "folded.html").write_text(text.replace("</section>", f"{row}</details></section>"))
    seen = "document.getElementById('small/one/a').checkVisibility()"
    assert not browser.open(folder / "folded.html").run(seen)
    assert browser.open(folder / "folded.html", fragment="#small/one/a").run(seen)


@pytest.mark.parametrize("width", [1400, 390])
def test_contents_stay_in_sight_and_close_after_a_choice(browser, folder, width):
    """At any place of the page; a heading that an address leads to is not below them."""
    counts = {"confirmed": 2, "refuted": 1}
    contents = [
        {"anchor": f"part-{i}", "name": f"Figure {i}", "title": "Scores", "counts": counts}
        for i in range(12)
    ]
    body = "".join(f'<section id="part-{i}" style="height: 900px">{i}</section>' for i in range(12))
    given = {"title": "Long", "body": Markup(body), "contents": contents}
    text = environment().get_template("page.html").render(given)
    (folder / "long.html").write_text(text, encoding="utf-8")
    page = browser.open(folder / "long.html", width=width, height=800)
    assert fits(page)
    page.run("document.querySelector('.toc summary').click()")
    assert page.run("document.querySelector('.toc li').innerText").split()[-4:] == [
        "✓",
        "2",
        "✗",
        "1",
    ]
    page.run("document.querySelector('.toc [href=\"#part-7\"]').click()")
    page.until("scrollY > 5000")
    assert not page.run("document.querySelector('.toc details').open")
    bar = page.run("document.querySelector('.toc').getBoundingClientRect().bottom")
    assert 0 < bar < 80
    top = page.run("document.getElementById('part-7').getBoundingClientRect().top")
    assert bar <= top <= bar + 60
    assert page.errors == []


# -- journeys: an answer within three steps from the landing page -----------------------------


def follow(browser, page, folder, selector):
    """Open what the first link of a kind leads to; its page."""
    address = page.run(f"document.querySelector({json.dumps(selector)}).getAttribute('href')")
    name, _, fragment = address.partition("#")
    assert (folder / name).exists()
    return browser.open(folder / name, fragment=f"#{fragment}" if fragment else "")


def test_from_a_tally_to_the_evidence(browser, smoke_report, verdicts):
    """A verdict of a paper leads to its claims, and each of them to its unfolded test."""
    folder = smoke_report.folder
    index = browser.open(folder / "index.html")
    claims = follow(browser, index, folder, "article details .tally a")
    ids, _ = shown(claims)
    row = next(row for row in verdicts if row["id"] == ids[0])
    test = follow(browser, claims, folder, "tbody tr:not([hidden]) td:nth-child(2) a")
    place = f"document.getElementById({json.dumps(row['id'])})"
    assert test.run(f"{place}.checkVisibility()")
    words = " ".join(test.run(f"{place}.innerText").split())
    assert row["statement"] in words
    assert " ".join(row["evidence"].split()) in words
    assert test.errors == []


def test_from_an_outcome_to_why_a_sentence_has_it(browser, smoke_report):
    """A tally of a paper leads to as many sentences as it says, and each to its unfolded tests."""
    folder = smoke_report.folder
    index = browser.open(folder / "index.html")
    badge = index.run("document.querySelector('article .counts a').innerText")
    page = follow(browser, index, folder, "article .counts a")
    ids, words = shown(page)
    assert badge.split()[1] == str(len(ids)) == words.split()[0]
    assert len({name.partition("/")[0] for name in ids}) == 1
    test = follow(browser, page, folder, "tbody tr:not([hidden]) details a")
    name = test.run("decodeURIComponent(location.hash.slice(1))")
    assert test.run(f"document.getElementById({json.dumps(name)}).checkVisibility()")
    assert page.errors == test.errors == []


def test_from_a_paper_to_the_numbers_of_a_curve(browser, smoke_report):
    """The figure of a paper's card, and below it the CSV and the command that makes it."""
    folder = smoke_report.folder
    index = browser.open(folder / "index.html")
    page = follow(browser, index, folder, "article .preview")
    section = page.run("decodeURIComponent(location.hash.slice(1))")
    link = page.run(f"document.querySelector('#{section} figcaption a').getAttribute('href')")
    with (folder / link).open() as lines:
        assert {"curve", "x", "y"} <= set(next(csv.reader(lines)))
    assert "nmfbench reproduce" in page.run(f"document.querySelector('#{section}').textContent")


def test_from_a_finding_to_its_test(browser, smoke_report):
    """A finding leads to its figure, and an outcome there to the unfolded test and its evidence."""
    folder = smoke_report.folder
    index = browser.open(folder / "index.html")
    page = follow(browser, index, folder, "article .found .source")
    section = page.run("decodeURIComponent(location.hash.slice(1))")
    seen = "[...document.querySelectorAll('.tests tr[id]')].filter((row) => row.checkVisibility())"
    assert page.run(f"{seen}.length") == 0
    test = page.run(f"document.querySelector('#{section} .tests tr[id]').id")
    page = browser.open(folder / f"{test.partition('/')[0]}.html", fragment=f"#{test}")
    assert page.run(f"{seen}.map((row) => row.id)").count(test) == 1
    assert page.run(f"document.getElementById({json.dumps(test)}).cells[2].innerText")


def test_from_a_figure_to_two_methods_at_one_noise(browser, smoke_report):
    """RobustXRAY beside SPA, at each level of noise, in the table that the figure links."""
    folder = smoke_report.folder
    index = browser.open(folder / "index.html")
    page = follow(browser, index, folder, '#next [href="robust-xray.html#robust-xray-fig3"]')
    link = page.run("document.querySelector('#robust-xray-fig3 figcaption a').getAttribute('href')")
    with (folder / link).open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["curve"] in ("RobustXRAY", "SPA")]
    spa, robust = ({r["x"] for r in rows if r["curve"] == name} for name in ("SPA", "RobustXRAY"))
    assert spa
    assert spa == robust


def test_from_any_page_to_how_a_solver_is_added(browser, smoke_report):
    """By the foot of the page, from below the report's folder, too."""
    folder = smoke_report.folder
    for name in ("index.html", "solvers/spa.html", "trials/robust-xray-fig3.html"):
        page = browser.open(folder / name)
        address = page.run("document.querySelector('footer [href*=\"#add\"]').href")
        assert address.startswith(folder.resolve().as_uri())
        about = browser.open(folder / "about.html", fragment="#add")
        assert "nmfbench check mysolver.py:MySolver" in about.run("document.body.innerText")
        assert fits(about)
