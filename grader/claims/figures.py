"""Bring figures and captions to the questions that they belong to.

On a page, a figure may stand far from its answer. A caption that names a question belongs to it: `Figure 3: (Question
7) …`. Otherwise the text that mentions the figure by its number decides.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from enum import Enum
from itertools import chain
from typing import Final, NamedTuple

from grader.claims.captions import CAPTION_START
from grader.language import lexicon
from grader.language.shapes import LONG_WORD
from grader.reading.document import Block, BlockKind, Box

_NUMBER: Final = r"\W*<figure>\.?\s*(?P<number>\d{1,3})[a-z]?(?P<sign>\s?[:.–—-]?)\s*\(?"
_MENTION: Final = r"<figure>s?\.?\s*\d{1,3}[a-z]?(?:\s*(?:,|<and>|&|-|–)\s*(?:<figure>\.?\s*)?\d{1,3}\b)*"
_MOST_APART: Final = 60.0
"""The most points between a figure and its caption."""


class Caption(NamedTuple):
    """A numbered caption: the positions of its lines and of its figure, and the end of its number in its first line."""

    number: int
    lines: tuple[int, ...]
    figure: int | None
    end: int

    @property
    def start(self) -> int:
        """The position of the first line."""
        return self.lines[0]

    @property
    def group(self) -> tuple[int, ...]:
        """The positions of the figure and the lines."""
        return (*([] if self.figure is None else [self.figure]), *self.lines)


class Part(NamedTuple):
    """The positions of the blocks of a section, and the questions that it answers.

    `end` is the end of its label in its first block, and `heading` the position of the block whose heading it has.
    """

    questions: tuple[str, ...]
    blocks: list[int]
    heading: int | None = None
    end: int = 0


def with_drawings(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with a figure before each caption that only the numbers on its axes stand above.

    Such a drawing consists of lines, which are not read.
    """
    found: list[Block] = []
    ticks = 0
    for index, block in enumerate(blocks):
        is_start = block.kind is BlockKind.CAPTION and lexicon.match(_NUMBER, block.text)
        if is_start and ticks >= _FEWEST_TICKS and blocks[index - 1].page == block.page:
            found.append(block.model_copy(update={"kind": BlockKind.FIGURE, "text": "", "formulas": (), "repairs": ()}))
        ticks = 0 if block.kind in (BlockKind.CAPTION, BlockKind.FIGURE) else ticks + _is_of_axis(block)
        found.append(block)
    return found


_FEWEST_TICKS: Final = 6


def _is_of_axis(block: Block) -> bool:
    """Whether a line of a page has only numbers."""
    pieces = block.text.split() if block.kind is BlockKind.LINE and block.page is not None else []
    return bool(pieces) and all(re.fullmatch(r"[-−]?\d+(?:[.,]\d+)?", piece) for piece in pieces)


def captions_of(blocks: Sequence[Block]) -> list[Caption]:
    """Return the numbered captions of figures in order, each with the nearest figure."""
    starts = [(index, match) for index, block in enumerate(blocks) if (match := _begins(blocks, index, block))]
    lines = {index: _lines(blocks, index) for index, _ in starts}
    figures = _nearest(blocks, lines)
    return [Caption(int(match["number"]), lines[index], figures.get(index), match.end()) for index, match in starts]


def _begins(blocks: Sequence[Block], index: int, block: Block) -> re.Match[str] | None:
    """Return the number of a caption that begins with a block, or None. A line must have a sign after the number."""
    match = lexicon.match(_NUMBER, block.text) if block.kind in (BlockKind.CAPTION, BlockKind.LINE) else None
    if match is None or block.kind is BlockKind.CAPTION:
        return match
    above = blocks[index - 1] if index else block
    is_begun = index == 0 or above.kind is not BlockKind.LINE or above.text.rstrip()[-1:] in ("", ".", "!", "?", ":")
    return match if match["sign"].strip() and is_begun else None


def _lines(blocks: Sequence[Block], start: int) -> tuple[int, ...]:
    """Return the positions of a caption's lines. A figure beside it may stand between them."""
    found = [start]
    for index in range(start + 1, len(blocks) if blocks[start].kind is BlockKind.CAPTION else 0):
        block, last = blocks[index], blocks[found[-1]]
        is_line = block.kind is BlockKind.CAPTION or _is_wrapped(last, block)
        if is_line and block.page == last.page and not CAPTION_START.match(block.text):
            found.append(index)
        elif block.kind is not BlockKind.FIGURE or block.page is None:
            break
    return tuple(found)


def _is_wrapped(last: Block, block: Block) -> bool:
    """Whether a line directly below the last one of a caption continues its paragraph."""
    if last.box is None or block.box is None or block.kind is not BlockKind.LINE or not block.text.strip():
        return False
    is_below = 0 <= block.box[3] - last.box[3] <= _LINE * (last.box[3] - last.box[1])
    is_open = last.kind is BlockKind.LINE or last.text.rstrip()[-1:] not in (".", "!", "?")
    return is_open and is_below and abs(block.box[0] - last.box[0]) <= _SAME_LEFT and not block.starts_paragraph


