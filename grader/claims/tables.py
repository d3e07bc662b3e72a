"""Read the tables of a passage, each cell with the labels of its row and columns, including tables that lost their
columns."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, takewhile
from typing import Final, NamedTuple

from grader.claims.captions import caption_below, lines_above
from grader.claims.passage import Passage, normalise
from grader.claims.results.grid import is_column_name, is_header
from grader.claims.results.measures import any_of
from grader.claims.results.numbers import MEAN, STD
from grader.claims.results.runs import runs_named
from grader.claims.results.vocabulary import Kind, mentions
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.language.shapes import ASIDE, DIGIT, LETTER
from grader.reading.document import Block, BlockKind, Evidence

_VALUE = re.compile(r"\d\s?(?:%|±)|\d[.,]\d|±\s?\d")
_NUMBERED = re.compile(rf"(?:random )?{any_of('run')}(?: ?(?:#|n°|no\.?|number))?", re.IGNORECASE)
_MOST_DIGITS = 2
_LONGEST_NAME = 40
"""A longer text, in characters, is a sentence about the rows below, not their name."""


class Cell(Frozen):
    """A cell of a table with the normalised labels of its row and of the columns above it."""

    text: str
    row: str
    column: str
    evidence: Evidence

    @property
    def labels(self) -> str:
        """The row and column labels together, in lower case."""
        return f"{self.row} {self.column}".casefold()


class Table(Frozen):
    """The body cells of a table, and the lines directly before it, which may be its caption. A caption below it comes
    last."""

    caption: str
    cells: tuple[Cell, ...]


def tables(passage: Passage, worded_values: frozenset[str] = frozenset()) -> Iterator[Table]:
    """Yield all tables of a passage.

    A table without header on the next page has the header of its first part. `worded_values` are cells with a value in
    words, such as `none` or `2 and 1`."""
    header: list[list[str]] = []
    last: Block | None = None
    start = end = 0
    for is_row, group in groupby(passage.blocks, key=_is_row):
        blocks = list(group)
        start, end = end, end + len(blocks)
        if not is_row:
            continue
        nearest = takewhile(lambda block: not _is_row(block), reversed(lines_above(passage.blocks, start, 3)))
        before = list(nearest)[::-1]
        below = caption_below(passage.blocks, end)
        for rows in split_tables(blocks):
            above = header if last and _goes_on(last, rows[0]) else []
            for title, part in _titled(rows):
                cells, above = _cells(passage.file, part, above, worded_values)
                caption = "\n".join([*(block.text for block in before), *title, *(block.text for block in below)])
                yield Table(caption=normalise(caption).text, cells=tuple(cells))
            header, last = above, rows[-1]


_SPACED: Final = (BlockKind.LINE, BlockKind.CODE, BlockKind.OUTPUT)
_NUMERIC: Final = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?%?")
_MOST_COLUMNS: Final = 20
_LABEL_NAMES: Final = 2
_NUMBERED_NAME: Final = re.compile(r"[^\W\d_][^\d]{0,30} \d{1,3}")
"""A name that ends with a number: `true 3`."""


def spaced_tables(passage: Passage) -> Iterator[Table]:
    """Yield the tables that are formatted with spaces, such as a printed data frame.

    They have at least two lines of a label and as many numbers as the line above has names, or as its last names if the
    first ones are those of the labels. With wide gaps between columns, a label may end with a number: `true 3 5 1`.
    """
    header: list[str] = []
    rows: list[tuple[Block, str, list[str]]] = []
    for block in (*passage.blocks, Block(kind=BlockKind.HEADING, text="The end.")):
        if not block.text.strip():
            continue
        is_line = block.kind in _SPACED and len(block.text) <= _LONGEST
        words = normalise(block.text).text.split() if is_line else []
        parts = re.split(r"\s{2,}", normalise(block.text).text.strip()) if is_line else []
        is_parted = len(parts) > _FEWEST and all(_NUMERIC.fullmatch(part) for part in parts[1:])
        words = parts if is_parted and _NUMBERED_NAME.fullmatch(parts[0]) else words
        width = _width(words, len(header), len(rows[0][2]) if rows else None)
        if width:
            rows.append((block, " ".join(words[: len(words) - width]), words[len(words) - width :]))
            continue
        if len(rows) >= _FEWEST:
            yield Table(caption="", cells=tuple(_spaced_cells(passage.file, header, rows)))
        is_behind_title = len(words) > _FEWEST and LETTER.search(words[0]) and not LETTER.search(words[-1])
        if len(parts) >= _FEWEST and (_NUMBERED_NAME.fullmatch(parts[-1]) or not is_behind_title):
            labels = parts
        else:
            labels = words[1:] if is_behind_title else words
        header, rows = (labels if _FEWEST <= len(labels) <= _MOST_COLUMNS else []), []


def _width(words: list[str], names: int, before: int | None) -> int:
    """Return the number of numbers at the end of a table's line, or 0 if it is no such line.

    There are as many as names, or fewer if up to two names belong to the labels, and as many as in the line before.
    """
    numbers = next((at for at, word in enumerate(reversed(words)) if not _NUMERIC.fullmatch(word)), len(words))
    width = min(numbers, names)
    is_row = 0 < width < len(words) and names - width <= _LABEL_NAMES and before in (None, width)
    return width if is_row and (width == names or numbers == width) else 0


def _spaced_cells(file: str, header: list[str], rows: list[tuple[Block, str, list[str]]]) -> Iterator[Cell]:
    for block, label, values in rows:
        place = block.evidence(file, block.text)
        for name, value in zip(header[-len(values) :], values, strict=True):
            yield Cell(text=value, row=label, column=name, evidence=place)


class Matrix(NamedTuple):
    """Numbers in rows without labels, with their place in the passage's text."""

    rows: tuple[tuple[str, ...], ...]
    start: int
    end: int


