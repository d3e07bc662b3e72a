"""Facts in tables of any orientation: runs, experiments, splits, epochs and statistics as rows, columns or cells."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from grader.claims.captions import CAPTION_START
from grader.claims.numerals import Numeral
from grader.claims.results.fact import (
    MOMENT_HEADER,
    Fact,
    Moment,
    Nearness,
    Role,
    Statistic,
    moment_in,
    moment_of_cell,
    moment_of_labels,
    moments_of_columns,
    numbered,
    whole_in,
    without_doubles,
)
from grader.claims.results.grid import (
    NO,
    YES,
    Columns,
    Grid,
    Row,
    carried,
    column_label,
    counted_on,
    is_header,
    is_label,
    less_numbered,
    less_unit,
    with_first_group,
    with_named_columns,
)
from grader.claims.results.measures import (
    Sought,
    is_count,
    may_be_deviation,
    may_be_value,
    the_only,
    told_of,
    with_last_zeros,
)
from grader.claims.results.numbers import MEAN, OTHER, STD, figures_in, is_other_measure, names_statistics, numbers_in
from grader.claims.results.roles import (
    CHOICE,
    Mark,
    half_of_pair,
    listed,
    order_of_pairs,
    pair_in,
    reported_splits,
    split_of_size,
    split_order,
    spread,
)
from grader.claims.results.runs import run_words, runs_named
from grader.claims.results.text import Around
from grader.claims.results.vocabulary import (
    Abbreviations,
    Kind,
    Mention,
    experiments_in,
    less_compared,
    mentions,
    named_experiments,
)
from grader.lab.definition import Lab
from grader.reading.document import Block, Evidence

_LETTERS: Final = re.compile(r"[^\W\d_]")
_IS_S: Final = re.compile(r"s\W*(?:\W(?:%|pts?|points?|pp)\W*)?")
"""The usual sign of a deviation, beside an average."""
_INTERVAL: Final = re.compile(r"\[\s*\d[\d.,%]*\s*(?:\.\.+|[,;–-]|to|à)\s*\d[\d.,%]*\s*\]")
_SIGN: Final = re.compile(r"[^\w\s.,;:%=<>≈~?/±|–—−-]{1,3}")
"""A cell that only marks its row."""
_MARKED: Final = re.compile(r"\*\*|\\textbf|★|\*\s*$|^\s*\*|\b(?:best|chosen|selected|kept)\b", re.IGNORECASE)


_Caption = tuple[Role, Role, tuple[str, ...]]
"""Of all cells of a table the experiment, the split, and the order of two splits in a cell."""


class _Labels(NamedTuple):
    """What is written beside a cell."""

    row: str
    column: str
    group: str


def facts_of_grid(
    grid: Grid, file: str, around: Around, lab: Lab, abbreviations: Abbreviations, unit: int
) -> list[Fact]:
    """The facts of one table; of two where a row of names of statistics stands below values: `mean | std`."""
    cut = next((at for at, row in enumerate(grid.rows) if at and names_statistics(row.texts)), None)
    if cut is not None:
        parts = (
            grid._replace(rows=grid.rows[:cut]),
            grid._replace(header=(grid.rows[cut].texts,), rows=grid.rows[cut + 1 :]),
        )
        return [
            fact for one in parts if one.rows for fact in facts_of_grid(one, file, around, lab, abbreviations, unit)
        ]
    grid, first = with_first_group(with_named_columns(grid))
    around = around._replace(host=None) if _names_host(grid, around, lab, abbreviations) else around
    grid = grid._replace(header=tuple(_spelt(header, lab, abbreviations) for header in grid.header))
    columns = Columns.of(
        grid, around.sought.runs, around.seeds, max(lab.repetition_of(one.id).number for one in lab.experiments)
    )
    caption = _ordered(_caption(grid, lab, abbreviations), grid, around, lab)
    facts: list[Fact] = []
    group, above, is_led = first, [""] * len(grid.rows[0].texts), False
    moments: dict[int, Moment] = {}
    seen: dict[tuple[object, ...], set[int]] = {}
    for row in grid.rows:
        filled = [text for text in row.texts if text]
        if is_header(row.texts, first=False):
            # A line that a table was joined at, and the names of the columns below it, lead together.
            names = " ".join(dict.fromkeys(filled))
            group, above, is_led = (f"{group} ; {names}" if is_led else names), [""] * len(row.texts), True
            continue
        is_led = False
        texts = _with_run(carried(row.texts, above, columns), row, grid, columns, seen, lab, abbreviations)
        above = texts
        if own := moments_of_columns(texts):
            moments = own
            continue
        facts += _facts_of_row(
            texts, row, grid, columns, group, caption, file, around, lab, abbreviations, unit, moments
        )
    return numbered(without_doubles(_of_captioned(_with_uncertainties(facts), caption[0], lab)))


def _with_uncertainties(facts: Sequence[Fact]) -> list[Fact]:
    """The facts of a table; what stands behind the values of several runs of one column, `79.85(90)`, is no deviation
    of these but the uncertainty of each."""
    runs: dict[tuple[object, ...], set[int]] = {}
    for one in facts:
        if one.statistic is not Statistic.VALUE and one.run is not None:
            runs.setdefault((one.experiment.value, one.split.value, one.moment), set()).add(one.run)
    single = {"statistic": Statistic.VALUE, "deviation": None}
    return [
        one
        if one.statistic is Statistic.VALUE or one.run is None
        else one.model_copy(update=single)
        if one.deviation and len(runs[one.experiment.value, one.split.value, one.moment]) > 1
        else one.model_copy(update={"run": None})
        for one in facts
    ]


def _spelt(header: Sequence[str], lab: Lab, abbreviations: Abbreviations) -> tuple[str, ...]:
    """A row of labels without units, each as whole as a careful writer would have it."""
    return spread(counted_on([less_unit(text) for text in header]), lab, abbreviations)


def _names_host(grid: Grid, around: Around, lab: Lab, abbreviations: Abbreviations) -> bool:
    """Whether labels of a table name the experiment that its section is about, or one that is not like it, or its
    caption hints at another one, as where a float stands in a later section: then its other labels are not of it."""
    labels = " ; ".join(text for texts in (*grid.header, *(row.texts for row in grid.rows)) for text in texts)
    named = {one.value for one in mentions(labels, lab, abbreviations) if one.kind is Kind.EXPERIMENT}
    captions = " ; ".join(filter(CAPTION_START.match, grid.beside))
    hinted = {one.value for one in mentions(captions, lab, abbreviations) if one.kind is Kind.HINT}
    like = next((one.like for one in lab.experiments if one.id == around.host), ())
    return around.host is not None and (not named <= set(like) or not hinted <= {around.host})


def _of_captioned(facts: list[Fact], captioned: Role, lab: Lab) -> list[Fact]:
    """In a table whose caption names one experiment, labels that only name ones that are like it mean that one: under
    `run_glue`, `pretrained` is run_glue's."""
    like = next((one.like for one in lab.experiments if one.id == captioned.value), ())
    labelled = {fact.experiment.value for fact in facts if fact.experiment.is_label}
    if not labelled or not labelled <= set(like):
        return facts
    return [
        one.model_copy(update={"experiment": captioned}) if one.experiment.value in labelled else one for one in facts
    ]


