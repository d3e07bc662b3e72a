"""The formats of exports by name, those of installed packages too; and the grades of a class as JSON and as a
spreadsheet.
"""

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, BinaryIO, cast

from grader.gradebook import GradebookError
from grader.gradebook.exports.autograders import gradescope, prairielearn, prairielearn_results
from grader.gradebook.exports.course_systems import (
    canvas,
    canvas_feedback,
    moodle_feedback,
    moodle_grades,
    moodle_worksheet,
)
from grader.gradebook.exports.outcome import (
    ExportedFiles,
    ExportOptions,
    Pending,
    by_student,
    gradable,
    grades_csv,
    one_line,
)
from grader.installed import EXPORTERS, UnusablePackageError, load_offer, offers
from grader.result import Result

_HEADINGS = ("student_id", "name", "email", "number", "score", "pending", "max_score", "late_penalty", "needs_review")
_LONGEST_CELL = 32_767
_SPREADSHEET = (
    "open it in a spreadsheet; `grade export canvas` or `moodle-worksheet` fills in a course system's own file."
)
_PROGRAM = "hand it to a program: `students` holds one object for each student, with the points of each item."
_CREATED = datetime(2000, 1, 1)
"""A fixed date instead of today, so that the same grades give the same bytes."""


def _asked_for(results: Sequence[Result], wanted: ExportOptions) -> tuple[Sequence[Result], tuple[str, ...]]:
    """The results to list, and notes. These formats tell what awaits a person, so nobody is left out unless that is
    asked for."""
    if wanted.pending is not Pending.SKIP:
        return by_student(results), ()
    ready = gradable(results, wanted)
    return by_student(ready.results), ready.notes


