"""A reported result: a number, what it may be, at which moment of the training, and where it stands; and a table as
rows of labels over columns.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import IntEnum, StrEnum
from itertools import pairwise, product
from typing import Final, NamedTuple

from grader.claims.numerals import Numeral
from grader.claims.passage import normalise
from grader.claims.results.measures import START, any_of
from grader.frozen import Frozen
from grader.reading.document import Block, Evidence

_EPOCH: Final = re.compile(
    rf"(?:{START}{any_of('epoch')}\W{{0,3}}(?:n°\s?)?|\bcheckpoint_?)(\d{{1,3}})\b(?![.,]\d|\s?%)", re.IGNORECASE
)
_STEP: Final = re.compile(
    rf"(?:{START}{any_of('step')}\W{{0,3}}|\bcheckpoint-)(\d{{1,6}})\b(?![.,]\d|\s?%)", re.IGNORECASE
)
_END: Final = re.compile(
    rf"\b(?:last|final|derni[èe]re?)\s+(?:\w+\s+)?(?:{any_of('epoch', 'step')}|checkpoints?\b)"
    r"|\bcheckpoint_last\b|\b(?:at|by) the end of (?:the )?training\b",
    re.IGNORECASE,
)


class Moment(Frozen):
    """An epoch (from 1 on), a number of updates, or the end of training; all unset where nothing is said. `is_chosen`:
    the text says that it is the one that was selected."""

    epoch: int | None = None
    step: int | None = None
    is_end: bool = False
    is_chosen: bool = False

    @property
    def is_told(self) -> bool:
        """Whether an epoch or a step is given."""
        return self.epoch is not None or self.step is not None

    def differs(self, other: "Moment") -> bool:
        """Whether two moments may be different ones: then different figures at them contradict nothing. A figure
        without a moment is of the selected one."""
        if self.is_end != other.is_end:
            return True
        if self.is_told and other.is_told:
            return not self.agrees(other)
        return any(one.is_told and not one.is_chosen for one in (self, other))

    def agrees(self, other: "Moment") -> bool:
        """Whether both tell the same epoch or the same step."""
        epochs, steps = (self.epoch, other.epoch), (self.step, other.step)
        if None not in epochs:
            return self.epoch == other.epoch and (None in steps or self.step == other.step)
        return None not in steps and self.step == other.step


UNTOLD: Final = Moment()
"""Nothing is said."""

_NEXT: Final = re.compile(rf"[,;.](?=\s)|\b{any_of('run')}", re.IGNORECASE)
_CHOSEN: Final = re.compile(
    r"\b(?:best|highest|select\w*|chosen|chose|keep|kept|pick\w*|maxim\w+|meilleure?s?|choisi\w*|retenue?s?)\b",
    re.IGNORECASE,
)


_LAST: Final = re.compile(
    rf"\b(?:last|derni[èe]re?)\b(?!\s+(?:\w+\s+)?{any_of('run', 'layer')})|{_END.pattern}", re.IGNORECASE
)
_CHECKPOINT: Final = rf"(?:checkpoint|{START}{any_of('epoch', 'step')})"
_CHOSEN_ONE: Final = re.compile(
    rf"{_CHOSEN.pattern}(?:\W+\w+){{0,3}}?\W+{_CHECKPOINT}|{_CHECKPOINT}\w*\W+(?:\w+\W+){{0,2}}?{_CHOSEN.pattern}"
    r"|checkpoint_best",
    re.IGNORECASE,
)


def chosen_and_last(text: str) -> list[tuple[str, int, int]]:
    """Where a text speaks of the checkpoint that was chosen, `chosen`, and of the last one, `last`; nothing where it
    does not speak of both."""
    found = [("chosen", *match.span()) for match in _CHOSEN_ONE.finditer(text)]
    found += [("last", *match.span()) for match in _LAST.finditer(text)]
    return sorted(found, key=lambda one: one[1]) if len({name for name, _, _ in found}) > 1 else []


def moment_in(text: str) -> Moment:
    """The last moment that a text names: `at epoch 5`, `step 1125`, `at the last epoch`."""
    epochs, steps = _EPOCH.findall(text), _STEP.findall(text)
    return Moment(
        epoch=int(epochs[-1]) if epochs else None,
        step=int(steps[-1]) if steps else None,
        is_end=bool(_END.search(text)),
        is_chosen=bool(_CHOSEN.search(text)),
    )


def moment_around(text: str, start: int, end: int, before: int, after: int) -> Moment:
    """The moment of a figure, `text[start:end]`, that stands between two others, which end at `before` and begin at
    `after`: told right behind it, up to the next comma or seed, else before it."""
    behind = _NEXT.split(text[end:after], maxsplit=1)[0]
    near = moment_in(behind)
    if not near.is_told:
        near = moment_in(text[before:start])
    whole = moment_in(text)
    return near.model_copy(update={"is_end": whole.is_end, "is_chosen": whole.is_chosen})


class Statistic(StrEnum):
    """What a number is of a measure: one run's value, or a figure over several runs."""

    VALUE = "value"
    MEAN = "mean"
    STD = "std"
    OTHER = "other"


