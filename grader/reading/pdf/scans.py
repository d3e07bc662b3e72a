"""Pages and figures of a PDF that are only pictures, read by Tesseract.

The page is drawn as a person sees it, turned upright, and the rules of its tables are found and taken out. What
Tesseract reads becomes characters with places, of which the same code makes lines and tables as of printed text. Signs
that it knows badly are looked at once more: powers, `±`. A word that is too small or too pale to be seen is left out.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from io import BytesIO
from math import cos, radians, sin
from statistics import median
from string import digits
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.language import lexicon
from grader.language.folding import fold_text
from grader.reading.document import Box, RepairKind
from grader.reading.pdf.annotations import page_with_annotations
from grader.reading.pdf.characters import Mark
from grader.reading.pdf.drawings import Drawings
from grader.reading.pdf.glyphs import ASCENT, DESCENT, Glyph, bounding_box
from grader.reading.tesseract import Failure, TextLine, Word, lines_in
from grader.reading.visibility import Ink, Visibility

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Grey = NDArray[np.uint8]
    Mask = NDArray[np.bool_]

MOST_SCANNED: Final = 20
"""Of one document: so many pages without text are read."""
_SCALE: Final = 300 / 72
"""Pixels to the point: Tesseract reads print of usual size best at 300 to the inch."""
_MOST_PIXELS: Final = 9_500_000
_SMALLEST_SIDE: Final = 24.0
FORMATS: Final = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")
"""Of pictures that are decoded, as Pillow calls them."""
MOST_PIXELS: Final = 40_000_000
"""Of a picture as it was handed in."""
_OF_SCREEN: Final = 110 / 72
_WIDEST_SCREEN: Final = 2_000
"""Pixels to the point of a picture of a screen; a picture of more pixels across is scanned or photographed."""
_WHITE: Final = 255
_DARK: Final = 64
"""Levels of 255 by which ink differs from the paper around it."""
_INK: Final = 128
"""Darker pixels are ink, once the ground is white."""
_PATCH: Final = 48
_PAPER: Final = 70
"""Pixels to the side of a patch whose ground is one, and the percentile of its levels that is the ground's."""
_DARK_GROUND: Final = 100
_BLACKEST, _PALEST = 40, 225
"""Levels of 255: what is dark on light and light on dark; and from where to where ink fades."""
_DARKER: Final = bytes(int(_WHITE * (level / _WHITE) ** 1.6) for level in range(_WHITE + 1))
"""The levels of grey that Tesseract sees: thin strokes are pale in a scan."""
_SURE, _FAIR = 80, 45
"""Of 100: figures and denials that are read with less confidence are marked, and other words."""

_STEEPEST: Final = 5.0
"""In degrees, to either side."""
_STEPS: Final = (0.5, 0.1, 0.02)
_MOST_POINTS: Final = 60_000
_LEVEL: Final = 0.05
"""In degrees: a page that is turned by less is left as it is."""

_LONG: Final = 30.0
_TALL: Final = 20.0
"""In points: a rule is at least so long, or so high; no letter of running text is."""
_THICK: Final = 3.0
"""In points."""
_SOLID: Final = 0.95
_TOUCHING: Final = 3
"""Pixels between pieces of one rule."""
_MOST_RUNS: Final = 2_500
_LAST_RUNS: Final = 20

_SMALL_LETTERS: Final = 0.45
_FIGURES: Final = 0.69
_DEPTH: Final = 0.2
"""In em: how high small letters, and figures and capitals, are; how deep others go."""
_HIGH: Final = frozenset("bdfhklt!?%&/'\"()[]{}|@#éèêàâîïôûùç")
_DEEP: Final = frozenset("gjpqy,;()[]{}|@Qç")
_ALIKE, _ALIKE_BESIDE = 0.15, 0.6
_IN_PART: Final = 0.1
"""Sizes of a page that differ by less are one."""
_BULLET: Final = 0.42
_BELOW: Final = 0.1
_CAPITAL: Final = 0.85
"""In em: where capital letters end at the latest below the baseline, and how high they are at most."""
_WORDS_OF_COLUMN: Final = 4
_LINES_OF_COLUMNS: Final = 8
"""Lines that stand side by side are of columns of text where there are so many, most of them of so many words."""
_MOST_OF_COLUMNS: Final = 0.6
_ROWS_OF_COLUMNS: Final = 60
_GUTTER: Final = 4
"""In steps of two points: the least height of columns, and the room between them."""
_RAISED: Final = 0.15
"""In em: how high above the baseline a power ends at least."""
_LOWER: Final = 0.85
"""Of the height of the figures before it: a power is lower."""
_FULL: Final = 0.75
"""Of its width: the flat lines of a sign fill so much."""
_DENSE: Final = 0.7
"""Of its box: a dot is about as wide as high and fills so much."""
_LEAST_CROSS: Final = 6
"""Pixels."""

