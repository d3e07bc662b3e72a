"""All that was read in one submission."""

from enum import StrEnum

from grader.frozen import Frozen
from grader.intake.submission import Role
from grader.message import Words
from grader.reading.document import Document
from grader.reading.notebook import Notebook
from grader.reading.run import Run


class FileState(StrEnum):
    """How much of a file was read."""

    READ = "read"
    PARTLY = "partly"
    UNREADABLE = "unreadable"
    IGNORED = "ignored"


class FileRecord(Frozen):
    """What became of one submitted file, with the reason where it was not read whole."""

    path: str
    role: Role
    state: FileState
    reason: Words | None = None


class Reading(Frozen):
    """All documents, notebooks and runs of a submission, and the fate of every file."""

    documents: tuple[Document, ...] = ()
    notebooks: tuple[Notebook, ...] = ()
    runs: tuple[Run, ...] = ()
    files: tuple[FileRecord, ...] = ()
