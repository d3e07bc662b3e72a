"""Collect all facts of a text in reading order, with what the surrounding text says about each number.

`facts` is the entry point. A `Context` (`mentions.py`) carries the information from sentence to sentence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from grader.claims.captions import (
    CAPTION_START,
    caption_below,
    lines_above,
)
from grader.claims.numerals import Numeral
from grader.claims.passage import Passage, is_behind_formula, normalise
from grader.claims.results.fact import Fact, Nearness, Role, Statistic
from grader.claims.results.grid import (
    Grid,
    Header,
    Row,
    is_header,
    less_intervals_of_columns,
    rows_of,
    split_header,
    with_names_below,
)
from grader.claims.results.measures import (
    any_of,
    is_ratio,
    may_be_value,
    overlaps,
    sought_in,
    the_only,
    told_of,
)
from grader.claims.results.mentions import Context, Line, facts_of_grid, facts_of_line, with_labels
from grader.claims.results.numbers import MEAN, STD, numbers_in
from grader.claims.results.roles import CHOICE, marks_of, only_split, reported_splits, split_of_these, split_order
from grader.claims.results.runs import ONLY_ONE, runs_named, seeds_listed
from grader.claims.results.vocabulary import (
    Kind,
    Mention,
    abbreviations_in,
    experiments_in,
    mentions,
    named_experiments,
    names_split,
)
from grader.claims.sections import Section
from grader.claims.statements import Statement, end_of_comment, sentences_of_comment
from grader.claims.tables import lost_tables, names_of_columns, printed_tables, split_tables
from grader.claims.voice import comment, words
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.language import lexicon
from grader.language.shapes import ASIDE, DIGIT
from grader.reading.document import Block, BlockKind, Voice

_VERBATIM: Final = (BlockKind.CODE, BlockKind.OUTPUT)
_SHORT: Final = 60
_FEW_WORDS: Final = 4
"""A list item with at most this many words that names only a split introduces the items below it: `- test set`."""
_MOST_EXAMPLES: Final = 10
"""Counts above this multiple of the largest split are not examples but parameters."""
_NEAR: Final = 2
"""A table without header continues the table above if at most this many lines of text stand between them."""


def facts(sections: Sequence[Section], lab: Lab, measure: Measure) -> list[Fact]:
    """Return every number in some sections that may be a value of a measure in one of the lab's experiments."""
    about = {experiment.question: experiment.id for experiment in lab.experiments}
    wholes = [section for section in sections if not section.is_closing]
    text = "\n".join(section.passage.text for section in wholes)
    # If only the split that selects is named, it may merely select checkpoints, in words that were not understood.
    named = [_splits_reported(section.passage.text, lab) - {lab.selecting} for section in wholes]
    general = _only(frozenset().union(*named))
    found: list[Fact] = []
    unit = 0
    sought = sought_in(lab, measure)
    seeds = frozenset(int(mark.value) for line in text.split("\n") for mark in seeds_listed(line, sought.runs))
    own_words = "\n".join(words(section.passage).text for section in wholes)
    before = Context(lab, abbreviations_in(own_words, lab, text), sought, seeds)
    for section, splits in zip(wholes, named, strict=True):
        own_role = _only(frozenset(about[question] for question in section.questions if question in about))
        split = _only(splits).or_else(general)
        context = Context(*before[:4], section=own_role, whole=split, split=split)
        part, unit, before = _of_passage(section.passage, context, unit)
        found += part
    return [
        fact.model_copy(update={"experiment": Role(value=fact.hint)})
        if fact.hint and not fact.experiment.value
        else fact
        for fact in found
        if not is_ratio(fact.number, fact.evidence[0].quote, _MOST_EXAMPLES * max(lab.sizes.values(), default=0))
    ]


