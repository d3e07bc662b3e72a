"""From results to PDF: view model, template, WeasyPrint."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from grader.cohort.statistics import ClassSummary
from grader.frozen import Frozen
from grader.report.pdf import html_to_pdf
from grader.report.pictures import NONE, Pictures, embedded, linked, served
from grader.report.presentation import PLAIN, Presentation
from grader.report.resources import templates_folder
from grader.report.standalone import Standalone, needs_mathematics, stylesheet
from grader.report.views.classroom import class_view
from grader.report.views.student import student_view
from grader.report.views.wording import printable
from grader.result import Result

if TYPE_CHECKING:
    from jinja2 import Environment


def student_report(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> bytes:
    """The PDF for the student. Raises ReportError when WeasyPrint's system libraries are missing."""
    return html_to_pdf(student_html(result, pictures), served(pictures))


def class_report(results: Sequence[Result], summary: ClassSummary, presentation: Presentation = PLAIN) -> bytes:
    """The PDF for the instructor. Raises ReportError when WeasyPrint's system libraries are missing."""
    return html_to_pdf(class_html(results, summary))


def student_html(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> str:
    """The student's report as HTML for `html_to_pdf`, every text in it escaped."""
    return _page("student.html", student_view(result, linked(pictures)))


def class_html(results: Sequence[Result], summary: ClassSummary, presentation: Presentation = PLAIN) -> str:
    """The instructor's report as HTML for `html_to_pdf`, every text in it escaped."""
    return _page("class.html", class_view(results, summary))


def student_page(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> str:
    """The student's report as an HTML file of its own: fonts and pictures inside, no scripts, nothing to fetch."""
    return _standalone("student", student_view(result, embedded(pictures)))


def class_page(results: Sequence[Result], summary: ClassSummary, presentation: Presentation = PLAIN) -> str:
    """The instructor's report as an HTML file of its own: fonts inside, no scripts, nothing to fetch."""
    return _standalone("class", class_view(results, summary))


def _page(template: str, view: Frozen, standalone: Standalone | None = None) -> str:
    return _environment().get_template(template).render(view=view, standalone=standalone)


def _standalone(name: str, view: Frozen) -> str:
    """The page first, as its text decides which fonts it carries; its head, where the styles go, holds no such text."""
    page = _page(f"{name}.html", view, Standalone())
    return page.replace(Standalone().placeholder, stylesheet(f"{name}.css", needs_mathematics(page)), 1)


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
