"""Memory over a thousand reports: it must not grow with their number. Takes some minutes."""

from collections.abc import Iterator

from grader.report.render import student_html
from grader.report.specimen import specimens
from scripts.bench.figure import Figure
from scripts.bench.report_processes import Job, memory_after

COUNTS = (200, 1000)


def figures() -> Iterator[Figure]:
    """Resident memory of one process that makes short reports."""
    empty = specimens()[2]
    early, late = memory_after(Job(empty.to_json(), student_html(empty)), COUNTS)
    yield Figure(f"Report: memory after {COUNTS[0]} reports in one process", early, "MiB")
    yield Figure(f"Report: after {COUNTS[1]}, as many times that", late / early, "times", 1.1)
