"""Files of results, each written whole or not at all."""

import os
import tempfile
from pathlib import Path

from grader.cohort.statistics import ClassSummary
from grader.gradebook.exports.grades_csv import grades_csv
from grader.result import Result

RESULT, REPORT = "result.json", "report.pdf"


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that whoever looks sees the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_student(out: Path, result: Result, report: bytes | None) -> None:
    """Write one student's result and report. A report of an earlier result is removed: it would no longer be true."""
    folder = out / result.student.id
    write_atomically(folder / RESULT, result.to_json().encode())
    if report is None:
        (folder / REPORT).unlink(missing_ok=True)
    else:
        write_atomically(folder / REPORT, report)


def write_class(out: Path, results: list[Result], summary: ClassSummary, report: bytes | None) -> None:
    """Write what is about the class as a whole."""
    write_atomically(out / "grades.csv", grades_csv(results).encode())
    write_atomically(out / "class.json", summary.to_json().encode())
    if report is None:
        (out / "class.pdf").unlink(missing_ok=True)
    else:
        write_atomically(out / "class.pdf", report)
