"""Matrices from R and Octave, and factors back: the recipes in the docstring of nmfbench.own."""

import shutil
import subprocess
import textwrap

import numpy as np
import pytest

import nmfbench.own
from nmfbench.commands.recommend import _write_csv
from nmfbench.own import read

MAKE = {
    "R": "X <- matrix(rep(c(3, 0, 5, 2, 0, 7), 12), 24, 3)\n",
    "Octave": "X = reshape(repmat([3 0 5 2 0 7], 1, 12), 24, 3);\n",
}
BACK = {"R": '\nwrite.csv(W %*% H, "back.csv")\n', "Octave": '\ncsvwrite("back.csv", W * H);\n'}
RUN = {"R": ["Rscript", "recipe.R"], "Octave": ["octave-cli", "--no-gui", "recipe.R"]}
X = np.reshape(12 * [3.0, 0, 5, 2, 0, 7], (24, 3), order="F")


def recipes(language):
    """Code blocks of a language: how to write, and how to read."""
    text = nmfbench.own.__doc__.partition(f"From {language}")[2].partition("::\n")[2]
    lines = text.split("\nFrom ")[0]
    return [textwrap.dedent(block) for block in textwrap.dedent(lines).strip().split("\n\n")]


@pytest.mark.parametrize("language", RUN)
def test_recipes_of_other_programs(language, tmp_path):
    """Tables and sparse matrices arrive as they were, and factors go back."""
    program = RUN[language]
    if shutil.which(program[0]) is None:
        pytest.skip(
            f"the recipe of the documentation is run by {language} itself; the test runs where "
            f"{program[0]} is installed"
        )
    write, back = recipes(language)
    (tmp_path / "recommendation").mkdir()
    W, H = X[:, :2], np.array([[1.0, 2, 3], [4, 5, 6]])
    _write_csv(tmp_path / "recommendation", W, H, read(X))
    (tmp_path / "recipe.R").write_text(MAKE[language] + write + "\n" + back + BACK[language])
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for name in ("counts.csv", "counts.mtx"):
        found = read(tmp_path / name).X
        np.testing.assert_array_equal(found if name == "counts.csv" else found.toarray(), X)
    np.testing.assert_array_equal(read(tmp_path / "back.csv").X, W @ H)
