"""Factors made elsewhere: their files, their stationarity, and the command that judges them."""

import json
import os
import struct
import zipfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.io import savemat
from scipy.optimize import linprog, nnls
from sklearn.decomposition import NMF
from sklearn.metrics import pairwise_distances

import nmfbench
from nmfbench.cli import main
from nmfbench.commands.values import LOSSES as _LOSSES
from nmfbench.comparison.score import defined_losses, fit_baseline, score_factors
from nmfbench.guests import GuestError, foreign, parse_solver
from nmfbench.guests.factors import read_factors
from nmfbench.optim.losses import LOSSES
from nmfbench.optim.projections import CERTIFICATES
from nmfbench.optim.stationarity import EXPONENTS, factor_gap, kkt_residual
from nmfbench.records.arrays import to_bytes

N, M, R = 14, 9, 3
OPTIMA = {
    "frobenius": "nenmf(max_iter=3000, tol=1e-9)",
    "kl": "kl-mu(max_iter=20000, tol=0)",
    "itakura-saito": "is-mu(max_iter=20000, tol=0)",
}


@pytest.fixture
def problem():
    """Positive data, and positive factors that do not fit them."""
    rng = np.random.default_rng(0)
    shapes = (N, M), (N, R), (R, M)
    return [rng.uniform(0.1, 1, shape) for shape in shapes]


def gap_of(X, W, Ht, loss):
    """The gap of W."""
    return factor_gap(X, Ht, loss, LOSSES[loss](X, W, Ht))


# -- stationarity -----------------------------------------------------------------------------


def test_objectives_and_relative_error_are_those_of_numpy(problem):
    """Each loss and the relative error equal their formulas, written out."""
    X, W, H = problem
    Y = W @ H
    formulas = {
        "frobenius": np.sum((X - Y) ** 2),
        "manhattan": np.sum(np.abs(X - Y)),
        "kl": np.sum(X * np.log(X / Y) - X + Y),
        "itakura-saito": np.sum(X / Y - np.log(X / Y) - 1),
    }
    found = score_factors(X, W, H, losses=defined_losses(X))
    assert {k: v["objective"] for k, v in found["losses"].items()} == pytest.approx(formulas)
    assert found["relative_error"] == pytest.approx(np.linalg.norm(X - Y) / np.linalg.norm(X))
    assert found["recognition"] is None


@pytest.mark.parametrize("loss", EXPONENTS)
def test_the_residual_vanishes_at_an_optimum_only(problem, loss):
    """A converged fit is stationary; after a nudge of one factor it is not."""
    X = problem[0]
    W, H = fit_baseline(parse_solver(OPTIMA[loss]), X, R, 0)
    assert kkt_residual(X, W, H.T, loss) < 1e-4
    assert kkt_residual(X, W * np.linspace(0.8, 1.2, N)[:, None], H.T, loss) > 1e-2
    assert kkt_residual(X, W, H.T * np.linspace(0.8, 1.2, M)[:, None], loss) > 1e-2


@pytest.mark.parametrize("loss", EXPONENTS)
def test_an_entry_of_zero_counts_if_the_loss_falls_as_it_grows(loss):
    """Of two components that are alike, one not in use is in order once the other is right."""
    X, Ht = np.array([[2.0]]), np.array([[1.0, 1.0]])
    short, right = np.array([[0.0, 1.0]]), np.array([[0.0, 2.0]])
    assert LOSSES[loss](X, short + [0.1, 0], Ht) < LOSSES[loss](X, short, Ht)
    assert kkt_residual(X, short, Ht, loss) > 0.1
    assert kkt_residual(X, right, Ht, loss) == 0


@pytest.mark.parametrize("loss", EXPONENTS)
def test_measures_have_no_units(problem, loss):
    """Neither the scale of the data nor that of components matters."""
    X, W, H = problem
    D = np.array([0.1, 1.0, 30.0])
    scaled = 7 * X, W * D, 7 * H.T / D
    assert kkt_residual(*scaled, loss) == pytest.approx(kkt_residual(X, W, H.T, loss))
    if loss in CERTIFICATES:
        gaps = gap_of(*scaled, loss), gap_of(X, W, H.T, loss)
        assert gaps[0] == pytest.approx(gaps[1], rel=1e-4)


