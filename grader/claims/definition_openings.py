"""Lines that open a parameter's definition by naming it: `momentum = 0.9: …`, `- r (16): …`, `| bias | none | … |`,
`r=16,  # …`, a heading `r`."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from grader.claims.passage import Passage, normalise
from grader.frozen import remembered
from grader.lab.definition import Parameter
from grader.reading.document import Block, BlockKind

MARK_SIGNS = r"\s#•·*\-–+◦‣|>"
MARK = rf"^[{MARK_SIGNS}]*(?:\.{{3}}\s+)?(?:\\item\b\s*\[?)?(?:\(?(?:\d{{1,2}}|[a-z])[.)]\s+)?[\"'(]*"
VALUE = r"\[[^\]\n]*\]|\"[^\"\n]*\"|'[^'\n]*'|\d+(?:[.,]\d+)?(?:e[-+]?\d+|\s?%)?(?!\w)|\.\d+|[A-Za-z_]\w*"
_TYPE = r"(?:\s*\((?:type\s*:\s*)?(?:int|float|str|bool|list|union|optional)[^)\n]*\)+)?"
_OTHER_PARAMETER = re.compile(MARK + r"[a-z]+(?:_[a-z]+)+\b\s*" + _TYPE + r"\s*[=:(]", re.IGNORECASE)
AFTER_NAME = re.compile(
    r"\s*(?:[:=\-→,|)(]|$|(?:is|are|est|sont|gives?|sets?|tells?|controls?|defines?|specif(?:y|ies)|represents?"
    r"|determines?|indicates?|scales?|decides?|selects?|says?|means?|names?|lists?|corresponds?|refers?|denotes?|stands?"
    r"|restricts?|leaves?|fix(?:es)?|multipl(?:y|ies)|applies|chooses?|allows?|lets?|permits?|adjusts?|governs?|helps?"
    r"|serves?|sert|permet|désigne|indique|définit|représente|contrôle|détermine|fixe|correspond|précise|spécifie"
    r"|donne|règle|multiplie)\b)",
    re.IGNORECASE,
)
_LONGEST_NAME = 200
_STRING = re.compile(r"""["']?\]?\s*[:=]\s*\(?[rfb]?(?P<sign>\"{3}|'{3}|["'])(?P<words>.+?)(?P=sign)""")
_FEWEST_WORDS = 3
_TITLE = re.compile(r"\s*\.\s+(?=[A-ZÀ-Ý])|(?<=\s)(?!and\b|et\b)(?=[^\W\d_])")
_FEWEST_LED = 3
_COMMENT = re.compile(r"\s*,?\s*#+\s*(?P<comment>\S.*)$")


_MIDST_OF_SETTINGS = re.compile(rf"\w\s?=\s?(?:(?:{VALUE})(?:\s*,|,?\s+(?:and|et)))?$")


class Opening(NamedTuple):
    """A definition in a passage: it opens at `start`, its words stand from `begin` to `end`, and `value` stands with
    its name, which is `written` so."""

    parameter: str
    start: int
    begin: int
    end: int
    value: str | None
    written: str


def opened(passage: Passage, parameters: Sequence[Parameter]) -> Iterator[Opening]:
    """The definitions that blocks open, each up to the next."""
    starts: dict[int, Opening] = {}
    for index in range(len(passage.blocks)):
        found = _opened(passage, index, parameters)
        if found and not (
            _goes_on(passage, index, found, starts)
            or _ends_settings(passage, index, found)
            or _is_in_sentence(passage, index, found, starts)
        ):
            starts[index] = found
    led = {
        index: found
        for index in range(len(passage.blocks))
        if index not in starts and (found := _led(passage, index, parameters))
    }
    if len({one.parameter for one in led.values()}) >= _FEWEST_LED:
        starts |= led
    for index, opening in starts.items():
        ended = _ended(passage, index, opening, starts)
        if passage.blocks[index].kind is not BlockKind.HEADING or passage.text[ended.begin : ended.end].strip():
            yield ended


def _is_in_sentence(passage: Passage, index: int, found: Opening, starts: dict[int, Opening]) -> bool:
    """Whether a line of running text begins with a setting by chance: `… before adding it, so` / `alpha=32 makes …`."""
    if index == 0 or index - 1 in starts or found.value is None or _begins_paragraph(passage.blocks, index):
        return False
    before = passage.blocks[index - 1].text.rstrip()
    goes_on = re.match(r"\s*[^\W\d_]{2}", passage.text[found.begin : found.end])
    return bool(
        passage.blocks[index].kind is passage.blocks[index - 1].kind is BlockKind.LINE
        and len(before) >= _LINE_OF_PROSE
        and goes_on
        and before[-1].isalpha()
        and "=" not in before
        and before.count(" ") >= _FEWEST_SPACES
    )


_LINE_OF_PROSE: Final = 40
_FEWEST_SPACES: Final = 6


def _ends_settings(passage: Passage, index: int, found: Opening) -> bool:
    """Whether a line begins with the last of some settings in running text: `… lora_dropout=0.05, and` /
    `bias="none". In words, …`."""
    behind = passage.text[found.begin : found.end]
    return (
        found.value is not None
        and _goes_on_setting(passage.blocks, index)
        and bool(re.match(r"\s*(?:\)|\.\s)", passage.text[found.begin - 1 : found.begin].replace('"', "") + behind))
    )


def _goes_on_setting(blocks: Sequence[Block], index: int) -> bool:
    """Whether the line before ends in the midst of settings."""
    return (
        index > 0
        and blocks[index].kind is blocks[index - 1].kind is BlockKind.LINE
        and bool(_MIDST_OF_SETTINGS.search(normalise(blocks[index - 1].text).text.rstrip()))
    )


@remembered
def with_words_of_code(passage: Passage) -> Passage:
    """A passage whose comments on lines of their own, and lines within long strings, are text rather than code."""
    kinds, is_open = [], False
    for block in passage.blocks:
        quotes = len(_LONG_STRING.findall(block.text)) if block.kind is BlockKind.CODE else 0
        is_words = is_open or bool(_WHOLE_COMMENT.fullmatch(block.text))
        is_open = is_open != bool(quotes % 2)
        kinds.append(BlockKind.LINE if block.kind is BlockKind.CODE and is_words and not quotes else block.kind)
    if all(kind is block.kind for kind, block in zip(kinds, passage.blocks, strict=True)):
        return passage
    changed = (block.model_copy(update={"kind": kind}) for kind, block in zip(kinds, passage.blocks, strict=True))
    return passage.model_copy(update={"blocks": tuple(changed)})


def _led(passage: Passage, index: int, parameters: Sequence[Parameter]) -> Opening | None:
    """A name that stands as a title before its definition: `bias. It decides …`, or a paragraph `bias which vectors …`.
    A single one may be a sentence of another kind."""
    block, start = passage.blocks[index], passage.offset_of(index)
    line = passage.text[start:].partition("\n")[0]
    is_paragraph = index == 0 or not wraps(passage.blocks, index)
    for parameter in parameters:
        match = _pattern(parameter).match(line) if block.kind is BlockKind.LINE else None
        title = match and _TITLE.match(line, match.end())
        if match and title and (is_paragraph or "." in title.group()):
            return Opening(parameter.id, start, start + title.end(), start + len(line), match["value"], match["name"])
    return None


def _goes_on(passage: Passage, index: int, found: Opening, starts: dict[int, Opening]) -> bool:
    """Whether a name at the beginning of a line stands in the midst of a definition: `… the larger` / `r is, …`."""
    block, before = passage.blocks[index], max(starts, default=None)
    if (
        before is None
        or block.kind is not BlockKind.LINE
        or found.value is not None
        or _WHOLE_COMMENT.match(block.text)
    ):
        return False
    if not all(wraps(passage.blocks, at) for at in range(before + 1, index + 1)):
        return False
    behind = passage.text[found.begin : found.end].lstrip()
    if behind[:1] in (":", "=", "-", "→", "|", "("):
        return False
    return starts[before].parameter == found.parameter or not behind


def spelled(name: str) -> str:
    """A pattern for a name whose underscores a PDF may have turned into spaces."""
    return re.escape(name).replace("_", r"[_ ]\s?")


_WIDER: Final = 1.3
"""How much further than the next line on either side a line stands that begins a paragraph."""
_SENTENCE_ENDS: Final = (".", "!", "?", ":", ";")


def wraps(blocks: Sequence[Block], index: int) -> bool:
    """Whether a line goes on with what stands on the line before."""
    previous, block = blocks[index - 1], blocks[index]
    if block.kind is not BlockKind.LINE or not block.text.strip() or _begins_paragraph(blocks, index):
        return False
    if _OTHER_PARAMETER.match(normalise(block.text).text) and not _goes_on_setting((previous, block), 1):
        return False
    return previous.line is None or block.line is None or block.line == previous.line + 1


def _begins_paragraph(blocks: Sequence[Block], index: int) -> bool:
    """Whether a line on a page stands further from the one before, which ends a sentence, than lines around do."""
    own = _pitch(blocks, index)
    around = [one for at in (index - 1, index + 1) if (one := _pitch(blocks, at)) is not None]
    ends = blocks[index - 1].text.rstrip().endswith(_SENTENCE_ENDS)
    return ends and own is not None and bool(around) and own > _WIDER * min(around)


def _pitch(blocks: Sequence[Block], index: int) -> float | None:
    """How far below the line before a line of the same page stands, in points."""
    if not 0 < index < len(blocks):
        return None
    above, below = blocks[index - 1], blocks[index]
    is_text = below.kind is BlockKind.LINE and above.kind in (BlockKind.LINE, BlockKind.LIST_ITEM)
    if not is_text or above.box is None or below.box is None or above.page != below.page:
        return None
    return below.box[1] - above.box[1] if below.box[1] > above.box[1] else None


def opens_another(passage: Passage, index: int) -> bool:
    """Whether a block opens the definition of a parameter that was not asked for."""
    start = passage.offset_of(index)
    is_other = bool(_OTHER_PARAMETER.match(passage.text[start : start + _LONGEST_NAME]))
    return is_other and not _goes_on_setting(passage.blocks, index)


@lru_cache
def _pattern(parameter: Parameter) -> re.Pattern[str]:
    """A line's beginning that names a parameter: `weight_decay = 0.01:`, `Rank (r=16):`, `r (int):`, `alpha is`."""
    names = "|".join(spelled(name) for name in parameter.names)
    value = rf"{spelled(parameter.value)}|{VALUE}"
    after = (
        rf"{_TYPE}\s*(?:(?:=|:=?|\||\((?!type)(?:=|[^\W\d]\w*\s?[:=])?)\s*(?P<value>{value})\s*\)?)?\s*(?:[)\]]|\|)?"
    )
    title = rf"(?:(?:[A-Za-z-]+ ){{0,3}}|[^\W\d_]\s*=\s*(?:{VALUE})\s*)\("
    return re.compile(rf"{MARK}(?:{title})?(?P<name>{names})(?![\w]){after}", re.IGNORECASE)


def _of_row(parameters: Sequence[Parameter], start: int, line: str) -> Opening | None:
    """In a table row one cell names the parameter, with or without its value; the longest of the others defines it. A
    row that names several parameters is the head of a table."""
    cells = [(match.start(), match.group()) for match in re.finditer(r"[^|\t]*[^|\t\s][^|\t]*", line)]
    named = [
        (parameter, place, match)
        for parameter in parameters
        for place, cell in cells
        if (match := _pattern(parameter).match(cell)) and not cell[match.end() :].strip(" .:,")
    ]
    if len({parameter.id for parameter, _, _ in named}) != 1 or len(cells) < 2:
        return None
    parameter, place, match = named[0]
    others = [(at, cell) for at, cell in cells if at != place]
    values = [cell.strip() for _, cell in others if re.fullmatch(VALUE, cell.strip())]
    if len(values) > 1:  # a word beside the value is what is said
        values = [one for one in values if not one.isalpha() or _is_own(one, parameter)] or values
    at, text = max(others, key=lambda cell: (cell[1].strip() not in values, len(cell[1].split())))
    begin = start + at if text.strip() not in values else start + len(line)
    end = start + at + len(text) if text.strip() not in values else start + len(line)
    return Opening(parameter.id, start, begin, end, match["value"] or (values[0] if values else None), match["name"])


def _is_own(value: str, parameter: Parameter) -> bool:
    return value.casefold() in (one.casefold() for one in (parameter.value, *parameter.spellings))


def _opened(passage: Passage, index: int, parameters: Sequence[Parameter]) -> Opening | None:
    block = passage.blocks[index]
    start = passage.offset_of(index)
    line_end = passage.text.find("\n", start)
    end = line_end if line_end >= 0 else len(passage.text)
    line = passage.text[start:end]
    if block.kind is BlockKind.ROW and re.search(r"[|\t]", line.strip(" |")):
        return _of_row(parameters, start, line)
    for parameter in parameters:
        match = _pattern(parameter).match(line)
        if match is None:
            continue
        if block.kind is BlockKind.CODE:
            return _commented(parameter, start, line, match)
        if not _is_name(line, match):
            continue
        if block.kind is BlockKind.HEADING and line[match.end() :].strip(" :.*"):
            return None
        return _named_again(parameter, _bounded(parameter, start, end, line, match), passage.text)
    return None


def _named_again(parameter: Parameter, opening: Opening, text: str) -> Opening:
    """A line may name its parameter twice, as a label and as in the code: `r: r=16, …`. The name is no part of the
    definition, whose words it would otherwise lend to it."""
    rest = text[opening.begin : opening.end]
    begin = opening.begin + len(rest) - len(rest.lstrip(" :-"))
    line = text[begin : opening.end]
    match = _pattern(parameter).match(line) if opening.value is None else None
    if match is None or not (match["value"] or line[match.end() :].lstrip().startswith(":")):
        return opening
    return _bounded(parameter, begin, opening.end, line, match)._replace(start=opening.start)


def _commented(parameter: Parameter, start: int, line: str, match: re.Match[str]) -> Opening | None:
    """In code, a comment behind the argument defines it, or a string of words that is set to the name."""
    comment = _COMMENT.match(line, match.end())
    words = _STRING.match(line, match.end("name"))
    if words and len(words["words"].split()) >= _FEWEST_WORDS:
        begin = start + words.start("words")
        return Opening(parameter.id, start, begin, begin + len(words["words"]), None, match["name"])
    if comment is None or match["value"] is None:
        return None
    return Opening(
        parameter.id, start, start + comment.start("comment"), start + len(line), match["value"], match["name"]
    )


def commented_above(passage: Passage, parameters: Sequence[Parameter]) -> list[Opening]:
    """In code where comments stand on lines of their own above the arguments, for at least half of the parameters, each
    defines the argument right below it. A page may break a comment's line."""
    found: list[Opening] = []
    begin = end = None
    for start, line, is_code in _lines(passage):
        if comment := _WHOLE_COMMENT.fullmatch(line):
            begin = start + comment.start("comment") if begin is None else begin
            end = start + len(line)
        elif begin is not None and end is not None:
            own = list(_of_argument(parameters, line, begin, end))
            found += own
            is_broken = not own and not is_code and "=" not in line and start - end < _LONGEST_BREAK
            begin, end = (begin, start + len(line)) if is_broken else (None, None)
    return found if len({one.parameter for one in found}) * 2 >= len(parameters) else []


def commented_below(passage: Passage, parameters: Sequence[Parameter]) -> list[Opening]:
    """The same where each comment stands below its argument."""
    found: list[Opening] = []
    named: list[Opening] = []
    for start, line, _ in _lines(passage):
        comment = _WHOLE_COMMENT.fullmatch(line)
        if comment:
            found += [one._replace(begin=start + comment.start("comment"), end=start + len(line)) for one in named]
        named = [] if comment else list(_of_argument(parameters, line, start, start))
    return found if len({one.parameter for one in found}) * 2 >= len(parameters) else []


_WHOLE_COMMENT = re.compile(r"\s*(?:\.{3}\s*)?#+\s*(?P<comment>[^\W\d_].*|\d.*)")
_LONG_STRING = re.compile(r"\"{3}|'{3}")
_LONGEST_BREAK = 3


def _lines(passage: Passage) -> Iterator[tuple[int, str, bool]]:
    """The lines of code, and those of a page that may be code, with their offsets."""
    for index, block in enumerate(passage.blocks):
        start = passage.offset_of(index)
        after = passage.offset_of(index + 1) - 1 if index + 1 < len(passage.blocks) else len(passage.text)
        for line in passage.text[start:after].split("\n"):
            if block.kind in (BlockKind.CODE, BlockKind.LINE):
                yield start, line, block.kind is BlockKind.CODE
            start += len(line) + 1


def _of_argument(parameters: Sequence[Parameter], line: str, begin: int, end: int) -> Iterator[Opening]:
    for parameter in parameters:
        match = _pattern(parameter).match(line)
        if match and match["value"] and "=" in match.group() and "#" not in line[match.end() :]:
            yield Opening(parameter.id, begin, begin, end, match["value"], match["name"])


def _is_name(line: str, match: re.Match[str]) -> bool:
    """A name is followed by a value, a sign, a verb or a sentence; a common word that
    begins a sentence is not."""
    rest = line[match.end() :]
    return bool(
        match["value"]
        or AFTER_NAME.match(rest)
        or match.group().rstrip().endswith(("|", ")"))
        or re.match(r"\s*[A-ZÀ-Ý]", rest)
    )


def _bounded(parameter: Parameter, start: int, end: int, line: str, match: re.Match[str]) -> Opening:
    """After `name:` there may be no value but the definition itself: then the value is given back to the text."""
    value = match["value"]
    if value is None or not _is_prose(line, match, parameter):
        return Opening(parameter.id, start, start + match.end(), end, value, match["name"])
    return Opening(parameter.id, start, start + match.start("value"), end, None, match["name"])


def _is_prose(line: str, match: re.Match[str], parameter: Parameter) -> bool:
    """A bare word is a value when nothing follows that it belongs to. The lab's own value is one after an equals sign
    in any case: `bias=none means …`. Where the lab's value is a number, no word is one: `r (rank): …`."""
    value, before = match["value"].strip("\"'"), line[: match.start("value")].rstrip()
    goes_on = bool(re.match(r"\s+[^\W\d]", line[match.end("value") :]))
    if not value.replace(" ", "").isidentifier():
        return value[0].isdigit() and goes_on and before.endswith(":")
    if parameter.value[0].isdigit():
        return True
    if re.fullmatch(spelled(parameter.value), value, re.IGNORECASE):
        return goes_on and before.endswith(":")
    return goes_on or before.endswith(":")


def _ended(passage: Passage, index: int, opening: Opening, starts: dict[int, Opening]) -> Opening:
    """A definition runs over wrapped lines; below a name that stands alone, over what follows it."""
    blocks, last = passage.blocks, index
    is_alone = not passage.text[opening.begin : opening.end].strip(" :.|)*")
    if is_alone and index + 1 < len(blocks) and index + 1 not in starts and _below(blocks[index], blocks[index + 1]):
        last += 1
        while _in_list(blocks[index], blocks, last + 1, starts):
            last += 1
    while last + 1 < len(blocks) and last + 1 not in starts and wraps(blocks, last + 1):
        last += 1
    if blocks[index].kind is BlockKind.ROW:
        return _with_lines_below(passage, index, opening, starts)
    end = passage.offset_of(last + 1) - 1 if last + 1 < len(blocks) else len(passage.text)
    return opening if blocks[index].kind is BlockKind.CODE else opening._replace(end=end)


def _with_lines_below(passage: Passage, index: int, opening: Opening, starts: dict[int, Opening]) -> Opening:
    """A definition in a row with the lines below it, where these lead to the next definition."""
    blocks, last, left = passage.blocks, index, passage.blocks[index].box
    while last + 1 < len(blocks) and last + 1 not in starts and wraps(blocks, last + 1) and last < index + _MOST_BELOW:
        last += 1
    box = blocks[last].box
    is_own = last > index and last + 1 in starts and left is not None and box is not None and box[0] < left[0] + 1
    return opening._replace(end=passage.offset_of(last + 1) - 1) if is_own else opening


_MOST_BELOW: Final = 3


def _below(name: Block, block: Block) -> bool:
    """Whether what stands below a name that has nothing behind it may be its definition."""
    if name.kind is BlockKind.HEADING:
        return block.kind in (BlockKind.LINE, BlockKind.LIST_ITEM)
    return name.kind is BlockKind.LIST_ITEM and block.kind is BlockKind.LIST_ITEM


def _in_list(name: Block, blocks: Sequence[Block], index: int, starts: dict[int, Opening]) -> bool:
    """Whether a further list item below a heading, or below an item that is a name alone, still belongs to it."""
    kinds = (BlockKind.LIST_ITEM, BlockKind.LINE) if name.kind is BlockKind.HEADING else (BlockKind.LIST_ITEM,)
    return (
        index < len(blocks)
        and index not in starts
        and blocks[index].kind in kinds
        and not _OTHER_PARAMETER.match(blocks[index].text)
    )
