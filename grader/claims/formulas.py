"""Work out the numeric and symbolic formulas of a passage and all their parts."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import mul
from typing import Final, NamedTuple

from grader.claims.equations import EXPONENTS, as_integer
from grader.claims.numerals import NUMBER
from grader.claims.passage import Passage, is_within
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.document import Evidence
from grader.reading.maths.expression import (
    Call,
    Expression,
    Negation,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
    Symbol,
    meaning,
    resolve_names,
    walk,
)
from grader.reading.maths.formula import formulas_in
from grader.reading.maths.parser import parse_maths

MOST_ADDENDS: Final = 64
MOST_NEIGHBOURS: Final = 4
MOST: Final = Fraction("1e30")
FINEST: Final = Fraction("1e12")

Symbols = Mapping[str, Fraction]


class WorkedFormula(NamedTuple):
    """A formula with its value worked out: `addends` are the remaining terms, `steps` all intermediate values, and
    `terms` the values of its summands as written."""

    addends: tuple[Fraction, ...]
    steps: frozenset[Fraction]
    terms: frozenset[Fraction] = frozenset()

    @property
    def value(self) -> Fraction:
        """The value of the formula."""
        return sum(self.addends, Fraction(0))


class UnworkableError(ValueError):
    """A formula contains a name without a value, a function, or numbers beyond the limits."""


def work_out(expression: Expression, symbols: Symbols) -> WorkedFormula:
    """Work out a formula without relations. Raises UnworkableError."""
    match expression:
        case Number(value=number):
            return WorkedFormula((number,), frozenset({number}))
        case Symbol(key=key):
            value = meaning(expression, symbols)
            if value is None:
                raise UnworkableError(key)
            return WorkedFormula((value,), frozenset({value}))
        case Negation(operand=operand):
            inner = work_out(operand, symbols)
            return WorkedFormula(tuple(-addend for addend in inner.addends), inner.steps, inner.terms)
        case Sum(terms=terms):
            return _sum([work_out(term, symbols) for term in terms])
        case Product(factors=factors):
            return _product([work_out(factor, symbols) for factor in factors])
        case Quotient(numerator=above, denominator=below):
            return _quotient(work_out(above, symbols), work_out(below, symbols))
        case Power(base=base, exponent=exponent):
            return _power(work_out(base, symbols), work_out(exponent, symbols))
        case Call(function="abs", arguments=(size,)):  # |V| is the size of a set as well
            return work_out(size, symbols)
    raise UnworkableError(type(expression).__name__)


def sides(expression: Expression) -> tuple[Expression, ...]:
    """Return the sides of a chain of relations, or the formula itself."""
    return expression.sides if isinstance(expression, Relation) else (expression,)


def _sum(terms: list[WorkedFormula]) -> WorkedFormula:
    addends = _bounded(addend for term in terms for addend in term.addends)
    met = frozenset().union(*(term.steps for term in terms), _partial_sums(addends))
    return WorkedFormula(addends, met, _terms(terms) | {term.value for term in terms})


def _terms(parts: Iterable[WorkedFormula]) -> frozenset[Fraction]:
    return frozenset().union(*(part.terms for part in parts))


def _partial_sums(addends: tuple[Fraction, ...]) -> set[Fraction]:
    """Return the sums of consecutive terms: the values of parts without brackets."""
    sums = [value for at in range(len(addends)) for value in accumulate(addends[at:][:MOST_NEIGHBOURS])]
    return {*map(_limited, sums), _limited(sum(addends, Fraction(0)))}


def _product(factors: list[WorkedFormula]) -> WorkedFormula:
    """Return the product of factors, multiplied out, with the values of its terms and of all products from the left."""
    done = factors[0]
    for factor in factors[1:]:
        addends = _bounded(addend * other for addend in done.addends for other in factor.addends)
        met = done.steps | factor.steps | _partial_sums(addends)
        done = WorkedFormula(addends, met)
    numbers = [factor.value for factor in factors if len(factor.addends) == 1]
    tails = {*map(_limited, accumulate(reversed(numbers), mul))}
    return WorkedFormula(done.addends, done.steps | tails, _terms(factors))


def _quotient(above: WorkedFormula, below: WorkedFormula) -> WorkedFormula:
    if not below.value:
        raise UnworkableError
    addends = _bounded(addend / below.value for addend in above.addends)
    return WorkedFormula(addends, above.steps | below.steps | {sum(addends, Fraction(0))}, above.terms)


def _power(base: WorkedFormula, exponent: WorkedFormula) -> WorkedFormula:
    number = exponent.value
    if number not in EXPONENTS:
        raise UnworkableError
    value = _limited(base.value ** int(number))
    return WorkedFormula((value,), base.steps | {value}, base.terms)


def _bounded(values: Iterable[Fraction]) -> tuple[Fraction, ...]:
    """Return addends that are within the limits. Raises UnworkableError."""
    addends = tuple(map(_limited, values))
    if len(addends) > MOST_ADDENDS:
        raise UnworkableError
    return addends


def _limited(value: Fraction) -> Fraction:
    if abs(value) > MOST or value.denominator > FINEST:
        raise UnworkableError
    return value


_SYMBOL: Final = r"(?:[A-Za-z]{1,2}|[A-Za-z]{1,12}_[A-Za-z0-9]{1,12})(?:_[A-Za-z0-9]{1,12})?(?![A-Za-z_])"
_SIGN: Final = r"(?:[-+×/^=≈()\[\]{}⌊⌋⌈⌉]|(?<=\^\d)_[A-Za-z]{1,12})"
_DEFINED: Final = re.compile(
    rf"(?m)^[\s•*-]{{0,20}}(?P<name>[A-Za-z][\w -]{{0,40}}?)\s?(?:=|:=)\s?(?P<value>{NUMBER})[ \t.,;]{{0,9}}$"
)
_GIVEN: Final = re.compile(
    rf"(?<![\w)^×+=/-])(?<![×+=/-]\s)(?P<name>[A-Za-z]{{1,2}}|[A-Za-z]{{1,12}}_[A-Za-z_]{{1,12}})\s?=\s?(?P<value>{NUMBER})"
    r"(?=[.,;:)]?(?:\s(?![×+=/^(*-])|$))"
)
_TIMES: Final = re.compile(r"(?<=[\d)\]\s])x(?=[\s\d(\[])|(?<=\))(?=\d)")
_ASSIGNED: Final = re.compile(
    r"(?m)^[ \t>]{0,20}(?P<names>[^\W\d]\w{0,30}(?:,[ \t]?[^\W\d]\w{0,30}){0,9})[ \t]?:?=(?!=)[ \t]?"
    r"(?P<values>[^=#\n]{1,200}?)[ \t]*(?:#.*)?$"
)
_BY_NAME: Final = re.compile(rf"(?<=[(,])\s?(?P<name>[^\W\d]\w{{0,30}})\s?=\s?(?P<value>{NUMBER})(?=\s?[,)])")
_SHAPE: Final = re.compile(
    r"[(\[]\s?(?P<rows>\d{1,7})\s?(?:,|->|→)\s?(?P<columns>\d{1,6})\s?(?:[)\]]|,\s?[a-z_]{2,20}=)"
)
_MEMBER: Final = re.compile(
    r"(?<![\w.])[^\W\d]\w{1,20}(?:\[[\"'](?P<key>[^\W\d]\w{0,30})[\"']\]|\.(?P<attribute>[a-z]\w{1,30})(?![\w.(]))"
)
_SIZED_CALL: Final = re.compile(r"(?<=[×+=]\s)[^\W\d]\w{1,20}\((?P<rows>\d{1,7}),\s?(?P<columns>\d{1,7})\)")
_UNDERSCORED: Final = re.compile(r"(?<=\d)_(?=\d{3}(?!\d))")
_TIMES_WORD: Final = re.compile(r"(?<=\d\s)(?:times|fois)(?=\s\d)")
_DOTTED: Final = re.compile(r"(?<![A-Za-z_]{3})(?<=[A-Za-z\d])\.(?=[A-Za-z]{1,2}(?![\w(])(?=[^\n]*=))")
"""A dot as a multiplication sign between names of one or two letters: `V.d + 258.d = 16 516 096`."""
_BULLET: Final = re.compile(r"(?m)^[ \t]*-\s+")
_SIDE: Final = re.compile(r"[^=≈\n]+")
_LONGEST: Final = 600
_OPERATION: Final = re.compile(r"[×/^+=(]|(?<=[\d\s])x(?=[\d\s])")
_WORDS: Final = (
    r"(?:a|A|I|so|So|is|Is|of|to|in|In|on|or|at|by|as|we|We|it|It|if|an|be|do|no|us|à|de|et|en|y|un|le|la|du|On|il|se)"
)
_FIRST_WORD: Final = re.compile(
    rf"\s*(?:{_WORDS}(?![\w^])(?!\s?[:=])\s*|[)\]}}]\s*|[+×/^=-]\s*(?=[A-Za-z]{{2}}\s))|\s+"
)
_LAST_WORD: Final = re.compile(rf"(?:(?<![\w]){_WORDS}|[(\[{{+×/^=-])\s*\Z|\s\Z")
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}


class Formula(Frozen):
    """A formula in a text, at `start` of its passage.

    It has the values of its sides, all intermediate values (`steps`), and the values of its summands (`terms`). `sums`
    are the values of sums with several terms, and numbers that the text equates with one.
    """

    text: str
    start: int
    values: tuple[int | None, ...]
    symbolic: tuple[bool, ...]
    steps: frozenset[int]
    terms: frozenset[int]
    sums: frozenset[int] = frozenset()
    evidence: Evidence


def meanings_in(passage: Passage) -> dict[str, Fraction]:
    """Return the values that a text gives to its names: `d_model = 512`, `hidden size = 512`, `N = 4 and h = 8`."""
    lists = [match.span() for match in _ASSIGNED.finditer(passage.text) if "," in match["names"]]
    given = (match for pattern in (_GIVEN, _DEFINED, _BY_NAME) for match in pattern.finditer(passage.text))
    assignments: list[tuple[int, Expression | None, Expression | None]]
    assignments = [(match.start("name"), Symbol(match["name"]), parse_maths(match["value"])) for match in given]
    assignments += (
        (start, *pair) for (start, _), entry in written_formulas(passage, ()) for pair in pairwise(sides(entry))
    )
    return {
        left.key: right.value
        for start, left, right in assignments
        if isinstance(left, Symbol) and isinstance(right, Number) and not is_within(start, lists)
    }


def formulas(passage: Passage, lab: Lab) -> Iterator[Formula]:
    """Return the formulas of a passage that can be worked out, with the values of names in the text or the lab.

    A name to which a formula gives a value has this value from there on.
    """
    given = meanings_in(passage)
    symbols = _lab_symbols(lab, passage.text, given) | given
    names = (*(name for symbol in lab.symbols for name in symbol.names), *_own_names(passage.text))
    listed = list(_listed(_as_formulas(passage.text)))
    alone = (
        formula
        for formula in written_formulas(passage, names)
        if not is_within(formula[0][0], [span for span, _ in listed])
    )
    written = sorted((*listed, *alone), key=lambda entry: entry[0])
    for (start, end), expression in written:
        parts = sides(expression)
        done = [_worked(side, symbols) for side in parts]
        if not any(done):
            parts = tuple(part for side in parts for part in _factors(side))
            done = [_worked(part, symbols) for part in parts]
        values = [candidate.value for candidate in done if candidate]
        if parts and isinstance(parts[0], Symbol) and len(parts) > 1 and values and parts[0].key not in given:
            symbols[parts[0].key] = values[-1]
        if not values or not _operates(expression):
            continue
        yield Formula(
            text=passage.text[start:end],
            start=start,
            values=tuple(as_integer(candidate.value) if candidate else None for candidate in done),
            symbolic=tuple(_has_symbol(side) for side in parts),
            steps=_whole_numbers(candidate.steps for candidate in done if candidate),
            terms=_whole_numbers(candidate.terms for candidate in done if candidate),
            sums=_whole_numbers([_sums(parts, done)]),
            evidence=passage.evidence(start, end),
        )


def _factors(side: Expression) -> tuple[Expression, ...]:
    """Return the factors of a product that have a value. A word before a bracket is no factor."""
    return tuple(part for part in side.factors if _operates(part)) if isinstance(side, Product) else ()


def _lab_symbols(lab: Lab, text: str, given: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return the lab's names of sizes. `d_f` is left out if a text writes `df` and defines d and f itself."""
    names = {name: Fraction(symbol.value) for symbol in lab.symbols for name in symbol.names}
    return {
        Symbol(name).key: value
        for name, value in names.items()
        if name in text or len(Symbol(name).key) < 2 or not set(Symbol(name).key) <= set(given)
    }


