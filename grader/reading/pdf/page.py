"""One page of a PDF as visual lines, with what was drawn in parts made whole: accented letters, tall brackets,
underscores, fractions over a rule (`(a)/(b)`). Cards side by side are read one after the other.

PDFium reads the texts that a PDF gives in place of what it draws (`/ActualText`) instead of the characters, for which
they are meant: the letters of a ligature, a hyphen that is none. Where one says other words or figures than those that
are drawn, the drawn ones are read.
"""

import ctypes
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from enum import Enum
from itertools import chain, count, groupby, islice, pairwise, repeat, zip_longest
from math import inf
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from grader.message import Message, label_text, say
from grader.reading.bytes_in import TOO_LONG
from grader.reading.document import Box, ReadingDoubt, RepairKind
from grader.reading.pdf.annotations import page_with_annotations
from grader.reading.pdf.characters import (
    ADDRESS,
    COMBINING,
    LOST,
    MOST_OBJECTS,
    NUMBER_OF,
    PART_OF,
    Characters,
    Mark,
    MarkedText,
    characters_of,
    join_texts,
    objects_in,
    objects_of,
    sign,
)
from grader.reading.pdf.drawings import (
    DrawingReader,
    Drawings,
    drawn_words,
    figure_boxes,
    is_in_figure,
    on_turned_page,
    right_of,
    with_markers,
)
from grader.reading.pdf.glyphs import (
    ASCENT,
    DESCENT,
    UPRIGHT,
    Glyph,
    GlyphReader,
    Turn,
    bounding_box,
    frame_of,
    rounded_box,
    shown_box,
)
from grader.reading.pdf.lines import (
    Fragment,
    drawn_columns,
    fragment_of,
    fragments,
    lines,
    regions,
    runs,
)
from grader.reading.pdf.margins import margin_notes, with_notes, without_line_numbers
from grader.reading.pdf.marks import PageLine, Piece, pieces
from grader.reading.pdf.scans import Scan, scanned_page
from grader.reading.pdf.shapes import DIGITS, Fonts, Misread
from grader.reading.pdf.spread import closed_up
from grader.reading.pdf.tables import MOST_RULES, page_rows, rules_of, with_wrapped_cells
from grader.reading.pdf.visible import sight_of, words_of
from grader.reading.tesseract import Failure
from grader.reading.visibility import doubtful_text

_BRACES: Final = tuple(map(ord, "⎴⎵⏜⏝⏞⏟⏠⏡"))
"""Brackets below and above parts of a formula, which they name."""
_NARROWEST, _LOWEST = 60.0, 24.0
_ROOM: Final = 4.0
"""In points: cells of a table stand nearer to each other."""
_SAME: Final = 2.0
_FEWEST_LINES: Final = 2
_MOST: Final = 200


def framing(boxes: Sequence[Box], glyphs: Sequence[Glyph]) -> list[Box]:
    """The boxes that characters stand in; of more than 200 none."""
    middles = sorted((glyph.baseline - 0.3 * glyph.size, glyph.left) for glyph in glyphs)
    heights = [height for height, _ in middles]

    def frames(box: Box) -> bool:
        beside = middles[bisect_left(heights, box[1]) : bisect_right(heights, box[3])]
        return any(box[0] <= left <= box[2] for _, left in beside)

    return [box for box in boxes if frames(box)] if len(boxes) <= _MOST else []


def card_rows(boxes: Sequence[Box], fragments: Sequence[Fragment]) -> list[list[Box]]:
    """The cards of a page row by row, each row from left to right."""
    rows: list[list[Box]] = []
    large = {box for box in boxes[:_MOST] if box[2] - box[0] >= _NARROWEST and box[3] - box[1] >= _LOWEST}
    for box in sorted(large, key=lambda candidate: (round(candidate[1] / _SAME), candidate[0])):
        if rows and abs(rows[-1][0][1] - box[1]) <= _SAME:
            rows[-1].append(box)
        elif not any(_holds(card, box) for row in rows if len(row) > 1 for card in row):
            rows.append([box])
    return [
        row
        for row in rows
        if len(row) > 1
        and all(right[0] - left[2] >= _ROOM for left, right in pairwise(row))
        and all(
            len({round(fragment.baseline) for fragment in _within(card, fragments)}) >= _FEWEST_LINES for card in row
        )
    ]


def card_by_card(fragments: Sequence[Fragment], rows: Sequence[Sequence[Box]]) -> Iterator[list[Fragment]]:
    """Yield the fragments above the first row of cards, in each of its cards, between the rows, and below the last
    one."""
    rest = list(fragments)
    for row in rows:
        held = [_within(card, rest) for card in row]
        taken = {id(fragment) for own_fragments in held for fragment in own_fragments}
        yield [fragment for fragment in rest if fragment.baseline < row[0][1] and id(fragment) not in taken]
        yield from held
        rest = [fragment for fragment in rest if fragment.baseline >= row[0][1] and id(fragment) not in taken]
    yield rest


def _within(card: Box, fragments: Sequence[Fragment]) -> list[Fragment]:
    left, top, right, bottom = card
    return [
        fragment
        for fragment in fragments
        if left <= fragment.left <= right and top <= fragment.baseline - 0.3 * fragment.size <= bottom
    ]


def _holds(card: Box, box: Box) -> bool:
    return card[0] <= box[0] and card[1] <= box[1] and box[2] <= card[2] and box[3] <= card[3]


_KEY: Final = b"ActualText"
_DEEPEST: Final = 4
_KIND_OF: Final = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.c_char_p)
_LONGEST: Final = 4_000
"""In bytes, of one text that stands for what is drawn."""
_LIGATURE: Final = 3
"""Letters that one drawn sign without a meaning may stand for."""