_ROW_END: Final = re.compile(r"\n|[=:]\s*(?=[\[(\\])|\\{1,2}(?![a-zA-Z\\])|\]\s*,?\s*(?=\[)|\)\s*,\s*(?=\()")
_MATRIX_MARKS: Final = re.compile(
    r"\\(?:begin|end)\{[a-z]{1,8}\*?\}(?:\{[clr|]{1,30}\})?|array\(|dtype=\w+|[\[\](){}|&,;]"
)


def matrices(passage: Passage) -> Iterator[Matrix]:
    """Yield the rows of equally many numbers with only separators between them, in a formula, a listing or an
    output."""
    text = passage.text
    bounds = [0, *(match.end() for match in _ROW_END.finditer(text)), len(text)]
    rows: list[tuple[str, ...]] = []
    first = last = 0
    for start, end in [*pairwise(bounds), (len(text), len(text))]:
        line = text[start:end].rstrip("\\") if end - start <= _LONGEST else ""
        row = tuple(_MATRIX_MARKS.sub(" ", line).split())
        is_row = len(row) >= _FEWEST and all(_NUMERIC.fullmatch(candidate) for candidate in row)
        if not is_row or (rows and len(row) != len(rows[0])):
            if not row and rows and end < len(text):
                continue
            if len(rows) >= _FEWEST:
                yield Matrix(tuple(rows), first, last)
            rows = []
        if is_row:
            first, last = (first if rows else start), end
            rows.append(row)


def named_rows(text: str, start: int, rows: Sequence[Sequence[str]], width: int) -> Iterator[Matrix]:
    """Yield the matrix of the numbers after each row's name and a colon, `3: 5, 1, 1; 5: 2, 4, 1`, in any order.

    Yields nothing if a row is missing or named twice.
    """
    found: list[re.Match[str]] = []
    for names in rows:
        name = "|".join(re.escape(candidate) for candidate in names)
        numbers = rf"(\d+(?:[\s,]{{1,3}}\d+){{{width - 1}}})(?![\s,]{{0,3}}\d)"
        pattern = re.compile(rf"(?<![\w.,])(?:{name})(?: \w+)?\s?[:=]\s*\[?{numbers}", re.IGNORECASE)
        own_matches = list(pattern.finditer(text, start))
        found += own_matches if len(own_matches) == 1 else []
    if len(found) == len(rows):
        places = sorted(match.span() for match in found)
        yield Matrix(tuple(tuple(re.findall(r"\d+", match[1])) for match in found), places[0][0], places[-1][1])


