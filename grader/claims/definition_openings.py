"""Find the openings of definitions, which begin with a parameter's name.

Examples are `momentum = 0.9: …`, `- r (16): …`, `| bias | none | … |`, `r=16, # …`, a heading `r`, and a column of a
table.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import count, groupby, pairwise
from math import inf
from typing import Final, NamedTuple

from grader.claims.passage import Passage, follows, is_within, normalise
from grader.frozen import memoise
from grader.lab.definition import Parameter
from grader.language import lexicon
from grader.reading.document import Block, BlockKind, Voice

MARK_SIGNS = r"\s#•·*\-–+◦‣|>"
MARK = rf"^[{MARK_SIGNS}]*(?:\.{{3}}\s+)?(?:\\item\b\s*\[?)?(?:\(?(?:\d{{1,2}}|[a-z])[.)]\s+)?[\"'(]*"
VALUE = r"\[[^\]\n]*\]|\"[^\"\n]*\"|'[^'\n]*'|\d+(?:[.,]\d+)?(?:e[-+]?\d+|\s?%)?(?!\w)|\.\d+|\.{3}|[A-Za-z_]\w*"
_TYPE = r"(?:\s*\((?:type\s*:\s*)?(?:int|float|str|bool|list|union|optional)[^)\n]*\)+)?"
_OTHER_PARAMETER = re.compile(
    MARK + r"[a-z]+(?:_[a-z]+)+\b\s*" + _TYPE + r"\s*(?:[=(]|:(?!\s*\((?-i:[a-z_]+)\)))", re.IGNORECASE
)
"""A name in brackets after a colon is the parameter's, and the text before it is the value."""
AFTER_NAME = r"\s*(?:[:=\-→,|)(]|$|<defines>)"
_QUESTION = r"<question_label|asked_short>\s?\d{1,2}[\s.:)–-]+"
_LONGEST_NAME = 200
_STRING = re.compile(r"""["']?\]?\s*[:=]\s*\(?[rfb]?(?P<sign>\"{3}|'{3}|["'])(?P<words>.+?)(?P=sign)""")
_COMMENT = re.compile(r"\s*,?\s*#+\s*(?P<words>\S.*)$")
_WHOLE_COMMENT = re.compile(r"\s*(?:\.{3}\s*)?#+\s*(?P<words>[^\W\d_].*|\d.*)")
_SETTING = re.compile(r"[\s,;)]*\w+\s?=\s?[\[\"'\w.]|[\s,;]*\)|[ \t]*[,)]+[ \t]*(?:\n|$)")
"""In code, another argument follows."""
MIDST_OF_SETTINGS = re.compile(rf"\w\s?=\s?(?:(?:{VALUE})(?:\s*,|,?\s+(?:and|et)))?$")
_PROSE = re.compile(r"(?=.{40})(?:[^\s=]+ ){6}[^=]*[^\W\d_]\s*$")
"""A long line of words that ends within a sentence."""
_FEWEST_WORDS = 3
_FEWEST_TOGETHER = 3
"""The fewest names that make the head of a table."""

Places = tuple[tuple[int, int], ...]


class Opening(NamedTuple):
    """A definition in a passage, from `start` to `end`. Its words stand at `places`; there are none if only a `value`
    follows the name."""

    parameter: str
    start: int
    end: int
    value: str | None
    places: Places


def find_openings(passage: Passage, parameters: Sequence[Parameter]) -> Iterator[Opening]:
    """Yield the definitions that blocks open, those in table columns, and the comments above settings."""
    apart = [*_columns(passage, parameters), *_below_comments(passage, parameters)]
    yield from apart
    starts: dict[int, Opening] = {}
    listed = frozenset(_listed_by_layout(passage, parameters))
    for index in range(len(passage.blocks)):
        is_apart = is_within(passage.offset_of(index), ((candidate.start, candidate.end) for candidate in apart))
        found = None if is_apart else _opened(passage, index, parameters, is_listed=index in listed)
        if found and not _is_in_sentence(passage, index, found, starts):
            starts[index] = found
    for index, opening in starts.items():
        ended = _ended(passage, index, opening, starts)
        text = " ".join(passage.text[begin:end] for begin, end in ended.places)
        if re.search(r"[^\W\d_]{2}", text):
            yield ended
        elif passage.blocks[index].kind is not BlockKind.HEADING:
            text = text.strip(" :-|,=→>#")
            value = ended.value or (text if re.fullmatch(VALUE, text) else None)
            yield ended._replace(
                end=max((begin for begin, _ in ended.places), default=ended.end), value=value, places=()
            )


