"""What a grade depends on, each part as a hash, so that a later grade can be told from it and explained."""

import hashlib
from enum import StrEnum
from typing import NamedTuple


class Inputs(NamedTuple):
    """Hashes of all that goes into a student's result and reports.

    `source` stands for the handed-in bytes and names as they lie, unopened; `lateness` for the time of the hand-in and
    what follows from it; `identity` for who the student is said to be; `presentation` for language and templates.
    """

    source: str
    lab: str
    truth: str
    grader: str
    overrides: str
    lateness: str
    identity: str
    presentation: str

    @property
    def digest(self) -> str:
        """All of them as one hash: a result with the same one need not be computed again."""
        return hashlib.sha256("\n".join(self).encode()).hexdigest()


NO_INPUTS = Inputs(*[""] * len(Inputs._fields))
"""Where nobody asked for them."""


class Reason(StrEnum):
    """Why a grade is another than the one before."""

    SUBMISSION = "submission"
    LAB = "lab"
    TRUTH = "truth"
    GRADER = "grader"
    OVERRIDES = "overrides"
    LATENESS = "lateness"
    ROSTER = "roster"
    REPORTS = "reports"
    FAILURE = "failure"
    AGAIN = "again"


_REASONS = {
    Reason.LAB: "lab",
    Reason.TRUTH: "truth",
    Reason.GRADER: "grader",
    Reason.OVERRIDES: "overrides",
    Reason.LATENESS: "lateness",
    Reason.ROSTER: "identity",
    Reason.REPORTS: "presentation",
}


class Origin(NamedTuple):
    """Where a grade comes from. `submission` covers the files as they were let in, so that the same files in another
    archive are the same submission; it is empty where grading failed."""

    inputs: Inputs
    submission: str
    failed: bool = False


def reasons(before: Origin, after: Origin) -> tuple[Reason, ...]:
    """What differs between two grades of a student. `FAILURE`: one of them was no grade, as the grader had failed;
    `AGAIN`: nothing differs."""
    changed = [
        name for name, field in _REASONS.items() if getattr(before.inputs, field) != getattr(after.inputs, field)
    ]
    if before.failed != after.failed:
        changed.append(Reason.FAILURE)
    other_bytes = before.inputs.source != after.inputs.source
    other_files = before.submission != after.submission and not (before.failed or after.failed)
    if other_files or (other_bytes and not changed):
        changed.insert(0, Reason.SUBMISSION)
    return tuple(changed) or (Reason.AGAIN,)
