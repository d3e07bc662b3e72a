"""Addresses of the queue and its groups: what they show, and what is decided there."""

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from grader.gradebook.requests import requests_of
from grader.message import say
from grader.serve.group_page import following, group_page
from grader.serve.pages import ordered, sections
from grader.serve.review import BadRequestError, Review, conflicts, number_of, toast, verdict_of


def queue(review: Review, request: Request, form: FormData) -> Response:
    """The queue by item."""
    grader = request.state.grader
    review.presence.looks(grader, "")
    queue = review.standing.queue()
    return review.page(
        request,
        "queue",
        address="/",
        queue=queue,
        sections=sections(review.standing, queue, review.presence.others(grader), review.language),
        first=following(ordered(queue), "", review.presence.others(grader)),
        requests=requests_of(review.database, review.lab),
        contradictions=review.standing.contradictions(),
        notes=review.notes,
    )


def group(review: Review, request: Request, form: FormData) -> Response:
    """A group of like answers."""
    return group_response(review, request, request.path_params["group"])


def group_response(review: Review, request: Request, id_: str, said: str = "", found: tuple[Any, ...] = ()) -> Response:
    """A group, or the next where nothing waits in it."""
    group = review.standing.groups[id_]
    if not review.standing.waiting(group):
        return _next_response(review, request, id_, said, found)
    review.presence.looks(request.state.grader, id_)
    shown = group_page(
        review.standing, review.sources, review.nearest, review.presence, group, request.state.grader, review.language
    )
    return review.page(request, "group", address=f"/groups/{id_}", group=shown, start=0, toast=said, conflicts=found)


def _next_response(review: Review, request: Request, id_: str, said: str = "", found: tuple[Any, ...] = ()) -> Response:
    """The group after one that is done, or the end of the queue."""
    queue = ordered(review.standing.queue())
    others = review.presence.others(request.state.grader)
    after = following(queue, id_, others)
    if after:
        return group_response(review, request, after, said, found)
    review.presence.looks(request.state.grader, "")
    return review.page(request, "done", address="/", queue=queue, toast=said, conflicts=found)


def more(review: Review, request: Request, form: FormData) -> Response:
    """Further answers of a group."""
    group = review.standing.groups[request.path_params["group"]]
    start = number_of(request.query_params.get("start", "0"))
    shown = group_page(
        review.standing,
        review.sources,
        review.nearest,
        review.presence,
        group,
        request.state.grader,
        review.language,
        start=start,
    )
    return review.page(request, "cards", group=shown, start=start)


def presence(review: Review, request: Request, form: FormData) -> Response:
    """Who else looks at a group."""
    id_ = request.path_params["group"]
    grader = request.state.grader
    group = review.standing.groups[id_]
    review.presence.looks(grader, id_)
    return review.page(
        request,
        "presence",
        names=review.presence.others(grader).get(id_, ()),
        gone=not review.standing.waiting(group),
        id=id_,
    )


def decide_group(review: Review, request: Request, form: FormData) -> Response:
    """One verdict on the answers of a group."""
    id_ = request.path_params["group"]
    group = review.standing.groups[id_]
    verdict = verdict_of(review, group.item, form)
    out, only = set(form.getlist("out")), str(form.get("only", ""))
    seen = number_of(form.get("seen", ""))
    members = [one.key for one in group.answers if (one.student == only if only else one.student not in out)]
    keys = [key for key in members if review.standing.waits(key) or _changed_since(review, key, seen)]
    if not keys:
        raise BadRequestError(review.say(say("No answer is left to decide here.")))
    outcome = review.standing.decide(request.state.grader, keys, verdict, seen=seen)
    return group_response(review, request, id_, toast(review, outcome), conflicts(review, outcome))


def _changed_since(review: Review, key: tuple[str, str], seen: int) -> bool:
    """Whether somebody decided an item after the page was made that the form comes from."""
    decided = review.standing.decided(key)
    return decided is not None and decided.id > seen
