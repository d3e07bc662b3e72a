"""The complete reading of a submission, and the fate of its files."""

from enum import StrEnum

from grader.frozen import Frozen
from grader.intake.submission import Role
from grader.message import Words
from grader.reading.document import Block, Document
from grader.reading.log import Run
from grader.reading.notebook import Notebook


class FileState(StrEnum):
    """The extent to which a file was read."""

    READ = "read"
    PARTLY = "partly"
    UNREADABLE = "unreadable"
    IGNORED = "ignored"


class FileRecord(Frozen):
    """The outcome of one submitted file, with the reason if it was not read whole. A file that was not let in has no
    hash."""

    path: str
    role: Role
    state: FileState
    reason: Words | None = None
    sha256: str = ""


class PictureText(Frozen):
    """The text that OCR reads in a picture of a file, by the picture's number among those of the file from 0."""

    file: str
    number: int
    blocks: tuple[Block, ...]


class Reading(Frozen):
    """All documents, notebooks and runs of a submission, and the fate of every file. `pictured` are the words of
    pictures amid text; the documents and notebooks are without them (`reading/pictured.py`)."""

    documents: tuple[Document, ...] = ()
    notebooks: tuple[Notebook, ...] = ()
    runs: tuple[Run, ...] = ()
    files: tuple[FileRecord, ...] = ()
    pictured: tuple[PictureText, ...] = ()
