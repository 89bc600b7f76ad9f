"""Files that cannot be read end in one line that names the remedy."""

import contextlib
import json
import re

import pytest
from odd_files import READ, odd_files

from nmfbench.own import parsers, read, reader
from nmfbench.own.errors import OwnDataError
from nmfbench.own.parsed import Parsed

CASES = odd_files()
LIMIT = 1 << 25  # bytes of memory, so that a bomb is one
GUARDED = [name for name in CASES if "bomb" in name or "huge" in name or "too much" in name]
REMEDY = re.compile(
    r"\b(add|ask|check|compress|convert|copy|decompress|divide|give|impute|install|keep|leave|name|"
    r"needs|pass|put|rename|replace|reshape|save|say|shift|take|write)\b",
    re.IGNORECASE,
)


def ends_as_it_should(path, end, **limits):
    """Read a file, and check how it ends."""
    try:
        found = read(path, **limits).checked()
    except OwnDataError as error:
        message = str(error)
        assert end != READ, message
        assert end in message
        assert len(message.splitlines()) == 1
        assert 20 < len(message) < 700
        assert "Traceback" not in message
        assert REMEDY.search(message), message
    else:
        assert end == READ, found.lines()
        assert min(found.X.shape) >= 1


def written(name, folder):
    ending, write, end = CASES[name]
    path = folder / f"odd{ending}"
    write(path)
    return path, end


def test_there_are_many():
    """Two hundred and more."""
    assert len(CASES) >= 200


@pytest.mark.parametrize("name", [name for name in CASES if name not in GUARDED])
def test_an_odd_file_names_its_remedy(name, tmp_path, monkeypatch):
    """The parser of the format, in this process."""

    def parse_here(path, options, parameter, **limits):
        folder = tmp_path / "parsed"
        folder.mkdir()
        parsers.parse(path, json.dumps(options), folder, 1 << 32)
        if (problem := json.loads((folder / "answer.json").read_text())) is not None:
            raise OwnDataError(f"{parameter}={path.name} {problem}")
        return Parsed.load(folder)

    path, end = written(name, tmp_path)
    if path.is_file() or path.is_dir():
        monkeypatch.setattr(reader, "_from_file", parse_here)
        monkeypatch.setattr(parsers, "limited_memory", contextlib.nullcontext)  # of this process
    ends_as_it_should(path, end)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_an_odd_file_harms_nobody(name, tmp_path):
    """The same through the guarded process, within limits of memory and time."""
    path, end = written(name, tmp_path)
    limit = LIMIT if name in GUARDED else None
    ends_as_it_should(path, end, memory_limit=limit, time_limit=60)