def _with_selecting(found: Sequence[Fact], parts: Sequence[tuple[int, int]], text: str, lab: Lab) -> list[Fact]:
    """Return the facts, with the split that selects for values without a nearer split.

    Their part of the text must name only this split, and their values must be shares of its number of examples. `parts`
    gives the beginning of each part in the text and among the facts, and the end.
    """
    result: list[Fact] = []
    for (start, first), (end, last) in pairwise(parts):
        afar = [fact for fact in found[first:last] if fact.split.is_from_afar]
        values = [fact.number for fact in afar if fact.statistic is Statistic.VALUE]
        are_possible = _are_shares(values, lab.sizes.get(lab.selecting or "") or 0)
        if are_possible and _splits_reported(text[start:end], lab) == {lab.selecting}:
            own_split = {"split": Role(value=lab.selecting, nearness=Nearness.SECTION)}
            result += [fact.model_copy(update=own_split) if fact in afar else fact for fact in found[first:last]]
        else:
            result += found[first:last]
    return result


def _are_shares(values: Sequence[Numeral], examples: int) -> bool:
    """Whether several percentages with decimals are all shares of a number of examples."""
    fit = [value.resolution < 1 and value.value * examples % _HUNDRED == 0 for value in values]
    return len(fit) >= _PAIR and examples > 0 and all(fit)


def _splits_reported(text: str, lab: Lab) -> frozenset[str]:
    """Return the splits that a text names other than for selecting checkpoints."""
    named = set()
    for sentence in re.split(r"(?<=[.;!?])\s|\n\n", text):
        if len(sentence) < 2_000 and not CAPTION_START.match(sentence) and names_split(sentence, lab):
            named |= {mark.value for mark in reported_splits(sentence, (), mentions(sentence, lab))}
    return frozenset(named)


def _only(named: frozenset[str]) -> Role:
    """Return the only experiment or split that a text names, as the role of values that name none."""
    name = the_only(named)
    return Role(value=name, nearness=Nearness.SECTION) if name else Role()


def _of_passage(passage: Passage, context: Context, unit: int) -> tuple[list[Fact], int, Context]:
    """Return the facts of a passage, the number of its last unit, and the context for the following text."""
    lab = context.lab
    found: list[Fact] = []
    inherited: Header = ()
    end = level = heading_start = 0
    captioned, alone = Role(), (0, Role(), Role())
    pieces = list(_pieces(passage, lab))
    texts = ["" if isinstance(candidate, _Table) else candidate.text for candidate in pieces]
    exact, runs = _exact_lines(texts), _numbered_lines(texts, lab)
    parts = [(0, 0)]
    led, about = context, set[str | None]()
    for index, piece in enumerate(pieces):
        led, about, context = _less_list(piece, led, about, context)
        if isinstance(piece, _Table):
            unit += 1
            grid = _grid(passage, piece, inherited, end, lab)
            inherited, end = grid.header, piece.first + piece.length
            for part in _cut_at_names(grid, lab, context.sought.measure) if grid.rows else ():
                found += facts_of_grid(part, passage.file, context, unit)
            continue
        unit += piece.starts_unit
        block = passage.block_at(piece.start)
        line = _said(piece, block)._replace(unit=unit, is_exact=index in exact)
        if line.is_heading:
            parts.append((piece.start, len(found)))
        if line.is_heading and line.level <= level and any(fact.statistic.is_rate for fact in found[heading_start:]):
            context = context._replace(heading=Role())  # the experiment of the last heading has its values already
        before = _apart(context, line)
        context = _led(before, line)
        about |= {context.sentence.value} if line.is_item else set()
        if line.is_heading and context.heading is not before.heading:
            level, heading_start = line.level, len(found)
        captioned = _split_of_caption(line, captioned, context)
        # A sentence that names nothing is about the subject of the sentence before.
        around = context._replace(
            sentence=context.sentence if line.is_heading else before.sentence,
            split=captioned.or_else(alone[1] if alone[::2] == (unit, context.sentence) else context.split),
        )
        if index in runs:
            run, at = runs[index]
            line = line._replace(text=line.text[at:], start=line.start + at, is_exact=True)
            around = around._replace(run=run)
        own_facts = _in_voice(facts_of_line(line, passage, around), block)
        found += own_facts
        if split := only_split(piece.text, context.mentions(piece.text)):
            # The rest of the paragraph is about this split until it names another experiment.
            alone = unit, Role(value=split, nearness=Nearness.CAPTION), context.sentence
        if earlier_split := split_of_these(piece.text, context.mentions(piece.text)):
            # A later sentence may name the split: `80.8 %. Note that this is validation accuracy.`
            role = {"split": Role(value=earlier_split, nearness=Nearness.CAPTION)}
            found = [
                fact.model_copy(update=role) if fact.unit == unit and fact.split.is_from_afar else fact
                for fact in found
            ]
    parts.append((len(passage.text), len(found)))
    return _with_selecting(found, parts, passage.text, lab), unit, context


