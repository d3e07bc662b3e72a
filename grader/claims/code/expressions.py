"""Compute the value of an expression through names, with bounded effort.

Nothing is executed: values are computed from the syntax tree by the rules of this package. Other values are unknown.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Final

from grader.claims.code.library import function_value, method_value, weight_attribute
from grader.claims.code.values import (
    LARGEST,
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_ITEMS,
    UNKNOWN,
    Hole,
    Kind,
    PartialCall,
    Routine,
    Tally,
    Value,
    Weight,
    are_equal,
    binary,
    compare_values,
    format_value,
    is_known,
    short_source,
    text_method,
    text_of,
    truth_of,
)

Names = dict[str, Value]


def assign(target: ast.expr, value: Value, names: Names) -> None:
    """Assign a value to a name, or to several."""
    match target:
        case ast.Name(identifier):
            names[identifier] = value
        case ast.Tuple(targets) | ast.List(targets):
            fits = isinstance(value, list) and len(value) == len(targets)
            for index, expression in enumerate(targets):
                assign(expression, value[index] if fits else Hole(short_source(expression)), names)  # type: ignore[index]
        case ast.Starred(inner):
            assign(inner, UNKNOWN, names)


def store(owner: Value, key: Value, value: Value) -> None:
    """Assign a value to an entry of a dictionary or list."""
    if isinstance(owner, dict) and isinstance(key, str | int | float) and (len(owner) < MOST_ITEMS or key in owner):
        owner[key] = value
    if isinstance(owner, list) and isinstance(key, int):
        with suppress(IndexError):
            owner[key] = value


def last_name(function: ast.expr) -> str:
    """Return the last part of the called name."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def constant_value(constant: object) -> Value:
    """Return a constant, within limits."""
    if isinstance(constant, str):
        return constant[:LONGEST_TEXT].replace("⟨", "<").replace("⟩", ">")
    if isinstance(constant, int | float):
        return constant if abs(constant) < LARGEST else UNKNOWN
    return None if constant is None else UNKNOWN


def unary(operator: ast.unaryop, value: Value) -> Value:
    """Return the result of `not` or a sign."""
    match operator, value:
        case ast.Not(), _:
            truth = truth_of(value)
            return UNKNOWN if truth is None else not truth
        case ast.USub(), int() | float():
            return -value
        case ast.UAdd(), int() | float():
            return value
    return UNKNOWN


_KNOWN: Final[dict[str, Value]] = {"os.linesep": "\n"}


