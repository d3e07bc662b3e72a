"""Find the lines of code that a page shows as text, in any programming language.

A page has no cells, so a program in an appendix looks like lines of text. Its numbers and words claim nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import groupby, pairwise
from typing import Final

from grader.claims.passage import Passage
from grader.frozen import memoise
from grader.reading.document import Block, BlockKind

_KINDS: Final = (BlockKind.LINE, BlockKind.LIST_ITEM, BlockKind.ROW, BlockKind.HEADING)
_COMMENT: Final = ("#", "//")
_FEWEST: Final = 3
"""The fewest lines of code in a listing."""
_MOST_BETWEEN: Final = 2
"""The most other lines between two lines of code of one listing, such as the rest of a long comment."""
_WORDS_OF_PROSE: Final = 4
_LONGEST: Final = 500

_STATEMENT: Final = (
    r"\s*(?:\d{1,3}\.?\s+)?(?:"
    r"(?:import|from)\s[\w.]+(?:\s(?:import|as)\s.*)?$|(?:library|require|source|setwd)\s?\("
    r"|(?:def|class)\s\w+.*:\s*$|(?:if|for|while|switch)\s?\(.*|(?:for|if|while|with|elif)\s.*:\s*$"
    r"|else\b.{0,3}$|return\b\s?[(\w\[-].*|function\b.*"
    r"|\S.{0,80}\s?<-.*|[}\])]+[;,)]*\s*$|.*[;{]\s*$"
    r"|[\w.$\[\],\"' :*-]+?\s?[-+*/]?=\s?[\w.$]*\s?[\[({].*|[\w.$]+\s?=\s?(?:[\w.$]+|\"[^\"]*\"|'[^']*')\s*,?\s*$"
    r"|[A-Za-z_][\w.$]*\s?\(.*[)+,|]\s*$"
    r")"
)
"""A line that may be a statement of a program: an import, the head or end of a block, an assignment, a call."""
_OF_PROGRAM: Final = (
    r"<-|[\w\])]\$[A-Za-z]|%>%|(?<![\w.])(?:library|import|function|def|lambda|data\.frame|read\.\w+)\b[\s(]"
    r"|[a-z]{2,}[_.][a-z]{2,}\w*\s?\(|[(,]\s?\w+\s?=\s?[\w\"'.-]+\s?[,)]|\w\s?\(.*[\"']\w+[\"'].*\)|[;{]\s*$|[=!]=\s"
)
"""A sign of a program that a formula does not have."""
_IMPORT: Final = r"\s*(?:from\s[\w.]+\simport\s|import\s[\w.]+\sas\s\w+$)"
_ASSIGNED: Final = r"\w\s?<-\s?[\w.]+\s?[\[(]"
_QUOTED: Final = r"\"[^\"]*\"|'[^']*'|(?:#|//).*"
_WORD: Final = r"[^\W\d_]{2,}[,.:;?!]?"


def is_remark(text: str) -> bool:
    """Whether a line is a comment of a program, or an output that R prints after two such signs."""
    return text.lstrip().startswith(_COMMENT)


def listed_lines(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the positions of the lines of code and of the comments among them.

    A listing has several lines that may be code, of which some have a sign that only programs have, and hardly any
    other lines.
    """
    likely = [index for index, block in enumerate(blocks) if _may_be_code(block)]
    cuts = [at for at in range(1, len(likely)) if _is_cut(blocks, likely[at - 1], likely[at])]
    found: set[int] = set()
    for start, end in pairwise([0, *cuts, len(likely)] if likely else []):
        run = likely[start:end]
        if _are_code([blocks[index].text[:_LONGEST] for index in run]):
            found |= {*run, *_remarks(blocks, run), *_beside(blocks, run)}
    return frozenset(found | _set_as_code(blocks))


def _set_as_code(blocks: Sequence[Block]) -> set[int]:
    """Return the positions of the lines that a report sets as code and that are statements of any language."""
    found: set[int] = set()
    for is_listing, group in groupby(range(len(blocks)), lambda at: _is_unread_code(blocks[at])):
        if not is_listing:
            continue
        commands = [at for at in group if blocks[at].text.strip() and not is_remark(blocks[at].text)]
        statements = list(_statements(blocks[at].text[:_LONGEST] for at in commands))
        is_program = any(re.search(_OF_PROGRAM, statement) for statement in statements)
        if is_program and all(re.match(_STATEMENT, statement) for statement in statements):
            found.update(commands)
    return found


def _is_unread_code(block: Block) -> bool:
    """Whether a line is set as code and was not followed as a program."""
    return block.kind is BlockKind.CODE and block.voice is None


def _statements(lines: Iterable[str]) -> Iterator[str]:
    """Yield statements, each with the lines that its brackets or the sign at the end of a line join to it."""
    statement: list[str] = []
    depth = 0
    for line in lines:
        plain = re.sub(_QUOTED, " ", line).rstrip()
        depth += sum(map(plain.count, "([{")) - sum(map(plain.count, ")]}"))
        statement.append(line.strip())
        if not plain.endswith(_JOINING) and depth <= 0:
            yield " ".join(statement)
            statement, depth = [], 0
    if statement:
        yield " ".join(statement)


