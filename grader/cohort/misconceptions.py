"""Mistakes with a name, counted over the class: what many got wrong in the same way can be taught again."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from grader.frozen import Frozen
from grader.message import Words
from grader.result import Diagnosis, Evidence, ItemResult, Result, Status


class Misconception(Frozen):
    """A diagnosis and who has it, the most frequent of its sentences, and one place where it shows.

    `undecided` of the students' answers await a person. `example_student` is empty where no place is known.
    """

    id: str
    text: Words
    items: tuple[str, ...]
    students: tuple[str, ...]
    undecided: int
    example_student: str = ""
    example: Evidence | None = None


class Case(NamedTuple):
    """A diagnosis of one student's item that did not earn all its points."""

    result: Result
    item: ItemResult
    diagnosis: Diagnosis


def misconceptions(results: Sequence[Result]) -> tuple[Misconception, ...]:
    """All of them, the most frequent first. What a right answer is explained by is none."""
    groups: dict[str, list[Case]] = {}
    for case in cases(results):
        groups.setdefault(case.diagnosis.id, []).append(case)
    found = [_misconception(id_, group) for id_, group in groups.items()]
    return tuple(sorted(found, key=lambda one: (-len(one.students), one.id)))


def telling_first(group: Iterable[Case]) -> list[Case]:
    """The cases that show a diagnosis best first: those whose answer has no other one, then by student."""
    return sorted(group, key=lambda case: (len(case.item.diagnoses), case.result.student.id, case.item.id))


def cases(results: Iterable[Result]) -> Iterator[Case]:
    """The diagnoses of all answers that did not earn all their points, in the order of the results."""
    for result in results:
        for item in result.items:
            if item.status is not Status.CORRECT:
                yield from (Case(result, item, diagnosis) for diagnosis in item.diagnoses)


def _misconception(id_: str, group: Sequence[Case]) -> Misconception:
    texts = Counter(case.diagnosis.text for case in group)
    usual = max(texts, key=lambda text: texts[text])
    placed = telling_first(case for case in group if case.item.evidence)
    shown = next((case for case in placed if case.diagnosis.text == usual), placed[0] if placed else None)
    return Misconception(
        id=id_,
        text=usual,
        items=tuple(dict.fromkeys(case.item.id for case in group)),
        students=tuple(dict.fromkeys(case.result.student.id for case in group)),
        undecided=len({case.result.student.id for case in group if case.item.pending > 0}),
        example_student=shown.result.student.id if shown else "",
        example=shown.item.evidence[0] if shown else None,
    )
