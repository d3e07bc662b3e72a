"""A table as a grid: rows of labels above rows of cells, with the kinds of its columns."""

import re
from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from grader.claims.passage import normalise
from grader.claims.results.fact import MOMENT_HEADER, WHOLE
from grader.claims.results.measures import any_of, the_only
from grader.claims.results.runs import run_header
from grader.claims.results.vocabulary import Kind, mentions, named_experiments
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.language.shapes import LETTER
from grader.reading.document import Block

_VALUE: Final = re.compile(r"\d\s?(?:%|±)|\d[.,]\d|±\s?\d|^\W*\d{2,}\W*$")


Header = tuple[tuple[str, ...], ...]
"""The rows of labels above a table's columns."""


class Row(NamedTuple):
    """The normalised cells of a row, and its block."""

    texts: tuple[str, ...]
    block: Block


class Grid(NamedTuple):
    """A table: its header, its body, and the lines of text directly before and after it, the nearest first."""

    header: Header
    rows: tuple[Row, ...]
    beside: tuple[str, ...]


def rows_of(blocks: Sequence[Block]) -> list[Row]:
    """Return the rows with equal width. Shorter rows are filled on the left, because a header may omit the row
    labels."""
    width = max(len(block.cells) or 1 for block in blocks)
    rows = []
    for block in blocks:
        texts = [normalise(cell).text.strip() for cell in block.cells or (block.text,)]
        rows.append(Row((*[""] * (width - len(texts)), *texts), block))
    return rows


def split_header(rows: Sequence[Row], inherited: Header) -> tuple[Header, list[Row]]:
    """Return the header rows and the other rows. A table without header continues the table above with the same
    width."""
    header: list[tuple[str, ...]] = []
    rest = list(rows)
    while rest and (
        is_header(rest[0].texts, first=not header)
        or (not header and _names_columns(rest))
        or _numbers_runs(rest[0].texts)
        or _are_runs_below(header, rest[0].texts)
    ):
        header.append(rest.pop(0).texts)
    if not header and inherited:
        return (inherited if len(inherited[0]) == len(rows[0].texts) else ()), rest
    return tuple(header), rest


def with_names_below(header: Header, rows: list[Row], lab: Lab) -> tuple[Header, list[Row]]:
    """Return the header and the other rows.

    A row without numbers that names an experiment in several columns belongs to the header, unless the other rows are
    named by experiments.
    """
    named = [[_names_one(text, lab) for text in row.texts] for row in rows]
    below = [
        row
        for row, (_, *names) in zip(rows, named, strict=True)
        if sum(names) > 1 and not re.search(r"\d", " ".join(row.texts))
    ]
    if not below or any(first for first, *_ in named):
        return header, rows
    labels = tuple(("", *row.texts[1:]) for row in below)
    return (*header, *labels), [row for row in rows if row not in below]


def _names_one(text: str, lab: Lab) -> bool:
    """Whether a text names or hints at a single experiment."""
    found = mentions(text, lab)
    return len(named_experiments(found, lab)) <= 1 and any(
        mention.kind in (Kind.EXPERIMENT, Kind.HINT) for mention in found
    )


_IN_BRACKETS: Final = re.compile(r"\s*[\[(][^\[\]()]*[\])]")
_INTERVAL: Final = re.compile(rf"(?<![^\W_]){any_of('interval')}", re.IGNORECASE)


def less_intervals_of_columns(header: Header, rows: list[Row]) -> tuple[Header, list[Row]]:
    """Return the table without brackets in columns whose labels have an interval in brackets.

    For example, `SD [95 % CI]` above `0.80 [77.3, 81.3]`.
    """

    def has_interval(texts: tuple[str, ...]) -> bool:
        return any(_INTERVAL.search(part) for text in texts for part in _IN_BRACKETS.findall(text))

    columns = {at for at, texts in enumerate(zip(*header, strict=True)) if has_interval(texts)}

    def less(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_IN_BRACKETS.sub("", text) if at in columns else text for at, text in enumerate(texts))

    return tuple(map(less, header)), [row._replace(texts=less(row.texts)) for row in rows]


_RUN_WORD: Final = re.compile(rf"\W*{any_of('run')}\W*", re.IGNORECASE)


def _numbers_runs(texts: Sequence[str]) -> bool:
    """Whether a row consists of a word for runs and their numbers: `seed | 0 | 1 | 2`."""
    first, *numbers = [text for text in texts if text] or [""]
    return bool(_RUN_WORD.fullmatch(first)) and len(numbers) > 1 and all(text.isdecimal() for text in numbers)


