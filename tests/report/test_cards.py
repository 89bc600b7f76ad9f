"""Cards of solvers: what is read from docstrings, classes, tests, measurements and records."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from engine import trial

from nmfbench import cli, solvers
from nmfbench.artefacts.artefact import Artefact, label_records
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import Finding
from nmfbench.artefacts.grids import Method
from nmfbench.cards import card_list, card_page, card_text, gather, make_card
from nmfbench.cards import docstring as parsed
from nmfbench.cards.card import FIELD
from nmfbench.cards.checked import checked_by, marked_tests
from nmfbench.cards.evidence import named_claims, standings
from nmfbench.cards.facts import abilities_of
from nmfbench.cards.markup import formula_text, to_html, to_text
from nmfbench.cards.measured import read_measured, write_measured
from nmfbench.cards.scaling import measure_exponents, slope, theoretical_exponents, time_here
from nmfbench.core import registry
from nmfbench.engine import runner
from nmfbench.guests import SolverSpec, parse_solver
from nmfbench.guests.examine import try_here
from nmfbench.problems.problem import problems_of
from nmfbench.records.provenance import host, versions
from nmfbench.records.store import Store
from nmfbench.reports import build
from nmfbench.trials.fingerprint import code_version

KEYS = list(registry.solvers)

NO_PROBLEM = {
    "random-bases": "draws bases",
    "random-rows": "draws rows",
    "spa": "is greedy, and records the distance from a linear span, which it does not minimise",
}
NO_TASK = {
    "inmf-vc": "has as many components as features, where tasks ask for fewer",
}
NO_FORMULA = {
    "median": "one selection for each feature",
    "pca": "one singular value decomposition",
    "random-rows": "reads the data once",
    "robust-xray": "pivots, whose number depends on the data",
    "smrs": "depends on the number of rows in use",
}
TYPE_ONLY = {"beta", "max_iter", "patience", "prune"}
"""Parameters of which some docstring gives type and default only."""


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    """The cards of all solvers, without records."""
    store = tmp_path_factory.mktemp("none")
    return {key: make_card(SolverSpec(key), [], store) for key in KEYS}


# -- docstrings -------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_a_docstring_gives_problem_cost_and_parameters(cards, key):
    """No field that a docstring should fill is empty without a stated reason."""
    card = cards[key]
    assert (card["problem"] is None) == (key in NO_PROBLEM)
    assert card["cost"]
    assert (card["scaling"]["theory"] is None) == (key in NO_FORMULA)
    assert card["summary"]
    assert card["reference"]
    assert bool(card["tasks"]) == (key not in NO_TASK)
    undescribed = {row["name"] for row in card["parameters"] if not row["meaning"]}
    assert undescribed <= TYPE_ONLY
    assert [row["name"] for row in card["parameters"]] == list(
        registry.solvers[key].target().get_params()
    )


@pytest.mark.parametrize("key", KEYS)
def test_no_markup_is_left_on_a_card(cards, key):
    """Formulas and references are rendered: no command, role or grave accent remains."""
    text, page = card_text(cards[key]), card_page(cards[key])
    assert not re.search(r"[`\\]|:math:|\.\. ", text)
    prose = re.sub(r"<code>.*?</code>|<style>.*?</style>", "", page, flags=re.DOTALL)
    assert not re.search(r"[`\\]|:math:|:class:|\.\. math", prose)
    assert ("<math" in prose) or key in NO_PROBLEM
    assert cards[key]["name"] in page


def test_sections_are_shown_in_full(cards):
    """A card has all that the docstring has under a heading, to the last word."""
    card = cards["hals"]
    assert card["departures"].startswith("The number of inner sweeps is fixed")
    assert card["departures"].endswith("in the next half-step.")
    assert card["notation"].startswith("Cichocki & Phan's Y, A, B are")
    text = card_text(card)
    for line in ("Cost         Per iteration: two", "Notes        ", "Departures   The number"):
        assert line in text


def test_the_problem_is_what_is_minimised():
    """Formulas without a minimum, or of an arg min, are no problem; the domain belongs to it."""

    class Some:
        r"""Does it.

        With :math:`\alpha` and :math:`x = \arg\min_y y^2`, as a rule
        :math:`\min \|X-WH\|_1` over :math:`W\ge0`.
        """

    class Announced:
        r"""Does it.

        With :math:`a = b` minimise over :math:`W, H \ge 0`

        .. math:: \|X-WH\|_1 \quad
                  \text{if so}.

        That is all.
        """

    class Silent:
        """Does it."""

    assert parsed.problem(Some) == r"\min \|X-WH\|_1 \quad \text{over} \quad W\ge0"
    assert parsed.problem(Announced) == r"\min_{W,H\ge0} \|X-WH\|_1 \quad \text{if so}"
    assert parsed.problem(Silent) is None
    assert parsed.problem(Silent, "kl") == parsed.PROBLEMS["kl"]


def test_parameters_come_from_the_class_and_then_its_bases():
    """The nearest description counts, and one that only points elsewhere does not."""

    class Base:
        """Base.

        Parameters
        ----------
        tol : float
            Of the base.
        init : {"a", "b"}, default="a"
        """

    class Kind(Base):
        """Kind.

        Parameters
        ----------
        tol : float, default=1
            Of the kind.

            Two paragraphs.
        init, seed
            See :class:`Base`.
        """

    assert parsed.parameters(Kind) == {
        "tol": "Of the kind.\n\nTwo paragraphs.",
        "init": 'One of "a", "b".',
    }


def test_formulas_as_text():
    """Fractions, scripts and words come out as a line that can be read."""
    assert formula_text(r"\frac{a+b}{c} \tfrac12 x^{-1} y_{ij}^T") == "(a+b)/c 1/2 x⁻¹ y_{ij}ᵀ"
    assert formula_text(r"\min_B \operatorname{tr}B \quad\text{s.t.}\quad B\le1") == (
        "min_B tr B s.t. B≤1"
    )
    assert formula_text(r"\unknown x") == r"\unknown x"


def test_markup_as_text_and_html():
    """Text between marks is escaped, a reference shows its last part, a version note nothing."""
    markup = "*Note.* ``a < b`` in :class:`~x.y.Z`, a < c.\n\n.. math:: a\n          + b\n\n"
    markup += ".. versionadded:: 1\n   x\n\nEnd."
    assert to_text(markup) == "Note. a < b in Z, a < c.\n    a + b\nEnd."
    page = to_html(markup)
    assert "<em>Note.</em> <code>a &lt; b</code> in <code>Z</code>, a &lt; c." in page
    assert page.endswith("<p>End.</p>")
    assert page.count("<math") == 1


def test_a_possessive_follows_at_once():
    """The space that markup needs before it is left out."""
    assert to_text("Of ``X`` 's size.") == "Of X's size."
    assert to_html("Of ``X`` 's size.") == "<p>Of <code>X</code>&#x27;s size.</p>"


def test_a_formula_that_cannot_be_set_is_shown_as_it_is():
    """A broken formula in somebody's docstring does not end a report."""
    assert "<code>" in to_html(r":math:`x^`")


