"""Pictures of places on the students' pages, as plain data: reports never open a submitted file."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from struct import error, unpack_from
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.frozen import Frozen
from grader.result import Evidence

Place = tuple[str, str, int, tuple[float, float, float, float]]
"""Where a piece of an item's evidence stands: item, file, page (from 1), and box on it in points."""


class Picture(NamedTuple):
    """A PNG and its size on the student's page, in points."""

    png: bytes
    width: float
    height: float


class IndexedPng(NamedTuple):
    """The content of a PNG of few colours: `levels`, its compressed rows of indices of `bits` each, and `palette`,
    three bytes for each colour."""

    width: int
    height: int
    bits: int
    palette: bytes
    levels: bytes


Pictures = Mapping[Place, Picture]
NONE: Final[Pictures] = MappingProxyType({})
SHRUNK: Final = 0.8
"""Scale of a picture in a report: students' pages use larger letters than reports."""
WIDEST: Final = 340.0


class PagePicture(Frozen):
    """A picture on a page: what its `src` is, its width as a CSS length, and its height in points."""

    url: str
    width: str
    height: float = 0.0


def place_of(item: str, evidence: Evidence) -> Place | None:
    """The key of the picture of a piece of evidence; None for evidence without a place on a page. Neighbouring places
    may share one picture."""
    if evidence.page is None or evidence.box is None:
        return None
    return item, evidence.file, evidence.page, evidence.box


def served_pictures(pictures: Pictures) -> dict[str, bytes]:
    """The PNGs by short URLs, as `html_to_pdf` takes them."""
    return {_short_url(number): png for png, number in _numbered(pictures).items()}


def linked_pictures(pictures: Pictures) -> dict[Place, PagePicture]:
    """The pictures for a page that becomes a PDF, with the URLs of `served_pictures`."""
    numbers = _numbered(pictures)
    return {place: _shown(picture, _short_url(numbers[picture.png])) for place, picture in pictures.items()}


def embedded_pictures(pictures: Pictures) -> dict[Place, PagePicture]:
    """The pictures for a self-contained page, as data URLs."""
    urls = {png: data_url(png, "image/png") for png in _numbered(pictures)}
    return {place: _shown(picture, urls[picture.png]) for place, picture in pictures.items()}


def _numbered(pictures: Pictures) -> dict[bytes, int]:
    """Each distinct PNG with its number."""
    return {png: number for number, png in enumerate(dict.fromkeys(picture.png for picture in pictures.values()))}


def data_url(content: bytes, kind: str) -> str:
    """A URL that holds the content itself."""
    return f"data:{kind};base64,{b64encode(content).decode()}"


def _short_url(number: int) -> str:
    return f"picture:{number}"


_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_BY_PALETTE: Final = 3


def indexed_png(png: bytes) -> IndexedPng | None:
    """The parts of a PNG with a palette, which a PDF can hold as they are; None for any other picture. The header and
    the chunks are those of the PNG specification, sections 5 and 11; the rows themselves are not looked at."""
    try:
        chunks = list(_chunks(png))
        width, height, bits, colour, *methods = unpack_from(">IIBBBBB", chunks[0][1])
    except (error, IndexError):
        return None
    kinds = {kind for kind, _ in chunks}
    if colour != _BY_PALETTE or any(methods) or b"tRNS" in kinds or chunks[0][0] != b"IHDR":
        return None
    palette = b"".join(content for kind, content in chunks if kind == b"PLTE")
    levels = b"".join(content for kind, content in chunks if kind == b"IDAT")
    fits = bits in (1, 2, 4, 8) and width and height and levels and 3 <= len(palette) <= 3 << bits
    return IndexedPng(width, height, bits, palette, levels) if fits and len(palette) % 3 == 0 else None


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The kind and the content of each chunk. Raises struct.error where one is cut off."""
    at = len(_SIGNATURE)
    while png.startswith(_SIGNATURE) and at < len(png):
        size, kind = unpack_from(">I4s", png, at)
        yield kind, unpack_from(f"{size}s", png, at + 8)[0]
        at += size + 12


def _shown(picture: Picture, url: str) -> PagePicture:
    width = min(picture.width * SHRUNK, WIDEST)
    return PagePicture(
        url=url, width=f"{width:.1f}pt", height=round(picture.height * width / max(picture.width, 1.0), 1)
    )