def _said(line: Line, block: Block) -> Line:
    """Return the part of a line that states something. In code without data, only comments do."""
    if block.voice is not Voice.CODE or block.cell is None:
        return line
    if comment(line.text) is None and comment(block.text) == block.text.strip():
        return line  # part of a remark over several lines, without their signs
    remark = comment(line.text) or ""
    return line._replace(text=remark, start=line.start + len(line.text) - len(remark))


def _in_voice(found: Sequence[Fact], block: Block) -> list[Fact]:
    """Return the facts of a line that its voice can report.

    A whole number in code is a setting unless it belongs to a list. The words of a program are hardly about results.
    """
    if block.voice in (Voice.CODE, Voice.TYPED):
        return [fact for fact in found if fact.number.has_decimals or fact.number.percent or fact.run is not None]
    if block.voice is Voice.FIGURES and re.search(r"[^\W\d_]{2}", block.text):
        return [fact.model_copy(update={"is_aside": True}) for fact in found]
    return list(found)


class _Table(NamedTuple):
    """A table of `length` blocks, from block `first` on, with its header if known."""

    first: int
    length: int
    header: Header | None
    rows: list[Row]


def _grid(passage: Passage, table: _Table, inherited: Header, end: int, lab: Lab) -> Grid:
    """Return a table as a grid. It may have `inherited` the header of a table that ends at the block `end`."""
    between = [block.text for block in passage.blocks[end : table.first] if block.text.strip()]
    above = inherited if len(between) <= _NEAR else ()
    above = _line_of_names(passage, table, lab) or above
    whole = _with_names_above(passage, table, lab)
    header, rows = (table.header, table.rows) if table.header else split_header(whole, above)
    header = _less_answers(header, rows, lab)
    header, rows = less_intervals_of_columns(*with_names_below(header, rows, lab))
    return Grid(header, tuple(rows), _beside(passage, table))


def _less_answers(header: Header, rows: Sequence[Row], lab: Lab) -> Header:
    """Return the header of a table without rows that are answers, such as `T3 chosen by | accuracy on validation`."""
    names = [texts[0] for texts in (*header, *(row.texts for row in rows[:1])) if len(texts) == _PAIR]
    are_answers = [bool(experiments_in(name, lab)) for name in names]
    if len(names) <= len(header) or not are_answers[-1] or not any(are_answers[:-1]):
        return header
    return () if are_answers[0] else header[:1]


