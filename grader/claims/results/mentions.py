"""Collect the facts of sentences, list items, captions, lines of code or output, and table cells.

The nearest words win, in this order: the number's own text; the labels of its column, row and group of rows; the
caption or the lines beside a table; the sentence before; the heading; the section.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Final, NamedTuple

from grader.claims.captions import CAPTION_START
from grader.claims.numerals import Numeral
from grader.claims.passage import Passage
from grader.claims.results.fact import (
    MOMENT_HEADER,
    Fact,
    Moment,
    Nearness,
    Role,
    Statistic,
    as_floats,
    chosen_and_last,
    follows,
    is_exact,
    is_share,
    moment_around,
    moment_of_cell,
    moment_of_labels,
    moments_of_columns,
    number_runs,
    whole_in,
    without_doubles,
)
from grader.claims.results.grid import (
    NO,
    YES,
    Columns,
    Grid,
    column_label,
    counted_on,
    fill_labels,
    is_header,
    is_label,
    less_numbered,
    less_unit,
    lowest_label,
    with_first_group,
)
from grader.claims.results.measures import (
    USUAL,
    MeasureSearch,
    is_count,
    may_be_deviation,
    may_be_value,
    overlaps,
    sizes_of,
    the_only,
    told_of,
    with_last_zeros,
)
from grader.claims.results.numbers import (
    MEAN,
    OTHER,
    STD,
    Figure,
    figures_in,
    is_other_measure,
    names_statistics,
    numbers_in,
)
from grader.claims.results.roles import (
    BREAK,
    CHOICE,
    Mark,
    align_marks,
    experiments_of,
    less_rivals,
    marks_of,
    number_lists,
    order_of_pairs,
    pair_in,
    reported_splits,
    split_in,
    split_of_size,
    split_order,
    splits_of,
    spread,
)
from grader.claims.results.runs import runs_named, seeds_listed
from grader.claims.results.vocabulary import (
    Abbreviations,
    Kind,
    Mention,
    less_compared,
    mentions,
    named_experiments,
)
from grader.claims.statements import Statement, statements
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.language.shapes import LETTER
from grader.reading.document import Block, Evidence

LONGEST: Final = 1_500
"""A longer sentence, in characters, is a log or a table whose structure was lost."""


class Context(NamedTuple):
    """The information that the text so far gives about the following text."""

    lab: Lab
    abbreviations: Abbreviations = ()
    sought: MeasureSearch = USUAL
    seeds: frozenset[int] = frozenset()
    section: Role = Role()
    heading: Role = Role()
    sentence: Role = Role()
    whole: Role = Role()
    """The split of the section's values unless something else is stated."""
    split: Role = Role()
    run: int | None = None
    hint: str | None = None
    """The experiment that words suggest without naming it."""
    order: tuple[str, str] | None = None
    """The order in which pairs of splits are written."""
    among: tuple[str, ...] = ()
    """The experiments that the sentence before names together."""
    label: str = ""
    """The form of the label of the line before, if it names an experiment."""

    @property
    def experiment(self) -> Role:
        """The experiment that the nearest words name."""
        return self.sentence.or_else(self.host)

    @property
    def host(self) -> Role:
        """The experiment of the heading or the section."""
        return self.heading.or_else(self.section)

    def mentions(self, text: str) -> list[Mention]:
        """Return the experiments and splits that a text names, without those that it says not to compare with."""
        return less_compared(text, mentions(text, self.lab, self.abbreviations))

    def experiments(self, text: str) -> tuple[str, ...]:
        """Return the experiments that a text names."""
        return named_experiments(self.mentions(text), self.lab)

    def hint_in(self, found: Iterable[Mention]) -> str | None:
        """Return the experiment that a text hints at, or else the one that the text before hints at."""
        return next((mention.value for mention in found if mention.kind is Kind.HINT), self.hint)

    def experiments_like(self, experiment: str | None) -> tuple[str, ...]:
        """Return the experiments whose names may also mean this one in a text about it."""
        return next((candidate.like for candidate in self.lab.experiments if candidate.id == experiment), ())


class Line(NamedTuple):
    """A sentence, list item, heading, or line of code or output, at an offset of a passage.

    `unit` is the number of its paragraph, list or block. `is_exact`: similar lines beside it have decimals.
    """

    text: str
    start: int
    is_heading: bool = False
    is_lead: bool = False
    is_item: bool = False
    starts_unit: bool = False
    level: int = 0
    unit: int = 0
    is_exact: bool = False


class _Head(NamedTuple):
    """A number with the deviation that is attached to it."""

    number: Numeral
    statistic: Statistic
    deviation: Numeral | None = None


def _heads(figures: Sequence[Figure]) -> list[_Head]:
    """Return the numbers, each average with its attached deviation."""
    behind = (*(figure.number if figure.attached else None for figure in figures[1:]), None)
    return [
        _Head(figure.number, figure.statistic, std if figure.statistic is Statistic.MEAN else None)
        for figure, std in zip(figures, behind, strict=False)
        if not figure.attached
    ]


_ALONE: Final = re.compile(r"\W*\d{1,3}(?:[.,]\d+)?\s?%?\W*")
_FEW_NAMES: Final = 6


def with_labels(passage: Passage) -> Iterator[Statement]:
    """Yield the statements of a passage. A number alone is joined with the name of its statistic above or below it.

    For example, `79.4 %` above `average accuracy`.
    """
    found = statements(passage)
    index = 0
    while index < len(found):
        kinds = [
            "number"
            if _ALONE.fullmatch(statement.text)
            else "name"
            if len(statement.text.split()) <= _FEW_NAMES
            and not re.search(r"\d", statement.text)
            and (MEAN.search(statement.text) or STD.search(statement.text))
            else ""
            for statement in found[index : index + 3]
        ]
        if kinds[:2] == ["name", "number"] or (kinds[:2] == ["number", "name"] and kinds[2:] != ["number"]):
            start, end = found[index].start, found[index + 1].end
            text = passage.text[start:end].replace("\n", " ")
            yield found[index].model_copy(update={"text": text, "end": end, "is_lead": False})
            index += 2
        else:
            yield found[index]
            index += 1