# -- what it takes, and what checks it --------------------------------------------------------


@pytest.mark.parametrize("key", ["spa", "mu", "kmeans", "pca", "gnmf", "median"])
def test_abilities_read_from_a_class_are_those_a_fit_shows(key):
    """A card says without a fit what a tiny fit finds."""
    kind = registry.solvers[key].target
    assert abilities_of(kind, list(kind().get_params())) == try_here(key, {})["abilities"]


@pytest.mark.parametrize("key", KEYS)
def test_every_solver_is_held_to_something_independent(key):
    """A test that is no common one checks each registered solver, and is marked with its key."""
    assert checked_by(key), (
        f"no test is marked with {key!r}: compare it with an oracle in a file of tests/solvers, "
        f'@pytest.mark.against("{key}", "what it is compared with").'
    )


def test_marks_name_solvers_and_tests():
    """A mark is on a test with a sentence, names solvers that exist, and says against what."""
    for test in marked_tests():
        assert set(test.solvers) <= set(KEYS), test
        assert test.solvers, test
        assert test.against, test
        assert test.statement.endswith("."), test
        assert test.test.startswith("test_"), test


def test_a_mark_is_read_with_its_arguments(tmp_path):
    """One key or several, a constant of the module, a part; another mark is left alone."""
    (tmp_path / "test_some.py").write_text(
        '''
SEVERAL = ("mu", "hals")

@pytest.mark.slow
@pytest.mark.against(SEVERAL, "scipy.optimize.nnls", part="hals_sweeps")
@pytest.mark.against("mu", "brute force")
def test_one():
    """One holds.

    More.
    """

@pytest.mark.parametrize("key", ["mu"])
def test_other(key):
    """No oracle."""
'''
    )
    found = checked_by("mu", tmp_path)
    assert [(test.against, test.part) for test in found] == [
        ("brute force", None),
        ("scipy.optimize.nnls", "hals_sweeps"),
    ]
    assert {(test.file, test.test, test.statement) for test in found} == {
        ("test_some.py", "test_one", "One holds.")
    }
    assert [test.part for test in checked_by("hals", tmp_path)] == ["hals_sweeps"]
    assert checked_by("spa", tmp_path) == []


