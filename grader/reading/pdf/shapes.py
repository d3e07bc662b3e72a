"""Checks that the fonts of a PDF draw the characters that they claim to draw: a font may say `5` and show a 6.

A glyph is drawn large, described by the directions of its edges, and compared with the characters of common typefaces.
Only what is clearly another character counts, so that old-style figures, small capitals, typefaces of other styles and
letters drawn by hand are as good as any.
"""

import ctypes
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from itertools import repeat
from math import ceil, hypot
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.reading.pdf.characters import ADDRESS, Characters, address_of
from grader.reading.pdf.glyphs import frame_of
from grader.reading.visibility import Visibility

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Indices = NDArray[np.intp]
    Shapes = NDArray[np.float64]
    """A row for each glyph: a unit vector of how much of its edges runs in each direction, in each part of it."""

DIGITS: Final = "0123456789"
LETTERS: Final = "aegs"
"""The letters that are compared: frequent ones of which few look like another letter."""
_ALPHABET: Final = ascii_lowercase + LETTERS.upper()
"""What letters are compared with: a typeface may draw small letters as capitals."""
UNLIKE_DIGITS: Final = "acefhkmnpruvwxyAEFHKMNPRUVWXY"
"""The letters that no typeface draws like a digit."""
_SIGNS: Final = DIGITS + "".join(sorted({*_ALPHABET, *UNLIKE_DIGITS}))
"""All characters that glyphs are compared with."""
_FACES: Final = (
    "Helvetica",
    "Helvetica-Bold",
    "Helvetica-Oblique",
    "Times-Roman",
    "Times-Bold",
    "Times-Italic",
    "Times-BoldItalic",
    "Courier",
    "Courier-Bold",
    "Courier-Oblique",
)
"""The typefaces that PDFium brings along."""
_CERTAIN: Final = 0.05
"""A glyph that is nearer to another character by so much is that one. Of 2,970 digits in 99 fonts and three sizes, none
is nearer to another digit than to its own by more than 0.016; of those that were exchanged, 97 % are by 0.05."""
_NEAR: Final = 0.1
"""As near as this is a glyph to its character in nine of ten of those fonts."""
_DOUBTFUL: Final = 0.035
_NEARLY: Final = 0.15
_SAME: Final = 0.008
"""Glyphs that are so near to each other are one glyph."""
_FEWEST_LETTERS: Final = 3
_WRONG_LETTERS: Final = 0.7
"""Share of a font's letters: where so many are other letters, it is not known what the font shows."""
_FEWEST_RIGHT: Final = 2
"""With so many letters as the font says, the others cannot be such a share."""

_EM: Final = 48
"""In pixels, the size of a font as its glyphs are drawn: the largest at which PDFium keeps glyphs that it has drawn, so
that the other characters of a line are not drawn anew with each."""
_ROW: Final = 64
"""In pixels: characters that begin within so much of the page's height are drawn together."""
_LOWEST, _HEIGHT = 16, 36
"""In pixels: a glyph that would be smaller than the first, or larger than the font, is drawn as large as the second."""
_SIDE, _CELLS, _DIRECTIONS = 24, 5, 8
_NARROW: Final = 0.5
"""Of its height: a narrower glyph is not widened any further, so that a bar stays one."""
_FAINT: Final = 0.35
_MOST_GLYPHS: Final = 1_000
"""Of one document."""
_MOST_TRIED: Final = 200
"""Places of a glyph of which the first is taken that can be drawn."""
_CONFIRMED: Final = 3
"""Further places at which a glyph is looked at before it is called another character."""
_LARGEST: Final = 50_000
"""In pixels: no page is taken to be larger when a glyph of it is drawn."""
_THICKEST: Final = 2.0
"""In points, of a line."""
_SLANT: Final = 0.1
_FAINTEST: Final = 34
"""In levels of grey."""


def shapes_of(glyphs: Sequence["Picture"]) -> "Shapes":
    """The shapes of glyphs, given by pictures of their ink alone from 0 to 255; rows of zeros where there is none."""
    import numpy as np

    padded = np.zeros((len(glyphs), _SIDE + 4, _SIDE + 4), np.float32)
    for glyph, square in zip(glyphs, padded[:, 2:-2, 2:-2], strict=True):
        _fill(square, glyph)
    smooth = (padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]) / 4
    smooth = (smooth[:, :, :-2] + 2 * smooth[:, :, 1:-1] + smooth[:, :, 2:]) / 4
    down, across = np.gradient(smooth, axis=(1, 2))
    strength, direction = np.sqrt(across**2 + down**2), np.arctan2(down, across) / (2 * np.pi) * _DIRECTIONS
    off = np.abs(direction[:, None] - (np.arange(_DIRECTIONS, dtype=np.float32)[:, None, None] - _DIRECTIONS // 2))
    by_direction = strength[:, None] * np.maximum(1 - np.minimum(off, _DIRECTIONS - off), 0)
    weights = _weights(smooth.shape[1])
    found = weights @ by_direction @ weights.T
    flat = np.sqrt(found.reshape(len(glyphs), -1))
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-9))


