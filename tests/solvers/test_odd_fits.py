"""Tiny odd fits end in a fit that keeps its promises, or in an error of ours."""

import numpy as np
import odd_fits
import pytest

from nmfbench.core.registry import solvers
from nmfbench.solvers.frobenius.mu import MU

AT_ONCE = 50


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 500, AT_ONCE))
def test_odd_fits_keep_their_promises(first):
    """Whatever the shape, rank, type, layout, magnitude, density and kind of the data."""
    found = {number: odd_fits.fit(number) for number in range(first, first + AT_ONCE)}
    assert not [(odd_fits.case(n), each) for n, each in found.items() if each["wrong"]]


def test_a_case_is_drawn_from_its_number():
    """The same number draws the same data; a few thousand draw every choice."""
    assert odd_fits.case(7) == odd_fits.case(7)
    drawn = [odd_fits.case(number) for number in range(3000)]
    for name, choices in (
        ("solver", solvers),
        ("shape", [list(shape) for shape in odd_fits.SHAPES]),
        ("layout", [*odd_fits.DENSE, *odd_fits.SPARSE]),
        ("dtype", odd_fits.DTYPES),
        ("kind", odd_fits.KINDS),
    ):
        assert all(choice in [each[name] for each in drawn] for choice in choices), name
    chosen = next(each for each in drawn if each["layout"] in odd_fits.DENSE)
    np.testing.assert_array_equal(odd_fits.data(chosen), odd_fits.data(chosen))


@pytest.mark.parametrize("layout", [*odd_fits.DENSE, *odd_fits.SPARSE])
def test_a_layout_changes_no_entry(layout):
    """It says how numbers lie in memory, not what they are."""
    X = np.random.default_rng(0).random((6, 4)) * (np.arange(4) > 0)
    laid = odd_fits._laid(X.copy(), layout)
    np.testing.assert_allclose(laid.toarray() if layout in odd_fits.SPARSE else laid, X)


def with_fault(fault):
    """A multiplicative update of a factor with a fault."""
    update = MU._update

    def faulty(self, factor, cross, gram):
        update(self, factor, cross, gram)
        if fault == "raises":
            raise ZeroDivisionError("on purpose")
        if fault == "singular":
            np.linalg.inv(np.zeros((2, 2)))
        if fault == "negative":
            factor[0, 0] = -1
        if fault == "NaN":
            factor[0, 0] = np.nan
        if fault == "rises":
            factor *= 2
        if fault == "warns":
            np.log(np.zeros(1))

    return faulty


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("", ""),
        ("raises", "ZeroDivisionError: on purpose"),
        ("singular", "LinAlgError"),
        ("negative", "components_ has -1.0"),
        ("NaN", "components_ has nan"),
        ("rises", "the objective rises"),
        ("warns", "RuntimeWarning: divide by zero"),
    ],
)
def test_faults_are_found(fault, words, monkeypatch):
    """A fit that breaks a promise, or ends in an error of others, is told with what is wrong."""
    chosen = {
        "solver": "mu", "shape": [13, 7], "rank": 3, "layout": "C", "dtype": "float64",
        "exponent": 0, "density": 1.0, "kind": "plain", "number": 0,
    }  # fmt: skip
    monkeypatch.setattr(odd_fits, "case", lambda number: chosen)
    monkeypatch.setattr(MU, "_update", with_fault(fault))
    found = odd_fits.fit(0)
    assert words in found["wrong"]
    assert bool(found["wrong"]) == bool(fault)
