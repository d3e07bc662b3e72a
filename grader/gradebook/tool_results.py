"""Results of tests that staff ran with other tools: otter-grader, nbgrader, Gradescope's format and pytest. The files
are read as data: JSON, CSV, a database that is opened as one that never changes, and XML without a document type.

| tool | files |
| --- | --- |
| `otter` | `final_grades.csv`, or a `results.json` for each student |
| `gradescope` | a `results.json` for each student |
| `nbgrader` | `gradebook.db`, or the CSV of `nbgrader export` |
| `pytest` | JUnit XML for each student |

Files for each student are `FOLDER/STUDENT.json` or those in `FOLDER/STUDENT/`.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from decimal import Decimal, InvalidOperation
from pathlib import Path
from time import process_time
from typing import Any, Final, NamedTuple
from urllib.parse import quote
from xml.parsers import expat

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import read_table
from grader.gradebook.people import Person

_LARGEST: Final = 64 * 2**20
"""Bytes of a file."""
_MOST_TESTS: Final = 10_000
"""Of one student."""
_LONGEST_NAME: Final = 200
_SECONDS: Final = 10.0
"""Of processor time for the queries of a database."""
_STEPS_BETWEEN: Final = 100_000
_POSSIBLE: Final = "points-per-question"
"""What otter calls the row of the maxima in its table."""
_NO_QUESTIONS: Final = frozenset({"file", "total_points_earned", "percent_correct", "grading_status"})
_NAMES: Final = {"otter": "results.json", "gradescope": "results.json", "nbgrader": "gradebook.db", "pytest": ""}


class PointsOfTest(NamedTuple):
    """The points that a test gave, and those that it may give."""

    earned: Decimal
    possible: Decimal


class StudentTests(NamedTuple):
    """The tests of one student by their names, and the files that tell them. Names that stand for several different
    tests are `unclear`."""

    person: Person
    tests: Mapping[str, PointsOfTest]
    paths: tuple[Path, ...]
    unclear: frozenset[str] = frozenset()


def tool_results(spec: str) -> tuple[str, list[StudentTests]]:
    """The tool and the results that `TOOL:PATH` names. Raises GradebookError."""
    tool, colon, place = spec.partition(":")
    if not colon or tool not in _NAMES or not place:
        raise GradebookError(f"--tests {spec}: write TOOL:PATH with one of the tools {', '.join(_NAMES)}.")
    path = Path(place).expanduser()
    if not path.exists():
        raise GradebookError(f"--tests {spec}: there is no {path}; name what {tool} wrote.")
    found = list(_READERS[tool](path))
    if not found:
        raise GradebookError(
            f"--tests {spec}: no results of {tool} are there; docs/tests.md says which files are read."
        )
    return tool, found


def _otter(path: Path) -> Iterator[StudentTests]:
    table = path / "final_grades.csv" if path.is_dir() else path
    if table.suffix == ".csv" and table.is_file():
        yield from _otter_table(table)
    else:
        yield from _gradescope(path)


def _otter_table(path: Path) -> Iterator[StudentTests]:
    table = read_table(path)
    columns = table.texts(table.header)
    if "file" not in columns:
        raise GradebookError(f"{path}: it has no column `file`; name the final_grades.csv that `otter grade` wrote.")
    rows = [(table.place_of_row(row), dict(zip(columns, table.texts(row), strict=False))) for row in table.data_rows]
    maxima = next((cells for _, cells in rows if cells["file"] == _POSSIBLE), {})
    for where, cells in rows:
        if cells["file"] != _POSSIBLE and cells.get("grading_status", "Completed") == "Completed":
            names = [name for name in cells if name not in _NO_QUESTIONS and cells[name]]
            tests = [((name,), _score(cells[name], maxima.get(name), where)) for name in names]
            yield _of_names(_person(Path(cells["file"]).stem), tests, path)


def _gradescope(path: Path) -> Iterator[StudentTests]:
    for student, file in _files(path, ".json", "results.json"):
        content = _json(file)
        listed = content.get("tests") if isinstance(content, dict) else None
        if not isinstance(listed, list):
            raise GradebookError(f"{file}: it holds no list `tests`; name results in Gradescope's format.")
        tests = [requirement for requirement in listed if isinstance(requirement, dict)]
        named = [
            ((str(test.get("name") or test.get("number") or ""),), _gradescope_score(test, file)) for test in tests
        ]
        yield _of_names(_person(student), named, file)


def _gradescope_score(test: Mapping[str, Any], file: Path) -> PointsOfTest | None:
    if test.get("max_score") is not None and test.get("score") is not None:
        return _score(test["score"], test["max_score"], str(file))
    # The test that otter calls `Public Tests` repeats others, and one that is worth nothing tells nothing else.
    if test.get("status") in ("passed", "failed") and "score" not in test and test.get("name") != "Public Tests":
        return PointsOfTest(Decimal(test["status"] == "passed"), Decimal(1))
    return None


def _nbgrader(path: Path) -> Iterator[StudentTests]:
    file = path / _NAMES["nbgrader"] if path.is_dir() else path
    if file.suffix == ".csv":
        yield from _nbgrader_table(file)
    elif file.is_file():
        yield from _nbgrader_database(file)


def _nbgrader_table(path: Path) -> Iterator[StudentTests]:
    """The scores of whole assignments, as `nbgrader export` writes them."""
    table = read_table(path)
    columns = table.texts(table.header)
    if not {"assignment", "student_id", "raw_score", "max_score"} <= set(columns):
        raise GradebookError(f"{path}: its columns are not those of `nbgrader export`.")
    found: dict[str, dict[str, PointsOfTest]] = defaultdict(dict)
    people: dict[str, Person] = {}
    for row in table.data_rows:
        cells = dict(zip(columns, table.texts(row), strict=False))
        student = cells["student_id"]
        people[student] = _person(
            student, cells.get("email", ""), cells.get("first_name", ""), cells.get("last_name", "")
        )
        if score := _score(cells["raw_score"], cells["max_score"], table.place_of_row(row)):
            found[student][cells["assignment"][:_LONGEST_NAME]] = score
    yield from (StudentTests(people[student], tests, (path,)) for student, tests in found.items())


_QUERY: Final = """
SELECT student.id, student.email, student.first_name, student.last_name, assignment.name, notebook.name, base_cell.name,
       grade.auto_score, grade.manual_score, grade.needs_manual_grade, grade_cells.max_score
