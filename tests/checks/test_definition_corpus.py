"""How many realistic definitions are decided without a person, and that none of them is decided wrongly."""

from collections import Counter

import pytest

from grader.checks.finding import Status
from tests.checks.definition_corpus import PARAMETERS, corpus, judge

DECIDED = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING)


def test_most_right_definitions_are_decided_and_none_is_decided_wrongly() -> None:
    found = Counter((one.label, judge(one.parameter, one.text).status) for one in corpus())
    decided = {key: number for key, number in found.items() if key[1] in DECIDED}
    wrong = {key: number for key, number in decided.items() if key[0] is not key[1]}
    right = sum(number for (label, _), number in found.items() if label is Status.CORRECT)
    share = found[Status.CORRECT, Status.CORRECT] / right
    print(
        f"\n{sum(found.values())} definitions, {right} of them right: {share:.0%} of these get full credit without a "
        f"person (bar 60 %); of {sum(decided.values())} decided {sum(wrong.values())} are decided wrongly (bar 0)"
    )
    assert not wrong
    assert share >= 0.6


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_each_parameter_is_mostly_decided(parameter: str) -> None:
    right = [one for one in corpus() if one.parameter == parameter and one.label is Status.CORRECT]
    full = [one for one in right if judge(parameter, one.text).status is Status.CORRECT]
    print(f"\n{parameter}: {len(full)} of {len(right)}")
    assert len(full) >= 0.6 * len(right)


def test_a_definition_that_is_not_right_never_gets_full_credit() -> None:
    full = [
        one
        for one in corpus()
        if one.label is not Status.CORRECT and judge(one.parameter, one.text).status is Status.CORRECT
    ]
    assert full == []


def test_nothing_but_wrong_definitions_gets_zero() -> None:
    zero = [
        one
        for one in corpus()
        if one.label is not Status.INCORRECT
        and judge(one.parameter, one.text).status in (Status.INCORRECT, Status.MISSING)
    ]
    assert zero == []


def test_every_review_says_why() -> None:
    for one in corpus():
        finding = judge(one.parameter, one.text)
        if finding.status is Status.REVIEW:
            assert finding.note, one
            assert finding.feedback, one
            assert finding.group, one
            assert finding.tags, one