def _listed_by_layout(passage: Passage, parameters: Sequence[Parameter]) -> Iterator[int]:
    """Yield the lines of lists without bullets.

    In consecutive lines, several begin with the names of different parameters, and they are at least half of the lines
    from the first to the last.
    """
    is_line = [block.kind is BlockKind.LINE and bool(block.text.strip()) for block in passage.blocks]
    for _, group in groupby(range(len(is_line)), key=is_line.__getitem__):
        first: dict[str, int] = {}
        for index in filter(is_line.__getitem__, group):
            line = normalise(passage.blocks[index].text[:_LONGEST_NAME]).text
            named = (parameter.id for parameter in parameters if _pattern(parameter).match(line))
            first.setdefault(next(named, ""), index)
        first.pop("", None)
        places = sorted(first.values())
        if len(places) >= _FEWEST_TOGETHER and 2 * len(places) > places[-1] - places[0]:
            yield from places


def spelling_pattern(name: str) -> str:
    """Return a pattern for a name whose underscores a PDF may have replaced by spaces."""
    return re.escape(name).replace("_", r"[_ ]\s?")


@lru_cache
def _pattern(parameter: Parameter) -> re.Pattern[str]:
    """Return a pattern for the beginning of a line that names a parameter.

    For example, `weight_decay = 0.01:`, `Rank (r=16):`, `r (int):`, `alpha is`, `decay 0.01: `.
    """
    names = "|".join(spelling_pattern(name) for name in parameter.names)
    value = rf"{spelling_pattern(parameter.value)}|{VALUE}"
    bare = rf"(?=(?:{spelling_pattern(parameter.value)}|\d[\d.,]*|[\"'\[][^:\n]{{1,60}})\s?[:=]\s)"
    here = "|".join(word for word in lexicon.words("in_our_setup") if word.replace(" ", "").isalpha())
    sign = rf"(?:=|:=?|\||\((?!type)(?:(?:{here})\s+)?(?:=|[^\W\d]\w*\s?[:=])?|{bare})"
    after = rf"{_TYPE}\s*(?:{sign}\s*(?P<value>{value})\s*\)?)?\s*(?:[)\]]|\|)?"
    article = rf"(?P<article>(?:{'|'.join(lexicon.words('the'))})\s)"
    title = rf"(?:(?:[A-Za-z-]+ ){{0,3}}|[^\W\d_]\s*=\s*(?:{VALUE})\s*)\("
    return re.compile(rf"{MARK}(?:{article}|{title})?(?P<name>{names})(?![\w]){after}", re.IGNORECASE)


def _opened(passage: Passage, index: int, parameters: Sequence[Parameter], *, is_listed: bool) -> Opening | None:
    """Return the definition that a block opens, alone or as a line of a list (`is_listed`), or None."""
    block, start = passage.blocks[index], passage.offset_of(index)
    line = passage.text[start:].partition("\n")[0]
    if block.kind is BlockKind.ROW and re.search(r"[|\t]", line.strip(" |")):
        return _of_row(parameters, start, line)
    for parameter in parameters:
        match = _pattern(parameter).match(line)
        if match and block.kind is BlockKind.CODE:
            return _commented(parameter, start, line, match)
        if match and (is_listed or (not match["article"] and _is_name(line, match, block.text))):
            is_title = block.kind is BlockKind.HEADING
            return None if is_title and line[match.end() :].strip(" :.*") else _of_line(parameter, start, line, match)
    return None


