"""Released reports for students in the browser: each reads the report of their own hand-in and asks about its items.

A student is known by the token of a link alone, so no address names a student, an item or a file. Only released files
are served; they lie under their hashes, and which hash belongs to whom is in the gradebook.
"""

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from grader.frozen import Frozen
from grader.gradebook import GradebookError
from grader.gradebook.releases import Link, Release, link_with, may_read, releases
from grader.gradebook.requests import Refusal, ReviewRequest, ask_once, requests_of
from grader.gradebook.store import Database
from grader.lab.definition import Lab
from grader.message import Language, Message, Words, say
from grader.pipeline.outputs import PAGE, REPORT, RESULT
from grader.report.views.student import ItemView, call, item_view, student_copy
from grader.report.views.wording import clip, moment, points
from grader.result import Result
from grader.serve.review import Gate, address_of, asset, length_of, render_page, text_of

LONGEST: Final = 2000
"""Characters of a question."""
_LARGEST_FORM: Final = 32 * 1024
"""In bytes: a question of the longest words in any writing, and the form around it."""
_STATIC: Final = ("review.css", "report.js", "sans.woff2", "sans-strong.woff2", "mono.woff2", "math.woff2")
_REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; sandbox"
)
"""A report holds its styles, pictures and fonts in itself, and nothing else may load or run."""

_NO_LINK: Final = say("This link is not valid. It may have been replaced by a newer one: ask your teacher.")
_NO_PAGE: Final = say("There is no such page.")
_TOO_OFTEN: Final = say("There were too many requests at once. Please wait a minute, then try again.")


class Rates(NamedTuple):
    """Requests that are answered at once, and how many more each second: for a token, and for those of an address that
    come without a valid one."""

    token: tuple[int, float] = (120, 2.0)
    stranger: tuple[int, float] = (30, 0.2)


class Allowance:
    """Counts requests by key: so many at once (`burst`), and so many more each second. Thread-safe."""

    _MOST: Final = 10_000

    def __init__(self, burst: int, per_second: float) -> None:
        self._burst, self._rate = burst, per_second
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, key: str) -> bool:
        """Whether one more request is within the limit; it is counted if so."""
        now = time.monotonic()
        with self._lock:
            if len(self._left) >= self._MOST:
                self._left = {text: kept for text, kept in self._left.items() if self._now(kept, now) < self._burst}
            left = self._now(self._left.get(key, (self._burst, now)), now)
            self._left[key] = (left - 1 if left >= 1 else left), now
            return left >= 1

    def _now(self, kept: tuple[float, float], now: float) -> float:
        left, when = kept
        return min(left + (now - when) * self._rate, self._burst)


class Reports:
    """The state that all requests share. `folder` holds the released files under their hashes."""

    def __init__(
        self,
        folder: Path,
        database: Database,
        lab: Lab,
        language: Language,
        *,
        behind_proxy: bool = False,
        rates: Rates = Rates(),  # noqa: B008  # frozen
    ) -> None:
        self.folder, self.database, self.lab, self.language = folder, database, lab, language
        self._behind_proxy = behind_proxy
        self._tokens, self._strangers = Allowance(*rates.token), Allowance(*rates.stranger)
        self.cookie, self.secure = "report", False

    def link_of(self, token: str) -> Link | None:
        """The link with a token."""
        return link_with(self.database, self.lab.id, token)

    def admits(self, request: Request, link: Link | None) -> bool:
        """Whether a request is within the limits. Whoever has a valid token does not suffer from what others send from
        the same address."""
        if link:
            return self._tokens.take(str(link.id))
        return self._strangers.take(address_of(request, behind_proxy=self._behind_proxy))

    def release_of(self, link: Link) -> Release | None:
        """Return the release that the person with a link may see."""
        return releases(self.database, self.lab.id, link.student).get(link.student)

    def content(self, release: Release, name: str) -> bytes | None:
        """A released file. Raises OSError where it is not there as it was released."""
        sha256 = release.files.get(name)
        if sha256 is None:
            return None
        content = (self.folder / sha256).read_bytes()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise OSError(f"{name} is not as it was released")
        return content

    def page(
        self, request: Request, template: str, *, status: int = 200, problem: Words = "", **values: Any
    ) -> Response:
        """A page with the values that every page needs."""
        page_values = {"lab": self.language.say(self.lab.title), "problem": self.language.say(problem), **values}
        return render_page(request, template, self.language, status=status, **page_values)

    def entrance(self, request: Request, problem: Words = "", status: int = 200) -> Response:
        """The page that takes the token of a link."""
        return self.page(request, "report_enter", problem=problem, status=status)


