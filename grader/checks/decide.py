"""The conclusion of every check: the verdict on what is meant as the answer, or the reason for which a person has to
look.

A check collects what may be the answer and judges it. What follows is the same for all of them, so it stands here: a
verdict holds where no reason speaks against it, and becomes the suggestion of a review where one does.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pydantic import Field

from grader.checks.feedback import PERSON, Reason, wrong
from grader.checks.finding import Diagnosis, Finding, Status
from grader.frozen import Frozen
from grader.message import Words, joined, say_data


class Wrong(Frozen):
    """A wrong number that is known, why it comes about, and the share of the points that it earns."""

    value: Decimal
    why: str
    share: Decimal = Field(default=Decimal(0), ge=0, le=1)

    @property
    def name(self) -> str:
        """The number as text."""
        return str(self.value)


class WrongSize(Frozen):
    """A wrong size that is known, why it comes about, and the share of the points that it earns."""

    size: tuple[int, ...]
    why: str
    share: Decimal = Field(default=Decimal(0), ge=0, le=1)

    @property
    def name(self) -> str:
        """The size as text, such as 32×32×16."""
        return "×".join(map(str, self.size))


def decided(finding: Finding, status: Status, said: Words, *reasons: Reason | None, **changes: Any) -> Finding:
    """The verdict with its sentence; for review where a reason holds, of several the first.

    The verdict is the suggestion where the reason leaves it likely. Otherwise nothing is suggested, and the sentence of
    the verdict is not said either.
    """
    reason = next(filter(None, reasons), None)
    if reason is None:
        return finding.changed(status=status, suggestion=None, feedback=said, **changes)
    if not reason.is_likely:
        return finding.changed(status=Status.REVIEW, suggestion=None, feedback=joined(" ", (reason.text, PERSON)))
    feedback = joined(" ", [sentence for sentence in (said, reason.text, PERSON) if sentence])
    return finding.changed(
        **{**changes, "status": Status.REVIEW, "share": None, "suggestion": status}, feedback=feedback
    )


def decided_by_parts(
    finding: Finding, verdicts: Sequence[bool | None], said: Words, *reasons: Reason | None
) -> Finding:
    """The verdict on several things that are asked for together: each right, wrong, or open.

    All right are correct, some are worth their share, none is wrong. That nothing is right is never suggested: where a
    reason holds, what stands there may not be what was asked for at all.
    """
    right = sum(verdict is True for verdict in verdicts)
    if right == len(verdicts):
        return decided(finding, Status.CORRECT, said, *reasons)
    if right:
        return decided(finding, Status.PARTIAL, said, *reasons, share=Decimal(right) / len(verdicts))
    return decided(finding, Status.INCORRECT, said, *reasons).changed(suggestion=None)


def decided_wrong(finding: Finding, found: str, known: Wrong | WrongSize | None, *reasons: Reason | None) -> Finding:
    """The verdict on a number or a size that is not right: in part where it is a known one that earns some points."""
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