@pytest.mark.parametrize(("mark", "error"), [('"mu"', TypeError), ('"mu", 1 + x', ValueError)])
def test_a_mark_that_cannot_be_read_is_an_error(tmp_path, mark, error):
    """An oracle is missing, or is not written out."""
    (tmp_path / "test_some.py").write_text(
        f"@pytest.mark.against({mark})\ndef test_one():\n    pass\n"
    )
    with pytest.raises(error):
        marked_tests(tmp_path)


def test_without_tests_nothing_is_claimed(tmp_path):
    """An installed package has no tests: what checks a solver is unknown, not nothing."""
    assert checked_by("spa", tmp_path) is None


# -- exponents --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cost", "exponents"),
    [
        (["nmr"], {"n": (1, 1), "m": (1, 1), "r": (1, 1)}),
        (["nm", "nrr"], {"n": (1, 1), "m": (0, 1), "r": (0, 2)}),
        ([], None),
    ],
)
def test_exponents_of_a_declared_cost(cost, exponents):
    """Of each size the smallest and the largest among the terms; nothing declared is no answer."""
    assert theoretical_exponents(cost) == exponents


@pytest.mark.parametrize("cost", ["nmr", ["n^2"], ["nmk"], [""]])
def test_a_cost_has_three_letters(cost):
    """A string by itself, a power written out and other letters are refused."""
    with pytest.raises(ValueError, match=r"'some' has cost .* letters n, m and r"):
        registry.register_solver("some", name="", family="", reference="", cost=cost)


def test_the_slope_is_that_of_the_logarithms():
    """A power law gives its exponent; two points are too few."""
    assert slope([(n, 3e-6 * n**1.5) for n in (10, 20, 40)]) == pytest.approx(1.5)
    assert slope([(1, 1.0), (2, 2.0)]) is None


@pytest.mark.parametrize(("key", "steps"), [("mu", 3), ("spa", 4), ("kmeans", 1)])
def test_a_fit_is_timed_by_iterations(key, steps):
    """Each iteration has its time, or their mean where a fit is one call; all fit in the whole."""
    found = time_here(key, {}, 40, 30, 4, max_iter=3)
    assert found["symmetric"] is False
    assert len(found["steps"]) == steps
    assert 0 < sum(found["steps"]) <= found["seconds"] * (1 + 1e-9)
    assert found["seconds"] <= found["took"]


def test_a_square_solver_is_timed_on_square_problems():
    """Features grow with components, so that only two exponents are its own."""
    found = measure_exponents("inmf-vc", {"n_epochs": 1}, worker=Here())
    assert found["error"] is None
    assert found["exponents"]["m"] is None
    assert {m == r for _, m, r, _ in found["sizes"][1:]} == {True}


def test_inner_iterations_do_not_depend_on_the_data(monkeypatch):
    """A solver makes no more than a few inner iterations, unless its parameters allow more."""
    models = []
    make = solvers.make_solver
    monkeypatch.setattr(
        solvers, "make_solver", lambda *a, **k: models.append(make(*a, **k)) or models[-1]
    )
    time_here("nenmf", {}, 20, 15, 2, max_iter=3)
    time_here("nenmf", {"max_inner": 1, "tol": 0.1}, 20, 15, 2, max_iter=3)
    assert [(m.max_inner, m.tol, m.init) for m in models] == [
        (3, 0.0, "random"),
        (1, 0.1, "random"),
    ]


class Here:
    """In place of a child: this process."""

    def call(self, function, arguments, time_limit, solver):
        return time_here(**arguments)


