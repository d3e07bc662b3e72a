"""Definitions of configuration parameters: which words define which parameter, and the value they state.

A definition opens a line, a list item, a table row or a comment with the parameter's name, or stands in prose; one
that names no parameter is taken where the lab's grammar knows whose it is. No text is given to two parameters.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice, pairwise
from typing import Final, NamedTuple

from grader.claims.definition_openings import (
    VALUE,
    Opening,
    commented_above,
    commented_below,
    opened,
    opens_another,
    spelled,
    with_words_of_code,
    wraps,
)
from grader.claims.definition_prose import Part, about, named_together, own_end, parts, runs, valued, without_name
from grader.claims.passage import Passage, normalise
from grader.frozen import Frozen, remembered
from grader.lab.definition import Lab, Parameter
from grader.reading.document import Block, BlockKind, Evidence

_INDENT: Final = 40.0
"""How much further right than its row, in points, a line stands that belongs to another cell than the first."""
_COMMENT_INDENT: Final = 8.0
_SAME_GAP: Final = 2.0
Places = tuple[tuple[int, int], ...]


def wrapped_cell(passage: Passage, start: int) -> tuple[Places, Places] | None:
    """The places of the lines above and below the row at an offset that belong to its last cell; None where it is no
    row or has none."""
    row = next(
        (number for number in range(len(passage.blocks)) if passage.offset_of(number) >= start), len(passage.blocks)
    )
    if row >= len(passage.blocks) or passage.blocks[row].kind is not BlockKind.ROW or passage.blocks[row].box is None:
        return None
    above = _own_of_between(passage.blocks, list(_lines(passage.blocks, row, -1))[::-1], row, is_below=False)
    below = _own_of_between(passage.blocks, list(_lines(passage.blocks, row, 1)), row, is_below=True)
    if not above and not below:
        return None
    return _places(passage, above), _places(passage, below)


def _lines(blocks: Sequence[Block], row: int, step: int) -> Iterator[int]:
    """The lines next to a row that stand right of its first cell; below a comment in code, a little is enough."""
    box = blocks[row].box
    is_comment = step > 0 and blocks[row].cells[-1:] and blocks[row].cells[-1].startswith("#")
    indent = _COMMENT_INDENT if is_comment else _INDENT
    at = row + step
    while 0 <= at < len(blocks) and _is_cell_line(blocks[at]) and blocks[at].page == blocks[row].page:
        other = blocks[at].box
        if box is None or other is None or other[0] < box[0] + indent:
            return
        yield at
        at += step


def _is_cell_line(block: Block) -> bool:
    """Whether a block is a line, or a row with nothing but its last cell: a line of a cell beside others."""
    is_rest = block.kind is BlockKind.ROW and bool(block.cells) and not any(one.strip() for one in block.cells[:-1])
    return block.kind is BlockKind.LINE or (is_rest and len(block.cells) > 1)


def _own_of_between(blocks: Sequence[Block], lines: Sequence[int], row: int, *, is_below: bool) -> list[int]:
    """Those of the lines between two rows that are this one's: the widest gap parts them, the last of several equal
    ones. Lines above the first row are its own."""
    if not lines:
        return []
    beyond = lines[-1] + 1 if is_below else lines[0] - 1
    has_other = 0 <= beyond < len(blocks) and blocks[beyond].kind is BlockKind.ROW and _is_beside(blocks, row, beyond)
    if not has_other:
        return list(lines)
    if not is_below and not _head(blocks, beyond):
        chain = [beyond, *lines, row]
    elif not is_below:
        return list(lines)
    else:
        chain = [row, *lines, beyond]
    gaps = [_top(blocks[two]) - _top(blocks[one]) for one, two in pairwise(chain)]
    cut = max(at for at, gap in enumerate(gaps) if gap >= max(gaps) - _SAME_GAP)
    return list(lines[:cut]) if is_below else list(lines[cut:])


def _head(blocks: Sequence[Block], row: int) -> bool:
    """Whether a row is the head of its table: no line or row of the table stands above it."""
    return row == 0 or (blocks[row - 1].kind is not BlockKind.ROW and not list(_lines(blocks, row, -1)))


def _is_beside(blocks: Sequence[Block], row: int, other: int) -> bool:
    return blocks[other].page == blocks[row].page and blocks[other].box is not None


def _top(block: Block) -> float:
    return block.box[1] if block.box else 0.0


def _places(passage: Passage, lines: Sequence[int]) -> Places:
    found = []
    for number in lines:
        end = passage.offset_of(number + 1) - 1 if number + 1 < len(passage.blocks) else len(passage.text)
        found.append((passage.offset_of(number), end))
    return tuple(found)


_LONGEST = 1_500
_NUMBER = r"\d+(?:[.,]\d+)?(?:e[-+]?\d+|\s?%)?|\.\d+"
_SETTING = re.compile(r"[\s,;)]*\w+\s?=\s?[\[\"'\w.]|[\s,;]*\)|[ \t]*[,)]+[ \t]*(?:\n|$)")
"""In code, another argument follows."""
_NUMBERED = re.compile(r"^(?:\(\d{1,2}\)|\d{1,2}[.)])\s+(?=[^\W\d])")
_STOP = re.compile(r"^\W*\.\s+")
_COMMENT_SIGN = re.compile(r"\n\s*#+\s?")
_PROSE = (BlockKind.LINE, BlockKind.LIST_ITEM)
_FEWEST_WORDS = 3
_FEWEST_BESIDE = 1
"""A word beside a parameter's name may define it."""

