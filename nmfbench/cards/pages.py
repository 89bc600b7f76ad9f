"""A card as text for a terminal, and as a page of the report."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from nmfbench.cards.markup import formula_html, formula_text, to_html, to_text
from nmfbench.core import registry
from nmfbench.pages.environment import environment
from nmfbench.papers.paper import paper
from nmfbench.verdicts.verdict import VERDICTS

__all__ = ["card_list", "card_page", "card_text"]

_LABEL = 13  # columns of the left margin of the text
_WIDTH = 100

NO_PROBLEM = "none is stated: a procedure that minimises nothing as a whole"
NO_COST = "not stated"
NO_DEPARTURES = "none is stated"
NO_TESTS = "unknown: the tests are in the repository, and not in an installed package"
NO_ORACLE = "no test of its own against anything independent; the common tests"
NO_GUEST_TESTS = "an external class: nmfbench check runs the common checks on it"
RANKS = (
    "Mean rank over data sets, corruptions, levels and options of the task, each the mean of its "
    "repeats. A method that an artefact shows at several parameters counts with their median; one "
    "that failed is the last."
)
LARGEST = "each artefact on its largest grid of whole repeats"
NAMED = "It may be named as a rival, so that a confirmed claim need not speak for it."
THEORY = "In theory: of the leading terms of the cost, for r up to n and m, without logarithms."
MEASURED = (
    "Measured: least-squares slopes of the log of CPU seconds of an iteration, on one thread, "
    "while one size grows and the others are fixed, with a given number of inner iterations where "
    "there are any. Caches and terms of lower order, such as a pass over the data, show in them."
)


def input_rows(card: dict) -> list[tuple[str, str]]:
    """Input and fitted attributes of a solver: pairs of a word and a sentence."""
    able = card["abilities"]
    if not able:
        return []
    yes_no = ("no", "yes")
    rows = [
        ("loss", card["loss"] or ("not stated" if card["guest"] else "its own")),
        ("sparse data", "kept sparse" if able["sparse"] else "not taken"),
        ("negative data", yes_no[able["signed"]]),
    ]
    if able["symmetric"]:
        rows.append(("symmetric", "data must be a symmetric matrix of similarities"))
    if able["square"]:
        rows.append(("square", "there must be as many components as features"))
    rows += [
        ("initial factors", yes_no[able["start"]]),
        ("partial_fit", yes_no[able["partial_fit"]]),
    ]
    leaves = [("anchor_indices_", "anchors"), ("labels_", "labels")]
    rows += [("leaves", name) for name, ability in leaves if able[ability]]
    if card["certificate"]:
        rows.append(("certificate", "a dual bound for the fitted components"))
    if card["nested"]:
        rows.append(
            ("nested", "the first q anchors of a larger fit equal the anchors of a fit with q")
        )
    rows.append(("tasks", ", ".join(card["tasks"]) or "none"))
    return rows


def objective_line(card: dict) -> str:
    """Whether the objective may rise, as the registry has it."""
    if card["guest"]:
        return "unknown: nmfbench check looks at it"
    if card["monotone"]:
        return "never rises; the common tests check it"
    return "no promise in the registry that it never rises"


def exponents(card: dict) -> list[dict]:
    """Rows of ``size``, ``what``, ``theory``, ``measured``; ``stated`` and ``timed`` if known."""
    theory, measured = card["scaling"]["theory"], card["scaling"]["measured"]
    rows = []
    for size, what in (("n", "samples"), ("m", "features"), ("r", "components")):
        value = measured and measured["exponents"][size]
        powers = sorted(set(theory[size])) if theory else ()
        rows.append(
            {
                "size": size,
                "what": what,
                "theory": " to ".join(map(str, powers)) or "not stated",
                "measured": "not measured" if value is None else f"{round(value, 2) + 0.0:.2f}",
                "stated": bool(powers),
                "timed": value is not None,
            }
        )
    return rows


def provenance(card: dict) -> str:
    """Where and when the exponents were measured."""
    measured = card["scaling"]["measured"]
    if measured is None:
        target = card["key"] if not card["guest"] else "SOLVER"
        return f"Not measured here yet: nmfbench card {target} --measure"
    sizes = measured["sizes"]
    text = (
        f"Measured {measured['measured']} on {measured['host']['cpu']} "
        f"({measured['host']['platform']}), {measured['threads']} thread, numpy "
        f"{measured['versions']['numpy']}"
    )
    if sizes:
        spans = [(min(column), max(column)) for column in zip(*sizes, strict=True)]
        spread = ", ".join(
            f"{name} {low} to {high}" for name, (low, high) in zip("nmr", spans, strict=False)
        )
        text += f"; {spread}, {spans[3][0]:.2g} to {spans[3][1]:.2g} CPU s an iteration"
    if measured["error"]:
        text += f"; incomplete: {measured['error']}"
    if not measured["current"]:
        text += "; the code has changed since"
    return text + "."


def checked_groups(card: dict) -> list[dict]:
    """Tests of the solver one by one, tests of its parts together."""
    rows: list[dict[str, Any]] = []
    parts: dict[tuple[str, str], set[str]] = {}
    for test in card["checked_by"] or []:
        if test["part"] is None:
            rows.append({"what": test["statement"], **test})
        else:
            parts.setdefault((test["part"], test["file"]), set()).add(test["against"])
    for (part, file), against in parts.items():
        rows.append(
            {"what": f"Its ``{part}``.", "against": ", ".join(sorted(against)), "file": file}
        )
    return rows


def no_problem(card: dict) -> str:
    return "not stated" if card["guest"] else NO_PROBLEM


def no_tests(card: dict) -> str:
    if card["guest"]:
        return NO_GUEST_TESTS
    return NO_TESTS if card["checked_by"] is None else NO_ORACLE


def in_profile(card: dict, name: str) -> str:
    """The profile of an artefact's records in brackets, where it differs between artefacts."""
    records = card["records"]
    return "" if records["profile"] else f" ({records['profiles'][name]})"


