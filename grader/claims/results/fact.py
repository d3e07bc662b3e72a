"""Facts: numbers that report results, with the roles that words give them.

A role is an experiment or a split, with the `Nearness` of the words that state it. A fact also has a statistic, a run,
a `Moment` of the training and a place.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum, IntEnum
from statistics import fmean, pstdev, stdev
from typing import Final

from grader.claims.numerals import Numeral
from grader.claims.results.measures import START, any_of
from grader.frozen import Frozen
from grader.reading.document import Evidence

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
    """The point in training at which a result was measured. All fields are unset if the text does not state it.

    Epochs count from 1, and a step is a number of updates. `is_end`: the end of training. `is_chosen`: the text says
    that this is the selected checkpoint.
    """

    epoch: int | None = None
    step: int | None = None
    is_end: bool = False
    is_chosen: bool = False

    @property
    def is_told(self) -> bool:
        """Whether the text states an epoch or a step."""
        return self.epoch is not None or self.step is not None

    def differs(self, other: "Moment") -> bool:
        """Whether two moments may be different, so that different results at them do not contradict each other.

        A result without a moment is of the selected checkpoint.
        """
        if self.is_end != other.is_end:
            return True
        if self.is_told and other.is_told:
            return not self.agrees(other)
        return any(moment.is_told and not moment.is_chosen for moment in (self, other))

    def agrees(self, other: "Moment") -> bool:
        """Whether both moments have the same epoch or the same step."""
        epochs, steps = (self.epoch, other.epoch), (self.step, other.step)
        if None not in epochs:
            return self.epoch == other.epoch and (None in steps or self.step == other.step)
        return None not in steps and self.step == other.step


UNTOLD: Final = Moment()
"""The moment of a number for which the text states none."""

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
    """Return the places where a text mentions the selected checkpoint (`chosen`) and the last one (`last`).

    Each place has its start and end. Return no places if the text does not mention both.
    """
    found = [("chosen", *match.span()) for match in _CHOSEN_ONE.finditer(text)]
    found += [("last", *match.span()) for match in _LAST.finditer(text)]
    return sorted(found, key=lambda place: place[1]) if len({name for name, _, _ in found}) > 1 else []


def moment_in(text: str) -> Moment:
    """Return the last moment that a text names: `at epoch 5`, `step 1125`, `at the last epoch`."""
    epochs, steps = _EPOCH.findall(text), _STEP.findall(text)
    return Moment(
        epoch=int(epochs[-1]) if epochs else None,
        step=int(steps[-1]) if steps else None,
        is_end=bool(_END.search(text)),
        is_chosen=bool(_CHOSEN.search(text)),
    )


def moment_around(text: str, start: int, end: int, before: int, after: int) -> Moment:
    """Return the moment of a number, `text[start:end]`.

    The number before it ends at `before`, and the number after it begins at `after`. The moment is stated after the
    number, up to the next comma or run, or else before it.
    """
    behind = _NEXT.split(text[end:after], maxsplit=1)[0]
    near = moment_in(behind)
    if not near.is_told:
        near = moment_in(text[before:start])
    whole = moment_in(text)
    return near.model_copy(update={"is_end": whole.is_end, "is_chosen": whole.is_chosen})


class Statistic(Enum):
    """The kind of a number: the value of one run, a mean or deviation over several runs, or something else."""

    VALUE = "value"
    MEAN = "mean"
    STD = "std"
    OTHER = "other"

    @property
    def is_rate(self) -> bool:
        """Whether it is a value of the measure itself: of one run, or a mean."""
        return self in (Statistic.VALUE, Statistic.MEAN)


class Nearness(IntEnum):
    """The distance between a number and the words that give it a role. Nearer words outweigh words further away."""

    NONE = 0
    SECTION = 1
    HEADING = 2
    CAPTION = 3
    SENTENCE = 4
    LABEL = 5


class Role(Frozen):
    """The experiment or the split of a number, with the nearness of the words that state it. `value` is None if none
    do."""

    value: str | None = None
    nearness: Nearness = Nearness.NONE

    @property
    def is_label(self) -> bool:
        """Whether a label beside the number states it."""
        return self.nearness is Nearness.LABEL

    @property
    def is_beside(self) -> bool:
        """Whether a label or the number's own sentence states it."""
        return self.nearness >= Nearness.SENTENCE

    @property
    def is_from_afar(self) -> bool:
        """Whether only the section states it, or nothing."""
        return self.nearness <= Nearness.SECTION

    @property
    def is_worded(self) -> bool:
        """Whether any words state it."""
        return self.nearness is not Nearness.NONE

    def or_else(self, other: "Role") -> "Role":
        """Return this role if it has a value, otherwise the other role."""
        return self if self.value is not None else other


