"""Find data that a student types into code: numbers, lists and tables that are assigned, shown, averaged or drawn.

Other numbers, such as arguments of other calls, are settings: `Normalize([0.485, 0.456])`.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from grader.claims.code.syntax import tree_of

_TAKE_DATA: Final = frozenset(
    [
        "print",
        "display",
        "Markdown",
        "HTML",
        "format",
        "join",
        "round",
        "float",
        "int",
        "dict",
        "list",
        "tuple",
        "set",
        "zip",
        "enumerate",
        "sorted",
        "append",
        "extend",
        "update",
        "items",
        "values",
        "DataFrame",
        "Series",
        "from_dict",
        "from_records",
        "describe",
        "array",
        "asarray",
        "tensor",
        "Tensor",
        "mean",
        "fmean",
        "nanmean",
        "average",
        "median",
        "std",
        "stdev",
        "pstdev",
        "nanstd",
        "var",
        "variance",
        "sum",
        "max",
        "min",
        "plot",
        "bar",
        "errorbar",
        "scatter",
        "boxplot",
        "tabulate",
    ]
)
"""Names of calls whose arguments are data: they store, show, average or draw it."""


@lru_cache(maxsize=256)
def typed_lines(source: str) -> frozenset[int]:
    """Return the lines of some code, numbered from 0, on which data is typed.

    In a piece that cannot be parsed, single lines of Python count.
    """
    tree = tree_of(source)
    if not tree.whole:
        lines = source.split("\n")
        return frozenset(at for at, line in enumerate(lines) if len(lines) > 1 and typed_lines(line.strip()))
    values = (value for statement in tree.statements for node in ast.walk(statement) for value in _values_of(node))
    data = (expression for value in values for expression in _data(value))
    return frozenset(chain.from_iterable(map(_lines_of, data)))


def _lines_of(expression: ast.expr) -> range:
    return range(expression.lineno - 1, expression.end_lineno or expression.lineno)


def _values_of(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that a statement assigns, shows, returns or iterates over."""
    match node:
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Expr(value=value) | ast.For(iter=value):
            yield value
        case ast.AnnAssign(value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
            yield value


def _data(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the constants of a value, except those in calls that are not about data."""
    match node:
        case ast.Constant() | ast.JoinedStr():
            yield node
            return
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _TAKE_DATA:
            parts = [node.func, *node.args, *(keyword.value for keyword in node.keywords)]
        case ast.Call() | ast.IfExp():  # the value of a conditional expression is a setting
            return
        case ast.ListComp(generators=loops) | ast.GeneratorExp(generators=loops) | ast.SetComp(generators=loops):
            parts = [loop.iter for loop in loops]
        case _:
            parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    for part in parts:
        yield from _data(part)
