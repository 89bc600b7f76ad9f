"""Arrays as bytes: packed ones come back to the bit, and damaged ones are refused."""

import json

import numpy as np
import pytest

from nmfbench.records.arrays import from_bytes, pack, to_bytes, unpack

TRACE = [("iteration", "<i8"), ("seconds", "<f8"), ("objective", "<f4")]
ARRAYS = {
    "matrix": np.arange(12.0).reshape(3, 4) / 7,
    "single": np.linspace(0, 1, 5, dtype=np.float32),
    "half": np.array([0.5, np.inf, np.nan], dtype=np.float16),
    "whole": np.array([-(2**62), 3], dtype=np.int64),
    "flags": np.array([True, False, True]),
    "complex": np.array([1 + 2j, -0.0j]),
    "big-endian": np.arange(4, dtype=">i4"),
    "strings": np.array(["a", "bcd", "ü"]),
    "bytes": np.array([b"a", b"bc"]),
    "structured": np.array([(0, 0.5, 9.0), (10, np.nan, -1.0)], dtype=TRACE),
    "no-rows": np.empty((0, 4)),
    "no-trace": np.empty(0, dtype=TRACE),
    "no-dimension": np.array(3.5),
    "structured-no-dimension": np.array((1, 2.0, 3.0), dtype=TRACE),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "strided": np.arange(20.0).reshape(4, 5)[::2, 1::3],
    "cube": np.arange(24, dtype=np.int16).reshape(2, 3, 4),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("way", ["packed", "numpy"])
def test_arrays_come_back_to_the_bit(name, way):
    """Type, shape and content, whatever the order in memory."""
    array = ARRAYS[name]
    back = unpack(**pack(array)) if way == "packed" else from_bytes(to_bytes(array))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()


def test_equal_arrays_are_packed_alike():
    """The order in memory does not count, so that equal records give equal files."""
    array = np.arange(6.0).reshape(2, 3)
    assert pack(array) == pack(np.asfortranarray(array)) == pack([[0.0, 1, 2], [3, 4, 5]])


def test_bytes_of_equal_significance_stand_side_by_side():
    """So that small numbers have long runs of zeros."""
    packed = pack(np.array([1, 2, 3], dtype="<i4"))
    assert packed["data"] == bytes([1, 2, 3]) + bytes(9)
    assert (packed["dtype"], packed["shape"]) == ('"<i4"', "[3]")


def test_objects_are_not_packed():
    """Nothing is pickled, on either way, nor hidden in a field."""
    for array in (np.array([{}]), np.array([(1, [])], dtype=[("a", "i8"), ("b", "O")])):
        with pytest.raises(ValueError, match="array of objects cannot be packed"):
            pack(array)
        with pytest.raises(ValueError, match="Object arrays cannot be saved"):
            to_bytes(array)


DAMAGE = {
    "too few bytes": {"data": b"123"},
    "no bytes": {"data": b""},
    "too many bytes": {"data": bytes(80)},
    "no JSON": {"dtype": "<f8"},
    "no type": {"dtype": '"<q9"'},
    "no name": {"dtype": "7"},
    "a type in which Python finds a mistake": {"dtype": '"(1,,2)f8"'},
    "a type of no bytes": {"dtype": '"<U0"', "data": b""},
    "a field of no bytes": {"dtype": '[["a","<U0"]]', "data": b""},
    "a type of arrays": {"dtype": '"(3,)f8"', "shape": "[3]"},
    "objects": {"dtype": '"|O"'},
    "hidden objects": {"dtype": '[["a","|O"]]'},
    "fields without a type": {"dtype": '[["a"]]'},
    "no shape": {"shape": "3"},
    "nothing as shape": {"shape": "null"},
    "a negative size": {"shape": "[-1,3]"},
    "two negative sizes": {"shape": "[-3,-3]"},
    "a size in words": {"shape": '["many"]'},
    "another shape": {"shape": "[2,2]"},
    "a huge shape": {"shape": json.dumps([2**62, 2**62])},
    "a large shape": {"shape": json.dumps([2**45])},
    "text as bytes": {"data": "123"},
    "no bytes at all": {"data": None},
}


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_an_error_in_words(change):
    """Never another exception, and never an array that was not packed."""
    packed = pack(np.arange(9.0).reshape(3, 3)) | change
    with pytest.raises(ValueError, match="an array cannot be read: "):
        unpack(**packed)