_NEAR: Final = 3
"""Pixels around a word in which ink is its own."""
_LETTER, _GAP = 0.8, 0.15
"""Of a word's height: no letter reaches further out of its box, and words stand further apart."""
_BEHIND: Final = 3.0
_MOST_UNREAD: Final = 0.03
"""In em, and in square em."""
_MIDDLE: Final = 0.3
"""Of its height: so far from top and foot of a word runs a line that strikes it out."""
_BARS: Final = frozenset("|!lI[]¦")
_DASHES, _UNSURE = frozenset("-_–—"), 10
"""A dash alone that is read with less confidence than this, of 100, is none."""
_LOWEST_BAR, _HIGHEST_BAR = 0.4, 1.15
"""In em; one that is written is as high as a letter or a bracket."""
_POINT: Final = 0.25
"""In em: a point or comma is lower above its line."""
_NARROWEST, _WIDEST = 0.6, 1.6
"""How wide a dot is, as a share of its height."""
_SIGNS: Final = "+-=xX~—–«»¢"
"""What Tesseract takes signs of arithmetic for."""
_OF_NUMBER: Final = frozenset("0123456789.")
_WITH_FIGURES: Final = ".,%+-()[]"
_FOR_FIGURES: Final = str.maketrans("@OoQlI|", "0000111")


class Scan(NamedTuple):
    """The characters and rules that are read on a page or in a figure, in points on the page once it is turned upright
    by `degrees` around `centre`."""

    glyphs: list[Glyph]
    drawings: Drawings
    degrees: float = 0.0
    centre: tuple[float, float] = (0.0, 0.0)

    def on_page(self, box: Box) -> Box:
        """Return the place of a box on the page as it is shown."""
        if not self.degrees:
            return box
        (x, y), turn = self.centre, radians(self.degrees)
        left, top, right, bottom = box
        corners = [(a - x, b - y) for a in (left, right) for b in (top, bottom)]
        points = [(x + a * cos(turn) - b * sin(turn), y + a * sin(turn) + b * cos(turn)) for a, b in corners]
        return bounding_box([(a, b, a, b) for a, b in points])


def scanned_page(pdf: Any, number: int, place: Box | None = None) -> Scan | Failure:
    """Return what Tesseract reads on a page, counted from 1, of an open pypdfium2 document, or in one place of it.
    Raises PdfiumError when the page is damaged."""
    return _scan(*_drawn(pdf, number, place), *(place or (0.0, 0.0))[:2])


def scanned_picture(content: bytes) -> tuple[Scan, float, float] | Failure:
    """Return what Tesseract reads in the bytes of a picture, and its width and height, in points as if it were print:
    letters on a screen have fewer pixels."""
    import numpy as np
    from PIL import Image

    try:
        with Image.open(BytesIO(content), formats=FORMATS) as opened:
            width, height = opened.size
            if width * height > MOST_PIXELS:
                return Failure.TOO_MUCH
            shown = opened.convert("RGBA")
            flat = Image.alpha_composite(Image.new("RGBA", shown.size, "white"), shown).convert("L")
    except Exception:  # decoders of pictures raise errors of any kind for damaged ones
        return Failure.DAMAGED
    dots = _OF_SCREEN if width < _WIDEST_SCREEN else _SCALE
    wanted = max(_SCALE / dots, 1.0)
    by = min(wanted, (_MOST_PIXELS / (width * height)) ** 0.5)
    grey = np.asarray(flat.resize((max(round(width * by), 1), max(round(height * by), 1)), Image.Resampling.BICUBIC))
    scan = _scan(grey, dots * by, 0.0, 0.0)
    return scan if isinstance(scan, Failure) else (scan, width / dots, height / dots)


