"""A hand-in's files as they look, for staff: pages of PDFs and the pictures of other files, drawn in a cage when
somebody asks for one, and kept beside the results by the content of the hand-in.
"""

import hashlib
import shutil
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

from pydantic import Field, ValidationError

from grader.frozen import Frozen
from grader.intake.opening import open_submission
from grader.intake.submission import Source, Submission, SubmittedFile
from grader.message import Message, say
from grader.pipeline.cage import Bounds, temporary_folder
from grader.pipeline.isolation import Outcome, Send, run_isolated
from grader.pipeline.outputs import write_atomically
from grader.pipeline.worker import files_of
from grader.reading.pdf.crop import CropError, Passage, opened_pages, page_image
from grader.reading.pdf.scans import FORMATS, MOST_PIXELS
from grader.reading.pictures import pictures_in
from grader.result import Result

KEPT: Final = ".pages"
"""The folder beside the results that keeps what was drawn."""
MOST_KEPT: Final = 512 * 2**20
"""In bytes: beyond it, the hand-ins that were looked at first are removed from the folder."""
MOST_PICTURES: Final = 60
"""Of one file."""
SECONDS: Final = 30.0
_MOST_SENT: Final = 24 * 2**20
_LONGEST_SIDE: Final = 1_400
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_DRAWN, _IMAGE, _PROBLEM = b"D", b"I", b"E"
"""The tags of what a worker sends: what it drew, each picture as PNG, and why there is none."""


_REASONS: Final = {
    "changed": say("The submission has changed since it was graded."),
    "gone": say("The file is not among those that were handed in."),
}


class SheetError(Exception):
    """There is nothing to show; `reason` says why, for staff."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


class Spot(Frozen):
    """The place of a picture: the cell of a notebook, counted from 0, and the line of the file or cell, counted from 1,
    as far as known."""

    cell: int | None = None
    line: int | None = None


class Drawing(Frozen):
    """A page of a PDF, of how many and how large in points; of another file the places of its pictures, in order, and
    the number of those that cannot be shown."""

    pages: Annotated[int, Field(ge=0, le=100_000)] = 0
    width: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    height: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    spots: Annotated[tuple[Spot, ...], Field(max_length=MOST_PICTURES)] = ()
    unseen: int = 0


@dataclass(frozen=True)
class SheetJob:
    """A page of a file to draw, or the pictures of a file, of the hand-in with a hash. `work` is an empty folder."""

    source: Source
    sha256: str
    file: str
    page: int
    work: Path


class Sheets:
    """Draws pages and pictures on demand, one at a time. `find` tells where the hand-ins lie, by student; it is asked
    when something is to be drawn, and again when the results have changed. Thread-safe."""

    def __init__(self, out: Path, find: Callable[[], Mapping[str, Source]]) -> None:
        self._folder, self._find = out / KEPT, find
        self._lock = threading.Lock()
        self._sources: Mapping[str, Source] = {}
        self._as_of: object = None
        self._is_ready = False

    def make_ready(self) -> None:
        """Start, once and in the background, what the first page would have to wait for."""
        if not self._is_ready:
            self._is_ready = True
            threading.Thread(target=lambda: deque(_isolated(()), maxlen=0), daemon=True).start()

    def draw_page(self, result: Result, file: str, page: int, as_of: object) -> Drawing:
        """Return the drawing of a page of a hand-in's file; pages count from 1. Raises SheetError."""
        kept = self._kept(result, file, page)
        with self._lock:
            found = _read_back(kept)
            if found is None:
                if as_of != self._as_of:
                    self._sources, self._as_of = self._find(), as_of
                source = self._sources.get(result.student.id)
                if source is None:
                    raise SheetError(say("The submission is not where it was graded; name its place by --submissions."))
                self._make_room()
                found = _keep(kept, *_done(source, result.submission.sha256, file, page))
        return found

    def picture(self, result: Result, file: str, page: int, number: int) -> bytes | None:
        """A picture of what was drawn, by its number from 0."""
        try:
            return (self._kept(result, file, page) / f"{number}.png").read_bytes()
        except (OSError, SheetError):
            return None

    def _kept(self, result: Result, file: str, page: int) -> Path:
        if file not in {candidate.path for candidate in result.submission.files}:
            raise SheetError(say("The file is not among those that were handed in."))
        of_file = hashlib.sha256(f"{page}\0{file}".encode("utf-8", "surrogateescape")).hexdigest()
        hand_in = hashlib.sha256(result.submission.sha256.encode()).hexdigest()
        return self._folder / hand_in / of_file[:32]

    def _make_room(self) -> None:
        """Remove the hand-ins that were drawn first while there is too much."""
        sizes = {
            folder: sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            for folder in (self._folder.iterdir() if self._folder.is_dir() else ())
        }
        for folder in sorted(sizes, key=lambda path: path.stat().st_mtime_ns):
            if sum(sizes.values()) <= MOST_KEPT:
                break
            shutil.rmtree(folder, ignore_errors=True)
            del sizes[folder]


