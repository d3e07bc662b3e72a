"""The parts that all requests of the review share: access, forms, and pages (whole ones, or parts for htmx).

Access is by a link with a token, then a cookie; every change must come from the same origin.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from functools import cache
from mimetypes import guess_type
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from grader.gradebook.decisions import Outcome, Verdict
from grader.gradebook.store import Database
from grader.intake.submission import Source
from grader.message import Language, Message, label_text, say, say_data
from grader.pipeline.sheets import Sheets
from grader.report.render import environment
from grader.report.resources import Presentation, find_template
from grader.report.views.wording import printable
from grader.result import Status
from grader.serve.group_page import conflict_line, counted_answers, outcome_words, progress
from grader.serve.sources import Sources
from grader.serve.standing import Finisher, Nearest, Presence, Standing

_STATIC: Final = {
    "review.css": "review/static/review.css",
    "review.js": "review/static/review.js",
    "report.js": "review/static/report.js",
    "htmx.js": "review/static/htmx.min.js",
    "sans.woff2": "fonts/web/Inter-Regular.woff2",
    "sans-strong.woff2": "fonts/web/Inter-SemiBold.woff2",
    "mono.woff2": "fonts/web/DejaVuSansMono.woff2",
    "math.woff2": "fonts/web/NotoSansMath-Regular.woff2",
}
"""The static files that are served, by the name in the URL."""


class Asset(NamedTuple):
    """A static file of the review."""

    content: bytes
    kind: str
    version: str


@cache
def asset(name: str) -> Asset | None:
    """A static file by its name; None for an unknown name."""
    if name not in _STATIC:
        return None
    content = find_template(_STATIC[name]).read_bytes()
    kind = "font/woff2" if name.endswith(".woff2") else guess_type(name)[0] or "application/octet-stream"
    return Asset(content, kind, hashlib.sha256(content).hexdigest()[:12])


def link(name: str) -> str:
    """The address of a static file; a new version of the file gets a new address."""
    found = asset(name)
    return f"/static/{name}?{found.version}" if found else ""


def render_page(
    request: Request, template: str, language: Language, *, address: str = "", status: int = 200, **values: Any
) -> HTMLResponse:
    """A page; only its main part where htmx asks. `address` is what the browser's bar should then show."""
    part = request.headers.get("hx-request") == "true" and request.headers.get("hx-history-restore-request") != "true"
    made = environment(Presentation(language=language.code)).get_template(f"review/{template}.html")
    text = made.render(frame="review/part.html" if part else "review/page.html", link=link, **values)
    response = HTMLResponse(text, status)
    if part and address:
        response.headers["HX-Push-Url"] = address
    return response


LONGEST_TEXT: Final = 4000


class BadRequestError(Exception):
    """A form that our pages never send; the message says what is wrong with it."""


class Review:
    """The state that all requests share. `find` tells where the hand-ins lie, by student."""

    def __init__(
        self,
        standing: Standing,
        database: Database,
        language: Language,
        finisher: Finisher,
        notes: tuple[str, ...] = (),
        find: Callable[[], Mapping[str, Source]] = dict,
    ) -> None:
        self.standing, self.database, self.language = standing, database, language
        self.finisher, self.notes = finisher, notes
        self.lab = standing.lab.id
        self.sources = Sources(standing.out)
        self.sheets = Sheets(standing.out, find)
        self.nearest = Nearest(standing)
        self.presence = Presence()

    def page(self, request: Request, template: str, *, address: str = "", status: int = 200, **values: Any) -> Response:
        """A page with the values that every page needs."""
        queue = values.pop("queue", None) or self.standing.queue()
        return render_page(
            request,
            template,
            self.language,
            address=address,
            status=status,
            grader=request.state.grader,
            progress=progress(self.standing, queue, self.language),
            lab=self.language.say(self.standing.lab.title),
            **{"toast": "", "conflicts": (), **values},
        )

    def say(self, words: Message) -> str:
        """Words in the language of the page."""
        return self.language.say(words)


def verdict_of(review: Review, item: str, form: FormData) -> Verdict:
    """The verdict that a form gives."""
    given, text = str(form.get("verdict", "")), str(form.get("points", "")).strip()
    comment = text_of(form, "comment")
    if given == "rows":
        return _by_rows(review, item, [str(row) for row in form.getlist("row")], comment)
    if given == "points" or (not given and text):
        return Verdict(None, points_in(review, text, review.standing.items[item].points), comment)
    if given not in (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING):
        raise BadRequestError(review.say(say("Choose a verdict first.")))
    return Verdict(Status(given), None, comment)


