"""The student's report: each rubric item, how its grade came about, and the things most worth fixing. Notes and
suggestions for staff are never part of it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import repeat
from types import MappingProxyType
from typing import Final

from grader.cohort.attention import awaits_person
from grader.frozen import Frozen
from grader.message import (
    ENGLISH,
    PERSON_DECIDES,
    Language,
    join_messages,
    label_text,
    once_decided,
    plural_of,
    say,
    say_number,
)
from grader.report.pictures import PagePicture, Pictures, Place, place_of
from grader.report.views.curves import Line, Panel, keys_of_all, panels
from grader.report.views.wording import (
    MARKS,
    Mark,
    clip,
    clip_lines,
    clip_middle,
    clip_to_sentence,
    counted_points,
    fraction,
    left_out,
    mark,
    moment,
    place,
    points,
    width,
)
from grader.result import (
    UNREADABLE,
    AppliedOverride,
    ChangedWorth,
    ItemResult,
    QuestionScore,
    Result,
    Status,
    is_confirmed,
    is_settled_for_class,
)

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
    """The sources of a result. `facts` are labels with values."""

    facts: tuple[tuple[str, str], ...]
    files: tuple[FileView, ...]
    more_files: str | None


def provenance(result: Result, language: Language = ENGLISH) -> Provenance:
    """Return the sources of a result. Files that were not read whole come first, as they may explain a missing answer;
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
        (say("Ground truth"), result.truth_sha256[:HASH_LENGTH]),
        (say("Submission"), _short(result.submission.sha256)),
        (say("Answer sheet"), f"{sheet} ({reason})" if reason else sheet),
        (say("Handed in"), handed_in),
        (say("Deadline"), late.text if late else ""),
        (say("More time"), late.extension if late else ""),
        (say("Rule for lateness"), late.rule if late else ""),
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
NO_PICTURES: Mapping[Place, PagePicture] = MappingProxyType({})
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
    """The student's words, their place, and its picture. In text from a page (`printed`), powers and indices are marked
    as `^{…}` and `_{…}`. A quote may join several pieces of the item's evidence. `numbers` lists their indices, counted
    from 0; `number` is the first index. `above` is the title of an earlier item that shows the same picture."""

    text: str
    place: str
    picture: PagePicture | None = None
    printed: bool = False
    number: int = 0
    numbers: str = "0"
    above: str | None = None


class ItemView(Frozen):
    """The outcome of an item, and the reasons. Three fields are sentences: `decision` says that a marker will decide,
    `override` that a marker decided, and `kept` that the item was graded earlier, by the versions it names. A `brief`
    item earned all its points and takes one line; `read` is what earned them. A `tall` item may continue on the next
    page."""

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
    item: ItemResult,
    pictures: Mapping[Place, PagePicture] = NO_PICTURES,
    language: Language = ENGLISH,
    anchor: str = "",
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
        more=left_out(len(item.evidence) - sum(len(quote.numbers.split()) for quote in shown), "result.json", language),
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


def student_copy(item: ItemResult, result: Result, language: Language) -> ItemResult:
    """An item as its student reads it: without the finding that a person replaced, without a check that only confirmed
    it, without the sentence that a person decides where one has decided, and without the names of those who decided,
    where the lab does not tell them."""
    put, changes = item.override, dict[str, object]()
    if is_confirmed(item):
        put, changes = None, {"override": None}
    elif put and put.before is not item.status and (put.reason or item.status is Status.CORRECT):
        changes = {"feedback": "", "diagnoses": () if item.status is Status.CORRECT else item.diagnoses}
    if is_settled_for_class(item) and item.worth:
        changes = {"feedback": "", "diagnoses": (), "expected": None}
    if not result.lab.names_markers:
        changes |= _unnamed(item, put, language.say(say("the teaching staff")))
    if not awaits_person(item):
        changes = {"feedback": once_decided(item.feedback, language), **changes}
    return item.model_copy(update=changes) if changes else item


def _unnamed(item: ItemResult, put: AppliedOverride | None, staff: str) -> dict[str, object]:
    """Return the fields of an item that change if nobody is named."""
    return {
        "override": put and put.model_copy(update={"author": staff}),
        "worth": item.worth and item.worth.model_copy(update={"author": staff}),
        "decided_by": item.decided_by and staff,
        "requests": tuple(request.model_copy(update={"answered_by": staff}) for request in item.requests),
    }