class Nearness(IntEnum):
    """How near the words that give a role stand to its number; the nearer, the more they bind it."""

    NONE = 0
    SECTION = 1
    HEADING = 2
    CAPTION = 3
    SENTENCE = 4
    LABEL = 5


class Role(Frozen):
    """One role's value with how near the words stand that give it; None: not told."""

    value: str | None = None
    nearness: Nearness = Nearness.NONE

    def or_else(self, other: "Role") -> "Role":
        """This role where it is told, else the other one."""
        return self if self.value is not None else other


class Fact(Frozen):
    """A number that reports a result, of a share in percent as far as its form tells, with its possible roles.

    `unit` numbers the table or the run of text that it stands in, `series` is what its labels say without the run's
    number: figures of one series differ by run or moment only. `run`: the number of the seed or run where one is
    named, or counted from 1 where values are only listed; `is_marked`: set in bold or starred among its neighbours;
    `hint`: the experiment that words suggest which alone would not name it; `among`: the experiments that the text
    around names together; `is_telling`: words beside it speak of accuracies; `proof` numbers the values from which one
    average and one deviation follow together, 0 for others.
    """

    number: Numeral
    statistic: Statistic
    experiment: Role = Role()
    split: Role = Role()
    run: int | None = None
    moment: Moment = UNTOLD
    is_marked: bool = False
    deviation: Numeral | None = None
    hint: str | None = None
    among: tuple[str, ...] = ()
    is_telling: bool = True
    proof: int = 0
    unit: int = 0
    series: str = ""
    evidence: tuple[Evidence, ...]

    @property
    def key(self) -> tuple[int, str, str | None]:
        """What figures of one series share."""
        return self.unit, self.series, self.split.value


def less_last_ones(facts: Sequence[Fact]) -> list[Fact]:
    """The facts, less those of the last checkpoint where there are some of the same experiment and split of the one
    that was chosen: these are asked for."""
    chosen = {
        (one.experiment.value, one.split.value) for one in facts if one.moment.is_chosen and not one.moment.is_end
    }
    return [
        one
        for one in facts
        if one.moment.is_chosen or not one.moment.is_end or (one.experiment.value, one.split.value) not in chosen
    ]


def is_fraction(number: Numeral) -> bool:
    """Whether a share is written as a fraction of one: `0.799`."""
    return number.value <= 1 and not number.is_plain


def in_unit(number: Numeral) -> Decimal:
    """The value of a measure in the unit in which values are kept: of a share in percent."""
    return number.value * (100 if is_fraction(number) else 1)


