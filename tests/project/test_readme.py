"""Examples of the README and of the guides run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nmfbench
from nmfbench.cli import parse
from nmfbench.core import registry
from nmfbench.datasets import dataset_available
from nmfbench.problems.problem import problems_of
from nmfbench.reports.about import GUIDES as GUIDES_OF_THE_REPORT

README = Path(__file__).parents[2] / "README.md"
GUIDES = sorted((README.parent / "docs").glob("*.md"))


def blocks(language, path=README):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(), flags=re.DOTALL)


def guide(name):
    return README.parent / "docs" / f"{name}.md"


def test_the_class_of_the_readme_is_a_solver(tmp_path):
    """The file for authors fits, given its place, from a start of its own or a given one."""
    path = tmp_path / "mine.py"
    path.write_text(blocks("python")[0])
    X = np.random.default_rng(0).uniform(size=(20, 12))
    solver = nmfbench.make_solver(f"{path}:MyNMF", n_components=3, random_state=0)
    W = solver.fit_transform(X)
    plain = nmfbench.make_solver("mu", n_components=3, max_iter=200, tol=0, random_state=0)
    best = np.linalg.norm(X - plain.fit_transform(X) @ plain.components_)
    assert np.linalg.norm(X - W @ solver.components_) < 1.1 * best


def test_the_solver_of_the_guide_runs(tmp_path):
    """The two blocks for authors register a solver and compare it."""
    script = tmp_path / "farthest.py"
    solver, comparison = blocks("python", guide("authors"))
    script.write_text(solver)
    plugin = tmp_path / "farthest-0.1.dist-info"
    plugin.mkdir()
    (plugin / "METADATA").write_text("Metadata-Version: 2.1\nName: farthest\nVersion: 0.1\n")
    (plugin / "entry_points.txt").write_text("[nmfbench.solvers]\nfarthest = farthest\n")
    done = subprocess.run(
        [sys.executable, "-c", comparison],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{README.parent}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "farthest" in done.stdout
    assert (tmp_path / "recovery.png").exists()


@pytest.mark.skipif(
    not dataset_available("bbc"), reason="the BBC collection is not on this machine"
)
def test_the_practitioners_example_runs():
    """The block for practitioners fits and transforms real documents."""
    names = {}
    exec(blocks("python", guide("practitioners"))[0], names)
    assert len(names["solver"].anchor_indices_) == 10


@pytest.mark.skipif(not dataset_available("yaleb"), reason="the faces are not on this machine")
def test_the_certificate_of_the_example_is_tight():
    """The last block fits real faces, and its certificate leaves nothing open."""
    names = {}
    exec(blocks("python")[1], names)
    certificate = names["solver"].certificate(names["faces"])
    assert 0 <= certificate["gap"] < 1e-6
    assert certificate["dual_bound"] > 0


def test_the_published_records_have_the_baselines():
    """All rivals of a comparison have finished trials among the records of an installed wheel."""
    files = (README.parent / "reports" / "records" / "compare").rglob("*.parquet")
    records = pd.concat(pd.read_parquet(file, columns=["solver", "status"]) for file in files)
    done = set(records.loc[records["status"] == "done", "solver"])
    problems = [p for task in registry.problems for p in problems_of(task, "paper")]
    timed = {key for p in problems if p.loss is not None for key, _ in p.baselines}
    assert done >= {key for p in problems for key, _ in p.baselines} - timed


@pytest.mark.parametrize("path", [README, *GUIDES], ids=lambda path: path.stem)
def test_the_commands_exist(path):
    """Every nmfbench command line of the README and the guides parses."""
    lines = re.findall(r"^nmfbench ([^#\n]*)", "\n".join(blocks("sh", path)), flags=re.MULTILINE)
    assert lines or path.stem == "guarantees"
    for line in lines:
        parse(line.split())


def test_the_readme_is_short_and_leads_to_every_guide():
    """Some 1200 words with the table of findings, at most seven blocks of code."""
    text = README.read_text(encoding="utf-8")
    assert len(text.split()) < 1300
    assert text.count("```") <= 14
    assert {path.stem for path in GUIDES} == set(GUIDES_OF_THE_REPORT)
    for path in GUIDES:
        assert f"(docs/{path.name})" in text