def _sums(parts: Sequence[Expression], done: Sequence[WorkedFormula | None]) -> list[Fraction]:
    """Return the values of the sums among the sides of a relation, and of single numbers beside them."""
    if not any(isinstance(part, Sum) for part in parts):
        return []
    return [
        candidate.value
        for part, candidate in zip(parts, done, strict=True)
        if candidate and isinstance(part, (Sum, Number))
    ]


def _own_names(text: str) -> Iterator[str]:
    """Return the names to which a text gives a value or a formula."""
    for pattern in (_GIVEN, _DEFINED, _BY_NAME):
        yield from (match["name"].strip() for match in pattern.finditer(text))
    for match in _ASSIGNED.finditer(text):
        yield from (name.strip() for name in match["names"].split(","))


def _listed(text: str) -> Iterator[tuple[tuple[int, int], Expression]]:
    """Yield names with values in a list, `V, d = 32000, 512`, as single formulas, and the sizes of a shape,
    `Linear(512, 512)`, as a product."""
    for match in _ASSIGNED.finditer(text):
        names, values = match["names"].split(","), match["values"].split(",")
        if 1 < len(names) == len(values):
            for name, value in zip(names, values, strict=True):
                expression = parse_maths(f"{name.strip()} = {_TIMES.sub('×', value)}")
                if expression is not None:
                    yield match.span(), expression
    for match in _SHAPE.finditer(text):
        rows, columns = (Number(Fraction(match[group]), match[group]) for group in ("rows", "columns"))
        yield match.span(), Product((rows, columns))