def rows_in_line(text: str, start: int, height: int, width: int) -> Iterator[Matrix]:
    """Yield the matrices that are written in a line, `5 1 1 / 2 4 1 / 1 0 5`, without other numbers beside them."""
    row = rf"\d+(?:,? \d+){{{width - 1}}}"
    pattern = re.compile(rf"(?<![\d.,/|] )(?<![\w.,]){row}(?: ?[/;|] ?{row}){{{height - 1}}}(?!,? ?[/;|]? ?\d)(?!\w)")
    for match in pattern.finditer(text, start):
        rows = (tuple(re.findall(r"\d+", part)) for part in re.split(r"[/;|]", match.group()))
        yield Matrix(tuple(rows), *match.span())


def _titled(rows: list[Block]) -> Iterator[tuple[list[str], list[Block]]]:
    """Yield the parts of a table. A row with one sentence is the title of the rows below, which have the same
    header."""
    title: list[str] = []
    part: list[Block] = []
    for row in rows:
        if _is_group(list(row.cells)) and len(row.cells[0]) > _LONGEST_NAME:
            if part:
                yield title, part
            title, part = [row.cells[0]], []
        else:
            part.append(row)
    if part:
        yield title, part


def _is_row(block: Block) -> bool:
    return block.kind is BlockKind.ROW


def _goes_on(last: Block, first: Block) -> bool:
    """Whether a row at the top of a page continues the table on the page before."""
    next_page = last.page is not None and first.page == last.page + 1
    return next_page and len(last.cells) == len(first.cells)


def split_tables(rows: list[Block]) -> Iterator[list[Block]]:
    """Yield the tables in a sequence of rows, divided at blank lines. The rule below a header does not divide a
    table."""
    table: list[Block] = []
    for row in rows:
        last = table[-1].line if table else None
        step = 2 if len(table) == 1 else 1
        if last is not None and row.line is not None and row.line - last > step:
            yield table
            table = []
        table.append(row)
    yield table


def _cells(
    file: str, rows: list[Block], continued: list[list[str]], worded_values: frozenset[str]
) -> tuple[list[Cell], list[list[str]]]:
    """Return the cells of a table's part with values, and the header rows above the last of them.

    `continued` are the header rows above its first row.
    """
    width = max(len(row.cells) for row in rows)
    found: list[Cell] = []
    above = continued
    in_header = False
    first_label = group = ""
    for number, row in enumerate(rows):
        texts = _padded(row, width)
        if _is_group(texts):
            group = f"{texts[0]} "
            continue
        if _is_header(texts, worded_values, first=not (number or continued)):
            above = [*above, texts] if in_header else [texts]
            in_header = True
            continue
        in_header = False
        if not texts[0] and _is_numbered(1, above):
            texts[0] = first_label
        first_label = texts[0]
        place = row.evidence(file, " | ".join(row.cells))
        for index, text in enumerate(texts):
            if _is_value(text, worded_values if index else frozenset()):
                label = group + _row_label(texts, index, above)
                found.append(Cell(text=text, row=label, column=_column_label(index, above), evidence=place))
    return found, above


def _is_value(text: str, worded_values: frozenset[str]) -> bool:
    """Whether a cell contains a number, or is known to state one."""
    return DIGIT.search(text) is not None or text in worded_values


def _is_group(texts: list[str]) -> bool:
    """Whether a row is one label over several columns from the first on, which names the rows below."""
    over = [text for text in texts if text]
    return len(over) > 1 and len({*over}) == 1 and bool(texts[0]) and (_is_label(texts[0]) or len(over) == len(texts))


_UNIT_SIGNS: Final = ("%", "(%)", "#", "±", "°")


def _is_header(texts: list[str], worded_values: frozenset[str], *, first: bool) -> bool:
    """Whether a row contains only labels. In the first row, small whole numbers and signs of units are labels, too."""
    filled = [text for text in texts[1:] if text] or texts
    return worded_values.isdisjoint(texts[1:]) and all(
        _is_label(text) or (first and (text in _UNIT_SIGNS or (text.isdecimal() and len(text) <= _MOST_DIGITS)))
        for text in filled
    )


def _is_label(text: str) -> bool:
    """Whether a cell contains words and no result."""
    return bool(LETTER.search(text)) and not _VALUE.search(text)


def _padded(row: Block, width: int) -> list[str]:
    """Return the normalised cells of a row, filled on the left if the row is shorter than the table."""
    return [""] * (width - len(row.cells)) + [normalise(cell).text.strip() for cell in row.cells]


