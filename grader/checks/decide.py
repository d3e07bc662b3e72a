"""Build the finding that concludes a check: a verdict, or a review with its reason.

A check collects possible answers and judges them. `decided` then turns the verdict into a finding. If a reason speaks
against the verdict, the finding goes to review and the verdict becomes its suggestion.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pydantic import Field

from grader.checks.feedback import Reason, left_to_person, wrong
from grader.checks.finding import Diagnosis, Finding, Status
from grader.frozen import Frozen
from grader.message import Words, joined, say_data


class Wrong(Frozen):
    """A known wrong number, its cause, and the share of the points that it earns."""

    value: Decimal
    why: str
    share: Decimal = Field(default=Decimal(0), ge=0, le=1)

    @property
    def name(self) -> str:
        """The number as text."""
        return str(self.value)


class WrongSize(Frozen):
    """A known wrong size, its cause, and the share of the points that it earns."""

    size: tuple[int, ...]
    why: str
    share: Decimal = Field(default=Decimal(0), ge=0, le=1)

    @property
    def name(self) -> str:
        """The size as text, such as 32×32×16."""
        return "×".join(map(str, self.size))


def decided(finding: Finding, status: Status, said: Words, *reasons: Reason | None, **changes: Any) -> Finding:
    """Return the finding with a verdict and its message, or for review if there is a reason; the first reason counts.

    In a review, the verdict becomes the suggestion if the reason leaves it likely. Otherwise there is no suggestion,
    and the message of the verdict is left out.
    """
    reason = next(filter(None, reasons), None)
    if reason is None:
        return finding.changed(status=status, suggestion=None, feedback=said, **changes)
    if not reason.is_likely:
        return finding.changed(status=Status.REVIEW, suggestion=None, feedback=left_to_person(reason.text))
    feedback = left_to_person(said, reason.text)
    return finding.changed(
        **{**changes, "status": Status.REVIEW, "share": None, "suggestion": status}, feedback=feedback
    )


def decided_by_parts(
    finding: Finding, verdicts: Sequence[bool | None], said: Words, *reasons: Reason | None
) -> Finding:
    """Return the verdict on an answer with several parts, each of which is right (True), wrong (False) or open (None).

    The verdict is `correct` if all parts are right, `partial` with the share of right parts if some are, and
    `incorrect` if none is. `incorrect` is never a suggestion: if there is a reason for review, the text may not be the
    answer at all.
    """
    right = sum(verdict is True for verdict in verdicts)
    if right == len(verdicts):
        return decided(finding, Status.CORRECT, said, *reasons)
    if right:
        return decided(finding, Status.PARTIAL, said, *reasons, share=Decimal(right) / len(verdicts))
    return decided(finding, Status.INCORRECT, said, *reasons).changed(suggestion=None)


def decided_wrong(finding: Finding, found: str, known: Wrong | WrongSize | None, *reasons: Reason | None) -> Finding:
    """Return the verdict on a wrong number or size. It is `partial` if the lab knows the error and grants it points."""
    if known is None:
        return decided(finding, Status.INCORRECT, wrong(found), *reasons)
    why = say_data(known.why)
    return decided(
        finding,
        Status.PARTIAL if known.share else Status.INCORRECT,
        joined(" ", (wrong(found), why)),
        *reasons,
        share=known.share or None,
        diagnoses=(Diagnosis(id=f"known-wrong:{known.name}", text=why),),
    )
