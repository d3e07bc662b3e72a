"""Numbers that a course asks for in other ways than by one value: in words, in order, between bounds, chosen, by their
parts, following from an earlier slip, and many printed ones together."""

from decimal import Decimal
from typing import Any

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.runner import run_checks, verify
from grader.claims.answer import extract
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.lab.files import LabError
from grader.reading.notebook import Cell
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.edge_courses import cell, table
from tests.checks.making import CONCLUDED, truth
from tests.checks.test_basic_checks import judged, lab_with
from tests.checks.test_sizes_asked import found
from tests.claims.making import document

NUMERIC = "numeric-answer"
PADDING = {
    "value": 0,
    "words": ["padding"],
    "none": ["no padding", "none", "without padding", "not use padding", "sans padding", "pas de padding"],
}


def together(items: dict[str, dict[str, Any]], text: str) -> dict[str, Finding]:
    """What is concluded of several items of one question."""
    asked = [{"id": f"p1.{name}", "title": name, "points": "1", "check": NUMERIC, **one} for name, one in items.items()]
    question = {"id": "p1", "title": "T", "labels": ["problem 1"], "words": [], "items": asked}
    lab = Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question]})
    verify(lab, truth())
    reading = Reading(
        documents=(document(f"# Problem 1\n\n{text}\n"),),
        files=(FileRecord(path="report.md", role=Role.REPORT, state=FileState.READ),),
    )
    return {one.item.removeprefix("p1."): one for one in run_checks(extract(reading, lab), truth(), lab).findings}


def printed(check: str, options: dict[str, Any], *cells: Cell, report: str | None = None) -> Finding:
    finding = judged(lab_with(check, options), report, (cell("# Problem 1"), *cells))
    CONCLUDED.clear()
    return finding


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The stride is two.", Status.CORRECT),
        ("Le stride est de deux.", Status.CORRECT),
        ("We use a stride of two pixels", Status.CORRECT),
        ("A kernel of 3x3 with a stride of 2x2.", Status.CORRECT),
        ("The stride is three.", Status.REVIEW),
        ("A two-stage training with a stride", Status.REVIEW),
        ("The stride is twenty-two.", Status.REVIEW),
        ("The stride is not two.", Status.REVIEW),
    ],
)
def test_a_number_may_be_said_in_words(text: str, status: Status) -> None:
    assert found(NUMERIC, {"value": 2, "words": ["stride", "pas"]}, text).status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("There is no padding.", Status.CORRECT),
        ("Il n'y a pas de padding.", Status.CORRECT),
        ("Convolution sans padding, de pas 1.", Status.CORRECT),
        ("We do not use padding", Status.CORRECT),
        ("padding: none", Status.CORRECT),
        ("If there is no padding, the size shrinks.", Status.REVIEW),
        ("Why is there no padding?", Status.REVIEW),
        ("There is no padding mentioned.", Status.REVIEW),
        ("Zero padding.", Status.REVIEW),
        ("The padding is 2; without padding it would shrink.", Status.INCORRECT),
    ],
)
def test_none_is_nought_where_the_lab_says_so(text: str, status: Status) -> None:
    assert found(NUMERIC, PADDING, text).status is status


def test_no_padding_is_wrong_where_another_one_is_right() -> None:
    assert found(NUMERIC, PADDING | {"value": 2}, "There is no padding.").status is Status.INCORRECT


SHAPES: dict[str, dict[str, Any]] = {
    "kernel": {"options": {"value": 3, "words": ["kernel", "noyau"]}},
    "stride": {"options": {"value": 2, "words": ["stride", "pas"]}},
    "padding": {"options": {"value": 1, "words": ["padding"]}},
}


@pytest.mark.parametrize(
    "text",
    [
        "The kernel, the stride and the padding are respectively 3, 2 and 1.",
        "3, 2 and 1, respectively.",
        "Respectively 3, 2 and 1 for kernel, stride and padding",
        "Dans l'ordre : 3, 2, 1",
        "Kernel size: 3, stride 2, padding 1.",
    ],
)
def test_numbers_may_be_given_in_order(text: str) -> None:
    assert {one.status for one in together(SHAPES, text).values()} == {Status.CORRECT}


@pytest.mark.parametrize("text", ["Dans l'ordre : 2, 3, 1", "3, 2, 1, 0 respectively", "1, 2 and 3."])
def test_another_order_earns_nothing(text: str) -> None:
    assert together(SHAPES, text)["kernel"].status is not Status.CORRECT


