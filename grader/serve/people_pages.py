"""View models of the class page (figures, students × items) and of a student's page (items with proofs, decisions)."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from statistics import mean, median
from urllib.parse import quote

from grader.cohort.attention import reason_of
from grader.frozen import Frozen
from grader.gradebook.decisions import DecisionVersion
from grader.gradebook.outline import Outline
from grader.gradebook.requests import ReviewRequest
from grader.message import Language, say
from grader.report.views.class_charts import SIGNS, Sign, legend
from grader.report.views.student import ItemView, item_view
from grader.report.views.wording import MARKS, Mark, clip, mark, points, width
from grader.result import Result, Scope
from grader.serve.group_page import (
    Choice,
    CropLinks,
    RubricLine,
    choices,
    outcome_words,
    rubric_lines,
    student_link,
)
from grader.serve.hand_ins import WHOLE, FileLine
from grader.serve.sources import Sources
from grader.serve.standing import Standing

ROWS = 100
_BINS = 10


class Cell(Frozen):
    """A student's item: its sign, its status, and whether a person decided."""

    item: str
    link: str
    sign: str
    status: str
    word: str
    decided: bool


class Row(Frozen):
    """A student."""

    name: str
    student: str
    link: str
    score: str
    pending: str
    cells: tuple[Cell, ...]


class Column(Frozen):
    """A bar of the histogram, in percent of the highest."""

    label: str
    count: int
    height: str
    y: str


class ItemBar(Frozen):
    """An item across the class: the share of decided points that was earned, and the pending answers."""

    item: str
    title: str
    earned: str
    pending: str
    share: str
    waiting: int


class ClassPage(Frozen):
    """The class."""

    students: int
    mean: str
    median: str
    lowest: str
    highest: str
    maximum: str
    pending: int
    bins: tuple[Column, ...]
    items: tuple[ItemBar, ...]
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    legend: tuple[Sign, ...]
    page: int
    pages: int
    sought: str
    found: int
    order: str


