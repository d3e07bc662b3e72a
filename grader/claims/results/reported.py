"""All facts of a text, in reading order: where each stands, and what the text around it says."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from grader.claims.captions import (
    CAPTION_START,
    caption_below,
    lines_above,
)
from grader.claims.passage import Passage, normalise
from grader.claims.results.fact import Fact, Nearness, Role, Statistic
from grader.claims.results.grid import (
    Grid,
    Header,
    Row,
    headed,
    is_header,
    less_intervals_of_columns,
    rows_of,
    with_brackets_above,
    with_name_below,
    with_names_below,
)
from grader.claims.results.measures import (
    USUAL,
    Sought,
    any_of,
    is_ratio,
    may_be_value,
    overlaps,
    sought_in,
    the_only,
    told_of,
)
from grader.claims.results.numbers import MEAN, STD, numbers_in
from grader.claims.results.roles import CHOICE, Mark, reported_splits, split_of_these, split_order
from grader.claims.results.runs import ONLY_ONE, run_words, runs_named, seeds_listed
from grader.claims.results.shapes import exact_lines, numbered_lines
from grader.claims.results.table import facts_of_grid
from grader.claims.results.text import Around, Line, facts_of_line, with_labels
from grader.claims.results.vocabulary import (
    Abbreviations,
    Kind,
    abbreviations_in,
    less_compared,
    mentions,
    named_experiments,
    names_split,
)
from grader.claims.sections import Section
from grader.claims.statements import Statement, end_of_comment, sentences_of_comment
from grader.claims.tables import lost_tables, names_of_columns, parted, printed_tables
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.reading.document import Block, BlockKind

_VERBATIM: Final = (BlockKind.CODE, BlockKind.OUTPUT)
_SHORT: Final = 60
_FEW_WORDS: Final = 4
"""An item of a list that only names a split, with its sign, leads those below it: `- test set`."""
_MOST_EXAMPLES: Final = 10
"""Times the largest set: counts above that are no examples, in several runs together neither, but parameters."""
_NEAR: Final = 2
"""A table without a header goes on from the one above it if no more lines of text stand between them."""


class _Topic(NamedTuple):
    """What the text so far is about: by its headings, by its last sentences, and by the line that leads a list.
    `whole`: the split that the section's figures are of where nothing else is said; `label`: the sign behind the label
    of the line before that names an experiment; `paired`: the one behind any label of it, where an average and its
    deviation follow."""

    section: Role = Role()
    heading: Role = Role()
    sentence: Role = Role()
    whole: Role = Role()
    split: Role = Role()
    run: int | None = None
    hint: str | None = None
    order: tuple[str, str] | None = None
    among: tuple[str, ...] = ()
    sought: Sought = USUAL
    label: str = ""
    paired: str = ""
    seeds: frozenset[int] = frozenset()

    @property
    def around(self) -> Around:
        """What this says of a sentence or a table."""
        host = self.heading.or_else(self.section)
        nearest = self.sentence.or_else(host)
        told = (self.split, self.run, host.value, self.hint, self.order, self.among, self.sought, self.seeds)
        return Around(nearest, *told)


def facts(sections: Sequence[Section], lab: Lab, measure: Measure) -> list[Fact]:
    """Every number in some sections that may report a value of a measure in one of the lab's experiments."""
    about = {experiment.question: experiment.id for experiment in lab.experiments}
    wholes = [section for section in sections if not section.is_closing]
    text = "\n".join(section.passage.text for section in wholes)
    abbreviations = abbreviations_in(text, lab)
    named = [_splits_reported(section.passage.text, lab) for section in wholes]
    general = _only(frozenset().union(*named))
    found: list[Fact] = []
    unit = 0
    before = _Topic(sought=sought_in(lab, measure))
    runs = before.sought.runs
    seeds = frozenset(int(one.value) for line in text.split("\n") for one in seeds_listed(line, runs))
    for section, splits in zip(wholes, named, strict=True):
        own = frozenset(about[question] for question in section.questions if question in about)
        split = _only(splits).or_else(general)
        topic = _Topic(_only(own), whole=split, split=split, sought=before.sought, paired=before.paired, seeds=seeds)
        part, unit, before = _of_passage(section.passage, topic, lab, abbreviations, unit)
        found += _with_deviations_in_order(part)
    return [
        fact.model_copy(update={"experiment": Role(value=fact.hint)})
        if fact.hint and not fact.experiment.value
        else fact
        for fact in found
        if not is_ratio(fact.number, fact.evidence[0].quote, _MOST_EXAMPLES * max(lab.sizes.values(), default=0))
    ]


