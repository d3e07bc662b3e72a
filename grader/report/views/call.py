"""The one sentence beside the score that a student should not miss."""

from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import say, say_number
from grader.report.views.marks import MARKS
from grader.report.views.wording import plural_of
from grader.result import Result, Status


class Call(Frozen):
    """A claim, what it means for the student, and the shape to set before it."""

    shape: str
    claim: str
    explanation: str


def call(result: Result, language: Language = ENGLISH) -> Call | None:
    """The most important of what there is to say, if there is anything."""
    told = _told(result)
    if told is None:
        return None
    status, claim, explanation = told
    return Call(shape=MARKS[status].shape, claim=language.say(claim), explanation=language.say(explanation))


def _told(result: Result) -> tuple[Status, str, str] | None:
    if result.error is not None:
        return (
            Status.ERROR,
            say("This hand-in could not be graded automatically."),
            say("That is not your fault: a person will look at it and decide."),
        )
    if result.pending:
        return (
            Status.REVIEW,
            say_number(
                "{points:f} point awaits a person.",
                "{points:f} points await a person.",
                plural_of(result.pending),
                points=result.pending.normalize(),
            ),
            say("The score above counts decided points only and may still rise."),
        )
    if not result.submission.files:
        return (
            Status.MISSING,
            say("No file was found in this hand-in."),
            say("If you did hand something in, tell the teaching staff."),
        )
    return (Status.CORRECT, say("Every point was earned."), "") if result.score == result.max_score else None
