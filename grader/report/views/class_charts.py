"""The charts of a class: the heat map of students × items, with a sign and a tint for every status, and all students'
reported averages of an experiment over the expected bands.
"""

import hashlib
import heapq
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from grader.cohort.statistics import ItemTally, ReportedAverage, ReportedAverages, StudentRow
from grader.frozen import Frozen
from grader.message import ENGLISH, Language, Message, join_messages, say, say_data, say_number, say_values
from grader.report.views.attention import report_link
from grader.report.views.curves import Tick, band_words, coordinate, ticks, with_unit
from grader.report.views.wording import MARKS, clip
from grader.result import CurveBand, Status

WIDTH, HEIGHT = 480.0, 92.0
LEFT, RIGHT, TOP, BOTTOM = 8.0, 472.0, 26.0, 76.0
MOST_LABELS: Final = 8
MOST_DRAWN: Final = 2_500
"""Dots of one chart; more of them would be one blot."""
_AIR: Final = 6.0
"""How far the axis extends beyond the bands, in points of a percentage; values farther away are drawn at its end."""
_CROWD: Final = 24
"""From this number of neighbouring dots the whole height is used; fewer dots stay closer to the middle."""
_HATCH: Final = 5.0
_ROWS = (6.0, 13.0, 20.0)
_LETTER: Final = 3.3


class Strip(Frozen):
    """A band as a hatched strip."""

    left: str
    width: str
    hatching: str


class Note(Frozen):
    """A student's name above a dot, and the thin line to the dot."""

    text: str
    x: str
    y: str
    width: str
    leader: str


class Scatter(Frozen):
    """One chart. `dots`, `rings` and `crosses` are SVG paths, `keys` explains strips and shapes."""

    title: str
    strips: tuple[Strip, ...]
    dots: str
    rings: str
    crosses: str
    notes: tuple[Note, ...]
    ticks: tuple[Tick, ...]
    told: str
    keys: tuple[str, ...]


def scatters(averages: Sequence[ReportedAverages], language: Language = ENGLISH) -> tuple[Scatter, ...]:
    """A chart for each experiment and split for which a student reports an average."""
    return tuple(_scatter(average, language) for average in averages if average.averages)


def _scatter(of: ReportedAverages, language: Language) -> Scatter:
    # Said of all averages, drawn or not.
    all_outside = sum(bool(of.bands) and not average.inside for average in of.averages)
    (least, most), unit = _range(of), with_unit(of.quantity)
    drawn: Sequence[ReportedAverage] = of.averages
    if len(drawn) > MOST_DRAWN:  # a sample, which depends on the students' ids alone
        drawn = heapq.nsmallest(
            MOST_DRAWN, drawn, key=lambda candidate: (_number(candidate.student), candidate.student)
        )
    placed = _positioned(drawn, least, most)
    inside = [(x, y) for average, x, y in placed if average.inside or not of.bands]
    outside = [(average, x, y) for average, x, y in placed if of.bands and not average.inside]
    unsaid = [(x, y) for average, x, y in placed if not average.split_said]
    return Scatter(
        title=language.say(_title(of)),
        strips=tuple(_strip(band, least, most) for band in of.bands),
        dots=" ".join(_dot(x, y) for x, y in inside),
        rings=" ".join(_dot(x, y) for x, y in unsaid),
        crosses=" ".join(f"M{coordinate(x - 2)} {coordinate(y - 2)}l4 4m0-4l-4 4" for _, x, y in outside),
        notes=_notes(outside, language),
        ticks=tuple(
            Tick(
                at=coordinate(_x(at, least, most)),
                label=language.say(say_values("{value:g}{unit}", value=at, unit=unit)),
            )
            for at in ticks(least, most, 9)
        ),
        told=language.say(_caption(of, all_outside)),
        keys=tuple(map(language.say, _keys(of, all_outside))),
    )


def _title(of: ReportedAverages) -> Message:
    return say(
        "{experiment:capital}: {measure}{unit} on {split}",
        unit="",
        experiment=say_data(clip(of.title, 80)),
        measure=say_data(clip(of.quantity.title, 40)),
        split=say_data("validation" if of.split == "valid" else clip(of.split, 20)),
    )