def _with_deviations_in_order(found: Sequence[Fact]) -> list[Fact]:
    """The facts, with the deviations of a list given to as many figures right before it of which each has a name of its
    own, the first being called an average: `on average 81.5 on validation, 79.3 on test. The deviations are 1.4 and
    0.6`."""
    result: list[Fact] = []
    for _, group in groupby(found, key=lambda one: (one.unit, one.statistic is Statistic.STD)):
        own = list(group)
        above = result[-len(own) :] if len(own) > 1 and own[0].statistic is Statistic.STD else []
        names = {(one.experiment.value, one.split.value) for one in above}
        is_in_turn = (
            len(own) == len(names)
            and the_only((one.experiment.value, one.split.value) for one in own) is not None
            and {one.unit for one in above} == {own[0].unit}
            and not any(one.run or one.moment.is_told or one.deviation for one in above)
            and above[0].statistic is Statistic.MEAN
        )
        if is_in_turn:
            for mean, std in zip(above, own, strict=True):
                told = {"statistic": Statistic.MEAN, "deviation": std.number}
                evidence = tuple(dict.fromkeys((*mean.evidence, *std.evidence)))
                result[result.index(mean)] = mean.model_copy(update=told | {"evidence": evidence})
        else:
            result += own
    return result


def _splits_reported(text: str, lab: Lab) -> frozenset[str]:
    """The splits that a text speaks of other than as what chooses."""
    named = set()
    for sentence in re.split(r"(?<=[.;!?])\s|\n\n", text):
        if len(sentence) < 2_000 and not CAPTION_START.match(sentence) and names_split(sentence, lab):
            named |= {mark.value for mark in reported_splits(sentence, (), mentions(sentence, lab))}
    return frozenset(named - {lab.selecting})  # spoken of alone it may only choose, in words that were not understood


def _only(named: frozenset[str]) -> Role:
    """What figures of a text are of where they do not say it themselves: the only experiment or split that is named."""
    one = the_only(named)
    return Role(value=one, nearness=Nearness.SECTION) if one else Role()


def _of_passage(
    passage: Passage, topic: _Topic, lab: Lab, abbreviations: Abbreviations, unit: int
) -> tuple[list[Fact], int, _Topic]:
    found: list[Fact] = []
    inherited: Header = ()
    end = 0
    pieces = list(_pieces(passage, lab))
    texts = ["" if isinstance(one, _Table) else one.text for one in pieces]
    exact, numbered = exact_lines(texts), numbered_lines(texts, lab)
    captioned = Role()
    level = told = 0
    for index, piece in enumerate(pieces):
        if isinstance(piece, _Table):
            unit += 1
            between = [block.text for block in passage.blocks[end : piece.first] if block.text.strip()]
            above = with_name_below(inherited, between) if len(between) <= _NEAR else ()
            above = _line_of_names(passage, piece, lab) or above
            whole = with_brackets_above(_with_whole_header(_with_names_above(passage, piece, lab), lab))
            header, rows = (piece.header, piece.rows) if piece.header else headed(whole, above)
            header, rows = less_intervals_of_columns(*with_names_below(header, rows, lab))
            inherited, end = header, piece.first + piece.length
            grid = Grid(header, tuple(rows), _beside(passage, piece))
            for part in _cut_at_names(grid, lab, topic.sought.measure) if rows else ():
                found += facts_of_grid(_widened(part, lab), passage.file, topic.around, lab, abbreviations, unit)
            continue
        if piece.starts_unit:
            unit += 1
        if piece.is_heading and piece.level <= level and any(one.statistic in _RESULTS for one in found[told:]):
            topic = topic._replace(heading=Role())  # the experiment that the last heading names has its figures
        before = _apart(topic, piece, lab, abbreviations)
        topic = _led(before, piece, lab, abbreviations)
        if piece.is_heading and topic.heading is not before.heading:
            level, told = piece.level, len(found)
        around = topic.around._replace(experiment=(topic if piece.is_heading else before).around.experiment)
        captioned = _split_of_caption(piece, captioned, lab, abbreviations)
        around = around._replace(split=captioned.or_else(around.split))
        line = Line(piece.text, piece.start, unit, is_item=piece.is_item, is_exact=index in exact)
        if index in numbered:
            run, at = numbered[index]
            line = line._replace(text=piece.text[at:], start=piece.start + at, is_exact=True)
            around = around._replace(run=run)
        label = _LABEL.match(piece.text)
        around = around._replace(is_pair=label is not None and label["sign"] == topic.paired)
        own = facts_of_line(line, passage, around, lab, abbreviations)
        topic = topic._replace(paired=label["sign"] if label and len(own) == 1 and own[0].deviation else "")
        found += own
        if said := split_of_these(piece.text, mentions(piece.text, lab, abbreviations)):
            found = _said_of_those_before(found, unit, said)
    return found, unit, topic