def _whole_numbers(values: Iterable[Iterable[Fraction]]) -> frozenset[int]:
    return frozenset(number for some in values for value in some if (number := as_integer(value) or 0) > 1)


def _worked(side: Expression, symbols: Mapping[str, Fraction]) -> WorkedFormula | None:
    try:
        return work_out(resolve_names(side, symbols), symbols)
    except UnworkableError:
        return None


def _has_symbol(expression: Expression) -> bool:
    return any(isinstance(part, Symbol) for part in walk(expression))


def written_formulas(passage: Passage, names: Iterable[str]) -> Iterator[tuple[tuple[int, int], Expression]]:
    """Yield the formulas that are marked in blocks, and those that are recognised in running text."""
    marked: list[tuple[int, int]] = []
    for index, block in enumerate(passage.blocks):
        for formula in block.formulas or formulas_in(block.text):
            span = passage.offset_of(index, formula.start), passage.offset_of(index, formula.end)
            if formula.expression is None:
                continue
            marked.append(span)
            if _tells(formula.expression):
                yield span, formula.expression
    text = _as_formulas(passage.text)
    starts, ends = sorted(start for start, _ in marked), sorted(end for _, end in marked)
    for match in _span(names).finditer(text):
        if bisect_left(starts, match.end()) == bisect_right(ends, match.start()):  # the match overlaps no formula
            yield from _read(text, match.start(), match.end())


