"""Read numbers as people write them, with digit groups, decimal commas, percentages and millions.

A `Quantity` is a number with its sign, unit and firmness, and a `Target` decides whether it is the required one.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import IntEnum, StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.frozen import Frozen, memoise
from grader.language import lexicon
from grader.language.shapes import LONG_WORD

_GROUPS = r"(?:(?:, ?\d{3})+|(?: \d{3})+|(?:'\d{3})+|(?:\.\d{3})+|(?:_\d{3})+)"
"""Groups of three digits with the same separator."""

_CRORES = r"(?:\d{1,2}(?:,\d{2}){2,},\d{3}|(?<![(\[])\d{1,2},\d{2},\d{3})"
"""Digits grouped as in South Asia: `2,28,07,552`, `15,72,864`; not a shape such as `(16,32,128)`."""

NUMBER = rf"(?:{_CRORES}(?!\d)|\d{{1,3}}{_GROUPS}(?!\d)(?:[.,]\d+(?!\d))?|\d+(?:[.,]\d+)?)"
"""One written number, in any of the usual formats."""

_NUMBER = re.compile(rf"(?<![\w.,^_]){NUMBER}")
_UNIT = (
    r"\s?(?:(?P<three><thousand>|(?<!\n)k(?!\w|\)))|(?P<six><million>|(?<!\n)m(?!\w|\)))"
    r"|(?P<nine><billion>|(?<!\n)b(?!\w|\)))"
    r"|[×x]\s?10\s?\^\s?(?P<power>[-+]?\d{1,2})\b|(?<=\d)e(?P<exponent>[-+]?\d{1,2})\b)"
)
_WORDS_OF_POWER: Final = {"three": 3, "six": 6, "nine": 9}
_PERCENT = (
    r"(?<![\w.,^_])(?<!\de[-+])(\d{1,3}(?:[.,]\d+)?)(?![\d])(?!e[-+]?\d)"
    r"(?!(?:, ?|[ '.])\d{3}(?!\d))\s?(%|<percent>)?"
)
_LIST = re.compile(r"\d{3}(?:, \d{3}){2,}")
_LONGEST = 60
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:(?P<mark>, ?|[ '._])\d{3})(?:(?P=mark)\d{3})*")
_BY_CRORES = re.compile(_CRORES)
_OWN_MILLIONS = 1_000_000
"""A number of at least this size takes no unit for millions. A letter after it begins something else."""


class Numeral(NamedTuple):
    """A number as read."""

    text: str
    readings: tuple[Decimal, ...]
    """All values that its spelling allows, the likeliest first: `1,024` may be 1024 or 1.024."""
    resolution: Decimal
    """The unit of its last digit."""
    start: int
    end: int
    percent: bool = False
    """Whether a percent sign follows."""
    is_plain: bool = False
    """Whether it is no share, so that 0.8 is not 80 %."""

    @property
    def value(self) -> Decimal:
        """The likeliest reading."""
        return self.readings[0]

    @property
    def has_decimals(self) -> bool:
        """Whether it has decimals."""
        return self.resolution < 1


def text_before(text: str, end: int, most: int = 40) -> str:
    """Return at most `most` characters of a text directly before an offset."""
    return text[max(0, end - most) : end]


@memoise
def numerals(text: str) -> tuple[Numeral, ...]:
    """Return all numbers in a normalised text. A following `M`, `million` and the like is part of the value."""
    found: list[Numeral] = []
    end = 0
    for match in _NUMBER.finditer(text):
        written = match.group()
        if match.start() < end or len(written) > _LONGEST or _is_list(written, text[: match.start()]):
            continue
        values = readings(written)
        unit = lexicon.match(_UNIT, text, match.end())
        if unit and unit.lastgroup in _WORDS_OF_POWER and values[0] >= _OWN_MILLIONS:
            unit = None
        end = unit.end() if unit else match.end()
        factor = Decimal(10) ** (_power(unit) if unit else 0)
        numeral = Numeral(
            text=text[match.start() : end],
            readings=tuple(value * factor for value in values),
            resolution=_last_digit(values[0]) * factor,
            start=match.start(),
            end=end,
        )
        found.append(numeral)
    return tuple(found)


def _is_list(written: str, before: str) -> bool:
    """Whether digits with commas are a list of sizes instead of one number.

    The sizes repeat or are round, `512, 512, 256`, or stand in square brackets, `[292, 91, 376, 175]`. `409, 792, 512`
    is one number as TeX sets it.
    """
    groups = written.split(", ")
    is_in_brackets = len(groups) > 1 and before.rfind("[") > before.rfind("]")
    are_sizes = _LIST.fullmatch(written) and (len({*groups}) < len(groups) or all(int(g) % 50 == 0 for g in groups))
    return is_in_brackets or bool(are_sizes)


def _power(unit: re.Match[str]) -> int:
    """Return the power of ten for which a unit stands."""
    group = unit.lastgroup or ""
    return _WORDS_OF_POWER[group] if group in _WORDS_OF_POWER else int(unit[group])


def percentages(text: str) -> Iterator[Numeral]:
    """Yield the numbers from 0 to 100 that may be accuracies: `79.9%`, `79,9 %`, `0.799`, `80`."""
    for match in lexicon.find_all(_PERCENT, text):
        value = Decimal(match.group(1).replace(",", "."))
        if value <= 100:
            yield Numeral(
                text=text[match.start() : match.end()].strip(),
                readings=(value,),
                resolution=_last_digit(value),
                start=match.start(),
                end=match.end(),
                percent=bool(match.group(2)),
            )


def readings(written: str) -> tuple[Decimal, ...]:
    """Return all values that a written number may have, the likeliest first.

    Before three digits, a dot is first read as a decimal mark (`1.024`) and a comma as a thousands separator (`1,024`).
    """
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
    """Return the value of a number whose last mark is the decimal mark, such as `1,234.5`."""
    head, mark, tail = re.fullmatch(r"(.*?)(?:([.,])(\d+))?", written).groups()  # type: ignore[union-attr]
    return Decimal(re.sub(r"\D", "", head) + (f".{tail}" if mark else ""))


def _last_digit(value: Decimal) -> Decimal:
    """Return the unit of a number's last digit: 0.01 for 79.30, 1 for 1200."""
    return Decimal(1).scaleb(min(int(value.as_tuple().exponent), 0))


