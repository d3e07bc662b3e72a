"""The check `formula-answer`: a formula is right, however it is written and whatever its variables are called.

`is_equal` compares two formulas at random points.
"""

import math
import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice, permutations, product
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple

from pydantic import AfterValidator, Field

from grader.checks.absence import nothing_recognised, own_sections
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import LIKELY_MEANT, SEVERAL, UNCERTAIN, Reason, say_right, say_wrong
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status
from grader.claims.answer import Answer
from grader.claims.commitment import stance
from grader.claims.formulas import sides, written_formulas
from grader.claims.numerals import sentence_bounds
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.claims.statements import is_doubtful, mention
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.message import join_messages, say, say_data
from grader.reading.document import Evidence, RepairKind
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
    parts,
    resolve_names,
    walk,
)
from grader.reading.maths.formula import format_expression
from grader.reading.maths.parser import parse_maths

FORMULA: Final = "formula-answer"
_POINTS: Final = 12
"""The number of random points. Different formulas do not agree at all of them by chance."""
_ALIKE: Final = 1e-9
_MOST_FORMULAS: Final = 60
_MOST_UNKNOWN: Final = 5
_MOST_OCCURRENCES: Final = 20
_FUNCTIONS: Final[Mapping[str, Callable[[float], float]]] = MappingProxyType(
    {
        "sqrt": math.sqrt,
        "exp": math.exp,
        "log": math.log,
        "ln": math.log,
        "log_2": math.log2,
        "log_10": math.log10,
        "abs": abs,
        "tanh": math.tanh,
        "sin": math.sin,
        "cos": math.cos,
        "floor": math.floor,
        "ceil": math.ceil,
        "int": math.floor,
    }
)


def _is_understood(text: str) -> str:
    """Return the text of a lab's formula. Raises ValueError if it is none."""
    formula = parse_maths(text)
    if formula is None or isinstance(formula, Relation):
        raise ValueError(f"{text!r} is no formula that is understood; write it as in (x - k + 2*p) / s + 1")
    return text


FormulaText = Annotated[str, AfterValidator(_is_understood)]
"""A formula in a lab, such as `(x - k + 2*p) / s + 1`."""


class WrongFormula(Frozen):
    """A known wrong formula, its cause, and the share of the points that it earns."""

    formula: FormulaText
    why: str
    share: Decimal = Field(default=Decimal(0), ge=0, le=1)


class UnknownError(ValueError):
    """A name in a formula has no value, or the formula has no value at a point."""


def names_in(formula: Expression) -> frozenset[str]:
    """Return the keys of the names in a formula."""
    return frozenset(entry.key for entry in walk(formula) if isinstance(entry, Symbol))


def worth(formula: Expression, point: Mapping[str, float]) -> float:
    """Return the value of a formula at a point, which maps names to values. Raises UnknownError."""
    try:
        return _worth(formula, point)
    except (ArithmeticError, ValueError) as error:
        raise UnknownError(str(error)) from error


def _worth(formula: Expression, point: Mapping[str, float]) -> float:
    match formula:
        case Number(value=value):
            return float(value)
        case Symbol(key=key) if key in point:
            return point[key]
        case Negation(operand=operand):
            return -_worth(operand, point)
        case Sum(terms=several) | Product(factors=several):
            values = [_worth(entry, point) for entry in several]
            return math.fsum(values) if isinstance(formula, Sum) else math.prod(values)
        case Quotient(numerator=above, denominator=below):
            return _worth(above, point) / _worth(below, point)
        case Power(base=base, exponent=exponent):
            return math.pow(_worth(base, point), _worth(exponent, point))
        case Call(function=name, arguments=arguments):
            return _called(name, [_worth(argument, point) for argument in arguments])
    raise UnknownError(type(formula).__name__)


def _called(name: str, values: Sequence[float]) -> float:
    """Return the value of a function. Raises UnknownError."""
    match name, values:
        case "root", [inner, degree]:
            return math.pow(inner, 1 / degree)
        case "max", [_, *_]:
            return max(values)
        case "min", [_, *_]:
            return min(values)
        case _, [inner] if name in _FUNCTIONS:
            return float(_FUNCTIONS[name](inner))
    raise UnknownError(name)


