"""The pieces of code that a lab asks for, a function or some cells, with the student's functions that they call.

Code is parsed, never executed.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from grader.claims.code.liveness import dead_nodes, idle_nodes
from grader.claims.code.model import CodeCell
from grader.claims.code.syntax import MARK, PreparedCell, Tree, tree_of
from grader.reading.document import Evidence

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Definition = FunctionNode | ast.ClassDef
_MOST_HELPERS: Final = 40
_LONGEST_QUOTE: Final = 300
LOOPS: Final = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""Loops and comprehensions."""


class ParsedCell(NamedTuple):
    """A cell with its syntax tree."""

    cell: CodeCell
    tree: Tree

    def evidence(self, node: ast.AST) -> Evidence:
        """Return the place where a node of the cell begins."""
        number = getattr(node, "lineno", 1)
        lines = self.cell.as_handed_in.split("\n")
        quote = "".join(lines[number - 1 : number]).strip()[:_LONGEST_QUOTE]
        # The line number in the file of a listing is known only from a function in it.
        known_function = next(
            (function for function in self.cell.functions if function.name == getattr(node, "name", None)), None
        )
        line = known_function.evidence.line if known_function else number if self.cell.is_notebook else None
        return Evidence(file=self.cell.file, cell=self.cell.cell, line=line, quote=quote)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some statements of a cell, and whether they are the body of a required function."""

    home: ParsedCell
    body: Sequence[ast.stmt]
    definition: Definition | None = None

    @property
    def evidence(self) -> Evidence:
        """Return the place where the piece begins."""
        return self.home.evidence(self.definition or self.body[0])

    @property
    def parameters(self) -> tuple[str, ...] | None:
        """The names of a function's parameters, or of a class's `__init__`, without the object itself.

        None if there is no function, or if it takes any parameters.
        """
        node = self.definition
        if isinstance(node, ast.ClassDef):
            node = next(
                (
                    statement
                    for statement in node.body
                    if isinstance(statement, FunctionNode) and statement.name == "__init__"
                ),
                None,
            )
        if node is None or node.args.vararg or node.args.kwarg:
            return None
        names = [parameter.arg for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        return tuple(names[1:] if names[:1] in (["self"], ["cls"]) else names)

    @property
    def needed(self) -> int:
        """The number of a function's parameters without a default, or 0 if unknown."""
        node = self.definition
        if not isinstance(node, FunctionNode):
            return 0
        optional = len(node.args.defaults) + sum(default is not None for default in node.args.kw_defaults)
        return len(self.parameters or ()) - optional

    @cached_property
    def own(self) -> tuple[ast.AST, ...]:
        """The nodes that may run and are on no line of the handout.

        In a cell that was run, statements of the handout that use a value from the student's lines count, too.
        """
        given = self.home.cell.given
        is_cell = self.definition is None and self.home.cell.ran
        used = set(self._completed()) if is_cell else set[int]()
        return tuple(node for node in self.live if id(node) in used or getattr(node, "lineno", 0) not in given)

    def _completed(self) -> Iterator[int]:
        """Yield the nodes of the handout's statements that use a value from the student's lines."""
        own_names: set[str] = set()
        for statement in self.body:
            nodes = tuple(ast.walk(statement))
            is_given = statement.lineno in self.home.cell.given
            is_using = isinstance(statement, ast.Assign | ast.Expr) and bool(_names_in(nodes, ast.Load) & own_names)
            if is_given and is_using:
                yield from map(id, nodes)
            if is_using or not is_given:
                own_names |= _names_in(nodes, ast.Store)

    @cached_property
    def live(self) -> tuple[ast.AST, ...]:
        """The nodes that may run."""
        tree = Tree(tuple(self.body), PreparedCell(), whole=True)
        nodes = tree.nodes()
        dead = dead_nodes([tree], [nodes], ())
        idle = idle_nodes([tree], [nodes], dead, is_notebook=self.definition is not None)
        # A docstring, or a text that is commented out by quotes, does nothing.
        texts = {
            id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        return tuple(node for node in nodes if id(node) not in idle | texts)

    @property
    def is_empty(self) -> bool:
        """Whether it contains nothing of the student's."""
        return all(map(_does_nothing, (node for node in self.own if isinstance(node, ast.stmt))))

    @property
    def is_given(self) -> bool:
        """Whether it is unchanged from the handout: it does something and leaves no gap to fill in."""
        if self.definition is None or not all(map(_is_text, self.own)):
            return False
        lines = self.home.cell.as_handed_in.split("\n")[self.definition.lineno - 1 : self.definition.end_lineno]
        is_open = any(isinstance(node, ast.Constant) and node.value is ... for node in self.live)
        does = any(isinstance(node, ast.stmt) and not _does_nothing(node) for node in self.live)
        return does and not is_open and not MARK.search("\n".join(lines))

    @cached_property
    def other_names(self) -> dict[str, ast.expr]:
        """Other names of values: `model` stands for `network` after `model = network`."""
        plain = (node for node in self.live if isinstance(node, ast.Assign) and len(node.targets) == 1)
        return {
            node.targets[0].id: node.value
            for node in plain
            if isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Name | ast.Attribute)
        }


