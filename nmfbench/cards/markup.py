r"""The markup of docstrings as plain text and as HTML: paragraphs, formulas, code, references."""

from __future__ import annotations

import html
import re
import textwrap
from typing import Any

from latex2mathml.converter import convert as to_mathml
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec
from pylatexenc.latex2text import get_default_latex_context_db as get_default_text_context_db
from pylatexenc.latexwalker import LatexWalker, get_default_latex_context_db
from pylatexenc.macrospec import std_macro

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
    # Marked-up text must end at a space, as in ``X`` 's.
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
    """Text of a role: the last part of a dotted name, or the title before ``<``."""
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
    """A formula of LaTeX in MathML, which browsers show without any script.

    One in a line of its own (``"block"``) may be wider than a phone: the keyboard scrolls it.
    """
    formula = _one_line(formula).replace(r"\arg", r"\operatorname{arg}")
    try:
        found = to_mathml(formula, display=display)
    except Exception:  # somebody else's docstring must not end a report
        return f"<code>{html.escape(formula)}</code>"
    return found.replace("<math ", '<math tabindex="0" ', 1) if display == "block" else found


def formula_text(formula: str) -> str:
    r"""A formula of LaTeX in a line of Unicode. A command that is not known stays as it is.

    Examples
    --------
    >>> formula_text(r"\min_{W,H\ge0} \|X-WH\|_F^2 + \frac\beta2 \operatorname{tr}(W^T L W)")
    'min_{W,H≥0} ‖X-WH‖_F² + β/2 tr(Wᵀ L W)'
    """
    nodes, *_ = LatexWalker(_one_line(formula), latex_context=_PARSED).get_latex_nodes()
    text = _WRITER.nodelist_to_text(nodes)
    text = _SCRIPT.sub(lambda match: _HIGH.get(match[1] or match[2], match[0]), text)
    text = re.sub(r">><<|(?<=[\w)}‖])<<|>>(?=[^\W_]|‖)|(?<= [≥≤∈≈≽←→])", " ", text)
    text = " ".join(re.sub("<<|>>", "", text).split())
    return text.replace("( ", "(").replace(" )", ")")


_WORDS = {name: f"<<{name}>>" for name in ("min", "max", "arg", "log")}  # space around in formulas
_SYMBOLS = {"|": "‖", "odot": "∘", "sum": "Σ", "\\": "; "}
_WRAPPED = {"operatorname": "<<%s>>", "text": " %s ", "mathbf": "%s", "mathrm": "%s"}
_SILENT = ("left", "right", "displaystyle", "textstyle")
_FRACTIONS = ("frac", "tfrac", "dfrac")
_SCRIPT = re.compile(r"\^(?:\{([^{}]+)\}|(\S))")
_HIGH = {"2": "²", "3": "³", "T": "ᵀ", "-1": "⁻¹", "+": "⁺", "-": "⁻"}


def _fraction(node, l2tobj):
    parts = (l2tobj.node_arg_to_text(node, i) for i in (0, 1))
    return "/".join(p if re.fullmatch(r"\w+(_\{\w+\})?", p) else f"({p})" for p in parts)


def _contexts():
    """How formulas are parsed, and written: as pylatexenc does, but for what is listed here."""
    arguments = dict.fromkeys(_FRACTIONS, 2) | dict.fromkeys(_WRAPPED, 1)
    parsed, written = get_default_latex_context_db(), get_default_text_context_db()
    parsed.add_context_category(
        "formulas",
        prepend=True,
        macros=[std_macro(name, False, n) for name, n in arguments.items()],
    )
    texts: dict[str, Any] = _WORDS | _SYMBOLS | _WRAPPED | dict.fromkeys(_SILENT, "")
    texts |= dict.fromkeys(_FRACTIONS, _fraction)
    written.add_context_category(
        "formulas", prepend=True, macros=[MacroTextSpec(*pair) for pair in texts.items()]
    )
    written.set_unknown_macro_spec(MacroTextSpec("", lambda node: node.latex_verbatim()))
    return parsed, written


_PARSED, _WRITTEN = _contexts()
_WRITER = LatexNodes2Text(
    _WRITTEN, math_mode="text", keep_braced_groups=True, keep_braced_groups_minlen=2
)