def _less_floors(formula: Expression) -> Expression:
    """Return a formula without functions that round down."""
    match formula:
        case Call(function="floor" | "int", arguments=(inner,)):
            return _less_floors(inner)
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(map(_less_floors, arguments)))
        case Negation(operand=operand):
            return Negation(_less_floors(operand))
        case Sum(terms=terms):
            return Sum(tuple(map(_less_floors, terms)))
        case Product(factors=factors):
            return Product(tuple(map(_less_floors, factors)))
        case Quotient(numerator=above, denominator=below):
            return Quotient(_less_floors(above), _less_floors(below))
        case Power(base=base, exponent=exponent):
            return Power(_less_floors(base), _less_floors(exponent))
    return formula


@lru_cache(maxsize=256)
def _points(names: tuple[str, ...]) -> tuple[Mapping[str, float], ...]:
    """Return random points, the same in every run.

    No value is whole, and the values of a point differ clearly, so that no wrong formula is right by coincidence.
    """
    chance = random.Random(",".join(names))  # noqa: S311  # numbers to calculate with, no secrets
    return tuple({name: chance.uniform(1.3, 9.7) for name in names} for _ in range(_POINTS))


def is_equal(first: Expression, other: Expression, fixed: Mapping[str, float] = MappingProxyType({})) -> bool:
    """Whether two formulas have the same value at all points where the second has one. `fixed` are names with one
    value."""
    names = tuple(sorted((names_in(first) | names_in(other)) - fixed.keys()))
    compared = 0
    for point in _points(names):
        try:
            right_value = worth(other, {**point, **fixed})
            value = worth(first, {**point, **fixed})
        except UnknownError:
            continue
        if not math.isclose(value, right_value, rel_tol=_ALIKE, abs_tol=_ALIKE):
            return False
        compared += 1
    return compared > _POINTS // 2


class _Stated(NamedTuple):
    """A formula in an answer. Its known names are replaced by the lab's."""

    formula: Expression
    unknown: frozenset[str]
    section: Section
    start: int
    end: int

    @property
    def evidence(self) -> Evidence:
        return self.section.passage.evidence(self.start, self.end)

    @property
    def text(self) -> str:
        return self.section.passage.text[self.start : self.end].strip(" =\n")

    @property
    def is_open(self) -> bool:
        """Whether its sentence denies it or leaves it open."""
        passage = self.section.passage
        left, end = sentence_bounds(passage.text, self.start, self.end)
        is_stated = stance(passage, self.start, self.end).is_committed
        is_stated = is_stated and not lexicon.match(r"\W*<is>\s<error|false>", passage.text, self.end)
        return not is_stated or is_doubtful(passage.text[left:end], self.start - left, self.end - left)

    @property
    def is_certain(self) -> bool:
        """Whether every character was read exactly."""
        passage = self.section.passage
        return passage.exact and not passage.is_inferred(self.start, self.end, *RepairKind)


