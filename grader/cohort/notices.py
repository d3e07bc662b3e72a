"""What staff should know besides grades: flags, files that could not be read, submissions that could not be graded."""

from collections.abc import Sequence

from grader.frozen import Frozen
from grader.message import Words
from grader.result import Result, Severity


class FlaggedStudent(Frozen):
    """A student who has a flag, and what each such flag says."""

    student: str
    messages: tuple[Words, ...]


class FlagTally(Frozen):
    """One kind of flag and who has it; the severity is the highest that occurs."""

    id: str
    severity: Severity
    students: tuple[FlaggedStudent, ...]


class UnreadFile(Frozen):
    """A file of which not all could be read, and why."""

    student: str
    path: str
    state: str
    reason: Words | None


class Failure(Frozen):
    """A submission that could not be graded, and why."""

    student: str
    name: str
    reason: Words


def flag_tallies(results: Sequence[Result]) -> tuple[FlagTally, ...]:
    """One tally per kind of flag: warnings first, then the most frequent, then by id."""
    ids = {flag.id for result in results for flag in result.flags}
    tallies = (_flag_tally(id_, results) for id_ in ids)
    return tuple(sorted(tallies, key=lambda t: (t.severity is not Severity.WARNING, -len(t.students), t.id)))


def unread_files(results: Sequence[Result]) -> tuple[UnreadFile, ...]:
    """All files that were read in part or not at all. Files that no check looks at are not among them."""
    return tuple(
        UnreadFile(student=result.student.id, path=file.path, state=file.state, reason=file.reason)
        for result in results
        for file in result.submission.files
        if file.state in ("partly", "unreadable")
    )


def failures(results: Sequence[Result]) -> tuple[Failure, ...]:
    """The submissions whose grading failed."""
    return tuple(
        Failure(student=result.student.id, name=result.student.name, reason=result.error)
        for result in results
        if result.error is not None
    )


def _flag_tally(id_: str, results: Sequence[Result]) -> FlagTally:
    flags = [flag for result in results for flag in result.flags if flag.id == id_]
    warns = any(flag.severity is Severity.WARNING for flag in flags)
    return FlagTally(
        id=id_,
        severity=Severity.WARNING if warns else Severity.INFO,
        students=tuple(student for result in results if (student := _flagged(id_, result)).messages),
    )


def _flagged(id_: str, result: Result) -> FlaggedStudent:
    messages = tuple(flag.message for flag in result.flags if flag.id == id_)
    return FlaggedStudent(student=result.student.id, messages=messages)
