"""Of a hand-in that is blank, unreadable or another lab's, one decision settles everything."""

from datetime import date

from grader.checks.finding import HAND_IN, UNREADABLE, Conclusions, Doubt, Finding, ItemGaps, Status, as_one, in_force
from grader.checks.runner import run_checks, whole_group
from grader.claims.answer import Answer
from grader.lab.short_answers import Decision, Decisions
from tests.checks.making import answer, truth
from tests.claims.making import lab

FINDINGS = (
    Finding(item="a", status=Status.REVIEW, suggestion=Status.CORRECT),
    Finding(item="b", status=Status.REVIEW),
    Finding(item="c", status=Status.MISSING),
)
FOREIGN = Doubt(statuses=(Status.CORRECT,), reason="Another lab.", is_whole=True)


def settled(label: str, given: Answer) -> list[Status]:
    group = whole_group(given, [FOREIGN])
    made = {"group": group, "label": label, "text": "", "why": "read", "author": "A", "date": date(2026, 1, 2)}
    decisions = Decisions(decisions=(Decision.model_validate(made),))
    return [one.status for one in as_one(FINDINGS, group, decisions)]


def test_all_that_awaits_a_person_is_one_group() -> None:
    groups = [one.group for one in as_one(FINDINGS, whole_group(answer("MNIST digits"), [FOREIGN]), Decisions())]
    assert groups[0] == groups[1]
    assert groups[0].startswith(HAND_IN)
    assert groups[2] == ""


def test_a_doubt_about_each_answer_joins_none() -> None:
    doubt = FOREIGN.model_copy(update={"is_whole": False})
    assert whole_group(answer("text"), [doubt]) == ""
    assert as_one(FINDINGS, "", Decisions()) == FINDINGS


def test_another_hand_in_is_another_group() -> None:
    one, other = (whole_group(answer(text), [FOREIGN]) for text in ("one", "other"))
    assert one != other


def test_the_decision_that_it_is_no_answer_settles_all() -> None:
    assert settled("incorrect", answer("MNIST")) == [Status.INCORRECT, Status.INCORRECT, Status.MISSING]


def test_the_decision_that_it_is_an_answer_lets_stand_what_was_decided() -> None:
    assert settled("correct", answer("MNIST")) == [Status.CORRECT, Status.REVIEW, Status.MISSING]


def test_an_unreadable_hand_in_is_one_group_for_this_hand_in_only() -> None:
    findings = run_checks(answer(lost="report.pdf"), truth(), lab()).findings
    (group,) = {one.group for one in findings}
    assert group.startswith(UNREADABLE)


def test_a_decision_withholds_nothing_where_not_everything_was_read() -> None:
    undecided = Finding(item="a", status=Status.REVIEW, group="r:0123456789abcdef", decided_tags=())
    made = {"group": undecided.group, "label": "incorrect", "text": "", "why": "read", "author": "A"}
    decision = Decision.model_validate({**made, "date": date(2026, 1, 2)})
    of = lab().model_copy(update={"decisions": Decisions(decisions=(decision,))})
    found = Conclusions(findings=(undecided,), flags=(), gaps=(ItemGaps(item="a", gaps=("notes.pdf: damaged",)),))
    (finding,) = in_force(found, of).findings
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.INCORRECT)
    (finding,) = in_force(found.model_copy(update={"gaps": ()}), of).findings
    assert finding.status is Status.INCORRECT
