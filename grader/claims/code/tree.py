"""Syntax trees of cells: whole where that can be, else statement by statement."""

import ast
import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Final, NamedTuple

from grader.claims.code.lines import Prepared, prepared

LONGEST: Final = 100_000
"""Longer sources, in characters, are not parsed: they are data and no code."""

_MOST_CHUNKS: Final = 1_000
_MOST_NODES: Final = 30_000
_CONTINUES: Final = re.compile(r"\s|[)\]}]|(?:elif|else|except|finally)\b|#|$")
_OLD_PRINT: Final = re.compile(r"(?m)^([^\S\n]*)print (?![=(])([^\n]+)$")


class Tree(NamedTuple):
    """The statements of a cell, its shell lines, and whether all of it could be parsed."""

    statements: tuple[ast.stmt, ...]
    prepared: Prepared
    whole: bool

    def nodes(self) -> list[ast.AST]:
        """All nodes, or as many as are looked at."""
        every = (node for statement in self.statements for node in ast.walk(statement))
        return list(islice(every, _MOST_NODES))


def tree_of(source: str) -> Tree:
    """The syntax of a cell; of what is no Python nothing."""
    if len(source) > LONGEST:
        return Tree((), Prepared(), whole=False)
    plain = _parsed(source)
    if plain is not None:
        return Tree(plain, Prepared(python=source), whole=True)
    cell = prepared(source)
    statements = _parsed(cell.python)
    if statements is not None:
        return Tree(statements, cell, whole=True)
    return Tree(tuple(_piecewise(cell.python)), cell, whole=False)


def _parsed(text: str) -> tuple[ast.stmt, ...] | None:
    try:
        return tuple(ast.parse(text).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _piecewise(text: str) -> Iterator[ast.stmt]:
    """The statements that can be parsed on their own. Python 2's print is taken for today's."""
    for first, chunk in _chunks(text):
        found = _parsed(chunk)
        if found is None:
            found = _parsed(_OLD_PRINT.sub(r"\1print(\2)", chunk)) or ()
        for statement in found:
            yield ast.increment_lineno(statement, first)


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    """Pieces that begin at the left margin, with the number of lines before each. Text in triple quotes stays whole."""
    lines = text.split("\n")
    starts = []
    quotes = 0
    for number, line in enumerate(lines):
        if not quotes % 2 and not _CONTINUES.match(line):
            starts.append(number)
        quotes += line.count('"""') + line.count("'''")
    for start, end in list(pairwise([*starts, len(lines)]))[:_MOST_CHUNKS]:
        yield start, "\n".join(lines[start:end])
