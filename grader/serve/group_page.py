"""View models of the queue and of a group: answers, the expected answer with its source, and possible verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from grader.cohort.attention import first_sentence
from grader.frozen import Frozen
from grader.gradebook.decisions import Conflict
from grader.gradebook.review import EACH, Answer, AnswerGroup, Likeness
from grader.message import Language, Message, say, say_data, say_number
from grader.report.pictures import PagePicture, Place, place_of
from grader.report.views.student import ItemView, item_view
from grader.report.views.wording import MARKS, Mark, clip, clip_to_sentence, mark, points
from grader.result import ItemResult, Status
from grader.serve.sources import Sources
from grader.serve.standing import Nearest, Presence, Standing

MOST_ROWS: Final = 400


class Progress(Frozen):
    """Progress of a class: answers left to persons, those decided, and the remaining time."""

    decided: int
    all: int
    groups: int
    points: str
    estimate: str
    width: str


class GroupLine(Frozen):
    """A line of the queue."""

    id: str
    reason: str
    likeness: str
    sample: str
    suggestion: Mark | None
    suggests_each: bool
    count: int
    points: str
    audit: bool
    looked_at_by: tuple[str, ...]
    marker: str


class ItemSection(Frozen):
    """An item with its groups."""

    item: str
    title: str
    count: int
    points: str
    groups: tuple[GroupLine, ...]


class ConflictLine(Frozen):
    """A verdict that another person gave in the meantime, and the one that was refused."""

    student: str
    item: str
    theirs: str
    who: str
    mine: str
    same: bool
    link: str


LIKENESS: Final[Mapping[Likeness, Message]] = {
    Likeness.HAND_IN: say("whole submissions"),
    Likeness.WORDS: say("same words"),
    Likeness.NEAR: say("near words"),
    Likeness.REASON: say("same reason"),
}


def progress(standing: Standing, queue: Sequence[AnswerGroup], language: Language) -> Progress:
    """The progress of the class."""
    all_ = len(standing.answers)
    left = sum(len(group.answers) for group in queue)
    pace = standing.pace()
    hours, minutes = divmod(max(round(len(queue) * pace.seconds / 60), 1), 60)
    time = say("{minutes} min", minutes=minutes)
    if hours:
        time = say("{hours} h {minutes} min", hours=hours, minutes=minutes)
    if not queue:
        estimate = say("Nothing is left.")
    elif pace.measured:
        estimate = say("about {time} at your pace of {seconds:.0f} s a group", time=time, seconds=pace.seconds)
    else:
        estimate = say("about {time}, if a group takes {seconds:.0f} s", time=time, seconds=pace.seconds)
    worth = sum((group.points for group in queue), Decimal(0))
    return Progress(
        decided=all_ - left,
        all=all_,
        groups=len(queue),
        points=points(worth, language),
        estimate=language.say(estimate),
        width=f"{100 * (all_ - left) / all_ if all_ else 100:.1f}",
    )


def sections(
    standing: Standing, queue: Sequence[AnswerGroup], others: Mapping[str, Sequence[str]], language: Language
) -> tuple[ItemSection, ...]:
    """The queue by item, the most points first, and in it the groups of most points."""
    by_item: dict[str, list[AnswerGroup]] = {}
    for group in queue:
        by_item.setdefault(group.item, []).append(group)
    ordered = sorted(
        by_item.values(), key=lambda own_groups: -sum((candidate.points for candidate in own_groups), Decimal(0))
    )
    return tuple(
        ItemSection(
            item=own_groups[0].item,
            title=clip(language.say(own_groups[0].title), 120),
            count=sum(len(candidate.answers) for candidate in own_groups),
            points=points(sum((candidate.points for candidate in own_groups), Decimal(0)), language),
            groups=tuple(_line(standing, candidate, others, language) for candidate in own_groups[:MOST_ROWS]),
        )
        for own_groups in ordered
    )


def order_groups(queue: Sequence[AnswerGroup]) -> list[AnswerGroup]:
    """The groups in the order in which the queue lists them."""
    worth: dict[str, Decimal] = {}
    for group in queue:
        worth[group.item] = worth.get(group.item, Decimal(0)) + group.points
    return sorted(queue, key=lambda candidate: (-worth[candidate.item], candidate.item))


def conflict_line(standing: Standing, conflict: Conflict, language: Language) -> ConflictLine:
    """A conflict in words: the verdict in force and the one that was refused."""
    theirs = conflict.theirs
    return ConflictLine(
        student=conflict.target.student,
        item=conflict.target.item,
        theirs=outcome_words(theirs.after, language),
        who=theirs.actor,
        mine=outcome_words(conflict.target.after, language),
        same=theirs.after == conflict.target.after,
        link=student_link(conflict.target.student, conflict.target.item),
    )


def outcome_words(outcome: str, language: Language) -> str:
    """An outcome of the history in words: `Correct, 2.5 / 2.5`."""
    status, _, worth = outcome.partition(" ")
    if status not in {candidate.value for candidate in Status}:
        return outcome
    word = language.say(MARKS[Status(status)].word)
    return f"{word}, {worth}" if worth else word


def student_link(student: str, item: str = "") -> str:
    """The address of a student's page."""
    anchor = f"#{quote(item, safe='')}" if item else ""
    return f"/students/{quote(student, safe='')}{anchor}"


