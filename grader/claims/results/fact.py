"""A reported result: a number, what it may be, and where it stands."""

from collections.abc import Iterable
from decimal import Decimal
from enum import IntEnum, StrEnum

from grader.claims.moment import UNTOLD, Moment
from grader.claims.numerals import Numeral
from grader.frozen import Frozen
from grader.reading.evidence import Evidence


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
    """A number that reports a result, in percent as far as its form tells, with its possible roles.

    `unit` numbers the table or the run of text that it stands in, `series` is what its labels say without the run's
    number: figures of one series differ by run or moment only. `run`: the number of the seed or run where one is
    named, or counted from 1 where values are only listed; `is_marked`: set in bold or starred among its neighbours;
    `hint`: the experiment that words suggest which alone would not name it; `among`: the experiments that the text
    around names together; `is_telling`: words beside it speak of accuracies.
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
    unit: int = 0
    series: str = ""
    evidence: tuple[Evidence, ...]

    @property
    def key(self) -> tuple[int, str, str | None]:
        """What figures of one series share."""
        return self.unit, self.series, self.split.value


def is_fraction(number: Numeral) -> bool:
    """Whether an accuracy is written as a fraction of one: `0.799`."""
    return number.value <= 1


def in_percent(number: Numeral) -> Decimal:
    """An accuracy in percent."""
    return number.value * (100 if is_fraction(number) else 1)


def unit_in_percent(number: Numeral) -> Decimal:
    """The unit of an accuracy's last digit, in percent."""
    return number.resolution * (100 if is_fraction(number) else 1)


def is_share(number: Numeral, size: int) -> bool:
    """Whether an accuracy is, rounded or cut, that of a whole number of so many examples."""
    value, unit = float(in_percent(number)), float(unit_in_percent(number))
    return abs(value - round(value * size / 100) * 100 / size) <= unit + 1e-9


def as_floats(numbers: Iterable[Numeral]) -> list[float]:
    """Accuracies in percent."""
    return [float(in_percent(number)) for number in numbers]