def _said_of_those_before(found: Sequence[Fact], unit: int, split: str) -> list[Fact]:
    """The facts, with those of a paragraph of which no words of their own tell the split given the one that a sentence
    behind them says they are of: `80.8 %. Note that this is validation accuracy.`"""
    role = {"split": Role(value=split, nearness=Nearness.CAPTION)}
    return [
        fact.model_copy(update=role) if fact.unit == unit and fact.split.nearness <= Nearness.SECTION else fact
        for fact in found
    ]


_RESULTS: Final = (Statistic.VALUE, Statistic.MEAN)


class _Table(NamedTuple):
    """A table of `length` blocks, from index `first` of the passage's blocks on; its header where that is known."""

    first: int
    length: int
    header: Header | None
    rows: list[Row]


def _line_of_names(passage: Passage, table: _Table, lab: Lab) -> Header:
    """The line right above a table as the labels of its columns, where it holds as many names; or of all but the first,
    where all of them name statistics, `test mean / std` over lines that begin with a name, or each an experiment."""
    above = passage.blocks[table.first - 1] if table.first else None
    if above is None or above.kind not in (BlockKind.LINE, *_VERBATIM) or not table.rows:
        return ()
    text, cells = normalise(above.text).text, table.rows[0].texts
    own = names_of_columns(text, len(cells) - 1, lab)
    if own and not re.search(r"\d", cells[0]) and all(MEAN.search(name) or STD.search(name) for name in own):
        return (("", *own),)
    of_each = {the_only(named_experiments(mentions(name, lab), lab)) for name in own}
    if own and not re.search(r"\d[.,]\d", cells[0]) and None not in of_each and len(of_each) == len(own):
        return (("", *own),)
    names = names_of_columns(text, len(cells), lab) if above.kind is BlockKind.LINE else ()
    return (names,) if names else ()


def _with_names_above(passage: Passage, table: _Table, lab: Lab) -> Sequence[Row]:
    """The rows of a table. Where a row or a line above it only names what the rows are of, it gets the names of the
    other columns from the row or line above: `count mean std` over `framework init`, as pandas prints."""
    rows = [row for row in table.rows[:2] if not _DIGIT.search(" ".join(row.texts))]
    lines = [Row(tuple(normalise(block.text).text.split()), block) for block in passage.blocks[: table.first][-2:]]
    above = [row._replace(texts=tuple(filter(None, row.texts))) for row in (*lines, *rows)][-2:]
    width = len(table.rows[0].texts) if table.rows else 0
    if len(above) < _PAIR or any(row.block.kind is BlockKind.HEADING for row in above):
        return table.rows
    upper, lower = above
    missing = width - len(lower.texts)
    names = names_of_columns(" ".join(upper.texts), missing, lab) if lower.texts and missing > 1 else ()
    if not names or _DIGIT.search(" ".join(lower.texts)):
        return table.rows
    return [lower._replace(texts=(*lower.texts, *names)), *table.rows[len(rows) :]]


_DIGIT: Final = re.compile(r"\d")
_PAIR: Final = 2


