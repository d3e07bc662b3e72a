"""The stream of tokens with the commands that a document defines for itself expanded, its conditionals decided and its
files included.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple, Protocol

from grader.reading.latex.arithmetic import REFERENCES, Label, Numbering, computed, shown_of
from grader.reading.latex.stream import Stream, written
from grader.reading.latex.tokens import Kind, Token
from grader.reading.maths.tokens import names

MOST_PARAMETERS: Final = 9
LONGEST_BODY: Final = 3_000
"""Tokens of a macro's body; a longer one is not stored."""

NEW_COMMANDS: Final = names("newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd")
DOCUMENT_COMMANDS: Final = names(
    "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand"
)
NEW_ENVIRONMENTS: Final = names("newenvironment renewenvironment")
_PREFIXES: Final = names("long global protected outer")
DEFINERS: Final = (
    NEW_COMMANDS | DOCUMENT_COMMANDS | NEW_ENVIRONMENTS | _PREFIXES
    | names("def gdef edef xdef let DeclareMathOperator newtheorem newif DeclarePairedDelimiter")
)  # fmt: skip

_PROTECTED: Final = names(
    "begin end item section subsection subsubsection paragraph chapter part caption documentclass input include"
    " includegraphics maketitle footnote label ref cite par textbf textit verb url href document usepackage"
)
"""Commands with a known meaning; a redefinition only changes their appearance."""

_SIGNATURE: Final = re.compile(r"[+!]?(?:([mo])|([OD])\s*(?:\S\S)?\{([^{}]*)\}|([sbgv]))")


class Macro(NamedTuple):
    """What a command stands for. `defaults` has one entry for each parameter: None for one in braces, the tokens that
    stand for one in square brackets that is left out."""

    defaults: tuple[list[Token] | None, ...]
    body: list[Token]


class Environment(NamedTuple):
    """What an environment of the document's own stands for, before and behind its content."""

    opening: Macro
    closing: list[Token]


class Theorem(NamedTuple):
    """A paragraph with a title, such as an exercise, and the counter of its number; without one it has no number."""

    title: str
    counter: str
    within: str = ""


class Definitions:
    """All that a document defines, in the order of reading."""

    def __init__(self) -> None:
        self.macros: dict[str, Macro] = {}
        self.environments: dict[str, Environment] = {}
        self.theorems: dict[str, Theorem] = {}
        self.switches: dict[str, bool] = {}

    def read(self, definer: str, stream: Stream) -> None:
        """Take in the definition that follows a defining command. `stream` yields tokens as they stand."""
        if definer in _PREFIXES:
            return
        starred = stream.starred()
        if definer in NEW_ENVIRONMENTS:
            self._environment(stream)
        elif definer == "newtheorem":
            self._theorem(stream, numbered=not starred)
        elif definer == "newif":
            self.switches[_name(stream).removeprefix("if")] = False
        elif definer == "let":
            self._alias(stream)
        else:
            name = _name(stream)
            macro = _macro(definer, stream)
            kept = name and name not in _PROTECTED and macro is not None and len(macro.body) <= LONGEST_BODY
            if macro is not None and kept and (definer != "providecommand" or name not in self.macros):
                self.macros[name] = macro

    def _alias(self, stream: Stream) -> None:
        name = _name(stream)
        stream.skip_blank()
        stream.passed("=")
        token = stream.take()
        if token is not None and name and name not in _PROTECTED:
            known = self.macros.get(token.text) if token.kind is Kind.COMMAND else None
            self.macros[name] = known or Macro((), [token])

    def _environment(self, stream: Stream) -> None:
        name = stream.words()
        defaults = _defaults(stream)
        opening = Macro(defaults, stream.argument())
        closing = stream.argument()
        if max(len(opening.body), len(closing)) <= LONGEST_BODY:
            self.environments[name] = Environment(opening, closing)

    def _theorem(self, stream: Stream, *, numbered: bool) -> None:
        name = stream.words()
        shared = stream.option()
        counter = written(shared).strip() if shared else name
        title, within = stream.words(), written(stream.option() or [])
        self.theorems[name] = Theorem(title, counter if numbered else "", within)


def _name(stream: Stream) -> str:
    """The name of the command that is defined, in braces or not."""
    stream.skip_blank()
    for token in stream.argument():
        if token.kind is Kind.COMMAND:
            return token.text
    return ""


def _defaults(stream: Stream) -> tuple[list[Token] | None, ...]:
    """The parameters as `\\newcommand` declares them: `[2]`, or `[2][default]`."""
    number = stream.option()
    if number is None:
        return ()
    text = written(number)
    count = min(int(text), MOST_PARAMETERS) if text.isascii() and text.isdecimal() and len(text) < 3 else 0
    first = stream.option()
    return ((first, *[None] * (count - 1)) if first is not None else (None,) * count) if count else ()


