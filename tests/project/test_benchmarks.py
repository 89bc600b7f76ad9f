"""The asv suite and ``make bench``: everything in them runs, on tiny data."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nmfbench.core import registry

ROOT = Path(__file__).resolve().parents[2]
QUICK = {"NMFBENCH_BENCHMARKS": "quick"}


def bench(*args, folder=ROOT):
    """``python -m benchmarks`` in a process of its own, because it fixes the threads of BLAS."""
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *args], cwd=folder, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A quick run of all contests: what it printed, and its JSON."""
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    done = bench("--quick", "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    return done, json.loads(file.read_text())


def members(document, benchmark):
    """The sets of those measured and those left out, over all cases of a benchmark."""
    rows = [row for row in document["contests"] if row["benchmark"] == benchmark]
    assert rows, f"nothing was measured of {benchmark}"
    return (
        {member for row in rows for member in row["members"]},
        {member for row in rows for member in row["left_out"]},
    )


@pytest.mark.slow
def test_every_registered_solver_is_timed(quick):
    """A fit of each solver of the registry is measured, with no list to edit."""
    ours = {
        entry.key
        for entry in registry.solvers.entries()
        if entry.target.__module__.startswith("nmfbench.")
    }
    measured, _ = members(quick[1], "solvers.Fit.time_fit")
    assert measured == ours


@pytest.mark.slow
@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [
        ("graph.Sweep.time_ten_iterations", {"rnmfd", "products"}),
        ("graph.MultiplicativeUpdates.time_ten_iterations", {"mu", "gnmf", "scikit-learn"}),
        ("kernels.Projection.time_project", {"cold", "warm"}),
        ("kernels.FactorUpdate.time_update", {"float64", "float32"}),
        ("kernels.DiagonalDominance.time_project", {"float64", "float32"}),
        ("manhattan.Median.time_iteration", {"select", "sort"}),
        ("manhattan.SparseSweep.time_iteration", {"sparse", "dense"}),
        ("manhattan.Threads.time_iteration", {"1", "2"}),
        ("online.Samples.time_pass", {"omf, one sweep", "mor-nmf", "scikit-learn"}),
        ("online.EqualCost.time_to_cost", {"omf, one sweep", "scikit-learn"}),
        ("online.InnerStep.time_steps", {"steps", "passes"}),
        ("online.Tenths.time_tenth", set(map(str, range(1, 11)))),
        ("peers.ToObjective.time_to_objective", {"hals", "nenmf", "sklearn-cd"}),
        ("peers.KullbackLeibler.time_ten_iterations", {"kl-mu", "sklearn-mu"}),
        ("peers.KullbackLeiblerToObjective.time_to_objective", {"kl-mu", "kl-newton"}),
        ("peers.SuccessiveProjections.time_anchors", {"spa", "products"}),
        ("peers.LeastSquares.time_project", {"nmfbench", "scipy"}),
        ("peers.LeastDeviations.time_project", {"nmfbench", "highs"}),
        ("smoothing.Gradient.time_gradient", {"float64", "float32", "products, float64"}),
        ("smoothing.Crossover.time_to_objective", {"mahnmf-hybrid"}),
        ("codes.Codes.time_codes", {"manhattan", "frobenius", "kl"}),
        ("codes.LeastSquares.time_codes", {"nmfbench", "scipy"}),
        ("codes.LeastDeviations.time_codes", {"nmfbench", "highs"}),
        ("text.Exemplars.time_fit", {"spa", "xray-l2", "robust-xray"}),
        ("text.Exemplars.peakmem_fit", {"spa", "xray-l2", "robust-xray"}),
    ],
)
def test_each_contest_measures_its_members(quick, benchmark, expected):
    """No competitor is left out by mistake, and each has a positive time in every round."""
    measured, _ = members(quick[1], benchmark)
    assert expected <= measured
    for row in quick[1]["contests"]:
        assert not row["failed"]
        for member in row["members"].values():
            assert all(value >= 0 for sample in member["samples"] for value in sample)


