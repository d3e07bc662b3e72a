"""`grades.csv`: one row per student, for a spreadsheet.

UTF-8 text with a header row, comma-separated, lines ended by a single line feed; no cell holds a line break.
Points are plain decimal numbers. A cell that a spreadsheet might take for a formula is prefixed by an apostrophe
(https://owasp.org/www-community/attacks/CSV_Injection).
"""

import csv
import io
import unicodedata
from collections.abc import Sequence
from decimal import Decimal

from grader.result import Result

FORMULA_STARTS = tuple("=+-@＝＋－＠\t\r\n")
BREAKING = ("Cc", "Zl", "Zp")
"""Unicode categories of control characters and of line and paragraph separators."""
STUDENT_COLUMNS = ("student_id", "name", "score", "pending", "max_score", "late_penalty", "needs_review")


def grades_csv(results: Sequence[Result]) -> str:
    """The text of `grades.csv`, sorted by student id: score and review state, points per item, flag ids, error.

    A student's points for an item that the result does not list are 0, so that every item column holds a number.
    """
    ordered = sorted(results, key=lambda result: result.student.id)
    items = list(dict.fromkeys(item.id for result in ordered for item in result.items))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*STUDENT_COLUMNS, *map(_cell, items), "flags", "error"])
    writer.writerows(_row(result, items) for result in ordered)
    return text.getvalue()


def _row(result: Result, items: Sequence[str]) -> list[str]:
    points = {item.id: item.score for item in result.items}
    flags = dict.fromkeys(flag.id for flag in result.flags)
    return [
        _cell(result.student.id),
        _cell(result.student.name),
        *map(_number, (result.score, result.pending, result.max_score, result.late_penalty)),
        "true" if result.needs_review else "false",
        *(_number(points.get(item, Decimal(0))) for item in items),
        _cell(" ".join(flags)),
        _cell(result.error or ""),
    ]


def _number(points: Decimal) -> str:
    """A plain number: no exponent, no trailing zeros, no minus before zero."""
    return format(points.normalize(), "f") if points else "0"


def _cell(text: str) -> str:
    """Text that is one line and no formula; control characters become spaces and lone surrogates question marks."""
    line = "".join(" " if unicodedata.category(char) in BREAKING else char for char in text).strip()
    harmless = line.encode("utf-8", errors="replace").decode("utf-8")
    return f"'{harmless}" if text.startswith(FORMULA_STARTS) or line.startswith(FORMULA_STARTS) else harmless
