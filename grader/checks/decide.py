"""Build the finding that concludes a check: a verdict, or a review with its reason.

A check collects possible answers and judges them. `with_verdict` then turns the verdict into a finding. If a reason
speaks against the verdict, the finding goes to review and the verdict becomes its suggestion."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pydantic import Field

from grader.checks.feedback import Reason, left_to_person, say_wrong
from grader.checks.finding import Diagnosis, Finding, Status
from grader.frozen import Frozen
from grader.message import Words, join_messages, say_data


class WrongNumber(Frozen):
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


def with_verdict(finding: Finding, status: Status, message: Words, *reasons: Reason | None, **changes: Any) -> Finding:
    """Return the finding with a verdict and its message, or for review if there is a reason; the first reason counts.

    In a review, the verdict becomes the suggestion if the reason leaves it likely. Otherwise there is no suggestion,
    and the message of the verdict is left out.
    """
    reason = next(filter(None, reasons), None)
    if reason is None:
        return finding.with_changes(status=status, suggestion=None, feedback=message, **changes)
    if not reason.is_likely:
        return finding.with_changes(status=Status.REVIEW, suggestion=None, feedback=left_to_person(reason.text))
    feedback = left_to_person(message, reason.text)
    return finding.with_changes(
        **{**changes, "status": Status.REVIEW, "share": None, "suggestion": status}, feedback=feedback
    )


def decided_by_parts(
    finding: Finding, verdicts: Sequence[bool | None], message: Words, *reasons: Reason | None
) -> Finding:
    """Return the verdict on an answer with several parts, each of which is right (True), wrong (False) or open (None).

    The verdict is `correct` if all parts are right, `partial` with the share of right parts if some are, and
    `incorrect` if none is. `incorrect` is never a suggestion: if there is a reason for review, the text may not be the
    answer at all.
    """
    right = sum(verdict is True for verdict in verdicts)
    if right == len(verdicts):
        return with_verdict(finding, Status.CORRECT, message, *reasons)
    if right:
        return with_verdict(finding, Status.PARTIAL, message, *reasons, share=Decimal(right) / len(verdicts))
    return with_verdict(finding, Status.INCORRECT, message, *reasons).with_changes(suggestion=None)


def decided_wrong(
    finding: Finding, found: str, known_wrong: WrongNumber | WrongSize | None, *reasons: Reason | None
) -> Finding:
    """Return the verdict on a wrong number or size. It is `partial` if the lab knows the error and grants it points."""
    if known_wrong is None:
        return with_verdict(finding, Status.INCORRECT, say_wrong(found), *reasons)
    why = say_data(known_wrong.why)
    return with_verdict(
        finding,
        Status.PARTIAL if known_wrong.share else Status.INCORRECT,
        join_messages(" ", (say_wrong(found), why)),
        *reasons,
        share=known_wrong.share or None,
        diagnoses=(Diagnosis(id=f"known-wrong:{known_wrong.name}", text=why),),
    )
