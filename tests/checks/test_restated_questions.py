"""What a hand-out asks, written out by a student, is nobody's answer: to numbers, choices, words and tables."""

from typing import Any

import pytest

from grader.checks.absence import absence
from grader.claims.answer import Answer, extract
from grader.claims.sections import sections
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import CONCLUDED
from tests.checks.test_basic_checks import judged
from tests.claims.making import document

NUMBER = """Choose the best penalty for the ridge regression of the river data.

- Try the values `[0, 0.25, 2, 16]` and write down each error.
- Use the seed 7.

Which penalty has the lowest error?"""
CHOICE = """Which station has the most missing values?

* `north gate`
* `old mill`
* `harbour`
* `weir`

Only count the values of the year 2019."""
WORDS = "Explain why the pressure sensor drifts. Is it the temperature of the housing, or the age of the membrane?"


def answer_in(file: str, text: str, lab: Lab) -> Answer:
    record = FileRecord(path=file, role=Role.REPORT, state=FileState.READ)
    return extract(Reading(documents=(document(text, file),), files=(record,)), lab)


STATIONS = {"a": "north gate", "b": "old mill", "c": "harbour", "d": "weir"}


def lab_asking(asks: str, check: str, options: dict[str, Any], words: tuple[str, ...] = ("penalty",)) -> Lab:
    items = [{"id": "p1.x", "title": "T", "points": "1", "check": check, "options": options}]
    question = {"id": "p1", "title": "T", "labels": ["problem 1"], "words": words, "asks": asks, "items": items}
    return Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question]})


def status_of(lab: Lab, text: str) -> str:
    found = judged(lab, f"# Problem 1\n\n{text}\n").status.value
    CONCLUDED.clear()  # the verdicts stand in the tests themselves
    return found


COPIES = (
    NUMBER,
    "> " + NUMBER.replace("\n", "\n> "),
    NUMBER.replace("ridge regression", "ridge\nregression").replace("- ", "• ").replace("and write", "and\nwrite"),
    NUMBER.replace("\n- ", "\n\n1. "),
)
"""A question as it comes out of Markdown, a quotation, a PDF and another list."""


@pytest.mark.parametrize("copy", COPIES)
def test_the_numbers_of_a_question_are_no_answer(copy: str) -> None:
    lab = lab_asking(NUMBER, "numeric-answer", {"value": 0.25, "words": ["penalty", "values"]})
    assert status_of(lab, copy) == "missing"
    assert status_of(lab, f"{copy}\n\nThe penalty is 0.25.") == "correct"
    assert status_of(lab, f"{copy}\n\nThe penalty is 16.") == "incorrect"
    assert status_of(lab, f"The penalty is 16.\n\n{copy}") == "incorrect"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("We use the seed 7.", "We use the seed 7."),
        ("Only the seed 7 was used. Use the seed 7", "Only the seed 7 was used."),
        ("Try the values `[0, 0.25, 2, 32]` and write down each error.", "32"),
        ("The lowest error has the penalty 2.", "The lowest error has the penalty 2."),
        ("Which penalty has the lowest error? 2", "2"),
        (
            "Which penalty has the lowest error? It is 2. Which penalty has the lowest error?",
            "It is 2.",
        ),
    ],
)
def test_words_that_are_not_the_whole_of_a_sentence_are_the_students(text: str, kept: str) -> None:
    lab = lab_asking(NUMBER, "by-hand", {})
    [*_, own] = sections(document(f"# Problem 1\n\n{text}\n"), lab)
    assert kept in own.passage.text
    assert "Which penalty" not in own.passage.text[own.lead :]


OPTIONS_ONLY = "* `north gate`\n* `old mill`\n* `harbour`\n* `weir`"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("{}", "missing"),
        ("{}\n\nAnswer: harbour", "correct"),
        ("{}\n\n**Answer: C**", "correct"),
        ("{}\n\nANSWER: `old mill`", "incorrect"),
        ("{}\n\nIt is the harbour, because the north gate and the weir were repaired.", "correct"),
        ("{}\n\nThe harbour has most gaps.", "correct"),
        ("{}\n\nThe answer may be harbour.", "review"),
        ("{}\n\nAnswer: harbour or weir", "review"),
    ],
)
@pytest.mark.parametrize(
    "copy", [CHOICE, OPTIONS_ONLY, OPTIONS_ONLY.replace("* ", "\n- "), OPTIONS_ONLY.replace("`", "")]
)
@pytest.mark.parametrize("asks", [CHOICE, CHOICE.partition("\n")[0]])
def test_a_copied_list_of_options_chooses_none(asks: str, copy: str, text: str, status: str) -> None:
    lab = lab_asking(asks, "choice", {"choices": STATIONS, "right": ["c"]}, ("station",))
    if status == "missing" and (asks != CHOICE or copy != CHOICE):
        status = {"missing": "missing" if asks == CHOICE else "review"}[status]
    assert status_of(lab, text.format(copy)) == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("- `harbour`", "correct"),
        ("- weir", "incorrect"),
        ("- north gate\n- old mill\n- **harbour**\n- weir", "correct"),
        ("- north gate\n- old mill\n- harbour ✓\n- weir", "correct"),
        ("- north gate\n- old mill\n- harbour\n- weir <--", "incorrect"),
        ("- north gate\n- old mill ✗\n- harbour\n- weir", "review"),
        ("Ranked by their gaps:\n\n- harbour\n- weir\n- old mill\n- north gate", "review"),
    ],
)
def test_the_only_option_left_or_marked_is_chosen(text: str, status: str) -> None:
    for asks in (CHOICE, CHOICE.partition("\n")[0]):
        lab = lab_asking(asks, "choice", {"choices": STATIONS, "right": ["c"]}, ("station",))
        assert status_of(lab, f"Which station has the most missing values?\n\n{text}") == status


