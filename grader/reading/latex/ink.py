"""The appearance of each token of a document: the colours of its text and of its ground, its size, the boxes around it,
and the slides of beamer on which it stands. Text that cannot be seen is kept apart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from grader.reading.latex.arithmetic import Label, keys_of, length, points
from grader.reading.latex.effects import (
    EFFECTS,
    MAYBE_OFF_PAGE,
    OFF_PAGE,
    PAGE_HEIGHT,
    PAGE_WIDTH,
    SIZES,
    Look,
    Moves,
    Pages,
    apply_adjustbox,
    apply_options,
    apply_vertical_move,
    columns_of,
    run,
)
from grader.reading.latex.expansion import Expansion, Opener
from grader.reading.latex.formulas import is_quantity
from grader.reading.latex.settings import LISTS, MATHS_HOOK, Settings, list_source
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
    Stream,
    Token,
    source_text,
    with_braces,
    with_brackets,
)
from grader.reading.maths.tokens import names
from grader.reading.visibility import UNKNOWN, Colour, Visibility

TEX_BOXES: Final = names("hbox vbox vtop vcenter mbox")
SETTING_BOXES: Final = names("sbox savebox setbox")
USING_BOXES: Final = names("usebox box copy unhbox unvbox unhcopy unvcopy")
_MOST_BOXES: Final = 200
_GROUP_DEPTH: Final = {"bgroup": 1, "begingroup": 1, "egroup": -1, "endgroup": -1}


class Boxes:
    """The stored boxes of a document.

    Their content is kept as tokens: its look is decided where it is used. Content that is never used is no text of the
    page.
    """

    def __init__(self, stream: Expansion) -> None:
        self._stream = stream
        self._content: dict[str, list[Token]] = {}

    def use(self, command: str) -> None:
        """Put the content of the box that follows before all that is still to come."""
        name = self._stream.words() if command == "usebox" else self.register()
        self._stream.push(self._content.get(name.strip(), []))

    def set(self, command: str) -> None:
        """Store the box that follows."""
        stream = self._stream
        if command == "setbox":
            self._set_register(self.register())
            return
        name = stream.words()
        while stream.option() is not None:  # its width and alignment
            pass
        self._keep_group(name)

    def set_environment(self) -> None:
        """Store the content of `\\begin{lrbox}{name}`."""
        name = self._stream.words()
        self._keep(name, self._until(lambda token: token.kind is Kind.END and token.text == "lrbox", {}))

    def register(self) -> str:
        """The number or the name of a box or a file that follows, which is passed."""
        self._stream.skip_blank()
        digits = self._stream.digits()
        if digits:
            return digits
        token = self._stream.raw()
        if token is not None and token.kind is Kind.TEXT:
            self._stream.put_back(token)
            return ""
        return token.source if token is not None else ""

    def _set_register(self, name: str) -> None:
        """`\\setbox0=\\hbox to 3cm{…}`, also with `\\bgroup` and `\\egroup` for the braces."""
        stream = self._stream
        stream.skip_blank()
        stream.take_sign("=")
        stream.skip_blank()
        token = stream.raw()
        if token is None or token.kind is not Kind.COMMAND or token.text not in TEX_BOXES:
            stream.put_back(token)
            return
        while (token := stream.raw()) is not None and token.kind in (Kind.TEXT, Kind.SPACE, Kind.NEWLINE):
            pass  # its size
        if token is not None and token.kind is Kind.COMMAND and _GROUP_DEPTH.get(token.text) == 1:
            self._keep(name, self._until(lambda token: _GROUP_DEPTH.get(token.text) == -1, _GROUP_DEPTH))
        else:
            stream.put_back(token)
            self._keep_group(name)

    def _keep_group(self, name: str) -> None:
        self._stream.skip_blank()
        token = self._stream.take()
        if token is not None and token.kind is Kind.OPEN:
            self._keep(name, self._until(lambda token: token.kind is Kind.CLOSE, {"{": 1, "}": -1}))
        else:
            self._stream.put_back(token)
            self._keep(name, self._stream.argument())

    def _until(self, is_end: Callable[[Token], bool], depths: dict[str, int]) -> list[Token]:
        """The tokens up to an end outside of further groups. They are of any length, so no argument is read."""
        found: list[Token] = []
        depth = 0
        while (token := self._stream.take()) is not None and not (depth == 0 and is_end(token)):
            depth += depths.get(token.text, 0) if token.kind in (Kind.COMMAND, Kind.OPEN, Kind.CLOSE) else 0
            found.append(token)
        return found

    def _keep(self, name: str, content: list[Token]) -> None:
        if len(self._content) < _MOST_BOXES:
            place = content[0] if content else Token(Kind.TEXT, "", "", 0)
            self._content[name.strip()] = [token._replace(is_drawn=False) for token in with_braces(content, place)]


_ON_SCREEN: Final = names("beamer presentation all slide second")
"""Modes whose slides a reader of the presentation sees."""
_LONGEST: Final = 20
"""Tokens of a specification."""


def is_on_slide(stream: Stream) -> bool | None:
    """Whether the specification `<…>` that follows, which is passed, names a slide; None where there is none."""
    passed: list[Token] = []
    text = ""
    while (token := stream.raw()) is not None and len(passed) < _LONGEST:
        passed.append(token)
        text += token.source
        if token.kind not in (Kind.TEXT, Kind.SPACE) or not text.startswith("<") or ">" in text:
            break
    if not text.startswith("<") or ">" not in text:
        stream.push(passed)
        return None
    spec, _, rest = text[1:].partition(">")
    stream.push([passed[-1]._replace(text=rest)] if rest else [])
    return any(_names_slide(part) for part in spec.split("|"))


def _names_slide(part: str) -> bool:
    """Whether a part such as `handout:1-3` names some slide of the presentation."""
    mode, named, slides = part.rpartition(":")
    if not named and slides.strip().isalpha():
        return slides.strip() in _ON_SCREEN
    is_other = bool(named) and mode.strip() not in _ON_SCREEN
    return not is_other and any(slide.strip() not in ("0", "0-0") for slide in slides.split(","))


_THICK: Final = 3.0
"""In points, the height from which a rule covers what is below it."""
_BLANK: Final = (Kind.SPACE, Kind.NEWLINE, Kind.PARAGRAPH)
_DEEPEST: Final = 200
"""Open groups that the end of an environment may close."""
_MOST_ARGUMENT_TOKENS: Final = 10_000

_PLAIN_COMMANDS: Final = names(
    "textit emph textsl textrm textsf textup textmd textnormal mbox fbox text underline footnote footnotetext item"
    " caption captionof subcaption framebox frame ensuremath centerline leftline rightline textsuperscript"
    " textsubscript multicolumn multirow makecell thead title subtitle author href hyperref num SI qty title"
    " enquote alert structure ul uline uwave cancel section* smash strut newline linebreak texorpdfstring"
)
"""Commands that draw nothing behind their text."""
_LIGHT_THEMES: Final = names(
    "default Boadilla Madrid AnnArbor CambridgeUS EastLansing Pittsburgh Rochester Bergen Antibes JuanLesPins"
    " Montpellier Berkeley PaloAlto Goettingen Marburg Hannover Berlin Ilmenau Dresden Darmstadt Frankfurt Singapore"
    " Szeged Copenhagen Luebeck Malmoe Warsaw metropolis seahorse rose lily orchid dolphin whale beaver crane dove"
    " spruce wolverine seagull sidebartab structure"
)
_SLIDE_ENVIRONMENTS: Final = names("onlyenv invisibleenv visibleenv uncoverenv frame")
_FORMULAS: Final = ("$", "$$", "(", "[")
_GROUPS: Final = {"bgroup": "group", "begingroup": "group", "(": "(", "[": "["}
_GROUP_ENDS: Final = {"egroup": "group", "endgroup": "group", ")": "(", "]": "["}
_ROW_ENDS: Final = ("\\", "tabularnewline", "cr", "crcr")
_RULES: Final = names("hline toprule midrule bottomrule")
_MARGINS: Final = names("hoffset voffset oddsidemargin evensidemargin topmargin parindent leftskip rightskip")
_OPAQUE: Final = names("rule colorbox fcolorbox")
_MATHS_SPACING: Final = ("\\", "displaystyle", "hline", ",", ";", "!", ":", " ")
_COLOUR_OPERATORS: Final = {"g": "gray", "rg": "rgb", "k": "cmyk"}


class TableLook:
    """The columns of an open table, each as the source before its cells, and how its rows are drawn."""

    def __init__(self, columns: list[str], base: Look) -> None:
        self.columns = columns
        self.base = base
        self.column = 0
        self.row: Colour | None = None


class Frame(NamedTuple):
    """An open group, environment, formula or table: the sign or name that began it, and the look around it. Braces that
    are `silent` are not handed on. `table` is the one whose cell this is, if no braces stand between."""

    begin: str
    around: Look
    silent: bool = False
    table: TableLook | None = None
    in_maths: bool = False


_NO_FRAME: Final = Frame("", Look())


class HiddenText(NamedTuple):
    """A text that is hidden or may be, with the place where it begins."""

    text: str
    place: Token
    seen: Visibility
    is_spacer: bool


class VisibleTokens(Expansion):
    """The tokens that can be seen; one use only. `hidden` are the texts of the others. `known_pages` are the colours of
    the pages, where an earlier pass found them."""

    def __init__(
        self,
        tokens: Iterator[Token],
        files: Opener,
        labels: Mapping[str, Label] | None = None,
        *,
        in_body: bool,
        known_pages: list[set[Colour | None]] | None = None,
    ) -> None:
        super().__init__(tokens, files, labels)
        self.in_body = in_body
        self.look = Look()
        self.pages = Pages(known_pages)
        self.moves = Moves()
        self.frames: list[Frame] = []
        self.hidden: list[HiddenText] = []
        self.settings = Settings(self)
        self.palette = self.settings.palette
        self.boxes = Boxes(self)
        self.is_beamer = False
        self._title_format = ""
        self._is_drawing = False
        self._part: list[Token] = []
        self._part_seen = (Visibility.SHOWN, False)
        self._last_seen: tuple[Look, Colour | None, Visibility] = (self.look, None, Visibility.SHOWN)
        self._handlers = self._all_handlers()

    @property
    def is_in_maths(self) -> bool | None:
        """Whether the place is within a formula."""
        return bool(self.frames) and self.frames[-1].in_maths

    def take(self) -> Token | None:
        """The next token that can be seen, or that sets the text.

        While a token is drawn, the tokens that follow are taken as they are: a handler reads arguments whether or not
        they can be seen.
        """
        if self._is_drawing or self._literal:
            return super().take()
        self._is_drawing = True
        try:
            while (token := super().take()) is not None:
                if token.is_drawn:
                    return token
                drawn = self._drawn(token)
                if drawn is not None:
                    return drawn._replace(is_drawn=True)
            self._end_part()
            return None
        finally:
            self._is_drawing = False

    def _drawn(self, token: Token) -> Token | None:
        """Follow what a token does to the look, and return it if it is handed on."""
        match token.kind:
            case Kind.OPEN:
                self._open(token.text)
                self.look = run(self.look, self._title_format, self.palette)
                self._title_format = ""
                return token
            case Kind.CLOSE:
                frame = self._close("{")
                return None if frame is not None and frame.silent else token
            case Kind.MATH:
                return self._maths(token)
            case Kind.BEGIN:
                return self._begin(token)
            case Kind.END:
                return self._end(token)
            case Kind.ALIGN:
                self._next_cell()
                return token
            case Kind.COMMAND:
                return self._command(token)
        return self._text(token)

    # Groups.

    def _open(self, begin: str, look: Look | None = None, *, silent: bool = False) -> None:
        """Open a group, with a look of its own where one is given."""
        last = self.frames[-1] if self.frames else _NO_FRAME
        table = None if begin == "{" else last.table
        self.frames.append(Frame(begin, self.look, silent, table, last.in_maths or begin in _FORMULAS))
        self.look = self.look if look is None else look

    def _close(self, begin: str) -> Frame | None:
        """Close the open group, if it began so. Formulas whose end is missing end with it."""
        while self.frames and self.frames[-1].begin in _FORMULAS and self.frames[-1].begin != begin:
            self.look = self.frames.pop().around
        if not self.frames or self.frames[-1].begin != begin:
            return None
        frame = self.frames.pop()
        self.look = frame.around
        self.moves.end_group(len(self.frames))
        return frame

    def _maths(self, token: Token) -> Token | None:
        look = self.look
        if self.frames and self.frames[-1].begin == token.text:
            self._close(token.text)
        else:
            self._open(token.text)
            self.push(self.settings.hook(MATHS_HOOK))
        return token if self._is_shown(look) else None

    def _group(self, token: Token) -> Token | None:
        """`\\bgroup`, `\\(` and the like. Formulas are handed on, if they can be seen."""
        is_shown = self._is_shown(self.look)
        if token.text in _GROUPS:
            self._open(_GROUPS[token.text])
            self.push(self.settings.hook(MATHS_HOOK) if token.text in _FORMULAS else [])
        else:
            self._close(_GROUP_ENDS[token.text])
            is_shown = self._is_shown(self.look)
        return token if is_shown and not token.text.isalpha() else None

    def _inner(self, look: Look, *, silent: bool = False) -> Token | None:
        """Open the argument that follows, of any length, with a look of its own."""
        self.skip_blank()
        token = super().take()
        if token is not None and token.kind is Kind.COMMAND and token.text == "bgroup":
            self._open("group", look)
            return None
        if token is not None and token.kind is not Kind.OPEN:
            self.push([token])
            token, *rest = with_braces(self.argument(), token._replace(is_drawn=False))
            self.push(rest)
        if token is not None:
            self._open("{", look, silent=silent)
        return None if silent else token

    # Text.

    def _text(self, token: Token) -> Token | None:
        """Hand on a word, a space or a listing that can be seen, and keep any other apart."""
        if token.kind in _BLANK:
            self._blank(token)
            return token
        look = self.look
        if token.kind is Kind.VERBATIM:
            look = look._replace(ink=look.code.inherit_from(look.ink))
        self.pages.has_text = self.pages.has_text or self.in_body
        seen = self._seen(look)
        if seen is Visibility.SHOWN and not look.is_unread:
            self._end_part()
            return token
        if not self.in_body:
            return token
        if not look.is_unread:
            kind = (seen, look.is_spacer)
            if self._part_seen != kind:
                self._end_part()
            self._part.append(token)
            self._part_seen = kind
        return None

    def _blank(self, token: Token) -> None:
        if not self.look.is_boxed:
            self.moves.end_group(len(self.frames), breaks=True)
        if self._part:
            self._part.append(token)
        if token.kind is Kind.PARAGRAPH:
            self._end_part()
            self.moves.end_line()
            while self.frames and self.frames[-1].begin in ("$", "$$"):  # the end is missing
                self.look = self.frames.pop().around

    def _is_shown(self, look: Look) -> bool:
        return not self.in_body or (self._seen(look) is Visibility.SHOWN and not look.is_unread)

    def _seen(self, look: Look) -> Visibility:
        """Whether text can be seen here in a look. The last answer is kept, as it mostly holds for the next word."""
        page = self.pages.colour
        if self._last_seen[:2] != (look, page):
            self._last_seen = (look, page, look.visibility(page))
        undecided = Visibility.DOUBTFUL if self.is_undecided else Visibility.SHOWN
        return max(self._last_seen[2], self.moves.veil, undecided)

    def _end_part(self) -> None:
        """Store the text that could not be seen up to here."""
        part, self._part = self._part, []
        text = source_text(part)
        if any(character.isalnum() for character in text):
            self.hidden.append(HiddenText(text, part[0], *self._part_seen))

    # Environments and tables.

    def _begin(self, token: Token) -> Token | None:
        name = token.text
        if name == "document":
            self.in_body = True
            self.frames.clear()
            self.pages.begin_document()
            self.push(self.settings.hook("document"))
            return token
        if name == "lrbox":
            self.boxes.set_environment()
            return None
        was_shown = self._is_shown(self.look)
        self._turn_page(name)
        self._open(name)
        self._set_environment(token)
        if name.rstrip("*") in TABLES or name == "array":
            self._begin_table(token)
        elif not was_shown and ENVIRONMENT_ARGUMENTS.get(name.rstrip("*")):
            self._pass_on(token, ENVIRONMENT_ARGUMENTS[name.rstrip("*")])
            return None
        self.push(self.settings.hook(f"env/{name}/begin"))
        return token

    def _end(self, token: Token) -> Token | None:
        name = token.text
        if name in [frame.begin for frame in self.frames[-_DEEPEST:]]:
            while self.frames[-1].begin != name:
                self.frames.pop()
            self.look = self.frames.pop().around
        self._end_part()
        self._turn_page(name)
        return token

    def _turn_page(self, environment: str) -> None:
        """Begin a new page before and behind an environment that has pages of its own."""
        if environment == "titlepage" or (environment == "frame" and self.is_beamer):
            self.moves.end_page()
            self.pages.turn()

    def _set_environment(self, place: Token) -> None:
        """The look within an environment. Arguments that the reader of the text expects are handed on."""
        name = place.text
        if name in LISTS or name in self.settings.boxes:
            option = self.option()
            keys = keys_of(source_text(option or []))
            self.look = run(self.look, list_source(keys), self.palette) if name in LISTS else self._box_look(name, keys)
            self._hand_on(with_brackets(option, place))
        elif name == "adjustbox":
            argument = self.argument()
            self.look = apply_adjustbox(self.look, [source_text(argument)], self.palette)
            self._hand_on(with_braces(argument, place))
        elif name in EFFECTS and not EFFECTS[name].on_argument:
            self.look = EFFECTS[name].apply_to(self.look, self, self.palette)
        elif name in _SLIDE_ENVIRONMENTS:
            self._set_slides(name)
        elif name == "ocg":
            self._set_layer()
        elif name.rstrip("*") == "textblock":
            self._place_block(place)
        elif name.rstrip("*") not in PLAIN_ENVIRONMENTS and name not in self.definitions.theorems:
            self.look = self.look.with_ground(UNKNOWN)

    def _box_look(self, box: str, keys: Mapping[str, str]) -> Look:
        """The look within a box of tcolorbox and the like, with its options."""
        return apply_options(
            self.look, {**self.settings.boxes[box], **self.settings.resolve_styles(keys)}, self.palette
        )

    def _set_slides(self, environment: str) -> None:
        is_on = is_on_slide(self)
        if is_on is False and environment in ("onlyenv", "frame"):
            self.look = self.look._replace(is_unread=True)
        elif is_on is False or (is_on is None and environment == "invisibleenv"):
            self.look = self.look.with_veil(Visibility.HIDDEN)

    def _set_layer(self) -> None:
        """`\\begin{ocg}[…]{layer}{id}{0}`: a layer that can be switched on and off, with its first state."""
        self.option()
        *_, state = (self.words() for _ in range(3))
        if state.strip().lower() in ("0", "off", "false"):
            self.look = self.look.with_veil(Visibility.HIDDEN)

    def _place_block(self, place: Token) -> None:
        """`\\begin{textblock*}{width}(x,y)` of the package textpos, which sets its corner on the page."""
        width = self.argument()
        token = self.raw()
        corner = token.text[1:].partition(")")[0].split(",") if token and token.text.startswith("(") else []
        unit = "" if place.text.endswith("*") else "cm"
        where = [points(part, unit) for part in corner]
        self.put_back(token)
        self._hand_on(with_braces(width, place))
        match where:
            case [float(across), float(down)]:
                is_on_page = -MAYBE_OFF_PAGE < across < PAGE_WIDTH and -MAYBE_OFF_PAGE < down < PAGE_HEIGHT
                self.look = self.look if is_on_page else self.look.with_veil(Visibility.HIDDEN)
            case _:
                self.look = self.look.with_veil(Visibility.DOUBTFUL)

    @property
    def _table(self) -> TableLook | None:
        """The table whose cell is open, if no braces are."""
        return self.frames[-1].table if self.frames else None

    def _begin_table(self, place: Token) -> None:
        """Read the columns of a table from its last argument. All arguments are handed on."""
        found = with_brackets(self.option(), place)
        spec: list[Token] = []
        for _ in range(TABLES.get(place.text.rstrip("*"), 1) + (place.text == "tabular*")):
            spec = self.argument()
            found += [*with_braces(spec, place), *with_brackets(self.option(), place)]
        table = TableLook(list(columns_of(spec, self.definitions.columns)), self.look)
        self.frames[-1] = self.frames[-1]._replace(table=table)
        self._begin_cell(table)
        self._hand_on(found)

    def _begin_cell(self, table: TableLook) -> None:
        """Take the look of the column, unless the cell stands in several columns."""
        self._end_part()
        self.moves.end_line()
        self.look = table.base._replace(row=table.row)
        before = table.columns[table.column] if table.column < len(table.columns) else ""
        if not before:
            return
        blank: list[Token] = []
        while (token := self.raw()) is not None and (
            token.kind in _BLANK or (token.kind is Kind.COMMAND and token.text in _RULES)
        ):
            blank.append(token)
        self.put_back(token)
        self.push(blank)
        if token is None or token.kind is not Kind.COMMAND or token.text != "multicolumn":
            self.look = run(self.look, before, self.palette)

    def _next_cell(self) -> None:
        table = self._table
        if table is not None:
            table.column += 1
            self._begin_cell(table)

    def _end_row(self) -> None:
        table = self._table
        if table is None:
            self.moves.end_line()
        else:
            table.column, table.row = 0, None
            self._begin_cell(table)

    def _over_columns(self, token: Token) -> Token | None:
        """`\\multicolumn{2}{c}{…}`: a cell with a column of its own."""
        count, spec = self.argument(), self.argument()
        column = next(columns_of(spec, self.definitions.columns), "")
        self.look = run(self.look, column, self.palette)
        self._hand_on([*with_braces(count, token), *with_braces(spec, token)])
        return token

    # Commands. A handler returns the token that is handed on, if any.

    def _all_handlers(self) -> dict[str, Callable[[Token], Token | None]]:
        handlers: dict[str, Callable[[Token], Token | None]] = {
            **dict.fromkeys(EFFECTS, self._effect),
            **dict.fromkeys(self.settings.readers, self._setting),
            **dict.fromkeys((*_GROUPS, *_GROUP_ENDS), self._group),
            **dict.fromkeys((*SETTING_BOXES, *USING_BOXES), self._stored_box),
        }
        for commands, handler in (
            ("pagecolor nopagecolor newpagecolor", self._page_colour),
            ("newpage clearpage cleardoublepage maketitle", self._page_break),
            ("raise lower moveleft moveright", self._moved_box),
            ("hbox vbox vtop", self._tex_box),
            ("phantom hphantom vphantom invisible", self._phantom),
            ("hspace hskip kern vspace vskip", self._move),
            ("setlength addtolength " + " ".join(_MARGINS), self._margin),
            ("multicolumn", self._over_columns),
            ("write immediate", self._written_out),
            ("section subsection subsubsection paragraph subparagraph chapter caption", self._title),
            ("rlap llap makebox mbox fbox framebox mathrlap mathllap", self._line_box),
            ("rule", self._rule),
            ("only visible uncover onslide alt temporal action mode", self._overlay),
            ("documentclass usetheme usecolortheme setbeamercolor", self._theme),
            ("lstset fvset setminted", self._listings),
            ("listing@options", self._listing),
            ("everypar", self._every_paragraph),
            ("pdfliteral special pdfextension", self._operator),
            ("catcode", self._category),
            ("href@link", self._link),
            ("tcbox", self._inline_box),
        ):
            handlers |= dict.fromkeys(commands.split(), handler)
        return handlers

    def _command(self, token: Token) -> Token | None:
        name = token.text
        handler = self._handlers.get(name)
        if handler is not None:
            return handler(token)
        if name in _ROW_ENDS:
            is_cell = self._table is not None
            self._end_row()
            if is_cell:
                return token
        if not self._is_shown(self.look):
            return self._unseen_command(token)
        if name not in KNOWN_COMMANDS and name not in _PLAIN_COMMANDS and not self.is_in_maths:
            self._unknown()
        return token

    def _unseen_command(self, token: Token) -> Token | None:
        """Leave out a command in text that cannot be seen, unless it only sets the text."""
        name = token.text
        if name in DROPPED or name == "includegraphics":
            self._pass_on(token, DROPPED.get(name, 1))
            return None
        is_sign = name in SYMBOLS or name in ESCAPED or name in ACCENTS or is_quantity(name)
        return self._text(token) if (is_sign or self.is_in_maths) and name not in _MATHS_SPACING else token

    def _unknown(self) -> None:
        """An unknown command may draw a ground, so a group behind it is on an unknown one."""
        token = self.raw()
        if token is not None and token.kind is Kind.OPEN and not token.is_drawn:
            self._open(token.text, self.look.with_ground(UNKNOWN))
            token = token._replace(is_drawn=True)
        self.put_back(token)

    def _hand_on(self, tokens: Sequence[Token]) -> None:
        """Hand on tokens that are no text, such as arguments."""
        self.push([token._replace(is_drawn=True) for token in tokens])

    def _pass_on(self, token: Token, count: int) -> None:
        """Hand on a command with its arguments, which are no text."""
        found = [token]
        if self.take_star():
            found.append(token._replace(kind=Kind.TEXT, text="*"))
        for place in range(count + 1):
            while (option := self.option()) is not None and len(found) < _MOST_ARGUMENT_TOKENS:
                found += with_brackets(option, token)
            if place < count:
                found += with_braces(self.argument(), token)
        self._hand_on(found)

    def _effect(self, token: Token) -> Token | None:
        """A command of the table of effects."""
        effect = EFFECTS[token.text]
        look = effect.apply_to(self.look, self, self.palette)
        if not effect.on_argument:
            self.look = look
            if token.text == "rowcolor" and self._table is not None:
                self._table.row = look.row
            return token if token.text in SIZES else None
        is_cover = token.text in _OPAQUE and self._is_over_text
        found = self._inner(look)
        if is_cover and found is not None:
            self._hand_on([found])
            return token._replace(text=COVERED)
        return found

    def _setting(self, token: Token) -> Token | None:
        self.settings.readers[token.text](token)
        return None

    def _link(self, _token: Token) -> Token | None:
        link = self.settings.link
        return self._inner(self.look if link is None else self.look.with_colour(link))

    def _inline_box(self, _token: Token) -> Token | None:
        return self._inner(self._box_look("tcolorbox", keys_of(source_text(self.option() or []))))

    def _title(self, token: Token) -> Token | None:
        """A title or a caption, whose text has the format that the document sets."""
        if token.text == "chapter":
            self._page_break(token)
            self.pages.has_text = True
        self._title_format = self.settings.title_format(token.text)
        return token

    def _written_out(self, token: Token) -> Token | None:
        """`\\immediate\\write18{…}`: written to a file or a terminal, not to the page."""
        if token.text == "write":
            self.boxes.register()
            self.pass_argument()
        return None

    # Pages, themes and listings.

    def _page_colour(self, token: Token) -> Token | None:
        if token.text == "nopagecolor":
            self.pages.set(None)
        else:
            model = source_text(self.option() or [])
            self.pages.set(self.palette.colour(self.words(), model, self.look.ink.colour))
        return None

    def _page_break(self, token: Token) -> Token | None:
        if token.text == "maketitle":
            self.pages.has_text = True
        else:
            self.moves.end_page()
            self.pages.turn()
        return token

    def _theme(self, token: Token) -> Token | None:
        """The colours of slides. Those of an unknown theme are unknown."""
        name = token.text
        option = source_text(self.option() or [])
        if name == "documentclass":
            self.is_beamer = self.words() == "beamer"
        elif name == "setbeamercolor":
            self.take_star()
            part, keys = self.words(), keys_of(self.words())
            if part in ("background canvas", "normal text") and keys.get("bg"):
                self.pages.set_all(self.palette.colour(keys["bg"]))
            if part == "normal text" and keys.get("fg"):
                self.look = self.look.with_colour(self.palette.colour(keys["fg"]))
        elif self.words() not in _LIGHT_THEMES or "dark" in option:
            self.pages.set_all(UNKNOWN)
        return None

    def _listings(self, _token: Token) -> Token | None:
        """The options of all listings that follow in the group."""
        self.option()
        keys = self.settings.resolve_styles(keys_of(self.words()))
        code = apply_options(Look(self.look.code), keys, self.palette).ink
        self.look = self.look._replace(code=code)
        return None

    def _listing(self, token: Token) -> Token | None:
        """The options of the listing that follows."""
        around = self.look
        self._listings(token)
        listing = self.raw()
        shown = None
        if listing is not None and listing.kind is Kind.VERBATIM:
            shown = self._text(listing)
        else:
            self.put_back(listing)
        self.look = around
        return shown

    def _every_paragraph(self, _token: Token) -> Token | None:
        """`\\everypar={…}`: as it holds from the next paragraph on, it is executed here."""
        self.skip_blank()
        self.take_sign("=")
        self.push(self.argument())
        return None

    # Boxes, and moves off the page.

    def _phantom(self, token: Token) -> Token | None:
        """Text that only takes up room, and text of slides that are all hidden."""
        if is_on_slide(self) is False:
            return self._inner(self.look)
        look = self.look.with_veil(Visibility.HIDDEN)._replace(is_spacer=token.text != "invisible")
        return self._inner(look, silent=True)

    def _overlay(self, token: Token) -> Token | None:
        """Text for some slides. Where no braces follow, the slides are those of all that follows."""
        is_on = is_on_slide(self)
        look = self.look
        if is_on is False:
            keeps_room = token.text in ("visible", "uncover", "onslide")
            look = look.with_veil(Visibility.HIDDEN) if keeps_room else look._replace(is_unread=True)
        if token.text in ("onslide", "mode"):
            following = self.raw()
            self.put_back(following)
            if following is None or following.kind is not Kind.OPEN:
                if token.text == "onslide":
                    self.look = look if is_on is False else self.look._replace(veil=Visibility.SHOWN)
                return None
        return self._inner(look)

    def _stored_box(self, token: Token) -> Token | None:
        (self.boxes.set if token.text in SETTING_BOXES else self.boxes.use)(token.text)
        return None

    def _moved_box(self, token: Token) -> Token | None:
        """`\\raise 3pt\\hbox{…}` and the like."""
        move = length(self) or 0.0
        if token.text in ("raise", "lower"):
            look = apply_vertical_move(self.look, move if token.text == "raise" else -move)
        else:
            look = self.look.with_veil(Visibility.HIDDEN) if abs(move) >= OFF_PAGE else self.look
        following = super().take()
        if following is None or following.kind is not Kind.COMMAND or following.text not in TEX_BOXES:
            self.put_back(following)
            return None
        return self._tex_box(following, look)

    def _tex_box(self, _token: Token, look: Look | None = None) -> Token | None:
        """`\\hbox to 3cm{…}`. Its size is no text."""
        self.skip_blank()
        if self.take_sign("to") or self.take_sign("spread"):
            length(self)
        return self._inner(self.look if look is None else look)

    def _move(self, token: Token) -> Token | None:
        """A move of what follows. It is handed on as a space, unless it is as small as that between two letters."""
        is_starred = self.take_star()
        source = self.argument() if token.text in ("hspace", "vspace") else []
        move = points(source_text(source)) if source else length(self)
        is_vertical = token.text in ("vspace", "vskip")
        if move is not None and self.in_body:
            if is_vertical:
                self.moves.sink(move)
            else:
                is_stuck = is_starred or token.text == "kern" or self.look.is_boxed
                self.moves.push(move, len(self.frames), is_stuck=is_stuck)
        if token.text == "kern" and move is not None and abs(move) < _THICK:
            return None
        self._hand_on(with_braces(source, token))
        return token._replace(text="vspace" if is_vertical else "hspace")

    def _margin(self, token: Token) -> Token | None:
        """A length that says where text stands, such as `\\hoffset=100cm` or `\\setlength{\\hoffset}{100cm}`."""
        if token.text in _MARGINS:
            name, value = token.text, length(self)
        else:
            name, value = self.words().strip("\\ "), points(self.words())
        if value is not None and abs(value) >= OFF_PAGE and name in _MARGINS:
            self.look = self.look.with_veil(Visibility.DOUBTFUL if name == "parindent" else Visibility.HIDDEN)
        return None

    @property
    def _is_over_text(self) -> bool:
        """Whether what is drawn here lies over the text before it."""
        return self.in_body and (self.look.is_left or self.moves.is_over_text)

    def _rule(self, token: Token) -> Token | None:
        self.option()
        width, height = points(self.words()), points(self.words())
        if self._is_over_text and (width or 0) > _THICK and (height is None or height > _THICK):
            return token._replace(text=COVERED)
        return None

    def _line_box(self, token: Token) -> Token | None:
        """A box without line breaks. What follows one without a width is drawn over it, and it may stand over the text
        before it."""
        width, side = points(source_text(self.option() or [])), source_text(self.option() or [])
        look = self.look._replace(is_boxed=True)
        if "lap" in token.text or (width is not None and width <= 0):
            is_left = token.text in ("llap", "mathllap") or side.strip() == "r"
            is_covered, widest = self._next_box()
            look = look._replace(is_left=look.is_left or is_left)
            if widest >= OFF_PAGE:
                look = look.with_veil(Visibility.HIDDEN)
            elif is_covered and not is_left:
                look = look.with_veil(Visibility.DOUBTFUL)
        return self._inner(look)

    def _next_box(self) -> tuple[bool, float]:
        """Whether something opaque is drawn behind the argument that follows, and the widest space in it."""
        self.skip_blank()
        with self._literally():
            group = self.group()
            following = self.raw() if group is not None else None
        if group is None:
            return False, 0.0
        self.put_back(following)
        place = group[0] if group else Token(Kind.OPEN, "{", "", 0)
        self.push(with_braces(group, place._replace(is_drawn=False)))
        inner, widest = Stream(group), 0.0
        while (token := inner.take()) is not None:
            if token.kind is Kind.COMMAND and token.text in ("hspace", "hskip", "kern"):
                inner.take_star()
                move = points(inner.words()) if token.text == "hspace" else length(inner)
                widest = max(widest, abs(move or 0.0))
        is_covered = following is not None and following.kind is Kind.COMMAND and following.text in _OPAQUE
        return is_covered, widest

    # Commands below LaTeX.

    def _operator(self, _token: Token) -> Token | None:
        """Operators of PDF that set a rendering mode or a colour; what others do is not known."""
        for word in ("direct", "page", "literal"):
            self.skip_blank()
            self.take_sign(word)
        operands = [word for word in self.words().split() if word not in ("pdf:literal", "direct", "page")]
        match operands:
            case [*modes, "Tr"]:
                is_hidden = modes in (["3"], ["7"])
                self.look = self.look._replace(veil=Visibility.HIDDEN if is_hidden else Visibility.SHOWN)
            case [*components, ("g" | "rg" | "k") as operator]:
                colour = self.palette.colour(" ".join(components[-4:]), _COLOUR_OPERATORS[operator])
                self.look = self.look.with_colour(colour)
            case ["color", "push", *_] | [*_, "cm"]:
                self.look = self.look.with_veil(Visibility.DOUBTFUL)
        return None

    def _category(self, token: Token) -> Token | None:
        """`\\catcode`: where a character becomes a comment or is ignored, or a letter or digit becomes something else,
        what follows may not show."""
        text = ""
        while "=" not in text and len(text) < 20 and (part := self.raw()) is not None:
            if part.kind not in (Kind.TEXT, Kind.COMMAND, Kind.SPACE):
                self.put_back(part)
                break
            text += part.source
        character, _, rest = text.partition("=")
        self.push([token._replace(kind=Kind.TEXT, text=rest)] if rest else [])
        self.skip_blank()
        category = self.digits()
        is_letter = character.strip().lstrip("`\\").isalnum()
        if self.in_body and (category in ("9", "14", "15") or (is_letter and category not in ("11", "12"))):
            self.look = self.look.with_veil(Visibility.DOUBTFUL)
        return None
