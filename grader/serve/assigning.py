"""The page on which a person says once which parts of a hand-in answer which questions, where the hand-in does not."""

from collections.abc import Iterator, Mapping
from typing import Final

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from grader.cohort.attention import UNLABELLED, titles_seen
from grader.frozen import Frozen
from grader.gradebook.decisions import TAKEN_BACK, Verdict
from grader.message import say
from grader.pipeline.assigning import OUTDATED, sections_in
from grader.reading.assigned import mark_of_text, texts, units
from grader.reading.document import BlockKind, Document, Part
from grader.reading.reading import Reading
from grader.report.views.wording import clip, place
from grader.serve.group_page import student_link
from grader.serve.review import BadRequestError, Review, conflicts, number_of
from grader.serve.standing import Standing

NOBODY: Final = "-"
"""Stands in forms for text that answers no question; nothing stands for what goes on as above."""
_LONGEST: Final = 220
_MOST_READ: Final = 40
"""So many hand-ins of the queue are told with their titles."""


class UnitLine(Frozen):
    """A unit of a file: the name of its field in the form, its place, its first words, and the question chosen."""

    name: str
    place: str
    text: str
    is_title: bool
    chosen: str


class FileUnits(Frozen):
    """A file of a hand-in in units."""

    file: str
    units: tuple[UnitLine, ...]


class AssignPage(Frozen):
    """A hand-in whose sections are to be assigned. `questions` are ids and titles; `is_kept`: some are assigned now,
    for a text that has changed where it `is_outdated`. `link` leads to the student's page."""

    student: str
    name: str
    link: str
    files: tuple[FileUnits, ...]
    questions: tuple[tuple[str, str], ...]
    text: str
    seen: int
    is_kept: bool
    is_outdated: bool


class ToAssign(Frozen):
    """A hand-in in which no question was recognised, or whose text changed after its sections were assigned; the titles
    in it."""

    student: str
    name: str
    titles: str
    is_outdated: bool


def to_assign(standing: Standing) -> tuple[ToAssign, ...]:
    """The hand-ins whose sections await a person."""
    found: list[ToAssign] = []
    for line in standing.lines():
        flags = set(line.outline.flags)
        is_outdated = OUTDATED in flags and sections_in(standing.overrides_of(line.student)) is not None
        is_open = UNLABELLED in flags and sections_in(standing.overrides_of(line.student)) is None
        if is_outdated or is_open:
            titles = titles_seen([standing.results[line.student]]) if len(found) < _MOST_READ else ()
            shown = clip("; ".join(titles), _LONGEST)
            name = line.name or line.student
            found.append(ToAssign(student=line.student, name=name, titles=shown, is_outdated=is_outdated))
    return tuple(found)


def assign_page(review: Review, request: Request, form: FormData) -> Response:
    """The sections of a hand-in."""
    return _response(review, request, request.path_params["student"])


def assign(review: Review, request: Request, form: FormData) -> Response:
    """Keeps what a form says about the sections of a hand-in."""
    student = request.path_params["student"]
    reading = _reading(review, student)
    if form.get("text") != _whole_text(reading):
        raise BadRequestError(
            review.say(say("The submission has changed since this page was opened: look at it again."))
        )
    verdict = TAKEN_BACK
    if form.get("back") is None:
        parts = tuple(_parts(reading, {name: str(value) for name, value in form.items()}, _ids(review)))
        if not any(part.question for part in parts):
            raise BadRequestError(review.say(say("Choose for at least one question where its answer begins.")))
        verdict = Verdict(None, None, "", None, parts)
    subject = mark_of_text(reading, verdict.sections or ())
    seen = number_of(form.get("seen", ""))
    outcome = review.standing.assign(request.state.grader, student, verdict, subject, seen=seen)
    message = say("Kept. The answers are graded by these sections when you finish.")
    if not outcome.saved:
        message = say("Nothing was changed.")
    elif verdict == TAKEN_BACK:
        message = say("Taken back.")
    return _response(review, request, student, review.say(message), conflicts(review, outcome))


def _response(
    review: Review, request: Request, student: str, message: str = "", found: tuple[object, ...] = ()
) -> Response:
    result = review.standing.results[student]
    reading = _reading(review, student)
    put = sections_in(review.standing.overrides_of(student))
    chosen = {(part.file, part.words, part.at): part.question or NOBODY for part in (put.sections or () if put else ())}
    page = AssignPage(
        student=student,
        name=clip(result.student.name or student, 60),
        link=student_link(student),
        files=tuple(_file(review, number, document, chosen) for number, document in enumerate(texts(reading))),
        questions=tuple(
            (question.id, clip(review.language.say(question.title), 60)) for question in review.standing.lab.questions
        ),
        text=_whole_text(reading),
        seen=review.standing.seen,
        is_kept=put is not None,
        is_outdated=put is not None and put.subject != mark_of_text(reading, put.sections or ()),
    )
    address = f"{page.link}/sections"
    return review.page(request, "assign", address=address, shown=page, toast=message, conflicts=found)


def _reading(review: Review, student: str) -> Reading:
    """Return the kept reading of a hand-in. Raises LookupError if there is no such student, or nothing was kept."""
    reading = review.sources.reading(review.standing.results[student].student.id)
    if reading is None:
        raise LookupError(student)
    return reading


def _whole_text(reading: Reading) -> str:
    return mark_of_text(reading, [Part(file=text.file, at=0, words="") for text in texts(reading)])


def _ids(review: Review) -> set[str]:
    return {question.id for question in review.standing.lab.questions}


def _field(file: int, unit: int) -> str:
    return f"u{file}-{unit}"


def _file(review: Review, number: int, document: Document, chosen: Mapping[tuple[str, str, int], str]) -> FileUnits:
    return FileUnits(
        file=clip(document.file, 120),
        units=tuple(
            UnitLine(
                name=_field(number, unit.number),
                place=place(unit.place, review.language).rpartition(", ")[2] if unit.place.file else "",
                text=clip(" ".join(unit.text.split()), _LONGEST),
                is_title=document.blocks[unit.start].kind is BlockKind.HEADING,
                chosen=chosen.get((unit.file, unit.words, unit.number), ""),
            )
            for unit in units(document)
        ),
    )


def _parts(reading: Reading, given: Mapping[str, str], questions: set[str]) -> Iterator[Part]:
    """The parts that a form tells. Raises BadRequestError for a question that the lab does not have."""
    for number, document in enumerate(texts(reading)):
        for unit in units(document):
            value = given.get(_field(number, unit.number), "")
            if value and value != NOBODY and value not in questions:
                raise BadRequestError("A question is unknown.")
            if value:
                question = "" if value == NOBODY else value
                yield Part(file=unit.file, at=unit.number, words=unit.words, question=question)
