"""The margins of a page and the room between its columns: the numbers of lines there say nothing, and notes are read
apart from the text that they stand beside."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import inf
from operator import attrgetter
from statistics import median
from typing import Final

from grader.reading.pdf.glyphs import bounding_box
from grader.reading.pdf.lines import Fragment, runs
from grader.reading.pdf.marks import PageLine

_FEWEST_NUMBERS: Final = 4
_ALIGNED: Final = 1.0
"""In points: the left or right edges of the numbers of lines lie so close together."""
_SMALL: Final = 0.85
"""Of the text's size: the number of a line that stands elsewhere is smaller."""

_NOTE_SIZE: Final = 0.95
"""Of the text's size: a note in the margin is smaller."""
_NOTE_WIDTH: Final = 0.3
_MARGIN: Final = 0.6
"""Of the page's width: a note is at most so wide, and begins so far right at least."""
_FEWEST_ENDS: Final = 3
"""Lines that end at the right edge of the text."""
_FEWEST_LINES: Final = 2
"""Lines of a note."""
_EDGE: Final = 2.0
_ROOM: Final = 4.0
"""In points: the right edge's width, and the room between the text and a note."""
_LARGER: Final = 1.1
"""Of the text's size: a title is larger, and begins a part to which a note above it does not belong."""


def without_line_numbers(fragments: Sequence[Fragment]) -> list[Fragment]:
    """The fragments without the numbers of lines, which count up by one or begin anew at 1: those left of everything
    else, beside words, and smaller ones in a column of their own, as beside each of two columns. The first column of a
    table has a header above its numbers, or numbers beside them."""
    numbers = [fragment for fragment in fragments if fragment.text.isdecimal()]
    if len(numbers) < _FEWEST_NUMBERS:
        return list(fragments)
    others = [fragment for fragment in fragments if not fragment.text.isdecimal()]
    gone = set(map(id, (*_first_column(numbers, others), *_small_columns(numbers, others))))
    return [fragment for fragment in fragments if id(fragment) not in gone]


def _first_column(numbers: Iterable[Fragment], others: Sequence[Fragment]) -> list[Fragment]:
    """The numbers of lines left of everything else, where most of that are words."""
    worded = sum(any(map(str.isalpha, fragment.text)) for fragment in others)
    start = min(map(attrgetter("left"), others), default=-inf)
    margin = [number for number in numbers if number.right < start]
    return margin if 2 * worded >= len(others) and _number_lines(margin) else []


def _small_columns(numbers: Iterable[Fragment], others: Sequence[Fragment]) -> Iterator[Fragment]:
    """The numbers of lines that stand in columns of their own and are smaller than the text."""
    small = _smaller(numbers, others)
    for edge in (attrgetter("right"), attrgetter("left")):
        places = sorted((edge(fragment), index) for index, fragment in enumerate(small))
        for run in runs(places, lambda first, other: other[0] - first[0] <= _ALIGNED):
            column = [small[index] for _, index in run]
            if _number_lines(column) and not _runs_into(column, others):
                yield from column


def _smaller(numbers: Iterable[Fragment], others: Sequence[Fragment]) -> list[Fragment]:
    """The numbers that are smaller than the text. In a row of a table the texts beside a number are as small as
    itself."""
    usual = median(other.size for other in others) if others else 0.0
    rows = {round(other.baseline): other.size for other in sorted(others, key=attrgetter("size"), reverse=True)}
    return [number for number in numbers if number.size < _SMALL * min(usual, rows.get(round(number.baseline), usual))]


def _runs_into(column: Sequence[Fragment], others: Iterable[Fragment]) -> bool:
    """Whether other text stands where a column does, at the height of one of its members."""
    left, right = min(fragment.left for fragment in column), max(fragment.right for fragment in column)
    across = [other for other in others if other.left < right and left < other.right]
    return any(
        abs(own_fragment.baseline - fragment.baseline) < fragment.size / 2
        for fragment in across
        for own_fragment in column
    )


def _number_lines(numbers: Collection[Fragment]) -> bool:
    """Whether several numbers end or begin in one column and count up by one, or anew from 1, down the page."""
    if len(numbers) < _FEWEST_NUMBERS:
        return False
    lefts, rights = zip(*[(number.left, number.right) for number in numbers], strict=True)
    counted = [int(number.text[:9]) for number in sorted(numbers, key=attrgetter("baseline"))]
    counts_up = all(after in (before + 1, 1) for before, after in pairwise(counted))
    return counts_up and min(max(lefts) - min(lefts), max(rights) - min(rights)) <= _ALIGNED