def _as_formulas(text: str) -> str:
    """Return a text of the same length with code and words replaced by mathematical notation.

    For example, `cfg["width"]` and `self.width` become `width`, a call with two sizes a product, and `times` a sign.
    """
    text = _DOTTED.sub("×", _UNDERSCORED.sub(" ", text))
    text = _MEMBER.sub(lambda match: (match["key"] or match["attribute"]).rjust(len(match.group())), text)
    text = _SIZED_CALL.sub(lambda match: f"({match['rows']}×{match['columns']})".rjust(len(match.group())), text)
    return _TIMES_WORD.sub(lambda match: "×".center(len(match.group())), text)


def _span(names: Iterable[str]) -> re.Pattern[str]:
    long_names = sorted((name for name in names if len(name) > 2), key=len, reverse=True)
    words = "|".join(re.escape(name).replace(r"\ ", r"\s") for name in long_names)
    named = rf"\b(?i:{words})\b|" if words else ""
    line_end = r"\n(?=[ \t]*[+×/^=≈)\]}])|(?<=[×+])\n|(?<=[×+] )\n"
    return re.compile(rf"(?:{named}{NUMBER}|(?<![A-Za-z_]){_SYMBOL}|{_SIGN}|[ \t]|{line_end})+")


def _read(text: str, start: int, end: int) -> Iterator[tuple[tuple[int, int], Expression]]:
    """Return a stretch of text as a formula without words at its ends, or else its sides one by one."""
    if end - start > _LONGEST or not _OPERATION.search(text, start, end):
        return
    if bullet := _BULLET.match(text, start, end):
        start = bullet.end()
    while match := _FIRST_WORD.match(text, start, end):
        start = match.end()
    while match := _LAST_WORD.search(text, start, end):
        end = match.start()
    while text[start:end].endswith(")") and text.count("(", start, end) < text.count(")", start, end):
        end -= 1  # the bracket closes a call: `print(a, a + 2 * b)`
    expression = parse_maths(_balanced(_TIMES.sub("×", text[start:end]).replace("\n", " ")))
    if expression is not None:
        if _tells(expression):
            yield (start, end), expression
        return
    for side in _SIDE.finditer(text, start, end):
        if side.group() != text[start:end]:
            yield from _read(text, side.start(), side.end())


def _tells(expression: Expression) -> bool:
    """Whether a formula calculates something, or gives a name its value."""
    return _operates(expression) or isinstance(expression, Relation)


def _operates(expression: Expression) -> bool:
    """Whether a formula has an operation and a number or the name of a size."""
    return any(isinstance(part, (Sum, Product, Power, Quotient)) for part in walk(expression))


def _balanced(text: str) -> str:
    """Return the text with missing closing brackets added, where another bracket closes or the text ends."""
    out: list[str] = []
    open_: list[str] = []
    for sign in text:
        if sign in _CLOSES:
            open_.append(_CLOSES[sign])
        elif sign in _CLOSES.values():
            while open_ and open_[-1] != sign and sign in open_:
                out.append(open_.pop())
            if open_ and open_[-1] == sign:
                open_.pop()
        out.append(sign)
    return "".join(out + open_[::-1])