ACCURACY = {"least": 0.44, "most": 1, "words": ["accuracy", "précision"]}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Our best validation accuracy is 0.452.", Status.CORRECT),
        ("accuracy = 45.2 %", Status.CORRECT),
        ("accuracy = 0.44", Status.CORRECT),
        ("La meilleure précision est de 0,47.", Status.CORRECT),
        ("We expected an accuracy of 0.3 but got 0.47.", Status.CORRECT),
        ("The accuracy on the y axis reaches 0.47.", Status.CORRECT),
        ("accuracy 0.31", Status.INCORRECT),
        ("accuracy of 45", Status.REVIEW),
        ("accuracy after 1 epoch", Status.REVIEW),
        ("The accuracy was measured on 80 % of the data.", Status.REVIEW),
        ("The y axis shows the accuracy from 0.5 to 1.", Status.REVIEW),
        ("We did not reach an accuracy of 0.5.", Status.REVIEW),
        ("We hoped for an accuracy of 0.5.", Status.REVIEW),
        ("On espérait une précision de 0,5.", Status.REVIEW),
        ("The accuracy is over the threshold of 0.44.", Status.REVIEW),
        ("The accuracy (question 1) is in figure 1.", Status.REVIEW),
    ],
)
def test_a_measured_number_lies_within_bounds(text: str, status: Status) -> None:
    assert found(NUMERIC, ACCURACY, text, ("accur",)).status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("error: 3.2e-9", Status.CORRECT),
        ("error = 10^-8", Status.CORRECT),
        ("error = 10⁻⁸", Status.CORRECT),
        ("error: 4.2·10^-9", Status.CORRECT),
        ("error: 1e-3", Status.INCORRECT),
        ("error = 10^-3", Status.INCORRECT),
    ],
)
def test_a_small_number_may_be_a_power_of_ten(text: str, status: Status) -> None:
    assert found(NUMERIC, {"most": "1e-7", "words": ["error"]}, text).status is status


def test_a_batch_size_is_no_answer_to_something_else() -> None:
    text = "We take a batch of 28; the output is unknown."
    assert found(NUMERIC, {"value": 28, "words": ["output"]}, text).status is Status.REVIEW
    assert found(NUMERIC, {"value": 28, "words": ["batch"]}, text).status is Status.CORRECT


def test_bounds_are_no_value() -> None:
    with pytest.raises(LabError):
        verify(lab_with(NUMERIC, {"value": 1, "least": 0}), truth())


PARTS = {
    "value": 1216,
    "words": ["param"],
    "parts": [{"value": 1200}, {"value": 16, "words": ["bias"]}],
    "parts_share": 0.6,
}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("5*5*3*16 + 16 (biases) = 1210 parameters", Status.PARTIAL),
        ("5*5*3*16 = 1200 for the kernels and 16 for the biases: 1210 parameters", Status.PARTIAL),
        ("Parameters: weights: 1200, biases: 16", Status.PARTIAL),
        (table(("part", "count"), ("weights", 1200), ("biases", 16)), Status.PARTIAL),
        ("1216 parameters", Status.CORRECT),
        ("parameters = 1200+32 = 1232", Status.INCORRECT),
    ],
)
def test_the_parts_of_a_number_earn_their_share(text: str, status: Status) -> None:
    finding = found(NUMERIC, PARTS, text)
    assert finding.status is status
    assert finding.share == (Decimal("0.6") if status is Status.PARTIAL else None)


@pytest.mark.parametrize(
    "text",
    [
        "5*5*3*16 = 1200 weights for 16 filters, no bias. 1200 parameters",
        "K = 16, and 5*5*3*16 = 1200 parameters.",
        "There are 1200 and 16.",
        "About 1.2k parameters: 1200 and 16 biases.",
    ],
)
def test_numbers_that_are_no_parts_earn_nothing(text: str) -> None:
    assert found(NUMERIC, PARTS, text).status in (Status.REVIEW, Status.INCORRECT)


