"""Reports that R Markdown made, and sentences that compare: what is shown and said, and of what."""

from typing import Any

import pytest

from grader.checks.finding import Status
from grader.checks.shown_values import labelled_numbers
from grader.claims.code import CodeCell, document_code
from grader.claims.sections import sections
from grader.lab.definition import Lab
from grader.reading.document import Block, BlockKind, Document
from tests.checks.notebook_lab import NEIGHBOURS, C, M, found, notebook
from tests.checks.notebook_lab import lab as notebook_lab
from tests.checks.test_basic_checks import judged
from tests.claims.making import document

RIGHT, WRONG, REVIEW, MISSING = Status.CORRECT, Status.INCORRECT, Status.REVIEW, Status.MISSING


def status(report: str, check: str, *others: dict[str, Any], **options: Any) -> Status:
    """The status of the first item of the question `Rainfall`, of which `others` are further items."""
    items = [
        {"id": f"rain.{number}", "title": "Rain", "points": "1", **item}
        for number, item in enumerate(({"check": check, "options": options}, *others))
    ]
    question = {"id": "rain", "title": "Rainfall", "labels": ["question 1"], "words": ["rain"], "items": items}
    other = {"id": "wind.0", "title": "Wind", "points": "1", "check": "figure-present", "options": {"words": ["wind"]}}
    second = {"id": "wind", "title": "Wind speed", "labels": ["question 2"], "items": [other]}
    lab = Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question, second]})
    return judged(lab, f"# Question 1\n\n{report}\n", item="rain.0").status


KNITTED = """```r
rain <- read.csv("rain.csv")
lines(rain$day, rain$depth, lwd = 7, xlab = "40-day rain")
```

![plot of chunk unnamed-chunk-3](rain.png)

```r
mean(rain$depth)
```

```
## [1] 12.5
```
"""


def test_a_listing_describes_the_figure_below_it() -> None:
    assert status(KNITTED, "figure-present", words=["lines("]) is RIGHT
    assert status(KNITTED, "figure-present", words=["barplot"]) is not RIGHT


def test_a_caption_that_a_program_writes_names_nothing() -> None:
    report = "The rain:\n\n![plot of chunk unnamed-chunk-3](a.png)\n\nIt falls."
    assert status(report, "figure-present", words=["precipitation"]) is RIGHT


def test_listings_ran_if_one_shows_what_it_printed() -> None:
    steps = [{"title": "reading", "words": ["read.csv"]}]
    assert status(KNITTED, "steps-ran", steps=steps) is RIGHT


def test_only_listings_beside_what_one_printed_ran() -> None:
    made = list(document_code(document(KNITTED)))
    assert [(cell.ran, cell.output) for cell in made] == [(True, ""), (True, "[1] 12.5")]
    listed = KNITTED.replace("## [1] 12.5", "mean(rain$wind)")
    assert not any(cell.ran for cell in document_code(document(listed)))


def test_numbers_in_a_listing_of_any_language_are_no_answer() -> None:
    assert status(KNITTED, "numeric-answer", value=12.5, words=["mean", "rain"]) is RIGHT
    assert status(KNITTED, "numeric-answer", value=40, words=["rain"]) is not RIGHT


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ("The mean is 31, a third higher than the old mean of 24.", WRONG),
        ("La moyenne est 31, plus haute que la moyenne de 24.", WRONG),
        ("The mean is 24, lower than the old mean of 31.", RIGHT),
        ("Most rain, 31 mm on average, falls on the 24th day.", REVIEW),
    ],
)
def test_a_number_that_is_only_compared_with_is_no_answer(report: str, expected: Status) -> None:
    found = status(report, "numeric-answer", value=24, words=["mean", "moyenne", "average"])
    assert found is expected or (expected is WRONG and found is REVIEW)