def _with_run(
    texts: list[str],
    row: Row,
    grid: Grid,
    columns: Columns,
    seen: dict[tuple[object, ...], set[int]],
    lab: Lab,
    abbreviations: Abbreviations,
) -> list[str]:
    """A row that leaves its run's name empty, which it has from the row above, with the name of the next run where it
    says of the same things what the rows of that run have said already: `seen` are these, with the columns of their
    figures."""
    at = min(columns.runs, default=0)
    others = [index for index in (columns.labels | set(columns.moments)) - {at} if index < len(texts)]
    words = " ; ".join(texts[index] for index in others if index in columns.labels)
    told = {(one.kind, one.value) for one in mentions(words, lab, abbreviations)}
    moments = tuple(texts[index] for index in columns.moments)
    key = (frozenset(told), bool(MEAN.search(words)), bool(STD.search(words)), moments)
    filled = {index for index, text in enumerate(row.texts) if text and index not in (at, *others)}
    is_named = the_only(runs_named(texts[at], run_words(lab))) is not None
    if row.texts[at]:
        seen.clear()
    elif seen.get(key, set()) & filled and (is_named or at in columns.runs):
        following = re.sub(r"\d+", lambda match: str(int(match[0]) + 1), texts[at], count=1)
        if all(each.texts[at] != following for each in grid.rows):
            texts = [*texts[:at], following, *texts[at + 1 :]]
            seen.clear()
    seen.setdefault(key, set()).update(filled)
    return texts


