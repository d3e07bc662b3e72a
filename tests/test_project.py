"""What builds and tests the project names things that are there."""

import re
import tomllib
from typing import Any

import yaml

from tests.conftest import ROOT

VERSIONS = ["3.11", "3.12", "3.13", "3.14"]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_the_workflow_runs_what_people_run() -> None:
    """Make's targets, on both systems, on every version of Python that is promised."""
    workflow: dict[Any, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    jobs = workflow["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    made = [step["run"].split() for step in steps if "run" in step and "if" not in step]
    assert {command[0] for command in made} == {"make"}
    assert {"lint", "test", "grade", "docs", "wheel"} <= {command[1] for command in made} <= targets()
    assert jobs["test"]["strategy"]["matrix"] == {"system": ["ubuntu-latest", "macos-latest"], "python": VERSIONS}
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'requires-python = ">={VERSIONS[0]}"' in project


def test_continuous_integration_lints_before_it_tests() -> None:
    commands = re.findall(r"^make (\S+)$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    assert commands == ["lint", "test"]


def test_every_page_of_the_documentation_is_in_the_site() -> None:
    """`make docs` ends with an error where one is missing; here it is told sooner."""
    shown = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} | {"index.md"}
    above = {path.name for path in ROOT.glob("*.md")} - {"README.md"}
    assert shown == pages | above


def test_versions_are_fixed_for_all_that_is_named() -> None:
    """Else two installations may differ, and with them what is read."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    fixed = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    }
    dependencies = {re.split(r"[<>=\[]", name)[0].lower().replace("_", "-") for name in named}
    assert dependencies - fixed == set()