def _with_whole_header(rows: Sequence[Row], lab: Lab) -> Sequence[Row]:
    """The rows of a table. Where the first one misses cells and one of its cells holds as many more names, each name
    gets a cell: `seed | valid test` over three columns."""
    cells = [normalise(cell).text.strip() for cell in rows[0].block.cells] if rows else []
    missing = len(rows[0].texts) - len(cells) if cells else 0
    options = [(at, names_of_columns(text, missing + 1, lab)) for at, text in enumerate(cells)] if missing else []
    held = the_only((at, names) for at, names in options if names)
    if held is None:
        return rows
    at, names = held
    return [rows[0]._replace(texts=(*cells[:at], *names, *cells[at + 1 :])), *rows[1:]]


def _cut_at_names(grid: Grid, lab: Lab, measure: Measure) -> Iterator[Grid]:
    """A table, cut where rows of figures begin under names of their own below rows that hold none: where a page's
    lines join two tables, the columns of one tell nothing about those of the other."""
    holds = [any(_is_reported(text, measure) for text in row.texts) for row in grid.rows]
    first = holds.index(True) if True in holds else 0
    names = grid.rows[first - 1].texts if first > 1 else ()
    labels = {text for text in names if text}
    is_own = is_header(names, first=False)
    if not is_own or sum(holds[first:]) < _FEWEST_ROWS or not (len(labels) > 1 or _are_under(names, grid, first, lab)):
        yield grid
        return
    yield grid._replace(rows=grid.rows[: first - 1])
    yield grid._replace(header=(names,), rows=grid.rows[first:])


_FEWEST_ROWS: Final = 2
_PLAIN_NUMBER: Final = re.compile(r"\d{1,4}(?:[.,]\d{1,6})?%?")


def _numbers_alone(text: str) -> list[str]:
    """The numbers of a cell that holds nothing else, with blanks between them."""
    words = re.sub(r"\s%", "%", text).split()
    return words if all(map(_PLAIN_NUMBER.fullmatch, words)) else []


def _is_reported(text: str, measure: Measure) -> bool:
    """Whether a cell holds nothing but what may be values of a measure, not only whole numbers."""
    numbers = numbers_in(text, told_of(measure)) if _numbers_alone(text) else []
    return any(one.has_decimals or one.percent for one in numbers) and all(
        may_be_value(one, measure) for one in numbers
    )


def _are_under(names: Sequence[str], grid: Grid, first: int, lab: Lab) -> bool:
    """Whether a cell of a row of figures holds as many as there are names in the cell above it."""
    counts = [len(_numbers_alone(text)) for text in grid.rows[first].texts]
    return any(names_of_columns(name, count, lab) for name, count in zip(names, counts, strict=True))


def _widened(grid: Grid, lab: Lab) -> Grid:
    """A table with a column of its own for each of several figures in a cell, where as many names stand over them."""
    for index in reversed(range(len(grid.rows[0].texts))):
        cells = [row.texts[index] for row in grid.rows]
        count = the_only(len(_numbers_alone(text)) for text in cells if re.search(r"\d", text)) or 0
        options = (names_of_columns(row[index], count, lab) for row in grid.header[::-1] if index < len(row))
        names = next((one for one in options if one), ())
        if names:
            header = tuple(
                (*row[:index], *(names_of_columns(row[index], count, lab) or [row[index]] * count), *row[index + 1 :])
                for row in grid.header
            )
            rows = [
                row._replace(
                    texts=(
                        *row.texts[:index],
                        *(_numbers_alone(text) if re.search(r"\d", text) else [text] * count),
                        *row.texts[index + 1 :],
                    )
                )
                for row, text in zip(grid.rows, cells, strict=True)
            ]
            grid = grid._replace(header=header, rows=tuple(rows))
    return grid


class _Piece(NamedTuple):
    """A sentence, list item, heading, or line of code or output."""

    text: str
    start: int
    is_heading: bool
    is_lead: bool
    is_item: bool
    starts_unit: bool
    level: int = 0


