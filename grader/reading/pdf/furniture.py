"""Running heads and feet, and page numbers: told apart from what a page says."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from grader.reading.pdf.page_line import PageLine

_HEAD, _FOOT = 0.16, 0.81
"""In heights of the page: running heads end above the first, feet begin below the second. In LaTeX's article feet
begin at 0.87 on letter paper, and at 0.82 where its text is set for letter paper and the page is A4, as it often is."""

_MARGIN: Final = 0.05
"""In heights of the page: what repeats so close to its edge is furniture however close the text comes, as in pages
that a browser prints."""

_DEEP_FOOT: Final = 0.88
"""Below this height a number that stands alone is a page's number whichever page it counts."""

_APART: Final = 1.7
"""In em, from baseline to baseline: what stands closer to the text belongs to it."""

_UNUSUAL: Final = 1.4
"""In the page's usual distances between lines."""

_FEW_LINES: Final = 4
_MOST_LINES: Final = 4
_MOST_COMPARED: Final = 400
_NUMBER: Final = re.compile(r"\d+")
_PAGE_NUMBER: Final = re.compile(
    r"[-–—\s]*(?:page\s*)?(\d{1,3})(?:\s*(?:/|of|sur|de)\s*\d{1,3})?[-–—\s]*", re.IGNORECASE
)


class PageText(NamedTuple):
    """A page's number from 1, its height in points, and its lines in reading order."""

    number: int
    height: float
    lines: list[PageLine]


class Parted(NamedTuple):
    """The lines of a document: those that say something, and the furniture."""

    body: list[PageLine]
    furniture: list[PageLine]


_Places = dict[tuple[str, int], list[tuple[PageText, tuple[int, ...]]]]
"""For the words of a line and its height: the pages that have it there, and its numbers on them."""


def parted(pages: Sequence[PageText], count: int) -> Parted:
    """A line is furniture when it stands apart at the edge of its page and is a page number at the foot, or stands at
    the same place on another page with the same words and numbers, page numbers aside. `count` is that of all pages."""
    edges = [(page, _head(page), _foot(page)) for page in pages]
    places: _Places = {}
    for page, head, foot in edges:
        for line in {id(line): line for line in (*head, *foot, *_in_margin(page))}.values():
            places.setdefault(_place(line), []).append((page, _numbers(line)))
    result = Parted([], [])
    for page, head, foot in edges:
        bare = len({id(line) for line in (*head, *foot)}) == len(page.lines)
        gone = {id(line) for line in _gone(page, head, foot, {} if bare else places, count)}
        for line in page.lines:
            (result.furniture if id(line) in gone else result.body).append(line)
    return result


def _gone(
    page: PageText, head: list[PageLine], foot: list[PageLine], places: _Places, count: int
) -> Iterator[PageLine]:
    """The lines at an edge, when all of them are furniture, and in the margin each that is."""
    yield from (line for line in _in_margin(page) if _repeats(line, page, places))
    if all(_repeats(line, page, places) for line in head):
        yield from head
    if all(_is_page_number(line, page, count) or _repeats(line, page, places) for line in foot):
        yield from foot


def _head(page: PageText) -> list[PageLine]:
    ordered = sorted(page.lines, key=lambda line: line.box[1])
    return _apart(ordered, sum(line.box[3] < _HEAD * page.height for line in ordered))


def _foot(page: PageText) -> list[PageLine]:
    ordered = sorted(page.lines, key=lambda line: line.box[1], reverse=True)
    return _apart(ordered, sum(line.box[1] > _FOOT * page.height for line in ordered))


def _in_margin(page: PageText) -> list[PageLine]:
    """The lines at the very edge of a page."""
    low, high = _MARGIN * page.height, (1 - _MARGIN) * page.height
    return [line for line in page.lines if line.box[3] < low or line.box[1] > high][: 2 * _MOST_LINES]


def _apart(ordered: list[PageLine], count: int) -> list[PageLine]:
    """The first lines from an edge inwards, `count` at most, up to the first wide gap; none where none parts them. On
    a page of several lines only a gap is wide that is so for the page, unless a page number stands alone."""
    steps = [abs(inner.box[3] - outer.box[3]) for outer, inner in pairwise(ordered)]
    usual = median(steps) if len(steps) > _FEW_LINES else 0.0
    for reach in range(1, min(count, _MOST_LINES) + 1):
        if reach == len(ordered):
            return ordered
        em = max(ordered[reach - 1].size, ordered[reach].size)
        alone = reach == 1 and _PAGE_NUMBER.fullmatch(ordered[0].text) is not None
        if steps[reach - 1] > max(_APART * em, 0.0 if alone else _UNUSUAL * usual):
            return ordered[:reach]
    return []


def _is_page_number(line: PageLine, page: PageText, count: int) -> bool:
    match = _PAGE_NUMBER.fullmatch(line.text)
    number = int(match[1]) if match else None
    is_deep = line.box[1] > _DEEP_FOOT * page.height
    return number is not None and (number == page.number or (is_deep and number <= count + 20))


def _repeats(line: PageLine, page: PageText, places: _Places) -> bool:
    """Whether another page has the same line, each number equal or as much greater as the page's own."""
    numbers = _numbers(line)
    for other, theirs in places.get(_place(line), ())[:_MOST_COMPARED]:
        step = other.number - page.number
        if step and all(b - a in (0, step) for a, b in zip(numbers, theirs, strict=True)):
            return True
    return False


def _place(line: PageLine) -> tuple[str, int]:
    return _NUMBER.sub("#", line.text), round(line.box[3])


def _numbers(line: PageLine) -> tuple[int, ...]:
    return tuple(int(digits[:18]) for digits in _NUMBER.findall(line.text))
