"""Files of results, each written whole or not at all."""

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from grader.cohort.statistics import ClassSummary
from grader.gradebook.exports.grades_csv import grades_csv
from grader.result import Result

RESULT, REPORT, PAGE = "result.json", "report.pdf", "report.html"


class Reports(NamedTuple):
    """A report as PDF and as HTML; either may be lacking."""

    pdf: bytes | None = None
    html: bytes | None = None


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


def write_student(out: Path, result: Result, report: Reports) -> None:
    """Write one student's result and reports. Those of an earlier result are removed: they would no longer be true."""
    folder = out / result.student.id
    write_atomically(folder / RESULT, result.to_json().encode())
    _write_or_remove(folder / REPORT, report.pdf)
    _write_or_remove(folder / PAGE, report.html)


def write_class(out: Path, results: list[Result], summary: ClassSummary, report: Reports) -> None:
    """Write what is about the class as a whole."""
    write_atomically(out / "grades.csv", grades_csv(results).encode())
    write_atomically(out / "class.json", summary.to_json().encode())
    _write_or_remove(out / "class.pdf", report.pdf)
    _write_or_remove(out / "class.html", report.html)


def _write_or_remove(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink(missing_ok=True)
    else:
        write_atomically(path, content)
