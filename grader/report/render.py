"""From results to pages and PDFs: view model, template, WeasyPrint."""

from collections.abc import Sequence
from functools import partial

from grader.cohort.statistics import ClassSummary
from grader.frozen import Frozen
from grader.language import language_of
from grader.report.environment import environment
from grader.report.pdf import html_to_pdf
from grader.report.pictures import NONE, Pictures, embedded, linked, served
from grader.report.presentation import PLAIN, Presentation
from grader.report.standalone import Standalone, embedded_file, needs_mathematics, stylesheet
from grader.report.views.classroom import class_view
from grader.report.views.student import student_view
from grader.result import Result


def student_report(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> bytes:
    """The PDF for the student. Raises ReportError when WeasyPrint's system libraries are missing."""
    return html_to_pdf(student_html(result, pictures, presentation), served(pictures), presentation.templates)


def class_report(
    results: Sequence[Result], summary: ClassSummary, presentation: Presentation = PLAIN, pictures: Pictures = NONE
) -> bytes:
    """The PDF for the instructor, with links to the students' reports beside it. `pictures` are by `class_place`.

    Raises ReportError when WeasyPrint's system libraries are missing.
    """
    return html_to_pdf(class_html(results, summary, presentation, pictures), served(pictures), presentation.templates)


def student_html(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> str:
    """The student's report as HTML for `html_to_pdf`, every text in it escaped."""
    view = student_view(result, linked(pictures), language_of(presentation.language))
    return _page("student.html", view, presentation)


def class_html(
    results: Sequence[Result], summary: ClassSummary, presentation: Presentation = PLAIN, pictures: Pictures = NONE
) -> str:
    """The instructor's report as HTML for `html_to_pdf`, every text in it escaped."""
    view = class_view(results, summary, language_of(presentation.language), linked(pictures))
    return _page("class.html", view, presentation)


def student_page(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> str:
    """The student's report as an HTML file of its own: fonts and pictures inside, no scripts, nothing to fetch."""
    view = student_view(result, embedded(pictures), language_of(presentation.language))
    return _standalone("student", view, presentation)


def class_page(
    results: Sequence[Result], summary: ClassSummary, presentation: Presentation = PLAIN, pictures: Pictures = NONE
) -> str:
    """The instructor's report as an HTML file of its own: fonts and pictures inside, no scripts, nothing to fetch."""
    view = class_view(results, summary, language_of(presentation.language), embedded(pictures))
    return _standalone("class", view, presentation)


def _page(template: str, view: Frozen, presentation: Presentation, standalone: Standalone | None = None) -> str:
    asset = partial(embedded_file, templates=presentation.templates) if standalone else str
    return environment(presentation).get_template(template).render(view=view, standalone=standalone, asset=asset)


def _standalone(name: str, view: Frozen, presentation: Presentation) -> str:
    """The page first, as its text decides which fonts it carries; its head, where the styles go, holds no such text."""
    page = _page(f"{name}.html", view, presentation, Standalone())
    styles = stylesheet(f"{name}.css", needs_mathematics(page), presentation.templates)
    return page.replace(Standalone().placeholder, styles, 1)
