"""What one student handed in: the files, who, and what was refused at the door."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path

from pydantic import Field

from grader.frozen import Frozen
from grader.intake.identity import Identity
from grader.message import Words


class Role(StrEnum):
    """What a file is for, by its content and name."""

    REPORT = "report"
    NOTEBOOK = "notebook"
    CODE = "code"
    LOG = "log"
    MODEL = "model"
    OTHER = "other"


class Part(Frozen):
    """A piece of a hand-in that lies apart from the others: see `Source` for `path` and `inside`.

    `name` is what a file is called in the hand-in, or what stands before the names of a folder's content.
    """

    path: Path
    inside: str = ""
    name: str = ""


class Source(Frozen):
    """Where one student's hand-in lies, before any byte of it is opened.

    `inside` names a folder, a nested archive or a single file within the archive at `path`; it is empty when all of
    `path` is meant. A hand-in in several pieces lists them all in `parts`. `submitted_at` and `time_from` are the time
    and who says so, where that is known; `earlier` are times of attempts whose files are not here.
    """

    student_id: str
    student_name: str
    path: Path
    inside: str = ""
    parts: tuple[Part, ...] = ()
    identity: Identity | None = None
    submitted_at: datetime | None = None
    time_from: Words = ""
    attempt: str = Field(default="", description="What a name says of which attempt it is: `2`, or a time.")
    series: str = Field(default="", description="Hand-ins with the same one, not empty, are attempts of one student.")
    earlier: tuple[datetime, ...] = ()


class SubmittedFile(Frozen):
    """One file of a hand-in. `path` is relative, with forward slashes, as the student would say; `size` in bytes."""

    path: str
    role: Role
    size: int
    sha256: str
    location: Path = Field(description="Where the bytes lie on this machine while it is graded.")


class Refusal(Frozen):
    """A file or folder that was not let in, and why, in words for the student."""

    path: str
    reason: Words
    is_many: bool = Field(
        default=False, description="Whether files of any kind may be behind it, so that its name says nothing of them."
    )


class Submission(Frozen):
    """One student's hand-in. `sha256` covers all paths and contents, so equal hand-ins have equal hashes."""

    student_id: str
    student_name: str
    identity: Identity | None = None
    submitted_at: datetime | None = None
    files: tuple[SubmittedFile, ...] = ()
    refused: tuple[Refusal, ...] = ()
    sha256: str
