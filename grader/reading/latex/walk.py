"""Conversion of the stream of tokens to blocks: running text put into lines, rows and cells of tables, figures and
tables with their captions."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.latex.arithmetic import LEVELS, keys_of
from grader.reading.latex.expansion import Expansion
from grader.reading.latex.formulas import formula_source, is_quantity, quantity, rows_of
from grader.reading.latex.tokens import (
    ACCENTS,
    BOLD,
    COVERED,
    DECLARATIONS,
    DISPLAYS,
    DROPPED,
    ENVIRONMENT_ARGUMENTS,
    ESCAPED,
    FLOATS,
    KEPT_AFTER,
    RUN_IN,
    SECTIONS,
    SPACES,
    SYMBOLS,
    TABLES,
    TYPEWRITER,
    UNWRAPPED_OPTION,
    Kind,
    Stream,
    Token,
    accent_letter,
    source_text,
    with_ligatures,
)
from grader.reading.maths.formula import Formula
from grader.reading.maths.tokens import names
from grader.reading.structure import (
    BOLD_LEVEL,
    MOST_COLUMNS,
    MOST_ROWS,
    SpannedCell,
    begins_item,
    could_be_title,
    in_style,
    is_marker,
    names_task,
    plain_rows,
    title_level,
)


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
        """The collected text, without a space at its end."""
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
    """The typeface of a group."""

    bold: bool = False
    typewriter: bool = False


class AsideContent:
    """The parts that stand within a text and are read after it: notes and pictures. `covered` are texts that something
    is drawn over, with their places."""

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

    def take_blocks(self) -> list[Block]:
        """The notes and pictures collected so far; they are removed from the collection."""
        found, self.blocks = self.blocks, []
        return found


class Prose:
    """Puts the tokens of a stream into lines, one token after the other; one use only."""

    def __init__(self, stream: Stream, aside: AsideContent, depth: int = 0) -> None:
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
            COVERED: self.drop_covered_line,
            "item": self.item,
        }

    @property
    def style(self) -> Style:
        """The typeface of the group that is open now."""
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
            self.show(accent_letter(name, over) if over.strip() or name.isalpha() else name, token, line)
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
            self.stream.take_star()
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

    def drop_covered_line(self, token: Token, line: Line) -> None:
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
        self.stream.take_star()
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
        self.stream.take_star()
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


Inline = Callable[[Sequence[Token]], Line]

_ROW_ENDS: Final = names("\\ tabularnewline cr crcr endhead endfirsthead endfoot endlastfoot")
_RULES: Final = names("hline toprule midrule bottomrule noalign")
_PARTIAL_RULES: Final = names("cmidrule cline")
_LONGEST_CAPTION: Final = 2_000
_BETWEEN: Final = " | "


class _Cell(NamedTuple):
    line: Line
    columns: int
    rows: int


def table_blocks(tokens: Sequence[Token], inline: Inline, root: str) -> list[Block]:
    """The rows that are not blank. Each has its line; where rules between the rows set these further apart, all have
    the first one's, because they are one table."""
    rows = _without_repeats(_rows(tokens))[:MOST_ROWS]
    shown = _without_held([[_cell(cell, inline) for cell in row] for row in rows])
    lines = [[cell.line for cell in row] for row in shown]
    spanned = [[SpannedCell(cell.line.text.strip(), cell.columns, cell.rows) for cell in row] for row in shown]
    blocks = [_block(cells, texts, root) for cells, texts in zip(plain_rows(spanned), lines, strict=True) if any(texts)]
    return _together(blocks)


def _block(cells: tuple[str, ...], lines: list[Line], root: str) -> Block:
    """A row. The formulas are those of the cells that stand where they were written."""
    rest = list(lines)
    row = Line()
    begin = next((line.begin for line in lines if line.begin), None)
    for index, text in enumerate(cells):
        if index and begin:
            row.add(_BETWEEN if row else _BETWEEN.lstrip(), begin)
        while rest and not rest[0]:
            rest.pop(0)
        if rest and text and rest[0].text.strip() == text:
            row.append(rest.pop(0))
        elif begin:
            row.add(text, begin)
    return row.block(BlockKind.ROW, root, cells=cells)


