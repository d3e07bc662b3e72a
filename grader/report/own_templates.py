"""Renders an instructor's own templates once with made-up results, before anything is graded; errors name file and
line."""

import re
import traceback
from pathlib import Path

from grader.cohort.statistics import of_class
from grader.report.resources import Presentation, templates_folder
from grader.report.specimen import specimens

_OBJECT = re.compile(r"'[\w.]*\.(\w+) object'")


class TemplatesError(Exception):
    """An instructor's templates cannot be used; the message names file and line and says what is wrong."""


def check_templates(presentation: Presentation) -> None:
    """Raises TemplatesError where a page cannot be rendered with an instructor's templates, or is empty."""
    from grader.report import render

    try:
        results = specimens()
        pages = [render.student_page(result, {}, presentation) for result in results]
        pages.append(render.class_page(render.class_views(of_class(results), presentation), presentation))
    except Exception as error:  # a template may raise anything; its author has to be told
        raise TemplatesError(f"{_location(error, presentation)}{_text(error)}") from error
    if not all(page.strip() for page in pages):
        raise TemplatesError(f"{presentation.templates}: with these templates a report is empty.")


def _location(error: Exception, presentation: Presentation) -> str:
    """File and line of the innermost template in an error's traceback; it may be one of the project's own."""
    from jinja2 import TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename or error.name}, line {error.lineno}: "
    folders = [folder.resolve() for folder in (presentation.templates, templates_folder()) if folder]
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if frame.filename.endswith(".html") and any(Path(frame.filename).is_relative_to(folder) for folder in folders):
            return f"{frame.filename}, line {frame.lineno}: "
    return f"{presentation.templates}: "


def _text(error: Exception) -> str:
    from jinja2 import TemplateNotFound

    if isinstance(error, TemplateNotFound):
        return f"there is no template {error.name!r}."
    if isinstance(error, RecursionError):
        return "it extends or includes itself. To build on the project's own, name 'project/…'."
    message = str(error).strip() or type(error).__name__
    return _OBJECT.sub(r"'\1'", message).rstrip(".") + "."
