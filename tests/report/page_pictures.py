"""Pages of PDFs as small grey pictures, and how far two of them differ."""

from pathlib import Path
from typing import NamedTuple

import pypdfium2
from PIL import Image, ImageChops, ImageStat

DPI = 60
BLOCK = 8
"""Pixels of a block; differences within one, as other rasterisers and hinters make them, are averaged away."""


class Difference(NamedTuple):
    """How far two pictures differ, in grey levels of 255: on average, and in the block that differs most."""

    mean: float
    most: float


def pages(pdf: bytes, most: int) -> list[Image.Image]:
    """The first pages, in 16 levels of grey."""
    with pypdfium2.PdfDocument(pdf) as document:
        return [_picture(document[number]) for number in range(min(most, len(document)))]


def difference(one: Image.Image, other: Image.Image) -> Difference:
    """Between pictures of any sizes; those of different sizes differ wholly."""
    if one.size != other.size:
        return Difference(255.0, 255.0)
    coarse = [picture.convert("L").reduce(BLOCK) for picture in (one, other)]
    blocks = ImageChops.difference(*coarse)
    return Difference(ImageStat.Stat(blocks).mean[0], float(blocks.getextrema()[1]))


def store(picture: Image.Image, path: Path) -> None:
    """As a PNG of 16 colours, which is small."""
    picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=16).save(path, optimize=True)


def _picture(page: pypdfium2.PdfPage) -> Image.Image:
    drawn = page.render(scale=DPI / 72, grayscale=True).to_pil().convert("L")
    return drawn.point([round(level / 17) * 17 for level in range(256)])
