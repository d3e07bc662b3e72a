"""Facts in sentences, list items, captions, headings, and lines of code or output."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.claims.numerals import Numeral
from grader.claims.passage import Passage
from grader.claims.results.fact import (
    Fact,
    Moment,
    Nearness,
    Role,
    Statistic,
    as_floats,
    chosen_and_last,
    follows,
    is_share,
    moment_around,
)
from grader.claims.results.measures import USUAL, Sought, may_be_deviation, may_be_value, overlaps, sizes_of, the_only
from grader.claims.results.numbers import MEAN, OTHER, STD, Figure, figures_in, numbers_in
from grader.claims.results.roles import BREAK, Mark, aligned, experiments_of, less_rivals, listed, splits_of
from grader.claims.results.runs import runs_in_short, runs_named, seeds_listed
from grader.claims.results.vocabulary import Abbreviations, Kind, Mention, less_compared, mentions
from grader.claims.statements import Statement, statements
from grader.lab.definition import Lab

LONGEST: Final = 1_500
"""A longer sentence, in characters, is a log or a lost table."""


class Around(NamedTuple):
    """What the text around a sentence says about it; `host` is the experiment that its heading or section is about,
    `hint` the one that they suggest, `order` the order in which pairs of splits are written, `among` the
    experiments that it names together, `sought` which of its numbers are sought, `is_pair` whether the line above,
    which begins with a name as this one does, gives an average and its deviation."""

    experiment: Role = Role()
    split: Role = Role()
    run: int | None = None
    host: str | None = None
    hint: str | None = None
    order: tuple[str, str] | None = None
    among: tuple[str, ...] = ()
    sought: Sought = USUAL
    seeds: frozenset[int] = frozenset()
    is_pair: bool = False

    def named(self, experiment: str | None, lab: Lab) -> str | None:
        """An experiment named here; in a section about one that is `like` it, the name means that one."""
        like = next((one.like for one in lab.experiments if one.id == self.host), ())
        return self.host if experiment in like else experiment


class Line(NamedTuple):
    """A sentence or a line, `text`, at an offset of a passage; `unit` numbers the paragraph, list or block it is of.
    `is_exact`: lines beside it that differ in their numbers only have decimals."""

    text: str
    start: int
    unit: int
    is_item: bool = False
    is_exact: bool = False


_ALONE: Final = re.compile(r"\W*\d{1,3}(?:[.,]\d+)?\s?%?\W*")
_FEW_NAMES: Final = 6


def with_labels(passage: Passage) -> Iterator[Statement]:
    """The statements of a passage; a number that stands alone together with the name of its statistic, which stands
    right above it, or right below it and above no other number: `79.4 %` over `average accuracy`."""
    found = statements(passage)
    index = 0
    while index < len(found):
        kinds = [_stands_for(one.text) for one in found[index : index + 3]]
        if kinds[:2] == ["name", "number"] or (kinds[:2] == ["number", "name"] and kinds[2:] != ["number"]):
            start, end = found[index].start, found[index + 1].end
            text = passage.text[start:end].replace("\n", " ")
            yield found[index].model_copy(update={"text": text, "end": end, "is_lead": False})
            index += 2
        else:
            yield found[index]
            index += 1


def _stands_for(text: str) -> str:
    """Whether a statement is nothing but a number, or a statistic's name."""
    if _ALONE.fullmatch(text):
        return "number"
    is_short = len(text.split()) <= _FEW_NAMES and not re.search(r"\d", text)
    return "name" if is_short and (MEAN.search(text) or STD.search(text)) else ""


def facts_of_line(line: Line, passage: Passage, around: Around, lab: Lab, abbreviations: Abbreviations) -> list[Fact]:
    """The facts of one sentence or line; where it speaks of the chosen checkpoint and of the last one, those of each
    part of it, which are of the same experiment and split unless it says otherwise."""
    if len(line.text) > LONGEST or not re.search(r"\d", line.text):
        return []
    facts: list[Fact] = []
    for part, kind in _by_checkpoint(line, around.sought):
        own = _facts_of_part(part, passage, around, lab, abbreviations)
        said = {"is_chosen": kind == "chosen", "is_end": kind == "last"} if kind else {}
        facts += [one.model_copy(update={"moment": one.moment.model_copy(update=said)}) for one in own]
        if facts:
            around = around._replace(experiment=facts[-1].experiment, split=facts[-1].split)
    return facts


