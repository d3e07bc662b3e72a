"""From notebooks, scripts and listings to what their code does."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from grader.claims.code.calls import calls_of
from grader.claims.code.follower import Follower
from grader.claims.code.functions import LONGEST_TEXT, WHOLE, counted, functions_of
from grader.claims.code.gaps import gap_lines
from grader.claims.code.model import CodeCell, Command, Gap, Text
from grader.claims.code.piece import Piece
from grader.claims.code.plain import Names
from grader.claims.code.settings_files import Settings, settings_files, with_settings
from grader.claims.code.shell import Variables, commands_in, interpolated
from grader.claims.code.tree import Tree, tree_of
from grader.claims.code.values import LARGEST
from grader.claims.code.ways import Shelled
from grader.claims.code.written import with_scripts
from grader.reading.document import Block, BlockKind, Document
from grader.reading.notebook import Cell, CellKind, Notebook

_STEPS: Final = 40_000
"""Expressions and statements that are followed in one file."""

_MOST_COMMANDS: Final = 300
_MOST_SHELLED: Final = 1_000
_MOST_TEXTS: Final = 300
_MOST_BLANK: Final = 50
_LEAST_TYPED: Final = 10_000


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
    yield from _cells([Piece(document.file, None, run[0].line, _source(run)) for run in runs if run])


def _is_code(cell: Cell) -> bool:
    return cell.kind is CellKind.CODE and bool(cell.source.strip())


def _piece(file: str, cell: Cell) -> Piece:
    order = cell.execution_count
    source = cell.source.replace("\r\n", "\n")
    return Piece(file, cell.index, None, source, cell.output, order is not None or bool(cell.output), cell.error, order)


def _source(blocks: Sequence[Block]) -> str:
    """Lines as they stood, with the blank ones between them."""
    lines = [blocks[0].text]
    for before, block in pairwise(blocks):
        skipped = (block.line or 0) - (before.line or 0) - 1
        lines += [""] * min(max(skipped, 0), _MOST_BLANK)
        lines.append(block.text)
    return "\n".join(lines)


def _cells(pieces: Sequence[Piece]) -> Iterator[CodeCell]:
    trees = [tree_of(piece.source) for piece in pieces]
    follower = Follower([tree.prepared.shell for tree in trees], _STEPS)
    for home, tree in enumerate(trees):
        follower.follow(tree.statements, home)
    nodes = [tree.nodes() for tree in trees]
    dead = frozenset(id(node) for statement in follower.unreached() for node in ast.walk(statement))
    functions = [functions_of(follower, nodes[home], home, dead, piece) for home, piece in enumerate(pieces)]
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
            calls=tuple(calls_of(follower, tree.statements, nodes[home], dead, piece)),
            functions=tuple(functions[home]),
            commands=tuple(commands[home][:_MOST_COMMANDS]),
            texts=tuple(texts[home][:_MOST_TEXTS]),
            gaps=tuple(Gap(evidence=piece.evidence(line)) for line in gap_lines(piece.source, whole=tree.whole)),
            counted=counted(printed),
            names=frozenset(_names(nodes[home])),
            typed=frozenset(_typed(nodes[home], commands[home])),
            prints=printed[:LONGEST_TEXT],
            order=piece.order,
        )


def _commands(follower: Follower, trees: Sequence[Tree], pieces: Sequence[Piece]) -> list[list[Command]]:
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
    settings = settings_files(pieces, follower.calls.values())
    told = [[_told(command, settings) for command in commands] for commands in found]
    return with_scripts([piece.source for piece in pieces], told)


def _told(command: Command, settings: Settings) -> Command:
    return command.model_copy(update={"words": with_settings(command.words, settings)}) if settings else command


def _is_difference(node: ast.stmt) -> bool:
    """Whether a statement could be a shell command as well: `fairseq-train --lr` is a difference in Python."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.BinOp)


def _shelled(follower: Follower, one: Shelled, exported: Variables, piece: Piece) -> Iterator[Command]:
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


def _texts(follower: Follower, pieces: Sequence[Piece]) -> list[list[Text]]:
    found: list[list[Text]] = [[] for _ in pieces]
    for made in follower.made[: _MOST_TEXTS * 10]:
        text = made.text[:LONGEST_TEXT]
        found[made.home].append(Text(name=made.name, text=text, evidence=pieces[made.home].evidence(made.line)))
    return found


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]


def _typed(nodes: Iterable[ast.AST], commands: Iterable[Command]) -> Iterator[int]:
    """The larger numbers that stand in code as they are."""
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    known = (one for one in constants if isinstance(one, str) or (isinstance(one, int) and one < LARGEST))
    texts = [str(one)[:LONGEST_TEXT] for one in known]
    texts += [" ".join(command.words)[:LONGEST_TEXT] for command in commands]
    for match in (match for text in texts for match in WHOLE.findall(text)):
        value = int(re.sub(r"\D", "", match))
        if value >= _LEAST_TYPED:
            yield value
