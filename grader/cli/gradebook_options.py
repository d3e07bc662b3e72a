"""The options that say where grades are kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Command = Callable[..., Any]

_GRADEBOOK = click.option(
    "--gradebook", metavar="URL", help="A file, or a database by its SQLAlchemy URL.  [default: a file in --out]"
)
_OUT = click.option(
    "--out", default="graded", show_default=True, type=click.Path(path_type=Path), help="Where grades are."
)
_AGAIN = click.option("--again", is_flag=True, help="Grade also what is unchanged since it was graded.")
_JSON = click.option("--json", "as_json", is_flag=True, help="For programs.")


def keeping_options(command: Command) -> Command:
    """The options of a verb that grades; they arrive as `gradebook` and `again`."""
    return _GRADEBOOK(_AGAIN(command))


def asking_options(command: Command) -> Command:
    """The options of a verb that asks the gradebook; they arrive as `out`, `gradebook` and `as_json`."""
    return _OUT(_GRADEBOOK(_JSON(command)))


def place(gradebook: str | None, out: Path) -> Path | str:
    """Where the grades are kept: a file, or a URL."""
    from grader.gradebook.database import FILE

    if gradebook is None:
        return out / FILE
    return gradebook if "://" in gradebook else Path(gradebook)
