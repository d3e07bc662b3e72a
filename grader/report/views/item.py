"""One rubric item as its student sees it, and how its grade came about."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from types import MappingProxyType
from typing import Final

from grader.cohort.attention import awaits_person
from grader.frozen import Frozen
from grader.message import ENGLISH, Language, say
from grader.report.pictures import Pictures, Place, Shown, place_of
from grader.report.views.wording import (
    MARKS,
    Mark,
    clip,
    clip_lines,
    clip_middle,
    counted_points,
    fraction,
    left_out,
    mark,
    moment,
    place,
    points,
)
from grader.result import ItemResult, Result, Status

MOST_FILES = 16
HASH_LENGTH = 12
STATES = {
    "read": say("read"),
    "partly": say("read in part"),
    "unreadable": say("could not be read"),
    "ignored": say("not needed"),
}


class FileView(Frozen):
    """A submitted file and how it was read."""

    path: str
    state: str
    reason: str | None


class Provenance(Frozen):
    """What a result was made from. `facts` are labels with values; `more_files` says how many files are not shown."""

    facts: tuple[tuple[str, str], ...]
    files: tuple[FileView, ...]
    more_files: str | None


def provenance(result: Result, language: Language = ENGLISH) -> Provenance:
    """What a result was made from. Files that were not read whole come first, as they may explain a missing answer;
    logs, which may be many, come last."""
    files = sorted(
        result.submission.files,
        key=lambda file: (file.state in ("read", "ignored"), file.state == "ignored", file.role == "log"),
    )
    return Provenance(
        facts=_facts(result, language),
        files=tuple(
            FileView(
                path=clip_middle(file.path, 72),
                state=language.say(STATES[file.state]),
                reason=clip(language.say(file.reason), 200) if file.reason else None,
            )
            for file in files[:MOST_FILES]
        ),
        more_files=left_out(len(files) - MOST_FILES, "result.json", language),
    )


def _facts(result: Result, language: Language) -> tuple[tuple[str, str], ...]:
    submission, late = result.submission, result.lateness
    # The file taken as the report, and why where there was a choice.
    sheet = clip_middle(submission.report, 72) if submission.report else language.say(say("none was found"))
    reason = language.say(submission.report_reason)
    # When it was handed in, and the source of that time.
    handed_in = moment(submission.submitted_at, language) if submission.submitted_at else ""
    if handed_in and late and (source := language.say(late.time_from)):
        handed_in = say("{moment} (by {source})", moment=handed_in, source=source)
    facts = (
        (say("Grader"), say("version {version}", version=result.grader_version)),
        (say("Lab"), f"{result.lab.id}, {_short(result.lab.sha256)}"),
        (say("Ground truth"), _short(result.truth_sha256)),
        (say("Submission"), _short(result.submission.sha256)),
        (say("Answer sheet"), f"{sheet} ({reason})" if reason else sheet),
        (say("Handed in"), handed_in),
        (say("Deadline"), late.text if late else ""),
    )
    return tuple((language.say(label), clip(language.say(value), 240)) for label, value in facts if value)


def _short(sha256: str) -> str:
    return sha256[:HASH_LENGTH] or say("unknown")


MOST_QUOTES = 4
MOST_DIAGNOSES = 3
MOST_REQUESTS = 5
TALL: Final = 110.0
"""Items higher than this, in points, may continue on the next page, so that no page is left half empty."""
_LINE, _IN_LINE = 12.0, 90
"""The height of a line, in points, and about the characters in it."""
NO_PICTURES: Mapping[Place, Shown] = MappingProxyType({})
FIRST_QUOTE, FURTHER_QUOTE = 320, 140
"""Characters shown of the first piece of evidence, and of each further one."""
FOUND = 240
READ = 110
"""Characters of the line that says what was read for a correct item."""
SHARED = 12
"""Fewest characters that count as an overlap of two quotes from one line."""
EXPLAINED, CONFIRMED = 700, 320
"""Characters shown of the expected answer, where it has to be explained and where it need not be."""


class Quote(Frozen):
    """The student's words, their place, and its picture if there is one. In text from a page (`printed`), powers and
    indices are marked as `^{…}` and `_{…}`. `numbers` are the pieces of evidence in the quote, counted from 0; `number`
    is the first of them. `above` is the title of the item before that shows the same picture, if one does."""

    text: str
    place: str
    picture: Shown | None = None
    printed: bool = False
    number: int = 0
    numbers: str = "0"
    above: str | None = None


class ItemView(Frozen):
    """What an item earned and why. `more`: how much evidence is not shown; `decision`: that a person decides;
    `override`: that a person decided; `requests`: what the student asked and the answers; `kept`: that other versions
    graded it than the rest. A `brief` item earned all its points and takes one line; `read` is what earned them.
    `anchor` is the target of links; a `tall` item may continue on the next page."""

    id: str
    anchor: str
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
    requests: tuple[str, ...]
    kept: str | None
    brief: bool
    read: str
    tall: bool


def item_view(
    item: ItemResult, pictures: Mapping[Place, Shown] = NO_PICTURES, language: Language = ENGLISH, anchor: str = ""
) -> ItemView:
    """The view of one item, without the note and the suggestion that are for staff."""
    say_ = language.say
    undecided = item.pending > 0 and not item.score
    most = points(item.max_score, language)
    shown = _quotes(item, pictures, language)
    expected_limit = CONFIRMED if item.status is Status.CORRECT else EXPLAINED
    return ItemView(
        id=item.id,
        anchor=anchor,
        title=clip(say_(item.title), 160),
        mark=mark(item.status, language),
        points=f"– / {most}" if undecided else fraction(item.score, item.max_score, language),
        found=None if _is_shown(item, shown, language) else clip(say_(item.found or ""), FOUND),
        quotes=shown,
        more=left_out(len(item.evidence) - sum(len(one.numbers.split()) for one in shown), "result.json", language),
        expected=clip(say_(item.expected), expected_limit) if item.expected else None,
        truths=clip(", ".join(item.truths), 200) or None,
        diagnoses=_diagnoses(item, language),
        feedback=clip(say_(item.feedback), EXPLAINED) or None,
        decision=_decision(item, language),
        override=_override(item, language),
        requests=_requests(item, language),
        kept=_kept_from(item, language),
        brief=is_brief(item),
        read=clip(say_(item.found or item.feedback), READ),
        tall=not is_brief(item) and _height(item, shown, language) > TALL,
    )


def pictured_once(items: Iterable[ItemView]) -> Iterator[ItemView]:
    """The items with, at each picture that one before shows already, the title of that item. Brief ones show none."""
    shown: dict[str, str] = {}
    for item in items:
        urls = [one.picture.url for one in item.quotes if one.picture and not item.brief]
        quotes = (
            one.model_copy(update={"above": shown.get(one.picture.url)}) if one.picture else one for one in item.quotes
        )
        yield item.model_copy(update={"quotes": tuple(quotes)}) if urls else item
        shown = {**dict.fromkeys(urls, item.title), **shown}


def _diagnoses(item: ItemResult, language: Language) -> tuple[str, ...]:
    """The diagnoses that the feedback does not contain already."""
    feedback = _plain(language.say(item.feedback))
    texts = dict.fromkeys(language.say(diagnosis.text) for diagnosis in item.diagnoses)
    return tuple(clip(text, EXPLAINED) for text in texts if _plain(text) not in feedback)[:MOST_DIAGNOSES]


def _is_shown(item: ItemResult, quotes: tuple[Quote, ...], language: Language) -> bool:
    """Whether nothing was found, or a quote already shows what was found."""
    words = _plain(language.say(item.found or ""))
    return not words or any(words in _plain(quote.text) for quote in quotes)


def _plain(text: str) -> str:
    """The letters and digits of a text, for comparing two texts."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def anchor_of(number: int) -> str:
    """The link target of an item, by its number in the result, from 0."""
    return f"item-{number + 1}"