def _row_label(texts: list[str], index: int, above: list[list[str]]) -> str:
    """Return the labels on the left of a cell. A number in the first column is named by that column's header."""
    labels = [
        f"{_column_label(position, above)} {text}" if _is_numbered(position, above) and position else text
        for position, text in enumerate(texts[:index])
        if position == 0 or _is_label(text) or _is_numbered(position, above)
    ]
    if labels and not LETTER.search(labels[0]):
        labels = [_column_label(0, above), *labels]
    return " ".join(labels)


def _is_numbered(position: int, above: list[list[str]]) -> bool:
    """Whether a column numbers the seeds, because its header is `Seed` or the like."""
    return any(position < len(header) and _NUMBERED.fullmatch(header[position]) for header in above)


def _column_label(index: int, above: list[list[str]]) -> str:
    """Return the headers above a column. A number is named by the first column's header: `Seed | 0 | 1 | 2`."""
    labels = [header[index] for header in above if header[index]]
    if labels and index and not any(LETTER.search(label) for label in labels):
        labels = [header[0] for header in above] + labels
    return " ".join(labels)


_LONGEST: Final = 200
_NUMBER: Final = re.compile(r"\d{1,4}(?:[.,]\d{1,6})?%?")
_FEWEST: Final = 2
_ENDS_IN_NAME: Final = re.compile(rf"\b{any_of('run', 'epoch', 'step')}\W{{0,3}}$", re.IGNORECASE)
_NAMES: Final = re.compile(
    rf"{MEAN.pattern}|{STD.pattern}|\b(?:epochs?|[ée]poques?|steps?|updates?|it[ée]rations?|loss(?:es)?|perte|time|temps|train)\b",
    re.IGNORECASE,
)
_SKIPPED: Final = 2
"""The most blank lines between the names and the first line of numbers."""


class _Line(NamedTuple):
    """A line of a table: the words before its numbers, if any, and the numbers."""

    block: Block
    label: str
    numbers: list[str]


class LostTable(NamedTuple):
    """A table without columns: the index of its first line's block, its lines, and the names above them, one per
    number."""

    first: int
    rows: list[_Line]
    names: list[str]


def lost_tables(passage: Passage, lab: Lab) -> Iterator[LostTable]:
    """Yield the tables without columns: at least two lines that end with as many numbers as the line above has
    names."""
    blocks = passage.blocks
    index = 0
    while index < len(blocks):
        lines = _lines(blocks, index)
        if len(lines) >= _FEWEST:
            leading, names = _lost_header(blocks[max(0, index - 1 - _SKIPPED) : index], lab)
            rows = [row for line in lines if (row := _labelled(line, leading)) and len(row.numbers) == len(names)]
            if len(rows) == len(lines):
                yield LostTable(index, rows, names)
        index += max(1, len(lines))


def _lines(blocks: Sequence[Block], start: int) -> list[_Line]:
    """Return the lines from `start` on that end with numbers."""
    found: list[_Line] = []
    for index in range(start, len(blocks)):
        line = _line(blocks[index])
        if line is None:
            break
        found.append(line)
    return found


def _line(block: Block) -> _Line | None:
    """Return a line that ends with several numbers, or None."""
    if block.kind is not BlockKind.LINE or not block.text or len(block.text) > _LONGEST:
        return None
    words = re.sub(r"\s%", "%", normalise(block.text).text).replace("|", " ").split()
    at = len(words)
    while at and _NUMBER.fullmatch(words[at - 1]):
        at -= 1
    return _Line(block, " ".join(words[:at]), words[at:]) if len(words) - at > 1 else None


def _labelled(line: _Line, leading: str) -> _Line | None:
    """Return a line whose label names a seed, an epoch or a statistic, or None.

    The number of a seed belongs to the label: `SEED 1`, or the first number below the name `Seed`.
    """
    name = line.label or leading
    if _ENDS_IN_NAME.search(name) and line.numbers[0].isdecimal():
        return _Line(line.block, f"{name} {line.numbers[0]}", line.numbers[1:])
    return line if runs_named(line.label) or MEAN.search(line.label) or STD.search(line.label) else None