def pictured_once(items: Iterable[ItemView]) -> Iterator[ItemView]:
    """The items with, at each picture that one before shows already, the title of that item. Brief ones show none."""
    shown: dict[str, str] = {}
    for item in items:
        urls = [quote.picture.url for quote in item.quotes if quote.picture and not item.brief]
        quotes = (
            quote.model_copy(update={"above": shown.get(quote.picture.url)}) if quote.picture else quote
            for quote in item.quotes
        )
        yield item.model_copy(update={"quotes": tuple(quotes)}) if urls else item
        shown = {**dict.fromkeys(urls, item.title), **shown}


def _diagnoses(item: ItemResult, language: Language) -> tuple[str, ...]:
    """The diagnoses that the feedback does not contain already."""
    feedback = _plain(language.say(item.feedback))
    texts = dict.fromkeys(language.say(diagnosis.text) for diagnosis in item.diagnoses)
    return tuple(clip(text, EXPLAINED) for text in texts if _plain(text) not in feedback)[:MOST_DIAGNOSES]


def _is_shown(item: ItemResult, quotes: tuple[Quote, ...], language: Language) -> bool:
    """Whether nothing was found, or a quote already shows what was found, or as much of it as fits."""
    words = _plain(language.say(item.found or ""))
    return not words or any(
        words in _plain(quote.text) or (quote.text.endswith("…") and words.startswith(_plain(quote.text)))
        for quote in quotes
    )


def _plain(text: str) -> str:
    """The letters and digits of a text, for comparing two texts."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def anchor_of(number: int) -> str:
    """The link target of an item, by its number in the result, from 0."""
    return f"item-{number + 1}"


def is_brief(item: ItemResult) -> bool:
    """Whether one line is enough for an item: it lost no points, and no person decided about it."""
    plain = not (item.override or item.earlier or item.decided_by or item.kept_from or item.requests or item.worth)
    return item.status is Status.CORRECT and plain and not awaits_person(item)


def printed_pictures(result: Result, pictures: Pictures) -> Pictures:
    """The pictures that the PDF shows: one line stands there for a brief item."""
    brief = {item.id for item in result.items if is_brief(item)}
    return {place: picture for place, picture in pictures.items() if place[0] not in brief}


def _quotes(item: ItemResult, pictures: Mapping[Place, PagePicture], language: Language) -> tuple[Quote, ...]:
    """The quotes of an item's evidence, merged where one picture shows them or they come from one line or cell."""
    quotes: list[Quote] = []
    for number, evidence in enumerate(item.evidence):
        where = place_of(item.id, evidence)
        picture = pictures.get(where) if where else None
        quote = Quote(
            text=evidence.quote.strip("\n"),
            place=place(evidence, language),
            picture=picture,
            printed=evidence.page is not None,
            number=number,
            numbers=str(number),
        )
        exact = evidence.line is not None or evidence.cell is not None
        same = next(
            (at for at, earlier_quote in enumerate(quotes) if _belong_together(earlier_quote, quote, exact)), None
        )
        if same is None:
            quotes.append(quote)
        else:  # words that are in both are printed once
            earlier_quote = quotes[same]
            text = _merged_text(earlier_quote.text, quote.text) or f"{earlier_quote.text}\n{quote.text}"
            quotes[same] = earlier_quote.model_copy(
                update={"text": text, "numbers": f"{earlier_quote.numbers} {number}"}
            )
    limits = (FIRST_QUOTE, *repeat(FURTHER_QUOTE, MOST_QUOTES - 1))
    return tuple(
        quote.model_copy(update={"text": clip_lines(quote.text, limit)})
        for quote, limit in zip(quotes, limits, strict=False)
    )


def _belong_together(quote: Quote, other: Quote, exact: bool) -> bool:
    """Whether two quotes are shown as one. `exact` is whether their place is more than a page."""
    if quote.picture or other.picture:
        return quote.picture == other.picture
    return quote.place == other.place and (exact or _merged_text(quote.text, other.text) is not None)


def _merged_text(first: str, other: str) -> str | None:
    """Two texts merged, if one contains the other or begins with the other's end; else None."""
    if other.strip(" …") in first:
        return first
    before, after = first.rstrip(" …"), other.lstrip(" …")
    sizes = range(min(len(before), len(after)), SHARED - 1, -1)  # a shorter overlap may be chance
    overlap = next((size for size in sizes if before.endswith(after[:size])), 0)
    return before + after[overlap:] if overlap else None


