"""Several markers in the review: who has what, figures of each marker, and second looks."""

from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.frozen import Frozen
from grader.gradebook.marking import EQUAL, Concern, Judgment, Look, figures, look, looks_of, sample, warnings
from grader.gradebook.releases import releases
from grader.gradebook.store import Database
from grader.message import Language, Message, say
from grader.pipeline.order import undecided_item
from grader.report.views.student import item_view
from grader.report.views.wording import points
from grader.result import Override
from grader.scoring import decided_status, given_points
from grader.serve.group_page import CropLinks, card, choices, outcome_words, student_link
from grader.serve.review import Review, number_of, verdict_of
from grader.serve.standing import Standing, outcome


class Portion(Frozen):
    """A marker's workload: the groups to mark, and those marked; without a name, the groups that nobody was given."""

    marker: str
    groups: int
    answers: int
    points: str
    decided: int
    subjects: str


class Marks(Frozen):
    """The figures of a marker in words."""

    marker: str
    judgments: int
    mean: str
    spread: str
    beside: str
    looked_at: int
    agreement: str


class Pair(Frozen):
    """A decision of the sample, and the second look at it where there is one that came to something else."""

    student: str
    item: str
    link: str
    first: str
    second: str


class Moderation(NamedTuple):
    """The sample with its second looks."""

    judgments: tuple[Judgment, ...]
    sample: tuple[Judgment, ...]
    looks: dict[int, Look]

    def open_for(self, marker: str) -> list[Judgment]:
        """The judgments that a marker can look at again."""
        return [
            judgment for judgment in self.sample if judgment.decision not in self.looks and judgment.marker != marker
        ]


_MOST_SUBJECTS = 12


def portions(standing: Standing, language: Language) -> tuple[Portion, ...]:
    """Return the portion of each marker, by name; the part that nobody was given comes last."""
    shares, waiting = standing.shares, standing.queue()
    has: dict[str, list[str]] = {}
    for subject, marker in (*shares.items.items(), *shares.students.items()):
        has.setdefault(marker, []).append(subject)
    decided: dict[str, int] = {}
    for decision in standing.all_decided():
        decided[decision.author] = decided.get(decision.author, 0) + 1
    names = sorted({*has, *decided}) + [""] * any(not standing.marker_of(group.id) for group in waiting)
    found = []
    for name in names:
        own_groups = [group for group in waiting if standing.marker_of(group.id) == name]
        subjects = has.get(name, [])
        more = f" … ({len(subjects)})" if len(subjects) > _MOST_SUBJECTS else ""
        found.append(
            Portion(
                marker=name,
                groups=len(own_groups),
                answers=sum(len(group.answers) for group in own_groups),
                points=points(sum((group.points for group in own_groups), Decimal(0)), language),
                decided=decided.get(name, 0),
                subjects=", ".join(subjects[:_MOST_SUBJECTS]) + more,
            )
        )
    return tuple(found)


def moderation(standing: Standing, database: Database) -> Moderation:
    """The judgments of persons about answers that are there, each decision of a group once, and their sample. Decisions
    about whole hand-ins are none."""
    found: dict[tuple[str, str], Judgment] = {}
    decided = sorted(standing.all_decided(), key=lambda each: each.id)
    items: dict[str, set[str]] = {}
    for decision in decided:
        items.setdefault(decision.batch, set()).add(decision.item)
    for decision in decided:
        known_item = standing.items.get(decision.item)
        if known_item and known_item.points and decision.key in standing.answers and len(items[decision.batch]) == 1:
            share = float(given_points(known_item, decision.override) / known_item.points)
            judgment = Judgment(decision.id, decision.author, decision.student, decision.item, share, decision.decided)
            found.setdefault((decision.batch, decision.item), judgment)
    judgments = tuple(found.values())
    return Moderation(judgments, tuple(sample(judgments)), looks_of(database, standing.lab.id))


def marks(found: Moderation, language: Language) -> tuple[Marks, ...]:
    """The figures of every marker."""
    return tuple(
        Marks(
            marker=figure.marker,
            judgments=figure.judgments,
            mean=_percent(figure.mean, language),
            spread=_percent(figure.spread, language),
            beside=_percent(figure.beside_others, language, "+"),
            looked_at=figure.looked_at,
            agreement=_percent(figure.agreement, language),
        )
        for figure in figures(found.judgments, found.looks)
    )