_FEWEST_IN_TABLE = 3
"""So many definitions make a table one of definitions."""
_MOST = 60
_NEAR = 1_200
"""How far from the other definitions one without a line of its own may stand."""
"""More definitions, or paragraphs beside them, are not looked at: no lab asks for near as many."""


class DefinitionClaim(Frozen):
    """What a text says about one parameter. `text` is the definition alone, normalised, without name and value;
    `value` is the value that it states, as written, and `in_text` whether only the definition's own words state it.
    `named` is false where no name stands there and the meaning alone tells the parameter; `apart` is false where the
    definition was cut out of running text, so that some of it may be missing; `opinion` is the label that somebody
    gives it who has read it before."""

    parameter: str
    text: str
    value: str | None
    evidence: Evidence
    in_text: bool = False
    named: bool = True
    apart: bool = True
    opinion: str = ""


class _Cut(NamedTuple):
    """A definition's place in a passage: from `start`, where it is opened, and its words from `begin` to `end`;
    where they stand in the lines of a table's cell, these are the `pieces`."""

    parameter: str
    start: int
    begin: int
    end: int
    value: str | None = None
    named: bool = True
    apart: bool = True
    written: str = ""
    pieces: tuple[tuple[int, int], ...] = ()


def definitions(passage: Passage, lab: Lab) -> Iterator[DefinitionClaim]:
    """The definitions of a passage, in reading order."""
    passage = with_words_of_code(passage)
    for cut in sorted(_cuts(passage, lab), key=lambda cut: cut.start):
        yield _claim(passage, cut, lab)


class Leftover(NamedTuple):
    """Text that was taken for no definition, and its place; `is_near` where a definition stands near, or none does at
    all."""

    text: str
    place: Evidence
    is_near: bool


def unassigned(passage: Passage, lab: Lab) -> Iterator[Leftover]:
    """The text of a passage that was not taken for any definition, headings and announcements (`…:`) left out."""
    passage = with_words_of_code(passage)
    cuts = _cuts(passage, lab)
    near = _near(passage, cuts)
    for start, end in _left(passage, _places_of(cuts)):
        text = passage.text[start:end].strip()
        if len(text.split()) >= _FEWEST_WORDS and not text.endswith(":"):
            yield Leftover(text, passage.evidence(start, end), near is None or start in near or end in near)


