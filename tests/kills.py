"""Commands that are killed at a random moment: what they leave is whole, and again they end well.

Run as a script, it kills many:

    python tests/kills.py 1000
    python tests/kills.py 100 --commands publish report
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nmfbench.records.errors import NoStoreError
from nmfbench.records.exchange import read_exports
from nmfbench.records.repair import survey
from nmfbench.records.store import Store
from nmfbench.reports.sums import verify

ARTEFACT = ("robust-xray/fig3", "--profile", "smoke")
COMMANDS = {
    "run": ("run", *ARTEFACT, "--store", "new", "--jobs", "2"),
    "compare": (
        *("compare", "spa", "--task", "recovery", "--against", "xray-l2", "--profile", "smoke"),
        *("--store", "new", "--output", "page"),
    ),
    "import": ("import", "records.parquet", "--store", "new"),
    "publish": ("publish", "--store", "store", "--book", "book"),
    "report": ("report", *ARTEFACT, "--store", "store", "--output", "report"),
    "recommend": ("recommend", "data.csv", "--budget", "5s", "--output", "page"),
}
"""By name; ``new``, ``book``, ``report`` and ``page`` are what they write."""

_WRITTEN = ("new", "book", "report", "page")


def prepare(folder):
    """What the commands read: a store, its records in a file, and a matrix."""
    folder.mkdir(parents=True)
    call(folder, "run", *ARTEFACT, "--store", "store")
    call(folder, "export", *ARTEFACT, "--store", "store", "--output", "records.parquet")
    rows = [[(i * j) % 7 + i + j for j in range(12)] for i in range(30)]
    text = "\n".join(",".join(map(str, row)) for row in rows)
    (folder / "data.csv").write_text(text + "\n", encoding="utf-8")


def call(folder, *words):
    """A command, to its end; an error unless it ends well."""
    started = start(folder, words)
    output = started.communicate()[0]
    if started.returncode:
        raise RuntimeError(f"nmfbench {' '.join(words)} ended with {started.returncode}: {output}")


def start(folder, words):
    return subprocess.Popen(
        [sys.executable, "-m", "nmfbench", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def keys_of(store):
    """Of the records in a store, whole as it is; none where there is no store yet."""
    try:
        found = survey(store)
    except NoStoreError:  # also a file without tables
        return set()
    if not found.is_whole:
        raise AssertionError(f"{store} is damaged: {found}")
    with Store(store) as opened:
        return {record["key"] for record in opened.records()}


def keys_in(book):
    """Of the records in a book, all of whose files can be read."""
    files = sorted(book.rglob("*.parquet"))
    return {record["key"] for record, _ in read_exports(files)} if files else set()


def storm(folder, command, kills, seed=0):
    """Kill a command again and again in a prepared folder, and let it end; how many were killed.

    What it writes stays from one kill to the next, but for every fifth.

    Raises
    ------
    AssertionError
        If a kill lost or damaged a record, or the command did not end as it does undisturbed.
    """
    rng, words = random.Random(f"{command} {seed}"), COMMANDS[command]
    began = time.monotonic()
    call(folder, *words)
    seconds, expected, killed = time.monotonic() - began, _state(folder), 0
    kept = (set(), set())
    for number in range(kills):
        if number % 5 == 0:
            for name in _WRITTEN:
                shutil.rmtree(folder / name, ignore_errors=True)
            kept = (set(), set())
        running = start(folder, words)
        time.sleep(rng.uniform(0, 1.1 * seconds))
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        killed += running.returncode == -signal.SIGKILL
        found = keys_of(folder / "new"), keys_in(folder / "book")
        if any(before - now for before, now in zip(kept, found, strict=True)):
            raise AssertionError(f"{command}: records were lost by kill {number}")
        kept = found
        if number % 5 == 4 or number == kills - 1:
            call(folder, *words)
            if _state(folder) != expected:
                raise AssertionError(f"{command}: after kill {number} it ended in another state")
    return killed


def _state(folder):
    """Keys of what is written, names of the pages, and those that differ from their sums."""
    pages = {
        path.relative_to(folder).as_posix()
        for name in ("report", "page")
        for path in (folder / name).rglob("*")
        if path.is_file()
    }
    wrong = []
    if (folder / "report").exists():
        found = verify(folder / "report")
        wrong = [*found.missing, *found.changed, *found.unlisted]
    return keys_of(folder / "new"), keys_in(folder / "book"), pages, wrong


def main(argv=None) -> int:
    """Kill commands, print how many of each, and return 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("kills", type=int, help="of all commands together")
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        for command in args.commands:
            there = Path(folder) / command
            prepare(there)
            killed = storm(there, command, args.kills // len(args.commands), args.seed)
            print(f"{command}: {killed} killed, nothing lost or damaged", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
