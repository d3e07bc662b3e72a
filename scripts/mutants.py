"""Mutation testing: small changes to the code, and how many of them the tests notice.

`python -m scripts.mutants [--sample 40] [--seed 0] [scoring checks claims]` prints for each part how many of a random
sample of changes are killed, what that says of all changes, and the changes that survive. It works on a copy of the
project. The tests run once as they are, to learn which of them reach which line; then each change is tried with those
that reach it, the quickest first, until one fails. Each run is a fork of a process that has the libraries loaded.
"""

import argparse
import ast
import contextlib
import importlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import _lru_cache_wrapper
from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple

import coverage
import pytest
from cosmic_ray.commands import init
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec

ROOT: Final = Path(__file__).parents[1]
_COPIED: Final = ("grader", "reference", "scripts", "tests", "submissions", "docs", "templates", "pyproject.toml")
_LIBRARIES: Final = ("coverage", "hypothesis", "jinja2", "numpy", "pydantic", "pytest", "Stemmer", "yaml")
"""What each run needs and no change touches; loaded once."""

_LONGEST_TEST: Final = 4.0
"""In seconds: longer tests are left out, so that many changes can be tried. That can only lower the score."""

_LONGEST_RUN: Final = 150.0
"""Seconds of tests for one change, and seconds that they may take more than that: a change that makes them run for
longer is killed as well."""

_REMEMBERED_FOR: Final = 8
"""Tests for which functions may remember what they worked out. To forget it before each one takes far longer."""

_SAME: Final = {"ReplaceComparisonOperator_Is_Eq": "is", "ReplaceComparisonOperator_IsNot_NotEq": "is not"}
_ONE_OF_A_KIND: Final = r" (?:None|_?[A-Z]\w*\.[A-Z][A-Z_]*)\b"
"""Compared with None or a member of an enumeration, `is` and `==` are the same by definition."""

_STARS: Final = ("ReplaceBinaryOperator_Mul_", "ReplaceBinaryOperator_Pow_")

_ONE_LETTER: Final = {"ReplaceComparisonOperator_Eq_Is": "==", "ReplaceComparisonOperator_NotEq_IsNot": "!="}
_LETTER: Final = r" \"(?:[ -!#-\[\]-~]|\\.)\""
"""Compared with a letter of ASCII, `==` and `is` are the same: Python has one object for each such text."""

_COUNT: Final = r" (?:len\(|\d{1,2}\b)"
_COUNTED: Final = r"\blen\([^()]*\)$"
"""Of a count that tests have, Python has one object for each as well."""

_REMEMBERS: Final = r"@(?:remembered|cache|lru_cache)\b"
_PROMISES: Final = {"ReplaceTrueWithFalse": r"\bstrict=$", "NumberReplacer": r"\bmaxsize=$"}
"""What no result rests on: `strict=True` of `zip` promises lengths that are the same, and only an error of ours breaks
the promise; how much a function remembers, or whether it does, takes time and changes no result."""

_ONE_SIDED: Final = 1.645
"""The 95 % quantile of the normal distribution."""


class Part(NamedTuple):
    """A part of the project and the tests that must notice changes to it."""

    modules: str
    tests: tuple[str, ...]


PARTS: Final = {
    "scoring": Part("grader/scoring.py", ("tests/test_scoring.py", "tests/test_lateness.py")),
    "checks": Part("grader/checks", ("tests/checks",)),
    "claims": Part("grader/claims", ("tests/claims", "tests/checks")),
}


class LineTests(NamedTuple):
    """The tests that reach each line, by file and line, and the seconds that each test takes."""

    tests: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]


class Score(NamedTuple):
    """The number of changes that were killed, and the places of the others, with the change made there."""

    killed: int
    survivors: tuple[str, ...]

    @property
    def tried(self) -> int:
        """The number of changes that were tried."""
        return self.killed + len(self.survivors)

    @property
    def at_least(self) -> float:
        """The part of all changes that is killed at least, with 95 % confidence (Wilson's bound)."""
        rate, z = self.killed / max(self.tried, 1), _ONE_SIDED
        middle = rate + z * z / (2 * max(self.tried, 1))
        half = z * sqrt(rate * (1 - rate) / max(self.tried, 1) + (z / (2 * max(self.tried, 1))) ** 2)
        return (middle - half) / (1 + z * z / max(self.tried, 1))


