"""A file that ends the process that reads it costs that file alone."""

import shutil
from pathlib import Path

import pytest

from grader.checks.finding import Status
from grader.intake.submission import Source
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline.cage import OPENED
from grader.pipeline.isolation import Outcome
from grader.pipeline.worker import HELP, SENT_RESULT, Job, follow_up_job
from grader.reading.formats import TOO_MUCH
from tests.conftest import results_in, run_grade
from tests.hostile.generate import hand_ins

NOTES = "# Question 1\n\nThe total is 22,807,552.\n"
RST = "Question 1\n==========\n\nThe total is 22,807,552.\n"


def test_a_pdf_that_takes_all_memory_is_unreadable_and_the_rest_is_graded(tmp_path: Path) -> None:
    student = tmp_path / "class" / "student"
    student.mkdir(parents=True)
    dict(hand_ins())["pdf-marked"](student)
    (student / "notes.md").write_text(NOTES, encoding="utf-8")
    done = run_grade(tmp_path / "class", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    result = results_in(tmp_path / "out")["student"]
    assert result.error is None
    assert {file.path: (file.state, file.reason) for file in result.submission.files} == {
        "notes.md": ("read", None),
        "report.pdf": ("unreadable", TOO_MUCH),
    }
    items = {item.id: item.status for item in result.items}
    assert items.pop("q1.total") is Status.CORRECT
    assert Status.MISSING not in items.values()
    assert (tmp_path / "out" / "student" / "report.html").exists()


@pytest.mark.skipif(not shutil.which("pandoc"), reason="needs pandoc")
def test_what_pandoc_converts_is_read_also_where_no_program_may_run(tmp_path: Path) -> None:
    for student in ("ada", "ben"):
        (tmp_path / "class" / student).mkdir(parents=True)
    (tmp_path / "class" / "ada" / "report.rst").write_text(RST, encoding="utf-8")
    (tmp_path / "class" / "ben" / "report.md").write_text(NOTES, encoding="utf-8")
    done = run_grade(tmp_path / "class", "--out", tmp_path / "out", "--no-reports")
    assert done.returncode == 0, done.stderr
    for result in results_in(tmp_path / "out").values():
        assert [file.state for file in result.submission.files] == ["read"]
        assert {item.status for item in result.items if item.id == "q1.total"} == {Status.CORRECT}


def test_what_is_done_anew_and_how_often(tmp_path: Path) -> None:
    """A helper once, pictures given up once, three files left out; never what ended well or may end no better."""
    place = lab_folder("nlp-frameworks")
    source = Source(student_id="ada", student_name="Ada", path=tmp_path)
    job = Job(source, load_lab(place), load_truth(place), tmp_path / "work", with_report=True)

    def next_of(one: Job, *messages: bytes, failure: str | None = "killed") -> Job | None:
        return follow_up_job(one, Outcome(one, messages, failure))

    helped = next_of(job, HELP, failure=None)
    assert helped is not None
    assert helped.converts
    assert next_of(helped, HELP, failure=None) is None
    plain = next_of(job, SENT_RESULT + b"{}")
    assert plain is not None
    assert not plain.with_pictures
    assert next_of(plain, SENT_RESULT + b"{}") is None
    assert next_of(job, SENT_RESULT + b"{}", failure=None) is None
    assert next_of(job, OPENED + b"a.pdf", OPENED) is None
    one: Job | None = job
    for name in (b"a.pdf", b"b.pdf", b"c.pdf"):
        assert one is not None
        assert next_of(one, OPENED + b"z.md", OPENED, OPENED + name, failure=None) is None
        one = next_of(one, OPENED + b"z.md", OPENED, OPENED + name)
    assert one is not None
    assert one.left_out == ("a.pdf", "b.pdf", "c.pdf")
    assert next_of(one, OPENED + b"d.pdf") is None