def facts_of_line(line: Line, passage: Passage, context: Context) -> list[Fact]:
    """Return the facts of a sentence or line.

    If it mentions the selected and the last checkpoint, each part has its own moment and the same experiment and split,
    unless it names others.
    """
    if len(line.text) > LONGEST or not re.search(r"\d", line.text):
        return []
    facts: list[Fact] = []
    for part, kind in _by_checkpoint(line, context.sought):
        part_facts = _facts_of_part(part, passage, context)
        moment_update = {"is_chosen": kind == "chosen", "is_end": kind == "last"} if kind else {}
        facts += [
            fact.model_copy(update={"moment": fact.moment.model_copy(update=moment_update)}) for fact in part_facts
        ]
        if facts:
            context = context._replace(sentence=facts[-1].experiment, split=facts[-1].split)
    return facts


def _by_checkpoint(line: Line, sought: MeasureSearch) -> Iterator[tuple[Line, str | None]]:
    """Yield the parts of a line about the selected (`chosen`) and the last checkpoint (`last`); None if it is not about
    both."""
    marks = [Mark(*entry) for entry in chosen_and_last(line.text)]
    numbers = [figure.number for figure in figures_in(line.text, sought) if figure.statistic.is_rate] if marks else []
    kinds = align_marks(line.text, numbers, marks)
    start, last = 0, None
    if len({*kinds} - {None}) > 1:
        places = [(number.start, number.end, kind) for number, kind in zip(numbers, kinds, strict=True)]
        places += [(mark.start, mark.end, mark.value) for mark in marks]
        for (_, end, kind), (following, _, other) in pairwise(sorted(place for place in places if place[2])):
            if kind != other:
                cut = max((match.end() for match in BREAK.finditer(line.text, end, following)), default=following)
                yield line._replace(text=line.text[start:cut], start=line.start + start), kind
                start = cut
            last = other
    yield line._replace(text=line.text[start:], start=line.start + start), last


class _Sentence(NamedTuple):
    """The numbers of a sentence with its mentions. `runs` maps offsets of values to runs that the form of the line
    shows."""

    text: str
    figures: list[Figure]
    found: list[Mention]
    runs: dict[int, int]

    @property
    def rates(self) -> list[Numeral]:
        """The values of the measure: of one run, or averages."""
        return [figure.number for figure in self.figures if figure.statistic.is_rate]

    @property
    def values(self) -> list[Numeral]:
        """The values of single runs."""
        return [figure.number for figure in self.figures if figure.statistic is Statistic.VALUE]


def _sentence(text: str, context: Context) -> _Sentence:
    """Return the numbers of a text that may be values of the measure, each with its statistic."""
    sought = context.sought
    opened = _opening_seed(text, context.seeds)
    seeds = [mark[1:] for mark in (*opened, *seeds_listed(text, sought.runs))]
    figures = [
        figure
        for figure in figures_in(text, sought)
        if figure.number.has_decimals or not overlaps(figure.number.start, figure.number.end, seeds)
    ]
    places = [(figure.number.start, figure.number.end) for figure in figures]
    found = less_rivals(text, context.mentions(text), places)
    figures, runs = _totalled(text, _in_pairs(text, _of_measure(text, figures, sought), found, sought))
    sentence = _Sentence(text, figures, found, runs)
    return sentence._replace(
        runs=runs or {number.start: int(mark.value) for mark in opened for number in sentence.values}
    )


def _facts_of_part(line: Line, passage: Passage, context: Context) -> list[Fact]:
    """Return the facts of a sentence or line, or of a part of it."""
    sentence = _sentence(line.text, context)
    is_telling = _is_telling(sentence, line, context.sought)
    if is_telling is None:
        return []
    named = dict(zip(_starts(sentence.rates), _experiments(sentence, context), strict=True))
    only = the_only(named.values())  # a deviation beside the values belongs to the same experiment
    splits = _splits(sentence, context)
    runs = _runs(sentence, context, splits)
    name = _NAME.search(line.text) if line.is_item else None  # `books_random/seed_` in `books_random/seed_0: 65.4`
    series = _RUN_NUMBER.sub("#", name.group()) if name else ""
    hint = context.hint_in(sentence.found)
    facts: list[Fact] = []
    for number, statistic, deviation in _heads(sentence.figures):
        if statistic is Statistic.OTHER and not may_be_deviation(number, context.sought.measure):
            continue
        end = deviation.end if deviation else number.end
        experiment = named.get(number.start, only)
        facts.append(
            Fact(
                number=number,
                statistic=statistic,
                experiment=_role(experiment, Nearness.SENTENCE).or_else(context.experiment),
                split=_role(splits.get(number.start), Nearness.SENTENCE).or_else(context.split),
                run=runs.get(number.start) if statistic is Statistic.VALUE else None,
                moment=_moment(line.text, number.start, end, sentence.figures),
                deviation=deviation,
                unit=line.unit,
                series=f"{series}|{experiment or ''}",
                among=context.among,
                is_telling=is_telling or bool(runs),
                hint=hint,
                evidence=(passage.evidence(line.start + number.start, line.start + end),),
            )
        )
    return facts


def _is_telling(sentence: _Sentence, line: Line, sought: MeasureSearch) -> bool | None:
    """Whether a sentence says that its numbers are values of the measure; None if they probably are not."""
    # A whole number that is called an average and has a deviation counts as exact.
    are_exact = any(
        is_exact(head.number) or head.deviation for head in _heads(sentence.figures) if head.statistic.is_rate
    )
    is_named = sought.names(sentence.text)
    names_split = Kind.SPLIT in {mention.kind for mention in sentence.found}
    signs = (is_named, sizes_of(sentence.text, sought), names_split, line.is_item and are_exact, line.is_exact)
    if not sentence.figures or (sentence.rates and not any((*signs, are_exact))):
        return None
    if sought.is_counted or is_named or _may_report(sentence.text, sentence.figures, bool(sentence.found), sought):
        return any(signs)
    return None


def _experiments(sentence: _Sentence, context: Context) -> Iterator[str | None]:
    """Yield the experiment of each value in a sentence.

    In a section about an experiment that is `like` another, the other's name means the section's experiment, unless it
    is the number of its question, such as `T3`.
    """
    asked = {
        mention.value for mention in sentence.found if re.search(r"\d", sentence.text[mention.start : mention.end])
    }
    host = context.host.value
    for name in experiments_of(sentence.text, sentence.rates, sentence.found, context.lab):
        yield host if name not in asked and name in context.experiments_like(host) else name


