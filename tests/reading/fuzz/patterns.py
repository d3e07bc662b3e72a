"""Regular expressions attacked with long repetitive texts: time that grows faster than the text makes a reader hang.

What is repeated is made from each expression's own parts: for every repetition in it, a text that leads there, then
many times what it repeats, then something that does not fit.
"""

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, Final, NamedTuple

from tests.reading.fuzz.timing import TooSlowError, within

Method = Callable[[str], object]

_LENGTH: Final = 6_000
_MANY: Final = 8
"""A repetition that can go on longer than this is worth an attack."""

_MOST_VARIANTS: Final = 6
_CLASSES: Final = {
    sre.CATEGORY_SPACE: " \n",
    sre.CATEGORY_DIGIT: "0",
    sre.CATEGORY_WORD: "a0",
    sre.CATEGORY_NOT_SPACE: "a.",
    sre.CATEGORY_NOT_DIGIT: "a ",
    sre.CATEGORY_NOT_WORD: " .",
}
_ANY: Final = "a 0.-\\{|(\n\x00é"


class Use(NamedTuple):
    """An expression with a name in a module, and a way in which the module applies it."""

    module: str
    name: str
    method: str
    pattern: re.Pattern[str]

    def __str__(self) -> str:
        return f"{self.module}.{self.name}.{self.method}"


class Slow(NamedTuple):
    """A text that an expression takes long for."""

    use: Use
    seconds: float
    prefix: str
    pump: str
    suffix: str

    def __str__(self) -> str:
        text = f"{self.prefix!r} + {self.pump!r} * {_LENGTH // len(self.pump)} + {self.suffix!r}"
        return f"{self.use}: {self.seconds:.2f} s for {text}"


def uses(package: ModuleType) -> Iterator[Use]:
    """The module-level expressions of a package, each with every method that is called on it by name."""
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(info.name)
        with open(str(module.__file__), encoding="utf-8") as file:  # noqa: PTH123
            called = _called(ast.parse(file.read()))
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                for method in sorted(called.get(name, set())):
                    yield Use(info.name, name, method, value)


def _called(tree: ast.AST) -> dict[str, set[str]]:
    """The methods by the name they are taken of: calls, and methods handed on such as `map(_X.match, lines)`."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.setdefault(node.value.id, set()).add(node.attr)
    return found


def slowest(use: Use, limit: float) -> Slow | None:
    """The first attack that takes more than `limit` seconds for 6,000 characters; None where all are quick."""
    apply = _applied(use)
    if apply is None:
        return None
    for prefix, pump in _attacks(use.pattern):
        for suffix in ("", "\x00", "a", "\n!", " ;"):
            text = prefix + pump * (_LENGTH // len(pump)) + suffix
            start = time.process_time()
            with suppress(TooSlowError), within(2 * limit):
                apply(text)
            seconds = time.process_time() - start
            if seconds > limit:
                return Slow(use, seconds, prefix, pump, suffix)
    return None


def _applied(use: Use) -> Method | None:
    pattern = use.pattern
    if use.method in ("match", "fullmatch", "search", "split", "findall"):
        return lambda text: getattr(pattern, use.method)(text)
    if use.method == "finditer":
        return lambda text: list(pattern.finditer(text))
    if use.method in ("sub", "subn"):
        return lambda text: pattern.sub("", text)
    return None


def _attacks(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Pairs of what leads to a repetition and what it repeats, alone and two after each other."""
    found: dict[tuple[str, str], None] = {}
    pumps: dict[str, None] = {}
    for prefix, body in _repetitions(parser.parse(pattern.pattern, pattern.flags), [""]):
        for lead, pump in product(prefix[:3], body):
            if pump:
                found[lead, pump] = found["", pump] = None
                pumps[pump] = None
    for one, other in product(list(pumps)[:12], repeat=2):
        found["", one + other] = None
    return list(found)[:400]


def _repetitions(parsed: Any, prefix: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """All long repetitions in a parsed expression, at any depth, with texts that lead to them."""
    for operator, argument in parsed:
        for inner in _inside(operator, argument):
            yield from _repetitions(inner, prefix)
        if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT) and argument[1] > _MANY:
            yield prefix, _samples([(operator, (1, 1, argument[2]))])
        step = _samples([(operator, argument)])
        prefix = [before + after for before, after in product(prefix[:2], step[:3] or [""])][:_MOST_VARIANTS]


def _inside(operator: Any, argument: Any) -> list[Any]:
    if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return [argument[2]]
    if operator is sre.SUBPATTERN:
        return [argument[3]]
    if operator is sre.BRANCH:
        return list(argument[1])
    if operator in (sre.ASSERT, sre.ASSERT_NOT):
        return [argument[1]]
    return [argument] if operator is sre.ATOMIC_GROUP else []


def _samples(parsed: Any) -> list[str]:
    """A few texts that fit a parsed expression, as short as can be."""
    texts = [""]
    for operator, argument in parsed:
        texts = [before + after for before, after in product(texts, _sample(operator, argument) or [""])]
        texts = list(dict.fromkeys(texts))[:_MOST_VARIANTS]
    return texts


def _sample(operator: Any, argument: Any) -> list[str]:
    if operator is sre.LITERAL:
        return [chr(argument)]
    if operator is sre.NOT_LITERAL:
        return [char for char in _ANY if ord(char) != argument][:3]
    if operator is sre.ANY:
        return list(_ANY[:4])
    if operator is sre.IN:
        return _of_class(argument)
    if operator is sre.BRANCH:
        return [text for branch in argument[1] for text in _samples(branch)[:2]]
    if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, _, body = argument
        return [text * max(least, 1) for text in _samples(body)] + ([""] if least == 0 else [])
    inside = _inside(operator, argument)
    return _samples(inside[0]) if inside and operator not in (sre.ASSERT, sre.ASSERT_NOT) else [""]


def _of_class(items: Any) -> list[str]:
    """Some characters of a set such as `[a-z.\\s]` or `[^|]`."""
    fits = re.compile(_class_source(items))
    own = [chr(value) for operator, value in items if operator is sre.LITERAL]
    own += [chr(value[0]) for operator, value in items if operator is sre.RANGE]
    own += [char for operator, value in items if operator is sre.CATEGORY for char in _CLASSES.get(value, "")]
    return [char for char in dict.fromkeys([*own, *_ANY]) if fits.match(char)][:_MOST_VARIANTS]


def _class_source(items: Any) -> str:
    names = {
        sre.CATEGORY_SPACE: r"\s", sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_WORD: r"\w",
        sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_NOT_WORD: r"\W",
    }  # fmt: skip
    source = ""
    for operator, value in items:
        if operator is sre.NEGATE:
            source += "^"
        elif operator is sre.LITERAL:
            source += re.escape(chr(value))
        elif operator is sre.RANGE:
            source += f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        else:
            source += names[value]
    return f"[{source}]"
