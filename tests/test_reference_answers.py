"""The reference answers deserve full points, and get them."""

from pathlib import Path

from grader.checks.finding import Status
from tests.conftest import ROOT, results_in, run_grade


def test_the_reference_answers_earn_everything(tmp_path: Path) -> None:
    answers = ROOT / "reference" / "labs" / "nlp_frameworks" / "answers"
    done = run_grade(answers, "--out", tmp_path, "--no-reports")
    assert done.returncode == 0, done.stderr
    (result,) = results_in(tmp_path).values()
    assert [item.id for item in result.items if item.status is not Status.CORRECT] == []
    assert result.score == result.max_score == 20
    assert result.flags == ()
    assert [file.path for file in result.submission.files if file.state != "read"] == []