@pytest.mark.slow
def test_the_table_has_medians_and_ratios(quick):
    """The reference of a group has the ratio 1, and progress does not mix with the table."""
    lines = quick[0].stdout.splitlines()
    start = lines.index("peers.LeastSquares.time_project")
    assert lines[start + 1].split() == ["CPU", "s", "wall", "s", "ratio", "quartiles", "rounds"]
    scipy = next(line for line in lines[start:] if line.split()[:1] == ["scipy"])
    assert scipy.split()[3] == "1.00"
    assert "[1/" in quick[0].stderr
    assert "[1/" not in quick[0].stdout


def test_json_alone_on_standard_output():
    """``--json -`` prints one JSON document and nothing else."""
    done = bench("--quick", "-k", "peers.LeastSquares", "--json", "-")
    document = json.loads(done.stdout)
    assert [row["benchmark"] for row in document["contests"]] == ["peers.LeastSquares.time_project"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-k", "no such thing"], "no benchmark matches"),
        (["-k", "("], "not a regular expression"),
        (["--json", "no/such/folder/file.json"], "No such file or directory"),
    ],
)
def test_wrong_usage_exits_with_2(args, message):
    """An impossible contest is refused in a sentence, before anything is measured."""
    done = bench(*args)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_ratio_is_taken_round_by_round():
    """A slow round slows both: the median of the paired ratios does not see it."""
    code = """
import numpy as np
from benchmarks.contest import Contest, Result
from benchmarks.peers import LeastSquares
result = Result(Contest(LeastSquares, "time_project", ()))
result.samples = {"scipy": np.array([[1.0, 1.0], [10.0, 10.0], [1.0, 1.0]]),
                  "nmfbench": np.array([[2.0, 2.0], [20.0, 20.0], [2.0, 2.0]])}
assert result.ratio("nmfbench") == (2.0, 2.0, 2.0), result.ratio("nmfbench")
assert result.median("nmfbench") == 2.0
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_targets_are_judged_by_what_was_measured():
    """The verdict turns with the measurement, and there is none without one."""
    code = """
import numpy as np
from benchmarks.contest import Contest, Result
from benchmarks.peers import SuccessiveProjections
from benchmarks.targets import judge
def verdict(**seconds):
    result = Result(Contest(SuccessiveProjections, "time_anchors", ("dense 2000x1000",)))
    result.samples = {key: np.full((3, 2), value) for key, value in seconds.items()}
    return [(v.met, v.measured) for v in judge([result])]
assert verdict(spa=1.5, products=1.0) == [(True, "1.50 x")]
assert verdict(spa=2.5, products=1.0) == [(False, "2.50 x")]
assert verdict(spa=1.5) == verdict(products=1.0) == []
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_a_mean_over_problems_is_geometric():
    """Problems count by their ratios, and problems that a solver does not finish are left out."""
    code = """
import numpy as np
from benchmarks.contest import Contest, Result
from benchmarks.peers import KullbackLeiblerToObjective
from benchmarks.targets import judge
def result(collection, **seconds):
    result = Result(
        Contest(KullbackLeiblerToObjective, "time_to_objective", (collection, 1.01))
    )
    result.samples = {key.replace("_", "-"): np.full((3, 2), value)
                      for key, value in seconds.items()}
    return result
results = [result("a", kl_mu=1.0, kl_newton=0.1), result("b", kl_mu=1.0, kl_newton=0.9)]
results.append(result("c", kl_newton=5.0))
mean = judge(results)[-1]
assert (mean.met, mean.measured) == (True, "0.30 x")
assert "2 of 3 problems" in mean.target
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_a_long_run_passes_through_the_factors_of_one_fit():
    """Iterations are counted on the objectives of one fit, of our solvers and scikit-learn's."""
    code = """
import numpy as np
from benchmarks import peers
for problem in peers.PROBLEMS:
    for key in peers.FROBENIUS:
        objectives = peers._long_run(key, problem)
        X, W, H = peers._start(problem)
        solver = peers._solver(key, W.shape[1], len(objectives)).fit(X, W=W, H=H)
        np.testing.assert_allclose(solver.objective_, objectives[-1], rtol=1e-6)
        assert solver.n_iter_ == len(objectives)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | QUICK,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


# -- under asv ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A copy of the benchmarks in a repository of its own, and a home folder for asv."""
    pytest.importorskip("asv")
    if shutil.which("git") is None:
        pytest.skip(
            "asv checks out commits of a git repository by git; the tests run where it is installed"
        )
    folder = tmp_path_factory.mktemp("asv") / "repository"
    folder.mkdir()
    shutil.copy(ROOT / "asv.conf.json", folder)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "benchmarks", folder / "benchmarks", ignore=ignore)
    shutil.copytree(ROOT / "nmfbench" / "solvers", folder / "nmfbench" / "solvers", ignore=ignore)
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@localhost"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*git, *command], cwd=folder, check=True, capture_output=True)
    home = folder.parent / "home"
    home.mkdir()
    environment = os.environ | QUICK | {"HOME": str(home), "USERPROFILE": str(home)}

    def asv(*args):
        return subprocess.run(
            [sys.executable, "-m", "asv", *args],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )

    assert asv("machine", "--yes").returncode == 0
    return folder, asv


