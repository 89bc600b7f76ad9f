"""Run the tests of published numbers under each numerical target that this machine has.

And all fast tests under the reference target; those under the machine's own are ``make test``.
"""

import os
import subprocess
import sys

from nmfbench.trials.target import NATIVE, REFERENCE, VARIABLE, available, environment


def run(target, *tests):
    """Run tests in processes of a target, and their trials under it, too; the exit code."""
    print(f"-- {target}: {' '.join(tests) or 'all fast tests'}", flush=True)
    words = [sys.executable, "-m", "pytest", "-q", "--dist", "worksteal", *sys.argv[1:], *tests]
    return subprocess.run(words, env=os.environ | environment(target) | {VARIABLE: target})


if __name__ == "__main__":
    others = [name for name in available() if name not in (REFERENCE, NATIVE)]
    codes = {name: run(name, "tests/project/test_published.py") for name in (*others, NATIVE)}
    codes[REFERENCE] = run(REFERENCE)
    failed = [name for name, done in codes.items() if done.returncode]
    print(f"failed under {', '.join(failed)}" if failed else f"passed under {', '.join(codes)}")
    sys.exit(bool(failed))
