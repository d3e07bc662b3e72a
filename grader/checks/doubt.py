"""Why findings of some kinds cannot stand as they are."""

from grader.checks.finding import Status
from grader.frozen import Frozen
from grader.message import Words


class Doubt(Frozen):
    """Findings with one of these statuses go to a person, for a reason that holds for the hand-in as a whole. Where it
    `is_whole`, one decision about the hand-in settles them all."""

    statuses: tuple[Status, ...]
    reason: Words
    is_whole: bool = False