@pytest.mark.slow
def test_asv_finds_no_problem(suite):
    """asv imports all benchmarks and finds their arguments right."""
    done = suite[1]("check", "--python=same")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No problems found" in done.stdout


@pytest.mark.slow
def test_asv_runs_a_benchmark_with_a_cache_and_keeps_its_results(suite):
    """asv hands the cache of the long runs over, and saves results under a given commit."""
    folder, asv = suite
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()
    done = asv(
        "run",
        "--python=same",
        "--quick",
        "--show-stderr",
        f"--set-commit-hash={head}",
        "-b",
        r"ToObjective.*\('hals', 'dense 500x300 r=20', 1.01\)",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    saved = list((folder / ".asv" / "results").glob(f"*/{head[:8]}*.json"))
    assert len(saved) == 1
    results = json.loads(saved[0].read_text())["results"]
    (row,) = results.values()
    assert sum(seconds is not None and seconds > 0 for seconds in row[0]) == 1


@pytest.mark.slow
def test_asv_measures_on_one_thread(suite):
    """asv has imported numpy before the benchmarks can set a variable; BLAS obeys nonetheless."""
    folder, asv = suite
    probe = folder / "benchmarks" / "probe.py"
    probe.write_text(
        "import numpy, scipy.linalg, threadpoolctl\n"
        "def track_threads():\n"
        "    return max(pool['num_threads'] for pool in threadpoolctl.threadpool_info())\n"
    )
    try:
        done = asv("run", "--python=same", "--quick", "--dry-run", "-b", "track_threads")
    finally:
        probe.unlink()
    assert done.returncode == 0, done.stdout + done.stderr
    line = next(line for line in done.stdout.splitlines() if "track_threads" in line)
    assert line.split()[-1] == "1"


@pytest.mark.slow
def test_a_benchmark_that_raises_makes_asv_exit_with_2(suite):
    """A failure does not pass for a result."""
    folder, asv = suite
    broken = folder / "benchmarks" / "broken.py"
    broken.write_text("def time_nothing():\n    raise RuntimeError('on purpose')\n")
    try:
        done = asv("run", "--python=same", "--quick", "--dry-run", "-b", "time_nothing")
    finally:
        broken.unlink()
    assert done.returncode == 2, done.stdout + done.stderr
    assert "failed" in done.stdout


@pytest.mark.slow
def test_a_solver_that_the_installed_package_lacks_is_skipped(suite):
    """Its cases do not apply, while the numbers of all the others stay what they were."""
    folder, asv = suite
    new = folder / "nmfbench" / "solvers" / "newcomer.py"
    new.write_text(
        '@register_solver("aaa-newcomer", name="New", family="separable")\nclass New: 0\n'
    )
    try:
        done = asv("run", "--python=same", "--quick", "--dry-run", "-b", "Fit.time_fit.*(aaa|spa,)")
    finally:
        new.unlink()
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if "newcomer" in line]
    assert rows
    assert all(row[-1] == "n/a" for row in rows)
