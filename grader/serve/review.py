"""What all requests of the review share, and what a form may say."""

from decimal import Decimal, InvalidOperation
from typing import Any, Final

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from grader.gradebook.database import Database
from grader.gradebook.decisions import Outcome, Verdict
from grader.language import Language
from grader.message import Message, say
from grader.report.views.wording import printable
from grader.result import Status
from grader.serve.finishing import Finisher
from grader.serve.pages import conflict_line, counted_answers, outcome_words, progress
from grader.serve.presence import Presence
from grader.serve.rendering import rendered
from grader.serve.sources import Sources
from grader.serve.standing import Nearest, Standing

LONGEST_TEXT: Final = 4000


class BadRequestError(Exception):
    """A form that our pages do not send; the message says what is wrong with it."""


class Review:
    """What all requests share."""

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
        """A page with what every page shows."""
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
    reason = text_of(form, "comment") or review.say(say("A person looked at this answer."))
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


def text_of(form: FormData, name: str) -> str:
    """Text that a person typed, on one line."""
    return " ".join(printable(str(form.get(name, ""))[:LONGEST_TEXT]).split())


def number_of(value: object) -> int:
    """A whole number of a form or an address."""
    text = str(value)
    if not text.isdigit() or len(text) > 18:
        raise BadRequestError("A number is missing.")
    return int(text)


def toast(review: Review, outcome: Outcome) -> str:
    """What was done, in a few words."""
    if not outcome.saved:
        return review.say(say("Nothing was changed."))
    after = outcome_words(outcome.saved[0].after, review.language)
    answers = counted_answers(len(outcome.saved))
    return review.say(say("{answers}: {outcome}", answers=answers, outcome=after))


def conflicts(review: Review, outcome: Outcome) -> tuple[Any, ...]:
    """What was decided meanwhile, for people."""
    return tuple(conflict_line(review.standing, one, review.language) for one in outcome.conflicts)