def _height(item: ItemResult, shown: Sequence[Quote], language: Language) -> float:
    """About how high an item is on a page, in points."""
    texts = (
        item.found,
        item.expected,
        item.feedback,
        *(diagnosis.text for diagnosis in item.diagnoses[:MOST_DIAGNOSES]),
    )
    lines = sum(-(-min(len(language.say(text)), EXPLAINED) // _IN_LINE) for text in texts if text)
    pictures = {quote.picture.url: quote.picture.height for quote in shown if quote.picture}
    lines += sum(2 if quote.picture else -(-len(quote.text) // _IN_LINE) for quote in shown)
    return lines * _LINE + sum(pictures.values())


def _decision(item: ItemResult, language: Language) -> str | None:
    if not awaits_person(item):
        return None
    if item.earlier:
        message = say("A person decided about an earlier answer of yours and will look at this one.")
        return language.say(message)
    if not item.pending:
        return language.say(PERSON_DECIDES)
    return language.say(say("To be decided by a person: {points}.", points=counted_points(item.pending)))


def _override(item: ItemResult, language: Language) -> str | None:
    """Return a sentence about the person who overrode the grader for this item or for answers like it, with what, when,
    and why."""
    put, worth = item.override, item.worth
    if worth and not item.max_score:
        message = say("This item counts for nobody in the class: {reason} ({author}, {day})", **_by(worth, language))
        return language.say(message)
    if put is None and worth:
        message = say(
            "For the whole class this is worth {points} instead of {before}: {reason} ({author}, {day})",
            points=counted_points(item.max_score),
            before=points(worth.maximum_before, language),
            **_by(worth, language),
        )
        return language.say(message)
    if put is None:
        decider = clip(language.say(item.decided_by), 400)
        return language.say(say("Decided by {whom}", whom=decider)) if decider else None
    before = language.say(MARKS[put.before].word).lower()
    message = say("Decided by {author} on {day}.", **_by(put, language))
    if put.scope:
        message = say("Decided for the whole class by {author} on {day}: {reason}", **_by(put, language))
    elif put.reason and put.reason not in {
        request.answer for request in item.requests
    }:  # which is told beside the request
        message = say("Decided by {author} on {day}: {reason}", **_by(put, language))
    if item.status is not Status.CORRECT:  # of a request that was granted, the old verdict says nothing any more
        before = f"{before}, {fraction(put.score_before, item.max_score, language)}"
        message = join_messages(" ", (message, say("(The grader had: {before}.)", before=before)))
    return language.say(message)


def _by(put: AppliedOverride | ChangedWorth, language: Language) -> dict[str, str]:
    """Return the author, date and reason of a decision."""
    return {
        "author": clip(put.author, 60),
        "day": language.day(put.date),
        "reason": clip(put.reason, 400),
    }


def _requests(item: ItemResult, language: Language) -> tuple[str, ...]:
    """Return the student's requests to look again, and the answers."""
    return tuple(
        language.say(
            say(
                "You asked on {asked}: “{text}” {author} answered on {answered}: {answer}",
                asked=language.day(request.asked),
                text=clip(request.text, 400),
                author=clip(request.answered_by, 60),
                answered=language.day(request.answered),
                answer=clip(request.answer, 400),
            )
        )
        for request in item.requests[-MOST_REQUESTS:]
    )


def _kept_from(item: ItemResult, language: Language) -> str | None:
    """The versions that graded an item which a later grading left unchanged."""
    kept = item.kept_from
    if kept is None:
        return None
    message = say(
        "Graded earlier than the other items: by version {version}, lab {lab}, ground truth {truth}.",
        version=kept.grader_version,
        lab=kept.lab_sha256[:HASH_LENGTH],
        truth=kept.truth_sha256[:HASH_LENGTH],
    )
    return language.say(message)


class Call(Frozen):
    """The sentence beside the score, and what it means."""

    shape: str
    claim: str
    explanation: str


def call(result: Result, language: Language = ENGLISH) -> Call | None:
    """The most important message to the student, or None."""
    explanation: str = ""
    if result.error is not None:
        status, claim = Status.ERROR, say("This submission could not be graded automatically.")
        explanation = say("That is not your fault: a person will look at it and decide.")
    elif is_unopened(result):
        status, claim = Status.ERROR, say("We could not open your file; send it again.")
        lost = [file for file in result.submission.files if file.state == "unreadable"] or result.submission.files
        file_texts = (label_text(file.path, file.reason or "") for file in lost[:MOST_FILES])
        explanation = join_messages(say("; "), file_texts)
    elif result.pending:
        status = Status.REVIEW
        claim = say_number(
            "{points:f} point is pending review.",
            "{points:f} points are pending review.",
            plural_of(result.pending),
            points=result.pending.normalize(),
        )
        explanation = say("The score above counts decided points only and may still rise.")
    elif not result.submission.files:
        status, claim = Status.MISSING, say("No file was found in this submission.")
        explanation = say("If you did hand something in, tell the teaching staff.")
    elif result.score == result.max_score:
        status, claim = Status.CORRECT, say("Every point was earned.")
    else:
        return None
    return Call(shape=MARKS[status].shape, claim=language.say(claim), explanation=language.say(explanation))


def is_unopened(result: Result) -> bool:
    """Whether nothing of a hand-in could be opened. Its student may send it again, so what is right is not told."""
    return bool(result.items) and all(item.group.startswith(UNREADABLE) for item in result.items)


MOST_FIXES = 3


class Fix(Frozen):
    """One of the things most worth fixing. `item` and `title` name all items with the same problem, `question` their
    questions.
    """

    item: str
    anchor: str
    title: str
    question: str
    mark: Mark
    cost: str
    open: bool
    advice: str
    right: str | None


def fixes(result: Result, language: Language) -> tuple[Fix, ...]:
    """The items that cost the most points, then those with the most pending points and a reason for the student.

    Items that were not assessed are left out: something else that is missing explains them.
    """
    lost = [item for item in result.items if _points_at_stake(item) > 0 and item.status is not Status.NOT_RUN]
    alike: dict[tuple[str, ...], list[ItemResult]] = {}
    for item in lost:
        alike.setdefault(_kind(item), []).append(item)
    ordered = sorted(alike.values(), key=lambda items: (items[0].pending > 0, -sum(map(_points_at_stake, items))))
    return tuple(_fix(items, result, language) for items in ordered[:MOST_FIXES])


def _kind(item: ItemResult) -> tuple[str, ...]:
    """A key that is equal for items with the same messages; an item without any message has its own key."""
    advice = _advice(item)
    own_key = () if advice and item.status is not Status.MISSING else (item.id,)
    return (
        (item.status, advice, item.expected or "", *own_key) if item.pending == 0 else (item.status, advice, *own_key)
    )


def _points_at_stake(item: ItemResult) -> Decimal:
    has_reason = item.status is Status.REVIEW and (item.diagnoses or item.feedback)
    return item.max_score - item.score - (0 if has_reason else item.pending)


def _fix(items: Sequence[ItemResult], result: Result, language: Language) -> Fix:
    first = items[0]
    titles = {question.id: language.say(question.title) for question in result.questions}
    stake = sum(map(_points_at_stake, items), Decimal(0))
    is_open = first.pending > 0
    apart = language.say(say("; "))
    return Fix(
        item=clip(", ".join(item.id for item in items), 60),
        anchor=anchor_of(next(number for number, item in enumerate(result.items) if item is first)),
        title=clip(apart.join(dict.fromkeys(language.say(item.title) for item in items)), 120),
        question=clip(apart.join(dict.fromkeys(titles.get(item.question, "") for item in items)), 120),
        mark=mark(first.status, language),
        cost=points(stake if is_open else -stake, language),
        open=is_open,
        advice=clip(language.say(_advice(first)), 300),
        right=clip_to_sentence(language.say(first.expected), 160) if first.expected and not is_open else None,
    )


def _advice(item: ItemResult) -> str:
    """The most precise known description of what is wrong."""
    if item.override and item.override.reason:
        return item.override.reason
    missing = say("No answer to this was found in the submission.") if item.status is Status.MISSING else ""
    return item.feedback or join_messages(" ", (diagnosis.text for diagnosis in item.diagnoses)) or missing


MOST_FLAGS = 10
TOLD_FLAGS = frozenset(
    {
        "arithmetic",
        "blank-handout",
        "claim-contradicts-log",
        "hyperparameter-mismatch",
        "log-damaged",
        "notebook-state",
        "other-language",
        "outside-band",
        "repeated-seed",
        "statistics-mismatch",
        "std-unit",
        "table-contradiction",
        "time-unknown",
        "unreadable",
        "validation-reported-as-test",
        "wrong-lab",
    }
)
"""Flags shown to students. All others are for staff: they concern other students, raise a suspicion, or are unknown.
Lateness is reported with the points."""


class QuestionView(Frozen):
    """A line of the table of questions. `mark` is None where the question is worth no points; `earned` and `pending`
    are lengths."""

    id: str
    anchor: str
    title: str
    mark: Mark | None
    points: str
    awaiting: str
    earned: str
    pending: str


class Notice(Frozen):
    """A remark that costs no points, and its place."""

    message: str
    place: str | None


class Section(Frozen):
    """A question with its items."""

    question: QuestionView
    items: tuple[ItemView, ...]


class StudentView(Frozen):
    """The whole report of one student, without sections when grading failed. `earned` and `pending` are lengths.
    `pending_column` is whether any question is pending review, `legend` the statuses that occur, `example_item` an item
    id that shows how to ask about a grade."""

    lab: str
    name: str
    id: str
    score: str
    max_score: str
    earned: str
    pending: str
    call: Call | None
    pending_column: bool
    late_penalty: str | None
    lateness: str | None
    questions: tuple[QuestionView, ...]
    fixes: tuple[Fix, ...]
    legend: tuple[Mark, ...]
    sections: tuple[Section, ...]
    curves: tuple[Panel, ...]
    curve_keys: tuple[Line, ...]
    notices: tuple[Notice, ...]
    provenance: Provenance
    example_item: str | None


def student_view(
    result: Result, pictures: Mapping[Place, PagePicture] = NO_PICTURES, language: Language = ENGLISH
) -> StudentView:
    """The view of any result, including one whose grading failed and one of an empty hand-in."""
    result = result.model_copy(update={"items": tuple(student_copy(item, result, language) for item in result.items)})
    curves = panels(result, language)
    questions = tuple(
        _question(question, f"question-{number}", result.items, language)
        for number, question in enumerate(result.questions, 1)
    )
    is_late = bool(result.lateness and result.lateness.late_by)
    statuses = {item.status for item in result.items if not item.worth or item.max_score}
    return StudentView(
        lab=clip(language.say(result.lab.title), 120),
        name=clip(result.student.name, 60) or clip(result.student.id, 60),
        id=clip(result.student.id, 80),
        score="–" if result.error else points(result.score, language),
        max_score=points(result.max_score, language),
        earned=width(result.score, result.max_score),
        pending=width(result.pending, result.max_score),
        call=call(result, language),
        pending_column=result.pending > 0,
        late_penalty=points(-result.late_penalty, language) if result.late_penalty or is_late else None,
        lateness=clip(language.say(result.lateness.text), 200) if result.lateness else None,
        questions=questions,
        fixes=fixes(result, language) if result.submission.files and not is_unopened(result) else (),
        legend=tuple(mark(status, language) for status in MARKS if status in statuses),
        sections=()
        if result.error or is_unopened(result)
        else tuple(_section(result, question, pictures, language) for question in questions),
        curves=curves,
        curve_keys=keys_of_all(curves),
        notices=_notices(result, language),
        provenance=provenance(result, language),
        example_item=clip(result.items[0].id, 40) if result.items else None,
    )


def _question(question: QuestionScore, anchor: str, items: Sequence[ItemResult], language: Language) -> QuestionView:
    status = _status(question, items)
    return QuestionView(
        id=question.id,
        anchor=anchor,
        title=clip(language.say(question.title), 120),
        mark=mark(status, language) if status else None,
        points=fraction(question.score, question.max_score, language),
        awaiting=points(question.pending, language) if question.pending else "",
        earned=width(question.score, question.max_score),
        pending=width(question.pending, question.max_score),
    )


def _status(question: QuestionScore, items: Sequence[ItemResult]) -> Status | None:
    """One status for a question: pending and lost points weigh more than correct answers."""
    statuses = {item.status for item in items if item.question == question.id}
    if not question.max_score:
        return None
    if len(statuses) == 1:
        return statuses.pop()
    if question.pending:
        return Status.REVIEW
    if question.score == question.max_score:
        return Status.CORRECT
    return Status.PARTIAL if question.score else Status.INCORRECT


def _section(
    result: Result, question: QuestionView, pictures: Mapping[Place, PagePicture], language: Language
) -> Section:
    numbered = ((anchor_of(number), item) for number, item in enumerate(result.items) if item.question == question.id)
    views = (item_view(item, pictures, language, anchor) for anchor, item in numbered)
    return Section(question=question, items=tuple(pictured_once(views)))


def _notices(result: Result, language: Language) -> tuple[Notice, ...]:
    items = (item for item in result.items if not is_brief(item))
    texts = {text for item in items for text in (item.feedback, *(diagnosis.text for diagnosis in item.diagnoses))}
    shown = [flag for flag in result.flags if flag.id in TOLD_FLAGS and flag.message not in texts]
    return tuple(
        Notice(
            message=clip(language.say(flag.message), 300),
            place=place(flag.evidence[0], language) if flag.evidence else None,
        )
        for flag in shown[:MOST_FLAGS]
    )