def _read_back(kept: Path) -> Drawing | None:
    try:
        return Drawing.model_validate_json((kept / "drawn.json").read_bytes())
    except (OSError, ValidationError):
        return None


def _keep(kept: Path, drawn: Drawing, pictures: Sequence[bytes]) -> Drawing:
    """Write the pictures, then what they are of: what is read back is whole. The pages are for staff alone."""
    kept.mkdir(parents=True, exist_ok=True, mode=0o700)
    for number, picture in enumerate(pictures):
        write_atomically(kept / f"{number}.png", picture, 0o600)
    write_atomically(kept / "drawn.json", drawn.model_dump_json().encode(), 0o600)
    return drawn


def _done(source: Source, sha256: str, file: str, page: int) -> tuple[Drawing, list[bytes]]:
    """Return what a worker in its cage draws. It handles a stranger's files, so nothing it sends is taken for
    granted."""
    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as work:
        (outcome,) = _isolated((SheetJob(source, sha256, file, page, Path(work)),))
    return _received(outcome)


def _isolated(jobs: Sequence[SheetJob]) -> Iterator[Outcome]:
    return run_isolated(
        draw,
        jobs,
        workers=1,
        preload=("grader.pipeline.warm",),
        seconds=SECONDS,
        bounds=lambda job: Bounds(files_of(job.source), job.work),
    )


def _received(outcome: Outcome) -> tuple[Drawing, list[bytes]]:
    sent = outcome.sent
    problem = sent.get(_PROBLEM, b"").decode(errors="replace")[:300] or outcome.failure
    if problem:
        raise SheetError(_REASONS.get(problem) or say("This cannot be shown: {reason}", reason=problem))
    pictures = [message[1:] for message in outcome.messages if message.startswith(_IMAGE + _PNG)]
    try:
        drawn = Drawing.model_validate_json(sent.get(_DRAWN, b""))
    except ValidationError:
        drawn, pictures = Drawing(), []
    if len(pictures) != max(bool(drawn.pages), len(drawn.spots)) or sum(map(len, pictures)) > _MOST_SENT:
        raise SheetError(say("This cannot be shown: {reason}", reason=say("its process sent no valid result")))
    return drawn, pictures


def draw(job: SheetJob, send: Send) -> None:
    """Draw what a job asks for and send it, or why that cannot be done. It runs in the cage."""
    try:
        submission = open_submission(job.source, job.work)
        file = next((candidate for candidate in submission.files if candidate.path == job.file), None)
        if submission.sha256 != job.sha256 or file is None:
            send(_PROBLEM + (b"gone" if file is None and submission.sha256 == job.sha256 else b"changed"))
            return
        drawn, pictures = _page(file, job.page) if is_pdf(file.path) else _pictures(file, submission)
    except CropError as error:
        send(_PROBLEM + str(error).encode())
        return
    send(_DRAWN + drawn.model_dump_json().encode())
    for picture in pictures:
        send(_IMAGE + picture)


def is_pdf(path: str) -> bool:
    """Whether a file is shown page by page."""
    return PurePosixPath(path).suffix.lower() == ".pdf"


def _page(file: SubmittedFile, page: int) -> tuple[Drawing, list[bytes]]:
    with opened_pages(file.location) as pdf:
        image = page_image(pdf, page)
        pages = len(pdf)
    height, width = image.size
    drawn = Drawing(pages=pages, width=round(width / image.scale, 2), height=round(height / image.scale, 2))
    return drawn, [image.png(Passage(0, 0, width, height), ())]


def _pictures(file: SubmittedFile, submission: Submission) -> tuple[Drawing, list[bytes]]:
    """The pictures of a file, drawn anew from what is in them."""
    spots: list[Spot] = []
    pictures: list[bytes] = []
    unseen, room = 0, _MOST_SENT
    for picture in islice(pictures_in(file, submission.files), 2 * MOST_PICTURES):
        png = _as_png(picture.content) if picture.content else None
        if png is None or len(png) > room or len(spots) == MOST_PICTURES:
            unseen += 1
            continue
        spots.append(Spot(cell=picture.cell, line=picture.line))
        pictures.append(png)
        room -= len(png)
    return Drawing(spots=tuple(spots), unseen=unseen), pictures


def _as_png(content: bytes) -> bytes | None:
    """A picture as a new PNG, no larger than a screen shows; None for what is no picture of a known kind."""
    from PIL import Image

    written = BytesIO()
    try:
        if content.startswith(b"%PDF-"):  # a figure that a LaTeX document includes
            with tempfile.NamedTemporaryFile(suffix=".pdf") as copy:
                copy.write(content)
                copy.flush()
                with opened_pages(Path(copy.name)) as pdf:
                    image = page_image(pdf, 1)
                    height, width = image.size
                    return image.png(Passage(0, 0, width, height), ())
        with Image.open(BytesIO(content), formats=FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                return None
            opened.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
            shown = opened.convert("RGBA")
            paper = Image.new("RGBA", shown.size, "white")
            Image.alpha_composite(paper, shown).convert("RGB").save(written, "PNG")
    except Exception:  # decoders of pictures raise errors of any kind for damaged ones
        return None
    return written.getvalue()
