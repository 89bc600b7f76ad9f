"""``ro-crate-metadata.json``: how the figures of a report came about, and what became of claims.

The form is that of RO-Crate 1.3. Each figure or table has a ``CreateAction``: its instruments are
the notebook that draws it and this package, its objects are the data and the records, its time is
that of the records. Each claim of a paper has a ``ClaimReview`` with the verdict, the effect, and
what the paper prints; questions of our own, which nobody claims, stand in ``claims.json`` only. It
states nothing that the records or the pages do not state, and no check sums of files:
``SHA256SUMS`` has them.
"""

from __future__ import annotations

import json
import mimetypes
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

import nmfbench
from nmfbench.datasets.base import dataset_info
from nmfbench.papers.paper import paper
from nmfbench.records.provenance import commit
from nmfbench.reports.section import Section
from nmfbench.verdicts.evaluate import Evaluation, claim_rows
from nmfbench.verdicts.verdict import VERDICTS, percent

__all__ = ["write_crate"]

_FORMATS = {
    ".ipynb": "application/x-ipynb+json",
    ".parquet": "application/vnd.apache.parquet",
    ".webp": "image/webp",
}
_LICENCE = "https://spdx.org/licenses/BSD-3-Clause"
_SOFTWARE, _LANGUAGE = "#nmfbench", "#python"
_AUTHORS, _RECORDS = "#developers", "#records"


def write_crate(
    sections: Sequence[Section], papers: Sequence[str], files: Iterable[Path], output: Path
) -> Path:
    """Write ``ro-crate-metadata.json`` of a report; its path.

    Parameters
    ----------
    sections : sequence of Section
    papers : sequence of str
        Keys of the papers.
    files : iterable of Path
        All files of the report.
    output : Path
        Folder of the report.
    """
    evaluations = [section.evaluation for section in sections]
    crate = ROCrate(version="1.3")
    _describe(crate, papers)
    _add_files(crate, files, output, {f"{key}.ipynb" for key in papers})
    for key in papers:
        _add_paper(crate, key)
    for evaluation in evaluations:
        _add_data(crate, evaluation)
    actions = [_add_action(crate, section) for section in sections if section.evaluation.finished]
    for word in VERDICTS:
        _add(crate, f"#{word.replace(' ', '-')}", "Rating", name=word, alternateName=word)
    for evaluation in evaluations:
        for row in claim_rows(evaluation):
            if row["origin"] == "paper":
                _add_review(crate, row, evaluation)
    crate.root_dataset["mentions"] = actions
    path = output / crate.metadata.id
    content = crate.metadata.generate()
    # An entity a line: small, and a change of one shows as one.
    tight: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}
    lines = [json.dumps(entity, **tight) for entity in content["@graph"]]
    context, graph = json.dumps(content["@context"]), ",\n".join(lines)
    path.write_text(f'{{"@context": {context}, "@graph": [\n{graph}\n]}}\n', encoding="utf-8")
    return path


def _add(crate, identifier, kind, /, **properties):
    """Add an entity that is no file; properties that are None are left out, lists of one undone."""
    known = {
        name: value[0] if isinstance(value, list) and len(value) == 1 else value
        for name, value in properties.items()
        if value is not None
    }
    return crate.add(ContextEntity(crate, identifier, {"@type": kind} | known))


def _describe(crate, papers):
    authors = _add(crate, _AUTHORS, "Organization", name="The nmfbench developers")
    licence = _add(crate, _LICENCE, "CreativeWork", name="BSD 3-Clause", identifier=_LICENCE)
    software = _add(
        crate,
        _SOFTWARE,
        "CreativeWork",  # a SoftwareApplication would have to have a url
        name="nmfbench",
        version=nmfbench.__version__,
        identifier=commit(),
        license=licence,
        author=authors,
    )
    language = {"url": "https://www.python.org/", "version": platform.python_version()}
    _add(crate, _LANGUAGE, "ComputerLanguage", name="Python", **language)
    crate.name = (
        f"nmfbench: what holds of {len(papers)} papers on non-negative matrix factorization"
    )
    crate.description = (
        "Tables and figures of papers on non-negative matrix factorization, regenerated, with "
        "verdicts on what the papers claim. The identifier of a claim is its anchor in claims.html."
    )
    crate.license = licence
    crate.publisher = crate.root_dataset["author"] = authors
    crate.root_dataset["isBasedOn"] = software
    _add(
        crate,
        _RECORDS,
        "CreativeWork",
        name="Records of all trials",
        description="Those in the folder records, if the report has one; else in a store of "
        "nmfbench. Each has its host, time, versions, and hash of its data.",
    )


