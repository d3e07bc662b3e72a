"""Statements followed in order, on every way through a function, within a number of steps. Nothing is run."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeGuard

from grader.claims.code.expressions import Expressions, Names, assign
from grader.claims.code.lines import SHELL
from grader.claims.code.operators import UNKNOWN, binary, truth_of
from grader.claims.code.values import Hole, Routine, Value, named, written
from grader.claims.code.ways import Called, Made, Shelled, Way, bound, defaults

_MOST_WAYS: Final = 8
_MOST_TURNS: Final = 60
_DEEPEST_CALL: Final = 4
_DEEPEST_BLOCK: Final = 40
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


class Follower(Expressions):
    """Follows the cells of one file in order; what they make is gathered."""

    def __init__(self, shell: Sequence[tuple[str, ...]], steps: int) -> None:
        super().__init__(steps)
        self._shell = shell
        self.names: Names = {}
        self.shelled: list[Shelled] = []
        self.calls: dict[int, Called] = {}
        self.made: list[Made] = []
        self.inlined: set[str] = set()
        self.routines: dict[int, Routine] = {}
        self.aliases: dict[str, str] = {}
        self._caller = 0
        self._inner: list[str] = []
        self._standalone: str | None = None

    def follow(self, statements: Iterable[ast.stmt], home: int) -> None:
        """Follow a cell."""
        self.home = self._caller = home
        way = Way(self.names)
        for statement in statements:
            for after in self._statement(statement, way, 0):
                way = Way(after.names)
        self.names = way.names

    def summary(self, routine: Routine) -> list[Way]:
        """The ways through a function whose arguments are not known. What it prints is gathered as `made`."""
        self.home = self._caller = routine.home
        self._standalone = routine.name
        try:
            return self._through(routine, [], {})
        finally:
            self._standalone = None

    def _block(self, statements: Sequence[ast.stmt], ways: list[Way], depth: int) -> list[Way]:
        for statement in statements:
            going = [way for way in ways if not way.ended]
            if not going or self.steps < 0 or depth > _DEEPEST_BLOCK:
                break
            ended = [way for way in ways if way.ended]
            ways = ended + [after for way in going for after in self._statement(statement, way, depth)]
            ways = ways[:_MOST_WAYS]
        return ways

    def _statement(self, node: ast.stmt, way: Way, depth: int) -> list[Way]:  # noqa: C901 a case for each kind
        self.steps -= 1
        names = way.names
        match node:
            case ast.Assign(targets, value):
                self._assigned(targets, self.value(value, names), names, node)
            case ast.AnnAssign(target, _, value) if value is not None:
                self._assigned([target], self.value(value, names), names, node)
            case ast.AugAssign(target, operator, value):
                result = binary(operator, self.value(target, names), self.value(value, names))
                self._assigned([target], Hole(named(target)) if result is UNKNOWN else result, names, node)
            case ast.Expr(value):
                self.value(value, names)
            case ast.Return(value):
                way.value, way.ended = self.value(value, names), "return"
            case ast.Break() | ast.Continue():
                way.ended = "break" if isinstance(node, ast.Break) else "continue"
            case ast.Raise():
                way.ended = "raise"
            case ast.If(test, body, otherwise):
                return self._if(node, test, (body, otherwise), way, depth)
            case ast.For(target, items, body) | ast.AsyncFor(target, items, body):
                return self._for(target, self.value(items, names), body, way, depth)
            case ast.While(_, body):
                return self._ended_loop(self._block(body, [way], depth + 1))
            case ast.With(managers, body) | ast.AsyncWith(managers, body):
                for item in managers:
                    opened = self.value(item.context_expr, names)
                    if item.optional_vars:
                        assign(item.optional_vars, opened, names)
                return self._block(body, [way], depth + 1)
            case ast.Try(body, _, otherwise, final):
                return self._block([*body, *otherwise, *final], [way], depth + 1)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                names[name] = self.routines[id(node)] = Routine(name, node, self.home)
            case ast.ClassDef(name, body=body):
                inner = self._block(body, [Way({**names})], depth + 1)
                own = inner[0].names if inner else {}
                names[name] = {key: value for key, value in own.items() if names.get(key, UNKNOWN) is not value}
            case ast.ImportFrom(names=imported):
                self.aliases |= {one.asname: one.name for one in imported if one.asname}
            case ast.Match():
                names |= {one.id: Hole(one.id) for one in ast.walk(node) if _is_stored(one)}
        return [way]

    def _assigned(self, targets: Sequence[ast.expr], value: Value, names: Names, node: ast.stmt) -> None:
        for target in targets:
            name = named(target)
            if isinstance(value, Routine) and isinstance(value.node, ast.Lambda) and isinstance(target, ast.Name):
                value = self.routines[id(value.node)] = Routine(name, value.node, self.home)
            assign(target, value, names)
            if isinstance(value, str):
                self.made.append(Made(name, value, self.home, node.lineno, self._caller))

    def _if(
        self, node: ast.If, test: ast.expr, bodies: tuple[list[ast.stmt], list[ast.stmt]], way: Way, depth: int
    ) -> list[Way]:
        truth = truth_of(self.value(test, way.names))
        if truth is None:
            truth = way.decided.get(id(node))
        if truth is not None:
            return self._block(bodies[0] if truth else bodies[1], [way], depth + 1)
        if not self._inner and self._standalone is None:
            after = self._block(bodies[0], [way], depth + 1)
            return self._block(bodies[1], [Way(after[0].names)], depth + 1) if after else [way]
        ways = [way.fork(id(node), choice) for choice in (True, False)]
        return [after for one, body in zip(ways, bodies, strict=True) for after in self._block(body, [one], depth + 1)]

    def _for(self, target: ast.expr, items: Value, body: list[ast.stmt], way: Way, depth: int) -> list[Way]:
        if isinstance(items, dict):
            items = list(items)
        turns = items[:_MOST_TURNS] if isinstance(items, list) else [Hole(named(target))]
        ways = [way]
        for item in turns:
            for one in ways:
                if not one.ended:
                    assign(target, item, one.names)
            ways = self._block(body, ways, depth + 1)
            for one in ways:
                one.ended = "" if one.ended == "continue" else one.ended
        return self._ended_loop(ways)

    @staticmethod
    def _ended_loop(ways: list[Way]) -> list[Way]:
        for way in ways:
            way.ended = "" if way.ended in ("break", "continue") else way.ended
        return ways

    def _called(
        self, node: ast.Call, target: Value, given: list[Value], keywords: Mapping[str, Value], names: Names
    ) -> Value:
        called = Called(node, self.home, tuple(given), dict(keywords))
        if self._standalone is None:
            self.calls[id(node)] = called
        else:
            self.calls.setdefault(id(node), called)
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
        if name in ("map", "filter") and len(given) > 1 and isinstance(given[0], Routine):
            return self._mapped(name, given[0], given[1])
        if isinstance(target, Routine) and len(self._inner) < _DEEPEST_CALL and target.name not in self._inner:
            return self._inlined(target, given, keywords)
        return UNKNOWN

    def _mapped(self, name: str, routine: Routine, items: Value) -> Value:
        if not isinstance(items, list) or len(items) > _MOST_TURNS:
            return Hole(name)
        results = [self._inlined(routine, [item], {}) for item in items]
        return results if name == "map" else [one for one, kept in zip(items, results, strict=True) if truth_of(kept)]

    def _inlined(self, routine: Routine, given: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        if self._standalone is None:
            self.inlined.add(routine.name)
        values = [way.value for way in self._through(routine, given, keywords)]
        first = values[0] if values else UNKNOWN
        return first if all(one == first for one in values) else Hole(f"{routine.name}()")

    def _through(self, routine: Routine, given: Sequence[Value], keywords: Mapping[str, Value]) -> list[Way]:
        """The ways through a function, those that end in an error apart."""
        home, self.home = self.home, routine.home
        self._inner.append(routine.name)
        try:
            names = {**self.names, **bound(routine.node.args, given, keywords)}
            for default_of, default in defaults(routine.node.args):
                names.setdefault(default_of, default)
            if isinstance(routine.node, ast.Lambda):
                return [Way(names, value=self.value(routine.node.body, names), ended="return")]
            ways = self._block(routine.node.body, [Way(names)], 0)
            return [way for way in ways if way.ended != "raise"]
        finally:
            self._inner.pop()
            self.home = home

    def _shelled(self, text: str | tuple[str, ...], node: ast.Call, names: Names) -> None:
        made = Shelled(self.home, node.lineno, self._caller, text, {**names}, self._standalone)
        self.shelled.append(made)

    def _started(self, given: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call, names: Names) -> None:
        command = given[0] if given else keywords.get("args", UNKNOWN)
        if isinstance(command, list):
            self._shelled(tuple(written(one) for one in command), node, {})
        elif isinstance(command, str):
            self._shelled(command, node, {})


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
