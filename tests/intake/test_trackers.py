"""Folders that trackers of experiments keep."""

from pathlib import Path

import pytest

from grader.intake.names import is_of_tracker
from grader.intake.opening import may_hold_answers
from grader.intake.submission import Refusal, Role, Submission
from grader.reading.formats import read
from tests.reading.making import notebook, submitted


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("wandb/latest-run", True),
        ("code/wandb/run-1/logs/debug-core.log", True),
        ("mlruns/1/abc/params/seed", True),
        ("wandb/run-1/files/output.log", False),
        ("mlruns/report.pdf", False),
        ("wandb", False),
        ("logs/debug.log", False),
        ("", False),
    ],
)
def test_what_a_tracker_keeps_for_itself(path: str, own: bool) -> None:
    assert is_of_tracker(path) is own


def test_links_of_a_tracker_cast_no_doubt_on_what_is_missing() -> None:
    refused = [
        Refusal(path=path, reason="a link", is_many=True) for path in ("wandb/latest-run", "link", "wandb/debug.log")
    ]
    assert [may_hold_answers(one) for one in refused] == [False, True, False]


def test_a_parameter_that_a_tracker_keeps_is_no_report(tmp_path: Path) -> None:
    lone = submitted(tmp_path, "lab.ipynb", notebook({"cell_type": "code", "source": "train()"}), Role.NOTEBOOK)
    kept = submitted(tmp_path, "mlruns/1/abc/params/seed", "1", Role.OTHER)
    found = read(Submission(student_id="ada", student_name="", files=(lone, kept), sha256=""))
    assert {one.path: one.role for one in found.files}["mlruns/1/abc/params/seed"] is Role.OTHER
    assert found.documents == ()
