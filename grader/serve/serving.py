"""The review as a web application on an address of this machine.

uvicorn bounds only the time between two requests of a connection. Here a client that owes something has bounded time
for it, and when there are many connections, the one that has owed something for the longest makes room for a new one.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Hashable, Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

import h11
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from grader.gradebook import GradebookError
from grader.gradebook.outline import StoredResultError
from grader.gradebook.releases import LockedError
from grader.message import Language, say
from grader.serve import assigning, marking, views, whole_class
from grader.serve.checking import Desk, Door
from grader.serve.checking import application as checking
from grader.serve.reports import Reports, ReportsGate
from grader.serve.reports import application as students
from grader.serve.review import Access, BadRequestError, Guard, Review

if TYPE_CHECKING:
    from uvicorn import Server

_PARTS: Final = ("/static/", "/crops/", "/pages/")
_NO_PAGE: Final = say("There is no such page.")

Work = Callable[["Review", Request, FormData], Response]


def application(review: Review) -> Starlette:
    """The application of the review; `Guard` has refused unauthorised requests before."""

    def route(path: str, work: Work, method: str = "GET") -> Route:
        async def endpoint(request: Request) -> Response:
            try:
                form = await request.form(max_files=0, max_fields=5000) if method == "POST" else FormData()
            except ClientDisconnect:
                return Response(status_code=400)
            return await run_in_threadpool(_answered, work, review, request, form)

        return Route(path, endpoint, methods=[method])

    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if status != 404:
            return PlainTextResponse(str(getattr(error, "detail", "")), status)
        return await run_in_threadpool(_problem, review, request, review.say(_NO_PAGE), status)

    return Starlette(
        exception_handlers={HTTPException: refused},
        routes=[
            route("/", views.queue),
            route("/groups/{group}", views.group),
            route("/groups/{group}/presence", views.presence),
            route("/groups/{group}/more", views.more_cards),
            route("/groups/{group}/decide", views.decide_group, "POST"),
            route("/undo", views.undo, "POST"),
            route("/students/{student}", views.student_),
            route("/students/{student}/sections", assigning.assign_page),
            route("/students/{student}/sections", assigning.assign, "POST"),
            route("/students/{student}/readings", views.readings),
            route("/students/{student}/surroundings/{item}/{number}", views.surroundings),
            route("/students/{student}/items/{item}/decide", views.decide_item, "POST"),
            route("/students/{student}/whole", views.decide_whole, "POST"),
            route("/students/{student}/requests", views.ask_again, "POST"),
            route("/requests/{request}/answer", views.answer_request, "POST"),
            route("/class", views.class_),
            route("/items/{item}", whole_class.item_page),
            route("/items/{item}/decide", whole_class.decide_for_class, "POST"),
            route("/markers", marking.markers_page),
            route("/markers/{decision}", marking.look_page),
            route("/markers/{decision}/look", marking.keep_look, "POST"),
            route("/history", views.history_),
            route("/finish", views.finish),
            route("/finish", views.begin_finish, "POST"),
            route("/finish/progress", views.finish_progress),
            route("/decisions.toml", views.export),
            route("/crops/{student}/{item}/{number}.png", views.crop),
            route("/crops/{student}/hidden-text.png", views.hidden_text),
            route("/students/{student}/sheet", views.sheet),
            route("/pages/{student}/{page}/{number}.png", views.sheet_picture),
            route("/static/{name}", views.static),
            route("/favicon.ico", views.empty_response),
        ],
    )


def _answered(work: Work, review: Review, request: Request, form: FormData) -> Response:
    try:
        if not request.url.path.startswith(_PARTS):
            review.standing.refresh()
        return work(review, request, form)
    except BadRequestError as error:
        return _problem(review, request, str(error), 400)
    except LookupError:
        return _problem(review, request, review.say(_NO_PAGE), 404)
    except LockedError as error:
        return _problem(review, request, review.say(say("This cannot be done now: {error}", error=error)), 409)
    except (GradebookError, StoredResultError, OSError) as error:
        return PlainTextResponse(review.say(say("This cannot be done now: {error}", error=error)), 503)


def _problem(review: Review, request: Request, text: str, status: int) -> Response:
    """A page that says what is wrong; only its text where a page asks in the background, or for a part of itself."""
    if request.headers.get("hx-request") == "true" or request.url.path.startswith(_PARTS):
        return PlainTextResponse(text, status)
    return review.page(request, "problem", status=status, problem=text)


Told = Callable[[str], None]


class Place(NamedTuple):
    """The address at which the review is served: host and port, TLS files, and the origins under which browsers reach
    it."""

    host: str = "127.0.0.1"
    port: int = 0
    certificate: Path | None = None
    key: Path | None = None
    origins: tuple[str, ...] = ()


class UnsafePlaceError(ValueError):
    """The traffic could be intercepted; the message says what to do."""


def check(place: Place, *, plain: bool) -> None:
    """Raises UnsafePlaceError unless traffic stays on this machine or is encrypted, or `plain` allows it."""
    if (place.certificate is None) != (place.key is None):
        raise UnsafePlaceError("Give both --certificate and --key, or neither.")
    if not is_loopback(place.host) and place.certificate is None and not plain:
        raise UnsafePlaceError(
            f"--host {place.host}: others could read along. Give a TLS certificate (--certificate, --key), serve "
            "behind a proxy that has one (docs/review.md), or say --plain-http."
        )


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def listening(place: Place) -> socket.socket:
    """A listening socket at the place; the system chooses the port where none is given. Raises OSError."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((place.host, place.port))
    except BaseException:
        made.close()
        raise
    return made