def test_gaps_are_those_of_other_programs(problem):
    """The best W for given H is that of nnls for the squared error, of linprog for the l1 norm."""
    X, W, H = problem
    squared = sum(nnls(H.T, x)[1] ** 2 for x in X)
    absolute = 0.0
    for x in X:
        identity = np.eye(M)
        equal = np.hstack([H.T, identity, -identity])
        absolute += linprog(np.r_[np.zeros(R), np.ones(2 * M)], A_eq=equal, b_eq=x).fun
    for loss, lowest in (("frobenius", squared), ("manhattan", absolute)):
        expected = 1 - lowest / LOSSES[loss](X, W, H.T)
        assert gap_of(X, W, H.T, loss) == pytest.approx(expected, rel=1e-6)


def test_the_gap_of_kl_is_none_where_the_residual_is(problem):
    """With W at its best for H, both gap and the residual of W are near zero."""
    X, W, H = problem
    for _ in range(5000):
        W = W * ((X / (W @ H)) @ H.T) / H.sum(axis=1)
    assert gap_of(X, W, H.T, "kl") < 1e-5
    assert gap_of(X, problem[1], H.T, "kl") > 1e-2


def test_an_exact_factorization_is_optimal(problem):
    """Where W H is X all measures are zero."""
    _, W, H = problem
    found = score_factors(W @ H, W, H, losses=list(LOSSES))
    numbers = [v for loss in found["losses"].values() for v in loss.values() if v is not None]
    np.testing.assert_allclose(numbers, 0, atol=1e-9)


@pytest.mark.parametrize("loss", ["frobenius", "manhattan", "kl"])
def test_sparse_data_score_as_dense(problem, loss):
    """The form of X changes no number."""
    X, W, H = problem
    X = np.where(X > 0.5, X, 0)
    one, other = (score_factors(x, W, H, losses=[loss]) for x in (X, sp.csr_matrix(X)))
    assert one["losses"][loss] == pytest.approx(other["losses"][loss], abs=1e-6)
    assert one["relative_error"] == pytest.approx(other["relative_error"])


def test_an_infinite_loss_has_no_measures(problem):
    """Of a reconstruction that is zero where X is not, the divergence is infinite."""
    X, W, H = problem
    W[0] = 0
    found = score_factors(X, W, H, losses=["kl"])["losses"]["kl"]
    assert set(found.values()) == {None}


