"""A right answer that the page hides earns nothing and is flagged; one that it shows earns its points."""

import hashlib
from pathlib import Path

import pytest

from grader.checks.finding import Status
from grader.intake.submission import Role, Submission, SubmittedFile
from grader.pipeline.one import grade_submission
from grader.result import Result
from tests.reader.making import lab_and_truth
from tests.reading.making import pdf, to_unicode
from tests.reading.making import text as drawn
from tests.reading.unseen_ways import HIDING

ANSWER = "The model has 22,807,552 parameters in total."
PAGE = '<h1>Report</h1><h2>Question 2</h2><p>About the model.</p><div style="{}">{}</div>'
MARKDOWN = '# Report\n\n## Question 2\n\nAbout the model.\n\n<div style="{}">\n\n{}\n\n</div>\n'


def graded(folder: Path, name: str, text: str | bytes) -> Result:
    location = folder / name
    location.write_bytes(text.encode() if isinstance(text, str) else text)
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


HEAD = drawn(72, 720, "Question 2", size=16) + drawn(72, 690, "About the model.")
FONT = "/X << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [{}] >> /ToUnicode 5 0 R >>"


def graded_pdf(folder: Path, written: str, differences: str = "") -> Result:
    content = pdf(HEAD + written, fonts=FONT.format(differences), objects=[to_unicode(*"0123456789")])
    return graded(folder, "report.pdf", content)


@pytest.mark.parametrize(
    ("written", "differences", "hidden"),
    [
        (f"1 g {drawn(72, 660, ANSWER)} 0 g ", "", ANSWER),
        (f"3 Tr {drawn(72, 660, ANSWER)} 0 Tr ", "", ANSWER),
        (drawn(72, 660, ANSWER, font="X"), "53 /six", "22,807,552"),
        (drawn(72, 660, ANSWER, font="X"), "48" + " /space" * 10, "22 807 552"),
    ],
    ids=["white", "invisible", "a font that shows a 6 for a 5", "a font that shows no digits"],
)
def test_an_answer_that_a_pdf_does_not_show_earns_nothing_and_is_flagged(
    tmp_path: Path, written: str, differences: str, hidden: str
) -> None:
    seen = graded_pdf(tmp_path, drawn(72, 660, ANSWER, font="X"))
    assert seen.score > 0
    assert "hidden-text" not in {flag.id for flag in seen.flags}
    unseen = graded_pdf(tmp_path, written, differences)
    (flag,) = [flag for flag in unseen.flags if flag.id == "hidden-text"]
    assert unseen.score == 0
    assert [place.quote for place in flag.evidence] == [hidden]


def graded_cut(folder: Path, line: str, heading: str = "Question 1") -> dict[str, Status]:
    """The verdicts about a page of which one line runs over the edge."""
    page = drawn(72, 720, heading, size=16) + drawn(72, 690, "About the model.") + drawn(500, 660, line)
    result = graded(folder, "report.pdf", pdf(page))
    assert not result.flags
    return {one.id: one.status for one in result.items}


def test_a_line_that_the_edge_cuts_leaves_in_doubt_what_may_stand_there_and_nothing_else(tmp_path: Path) -> None:
    in_section = graded_cut(tmp_path, "In all that makes 22,807,552 parameters.")
    assert (in_section["q1.total"], in_section["t8.prompt"]) == (Status.REVIEW, Status.MISSING)
    elsewhere = graded_cut(tmp_path, "We trained each of them for three hours.", "Introduction")
    assert (elsewhere["q1.total"], elsewhere["t8.prompt"]) == (Status.MISSING, Status.MISSING)
    speaking = graded_cut(tmp_path, "For this we wrote a template: <human>: what is", "Introduction")
    assert (speaking["q1.total"], speaking["t8.prompt"]) == (Status.MISSING, Status.REVIEW)


def test_a_wrong_answer_stays_wrong_unless_the_edge_cuts_its_line(tmp_path: Path) -> None:
    wrong = "bnb_config = BitsAndBytesConfig(load_in_4bits=True)  # in all layers of the model"
    beside = drawn(72, 660, wrong) + drawn(480, 630, "This is how we have loaded the model.")
    for written, status in ((beside, Status.INCORRECT), (drawn(300, 660, wrong), Status.REVIEW)):
        result = graded(tmp_path, "report.pdf", pdf(drawn(72, 720, "Task 6", size=16) + written))
        assert {one.id: one.status for one in result.items}["t6.quantization"] is status
