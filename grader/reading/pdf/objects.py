"""The objects that a PDF page draws, by their addresses; pdfium is asked in bulk, by loops that run in C."""

import ctypes
from itertools import repeat
from typing import Any, Final

ADDRESS: Final = ctypes.c_void_p
NUMBER_OF: Final = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS)
PART_OF: Final = ctypes.CFUNCTYPE(ADDRESS, ADDRESS, ctypes.c_int)
"""Signatures with bare addresses: cheaper than pypdfium2's own."""

MOST_OBJECTS: Final = 20_000
"""Of one page or embedded drawing."""


def objects_of(page: Any) -> dict[int, int]:
    """The first 20,000 objects of an open pypdfium2 page in the order of drawing, with the kind of each."""
    import pypdfium2.raw as pdfium

    return _kinds(address_of(page.raw), pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject)


def objects_in(form: int) -> dict[int, int]:
    """The first 20,000 objects of an embedded drawing."""
    import pypdfium2.raw as pdfium

    return _kinds(form, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject)


def _kinds(holder: int, count_of: Any, object_of: Any) -> dict[int, int]:
    import pypdfium2.raw as pdfium

    count, kind_of = ctypes.cast(count_of, NUMBER_OF)(holder), ctypes.cast(pdfium.FPDFPageObj_GetType, NUMBER_OF)
    found = list(map(ctypes.cast(object_of, PART_OF), repeat(holder), range(min(count, MOST_OBJECTS))))
    return dict(zip(found, map(kind_of, found), strict=True))


def address_of(pointer: Any) -> int:
    """The address that a pointer of pypdfium2 holds."""
    return ctypes.cast(pointer, ADDRESS).value or 0