def _splits(sentence: _Sentence, context: Context) -> dict[int, str | None]:
    """Return the splits of values and averages in a sentence, by offset: by name, by the order of pairs, or by example
    counts."""
    splits = dict(zip(_starts(sentence.rates), splits_of(sentence.text, sentence.rates, sentence.found), strict=True))
    splits |= _splits_in_order(sentence, context, is_open=not any(splits.values()))
    sizes = {split: size for split, size in context.lab.sizes.items() if size}
    own_splits = {examples: split for split, examples in context.lab.sizes.items()}
    counted = sizes_of(sentence.text, context.sought).items()
    splits |= {start: own_splits[size] for start, size in counted if size in own_splits and start in splits}
    return _possible(splits, number_lists(sentence.text, sentence.values), sizes)


def _splits_in_order(sentence: _Sentence, context: Context, *, is_open: bool) -> dict[int, str]:
    """Return the splits of values in pairs, in the order in which the sentence names two splits.

    If it names none (`is_open`), the order that the text above gives counts.
    """
    figures = [figure for figure in sentence.figures if not figure.attached]
    first = figures[0].number.start if figures else 0
    own_order = split_order(sentence.text, [mark for mark in marks_of(sentence.found, Kind.SPLIT) if mark.end <= first])
    order = own_order or (context.order if is_open else None)
    in_order = _in_order(sentence.text, figures, order) if order else {}
    return {start: split for start, split in in_order.items() if split}


def _possible(
    splits: dict[int, str | None], lists: Iterable[Sequence[Numeral]], sizes: Mapping[str, int]
) -> dict[int, str | None]:
    """Return the splits of values. A list whose values are impossible on their splits is of the only split where all
    are possible: on 200 examples no accuracy is 79.45 %."""
    for run in lists:
        named = [splits.get(number.start) for number in run]
        if len({*named}) > 1 and not _may_be_of(run, named, sizes):
            whole = the_only(split for split in named if split and _may_be_of(run, repeat(split), sizes))
            splits |= dict.fromkeys(_starts(run), whole)
    return splits


def _may_be_of(numbers: Sequence[Numeral], splits: Iterable[str | None], sizes: Mapping[str, int]) -> bool:
    """Whether each number is possible on its split, if its number of examples is known."""
    pairs = ((number, sizes.get(split or "")) for number, split in zip(numbers, splits, strict=False))
    return all(is_share(number, size) for number, size in pairs if size)


_OPENING_NUMBER: Final = re.compile(r"[\s•*·|-]*(?:(\d{1,6})\s?:\s*(?:dict\(|\{)|(\d{2,6})\s*(?:[:)→]|[-–—]\s))")


def _opening_seed(text: str, seeds: frozenset[int]) -> list[Mark]:
    """Return the run at the beginning of a line: a known seed, as in `- 42: 80.4 on test`, or a key of a nested
    dictionary.

    Other numbers with one digit may number a list.
    """
    match = _OPENING_NUMBER.match(text)
    at = match.lastindex if match else None
    return [Mark(match[at], *match.span(at))] if match and at and (at == 1 or int(match[at]) in seeds) else []


def _of_measure(text: str, figures: list[Figure], sought: MeasureSearch) -> list[Figure]:
    """Return the numbers without those of other measures, with their deviations."""
    marks = [Mark(*mark) for mark in sought.marks(text)] if sought.others else []
    if all(mark.value == sought.measure.id for mark in marks):
        return figures
    heads = [figure.number for figure in figures if not figure.attached]
    measure_at = dict(zip(_starts(heads), align_marks(text, heads, marks), strict=True))
    kept: list[Figure] = []
    is_kept = False
    for figure in figures:
        if not figure.attached:
            name = measure_at[figure.number.start]
            is_kept = sought.measure.id == name or (name is None and sought.is_named)
        if is_kept:
            kept.append(figure)
    return kept


def _may_report(text: str, figures: Sequence[Figure], is_about: bool, sought: MeasureSearch) -> bool:
    """Whether numbers are values of a measure that may have any value, although their sentence does not name it.

    The surrounding text must name it, and the sentence an experiment, a split, runs or a statistic.
    """
    has_subject = is_about or len(figures) > 1 or bool(runs_named(text, sought.runs))
    exact = any(is_exact(figure.number) for figure in figures)
    return (
        sought.is_named
        and exact
        and (has_subject or any(figure.statistic is not Statistic.VALUE for figure in figures))
    )


def _only_blanks_between(text: str, figures: Sequence[Figure]) -> list[Numeral]:
    """Return the first number and those after it with only spaces between them."""
    row = [figures[0].number]
    for figure in figures[1:]:
        if not re.fullmatch(r"\s?%?\s+", text[row[-1].end : figure.number.start]):
            break
        row.append(figure.number)
    return row


def _is_total(mean: Numeral, deviation: Numeral | None, values: Sequence[Numeral]) -> bool:
    """Whether the last numbers of a row are the average and the deviation of the values before.

    Beside two values, a third one that is not exactly their average is a third value.
    """
    if deviation is None and len(values) == 2:
        return abs(2 * mean.value - values[0].value - values[1].value) <= mean.resolution
    return len(values) > 1 and follows(mean, deviation, as_floats(values))


def _totalled(text: str, figures: list[Figure]) -> tuple[list[Figure], dict[int, int]]:
    """Recognise a row of a table that lost its columns: `test (%) 80.65 79.85 81.20 80.57 0.68`.

    The last numbers are the average and the deviation of those before if they follow from them. Also return the runs of
    the values, counted from 1, by offset.
    """
    for start in range(len(figures)):
        row = _only_blanks_between(text, figures[start:])
        rest = figures[start + len(row) :]
        if [figure.statistic for figure in rest[:1]] == [Statistic.MEAN]:  # `80.55 79.8 80.1 -> avg 80.05`
            continue
        for behind in (2, 1):
            values, (mean, *deviation) = row[:-behind], row[-behind:]
            if _is_total(mean, deviation[0] if deviation else None, values):
                found = [Figure(number, Statistic.VALUE) for number in values]
                found.append(Figure(mean, Statistic.MEAN))
                found += [Figure(number, Statistic.STD, attached=True) for number in deviation]
                runs = {number.start: run for run, number in enumerate(values, start=1)}
                return [*figures[:start], *found, *rest], runs
    return figures, {}