FOLLOWED: dict[str, dict[str, Any]] = {
    "first": {"options": {"value": 28, "words": ["first"]}},
    "second": {
        "options": {"value": 14, "words": ["second"], "follows": "p1.first", "from": "n/2", "follow_share": 0.8}
    },
}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The first is 28. The second is 14.", Status.CORRECT),
        ("The first is 32. The second is 14.", Status.CORRECT),
        ("The first is 32. The second is 16.", Status.PARTIAL),
        ("The first is 32. The second is 15.", Status.INCORRECT),
        ("The first is 28. The second is 16.", Status.INCORRECT),
        ("The first is maybe 32. The second is 16.", Status.REVIEW),
    ],
)
def test_a_number_may_follow_from_an_earlier_slip(text: str, status: Status) -> None:
    finding = together(FOLLOWED, text)["second"]
    assert finding.status is status
    if status is Status.PARTIAL:
        assert finding.share == Decimal("0.8")
        assert [one.id for one in finding.diagnoses] == ["follows:p1.first"]
        assert "follows from the 32" in str(finding.feedback)


def test_an_item_follows_one_above() -> None:
    turned = {"first": FOLLOWED["second"] | {"options": FOLLOWED["second"]["options"] | {"follows": "p1.second"}}}
    with pytest.raises(LabError, match="follows"):
        together(turned | {"second": FOLLOWED["first"]}, "")


CHECKS = {"most": "1e-5", "take": "all", "enough": "0.75", "fewest": 4, "label": ["relative error"]}
GOOD, BAD = "numerical: 1.2 analytic: 1.2, relative error: 3.2e-9\n", "relative error: 0.3\n"


@pytest.mark.parametrize(
    ("output", "status", "share"),
    [
        (GOOD * 4, Status.CORRECT, None),
        (GOOD * 3 + BAD, Status.CORRECT, None),
        (GOOD + BAD * 3, Status.PARTIAL, Decimal("0.25")),
        (GOOD + "relative error: nan\n" * 3, Status.PARTIAL, Decimal("0.25")),
        (BAD * 4, Status.INCORRECT, None),
        (GOOD * 2, Status.REVIEW, None),
    ],
)
def test_most_of_several_printed_numbers(output: str, status: Status, share: Decimal | None) -> None:
    finding = printed("printed-value", CHECKS, cell("grad_check(f)", output))
    assert (finding.status, finding.share) == (status, share)


def test_a_printed_constant_is_no_result() -> None:
    typed = cell("for _ in range(4): print('relative error: 1e-9')", "relative error: 1e-9\n" * 4)
    assert printed("printed-value", CHECKS, typed).status is Status.REVIEW


LOOP = (
    "lr 1e-03 reg 1e-01 train accuracy: 0.51 val accuracy: 0.430\n"
    "lr 1e-04 reg 1e-01 train accuracy: 0.49 val accuracy: 0.451\n"
    "lr 1e-05 reg 2e-01 train accuracy: 0.30 val accuracy: 0.312\n"
)
BEST = {"least": "0.44", "most": 1, "take": "best", "label": ["val accuracy"]}


@pytest.mark.parametrize(
    ("output", "status"),
    [
        (LOOP, Status.CORRECT),
        (LOOP.replace("0.451", "0.421"), Status.INCORRECT),
        ("{'lr': 0.001, 'val_accuracy': 0.47}", Status.CORRECT),
        ("val accuracy: 45.1%", Status.CORRECT),
        ("val accuracy: 45.1", Status.REVIEW),
        ("train accuracy: 0.9", Status.REVIEW),
    ],
)
def test_the_best_of_several_printed_numbers(output: str, status: Status) -> None:
    assert printed("printed-value", BEST, cell("train()", output)).status is status


CHOSEN = {"among": ["lr", "learning_rate"], "words": ["learning rate", "lr"]}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The best learning rate is 1e-4.", Status.CORRECT),
        ("lr = 10^-4", Status.CORRECT),
        ("Learning rate: 0,001", Status.CORRECT),
        ("The best learning rate is 0.5.", Status.REVIEW),
        ("We tried learning rates 1e-3, 1e-4 and 1e-5.", Status.REVIEW),
        ("batch size 64", Status.REVIEW),
    ],
)
def test_a_choice_is_one_of_the_runs(text: str, status: Status) -> None:
    report = f"# Problem 1\n\n{text}\n"
    assert printed(NUMERIC, CHOSEN, cell("train()", LOOP), report=report).status is status


