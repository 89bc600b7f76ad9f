"""``python -m benchmarks.counts``: did a change make a kernel execute more instructions?

Instructions are counted by callgrind, a tool of valgrind, in a process on each of two trees: that
of a commit (``--base``) and this one. Unlike times they hardly depend on the machine or on what
else it does: two counts of one kernel differ by less than .05 %. They say nothing of caches and of
instructions that take longer than others; whether a change is slower, :mod:`benchmarks.gate` tells.

Both trees are compiled for the same processor, the numerical target of untimed trials: the
simulated one has no wider instructions. Kernels are compiled outside of the simulation, before it.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks import CHECKOUT
from benchmarks.gate import Case, Process, cases_of, options, serve, tree_of
from nmfbench.trials.target import REFERENCE, environment

__all__ = ["count"]

_MARKS = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void end(void) { CALLGRIND_STOP_INSTRUMENTATION; CALLGRIND_DUMP_STATS; }
"""


def _counter(folder: Path):
    """What counts the instructions of a call, within a process that callgrind runs."""
    marks = ctypes.CDLL(str(folder / "marks.so"))

    def sample(benchmark, method, args, calls):
        benchmark.setup(*args)
        call = getattr(benchmark, method)
        before = set(folder.glob("out.*"))
        marks.begin()
        for _ in range(calls):
            call(*args)
        marks.end()
        (dump,) = set(folder.glob("out.*")) - before
        (total,) = (line for line in dump.read_text().splitlines() if line.startswith("totals:"))
        return {"instructions": int(total.split()[1]) // calls}

    return sample


def count(package: Path, cases: list[Case], say=lambda text: None) -> dict[Case, int | str]:
    """Count the instructions of one call of each case on the package of a tree.

    Parameters
    ----------
    package : Path
        The folder ``nmfbench`` of the tree.
    cases : list of Case
    say : callable
        Takes a line of progress.

    Returns
    -------
    dict
        The smaller of two counts, or why there is none.

    Raises
    ------
    RuntimeError
        If the headers of valgrind are missing.
    """
    found: dict[Case, int | str] = {}
    pinned = environment(REFERENCE)
    with tempfile.TemporaryDirectory(prefix="nmfbench-counts-") as name:
        folder = Path(name)
        command = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", folder / "marks.so"]
        if subprocess.run(command, input=_MARKS, text=True).returncode:
            raise RuntimeError(
                "cc does not find valgrind/callgrind.h, which is in the package valgrind or "
                "valgrind-devel; install it."
            )
        callgrind = ("valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet")
        compiling = Process(package, env=pinned)
        counting = Process(
            package,
            ("benchmarks.counts", "--folder", name),
            (*callgrind, f"--callgrind-out-file={folder}/out", f"--log-file={folder}/log"),
            pinned,
        )
        try:
            for case in cases:
                answers = [compiling.ask(case, 1), *(counting.ask(case, 1) for _ in range(2))]
                why = [answer["left out"] for answer in answers if "left out" in answer]
                found[case] = why[0] if why else min(a["instructions"] for a in answers[1:])
                say(f"{found[case]}  {case}")
        finally:
            compiling.close()
            counting.close()
    return found


def main(argv=None) -> int:
    """Compare, print, and return 0: no kernel has more, 1: one has, 2: wrong usage."""
    parser = options(
        "benchmarks.counts",
        "Compare the instructions that kernels execute with those at a commit. Ends with 1 if a "
        "kernel executes more.",
        "^kernels",
        "kernels",
        0.005,
    )
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.serve:
        serve(_counter(args.folder))
        return 0
    for program in ("valgrind", "cc"):
        if shutil.which(program) is None:
            parser.error(
                f"it needs {program}, which is not installed: apt-get install valgrind gcc"
            )
    cases = cases_of(parser, args.k)
    trees = [tree_of(args.base), CHECKOUT / "nmfbench"]
    with ThreadPoolExecutor(2) as pool:
        base, head = pool.map(
            lambda tree: count(tree, cases, lambda text: print(text, file=sys.stderr)), trees
        )
    more = fewer = 0
    for case in cases:
        old, new = base[case], head[case]
        if isinstance(old, str) or isinstance(new, str):
            print(f"left out         {case}: {old if isinstance(old, str) else new}")
            continue
        ratio = new / old
        more += ratio >= 1 + args.least
        fewer += ratio <= 1 / (1 + args.least)
        print(f"{ratio:7.4f} {new / 1e6:8.1f} M  {case}")
    print(
        f"{len(cases)} cases: {more} with more instructions, {fewer} with fewer, by "
        f"{100 * args.least:g} % or more"
    )
    return int(more > 0)


if __name__ == "__main__":
    sys.exit(main())