def test_all_options_in_a_line_choose_none() -> None:
    for asks in (CHOICE, CHOICE.partition("\n")[0]):
        lab = lab_asking(asks, "choice", {"choices": STATIONS, "right": ["c"]}, ("station",))
        assert status_of(lab, "north gate, old mill, harbour, weir") in {"review", "missing"}


def test_a_list_whose_marks_only_a_page_shows_goes_to_a_person() -> None:
    lab = lab_asking(CHOICE, "choice", {"choices": STATIONS, "right": ["c"]}, ("station",))
    for file, is_list in (("report.pdf", True), ("report.md", False)):
        found = absence(answer_in(file, f"# Problem 1\n\n{CHOICE}\n", lab), lab, "p1.x")
        assert found.is_certain is not is_list


def test_the_words_of_a_question_state_nothing() -> None:
    lab = lab_asking(WORDS, "contains", {"about": [["temperature"], ["membrane"]]}, ("sensor",))
    assert status_of(lab, WORDS) == "missing"
    assert (
        status_of(lab, f"{WORDS}\n\nThe temperature of the housing bends the membrane, so that it drifts.") == "correct"
    )


def test_a_table_of_the_question_holds_no_answer_until_it_is_filled_in() -> None:
    table = "| station | gaps |\n|---|---|\n| weir | 3 |\n| harbour | {} |"
    asks = f"Copy the table and fill in the gaps of the harbour.\n\n{table.format('')}"
    cells = [{"row": "weir", "column": "gaps", "value": 3}]
    lab = lab_asking(asks, "table", {"cells": cells}, ("gaps",))
    assert status_of(lab, asks) != "correct"
    lab = lab_asking(asks, "table", {"cells": [{"row": "harbour", "column": "gaps", "value": 12}]}, ("gaps",))
    assert status_of(lab, table.format(12)) == "correct"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The size will be 12.", "correct"),
        ("The size should be 12.", "correct"),
        ("So the size would be 12.", "correct"),
        ("La taille devrait être 12.", "correct"),
        ("La taille serait 12.", "correct"),
        ("The size may be 12.", "review"),
        ("The size could be 12.", "review"),
        ("Without the border the size would be 12.", "review"),
        ("The size would be 12 if there were no border.", "review"),
        ("The size should be 12, but it is larger.", "review"),
        ("Will the size be 12?", "review"),
        ("La taille serait 12 sans le bord.", "review"),
        ("The size will be 14.", "review"),
    ],
)
def test_what_will_be_so_is_stated(text: str, status: str) -> None:
    lab = lab_asking("", "numeric-answer", {"value": 12, "words": ["size", "taille"]}, ("size",))
    assert status_of(lab, text) == status


REASONS = " We looked at each year, and the sums of a day were compared with those of the day before in the table." * 3


@pytest.mark.parametrize(
    ("asks", "text", "status"),
    [
        ("largest daily error", "The harbour has the biggest error of the four, while the weir is fine.", "correct"),
        ("largest daily error", "The largest daily error is that of the harbour, because the weir is new.", "correct"),
        ("largest daily error", "The weir has the largest error.", "incorrect"),
        ("largest daily error", "The harbour has the smallest error.", "review"),
        ("largest daily error", "The harbour has the largest area.", "review"),
        ("largest daily error", "The harbour has not the largest error.", "review"),
        ("largest daily error", "The harbour has one of the largest errors.", "review"),
        ("largest daily error", "The harbour and the weir have the largest error.", "review"),
        ("largest daily error", "The weir has the largest error. The harbour has the largest error.", "review"),
        ("largest daily error", "We expected the harbour to have the largest error.", "review"),
        ("largest daily error", "Is the largest error that of the harbour?", "review"),
        ("largest daily error", "The harbour may have the largest error.", "review"),
        ("readings that are most difficult to predict", "The hardest to predict is the harbour.", "correct"),
        ("readings that are most difficult to predict", "The harbour is the easiest to predict.", "review"),
    ],
)
def test_a_sentence_says_of_an_option_what_is_asked_for(asks: str, text: str, status: str) -> None:
    lab = lab_asking(f"Which station has the {asks}?", "choice", {"choices": STATIONS, "right": ["c"]}, ("station",))
    assert status_of(lab, text + REASONS) == status


@pytest.mark.parametrize(("text", "is_certain"), [("Each sensor is old.", False), ("The weather is fine.", True)])
def test_the_singular_of_a_subject_mentions_it(text: str, is_certain: bool) -> None:
    lab = lab_asking(WORDS, "contains", {"must": [["temperature"]]}, words=("sensors",))
    assert absence(answer_in("report.md", text, lab), lab, "p1.x").is_certain is is_certain


def test_a_list_of_the_questions_in_an_introduction_is_no_empty_answer() -> None:
    item = {"id": "p1.x", "title": "T", "points": "1", "check": "contains", "options": {"must": [["rejected"]]}}
    first = {"id": "p1", "title": "Tests", "labels": [], "asks": "Use hypothesis tests to compare both groups."}
    second = {"id": "p2", "title": "Summary", "labels": [], "asks": "Provide a basic summary of the data."}
    items = [first | {"words": ["p-value"], "items": [item]}, second | {"items": [item | {"id": "p2.x"}]}]
    lab = Lab.model_validate({"id": "small", "title": "S", "seeds": 1, "questions": items})
    listed = f"# Introduction\n\n1. {second['asks']}\n2. {first['asks']}\n\n"
    text = f"{listed}# Provide a basic summary of the data\n\nThere are 60 rows.\n\nThe p-value is 0.06.\n"
    assert not absence(answer_in("report.md", text, lab), lab, "p1.x").is_certain
