"""Results of tests that staff ran with other tools, and their relation to the findings of checks.

A check cannot see them: they belong to no hand-in. They are put beside its finding afterwards. Where both agree, that
decides; where they do not, a person decides.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from pydantic import Field

from grader.checks.finding import Diagnosis, Finding, Status
from grader.frozen import Frozen
from grader.lab.definition import Item, Lab
from grader.message import Words, joined, say

CHECK: Final = "tested"
_DECIDED: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING)


class Outcome(Frozen):
    """The points that a test gave a hand-in, and those that it may give."""

    earned: Decimal
    possible: Decimal


class Outcomes(Frozen):
    """The results of one hand-in by the tests' names with their tools, such as `otter:q3`."""

    results: dict[str, Outcome] = Field(default_factory=dict)

    def total(self, names: Sequence[str]) -> Outcome | None:
        """Return the points of some tests together; None if one of them has no result, or none is named."""
        if not names or not self.results.keys() >= set(names):
            return None
        earned = sum((self.results[name].earned for name in names), Decimal(0))
        return Outcome(earned=earned, possible=sum((self.results[name].possible for name in names), Decimal(0)))


def named_tests(lab: Lab) -> frozenset[str]:
    """The tests that a lab names, with their tools."""
    return frozenset(name for item in lab.items for name in _names(item))


def _names(item: Item) -> tuple[str, ...]:
    if item.check == CHECK:
        return tuple(map(str, item.options.get("tests", ())))
    return (item.witness,) if item.witness else ()


def with_tests(
    findings: Sequence[Finding], record: Outcomes | None, lab: Lab, *, is_doubtful: bool
) -> tuple[Finding, ...]:
    """The findings with what tests say; of a hand-in that `is_doubtful` as a whole nothing is decided by them."""
    if record is None:
        return tuple(findings)
    items = {item.id: item for item in lab.items}
    return tuple(_beside(finding, items[finding.item], record, is_doubtful=is_doubtful) for finding in findings)


def _beside(finding: Finding, item: Item, record: Outcomes, *, is_doubtful: bool) -> Finding:
    """A finding beside the tests that its item names, where there are results of all of them and nobody has decided."""
    names = _names(item)
    total = record.total(names)
    if total is None or finding.decided_by or finding.status in (Status.NOT_RUN, Status.ERROR):
        return finding
    share = total.earned / total.possible
    status = Status.CORRECT if share == 1 else Status.PARTIAL if share else Status.INCORRECT
    points = {"earned": f"{total.earned.normalize():f}", "possible": f"{total.possible.normalize():f}"}
    message = say("Tests: {earned} of {possible} points ({names}).", **points, names=", ".join(names))
    finding = finding.changed(diagnoses=(*finding.diagnoses, Diagnosis(id=f"{CHECK}:{status.value}", text=message)))
    if item.check != CHECK:
        return _held_against(finding, status, message, may_decide=not is_doubtful and item.evidence == "report")
    if is_doubtful:
        return finding.changed(suggestion=status, feedback=message)
    part = share if status is Status.PARTIAL else None
    return finding.changed(status=status, share=part, feedback=message, suggestion=None)


def _held_against(finding: Finding, status: Status, said: Words, *, may_decide: bool) -> Finding:
    """A finding beside what the tests came to."""
    feedback = joined(" ", [sentence for sentence in (finding.feedback, said) if sentence])
    if finding.status is Status.REVIEW:
        is_same = finding.suggestion is status and status is not Status.PARTIAL
        if is_same and may_decide:
            return finding.changed(status=status, suggestion=None, feedback=feedback)
        suggestion = finding.suggestion if finding.suggestion is status else None if finding.suggestion else status
        return finding.changed(suggestion=suggestion, feedback=feedback)
    agree = {finding.status, status} <= {Status.MISSING, Status.INCORRECT} or finding.status is status
    if agree or finding.status not in _DECIDED:
        return finding.changed(feedback=feedback)
    differ = say("The tests and what was read in the submission say different things; a person decides.")
    return finding.changed(status=Status.REVIEW, suggestion=None, share=None, feedback=joined(" ", [feedback, differ]))
