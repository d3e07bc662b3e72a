"""Pictures of the students' own pages, taken from the reports in which they stand: nothing that was handed in is opened
for it."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from grader.report.pictures import Picture, Place, place_of
from grader.result import ItemResult, Result

_PIXELS: Final = 2.0
"""For each point: the scale in which evidence is drawn."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PICTURE: Final = re.compile(r'<img src="data:image/png;base64,([A-Za-z0-9+/=]+)" data-evidence="([0-9 ]{1,60})"')


def page_text(page: Path) -> str:
    """The text of a report as HTML; empty where there is none."""
    try:
        return page.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return ""


def item_pictures(text: str, item: str) -> dict[int, Picture]:
    """The pictures of an item's evidence in a report, by the evidence's number from 0; one may show several."""
    begin = text.find(f'<article data-item="{escape(item)}"')
    end = text.find("</article>", begin)
    if not 0 <= begin < end:
        return {}
    return dict(_pictures(text[begin:end]))


def pictures_of(text: str, result: Result) -> dict[Place, Picture]:
    """All pictures in a student's report by their places, as a new report of the same evidence takes them."""
    return {place: picture for item in result.items for place, picture in _placed(text, item)}


def _placed(text: str, item: ItemResult) -> Iterator[tuple[Place, Picture]]:
    for number, picture in item_pictures(text, item.id).items():
        place = place_of(item.id, item.evidence[number]) if number < len(item.evidence) else None
        if place:
            yield place, picture


def _pictures(article: str) -> Iterator[tuple[int, Picture]]:
    for encoded, numbers in _PICTURE.findall(article):
        picture = _decoded(encoded)
        if picture:
            for number in numbers.split():
                yield int(number), picture


def _decoded(encoded: str) -> Picture | None:
    try:
        png = b64decode(encoded, validate=True)
    except (Error, ValueError):
        return None
    if not png.startswith(_PNG) or len(png) < 24:
        return None
    width, height = (int.from_bytes(png[at : at + 4], "big") / _PIXELS for at in (16, 20))
    return Picture(png, width, height)
