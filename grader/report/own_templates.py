"""Checks an instructor's own templates and stylesheet before anything is graded; errors name file and line."""

import re
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.cohort.statistics import of_class
from grader.report.pdf import html_to_pdf, missing_libraries
from grader.report.pictures import Picture, served
from grader.report.resources import Presentation, find_template, templates_folder
from grader.report.specimen import BOX, specimens


class TemplatesError(Exception):
    """An instructor's templates cannot be used; the message names file and line and says what is wrong."""


def check_styles(path: Path, folder: Path) -> None:
    """Raises TemplatesError for the first CSS syntax error in a stylesheet, or reference to a file that is missing."""
    import tinycss2

    rules = tinycss2.parse_stylesheet(path.read_text(encoding="utf-8"), skip_comments=True, skip_whitespace=True)
    for node in _nodes(rules):
        where = f"{path}, line {node.source_line}"
        if node.type == "error":
            raise TemplatesError(f"{where}: {node.message.rstrip('.')}.")
        # The file that `url(…)` refers to, quoted or not.
        quoted = node.type == "function" and node.lower_name == "url" and node.arguments
        name = str(node.arguments[0].value if quoted else node.value if node.type == "url" else "")
        if not name or ":" in name or name.startswith("#"):
            continue
        try:
            find_template(name, folder)
        except (OSError, ValueError) as error:
            raise TemplatesError(f"{where}: there is no file {name[:200]!r} among the templates.") from error


def _nodes(nodes: Sequence[Any]) -> Iterator[Any]:
    """All nodes of parsed CSS, including those inside rules and declarations. Lines count from the file's start."""
    import tinycss2

    for node in nodes:
        yield node
        if node.type in ("qualified-rule", "at-rule") and node.content is not None:
            yield from _nodes(tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True))
        elif node.type == "declaration":
            yield from _nodes(node.value)


LONGEST = 1 << 22
"""Bytes of a template; fonts and pictures may be longer."""
_OBJECT = re.compile(r"'[\w.]*\.(\w+) object'")
_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a4944415478da63f80f0001010100"
    "1bb6ee560000000049454e44ae426082"
)


def check_templates(presentation: Presentation) -> None:
    """Render an instructor's templates with made-up results. Raises TemplatesError for the first error found.

    It takes about a second, most of it for a PDF of each kind.
    """
    from grader.report.render import environment

    folder = presentation.templates
    if folder is None:
        return
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".css") and not path.is_dir())
    if not paths:
        raise TemplatesError(f"{folder}: there is no template (*.html) and no stylesheet (*.css) in it.")
    for path in paths:
        _check_reachable(path, folder)
    for path in paths:
        _check_used(path, paths, folder)
        if path.suffix == ".css":
            check_styles(path, folder)
        else:
            with _explained(presentation):
                environment(presentation).get_template(str(path.relative_to(folder)))
    _try_rendering(presentation)


def _check_reachable(path: Path, folder: Path) -> None:
    """Raises TemplatesError unless a file lies in the folder, is not too long and is UTF-8 text."""
    try:
        text = find_template(str(path.relative_to(folder)), folder).read_bytes()
    except (OSError, ValueError, RuntimeError) as error:
        raise TemplatesError(f"{path}: it cannot be read, or is a link that leads out of the folder.") from error
    if len(text) > LONGEST:
        raise TemplatesError(f"{path}: it is longer than {LONGEST >> 20} MiB.")
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise TemplatesError(f"{path}, line {line}: it is not text in UTF-8.") from error


def _check_used(path: Path, paths: list[Path], folder: Path) -> None:
    """Raises TemplatesError for a file that nothing uses: a misspelt name would otherwise be ignored silently."""
    project = templates_folder()
    if (project / path.relative_to(folder)).exists():
        return
    if not any(path.name in other.read_text(encoding="utf-8") for other in paths if other != path):
        known = ", ".join(sorted(one.name for one in project.iterdir() if one.suffix in (".html", ".css")))
        raise TemplatesError(f"{path}: it stands in for nothing, and no other file names it. There are: {known}.")


def _try_rendering(presentation: Presentation) -> None:
    from grader.report import render

    results = specimens()
    views = render.class_views(of_class(results), presentation)
    pictures = {(one.id, "report.pdf", 1, BOX): Picture(_PIXEL, 100.0, 20.0) for one in results[0].items}
    pages = []
    with _explained(presentation):
        for result in results:
            pages.append(render.student_html(result, pictures, presentation))
            render.student_page(result, pictures, presentation)
        pages.append(render.class_html(views, presentation))
        render.class_page(views, presentation)
        if missing_libraries() is None:
            for page in (pages[0], pages[-1]):
                html_to_pdf(page, served(pictures), presentation.templates)
    if not all(page.strip() for page in pages):
        raise TemplatesError(f"{presentation.templates}: with these templates a report is empty.")


@contextmanager
def _explained(presentation: Presentation) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # a template may raise anything; its author has to be told
        raise TemplatesError(f"{_template_location(error, presentation)}{_error_text(error)}") from error


def _template_location(error: Exception, presentation: Presentation) -> str:
    """File and line of the innermost template in an error's traceback; it may be one of the project's own."""
    from jinja2 import TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename or error.name}, line {error.lineno}: "
    folders = [folder.resolve() for folder in (presentation.templates, templates_folder()) if folder]
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if frame.filename.endswith(".html") and any(Path(frame.filename).is_relative_to(one) for one in folders):
            return f"{frame.filename}, line {frame.lineno}: "
    return f"{presentation.templates}: "


def _error_text(error: Exception) -> str:
    from jinja2 import TemplateNotFound

    if isinstance(error, TemplateNotFound):
        return f"there is no template {error.name!r}."
    if isinstance(error, RecursionError):
        return "it extends or includes itself. To build on the project's own, name 'project/…'."
    message = str(error).strip() or type(error).__name__
    return _OBJECT.sub(r"'\1'", message).rstrip(".") + "."