def test_without_runs_no_choice_is_right() -> None:
    report = "# Problem 1\n\nThe learning rate is 3e-4.\n"
    assert printed(NUMERIC, CHOSEN, report=report).status is Status.REVIEW
    listed = cell("learning_rates = [1e-3, 3e-4]\nfor one in learning_rates:\n    train(one)", "done")
    assert printed(NUMERIC, CHOSEN, listed, report=report).status is Status.CORRECT


LAYERS = {
    "cells": [
        {"row": "conv1", "column": "padding", "value": 0},
        {"row": "conv1", "column": "stride", "value": 2, "also": [4]},
        {"row": "conv2", "column": "padding", "value": 1},
    ],
    "none": ["none", "aucun", "-"],
}


@pytest.mark.parametrize(
    ("padding", "stride", "status"),
    [
        ("0", "2", Status.CORRECT),
        ("none", "4", Status.CORRECT),
        ("-", "4", Status.CORRECT),
        ("aucun", "2", Status.CORRECT),
        ("1", "2", Status.PARTIAL),
        ("0", "3", Status.PARTIAL),
        ("", "2", Status.REVIEW),
        ("same", "2", Status.REVIEW),
    ],
)
def test_a_cell_may_hold_one_of_several_values_or_none(padding: str, stride: str, status: Status) -> None:
    text = table(("layer", "padding", "stride"), ("conv1", padding, stride), ("conv2", 1, 1))
    assert found("table", LAYERS, text).status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("2 and 1", Status.CORRECT),
        ("2 et 1", Status.CORRECT),
        ("2 / 1", Status.CORRECT),
        ("(2, 1)", Status.CORRECT),
        ("p=2, s=1", Status.CORRECT),
        ("1 and 2", Status.PARTIAL),
        ("2", Status.REVIEW),
        ("2 and 1 and 3", Status.REVIEW),
    ],
)
def test_a_cell_may_hold_several_values(text: str, status: Status) -> None:
    cells = [
        {"row": "conv1", "column": "p and s", "values": [2, 1]},
        {"row": "conv2", "column": "p and s", "values": [0, 1]},
    ]
    shown = table(("layer", "p and s"), ("conv1", text), ("conv2", "0 and 1"))
    assert found("table", {"cells": cells}, shown).status is status


@pytest.mark.parametrize(
    ("first", "status"),
    [("0.40", Status.CORRECT), ("40 %", Status.CORRECT), ("0.31", Status.PARTIAL), ("40", Status.REVIEW)],
)
def test_a_cell_may_have_a_bound(first: str, status: Status) -> None:
    cells = [{"row": name, "column": "val", "least": 0.38, "most": 1} for name in ("svm", "net")]
    assert found("table", {"cells": cells}, table(("model", "val"), ("svm", first), ("net", "0.5"))).status is status


@pytest.mark.parametrize(
    ("text", "rows", "columns"),
    [
        ("There are 740 penguins and 12 columns in the file.", Status.CORRECT, Status.CORRECT),
        ("12 columns and 740 penguins", Status.CORRECT, Status.CORRECT),
        ("There are 12 columns and 740 penguins. Each has a year.", Status.CORRECT, Status.CORRECT),
        ("There are 740 columns and 12 penguins in the file.", Status.REVIEW, Status.REVIEW),
    ],
)
def test_each_number_is_that_of_the_word_behind_it(text: str, rows: Status, columns: Status) -> None:
    items = [
        {
            "id": f"p1.{word}",
            "title": "T",
            "points": "1",
            "check": "numeric-answer",
            "options": {"value": value, "words": [word]},
        }
        for word, value in (("penguin", 740), ("column", 12))
    ]
    question = {"id": "p1", "title": "T", "labels": ["problem 1"], "items": items}
    lab = Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question]})
    found = [judged(lab, f"# Problem 1\n\n{text}\n", item=str(item["id"])).status for item in items]
    assert found == [rows, columns]


def test_the_number_of_a_chapter_is_not_that_of_its_title() -> None:
    asked = {"least": 48, "most": 60, "unit": "%", "words": ["accuracy", "performance"]}
    item = {"id": "p1.x", "title": "T", "points": "1", "check": "numeric-answer", "options": asked}
    question = {"id": "p1", "title": "Performance of the best rate", "labels": [], "items": [item]}
    lab = Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question]})
    text = "# 5 Performance of the best rate\n\nThe accuracy on the test set was 52.18%.\n"
    assert judged(lab, text).status is Status.CORRECT
