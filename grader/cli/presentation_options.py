"""The options of verbs that write reports."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_OPTIONS = (
    click.option("--lang", metavar="LANGUAGE", help="Language of the reports: en or fr.  [default: the lab's]"),
    click.option(
        "--templates",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="A folder whose files stand in for the project's own templates.",
    ),
)


def presentation_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a command with the options; they arrive as `lang` and `templates`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
