"""Random command lines: of each command, with names and options that fit or do not.

A line is drawn from its number alone. Whatever it asks for, it ends with one of the documented exit
codes, and an error is a line that says what is wrong, never a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import traceback

import numpy as np

from nmfbench import cli
from nmfbench.cli.app import make_parsers

NAMES = (
    *("robust-xray/fig3", "or-nmf", "all", "mu", "spa", "robust-xray", "digits", "yaleb"),
    *("mine.py:Mine", "broken.py:Mine", "sklearn.decomposition:NMF", "os:system", "X.csv"),
    *("records.parquet", "list", "check", "deadbeef"),
)
"""Names that some command takes: artefacts, solvers, data, files, keys."""

VALUES = (
    *("", " ", "-", "--", "0", "1", "-1", "2.5", "1e999", "nan", "inf", "10**3", "x" * 3000, "é"),
    *("a\nb", "\x1b[31m", "%s", "{0}", "'", '"', "*", "$HOME", "name=value", "yes", "kl", "smoke"),
    *("quick", "paper", "30s", "0s", "1x", "-5m", "2026-01-01", "native", "reference", "folder"),
    *("missing", "missing/file", "X.csv", "empty.csv", "picture.png", "records.parquet", "store"),
    *("broken.py", "mine.py:Mine", "all", "auto", "http://localhost:1"),
)

_SECONDS = 2  # after which a line is stopped as by Ctrl-C
CODES = (0, 1, 2, 130)


def line(number):
    """The words of a command line."""
    rng = np.random.default_rng([2028, number])
    parsers = {name: parser for name, parser in make_parsers()[1].items() if name != "data"}
    command = list(parsers)[number % len(parsers)]
    actions = [action for action in parsers[command]._actions if action.option_strings]
    words = [str(name) for name in rng.choice(NAMES, rng.integers(0, 3))]
    for action in rng.choice(np.array(actions, object), rng.integers(0, 4)):
        if not isinstance(action, argparse._HelpAction) or rng.random() < 0.1:
            words.append(action.option_strings[-1])
            words += [_value(action, rng)] * (action.nargs != 0)
    if rng.random() < 0.1:
        words.insert(int(rng.integers(len(words) + 1)), str(rng.choice(["--stoer", "-q", "--"])))
    return [command, *words]


def _value(action, rng):
    if action.choices and rng.random() < 0.7:
        return str(rng.choice([str(choice) for choice in action.choices]))
    return str(rng.choice(VALUES))


def answer(words):
    """Run a line here: its exit code, what it printed and complained, and what is wrong with it."""

    def stop(*_):
        raise KeyboardInterrupt

    out, err, wrong = io.StringIO(), io.StringIO(), ""
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS, 0.5)
    code = None
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(words)
    except KeyboardInterrupt:  # the second one, while it ended after the first
        code = 130
    except Exception:
        wrong = traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    said = err.getvalue()
    if not wrong and code not in CODES:
        wrong = f"exit code {code}"
    elif "Traceback" in said:
        wrong = said
    elif code == 2 and not said.strip().splitlines()[-1:]:
        wrong = "no word of what is wrong"
    return code, out.getvalue(), said, wrong


@contextlib.contextmanager
def within(folder):
    """Within the block, work in a folder with the files that lines may name."""
    (folder / "folder").mkdir()
    rng = np.random.default_rng(0)
    np.savetxt(folder / "X.csv", rng.random((12, 5)), delimiter=",")
    (folder / "empty.csv").write_text("")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    (folder / "records.parquet").write_bytes(b"PAR1" + bytes(40))
    (folder / "broken.py").write_text("class Mine:\n    def fit(self, X:\n")
    (folder / "mine.py").write_text(
        "import numpy as np\n\n\nclass Mine:\n"
        "    def __init__(self, n_components=2):\n        self.n_components = n_components\n\n"
        "    def fit_transform(self, X):\n"
        "        self.components_ = np.asarray(X)[: self.n_components]\n"
        "        return np.ones((len(X), len(self.components_)))\n"
    )
    here = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
