"""One rubric item as its student sees it."""

from collections.abc import Mapping, Sequence
from itertools import repeat
from types import MappingProxyType

from grader.cohort.review_queue import awaits_person
from grader.frozen import Frozen
from grader.report.pictures import Place, Shown, place_of
from grader.report.views.marks import MARKS, Mark
from grader.report.views.wording import clip, clip_lines, counted, fraction, place, points
from grader.result import Evidence, ItemResult

MOST_QUOTES = 4
MOST_PICTURES = 2
MOST_DIAGNOSES = 3
NO_PICTURES: Mapping[Place, Shown] = MappingProxyType({})
FIRST_QUOTE, FURTHER_QUOTE = 320, 140
"""Characters shown of the first piece of evidence, and of each further one."""


class Quote(Frozen):
    """Words of the student and where they stand, and a picture of it, if there is one."""

    text: str
    place: str
    picture: Shown | None = None


class ItemView(Frozen):
    """What an item earned and why. `more` tells of evidence that is left out; `decision` that a person decides, and
    `override` that one did."""

    id: str
    title: str
    mark: Mark
    points: str
    found: str | None
    quotes: tuple[Quote, ...]
    more: str | None
    expected: str | None
    truths: str | None
    diagnoses: tuple[str, ...]
    feedback: str | None
    decision: str | None
    override: str | None


def item_view(item: ItemResult, pictures: Mapping[Place, Shown] = NO_PICTURES) -> ItemView:
    """The view of one item, without the note and the suggestion that are for staff."""
    undecided = item.pending > 0 and not item.score
    return ItemView(
        id=item.id,
        title=clip(item.title, 160),
        mark=MARKS[item.status],
        points=f"– / {points(item.max_score)}" if undecided else fraction(item.score, item.max_score),
        found=clip(item.found, 240) if item.found else None,
        quotes=_quotes(item.evidence, pictures),
        more=_more(len(item.evidence) - MOST_QUOTES),
        expected=clip(item.expected, 300) if item.expected else None,
        truths=clip(", ".join(item.truths), 200) or None,
        diagnoses=tuple(clip(diagnosis.text, 300) for diagnosis in item.diagnoses[:MOST_DIAGNOSES]),
        feedback=clip(item.feedback, 500) or None,
        decision=_decision(item),
        override=_override(item),
    )


def _quotes(evidence: Sequence[Evidence], pictures: Mapping[Place, Shown]) -> tuple[Quote, ...]:
    limits = (FIRST_QUOTE, *repeat(FURTHER_QUOTE, MOST_QUOTES - 1))
    return tuple(
        Quote(
            text=clip_lines(one.quote, limit),
            place=place(one),
            picture=_picture(one, pictures) if number < MOST_PICTURES else None,
        )
        for number, (one, limit) in enumerate(zip(evidence, limits, strict=False))
    )


def _picture(evidence: Evidence, pictures: Mapping[Place, Shown]) -> Shown | None:
    where = place_of(evidence)
    return pictures.get(where) if where else None


def _more(left_out: int) -> str | None:
    return f"+ {left_out} more in result.json" if left_out > 0 else None


def _decision(item: ItemResult) -> str | None:
    if not awaits_person(item):
        return None
    stake = f" about {counted(item.pending, 'point')}" if item.pending else ""
    return f"A person will decide{stake}."


def _override(item: ItemResult) -> str | None:
    """Who decided what in place of the grader, or about answers like this, when, and why."""
    put = item.override
    if put is None:
        return f"Decided by {clip(item.decided_by, 400)}" if item.decided_by else None
    before = f"{MARKS[put.before].word.lower()}, {fraction(put.score_before, item.max_score)}"
    return (
        f"Decided by {clip(put.author, 60)} on {put.date:%d %B %Y}: {clip(put.reason, 400)} (By the grader: {before}.)"
    )
