"""The one sentence beside the score that a student should not miss."""

from grader.frozen import Frozen
from grader.report.views.marks import MARKS
from grader.report.views.wording import counted
from grader.result import Result, Status


class Call(Frozen):
    """A claim, what it means for the student, and the shape to set before it."""

    shape: str
    claim: str
    explanation: str


def call(result: Result) -> Call | None:
    """The most important of what there is to say, if there is anything."""
    if result.error is not None:
        return Call(
            shape=MARKS[Status.ERROR].shape,
            claim="This hand-in could not be graded automatically.",
            explanation="That is not your fault: a person will look at it and decide.",
        )
    if result.pending:
        verb = "awaits" if result.pending == 1 else "await"
        return Call(
            shape=MARKS[Status.REVIEW].shape,
            claim=f"{counted(result.pending, 'point')} {verb} a person.",
            explanation="The score above counts decided points only and may still rise.",
        )
    if not result.submission.files:
        return Call(
            shape=MARKS[Status.MISSING].shape,
            claim="No file was found in this hand-in.",
            explanation="If you did hand something in, tell the teaching staff.",
        )
    if result.score == result.max_score:
        return Call(shape=MARKS[Status.CORRECT].shape, claim="Every point was earned.", explanation="")
    return None
