"""Find numeric equations in a text, and decide whether they hold for any plausible reading of their characters.

Arithmetic is evaluated exactly and within limits; text is never executed. A number may have several readings (`1,024`;
`5122` for 512²), so an expression has a set of possible values. The grammar has sums, differences, products, quotients
and powers of numbers and brackets. A bracket after a number or a bracket multiplies it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from math import prod
from operator import add, mul, sub, truediv

from grader.claims.numerals import NUMBER, numerals, readings, text_before
from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.message import Message, Words, say_values
from grader.reading.document import Evidence, RepairKind

MAX_TOKENS = 200
EXPONENTS = range(17)
MAX_VALUES = 64
MAX_MAGNITUDE = 10**30
SLIP_OF_PEN = Fraction(1, 20)
_LEAST_VALUE = 1_000

_TOKEN = re.compile(rf"\s*({NUMBER}|[-+×x/^()\[\]{{}}])")
_CLOSING_OF = {"(": ")", "[": "]", "{": "}"}
_FLATTENED_POWER = re.compile(r"(\d+)([23])")

Values = frozenset[Fraction]
_Number = Callable[[str], Values]


class NotArithmeticError(ValueError):
    """A text is no complete arithmetic expression, or exceeds the limits."""


def evaluate(text: str) -> Values:
    """Return all possible values of a normalised text as arithmetic. Raises NotArithmeticError."""
    return _parsed(text, _all_readings)


def likeliest(text: str) -> Fraction:
    """Return the value of a normalised text with every number in its likeliest reading. Raises NotArithmeticError."""
    (value,) = _parsed(text, lambda token: frozenset({Fraction(readings(token)[0])}))
    return value


def _parsed(text: str, number: _Number) -> Values:
    parser = _Parser(_tokens(text), number)
    try:
        values = parser.sum()
    except RecursionError as error:
        raise NotArithmeticError(text) from error
    if parser.peek():
        raise NotArithmeticError(text)
    return values


def _tokens(text: str) -> list[str]:
    tokens = _TOKEN.findall(text)
    if _TOKEN.sub("", text).strip() or len(tokens) > MAX_TOKENS:
        raise NotArithmeticError(text)
    return [token.replace("x", "×") for token in tokens]


class _Parser:
    """A recursive descent parser over a list of tokens, for one use."""

    def __init__(self, tokens: list[str], number: _Number) -> None:
        self.tokens = ["", *reversed(tokens)]
        self.number = number

    def sum(self) -> Values:
        values = self.product()
        while self.peek() in ("+", "-"):
            operation = add if self.take() == "+" else sub
            values = _combined(values, self.product(), operation)
        return values

    def product(self) -> Values:
        values = self.power()
        while self.peek() in ("×", "/", *_CLOSING_OF):
            operation = truediv if self.peek() == "/" else mul
            if self.peek() not in _CLOSING_OF:
                self.take()
            values = _combined(values, self.power(), operation)
        return values

    def power(self) -> Values:
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        return _combined(base, self.atom(), _raised)

    def atom(self) -> Values:
        symbol = self.take()
        if symbol == "-":
            return frozenset(-value for value in self.power())
        if symbol in _CLOSING_OF:
            values = self.sum()
            if self.take() != _CLOSING_OF[symbol]:
                raise NotArithmeticError
            return values
        if not symbol[:1].isdigit():
            raise NotArithmeticError
        return self.number(symbol)

    def peek(self) -> str:
        """Return the next token, or an empty text at the end."""
        return self.tokens[-1]

    def take(self) -> str:
        return self.tokens.pop()


def _all_readings(token: str) -> Values:
    values = {Fraction(value) for value in readings(token)}
    flattened = _FLATTENED_POWER.fullmatch(token)
    if flattened:
        values.add(Fraction(flattened.group(1)) ** int(flattened.group(2)))
    return frozenset(values)


def _combined(left: Values, right: Values, operation: Callable[[Fraction, Fraction], Fraction]) -> Values:
    try:
        values = frozenset(operation(a, b) for a in left for b in right)
    except ZeroDivisionError as error:
        raise NotArithmeticError from error
    if len(values) > MAX_VALUES or any(abs(value) > MAX_MAGNITUDE for value in values):
        raise NotArithmeticError
    return values


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent not in EXPONENTS:
        raise NotArithmeticError
    return base**exponent.numerator


_SPAN = re.compile(rf"(?:{NUMBER}|(?<=[\d)\s])x(?=[\d(\s])|[-+×/^()\[\]{{}}=]|[^\S\n]|\n)+")
_LONGEST_SPAN = 1_000
_TAG = re.compile(r"\(\d{1,2}\)(?=[^\S\n]*(?:\n|$))")
_NUMBER = re.compile(NUMBER)
_ENDS_VALUE = re.compile(r"[\d)\]}]\s{1,40}\Z")
_VALUE_BESIDE = re.compile(r"[\d)\]}][^\S\n]+\Z")
_RESTATED = re.compile(r"\d\s+\(")
"""A bracket after a number and a space, which may repeat the number, `16,384,000 (32000 × 512)`, or multiply it."""
_FACTOR = re.compile(r"\d{1,3}\s+(?=\([^()=]*[\d)]\s*[-+×^])")
"""A small number before the bracket of a sum or product: a factor, as in MathML, or part of a name before it."""
_REMARK = re.compile(r"[^\S\n]\((?=[^\W\d_]{2,20}[^\d()=+×/^*]{0,60}\)\s{0,9}(?![-+×/^=*\s]))")
"""A bracket of words after a value: `12,288 (all layers)`."""
_PERCENTAGE = rf"(?:{NUMBER}[^\S\n]?%|(?<![\d.,])\d\d[.,]\d{{1,2}}(?![\d.,]))"
_PERCENTAGES = re.compile(rf"{_PERCENTAGE}(?:\s?[+-]\s?{_PERCENTAGE})+\s?\Z")
_IN_PERCENT = re.compile(rf"=\s?{NUMBER}[^\S\n]?%")
_LONGEST_SUM = 80
_OPEN_REMARK = re.compile(r"[^\S\n]\(\d[\d.,\s]*\Z")
"""A bracket that begins with a number and continues in words: `132,096 (258 because …)`."""
_SIDE = re.compile(r"\s*([^=]*?)\s*(?:=|\Z)")
_THREE_DIGITS = re.compile(r"\d{3}(?!\d)")
_THREE_DIGITS_NEXT = re.compile(
    r"(?P<digits>[ \t]*[,.'’]?[ \t]*\n[ \t]*\d{3}(?!\d)(?:[ ,.'’]\d{3}(?!\d))*)"
    rf"(?:{NUMBER}|[-+×/^()\[\]{{}}]|[^\S\n])*"
)
_ENDS_IN_DIGIT = re.compile(r"(?<!\d)\d{1,3}[ \t]*[,.'’]?[ \t]*\n[ \t]*\Z")
_ENDS_BEFORE_SIGN = re.compile(r"[\d)\]}][ \t]*\n[ \t]*[•×+-][ \t]*\Z")
_POWER = re.compile(r"\^(\d{1,2})")
_COLUMN = re.compile(r"(?<=[\d)])[^\S\n]{2,}(?=[x×]\d)")
"""A wide gap before a column that says how often: `4 × 512 × 512 = 1048576 x4`."""
_RUN_ON = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3}){2,}(?=\d+\s?[×/+-])")
"""A grouped number directly followed by another number. Word processors remove the gap between two formulas."""
_INDICES = re.compile(r"_\d[\d.]*[;,]\s?\Z")
_GOES_ON = re.compile(r"\n\s*[x×]")
_NAMED_TERM = re.compile(r"[\d)\]}][^\S\n]*[+×][^\S\n]*[^\W\d_][^\d\n=;:.,]{0,30}\Z")
_CUTS = range(1, 4)
_BRIDGE_BEFORE = re.compile(r"[-+×/^=(\[{x]\s*\Z")
_BRIDGE_AFTER = re.compile(r"\s*[+×/^=)\]}x]")
_WORD_BEFORE = re.compile(r"[^\W\d][^\S\n]{0,3}\Z")
_SYMBOL_BEFORE = re.compile(
    r"[\w}\])%:√]\Z|[\d%][^\S\n]?[%:][^\S\n]?\Z|%[^\S\n]?(?:of|de|des|du)[^\S\n]\Z"
    r"|(?<!\w)(?!a\b|à\b|is\b|of\b|to\b|so\b|by\b|en\b|de\b|et\b|or\b|ie\b)[^\W\d]{1,2}[^\S\n]\Z"
    r"|\b(?:log|ln|exp|sqrt|sin|cos|mod|times|plus|minus|over)[^\S\n]\Z"
    r"|(?:[\d)\]}]|\b[^\W\d_]|\b(?:multipl|divi)\w*)[^\S\n]by[^\S\n]\Z",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"(?<![\w\\])([^\W\d_]{2,})[^\S\n]{1,3}\Z")
_LETTER_BEFORE = re.compile(r"[^\W\d_][^\S\n]{1,3}\Z")
_OPERATING = re.compile(
    r"log|ln|exp|sqrt|sin|cos|mod|times|plus|minus|over|by|of|de|des|du|fois|moins|par|sur", re.IGNORECASE
)
SYMBOL_AFTER = re.compile(
    r"[\w\\≈]|[^\S\n]*[%‰]|[^\S\n]+(?:(?![aày]\b)[^\W\d_](?![^\W_])|\w*_|(?:m|k|b|mio|mrd|million|billion|thousand)s?\b)|[.,]\d",
    re.IGNORECASE,
)


class Equation(Frozen):
    """An equality between two arithmetic expressions.

    `holds` is False only if no plausible reading makes it true. Then `actual` is the likeliest value of the left side.
    `is_inferred`: some characters were inferred, so a marker should look at the page.
    """

    left: str
    right: str
    holds: bool
    actual: Words
    is_inferred: bool = False
    evidence: Evidence

    @property
    def largest(self) -> Decimal:
        """The largest number in it."""
        found = [number.value for side in (self.left, self.right) for number in numerals(side)]
        return max(found, default=Decimal(0))


def equations(passage: Passage) -> Iterator[Equation]:
    """Yield all numeric equalities of a passage with an equals sign, including those of a chain `a = b = c`.

    A wrong equality that is the end of a right one, `2 = 7` beside `5 + 2 = 7`, is left out.
    """
    found = list(_all_equations(passage))
    whole = [(_digits(equation.left), _digits(equation.right)) for equation in found if equation.holds]
    for equation in found:
        digits = _digits(equation.left), _digits(equation.right)
        if equation.holds or not any(right == digits[1] and left.endswith(digits[0]) for left, right in whole):
            yield equation


def _digits(side: str) -> str:
    """Return a side of an equation without spaces and commas."""
    return re.sub(r"[\s,]", "", side)


def _all_equations(passage: Passage) -> Iterator[Equation]:
    text = _TAG.sub(lambda match: " " * len(match.group()), passage.text)
    text = _REMARK.sub(lambda match: ";".rjust(len(match.group())), text)
    text = _without_percent_signs(text)
    for span in _SPAN.finditer(text):
        if "=" in span.group() and len(span.group()) <= _LONGEST_SPAN:
            for start, end in _pieces(text, span.start(), span.end()):
                if "=" in text[start:end]:
                    yield from _chain(passage, text, start, end)


def _without_percent_signs(text: str) -> str:
    """Return a text with the percent signs in sums and differences blanked: `81.3 % - 67.9 % = 13.4 %`."""
    for match in _IN_PERCENT.finditer(text):
        if own_match := _PERCENTAGES.search(text_before(text, match.start(), _LONGEST_SUM)):
            equality = own_match.group() + match.group()
            text = text.replace(equality, equality.replace("%", " "))
    return text


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a span without letters, cut between statements.

    A cut is where a number follows a value, and at line ends without an operator.
    """
    cuts = [
        number.start()
        for number in _NUMBER.finditer(text, start, end)
        if _ENDS_VALUE.search(text, start, number.start())
    ]
    cuts += [
        at + 1
        for at, sign in enumerate(text[start:end], start)
        if sign == "\n" and not _BRIDGE_BEFORE.search(text, start, at) and not _BRIDGE_AFTER.match(text, at + 1, end)
    ]
    cuts += [number.end() for number in _RUN_ON.finditer(text, start, end)]
    cuts += [gap.end() for gap in _COLUMN.finditer(text, start, end)]
    return pairwise(sorted({start, end, *cuts}))