def _add_files(crate, files, output, notebooks):
    for path in sorted(files):
        name = path.relative_to(output).as_posix()
        kind = _FORMATS.get(path.suffix) or mimetypes.guess_type(name)[0]
        properties: dict[str, Any] = {"encodingFormat": kind or "application/octet-stream"}
        if name in notebooks:
            kinds = ["File", "SoftwareSourceCode"]
            language = {"@id": _LANGUAGE}
            properties |= {"@type": kinds, "name": name, "programmingLanguage": language}
        crate.add_file(path, name, properties=properties)


def _add_paper(crate, key):
    found = paper(key)
    _add(
        crate,
        _paper_id(key),
        "ScholarlyArticle",
        name=found.title,
        creditText=f"{found.authors} ({found.year})",
        datePublished=str(found.year),
        url=found.url or None,
    )


def _paper_id(key):
    return paper(key).url or f"#{key}"


def _add_data(crate, evaluation: Evaluation):
    for name, what in evaluation.data.items():
        info = dataset_info(name)
        _add(
            crate,
            _data_id(evaluation, name),
            "CreativeWork",
            name=what if _is_made(what) else name,
            description=info["source"],
            usageInfo=info["licence"],
            sha256=evaluation.contents.get(name),
        )


def _data_id(evaluation, name):
    """A data set by its name, and the begin of its content's hash or that it is a stand-in."""
    content = evaluation.contents.get(name, "")[:12]
    return "/".join(
        filter(None, ["#data", name, content or "stand-in" * _is_made(evaluation.data[name])])
    )


def _is_made(what):
    return what.endswith("(synthetic stand-in)")


def _add_action(crate, section: Section):
    made = section.evaluation
    artefact = made.artefact
    results = section.pictures or [f"{artefact.paper}.html"]
    return _add(
        crate,
        f"#{artefact.id}",
        "CreateAction",
        name=f"{artefact.id}: {made.title}",
        description=f"nmfbench reproduce {artefact.id} --profile {made.profile}: {made.done} of "
        f"{made.total} trials done, {made.failed} failed",
        agent={"@id": _AUTHORS},
        instrument=[{"@id": f"{artefact.paper}.ipynb"}, {"@id": _SOFTWARE}],
        object=[{"@id": _RECORDS}, *({"@id": _data_id(made, name)} for name in made.data)],
        result=[{"@id": name} for name in results],
        startTime=made.started,
        endTime=made.finished and made.finished[1],
    )


def _add_review(crate, row, evaluation: Evaluation):
    """The review of a claim, a row of :func:`claim_rows`."""
    identifier, values = f"#{row['id']}", []
    if row["effect"] is not None:
        low, high = row["interval"] or (None, None)
        effect = {"name": "effect", "value": row["effect"], "minValue": low, "maxValue": high}
        if row["level"] is not None:
            effect["description"] = f"{percent(row['level'])} interval"
        values.append(_add(crate, f"{identifier}/effect", "PropertyValue", **effect))
    if row["reported"]:
        printed = {"name": "printed in the paper", "value": row["reported"]}
        values.append(_add(crate, f"{identifier}/printed", "PropertyValue", **printed))
    _add(
        crate,
        identifier,
        "ClaimReview",
        name=row["id"],
        claimReviewed=row["statement"],
        keywords="; ".join(_keywords(row, evaluation)),
        citation={"@id": _paper_id(evaluation.artefact.paper)},
        reviewRating={"@id": f"#{row['verdict'].replace(' ', '-')}"},
        isBasedOn={"@id": f"#{row['artefact']}"} if evaluation.finished else None,
        additionalProperty=values or None,
    )


def _keywords(row, evaluation):
    """Where the claim stands, and how far its grid is."""
    yield row["source"]
    if evaluation.look_text and row["verdict"] != "not run":
        yield evaluation.look_text