_ENDED: Final = re.compile(rf"{MEAN.pattern}|[.;](?=\s)", re.IGNORECASE)
"""The end of a list of deviations."""
_FEWEST_PAIRS: Final = 2
_SIDE: Final = re.compile(rf"{MEAN.pattern}|{STD.pattern}|\d\s?%?[,;.]\s", re.IGNORECASE)


def _in_pairs(text: str, figures: list[Figure], found: Sequence[Mention], sought: MeasureSearch) -> list[Figure]:
    """Return the numbers with deviations attached to averages that stand before them in the same order.

    For example, `the averages are 79.3 and 66.5, the deviations 0.65 and 0.83`. Averages with different names, `81.5 on
    validation and 79.3 on test`, need deviations in the same order or with the same names.
    """
    numbers = [figure.number for figure in figures]
    names_std = any(figure.statistic is Statistic.STD for figure in figures)
    for cut in range(_FEWEST_PAIRS, len(numbers) - 1) if names_std else ():
        gaps = [text[first.end : other.start] for first, other in pairwise(numbers)]
        stop = next((at + 1 for at in range(cut, len(gaps)) if _ENDED.search(gaps[at])), len(numbers))
        deviations = numbers[cut:stop]
        called = [figure.number for figure in figures[:cut] if figure.statistic is Statistic.MEAN]
        are_called = len(called) == len(deviations)
        means = called if are_called else numbers[:cut][-len(deviations) :]
        if not len(means) == len(deviations) > 1 or not _are_announced(text, means, numbers[:cut], gaps[cut - 1]):
            continue
        are_values = all(may_be_value(number, sought.measure) for number in means)
        if not are_values or not all(may_be_deviation(number, sought.measure) for number in deviations):
            continue
        names, std_names = _names_of(text, means, found), _names_of(text, deviations, found)
        if names and set(std_names) == set(names):
            deviations = [deviations[std_names.index(name)] for name in names]
        elif len(number_lists(text, deviations)) > 1:
            continue
        if names or are_called or len(number_lists(text, means)) == 1:
            std_of = dict(zip(_starts(means), deviations, strict=True))
            paired: list[Figure] = []
            for kept_figure in (figure for figure in figures if figure.number not in deviations):
                std = std_of.get(kept_figure.number.start)
                paired += (
                    [Figure(kept_figure.number, Statistic.MEAN), Figure(std, Statistic.STD, True)]
                    if std
                    else [kept_figure]
                )
            return paired
    return figures


def _are_announced(text: str, means: Sequence[Numeral], above: Sequence[Numeral], between: str) -> bool:
    """Whether words between averages and deviations announce the deviations, and words there or before announce the
    averages.

    `above` are the numbers up to the deviations.
    """
    start = max((number.end for number in above if number.end <= means[0].start), default=0)
    is_named = STD.search(between) and not STD.search(text[start : means[-1].end])
    return bool(is_named and MEAN.search(text[start : means[0].start] + between))


def _names_of(text: str, numbers: list[Numeral], found: Sequence[Mention]) -> list[tuple[str | None, str | None]]:
    """Return the experiment and split named beside each of some numbers; empty unless they distinguish all numbers."""
    start, end = numbers[0].start, numbers[-1].end
    first = max((match.end() for match in _SIDE.finditer(text, 0, start)), default=0)
    behind = _SIDE.search(text, end)
    last = behind.start() if behind else len(text)
    names = []
    for kind in (Kind.EXPERIMENT, Kind.SPLIT):
        kind_marks = [mark for mark in marks_of(found, kind) if first <= mark.start and mark.end <= last]
        names.append(
            align_marks(text, numbers, kind_marks)
            if len({mark.value for mark in kind_marks}) > 1
            else [None] * len(numbers)
        )
    pairs = list(zip(*names, strict=True))
    return pairs if len(set(pairs)) == len(pairs) else []


def _in_order(text: str, figures: list[Figure], order: tuple[str, str]) -> dict[int, str | None]:
    """Return the splits of numbers in pairs, such as `81.0 / 79.3` or `81.0 → 79.3`, in the given order.

    A value and an average, `79.2 80.1 → 79.6 (sd 0.5)`, are no pair.
    """
    splits: dict[int, str | None] = {figure.number.start: None for figure in figures}
    for former, other in pairwise(figures):
        first, second = former.number, other.number
        is_pair = former.statistic is other.statistic and _PAIRED.fullmatch(text[first.end : second.start])
        if is_pair and splits[first.start] is None:
            splits[first.start], splits[second.start] = order
    return splits


_PAIRED: Final = re.compile(r"\s*%?\s*(?:[/|(\[→⇒]|->|=>)\s*")


def _starts(numbers: Sequence[Numeral]) -> list[int]:
    return [number.start for number in numbers]


def _role(value: str | None, nearness: Nearness) -> Role:
    return Role(value=value, nearness=nearness) if value is not None else Role()


_RUN_LABEL: Final = re.compile(r"\W*(?P<name>[^\W\d][\w./-]*?)[_-](?P<run>\d{1,6})(?:\s+[^\W\d]\w*)?\s*[:=|]\s")


def _runs(sentence: _Sentence, context: Context, splits: Mapping[int, str | None]) -> dict[int, int]:
    """Return the run of each value, by offset: by the form of the line or its label, by name, or counted in a list.

    If the average of all of them is given, each is of one run, named or not: `67.9 for seed 0, then 64.5 and 65.6, 66.0
    on average`.
    """
    values = sentence.values
    runs = sentence.runs or _runs_of_label(sentence) or _runs_named(sentence.text, values, context, splits)
    mean = the_only(figure.number for figure in sentence.figures if figure.statistic is Statistic.MEAN)
    if len(set(runs.values())) < len(values) > 1 and mean and follows(mean, None, as_floats(values)):
        return _counted(values, splits)
    return runs


def _counted(values: Sequence[Numeral], splits: Mapping[int, str | None]) -> dict[int, int]:
    """Return the position of each value among those of its split, from 1 on, by offset."""
    named = [splits.get(number.start) for number in values]
    return {number.start: named[: place + 1].count(named[place]) for place, number in enumerate(values)}