def digit_in_unit(number: Numeral) -> Decimal:
    """The unit of the last digit of a measure's value, of a share in percent."""
    return number.resolution * (100 if is_fraction(number) else 1)


def is_share(number: Numeral, size: int) -> bool:
    """Whether a share is, rounded or cut, that of a whole number of so many examples."""
    value, unit = float(in_unit(number)), float(digit_in_unit(number))
    return abs(value - round(value * size / 100) * 100 / size) <= unit + 1e-9


def as_floats(numbers: Iterable[Numeral]) -> list[float]:
    """The values of a measure, of a share in percent."""
    return [float(in_unit(number)) for number in numbers]


_LETTERS: Final = re.compile(r"[^\W\d_]")
_VALUE: Final = re.compile(r"\d\s?(?:%|±)|\d[.,]\d|±\s?\d|^\W*\d{2,}\W*$")


class Row(NamedTuple):
    """A row's cells, normalised, with its block."""

    texts: tuple[str, ...]
    block: Block


class Grid(NamedTuple):
    """A table: rows of labels over its columns, the body, and the lines of text right before and behind it, the
    nearest first."""

    header: tuple[tuple[str, ...], ...]
    rows: tuple[Row, ...]
    beside: tuple[str, ...]


def rows_of(blocks: Sequence[Block]) -> list[Row]:
    """Rows of one width; a shorter one misses cells at the left, as a header over row labels does."""
    width = max(len(block.cells) or 1 for block in blocks)
    rows = []
    for block in blocks:
        texts = [normalise(cell).text.strip() for cell in block.cells or (block.text,)]
        rows.append(Row((*[""] * (width - len(texts)), *texts), block))
    return _rejoined(rows)


def _rejoined(rows: Sequence[Row]) -> list[Row]:
    """Rows of a page's table, those with the upper and lower line of cells that are broken around their row's middle
    joined to it: `79.38 ±`, the row's other cells, and `0.75`."""
    result: list[Row] = []
    rest = list(rows)
    while rest:
        upper, middle, lower = (*rest[:3], None, None, None)[:3]
        broken = _broken_cells(upper, middle, lower) if upper and middle and lower and middle.block.box else set()
        if upper and middle and lower and broken:
            parts = zip(upper.texts, middle.texts, lower.texts, strict=True)
            texts = (f"{one} {two}" if at in broken else own for at, (one, own, two) in enumerate(parts))
            result.append(Row(tuple(texts), middle.block))
            rest = rest[3:]
        else:
            result.append(rest.pop(0))
    return result


def _broken_cells(upper: Row, middle: Row, lower: Row) -> set[int]:
    """The columns whose cells stand in the rows around one and not in it; none where these rows hold anything else, or
    more than the row itself."""
    cells = list(zip(upper.texts, middle.texts, lower.texts, strict=True))
    broken = {at for at, (one, own, two) in enumerate(cells) if one and two and not own}
    others = [cell for at, cell in enumerate(cells) if at not in broken]
    fewer = len(broken) < sum(bool(own) for _, own, _ in others)
    bare = all(
        two in ("", own) and (one in ("", own) or not (own or re.search(r"\d", one))) for one, own, two in others
    )
    return broken if fewer and bare else set()


def headed(
    rows: Sequence[Row], inherited: tuple[tuple[str, ...], ...]
) -> tuple[tuple[tuple[str, ...], ...], list[Row]]:
    """The rows of labels at the top and the others; a table without labels goes on from one of its width above."""
    header: list[tuple[str, ...]] = []
    rest = list(rows)
    while rest and (
        is_header(rest[0].texts, first=not header)
        or (header and (_numbers_runs(rest[0].texts) or _are_runs_below(header, rest[0].texts)))
    ):
        header.append(rest.pop(0).texts)
    if not header and inherited and rows:
        levels = _levelled(inherited, len(rows[0].texts))
        return (_runs_over_steps(levels, rest) if len(levels[0]) == len(rows[0].texts) else ()), rest
    levels = _levelled(tuple(header), len(header[0])) if len(header) > 1 else tuple(header)
    return _runs_over_steps(levels, rest), rest


