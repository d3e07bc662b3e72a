"""Find the lines of a file that cannot have run.

They are lines that no path reaches, lines in functions that nothing calls, text that is not code, and cells that only
show or write their content. An uncertain line counts as one that can run.
"""

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any, Final

from grader.claims.code.expressions import constant_value
from grader.claims.code.syntax import Tree
from grader.claims.code.values import short_source, truth_of
from grader.language.shapes import IDENTIFIER

_MOST_ROUNDS: Final = 5
_LONGEST_NAMED: Final = 200
_LEAVING: Final = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort"})


Nodes = Sequence[ast.AST]
_BRANCHING: Final = (
    *(ast.If, ast.IfExp, ast.While, ast.BoolOp, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Try),
    *(ast.ExceptHandler, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)


def dead_nodes(trees: Sequence[Tree], nodes: Sequence[Nodes], unreached: Iterable[ast.AST]) -> frozenset[int]:
    """Return the ids of all nodes that no path reaches.

    `nodes` are those of each tree, and `unreached` the statements to which the follower found no path.
    """
    found: set[int] = set()
    never = [*unreached, *(candidate for tree in trees for candidate in _behind_leaving(tree.statements))]
    branching = (node for own_nodes in nodes for node in own_nodes if isinstance(node, _BRANCHING))
    never += (candidate for node in branching for candidate in _never_reached(node))
    for statement in never:
        if id(statement) not in found:
            found |= {id(node) for node in ast.walk(statement)}
    return frozenset(found)


def idle_nodes(trees: Sequence[Tree], nodes: Sequence[Nodes], dead: Set[int], *, is_notebook: bool) -> Set[int]:
    """Return the ids of all nodes that cannot have run. `dead` are those that no path reaches.

    Nothing imports a notebook, so a function that its own cells do not call is never called.
    """
    return dead | _never_called(trees, nodes, dead) if is_notebook else dead


def idle_lines(tree: Tree, nodes: Nodes, idle_ids: Set[int]) -> Iterator[int]:
    """Return the lines of a cell, numbered from 1, that cannot have run. A line on which a live call begins is live."""
    if tree.prepared.is_shown:
        yield from range(1, tree.lines + 1)
        return
    idle: set[int] = set()
    live: set[int] = set()
    for node in nodes:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt | ast.expr) and (is_text or id(node) in idle_ids):
            idle.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.Call):
            live.add(node.lineno)
    yield from idle - live


def _never_reached(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that a constant condition excludes, and those after statements that leave their block."""
    match node:
        case ast.If(test, body, otherwise):
            truth = _constant_truth(test)
            yield from [] if truth is None else otherwise if truth else body
        case ast.IfExp(test, expression, other):
            truth = _constant_truth(test)
            yield from [] if truth is None else [other if truth else expression]
        case ast.While(test, body):
            yield from body if _constant_truth(test) is False else ()
        case ast.BoolOp(joined_by, values):
            ends = isinstance(joined_by, ast.Or)
            at = next((i for i, operand in enumerate(values) if _constant_truth(operand) is ends), len(values))
            yield from values[at + 1 :]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield from _behind_leaving(block)


def _behind_leaving(block: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """Return the statements after one that always leaves their block."""
    at = next((number for number, statement in enumerate(block) if always_leaves(statement)), len(block))
    return block[at + 1 :]


_KNOWN: Final = {"__name__": "__main__", "TYPE_CHECKING": False, "typing.TYPE_CHECKING": False}
"""The values of names in every program and notebook that is run."""
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip


def _constant_truth(test: ast.expr) -> bool | None:
    """Whether a condition is always true (True) or never (False); None if that is unknown."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            truth = _constant_truth(operand)
            return None if truth is None else not truth
        case ast.Compare(left, [compared], [right]) if type(compared) in _COMPARISONS:
            values = [constant for expression in (left, right) for constant in _constant(expression)]
            try:
                return _COMPARISONS[type(compared)](*values) if len(values) == 2 else None
            except TypeError:
                return None
    return next((truth_of(constant_value(constant)) for constant in _constant(test)), None)


def _constant(node: ast.expr) -> Iterator[Any]:
    """Return the value of an expression that is the same in every run, if it is constant."""
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, ast.Name | ast.Attribute) and (name := short_source(node)) in _KNOWN:
        yield _KNOWN[name]


def always_leaves(statement: ast.stmt) -> bool:
    """Whether no statement after this one in the same block is reached."""
    match statement:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.Assert(test):
            return _constant_truth(test) is False
        case ast.Expr(ast.Call(function)):
            return short_source(function) in _LEAVING
    return False


def _never_called(trees: Sequence[Tree], nodes: Sequence[Nodes], dead: Set[int]) -> Set[int]:
    """Return the nodes in functions and classes whose names are not used by any code that may run."""
    found: set[int] = set()
    pairs = list(zip(trees, nodes, strict=True))
    # Definitions in a file that a cell writes may be imported elsewhere.
    own_nodes = (node for tree, inner in pairs if not tree.prepared.is_written for node in inner)
    defined = [definition for node in own_nodes if (definition := _defined(node))]
    for _ in range(_MOST_ROUNDS if defined else 0):
        idle = dead | found
        used = {name for pair in pairs for name in _used_names(*pair, idle)}
        bodies = (body for name, bodies in defined if name not in used for body in bodies)
        new = {id(inner) for body in bodies for inner in ast.walk(body)}
        if new <= found:
            break
        found |= new
    return found


def _defined(node: ast.AST) -> tuple[str, Sequence[ast.AST]] | None:
    """Return the name and the body of a function or class. A decorator may call it."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if not node.decorator_list:
            is_special = node.name.startswith("__") and node.name.endswith("__")
            return None if is_special and not isinstance(node, ast.ClassDef) else (node.name, node.body)
        case ast.Assign([ast.Name(name)], ast.Lambda(body=body)):
            return name, [body]
    return None


def _used_names(tree: Tree, nodes: Nodes, idle: Set[int]) -> Iterator[str]:
    """Return the names that a cell uses where it may run.

    Words in strings count, because names may be looked up. In code that could not be parsed, every word counts.
    """
    texts = tree.prepared.shell if tree.whole else (tree.prepared.python, *tree.prepared.shell)
    yield from (match for text in texts for match in IDENTIFIER.findall(text))
    for node in (node for node in nodes if id(node) not in idle):
        match node:
            case ast.Name(name, ast.Load()) | ast.Attribute(attr=name):
                yield name
            case ast.Constant(str(text)) if len(text) <= _LONGEST_NAMED:
                yield from IDENTIFIER.findall(text)
