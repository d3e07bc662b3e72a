"""From results to self-contained HTML pages (styles and fonts inside) and PDFs: view model, template, WeasyPrint."""

import re
from functools import cache, partial
from mimetypes import guess_type
from pathlib import Path
from typing import NamedTuple

from grader.cohort.statistics import Class
from grader.frozen import Frozen
from grader.message import language_of
from grader.report.environment import environment
from grader.report.pdf import html_to_pdf
from grader.report.pictures import NONE, Pictures, data_url, embedded, linked, served
from grader.report.resources import PLAIN, Presentation, find_template
from grader.report.views.classroom import ClassView, class_view, misconceptions_view
from grader.report.views.student import student_view
from grader.result import Result

_FACE = re.compile(r'url\("(fonts/[^":]+)"\)')
_OTHER = re.compile(r'url\("([^":]+)"\)')
_MATH = re.compile(r'@font-face \{ font-family: "Report Math";[^}]*\}\n')
_EMOJI = re.compile(r'@font-face \{ font-family: "Report Emoji";[^}]*\}\n')
"""Left out of HTML pages: browsers bring their own, in colour."""


class Standalone(Frozen):
    """Values for the head of a self-contained page: a placeholder for its styles, and a content security policy that
    allows neither scripts nor network."""

    placeholder: str = "@styles@"
    policy: str = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"


@cache
def stylesheet(name: str, with_mathematics: bool, templates: Path | None = None) -> str:
    """All styles of a report as the text of one `style` element, with fonts and pictures embedded.

    Raises OSError for a file that is not there.
    """
    parts = [find_template(part, templates).read_text(encoding="utf-8") for part in ("tokens.css", name, "screen.css")]
    text = _EMOJI.sub("", "\n".join(parts))
    faced = _FACE.sub(partial(_face, templates), text if with_mathematics else _MATH.sub("", text))
    return _OTHER.sub(lambda named: f'url("{embedded_file(named[1], templates)}")', faced)


@cache
def embedded_file(name: str, templates: Path | None = None) -> str:
    """A picture or font of the templates as a URL that holds it. Raises OSError and ValueError as `find_template`."""
    path = find_template(name, templates)
    return data_url(path.read_bytes(), guess_type(path.name)[0] or "application/octet-stream")


def needs_mathematics(page: str) -> bool:
    """Whether a page has characters that only the font for mathematics, the largest, can show."""
    return any("\u2070" <= sign <= "\u22ff" or "\U0001d400" <= sign <= "\U0001d7ff" for sign in set(page))


def _face(templates: Path | None, named: re.Match[str]) -> str:
    """The subset of a font in `web/` beside the whole font, if there is one; else the whole font."""
    whole = find_template(named[1], templates)
    web = whole.parent / "web" / f"{whole.stem}.woff2"
    return f'url("{data_url(web.read_bytes(), "font/woff2")}") format("woff2")' if web.is_file() else named[0]


def student_report(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> bytes:
    """The PDF for the student. Raises ReportError when WeasyPrint's system libraries are missing."""
    return html_to_pdf(student_html(result, pictures, presentation), served(pictures), presentation.templates)


class ClassViews(NamedTuple):
    """What is shown of a class as PDF and as HTML; small, however large the class is."""

    pdf: ClassView
    html: ClassView


def class_views(of: Class, presentation: Presentation = PLAIN, pictures: Pictures = NONE) -> ClassViews:
    """The views of a class. `pictures` are by `class_place`."""
    language = language_of(presentation.language)
    view = class_view(of, language, linked(pictures))
    own = misconceptions_view(of, embedded(pictures), language)
    return ClassViews(view, view.model_copy(update={"misconceptions": own}))


def class_report(views: ClassViews, presentation: Presentation = PLAIN, pictures: Pictures = NONE) -> bytes:
    """The PDF for the instructor, with links to the students' reports beside it. `pictures` are by `class_place`.

    Raises ReportError when WeasyPrint's system libraries are missing.
    """
    return html_to_pdf(class_html(views, presentation), served(pictures), presentation.templates)


def student_html(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> str:
    """The student's report as HTML for `html_to_pdf`, every text in it escaped."""
    view = student_view(result, linked(pictures), language_of(presentation.language))
    return _page("student.html", view, presentation)


def class_html(views: ClassViews, presentation: Presentation = PLAIN) -> str:
    """The instructor's report as HTML for `html_to_pdf`, every text in it escaped."""
    return _page("class.html", views.pdf, presentation)


def student_page(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> str:
    """The student's report as an HTML file of its own: fonts and pictures inside, no scripts, nothing to fetch."""
    view = student_view(result, embedded(pictures), language_of(presentation.language))
    return _standalone("student", view, presentation)


def class_page(views: ClassViews, presentation: Presentation = PLAIN) -> str:
    """The instructor's report as an HTML file of its own: fonts and pictures inside, no scripts, nothing to fetch."""
    return _standalone("class", views.html, presentation)


def _page(template: str, view: Frozen, presentation: Presentation, standalone: Standalone | None = None) -> str:
    asset = partial(embedded_file, templates=presentation.templates) if standalone else str
    return environment(presentation).get_template(template).render(view=view, standalone=standalone, asset=asset)


def _standalone(name: str, view: Frozen, presentation: Presentation) -> str:
    """A self-contained page. The body is rendered first, as its text decides which fonts the head embeds."""
    page = _page(f"{name}.html", view, presentation, Standalone())
    styles = stylesheet(f"{name}.css", needs_mathematics(page), presentation.templates)
    return page.replace(Standalone().placeholder, styles, 1)