def _line_of_names(passage: Passage, table: _Table, lab: Lab) -> Header:
    """Return the line above a table as its column labels, if it has as many names as columns.

    It may have one name fewer if all of them name statistics, as in `test mean / std`, or each names an experiment.
    """
    above = passage.blocks[table.first - 1] if table.first else None
    if above is None or above.kind not in (BlockKind.LINE, *_VERBATIM) or not table.rows:
        return ()
    text, cells = normalise(above.text).text, table.rows[0].texts
    value_names = names_of_columns(text, len(cells) - 1, lab)
    if len(cells) == _PAIR and MEAN.search(text) and STD.search(text) and not DIGIT.search(text):
        return (("", text),)  # `test mean / std` above `random | 66.9 / 0.6`
    if (
        value_names
        and not re.search(r"\d", cells[0])
        and all(MEAN.search(name) or STD.search(name) for name in value_names)
    ):
        return (("", *value_names),)
    of_each = {the_only(named_experiments(mentions(name, lab), lab)) for name in value_names}
    if (
        value_names
        and not re.search(r"\d[.,]\d", cells[0])
        and None not in of_each
        and len(of_each) == len(value_names)
    ):
        return (("", *value_names),)
    names = names_of_columns(text, len(cells), lab) if above.kind is BlockKind.LINE else ()
    return (names,) if names else ()


def _with_names_above(passage: Passage, table: _Table, lab: Lab) -> Sequence[Row]:
    """Return the rows of a table with names from the row or line above, as pandas prints them.

    For example, `count mean std` stands above `framework init`, which only names the row labels.
    """
    rows = [row for row in table.rows[:2] if not DIGIT.search(" ".join(row.texts))]
    lines = [Row(tuple(normalise(block.text).text.split()), block) for block in passage.blocks[: table.first][-2:]]
    above = [row._replace(texts=tuple(filter(None, row.texts))) for row in (*lines, *rows)][-2:]
    width = len(table.rows[0].texts) if table.rows else 0
    if len(above) < _PAIR or any(row.block.kind is BlockKind.HEADING for row in above):
        return table.rows
    upper, lower = above
    if table.rows and not rows and is_header(table.rows[0].texts, first=True):
        return table.rows  # the lines above are text
    missing = width - len(lower.texts)
    names = names_of_columns(" ".join(upper.texts), missing, lab) if lower.texts and missing > 1 else ()
    if not names or DIGIT.search(" ".join(lower.texts)):
        return table.rows
    return [lower._replace(texts=(*lower.texts, *names)), *table.rows[len(rows) :]]


_HUNDRED: Final = 100
_PAIR: Final = 2


def _less_list(
    piece: "_Table | Line", led: Context, about: set[str | None], context: Context
) -> tuple[Context, set[str | None], Context]:
    """Return the context before a list, the experiments of its items so far, and the context of a piece.

    The names in the last of several items do not apply after the list.
    """
    if isinstance(piece, Line) and piece.is_item:
        return led if about else context, about, context
    if len(about) > 1:
        context = context._replace(sentence=led.sentence, hint=led.hint)
    return context, set(), context


def _cut_at_names(grid: Grid, lab: Lab, measure: Measure) -> Iterator[Grid]:
    """Yield the parts of a table, cut where rows of values begin under their own names. The lines of a page may join
    two tables."""
    holds = [any(_is_reported(text, measure) for text in row.texts) for row in grid.rows]
    first = holds.index(True) if True in holds else 0
    names = grid.rows[first - 1].texts if first > 1 else ()
    labels = set(filter(None, names))
    is_own = is_header(names, first=False)
    if not is_own or sum(holds[first:]) < _FEWEST_ROWS or len(labels) <= 1:
        yield grid
        return
    yield grid._replace(rows=grid.rows[: first - 1])
    yield grid._replace(header=_less_answers((names,), grid.rows[first:], lab), rows=grid.rows[first:])


_FEWEST_ROWS: Final = 2
_PLAIN_NUMBER: Final = re.compile(r"\d{1,4}(?:[.,]\d{1,6})?%?")


def _numbers_alone(text: str) -> list[str]:
    """Return the numbers of a cell that contains nothing else."""
    words = re.sub(r"\s%", "%", text).split()
    return words if all(map(_PLAIN_NUMBER.fullmatch, words)) else []


def _is_reported(text: str, measure: Measure) -> bool:
    """Whether a cell contains only possible values of a measure, not all of them whole numbers."""
    numbers = numbers_in(text, told_of(measure)) if _numbers_alone(text) else []
    return any(number.has_decimals or number.percent for number in numbers) and all(
        may_be_value(number, measure) for number in numbers
    )


