"""What the page of the class shows: the figures of its report, live, and students by items."""

from collections.abc import Sequence
from decimal import Decimal
from statistics import mean, median

from grader.frozen import Frozen
from grader.language import Language
from grader.report.views.marks import MARKS
from grader.report.views.matrix import SIGNS, Sign, legend
from grader.report.views.wording import clip, points
from grader.result import ItemResult, Result
from grader.serve.pages import student_link
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
    """An item across the class: the share of decided points that was earned, and what awaits."""

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
    results = sorted(standing.results.values(), key=lambda one: one.student.id)
    graded = [one for one in results if one.error is None]
    scores = [one.score for one in graded]
    shown = [one for one in results if sought.casefold() in f"{one.student.name} {one.student.id}".casefold()]
    if order == "score":
        shown.sort(key=lambda one: (one.score, one.student.id))
    elif order == "open":
        shown.sort(key=lambda one: (-one.pending, one.student.id))
    pages = max(-(-len(shown) // ROWS), 1)
    page = min(max(page, 1), pages)
    maximum = max((one.max_score for one in results), default=Decimal(0))
    return ClassPage(
        students=len(results),
        mean=_points(mean(scores) if scores else None, language),
        median=_points(median(scores) if scores else None, language),
        lowest=_points(min(scores, default=None), language),
        highest=_points(max(scores, default=None), language),
        maximum=points(maximum, language),
        pending=sum(one.pending > 0 for one in graded),
        bins=_bins(scores, maximum, language),
        items=_items(graded, language),
        heads=tuple(standing.items),
        rows=tuple(_row(standing, one, language) for one in shown[(page - 1) * ROWS : page * ROWS]),
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


def _items(results: Sequence[Result], language: Language) -> tuple[ItemBar, ...]:
    sums: dict[str, list[Decimal | int]] = {}
    first: dict[str, ItemResult] = {}
    for result in results:
        for item in result.items:
            first.setdefault(item.id, item)
            known = sums.setdefault(item.id, [Decimal(0), Decimal(0), Decimal(0), 0])
            known[0] += item.score
            known[1] += item.pending
            known[2] += item.max_score
            known[3] += item.pending > 0
    return tuple(
        ItemBar(
            item=id_,
            title=clip(language.say(first[id_].title), 90),
            earned=f"{100 * float(earned) / float(most or 1):.1f}",
            pending=f"{100 * float(open_) / float(most or 1):.1f}",
            share=f"{100 * float(earned) / float(most - open_):.0f}" if most > open_ else "–",
            waiting=int(waiting),
        )
        for id_, (earned, open_, most, waiting) in sums.items()
    )


def _row(standing: Standing, result: Result, language: Language) -> Row:
    statuses = {item.id: item for item in result.items}
    return Row(
        name=clip(result.student.name or result.student.id, 40),
        student=result.student.id,
        link=student_link(result.student.id),
        score="–" if result.error else points(result.score, language),
        pending=points(result.pending, language) if result.pending else "",
        cells=tuple(_cell(result, statuses[id_], language) for id_ in standing.items if id_ in statuses),
    )


def _cell(result: Result, item: ItemResult, language: Language) -> Cell:
    return Cell(
        item=item.id,
        link=student_link(result.student.id, item.id),
        sign=SIGNS[item.status],
        status=item.status.value,
        word=language.say(MARKS[item.status].word),
        decided=item.override is not None,
    )