def where(counts: dict[str, int]) -> str:
    """``{"orl": 3, "yale": 1}`` as ``"orl (3), yale"``."""
    return ", ".join(name if n == 1 else f"{name} ({n})" for name, n in counts.items())


# -- text -------------------------------------------------------------------------------------


def card_text(card: dict) -> str:
    """A card for a terminal."""
    head = f"{card['key']}: {card['name']}, family {card['family']}"
    if not card["guest"]:
        head += f"; {card['reference']}" + (f" (paper: {card['paper']})" if card["paper"] else "")
    lines = [head, ""]
    summary = to_text(card["summary"], _WIDTH)
    lines += [summary, ""] if summary else []
    if card["error"]:
        lines += _row("Fails", f"a small fit fails: {card['error']}")
    problem = card["problem"]
    lines += _row("Problem", formula_text(problem) if problem else no_problem(card))
    lines += _row("Cost", _plain(card["cost"], NO_COST))
    lines += _row("Objective", objective_line(card))
    for i, (word, text) in enumerate(input_rows(card)):
        lines += _row("Takes" if not i else "", f"{word}: {text}")
    for i, (name, text) in enumerate(card["properties"].items()):
        lines += _row("Aims" if not i else "", f"{name}: {text}")
    lines += _row("Notes", _plain(card["notes"], ""))
    lines += _row("Departures", _plain(card["departures"], NO_DEPARTURES))
    lines += _row("Notation", _plain(card["notation"], ""))
    lines += ["", "Parameters"]
    for row in card["parameters"]:
        meaning = f": {_plain(row['meaning'], '')}" if row["meaning"] else ""
        lines += _row("", f"{row['name']} = {row['default']}{meaning}", indent=2)
    lines += ["", "Checked against"]
    tests = checked_groups(card)
    for row in tests:
        lines += _row(
            "", f"{to_text(row['what'], 10_000)} [{row['against']}; {row['file']}]", indent=2
        )
    lines += _row("", "" if tests else no_tests(card), indent=2)
    lines += ["", "Exponents of the time of an iteration"]
    for row in exponents(card):
        lines.append(
            f"  in {row['size']} ({row['what']}): in theory {row['theory']}; "
            f"measured: {row['measured']}"
        )
    lines += _row("", provenance(card), indent=2)
    return "\n".join([*lines, "", *_records_text(card)]).rstrip()


