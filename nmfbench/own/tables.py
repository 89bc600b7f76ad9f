"""Tables of numbers: text with any separator, and data frames."""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from pathlib import Path

import numpy as np

from nmfbench.core.text import one_line
from nmfbench.own.parsed import Parsed, Refused

__all__ = ["from_frame", "from_text", "labels_from_text", "shown"]

_HEAD = 1 << 16  # bytes in which encoding and layout are looked for
_LINES = 40  # of the head
_SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "blanks"}
_CONSISTENT = 0.8  # share of lines of the head with the same number of cells
_LONGEST = 40  # characters of a cell that a message shows
_LISTED = 5  # columns that a message names
_NOT_IN_CP1252 = {0x81, 0x8D, 0x8F, 0x90, 0x9D}
_MISSING = {"", "na", "n/a", "nan", "null", "none", "#n/a", "<na>"}
_COUNTERS = {"", "id", "index", "no", "nr", "row", "sample", "unnamed: 0", "name", "names"}
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+(e[-+]?\d+)?\s*", re.IGNORECASE)
_DECIMAL_POINT = re.compile(r"\s*[-+]?\d*\.\d+(e[-+]?\d+)?\s*", re.IGNORECASE)


def shown(cell) -> str:
    """A cell in quotes, short and in one line."""
    text = one_line(cell)
    return repr(text if len(text) <= _LONGEST else text[:_LONGEST] + "...")


def from_text(path: Path, labels: str | None = None) -> Parsed:
    """Parse a text file.

    Parameters
    ----------
    path : Path
    labels : str, optional
        Header of the column that holds labels.

    Raises
    ------
    Refused
        If it is no table of numbers.
    """
    encoding, notes = _encoding(path)
    with path.open(encoding=encoding, newline="") as stream:
        skipped, head = _head(stream)
    separator = _separator(head, path.suffix.lower())
    if separator == " ":
        first, second = (line.split() for line in (head + head[:1])[:2])
    else:
        first, second = (_cells(line, separator) for line in (head + head[:1])[:2])
    width = _check_width(path, encoding, skipped, separator)
    decimal = _decimal(head, separator)
    has_header = len(first) < width or _is_header(first, second, decimal)
    header = [cell.strip() for cell in first] if has_header else None
    if header is not None and len(header) < width:  # as R's write.table has it
        header = ["", *header]
    notes.append(
        f"{_SEPARATORS[separator]} between cells"
        + ", decimal commas" * (decimal == ",")
        + (", with a header" if header else ", without a header")
    )
    if header and len(head) < 2:
        raise Refused("has a header and no row of numbers: add the rows.")
    options = {
        "sep": r"\s+" if separator == " " else separator,
        "decimal": decimal,
        "header": None,
        "index_col": False,
        "skiprows": skipped + bool(header),
        "encoding": encoding,
        "low_memory": False,
        "skipinitialspace": True,
    }
    if labels is None or labels not in (header or ()):
        plain = _all_numbers(path, encoding, separator, skipped + bool(header), decimal)
        if plain is not None and plain.shape[1] == width and not _names_first(plain[:, 0], header):
            return Parsed(plain, columns=header, notes=notes)
    import pandas as pd  # slow, and only needed here

    try:
        table = pd.read_csv(path, **options)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error) as error:
        raise Refused(
            f"cannot be read as a table: {one_line(error).rstrip('.')}; write it again with one "
            "separator and as many cells in each line."
        ) from None
    parsed = from_frame(table, header, labels, first_line=skipped + bool(header) + 1)
    if parsed.rows is not None:  # to the last bit, which pandas does not promise
        columns = range(1, width)
        plain = _all_numbers(path, encoding, separator, skipped + bool(header), decimal, columns)
        if plain is not None and plain.shape == parsed.X.shape:
            parsed.X = plain
    parsed.notes[:0] = notes
    return parsed


