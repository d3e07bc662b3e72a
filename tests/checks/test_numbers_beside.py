"""Numbers of another kind beside the one that is asked for, and cells and outputs with several numbers."""

from typing import Any

import pytest

from grader.checks.finding import Status
from grader.lab.definition import Lab
from tests.checks.test_basic_checks import judged, lab_with
from tests.checks.test_shown_values import FIRST, conclusion, lab_of

RIGHT, REVIEW, WRONG = Status.CORRECT, Status.REVIEW, Status.INCORRECT
ERROR = {"value": 0.125, "tolerance": 0.004, "words": ["validation error", "error"]}
DEPTH = {"value": 4, "words": ["best depth", "depth"]}
SCORE = {"least": 0.2, "most": 0.9, "words": ["R2", "score"]}


@pytest.mark.parametrize(
    ("options", "text", "status"),
    [
        (DEPTH, "The best depth is 4 and has an error of 12.5 % and an accuracy of 0.875.", RIGHT),
        (DEPTH, "The best depth is 5 and has an error of 12.5 %.", WRONG),
        (ERROR, "The validation error can be seen in Table: 3. The validation error is 0.125.", RIGHT),
        (ERROR, "With 300 trees the validation error was found to be 0.126 for the 45 rows.", RIGHT),
        (ERROR, "The error for r = 0.5. The error is quite low at 12.6 %.", RIGHT),
        (SCORE, "The R2 is 0.41. An R2 lies between 0 and 1, so this is fair.", RIGHT),
        (SCORE, "The score was 0.41 (2 decimals).", RIGHT),
        (ERROR, "The error is 0.3.", WRONG),
    ],
)
def test_a_number_beside_others(options: dict[str, Any], text: str, status: Status) -> None:
    assert judged(lab_with("numeric-answer", options), f"# Problem 1\n\n{text}\n").status == status


def listing_lab() -> Lab:
    found = lab_with("numeric-answer", DEPTH)
    [question] = found.questions
    asked = question.model_copy(update={"asks": "Compute the best depth among 2, 4 and 8."})
    return found.model_copy(update={"questions": (asked,)})


def test_the_numbers_of_the_question_are_no_answer() -> None:
    restated = "We computed the best depth for the given values d = 2, d = 4 and d = 8."
    assert judged(listing_lab(), f"# Problem 1\n\n{restated}\n").status == REVIEW
    assert judged(listing_lab(), f"# Problem 1\n\n{restated} The best depth is 4.\n").status == RIGHT


CODE = "fit <- train(y, depth = 9)\nset.seed(3)\nwrite.csv(fit$rows, depth = 7)\n"


def test_code_in_a_report_states_no_number() -> None:
    assert judged(lab_with("numeric-answer", DEPTH), f"# Problem 1\n\n{CODE}\nThe best depth is 4.\n").status == RIGHT


def test_an_interpreter_prints_a_number_below_its_name() -> None:
    options = {**ERROR, "not_of": ["train"]}
    text = "train_error\n[1] 0.02\nvalid_error\n[1] 0.1251\n"
    assert judged(lab_with("numeric-answer", options), f"# Problem 1\n\n{text}").status == RIGHT


TABLE = {
    "cells": [
        {"row": ["depth 1", "1"], "column": ["train"], "value": 0.31, "tolerance": 0.005},
        {"row": ["depth 10", "10"], "column": ["train"], "value": 0.22, "tolerance": 0.005},
        {"row": ["depth 100", "100"], "column": ["train"], "value": 0.12, "tolerance": 0.005},
    ]
}


@pytest.mark.parametrize(
    "header", ["| | depth 1 | depth 10 | depth 100 |", "| | depth.1 | depth.10 | depth.100 |", "| | 1 | 10 | 100 |"]
)
@pytest.mark.parametrize("last", ["| test RMSE | 0.4 | 0.3 | 0.2 |", "| train time | 5 | 9 | 40 |"])
def test_numbers_in_labels_are_whole(header: str, last: str) -> None:
    lab = lab_with("table", TABLE, title="RMSE on the training data")
    text = f"# Problem 1\n\n{header}\n|---|---|---|---|\n| train RMSE | 0.31 | 0.22 | 0.12 |\n{last}\n"
    assert judged(lab, text).status == RIGHT


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("clusters  score\n2         0.61\n3         0.55", RIGHT),
        ("clusters | score\n[(2, 0.61),\n (3, 0.55)]", RIGHT),
        ("clusters  score\n2         0.31\n3         0.25", WRONG),
    ],
)
def test_a_printed_column_is_that_of_its_label(output: str, status: Status) -> None:
    options = {"least": 0.5, "most": 0.7, "take": "best", "label": ["score"], "code": ["measure"]}
    lab = lab_of("printed-value", options)
    assert conclusion(lab, FIRST, ("for k in (2, 3):\n    measure(k)", output)).status == status


def test_the_number_of_a_chapter_is_no_option() -> None:
    options = {"choices": {"2": "2 clusters", "4": "4 clusters"}, "right": ["2"]}
    assert (
        judged(lab_with("choice", options), "# Problem 1\n\nSee below.\n\n1.8.4 Clusters in the plane\n").status
        != WRONG
    )


def test_python_2_is_read_as_a_whole() -> None:
    options = {"code": ["kept"], "calls": [["sorted"]]}
    source = "kept = sorted(rows)\nfor row in kept:\n    print 'Row:', row"
    assert conclusion(lab_of("code-asked", options), FIRST, (source, "Row: 1")).status == RIGHT
