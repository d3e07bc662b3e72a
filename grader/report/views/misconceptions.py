"""What many got wrong in the same way, each with an example from a student's own page."""

from collections.abc import Mapping, Sequence
from typing import Final

from grader.cohort.misconceptions import Case, Misconception, cases, telling_first
from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import say_number
from grader.report.pictures import Place, Shown, place_of
from grader.report.views.people import names, students
from grader.report.views.wording import clip, left_out, percent, place
from grader.result import Evidence, Result

MOST: Final = 10
MOST_NAMES: Final = 6
_QUOTED: Final = 200


class MisconceptionView(Frozen):
    """One of them. `share` is that of the graded students, `length` the same in CSS percent; `open_` tells how many
    await a person. The example is a picture, or quoted words, with whose it is and where it stands."""

    id: str
    text: str
    count: str
    share: str
    length: str
    items: str
    students: str
    open_: str | None
    picture: Shown | None
    quote: str | None
    place: str | None


class Misconceptions(Frozen):
    """The most frequent ones; `more` tells of those that are left out."""

    shown: tuple[MisconceptionView, ...]
    more: str | None


def class_place(student: str, place: Place) -> Place:
    """What a student's picture is kept under among those of the class."""
    item, file, page, box = place
    return item, f"{student}/{file}", page, box


def misconceptions_view(
    found: Sequence[Misconception],
    results: Sequence[Result],
    graded: int,
    pictures: Mapping[Place, Shown],
    language: Language = ENGLISH,
) -> Misconceptions:
    """The view; `pictures` are by `class_place`."""
    pictured = _pictured(results, pictures) if pictures else {}
    return Misconceptions(
        shown=tuple(_shown(one, graded, pictured.get(one.id), language) for one in found[:MOST]),
        more=left_out(len(found) - MOST, "class.json", language),
    )


def _pictured(results: Sequence[Result], pictures: Mapping[Place, Shown]) -> dict[str, tuple[str, Evidence, Shown]]:
    """For each diagnosis the first case that there is a picture of."""
    found: dict[str, tuple[str, Evidence, Shown]] = {}
    for case in telling_first(cases(results)):
        if case.diagnosis.id not in found and (one := _picture_of(case, pictures)):
            found[case.diagnosis.id] = one
    return found


def _picture_of(case: Case, pictures: Mapping[Place, Shown]) -> tuple[str, Evidence, Shown] | None:
    student = case.result.student.id
    for evidence in case.item.evidence:
        at = place_of(case.item.id, evidence)
        picture = pictures.get(class_place(student, at)) if at else None
        if picture:
            return student, evidence, picture
    return None


def _shown(
    one: Misconception, graded: int, pictured: tuple[str, Evidence, Shown] | None, language: Language
) -> MisconceptionView:
    student, evidence = (pictured[0], pictured[1]) if pictured else (one.example_student, one.example)
    share = len(one.students) / graded if graded else 0.0
    awaiting = say_number("{number} of them awaits a person", "{number} of them await a person", one.undecided)
    return MisconceptionView(
        id=clip(one.id, 40),
        text=clip(language.say(one.text), 300),
        count=language.say(students(len(one.students))),
        share=percent(share, language),
        length=f"{min(share, 1.0) * 100:.2f}%",
        items=clip(", ".join(one.items), 90),
        students=names(one.students, language, MOST_NAMES),
        open_=language.say(awaiting) if one.undecided else None,
        picture=pictured[2] if pictured else None,
        quote=clip(evidence.quote, _QUOTED) if evidence and evidence.quote else None,
        place=f"{clip(student, 40)}, {place(evidence, language)}" if evidence else None,
    )
