"""Decide who speaks in each line of a document: the student, the student's code, or a program.

A program's line is recognised by its shape: a progress bar or rate, a time or level at its beginning, an address or
version, many settings, modules with shapes, pieces of words, long texts, and arrays. Such lines yield nothing. Any
other line of output yields numbers. Its words are the student's only if they stand in the notebook's code.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby
from typing import Final

from grader.claims.code import CodeCell
from grader.claims.code.typed import typed_lines
from grader.claims.passage import Passage
from grader.frozen import memoise
from grader.language.shapes import LONG_WORD
from grader.reading.document import Block, BlockKind, Document, Voice

_LONGEST: Final = 2_000
"""The number of characters of a line that are examined."""
_SHELL: Final = re.compile(r"\s*(?:!|%|\$\s|--?\w)")
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#[^'\"]*$")

_BAR: Final = re.compile(
    r".*(?:\d\s?\w{0,6}/s\b|\ds/(?:it|\w*step|epoch)\b)"
    r"|(?=.*(?:\d\s?/\s?\d|\d%)).*(?:([#=█━▁-▏▒░╸.>-])\1{4,}|\|[█▁-▏#\s]{4,}\||\[\d+:\d\d(?::\d\d)?\s?[<,\]])"
)
"""A rate; or a number of steps with a bar or their duration."""
_SHARE_OF_STEPS: Final = re.compile(r"\d%\s(?:\(\d+/\d+\)|of\s\d[\d.,]*\s?[kKMGT]?i?B\b)")
"""The progress in steps or bytes."""
_LOGGED: Final = re.compile(
    r"\|\s(?!.*\|\s*$)|[\[(\s]*(?:\w+\s){0,3}\d{4}-\d\d-\d\d[ T]\d{1,2}:\d\d"
    r"|[IWEF]\d{4} \d\d:\d\d|\[?\d\d:\d\d:\d\d[\],]"
    r"|[^a-z]{0,40}\b(?:DEBUG|INFO)\b\s?[|:\]\s-]"
    r"|.*?(?:\w://|(?<![\w.])(?!\d{1,3}(?:\.\d{3})+\b)\d+\.\d+\.\d+(?![\d%])"
    r"|[A-Za-z][\w.]*(?:-|[=<>~!]=)\d+\.\d|(?:^|[\s:(])/\w+(?:/[\w.-]+)+)"
)
"""A sign, a time or a level before a message; an address, a version or an absolute path."""
_WARNED: Final = re.compile(
    r"[^a-z]{0,40}\b(?:WARN(?:ING)?|ERROR|CRITICAL)\b\s?[|:\]\s-]|\S+:\d+: \w*(?:Warning|Error)|\s*warnings\.warn\("
)
"""The level or place of a warning. The words of a warning are never the student's."""
_MODULE: Final = re.compile(
    r"\s*\(\w+\): \w+\(|[\W\d]*[a-z_][\w-]*(?:\.[\w-]+){2,}(?=[\s:,|]|$)|.*(?:Size\(\[|[(\[](?:None|-1), ?(?:None|\d))"
)
"""A module of a model with its type, its path, or the shape of its arrays."""
_PIECE: Final = re.compile(r"▁|##\w|\w@@|<(?:unk|pad|s)>|\[(?:UNK|PAD|CLS|SEP|MASK)\]|Ġ")
_FEWEST_PIECES: Final = 4
_SETTING: Final = re.compile(r"[\w.\])}-]['\"]?\s?[=:]\s?['\"]?([^\s,;'\")\]}]*)")
_FEWEST_SETTINGS: Final = 6
_SETTING_ALONE: Final = re.compile(
    r"\s*['\"]?\w[\w.-]*['\"]?\s?[:=]\s?['\"]?([^\s,'\"]*)\S*,?\s*|[\s{}\[\](),]+|\s*\"\w+\",?"
)
_SETTING_IN_TEXT: Final = re.compile(r"\s*\w+:(?:\s+(\[[^\]]*\]|['\"]?[^\s'\"]+['\"]?)|())(?:\s+#.*)?|\s*#.*")
"""A line of a configuration within a string in code."""
_FEWEST_LINES: Final = 5
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?%?")
_ARRAY: Final = re.compile(
    r".*\d,?\s+\.\.\.,?\s+[-\d]|.*\[\s*(?:-?\d[^\s\]]*\s+){3,}[^\]]*$|\s+(?:-?\d[^\s\]]*\s+)+[^\s\[]+\]+,?\s*$"
)
"""A line of an array that omits numbers or continues on another line."""
_SHAPES: Final = (
    *((Voice.BAR, _BAR), (Voice.MODULES, _MODULE), (Voice.DATA, _PIECE), (Voice.DATA, _ARRAY)),
    (Voice.LOG, _WARNED),
)
"""The voices that the shape of a line alone decides. The first match counts."""
_MOST_NUMBERS: Final = 12
"""More numbers with fewer words among them are an array, not results of a few runs."""
_MOST_WORDS: Final = 12
"""A line with more words that do not stand in the code is a text that a program shows."""
_KNOWN: Final = 0.7
"""The share of a student's printed words that stand in the code. Names of counted things may not."""


