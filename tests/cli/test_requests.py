"""Requests to look again: from a CSV file to the queue, the answer, the history, and the student's new report."""

import csv
import shutil
from pathlib import Path

import pytest

from tests.conftest import results_in, run_grade


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("once") / "graded"
    done = run_grade("submissions/student-02", "submissions/student-03", "--out", out, "--no-readings")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def graded(once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(once, tmp_path / "graded"))


def test_from_the_file_to_the_report(graded: Path, tmp_path: Path) -> None:
    (tmp_path / "asked.csv").write_text(
        "Student,Item,Reason\n"
        'student-02,q2.bias,"I wrote, on page 2, what it does."\n'
        "student-03,q9.nothing,Please\n"
        "nobody,q2.r,Please\n"
        "student-03,q2.r,\n",
        encoding="utf-8",
    )
    done = run_grade("serve", "requests", graded, "--import", tmp_path / "asked.csv", "--author", "ana")
    assert done.returncode == 0, done.stderr
    assert "1 requests taken in" in done.stdout
    for place, problem in ((3, "no item 'q9.nothing'"), (4, "nobody who was graded here"), (5, "says no reason")):
        assert f"line {place}" in done.stderr
        assert problem in done.stderr
    again = run_grade("serve", "requests", graded, "--import", tmp_path / "asked.csv")
    assert "1 were there already" in again.stdout
    listed = run_grade("serve", "requests", graded).stdout
    assert "student-02  q2.bias" in listed
    number = listed.split()[0]

    before = results_in(graded)["student-02"]
    report = (graded / "student-02" / "report.pdf").read_bytes()
    answer = ["--answer", number, "--text", "You are right.", "--verdict", "correct", "--author", "ben"]
    done = run_grade("serve", "requests", graded, *answer)
    assert done.returncode == 0, done.stderr
    assert "Next: grade regrade finish" in done.stderr
    assert "No request waits" in run_grade("serve", "requests", graded).stdout
    twice = run_grade("serve", "requests", graded, *answer)
    assert twice.returncode == 2
    assert "ben answered it already" in twice.stderr

    assert run_grade("regrade", "finish", graded).returncode == 0
    after = results_in(graded)["student-02"]
    item = next(one for one in after.items if one.id == "q2.bias")
    assert item.score == item.max_score
    assert after.score >= before.score
    assert [(one.text, one.answer, one.answered_by) for one in item.requests] == [
        ("I wrote, on page 2, what it does.", "You are right.", "ben")
    ]
    page = (graded / "student-02" / "report.html").read_text(encoding="utf-8")
    assert "I wrote, on page 2, what it does." in page
    assert "ben answered on" in page
    assert (graded / "student-02" / "report.pdf").read_bytes() != report
    assert not any(one.requests for one in results_in(graded)["student-03"].items)

    told = run_grade("export", "history", "student-02", "--out", graded).stdout
    assert "asked to look again at q2.bias" in told
    assert "ben answered: You are right." in told
    exported = tmp_path / "answers.csv"
    run_grade("serve", "requests", graded, "--export", exported)
    (row,) = csv.DictReader(exported.open(encoding="utf-8"))
    assert (row["student"], row["item"], row["answer"], row["points"]) == (
        "student-02", "q2.bias", "You are right.", row["of"],
    )  # fmt: skip


def test_grading_again_and_verifying_keep_the_answer(graded: Path) -> None:
    from grader.gradebook.requests import answer, ask, requests_of
    from grader.gradebook.store import open_database

    database = open_database(graded / "gradebook.sqlite", create=False)
    ask(database, "nlp-frameworks", "student-02", "q2.r", "Why?", "ana")
    (asked,) = requests_of(database, "nlp-frameworks", "student-02")
    answer(database, "nlp-frameworks", asked.id, "Because of the rank.", "ana")
    database.close()
    assert run_grade("regrade", "finish", graded).returncode == 0
    finished = (graded / "student-02" / "result.json").read_bytes()
    assert b"Because of the rank." in finished
    done = run_grade("submissions/student-02", "submissions/student-03", "--out", graded, "--no-readings")
    assert "2 of 2 submissions are unchanged" in done.stdout
    run_grade("submissions/student-02", "submissions/student-03", "--out", graded, "--no-readings", "--again")
    assert (graded / "student-02" / "result.json").read_bytes() == finished


@pytest.mark.parametrize(
    ("text", "problem"),
    [("student,why\na,b\n", "`item` and `reason` are needed"), ("item,reason\nq2.r,b\n", "no column says who")],
)
def test_a_file_that_is_no_list_of_requests(graded: Path, tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "asked.csv").write_text(text, encoding="utf-8")
    done = run_grade("serve", "requests", graded, "--import", tmp_path / "asked.csv")
    assert done.returncode == 2
    assert problem in done.stderr
