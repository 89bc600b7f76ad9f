"""Run the tests under a numerical target: ``python tests/targets.py TARGET [options of pytest]``.

The tests and all processes that they start compute under it, so that a kernel is compiled for one
processor only. ``all`` in place of a target runs all fast tests under this machine's own, and those
of published numbers under each other that it has, but the reference: that is ``make test``.
"""

import os
import subprocess
import sys

from nmfbench.trials.target import NATIVE, REFERENCE, VARIABLE, available, environment


def run(target, *words):
    """Run pytest with its options in processes of a target; the exit code."""
    print(f"-- numerical target: {target}", flush=True)
    command = [sys.executable, "-m", "pytest", *words]
    forced = environment(target) | {VARIABLE: target}
    return subprocess.run(command, env=os.environ | forced, check=False).returncode


def run_all(*words):
    """Run them under each target but the reference; 1 if tests failed under one."""
    others = [name for name in available() if name not in (REFERENCE, NATIVE)]
    codes = {name: run(name, *words, "tests/project/test_published.py") for name in others}
    codes[NATIVE] = run(NATIVE, *words)
    failed = [name for name, code in codes.items() if code]
    print(f"failed under {', '.join(failed)}" if failed else f"passed under {', '.join(codes)}")
    return bool(failed)


if __name__ == "__main__":
    target, *words = sys.argv[1:] or ["all"]
    sys.exit(run_all(*words) if target == "all" else run(target, *words))