@check(FORMULA)
def formula_answer(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    formula: FormulaText,
    also: tuple[FormulaText, ...] = (),
    names: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    words: tuple[str, ...] = (),
    floors: bool = False,
    wrong: tuple[WrongFormula, ...] = (),
) -> Iterator[Conclusion]:
    """The general formula that was asked for is right.

    - `formula`: the right formula. `also`: further right formulas that are not equal to it.
    - `names`: for each variable, other letters (`W`, `n_in`) and descriptions (`input size`).
    - `words`: words that name the formula; required if a question asks for several formulas.
    - `floors`: whether the formula must round down, as `⌊x⌋` or `floor(x)` does.
    - `wrong`: known wrong formulas.

    Decides: formulas in text, LaTeX or code. Equal formulas are right: `k*k*c*o + o` and `o(k²c + 1)`. A formula that
    is not equal is `incorrect` if it has all variables.

    Leaves to people: formulas that are not understood, lack variables or have unexplained names, and answers with
    several different formulas.

    Example:
        formula = "(x - k + 2*p) / s + 1"
        names = { x = ["W", "input size"], k = ["F", "kernel size"], p = ["P", "padding"], s = ["S", "stride"] }
        wrong = [{ formula = "(x - k + p) / s + 1", why = "The padding is added on both sides.", share = 0.5 }]
    """
    question = lab.question_of(item)
    finding = Finding(item=item, status=Status.REVIEW, expected=ExpectedAnswer(text=formula))
    aims = [_prepared(text, floors=floors) for text in (formula, *also)]
    known_wrong = [(wrong_formula, _prepared(wrong_formula.formula, floors=floors)) for wrong_formula in wrong]
    others = {**dict.fromkeys(sorted(frozenset().union(*map(names_in, aims))), ()), **names}
    places = [section for section in answer.sections if question in section.questions]
    elsewhere = LIKELY_MEANT.keep_if(not places)
    every = chain(
        *(_stated(place, others, words) for place in places or own_sections(answer, question, with_code=True))
    )
    stated = [
        stated_value if floors else stated_value._replace(formula=_less_floors(stated_value.formula))
        for stated_value in islice(every, _MOST_FORMULAS)
    ]
    yield _judged(finding, stated, aims, known_wrong, elsewhere) if stated else nothing_recognised(finding, answer, lab)


def _judged(
    finding: Finding,
    stated: Sequence[_Stated],
    aims: Sequence[Expression],
    known_wrong: Sequence[tuple[WrongFormula, Expression]],
    elsewhere: Reason | None,
) -> Finding:
    """Return the verdict on the formulas in an answer."""
    fitting = [
        stated_value
        for stated_value in stated
        if not stated_value.unknown and any(is_equal(stated_value.formula, aim) for aim in aims)
    ]
    others = [
        stated_value
        for stated_value in stated
        if stated_value not in fitting and not _belongs(stated_value, fitting, aims)
    ]
    if not fitting:
        return _not_right(finding, others or stated, aims, known_wrong, elsewhere)
    last = fitting[-1]
    return with_verdict(
        finding.with_changes(
            found=last.text, evidence=tuple(dict.fromkeys(other.evidence for other in (last, *others[:2])))
        ),
        Status.CORRECT,
        say_right(last.text),
        UNCERTAIN.keep_if(all(stated_value.is_open for stated_value in fitting)),
        SEVERAL.keep_if(others),
        elsewhere,
    )


def _prepared(text: str, *, floors: bool) -> Expression:
    """Return a lab's formula, without functions that round down unless these count."""
    formula = parse_maths(text) or Number(_NAUGHT)
    return formula if floors else _less_floors(formula)


_UNEXPLAINED: Final = Reason(say("It uses names that the answer does not explain."))
_NOT_ALL: Final = Reason(say("The formula lacks something that the result depends on."))


def _not_right(
    finding: Finding,
    stated: Sequence[_Stated],
    aims: Sequence[Expression],
    known_wrong: Sequence[tuple[WrongFormula, Expression]],
    elsewhere: Reason | None,
) -> Finding:
    """Return the verdict if no formula is certainly right. The last formula counts."""
    last = stated[-1]
    finding = finding.with_changes(
        found=last.text, evidence=tuple(dict.fromkeys(stated_value.evidence for stated_value in stated[-3:]))
    )
    if last.unknown:
        reason = _UNEXPLAINED._replace(is_likely=_fits_by_other_names(last, aims))
        return with_verdict(finding, Status.CORRECT, "", reason)
    listed = next((wrong_formula for wrong_formula, aim in known_wrong if is_equal(last.formula, aim)), None)
    is_one = all(not stated_value.unknown and is_equal(stated_value.formula, last.formula) for stated_value in stated)
    reasons = (
        UNCERTAIN.keep_if(last.is_open),
        SEVERAL.keep_if(not is_one),
        _NOT_ALL.keep_if(listed is None and not names_in(last.formula) >= names_in(aims[0])),
        LIKELY_MEANT.keep_if(not last.is_certain or _is_unbracketed(last.formula, aims)),
        elsewhere,
    )
    if listed is None:
        return with_verdict(finding, Status.INCORRECT, say_wrong(last.text), *reasons)
    why = say_data(listed.why)
    return with_verdict(
        finding,
        Status.PARTIAL if listed.share else Status.INCORRECT,
        join_messages(" ", (say_wrong(last.text), why)),
        *reasons,
        share=listed.share or None,
        diagnoses=(Diagnosis(id=f"known-wrong:{listed.formula}", text=why),),
    )


