"""Displayed formulas in Markdown: between `$$`, `\\[` and `\\]`, or in LaTeX's environments."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.latex.formulas import rows_of
from grader.reading.latex.stream import Stream
from grader.reading.latex.tokens import Kind, Token, tokens
from grader.reading.maths.formula import Formula

LONGEST_DISPLAY: Final = 60
"""In lines."""

_LONGEST_TEXT: Final = 20_000
"""In characters; a longer one is not cut into rows."""

_OPENING: Final = re.compile(
    r"\$\$|\\\[|\\begin\{((?:equation|align|gather|multline|eqnarray|alignat|displaymath|flalign)\*?)\}"
)
_CLOSED_BY: Final = {"$$": "$$", "\\[": "\\]"}
_BEHIND: Final = re.compile(r"[\s.,;:]*(?:\(\d{1,3}[a-z]?\))?[\s.,;:]*")
_ROWS: Final = re.compile(r"\\\\|\\begin\{|&")


class Display(NamedTuple):
    """The words before a formula, its blocks, the words behind it on its last line, and the index behind that."""

    before: str
    blocks: list[Block]
    behind: str
    end: int


def display(lines: Sequence[str], start: int, *, cut: bool = True) -> Display | None:
    """The displayed formula that begins on a line; None when none does, or one that never ends. One that begins and
    ends within a line of words is part of that line. `cut`: rows are told apart."""
    line = lines[start].strip()
    opening = _OPENING.search(line)
    if opening is None:
        return None
    sign = opening.group()
    close = _CLOSED_BY.get(sign) or f"\\end{{{opening[1]}}}"
    at = line.find(close, opening.end())
    if at >= 0:
        alone = not line[: opening.start()].strip() and _BEHIND.fullmatch(line, at + len(close))
        return Display("", _blocks([line], start, sign if cut else ""), "", start + 1) if alone else None
    before = line[: opening.start()].strip()
    if before and sign == "$$" and not before.endswith(_LEADS):
        return None
    for index in range(start + 1, min(start + LONGEST_DISPLAY, len(lines))):
        at = lines[index].find(close)
        if at >= 0:
            end = at + len(close)
            behind = "" if _BEHIND.fullmatch(lines[index], end) else lines[index][end:]
            last = lines[index][:end] if behind else lines[index]
            inner = [line[opening.start() :], *lines[start + 1 : index], last]
            return Display(before, _blocks(inner, start, sign if cut else ""), behind.strip(), index + 1)
    return None


_LEADS: Final = (
    ":",
    "=",
    ",",
    ".",
    "is",
    "are",
    "has",
    "get",
    "by",
    "as",
    "have",
    "est",
    "sont",
    "par",
    "a",
    "à",
    "-",
    "*",
)
"""What words before a formula that begins at the end of their line end in."""


def _blocks(lines: Sequence[str], start: int, sign: str) -> list[Block]:
    """One block for each row that is set by LaTeX's commands, else one for the whole, with its signs."""
    text = " ".join(line.strip() for line in lines if line.strip())
    if not sign or len(text) > _LONGEST_TEXT or (sign in _CLOSED_BY and not _ROWS.search(text)):
        return [Block(kind=BlockKind.MATH, text=text, line=start + 1)]
    rows = rows_of(_inner("\n".join(lines), sign))
    return [
        Block(
            kind=BlockKind.MATH,
            text=row.source,
            line=start + row.line,
            formulas=(Formula(start=0, end=len(row.source)),),
        )
        for row in rows
    ]


def _inner(source: str, sign: str) -> list[Token]:
    """The tokens between the signs around a display, with environments as one token each."""
    begin = source.find(sign) + len(sign)
    close = _CLOSED_BY.get(sign) or sign.replace("\\begin", "\\end")
    end = source.rfind(close)
    line = source.count("\n", 0, begin)
    found: list[Token] = []
    stream = Stream(list(tokens(source[begin : max(end, begin)], "")))
    while (token := stream.take()) is not None:
        if token.kind is Kind.COMMAND and token.text in ("begin", "end"):
            kind = Kind.BEGIN if token.text == "begin" else Kind.END
            token = token._replace(kind=kind, text=stream.words())
        found.append(token._replace(line=token.line + line))
    return found
