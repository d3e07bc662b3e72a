"""From notebooks, scripts and listings to what their code does."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Final

from grader.claims.code.expressions import Names
from grader.claims.code.follower import Follower
from grader.claims.code.gaps import gap_lines
from grader.claims.code.lines import SHELL
from grader.claims.code.model import Call, CodeCell, Command, Function, Gap, Text
from grader.claims.code.operators import UNKNOWN
from grader.claims.code.shell import Variables, commands_in, interpolated
from grader.claims.code.tree import Tree, tree_of
from grader.claims.code.values import ALL, FROZEN, TRAINABLE, Routine, named, shown, written
from grader.claims.code.ways import Shelled, bound
from grader.reading.document import Block, BlockKind, Document
from grader.reading.evidence import Evidence
from grader.reading.notebook import Cell, CellKind, Notebook

_STEPS: Final = 40_000
"""Expressions and statements that are followed in one file."""

_MOST_CALLS: Final = 2_000
_MOST_FUNCTIONS: Final = 300
_MOST_COMMANDS: Final = 300
_MOST_SHELLED: Final = 1_000
_MOST_TEXTS: Final = 300
_LONGEST_TEXT: Final = 4_000
_LONGEST_QUOTE: Final = 300
_MOST_BLANK: Final = 50
_WHOLE: Final = re.compile(r"(?<![\w.])(?:\d{1,3}(?:[,_' ]\d{3}){1,4}|\d{1,15})(?![\d])")
_COUNTABLE: Final = {str(number) for number in (TRAINABLE, FROZEN, ALL)}


@dataclass(frozen=True)
class _Piece:
    """A source before it is followed."""

    file: str
    cell: int | None
    line: int | None
    source: str
    output: str = ""
    ran: bool = False
    error: str | None = None

    @cached_property
    def lines(self) -> list[str]:
        return self.source.split("\n")

    def evidence(self, line: int) -> Evidence:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        at = line if self.line is None else self.line + line - 1
        return Evidence(file=self.file, cell=self.cell, line=at, quote=text.strip()[:_LONGEST_QUOTE])


def notebook_code(notebook: Notebook) -> Iterator[CodeCell]:
    """The code cells of a notebook, followed in their order."""
    yield from _cells([_piece(notebook.file, cell) for cell in notebook.cells if _is_code(cell)])


def document_code(document: Document) -> Iterator[CodeCell]:
    """The code that a document shows: one cell for each run of code lines, with the line that it begins on."""
    runs: list[list[Block]] = [[]]
    for block in document.blocks:
        if block.kind is BlockKind.CODE:
            runs[-1].append(block)
        elif runs[-1]:
            runs.append([])
    yield from _cells([_Piece(document.file, None, run[0].line, _source(run)) for run in runs if run])


def _is_code(cell: Cell) -> bool:
    return cell.kind is CellKind.CODE and bool(cell.source.strip())


def _piece(file: str, cell: Cell) -> _Piece:
    ran = cell.execution_count is not None or bool(cell.output)
    return _Piece(file, cell.index, None, cell.source.replace("\r\n", "\n"), cell.output, ran, cell.error)


def _source(blocks: Sequence[Block]) -> str:
    """Lines as they stood, with the blank ones between them."""
    lines = [blocks[0].text]
    for before, block in pairwise(blocks):
        skipped = (block.line or 0) - (before.line or 0) - 1
        lines += [""] * min(max(skipped, 0), _MOST_BLANK)
        lines.append(block.text)
    return "\n".join(lines)


def _cells(pieces: Sequence[_Piece]) -> Iterator[CodeCell]:
    trees = [tree_of(piece.source) for piece in pieces]
    follower = Follower([tree.prepared.shell for tree in trees], _STEPS)
    for home, tree in enumerate(trees):
        follower.follow(tree.statements, home)
    nodes = [tree.nodes() for tree in trees]
    functions = [_functions(follower, nodes[home], home, piece) for home, piece in enumerate(pieces)]
    commands = _commands(follower, trees, pieces)
    texts = _texts(follower, pieces)
    for home, (piece, tree) in enumerate(zip(pieces, trees, strict=True)):
        printed = "\n".join(made.text for made in follower.made if made.caller == home and not made.name)
        yield CodeCell(
            file=piece.file,
            cell=piece.cell,
            source=piece.source,
            output=piece.output,
            ran=piece.ran and not tree.prepared.is_written,
            error=piece.error,
            whole=tree.whole,
            calls=tuple(_calls(follower, nodes[home], piece)),
            functions=tuple(functions[home]),
            commands=tuple(commands[home][:_MOST_COMMANDS]),
            texts=tuple(texts[home][:_MOST_TEXTS]),
            gaps=tuple(Gap(evidence=piece.evidence(line)) for line in gap_lines(piece.source, whole=tree.whole)),
            counted=_counted(printed),
        )


def _counted(text: str) -> frozenset[int]:
    """Which numbers of the model for counting a text holds."""
    found = {re.sub(r"\D", "", match) for match in _WHOLE.findall(text)}
    return frozenset(int(number) for number in found & _COUNTABLE)


def _calls(follower: Follower, nodes: Sequence[ast.AST], piece: _Piece) -> Iterator[Call]:
    calls = (node for node in nodes if isinstance(node, ast.Call))
    for node in islice(calls, _MOST_CALLS):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else named(node.func)
        name = follower.aliases.get(name, name)
        if name != SHELL:
            yield _call(follower, node, name, piece)


def _call(follower: Follower, node: ast.Call, name: str, piece: _Piece) -> Call:
    known = follower.calls.get(id(node))
    if known:
        given, keywords = known.given, dict(known.keywords)
    else:
        given, keywords = (), {k.arg or "**": _plain(k.value) for k in node.keywords}
    is_open = "**" in keywords or any(isinstance(one, ast.Starred) for one in node.args)
    return Call(
        name=name,
        keywords={key: shown(value)[:_LONGEST_QUOTE] for key, value in keywords.items() if key != "**"},
        arguments=tuple(shown(value)[:_LONGEST_QUOTE] for value in given[:20]),
        open=is_open,
        evidence=piece.evidence(node.lineno),
    )


def _plain(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else UNKNOWN


def _functions(follower: Follower, nodes: Sequence[ast.AST], home: int, piece: _Piece) -> list[Function]:
    found: list[Function] = []
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            routine = Routine(node.name, node, home)
        elif id(node) in follower.routines:
            routine = follower.routines[id(node)]
        else:
            continue
        if len(found) < _MOST_FUNCTIONS:
            found.append(_function(follower, routine, piece))
    return found


def _function(follower: Follower, routine: Routine, piece: _Piece) -> Function:
    node = routine.node
    before = len(follower.made)
    ways = follower.summary(routine)
    prints = [made.text for made in follower.made[before:] if not made.name]
    del follower.made[before:]
    returned = [text for way in ways if way.value is not None for text in _texts_of(way.value)]
    returns = list(dict.fromkeys(text[:_LONGEST_TEXT] for text in returned))
    body = [] if isinstance(node, ast.Lambda) else [one for one in node.body if not _is_bare_constant(one)]
    return Function(
        name=routine.name,
        parameters=tuple(bound(node.args, [], {})),
        strings=tuple(text for one in body for text in _strings_of(one)),
        names=_names(node),
        returns=tuple(returns),
        prints=tuple(dict.fromkeys(one[:_LONGEST_TEXT] for one in prints)),
        counted=_counted("\n".join([*returns, *prints])),
        is_empty=not isinstance(node, ast.Lambda) and all(_does_nothing(one) for one in body),
        evidence=piece.evidence(node.lineno),
    )


def _texts_of(value: object) -> Iterator[str]:
    """The text of what is returned; of a row with new texts each of them."""
    texts = [one for one in value.values() if isinstance(one, str)] if isinstance(value, dict) else []
    yield from texts or [written(value)]


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return):
        return node.value is None or (isinstance(node.value, ast.Constant) and not node.value.value)
    return isinstance(node, ast.Pass | ast.Raise)


def _commands(follower: Follower, trees: Sequence[Tree], pieces: Sequence[_Piece]) -> list[list[Command]]:
    """The commands of each cell: those of its lines, and of functions of earlier cells that it calls."""
    found: list[list[Command]] = [[] for _ in pieces]
    exported: Variables = {}
    for home, tree in enumerate(trees):
        if tree.prepared.shell_cell is not None:
            for line, words in commands_in(tree.prepared.shell_cell, {}):
                found[home].append(Command(words=words, evidence=pieces[home].evidence(line + 1)))
        elif pieces[home].cell is None and all(_is_difference(one) for one in tree.statements):
            for line, words in commands_in(pieces[home].source, {}):
                found[home].append(Command(words=words, evidence=pieces[home].evidence(line + 1)))
    for one in follower.shelled[:_MOST_SHELLED]:
        if one.standalone is None or one.standalone not in follower.inlined:
            found[one.caller] += list(_shelled(follower, one, exported, pieces[one.home]))
    return found


def _is_difference(node: ast.stmt) -> bool:
    """Whether a statement could be a shell command as well: `fairseq-train --lr` is a difference in Python."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.BinOp)


