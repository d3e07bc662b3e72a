"""Who speaks in each line of a document: the student, the student's code, or a program, and what that prints.

A line that a program prints is told by its shape, not by the product that prints it: a count of steps beside a bar or a
rate, a time or a level at its beginning, an address or a version, many settings, modules with their shapes, pieces of
words, long texts and arrays. Such lines yield nothing. Any other line of an output yields figures. Its words are the
student's only where they stand in the code of the notebook: a program's sentences state nothing.
"""

import re
from collections.abc import Iterable, Sequence, Set
from itertools import groupby
from typing import Final

from grader.claims.passage import Passage
from grader.frozen import remembered
from grader.reading.document import Block, BlockKind, Document, Voice

_LONGEST: Final = 2_000
"""Characters of a line that are looked at."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_SHELL: Final = re.compile(r"\s*(?:!|%|\$\s|--?\w)")
_STEPS: Final = re.compile(r"\d[\d.]*\w?\s?/\s?\d[\d.]*|\d%")
_BAR: Final = re.compile(
    r"([#=█━▁-▏▒░╸.>-])\1{4,}|\|[█▁-▏#\s]{4,}\||\[\d+:\d\d(?::\d\d)?\s?[<,\]]|\d\s?\w{0,6}/s\b|\ds/(?:it|\w*step|epoch)\b"
)
"""A bar, the time that it took, or a rate."""
_LOGGED: Final = re.compile(
    r"[\[(\s]*(?:\w+\s){0,3}\d{4}-\d\d-\d\d[ T]\d{1,2}:\d\d|[IWEF]\d{4} \d\d:\d\d|\[?\d\d:\d\d:\d\d[\],]"
    r"|[^a-z]{0,40}\b(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL)\b\s?[|:\]\s-]"
    r"|\S+:\d+: \w*(?:Warning|Error)|\s*warnings\.warn\("
    r"|.*?(?:\w://|(?<![\w.])\d+\.\d+\.\d+(?![\d%])|[A-Za-z][\w.]*(?:-|[=<>~!]=)\d+\.\d|(?:^|[\s:(])/\w+(?:/[\w.-]+)+)"
)
"""A time, a level or the place of a warning before a message; an address, a version or an absolute path."""
_MODULE: Final = re.compile(
    r"\s*\(\w+\): \w+\(|[\W\d]*[a-z_][\w-]*(?:\.[\w-]+){2,}(?=[\s:,|]|$)|.*(?:Size\(\[|[(\[](?:None|-1), ?(?:None|\d))"
)
"""A module of a model with what it is, its path, or the shape of its arrays."""
_SETTING: Final = re.compile(r"[\w.\])}-]['\"]?\s?[=:]\s?['\"]?([^\s,;'\")\]}]*)")
_FEWEST_SETTINGS: Final = 6
_SETTING_ALONE: Final = re.compile(
    r"\s*['\"]?\w[\w.-]*['\"]?\s?[:=]\s?['\"]?([^\s,'\"]*)\S*,?\s*|[\s{}\[\](),]+|\s*\"\w+\",?"
)
_SETTING_IN_TEXT: Final = re.compile(r"\s*\w+:(?:\s+['\"]?([^\s'\"]+)['\"]?)?(?:\s+#.*)?")
"""A line of a configuration that code holds as a text."""
_FEWEST_LINES: Final = 5
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?%?")
_PIECE: Final = re.compile(r"▁|##\w|\w@@|<(?:unk|pad|s)>|\[(?:UNK|PAD|CLS|SEP|MASK)\]|Ġ")
_FEWEST_PIECES: Final = 4
_MOST_NUMBERS: Final = 12
"""More numbers with fewer words among them are an array, not figures of a few runs."""
_MOST_WORDS: Final = 12
"""A line of more words that do not stand in the code is a text that a program shows."""
_KNOWN: Final = 0.7


def heard(document: Document, code: Set[str] = frozenset(), most: int | None = None) -> Document:
    """A document with the voices of its code and outputs told, less what is not heard. A listing is code where its
    lines are among those of `code`. With `most`, so many lines from the beginning and the end of a cell's output are
    kept: what a student prints stands there."""
    known = words_of_code(block.text for block in document.blocks if block.kind is BlockKind.CODE)
    kept: list[Block] = []
    for (kind, cell), group in groupby(document.blocks, lambda one: (one.kind, one.cell)):
        own = list(group)
        if kind is BlockKind.CODE:
            is_code = [cell is not None or one.text.strip() in code for one in own]
            told = _with_settings([one.text for one in own], [Voice.CODE] * len(own), Voice.CODE, _SETTING_IN_TEXT)
            own = [
                one.model_copy(update={"voice": voice}) if speaks else one
                for one, voice, speaks in zip(own, told, is_code, strict=True)
                if voice.is_heard or not speaks
            ]
        elif kind is BlockKind.OUTPUT and cell is not None:
            told = voices([one.text for one in own], known)
            own = [
                one.model_copy(update={"voice": voice}) for one, voice in zip(own, told, strict=True) if voice.is_heard
            ]
            own = own if most is None or len(own) <= 2 * most else [*own[:most], *own[-most:]]
        kept += own
    return document.model_copy(update={"blocks": tuple(kept)})


@remembered
def words(passage: Passage) -> Passage:
    """A passage without code but its comments, and without what programs print: what the student writes."""
    kept = []
    for block in passage.blocks:
        text = block.text if block.voice is None else comment(block.text) if block.voice is Voice.CODE else None
        if text is not None:
            kept.append(block if text is block.text else block.model_copy(update={"text": text}))
    return passage.of_blocks(kept)


def comment(line: str) -> str | None:
    """The comment in a line of code."""
    match = _COMMENT.search(line)
    return match.group() if match else None


_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#[^'\"]*$")


def words_of_code(lines: Iterable[str]) -> frozenset[str]:
    """The words that stand in lines of code; those of shell commands name what a program prints by itself."""
    return frozenset(word.casefold() for line in lines if not _SHELL.match(line) for word in _WORD.findall(line))


def voices(lines: Sequence[str], known: Set[str]) -> list[Voice]:
    """Who speaks in each line of one output; `known` are the words of the code of its notebook."""
    found = [_voice(line[:_LONGEST], known) for line in lines]
    return _with_settings(lines, found, Voice.FIGURES, _SETTING_ALONE)


def _with_settings(lines: Sequence[str], told: list[Voice], voice: Voice, shape: re.Pattern[str]) -> list[Voice]:
    """The voices of lines, where several below each other of one voice are each a setting in some shape: settings."""
    found = list(told)
    alone = [shape.fullmatch(line[:_LONGEST]) for line in lines]
    for is_setting, group in groupby(range(len(lines)), lambda at: alone[at] is not None and told[at] is voice):
        own = list(group)
        values = [value for at in own if (match := alone[at]) and (value := match[1])]
        if is_setting and len(own) >= _FEWEST_LINES and _are_settings(values):
            found[own[0] : own[-1] + 1] = [Voice.SETTINGS] * len(own)
    return found


def _are_settings(values: Sequence[str]) -> bool:
    """Whether values are those of settings: words, names and switches beside numbers. Measured values are numbers."""
    return 3 * sum(not _NUMBER.fullmatch(one) for one in values) >= len(values)


def _voice(line: str, known: Set[str]) -> Voice:
    """Who speaks in a line of an output, by its shape and its words."""
    words = [word.casefold() for word in _WORD.findall(line)]
    if _STEPS.search(line) and _BAR.search(line):
        return Voice.BAR
    if _MODULE.match(line):
        return Voice.MODULES
    if words and sum(word in known for word in words) >= _KNOWN * len(words):
        return Voice.PRINT
    if _LOGGED.match(line):
        return Voice.LOG
    values = [match[1] for match in _SETTING.finditer(line)]
    if len(values) >= _FEWEST_SETTINGS and _are_settings(values):
        return Voice.SETTINGS
    is_text = len(_PIECE.findall(line)) >= _FEWEST_PIECES or len(words) > _MOST_WORDS
    return Voice.DATA if is_text or len(_NUMBER.findall(line)) > _MOST_NUMBERS + len(words) else Voice.FIGURES