def is_brief(item: ItemResult) -> bool:
    """Whether one line is enough for an item: it lost no points, and no person decided about it."""
    plain = not (item.override or item.earlier or item.decided_by or item.kept_from or item.requests)
    return item.status is Status.CORRECT and plain and not awaits_person(item)


def printed(result: Result, pictures: Pictures) -> Pictures:
    """The pictures that the PDF shows: one line stands there for a brief item."""
    brief = {item.id for item in result.items if is_brief(item)}
    return {place: one for place, one in pictures.items() if place[0] not in brief}


def _quotes(item: ItemResult, pictures: Mapping[Place, Shown], language: Language) -> tuple[Quote, ...]:
    """The quotes of an item's evidence, merged where one picture shows them or they come from one line or cell."""
    quotes: list[Quote] = []
    for number, one in enumerate(item.evidence):
        where = place_of(item.id, one)
        picture = pictures.get(where) if where else None
        quote = Quote(
            text=one.quote.strip("\n"),
            place=place(one, language),
            picture=picture,
            printed=one.page is not None,
            number=number,
            numbers=str(number),
        )
        exact = one.line is not None or one.cell is not None
        same = next((at for at, known in enumerate(quotes) if _belong_together(known, quote, exact)), None)
        if same is None:
            quotes.append(quote)
        else:  # words that are in both are printed once
            known = quotes[same]
            text = _merged_text(known.text, quote.text) or f"{known.text}\n{quote.text}"
            quotes[same] = known.model_copy(update={"text": text, "numbers": f"{known.numbers} {number}"})
    limits = (FIRST_QUOTE, *repeat(FURTHER_QUOTE, MOST_QUOTES - 1))
    return tuple(
        quote.model_copy(update={"text": clip_lines(quote.text, limit)})
        for quote, limit in zip(quotes, limits, strict=False)
    )