@cache
def _weights(length: int) -> "Shapes":
    """Return how much each of some rows belongs to each cell of a glyph."""
    import numpy as np

    middles = (np.arange(length) + 0.5) / length * _CELLS - 0.5
    return np.asarray(np.clip(1 - np.abs(middles - np.arange(_CELLS)[:, None]), 0, 1), np.float32)


def _fill(square: "NDArray[np.float32]", glyph: "Picture") -> None:
    """Scale a glyph without the paper around it to a square."""
    dark = glyph > _FAINT * 255
    rows, columns = dark.any(1).tobytes(), dark.any(0).tobytes()
    if (top := rows.find(1)) < 0:
        return
    ink = glyph[top : rows.rfind(1) + 1, columns.find(1) : columns.rfind(1) + 1]
    height, width = ink.shape
    beside = max(int(height * _NARROW) - width, 0)
    across = _scaling(width + beside)[:, beside // 2 : beside // 2 + width]
    square[:] = _scaling(height) @ ink @ across.T


@cache
def _scaling(length: int) -> "NDArray[np.float32]":
    """Return how much of each of some pixels is in each of `_SIDE` that they are scaled to."""
    import numpy as np

    step = length / _SIDE
    distances = np.abs(np.arange(length) + 0.5 - step * (np.arange(_SIDE)[:, None] + 0.5)) / max(step, 1.0)
    weights = np.clip(1 - distances, 0, None)
    return np.asarray(weights / weights.sum(1, keepdims=True), np.float32)


@cache
def _references() -> "NDArray[np.float64]":
    """The shapes of `_SIGNS`, by character and typeface."""
    import numpy as np
    import pypdfium2
    import pypdfium2.raw as pdfium

    across, down = 60, 80
    with closing(pypdfium2.PdfDocument.new()) as pdf:
        page = pdf.new_page(across * len(_SIGNS), down * len(_FACES))
        for row, face in enumerate(_FACES):
            font = pdfium.FPDFText_LoadStandardFont(pdf, face.encode())
            for column, character in enumerate(_SIGNS):
                drawn = pdfium.FPDFPageObj_CreateTextObj(pdf, font, 40.0)
                pdfium.FPDFText_SetText(drawn, (ctypes.c_ushort * 2)(ord(character), 0))
                pdfium.FPDFPageObj_Transform(drawn, 1, 0, 0, 1, across * column + 12, down * (row + 1) - 55)
                pdfium.FPDFPage_InsertObject(page, drawn)
            pdfium.FPDFFont_Close(font)
        pdfium.FPDFPage_GenerateContent(page)
        with closing(page.render(scale=1, grayscale=True)) as bitmap:
            ink = 255 - bitmap.to_numpy()
    table = ink.reshape(len(_FACES), down, len(_SIGNS), across)[::-1]
    cells = [table[row, :, column] for column in range(len(_SIGNS)) for row in range(len(_FACES))]
    return np.asarray(shapes_of(cells).reshape(len(_SIGNS), len(_FACES), -1))


def draw_references() -> None:
    """Draw what glyphs are compared with, so that processes forked from this one need not."""
    _references()


class Misread(NamedTuple):
    """The characters of a page, by their indices, that are other ones than the file says: those that certainly are, and
    those that may be."""

    certain: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()


_FONT_OF: Final = ctypes.CFUNCTYPE(ADDRESS, ADDRESS)
_BOX_OF: Final = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.c_int, *[ADDRESS] * 4)
"""Signatures with bare addresses: cheaper than pypdfium2's own."""


class _Glyph(NamedTuple):
    """A glyph of a document: its font's address, the character that it stands for, and its proportions, since several
    glyphs of a font may stand for one character; those of letters are not told apart."""

    font: int
    code: int
    proportions: tuple[int, ...] = ()