class Fact(Frozen):
    """A number that may report a result. A share is in percent as far as its form shows."""

    number: Numeral
    statistic: Statistic
    experiment: Role = Role()
    split: Role = Role()
    run: int | None = None
    """The number of the seed or run, or the position in a list of values, from 1."""
    moment: Moment = UNTOLD
    is_marked: bool = False
    """Whether the number is highlighted among its neighbours, for example in bold."""
    deviation: Numeral | None = None
    hint: str | None = None
    """The experiment that words suggest without naming it."""
    among: tuple[str, ...] = ()
    """The experiments that the surrounding text names together."""
    is_telling: bool = True
    """Whether words beside the number name the measure."""
    is_aside: bool = False
    """Whether a program prints other words beside the number."""
    proof: int = 0
    """The number of the group of values from which an average and a deviation follow together; 0 for other facts."""
    unit: int = 0
    """The number of the table or passage in which the fact stands."""
    series: str = ""
    """The text of the labels without the run. The facts of one series differ only by run or moment."""
    evidence: tuple[Evidence, ...]

    @property
    def key(self) -> tuple[int, str, str | None]:
        """The properties that the facts of one series share."""
        return self.unit, self.series, self.split.value

    @property
    def owner(self) -> tuple[str | None, str | None]:
        """The experiment and the split to which the number belongs."""
        return self.experiment.value, self.split.value

    def with_deviation(self, std: "Fact") -> "Fact":
        """Return this average with a deviation that is stated elsewhere."""
        evidence = tuple(dict.fromkeys((*self.evidence, *std.evidence)))
        return self.model_copy(update={"statistic": Statistic.MEAN, "deviation": std.number, "evidence": evidence})

    @property
    def is_without_run(self) -> bool:
        """Whether it is the value of a run that the text does not identify."""
        return self.statistic is Statistic.VALUE and self.run is None


