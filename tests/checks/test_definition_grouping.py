"""Undecided definitions with the same words share a group, and a decision about it settles them all."""

from datetime import date

from grader.checks.definition import definition
from grader.checks.definition_grouping import group_key
from grader.checks.finding import Finding, Status
from grader.lab.decisions import Decision, Decisions
from tests.checks.making import answer, decide, truth
from tests.claims.making import lab

TEXT = "# Question 2\n\n- r: a truncated number of the adapters\n"


def test_form_makes_no_difference_to_the_group() -> None:
    assert group_key("r", "The rank, of A") == group_key("r", "the *rank* of  “a”.")
    assert group_key("r", "le degré") == group_key("r", "Le degre")


def test_other_words_parameters_and_values_do() -> None:
    keys = {group_key("r", "rank of A"), group_key("r", "rank of B"), group_key("bias", "rank of A")}
    assert len(keys | {group_key("r", "rank of A", "8")}) == 4


def test_an_undecided_definition_says_what_grouping_needs() -> None:
    finding, _ = decide("q2.r", answer(TEXT))
    assert finding.status is Status.REVIEW
    assert finding.group == group_key("r", "a truncated number of the adapters")
    assert finding.tags[0] == "not-understood"


def test_a_decided_definition_has_no_group() -> None:
    finding, _ = decide("q2.r", answer("# Question 2\n\n- r: the rank of the update\n"))
    assert (finding.status, finding.group) == (Status.CORRECT, "")


def test_a_decision_settles_all_that_are_alike() -> None:
    group = group_key("r", "A truncated NUMBER of the adapters")
    why = "It counts nothing."
    made = Decision(group=group, label="partial", text="x", why=why, author="A. Tutor", date=date(2026, 1, 2))
    settled = lab().model_copy(update={"decisions": Decisions(decisions=(made,))})
    (finding,) = definition.function(answer(TEXT), truth(), settled, item="q2.r", parameter="r")
    assert isinstance(finding, Finding)
    assert finding.status is Status.PARTIAL
    assert "A. Tutor" in finding.decided_by
    assert why in finding.feedback
