"""Follow statements and calls in order, on every path through a function, within a number of steps.

The student's functions are followed, and those of libraries are looked up. Nothing is executed.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeGuard

from grader.claims.code.expressions import Expressions, Names, assign, called_name, store, takes_itself
from grader.claims.code.library import function_value
from grader.claims.code.liveness import always_leaves
from grader.claims.code.model import EvaluatedCall, ExecutionPath, ProducedText, ShellText, bind_arguments, parameters
from grader.claims.code.syntax import SHELL
from grader.claims.code.values import (
    UNKNOWN,
    Hole,
    Kind,
    PartialCall,
    Routine,
    Value,
    are_equal,
    binary,
    is_known,
    short_source,
    text_of,
    truth_of,
)

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
_RUNNER_MODULES: Final = ("subprocess", "os", "commands")
_MAGIC_RUNNERS: Final = ("run_cell_magic", "run_line_magic")
_SHELL_MAGIC: Final = ("bash", "sh", "sx", "system", "!", "script bash", "script sh")


class Calling(Expressions):
    """Follow calls. Blocks of statements are passed to `_block`, which a follower of statements defines."""

    def __init__(self, shell: Sequence[tuple[str, ...]], steps: int) -> None:
        super().__init__(steps)
        self._shell = shell
        self.names: Names = {}
        self.shelled: list[ShellText] = []
        self.calls: dict[int, list[EvaluatedCall]] = {}
        self.settings: dict[int, dict[str, Value]] = {}
        self.made: list[ProducedText] = []
        self.sums: dict[tuple[int, str], Value] = {}
        self.inlined: set[str] = set()
        self.environment: dict[str, str] = {}
        self.runners: set[str] = set()
        self._caller = 0
        self._inner: list[str] = []
        self._standalone: str | None = None

    def _block(self, statements: Sequence[ast.stmt], paths: list[ExecutionPath]) -> list[ExecutionPath]:
        """Return the paths through a block of statements."""
        raise NotImplementedError

    def _set(self, owner: Value, attribute: str, value: Value) -> None:
        """Assign a value to an attribute. On an object of a library, the call that made the object records it."""
        if isinstance(owner, Hole) and owner.made:
            self.settings.setdefault(owner.made, {})[attribute] = value
        elif isinstance(owner, dict):
            store(owner, attribute, value)

    def _called(
        self, node: ast.Call, target: Value, given: list[Value], keywords: Mapping[str, Value], names: Names
    ) -> Value:
        self._note(node, target, given, keywords)
        name = short_source(node.func)
        if name == SHELL and given and isinstance(given[0], int):
            self._shelled(self._shell[self.home][given[0]], node, names)
            return Hole("…output")
        last = name.rpartition(".")[2]
        if self._starts(name, given) and not isinstance(target, Routine):
            self._started(given[-1:] if last in _MAGIC_RUNNERS else given, keywords, node, names)
            return Hole(name)
        match name, last, given:
            case "print", _, _:
                text = " ".join(text_of(argument) for argument in given)
                self.made.append(ProducedText("", text, self.home, node.lineno, self._caller))
                return None
            case _, "map" | "filter" | "reduce", [Routine() | Hole() as function, items, *start]:
                return self._mapped(last, function, items, start)
            case _, "partial", [Routine() | Hole() as function, *more]:
                return PartialCall(function, tuple(more), dict(keywords))
            case "os.environ.update", _, [dict(table), *_]:
                self.environment |= {str(key)[:LONGEST_NAME]: text_of(value) for key, value in table.items()}
                return None
            case _, "setattr", [owner, str(attribute), value]:
                self._set(owner, attribute, value)
                return None
        if isinstance(target, Kind):
            return self._object(target, given, keywords)
        return self._inlined(target, given, keywords) if self._may_enter(target) else UNKNOWN

    def _may_enter(self, target: Value) -> TypeGuard[Routine]:
        """Whether a call is of a student's function that is not already being followed."""
        return isinstance(target, Routine) and len(self._inner) < _DEEPEST_CALL and target.name not in self._inner

    def _starts(self, name: str, given: Sequence[Value]) -> bool:
        """Whether a called name starts a program."""
        base, _, last = name.rpartition(".")
        if last in _MAGIC_RUNNERS:
            return any(argument in _SHELL_MAGIC for argument in given[:1])
        return name in self.runners or (last in _RUNNERS and (base in _RUNNER_BASES or base in self.runners))

    def _note(self, node: ast.Call, target: Value, given: list[Value], keywords: Mapping[str, Value]) -> None:
        """Record a call with its values. A call within a function counts only if nobody calls the function."""
        name = called_name(node.func, target)
        called = EvaluatedCall(node, self.home, name, tuple(given), dict(keywords), isinstance(target, Routine | Kind))
        noted_calls = self.calls.setdefault(id(node), [])
        if self._standalone is None or not noted_calls:
            noted_calls.append(called)
            del noted_calls[:-_MOST_CALLED]

    def _object(self, kind: Kind, given: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        """Return an object of a student's class. A dataclass takes its attributes by name."""
        made = Kind(kind)
        made.update(keywords)
        begin = kind.get("__init__")
        if self._may_enter(begin):
            self._inlined(begin, [made, *given], keywords)
        return made

    def _mapped(self, name: str, function: Value, items: Value, start: Sequence[Value]) -> Value:
        """Return the value of `map`, `filter` or `reduce` for a list."""
        if not isinstance(items, list) or len(items) > MOST_TURNS:
            return Hole(name)
        match name:
            case "reduce":
                total, *rest = [*start, *items] or [UNKNOWN]
                for item in rest:
                    total = self._applied(function, [total, item])
                return total
            case "map":
                return [self._applied(function, [item]) for item in items]
        return [item for item in items if truth_of(self._applied(function, [item]))]

    def _applied(self, function: Value, given: Sequence[Value]) -> Value:
        if isinstance(function, Routine):
            return self._inlined(function, given, {})
        return function_value(text_of(function).strip("⟨⟩").rpartition(".")[2], given, {})

    def _inlined(self, routine: Routine, given: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        self.steps -= _COST_OF_A_CALL
        if self.steps < 0:
            return UNKNOWN
        if self._standalone is None:
            self.inlined.add(routine.name)
        values = [path.value for path in self._through(routine, given, keywords)]
        first = values[0] if values else UNKNOWN
        return first if all(are_equal(value, first) for value in values) else Hole(f"{routine.name}()")

    def _through(
        self, routine: Routine, given: Sequence[Value] | None, keywords: Mapping[str, Value]
    ) -> list[ExecutionPath]:
        """Return the paths through a function that do not end in an error. Without `given`, its arguments are
        unknown."""
        home, self.home = self.home, routine.home
        self._inner.append(routine.name)
        try:
            names = {**self.names, **self._arguments(routine, given, keywords)}
            if isinstance(routine.node, ast.Lambda):
                return [ExecutionPath(names, value=self.value(routine.node.body, names), ended="return")]
            paths = self._block(routine.node.body, [ExecutionPath(names)])
            return [path for path in paths if path.ended != "raise"]
        finally:
            self._inner.pop()
            self.home = home

    @staticmethod
    def _arguments(routine: Routine, given: Sequence[Value] | None, keywords: Mapping[str, Value]) -> Names:
        arguments = routine.node.args
        if given is not None:
            return bind_arguments(arguments, given, keywords)
        names = parameters(arguments)
        first = next((parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)), None)
        return {**names, first: routine.owner} if first and takes_itself(routine) else names

    def _shelled(self, text: str | tuple[str, ...], node: ast.Call, names: Names) -> None:
        names = {**{f"${name}": value for name, value in self.environment.items()}, **names}
        made = ShellText(self.home, node.lineno, self._caller, text, names, self._standalone, id(node))
        self.shelled.append(made)

    def _started(self, given: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call, names: Names) -> None:
        command = given[0] if given else keywords.get("args", UNKNOWN)
        if isinstance(command, list):
            self._shelled(tuple(text_of(entry) for entry in command), node, {})
        elif isinstance(command, str):
            self._shelled(command, node, {})


_MOST_PATHS: Final = 8
_OWN_STEPS: Final = 2_000
_SPARE_STEPS: Final = 20_000
"""The steps reserved for single functions if the code before used all steps: for one function, and for a file."""


class Follower(Calling):
    """Follow the cells of one file in order and collect what they make."""

    def __init__(self, shell: Sequence[tuple[str, ...]], steps: int) -> None:
        super().__init__(shell, steps)
        self.reached: set[int] = set()
        self.skipped: dict[int, ast.stmt] = {}
        self.routines: dict[int, Routine] = {}
        self.aliases: dict[str, str] = {}
        self._spare = _SPARE_STEPS

    def follow(self, statements: Sequence[ast.stmt], home: int) -> None:
        """Follow a cell up to a point where it always fails or leaves."""
        self.home = self._caller = home
        path = ExecutionPath(self.names)
        for index, statement in enumerate(statements, 1):
            try:
                paths = self._statement(statement, path)
            except RecursionError:
                continue
            path = ExecutionPath(paths[-1].names) if paths else path
            if paths and all(candidate.ended == "raise" for candidate in paths):
                self._skip(statements[index:])
                break
        self.names = path.names

    def summary(self, routine: Routine) -> list[ExecutionPath]:
        """Return the paths through a function with unknown arguments. Its output is collected in `made`."""
        self.home = self._caller = routine.home
        self._standalone = routine.name
        before, own_steps = self.steps, min(_OWN_STEPS, self._spare)
        self.steps = max(before, own_steps)
        try:
            return self._through(routine, None, {})
        except RecursionError:
            return []
        finally:
            self._standalone = None
            if before < own_steps:
                self._spare -= own_steps - max(self.steps, 0)
                self.steps = before

    def unreached_statements(self) -> list[ast.stmt]:
        """Return the statements that no path reaches, such as those under `if False:` or after a return."""
        return [statement for key, statement in self.skipped.items() if key not in self.reached]

    def _skip(self, statements: Iterable[ast.stmt]) -> None:
        self.skipped |= {id(statement): statement for statement in statements}

    def _block(self, statements: Sequence[ast.stmt], paths: list[ExecutionPath]) -> list[ExecutionPath]:
        for index, statement in enumerate(statements):
            going = [path for path in paths if not path.ended]
            if not going or self.steps < 0:
                self._skip(statements[index:] if paths and not going else ())
                break
            ended = [path for path in paths if path.ended]
            paths = ended + [after for path in going for after in self._statement(statement, path)]
            paths = paths[:_MOST_PATHS]
        return paths

    def _statement(self, node: ast.stmt, path: ExecutionPath) -> list[ExecutionPath]:  # noqa: C901 a case for each kind
        self.steps -= 1
        self.reached.add(id(node))
        names = path.names
        match node:
            case ast.Assign(targets, value):
                self._assigned(targets, self.value(value, names), names, node)
            case ast.AnnAssign(target, _, value) if value is not None:
                self._assigned([target], self.value(value, names), names, node)
            case ast.AugAssign(target, operator, value):
                more = self.value(value, names)
                result = binary(operator, self._before(target, operator, more, names), more)
                self._assigned([target], Hole(short_source(target)) if result is UNKNOWN else result, names, node)
                if (self.home, short_source(target)) in self.sums:
                    self.sums[self.home, short_source(target)] = result
            case ast.Expr(value):
                self.value(value, names)
                path.ended = "raise" if always_leaves(node) else ""
            case ast.Return(value):
                path.value, path.ended = self.value(value, names), "return"
            case ast.Break() | ast.Continue():
                path.ended = "break" if isinstance(node, ast.Break) else "continue"
            case ast.Raise():
                path.ended = "raise"
            case ast.If(test, body, otherwise):
                return self._if(node, test, (body, otherwise), path)
            case ast.For(target, items, body) | ast.AsyncFor(target, items, body):
                return self._for(target, self.value(items, names), body, path)
            case ast.While(test, body):
                return self._while(test, body, path)
            case ast.With(managers, body) | ast.AsyncWith(managers, body):
                for item in managers:
                    opened = self.value(item.context_expr, names)
                    if item.optional_vars:
                        assign(item.optional_vars, opened, names)
                return self._block(body, [path])
            case ast.Try(body, handlers, otherwise, final):
                paths = self._block([*body, *otherwise], [path])
                for after in paths:
                    _forget(handlers, after.names)
                return self._block(final, paths) if final else paths
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                names[name] = self.routines[id(node)] = Routine(name, node, self.home)
            case ast.ClassDef(name, body=body):
                inner = self._block(body, [ExecutionPath({**names})])
                class_names = inner[0].names if inner else {}
                table = Kind({key: value for key, value in class_names.items() if names.get(key, UNKNOWN) is not value})
                for key, member in table.items():
                    if isinstance(member, Routine):
                        table[key] = self.routines[id(member.node)] = Routine(
                            member.name, member.node, member.home, table
                        )
                names[name] = table
            case ast.Import(names=imported):
                self.runners |= {
                    candidate.asname for candidate in imported if candidate.asname and candidate.name in _RUNNER_MODULES
                }
            case ast.ImportFrom(module=module, names=imported):
                self.aliases |= {candidate.asname: candidate.name for candidate in imported if candidate.asname}
                if module in _RUNNER_MODULES:
                    self.runners |= {
                        candidate.asname or candidate.name for candidate in imported if candidate.name in _RUNNERS
                    }
            case ast.Match():
                names |= {child.id: Hole(child.id) for child in ast.walk(node) if _is_stored(child)}
        return [path]

    def _before(self, target: ast.expr, operator: ast.operator, more: Value, names: Names) -> Value:
        """Return the value to which another one is added: 0 for a number if the name is not set, as in part of a
        function."""
        is_unset = isinstance(target, ast.Name) and target.id not in names and not self._inner
        if is_unset and isinstance(operator, ast.Add) and isinstance(more, int):
            self.sums[self.home, short_source(target)] = 0
            return 0
        return self.value(target, names)

    def _assigned(self, targets: Sequence[ast.expr], value: Value, names: Names, node: ast.stmt) -> None:
        for target in targets:
            name = short_source(target)
            if isinstance(value, Routine) and isinstance(value.node, ast.Lambda) and isinstance(target, ast.Name):
                value = self.routines[id(value.node)] = Routine(name, value.node, self.home)
            self._store(target, value, names)
            if isinstance(value, str):
                self.made.append(ProducedText(name, value, self.home, node.lineno, self._caller))

    def _store(self, target: ast.expr, value: Value, names: Names) -> None:
        match target:
            case ast.Attribute(base, attribute):
                self._set(self.value(base, names), attribute, value)
            case ast.Subscript(base, index) if not isinstance(index, ast.Slice):
                owner, key = self.value(base, names), self.value(index, names)
                if owner == ENVIRONMENT and isinstance(key, str):
                    self.environment[key[:LONGEST_NAME]] = text_of(value)
                store(owner, key, value)
            case ast.Tuple(targets) | ast.List(targets) if isinstance(value, list) and len(value) == len(targets):
                for expression, item in zip(targets, value, strict=True):
                    self._store(expression, item, names)
            case _:
                assign(target, value, names)

    def _if(
        self, node: ast.If, test: ast.expr, bodies: tuple[list[ast.stmt], list[ast.stmt]], path: ExecutionPath
    ) -> list[ExecutionPath]:
        truth = truth_of(self.value(test, path.names))
        if truth is None:
            truth = path.decided.get(id(node))
        if truth is not None:
            self._skip(bodies[1] if truth else bodies[0])
            return self._block(bodies[0] if truth else bodies[1], [path])
        if not self._inner and self._standalone is None:
            after = self._block(bodies[0], [path])
            return self._block(bodies[1], [ExecutionPath(after[0].names)]) if after else [path]
        paths = [path.fork(id(node), choice) for choice in (True, False)]
        return [
            after for candidate, body in zip(paths, bodies, strict=True) for after in self._block(body, [candidate])
        ]

    def _for(self, target: ast.expr, items: Value, body: list[ast.stmt], path: ExecutionPath) -> list[ExecutionPath]:
        if isinstance(items, dict):
            items = list(items)
        if items == []:
            self._skip(body)
        turns = items[:MOST_TURNS] if isinstance(items, list) else [Hole(short_source(target))]
        paths, before = [path], dict(path.names)
        for item in turns:
            for branch in paths:
                if not branch.ended:
                    assign(target, item, branch.names)
            paths = self._block(body, paths)
            for branch in paths:
                branch.ended = "" if branch.ended == "continue" else branch.ended
        return self._ended_loop(paths, before if isinstance(items, list) and len(items) > MOST_TURNS else None)

    def _while(self, test: ast.expr, body: list[ast.stmt], path: ExecutionPath) -> list[ExecutionPath]:
        """Return the paths after as many iterations as are known, or after one if the condition is unknown."""
        paths, before = [path], dict(path.names)
        for turn in range(MOST_TURNS):
            going = truth_of(self.value(test, paths[0].names)) if len(paths) == 1 else None
            if going is False:
                self._skip(body if turn == 0 else ())
                return self._ended_loop(paths)
            if turn and (going is None or isinstance(test, ast.Constant)):
                break
            paths = self._block(body, paths)
            for branch in paths:
                branch.ended = "" if branch.ended == "continue" else branch.ended
            if not paths or any(candidate.ended for candidate in paths):
                return self._ended_loop(paths)
        return self._ended_loop(paths, before)

    @staticmethod
    def _ended_loop(paths: list[ExecutionPath], before: Names | None = None) -> list[ExecutionPath]:
        """Return the paths after a loop. If it may have more iterations, values that differ from `before` are
        unknown."""
        for path in paths:
            if before is not None and not path.ended:
                changed = [name for name, value in before.items() if are_equal(path.names.get(name), value) is not True]
                path.names.update({name: Hole(name) for name in changed})
            path.ended = "" if path.ended in ("break", "continue") else path.ended
        return paths


def _forget(handlers: Sequence[ast.ExceptHandler], names: Names) -> None:
    """Forget the names that an `except` may set, because their values are unknown after it."""
    for node in (node for handler in handlers for node in ast.walk(handler)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and is_known(names.get(node.id, UNKNOWN)):
            names[node.id] = Hole(node.id)


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