def _shelled(follower: Follower, one: Shelled, exported: Variables, piece: _Piece) -> Iterator[Command]:
    if isinstance(one.text, tuple):
        yield Command(words=one.text, evidence=piece.evidence(one.line))
        return
    text = interpolated(one.text, lambda source: _expression(follower, source, one.names), one.names)
    for line, words in commands_in(text, exported):
        yield Command(words=words, evidence=piece.evidence(one.line + line))


def _expression(follower: Follower, source: str, names: Names) -> object:
    """The value of an expression in braces; None where it is no expression."""
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return follower.value(tree.body, dict(names))


def _texts(follower: Follower, pieces: Sequence[_Piece]) -> list[list[Text]]:
    found: list[list[Text]] = [[] for _ in pieces]
    for made in follower.made[: _MOST_TEXTS * 10]:
        text = made.text[:_LONGEST_TEXT]
        found[made.home].append(Text(name=made.name, text=text, evidence=pieces[made.home].evidence(made.line)))
    return found


def _strings_of(node: ast.AST) -> Iterator[str]:
    """String constants, in order; an f-string as one, with its placeholders as `{}`."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _strings_of(child)


def _is_bare_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _names(function: ast.AST) -> frozenset[str]:
    nodes = list(ast.walk(function))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return frozenset(attributes | {node.id for node in nodes if isinstance(node, ast.Name)})
