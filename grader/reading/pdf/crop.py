"""A picture of a place in a PDF, to show a piece of evidence as it stands on its page."""

import io
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from grader.reading.evidence import Box

MOST_PIXELS: Final = 2_000_000
_LARGEST_SCALE: Final = 8.0
_SMALLEST_SIDE: Final = 4.0


class CropError(ValueError):
    """Why there is no picture: the file, the page or the box is impossible. The message is for people."""


def crop(location: Path, page: int, box: Box, *, margin: float = 12.0, scale: float = 2.0) -> bytes:
    """A PNG of a box on a page, counted from 1, with `margin` points around it, at `scale` pixels to the point.

    `box` is in points from the top left corner of the page as it is shown. The picture is cut off at the page's edges
    and made coarser where it would have more than `MOST_PIXELS` pixels. Scripts and forms in the file do not run.
    The same file and box give the same bytes. Raises CropError.
    """
    import pypdfium2

    if not (0 < scale <= _LARGEST_SCALE and 0 <= margin < 1000 and all(abs(side) < 1e6 for side in box)):
        raise CropError(f"no picture can be made at scale {scale} with margin {margin} of the box {box}")
    try:
        with closing(pypdfium2.PdfDocument(location)) as pdf:
            if not 1 <= page <= len(pdf):
                raise CropError(f"there is no page {page}: the file has {len(pdf)}")
            with closing(pdf[page - 1]) as opened:
                return _picture(opened, box, margin, scale)
    except (pypdfium2.PdfiumError, OSError, MemoryError) as error:
        raise CropError(f"page {page} cannot be shown: {error}") from error


def _picture(page: Any, box: Box, margin: float, scale: float) -> bytes:
    width, height = page.get_size()
    left, top = max(box[0] - margin, 0.0), max(box[1] - margin, 0.0)
    right, bottom = min(box[2] + margin, width), min(box[3] + margin, height)
    if not (right - left >= _SMALLEST_SIDE and bottom - top >= _SMALLEST_SIDE):
        raise CropError(f"the box {box} does not lie on the page, which is {width:g} by {height:g} points")
    fitting = min(scale, (MOST_PIXELS / ((right - left) * (bottom - top))) ** 0.5)
    bitmap = page.render(
        scale=fitting,
        crop=(left, height - bottom, width - right, top),
        may_draw_forms=False,
        draw_annots=False,
        rev_byteorder=True,
    )
    with closing(bitmap):
        image = bitmap.to_pil().convert("RGB")
    written = io.BytesIO()
    image.save(written, "PNG", optimize=False, compress_level=6)
    return written.getvalue()
