"""A landing page with all that there is to say, for the tests of its size."""

from __future__ import annotations

import itertools
import shutil

import pandas as pd
from PIL import Image

from nmfbench.comparison.criteria import criterion_of, why_no_criterion
from nmfbench.comparison.leaderboards import Leaderboard
from nmfbench.core import registry
from nmfbench.pages.environment import ASSETS
from nmfbench.papers.paper import paper
from nmfbench.problems.noise import NOISES
from nmfbench.reports.claims import write_claims
from nmfbench.reports.findings import findings
from nmfbench.reports.landing import write_landing
from nmfbench.reports.section import Section, picture_path
from nmfbench.reports.sentences import STATES
from nmfbench.verdicts.evaluate import Evaluation, claim_rows
from nmfbench.verdicts.verdict import VERDICTS, Look, Verdict

_NOISY = ("recognition", "reconstruction")


def full_landing(folder):
    """Write the page of all papers, with all kinds of verdicts, and of all claims; its path."""
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    papers = list(dict.fromkeys(artefact.paper for artefact in artefacts))
    words = itertools.cycle(VERDICTS)
    sections = [_section(artefact, words, folder) for artefact in artefacts]
    jobs = [(task, None) for task in registry.tasks if why_no_criterion(task) is None]
    jobs += itertools.product(_NOISY, NOISES)
    boards = [_board(task, corruption) for task, corruption in jobs]
    shutil.copytree(ASSETS, folder / "assets")
    (folder / "records").mkdir()
    (folder / "comparison").mkdir()
    (folder / "comparison" / "index.html").touch()
    states = itertools.cycle(STATES)
    sentences = [_sentence(key, next(states)) for key in papers for _ in range(40)]
    write_claims([section.evaluation for section in sections], folder)
    found = findings(
        row
        for section in sections
        for row in claim_rows(
            section.evaluation, paper(section.evaluation.artefact.paper).sentences
        )
    )
    index, *_ = write_landing(
        sections, papers, boards, folder, None, sentences=sentences, found=found
    )
    return index


def _sentence(paper, state):
    outcome, tests = ("open", []) if state == "no test yet" else (state, ["fig1/first"])
    return {"paper": paper, "outcome": outcome, "tests": tests, "untestable": None}


def _section(artefact, words, folder):
    numbers = {"effect": -0.0123, "interval": (-0.0345, 0.0123), "level": 0.9987}
    numbers |= {"p_value": 0.00123, "p_adjusted": 0.0123, "n": 30}
    counts = {"done": 1234, "total": 1234, "paper_total": artefact.paper_total}
    verdicts = [
        (claim, Verdict(next(words), data="stand-in", **numbers, **counts))
        for claim in artefact.claims
    ]
    pictures = []
    if artefact.kind == "figure":
        pictures = [picture_path(artefact, "png")]
        (folder / pictures[0]).parent.mkdir(exist_ok=True)
        Image.new("RGB", (900, 450), "gray").save(folder / pictures[0])
    evaluation = Evaluation(
        artefact,
        profile="paper",
        whole=12,
        repeats=20,
        look=Look(12, 20),
        table=None,
        records=None,
        verdicts=verdicts,
        broken=[],
        data={},
        done=artefact.paper_total // 3,
        failed=0,
        left_out=0,
        total=1234,
        failures={},
        code=[],
        hosts=[],
        versions=[],
        finished=None,
        started=None,
        contents={},
    )
    return Section(evaluation, "", pictures, None, None)


def _board(task, corruption):
    methods = list(registry.solvers)
    level = ["first", *["level"] * (len(methods) - 1)]
    return Leaderboard(
        criterion_of(task),
        corruption,
        None,
        None,
        ["the faces of the Olivetti laboratory", "digits"],
        repeats=12,
        asked=len(methods),
        table=pd.DataFrame({"method": methods, "mean_rank": 2.0, "standing": level}),
        scores=pd.DataFrame(),
        agreement=0.5,
        first_of_halves=(methods[0], methods[1]),
    )