def _by_checkpoint(line: Line, sought: Sought) -> Iterator[tuple[Line, str | None]]:
    """A line, cut where it goes on to figures of the last checkpoint from those of the chosen one, or back; each part
    with the one that it is about, None where the line is not about both."""
    marks = [Mark(*one) for one in chosen_and_last(line.text)]
    told = (Statistic.VALUE, Statistic.MEAN)
    numbers = [one.number for one in figures_in(line.text, sought) if one.statistic in told] if marks else []
    kinds = aligned(line.text, numbers, marks)
    start, last = 0, None
    if len({*kinds} - {None}) > 1:
        places = [(number.start, number.end, kind) for number, kind in zip(numbers, kinds, strict=True)]
        places += [(mark.start, mark.end, mark.value) for mark in marks]
        for (_, end, kind), (following, _, other) in pairwise(sorted(one for one in places if one[2])):
            if kind != other:
                cut = max((match.end() for match in BREAK.finditer(line.text, end, following)), default=following)
                yield line._replace(text=line.text[start:cut], start=line.start + start), kind
                start = cut
            last = other
    yield line._replace(text=line.text[start:], start=line.start + start), last


def _facts_of_part(line: Line, passage: Passage, around: Around, lab: Lab, abbreviations: Abbreviations) -> list[Fact]:
    """The facts of a sentence or line, or of a part of it."""
    sought = around.sought
    opened = _opening_seed(line.text, around.seeds)
    seeds = [*opened, *seeds_listed(line.text, sought.runs), *runs_in_short(line.text, sought.runs)]
    found_ones = [one for one in figures_in(line.text, sought) if not _is_in(one.number, seeds)]
    if around.is_pair:
        found_ones = _pair_as_above(line.text, sought) or found_ones
    found = less_compared(line.text, mentions(line.text, lab, abbreviations))
    found = less_rivals(line.text, found, [(one.number.start, one.number.end) for one in found_ones])
    own_ones = _of_measure(line.text, found_ones, sought)
    figures, row = _totalled(line.text, _in_pairs(line.text, own_ones, found, sought))
    numbers = [figure.number for figure in figures if figure.statistic in (Statistic.VALUE, Statistic.MEAN)]
    if not figures:
        return []
    asked = {one.value for one in found if re.search(r"\d", line.text[one.start : one.end])}  # `T3`, `task 3`
    said = experiments_of(line.text, numbers, found, lab)
    own = [one if one in asked else around.named(one, lab) for one in said]
    experiments = dict(zip(_starts(numbers), own, strict=True))
    if only := the_only(own):  # a deviation beside them, too
        experiments |= {figure.number.start: only for figure in figures}
    splits = dict(zip(_starts(numbers), splits_of(line.text, numbers, found), strict=True))
    if around.order and not any(splits.values()):
        splits = _in_order(line.text, [one for one in figures if not one.attached], around.order)
    sizes = sizes_of(line.text, sought)
    own_splits = {examples: split for split, examples in lab.sizes.items()}
    splits |= {start: own_splits[size] for start, size in sizes.items() if size in own_splits and start in splits}
    values = [figure.number for figure in figures if figure.statistic is Statistic.VALUE]
    splits = _possible(line.text, values, splits, lab)
    exact = any(number.has_decimals or number.percent for number in numbers)
    named = bool(sizes or sought.names(line.text)) or any(one.kind is Kind.SPLIT for one in found)
    telling = named or (line.is_item and exact) or line.is_exact
    if numbers and not telling and all(not number.has_decimals and not number.percent for number in numbers):
        return []
    if not sought.is_counted and not _may_report(line, figures, bool(found), sought):
        return []
    runs = row or {number.start: int(mark.value) for mark in opened for number in values}
    runs = runs or _runs_of_label(line.text, values, found) or _runs(line.text, values, around.run, sought.runs)
    if len(set(runs.values())) < len(values) and _averages_all(values, figures):
        runs = {number.start: run for run, number in enumerate(values, start=1)}
    series = _series_name(line) if line.is_item else ""
    facts: list[Fact] = []
    for index, figure in enumerate(figures):
        number = figure.number
        if figure.attached or (figure.statistic is Statistic.OTHER and not may_be_deviation(number, sought.measure)):
            continue
        behind = figures[index + 1] if index + 1 < len(figures) else None
        deviation = behind.number if behind and behind.attached and figure.statistic is Statistic.MEAN else None
        near = _role(experiments.get(number.start), Nearness.SENTENCE).or_else(around.experiment)
        end = deviation.end if deviation else number.end
        facts.append(
            Fact(
                number=number,
                statistic=figure.statistic,
                experiment=near,
                split=_role(splits.get(number.start), Nearness.SENTENCE).or_else(around.split),
                run=runs.get(number.start) if figure.statistic is Statistic.VALUE else None,
                moment=_moment(line.text, number.start, end, figures),
                deviation=deviation,
                unit=line.unit,
                series=f"{series}|{experiments.get(number.start) or ''}",
                among=around.among,
                is_telling=telling or bool(runs),
                hint=next((one.value for one in found if one.kind is Kind.HINT), around.hint),
                evidence=(passage.evidence(line.start + number.start, line.start + end),),
            )
        )
    return facts