def _together(blocks: list[Block]) -> list[Block]:
    """Rows whose lines do not jump, except behind the first, where the rule under a header stands."""
    lines = [block.line or 0 for block in blocks]
    steps = [after - before for before, after in pairwise(lines)]
    if all(0 <= step <= (1 if index else 2) for index, step in enumerate(steps)):
        return blocks
    return [block.model_copy(update={"line": blocks[0].line, "file": blocks[0].file}) for block in blocks]


def _rows(tokens: Sequence[Token]) -> Iterator[tuple[list[list[Token]], str]]:
    """The cells of each row, and the command that ends it."""
    cells: list[list[Token]] = []
    part: list[Token] = []
    depth = 0
    stream = Stream(tokens)
    while (token := stream.take()) is not None:
        depth += {Kind.OPEN: 1, Kind.BEGIN: 1, Kind.CLOSE: -1, Kind.END: -1}.get(token.kind, 0)
        if depth <= 0 and token.kind is Kind.ALIGN and len(cells) < MOST_COLUMNS:
            cells.append(part)
            part = []
        elif depth <= 0 and token.kind is Kind.COMMAND and token.text in _ROW_ENDS:
            if token.text == "\\":
                stream.take_star()
                stream.close_option()
            yield [*cells, part], token.text
            cells, part = [], []
        elif token.kind is Kind.COMMAND and token.text in _PARTIAL_RULES:
            _skip_rule(stream)
        elif not (token.kind is Kind.COMMAND and token.text in _RULES):
            part.append(token)
    yield [*cells, part], ""


def _skip_rule(stream: Stream) -> None:
    """Pass the columns of a rule: `(lr){2-3}`."""
    stream.option()
    token = stream.peek()
    if token is not None and token.kind is Kind.TEXT and token.text.startswith("("):
        stream.take()
    stream.argument()


def _without_repeats(rows: Iterator[tuple[list[list[Token]], str]]) -> list[list[list[Token]]]:
    """The rows without those that a long table repeats on further pages: a head behind the first one, and feet."""
    kept: list[list[list[Token]]] = []
    start, has_first = 0, False
    for cells, ending in rows:
        kept.append(cells)
        if ending in ("endfoot", "endlastfoot") or (ending == "endhead" and has_first):
            del kept[start:]
        if ending.startswith("end"):
            start, has_first = len(kept), has_first or ending == "endfirsthead"
    return kept


def _cell(tokens: list[Token], inline: Inline) -> _Cell:
    """A cell, which may be one over several columns or rows, with its own content only."""
    columns = rows = 1
    stream = Stream(tokens)
    content: list[Token] = []
    while (token := stream.take()) is not None:
        if token.kind is Kind.COMMAND and token.text in ("multicolumn", "SetCell"):
            columns = _count(stream)
            stream.argument()
            stream.push(stream.argument())
        elif token.kind is Kind.COMMAND and token.text in ("multirow", "multirowcell"):
            stream.option()
            rows = _count(stream)
            stream.option()
            stream.argument()
            stream.option()
            stream.push(stream.argument())
        else:
            content.append(token)
    return _Cell(inline(content), columns, rows)


def _without_held(rows: list[list[_Cell]]) -> list[list[_Cell]]:
    """The rows without the empty cells that LaTeX wants below a cell over several rows. Such a cell reaches as far as
    these go."""
    kept: list[list[_Cell]] = []
    held: dict[int, tuple[int, int, int]] = {}
    for number, row in enumerate(rows):
        column = 0
        rest: list[_Cell] = []
        for cell in row:
            left, above, place = held.pop(column, (0, 0, 0))
            if left and not cell.line:
                above_cell = kept[above][place]
                kept[above][place] = above_cell._replace(rows=number - above + 1)
                if left > 1:
                    held[column] = (left - 1, above, place)
            else:
                if cell.rows > 1:
                    held[column] = (cell.rows - 1, number, len(rest))
                rest.append(cell._replace(rows=1))
            column += max(cell.columns, 1)
        kept.append(rest)
    return kept


def _count(stream: Stream) -> int:
    text = source_text(stream.argument()).strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 1