RESULT: Final = r"(?:[=≈:→⇒]|<states>)[\s×(\[\"]*\Z"
"""The text before a number that is stated as a result: an equals sign, a colon, a verb."""


class Form(StrEnum):
    """The notation of a number."""

    DECIMAL = "decimal"
    PERCENT = "percent"
    FRACTION = "fraction"


class Firmness(IntEnum):
    """The firmness with which a number is stated.

    In ascending order: as an operand; mentioned in a sentence; after a verb such as `is`; or after an equals sign or
    colon, or alone in its line.
    """

    OPERAND = 0
    MENTIONED = 1
    STATED = 2
    SET = 3


class Quantity(Frozen):
    """A number in a text with its unit."""

    text: str
    readings: tuple[Decimal, ...]
    """All values that its spelling allows, the likeliest first. Percentages are as written."""
    plain: tuple[Decimal, ...]
    """The readings without a letter such as `m`, which may mean a million or a unit."""
    resolution: Decimal
    """The unit of its last digit, or 0 for a fraction."""
    form: Form
    unit: str
    """The word or sign after it."""
    firmness: Firmness
    start: int
    end: int


_PERCENT_SIGN: Final = r"\s?(?:%|<percent>)"
_UNIT_BEHIND: Final = re.compile(r"[ \t]?((?:[^\W\d_]|°)+(?:[/·×]?(?:[^\W\d_]+)?(?:\^?-?[1-3])?)*)")
_SPREAD: Final = re.compile(r"\s?±\s?\d+(?:[.,]\d+)?")
_SLASH: Final = re.compile(r"\s?/\s?|\)/\(")
_LETTER_UNIT: Final = re.compile(r"\s?[^\W\d_]+\Z")
_FUNCTION: Final = r"(?:log|ln|sqrt|exp|sin|cos|tan)"
_OPERATOR_AFTER: Final = re.compile(r"\s*(?:[+×/^÷=]|-\s?[\d(]|x\s?\d|!\s?[/×+])|\s?\(\d(?![\d.]*\s?[^\W\d_]{2})")
_APPLIED: Final = re.compile(rf"\s*(?:[π√∑Σ]|\\?{_FUNCTION})")
_OPERATOR_BEFORE: Final = re.compile(
    rf"(?:[+×/^÷√±<>≤≥]|\dx|\d\sx|[\d)][ \t]?-|\w\(|{_FUNCTION}_?\d{{0,2}}\b)\s*[(\[]?\s*-?\s?\Z"
)
_BULLET: Final = re.compile(r"^[ \t]*(?:[-•+>]|(\d{1,2})[.)])[ \t]+", re.MULTILINE)
_SET: Final = re.compile(r"(?:[=≈:→⇒≃])\s*[(\[]?\s*-?\s?\Z")
_MINUS: Final = re.compile(r"-\s?\Z")
_TAKES_MINUS: Final = re.compile(r"(?:[\d)\]%][^\S\n]*|[^\W\d])\Z")
"""The text before a minus sign that makes it an operator or a hyphen."""
_WHOLE_NAMES: Final = r"<numbered_part>\.?\s*\(?\Z"
"""Names that are numbered by whole numbers: in `on the test part 54.03`, 54.03 is an error."""
_MOST_WORDS_BESIDE: Final = 1
_LONGEST_BESIDE: Final = 80
_WINDOW: Final = 40


