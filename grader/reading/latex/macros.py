"""Commands that a document defines for itself."""

import re
from typing import Final, NamedTuple

from grader.reading.latex.stream import Stream, written
from grader.reading.latex.tokens import Kind, Token
from grader.reading.latex.vocabulary import names

MOST_PARAMETERS: Final = 9
LONGEST_BODY: Final = 3_000
"""In tokens; a longer body is not kept."""

NEW_COMMANDS: Final = frozenset(
    {"newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "newrobustcmd", "renewrobustcmd"}
)
DOCUMENT_COMMANDS: Final = frozenset(
    {"NewDocumentCommand", "RenewDocumentCommand", "ProvideDocumentCommand", "DeclareDocumentCommand"}
)
DEFINITIONS: Final = frozenset({"def", "gdef", "edef", "xdef"})
NEW_ENVIRONMENTS: Final = frozenset({"newenvironment", "renewenvironment"})
_PREFIXES: Final = frozenset({"long", "global", "protected", "outer"})
DEFINERS: Final = (
    NEW_COMMANDS | DOCUMENT_COMMANDS | DEFINITIONS | NEW_ENVIRONMENTS | _PREFIXES
    | {"let", "DeclareMathOperator", "newtheorem", "newif", "DeclarePairedDelimiter"}
)  # fmt: skip

_PROTECTED: Final = names(
    "begin end item section subsection subsubsection paragraph chapter part caption documentclass input include"
    " includegraphics maketitle footnote label ref cite par textbf textit verb url href document usepackage"
)
"""What these mean is known; a redefinition changes only the looks."""

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
    """A numbered paragraph with a title, such as an exercise."""

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
        stream.starred()
        if definer in NEW_ENVIRONMENTS:
            self._environment(stream)
        elif definer == "newtheorem":
            self._theorem(stream)
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
        token = stream.take()
        if token is not None and token.kind is Kind.TEXT and token.text.startswith("="):
            stream.push([token._replace(text=token.text[1:])] if len(token.text) > 1 else [])
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

    def _theorem(self, stream: Stream) -> None:
        name = stream.words()
        shared = stream.option()
        counter = written(shared).strip() if shared else name
        title, within = stream.words(), written(stream.option() or [])
        self.theorems[name] = Theorem(title, counter, within)


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
    return _defined(stream)


def _signature(tokens: list[Token]) -> tuple[list[Token] | None, ...]:
    """The parameters as xparse declares them, such as `m O{1}`."""
    place = tokens[0] if tokens else Token(Kind.TEXT, "", "", 0)
    found: list[list[Token] | None] = []
    for match in _SIGNATURE.finditer(written(tokens)):
        default = match[3] or ""
        found.append(None if match[1] == "m" else [place._replace(kind=Kind.TEXT, text=default)] if default else [])
    return tuple(found[:MOST_PARAMETERS])


def _defined(stream: Stream) -> Macro | None:
    """`\\def\\name#1#2{…}`; None where other signs delimit the parameters."""
    count, marked = 0, False
    while (token := stream.take()) is not None and token.kind not in (Kind.OPEN, Kind.PARAGRAPH):
        count += token.kind is Kind.PARAMETER
        marked = marked or token.kind not in (Kind.PARAMETER, Kind.SPACE, Kind.NEWLINE)
    stream.push([token] if token else [])
    body = stream.argument()
    return None if marked or count > MOST_PARAMETERS else Macro((None,) * count, body)
