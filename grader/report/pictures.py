"""Pictures of places on the students' own pages, as plain data: reports do not open what was handed in."""

from base64 import b64encode
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.frozen import Frozen
from grader.result import Evidence

Place = tuple[str, int, tuple[float, float, float, float]]
"""A file, a page counted from 1, and a box on it in points."""


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


def place_of(evidence: Evidence) -> Place | None:
    """What a picture of a piece of evidence is kept under; None for what has no place on a page."""
    if evidence.page is None or evidence.box is None:
        return None
    return evidence.file, evidence.page, evidence.box


def served(pictures: Pictures) -> dict[str, bytes]:
    """The PNGs by short URLs, as `html_to_pdf` takes them."""
    return {_short_url(number): one.png for number, one in enumerate(pictures.values())}


def linked(pictures: Pictures) -> dict[Place, Shown]:
    """The pictures for a page that is made into a PDF: their URLs are those of `served`."""
    return {place: _shown(one, _short_url(number)) for number, (place, one) in enumerate(pictures.items())}


def embedded(pictures: Pictures) -> dict[Place, Shown]:
    """The pictures for a page that stands on its own: their URLs hold all of them."""
    return {place: _shown(one, data_url(one.png, "image/png")) for place, one in pictures.items()}


def data_url(content: bytes, kind: str) -> str:
    """A URL that holds the content itself."""
    return f"data:{kind};base64,{b64encode(content).decode()}"


def _short_url(number: int) -> str:
    return f"picture:{number}"


def _shown(picture: Picture, url: str) -> Shown:
    return Shown(url=url, width=f"{min(picture.width * SHRUNK, WIDEST):.1f}pt")
