"""The section of one artefact, as notebooks and the index page show it."""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.drawn import figure_data
from nmfbench.artefacts.style import (
    figure_style,
    save_photographs,
    save_picture,
    shows_photographs,
)
from nmfbench.cards.card import Evidence
from nmfbench.core import registry
from nmfbench.pages.environment import environment
from nmfbench.records.store import Store
from nmfbench.reports.changes import Changes, read_release
from nmfbench.reports.numbers import decided_by, named
from nmfbench.reports.outcomes import Outcome, outcomes
from nmfbench.reports.remembered import Remembered
from nmfbench.reports.sprite import Sprite, pack
from nmfbench.reports.trials import write_trials
from nmfbench.reports.two_targets import FILE_NAME, TwoTargets, read_two_targets
from nmfbench.verdicts.choice import choose_grid
from nmfbench.verdicts.evaluate import Evaluation, claim_rows, evaluate
from nmfbench.verdicts.numbers import number_rows
from nmfbench.verdicts.verdict import VERDICTS

__all__ = [
    "SECTION",
    "Section",
    "contents",
    "picture_path",
    "render_section",
    "section",
    "with_sentences",
    "write_pictures",
]

_LETTERS = 10  # of a title, an inch
_FOLDED = re.compile("<details>.*?</details>\n?", re.DOTALL)  # there are none within others

SECTION = "application/vnd.nmfbench.section"
"""MIME type under which the output of a notebook's cell holds a section for the rest of the report:
index page, cards and claims."""


@dataclass(frozen=True)
class Section:
    """An artefact as evaluated and drawn once, for all pages of a report.

    Attributes
    ----------
    evaluation : Evaluation
    html : str
        Picture or table, claims, data, assumptions, provenance.
    pictures : list of str
        Files of a figure, relative to the report; its picture comes first.
    evidence : Evidence or None
        What the cards show of it.
    trials : str or None
        Page of its trials, relative to the report.
    numbers : list of dict
        Rows of the numbers that the paper prints in it.
    """

    evaluation: Evaluation
    html: str
    pictures: list[str]
    evidence: Evidence | None
    trials: str | None
    numbers: list[dict] = field(default_factory=list)

    @property
    def brief(self) -> str:
        """The section without what is folded in it, and a link to the page that has all of it."""
        artefact = self.evaluation.artefact
        place = f"{artefact.paper}.html#{artefact.paper}-{artefact.name}"
        link = f'<p><a href="{place}">Tests, scores, choices and provenance</a></p>\n</section>'
        return _FOLDED.sub("", self.html).replace("</section>", link)

    def to_json(self) -> str:
        """Text that :meth:`from_json` reads; numbers that are not finite stay what they are."""
        values = {
            "evaluation": self.evaluation.to_dict(),
            "html": self.html,
            "pictures": self.pictures,
            "evidence": self.evidence and self.evidence.to_dict(),
            "trials": self.trials,
            "numbers": self.numbers,
        }
        return json.dumps(values, default=lambda number: number.item())  # numpy's numbers

    @classmethod
    def from_json(cls, text: str) -> Section:
        values = json.loads(text)
        evaluation = Evaluation.from_dict(values["evaluation"])
        evidence = values["evidence"] and Evidence.from_dict(values["evidence"], evaluation)
        rest = (values["html"], values["pictures"], evidence, values["trials"], values["numbers"])
        return cls(evaluation, *rest)

    def _repr_mimebundle_(self, include=None, exclude=None):
        """Output of a notebook cell: the section and, unseen, data for the rest of the report."""
        line = f"{self.evaluation.artefact.id}: {self.evaluation.title}"
        return {"text/html": self.html, "text/plain": line, SECTION: self.to_json()}


def section(artefact, *, store, profile=None, stand_in=False, output=".", only=None, since=None):
    """Evaluate an artefact, write its picture and its trials, and show it in a notebook.

    Where nothing has changed since an earlier report, all of it is as it was.

    Parameters
    ----------
    artefact : str
        Such as ``"robust-xray/fig3"``.
    store : path-like
    profile : {"smoke", "quick", "paper"}, optional
        By default the largest grid of whole repeats.
    stand_in : bool, default=False
    output : path-like
        Folder of the report; pictures go to ``figures`` in it.
    only : list of str, optional
        Artefacts of this report; any other gives nothing.
    since : path-like, optional
        Verdicts of a release, to compare with the verdicts of today.

    Returns
    -------
    Section or None
    """
    if only and artefact not in only:
        return None
    target = registry.artefacts[artefact].target
    asked = {"profile": profile, "stand_in": stand_in}
    beside = [Path(store) / FILE_NAME, *([] if since is None else [Path(since)])]
    with Store(store, create=False) as opened:
        grid = choose_grid(target, opened, profile=profile, stand_in=stand_in)
        remembered = Remembered(target, grid, opened, output, asked, beside)
        if (known := remembered.section()) is not None:
            return Section.from_json(known)
        evaluation = evaluate(target, opened, grid=grid, **asked)
        sprite = sprite_of(evaluation)
        pictures = write_pictures(evaluation, sprite, output)
        evidence = Evidence.of(evaluation)
        trials = write_trials(evaluation, output)
        numbers = number_rows(evaluation)
    changes = since and read_release(since).compare(claim_rows(evaluation), [artefact])
    twice = read_two_targets(store)
    found = outcomes(evaluation, evidence, numbers)
    html = render_section(evaluation, sprite, pictures, changes, trials, twice, found)
    made = Section(evaluation, html, pictures, evidence, trials, numbers)
    if evaluation.is_on(grid):
        remembered.keep(made.to_json(), filter(None, [*pictures, trials]))
    return made