_LINE: Final = 1.6
"""The most distance between two lines of a paragraph, in heights of a line."""
_SAME_LEFT: Final = 3.0
"""The most points by which the beginnings of its lines differ."""


class _Side(Enum):
    """The side of its caption on which a figure stands."""

    ABOVE = "above"
    BELOW = "below"
    BESIDE = "beside"


def _nearest(blocks: Sequence[Block], captions: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return the figure of each caption: the nearest on its page, or elsewhere the one directly above or below.

    The side on which most captions have a figure comes first, and figures beside captions last.
    """
    figures = [index for index, block in enumerate(blocks) if block.kind is BlockKind.FIGURE and not block.in_line]
    pairs = [
        (side, distance, start, figure)
        for start, lines in captions.items()
        for figure in figures
        for side, distance in _distances(blocks, lines, figure)
    ]
    number = Counter(side for side, start in {(side, start) for side, _, start, _ in pairs})
    found: dict[int, int] = {}
    for _, _, start, figure in sorted(pairs, key=lambda pair: (pair[0] is _Side.BESIDE, -number[pair[0]], *pair[1:])):
        if start not in found and figure not in found.values():
            found[start] = figure
    return found


def _distances(blocks: Sequence[Block], lines: Sequence[int], figure: int) -> Iterator[tuple[_Side, float]]:
    """Yield the side and the distance at which a figure stands from a caption that may belong to it."""
    place, boxes = blocks[figure].box, [box for index in lines if (box := blocks[index].box)]
    if place is None:
        between = blocks[min(figure, lines[-1]) + 1 : max(figure, lines[0])]
        if not any(block.text.strip() for block in between):
            yield _Side.ABOVE if figure < lines[0] else _Side.BELOW, float(len(between))
    elif boxes and blocks[figure].page == blocks[lines[0]].page:
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        whole = min(lefts), min(tops), max(rights), max(bottoms)
        if _are_near(place, whole, 1):
            yield _Side.ABOVE if place[1] < whole[1] else _Side.BELOW, _gap(place, whole, 1)
        if _are_near(place, whole, 0):
            yield _Side.BESIDE, _gap(place, whole, 0)


def _are_near(box: Box, other: Box, axis: int) -> bool:
    """Whether two boxes follow each other along an axis."""
    least = _OVERLAP * min(_length(box, 1 - axis), _length(other, 1 - axis))
    return _gap(box, other, axis) <= _MOST_APART and -_gap(box, other, 1 - axis) >= least


_OVERLAP: Final = 0.5
"""The least share of the smaller one over which a caption and its figure overlap beside or below each other."""


def _gap(box: Box, other: Box, axis: int) -> float:
    """Return the gap between two boxes along an axis, negative if they overlap."""
    return max(box[axis], other[axis]) - min(box[axis + 2], other[axis + 2])


def _length(box: Box, axis: int) -> float:
    return box[axis + 2] - box[axis]


def parts_with_figures(
    blocks: Sequence[Block],
    parts: list[Part],
    captions: Sequence[Caption],
    named: Mapping[int, tuple[Sequence[str], int]],
) -> list[Part]:
    """Return the parts of a document with each figure beside its caption, under the question that it belongs to.

    `named` are the questions that captions name, and the end of that label, by the position of the caption.
    """
    for caption in captions:
        place = next(at for at, part in enumerate(parts) if caption.start in part.blocks)
        questions, end = named.get(caption.start, (_of_panels(blocks, parts, caption, captions), 0))
        target = _part_named(parts, place, questions) if questions else _owner(blocks, parts, caption, captions, place)
        if target is not None:
            _take_out(parts, caption.group)
            parts[target].blocks.extend(caption.group)
        elif not {*questions} <= {*parts[place].questions}:
            parts[place : place + 1] = _cut(parts[place], caption, tuple(questions), end)
        elif caption.figure is not None:
            _take_out(parts, [caption.figure])
            first = parts[place].blocks.index(caption.start)
            parts[place].blocks.insert(first + (first == 0), caption.figure)
    return list(filter(_is_filled, _with_figures_above(blocks, parts)))


def _is_filled(part: Part) -> bool:
    return bool(part.blocks)


def _take_out(parts: Sequence[Part], positions: Sequence[int]) -> None:
    for part in parts:
        part.blocks[:] = [index for index in part.blocks if index not in positions]


def _part_named(parts: Sequence[Part], place: int, questions: Sequence[str]) -> int | None:
    """Return the part with a heading that names some questions, unless the caption stands there."""
    named = [at for at, part in enumerate(parts) if part.questions == tuple(questions) and part.heading is not None]
    return named[0] if named and place not in named else None


def _cut(part: Part, caption: Caption, questions: tuple[str, ...], end: int) -> list[Part]:
    """Return a part cut around a caption that answers a question. The part above applies again behind it."""
    at = part.blocks.index(caption.start)
    before, behind = part.blocks[:at], part.blocks[at:]
    figure = [] if caption.figure is None else [caption.figure]
    return [
        part._replace(blocks=[index for index in before if index not in figure]),
        Part(questions, [*caption.lines, *figure], end=end),
        Part(part.questions, [index for index in behind if index not in caption.group]),
    ]


def _owner(
    blocks: Sequence[Block], parts: Sequence[Part], caption: Caption, captions: Sequence[Caption], place: int
) -> int | None:
    """Return the part that mentions a figure and to which its caption, which stands elsewhere, belongs, or None."""
    mentioned = [_mentioned(blocks, part, captions) for part in parts]
    speaking = _parts_mentioning(caption.number, parts, mentioned)
    target = speaking[0] if speaking else place
    if parts[place].questions == parts[target].questions:
        return None
    if not parts[place].questions or (target < place and _is_only_mention(blocks, parts[target])):
        return target
    others = _standing(parts[place], captions) - {caption.number}
    is_late = target < place and not _standing(parts[target], captions)
    figures_there = others | mentioned[place] if is_late else others & mentioned[place]
    return target if figures_there and place not in speaking else None


def _parts_mentioning(number: int, parts: Sequence[Part], mentioned: Sequence[Set[int]]) -> list[int]:
    """Return the positions of the parts that answer one question and mention a figure."""
    return [at for at, part in enumerate(parts) if number in mentioned[at] and len(part.questions) == 1]


def _standing(part: Part, captions: Sequence[Caption]) -> Set[int]:
    """Return the numbers of the captions in a part."""
    return {caption.number for caption in captions if caption.start in part.blocks}


def _of_panels(
    blocks: Sequence[Block], parts: Sequence[Part], caption: Caption, captions: Sequence[Caption]
) -> tuple[str, ...]:
    """Return the questions whose answers mention different panels of a figure: `Figure 1A`, `Figure 1B`."""
    pattern = lexicon.pattern(rf"(?i:<figure>\.?\s*{caption.number}\s?\(?(?P<panel>[a-z])(?![^\W_]))")
    found: dict[str, tuple[str, ...]] = {}
    for part in parts:
        match = pattern.search(_text_of(blocks, part, captions)) if len(part.questions) == 1 else None
        if match:
            found.setdefault(match["panel"].casefold(), part.questions)
    questions = tuple(dict.fromkeys(question for several in found.values() for question in several))
    return questions if len(found) > 1 and len(questions) == len(found) else ()


def _text_of(blocks: Sequence[Block], part: Part, captions: Sequence[Caption]) -> str:
    """Return the text of a part without captions."""
    lines = {index for caption in captions for index in caption.lines}
    return " ".join(blocks[index].text for index in part.blocks if index not in lines)


def _mentioned(blocks: Sequence[Block], part: Part, captions: Sequence[Caption]) -> Set[int]:
    """Return the numbers of the figures that the text of a part mentions, outside captions."""
    text = _text_of(blocks, part, captions)
    return {int(number) for match in lexicon.find_all(_MENTION, text) for number in re.findall(r"\d+", match.group())}


def _is_only_mention(blocks: Sequence[Block], part: Part) -> bool:
    """Whether a part says nothing but where its figure is: `Question 7. See Figure 5.`"""
    text = " ".join(blocks[index].text for index in part.blocks)
    return len(LONG_WORD.findall(text)) <= _MOST_WORDS


_MOST_WORDS: Final = 7
_FEWEST_ABOVE: Final = 3


def _with_figures_above(blocks: Sequence[Block], parts: list[Part]) -> list[Part]:
    """Return the parts with figures at their ends moved below the next label, if all stand above the answers.

    That is so if a figure stands directly above the first label, and no other figure elsewhere than above a label.
    """
    figures = {index for part in parts for index in part.blocks if blocks[index].kind is BlockKind.FIGURE}
    above = [_last_figures(blocks, part) for part in parts[:-1]]
    is_above = any(above[:1]) and {*chain.from_iterable(above)} == figures
    if not is_above or sum(map(bool, above)) < _FEWEST_ABOVE or max(len(part.questions) for part in parts) > 1:
        return parts
    for several, below in zip(above, parts[1:], strict=True):
        _take_out(parts, several)
        below.blocks.extend(several)
    return parts


def _last_figures(blocks: Sequence[Block], part: Part) -> list[int]:
    """Return the figures at the end of a part."""
    found: list[int] = []
    for index in reversed(part.blocks):
        if blocks[index].kind is BlockKind.FIGURE:
            found.insert(0, index)
        elif blocks[index].text.strip():
            break
    return found


def parts_in(headings: Mapping[int, Sequence[str]], length: int) -> Iterator[Part]:
    """Yield the parts of a document from the questions that its headings name, by position."""
    starts = sorted({0, *headings})
    for start, end in zip(starts, [*starts[1:], length], strict=True):
        if start < end or start in headings:
            yield Part(tuple(headings.get(start, ())), [*range(start, end)], start if start in headings else None)
