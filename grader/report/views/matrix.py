"""The heat map of students × items, with a sign and a tint for every status."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from grader.cohort.statistics import StudentRow
from grader.cohort.tallies import ItemTally
from grader.frozen import Frozen
from grader.message import ENGLISH, Language
from grader.report.views.attention import report_link
from grader.report.views.wording import MARKS, clip
from grader.result import Status

MOST_PLACES: Final = 40
"""Items and gaps between questions that fit side by side on a page; with more, there are several heat maps."""
_ROOM: Final = 336.0
_WIDEST: Final = 12.0
"""The distance from one sign to the next, in points."""
_SIGN: Final = 0.602
"""The width of a character of DejaVu Sans Mono, relative to the font size."""
_LARGE: Final = 200
"""From this number of students, rows are low, so that a large class takes few pages."""
_HEIGHTS: Final = (9.5, 6.9)
_SIZES: Final = (7.5, 5.8)
_PAGE: Final = 608.0
"""Points of a page that rows can fill."""
SIGNS: Final = {
    Status.CORRECT: "✓",
    Status.PARTIAL: "◐",
    Status.INCORRECT: "✖",
    Status.MISSING: "○",
    Status.REVIEW: "◆",
    Status.NOT_RUN: "–",
    Status.ERROR: "△",
}
"""Characters of equal width that differ in shape, so that no colour is needed; the reports' fonts have them all."""
NOTHING: Final = "·"


class Sign(Frozen):
    """A character, the status it stands for, and the name of its tint."""

    sign: str
    word: str
    status: str


class Label(Frozen):
    """The label above a column, and its distance from the left as a CSS length."""

    text: str
    at: str


class MatrixRow(Frozen):
    """One student: a sign for each item, a space between questions. `pending` are points that await a person; both
    numbers are padded to the same width in all rows."""

    name: str
    link: str
    signs: str
    total: str
    pending: str


class Tint(Frozen):
    """All cells of one status as an SVG path; a cell is one unit wide and one high."""

    status: str
    path: str


class Sheet(Frozen):
    """The students on one page. `height` is a CSS length."""

    rows: tuple[MatrixRow, ...]
    tints: tuple[Tint, ...]
    height: str
    view: str


class Matrix(Frozen):
    """Some of the lab's questions and all students. `spacing` is the CSS length between two signs; `line`, `size` and
    `width` are those of a row, its letters, and the cells together."""

    questions: tuple[Label, ...]
    items: tuple[Label, ...]
    sheets: tuple[Sheet, ...]
    spacing: str
    line: str
    size: str
    width: str


def legend(language: Language = ENGLISH) -> tuple[Sign, ...]:
    """What the signs mean."""
    return tuple(
        Sign(sign=sign, word=language.say(MARKS[status].word), status=status.value.replace("_", "-"))
        for status, sign in SIGNS.items()
    )


def matrices(
    students: Sequence[StudentRow], items: Sequence[ItemTally], language: Language = ENGLISH
) -> tuple[Matrix, ...]:
    """One matrix, or several where there are more items than fit side by side."""
    return tuple(_matrix(students, part, language) for part in _parts(items)) if students else ()


def _parts(items: Sequence[ItemTally]) -> Iterator[list[list[ItemTally]]]:
    """The items by question, grouped so that each group fits on a page; a question that is too wide is split."""
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


def _matrix(students: Sequence[StudentRow], questions: Sequence[Sequence[ItemTally]], language: Language) -> Matrix:
    places = list(_places(questions))
    columns = places[-1][0] + 1
    pitch = min(_ROOM / columns, _WIDEST)
    firsts = {question[0].id for question in questions}
    line, size = (
        (_HEIGHTS[is_large], _SIZES[is_large]) if (is_large := len(students) > _LARGE) else (_HEIGHTS[0], _SIZES[0])
    )
    size = min(size, pitch / _SIGN)
    sheets = -(-len(students) // int(_PAGE // line))
    most = -(-len(students) // sheets)
    return Matrix(
        questions=tuple(_label(clip(item.question, 10), at, pitch) for at, item in places if item.id in firsts),
        items=tuple(_label(clip(_short(item), 22), at, pitch) for at, item in places),
        sheets=tuple(
            _sheet(students[start : start + most], questions, columns, line, language)
            for start in range(0, len(students), most)
        ),
        spacing=f"{pitch - _SIGN * size:.2f}pt",
        line=f"{line:.2f}pt",
        size=f"{size:.2f}pt",
        width=f"{pitch * columns:.2f}pt",
    )


def _sheet(
    students: Sequence[StudentRow],
    questions: Sequence[Sequence[ItemTally]],
    columns: int,
    line: float,
    language: Language,
) -> Sheet:
    rows = tuple(_row(student, questions, language) for student in students)
    return Sheet(
        rows=rows, tints=tuple(_tints(rows)), height=f"{line * len(rows):.2f}pt", view=f"0 0 {columns} {len(rows)}"
    )


def _tints(rows: Sequence[MatrixRow]) -> Iterator[Tint]:
    """The cells of each status; adjacent cells are merged."""
    for status, sign in SIGNS.items():
        path = "".join(
            f"M{cells.start()} {at}h{cells.end() - cells.start()}v1h-{cells.end() - cells.start()}z"
            for at, row in enumerate(rows)
            for cells in re.finditer(f"{sign}+", row.signs)
        )
        if path:
            yield Tint(status=status.value.replace("_", "-"), path=path)


def _places(questions: Sequence[Sequence[ItemTally]]) -> Iterator[tuple[int, ItemTally]]:
    """Every item with its column; one column is left free between questions."""
    at = 0
    for question in questions:
        yield from enumerate(question, at)
        at += len(question) + 1


def _short(item: ItemTally) -> str:
    return item.id.removeprefix(f"{item.question}.")


def _label(text: str, at: int, pitch: float) -> Label:
    return Label(text=text, at=f"{at * pitch:.2f}pt")


def _row(student: StudentRow, questions: Sequence[Sequence[ItemTally]], language: Language) -> MatrixRow:
    signs = " ".join("".join(_sign(student.statuses.get(item.id)) for item in question) for question in questions)
    return MatrixRow(
        name=clip(student.name, 30),
        link=report_link(student.student),
        signs=re.sub(r"\S", NOTHING, signs) if student.failed else signs,
        total=_aligned("–" if student.failed else language.number(student.score, ".2f")),
        pending=_aligned(language.number(student.pending, ".2f") if student.pending and not student.failed else ""),
    )


def _aligned(number: str) -> str:
    """A number padded on the left to five characters with spaces as wide as digits."""
    return number.rjust(5, "\u2007")


def _sign(status: Status | None) -> str:
    return SIGNS[status] if status else NOTHING
