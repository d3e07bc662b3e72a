"""Numbers as people write them: digit groups, decimal commas, percentages, millions."""

import re
from collections.abc import Iterator
from decimal import Decimal

from grader.frozen import Frozen

NUMBER = r"(?:\d{1,3}(?:, ?|[ '.])\d{3}(?:(?:, ?|[ '.])\d{3})*(?!\d)(?:[.,]\d+(?!\d))?|\d+(?:[.,]\d+)?)"
"""One written number, in any of the usual formats."""

_NUMBER = re.compile(rf"(?<![\w.,^_]){NUMBER}")
_UNIT = re.compile(r"\s?(m|million|millions|k|thousand|b|billion|billions|milliards?)\b", re.IGNORECASE)
_GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>, ?|[ '.])\d{3})(?:(?P=mark)\d{3})*")
_FACTORS = {"k": 3, "thousand": 3, "m": 6, "million": 6, "millions": 6, "b": 9, "billion": 9, "billions": 9}
_PERCENT = re.compile(
    r"(?<![\w.,^_])(\d{1,3}(?:[.,]\d+)?)(?![\d])(?!(?:, ?|[ '.])\d{3}(?!\d))\s?(%|percent|pour cent)?"
)


class Numeral(Frozen):
    """A number as read. `readings` are all values that its spelling allows, the likeliest first: `1,024` may be 1024
    or 1.024. `resolution` is the unit of its last digit. `percent` says that a percent sign follows."""

    text: str
    readings: tuple[Decimal, ...]
    resolution: Decimal
    start: int
    end: int
    percent: bool = False

    @property
    def value(self) -> Decimal:
        """The likeliest reading."""
        return self.readings[0]


def numerals(text: str) -> Iterator[Numeral]:
    """All numbers in a normalised text, with a following `M`, `million` and the like taken into the value."""
    for match in _NUMBER.finditer(text):
        written = match.group()
        values = readings(written)
        unit = _UNIT.match(text, match.end())
        power = Decimal(10) ** (_FACTORS.get(unit.group(1).lower(), 9) if unit else 0)
        yield Numeral(
            text=text[match.start() : unit.end() if unit else match.end()],
            readings=tuple(value * power for value in values),
            resolution=_last_digit(values[0]) * power,
            start=match.start(),
            end=unit.end() if unit else match.end(),
        )


def percentages(text: str) -> Iterator[Numeral]:
    """Numbers from 0 to 100 that may be accuracies: `79.9%`, `79,9 %`, `0.799`, `80`."""
    for match in _PERCENT.finditer(text):
        value = Decimal(match.group(1).replace(",", "."))
        if value <= 100:
            yield Numeral(
                text=match.group().strip(),
                readings=(value,),
                resolution=_last_digit(value),
                start=match.start(),
                end=match.end(),
                percent=bool(match.group(2)),
            )


def readings(written: str) -> tuple[Decimal, ...]:
    """All values that a written number may have, the likeliest first. A dot before three digits is a decimal mark
    first (`1.024`), a comma there is a thousands mark first (`1,024`)."""
    grouped = _GROUPED.fullmatch(written)
    as_decimal = re.fullmatch(r"\d+[.,]\d+", written)
    values = []
    if grouped:
        values.append(Decimal(re.sub(r"\D", "", written)))
    if as_decimal:
        values.insert(0 if "." in written else len(values), Decimal(written.replace(",", ".")))
    if not values:
        values.append(_mixed(written))
    return tuple(values)


def _mixed(written: str) -> Decimal:
    """A number with groups and a decimal part (`1,234.5`), or a plain one: the last mark is the decimal one."""
    head, mark, tail = re.fullmatch(r"(.*?)(?:([.,])(\d+))?", written).groups()  # type: ignore[union-attr]
    return Decimal(re.sub(r"\D", "", head) + (f".{tail}" if mark else ""))


def _last_digit(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    return Decimal(1).scaleb(min(int(exponent), 0))
