"""What to conclude where no code was handed in."""

from grader.checks.finding import Expected, Finding, Status
from grader.claims.answer import Answer
from grader.message import say


def without_code(item: str, answer: Answer, expected: Expected, *words: str) -> Finding:
    """Missing, unless the report mentions one of some words: then a person decides what that is worth."""
    mentioned = answer.mention(*words)
    if mentioned is None:
        return Finding(item=item, status=Status.MISSING, expected=expected, feedback=say("No code was handed in."))
    return Finding(
        item=item,
        status=Status.REVIEW,
        expected=expected,
        evidence=(mentioned,),
        suggestion=Status.PARTIAL,
        feedback=say("No code was handed in, but the report mentions this."),
    )