class Kind(Enum):
    """The relation of a text that stands for a drawing to what is drawn."""

    TRUE = "the same"
    FALSE = "another one"
    UNKNOWN = "nobody can tell"


class StandIn(NamedTuple):
    """A text that a page gives in place of what it draws, and where that is."""

    text: str
    box: Box
    kind: Kind


class _Span(NamedTuple):
    """Neighbouring text objects for which one text stands, with the mark of each that says so."""

    text: str
    objects: list[tuple[int, int]]

    def drop(self) -> None:
        """Make the drawn characters count; only the open page changes, and never the file."""
        import pypdfium2.raw as pdfium

        for drawn, mark in self.objects:
            kinds = pdfium.FPDF_PAGEOBJECT, pdfium.FPDF_PAGEOBJECTMARK
            pdfium.FPDFPageObj_RemoveMark(*map(ctypes.cast, (drawn, mark), kinds))


class OpenPage(NamedTuple):
    """An open pypdfium2 page, its objects with their kinds, its text page and characters, and the texts that it gives
    for others than it draws or for what nobody can read. Of these the drawn characters count."""

    page: Any
    objects: Mapping[int, int]
    text_page: Any
    characters: Characters
    stand_ins: tuple[StandIn, ...]


def opened_page(pdf: Any, number: int, limit: int) -> OpenPage:
    """A page, counted from 1, of an open pypdfium2 document, with the first `limit` characters of it."""
    page, unsure = page_with_annotations(pdf, number)
    added = tuple(StandIn(text, (0.0, 0.0, 0.0, 0.0), Kind.UNKNOWN) for text in unsure)
    objects = objects_of(page)
    spans = list(_spans(objects))
    text_page, characters = _read_without((), page, limit)
    if not spans:
        return OpenPage(page, objects, text_page, characters, added)
    stated_texts = _texts(characters, spans)
    with closing(pdf[number - 1]) as bare:
        drawing = list(_spans(objects_of(bare)))
        other, others = _read_without(drawing, bare, limit)
        with closing(other):
            drawn = _texts(others, drawing)
    signs = [len(span.objects) for span in spans]
    kinds = [_kind(text, other, count) for (text, _), (other, _), count in zip(stated_texts, drawn, signs, strict=True)]
    wrong = [span for span, kind in zip(spans, kinds, strict=True) if kind is not Kind.TRUE]
    if wrong:
        text_page.close()
        text_page, characters = _read_without(wrong, page, limit)
    frame = frame_of(page, *page.get_size())
    found = (
        StandIn(text, frame.box(*box), kind)
        for (text, box), kind in zip(stated_texts, kinds, strict=True)
        if text and kind is not Kind.TRUE
    )
    return OpenPage(page, objects, text_page, characters, (*added, *found))


def _read_without(spans: Iterable[_Span], page: Any, limit: int) -> tuple[Any, Characters]:
    """The open text page of a page from which some texts in place of others are dropped, and its characters."""
    for span in spans:
        span.drop()
    text_page = page.get_textpage()
    return text_page, characters_of(text_page, limit)


def _kind(stated_text: str, drawn: str, objects: int) -> Kind:
    """Whether a text says what is drawn by some text objects: the same letters and digits, whatever their style.

    A digit for a single sign is taken as true here, because `Fonts.misread` compares it with what is drawn.
    """
    first, other = (
        "".join(character for character in normalize("NFKD", text).casefold() if character.isalnum())
        for text in (stated_text, drawn)
    )
    if first == other:
        return Kind.TRUE
    if other and LOST not in drawn:
        return Kind.FALSE
    is_ligature = len(first) <= _LIGATURE and not any(sign.isdigit() for sign in first)
    is_compared = set(stated_text) <= set(DIGITS) and len(stated_text) == len(drawn) == objects
    return Kind.TRUE if is_ligature or is_compared else Kind.UNKNOWN


def _texts(characters: Characters, spans: list[_Span]) -> list[tuple[str, Box]]:
    """Return the text that is read of the objects of each span, and its place in the page's own coordinates."""
    places: dict[int, list[int]] = {}
    for at, owner in enumerate(characters.owners.tolist()):
        places.setdefault(owner, []).append(at)
    return [_text_of(span, places, characters) for span in spans]


def _text_of(span: _Span, places: dict[int, list[int]], characters: Characters) -> tuple[str, Box]:
    found = sorted(at for owner, _ in span.objects for at in places.get(owner, ()))
    text = "".join(sign(int(characters.codes[at])) for at in found)
    return text, bounding_box([characters.box(at) for at in found]) if found else (0.0, 0.0, 0.0, 0.0)


def _spans(objects: Mapping[int, int]) -> Iterator[_Span]:
    import pypdfium2.raw as pdfium

    drawn = [number for number, kind in islice(_all(objects), MOST_OBJECTS) if kind == pdfium.FPDF_PAGEOBJ_TEXT]
    marks = _marks(drawn)
    marked = ((number, marks[number], _text_of_mark(marks[number])) for number in drawn if number in marks)
    for text, group in groupby(marked, key=lambda entry: entry[2]):
        yield _Span(text, [(number, mark) for number, mark, _ in group])


def _all(objects: Mapping[int, int], depth: int = 0) -> Iterator[tuple[int, int]]:
    """Some objects and those of embedded drawings among them, with their kinds, in the order of drawing."""
    import pypdfium2.raw as pdfium

    for number, kind in objects.items():
        yield number, kind
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            yield from _all(objects_in(number), depth + 1)


