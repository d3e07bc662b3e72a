"""Compare findings with the results of test tools.

Checks do not see these results, because they are no part of a submission. If finding and test agree, that decides.
Otherwise the item goes to review.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from pydantic import Field

from grader.checks.feedback import left_to_person
from grader.checks.finding import Diagnosis, Finding, Status
from grader.frozen import Frozen
from grader.lab.definition import Item, Lab
from grader.message import Words, join_messages, say

CHECK: Final = "tested"
_DECIDED: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING)


class Outcome(Frozen):
    """The points that a test gave a submission, and the most that it can give."""

    earned: Decimal
    possible: Decimal


class Outcomes(Frozen):
    """The test results of one submission, by tool and test, such as `otter:q3`."""

    results: dict[str, Outcome] = Field(default_factory=dict)

    def total(self, names: Sequence[str]) -> Outcome | None:
        """Return the total points of some tests, or None if a test has no result or no test is named."""
        if not names or not self.results.keys() >= set(names):
            return None
        earned = sum((self.results[name].earned for name in names), Decimal(0))
        return Outcome(earned=earned, possible=sum((self.results[name].possible for name in names), Decimal(0)))


def named_tests(lab: Lab) -> frozenset[str]:
    """Return the tests that a lab names, with their tools."""
    return frozenset(name for item in lab.items for name in _names(item))


def _names(item: Item) -> tuple[str, ...]:
    if item.check == CHECK:
        return tuple(map(str, item.options.get("tests", ())))
    return (item.witness,) if item.witness else ()


def with_tests(
    findings: Sequence[Finding], record: Outcomes | None, lab: Lab, *, is_doubtful: bool
) -> tuple[Finding, ...]:
    """Return the findings after a comparison with test results.

    If the submission `is_doubtful` as a whole, tests decide nothing.
    """
    if record is None:
        return tuple(findings)
    items = {item.id: item for item in lab.items}
    return tuple(_beside(finding, items[finding.item], record, is_doubtful=is_doubtful) for finding in findings)


def _beside(finding: Finding, item: Item, record: Outcomes, *, is_doubtful: bool) -> Finding:
    """Return a finding after a comparison with its item's tests, if all have results and no marker has decided."""
    names = _names(item)
    total = record.total(names)
    if total is None or finding.decided_by or finding.status in (Status.NOT_RUN, Status.ERROR):
        return finding
    share = total.earned / total.possible
    status = Status.CORRECT if share == 1 else Status.PARTIAL if share else Status.INCORRECT
    points = {"earned": f"{total.earned.normalize():f}", "possible": f"{total.possible.normalize():f}"}
    message = say("Tests: {earned} of {possible} points ({names}).", **points, names=", ".join(names))
    finding = finding.with_changes(
        diagnoses=(*finding.diagnoses, Diagnosis(id=f"{CHECK}:{status.value}", text=message))
    )
    if item.check != CHECK:
        return _held_against(finding, status, message, may_decide=not is_doubtful and item.evidence == "report")
    if is_doubtful:
        return finding.with_changes(suggestion=status, feedback=message)
    part = share if status is Status.PARTIAL else None
    return finding.with_changes(status=status, share=part, feedback=message, suggestion=None)


def _held_against(finding: Finding, status: Status, message: Words, *, may_decide: bool) -> Finding:
    """Return a finding after a comparison with the verdict of the tests."""
    feedback = join_messages(" ", [sentence for sentence in (finding.feedback, message) if sentence])
    if finding.status is Status.REVIEW:
        is_same = finding.suggestion is status and status is not Status.PARTIAL
        if is_same and may_decide:
            return finding.with_changes(status=status, suggestion=None, feedback=feedback)
        suggestion = finding.suggestion if finding.suggestion is status else None if finding.suggestion else status
        return finding.with_changes(suggestion=suggestion, feedback=feedback)
    agree = {finding.status, status} <= {Status.MISSING, Status.INCORRECT} or finding.status is status
    if agree or finding.status not in _DECIDED:
        return finding.with_changes(feedback=feedback)
    differ = say("The tests and what was read in the submission say different things.")
    return finding.with_changes(
        status=Status.REVIEW, suggestion=None, share=None, feedback=left_to_person(feedback, differ)
    )