def _chain(passage: Passage, text: str, start: int, end: int) -> Iterator[Equation]:
    sides = _sides(text, start, end)
    valued = [(a, b, _values(text, a, b, (start, end))) for a, b in sides]
    # The text after an open bracket within a side, `= 12 (+ 3 = 4`, does not belong to the sides before it.
    known_sides = [side for side in valued if side[2] is not None or not _is_balanced(text[side[0] : side[1]])]
    for (label, b, left), (c, d, right) in pairwise(known_sides):
        if left is None or right is None:
            continue
        a = _behind_label(text, (label, b), (c, d))
        left = left if a == label else evaluate(text[a:b])
        holds = _agree(left, right, text[c:d]) or _agree(right, left, text[a:b]) or _holds_apart(text[a:b], text[c:d])
        end, is_joined = (d, False) if holds else _end_of_value(text, (a, b), (c, d))
        holds = holds or (end != d and holds_as_read(text[a:b], text[c:end].replace("\n", " ")))
        holds = holds or _holds_with_group(text, (a, b), (c, d))
        voice = passage.block_at(a).voice
        is_test = "==" in text[b : c + 1] and voice is not None and voice.is_code  # `if step % 100 == 0`
        if not holds and (is_test or _is_no_mistake(text, (a, b), (c, d), right, is_joined=is_joined)):
            continue
        if not holds and (_is_under_root(text[a:b], text[c:d]) or _is_share_in_percent(text[a:b], text[c:d])):
            continue
        yield Equation(
            left=text[a:b],
            right=text[c:end].replace("\n", " "),
            holds=holds,
            actual=shown_value(text[a:b]),
            is_inferred=not holds and (is_joined or _may_be_misread(passage, (a, b), (c, d))),
            evidence=passage.evidence(a, end),
        )