def _facts_of_row(
    texts: list[str],
    row: Row,
    grid: Grid,
    columns: Columns,
    group: str,
    caption: _Caption,
    file: str,
    around: Around,
    lab: Lab,
    abbreviations: Abbreviations,
    unit: int,
    moments: Mapping[int, Moment],
) -> Iterator[Fact]:
    block = row.block
    place = Evidence(
        file=block.file or file, page=block.page, box=block.box, line=block.line, cell=block.cell,
        quote=" | ".join(block.cells) or block.text,
    )  # fmt: skip
    label = _row_label(texts, grid, columns)
    named = columns.labels | columns.runs | set(columns.moments)
    leads = (cell for index, cell in enumerate(block.cells) if index in named)
    marked_row = any(map(_MARKED.search, leads)) or any(map(_SIGN.fullmatch, texts))
    run_cell = next(
        (whole_in(texts[index]) for index in sorted(columns.runs) if whole_in(texts[index]) is not None), None
    )
    row = row._replace(texts=tuple(texts))
    for index, text in enumerate(texts):
        if not re.search(r"\d", text) or (
            (index in named or (index == 0 and is_label(text))) and not _reports(text, around.sought)
        ):
            yield from _traces(text, place, around, unit)
            continue
        labels = _Labels(label, column_label(grid, index), group)
        yield from _facts_of_cell(
            text, labels, index, row, grid, caption, place, around, lab, abbreviations, unit,
            run=run_cell, moment=moments.get(index) or moment_of_cell(texts, index, columns.moments),
            is_marked=marked_row or _is_marked(block, index, texts),
        )  # fmt: skip


def _traces(text: str, place: Evidence, around: Around, unit: int) -> Iterator[Fact]:
    """The figures of a cell that is a label by its place: nothing says what they are, and they may be results."""
    for one in figures_in(text, around.sought):
        if one.statistic in (Statistic.VALUE, Statistic.MEAN) and one.number.has_decimals:
            yield Fact(number=one.number, statistic=one.statistic, unit=unit, is_telling=False, evidence=(place,))


def _is_of_another(labels: _Labels, grid: Grid, sought: Sought) -> bool:
    """Whether a cell's labels name another measure than the one that is sought, or nothing names this one."""
    names = " ; ".join(one for one in labels.row.split(" ; ") if not _REMARK.search(one))
    if any(is_other_measure(one, sought) for one in (less_numbered(labels.column, grid), names)):
        return True
    return not (sought.is_counted or sought.is_named)


_REMARK: Final = re.compile(r"\d[.,]\d|[.,]\d|(?:[^\W\d]+\W+){4}[^\W\d]")
"""More than four words, or figures of its own: such a cell tells something about its row, and names no measure."""


def _reports(text: str, sought: Sought) -> bool:
    """Whether a cell where labels stand is a figure all the same: it says itself which statistic it is, `mean 80.13`,
    or is nothing but decimals or percentages of its size."""
    figures = figures_in(text, sought)
    if any(figure.statistic in (Statistic.MEAN, Statistic.STD) for figure in figures):
        return True
    are_exact = all(one.number.has_decimals or one.number.percent for one in figures)
    return bool(figures) and are_exact and not _LETTERS.search(text)


def _is_marked(block: Block, index: int, texts: Sequence[str]) -> bool:
    position = index - (len(texts) - len(block.cells))
    return 0 <= position < len(block.cells) and bool(re.search(r"\*\*|\\textbf|\*\s*$", block.cells[position]))