def parted_captions(tokens: list[Token]) -> tuple[list[list[Token]], list[Token]]:
    """The captions within a table, as arguments of a caption, and the rest."""
    captions: list[list[Token]] = []
    rest: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token.kind is not Kind.COMMAND or token.text != "caption":
            rest.append(token)
            continue
        depth, start = 0, index
        while index < len(tokens) and index - start < _LONGEST_CAPTION:
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(tokens[index].kind, 0)
            index += 1
            if depth == 0 and tokens[index - 1].kind is Kind.CLOSE:
                break
        captions.append(tokens[start:index])
    return captions, rest


_VISIBLE: Final = (Kind.TEXT, Kind.COMMAND, Kind.MATH, Kind.VERB, Kind.BRACKET)


def with_captions(blocks: list[Block]) -> list[Block]:
    """The blocks of one float: a caption tells what the picture shows, and stands before a table's rows, wherever it
    was written."""
    captions = [block for block in blocks if block.kind is BlockKind.CAPTION]
    pictures = [block for block in blocks if block.kind is BlockKind.FIGURE and not block.text]
    rows = [index for index, block in enumerate(blocks) if block.kind is BlockKind.ROW]
    if rows and len(captions) == 1:
        rest = [block for block in blocks if block is not captions[0]]
        first = next(index for index, block in enumerate(rest) if block.kind is BlockKind.ROW)
        return [*rest[:first], captions[0], *rest[first:]]
    if not rows and captions and len(captions) == len(pictures):
        captioned_figures = {
            id(picture): caption.model_copy(update={"kind": BlockKind.FIGURE})
            for picture, caption in zip(pictures, captions, strict=True)
        }
        return [captioned_figures.get(id(block), block) for block in blocks if block.kind is not BlockKind.CAPTION]
    return blocks


_COMMAND: Final = re.compile(r"\\[a-zA-Z]+")
_DEEPEST_FLOAT: Final = 8
LONGEST_DISPLAY: Final = 20_000
"""In tokens."""

_CAPTIONS: Final = ("caption", "captionof", "subcaption", "captionbox")
_PARAGRAPH_ENDS: Final = names("par newpage clearpage bigskip medskip smallskip vspace vskip")
_LINE_ENDS: Final = ("\\", "newline", "linebreak", "tabularnewline")
_NO_LABEL_END: Final = (".", ":", ",", ";", "=", ")", "]", "?", "!", "-", "–", "—")


def walk(stream: Expansion, root: str, *, in_body: bool) -> tuple[list[Block], list[tuple[str, Token]]]:
    """All blocks of a document in reading order, and the texts that something is drawn over, with their places. `root`
    is the main file's path; `in_body` says that no preamble comes first."""
    walk = _Walk(stream, root, in_body=in_body)
    return walk.run(), walk.aside.covered


_LISTS: Final = names("itemize enumerate description compactitem compactenum asparaenum inparaenum")
_NUMBERED: Final = names("enumerate compactenum asparaenum inparaenum")
_COUNTERS: Final = ("enumi", "enumii", "enumiii", "enumiv")
_STYLES: Final = ("arabic", "alph", "roman", "Alph")
_LABELS: Final = ("\0.", "(\0)", "\0.", "\0.")
"""How LaTeX numbers lists within lists, with a sign for the number."""
_SHOWN: Final = re.compile(r"\\(arabic|alph|Alph|roman|Roman)(?:\*|\{?enumi+v?\}?)")
_PATTERN: Final = re.compile(r"(?<![^\W\d_])[1aAiI](?!\w)")
_PATTERNS: Final = {"1": "arabic", "a": "alph", "A": "Alph", "i": "roman", "I": "Roman"}
_MOST_DIGITS: Final = 4


class _List(NamedTuple):
    """A list that is open: the counter of its items, nothing where these have none, and how its numbers are shown."""

    counter: str = ""
    label: str = ""
    style: str = "arabic"


