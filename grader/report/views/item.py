"""One rubric item as its student sees it."""

from collections.abc import Mapping, Sequence
from itertools import repeat
from types import MappingProxyType

from grader.cohort.review_queue import awaits_person
from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import say
from grader.report.pictures import Place, Shown, place_of
from grader.report.views.marks import MARKS, Mark, mark
from grader.report.views.provenance import HASH_LENGTH
from grader.report.views.wording import clip, clip_lines, counted_points, fraction, left_out, place, points
from grader.result import Evidence, ItemResult, Status

MOST_QUOTES = 4
MOST_PICTURES = 2
MOST_DIAGNOSES = 3
TALL = 1500
"""Characters of an item that may fill a page together with its evidence."""
NO_PICTURES: Mapping[Place, Shown] = MappingProxyType({})
FIRST_QUOTE, FURTHER_QUOTE = 320, 140
"""Characters shown of the first piece of evidence, and of each further one."""
EXPLAINED, CONFIRMED = 700, 320
"""Characters shown of what would be right, where that has to be explained and where it need not be."""


class Quote(Frozen):
    """Words of the student and where they stand, and a picture of it, if there is one. In text from a page (`printed`)
    powers and indices are marked as `^{…}` and `_{…}`."""

    text: str
    place: str
    picture: Shown | None = None
    printed: bool = False


class ItemView(Frozen):
    """What an item earned and why. `more` tells of evidence that is left out; `decision` that a person decides,
    `override` that one did, `kept` that it was graded by other versions than the rest.
    `tall` is what may not fit on a page."""

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
    kept: str | None
    tall: bool


def item_view(
    item: ItemResult, pictures: Mapping[Place, Shown] = NO_PICTURES, language: Language = ENGLISH
) -> ItemView:
    """The view of one item, without the note and the suggestion that are for staff."""
    say_ = language.say
    undecided = item.pending > 0 and not item.score
    most = points(item.max_score, language)
    expected_limit = CONFIRMED if item.status is Status.CORRECT else EXPLAINED
    return ItemView(
        id=item.id,
        title=clip(say_(item.title), 160),
        mark=mark(item.status, language),
        points=f"– / {most}" if undecided else fraction(item.score, item.max_score, language),
        found=clip(say_(item.found), 240) if item.found else None,
        quotes=_quotes(item.evidence, pictures, language),
        more=left_out(len(item.evidence) - MOST_QUOTES, "result.json", language),
        expected=clip(say_(item.expected), expected_limit) if item.expected else None,
        truths=clip(", ".join(item.truths), 200) or None,
        diagnoses=_diagnoses(item, language),
        feedback=clip(say_(item.feedback), EXPLAINED) or None,
        decision=_decision(item, language),
        override=_override(item, language),
        kept=_kept(item, language),
        tall=_length(item) > TALL,
    )


def _diagnoses(item: ItemResult, language: Language) -> tuple[str, ...]:
    """What the feedback does not say already."""
    told = language.say(item.feedback)
    texts = dict.fromkeys(language.say(diagnosis.text) for diagnosis in item.diagnoses)
    return tuple(clip(text, EXPLAINED) for text in texts if text not in told)[:MOST_DIAGNOSES]


def _quotes(evidence: Sequence[Evidence], pictures: Mapping[Place, Shown], language: Language) -> tuple[Quote, ...]:
    limits = (FIRST_QUOTE, *repeat(FURTHER_QUOTE, MOST_QUOTES - 1))
    return tuple(
        Quote(
            text=clip_lines(one.quote, limit),
            place=place(one, language),
            picture=_picture(one, pictures) if number < MOST_PICTURES else None,
            printed=one.page is not None,
        )
        for number, (one, limit) in enumerate(zip(evidence, limits, strict=False))
    )


def _picture(evidence: Evidence, pictures: Mapping[Place, Shown]) -> Shown | None:
    where = place_of(evidence)
    return pictures.get(where) if where else None


def _length(item: ItemResult) -> int:
    """Characters that are shown, about."""
    texts = (item.found, item.expected, item.feedback, *(one.text for one in item.diagnoses[:MOST_DIAGNOSES]))
    return sum(min(len(text or ""), EXPLAINED) for text in texts)


def _decision(item: ItemResult, language: Language) -> str | None:
    if not awaits_person(item):
        return None
    if not item.pending:
        return language.say(say("A person will decide."))
    return language.say(say("A person will decide about {points}.", points=counted_points(item.pending)))


def _override(item: ItemResult, language: Language) -> str | None:
    """Who decided what in place of the grader, or about answers like this, when, and why."""
    put = item.override
    if put is None:
        told = clip(language.say(item.decided_by), 400)
        return language.say(say("Decided by {whom}", whom=told)) if told else None
    return language.say(
        say(
            "Decided by {author} on {day}: {reason} (By the grader: {before}.)",
            author=clip(put.author, 60),
            day=language.day(put.date),
            reason=clip(put.reason, 400),
            before=f"{language.say(MARKS[put.before].word).lower()}, "
            f"{fraction(put.score_before, item.max_score, language)}",
        )
    )


def _kept(item: ItemResult, language: Language) -> str | None:
    """By what an item was graded that a later grading left as it was."""
    kept = item.kept_from
    if kept is None:
        return None
    return language.say(
        say(
            "Graded before the rest: by version {version}, lab {lab}, ground truth {truth}.",
            version=kept.grader_version,
            lab=kept.lab_sha256[:HASH_LENGTH],
            truth=kept.truth_sha256[:HASH_LENGTH],
        )
    )