def _is_text(node: ast.AST) -> bool:
    """Whether a node is no statement, or only a text, such as a docstring of another edition."""
    return not isinstance(node, ast.stmt) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _does_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Raise() | ast.Import() | ast.ImportFrom() | ast.Return(None):
            return True
        case ast.Return(ast.Constant(value)):
            return not value
        case ast.Expr(ast.Constant()) | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return True
        case ast.Assign(value=ast.Constant(None)):
            return True
    return False


class Code:
    """The code of a submission as it was handed in."""

    def __init__(self, cells: Iterable[CodeCell]) -> None:
        self.parsed = tuple(ParsedCell(cell, tree_of(cell.as_handed_in)) for cell in cells)
        self._defined: dict[str, list[Piece]] = {}
        for home in self.parsed:
            for name, node in _definitions(home.tree.statements):
                self._defined.setdefault(name, []).append(Piece(home, node.body, node))
        self.aliases: dict[str, dict[str, str]] = {home.cell.file: {} for home in self.parsed}
        for home in self.parsed:
            self.aliases[home.cell.file] |= dict(_imported(home.tree.statements))

    def definitions_of(self, name: str) -> list[Piece]:
        """Return the functions, methods (`Class.method`) and classes with a name; of several in one file, the last."""
        return list({piece.home.cell.file: piece for piece in self._defined.get(name, ())}.values())

    def unread(self, name: str) -> list[Evidence]:
        """Return the places where code that cannot be parsed may define a name."""
        last = name.rpartition(".")[2]
        broken = (home.cell for home in self.parsed if not home.tree.whole)
        return [
            Evidence(file=cell.file, cell=cell.cell, quote=f"{word} {last}")
            for cell in broken
            for word in ("def", "class")
            if f"{word} {last}" in cell.as_handed_in
        ]

    def nodes_of(self, pieces: Iterable[Piece], *, with_given: bool = False) -> list["Node"]:
        """Return the nodes that may run in some pieces and in the student's functions that they call, directly or
        indirectly.

        The handout's nodes are included only if `with_given` is set.
        """
        found = list(pieces)
        for piece in found:  # the list grows during the loop
            if len(found) <= _MOST_HELPERS:
                found += self._helpers(piece, {id(other.definition) for other in found})
        return [
            (found_piece, node)
            for found_piece in found
            for node in (found_piece.live if with_given else found_piece.own)
        ]

    def related_statements(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the statements in other cells that belong to some cells.

        They make a value that the cells use, or change a part of a value that the cells make: `network.fc = Linear(9,
        2)`.
        """
        others = self._assignments_beside(pieces)
        within = [node for piece in pieces for node in piece.live]
        made = _names_in(within, ast.Store)
        changing = [other for other in others if _changed(other.body[0]) & made]
        used = _names_in([*within, *(node for other in changing for node in other.live)], ast.Load)
        making = [other for other in others if _names_in(other.live, ast.Store) & used]
        return [*changing, *making]

    def _assignments_beside(self, pieces: Sequence[Piece]) -> list[Piece]:
        homes, files = {id(piece.home.cell) for piece in pieces}, {piece.home.cell.file for piece in pieces}
        return [
            Piece(home, (statement,))
            for home in self.parsed
            if id(home.cell) not in homes and home.cell.file in files
            for statement in home.tree.statements
            if isinstance(statement, ast.Assign | ast.AnnAssign)
        ]

    def _helpers(self, piece: Piece, seen: Set[int]) -> list[Piece]:
        """Return the student's functions that a piece calls, except some; those in its own file first."""
        found: list[Piece] = []
        for name in dict.fromkeys(called_name(node.func) for node in piece.own if isinstance(node, ast.Call)):
            every = self.definitions_of(
                name.replace("self", self._class_of(piece), 1) if name.startswith("self.") else name
            )
            near = [other for other in every if other.home.cell.file == piece.home.cell.file]
            found += [other for other in near or every if id(other.definition) not in seen]
        return found

    def _class_of(self, piece: Piece) -> str:
        """Return the class to which a method belongs."""
        dotted = (
            name
            for name, some in self._defined.items()
            for candidate in some
            if candidate.definition is piece.definition
        )
        return next((name.rpartition(".")[0] for name in dotted if "." in name), "")

    def is_called(self, function: ast.expr, name: str, file: str) -> bool:
        """Whether a called expression in a file has a name, by its last parts or as it was imported."""
        asked = name.split(".")
        file_aliases = self.aliases.get(file, {})
        plain = called_name(function).split(".")
        resolved_parts = [*file_aliases.get(plain[0], plain[0]).split("."), *plain[1:]]
        full = [*file_aliases.get(asked[0], asked[0]).split("."), *asked[1:]]
        is_of_all = "*" in file_aliases and plain == asked[-1:]
        return is_of_all or resolved_parts == full or asked in (resolved_parts[-len(asked) :], plain[-len(asked) :])

    def unused_nodes(self) -> set[int]:
        """Return the nodes within functions and classes that no other code names."""
        every = [node for home in self.parsed for node in home.tree.nodes()]
        named = Counter(filter(None, map(_name_of, every)))
        found: set[int] = set()
        for home in self.parsed:
            for definition in home.tree.statements:
                if isinstance(definition, Definition) and not definition.decorator_list:
                    within = list(ast.walk(definition))
                    is_named = named[definition.name] > sum(_name_of(node) == definition.name for node in within)
                    found |= set() if is_named else set(map(id, within))
        return found

    @cached_property
    def set_names(self) -> frozenset[str]:
        """The names that the student's code defines or assigns, without imports."""
        nodes = (node for home in self.parsed for node in home.tree.nodes())
        stored = (node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        return frozenset((*self._defined, *stored))


Node = tuple[Piece, ast.AST]
"""A node with the piece that contains it."""


def _names_in(nodes: Iterable[ast.AST], use: type[ast.expr_context]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, use)}


def _name_of(node: ast.AST) -> str:
    """Return the name with which a node refers to a function or class, or an empty text."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def _changed(statement: ast.stmt) -> set[str]:
    """Return the names of values of which an assignment changes a part."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    parts = (target for target in targets if isinstance(target, ast.Attribute | ast.Subscript))
    return {node.id for part in parts for node in ast.walk(part.value) if isinstance(node, ast.Name)}


def called_name(function: ast.expr) -> str:
    """Return the dotted name of an expression. An attribute of a value is its name with a dot before it."""
    match function:
        case ast.Name(name):
            return name
        case ast.Attribute(base, name):
            before = called_name(base)
            return f"{before}.{name}"
    return ""


def _definitions(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, Definition]]:
    """Yield the functions and classes in some statements, and methods under the names of their classes."""
    for node in statements:
        if isinstance(node, Definition):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            yield from (
                (f"{node.name}.{statement.name}", statement)
                for statement in node.body
                if isinstance(statement, FunctionNode)
            )
        for block in (getattr(node, "body", ()), getattr(node, "orelse", ())) if isinstance(node, ast.If) else ():
            yield from _definitions(block)


def _imported(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Return the names that imports in some statements bind, with their meaning."""
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.Import):
            for name in node.names:
                first = name.name.partition(".")[0]
                yield (name.asname, name.name) if name.asname else (first, first)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
