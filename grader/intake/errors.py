"""What can go wrong at the door."""


class IntakeError(Exception):
    """Nothing can be graded at the path that was given: what is wrong, where, and what to do, for the instructor."""


class NotLetInError(Exception):
    """One file or archive of a hand-in is refused. The message is the reason, for the student; never leaves intake."""
