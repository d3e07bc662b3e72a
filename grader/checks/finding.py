"""What a check concludes. It says what is so, never how many points that is worth."""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from pydantic import Field

from grader.frozen import Frozen
from grader.message import Message, Words, say
from grader.reading.document import Evidence


class Status(StrEnum):
    """The state of one rubric item."""

    CORRECT = "correct"
    PARTIAL = "partial"
    INCORRECT = "incorrect"
    MISSING = "missing"
    REVIEW = "review"
    NOT_RUN = "not_run"
    ERROR = "error"


STATUS_WORDS: Final[Mapping[Status, Message]] = {
    Status.CORRECT: say("correct"),
    Status.PARTIAL: say("partly correct"),
    Status.INCORRECT: say("incorrect"),
    Status.MISSING: say("missing"),
    Status.REVIEW: say("for review"),
    Status.NOT_RUN: say("not assessed"),
    Status.ERROR: say("grader error"),
}
"""The name of each state wherever people read it."""

HAND_IN: Final = "hand-in:"
"""Begins the group of all findings of one hand-in; a decision about it is stored by a hash of what was read."""

UNREADABLE: Final = "unreadable:"
"""Begins the group of a hand-in of which nothing could be read. Its decision cannot be stored: nothing tells it from
another one."""

UNDECIDED = (Status.REVIEW, Status.ERROR)
"""The states in which a person must decide."""


class Expected(Frozen):
    """What is right, in words for the student, and the ids of the truths it comes from."""

    text: Words
    truths: tuple[str, ...] = ()


class Diagnosis(Frozen):
    """A named explanation of what was found, in one sentence for the student."""

    id: str
    text: Words


class Finding(Frozen):
    """What a check concludes about one rubric item.

    `found` is the answer as read. `feedback` is for the student, `note` for staff. `suggestion` is the status that a
    person who reviews the item might choose. Findings of one `group` are about like
    answers, so that one decision settles them; `tags` say what was recognised in it, and `decided_by` which person
    decided. `share` says how much of what was asked a partial answer holds, where the check can tell; else the item's
    own share holds. `confidence` is between 0 and 1. `decided_tags` are those that stay where a person decided about
    the group in the lab's stored decisions; None where no stored decision is about it.
    """

    item: str
    status: Status
    found: Words | None = None
    expected: Expected | None = None
    diagnoses: tuple[Diagnosis, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    feedback: Words = ""
    note: Words = ""
    suggestion: Status | None = None
    group: str = ""
    tags: tuple[str, ...] = ()
    decided_by: Words = ""
    share: Decimal | None = Field(default=None, ge=0, le=1)
    confidence: float = Field(default=1.0, ge=0, le=1)
    decided_tags: tuple[str, ...] | None = None

    def changed(self, **changes: Any) -> "Finding":
        """This finding with some fields changed."""
        return Finding.model_validate({**dict(self), **changes})


class Severity(StrEnum):
    """How much a flag matters."""

    INFO = "info"
    WARNING = "warning"


class Flag(Frozen):
    """Something worth a look. It never costs points by itself."""

    id: str
    severity: Severity
    message: Words
    evidence: tuple[Evidence, ...] = ()


class Doubt(Frozen):
    """Findings with one of these statuses go to a person, for a reason that holds for the hand-in as a whole. Where it
    `is_whole`, one decision about the hand-in settles them all."""

    statuses: tuple[Status, ...]
    reason: Words
    is_whole: bool = False
