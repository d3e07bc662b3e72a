"""Who is late, and who handed in nothing."""

from collections.abc import Sequence

from grader.frozen import Frozen
from grader.result import Points, Result


class Absent(Frozen):
    """A student on the roster of whom there is no hand-in."""

    name: str
    id: str = ""


class LateStudent(Frozen):
    """A hand-in after its deadline: by how many seconds, and the points that it lost. `graded` is false where it came
    too late to count at all."""

    student: str
    late_by: int
    penalty: Points
    graded: bool
    extension: str = ""


def is_too_late(result: Result) -> bool:
    """Whether a hand-in came so late that it is not graded: then nothing about it is left to decide."""
    return result.lateness is not None and result.lateness.penalty is None


def late_students(results: Sequence[Result]) -> tuple[LateStudent, ...]:
    """All that are late, the latest first. What is not known to be late is not among them."""
    found = [
        LateStudent(
            student=result.student.id,
            late_by=result.lateness.late_by,
            penalty=result.late_penalty,
            graded=not is_too_late(result),
            extension=result.lateness.extension,
        )
        for result in results
        if result.lateness and result.lateness.late_by
    ]
    return tuple(sorted(found, key=lambda one: (-one.late_by, one.student)))


def empty_hand_ins(results: Sequence[Result]) -> tuple[str, ...]:
    """Students whose hand-in holds no file."""
    return tuple(result.student.id for result in results if result.error is None and not result.submission.files)
