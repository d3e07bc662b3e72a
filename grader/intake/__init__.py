"""What can go wrong at the door."""

from grader.message import Words


class IntakeError(Exception):
    """Nothing can be graded at the path that was given: what is wrong, where, and what to do, for the instructor."""


class NotLetInError(Exception):
    """One file or archive of a hand-in is refused, for the `reason`, in words for the student; never leaves intake."""

    def __init__(self, reason: Words) -> None:
        super().__init__(reason)
        self.reason = reason
