"""Numbers as people write them: digit groups, decimal commas, percentages, millions."""

import re
from collections.abc import Iterator
from decimal import Decimal

from grader.frozen import Frozen

_GROUPS = r"(?:(?:, ?\d{3})+|(?: \d{3})+|(?:'\d{3})+|(?:\.\d{3})+|(?:_\d{3})+)"
"""Groups of three digits, all set apart by the same mark."""

_CRORES = r"(?:\d{1,2}(?:,\d{2}){2,},\d{3}|(?<![(\[])\d{1,2},\d{2},\d{3})"
"""Digits grouped as in South Asia: `2,28,07,552`, `15,72,864`; not a shape such as `(16,32,128)`."""

NUMBER = rf"(?:{_CRORES}(?!\d)|\d{{1,3}}{_GROUPS}(?!\d)(?:[.,]\d+(?!\d))?|\d+(?:[.,]\d+)?)"
"""One written number, in any of the usual formats."""

_NUMBER = re.compile(rf"(?<![\w.,^_]){NUMBER}")
_UNIT = re.compile(
    r"\s?(?:(?P<word>m|million|millions|k|thousand|b|billion|billions|milliards?)\b"
    r"|[×x]\s?10\s?\^\s?(?P<power>[-+]?\d{1,2})\b"
    r"|(?<=\d)e(?P<exponent>[-+]?\d{1,2})\b)",
    re.IGNORECASE,
)
_LIST = re.compile(r"\d{3}(?:, \d{3}){2,}")
_LONGEST = 60
_GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>, ?|[ '._])\d{3})(?:(?P=mark)\d{3})*")
_BY_CRORES = re.compile(_CRORES)
_POWERS = {"k": 3, "thousand": 3, "m": 6, "million": 6, "millions": 6, "b": 9, "billion": 9, "billions": 9}
_OWN_MILLIONS = 1_000_000
"""A number that spells out its millions takes no unit: the letter behind it begins something else."""

_PERCENT = re.compile(
    r"(?<![\w.,^_])(?<!\de[-+])(\d{1,3}(?:[.,]\d+)?)(?![\d])(?!e[-+]?\d)"
    r"(?!(?:, ?|[ '.])\d{3}(?!\d))\s?(%|percent|pour cent)?",
    re.IGNORECASE,
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
    end = 0
    for match in _NUMBER.finditer(text):
        written = match.group()
        if match.start() < end or len(written) > _LONGEST or _is_list(written):
            continue
        values = readings(written)
        unit = _UNIT.match(text, match.end())
        if unit and unit["word"] and values[0] >= _OWN_MILLIONS:
            unit = None
        end = unit.end() if unit else match.end()
        factor = Decimal(10) ** (_power(unit) if unit else 0)
        yield Numeral(
            text=text[match.start() : end],
            readings=tuple(value * factor for value in values),
            resolution=_last_digit(values[0]) * factor,
            start=match.start(),
            end=end,
        )


def _is_list(written: str) -> bool:
    """`512, 512, 256` and `100, 200, 300` are lists of sizes, which repeat or are round; `409, 792, 512` is one number
    as TeX sets it."""
    groups = written.split(", ")
    return bool(_LIST.fullmatch(written)) and (len({*groups}) < len(groups) or all(int(g) % 50 == 0 for g in groups))


def _power(unit: re.Match[str]) -> int:
    """The power of ten that a unit stands for."""
    if unit["word"]:
        return _POWERS.get(unit["word"].lower(), 9)
    return int(unit["power"] or unit["exponent"])


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
    grouped = _GROUPED.fullmatch(written) or _BY_CRORES.fullmatch(written)
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
