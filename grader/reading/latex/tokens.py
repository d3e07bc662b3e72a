"""The smallest parts of a LaTeX source, each with its place: characters and the commands for them, coloured code of
Pandoc and Pygments, and what the usual commands and environments do to a text; and the stream of tokens in the order
in which TeX would see them, within bounds.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from grader.reading.maths.tokens import names

ACCENTS: Final = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
"""Accents and the combining characters for them."""

SYMBOLS: Final = {
    "oe": "œ", "OE": "Œ", "ae": "æ", "AE": "Æ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "ss": "ß", "l": "ł",
    "L": "Ł", "i": "ı", "j": "ȷ", "S": "§", "P": "¶", "dots": "…", "ldots": "…", "textellipsis": "…",
    "copyright": "©", "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textunderscore": "_",
    "textbar": "|", "textless": "<", "textgreater": ">", "textdegree": "°", "textmu": "µ", "textpm": "±",
    "texttimes": "×", "euro": "€", "texteuro": "€", "EUR": "€", "og": "«", "fg": "»", "guillemotleft": "«",
    "guillemotright": "»", "flqq": "«", "frqq": "»", "textquotedblleft": "“", "textquotedblright": "”",
    "textquoteleft": "‘", "textquoteright": "’", "textquotesingle": "'", "quotesinglbase": "‚", "textendash": "–",
    "textemdash": "—", "textbullet": "•", "bullet": "•", "textperiodcentered": "·", "checkmark": "✓", "cmark": "✓",
    "LaTeX": "LaTeX", "TeX": "TeX", "ier": "er", "iere": "re", "ieme": "e", "no": "n°", "degres": "°",
    "textdollar": "$", "pm": "±", "times": "×", "approx": "≈", "rightarrow": "→", "to": "→", "Rightarrow": "⇒",
    "cdot": "·", "sim": "≈", "slash": "/", "textstar": "*", "textasteriskcentered": "*", "lbrack": "[",
    "rbrack": "]", "textbraceleft": "{", "textbraceright": "}", "lbrace": "{", "rbrace": "}", "textpercent": "%",
    "percent": "%",
}  # fmt: skip
"""Commands that stand for a text, whatever follows."""

ESCAPED: Final = frozenset("%&_#$}{")
SPACES: Final = frozenset((" ", "\n")) | names(
    ", : ; > ! quad qquad enspace thinspace space enskip nobreakspace tab newline linebreak tabularnewline \\"
)

_LIGATURES: Final = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), (",,", "„"), ("`", "‘"))
_DOTLESS: Final = {"ı": "i", "ȷ": "j"}


def with_ligatures(text: str) -> str:
    """Running text with the dashes and quotation marks that TeX makes of several signs."""
    for signs, character in _LIGATURES:
        if signs in text:
            text = text.replace(signs, character)
    return text


def accent_letter(accent: str, letters: str) -> str:
    """The first letter with an accent over or under it, and the others."""
    if not letters:
        return ""
    letter = _DOTLESS.get(letters[0], letters[0])
    return unicodedata.normalize("NFC", letter + ACCENTS[accent]) + letters[1:]


_PYGMENTS: Final = {
    "PYZbs": "\\", "PYZus": "_", "PYZob": "{", "PYZcb": "}", "PYZca": "^", "PYZam": "&", "PYZlt": "<", "PYZgt": ">",
    "PYZsh": "#", "PYZpc": "%", "PYZdl": "$", "PYZhy": "-", "PYZsq": "'", "PYZdq": '"', "PYZti": "~", "PYZat": "@",
    "PYZlb": "[", "PYZrb": "]", "textquotedbl": '"', "textasciigrave": "`",
}  # fmt: skip
_KIND: Final = re.compile(r"\\[a-zA-Z]+\{[^{}\n]{0,60}\}(?=\{)")
"""A command with what kind of part follows, such as `\\PY{k}{return}`."""

_PART: Final = re.compile(r"\\(?P<name>[a-zA-Z]+)|\\(?P<sign>.)|(?P<brace>[{}])|(?P<text>[^\\{}]+)|\\", re.DOTALL)


def without_commands(code: str) -> str:
    """The code as it is shown, with its lines."""

    def shown(part: re.Match[str]) -> str:
        name = part["name"]
        return (_PYGMENTS.get(name) or SYMBOLS.get(name, "")) if name else part["text"] or part["sign"] or ""

    return _PART.sub(shown, _KIND.sub("", code))


DRAWING: Final = names(
    "color textcolor mathcolor pagecolor colorbox fcolorbox phantom hphantom vphantom fontsize tiny scalebox resizebox"
    " adjustbox transparent texttransparent sbox savebox setbox raisebox hspace kern hskip vspace invisible only"
    " rlap llap makebox gobble @gobble relsize special pdfliteral"
)
"""Commands that may draw a text so that it cannot be seen."""


COVERED: Final = "covered@text"
"""The command that stands for something opaque that is drawn over the text before it in the line."""


class Kind(StrEnum):
    """The kind of a token."""

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
    not shown in running text, is empty. `is_fixed`: a command has the meaning of LaTeX, whatever the document calls so.
    `is_drawn`: it was decided that the token can be seen."""

    kind: Kind
    text: str
    file: str
    line: int
    is_fixed: bool = False
    is_drawn: bool = False

    @property
    def source(self) -> str:
        """The token's source text."""
        match self.kind:
            case Kind.COMMAND:
                return f"\\{self.text}"
            case Kind.BEGIN | Kind.END:
                return f"\\{self.kind}{{{self.text}}}"
            case Kind.NEWLINE | Kind.PARAGRAPH:
                return " "
        return self.text