def _line(standing: Standing, group: AnswerGroup, others: Mapping[str, Sequence[str]], language: Language) -> GroupLine:
    first = group.answers[0]
    item = standing.stored_item(first)
    words = item.found or (item.evidence[0].quote if item.evidence else "")
    people = list(dict.fromkeys(answer.name or answer.student for answer in group.answers))
    is_whole = group.likeness is Likeness.HAND_IN
    return GroupLine(
        id=group.id,
        reason=language.say(group.reason) if is_whole else _reasons(first, language)["reason"],
        likeness=language.say(LIKENESS[group.likeness]) if len(group.answers) > 1 else "",
        sample=clip(", ".join(people) if is_whole else words, 160),
        suggestion=mark(group.suggestion, language) if group.suggestion else None,
        suggests_each=group.suggests_each,
        count=len(people) if is_whole else len(group.answers),
        points=points(group.points, language),
        audit=first.is_audit,
        looked_at_by=tuple(others.get(group.id, ())),
        marker=standing.marker_of(group.id),
    )


def counted_answers(number: int) -> Message:
    """`1 answer`, `12 answers`."""
    return say_number("{number} answer", "{number} answers", number)


MOST_CARDS: Final = 25
_CROP: Final = 1.4
"""Scale of pictures: a screen is read from further away than paper."""
VERDICTS: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT)


class Choice(Frozen):
    """A verdict to give, its key on the keyboard and what it is worth."""

    status: str
    key: str
    mark: Mark
    points: str


class RubricLine(Frozen):
    """A row of an item's rubric: its number, what it says and what it is worth, and the key that ticks it."""

    number: int
    text: str
    points: str
    worth: str
    key: str
    ticked: bool


class Card(Frozen):
    """One answer: what the student's report shows of it, and what only staff see."""

    student: str
    name: str
    link: str
    item: ItemView
    reason: str
    suggestion: Mark | None
    evidence: int


class Example(Frozen):
    """A decided answer to the same item."""

    words: str
    mark: Mark
    points: str
    by: str
    link: str


