"""The stream of tokens with the commands that a document defines for itself expanded, its conditionals decided and its
files included.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple, Protocol

from grader.reading.latex.arithmetic import REFERENCES, Label, Numbering, execute_counter_command, number, shown_of
from grader.reading.latex.conditions import CHOICES, NO_VALUE, Switches, command_name, decide_choice, decide_condition
from grader.reading.latex.tokens import (
    DRAWING,
    KNOWN_COMMANDS,
    LONGEST_ARGUMENT,
    PLAIN_ENVIRONMENTS,
    Kind,
    Stream,
    Token,
    source_text,
    with_braces,
    with_brackets,
)
from grader.reading.maths.tokens import names

MOST_PARAMETERS: Final = 9
LONGEST_BODY: Final = 3_000
"""Tokens of a macro's body; a longer one is not stored."""

NEW_COMMANDS: Final = names("newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd")
DOCUMENT_COMMANDS: Final = names(
    "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand"
)
_CONTENT: Final = "BODY"
"""The command for the content of an environment of the package environ."""
_CONTENT_ENVIRONMENTS: Final = names("NewEnviron RenewEnviron")
_DOCUMENT_ENVIRONMENTS: Final = names(
    "NewDocumentEnvironment RenewDocumentEnvironment ProvideDocumentEnvironment DeclareDocumentEnvironment"
)
NEW_ENVIRONMENTS: Final = (
    names("newenvironment renewenvironment provideenvironment") | _CONTENT_ENVIRONMENTS | _DOCUMENT_ENVIRONMENTS
)
_PREFIXES: Final = names("long global protected outer")
_BY_NAME: Final = names("@namedef csdef csgdef csedef")
"""Commands that define a command by its name, without a backslash."""
_EXCLUDING: Final = names("excludecomment excludeversion")
_INCLUDING: Final = names("includecomment includeversion specialcomment")
DEFINERS: Final = (
    NEW_COMMANDS | DOCUMENT_COMMANDS | NEW_ENVIRONMENTS | _PREFIXES
    | names("def gdef edef xdef let DeclareMathOperator newtheorem newif DeclarePairedDelimiter")
    | _BY_NAME | _EXCLUDING | _INCLUDING
)  # fmt: skip

_PROTECTED: Final = names(
    "begin end item section subsection subsubsection paragraph chapter part caption documentclass input include"
    " includegraphics maketitle footnote label ref cite par textbf textit verb url href document usepackage"
)
"""Commands with a known meaning; a redefinition only changes their appearance."""

_BLANK: Final = (Kind.SPACE, Kind.NEWLINE)
_SIGNATURE: Final = re.compile(r"[+!]?(?:([mo])|([OD])\s*(?:\S\S)?\{([^{}]*)\}|([sbgv]))")


class Macro(NamedTuple):
    """The definition of a command. `defaults` has one entry for each parameter: None for one in braces, the tokens that
    stand for one in square brackets that is left out. `delimiters` are the signs before the first parameter and after
    each one, where the document gives some; `is_alias`: it is another name of one token."""

    defaults: tuple[list[Token] | None, ...]
    body: list[Token]
    delimiters: tuple[tuple[Token, ...], ...] = ()
    is_alias: bool = False

    def uses(self, parameter: int) -> bool:
        """Whether a parameter, counted from 0, stands in the body."""
        return any(token.kind is Kind.PARAMETER and token.text[-1] == str(parameter + 1) for token in self.body)

    @property
    def hides(self) -> bool:
        """Whether an argument does not show, or may be drawn so that it does not."""
        parameters = [place for place, default in enumerate(self.defaults) if default is None]
        draws = any(token.kind is Kind.COMMAND and token.text in DRAWING for token in self.body)
        return bool(parameters) and (draws or not any(self.uses(place) for place in parameters))