def with_voices(document: Document, code: Set[str] = frozenset(), most: int | None = None) -> Document:
    """Return a document with the voices of its code and output, without lines that yield nothing.

    A listing is code if its lines are among those of `code`. With `most`, only this many lines from the beginning and
    the end of each cell's output are kept.
    """
    code_words = words_of_code(block.text for block in document.blocks if block.kind is BlockKind.CODE)
    kept: list[Block] = []
    for (kind, cell), group in groupby(document.blocks, lambda block: (block.kind, block.cell)):
        blocks = list(group)
        is_of_cell = cell is not None and not blocks[0].quoted
        line_voices = _told([block.text for block in blocks], kind, code, code_words, is_of_cell=is_of_cell)
        own_blocks = [
            block if voice is None else block.model_copy(update={"voice": voice})
            for block, voice in zip(blocks, line_voices, strict=True)
            if voice is None or voice.is_heard
        ]
        if most and kind is BlockKind.OUTPUT and len(own_blocks) > 2 * most:
            own_blocks = [*own_blocks[:most], *own_blocks[-most:]]
        kept += own_blocks
    return document.model_copy(update={"blocks": tuple(kept)})


def _told(
    lines: Sequence[str], kind: BlockKind, code: Set[str], code_words: Set[str], *, is_of_cell: bool
) -> Sequence[Voice | None]:
    """Return the voice of each of some consecutive lines of one kind."""
    if kind is BlockKind.CODE:
        line_voices = [Voice.CODE if is_of_cell or line.strip() in code else None for line in lines]
        line_voices = _with_settings(lines, line_voices, Voice.CODE, _SETTING_IN_TEXT)
        typed = typed_lines("\n".join(lines)) if is_of_cell else frozenset()
        return [Voice.TYPED if voice is Voice.CODE and at in typed else voice for at, voice in enumerate(line_voices)]
    return voices(lines, code_words) if kind is BlockKind.OUTPUT and is_of_cell else [None] * len(lines)


def cells_heard(cells: Sequence[CodeCell]) -> Iterator[CodeCell]:
    """Yield cells of code, each with the silent lines of its output in `silent`."""
    sources: dict[str, list[str]] = {}
    for cell in cells:
        sources.setdefault(cell.file, []).extend(cell.source.split("\n"))
    words_by_file = {file: words_of_code(lines) for file, lines in sources.items()}
    for cell in cells:
        yield (
            cell.model_copy(update={"silent": silent_lines(cell.output, words_by_file[cell.file])})
            if cell.output
            else cell
        )


def silent_lines(text: str, code_words: Set[str] = frozenset()) -> frozenset[int]:
    """Return the lines of an output, numbered from 0, that yield nothing."""
    line_voices = voices(text.split("\n"), code_words)
    return frozenset(number for number, voice in enumerate(line_voices) if voice and not voice.is_heard)


