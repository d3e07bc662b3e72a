"""Which document is graded, and what is said about the choice."""

from grader.claims.answer import candidates, reason_for_choice
from grader.intake.submission import Role
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.reading import FileRecord, FileState, Reading
from tests.claims.making import document, lab

ASKED = "# Question 1\n\nHow many parameters?\n\n# Task 3\n\nFine-tune it.\n\n# Task 4\n\n"
HANDOUT = (ASKED + "# Question 2\n\nDefine them.\n") * 3
ANSWERS = "# Question 1\n\nThe total is 22,829,056 parameters.\n\n# Question 2\n\n- r: the rank of the update\n"


def reading(*files: tuple[str, str]) -> Reading:
    records = tuple(FileRecord(path=path, role=Role.REPORT, state=FileState.READ) for path, _ in files)
    return Reading(documents=tuple(document(text, path) for path, text in files), files=records)


def test_a_handout_that_asks_everything_is_no_answer_sheet() -> None:
    found = candidates(reading(("handout.pdf", HANDOUT), ("answers.pdf", ANSWERS)), lab())
    assert found[0].file == "answers.pdf"
    assert reason_for_choice(found) == (
        "2 questions named, 2 answers found; handout.pdf: 4 questions named, no answers found"
    )


def test_of_a_source_and_what_was_made_from_it_the_latter_is_read() -> None:
    found = candidates(reading(("a.tex", ANSWERS), ("b.pdf", ANSWERS), ("c.md", ANSWERS)), lab())
    assert [one.file for one in found] == ["b.pdf", "c.md", "a.tex"]


def test_without_a_choice_there_is_nothing_to_explain() -> None:
    assert reason_for_choice(candidates(reading(("a.pdf", ANSWERS)), lab())) == ""
    assert reason_for_choice(()) == ""


def test_a_notebook_stands_in_for_a_report() -> None:
    cell = Cell(index=0, kind=CellKind.MARKDOWN, source=ANSWERS)
    found = candidates(Reading(notebooks=(Notebook(file="lab.ipynb", cells=(cell,)),)), lab())
    assert found[0].file == "lab.ipynb"
    assert reason_for_choice(found) == "no report was handed in, so the notebook is read as one"
