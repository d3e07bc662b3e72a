"""Right equations as students write them, made at random: sums, products and powers in every notation."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Expression:
    """A written expression without a notation: its value, and a template in which numbers and signs stand by name."""

    value: int
    form: tuple[object, ...]


@dataclass(frozen=True)
class Notation:
    """How numbers, products and powers are written."""

    group: str
    times: str
    power: str

    def number(self, value: int) -> str:
        """A number with its digit groups."""
        return f"{value:,}".replace(",", self.group) if value >= 10_000 else str(value)


NOTATIONS = {
    "markdown": [
        Notation(group, times, power)
        for group in (",", " ", "", "_", ", ")
        for times in (" × ", " * ", "*", " x ", "×")
        for power in ("^{}", "**{}", "sup")
    ],
    "latex": [
        Notation(group, times, power)
        for group in (",", "{,}", "\\,", "", " ")
        for times in (" \\times ", " \\cdot ", "\\times ")
        for power in ("^{}", "^{{{}}}")
    ],
    "html": [
        Notation(group, times, "<sup>{}</sup>")
        for group in (",", " ", "", "\u202f")
        for times in (" × ", " · ", " * ", "×")
    ],
}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
WIDTHS = (64, 128, 256, 258, 512, 514, 768, 1024, 2048, 3072, 4096, 30_522, 32_000, 50_257, 250_002)


def product(random: Random) -> Expression:
    """A product of two to four factors, some of them squared."""
    factors = [random.choice((2, 3, 4, 6, 8, 12, 24, *WIDTHS)) for _ in range(random.randint(2, 4))]
    form: list[object] = []
    value = 1
    for factor in factors:
        if value * factor**2 > 10**15:
            continue
        squared = factor in WIDTHS and random.random() < 0.25 and factor < 5000
        value *= factor**2 if squared else factor
        form += [("power", factor, 2) if squared else factor, "times"]
    return Expression(value, tuple(form[:-1]))


def total(random: Random, depth: int = 0) -> Expression:
    """A sum of products, of numbers, and of bracketed sums with a factor."""
    terms = [_term(random, depth) for _ in range(random.randint(2, 4))]
    form: list[object] = []
    for term in terms:
        form += [*term.form, "plus"]
    return Expression(sum(term.value for term in terms), tuple(form[:-1]))


def _term(random: Random, depth: int) -> Expression:
    kind = random.random()
    if kind < 0.25 and depth < 1:
        inner, factor = total(random, depth + 1), random.choice((2, 3, 4, 6, 12))
        return Expression(inner.value * factor, (factor, "times", "(", *inner.form, ")"))
    if kind < 0.7:
        return product(random)
    value = random.choice((random.randint(100, 9_999), random.randint(10_000, 30_000_000)))
    return Expression(value, (value,))


def written(expression: Expression, notation: Notation) -> str:
    """An expression in a notation."""
    return "".join(_sign(sign, notation) for sign in expression.form)


def _sign(sign: object, notation: Notation) -> str:
    match sign:
        case int():
            return notation.number(sign)
        case ("power", int(base), int(exponent)):
            if notation.power == "sup":
                return f"{base}{str(exponent).translate(SUPERSCRIPTS)}"
            return f"{base}{notation.power.format(exponent)}"
        case "times":
            return notation.times
        case "plus":
            return " + "
    return str(sign)


LEADS = (
    "",
    "Total: ",
    "Embedding: ",
    "- Attention: ",
    "The sum is ",
    "So ",
    "Parameters of one layer = ",
    "FFN → ",
    "1. ",
)
ENDS = ("", ".", " parameters", " parameters.", " params", ",", " in total.", " (all layers)", ";")


def line(random: Random, format_: str) -> str:
    """One right equation, or a chain of two, in words as they stand around it."""
    notation = random.choice(NOTATIONS[format_])
    first = total(random) if random.random() < 0.6 else product(random)
    steps = [written(first, notation)]
    if random.random() < 0.3:
        steps.append(written(_partly_done(first), notation))
    steps.append(notation.number(first.value))
    equals = random.choice((" = ", "=", " = "))
    joined = equals.join(steps)
    lead, end = random.choice(LEADS), random.choice(ENDS)
    if format_ == "latex":
        return f"{lead}${joined}${end}"
    return f"{lead}{joined}{end}"


def _partly_done(expression: Expression) -> Expression:
    """The same value with its products at the top worked out."""
    terms: list[list[object]] = [[]]
    depth = 0
    for sign in expression.form:
        depth += {"(": 1, ")": -1}.get(sign, 0) if isinstance(sign, str) else 0
        if sign == "plus" and depth == 0:
            terms.append([])
        else:
            terms[-1].append(sign)
    form: list[object] = []
    for term in terms:
        form += [_value(term), "plus"]
    return Expression(expression.value, tuple(form[:-1]))


def _value(form: list[object]) -> int:
    """The value of a form, by Python's own arithmetic on a text made here."""
    return int(eval("".join(map(_python, form))))


def _python(sign: object) -> str:
    if isinstance(sign, tuple):
        return f"{sign[1]}**{sign[2]}"
    return {"times": "*", "plus": "+"}.get(str(sign), str(sign))
