"""Text in which what was inferred is marked."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from grader.reading.document import Repair, RepairKind

THIN: Final = "\u2009"
"""Written for a gap that is either a space or the thin space of mathematics; `tidied` decides."""

_THOUSANDS: Final = re.compile(rf"(?<=\d,){THIN}(?=\d{{3}}(?!\d))")


class Mark(NamedTuple):
    """`text[start:end]` was inferred; equal ends stand for something left out."""

    kind: RepairKind
    start: int
    end: int

    def moved(self, by: int) -> "Mark":
        """The same mark in a text with `by` characters before it."""
        return Mark(self.kind, self.start + by, self.end + by)


class Marked(NamedTuple):
    """A text with its marks."""

    text: str
    marks: tuple[Mark, ...] = ()

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The marks as a block holds them, in order."""
        return tuple(Repair(kind=kind, start=start, end=end) for kind, start, end in sorted(self.marks, key=_place))


def _place(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end


def joined(separator: str, parts: Sequence[Marked]) -> Marked:
    """Texts put together, with their marks."""
    if len(parts) == 1:
        return parts[0]
    marks: list[Mark] = []
    length = 0
    for text, inner in parts:
        marks.extend(mark.moved(length) for mark in inner)
        length += len(text) + len(separator)
    return Marked(separator.join(part.text for part in parts), tuple(marks))


def cut(marked: Marked, start: int, end: int) -> Marked:
    """A part of a text without the blanks at its ends, with the marks that lie in it."""
    part = marked.text[start:end]
    start += len(part) - len(part.lstrip())
    text = part.strip()
    inside = [mark for mark in marked.marks if start <= mark.start and mark.end <= start + len(text)]
    return Marked(text, tuple(mark.moved(-start) for mark in inside))


def tidied(raw: str, marks: Iterable[Mark]) -> Marked:
    """A text with single spaces, none at its ends, and without the thin spaces within numbers."""
    if THIN not in raw and " ".join(raw.split()) == raw:
        return Marked(raw, tuple(marks))
    thin = {match.start() for match in _THOUSANDS.finditer(raw)}
    kept: list[str] = []
    offsets: list[int] = []
    for index, character in enumerate(raw):
        offsets.append(len(kept))
        if not character.isspace():
            kept.append(character)
        elif index not in thin and kept and kept[-1] != " ":
            kept.append(" ")
    end = len(kept) - 1 if kept and kept[-1] == " " else len(kept)
    offsets.append(end)
    left_out = [Mark(RepairKind.JOINED, offsets[index], offsets[index]) for index in thin]
    moved = [Mark(kind, min(offsets[start], end), min(offsets[stop], end)) for kind, start, stop in marks]
    return Marked("".join(kept[:end]), (*moved, *left_out))