def _range(of: ReportedAverages) -> tuple[float, float]:
    """The range of the axis: the bands and the values near them; without bands, all values, of percentages those that
    can be."""
    ends = [end for band in of.bands for end in (band.low, band.high)]
    is_percent = of.quantity.unit == "%"
    values = [average.value for average in of.averages if 0 <= average.value <= 100 or not is_percent]
    low, high = (min(ends), max(ends)) if ends else (min(values, default=0), max(values, default=100))
    air = _AIR if is_percent else (high - low) / 2 or abs(high) / 10 or 1.0
    near = [value for value in values if low - air <= value <= high + air]
    edge = 0.8 if is_percent else air / 8
    return min([low, *near]) - edge, max([high, *near]) + edge


def _positioned(
    averages: Sequence[ReportedAverage], least: float, most: float
) -> list[tuple[ReportedAverage, float, float]]:
    """Every average with its coordinates. The height means nothing: it is derived from the student's id, so that it
    never changes."""
    ordered = sorted(averages, key=lambda candidate: (candidate.value, candidate.student))
    xs = [_x(min(max(candidate.value, least), most), least, most) for candidate in ordered]
    middle, reach = (TOP + BOTTOM) / 2, (BOTTOM - TOP) / 2 - 4
    placed = []
    for average, x in zip(ordered, xs, strict=True):
        crowd = bisect_right(xs, x + 4) - bisect_left(xs, x - 4) - 1
        # Moved up or down by a number from −1 to 1 that depends on the student alone.
        placed.append((average, x, middle + (_number(average.student) / 2**31 - 1) * reach * min(1.0, crowd / _CROWD)))
    return placed


def _x(value: float, least: float, most: float) -> float:
    return LEFT + 6 + (value - least) / (most - least) * (RIGHT - LEFT - 12)


def _number(student: str) -> int:
    """A number of 32 bits that depends on the student alone."""
    return int.from_bytes(hashlib.sha256(student.encode("utf-8", "replace")).digest()[:4], "big")


def _dot(x: float, y: float) -> str:
    """An SVG path of length zero, which round line caps draw as a dot."""
    return f"M{coordinate(x)} {coordinate(y)}h0.01"


def _notes(outside: Sequence[tuple[ReportedAverage, float, float]], language: Language) -> tuple[Note, ...]:
    """Names of students outside the bands where there is room, the farthest outliers on each side first."""
    ends = [0.0] * len(_ROWS)
    notes: list[Note] = []
    for average, x, y in outside:
        text = language.say(say_values("{name} {value:.1f}", name=clip(average.student, 22), value=average.value))
        length = len(text) * _LETTER
        start = min(max(x - length / 2, 2.0), WIDTH - 2 - length)
        row = next((row for row, end in enumerate(ends) if start > end + 4), None)
        if row is None or len(notes) == MOST_LABELS:
            continue
        ends[row] = start + length
        leader = f"M{coordinate(x)} {coordinate(_ROWS[row] + 1.5)}V{coordinate(max(y - 3, _ROWS[row] + 1.5))}"
        notes.append(
            Note(text=text, x=coordinate(start), y=coordinate(_ROWS[row]), width=coordinate(length), leader=leader)
        )
    return tuple(notes)


def _strip(band: CurveBand, least: float, most: float) -> Strip:
    left, right = (_x(min(max(end, least), most), least, most) for end in (band.low, band.high))
    height = BOTTOM - TOP
    first = -int(height / _HATCH)
    starts = [left + number * _HATCH for number in range(first, int((right - left) / _HATCH) + 1)]
    return Strip(
        left=coordinate(left),
        width=coordinate(max(right - left, 1.0)),
        hatching=" ".join(_stroke(at, left, right) for at in starts),
    )


def _stroke(at: float, left: float, right: float) -> str:
    """A diagonal of the hatching that starts at the bottom of the chart, clipped to its band."""
    begin, end = max(at, left), min(at + BOTTOM - TOP, right)
    return (
        f"M{coordinate(begin)} {coordinate(BOTTOM - (begin - at))}L{coordinate(end)} {coordinate(BOTTOM - (end - at))}"
    )


