"""From results to PDF: view model, template, WeasyPrint."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from grader.cohort.statistics import ClassSummary
from grader.report.pdf import html_to_pdf
from grader.report.resources import templates_folder
from grader.report.views.classroom import class_view
from grader.report.views.student import student_view
from grader.report.views.wording import printable
from grader.result import Result

if TYPE_CHECKING:
    from jinja2 import Environment


def student_report(result: Result) -> bytes:
    """The PDF for the student. Raises ReportError when WeasyPrint's system libraries are missing."""
    return html_to_pdf(student_html(result))


def class_report(results: Sequence[Result], summary: ClassSummary) -> bytes:
    """The PDF for the instructor. Raises ReportError when WeasyPrint's system libraries are missing."""
    return html_to_pdf(class_html(results, summary))


def student_html(result: Result) -> str:
    """The student's report as HTML, every text in it escaped."""
    return _environment().get_template("student.html").render(view=student_view(result))


def class_html(results: Sequence[Result], summary: ClassSummary) -> str:
    """The instructor's report as HTML, every text in it escaped."""
    return _environment().get_template("class.html").render(view=class_view(results, summary))


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(templates_folder()),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _printable(value: object) -> object:
    """Every value on its way to a page; what a macro has already escaped is left alone, as it passed here before."""
    return printable(value) if type(value) is str else value
