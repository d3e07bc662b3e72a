"""Exports of a very large class, in CPU seconds: 10,000 students with 25 items."""

import tempfile
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path

from grader.gradebook.exports.outcome import ExportOptions
from grader.gradebook.exports.registry import EXPORTS
from grader.result import Identity, Result, Status, Student
from scripts.bench.figure import Figure, median_seconds
from tests.factories import item, result

STUDENTS = 10_000
ITEMS = 25
BAR = 2.0

_FEEDBACK = ("moodle-feedback", "canvas-feedback")


def figures(students: int = STUDENTS) -> Iterator[Figure]:
    """One for each format that holds grades; those that fill a file read and match it too."""
    results = tuple(_result(number) for number in range(students))
    with tempfile.TemporaryDirectory() as folder:
        filled = _files(Path(folder), students)
        for name, export in EXPORTS.items():
            if name not in _FEEDBACK:
                wanted = ExportOptions(folder=Path(folder), into=filled.get(name), question="lab")
                seconds = median_seconds(partial(export, results, wanted), runs=3)
                yield Figure(f"export {name}, {students:,} students", seconds, "s", BAR)


def _result(number: int) -> Result:
    statuses = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT)
    items = [item(f"q{i // 3}.i{i}", statuses[(number + i) % 3], "0.8") for i in range(ITEMS)]
    made = result(f"student {number}", items, name=f"Zoé Été {number}")
    identity = Identity(email=f"s{number}@example.org", number=f"{number:06}", canvas_user=str(number + 7))
    known_student = Student(id=made.student.id, name=made.student.name, identity=identity)
    return made.model_copy(update={"student": known_student, "score": made.score.quantize(Decimal("0.01"))})


def _files(folder: Path, students: int) -> dict[str, Path]:
    canvas, worksheet = folder / "canvas.csv", folder / "worksheet.csv"
    canvas.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 4 (55),Final Score\n    Points Possible,,,,,20,(read only)\n"
        + "".join(f'"Été {n}, Zoé",{n + 7},{n:06},s{n},Group A,,\n' for n in range(students)),
        encoding="utf-8",
    )
    worksheet.write_text(
        "Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
        "Last modified (grade),Feedback comments\n"
        + "".join(
            f'Participant {n},Zoé Été {n},{n:06},s{n}@example.org,Submitted,,"20,00",Yes,-,\n' for n in range(students)
        ),
        encoding="utf-8",
    )
    return {"canvas": canvas, "moodle-worksheet": worksheet, "moodle-grades": worksheet}
