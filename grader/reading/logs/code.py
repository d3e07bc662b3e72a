"""The facts that a notebook's code tells about the runs that its cells print: the Trainer's arguments, seeds, and the
data that is evaluated. The code is read, never run: constants, loops over written lists, and functions that are called
with those."""

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from grader.reading.logs.written import LONGEST_VALUE, LoggedSetting

EVALUATED_DATA: Final = "evaluated_data"
"""The setting that names the data of each `evaluate()` in turn, by the expression that stands there."""
_BETWEEN: Final = "|"
_ARGUMENTS: Final = ("TrainingArguments", "SFTConfig")
_SEEDS: Final = frozenset({"set_seed", "seed_everything", "set_random_seed", "manual_seed"})
_EVALUATES: Final = frozenset({"evaluate", "predict"})
_LONGEST: Final = 100_000
"""Characters of a cell."""
_MOST_NODES: Final = 20_000
_MOST_TURNS: Final = 20
_DEEPEST: Final = 4

_Names = dict[str, Any]
_Run = dict[str, str]


def names_evaluated(value: str) -> list[str]:
    """The expressions that a setting `evaluated_data` holds; an empty one where nothing is named."""
    return value.split(_BETWEEN)


class CodeReader:
    """Reads the cells of a notebook in order, and remembers what the later ones may use."""

    def __init__(self) -> None:
        self._names: _Names = {}
        self._functions: dict[str, ast.FunctionDef] = {}
        self._arguments: _Run = {}
        self._seed = ""
        self._runs: list[_Run] = []
        self._evaluations: list[str] = []
        self._left = _MOST_NODES

    def settings(self, source: str, runs: int) -> list[Sequence[LoggedSetting]]:
        """The settings of each of so many printed runs of a cell; none where the code tells of another number."""
        self._runs, self._evaluations, self._left = [], [], _MOST_NODES
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            self._body(ast.parse(_python_of(source)).body, self._names, 0)
        if not self._runs and self._evaluations:
            folder = self._arguments.get("output_dir", "")
            evaluated = {"evaluated_weights": folder} if folder else {}
            each = self._evaluations if runs == len(self._evaluations) else [_BETWEEN.join(self._evaluations)]
            self._runs = [{**evaluated, EVALUATED_DATA: text} for text in each]
        if len(self._runs) != runs:
            return [()] * runs
        return [
            [LoggedSetting(name, value, f"{name}={value}"[:120]) for name, value in run.items()] for run in self._runs
        ]

    def _body(self, statements: Sequence[ast.stmt], names: _Names, depth: int) -> None:
        for statement in statements:
            if isinstance(statement, ast.FunctionDef):
                self._functions[statement.name] = statement
            elif isinstance(statement, ast.For):
                self._loop(statement, names, depth)
            elif isinstance(statement, ast.If | ast.With | ast.Try):
                self._body(statement.body, names, depth)
            elif not isinstance(statement, ast.ClassDef | ast.While):
                self._calls(statement, names, depth)
                if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    names[statement.targets[0].id] = _value(statement.value, names)

    def _loop(self, loop: ast.For, names: _Names, depth: int) -> None:
        """Go through a loop, once for each value that it is written to take, else once with an unknown one."""
        values = _value(loop.iter, names)
        target = loop.target.id if isinstance(loop.target, ast.Name) else ""
        for value in values[:_MOST_TURNS] if isinstance(values, list) else [None]:
            names[target] = value
            self._body(loop.body, names, depth)

    def _calls(self, statement: ast.stmt, names: _Names, depth: int) -> None:
        """Take in the calls of a statement, the inner ones first, as they are evaluated."""
        for node in reversed(list(ast.walk(statement))):
            self._left -= 1
            if isinstance(node, ast.Call) and self._left > 0:
                self._call(node, names, depth)

    def _call(self, call: ast.Call, names: _Names, depth: int) -> None:
        given = {keyword.arg: _value(keyword.value, names) for keyword in call.keywords if keyword.arg}
        match call.func:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name.endswith(_ARGUMENTS):
                self._configure(given)
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in _SEEDS:
                seed = _value(call.args[0], names) if call.args else given.get("seed")
                self._seed = str(seed) if _is_told(seed) else ""
            case ast.Attribute(attr="train"):
                self._runs.append(dict(self._arguments))
            case ast.Attribute(attr=name) if name in _EVALUATES:
                self._evaluate(name, call)
            case ast.Name(id=name) if name in self._functions and depth < _DEEPEST:
                function = self._functions[name]
                self._body(function.body, {**names, **_bound(function, call, given, names)}, depth + 1)

    def _configure(self, given: Mapping[str, Any]) -> None:
        """Keep the arguments of the runs to come; the seed that was set counts where they name none."""
        seed = {} if "seed" in given or not self._seed else {"seed": self._seed}
        self._arguments = {text: str(value) for text, value in given.items() if _is_told(value)} | seed

    def _evaluate(self, name: str, call: ast.Call) -> None:
        """Note which data is evaluated; `predict` names its figures itself."""
        data = next(
            (keyword.value for keyword in call.keywords if keyword.arg == "eval_dataset"),
            call.args[0] if call.args else None,
        )
        text = (
            ast.unparse(data)[:LONGEST_VALUE].replace(_BETWEEN, " ") if data is not None and name == "evaluate" else ""
        )
        if not self._runs:
            self._evaluations.append(text)
        elif name == "evaluate":
            run = self._runs[-1]
            run[EVALUATED_DATA] = f"{run[EVALUATED_DATA]}{_BETWEEN}{text}" if EVALUATED_DATA in run else text