def _are_runs_below(header: Sequence[Sequence[str]], texts: Sequence[str]) -> bool:
    """Whether a row contains only run numbers in adjacent columns below the word for runs: `seed` above `12 | 34 |
    56`."""
    columns = [index for index, text in enumerate(texts) if text]
    is_row = len(columns) > 1 and not texts[0] and columns[-1] - columns[0] + 1 == len(columns)
    numbers = [texts[index] for index in columns]
    is_numbered = is_row and all(number.isdecimal() for number in numbers) and len(set(numbers)) == len(numbers)
    return is_numbered and any(_RUN_WORD.fullmatch(row[index]) for row in header for index in columns)


def is_column_name(text: str) -> bool:
    """Whether a text is only a word for runs, epochs or steps."""
    word = text.strip()
    return word.isalpha() and bool(_RUN_WORD.fullmatch(word) or MOMENT_HEADER.match(word))


def is_header(texts: Sequence[str], *, first: bool) -> bool:
    """Whether a row contains only labels. In the first row, whole numbers such as seeds are labels, too."""
    filled = [text for text in texts[1:] if text] or [text for text in texts if text]
    numbered = first and bool(LETTER.search("".join(texts)))
    return bool(filled) and all(
        is_label(text) or re.fullmatch(r"\d{1,2}%", text) or (numbered and re.fullmatch(r"\d{1,5}", text))
        for text in filled
    )


def _names_columns(rows: Sequence[Row]) -> bool:
    """Whether the first row names the columns although some names contain whole numbers, such as `95 % CI`.

    No name may have the form of the cells below it.
    """
    first, *others = (row.texts for row in rows)
    named = [at for at, text in enumerate(first) if text]
    bodies = [[texts[at] for texts in others if texts[at]] for at in named]
    names = [first[at] for at in named]
    return (
        all(_NAME_WITH_NUMBER.search(text) and not re.search(r"\d[.,]\d", text) for text in names)
        and any(all(re.search(r"\d[.,]\d", text) for text in body) for body in bodies if body)
        and not any(
            re.sub(r"\W|\d", "", name) in {re.sub(r"\W|\d", "", text) for text in body}
            for name, body in zip(names, bodies, strict=True)
        )
    )


_NAME_WITH_NUMBER: Final = re.compile(r"[^\W\d_]{2,}|^\W*[^\W\d_]\W*$")


def is_label(text: str) -> bool:
    """Whether the text of a cell is a label instead of a value."""
    return bool(LETTER.search(text)) and not _VALUE.search(text)


def lowest_label(grid: Grid, index: int) -> str:
    """Return the label directly above a column's values."""
    return next((header[index] for header in reversed(grid.header) if header[index]), "")


def column_label(grid: Grid, index: int) -> str:
    """Return the labels above a column, each once."""
    return " ".join(dict.fromkeys(header[index] for header in grid.header if header[index]))


def less_numbered(label: str, grid: Grid) -> str:
    """Return a column's label, or an empty text if it is one of several such as `f1`, `f2`, `f3`."""
    match = _NUMBERED_LABEL.fullmatch(label)
    others = (_NUMBERED_LABEL.fullmatch(text) for header in grid.header for text in header if text != label)
    return "" if match and any(other and other[1] == match[1] for other in others) else label


_NUMBERED_LABEL: Final = re.compile(r"([^\W\d_])\s?\d{1,2}")


def is_group(texts: Sequence[str]) -> bool:
    """Whether a row has a single label for the rows below it."""
    label = the_only(text for text in texts if text)
    return label is not None and is_label(label)


def with_first_group(grid: Grid) -> tuple[Grid, str]:
    """Return a table without the label of its first group of rows, and this label or an empty text."""
    if len(grid.header) > 1 and is_group(grid.header[-1]) and any(is_group(row.texts) for row in grid.rows):
        return grid._replace(header=grid.header[:-1]), next(text for text in grid.header[-1] if text)
    return grid, ""


def less_unit(label: str) -> str:
    """Return a column's label without a unit after a slash, as in `seed / 1` or `A / %`."""
    return _PER_UNIT.sub("", label)


_PER_UNIT: Final = re.compile(r"(?<=\S)\s/\s(?:1|%|s|10\^\S+)\s*$")


def counted_on(header: Sequence[str]) -> tuple[str, ...]:
    """Return a row of labels with the word of a numbered label repeated for the following numbers: `epoch 1 | 2 |
    3`."""
    counted: list[str] = []
    for text in header:
        match = _COUNTED.fullmatch(counted[-1]) if counted and text.isdecimal() else None
        counted.append(f"{match[1]}{text}" if match and int(match[2]) + 1 == int(text) else text)
    return tuple(counted)