def origins(place: Place, port: int) -> tuple[str, ...]:
    """The origins under which browsers reach our pages."""
    scheme = "https" if place.certificate else "http"
    host = f"[{place.host}]" if ":" in place.host else place.host
    own_origins = [f"{scheme}://{host}:{port}"]
    if is_loopback(place.host):
        own_origins += [f"{scheme}://localhost:{port}"]
    return (*(origin_of(origin) for origin in place.origins), *own_origins)


def origin_of(address: str) -> str:
    """The origin of an address as browsers write it. Raises UnsafePlaceError."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UnsafePlaceError(f"--origin {address}: write it as https://grades.example.org.")
    return f"{parts.scheme}://{parts.netloc}".lower()


def serve(review: Review, graders: Iterable[str], place: Place, announce: Told) -> None:
    """Serve until Ctrl-C; `announce` gets each grader's link."""
    bound = listening(place)
    port = bound.getsockname()[1]
    access = Access(graders)
    own_origins = origins(place, port)
    secure = own_origins[0].startswith("https:")
    app = Guard(application(review), access, own_origins, cookie=f"grade_review_{port}", secure=secure)
    server = _server(app, place)
    with contextlib.suppress(KeyboardInterrupt):
        for name in access.graders:
            announce(f"{name}: {own_origins[0]}/enter?token={access.token(name)}")
        server.run(sockets=[bound])


def serve_check(desk: Desk, language: Language, place: Place, announce: Told) -> None:
    """Serve the check for students until Ctrl-C; `announce` gets the address. Everybody who reaches it may upload."""
    bound = listening(place)
    own_origins = origins(place, bound.getsockname()[1])
    app = Door(checking(desk, language), desk, language, own_origins, behind_proxy=bool(place.origins))
    try:
        server = _server(app, place)
        with contextlib.suppress(KeyboardInterrupt):
            announce(f"{own_origins[0]}/")
            server.run(sockets=[bound])
    finally:
        desk.close()


def serve_reports(reports: Reports, place: Place, announce: Told) -> None:
    """Serve released reports to students until Ctrl-C; `announce` gets the address."""
    bound = listening(place)
    port = bound.getsockname()[1]
    own_origins = origins(place, port)
    secure = own_origins[0].startswith("https:")
    app = ReportsGate(students(reports), reports, own_origins, cookie=f"report_{port}", secure=secure)
    server = _server(app, place)
    with contextlib.suppress(KeyboardInterrupt):
        announce(f"{own_origins[0]}/")
        server.run(sockets=[bound])


def _server(app: ASGIApp, place: Place) -> "Server":
    """A server that runs until Ctrl-C; uvicorn raises KeyboardInterrupt again after it has stopped. It is made before
    its address is told, so that Ctrl-C does not come while libraries are loaded."""
    import uvicorn

    _allow_open_files()
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ssl_certfile=place.certificate,
        ssl_keyfile=place.key,
        timeout_graceful_shutdown=3,
        http=BoundedConnection,
        backlog=BACKLOG,
    )
    return uvicorn.Server(config)


def _allow_open_files() -> None:
    """Allow this process as many open files as the system lets it have: every connection is one."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


BACKLOG: Final = 128
"""Connections that are taken at once: few beside those that may be there, as each is an open file."""
_MOST: Final = 400
"""At a time. A new one beyond these takes the place of one that owes something, or is refused if none does."""
_SECONDS: Final = 20.0
"""For the head of a request, for each `_STEP` of its body, and for taking any of what is sent."""
_STEP: Final = 64 * 1024


class BoundedConnection(H11Protocol):
    """A connection whose client has bounded time for all that it owes."""

    _owed: Hashable = None
    _clock: asyncio.TimerHandle | None = None
    _since = 0.0
    _requests = _received = _unsent = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, and make room for it."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that it is told whether anything waits to be sent
        self._look()
        if len(self.connections) > _MOST:
            others = [
                connection
                for connection in self.connections
                if isinstance(connection, BoundedConnection) and connection is not self
            ]
            if owing := [other for other in others if other._owed is not None]:
                longest = min(owing, key=lambda entry: entry._since)
                self.connections.discard(longest)
                longest.transport.abort()
            else:
                self.limit_concurrency = 0  # which refuses its requests

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._clock:
            self._clock.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come, and see what is owed now."""
        self._received += len(data)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self._requests += 1
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Begin to wait until the client takes what is sent."""
        super().pause_writing()
        self._unsent = self.transport.get_write_buffer_size()
        self._look()

    def resume_writing(self) -> None:
        """See what is owed now that the client has taken it."""
        super().resume_writing()
        self._unsent = 0
        self._look()

    def _look(self) -> None:
        owed: Hashable = None
        if self._unsent:
            owed = self._unsent
        elif self.conn.their_state is h11.IDLE:
            owed = ("head", self._requests)
        elif self.conn.their_state is h11.SEND_BODY:
            owed = ("body", self._received // _STEP)
        if owed == self._owed:
            return
        if self._clock:
            self._clock.cancel()
        self._owed, self._since = owed, self.loop.time()
        self._clock = None if owed is None else self.loop.call_later(_SECONDS, self._late)

    def _late(self) -> None:
        if 0 < (left := self.transport.get_write_buffer_size()) < self._unsent:
            self._unsent = left
            self._look()
        else:
            self.transport.abort()
