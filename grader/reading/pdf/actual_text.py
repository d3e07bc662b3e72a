"""Texts that a PDF gives in place of what it draws (`/ActualText`), held against what it draws.

PDFium reads them instead of the characters, for which they are meant: the letters of a ligature, a hyphen that is none.
Where one says other words or figures than those that are drawn, the drawn ones are read.
"""

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from enum import Enum
from itertools import count, groupby, islice, repeat
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from grader.reading.document import Box
from grader.reading.pdf.characters import LOST, Characters, characters_of, sign
from grader.reading.pdf.glyphs import around, frame_of
from grader.reading.pdf.objects import ADDRESS, MOST_OBJECTS, NUMBER_OF, PART_OF, objects_in, objects_of

_KEY: Final = b"ActualText"
_DEEPEST: Final = 4
_KIND_OF: Final = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.c_char_p)
_LONGEST: Final = 4_000
"""In bytes, of one text that stands for what is drawn."""
_LIGATURE: Final = 3
"""Letters that one drawn sign without a meaning may stand for."""


class Kind(Enum):
    """What a text that stands for what is drawn is to it."""

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
    """An open pypdfium2 page, its text page and characters, and the texts that it gives for others than it draws or for
    what nobody can read. Of these the drawn characters count."""

    page: Any
    text_page: Any
    characters: Characters
    stand_ins: tuple[StandIn, ...]


def opened_page(pdf: Any, number: int, limit: int) -> OpenPage:
    """A page, counted from 1, of an open pypdfium2 document, with the first `limit` characters of it."""
    page = pdf[number - 1]
    spans = list(_spans(page))
    text_page = page.get_textpage()
    characters = characters_of(text_page, limit)
    if not spans:
        return OpenPage(page, text_page, characters, ())
    said = _texts(characters, spans)
    with closing(pdf[number - 1]) as bare:
        drawing = list(_spans(bare))
        for span in drawing:
            span.drop()
        with closing(bare.get_textpage()) as other:
            drawn = _texts(characters_of(other, limit), drawing)
    kinds = [_kind(one, other) for (one, _), (other, _) in zip(said, drawn, strict=True)]
    wrong = [span for span, kind in zip(spans, kinds, strict=True) if kind is not Kind.TRUE]
    if wrong:
        text_page.close()
        for span in wrong:
            span.drop()
        text_page = page.get_textpage()
        characters = characters_of(text_page, limit)
    frame = frame_of(page, *page.get_size())
    found = (StandIn(text, frame.box(*box), kind) for (text, box), kind in zip(said, kinds, strict=True) if text)
    return OpenPage(page, text_page, characters, tuple(one for one in found if one.kind is not Kind.TRUE))


def _kind(said: str, drawn: str) -> Kind:
    """Whether a text says what is drawn: the same letters and digits, whatever their style."""
    one, other = (_letters_and_digits(text) for text in (said, drawn))
    if one == other:
        return Kind.TRUE
    if other and LOST not in drawn:
        return Kind.FALSE
    is_ligature = len(one) <= _LIGATURE and not any(sign.isdigit() for sign in one)
    return Kind.TRUE if is_ligature else Kind.UNKNOWN


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in normalize("NFKD", text).casefold() if character.isalnum())


def _texts(characters: Characters, spans: list[_Span]) -> list[tuple[str, Box]]:
    """What is read of the objects of each span, and its place in the page's own coordinates."""
    places: dict[int, list[int]] = {}
    for at, owner in enumerate(characters.owners.tolist()):
        places.setdefault(owner, []).append(at)
    return [_text_of(span, places, characters) for span in spans]


def _text_of(span: _Span, places: dict[int, list[int]], characters: Characters) -> tuple[str, Box]:
    found = sorted(at for owner, _ in span.objects for at in places.get(owner, ()))
    text = "".join(sign(int(characters.codes[at])) for at in found)
    return text, around([characters.box(at) for at in found]) if found else (0.0, 0.0, 0.0, 0.0)


def _spans(page: Any) -> Iterator[_Span]:
    import pypdfium2.raw as pdfium

    drawn = [one for one, kind in islice(_all(objects_of(page)), MOST_OBJECTS) if kind == pdfium.FPDF_PAGEOBJ_TEXT]
    marks = _marks(drawn)
    marked = ((one, marks[one], _text(marks[one])) for one in drawn if one in marks)
    for text, group in groupby(marked, key=lambda one: one[2]):
        yield _Span(text, [(one, mark) for one, mark, _ in group])


def _all(objects: Mapping[int, int], depth: int = 0) -> Iterator[tuple[int, int]]:
    """Some objects and those of embedded drawings among them, with their kinds, in the order of drawing."""
    import pypdfium2.raw as pdfium

    for one, kind in objects.items():
        yield one, kind
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            yield from _all(objects_in(one), depth + 1)


def _marks(drawn: Sequence[int]) -> dict[int, int]:
    """By text objects: the first mark of each that gives a text for it."""
    import pypdfium2.raw as pdfium

    kind_of = ctypes.cast(pdfium.FPDFPageObjMark_GetParamValueType, _KIND_OF)
    mark_of, count_of = (
        ctypes.cast(function, kind)
        for function, kind in ((pdfium.FPDFPageObj_GetMark, PART_OF), (pdfium.FPDFPageObj_CountMarks, NUMBER_OF))
    )
    found: dict[int, int] = {}
    rest = list(zip(drawn, map(count_of, drawn), strict=True))
    for index in count():
        if not (rest := [(one, number) for one, number in rest if number > index and one not in found]):
            return found
        marks = list(map(mark_of, (one for one, _ in rest), repeat(index)))
        kinds = map(kind_of, marks, repeat(_KEY))
        given = zip(rest, marks, kinds, strict=True)
        found |= {one: mark for (one, _), mark, kind in given if kind == pdfium.FPDF_OBJECT_STRING}
    return found


def _text(mark: int) -> str:
    """The text that a mark gives for an object."""
    import pypdfium2.raw as pdfium

    length, own = ctypes.c_ulong(), ctypes.cast(mark, pdfium.FPDF_PAGEOBJECTMARK)
    pdfium.FPDFPageObjMark_GetParamStringValue(own, _KEY, None, 0, length)
    room = ctypes.create_string_buffer(min(length.value, _LONGEST))
    units = ctypes.cast(room, ctypes.POINTER(ctypes.c_ushort))
    pdfium.FPDFPageObjMark_GetParamStringValue(own, _KEY, units, len(room), length)
    return room.raw.decode("utf-16-le", "replace").rstrip("\0")
