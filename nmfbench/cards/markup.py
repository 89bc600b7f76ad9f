r"""The markup of docstrings as plain text and as HTML: paragraphs, formulas, code, references."""

from __future__ import annotations

import html
import re
import textwrap

from latex2mathml.converter import convert as to_mathml

__all__ = ["formula_html", "formula_text", "to_html", "to_text"]

_INLINE = re.compile(
    r":math:`(?P<math>[^`]+)`"
    r"|:[a-z:]+:`~?(?P<role>[^`]+)`"
    r"|``(?P<code>.+?)``"
    r"|`(?P<name>[^`]+)`"
    r"|\*\*(?P<strong>[^*]+)\*\*"
    r"|(?<!\w)\*(?P<emph>[^*\s](?:[^*]*[^*\s])?)\*(?!\w)",
    re.DOTALL,
)
_VERSIONS = re.compile(r"^[ ]*\.\. version\w+::.*(\n+[ ]+.*)*", re.MULTILINE)
_DISPLAY = re.compile(r"^\.\. math::[ ]*(?P<math>.*(?:\n[ \t]+.*|\n(?=\n[ \t]))*)", re.MULTILINE)


def to_text(markup: str, width: int = 88) -> str:
    """Paragraphs as wrapped plain text, formulas in Unicode as far as that goes.

    Examples
    --------
    >>> to_text(r"It *minimises* :math:`\\|X-WH\\|_F^2` over ``W``.")
    'It minimises ‖X-WH‖_F² over W.'
    """
    parts = []
    for kind, content in _blocks(markup):
        if kind == "math":
            parts.append(textwrap.indent(formula_text(content), "    "))
        else:
            plain = " ".join(_INLINE.sub(_plain, content).split())
            parts.append(textwrap.fill(plain, width, break_long_words=False))
    return "\n".join(parts)


def to_html(markup: str) -> str:
    """The same as paragraphs of HTML, formulas as MathML."""
    parts = []
    for kind, content in _blocks(markup):
        if kind == "math":
            parts.append(formula_html(content, display="block"))
            continue
        pieces, end = [], 0
        for match in _INLINE.finditer(content):
            pieces += [html.escape(content[end : match.start()]), _marked(match)]
            end = match.end()
        parts.append(f"<p>{''.join([*pieces, html.escape(content[end:])])}</p>")
    return "\n".join(parts)


def _blocks(markup):
    """Pairs of ``"math"`` or ``"text"`` and the content, in order."""
    # What is marked up must end at a space, as in ``X`` 's.
    end, markup = 0, re.sub(r"` 's\b", "`'s", _VERSIONS.sub("", markup))
    for match in [*_DISPLAY.finditer(markup), None]:
        text = markup[end : match.start() if match else len(markup)]
        yield from (("text", p.strip()) for p in re.split(r"\n\s*\n", text) if p.strip())
        if match:
            yield "math", match["math"].strip()
            end = match.end()


def _one_line(formula):
    return " ".join(formula.split())


def _target(reference):
    """What a role shows: the last part of a dotted name, or the title before ``<``."""
    title, _, target = reference.partition("<")
    return title.strip() if target else reference.rpartition(".")[2]


def _plain(match):
    if match["math"]:
        return formula_text(match["math"])
    plain = match["code"] or match["name"] or match["strong"] or match["emph"]
    return plain or _target(match["role"])


def _marked(match):
    if match["math"]:
        return formula_html(match["math"])
    for name, tag in (("code", "code"), ("name", "code"), ("strong", "b"), ("emph", "em")):
        if match[name]:
            return f"<{tag}>{html.escape(match[name])}</{tag}>"
    return f"<code>{html.escape(_target(match['role']))}</code>"


# -- formulas ---------------------------------------------------------------------------------


def formula_html(formula: str, display: str = "inline") -> str:
    """A formula of LaTeX in MathML, which browsers show without any script."""
    formula = _one_line(formula).replace(r"\arg", r"\operatorname{arg}")
    try:
        return to_mathml(formula, display=display)
    except Exception:  # somebody else's docstring must not end a report
        return f"<code>{html.escape(formula)}</code>"