def _caption(of: ReportedAverages, outside: int) -> Message:
    count = say_number("{number} average", "{number} averages", len(of.averages))
    if not of.bands:
        return say("{title}: {averages}; no band is known.", title=_title(of), averages=count)
    return say("{title}: {averages}, {outside} outside the bands.", title=_title(of), averages=count, outside=outside)


def _keys(of: ReportedAverages, outside: int) -> list[Message]:
    keys = [say_number("{number} student", "{number} students", len(of.averages))]
    if len(of.averages) > MOST_DRAWN:
        keys.append(say("{drawn:,} of them are drawn, chosen at random", drawn=MOST_DRAWN))
    if of.bands:
        keys.append(say("hatched: {bands}", bands=join_messages(say("; "), map(band_words, of.bands))))
    if outside:
        keys.append(say("cross: outside ({count})", count=outside))
    if not all(average.split_said for average in of.averages):
        keys.append(say("ring: the report does not say which set"))
    return keys


MOST_PLACES: Final = 40
"""Items and gaps between questions that fit side by side on a page; with more, there are several heat maps."""
_WIDEST: Final = 12.0
"""The distance from one sign to the next, in points."""
_SIGN: Final = 0.602
"""The width of a character of DejaVu Sans Mono, relative to the font size."""


class _Layout(NamedTuple):
    """The layout of a class. Lengths are in points: `line` and `size` of a row and its letters, `room` for all signs of
    a row; `gap` is the distance between questions in signs, `abreast` the blocks of students beside each other, and
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
    """One student: a sign for each item, a space between questions. `total` and `pending` are padded to the same
    width."""

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
    """Some of the lab's questions and all students. `abreast` is the number of sheets side by side on a page. `spacing`
    is the CSS length between two signs, `word_spacing` that between questions; `line`, `size` and `width` are those of
    a row, its letters, and all cells."""

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
    """Return the meanings of the signs."""
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
        own_item_tallies = list(grouped)
        for start in range(0, len(own_item_tallies), MOST_PLACES):
            piece = own_item_tallies[start : start + MOST_PLACES]
            if part and sum(len(question_items) + 1 for question_items in part) + len(piece) > MOST_PLACES:
                yield part
                part = []
            part.append(piece)
    if part:
        yield part


def _matrix(students: Sequence[StudentRow], questions: Sequence[Sequence[ItemTally]], language: Language) -> Matrix:
    # The densest layout in which the labels of the items can be read.
    if len(students) <= _LARGE:
        layout = _AIRY
    else:
        *_, (last, _) = _places(questions, _DENSE.gap)
        layout = _DENSE if _DENSE.room / (last + 1) >= _NARROWEST else _LOW
    places = list(_places(questions, layout.gap))
    columns = places[-1][0] + 1
    pitch = min(layout.room / columns, _WIDEST)
    firsts = {question[0].id for question in questions}
    size = min(layout.size, pitch / _SIGN)

    def label(text: str, longest: int, at: float) -> Label:
        return Label(text=clip(text, longest), at=f"{at * pitch:.2f}pt")

    return Matrix(
        questions=tuple(label(item.question, 10, at) for at, item in places if item.id in firsts),
        items=tuple(label(item.id.removeprefix(f"{item.question}."), 22, at) for at, item in places),
        sheets=tuple(_sheet(some, questions, layout, language) for some in _blocks(students, layout)),
        abreast=layout.abreast,
        spacing=f"{pitch - _SIGN * size:.2f}pt",
        word_spacing=f"{(layout.gap - 1) * pitch:.2f}pt",
        line=f"{layout.line:.2f}pt",
        size=f"{size:.2f}pt",
        width=f"{pitch * columns:.2f}pt",
    )


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


def _row(student: StudentRow, questions: Sequence[Sequence[ItemTally]], longest: int, language: Language) -> MatrixRow:
    by_item = {id_: SIGNS[status] for id_, status in student.statuses.items()}
    signs = " ".join("".join(by_item.get(item.id, NOTHING) for item in question) for question in questions)
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