def quantities(text: str) -> Iterator[Quantity]:
    """Yield all quantities of a normalised text, in order, without the numbers of lists, figures, equations and the
    like."""
    bullets = {match.end() for match in _BULLET.finditer(text)}
    numbered = {match.start(1) for match in _BULLET.finditer(text)}
    found = [
        candidate
        for candidate in numerals(text)
        if candidate.start not in numbered
        and not lexicon.match("<ordinal_ending>", text, candidate.end)
        and not lexicon.search(
            r"<part_of_text|exercise>\.?:?\s*\(?\Z", text, candidate.start - _WINDOW, candidate.start
        )
        and (
            candidate.has_decimals or not lexicon.search(_WHOLE_NAMES, text, candidate.start - _WINDOW, candidate.start)
        )
    ]
    done = -1
    for number, numeral in enumerate(found):
        if numeral.start < done:
            continue
        rest = found[number + 1 : number + 3]
        quantity = _fraction(text, numeral, rest) or _plain(text, numeral)
        done = quantity.end
        yield _signed(text, quantity, bullets)


def _fraction(text: str, number: Numeral, rest: list[Numeral]) -> Quantity | None:
    """Return a fraction, or a whole number with a fraction, or None. Chains such as dates are no fractions."""
    if not rest:
        return None
    if text[number.end : rest[0].start] == " ":
        part = _fraction(text, rest[0], rest[1:])
        if not part or number.value != number.value.to_integral_value() or part.readings[0] >= 1:
            return None
        values = (number.value + part.readings[0],)
        return part.model_copy(
            update={
                "text": text[number.start : part.end],
                "readings": values,
                "plain": values,
                "start": number.start,
                "firmness": firmness_at(text, number.start, part.end),
            }
        )
    if not _SLASH.fullmatch(text, number.end, rest[0].start):
        return None
    below = rest[0]
    if not below.value or _SLASH.match(text, below.end) or text_before(text, number.start, 1) == "/":
        return None
    value = number.value / below.value
    braced = text.startswith("))", below.end) and text_before(text, number.start, 2) == "(("
    if text[number.end] == ")" and not braced:
        return None
    start, end = (number.start - 2, below.end + 2) if braced else (number.start, below.end)
    percent = lexicon.match(_PERCENT_SIGN, text, end)
    return Quantity(
        text=f"{number.text}/{below.text}",
        readings=(value,),
        plain=(value,),
        resolution=Decimal(0),
        form=Form.PERCENT if percent else Form.FRACTION,
        unit=_unit(text, end),
        firmness=firmness_at(text, start, end),
        start=start,
        end=end,
    )


