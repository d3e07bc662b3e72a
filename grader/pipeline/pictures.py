"""Pictures of the evidence as it stands on the student's own pages, the claims framed. For a class's report they are
taken from the students' reports: nothing that was handed in is opened for it.
"""

import re
import time
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from html import escape
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from grader.cohort.statistics import Class
from grader.intake.submission import Submission
from grader.pipeline.outputs import PAGE
from grader.reading.document import Box
from grader.reading.pdf.crop import CropError, PageImage, Passage, opened_pages, page_image
from grader.report.pictures import Picture, Place, place_of
from grader.report.views.classroom import MOST, class_place
from grader.result import ItemResult, Result, Status

MOST_PICTURES: Final = 40
MOST_BYTES: Final = 4 * 2**20
MOST_SECONDS: Final = 20.0
"""CPU time after which no more pictures are begun: a page may be made to be slow, and a report is worth more."""
MOST_PLACES: Final = 8
"""Of an item's evidence so many places are looked at."""
_TOGETHER: Final = 12.0
"""Points between passages that are shown in one picture, and how high such a picture may be."""
_HIGHEST: Final = 170.0

_T = TypeVar("_T")
Hidden = Mapping[tuple[str, int], Sequence[Box]]


class _Group(NamedTuple):
    """Places on one page that one picture shows."""

    file: str
    page: int
    passage: Passage
    places: tuple[Place, ...]


def evidence_pictures(
    result: Result, submission: Submission, hidden: Hidden = MappingProxyType({})
) -> dict[Place, Picture]:
    """Pictures of the first passage of every item, and the second of those not correct, that stands in a PDF.

    A passage is the row, table or paragraph in which claims stand; claims that stand together share one picture. At
    most `MOST_PICTURES`, `MOST_BYTES` and `MOST_SECONDS`; items that are not correct come first. What cannot be shown
    is left out, and what stands in a `hidden` box of its file and page is painted over. The same hand-in gives the
    same bytes, unless time ran out.
    """
    files = {file.path: file.location for file in submission.files if PurePosixPath(file.path).suffix.lower() == ".pdf"}
    pictures: dict[Place, Picture] = {}
    drawn: dict[tuple[object, ...], Picture] = {}
    size = 0
    with _Pages(files, hidden) as pages:
        for group in _most_useful(result, lambda item: _groups(item, pages)):
            key = (group.file, group.page, group.passage, frozenset(place[3] for place in group.places))
            if key not in drawn:
                if len(drawn) >= MOST_PICTURES or pages.is_late():
                    break
                image = pages.image(group.file, group.page)
                png = image.png(group.passage, [place[3] for place in group.places])
                left, top, right, bottom = group.passage
                drawn[key] = Picture(png, (right - left) / image.scale, (bottom - top) / image.scale)
                size += len(drawn[key].png)
                if size > MOST_BYTES:
                    break
            pictures |= dict.fromkeys(group.places, drawn[key])
    return pictures


def hidden_text_picture(result: Result, submission: Submission) -> bytes | None:
    """A PNG of the page where the first hidden text of a PDF stands, its place framed; None where there is none or the
    page cannot be shown. It is for staff: students' reports do not have it."""
    places = (evidence for flag in result.flags if flag.id == "hidden-text" for evidence in flag.evidence)
    place = next((evidence for evidence in places if evidence.page is not None and evidence.box is not None), None)
    if place is None or place.page is None or place.box is None:
        return None
    files = {file.path: file.location for file in submission.files}
    with _Pages(files, {}) as pages:
        try:
            image = pages.image(place.file, place.page)
            return image.png(image.strip(place.box), [place.box])
        except CropError:  # such as a text beyond the edge of its page
            return None


class _Pages(ExitStack):
    """Pages of files as pictures, each made once."""

    def __init__(self, files: Mapping[str, Path], hidden: Hidden) -> None:
        super().__init__()
        self._files = files
        self._hidden = hidden
        self._opened: dict[str, Any] = {}
        self._images: dict[tuple[str, int], PageImage | CropError] = {}
        self._started = time.process_time()

    def is_late(self) -> bool:
        """Whether there is no more time."""
        return time.process_time() - self._started > MOST_SECONDS

    def image(self, file: str, page: int) -> PageImage:
        """A page; raises CropError."""
        if file not in self._files:
            raise CropError(f"{file} is no PDF of the submission")
        key = file, page
        if key not in self._images:
            try:
                self._images[key] = self._made(file, page)
            except (CropError, OSError, ValueError) as error:
                self._images[key] = CropError(str(error))
        image = self._images[key]
        if isinstance(image, CropError):
            raise image
        return image

    def _made(self, file: str, page: int) -> PageImage:
        if self.is_late():
            raise CropError("there is no more time")
        if file not in self._opened:
            self._opened[file] = self.enter_context(opened_pages(self._files[file]))
        image = page_image(self._opened[file], page)
        image.hide(self._hidden.get((file, page), ()))
        return image


