"""The data about a piece of code, and the state while the code is followed.

Texts are those that the code would make, with `⟨…⟩` for unknown values.
"""

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
"""The beginning of an unknown value in a text. Its source follows, up to `⟩`."""

HOLE: Final = re.compile(r"⟨([^⟨⟩]*)⟩")
_PROGRAM_WORDS: Final = 8
_SPEAKING: Final = frozenset((
    ":", "true", "false", "echo", "printf", "which", "whereis", "type", "man", "cat", "ls", "head", "tail", "grep",
    "find", "pip", "pip3", "apt", "apt-get", "conda", "wget", "curl", "git", "cp", "mv", "rm", "mkdir", "chmod",
    "touch", "wc",
))  # fmt: skip
"""Programs that do not run the programs in their arguments."""

_NEXT: Final = re.compile(r"--|-[A-Za-z]|[A-Za-z_]\w*\.[\w.]+=")


class Call(Frozen):
    """A call, by its last name.

    Arguments are the source of their values if these are known, otherwise their own source. `open`: some arguments are
    unknown (`**more`). `dead`: no path reaches the call. `own`: the code itself defines the called function. `within`
    is the function or class that contains it. `entries` are those of a dictionary that is its only argument, as in
    `get_peft_config({"r": 16})`.
    """

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
        """The name before the called name, `AutoModel` in `AutoModel.from_pretrained(…)`; empty if its line does not
        show it."""
        match = re.search(rf"([\w.]{{1,100}})\.{re.escape(self.name)}\(", self.evidence.quote)
        return match[1] if match else ""

    def with_names(self, arguments: Sequence[str]) -> "Call":
        """Return this call with its positional arguments under their names, in the order of `arguments`."""
        placed = dict(zip(arguments, self.arguments, strict=False))
        return self.model_copy(update={"keywords": {**placed, **self.keywords}}) if placed else self

    def with_carried(self, makers: Sequence["Call"]) -> "Call":
        """Return this call with the arguments of an object that is passed to it, `f(config=Config(a=1))`.

        They are those of the call in `makers` that made the object. If several did, some arguments are unknown.
        """
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
    """A shell command with its known variables filled in.

    `sent_to` are the files to which its output is redirected. `is_idle`: it cannot have run in its place. `script` is
    the file to which it was only written.
    """

    words: tuple[str, ...]
    evidence: Evidence
    sent_to: tuple[str, ...] = ()
    is_idle: bool = False
    script: str = ""

    @property
    def writes(self) -> tuple[str, ...]:
        """The files that it writes, by redirections and by options for output."""
        return (*self.sent_to, *(self.option("output", "outputs", "out", "o") or ()))

    def runs(self, programs: Iterable[str]) -> bool:
        """Whether it runs one of some programs, named with or without path, `python -m` and suffix."""
        if self.words[:1] and self.words[0].rpartition("/")[2] in _SPEAKING:
            return False
        head = [_bare(word) for word in self.words[:_PROGRAM_WORDS]]
        named = {_bare(program) for program in programs}
        return any(word == name or word.endswith((f"/{name}", f".{name}")) for word in head for name in named)

    def option(self, *names: str) -> tuple[str, ...] | None:
        """Return the words after the last option with one of some names (`lr` for `--lr`, `-lr` and `x.lr=`).

        Return an empty tuple for a flag, and None if the option is not given.
        """
        spelled = {name.replace("-", "_") for name in names}
        return next((words for name, words in reversed(list(self._given())) if name in spelled), None)

    def options(self) -> list[tuple[str, str]]:
        """Return all options with their first value, by name with underscores. The value of a flag is empty."""
        return [(name, words[0] if words else "") for name, words in self._given()]

    def gives(self, name: str) -> bool:
        """Whether it has an option, or a similar one that lists several values: `--validpref valid.bpe,test.bpe` gives
        `testpref`."""
        if self.option(name) is not None:
            return True
        for other, value in self.options():
            prefix = next((name[:at] for at in range(1, len(name) - 2) if other.endswith(name[at:])), None)
            if prefix and any(prefix in text.rpartition("/")[2] for text in value.split(",")[1:]):
                return True
        return False

    def _given(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for index, word in enumerate(self.words):
            name, equals, value = word.partition("=")
            if name.startswith("-") or (equals and index):
                words = (value,) if equals else tuple(takewhile(_is_value, self.words[index + 1 :]))
                yield name.lstrip("-+").replace("-", "_").rpartition(".")[2], words


class Function(Frozen):
    """A function with its string constants in order; placeholders of f-strings are `{}`.

    It has the names and attributes that its body uses, its parameters, and the texts that it returns and prints.
    `counted` are the numbers among these that it would compute for the model of `counting`. `changes` are the
    attributes that it sets. `dead`: no path reaches its definition.
    """

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
    """A text that code assigns to a name, or prints (with an empty name)."""

    name: str
    text: str
    evidence: Evidence


class Gap(Frozen):
    """A place that the handout left open and that is still open."""

    evidence: Evidence


class CodeCell(Frozen):
    """A piece of code: a notebook cell, a script, or a listing. Lines of output are numbered from 0, lines of source
    from 1."""

    file: str
    cell: int | None
    source: str
    output: str = ""
    silent: frozenset[int] = frozenset()
    """The lines of output that yield no claims."""
    ran: bool = False
    """Whether it shows a sign of a run. Only notebook cells can."""
    error: str | None = None
    """The error that ended its run, if any."""
    whole: bool = True
    """Whether all of the code could be parsed."""
    calls: tuple[Call, ...] = ()
    functions: tuple[Function, ...] = ()
    commands: tuple[Command, ...] = ()
    texts: tuple[Text, ...] = ()
    gaps: tuple[Gap, ...] = ()
    counted: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()
    """The names that it uses."""
    typed: frozenset[int] = frozenset()
    """The large numbers in its constants and strings."""
    prints: str = ""
    """The text that it would print, as far as it is known."""
    order: int | None = None
    """The number under which it was run."""
    idle: frozenset[int] = frozenset()
    """The lines that cannot have run."""
    given: frozenset[int] = frozenset()
    """The handout's lines."""
    handed: str = Field(default="", exclude=True, repr=False)
    """The source with all lines, if `source` has no lines of the handout."""

    @property
    def as_handed_in(self) -> str:
        """The source with the handout's lines."""
        return self.handed or self.source

    @cached_property
    def living(self) -> tuple[str, ...]:
        """The lines of the source, with empty lines for the handout's and for code that is commented out."""
        lines = without_commented_code(self.source.split("\n"))
        return tuple("" if number in self.given else line for number, line in enumerate(lines, start=1))

    @property
    def heard(self) -> str:
        """The output with lines that yield no claims blanked."""
        if not self.silent:
            return self.output
        return "\n".join("" if at in self.silent else line for at, line in enumerate(self.output.split("\n")))

    @property
    def does_something(self) -> bool:
        """Whether it contains a call, a function, or a command with options, so that it is not plain text."""
        options = (word.startswith("-") for command in self.commands for word in command.words)
        return bool(self.calls or self.functions) or any(options)

    def may_have_run(self, place: Evidence) -> bool:
        """Whether the line of a place in this cell may have run."""
        return (place.line or 0) not in self.idle

    @property
    def is_notebook(self) -> bool:
        """Whether it is a notebook cell, so that `ran` is known."""
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
    """One path through a block: the values of names, the decisions on open conditions, and how the path ended
    (`return`, `break`, `continue`), with the value."""

    names: Names
    decided: dict[int, bool] = field(default_factory=dict)
    ended: str = ""
    value: Value = None

    def fork(self, node: int, choice: bool) -> "ExecutionPath":
        """Return another path that continues from here."""
        return ExecutionPath({**self.names}, {**self.decided, node: choice})


class ShellText(NamedTuple):
    """A shell text that code makes.

    For a notebook's shell line, it has the names at that time, and `number` is the line in its cell. For a program
    started from Python, it has the words. `caller` is the cell that makes it, `node` the id of the call.
    """

    home: int
    line: int
    caller: int
    text: str | tuple[str, ...]
    names: Names
    standalone: str | None = None
    node: int = 0


class EvaluatedCall(NamedTuple):
    """A call with the values of its arguments. `name` is the last part of the original name. `is_own`: the code itself
    defines it."""

    node: ast.Call
    home: int
    name: str
    given: tuple[Value, ...]
    keywords: Mapping[str, Value]
    is_own: bool = False


class ProducedText(NamedTuple):
    """A text that was assigned to a name, or printed (without a name)."""

    name: str
    text: str
    home: int
    line: int
    caller: int


def parameters(arguments: ast.arguments) -> Names:
    """Return the names of a function's arguments, each with itself as its unknown value."""
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return {example.arg: Hole(example.arg) for example in every if example is not None}


def bind_arguments(arguments: ast.arguments, given: Sequence[Value], keywords: Mapping[str, Value]) -> Names:
    """Return the names of a function's arguments with the values in a call."""
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
    """Return the arguments whose default is a constant."""
    listed = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
    of_last = zip(reversed(listed), reversed(arguments.defaults), strict=False)
    by_name = zip((parameter.arg for parameter in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
    for name, default in (*of_last, *by_name):
        if isinstance(default, ast.Constant):
            yield name, default.value


LONGEST_QUOTE: Final = 300


@dataclass(frozen=True)
class Piece:
    """A source, its place, and the results of running it."""

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
        """Return the place of a line, numbered from 1."""
        text = "".join(self.lines[line - 1 : line])
        at = (self.line or 1) + line - 1
        return Evidence(file=self.file, cell=self.cell, line=at, quote=text.strip()[:LONGEST_QUOTE])