def as_csv(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """`grades.csv` as an export."""
    ordered, notes = _asked_for(results, wanted)
    return ExportedFiles((("grades.csv", grades_csv(ordered).encode()),), notes, next=_SPREADSHEET)


def as_json(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """One object for each student, sorted by id, with the points of each question and item."""
    ordered, notes = _asked_for(results, wanted)

    def pieces() -> Iterator[str]:
        """The text of one object with all students, a student at a time."""
        data: dict[str, object] = {"schema": 1, "lab": ordered[0].lab.id if ordered else None, "students": []}
        text = json.dumps(data, indent=1, ensure_ascii=False)
        yield text.removesuffix("]\n}")
        for place, result in enumerate(ordered):
            student = json.dumps(_student(result), indent=1, ensure_ascii=False)
            yield f"{',' if place else ''}\n  " + student.replace("\n", "\n  ")
        yield "\n ]\n}\n" if ordered else "]\n}\n"

    def write(into: BinaryIO) -> None:
        into.writelines(piece.encode("utf-8", errors="replace") for piece in pieces())

    return ExportedFiles((("grades.json", write),), notes, next=_PROGRAM)


def as_xlsx(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """A workbook with the grades by item and a description of the items. Text never becomes a formula or a link."""
    import xlsxwriter

    ordered, notes = _asked_for(results, wanted)
    items = list({item.id: item for result in ordered for item in result.items}.values())
    buffer = io.BytesIO()
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(buffer, options) as book:
        book.set_properties({"created": _CREATED})
        bold = book.add_format({"bold": True})
        sheet = book.add_worksheet("Grades")
        sheet.freeze_panes(1, 2)
        sheet.set_column(0, 2, 22)
        headings = [*_HEADINGS, *(item.id for item in items), "flags", "error"]
        _row(sheet, 0, headings, bold)
        sheet.autofilter(0, 0, max(len(ordered), 1), len(headings) - 1)
        for place, result in enumerate(ordered, 1):
            _row(sheet, place, _cells(result, [item.id for item in items]))
        named = book.add_worksheet("Items")
        named.set_column(2, 2, 60)
        _row(named, 0, ["item", "question", "title", "max_score"], bold)
        for place, item in enumerate(items, 1):
            _row(named, place, [item.id, item.question, item.title, item.max_score])
    return ExportedFiles((("grades.xlsx", buffer.getvalue()),), notes, next=_SPREADSHEET)


def _row(sheet: Any, row: int, cells: Sequence[str | Decimal], style: Any = None) -> None:
    for column, value in enumerate(cells):
        if isinstance(value, str):
            if value:
                sheet.write_string(row, column, one_line(value)[:_LONGEST_CELL], style)
        else:
            sheet.write_number(row, column, float(value), style)


def _cells(result: Result, items: list[str]) -> list[str | Decimal]:
    identity = result.student.identity
    points = {item.id: item.score for item in result.items if not item.pending}
    flags = " ".join(dict.fromkeys(flag.id for flag in result.flags))
    return [
        result.student.id,
        result.student.name,
        identity.email if identity else "",
        identity.number if identity else "",
        *(result.score, result.pending, result.max_score, result.late_penalty),
        "yes" if result.needs_review else "no",
        *(points.get(item, "") for item in items),
        flags,
        result.error or "",
    ]


def _student(result: Result) -> dict[str, Any]:
    identity = result.student.identity
    return {
        "id": result.student.id,
        "name": result.student.name,
        "identity": identity.model_dump(mode="json", exclude_defaults=True) if identity else None,
        "submitted_at": result.submission.submitted_at.isoformat() if result.submission.submitted_at else None,
        **{key: float(getattr(result, key)) for key in ("score", "pending", "max_score", "late_penalty")},
        "needs_review": result.needs_review,
        "questions": {question.id: float(question.score) for question in result.questions},
        "items": {item.id: None if item.pending else float(item.score) for item in result.items},
        "pending_items": {item.id: float(item.pending) for item in result.items if item.pending},
        "overridden": [item.id for item in result.items if item.override],
        "decided_before": [item.id for item in result.items if item.earlier],
        "flags": list(dict.fromkeys(flag.id for flag in result.flags)),
        "error": result.error,
    }


Export = Callable[[Sequence[Result], ExportOptions], ExportedFiles]

EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        "canvas": canvas,
        "canvas-feedback": canvas_feedback,
        "moodle-worksheet": moodle_worksheet,
        "moodle-grades": moodle_grades,
        "moodle-feedback": moodle_feedback,
        "gradescope": gradescope,
        "prairielearn": prairielearn,
        "prairielearn-results": prairielearn_results,
        "csv": as_csv,
        "json": as_json,
        "xlsx": as_xlsx,
    }
)


def formats() -> tuple[str, ...]:
    """The names of all formats: the grader's own, and those of installed packages, which are not loaded."""
    return (*EXPORTS, *sorted({name for name, _ in offers(EXPORTERS)} - set(EXPORTS)))


def exporter(name: str) -> Export:
    """The function that writes a format: the grader's own, or else that of an installed package. Raises GradebookError
    where there is none, or it cannot be used."""
    if name in EXPORTS:
        return EXPORTS[name]
    try:
        found = load_offer(EXPORTERS, name, "exporter")
    except UnusablePackageError as error:
        raise GradebookError(f"{error} Mend or uninstall the package.") from error
    if found is None:
        raise GradebookError(f"there is no format {name!r}; the formats are: {', '.join(formats())}.")
    if not callable(found):
        raise GradebookError(f"the exporter {name!r} of an installed package is no function.")
    return lambda results, wanted: _checked(name, cast(Export, found), tuple(results), wanted)


def _checked(name: str, export: Export, results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """The result of a package's exporter; as foreign code it may raise anything. Raises GradebookError."""
    try:
        made = export(results, wanted)
    except GradebookError:
        raise
    except Exception as error:
        raise GradebookError(f"the exporter {name!r} failed ({type(error).__name__}: {error}).") from error
    if not isinstance(made, ExportedFiles):
        raise GradebookError(f"the exporter {name!r} has to return Exported, not {type(made).__name__}.")
    return made
