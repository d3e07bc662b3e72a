"""Which lines of the code of one file cannot have run: those that no path comes to, those in functions that nothing
calls, those that are text and no code, and those of cells that only show or write what they hold.

Only what plainly cannot have run is said here; anything uncertain is live.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final

from grader.claims.code.expressions import constant_value
from grader.claims.code.syntax import Tree
from grader.claims.code.values import named, truth_of

_MOST_ROUNDS: Final = 5
_LONGEST_NAMED: Final = 200
_LEAVING: Final = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort"})


def dead_nodes(trees: Sequence[Tree], unreached: Iterable[ast.AST]) -> frozenset[int]:
    """The ids of all nodes that no path comes to. `unreached` are the statements that the follower found no path to."""
    never = (*unreached, *(one for tree in trees for one in _never_reached(tree.statements)))
    return frozenset(id(node) for statement in never for node in ast.walk(statement))


def idle_nodes(trees: Sequence[Tree], dead: Set[int], *, is_notebook: bool) -> Set[int]:
    """The ids of all nodes that cannot have run; `dead` are those that no path comes to. Nothing imports a notebook, so
    a function of one that its own cells do not call is never called."""
    return dead | _never_called(trees, dead) if is_notebook else dead


def idle_lines(tree: Tree, dead: Set[int]) -> Iterator[int]:
    """The numbers from 1 of the lines of a cell that cannot have run. A line that a live call begins on is live,
    whatever else stands there."""
    if tree.prepared.is_shown:
        yield from range(1, tree.lines + 1)
        return
    idle: set[int] = set()
    live: set[int] = set()
    for statement in tree.statements:
        for node in ast.walk(statement):
            if not isinstance(node, ast.stmt | ast.expr):
                continue
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if id(node) in dead or is_text:
                idle.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            elif isinstance(node, ast.Call):
                live.add(node.lineno)
    yield from idle - live


def _never_reached(block: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Statements behind one that always leaves their block, and what a constant condition keeps from running."""
    for number, statement in enumerate(block):
        yield from _behind_constants(statement)
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list):
                yield from _never_reached(inner)
        if _always_leaves(statement):
            yield from block[number + 1 :]
            return


def _behind_constants(statement: ast.stmt) -> Iterator[ast.AST]:
    for node in ast.walk(statement):
        match node:
            case ast.If(test, body, otherwise) | ast.IfExp(test, body, otherwise):
                truth = _constant_truth(test)
                never = [] if truth is None else otherwise if truth else body
                yield from never if isinstance(never, list) else [never]
            case ast.While(test, body):
                yield from body if _constant_truth(test) is False else ()
            case ast.BoolOp(operator, values):
                ends = isinstance(operator, ast.Or)
                at = next((i for i, one in enumerate(values) if _constant_truth(one) is ends), len(values))
                yield from values[at + 1 :]


def _constant_truth(test: ast.expr) -> bool | None:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        truth = _constant_truth(test.operand)
        return None if truth is None else not truth
    return truth_of(constant_value(test.value)) if isinstance(test, ast.Constant) else None


def _always_leaves(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.Assert(test):
            return _constant_truth(test) is False
        case ast.Expr(ast.Call(function)):
            return named(function) in _LEAVING
    return False


def _never_called(trees: Sequence[Tree], dead: Set[int]) -> Set[int]:
    """The nodes in functions and classes whose name nothing uses that may run."""
    found: set[int] = set()
    defined = [
        one
        for tree in trees
        if not tree.prepared.is_written  # another file, which something may import
        for statement in tree.statements
        for node in ast.walk(statement)
        if (one := _defined(node))
    ]
    for _ in range(_MOST_ROUNDS):
        used = {name for tree in trees for name in _used_names(tree, dead | found)}
        bodies = (body for name, bodies in defined if name not in used for body in bodies)
        new = {id(inner) for body in bodies for inner in ast.walk(body)}
        if new <= found:
            break
        found |= new
    return found


def _defined(node: ast.AST) -> tuple[str, Sequence[ast.AST]] | None:
    """The name and the body of a function or class. What a decorator makes of one may call it."""
    match node:
        case ast.FunctionDef(name, body=body, decorator_list=[]) | ast.AsyncFunctionDef(
            name, body=body, decorator_list=[]
        ):
            is_special = name.startswith("__") and name.endswith("__")
            return None if is_special else (name, body)
        case ast.ClassDef(name, body=body, decorator_list=[]):
            return name, body
        case ast.Assign([ast.Name(name)], ast.Lambda(body=body)):
            return name, [body]
    return None


_WORD: Final = re.compile(r"[^\W\d]\w*")


def _used_names(tree: Tree, idle: Set[int]) -> Iterator[str]:
    """The names that a cell uses where it may run; words in texts may be names that are looked up. Of what could not be
    parsed every word counts."""
    texts = tree.prepared.shell if tree.whole else (tree.prepared.python, *tree.prepared.shell)
    yield from (match for text in texts for match in _WORD.findall(text))
    for node in (node for statement in tree.statements for node in ast.walk(statement) if id(node) not in idle):
        match node:
            case ast.Name(name, ast.Load()) | ast.Attribute(attr=name):
                yield name
            case ast.Constant(str(text)) if len(text) <= _LONGEST_NAMED:
                yield from _WORD.findall(text)