def _is_balanced(side: str) -> bool:
    return side.count("(") == side.count(")")


def _behind_label(text: str, left: tuple[int, int], right: tuple[int, int]) -> int:
    """Return the start of an equality's left side.

    It is after the label of its line if a wide gap follows the label and the equality holds only there: `4x 4 × 12 =
    48`.
    """
    start, end = left
    gap = re.search(r"\d\s?x?[^\S\n]{2,}(?=[\d(])", text[start:end])
    if gap is None or holds_as_read(text[start:end], text[slice(*right)]):
        return start
    behind = start + gap.end()
    return behind if holds_as_read(text[behind:end], text[slice(*right)]) else start


def _is_no_mistake(
    text: str, left: tuple[int, int], right: tuple[int, int], values: Values, *, is_joined: bool
) -> bool:
    """Whether a wrong equality shows no mistake, because it is part of a calculation or was misread.

    `values` are those of its right side. `is_joined`: the right side was joined over a line end.
    """
    (a, b), (c, d) = left, right
    first, other = text[a:b], text[c:d]
    goes_on_from_words = not is_joined and (_is_torn(text, a) or _continues_words(text, a, first, other))
    # The number is the last term of a sum of named terms: `words 6 × 2 + places 3 × 2 = 18`; the last index:
    # `t_{2; 0.975} = 4.303`; or the last width: `512 -> 2048 -> 512 = 2 097 152`.
    is_last = any(pattern.search(text_before(text, a)) for pattern in (_NAMED_TERM, _INDICES, _WIDTHS))
    # A product contains a word: `9216 = 9 norms * 1024`. Or the right side is a share: `4 × 512 = 512 per layer`.
    is_factor = _is_factor(_WORD_IN_PRODUCT.match(text, d), first, other)
    # A line that begins with `x4 =` continues the whole calculation above.
    goes_on = _GOES_ON.search(first) and not _is_miswritten(first, other)
    # A minus sign before the number was lost, or the number ends the calculation of the line above.
    is_rest = _NUMBER.fullmatch(text, a, b) and (
        _VALUE_BESIDE.search(text_before(text, a)) or "\n" in text[b:c].partition("=")[0]
    )
    is_part = goes_on_from_words or is_last or is_factor
    return bool(is_part or goes_on or is_rest or _is_unsigned(first, values))