def _pieces(passage: Passage, lab: Lab) -> Iterator[_Table | Line]:
    """Yield the tables, sentences and lines of a passage in reading order."""
    lost = list(lost_tables(passage, lab))
    taken = {index for table in lost for index in range(table.first - 1, table.first + len(table.rows))}
    tables = {first: _Table(first, len(blocks), None, rows_of(blocks)) for first, blocks in _tables(passage)}
    printed = {
        blocks[0][0]: _Table(blocks[0][0], blocks[-1][0] + 1 - blocks[0][0], None, rows_of([row for _, row in blocks]))
        for blocks in printed_tables(passage)
    }
    tables |= printed
    taken |= {index for table in printed.values() for index in range(table.first, table.first + table.length)}
    sentences = _sentences(passage, taken)
    for lost_table in lost:
        rows = [Row((row.label, *row.numbers), row.block) for row in lost_table.rows]
        tables[lost_table.first] = _Table(lost_table.first, len(rows), (("", *lost_table.names),), rows)
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
                yield Line(line, start, starts_unit=not was_verbatim and number == 0)
            taken |= set(range(index, after))
            was_verbatim = True
        block_sentences = sentences.get(index, ()) if index not in taken else ()
        for number, statement in enumerate(block_sentences):
            is_item = block.kind is BlockKind.LIST_ITEM
            heading = block.kind is BlockKind.HEADING
            starts = number == 0 and (last is None or _is_apart(last, block))
            leads, level = statement.is_lead and not heading, (block.level or 0) if heading else 0
            yield Line(statement.text, statement.start, heading, leads, is_item, starts, level)
        if block.kind not in _VERBATIM and block.text.strip():
            was_verbatim, last = False, block


def _sentences(passage: Passage, taken: Set[int]) -> dict[int, list[Statement]]:
    """Return the statements of a passage by the block in which they start.

    If that block is `taken` as a row of a table, a statement starts in the line below the table.
    """
    found: dict[int, list[Statement]] = {}
    for statement in with_labels(passage):
        first = start = passage.index_at(statement.start)
        while first in taken and passage.offset_of(first + 1) < statement.end:
            first += 1
        if first > start:
            rest = passage.text[passage.offset_of(first) : statement.end].replace("\n", " ")
            statement = statement.model_copy(update={"text": rest, "start": passage.offset_of(first)})
        found.setdefault(first, []).append(statement)
    return found


def _lines(passage: Passage, index: int) -> Iterator[tuple[str, int]]:
    """Yield the nonempty lines of a block of code or output with their offsets."""
    start = passage.offset_of(index)
    for line in re.finditer(r"[^\n]*\S[^\n]*", passage.text[start : passage.offset_of(index + 1)]):
        yield line.group(), start + line.start()


def _is_apart(above: Block, below: Block) -> bool:
    """Whether the distance between two blocks is more than the usual line distance. Items of one list are not apart."""
    if below.kind is above.kind is BlockKind.LIST_ITEM:
        return False
    if BlockKind.HEADING in (above.kind, below.kind) or BlockKind.ROW in (above.kind, below.kind):
        return True
    if below.starts_paragraph or is_behind_formula(above, below):
        return True
    if above.box and below.box and above.page == below.page:
        # A line that contains a fraction is higher than the other one.
        usual = min(box[3] - box[1] for box in (above.box, below.box))
        return below.box[1] - above.box[3] > 0.8 * usual
    return above.line is not None and below.line is not None and below.line - above.line > 1


def _tables(passage: Passage) -> Iterator[tuple[int, list[Block]]]:
    first: int | None = None
    for index, block in enumerate((*passage.blocks, None)):
        is_row = block is not None and block.kind is BlockKind.ROW
        if is_row and first is None:
            first = index
        if not is_row and first is not None:
            at = first
            for rows in split_tables(list(passage.blocks[first:index])):
                yield at, rows
                at += len(rows)
            first = None


