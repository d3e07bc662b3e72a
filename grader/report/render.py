"""Rendering of results as self-contained HTML pages (styles and fonts inside) and PDFs: view model, template,
WeasyPrint; and the Jinja environment of all pages: template lookup, escaping, translation, superscripts in running
text."""

import re
from functools import cache, partial
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import bidirectional

from grader.cohort.statistics import Class
from grader.frozen import Frozen
from grader.message import language_of
from grader.report.pdf import html_to_pdf
from grader.report.pictures import NONE, Pictures, data_url, embedded_pictures, linked_pictures, served_pictures
from grader.report.resources import PLAIN, Presentation, find_template
from grader.report.views.classroom import ClassView, class_view, misconceptions_view
from grader.report.views.student import student_view
from grader.report.views.wording import printable
from grader.result import Result

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_FACE = re.compile(r'url\("(fonts/[^":]+)"\)')
_OTHER = re.compile(r'url\("([^":]+)"\)')
_MATH = re.compile(r'@font-face \{ font-family: "Report Math";[^}]*\}\n')
_EMOJI = re.compile(r'@font-face \{ font-family: "Report Emoji";[^}]*\}\n')
"""Left out of HTML pages: browsers bring their own, in colour."""


class Standalone(Frozen):
    """Values for the head of a self-contained page: a placeholder for its styles, and a content security policy."""

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


def _face(templates: Path | None, named: re.Match[str]) -> str:
    """The subset of a font in `web/` beside the whole font, if there is one; else the whole font."""
    whole = find_template(named[1], templates)
    web = whole.parent / "web" / f"{whole.stem}.woff2"
    return f'url("{data_url(web.read_bytes(), "font/woff2")}") format("woff2")' if web.is_file() else named[0]


def student_report(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> bytes:
    """The PDF for the student. Raises ReportError when WeasyPrint's system libraries are missing."""
    return html_to_pdf(student_html(result, pictures, presentation), served_pictures(pictures), presentation.templates)


class ClassViews(NamedTuple):
    """The views of a class as PDF and as HTML; small, however large the class is."""

    pdf: ClassView
    html: ClassView


def class_views(of: Class, presentation: Presentation = PLAIN, pictures: Pictures = NONE) -> ClassViews:
    """The views of a class. `pictures` are by `class_place`."""
    language = language_of(presentation.language)
    view = class_view(of, language, linked_pictures(pictures))
    own_misconceptions = misconceptions_view(of, embedded_pictures(pictures), language)
    return ClassViews(view, view.model_copy(update={"misconceptions": own_misconceptions}))


def class_report(views: ClassViews, presentation: Presentation = PLAIN, pictures: Pictures = NONE) -> bytes:
    """The PDF for the instructor, with links to the students' reports beside it. `pictures` are by `class_place`.

    Raises ReportError when WeasyPrint's system libraries are missing.
    """
    return html_to_pdf(class_html(views, presentation), served_pictures(pictures), presentation.templates)


def student_html(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> str:
    """The student's report as HTML for `html_to_pdf`, every text in it escaped."""
    view = student_view(result, linked_pictures(pictures), language_of(presentation.language))
    return _page("student.html", view, presentation)


def class_html(views: ClassViews, presentation: Presentation = PLAIN) -> str:
    """The instructor's report as HTML for `html_to_pdf`, every text in it escaped."""
    return _page("class.html", views.pdf, presentation)


def student_page(result: Result, pictures: Pictures = NONE, presentation: Presentation = PLAIN) -> str:
    """The student's report as an HTML file of its own: fonts and pictures inside, no scripts, nothing to fetch."""
    view = student_view(result, embedded_pictures(pictures), language_of(presentation.language))
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
    # Only the font for mathematics, the largest, can show these characters.
    styles = stylesheet(
        f"{name}.css",
        any("\u2070" <= sign <= "\u22ff" or "\U0001d400" <= sign <= "\U0001d7ff" for sign in set(page)),
        presentation.templates,
    )
    return page.replace(Standalone().placeholder, styles, 1)


_RAISED: Final = re.compile(r"\^\{([\w+−.,/ -]{1,12})\}")
_LOWERED: Final = re.compile(r"_\{([\w+−.,/ -]{1,12})\}")
_SIDES: Final = {"L": "ltr", "R": "rtl", "AL": "rtl"}


def small_characters(text: str, lowered: bool = False) -> "Markup":
    """Escaped HTML in which powers are superscripts: `512^{2}`, as the PDF reader marks raised characters.

    Indices, as in `d_{model}`, become subscripts only where `lowered` is set, as code may hold such braces.
    Right-to-left text is left unchanged: its pieces would appear in the wrong order.
    """
    from markupsafe import Markup, escape

    plain = escape(text)
    if direction(text) == "rtl":
        return plain
    raised = _RAISED.sub(r"<sup>\1</sup>", str(plain))
    return Markup(_LOWERED.sub(r"<sub>\1</sub>", raised) if lowered else raised)  # noqa: S704  escaped above


def direction(text: str) -> str:
    """`rtl` or `ltr`, by the first character with a strong direction (Unicode Standard Annex 9, rules P2 and P3)."""
    return next((_SIDES[side] for side in map(bidirectional, text) if side in _SIDES), "ltr")


PROJECT = "project/"
"""Prefix that names the project's own template, so that an instructor's replacement can extend it."""


@cache
def environment(presentation: Presentation) -> "Environment":
    """A Jinja environment that escapes every value and translates into one language.

    In templates, `_("…")` and `{% trans %}` translate, `language.code` names the language, and the filter
    `small_characters` prints powers. An instructor's own templates run in Jinja's sandbox, as they may come from a
    colleague. Raises LanguageError for an unknown language.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # Markup that is already escaped, such as a sentence with values, is kept.
    made = (ImmutableSandboxedEnvironment if presentation.templates else Environment)(
        loader=FunctionLoader(partial(_source, presentation.templates)),
        extensions=["jinja2.ext.i18n"],
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: type(value)(printable(value)) if isinstance(value, str) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"small_characters": small_characters, "direction": direction}
    language = language_of(presentation.language)
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(language.gettext, language.ngettext, newstyle=True)  # type: ignore[attr-defined]
    made.globals["language"] = language
    return made


def _source(own_path: Path | None, name: str) -> tuple[str, str, None] | None:
    """A template's text and the path that errors name."""
    try:
        path = find_template(name.removeprefix(PROJECT), None if name.startswith(PROJECT) else own_path)
        return path.read_text(encoding="utf-8"), str(path), None
    except (OSError, ValueError):
        return None