def _runs_of_label(sentence: _Sentence) -> dict[int, int]:
    """Return the run of all values in a line that begins with an experiment and a number: `random_42: 66.2`."""
    label = _RUN_LABEL.match(sentence.text)
    if not label or not any(
        mention.kind is Kind.EXPERIMENT and mention.end <= label.end("name") for mention in sentence.found
    ):
        return {}
    return {number.start: int(label["run"]) for number in sentence.values if number.start >= label.end()}


def _runs_named(text: str, values: list[Numeral], context: Context, splits: Mapping[int, str | None]) -> dict[int, int]:
    """Return the run that words name for each value, by offset, or else its position in a list of at least two."""
    taken = [(number.start, number.end) for number in values]
    marks = [mark for mark in runs_named(text, context.sought.runs) if not overlaps(mark.start, mark.end, taken)]
    if len(values) == 1 and marks:
        return {values[0].start: int(marks[0].value)} if len(marks) == 1 else {}
    lists = [run for run in number_lists(text, values) if len(run) > 1]
    named = align_marks(text, values, marks)
    if not any(named):
        above = context.run
        counted = {start: run for numbers in lists for start, run in _counted(numbers, splits).items()}
        return counted if above is None else dict.fromkeys(_starts(values), above)
    whole: dict[int, int] = {}
    for former, numbers in pairwise([[], *lists]):
        begin = former[-1].end if former else 0
        leading = [mark for mark in marks if begin <= mark.start and mark.end <= numbers[0].start]
        for runs in (leading, marks):
            if len(numbers) == len(runs):
                whole |= {number.start: int(mark.value) for number, mark in zip(numbers, runs, strict=True)}
                break
    return whole or {start: int(name) for start, name in zip(_starts(values), named, strict=True) if name}


_RUN_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?%?")
_NAME: Final = re.compile(r"[\w./-]*[A-Za-z][\w./-]*[/_-][\w./-]*")


def _moment(text: str, start: int, end: int, figures: Sequence[Figure]) -> Moment:
    """Return the moment of the number `text[start:end]`, by the words between it and its neighbours."""
    before = max((figure.number.end for figure in figures if figure.number.end <= start), default=0)
    after = min((figure.number.start for figure in figures if figure.number.start >= end), default=len(text))
    return moment_around(text, start, end, before, after)


_IS_S: Final = re.compile(r"s\W*(?:\W(?:%|pts?|points?|pp)\W*)?")
"""The usual sign of a deviation beside an average."""
_INTERVAL: Final = re.compile(r"\[\s*\d[\d.,%]*\s*(?:\.\.+|[,;–-]|to|à)\s*\d[\d.,%]*\s*\]")
_SIGN: Final = re.compile(r"[^\w\s.,;:%=<>≈~?/±|–—−-]{1,3}")
"""A cell that only marks its row."""
_MARKED: Final = re.compile(r"\*\*|\\textbf|★|\*\s*$|^\s*\*|\b(?:best|chosen|selected|kept)\b", re.IGNORECASE)
_REMARK: Final = re.compile(r"\d[.,]\d|[.,]\d|(?:[^\W\d]+\W+){4}[^\W\d]")
"""More than four words, or a number: such a cell describes its row and names no measure."""
_SETTING: Final = re.compile(r"[A-Za-z]{1,12}\d+(?:\.\d+)?e-?\d+")
"""A setting in the name of a run, such as `lr1e-5`, which names no measure."""


class _Labels(NamedTuple):
    """The labels of a cell."""

    row: str
    column: str
    group: str


def facts_of_grid(grid: Grid, file: str, context: Context, unit: int) -> list[Fact]:
    """Return the facts of a table. A row of names of statistics within it, `mean | std`, begins a second table."""
    cut = next((at for at, row in enumerate(grid.rows) if at and names_statistics(row.texts)), None)
    if cut is not None:
        lower = Grid((grid.rows[cut].texts,), grid.rows[cut + 1 :], grid.beside)
        parts = (grid._replace(rows=grid.rows[:cut]), lower)
        return [fact for part in parts if part.rows for fact in facts_of_grid(part, file, context, unit)]
    grid, group = with_first_group(grid)
    spelt = (counted_on([less_unit(text) for text in texts]) for texts in grid.header)
    grid = grid._replace(header=tuple(spread(texts, context.lab, context.abbreviations) for texts in spelt))
    facts = _Table.from_grid(grid, file, context, unit).facts(group)
    return number_runs(without_doubles(_with_uncertainties(facts)))