def _is_factor(words: re.Match[str] | None, left: str, right: str) -> bool:
    """Whether the words after a number make it a factor, or a share of the left side."""
    if words is None or not words["share"]:
        return words is not None
    wanted, stated = likeliest(left), likeliest(right)
    goes_on = re.match(r"[^\n.;]{0,30}[x×*+]\s?\d", words.string[words.end() :])  # `9 = 2 norms per layer x 4 + 1`
    return bool(goes_on) or (
        bool(wanted and stated) and 1 in ((wanted / stated).denominator, (stated / wanted).denominator)
    )


def _is_under_root(left: str, right: str) -> bool:
    """Whether the right side is the root of the left one, because the sign of the root was lost."""
    if "^2" not in left.replace("{", "") and "²" not in left:
        return False
    try:
        under, root = likeliest(left), likeliest(right)
    except NotArithmeticError:
        return False
    step = Fraction(1, 10 ** len(right.strip().partition(".")[2]))
    return root > 0 and max(root - step / 2, Fraction(0)) ** 2 <= under <= (root + step / 2) ** 2


def _is_share_in_percent(left: str, right: str) -> bool:
    """Whether the right side is the left quotient of counts in percent without a percent sign: `1568/2000 = 78.40`."""
    share = re.fullmatch(r"\W*(\d{1,9})\s*/\s*(\d{1,9})\W*", left)
    shown = re.fullmatch(r"\D*(\d{1,2}(?:[.,](\d{1,6}))?)\W*", right)
    if not share or not shown or int(share[1]) > int(share[2]):
        return False
    percent = 100 * Fraction(int(share[1]), int(share[2]))
    return abs(percent - Fraction(shown[1].replace(",", "."))) <= Fraction(1, 10 ** len(shown[2] or "")) / 2


