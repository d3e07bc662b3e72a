"""The template engine: where templates come from, and how values and words get onto a page."""

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from grader.language import Language, language_of
from grader.report.presentation import Presentation
from grader.report.resources import find_template
from grader.report.running_text import direction, small_characters
from grader.report.views.wording import printable

if TYPE_CHECKING:
    from jinja2 import Environment

PROJECT = "project/"
"""Before a name: the project's own template. So one that stands in for it can extend it."""


@cache
def environment(presentation: Presentation) -> "Environment":
    """An engine that escapes every value and knows the words of one language.

    In templates, `_("…")` and `{% trans %}` translate, `language.code` names the language, and the filter
    `small_characters` prints powers. Templates of an
    instructor's own run in Jinja's sandbox, as they may come from a colleague. Raises LanguageError for an unknown
    language.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    made = (ImmutableSandboxedEnvironment if presentation.templates else Environment)(
        loader=FunctionLoader(partial(_source, presentation.templates)),
        extensions=["jinja2.ext.i18n"],
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"small_characters": small_characters, "direction": direction}
    _translate(made, language_of(presentation.language))
    return made


def _translate(made: "Environment", language: Language) -> None:
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(language.gettext, language.ngettext, newstyle=True)  # type: ignore[attr-defined]
    made.globals["language"] = language


def _source(own: Path | None, name: str) -> tuple[str, str, None] | None:
    """A template's text and the path that errors name."""
    try:
        path = find_template(name.removeprefix(PROJECT), None if name.startswith(PROJECT) else own)
        return path.read_text(encoding="utf-8"), str(path), None
    except (OSError, ValueError):
        return None


def _printable(value: object) -> object:
    """Every value on its way to a page. What is already escaped, as sentences with values in them are, stays so."""
    return type(value)(printable(value)) if isinstance(value, str) else value
