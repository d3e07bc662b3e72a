"""Handlers of the queue, its groups, the students and the class: pages, and the forms that decide."""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from grader.gradebook.decisions import TAKEN_BACK, Key, Verdict, history
from grader.gradebook.overrides import as_toml
from grader.gradebook.requests import answer, ask, every_request, requests_of
from grader.gradebook.review import EACH, AnswerGroup, Likeness
from grader.message import say
from grader.serve.assigning import to_assign
from grader.serve.group_page import (
    GroupPage,
    counted_answers,
    following,
    group_page,
    groups_elsewhere,
    order_groups,
    sections,
)
from grader.serve.hand_ins import hand_ins_response, whole_verdict
from grader.serve.people_pages import class_page, event, request_line, student_page
from grader.serve.review import BadRequestError, Review, asset, conflicts, number_of, text_of, toast, verdict_of
from grader.serve.sheets import RequestedPlace, sheet_page


def queue(review: Review, request: Request, form: FormData) -> Response:
    """The queue by item."""
    review.sheets.make_ready()
    grader = request.state.grader
    review.presence.looks(grader, "")
    queue = review.standing.queue()
    return review.page(
        request,
        "queue",
        address="/",
        queue=queue,
        sections=sections(review.standing, queue, review.presence.other_graders(grader), review.language),
        first=following(
            order_groups(queue), "", groups_elsewhere(review.standing, review.presence.other_graders(grader), grader)
        ),
        requests=requests_of(review.database, review.lab),
        unassigned=to_assign(review.standing),
        contradictions=review.standing.contradictions(),
        notes=review.notes,
    )


def group(review: Review, request: Request, form: FormData) -> Response:
    """A group of like answers."""
    return group_response(review, request, request.path_params["group"])


def group_response(
    review: Review, request: Request, id_: str, message: str = "", found: tuple[Any, ...] = ()
) -> Response:
    """The page of a group, or of the next group if all its answers are decided."""
    group = review.standing.groups[id_]
    if not review.standing.waiting(group):
        # The page of the group after a finished one, or the end of the queue.
        queue = order_groups(review.standing.queue())
        grader = request.state.grader
        others = groups_elsewhere(review.standing, review.presence.other_graders(grader), grader)
        after = following(queue, id_, others)
        if after:
            return group_response(review, request, after, message, found)
        review.presence.looks(request.state.grader, "")
        return review.page(request, "done", address="/", queue=queue, toast=message, conflicts=found)
    review.presence.looks(request.state.grader, id_)
    if group.likeness is Likeness.HAND_IN:
        return hand_ins_response(review, request, group, message, found)
    shown = _shown(review, request, id_)
    return review.page(request, "group", address=f"/groups/{id_}", group=shown, start=0, toast=message, conflicts=found)


def more_cards(review: Review, request: Request, form: FormData) -> Response:
    """Further answers of a group."""
    start = number_of(request.query_params.get("start", "0"))
    shown = _shown(review, request, request.path_params["group"], start)
    return review.page(request, "cards", group=shown, start=start)


def _shown(review: Review, request: Request, group: str, start: int = 0) -> GroupPage:
    return group_page(
        review.standing,
        review.sources,
        review.nearest,
        review.presence,
        review.standing.groups[group],
        request.state.grader,
        review.language,
        start=start,
    )


def presence(review: Review, request: Request, form: FormData) -> Response:
    """Return the part of the page that names others who look at a group."""
    id_ = request.path_params["group"]
    grader = request.state.grader
    group = review.standing.groups[id_]
    review.presence.looks(grader, id_)
    return review.page(
        request,
        "presence",
        names=review.presence.other_graders(grader).get(id_, ()),
        gone=not review.standing.waiting(group),
        id=id_,
    )


def decide_group(review: Review, request: Request, form: FormData) -> Response:
    """One verdict on the answers of a group."""
    id_ = request.path_params["group"]
    group = review.standing.groups[id_]
    is_whole = group.likeness is Likeness.HAND_IN
    seen = number_of(form.get("seen", ""))
    chosen = _chosen(form, {candidate.student for candidate in group.answers})
    members = [candidate.key for candidate in group.answers if candidate.student in chosen]
    # Those that wait, and those that were decided after the form's page had been rendered.
    decided = {key: review.standing.gradebook_decision(key) for key in members}
    keys = [
        key
        for key, candidate in decided.items()
        if review.standing.waits(key) or (candidate is not None and candidate.id > seen)
    ]
    if not keys:
        raise BadRequestError(review.say(say("No answer is left to decide here.")))
    same = _as_shown(review, form, keys)
    verdicts = _verdicts(review, group, same, form)
    outcome = review.standing.decide(request.state.grader, verdicts, seen=seen, whole=is_whole)
    return group_response(review, request, id_, toast(review, outcome), conflicts(review, outcome))


