"""A right answer that the page hides earns nothing and is flagged; one that it shows earns its points."""

import hashlib
from pathlib import Path

import pytest

from grader.intake.submission import Role, Submission, SubmittedFile
from grader.pipeline.one import grade_submission
from grader.result import Result
from tests.reader.making import lab_and_truth
from tests.reading.unseen_ways import HIDING

ANSWER = "The model has 22,807,552 parameters in total."
PAGE = '<h1>Report</h1><h2>Question 2</h2><p>About the model.</p><div style="{}">{}</div>'
MARKDOWN = '# Report\n\n## Question 2\n\nAbout the model.\n\n<div style="{}">\n\n{}\n\n</div>\n'


def graded(folder: Path, name: str, text: str) -> Result:
    location = folder / name
    location.write_text(text, encoding="utf-8")
    digest = hashlib.sha256(location.read_bytes()).hexdigest()
    size = location.stat().st_size
    file = SubmittedFile(path=name, role=Role.REPORT, size=size, sha256=digest, location=location)
    submission = Submission(student_id="ada", student_name="Ada", files=(file,), sha256=digest)
    return grade_submission(submission, *lab_and_truth())


@pytest.mark.parametrize(("name", "form"), [("report.html", PAGE), ("report.md", MARKDOWN)])
def test_a_hidden_answer_earns_nothing_and_is_flagged(tmp_path: Path, name: str, form: str) -> None:
    seen = graded(tmp_path, name, form.format("color:#333", ANSWER))
    assert seen.score > 0
    assert "hidden-text" not in {flag.id for flag in seen.flags}
    for way in ("display", "white", "left", "variable", "clip", "size"):
        unseen = graded(tmp_path, name, form.format(HIDING[way], ANSWER))
        (flag,) = [flag for flag in unseen.flags if flag.id == "hidden-text"]
        assert unseen.score == 0, way
        assert [place.quote for place in flag.evidence] == [ANSWER]