def _is_unbracketed(formula: Expression, aims: Sequence[Expression]) -> bool:
    """Whether a formula only lacks brackets that a reader would add: `x - k + 2p/s + 1`."""
    plain, *others = (re.sub(r"[()\s]", "", format_expression(aim)) for aim in (formula, *aims))
    return plain in others


def _belongs(stated_value: _Stated, fitting: Sequence[_Stated], aims: Sequence[Expression]) -> bool:
    """Whether a formula may stand beside the right one: it is a part of it, or a case of it with numbers for some
    variables."""
    right_formulas = [*(each.formula for each in fitting), *aims]
    if any(is_equal(stated_value.formula, part) for whole in right_formulas for part in walk(whole) if parts(part)):
        return True
    if stated_value.unknown:
        return False
    for aim in aims:
        given = names_in(aim) - names_in(stated_value.formula)
        for values in product(_GIVEN, repeat=len(given)) if 0 < len(given) <= _MOST_GIVEN else ():
            if names_in(stated_value.formula) and is_equal(
                stated_value.formula, aim, dict(zip(sorted(given), values, strict=True))
            ):
                return True
    return False


_GIVEN: Final = (0.0, 1.0, 2.0, 3.0, 5.0)
_MOST_GIVEN: Final = 3
"""The most variables that may be given in a case of a formula."""


def _fits_by_other_names(stated_value: _Stated, aims: Sequence[Expression]) -> bool:
    """Whether a formula is right if its unknown names are the remaining variables in some order."""
    unknown = sorted(stated_value.unknown)
    for aim in aims:
        free = sorted(names_in(aim) - names_in(stated_value.formula))
        for order in permutations(free) if len(unknown) == len(free) <= _MOST_UNKNOWN else ():
            if is_equal(_renamed(stated_value.formula, dict(zip(unknown, order, strict=True))), aim):
                return True
    return False


def _renamed(formula: Expression, meanings: Mapping[str, str]) -> Expression:
    """Return a formula with some names replaced, by key."""
    match formula:
        case Symbol(key=key):
            return Symbol(meanings.get(key, key))
        case Negation(operand=operand):
            return Negation(_renamed(operand, meanings))
        case Sum(terms=several):
            return Sum(tuple(_renamed(entry, meanings) for entry in several))
        case Product(factors=several):
            return Product(tuple(_renamed(entry, meanings) for entry in several))
        case Quotient(numerator=above, denominator=below):
            return Quotient(_renamed(above, meanings), _renamed(below, meanings))
        case Power(base=base, exponent=exponent):
            return Power(_renamed(base, meanings), _renamed(exponent, meanings))
        case Call(function=function, arguments=several):
            return Call(function, tuple(_renamed(entry, meanings) for entry in several))
    return formula


def _stated(section: Section, names: Mapping[str, Sequence[str]], words: Sequence[str]) -> Iterator[_Stated]:
    """Yield the formulas with letters in a section, one per side of each equation.

    A single name is no formula. The first side of an equation may only name the result.
    """
    passage = section.passage
    spelled = [*_FUNCTIONS, *filter(_is_long, chain(*names.values()))]
    found = [candidate for candidate in written_formulas(passage, spelled) if candidate[0][0] >= section.lead]
    meanings = _meanings(passage, [whole for _, whole in found], names)
    values = dict.fromkeys(meanings, _NAUGHT)
    for (start, end), whole in found:
        if not _speaks_of(passage.text, words, start, end):
            continue
        first, *rest = sides(whole)
        for side in (first, *rest):
            formula = _renamed(resolve_names(side, values), meanings)
            unknown = names_in(formula) - names.keys()
            is_name = _is_name(formula) or (side is first and bool(rest and unknown))
            if names_in(formula) and not is_name:
                yield _Stated(formula, unknown, section, start, end)