def _belong_together(one: Quote, other: Quote, exact: bool) -> bool:
    """Whether two quotes are shown as one. `exact` is whether their place is more than a page."""
    if one.picture or other.picture:
        return one.picture == other.picture
    return one.place == other.place and (exact or _merged_text(one.text, other.text) is not None)


def _merged_text(one: str, other: str) -> str | None:
    """Two texts merged, if one contains the other or begins with the other's end; else None."""
    if other.strip(" …") in one:
        return one
    before, after = one.rstrip(" …"), other.lstrip(" …")
    sizes = range(min(len(before), len(after)), SHARED - 1, -1)  # a shorter overlap may be chance
    overlap = next((size for size in sizes if before.endswith(after[:size])), 0)
    return before + after[overlap:] if overlap else None


def _height(item: ItemResult, shown: Sequence[Quote], language: Language) -> float:
    """About how high an item is on a page, in points."""
    texts = (item.found, item.expected, item.feedback, *(one.text for one in item.diagnoses[:MOST_DIAGNOSES]))
    lines = sum(-(-min(len(language.say(text)), EXPLAINED) // _IN_LINE) for text in texts if text)
    pictures = {one.picture.url: one.picture.height for one in shown if one.picture}
    lines += sum(2 if one.picture else -(-len(one.text) // _IN_LINE) for one in shown)
    return lines * _LINE + sum(pictures.values())


def _decision(item: ItemResult, language: Language) -> str | None:
    if not awaits_person(item):
        return None
    if item.earlier:
        told = say("A person decided about an answer that you had handed in before, and will look at this one.")
        return language.say(told)
    if not item.pending:
        return language.say(say("A person will decide."))
    return language.say(say("A person will decide about {points}.", points=counted_points(item.pending)))


def _override(item: ItemResult, language: Language) -> str | None:
    """Who overrode the grader for this item or for answers like it, with what, when, and why."""
    put = item.override
    if put is None:
        decider = clip(language.say(item.decided_by), 400)
        return language.say(say("Decided by {whom}", whom=decider)) if decider else None
    before = language.say(MARKS[put.before].word).lower()
    told = say(
        "Decided by {author} on {day}: {reason} (By the grader: {before}.)",
        author=clip(put.author, 60),
        day=language.day(put.date),
        reason=clip(put.reason, 400),
        before=f"{before}, {fraction(put.score_before, item.max_score, language)}",
    )
    return language.say(told)


def _requests(item: ItemResult, language: Language) -> tuple[str, ...]:
    """What the student asked to be looked at again, and what was answered."""
    return tuple(
        language.say(
            say(
                "You asked on {asked}: “{text}” {author} answered on {answered}: {answer}",
                asked=language.day(one.asked),
                text=clip(one.text, 400),
                author=clip(one.answered_by, 60),
                answered=language.day(one.answered),
                answer=clip(one.answer, 400),
            )
        )
        for one in item.requests[-MOST_REQUESTS:]
    )


def _kept_from(item: ItemResult, language: Language) -> str | None:
    """The versions that graded an item which a later grading left unchanged."""
    kept = item.kept_from
    if kept is None:
        return None
    told = say(
        "Graded before the rest: by version {version}, lab {lab}, ground truth {truth}.",
        version=kept.grader_version,
        lab=kept.lab_sha256[:HASH_LENGTH],
        truth=kept.truth_sha256[:HASH_LENGTH],
    )
    return language.say(told)