def _levelled(header: tuple[tuple[str, ...], ...], width: int) -> tuple[tuple[str, ...], ...]:
    """Rows of labels of which one repeats itself below each label of the one above, `0 1 2 0 1 2` below `valid` and
    `test`, with the upper labels over all columns that they stand for."""
    for at, (upper, lower) in enumerate(pairwise(header)):
        names, cells = [text for text in upper if text], [text for text in lower if text]
        words = " ".join(cells).split()
        for parts, lead, first in product((cells, words), (0, 1), (0, 1)):
            own, below = names[first:], parts[lead:]
            each = len(below) // len(own) if len(own) > 1 else 0
            if each < _FEWEST_BELOW or below != below[:each] * len(own) or not 0 < width - len(below) <= _MOST_LEADS:
                continue
            if parts is words and len(below) != width - 1:
                continue
            blank = ("",) * (width - len(below))
            spread = (name for name in own for _ in range(each))
            above = (*names[:first], *blank)[: len(blank)]
            named = (*parts[:lead], *blank)[: len(blank)]
            rest = ((*row[:1], *("" for _ in range(width - 1))) for row in header[at + 2 :] if not any(row[1:]))
            return (*above, *spread), (*named, *below), *rest
    return header


_FEWEST_BELOW: Final = 2
_MOST_LEADS: Final = 2
_RUN_WORD: Final = re.compile(rf"\W*{any_of('run')}\W*", re.IGNORECASE)


def _numbers_runs(texts: Sequence[str]) -> bool:
    """Whether a row is the word for runs and their numbers: `seed | 0 | 1 | 2`."""
    first, *numbers = [text for text in texts if text] or [""]
    return bool(_RUN_WORD.fullmatch(first)) and len(numbers) > 1 and all(text.isdecimal() for text in numbers)


def _are_runs_below(header: Sequence[Sequence[str]], texts: Sequence[str]) -> bool:
    """Whether a row is nothing but the numbers of runs, in neighbouring columns, below the word for them in one of
    these: `seed` over `12 | 34 | 56`."""
    columns = [index for index, text in enumerate(texts) if text]
    is_row = len(columns) > 1 and not texts[0] and columns[-1] - columns[0] + 1 == len(columns)
    numbers = [texts[index] for index in columns]
    is_numbered = is_row and all(one.isdecimal() for one in numbers) and len(set(numbers)) == len(numbers)
    return is_numbered and any(
        _RUN_WORD.fullmatch(row[index]) for row in header for index in columns if index < len(row)
    )


def _runs_over_steps(header: tuple[tuple[str, ...], ...], rows: Sequence[Row]) -> tuple[tuple[str, ...], ...]:
    """Rows of labels, those that number runs over a column of epochs or steps with the word at each number: the word in
    the corner is that of the columns, not of the rows."""
    numbers = [int(row.texts[0]) for row in rows if row.texts[0].isdecimal()]
    are_steps = bool(numbers) and min(numbers) >= _LEAST_STEP and not any(number % 25 for number in numbers)
    result = []
    for at, texts in enumerate(header):
        is_named = any(MOMENT_HEADER.match(below[0]) for below in header[at + 1 :])
        lead = next((text for text in texts if text), "")
        if _numbers_runs(texts) and (are_steps or is_named):
            texts = tuple(f"{lead} {text}" if text.isdecimal() else "" for text in texts)
        result.append(texts)
    return tuple(result)


_LEAST_STEP: Final = 25


