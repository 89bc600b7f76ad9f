"""Check that this commit can be released; nothing is uploaded or changed.

``make release`` runs all steps, in the order of :data:`STEPS`, and goes on after one that fails, so
that one run names all that is missing. ``python -m tools.release version wheel`` runs some of them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import yaml

from tools.version import RELEASE, ROOT, codemeta, fragments, package_version, releases

BUILD = ROOT / ".venv" / "build" / "release"
_SPREAD = 1.5  # between a time of the README and one measured: another machine, another day
_ROUNDING = 1e-9  # relative: another processor sums in another order


class NotReady(Exception):
    """Reason why this commit cannot be released, and the remedy."""


def tree() -> str:
    """Nothing is edited, and nothing lies about that git does not know."""
    edited = _git("status", "--porcelain").splitlines()
    if edited:
        raise NotReady(f"{len(edited)} files are not committed, such as {edited[0][3:]}.")
    return f"clean at {_git('rev-parse', '--short', 'HEAD')}"


def version() -> str:
    """The package, its citation, codemeta and changelog have one version, that of a release."""
    found = package_version()
    if not RELEASE.fullmatch(found):
        raise NotReady(f"{found} is no release: python -m tools.version X.Y.Z")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    newest, day = releases()[0]
    others = {
        "CITATION.cff": (cited["version"], str(cited["date-released"])),
        "CITATION.cff, preferred-citation": (cited["preferred-citation"]["version"], day),
        "CHANGELOG.md": (newest, day),
    }
    for name, pair in others.items():
        if pair != (found, day):
            raise NotReady(f"{name} is of {' of '.join(pair)}, the package of {found} of {day}.")
    if (ROOT / "codemeta.json").read_text(encoding="utf-8") != codemeta():
        raise NotReady("codemeta.json is not what tools.version writes.")
    return f"{found} of {day}"


def changelog() -> str:
    """Every sentence of ``changes/`` is in the section of this release."""
    left = fragments()
    if left:
        raise NotReady(f"{len(left)} sentences are in no section, such as changes/{left[0].name}.")
    return f"{len(releases())} releases"


def verdicts() -> str:
    """``released.json`` has the verdicts of the release before, with which pages compare."""
    kept = json.loads((ROOT / "released.json").read_text(encoding="utf-8"))["version"]
    known = [number for number, _ in releases()]
    if package_version() in known:
        known.remove(package_version())
    if known and kept != known[0]:
        raise NotReady(f"released.json is of {kept}, the last release is {known[0]}.")
    return f"compared with {kept}"


def tag() -> str:
    """The commit has the tag of its version."""
    name = f"v{package_version()}"
    if name not in _git("tag", "--points-at", "HEAD").split():
        raise NotReady(f"no tag {name} at this commit: git tag -a {name} -m {name}")
    return name


def report() -> str:
    """The published pages come out of the record book, as they are."""
    published, folder, store = ROOT / "reports", BUILD / "report", BUILD / "store"
    for path in (folder, store):
        shutil.rmtree(path, ignore_errors=True)
    if f"nmfbench {package_version()}," not in _text(published / "codecheck.yml"):
        raise NotReady("reports/ is of another version: make publish")
    _run("nmfbench", "verify", published)
    _run("nmfbench", "import", published / "records", "--store", store)
    _run("nmfbench", "report", "all", "--stand-in", "--store", store, "--output", folder)
    data = ("claims.json", "sentences.json", "numbers.json")
    for name in data:
        other = first_difference(
            *(json.loads(_text(there / name)) for there in (published, folder))
        )
        if other:
            raise NotReady(f"{name}: {other}. make publish")
    return f"{', '.join(data)} as published"


def wheel() -> str:
    """Wheel and sdist are built, and the wheel is of use in an empty folder without a network."""
    dist, place = BUILD / "dist", BUILD / "place"
    for path in (dist, place, BUILD / "empty"):
        shutil.rmtree(path, ignore_errors=True)
    place.mkdir(parents=True)
    _run(sys.executable, "-m", "build", "--outdir", dist)  # the wheel is built from the sdist
    (built,) = dist.glob("*.whl")
    venv.create(BUILD / "empty", with_pip=True)
    _run(BUILD / "empty" / "bin" / "python", "-m", "pip", "install", "--quiet", built)
    _try(place, BUILD / "empty" / "bin")
    return f"{built.name} and its sdist"


def times() -> str:
    """The README's times of ``make`` hold, within a factor, in a fresh clone."""
    stated = stated_minutes(_text(ROOT / "README.md"))
    clone = BUILD / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    _run("git", "clone", "--quiet", ROOT, clone)
    found, wrong = {}, []
    for target, minutes in stated.items():
        begin = time.monotonic()
        _run("make", target, cwd=clone)
        found[target] = (time.monotonic() - begin) / 60
        if not minutes / _SPREAD <= found[target] <= minutes * _SPREAD:
            wrong.append(f"make {target} took {found[target]:.0f} minutes, not {minutes}")
    if wrong:
        raise NotReady(f"README.md: {'; '.join(wrong)}.")
    return ", ".join(f"make {target} {minutes:.0f} min" for target, minutes in found.items())


