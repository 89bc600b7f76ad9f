r"""What the docstring of a solver says, taken apart: problem, cost, departures, parameters.

The texts keep the markup of docstrings, see :mod:`nmfbench.cards.markup`.
"""

from __future__ import annotations

import inspect
import re

__all__ = [
    "PROBLEMS",
    "behaviour",
    "cost",
    "departures",
    "notation",
    "parameters",
    "problem",
    "references",
    "sections",
    "summary",
]

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
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z:`])")


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
    """What is minimised, in LaTeX: the first formula with a minimum above all headings.

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
    return PROBLEMS.get(loss)


def notation(kind: type) -> str | None:
    """The paper's letters in ours."""
    return _marked(kind, r"\*Paper notation:\*\s*")


def departures(kind: type) -> str | None:
    """Where the solver departs from its paper: the end of the notes, from the word on.

    Without that word, the paragraphs of the notes that say what "the paper" does.
    """
    notes = _notes(kind)
    _, word, rest = notes.partition("*Departures.*")
    if word:
        return rest.strip()
    told = [
        p
        for p in _paragraphs(notes)
        if re.search(r"\bpaper\b", p) and not p.startswith("*Paper notation") and not _is_cost(p)
    ]
    return "\n\n".join(told) or None


def cost(kind: type) -> str | None:
    """The paragraph of the notes on cost; else its sentences that speak of a cost or a product."""
    paragraphs = _paragraphs(_notes(kind).partition("*Departures.*")[0])
    for paragraph in paragraphs:
        if _is_cost(paragraph):
            return paragraph
    sentences = [s for p in paragraphs for s in _SENTENCE.split(p)]
    for word in (r"\bcosts?\b", r"\bproduct\b"):
        told = [s for s in sentences if re.search(word, s)]
        if told:
            return " ".join(told)
    return None


def _is_cost(paragraph):
    return bool(re.match(r"Cost\b", paragraph))


def behaviour(kind: type) -> str | None:
    """The paragraph of the notes that says whether the objective may rise."""
    notes = _notes(kind).partition("*Departures.*")[0]
    for paragraph in _paragraphs(notes):
        if re.search(r"(never|may|not) (rises?|raises?)\b|descends", paragraph):
            return paragraph
    return None


def references(kind: type) -> str | None:
    """The section of that name."""
    return sections(_own_doc(kind)).get("References")


def parameters(kind: type) -> dict[str, str]:
    """What each parameter means, by name: of the class, then of what it inherits from.

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


def _notes(kind):
    return sections(_own_doc(kind)).get("Notes", "")


def _marked(kind, pattern):
    for paragraph in _paragraphs(_notes(kind)):
        if match := re.match(pattern, paragraph):
            return paragraph[match.end() :]
    return None


def _paragraphs(text):
    """Paragraphs, each with the formulas that belong to it."""
    parts = [part.strip("\n") for part in re.split(r"\n[ \t]*\n", text) if part.strip()]
    joined: list[str] = []
    for part in parts:
        if joined and (part.startswith(".. math::") or part[0] == " "):
            joined[-1] += f"\n\n{part}"
        else:
            joined.append(part)
    return joined
