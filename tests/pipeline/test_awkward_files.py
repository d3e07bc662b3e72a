"""One odd file beside a good report is no reason to doubt what the report and the code say."""

import shutil
from functools import cache
from pathlib import Path

import pytest

from grader.checks.finding import Status
from grader.intake.layouts import Layout, find_sources
from grader.lab.files import lab_folder, load_truth
from grader.pipeline.one import grade_source
from tests.awkward import AWKWARD, Awkward
from tests.claims.making import lab
from tests.conftest import ROOT

REPORT = ROOT / "submissions" / "student-06" / "report.md"
"""Right in part, wrong in part, and silent on what only code shows."""


def statuses(folder: Path, work: Path) -> dict[str, Status]:
    (source,), _ = find_sources(folder, Layout.STUDENT)
    work.mkdir()
    result = grade_source(source, lab(), load_truth(lab_folder("nlp-frameworks")), work)
    return {item.id: item.status for item in result.items}


@cache
def alone(place: Path) -> dict[str, Status]:
    folder = place / "alone"
    folder.mkdir()
    shutil.copy(REPORT, folder)
    return statuses(folder, place / "alone-work")


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Status]:
    return alone(tmp_path_factory.mktemp("base"))


@pytest.mark.parametrize("awkward", AWKWARD.values(), ids=AWKWARD)
def test_an_odd_file_leaves_in_doubt_only_what_it_could_answer(
    awkward: Awkward, without: dict[str, Status], tmp_path: Path
) -> None:
    folder = tmp_path / "student"
    folder.mkdir()
    shutil.copy(REPORT, folder)
    awkward.make(folder)
    found = statuses(folder, tmp_path / "work")
    moved = {item for item, status in found.items() if status is not without[item]}
    assert {item for item in moved if not item.startswith(tuple(awkward.may_hold.split()) or ("-",))} == set()
    assert all(found[item] is Status.REVIEW for item in moved)
    assert not any(without[item] is Status.CORRECT for item in moved), "what is right is right whatever was not read"


def test_without_a_report_an_unreadable_notebook_may_hold_every_answer(tmp_path: Path) -> None:
    folder = tmp_path / "student"
    folder.mkdir()
    AWKWARD["an empty notebook"].make(folder)
    found = statuses(folder, tmp_path / "work")
    assert set(found.values()) == {Status.REVIEW}
