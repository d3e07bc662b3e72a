"""What calls do: functions of the student's are gone through, those of libraries looked up, programs and objects noted.
Nothing is run."""

import ast
from collections.abc import Mapping, Sequence
from typing import Final

from grader.claims.code.expressions import Expressions, called_name, takes_itself
from grader.claims.code.library import function_value
from grader.claims.code.lines import SHELL
from grader.claims.code.operators import UNKNOWN, same, truth_of
from grader.claims.code.plain import Names, store
from grader.claims.code.values import Bound, Hole, Kind, Routine, Value, named, written
from grader.claims.code.ways import Called, Made, Shelled, Way, bound, parameters

ENVIRONMENT: Final = Hole("os.environ")
LONGEST_NAME: Final = 60
MOST_TURNS: Final = 60
_DEEPEST_CALL: Final = 4
_MOST_CALLED: Final = 4
_COST_OF_A_CALL: Final = 3
_RUNNERS: Final = frozenset(
    {
        "run",
        "call",
        "check_call",
        "check_output",
        "Popen",
        "system",
        "getoutput",
        "popen",
        "system_raw",
        "getstatusoutput",
    }
)
_RUNNER_BASES: Final = frozenset({"subprocess", "os", "sp", "get_ipython()", "ip", "commands", "ipython"})


