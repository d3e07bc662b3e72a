"""What is gathered where code is followed: ways through a block, calls, commands and texts."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from grader.claims.code.plain import Names
from grader.claims.code.values import Hole, Value


@dataclass
class Way:
    """One way through a block: the values of its names, what was decided on it where the code leaves it open, and how
    it ended (`return`, `break`, `continue`) with which value."""

    names: Names
    decided: dict[int, bool] = field(default_factory=dict)
    ended: str = ""
    value: Value = None

    def fork(self, node: int, choice: bool) -> "Way":
        """Another way that goes on from here."""
        return Way({**self.names}, {**self.decided, node: choice})


class Shelled(NamedTuple):
    """A shell text as the code makes it: with the names at that time for a notebook's shell line, of which `number` is
    the one in its cell; with its words for a program started from Python. `caller` is the cell that makes it."""

    home: int
    line: int
    caller: int
    text: str | tuple[str, ...]
    names: Names
    standalone: str | None = None


class Called(NamedTuple):
    """A call with the values of its arguments. `name` is the last name of what is called, whatever it was kept under;
    `is_own` says that the code defines it itself."""

    node: ast.Call
    home: int
    name: str
    given: tuple[Value, ...]
    keywords: Mapping[str, Value]
    is_own: bool = False


class Made(NamedTuple):
    """A text that was kept under a name, or printed (without one)."""

    name: str
    text: str
    home: int
    line: int
    caller: int


def parameters(arguments: ast.arguments) -> Names:
    """The names of a function's arguments; their values are not known and stand for themselves."""
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return {one.arg: Hole(one.arg) for one in every if one is not None}


def bound(arguments: ast.arguments, given: Sequence[Value], keywords: Mapping[str, Value]) -> Names:
    """The names of a function's arguments with the values of a call."""
    listed = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    names = parameters(arguments)
    taken = {*listed, *(one.arg for one in arguments.kwonlyargs)}
    if "**" not in keywords:
        names |= dict(defaults(arguments))
    names |= dict(zip(listed, given, strict=False))
    names |= {name: value for name, value in keywords.items() if name in taken}
    if arguments.vararg:
        names[arguments.vararg.arg] = list(given[len(listed) :])
    if arguments.kwarg:
        names[arguments.kwarg.arg] = {name: value for name, value in keywords.items() if name not in taken}
    return names


def defaults(arguments: ast.arguments) -> Iterable[tuple[str, Value]]:
    """The arguments whose default is a plain constant."""
    listed = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    with_default = zip(listed[len(listed) - len(arguments.defaults) :], arguments.defaults, strict=True)
    for name, default in (
        *with_default,
        *zip((a.arg for a in arguments.kwonlyargs), arguments.kw_defaults, strict=True),
    ):
        if isinstance(default, ast.Constant):
            yield name, default.value