def test_labels_are_scored_by_nearest_neighbours_and_components():
    """Recognition is by the nearest other sample; a code of zero is an error."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 10)
    W = np.eye(3)[y] + rng.uniform(0, 0.8, (30, 3))
    W[0] = 0
    H = rng.uniform(0.1, 1, (3, 8))
    found = score_factors(W @ H, W, H, y, losses=["frobenius"])
    codes = W * np.linalg.norm(H, axis=1)
    distances = pairwise_distances(codes, metric="cosine")
    np.fill_diagonal(distances, np.inf)
    right = (y[distances.argmin(axis=1)] == y)[1:].sum()
    assert found["recognition"] == right / 30
    found = score_factors(W @ H, np.eye(3)[y], H, y, losses=["frobenius"])
    assert found["clustering_accuracy"] == found["nmi_max"] == 1


# -- files ------------------------------------------------------------------------------------


def _npz(folder, W, H):
    np.savez(folder / "f.npz", W=W, H=H)
    return [folder / "f.npz"]


def _mat(folder, W, H):
    savemat(folder / "f.mat", {"W": W, "H": sp.csc_matrix(H)})
    return [folder / "f.mat"]


def _csv(folder, W, H):
    for name, factor in (("W", W), ("H", H)):
        np.savetxt(folder / f"{name}.csv", factor, delimiter=",", fmt="%.17g")
    return [folder / "W.csv", folder / "H.csv"]


def _csv_of_r(folder, W, H):
    for name, factor in (("W", W), ("H", H)):
        lines = [",".join(['""', *(f'"V{j + 1}"' for j in range(factor.shape[1]))])]
        lines += [
            ",".join([f'"{i + 1}"', *map(repr, row)]) for i, row in enumerate(factor.tolist())
        ]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return [folder / "W.csv", folder / "H.csv"]


def _csv_of_pandas(folder, W, H):
    """With a name for the index, too."""
    for name, factor in (("W", W), ("H", H)):
        table = pd.DataFrame(factor, index=[f"s{i}" for i in range(len(factor))])
        table.to_csv(folder / f"{name}.csv", index_label="station")
    return [folder / "W.csv", folder / "H.csv"]


def _csv_with_header(folder, W, H):
    paths = _csv(folder, W, H)
    for path, factor in zip(paths, (W, H), strict=True):
        names = ",".join(f"x{j + 1}" for j in range(factor.shape[1]))
        path.write_text(f"{names}\n{path.read_text()}")
    return paths


@pytest.mark.parametrize("write", [_npz, _mat, _csv, _csv_of_r, _csv_of_pandas, _csv_with_header])
def test_all_formats_give_back_the_factors(problem, tmp_path, write):
    """To the last bit, whichever program's habit the file follows."""
    _, W, H = problem
    found = read_factors(write(tmp_path, W, H), (N, M))
    np.testing.assert_array_equal(found.W, W)
    np.testing.assert_array_equal(found.H, H)
    assert found.layout == "X = W H, samples in rows"


@pytest.mark.parametrize(
    ("turn", "layout"),
    [
        (lambda W, H: (W, H.T), "X = W H, samples in rows, H transposed"),
        (lambda W, H: (W.T, H), "X = W H, samples in rows, W transposed"),
        (lambda W, H: (H.T, W.T), "X' = W H, samples in columns"),
        (lambda W, H: (H.T, W), "X' = W H, samples in columns, H transposed"),
        (lambda W, H: (H, W), "X' = W H, samples in columns, W transposed, H transposed"),
    ],
)
def test_shapes_tell_the_orientation(problem, tmp_path, turn, layout):
    """Samples in columns and transposed factors are recognised, and a note names them."""
    _, W, H = problem
    found = read_factors(_npz(tmp_path, *turn(W, H)), (N, M))
    np.testing.assert_array_equal(found.W, W)
    np.testing.assert_array_equal(found.H, H)
    assert sorted(found.layout.split(", ")) == sorted(layout.split(", "))


def test_square_data_need_a_word(problem, tmp_path):
    """With as many samples as features the shapes do not tell, and the user does."""
    A, B = problem[1], np.random.default_rng(2).uniform(size=(R, N))
    paths = _npz(tmp_path, A, B)
    with pytest.raises(GuestError, match=r"--transposed no where .* --transposed yes"):
        read_factors(paths, (N, N))
    straight, turned = (read_factors(paths, (N, N), transposed=t) for t in (False, True))
    np.testing.assert_array_equal(straight.W, A)
    np.testing.assert_array_equal(turned.W, B.T)
    np.testing.assert_array_equal(turned.H, A.T)


def test_other_names_can_be_given(problem, tmp_path):
    """Factors of another name are listed in the error, and read once named."""
    _, W, H = problem
    path = tmp_path / "f.npz"
    np.savez(path, basis=W, coef=H)
    with pytest.raises(GuestError, match=r"no W and no H; it holds basis, coef\. .*--names"):
        read_factors([path], (N, M))
    np.testing.assert_array_equal(read_factors([path], (N, M), names=("basis", "coef")).W, W)


