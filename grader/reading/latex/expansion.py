"""The stream of tokens with the document's own commands expanded, its conditionals decided and its files included."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from grader.reading.latex.labels import REFERENCES, Label
from grader.reading.latex.macros import DEFINERS, Definitions, Macro
from grader.reading.latex.stream import Stream, written
from grader.reading.latex.tokens import Kind, Token

MOST_EXPANSIONS: Final = 20_000
MOST_YIELDED: Final = 300_000
"""Tokens that macros may yield, all together."""

_INPUTS: Final = frozenset({"input", "include", "subfile", "subfileinclude", "InputIfFileExists", "@input"})
_IMPORTS: Final = frozenset({"import", "subimport", "inputfrom", "subinputfrom", "includefrom", "subincludefrom"})
_CHOICES: Final = frozenset({"ifthenelse", "IfFileExists", "iftoggle", "ifdef", "ifbool"})
_NO_CONDITION: Final = frozenset({"iff", *_CHOICES})

Opener = Callable[[str, str, Token], Iterator[Token] | None]
"""From a name, a folder and the place of the command to an included file's tokens; None where it is not read."""


class Expansion(Stream):
    """Tokens as TeX would see them; one use only. `open_file` finds what `\\input` and the like name; `labels`
    are what references show."""

    def __init__(self, tokens: Iterator[Token], open_file: Opener, labels: Mapping[str, Label] | None = None) -> None:
        super().__init__(tokens)
        self._labels = labels or {}
        self.definitions = Definitions()
        self.expansions = 0
        self.yielded = 0
        self._open = open_file
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
            self._literally(lambda: self.definitions.read(name, self))
        elif name in ("begin", "end"):
            return self._environment(token)
        elif name in _INPUTS or name in _IMPORTS:
            self._include(token)
        elif name in REFERENCES and self._labels:
            self._refer(token)
        elif not self._is_condition(name):
            return token
        return None

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

    def _refer(self, place: Token) -> None:
        """What a reference shows; nothing where its label is not known."""
        found: list[str] = []

        def read() -> None:
            self.starred()
            found.append(written(self.argument()))

        self._literally(read)
        known = [self._labels[name.strip()] for name in found[0].split(",") if name.strip() in self._labels]
        shown = [REFERENCES[place.text].format(name=label.name, number=label.number).strip() for label in known]
        self.push([place._replace(kind=Kind.TEXT, text=", ".join(shown))] if shown else [])

    def _include(self, place: Token) -> None:
        folder = ""
        if place.text in _IMPORTS:
            folder = self._name()
        found = self._open(self._name(), folder, place)
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
