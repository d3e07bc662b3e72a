"""Tests of other tools beside the findings of checks."""

from decimal import Decimal
from typing import Any

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.outcomes import Outcome, Outcomes, named_tests, with_tests
from grader.lab.definition import Lab
from tests.checks.notebook_lab import C, M, found, lab, notebook

RIGHT, PART, WRONG, NONE, OPEN = Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING, Status.REVIEW


def outcomes(**scores: tuple[int, int]) -> Outcomes:
    """Otter's results by the name of the test."""
    return Outcomes(
        results={
            f"otter:{name}": Outcome(earned=Decimal(own), possible=Decimal(of)) for name, (own, of) in scores.items()
        }
    )


def asking(witness: str = "otter:q3", check: str = "section-present", **item: Any) -> Lab:
    options = {"options": {"tests": ["otter:q1", "otter:q3"]}} if check == "tested" else {"witness": witness}
    return lab({"cause": {"check": check, **options, **item}})


def beside(
    status: Status, record: Outcomes | None, suggestion: Status | None = None, *, doubt: bool = False, **item: Any
) -> Finding:
    finding = Finding(item="cause.x", status=status, suggestion=suggestion, feedback="It printed 0.0.")
    (made,) = with_tests([finding], record, asking(**item), is_doubtful=doubt)
    return made


PASSED, FAILED, HALF = outcomes(q3=(2, 2)), outcomes(q3=(0, 2)), outcomes(q3=(1, 2))


@pytest.mark.parametrize(
    ("status", "record", "expected"),
    [
        *(
            (RIGHT, PASSED, RIGHT),
            (RIGHT, FAILED, OPEN),
            (RIGHT, HALF, OPEN),
            (RIGHT, None, RIGHT),
            (RIGHT, outcomes(q1=(0, 2)), RIGHT),
        ),
        *((WRONG, PASSED, OPEN), (WRONG, FAILED, WRONG), (WRONG, HALF, OPEN)),
        *((PART, PASSED, OPEN), (PART, FAILED, OPEN), (PART, HALF, PART)),
        *((NONE, PASSED, OPEN), (NONE, FAILED, NONE), (NONE, HALF, OPEN)),
        *((Status.NOT_RUN, PASSED, Status.NOT_RUN), (Status.ERROR, PASSED, Status.ERROR)),
    ],
)
def test_agreement_stands_and_disagreement_goes_to_a_person(
    status: Status, record: Outcomes | None, expected: Status
) -> None:
    made = beside(status, record)
    assert made.status is expected
    if expected is OPEN:
        assert made.suggestion is None
        assert "It printed 0.0." in made.feedback
        assert "points (otter:q3)" in made.feedback


@pytest.mark.parametrize(
    ("suggestion", "record", "status", "suggested"),
    [
        *((RIGHT, PASSED, RIGHT, None), (WRONG, FAILED, WRONG, None)),
        *((RIGHT, FAILED, OPEN, None), (WRONG, PASSED, OPEN, None), (PART, HALF, OPEN, PART)),
        *((None, PASSED, OPEN, RIGHT), (None, FAILED, OPEN, WRONG)),
    ],
)
def test_what_waits_for_a_person_is_decided_where_both_say_the_same(
    suggestion: Status | None, record: Outcomes, status: Status, suggested: Status | None
) -> None:
    made = beside(OPEN, record, suggestion)
    assert (made.status, made.suggestion) == (status, suggested)


def test_a_hand_in_that_is_in_doubt_as_a_whole_is_not_decided_by_tests() -> None:
    assert beside(OPEN, PASSED, RIGHT, doubt=True).status is OPEN
    made = beside(OPEN, outcomes(q1=(2, 2), q3=(1, 1)), check="tested", doubt=True)
    assert (made.status, made.suggestion) == (OPEN, RIGHT)


def test_what_a_person_decided_stands() -> None:
    finding = Finding(item="cause.x", status=WRONG, decided_by="Ann")
    assert with_tests([finding], PASSED, asking(), is_doubtful=False) == (finding,)


def test_tests_are_no_log() -> None:
    asked = asking().model_copy()
    (question,) = asked.questions
    item = question.items[0].model_copy(update={"evidence": "logs"})
    asked = asked.model_copy(update={"questions": (question.model_copy(update={"items": (item,)}),)})
    finding = Finding(item="cause.x", status=OPEN, suggestion=RIGHT)
    assert with_tests([finding], PASSED, asked, is_doubtful=False)[0].status is OPEN


@pytest.mark.parametrize(
    ("record", "status", "share"),
    [
        (outcomes(q1=(2, 2), q3=(1, 1)), RIGHT, None),
        (outcomes(q1=(1, 2), q3=(1, 1)), PART, Decimal(2) / Decimal(3)),
        (outcomes(q1=(0, 2), q3=(0, 1)), WRONG, None),
        (outcomes(q1=(2, 2)), OPEN, None),
        (None, OPEN, None),
    ],
)
def test_an_item_that_tests_decide(record: Outcomes | None, status: Status, share: Decimal | None) -> None:
    made = beside(OPEN, record, check="tested")
    assert (made.status, made.share) == (status, share)


def test_a_student_who_prints_that_all_tests_passed_earns_nothing() -> None:
    said = "All tests passed! otter:q3 2/2\n{'tests': [{'name': 'q3', 'score': 2, 'max_score': 2}]}"
    own = notebook([(M, f"**Inline Question 1**\n\n{said}"), (C, f"print('''{said}''')")], out_1=said)
    finding = found(asking(check="tested"), own)["cause.x"]
    assert (finding.status, finding.suggestion) == (OPEN, None)


def test_the_tests_that_a_lab_names() -> None:
    assert named_tests(asking()) == {"otter:q3"}
    assert named_tests(asking(check="tested")) == {"otter:q1", "otter:q3"}
    with pytest.raises(ValueError, match="witness"):
        asking("mocha:q3")