def _marks(drawn: Sequence[int]) -> dict[int, int]:
    """Return, by text object, the first mark that gives a text for it."""
    import pypdfium2.raw as pdfium

    kind_of = ctypes.cast(pdfium.FPDFPageObjMark_GetParamValueType, _KIND_OF)
    mark_of, count_of = (
        ctypes.cast(function, kind)
        for function, kind in ((pdfium.FPDFPageObj_GetMark, PART_OF), (pdfium.FPDFPageObj_CountMarks, NUMBER_OF))
    )
    found: dict[int, int] = {}
    rest = list(zip(drawn, map(count_of, drawn), strict=True))
    for index in count():
        if not (
            rest := [(candidate, number) for candidate, number in rest if number > index and candidate not in found]
        ):
            return found
        marks = list(map(mark_of, (number for number, _ in rest), repeat(index)))
        kinds = map(kind_of, marks, repeat(_KEY))
        given = zip(rest, marks, kinds, strict=True)
        found |= {number: mark for (number, _), mark, kind in given if kind == pdfium.FPDF_OBJECT_STRING}
    return found


def _text_of_mark(mark: int) -> str:
    """The text that a mark gives for an object."""
    import pypdfium2.raw as pdfium

    length, mark_handle = ctypes.c_ulong(), ctypes.cast(mark, pdfium.FPDF_PAGEOBJECTMARK)
    pdfium.FPDFPageObjMark_GetParamStringValue(mark_handle, _KEY, None, 0, length)
    room = ctypes.create_string_buffer(min(length.value, _LONGEST))
    units = ctypes.cast(room, ctypes.POINTER(ctypes.c_ushort))
    pdfium.FPDFPageObjMark_GetParamStringValue(mark_handle, _KEY, units, len(room), length)
    return room.raw.decode("utf-16-le", "replace").rstrip("\0")


_DOTLESS: Final = {"ı": "i", "ȷ": "j"}


def repair_glyphs(glyphs: Iterable[Glyph]) -> list[Glyph]:
    """The same characters with accents put on their letters and the pieces of a tall bracket joined."""
    whole: list[Glyph] = []
    for glyph in glyphs:
        last = whole[-1] if whole else None
        if last is not None and (glyph.text in COMBINING or last.text in COMBINING):
            accented = _accented(last, glyph)
            if accented:
                whole[-1] = accented
                continue
        if last is not None and glyph.large and last.large and _same_bracket(last, glyph):
            whole[-1] = _stacked(last, glyph)
            continue
        whole.append(glyph)
    return [glyph for glyph in whole if glyph.text]


def _accented(first: Glyph, second: Glyph) -> Glyph | None:
    """Letter and accent as one, when one is drawn over the other and Unicode has the pair."""
    letter, accent = (second, first) if first.text in COMBINING else (first, second)
    middle = (accent.left + accent.right) / 2
    over = letter.left < middle < letter.right or unicodedata.combining(accent.text) > 0
    if not (letter.text.isalpha() and over and not second.spaced):
        return None
    if abs(letter.baseline - accent.baseline) > 0.5 * letter.size:
        return None
    plain = _DOTLESS.get(letter.text, letter.text)
    text = unicodedata.normalize("NFC", plain + COMBINING[accent.text])
    if len(text) != 1:
        return None
    return letter._replace(text=text, spaced=first.spaced, torn=first.torn, marks=(Mark(RepairKind.ACCENT, 0, 1),))


def _same_bracket(upper: Glyph, lower: Glyph) -> bool:
    """Whether one piece hangs under the other: left brackets share their left edge, right ones their right edge."""
    return min(abs(upper.left - lower.left), abs(upper.right - lower.right)) < 0.5


def _stacked(upper: Glyph, lower: Glyph) -> Glyph:
    top, bottom = min(upper.top, lower.top), max(upper.bottom, lower.bottom)
    return upper._replace(
        text=upper.text or lower.text,
        top=top,
        right=max(upper.right, lower.right),
        bottom=bottom,
        baseline=(top + bottom) / 2 + 0.25 * upper.size,
    )


_MOST_IN_ROW: Final = 100
_WIDEST: Final = 12.0


def with_underscores(glyphs: list[Glyph], rules: list[Box]) -> list[Glyph]:
    """The characters with an underscore for each rule that fills the gap behind one of them, on its baseline."""
    rows = _rows(rules)
    if not rows:
        return glyphs
    result: list[Glyph] = []
    for glyph, following in zip_longest(glyphs, glyphs[1:]):
        result.append(glyph)
        for rule in rows.get(int(glyph.baseline), ()):
            if _fills_gap(rule, glyph, following):
                left, right, marks = rule[0], rule[2], (Mark(RepairKind.UNDERSCORE, 0, 1),)
                result.append(glyph._replace(text="_", left=left, right=right, spaced=False, torn=False, marks=marks))
                break
    return result


def _rows(rules: list[Box]) -> dict[int, list[Box]]:
    """Short rules by the whole part of a baseline that they may lie on, without the rows of a grid or a plot."""
    rows: dict[int, list[Box]] = {}
    for rule in rules:
        if 1.0 <= rule[2] - rule[0] <= _WIDEST:
            for row in range(int(rule[3]) - 1, int(rule[3]) + 2):
                rows.setdefault(row, []).append(rule)
    return {row: members for row, members in rows.items() if len(members) <= _MOST_IN_ROW}


def _fills_gap(rule: Box, glyph: Glyph, following: Glyph | None) -> bool:
    left, top, right, bottom = rule
    size = glyph.size
    beside = -0.05 * size <= left - glyph.right <= 0.2 * size and 0.2 * size <= right - left <= 0.75 * size
    on_baseline = -0.1 * size <= bottom - glyph.baseline <= 0.2 * size and bottom - top <= 0.1 * size
    if not (beside and on_baseline and glyph.direction == UPRIGHT):
        return False
    is_level = following is not None and abs(following.baseline - glyph.baseline) < 0.3 * size
    return following is None or not is_level or following.left >= right - 0.1 * size


