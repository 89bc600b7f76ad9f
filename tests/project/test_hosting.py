"""Workflows of hosted integration, and issue forms: their form, and what they call."""

import re
from pathlib import Path

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github"
WORKFLOWS = sorted(FOLDER.glob("workflows/*.yml"))
FORMS = sorted(FOLDER.glob("ISSUE_TEMPLATE/[!c]*.yml"))
TARGETS = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))

# An sdist has no settings of a host.
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="there is no .github here")


def violations(schema, paths):
    """Faults by a schema that check-jsonschema ships."""
    words = ["--builtin-schema", f"vendor.{schema}", *map(str, paths)]
    ended = CliRunner().invoke(check_jsonschema, words)
    return ended.output if ended.exit_code else ""


def test_workflows_and_forms_fit_their_schemas(tmp_path):
    """All files do; one with a slip does not."""
    assert WORKFLOWS
    assert {path.stem for path in FORMS} >= {"new-solver", "submit-records", "dispute-a-verdict"}
    assert violations("github-workflows", WORKFLOWS) == ""
    assert violations("github-issue-forms", FORMS) == ""
    slip = tmp_path / "form.yml"
    slip.write_text(FORMS[0].read_text(encoding="utf-8").replace("body:", "bodies:"))
    assert "bodies" in violations("github-issue-forms", [slip])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_targets_of_make_alone(path):
    """Whatever a host runs, anybody can run: each step calls a target that the Makefile has."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    for job in content["jobs"].values():
        chosen = [
            row["target"] for row in job.get("strategy", {}).get("matrix", {}).get("include", [])
        ]
        asked = (
            content[True].get("workflow_dispatch", {}).get("inputs", {})
        )  # "on" is true in YAML 1.1
        chosen += asked.get("target", {}).get("options", [])
        commands = [step["run"] for step in job["steps"] if "run" in step]
        assert commands
        for command in commands:
            program, target, *_ = re.sub(r"\$\{\{.*?\}\}", "CHOSEN", command).split()
            assert program == "make"
            assert set(chosen) <= TARGETS if target == "CHOSEN" else target in TARGETS
            assert chosen or target != "CHOSEN"
