"""The handout beside a report is no answer sheet, and a handout that the student filled in is one."""

import pytest

from grader.claims.answer import Answer, extract
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.reading.reading import FileRecord, FileState, Reading
from tests.claims.making import document

ASKED = {
    "exercise 1": "Compute the mean depth of the lake in spring. Use all buoys of the file lake.csv for this.",
    "exercise 2": "Explain why the water is colder at the bottom of the lake. Which layer mixes first in autumn?",
    "exercise 3": "Compare the two sensors of the northern buoy. Which sensor drifts more over the year?",
    "exercise 4": "Plot the temperature against the depth for each month. Where does the thermocline begin?",
}
THEORY = "## Mixing\n\nWater is densest at four degrees, so the layers of a lake turn over twice each year.\n\n"
HANDOUT = "# Lake lab\n\nYou need the file lake.csv.\n\n" + "".join(
    f"**{label.title()}:** {text}\n\n{THEORY if label == 'exercise 2' else ''}" for label, text in ASKED.items()
)
ANSWERS = ("It is 7.4 m.", "Cold water is denser.", "The old sensor drifts more.", "It begins at 6 m.")
FILLED = HANDOUT + "\n"
for _asked, _answer in zip(ASKED.values(), ANSWERS, strict=True):
    FILLED = FILLED.replace(_asked, f"{_asked}\n\n{_answer}")
REPORT = "\n\n".join(f"## Exercise {number}\n\n{said}" for number, said in enumerate(ANSWERS, 1))


def lab() -> Lab:
    item = {
        "title": "T",
        "points": "1",
        "check": "by-hand",
        "options": {"rubric": [{"text": "It is right.", "points": 1}]},
    }
    questions = [
        {
            **{"id": f"e{number}", "title": "T", "labels": [label], "words": ["lake"], "asks": text},
            "items": [item | {"id": f"e{number}.x"}],
        }
        for number, (label, text) in enumerate(ASKED.items(), 1)
    ]
    return Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": questions})


def answer(**texts: str) -> Answer:
    files = {name.replace("_", "."): text for name, text in texts.items()}
    records = tuple(FileRecord(path=path, role=Role.REPORT, state=FileState.READ) for path in files)
    documents = tuple(document(text, path) for path, text in files.items())
    return extract(Reading(documents=documents, files=records), lab())


def files_in(found: Answer) -> set[str]:
    return {section.passage.file for section in found.sections}


def test_the_handout_beside_a_report_is_not_read() -> None:
    found = answer(handout_pdf=HANDOUT, report_md=REPORT)
    assert (found.report, found.handouts, found.rivals, found.beside) == ("report.md", ("handout.pdf",), (), ())
    assert files_in(found) == {"report.md"}


def test_a_report_that_quotes_all_questions_is_no_handout() -> None:
    found = answer(handout_pdf=HANDOUT, report_md=FILLED)
    assert (found.report, found.handouts) == ("report.md", ("handout.pdf",))


@pytest.mark.parametrize("other", ["# Lake lab\n\nRun `python lake.py` to get all results.\n", REPORT])
def test_a_filled_in_handout_is_a_report(other: str) -> None:
    found = answer(handout_pdf=FILLED, readme_md=other)
    assert (found.report, found.handouts) == ("handout.pdf", ())


def test_a_handout_alone_is_still_read() -> None:
    assert answer(handout_pdf=HANDOUT).report == "handout.pdf"


def test_what_may_be_an_answer_in_the_handout_stays_known() -> None:
    asked = ASKED["exercise 3"]
    found = answer(handout_pdf=HANDOUT.replace(asked, f"{asked}\n\nProbably the old one."), report_md=REPORT)
    assert found.handouts == ("handout.pdf",)
    assert [section.questions for section in found.filled] == [("e3",)]


@pytest.mark.parametrize(("label", "is_read"), [("Exercise", True), ("Step", False)])
def test_a_readme_beside_a_report_counts_if_it_names_questions(label: str, is_read: bool) -> None:
    first, rest = REPORT.split("## Exercise 3")
    found = answer(report_md=first, README_md=f"## {label} 3{rest}".replace("Exercise", label))
    assert (found.report, "README.md" in files_in(found)) == ("report.md", is_read)
    assert ("README.md" in found.beside) is is_read