_BULLET: Final = (0.15, 0.55)
"""In em: the least and the greatest width of a drawn bullet."""

_BEFORE: Final = (0.2, 2.0)
"""In em: how far a drawn bullet stands before the words of its item."""

_MOST_BULLETS: Final = 300


def with_bullets(glyphs: list[Glyph], shapes: list[Box]) -> list[Glyph]:
    """The characters with a bullet before each line that a small drawn disc or square stands before, as browsers draw
    those of lists."""
    small = [box for box in shapes if abs(box[2] - box[0] - (box[3] - box[1])) < 0.5 and box[2] - box[0] < _WIDEST]
    if not 0 < len(small) <= _MOST_BULLETS:
        return glyphs
    rows: dict[int, list[int]] = {}
    for index, glyph in enumerate(glyphs):
        rows.setdefault(int(glyph.baseline), []).append(index)
    bullets: dict[int, Box] = {}
    for box in small:
        height = int((box[1] + box[3]) / 2)
        beside = [index for row in range(height - 1, height + int(_WIDEST)) for index in rows.get(row, ())]
        behind = [index for index in beside if glyphs[index].left > box[2] and _is_at_height(box, glyphs[index])]
        first = min(behind, key=lambda index: glyphs[index].left, default=None)
        if first is not None:
            size, width, gap = glyphs[first].size, box[2] - box[0], glyphs[first].left - box[2]
            if _BULLET[0] <= width / size <= _BULLET[1] and _BEFORE[0] <= gap / size <= _BEFORE[1]:
                bullets[first] = box
    result = list(glyphs)
    for index in sorted(bullets, reverse=True):
        left, _, right, _ = bullets[index]
        bullet = glyphs[index]._replace(text="•", left=left, right=right, bold=False, marks=())
        result[index : index + 1] = [bullet, glyphs[index]._replace(spaced=True)]
    return result


def _is_at_height(box: Box, glyph: Glyph) -> bool:
    """Whether the middle of a box is at the height of small letters in the line of a character."""
    rise = glyph.baseline - (box[1] + box[3]) / 2
    return glyph.direction == UPRIGHT and 0.1 * glyph.size < rise < 0.5 * glyph.size and not glyph.large


_WIDTHS: Final = (2.0, 450.0)
_MOST_FRACTIONS: Final = 300
_MOST_NEARBY: Final = 400
_STEP: Final = 12.0

_OVERHANG: Final = 0.6
"""In em: how far a rule may reach beyond the wider of numerator and denominator, and these be off its middle."""

_AXIS: Final = 0.25
"""In em above the baseline: where a fraction's rule lies in its line. Source: σ22 of TeX's symbol fonts."""

_OFF_AXIS: Final = 0.3
"""In em: TeX hits the axis, browsers set the middle of numerator and denominator near it."""

_BESIDE: Final = 0.9
"""In em: text this close to a rule's end, at the right height, makes it sure that the rule is a fraction's."""


_JOINT: Final = 0.2
"""In em: how far the bar of a root may begin from its sign."""

_SIGN: Final = 1.5
"""In em: how wide a sign of a root is at most."""

_MOST_UPRIGHTS: Final = 1_000
_TOUCHES: Final = 1.5
"""In points: as far from a flat rule's end an upright one makes it the edge of a table's cell."""


def with_fractions(
    fragments: list[Fragment], rules: Iterable[Box], uprights: Sequence[Box], drawn_roots: Iterable[Box] = ()
) -> list[Fragment]:
    """The fragments with those of each fraction, and of each root, replaced by one. Where nothing beside the rule shows
    that it is a fraction's, its parts stay lines of their own and the upper one is marked. A rule that ends at an
    upright one is none of a fraction. `drawn_roots` are signs of roots that are drawn, with the bar."""
    short = [rule for rule in rules if _WIDTHS[0] <= rule[2] - rule[0] <= _WIDTHS[1]]
    fragments = [part for fragment in fragments for part in _cut_at_roots(fragment, short)]
    page = _Page(fragments)
    roots = {bar: radical for radical in fragments if (bar := _bar_of(radical.glyphs[-1], short))}
    for rule in sorted(short, key=lambda rule: rule[2] - rule[0])[:_MOST_FRACTIONS]:
        stack = page.stack(rule)
        if stack is None and rule in roots:
            page.put_under(roots[rule], rule)
        elif stack and not any(_meets(rule, upright) for upright in uprights[:_MOST_UPRIGHTS]):
            page.put_fraction(rule, *stack)
    for box in drawn_roots:
        page.put_root(box)
    return page.fragments


def _marked(fragment: Fragment) -> Fragment:
    """A fragment with the mark that a rule was left out below it which may be a fraction's."""
    last = fragment.glyphs[-1]
    end = len(last.text)
    marked = last._replace(marks=(*last.marks, Mark(RepairKind.FRACTION, end, end)))
    return fragment._replace(glyphs=(*fragment.glyphs[:-1], marked))


def _meets(rule: Box, upright: Box) -> bool:
    near = min(abs(end - side) for end in (rule[0], rule[2]) for side in (upright[0], upright[2]))
    return near <= _TOUCHES and upright[1] - _TOUCHES <= rule[3] and rule[1] <= upright[3] + _TOUCHES


def _bar_of(sign: Glyph, rules: list[Box]) -> Box | None:
    """The bar over what stands under a sign of a root; a fraction there has its own rule further down."""
    if sign.text != "√":
        return None
    near = (
        rule
        for rule in rules
        if abs(sign.right - rule[0]) <= _JOINT * sign.size and sign.top - 2 * sign.size <= rule[1] <= sign.bottom
    )
    return min(near, key=lambda rule: rule[1], default=None)