class GroupPage(Frozen):
    """A group to decide. `expected` is set where it is the same for all answers; `warning` names verdicts on the same
    words; `differs`: the answers do not all have the same words; `remarks` were given to other answers to the item."""

    id: str
    item: str
    title: str
    reason: str
    details: str
    likeness: str
    suggestion: Mark | None
    suggested: str
    count: int
    points: str
    maximum: str
    choices: tuple[Choice, ...]
    rubric: tuple[RubricLine, ...]
    cards: tuple[Card, ...]
    more: int
    expected: str | None
    truths: str | None
    examples: tuple[Example, ...]
    warning: str
    differs: bool
    remarks: tuple[str, ...]
    looked_at_by: tuple[str, ...]
    position: int
    of: int
    next: str
    seen: int
    loaded: int


class CropLinks(Mapping[Place, PagePicture]):
    """The addresses of the existing pictures of an item's evidence."""

    def __init__(self, sources: Sources, student: str, item: ItemResult) -> None:
        self._known: dict[Place, PagePicture] = {}
        first: dict[bytes, int] = {}
        for number, picture in sources.pictures(student, item.id).items():
            place = place_of(item.id, item.evidence[number]) if number < len(item.evidence) else None
            if place:
                shown = first.setdefault(picture.png, number)
                url = f"/crops/{quote(student, safe='')}/{quote(item.id, safe='')}/{shown}.png"
                self._known[place] = PagePicture(url=url, width=f"{picture.width * _CROP:.0f}")

    def __getitem__(self, place: Place) -> PagePicture:
        return self._known[place]

    def __iter__(self) -> Iterator[Place]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def group_page(
    standing: Standing,
    sources: Sources,
    nearest: Nearest,
    presence: Presence,
    group: AnswerGroup,
    grader: str,
    language: Language,
    *,
    start: int = 0,
) -> GroupPage:
    """A group with one page of its undecided answers, beginning at `start`."""
    queue = order_groups(standing.queue())
    waiting = standing.waiting(group)
    ids = [candidate.id for candidate in queue]
    position = ids.index(group.id) if group.id in ids else 0
    maximum = standing.items[group.item].points
    expected = {answer.expected for answer in waiting}
    others = presence.other_graders(grader)
    first = waiting[0] if waiting else group.answers[0]
    suggestion = group.suggestion
    return GroupPage(
        id=group.id,
        item=group.item,
        title=clip(language.say(group.title), 160),
        **_reasons(first, language),
        likeness=language.say(LIKENESS[group.likeness]) if len(waiting) > 1 else "",
        suggestion=mark(suggestion, language) if suggestion else None,
        suggested=EACH if group.suggests_each else suggestion.value if suggestion else "",
        count=len(waiting),
        points=points(maximum * len(waiting), language),
        maximum=points(maximum, language),
        choices=choices(standing, group.item, language),
        rubric=rubric_lines(standing, group.item, language),
        cards=tuple(
            card(standing, sources, answer, language, suggests=group.suggests_each)
            for answer in waiting[start : start + MOST_CARDS]
        ),
        more=max(len(waiting) - start - MOST_CARDS, 0),
        expected=clip(language.say(first.expected or ""), 900) if len(expected) == 1 else None,
        truths=", ".join(standing.stored_item(first).truths) or None,
        examples=_examples(standing, nearest, group, first, language),
        differs=len({answer.words for answer in waiting}) > 1 and group.likeness is Likeness.REASON,
        warning=_warning(standing, waiting, language),
        remarks=standing.remarks(group.item),
        looked_at_by=others.get(group.id, ()),
        position=position + 1,
        of=len(queue),
        next=following(queue, group.id, groups_elsewhere(standing, others, grader)),
        seen=standing.seen,
        loaded=standing.loaded,
    )


_ONE_LINE: Final = 160


def _reasons(answer: Answer, language: Language) -> dict[str, str]:
    """Return the reason why a group is left to a person, in one line, and the further details."""
    text = " ".join(language.say(answer.reason).split())
    if answer.is_audit:
        return {"reason": language.say(say("Spot check: the grader decided this by itself.")), "details": text}
    line = text if len(text) <= _ONE_LINE else clip_to_sentence(first_sentence(text), _ONE_LINE)
    return {"reason": line, "details": clip(text, 900) if line != text else ""}