class Environment(NamedTuple):
    """The definition of an environment of the document's own, before and after its content. `takes_content`: the
    content is the last parameter of `opening`, or `\\BODY`."""

    opening: Macro
    closing: list[Token]
    takes_content: bool = False

    @property
    def leaves_out(self) -> bool:
        """Whether the content does not show."""
        if self.takes_content:
            return not any(
                token.text in (_CONTENT, f"#{len(self.opening.defaults) + 1}") for token in self.opening.body
            )
        return any(token.kind is Kind.COMMAND and token.text == "comment" for token in self.opening.body)


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
        self.switches = Switches({"true": True, "false": False}, {})
        self.excluded: set[str] = set()
        self.columns: dict[str, list[Token]] = {}
        self.only: frozenset[str] | None = None

    def read(self, definer: str, stream: Stream, *, is_package: bool = False) -> None:
        """Take in the definition that follows a defining command. `stream` yields tokens as they stand. A package
        does not change what the reader knows itself."""
        if definer in _PREFIXES:
            return
        starred = stream.take_star()
        if definer in NEW_ENVIRONMENTS:
            self._environment(stream, definer, is_package=is_package)
        elif definer == "newtheorem":
            self._theorem(stream, numbered=not starred)
        elif definer == "newif":
            self.switches.booleans[_name(stream).removeprefix("if")] = False
        elif definer == "let":
            self._alias(stream)
        elif definer in _EXCLUDING or definer in _INCLUDING:
            (self.excluded.add if definer in _EXCLUDING else self.excluded.discard)(stream.words().strip())
        else:
            name = stream.words().strip() if definer in _BY_NAME else _name(stream)
            macro = _macro(definer, stream)
            if len(macro.body) <= LONGEST_BODY and self._may_define(name, macro, definer, is_package=is_package):
                self.macros[name] = macro

    def define(self, name: str, body: list[Token]) -> None:
        """Let a command without parameters stand for tokens."""
        if name and name not in _PROTECTED:
            self.macros[name] = Macro((), body)

    def _may_define(self, name: str, macro: Macro, definer: str, *, is_package: bool) -> bool:
        if not name or (name in _PROTECTED and not macro.hides):
            return False
        if is_package and (name in KNOWN_COMMANDS or name in _PROTECTED or name.startswith("the")):
            return False
        return definer not in ("providecommand", "ProvideDocumentCommand") or name not in self.macros

    def _alias(self, stream: Stream) -> None:
        name = _name(stream)
        stream.skip_blank()
        stream.take_sign("=")
        token = stream.take()
        if token is None or not name or name in _PROTECTED:
            return
        if token.kind is Kind.TEXT and len(token.text) > 1:
            stream.push([token._replace(text=token.text[1:])])
            token = token._replace(text=token.text[0])
        known_macro = self.macros.get(token.text) if token.kind is Kind.COMMAND else None
        self.macros[name] = known_macro or Macro((), [token._replace(is_fixed=True)], is_alias=True)

    def _environment(self, stream: Stream, definer: str, *, is_package: bool) -> None:
        name = stream.words()
        takes_content = definer in _CONTENT_ENVIRONMENTS
        if definer in _DOCUMENT_ENVIRONMENTS:
            signature = stream.argument()
            takes_content = source_text(signature).rstrip().endswith("b")
            defaults = _signature(signature)[: -1 if takes_content else None]
        else:
            defaults = _defaults(stream)
        opening = Macro(defaults, stream.argument())
        final = stream.option() if definer in _CONTENT_ENVIRONMENTS else None
        closing = (final or []) if definer in _CONTENT_ENVIRONMENTS else stream.argument()
        is_known = is_package and name.rstrip("*") in PLAIN_ENVIRONMENTS
        if max(len(opening.body), len(closing)) <= LONGEST_BODY and not is_known:
            self.environments[name] = Environment(opening, closing, takes_content)

    def environment(self, name: str) -> Environment | None:
        """An environment that the document defines, also by two commands."""
        own_environment = self.environments.get(name)
        macro = self.macros.get(name) if own_environment is None and name not in KNOWN_COMMANDS else None
        if macro is None or macro.delimiters:
            return own_environment
        closing = self.macros.get(f"end{name}")
        return Environment(macro, closing.body if closing is not None and not closing.defaults else [])

    def _theorem(self, stream: Stream, *, numbered: bool) -> None:
        name = stream.words()
        shared = stream.option()
        counter = source_text(shared).strip() if shared else name
        title, within = stream.words(), source_text(stream.option() or [])
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
    text = source_text(number)
    count = min(int(text), MOST_PARAMETERS) if text.isascii() and text.isdecimal() and len(text) < 3 else 0
    first = stream.option()
    return ((first, *[None] * (count - 1)) if first is not None else (None,) * count) if count else ()


