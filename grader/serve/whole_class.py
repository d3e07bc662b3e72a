"""Decisions for the whole class on a page of each item: a form, who changes and how, and what is in force."""

from collections import Counter
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import Response

from grader.frozen import Frozen
from grader.gradebook.decisions import TAKEN_BACK, Verdict
from grader.gradebook.releases import releases
from grader.message import Language, say
from grader.pipeline.order import plain_answer
from grader.report.views.wording import MARKS, clip, fraction, mark, points
from grader.result import ItemResult, Override, Scope, Status
from grader.serve.group_page import Choice, choices, student_link
from grader.serve.review import BadRequestError, Review, conflicts, number_of, points_in, text_of
from grader.serve.standing import AffectedStudent, Standing

EVERYONE, ANSWER, SLIP, WORTH, DROP = KINDS = ("everyone", "answer", "slip", "worth", "drop")
_MOST_ANSWERS: Final = 40
_MOST_POINTS: Final = Decimal(10_000)
Fields = FormData | QueryParams


class Line(Frozen):
    """A student who changes: the item and all points, before and after."""

    name: str
    link: str
    before: str
    after: str
    total: str
    remark: str


class InForce(Frozen):
    """A decision for the whole class: its kind with the answer or the slip, what it says, and who decided, and why."""

    kind: str
    answer: str
    slip: str
    told: str
    by: str


class ItemPage(Frozen):
    """An item with what can be decided about it for the whole class. `given` is what the form holds; `lines` are who
    changes, None as long as nothing is chosen, and `released` how many of them have a released report."""

    item: str
    title: str
    maximum: str
    choices: tuple[Choice, ...]
    answers: tuple[tuple[str, int], ...]
    slips: tuple[tuple[str, str], ...]
    in_force: tuple[InForce, ...]
    given: dict[str, str]
    lines: tuple[Line, ...] | None
    released: int
    problem: str
    seen: int


def item_page(review: Review, request: Request, form: FormData) -> Response:
    """An item, and who would change by what its form says."""
    return _page(review, request, request.path_params["item"], request.query_params)


def decide_for_class(review: Review, request: Request, form: FormData) -> Response:
    """Stores a decision for the whole class, or takes one back."""
    item = request.path_params["item"]
    if item not in review.standing.items:
        raise LookupError(item)
    scope, verdict = _decision(review, item, form)
    if form.get("back"):
        verdict = TAKEN_BACK
    elif not verdict.reason:
        raise BadRequestError(review.say(say("Say why: students read it.")))
    seen = number_of(form.get("seen", ""))
    outcome = review.standing.decide_for_class(request.state.grader, item, scope, verdict, seen=seen)
    message = say("Taken back for the whole class.") if form.get("back") else say("Decided for the whole class.")
    found = conflicts(review, outcome)
    return _page(review, request, item, QueryParams(), message="" if found else review.say(message), found=found)


def _page(
    review: Review, request: Request, item: str, given: Fields, *, message: str = "", found: tuple[object, ...] = ()
) -> Response:
    standing, language = review.standing, review.language
    known_item = standing.items[item]
    problem, lines, released = "", None, 0
    if given.get("kind"):
        try:
            scope, verdict = _decision(review, item, given)
            concerned = tuple(standing.affected_students(item, scope, verdict))
            lines = tuple(_line(candidate, language) for candidate in concerned)
            released = len(
                releases(review.database, review.lab).keys() & {candidate.student for candidate in concerned}
            )
        except BadRequestError as error:
            problem = str(error)
    shown = ItemPage(
        item=item,
        title=clip(language.say(known_item.title), 160),
        maximum=points(known_item.points, language),
        choices=choices(standing, item, language),
        answers=_answers(standing, item),
        slips=tuple(
            (id_, clip(f"{language.say(text)} ({number})", 120))
            for id_, (number, text) in standing.slips_of(item).items()
        ),
        in_force=tuple(
            _in_force(put, language) for key, put in standing.for_class.items() if key.partition(" ")[0] == item
        ),
        given={name: str(value) for name, value in given.items()},
        lines=lines,
        released=released,
        problem=problem,
        seen=standing.seen,
    )
    review.presence.looks(request.state.grader, "")
    address = f"/items/{quote(item, safe='')}"
    return review.page(request, "item", address=address, shown=shown, toast=message, conflicts=found)


def _decision(review: Review, item: str, form: Fields) -> tuple[Scope, Verdict]:
    """The decision that a form holds. Raises BadRequestError."""
    kind, why = str(form.get("kind", "")), text_of(form, "why")
    if kind not in KINDS:
        raise BadRequestError(review.say(say("Enter what is decided.")))
    if kind in (WORTH, DROP):
        worth = Decimal(0) if kind == DROP else points_in(review, str(form.get("worth", "")), _MOST_POINTS)
        return Scope(is_maximum=True), Verdict(None, worth, why)
    chosen = text_of(form, kind)
    scope = Scope(answer=chosen if kind == ANSWER else "", slip=chosen if kind == SLIP else "")
    if kind != EVERYONE and scope == Scope():
        raise BadRequestError(review.say(say("Enter the answer or the slip.")))
    given = str(form.get("give", ""))
    if given in (Status.CORRECT, Status.PARTIAL, Status.INCORRECT):
        return scope, Verdict(Status(given), None, why)
    return scope, Verdict(None, points_in(review, str(form.get("points", "")), review.standing.items[item].points), why)


def _answers(standing: Standing, item: str) -> tuple[tuple[str, int], ...]:
    """The answers that did not earn all points, each with the number of students, the most frequent first."""
    found: Counter[str] = Counter()
    words: dict[str, str] = {}
    for result in standing.results.values():
        for item_result in result.items:
            if item_result.id == item and item_result.found and item_result.score < item_result.max_score:
                key = plain_answer(item_result.found)
                words.setdefault(key, clip(item_result.found, 200))
                found[key] += 1
    return tuple((words[key], number) for key, number in found.most_common(_MOST_ANSWERS))


def _line(affected: AffectedStudent, language: Language) -> Line:
    remark = ""
    if affected.is_lifted:
        remark = language.say(say("a decision about this student is taken back"))
    elif affected.stays:
        remark = language.say(say("an entry of overrides.toml counts before it"))
    return Line(
        name=clip(affected.name or affected.student, 60),
        link=student_link(affected.student, affected.after.id),
        before=_outcome(affected.before, language),
        after=_outcome(affected.after, language),
        total=affected.totals(lambda worth: points(worth, language)),
        remark=remark,
    )


def _outcome(item: ItemResult, language: Language) -> str:
    if not item.max_score:
        return language.say(say("It does not count."))
    return f"{mark(item.status, language).word}, {fraction(item.score, item.max_score, language)}"


def _in_force(put: Override, language: Language) -> InForce:
    scope = Scope.from_text(put.scope) or Scope()
    kind = WORTH if scope.is_maximum else ANSWER if scope.answer else SLIP if scope.slip else EVERYONE
    worth = points(put.points, language) if put.points is not None else ""
    given = language.say(MARKS[put.status].word) if put.status else worth
    message = {
        WORTH: say("It is worth {points}.", points=worth) if put.points else say("It does not count."),
        ANSWER: say("The answer “{answer}” counts: {given}", answer=clip(scope.answer, 200), given=given),
        SLIP: say("The slip {slip}: {given}", slip=scope.slip, given=given),
        EVERYONE: say("Everyone gets at least: {given}", given=given),
    }[kind]
    by = f"{put.author}, {put.date}: {clip(put.reason, 300)}"
    return InForce(kind=kind, answer=scope.answer, slip=scope.slip, told=language.say(message), by=by)