def _row_label(texts: Sequence[str], grid: Grid, columns: Columns) -> str:
    """The texts of a row that name rather than report; an answer such as `yes` takes its column's name with it."""
    parts = []
    for index, text in enumerate(texts):
        if not text or ((index in columns.runs or index in columns.moments) and not is_label(text)):
            continue
        header = column_label(grid, index)
        if index in columns.labels or index in columns.runs or is_label(text):
            if YES.fullmatch(text) and _LETTERS.search(header) and not MEAN.search(text):
                parts.append(header)
            elif NO.fullmatch(text) and _LETTERS.search(header):
                parts.append(f"no {header}")
            elif CHOICE.fullmatch(header.strip()):
                parts.append(f"{text} {header}")  # `last` below `checkpoint`
            else:
                parts.append(text)
        elif index == 0:
            parts.append(text)
    return " ; ".join(parts)


def _facts_of_cell(
    text: str,
    labels: _Labels,
    index: int,
    row: Row,
    grid: Grid,
    caption: _Caption,
    place: Evidence,
    around: Around,
    lab: Lab,
    abbreviations: Abbreviations,
    unit: int,
    *,
    run: int | None,
    moment: Moment,
    is_marked: bool,
) -> Iterator[Fact]:
    both = f"{labels.row} ; {labels.column}"
    sought = _sought(labels, index, row, grid, around)
    if _is_of_another(labels, grid, sought) or _INTERVAL.search(text):
        return
    kind = _statistic(labels, grid)
    found = mentions(both, lab, abbreviations)
    inside = the_only(experiments_in(text, lab, abbreviations))
    named = _experiment(labels, found, lab, abbreviations)
    if inside:
        named = Role(value=inside, nearness=Nearness.LABEL)
    meant = around.named(named.value, lab)
    if meant != named.value:
        named = Role(value=meant, nearness=Nearness.HEADING)
    experiment = named.or_else(caption[0]).or_else(around.experiment)
    without = labels._replace(row=STD.sub(" ", labels.row), column=STD.sub(" ", f"{text} {labels.column}"))
    split = _split(without, sought, lab, abbreviations) or split_of_size(sought.size, lab)  # `st. dev.` names none
    own_run = the_only(runs_named(text, sought.runs)) if _LETTERS.search(text) else None
    run = int(own_run.value) if own_run else run
    run = run if run is not None else _run(_without_experiments(labels, lab, abbreviations), grid, index, sought.runs)
    figures = _figures_of_cell(text, kind, sought)
    figures = figures if _LETTERS.search(text) else _with_zeros(figures, grid, row, index, sought)
    numbers = [number for number, _, _ in figures]
    paired = pair_in(text, numbers)
    both_named = named_experiments(found, lab) if paired else ()
    experiments = [Role(value=one, nearness=Nearness.LABEL) for one in both_named]  # `pretrained / random`
    experiments = experiments if len(experiments) == len(figures) else [experiment] * len(figures)
    pair = caption[2] if paired and experiments[0] == experiments[1] else half_of_pair(text, numbers, caption[2])
    is_apart = bool(pair) or len(both_named) == len(figures)
    label_moment = moment_in(labels.column) if not moment.is_told else moment
    if not label_moment.is_told:
        label_moment = moment_of_labels(labels.row, labels.column, column_label(grid, 0))
    single = [number for number, statistic, _ in figures if statistic is Statistic.VALUE]
    counted = len(single) == len(figures) > 1 and not is_apart and len(listed(text, single)) == 1
    for position, (number, statistic, deviation) in enumerate(figures):
        if kind is Statistic.OTHER:
            continue
        if statistic is Statistic.VALUE and kind is not None and (len(figures) == 1 or is_apart):
            statistic = kind
        if statistic is not Statistic.STD and not may_be_value(number, sought.measure):
            if not may_be_deviation(number, sought.measure):
                continue
            statistic = Statistic.OTHER
        own = pair[position] if position < len(pair) else split
        role = Role(value=own, nearness=Nearness.LABEL) if own else caption[1].or_else(around.split)
        yield Fact(
            number=number,
            statistic=statistic,
            experiment=experiments[position],
            split=role,
            run=(position + 1 if counted else run) if statistic is Statistic.VALUE or kind is None else None,
            moment=label_moment,
            is_marked=is_marked,
            deviation=deviation if statistic is Statistic.MEAN else None,
            unit=unit,
            series=_series(labels),
            is_telling=max(experiments[position].nearness, role.nearness) >= Nearness.CAPTION,
            hint=next((one.value for one in found if one.kind is Kind.HINT), around.hint),
            among=around.among,
            evidence=(place,),
        )