def _macro(definer: str, stream: Stream) -> Macro:
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
        return Macro((), [place._replace(kind=Kind.COMMAND, text="operatorname"), *with_braces(words, place)])
    # `\def\name#1#2{…}`, where other signs may delimit the parameters.
    parts: list[list[Token]] = [[]]
    while (token := stream.take()) is not None and token.kind not in (Kind.OPEN, Kind.PARAGRAPH):
        if token.kind is Kind.PARAMETER and token.text[-1] != "#":
            parts.append([])
        else:
            parts[-1].append(token)
    stream.put_back(token)
    if all(token.kind in _BLANK for token in parts[0]):  # which has no meaning before the first parameter
        parts[0] = []
    delimiters = tuple(map(tuple, parts))
    count = min(len(parts) - 1, MOST_PARAMETERS)
    return Macro((None,) * count, stream.argument(), delimiters if any(delimiters) else ())


def _signature(tokens: list[Token]) -> tuple[list[Token] | None, ...]:
    """The parameters as xparse declares them, such as `m O{1}`."""
    place = tokens[0] if tokens else Token(Kind.TEXT, "", "", 0)
    found: list[list[Token] | None] = []
    for match in _SIGNATURE.finditer(source_text(tokens)):
        default = match[3] or ""
        text = default or (NO_VALUE if match[1] == "o" else "")
        found.append(None if match[1] == "m" else [place._replace(kind=Kind.TEXT, text=text)] if text else [])
    return tuple(found[:MOST_PARAMETERS])


MOST_EXPANSIONS: Final = 20_000
MOST_YIELDED: Final = 300_000
"""Tokens that macros may yield, all together."""

_INPUTS: Final = names("input include subfile subfileinclude InputIfFileExists @input")
_IMPORTS: Final = names("import subimport inputfrom subinputfrom includefrom subincludefrom")
_NO_CONDITION: Final = frozenset(CHOICES) | {"iff"}
_PACKAGES: Final = {
    "usepackage": "{}.sty", "RequirePackage": "{}.sty", "documentclass": "{}.cls", "LoadClass": "{}.cls",
    "usetheme": "beamertheme{}.sty", "usecolortheme": "beamercolortheme{}.sty",
}  # fmt: skip
"""Commands that read packages, with the names of their files."""
_COLOURS: Final = {"definecolor": 3, "providecolor": 3, "colorlet": 2, "setbeamercolor": 2}
"""Commands that set colours, with the number of their arguments."""
_LAST: Final = names("stop bye @@end")
"""Commands that end the document."""
_BUILT_IN: Final = {
    "@gobble": (1, 0), "gobble": (1, 0), "@gobbletwo": (2, 0), "@gobblethree": (3, 0), "@gobblefour": (4, 0),
    "@firstofone": (1, 1), "@iden": (1, 1), "@firstoftwo": (2, 1), "@secondoftwo": (2, 2),
}  # fmt: skip
"""Commands that keep one of their arguments: how many they have, and which it is."""
_LISTINGS: Final = names("lstinputlisting verbatiminput VerbatimInput inputminted tcbinputlisting")
"""Commands that show a file verbatim."""

_PRIMITIVE_CONDITIONS: Final = names(
    "if ifcat ifx ifnum ifdim ifodd ifmmode ifhmode ifvmode ifinner iftrue iffalse ifdefined ifcsname ifvoid ifhbox"
    " ifvbox ifeof ifpdf ifxetex ifluatex ifPDFTeX ifXeTeX ifLuaTeX"
)
_MOST_CASES: Final = 100
_LONGEST_NUMBER: Final = 100
"""Expansions for a number that the document shows in a way of its own."""