class Fonts(ExitStack):
    """Compares the glyphs of one open document with what its fonts say, each once. It keeps the pages open whose fonts
    it knows, lest another font takes the address of one of them."""

    def __init__(self) -> None:
        super().__init__()
        self._digits: dict[_Glyph, Visibility] = {}
        self._shapes: dict[_Glyph, Shapes] = {}
        self._letters: dict[int, dict[int, bool]] = {}

    @contextmanager
    def page(self, page: Any) -> Iterator[Any]:
        """An open page. It is closed afterwards unless a font of it has become known."""
        known_count = self._count()
        try:
            yield page
        finally:
            if self._count() > known_count:
                self.callback(page.close)
            else:
                page.close()

    def misread(
        self,
        page: Any,
        text_page: Any,
        characters: Characters,
        unread: Collection[int],
        objects: Mapping[int, int],
    ) -> Misread:
        """The characters of a page that are other ones than the file says, among all that are not `unread`. `objects`
        are those of the page, with their kinds."""
        import numpy as np

        codes, drawn_by, _ = characters
        is_seen = drawn_by > 0
        is_seen[list(unread)] = False
        seen = np.flatnonzero(is_seen)
        fonts = _fonts_of(drawn_by[seen])
        is_figure, is_letter = (np.isin(codes[seen], [ord(text) for text in some]) for some in (DIGITS, LETTERS))
        figures = seen[is_figure]
        digits = _places(figures, fonts[is_figure], codes[figures], _proportions(text_page, figures, characters))
        letters = _places(seen[is_letter], fonts[is_letter], codes[seen[is_letter]])
        new = {candidate: places for candidate, places in digits.items() if candidate not in self._digits}
        first = {**new, **self._open(letters, _FEWEST_RIGHT)}
        if first and self._count() < _MOST_GLYPHS:
            with without_rules(objects):
                drawer = _Drawer(page, text_page)
                self._look_at(drawer, first)
                self._look_at(drawer, self._open(letters, len(LETTERS)))
        found: dict[Visibility, set[int]] = {kind: set() for kind in Visibility}
        for glyph, places in digits.items():
            if kind := self._digits.get(glyph):
                found[kind].update(places)
        if scrambled := [font for font, letter_marks in self._letters.items() if _is_scrambled(letter_marks)]:
            found[Visibility.DOUBTFUL].update(seen[np.isin(fonts, scrambled)].tolist())
        certain = found[Visibility.HIDDEN]
        return Misread(frozenset(certain), frozenset(found[Visibility.DOUBTFUL] - certain))

    def _count(self) -> int:
        return len(self._digits) + sum(map(len, self._letters.values()))

    def _open(self, letters: Mapping[_Glyph, Sequence[int]], most: int) -> dict[_Glyph, Sequence[int]]:
        """Return those of some letters that may still tell what their fonts show, `most` of each font."""
        found: dict[int, list[_Glyph]] = {}
        for letter in letters:
            known_codes = self._letters.get(letter.font, {})
            if letter.code not in known_codes and list(known_codes.values()).count(False) < _FEWEST_RIGHT:
                found.setdefault(letter.font, []).append(letter)
        return {glyph: letters[glyph] for several in found.values() for glyph in several[:most]}

    def _look_at(self, drawer: "_Drawer", new: Mapping[_Glyph, Sequence[int]]) -> None:
        """Learn what glyphs show from where they first stand."""
        first = {
            candidate: next(filter(drawer.place, places[:_MOST_TRIED]), places[0]) for candidate, places in new.items()
        }
        inks = drawer.inks(first.values())
        drawn = {candidate: inks[at] for candidate, at in first.items() if at in inks}
        if not drawn:
            return
        shapes = shapes_of(list(drawn.values()))
        for glyph, shape, kind in zip(
            drawn, shapes, _kinds(shapes, [chr(candidate.code) for candidate in drawn]), strict=True
        ):
            if kind is not Visibility.SHOWN:  # unless something else stands there, too
                again = list(drawer.inks(new[glyph][-_CONFIRMED:]).values())
                kind = min(_kinds(shapes_of(again), [chr(glyph.code)] * len(again))) if again else kind
            if glyph.proportions:
                self._digits[glyph], self._shapes[glyph] = kind, shape
            else:
                self._letters.setdefault(glyph.font, {})[glyph.code] = kind is Visibility.HIDDEN
        for glyph in drawn:
            self._compare(glyph)

    def _compare(self, digit: _Glyph) -> None:
        """Mark a digit as wrong if it looks the same as another one of its font, and less like itself."""
        for other in [glyph for glyph in self._shapes if glyph.font == digit.font and glyph.code != digit.code]:
            if digit in self._shapes and 1 - float(self._shapes[digit] @ self._shapes[other]) < _SAME:
                worse = max(digit, other, key=lambda it: _distances(self._shapes[it])[_SIGNS.index(chr(it.code))])
                self._digits[worse] = Visibility.HIDDEN


