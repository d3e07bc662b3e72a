"""Access control of the review: a link with a token, then a cookie; every change must come from the same origin."""

import hmac
import secrets
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_FORM: Final = 256 * 1024
"""In bytes."""
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
        found = [name for name, known in self._tokens.items() if hmac.compare_digest(known.encode(), token.encode())]
        if not found:
            return None
        cookie = secrets.token_urlsafe(32)
        self._cookies[cookie] = found[0]
        return cookie

    def grader(self, cookie: str) -> str | None:
        """The grader with this cookie; None for an unknown cookie."""
        return self._cookies.get(cookie)


class Guard:
    """Lets through only known hosts, graders with a cookie, and changes from our own pages."""

    def __init__(self, app: ASGIApp, access: Access, origins: Iterable[str], *, cookie: str, secure: bool) -> None:
        self._app, self._access = app, access
        self._origins = frozenset(origins)
        self._hosts = frozenset(origin.partition("://")[2] for origin in self._origins)
        self._cookie, self._secure = cookie, secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on to the application."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        sent = with_headers(send, kept=scope["raw_path"].startswith(_KEPT))
        refused = self._refused(request)
        if refused is not None:
            await refused(scope, receive, sent)
        else:
            await self._app(scope, receive, sent)

    def _refused(self, request: Request) -> Response | None:
        if request.headers.get("host", "") not in self._hosts:
            return PlainTextResponse("This address is not served here.", 421)
        if request.method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Not allowed.", 405)
        if request.method == "POST":
            if request.headers.get("origin") not in self._origins:
                return PlainTextResponse("This change does not come from a page of the review.", 403)
            length = request.headers.get("content-length", "")
            if not length.isdigit() or int(length) > LARGEST_FORM:
                return PlainTextResponse("This form is too large.", 413)
        if request.url.path == "/enter" and request.method == "GET":
            return self._entered(request)
        grader = self._access.grader(request.cookies.get(self._cookie, ""))
        if grader is None:
            return PlainTextResponse("Open the review by the link that `grade serve` printed.", 401)
        request.scope.setdefault("state", {})["grader"] = grader
        return None

    def _entered(self, request: Request) -> Response:
        token = parse_qs(request.url.query).get("token", [""])[0]
        cookie = self._access.enter(token)
        if cookie is None:
            return PlainTextResponse("This link is not valid any more; `grade serve` prints the one that is.", 403)
        page = HTMLResponse(_ENTERED)
        page.set_cookie(self._cookie, cookie, httponly=True, samesite="strict", secure=self._secure, path="/")
        return page


def with_headers(send: Send, *, kept: bool) -> Send:
    """A `send` that adds the security headers to every response; only responses that are `kept` may be cached by the
    browser."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            caching = b"private, max-age=31536000, immutable" if kept else b"no-store"
            own = [one for one in message.get("headers", []) if one[0].lower() != b"cache-control"]
            message = {**message, "headers": [*own, *_HEADERS, (b"cache-control", caching)]}
        await send(message)

    return sent