STEPS: dict[str, Callable[[], str]] = {
    step.__name__: step for step in (tree, version, changelog, verdicts, tag, report, wheel, times)
}
"""Checks of a release, the quickest first."""


def stated_minutes(text: str) -> dict[str, int]:
    """Minutes that the README states of each target of make.

    Examples
    --------
    >>> stated_minutes("make report    # draw everything (5 minutes)\\nmake clean")
    {'report': 5}
    """
    return {
        target: int(minutes)
        for target, minutes in re.findall(r"(?m)^make (\S+) .*\((\d+) minutes\)", text)
    }


def first_difference(published: list[dict], now: list[dict]) -> str:
    """Where two tables of rows with an ``id`` differ by more than rounding; empty if nowhere.

    Examples
    --------
    >>> first_difference([{"id": "a", "n": 0.1 + 0.2}], [{"id": "a", "n": 0.3}])
    ''
    >>> first_difference([{"id": "a", "n": [1, 2]}], [{"id": "a", "n": [1, 3]}])
    'a n 1: 3, published 2'
    """
    before, after = ({row["id"]: row for row in rows} for rows in (published, now))
    pairs = zip_longest(_leaves(before), _leaves(after), fillvalue=("", "nothing"))
    for (where, old), (place, new) in pairs:
        if where != place or not _same(old, new):
            return f"{place or where}: {new}, published {old}".strip()
    return ""


def _leaves(value, where=""):
    """Each value that is neither list nor object, with the words that lead to it."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(part, f"{where} {key}".lstrip())
    else:
        yield where, value


def _same(old, new):
    if isinstance(old, float) and isinstance(new, float):
        return math.isclose(old, new, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
    return old == new


_FACTORS = """
import numpy as np, nmfbench
X = nmfbench.load_dataset("digits").X
solver = nmfbench.make_solver("hals", n_components=10, random_state=0)
np.savez("factors.npz", W=solver.fit_transform(X), H=solver.components_)
"""


def _try(place, programs):
    """Use an installed package in an empty folder: no checkout, no data, no network, no home."""
    (place / "mine.py").write_text(_first_block(_text(ROOT / "README.md")), encoding="utf-8")
    home = BUILD / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    env = {"HOME": str(home), "PATH": f"{programs}{os.pathsep}{os.defpath}"}
    apart = _apart()
    printed = _run(*apart, "nmfbench", "--version", cwd=place, env=env)
    if printed != f"nmfbench {package_version()}\n":
        raise NotReady(f"the wheel is of {printed.strip()}")
    smoke = ("--profile", "smoke")
    for words in (
        ("nmfbench", "doctor"),
        ("nmfbench", "claims", "robust-xray", "--sentences", "--published"),
        ("nmfbench", "reproduce", "robust-xray/fig3", *smoke),
        ("nmfbench", "import"),
        ("nmfbench", "compare", "mine.py:MyNMF", "--task", "clustering", *smoke),
        ("python", "-c", _FACTORS),
        ("nmfbench", "score", "factors.npz", "--data", "digits"),
    ):
        _run(*apart, *words, cwd=place, env=env)


def _first_block(readme):
    return re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)[0]


def _apart():
    """Prefix of a command that cuts it off from the network; empty where that is not permitted."""
    words = ["unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up; exec "$@"', "-"]
    tried = subprocess.run([*words, "true"], capture_output=True) if shutil.which("ip") else None
    if tried is not None and tried.returncode == 0:
        return words
    print("  the network cannot be cut off here: tried with it", flush=True)
    return []


def _run(*words, cwd=None, env=None):
    """Standard output of a command, in the checkout and with the programs of this environment."""
    if env is None:
        env = os.environ | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        }
    words = [str(word) for word in words]
    done = subprocess.run(words, cwd=cwd or ROOT, env=env, capture_output=True, text=True)
    if done.returncode:
        tail = (done.stderr or done.stdout).strip().splitlines()[-15:]
        raise NotReady("\n    ".join([f"{shlex.join(words)} ended with {done.returncode}:", *tail]))
    return done.stdout


def _git(*words):
    return _run("git", *words).rstrip("\n")


def _text(path):
    return path.read_text(encoding="utf-8")


def main(words: list[str] | None = None) -> int:
    """Run steps, and say of each whether it passed; 1 if one did not."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(STEPS)}")
    chosen = parser.parse_args(words).steps or [*STEPS]
    unknown = [name for name in chosen if name not in STEPS]
    if unknown:
        parser.error(f"no step {unknown[0]}: choose of {', '.join(STEPS)}")
    failed = []
    for name in chosen:
        begin = time.monotonic()
        try:
            text, mark = STEPS[name](), "ok"
        except NotReady as error:
            text, mark = str(error), "FAILED"
            failed.append(name)
        print(f"{mark:7} {name:10} {text} ({time.monotonic() - begin:.0f} s)", flush=True)
    print(f"not ready: {', '.join(failed)}" if failed else "ready, nothing was uploaded")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