def _percent(share: float | None, language: Language, sign: str = "") -> str:
    return "–" if share is None else language.say(say("{percent} %", percent=format(round(100 * share), f"{sign}d")))


def moderation_warnings(found: Moderation) -> tuple[Message, ...]:
    """Return the matters to discuss with markers."""
    return tuple(_warning(warning) for warning in warnings(found.judgments, found.looks))


def _warning(concern: Concern) -> Message:
    percent = round(100 * abs(concern.share))
    if concern.kind == "agreement":
        return say("Second looks agree with {marker} in {percent} % only.", marker=concern.marker, percent=percent)
    if concern.kind == "drift":
        message = (
            say("{percent} % more", percent=percent) if concern.share > 0 else say("{percent} % less", percent=percent)
        )
        return say("{marker} gives {told} of an item's points now than at first.", marker=concern.marker, told=message)
    message = (
        say("{percent} % more", percent=percent) if concern.share > 0 else say("{percent} % less", percent=percent)
    )
    return say(
        "{marker} gives {told} of an item's points than others do for the same items.",
        marker=concern.marker,
        told=message,
    )


def pairs(standing: Standing, found: Moderation, language: Language) -> tuple[Pair, ...]:
    """The second looks that came to something else than the first."""
    first = {decision.id: decision for decision in standing.all_decided()}
    differing = [
        judgment for judgment in found.judgments if judgment.decision in found.looks and judgment.decision in first
    ]
    return tuple(
        Pair(
            student=judgment.student,
            item=judgment.item,
            link=student_link(judgment.student, judgment.item),
            first=f"{judgment.marker}: {outcome_words(first[judgment.decision].after, language)}",
            second=f"{look.marker}: {outcome_words(look.outcome, language)}",
        )
        for judgment in differing
        for look in (found.looks[judgment.decision],)
        if abs(look.share - judgment.share) >= EQUAL
    )


def markers_page(review: Review, request: Request, form: FormData) -> Response:
    """Return the page that shows each marker's portion, how each marker marks, and the next second look."""
    found = moderation(review.standing, review.database)
    mine = found.open_for(request.state.grader)
    return review.page(
        request,
        "markers",
        address="/markers",
        portions=portions(review.standing, review.language),
        marks=marks(found, review.language),
        warned=tuple(map(review.say, moderation_warnings(found))),
        pairs=pairs(review.standing, found, review.language),
        looked=sum(judgment.decision in found.looks for judgment in found.sample),
        sampled=len(found.sample),
        next=mine[0].decision if mine else 0,
        released=len(releases(review.database, review.lab)),
    )


def look_page(review: Review, request: Request, form: FormData) -> Response:
    """An answer of the sample as it was before anybody decided."""
    judgment = _judgment(review, request)
    item = undecided_item(review.standing.stored_item(review.standing.answers[judgment.student, judgment.item]))
    shown = card(
        review.standing, review.sources, review.standing.answers[judgment.student, judgment.item], review.language
    )
    view = item_view(item, CropLinks(review.sources, judgment.student, item), review.language)
    return review.page(
        request,
        "look",
        card=shown.model_copy(update={"item": view}),
        choices=choices(review.standing, judgment.item, review.language),
        expected=review.language.say(item.expected or ""),
        maximum=points(item.max_score, review.language),
        decision=judgment.decision,
    )


def keep_look(review: Review, request: Request, form: FormData) -> Response:
    """Keep a second look, and go on with the next one."""
    judgment = _judgment(review, request)
    known_item = review.standing.items[judgment.item]
    verdict = verdict_of(review, judgment.item, form)
    put = Override(**verdict._replace(reason="-")._asdict(), author="-", date=datetime.now().date())
    worth = given_points(known_item, put)
    outcome_text = outcome(decided_status(known_item, put), worth, known_item.points)
    look(review.database, review.lab, judgment, request.state.grader, outcome_text, float(worth / known_item.points))
    left = moderation(review.standing, review.database).open_for(request.state.grader)
    return RedirectResponse(f"/markers/{left[0].decision}" if left else "/markers", 303)


def _judgment(review: Review, request: Request) -> Judgment:
    """The judgment that an address names, if the marker can look at it. Raises LookupError."""
    number = number_of(request.path_params["decision"])
    mine = moderation(review.standing, review.database).open_for(request.state.grader)
    found = next((judgment for judgment in mine if judgment.decision == number), None)
    if found is None:
        raise LookupError(number)
    return found