class _Trap:
    """An object whose unpickling leaves a file behind."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_a_pickle_is_never_loaded(problem, tmp_path):
    """Neither as an array of objects, nor as a file of another name."""
    W, trap = problem[1], np.array([[_Trap(tmp_path / "sprung")]], dtype=object)
    np.savez(tmp_path / "f.npz", W=W, H=trap)
    (tmp_path / "g.npz").write_bytes(trap.dumps())
    for name in ("f.npz", "g.npz"):
        with pytest.raises(GuestError, match="pickled objects are never loaded"):
            read_factors([tmp_path / name], (N, M))
    with pytest.raises(GuestError, match=r"one \.npz or \.mat file"):
        read_factors([tmp_path / "f.pkl"], (N, M))
    assert not (tmp_path / "sprung").exists()


def test_a_matlab_file_of_version_7_3_is_told_how_to_be_saved(tmp_path):
    """It is HDF5; MATLAB writes the older version on request."""
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    (tmp_path / "f.mat").write_bytes(header + bytes(512))
    with pytest.raises(GuestError, match=r"save\('f.mat', 'W', 'H', '-v7'\)"):
        read_factors([tmp_path / "f.mat"], (N, M))


@pytest.mark.parametrize("name", ["f.npz", "f.mat"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut short", b"not a file of arrays" * 20])
def test_damaged_files_are_errors(tmp_path, name, content):
    """A file that is not what its name says is named in a line."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(GuestError, match="cannot be read"):
        read_factors([tmp_path / name], (N, M))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda W, H: (W - 0.2, H), r"W of .* must have finite numbers >= 0"),
        (
            lambda W, H: (W, H + np.where(np.arange(27).reshape(3, 9) == 11, np.nan, 0)),
            "1 of 27 .* row 2, column 3: nan",
        ),
        (lambda W, H: (W + 0j, H), "real numbers, but has shape .* complex128"),
        (lambda W, H: (W[:, 0], H), r"matrix of real numbers, but has shape \(14,\)"),
        (lambda W, H: (W[:-1], H), r"13 x 3 and 3 x 9, but X is 14 x 9"),
        (lambda W, H: (W[:, :2], H), r"14 x 2 and 3 x 9, but X is 14 x 9"),
    ],
)
def test_what_is_no_factorization_is_an_error(problem, tmp_path, change, message):
    """Signs, missing values, other types and shapes are named."""
    with pytest.raises(GuestError, match=message):
        read_factors(_npz(tmp_path, *change(*problem[1:])), (N, M))


def test_bad_tables_are_errors(problem, tmp_path):
    """Rows of unequal length, and words among the numbers."""
    W, H = _csv(tmp_path, *problem[1:])
    text = H.read_text()
    H.write_text(text + "1,2,3,4,5,6,7,8,9,10,11\n")
    with pytest.raises(GuestError, match=r"H\.csv has rows of unequal length: line 3 has 9 cells"):
        read_factors([W, H], (N, M))
    H.write_text(text.replace(text.split(",")[1], "NA", 1))
    with pytest.raises(GuestError, match="row 1, column 2: nan"):
        read_factors([W, H], (N, M))
    H.write_text("")
    with pytest.raises(GuestError, match=r"H\.csv is empty"):
        read_factors([W, H], (N, M))


# -- the command ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_scikit_learn(tmp_path_factory):
    """A file of factors of the digits, samples in columns, that scikit-learn computed."""
    path = tmp_path_factory.mktemp("factors") / "sklearn.mat"
    solver = NMF(5, init="nndsvda", max_iter=2000, tol=1e-5)
    W = solver.fit_transform(nmfbench.load_dataset("digits").X)
    savemat(path, {"w": solver.components_.T, "h": W.T})
    return path, solver


