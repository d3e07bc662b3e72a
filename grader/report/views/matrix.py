"""The heat map of students × items, with a sign and a tint for every status."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from grader.cohort.statistics import StudentRow
from grader.cohort.tallies import ItemTally
from grader.frozen import Frozen
from grader.message import ENGLISH, Language
from grader.report.views.attention import report_link
from grader.report.views.wording import MARKS, clip
from grader.result import Status

MOST_PLACES: Final = 40
"""Items and gaps between questions that fit side by side on a page; with more, there are several heat maps."""
_WIDEST: Final = 12.0
"""The distance from one sign to the next, in points."""
_SIGN: Final = 0.602
"""The width of a character of DejaVu Sans Mono, relative to the font size."""


class _Layout(NamedTuple):
    """How a class is laid out. Lengths are in points: `line` and `size` of a row and its letters, `room` for all signs
    of a row; `gap` is the distance between questions in signs, `abreast` the blocks of students beside each other, and
    `longest` the characters of a name."""

    abreast: int
    line: float
    size: float
    room: float
    gap: float
    longest: int


_LARGE: Final = 200
"""With more students, rows are low, so that a large class takes few pages."""
_AIRY: Final = _Layout(abreast=1, line=9.5, size=7.5, room=336.0, gap=1.0, longest=30)
_LOW: Final = _AIRY._replace(line=6.9, size=6.0)
_DENSE: Final = _LOW._replace(abreast=2, room=146.0, gap=0.35, longest=22)
_NARROWEST: Final = 5.0
"""The least distance between signs, in points, at which the labels above them can be read."""
_FIRST_PAGE: Final = 600.0
_PAGE: Final = 676.0
"""Points that rows can fill: of the page that says what the signs mean, and of those that follow."""
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
    """A block of students, as high as a page at most. `height` is a CSS length."""

    rows: tuple[MatrixRow, ...]
    tints: tuple[Tint, ...]
    height: str
    view: str


class Matrix(Frozen):
    """Some of the lab's questions and all students. `abreast` sheets stand beside each other on a page. `spacing` is
    the CSS length between two signs, `word_spacing` what questions are apart beyond a sign's width; `line`, `size` and
    `width` are those of a row, its letters, and the cells together."""

    questions: tuple[Label, ...]
    items: tuple[Label, ...]
    sheets: tuple[Sheet, ...]
    abreast: int
    spacing: str
    word_spacing: str
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
    layout = _layout(len(students), questions)
    places = list(_places(questions, layout.gap))
    columns = places[-1][0] + 1
    pitch = min(layout.room / columns, _WIDEST)
    firsts = {question[0].id for question in questions}
    size = min(layout.size, pitch / _SIGN)
    return Matrix(
        questions=tuple(_label(clip(item.question, 10), at, pitch) for at, item in places if item.id in firsts),
        items=tuple(_label(clip(_short(item), 22), at, pitch) for at, item in places),
        sheets=tuple(_sheet(some, questions, layout, language) for some in _blocks(students, layout)),
        abreast=layout.abreast,
        spacing=f"{pitch - _SIGN * size:.2f}pt",
        word_spacing=f"{(layout.gap - 1) * pitch:.2f}pt",
        line=f"{layout.line:.2f}pt",
        size=f"{size:.2f}pt",
        width=f"{pitch * columns:.2f}pt",
    )


def _layout(students: int, questions: Sequence[Sequence[ItemTally]]) -> _Layout:
    """The densest layout of a large class in which the labels of the items can be read."""
    if students <= _LARGE:
        return _AIRY
    *_, (last, _) = _places(questions, _DENSE.gap)
    return _DENSE if _DENSE.room / (last + 1) >= _NARROWEST else _LOW


def _blocks(students: Sequence[StudentRow], layout: _Layout) -> Iterator[Sequence[StudentRow]]:
    """The students of each sheet: pages are filled evenly, and so are the sheets of a page."""
    first, full = (int(points // layout.line) * layout.abreast for points in (_FIRST_PAGE, _PAGE))
    pages = 1 + max(-(-(len(students) - first) // full), 0)
    start = 0
    for page in range(pages):
        here = -(-(len(students) - start) // (pages - page))
        here = here if page else min(here, first)
        end, most = start + here, -(-here // layout.abreast)
        for at in range(start, end, most):
            yield students[at : min(at + most, end)]
        start = end


def _sheet(
    students: Sequence[StudentRow],
    questions: Sequence[Sequence[ItemTally]],
    layout: _Layout,
    language: Language,
) -> Sheet:
    rows = tuple(_row(student, questions, layout.longest, language) for student in students)
    at = [place for place, _ in _places(questions, layout.gap)]
    height = f"{layout.line * len(rows):.2f}pt"
    return Sheet(rows=rows, tints=tuple(_tints(rows, at)), height=height, view=f"0 0 {at[-1] + 1:g} {len(rows)}")


def _tints(rows: Sequence[MatrixRow], places: Sequence[float]) -> Iterator[Tint]:
    """The cells of each status; adjacent cells are merged. `places` are the columns' distances from the left."""
    for status, sign in SIGNS.items():
        path = "".join(
            f"M{places[cells.start() - row.signs.count(' ', 0, cells.start())]:g} {at}"
            f"h{cells.end() - cells.start()}v1h-{cells.end() - cells.start()}z"
            for at, row in enumerate(rows)
            for cells in re.finditer(f"{sign}+", row.signs)
        )
        if path:
            yield Tint(status=status.value.replace("_", "-"), path=path)


def _places(questions: Sequence[Sequence[ItemTally]], gap: float) -> Iterator[tuple[float, ItemTally]]:
    """Every item with its distance from the left in signs; questions are `gap` apart."""
    at = 0.0
    for question in questions:
        for item in question:
            yield round(at, 2), item
            at += 1
        at += gap


def _short(item: ItemTally) -> str:
    return item.id.removeprefix(f"{item.question}.")


def _label(text: str, at: float, pitch: float) -> Label:
    return Label(text=text, at=f"{at * pitch:.2f}pt")


def _row(student: StudentRow, questions: Sequence[Sequence[ItemTally]], longest: int, language: Language) -> MatrixRow:
    signs = " ".join("".join(_sign(student.statuses.get(item.id)) for item in question) for question in questions)
    return MatrixRow(
        name=clip(student.name, longest),
        link=report_link(student.student),
        signs=re.sub(r"\S", NOTHING, signs) if student.failed else signs,
        total=_aligned("–" if student.failed else language.number(student.score, ".2f")),
        pending=_aligned(language.number(student.pending, ".2f")) if student.pending and not student.failed else _BLANK,
    )


_BLANK: Final = "\u2007\u2007\u2008\u2007\u2007"
"""As wide as four digits and a point."""


def _aligned(number: str) -> str:
    """A number padded on the left to five characters with spaces as wide as digits."""
    return number.rjust(5, "\u2007")


def _sign(status: Status | None) -> str:
    return SIGNS[status] if status else NOTHING
