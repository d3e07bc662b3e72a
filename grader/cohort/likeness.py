"""Submissions that are alike. Likeness asks for a look; it proves nothing by itself."""

from collections.abc import Sequence

from grader.cohort.texts import LikeTexts, like_texts
from grader.frozen import Frozen
from grader.result import Result


class IdenticalSubmissions(Frozen):
    """Students whose hand-ins are the same, byte for byte and name for name."""

    sha256: str
    students: tuple[str, ...]


class Similarity(Frozen):
    """All kinds of likeness that were looked for."""

    identical_submissions: tuple[IdenticalSubmissions, ...]
    texts: tuple[LikeTexts, ...] = ()


def similarity(results: Sequence[Result]) -> Similarity:
    """What is alike among the submissions. Hand-ins without a file are left out: nothing is always like nothing."""
    groups: dict[str, list[str]] = {}
    for result in results:
        if result.submission.files:
            groups.setdefault(result.submission.sha256, []).append(result.student.id)
    return Similarity(
        identical_submissions=tuple(
            IdenticalSubmissions(sha256=sha256, students=tuple(students))
            for sha256, students in groups.items()
            if len(students) > 1
        ),
        texts=like_texts(results),
    )