def _score(capsys, *words):
    code = main(["score", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


def test_factors_of_another_program_stand_beside_the_baselines(of_scikit_learn, capsys):
    """Their objective is what that program says, and near that of our solver of the same loss."""
    path, solver = of_scikit_learn
    words = (path, "--names", "w", "h", "--data", "digits", "--loss", "frobenius", "--json")
    code, out, _ = _score(capsys, *words)
    found = json.loads(out)
    assert code == 0
    assert (found["n_samples"], found["n_features"], found["n_components"]) == (1797, 64, 5)
    assert found["layout"] == "X' = W H, samples in columns"
    rows = {row["factors"].partition("(")[0]: row for row in found["rows"]}
    assert list(rows) == [str(path), "nenmf", "kl-mu", "mahnmf-hybrid"]
    mine = rows[str(path)]
    assert mine["losses"]["frobenius"]["objective"] == pytest.approx(
        solver.reconstruction_err_**2, rel=1e-9
    )
    error = solver.reconstruction_err_ / np.linalg.norm(nmfbench.load_dataset("digits").X)
    assert mine["relative_error"] == pytest.approx(error)
    assert mine["losses"]["frobenius"]["kkt_residual"] < 1e-3
    assert rows["kl-mu"]["losses"]["frobenius"]["kkt_residual"] > 1e-2
    assert mine["relative_error"] == pytest.approx(rows["nenmf"]["relative_error"], rel=0.02)
    assert mine["recognition"] > 0.5 > mine["losses"]["frobenius"]["gap_w"]


def test_the_tables_are_for_people(of_scikit_learn, capsys):
    """A row for each factorization, what is infinite, what was left out, and what numbers mean."""
    words = ("--names", "w", "h", "--data", "digits", "--against", "mu(max_iter=30)")
    code, out, _ = _score(capsys, of_scikit_learn[0], *words, "--against", "pca", "--loss", "kl")
    assert code == 0
    assert "digits, 1797 x 64, rank 5; X' = W H, samples in columns" in out
    heads = [line.split()[0] for line in out.splitlines() if line]
    assert {"kl", "use", str(of_scikit_learn[0]), "mu(max_iter=30)"} <= set(heads)
    assert "pca is left out: Negative values" in out
    assert "KKT residual: 0 at a stationary point" in out
    assert "infinite\n" in out
    assert "An objective is infinite where W H is zero" in out


def test_factors_of_data_in_other_units_are_suspected(of_scikit_learn, capsys, tmp_path):
    """A product sixteen times too large gives a notice, not an error."""
    solver = of_scikit_learn[1]
    X = nmfbench.load_dataset("digits").X
    np.savez(tmp_path / "f.npz", W=16 * solver.transform(X), H=solver.components_)
    words = ("--data", "digits", "--against", "mu(max_iter=5)", "--loss", "frobenius")
    code, _, err = _score(capsys, tmp_path / "f.npz", *words)
    assert code == 0
    assert "other units" in err
    assert "RcppML" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["absent.npz", "--data", "digits"], "No such file"),
        (["absent.npz", "--data", "digit"], "digits"),
        (["absent.npz", "--data", "digits", "--loss", "euclid"], "is not one of"),
        (["absent.npz", "--data", "digits", "--against", "nenmff"], "nenmf"),
        (["absent.npz"], "--data"),
    ],
)
def test_wrong_usage_ends_with_a_hint(capsys, words, message):
    """Exit code 2 and a line that helps."""
    code, out, err = _score(capsys, *words)
    assert (code, out) == (2, "")
    assert message in err


def test_a_loss_that_the_data_lack_is_an_error(of_scikit_learn, capsys):
    """The Itakura-Saito divergence is undefined at zero, and digits have zeros."""
    words = ("--names", "w", "h", "--data", "digits", "--loss", "itakura-saito")
    code, _, err = _score(capsys, of_scikit_learn[0], *words)
    assert code == 2
    assert "undefined at zero" in err


def test_the_command_names_all_losses():
    """The help, which imports nothing heavy, has the names of the losses that there are."""
    assert set(_LOSSES) == set(LOSSES)


# -- files that are not in order --------------------------------------------------------------


def test_a_parser_that_dies_ends_in_an_error(problem, tmp_path, monkeypatch):
    """Whatever ends the process that parses is an error that names the file and a remedy."""
    paths = _mat(tmp_path, *problem[1:])
    monkeypatch.setattr(foreign, "_CODE", "import os; os.kill(os.getpid(), 11)")
    with pytest.raises(GuestError, match=r"f\.mat is damaged, .*: write it again"):
        read_factors(paths, (N, M))


