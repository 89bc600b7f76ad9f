"""``python -m benchmarks.gate``: did a change make anything slower, or faster?

The benchmarks of this checkout run on two trees, that of a commit (``--base``) and this one with
its uncommitted changes, each in a process of its own, in turns: A B B A, then B A A B. A sample is
CPU time on one thread, of as many calls as take 10 ms. A processor that others share is a fifth
faster now than some seconds later, so that only neighbours in time are compared: the ratio of two
processes is the median of the ratios of samples that follow each other. Two processes that run the
same code may yet differ for as long as they live, by where their memory happens to lie: the unit of
observation is a pair of processes.

1. *Screening.* One pair: where the ratio is beyond two thirds of ``--least``, a second one. A
   benchmark whose mean is beyond it, too, is a suspect.
2. *Decision.* Only suspects, on fresh pairs. The 95 % t interval of the mean log ratio over pairs
   has to lie wholly beyond 1, at Holm's level among all suspects, and the ratio beyond ``--least``.
   As the samples are new, their choice by the first ones costs no level. What is undecided has as
   many pairs again, unless they are nearly sure to change nothing; p-values are doubled for the
   two looks.

Gains are reported by the same rule. First of all the base is compared with itself: if that finds a
difference, the machine is too noisy, and nothing is decided.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks import CHECKOUT

__all__ = [
    "Case",
    "Comparison",
    "Process",
    "cases_of",
    "compare",
    "decide",
    "judge",
    "options",
    "report",
    "sample",
    "serve",
    "tree_of",
]

ALPHA = 0.05
_SAMPLE = 0.01  # CPU seconds, at least
_SECONDS = 6.0  # CPU seconds of a case on a pair; dearer ones have two rounds
_SCREEN = 2 / 3  # of the smallest change that counts
_LOOKS = 2
_TREES = CHECKOUT / ".venv" / "build" / "gate"


@dataclass(frozen=True)
class Case:
    """A timed method of a benchmark with all of its parameters."""

    name: str
    params: tuple[str, ...]

    def __str__(self):
        return " ".join([self.name, *self.params])


@dataclass
class Comparison:
    """Ratios of CPU time, this tree over the base, of one case.

    Attributes
    ----------
    case : Case
    ratio : float
        Geometric mean over pairs of processes.
    interval : (float, float)
        95 % t interval of it.
    p_value : float
        Two-sided, that the ratio is 1; Holm's among the suspects, times the number of looks.
    """

    case: Case
    ratio: float
    interval: tuple[float, float]
    p_value: float

    def is_open(self, least: float) -> bool:
        """Whether more pairs may show a change that counts."""
        low, high = self.interval
        return self.word(least) == "undecided" and (high >= 1 + least or low <= 1 / (1 + least))

    def word(self, least: float) -> str:
        """The decision: "slower", "faster" or "undecided"."""
        low, high = self.interval
        if self.p_value < ALPHA and low > 1 and self.ratio >= 1 + least:
            return "slower"
        if self.p_value < ALPHA and high < 1 and self.ratio <= 1 / (1 + least):
            return "faster"
        return "undecided"


def judge(case: Case, ratios: np.ndarray) -> Comparison:
    """Compare two trees by the ratios of several pairs of processes.

    Parameters
    ----------
    case : Case
    ratios : ndarray of shape (n_pairs,)
        At least two.

    Examples
    --------
    >>> found = judge(Case("a", ()), np.array([1.1, 1.12, 1.09, 1.11]))
    >>> round(found.ratio, 3), found.word(0.05)
    (1.105, 'slower')
    """
    logs = np.log(ratios)
    mean, error = logs.mean(), stats.sem(logs)
    if error == 0:
        return Comparison(case, float(np.exp(mean)), (float(np.exp(mean)),) * 2, float(mean == 0))
    half = stats.t.ppf(1 - ALPHA / 2, len(logs) - 1) * error
    p_value = float(2 * stats.t.sf(abs(mean) / error, len(logs) - 1))
    low, ratio, high = (float(np.exp(value)) for value in (mean - half, mean, mean + half))
    return Comparison(case, ratio, (low, high), p_value)


def decide(found: list[Comparison]) -> list[Comparison]:
    """The comparisons with Holm's p-values times the number of looks, the smallest first."""
    found = sorted(found, key=lambda comparison: comparison.p_value)
    largest = 0.0
    for place, comparison in enumerate(found):
        largest = max(largest, min(1.0, _LOOKS * (len(found) - place) * comparison.p_value))
        comparison.p_value = largest
    return found


# -- processes --------------------------------------------------------------------------------


