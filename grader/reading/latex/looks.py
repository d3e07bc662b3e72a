"""How text is drawn at a place of a document, and where on the page it stands."""

from typing import Final, NamedTuple

from grader.reading.visibility import BLACK, CLEAR, UNKNOWN, WHITE, Colour, Ink, Visibility, blended

SIZES: Final = {"tiny": 5.0, "scriptsize": 7.0, "footnotesize": 8.0, "small": 9.0, "normalsize": 10.0, "large": 12.0,
                "Large": 14.4, "LARGE": 17.3, "huge": 20.7, "Huge": 24.9}  # fmt: skip
NORMAL_SIZE: Final = SIZES["normalsize"]
PAGE_WIDTH: Final = 595.0
PAGE_HEIGHT: Final = 842.0
OFF_PAGE: Final = 600.0
"""In points, a move to the left or the right by which text surely leaves the page."""
MAYBE_OFF_PAGE: Final = 285.0
"""In points, a move to the left by which text may leave the page: it may begin in the middle of a line."""
_OVERLAP: Final = 10.0
"""In points, a move to the left by which a box comes to lie over the text before it."""
_MOST_PAGES: Final = 2_000


class Look(NamedTuple):
    """How text is drawn at a place.

    `scale` is the factor by which the boxes around it enlarge it. `veil` is what these boxes hide, whatever the colour.
    `is_unread` text is not on the page at all; `is_spacer` text only takes up room. `code` is the ink of listings.
    `row` is the colour behind a row or a cell of a table. `is_left`: the text lies over what stands before it.
    `is_boxed`: it stands in a box without line breaks.
    """

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
        """The look with a further reason around it to be hidden."""
        return self._replace(veil=max(self.veil, veil))

    def coloured(self, colour: Colour | None) -> "Look":
        """The look in another colour."""
        return self._replace(ink=self.ink._replace(colour=colour))

    def on(self, ground: Colour | None) -> "Look":
        """The look on another ground."""
        return self._replace(ink=self.ink._replace(ground=ground))

    def sized(self, size: float | None) -> "Look":
        """The look in another size of the font."""
        return self._replace(ink=self.ink._replace(size=size))

    def visibility(self, page: Colour | None) -> Visibility:
        """Whether text drawn so can be seen on a page of a colour."""
        colour, ground = self.ink.colour, self.row or self.ink.ground or page
        if colour == UNKNOWN and ground != UNKNOWN:
            return max(self.veil, Visibility.DOUBTFUL)
        if self.opacity < 1:
            below = WHITE if ground == UNKNOWN else ground
            colour = blended(colour if colour not in (None, UNKNOWN, CLEAR) else BLACK, below, self.opacity)
        size = self.ink.size
        if self.scale != 1:
            size = (NORMAL_SIZE if size is None else size) * self.scale
        return max(self.veil, Ink(BLACK if colour is None else colour, ground, size).visibility)


class Pages:
    """The colours of a document's pages.

    The last colour that is set on a page is that of the whole page. Text may thus stand on a colour that is set behind
    it, so a first pass over the document finds the colours (`found`) and a second one knows them (`known`). Where LaTeX
    breaks pages by itself is not known: what stands before a change of colour may be on another page than the change.
    """

    def __init__(self, known: list[set[Colour | None]] | None) -> None:
        self.known = known
        self.found: list[set[Colour | None]] = [{None}]
        self.has_text = False
        self._start = 0
        self._next: Colour | None = None

    @property
    def colour(self) -> Colour | None:
        """The colour of the page here, UNKNOWN where it may be one of several."""
        known = self.known if self.known is not None else self.found
        colours = known[min(len(self.found), len(known)) - 1]
        return next(iter(colours)) if len(colours) == 1 else UNKNOWN

    def begin_document(self) -> None:
        """Forget what the preamble did, except for the colour of the page."""
        self.found, self._start = [self.found[-1]], 0

    def set_all(self, colour: Colour) -> None:
        """Give all pages a colour, as a theme does."""
        self.found, self._next = [{colour}], colour

    def set(self, colour: Colour | None) -> None:
        """Give this page and the following ones a colour."""
        if self.has_text:
            for stretch in self.found[self._start :]:
                stretch.add(colour)
            self.found.append({colour})
        else:
            self.found[-1] = {colour}
        self._next = colour

    def turn(self) -> None:
        """Begin a new page."""
        if len(self.found) < _MOST_PAGES:
            self.found.append({self._next})
            self._start = len(self.found) - 1
            self.has_text = False


class Moves:
    """How far text was moved away from its place.

    `shift` is the move to the left in the line, in points. `sunk` text was moved above the page. Text that was moved
    to the right of the page is `stuck` there, as no line break comes before it, until the group at that depth ends.
    """

    def __init__(self) -> None:
        self.shift = 0.0
        self.is_sunk = False
        self.stuck: int | None = None

    def end_line(self) -> None:
        """Go back to the left margin."""
        self.shift, self.stuck = 0.0, None

    def end_page(self) -> None:
        """Go back to the top of a page."""
        self.end_line()
        self.is_sunk = False

    def end_group(self, depth: int, *, breaks: bool = False) -> None:
        """Drop a move to the right whose group has ended; `breaks`: or whose group allows a line break here."""
        if self.stuck is not None and depth < self.stuck + breaks:
            self.stuck = None

    def sink(self, move: float) -> None:
        """Move what follows up or down."""
        self.is_sunk = self.is_sunk or move <= -PAGE_HEIGHT

    def push(self, move: float, depth: int, *, is_stuck: bool) -> None:
        """Move what follows to the left or the right. `is_stuck`: a line break does not drop the move."""
        if move < 0 or self.shift < 0:
            self.shift = min(self.shift + move, 0.0)
        elif move >= OFF_PAGE and is_stuck:
            self.stuck = depth

    @property
    def is_over_text(self) -> bool:
        """Whether what follows lies over the text before it."""
        return self.shift < -_OVERLAP

    @property
    def veil(self) -> Visibility:
        """Whether text can be seen here, whatever its look."""
        if self.stuck is not None or self.is_sunk or self.shift <= -OFF_PAGE:
            return Visibility.HIDDEN
        return Visibility.DOUBTFUL if self.shift < -MAYBE_OFF_PAGE else Visibility.SHOWN
