"""The same words earn the same verdicts, whatever program made the file: docs/producers.md lists the programs."""

import tomllib
from shutil import copyfile

import pytest

from grader.checks.finding import Status
from grader.reading import pandoc
from grader.result import Result
from tests.conftest import ROOT, results_in, run_grade

FOLDER = ROOT / "tests" / "producers"
MADE = {file.stem: file for file in sorted((FOLDER / "made").iterdir())}
SHEET = "sheet"
LOST = {
    "chromium-mathjax3-svg": {"q1.derivation", "q2.lora_alpha", "q2.values", "t3.statistics", "t4", "t5", "t7"},
}
"""What a file does not hold as text: items, or the questions of items, that a person may have to decide."""


NEEDS_PANDOC = {"pandoc-epub": "epub", "pandoc-org": "org", "pandoc-rst": "rst", "pandoc-rtf": "rtf"}
"""The formats of files that only pandoc reads."""


def read_here(name: str) -> object:
    """A recipe, skipped where its file cannot be read."""
    form = NEEDS_PANDOC.get(name)
    needs = pytest.mark.skipif(form not in (None, *pandoc._formats()), reason=f"needs a pandoc that reads {form}")
    return pytest.param(name, marks=needs)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    folder = tmp_path_factory.mktemp("producers")
    for name, file in {SHEET: FOLDER / "sheet.md", **MADE}.items():
        (folder / "class" / name).mkdir(parents=True)
        copyfile(file, folder / "class" / name / f"report{file.suffix}")
    done = run_grade(folder / "class", "--as", "class", "--out", folder / "graded", "--no-reports")
    assert done.returncode == 0, done.stderr
    return results_in(folder / "graded")


def test_each_kept_recipe_has_its_result() -> None:
    recipes = tomllib.loads((FOLDER / "recipes.toml").read_text("utf-8"))
    kept = {name for name, recipe in recipes.items() if "run" in recipe and recipe.get("kept", True)}
    assert set(MADE) == kept


@pytest.mark.parametrize("name", map(read_here, MADE))
def test_the_verdicts_are_those_of_the_sheet(name: str, results: dict[str, Result]) -> None:
    expected = {item.id: item.status for item in results[SHEET].items}
    found = {item.id: item for item in results[name].items}
    moved = {item: one for item, one in found.items() if one.status is not expected[item]}
    assert {item: one.status for item, one in moved.items() if one.status is not Status.REVIEW} == {}
    lost = LOST.get(name, set())
    assert [item for item in moved if item not in lost and item.partition(".")[0] not in lost] == []


@pytest.mark.parametrize("name", MADE)
def test_no_false_accusation(name: str, results: dict[str, Result]) -> None:
    accusing = {"arithmetic", "hidden-text", "statistics-mismatch", "table-contradiction", "outside-band"}
    assert {flag.id for flag in results[name].flags} & accusing == set()


def test_the_sheet_itself_is_right(results: dict[str, Result]) -> None:
    assert {item.status for item in results[SHEET].items} <= {Status.CORRECT, Status.REVIEW}
    assert results[SHEET].score >= 19