_WORD_IN_PRODUCT = re.compile(
    r"\s[^\W\d_]{2,20}(?:\s?[*×/]\s?\d|\s[x×]\s[^\W_]|\s(?:[^\W\d_]{2,20}\s)?\+\s)|\s(?:[^\W\d_]{2,20}\s)?(?P<share>per|par)\s"
)
_WIDTHS = re.compile(r"\d\s*(?:-+>|→)\s*\Z")
_LAST_DIGITS = re.compile(r"(\d[.,]\d+)\(\d{1,3}\)")


def _holds_apart(left: str, right: str) -> bool:
    """Whether two sides agree if their characters are separated differently.

    A bracket after a decimal may be an uncertainty, `80.03(91)`; a space may be in a number, `16, 517,120`; each line
    may be a term of a sum with its own value, as in `+ 2*512 = 1024` below another term; or a comma may end a
    calculation, as in `256 + 2 = 258, 258*512 = 132096`.
    """
    first, other = (_LAST_DIGITS.sub(r"\1", side) for side in (left, right))
    above, _, term = left.rpartition("\n")
    if holds_as_read(first, other) or (above and holds_as_read(term.strip(" \t+"), right.partition("\n")[0])):
        return True
    if holds_as_read(left.rpartition(", ")[2], right.partition(", ")[0]):
        return True
    whole = (",".join(part.strip() for part in side.split(",")) for side in (left, right))
    return ("," in left or "," in right) and holds_as_read(*whole)