def _meanings(passage: Passage, found: Sequence[Expression], names: Mapping[str, Sequence[str]]) -> Mapping[str, str]:
    """Return the variables by the keys of all their names, in the lab and in the answer."""
    known_variables = {Symbol(other).key: name for name, others in names.items() for other in (name, *others)}
    used = frozenset().union(*map(names_in, found))
    return known_variables | _explained(
        passage, {key for key in used if key not in known_variables or len(key) <= _LONGEST_LETTER}, names
    )


def _speaks_of(text: str, words: Sequence[str], start: int, end: int) -> bool:
    """Whether the sentence of `text[start:end]` contains one of some words, if there are any."""
    return not words or mention(text, words, *sentence_bounds(text, start, end)) is not None


def _is_long(name: str) -> bool:
    """Whether a name consists of words instead of letters."""
    return len(name) > 2


_NAUGHT: Final = Fraction(0)


def _is_name(formula: Expression) -> bool:
    """Whether a formula is a single name, or a function name with arguments such as `f(x, k)`."""
    return isinstance(formula, Symbol) or (
        isinstance(formula, Call) and formula.function not in {*_FUNCTIONS, "root", "max", "min"}
    )


_BEFORE, _BEHIND = 40, 60
_LONGEST_LETTER: Final = 3
"""A name with at most this many letters may mean different things in an answer and in the lab."""
_IS: Final = (
    r"[\s$}\])]{0,4}(?:(?:<defines>|[:=]|-\s(?=[^\W\d_]{3}))\s{0,2}(?:<the|article>\s)?|,?\s{0,2}<the|article>\s)"
)
_ENDS: Final = r"[,;.()\n]|\s<and>\s"


def _explained(passage: Passage, keys: Collection[str], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the variables that an answer defines: `where n is the input size`, `the kernel size f`.

    A letter with two definitions is left out.
    """
    described = {name: [other for other in others if _is_long(other)] for name, others in names.items()}
    found: dict[str, str] = {}
    for key in sorted(keys):
        meaning = {
            name
            for match in list(_name_pattern(key).finditer(passage.text))[:_MOST_OCCURRENCES]
            for name in [
                next(filter(None, (_only(meaning, described) for meaning in _said_of(passage.text, *match.span()))), "")
            ]
            if name
        }
        if len(meaning) == 1:
            found[key] = meaning.pop()
    return found


@lru_cache(maxsize=1024)
def _name_pattern(key: str) -> re.Pattern[str]:
    letters = r"[_{}\\$]{0,3}".join(map(re.escape, key))
    return re.compile(rf"(?<![^\W_]){letters}(?![^\W_])")


def _said_of(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the text's descriptions of `text[start:end]`: the words after a verb or a sign, and the words before it."""
    is_said = lexicon.match(_IS, text, end)
    behind = is_said.end() if is_said else end
    if behind > end:
        stop = lexicon.search(_ENDS, text, behind, behind + _BEHIND)
        yield text[behind : stop.start() if stop else behind + _BEHIND]
    before = text[max(0, start - _BEFORE) : start].rstrip("($ \t{\\") + " "
    ends = [match.end() for match in lexicon.find_all(rf"{_ENDS}|[:=]", before)]
    yield before[ends[-1] if ends else 0 :]


def _only(text: str, described: Mapping[str, Sequence[str]]) -> str | None:
    """Return the only variable whose words a text contains, or None."""
    named = [name for name, words in described.items() if words and mention(text, words, 0)]
    return named[0] if len(named) == 1 else None
