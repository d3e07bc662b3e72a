"""People and files as learning management systems know and write them."""

import io
from pathlib import Path
from typing import Any

from grader.gradebook.exports.outcome import Content, ExportedFiles, ExportOptions
from grader.gradebook.exports.registry import EXPORTS
from grader.result import Identity, Member, Result, Student
from tests.factories import result


def known(student: str, score: str = "13.5", **more: Any) -> Result:
    """A result of 20 points with an identity; `members` make it a team's."""
    name = more.pop("name", student.title())
    fields = {key: more.pop(key) for key in list(more) if key in Identity.model_fields}
    made = result(student, name=name, **more)
    identity = Identity(**{"name": name, **fields}) if fields else None
    return made.model_copy(
        update={
            "student": Student(id=student, name=name, identity=identity),
            "score": type(made.score)(score),
            "max_score": type(made.score)(20),
        }
    )


def team(student: str, score: str, *members: Member, **more: Any) -> Result:
    """A result of several people."""
    return known(student, score, members=members, **more)


def export(form: str, results: list[Result], folder: Path, **wanted: Any) -> ExportedFiles:
    """What a format yields."""
    return EXPORTS[form](tuple(results), ExportOptions(folder=folder, **wanted))


def bytes_of(content: Content) -> bytes:
    """The bytes of a file."""
    if isinstance(content, bytes):
        return content
    file = io.BytesIO()
    content(file)
    return file.getvalue()


def filled(form: str, text: str | bytes, results: list[Result], tmp_path: Path, **wanted: Any) -> tuple[str, str]:
    """A system's file after filling, and all notes."""
    into = tmp_path / "lms.csv"
    into.write_bytes(text if isinstance(text, bytes) else text.encode())
    exported = export(form, results, tmp_path, into=into, **wanted)
    ((_, content),) = exported.files
    return bytes_of(content).decode("utf-8-sig"), "\n".join(exported.notes)