def _records_text(card):
    records = card["records"]
    lines = [f"Records ({records['profile'] or LARGEST})"]
    if not records["trials"]:
        return [
            *lines,
            "  no artefact of a paper has a record of it here, nor was it compared with all",
        ]
    trials = ", ".join(
        f"{name} {n}{in_profile(card, name)}" for name, n in records["trials"].items()
    )
    lines += _row("", f"trials: {trials}", indent=2)
    for s in records["standings"]:
        text = (
            f"{s['artefact']}, {s['metric']}: {s['method']} has rank {s['rank']:.2f} of "
            f"{s['methods']} on {s['problems']} problem{'s' * (s['problems'] > 1)}"
        )
        text += f"; the best on {where(s['best'])}" if s["best"] else ""
        text += f"; the worst on {where(s['worst'])}" if s["worst"] else ""
        text += f"; data: {', '.join(s['stand_ins'])}" if s["stand_ins"] else ""
        lines += _row("", text, indent=2)
    for artefact, reasons in records["failures"].items():
        for why, n in reasons.items():
            lines += _row("", f"failed in {artefact}, {n} times: {why}", indent=2)
    if records["claims"]:
        summary = ", ".join(f"{n} {word}" for word, n in _counts(records["claims"]).items())
        lines += ["", f"Claims that name it ({summary})"]
        lines += _row("", NAMED, indent=2)
    for row in records["claims"]:
        notes = [] if row["data"] == "own" else ["on a stand-in"]
        notes += [row["look"]] if row["look"] != "final" and row["verdict"] != "not run" else []
        more = f" ({'; '.join(notes)})" if notes else ""
        lines += _row("", f"{row['verdict']:<13} {row['id']}: {row['statement']}{more}", indent=2)
    return lines


def _counts(claims):
    """Number of claims by verdict, without verdicts that do not occur."""
    found = Counter(row["verdict"] for row in claims)
    return {word: found[word] for word in VERDICTS if found[word]}


def _plain(markup, default):
    return to_text(markup, 10_000) if markup else default


def _row(label, text, indent=_LABEL):
    """Wrapped lines with a label in the margin; nothing for no text."""
    lines = []
    for i, part in enumerate(text.split("\n") if text else []):
        hanging = " " * (indent if indent > 2 else 6)
        lines += textwrap.wrap(
            part.strip(),
            _WIDTH,
            initial_indent=hanging if i else f"{label:<{indent}}",
            subsequent_indent=hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


# -- HTML -------------------------------------------------------------------------------------


def card_page(card: dict, boards: Sequence[Mapping[str, Any]] = ()) -> str:
    """A card as a page of the report, in the folder ``solvers`` of it.

    Parameters
    ----------
    card : dict
    boards : sequence of mapping
        Where it stands, see :func:`~nmfbench.comparison.leaderboards.places`.
    """
    return (
        environment()
        .get_template("card.html")
        .render(
            card=card,
            problem=Markup(formula_html(card["problem"], "block")) if card["problem"] else None,
            text=lambda markup: Markup(to_html(markup or "")),
            inputs=input_rows(card),
            cost=card["cost"] or NO_COST,
            objective=objective_line(card),
            tests=checked_groups(card),
            no_tests=no_tests(card),
            exponents=exponents(card),
            provenance=provenance(card),
            counts=_counts(card["records"]["claims"]),
            boards={
                "On real data": [board for board in boards if board["real"]],
                "On small problems": [board for board in boards if not board["real"]],
            },
            artefact=_artefact,
            score=_score,
            where=where,
            in_profile=lambda name: in_profile(card, name),
            words={
                "largest": LARGEST,
                "problem": no_problem(card),
                "departures": NO_DEPARTURES,
                "ranks": RANKS,
                "theory": THEORY,
                "measured": MEASURED,
                "named": NAMED,
            },
        )
    )


def _artefact(name):
    """Address of an artefact in the report, and its title; no address of the field."""
    if name not in registry.artefacts:
        return "", name
    artefact = registry.artefacts[name].target
    declared = paper(artefact.paper)
    title = f"{artefact.title}, {declared.authors} ({declared.year})"
    return f"{artefact.paper}.html#{artefact.paper}-{artefact.name}", title


def _score(standing):
    """Title of the metric of a standing."""
    return registry.tasks[standing["task"]].info["score_name"] or standing["metric"]


def card_list(
    families: dict[str, list[dict]], places: Mapping[str, Mapping[str, Any]] | None = None
) -> str:
    """The page that lists all cards, with filters.

    Parameters
    ----------
    families : dict of str to list of dict
        Cards by family.
    places : mapping, optional
        Of :func:`~nmfbench.comparison.leaderboards.places`.
    """
    return (
        environment()
        .get_template("cards.html")
        .render(
            families=families,
            places=places or {},
            text=lambda markup: Markup(to_html(markup or "")),
            exponents=exponents,
            constraints=constraints,
            baseline=lambda card: card["reference"] == "baseline",
            words={"theory": THEORY, "measured": MEASURED},
        )
    )


def constraints(card: dict) -> list[str]:
    """Requirements of a solver on data and factors, and its aims beyond a small loss."""
    able = card["abilities"]
    words = {
        "anchors": "components are data points",
        "labels": "clusters",
        "symmetric": "symmetric data",
        "square": "as many components as features",
        "signed": "negative data allowed",
    }
    return [text for name, text in words.items() if able.get(name)] + list(card["properties"])