class Law:
    """In place of a child: fits whose iterations take what a power law says, and noise."""

    def __init__(self, law, *, late=0.0, symmetric=False, error=None, after=0):
        self.law, self.symmetric, self.error, self.left = law, symmetric, error, after
        self.late = late
        self.sizes, self.rng = [], np.random.default_rng(0)

    def call(self, function, arguments, time_limit, solver):
        n, m, r, max_iter = (arguments[name] for name in ("n", "m", "r", "max_iter"))
        self.sizes.append((n, m, r))
        if self.error is not None and len(self.sizes) > self.left:
            raise self.error
        late = self.rng.random(max_iter) < self.late  # other processes are in the way
        steps = self.law(n, m, r) * (1 + 9 * late)
        took = steps.sum()
        found = {"seconds": took, "steps": list(steps), "took": took, "symmetric": self.symmetric}
        return found | {"square": False}


def test_exponents_of_a_known_law_are_found():
    """Each is that of its own size, though one iteration in ten takes ten times as long."""
    law = Law(lambda n, m, r: 1e-11 * n**1.5 * m * r**0.5, late=0.1)
    found = measure_exponents("mu", worker=law)
    assert found["exponents"] == pytest.approx({"n": 1.5, "m": 1, "r": 0.5}, abs=0.1)
    assert found["error"] is None
    assert all(r < min(n, m) / 4 for n, m, r in law.sizes)
    square = Law(lambda n, m, r: 1e-11 * n**2 * r, late=0.1, symmetric=True)
    found = measure_exponents("mahnmf-sym", worker=square)
    assert found["exponents"]["m"] is None
    assert found["exponents"]["n"] == pytest.approx(2, abs=0.1)
    assert found["exponents"]["r"] == pytest.approx(1, abs=0.1)


def test_slow_fits_end_a_measurement():
    """A slow size is the last in its direction, and a problem that is too slow is marked."""
    cubic = Law(lambda n, m, r: 1e-8 * n**3)
    found = measure_exponents("mu", worker=cubic)
    assert found["exponents"]["n"] == pytest.approx(3, abs=0.1)
    assert max(n for n, _, _ in cubic.sizes) == 360
    slow = Law(lambda n, m, r: 1.0, error=TimeoutError(), after=2)
    found = measure_exponents("mu", worker=slow, time_limit=7)
    assert found["error"] == "a fit takes longer than 7 s"
    assert found["exponents"] == dict.fromkeys("nmr")
    head = "Traceback (most recent call last):"
    broken = Law(lambda n, m, r: 1.0, error=RuntimeError(f"{head}\n  a\nValueError: no"))
    assert measure_exponents("mu", worker=broken)["error"] == "ValueError: no"


def test_measurements_are_kept_and_doubted_when_the_code_has_changed(tmp_path):
    """Measurements are read again, for the same parameters, and say if they are of other code."""
    assert read_measured(tmp_path, "mu") is None
    measured = {
        "exponents": {"n": 1.23, "m": 0.98, "r": None},
        "sizes": [[10, 20, 3, 0.5], [20, 20, 3, 1.0]],
        "error": None,
        "measured": "2026-01-02",
        "host": host(),
        "versions": versions(),
        "code": "other",
        "threads": 1,
    }
    write_measured(tmp_path, "mu", {"tol": 0.1}, measured)
    assert read_measured(tmp_path, "mu") is None
    assert read_measured(tmp_path, "mu", {"tol": 0.1}) == measured | {"current": False}
    card = make_card(SolverSpec("mu", {"tol": 0.1}), [], tmp_path)
    for shown in (card_text(card), card_page(card)):
        for words in ("1.23", "2026-01-02", host()["cpu"], "the code has changed since"):
            assert words in shown


# -- records ----------------------------------------------------------------------------------

LABELS = {"A": "spa", "B": "xray-l2", "B and more": "robust-xray"}