def _macro(definer: str, stream: Stream) -> Macro | None:
    if definer in NEW_COMMANDS:
        return Macro(_defaults(stream), stream.argument())
    if definer in DOCUMENT_COMMANDS:
        return Macro(_signature(stream.argument()), stream.argument())
    if definer == "DeclarePairedDelimiter":
        left, right = stream.argument(), stream.argument()
        place = (left or right or [Token(Kind.TEXT, "", "", 0)])[0]
        return Macro((None,), [*left, place._replace(kind=Kind.PARAMETER, text="#1"), *right])
    if definer == "DeclareMathOperator":
        words = stream.argument()
        place = words[0] if words else Token(Kind.TEXT, "", "", 0)
        upright = place._replace(kind=Kind.COMMAND, text="operatorname")
        opened, closed = place._replace(kind=Kind.OPEN, text="{"), place._replace(kind=Kind.CLOSE, text="}")
        return Macro((), [upright, opened, *words, closed])
    # `\def\name#1#2{…}`; None where other signs delimit the parameters.
    count, marked = 0, False
    while (token := stream.take()) is not None and token.kind not in (Kind.OPEN, Kind.PARAGRAPH):
        count += token.kind is Kind.PARAMETER
        marked = marked or token.kind not in (Kind.PARAMETER, Kind.SPACE, Kind.NEWLINE)
    stream.push([token] if token else [])
    body = stream.argument()
    return None if marked or count > MOST_PARAMETERS else Macro((None,) * count, body)


def _signature(tokens: list[Token]) -> tuple[list[Token] | None, ...]:
    """The parameters as xparse declares them, such as `m O{1}`."""
    place = tokens[0] if tokens else Token(Kind.TEXT, "", "", 0)
    found: list[list[Token] | None] = []
    for match in _SIGNATURE.finditer(written(tokens)):
        default = match[3] or ""
        found.append(None if match[1] == "m" else [place._replace(kind=Kind.TEXT, text=default)] if default else [])
    return tuple(found[:MOST_PARAMETERS])


MOST_EXPANSIONS: Final = 20_000
MOST_YIELDED: Final = 300_000
"""Tokens that macros may yield, all together."""

_INPUTS: Final = names("input include subfile subfileinclude InputIfFileExists @input")
_IMPORTS: Final = names("import subimport inputfrom subinputfrom includefrom subincludefrom")
_CHOICES: Final = names("ifthenelse IfFileExists iftoggle ifdef ifbool")
_NO_CONDITION: Final = _CHOICES | {"iff"}
_LISTINGS: Final = names("lstinputlisting verbatiminput VerbatimInput inputminted tcbinputlisting")
"""Commands that show a file verbatim."""

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
        with self._literally():
            self.definitions.read(definer, self)
        if len(self.definitions.theorems) > known:
            theorem = list(self.definitions.theorems.values())[-1]
            if theorem.within:
                self.numbering.put_within(theorem.counter, theorem.within)

    @contextmanager
    def _literally(self) -> Iterator[None]:
        """Within this context, tokens are taken as they stand."""
        self._literal = True
        try:
            yield
        finally:
            self._literal = False

    def _expand(self, macro: Macro, place: Token) -> None:
        with self._literally():
            arguments = list(self._arguments(macro))
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
        with self._literally():
            name = self.words()
        own = self.definitions.environments.get(name)
        if own is None or self.is_runaway:
            kind = Kind.BEGIN if place.text == "begin" else Kind.END
            return place._replace(kind=kind, text=name)
        self._expand(own.opening if place.text == "begin" else Macro((), own.closing), place)
        return None

    def _refer(self, place: Token, labels: Mapping[str, Label]) -> None:
        """What a reference shows."""
        with self._literally():
            self.starred()
            labelled = self.words()
        self.push([place._replace(kind=Kind.TEXT, text=shown_of(place.text, labelled, labels))])

    def _list(self, place: Token) -> None:
        """Reads the file that a command shows verbatim."""
        options = written(self.option() or [])
        if place.text == "inputminted":  # its language
            self.argument()
        found = self._files.listed(self._name(), options, place)
        if found is not None:
            self.include(found)

    def _include(self, place: Token) -> None:
        folder = self._name() if place.text in _IMPORTS else ""
        found = self._files.open(self._name(), folder, place)
        if found is not None:
            self.include(found)

    def _name(self) -> str:
        """A file's name, in braces or up to a space."""
        name = ""
        with self._literally():
            self.skip_blank()
            group = self.group()
            if group is not None:
                return written(group)
            while (token := self.take()) is not None:
                if token.kind is not Kind.TEXT:
                    self.push([token])
                    break
                name += token.text
        return name

    def _is_condition(self, name: str) -> bool:
        """Whether a command belongs to a condition, which is then dealt with. One that cannot be decided counts as
        true."""
        switches = self.definitions.switches
        if name in _CHOICES:
            with self._literally():  # `\ifthenelse{test}{yes}{no}`: yes
                _, chosen, _ = (self.argument() for _ in range(3))
            self.push(chosen)
        elif name == "fi":
            pass
        elif name == "else":
            self._skip(("fi",))
        elif name.startswith("if") and name not in _NO_CONDITION:
            if name == "iffalse" or switches.get(name[2:]) is False:
                self._skip(("fi", "else"))
            elif name in ("ifx", "ifdefined", "ifdim", "ifnum", "ifodd", "ifcat"):
                with self._literally():
                    for _ in range(2 if name in ("ifx", "ifcat") else 1):
                        self.argument()
        elif name.endswith("true") and name[:-4] in switches:
            switches[name[:-4]] = True
        elif name.endswith("false") and name[:-5] in switches:
            switches[name[:-5]] = False
        else:
            return False
        return True

    def _skip(self, ends: tuple[str, ...]) -> None:
        """Skips the tokens that a condition leaves out, including nested conditions."""
        depth = 0
        while (token := self.raw()) is not None:
            if token.kind is not Kind.COMMAND:
                continue
            if token.text in ends and depth == 0:
                return
            depth -= token.text == "fi"
            depth += token.text.startswith("if") and token.text not in _NO_CONDITION


def _argument(token: Token, arguments: list[list[Token]]) -> list[Token]:
    """The tokens that replace a parameter."""
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