def with_name_below(header: tuple[tuple[str, ...], ...], between: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Rows of labels, with a word that stands alone below them as the name of the first column: `step`."""
    if header and len(between) == 1 and is_column_name(between[0]):
        return (*header, (between[0].strip(), *("" for _ in header[0][1:])))
    return header


def is_column_name(text: str) -> bool:
    """Whether a text is but a word for runs, epochs or steps."""
    word = text.strip()
    return word.isalpha() and bool(_RUN_WORD.fullmatch(word) or MOMENT_HEADER.match(word))


def stands_over(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether each label of a row stands over several of the one below, which repeats itself."""
    header = tuple(upper), tuple(lower)
    return len(upper) < len(lower) and any(_levelled(header, len(lower) + more) is not header for more in (0, 1))


def is_header(texts: Sequence[str], *, first: bool) -> bool:
    """Whether a row holds labels only; in the first row whole numbers are labels, too, such as seeds."""
    filled = [text for text in texts[1:] if text] or [text for text in texts if text]
    numbered = first and bool(_LETTERS.search("".join(texts)))
    return bool(filled) and all(
        is_label(text) or re.fullmatch(r"\d{1,2}%", text) or (numbered and re.fullmatch(r"\d{1,5}", text))
        for text in filled
    )


def is_label(text: str) -> bool:
    """Whether a cell's text names rather than reports."""
    return bool(_LETTERS.search(text)) and not _VALUE.search(text)


def lowest_label(grid: Grid, index: int) -> str:
    """The label right over a column's values."""
    return next((header[index] for header in reversed(grid.header) if index < len(header) and header[index]), "")


def column_label(grid: Grid, index: int) -> str:
    """The labels over a column, each once."""
    return " ".join(dict.fromkeys(header[index] for header in grid.header if index < len(header) and header[index]))


def less_numbered(label: str, grid: Grid) -> str:
    """A column's label, empty where it is one of several that are a letter and a number: `f1`, `f2`, `f3`."""
    match = _NUMBERED_LABEL.fullmatch(label)
    others = (_NUMBERED_LABEL.fullmatch(text) for header in grid.header for text in header if text != label)
    return "" if match and any(other and other[1] == match[1] for other in others) else label


_NUMBERED_LABEL: Final = re.compile(r"([^\W\d_])\s?\d{1,2}")


def is_group(texts: Sequence[str]) -> bool:
    """Whether a row holds one label for the rows below it."""
    filled = {text for text in texts if text}
    return len(filled) == 1 and is_label(next(iter(filled)))


def with_first_group(grid: Grid) -> tuple[Grid, str]:
    """A table less a label under its header that is one of several groups of rows, and this label, "" for none."""
    if len(grid.header) > 1 and is_group(grid.header[-1]) and any(is_group(row.texts) for row in grid.rows):
        return grid._replace(header=grid.header[:-1]), next(text for text in grid.header[-1] if text)
    return grid, ""


def with_named_columns(grid: Grid) -> Grid:
    """A table without labels over it whose cells name their values, `loss 0.641 | accuracy 79.35`, with these names as
    the labels of its columns."""
    if grid.header or not grid.rows:
        return grid
    found = [
        [_NAMED.fullmatch(text) for text in column if text]
        for column in zip(*(row.texts for row in grid.rows), strict=True)
    ]
    names = [
        own[0][1].strip() if own and own[0] and len({one and one[1].strip() for one in own}) == 1 else ""
        for own in found
    ]
    if len(set(names) - {""}) < _FEWEST_NAMES:
        return grid
    rows = (
        row._replace(texts=tuple(text[len(name) :].lstrip() for text, name in zip(row.texts, names, strict=True)))
        for row in grid.rows
    )
    return grid._replace(header=(tuple(names),), rows=tuple(rows))


_NAMED: Final = re.compile(r"([^\W\d][^\d=:]*\s)\d+(?:[.,]\d+)?\s?%?")
_FEWEST_NAMES: Final = 2


def counted_on(header: Sequence[str]) -> tuple[str, ...]:
    """A row of labels whose numbered one is followed by numbers that count on: they have its word, too, as in
    `epoch 1 | 2 | 3`."""
    counted: list[str] = []
    for text in header:
        match = _COUNTED.fullmatch(counted[-1]) if counted and text.isdecimal() else None
        counted.append(f"{match[1]}{text}" if match and int(match[2]) + 1 == int(text) else text)
    return tuple(counted)


_COUNTED: Final = re.compile(r"(.*[^\W\d_]\W*)(\d{1,3})")


WHOLE: Final = re.compile(r"\W*(\d{1,6})(?:\s*\((?:last|dernière|derniere|best|final|tie[^)]*)\)|\s?\*{1,2})?\W*")
MOMENT_HEADER: Final = re.compile(
    rf"{START}({any_of('epoch')})|{START}({any_of('step')}|(?:upd\w*|it[ée]r\w*|pas)(?![^\W_]))", re.IGNORECASE
)


def whole_in(text: str) -> int | None:
    """The whole number that is all of a cell's text, as of a seed or an epoch."""
    match = WHOLE.fullmatch(text)
    return int(match.group(1)) if match else None


def moments_of_columns(texts: Sequence[str]) -> dict[int, Moment]:
    """The epochs or steps that a row such as `Best epoch | 5 | 3 | 4` gives for the figures under it."""
    header = MOMENT_HEADER.search(texts[0])
    numbers = {index: number for index, text in enumerate(texts[1:], start=1) if (number := whole_in(text)) is not None}
    if not header or not numbers or len(numbers) < sum(bool(text) for text in texts[1:]):
        return {}
    kind = "epoch" if header.group(1) and max(numbers.values()) < 100 else "step"
    return {index: Moment.model_validate({kind: number, "is_chosen": True}) for index, number in numbers.items()}


def moment_of_cell(texts: Sequence[str], index: int, kinds: Mapping[int, str]) -> Moment:
    """The moment that columns of some kinds, `epoch` or `step`, tell of a cell of their row; of several columns of one
    kind the last one before it."""
    values: dict[str, int] = {}
    for at, kind in kinds.items():
        value = whole_in(texts[at])
        if value is not None and (at < index or kind not in values):
            values[kind] = value
    return Moment(**values) if values else UNTOLD


def moment_of_labels(row: str, column: str, header: str) -> Moment:
    """The epoch or step in a row's or a column's label, where the label itself or the first column's `header` says that
    it is one; else whether a label says that it is the chosen or the last one."""
    heads = MOMENT_HEADER.search(header)
    for label in (row, column):
        told = moment_in(label)
        first = whole_in(label.split(" ; ")[0])
        if told.is_told or not heads or first is None:
            if told.is_told:
                return told
            continue
        return Moment(epoch=first) if heads.group(1) and first < 100 else Moment(step=first)
    named = [one for one in map(moment_in, (column, row)) if one.is_end != one.is_chosen]
    return named[0] if named else UNTOLD


def without_doubles(facts: list[Fact]) -> list[Fact]:
    """An experiment that some labels of a table name is not, by the lines beside the table, that of its other cells."""
    labelled = {fact.experiment.value for fact in facts if fact.experiment.nearness is Nearness.LABEL}
    return [
        fact.model_copy(update={"experiment": Role()})
        if fact.experiment.nearness < Nearness.LABEL and fact.experiment.value in labelled
        else fact
        for fact in facts
    ]


def numbered(facts: list[Fact]) -> list[Fact]:
    """Values of one series without any number of a run are counted in their order, where there are several."""
    series: dict[tuple[object, ...], list[int]] = {}
    for index, fact in enumerate(facts):
        if fact.statistic is Statistic.VALUE and fact.run is None and not fact.moment.is_told:
            series.setdefault((*fact.key, fact.experiment.value), []).append(index)
    result = list(facts)
    for members in series.values():
        if 2 <= len(members) <= 10:
            for position, index in enumerate(members, start=1):
                result[index] = facts[index].model_copy(update={"run": position})
    return result