def less_last_ones(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts without results of the last checkpoint, if the selected checkpoint has results, too.

    Both must be of the same experiment and split.
    """
    chosen = {fact.owner for fact in facts if fact.moment.is_chosen and not fact.moment.is_end}
    return [fact for fact in facts if fact.moment.is_chosen or not fact.moment.is_end or fact.owner not in chosen]


def is_fraction(number: Numeral) -> bool:
    """Whether a share is written as a fraction, such as `0.799`."""
    return number.value <= 1 and not number.is_plain


def in_unit(number: Numeral) -> Decimal:
    """Return the value of a measure in the stored unit: a share in percent."""
    return number.value * (100 if is_fraction(number) else 1)


def digit_in_unit(number: Numeral) -> Decimal:
    """Return the unit of the last digit in the stored unit: a share in percent."""
    return number.resolution * (100 if is_fraction(number) else 1)


def is_exact(number: Numeral) -> bool:
    """Whether a number is written with decimals or as a percentage."""
    return number.has_decimals or number.percent


def is_share(number: Numeral, size: int) -> bool:
    """Whether a share is a whole number of `size` examples, rounded or cut."""
    value, unit = float(in_unit(number)), float(digit_in_unit(number))
    return abs(value - round(value * size / 100) * 100 / size) <= unit + 1e-9


def is_among(number: Numeral, values: Sequence[float]) -> bool:
    """Whether a number lies between the smallest and the largest of the values, so that it may be their average."""
    return min(values) <= in_unit(number) <= max(values)


def as_floats(numbers: Iterable[Numeral]) -> list[float]:
    """Return values of a measure as floats; a share in percent."""
    return [float(in_unit(number)) for number in numbers]


WHOLE: Final = re.compile(r"\W*(\d{1,6})(?:\s*\((?:last|dernière|derniere|best|final|tie[^)]*)\)|\s?\*{1,2})?\W*")
MOMENT_HEADER: Final = re.compile(
    rf"{START}({any_of('epoch')})|{START}({any_of('step')}|(?:upd\w*|it[ée]r\w*|pas)(?![^\W_]))", re.IGNORECASE
)


def whole_in(text: str) -> int | None:
    """Return the whole number that fills a cell, such as a seed or an epoch, or None."""
    match = WHOLE.fullmatch(text)
    return int(match.group(1)) if match else None


def moments_of_columns(texts: Sequence[str]) -> dict[int, Moment]:
    """Return the moments of a row such as `Best epoch | 5 | 3 | 4`, by column, for the numbers below."""
    header = MOMENT_HEADER.search(texts[0])
    numbers = {index: number for index, text in enumerate(texts[1:], start=1) if (number := whole_in(text)) is not None}
    if not header or not numbers or len(numbers) < sum(bool(text) for text in texts[1:]):
        return {}
    kind = "epoch" if header.group(1) and max(numbers.values()) < 100 else "step"
    return {index: Moment.model_validate({kind: number, "is_chosen": True}) for index, number in numbers.items()}


def moment_of_cell(texts: Sequence[str], index: int, kinds: Mapping[int, str]) -> Moment:
    """Return the moment of a cell from other columns of its row.

    `kinds` maps columns to `epoch` or `step`. If several columns have one kind, the last one before the cell counts.
    """
    values: dict[str, int] = {}
    for at, kind in kinds.items():
        value = whole_in(texts[at])
        if value is not None and (at < index or kind not in values):
            values[kind] = value
    return Moment(**values) if values else UNTOLD


def moment_of_labels(row: str, column: str, header: str) -> Moment:
    """Return the moment in the label of a row or column.

    A bare number counts if the label or the `header` of the first column says that it is an epoch or a step. Without a
    number, the label may name the selected or the last checkpoint.
    """
    named = [moment_in(label) for label in (column, row)]
    heads = MOMENT_HEADER.search(header)
    for label in (row, column) if heads else ():
        if (first := whole_in(label.split(" ; ")[0])) is not None:
            is_epoch = heads is not None and heads.group(1) and first < 100
            named.append(Moment(epoch=first) if is_epoch else Moment(step=first))
    stated_moments = (moment for moment in named if moment.is_told)
    return next(stated_moments, next((moment for moment in named if moment.is_end != moment.is_chosen), UNTOLD))


def without_doubles(facts: list[Fact]) -> list[Fact]:
    """Return the facts of a table without doubtful experiments.

    An experiment is doubtful if only text around the table states it, and labels of other cells name it, or a row has
    several values of it for the same run.
    """
    labelled = {fact.experiment.value for fact in facts if fact.experiment.is_label}
    crowded = _crowded([fact for fact in facts if not fact.experiment.is_label])
    kept: list[Fact] = []
    for fact in facts:
        if not fact.experiment.is_label and (fact.experiment.value or fact.hint) in crowded:
            fact = fact.model_copy(update={"experiment": Role(), "hint": None})
        elif not fact.experiment.is_label and fact.experiment.value in labelled:
            fact = fact.model_copy(update={"experiment": Role()})
        kept.append(fact)
    return kept


def _crowded(facts: Iterable[Fact]) -> set[str]:
    """Return the experiments that have several values for one run in a row, each under a different label."""
    in_row: dict[tuple[object, ...], dict[str, Decimal]] = {}
    for fact in facts:
        row = (fact.experiment.value or fact.hint, fact.split, fact.run, fact.moment, fact.evidence)
        in_row.setdefault(row, {})[fact.series] = fact.number.value
    return {
        str(experiment)
        for (experiment, _, run, *_), values in in_row.items()
        if experiment and run is not None and len(set(values.values())) > 1
    }


_NUMBERED: Final = range(2, 11)
"""The possible lengths of a list of values that is counted as runs."""


def number_runs(facts: list[Fact]) -> list[Fact]:
    """Return the facts with runs: values of one series without a run are counted in their order."""
    series: dict[tuple[object, ...], list[int]] = {}
    for index, fact in enumerate(facts):
        if fact.is_without_run and not fact.moment.is_told:
            series.setdefault((*fact.key, fact.experiment.value), []).append(index)
    result = list(facts)
    for members in series.values():
        if len(members) in _NUMBERED:
            for position, index in enumerate(members, start=1):
                result[index] = facts[index].model_copy(update={"run": position})
    return result


def follows(mean: Numeral, deviation: Numeral | None, values: Sequence[float]) -> bool:
    """Whether an average, and its deviation if there is one, follow from values in percent.

    Both may be rounded or cut. The deviation may be in population or sample form, and 100 times too small or too large.
    """
    if not values or abs(float(in_unit(mean)) - fmean(values)) > float(digit_in_unit(mean)) + 1e-9:
        return False
    return deviation is None or deviation_follows(mean, deviation, values)


_COARSEST: Final = 1
"""The coarsest useful unit of the last digit of a deviation, in percent."""


def deviation_follows(mean: Numeral, deviation: Numeral, values: Sequence[float]) -> bool:
    """Whether a deviation follows from values in percent, in its own unit or in that of the average."""
    forms = (pstdev(values), stdev(values)) if len(values) > 1 else (0.0,)
    written, unit = float(deviation.value), float(deviation.resolution)
    scales = (1,) if mean.is_plain else (100, 1) if is_fraction(mean) and not deviation.percent else (1, 100)
    return any(
        abs(written * scale - form) <= unit * scale + 1e-9
        for form in forms
        for scale in scales
        if mean.is_plain or unit * scale <= _COARSEST
    )
