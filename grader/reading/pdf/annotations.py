"""Makes what form fields, typed notes and stamps show on a page part of its content, so that it is read, judged visible
or not, and shown as evidence like everything else.
"""

import ctypes
import textwrap
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from grader.reading.document import Box

_MOST: Final = 2_000
_LONGEST: Final = 20_000
"""In bytes, of the text of one annotation."""
_SIZE: Final = 12.0
"""In points: text whose size the file leaves to the viewer."""
_WIDTH: Final = 0.5
"""In em: the width of a letter, by which lines are broken."""
_LEADING: Final = 1.2
_MARGIN: Final = 2.0
_UNSEEN: Final = 1 << 1 | 1 << 5
"""Flags of annotations that no viewer shows: hidden, and no view."""


class _Note(NamedTuple):
    """Text that the file gives without saying how it looks: its place on the page, and its size and colour."""

    text: str
    box: Box
    size: float
    colour: tuple[int, int, int]


class AnnotatedPage(NamedTuple):
    """An open page, and the texts of its annotations of which it cannot be established whether they are shown."""

    page: Any
    doubtful: tuple[str, ...] = ()


def page_with_annotations(pdf: Any, number: int) -> AnnotatedPage:
    """A page, counted from 1, of an open pypdfium2 document, with what its form fields, typed notes and stamps show as
    part of its content; only the open document changes, never the file. No script runs. Raises PdfiumError."""
    import pypdfium2.raw as pdfium

    page = pdf[number - 1]
    holding = {pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP}
    kinds = [_of(page, index, pdfium.FPDFAnnot_GetSubtype) for index in range(_count(page))]
    if holding.isdisjoint(kinds):
        return AnnotatedPage(page)
    layered = _remove_unseen(page, len(kinds))
    doubtful = tuple(text for index, text in layered if kinds[index] in holding)
    bare = [index for index in range(_count(page)) if not _of(page, index, _drawing)]
    page.render(scale=0.01).close()  # pdfium then makes the missing looks, with the text only where a font is named
    notes = [note for index in bare if (note := _of(page, index, _note))]
    if pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
        page.close()
        page = pdf[number - 1]
    for note in notes:
        _write(pdf, page, note)
    return AnnotatedPage(page, doubtful)


def _remove_unseen(page: Any, count: int) -> list[tuple[int, str]]:
    """Remove those of the first annotations that no viewer shows, and those of layers, which viewers may show or not;
    return the latter's places and texts, the last one first."""
    import pypdfium2.raw as pdfium

    layered = []
    for index in reversed(range(count)):
        is_layered = _of(page, index, lambda entry: pdfium.FPDFAnnot_HasKey(entry, b"OC"))
        if is_layered:
            text = _of(page, index, lambda entry: _string(entry, b"Contents") or _string(entry, b"V"))
            layered.append((index, text or "…"))
        if is_layered or (_of(page, index, pdfium.FPDFAnnot_GetFlags) or 0) & _UNSEEN:
            pdfium.FPDFPage_RemoveAnnot(page, index)
    return layered


def _count(page: Any) -> int:
    import pypdfium2.raw as pdfium

    count: int = pdfium.FPDFPage_GetAnnotCount(page)
    return min(count, _MOST)


_T = TypeVar("_T")


def _of(page: Any, index: int, ask: Callable[[Any], _T]) -> _T | None:
    """The answer of an annotation; None where it is damaged."""
    import pypdfium2.raw as pdfium

    if not (annotation := pdfium.FPDFPage_GetAnnot(page, index)):
        return None
    try:
        return ask(annotation)
    finally:
        pdfium.FPDFPage_CloseAnnot(annotation)


def _drawing(annotation: Any) -> str:
    """The operators that draw an annotation."""
    import pypdfium2.raw as pdfium

    room = ctypes.create_string_buffer(_LONGEST)
    units, normal = ctypes.cast(room, ctypes.POINTER(ctypes.c_ushort)), pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL
    return _decoded(room, pdfium.FPDFAnnot_GetAP(annotation, normal, units, _LONGEST))


def _note(annotation: Any) -> _Note | None:
    """The text of a typed note or a field whose look lacks it, which viewers draw nevertheless."""
    import pypdfium2.raw as pdfium

    keys = {pdfium.FPDF_ANNOT_WIDGET: b"V", pdfium.FPDF_ANNOT_FREETEXT: b"Contents"}
    key, sides = keys.get(pdfium.FPDFAnnot_GetSubtype(annotation)), pdfium.FS_RECTF()
    if not key or "Tf" in _drawing(annotation) or not pdfium.FPDFAnnot_GetRect(annotation, sides):
        return None
    if pdfium.FPDFAnnot_GetValueType(annotation, key) != pdfium.FPDF_OBJECT_STRING:
        return None
    size, colour = _look(_string(annotation, b"DA"))
    return _Note(_string(annotation, key), (sides.left, sides.bottom, sides.right, sides.top), size, colour)


def _string(annotation: Any, key: bytes) -> str:
    import pypdfium2.raw as pdfium

    room = ctypes.create_string_buffer(_LONGEST)
    units = ctypes.cast(room, ctypes.POINTER(ctypes.c_ushort))
    return _decoded(room, pdfium.FPDFAnnot_GetStringValue(annotation, key, units, _LONGEST))


def _decoded(room: "ctypes.Array[ctypes.c_char]", length: int) -> str:
    """Return the text that pdfium wrote; a text for which there is no room is not written at all."""
    return room.raw[:length].decode("utf-16-le", "replace").rstrip("\0") if length <= _LONGEST else "…"


def _look(appearance: str) -> tuple[float, tuple[int, int, int]]:
    """Size and colour as a default appearance gives them: `/Helv 12 Tf 0 0 1 rg`."""
    size, colour = _SIZE, (0, 0, 0)
    numbers: list[float] = []
    for word in appearance.split():
        if word.lstrip("+-").replace(".", "", 1).isdigit():
            numbers.append(float(word))
            continue
        if word == "Tf" and numbers and numbers[-1] > 0:
            size = numbers[-1]
        elif word in ("g", "rg") and len(numbers) >= (count := 1 if word == "g" else 3):
            red, green, blue = (min(max(round(255 * number), 0), 255) for number in (numbers[-count:] * 3)[:3])
            colour = red, green, blue
        numbers = []
    return size, colour


def _write(pdf: Any, page: Any, note: _Note) -> None:
    """Draw a note on the open page, in lines from the top of its box down."""
    import pypdfium2.raw as pdfium

    left, bottom, right, top = note.box
    size = min(note.size, max(top - bottom - _MARGIN, 1.0))
    broken = (textwrap.wrap(line, max(int((right - left) / (_WIDTH * size)), 10)) for line in note.text.splitlines())
    for index, line in enumerate(candidate for lines in broken for candidate in lines):
        drawn = pdfium.FPDFPageObj_NewTextObj(pdf, b"Helvetica", size)
        units = (ctypes.c_ushort * (len(line) + 1))(*(min(ord(letter), 0xFFFF) for letter in line), 0)
        pdfium.FPDFText_SetText(drawn, units)
        pdfium.FPDFPageObj_SetFillColor(drawn, *note.colour, 255)
        pdfium.FPDFPageObj_Transform(drawn, 1, 0, 0, 1, left + _MARGIN, top - (1 + _LEADING * index) * size)
        pdfium.FPDFPage_InsertObject(page, drawn)