def _plain(text: str, number: Numeral) -> Quantity:
    """Return a number that is no fraction, with its percent sign. A letter after it may be a unit."""
    letter = _LETTER_UNIT.search(number.text)
    bare = number.text[: letter.start()] if letter else number.text
    percent = lexicon.match(_PERCENT_SIGN, text, number.end)
    end = percent.end() if percent else number.end
    return Quantity(
        text=bare if letter and len(letter[0].strip()) == 1 else text[number.start : end],
        readings=number.readings,
        plain=numerals(bare)[0].readings,
        resolution=number.resolution,
        form=Form.PERCENT if percent else Form.DECIMAL,
        unit=_unit(text, number.start + len(bare)),
        firmness=firmness_at(text, number.start, end if percent else number.start + len(bare)),
        start=number.start,
        end=end,
    )


def _unit(text: str, end: int) -> str:
    """Return the unit after a number, also after a bracket and a spread: `(9.85 ± 0.04) m/s^2`."""
    spread = _SPREAD.match(text, end)
    end = spread.end() if spread else end
    end += text.startswith(")", end)
    match = _UNIT_BEHIND.match(text, end)
    return "%" if lexicon.match(_PERCENT_SIGN, text, end) else match[1] if match else ""


def _signed(text: str, quantity: Quantity, bullets: set[int]) -> Quantity:
    """Return the quantity with its minus sign, if that is no operator, hyphen or bullet."""
    minus = _MINUS.search(text, max(0, quantity.start - 2), quantity.start)
    if not minus or quantity.start in bullets or _TAKES_MINUS.search(text_before(text, minus.start(), _WINDOW)):
        return quantity
    return quantity.model_copy(
        update={
            "text": f"-{quantity.text}",
            "readings": tuple(-value for value in quantity.readings),
            "plain": tuple(-value for value in quantity.plain),
            "start": minus.start(),
        }
    )


def firmness_at(text: str, start: int, end: int) -> Firmness:
    """Return how firmly `text[start:end]` is stated, by the signs and words on both sides."""
    before = text_before(text, start, _WINDOW)
    unit = _UNIT_BEHIND.match(text, end)
    behind = unit.end() if unit and "/" in unit[1] and not _APPLIED.match(text, end) else end
    if _APPLIED.match(text, end) or _OPERATOR_AFTER.match(text, behind) or _OPERATOR_BEFORE.search(before):
        return Firmness.OPERAND
    before = _MINUS.sub("", before)
    if _SET.search(before) or _is_alone(text, start, end):
        return Firmness.SET
    return Firmness.STATED if lexicon.search(RESULT, before) else Firmness.MENTIONED


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether a line contains only a number and its unit."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    rest = text[first:start] + " " + text[end : len(text) if last < 0 else last]
    return (
        len(rest) <= _LONGEST_BESIDE
        and len(LONG_WORD.findall(rest)) <= _MOST_WORDS_BESIDE
        and not any(candidate.isdigit() for candidate in _BULLET.sub("", rest))
    )


PREFIXES: Final = {
    **{"p": Decimal("1e-12"), "n": Decimal("1e-9"), "μ": Decimal("1e-6"), "µ": Decimal("1e-6"), "u": Decimal("1e-6")},
    **{"m": Decimal("1e-3"), "c": Decimal("1e-2"), "d": Decimal("1e-1"), "": Decimal(1), "h": Decimal("1e2")},
    **{"k": Decimal("1e3"), "M": Decimal("1e6"), "G": Decimal("1e9"), "T": Decimal("1e12")},
}
"""The prefixes of the SI (BIPM, The International System of Units, 9th edition, table 7), with `u` for `μ`."""

_UNIT_POWER: Final = re.compile(r"\^?(-?[1-3])\Z")


def unit_factor(written: str, unit: str) -> Decimal | None:
    """Return the factor from a number in the unit `written` to one in `unit`, or None for a different unit.

    For example, 0.001 for `ms` and `s`. Only the prefix of the first symbol may differ.
    """
    written, unit = _spelt(written), _spelt(unit)
    if written == unit:
        return Decimal(1)
    symbol, *under = unit.split("/", 1)
    other, *beneath = written.split("/", 1)
    if under != beneath:
        return None
    for prefix, size in PREFIXES.items():
        for mine, base in PREFIXES.items():
            stem = symbol.removeprefix(mine) if symbol.startswith(mine) else ""
            if stem and other == prefix + stem and prefix != mine:
                power = _UNIT_POWER.search(stem)
                return (size / base) ** (int(power[1]) if power else 1)
    return None