def groups_elsewhere(
    standing: Standing, others: Mapping[str, Sequence[str]], grader: str
) -> Mapping[str, Sequence[str]]:
    """The groups that others look at or have to mark, to which a marker is led last."""
    given = {id_: (marker,) for id_ in standing.groups if (marker := standing.marker_of(id_)) not in ("", grader)}
    return {**given, **others}


def following(queue: Sequence[AnswerGroup], group: str, others: Mapping[str, Sequence[str]]) -> str:
    """The id of the next group in the queue; groups that another grader looks at come last."""
    ids = [candidate.id for candidate in queue]
    at = ids.index(group) if group in ids else -1
    after = [identifier for identifier in (*ids[at + 1 :], *ids[: max(at, 0)]) if identifier != group]
    return next((text for text in after if text not in others), next(iter(after), ""))


def card(standing: Standing, sources: Sources, answer: Answer, language: Language, *, suggests: bool = False) -> Card:
    """One answer of a group, with the suggestion for it where that `suggests` each its own."""
    item = standing.stored_item(answer)
    suggestion = answer.suggested if suggests else None
    return Card(
        student=answer.student,
        name=clip(answer.name or answer.student, 60),
        link=student_link(answer.student, answer.item),
        item=item_view(item, CropLinks(sources, answer.student, item), language),
        reason=_reasons(answer, language)["reason"],
        suggestion=mark(suggestion, language) if suggestion else None,
        evidence=len(item.evidence),
    )


def choices(standing: Standing, item: str, language: Language) -> tuple[Choice, ...]:
    """The verdicts for an item."""
    return tuple(
        Choice(
            status=status.value,
            key=str(number),
            mark=mark(status, language),
            points=points(standing.points_for(item, status), language),
        )
        for number, status in enumerate(VERDICTS, 1)
    )


_MOST_KEYS: Final = 9


def rubric_lines(
    standing: Standing, item: str, language: Language, ticked: Sequence[int] = ()
) -> tuple[RubricLine, ...]:
    """The rows of an item's rubric; none where it has no rubric."""
    known_item = standing.items.get(item)
    return tuple(
        RubricLine(
            number=number,
            text=language.say(say_data(text)),
            points=f"{'+' if worth > 0 else ''}{points(worth, language)}",
            worth=str(worth),
            key=str(number) if number <= _MOST_KEYS else "",
            ticked=number in ticked,
        )
        for number, (text, worth) in enumerate(
            zip(known_item.rubric_texts, known_item.rubric, strict=True) if known_item else (), 1
        )
    )


def _examples(
    standing: Standing, nearest: Nearest, group: AnswerGroup, first: Answer, language: Language
) -> tuple[Example, ...]:
    own_students = {answer.student for answer in group.answers}
    return tuple(
        Example(
            words=clip(item.found or "", 260),
            mark=mark(item.status, language),
            points=f"{points(item.score, language)} / {points(item.max_score, language)}",
            by=item.override.author if item.override else language.say(say("the grader")),
            link=student_link(result.student.id, item.id),
        )
        for result, item in nearest.similar_answers(group.item, first.words, own_students, 3)
    )


def _warning(standing: Standing, waiting: Sequence[Answer], language: Language) -> str:
    """A warning with the verdicts that persons gave to answers with the same words; empty without any."""
    words = {(candidate.item, candidate.words) for candidate in waiting if candidate.words}
    found: dict[Status, int] = {}
    for answer, status in standing.persons_verdicts(waiting[0].item if waiting else ""):
        if (answer.item, answer.words) in words:
            found[status] = found.get(status, 0) + 1
    if not found:
        return ""
    verdicts = ", ".join(f"{language.say(MARKS[status].word)} × {count}" for status, count in sorted(found.items()))
    return language.say(say("The same words were decided before: {told}", told=verdicts))