def _with_zeros(
    figures: list[tuple[Numeral, Statistic, Numeral | None]], grid: Grid, row: Row, index: int, sought: Sought
) -> list[tuple[Numeral, Statistic, Numeral | None]]:
    """The only figure of a cell, as exact as the fractions of its column or row where a program left zeros away: `0.8`
    between `0.815` and `0.81`."""
    if len(figures) != 1 or figures[0][1] not in (Statistic.VALUE, Statistic.OTHER):
        return figures
    for texts in ([each.texts[index] for each in grid.rows], row.texts):
        beside = [one for text in texts for one in numbers_in(text, told_of(sought.measure))]
        number = with_last_zeros(figures[0][0], beside)
        if number.resolution < figures[0][0].resolution and may_be_value(number, sought.measure):
            return [(number, Statistic.VALUE, None)]
    return figures


def _figures_of_cell(
    text: str, kind: Statistic | None, sought: Sought
) -> list[tuple[Numeral, Statistic, Numeral | None]]:
    """The numbers of a cell, each with its statistic by the cell's own words and the deviation attached to it; `kind`
    is the statistic that its labels name."""
    numbers = numbers_in(text, sought)
    if kind is Statistic.STD and (small := [one for one in numbers if may_be_deviation(one, sought.measure)]):
        return [(number, kind, None) for number in small]
    if kind is Statistic.MEAN and len(numbers) == 2 and may_be_deviation(numbers[1], sought.measure):
        return [(numbers[0], kind, numbers[1])]  # `63.67 / 1.25` under `mean / std`
    found = figures_in(text, sought)
    figures = [
        (one.number, one.statistic, found[at + 1].number if at + 1 < len(found) and found[at + 1].attached else None)
        for at, one in enumerate(found)
        if not one.attached
    ]
    return figures or [(number, Statistic.VALUE, None) for number in numbers_in(text, told_of(sought.measure))[:1]]


def _sought(labels: _Labels, index: int, row: Row, grid: Grid, around: Around) -> Sought:
    """Which numbers of a cell are sought, as the lines beside its table and its own labels tell it, the nearest last.
    Its own labels name another measure than the lines around, and a table that names measures names all of them."""
    sought = around.sought
    for label in (*grid.beside[::-1], column_label(grid, 0), labels.group, labels.row, labels.column):
        sought = sought.beside(label)
    if sought.others:
        sought = sought._replace(is_named=_is_named(labels, grid, sought))
    are_counts = sought.size is not None and _is_counted(index, row, grid, sought)
    return sought if are_counts else sought._replace(size=None)


def _is_named(labels: _Labels, grid: Grid, sought: Sought) -> bool:
    """Whether the measure that is sought is that of a cell: its labels, nearest first, the lines beside the table, or
    else the text above name it."""
    for label in (labels.column, labels.row, labels.group, *grid.beside):
        named = {name for name, _, _ in sought.marks(label)}
        if named:
            return named == {sought.measure.id}
    return sought.is_named


def _is_counted(index: int, row: Row, grid: Grid, sought: Sought) -> bool:
    """Whether a cell's column, or its row, holds counts of examples, more than a percentage can be, and no accuracy."""
    column = [each.texts[index] for each in grid.rows]
    measure = sought.measure
    return any(
        any(is_count(text, sought.size or 0) for text in texts)
        and not any(may_be_value(one, measure) for text in texts for one in numbers_in(text, told_of(measure)))
        for texts in (column, row.texts)
    )


def _series(labels: _Labels) -> str:
    """The labels less the numbers of runs and moments."""
    written = f"{labels.group}|{labels.row}|{labels.column}"
    for pattern in (MEAN, STD):
        written = pattern.sub("", written)
    return re.sub(r"\W+", " ", re.sub(r"\d+", "#", written)).strip().casefold()


