"""`grades.csv`: one row per student, for a spreadsheet.

UTF-8 text with a header row, comma-separated, lines ended by a single line feed; no cell holds a line break.
Points are plain decimal numbers; see `cells` for what becomes of text that looks like a formula.
"""

import csv
import io
from collections.abc import Sequence
from decimal import Decimal

from grader.gradebook.exports.cells import cell, number
from grader.result import Result

STUDENT_COLUMNS = ("student_id", "name", "score", "pending", "max_score", "late_penalty", "needs_review")


def grades_csv(results: Sequence[Result]) -> str:
    """The text of `grades.csv`, sorted by student id: score and review state, points per item, flag ids, error.

    A student's points for an item that the result does not list are 0, so that every item column holds a number.
    """
    ordered = sorted(results, key=lambda result: result.student.id)
    items = list(dict.fromkeys(item.id for result in ordered for item in result.items))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*STUDENT_COLUMNS, *map(cell, items), "flags", "error"])
    writer.writerows(_row(result, items) for result in ordered)
    return text.getvalue()


def _row(result: Result, items: Sequence[str]) -> list[str]:
    points = {item.id: item.score for item in result.items}
    flags = dict.fromkeys(flag.id for flag in result.flags)
    return [
        cell(result.student.id),
        cell(result.student.name),
        *map(number, (result.score, result.pending, result.max_score, result.late_penalty)),
        "true" if result.needs_review else "false",
        *(number(points.get(item, Decimal(0))) for item in items),
        cell(" ".join(flags)),
        cell(result.error or ""),
    ]