def points_in(review: Review, text: str, maximum: Decimal) -> Decimal:
    """The points that a field of a form gives, in multiples of what the lab rounds to. Raises BadRequestError."""
    try:
        worth = Decimal(text.strip().replace(",", "."))
    except InvalidOperation as error:
        raise BadRequestError(review.say(say("Points are a number, such as 1.5."))) from error
    step = review.standing.lab.rounding
    if not (worth.is_finite() and 0 <= worth <= maximum):
        raise BadRequestError(review.say(say("Points are between 0 and {maximum:f}.", maximum=maximum)))
    if worth != maximum and worth % step:
        raise BadRequestError(review.say(say("In this lab points are multiples of {step:f}.", step=step)))
    return worth


def _by_rows(review: Review, item: str, given: list[str], comment: str) -> Verdict:
    """The rows of a rubric that a form ticks. Without a comment the student is told what they say."""
    texts = review.standing.items[item].rubric_texts
    rows = tuple(sorted({number_of(row) for row in given}))
    if not texts or any(not 0 < row <= len(texts) for row in rows):
        raise BadRequestError(review.say(say("This item has no such row of a rubric.")))
    rows_text = " ".join(review.language.say(say_data(texts[row - 1])) for row in rows)
    return Verdict(None, None, comment or rows_text or review.say(say("No row of the rubric holds.")), rows)


def text_of(form: FormData | QueryParams, name: str) -> str:
    """A text field of a form, on one line."""
    return " ".join(printable(str(form.get(name, ""))[:LONGEST_TEXT]).split())


_MOST_DIGITS: Final = 12
"""More than anything here is numbered by; databases take no number of any size."""


def number_of(value: object) -> int:
    """A whole number from a form or a URL."""
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise BadRequestError("A number is missing.")
    return int(text)


def toast(review: Review, outcome: Outcome) -> str:
    """A short message that says what was decided."""
    if not outcome.saved:
        return review.say(say("Nothing was changed."))
    after = outcome_words(outcome.saved[0].after, review.language)
    answers = counted_answers(len(outcome.saved))
    return review.say(label_text(answers, after))


def conflicts(review: Review, outcome: Outcome) -> tuple[Any, ...]:
    """The conflicts of an outcome in words."""
    return tuple(conflict_line(review.standing, conflict, review.language) for conflict in outcome.conflicts)


LARGEST_FORM: Final = 256 * 1024
"""In bytes."""
_MOST_DRAINED: Final = 2**28
"""In bytes: of a request that is refused no more is taken."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_KEPT: Final = b"/static/"
_ENTERED: Final = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Review</title>'
    '<meta http-equiv="refresh" content="0;url=/"></head><body><main><h1>Review</h1>'
    '<p><a href="/">Go on</a></p></main></body></html>'
)
"""An intermediate page: after a link from another site, a browser sends a `SameSite=Strict` cookie only for requests
that start on our own pages."""


class Access:
    """The graders' tokens, and the cookies of those who used them; held in memory only."""

    def __init__(self, graders: Iterable[str]) -> None:
        self._tokens = {name: secrets.token_urlsafe(32) for name in graders}
        self._cookies: dict[str, str] = {}

    def token(self, grader: str) -> str:
        """The secret token in a grader's link."""
        return self._tokens[grader]

    @property
    def graders(self) -> tuple[str, ...]:
        """Everybody who has a link."""
        return tuple(self._tokens)

    def enter(self, token: str) -> str | None:
        """A new cookie for the grader with this token; None for an unknown token."""
        found = [
            name
            for name, stored_token in self._tokens.items()
            if hmac.compare_digest(stored_token.encode(), token.encode())
        ]
        if not found:
            return None
        cookie = secrets.token_urlsafe(32)
        self._cookies[cookie] = found[0]
        return cookie

    def grader(self, cookie: str) -> str | None:
        """The grader with this cookie; None for an unknown cookie."""
        return self._cookies.get(cookie)