class _Walk:
    """Reads a document; one use only. Keeps the blocks so far and the line that is put together; `is_item` says that
    the line begins an item of a list, `is_fresh` that it begins its paragraph."""

    def __init__(self, stream: Expansion, root: str, *, in_body: bool) -> None:
        self.stream = stream
        self.root = root
        self.in_body = in_body
        self.blocks: list[Block] = []
        self.aside = AsideContent(root)
        self.line = Line()
        self.is_item = False
        self.is_fresh = True
        self.break_ahead = False
        self.prose = Prose(stream, self.aside)
        self.title: list[Token] = []
        self.has_chapters = False
        self.floats: list[int] = []
        self.lists: list[_List] = []
        self.handlers: dict[str, Callable[[Token], None]] = {
            **dict.fromkeys((*SECTIONS, *RUN_IN), self.heading),
            **dict.fromkeys(_CAPTIONS, self.caption),
            **dict.fromkeys(_LINE_ENDS, self.break_line),
            "item": self.item,
            "[": lambda token: self.display(token, (Kind.COMMAND, "]")),
            "maketitle": lambda _: self.add_title(self.title, BlockKind.HEADING, 1),
            "title": self.keep_title,
            "bibitem": self.source_entry,
        }

    def run(self) -> list[Block]:
        """All blocks in reading order."""
        while (token := self.stream.take()) is not None:
            self.step(token)
        self.end_paragraph()
        return self.blocks

    def step(self, token: Token) -> None:
        if not self.in_body:
            self.preamble(token)
        elif token.kind is Kind.NEWLINE:
            self.break_ahead = True
        elif token.kind is Kind.PARAGRAPH:
            self.end_paragraph()
        elif token.kind is Kind.BEGIN:
            self.begin(token)
        elif token.kind is Kind.END:
            self.end(token)
        elif token.kind is Kind.VERBATIM:
            self.code(token)
        elif token.kind is Kind.MATH and token.text == "$$":
            self.display(token, (Kind.MATH, "$$"))
        elif token.kind is not Kind.COMMAND or not self.structure(token):
            self.break_before(token)
            self.prose.put(token, self.line)

    def preamble(self, token: Token) -> None:
        if token.kind is Kind.BEGIN and token.text == "document":
            self.in_body = True
        elif token.kind is Kind.COMMAND and token.text == "title":
            self.keep_title(token)

    def structure(self, token: Token) -> bool:
        """Whether a command sets the text into parts, which is then done."""
        handler = self.handlers.get(token.text)
        if handler is not None:
            handler(token)
        elif token.text in _PARAGRAPH_ENDS:
            self.end_paragraph()
        return handler is not None

    def break_line(self, _token: Token) -> None:
        """The end of a line that is set by hand."""
        self.stream.take_star()
        self.stream.close_option()
        self.end_line()

    def keep_title(self, _token: Token) -> None:
        self.stream.option()
        self.title = self.stream.argument()

    def source_entry(self, _token: Token) -> None:
        """An entry of the references."""
        self.end_paragraph()
        self.stream.option()
        self.stream.argument()

    def question(self, _token: Token) -> None:
        """A question of the class exam."""
        self.stream.option()
        self.add_numbered_heading("question", "Question")

    def begin(self, token: Token) -> None:
        name = token.text.rstrip("*")
        theorem = self.stream.definitions.theorems.get(token.text)
        if name == "document":
            return
        if name == "math":
            self.prose.formula(token, self.line, (Kind.END, token.text))
            return
        if name in DISPLAYS:
            self.display(token, (Kind.END, token.text))
            return
        self.end_paragraph()
        if name in TABLES:
            self.table(token)
        elif theorem:
            name = self.prose.inline(self.stream.option() or []).text.strip()
            self.add_numbered_heading(theorem.counter, theorem.title, f" ({name})" if name else "")
        else:
            self.plain_environment(name)

    def plain_environment(self, name: str) -> None:
        """An environment whose content is read as it stands."""
        if name in FLOATS and len(self.floats) < _DEEPEST_FLOAT:
            self.floats.append(len(self.blocks))
        if name == "questions":
            self.handlers["question"] = self.question
        if name in _LISTS:
            self.lists.append(self.list_of(name, source_text(self.stream.option() or [])))
        self.stream.skip_arguments(ENVIRONMENT_ARGUMENTS.get(name, 0))
        if name == "thebibliography":
            self.blocks.append(Block(kind=BlockKind.HEADING, text="References", level=1))

    def list_of(self, name: str, option: str) -> "_List":
        """A list that begins, with its options of enumitem, or the pattern `(a)` of the older package enumerate."""
        depth = sum(bool(listing.counter) for listing in self.lists)
        if name not in _NUMBERED or depth >= len(_COUNTERS):
            return _List()
        counter, keys = _COUNTERS[depth], keys_of(option)
        own_macro = self.stream.definitions.macros.get(f"label{counter}")
        label, style = keys.get("label", source_text(own_macro.body) if own_macro else ""), _STYLES[depth]
        if found := _SHOWN.search(label):
            label, style = f"{label[: found.start()]}\0{label[found.end() :]}", found[1]
        elif (found := _PATTERN.search(option)) and "=" not in option:
            label, style = f"{option[: found.start()]}\0{option[found.end() :]}", _PATTERNS[found[0]]
        else:
            label = _LABELS[depth]
        start = keys.get("start", "")
        if not ({"resume", "resume*"} & keys.keys()):
            first = int(start) if start.isdecimal() and len(start) <= _MOST_DIGITS else 1
            self.stream.numbering.set(counter, first - 1)
        return _List(counter, _COMMAND.sub("", label).replace("{", "").replace("}", ""), style)

    def end(self, token: Token) -> None:
        name = token.text.rstrip("*")
        self.end_paragraph()
        if name in _LISTS and self.lists:
            self.lists.pop()
        if name in FLOATS and self.floats:
            start = self.floats.pop()
            self.blocks[start:] = with_captions(self.blocks[start:])

    def code(self, token: Token) -> None:
        self.end_paragraph()
        file = token.file if token.file != self.root else None
        for number, line in enumerate(token.text.split("\n"), start=token.line):
            if line.strip():
                self.blocks.append(Block(kind=BlockKind.CODE, text=line.rstrip(), line=number, file=file))

    def display(self, token: Token, ending: tuple[Kind, str]) -> None:
        """A displayed formula up to its end, a block for each equation in it."""
        self.end_line()
        self.is_item = False
        if token.kind is Kind.BEGIN:
            for _ in range(ENVIRONMENT_ARGUMENTS.get(token.text.rstrip("*"), 0)):
                self.stream.argument()
        found = self.take_until(ending)
        for row in rows_of(found):
            file = row.file if row.file != self.root else None
            formulas = (Formula(start=0, end=len(row.source)),)
            self.blocks.append(Block(kind=BlockKind.MATH, text=row.source, line=row.line, formulas=formulas, file=file))

    def take_until(self, ending: tuple[Kind, str]) -> list[Token]:
        """The tokens up to the end of what is open. Where none comes, they are put back."""
        found: list[Token] = []
        depth = 0
        while len(found) < LONGEST_DISPLAY and (token := self.stream.take()) is not None:
            if depth == 0 and (token.kind, token.text) == ending:
                return found
            if ending[0] is not Kind.END and token.kind is Kind.PARAGRAPH:
                found.append(token)
                break
            nested = token.text == ending[1]
            depth += (token.kind is Kind.BEGIN and nested) - (token.kind is Kind.END and nested)
            found.append(token)
        self.stream.push(found)
        return []

    def table(self, token: Token) -> None:
        self.stream.skip_arguments(TABLES[token.text.rstrip("*")] + (token.text == "tabular*"))
        found = self.take_until((Kind.END, token.text))
        captions, rest = parted_captions(found)
        for caption in captions:
            self.stream.push(caption)
            self.caption(token._replace(text="caption"))
        self.blocks += table_blocks(rest, self.prose.inline, self.root)
        self.blocks += self.aside.take_blocks()

    def caption(self, token: Token) -> None:
        self.end_paragraph()
        self.stream.take_star()
        if token.text == "captionof":
            self.stream.argument()
        self.stream.option()
        self.add_title(self.stream.argument(), BlockKind.CAPTION)

    def item(self, token: Token) -> None:
        self.end_paragraph()
        self.is_item = True
        option = self.stream.option()
        counted = self.lists[-1] if self.lists else _List()
        if option is None and counted.counter:
            self.stream.numbering.step(counted.counter)
            number = in_style(counted.style, self.stream.numbering.values.get(counted.counter, 0))
            self.line.add(counted.label.replace("\0", number), token)
            self.line.space()
        shown = self.prose.inline(option or [])
        if any(character.isalnum() for character in _COMMAND.sub("", shown.text)):
            self.begin_with(shown)

    def heading(self, token: Token) -> None:
        if not self.stream.take_star() and token.text in LEVELS:
            self.stream.numbering.step(token.text)
        self.stream.option()
        title = self.stream.argument()
        if token.text in RUN_IN and self.runs_in(title):
            return
        self.has_chapters = self.has_chapters or token.text == "chapter"
        level = SECTIONS.get(token.text, RUN_IN.get(token.text, 0)) + self.has_chapters
        self.add_title(title, BlockKind.HEADING, max(level, 1))

    def runs_in(self, title: list[Token]) -> bool:
        """Whether a title only begins its paragraph, such as a name that is explained behind it."""
        self.end_paragraph()
        shown = self.prose.inline(title)
        text = shown.text.strip()
        named = " " not in text and ("_" in text or "=" in text or text.islower())
        if names_task(text) or not (named or text.endswith(("=", ","))):
            return False
        self.begin_with(shown)
        return True

    def begin_with(self, label: Line) -> None:
        """Put a label before what follows, with a colon where no sign ends it."""
        self.line.append(label)
        if label.begin and not (is_marker(label.text.strip()) or label.text.strip().endswith(_NO_LABEL_END)):
            self.line.add(":", label.begin)
        self.line.space()

    def add_title(self, tokens: list[Token], kind: BlockKind, level: int | None = None) -> None:
        """A title or a caption, with what stands aside in it behind it."""
        self.end_paragraph()
        line = self.prose.inline(tokens)
        if line.text.strip():
            self.blocks.append(line.block(kind, self.root, level))
        self.blocks += self.aside.take_blocks()

    def add_numbered_heading(self, counter: str, title: str, name: str = "") -> None:
        """The heading of a paragraph with a title, with its number as LaTeX would count it where it has a counter."""
        self.end_paragraph()
        if counter:
            self.stream.numbering.step(counter)
            title = f"{title} {self.stream.number_of(counter)}"
        text = f"{title}{name}".strip()
        self.blocks.append(Block(kind=BlockKind.HEADING, text=text, level=BOLD_LEVEL))

    def break_before(self, token: Token) -> None:
        """Begin a block of its own if a source line began that follows directly on the block's, or if another file
        began. If comments or formulas over several lines stand between, the block goes on, so that paragraphs stay
        whole."""
        if token.kind not in _VISIBLE:
            return
        begin = self.line.begin
        if begin is not None and token.file != begin.file:
            self.end_paragraph()
        elif self.break_ahead and begin is not None and token.line == begin.line + 1:
            self.flush(ends=False)
        elif self.break_ahead:
            self.line.space()
        self.break_ahead = False

    def flush(self, *, ends: bool) -> None:
        """The line so far as a block. `ends`: the paragraph, or a line set by hand, ends here."""
        line, self.line = self.line, Line()
        whole = self.is_fresh and ends
        if line.begin is not None and line.text.strip():
            self.blocks.append(self.block(line, whole=whole))
            self.is_item = False
            self.is_fresh = ends
        elif ends:
            self.is_fresh = True

    def block(self, line: Line, *, whole: bool) -> Block:
        """A line as a block; `whole`: it is all of its paragraph, so that it may be a title."""
        text = line.text
        if self.is_item:
            return line.block(BlockKind.LIST_ITEM, self.root)
        level = (BOLD_LEVEL if line.is_bold and could_be_title(text) else title_level(text)) if whole else None
        if level is not None:
            return line.block(BlockKind.HEADING, self.root, level)
        return line.block(BlockKind.LIST_ITEM if self.is_fresh and begins_item(text) else BlockKind.LINE, self.root)

    def end_line(self) -> None:
        """End the line, not the item that it belongs to."""
        self.flush(ends=True)
        self.break_ahead = False

    def end_paragraph(self) -> None:
        """End the paragraph; what stood aside follows."""
        self.end_line()
        self.is_item = False
        self.blocks += self.aside.take_blocks()