@remembered
def _cuts(passage: Passage, lab: Lab) -> tuple[_Cut, ...]:
    cuts = [*_of_tables(passage, lab), *_of_comments(passage, lab)]
    seen = _places_of(cuts)
    openings = (
        one for one in opened(passage, lab.parameters) if not any(start <= one.start < end for start, end in seen)
    )
    opening_lines = list(islice(openings, _MOST))
    leads_on = {
        one.start
        for one, two in pairwise(opening_lines)
        if not passage.text[max(one.begin, one.end) : two.start].strip()
    }
    for opening in opening_lines:
        cuts += _of_opening(passage, opening, lab, is_whole=opening.start in leads_on)
    for start, end in islice(_left(passage, _places_of(cuts)), _MOST):
        cuts += _together(passage, start, end, lab)
    defined = {cut.parameter for cut in cuts if _says_something(passage, cut)}
    wanted = [one.id for one in lab.parameters if one.id not in defined]
    said = [cut for cut in cuts if _says_something(passage, cut)]
    near = _near(passage, cuts)
    free = [place for place in _left(passage, _places_of(said)) if near is None or place[0] in near or place[1] in near]
    for run in runs(passage.text, free, wanted, lab):
        cuts.append(_Cut(run.parameter, run.start, run.start, run.end, named=run.named, apart=False))
    return tuple(
        cut for cut in cuts if cut.apart or cut.value or not _is_name_alone(passage.text[cut.begin : cut.end], lab)
    )


def _near(passage: Passage, cuts: Sequence[_Cut]) -> range | None:
    """Where definitions stand together; None where there is none."""
    said = [cut for cut in cuts if _says_something(passage, cut)]
    return range(min(cut.start for cut in said) - _NEAR, max(cut.end for cut in said) + _NEAR) if said else None


def _of_comments(passage: Passage, lab: Lab) -> list[_Cut]:
    """The comments above, or below, the arguments that they define; where both may be meant, those that are about more
    of them."""
    above, below = commented_above(passage, lab.parameters), commented_below(passage, lab.parameters)
    chosen = above or below
    if above and below:
        own_above, own_below = (
            sum(about(passage.text[one.begin : one.end], lab) == one.parameter for one in found)
            for found in (above, below)
        )
        chosen = above if own_above > own_below else below if own_below > own_above else []
    return [_Cut(one.parameter, one.start, one.begin, one.end, one.value, written=one.written) for one in chosen]


def _of_tables(passage: Passage, lab: Lab) -> Iterator[_Cut]:
    """The definitions in tables that give each parameter a column, or that name parameters by their values alone."""
    for is_row, group in groupby(enumerate(passage.blocks), key=lambda one: bool(one[1].cells)):
        rows = [number for number, _ in group] if is_row else []
        yield from _by_column(passage, rows, lab) or _by_value(passage, rows, lab)


def _by_column(passage: Passage, rows: Sequence[int], lab: Lab) -> list[_Cut]:
    """All that stands below the names in the head of a table, without the row of values."""
    head, *below = [_cells(passage, number) for number in rows] or [[]]
    named = {
        column: parameter
        for parameter in lab.parameters
        for column, (_, text) in enumerate(head)
        if re.fullmatch("|".join(map(spelled, parameter.names)), text.strip(" `*:"), re.IGNORECASE)
    }
    cuts = []
    for column, parameter in named.items():
        cells = [row[column] for row in below if column < len(row)]
        words = [(at, at + len(text)) for at, text in cells if text.strip() and not _is_value(text, parameter)]
        stated = next((text for _, text in cells if _is_value(text, parameter)), None)
        if words:
            cuts.append(_Cut(parameter.id, words[0][0], words[0][0], words[-1][1], stated, pieces=tuple(words)))
    return cuts if len(cuts) >= _FEWEST_IN_TABLE else []


def _by_value(passage: Passage, rows: Sequence[int], lab: Lab) -> list[_Cut]:
    """What stands beside the values of parameters, where each has a row."""
    cuts = []
    for number in rows:
        cells = _cells(passage, number)
        known = [(one, text) for one in lab.parameters for _, text in cells if _is_value(text, one)]
        words = [(at, text) for at, text in cells if len(text.split()) >= _FEWEST_WORDS]
        if len(known) == 1 and len(words) == 1:
            (parameter, value), (at, text) = known[0], words[0]
            cuts.append(_Cut(parameter.id, passage.offset_of(number), at, at + len(text), value))
    is_each = len({cut.parameter for cut in cuts}) == len(cuts)
    return cuts if is_each and len(cuts) >= _FEWEST_IN_TABLE else []