class Calling(Expressions):
    """Follows calls. Blocks of statements are handed to `_block`, which a follower of statements defines."""

    def __init__(self, shell: Sequence[tuple[str, ...]], steps: int) -> None:
        super().__init__(steps)
        self._shell = shell
        self.names: Names = {}
        self.shelled: list[Shelled] = []
        self.calls: dict[int, list[Called]] = {}
        self.settings: dict[int, dict[str, Value]] = {}
        self.made: list[Made] = []
        self.inlined: set[str] = set()
        self.environment: dict[str, str] = {}
        self._caller = 0
        self._inner: list[str] = []
        self._standalone: str | None = None

    def _block(self, statements: Sequence[ast.stmt], ways: list[Way], depth: int) -> list[Way]:
        """The ways through a block of statements."""
        raise NotImplementedError

    def _set(self, owner: Value, attribute: str, value: Value) -> None:
        """Give a value to an attribute; what is set on an object of a library's is told of the call that made it."""
        if isinstance(owner, Hole) and owner.made:
            self.settings.setdefault(owner.made, {})[attribute] = value
        elif isinstance(owner, dict):
            store(owner, attribute, value)

    def _called(
        self, node: ast.Call, target: Value, given: list[Value], keywords: Mapping[str, Value], names: Names
    ) -> Value:
        self._note(node, target, given, keywords)
        name = named(node.func)
        if name == SHELL and given and isinstance(given[0], int):
            self._shelled(self._shell[self.home][given[0]], node, names)
            return Hole("…output")
        last = name.rpartition(".")[2]
        if last in _RUNNERS and name.rpartition(".")[0] in _RUNNER_BASES:
            self._started(given, keywords, node, names)
            return Hole(name)
        if name == "print":
            text = " ".join(written(one) for one in given)
            self.made.append(Made("", text, self.home, node.lineno, self._caller))
            return None
        if last in ("map", "filter", "reduce") and len(given) > 1 and isinstance(given[0], Routine | Hole):
            return self._mapped(last, given)
        if last == "partial" and given and isinstance(given[0], Routine | Hole):
            return Bound(given[0], tuple(given[1:]), dict(keywords))
        if name == "os.environ.update" and given and isinstance(given[0], dict):
            self.environment |= {str(key)[:LONGEST_NAME]: written(value) for key, value in given[0].items()}
            return None
        if last == "setattr" and len(given) == 3 and isinstance(given[1], str):
            self._set(given[0], given[1], given[2])
            return None
        if isinstance(target, Kind):
            return self._object(target, given, keywords)
        if isinstance(target, Routine) and len(self._inner) < _DEEPEST_CALL and target.name not in self._inner:
            return self._inlined(target, given, keywords)
        return UNKNOWN

    def _note(self, node: ast.Call, target: Value, given: list[Value], keywords: Mapping[str, Value]) -> None:
        """Keep a call with its values. What a function does by itself counts only where nobody calls it."""
        name = called_name(node.func, target)
        called = Called(node, self.home, name, tuple(given), dict(keywords), isinstance(target, Routine | Kind))
        known = self.calls.setdefault(id(node), [])
        if self._standalone is None or not known:
            known.append(called)
            del known[:-_MOST_CALLED]

    def _object(self, kind: Kind, given: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        """An object of a class of the student's; a dataclass takes its attributes by name."""
        made = Kind(kind)
        made.update({name: value for name, value in keywords.items() if name != "**"})
        begin = kind.get("__init__")
        if isinstance(begin, Routine) and len(self._inner) < _DEEPEST_CALL and begin.name not in self._inner:
            self._inlined(begin, [made, *given], keywords)
        return made

    def _mapped(self, name: str, given: Sequence[Value]) -> Value:
        function, items = given[0], given[1]
        if not isinstance(items, list) or len(items) > MOST_TURNS:
            return Hole(name)
        if name == "reduce":
            total, items = (given[2], items) if len(given) > 2 else (items[0], items[1:]) if items else (UNKNOWN, [])
            for item in items:
                total = self._applied(function, [total, item])
            return total
        results = [self._applied(function, [item]) for item in items]
        return results if name == "map" else [one for one, kept in zip(items, results, strict=True) if truth_of(kept)]

    def _applied(self, function: Value, given: Sequence[Value]) -> Value:
        if isinstance(function, Routine):
            return self._inlined(function, given, {})
        return function_value(written(function).strip("⟨⟩").rpartition(".")[2], given, {})

    def _inlined(self, routine: Routine, given: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        self.steps -= _COST_OF_A_CALL
        if self.steps < 0:
            return UNKNOWN
        if self._standalone is None:
            self.inlined.add(routine.name)
        values = [way.value for way in self._through(routine, given, keywords)]
        first = values[0] if values else UNKNOWN
        return first if all(same(one, first) for one in values) else Hole(f"{routine.name}()")

    def _through(self, routine: Routine, given: Sequence[Value] | None, keywords: Mapping[str, Value]) -> list[Way]:
        """The ways through a function, those that end in an error apart. Without `given` its arguments are unknown."""
        home, self.home = self.home, routine.home
        self._inner.append(routine.name)
        try:
            names = {**self.names, **self._arguments(routine, given, keywords)}
            if isinstance(routine.node, ast.Lambda):
                return [Way(names, value=self.value(routine.node.body, names), ended="return")]
            ways = self._block(routine.node.body, [Way(names)], 0)
            return [way for way in ways if way.ended != "raise"]
        finally:
            self._inner.pop()
            self.home = home

    @staticmethod
    def _arguments(routine: Routine, given: Sequence[Value] | None, keywords: Mapping[str, Value]) -> Names:
        arguments = routine.node.args
        if given is not None:
            return bound(arguments, given, keywords)
        names = parameters(arguments)
        first = next((one.arg for one in (*arguments.posonlyargs, *arguments.args)), None)
        return {**names, first: routine.owner} if first and takes_itself(routine) else names

    def _shelled(self, text: str | tuple[str, ...], node: ast.Call, names: Names) -> None:
        names = {**{f"${name}": value for name, value in self.environment.items()}, **names}
        made = Shelled(self.home, node.lineno, self._caller, text, names, self._standalone)
        self.shelled.append(made)

    def _started(self, given: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call, names: Names) -> None:
        command = given[0] if given else keywords.get("args", UNKNOWN)
        if isinstance(command, list):
            self._shelled(tuple(written(one) for one in command), node, {})
        elif isinstance(command, str):
            self._shelled(command, node, {})