class Gate:
    """Middleware that lets through only known hosts and methods, and gives every response the security headers."""

    def __init__(self, app: ASGIApp, origins: Iterable[str]) -> None:
        self._app = app
        self._origins = frozenset(origins)
        self._hosts = frozenset(origin.partition("://")[2] for origin in self._origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on to the application."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        sent = with_headers(send, kept=scope["raw_path"].startswith(_KEPT))
        request = Request(scope, receive)
        if refused := self.rejection(request):
            await _answer_before_it_is_read(request, refused, sent)
        else:
            await self._app(scope, receive, sent)

    def rejection(self, request: Request) -> Response | None:
        """The answer to a request that is not let through."""
        if request.headers.get("host", "") not in self._hosts:
            return PlainTextResponse("This address is not served here.", 421)
        if request.method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Not allowed.", 405)
        if request.method != "POST" and length_of(request) != 0:
            return PlainTextResponse("A request for a page has no content.", 400)
        return None


def length_of(request: Request) -> int | None:
    """The length of a request's content in bytes, None where it is sent without saying how long it is."""
    if "transfer-encoding" in request.headers:  # which counts even where a length is given, too
        return None
    length = request.headers.get("content-length", "0" if request.method != "POST" else "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 19 else None


def address_of(request: Request, *, behind_proxy: bool) -> str:
    """The client's address; behind our proxy, the last entry of `X-Forwarded-For`, which the proxy itself added."""
    if behind_proxy:
        return request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    return request.client.host if request.client else ""


async def _answer_before_it_is_read(request: Request, response: Response, send: Send) -> None:
    """Answer at once, then take what is still sent, and close: a client that sends its request to the end before it
    reads would otherwise find the connection reset, and not the answer."""
    if length_of(request) != 0:
        response.headers["connection"] = "close"
    ends: list[Event] = []

    async def held(message: Event) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            ends.append({**message, "body": b""})
            message = {**message, "more_body": True}
        await send(message)

    await response(request.scope, request.receive, held)
    left = _MOST_DRAINED
    while left > 0 and (message := await request.receive())["type"] == "http.request":
        left -= len(message.get("body", b""))
        if not message.get("more_body", False):
            break
    for end in ends:
        await send(end)


class Guard(Gate):
    """Lets through only known hosts, graders with a cookie, and changes from our own pages."""

    def __init__(self, app: ASGIApp, access: Access, origins: Iterable[str], *, cookie: str, secure: bool) -> None:
        super().__init__(app, origins)
        self._access, self._cookie, self._secure = access, cookie, secure

    def rejection(self, request: Request) -> Response | None:
        """See `Gate`."""
        if refused := super().rejection(request):
            return refused
        if request.method == "POST":
            if request.headers.get("origin") not in self._origins:
                return PlainTextResponse("This change does not come from a page of the review.", 403)
            length = length_of(request)
            if length is None or length > LARGEST_FORM:
                return PlainTextResponse("This form is too large.", 413)
        if request.url.path == "/enter" and request.method == "GET":
            cookie = self._access.enter(parse_qs(request.url.query).get("token", [""])[0])
            if cookie is None:
                return PlainTextResponse("This link is not valid any more; `grade serve` prints the one that is.", 403)
            page = HTMLResponse(_ENTERED)
            page.set_cookie(self._cookie, cookie, httponly=True, samesite="strict", secure=self._secure, path="/")
            return page
        grader = self._access.grader(request.cookies.get(self._cookie, ""))
        if grader is None:
            return PlainTextResponse("Open the review by the link that `grade serve` printed.", 401)
        request.scope.setdefault("state", {})["grader"] = grader
        return None


def with_headers(send: Send, *, kept: bool) -> Send:
    """A `send` that adds the security headers to every response, unless the response has its own; only responses that
    are `kept` may be cached by the browser."""

    async def sent(message: Event) -> None:
        if message["type"] == "http.response.start":
            is_kept = kept and message["status"] == 200
            caching = b"private, max-age=31536000, immutable" if is_kept else b"no-store"
            own_headers = [entry for entry in message.get("headers", []) if entry[0].lower() != b"cache-control"]
            named = {name.lower() for name, _ in own_headers}
            added = [header for header in _HEADERS if header[0] not in named]
            message = {**message, "headers": [*own_headers, *added, (b"cache-control", caching)]}
        await send(message)

    return sent
