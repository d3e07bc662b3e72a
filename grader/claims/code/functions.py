"""The functions that a cell defines: what they return, print and count."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.claims.code.follower import Follower
from grader.claims.code.model import Function
from grader.claims.code.piece import Piece
from grader.claims.code.values import ALL, FROZEN, TRAINABLE, Routine, written
from grader.claims.code.ways import parameters

LONGEST_TEXT: Final = 4_000
WHOLE: Final = re.compile(r"(?<![\w.])(?:\d{1,3}(?:[,_' ]\d{3}){1,4}|\d{1,15})(?![\d])")
_MOST_FUNCTIONS: Final = 300
_COUNTABLE: Final = {str(number) for number in (TRAINABLE, FROZEN, ALL)}


def functions_of(
    follower: Follower, nodes: Sequence[ast.AST], home: int, dead: frozenset[int], piece: Piece
) -> list[Function]:
    """The functions among the nodes of a cell, each followed with arguments that are not known."""
    found: list[Function] = []
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            routine = follower.routines.get(id(node)) or Routine(node.name, node, home)
        elif id(node) in follower.routines:
            routine = follower.routines[id(node)]
        else:
            continue
        if len(found) < _MOST_FUNCTIONS:
            is_dead = id(node) in dead
            found.append(_function(follower, routine, piece).model_copy(update={"dead": is_dead}))
    return found


def _function(follower: Follower, routine: Routine, piece: Piece) -> Function:
    node = routine.node
    before = len(follower.made)
    ways = follower.summary(routine)
    prints = [made.text for made in follower.made[before:] if not made.name]
    del follower.made[before:]
    returned = [text for way in ways if way.value is not None for text in _texts_of(way.value)]
    returns = list(dict.fromkeys(text[:LONGEST_TEXT] for text in returned))
    body = [] if isinstance(node, ast.Lambda) else [one for one in node.body if not _is_bare_constant(one)]
    return Function(
        name=routine.name,
        parameters=tuple(parameters(node.args)),
        strings=tuple(text for one in body for text in _strings_of(one)),
        names=_names(node),
        returns=tuple(returns),
        prints=tuple(dict.fromkeys(one[:LONGEST_TEXT] for one in prints)),
        counted=counted("\n".join([*returns, *prints])),
        changes=_changes(node),
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


def _changes(function: ast.AST) -> frozenset[str]:
    """The attributes that a function sets, also by a method in place such as `requires_grad_`."""
    attributes = [node for node in ast.walk(function) if isinstance(node, ast.Attribute)]
    stored = {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    return frozenset(stored | {node.attr.rstrip("_") for node in attributes if node.attr.endswith("_")})


def _names(function: ast.AST) -> frozenset[str]:
    nodes = list(ast.walk(function))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return frozenset(attributes | {node.id for node in nodes if isinstance(node, ast.Name)})


def counted(text: str) -> frozenset[int]:
    """Which numbers of the model for counting a text holds."""
    found = {re.sub(r"\D", "", match) for match in WHOLE.findall(text)}
    return frozenset(int(number) for number in found & _COUNTABLE)