class Visit(NamedTuple):
    """A request by a person with a valid link about a hand-in that is released."""

    reports: Reports
    request: Request
    form: FormData
    link: Link
    release: Release
    result: Result


def application(reports: Reports) -> Starlette:
    """The application; `ReportsGate` has refused inadmissible requests before."""

    def route(path: str, work: Callable[[Visit], Response], method: str = "GET") -> Route:
        async def endpoint(request: Request) -> Response:
            try:
                form = await request.form(max_files=0, max_fields=5) if method == "POST" else FormData()
            except ClientDisconnect:
                return Response(status_code=400)
            return await run_in_threadpool(_answered, reports, request, form, work)

        return Route(path, endpoint, methods=[method])

    async def static(request: Request) -> Response:
        name = request.path_params["name"]
        found = asset(name) if name in _STATIC else None
        return Response(found.content, media_type=found.kind) if found else PlainTextResponse("", 404)

    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if status != 404:
            return PlainTextResponse(str(getattr(error, "detail", "")), status)
        return await run_in_threadpool(_answered, reports, request, FormData(), _no_page)

    made = Starlette(
        exception_handlers={HTTPException: refused},
        routes=[
            route("/", _report),
            route("/enter", _report, "POST"),
            route("/leave", _report, "POST"),
            route("/ask", _ask, "POST"),
            route("/report.html", _page),
            route("/report.pdf", _pdf),
            Route("/static/{name}", static),
            Route("/favicon.ico", lambda _: Response(status_code=204)),
        ],
    )
    made.router.redirect_slashes = False
    return made


def _answered(reports: Reports, request: Request, form: FormData, work: Callable[[Visit], Response]) -> Response:
    path = request.url.path
    if path == "/leave":
        left = RedirectResponse("/", 303)
        left.delete_cookie(reports.cookie, path="/", secure=reports.secure, httponly=True, samesite="strict")
        return left
    token = str(form.get("token", "")).strip() if path == "/enter" else request.cookies.get(reports.cookie, "")
    try:
        link = reports.link_of(token)
        if (path != "/" or token) and not reports.admits(request, link):
            response = reports.entrance(request, _TOO_OFTEN, 429)
            response.headers["retry-after"] = "60"
            return response
        if link is None:
            # Who comes without a token finds the page that takes one; any other address tells nothing either.
            return reports.entrance(request, _NO_LINK if token else "", 200 if path == "/" and not token else 401)
        if path == "/enter":
            entered = RedirectResponse("/", 303)
            entered.set_cookie(reports.cookie, token, httponly=True, samesite="strict", secure=reports.secure, path="/")
            return entered
        return _visited(reports, request, form, link, work)
    except (GradebookError, OSError, ValueError):
        return reports.entrance(request, say("This does not work just now. Please try again in some minutes."), 503)


def _visited(
    reports: Reports, request: Request, form: FormData, link: Link, work: Callable[[Visit], Response]
) -> Response:
    release = reports.release_of(link)
    content = reports.content(release, RESULT) if release else None
    if release is None or content is None:
        return reports.page(request, "report_none", name=link.name, status=200 if request.url.path == "/" else 404)
    result = Result.from_json(content)
    if not may_read(link, result):  # no longer a member of the group
        return reports.entrance(request, _NO_LINK, 401)
    return work(Visit(reports, request, form, link, release, result))


class Question(Frozen):
    """A question about an item, and its answer where there is one."""

    text: str
    asked: str
    answer: str


class Entry(Frozen):
    """An item with its questions; `can_ask`: another one may be asked now."""

    view: ItemView
    questions: tuple[Question, ...]
    can_ask: bool