def _verdicts(review: Review, group: AnswerGroup, keys: Sequence[Key], form: FormData) -> dict[Key, Verdict]:
    """The verdict of a form on each answer: one on all, or on each the one that is suggested for it."""
    given = str(form.get("verdict", ""))
    if given == EACH and group.suggests_each:
        comment = text_of(form, "comment")
        return {
            candidate.key: Verdict(candidate.suggested, None, comment)
            for candidate in group.answers
            if candidate.key in keys
        }
    if group.likeness is Likeness.HAND_IN:
        return dict.fromkeys(keys, whole_verdict(review, given, form))
    return dict.fromkeys(keys, verdict_of(review, group.item, form))


def _chosen(form: FormData, students: set[str]) -> set[str]:
    """The students whose answers a form decides: those that its page showed, or the only one, less those taken out."""
    shown, out = ({str(entry) for entry in form.getlist(name)} for name in ("shown", "out"))
    only = str(form.get("only", ""))
    return (shown or students) & {only} if only else (shown or students) - out


def _as_shown(review: Review, form: FormData, keys: list[Key]) -> list[Key]:
    """The items that are still as they were on the page that a form comes from. The others stay to be looked at."""
    loaded = form.get("loaded")
    same = [key for key in keys if loaded is None or not review.standing.has_changed(key[0], number_of(loaded))]
    if not same:
        raise BadRequestError(
            review.say(
                say("This was graded again since the page was opened, and the answer has changed: look at it again.")
            )
        )
    return same


MOST_REQUESTS: Final = 200


def student_(review: Review, request: Request, form: FormData) -> Response:
    """A student."""
    review.presence.looks(request.state.grader, "")
    return student_response(review, request, request.path_params["student"])


def student_response(
    review: Review, request: Request, student: str, message: str = "", found: tuple[Any, ...] = ()
) -> Response:
    """The page of a student."""
    result = review.standing.results[student]
    shown = student_page(
        review.standing,
        review.sources,
        result,
        history(review.database, review.lab, student=student),
        requests_of(review.database, review.lab, student),
        review.language,
    )
    return review.page(request, "student", address=shown.link, student=shown, toast=message, conflicts=found)


def readings(review: Review, request: Request, form: FormData) -> Response:
    """Return the page with the texts that were read of a hand-in."""
    student = review.standing.results[request.path_params["student"]].student.id
    return review.page(request, "readings", texts=review.sources.texts(student))


def surroundings(review: Review, request: Request, form: FormData) -> Response:
    """A quote with the lines around it."""
    student, id_, number = (request.path_params[name] for name in ("student", "item", "number"))
    number = number_of(number)
    item = review.standing.item((student, id_))
    if item is None or number >= len(item.evidence):
        raise LookupError
    return review.page(
        request, "surroundings", lines=review.sources.surroundings(student, item.evidence[number]), queue=()
    )


def decide_item(review: Review, request: Request, form: FormData) -> Response:
    """One verdict on a student's item."""
    key = (request.path_params["student"], request.path_params["item"])
    if review.standing.item(key) is None:
        raise LookupError
    verdict = TAKEN_BACK if form.get("verdict") == "back" else verdict_of(review, key[1], form)
    keys = _as_shown(review, form, [key])
    outcome = review.standing.decide(
        request.state.grader, dict.fromkeys(keys, verdict), seen=number_of(form.get("seen", ""))
    )
    return student_response(review, request, key[0], toast(review, outcome), conflicts(review, outcome))


def decide_whole(review: Review, request: Request, form: FormData) -> Response:
    """One decision for all items of a hand-in."""
    student = request.path_params["student"]
    result = review.standing.results[student]
    verdict = whole_verdict(review, str(form.get("whole", "")), form)
    keys = [(student, item.id) for item in result.items if item.id in review.standing.items]
    seen = number_of(form.get("seen", ""))
    verdicts = dict.fromkeys(_as_shown(review, form, keys), verdict)
    outcome = review.standing.decide(request.state.grader, verdicts, seen=seen, whole=True)
    return student_response(review, request, student, toast(review, outcome), conflicts(review, outcome))


def ask_again(review: Review, request: Request, form: FormData) -> Response:
    """Stores a request to look again."""
    student, item, text = request.path_params["student"], str(form.get("item", "")), text_of(form, "text")
    if review.standing.item((student, item)) is None or not text:
        raise BadRequestError(review.say(say("Enter an item and what to look at.")))
    ask(review.database, review.lab, student, item, text, request.state.grader)
    return student_response(review, request, student, review.say(say("The request is kept.")))


def answer_request(review: Review, request: Request, form: FormData) -> Response:
    """Answers a request."""
    text, student = text_of(form, "answer"), str(form.get("student", ""))
    if not text:
        raise BadRequestError(review.say(say("Enter an answer.")))
    theirs = answer(review.database, review.lab, number_of(request.path_params["request"]), text, request.state.grader)
    message = say("The request is answered.")
    if theirs:
        message = say("{author} answered meanwhile; yours was not kept.", author=theirs.answered_by or "")
    return student_response(review, request, student, review.say(message))


def class_(review: Review, request: Request, form: FormData) -> Response:
    """The class."""
    query = request.query_params
    shown = class_page(
        review.standing,
        review.language,
        page=number_of(query.get("page", "1")),
        sought=query.get("q", "")[:100],
        order=query.get("order", "name"),
    )
    return review.page(request, "class", shown=shown, unassigned=to_assign(review.standing))