def names_of_columns(text: str, number: int, lab: Lab) -> tuple[str, ...]:
    """Return the names of `number` columns in one line or cell whose separators were lost; empty if there are not that
    many.

    Each name except the first must be the name of a column of values.
    """
    asides = [match.span() for match in ASIDE.finditer(text)]
    known_names = [name for name in _known_names(text, lab) if not any(start <= name[0] < end for start, end in asides)]
    capitals = [match.start() for match in _CAPITAL.finditer(text)]
    starts = [start for start, _ in known_names]
    behind = [
        start for (_, end), (start, _) in pairwise(known_names) if text[end:start].isspace() and MEAN.match(text, start)
    ]
    options = (capitals, starts, [0, *starts], [start for start in starts if start not in behind])  # `test mean | std`
    for cuts in (sorted(set(option)) for option in options if len(set(option)) == number and number > 1):
        parts = list(pairwise([*cuts, len(text)]))
        are_named = [any(start <= at < end for at, _ in known_names) for start, end in parts]
        is_parted = not any(_IN_NAME.search(text, 0, cut) for cut in cuts)
        if is_parted and not text[: cuts[0]].strip() and all(are_named[1:]) and sum(are_named) >= _FEWEST:
            return tuple(text[start:end].strip() for start, end in parts)
    return ()


_IN_NAME: Final = re.compile(r"[\w-]\Z")
"""The text before a place within a name such as `hf_pre`."""
_CAPITAL: Final = re.compile(r"(?<!\S)[^\W\d_a-zß-öø-ÿ][\w-]*")


def _known_names(text: str, lab: Lab) -> list[tuple[int, int]]:
    """Return the places where a text names an experiment, a split, runs, epochs or a statistic.

    Words for choosing before a name are included. Two words for one thing, `T5 HF` or `mean test`, are one name.
    """
    kinds = (Kind.EXPERIMENT, Kind.SPLIT)
    found_mentions = mentions(text, lab)
    found = [(mention.start, mention.end, mention.value) for mention in found_mentions if mention.kind in kinds]
    found += [
        (hint.start, mention.end, mention.value)
        for hint, mention in pairwise(found_mentions)
        if hint.kind is Kind.HINT and mention.kind is Kind.EXPERIMENT and not text[hint.end : mention.start].strip()
    ]
    splits = {mention.start for mention in found_mentions if mention.kind is Kind.SPLIT}
    found += [(*match.span(), match.group().casefold()) for match in _COLUMN_NAMES.finditer(text)]
    names: list[tuple[int, int, str]] = []
    for start, end, value in sorted(found):
        last, until, before = names[-1] if names else (0, -1, "")
        is_of_split = start in splits and bool(MEAN.fullmatch(before) or STD.fullmatch(before))
        if start < until or (names and (value == before or is_of_split) and not text[until:start].strip()):
            names[-1] = (last, max(end, until), value)
        else:
            names.append((start, end, value))
    return [(start, end) for start, end, _ in names]


_COLUMN_NAMES: Final = re.compile(
    rf"(?:\b(?:best|chosen|selected|meilleure?|choisie?) )?(?:{_NAMES.pattern}|\b{any_of('run')})", re.IGNORECASE
)


def _lost_header(blocks: Sequence[Block], lab: Lab) -> tuple[str, list[str]]:
    """Return the beginning of the last line that is not blank, and the names in it."""
    filled = [block for block in blocks if block.text.strip()]
    if not filled:
        return "", []
    text = normalise(filled[-1].text.replace("\t", " ")).text
    starts = sorted(
        {mention.start for mention in mentions(text, lab) if mention.kind is Kind.SPLIT}
        | {match.start() for match in _NAMES.finditer(text)}
    )
    return text[: starts[0] if starts else 0].strip(), [
        text[start:end].strip() for start, end in pairwise([*starts, len(text)])
    ]


_GAP: Final = re.compile(r"\s*\|\s*|\t+|(?<=\S)\s{2,}(?=\S)(?!\w*[({\[])")
_WIDE_GAP: Final = re.compile(r"(?<=\S) {2,}(?=\S)")
_CELL: Final = re.compile(r"[^.!?;:]{1,30}|\W*\d+[.,]\d+\s?%?\W*")
_VERBATIM: Final = (BlockKind.CODE, BlockKind.OUTPUT)
_RULE: Final = re.compile(r"[-=+|: ]*[-=]{3,}[-=+|: ]*")


