"""The smallest parts of a LaTeX source, each with its place."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from grader.reading.latex.coloured import without_commands


class Kind(StrEnum):
    """What a token is."""

    COMMAND = "command"
    TEXT = "text"
    SPACE = "space"
    NEWLINE = "newline"
    PARAGRAPH = "paragraph"
    OPEN = "{"
    CLOSE = "}"
    BRACKET = "["
    MATH = "$"
    ALIGN = "&"
    PARAMETER = "#"
    VERBATIM = "verbatim"
    VERB = "verb"
    DRAWING = "drawing"
    BEGIN = "begin"
    END = "end"


class Token(NamedTuple):
    """One token. `text` is a command's name without its backslash, an environment's name, or what is written; `file`
    and `line` say where it stands, for what a macro yields: where it is called. The space behind a command, which is
    not shown in running text, is empty."""

    kind: Kind
    text: str
    file: str
    line: int

    @property
    def source(self) -> str:
        """As it is written."""
        match self.kind:
            case Kind.COMMAND:
                return f"\\{self.text}"
            case Kind.BEGIN | Kind.END:
                return f"\\{self.kind}{{{self.text}}}"
            case Kind.NEWLINE | Kind.PARAGRAPH:
                return " "
        return self.text


PRINTED_ENVIRONMENTS: Final = frozenset({"alltt"})
"""Environments for code in which commands work."""

_COMMANDS_WORK: Final = "commandchars"
"""The option of an environment for code that has commands work in it."""

CODE_ENVIRONMENTS: Final = frozenset(
    {"verbatim", "Verbatim", "BVerbatim", "LVerbatim", "alltt", "lstlisting", "minted", "tcblisting", "spverbatim"}
)
SKIPPED_ENVIRONMENTS: Final = frozenset({"comment", "filecontents"})
DRAWN_ENVIRONMENTS: Final = frozenset({"tikzpicture", "pgfpicture", "forest", "picture", "circuitikz"})

_PART: Final = re.compile(
    r"\\(?P<command>[a-zA-Z@]+|.|\n|\Z)|(?P<newline>\n)|(?P<comment>%)|(?P<space>[ \t\f\v]+|~)|(?P<math>\$\$?)"
    r"|(?P<sign>[{}&\[\]])|(?P<parameter>\#+[1-9]?)|(?P<text>[^\\{}&~$\n%# \t\f\v\[\]]+)"
)
_KINDS: Final = {"math": Kind.MATH, "parameter": Kind.PARAMETER, "text": Kind.TEXT}
_ENVIRONMENT: Final = re.compile(r"\s{0,20}\{\s{0,20}([a-zA-Z]+)(\*?)\s{0,20}\}")
_OPTIONS: Final = re.compile(r"[ \t]*(?:\[(?P<options>[^\]]{0,500})\])?[ \t]*(?:\{[^{}\n]{0,100}\})?[ \t]*\n?")
_CAPTION: Final = re.compile(r"(?<![a-z])(?:caption|title)\s*=\s*(?:\{([^{}]*)\}|([^,{}]*))")
_DELIMITED: Final = re.compile(r"\*?(?:\[[^\]\n]{0,200}\])?(?P<language>\{[^{}\n]{0,40}\})?(?P<mark>[^\s\w])")
_URL: Final = re.compile(r"\s{0,20}\{([^{}]{0,2000})\}")
_COLOURED: Final = re.compile(
    r"\\DefineVerbatimEnvironment\s{0,9}\{([a-zA-Z]+)\}\s{0,9}\{[a-zA-Z]+\}\s{0,9}\{[^\n]{0,200}commandchars"
)
_LONGEST_VERB: Final = 2_000


def tokens(text: str, file: str, start: int = 0, own_code: frozenset[str] = frozenset()) -> Iterator[Token]:
    """The tokens of a source with line feeds, from an offset to its end or `\\end{document}`. Comments are left out.
    `own_code` are names of environments that the document sets up for code."""
    return _Tokeniser(text, file, start, CODE_ENVIRONMENTS | own_code).run()


def listing(text: str, options: str, place: Token, line: int) -> Iterator[Token]:
    """Text that is shown as it stands, behind the caption that its options give. `line` is that of its beginning."""
    named = _CAPTION.search(options)
    if named:
        yield place._replace(kind=Kind.COMMAND, text="caption")
        yield place._replace(kind=Kind.OPEN, text="{")
        yield place._replace(kind=Kind.TEXT, text=(named[1] or named[2] or "").strip())
        yield place._replace(kind=Kind.CLOSE, text="}")
    yield place._replace(kind=Kind.VERBATIM, text=text, line=line)


class _Tokeniser:
    """One pass over a source; one use only."""

    def __init__(self, text: str, file: str, start: int, code: frozenset[str]) -> None:
        self.text = text
        self.file = file
        self.position = start
        self.line = text.count("\n", 0, start) + 1
        self.blank = True
        self.code = code
        self.coloured = PRINTED_ENVIRONMENTS | frozenset(_COLOURED.findall(text))

    def run(self) -> Iterator[Token]:
        while match := _PART.match(self.text, self.position):
            self.position = match.end()
            written = match.group()
            match match.lastgroup:
                case "comment":
                    self.skip_line()
                case "newline":
                    yield self.token(Kind.PARAGRAPH if self.blank else Kind.NEWLINE, written)
                    self.line += 1
                    self.blank = True
                case "space":
                    yield self.token(Kind.SPACE, written)
                case "command":
                    self.blank = False
                    if self.is_end(match["command"]):
                        return
                    yield from self.command(match["command"])
                case group:
                    self.blank = False
                    yield self.token(_KINDS.get(group or "") or Kind(written[0].replace("]", "[")), written)

    def token(self, kind: Kind, text: str) -> Token:
        return Token(kind, text, self.file, self.line)

    def skip_line(self) -> None:
        """Pass a comment with the end of its line; a blank line behind it still ends the paragraph."""
        end = self.text.find("\n", self.position)
        self.position = len(self.text) if end < 0 else end + 1
        self.line += 1
        self.blank = True

    def is_end(self, name: str) -> bool:
        if name == "end":
            match = _ENVIRONMENT.match(self.text, self.position)
            return bool(match and match[1] == "document")
        return name == "endinput"

    def command(self, name: str) -> Iterator[Token]:
        if name == "begin":
            yield from self.begin()
        elif name in ("verb", "Verb", "lstinline", "mintinline"):
            yield from self.verb(name)
        elif name in ("url", "nolinkurl", "path", "href"):
            yield from self.url(name)
        else:
            yield self.token(Kind.COMMAND, name)
            if name == "\n":
                self.line += 1
            elif name.isalpha() and self.text[self.position : self.position + 1] in (" ", "\t"):
                yield self.token(Kind.SPACE, "")
                while self.text[self.position : self.position + 1] in (" ", "\t"):
                    self.position += 1

    def begin(self) -> Iterator[Token]:
        match = _ENVIRONMENT.match(self.text, self.position)
        name = match[1] if match else ""
        if match is None or name not in self.code | SKIPPED_ENVIRONMENTS | DRAWN_ENVIRONMENTS:
            yield self.token(Kind.COMMAND, "begin")
            return
        start = match.end()
        ending = f"\\end{{{name}{match[2]}}}"
        end = self.text.find(ending, start)
        end = len(self.text) if end < 0 else end
        if name in DRAWN_ENVIRONMENTS:
            yield self.token(Kind.DRAWING, name)
        elif name in self.code:
            yield from self.code_in(name, start, end)
        self.line += self.text.count("\n", self.position, end)
        self.position = min(end + len(ending), len(self.text))

    def code_in(self, name: str, start: int, end: int) -> Iterator[Token]:
        options = _OPTIONS.match(self.text, start, end)
        first = options.end() if options else start
        line = self.line + self.text.count("\n", self.position, first)
        given = (options and options["options"]) or ""
        text = self.text[first:end]
        if name in self.coloured or _COMMANDS_WORK in given:
            text = without_commands(text)
        yield from listing(text, given, self.token(Kind.TEXT, ""), line)

    def verb(self, name: str) -> Iterator[Token]:
        """What stands between two equal characters, or in braces."""
        match = _DELIMITED.match(self.text, self.position)
        if match is None:
            yield self.token(Kind.COMMAND, name)
            return
        mark, start = match["mark"], match.end()
        if match["language"] and name == "lstinline":
            mark, start = "{", match.start("language") + 1
        end = self.text.find("}" if mark == "{" else mark, start, start + _LONGEST_VERB)
        if end < 0:
            yield self.token(Kind.COMMAND, name)
            return
        inner = self.text[start:end]
        self.position = end + 1
        yield self.token(Kind.VERB, " ".join(inner.split()))
        self.line += inner.count("\n")

    def url(self, name: str) -> Iterator[Token]:
        """An address, in which `%` and `#` are plain signs; that behind words of its own is left out."""
        match = _URL.match(self.text, self.position)
        if match is None:
            yield self.token(Kind.COMMAND, name)
            return
        self.position = match.end()
        if name != "href":
            yield self.token(Kind.VERB, match[1].strip())
        self.line += match.group().count("\n")
