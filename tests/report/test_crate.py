"""The RO-Crate of a report: its form, and that it says what the report says."""

import json
from pathlib import Path

import pytest
import requests
from rocrate.rocrate import ROCrate
from rocrate.vocabs import RO_CRATE
from rocrate_validator import services
from rocrate_validator.models import ValidationSettings

from nmfbench.verdicts.verdict import percent

CONTEXT = "https://w3id.org/ro/crate/1.3/context"


@pytest.fixture(scope="module")
def crate(smoke_report):
    """The crate of a smoke report, as a reader of crates has it."""
    return ROCrate(smoke_report.folder)


@pytest.fixture
def without_network(monkeypatch):
    """Every request is for the context of RO-Crate, which is answered from the library's copy."""

    def send(self, request, **_):
        assert request.url == CONTEXT, f"asked for {request.url}"
        response = requests.Response()
        response.status_code, response.url, response.request = 200, request.url, request
        response.headers["Content-Type"] = "application/ld+json"
        response._content = json.dumps(RO_CRATE).encode()
        return response

    monkeypatch.setattr("requests.adapters.HTTPAdapter.send", send)


def issues(folder):
    """Faults that the validator finds in a crate, but for files."""
    settings = ValidationSettings(
        rocrate_uri=str(folder),
        profile_identifier="ro-crate-1.3",
        metadata_only=True,
        no_cache=True,
    )
    return [issue.message for issue in services.validate(settings).get_issues()]


def excerpt(content):
    """A crate with three reviews of claims, and without the cards: it is validated in seconds."""
    reviews = [e["@id"] for e in content["@graph"] if e["@type"] == "ClaimReview"]

    def stays(entity):
        name = entity["@id"]
        if name.startswith("solvers/"):
            return False
        of_claims = entity["@type"] in ("ClaimReview", "PropertyValue")
        return not of_claims or any(name == r or name.startswith(f"{r}/") for r in reviews[:3])

    graph = [entity for entity in content["@graph"] if stays(entity)]
    names = {entity["@id"] for entity in graph}
    for entity in graph:
        if entity["@id"] == "./":
            entity["hasPart"] = [part for part in entity["hasPart"] if part["@id"] in names]
    return content | {"@graph": graph}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what the validator uses
def test_the_crate_is_valid(smoke_report, without_network, tmp_path):
    """The validator of RO-Crates finds nothing in it, and something in one without a licence."""
    file = tmp_path / "ro-crate-metadata.json"
    content = excerpt(json.loads((smoke_report.folder / file.name).read_text(encoding="utf-8")))
    file.write_text(json.dumps(content))
    assert issues(tmp_path) == []
    (root,) = (entity for entity in content["@graph"] if entity["@id"] == "./")
    del root["license"]
    file.write_text(json.dumps(content))
    assert any("license" in message for message in issues(tmp_path))


def test_each_artefact_has_the_action_that_made_it(smoke_report, crate):
    """Notebook, software, data, records, files, and when the records were computed."""
    for artefact in smoke_report.artefacts:
        action = crate.get(f"#{artefact.id}")
        assert action.type == "CreateAction"
        assert action in crate.root_dataset["mentions"]
        notebook, software = action["instrument"]
        assert notebook.id == f"{artefact.paper}.ipynb"
        assert software["version"]
        records, *data = action["object"]
        assert records.id == "#records"
        assert data
        results = action["result"]
        files = results if isinstance(results, list) else [results]
        assert all((smoke_report.folder / file.id).is_file() for file in files)
        if artefact.kind == "figure":
            kind = {".png": "image/png", ".webp": "image/webp"}[Path(files[0].id).suffix]
            assert files[0]["encodingFormat"] == kind
        assert action["startTime"] <= action["endTime"]


def test_files_are_parts(smoke_report, crate):
    """Every file of the report but the two that are written last; their sums stand elsewhere."""
    files = {file.id: file for file in crate.root_dataset["hasPart"]}
    there = {
        path.relative_to(smoke_report.folder).as_posix()
        for path in smoke_report.folder.rglob("*")
        if path.is_file()
    }
    assert set(files) == there - {"SHA256SUMS", "ro-crate-metadata.json"}
    assert all(file["encodingFormat"] for file in files.values())
    assert not any("sha256" in file.properties() for file in files.values())


def test_claims_stand_with_verdict_and_numbers(smoke_report, crate):
    """Each claim of a paper has its words, verdict, effect, what is printed, and the paper."""
    every = json.loads((smoke_report.folder / "claims.json").read_text(encoding="utf-8"))
    rows = [row for row in every if row["origin"] == "paper"]
    for row in rows:
        review = crate.get(f"#{row['id']}")
        assert review["claimReviewed"] == row["statement"]
        assert review["reviewRating"]["name"] == row["verdict"]
        assert review["citation"].type == "ScholarlyArticle"
        values = review.get("additionalProperty") or []
        numbers = {
            value["name"]: value for value in (values if isinstance(values, list) else [values])
        }
        assert ("effect" in numbers) == (row["effect"] is not None)
        assert ("printed in the paper" in numbers) == bool(row["reported"])
        if "effect" in numbers:
            assert numbers["effect"]["value"] == row["effect"]
            level = None if row["level"] is None else f"{percent(row['level'])} interval"
            assert numbers["effect"].get("description") == level
        assert ("interim, " in review["keywords"]) == (row["verdict"] != "not run")
    reviews = [entity for entity in crate.get_entities() if entity.type == "ClaimReview"]
    assert len(reviews) == len(rows)


def test_the_crate_is_small_and_names_no_folder(smoke_report):
    """Less than a megabyte, an entity a line."""
    text = (smoke_report.folder / "ro-crate-metadata.json").read_text(encoding="utf-8")
    assert len(text.encode()) < 1_000_000
    assert str(smoke_report.folder) not in text
    assert len(text.splitlines()) == len(json.loads(text)["@graph"]) + 2