def _encoding(path):
    """The encoding of a text file, and a note on it, if any."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
        if not head.strip(b"\x00\xef\xbb\xbf\xff\xfe \t\r\n"):
            raise Refused("is empty: it needs a row for each sample, of numbers.")
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16", ["UTF-16"]
        if head.startswith(codecs.BOM_UTF8):
            return "utf-8-sig", []
        if b"\x00" in head:
            for name, low in (("utf-16-le", 1), ("utf-16-be", 0)):
                if head[low::2].count(0) > 0.4 * len(head):
                    return name, [name.upper()]
            raise Refused(
                "is no text but binary: give it the ending of its format (.npy, .npz, .mat, "
                ".parquet, .h5ad), or write it as UTF-8 text."
            )
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            while head:
                decoder.decode(head)
                head = stream.read(_HEAD)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            if set(path.read_bytes()) & _NOT_IN_CP1252:
                raise Refused(
                    "is in an encoding that is neither UTF-8, UTF-16 nor Windows-1252: save it as "
                    "UTF-8 text."
                ) from None
            return "cp1252", ["read as Windows-1252, as it is not valid UTF-8"]
    return "utf-8", []


def _head(stream):
    """Lines of comments and blanks before the table, and the first lines of it."""
    skipped, lines = 0, list[str]()
    for line in itertools.islice(stream, 10_000):
        line = line.rstrip("\r\n")
        if not lines and (not line.strip() or line.lstrip().startswith(("#", "%"))):
            skipped += 1
        elif line.strip():
            lines.append(line)
        if len(lines) == _LINES or sum(map(len, lines)) > 100 * _HEAD:
            break
    if not lines:
        raise Refused("holds comments and blanks only: it needs a row for each sample, of numbers.")
    return skipped, lines


def _cells(line, separator):
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return line.split(separator)


def _separator(head, suffix):
    """The first of the separators that gives most lines the same number of cells, two at least."""
    order = [s for s in _SEPARATORS if suffix != ".tsv" or s == "\t"]
    order += [s for s in _SEPARATORS if s not in order]
    for separator in order:
        if separator == " ":
            counts = [len(line.split()) for line in head]
            if len(head) > 1 and not any(_is_number(c) for c in head[-1].split()):
                continue
        else:
            counts = [len(_cells(line, separator)) for line in head]
        usual = max(set(counts), key=counts.count)
        if usual > 1 and counts.count(usual) >= _CONSISTENT * len(counts):
            return separator
        if len(counts) == 2 and counts[1] == counts[0] + 1 > 2:  # a header without the corner
            return separator
    often = {s: sum(line.count(s) for line in head) for s in _SEPARATORS if s != " "}
    best = max(often, key=lambda s: often[s])
    return best if often[best] else ","


def _decimal(head, separator):
    if separator == ",":
        return "."
    cells = [cell for line in head for cell in _cells(line, separator)]
    commas = sum(bool(_DECIMAL_COMMA.fullmatch(cell)) for cell in cells)
    points = sum(bool(_DECIMAL_POINT.fullmatch(cell)) for cell in cells)
    return "," if commas > points else "."


def _check_width(path, encoding, skipped, separator):
    """The number of cells of each row; raise Refused if they differ."""
    with path.open(encoding=encoding, newline="") as stream:
        for _ in range(skipped):
            next(stream)
        filled = (pair for pair in _counts(stream, separator, skipped) if pair[1])
        line, width = next(filled)
        for number, count in filled:
            if count == width + 1 and line == skipped + 1:  # a header without the corner
                line, width = number, count
            elif count != width:
                raise Refused(
                    f"has rows of unequal length: line {line} has {width} cells and line {number} "
                    f"has {count}; write as many cells in each line, missing ones empty, and put "
                    "text with separators in quotes."
                )
            else:
                line = number
    return width


def _counts(stream, separator, number):
    """Number of a line, from 1, and of its cells; 0 for a blank line."""
    for line in stream:
        number += 1
        if '"' in line:
            # From here on by the slow way, as a cell in quotes may go on in the next line.
            try:
                for row in csv.reader(itertools.chain([line], stream), delimiter=separator):
                    yield number, len(row) if any(row) or len(row) > 1 else 0
                    number += 1
            except csv.Error as error:
                raise Refused(
                    f"cannot be read at line {number}: {one_line(error)}; close all quotes."
                ) from None
            return
        if not line.strip():
            yield number, 0 if separator != "\t" or not line.strip("\r\n") else line.count("\t") + 1
        elif separator == " ":
            yield number, len(line.split())
        else:
            yield number, line.count(separator) + 1


def _is_number(cell, decimal="."):
    try:
        float(cell.replace(",", ".") if decimal == "," else cell)
    except ValueError:
        return False
    return True


def _is_header(first, second, decimal):
    """Whether the first line has text where the second has numbers, a blank corner, or text and
    then 0, 1, 2, ..."""

    def numeric(cell):
        return _is_number(cell, decimal) or cell.strip().lower() in _MISSING

    if first[0].strip() == "" and len(first) > 1 and second[0].strip() != "":
        return True
    if len(first) > 2 and not _is_number(first[0], decimal):  # columns that are only counted
        counted = [cell.strip() for cell in first[1:]]
        if any(counted == [str(k + i) for i in range(len(counted))] for k in (0, 1)):
            return True
    pairs = zip(first[1:] or first, second[1:] or second, strict=False)
    return any(not numeric(a) and numeric(b) for a, b in pairs)


def _names_first(column, header):
    """Whether numbers of a first column only count rows, under a header that says so."""
    if header is None or header[0].strip().lower() not in _COUNTERS or len(header) < 2:
        return False
    counted = np.arange(len(column))
    return any(np.array_equal(column, counted + start) for start in (0, 1)) or not header[0].strip()


def _all_numbers(path, encoding, separator, skipped, decimal, columns=None):
    """The table, or some of its columns, if all is numbers; None otherwise. Fast."""
    try:
        with path.open(encoding=encoding) as stream:
            lines = (line.replace(",", ".") for line in stream) if decimal == "," else stream
            return np.loadtxt(
                lines,
                delimiter=None if separator == " " else separator,
                skiprows=skipped,
                comments=None,
                quotechar='"',
                usecols=columns,
                ndmin=2,
            )
    except (ValueError, RuntimeError):
        return None


def from_frame(table, header, labels=None, *, first_line=None) -> Parsed:
    """Numbers and names of a data frame.

    Parameters
    ----------
    table : DataFrame
    header : list of str or None
        Names of the columns.
    labels : str, optional
        Name of the column that holds labels.
    first_line : int, optional
        Line of a file in which its first row is, for messages.
    """
    import pandas as pd

    if not len(table) or not len(table.columns):
        raise Refused("has no numbers: it needs a row for each sample, and columns of numbers.")
    rows, taken, notes = None, [], []
    names = header or [f"column {j}" for j in range(len(table.columns))]
    if labels is not None and header is not None and labels in header:
        if header.count(labels) > 1:
            raise Refused(f"has {header.count(labels)} columns called {labels!r}: rename one.")
        taken.append(header.index(labels))
    text = [j for j in range(len(names)) if j not in taken and not _is_numeric(table.iloc[:, j])]
    if 0 not in taken and len(names) - len(taken) > 1:
        column = table.iloc[:, 0]
        numbers = 0 not in text
        if not numbers and pd.to_numeric(column, errors="coerce").isna().mean() > 0.5:
            rows = [str(name) for name in column.fillna("NA")]
        elif numbers and _names_first(column.to_numpy(), header):
            rows = [f"{name:g}" if isinstance(name, float) else str(name) for name in column]
        if rows is not None:
            taken.append(0)
            text = [j for j in text if j != 0]
            notes.append("the first column names the rows")
    blank = [j for j in range(len(names)) if j not in taken and table.iloc[:, j].isna().all()]
    if blank and blank == [len(names) - 1] and not (header and header[-1]):
        taken.append(blank[0])  # each line ends with a separator
    if text:
        raise Refused(_text_columns(table, names, text, first_line))
    kept = [j for j in range(len(names)) if j not in taken]
    if not kept:
        raise Refused("has no column of numbers: it needs a row for each sample, of numbers.")
    X = table.iloc[:, kept].to_numpy(dtype=np.float64, na_value=np.nan)
    chosen = None
    if labels is not None and header is not None and labels in header:
        chosen = _plain_labels(table.iloc[:, header.index(labels)])
    columns = None if header is None else [header[j] for j in kept]
    return Parsed(X, rows, columns, chosen, notes=notes)


def _is_numeric(column):
    import pandas as pd

    if pd.api.types.is_complex_dtype(column):
        return False
    return pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)


def _plain_labels(column):
    return [
        None if missing else value
        for missing, value in zip(column.isna(), column.tolist(), strict=True)
    ]


def _text_columns(table, names, text, first_line):
    import pandas as pd

    column = table.iloc[:, text[0]]
    wrong = pd.to_numeric(column, errors="coerce").isna() & column.notna()
    at = int(np.flatnonzero(wrong.to_numpy())[0]) if wrong.any() else 0
    place = f"line {first_line + at}" if first_line is not None else f"row {at}"
    cell = shown(column.iloc[at])
    if len(text) == 1 and wrong.mean() <= 0.5:
        return (
            f"has {int(wrong.sum())} of {len(column)} entries that are no numbers in "
            f"{shown(names[text[0]])}, the first {cell} in {place}: write missing entries as empty "
            "cells or NA, and numbers without units or thousands separators."
        )
    listed = ", ".join(shown(names[j]) for j in text[:_LISTED]) + ", ..." * (len(text) > _LISTED)
    return (
        f"has text in {len(text)} of {len(names)} columns: {listed} (the first is {cell} in "
        f"{place}). Name a column of classes with labels={names[text[0]]!r}, and leave out or "
        "encode other text."
    )


def labels_from_text(path: Path) -> Parsed:
    """Parse a file of labels: one in each line, or the name of a sample and its label.

    A first line is a header if the others hold numbers and it does not, or if it says "label",
    "class", "y" or the like.
    """
    encoding, notes = _encoding(path)
    with path.open(encoding=encoding, newline="") as stream:
        head = [line for line in itertools.islice(stream, _LINES) if line.strip()]
        separator = _separator(head, path.suffix.lower()) if len(head) > 1 else ","
        if separator == " " and path.suffix.lower() != ".txt":
            separator = ","
        stream.seek(0)
        try:
            rows = [row for row in csv.reader(stream, delimiter=separator) if any(row)]
        except csv.Error as error:
            raise Refused(f"cannot be read as labels: {one_line(error)}.") from None
    rows = [[cell.strip() for cell in row] for row in rows]
    if len(rows) > 1 and _is_label_header(rows):
        rows = rows[1:]
        notes.append("labels with a header")
    found = [[_number_or_text(cell) for cell in row] for row in rows]
    return Parsed(np.zeros((1, 1)), labels=found, notes=notes)


_LABEL_HEADERS = {"label", "labels", "class", "classes", "y", "target", "group", "x", "cluster"}


def _is_label_header(rows):
    last, others = rows[0][-1], [row[-1] for row in rows[1:]]
    if last.lower() in _LABEL_HEADERS and last not in others:
        return True
    return not _is_number(last) and all(map(_is_number, others))


def _number_or_text(cell):
    try:
        value = float(cell)
    except ValueError:
        return cell
    return int(value) if value.is_integer() else cell
