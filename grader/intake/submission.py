"""What one student handed in: the files, who, and what was refused at the door."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path

from pydantic import Field

from grader.frozen import Frozen


class Role(StrEnum):
    """What a file is for, by its content and name."""

    REPORT = "report"
    NOTEBOOK = "notebook"
    CODE = "code"
    LOG = "log"
    MODEL = "model"
    OTHER = "other"


class Source(Frozen):
    """Where one student's hand-in lies, before any byte of it is opened.

    `inside` names a folder, a nested archive or a single file within the archive at `path`; it is empty when all of
    `path` is meant.
    """

    student_id: str
    student_name: str
    path: Path
    inside: str = ""


class SubmittedFile(Frozen):
    """One file of a hand-in. `path` is relative, with forward slashes, as the student would say; `size` in bytes."""

    path: str
    role: Role
    size: int
    sha256: str
    location: Path = Field(description="Where the bytes lie on this machine while it is graded.")


class Refusal(Frozen):
    """A file that was not let in, and why, in words for the student."""

    path: str
    reason: str


class Submission(Frozen):
    """One student's hand-in. `sha256` covers all paths and contents, so equal hand-ins have equal hashes."""

    student_id: str
    student_name: str
    submitted_at: datetime | None = None
    files: tuple[SubmittedFile, ...] = ()
    refused: tuple[Refusal, ...] = ()
    sha256: str