_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_]|\s+|[^\\{}^_\s]", re.DOTALL)
_GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "lambda": "λ",
    "mu": "μ",
    "xi": "ξ",
    "rho": "ρ",
    "varrho": "ϱ",
    "phi": "φ",
    "omega": "ω",
    "Omega": "Ω",
    "Gamma": "Γ",
    "sigma": "σ",
}
_SYMBOLS = _GREEK | {
    "ge": "≥",
    "le": "≤",
    "ne": "≠",
    "to": "→",
    "in": "∈",
    "odot": "∘",
    "oslash": "⊘",
    "cdot": "·",
    "times": "×",
    "approx": "≈",
    "leftarrow": "←",
    "succeq": "≽",
    "sum": "Σ",
    "dots": "…",
    "ell": "ℓ",
    "infty": "∞",
    "partial": "∂",
    "nabla": "∇",
    "|": "‖",
    "{": "{",
    "}": "}",
    "min": "min",
    "max": "max",
    "arg": "arg",
    "log": "log",
    "quad": "  ",
    "qquad": "  ",
    "\\": "; ",
}
_SILENT = {"left", "right", "big", "Big", "bigg", "Bigg", "displaystyle", "textstyle", "limits"}
_SPACES = {",", ";", ":", "!", " "}
_CONTENT = {"operatorname", "text", "mathrm", "mathbf", "mathcal"}
_ACCENTS = {"bar": "\u0304", "tilde": "\u0303", "hat": "\u0302"}
_HIGH = {"2": "²", "3": "³", "T": "ᵀ", "-1": "⁻¹", "+": "⁺", "-": "⁻"}


def formula_text(formula: str) -> str:
    r"""A formula of LaTeX in a line of Unicode. A command that is not known stays as it is.

    Examples
    --------
    >>> formula_text(r"\min_{W,H\ge0} \|X-WH\|_F^2 + \frac\beta2 \operatorname{tr}(W^T L W)")
    'min_{W,H≥0} ‖X-WH‖_F² + β/2 tr(Wᵀ L W)'
    """
    tokens = _TOKEN.findall(_one_line(formula))
    text, _ = _sequence(tokens, 0)
    return " ".join(text.split()).replace("( ", "(").replace(" )", ")")


def _sequence(tokens, at):
    """Text up to the end of a group or of all."""
    parts = []
    while at < len(tokens) and tokens[at] != "}":
        part, at = _item(tokens, at)
        if re.match(r"[a-z]", part) and tokens[at - 1].startswith("\\") and parts:
            part = part if parts[-1].endswith((" ", "(")) else f" {part}"
        parts.append(part)
    return "".join(parts), at


def _item(tokens, at):
    """One token with its arguments, and where the next one is."""
    token = tokens[at]
    if token == "{":
        text, at = _sequence(tokens, at + 1)
        return text, at + 1
    if token in "^_":
        text, at = _argument(tokens, at + 1)
        return _script(token, text), at
    if not token.startswith("\\"):
        return token, at + 1
    name = token[1:]
    if name in ("frac", "tfrac", "dfrac"):
        above, at = _argument(tokens, at + 1)
        below, at = _argument(tokens, at)
        return f"{_grouped(above)}/{_grouped(below)}", at
    if name == "sqrt":
        text, at = _argument(tokens, at + 1)
        return f"√{_grouped(text)}", at
    if name in _CONTENT:
        text, at = _argument(tokens, at + 1)
        followed = at < len(tokens) and tokens[at].isalnum() and name == "operatorname"
        return f" {text} " if name == "text" else text + " " * followed, at
    if name in _ACCENTS:
        text, at = _argument(tokens, at + 1)
        return text + _ACCENTS[name], at
    if name in _SILENT:
        return "", at + 1
    if name in _SPACES:
        return " ", at + 1
    return _SYMBOLS.get(name, token), at + 1


def _argument(tokens, at):
    while at < len(tokens) and tokens[at].isspace():
        at += 1
    return _item(tokens, at) if at < len(tokens) else ("", at)


def _script(mark, text):
    if mark == "^" and text in _HIGH:
        return _HIGH[text]
    if mark == "^" and re.fullmatch(r"-?[0-9T]+", text):
        return "".join(_HIGH.get(c, c) for c in text) if set(text) <= set("23T") else f"^{text}"
    return f"{mark}{text}" if len(text) <= 1 else f"{mark}{{{text}}}"


def _grouped(text):
    return text if re.fullmatch(r"\w+(_\{\w+\})?", text) else f"({text})"
