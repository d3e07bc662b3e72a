"""Answers of several kinds of students, written before the checks were looked at: nothing is given or taken wrongly."""

import json

import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import decide
from tests.generated.judged import reading_of
from tests.generated.unseen import ITEMS, Case, cases, figures

LEAST_DECIDED = 0.9
"""Of the right answers."""


def concluded(item: str, series: str) -> list[tuple[Case, Finding]]:
    return [(case, decide(item, reading_of(json.dumps(case.notebook).encode()))[0]) for case in cases(item, series)]


@pytest.mark.parametrize("series", ["", "_2"])
@pytest.mark.parametrize("item", ITEMS)
def test_unseen_answers(item: str, series: str) -> None:
    judged = concluded(item, series)
    found = figures(judged)
    print(f"{item}{series}: {found}")
    assert not found.given_wrongly
    assert not found.taken_wrongly
    assert not found.elsewhere
    right = [finding.status for case, finding in judged if case.labels == {Status.CORRECT}]
    assert right.count(Status.CORRECT) >= LEAST_DECIDED * len(right) - 1


def finding_of(item: str, name: str, series: str = "") -> Finding:
    return next(finding for case, finding in concluded(item, series) if case.name == name)


def test_a_sum_of_typed_numbers_is_told_to_verify_nothing() -> None:
    finding = finding_of("t1.verified", "hand formula only")
    assert "no model was counted" in finding.feedback


def test_a_configuration_that_is_replaced_is_named() -> None:
    finding = finding_of("t6.quantization", "changed later to 8 bit")
    assert [one.id for one in finding.diagnoses] == ["made-anew"]
