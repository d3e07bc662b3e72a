"""Texts that a PDF gives in place of what it draws (`/ActualText`), held against what it draws.

PDFium reads them instead of the characters, for which they are meant: the letters of a ligature, a hyphen that is none.
Where one says other words or figures than those that are drawn, the drawn ones are read.
"""

import ctypes
from collections.abc import Iterator
from contextlib import closing
from enum import Enum
from itertools import groupby
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from grader.reading.document import Box
from grader.reading.pdf.characters import LOST, Characters, characters_of, owners_of, sign
from grader.reading.pdf.glyphs import around, frame_of

_KEY: Final = b"ActualText"
_MOST_OBJECTS: Final = 20_000
_MOST_CHARACTERS: Final = 30_000
_DEEPEST: Final = 4
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
    objects: list[tuple[Any, Any]]

    @property
    def owners(self) -> set[int]:
        """The addresses of its text objects."""
        return {ctypes.cast(drawn, ctypes.c_void_p).value or 0 for drawn, _ in self.objects}

    def drop(self) -> None:
        """Make the drawn characters count; only the open page changes, and never the file."""
        import pypdfium2.raw as pdfium

        for drawn, mark in self.objects:
            pdfium.FPDFPageObj_RemoveMark(drawn, mark)


def opened_page(pdf: Any, number: int) -> tuple[Any, tuple[StandIn, ...]]:
    """A page, counted from 1, of an open pypdfium2 document, and the texts that stand for others than it draws or for
    what nobody can read. Of these the drawn characters count on the page that is returned."""
    page = pdf[number - 1]
    spans = list(_spans(page))
    if not spans:
        return page, ()
    frame = frame_of(page, *page.get_size())
    with closing(page):
        said = _texts(page, spans)
        for span in spans:
            span.drop()
        drawn = _texts(page, spans)
    kinds = [_kind(one, other) for (one, _), (other, _) in zip(said, drawn, strict=True)]
    page = pdf[number - 1]
    wrong = [StandIn(text, frame.box(*box), kind) for (text, box), kind in zip(said, kinds, strict=True) if text]
    for span, kind in zip(_spans(page), kinds, strict=True):
        if kind is not Kind.TRUE:
            span.drop()
    return page, tuple(one for one in wrong if one.kind is not Kind.TRUE)


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


def _texts(page: Any, spans: list[_Span]) -> list[tuple[str, Box]]:
    """What is read of the objects of each span now, and its place in the page's own coordinates."""
    with closing(page.get_textpage()) as text_page:
        characters = characters_of(text_page, _MOST_CHARACTERS)
        owners = owners_of(text_page, characters)
    places: dict[int, list[int]] = {}
    for at, owner in enumerate(owners):
        places.setdefault(owner, []).append(at)
    return [_text_of(span, places, characters) for span in spans]


def _text_of(span: _Span, places: dict[int, list[int]], characters: Characters) -> tuple[str, Box]:
    found = sorted(at for owner in span.owners for at in places.get(owner, ()))
    text = "".join(sign(characters.codes[at]) for at in found)
    return text, around([characters.box(at) for at in found]) if found else (0.0, 0.0, 0.0, 0.0)


def _spans(page: Any) -> Iterator[_Span]:
    marked = ((drawn, *found) for drawn in _objects(page) if (found := _marked(drawn)))
    for text, group in groupby(marked, key=lambda one: one[2]):
        yield _Span(text, [(drawn, mark) for drawn, mark, _ in group])


def _objects(page: Any) -> Iterator[Any]:
    """The text objects of a page in the order of drawing."""
    import pypdfium2.raw as pdfium

    count = min(pdfium.FPDFPage_CountObjects(page), _MOST_OBJECTS)
    waiting = [(pdfium.FPDFPage_GetObject(page, index), 0) for index in reversed(range(count))]
    seen = 0
    while waiting and (seen := seen + 1) <= _MOST_OBJECTS:
        drawn, depth = waiting.pop()
        kind = pdfium.FPDFPageObj_GetType(drawn)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            yield drawn
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            inner = min(pdfium.FPDFFormObj_CountObjects(drawn), _MOST_OBJECTS)
            waiting += [(pdfium.FPDFFormObj_GetObject(drawn, index), depth + 1) for index in reversed(range(inner))]


def _marked(drawn: Any) -> tuple[Any, str] | None:
    """The mark of a text object that gives a text for it, and this text."""
    import pypdfium2.raw as pdfium

    for index in range(pdfium.FPDFPageObj_CountMarks(drawn)):
        mark = pdfium.FPDFPageObj_GetMark(drawn, index)
        length = ctypes.c_ulong()
        if pdfium.FPDFPageObjMark_GetParamStringValue(mark, _KEY, None, 0, length):
            room = ctypes.create_string_buffer(min(length.value, _LONGEST))
            units = ctypes.cast(room, ctypes.POINTER(ctypes.c_ushort))
            pdfium.FPDFPageObjMark_GetParamStringValue(mark, _KEY, units, len(room), length)
            return mark, room.raw.decode("utf-16-le", "replace").rstrip("\0")
    return None