def _most_useful(result: Result, of: Callable[[ItemResult], Sequence[_T]]) -> Iterator[_T]:
    """The first thing of every item and the second of those not correct, which come first."""
    doubtful = [of(item) for item in result.items if item.status is not Status.CORRECT]
    for nth in (0, 1):
        for found in doubtful:
            yield from found[nth : nth + 1]
    for item in result.items:
        if item.status is Status.CORRECT:
            yield from of(item)[:1]


def _groups(item: ItemResult, pages: _Pages) -> list[_Group]:
    """The passages in which an item's evidence stands, in its order; those close to each other as one."""
    groups: list[_Group] = []
    for evidence in item.evidence[:MOST_PLACES]:
        place = place_of(item.id, evidence)
        if place is None:
            continue
        _, file, page, box = place
        try:
            image = pages.image(file, page)
            passage = image.passage([box])
        except CropError:
            continue
        for number, group in enumerate(groups):
            if joined := _joined(group, file, page, passage, image.scale):
                groups[number] = group._replace(passage=joined, places=(*group.places, place))
                break
        else:
            groups.append(_Group(file, page, passage, (place,)))
    return groups


def _joined(group: _Group, file: str, page: int, passage: Passage, scale: float) -> Passage | None:
    """A passage with another group's on the same page, if they stand together."""
    if (group.file, group.page) != (file, page):
        return None
    first, other = group.passage, passage
    both = Passage(*map(min, first[:2], other[:2]), *map(max, first[2:], other[2:]))
    apart = max(first.top, other.top) - min(first.bottom, other.bottom)
    beside = max(first.left, other.left) > min(first.right, other.right)
    if first == other:
        return first
    fits = apart <= _TOGETHER * scale and both.bottom - both.top <= _HIGHEST * scale
    return both if fits and not beside else None


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
    found: dict[int, Picture] = {}
    for encoded, numbers in _PICTURE.findall(text[begin:end]):
        if picture := _decoded(encoded):
            found |= {int(number): picture for number in numbers.split()}
    return found


def pictures_of(text: str, result: Result) -> dict[Place, Picture]:
    """All pictures in a student's report by their places, as a new report of the same evidence takes them: in the order
    of `evidence_pictures`, since where there is too little room the first are kept."""
    shown = _most_useful(result, lambda item: _placed(text, item))
    return {place: picture for places, picture in shown for place in places}


_Placed = tuple[list[Place], Picture]
"""A picture and the places that it shows."""


def _placed(text: str, item: ItemResult) -> list[_Placed]:
    """The pictures of an item in the order of its evidence."""
    groups: dict[bytes, _Placed] = {}
    for number, picture in sorted(item_pictures(text, item.id).items()):
        place = place_of(item.id, item.evidence[number]) if number < len(item.evidence) else None
        if place:
            groups.setdefault(picture.png, ([], picture))[0].append(place)
    return list(groups.values())


def _decoded(encoded: str) -> Picture | None:
    try:
        png = b64decode(encoded, validate=True)
    except (Error, ValueError):
        return None
    if not png.startswith(_PNG) or len(png) < 24:
        return None
    width, height = (int.from_bytes(png[at : at + 4], "big") / _PIXELS for at in (16, 20))
    return Picture(png, width, height)


def example_pictures(out: Path, of: Class) -> dict[Place, Picture]:
    """One for each of the most frequent misconceptions that shows on a page, by `class_place`. `out` holds the
    students' folders; what is not there or cannot be read is left out."""
    found = {}
    for misconception in of.summary.misconceptions[:MOST]:
        for example in of.shown.examples.get(misconception.id, ()):
            place = place_of(example.item, example.evidence[0])  # an item's picture is from its first evidence
            picture = item_pictures(page_text(out / example.student / PAGE), example.item).get(0)
            if place and picture:
                found[class_place(example.student, place)] = picture
                break
    return found
