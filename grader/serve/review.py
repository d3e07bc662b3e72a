"""Form parsing and HTML rendering (whole pages, or parts for htmx) shared by all requests of the review."""

import hashlib
from decimal import Decimal, InvalidOperation
from functools import cache
from mimetypes import guess_type
from typing import Any, Final, NamedTuple

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from grader.gradebook.database import Database
from grader.gradebook.decisions import Outcome, Verdict
from grader.message import Language, Message, say, say_data
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


def rendered(
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
    """The state that all requests share."""

    def __init__(
        self,
        standing: Standing,
        database: Database,
        language: Language,
        finisher: Finisher,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.standing, self.database, self.language = standing, database, language
        self.finisher, self.notes = finisher, notes
        self.lab = standing.lab.id
        self.sources = Sources(standing.out)
        self.nearest = Nearest(standing)
        self.presence = Presence()

    def page(self, request: Request, template: str, *, address: str = "", status: int = 200, **values: Any) -> Response:
        """A page with the values that every page needs."""
        queue = values.pop("queue", None) or self.standing.queue()
        return rendered(
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
    given, text = str(form.get("verdict", "")), str(form.get("points", "")).strip().replace(",", ".")
    comment = text_of(form, "comment")
    if given == "rows":
        return _by_rows(review, item, [str(row) for row in form.getlist("row")], comment)
    reason = comment or review.say(say("A person looked at this answer."))
    if given == "points" or (not given and text):
        maximum = review.standing.items[item].points
        try:
            worth = Decimal(text)
        except InvalidOperation as error:
            raise BadRequestError(review.say(say("Points are a number, such as 1.5."))) from error
        if not (worth.is_finite() and 0 <= worth <= maximum and worth == round(worth, 2)):
            raise BadRequestError(
                review.say(say("Points are between 0 and {maximum:f}, with at most two decimals.", maximum=maximum))
            )
        return Verdict(None, worth, reason)
    if given not in (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING):
        raise BadRequestError(review.say(say("Choose a verdict first.")))
    return Verdict(Status(given), None, reason)


def _by_rows(review: Review, item: str, given: list[str], comment: str) -> Verdict:
    """The rows of a rubric that a form ticks. Without a comment the student is told what they say."""
    texts = review.standing.items[item].rubric_texts
    rows = tuple(sorted({number_of(row) for row in given}))
    if not texts or any(not 0 < row <= len(texts) for row in rows):
        raise BadRequestError(review.say(say("This item has no such row of a rubric.")))
    told = " ".join(review.language.say(say_data(texts[row - 1])) for row in rows)
    return Verdict(None, None, comment or told or review.say(say("No row of the rubric holds.")), rows)


def text_of(form: FormData, name: str) -> str:
    """A text field of a form, on one line."""
    return " ".join(printable(str(form.get(name, ""))[:LONGEST_TEXT]).split())


def number_of(value: object) -> int:
    """A whole number from a form or a URL."""
    text = str(value)
    if not text.isdigit() or len(text) > 18:
        raise BadRequestError("A number is missing.")
    return int(text)


def toast(review: Review, outcome: Outcome) -> str:
    """A short message that says what was decided."""
    if not outcome.saved:
        return review.say(say("Nothing was changed."))
    after = outcome_words(outcome.saved[0].after, review.language)
    answers = counted_answers(len(outcome.saved))
    return review.say(say("{answers}: {outcome}", answers=answers, outcome=after))


def conflicts(review: Review, outcome: Outcome) -> tuple[Any, ...]:
    """The conflicts of an outcome in words."""
    return tuple(conflict_line(review.standing, one, review.language) for one in outcome.conflicts)
