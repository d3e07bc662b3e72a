"""Intake of hand-ins, and its errors."""

from grader.message import Words


class IntakeError(Exception):
    """Nothing can be graded at a path; the message tells the instructor what is wrong, where, and what to do."""


class NotLetInError(Exception):
    """One file or archive of a hand-in is refused, for the `reason`, in words for the student; never leaves intake."""

    def __init__(self, reason: Words) -> None:
        super().__init__(reason)
        self.reason = reason