def _is_name(line: str, match: re.Match[str], written: str) -> bool:
    """Whether a value, a sign, a verb, a sentence or a wide gap follows a name, so that it is no ordinary word.

    `written` is the line before normalisation.
    """
    rest = line[match.end() :]
    return bool(
        match["value"]
        or lexicon.match(AFTER_NAME, rest)
        or re.match(rf"\W*{re.escape(match['name'])}(?: {{2,}}|\t)", written, re.IGNORECASE)  # a column of plain text
        or match.group().rstrip().endswith(("|", ")"))
        or re.match(r"\s*[A-ZÀ-Ý]", rest)
    )


def _of_line(parameter: Parameter, start: int, line: str, match: re.Match[str]) -> Opening:
    """Return the opening in a line. After `name:`, the definition may follow directly: `bias: none of them`."""
    value, begin = match["value"], match.end()
    if value and is_prose(line, match, parameter):
        value, begin = None, match.start("value")
    return Opening(parameter.id, start, start + len(line), value, ((start + begin, start + len(line)),))


def is_prose(line: str, match: re.Match[str], parameter: Parameter) -> bool:
    """Whether a possible value is the first word of the definition.

    The lab's own value after an equals sign, `bias=none means …`, and quoted values are values. If the lab's value is a
    number, no word is a value: `r (rank): …`.
    """
    value, is_colon = match["value"], line[: match.start("value")].rstrip().endswith(":")
    goes_on = bool(re.match(r"\s+[^\W\d]", line[match.end("value") :]))
    if not value.replace(" ", "").isidentifier() or re.fullmatch(
        spelling_pattern(parameter.value), value, re.IGNORECASE
    ):
        return value[0].isalnum() and goes_on and is_colon
    return parameter.value[0].isdigit() or goes_on or is_colon


def _commented(parameter: Parameter, start: int, line: str, match: re.Match[str]) -> Opening | None:
    """Return the opening in code: a comment after the argument, or a string of words assigned to the name; or None."""
    words = _STRING.match(line, match.end("name"))
    is_said = words and len(words["words"].split()) >= _FEWEST_WORDS
    found = words if is_said else _COMMENT.match(line, match.end()) if match["value"] else None
    if found is None:
        return None
    value = None if is_said else match["value"]
    return Opening(
        parameter.id, start, start + len(line), value, ((start + found.start("words"), start + found.end("words")),)
    )


def settings(passage: Passage, parameters: Sequence[Parameter]) -> Iterator[Opening]:
    """Yield the lines that only give a parameter its value, as in a call over several lines.

    A comment above or below may define the parameter.
    """
    return (opening for index in range(len(passage.blocks)) if (opening := _setting(passage, index, parameters)))


def _setting(passage: Passage, index: int, parameters: Sequence[Parameter]) -> Opening | None:
    start = passage.offset_of(index)
    line = passage.text[start:].partition("\n")[0]
    for parameter in parameters if passage.blocks[index].kind in (BlockKind.CODE, BlockKind.LINE) else ():
        match = _pattern(parameter).match(line)
        if match and match["value"] and "=" in match.group() and not line[match.end() :].strip(" ,)"):
            return Opening(parameter.id, start, start + len(line), match["value"], ())
    return None


def _below_comments(passage: Passage, parameters: Sequence[Parameter]) -> Iterator[Opening]:
    """Yield the settings in code whose comments stand above them. A setting without a comment has only a value."""
    for stretch in _commented_settings(passage, parameters):
        found = [
            second if first.parameter else second._replace(start=first.start, places=first.places)
            for first, second in pairwise(stretch)
            if second.parameter
        ]
        is_commented = len([opening for opening in found if opening.places]) >= _FEWEST_TOGETHER
        if is_commented and stretch[-1].parameter and not stretch[0].parameter:
            yield from found


