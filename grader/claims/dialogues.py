"""Find the prompts that a text shows: the parts of a dialogue, each after its marker."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import islice, pairwise, zip_longest
from typing import Final, NamedTuple

from grader.claims.numerals import text_before
from grader.claims.passage import Passage
from grader.claims.statements import sayings, speaks_of
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.reading.document import BlockKind, Evidence

_LONGEST: Final = 900
_MOST: Final = 40
_NEAR: Final = 8
_LINES_APART: Final = range(1, 4)
_DISPLAY: Final = (BlockKind.LINE, BlockKind.CODE, BlockKind.OUTPUT)
_CODE: Final = r"(?:[\w.\[\]'\" ]{1,40}=\s*|return\b\s*|print\s?)?\(?\s*(?:[frFR]{0,2}[\"'`]{1,3})?\s*"
_NUMBER: Final = r"[\s>|]*(?:(?:[A-Za-z]?\d{1,3}|[A-Za-z](?=[.)]))[.:)]?\s+)?"
_LEADING: Final = re.compile(_NUMBER + _CODE)
"""The text before a dialogue's marker: a line's number or letter, or the code that makes the text."""

_OPENING: Final = re.compile(_NUMBER + r"(?:[\w ]{1,25}:\s+)?" + _CODE)
"""A label before the first marker: `Example: <human>: …`."""

_JOINED: Final = re.compile(r"[\"']\\n[\"']\s?\.\s?join\(\s?[(\[]?[^\n]{0,10}$")
_JOINT: Final = re.compile(r"[\s\"'`+(frFR]*$")
_TAGS: Final = {
    "angle": re.compile(r"[<¡‹⟨]\s?[|/]?\s?([^<>|¡¿\n]{1,25}?)\s?\|?\s?[>¿›⟩]\s?:?"),
    "square": re.compile(r"\[\s?/?\s?([^\W\d][^\[\]\n]{0,24})\]\s?:?"),
    "hash": re.compile(r"#{2,5}\s?([^\W\d][^#:\n]{0,24}?)\s?(?::|$)"),
    "arrow": re.compile(r"([^\W\d_][\w' ]{0,19}?)\s?[>›»]{1,3}(?=\s)"),
    "bare": re.compile(r"[•*_]{0,3}([^\W\d_][\w' ]{0,19}?)[*_]{0,2}\s?:(?!/)"),
}
"""The possible beginnings of a line in a dialogue."""

_SIGNS: Final = {"<": "[<¡‹⟨]", ">": "[>¿›⟩]"}
"""Characters that typesetting replaces: TeX's old text fonts have no `<`."""

_CLOSED: Final = re.compile(r"[<\[]\|?(\w{1,20})\|?[>\]].{3,}?[<\[]\|?/\1\|?[>\]]")


class Layout(Enum):
    """The layout of the parts of a dialogue."""

    RIGHT = "right"
    ONE_LINE = "one-line"
    BREAKS = "breaks"
    ORDER = "order"
    NAMED = "named"
    MARKS = "marks"
    OTHER_NAMES = "other-names"


class Dialogue(NamedTuple):
    """A prompt in a text, with a line for each part, and its layout.

    `NAMED`: a sentence names the markers. `MARKS`: the right names with other markers. `is_code`: it stands in a block
    of code, which keeps its lines.
    """

    layout: Layout
    text: str
    evidence: Evidence
    is_code: bool = False


def dialogues(
    passage: Passage, markers: Sequence[str], words: Sequence[str], is_own: bool = False, breaks: Sequence[str] = ()
) -> Iterator[Dialogue]:
    """Yield the prompts in a passage.

    Prompts with the format's markers come first. Prompts with other markers count near `words`, or anywhere in an
    `is_own` answer. A sentence that only names the markers counts if it mentions prompts or, with a word of `breaks`,
    their lines."""
    yield from islice(_marked(passage, markers), _MOST)
    yield from islice(_others(passage, markers, words, is_own), _MOST)
    yield from islice(_described(passage, markers, (*words, *breaks)), _MOST)


