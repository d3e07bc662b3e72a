"""Hand-ins that were graded before, found again by their results."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from grader.intake.submission import Source, Submission
from grader.pipeline.outputs import RESULT
from grader.pipeline.readings import READING
from grader.result import Result


class Graded(NamedTuple):
    """A student's folder of graded submissions: the result there, or why it cannot be read."""

    folder: Path
    content: bytes
    result: Result | None
    problem: str = ""


def graded_in(out: Path) -> dict[str, Graded]:
    """Everybody who has a result or a stored reading in a folder of graded submissions, by id."""
    folders = sorted({path.parent for name in (RESULT, READING) for path in out.glob(f"*/{name}")})
    return {folder.name: _graded(folder) for folder in folders}


def _graded(folder: Path) -> Graded:
    try:
        content = (folder / RESULT).read_bytes()
    except OSError as error:
        return Graded(folder, b"", None, f"{RESULT} cannot be read ({error.strerror})")
    try:
        result = Result.from_json(content)
    except ValidationError as error:
        return Graded(folder, content, None, f"{RESULT} is no result: {_first(error)}")
    if result.student.id != folder.name:
        return Graded(folder, content, None, f"{RESULT} is that of {result.student.id}")
    return Graded(folder, content, result)


def _first(error: ValidationError) -> str:
    what = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in what["loc"])
    return f"{place}: {what['msg']}" if place else what["msg"]


def sources_of(graded: dict[str, Graded]) -> Iterator[Source]:
    """A hand-in for each student, as far as its result tells of it. There is nothing to open at its path."""
    for student, one in graded.items():
        yield Source(
            student_id=student,
            student_name=one.result.student.name if one.result else student,
            path=one.folder,
            identity=one.result.student.identity if one.result else None,
            submitted_at=one.result.submission.submitted_at if one.result else None,
            time_from=_time_from(one.result),
        )


def _time_from(result: Result | None) -> str:
    return result.lateness.time_from if result and result.lateness else ""


def unopened(source: Source, sha256: str) -> Submission:
    """Who handed in and when, without the files."""
    return Submission(
        student_id=source.student_id,
        student_name=source.student_name,
        identity=source.identity,
        submitted_at=source.submitted_at,
        sha256=sha256,
    )
