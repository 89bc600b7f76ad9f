"""The gate: a slower kernel is found, and an unchanged one is not."""

import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import nmfbench
from benchmarks import counts, gate, target_cost
from benchmarks.gate import Case, decide, judge
from nmfbench.solvers.frobenius.hals import HALS
from nmfbench.trials.target import REFERENCE, available, is_reference

PACKAGE = Path(nmfbench.__file__).parent
ROOT = PACKAGE.parent
COUNTS = all(shutil.which(program) for program in ("valgrind", "cc"))
FIT = Case("solvers.Fit.time_fit", ("spa", "dense 1000x500"))
SWEEPS = Case("kernels.FactorUpdate.time_update", ("hals", "float64"))


def draws(rng, change, n_cases=1, pairs=6):
    """Comparisons of cases whose pairs of processes differ by 2 % beside the change."""
    ratios = (1 + change) * np.exp(0.02 * rng.standard_normal((n_cases, pairs)))
    return [judge(Case(str(i), ()), row) for i, row in enumerate(ratios)]


def test_an_unchanged_tree_is_flagged_in_one_of_twenty_runs_at_most():
    """Among twenty suspects without a change Holm's level holds for all of them together."""
    rng = np.random.default_rng(0)
    flagged = sum(
        any(found.word(0.0) != "undecided" for found in decide(draws(rng, 0.0, 20)))
        for _ in range(400)
    )
    assert flagged / 400 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_a_tenth_is_found_in_nine_of_ten_runs_among_five_suspects():
    """A tenth slower and a tenth faster are both found, each under its own word."""
    rng = np.random.default_rng(1)
    words = [
        [
            found.word(0.05)
            for found in sorted(
                decide(draws(rng, 0.1) + draws(rng, 1 / 1.1 - 1) + draws(rng, 0.0, 3)),
                key=lambda found: found.ratio,
            )
        ]
        for _ in range(200)
    ]
    assert np.mean([row[-1] == "slower" for row in words]) >= 0.9
    assert np.mean([row[0] == "faster" for row in words]) >= 0.9


def test_less_than_what_counts_is_undecided():
    """A significant change below the threshold is no failure."""
    found = judge(SWEEPS, np.array([1.02, 1.021, 1.019, 1.02]))
    assert found.p_value < 0.001
    assert found.word(0.05) == "undecided"
    assert judge(SWEEPS, np.ones(4)).word(0.0) == "undecided"


def test_holm_orders_and_never_falls():
    """The p-values are Holm's: times the number that is left, and not below the one before.

    They are doubled for two looks.
    """
    found = decide([gate.Comparison(SWEEPS, 1.1, (1.0, 1.2), p) for p in (0.04, 0.01, 0.03)])
    assert [comparison.p_value for comparison in found] == pytest.approx([0.06, 0.12, 0.12])


class Drifting:
    """A process on a machine that becomes a fifth slower every second sample."""

    machine = 0.0

    def __init__(self, seconds):
        self.seconds = seconds

    def ask(self, case, calls=0):
        Drifting.machine += 0.1
        return {"seconds": self.seconds * np.exp(Drifting.machine), "calls": 1}


def test_a_machine_that_drifts_does_not_change_a_ratio():
    """Neighbouring samples are compared, in both orders as often."""
    pair = gate.Pair(Drifting(0.01), Drifting(0.011))
    assert pair.ratio(SWEEPS, 8) == pytest.approx(1.1, rel=1e-9)


def pretend(monkeypatch, ratios):
    """Pairs of processes have these ratios, in turn; the list of what was asked of each."""
    asked, ratios = [], iter(ratios)

    class Pretended(gate.Pair):
        def ratio(self, case, rounds):
            asked.append(case)
            return next(ratios)

    monkeypatch.setattr(gate, "Pair", Pretended)
    monkeypatch.setattr(Drifting, "close", lambda self: None, raising=False)
    return asked


@pytest.mark.parametrize(
    ("ratios", "word"),
    [
        ([1.02], None),  # within two thirds of what counts
        ([1.09, 0.95], None),  # the mean of two pairs is within
        ([1.1, 1.1, *[1.1, 1.09, 1.11, 1.1, 1.12, 1.1]], "slower"),
        ([1.1, 1.1, *[1.01, 0.99, 1.0, 1.01, 1.0, 0.99]], "undecided"),  # nothing that counts
        ([1.1, 1.1, *[1.0, 1.3, 1.1, 0.97, 1.2, 1.04], *[1.1, 1.12, 1.09] * 2], "slower"),
    ],
)
def test_pairs_are_made_until_a_case_is_decided(ratios, word, monkeypatch):
    """Two to screen, then six, and six more only where those leave it open."""
    asked = pretend(monkeypatch, ratios)
    start = partial(Drifting, 0.01)
    found, left_out = gate.compare(start, start, [SWEEPS], least=0.05)
    assert len(asked) == len(ratios)
    assert not left_out
    assert [comparison.word(0.05) for comparison in found] == ([word] if word else [])


