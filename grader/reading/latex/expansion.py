"""The stream of tokens with the document's own commands expanded, its conditionals decided and its files included."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

from grader.reading.latex.arithmetic import computed
from grader.reading.latex.macros import DEFINERS, Definitions, Macro
from grader.reading.latex.numbering import Numbering
from grader.reading.latex.references import REFERENCES, Label, shown_of
from grader.reading.latex.stream import Stream, written
from grader.reading.latex.tokens import Kind, Token

MOST_EXPANSIONS: Final = 20_000
MOST_YIELDED: Final = 300_000
"""Tokens that macros may yield, all together."""

_INPUTS: Final = frozenset({"input", "include", "subfile", "subfileinclude", "InputIfFileExists", "@input"})
_IMPORTS: Final = frozenset({"import", "subimport", "inputfrom", "subinputfrom", "includefrom", "subincludefrom"})
_CHOICES: Final = frozenset({"ifthenelse", "IfFileExists", "iftoggle", "ifdef", "ifbool"})
_NO_CONDITION: Final = frozenset({"iff", *_CHOICES})
_LISTINGS: Final = {
    "lstinputlisting": 0,
    "verbatiminput": 0,
    "VerbatimInput": 0,
    "inputminted": 1,
    "tcbinputlisting": 0,
}
"""Commands that show a file as it stands, with the number of arguments before its name."""

_LONGEST_NUMBER: Final = 100
"""Expansions for a number that the document shows in a way of its own."""


class Opener(Protocol):
    """Finds the files that a document names."""

    def open(self, name: str, folder: str, place: Token) -> Iterator[Token] | None:
        """The tokens of the file that a command at a place includes; None where it is not read."""

    def listed(self, name: str, options: str, place: Token) -> Iterator[Token] | None:
        """The lines of a file that is shown as it stands; None where it is not read."""


class Expansion(Stream):
    """Tokens as TeX would see them; one use only. `files` finds what `\\input` and the like name; `labels` are what
    references show, where they are known already."""

    def __init__(self, tokens: Iterator[Token], files: Opener, labels: Mapping[str, Label] | None = None) -> None:
        super().__init__(tokens)
        self._labels = labels
        self.definitions = Definitions()
        self.numbering = Numbering()
        self.expansions = 0
        self.yielded = 0
        self._files = files
        self._literal = False

    @property
    def is_runaway(self) -> bool:
        """Whether macros were expanded up to the bound; further calls are left out."""
        return self.expansions >= MOST_EXPANSIONS or self.yielded >= MOST_YIELDED

    def take(self) -> Token | None:
        """The next token that is no definition, condition or call of a macro."""
        while (token := self.raw()) is not None:
            if self._literal or token.kind is not Kind.COMMAND:
                return token
            known = self._handled(token)
            if known is not None:
                return known
        return None

    def _handled(self, token: Token) -> Token | None:
        """The token to go on with, or None when it was dealt with."""
        name = token.text
        if name in self.definitions.macros:
            self._expand(self.definitions.macros[name], token)
        elif name in DEFINERS:
            self._define(name)
        elif name in ("begin", "end"):
            return self._environment(token)
        elif name in _INPUTS or name in _IMPORTS:
            self._include(token)
        elif name in _LISTINGS:
            self._list(token)
        elif name in REFERENCES and self._labels is not None:
            self._refer(token, self._labels)
        elif not self._is_condition(name):
            shown = computed(token, self, self.numbering)
            if shown is None:
                return token
            self.push(shown)
        return None

    def number_of(self, counter: str) -> str:
        """The number of a counter as the document shows it."""
        own = self.definitions.macros.get(f"the{counter}")
        if own is None or own.defaults:
            return self.numbering.shown(counter)
        inner = Expansion(iter(own.body), self._files)
        inner.definitions, inner.numbering = self.definitions, self.numbering
        inner.expansions = MOST_EXPANSIONS - _LONGEST_NUMBER
        found: list[Token] = []
        while len(found) < _LONGEST_NUMBER and (token := inner.take()) is not None:
            found.append(token)
        return written(found)

    def _define(self, definer: str) -> None:
        known = len(self.definitions.theorems)
        self._literally(lambda: self.definitions.read(definer, self))
        if len(self.definitions.theorems) > known:
            theorem = list(self.definitions.theorems.values())[-1]
            if theorem.within:
                self.numbering.put_within(theorem.counter, theorem.within)

    def _literally(self, action: Callable[[], object]) -> None:
        self._literal = True
        try:
            action()
        finally:
            self._literal = False

    def _expand(self, macro: Macro, place: Token) -> None:
        arguments: list[list[Token]] = []
        self._literally(lambda: arguments.extend(self._arguments(macro)))
        self.expansions += 1
        self.yielded += _length(macro.body, arguments)
        if not self.is_runaway:
            self.push(_filled(macro.body, arguments, place))

    def _arguments(self, macro: Macro) -> Iterator[list[Token]]:
        for default in macro.defaults:
            if default is None:
                yield self.argument()
            else:
                given = self.option()
                yield default if given is None else given

    def _environment(self, place: Token) -> Token | None:
        """The begin or end of an environment as one token; one of the document's own is replaced by what it stands
        for."""
        names: list[str] = []
        self._literally(lambda: names.append(self.words()))
        name = names[0]
        own = self.definitions.environments.get(name)
        if own is None or self.is_runaway:
            kind = Kind.BEGIN if place.text == "begin" else Kind.END
            return place._replace(kind=kind, text=name)
        if place.text == "begin":
            self._expand(own.opening, place)
        else:
            self._expand(Macro((), own.closing), place)
        return None

    def _refer(self, place: Token, labels: Mapping[str, Label]) -> None:
        """What a reference shows."""
        found: list[str] = []

        def read() -> None:
            self.starred()
            found.append(written(self.argument()))

        self._literally(read)
        self.push([place._replace(kind=Kind.TEXT, text=shown_of(place.text, found[0], labels))])

    def _list(self, place: Token) -> None:
        """The file that a command shows as it stands."""
        options = written(self.option() or [])
        for _ in range(_LISTINGS[place.text]):
            self.argument()
        found = self._files.listed(self._name(), options, place)
        if found is not None:
            self.include(found)

    def _include(self, place: Token) -> None:
        folder = ""
        if place.text in _IMPORTS:
            folder = self._name()
        found = self._files.open(self._name(), folder, place)
        if found is not None:
            self.include(found)

    def _name(self) -> str:
        """A file's name, in braces or up to a space."""
        found: list[str] = []

        def read() -> None:
            self.skip_blank()
            group = self.group()
            if group is not None:
                found.append(written(group))
                return
            while (token := self.take()) is not None:
                if token.kind is not Kind.TEXT:
                    self.push([token])
                    return
                found.append(token.text)

        self._literally(read)
        return "".join(found)

    def _is_condition(self, name: str) -> bool:
        """Whether a command belongs to a condition, which is then dealt with. One that cannot be decided counts as
        true."""
        switches = self.definitions.switches
        if name in _CHOICES:
            self._choose()
        elif name == "fi":
            pass
        elif name == "else":
            self._skip(("fi",))
        elif name.startswith("if") and name not in _NO_CONDITION:
            if name == "iffalse" or switches.get(name[2:]) is False:
                self._skip(("fi", "else"))
            elif name in ("ifx", "ifdefined", "ifdim", "ifnum", "ifodd", "ifcat"):
                self._literally(lambda: [self.argument() for _ in range(2 if name in ("ifx", "ifcat") else 1)])
        elif name.endswith("true") and name[:-4] in switches:
            switches[name[:-4]] = True
        elif name.endswith("false") and name[:-5] in switches:
            switches[name[:-5]] = False
        else:
            return False
        return True

    def _choose(self) -> None:
        """`\\ifthenelse{test}{yes}{no}`: yes."""
        found: list[list[Token]] = []
        self._literally(lambda: found.extend(self.argument() for _ in range(3)))
        self.push(found[1])

    def _skip(self, ends: tuple[str, ...]) -> None:
        """Pass what a condition leaves out, with conditions in it."""
        depth = 0
        while (token := self.raw()) is not None:
            if token.kind is not Kind.COMMAND:
                continue
            if token.text in ends and depth == 0:
                return
            depth -= token.text == "fi"
            depth += token.text.startswith("if") and token.text not in _NO_CONDITION


def _argument(token: Token, arguments: list[list[Token]]) -> list[Token]:
    """What stands for a parameter."""
    number = int(token.text[-1]) if token.text[-1] != "#" else 0
    return arguments[number - 1] if 0 < number <= len(arguments) else []


def _length(body: list[Token], arguments: list[list[Token]]) -> int:
    return sum(len(_argument(token, arguments)) if token.kind is Kind.PARAMETER else 1 for token in body)


def _filled(body: list[Token], arguments: list[list[Token]], place: Token) -> list[Token]:
    """A macro's body with its arguments; what is its own stands where it is called."""
    found: list[Token] = []
    for token in body:
        if token.kind is Kind.PARAMETER:
            found += _argument(token, arguments)
        else:
            found.append(token._replace(file=place.file, line=place.line))
    return found