_WORD_LENGTH: Final = 4
"""A unit with at least this many letters is a word with a plural, such as `bits`; `ms` is not."""


def _spelt(unit: str) -> str:
    """Return a unit in one spelling: `m/s2` for `m/s²`, `bit` for `bits`."""
    plain = unit.replace(" ", "").replace("×", "").replace("·", "").replace("^", "").replace("²", "2").replace("³", "3")
    return plain[:-1] if len(plain) >= _WORD_LENGTH and plain.isalpha() and plain.endswith("s") else plain


def surrounding_text(text: str, start: int, end: int, most: int) -> tuple[str, str]:
    """Return at most `most` characters directly before and after `text[start:end]`."""
    return text[max(0, start - most) : start], text[end : end + most]


_LONG_SENTENCE: Final = 1_000
"""Text of the sentence that is further away, in characters, is unrelated."""


def sentence_bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence or line around `text[start:end]`.

    A line that ends with an operator or a verb continues in the next line.
    """
    cuts = _cuts(text)
    at = bisect_right(cuts, start)
    if at == len(cuts):
        return start, end
    return max(cuts[at - 1], start - _LONG_SENTENCE), min(cuts[at], end + _LONG_SENTENCE)


@lru_cache(maxsize=256)
def _cuts(text: str) -> tuple[int, ...]:
    """Return the starts of the sentences and lines of a text, and its end."""
    ends = re.finditer(r"\n|(?<=[.!?;])\s", text)
    goes_on = r"(?:[=≈+×÷/]|<is>)\s*\Z"
    starts = (end.end() for end in ends if not lexicon.search(goes_on, text, end.start() - _WINDOW, end.start()))
    return (0, *starts, len(text))


def has_spelt_number(text: str) -> bool:
    """Whether a text contains a number in words, as a single character, or as a root, none of which is a `Quantity`."""
    return bool(lexicon.search("<spelt_number>|[¼½¾⅓⅔⅕⅛⅜⅝⅞√π]", text))


NO_UNITS: Final[Mapping[str, Decimal]] = MappingProxyType({})
_HUNDRED: Final = Decimal(100)
_HALF: Final = Decimal("0.5")
_COARSEST: Final = Decimal("0.3")
"""The largest share of a number by which it may be rounded: 1 is not a rounded 0.7."""


class Target(NamedTuple):
    """A right number, the allowed difference, and its unit with other known units.

    `is_range`: all numbers within the margin are right, and `value` is only their middle.
    """

    value: Decimal
    margin: Decimal
    unit: str = ""
    units: Mapping[str, Decimal] = NO_UNITS
    is_range: bool = False

    def holds(self, value: Decimal) -> bool:
        """Whether a number in the target's unit is right."""
        return abs(value - self.value) <= self.margin

    def is_right(self, quantity: Quantity) -> bool:
        """Whether the likeliest reading of a quantity is right.

        Above a lower bound such as 0.85, a plain 40 is right only as 40, not as 40 %: it is not certain.
        """
        value = self.numbers(quantity)[0]
        is_share = self.is_range and not self.unit and 0 < self.value - self.margin <= 1 < value
        is_endless = self.margin >= _BOUNDLESS / 2
        is_plain = quantity.form is not Form.PERCENT
        return self.holds(value) and not (is_share and is_endless and is_plain and not self.holds(value / _HUNDRED))

    def may_be_right(self, quantity: Quantity) -> bool:
        """Whether a quantity is right by any reading, to its digits, or with another unit or percent sign."""
        size = abs(self.value)
        for number in (*self.numbers(quantity), *quantity.readings, *quantity.plain):
            if self.is_range:
                scaled_up = number * _HUNDRED if abs(number) <= 1 < self.value - self.margin else number
                if any(map(self.holds, (number, scaled_up, number / _HUNDRED))):
                    return True
                continue
            for scaled in (number, -number, number * _HUNDRED, number / _HUNDRED):
                step = quantity.resolution * abs(scaled / number) if number else Decimal(0)
                is_rounded = step <= min(abs(scaled), 2 * _COARSEST * size)
                is_cut = is_rounded and 0 <= size - abs(scaled) < step
                if is_cut or abs(abs(scaled) - size) <= max(self.margin, step / 2 if is_rounded else Decimal(0)):
                    return True
        return False

    def numbers(self, quantity: Quantity) -> tuple[Decimal, ...]:
        """Return the possible values of a quantity in the target's unit, the likeliest first.

        In a range of percentages, only a number up to 1 may be a share: 0.4 is 40 %, but 40 is not 4000 %.
        """
        if quantity.form is Form.PERCENT:
            return tuple(value if self.unit == "%" else value / _HUNDRED for value in quantity.readings)
        factor = self.factor(quantity)
        if factor is not None:
            return tuple(value * factor for value in quantity.plain)
        is_share = not self.is_range or abs(quantity.readings[0]) <= 1
        if self.unit == "%" and is_share and not self.holds(quantity.readings[0]):
            return tuple(value * _HUNDRED for value in quantity.readings)
        return quantity.readings

    def factor(self, quantity: Quantity) -> Decimal | None:
        """Return the factor for a quantity's unit, or None if the unit is unknown."""
        if quantity.unit in self.units:
            return self.units[quantity.unit]
        return unit_factor(quantity.unit, self.unit) if self.unit and quantity.unit else None