def _scan(grey: "Grey", scale: float, left: float, top: float) -> Scan | Failure:
    """Return what Tesseract reads in levels of grey with so many pixels to the point, whose corner stands at some
    place."""
    height, width = grey.shape
    if min(height, width) < _SMALLEST_SIDE or int(grey.max()) - int(grey.min()) < _DARK:
        return Scan([], _drawings([], []))
    degrees = _slope(_on_white(grey[::2, ::2]) < _INK)
    degrees = 0.0 if abs(degrees) < _LEVEL else degrees
    upright = _turned(grey, degrees) if degrees else grey
    clean = _on_white(upright)
    rules, uprights = _without_rules(clean, scale)
    ink = clean < _INK
    picture = b"P5 %d %d 255\n" % (width, height) + clean.tobytes().translate(_DARKER)
    found = lines_in(picture, in_columns=_has_columns(ink, scale))
    if isinstance(found, Failure):
        return found
    glyphs = list(_glyphs(found, _Picture(upright, ink, rules), scale, left, top))
    flat, standing = (
        [(left + a / scale, top + b / scale, left + c / scale, top + d / scale) for a, b, c, d in boxes]
        for boxes in (rules, uprights)
    )
    centre = left + width / scale / 2, top + height / scale / 2
    return Scan(glyphs, _drawings(flat, standing), degrees, centre)


def _drawings(rules: list[Box], uprights: list[Box]) -> Drawings:
    return Drawings(rules, uprights, [], [], [], [], [], [], [])


def _drawn(pdf: Any, number: int, place: Box | None) -> tuple["Grey", float]:
    """A page, or a place on it, in levels of grey as it is shown, and the number of pixels in a point."""
    with closing(page_with_annotations(pdf, number).page) as page:
        width, height = page.get_size()
        left, top, right, bottom = place or (0.0, 0.0, width, height)
        area = max((right - left) * (bottom - top), 1.0)
        scale = min(_SCALE, (_MOST_PIXELS / area) ** 0.5)
        margins = (left, height - bottom, width - right, top)
        bitmap = page.render(scale=scale, crop=margins, grayscale=True, may_draw_forms=False, draw_annots=False)
        with closing(bitmap):
            return bitmap.to_numpy().reshape(bitmap.height, -1)[:, : bitmap.width].copy(), scale