def world(tmp_path, scores, *, task="recovery", metric="anchor-recovery", failed=()):
    """An artefact with three methods and a store with their scores, a list of levels each."""
    solvers = ("mu", "hals", "nenmf") if task == "convergence" else LABELS.values()
    methods = [Method(label, solver) for label, solver in zip(LABELS, solvers, strict=True)]
    plan = {
        (method.label, level): trial(
            method.solver, task=task, corruption="sparse-laplace", level=level
        )
        for method in methods
        for level in range(len(scores["A"]))
    }
    name = next(iter(LABELS))
    claims = [
        Claim(
            "first",
            f"{name} is best.",
            "Section 1",
            lambda records: Finding.without("confirmed", "so"),
        ),
        Claim(
            "other",
            "B and more is best.",
            "Section 2",
            lambda records: Finding.without("refuted", ""),
        ),
    ]
    artefact = Artefact(
        id="test/one",
        title="One",
        kind="table",
        methods=methods,
        grid=lambda profile: list(plan.values()),
        table=lambda records: records,
        picture=lambda table: table,
        claims=claims,
    )
    store = Store(tmp_path)
    for (label, level), t in plan.items():
        bad = (label, level) in failed
        store.put(
            t.to_dict()
            | {
                "key": t.key,
                "declared": t.declared,
                "code": t.code,
                "status": "failed" if bad else "done",
                "error": "Traceback (most recent call last):\n  a\nValueError: on purpose"
                if bad
                else None,
                "metrics": {} if bad else {metric: scores[label][level]},
                **dict.fromkeys(("seconds", "cpu_seconds", "objective"), 1.0),
                "n_iter": 1,
                "stop_reason": "max_iter",
                "first_objectives": None,
                "elapsed": 1.0,
                "peak_memory": 1,
                "host": host(),
                "versions": versions(),
                "finished": "2026-01-02T00:00:00+00:00",
            }
        )
    return artefact, store


def ranked(artefact, records):
    labelled = label_records(records, artefact.methods)
    return standings(artefact.id, labelled, {m.label: m.solver for m in artefact.methods})


def test_a_card_says_how_a_solver_stands_among_all(tmp_path):
    """Once all were compared on small problems, each has its ranks there; before, none."""
    keys = KEYS
    with Store(tmp_path) as store:
        assert not gather([], store)
        for i, key in enumerate(keys):
            for problem in problems_of("recognition", "smoke"):
                trial = problem.trial(key, problem.params_of(key), 0)
                outcome = {"metrics": {"accuracy-5": 1 / (1 + i)}, "fit": {}}
                store.put(runner.make_record(trial, {"outcome": outcome}, {}))
        (evidence,) = gather([], store)
    able = [key for key in keys if key in evidence.counts]
    assert set(keys) - set(able) == {"inmf-vc", "mahnmf-sym", "sym-mu"}
    card = make_card(SolverSpec(able[2]), [evidence], tmp_path)
    (standing,) = card["records"]["standings"]
    assert (standing["rank"], standing["methods"], standing["problems"]) == (3, len(able), 3)
    assert FIELD in card_text(card)
    assert FIELD in card_page(card)
    best = make_card(SolverSpec(able[0]), [evidence], tmp_path)
    assert sum(best["records"]["standings"][0]["best"].values()) == 3


def test_ranks_follow_the_direction_of_the_metric(tmp_path):
    """More anchors are better, a larger loss is worse; both ends of the ranking are named."""
    scores = {"A": [0.9, 0.8], "B": [0.5, 0.9], "B and more": [0.1, 0.1]}
    artefact, store = world(tmp_path / "up", scores)
    with store:
        found = {s.method: s for s in ranked(artefact, store.table())}
    assert {label: s.rank for label, s in found.items()} == {"A": 1.5, "B": 1.5, "B and more": 3}
    place = "Near-separable matrix under sparse Laplace"
    assert (found["A"].best, found["A"].worst) == ({place: 1}, {})
    assert found["B and more"].worst == {place: 2}
    assert (found["A"].methods, found["A"].problems, found["A"].solver) == (3, 2, "spa")
    artefact, store = world(tmp_path / "down", scores, task="convergence", metric="final")
    with store:
        ranks = {s.method: s.rank for s in ranked(artefact, store.table())}
    assert ranks == {"A": 2.5, "B": 2.5, "B and more": 1}


def test_a_failed_method_is_the_last(tmp_path):
    """Where all trials of a method failed it has the worst rank, and the card says why."""
    scores = {"A": [0.9, 0.8], "B": [0.5, 0.9], "B and more": [0.1, 0.1]}
    artefact, store = world(tmp_path, scores, failed=[("A", 0)])
    with store:
        ranks = {s.method: s.rank for s in ranked(artefact, store.table())}
        evidence = gather([artefact], store, profile="smoke", solvers=["spa"])
    assert ranks == {"A": 2.5, "B": 1, "B and more": 2.5}
    card = make_card(SolverSpec("spa"), evidence, tmp_path, profile="smoke")
    assert card["records"]["failures"] == {
        "test/one": {"recovery on near-separable: ValueError: on purpose": 1}
    }
    for shown in (card_text(card), card_page(card)):
        assert "ValueError: on purpose" in shown