def _holds_with_group(text: str, left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether an equality holds with the three digits after it, which word processors separate: `= 6291 456`."""
    start, end = right
    gap, digits = text[end : end + 1], text[end + 1 : end + 4]
    is_group = gap == " " and len(digits) == 3 and digits.isdecimal() and not text[end + 4 : end + 5].isdigit()
    return is_group and holds_as_read(text[slice(*left)], text[start:end] + digits)


def _end_of_value(text: str, left: tuple[int, int], right: tuple[int, int]) -> tuple[int, bool]:
    """Return the end of the right side of an equality, and whether it is further on than it seems.

    The digits of a number may continue in the next line; or the next line may continue the calculation, as `x4 =
    6303744` does below `1050624+525312 = 1575936`.
    """
    start, end = right
    joined = None if _is_torn(text, left[0]) else _THREE_DIGITS_NEXT.match(text, end)
    if joined:
        is_whole = holds_as_read(text[slice(*left)], text[start : joined.end()].replace("\n", " "))
        return joined.end() if is_whole else joined.end("digits"), True
    # A slash may introduce the next calculation: `2 x 512 x 512 = 524,288 / 4 layers = …`.
    stroke = text.find(" / ", start, end)
    if stroke >= 0 and re.match(r"\s?[^\W\d_]", text[end:]) and holds_as_read(text[slice(*left)], text[start:stroke]):
        return stroke, False
    line = text.find("\n", start, end)
    if line in range(start, end) and holds_as_read(text[slice(*left)], text[start:line]):
        return line, False
    return end, False


def _is_torn(text: str, start: int) -> bool:
    """Whether a line break may have cut off the start of an equation, within a number or before an operator."""
    before = text_before(text, start)
    digits = _THREE_DIGITS.match(text, start) and _ENDS_IN_DIGIT.search(before)
    return bool(digits or _ENDS_BEFORE_SIGN.search(before))


def _is_miswritten(left: str, right: str) -> bool:
    """Whether the right side is the value of the left side with a slip of the pen."""
    return is_slip_of_pen(likeliest(left), likeliest(right), (int(size) for size in re.findall(r"[1-9]\d+", left)))


def _is_unsigned(digits: str, product: Values) -> bool:
    """Whether digits can be divided into factors with a given product, as in `4512512` for `4*512*512`."""
    return digits.isdecimal() and any(value in product for value in _products(digits))


def _products(digits: str) -> Iterator[int]:
    """Yield the products of the two to four factors into which digits can be divided."""
    places = [at for at, digit in enumerate(digits) if at and digit != "0"]
    for cuts in (some for number in _CUTS for some in combinations(places, number)):
        yield prod(int(digits[start:end]) for start, end in pairwise([0, *cuts, len(digits)]))


def _continues_words(text: str, start: int, left: str, right: str) -> bool:
    """Whether the words before an equation contain a factor of it: `for 4 layers (2 × 512) = 4096`."""
    before = text_before(text, start)
    value, other = likeliest(left), likeliest(right)
    if not _LETTER_BEFORE.search(before) or not value:
        return False
    return any(
        other == value * Fraction(number) for number in _NUMBER.findall(before.split("\n")[-1]) if number.isdigit()
    )


def _may_be_misread(passage: Passage, left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether an equation depends on the position of its characters: on a fraction, an index, or a doubtful power."""
    start, end = left[0], right[1]
    if passage.is_inferred(start, end, RepairKind.FRACTION, RepairKind.INDEX):
        return True
    if not passage.is_inferred(start, end, RepairKind.POWER):
        return False
    a, b = passage.text[slice(*left)], passage.text[slice(*right)]
    others = [(_POWER.sub(other, a), _POWER.sub(other, b)) for other in (r"\1", "")]
    return any(holds_as_read(first, second) for first, second in others)


def holds_as_read(left: str, right: str) -> bool:
    """Whether two texts have a common value for some reading of their characters."""
    try:
        return bool(evaluate(left) & evaluate(right))
    except NotArithmeticError:
        return False


def _sides(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the places of the sides of a chain of equalities, without spaces."""
    remark = _OPEN_REMARK.search(text, start, end)
    return [side.span(1) for side in _SIDE.finditer(text, start, remark.start() if remark else end)]


def _values(text: str, start: int, end: int, span: tuple[int, int]) -> frozenset[Fraction] | None:
    """Return the possible values of one side, or None if it is no arithmetic or symbols beside it belong to it."""
    factor = _FACTOR.match(text, start, end)
    are_lines = re.fullmatch(r"\(\d{1,2}\)(?:\s*[-+]\s*\(\d{1,2}\))+", text[start:end])  # `one layer = (3)+(4)`
    if are_lines or _RESTATED.search(text, factor.end() if factor else start, end):
        return None
    try:
        values = evaluate(text[start:end])
        values |= evaluate(text[factor.end() : end]) if factor else values
    except NotArithmeticError:
        return None
    opens_span = not text[span[0] : start].strip()
    closes_span = not text[end : span[1]].strip()
    is_part = opens_span and belongs_before(text, start, end)
    return None if is_part or (closes_span and SYMBOL_AFTER.match(text, end)) else values


def belongs_before(text: str, start: int, end: int) -> bool:
    """Whether the text before a side belongs to it.

    It may be a symbol, an operator in words, a factor before a bracket, the name of a numbered thing (`Layer 1 = …`),
    or a line break before a sign. A word is a symbol only if the text calculates with it.
    """
    before = text_before(text, start)
    if text[start] in "-+":
        return "\n" in before or not before.strip() or bool(re.search(r"(?:\w|\b[^\W\d_] )\Z", before))
    if _NUMBER.fullmatch(text, start, end) and _WORD_BEFORE.search(before):
        return True
    word = _LAST_WORD.search(before)
    if word and not _OPERATING.fullmatch(word[1]) and not _is_symbol(word[1], text):
        return False
    if text[start] in "([{":
        return bool(_WORD_BEFORE.search(before) or _SYMBOL_BEFORE.search(before))
    return bool(_SYMBOL_BEFORE.search(before))


def _is_symbol(word: str, text: str) -> bool:
    """Whether a text calculates with a word, such as the name of a size."""
    return bool(re.search(rf"(?<!\w){re.escape(word)}\s?[×^+/=]|[×^+/]\s?{re.escape(word)}(?!\w)", text))


_OF_ROUNDED = re.compile(r"\d+[.,]\d+|[(\s]*\d+\.\d+(?:\s*[+-]\s*\d+\.\d+)+[)\s]*(?:/\s*\d+\s*)?")


def _agree(exact: frozenset[Fraction], shown: frozenset[Fraction], written: str) -> bool:
    """Whether a value equals a shown one. Decimals may be rounded or cut, also in each term of a sum or average.

    Another expression with decimals, such as 2.28 × 10^7, is an approximation to 1 %.
    """
    slack, share = Fraction(0), Fraction("0.01" if re.search(r"\d\.\d", written) else 0)
    if _OF_ROUNDED.fullmatch(written):
        slack = sum((Fraction(f"1e-{len(digits)}") for digits in re.findall(r"\d[.,](\d+)", written)), slack)
        share = Fraction(0)
    return any(abs(a - b) <= max(slack, share * abs(b)) for a in exact for b in shown)


def shown_value(written: str) -> Message:
    """Return the value of a side for messages."""
    value = likeliest(written)
    if (number := as_integer(value)) is not None:
        return say_values("{value:,}", value=number)
    return say_values("{value:,.4f}", value=Decimal(value.numerator) / Decimal(value.denominator))


def as_integer(value: Fraction) -> int | None:
    """Return a value as an integer, or None if it is none."""
    return None if value % 1 else int(value)


def is_slip_of_pen(wanted: Fraction, stated: Fraction, sizes: Iterable[int]) -> bool:
    """Whether a number is a miswritten form of another: they are close and differ by no multiple of one of some
    sizes."""
    difference = abs(wanted - stated)
    is_close = bool(difference) and difference < wanted * SLIP_OF_PEN
    is_whole = as_integer(wanted) is not None and wanted >= _LEAST_VALUE
    return is_close and is_whole and all(difference % size for size in sizes)