_OPENING_NUMBER: Final = re.compile(r"[\s•*·|-]*(?:(\d{1,6})\s?:\s*(?:dict\(|\{)|(\d{2,6})\s*(?:[:)→]|[-–—]\s))")


def _opening_seed(text: str, seeds: frozenset[int]) -> list[Mark]:
    """The run that a line is about whose first number is one of the seeds told elsewhere, `- 42: 80.4 on test`, or the
    key of a dictionary within another. Other numbers of one digit may be those of a list."""
    match = _OPENING_NUMBER.match(text)
    at = match.lastindex if match else None
    return [Mark(match[at], *match.span(at))] if match and at and (at == 1 or int(match[at]) in seeds) else []


def _pair_as_above(text: str, sought: Sought) -> list[Figure]:
    """The average and the deviation of a line that leaves out these words, as the line above said them: `T3: 79.6 % on
    average, a deviation of 0.60` and then `T4: 67.4 %, 0.67`."""
    numbers = numbers_in(text, sought)
    if len(numbers) != _FEWEST_PAIRS or MEAN.search(text) or STD.search(text) or OTHER.search(text):
        return []
    mean, std = numbers
    is_alone = mean.has_decimals and re.fullmatch(r"\s*%?\s*[,;/(|]?\s*(?:and\s|et\s)?", text[mean.end : std.start])
    if is_alone and may_be_value(mean, sought.measure) and may_be_deviation(std, sought.measure):
        return [Figure(mean, Statistic.MEAN), Figure(std, Statistic.STD, attached=True)]
    return []


def _is_in(number: Numeral, marks: Sequence[Mark]) -> bool:
    return not number.has_decimals and overlaps(number.start, number.end, (mark[1:] for mark in marks))


def _of_measure(text: str, figures: list[Figure], sought: Sought) -> list[Figure]:
    """The figures less those of another measure of the lab, where the text names several, with their deviations."""
    marks = [Mark(*one) for one in sought.marks(text)] if sought.others else []
    if all(mark.value == sought.measure.id for mark in marks):
        return figures
    heads = [figure.number for figure in figures if not figure.attached]
    own = dict(zip(_starts(heads), aligned(text, heads, marks), strict=True))
    kept: list[Figure] = []
    is_kept = False
    for figure in figures:
        if not figure.attached:
            name = own[figure.number.start]
            is_kept = sought.measure.id == name or (name is None and sought.is_named)
        if is_kept:
            kept.append(figure)
    return kept


def _may_report(line: Line, figures: Sequence[Figure], is_about: bool, sought: Sought) -> bool:
    """Whether figures of a measure whose values any number may be are meant as such: the text names it, or it is what
    the text around is about, and an experiment, a split, runs or a statistic are named."""
    if sought.names(line.text):
        return True
    told = is_about or len(figures) > 1 or bool(runs_named(line.text, sought.runs))
    exact = any(one.number.has_decimals or one.number.percent for one in figures)
    return sought.is_named and exact and (told or any(one.statistic is not Statistic.VALUE for one in figures))


def _totalled(text: str, figures: list[Figure]) -> tuple[list[Figure], dict[int, int]]:
    """Figures of a line such as `test (%) 80.65 79.85 81.20 80.57 0.68`, as a row of a table reads that has lost its
    columns: the last ones are the average and the deviation of those before them where they follow from them. With the
    runs of the values, counted from 1, by their offsets."""
    for start in range(len(figures)):
        row = [figures[start].number]
        for figure in figures[start + 1 :]:
            if not re.fullmatch(r"\s?%?\s+", text[row[-1].end : figure.number.start]):
                break
            row.append(figure.number)
        for behind in (2, 1):
            values, (mean, *deviation) = row[:-behind], row[-behind:]
            if len(values) > 1 and follows(mean, deviation[0] if deviation else None, as_floats(values)):
                found = [Figure(number, Statistic.VALUE) for number in values]
                found.append(Figure(mean, Statistic.MEAN))
                found += [Figure(number, Statistic.STD, attached=True) for number in deviation]
                runs = {number.start: run for run, number in enumerate(values, start=1)}
                return [*figures[:start], *found, *figures[start + len(row) :]], runs
    return figures, {}