def test_numbers_of_another_size_count_something_else() -> None:
    houses = {"check": "numeric-answer", "options": {"least": 70000, "most": 80000, "words": ["house 2"]}}
    report = "House 1 is sold for 41,500. House 1 has 6 rooms.\n\nHouse 2 is like house 1."
    options = {"least": 40000, "most": 45000, "words": ["house 1"]}
    assert status(report, "numeric-answer", houses, **options) is RIGHT
    assert status(report.replace("41,500", "61,500"), "numeric-answer", houses, **options) is not RIGHT


def test_a_value_in_a_dictionary_belongs_to_its_key() -> None:
    cell = CodeCell(file="a.ipynb", cell=1, source="show()", output="Best: 81.5% with {'units': 7}\nBest {'units': 9}")
    lines = [(line.quantity.text, line.is_certain) for line in labelled_numbers(cell, "best")]
    assert lines == [("81.5%", True), ("9", False)]


WEATHER = {"must": [["falls", "decreas"]], "about": [["humidity"]]}


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ("If the humidity rises, the visibility decreases.", RIGHT),
        ("If the humidity is lower the visibility decreases.", REVIEW),
    ],
)
def test_what_is_said_of_the_contrary_case_is_left_to_a_person(report: str, expected: Status) -> None:
    assert status(report, "contains", **WEATHER) is expected


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ("The humidity increases in the evening.", WRONG),
        ("As we keep increasing the number of humidity sensors, the figures get clearer.", REVIEW),
    ],
)
def test_a_wrong_word_in_a_condition_withholds_nothing(report: str, expected: Status) -> None:
    pressure = {"check": "contains", "options": {"must": [["rises"]], "about": [["pressure"]]}}
    wrong = [{"words": ["increas"], "why": "It falls."}]
    found = status(report, "contains", pressure, **WEATHER, wrong=wrong)
    assert found is expected


def test_a_figure_stays_under_the_heading_above_a_question_that_is_written_out() -> None:
    asks = "Which of the curves above falls first, and what does it tell about the weather of the coming week?"
    questions = [
        {"id": "curves", "title": "Rain curves", "labels": [], "items": [FIGURE]},
        {"id": "fall", "title": "Fall", "labels": ["question 2"], "asks": asks, "items": [BY_HAND]},
    ]
    lab = Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": questions})
    report = f"# Rain curves\n\n![](a.png)\n\n# Question 2\n\n{asks}\n\nThe lower one does.\n"
    assert [cut.questions for cut in sections(document(report), lab)] == [("curves",), ("fall",), ("fall",)]


FIGURE = {"id": "curves.x", "title": "The curves", "points": "1", "check": "figure-present"}
BY_HAND = {"id": "fall.x", "title": "Fall", "points": "1", "check": "by-hand"}


FILLED = "**Inline Question 1**\n\nBright rows lie far from all others: they are outliers."


@pytest.mark.parametrize(("cause", "expected"), [(FILLED, MISSING), (None, REVIEW)])
def test_who_fills_the_cells_of_a_notebook_answers_there(cause: str | None, expected: Status) -> None:
    by_hand = {"check": "by-hand"}
    words = {"check": "contains", "options": {"must": [["linear"]]}}
    the_lab = notebook_lab({"cause": by_hand, "kernel": words})
    handed = notebook(NEIGHBOURS, {} if cause is None else {2: cause}, **{"out_4": "largest distance: 12.5"})
    beside = document("Welcome to the course, in which you will choose a kernel.", "project.md")
    assert found(the_lab, handed, documents=[beside])["kernel.x"].status is expected


def test_a_call_in_the_cells_of_a_question_counts_before_one_in_a_module() -> None:
    asked = {"check": "configured-call", "options": {"call": "halves.split", "required": {"size": 0.3}}}
    handed = notebook(((M, "**Inline Question 1**"), (C, "from halves import split\na, b = split(rows, size=0.5)")))
    module = Document(
        file="plots.py",
        exact=True,
        blocks=[Block(kind=BlockKind.CODE, text=line) for line in ("from halves import split", "split(x, size=0.3)")],
    )
    the_lab = notebook_lab({"cause": asked}, is_listed=False)
    assert found(the_lab, handed, documents=[module])["cause.x"].status is not RIGHT
