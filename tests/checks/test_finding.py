"""What doubts and stored decisions make of a finding, as the student and staff read it."""

from datetime import date
from typing import Any

import pytest

from grader.checks.finding import (
    AUTOMATIC,
    OVERRULED,
    Diagnosis,
    Doubt,
    ExpectedAnswer,
    Finding,
    Status,
    as_one,
    decided_text,
    is_automatic,
    is_withdrawn,
    review_if_unread,
    withheld,
    without_decisions,
)
from grader.lab.definition import Lab
from grader.lab.short_answers import Decision, Decisions
from grader.reading.document import Evidence
from tests.claims.making import lab

WHOLE = "hand-in:0123456789abcdef"
GROUP = "r:0123456789abcdef"


def decision(label: str, group: str = GROUP, **more: Any) -> Decision:
    made = {"group": group, "label": label, "text": "t", "why": "it is so", "author": "A", "date": date(2026, 1, 2)}
    return Decision.model_validate({**made, **more})


def deciding(*decisions: Decision) -> Lab:
    return lab().model_copy(update={"decisions": Decisions(decisions=decisions)})


@pytest.mark.parametrize("status", Status)
def test_a_doubt_about_the_hand_in_withholds_the_statuses_that_it_is_about(status: Status) -> None:
    finding = Finding(item="a", status=status, feedback="Right.", note="Seen.")
    doubt = Doubt(statuses=(Status.CORRECT, Status.MISSING), reason="Whose is it?")
    found = withheld(finding, doubt)
    if status not in doubt.statuses:
        assert found == finding
        return
    assert found.status is Status.REVIEW
    assert found.suggestion is (Status.CORRECT if status is Status.CORRECT else None)
    assert found.feedback == "Right. Whose is it? A person decides."
    told = f"Whose is it? Without this doubt, the verdict is: {status.value}."
    assert found.note == f"Seen. {told}"
    assert withheld(finding.with_changes(note=""), doubt).note == told


@pytest.mark.parametrize("status", Status)
def test_nothing_is_withheld_for_certain_where_something_could_not_be_read(status: Status) -> None:
    finding = Finding(item="a", status=status, feedback="Wrong.")
    assert review_if_unread(finding, ()) == finding
    found = review_if_unread(finding, ("a.pdf", "b.pdf"))
    if status not in (Status.MISSING, Status.INCORRECT):
        assert found == finding
        return
    assert (found.status, found.note) == (Status.REVIEW, "Not read: a.pdf; b.pdf")
    assert found.suggestion is (Status.INCORRECT if status is Status.INCORRECT else None)
    assert found.feedback == "Wrong. Some of the submission could not be read. A person decides."


def test_one_decision_about_a_hand_in_settles_what_awaits_a_person() -> None:
    findings = (
        Finding(item="a", status=Status.REVIEW, suggestion=Status.PARTIAL, note="Look."),
        Finding(item="b", status=Status.REVIEW, suggestion=Status.CORRECT),
        Finding(item="c", status=Status.REVIEW),
        Finding(item="d", status=Status.CORRECT),
    )
    groups = [one.group for one in as_one(findings, WHOLE, Decisions())]
    assert groups == [WHOLE, WHOLE, WHOLE, ""]
    answers = as_one(findings, WHOLE, Decisions(decisions=(decision("correct", WHOLE),)))
    assert [(one.status, one.suggestion) for one in answers] == [
        (Status.PARTIAL, None),
        (Status.CORRECT, None),
        (Status.REVIEW, None),
        (Status.CORRECT, None),
    ]
    assert answers[0].note == "Look. A person decided that it is an answer to this lab."
    assert answers[1].note == "A person decided that it is an answer to this lab."
    assert [one.decided_by for one in answers] == [*["A, 2026-01-02: it is so"] * 2, "", ""]
    none = as_one(findings, WHOLE, Decisions(decisions=(decision("incorrect", WHOLE),)))
    assert [one.status for one in none] == [*[Status.INCORRECT] * 3, Status.CORRECT]
    assert [one.suggestion for one in none] == [None] * 4
    assert none[0].feedback == "A person decided that this submission is no answer to this lab."
    assert (none[2].decided_by, none[2].group) == ("A, 2026-01-02: it is so", WHOLE)