def target(
    value: Decimal,
    tolerance: Decimal | None,
    relative: Decimal,
    unit: str = "",
    units: Mapping[str, Decimal] = NO_UNITS,
) -> Target:
    """Return a target with a tolerance and a relative tolerance.

    Without either, a number with decimals may differ by half a unit of its last digit.
    """
    if tolerance is None and not relative:
        exponent = int(value.as_tuple().exponent)
        return Target(value, _HALF.scaleb(exponent) if exponent < 0 else Decimal(0), unit, units)
    return Target(value, (tolerance or Decimal(0)) + relative * abs(value), unit, units)


_BOUNDLESS: Final = Decimal("1e12")


def range_target(
    least: Decimal | None, most: Decimal | None, unit: str = "", units: Mapping[str, Decimal] = NO_UNITS
) -> Target:
    """Return a target for all numbers from `least` to `most`.

    Without `least`, the range begins at 0, unless `most` is negative. Without `most`, it has no end.
    """
    low = least if least is not None else min(Decimal(0), (most or Decimal(0)) - (_BOUNDLESS if (most or 0) < 0 else 0))
    high = most if most is not None else low + _BOUNDLESS
    return Target((low + high) / 2, (high - low) / 2, unit, units, is_range=True)


_LAST_DIGITS: Final = re.compile(r"\((\d{2,3})\)")


def in_last_digits(text: str, number: Numeral) -> Numeral | None:
    """Return the deviation in brackets after a decimal, 0.65 for `80.27(65)`, or None."""
    match = _LAST_DIGITS.match(text, number.end) if number.has_decimals else None
    if match is None:
        return None
    value = int(match[1]) * number.resolution
    return Numeral(
        text=match[1], readings=(value,), resolution=number.resolution, start=match.start(1), end=match.end(1)
    )


_DIVISOR: Final = re.compile(
    r"\([^()]*\b(?:divi\w+|ddof|[nN]\s?[-−=])[^()%]*\)|(?<=[^\W\d])\s?\(\d{1,4}(?:,\s?\d{1,4})+\)(?=\s?[=:])"
)


def less_divisors(text: str) -> str:
    """Return a text with divisors and runs of deviations blanked: `std (divided by 3) 0.71`, `std (1, 2, 4) = 0.71`."""
    return _DIVISOR.sub(lambda match: " " * len(match.group()), text)


def rounds(number: Numeral, exact: int, digits: int) -> bool:
    """Whether a number in thousands or millions, with at least `digits` digits, is another number rounded."""
    unit = number.resolution
    is_rounded = unit > 1 and len(str(int(number.value / unit))) >= digits
    return is_rounded and abs(Decimal(exact) - number.value) * 2 <= unit