def _python_of(source: str) -> str:
    """A cell's Python, without the lines that are a notebook's own."""
    lines = source[:_LONGEST].split("\n")
    magic_flags = [line.lstrip()[:1] in ("!", "%") for line in lines]
    return "\n".join(
        f"{line[: len(line) - len(line.lstrip())]}pass" if is_own else line
        for line, is_own in zip(lines, magic_flags, strict=True)
    )


def _bound(function: ast.FunctionDef, call: ast.Call, given: Mapping[str, Any], names: _Names) -> _Names:
    """The values of a function's parameters in a call; unknown ones hide what is outside."""
    parameters = [arg.arg for arg in function.args.args]
    defaults = zip(reversed(parameters), reversed(function.args.defaults), strict=False)
    values = dict.fromkeys(parameters) | {name: _value(default, {}) for name, default in defaults}
    values |= {name: _value(expression, names) for name, expression in zip(parameters, call.args, strict=False)}
    return values | {name: value for name, value in given.items() if name in parameters}


def _is_told(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The constant or the list of constants that an expression is; None for any other one."""
    match node:
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.Name(id=name):
            return names.get(name)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return _values(items[:_MOST_TURNS], names)
        case ast.Call(func=ast.Name(id="range"), args=bounds) if 0 < len(bounds) < 4:
            return _range(_values(bounds, names))
        case ast.Call(func=ast.Name(id="str"), args=[only]):
            value = _value(only, names)
            return str(value) if _is_told(value) else None
        case ast.FormattedValue(value=inner):
            return _value(inner, names)
        case ast.JoinedStr(values=parts):
            return _formatted(_values(parts, names))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _added(_value(left, names), _value(right, names))
    return None


def _values(nodes: Sequence[ast.expr], names: Mapping[str, Any]) -> list[Any]:
    """The value of each of some expressions; None for each unknown one."""
    return [_value(node, names) for node in nodes]


def _range(bounds: Sequence[Any]) -> list[int] | None:
    """The first numbers of a `range`; None where a bound is unknown or the step is zero."""
    is_known = all(isinstance(bound, int) for bound in bounds) and 0 not in bounds[2:]
    return list(range(*bounds)[:_MOST_TURNS]) if is_known else None


def _formatted(parts: Sequence[Any]) -> str | None:
    """The text of an f-string; None where a part is unknown."""
    return "".join(map(str, parts))[:LONGEST_VALUE] if all(map(_is_told, parts)) else None


def _added(left: Any, right: Any) -> str | None:
    """Two texts in one; None for a sum of anything else."""
    return (left + right)[:LONGEST_VALUE] if isinstance(left, str) and isinstance(right, str) else None