def class_page(
    standing: Standing, language: Language, *, page: int = 1, sought: str = "", order: str = "name"
) -> ClassPage:
    """The class, with one page of its students."""
    lines = standing.lines()
    graded = [line.outline for line in lines if line.outline.error is None]
    scores = [outline.score for outline in graded]
    shown = [line for line in lines if sought.casefold() in f"{line.name} {line.student}".casefold()]
    if order == "score":
        shown.sort(key=lambda line: (line.outline.score, line.student))
    elif order == "open":
        shown.sort(key=lambda line: (-line.outline.pending, line.student))
    pages = max(-(-len(shown) // ROWS), 1)
    page = min(max(page, 1), pages)
    names = Counter(line.name for line in lines)
    maximum = max((line.outline.max_score for line in lines), default=Decimal(0))
    page_of = [standing.results[line.student] for line in shown[(page - 1) * ROWS : page * ROWS]]
    return ClassPage(
        students=len(lines),
        mean=_points(mean(scores) if scores else None, language),
        median=_points(median(scores) if scores else None, language),
        lowest=_points(min(scores, default=None), language),
        highest=_points(max(scores, default=None), language),
        maximum=points(maximum, language),
        pending=sum(outline.pending > 0 for outline in graded),
        bins=_bins(scores, maximum, language),
        items=_items(standing, graded, language),
        heads=tuple(standing.items),
        rows=tuple(_row(standing, result, language, is_shared=names[result.student.name] > 1) for result in page_of),
        legend=legend(language),
        page=page,
        pages=pages,
        sought=sought,
        found=len(shown),
        order=order,
    )


def _points(value: Decimal | None, language: Language) -> str:
    return "–" if value is None else points(value.quantize(Decimal("0.01")), language)


def _bins(scores: Sequence[Decimal], maximum: Decimal, language: Language) -> tuple[Column, ...]:
    if not maximum:
        return ()
    counts = [0] * _BINS
    for score in scores:
        counts[min(max(int(score * _BINS / maximum), 0), _BINS - 1)] += 1
    highest = max(counts) or 1
    step = maximum / _BINS
    return tuple(
        Column(
            label=f"{points(step * number, language)}–{points(step * (number + 1), language)}",
            count=count,
            height=f"{100 * count / highest:.1f}",
            y=f"{100 - 100 * count / highest:.1f}",
        )
        for number, count in enumerate(counts)
    )


def _items(standing: Standing, outlines: Sequence[Outline], language: Language) -> tuple[ItemBar, ...]:
    sums: dict[str, list[float]] = {}
    for outline in outlines:
        for id_, item in outline.items.items():
            totals = sums.setdefault(id_, [0.0, 0.0, 0.0, 0.0])
            totals[0] += item.score
            totals[1] += item.pending
            totals[2] += item.max_score
            totals[3] += item.pending > 0
    return tuple(
        ItemBar(
            item=id_,
            title=clip(language.say(standing.items[id_].title if id_ in standing.items else id_), 90),
            earned=f"{100 * earned / (most or 1):.1f}",
            pending=f"{100 * open_ / (most or 1):.1f}",
            share=f"{100 * earned / (most - open_):.0f}" if most > open_ else "–",
            waiting=int(waiting),
        )
        for id_, (earned, open_, most, waiting) in sums.items()
    )


def _row(standing: Standing, result: Result, language: Language, *, is_shared: bool) -> Row:
    """A student's row; the id stands behind a name that is shared with others of the class."""
    name = clip(result.student.name or result.student.id, 40)
    items = {item.id: item for item in result.items}
    cells = tuple(
        Cell(
            item=item.id,
            link=student_link(result.student.id, item.id),
            sign=SIGNS[item.status],
            status=item.status.value,
            word=language.say(MARKS[item.status].word),
            decided=item.override is not None,
        )
        for item in (items[id_] for id_ in standing.items if id_ in items)
    )
    return Row(
        name=f"{name} ({result.student.id})" if is_shared and name != result.student.id else name,
        student=result.student.id,
        link=student_link(result.student.id),
        score="–" if result.error else points(result.score, language),
        pending=points(result.pending, language) if result.pending else "",
        cells=cells,
    )


class Event(Frozen):
    """A line of the history."""

    id: int
    when: str
    actor: str
    student: str
    item: str
    before: str
    after: str
    reason: str
    action: str
    of_class: str


class Entry(Frozen):
    """An item with the verdicts that can be given."""

    view: ItemView
    choices: tuple[Choice, ...]
    rubric: tuple[RubricLine, ...]
    status: str
    maximum: str
    note: str
    suggestion: Mark | None
    waits: bool
    decided_by: str
    can_take_back: bool
    comment: str


class RequestLine(Frozen):
    """A request to look again, with its answer."""

    id: int
    item: str
    text: str
    who: str
    answer: str
    answered: str


class StudentPage(Frozen):
    """A student with everything about the hand-in."""

    student: str
    name: str
    link: str
    score: str
    maximum: str
    pending: str
    earned: str
    open: str
    late: str
    error: str
    entries: tuple[Entry, ...]
    files: tuple[FileLine, ...]
    history: tuple[Event, ...]
    requests: tuple[RequestLine, ...]
    flags: tuple[str, ...]
    hidden_text: str
    whole: tuple[tuple[str, str], ...]
    previous: str
    next: str
    seen: int
    loaded: int


def student_page(
    standing: Standing,
    sources: Sources,
    result: Result,
    decided: tuple[DecisionVersion, ...],
    asked: tuple[ReviewRequest, ...],
    language: Language,
) -> StudentPage:
    """The page of one student."""
    names = sorted(standing.results)
    at = names.index(result.student.id)
    return StudentPage(
        student=result.student.id,
        name=clip(result.student.name or result.student.id, 80),
        link=student_link(result.student.id),
        score=points(result.score, language),
        maximum=points(result.max_score, language),
        pending=points(result.pending, language) if result.pending else "",
        earned=width(result.score, result.max_score).rstrip("%"),
        open=width(result.pending, result.max_score).rstrip("%"),
        late=clip(language.say(result.lateness.text), 300) if result.lateness else "",
        error=clip(language.say(result.error), 500) if result.error else "",
        entries=tuple(_entry(standing, sources, result, number, language) for number in range(len(result.items))),
        files=tuple(
            FileLine(path=clip(file.path, 120), state=file.state, reason=clip(language.say(file.reason or ""), 200))
            for file in result.submission.files
        ),
        history=tuple(event(candidate, language) for candidate in decided),
        requests=tuple(request_line(candidate) for candidate in asked),
        flags=tuple(clip(language.say(flag.message), 300) for flag in result.flags[:20]),
        hidden_text=f"/crops/{quote(result.student.id, safe='')}/hidden-text.png"
        if sources.hidden_text(result.student.id)
        else "",
        whole=tuple((id_, language.say(title)) for id_, (title, _) in WHOLE.items()),
        previous=student_link(names[at - 1]) if at else "",
        next=student_link(names[at + 1]) if at + 1 < len(names) else "",
        seen=standing.seen,
        loaded=standing.loaded,
    )


def event(decided: DecisionVersion, language: Language) -> Event:
    """A version of a decision in words."""
    return Event(
        id=decided.id,
        when=moment(decided.decided),
        actor=decided.actor,
        student=decided.student,
        item=decided.item,
        before=outcome_words(decided.before, language),
        after=outcome_words(decided.after, language),
        reason=clip(decided.verdict.reason, 300),
        action=decided.action,
        of_class=_of_class(decided.student, language),
    )


def _of_class(student: str, language: Language) -> str:
    """Return the students whom a decision for the whole class is about; empty for one about a student."""
    scope = Scope.from_text(student)
    if scope is None:
        return ""
    which = scope.answer or scope.slip
    return language.say(say("whole class")) + (f": {clip(which, 80)}" if which else "")


def moment(when: datetime) -> str:
    """A time in this machine's time zone."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"


def _entry(standing: Standing, sources: Sources, result: Result, number: int, language: Language) -> Entry:
    item = result.items[number]
    key = (result.student.id, item.id)
    decided = standing.gradebook_decision(key)
    return Entry(
        view=item_view(item, CropLinks(sources, result.student.id, item), language),
        choices=choices(standing, item.id, language) if item.id in standing.items else (),
        rubric=rubric_lines(standing, item.id, language, (decided.verdict.rows or ()) if decided else ()),
        status=item.status.value,
        maximum=points(item.max_score, language),
        note=clip(language.say(reason_of(item) if item.earlier else item.note), 700),
        suggestion=mark(item.suggestion, language) if item.suggestion and not item.override else None,
        waits=standing.waits(key),
        decided_by=item.override.author if item.override else "",
        can_take_back=decided is not None,
        comment=decided.verdict.reason if decided and not item.earlier else "",
    )


def request_line(asked: ReviewRequest) -> RequestLine:
    """A request in words."""
    return RequestLine(
        id=asked.id,
        item=asked.item,
        text=asked.text,
        who=f"{asked.entered_by}, {moment(asked.entered)}",
        answer=asked.answer or "",
        answered=f"{asked.answered_by}, {moment(asked.answered)}" if asked.answered else "",
    )