def _pieces(passage: Passage, lab: Lab) -> Iterator[_Table | _Piece]:
    """The tables, sentences and lines of a passage in reading order."""
    lost = list(lost_tables(passage, lab))
    taken = {index for table in lost for index in range(table.first - 1, table.first + len(table.rows))}
    sentences: dict[int, list[Statement]] = {}
    for statement in with_labels(passage):
        sentences.setdefault(passage.index_at(statement.start), []).append(statement)
    tables = {first: _Table(first, len(blocks), None, rows_of(blocks)) for first, blocks in _tables(passage)}
    printed = {
        blocks[0][0]: _Table(blocks[0][0], blocks[-1][0] + 1 - blocks[0][0], None, rows_of([row for _, row in blocks]))
        for blocks in printed_tables(passage)
    }
    tables |= printed
    taken |= {index for table in printed.values() for index in range(table.first, table.first + table.length)}
    for one in lost:
        rows = [Row((row.label, *row.numbers), row.block) for row in one.rows]
        tables[one.first] = _Table(one.first, len(rows), (("", *one.names),), rows)
    was_verbatim = False
    last: Block | None = None
    for index, block in enumerate(passage.blocks):
        if index in tables:
            yield tables[index]
        if index in taken:
            continue
        if block.kind in _VERBATIM and block.text.strip():
            after = end_of_comment(passage.blocks, index)
            lines = sentences_of_comment(passage, index, after) if after > index + 1 else _lines(passage, index)
            for number, (line, start) in enumerate(lines):
                yield _Piece(line, start, False, False, False, starts_unit=not was_verbatim and number == 0)
            taken |= set(range(index, after))
            was_verbatim = True
        own = sentences.get(index, ()) if index not in taken else ()
        for number, statement in enumerate(own):
            is_item = block.kind is BlockKind.LIST_ITEM
            heading = block.kind is BlockKind.HEADING
            starts = number == 0 and (last is None or _is_apart(last, block))
            leads, level = statement.is_lead and not heading, (block.level or 0) if heading else 0
            yield _Piece(statement.text, statement.start, heading, leads, is_item, starts, level)
        if block.kind not in _VERBATIM and block.text.strip():
            was_verbatim, last = False, block


def _lines(passage: Passage, index: int) -> Iterator[tuple[str, int]]:
    """The lines of a block of code or output that are not empty, with their offsets."""
    start = passage.offset_of(index)
    for line in passage.text[start : passage.offset_of(index + 1)].split("\n"):
        if line.strip():
            yield line, start
        start += len(line) + 1


def _is_apart(above: Block, below: Block) -> bool:
    """Whether more than a line's usual distance lies between two blocks, items of one list excepted."""
    if below.kind is above.kind is BlockKind.LIST_ITEM:
        return False
    if BlockKind.HEADING in (above.kind, below.kind) or BlockKind.ROW in (above.kind, below.kind):
        return True
    if below.starts_paragraph:
        return True
    if above.box and below.box and above.page == below.page:
        return below.box[1] - above.box[3] > 0.8 * (above.box[3] - above.box[1])
    return above.line is not None and below.line is not None and below.line - above.line > 1


def _tables(passage: Passage) -> Iterator[tuple[int, list[Block]]]:
    first: int | None = None
    for index, block in enumerate((*passage.blocks, None)):
        is_row = block is not None and block.kind is BlockKind.ROW
        if is_row and first is None:
            first = index
        if not is_row and first is not None:
            at = first
            for rows in parted(list(passage.blocks[first:index])):
                yield at, rows
                at += len(rows)
            first = None


def _beside(passage: Passage, table: _Table) -> tuple[str, ...]:
    """The lines right above a table up to a heading, the nearest first, and a caption right below it before them."""
    above: list[str] = []
    for block in reversed(lines_above(passage.blocks, table.first, 8)):
        if block.kind is BlockKind.ROW or len(above) == 4:
            break
        if block.text.strip():
            above.append(block.text)
        if block.kind is BlockKind.HEADING:
            break
    below = caption_below(passage.blocks, table.first + table.length)
    return tuple(normalise(line).text for line in (*(block.text for block in below), *above))


_BRACKETS: Final = re.compile(r"\([^()]*\)")


_LABEL: Final = re.compile(r"\W*(?P<label>[^\W\d][\w ./-]{0,30}?)[\"'`*]*\s?(?P<sign>[:=|]|->|→)")
_COMMON: Final = re.compile(
    any_of(
        *("mean", "std", "other_statistic", "interval", "accuracy", "error", "difference"),
        *("run", "repeated", "epoch", "step"),
    ),
    re.IGNORECASE,
)


