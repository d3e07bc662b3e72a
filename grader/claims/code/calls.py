"""The calls that a cell holds, with the values of their arguments."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from grader.claims.code.expressions import called_name
from grader.claims.code.follower import Follower
from grader.claims.code.lines import SHELL
from grader.claims.code.model import Call
from grader.claims.code.operators import UNKNOWN
from grader.claims.code.piece import LONGEST_QUOTE, Piece
from grader.claims.code.plain import last_name
from grader.claims.code.values import Value, named, shown
from grader.claims.code.ways import Called

_MOST_CALLS: Final = 2_000
_MOST_ARGUMENTS: Final = 20


def calls_of(
    follower: Follower, statements: Sequence[ast.stmt], nodes: Sequence[ast.AST], dead: frozenset[int], piece: Piece
) -> Iterator[Call]:
    """The calls among the nodes of a cell; one that is gone through with different values once for each of them."""
    within = _within(statements)
    for node in islice((one for one in nodes if isinstance(one, ast.Call)), _MOST_CALLS):
        for called in follower.calls.get(id(node)) or [_not_followed(node)]:
            name = follower.aliases.get(called.name, called.name)
            if name != SHELL:
                call = _call(name, called, follower.settings.get(id(node), {}), piece)
                yield call.model_copy(update={"dead": id(node) in dead, "within": within.get(id(node), "")})


def _call(name: str, called: Called, settings: Mapping[str, Value], piece: Piece) -> Call:
    node = called.node
    given, keywords = called.given, {**called.keywords, **settings}
    if name == "from_dict" and isinstance(node.func, ast.Attribute) and _is_class(node.func.value):
        # The other way to make a configuration of transformers.
        name = last_name(node.func.value)
        keywords = {**(given[0] if given and isinstance(given[0], dict) else {"**": UNKNOWN}), **settings}
        given = ()
    is_open = "**" in keywords or any(isinstance(one, ast.Starred) for one in node.args)
    return Call(
        name=name,
        keywords={str(key): shown(value)[:LONGEST_QUOTE] for key, value in keywords.items() if key != "**"},
        arguments=tuple(shown(value)[:LONGEST_QUOTE] for value in given[:_MOST_ARGUMENTS]),
        open=is_open,
        own=called.is_own,
        evidence=piece.evidence(node.lineno),
    )


def _is_class(node: ast.expr) -> bool:
    return last_name(node)[:1].isupper()


def _not_followed(node: ast.Call) -> Called:
    keywords: dict[str, Value] = {
        one.arg or "**": one.value.value if isinstance(one.value, ast.Constant) else UNKNOWN for one in node.keywords
    }
    return Called(node, 0, called_name(node.func, None) or named(node.func), (), keywords)


def _within(statements: Sequence[ast.stmt]) -> dict[int, str]:
    """For each call in a function or class its name; one with a decorator is used by what decorates it."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    outer = [one for one in statements if isinstance(one, kinds) and not one.decorator_list]
    return {id(node): one.name for one in outer for node in ast.walk(one) if isinstance(node, ast.Call)}