def _in_pairs(text: str, figures: list[Figure], found: Sequence[Mention], sought: Sought) -> list[Figure]:
    """Figures with each deviation behind its average, where several averages stand before as many deviations: `the
    averages are 79.3 and 66.5, the deviations 0.65 and 0.83`. Averages that are no list have each a name of their own,
    `81.5 on validation and 79.3 on test`; the deviations are in the same order, or have the same names."""
    if not any(figure.statistic is Statistic.STD for figure in figures):
        return figures
    numbers = [figure.number for figure in figures]
    for cut in range(_FEWEST_PAIRS, len(numbers) - 1):
        between = text[numbers[cut - 1].end : numbers[cut].start]
        stop = cut + 1
        while stop < len(numbers) and not _ENDED.search(text[numbers[stop - 1].end : numbers[stop].start]):
            stop += 1
        deviations = numbers[cut:stop]
        means = numbers[:cut][-len(deviations) :]
        called = [one.number for one in figures[:cut] if one.statistic is Statistic.MEAN]
        means = called if len(called) == len(deviations) else means
        before = text[max((one.end for one in numbers if one.end <= means[0].start), default=0) : means[0].start]
        is_announced = STD.search(between) and not STD.search(text[means[0].start - len(before) : means[-1].end])
        if not (
            len(means) == len(deviations) > 1
            and is_announced
            and MEAN.search(before + between)
            and all(may_be_value(number, sought.measure) for number in means)
            and all(may_be_deviation(number, sought.measure) for number in deviations)
        ):
            continue
        names, own = _names_of(text, means, found), _names_of(text, deviations, found)
        if names and set(own) == set(names):
            deviations = [deviations[own.index(name)] for name in names]
        elif len(listed(text, deviations)) > 1:
            continue
        if names or means is called or len(listed(text, means)) == 1:
            std_of = {mean.start: std for mean, std in zip(means, deviations, strict=True)}
            paired = [
                [Figure(one.number, Statistic.MEAN), Figure(std_of[one.number.start], Statistic.STD, True)]
                if one.number.start in std_of
                else [one]
                for one in figures
                if one.number not in deviations
            ]
            return [one for pair in paired for one in pair]
    return figures


_FEWEST_PAIRS: Final = 2
_ENDED: Final = re.compile(rf"{MEAN.pattern}|[.;](?=\s)", re.IGNORECASE)
"""What ends a list of deviations."""


def _names_of(text: str, numbers: list[Numeral], found: Sequence[Mention]) -> list[tuple[str | None, str | None]]:
    """The experiment and the split that the words beside each of some numbers name; empty where they do not tell all
    of these numbers apart."""
    start, end = numbers[0].start, numbers[-1].end
    first = max((match.end() for match in _SIDE.finditer(text, 0, start)), default=0)
    behind = _SIDE.search(text, end)
    last = behind.start() if behind else len(text)
    names = []
    for kind in (Kind.EXPERIMENT, Kind.SPLIT):
        marks = [Mark(one.value, one.start, one.end) for one in found if one.kind is kind]
        own = [mark for mark in marks if first <= mark.start and mark.end <= last]
        names.append(aligned(text, numbers, own) if len({mark.value for mark in own}) > 1 else [None] * len(numbers))
    pairs = list(zip(*names, strict=True))
    return pairs if len(set(pairs)) == len(pairs) else []


_SIDE: Final = re.compile(rf"{MEAN.pattern}|{STD.pattern}|\d\s?%?[,;.]\s", re.IGNORECASE)


def _averages_all(values: Sequence[Numeral], figures: Sequence[Figure]) -> bool:
    """Whether a sentence gives the average of all its other figures: then they are of one run each, named or not, as in
    `67.9 for seed 0, then 64.5 and 65.6, 66.0 on average`."""
    mean = the_only(figure.number for figure in figures if figure.statistic is Statistic.MEAN)
    return mean is not None and len(values) > 1 and follows(mean, None, as_floats(values))