def _statistic(labels: _Labels, grid: Grid) -> Statistic | None:
    if _IS_S.fullmatch(labels.column) and any(MEAN.search(text) for text in grid.header[-1]):
        return Statistic.STD
    for label in (labels.column, labels.row):
        mean, std = MEAN.search(label), STD.search(label)
        if std and (mean or "±" in label[: std.start()]):
            return Statistic.MEAN
        if mean or std:
            return Statistic.MEAN if mean else Statistic.STD
        if OTHER.search(label):
            return Statistic.OTHER
    return None


def _experiment(labels: _Labels, found: Sequence[Mention], lab: Lab, abbreviations: Abbreviations) -> Role:
    named = named_experiments(found, lab) or named_experiments(mentions(labels.group, lab, abbreviations), lab)
    only = the_only(named)
    return Role(value=only, nearness=Nearness.LABEL) if only else Role()


def _split(labels: _Labels, sought: Sought, lab: Lab, abbreviations: Abbreviations) -> str | None:
    """The split that a cell's labels name, the column's before the row's. Of two, the one that stands with the measure
    is that of the figure: `test acc.` before a column of the checkpoint `max. val.`."""
    named = []
    for label in (labels.column, labels.row, labels.group):
        split = the_only(mark.value for mark in reported_splits(label, (), mentions(label, lab, abbreviations)))
        if split:
            named.append((split, bool(sought.marks(label))))
    with_measure = (split for split, is_measure in named if is_measure)
    return next(with_measure, next((split for split, _ in named), None))


def _without_experiments(labels: _Labels, lab: Lab, abbreviations: Abbreviations) -> _Labels:
    """The column's label less the names of experiments: the number in `T3` is no run's."""
    named = [one for one in mentions(labels.column, lab, abbreviations) if one.kind is Kind.EXPERIMENT]
    column = labels.column
    for one in named:
        column = column[: one.start] + " " * (one.end - one.start) + column[one.end :]
    return labels._replace(column=column.strip())


def _run(labels: _Labels, grid: Grid, index: int, words: tuple[str, ...]) -> int | None:
    """The run that a column's or a row's label names: by the word seed, or by a number that alone tells it from its
    neighbours."""
    mark = the_only(runs_named(labels.column, words) or runs_named(labels.row, words))
    if mark:
        return int(mark.value)
    if re.fullmatch(r"\W*\d{1,5}\W*", labels.column) and not MOMENT_HEADER.search(column_label(grid, 0)):
        return int(re.sub(r"\D", "", labels.column))
    row = labels.row.split(" ; ")[0]
    end = the_only(runs_named(labels.column, words, label=True) or runs_named(row, words, label=True))
    return int(end.value) if end else None


def _caption(grid: Grid, lab: Lab, abbreviations: Abbreviations) -> _Caption:
    """What the lines beside a table say of all its cells: the experiment, the split, and the order of two splits in a
    cell. The label in its corner says the experiment before them."""
    split, order = Role(), tuple[str, ...]()
    corner = the_only(experiments_in(column_label(grid, 0), lab, abbreviations))
    experiment = Role(value=corner, nearness=Nearness.CAPTION) if corner else Role()
    for line in (*(" ".join(header) for header in grid.header[::-1]), *grid.beside):
        found = less_compared(line, mentions(line, lab, abbreviations))
        if line in grid.beside:
            named = the_only(named_experiments(found, lab))
            experiment = experiment.or_else(Role(value=named, nearness=Nearness.CAPTION) if named else Role())
            said = the_only(mark.value for mark in reported_splits(line, (), found))
            split = split.or_else(Role(value=said, nearness=Nearness.CAPTION) if said else Role())
        if not order:
            order = split_order(line, [Mark(one.value, one.start, one.end) for one in found if one.kind is Kind.SPLIT])
    return experiment, split, order


def _ordered(caption: _Caption, grid: Grid, around: Around, lab: Lab) -> _Caption:
    """What the lines beside a table say of its cells, with the order of the splits in cells that hold pairs. Of which
    split the other cells are, the lines then do not say."""
    experiment, split, order = caption
    lines = (*(" ".join(header) for header in grid.header), *grid.beside)
    texts = [text for row in grid.rows for text in row.texts]
    order, are_many = order_of_pairs(texts, lines, order, around.order, around.sought.measure, lab.sizes)
    return experiment, Role() if are_many else split, order