def _beside(passage: Passage, table: _Table) -> tuple[str, ...]:
    """Return the lines above a table up to a heading, the nearest first, after a caption directly below the table."""
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


_LABEL: Final = re.compile(
    r"(?P<indent>\s*)\W*(?P<label>[^\W\d][\w ./-]{0,30}?(?P<bracket>\d[\"'`*]*\s?\([^()\n]{1,60})?)[\"'`*]*\s?"
    r"(?P<sign>(?(bracket)\)|(?:[:=|]|->|→)))"
)
"""A name before a sign, or a numbered name with a remark in brackets: `Exp 2 (without pretraining)`."""
_NUMBERED: Final = r"(?P<indent>\s*)\W*(?P<label>(?P<sign>[^\W\d]{3,20}) \d{1,2})\s+(?=[^\W\d])"
"""A numbered name that begins a line: `model 2 only reaches`."""
_COMMON: Final = re.compile(
    any_of(
        *("mean", "deviation", "other_statistic", "interval", "accuracy", "error", "difference"),
        *("run", "repeated", "epoch", "step"),
    ),
    re.IGNORECASE,
)


def _apart(context: Context, line: Line) -> Context:
    """Return the context at a line with a label.

    A line with its own label is not about the experiment of the line above if that has the same form: `warm: 80.1,
    79.9` and then `cold: 66.2, 67.0`. Lines with values below a single name, or with more indentation, are about it.
    """
    label = _LABEL.match(line.text) or re.match(_NUMBERED, line.text)
    if not label:
        return context._replace(label="")
    form = f"{label['indent']}{label['sign']}{'' if line.text[label.end() :].strip() else '…'}"
    named = context.mentions(label["label"])
    if any(mention.kind is Kind.EXPERIMENT for mention in named):
        return context._replace(label=form)
    if named or _COMMON.search(label["label"].partition("(")[0]) or context.label != form:
        return context._replace(label="")
    return context._replace(sentence=Role())


def _led(context: Context, line: Line) -> Context:
    """Return the context from this line on."""
    text, lab = line.text, context.lab
    found = context.mentions(text)
    named = named_experiments(found, lab)
    if len(named) > 1:  # `T4 random (a copy of T3)` is about one
        aside = [match.span() for match in ASIDE.finditer(text)]
        outside = named_experiments(
            (mention for mention in found if not overlaps(mention.start, mention.end, aside)), lab
        )
        named = outside if len(outside) == 1 else named
    only = the_only(named)
    context = context._replace(
        sought=context.sought.with_text(text),
        split=_split_led(context, line, found, is_new=line.is_heading and bool(named)),
        order=split_order(text, marks_of(found, Kind.SPLIT)) or context.order,
    )
    hint = next((mention.value for mention in found if mention.kind is Kind.HINT), None)
    if line.is_heading or hint or (only is None and named and context.hint not in named):
        context = context._replace(hint=hint)
    if line.is_heading:
        # A heading that hints at an experiment ends the scope of the heading above, unless that names its contrary.
        contrary = next((experiment.id for experiment in lab.experiments if hint and experiment.contrary == hint), None)
        is_over = bool(named) or (hint is not None and context.heading.value not in (None, hint, contrary))
        heading = Role(value=only, nearness=Nearness.HEADING) if only else Role() if is_over else context.heading
        return context._replace(heading=heading, sentence=Role(), run=None, among=())
    runs = runs_named(text, context.sought.runs)
    is_short = len(text) <= _SHORT or ONLY_ONE.search(text) is not None
    run = the_only(runs) if is_short and not re.search(r"\d[.,]\d", text) else None
    kept = context.run if not runs and (line.is_item or not line.starts_unit) else None
    context = context._replace(run=int(run.value) if run else kept)
    if not named or (only and _only_refers(line, only, found, context)):
        return context
    sentence = Role(value=only, nearness=Nearness.CAPTION) if only else Role()
    return context._replace(among=() if only else named, sentence=sentence)