def _commented_settings(passage: Passage, parameters: Sequence[Parameter]) -> Iterator[list[Opening]]:
    """Yield the parts of a passage with only settings and comments. A comment is an opening without a parameter."""
    stretch: list[Opening] = []
    for index, block in enumerate(passage.blocks):
        is_comment = block.kind in (BlockKind.CODE, BlockKind.LINE) and _WHOLE_COMMENT.match(block.text)
        is_below_comment = bool(stretch) and not stretch[-1].parameter
        if setting := _setting(passage, index, parameters):
            stretch.append(setting)
        elif is_comment or (is_below_comment and wraps(passage.blocks, index)):
            start = stretch.pop().start if is_below_comment else passage.offset_of(index)
            end = passage.end_of(index)
            stretch.append(Opening("", start, end, None, ((start, end),)))
        elif block.text.strip():
            yield stretch
            stretch = []
    yield stretch


def _of_row(parameters: Sequence[Parameter], start: int, line: str) -> Opening | None:
    """Return the opening in a table row, or None.

    One cell names the parameter, and the longest other cell defines it. A number before the name may be that of the
    row. A row with several names is the head of a table.
    """
    cells = [(match.start(), match.group()) for match in re.finditer(r"[^|\t\s](?:[^|\t]*[^|\t\s])?", line)]
    named = [
        (parameter, place, match)
        for parameter in parameters
        for place, cell in cells
        if ((match := _pattern(parameter).match(name := _unbroken(cell))) and not name[match.end() :].strip(" .:,"))
        or get_close_matches(
            name.lower(),
            [candidate for candidate in parameter.names if len(candidate) >= _SHORTEST_MISSPELT],
            1,
            _ALIKE,
        )
    ]
    if len({parameter.id for parameter, _, _ in named}) != 1:
        return None
    parameter, place, match = named[0]
    rivals = [name for candidate in parameters if candidate != parameter for name in candidate.names]
    if re.match(rf"(?:{'|'.join(map(spelling_pattern, rivals)) or '(?!)'})\s*[,&]", dict(cells)[place], re.IGNORECASE):
        return None  # `r, alpha`: the row is about both
    others = [cell for cell in cells if cell[0] != place and not lexicon.fullmatch(_QUESTION, f"{cell[1]} ")]
    if not others:
        return None
    values = [cell for at, cell in others if re.fullmatch(VALUE, cell) and (at > place or is_value(cell, parameter))]
    # If there are several values, or the value must be a number, ordinary words are not values.
    if len(values) > 1 or parameter.value[0].isdigit():
        words = [candidate for candidate in values if not candidate.isalpha() or is_value(candidate, parameter)]
        values = words if parameter.value[0].isdigit() else words or values
    at, text = max(others, key=lambda cell: (cell[1] not in values, len(cell[1].split()), cell[0] > place))
    places = () if text in values else ((start + at, start + at + len(text)),)
    value = match["value"] if match else None
    return Opening(parameter.id, start, start + len(line), value or next(iter(values), None), places)


_SHORTEST_MISSPELT: Final = 4
_ALIKE: Final = 0.85
"""The least similarity of a name and a misspelt or translated one: `biais`, `target_moduls`."""


def _unbroken(cell: str) -> str:
    """Return the name in a cell without a question's label before it and without a hyphen from a narrow cell: `Q2 tar-
    get_modules`."""
    label = lexicon.match(_QUESTION, cell)
    return cell[label.end() if label else 0 :].replace("- ", "")


def _columns(passage: Passage, parameters: Sequence[Parameter]) -> Iterator[Opening]:
    """Yield the definitions in tables with rows of names. Each has the cells below its name, without the row of
    values."""
    for is_row, group in groupby(range(len(passage.blocks)), key=lambda number: bool(passage.blocks[number].cells)):
        table = [cells_of(passage, number) for number in group] if is_row else []
        named = [[_named(name, parameters) for _, name in row] for row in table]
        heads = [at for at, names in enumerate(named) if len([*filter(None, names)]) >= _FEWEST_TOGETHER]
        for head, end in pairwise([*heads, len(table)]):
            _, *rows = table[head:end]
            for column, parameter in enumerate(named[head]):
                below = [cell for row in rows for cell in row[column:][:1] if cell[1].strip()]
                words = [(at, at + len(text)) for at, text in below if not (parameter and is_value(text, parameter))]
                if words and parameter:
                    value = next((text for _, text in below if is_value(text, parameter)), None)
                    yield Opening(parameter.id, words[0][0], words[-1][1], value, tuple(words))