def _on_white(grey: "Grey") -> "Grey":
    """The picture with its ink dark on white, whatever the grounds are: the grey or dark of a listing, a shadow."""
    import numpy as np
    from PIL import Image

    height, width = grey.shape
    rows, columns = -(-height // _PATCH), -(-width // _PATCH)
    whole = np.pad(grey, ((0, rows * _PATCH - height), (0, columns * _PATCH - width)), mode="edge")
    patches = whole.reshape(rows, _PATCH, columns, _PATCH).swapaxes(1, 2).reshape(rows, columns, -1)
    paper = Image.fromarray(np.percentile(patches[:, :, ::7], _PAPER, axis=2).astype(np.uint8))
    grounds = np.asarray(paper.resize((columns * _PATCH, rows * _PATCH), Image.Resampling.BILINEAR))[:height, :width]
    is_dark = grounds < _DARK_GROUND
    light, ground = (np.where(is_dark, _WHITE - entry, entry).astype(np.float32) for entry in (grey, grounds))
    levels = (light / ground * _WHITE - _BLACKEST) * (_WHITE / (_PALEST - _BLACKEST))
    clean: Grey = np.clip(levels, 0, _WHITE).astype(np.uint8)
    return clean


def _has_columns(ink: "Mask", scale: float) -> bool:
    """Whether two columns of text may stand side by side: a room between them that nothing crosses in most rows, and
    ink on both sides of it in most."""
    import numpy as np

    step = max(round(2 * scale), 1)
    height, width = (side // step * step for side in ink.shape)
    squares = ink[:height, :width].reshape(height // step, step, width // step, step)
    cells: Mask = np.logical_or.reduce(np.logical_or.reduce(squares, axis=3), axis=1)
    cells = cells[_used(cells, 1)]
    used = np.flatnonzero(_used(cells, 0))
    if len(cells) < _ROWS_OF_COLUMNS:
        return False
    first, last = int(used[0]), int(used[-1]) + 1
    low, high = first + (last - first) * 35 // 100, first + (last - first) * 65 // 100
    free = [1 - float(_used(cells[:, x : x + _GUTTER], 1).mean()) for x in range(low, high)]
    if not free or max(free) < _MOST_OF_COLUMNS:
        return False
    gutter = low + free.index(max(free))
    both = _used(cells[:, :gutter], 1) & _used(cells[:, gutter + _GUTTER :], 1)
    return float(both.mean()) >= _MOST_OF_COLUMNS


def _slope(ink: "Mask") -> float:
    """Return how far lines of text fall to the right, in degrees: the slope by which the ink lies in rows most
    clearly."""
    import numpy as np

    rows, columns = np.nonzero(ink)
    if len(rows) == 0:
        return 0.0
    step = max(len(rows) // _MOST_POINTS, 1)
    rows, columns = rows[::step].astype(float), columns[::step].astype(float)

    def clearness(degrees: float) -> float:
        heights = np.round(rows - columns * np.tan(np.radians(degrees))).astype(int)
        counts = np.bincount(heights - heights.min())
        return float(np.square(counts.astype(float)).sum())

    best, reach = 0.0, _STEEPEST
    for step_size in _STEPS:
        count = round(reach / step_size)
        best = max((best + step_size * at for at in range(-count, count + 1)), key=clearness)
        reach = step_size
    return best


def _turned(grey: "Grey", degrees: float) -> "Grey":
    """The picture turned upright, whose lines fall by some degrees."""
    import numpy as np
    from PIL import Image

    paper = int(np.median(grey[::4, ::4]))
    turned = Image.fromarray(grey).rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=paper)
    return np.array(turned)


def _without_rules(grey: "Grey", scale: float) -> tuple[list[Box], list[Box]]:
    """The flat and the upright rules in a picture, in pixels, which are painted over in it."""
    ink = grey < _INK
    flat = _rules(ink, round(_LONG * scale), _THICK * scale)
    upright = _rules(ink.T, round(_TALL * scale), _THICK * scale)
    for picture, rules in ((grey, flat), (grey.T, upright)):
        for row, left, right in (run for rule in rules for run in rule):
            picture[max(row - 1, 0) : row + 2, max(left - 1, 0) : right + 1] = _WHITE
    return list(map(_box, flat)), [(top, left, bottom, right) for left, top, right, bottom in map(_box, upright)]


_Run = tuple[int, int, int]
"""A row, and the columns from and to which ink fills it."""


def _box(rule: Sequence[_Run]) -> Box:
    rows, lefts, rights = zip(*rule, strict=True)
    return min(lefts), min(rows), max(rights), max(rows) + 1


def _rules(ink: "Mask", length: int, thick: float) -> list[list[_Run]]:
    """Thin lines of ink along the rows, each at least so long, as runs that touch each other."""
    found: list[list[_Run]] = []
    for run in _solid_runs(ink, length):
        near = [rule for rule in found if _touches(rule, run)]
        rest = [rule for rule in found if not any(rule is part for part in near)]
        found = [*rest, [*(part for rule in near for part in rule), run]]
    return [rule for rule in found if rule[-1][0] - rule[0][0] < thick]


def _solid_runs(ink: "Mask", length: int) -> list[_Run]:
    """Return the runs that ink fills along the rows for at least `length` pixels; none of it in a photograph, or a page
    that is mostly black."""
    import numpy as np

    if ink.shape[1] <= length:
        return []
    sums = np.cumsum(ink, axis=1, dtype=np.int32)
    solid = sums[:, length:] - sums[:, :-length] >= _SOLID * length
    found = []
    for row in np.flatnonzero(_used(solid, 1)).tolist():
        found += [(row, start, end + length) for start, end in _runs(solid[row])]
        if len(found) > _MOST_RUNS:
            return []
    return found


def _touches(rule: Sequence[_Run], run: _Run) -> bool:
    """Whether a run goes on with a rule above it."""
    row, left, right = run
    return row - rule[-1][0] <= _TOUCHING and any(
        left <= end + _TOUCHING and start <= right + _TOUCHING for _, start, end in rule[-_LAST_RUNS:]
    )


class _Picture(NamedTuple):
    """A picture turned upright: its levels of grey, its ink without rules, and the flat rules, in pixels."""

    grey: "Grey"
    ink: "Mask"
    rules: list[Box]


def _glyphs(found: Sequence[TextLine], picture: _Picture, scale: float, left: float, top: float) -> Iterator[Glyph]:
    """The words that can be seen as characters in points."""
    unread = _unread(found, picture)
    sure_words = _sure_words(found)
    for line, em in _in_order(found):
        baseline = _height(line)
        is_whole = _is_whole(line, unread, baseline, em)
        for before, word in zip((None, *line.words), line.words, strict=False):
            if not _is_seen(word, picture.grey, em / scale) or _is_border(word, picture.ink, em):
                continue
            is_intact = is_whole and not _is_struck_out(word, picture.rules)
            for text, start, end, is_raised in _parts(word, picture.ink, baseline, em, is_first=word is line.words[0]):
                is_told = len(text) == 1 and text != word.text  # by its shape
                begin = _begin(before, word, start, em)
                is_sure = is_intact and (is_told or _is_known(word, sure_words))
                size, foot = (0.7 * em, baseline - 0.33 * em) if is_raised else (em, baseline)
                yield Glyph(
                    text,
                    left=left + begin / scale,
                    top=top + (foot - ASCENT * size) / scale,
                    right=left + end / scale,
                    bottom=top + (foot + DESCENT * size) / scale,
                    baseline=top + foot / scale,
                    size=size / scale,
                    spaced=begin == word.box[0],
                    marks=() if is_sure else (Mark(RepairKind.RECOGNISED, 0, len(text)),),
                )


def _begin(before: Word | None, word: Word, start: int, em: float) -> int:
    """Return where a part of a word begins that is drawn from `start` on. Ink leaves more room than the places of
    characters, by which formulas are judged."""
    if before is None or start != word.box[0]:
        return start
    gap = (word.box[0] - before.box[2]) / em
    if gap < _BETWEEN_GROUPS and _is_in_group(before, word):
        return before.box[2]
    return round(before.box[2] + _SHOWN_THIN * em) if gap < _THIN and _is_decimal(before, word) else start


def _is_decimal(before: Word, word: Word) -> bool:
    """Whether a word may be digits behind a decimal comma."""
    return before.text[-1:] == "," and before.text[-2:-1].isdigit() and word.text[:1].isdigit()


def _is_in_group(before: Word, word: Word) -> bool:
    """Whether a word may go on with a number whose figures stand in groups of three, some of which were not parted:
    `1050 624` for `1 050 624`."""
    first = before.text[len(before.text.rstrip(digits)) :]
    last = word.text[: len(word.text) - len(word.text.lstrip(digits))]
    return 0 < len(last) == 3 * (len(last) // 3) and bool(first) and first[0] != "0" and max(len(first), len(last)) > 3


_THIN, _SHOWN_THIN, _BETWEEN_GROUPS = 0.34, 0.17, 0.45
"""In em: the room behind a comma in a formula, between the ink of both signs, is smaller than the first; between their
places it is the second. The room between groups of figures is smaller than the third."""


def _is_known(word: Word, sure_words: frozenset[str]) -> bool:
    """Whether a word is read with confidence, or is one that the page shows clearly elsewhere, behind an article
    without its vowel, too, or has letters alone and is read with some confidence: misread, it would be no word, which
    proves nothing. Numbers and signs are never known so: one for another makes sense, too. Nor is what resembles a
    denial. Tesseract has little confidence in any word behind an article without its vowel."""
    bare = _bare(word)
    _, elided, behind = bare.rpartition("'")
    is_elsewhere = len(behind) > 1 and behind.isalpha() and not sure_words.isdisjoint((bare, behind))
    if word.confidence >= _SURE or is_elsewhere:
        return True
    return (word.confidence >= _FAIR or bool(elided and len(behind) >= _LONG_WORD)) and _has_letters_alone(bare)


def _has_letters_alone(bare: str) -> bool:
    """Whether a word consists of letters, with signs between them, and neither is nor resembles a denial."""
    letters = "".join(sign for sign in bare if sign not in _WITHIN_WORDS)
    if len(letters) < 2 or not letters.isalpha() or not _DENIALS.isdisjoint(bare.split("'")):
        return False
    return not any(_is_alike(fold_text(letters), denial) for denial in _DENIALS)


def _is_alike(word: str, other: str) -> bool:
    """Whether two words differ by one letter at most: another one, one too many or one missing."""
    return abs(len(word) - len(other)) < 2 and not _shortened(word).isdisjoint(_shortened(other))


def _shortened(word: str) -> set[str]:
    """Return a word, and what is left of it without one of its letters."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _sure_words(found: Sequence[TextLine]) -> frozenset[str]:
    """The words that are read with confidence."""
    return frozenset(_bare(word) for line in found for word in line.words if word.confidence >= _SURE)


def _bare(word: Word) -> str:
    """A word in small letters without the signs around it."""
    return word.text.replace("’", "'").casefold().strip(_AROUND_WORDS)


_AROUND_WORDS: Final = ".,;:!?()[]{}\"'“”«»•|—–-"
_LONG_WORD: Final = 5
_WITHIN_WORDS: Final = ".,;:'()[]{}/_-"
_DENIALS: Final = frozenset(
    fold_text(denial).replace("'", "").replace("/", "") for denial in lexicon.words("negation", "half_negation")
)


def _in_order(found: Sequence[TextLine]) -> list[tuple[TextLine, float]]:
    """The lines with their em, as they would be drawn: column by column where columns of text stand side by side, else
    row by row, as the columns of a table are no columns of the page."""
    lines = list(zip(found, _sizes(found), strict=True))
    if _are_columns([line for line in found if any(_is_beside(line, other) for other in found)]):
        return lines
    rows: list[list[tuple[TextLine, float]]] = []
    for line, em in sorted(lines, key=lambda entry: _height(entry[0])):
        if not rows or _height(line) - _height(rows[-1][0][0]) >= em / 2:
            rows.append([])
        rows[-1].append((line, em))
    return [entry for row in rows for entry in sorted(row, key=lambda entry: entry[0].box[0])]


def _are_columns(beside: Sequence[TextLine]) -> bool:
    """Whether lines that stand side by side are of columns of text."""
    wide = sum(len(line.words) >= _WORDS_OF_COLUMN for line in beside)
    return len(beside) >= _LINES_OF_COLUMNS and wide >= _MOST_OF_COLUMNS * len(beside)


def _height(line: TextLine) -> float:
    return line.baseline_at((line.box[0] + line.box[2]) / 2)


def _overlaps(line: TextLine, other: TextLine) -> bool:
    """Whether two lines are in part at one height."""
    (_, top, _, bottom), (_, other_top, _, other_bottom) = line.box, other.box
    shared = min(bottom, other_bottom) - max(top, other_top)
    return line is not other and shared > _IN_PART * min(bottom - top, other_bottom - other_top)


def _is_beside(line: TextLine, other: TextLine) -> bool:
    return _overlaps(line, other) and (other.box[0] > line.box[2] or other.box[2] < line.box[0])


def _sizes(found: Sequence[TextLine]) -> list[float]:
    """The em of each line in pixels, by the heights of its words. Sizes that are about that of most of the text are
    that size, and sooner where others stand beside the line: in a row of a table all words are of one size."""
    ems = list(map(_size, found))
    weights = sorted((em, sum(len(word.text) for word in line.words)) for em, line in zip(ems, found, strict=True))
    most = median([em for em, weight in weights for _ in range(weight)]) if weights else 0.0
    beside = [any(_overlaps(line, other) for other in found) for line in found]
    return [
        most if abs(em / most - 1) < (_ALIKE_BESIDE if shared else _ALIKE) else em
        for em, shared in zip(ems, beside, strict=True)
    ]


def _size(line: TextLine) -> float:
    """The em of a line by the height of most of its letters."""
    ems = sorted((_em_of(word), len(word.text)) for word in line.words)
    return median([em for em, length in ems for _ in range(length)])


def _em_of(word: Word) -> float:
    """The em by the height of a word, which depends on its letters."""
    text = set(word.text)
    has_high = any(sign.isupper() or sign.isdigit() or sign in _HIGH for sign in text)
    share = _FIGURES if has_high else _SMALL_LETTERS
    return (word.box[3] - word.box[1]) / (share + (_DEPTH if text & _DEEP else 0.0))


def _unread(found: Sequence[TextLine], picture: _Picture) -> "Mask":
    """The ink that belongs to no word. Tesseract's boxes may cut off a word's first or last letter, or a part of it:
    ink goes with the word as far as it is nearer than another word would be."""
    unread = picture.ink.copy()
    for word in (word for line in found for word in line.words):
        left, top, right, bottom = word.box
        reach, gap = round(_LETTER * (bottom - top)), _GAP * (bottom - top)
        before = _used(picture.ink[top:bottom, max(left - reach, 0) : left], 0)[::-1]
        behind = _used(picture.ink[top:bottom, right : right + reach], 0)
        left -= max(_reach(before, gap), _NEAR)
        right += max(_reach(behind, gap), _NEAR)
        unread[max(top - _NEAR, 0) : bottom + _NEAR, max(left, 0) : right] = False
    return unread


def _reach(used: "Mask", gap: float) -> int:
    """Return the width of the ink beside a word that belongs to it, in pixels from the word's edge. No white within it
    is wider than `gap`, and it ends before the last of the columns."""
    end = 0
    for start, stop in _runs(used):
        if start - end > gap or (start and stop == len(used)):
            break
        end = stop
    return end


def _is_whole(line: TextLine, unread: "Mask", baseline: float, em: float) -> bool:
    """Whether no ink in a line, or right behind it, belongs to no word: another word may stand there, such as `not`."""
    left, _, right, _ = line.box
    rows = slice(max(round(baseline - _SMALL_LETTERS * em), 0), max(round(baseline), 0))
    return int(unread[rows, left : right + round(_BEHIND * em)].sum()) <= _MOST_UNREAD * em * em


def _is_struck_out(word: Word, rules: Sequence[Box]) -> bool:
    """Whether a rule runs through the middle of a word."""
    left, top, right, bottom = word.box
    height = bottom - top
    return any(
        top + _MIDDLE * height < (rule[1] + rule[3]) / 2 < bottom - _MIDDLE * height
        and min(right, rule[2]) - max(left, rule[0]) > (right - left) / 2
        for rule in rules
    )


def _is_seen(word: Word, grey: "Grey", em: float) -> bool:
    """Whether a word is large enough and stands out from its ground."""
    import numpy as np

    left, top, right, bottom = word.box
    place = grey[top:bottom, left:right]
    if not place.size:
        return False
    ground, dark, light = int(np.median(place)), int(np.percentile(place, 3)), int(np.percentile(place, 97))
    ink = dark if ground - dark >= light - ground else light
    return Ink(colour=(ink,) * 3, ground=(ground,) * 3, size=em).visibility is Visibility.SHOWN


def _is_border(word: Word, ink: "Mask", em: float) -> bool:
    """Whether a word is a piece of a rule: a pale bar, one that is higher than its line, or a doubtful dash."""
    if word.text in _DASHES and word.confidence < _UNSURE:
        return True
    if word.text not in _BARS:
        return False
    left, top, right, bottom = word.box
    above, below = max(top - round(em), 0), bottom + round(em)
    runs = _runs(_used(ink[above:below, left:right], 1))
    height = max((end - begin for begin, end in runs), default=0)
    return not _LOWEST_BAR * em < height < _HIGHEST_BAR * em


class _Part(NamedTuple):
    """Some characters of a word, their left and right edge in pixels, and whether they are a power."""

    text: str
    left: int
    right: int
    is_raised: bool = False


def _parts(word: Word, ink: "Mask", baseline: float, em: float, *, is_first: bool) -> list[_Part]:
    """A word as it is, with its signs and powers looked at once more; the first of its line may be a bullet."""
    left, _, right, _ = word.box
    text = _mark(word, baseline, em, is_first=is_first) or _figures(word.text)
    columns = _columns(word, ink)
    extents = [_extent(ink, word, *column) for column in columns]
    boxes = [(begin, top, end, foot) for (begin, end), (top, foot) in zip(columns, extents, strict=True)]
    text = _with_points(text, boxes, baseline - _POINT * em)
    if len(columns) != len(text):
        return [_Part(_with_last_sign(text, columns, word, ink), left, right)]
    readable_signs = _SIGNS if len(text) == 1 else "+-"  # an `x` within a word is a letter
    signs = zip(text, columns, strict=True)
    text = "".join(
        _sign(ink, word, *column) or candidate if candidate in readable_signs else candidate
        for candidate, column in signs
    )
    if not _has_power(text, extents[-2:], baseline, em):
        return [_Part(text, left, right)]
    return [_Part(text[:-1], left, columns[-2][1]), _Part(text[-1], columns[-1][0], right, is_raised=True)]


def _with_last_sign(text: str, columns: Sequence[tuple[int, int]], word: Word, ink: "Mask") -> str:
    """A word whose characters are not parted by white, with its last sign as its shape tells it."""
    is_dot = len(columns) > 1 and text[-1] == "-" and _sign(ink, word, *columns[-1]) == "·"
    return f"{text[:-1]}·" if is_dot else text


def _with_points(text: str, places: Sequence[Box], height: float) -> str:
    """A number with the point that stands between its figures, which is easily overlooked. `places` are the boxes of
    its signs. A point is below a height and about as wide as high; a broken figure leaves other pieces."""
    figures = text.rstrip("%")
    low = [at for at, (_, top, _, _) in enumerate(places) if top > height]
    if not figures.isdigit() or len(places) != len(text) + 1 or len(low) != 1 or not 0 < low[0] < len(figures):
        return text
    left, top, right, foot = places[low[0]]
    is_point = _NARROWEST < (right - left) / (foot - top) < _WIDEST
    return f"{text[: low[0]]}.{text[low[0] :]}" if is_point else text


def _mark(word: Word, baseline: float, em: float, *, is_first: bool) -> str:
    """A bullet for the first word of a line that is a mark above the baseline, as wide as high and lower than a letter,
    and `I` for a bar that is no higher than a letter; empty for any other word."""
    left, top, right, bottom = word.box
    width, height = right - left, bottom - top
    if is_first and max(width, height) < _BULLET * em and 0.5 < width / height < 2 and bottom < baseline - em / 20:
        return "•"
    return "I" if word.text == "|" and height < _CAPITAL * em and bottom < baseline + _BELOW * em else ""


def _has_power(text: str, last: Sequence[tuple[int, int]], baseline: float, em: float) -> bool:
    """Whether a word ends with a figure that is raised and lower than what is before it. `last` are tops and feet of
    its last two characters."""
    if len(text) < 2 or not text[-1].isdigit() or not (text[-2].isalnum() or text[-2] in ")]"):
        return False
    (top, foot), (last_top, last_foot) = last
    return last_foot - last_top < _LOWER * (foot - top) and last_foot < baseline - _RAISED * em


def _figures(text: str) -> str:
    """A word; where all else in it are figures, letters that are easily taken for some as these, and likewise `@`
    beside figures, which a zero with a stroke is taken for."""
    if text[:1] == "_" and text[1:2].isdigit():  # a piece of a rule
        text = text[1:]
    figures = text.translate(_FOR_FIGURES)
    if sum(map(str.isdigit, text)) > 1 and all(sign.isdigit() or sign in _WITH_FIGURES for sign in figures):
        return figures
    around = zip(f" {text}", text, f"{text[1:]} ", strict=False)
    is_zero = [sign == "@" and not _OF_NUMBER.isdisjoint((before, after)) for before, sign, after in around]
    return "".join("0" if zero else sign for sign, zero in zip(text, is_zero, strict=True))


def _columns(word: Word, ink: "Mask") -> list[tuple[int, int]]:
    """The columns of pixels, from and to, in which the characters of a word stand, as far as white parts them."""
    left, top, right, bottom = word.box
    return [(left + begin, left + end) for begin, end in _runs(_used(ink[top:bottom, left:right], 0))]


def _used(ink: "Mask", way: int) -> "Mask":
    """The columns (0) or rows (1) in which there is ink."""
    import numpy as np

    used: Mask = np.logical_or.reduce(ink, axis=way)
    return used


def _runs(flags: "Mask") -> list[tuple[int, int]]:
    """The start and end of each run of true values."""
    import numpy as np

    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _extent(ink: "Mask", word: Word, begin: int, end: int) -> tuple[int, int]:
    """The top and the foot of the ink in some columns of a word."""
    import numpy as np

    _, top, _, bottom = word.box
    rows = np.flatnonzero(_used(ink[top:bottom, begin:end], 1))
    return (top + int(rows[0]), top + int(rows[-1]) + 1) if len(rows) else (top, bottom)


def _sign(ink: "Mask", word: Word, begin: int, end: int) -> str:
    """A sign of arithmetic by the lines that it consists of; empty where it is none."""
    import numpy as np

    _, top, _, bottom = word.box
    below = bottom + (bottom - top) // 2  # the lower line of `±` may be left out of the box
    place = ink[max(top - 2, 0) : below, begin:end]
    rows = np.flatnonzero(_used(place, 1))
    if not len(rows):
        return ""
    place = place[rows[0] : rows[-1] + 1]
    is_dot = _NARROWEST < place.shape[1] / len(place) < _WIDEST and place.mean() >= _DENSE
    return "·" if is_dot else _sign_of_lines(place)


def _sign_of_lines(place: "Mask") -> str:
    """The sign that full lines of ink make."""
    flat, upright = _full_lines(place), _full_lines(place.T)
    edge = len(place) / 5
    match flat:
        case [(_, above), (below, _)] if not place[above:below].any():
            return "="
        case [(first, _), (below, _)] if first > edge and _full_lines(place[:below].T):
            return "±"
        case [(first, last)] if edge < first and last < len(place) - edge and len(upright) == 1:
            return "+"
        case []:
            return "×" if not upright and _is_cross(place) else ""
    return ""


def _full_lines(place: "Mask") -> list[tuple[int, int]]:
    """The runs of rows that ink fills."""
    full: Mask = place.mean(axis=1) >= _FULL
    return _runs(full)


def _is_cross(place: "Mask") -> bool:
    """Whether two lines run from corner to corner: of nine fields those at the corners and in the middle hold ink, and
    hardly any of the others."""
    height, width = place.shape
    if min(height, width) < _LEAST_CROSS or not 0.6 < height / width < 1.7:
        return False
    rows, columns = ((0, side // 3, side - side // 3, side) for side in (height, width))
    shares = [
        float(place[rows[y] : rows[y + 1], columns[x] : columns[x + 1]].mean()) for y in range(3) for x in range(3)
    ]
    return min(shares[::2]) > 2 * max(shares[1::2])