def _is_scrambled(letters: Mapping[int, bool]) -> bool:
    """Whether a font shows other letters than it says, by those of its letters that were looked at."""
    return len(letters) >= _FEWEST_LETTERS and sum(letters.values()) >= _WRONG_LETTERS * len(letters)


def _distances(shapes: "Shapes") -> "Shapes":
    """Return how far shapes are from each of `_SIGNS`: 0 for one of them, 1 for nothing in common."""
    import numpy as np

    alike = shapes @ _references().swapaxes(1, 2)  # in products too small for several threads, which would wait busily
    return np.asarray(1 - alike.max(-1).T)


def _kinds(shapes: "Shapes", characters: Sequence[str]) -> list[Visibility]:
    """SHOWN for each glyph that may be its character, HIDDEN for one that is another."""
    import numpy as np

    distances = _distances(shapes)
    is_digit = np.array([[character in DIGITS] for character in characters])
    among_digits, among_letters = (
        np.array([text in some for text in _SIGNS]) for some in (DIGITS + UNLIKE_DIGITS, _ALPHABET)
    )
    is_own = np.array([text.casefold() for text in _SIGNS]) == np.array(characters)[:, None]
    distances[~np.where(is_digit, among_digits, among_letters)] = np.inf
    own_distance, other = (np.where(some, distances, np.inf).min(1) for some in (is_own, ~is_own))
    nearer = np.where(shapes.any(1), own_distance - other, 0.0)  # nothing can be said of nothing
    is_other = (nearer >= _CERTAIN) & (other <= _NEAR)
    may_be = (nearer >= _DOUBTFUL) & (other <= _NEARLY)
    kinds = np.where(is_other, Visibility.HIDDEN, np.where(may_be, Visibility.DOUBTFUL, Visibility.SHOWN))
    return [Visibility(kind) for kind in kinds.tolist()]


def _fonts_of(owners: "Indices") -> "Indices":
    """The addresses of the fonts of text objects, given by theirs."""
    import numpy as np
    import pypdfium2.raw as pdfium

    font_of = ctypes.cast(pdfium.FPDFTextObj_GetFont, _FONT_OF)
    objects, numbers = np.unique(owners, return_inverse=True)
    return np.array([font_of(entry) or 0 for entry in objects.tolist()], np.int64)[numbers]


def _proportions(text_page: Any, some: "Indices", characters: Characters) -> "Indices":
    """The width and the height of what characters draw, in twelfths of the height of their font."""
    import numpy as np

    sides = _inks(text_page, some.tolist())
    units = np.maximum(np.abs(characters.boxes[1, some] - characters.boxes[3, some]), 1e-3) / 12
    extents = (sides[:, [1, 3]] - sides[:, [0, 2]]) / units[:, None]
    return np.asarray(np.rint(np.clip(extents, -999, 999)), np.intp)


def _inks(text_page: Any, some: Sequence[int]) -> "NDArray[np.float64]":
    """A row for each of some characters with what it draws: left, right, bottom, top, in the page's own coordinates."""
    import numpy as np
    import pypdfium2.raw as pdfium

    page, box_of = address_of(text_page.raw), ctypes.cast(pdfium.FPDFText_GetCharBox, _BOX_OF)
    sides = np.zeros((len(some), 4))
    start, end = sides.ctypes.data, sides.ctypes.data + sides.nbytes
    places = (range(start + 8 * side, end + 8 * side, 32) for side in range(4))
    deque(map(box_of, repeat(page), some, *places), maxlen=0)
    return sides


def _places(some: "Indices", *columns: "Indices") -> dict[_Glyph, list[int]]:
    """Characters by their glyphs, which are given by their columns."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for at, font, code, *proportions in zip(some.tolist(), *(column.tolist() for column in columns), strict=True):
        found.setdefault((font, code, *map(tuple, proportions)), []).append(at)
    return {_Glyph(*key): places for key, places in found.items()}


@contextmanager
def without_rules(objects: Mapping[int, int]) -> Iterator[None]:
    """While the lines among a page's objects are not drawn: one that strikes a digit out makes another one of it."""
    import pypdfium2.raw as pdfium

    rules = []
    sides = [ctypes.c_float() for _ in range(4)]
    for address, kind in objects.items():
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            drawn = ctypes.cast(address, pdfium.FPDF_PAGEOBJECT)
            pdfium.FPDFPageObj_GetBounds(drawn, *sides)
            left, bottom, right, top = (side.value for side in sides)
            if min(right - left, top - bottom) <= _THICKEST:
                rules.append(drawn)
    for rule in rules:
        pdfium.FPDFPageObj_SetIsActive(rule, False)
    try:
        yield
    finally:
        for rule in rules:
            pdfium.FPDFPageObj_SetIsActive(rule, True)