def main() -> None:
    """Prints the score of each part asked for."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    arguments.add_argument("--sample", type=int, default=40, help="changes to try in each part")
    arguments.add_argument("--seed", type=int, default=0, help="another seed tries other changes")
    arguments.add_argument(
        "--reached", type=Path, help="a file that keeps which tests reach which lines, for more runs"
    )
    given = arguments.parse_args()
    for library in _LIBRARIES:
        importlib.import_module(library)
    for name in given.parts:
        score = score_part(PARTS[name], given.sample, given.seed, given.reached and given.reached.resolve())
        summary = f"{name}: {score.killed} of {score.tried} changes killed ({score.killed / max(score.tried, 1):.0%})"
        _tell(f"{summary}; of all changes at least {score.at_least:.0%}, with 95 % confidence")


def score_part(part: Part, sample: int, seed: int, kept: Path | None = None) -> Score:
    """The score of a random sample of the changes to a part. What is `kept` of an earlier run of tests, of this part or
    of one with more tests, holds as long as no test and no line changes."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve()
        for name in _COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / name)
        with contextlib.chdir(copy):
            reached = _kept(kept) if kept and kept.exists() else _reached(copy, part)
            if kept and not kept.exists():
                kept.write_text(json.dumps(reached), encoding="utf-8")
            changes = _changes(part)
            chosen = random.Random(seed).sample(changes, min(sample, len(changes)))  # noqa: S311
            survivors = []
            for number, change in enumerate(chosen, start=1):
                if not _is_killed(change, _tests_for(change, reached)):
                    survivors.append(_told(change))
                    _tell(f"  survives: {survivors[-1]}")
                _tell(f"  {number} of {len(chosen)} tried, {len(survivors)} survive", passing=True)
            return Score(len(chosen) - len(survivors), tuple(survivors))


def _changes(part: Part) -> list[MutationSpec]:
    """All changes to a part but those that are none; those of `|` are left out, as most of them stand in
    annotations."""
    path = Path(part.modules)
    modules = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    with use_db("changes.sqlite", WorkDB.Mode.create) as database:
        init(modules, database, {})
        found = [item.mutations[0] for item in database.work_items]
    lines = {path: path.read_text(encoding="utf-8").split("\n") for path in modules}
    kept = (
        entry
        for entry in found
        if "_BitOr_" not in entry.operator_name and not _is_none(entry, lines[Path(entry.module_path)])
    )
    return sorted(kept, key=_place)


def _is_none(change: MutationSpec, lines: Sequence[str]) -> bool:
    """Whether a change leaves what it changes as it is, or is of no operator: the star of `*rest` or `**named`. Left
    out are as well the promise of `zip` (`strict=True`) and what makes a function remember its results."""
    name = change.operator_name.removeprefix("core/")
    line, column = change.start_pos
    before, rest = lines[line - 1][:column].rstrip(), lines[line - 1][column:]
    is_star = name.startswith(_STARS) and (not before or before[-1] in "([{,=")
    is_same = name in _SAME and re.match(_SAME[name] + _ONE_OF_A_KIND, rest)
    is_letter = name in _ONE_LETTER and re.match(_ONE_LETTER[name] + _LETTER, rest)
    is_count = name in _ONE_LETTER and (re.match(_ONE_LETTER[name] + _COUNT, rest) or re.search(_COUNTED, before))
    is_promise = name in _PROMISES and re.search(_PROMISES[name], before)
    is_remembering = name == "RemoveDecorator" and re.match(_REMEMBERS, rest)
    return bool(is_star or is_same or is_letter or is_count or is_promise or is_remembering)


def _place(change: MutationSpec) -> tuple[str, tuple[int, int], str, int]:
    return str(change.module_path), change.start_pos, change.operator_name, change.occurrence


def _told(change: MutationSpec) -> str:
    line = Path(change.module_path).read_text(encoding="utf-8").splitlines()[change.start_pos[0] - 1]
    operator = change.operator_name.removeprefix("core/")
    return f"{change.module_path}:{change.start_pos[0]}:{change.start_pos[1]} {operator}: {line.strip()}"


def _is_killed(change: MutationSpec, tests: Sequence[str]) -> bool:
    """Whether one of some tests fails by a change."""
    operator = get_operator(change.operator_name)(**change.operator_args)

    def tested() -> int:
        # What is compiled of a change must not stay: its time and size may be those of the next one.
        sys.dont_write_bytecode = True
        return _run(["-x", *tests], [])

    with use_mutation(change.module_path, operator, change.occurrence):
        return bool(tests) and _forked(tested) != 0