class Process:
    """A process that measures cases on the package of a folder.

    Parameters
    ----------
    package : Path
        The folder ``nmfbench`` of a tree.
    server : sequence of str
        The module that calls :func:`serve` when it is run with ``--serve``, and its options.
    before : sequence of str
        Words of a program that runs the process.
    env : mapping
        Environment variables beside those of this process.
    """

    def __init__(self, package: Path, server=("benchmarks.gate",), before=(), env=()):
        self._folder = tempfile.TemporaryDirectory(prefix="nmfbench-gate-")
        for name, target in {"nmfbench": package, "benchmarks": CHECKOUT / "benchmarks"}.items():
            (Path(self._folder.name) / name).symlink_to(target)
        self._child = subprocess.Popen(
            [*before, sys.executable, "-m", *server, "--serve"],
            cwd=self._folder.name,
            env=os.environ | dict(env) | {"PYTHONPATH": self._folder.name, "PYTHONSAFEPATH": ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, case: Case, calls: int = 0) -> dict:
        """CPU seconds of a call, and how many calls were made; or why there are none.

        Without ``calls`` there are as many as a sample takes.
        """
        request = {"name": case.name, "params": case.params, "calls": calls}
        try:
            self._child.stdin.write(json.dumps(request) + "\n")
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"left out": "its process ended"}

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._child.stdin.close()
        self._child.wait()
        self._child.stdout.close()
        self._folder.cleanup()


