"""The key file of blind grading: which pseudonym stands for whom. It lies apart from the grades."""

import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pydantic import Field, ValidationError

from grader.frozen import Frozen
from grader.gradebook.errors import GradebookError
from grader.result import Identity, Result, Student

_PREFIX: Final = "anon-"
_BYTES: Final = 3


class Known(Frozen):
    """Who a pseudonym stands for: the id and name that a grading with names would show."""

    id: str
    name: str
    identity: Identity | None = None


class Key(Frozen):
    """The students by pseudonym."""

    students: dict[str, Known] = Field(default_factory=dict)

    def with_students(self, students: Iterable[Known]) -> "Key":
        """The key with a pseudonym for everybody. Those who have one keep it; a new one is drawn by chance, so that it
        tells nothing, not even the order of names."""
        known = dict(self.students)
        there = {one.id: pseudonym for pseudonym, one in known.items()}
        for student in students:
            pseudonym = there.get(student.id) or _drawn(known)
            known[pseudonym] = student
            there[student.id] = pseudonym
        return Key(students=dict(sorted(known.items())))

    def pseudonyms(self) -> dict[str, str]:
        """The pseudonyms by the ids of students."""
        return {one.id: pseudonym for pseudonym, one in self.students.items()}

    def to_json(self) -> str:
        """The text of the file."""
        return self.model_dump_json(indent=2) + "\n"


def key_file(out: Path) -> Path:
    """Where the key to a folder of grades lies: beside it, so that the folder can be given away."""
    folder = out.absolute()
    return folder.with_name(f"{folder.name}-key.json")


def read_key(path: Path) -> Key:
    """The key in a file, empty where there is none. Raises GradebookError when the file is no key."""
    try:
        return Key.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Key()
    except (ValidationError, OSError) as error:
        raise GradebookError(
            f"{path}: it cannot be read as a key of blind grading. Put back a copy of it; without it nobody can tell "
            "whose the grades are. To begin anew with new pseudonyms, move it away."
        ) from error


def existing_key(path: Path) -> Key:
    """The key in a file that must be there. Raises GradebookError."""
    if not path.is_file():
        raise GradebookError(f"{path}: there is no such file; the key of graded/ is graded-key.json beside it.")
    return read_key(path)


def with_names(results: Iterable[Result], key: Key) -> tuple[Result, ...]:
    """The results with the names and ids of school systems; those of unknown pseudonyms as they are. Their own ids
    stay, as their reports lie under these."""
    return tuple(_with_name(result, key.students.get(result.student.id)) for result in results)


def _with_name(result: Result, known: Known | None) -> Result:
    if known is None:
        return result
    identity = known.identity or Identity(entry=known.id)
    return result.model_copy(update={"student": Student(id=result.student.id, name=known.name, identity=identity)})


def _drawn(taken: Iterable[str]) -> str:
    used = set(taken)
    while (pseudonym := f"{_PREFIX}{secrets.token_hex(_BYTES)}") in used:
        pass
    return pseudonym