READ = Finding(
    item="q2.r",
    status=Status.REVIEW,
    found="the rank",
    expected=ExpectedAnswer(text="the rank"),
    evidence=(Evidence(file="r.md", quote="r"),),
    diagnoses=(Diagnosis(id="x", text="X."),),
    suggestion=Status.CORRECT,
    note="Near.",
    group=GROUP,
    tags=("shown",),
    confidence=0.5,
    decided_tags=("kept",),
)


def test_a_decision_about_a_text_takes_the_place_of_what_was_found() -> None:
    found = decided_text(READ, deciding(decision("incorrect"), decision("partial")))
    assert (found.status, found.found, found.expected, found.evidence) == (
        Status.PARTIAL,
        "the rank",
        READ.expected,
        READ.evidence,
    )
    assert found.feedback == "A person decided about this text: it is so"
    assert (found.group, found.tags, found.decided_tags) == (GROUP, ("kept",), ("kept",))
    assert (found.decided_by, found.suggestion, found.note) == ("A, 2026-01-02: it is so", None, "")
    assert (found.diagnoses, found.confidence) == ((), 1.0)


def test_without_a_decision_about_it_a_text_stays_as_it_was_found() -> None:
    other = deciding(decision("incorrect", "r:fedcba9876543210"))
    assert decided_text(READ, other) == READ
    unlearned = READ.with_changes(decided_tags=None)
    assert decided_text(unlearned, deciding(decision("incorrect"))) == unlearned


@pytest.mark.parametrize(
    ("wrong", "right", "is_over"), [(0, 9, False), (1, 0, True), (1, 40, False), (3, 5, True), (2, 200, False)]
)
def test_verdicts_that_people_overrule_too_often_go_to_a_person(wrong: int, right: int, *, is_over: bool) -> None:
    audits = [decision("incorrect", f"r:{n:016x}", automatic="correct") for n in range(1, wrong + 1)]
    audits += [decision("correct", f"r:{n:016x}", automatic="correct") for n in range(100, 100 + right)]
    own = [decision("incorrect", f"r:{n:016x}") for n in range(500, 520)]
    others = [decision("incorrect", f"bias:{n:016x}", automatic="correct") for n in range(20)]
    used = deciding(*audits, *own, *others)
    assert is_withdrawn(used, "r") is is_over
    assert is_withdrawn(used, "bias")
    assert not is_withdrawn(used, "lora_alpha")
    assert not is_withdrawn(used.model_copy(update={"short_answers": None}), "bias")
    automatic = READ.with_changes(status=Status.CORRECT, suggestion=None, tags=(f"{AUTOMATIC}correct",))
    found = decided_text(automatic, used)
    if not is_over:
        assert found == automatic
        return
    assert (found.status, found.suggestion, found.tags) == (Status.REVIEW, Status.CORRECT, (OVERRULED,))
    assert (found.feedback, found.confidence) == ("", 1.0)
    assert found.note == (
        "Markers overruled too many automatic verdicts on this question, so a person decides all its answers. Near."
    )
    assert decided_text(READ, used) == READ, "no automatic verdict is overruled"


def test_the_tag_of_an_automatic_verdict_names_its_label() -> None:
    assert is_automatic(("shown", f"{AUTOMATIC}partial"))
    assert not is_automatic(("shown", OVERRULED))
    assert not is_automatic(())


def test_checks_see_no_stored_decision() -> None:
    used = deciding(decision("correct"))
    assert without_decisions(used).decisions == Decisions()
    assert without_decisions(without_decisions(used)) is without_decisions(used)
