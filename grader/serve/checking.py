"""The students' check in the browser: shows what was read of an upload and keeps nothing. One thread takes uploads from
a queue and reads several at a time; every upload gets an answer.
"""

import asyncio
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Final, NamedTuple

from starlette.applications import Starlette
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from grader.intake.names import printable
from grader.lab.definition import Lab
from grader.message import Language, say
from grader.selfcheck.lines import (
    NOTE,
    next_words,
    notebook_words,
    place_words,
    result_words,
    run_words,
    size_words,
    state_words,
)
from grader.selfcheck.look import Look, UnseenError, looks, why_unseen
from grader.selfcheck.seen import SeenSubmission
from grader.serve.review import Gate, address_of, asset, length_of, render_page

_PAUSE: Final = 0.1
"""Seconds to wait for a hand-in while nothing is being read."""


class Limits(NamedTuple):
    """Limits for one address and for all together. `largest`: bytes of one upload; `hourly`: uploads from one address
    in an hour, 0 for no limit; `waiting`: uploads in the queue."""

    largest: int = 32 * 2**20
    hourly: int = 30
    waiting: int = 200
    files: int = 60


class BusyError(Exception):
    """The queue is full."""


class Desk:
    """Reads uploads from a queue. The folder of an upload is removed before its answer is given, also after an
    error."""

    def __init__(self, lab: Lab, limits: Limits, workers: int) -> None:
        self.lab, self.limits = lab, limits
        self._workers = workers
        self._queue: queue.Queue[tuple[Look, Future[SeenSubmission]]] = queue.Queue(limits.waiting)
        self._answers: dict[Path, Future[SeenSubmission]] = {}
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def folder(self) -> Path:
        """An empty folder for one upload; `submit` or the caller removes it."""
        return Path(tempfile.mkdtemp(prefix="check-"))

    def submit(self, folder: Path, paths: tuple[Path, ...], language: str) -> "Future[SeenSubmission]":
        """A future with what is read of the files in a folder. Raises BusyError, after removing the folder."""
        work = folder / "work"
        work.mkdir()
        answer: Future[SeenSubmission] = Future()
        try:
            self._queue.put_nowait((Look(paths, self.lab, language, work), answer))
        except queue.Full as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise BusyError from error
        return answer

    def close(self) -> None:
        """Accept no more uploads and abandon those that are being read."""
        self._closed = True
        self._thread.join(timeout=5)

    def _work(self) -> None:
        while not self._closed:
            try:
                for look, found in looks(self._waiting(), self._workers):
                    self._set_answer(look.work.parent, found)
            except Exception as error:  # every upload gets an answer, and the thread goes on
                for folder in list(self._answers):
                    self._set_answer(folder, UnseenError(f"{type(error).__name__}: {error}"))

    def _waiting(self) -> Iterator[Look | None]:
        while not self._closed:
            try:
                busy = bool(self._answers)
                look, answer = self._queue.get_nowait() if busy else self._queue.get(timeout=_PAUSE)
            except queue.Empty:
                yield None
                continue
            self._answers[look.work.parent] = answer
            yield look

    def _set_answer(self, folder: Path, found: SeenSubmission | UnseenError) -> None:
        answer = self._answers.pop(folder)
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(found, UnseenError):
            answer.set_exception(found)
        else:
            answer.set_result(found)


class Counter:
    """Counts the uploads of each address within the last hour; older ones are forgotten."""

    _HOUR: Final = 3600.0

    def __init__(self, hourly: int) -> None:
        self._hourly = hourly
        self._times: dict[str, list[float]] = {}

    def admits(self, address: str) -> bool:
        """Whether one more upload of an address is within the limit; it is counted if so."""
        if not self._hourly:
            return True
        since = time.monotonic() - self._HOUR
        times = {text: [time_ for time_ in of if time_ > since] for text, of in self._times.items()}
        self._times = {text: recent for text, recent in times.items() if recent}
        own_times = self._times.setdefault(address, [])
        if len(own_times) >= self._hourly:
            return False
        own_times.append(since + self._HOUR)
        return True


_UPLOAD_SECONDS: Final = 120.0
_ROOM: Final = 64 * 1024
"""Bytes allowed for the form around the files."""
_MOST_PARTS: Final = 10_000
"""Files of an upload that are taken at all: of more than there may be, the answer says how many there may be."""
_LONGEST_NAME: Final = 120
_STATIC: Final = ("review.css", "sans.woff2", "sans-strong.woff2", "mono.woff2", "math.woff2")