@pytest.mark.parametrize(
    ("code", "limits", "message"),
    [
        ("import time; time.sleep(60)", {"time_limit": 0.5}, "not read within 0.5 seconds: write"),
        (
            "x = bytearray(300 << 20); import time; time.sleep(60)",
            {"memory_limit": 200 << 20},
            "more than 210 MB of memory to read: write",
        ),
    ],
)
def test_reading_a_file_has_limits(tmp_path, monkeypatch, code, limits, message):
    """Of time and memory; the program that reads does not wait or grow."""
    (tmp_path / "f.npz").write_bytes(b"")
    monkeypatch.setattr(foreign, "_CODE", code)
    with pytest.raises(GuestError, match=message):
        foreign.read_matrices(tmp_path / "f.npz", ["W"], **limits)


def test_other_programs_formats_are_named_with_what_to_do(tmp_path):
    """Octave's text format, and what is not a file."""
    text = "# Created by Octave 8.4.0\n# name: W\n# type: matrix\n# rows: 1\n# columns: 1\n 1\n"
    (tmp_path / "f.mat").write_text(text)
    with pytest.raises(GuestError, match=r"Octave's text format; .*save\('-v7', 'f\.mat', 'W'"):
        read_factors([tmp_path / "f.mat"], (1, 1))
    os.mkfifo(tmp_path / "g.mat")
    for name in ("g.mat", "."):
        with pytest.raises(GuestError, match="not a regular file"):
            foreign.read_matrices(tmp_path / name, ["W"])


def _mat_73(folder, W, H):
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "f.mat", "w", userblock_size=512) as file:
        file.update({"W": W.T, "H": H.T})
    with (folder / "f.mat").open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    return [folder / "f.mat"]


def _csv2_of_r(folder, W, H):
    for path in _csv_of_r(folder, W, H):
        path.write_text(path.read_text().replace(",", ";").replace(".", ","))
    return [folder / "W.csv", folder / "H.csv"]


@pytest.mark.parametrize("write", [_mat_73, _csv2_of_r])
def test_newer_matlab_files_and_decimal_commas_are_read(problem, tmp_path, write):
    """MATLAB 7.3 has axes in reverse; R's ``write.csv2`` has semicolons and decimal commas."""
    _, W, H = problem
    found = read_factors(write(tmp_path, W, H), (N, M))
    np.testing.assert_array_equal(found.W, W)
    np.testing.assert_array_equal(found.H, H)


def test_a_table_of_very_many_columns_is_read(tmp_path):
    """In seconds on an idle machine, where a column at a time took most of a minute."""
    row = ",".join(["1.5"] * 200_000)
    (tmp_path / "H.csv").write_text(f"{row}\n{row}\n")
    (found,) = foreign.read_matrices(tmp_path / "H.csv", ["H"], time_limit=300)
    assert found.shape == (2, 200_000)
    assert (found == 1.5).all()


def _damaged(rng, content):
    """A copy with bytes changed, a part cut out or doubled, or its end cut off."""
    content = bytearray(content)
    kind = rng.integers(4)
    if kind == 0:
        for at in rng.integers(0, len(content), rng.integers(1, 30)):
            content[at] = rng.integers(256)
    elif kind == 1:
        at = int(rng.integers(0, len(content) - 4))
        content[at : at + 4] = int(rng.choice([0, 2**31 - 1, 2**32 - 1, 2**24])).to_bytes(
            4, "little"
        )
    else:
        low, high = sorted(rng.integers(0, len(content), 2).tolist())
        content = content[:low] + content[high:] if kind == 2 else content[:high] + content[low:]
    return bytes(content)


