"""The data about a piece of code, and how it is gathered while the code is followed. Texts are as the code would make
them, with `⟨…⟩` for what cannot be known."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Final, NamedTuple

from pydantic import Field

from grader.claims.code.commented import without_commented_code
from grader.claims.code.expressions import Names
from grader.claims.code.values import Hole, Value
from grader.frozen import Frozen
from grader.reading.document import Evidence
from grader.reading.log import programs

OPEN: Final = "⟨"
"""Begins the place of an unknown value in a text; its source follows, and `⟩` ends it."""

HOLE: Final = re.compile(r"⟨([^⟨⟩]*)⟩")
_PROGRAM_WORDS: Final = 8
_SPEAKING: Final = frozenset((
    ":", "true", "false", "echo", "printf", "which", "whereis", "type", "man", "cat", "ls", "head", "tail", "grep",
    "find", "pip", "pip3", "apt", "apt-get", "conda", "wget", "curl", "git", "cp", "mv", "rm", "mkdir", "chmod",
    "touch", "wc",
))  # fmt: skip
"""Programs that run none of those which their arguments name."""

_NEXT: Final = re.compile(r"--|-[A-Za-z]|[A-Za-z_]\w*\.[\w.]+=")


class Call(Frozen):
    """A call by its last name. Arguments are the source of their values where these are known, else their own source;
    `open` tells that some arguments are not (`**more`), `dead` that no path through the code comes to it, and `own`
    that the code defines itself what is called. `within` is the function or class that it stands in. `entries` are
    those of a table that is its only argument, as in `get_peft_config({"r": 16})`."""

    name: str
    keywords: dict[str, str]
    arguments: tuple[str, ...] = ()
    open: bool = False
    dead: bool = False
    own: bool = False
    within: str = ""
    entries: dict[str, str] = Field(default_factory=dict)
    evidence: Evidence

    @property
    def receiver(self) -> str:
        """The name of what it is called on, with its module: `AutoModel` of `AutoModel.from_pretrained(…)`. Empty where
        its line does not show that."""
        match = re.search(rf"([\w.]{{1,100}})\.{re.escape(self.name)}\(", self.evidence.quote)
        return match[1] if match else ""

    def with_names(self, arguments: Sequence[str]) -> "Call":
        """This call with the arguments that were given by place under their names, in the order of `arguments`."""
        placed = dict(zip(arguments, self.arguments, strict=False))
        return self.model_copy(update={"keywords": {**placed, **self.keywords}}) if placed else self

    def with_carried(self, makers: Sequence["Call"]) -> "Call":
        """This call with the arguments that an object brings to it, `f(config=Config(a=1))`: those of the call of
        `makers` that made it. Where several did, some arguments are not known."""
        for name, value in self.keywords.items():
            made = [maker for maker in makers if re.match(rf"{re.escape(maker.name)}\(", value) and not maker.dead]
            if made:
                rest = {argument: given for argument, given in self.keywords.items() if argument != name}
                is_one = all(call.keywords == made[0].keywords for call in made)
                carried = made[0].keywords if is_one else {}
                is_open = self.open or not is_one or made[0].open
                return self.model_copy(update={"keywords": {**carried, **rest}, "open": is_open})
        return self


class Command(Frozen):
    """A shell command, its variables filled in where they are known. `sent_to` are the files that its output goes to by
    a redirection. `is_idle` says that it cannot have run where it stands, and `script` names the file that it was only
    written to."""

    words: tuple[str, ...]
    evidence: Evidence
    sent_to: tuple[str, ...] = ()
    is_idle: bool = False
    script: str = ""

    @property
    def writes(self) -> tuple[str, ...]:
        """The files that it writes, as far as its line names them: by redirections and options for outputs."""
        return (*self.sent_to, *(self.option("output", "outputs", "out", "o") or ()))

    def runs(self, programs: Iterable[str]) -> bool:
        """Whether it runs one of some programs, named with or without path, `python -m` and suffix."""
        if self.words[:1] and self.words[0].rpartition("/")[2] in _SPEAKING:
            return False
        head = [_bare(word) for word in self.words[:_PROGRAM_WORDS]]
        named = {_bare(program) for program in programs}
        return any(word == name or word.endswith((f"/{name}", f".{name}")) for word in head for name in named)

    def option(self, *names: str) -> tuple[str, ...] | None:
        """The words given to the last of the options with one of some names (`lr` for `--lr`, `-lr` and `x.lr=`),
        none for a flag; None where it is not given."""
        spelled = {name.replace("-", "_") for name in names}
        return next((words for name, words in reversed(list(self._given())) if name in spelled), None)

    def options(self) -> list[tuple[str, str]]:
        """All options with their first value, an empty one for a flag, by their names with underscores."""
        return [(name, words[0] if words else "") for name, words in self._given()]

    def gives(self, name: str) -> bool:
        """Whether it has an option, or another one of its kind, by the last letters of its name, that lists what this
        one would name as well: `--validpref valid.bpe,test.bpe` gives `testpref`."""
        if self.option(name) is not None:
            return True
        for other, value in self.options():
            own = next((name[:at] for at in range(1, len(name) - 2) if other.endswith(name[at:])), None)
            if own and any(own in text.rpartition("/")[2] for text in value.split(",")[1:]):
                return True
        return False

    def _given(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for index, word in enumerate(self.words):
            name, equals, value = word.partition("=")
            if name.startswith("-") or (equals and index):
                words = (value,) if equals else tuple(takewhile(_is_value, self.words[index + 1 :]))
                yield name.lstrip("-+").replace("-", "_").rpartition(".")[2], words


class Function(Frozen):
    """A function: its string constants in order (placeholders of f-strings as `{}`), the names and attributes that
    its body uses, its parameters, the texts that it returns on its paths through, and what it prints. `counted` are the
    numbers among these that it would reach for the model of `counting`. `changes` are the attributes that it sets,
    and `dead` tells that no path through the code comes to its definition."""

    name: str
    parameters: tuple[str, ...]
    strings: tuple[str, ...]
    names: frozenset[str]
    returns: tuple[str, ...]
    prints: tuple[str, ...]
    counted: frozenset[int]
    changes: frozenset[str]
    is_empty: bool
    dead: bool
    evidence: Evidence


class Text(Frozen):
    """A text that code makes and keeps under a name, or prints (then the name is empty)."""

    name: str
    text: str
    evidence: Evidence


class Gap(Frozen):
    """A place that the hand-out left open and that still is."""

    evidence: Evidence


class CodeCell(Frozen):
    """A piece of code: a notebook cell, a script, or a listing. `ran` and `error` are known only for notebook cells.
    `whole` is false where a part of the code could not be parsed. `names` are those that it uses, `typed` the larger
    numbers that stand in it as constants or within texts, `prints` what it would print as far as that is known, and
    `order` is the number under which it was run. `silent` are the numbers from 0 of the lines of its output that yield
    nothing. Of the lines from 1 `idle` are those that cannot have run, and `given` those that are the hand-out's. Where
    `source` is without these, `handed` is the source with all its lines."""

    file: str
    cell: int | None
    source: str
    output: str = ""
    silent: frozenset[int] = frozenset()
    ran: bool = False
    error: str | None = None
    whole: bool = True
    calls: tuple[Call, ...] = ()
    functions: tuple[Function, ...] = ()
    commands: tuple[Command, ...] = ()
    texts: tuple[Text, ...] = ()
    gaps: tuple[Gap, ...] = ()
    counted: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()
    typed: frozenset[int] = frozenset()
    prints: str = ""
    order: int | None = None
    idle: frozenset[int] = frozenset()
    given: frozenset[int] = frozenset()
    handed: str = Field(default="", exclude=True, repr=False)

    @property
    def as_handed_in(self) -> str:
        """The source with the hand-out's lines."""
        return self.handed or self.source

    @cached_property
    def living(self) -> tuple[str, ...]:
        """The student's lines of the source: each that is the hand-out's or commented out as an empty one."""
        lines = without_commented_code(self.source.split("\n"))
        return tuple("" if number in self.given else line for number, line in enumerate(lines, start=1))

    @property
    def heard(self) -> str:
        """Its output with the lines left blank that yield nothing."""
        if not self.silent:
            return self.output
        return "\n".join("" if at in self.silent else line for at, line in enumerate(self.output.split("\n")))

    @property
    def does_something(self) -> bool:
        """Whether it holds a call, a function, or a command with options, so that it is no plain text."""
        options = (word.startswith("-") for command in self.commands for word in command.words)
        return bool(self.calls or self.functions) or any(options)

    def may_have_run(self, place: Evidence) -> bool:
        """Whether the line of a place in this cell may have run."""
        return (place.line or 0) not in self.idle

    @property
    def is_notebook(self) -> bool:
        """Whether it is a cell, so that `ran` means something."""
        return self.cell is not None