class Door(Gate):
    """Middleware that admits only known hosts, and uploads from our own page within the limits on size and number."""

    def __init__(
        self, app: ASGIApp, desk: Desk, language: Language, origins: Iterable[str], *, behind_proxy: bool
    ) -> None:
        super().__init__(app, origins)
        self._desk, self._language = desk, language
        self._counter = Counter(desk.limits.hourly)
        self._behind_proxy = behind_proxy

    def rejection(self, request: Request) -> Response | None:
        """See `Gate`."""
        refused = super().rejection(request)
        if refused or request.method != "POST":
            return refused
        if request.headers.get("origin") not in self._origins:
            return PlainTextResponse("This upload does not come from our page.", 403)
        length = length_of(request)
        if length is None or length > self._desk.limits.largest + _ROOM:
            most = self._desk.limits.largest >> 20
            return self._refusal(request, say("This is too large: an upload may have {most} MiB.", most=most), 413)
        if not self._counter.admits(address_of(request, behind_proxy=self._behind_proxy)):
            hourly = self._desk.limits.hourly
            problem = say(
                "You may check {hourly} submissions an hour; come back later, or install the check.", hourly=hourly
            )
            refused = self._refusal(request, problem, 429)
            refused.headers["retry-after"] = "600"
            return refused
        return None

    def _refusal(self, request: Request, problem: str, status: int) -> Response:
        return _page(request, self._desk, self._language, problem=problem, status=status)


def application(desk: Desk, language: Language) -> Starlette:
    """The application of the check; `Door` has refused inadmissible requests before."""

    async def start(request: Request) -> Response:
        return _page(request, desk, language)

    async def check(request: Request) -> Response:
        return await _checked(request, desk, language)

    async def static(request: Request) -> Response:
        name = request.path_params["name"]
        found = asset(name) if name in _STATIC else None
        if found is None:
            return PlainTextResponse("There is no such page.", 404)
        return Response(found.content, media_type=found.kind)

    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if status != 404:
            return PlainTextResponse(str(getattr(error, "detail", "")), status)
        return _page(request, desk, language, problem=say("There is no such page."), status=status)

    return Starlette(
        exception_handlers={HTTPException: refused},
        routes=[
            Route("/", start),
            Route("/check", check, methods=["POST"]),
            Route("/static/{name}", static),
            Route("/favicon.ico", lambda _: Response(status_code=204)),
        ],
    )


async def _checked(request: Request, desk: Desk, language: Language) -> Response:
    """The response to an upload; its folder is removed in every case."""
    folder = desk.folder()
    try:
        async with asyncio.timeout(_UPLOAD_SECONDS):
            form = await request.form(max_files=_MOST_PARTS, max_fields=4)
        try:
            if len(form.getlist("files")) > desk.limits.files:
                problem = say(
                    "An upload may have {most} files; put yours into a zip archive and choose that.",
                    most=desk.limits.files,
                )
                return _page(request, desk, language, problem=problem, status=413)
            paths = await asyncio.to_thread(_stored, form, folder)
        finally:
            await form.close()
        if not paths:
            return _page(request, desk, language, problem=say("Choose your files first."), status=400)
        found = await asyncio.wrap_future(desk.submit(folder, paths, language.code))
    except (TimeoutError, ClientDisconnect, HTTPException, OSError):
        problem = say("The upload is not complete; try again.")
        return _page(request, desk, language, problem=problem, status=400)
    except BusyError:
        problem = say("Too many submissions are waiting; try again in some minutes.")
        return _page(request, desk, language, problem=problem, status=503)
    except UnseenError as error:
        return _page(request, desk, language, problem=why_unseen(error.args[0]), status=422)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    if "application/json" in request.headers.get("accept", ""):
        return Response(found.model_dump_json(by_alias=True), media_type="application/json")
    return _page(request, desk, language, found=found)


def _stored(form: FormData, folder: Path) -> tuple[Path, ...]:
    """The files of a form, under names of their own in a folder."""
    place = folder / "files"
    place.mkdir()
    paths: list[Path] = []
    for number, upload in enumerate(entry for entry in form.getlist("files") if isinstance(entry, UploadFile)):
        if not upload.filename and not upload.size:  # what a browser sends where no file was chosen
            continue
        name = _safe_name(upload.filename or "", number)
        path = place / name
        if path.exists():
            path = place / f"{number}-{name}"
        with path.open("wb") as file:
            shutil.copyfileobj(upload.file, file)
        paths.append(path)
    return tuple(paths)


def _safe_name(name: str, number: int) -> str:
    """The last part of an uploaded name as a safe file name, with its suffix."""
    last = printable(name.replace("\\", "/").rpartition("/")[2]).lstrip(".").strip()
    stem, dot, ending = last.rpartition(".")
    return f"{stem[:_LONGEST_NAME]}{dot}{ending[:12]}" if dot and stem else last[:_LONGEST_NAME] or f"file-{number}"


def _page(
    request: Request,
    desk: Desk,
    language: Language,
    *,
    found: SeenSubmission | None = None,
    problem: str = "",
    status: int = 200,
) -> Response:
    def translated(words: str) -> str:
        return language.say(words)

    return render_page(
        request,
        "check",
        language,
        status=status,
        lab=translated(desk.lab.title),
        note=translated(NOTE),
        most=desk.limits.largest >> 20,
        found=found,
        problem=translated(problem),
        place=lambda part: translated(place_words(part)),
        state=lambda part: translated(state_words(part)),
        result=lambda part: translated(result_words(part)),
        run=lambda part: translated(run_words(part)),
        size=lambda part: translated(size_words(part, language)),
        notebook=lambda part: translated(notebook_words(part)),
        next=translated(next_words(found)) if found else "",
    )
