"""``codecheck.yml``: which files of a report a codechecker has to regenerate.

The form is that of the CODECHECK configuration file, version 1.0. It knows one paper, the one whose
workflow is checked, which is the report; the papers that the report is about have an
additional node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

import nmfbench
from nmfbench.papers.paper import paper
from nmfbench.reports.section import Section

__all__ = ["write_codecheck"]

_HEAD = """\
# Written with the report. A codechecker adds: codechecker (name and ORCID), report, summary,
# check_time and certificate.
"""


def write_codecheck(sections: Sequence[Section], papers: Iterable[str], output: Path) -> Path:
    """Write ``codecheck.yml`` of a report; its path.

    Parameters
    ----------
    sections : sequence of Section
    papers : iterable of str
        Keys of the papers.
    output : Path
        Folder of the report.
    """
    manifest = [{"file": "claims.json", "comment": "verdicts on all claims, as data"}]
    for key in papers:
        manifest.append({"file": f"{key}.html", "comment": f"all tables and figures of {key}"})
        manifest += [
            {"file": name, "comment": f"{made.evaluation.artefact.id}: {made.evaluation.title}"}
            for made in sections
            if made.evaluation.artefact.paper == key
            for name in made.pictures
        ]
    content = {
        "version": "https://codecheck.org.uk/spec/config/1.0/",
        "source": "The package nmfbench. 'make report' draws the manifest from the published "
        "records, 'make reproduce' computes some of these again and says how many agree, and "
        "'nmfbench audit' does so with a sample. Data sets have homes of their own: 'nmfbench "
        "list datasets'.",
        "manifest": manifest,
        "paper": {
            "title": "nmfbench: what holds of papers on non-negative matrix factorization",
            "authors": [{"name": "The nmfbench developers"}],
            "reference": f"nmfbench {nmfbench.__version__}, see its CITATION.cff",
        },
        "nmfbench_papers": [_reference(key) for key in papers],
    }
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100, version=(1, 1))
    directive, start, document = text.partition("---\n")
    path = output / "codecheck.yml"
    path.write_text(f"{directive}{start}{_HEAD}{document}", encoding="utf-8")
    return path


def _reference(key):
    found = paper(key)
    where = {"reference": found.url} if found.url else {}
    return {"title": found.title, "authors": found.authors, "year": found.year} | where