def _apart(topic: _Topic, piece: _Piece, lab: Lab, abbreviations: Abbreviations) -> _Topic:
    """What the text is about at a piece. A line with a name of its own before a sign is not about the experiment that
    the line above names in the same way: `warm: 80.1, 79.9` and then `cold: 66.2, 67.0`."""
    label = _LABEL.match(piece.text)
    if not label:
        return topic._replace(label="")
    named = mentions(label["label"], lab, abbreviations)
    if any(one.kind is Kind.EXPERIMENT for one in named):
        return topic._replace(label=label["sign"])
    if named or _COMMON.search(label["label"]) or topic.label != label["sign"]:
        return topic._replace(label="")
    return topic._replace(sentence=Role())


def _led(topic: _Topic, piece: _Piece, lab: Lab, abbreviations: Abbreviations) -> _Topic:
    """What the text is about from this piece on."""
    found = less_compared(piece.text, mentions(piece.text, lab, abbreviations))
    named = named_experiments(found, lab)
    aside = [match.span() for match in _BRACKETS.finditer(piece.text)]
    outside = [one for one in found if not overlaps(one.start, one.end, aside)]
    if len(named) > 1 and (
        plain := the_only(named_experiments(outside, lab))
    ):  # `T4 random (a copy of T3)` is about one
        named = (plain,)
    only = the_only(named)
    topic = topic._replace(sought=topic.sought.after(piece.text))
    split = the_only(mark.value for mark in reported_splits(piece.text, (), found))
    leads = piece.is_lead or (
        piece.is_item and len(piece.text.split()) <= _FEW_WORDS and not re.search(r"\d", piece.text)
    )
    if split and (piece.is_heading or (leads and not CHOICE.search(piece.text))):
        topic = topic._replace(split=Role(value=split, nearness=Nearness.CAPTION))
    elif piece.is_heading and named:
        topic = topic._replace(split=topic.whole)
    elif said := split_of_these(piece.text, found):
        topic = topic._replace(split=Role(value=said, nearness=Nearness.CAPTION))
    order = split_order(piece.text, [Mark(one.value, one.start, one.end) for one in found if one.kind is Kind.SPLIT])
    topic = topic._replace(order=order or topic.order)
    hint = next((one.value for one in found if one.kind is Kind.HINT), None)
    if piece.is_heading or hint or (len(named) > 1 and topic.hint not in named):
        topic = topic._replace(hint=hint)
    if piece.is_heading:
        heading = Role(value=only, nearness=Nearness.HEADING) if only else Role()
        heading = heading.or_else(Role() if named or _is_other(hint, topic.heading.value, lab) else topic.heading)
        return topic._replace(heading=heading, sentence=Role(), run=None, among=())
    runs = runs_named(piece.text, run_words(lab))
    is_short = len(piece.text) <= _SHORT or ONLY_ONE.search(piece.text) is not None
    run = the_only(runs) if is_short and not re.search(r"\d[.,]\d", piece.text) else None
    kept = topic.run if not runs and (piece.is_item or not piece.starts_unit) else None
    topic = topic._replace(run=int(run.value) if run else kept)
    if named:
        topic = topic._replace(among=() if only else named)
        topic = topic._replace(sentence=Role(value=only, nearness=Nearness.CAPTION) if only else Role())
    return topic


def _split_of_caption(piece: _Piece, before: Role, lab: Lab, abbreviations: Abbreviations) -> Role:
    """The split that the caption is about of which a piece is part: its later sentences speak of it, too."""
    if not CAPTION_START.match(piece.text):
        return Role() if piece.starts_unit else before
    marks = reported_splits(piece.text, (), mentions(piece.text, lab, abbreviations))
    split = the_only(mark.value for mark in marks)
    return Role(value=split, nearness=Nearness.CAPTION) if split else Role()


def _is_other(hint: str | None, experiment: str | None, lab: Lab) -> bool:
    """Whether a heading that hints at an experiment ends what a heading above it says of another one: one that is
    neither this one nor its contrary."""
    contrary = {one.contrary: one.id for one in lab.experiments if one.contrary}
    return hint is not None and experiment is not None and experiment not in (hint, contrary.get(hint))
