"""The options of `grade` that say what a course knows beside the hand-ins."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

FILE = click.Path(path_type=Path)
Command = Callable[..., Any]


def course_options(command: Command) -> Command:
    """The options, added to a command in this order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option("--roster", type=FILE, help="CSV of the students: ids, e-mail addresses, names, groups."),
    click.option("--deadline", metavar="TIME", help="Such as 2023-11-21T23:59+01:00; late hand-ins lose points."),
    click.option("--timezone", metavar="ZONE", help="Such as Europe/Paris, for times that name none."),
    click.option("--grace", type=click.FloatRange(0), metavar="MINUTES", help="After the deadline without penalty."),
    click.option("--times", type=FILE, help="CSV of submission times, such as Moodle's worksheet."),
    click.option("--extensions", type=FILE, help="CSV or TOML of students who have more time."),
    click.option(
        "--attempt",
        default="last",
        show_default=True,
        type=click.Choice(["last", "first", "latest"]),
        help="Of several: the last in time, the first, or the latest of all.",
    ),
    click.option("--anonymous", is_flag=True, help="Grade blind: pseudonyms; the key lies beside --out."),
    click.option("--overrides", type=FILE, help="Decisions of persons.  [default: overrides.toml in --out]"),
)
