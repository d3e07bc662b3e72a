"""A submission as read: every file goes to the reader for what it is, and what became of it is recorded."""

import hashlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from grader.intake.names import is_archive
from grader.intake.roles import role_of
from grader.intake.submission import Refusal, Role, Submission, SubmittedFile
from grader.reading.document import BlockKind, Document
from grader.reading.event_file import read_event_file
from grader.reading.ignored import why_ignored, why_no_report
from grader.reading.log import Log
from grader.reading.markup import read_lines, read_markdown, read_text
from grader.reading.notebook import Notebook
from grader.reading.notebook_file import read_notebook
from grader.reading.pdf import read_pdf
from grader.reading.reading import FileRecord, FileState, Reading
from grader.reading.runs import runs_of

Content = Document | Notebook | Log
Reader = Callable[[SubmittedFile], Content]

_HEAD: Final = 4096
_MARKDOWN: Final = frozenset({".md", ".markdown", ".mdown", ".rmd", ".qmd"})


class _Outcome(NamedTuple):
    record: FileRecord
    content: Content | None = None


def read(submission: Submission) -> Reading:
    """Everything that a submission says. Each file is read on its own: a reader that fails costs that file only."""
    outcomes = [_read_file(file) for file in submission.files]
    outcomes += [_refused(refusal) for refusal in submission.refused]
    outcomes.sort(key=lambda outcome: outcome.record.path)
    contents = [outcome.content for outcome in outcomes]
    return Reading(
        documents=tuple(content for content in contents if isinstance(content, Document)),
        notebooks=tuple(content for content in contents if isinstance(content, Notebook)),
        runs=runs_of(content for content in contents if isinstance(content, Log)),
        files=tuple(outcome.record for outcome in outcomes),
    )


def read_path(path: Path) -> Reading:
    """One file on this machine as if it were a whole submission. Raises OSError when it cannot be opened."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    size, name = path.stat().st_size, path.as_posix()
    submitted = SubmittedFile(path=name, role=role_of(path.name, head), size=size, sha256=digest, location=path)
    return read(Submission(student_id="", student_name="", files=(submitted,), sha256=digest))


def _refused(refusal: Refusal) -> _Outcome:
    """A file that was not let in is unreadable when it may hold an answer: by its name a report or code, or an archive
    of whatever it holds."""
    role = role_of(refusal.path, b"")
    counts = role is not Role.OTHER or is_archive(refusal.path)
    state = FileState.UNREADABLE if counts else FileState.IGNORED
    return _Outcome(FileRecord(path=refusal.path, role=role, state=state, reason=refusal.reason))


def _read_file(file: SubmittedFile) -> _Outcome:
    try:
        reader = _reader(file)
        if reader is None:
            return _not_read(file)
        content = reader(file)
    except Exception as error:  # readers do not raise; if one does all the same, the other files must not suffer
        reason = f"the grader could not read this file ({type(error).__name__}); this is the grader's fault"
        return _Outcome(_record(file, FileState.UNREADABLE, reason))
    return _Outcome(_judged(file, content), content)


def _reader(file: SubmittedFile) -> Reader | None:
    """The reader for a file, by its role and what it looks like; None where there is none."""
    with file.location.open("rb") as opened:
        head = opened.read(_HEAD)
    suffix = PurePosixPath(file.path).suffix.lower()
    if file.role is Role.REPORT:
        return _report_reader(head, suffix)
    if file.role is Role.LOG:
        binary = b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff"))
        return read_event_file if binary or "tfevents" in PurePosixPath(file.path).name else _read_output
    if file.role is Role.NOTEBOOK:
        return read_notebook
    return _read_code if file.role is Role.CODE else None


def _report_reader(head: bytes, suffix: str) -> Reader | None:
    if b"%PDF" in head[:1024] or suffix == ".pdf":
        return read_pdf
    if suffix == ".ipynb":
        return read_notebook
    if suffix in _MARKDOWN:
        return read_markdown
    return None if why_no_report(suffix) else read_text


def _read_code(file: SubmittedFile) -> Document:
    return read_lines(file, BlockKind.CODE)


def _read_output(file: SubmittedFile) -> Document:
    return read_lines(file, BlockKind.OUTPUT)


def _not_read(file: SubmittedFile) -> _Outcome:
    reason = why_no_report(PurePosixPath(file.path).suffix.lower()) if file.role is Role.REPORT else None
    if reason:
        return _Outcome(_record(file, FileState.UNREADABLE, reason))
    return _Outcome(_record(file, FileState.IGNORED, why_ignored(file.path)))


def _judged(file: SubmittedFile, content: Content) -> FileRecord:
    reason = "; ".join(content.problems) or None
    if _says_something(content):
        return _record(file, FileState.PARTLY if reason else FileState.READ, reason)
    if reason is None and file.role is Role.CODE:
        return _record(file, FileState.READ, "the file is empty")
    return _record(file, FileState.UNREADABLE, reason or "the file is empty")


def _says_something(content: Content) -> bool:
    match content:
        case Document():
            return bool(content.blocks)
        case Notebook():
            return any(cell.source or cell.output for cell in content.cells)
        case Log():
            return bool(content.series)


def _record(file: SubmittedFile, state: FileState, reason: str | None) -> FileRecord:
    return FileRecord(path=file.path, role=file.role, state=state, reason=reason)
