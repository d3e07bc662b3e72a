"""What a gradebook holds: runs, and the grades that they made or found."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from grader.frozen import Frozen
from grader.gradebook.inputs import Inputs, Origin
from grader.gradebook.outline import Outline

Files = Mapping[str, str]
"""SHA-256 of files by name."""


class NewRun(NamedTuple):
    """A run that begins: the lab and the versions it grades with, and the options that were given."""

    lab: str
    lab_sha256: str
    truth_sha256: str
    grader: str
    language: str
    options: Mapping[str, object]


class Run(Frozen):
    """A run of grading, now or in the past. `finished` is None where it was cut off, or goes on still.

    `class_sha256` stands for what the files of the class, `files`, were made from. `students` is how many it covered,
    `graded` how many of these got a new grade.
    """

    id: int
    started: datetime
    finished: datetime | None
    lab: str
    lab_sha256: str
    truth_sha256: str
    grader: str
    language: str
    options: dict[str, object]
    class_sha256: str = ""
    files: dict[str, str]
    students: int = 0
    graded: int = 0


class Kept(NamedTuple):
    """A grade in a gradebook. `run` made it, at the time `graded` (UTC)."""

    id: int
    run: int
    student: str
    graded: datetime
    submission_sha256: str
    inputs: Inputs
    result_sha256: str
    outline: Outline

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        return Origin(self.inputs, self.submission_sha256, failed=self.outline.error is not None)


class Standing(NamedTuple):
    """The grade that held for a student when a run ended, and the files in which the run left it."""

    grade: Kept
    files: Files