PRINTED_ENVIRONMENTS: Final = frozenset({"alltt"})
"""Environments for code in which commands are executed."""

_COMMANDS_WORK: Final = "commandchars"
"""The option of a code environment by which commands are executed in it."""

CODE_ENVIRONMENTS: Final = names("verbatim Verbatim BVerbatim LVerbatim alltt lstlisting minted tcblisting spverbatim")
SKIPPED_ENVIRONMENTS: Final = names("comment filecontents")
DRAWN_ENVIRONMENTS: Final = names("tikzpicture pgfpicture forest picture circuitikz")

_TOKEN_PART: Final = re.compile(
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
    """The tokens of a source with line feeds, from an offset to its end. Comments are left out.
    `own_code` are names of environments that the document sets up for code."""
    return _Tokeniser(text, file, start, CODE_ENVIRONMENTS | own_code).run()


def listing(text: str, options: str, place: Token, line: int) -> Iterator[Token]:
    """The tokens of verbatim text, after the caption from its options. `line` is that of its beginning."""
    named = _CAPTION.search(options)
    if named:
        yield place._replace(kind=Kind.COMMAND, text="caption")
        yield place._replace(kind=Kind.OPEN, text="{")
        yield place._replace(kind=Kind.TEXT, text=(named[1] or named[2] or "").strip())
        yield place._replace(kind=Kind.CLOSE, text="}")
    if "color" in options or "style" in options or "format" in options:
        yield place._replace(kind=Kind.COMMAND, text="listing@options")
        yield place._replace(kind=Kind.OPEN, text="{")
        yield place._replace(kind=Kind.TEXT, text=options)
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
        while match := _TOKEN_PART.match(self.text, self.position):
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
        first, given = (options.end(), options["options"] or "") if options else (start, "")
        line = self.line + self.text.count("\n", self.position, first)
        text = self.text[first:end]
        if name in self.coloured or _COMMANDS_WORK in given:
            text = without_commands(text)
        yield from listing(text, given, self.token(Kind.TEXT, ""), line)

    def verb(self, name: str) -> Iterator[Token]:
        """Yield the text between two equal characters, or in braces."""
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
        if name == "href":
            yield self.token(Kind.COMMAND, "href@link")
        else:
            yield self.token(Kind.VERB, match[1].strip())
        self.line += match.group().count("\n")


SECTIONS: Final = {"part": 0, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3, "frametitle": 2}
"""Levels of headings in a document without chapters."""

RUN_IN: Final = {"paragraph": 4, "subparagraph": 5}
"""Headings that stand at the beginning of their paragraph."""

DROPPED: Final = {
    **dict.fromkeys(
        names(
            "label ref eqref pageref autoref cref Cref nameref vref cite citep citet citealp citeauthor citeyear"
            " parencite textcite footcite autocite nocite vspace hspace color pagestyle thispagestyle"
            " bibliographystyle bibliography addbibresource usepackage RequirePackage"
            " documentclass hypersetup geometry graphicspath index pagenumbering thanks author date institute"
            " affiliation email selectlanguage captionsetup lstset usetikzlibrary pgfplotsset sisetup setlist"
            " setminted usemintedstyle rowcolor cellcolor columncolor arrayrulecolor linespread phantom hphantom"
            " vphantom stepcounter refstepcounter markboth lhead rhead chead lfoot"
            " rfoot cfoot fancyhf fancyhead fancyfoot DeclareGraphicsExtensions hyphenation includeonly"
            " newcounter newlength newcolumntype subtitle logo theoremstyle numberwithin"
            " setstretch bookmark pdfbookmark directlua pgfmathparse sout st xout luaexec luadirect"
            " note pdfcomment pdfmargincomment pdffreetextcomment typeout message errmessage wlog pdfinfo pdfobj"
            " pdfannot glossary blackout xblackout censor censorbox hidetext missingfigure"
            " newsavebox newread newwrite mark includeonlyframes pdfcatalog pdfnames textattachfile"
            " DeclareGraphicsRule"
        ),
        1,
    ),
    **dict.fromkeys(
        names(
            "setlength addtolength setcounter addtocounter fontsize rule markright settowidth pgfmathsetmacro"
            " addcontentsline settoheight settodepth nomenclature PackageWarning PackageInfo ClassWarning"
            " attachfile embedfile sbox"
        ),
        2,
    ),
    **dict.fromkeys(names("definecolor specialrule titlespacing addtocontents titleformat"), 3),
}
"""Commands without text, with the number of their arguments in braces."""

DECLARATIONS: Final = names(
    "noindent indent centering raggedright raggedleft small footnotesize scriptsize tiny normalsize large Large"
    " LARGE huge Huge rm sf sl it em mdseries upshape itshape slshape scshape rmfamily sffamily normalfont"
    " selectfont newpage clearpage cleardoublepage pagebreak nopagebreak nolinebreak hfill hfil vfill smallskip"
    " medskip bigskip null maketitle tableofcontents listoffigures listoftables appendix frontmatter mainmatter"
    " backmatter makeatletter makeatother protect relax ignorespaces unskip leavevmode strut hline toprule"
    " midrule bottomrule endhead endfirsthead endfoot endlastfoot sloppy fussy onehalfspacing doublespacing"
    " singlespacing FloatBarrier displaystyle textstyle limits nolimits qed null bgroup egroup begingroup"
    " endgroup allowbreak titlepage newblock balance @ / - xspace hrulefill dotfill par"
    " addlinespace qedhere allowdisplaybreaks printbibliography"
)
"""Commands without arguments that show nothing."""

UNWRAPPED_OPTION: Final = names(
    "makebox framebox parbox raisebox includegraphics sqrt textcolor colorbox resizebox scalebox rotatebox tcbox"
    " cite citep citet parencite textcite autocite footcite usepackage documentclass vspace footnotetext todo"
    " rule lstset marginpar printbibliography addlinespace allowdisplaybreaks bibitem linebreak pagebreak caption"
)
"""Commands whose options in square brackets hold no text."""

KEPT_AFTER: Final = {"textcolor": 1, "colorbox": 1, "fcolorbox": 2, "resizebox": 2, "scalebox": 1, "rotatebox": 1,
                     "raisebox": 1, "parbox": 1, "foreignlanguage": 1, "adjustbox": 1, "hyperref": 0, "hypertarget": 1,
                     "hyperlink": 1}  # fmt: skip
"""Commands whose last argument is text, with the number of those before it."""

BOLD: Final = names("textbf underline uline textsc bfseries bf scshape")
TYPEWRITER: Final = names("texttt ttfamily tt lstinline code")

TABLES: Final = {
    **dict.fromkeys(names("tabular longtable supertabular tabu longtabu tblr longtblr talltblr NiceTabular"), 1),
    **dict.fromkeys(names("tabularx tabulary xltabular NiceTabularX"), 2),
}
"""Environments of rows and cells, with the number of their arguments; `tabular*` has one more."""

DISPLAYS: Final = names(
    "equation align gather multline eqnarray flalign alignat displaymath dmath dgroup IEEEeqnarray empheq numcases"
)
ROWED: Final = names("aligned split gathered multlined alignedat align gather alignat")
"""Environments within a display that set rows below each other."""

FLOATS: Final = names(
    "figure table wrapfigure wraptable sidewaystable sidewaysfigure subfigure subtable SCfigure floatrow"
    " marginfigure measuredfigure threeparttable"
)  # fmt: skip
ENVIRONMENT_ARGUMENTS: Final = {
    "minipage": 1, "multicols": 1, "wrapfigure": 2, "wraptable": 2, "subfigure": 1, "subtable": 1, "thebibliography": 1,
    "adjustbox": 1, "spacing": 1, "column": 1, "alignat": 1, "alignedat": 1, "IEEEeqnarray": 1, "empheq": 1, "array": 1,
    "numcases": 1, "list": 2, "adjustwidth": 2, "textblock": 1, "otherlanguage": 1, "savenotes": 0, "tasks": 0,
}  # fmt: skip
"""Number of an environment's arguments that hold no text."""

KNOWN_COMMANDS: Final = (
    frozenset((*SYMBOLS, *ESCAPED, *ACCENTS, *SPACES, *SECTIONS, *RUN_IN, *DROPPED, *DECLARATIONS, *KEPT_AFTER))
    | UNWRAPPED_OPTION | BOLD | TYPEWRITER | DRAWING
)  # fmt: skip
"""Commands whose meaning the reader knows."""

PLAIN_ENVIRONMENTS: Final = (
    names(
        "document itemize enumerate description list center flushleft flushright quote quotation verse abstract"
        " titlepage trivlist columns sloppypar landscape samepage appendices subequations math proof theorem lemma"
        " definition remark example solution questions parts part inparaenum tasks cases array matrix pmatrix bmatrix"
        " vmatrix Vmatrix smallmatrix Shaded Highlighting raggedright onehalfspace doublespace singlespace refsection"
        " compactitem compactenum asparaenum letter algorithm algorithmic multicols frame"
    )
    | FLOATS | DISPLAYS | ROWED | frozenset((*TABLES, *ENVIRONMENT_ARGUMENTS)) | DECLARATIONS
)  # fmt: skip
"""Environments that draw nothing behind their text."""


MOST_TOKENS: Final = 500_000
"""Tokens of one document, including those that its macros produce."""

LONGEST_ARGUMENT: Final = 8_000
"""Tokens of an argument; a longer one means a missing brace."""

_MOST_AGAIN: Final = 20
"""Most times that the tokens of an argument are read."""

_MOST_RUNAWAYS: Final = 10
_BLANK: Final = (Kind.SPACE, Kind.NEWLINE)


class Stream:
    """Tokens from several sources, the last one added first; one use only. How many are taken is bounded, those
    that are put back and taken again included, so that all work on a document is."""

    def __init__(self, tokens: Iterator[Token] | Sequence[Token]) -> None:
        self._sources: list[Iterator[Token] | list[Token]] = [iter(tokens)]
        self._left = _MOST_AGAIN * (len(tokens) + 10) if isinstance(tokens, Sequence) else MOST_TOKENS
        self._runaways = 0

    @property
    def is_exhausted(self) -> bool:
        """Whether the bound was reached, so that the rest is not read."""
        return self._left <= 0

    def push(self, tokens: Sequence[Token]) -> None:
        """Put tokens before all that is still to come."""
        if tokens:
            self._sources.append(list(reversed(tokens)))

    def end_source(self, *, whole: bool) -> None:
        """Leave out the rest of the source that was included last. `whole`: also what was put before it, and where no
        source was included, all that is still to come."""
        places = [place for place, source in enumerate(self._sources) if not isinstance(source, list)]
        if whole and len(places) < 2:
            self._sources.clear()
        elif places:
            del self._sources[places[-1] : None if whole else places[-1] + 1]

    def put_back(self, token: Token | None) -> None:
        """Put a token that was taken before all that is still to come."""
        self.push([token] if token is not None else [])

    def include(self, tokens: Iterator[Token]) -> None:
        """Put a source before all that is still to come."""
        self._sources.append(tokens)

    def raw(self) -> Token | None:
        """The next token without expansion; None at the end."""
        if self._left <= 0:
            return None
        self._left -= 1
        while self._sources:
            source = self._sources[-1]
            if isinstance(source, list):
                if source:
                    token = source.pop()
                    if not source:
                        self._sources.pop()
                    return token
            else:
                found = next(source, None)
                if found is not None:
                    return found
            self._sources.pop()
        return None

    def take(self) -> Token | None:
        """The next token. What knows macros expands them here."""
        return self.raw()

    def peek(self) -> Token | None:
        """The next token, without consuming it."""
        token = self.take()
        if token is not None:
            self.push([token])
        return token

    def skip_blank(self) -> None:
        """Pass spaces and one end of a line."""
        while (token := self.take()) is not None:
            if token.kind not in _BLANK:
                self.push([token])
                return

    def take_star(self) -> bool:
        """Whether a star follows, which is passed."""
        return self.take_sign("*")

    def take_sign(self, sign: str) -> bool:
        """Whether a text follows at once that begins with a sign, which is passed."""
        token = self.take()
        if token is None:
            return False
        found = token.kind is Kind.TEXT and token.text.startswith(sign)
        rest = token.text.removeprefix(sign) if found else token.text
        if rest or not found:
            self.push([token._replace(text=rest)])
        return found

    def digits(self) -> str:
        """The digits that follow at once, which are passed."""
        token = self.raw()
        if token is None or token.kind is not Kind.TEXT:
            self.put_back(token)
            return ""
        rest = token.text.lstrip("0123456789")
        self.push([token._replace(text=rest)] if rest else [])
        return token.text[: len(token.text) - len(rest)]

    def argument(self) -> list[Token]:
        """The tokens of the group that follows, or the one token in its place; empty where there is none."""
        self.skip_blank()
        token = self.take()
        if token is None:
            return []
        if token.kind is Kind.OPEN:
            found = self._until(Kind.CLOSE, "}")
            if found is None:
                self.push([token])
            return found or []
        if token.kind is Kind.TEXT:
            self.push([token._replace(text=token.text[1:])] if len(token.text) > 1 else [])
            return [token._replace(text=token.text[0])]
        if token.kind in (Kind.CLOSE, Kind.PARAGRAPH, Kind.BEGIN, Kind.END, Kind.ALIGN, Kind.VERBATIM):
            self.push([token])
            return []
        return [token]

    def pass_argument(self) -> None:
        """Pass the argument that follows, whatever its length."""
        self.skip_blank()
        token = self.take()
        if token is None or token.kind is not Kind.OPEN:
            self.put_back(token)
            self.argument()
            return
        depth, passed = 1, [token]
        while depth and (token := self.take()) is not None:
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(token.kind, 0)
            if len(passed) <= LONGEST_ARGUMENT:
                passed.append(token)
        if depth and len(passed) <= LONGEST_ARGUMENT and self._runaways < _MOST_RUNAWAYS:
            self._runaways += 1  # a brace is missing
            self.push(passed[1:])

    def group(self) -> list[Token] | None:
        """The tokens of a group in braces; None, and nothing is passed, where none follows at once."""
        token = self.take()
        if token is None or token.kind is not Kind.OPEN:
            self.put_back(token)
            return None
        found = self._until(Kind.CLOSE, "}")
        if found is None:
            self.push([token])
        return found

    def option(self) -> list[Token] | None:
        """The tokens in square brackets that follow; None, and nothing is passed, where there are none."""
        blank = []
        while (token := self.take()) is not None and token.kind in _BLANK:
            blank.append(token)
        if token is not None and token.kind is Kind.BRACKET and token.text == "[":
            found = self._until(Kind.BRACKET, "]")
            if found is not None:
                return found
        self.push([*blank, token] if token is not None else blank)
        return None

    def close_option(self) -> None:
        """Pass what follows at once in square brackets, as behind the end of a row."""
        token = self.peek()
        if token is not None and token.kind is Kind.BRACKET:
            self.option()

    def skip_arguments(self, count: int) -> None:
        """Pass arguments, and an option before each and behind the last."""
        self.option()
        for _ in range(count):
            self.argument()
            self.option()

    def words(self) -> str:
        """The source text of the argument that follows."""
        return source_text(self.argument())

    def _until(self, kind: Kind, text: str) -> list[Token] | None:
        """The tokens up to a closing sign outside of further groups; None, and nothing is passed, where none comes."""
        if self._runaways >= _MOST_RUNAWAYS:
            return None
        found: list[Token] = []
        depth = 0
        while len(found) < LONGEST_ARGUMENT and (token := self.take()) is not None:
            if depth == 0 and token.kind is kind and token.text == text:
                return found
            if kind is Kind.BRACKET and token.kind is Kind.PARAGRAPH:
                found.append(token)
                break
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(token.kind, 0)
            found.append(token)
            if depth < 0:
                break
        self._runaways += 1
        self.push(found)
        return None


def source_text(tokens: Iterable[Token]) -> str:
    """The source text of tokens, in one line."""
    return " ".join("".join(token.source for token in tokens).split())


def with_braces(tokens: Iterable[Token], place: Token) -> list[Token]:
    """Tokens in braces that stand at a place."""
    opened = place._replace(kind=Kind.OPEN, text="{")
    return [opened, *tokens, opened._replace(kind=Kind.CLOSE, text="}")]


def with_brackets(tokens: Iterable[Token] | None, place: Token) -> list[Token]:
    """The tokens of an option in its brackets; none where there is no option."""
    opened = place._replace(kind=Kind.BRACKET, text="[")
    return [] if tokens is None else [opened, *tokens, opened._replace(text="]")]
