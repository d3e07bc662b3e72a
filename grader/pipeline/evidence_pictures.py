"""Pictures of the evidence as it stands on the student's own pages, the claim outlined."""

import io
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

from grader.intake.submission import Submission
from grader.reading.evidence import Box
from grader.reading.pdf.crop import CropError, crop
from grader.report.pictures import Picture, Place, place_of
from grader.result import ItemResult, Result, Status

MOST_PICTURES: Final = 40
MOST_BYTES: Final = 4 * 2**20
MOST_SECONDS: Final = 20.0
"""CPU time after which no more pictures are begun: a page may be made to be slow, and a report is worth more."""
_SCALE: Final = 2.0
_MARGIN: Final = 7.0
_WIDEST, _HIGHEST = 560.0, 150.0
_NARROWEST: Final = 260.0
"""In points. A short claim is shown with what stands beside it; of a tall one the beginning."""
_INK: Final = (180, 35, 24)
_COLOURS: Final = 32
_VEIL: Final = (222, 222, 222)
_FRAME, _HALO = 3, 2
"""In pixels: between a claim and its outline, and around what is hidden."""


def evidence_pictures(
    result: Result, submission: Submission, hidden: Mapping[tuple[str, int], Sequence[Box]] = MappingProxyType({})
) -> dict[Place, Picture]:
    """A picture for the first evidence of every item, and the second of those not correct, that stands in a PDF.

    At most `MOST_PICTURES`, `MOST_BYTES` and `MOST_SECONDS`; items that are not correct come first. What cannot
    be shown is left out, and what stands in a `hidden` box of its file and page is painted over. The same hand-in
    gives the same bytes, unless time ran out.
    """
    files = {file.path: file.location for file in submission.files if PurePosixPath(file.path).suffix.lower() == ".pdf"}
    pictures: dict[Place, Picture] = {}
    size = tried = 0
    started = time.process_time()
    for place in _wanted(result):
        if place in pictures or place[0] not in files:
            continue
        tried += 1
        if tried > MOST_PICTURES or time.process_time() - started > MOST_SECONDS:
            break
        try:
            picture = _picture(files[place[0]], place, hidden.get(place[:2], ()))
        except (CropError, OSError, ValueError):
            continue
        size += len(picture.png)
        if size > MOST_BYTES:
            break
        pictures[place] = picture
    return pictures


def _wanted(result: Result) -> Iterator[Place]:
    """Places worth a picture, the most useful first."""
    doubtful = [item for item in result.items if item.status is not Status.CORRECT]
    correct = [item for item in result.items if item.status is Status.CORRECT]
    for items, nth in ((doubtful, 0), (doubtful, 1), (correct, 0)):
        for item in items:
            yield from _nth_place(item, nth)


def _nth_place(item: ItemResult, nth: int) -> Iterator[Place]:
    for evidence in item.evidence[nth : nth + 1]:
        place = place_of(evidence)
        if place is not None:
            yield place


def _picture(location: Path, place: Place, hidden: Sequence[Box]) -> Picture:
    from PIL import Image, ImageDraw

    _, page, box = place
    shown = _shown(box)
    png = crop(location, page, shown, margin=_MARGIN, scale=_SCALE)
    left, top = max(shown[0] - _MARGIN, 0.0), max(shown[1] - _MARGIN, 0.0)
    with Image.open(io.BytesIO(png)) as opened:
        image = opened.convert("RGB")
    drawn = ImageDraw.Draw(image)
    for one in hidden:
        drawn.rectangle(_in_picture(one, left, top, _HALO), fill=_VEIL)
    drawn.rectangle(_in_picture(box, left, top, _FRAME), outline=_INK, width=2)
    written = io.BytesIO()
    image.quantize(_COLOURS, dither=Image.Dither.NONE).save(written, "PNG", compress_level=6)
    return Picture(written.getvalue(), image.width / _SCALE, image.height / _SCALE)


def _in_picture(box: Box, left: float, top: float, grown: float) -> Box:
    """A box of the page in pixels of a picture that begins at `left` and `top`, `grown` pixels on every side."""
    return (
        (box[0] - left) * _SCALE - grown,
        (box[1] - top) * _SCALE - grown,
        (box[2] - left) * _SCALE + grown,
        (box[3] - top) * _SCALE + grown,
    )


def _shown(box: Box) -> Box:
    """The box made wide enough to show what it stands in, and cut where it is too large for a report."""
    left, top, right, bottom = box
    beside = max(0.0, (_NARROWEST - (right - left)) / 2)
    return left - beside, top, min(right + beside, left + _WIDEST), min(bottom, top + _HIGHEST)
