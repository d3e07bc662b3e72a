"""Makes what form fields, typed notes and stamps show on a page part of its content, so that it is read, judged visible
or not, and shown as evidence like everything else.
"""

import ctypes
import textwrap
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

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
_NO_LOOK: Final = 2
"""In bytes: the length of an appearance that is not there."""


class _Note(NamedTuple):
    """Text that the file gives without saying how it looks: its place on the page, and its size and colour."""

    text: str
    box: Box
    size: float
    colour: tuple[int, int, int]


def page_with_annotations(pdf: Any, number: int) -> Any:
    """A page, counted from 1, of an open pypdfium2 document, with what its form fields, typed notes and stamps show as
    part of its content; only the open document changes, never the file. No script runs. Raises PdfiumError."""
    import pypdfium2.raw as pdfium

    page = pdf[number - 1]
    holding = (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP)
    count = min(pdfium.FPDFPage_GetAnnotCount(page), _MOST)
    if not any(pdfium.FPDFAnnot_GetSubtype(one) in holding for index in range(count) for one in _opened(page, index)):
        return page
    notes = [note for index in range(count) for one in _opened(page, index) for note in _notes(one, b"Contents")]
    page.render(scale=0.01).close()  # pdfium then makes looks: of fields with their text, of notes without
    notes += [note for index in range(count) for one in _opened(page, index) for note in _notes(one, b"V")]
    if pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
        page.close()
        page = pdf[number - 1]
    for note in notes:
        _write(pdf, page, note)
    return page


def _opened(page: Any, index: int) -> Iterator[Any]:
    """An annotation, while it is open; none where it is damaged."""
    import pypdfium2.raw as pdfium

    if annotation := pdfium.FPDFPage_GetAnnot(page, index):
        yield annotation
        pdfium.FPDFPage_CloseAnnot(annotation)


def _notes(annotation: Any, key: bytes) -> Iterator[_Note]:
    """The text of a typed note (by the key `Contents`) or a field (`V`) without a look of its own, which viewers draw
    nevertheless."""
    import pypdfium2.raw as pdfium

    kind = pdfium.FPDF_ANNOT_WIDGET if key == b"V" else pdfium.FPDF_ANNOT_FREETEXT
    unseen = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
    has_look = pdfium.FPDFAnnot_GetAP(annotation, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) > _NO_LOOK
    if has_look or pdfium.FPDFAnnot_GetSubtype(annotation) != kind or pdfium.FPDFAnnot_GetFlags(annotation) & unseen:
        return
    sides, is_text = pdfium.FS_RECTF(), pdfium.FPDFAnnot_GetValueType(annotation, key) == pdfium.FPDF_OBJECT_STRING
    if is_text and pdfium.FPDFAnnot_GetRect(annotation, sides) and (text := _string(annotation, key).strip()):
        size, colour = _look(_string(annotation, b"DA"))
        yield _Note(text, (sides.left, sides.bottom, sides.right, sides.top), size, colour)


def _string(annotation: Any, key: bytes) -> str:
    import pypdfium2.raw as pdfium

    room = ctypes.create_string_buffer(_LONGEST)
    units = ctypes.cast(room, ctypes.POINTER(ctypes.c_ushort))
    length = min(pdfium.FPDFAnnot_GetStringValue(annotation, key, units, _LONGEST), _LONGEST)
    return room.raw[:length].decode("utf-16-le", "replace").rstrip("\0")


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
            red, green, blue = (min(max(round(255 * one), 0), 255) for one in (numbers[-count:] * 3)[:3])
            colour = red, green, blue
        numbers = []
    return size, colour


def _write(pdf: Any, page: Any, note: _Note) -> None:
    """Draw a note on the open page, in lines from the top of its box down."""
    import pypdfium2.raw as pdfium

    left, bottom, right, top = note.box
    size = min(note.size, max(top - bottom - _MARGIN, 1.0))
    broken = (textwrap.wrap(line, max(int((right - left) / (_WIDTH * size)), 10)) for line in note.text.splitlines())
    for index, line in enumerate(one for lines in broken for one in lines):
        drawn = pdfium.FPDFPageObj_NewTextObj(pdf, b"Helvetica", size)
        units = (ctypes.c_ushort * (len(line) + 1))(*(min(ord(letter), 0xFFFF) for letter in line), 0)
        pdfium.FPDFText_SetText(drawn, units)
        pdfium.FPDFPageObj_SetFillColor(drawn, *note.colour, 255)
        pdfium.FPDFPageObj_Transform(drawn, 1, 0, 0, 1, left + _MARGIN, top - (1 + _LEADING * index) * size)
        pdfium.FPDFPage_InsertObject(page, drawn)