def _cut_at_roots(fragment: Fragment, rules: list[Box]) -> Iterator[Fragment]:
    """A fragment in parts: up to a sign of a root, what stands under its bar, and the rest."""
    bars = [bar for glyph in fragment.glyphs[:-1] if (bar := _bar_of(glyph, rules))]
    if not bars:
        yield fragment
        return
    yield from map(
        fragment_of,
        runs(
            fragment.glyphs,
            lambda glyph, other: glyph.text != "√" and not any(glyph.left < bar[2] <= other.left for bar in bars),
        ),
    )


class _Page:
    """Fragments by height, so that those near a rule are found without looking at all."""

    def __init__(self, fragments: list[Fragment]) -> None:
        self._order: dict[int, Fragment] = dict(enumerate(fragments))
        self._rows: dict[int, list[int]] = {}
        for key, fragment in self._order.items():
            self._rows.setdefault(int(fragment.baseline // _STEP), []).append(key)

    @property
    def fragments(self) -> list[Fragment]:
        """All fragments, in drawing order."""
        return list(self._order.values())

    def stack(self, rule: Box) -> tuple[list[Fragment], list[Fragment]] | None:
        """The texts above and below a rule that may be a fraction's; None when it underlines or frames."""
        left, top, right, bottom = rule
        inside = [f for f in self._near(rule) if left - 0.1 * f.size <= f.left and f.right <= right + 0.1 * f.size]
        over = [f for f in inside if 0.05 * f.size <= top - (f.bottom - DESCENT * f.size) <= 0.9 * f.size]
        under = [f for f in inside if 0.6 * f.size <= (f.top + ASCENT * f.size) - bottom <= 1.35 * f.size]
        if not over or not under:
            return None
        size = max(f.size for f in chain(over, under))
        above = [f for f in inside if min(f.baseline for f in over) - 0.7 * size < f.baseline < top]
        below = [f for f in inside if bottom < f.baseline < max(f.baseline for f in under) + 0.5 * size]
        spans = [(min(f.left for f in part), max(f.right for f in part)) for part in (above, below)]
        is_centred = all(abs((a + b) / 2 - (left + right) / 2) <= _OVERHANG * size for a, b in spans)
        fits = is_centred and right - left - max(b - a for a, b in spans) <= 2 * _OVERHANG * size
        return (above, below) if fits else None

    def host(self, rule: Box) -> Fragment | None:
        """The text that a fraction stands in: at its rule's ends, with its axis at the rule's height."""
        left, top, right, bottom = rule
        beside = [
            f
            for f in self._near(rule)
            if abs(f.baseline - _AXIS * f.size - (top + bottom) / 2) <= _OFF_AXIS * f.size
            and any(-0.1 * f.size <= gap <= _BESIDE * f.size for gap in (left - f.right, f.left - right))
        ]
        return max(beside, key=lambda f: f.size, default=None)

    def put_fraction(self, rule: Box, above: list[Fragment], below: list[Fragment]) -> None:
        """Put one fragment in the place of a fraction; mark the upper part where nothing shows that it is one."""
        host = self.host(rule)
        if host is None:
            self.replace(above[-1:], _marked(above[-1]))
        else:
            self.replace([*above, *below], _written(rule, above, below, host))

    def put_under(self, radical: Fragment, bar: Box) -> None:
        """Put what stands below the bar of a root into brackets behind the root's sign."""
        left, top, right, _ = bar
        sign = radical.glyphs[-1]
        low = max(sign.bottom, top + sign.size) + sign.size / 2
        inside = [
            f
            for f in self._near(bar)
            if f is not radical and left - 0.1 * f.size <= f.left and f.right <= right + 0.2 * f.size
            and top - 0.3 * f.size < f.baseline <= low
        ]  # fmt: skip
        if not inside or radical not in self._near(bar):
            return
        main = max(inside, key=lambda f: f.size)
        text, marks = join_texts("", [MarkedText("√("), _text(inside), MarkedText(")")])
        root = sign._replace(
            text=text, marks=marks, right=right, baseline=main.baseline, size=main.size,
            bottom=max(f.bottom for f in inside),
        )  # fmt: skip
        self.replace(inside, fragment_of([root]))
        self.replace([radical], fragment_of(radical.glyphs[:-1]) if radical.glyphs[1:] else None)

    def put_root(self, drawn: Box) -> None:
        """Write a drawn sign of a root before the text at its right, around a fraction."""
        left, top, _, bottom = drawn
        beside = [f for f in self._near(drawn) if 0 < f.left - left < _SIGN * f.size and top <= f.baseline <= bottom]
        if not beside:
            return
        first = min(beside, key=lambda f: f.left)
        glyph = first.glyphs[0]._replace(left=left)
        if any(mark.kind is RepairKind.FRACTION for mark in glyph.marks):
            text, marks = join_texts("", [MarkedText("√("), _text([first]), MarkedText(")")])
            self.replace([first], fragment_of([glyph._replace(text=text, marks=marks)]))
        else:
            sign = glyph._replace(text="√", right=first.left, marks=())
            self.replace([first], fragment_of([sign, *first.glyphs]))

    def replace(self, old: list[Fragment], new: Fragment | None) -> None:
        """Put one fragment in the place of the first of some, or none."""
        gone = {id(fragment) for fragment in old}
        around = {key for row in {int(f.baseline // _STEP) for f in old} for key in self._rows[row]}
        keys = sorted(key for key in around if id(self._order.get(key)) in gone)
        for key in keys[bool(new) :]:
            del self._order[key]
        if new is None:
            return
        self._order[keys[0]] = new
        row = self._rows.setdefault(int(new.baseline // _STEP), [])
        if keys[0] not in row:
            row.append(keys[0])

    def _near(self, rule: Box) -> list[Fragment]:
        row = int(rule[1] // _STEP)
        keys = [key for near in range(row - 2, row + 4) for key in self._rows.get(near, ())]
        if len(keys) > _MOST_NEARBY:
            return []
        return [self._order[key] for key in dict.fromkeys(keys) if key in self._order]


def _written(rule: Box, above: list[Fragment], below: list[Fragment], host: Fragment) -> Fragment:
    brackets = [MarkedText("("), _text(above), MarkedText(")/("), _text(below), MarkedText(")")]
    text, marks = join_texts("", brackets)
    glyphs = [glyph for fragment in (*above, *below) for glyph in fragment.glyphs]
    glyph = Glyph(
        text,
        left=rule[0],
        top=min(glyph.top for glyph in glyphs),
        right=rule[2],
        bottom=max(glyph.bottom for glyph in glyphs),
        baseline=host.baseline,
        size=host.size,
        bold=all(glyph.bold for glyph in glyphs),
        spaced=glyphs[0].spaced,
        marks=(Mark(RepairKind.FRACTION, 0, len(text)), *marks),
    )
    return fragment_of([glyph])


def _text(part: list[Fragment]) -> MarkedText:
    return join_texts(" ", [piece.marked for line in lines(part) for piece in pieces(line)])


MOST_CHARACTERS: Final = 30_000
"""On one page. A dense page of print has 6,000."""
_MOST_DOUBTFUL: Final = 5
"""Lines of a page that are quoted because it cannot be established whether they can be seen."""


class Page(NamedTuple):
    """A page's lines in reading order, its height in points, the boxes of its figures, those of words that are drawn or
    may be others than those that are read, with the reason, what was left out of the page, the lines that cannot be
    seen on it, and what its edge cuts off from lines. `is_picture`: it has no text, or hardly any beside a picture that
    is as large as the page. All places are those after the `turn` that sets its text upright."""

    lines: list[PageLine]
    height: float
    figures: list[Box]
    unsure: dict[Box, ReadingDoubt]
    problems: tuple[Message, ...]
    hidden: list[PageLine]
    cut: list[PageLine]
    is_picture: bool = False
    turn: Turn | None = None


_MOST_BESIDE_SCAN: Final = 200
"""Characters that a program which scans may print on a page."""
_SCAN: Final = 0.6
"""Of the page's area: a picture that is at least so large may be a scan of the page."""


def scan_lines(pdf: Any, number: int, page: Page) -> tuple[list[PageLine], Scan] | Failure:
    """The lines that OCR reads on a page that is a picture, less what the page writes, and where they stand. Raises
    PdfiumError when it is damaged."""
    scan = scanned_page(pdf, number)
    if isinstance(scan, Failure):
        return scan
    with closing(pdf[number - 1]) as opened:
        width, height = opened.get_size()
    written = [line.box for line in page.lines]
    glyphs = [glyph for glyph in scan.glyphs if not is_in_figure(scan.on_page(glyph[1:5]), written)]
    return picture_lines(scan._replace(glyphs=glyphs), number, width, height), scan


def picture_lines(scan: Scan, page: int, width: float, height: float) -> list[PageLine]:
    """The lines that OCR reads on a page, or in a picture, of such a size."""
    return list(_lines(scan.glyphs, scan.drawings, page, width, height))


def page_lines(pdf: Any, number: int, fonts: Fonts) -> Page:
    """The lines of a page, counted from 1, of an open pypdfium2 document, whose `fonts` are compared with what they
    draw. Raises PdfiumError when it is damaged."""
    import numpy as np

    opened = opened_page(pdf, number, MOST_CHARACTERS)
    characters = opened.characters
    with fonts.page(opened.page) as page, closing(opened.text_page) as text_page:
        width, height = page.get_size()
        frame = frame_of(page, width, height)
        count = text_page.count_chars()
        drawings = DrawingReader(frame).drawings(page, opened.objects)
        sight = sight_of(page, characters, frame, drawings)
        misread = fonts.misread(page, text_page, characters, sight.unread, opened.objects)
        if misread != Misread():
            others, maybe = (words_of(some, characters) - sight.unread for some in misread)
            sight = sight._replace(hidden=sight.hidden | others, doubtful=sight.doubtful | (maybe - others))

        braces = frozenset(np.flatnonzero(np.isin(characters.codes, _BRACES)).tolist())

        def glyphs_of(read: frozenset[int] | None) -> list[Glyph]:
            """The glyphs of some characters, or of all that are read."""
            left_out = sight.unread | braces if read is None else frozenset(range(len(characters.codes))) - read
            return repair_glyphs(GlyphReader(text_page, frame, characters, left_out).glyphs())

        glyphs = glyphs_of(None)
        turn = _turn(glyphs, width, height)
        if turn:
            frame, (width, height), drawings = turn.frame(frame), turn.size, on_turned_page(drawings, turn)
            sight = sight._replace(clips=tuple(map(turn.box, sight.clips)))
            glyphs = glyphs_of(None)
        hidden, doubtful, cut = (glyphs_of(some) if some else [] for some in (sight.hidden, sight.doubtful, sight.cut))
    problems: list[Message] = []
    if count > MOST_CHARACTERS:
        problems.append(label_text(say("page {page}", page=number), TOO_LONG))
    if misread.certain:
        problems.append(
            say(
                "a font of page {page} shows other digits than the file says; the numbers concerned are not read",
                page=number,
            )
        )
    if sight.recognised:
        problems.append(
            say(
                "the invisible text over the picture on page {page} cannot be compared with what it shows, so it is "
                "not read",
                page=number,
            )
        )
    as_drawn = drawings
    drawings = with_markers(drawings, framing(drawings.curved, glyphs))
    pictures, drawn = figure_boxes(drawings, width, height)
    shapes = [box for box in (*drawings.straight, *drawings.plots) if not (drawn and is_in_figure(box, drawn))]
    glyphs = with_bullets(with_underscores(glyphs, drawings.rules), shapes)
    read = _lines(glyphs, drawings, number, width, height)
    found = [line._replace(in_figure=True) if drawn and is_in_figure(line.box, drawn) else line for line in read]
    unseen, unclear, beyond = (list(_lines(some, drawings, number, width, height)) for some in (hidden, doubtful, cut))
    false = [stand_in for stand_in in opened.stand_ins if stand_in.kind is Kind.FALSE]
    unseen += [
        PageLine(number, box, box[3] - box[1], (Piece(MarkedText(text), box[0], box[2], bold=False),))
        for text, box, _ in false
    ]
    unknown = [stand_in.text for stand_in in opened.stand_ins if stand_in.kind is Kind.UNKNOWN]
    problems += [doubtful_text(words) for words in [*(line.text for line in unclear), *unknown][:_MOST_DOUBTFUL]]
    if _is_meaningless(found, unseen):
        return Page([], height, [], {}, (), [], [], is_picture=True)
    figures = [*pictures, *drawn]
    unsure = {
        **dict.fromkeys(drawn_words(as_drawn, figures, [line.box for line in found]), ReadingDoubt.DRAWN),
        **dict.fromkeys(_garbled(found, [*unseen, *unclear], glyphs), ReadingDoubt.GARBLED),
        **dict.fromkeys(_cut_lines(found, beyond, sight.clips, width), ReadingDoubt.CUT),
        **{line.box: line.unsure for line in found if line.unsure},
    }
    large = [
        image for image in as_drawn.images if (image[2] - image[0]) * (image[3] - image[1]) >= _SCAN * width * height
    ]
    is_picture = not found or (bool(large) and sum(len(line.text) for line in found) <= _MOST_BESIDE_SCAN)
    return Page(found, height, figures, unsure, tuple(problems), unseen, beyond, is_picture, turn)


def _is_meaningless(found: Sequence[PageLine], unseen: Sequence[PageLine]) -> bool:
    """Whether the text of a page is none, as that of fonts whose characters are numbered at will: only its picture can
    be read, and no other text is hidden behind it."""
    text = "".join(line.text for line in (*found, *unseen))
    return text.count(LOST) > max(_MOST_LOST * len(text), _FEWEST_LOST)


_MOST_LOST: Final = 0.2
_FEWEST_LOST: Final = 20
"""Characters without a meaning on a page, of all and in number, beyond which the others have none, either."""


def _turn(glyphs: Sequence[Glyph], width: float, height: float) -> Turn | None:
    """Return the turn that sets the text of a page of some size upright where most of it stands on its side or head."""
    sample = [glyph.direction for glyph in glyphs[::_SAMPLED]]
    directions = Counter(sample) if any(direction != UPRIGHT for direction in sample) else Counter()
    usual, times = directions.most_common(1)[0] if directions else (UPRIGHT, 0)
    is_turned = usual != UPRIGHT and times >= max(_TURNED * len(sample), _FEWEST_SAMPLED)
    return Turn(usual, width, height) if is_turned else None


_SAMPLED: Final = 8
_FEWEST_SAMPLED: Final = 25
_TURNED: Final = 0.8
"""Of the characters of a page."""


_MOST_GARBLED: Final = 20
_TOUCHING: Final = 0.3
"""In em: so near to a digit stands a sign of the same formula."""
_SIGNS_OF_SET: Final = frozenset("μσαβλ×÷√·⋅±≈∣")
"""Signs of formulas that are set; a line that holds source of LaTeX, too, shows a formula twice."""


def _garbled(found: Sequence[PageLine], unseen: Sequence[PageLine], glyphs: Sequence[Glyph]) -> list[Box]:
    """Return the places of lines with formulas that are not read as they are shown: numbers that cannot be seen, or may
    not be, lie over them, signs that mean nothing stand beside digits, a formula stands twice, or its source beside
    it."""
    garbled = {line.box for line in found if "{,}" in line.text}
    garbled |= {line.box for line in found if "\\" in line.text and not _SIGNS_OF_SET.isdisjoint(line.text)}
    garbled |= set(_below_hidden_numbers(found, unseen))
    garbled |= {line.box for before, line in pairwise(found) if _stands_again(before.text, line.text)}
    boxes = (*(line.box for line in found if line.box in garbled), *_lost_beside_digits(glyphs))
    return list(dict.fromkeys(map(rounded_box, boxes)))[:_MOST_GARBLED]


def _stands_again(before: str, text: str) -> bool:
    """Whether a line shows the numbers once more with which the formula on the line before it ends."""
    if "=" not in before or "=" not in text:
        return False
    first, again = ("".join(sign if sign.isdecimal() else " " for sign in line) for line in (before, text))
    return len(again.split()) >= _NUMBERS and "".join(first.split()).endswith("".join(again.split()))


_NUMBERS: Final = 3
"""Numbers of a formula that stands twice."""


def _cut_lines(
    found: Sequence[PageLine], beyond: Sequence[PageLine], clips: Sequence[Box], width: float
) -> Iterator[Box]:
    """The places of lines that are cut off: those of formulas of which a rule goes on over the edge of the page, of
    such a width, or beside which a part is cut off, and those that end where clipping paths cut words."""
    yield from (line.box for line in found if line.box[2] > width + _BEYOND)
    for clip in clips:
        yield from (line.box for line in found if _ends_at(line, clip))
    for cut in beyond:
        if _holds_formula(cut.text):
            beside = [line.box for line in found if line.box[1] < cut.box[3] and cut.box[1] < line.box[3]]
            yield min(beside, key=lambda box: abs(box[2] - cut.box[0]), default=cut.box)


def _ends_at(line: PageLine, clip: Box) -> bool:
    """Whether a line ends at the right edge of a clipping path's box."""
    middle = (line.box[1] + line.box[3]) / 2
    is_within = clip[1] < middle < clip[3] and line.box[0] > clip[0]
    return is_within and -line.size < clip[2] - line.box[2] < 2 * line.size


def _holds_formula(text: str) -> bool:
    return "^{" in text or any(sign in _SIGNS_OF_SET or ord(sign) >= _STYLED for sign in text)


_BEYOND: Final = 2.0
"""In points."""
_STYLED: Final = 0x1D400
"""The first letter of formulas, in italics and the like."""


def _below_hidden_numbers(found: Sequence[PageLine], unseen: Sequence[PageLine]) -> Iterator[Box]:
    """The boxes of the lines over which numbers lie that cannot be seen, and of the rows of tables beside them."""
    for left, top, right, bottom in (line.box for line in unseen if any(map(str.isdigit, line.text))):
        for line in found:
            box, is_row = line.box, len(line.pieces) > 2
            is_level = min(box[3], bottom) - max(box[1], top) > (box[3] - box[1]) / 2
            if is_level and (is_row or (box[0] < right and left < box[2])):
                yield box


def _lost_beside_digits(glyphs: Sequence[Glyph]) -> Iterator[Box]:
    """The places of signs without a meaning beside digits, as the pieces of tall brackets."""
    lost = [candidate for candidate in glyphs if candidate.text == LOST and candidate.direction == UPRIGHT][:_MOST]
    digits = [candidate for candidate in glyphs if candidate.text.isdigit()] if lost else []
    for glyph in lost:
        near = (digit for digit in digits if min(glyph.bottom, digit.bottom) > max(glyph.top, digit.top))
        if any(max(digit.left - glyph.right, glyph.left - digit.right) < _TOUCHING * digit.size for digit in near):
            yield glyph[1:5]


def _lines(glyphs: list[Glyph], drawings: Drawings, page: int, width: float, height: float) -> Iterator[PageLine]:
    for direction in sorted({glyph.direction for glyph in glyphs}, key=lambda d: (d != UPRIGHT, d)):
        alike = fragments([glyph for glyph in glyphs if glyph.direction == direction])
        if direction == UPRIGHT:
            yield from _upright_lines(alike, drawings, page, width, height)
            continue
        for region in regions(alike, 0.0):
            for line in lines(region):
                written = tuple(pieces(line))
                if written:
                    yield PageLine(page, shown_box(line.box, direction), line.size, written)


def _upright_lines(
    found: Sequence[Fragment], drawings: Drawings, page: int, width: float, height: float
) -> Iterator[PageLine]:
    """The lines of the text of a page and of the notes in its margin, without the numbers of lines."""
    alike = [closed_up(number) for number in without_line_numbers(found)]
    notes = margin_notes(alike, width)
    noted = {id(fragment) for note in notes for fragment in note}
    alike = [file for file in alike if id(file) not in noted]
    cards = filter(None, card_by_card(alike, card_rows(drawings.straight, alike)))
    parts = chain.from_iterable(_halves(card, width, height) for card in cards)
    regions_read = chain.from_iterable(_regions(part, drawings, width, height) for part in parts)
    read = with_wrapped_cells(
        list(chain.from_iterable(page_rows(lines(part), page, near) for part, near in regions_read))
    )
    nothing = Drawings([], [], [], [], [], [], [], [], [])
    yield from with_notes(read, [list(page_rows(lines(note), page, nothing)) for note in notes])


def _halves(found: list[Fragment], width: float, height: float) -> list[list[Fragment]]:
    """The upper and the lower half of a sheet on which four pages are printed: with nothing but page numbers between
    them, and two columns in each."""
    words = [fragment for fragment in found if not fragment.text.isdecimal()]
    upper, lower = _above_and_below(words, height / 2)
    above = max((fragment.bottom for fragment in upper), default=0.0)
    below = min((fragment.top for fragment in lower), default=height)
    if not lower or below - above < _BETWEEN_PAGES * height:
        return [found]
    halves = _above_and_below(found, (above + below) / 2)
    both = all(len(drawn_columns(half, width, height)) > 1 or len(regions(half, height)) > 1 for half in halves)
    return [*halves] if both else [found]


def _above_and_below(found: Iterable[Fragment], edge: float) -> tuple[list[Fragment], list[Fragment]]:
    """The fragments above a height, and those below."""
    parts: tuple[list[Fragment], list[Fragment]] = [], []
    for fragment in found:
        parts[fragment.baseline >= edge].append(fragment)
    return parts


_BETWEEN_PAGES: Final = 0.05
"""Of a sheet's height."""


def _regions(
    upright: list[Fragment], drawings: Drawings, width: float, height: float
) -> Iterator[tuple[list[Fragment], Drawings]]:
    """The parts of a page that are read one after the other, each with the drawings that may be its own: the rules of
    a table that is too wide for its column begin left of the next one."""
    columns = drawn_columns(upright, width, height)
    # KaTeX draws a root with a bar that reaches over the edge of the page, and shows a part of it.
    roots = [box for box in (*drawings.straight, *drawings.curved, *drawings.plots) if 0 < box[0] < width < box[2]]
    for column in columns:
        near = drawings if column.left == -inf else right_of(column.left - column.fragments[0].size, drawings)
        whole = with_fractions(column.fragments, near.rules, near.uprights, roots)
        across = [rule.box for rule in rules_of(near.rules[:MOST_RULES])]
        for region in regions(whole, height, across) if len(columns) == 1 else [whole]:
            yield region, near