def _described(passage: Passage, markers: Sequence[str], words: Sequence[str]) -> Iterator[Dialogue]:
    """Yield the dialogues that a sentence only describes: `the first line begins with "Question:", the second with
    "Answer:"`."""
    names = [_bare(marker) for marker in markers]
    for saying in sayings(passage, words):
        found = [_bare(entry) for entry in _QUOTED.findall(saying.text)]
        if (
            saying.is_plain
            and len(found) == len(set(found)) == len(names)
            and lexicon.search("<asked_role>", saying.text)
        ):
            layout = Layout.MARKS if found == names else Layout.OTHER_NAMES
            yield Dialogue(layout, saying.text, saying.evidence)


_QUOTED: Final = re.compile(r"[\"'“«`]\s?([^\W\d_][\w' ]{0,19}?)\s?:\s?[\"'”»`]")


def _spelled(marker: str) -> str:
    """Return a pattern for a marker with the spaces that typesetting may insert."""
    pieces = re.findall(r"\w+|[^\w\s]", marker)
    return r"\s?".join(_SIGNS.get(piece) or re.escape(piece) for piece in pieces)


def _marked(passage: Passage, markers: Sequence[str]) -> Iterator[Dialogue]:
    text = passage.text
    patterns = [re.compile(_spelled(marker)) for marker in markers]
    firsts = list(patterns[0].finditer(text))
    for first, following in zip_longest(firsts, firsts[1:]):
        end = min(following.start() if following else len(text), first.start() + _LONGEST)
        found = _in_order(patterns, text, first, end)
        if found is not None:
            layout = _layout(passage, found)
            parts = _parts(text, found, end, markers)
            is_code = passage.exact and passage.block_at(first.start()).kind is BlockKind.CODE
            yield Dialogue(layout, "\n".join(parts), passage.evidence(first.start(), found[-1].end()), is_code)
    first = firsts[0] if firsts else None
    last = patterns[-1].search(text, first.start() - _LONGEST, first.start()) if first else None
    if first and last and _opens_line(text, last) and re.search(r"\n|\\n", text[last.end() : first.start()]):
        yield Dialogue(Layout.ORDER, text[last.start() : first.end()], passage.evidence(last.start(), first.end()))


def _in_order(
    patterns: Sequence[re.Pattern[str]], text: str, first: re.Match[str], end: int
) -> list[re.Match[str]] | None:
    found = [first]
    for pattern in patterns[1:]:
        match = pattern.search(text, found[-1].end(), end)
        if match is None:
            return None
        found.append(match)
    return found


def _layout(passage: Passage, found: Sequence[re.Match[str]]) -> Layout:
    text = passage.text
    if _JOINED.search(text_before(text, found[0].start())):
        return Layout.RIGHT
    for before, after in pairwise(found):
        between = text[before.end() : after.start()]
        if "\\n" in _JOINT.sub("", between)[-4:]:
            if re.match(r"\s*\\n", between) or re.search(r"\\n\s*\\n", between):
                return Layout.BREAKS
            continue
        if "\n" not in between:
            return Layout.ONE_LINE if _opens_line(text, before) else Layout.NAMED
        if not (_opens_line(text, before) and _opens_line(text, after)):
            return Layout.NAMED
        if passage.block_at(before.start()).kind is BlockKind.LIST_ITEM:
            return Layout.NAMED
        if not between.partition("\n")[0].strip(" \"'"):
            return Layout.BREAKS
        upper, lower = passage.block_at(before.start()), passage.block_at(after.start())
        apart = (lower.line or 0) - (upper.line or 0)
        if upper.kind is BlockKind.CODE and passage.exact and between.count("\n") in range(1, apart):
            return Layout.BREAKS
    return Layout.RIGHT


def _opens_line(text: str, match: re.Match[str]) -> bool:
    """Whether a marker begins a line, or a quoted text that does."""
    return bool(_OPENING.fullmatch(text[text.rfind("\n", 0, match.start()) + 1 : match.start()]))


def _parts(text: str, found: Sequence[re.Match[str]], end: int, markers: Sequence[str]) -> list[str]:
    """Return each part on one line. The last one extends to the end of its line or of the quoted text."""
    ends = [*(candidate.start() for candidate in found[1:]), end]
    parts = []
    for match, stop, marker in zip(found, ends, markers, strict=True):
        piece = text[match.end() : stop]
        if match is found[-1]:
            piece = piece.partition("\n")[0]
        piece = _JOINT.sub("", _JOINT.sub("", piece).removesuffix("\\n"))
        parts.append(f"{marker.strip()} {' '.join(piece.split())}".strip())
    return parts