def _tests_for(change: MutationSpec, reached: LineTests) -> list[str]:
    """The tests that reach a change: first those of the module's own test file, the quickest first."""
    lines = reached.tests.get(str(change.module_path), {})
    text = Path(change.module_path).read_text(encoding="utf-8")
    found = {test for line in _statement(text, change.start_pos[0]) for test in lines.get(line, ())}
    if "" in found:
        found = {test for tests in lines.values() for test in tests}
    test_file = f"test_{Path(change.module_path).stem}.py"
    chosen: list[str] = []
    left = _LONGEST_RUN
    for test in sorted(found - {""}, key=lambda test: (test_file not in test, reached.seconds[test], test)):
        left -= reached.seconds[test]
        if left > 0:
            chosen.append(test)
    return chosen


def _statement(text: str, line: int) -> range:
    """The lines of the statement that a line stands in, of one with a body those above it: of what goes over several
    lines not each counts as reached."""
    headers = (_header(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt))
    return min((lines for lines in headers if line in lines), key=len, default=range(line, line + 1))


def _header(node: ast.stmt) -> range:
    body = getattr(node, "body", None)
    return range(node.lineno, body[0].lineno if body else (node.end_lineno or node.lineno) + 1)


class _Watch:
    """Takes down which test runs and how long it takes."""

    def __init__(self, cover: coverage.Coverage) -> None:
        self.cover = cover
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Keep the lines that are run from here on under the name of the test."""
        if len(self.seconds) % _REMEMBERED_FOR == 0:
            _forget()
        self.cover.switch_context(item.nodeid)
        began = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - began
            self.cover.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the tests that fail without any change."""
        if report.failed:
            self.failed.append(report.nodeid)


def _forget() -> None:
    """Empties what functions remember: the next test reaches all that it rests on, not only what is new to it."""
    for name, module in [(name, module) for name, module in sys.modules.items() if name.startswith("grader.")]:
        for value in vars(module).values():
            if isinstance(value, _lru_cache_wrapper):
                value.cache_clear()
        if name == "grader.frozen":
            for store in module.REMEMBERED:
                store.clear()


def _reached(copy: Path, part: Part) -> LineTests:
    """Runs the tests as they are. Those that fail or take long are left out of what is reached."""

    def watched() -> int:
        cover = coverage.Coverage(data_file="reached", config_file=False, include=[f"{copy}/grader/*"])
        watch = _Watch(cover)
        cover.start()
        # A test's time limit may interrupt the one who holds this lock, who must then get it again.
        vars(cover)["_collector"].data_lock = threading.RLock()
        code = _run(part.tests, [watch])
        cover.stop()
        cover.save()
        good = {test: seconds for test, seconds in watch.seconds.items() if test not in watch.failed}
        Path("seconds.json").write_text(json.dumps(good), encoding="utf-8")
        return 0 if code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) else 1

    if _forked(watched, seconds=None):
        raise SystemExit(f"the tests in {', '.join(part.tests)} cannot be run")
    durations = json.loads(Path("seconds.json").read_text(encoding="utf-8"))
    seconds = {"": 0.0, **{test: took for test, took in durations.items() if took <= _LONGEST_TEST}}
    data = coverage.CoverageData("reached")
    data.read()
    tests = {
        str(Path(file).relative_to(copy)): {
            line: [test for test in tests if test in seconds] for line, tests in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    return LineTests(tests, seconds)


def _kept(file: Path) -> LineTests:
    """Return the records of an earlier run of this script."""
    tests, seconds = json.loads(file.read_text(encoding="utf-8"))
    by_line = {module: {int(line): found for line, found in lines.items()} for module, lines in tests.items()}
    return LineTests(by_line, seconds)


def _run(arguments: Sequence[str], plugins: list[object]) -> int:
    """Run tests in this process."""
    sys.path.insert(0, str(Path.cwd()))
    return int(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments], plugins))


def _forked(work: Callable[[], int], seconds: float | None = 3 * _LONGEST_RUN) -> int:
    """Return the result of some work in a process of its own; -1 if it takes longer than the given seconds or dies."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(quiet, stream)
        os._exit(work())
    began = time.monotonic()
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if seconds is not None and time.monotonic() - began > seconds:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -1
        time.sleep(0.05)


def _tell(text: str, *, passing: bool = False) -> None:
    """Print at once, as it takes long; what is `passing` only on a terminal, where the next line takes its place."""
    if not passing or sys.stdout.isatty():
        print(f"{text:<100}", end="\r" if passing else "\n", flush=True)


if __name__ == "__main__":
    main()
