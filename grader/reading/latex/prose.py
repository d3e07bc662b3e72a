"""Running text: what its commands show, put into lines."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.latex.formulas import formula_source, is_quantity, quantity
from grader.reading.latex.stream import Stream
from grader.reading.latex.tokens import (
    ACCENTS,
    BOLD,
    COVERED,
    DECLARATIONS,
    DROPPED,
    ENVIRONMENT_ARGUMENTS,
    ESCAPED,
    KEPT_AFTER,
    SPACES,
    SYMBOLS,
    TABLES,
    TYPEWRITER,
    UNWRAPPED_OPTION,
    Kind,
    Token,
    accented,
    with_ligatures,
)
from grader.reading.maths.formula import Formula


class Line:
    """Collects text and formulas; spaces in a row are one. `begin` is the place of its first visible token."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.begin: Token | None = None
        self.is_bold = True
        self._formulas: list[tuple[int, int]] = []
        self._blank = True

    def __bool__(self) -> bool:
        return self.length > 0

    @property
    def text(self) -> str:
        """What was collected, without a space at its end."""
        return "".join(self.parts).rstrip()

    def clear(self) -> None:
        """Leave out what was collected."""
        self.parts, self.length, self._formulas, self._blank = [], 0, [], True

    def add(self, text: str, place: Token, *, bold: bool = False) -> None:
        """A piece of text."""
        if self._blank:
            text = text.lstrip(" ")
        if not text:
            return
        if not text.isspace():
            self.begin = self.begin or place
            self.is_bold = self.is_bold and (bold or not text.strip(" :."))
        self.parts.append(text)
        self.length += len(text)
        self._blank = text.endswith(" ")

    def space(self) -> None:
        """A space, if none stands there and the line has begun."""
        if not self._blank:
            self.parts.append(" ")
            self.length += 1
            self._blank = True

    def formula(self, source: str, place: Token, *, bold: bool = False) -> None:
        """A formula within the text, put between dollar signs."""
        if source:
            start = self.length + 1
            self.add(f"${source}$", place, bold=bold)
            self._formulas.append((start, start + len(source)))

    def append(self, other: "Line") -> None:
        """All of another line."""
        if other.begin is None:
            return
        start = self.length
        self.add(other.text, other.begin, bold=other.is_bold)
        self._formulas += [(start + left, start + right) for left, right in other._formulas]

    def block(self, kind: BlockKind, root: str, level: int | None = None, cells: tuple[str, ...] = ()) -> Block:
        """The line as a block of a document whose main file is `root`. The line must have begun."""
        place = self.begin
        return Block(
            kind=kind,
            text=self.text,
            level=level,
            cells=cells,
            line=place.line if place else None,
            formulas=tuple(Formula(start=start, end=end) for start, end in self._formulas),
            file=place.file if place and place.file != root else None,
        )


DEEPEST: Final = 8
"""How far notes, cells and labels may be nested."""

_LONGEST_FORMULA: Final = 3_000
_SCRIPTS: Final = ("textsuperscript", "up", "textsubscript")
_NOTES: Final = frozenset({"footnote", "footnotetext", "todo", "marginpar", "endnote", "sidenote"})
_WITH_NOTE: Final = ("pdftooltip", "tooltip", "pdfmarkupcomment", "texttooltip")
"""Commands that show the first of their two arguments."""
_LENGTHS: Final = frozenset({"hskip", "vskip", "kern"})


class Style(NamedTuple):
    """How a group is set."""

    bold: bool = False
    typewriter: bool = False


