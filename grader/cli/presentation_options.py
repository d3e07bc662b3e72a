"""The options of verbs that write reports."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


class _UnusableTemplatesError(click.ClickException):
    """Templates that no report can be made with; the exit status is that of a usage error."""

    exit_code = 2


def presentation_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a command with the options; they arrive as `lang` and `templates`, the templates tried."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def _tried(context: click.Context, parameter: click.Parameter, templates: Path | None) -> Path | None:
    """The folder, if reports can be made with it: that is told before anything is graded."""
    if templates is None or context.resilient_parsing:
        return templates
    from grader.report.own_templates import TemplatesError, check_templates
    from grader.report.presentation import Presentation

    try:
        check_templates(Presentation(templates=templates))
    except TemplatesError as error:
        raise _UnusableTemplatesError(str(error)) from error
    return templates


_OPTIONS = (
    click.option("--lang", metavar="LANGUAGE", help="Language of the reports: en or fr.  [default: the lab's]"),
    click.option(
        "--templates",
        type=click.Path(path_type=Path, exists=True, file_okay=False, resolve_path=True),
        callback=_tried,
        help="A folder whose files stand in for the project's own templates.",
    ),
)