def _only_refers(line: Line, experiment: str, found: Sequence[Mention], context: Context) -> bool:
    """Whether a sentence only refers to another experiment by its question's number: `I ran this before T4`.

    Then the following text is not about that experiment.
    """
    if context.experiment.value in (None, experiment) or line.is_lead or line.is_item:
        return False
    own_mentions = [mention for mention in found if mention.kind is Kind.EXPERIMENT and mention.value == experiment]
    is_in_section = context.section.value not in (None, experiment)
    return all(
        re.search(r"\d", line.text[mention.start : mention.end])
        and (before := line.text[: mention.start]).strip()
        and (is_in_section or lexicon.search(r"<supposing|compared_with>(?:\s\w+)?\s*$", before))
        for mention in own_mentions
    )


def _split_led(context: Context, line: Line, found: Sequence[Mention], *, is_new: bool) -> Role:
    """Return the split of values from a line on, unless they name one.

    It is the split of a heading, of a line that introduces a list, or of a sentence about the surrounding values.
    `is_new`: another experiment begins.
    """
    text = line.text
    split = the_only(mark.value for mark in reported_splits(text, (), found))
    is_short_item = line.is_item and len(text.split()) <= _FEW_WORDS and not re.search(r"\d", text)
    leads = line.is_heading or ((line.is_lead or is_short_item) and not CHOICE.search(text))
    if not (split and leads):
        split = None if is_new else split_of_these(text, found)
    role = context.whole if is_new else context.split
    return Role(value=split, nearness=Nearness.CAPTION) if split else role


def _split_of_caption(line: Line, before: Role, context: Context) -> Role:
    """Return the split of the caption to which a line belongs."""
    if not CAPTION_START.match(line.text):
        return Role() if line.starts_unit else before
    split = the_only(mark.value for mark in reported_splits(line.text, (), context.mentions(line.text)))
    return Role(value=split, nearness=Nearness.CAPTION) if split else Role()


_WRITTEN: Final = re.compile(r"\d+(?P<decimals>[.,]\d+)?(?:\s?%)?")


def _exact_lines(texts: Sequence[str]) -> set[int]:
    """Return the positions of lines that differ only in their numbers, one of which has decimals.

    For example, `seed 1: 79.5` above `seed 2: 80`.
    """
    shapes = [_WRITTEN.sub("#", text) for text in texts]
    found: set[int] = set()
    for shape, group in groupby(range(len(texts)), key=shapes.__getitem__):
        places = list(group)
        if (
            shape
            and len(places) > 1
            and any(match["decimals"] for at in places for match in _WRITTEN.finditer(texts[at]))
        ):
            found.update(places)
    return found


_NUMBERS: Final = re.compile(r"\s*(?P<run>\d{1,6})[\s:,)]+(?:\d{2,5}\s+)?\d{1,2}[.,]\d{1,8}\s?%?\s*")


def _numbered_lines(texts: Sequence[str], lab: Lab) -> Mapping[int, tuple[int, int]]:
    """Return the run and the end of its number for lines that contain only numbers, as `print(seed, accuracy)` prints
    them.

    There must be as many such lines as some experiment has runs, with different whole numbers. Numbers from 1 on may be
    epochs.
    """
    asked = {lab.repetition_of(experiment.id).number for experiment in lab.experiments}
    found = [_NUMBERS.fullmatch(text) for text in texts]
    result: dict[int, tuple[int, int]] = {}
    for is_such, group in groupby(enumerate(found), key=lambda entry: entry[1] is not None):
        runs = {at: (int(match["run"]), match.end("run")) for at, match in group if match is not None}
        named = [run for run, _ in runs.values()]
        if is_such and len(named) in asked and len({*named}) == len(named) > 1 and named != [*range(1, len(named) + 1)]:
            result |= runs
    return result
