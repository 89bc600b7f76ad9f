"""``python -m benchmarks.target_cost``: what does the fixed numerical target cost each solver?

Untimed trials are computed with the instructions of one fixed target
(:mod:`nmfbench.trials.target`), so that their bits are the same on all processors, and not with
the widest that this processor has. Each fit runs in a process under the native target (the base)
and in one under the reference target, in turns, as the gate compares two trees: CPU time of an
iteration on one thread, as a rounding may end a fit sooner or later, and of the first thirty. On a
processor whose widest instructions are those of the reference target, nothing differs but the
kernels of OpenBLAS.

Where vectors of 512 bits make a difference of more than a twentieth, a kernel says so; in `onmf`
and `sklearn-mu` it is made by small products of OpenBLAS.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from functools import partial
from types import SimpleNamespace

from benchmarks import CHECKOUT
from benchmarks.gate import Case, Process, cases_of, compare, report, sample, serve
from nmfbench.trials.target import NATIVE, REFERENCE, environment, in_force

_LEAST = 0.05
_ITERATIONS = 30


def _per_iteration(benchmark, method, args, calls):
    def setup(*args):
        benchmark.setup(*args)
        most = benchmark.solver.get_params().get("max_iter")
        if most is not None:
            benchmark.solver.set_params(max_iter=min(most, _ITERATIONS))

    short = SimpleNamespace(**{"setup": setup, method: getattr(benchmark, method)})
    found = sample(short, method, args, calls)
    iterations = getattr(benchmark.solver, "n_iter_", 1)
    return found | {"seconds": found["seconds"] / max(1, iterations), "target": in_force()}


def _start(target) -> Process:
    server = ("benchmarks.target_cost",)
    return Process(CHECKOUT / "nmfbench", server, env=environment(target))


def in_force_under(target: str, cases: Iterable[Case]) -> dict[str, str]:
    """What a process that is started under a target has, by its own words after a first fit."""
    process = _start(target)
    try:
        answers = (process.ask(case, 1) for case in cases)
        return next(answer["target"] for answer in answers if "target" in answer)
    finally:
        process.close()


def main(argv=None) -> int:
    """Compare, print, and return 0: costs no fit 5 % or more, 1: costs one that, 2: wrong usage."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.target_cost",
        description="Compare the CPU time of fits under the reference target with that under the "
        "native one: 'slower' is what the reference target costs.",
    )
    parser.add_argument(
        "-k", metavar="PATTERN", default="^solvers.*time_fit", help="only fits that match"
    )
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.serve:
        serve(_per_iteration)
        return 0
    cases = cases_of(parser, args.k)

    def say(text):
        print(text, file=sys.stderr, flush=True)

    targets = (NATIVE, REFERENCE)
    for target in targets:
        print(f"{target}: {in_force_under(target, cases)}")
    found, left_out = compare(*(partial(_start, t) for t in targets), cases, least=_LEAST, say=say)
    for case, why in left_out.items():
        say(f"left out  {case}: {why}")
    return int(report(found, _LEAST, len(cases), len(left_out)) > 0)


if __name__ == "__main__":
    sys.exit(main())