class Opener(Protocol):
    """Finds the files that a document names."""

    def open(self, name: str, folder: str, place: Token) -> Iterator[Token] | None:
        """The tokens of the file that a command at a place includes; None where it is not read."""

    def open_listing(self, name: str, options: str, place: Token) -> Iterator[Token] | None:
        """The lines of a file that is shown as it stands; None where it is not read."""

    def package(self, name: str) -> Iterator[Token] | None:
        """The tokens of a package or a class that was handed in; None for any other."""


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
        self.conditions: list[bool | None] = []
        for name, (count, kept) in _BUILT_IN.items():
            body = [Token(Kind.PARAMETER, f"#{kept}", "", 0)] if kept else []
            self.definitions.macros[name] = Macro((None,) * count, body)

    @property
    def is_runaway(self) -> bool:
        """Whether macros were expanded up to the bound; further calls are left out."""
        return self.expansions >= MOST_EXPANSIONS or self.yielded >= MOST_YIELDED

    @property
    def is_undecided(self) -> bool:
        """Whether the place depends on a condition that the source does not decide."""
        return None in self.conditions

    @property
    def is_in_maths(self) -> bool | None:
        """Whether the place is within a formula, where that is known."""
        return None

    def take(self) -> Token | None:
        """The next token that is no definition, condition or call of a macro."""
        while (token := self.raw()) is not None:
            if self._literal or token.kind is not Kind.COMMAND:
                return token
            known_token = self._handled(token)
            if known_token is not None:
                return known_token
        return None

    def _handled(self, token: Token) -> Token | None:
        """The token to go on with, or None when it was dealt with."""
        name = token.text
        if name in self.definitions.macros and not token.is_fixed:
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
        elif not self._is_condition(name) and not self._is_primitive(token):
            shown = execute_counter_command(token, self, self.numbering)
            if shown is None:
                return token
            self.push(shown)
        return None

    def _is_primitive(self, token: Token) -> bool:
        """Whether a command changes which tokens follow, which is then done."""
        name = token.text
        if name in _PACKAGES:
            self._use_packages(token)
        elif name == "includeonly":
            with self._literally():
                self.definitions.only = frozenset(part.strip() for part in self.words().split(","))
            return True
        elif name in _LAST:
            self.end_source(whole=True)
            return True
        elif name == "unless":
            negated = self.raw()
            if negated is not None and negated.kind is Kind.COMMAND:
                holds = decide_condition(negated.text, self)
                self._decide(None if holds is None else not holds)
            return True
        elif name == "endinput":
            if not self.is_undecided:
                self.end_source(whole=False)
            return True
        else:
            return self._is_named(token)
        return False

    def _defined_in(self, package: Iterator[Token]) -> list[Token]:
        """Take in the commands and environments that a package defines, and return its definitions of colours. What
        else it does is internal to LaTeX."""
        inner = Stream(package)
        colours: list[Token] = []
        while (token := inner.raw()) is not None:
            if token.kind is not Kind.COMMAND:
                continue
            if token.text in DEFINERS:
                self.definitions.read(token.text, inner, is_package=True)
            elif token.text in _COLOURS and len(colours) < LONGEST_ARGUMENT:
                colours.append(token)
                inner.take_star()
                for _ in range(_COLOURS[token.text]):
                    colours += with_braces(inner.argument(), token)
        return colours

    def _is_named(self, token: Token) -> bool:
        """Whether a command yields the command of a name, which then follows."""
        name = token.text
        if name == "csname":
            self.push([token._replace(text=command_name(self))])
        elif name in ("@nameuse", "csuse"):
            self.push([token._replace(text=self.words())])
        elif name == "expandafter":
            first, second = self.raw(), self.raw()
            if second is not None and second.kind is Kind.COMMAND and second.text == "csname":
                second = second._replace(text=command_name(self))
            self.push([candidate for candidate in (first, second) if candidate is not None])
        else:
            return False
        return True

    def _use_packages(self, place: Token) -> None:
        """Read the definitions of the hand-in's own packages, which are named in braces."""
        with self._literally():
            option = self.option()
            group = self.group()
        file = _PACKAGES[place.text]
        packages = [self._files.package(file.format(name.strip())) for name in source_text(group or []).split(",")[:50]]
        for found in packages:
            if found is not None:
                self.push(self._defined_in(found))
        self.push([*with_brackets(option, place), *(with_braces(group, place) if group is not None else [])])

    def number_of(self, counter: str) -> str:
        """The number of a counter as the document shows it."""
        own_macro = self.definitions.macros.get(f"the{counter}")
        if own_macro is None or own_macro.defaults:
            return self.numbering.number_of(counter)
        inner = Expansion(iter(own_macro.body), self._files)
        inner.definitions, inner.numbering = self.definitions, self.numbering
        inner.expansions = MOST_EXPANSIONS - _LONGEST_NUMBER
        found: list[Token] = []
        while len(found) < _LONGEST_NUMBER and (token := inner.take()) is not None:
            found.append(token)
        return source_text(found)

    def _define(self, definer: str) -> None:
        theorem_count = len(self.definitions.theorems)
        with self._literally():
            self.definitions.read(definer, self)
        if len(self.definitions.theorems) > theorem_count:
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

    def _expand(self, macro: Macro, place: Token, further: tuple[list[Token], ...] = ()) -> None:
        with self._literally():
            arguments = self._delimited(macro) if macro.delimiters else [*self._arguments(macro), *further]
        if arguments is None:
            return
        self.expansions += 1
        self.yielded += sum(
            len(_argument(token, arguments)) if token.kind is Kind.PARAMETER else 1 for token in macro.body
        )
        if not self.is_runaway:
            # The tokens of the body take the position of the call.
            found: list[Token] = []
            for token in macro.body:
                if token.kind is Kind.PARAMETER:
                    found += _argument(token, arguments)
                else:
                    found.append(token._replace(file=place.file, line=place.line))
            self.push(found)

    def _arguments(self, macro: Macro) -> Iterator[list[Token]]:
        for place, default in enumerate(macro.defaults):
            if default is None and not macro.uses(place):
                self.pass_argument()
                yield []
            elif default is None:
                yield self.argument()
            else:
                given = self.option()
                yield default if given is None else given

    def _delimited(self, macro: Macro) -> list[list[Token]] | None:
        """The arguments of a macro whose parameters signs delimit; None, and nothing is passed, where these do not
        follow."""
        passed: list[Token] = []
        arguments: list[list[Token]] = []
        for place, delimiter in enumerate(macro.delimiters):
            found = self._until_signs(delimiter, passed) if delimiter else self.argument() if place else []
            if found is None:
                self.push(passed)
                return None
            passed += found
            if place:
                arguments.append(found)
        return arguments

    def _until_signs(self, signs: tuple[Token, ...], passed: list[Token]) -> list[Token] | None:
        """The tokens up to some signs outside of groups. Of a longer text only the beginning is kept."""
        found: list[Token] = []
        depth = 0
        while (token := self.take()) is not None:
            if depth == 0 and self._follow(token, signs):
                return found
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(token.kind, 0)
            found.append(token)
            if depth < 0 or (token.kind is Kind.PARAGRAPH and len(found) > LONGEST_ARGUMENT):
                break
        passed += found
        return None

    def _follow(self, first: Token, signs: tuple[Token, ...]) -> bool:
        """Whether signs follow, which are passed; `first` is the token that was taken last."""
        taken = [first]
        for sign in signs:
            token = taken[-1]
            if token.kind is not sign.kind or not token.text.startswith(sign.text):
                self.push(taken[1:])
                return False
            rest = token.text[len(sign.text) :] if sign.kind is Kind.TEXT else ""
            following = token._replace(text=rest) if rest else self.take()
            if following is None:
                break
            taken.append(following)
        self.push(taken[-1:] if len(taken) > len(signs) else [])
        return True

    def _environment(self, place: Token) -> Token | None:
        """The begin or end of an environment as one token; one of the document's own is replaced by what it stands
        for, and forms a group."""
        with self._literally():
            name = self.words()
        is_begin = place.text == "begin"
        own_environment = self.definitions.environment(name)
        if is_begin and (
            name in self.definitions.excluded or (own_environment is not None and own_environment.leaves_out)
        ):
            self._exclude(name)
            return None
        if own_environment is None or self.is_runaway:
            if not is_begin and name == "document":
                self.end_source(whole=True)
                return None
            return place._replace(kind=Kind.BEGIN if is_begin else Kind.END, text=name)
        if is_begin and own_environment.takes_content:
            content = self._content(name)
            self.push([*own_environment.closing, place._replace(text="endgroup")])
            self.definitions.macros[_CONTENT] = Macro((), content)
            self._expand(own_environment.opening, place, (content,))
        else:
            self.push([] if is_begin else [place._replace(text="endgroup")])
            self._expand(own_environment.opening if is_begin else Macro((), own_environment.closing), place)
        self.push([place._replace(text="begingroup")] if is_begin else [])
        return None

    def _content(self, name: str) -> list[Token]:
        """The tokens of an environment, which are passed with its end."""
        found: list[Token] = []
        depth = 0
        with self._literally():
            while (token := self.raw()) is not None:
                if token.kind is Kind.COMMAND and token.text in ("begin", "end"):
                    written_name = self.argument()
                    depth += (1 if token.text == "begin" else -1) if source_text(written_name) == name else 0
                    if depth < 0:
                        break
                    found += [token, *with_braces(written_name, token)]
                else:
                    found.append(token)
        return found

    def _exclude(self, name: str) -> None:
        """Pass an environment that the document leaves out."""
        while (token := self.raw()) is not None:
            if token.kind is Kind.COMMAND and token.text == "end":
                with self._literally():
                    if self.words() == name:
                        return

    def _refer(self, place: Token, labels: Mapping[str, Label]) -> None:
        """Push the text that a reference shows."""
        with self._literally():
            self.take_star()
            labelled = self.words()
        self.push([place._replace(kind=Kind.TEXT, text=shown_of(place.text, labelled, labels))])

    def _list(self, place: Token) -> None:
        """Reads the file that a command shows verbatim."""
        options = source_text(self.option() or [])
        if place.text == "inputminted":  # its language
            self.argument()
        found = self._files.open_listing(self._name(), options, place)
        if found is not None:
            self.include(found)

    def _include(self, place: Token) -> None:
        folder = self._name() if place.text in _IMPORTS else ""
        name = self._name()
        if place.text == "include" and self.definitions.only is not None and name not in self.definitions.only:
            return
        found = self._files.open(name, folder, place)
        if found is not None:
            self.include(found)

    def _name(self) -> str:
        """A file's name, in braces or up to a space."""
        name = ""
        with self._literally():
            self.skip_blank()
            group = self.group()
            if group is not None:
                return source_text(group)
            while (token := self.take()) is not None:
                if token.kind is not Kind.TEXT:
                    self.push([token])
                    break
                name += token.text
        return name

    def _is_condition(self, name: str) -> bool:
        """Whether a command belongs to a condition, which is then dealt with. Of one that the source does not decide
        all is read, as what may not show."""
        if name in CHOICES:
            self._choose(name)
        elif name == "fi":
            del self.conditions[-1:]
        elif name in ("else", "or"):
            if not self.conditions or self.conditions[-1] is not None:
                self._skip(("fi",))
                del self.conditions[-1:]
        elif name == "ifcase":
            self._case()
        elif name.startswith("if") and name not in _NO_CONDITION and self._is_switch(name):
            self._decide(decide_condition(name, self))
        elif name.endswith("true") and name[:-4] in self.definitions.switches.booleans:
            self.definitions.switches.booleans[name[:-4]] = True
        elif name.endswith("false") and name[:-5] in self.definitions.switches.booleans:
            self.definitions.switches.booleans[name[:-5]] = False
        else:
            with self._literally():
                return self.definitions.switches.set_by(name, self)
        return True

    def _is_switch(self, name: str) -> bool:
        """Whether a command that is not known begins a condition, rather than take arguments in braces."""
        token = self.raw()
        self.put_back(token)
        return token is None or token.kind is not Kind.OPEN or name in _PRIMITIVE_CONDITIONS

    def _decide(self, holds: bool | None) -> None:
        if holds is False and self._skip(("fi", "else")) == "fi":
            return
        self.conditions.append(None if holds is None else True)

    def _case(self) -> None:
        """`\\ifcase`: the case that a number tells."""
        value = number(self, self.numbering)
        if value is None:
            self.conditions.append(None)
            return
        for _ in range(value if 0 <= value < _MOST_CASES else _MOST_CASES):
            end = self._skip(("or", "else", "fi"))
            if end == "fi":
                return
            if end != "or":
                break
        self.conditions.append(True)

    def _choose(self, name: str) -> None:
        """`\\ifthenelse{test}{yes}{no}` and the like."""
        place = Token(Kind.COMMAND, "else", "", 0)
        with self._literally():
            starred = self.take_star() if name == "@ifstar" else None
            tests = [self.argument() for _ in range(CHOICES[name])]
            yes, no = self.argument(), self.argument()
        holds = starred if starred is not None else decide_choice(name, tests, self)
        if holds is None:
            self.conditions.append(None)
            self.push([*yes, place, *no, place._replace(text="fi")])
        else:
            self.push(yes if holds else no)

    def _skip(self, ends: tuple[str, ...]) -> str:
        """Skip the tokens that a condition leaves out, including nested conditions, and return what ends them."""
        depth = 0
        while (token := self.raw()) is not None:
            if token.kind is not Kind.COMMAND:
                continue
            if token.text in ends and depth == 0:
                return token.text
            depth -= token.text == "fi"
            depth += token.text.startswith("if") and token.text not in _NO_CONDITION
        return "fi"


def _argument(token: Token, arguments: list[list[Token]]) -> list[Token]:
    """The tokens that replace a parameter."""
    number = int(token.text[-1]) if token.text[-1] != "#" else 0
    return arguments[number - 1] if 0 < number <= len(arguments) else []
