"""The Jinja environment of the reports: template lookup, escaping, translation, and superscripts in running text."""

import re
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unicodedata import bidirectional

from grader.message import Language, language_of
from grader.report.resources import Presentation, find_template
from grader.report.views.wording import printable

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

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
    """The value as a template prints it. Markup that is already escaped, such as a sentence with values, is kept."""
    return type(value)(printable(value)) if isinstance(value, str) else value