def _with_uncertainties(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of a table. Uncertainties of several runs' values, `79.85(90)`, are not deviations over runs."""
    runs: dict[tuple[object, ...], set[int]] = {}
    for fact in facts:
        if fact.statistic is not Statistic.VALUE and fact.run is not None:
            runs.setdefault((fact.owner, fact.moment), set()).add(fact.run)
    single = {"statistic": Statistic.VALUE, "deviation": None}
    return [
        candidate
        if candidate.statistic is Statistic.VALUE or candidate.run is None
        else candidate.model_copy(update=single)
        if candidate.deviation and len(runs[candidate.owner, candidate.moment]) > 1
        else candidate.model_copy(update={"run": None})
        for candidate in facts
    ]


def _has_own_names(grid: Grid, context: Context) -> bool:
    """Whether several rows begin with different unknown names. Then the rows are not of the experiment that the
    sentence before names."""
    labels = dict.fromkeys(row.texts[0].casefold() for row in grid.rows if row.texts and is_label(row.texts[0]))
    unknown = [label for label in labels if not context.mentions(label) and not lexicon.names(label, *_COLUMN_WORDS)]
    return len(unknown) == len(labels) >= _FEWEST_NAMES and all(len(label.split()) == 1 for label in unknown)


_COLUMN_WORDS: Final = ("mean", "deviation", "other_statistic", "accuracy", "run", "epoch", "step", "other_measure")
_FEWEST_NAMES: Final = 2


@dataclass(frozen=True, slots=True)
class _Table:
    """A table with what its lines and the surrounding text say about all its cells.

    `experiment`, `split` and `order` (of two splits in a cell) come from the lines beside the table. `host` is the
    experiment that names of similar experiments mean here.
    """

    grid: Grid
    columns: Columns
    file: str
    context: Context
    unit: int
    experiment: Role
    split: Role
    order: tuple[str, ...]
    host: Role

    @classmethod
    def from_grid(cls, grid: Grid, file: str, context: Context, unit: int) -> "_Table":
        """Return a table with the information in its corner label and in the lines beside it. The corner comes
        first."""
        lab, sought = context.lab, context.sought
        corner = column_label(grid, 0)
        experiment = _role(the_only(context.experiments(corner)), Nearness.CAPTION)
        split, order = _role(split_in(corner, lab), Nearness.CAPTION), tuple[str, ...]()
        headers = [" ".join(texts) for texts in grid.header]
        for line in (*headers[::-1], *grid.beside):
            found = context.mentions(line)
            if line in grid.beside:
                experiment = experiment.or_else(_role(the_only(named_experiments(found, lab)), Nearness.CAPTION))
                named_split = the_only(mark.value for mark in reported_splits(line, (), found))
                split = split.or_else(_role(named_split, Nearness.CAPTION))
            order = order or split_order(line, marks_of(found, Kind.SPLIT))
        texts = [text for row in grid.rows for text in row.texts]
        order, are_many = order_of_pairs(
            texts, (*headers, *grid.beside), order, context.order, sought.measure, lab.sizes
        )
        split = Role() if are_many else split  # the split belongs only to the pairs
        most = max(lab.repetition_of(candidate.id).number for candidate in lab.experiments)
        columns = Columns.from_grid(grid, sought.runs, context.seeds, most)
        host = _host(grid, experiment, context)
        if _has_own_names(grid, context):
            context = context._replace(sentence=Role())
        return cls(grid, columns, file, context, unit, experiment, split, order, host)

    def facts(self, group: str) -> list[Fact]:
        """Return the facts of all rows. The first rows belong to `group`."""
        facts: list[Fact] = []
        above, is_led = [""] * len(self.grid.rows[0].texts), False
        moments: dict[int, Moment] = {}
        seen: dict[tuple[object, ...], set[int]] = {}
        for row in self.grid.rows:
            if is_header(row.texts, first=False):
                # A second table begins at this line. Its text belongs to the column names below.
                names = " ".join(dict.fromkeys(filter(None, row.texts)))
                group, above, is_led = (f"{group} ; {names}" if is_led else names), [""] * len(row.texts), True
                continue
            is_led = False
            above = self._with_run(fill_labels(row.texts, above, self.columns), row.texts, seen)
            row_moments = moments_of_columns(above)
            moments = row_moments or moments
            facts += self._facts_of_row(above, row.block, group, moments) if not row_moments else ()
        return facts

    def _with_run(
        self, texts: list[str], written: Sequence[str], seen: dict[tuple[object, ...], set[int]]
    ) -> list[str]:
        """Return a row with its run, if the row leaves it empty.

        It has the run of the row above, or the next one if its labels repeat those of that run. `seen` maps labels to
        the columns with values.
        """
        columns = self.columns
        at = min(columns.runs, default=0)
        others = (columns.labels | set(columns.moments)).intersection(range(len(texts))) - {at}
        words = " ; ".join(texts[index] for index in sorted(columns.labels & others))
        row_mentions = frozenset((mention.kind, mention.value) for mention in self.context.mentions(words))
        key = (
            row_mentions,
            bool(MEAN.search(words)),
            bool(STD.search(words)),
            *(texts[index] for index in columns.moments),
        )
        filled = {index for index, text in enumerate(written) if text} - {at, *others}
        is_named = at in columns.runs or the_only(runs_named(texts[at], self.context.sought.runs)) is not None
        if written[at]:
            seen.clear()
        elif is_named and seen.get(key, set()) & filled:
            following = re.sub(r"\d+", lambda match: str(int(match[0]) + 1), texts[at], count=1)
            if all(row.texts[at] != following for row in self.grid.rows):
                texts = [*texts[:at], following, *texts[at + 1 :]]
                seen.clear()
        seen.setdefault(key, set()).update(filled)
        return texts

    def _facts_of_row(
        self, texts: list[str], block: Block, group: str, moments: Mapping[int, Moment]
    ) -> Iterator[Fact]:
        place = block.evidence(self.file, " | ".join(block.cells) or block.text)
        columns, sought = self.columns, self.context.sought
        label = self._row_label(texts)
        named = columns.labels | columns.runs | set(columns.moments)
        leads = (cell for index, cell in enumerate(block.cells) if index in named)
        is_marked = any(map(_MARKED.search, leads)) or any(map(_SIGN.fullmatch, texts))
        written = [*[""] * (len(texts) - len(block.cells)), *block.cells]
        run = next((number for index in sorted(columns.runs) if (number := whole_in(texts[index])) is not None), None)
        for index, text in enumerate(texts):
            is_name = index in named or (index == 0 and is_label(text))
            if not re.search(r"\d", text) or (is_name and not _reports(text, sought)):
                yield from _traces(text, place, self.unit, sought)
                continue
            labels = _Labels(label, column_label(self.grid, index), group)
            if (
                block.cell is not None
                and block.voice is not None
                and text.isdecimal()
                and not sought.names(" ; ".join(labels))
            ):
                continue  # a printed whole number may count anything, unless a label names the measure
            moment = moments.get(index) or moment_of_cell(texts, index, columns.moments)
            if not moment.is_told:
                moment = moment_of_labels(labels.row, labels.column, column_label(self.grid, 0))
            for fact in self._facts_of_cell(texts, index, labels, run, place):
                mark = is_marked or bool(re.search(r"\*\*|\\textbf|\*\s*$", written[index]))
                yield fact.model_copy(update={"moment": moment, "is_marked": mark})

    def _row_label(self, texts: Sequence[str]) -> str:
        """Return the labels of a row. An answer such as `yes` is joined with its column's name."""
        parts = []
        numbered = self.columns.runs | set(self.columns.moments)
        own_names = {name.casefold() for name, _, _ in self.context.abbreviations}
        for index, text in enumerate(texts):
            name = f"{column_label(self.grid, index)} {text}"
            if name.casefold() in own_names:  # `2` below `model` is `model 2`
                parts.append(name)
            elif not text or (index in numbered and not is_label(text)):
                continue
            elif index in self.columns.labels or is_label(text):
                parts.append(_with_header(text, column_label(self.grid, index)))
            elif index == 0:
                parts.append(text)
        return " ; ".join(parts)

    def _facts_of_cell(
        self, texts: Sequence[str], index: int, labels: _Labels, run: int | None, place: Evidence
    ) -> Iterator[Fact]:
        text, context = texts[index], self.context
        sought, kind = self._sought(texts, index, labels), self._statistic(labels)
        if kind is Statistic.OTHER or self._is_of_another(labels, sought, texts) or _INTERVAL.search(text):
            return
        found = context.mentions(f"{labels.row} ; {labels.column}")
        heads = _heads_of_cell(text, kind, sought)
        if not LETTER.search(text):
            heads = self._with_zeros(heads, texts, index, sought)
        numbers = [head.number for head in heads]
        pair = pair_in(text, numbers)
        both = named_experiments(found, context.lab) if pair else ()
        experiments = [_role(name, Nearness.LABEL) for name in both]  # `pretrained / random`
        if is_apart := len(both) == len(heads):
            splits: tuple[str, ...] = ()
        else:
            experiments = [self._experiment(text, labels, found)] * len(heads)
            splits = self.order if pair else ()
        split = self._split(texts, index, labels, sought)
        split = split or split_of_size(sought.size, context.lab)
        is_apart = is_apart or bool(splits)
        single = [head.number for head in heads if head.statistic is Statistic.VALUE]
        are_runs = len(single) == len(heads) > 1 and not is_apart and len(number_lists(text, single)) == 1
        own_run = self._run(text, labels, index, run)
        for position, (number, statistic, deviation) in enumerate(heads):
            if statistic is Statistic.VALUE and kind is not None and (len(heads) == 1 or is_apart):
                statistic = kind
            if statistic is not Statistic.STD and not may_be_value(number, sought.measure):
                if not may_be_deviation(number, sought.measure):
                    continue
                statistic = Statistic.OTHER
            cell_split = _role(splits[position] if position < len(splits) else split, Nearness.LABEL)
            cell_split = cell_split.or_else(self.split).or_else(context.split)
            is_of_run = statistic is Statistic.VALUE or kind is None
            yield Fact(
                number=number,
                statistic=statistic,
                experiment=experiments[position],
                split=cell_split,
                run=(position + 1 if are_runs else own_run) if is_of_run else None,
                deviation=deviation if statistic is Statistic.MEAN else None,
                unit=self.unit,
                series=_series(labels),
                is_telling=max(experiments[position].nearness, cell_split.nearness) >= Nearness.CAPTION,
                hint=context.hint_in(found),
                among=context.among,
                evidence=(place,),
            )

    def _sought(self, texts: Sequence[str], index: int, labels: _Labels) -> MeasureSearch:
        """Return the search for a cell's numbers, given the lines beside its table and its labels, the nearest last.

        A label may name another measure than the lines around. A table that names measures names all of them.
        """
        grid, sought = self.grid, self.context.sought
        for label in (*grid.beside[::-1], column_label(grid, 0), labels.group, labels.row, labels.column):
            sought = sought.with_label(label)
        if sought.others:
            lines = (labels.column, labels.row, labels.group, *grid.beside)
            named = next((entries for line in lines if (entries := {name for name, _, _ in sought.marks(line)})), None)
            sought = sought._replace(is_named=sought.is_named if named is None else named == {sought.measure.id})
        if sought.size is None:
            return sought
        lists = ([row.texts[index] for row in grid.rows], texts)
        return sought if any(_are_counts(entries, sought) for entries in lists) else sought._replace(size=None)

    def _statistic(self, labels: _Labels) -> Statistic | None:
        if _IS_S.fullmatch(labels.column) and any(MEAN.search(text) for text in self.grid.header[-1]):
            return Statistic.STD
        for label in (labels.column, labels.row):
            mean, std = MEAN.search(label), STD.search(label)
            if mean and not std:
                return Statistic.MEAN
            if std:
                return Statistic.MEAN if mean or "±" in label[: std.start()] else Statistic.STD
            if OTHER.search(label):
                return Statistic.OTHER
        return None

    def _is_of_another(self, labels: _Labels, sought: MeasureSearch, texts: Sequence[str]) -> bool:
        """Whether a cell's labels name another measure, or nothing names this one."""
        names = " ; ".join(_SETTING.sub("", label) for label in labels.row.split(" ; ") if not _REMARK.search(label))
        heads = " ; ".join(self.grid.header[-1]) if self.grid.header else ""
        if sought.is_counted and lexicon.names(heads, "recall"):
            # In a table with recall, `précision` and `score` do not mean accuracy. A classification report gives
            # accuracy in a single row, which ends in the number of examples.
            examples = whole_in(texts[-1])
            is_elsewhere = bool(sought.sizes) and examples is not None and examples not in sought.sizes
            return is_elsewhere or not lexicon.names(f"{labels.column} ; {names}", "plain_accuracy")
        if any(is_other_measure(label, sought) for label in (less_numbered(labels.column, self.grid), names)):
            return True
        return not (sought.is_counted or sought.is_named)

    def _experiment(self, text: str, labels: _Labels, found: Sequence[Mention]) -> Role:
        """Return the experiment of a cell: by its own words, labels, group, the lines beside the table, or the text
        before."""
        own_experiment = the_only(self.context.experiments(text))
        named = named_experiments(found, self.context.lab) or self.context.experiments(labels.group)
        role = _role(own_experiment or the_only(named), Nearness.LABEL)
        if role.value in self.context.experiments_like(self.host.value):
            return self.host
        return role.or_else(self.experiment).or_else(self.context.experiment)

    def _split(self, texts: Sequence[str], index: int, labels: _Labels, sought: MeasureSearch) -> str | None:
        """Return the split that a cell or its labels name, the column's before the row's.

        Of two, the one beside the measure counts: `test acc.` before a column of the checkpoint `max. val.`. If all
        labels of a column name none, its `lowest_label` may: `valid acc.` below `best epoch by validation`. The row's
        comes first if the cell extends over several columns: `Test` beside one average below `val` and `test`.
        """
        named: list[tuple[bool, int, str]] = []
        columns = (f"{texts[index]} {labels.column}", lowest_label(self.grid, index))
        is_wide = not "".join(texts[index + 1 : index + 2]) and any(
            len({*row[index : index + 2]}) == 1 for row in self.grid.header[:-1] if len(row) > index + 1
        )
        in_order = (labels.row, *columns) if is_wide else (*columns, labels.row)
        for label in (*(STD.sub(" ", candidate) for candidate in in_order), labels.group):  # `st. dev.` names none
            split = the_only(mark.value for mark in reported_splits(label, (), self.context.mentions(label)))
            if split:
                named.append((not sought.marks(label), len(named), split))
        return min(named)[-1] if named else None

    def _run(self, text: str, labels: _Labels, index: int, of_row: int | None) -> int | None:
        """Return the run of a cell: by its own words, its row, or a label with a distinguishing number.

        The number in an experiment's name, such as `T3`, is no run.
        """
        words = self.context.sought.runs
        own_run = the_only(runs_named(text, words)) if LETTER.search(text) else None
        if own_run or of_row is not None:
            return int(own_run.value) if own_run else of_row
        column = labels.column
        for mention in marks_of(self.context.mentions(column), Kind.EXPERIMENT):
            column = column[: mention.start] + " " * (mention.end - mention.start) + column[mention.end :]
        column, row = column.strip(), labels.row.split(" ; ")[0]
        if mark := the_only(runs_named(column, words) or runs_named(labels.row, words)):
            return int(mark.value)
        if re.fullmatch(r"\W*\d{1,5}\W*", column) and not MOMENT_HEADER.search(column_label(self.grid, 0)):
            return int(re.sub(r"\D", "", column))
        end = the_only(runs_named(column, words, label=True) or runs_named(row, words, label=True))
        return int(end.value) if end else None

    def _with_zeros(self, heads: list[_Head], texts: Sequence[str], index: int, sought: MeasureSearch) -> list[_Head]:
        """Return the only number of a cell with as many digits as its column or row, because programs omit trailing
        zeros.

        For example, `0.8` between `0.815` and `0.81`.
        """
        if len(heads) != 1 or heads[0].statistic not in (Statistic.VALUE, Statistic.OTHER):
            return heads
        for cells in ([row.texts[index] for row in self.grid.rows], texts):
            beside = [candidate for text in cells for candidate in _plain_numbers(text, sought)]
            number = with_last_zeros(heads[0].number, beside)
            if number.resolution < heads[0].number.resolution and may_be_value(number, sought.measure):
                return [_Head(number, Statistic.VALUE)]
        return heads


def _with_header(text: str, header: str) -> str:
    """Return a label with its column's name if the label is a yes or no."""
    if YES.fullmatch(text) and LETTER.search(header) and not MEAN.search(text):
        return header
    if NO.fullmatch(text) and LETTER.search(header):
        return f"no {header}"
    return f"{text} {header}" if CHOICE.fullmatch(header.strip()) else text  # `last` of `checkpoint`


def _traces(text: str, place: Evidence, unit: int, sought: MeasureSearch) -> Iterator[Fact]:
    """Yield the numbers of a cell in the position of a label, which may be results."""
    for figure in figures_in(text, sought):
        if figure.statistic.is_rate and figure.number.has_decimals:
            yield Fact(number=figure.number, statistic=figure.statistic, unit=unit, is_telling=False, evidence=(place,))


def _host(grid: Grid, captioned: Role, context: Context) -> Role:
    """Return the experiment that names of similar experiments mean in a table.

    It comes from the caption (`pretrained` under `run_glue`), the heading or the section. There is none if labels name
    any other experiment or the caption hints at one.
    """
    labels = " ; ".join(text for texts in (*grid.header, *(row.texts for row in grid.rows)) for text in texts)
    named = {mention.value for mention in context.mentions(labels) if mention.kind is Kind.EXPERIMENT}
    captions = " ; ".join(filter(CAPTION_START.match, grid.beside))
    hinted = {mention.value for mention in context.mentions(captions) if mention.kind is Kind.HINT}
    around = _role(context.host.value, Nearness.HEADING)
    for host, hints in ((captioned, set()), (around, hinted)):
        if host.value and named <= set(context.experiments_like(host.value)) and hints <= {host.value}:
            return host
    return Role()


def _are_counts(texts: Sequence[str], sought: MeasureSearch) -> bool:
    """Whether a row or column contains counts of examples above 100 and no accuracy."""
    numbers = (number for text in texts for number in _plain_numbers(text, sought))
    has_counts = any(is_count(text, sought.size or 0) for text in texts)
    return has_counts and not any(may_be_value(number, sought.measure) for number in numbers)


def _plain_numbers(text: str, sought: MeasureSearch) -> list[Numeral]:
    """Return the numbers of a text that may be values of the measure, without any context."""
    return numbers_in(text, told_of(sought.measure))


def _reports(text: str, sought: MeasureSearch) -> bool:
    """Whether a cell in the position of a label is a value all the same.

    It names its statistic, as in `mean 80.13`, or contains only decimals or percentages in the plausible range.
    """
    figures = figures_in(text, sought)
    if any(figure.statistic in (Statistic.MEAN, Statistic.STD) for figure in figures):
        return True
    are_exact = all(is_exact(figure.number) for figure in figures)
    return bool(figures) and are_exact and not LETTER.search(text)


def _heads_of_cell(text: str, kind: Statistic | None, sought: MeasureSearch) -> list[_Head]:
    """Return the numbers of a cell. `kind` is the statistic that its labels name."""
    numbers = numbers_in(text, sought)
    if kind is Statistic.STD and (small := [number for number in numbers if may_be_deviation(number, sought.measure)]):
        return [_Head(number, kind) for number in small]
    if kind is Statistic.MEAN and len(numbers) == 2 and may_be_deviation(numbers[1], sought.measure):
        return [_Head(numbers[0], kind, numbers[1])]  # `63.67 / 1.25` under `mean / std`
    found = _heads(figures_in(text, sought))
    return found or [_Head(number, Statistic.VALUE) for number in _plain_numbers(text, sought)[:1]]


def _series(labels: _Labels) -> str:
    """Return the labels of a cell without the numbers of runs and moments."""
    written = f"{labels.group}|{labels.row}|{labels.column}"
    for pattern in (MEAN, STD):
        written = pattern.sub("", written)
    return re.sub(r"\W+", " ", re.sub(r"\d+", "#", written)).strip().casefold()
