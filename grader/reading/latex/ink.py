"""How each token of a document is drawn: its colour and what is behind it, its size, and the boxes around it, so that
text which cannot be seen is kept apart.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from grader.reading.latex.arithmetic import Label
from grader.reading.latex.colours import Palette, blended
from grader.reading.latex.expansion import Expansion, Opener
from grader.reading.latex.formulas import is_quantity
from grader.reading.latex.lengths import keys_of, length, points
from grader.reading.latex.stream import Stream, written
from grader.reading.latex.tokens import (
    ACCENTS,
    COVERED,
    DROPPED,
    ENVIRONMENT_ARGUMENTS,
    ESCAPED,
    KNOWN_COMMANDS,
    PLAIN_ENVIRONMENTS,
    SYMBOLS,
    TABLES,
    Kind,
    Token,
    tokens,
)
from grader.reading.maths.tokens import names
from grader.reading.visibility import BLACK, CLEAR, UNKNOWN, WHITE, Colour, Ink, Visibility

_SIZES: Final = {"tiny": 5.0, "scriptsize": 7.0, "footnotesize": 8.0, "small": 9.0, "normalsize": 10.0, "large": 12.0,
                 "Large": 14.4, "LARGE": 17.3, "huge": 20.7, "Huge": 24.9}  # fmt: skip
_OFF_PAGE: Final = 600.0
"""In points, a move to the left or the right by which a text surely leaves the page, which is 595 points wide."""
_FAR: Final = 285.0
"""In points, a move to the left by which a text may leave the page."""
_OFF_HEIGHT: Final = 842.0
"""In points, a move up or down by which a text surely leaves the page."""
_FAINT: Final = 0.12
_PALE: Final = 0.3
"""Opacities below which a text is hidden, and below which it may be."""
_THICK: Final = 3.0
"""In points, the height from which a rule covers what is below it."""
_OVERLAP: Final = 10.0
"""In points, a move to the left by which a box comes to lie over the text before it."""
_BLANK: Final = (Kind.SPACE, Kind.NEWLINE, Kind.PARAGRAPH)
_TEXT: Final = (Kind.TEXT, Kind.VERB, Kind.VERBATIM)
_MOST_LISTED: Final = 3
_MOST_PAGES: Final = 2_000
_MOST_BOXES: Final = 200
_DEEPEST: Final = 200
"""Open groups that the end of an environment may close."""

_PLAIN_COMMANDS: Final = names(
    "textit emph textsl textrm textsf textup textmd textnormal mbox fbox text underline footnote footnotetext item"
    " caption captionof subcaption framebox frame ensuremath centerline leftline rightline textsuperscript"
    " textsubscript multicolumn multirow makecell thead title subtitle author href hyperref num SI qty title"
    " enquote alert structure ul uline uwave cancel section* smash strut newline linebreak texorpdfstring"
)
"""Commands that draw nothing behind their text."""

_BOXES: Final = {"tcolorbox": (242, 242, 242), "shaded": UNKNOWN, "shaded*": UNKNOWN, "mdframed": None}
_LIGHT_THEMES: Final = names(
    "default Boadilla Madrid AnnArbor CambridgeUS EastLansing Pittsburgh Rochester Bergen Antibes JuanLesPins"
    " Montpellier Berkeley PaloAlto Goettingen Marburg Hannover Berlin Ilmenau Dresden Darmstadt Frankfurt Singapore"
    " Szeged Copenhagen Luebeck Malmoe Warsaw metropolis seahorse rose lily orchid dolphin whale beaver crane dove"
    " spruce wolverine seagull sidebartab structure"
)
_GROUND_KEYS: Final = ("colback", "backgroundcolor", "bgcolor", "bg", "interior style")
_TEXT_KEYS: Final = ("coltext", "colupper", "fontcolor", "fg", "fontupper", "basicstyle", "formatcom")


class Look(NamedTuple):
    """How text is drawn at a place. `scale` is by how much boxes around it enlarge it; `veil` is what they hide;
    `is_unread`: it does not stand on the page at all, `is_spacer`: it only takes up its place. `code`: how listings
    are set; `row`: the colour behind a row or cell of a table; `is_left`: over what stands before, `is_boxed`: in a
    box without line breaks."""

    ink: Ink = Ink()
    scale: float = 1.0
    opacity: float = 1.0
    veil: Visibility = Visibility.SHOWN
    is_unread: bool = False
    is_spacer: bool = False
    is_left: bool = False
    is_boxed: bool = False
    code: Ink = Ink()
    row: Colour | None = None

    def behind(self, veil: Visibility) -> "Look":
        """The look with something more around it."""
        return self._replace(veil=max(self.veil, veil))

    def coloured(self, colour: Colour | None) -> "Look":
        """The look with another colour."""
        return self._replace(ink=self.ink._replace(colour=colour))

    def on(self, ground: Colour | None) -> "Look":
        """The look on another ground."""
        return self._replace(ink=self.ink._replace(ground=ground))

    def seen(self, page: Colour | None) -> Visibility:
        """Whether a text can be seen so on a page of a colour."""
        ink = self.ink
        ground = self.row or ink.ground or page
        if ink.colour == UNKNOWN and ground != UNKNOWN:
            return max(self.veil, Visibility.DOUBTFUL)
        colour = ink.colour
        if self.opacity < 1:
            below = WHITE if ground in (None, UNKNOWN) else ground
            colour = blended(colour if colour not in (None, UNKNOWN, CLEAR) else BLACK, below or WHITE, self.opacity)
        size = None if ink.size is None and self.scale == 1 else (10.0 if ink.size is None else ink.size) * self.scale
        return max(self.veil, Ink(BLACK if colour is None else colour, ground, size).visibility)


class Frame(NamedTuple):
    """A group, an environment, a formula or a table that is open: what began it, and the look around it. Braces that
    are `silent` are not handed on. `table`: the one whose cell it stands in, if no braces stand between."""

    begin: str
    around: Look
    silent: bool = False
    table: "TableLook | None" = None
    in_maths: bool = False


_NO_FRAME: Final = Frame("", Look())


class TableLook:
    """The columns of an open table: the source of what stands before each cell, and how its rows are drawn."""

    def __init__(self, columns: list[str], base: Look) -> None:
        self.columns = columns
        self.base = base
        self.column = 0
        self.row: Colour | None = None


class Hidden(NamedTuple):
    """A text that cannot be seen, or of which this is not known, with the place where it begins."""

    text: str
    place: Token
    seen: Visibility
    is_spacer: bool


class Drawn(Expansion):
    """The tokens that can be seen; one use only. `hidden` are the texts of the others. `pages` are the possible
    colours of the page from each change of it or page break on, where an earlier pass found them."""

    def __init__(
        self,
        tokens: Iterator[Token],
        files: Opener,
        labels: Mapping[str, Label] | None = None,
        *,
        in_body: bool,
        pages: list[set[Colour | None]] | None = None,
    ) -> None:
        super().__init__(tokens, files, labels)
        self.in_body = in_body
        self.palette = Palette()
        self.look = Look()
        self.frames: list[Frame] = []
        self.hidden: list[Hidden] = []
        self.known_pages = pages
        self.pages: list[set[Colour | None]] = [{None}]
        self.has_text = False
        self._page_start = 0
        self.boxes: dict[str, list[Token]] = {}
        self.grounds: dict[str, dict[str, str]] = {}
        self.every: dict[str, list[Token]] = {}
        self.is_beamer = False
        self.link: Colour | None = None
        self.formats: dict[str, str] = {}
        self._next_format = ""
        self.shift = 0.0
        self.sunk = Visibility.SHOWN
        self._incoming: Colour | None = None
        self._expands = False
        self._part: list[Token] = []
        self._part_seen = (Visibility.SHOWN, False)
        self._stuck: int | None = None
        self._last_seen: tuple[Look, Colour | None, Visibility] = (self.look, None, Visibility.SHOWN)
        self.handlers = self._all_handlers()

    @property
    def is_in_maths(self) -> bool | None:
        """Whether the place is within a formula."""
        return bool(self.frames) and self.frames[-1].in_maths

    @property
    def page(self) -> Colour | None:
        """The colour of the page, UNKNOWN where it may be one of several."""
        known = self.known_pages if self.known_pages is not None else self.pages
        colours = known[min(len(self.pages), len(known)) - 1]
        return next(iter(colours)) if len(colours) == 1 else UNKNOWN

    def take(self) -> Token | None:
        """The next token that can be seen, or that sets the text."""
        if self._expands or self._literal:
            return super().take()
        while (token := self._expanded()) is not None:
            if token.is_drawn:
                return token
            drawn = self._drawn(token)
            if drawn is not None:
                return drawn._replace(is_drawn=True)
        self._end_part()
        return None

    def _expanded(self) -> Token | None:
        """The next token behind the expansion of macros, whatever is drawn."""
        self._expands = True
        try:
            return super().take()
        finally:
            self._expands = False

    # Each of the following methods gets the tokens that follow as they are, whether or not they can be seen.

    def _drawn(self, token: Token) -> Token | None:
        """The token where it is handed on, and the change of look that it makes."""
        self._expands = True
        try:
            return self._step(token)
        finally:
            self._expands = False

    def _step(self, token: Token) -> Token | None:
        match token.kind:
            case Kind.OPEN:
                self.open(token.text)
                if self._next_format:
                    source, self._next_format = self._next_format, ""
                    self._run(source)
                return token
            case Kind.CLOSE:
                return self._closed(token)
            case Kind.MATH:
                return self._maths(token)
            case Kind.BEGIN:
                return self._begin(token)
            case Kind.END:
                return self._end(token)
            case Kind.ALIGN:
                return self._next_cell(token)
            case Kind.COMMAND:
                return self._command(token)
        return self._text(token)

    def open(self, begin: str, look: Look | None = None, *, silent: bool = False) -> None:
        """Open a group."""
        last = self.frames[-1] if self.frames else _NO_FRAME
        table = None if begin == "{" else last.table
        self.frames.append(Frame(begin, self.look, silent, table, last.in_maths or begin in _MATHS))
        if look is not None:
            self.look = look

    def close(self, *begins: str) -> Frame | None:
        """Close the group that is open, where it began so; formulas without an end within it end, too."""
        while self.frames and self.frames[-1].begin in _MATHS and self.frames[-1].begin not in begins:
            self.look = self.frames.pop().around
        if not self.frames or self.frames[-1].begin not in begins:
            return None
        frame = self.frames.pop()
        self.look = frame.around
        if self._stuck is not None and len(self.frames) < self._stuck:
            self._stuck = None
        return frame

    def _closed(self, token: Token) -> Token | None:
        frame = self.close("{")
        return None if frame is not None and frame.silent else token

    def _maths(self, token: Token) -> Token | None:
        look = self.look
        if self.frames and self.frames[-1].begin == token.text:
            self.close(token.text)
        else:
            self.open(token.text)
            self.push(self.every.get("math", []))
        return token if self._is_shown(look) else None

    def _text(self, token: Token) -> Token | None:
        """A word, a space or a listing, where it can be seen."""
        if token.kind in _BLANK:
            self._blank(token)
            return token
        look = self.look
        if token.kind is Kind.VERBATIM:
            look = look._replace(ink=look.code.over(look.ink))
        self.has_text = self.has_text or self.in_body
        seen = self._seen(look)
        if seen is Visibility.SHOWN and not look.is_unread:
            self._end_part()
            return token
        if not self.in_body:
            return token
        if not look.is_unread:
            self._keep(token, seen, look)
        return None

    def _blank(self, token: Token) -> None:
        if self._stuck is not None and len(self.frames) <= self._stuck and not self.look.is_boxed:
            self._stuck = None
        if self._part:
            self._part.append(token)
        if token.kind is Kind.PARAGRAPH:
            self._end_part()
            self._stuck = None
            self.shift = 0.0
            while self.frames and self.frames[-1].begin in ("$", "$$"):
                self.look = self.frames.pop().around

    def _is_shown(self, look: Look) -> bool:
        return not self.in_body or (self._seen(look) is Visibility.SHOWN and not look.is_unread)

    def _seen(self, look: Look) -> Visibility:
        veil = Visibility.DOUBTFUL if self.is_undecided else Visibility.SHOWN
        if self._stuck is not None:
            veil = Visibility.HIDDEN
        elif self.shift < -_FAR:
            veil = max(veil, Visibility.HIDDEN if self.shift <= -_OFF_PAGE else Visibility.DOUBTFUL)
        page = self.page
        if self._last_seen[:2] != (look, page):
            self._last_seen = (look, page, look.seen(page))
        return max(self._last_seen[2], veil, self.sunk)

    def _keep(self, token: Token, seen: Visibility, look: Look) -> None:
        """Keep a token that cannot be seen with those before it that cannot either."""
        kind = (seen, look.is_spacer)
        if self._part and self._part_seen != kind:
            self._end_part()
        self._part.append(token)
        self._part_seen = kind

    def _end_part(self) -> None:
        part, self._part = self._part, []
        text = written(part)
        if text and any(character.isalnum() for character in text):
            self.hidden.append(Hidden(text, part[0], *self._part_seen))

    def _command(self, token: Token) -> Token | None:
        name = token.text
        handler = self.handlers.get(name)
        if handler is not None:
            return handler(token)
        table = self._table() if name in _ROW_ENDS else None
        if table is not None:
            return self._next_row(token, table)
        if name in _ROW_ENDS:
            self.shift, self._stuck = 0.0, None
        if self._is_shown(self.look):
            if name not in KNOWN_COMMANDS and name not in _PLAIN_COMMANDS and not self.is_in_maths:
                self._unknown()
            return token
        return self._unseen_command(token)

    def _unseen_command(self, token: Token) -> Token | None:
        """A command in a text that cannot be seen: what only sets the text is handed on."""
        name = token.text
        if name in DROPPED or name == "includegraphics":
            self._pass_on(token, DROPPED.get(name, 1))
            return None
        is_sign = name in SYMBOLS or name in ESCAPED or name in ACCENTS or is_quantity(name)
        if is_sign or self.is_in_maths:
            return self._text(token) if name not in ("\\", "displaystyle", "hline", ",", ";", "!", ":", " ") else token
        return token

    def _unknown(self) -> None:
        """Behind an unknown command, which may draw a ground, a group is on an unknown one."""
        token = self.raw()
        if token is not None and token.kind is Kind.OPEN and not token.is_drawn:
            self.open(token.text, self.look.on(UNKNOWN))
            token = token._replace(is_drawn=True)
        self.push([token] if token else [])

    def _pass_on(self, token: Token, count: int) -> None:
        """Hand on a command with its arguments, which are no text."""
        found = [token]
        mark = token._replace(kind=Kind.BRACKET)
        opened, closed = token._replace(kind=Kind.OPEN, text="{"), token._replace(kind=Kind.CLOSE, text="}")
        if self.starred():
            found.append(token._replace(kind=Kind.TEXT, text="*"))
        for place in range(count + 1):
            while (option := self.option()) is not None and len(found) < 10_000:
                found += [mark._replace(text="["), *option, mark._replace(text="]")]
            if place < count:
                found += [opened, *self.argument(), closed]
        self.push([one._replace(is_drawn=True) for one in found])

    def _inner(self, look: Look, *, silent: bool = False, begin: str = "{") -> Token | None:
        """Open the argument that follows with a look of its own, whatever its length."""
        self.skip_blank()
        token = self._raw_expanded()
        if token is not None and token.kind is Kind.OPEN:
            self.open("{", look, silent=silent)
            return None if silent else token
        if token is not None and token.kind is Kind.COMMAND and token.text == "bgroup":
            self.open("group", look)
            return None
        if token is None:
            return None
        self.push([token])
        argument = self.argument()
        self.open("{", look, silent=silent)
        opened = token._replace(kind=Kind.OPEN, text="{", is_drawn=False)
        self.push([*argument, opened._replace(kind=Kind.CLOSE, text="}")])
        return None if silent else opened

    def _raw_expanded(self) -> Token | None:
        return Expansion.take(self)

    # Environments and tables.

    def _begin(self, token: Token) -> Token | None:
        name = token.text
        if name == "document":
            self.in_body = True
            self.frames.clear()
            self.pages, self._page_start = [self.pages[-1]], 0
            self.push(self.every.get("document", []))
            return token
        if name == "lrbox":
            self._collect(written(self.argument()), lambda one: one.kind is Kind.END and one.text == "lrbox")
            return None
        was_shown = self._is_shown(self.look)
        self._count_page(name)
        self.open(name)
        self._set_environment(name)
        if name.rstrip("*") in TABLES or name == "array":
            self._begin_table(token)
        elif not was_shown and ENVIRONMENT_ARGUMENTS.get(name.rstrip("*")):
            self._pass_on(token, ENVIRONMENT_ARGUMENTS[name.rstrip("*")])
            return None
        hook = self.every.get(f"env/{name}/begin")
        if hook:
            self.push(hook)
        return token

    def _count_page(self, name: str) -> None:
        if name == "titlepage" or (name == "frame" and self.is_beamer):
            self._new_page()

    def _set_environment(self, name: str) -> None:
        """The look within an environment."""
        if name in _SIZES:
            self.look = self.look._replace(ink=self.look.ink._replace(size=_SIZES[name]))
        elif name == "color":
            self._colour_here(Token(Kind.COMMAND, name, "", 0))
        elif name in ("ocg", "onlyenv", "invisibleenv", "visibleenv", "uncoverenv", "frame"):
            self._layer(name)
        elif name in _BOXES or name in self.grounds:
            option = self.option()
            keys = {**self.grounds.get(name, {}), **keys_of(written(option or []))}
            self.look = self._keyed(keys, self.look.on(_BOXES.get(name, UNKNOWN) or self.look.ink.ground))
            self.push(self._as_option(option))
        elif name in ("textblock", "textblock*"):
            self._place_block(name)
        elif name in ("adjustbox", "adjustwidth", "transparent"):
            self._boxed_environment(name)
        elif name.rstrip("*") not in PLAIN_ENVIRONMENTS and name not in self.definitions.theorems:
            self.look = self.look.on(UNKNOWN)
        if name in ("itemize", "enumerate", "description"):
            option = self.option()
            keys = keys_of(written(option or []))
            self._run("".join(keys.get(key, "") for key in ("before", "before*", "first")))
            self.push(self._as_option(option))

    @staticmethod
    def _as_option(option: list[Token] | None) -> list[Token]:
        if option is None:
            return []
        place = (option or [Token(Kind.TEXT, "", "", 0)])[0]._replace(kind=Kind.BRACKET, is_drawn=True)
        inner = [token._replace(is_drawn=True) for token in option]
        return [place._replace(text="["), *inner, place._replace(text="]")]

    def _run(self, source: str) -> None:
        """Execute the commands for the look in the value of an option."""
        inner = Stream(list(tokens(source, "")))
        while (token := inner.take()) is not None:
            if token.kind is not Kind.COMMAND:
                continue
            size = _SIZES.get(token.text)
            ink = self.look.ink
            if size:
                self._sized(size)
            elif token.text in ("color", "columncolor", "rowcolor", "cellcolor"):
                model = inner.option()
                colour = self.palette.colour(inner.words(), None if model is None else written(model), ink.colour)
                self.look = self.look.coloured(colour) if token.text == "color" else self.look._replace(row=colour)
            elif token.text == "fontsize":
                self._sized(points(inner.words(), "pt"))
                inner.argument()
            elif token.text in _AWAY:
                self.look = self.look._replace(is_unread=True)
            elif token.text == "transparent":
                self._transparent(_number(inner.words()))

    def _keyed(self, keys: Mapping[str, str], look: Look) -> Look:
        """The look that options such as `colback=black, coltext=white` ask for."""
        around, self.look = self.look, look
        for key, value in keys.items():
            if key in _GROUND_KEYS:
                self.look = self.look.on(self._colour_of_value(value))
            elif key in _TEXT_KEYS and "\\" in value:
                self._run(value)
            elif key in _TEXT_KEYS:
                self.look = self.look.coloured(self._colour_of_value(value))
            elif key in ("opacitytext", "opacityupper") and value.replace(".", "").isdecimal():
                self.look = self.look._replace(opacity=float(value))
        look, self.look = self.look, around
        return look

    def _colour_of_value(self, value: str) -> Colour:
        stream = Stream(list(tokens(value, "")))
        first = stream.peek()
        if first is not None and first.kind is Kind.COMMAND and first.text == "color":
            stream.take()
            model = stream.option()
            return self.palette.colour(stream.words(), None if model is None else written(model))
        return self.palette.colour(value)

    def _end(self, token: Token) -> Token | None:
        name = token.text
        if name in [frame.begin for frame in self.frames[-_DEEPEST:]]:
            while self.frames[-1].begin != name:
                self.frames.pop()
            self.look = self.frames.pop().around
        self._end_part()
        self._count_page(name)
        return token

    def _table(self) -> TableLook | None:
        """The table whose cell is open, if no braces are."""
        return self.frames[-1].table if self.frames else None

    def _begin_table(self, token: Token) -> None:
        """Look at the columns of a table. Its arguments are handed on."""
        name = token.text.rstrip("*")
        count = TABLES.get(name, 1) + (token.text == "tabular*")
        found: list[Token] = self._as_option(self.option())
        column: list[Token] = []
        place = token._replace(is_drawn=True)
        for _ in range(count):
            column = self.argument()
            inner = [one._replace(is_drawn=True) for one in column]
            found += [place._replace(kind=Kind.OPEN, text="{"), *inner, place._replace(kind=Kind.CLOSE, text="}")]
            found += self._as_option(self.option())
        table = TableLook(list(_columns(column, self.definitions.columns)), self.look)
        self.frames[-1] = self.frames[-1]._replace(table=table)
        self._begin_cell(table)
        self.push(found)

    def _begin_cell(self, table: TableLook) -> None:
        """Draw as the column asks for, if its cell is none over several columns."""
        self._end_part()
        self.shift, self._stuck = 0.0, None
        self.look = table.base._replace(row=table.row)
        before = table.columns[table.column] if table.column < len(table.columns) else ""
        if not before:
            return
        blank: list[Token] = []
        while (token := self.raw()) is not None and (
            token.kind in _BLANK or (token.kind is Kind.COMMAND and token.text in _RULES)
        ):
            blank.append(token)
        self.push([*blank, *([token] if token else [])])
        if token is None or token.kind is not Kind.COMMAND or token.text != "multicolumn":
            self._run(before)

    def _next_cell(self, token: Token) -> Token | None:
        table = self._table()
        if table is not None:
            table.column += 1
            self._begin_cell(table)
        return token

    def _next_row(self, token: Token, table: TableLook) -> Token | None:
        table.column, table.row = 0, None
        self._begin_cell(table)
        return token

    # Commands.

    def _all_handlers(self) -> dict[str, Callable[[Token], Token | None]]:
        grouped: list[tuple[str, Callable[[Token], Token | None]]] = [
            ("color normalcolor rowcolor cellcolor rowfont", self._colour_here),
            ("textcolor mathcolor colorbox fcolorbox hl", self._coloured_box),
            ("pagecolor nopagecolor newpagecolor", self._page_colour),
            ("definecolor providecolor preparecolor colorlet", self._define_colour),
            ("newpage clearpage cleardoublepage maketitle", self._page_break),
            (" ".join(_SIZES), self._size),
            ("fontsize relsize DeclareFixedFont font newfont normalfont nullfont", self._font),
            ("scalebox resizebox adjustbox raisebox clipbox rotatebox reflectbox", self._box),
            ("raise lower moveleft moveright", self._moved),
            ("hbox vbox vtop", self._tex_box),
            ("phantom hphantom vphantom invisible", self._phantom),
            ("transparent texttransparent pgfsetfillopacity opacity", self._opacity),
            ("hspace hskip kern vspace vskip", self._move),
            ("setlength addtolength " + " ".join(_MARGINS), self._margin),
            ("multicolumn", self._over_columns),
            ("write immediate", self._written_out),
            ("section subsection subsubsection paragraph subparagraph chapter caption", self._formatted),
            ("titleformat sectionfont subsectionfont allsectionsfont setkomafont addtokomafont captionsetup setlist",
             self._set_format),
            ("rlap llap makebox mbox fbox framebox mathrlap mathllap rule", self._overlap),
            ("sbox savebox setbox usebox box copy unhbox unvbox unhcopy unvcopy", self._stored),
            ("only visible uncover onslide alt temporal action mode", self._overlay),
            ("bgroup egroup begingroup endgroup ( ) [ ]", self._grouped),
            ("lstset tcbset fvset mdfsetup newtcolorbox renewtcolorbox newtcbox NewTColorBox newmdenv setbeamercolor"
             " usetheme usecolortheme documentclass usepackage setminted hypersetup newcolumntype lstdefinestyle",
             self._setup),
            ("everymath everypar everydisplay AtBeginDocument AtBeginEnvironment AddToHook", self._hook),
            ("pdfliteral special pdfextension textpdfrender", self._literal_drawing),
            ("catcode", self._category),
            ("listing@options", self._listing_options),
            ("href@link", self._link),
            ("tcbox", self._tcbox),
        ]  # fmt: skip
        return {name: handler for known, handler in grouped for name in known.split()}

    def _model(self) -> str | None:
        option = self.option()
        return None if option is None else written(option)

    def _colour(self, model: str | None = None) -> Colour:
        return self.palette.colour(self.words(), model, self.look.ink.colour)

    def _colour_here(self, token: Token) -> Token | None:
        if token.text == "normalcolor":
            self.look = self.look.coloured(None)
            return None
        if token.text == "rowfont":
            self.option()
            self._run(written(self.argument()))
            return None
        model = self._model()
        colour = self._colour(model)
        if token.text == "color":
            self.look = self.look.coloured(colour)
            return None
        while self.option() is not None:
            pass
        table = self._table()
        if table is not None and token.text == "rowcolor":
            table.row = colour
        self.look = self.look._replace(row=colour)
        return None

    def _coloured_box(self, token: Token) -> Token | None:
        look = self.look
        if token.text == "hl":
            return self._inner(look._replace(row=None).on((255, 255, 0)))
        model = self._model()
        colour = self._colour(model)
        if token.text == "fcolorbox":
            colour = self._colour(self._model() or model)
        if token.text in ("textcolor", "mathcolor"):
            return self._inner(look.coloured(colour))
        covers = self._covers_left()
        found = self._inner(look._replace(row=None).on(colour))
        if covers and found is not None:
            self.push([found._replace(is_drawn=True)])
            return token._replace(text=COVERED)
        return found

    def _page_colour(self, token: Token) -> Token | None:
        colour = None if token.text == "nopagecolor" else self._colour(self._model())
        if self.has_text:  # the last colour of a page is that of all of it, but what came before may be on another page
            for stretch in self.pages[self._page_start :]:
                stretch.add(colour)
            self.pages.append({colour})
        else:
            self.pages[-1] = {colour}
        self._incoming = colour
        return None

    def _new_page(self) -> None:
        self._stuck, self.sunk, self.shift = None, Visibility.SHOWN, 0.0
        if len(self.pages) < _MOST_PAGES:
            self.pages.append({self._incoming})
            self._page_start = len(self.pages) - 1
            self.has_text = False

    def _page_break(self, token: Token) -> Token | None:
        if token.text != "maketitle":
            self._new_page()
        self.has_text = self.has_text or token.text == "maketitle"
        return token

    def _define_colour(self, token: Token) -> Token | None:
        self.option()
        name = self.words()
        model = self._model()
        if token.text == "colorlet":
            self.palette.define(name, self.palette.colour(self.words(), model, self.look.ink.colour))
        else:
            model = self.words()
            colour = self.palette.colour(self.words(), model.split("/")[0])
            if token.text != "providecolor" or name not in self.palette.named:
                self.palette.define(name, colour)
        return None

    def _sized(self, size: float | None) -> None:
        self.look = self.look._replace(ink=self.look.ink._replace(size=size))

    def _size(self, token: Token) -> Token | None:
        self._sized(_SIZES[token.text])
        return token

    def _font(self, token: Token) -> Token | None:
        match token.text:
            case "fontsize":
                size = points(self.words(), "pt")
                self.argument()
                self._sized(size)
            case "relsize":
                step = points(self.words(), "pt") or 0.0
                self._sized((self.look.ink.size or 10.0) * 1.2 ** max(min(step, 30), -30))
            case "DeclareFixedFont":
                name = written(self.argument())
                for _ in range(4):
                    self.argument()
                self._define_size(name.strip().removeprefix("\\"), self.words(), token)
            case "font":
                self._plain_font(token)
            case "newfont":
                self._define_size(self.words().strip().removeprefix("\\"), _plain_size(self.words()), token)
            case "nullfont":
                self._sized(0.0)
            case _:
                return token
        return None

    def _plain_font(self, token: Token) -> None:
        """`\\font\\name=cmr10 at 1pt`, or `scaled 100`."""
        name = self.raw()
        text = ""
        while (part := self.raw()) is not None and (part.kind in (Kind.TEXT, Kind.SPACE)) and len(text) < 200:
            text += part.source
        self.push([part] if part else [])
        if name is not None:
            self._define_size(name.text, _plain_size(text), token)

    def _define_size(self, name: str, size: str, token: Token) -> None:
        """Let a command stand for a font of a size, where one is given."""
        if not size:
            return
        opened, closed = token._replace(kind=Kind.OPEN, text="{"), token._replace(kind=Kind.CLOSE, text="}")
        value = [opened, token._replace(kind=Kind.TEXT, text=size), closed]
        body = [token._replace(text="fontsize"), *value, *value]
        self.definitions.define(name, body)

    def _box(self, token: Token) -> Token | None:
        look = self.look
        match token.text:
            case "scalebox":
                across = _number(self.words())
                up = self.option()
                factors = [across, across if up is None else _number(written(up))]
                look = _scaled(look, factors)
            case "resizebox":
                self.starred()
                width, height = self.words(), self.words()
                look = _fitted(look, width, height)
            case "adjustbox":
                self.starred()
                look = _adjusted(look, keys_of(self.words()))
            case "raisebox":
                move = points(self.words())
                look = _raised(look, move, is_flat=self.option() is not None)
                self.option()
            case "clipbox":
                self.starred()
                lengths = [points(part, "pt") for part in self.words().split()]
                if any(value is None or value > 1 for value in lengths):
                    look = look.behind(Visibility.DOUBTFUL)
            case "rotatebox":
                self.option()
                self.argument()
        return self._inner(look)

    def _moved(self, token: Token) -> Token | None:
        """`\\raise 3pt\\hbox{…}` and the like."""
        move = length(self) or 0.0
        if token.text in ("raise", "lower"):
            look = _raised(self.look, move if token.text == "raise" else -move)
        else:
            look = self.look.behind(Visibility.HIDDEN if abs(move) >= _OFF_PAGE else Visibility.SHOWN)
        following = self._raw_expanded()
        if following is None or following.kind is not Kind.COMMAND or following.text not in _TEX_BOXES:
            self.push([following] if following else [])
            return None
        self._pass_size()
        return self._inner(look)

    def _tex_box(self, _token: Token) -> Token | None:
        self._pass_size()
        return self._inner(self.look)

    def _pass_size(self) -> None:
        """Pass the size of a box of TeX: `to 3cm`, `spread 1pt`."""
        self.skip_blank()
        if self.passed("to") or self.passed("spread"):
            length(self)

    def _phantom(self, token: Token) -> Token | None:
        spec = self._overlay_spec()
        if spec is False:
            return self._inner(self.look)
        silent = token.text != "invisible"
        look = self.look.behind(Visibility.HIDDEN)._replace(is_spacer=silent)
        return self._inner(look, silent=True)

    def _opacity(self, token: Token) -> Token | None:
        around = self.look
        self._transparent(_number(self.words()))
        if token.text != "texttransparent":
            return None
        look, self.look = self.look, around
        return self._inner(look)

    def _transparent(self, value: float | None) -> None:
        veil = Visibility.SHOWN
        if value is None or value < _PALE:
            veil = Visibility.HIDDEN if value is not None and value < _FAINT else Visibility.DOUBTFUL
        self.look = self.look._replace(opacity=1.0 if value is None else value, veil=veil)

    def _move(self, token: Token) -> Token | None:
        """A move of what follows. It is handed on, as a space."""
        is_starred = self.starred()
        if token.text in ("hspace", "vspace"):
            source = self.argument()
            move = points(written(source))
        else:
            source, move = [], length(self)
        if move is not None and self.in_body:
            self._shift(token.text, move, is_stuck=is_starred or token.text == "kern")
        opened = token._replace(kind=Kind.OPEN, text="{", is_drawn=True)
        inner = [one._replace(is_drawn=True) for one in source]
        if token.text == "kern" and move is not None and abs(move) < _THICK:
            return None
        name = "vspace" if token.text in ("vskip", "vspace") else "hspace"
        self.push([opened, *inner, opened._replace(kind=Kind.CLOSE, text="}")])
        return token._replace(text=name)

    def _shift(self, name: str, move: float, *, is_stuck: bool) -> None:
        if name in ("vspace", "vskip"):
            if move <= -_OFF_HEIGHT:
                self.sunk = Visibility.HIDDEN
        elif move < 0 or self.shift < 0:
            self.shift = min(self.shift + move, 0.0)
        elif move >= _OFF_PAGE and (is_stuck or self.look.is_boxed):
            self._stuck = len(self.frames)

    def _margin(self, token: Token) -> Token | None:
        """A length that says where text stands."""
        if token.text in _MARGINS:
            name, value = token.text, length(self)
        else:
            name, value = written(self.argument()).strip("\\ "), points(self.words())
        if value is not None and abs(value) >= _OFF_PAGE and name in _MARGINS:
            self.look = self.look.behind(Visibility.DOUBTFUL if name == "parindent" else Visibility.HIDDEN)
        return None

    def _over_columns(self, token: Token) -> Token | None:
        """A cell over several columns, which has a column of its own."""
        columns, spec = self.argument(), self.argument()
        for before in list(_columns(spec, self.definitions.columns))[:1]:
            self._run(before)
        opened, closed = token._replace(kind=Kind.OPEN, text="{"), token._replace(kind=Kind.CLOSE, text="}")
        self.push([one._replace(is_drawn=True) for one in (opened, *columns, closed, opened, *spec, closed)])
        return token

    def _written_out(self, token: Token) -> Token | None:
        """What is written to a file or a terminal."""
        if token.text == "write":
            self._register()
            self.pass_argument()
        return None

    def _formatted(self, token: Token) -> Token | None:
        """A title or a caption, in a format that the document sets."""
        if token.text == "chapter":
            self._new_page()
            self.has_text = True
        self._next_format = self.formats.get(token.text, self.formats.get("*", "") if token.text != "caption" else "")
        return token

    def _set_format(self, token: Token) -> Token | None:
        name = token.text
        if name in ("captionsetup", "setlist"):
            where = written(self.option() or []) or "itemize,enumerate,description"
            keys = keys_of(self.words())
            if name == "captionsetup":
                colour = keys_of(f"{keys.get('font', '')},{keys.get('textfont', '')}").get("color")
                self.formats["caption"] = f"\\color{{{colour}}}" if colour else ""
                return None
            hook = list(tokens("".join(keys.get(key, "") for key in ("before", "before*", "first")), ""))
            for environment in where.split(","):
                self.every.setdefault(f"env/{environment.strip()}/begin", []).extend(hook[:_MOST_BOXES])
            return None
        is_starred = self.starred()
        if name == "allsectionsfont":
            kind = "*"
        elif name.endswith("font") and "koma" not in name:
            kind = name.removesuffix("font")
        else:
            kind = written(self.argument()).strip("\\ ")
        self.option()
        self.formats[kind] = self.words()
        for _ in range(3 if name == "titleformat" and not is_starred else 0):
            self.argument()
        return None

    def _overlap(self, token: Token) -> Token | None:
        """Boxes without a width, over which something may be drawn, and rules, which may be."""
        if token.text == "rule":
            return self._rule(token)
        width, side = written(self.option() or []), written(self.option() or [])
        is_left = token.text in ("llap", "mathllap") or side.strip() == "r"
        size = points(width)
        is_narrow = "lap" in token.text or (size is not None and size <= 0)
        look = self.look._replace(is_boxed=True)
        if is_narrow:
            covered, farthest = self._next_box()
            if is_left:
                look = look._replace(is_left=True)
            if (covered and not is_left) or farthest >= _OFF_PAGE:
                look = look.behind(Visibility.HIDDEN if farthest >= _OFF_PAGE else Visibility.DOUBTFUL)
        return self._inner(look)

    def _next_box(self) -> tuple[bool, float]:
        """Whether behind the argument that follows something opaque is drawn, and the widest space in it."""
        self.skip_blank()
        self._literal = True
        group = self.group()
        following = self.raw() if group is not None else None
        self._literal = False
        covers = following is not None and following.kind is Kind.COMMAND and following.text in _OPAQUE
        self.push([following] if following else [])
        if group is None:
            return False, 0.0
        place = group[0] if group else Token(Kind.OPEN, "{", "", 0)
        opened = place._replace(kind=Kind.OPEN, text="{", is_drawn=False)
        self.push([opened, *group, opened._replace(kind=Kind.CLOSE, text="}")])
        inner, widest = Stream(group), 0.0
        while (token := inner.take()) is not None:
            if token.kind is Kind.COMMAND and token.text in ("hspace", "hskip", "kern"):
                inner.starred()
                move = points(inner.words()) if token.text == "hspace" else length(inner)
                widest = max(widest, abs(move or 0.0))
        return covers, widest

    def _covers_left(self) -> bool:
        """Whether what is drawn here lies over the text before it."""
        return self.in_body and (self.look.is_left or self.shift < -_OVERLAP)

    def _rule(self, token: Token) -> Token | None:
        self.option()
        width, height = points(self.words()), points(self.words())
        if self._covers_left() and (width or 0) > _THICK and (height is None or height > _THICK):
            return token._replace(text=COVERED)
        return None

    def _stored(self, token: Token) -> Token | None:
        """Boxes that are set now and shown later, or never."""
        if token.text in ("sbox", "savebox"):
            name = self.words()
            while self.option() is not None:
                pass
            self._collect(name, None)
        elif token.text == "setbox":
            self._set_box()
        else:
            name = self.words() if token.text == "usebox" else self._register()
            self.push([one._replace(is_drawn=False) for one in self.boxes.get(name.strip(), [])])
        return None

    def _register(self) -> str:
        self.skip_blank()
        token = self.raw()
        if token is None or token.kind is not Kind.TEXT:
            return token.source if token is not None else ""
        digits = token.text[: len(token.text) - len(token.text.lstrip("0123456789"))]
        rest = token.text[len(digits) :]
        self.push([token._replace(text=rest)] if rest else [])
        return digits

    def _set_box(self) -> None:
        """`\\setbox0=\\hbox{…}`, also with `\\bgroup` and `\\egroup`."""
        name = self._register()
        self.skip_blank()
        self.passed("=")
        self.skip_blank()
        box = self.raw()
        if box is None or box.kind is not Kind.COMMAND or box.text not in _TEX_BOXES:
            self.push([box] if box else [])
            return
        self.skip_blank()
        token = self.raw()
        while token is not None and token.kind in (Kind.TEXT, Kind.SPACE):
            token = self.raw()
        if token is not None and token.kind is Kind.COMMAND and token.text in ("bgroup", "begingroup"):
            self._collect(name, lambda one: one.kind is Kind.COMMAND and one.text in ("egroup", "endgroup"))
        elif token is not None:
            self.push([token])
            self._collect(name, None)

    def _collect(self, name: str, is_end: Callable[[Token], bool] | None) -> None:
        """Keep the tokens of a box, up to its end or in the braces that follow, for where it is used."""
        found: list[Token] = []
        if is_end is None:
            self.skip_blank()
            token = self._raw_expanded()
            if token is None or token.kind is not Kind.OPEN:
                self.push([token] if token else [])
                found = self.argument()
            else:
                self._gather(found, lambda one: one.kind is Kind.CLOSE, (Kind.OPEN, Kind.CLOSE))
        else:
            self._gather(found, is_end, None)
        if len(self.boxes) < _MOST_BOXES:
            place = found[0] if found else Token(Kind.TEXT, "", "", 0)
            opened = place._replace(kind=Kind.OPEN, text="{", is_drawn=False)
            self.boxes[name.strip()] = [opened, *found, opened._replace(kind=Kind.CLOSE, text="}")]

    def _gather(self, found: list[Token], is_end: Callable[[Token], bool], braces: tuple[Kind, Kind] | None) -> None:
        depth = 0
        while (token := self._raw_expanded()) is not None:
            if depth == 0 and is_end(token):
                return
            if braces is not None:
                depth += (token.kind is braces[0]) - (token.kind is braces[1])
            elif token.kind is Kind.COMMAND and token.text in ("bgroup", "egroup", "begingroup", "endgroup"):
                depth += 1 if token.text.startswith("b") else -1
            found.append(token)

    def _overlay_spec(self) -> bool | None:
        """Whether what follows is on a slide at all, by `<…>`, which is passed; None where nothing is said."""
        passed: list[Token] = []
        text = ""
        while (token := self.raw()) is not None and len(passed) < 20:
            passed.append(token)
            text += token.source
            if token.kind not in (Kind.TEXT, Kind.SPACE) or not text.startswith("<") or ">" in text:
                break
        if not text.startswith("<") or ">" not in text:
            self.push(passed)
            return None
        spec, _, rest = text[1:].partition(">")
        self.push([passed[-1]._replace(text=rest)] if rest else [])
        return any(_is_slide(part) for part in spec.split("|"))

    def _overlay(self, token: Token) -> Token | None:
        is_on = self._overlay_spec()
        look = self.look
        if is_on is False:
            hides = token.text in ("visible", "uncover", "onslide")
            look = look.behind(Visibility.HIDDEN) if hides else look._replace(is_unread=True)
        if token.text in ("onslide", "mode"):
            following = self.raw()
            self.push([following] if following else [])
            if following is None or following.kind is not Kind.OPEN:
                if token.text == "onslide":
                    self.look = look if is_on is False else self.look._replace(veil=Visibility.SHOWN)
                return None
        return self._inner(look)

    def _layer(self, name: str) -> None:
        """Optional content, and environments for some slides."""
        if name == "ocg":
            option = self.option()
            parts = [self.words() for _ in range(3)]
            is_off = parts[-1].strip().lower() in ("0", "off", "false")
            self.look = self.look.behind(Visibility.HIDDEN) if is_off else self.look
            del option
            return
        is_on = self._overlay_spec()
        if is_on is False:
            quiet = name in ("onlyenv", "frame")
            self.look = self.look._replace(is_unread=True) if quiet else self.look.behind(Visibility.HIDDEN)
        elif name == "invisibleenv":
            self.look = self.look.behind(Visibility.HIDDEN)

    def _place_block(self, name: str) -> None:
        """A block of the package textpos, which is placed by its corner."""
        width = self.argument()
        token = self.raw()
        corner = token.text[1:].partition(")")[0].split(",") if token and token.text.startswith("(") else []
        unit = "" if name.endswith("*") else "cm"
        where = [points(part, unit) for part in corner]
        self.push([token] if token else [])
        place = Token(Kind.OPEN, "{", "", 0, is_drawn=True)
        self.push([place, *width, place._replace(kind=Kind.CLOSE, text="}")])
        if len(where) != 2 or None in where:
            self.look = self.look.behind(Visibility.DOUBTFUL)
        elif any(
            value is not None and not -_FAR < value < limit for value, limit in zip(where, (595, 842), strict=True)
        ):
            self.look = self.look.behind(Visibility.HIDDEN)

    def _boxed_environment(self, name: str) -> None:
        if name == "adjustbox":
            keys = self.argument()
            self.look = _adjusted(self.look, keys_of(written(keys)))
            place = Token(Kind.OPEN, "{", "", 0, is_drawn=True)
            inner = [one._replace(is_drawn=True) for one in keys]
            self.push([place, *inner, place._replace(kind=Kind.CLOSE, text="}")])
        elif name == "transparent":
            self._opacity(Token(Kind.COMMAND, "transparent", "", 0))

    def _grouped(self, token: Token) -> Token | None:
        name = token.text
        if name in ("bgroup", "begingroup"):
            self.open("group")
            return None
        if name in ("egroup", "endgroup"):
            self.close("group")
            return None
        if name in ("(", "["):
            shown = self._is_shown(self.look)
            self.open(name)
            self.push(self.every.get("math", []))
        else:
            self.close("(" if name == ")" else "[")
            shown = self._is_shown(self.look)
        return token if shown else None

    def _setup(self, token: Token) -> Token | None:
        """Settings that give listings, boxes and slides their colours."""
        name = token.text
        if name in ("newtcolorbox", "renewtcolorbox", "newtcbox", "NewTColorBox"):
            while self.option() is not None:
                pass
            own = self.words()
            while self.option() is not None:
                pass
            if name == "NewTColorBox":
                self.argument()
            self.grounds[own] = keys_of(self.words())
            return None
        if name == "newmdenv":
            option = written(self.option() or [])
            self.grounds[self.words()] = keys_of(option)
            return None
        if name == "newcolumntype":
            own = self.words()
            self.option()
            self.definitions.columns[own.strip()[:1]] = self.argument()
            return None
        if name == "lstdefinestyle":
            self.grounds[f"style {self.words()}"] = keys_of(self.words())
            return None
        return self._set_theme(token)

    def _set_theme(self, token: Token) -> Token | None:
        name = token.text
        option = written(self.option() or [])
        if name == "documentclass":
            self.is_beamer = self.words() == "beamer"
        elif name in ("usetheme", "usecolortheme"):
            if self.words() not in _LIGHT_THEMES or "dark" in option:
                self.pages, self._incoming = [{UNKNOWN}], UNKNOWN
        elif name == "setbeamercolor":
            self.starred()
            self._beamer_colour(self.words(), keys_of(self.words()))
        elif name in ("hypersetup", "usepackage"):
            keys = keys_of(self.words() if name == "hypersetup" else option)
            if name == "usepackage":
                self.argument()
            colour = keys.get("urlcolor") or keys.get("allcolors")
            self.link = self.palette.colour(colour) if colour else self.link
        elif name in ("lstset", "fvset", "setminted"):
            if name == "setminted":
                self.option()
            self._set_listing(keys_of(self.words()))
        else:
            keys = keys_of(self.words())
            for box in ("tcolorbox", "mdframed"):
                self.grounds[box] = {**self.grounds.get(box, {}), **keys}
        return None

    def _beamer_colour(self, part: str, keys: Mapping[str, str]) -> None:
        ground = self.palette.colour(keys["bg"]) if keys.get("bg") else None
        if part in ("background canvas", "normal text") and ground is not None:
            self.pages, self._incoming = [{ground}], ground
        if part == "normal text" and keys.get("fg"):
            self.look = self.look.coloured(self.palette.colour(keys["fg"]))

    def _set_listing(self, keys: Mapping[str, str]) -> None:
        keys = {**self.grounds.get(f"style {keys.get('style', '')}", {}), **keys}
        code = self._keyed(keys, Look(self.look.code)).ink
        self.look = self.look._replace(code=code)

    def _listing_options(self, token: Token) -> Token | None:
        """The options of one listing, which follows."""
        around = self.look
        self._set_listing(keys_of(self.words()))
        listing = self.raw()
        shown = self._text(listing) if listing is not None and listing.kind is Kind.VERBATIM else None
        if listing is not None and listing.kind is not Kind.VERBATIM:
            self.push([listing])
        self.look = around
        return shown

    def _hook(self, token: Token) -> Token | None:
        """What is executed at the beginning of the document, of environments or formulas."""
        name = token.text
        if name == "everypar":
            self.skip_blank()
            self.passed("=")
            self.push(self.argument())
            return None
        if name in ("everymath", "everydisplay"):
            self.skip_blank()
            self.passed("=")
            self.every["math"] = self.argument()[:_MOST_BOXES]
            return None
        where = {"AtBeginDocument": "document"}.get(name) or self.words()
        if name == "AtBeginEnvironment":
            where = f"env/{where}/begin"
        where = "document" if where in ("begindocument", "para/begin") else where.replace("/before", "/begin")
        self.option()
        self.every.setdefault(where, []).extend(self.argument()[:_MOST_BOXES])
        return None

    def _literal_drawing(self, token: Token) -> Token | None:
        """Operators of PDF: a rendering mode or a colour."""
        if token.text == "textpdfrender":
            keys = keys_of(self.words())
            hides = "nvisible" in keys.get("TextRenderingMode", "") or keys.get("TextRenderingMode", "") in ("3", "7")
            return self._inner(self.look.behind(Visibility.HIDDEN) if hides else self.look)
        for word in ("direct", "page", "literal"):
            self.skip_blank()
            self.passed(word)
        operands = [word for word in self.words().split() if word not in ("pdf:literal", "direct", "page")]
        if operands[-1:] == ["Tr"]:
            veil = Visibility.HIDDEN if operands[:-1] in (["3"], ["7"]) else Visibility.SHOWN
            self.look = self.look._replace(veil=veil)
        elif operands[-1:] in (["g"], ["rg"], ["k"]):
            model = {"g": "gray", "rg": "rgb", "k": "cmyk"}[operands.pop()]
            self.look = self.look.coloured(self.palette.colour(" ".join(operands[-4:]), model))
        elif operands[:2] == ["color", "push"] or operands[-1:] == ["cm"]:
            self.look = self.look.behind(Visibility.DOUBTFUL)
        return None

    def _category(self, token: Token) -> Token | None:
        """`\\catcode`: where letters, digits or signs become comments or nothing, what follows may not show."""
        text = ""
        while (
            (part := self.raw()) is not None and len(text) < 20 and part.kind in (Kind.TEXT, Kind.COMMAND, Kind.SPACE)
        ):
            text += part.source
            if "=" in text and text.split("=")[1].strip():
                part = None
                break
        self.push([part] if part else [])
        sign, _, value = text.partition("=")
        character = sign.strip().lstrip("`\\")
        digits = value.strip()[: len(value.strip()) - len(value.strip().lstrip("0123456789"))]
        rest = value.strip()[len(digits) :]
        self.push([token._replace(kind=Kind.TEXT, text=rest)] if rest else [])
        if self.in_body and (digits in ("9", "14", "15") or (character.isalnum() and digits not in ("11", "12"))):
            self.look = self.look.behind(Visibility.DOUBTFUL)
        return None

    def _link(self, token: Token) -> Token | None:
        return self._inner(self.look.coloured(self.link) if self.link is not None else self.look)

    def _tcbox(self, token: Token) -> Token | None:
        keys = keys_of(written(self.option() or []))
        return self._inner(self._keyed(keys, self.look.on((242, 242, 242))))


_MATHS: Final = ("$", "$$", "(", "[")
_ROW_ENDS: Final = ("\\", "tabularnewline", "cr", "crcr")
_RULES: Final = names("hline toprule midrule bottomrule")
_TEX_BOXES: Final = names("hbox vbox vtop vcenter mbox")
_MARGINS: Final = names("hoffset voffset oddsidemargin evensidemargin topmargin parindent leftskip rightskip")
_AWAY: Final = names("setbox sbox savebox phantom hphantom vphantom @gobble gobble iffalse")
"""Commands before the cells of a column that is not shown."""
_ON_SCREEN: Final = names("beamer presentation all slide second")
_OPAQUE: Final = names("rule colorbox fcolorbox")


def _is_slide(part: str) -> bool:
    """Whether a part such as `handout:1-3` of what tells the slides tells some of the presentation."""
    mode, named, slides = part.rpartition(":")
    if not named and slides.strip().isalpha():
        return slides.strip() in _ON_SCREEN
    is_other = bool(named) and mode.strip() not in _ON_SCREEN
    return not is_other and any(slide.strip() not in ("0", "0-0") for slide in slides.split(","))


def _plain_size(font: str) -> str:
    """The size in `cmr10 at 1pt` or `cmr10 scaled 100`; empty where none is given."""
    _, at, size = font.partition(" at ")
    if at:
        return (size.split() or [""])[0]
    _, _, factor = font.partition(" scaled ")
    return f"{float(factor) / 100}pt" if factor.strip().isdecimal() and len(factor) < 9 else ""


def _number(text: str) -> float | None:
    try:
        return float(text.strip())
    except ValueError:
        return None


def _scaled(look: Look, factors: list[float | None]) -> Look:
    if None in factors:
        return look.behind(Visibility.DOUBTFUL)
    return look._replace(scale=look.scale * min(abs(factor or 0.0) for factor in factors))


def _fitted(look: Look, width: str, height: str) -> Look:
    """A box that is fitted to a width or a height: small ones cannot be read, whatever they hold."""
    sides = [points(side) for side in (width, height) if side.strip() != "!"]
    smallest = min((abs(side) for side in sides if side is not None), default=None)
    if smallest is not None and smallest < 10:
        return look.behind(Visibility.HIDDEN if smallest < 3 else Visibility.DOUBTFUL)
    return look


def _adjusted(look: Look, keys: Mapping[str, str]) -> Look:
    """The options of adjustbox."""
    scale = keys.get("scale") or keys.get("scalebox")
    if scale:
        look = _scaled(look, [_number(scale.strip("{}"))])
    look = _fitted(look, keys.get("width", "!"), keys.get("height", "!"))
    if keys.get("raise"):
        look = _raised(look, points(keys["raise"].strip("{}")))
    return look.behind(Visibility.DOUBTFUL) if "phantom" in keys or ("clip" in keys and "trim" in keys) else look


def _raised(look: Look, move: float | None, *, is_flat: bool = False) -> Look:
    """A box that is moved up or down. Where its height counts, one that is moved up pushes its line down instead."""
    if move is None or abs(move) < _OFF_HEIGHT / 2:
        return look
    is_away = abs(move) >= _OFF_HEIGHT and (move < 0 or is_flat)
    return look.behind(Visibility.HIDDEN if is_away else Visibility.DOUBTFUL)


def _columns(spec: list[Token], own: Mapping[str, list[Token]], depth: int = 0) -> Iterator[str]:
    """What each column of a table sets before its cells."""
    stream = Stream(spec)
    before = ""
    while (token := stream.take()) is not None:
        for place, sign in enumerate(token.text if token.kind is Kind.TEXT else ""):
            is_last = place == len(token.text) - 1
            if sign in own and depth < _MOST_LISTED:
                yield from (f"{before}{inner}" for inner in _columns(own[sign], own, depth + 1))
                before = ""
            elif sign.isalpha():
                yield before
                before = ""
                if is_last and sign in "pmbXSwW":
                    stream.group()
            elif sign in "><@!" and is_last:
                argument = written(stream.argument())
                before = f"{before}{argument}" if sign == ">" else before