def _named(cell: str, parameters: Sequence[Parameter]) -> Parameter | None:
    """Return the parameter whose name is the only content of a cell, or None."""
    name = cell.strip(" `*:")
    return next(
        (p for p in parameters if any(re.fullmatch(spelling_pattern(n), name, re.IGNORECASE) for n in p.names)), None
    )


def cells_of(passage: Passage, number: int) -> list[tuple[int, str]]:
    """Return the cells of a row with their offsets in the passage."""
    start = passage.offset_of(number)
    line = passage.text[start:].partition("\n")[0]
    found, at = [], 0
    for cell in (normalise(candidate).text for candidate in passage.blocks[number].cells):
        place = line.find(cell, at)
        if place < 0:
            return []
        found.append((start + place, cell))
        at = place + len(cell)
    return found


def is_value(text: str, parameter: Parameter) -> bool:
    """Whether a cell contains only a parameter's value."""
    written = (
        re.sub(r"[\s\"'`*\[\]]", "", spelling).lower() for spelling in (text, parameter.value, *parameter.spellings)
    )
    return next(written) in written


def _is_in_sentence(passage: Passage, index: int, found: Opening, starts: dict[int, Opening]) -> bool:
    """Whether a line of running text begins with a name by chance.

    It continues a definition, `… the larger` / `r is, …`, or a list of settings, `… lora_dropout=0.05, and` /
    `bias="none". In words, …`.
    """
    blocks, before = passage.blocks, max(starts, default=None)
    if blocks[index].kind is not BlockKind.LINE or _WHOLE_COMMENT.match(blocks[index].text):
        return False
    behind = passage.text[found.places[0][0] : found.end]
    if found.value is not None:
        if _goes_on_setting(blocks, index):
            last = passage.text[found.places[0][0] - 1].replace('"', "")
            return bool(re.match(r"\s*(?:\)|\.\s)", last + behind))
        match _with_block_above(blocks, index):
            case [Block(kind=BlockKind.LINE, text=above), _] if before != index - 1 and _PROSE.match(above):
                return re.match(r"\s*[^\W\d_]{2}", behind) is not None
        return False
    if before is None or not all(wraps(blocks, at) for at in range(before + 1, index + 1)):
        return False
    is_sign = behind.lstrip()[:1] in (":", "=", "-", "→", "|", "(")
    return not is_sign if starts[before].parameter == found.parameter else not behind.strip()


def _goes_on_setting(blocks: Sequence[Block], index: int) -> bool:
    """Whether the line before ends within settings."""
    match _with_block_above(blocks, index):
        case [Block(kind=BlockKind.LINE, text=above), Block(kind=BlockKind.LINE)]:
            return MIDST_OF_SETTINGS.search(normalise(above).text.rstrip()) is not None
    return False


def _with_block_above(blocks: Sequence[Block], index: int) -> Sequence[Block]:
    """Return a block preceded by the one above it, or nothing for the first block."""
    return blocks[index - 1 : index + 1] if index else ()


@memoise
def with_words_of_code(passage: Passage) -> Passage:
    """Return a passage whose comments, and lines within long strings, are text. Printed output, which defines nothing,
    is left out."""
    passage = passage.of_blocks([block for block in passage.blocks if block.voice is not Voice.FIGURES])
    kinds, is_open = [], False
    for block in passage.blocks:
        quotes = sum(map(block.text.count, ('"""', "'''"))) if block.kind is BlockKind.CODE else 0
        is_words = is_open or bool(_WHOLE_COMMENT.fullmatch(block.text))
        is_open = is_open != bool(quotes % 2)
        kinds.append(BlockKind.LINE if block.kind is BlockKind.CODE and is_words and not quotes else block.kind)
    if kinds == [block.kind for block in passage.blocks]:
        return passage
    changed = (block.model_copy(update={"kind": kind}) for kind, block in zip(kinds, passage.blocks, strict=True))
    return passage.model_copy(update={"blocks": tuple(changed)})


