"""``python -m benchmarks``: all contests in one run, as a table of medians and ratios.

Last come the goals, with what was reached: of these contests, and of the last race.
"""

import argparse
import json
import os
import platform
import re
import sys

import benchmarks

_HEAD = f"  {'':26} {'CPU s':>10} {'wall s':>10} {'ratio':>8}   {'quartiles':16} rounds"
_HEAD_MEMORY = f"  {'':26} {'MB':>10} {'':10} {'ratio':>8}"


def main(argv=None):
    """Run, print, and return the exit code: 0 done, 1 a benchmark failed, 2 wrong usage."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Run solvers, kernels and peers against each other on one thread, interleaved. "
        "Prints medians, and ratios to the reference of each group with their quartiles over "
        "rounds. Progress goes to standard error.",
    )
    parser.add_argument("-k", metavar="PATTERN", default="", help="only titles it matches")
    parser.add_argument("--quick", action="store_true", help="tiny data, one round: does it run?")
    parser.add_argument("--list", action="store_true", help="print the titles and stop")
    parser.add_argument("--json", metavar="FILE", help="write the samples too ('-': nothing else)")
    args = parser.parse_args(argv)
    try:
        re.compile(args.k)
    except re.error as error:
        parser.error(f"-k {args.k!r} is not a regular expression: {error}.")
    if args.quick:  # before the benchmarks are imported, here and in processes that we start
        benchmarks.QUICK = True
        os.environ["NMFBENCH_BENCHMARKS"] = "quick"
    from benchmarks.contest import contests, run
    from benchmarks.targets import judge

    chosen = contests(args.k)
    if not chosen:
        parser.error(f"no benchmark matches {args.k!r}; --list shows their titles.")
    if args.list:
        print("\n".join(contest.title for contest in chosen))
        return 0
    if args.json not in (None, "-"):
        try:
            open(args.json, "a").close()  # now rather than after minutes
        except OSError as error:
            parser.error(f"--json {args.json}: {error.strerror}.")
    limits = {"rounds": 1} if args.quick else {}
    results, code = [], 0
    try:
        for number, contest in enumerate(chosen, 1):
            print(f"[{number}/{len(chosen)}] {contest.title}", file=sys.stderr, flush=True)
            results.append(run(contest, **limits))
    except KeyboardInterrupt:
        print("interrupted: this is what had finished.", file=sys.stderr)
        code = 130
    verdicts = [] if args.quick else judge(results)
    if args.json != "-":
        print("\n\n".join(_table(result) for result in results))
        if verdicts:
            print("\ntargets\n" + "\n".join(_line(verdict) for verdict in verdicts))
        if not args.quick and not args.k:
            from benchmarks.race import goals

            print("\nhard problems beside other libraries, as 'make race' measured last")
            print(goals())
    if args.json:
        document = json.dumps(_plain(results, verdicts, args.quick), indent=1)
        if args.json == "-":
            print(document)
        else:
            with open(args.json, "w", encoding="utf-8") as file:
                file.write(document + "\n")
    return code or int(any(result.failed for result in results))


def _table(result):
    memory = result.contest.measures_memory
    lines = [result.contest.title, _HEAD_MEMORY if memory else _HEAD]
    for member in sorted(result.samples, key=result.median):
        ratio = result.ratio(member)
        low, middle, high = ("" if ratio is None else f"{value:.2f}" for value in ratio or [0] * 3)
        if memory:
            value = 1e-6 * result.median(member)
            lines.append(f"  {member!s:26} {value:10.1f} {'':10} {middle:>8}")
            continue
        spread = f"{low} to {high}" if middle else "no reference"
        lines.append(
            f"  {member!s:26} {result.median(member):10.4g} {result.median(member, 1):10.4g} "
            f"{middle:>8}   {spread:16} {len(result.samples[member]):6}"
        )
    lines += [f"  {member!s:26} left out: {why}" for member, why in result.skipped.items()]
    lines += [f"  {member!s:26} FAILED: {why}" for member, why in result.failed.items()]
    return "\n".join(line.rstrip() for line in lines)


def _line(verdict):
    return f"  {'met' if verdict.met else 'NOT MET':8} {verdict.measured:>9}   {verdict.target}"


def _plain(results, verdicts, quick):
    return {
        "quick": quick,
        "host": {"machine": platform.machine(), "python": platform.python_version()},
        "contests": [
            {
                "benchmark": result.contest.name,
                "case": list(result.contest.case),
                "unit": "bytes" if result.contest.measures_memory else "seconds",
                "reference": result.contest.benchmark.reference,
                "members": {
                    str(member): {
                        "median": result.median(member),
                        "ratio": result.ratio(member),
                        "samples": samples.tolist(),
                    }
                    for member, samples in result.samples.items()
                },
                "left_out": {str(member): why for member, why in result.skipped.items()},
                "failed": {str(member): why for member, why in result.failed.items()},
            }
            for result in results
        ],
        "targets": [vars(verdict) for verdict in verdicts],
    }


if __name__ == "__main__":
    sys.exit(main())
