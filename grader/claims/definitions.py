"""Definitions of configuration parameters: which words define which parameter, and the value they state."""

import re
from collections.abc import Iterator

from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.lab.definition import Lab, Parameter
from grader.reading.document import Block, BlockKind
from grader.reading.evidence import Evidence

_MARK = r"^[\s#•·*\-–+◦‣|]*(?:\(?\d{1,2}[.)]\s+|[a-z]\)\s+)?[\"'(]*"
_VALUE = r"\[[^\]]*\]|\"[^\"]*\"|'[^']*'|\d+(?:[.,]\d+)?\s?%?|[A-Za-z_]\w*"
_TYPE = r"(?:\s*\((?:type\s*:\s*)?(?:int|float|str|bool|list|union|optional)[^)]*\)+)?"
_OTHER_PARAMETER = re.compile(_MARK + r"[a-z]+(?:_[a-z]+)+\b\s*" + _TYPE + r"\s*[=:(]", re.IGNORECASE)
_STATED = re.compile(
    r"\b(?:set (?:it |this |here )*(?:to|at)|we (?:use|set|take|chose|choose)|(?:value|rank|rate|probability|factor) of"
    r"|equals?(?: to)?|fixé à|vaut|on (?:utilise|prend))\s*:?\s*(?:a (?:rank|value) of\s+)?"
    r"(?P<value>\d+(?:[.,]\d+)?\s?%?|\"[^\"]+\")",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(
    r"\s*(?:[:=\-→,|)(]|$|(?:is|are|est|sont|gives?|sets?|tells?|controls?|defines?|specif(?:y|ies)|represents?|determines?"
    r"|indicates?|scales?|decides?|selects?|says?|means?|names?|lists?|corresponds?|refers?|denotes?|stands?|restricts?"
    r"|leaves?|fix(?:es)?|sert|permet|désigne|indique|définit|représente|contrôle)\b)",
    re.IGNORECASE,
)
_LONGEST = 1_500


class DefinitionClaim(Frozen):
    """What a text says about one parameter. `text` is the definition alone, normalised, without name and value;
    `value` is the value that it states, as written."""

    parameter: str
    text: str
    value: str | None
    evidence: Evidence


def definitions(passage: Passage, lab: Lab) -> Iterator[DefinitionClaim]:
    """Definitions that begin a line, a list item or a table row with the parameter's name, up to the next such."""
    openings = _openings(lab)
    starts = [
        (index, *opened) for index, block in enumerate(passage.blocks) if (opened := _opened(passage, index, openings))
    ]
    opening = {index for index, *_ in starts}
    for index, parameter, name_end, value in starts:
        end = _end(passage, index, opening)
        text = passage.text[name_end:end][:_LONGEST]
        stated = value or ((match := _STATED.search(text)) and match["value"])
        yield DefinitionClaim(
            parameter=parameter,
            text=_joined(text),
            value=stated.strip(" \"'") if stated else None,
            evidence=passage.evidence(passage.offset_of(index), end),
        )


def _openings(lab: Lab) -> list[tuple[Parameter, re.Pattern[str]]]:
    return [(parameter, _opening(parameter)) for parameter in lab.parameters]


def _opening(parameter: Parameter) -> re.Pattern[str]:
    """A line's beginning that names a parameter: `lora_alpha = 32:`, `Rank (r=16):`, `r (int):`, `alpha is`."""
    spelled = "|".join(_spelled(name) for name in parameter.names)
    value = rf"{_spelled(parameter.value)}|{_VALUE}"
    after = rf"{_TYPE}\s*(?:(?:=|:=?|\||\((?!type)=?)\s*(?P<value>{value})\s*\)?)?\s*(?:\)|\|)?"
    title = r"(?:[A-Za-z-]+ ){0,3}\("
    return re.compile(rf"{_MARK}(?:{title})?(?:{spelled})(?![\w]){after}", re.IGNORECASE)


def _spelled(name: str) -> str:
    """A name whose underscores a PDF may have turned into spaces."""
    return re.escape(name).replace("_", r"[_ ]\s?")


def _opened(
    passage: Passage, index: int, openings: list[tuple[Parameter, re.Pattern[str]]]
) -> tuple[str, int, str | None] | None:
    """Parameter, offset behind name and value, and value, when a block opens a definition."""
    if passage.blocks[index].kind is BlockKind.HEADING:
        return None
    start = passage.offset_of(index)
    line_end = passage.text.find("\n", start)
    line = passage.text[start : line_end if line_end >= 0 else len(passage.text)]
    for parameter, pattern in openings:
        match = pattern.match(line)
        if match and _is_name(line, match):
            return _bounded(parameter, start, line, match)
    return None


def _is_name(line: str, match: re.Match[str]) -> bool:
    """A name is followed by a value, a sign or a verb; a common word that begins a sentence is not."""
    rest = line[match.end() :]
    return bool(match["value"] or _AFTER_NAME.match(rest) or match.group().rstrip().endswith(("|", ")")))


def _bounded(parameter: Parameter, start: int, line: str, match: re.Match[str]) -> tuple[str, int, str | None]:
    """After `name:` there may be no value but the definition itself: then the value is given back to the text."""
    value = match["value"]
    if value is None or not _is_prose(line, match, parameter):
        return parameter.id, start + match.end(), value
    return parameter.id, start + match.start("value"), None


def _is_prose(line: str, match: re.Match[str], parameter: Parameter) -> bool:
    """A bare word is a value when nothing follows that it belongs to. The lab's own value is one after an equals sign
    in any case: `bias=none means …`."""
    value, before = match["value"], line[: match.start("value")].rstrip()
    goes_on = bool(re.match(r"\s+[^\W\d]", line[match.end("value") :]))
    if not value.replace(" ", "").isidentifier():
        return False
    if re.fullmatch(_spelled(parameter.value), value, re.IGNORECASE):
        return goes_on and before.endswith(":")
    return goes_on or before.endswith(":")


def _end(passage: Passage, index: int, opening: set[int]) -> int:
    """Where the definition that begins in a block ends: it runs over wrapped lines, up to the next definition."""
    last, blocks = index, passage.blocks
    while last + 1 < len(blocks) and last + 1 not in opening and _wraps(blocks[last], blocks[last + 1]):
        last += 1
    return passage.offset_of(last + 1) - 1 if last + 1 < len(passage.blocks) else len(passage.text)


def _wraps(previous: Block, block: Block) -> bool:
    if block.kind is not BlockKind.LINE or not block.text.strip() or _OTHER_PARAMETER.match(block.text):
        return False
    return previous.line is None or block.line is None or block.line == previous.line + 1


def _joined(text: str) -> str:
    return " ".join(text.split()).lstrip(" :-|,=→)").rstrip(" :-|,=→")