class Aside:
    """What stands within a text and is read behind it: notes and pictures. `covered` are texts that something is drawn
    over, with their places."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.blocks: list[Block] = []
        self.covered: list[tuple[str, Token]] = []

    def add(self, line: Line) -> None:
        """A note, unless it is empty."""
        if line.text.strip():
            self.blocks.append(line.block(BlockKind.LINE, self.root))

    def picture(self, place: Token) -> None:
        """A picture, of which nothing is read."""
        file = place.file if place.file != self.root else None
        self.blocks.append(Block(kind=BlockKind.FIGURE, text="", line=place.line, file=file))

    def taken(self) -> list[Block]:
        """The notes and pictures collected so far; they are removed from the collection."""
        found, self.blocks = self.blocks, []
        return found


class Prose:
    """Puts the tokens of a stream into lines, one token after the other; one use only."""

    def __init__(self, stream: Stream, aside: Aside, depth: int = 0) -> None:
        self.stream = stream
        self.aside = aside
        self.depth = depth
        self.styles = [Style()]
        self.next_style = Style()
        self.special: dict[str, Callable[[Token, Line], None]] = {
            **dict.fromkeys(_NOTES, self.note),
            **dict.fromkeys(_SCRIPTS, self.script),
            **dict.fromkeys(_LENGTHS, self.length),
            "(": lambda token, line: self.formula(token, line, (Kind.COMMAND, ")")),
            "[": lambda token, line: self.formula(token, line, (Kind.COMMAND, "]")),
            **dict.fromkeys(("multicolumn", "multirow"), lambda *_: self.drop(2)),  # the last argument is text
            "includegraphics": self.picture,
            "ensuremath": lambda token, line: line.formula(
                formula_source(self.stream.argument()), token, bold=self.style.bold
            ),
            **dict.fromkeys(("texorpdfstring", *_WITH_NOTE), self.shown_first),
            "discretionary": self.unbroken,
            "tikz": self.drawing,
            COVERED: self.covered,
            "item": self.item,
        }

    @property
    def style(self) -> Style:
        """How the group is set that is open now."""
        return self.styles[-1]

    def put(self, token: Token, line: Line) -> None:
        """Put one token into a line, with the arguments that follow it in the stream."""
        match token.kind:
            case Kind.TEXT | Kind.VERB | Kind.BRACKET:
                plain = self.style.typewriter or token.kind is not Kind.TEXT
                self.show(token.text if plain else with_ligatures(token.text), token, line)
            case Kind.OPEN | Kind.CLOSE:
                self.group(token)
            case Kind.MATH:
                self.formula(token, line, (Kind.MATH, token.text))
            case Kind.COMMAND:
                self.command(token, line)
            case Kind.DRAWING:
                self.aside.picture(token)
            case Kind.VERBATIM:
                self.show(" ".join(token.text.split()), token, line)
            case Kind.SPACE if not token.text:
                return
            case _:
                line.space()
                self.environment(token)

    def show(self, text: str, place: Token, line: Line) -> None:
        """Put a text into a line, set as the open group is."""
        line.add(text, place, bold=self.style.bold)

    def group(self, token: Token) -> None:
        """The begin or end of a group."""
        if token.kind is Kind.OPEN:
            self.styles.append(self.next_style if any(self.next_style) else self.style)
            self.next_style = Style()
        elif len(self.styles) > 1:
            self.styles.pop()

    def inline(self, tokens: Sequence[Token]) -> Line:
        """Tokens as one line."""
        line = Line()
        if self.depth >= DEEPEST:
            return line
        stream = Stream(tokens)
        prose = Prose(stream, self.aside, self.depth + 1)
        prose.styles = [self.style]
        while (token := stream.take()) is not None:
            prose.put(token, line)
        return line

    def formula(self, token: Token, line: Line, ending: tuple[Kind, str]) -> None:
        """A formula up to its end; without one in the same paragraph its sign is left out."""
        found: list[Token] = []
        braces = 0
        while len(found) < _LONGEST_FORMULA and (following := self.stream.take()) is not None:
            if (following.kind, following.text) == ending and braces <= 0:
                line.formula(formula_source(found), token, bold=self.style.bold)
                return
            found.append(following)
            braces += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(following.kind, 0)
            if following.kind is Kind.PARAGRAPH or (following.kind is Kind.MATH and braces <= 0):
                break
        self.stream.push(found)

    def command(self, token: Token, line: Line) -> None:
        """A command with its arguments."""
        name = token.text
        special = self.special.get(name)
        if special is not None:
            special(token, line)
        elif name in ESCAPED:
            self.show(name, token, line)
        elif name in SYMBOLS:
            self.show(SYMBOLS[name], token, line)
        elif name in ACCENTS:
            over = self.inline(self.stream.argument()).text
            self.show(accented(name, over) if over.strip() or name.isalpha() else name, token, line)
        elif is_quantity(name):
            self.show(quantity(name, self.stream), token, line)
        elif name in BOLD or name in TYPEWRITER:
            self.restyle(name)
        elif name in SPACES:
            self.blank(name, line)
        elif name in DROPPED or name in KEPT_AFTER:
            self.drop(DROPPED.get(name) or KEPT_AFTER.get(name, 0))
        elif name not in DECLARATIONS or name in UNWRAPPED_OPTION:
            self.unknown(name)

    def blank(self, name: str, line: Line) -> None:
        """Adds a space for a space command, or for a line break that has no effect here."""
        line.space()
        if name in ("\\", "newline"):
            self.stream.starred()
            self.stream.close_option()

    def script(self, token: Token, line: Line) -> None:
        """Raised or lowered text; that of ordinals stays as it is."""
        script = self.inline(self.stream.argument()).text
        ordinal = token.text != "textsubscript" and script.isalpha() and len(script) < 4
        sign = "_" if token.text == "textsubscript" else "^"
        self.show(script if ordinal else f"{sign}{{{script}}}", token, line)

    def shown_first(self, _token: Token, _line: Line) -> None:
        """Shows the first of two arguments."""
        shown = self.stream.argument()
        self.stream.argument()
        self.stream.push(shown)

    def unbroken(self, _token: Token, _line: Line) -> None:
        """Shows what stands where a line does not break."""
        self.stream.argument()
        self.stream.argument()

    def drawing(self, token: Token, _line: Line) -> None:
        """A picture within the text, of which nothing is read: a group, or a command up to its semicolon."""
        self.stream.option()
        self.aside.picture(token)
        self.stream.skip_blank()
        following = self.stream.peek()
        if following is not None and following.kind is Kind.OPEN:
            self.stream.pass_argument()
            return
        depth = 0
        while (part := self.stream.take()) is not None and part.kind is not Kind.PARAGRAPH:
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(part.kind, 0)
            if depth < 0:
                self.stream.push([part])
                return
            if depth == 0 and part.kind is Kind.TEXT and ";" in part.text:
                self.stream.push([part._replace(text=part.text.partition(";")[2])])
                return

    def covered(self, token: Token, line: Line) -> None:
        """Leaves out the line so far, which something is drawn over."""
        if line.text.strip():
            self.aside.covered.append((line.text, line.begin or token))
        line.clear()

    def item(self, _token: Token, line: Line) -> None:
        """An item of a list within a line."""
        label = self.stream.option()
        line.space()
        line.append(self.inline(label or []))
        line.space()

    def restyle(self, name: str) -> None:
        """A change of type, for the group that follows or for the rest of the one that it stands in."""
        style = Style(self.style.bold or name in BOLD, self.style.typewriter or name in TYPEWRITER)
        if name in ("bf", "bfseries", "tt", "ttfamily", "scshape"):
            self.styles[-1] = style
        else:
            self.stream.skip_blank()
            following = self.stream.peek()
            if following is not None and following.kind is Kind.OPEN:
                self.next_style = style

    def drop(self, count: int) -> None:
        """Skips arguments without text, and options around them."""
        self.stream.starred()
        while self.stream.option() is not None:
            pass
        for _ in range(count):
            self.stream.pass_argument()
            while self.stream.option() is not None:
                pass

    def length(self, _token: Token, line: Line) -> None:
        """A length behind a command of plain TeX."""
        line.space()
        self.stream.skip_blank()
        token = self.stream.take()
        if token is not None and not (token.kind is Kind.TEXT and token.text[:1] in "-.0123456789"):
            self.stream.push([token])

    def unknown(self, name: str) -> None:
        """Reads an unknown command: its options are skipped, the groups after them are text."""
        if name in UNWRAPPED_OPTION:
            self.drop(0)
            return
        token = self.stream.peek()
        if token is None or token.kind is not Kind.BRACKET or token.text != "[":
            return
        option = self.stream.option() or []
        following = self.stream.peek()
        if following is None or following.kind is not Kind.OPEN:
            self.stream.push([token, *option, token._replace(text="]")])

    def note(self, _token: Token, _line: Line) -> None:
        """A note, which is read behind the paragraph."""
        self.stream.option()
        self.aside.add(self.inline(self.stream.argument()))

    def picture(self, token: Token, _line: Line) -> None:
        """A picture, of which nothing is read."""
        self.stream.starred()
        self.stream.option()
        self.stream.argument()
        self.aside.picture(token)

    def environment(self, token: Token) -> None:
        """Reads an environment within a line as its content only."""
        if token.kind is Kind.BEGIN:
            self.stream.close_option()
            name = token.text.rstrip("*")
            for _ in range(TABLES.get(name) or ENVIRONMENT_ARGUMENTS.get(name, 0)):
                self.stream.argument()
                self.stream.close_option()