def margin_notes(fragments: Sequence[Fragment], width: float) -> list[list[Fragment]]:
    """The notes in the margins of a page of some width, each as its fragments: narrow columns of smaller text, beyond
    the edge at which the lines of the text end, or with nothing else above and below the lines beside them."""
    body = [fragment for fragment in fragments if fragment.left <= _MARGIN * width]
    largest = _NOTE_SIZE * median(map(attrgetter("size"), body)) if body else 0.0
    small = [fragment for fragment in fragments if fragment.size <= largest]
    if len(small) < _FEWEST_LINES:
        return []
    found = _beyond_text(fragments, body, largest, width)
    taken = {id(fragment) for note in found for fragment in note}
    rest = [fragment for fragment in small if id(fragment) not in taken]
    return [*found, *_beside_text(rest, fragments, _NOTE_WIDTH * width)]


def _beyond_text(
    fragments: Sequence[Fragment], body: Sequence[Fragment], largest: float, width: float
) -> list[list[Fragment]]:
    """The notes beyond the edge at which the lines of the text end."""
    ends = runs(sorted(fragment.right for fragment in body), lambda first, other: other - first <= _EDGE)
    edge = max((run[-1] for run in ends if len(run) >= _FEWEST_ENDS), default=inf) + _ROOM
    beyond = [fragment for fragment in fragments if fragment.left > max(edge, _MARGIN * width)]
    wide = list(filter(lambda fragment: fragment.right > edge, body))
    return [note for note in _by_height(beyond) if _is_note(note, wide, largest, _NOTE_WIDTH * width)]


def _by_height(fragments: Iterable[Fragment]) -> Iterator[list[Fragment]]:
    """Fragments in groups between which a line is free."""
    ordered = sorted(fragments, key=attrgetter("baseline"))
    return runs(ordered, lambda fragment, other: other.baseline - fragment.baseline < 2 * fragment.size)


def _is_note(note: Sequence[Fragment], wide: Iterable[Fragment], largest: float, widest: float) -> bool:
    """Whether some fragments are small and narrow and hold words, and none of the text's `wide` ones runs into them."""
    is_small = all(fragment.size <= largest and fragment.right - fragment.left < widest for fragment in note)
    is_apart = not any(note[0].top <= fragment.baseline <= note[-1].bottom for fragment in wide)
    return is_small and is_apart and any(fragment.text[:1].isalpha() for fragment in note)


def _beside_text(small: Sequence[Fragment], fragments: Sequence[Fragment], widest: float) -> Iterator[list[Fragment]]:
    """Small lines of words one below the other, beside larger text that ends before them or begins behind them. Beside
    the cells of a table in small type stand others of the same size."""
    by_left = sorted(small, key=attrgetter("left"))
    for column in runs(by_left, lambda fragment, other: other.left - fragment.left <= _ALIGNED):
        for first in _by_height(column):
            if len(first) >= _FEWEST_LINES and all(fragment.text[:1].isalpha() for fragment in first):
                note = _whole_lines(first, small, widest)
                if len(note) >= len(first) and _stands_apart(note, fragments):
                    yield note


def _whole_lines(first: Sequence[Fragment], small: Iterable[Fragment], widest: float) -> list[Fragment]:
    """The lines of a note, at most so wide, from their first texts and all small ones."""
    heights = {round(fragment.baseline) for fragment in first}
    left = min(fragment.left for fragment in first)
    whole = [
        candidate
        for candidate in small
        if left <= candidate.left and candidate.right < left + widest and round(candidate.baseline) in heights
    ]
    return sorted(whole, key=attrgetter("baseline"))


def _stands_apart(note: Sequence[Fragment], fragments: Iterable[Fragment]) -> bool:
    """Whether larger text beside a note ends before it, or begins behind it, and none begins above or below it: small
    print in a column of the text has such lines."""
    left, top, right, bottom = bounding_box([fragment[1:5] for fragment in note])
    note_ids, size = set(map(id, note)), max(map(attrgetter("size"), note))
    others = [other for other in fragments if id(other) not in note_ids]
    beside = [other for other in others if other.top < bottom and top < other.bottom]
    if not beside or min(map(attrgetter("size"), beside)) <= size:
        return False
    begins, ends = min(map(attrgetter("left"), beside)), max(map(attrgetter("right"), beside))
    is_apart = ends < left - _ROOM or right < begins
    return is_apart and not any(_SMALL * other.size > size for other in _beginning_at(left, others))


def _beginning_at(left: float, fragments: Iterable[Fragment]) -> Iterator[Fragment]:
    return (fragment for fragment in fragments if abs(fragment.left - left) <= 2 * _ROOM)


def with_notes(read: Sequence[PageLine], notes: Sequence[Sequence[PageLine]]) -> Iterator[PageLine]:
    """The lines of a page with its notes, each before the next title below its beginning, or at the end."""
    if not notes:
        yield from read
        return
    usual = median(line.size for line in read) if read else 0.0
    waiting = sorted(notes, key=lambda note: note[0].box[1])
    for line in read:
        if line.size >= _LARGER * usual:
            above = [note for note in waiting if note[0].box[1] < line.box[1] - line.size / 2]
            waiting = waiting[len(above) :]
            for note in above:
                yield from note
        yield line
    for note in waiting:
        yield from note