class _Place(NamedTuple):
    """The place of a character drawn at a scale, in pixels from the page's top left corner, and the quarter turns to
    the left that set it upright."""

    scale: float
    left: int
    top: int
    right: int
    bottom: int
    turns: int


class _Drawer:
    """Draws single characters of one page."""

    def __init__(self, page: Any, text_page: Any) -> None:
        self._page, self._text_page = page, text_page
        self._width, self._height = page.get_size()
        self._frame = frame_of(page, self._width, self._height)
        self._places: dict[int, _Place | None] = {}

    def inks(self, some: Iterable[int]) -> "dict[int, Picture]":
        """The ink of characters, upright, from 0 to 255, without those that stand at an angle, are mirrored or show
        nothing. Those of a line are drawn together."""
        import numpy as np

        rows: dict[tuple[float, int], dict[int, _Place]] = {}
        for at in some:
            if (place := self.place(at)) is not None:
                rows.setdefault((place.scale, place.top // _ROW), {})[at] = place
        found: dict[int, Picture] = {}
        for (scale, _), places in rows.items():
            left, top = (
                min(evidence.left for evidence in places.values()),
                min(evidence.top for evidence in places.values()),
            )
            right, bottom = (
                max(evidence.right for evidence in places.values()),
                max(evidence.bottom for evidence in places.values()),
            )
            row = self._drawn(scale, (left, top, right, bottom))
            for at, place in places.items():
                pixels = row[place.top - top : place.bottom - top, place.left - left : place.right - left]
                ink = np.abs(pixels.astype(np.int16) - int(pixels[0, 0]))
                if (darkest := int(ink.max())) >= _FAINTEST:
                    found[at] = np.rot90((ink * 255 // darkest).astype(np.uint8), place.turns)
        return found

    def _drawn(self, scale: float, box: tuple[int, int, int, int]) -> "Picture":
        """A part of the page in levels of grey."""
        import numpy as np
        import pypdfium2.raw as pdfium

        left, top, right, bottom = box
        across, down = right - left, bottom - top
        pixels = np.full((down, across), 255, np.uint8)
        size = (round(self._width * scale), round(self._height * scale))
        bitmap = pdfium.FPDFBitmap_CreateEx(across, down, pdfium.FPDFBitmap_Gray, pixels.ctypes.data, across)
        pdfium.FPDF_RenderPageBitmap(bitmap, self._page, -left, -top, *size, 0, pdfium.FPDF_GRAYSCALE)
        pdfium.FPDFBitmap_Destroy(bitmap)
        return pixels

    def place(self, at: int) -> _Place | None:
        """Return the place of a character; None unless it is upright, or at a right angle, on the page."""
        if at not in self._places:
            self._places[at] = self._place(at)
        return self._places[at]

    def _place(self, at: int) -> _Place | None:
        import pypdfium2.raw as pdfium

        left, right, bottom, top = _inks(self._text_page, [at])[0].tolist()
        x0, y0, x1, y1 = self._frame.box(left, bottom, right, top)
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._text_page, at, matrix)
        is_straight = min(abs(matrix.a), abs(matrix.b)) < _SLANT * max(abs(matrix.a), abs(matrix.b))
        is_mirrored = matrix.a * matrix.d < matrix.b * matrix.c
        is_on_page = -1 < x0 < x1 < self._width + 1 and -1 < y0 < y1 < self._height + 1
        if is_mirrored or not (is_straight and is_on_page):
            return None
        side = max(x1 - x0, y1 - y0)
        em = pdfium.FPDFText_GetFontSize(self._text_page, at) * hypot(matrix.c, matrix.d)
        of_font = _EM / max(em, 1e-3)
        scale = of_font if _LOWEST <= of_font * side <= _EM else _HEIGHT / side
        scale = round(min(scale, _LARGEST / max(self._width, self._height)), 4)
        across, down = ceil((x1 - x0) * scale) + 2, ceil((y1 - y0) * scale) + 2
        x, y = round(x0 * scale) - 1, round(y0 * scale) - 1
        return _Place(scale, x, y, x + across, y + down, _TURNS[self._frame.direction(matrix.a, matrix.b)])


_TURNS: Final = {(1, 0): 0, (0, 1): 1, (-1, 0): 2, (0, -1): 3}
"""Quarter turns to the left that set text of a direction upright."""