_WIDER: Final = 1.3
"""A line that begins a paragraph is further from the line above than its neighbours are, by this factor."""
_SENTENCE_ENDS: Final = (".", "!", "?", ":", ";")


def wraps(blocks: Sequence[Block], index: int) -> bool:
    """Whether a line continues the line before it."""
    match _with_block_above(blocks, index):
        case [above, Block(kind=BlockKind.LINE) as line] if line.text.strip() and follows(above, line):
            is_new = above.text.rstrip().endswith(_SENTENCE_ENDS) and _stands_apart(blocks, index)
            return not is_new and not opens_another(blocks, index)
    return False


def _stands_apart(blocks: Sequence[Block], index: int) -> bool:
    """Whether a line is further from the line above it than the lines around it."""
    before, pitch, behind = (_pitch(blocks, at) for at in range(index - 1, index + 2))
    return pitch > _WIDER * min(filter(None, (before, behind)), default=inf)


def _pitch(blocks: Sequence[Block], index: int) -> float:
    """Return the distance between a line and the line above it on the page, in points, or 0 if it is unknown."""
    match _with_block_above(blocks, index):
        case [
            Block(kind=BlockKind.LINE | BlockKind.LIST_ITEM, box=(_, above, _, _), page=page),
            Block(kind=BlockKind.LINE, box=(_, below, _, _)) as line,
        ] if line.page == page:
            return max(below - above, 0.0)
    return 0.0


def opens_another(blocks: Sequence[Block], index: int) -> bool:
    """Whether a block opens the definition of a parameter that was not asked for."""
    is_other = bool(_OTHER_PARAMETER.match(normalise(blocks[index].text[:_LONGEST_NAME]).text))
    return is_other and not _goes_on_setting(blocks, index)


def _ended(passage: Passage, index: int, opening: Opening, starts: dict[int, Opening]) -> Opening:
    """Return the opening with the end of its definition.

    It extends over wrapped lines; below a name alone, over the text after it; below a row, over lines that introduce
    the next definition.
    """
    blocks, block, after = passage.blocks, passage.blocks[index], index + 1
    if block.kind is BlockKind.ROW:
        behind = _behind_wrapped(blocks, after, starts)
        if behind not in starts or behind - after not in _LINES_BELOW_ROW:
            return opening
        below = passage.offset_of(after), passage.end_of(behind - 1)
        return opening._replace(end=below[1], places=(*opening.places, below))
    if block.kind is BlockKind.CODE:
        return opening
    ((begin, end),) = opening.places
    if not passage.text[begin:end].strip(" :.|)*"):
        kinds = _BELOW.get(block.kind, ())
        for number, below_name in enumerate(blocks[after:]):
            if after in starts or below_name.kind not in kinds or (number and opens_another(blocks, after)):
                break
            after += 1
    end = passage.end_of(_behind_wrapped(blocks, after, starts) - 1)
    if _SETTING.match(passage.text[begin:end]):
        return opening._replace(end=begin, places=())
    return opening._replace(end=end, places=((begin, end),))


def _behind_wrapped(blocks: Sequence[Block], index: int, starts: Mapping[int, Opening]) -> int:
    """Return the index after the lines that continue the text above them, up to the next definition."""
    return next(at for at in count(index) if at in starts or not wraps(blocks, at))


_LINES_BELOW_ROW: Final = range(1, 4)
_BELOW: Final = {
    BlockKind.HEADING: (BlockKind.LINE, BlockKind.LIST_ITEM),
    BlockKind.LIST_ITEM: (BlockKind.LIST_ITEM,),
}
"""The blocks that may define a parameter below its name alone."""
