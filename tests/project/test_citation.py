"""The citation file: its form, and its agreement with the package and its papers."""

import json
from pathlib import Path

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner
from packaging.version import Version

import nmfbench
from nmfbench.core import registry
from nmfbench.papers.paper import paper
from tools.version import codemeta, package_version, releases

FILE = Path(__file__).parents[2] / "CITATION.cff"
PAPERS = sorted({entry.key.partition("/")[0] for entry in registry.artefacts.entries()})


def violations(path):
    """Faults by the schema of the Citation File Format, which check-jsonschema ships."""
    schema = ["--builtin-schema", "vendor.citation-file-format"]
    ended = CliRunner().invoke(check_jsonschema, [*schema, str(path)])
    return ended.output if ended.exit_code else ""


def test_the_citation_fits_its_schema(tmp_path):
    """The file is valid in version 1.2.0 of the format; one with a slip is not."""
    assert violations(FILE) == ""
    text = FILE.read_text(encoding="utf-8")
    assert "cff-version: 1.2.0" in text
    slip = tmp_path / FILE.name
    slip.write_text(text.replace("type: report", "type: web-page"), encoding="utf-8")
    assert "preferred-citation" in violations(slip)


def test_the_report_is_what_should_be_cited():
    """The preferred citation is of the last release, as the file is."""
    cited = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    assert (cited["version"], str(cited["date-released"])) == releases()[0]
    assert cited["preferred-citation"]["version"] == cited["version"]
    assert cited["preferred-citation"]["year"] == cited["date-released"].year


def test_the_package_is_of_the_last_release_or_of_what_comes_next():
    """Its version is the only source, and wherever another stands it is that of the release."""
    assert package_version() == nmfbench.__version__
    (newest, _), *_ = releases()
    release, dot, _ = nmfbench.__version__.partition(".dev")
    assert (Version(release) > Version(newest)) if dot else release == newest


def test_codemeta_follows_from_the_citation():
    """``python -m tools.version`` writes it: names, licence, version, papers with addresses."""
    text = (FILE.parent / "codemeta.json").read_text(encoding="utf-8")
    assert text == codemeta()
    found = json.loads(text)
    assert (found["version"], found["datePublished"]) == releases()[0]
    assert len(found["referencePublication"]) == len(PAPERS)


@pytest.mark.parametrize("key", PAPERS)
def test_each_paper_is_cited(key):
    """The references have the title, authors, year and address that its package declares."""
    references = yaml.safe_load(FILE.read_text(encoding="utf-8"))["references"]
    assert len(references) == len(PAPERS)
    declared = paper(key)
    (found,) = [item for item in references if item["title"] == declared.title]
    *most, last = [author["family-names"] for author in found["authors"]]
    assert f"{', '.join(most)} & {last}" == declared.authors
    assert found["year"] == declared.year
    assert found.get("url", "") == declared.url
    assert found.get("doi", "") in declared.url
