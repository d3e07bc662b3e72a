"""Pictures of places on the students' pages, as plain data: reports never open a submitted file."""

from base64 import b64encode
from collections.abc import Mapping
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


Pictures = Mapping[Place, Picture]
NONE: Final[Pictures] = MappingProxyType({})
SHRUNK: Final = 0.8
"""Scale of a picture in a report: students' pages use larger letters than reports."""
WIDEST: Final = 340.0


class Shown(Frozen):
    """A picture on a page: what its `src` is, and its width as a CSS length."""

    url: str
    width: str


def place_of(item: str, evidence: Evidence) -> Place | None:
    """The key of the picture of a piece of evidence; None for evidence without a place on a page. Neighbouring places
    may share one picture."""
    if evidence.page is None or evidence.box is None:
        return None
    return item, evidence.file, evidence.page, evidence.box


def served(pictures: Pictures) -> dict[str, bytes]:
    """The PNGs by short URLs, as `html_to_pdf` takes them."""
    return {_short_url(number): png for png, number in _numbered(pictures).items()}


def linked(pictures: Pictures) -> dict[Place, Shown]:
    """The pictures for a page that becomes a PDF, with the URLs of `served`."""
    numbers = _numbered(pictures)
    return {place: _shown(one, _short_url(numbers[one.png])) for place, one in pictures.items()}


def embedded(pictures: Pictures) -> dict[Place, Shown]:
    """The pictures for a self-contained page, as data URLs."""
    urls = {png: data_url(png, "image/png") for png in _numbered(pictures)}
    return {place: _shown(one, urls[one.png]) for place, one in pictures.items()}


def _numbered(pictures: Pictures) -> dict[bytes, int]:
    """Each distinct PNG with its number."""
    return {png: number for number, png in enumerate(dict.fromkeys(one.png for one in pictures.values()))}


def data_url(content: bytes, kind: str) -> str:
    """A URL that holds the content itself."""
    return f"data:{kind};base64,{b64encode(content).decode()}"


def _short_url(number: int) -> str:
    return f"picture:{number}"


def _shown(picture: Picture, url: str) -> Shown:
    return Shown(url=url, width=f"{min(picture.width * SHRUNK, WIDEST):.1f}pt")