def _in_order(text: str, figures: list[Figure], order: tuple[str, str]) -> dict[int, str | None]:
    """The splits of figures of one kind that stand in pairs, `81.0 / 79.3` or `81.0 → 79.3`, in the order that the text
    above names them. A value and an average, `79.2 80.1 → 79.6 (sd 0.5)`, are no pair."""
    splits: dict[int, str | None] = {one.number.start: None for one in figures}
    for one, other in pairwise(figures):
        first, second = one.number, other.number
        is_pair = one.statistic is other.statistic and _PAIRED.fullmatch(text[first.end : second.start])
        if is_pair and splits[first.start] is None:
            splits[first.start], splits[second.start] = order
    return splits


_PAIRED: Final = re.compile(r"\s*%?\s*(?:[/|(\[→⇒]|->|=>)\s*")


def _possible(text: str, numbers: list[Numeral], splits: dict[int, str | None], lab: Lab) -> dict[int, str | None]:
    """The splits of values, those of a list that cannot all be of what words give them being of the one split that all
    of them can be of: of 200 examples no accuracy is 79.45 %."""
    sizes = {split.id: split.examples for split in lab.splits if split.examples}
    result = dict(splits)
    for run in listed(text, numbers):
        named = {splits.get(number.start) for number in run}
        if len(named) < 2 or all(_is_possible(number, splits.get(number.start), sizes) for number in run):
            continue
        whole = the_only(s for s in named if s and all(_is_possible(number, s, sizes) for number in run))
        result.update({number.start: whole for number in run})
    return result


def _is_possible(number: Numeral, split: str | None, sizes: Mapping[str, int]) -> bool:
    return split is None or split not in sizes or is_share(number, sizes[split])


def _starts(numbers: Sequence[Numeral]) -> list[int]:
    return [number.start for number in numbers]


def _role(value: str | None, nearness: Nearness) -> Role:
    return Role(value=value, nearness=nearness) if value is not None else Role()


_RUN_LABEL: Final = re.compile(r"\W*(?P<name>[^\W\d][\w./-]*?)[_-](?P<run>\d{1,6})(?:\s+[^\W\d]\w*)?\s*[:=|]\s")


def _runs_of_label(text: str, values: Sequence[Numeral], found: Sequence[Mention]) -> dict[int, int]:
    """The run of all values of a line that begins with the name of an experiment and a number: `random_42: 66.2`."""
    label = _RUN_LABEL.match(text)
    if not label or not any(one.kind is Kind.EXPERIMENT and one.end <= label.end("name") for one in found):
        return {}
    return {number.start: int(label["run"]) for number in values if number.start >= label.end()}


def _runs(text: str, values: list[Numeral], above: int | None, own: tuple[str, ...]) -> dict[int, int]:
    """For each value, by its offset, the run it is of: as named, else counted from 1 in a list of at least two."""
    taken = [(number.start, number.end) for number in values]
    marks = [mark for mark in runs_named(text, own) if not overlaps(mark.start, mark.end, taken)]
    if len(values) == 1 and marks:
        return {values[0].start: int(marks[0].value)} if len(marks) == 1 else {}
    named = aligned(text, values, marks)
    if marks and any(name is not None for name in named):
        lists = [run for run in listed(text, values) if len(run) == len(marks) > 1]
        if lists:
            return {number.start: int(mark.value) for run in lists for number, mark in zip(run, marks, strict=True)}
        return {number.start: int(name) for number, name in zip(values, named, strict=True) if name is not None}
    if above is not None:
        return {number.start: above for number in values}
    return {
        n.start: position for run in listed(text, values) if len(run) > 1 for position, n in enumerate(run, start=1)
    }


_RUN_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?%?")
_NAME: Final = re.compile(r"[\w./-]*[A-Za-z][\w./-]*[/_-][\w./-]*")


def _series_name(line: Line) -> str:
    """What a list item calls its run, less the run's number: `books_random/seed_` of `books_random/seed_0: 65.4`."""
    name = _NAME.search(line.text)
    return _RUN_NUMBER.sub("#", name.group()) if name else ""


def _moment(text: str, start: int, end: int, figures: Sequence[Figure]) -> Moment:
    """When a figure, `text[start:end]` with its deviation, was measured, as the words between it and its neighbours say
    it."""
    before = max((one.number.end for one in figures if one.number.end <= start), default=0)
    after = min((one.number.start for one in figures if one.number.start >= end), default=len(text))
    return moment_around(text, start, end, before, after)