def picture_path(artefact: Artefact, ending: str) -> str:
    """Where a file of a figure lies, relative to the report."""
    return f"figures/{artefact.paper}-{artefact.name}.{ending}"


def sprite_of(evaluation: Evaluation) -> Sprite | None:
    """Frames of the clips of a figure, if it has any."""
    artefact = evaluation.artefact
    strips = artefact.strips and evaluation.made("picture of frames", artefact.strips)
    return pack(strips) if strips else None


def write_pictures(evaluation: Evaluation, sprite: Sprite | None, output) -> list[str]:
    """Draw a figure into the report's folder, and write the numbers of its curves; paths there.

    Photographs lose a little in their WebP, drawings nothing. Tables are part of the page.
    """
    if evaluation.artefact.kind != "figure" or evaluation.table is None:
        return []
    with figure_style():
        figure = evaluation.draw()
        if figure is None:
            return []
        curves = figure_data(figure)
        names = [picture_path(evaluation.artefact, "webp")]
        path = Path(output) / names[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        if evaluation.stand_ins:
            title = f"stand-in data: {', '.join(evaluation.stand_ins)}"
            width = round(_LETTERS * figure.get_figwidth())
            figure.suptitle(textwrap.fill(title, width), color="firebrick")
        save = save_photographs if shows_photographs(figure) else save_picture
        save(figure, path)
        plt.close(figure)
    if curves is not None:
        for ending, text in (("csv", curves.csv()), ("js", curves.script(path.stem))):
            names.append(picture_path(evaluation.artefact, ending))
            (Path(output) / names[-1]).write_text(text, encoding="utf-8")
    if sprite is not None:
        names.append(picture_path(evaluation.artefact, "frames.webp"))
        sprite.save(Path(output) / names[-1])
    return names


def render_section(
    evaluation: Evaluation,
    sprite: Sprite | None = None,
    pictures: Sequence[str] = (),
    changes: Changes | None = None,
    trials: str | None = None,
    twice: TwoTargets | None = None,
    found: Sequence[Outcome] = (),
) -> str:
    """HTML of one artefact: what came out, picture or table, claims, assumptions, provenance.

    It leaves room for the sentences of the paper that it tests: their outcomes hang on the other
    sections, too, see :func:`with_sentences`.

    Parameters
    ----------
    evaluation : Evaluation
    sprite : Sprite, optional
    pictures : sequence of str
        What :func:`write_pictures` wrote.
    changes : Changes, optional
        Of its claims, since a release.
    trials : str, optional
        Page of its trials, relative to the report.
    twice : TwoTargets, optional
        Verdicts that hang on rounding.
    found : sequence of Outcome
    """
    tallies = {
        origin: _tally(v for claim, v in evaluation.verdicts if claim.origin == origin)
        for origin in ("paper", "ours")
    }
    numbers = picture_path(evaluation.artefact, "csv")
    return (
        environment()
        .get_template("artefact.html")
        .render(
            e=evaluation,
            decided_by=decided_by,
            picture=next(iter(pictures), None),
            table=_printed(evaluation),
            sprite=sprite,
            sprite_path=picture_path(evaluation.artefact, "frames.webp"),
            numbers=numbers if numbers in pictures else None,
            changes=changes,
            moved={move.now["id"]: move for move in changes.moved} if changes else {},
            trials=trials,
            twice=twice,
            found=found,
            tallies=tallies,
            named=named,
        )
    )


def _tally(verdicts):
    found = Counter(verdict.verdict for verdict in verdicts)
    return ", ".join(f"{found[word]} {word}" for word in VERDICTS if found[word])


def contents(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """Entries of the contents of a page: anchor, name, title and verdicts on the paper's claims."""
    return [
        {
            "anchor": f"{e.artefact.paper}-{e.artefact.name}",
            "name": named(e.artefact.name),
            "title": e.artefact.title,
            "counts": {
                word: sum(v.verdict == word for claim, v in e.verdicts if claim.origin == "paper")
                for word in VERDICTS
            },
        }
        for e in (section.evaluation for section in sections)
    ]


def with_sentences(html: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Fill the room that sections leave for the sentences of their paper.

    Parameters
    ----------
    html : str
        Of some sections.
    rows : sequence of dict
        Of :func:`~nmfbench.verdicts.sentences.sentence_rows`, of the same paper.
    """
    template = environment().get_template("of_section.html")

    def fill(room):
        tested = [
            row for row in rows if any(t["id"].startswith(f"{room[1]}/") for t in row["tests"])
        ]
        return template.render(rows=tested)

    return _ROOM.sub(fill, html)


_ROOM = re.compile("<!-- sentences of (.*?) -->")


def _printed(evaluation):
    """HTML of a table, or of the scores below a figure."""
    artefact, table = evaluation.artefact, evaluation.table
    if table is None or (artefact.kind == "figure" and artefact.scores is None):
        return None
    if artefact.kind == "table":
        printed = evaluation.draw()
    else:
        printed = evaluation.made("table of scores", artefact.scores)
    return (
        None if printed is None else printed.to_html(border=0, index=False, na_rep="", escape=True)
    )