def serve(measure) -> None:
    """Answer the requests on standard input until it ends, by ``measure`` of each case."""
    from benchmarks.contest import benchmark_named, cached

    answers, sys.stdout = sys.stdout, sys.stderr
    ready: dict = {}
    for line in sys.stdin:
        request = json.loads(line)
        name, params = request["name"], tuple(request["params"])
        try:
            if (name, params) not in ready:
                kind, method, args = benchmark_named(name, params)
                ready[name, params] = kind(), method, (*cached(kind), *args)
            answer = measure(*ready[name, params], request["calls"])
        except NotImplementedError as error:
            answer = {"left out": str(error)}
        except Exception as error:  # of an old commit: another interface
            answer = {"left out": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def sample(benchmark, method, args, calls):
    """CPU seconds of a call, over a given number of calls or as many as a sample takes."""
    benchmark.setup(*args)
    call, counted = getattr(benchmark, method), calls or 10**6
    done, began = 0, time.thread_time()
    while done < counted and (calls or done == 0 or time.thread_time() - began < _SAMPLE):
        call(*args)
        done += 1
    return {"seconds": (time.thread_time() - began) / done, "calls": done}


# -- comparison -------------------------------------------------------------------------------


@dataclass
class Pair:
    """A process on each of two trees."""

    base: Process
    head: Process
    left_out: dict[Case, str] = field(default_factory=dict)

    def ratio(self, case: Case, rounds: int) -> float | None:
        """Ratio of the times of a call, the head over the base; None where it has none.

        The median over twice as many neighbouring samples as there are rounds.
        """
        first = {side: getattr(self, side).ask(case) for side in ("base", "head")}
        for answer in first.values():
            if "left out" in answer:
                self.left_out[case] = answer["left out"]
                return None
        calls = first["base"]["calls"]
        seconds = first["base"]["seconds"] * calls
        rounds = max(2, min(rounds, math.ceil(_SECONDS / (4 * seconds + 1e-9))))
        times: dict[str, list[float]] = {"base": [], "head": []}
        for turn in range(rounds):
            order = (
                ("base", "head", "head", "base")
                if turn % 2 == 0
                else ("head", "base", "base", "head")
            )
            for side in order:
                answer = getattr(self, side).ask(case, calls)
                if "left out" in answer:
                    self.left_out[case] = answer["left out"]
                    return None
                times[side].append(answer["seconds"])
        return float(np.exp(np.median(np.log(times["head"]) - np.log(times["base"]))))

    def close(self) -> None:
        self.base.close()
        self.head.close()


def compare(
    base: Callable[[], Process],
    head: Callable[[], Process],
    cases: list[Case],
    *,
    least: float,
    rounds: int = 15,
    pairs: int = 6,
    say=lambda text: None,
) -> tuple[list[Comparison], dict[Case, str]]:
    """Compare two kinds of processes on all cases.

    Parameters
    ----------
    base, head : callable
        Start a process of each kind, such as one on the package of each of two trees.
    cases : list of Case
    least : float
        Smallest change that counts.
    rounds, pairs : int
        Of samples on a pair, and of pairs for suspects.
    say : callable
        Takes a line of progress.

    Returns
    -------
    list of Comparison
        Of the suspects, decided.
    dict
        Case -> why it was left out.
    """
    left_out: dict[Case, str] = {}

    def add_ratios(ratios: dict[Case, list[float]]) -> None:
        """Of one more pair, for each case."""
        pair = Pair(base(), head())
        try:
            for case, found in ratios.items():
                ratio = pair.ratio(case, rounds)
                if ratio is not None:
                    say(f"{ratio:5.3f}  {case}")
                    found.append(ratio)
        finally:
            pair.close()
        left_out.update(pair.left_out)

    screened: dict[Case, list[float]] = {case: [] for case in cases}
    for _ in range(2):
        say(f"{len(screened)} cases on a pair of processes")
        add_ratios(screened)
        beyond = math.log1p(_SCREEN * least)
        screened = {
            case: ratios
            for case, ratios in screened.items()
            if ratios and abs(np.log(ratios).mean()) > beyond
        }
    ratios: dict[Case, list[float]] = {case: [] for case in screened}
    found: list[Comparison] = []
    for look in range(_LOOKS):
        undecided = [comparison.case for comparison in found if comparison.is_open(least)]
        wanted = undecided if look else list(ratios)
        for turn in range(pairs if wanted else 0):
            say(f"look {look + 1}: {len(wanted)} suspects, pair {turn + 1} of {pairs}")
            add_ratios({case: ratios[case] for case in wanted})
        found = decide([judge(case, np.array(r)) for case, r in ratios.items() if len(r) > 1])
    return found, left_out


def tree_of(commit: str) -> Path:
    """A worktree of a commit, kept for the next time; the folder of its package.

    Raises
    ------
    SystemExit
        With 2, if git knows no such commit.
    """
    git = ["git", "-C", str(CHECKOUT)]
    asked = [*git, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"]
    known = subprocess.run(asked, capture_output=True, text=True)
    if known.returncode:
        print(f"gate: git knows no commit {commit!r}.", file=sys.stderr)
        raise SystemExit(2)
    folder = _TREES / known.stdout.strip()
    if not folder.exists():
        subprocess.run([*git, "worktree", "prune"], check=True)
        command = [*git, "worktree", "add", "--quiet", "--detach", str(folder), folder.name]
        subprocess.run(command, check=True)
    return folder / "nmfbench"


def options(module: str, description: str, pattern: str, which: str, least: float):
    """A parser of what a comparison with a commit needs, whatever is measured.

    Parameters
    ----------
    module, description : str
    pattern, which : str
        Cases that are compared by default, and in words.
    least : float
        Smallest change that counts, by default.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--base", default="main", help="commit to compare with (default: main)")
    parser.add_argument(
        "-k",
        metavar="PATTERN",
        default=pattern,
        help=f"only cases that match (default: {which})",
    )
    parser.add_argument(
        "--least",
        type=float,
        default=least,
        metavar="SHARE",
        help=f"smallest change that counts (default: {f'{least:g}'.lstrip('0')})",
    )
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser


def cases_of(parser: argparse.ArgumentParser, pattern: str) -> list[Case]:
    """The cases that match, of which there has to be one."""
    from benchmarks.contest import cases_matching

    cases = [Case(*found) for found in cases_matching(pattern)]
    if not cases:
        parser.error(f"no benchmark matches {pattern!r}.")
    return cases


def main(argv=None) -> int:
    """Compare, print, and return 0: nothing slower, 1: slower, 2: wrong usage, or 3: too noisy."""
    parser = options(
        "benchmarks.gate",
        "Compare the CPU time of this tree with that of a commit, benchmark by benchmark. Ends "
        "with 1 if something became slower, with 3 if the base differs from itself.",
        "^(kernels|solvers|manhattan|graph)",
        "kernels and fits",
        0.05,
    )
    parser.add_argument("--rounds", type=int, default=15, help="of a pair of processes (15)")
    parser.add_argument("--pairs", type=int, default=6, help="of processes, for suspects (6)")
    args = parser.parse_args(argv)
    if args.serve:
        serve(sample)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # folders of processes are removed
    cases = cases_of(parser, args.k)
    base, head = tree_of(args.base), CHECKOUT / "nmfbench"
    settings = {"least": args.least, "rounds": args.rounds, "pairs": args.pairs}

    def say(text):
        print(text, file=sys.stderr, flush=True)

    some = cases[:: max(1, len(cases) // 10)]
    say(f"the base with itself, {len(some)} of {len(cases)} cases")
    processes = partial(Process, base), partial(Process, head)
    found, _ = compare(processes[0], processes[0], some, **settings, say=say)
    if any(comparison.word(args.least) != "undecided" for comparison in found):
        print("the base differs from itself: this machine is too noisy at the moment.")
        return 3
    found, left_out = compare(*processes, cases, **settings, say=say)
    return int(report(found, args.least, len(cases), len(left_out)) > 0)


def report(found: list[Comparison], least: float, cases: int, left_out: int) -> int:
    """Print the suspects and a summary; how many are slower."""
    words = {comparison.case: comparison.word(least) for comparison in found}
    for comparison in found:
        low, high = comparison.interval
        print(
            f"{words[comparison.case]:9} {comparison.ratio:5.2f} [{low:.2f}, {high:.2f}]  "
            f"p {comparison.p_value:.3f}  {comparison.case}"
        )
    slower, faster = (list(words.values()).count(word) for word in ("slower", "faster"))
    print(
        f"{cases - left_out} cases: {slower} slower, {faster} faster, by "
        f"{100 * least:g} % or more; {left_out} left out"
    )
    return slower


if __name__ == "__main__":
    sys.exit(main())
