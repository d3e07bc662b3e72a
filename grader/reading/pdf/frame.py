"""From a PDF page's own coordinates to points from the top left corner of the page as it is shown."""

import ctypes
from typing import Any, NamedTuple

from grader.reading.evidence import Box

UPRIGHT = (1, 0)
"""The writing direction of text that runs from left to right."""


class Frame(NamedTuple):
    """An affine map: x' = a x + c y + e, y' = b x + d y + f. It knows the page's rotation and its crop box."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point on the shown page, in points from its top left corner."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A rectangle on the shown page as (left, top, right, bottom)."""
        (x0, y0), (x1, y1) = self.point(left, bottom), self.point(right, top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def direction(self, x: float, y: float) -> tuple[int, int]:
        """The quarter turn nearest to a direction, as a unit vector on the shown page."""
        u, v = self.a * x + self.c * y, self.b * x + self.d * y
        if abs(u) >= abs(v):
            return (1 if u >= 0 else -1), 0
        return 0, (1 if v >= 0 else -1)


def frame_of(page: Any, width: float, height: float) -> Frame:
    """The frame of a pypdfium2 page of this shown size in points."""
    import pypdfium2.raw as pdfium

    scale = min(1000.0, 1e8 / max(width, height, 1.0))
    across, down = int(width * scale), int(height * scale)
    x, y = ctypes.c_int(), ctypes.c_int()

    def shown(px: float, py: float) -> tuple[float, float]:
        pdfium.FPDF_PageToDevice(page, 0, 0, across, down, 0, px, py, x, y)
        return x.value / scale, y.value / scale

    (e, f), (ax, ay), (cx, cy) = shown(0, 0), shown(100, 0), shown(0, 100)
    sides = ((ax - e) / 100, (ay - f) / 100, (cx - e) / 100, (cy - f) / 100)
    a, b, c, d = (round(side) if abs(side - round(side)) < 1e-3 else side for side in sides)
    return Frame(a, b, c, d, e, f)


def upright(box: Box, direction: tuple[int, int]) -> Box:
    """A box in the coordinates in which text of this direction runs from left to right."""
    dx, dy = direction
    left, top, right, bottom = box
    return _ordered(left * dx + top * dy, top * dx - left * dy, right * dx + bottom * dy, bottom * dx - right * dy)


def shown_box(box: Box, direction: tuple[int, int]) -> Box:
    """The inverse of `upright`."""
    dx, dy = direction
    return upright(box, (dx, -dy))


def _ordered(x0: float, y0: float, x1: float, y1: float) -> Box:
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