class Expressions:
    """The values of expressions. Calls are passed to `_called`, which a follower of statements defines."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def value(self, node: ast.expr | None, names: Names) -> Value:  # noqa: C901 one case for each kind of expression
        """Return the value of an expression with some names. Raises RecursionError for one that is nested too
        deeply."""
        self.steps -= 1
        if node is None:
            return None
        if self.steps < 0:
            return UNKNOWN
        match node:
            case ast.Constant(constant):
                return constant_value(constant)
            case ast.Name(identifier):
                return names.get(identifier, Hole(identifier))
            case ast.JoinedStr(parts):
                return "".join(self._part(part, names) for part in parts[:MOST_ITEMS])[:LONGEST_TEXT]
            case ast.BinOp(left, operator, right):
                return binary(operator, self.value(left, names), self.value(right, names))
            case ast.Call():
                return self._call(node, names)
            case ast.Attribute(base, attribute):
                return self._attribute(node, self.value(base, names), attribute)
            case ast.Subscript(base, index):
                return self._item(node, self.value(base, names), index, names)
            case ast.List(items) | ast.Tuple(items) | ast.Set(items):
                return list(self._items(items[:MOST_ITEMS], names))
            case ast.Dict(keys, values):
                return self._table(keys, values, names)
            case ast.BoolOp(operator, values):
                return self._logical(operator, values, names)
            case ast.Compare(left, [operator], [right]):
                result = compare_values(operator, self.value(left, names), self.value(right, names))
                return UNKNOWN if result is None else result
            case ast.UnaryOp(operator, operand):
                return unary(operator, self.value(operand, names))
            case ast.IfExp(test, body, otherwise):
                chosen = truth_of(self.value(test, names))
                if chosen is None:
                    return self._either(self.value(body, names), self.value(otherwise, names), node)
                return self.value(body if chosen else otherwise, names)
            case ast.ListComp(element, loops) | ast.GeneratorExp(element, loops) | ast.SetComp(element, loops):
                rows = self._rows(loops, names)
                return UNKNOWN if rows is None else [self.value(element, row) for row in rows]
            case ast.DictComp(key, element, loops):
                rows = self._rows(loops, names)
                return UNKNOWN if rows is None else self._keyed((key, element), rows)
            case ast.Lambda():
                return Routine("lambda", node, self.home)
            case ast.NamedExpr(ast.Name(identifier), inner):
                names[identifier] = self.value(inner, names)
                return names[identifier]
        return Hole(short_source(node))

    home: int = 0

    @staticmethod
    def _either(first: Value, second: Value, node: ast.expr) -> Value:
        return first if are_equal(first, second) else Hole(short_source(node))

    def _part(self, part: ast.expr, names: Names) -> str:
        if isinstance(part, ast.FormattedValue):
            spec = self.value(part.format_spec, names) if part.format_spec else ""
            value = self.value(part.value, names)
            return format_value(value if value != UNKNOWN else Hole(short_source(part.value)), text_of(spec))
        return text_of(self.value(part, names))

    def _attribute(self, node: ast.expr, base: Value, attribute: str) -> Value:
        if isinstance(base, Weight):
            return weight_attribute(base, attribute)
        if isinstance(base, dict):
            return base.get(attribute, Hole(short_source(node)))
        if isinstance(base, Hole) and f"{base.source}.{attribute}" in _KNOWN:
            return _KNOWN[f"{base.source}.{attribute}"]
        return Hole(f"{base.source}.{attribute}"[:LONGEST_NAME]) if isinstance(base, Hole) else Hole(short_source(node))

    def _item(self, node: ast.expr, base: Value, index: ast.expr, names: Names) -> Value:
        is_row = isinstance(base, list) or (isinstance(base, str) and is_known(base))
        if isinstance(index, ast.Slice):
            bounds = [self.value(expression, names) for expression in (index.lower, index.upper, index.step)]
            if is_row and all(bound is None or isinstance(bound, int) for bound in bounds) and bounds[2] != 0:
                return base[slice(*bounds)]  # type: ignore[index]
            return (
                base
                if isinstance(base, list) and index.step is None and index.lower is None
                else Hole(short_source(node))
            )
        key = self.value(index, names)
        if is_row and isinstance(key, int):
            with suppress(IndexError):
                return base[key]  # type: ignore[index]
        if isinstance(base, dict) and isinstance(key, str | int | float) and key in base:
            return base[key]
        if isinstance(base, Tally) and isinstance(key, str | int | float):
            return 0
        return (
            Hole(f"{base.source}[{short_source(index)}]"[:LONGEST_NAME])
            if isinstance(base, Hole)
            else Hole(short_source(node))
        )

    def _items(self, nodes: list[ast.expr], names: Names) -> Iterator[Value]:
        for node in nodes:
            value = self.value(node.value if isinstance(node, ast.Starred) else node, names)
            if isinstance(node, ast.Starred) and isinstance(value, list):
                yield from value
            else:
                yield value

    def _table(self, keys: list[ast.expr | None], values: list[ast.expr], names: Names) -> Value:
        table: dict[object, Value] = {}
        for key, node in zip(keys[:MOST_ITEMS], values[:MOST_ITEMS], strict=True):
            value = self.value(node, names)
            if key is None:
                table |= value if isinstance(value, dict) else {"**": value}
                continue
            name = self.value(key, names)
            table[name if isinstance(name, str | int | float) else text_of(name)] = value
        return table

    def _logical(self, operator: ast.boolop, nodes: list[ast.expr], names: Names) -> Value:
        stops = isinstance(operator, ast.Or)
        value: Value = None
        for node in nodes:
            value = self.value(node, names)
            truth = truth_of(value)
            if truth is None:
                return UNKNOWN
            if truth is stops:
                return value
        return value

    def _rows(self, loops: list[ast.comprehension], names: Names) -> list[Names] | None:
        """Return the names in each iteration of a comprehension, or None if the iterations are unknown."""
        rows: list[Names] = [dict(names)]
        for loop in loops:
            turns = (row for outer in rows for row in self._turns(loop, outer))
            rows = list(islice(turns, MOST_ITEMS + 1))
            self.steps -= len(rows)
            if len(rows) > MOST_ITEMS or self.steps < 0:
                return None
        return rows if all(row.pop("", True) for row in rows) else None

    def _keyed(self, pair: tuple[ast.expr, ast.expr], rows: list[Names]) -> Value:
        table: dict[object, Value] = {}
        for row in rows:
            key, value = (self.value(expression, row) for expression in pair)
            table[key if isinstance(key, str | int | float) else text_of(key)] = value
        return table

    def _turns(self, loop: ast.comprehension, names: Names) -> Iterator[Names]:
        items = self.value(loop.iter, names)
        if isinstance(items, dict):
            items = list(items)
        if not isinstance(items, list):
            yield {**names, "": False}
            return
        for item in items:
            row = dict(names)
            assign(loop.target, item, row)
            tests = [truth_of(self.value(test, row)) for test in loop.ifs]
            if None in tests:
                yield {**row, "": False}
            elif all(tests):
                yield row

    def _call(self, node: ast.Call, names: Names) -> Value:
        given = list(self._items(node.args[:MOST_ITEMS], names))
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, names)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords |= {str(key): entry for key, entry in value.items()}
            else:
                keywords["**"] = value
        base = self.value(node.func.value, names) if isinstance(node.func, ast.Attribute) else None
        target = self._target(node.func, base, names)
        if isinstance(target, PartialCall):
            given, keywords, target = [*target.given, *given], {**target.keywords, **keywords}, target.target
        if isinstance(base, Kind) and isinstance(target, Routine) and takes_itself(target):
            given = [base, *given]
        called_value = self._called(node, target, given, keywords, names)
        if called_value is not UNKNOWN:
            return called_value
        return self._result(node, target, base, given, keywords)

    def _target(self, function: ast.expr, base: Value, names: Names) -> Value:
        """Return the called function if it is assigned to a name, in a dictionary, or defined in place; otherwise
        None."""
        match function:
            case ast.Name(identifier):
                return names.get(identifier)
            case ast.Attribute(_, attribute) if isinstance(base, dict):
                return base.get(attribute)
            case ast.Lambda() | ast.Call() | ast.IfExp() | ast.Subscript():
                return self.value(function, names)
        return None

    def _result(
        self, node: ast.Call, target: Value, base: Value, given: list[Value], keywords: Mapping[str, Value]
    ) -> Value:
        if isinstance(node.func, ast.Attribute):
            base = Hole(short_source(node.func.value)) if isinstance(base, Kind) else base
            result = self._of_method(node, node.func.attr, base, given, keywords)
        else:
            result = function_value(called_name(node.func, target), given, keywords)
        made = id(node) if _makes(called_name(node.func, target)) else 0
        return Hole(short_source(node), made) if result is UNKNOWN else result

    @staticmethod
    def _of_method(node: ast.Call, name: str, base: Value, given: list[Value], keywords: Mapping[str, Value]) -> Value:
        result = (
            text_method(base, name, given, keywords)
            if isinstance(base, str)
            else method_value(base, name, given, keywords)
        )
        if result is UNKNOWN and isinstance(base, Hole):
            result = function_value(name, given, keywords)
        if result is UNKNOWN and isinstance(base, Hole) and not _makes(name):
            return Hole(f"{base.source}.{name}({', '.join(short_source(arg) for arg in node.args[:3])})"[:LONGEST_NAME])
        return result

    def _called(
        self, node: ast.Call, target: Value, given: list[Value], keywords: Mapping[str, Value], names: Names
    ) -> Value:
        """Return the value of a call that the code itself shows, otherwise UNKNOWN."""
        raise NotImplementedError


def called_name(function: ast.expr, target: Value) -> str:
    """Return the last name of a called function or class, the original one if it was assigned to another name."""
    if isinstance(target, Hole) and all(part.isidentifier() for part in target.source.split(".")):
        return target.source.rpartition(".")[2]
    return last_name(function)


def _makes(name: str) -> bool:
    """Whether a called name is a class, or makes an object of one."""
    return name[:1].isupper() or name in ("from_dict", "from_peft_type", "get_peft_config")


def takes_itself(routine: Routine) -> bool:
    """Whether a method receives the object on which it is called."""
    decorators = [] if isinstance(routine.node, ast.Lambda) else routine.node.decorator_list
    return routine.owner is not None and not any(last_name(decorator) == "staticmethod" for decorator in decorators)


Constant = bool | int | float | str | list[bool | int | float | str]
"""A value as a lab writes it. A string may also be its source, such as `"True"`."""

_MEMBER: Final = re.compile(r"[\w.]{1,60}\.(\w{1,60})")
"""A member of an enumeration, which libraries accept for the string with the same name."""


def _literal(source: str) -> object:
    """Return the value of a constant. Raises ValueError for any other source."""
    try:
        return ast.literal_eval(source)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(source) from error


def is_constant(source: str) -> bool:
    """Whether a source is a constant."""
    try:
        _literal(source)
    except ValueError:
        return False
    return True


def has_value(found: str, wanted: Constant) -> bool:
    """Whether an argument's source has a value. Numbers match in any spelling, and lists of names in any order."""
    if found == wanted:
        return True
    try:
        right = _literal(wanted) if isinstance(wanted, str) else wanted
    except ValueError:
        right = wanted
    try:
        value = _literal(found)
    except ValueError:
        member = _MEMBER.fullmatch(found)
        return member is not None and member[1] == right
    if isinstance(value, bool) is not isinstance(right, bool):
        return False
    if isinstance(value, list | tuple | set) and isinstance(right, list | tuple):
        named = all(isinstance(entry, str) for entry in (*value, *right))
        return set(value) == set(right) if named else list(value) == list(right)
    return value == right