def test_every_case_is_found_by_its_name():
    """Class, method and parameters come back from the text of a case."""
    from benchmarks.contest import benchmark_named, cases_matching

    cases = cases_matching(r"^kernels\.FactorUpdate")
    assert (SWEEPS.name, SWEEPS.params) in cases
    kind, method, params = benchmark_named(*cases[0])
    assert (kind.__name__, method, params[0]) == ("FactorUpdate", "time_update", cases[0][1][0])


@pytest.mark.parametrize(
    ("program", "words", "message"),
    [
        ("gate", ["-k", "no such case"], "no benchmark matches"),
        ("gate", ["--base", "nowhere"], "git knows no"),
        ("counts", ["-k", "no such case"], "no benchmark matches"),
        ("counts", ["--base", "nowhere"], "git knows no"),
        ("target_cost", ["-k", "no such case"], "no benchmark matches"),
        ("target_cost", ["--base=main"], "unrecognized arguments"),  # it has one tree
    ],
)
def test_wrong_usage_is_named(program, words, message):
    """A pattern without a case, and an unknown commit, end with what is wrong."""
    if words[0] == "--base" and not (ROOT / ".git").exists():
        pytest.skip(
            "an unknown commit is looked up by git; the test runs in a clone, and these sources "
            "are no git repository"
        )
    if program == "counts" and not COUNTS:
        words, message = [], "apt-get install valgrind gcc"
    command = [sys.executable, "-m", f"benchmarks.{program}", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_fit_with_more_iterations_is_not_dearer():
    """The cost of a target is that of an iteration: rounding decides when a fit ends."""

    class Fit:
        def setup(self):
            self.solver = HALS(n_components=2, max_iter=200)

        def time_fit(self):
            assert self.solver.max_iter == 30
            self.solver.n_iter_ = 50
            began = time.thread_time()
            while time.thread_time() - began < 0.05:
                pass

    found = target_cost._per_iteration(Fit(), "time_fit", (), 2)
    assert found["calls"] == 2
    assert found["seconds"] == pytest.approx(1e-3, rel=0.2)


@pytest.mark.skipif(REFERENCE not in available(), reason="needs x86-64 with AVX2")
@pytest.mark.parametrize("target", [REFERENCE, "nehalem"])
def test_fits_run_under_the_target_that_they_are_measured_for(target):
    """In a process of its own, whose libraries say so, whatever that of the tests has."""
    found = target_cost.in_force_under(target, [FIT])
    assert is_reference(found) == (target == REFERENCE)


def slowed(folder, more):
    """A copy of the package in which HALS makes more sweeps than 5 of every other block of rows."""
    copy = folder / "nmfbench"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / "optim" / "kernels" / "hals.py"
    text, old = path.read_text(encoding="utf-8"), "range(n_sweeps)"
    assert text.index(old) < text.index("def hals_sweeps_ahead")
    new = f"range(n_sweeps + {more} * ((first // width) % 2))"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy


@pytest.mark.slow
@pytest.mark.parametrize(("more", "word"), [(2, "slower"), (0, None)], ids=["slowed", "unchanged"])
def test_a_slowed_kernel_is_caught_and_an_unchanged_one_is_not(more, word, tmp_path):
    """On real processes: a fifth more sweeps, which a busy machine shows, too."""
    copy = slowed(tmp_path, more) if more else PACKAGE
    trees = (partial(gate.Process, tree) for tree in (PACKAGE, copy))
    found, left_out = gate.compare(*trees, [SWEEPS], least=0.05)
    assert not left_out
    words = {comparison.word(0.05) for comparison in found} - {"undecided"}
    assert words == ({word} if word else set())


@pytest.mark.slow
@pytest.mark.skipif(
    not COUNTS,
    reason="valgrind counts the instructions between marks that a C compiler puts; the test runs "
    "where both are installed",
)
def test_instructions_of_a_slowed_kernel_are_counted(tmp_path):
    """A tenth more sweeps are as many more instructions; two counts of one kernel agree."""
    once, again, slower = (
        counts.count(package, [SWEEPS])[SWEEPS]
        for package in (PACKAGE, PACKAGE, slowed(tmp_path, 1))
    )
    assert again == pytest.approx(once, rel=5e-4)
    assert 1.05 < slower / once < 1.15