def _bare(word: str) -> str:
    word = word.removesuffix(".py").replace("\\", "/")
    for module in (module for framework in programs().frameworks for module in framework.modules):
        word = word.replace(f"{module}.", f"{module}/")
    return word


def _is_value(word: str) -> bool:
    return not _NEXT.match(word)


@dataclass
class ExecutionPath:
    """One path through a block: the values of its names, what was decided on it where the code leaves it open, and how
    it ended (`return`, `break`, `continue`) with which value."""

    names: Names
    decided: dict[int, bool] = field(default_factory=dict)
    ended: str = ""
    value: Value = None

    def fork(self, node: int, choice: bool) -> "ExecutionPath":
        """Another path that goes on from here."""
        return ExecutionPath({**self.names}, {**self.decided, node: choice})


class Shelled(NamedTuple):
    """A shell text as the code makes it: with the names at that time for a notebook's shell line, of which `number` is
    the one in its cell; with its words for a program started from Python. `caller` is the cell that makes it,
    `node` the id of the call."""

    home: int
    line: int
    caller: int
    text: str | tuple[str, ...]
    names: Names
    standalone: str | None = None
    node: int = 0


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
    return {example.arg: Hole(example.arg) for example in every if example is not None}


def bound(arguments: ast.arguments, given: Sequence[Value], keywords: Mapping[str, Value]) -> Names:
    """The names of a function's arguments with the values of a call."""
    listed = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
    names = parameters(arguments)
    taken = {*listed, *(parameter.arg for parameter in arguments.kwonlyargs)}
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
    listed = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
    of_last = zip(reversed(listed), reversed(arguments.defaults), strict=False)
    by_name = zip((parameter.arg for parameter in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
    for name, default in (*of_last, *by_name):
        if isinstance(default, ast.Constant):
            yield name, default.value


LONGEST_QUOTE: Final = 300


@dataclass(frozen=True)
class Piece:
    """A source, where it stands, and what came of running it."""

    file: str
    cell: int | None
    line: int | None
    source: str
    output: str = ""
    ran: bool = False
    error: str | None = None
    order: int | None = None

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the source."""
        return self.source.split("\n")

    def evidence(self, line: int) -> Evidence:
        """A line by its number from 1."""
        text = "".join(self.lines[line - 1 : line])
        at = (self.line or 1) + line - 1
        return Evidence(file=self.file, cell=self.cell, line=at, quote=text.strip()[:LONGEST_QUOTE])