def _cells(passage: Passage, number: int) -> list[tuple[int, str]]:
    """The cells of a row with their offsets in the passage."""
    start = passage.offset_of(number)
    line = passage.text[start:].partition("\n")[0]
    found, at = [], 0
    for cell in (normalise(one).text for one in passage.blocks[number].cells):
        place = line.find(cell, at)
        if place < 0:
            return []
        found.append((start + place, cell))
        at = place + len(cell)
    return found


def _is_value(text: str, parameter: Parameter) -> bool:
    """Whether a cell holds a parameter's value and nothing else."""
    written = (re.sub(r"[\s\"'`*\[\]]", "", one).lower() for one in (text, parameter.value, *parameter.spellings))
    return next(written) in written


def _says_something(passage: Passage, cut: _Cut) -> bool:
    return any(len(word) > 1 for word in re.findall(r"[^\W\d_]+", passage.text[cut.begin : cut.end]))


def _is_name_alone(text: str, lab: Lab) -> bool:
    """Whether hardly more than the name of a parameter stands there: what is said of it stands elsewhere."""
    names = "|".join(spelled(name) for one in lab.parameters for name in one.names)
    return len(re.findall(r"[^\W\d_]{2,}", re.sub(rf"(?<!\w)(?:{names})(?!\w)", " ", text))) < _FEWEST_BESIDE


def _places_of(cuts: Iterable[_Cut]) -> list[tuple[int, int]]:
    return [(cut.start, cut.end) for cut in cuts]


def _of_opening(passage: Passage, opening: Opening, lab: Lab, *, is_whole: bool) -> Iterator[_Cut]:
    """The definition that a line opens; two, where it goes on to define another parameter. All that leads on to the
    next such line `is_whole`; what stands behind the last may be about something else."""
    whole = _Cut(opening.parameter, opening.start, opening.begin, opening.end, opening.value, written=opening.written)
    text = passage.text[whole.begin : whole.end]
    if (lines := wrapped_cell(passage, opening.start)) is not None:
        pieces = (*lines[0], (whole.begin, whole.end), *lines[1])
        yield whole._replace(start=pieces[0][0] if lines[0] else whole.start, end=pieces[-1][1], pieces=pieces)
        return
    if _SETTING.match(text) or _is_code(passage.text[opening.start : opening.begin], text):
        yield whole._replace(end=whole.begin)
        return
    if pair := named_together(passage.text[whole.start : whole.end], lab):
        yield from (_placed(part, whole.start) for part in pair)
        return
    further = [part for part in parts(text, lab, begun=True) if part.parameter != opening.parameter]
    first = min((part.start for part in further), default=None)
    if not is_whole:
        whole = whole._replace(end=own_end(passage.text, whole.begin, whole.end, whole.parameter, lab))
    if first is None or len(text[:first].split()) < _FEWEST_WORDS or not _are_their_own(further, text, lab):
        yield whole
        return
    yield whole._replace(end=whole.begin + first)
    yield from (_placed(part, whole.begin) for part in further)


def _is_code(opening: str, text: str) -> bool:
    """Whether a line is nothing but a setting in code, `bias="none")`: what stands below it is no definition of it."""
    is_setting = "=" in opening and opening.rstrip().endswith((",", ")")) and opening.count("(") < opening.count(")")
    return is_setting and not text.partition("\n")[0].strip()


def _are_their_own(further: Iterable[Part], text: str, lab: Lab) -> bool:
    """A definition is only cut where what is behind the cut is about the parameter that is named there."""
    return any(part.leads for part in further) or any(
        about(text[part.begin : part.end], lab) == part.parameter for part in further
    )


def _together(passage: Passage, start: int, end: int, lab: Lab) -> Iterator[_Cut]:
    """The definitions in brackets behind a name, those of two parameters that are named together, and values."""
    text = passage.text[start:end]
    found = [_placed(part, start) for part in parts(text, lab) if part.apart]
    yield from found
    for part in valued(text, lab):
        if all(not one.start <= part.start + start < one.end for one in found):
            yield _placed(part, start)