def _kinds_of_files(folder, W, H):
    """Whole files of all programs; of a pair the one that will be damaged is first."""
    savemat(folder / "plain.mat", {"W": W, "H": sp.csc_matrix(H)})
    savemat(folder / "packed.mat", {"W": W, "H": H, "note": "text"}, do_compression=True)
    savemat(folder / "old.mat", {"W": W, "H": H}, format="4")
    savemat(folder / "nested.mat", {"W": W, "H": H, "s": {"a": np.array([[1, "b"]], object)}})
    np.savez(folder / "plain.npz", W=W, H=H)
    np.savez_compressed(folder / "packed.npz", W=W, H=H)
    found = [[path] for path in sorted(folder.iterdir())]
    found += [_mat_73(folder, W, H)] * bool(find_spec("h5py"))
    for name, write in (("plain", _csv), ("of-r", _csv_of_r), ("of-r-2", _csv2_of_r)):
        (folder / name).mkdir()
        found.append(write(folder / name, W, H))
    return found


@pytest.mark.parametrize("files", [22, pytest.param(1000, marks=pytest.mark.slow)])
def test_damaged_files_are_read_or_end_in_a_line(tmp_path, files):
    """None ends the program, takes a minute, or gives more than one line."""
    rng = np.random.default_rng(12)
    W, H = rng.random((N, R)), rng.random((R, M))
    sources = _kinds_of_files(tmp_path, W, H)
    groups = []
    for i in range(files):
        source, *rest = sources[i % len(sources)]
        damaged = tmp_path / f"x{i}{source.suffix}"
        damaged.write_bytes(_damaged(rng, source.read_bytes()))
        groups.append([damaged, *rest])
    with ThreadPoolExecutor(4) as pool:
        errors = [error for error in pool.map(_error_of, groups) if error is not None]
    assert files // 4 < len(errors) < files
    assert [e for e in errors if not e.isprintable() or str(tmp_path) not in e] == []
    assert [e for e in errors if "is not read within" in e] == []


def _error_of(paths):
    """The message of the error of files; None if they are read."""
    try:
        read_factors(paths, (N, M))
    except GuestError as error:
        return str(error)
    return None


