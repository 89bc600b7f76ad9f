r"""Parser of a solver's docstring: problem, sections, parameters.

The sections are numpydoc's, and *Notation* (the letters of the paper in ours), *Cost* (of
an iteration) and *Departures* (from the paper). The texts keep the markup of docstrings, see
:mod:`nmfbench.cards.markup`.
"""

from __future__ import annotations

import inspect
import re

__all__ = ["PROBLEMS", "attributes", "parameters", "problem", "section", "sections", "summary"]

PROBLEMS = {
    "frobenius": r"\min_{W,H\ge0} \|X-WH\|_F^2",
    "manhattan": r"\min_{W,H\ge0} \|X-WH\|_1",
    "kl": r"\min_{W,H\ge0} \sum_{ij} X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} - X_{ij} + (WH)_{ij}",
    "itakura-saito": r"\min_{W,H\ge0} \sum_{ij} \frac{X_{ij}}{(WH)_{ij}} "
    r"- \log \frac{X_{ij}}{(WH)_{ij}} - 1",
}
"""The problem of a solver whose loss is one of ``losses.LOSSES`` and nothing else."""

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}[ ]*$", re.MULTILINE)
_FORMULA = re.compile(
    r":math:`(?P<inline>[^`]+)`(?:\s+over\s+:math:`(?P<over>[^`]+)`)?"
    r"|^\.\. math::[ ]*(?P<display>.*(?:\n[ \t]+.*|\n(?=\n[ \t]))*)",
    re.MULTILINE,
)
_MINIMISES = re.compile(r"(?<!\\arg)\\min(?![a-z])")
_OVER = re.compile(r"minimise\s+over\s+:math:`([^`]+)`\s*$")


def sections(doc: str | None) -> dict[str, str]:
    """A docstring in numpydoc's style by headings; what is above the first is under ``""``.

    Examples
    --------
    >>> sections('''Rows.
    ...
    ...     Notes
    ...     -----
    ...     Cheap.
    ...     ''')
    {'': 'Rows.', 'Notes': 'Cheap.'}
    """
    doc = inspect.cleandoc(doc or "")
    parts = _HEADING.split(doc)
    return {"": parts[0].strip()} | {
        name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def _own_doc(kind):
    """The docstring of a class itself, unless a dataclass has made it up."""
    doc = vars(kind).get("__doc__")
    return None if doc is None or doc.startswith(f"{kind.__name__}(") else doc


def summary(kind: type) -> str:
    """The first paragraph of the docstring."""
    return re.split(r"\n[ \t]*\n", sections(_own_doc(kind))[""])[0]


def problem(kind: type, loss: str | None = None) -> str | None:
    """The problem that is solved, in LaTeX: the first formula with a minimum above all headings.

    A formula that "minimise over" announces counts as one. Without any the problem is that of the
    ``loss``. None: a procedure that minimises nothing as a whole, or that does not say what.
    """
    head = sections(_own_doc(kind))[""]
    for match in _FORMULA.finditer(head):
        formula = " ".join((match["inline"] or match["display"]).split())
        if _MINIMISES.search(formula):
            if match["over"]:
                formula += rf" \quad \text{{over}} \quad {match['over']}"
            return formula.rstrip(" ,.")
        announced = match["display"] and _OVER.search(head[: match.start()])
        if announced:
            domain = re.sub(r"\s+", "", announced[1])
            return rf"\min_{{{domain}}} {formula}".rstrip(" ,.")
    return None if loss is None else PROBLEMS.get(loss)


def section(kind: type, name: str) -> str | None:
    """A section of the docstring of a class itself."""
    return sections(_own_doc(kind)).get(name)


def parameters(kind: type) -> dict[str, str]:
    """Meanings of the parameters, by name: of the class, then of what it inherits from.

    A list of names that only points elsewhere ("See ...") leaves the word to the base classes.
    """
    found: dict[str, str] = {}
    for base in inspect.getmro(kind):
        for names, text in _entries(sections(_own_doc(base)).get("Parameters", "")):
            if text and not re.match(r"(The others: )?[Ss]ee :class:", text):
                for name in names:
                    found.setdefault(name, text)
    return found


def _entries(section):
    """Pairs of names and text of a section of parameters."""
    for entry in re.split(r"\n(?=\S)", section):
        head, _, body = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        allowed = re.search(r"\{[^{}]*\}", kind)
        text = inspect.cleandoc(f"\n{body}").strip() if body else ""
        if allowed and not text.startswith("See "):
            text = f"One of {allowed[0][1:-1]}. {text}".strip()
        yield [name.strip().lstrip("*") for name in names.split(",")], text


def attributes(kind: type) -> list[str]:
    """Names of the fitted attributes that the docstrings of a class and its bases list."""
    return [
        name
        for base in inspect.getmro(kind)
        for names, _ in _entries(sections(_own_doc(base)).get("Attributes", ""))
        for name in names
    ]