def printed_tables(passage: Passage) -> Iterator[list[tuple[int, Block]]]:
    """Yield the rows of each table formatted with spaces, or in TeX with `&`, in code, output and plain text.

    A table consists of adjacent lines with equally many columns. Rules between them are ignored.
    """
    run: list[tuple[int, list[str]]] = []
    for index, block in enumerate((*passage.blocks, None)):
        if block is not None and run and _RULE.fullmatch(block.text.strip()):
            continue
        cells = _columns(block) if block is not None else []
        if run and len(cells) == 1 and is_column_name(cells[0]) and index + 1 < len(passage.blocks):
            cells += [""] * (len(_columns(passage.blocks[index + 1])) - 1)
        if run and block is not None and len(cells) > 1:
            widest = max(run, key=lambda row: len(row[1]))
            cells = _in_columns(block.text, cells, passage.blocks[widest[0]].text, len(widest[1]))
        fits = not run or abs(len(cells) - len(run[-1][1])) <= 1
        # Another header with the same first name begins the next table: `run,seed,test` and then `run,mean,std`.
        fits = fits and not (len(run) > 1 and cells[:1] == run[0][1][:1] and not re.search(r"\d", "".join(cells)))
        if not (run and len(cells) > 1 and fits):
            rows = [cells for _, cells in run]
            if len(run) > 1 and (sum(map(_has_figure, rows)) > 1 or _is_one_row(rows)):
                yield [(at, passage.blocks[at].model_copy(update={"cells": tuple(cells)})) for at, cells in run]
            run = []
        if len(cells) > 1:
            run.append((index, cells))


_PRINTED_CELL: Final = re.compile(r"(?:\S| (?=\S))+")


def _in_columns(text: str, cells: list[str], above: str, width: int) -> list[str]:
    """Return the cells of a line, with empty ones inserted by the columns of the line above.

    For example, `accuracy 0.81` below `spam 0.75 0.87`.
    """
    ends = [match.end() for match in _PRINTED_CELL.finditer(above)]
    own_ends = [match.end() for match in _PRINTED_CELL.finditer(text)]
    if not len(cells) == len(own_ends) < len(ends) == width or not {*own_ends[1:]} <= {*ends[1:]}:
        return cells
    behind = dict(zip(own_ends[1:], cells[1:], strict=True))
    return [cells[0], *(behind.get(end, "") for end in ends[1:])]


def _columns(block: Block) -> list[str]:
    line = block.text.strip()
    if block.kind in _VERBATIM and "\n" not in line and _GAP.search(line):
        return [cell for cell in _GAP.split(line) if cell]
    if (
        block.kind is BlockKind.LINE
        and len(wide := _WIDE_GAP.split(line)) > _FEWEST
        and all(map(_CELL.fullmatch, wide))
    ):
        return wide
    if block.kind is BlockKind.LINE and line.endswith("\\\\"):
        return [cell.strip() for cell in line.removesuffix("\\\\").split("&")]
    if block.kind in (*_VERBATIM, BlockKind.LINE):
        mark = next((mark for mark in ";," if line.count(mark) > 1), None)
        if mark and _SEPARATED.fullmatch(line) and not re.search(rf"{mark}\s", line):
            return line.split(mark)
    return [line] if block.kind in (*_VERBATIM, BlockKind.LINE) and line and "\n" not in line else []


_SEPARATED: Final = re.compile(r"(?=.*[^\W\d_])[\w.,; %±+*-]+")
"""A line of values with separators, as in a CSV file; no code and no sentence."""


def _is_one_row(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows are a header and one row with as many cells, or with one more for its number."""
    if len(rows) != 2 or len(rows[0]) <= _FEWEST or not _has_figure(rows[1]):
        return False
    return is_header(rows[0], first=True) and len(rows[1]) - len(rows[0]) in (0, 1)


def _has_figure(cells: Sequence[str]) -> bool:
    return any(re.fullmatch(_FIGURE_ALONE, cell) for cell in cells)


_FIGURE_ALONE: Final = r"\W*(?:(?:\d{1,3}(?:[.,]\d+)?|\.\d+)\s*%?\W*){1,2}"
"""A figure, or two such as `79.57 / 0.59` and `79.57 ± 0.59`, with signs around them."""
