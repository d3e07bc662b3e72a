"""The matrix of students × items: a shape for every status, so that what many lack is seen at once."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from grader.cohort.tallies import ItemTally
from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.report.views.marks import MARKS
from grader.report.views.people import report_link
from grader.report.views.wording import clip, points
from grader.result import Result, Status

MOST_PLACES: Final = 58
"""As many items, and gaps between questions, fit on a page that is laid across; with more, there are several
matrices."""
_ROOM: Final = 520.0
_WIDEST: Final = 16.0
"""The distance from one sign to the next, in points."""
_SIGN: Final = 5.12
"""The width of a sign in the size in which the stylesheet sets it: 8.5 points of DejaVu Sans Mono."""
SIGNS: Final = {
    Status.CORRECT: "✓",
    Status.PARTIAL: "◐",
    Status.INCORRECT: "✖",
    Status.MISSING: "○",
    Status.REVIEW: "◆",
    Status.NOT_RUN: "–",
    Status.ERROR: "△",
}
"""Characters of one width, told apart by their shape alone; the fonts of the reports have them all."""
NOTHING: Final = "·"


class Sign(Frozen):
    """A character and the status it stands for."""

    sign: str
    word: str


class Label(Frozen):
    """What stands above a column, and how far it is from the left, as a CSS length."""

    text: str
    at: str


class MatrixRow(Frozen):
    """One student: a sign for each item, a space between questions; None where grading failed."""

    name: str
    link: str
    signs: str | None
    total: str


class Matrix(Frozen):
    """Some of the lab's questions and all students; `spacing` is the CSS length between two signs."""

    questions: tuple[Label, ...]
    items: tuple[Label, ...]
    rows: tuple[MatrixRow, ...]
    spacing: str


def legend(language: Language = ENGLISH) -> tuple[Sign, ...]:
    """What the signs mean."""
    return tuple(Sign(sign=sign, word=language.say(MARKS[status].word)) for status, sign in SIGNS.items())


def matrices(results: Sequence[Result], items: Sequence[ItemTally], language: Language = ENGLISH) -> tuple[Matrix, ...]:
    """One matrix, or several where there are more items than fit side by side; students sorted by id."""
    ordered = sorted(results, key=lambda result: result.student.id)
    return tuple(_matrix(ordered, part, language) for part in _parts(items)) if ordered else ()


def _parts(items: Sequence[ItemTally]) -> Iterator[list[list[ItemTally]]]:
    """The items by question, as many questions together as fit; one that alone does not fit is cut."""
    part: list[list[ItemTally]] = []
    for _, grouped in groupby(items, key=lambda item: item.question):
        own = list(grouped)
        for start in range(0, len(own), MOST_PLACES):
            piece = own[start : start + MOST_PLACES]
            if part and sum(len(one) + 1 for one in part) + len(piece) > MOST_PLACES:
                yield part
                part = []
            part.append(piece)
    if part:
        yield part


def _matrix(results: Iterable[Result], questions: Sequence[Sequence[ItemTally]], language: Language) -> Matrix:
    places = list(_places(questions))
    pitch = min(_ROOM / (places[-1][0] + 1), _WIDEST)
    firsts = {question[0].id for question in questions}
    return Matrix(
        questions=tuple(_label(clip(item.question, 10), at, pitch) for at, item in places if item.id in firsts),
        items=tuple(_label(clip(_short(item), 22), at, pitch) for at, item in places),
        rows=tuple(_row(result, questions, language) for result in results),
        spacing=f"{pitch - _SIGN:.2f}pt",
    )


def _places(questions: Sequence[Sequence[ItemTally]]) -> Iterator[tuple[int, ItemTally]]:
    """Every item with its place, one of which is left free between questions."""
    at = 0
    for question in questions:
        yield from enumerate(question, at)
        at += len(question) + 1


def _short(item: ItemTally) -> str:
    return item.id.removeprefix(f"{item.question}.")


def _label(text: str, at: int, pitch: float) -> Label:
    return Label(text=text, at=f"{at * pitch:.2f}pt")


def _row(result: Result, questions: Sequence[Sequence[ItemTally]], language: Language) -> MatrixRow:
    statuses = {item.id: item.status for item in result.items}
    signs = " ".join("".join(_sign(statuses.get(item.id)) for item in question) for question in questions)
    failed = result.error is not None
    return MatrixRow(
        name=clip(result.student.name or result.student.id, 34),
        link=report_link(result.student.id),
        signs=None if failed else signs,
        total="" if failed else points(result.score, language) + ("?" if result.pending else ""),
    )


def _sign(status: Status | None) -> str:
    return SIGNS[status] if status else NOTHING