@memoise
def words(passage: Passage) -> Passage:
    """Return a passage without code and output: the student's text."""
    return passage.of_blocks([block for block in passage.blocks if block.voice is None])


@memoise
def words_and_comments(passage: Passage) -> Passage:
    """Return a passage with the student's text and the comments in code."""
    own_blocks: list[Block] = []
    for block in passage.blocks:
        remark = comment(block.text) if block.voice and block.voice.is_code else None
        if block.voice is None or remark:
            own_blocks.append(block.model_copy(update={"text": remark}) if remark else block)
    return passage.of_blocks(own_blocks)


def comments_as_words(passage: Passage) -> Passage:
    """Return a passage with comments in code as lines of text, without other code and output."""
    text_passage = words_and_comments(passage)
    return text_passage.of_blocks(
        [
            block.model_copy(update={"kind": BlockKind.LINE, "voice": None}) if block.kind is BlockKind.CODE else block
            for block in text_passage.blocks
        ]
    )


def comment(line: str) -> str | None:
    """Return the comment in a line of code. After code, it has no quotation marks, which may belong to a string."""
    if line.lstrip().startswith("#"):
        return line.lstrip()
    match = _COMMENT.search(line)
    return match.group() if match else None


def words_of_code(lines: Iterable[str]) -> frozenset[str]:
    """Return the words in lines of code. Words of shell commands name what a program prints by itself."""
    return frozenset(word.casefold() for line in lines if not _SHELL.match(line) for word in LONG_WORD.findall(line))


def voices(lines: Sequence[str], code_words: Set[str]) -> Sequence[Voice | None]:
    """Return the voice of each line of an output. `code_words` are the words of the notebook's code."""
    found = [_voice(line[:_LONGEST], code_words) for line in lines]
    return _with_settings(lines, found, Voice.FIGURES, _SETTING_ALONE)


def _with_settings(
    lines: Sequence[str], line_voices: Sequence[Voice | None], voice: Voice, shape: re.Pattern[str]
) -> list[Voice | None]:
    """Return the voices of lines. Several consecutive settings in some form are a program's settings."""
    found = list(line_voices)
    alone = [shape.fullmatch(line[:_LONGEST]) for line in lines]
    for is_setting, group in groupby(range(len(lines)), lambda at: alone[at] is not None and line_voices[at] is voice):
        places = list(group)
        values = [value for at in places if (match := alone[at]) for value in match.groups() if value is not None]
        if is_setting and len(values) >= _FEWEST_LINES and _are_settings(values):
            found[places[0] : places[-1] + 1] = [Voice.SETTINGS] * len(places)
    return found


def _are_settings(values: Sequence[str]) -> bool:
    """Whether values are those of settings: words, names and switches beside numbers. Measured values are numbers."""
    return 4 * sum(not _NUMBER.fullmatch(value) for value in values) >= len(values)


def _voice(line: str, code_words: Set[str]) -> Voice:
    """Return the voice of a line of output, by its shape and its words."""
    for voice, shape in _SHAPES:
        if shape.match(line):
            return voice
    if len(_PIECE.findall(line)) >= _FEWEST_PIECES:
        return Voice.DATA
    line_words = list(map(str.casefold, LONG_WORD.findall(line)))
    if 0 < _KNOWN * len(line_words) <= sum(map(code_words.__contains__, line_words)):
        return Voice.PRINT
    if _SHARE_OF_STEPS.search(line):
        return Voice.BAR
    if line_words and _LOGGED.match(line):
        return Voice.LOG
    values = _SETTING.findall(line)
    if len(values) >= _FEWEST_SETTINGS and _are_settings(values):
        return Voice.SETTINGS
    is_long = len(line_words) > _MOST_WORDS or len(_NUMBER.findall(line)) > _MOST_NUMBERS + len(line_words)
    return Voice.DATA if is_long else Voice.FIGURES