def _report(visit: Visit, problem: Words = "", *, status: int = 200, item: str = "", text: str = "") -> Response:
    """The page of a hand-in; `item` and `text` are those of a question that was refused."""
    reports, result, language = visit.reports, visit.result, visit.reports.language
    asked = requests_of(reports.database, reports.lab.id, result.student.id)
    policy, until = reports.lab.requests, visit.release.until
    is_open = datetime.now(UTC) < until and policy.most > 0
    may_ask = is_open and len(asked) < policy.most
    if is_open:
        window = say("You can ask about an item until {moment}.", moment=moment(until.astimezone(), language))
    elif policy.most and policy.days:
        window = say("The time for questions ended on {moment}.", moment=moment(until.astimezone(), language))
    else:
        window = say("For questions, please turn to your teacher.")
    return reports.page(
        visit.request,
        "report",
        status=status,
        problem=problem,
        name=clip(result.student.name or result.student.id, 80),
        who=clip(visit.link.name, 80),
        score=points(result.score, language),
        maximum=points(result.max_score, language),
        call=call(result, language),
        late=clip(language.say(result.lateness.text), 300) if result.lateness else "",
        entries=tuple(_entry(visit, place, asked, may_ask=may_ask) for place in range(len(result.items))),
        window=language.say(window),
        longest=LONGEST,
        sent="" if problem else visit.request.query_params.get("asked", ""),
        files=visit.release.files,
        refused_item=item,
        refused_text=text,
        has_answers=any(candidate.answer for candidate in asked),
        released=moment(visit.release.released.astimezone(), language),
    )


def _entry(visit: Visit, place: int, asked: Iterable[ReviewRequest], *, may_ask: bool) -> Entry:
    item, language = visit.result.items[place], visit.reports.language
    own_questions = [candidate for candidate in asked if candidate.item == item.id]
    return Entry(
        view=item_view(student_copy(item, visit.result, language), language=language),
        questions=tuple(
            Question(
                text=candidate.text,
                asked=moment(candidate.entered.astimezone(), language),
                answer=candidate.answer or "",
            )
            for candidate in own_questions
        ),
        can_ask=may_ask and all(candidate.answer for candidate in own_questions),
    )


def _ask(visit: Visit) -> Response:
    """Keep a question."""
    reports, item, text = visit.reports, str(visit.form.get("item", "")), str(visit.form.get("text", ""))
    words = text_of(visit.form, "text")
    if item not in {candidate.id for candidate in visit.result.items}:
        return _report(visit, say("Your report has no such item."), status=400)
    problem: Words = ""
    if not any(map(str.isalnum, words)):
        problem = say("Please write what we should look at.")
    elif len(text.replace("\r\n", "\n")) > LONGEST:
        problem = say("Your question is too long: please say it in at most {longest} characters.", longest=LONGEST)
    elif datetime.now(UTC) >= visit.release.until:
        until = moment(visit.release.until.astimezone(), reports.language)
        return _report(visit, say("The time for questions ended on {moment}.", moment=until), status=403)
    else:
        refusal = ask_once(
            reports.database,
            reports.lab.id,
            visit.result.student.id,
            item,
            words,
            visit.link.name,
            most=reports.lab.requests.most,
        )
        if refusal is None:
            return RedirectResponse(f"/?asked={quote(item)}#{quote(item)}", 303)
        problem = _REFUSALS[refusal]
    return _report(visit, problem, status=400, item=item, text=text[:LONGEST])


_REFUSALS: Final[Mapping[Refusal, Message]] = {
    Refusal.OPEN: say("A question about this item is already waiting for an answer."),
    Refusal.MANY: say("No more questions are taken here; please turn to your teacher."),
}


def _page(visit: Visit) -> Response:
    content = visit.reports.content(visit.release, PAGE)
    if content is None:
        return _no_page(visit)
    headers = {"content-security-policy": _REPORT_POLICY, "referrer-policy": "no-referrer"}
    return Response(content, media_type="text/html; charset=utf-8", headers=headers)


def _pdf(visit: Visit) -> Response:
    content = visit.reports.content(visit.release, REPORT)
    if content is None:
        return _no_page(visit)
    headers = {"content-disposition": 'attachment; filename="report.pdf"', "referrer-policy": "no-referrer"}
    return Response(content, media_type="application/pdf", headers=headers)


def _no_page(visit: Visit) -> Response:
    return _report(visit, _NO_PAGE, status=404)


class ReportsGate(Gate):
    """Lets through only known hosts, and forms of limited size from our own pages."""

    def __init__(self, app: ASGIApp, reports: Reports, origins: Iterable[str], *, cookie: str, secure: bool) -> None:
        super().__init__(app, origins)
        # The prefix `__Host-` has browsers refuse the cookie from other hosts of the same domain.
        reports.cookie, reports.secure = (f"__Host-{cookie}" if secure else cookie), secure

    def rejection(self, request: Request) -> Response | None:
        """See `Gate`."""
        refused = super().rejection(request)
        if refused or request.method != "POST":
            return refused
        if request.headers.get("origin") not in self._origins:
            return PlainTextResponse("This form does not come from our page.", 403)
        length = length_of(request)
        if length is None or length > _LARGEST_FORM:
            return PlainTextResponse("This form is too large.", 413)
        return None
