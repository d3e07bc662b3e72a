"""Pictures of places on the students' own pages, as plain data: reports do not open what was handed in."""

from base64 import b64encode
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.frozen import Frozen
from grader.result import Evidence

Place = tuple[str, str, int, tuple[float, float, float, float]]
"""An item, a file, a page counted from 1, and a box on it in points: where something stands that the item rests on."""


class Picture(NamedTuple):
    """A PNG with the size, in points, that it has on the student's page."""

    png: bytes
    width: float
    height: float


Pictures = Mapping[Place, Picture]
NONE: Final[Pictures] = MappingProxyType({})
SHRUNK: Final = 0.8
"""Pages are set in larger letters than reports."""
WIDEST: Final = 340.0


class Shown(Frozen):
    """A picture on a page: what its `src` is, and its width as a CSS length."""

    url: str
    width: str


def place_of(item: str, evidence: Evidence) -> Place | None:
    """What a picture of a piece of an item's evidence is kept under; None for what has no place on a page. Places that
    stand together may share one picture."""
    if evidence.page is None or evidence.box is None:
        return None
    return item, evidence.file, evidence.page, evidence.box


def served(pictures: Pictures) -> dict[str, bytes]:
    """The PNGs by short URLs, as `html_to_pdf` takes them."""
    return {_short_url(number): png for png, number in _numbered(pictures).items()}


def linked(pictures: Pictures) -> dict[Place, Shown]:
    """The pictures for a page that is made into a PDF: their URLs are those of `served`."""
    numbers = _numbered(pictures)
    return {place: _shown(one, _short_url(numbers[one.png])) for place, one in pictures.items()}


def embedded(pictures: Pictures) -> dict[Place, Shown]:
    """The pictures for a page that stands on its own: their URLs hold all of them."""
    urls = {png: data_url(png, "image/png") for png in _numbered(pictures)}
    return {place: _shown(one, urls[one.png]) for place, one in pictures.items()}


def _numbered(pictures: Pictures) -> dict[bytes, int]:
    """The PNGs, each once."""
    return {png: number for number, png in enumerate(dict.fromkeys(one.png for one in pictures.values()))}


def data_url(content: bytes, kind: str) -> str:
    """A URL that holds the content itself."""
    return f"data:{kind};base64,{b64encode(content).decode()}"


def _short_url(number: int) -> str:
    return f"picture:{number}"


def _shown(picture: Picture, url: str) -> Shown:
    return Shown(url=url, width=f"{min(picture.width * SHRUNK, WIDEST):.1f}pt")