def test_a_claim_names_a_method_by_its_whole_label(tmp_path):
    """A label within a longer one does not count; the verdict comes with the claim."""
    scores = {label: [0.5] for label in LABELS}
    artefact, store = world(tmp_path, scores)
    assert [claim.id for claim in named_claims(artefact, "spa")] == ["first"]
    assert named_claims(artefact, "xray-l2") == []
    assert [claim.id for claim in named_claims(artefact, "robust-xray")] == ["other"]
    with store:
        whole = gather([artefact], store, profile="smoke")
        bare = gather([artefact], store, profile="smoke", solvers=["spa"])
        assert gather([artefact], store, profile="smoke", solvers=["mu", "hals"]) == []
    cards = [make_card(SolverSpec("spa"), e, tmp_path, profile="smoke") for e in (whole, bare)]
    assert cards[0] == cards[1]
    (row,) = cards[0]["records"]["claims"]
    assert (row["id"], row["verdict"]) == ("test/one/first", "confirmed")
    look = "interim, 1 repeat of the smoke grid"
    assert row["look"] == look
    text = " ".join(card_text(cards[0]).split())
    assert f"confirmed test/one/first: A is best. ({look})" in text
    assert f"</a>, {look}</li>" in card_page(cards[0])


# -- the command and the report ---------------------------------------------------------------


def test_the_command_prints_a_card(tmp_path, capsys):
    """Text by default, one JSON document with --json; without a store it says that nothing ran."""
    store = ["--store", str(tmp_path / "none"), "--profile", "smoke"]
    assert cli.main(["card", "hals", *store]) == 0
    out = capsys.readouterr().out
    assert out.startswith("hals: HALS, family frobenius; Cichocki & Phan 2009")
    assert "Cost         Per iteration: two products of X with r vectors" in out
    assert "min_{W,H≥0}‖X-WH‖_F²" in out
    assert "no artefact of a paper has a record" in out
    assert cli.main(["card", "hals", "--json", *store]) == 0
    card = json.loads(capsys.readouterr().out)
    assert (card["key"], card["monotone"]) == ("hals", True)
    assert card["scaling"]["theory"] == {"n": [1, 1], "m": [1, 1], "r": [1, 1]}
    assert not (tmp_path / "none").exists()


def test_an_unknown_key_is_wrong_usage(tmp_path, capsys):
    """The nearest names, and exit code 2."""
    assert cli.main(["card", "hal", "--store", str(tmp_path)]) == 2
    assert "'hals'" in capsys.readouterr().err


def test_several_cards_are_separated(tmp_path, capsys):
    """One after the other with a line between, or a list; one key alone is one document."""
    store = ["--store", str(tmp_path / "none"), "--profile", "smoke"]
    assert cli.main(["card", "mu", "spa", "mu", *store]) == 0
    first, second = re.split(r"\n\n=+\n\n", capsys.readouterr().out)
    assert first.startswith("mu: ")
    assert second.startswith("spa: ")
    for words, keys in ((["mu", "spa"], ["mu", "spa"]), (["mu", "mu"], ["mu"]), (["all"], KEYS)):
        assert cli.main(["card", *words, "--json", *store]) == 0
        assert [card["key"] for card in json.loads(capsys.readouterr().out)] == keys


@pytest.fixture
def measuring(monkeypatch):
    """Measurements without any work: names of the requested solvers, with one that interrupts."""
    asked = []

    def measure(solver, params, **limits):
        asked.append(solver)
        if asked == ["mu", "spa"]:
            raise KeyboardInterrupt
        return {
            "exponents": {"n": 7.77, "m": None, "r": None},
            "sizes": [],
            "error": "ended" if solver == "mu" else None,
            "measured": "2026-01-02",
            "host": host(),
            "versions": versions(),
            "threads": 1,
            "code": code_version([registry.solvers[solver].target]),
        }

    monkeypatch.setattr("nmfbench.commands.card.measure_exponents", measure)
    return asked


def test_measure_keeps_what_it_measures(tmp_path, capsys, measuring):
    """--measure writes beside the records, and the card shows it."""
    words = ["card", "mu", "--measure", "--profile", "smoke", "--store", str(tmp_path / "new")]
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    assert "measured: 7.77" in out
    assert "incomplete: ended" in out
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["scaling.json"]