class _Tagged(NamedTuple):
    """A line of a text that begins with a marker."""

    number: int
    style: str
    name: str
    rest: str
    text: str
    start: int
    end: int


def _others(passage: Passage, markers: Sequence[str], words: Sequence[str], is_own: bool) -> Iterator[Dialogue]:
    """Yield the dialogues with other markers."""
    names = [_bare(marker) for marker in markers]
    tagged = list(_tagged(passage))
    reach = _reach(passage, words, is_own)
    for line in tagged:
        if _asks(line.rest, line) and (_CLOSED.match(line.text) or _goes_on(line)):
            yield Dialogue(Layout.OTHER_NAMES, line.text, passage.evidence(line.start, line.end))
    for line in (cell for cell in _tagged_cells(passage) if cell.number in reach):
        named = [_bare(line.name), _bare(_goes_on(line) or "")]
        if (
            _asks(line.rest, line)
            and named[1]
            and not all(re.search(_spelled(marker), line.text) for marker in markers)
        ):
            layout = Layout.MARKS if named == names else Layout.OTHER_NAMES  # a cell has lost its line breaks
            yield Dialogue(layout, line.text, passage.evidence(line.start, line.end))
    for first, second in pairwise(tagged):
        found = [_bare(first.name), _bare(second.name)]
        if (
            second.number - first.number not in _LINES_APART
            or first.style != second.style
            or found[0] == found[1]
            or found[0] == names[-1]
            or (found == names and _marks_all(first, second, markers))
            or not _asks(" ".join(block.text for block in passage.blocks[first.number : second.number]), first)
            or (first.style == "bare" and first.number not in reach and not _is_template(first, second))
        ):
            continue
        layout = Layout.MARKS if found == names else Layout.OTHER_NAMES
        yield Dialogue(layout, f"{first.text}\n{second.text}", passage.evidence(first.start, second.end))


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", fold_text(name))


def _marks_all(first: _Tagged, second: _Tagged, markers: Sequence[str]) -> bool:
    """Whether two lines begin with the format's own markers, which were examined before."""
    return all(re.search(_spelled(marker), line.text) for marker, line in zip(markers, (first, second), strict=False))


def _asks(text: str, line: _Tagged) -> bool:
    """Whether a part of a dialogue asks something, or has a placeholder for a question."""
    return "?" in text or "{" in text or bool(lexicon.search("<asked_role>", line.text))


def _is_template(*lines: _Tagged) -> bool:
    """Whether lines contain only placeholders after their markers: `Question: <question>`."""
    return all(_PLACE.fullmatch(line.rest) for line in lines)


_PLACE: Final = re.compile(r"\s*(?:<[^<>\d]{1,40}>|\{[^{}\d]{1,40}\})[\s?.]*")


def _goes_on(line: _Tagged) -> str | None:
    """Return the name of a second marker of the same kind in the line, or None."""
    second = _TAGS[line.style].search(line.rest) if line.style != "bare" else None
    return second[1] if second and fold_text(second[1]) != fold_text(line.name) else None


def _tagged(passage: Passage) -> Iterator[_Tagged]:
    for number, block in enumerate(passage.blocks):
        if block.kind in (*_DISPLAY, BlockKind.LIST_ITEM):
            yield from _opened(block.text, number, passage)


def _tagged_cells(passage: Passage) -> Iterator[_Tagged]:
    """Yield the table cells that begin with a marker."""
    for number, block in enumerate(passage.blocks):
        if block.kind is BlockKind.ROW:
            for cell in block.cells or (block.text,):
                yield from _opened(cell, number, passage)


def _opened(line: str, number: int, passage: Passage) -> Iterator[_Tagged]:
    if len(line) > _LONGEST:
        return
    lead = _LEADING.match(line)
    text = line[lead.end() :] if lead else line
    for style, pattern in _TAGS.items():
        match = pattern.match(text)
        if match:
            start, end = passage.offset_of(number), passage.end_of(number)
            yield _Tagged(number, style, match[1], text[match.end() :], line.strip(), start, end)
            return


def _reach(passage: Passage, words: Sequence[str], is_own: bool) -> set[int]:
    """Return the lines near which prompts are mentioned."""
    if is_own:
        return set(range(len(passage.blocks)))
    found = [number for number, block in enumerate(passage.blocks) if speaks_of(block.text, words)]
    return {number + further for number in found for further in range(-1, _NEAR)}