def history_(review: Review, request: Request, form: FormData) -> Response:
    """The audit log."""
    query = request.query_params
    found = history(
        review.database,
        review.lab,
        student=query.get("student", ""),
        author=query.get("author", ""),
        until=number_of(query.get("until", "0")) or None,
    )
    asked = every_request(review.database, review.lab)[:MOST_REQUESTS]
    return review.page(
        request,
        "history",
        events=tuple(event(decision, review.language) for decision in found),
        requests=tuple((candidate.student, request_line(candidate)) for candidate in asked),
    )


def finish(review: Review, request: Request, form: FormData) -> Response:
    """The page on which reports are re-rendered."""
    return review.page(request, "finish", state=review.finisher.state)


def begin_finish(review: Review, request: Request, form: FormData) -> Response:
    """Starts to re-render reports."""
    review.finisher.begin()
    return review.page(request, "finish", state=review.finisher.state)


def finish_progress(review: Review, request: Request, form: FormData) -> Response:
    """The progress of re-rendering."""
    return review.page(request, "finish_progress", state=review.finisher.state)


def export(review: Review, request: Request, form: FormData) -> Response:
    """All decisions as TOML."""
    text = as_toml(review.standing.all_decided())
    headers = {"content-disposition": 'attachment; filename="overrides.toml"'}
    return PlainTextResponse(text, headers=headers)


def crop(review: Review, request: Request, form: FormData) -> Response:
    """A picture of a student's page."""
    student, item, number = (request.path_params[name] for name in ("student", "item", "number"))
    number = number_of(number)
    picture = review.sources.pictures(student, item).get(number) if student in review.standing.results else None
    if picture is None:
        raise LookupError
    return Response(picture.png, media_type="image/png")


def sheet(review: Review, request: Request, form: FormData) -> Response:
    """A file of a hand-in as it looks, at a piece of evidence or a page."""
    query = request.query_params
    result = review.standing.results[request.path_params["student"]]
    evidence = query.get("evidence")
    asked = RequestedPlace(
        item=query.get("item", ""),
        evidence=None if evidence is None else number_of(evidence),
        file=query.get("file", ""),
        page=number_of(query.get("page", "0")),
    )
    reading = review.sources.reading(result.student.id)
    shown = sheet_page(review.sheets, reading, result, asked, review.language, review.standing.loaded)
    is_part = request.headers.get("hx-request") == "true"
    return review.page(request, "sheet_part" if is_part else "sheet", sheet=shown)


def sheet_picture(review: Review, request: Request, form: FormData) -> Response:
    """A picture of a sheet that was drawn before."""
    student, page, number = (request.path_params[name] for name in ("student", "page", "number"))
    result = review.standing.results[student]
    file = request.query_params.get("file", "")
    found = review.sheets.picture(result, file, number_of(page), number_of(number))
    if found is None:
        raise LookupError
    return Response(found, media_type="image/png")


def hidden_text(review: Review, request: Request, form: FormData) -> Response:
    """The picture of the first text that a hand-in hides."""
    student = request.path_params["student"]
    picture = review.sources.hidden_text(student) if student in review.standing.results else None
    if picture is None:
        raise LookupError
    return Response(picture, media_type="image/png")


def static(review: Review, request: Request, form: FormData) -> Response:
    """A static file."""
    found = asset(request.path_params["name"])
    if found is None:
        raise LookupError
    return Response(found.content, media_type=found.kind)


def empty_response(review: Review, request: Request, form: FormData) -> Response:
    """An empty response for the icon that browsers ask for."""
    return Response(status_code=204)


def undo(review: Review, request: Request, form: FormData) -> Response:
    """Takes back the grader's last decision."""
    outcome = review.standing.undo(request.state.grader)
    if outcome is None:
        return previous_page(review, request, form, review.say(say("You have nothing left to undo.")), ())
    message = review.say(say("Undone: {answers}", answers=counted_answers(len(outcome.saved))))
    found = conflicts(review, outcome)
    keys = {decision.key for decision in outcome.saved}
    group = next(
        (candidate for candidate in review.standing.groups.values() if any(a.key in keys for a in candidate.answers)),
        None,
    )
    if group is None or str(form.get("back", "")).startswith("/students/"):
        return previous_page(review, request, form, message, found)
    return group_response(review, request, group.id, message, found)


def previous_page(
    review: Review, request: Request, form: FormData, message: str, found: tuple[Any, ...] = ()
) -> Response:
    """The page that a form came from."""
    parts = str(form.get("back", "")).split("/")
    if len(parts) == 3 and parts[1] == "groups" and parts[2] in review.standing.groups:
        return group_response(review, request, parts[2], message, found)
    if len(parts) in (3, 4) and parts[1] == "students":
        student = unquote(parts[2].partition("#")[0])
        if student in review.standing.results:
            return student_response(review, request, student, message, found)
    queue = review.standing.queue()
    return review.page(request, "done", queue=queue, toast=message, conflicts=found)