_JOINING: Final = ("%>%", "|>", "+", ",", "|", "&", "\\", "<-")


def _are_code(lines: Sequence[str]) -> bool:
    """Whether enough of some lines that may be code have a sign of a program."""
    signs = [len(re.findall(_OF_PROGRAM, line)) for line in lines]
    certain = len(signs) - signs.count(0)
    if certain == len(signs) and (max(signs) >= _FEWEST or any(re.search(_ASSIGNED, line) for line in lines)):
        return True
    return len(lines) >= _FEWEST and 2 * certain >= len(lines)


def _may_be_code(block: Block) -> bool:
    text = block.text[:_LONGEST]
    if block.kind not in _KINDS or block.voice is not None or is_remark(text):
        return False
    is_likely = re.match(_STATEMENT, text) or len(re.findall(_OF_PROGRAM, text)) > 1
    return bool(is_likely) and not (_is_prose(re.sub(_QUOTED, " ", text)) and not re.match(_IMPORT, text))


def _is_prose(text: str) -> bool:
    """Whether several words follow one another, with nothing but blanks and stops between them."""
    several = 0
    for piece in text.split():
        several = several + 1 if re.fullmatch(_WORD, piece) else 0
        if several >= _WORDS_OF_PROSE:
            return True
    return False


def _is_cut(blocks: Sequence[Block], above: int, below: int) -> bool:
    """Whether more than a few lines that are no comments stand between two lines of code, or one of prose does."""
    between = [block for block in blocks[above + 1 : below] if block.text.strip() and not is_remark(block.text)]
    return len(between) > _MOST_BETWEEN or any(_is_prose(block.text) for block in between)


def _remarks(blocks: Sequence[Block], run: Sequence[int]) -> set[int]:
    return {index for index in range(run[0], run[-1]) if is_remark(blocks[index].text)}


def _beside(blocks: Sequence[Block], run: Sequence[int]) -> set[int]:
    """Return the comments directly above a listing."""
    found: set[int] = set()
    for index in range(run[0] - 1, -1, -1):
        if not is_remark(blocks[index].text):
            break
        found.add(index)
    return found


@memoise
def less_listed(passage: Passage, lead: int = 0) -> Passage:
    """Return a passage without lines of code and ticks of axes after the first `lead` characters.

    Comments stay, and so does a command above the output that it prints, which names the value.
    """
    blocks = passage.blocks
    first = next((index for index in range(len(blocks)) if passage.offset_of(index) >= lead), len(blocks))
    silent = {index for index in listed_lines(blocks) if not is_remark(blocks[index].text)}
    silent = {index for index in silent if not _prints(blocks, index)} | _ticks(blocks)
    kept = [block for index, block in enumerate(blocks) if index < max(first, 1) or index not in silent]
    return passage.of_blocks(kept) if len(kept) < len(blocks) else passage


def _prints(blocks: Sequence[Block], command: int) -> bool:
    """Whether the first line with text below a command is an output that R prints after two signs of a comment."""
    below = (blocks[at].text.lstrip() for at in range(command + 1, len(blocks)))
    first = next(filter(None, below), "")
    return first.startswith("## ") and any(map(str.isdecimal, first))


def _ticks(blocks: Sequence[Block]) -> set[int]:
    """Return the positions of the numbers on the axes of a drawing: lines of equally spaced numbers, alone or in one
    line."""
    found: set[int] = set()
    run: list[int] = []
    values: list[Decimal] = []
    for index, block in enumerate([*blocks, None]):
        numbers = _numbers_alone(block) if block else []
        if len(numbers) >= _FEWEST_TICKS and _are_even(numbers):
            found.add(index)
        if len(numbers) == 1 and (len(values) < _FEWEST_TICKS - 1 or _are_even([*values, *numbers])):
            run, values = [*run, index], [*values, *numbers]
            continue
        if len(run) >= _FEWEST_TICKS and _are_even(values):
            found.update(run)
        run, values = ([index], numbers) if len(numbers) == 1 else ([], [])
    return found


def _numbers_alone(block: Block) -> list[Decimal]:
    """Return the numbers of a line without anything else."""
    pieces = block.text[:_LONGEST].split() if block.kind is BlockKind.LINE and block.page is not None else []
    return (
        [Decimal(piece) for piece in pieces] if pieces and all(re.fullmatch(_TICK, piece) for piece in pieces) else []
    )


def _are_even(values: Sequence[Decimal]) -> bool:
    steps = {above - below for below, above in pairwise(values)}
    return len(steps) == 1 and 0 not in steps


_TICK: Final = r"-?\d+(?:\.\d+)?"
_FEWEST_TICKS: Final = 3
