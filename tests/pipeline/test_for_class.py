"""Decisions for the whole class: whom they concern, what they are worth, and that revoking them leaves nothing."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from grader.lab.definition import Item, Lab, Question
from grader.pipeline.order import plain_answer, with_decisions
from grader.result import Diagnosis, ItemResult, Override, Result, Scope, Status
from tests.factories import item, result

SLIP = Diagnosis(id="no-norms", text="The norms are left out.")
EVERYONE, WORTH = Scope(), Scope(is_maximum=True)


def lab(**more: Any) -> Lab:
    items = tuple(Item(id=id_, title=id_, points=Decimal(2), check="x") for id_ in ("q1.total", "q1.seeds"))
    return Lab(id="lab", title="Lab", questions=(Question(id="q1", title="Q", labels=("q1",), items=items),), **more)


def graded(status: Status = Status.INCORRECT, **more: Any) -> Result:
    return result("ada", [item("q1.total", status, **more), item("q1.seeds")])


def put(scope: Scope | None = None, **given: Any) -> dict[str, Override]:
    fields = {"reason": "Ambiguous.", "author": "M. D.", "date": date(2026, 1, 2), **given}
    if scope is None:
        return {"q1.total": Override(**fields)}
    return {scope.key("q1.total"): Override(**fields, scope=str(scope))}


def total(of: Result) -> ItemResult:
    return of.items[0]


def decided(before: Result, *some: dict[str, Override]) -> Result:
    overrides = {key: one for each in some for key, one in each.items()}
    after = with_decisions(before, lab(), overrides)
    assert with_decisions(after, lab(), overrides) == after
    assert with_decisions(after, lab(), {}) == before  # nothing of it is left when it is taken back
    return after


@pytest.mark.parametrize("status", [Status.INCORRECT, Status.PARTIAL, Status.MISSING, Status.REVIEW])
def test_everyone_gets_the_points_whatever_was_found(status: Status) -> None:
    after = decided(graded(status), put(EVERYONE, status=Status.CORRECT))
    assert (total(after).score, total(after).pending, after.score, after.pending) == (2, 0, 4, 0)
    override = total(after).override
    assert override is not None
    assert override.reason == "Ambiguous."


def test_nobody_loses_points_by_what_everyone_is_given() -> None:
    after = decided(graded(Status.CORRECT), put(EVERYONE, points=Decimal(1)))
    assert (total(after).score, total(after).override) == (2, None)


def test_a_decision_about_the_student_counts_before_that_for_the_class() -> None:
    after = decided(graded(), put(EVERYONE, status=Status.CORRECT), put(points=Decimal("0.5")))
    assert total(after).score == Decimal("0.5")


@pytest.mark.parametrize("found", ["22,807,552", "22 807 552", "22807552"])
def test_another_answer_counts_in_every_notation(found: str) -> None:
    after = decided(graded(found=found), put(Scope(answer="22.807.552"), status=Status.CORRECT))
    assert total(after).score == 2


def test_only_that_answer_counts() -> None:
    for found in ("22,807,553", None, "not 22,807,552"):
        after = decided(graded(found=found), put(Scope(answer="22,807,552"), status=Status.CORRECT))
        assert (total(after).score, total(after).override) == (0, None)
    assert plain_answer("Ça dépend !") == plain_answer("ca  depend")


def test_a_slip_is_worth_what_was_decided() -> None:
    after = decided(graded(diagnoses=(SLIP,)), put(Scope(slip="no-norms"), points=Decimal("1.5")))
    assert (total(after).score, total(after).status) == (Decimal("1.5"), Status.PARTIAL)
    assert total(decided(graded(), put(Scope(slip="no-norms"), points=Decimal("1.5")))).score == 0


@pytest.mark.parametrize(
    ("status", "worth", "score", "pending"),
    [
        (Status.CORRECT, 3, 3, 0),
        (Status.PARTIAL, 3, Decimal("1.5"), 0),
        (Status.REVIEW, 3, 0, 3),
        (Status.CORRECT, 0, 0, 0),
        (Status.REVIEW, 0, 0, 0),
    ],
)
def test_an_item_is_worth_something_else_for_all(status: Status, worth: int, score: Decimal, pending: int) -> None:
    after = decided(graded(status), put(WORTH, points=Decimal(worth)))
    assert (total(after).score, total(after).pending, total(after).max_score) == (score, pending, worth)
    assert (after.max_score, after.questions[0].max_score, after.score) == (2 + worth, 2 + worth, 2 + score)


def test_points_by_hand_are_never_more_than_what_an_item_is_worth() -> None:
    after = decided(graded(), put(points=Decimal("1.5")), put(WORTH, points=Decimal(1)))
    assert (total(after).score, total(after).max_score) == (1, 1)


def test_points_are_rounded_to_what_the_lab_says() -> None:
    by_quarters = Lab.model_validate(
        {
            "id": "lab",
            "title": "Lab",
            "rounding": "0.25",
            "questions": [
                {
                    "id": "q1",
                    "title": "Q",
                    "labels": ["q1"],
                    "items": [
                        {"id": "q1.total", "title": "T", "points": "1", "partial": "0.4", "check": "x"},
                        {
                            "id": "q1.seeds",
                            "title": "S",
                            "points": "1",
                            "partial": "0.4",
                            "check": "x",
                            "rounding": "1",
                        },
                    ],
                }
            ],
        }
    )
    overrides = {id_: put(status=Status.PARTIAL)["q1.total"] for id_ in ("q1.total", "q1.seeds")}
    before = result("ada", [item("q1.total", Status.INCORRECT, "1"), item("q1.seeds", Status.INCORRECT, "1")])
    after = with_decisions(before, by_quarters, overrides)
    assert [one.score for one in after.items] == [Decimal("0.5"), Decimal(0)]