def _npz_of(path, header, data=b"", *, name="W", patch=lambda raw: raw):
    """An archive with one array whose header and bytes are given; ``patch`` edits the archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        head = header.encode()
        archive.writestr(f"{name}.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", len(head)) + head)
        if data:
            with archive.open("H.npy", "w") as stream:
                stream.write(data)
    path.write_bytes(patch(path.read_bytes()))


def _described(shape, dtype="<f8"):
    return f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n"


def _zeros(path):
    """Four gigabytes of zeros, packed to four megabytes."""
    head = _described((2**16, 2**16), "|u1").encode()
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("W.npy", "w", force_zip64=True) as stream,
    ):
        stream.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", len(head)) + head)
        for _ in range(2**8):
            stream.write(bytes(2**24))


def _with_bytes(at, new):
    """Write bytes at places of the local header and of the directory of an archive."""

    def patch(raw):
        raw = bytearray(raw)
        for mark, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
            start = raw.index(mark) + at + shift
            raw[start : start + len(new)] = new
        return bytes(raw)

    return patch


HOSTILE = {
    "a header of 4 GB.npz": lambda p: _npz_of(p, "{" * 10**6),
    "brackets.npz": lambda p: _npz_of(p, "(" * 9000),
    "huge.npz": lambda p: _npz_of(p, _described((2**40, 2**20))),
    "overflow.npz": lambda p: _npz_of(p, _described((2**63, 2**63))),
    "negative.npz": lambda p: _npz_of(p, _described((-1, 3))),
    "no shape.npz": lambda p: _npz_of(p, _described("'x'")),
    "objects.npz": lambda p: _npz_of(p, _described((1, 1), "|O")),
    "wide.npz": lambda p: _npz_of(p, _described((2, 2), "|S999999999")),
    "encrypted.npz": lambda p: _npz_of(p, _described((1, 1)), patch=_with_bytes(6, b"\x01\x00")),
    "method 99.npz": lambda p: _npz_of(p, _described((1, 1)), patch=_with_bytes(8, b"c\x00")),
    "names.npz": lambda p: _npz_of(p, _described((1, 1)), name="\x1b]0;title\x07\nW" + "V" * 9999),
    "zeros.npz": _zeros,
    "one array.npz": lambda p: p.write_bytes(to_bytes(np.ones(3))),
    "sparse zeros.mat": lambda p: savemat(
        p, {"W": sp.csc_matrix((2**20, 2**18)), "H": sp.csc_matrix((2**18, 9))}
    ),
    "objects.mat": lambda p: savemat(p, {"W": {"a": 1}, "H": np.array([[1, "b"]], object)}),
    "names.mat": lambda p: savemat(p, {f"x{i}": 1 for i in range(5000)}),
    "binary.csv": lambda p: p.write_bytes(bytes(range(256)) * 100),
    "utf-16.csv": lambda p: p.write_text("1,2\n3,4\n", encoding="utf-16"),
    "quotes.csv": lambda p: p.write_text('"' * 10**6),
    "no end.csv": lambda p: p.write_text('"1,2\n' * 10**5),
    "one cell.csv": lambda p: p.write_text("9" * 10**7),
    "ragged.csv": lambda p: p.write_text("".join("1," * i + "1\n" for i in range(1500))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_in_a_line(tmp_path, name):
    """Whatever they ask a parser for; the line has nothing that a terminal obeys."""
    path = tmp_path / name
    HOSTILE[name](path)
    rest = [tmp_path / "H.csv"] if path.suffix == ".csv" else []
    for other in rest:
        other.write_text("1,2,3\n")
    with pytest.raises(GuestError) as caught:
        _read_with_little(path, rest)
    message = str(caught.value)
    assert message.isprintable()
    assert str(path) in message
    assert len(message) < 8000


def _read_with_little(path, rest):
    limits = {"memory_limit": 2**30, "time_limit": 300}
    found = [foreign.read_matrices(p, ["W", "H"][: 2 - len(rest)], **limits) for p in [path, *rest]]
    raise GuestError(f"{path} was read: {[[a.shape for a in arrays] for arrays in found]}")


# -- a matrix of one's own ----------------------------------------------------------------------


def test_factors_of_a_file_are_judged_as_those_of_a_named_set(of_scikit_learn, tmp_path, capsys):
    """The same numbers, whether the data are named, in a file with labels, or in memory."""
    digits = nmfbench.load_dataset("digits")
    np.save(tmp_path / "X.npy", digits.X.T)
    (tmp_path / "y.txt").write_text("\n".join(map(str, digits.y)))
    words = (of_scikit_learn[0], "--names", "w", "h", "--loss", "kl", "--against", "spa", "--json")
    own = ("--data", tmp_path / "X.npy", "--transpose", "--labels", tmp_path / "y.txt")
    answers = [_score(capsys, *words, *data) for data in (("--data", "digits"), own)]
    assert [code for code, _, _ in answers] == [0, 0]
    named, found = (json.loads(out) for _, out, _ in answers)
    assert found["rows"] == named["rows"]
    assert (found["data"], named["key"]) == ("X.npy", None)
    assert found["key"].startswith("own:")
    assert "labels of 10 classes" in answers[1][2]
    held = nmfbench.score(
        of_scikit_learn[0], data=digits.X, labels=digits.y, called=("w", "h"), loss="kl",
        against="spa",
    )  # fmt: skip
    assert held.data["rows"] == named["rows"]
    assert held.data["key"] == found["key"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--data", "none.csv"], "data=none.csv is not there"),
        (["--data", "digits", "--labels", "y.csv"], "labels is for a matrix of your own"),
        (
            ["--data", "negative.csv"],
            "1 negative entry (smallest -2; the first in row 1, column 0)",
        ),
    ],
)
def test_data_that_cannot_be_used_end_in_a_line(words, message, tmp_path, monkeypatch, capsys):
    """With exit code 2, before anything is fitted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "negative.csv").write_text("1,2\n-2,3\n")
    code, out, err = _score(capsys, "factors.npz", *words)
    assert (code, out) == (2, "")
    assert message in err