def test_measuring_several_resumes(tmp_path, capsys, measuring, monkeypatch):
    """After Ctrl-C only what is missing is measured; one key by itself always is."""
    store = ["--measure", "--profile", "smoke", "--store", str(tmp_path)]
    assert cli.main(["card", "mu", "spa", "hals", *store]) == 130
    err = capsys.readouterr().err
    assert "measuring spa (2 of 3)" in err
    assert "1 of 3 solvers were measured" in err
    measuring.clear()
    assert cli.main(["card", "mu", "spa", "hals", *store]) == 0
    assert measuring == ["spa", "hals"]
    assert "1 of 3 solvers have been measured already" in capsys.readouterr().err
    measuring.clear()
    assert cli.main(["card", "spa", *store]) == 0
    assert measuring == ["spa"]
    measured = read_measured(tmp_path, "spa")
    write_measured(tmp_path, "spa", {}, measured | {"code": "other"})
    write_measured(tmp_path, "mu", {}, measured | {"host": host() | {"cpu": "other"}})
    measuring.clear()
    assert cli.main(["card", "spa", "hals", "mu", *store]) == 0
    assert measuring == ["spa", "mu"]


def test_a_class_from_outside_has_a_card(tmp_path):
    """A card shows facts from the docstring and a tiny fit; other fields are marked unknown."""
    file = tmp_path / "mine.py"
    file.write_text(
        '''
import numpy as np

class Rows:
    r"""Random rows for :math:`\\\\min \\\\|X-WH\\\\|_1`.

    Parameters
    ----------
    n_components : int
        How many.

    Cost
    ----
    None.
    """

    def __init__(self, n_components=2, random_state=None):
        self.n_components, self.random_state = n_components, random_state

    def fit(self, X):
        self.anchor_indices_ = np.arange(self.n_components)
        self.components_ = X[: self.n_components]
        return self
'''.replace("\\\\", "\\")
    )
    spec = parse_solver(f"{file}:Rows")
    card = make_card(spec, [], tmp_path)
    assert (card["problem"], card["cost"]) == (r"\min \|X-WH\|_1", "None.")
    assert "recovery" in card["tasks"]
    assert "convergence" in card["cannot"]
    assert [row["meaning"] for row in card["parameters"]] == ["How many.", None]
    text = card_text(card)
    assert text.startswith("mine.py:Rows: Rows, family guest")
    assert "nmfbench check" in text
    assert str(tmp_path) not in card_page(card)
    json.dumps(card, allow_nan=False)


def test_a_report_has_a_card_for_every_solver(tmp_path):
    """A page each, one that lists them, and no link that leads nowhere within the folder."""
    build._write_cards([], tmp_path, tmp_path, "smoke")
    pages = {path.name for path in (tmp_path / "solvers").glob("*.html")}
    assert pages == {f"{key}.html" for key in KEYS} | {"index.html"}
    index = (tmp_path / "solvers" / "index.html").read_text(encoding="utf-8")
    assert set(re.findall(r'href="([^"./][^"]*)"', index)) == pages - {"index.html"}
    for name in pages:
        page = (tmp_path / "solvers" / name).read_text(encoding="utf-8")
        assert not re.search(r'(?:src|href)="https?://', page)
        assert str(Path.cwd()) not in page


def test_the_list_of_cards_compares_exponents(cards):
    """Beside what was measured stands the theory; a dash where there is none."""
    measured = {"exponents": {"n": 0.98, "m": None, "r": 1.5}}
    card = cards["mahnmf-sym"]
    card |= {"scaling": card["scaling"] | {"measured": measured}}
    page = card_list({"one": [card, cards["pca"]]})
    cells = re.findall(r'<td class="number">(.*?)</td>', page)
    cells = [re.sub("<.*?>", "", cell) for cell in cells]
    assert cells == ["0.98 (2)", "– (0)", "1.50 (1)", *["– (–)"] * 3]


def test_what_a_class_says_is_escaped(cards):
    """The words of a class about itself are text, not HTML."""
    card = cards["mu"] | {"name": "<b>", "summary": "a < b"}
    page = card_list({"one": [card]})
    assert "&lt;b&gt;" in page
    assert "a &lt; b" in page