def _placed(part: Part, offset: int) -> _Cut:
    return _Cut(
        part.parameter,
        part.start + offset,
        part.begin + offset,
        part.end + offset,
        part.value,
        apart=part.apart,
        written=part.written,
    )


def _left(passage: Passage, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The paragraphs and list items of a passage without what is taken."""
    waiting = sorted(taken, reverse=True)
    for start, end in _paragraphs(passage):
        begin = start
        while waiting and waiting[-1][0] < end:
            taken_start, taken_end = waiting[-1]
            if passage.text[begin:taken_start].strip():
                yield begin, taken_start
            begin = max(begin, taken_end)
            if taken_end > end:
                break
            waiting.pop()
        if passage.text[begin:end].strip():
            yield begin, end


def _paragraphs(passage: Passage) -> Iterator[tuple[int, int]]:
    """Start and end of each list item and of each run of lines that follow each other."""
    start: int | None = None
    for index, block in enumerate(passage.blocks):
        if start is None and block.kind in _PROSE and not opens_another(passage, index):
            start = passage.offset_of(index)
        following = passage.blocks[index + 1] if index + 1 < len(passage.blocks) else None
        if start is not None and (following is None or not wraps(passage.blocks, index + 1)):
            yield start, passage.offset_of(index + 1) - 1 if following is not None else len(passage.text)
            start = None


def _claim(passage: Passage, cut: _Cut, lab: Lab) -> DefinitionClaim:
    pieces = cut.pieces or ((cut.begin, cut.end),)
    words = " ".join(_COMMENT_SIGN.sub("\n", passage.text[one:two]) for one, two in pieces)
    text = _joined(_renamed(words[:_LONGEST], cut))
    asked = next(one for one in lab.parameters if one.id == cut.parameter)
    stated = None if cut.value else _stated(text, asked)
    text = without_name(text, asked)
    value = cut.value or stated
    if not _says_something(passage, cut):
        text, value = "", value or (text if re.fullmatch(VALUE, text) else None)
    return DefinitionClaim(
        parameter=cut.parameter,
        text=text,
        value=value.strip(" \"'") if value else None,
        evidence=passage.evidence(cut.start, max(cut.start + 1, cut.end)),
        in_text=stated is not None,
        named=cut.named,
        apart=cut.apart,
    )


def _renamed(text: str, cut: _Cut) -> str:
    """A text in which the parameter's name, where it was written in several words, is as in code again: `weight decay`
    says nothing of a decay, but is a name."""
    if " " not in cut.written.strip():
        return text
    return re.sub(rf"(?<!\w){re.escape(cut.written.strip())}(?!\w)", cut.parameter, text)


def _stated(text: str, parameter: Parameter) -> str | None:
    """The value that a definition's own words state. What something is set to 0 is never the parameter."""
    nouns = "|".join(re.escape(word) for word in parameter.names if word.replace(" ", "").isalpha())
    setting = (
        r"set (?:it |this |here )*(?:to|at)|we (?:use|set|take|chose|choose)|equals?(?: to)?|fixé à|vaut"
        rf"|on (?:utilise|prend)|(?:{nouns}) (?:of|de|=)"
    )
    pattern = (
        rf"(?:(?<!\w)(?:{setting})\s*:?\s*(?:(?:a|un|une) \w+ (?:of|de) )?)(?P<value>{_NUMBER}|\"[^\"]+\")"
        rf"|\(=?\s*(?P<inside>{_NUMBER})\)|^(?P<first>{_NUMBER})(?=[.;,:]\s|$)"
    )
    matches = re.finditer(pattern, text, re.IGNORECASE)
    found = (match["value"] or match["inside"] or match["first"] for match in matches)
    return next((value for value in found if value.strip("% ") not in ("0", "0.0")), None)


def _joined(text: str) -> str:
    return _NUMBERED.sub("", _STOP.sub("", " ".join(text.split()))).lstrip(" :-|,=→>#").rstrip(" :-|,=→")
