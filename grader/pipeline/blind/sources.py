"""Hand-ins under pseudonyms."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from grader.gradebook.errors import GradebookError
from grader.gradebook.key import Known, read_key
from grader.intake.submission import Source
from grader.pipeline.blind.names import betraying
from grader.pipeline.outputs import write_atomically

_OWN_EYES = 0o600


class Blind(NamedTuple):
    """The hand-ins under pseudonyms, and for each of these the words that would betray who it is."""

    sources: tuple[Source, ...]
    names: dict[str, frozenset[str]]


def under_pseudonyms(sources: Sequence[Source], path: Path) -> Blind:
    """The hand-ins with pseudonyms for ids and names, in an order that tells nothing.

    The key file at `path` is read, and written where there are new students. Raises GradebookError when it can be
    neither.
    """
    key = read_key(path)
    people = [Known(id=one.student_id, name=one.student_name, identity=one.identity) for one in sources]
    grown = key.with_students(people)
    if grown != key:
        try:
            write_atomically(path, grown.to_json().encode(), mode=_OWN_EYES)
        except OSError as error:
            raise GradebookError(f"{path}: the key of blind grading cannot be written: {error.strerror}.") from error
    called = grown.pseudonyms()
    blind = tuple(
        one.model_copy(
            update={"student_id": called[one.student_id], "student_name": called[one.student_id], "identity": None}
        )
        for one in sources
    )
    names = {called[one.student_id]: betraying(one) for one in sources}
    return Blind(tuple(sorted(blind, key=lambda one: one.student_id)), names)