_COUNTED: Final = re.compile(r"(.*[^\W\d_]\W*)(\d{1,3})")


YES: Final = re.compile(r"\W*(?:yes|y|oui|o|true|vrai|✓|✔|✅|☑|x|1)\W*", re.IGNORECASE)
NO: Final = re.compile(r"\W*(?:no|n|non|false|faux|✗|✘|✕|❌|☐|0|-)\W*", re.IGNORECASE)
_SEED_HEADER: Final = re.compile(r"seeds?|graines?|germes?", re.IGNORECASE)
_ACCURACY: Final = re.compile(r"\bacc\w*|exactitude|score|test|val", re.IGNORECASE)


class Columns(NamedTuple):
    """The columns of a table that contain no values: run numbers, moments and labels."""

    runs: frozenset[int]
    moments: dict[int, str]
    labels: frozenset[int]

    @classmethod
    def from_grid(cls, grid: Grid, words: tuple[str, ...], seeds: Set[int], most: int) -> "Columns":
        """Return the kinds of a table's columns by header and content.

        Run numbers are recognised by the lab's `words`. In the first column, `seeds` that the text names, or up to
        `most` successive whole numbers, count as well.
        """
        kinds = [_kind(grid, index, words, seeds, most) for index in range(len(grid.rows[0].texts))]
        runs = {index for index, kind in enumerate(kinds) if kind == "run"}
        labels = {index for index, kind in enumerate(kinds) if kind == "label"}
        if len(runs) > 1 and (named := {run for run in runs if _SEED_HEADER.search(column_label(grid, run))}):
            runs, labels = named, labels | (runs - named)
        moments = {index: kind for index, kind in enumerate(kinds) if kind in ("epoch", "step")}
        return cls(frozenset(runs), moments, frozenset(labels))


def _kind(grid: Grid, index: int, words: tuple[str, ...], seeds: Set[int], most: int) -> str:
    """Return the kind of a column: `run`, `epoch`, `step`, `label`, or an empty text."""
    header = column_label(grid, index)
    body = [row.texts[index] for row in grid.rows if row.texts[index]]
    numbers = [int(match[1]) for text in body if (match := WHOLE.fullmatch(text))]
    if numbers and all(WHOLE.fullmatch(text) or is_label(text) for text in body):
        moment, is_run = MOMENT_HEADER.search(header), run_header(words).fullmatch
        is_first, are_steps = index == 0, max(numbers) >= 100 and not any(number % 25 for number in numbers)
        if moment and not _ACCURACY.search(header):
            return "epoch" if moment[1] and max(numbers) < 100 else "step"
        if is_run(header) or is_run(lowest_label(grid, index)) or (is_first and seeds >= set(numbers)):
            return "run"
        if is_first and not header and any(is_run(column_label(grid, at)) for at in range(1, len(grid.rows[0].texts))):
            return "label"  # the rows' numbers in a larger table
        if not header and are_steps:
            return "step"
        if max(numbers) <= _MOST_COUNTED:
            in_row = len(numbers) <= most and numbers == [*range(numbers[0], numbers[0] + len(numbers))]
            return "run" if is_first and (not header or in_row) else "label"
    are_answers = all(YES.fullmatch(text) or NO.fullmatch(text) for text in body)
    return "label" if are_answers or sum(map(is_label, body)) * 2 > len(body) else ""


_MOST_COUNTED: Final = 10
"""The largest number of rows or runs that a column counts."""


_BESIDE: Final = " ; "


def fill_labels(texts: Sequence[str], above: Sequence[str], columns: Columns) -> list[str]:
    """Return a row with its empty first labels filled from the row above.

    The name of a statistic after them is added to the label of its column. If the row's first text stands in a column
    of values, the text becomes the row's label.
    """
    filled = list(texts)
    first = next((index for index, text in enumerate(filled) if text), 0)
    if first and first not in columns.labels | columns.runs and not re.search(r"\d", filled[first]):
        return [filled[first], *[""] * first, *filled[first + 1 :]]
    named = next((index for index, text in enumerate(filled) if text and index not in columns.runs), len(filled))
    for index in (columns.labels | columns.runs).intersection(range(named)):
        filled[index] = filled[index] or above[index]
    if named in columns.labels - {0}:
        filled[named] = _with_label_above(filled[named], above[named])
    return filled


def _with_label_above(text: str, above: str) -> str:
    """Return a label; the name of a statistic with the label in the row above."""
    if not lexicon.match(r"\W*(?:<mean>|<deviation>)", text):
        return text
    return _BESIDE.join(filter(None, (above.partition(_BESIDE)[0], text)))