FROM grade
JOIN base_cell ON base_cell.id = grade.cell_id
JOIN grade_cells ON grade_cells.id = grade.cell_id
JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
JOIN notebook ON notebook.id = submitted_notebook.notebook_id
JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
JOIN assignment ON assignment.id = submitted_assignment.assignment_id
JOIN student ON student.id = submitted_assignment.student_id
"""


def _nbgrader_database(path: Path) -> Iterator[StudentTests]:
    if path.stat().st_size > _LARGEST * 16:
        raise GradebookError(f"{path}: it is larger than {_LARGEST * 16 >> 20} MiB; export a CSV and name that.")
    if any(path.with_name(f"{path.name}-{more}").is_file() for more in ("wal", "journal")):
        raise GradebookError(
            f"{path}: it is open in nbgrader, and its newest grades are not in it yet; close that first."
        )
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            deadline = process_time() + _SECONDS
            database.set_progress_handler(lambda: process_time() > deadline, _STEPS_BETWEEN)
            rows = database.execute(_QUERY).fetchall()
    except sqlite3.Error as error:
        raise GradebookError(f"{path}: it cannot be read as nbgrader's database ({error}).") from error
    found: dict[str, list[tuple[tuple[str, ...], PointsOfTest | None]]] = defaultdict(list)
    people: dict[str, Person] = {}
    for student, email, first, last, assignment, notebook, cell, auto, manual, is_open, most in rows:
        people[student] = _person(*(str(entry or "") for entry in (student, email, first, last)))
        score = auto if manual is None else manual
        given = None if score is None or is_open else _score(score, most, str(path))
        found[student].append(((str(cell), f"{notebook}/{cell}", f"{assignment}/{notebook}/{cell}"), given))
    yield from (_of_names(people[student], tests, path) for student, tests in found.items())


def _pytest(path: Path) -> Iterator[StudentTests]:
    by_student: dict[str, list[Path]] = defaultdict(list)
    for student, file in _files(path, ".xml", ""):
        by_student[student].append(file)
    for student, files in by_student.items():
        sums: dict[str, PointsOfTest] = {}
        for names, is_passed in (test_case for file in files for test_case in _junit(file)):
            for name in names:
                before = sums.get(name, PointsOfTest(Decimal(0), Decimal(0)))
                sums[name] = PointsOfTest(before.earned + is_passed, before.possible + 1)
        yield StudentTests(_person(student), sums, tuple(files))


class _Junit:
    """Gathers the cases of JUnit XML from a parser's events; one use only."""

    def __init__(self) -> None:
        self.cases: list[tuple[frozenset[str], bool]] = []
        self._names: frozenset[str] = frozenset()
        self._outcome = "passed"

    def start(self, element: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if element == "testcase":
            self._names, self._outcome = _junit_names(attributes), "passed"
        elif element in ("failure", "error", "skipped") and self._outcome != "failed":
            self._outcome = "skipped" if element == "skipped" else "failed"

    def end(self, element: str) -> None:
        """An element ends; a case that was skipped tells nothing."""
        if element == "testcase" and self._outcome != "skipped" and len(self.cases) < _MOST_TESTS:
            self.cases.append((self._names, self._outcome == "passed"))


def _junit_names(attributes: Mapping[str, str]) -> frozenset[str]:
    """The names that a case counts for: its own, without parameters, and those of its class and module."""
    name = attributes.get("name", "")[:_LONGEST_NAME]
    within = attributes.get("classname", "")[:_LONGEST_NAME]
    plain = name.partition("[")[0]
    return frozenset(filter(None, (name, plain, within, *within.split("."), f"{within}::{plain}" if within else "")))


def _junit(path: Path) -> list[tuple[frozenset[str], bool]]:
    gathered = _Junit()
    parser = expat.ParserCreate()
    parser.StartElementHandler = gathered.start
    parser.EndElementHandler = gathered.end
    parser.StartDoctypeDeclHandler = _refused
    try:
        parser.Parse(_bytes(path), True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise GradebookError(f"{path}: it is no JUnit XML ({error}); write it with pytest --junitxml.") from error
    return gathered.cases


def _refused(*_: object) -> None:
    raise ValueError("it declares a document type, which pytest does not write")


_READERS: Final[Mapping[str, Callable[[Path], Iterator[StudentTests]]]] = {
    "otter": _otter,
    "gradescope": _gradescope,
    "nbgrader": _nbgrader,
    "pytest": _pytest,
}


def _files(path: Path, suffix: str, name: str) -> Iterator[tuple[str, Path]]:
    """The files for each student in a folder, of one called `name` or of any name, with what the student is called."""
    if not path.is_dir():
        yield path.stem, path
        return
    for entry in sorted(path.iterdir()):
        if entry.is_file() and entry.suffix == suffix:
            yield entry.stem, entry
        elif entry.is_dir():
            inner = [entry / name] if name else sorted(entry.glob(f"*{suffix}"))
            yield from ((entry.name, candidate) for candidate in inner if candidate.is_file())


def _of_names(person: Person, tests: Sequence[tuple[Sequence[str], PointsOfTest | None]], path: Path) -> StudentTests:
    """Tests by all their names, without those that have no score; a name that two of them have is unclear."""
    found: dict[str, PointsOfTest | None] = {}
    unclear: set[str] = set()
    for names, score in tests[:_MOST_TESTS]:
        unclear.update(found.keys() & set(names))
        found |= dict.fromkeys(names, score)
    clear = {name[:_LONGEST_NAME]: points for name, points in found.items() if points and name and name not in unclear}
    return StudentTests(person, clear, (path,), frozenset(unclear))


def _person(called: str, email: str = "", first: str = "", last: str = "") -> Person:
    """Somebody by an id or a name of a folder, and by what else is known."""
    name = " ".join(filter(None, (first, last)))
    return Person(label=called, own=called, unsaid=called, name=name, email=email, text=called.replace("_", " "))


def _score(earned: object, possible: object, where: str) -> PointsOfTest | None:
    """A score within its bounds; None where a test is worth nothing."""
    try:
        most, own_value = Decimal(str(possible)), Decimal(str(earned))
    except InvalidOperation as error:
        raise GradebookError(f"{where}: {earned!r} of {possible!r} is no score.") from error
    if not (most.is_finite() and own_value.is_finite()):
        raise GradebookError(f"{where}: {earned!r} of {possible!r} is no score.")
    return PointsOfTest(min(max(own_value, Decimal(0)), most), most) if most > 0 else None


def _json(path: Path) -> object:
    try:
        return json.loads(_bytes(path))
    except (ValueError, RecursionError) as error:
        raise GradebookError(f"{path}: it is no JSON ({str(error)[:120]}).") from error


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise GradebookError(f"{path}: it cannot be read ({error.strerror}).") from error
    if len(content) > _LARGEST:
        raise GradebookError(f"{path}: it is larger than {_LARGEST >> 20} MiB.")
    return content
