"""`grade init FOLDER`: begin a lab."""

from pathlib import Path

import click

from grader.cli.commands import commands, told_next


class _UnusableInputError(click.ClickException):
    """A lab cannot be begun there; the exit status is that of a usage error."""

    exit_code = 2


@click.command("init")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def init_command(folder: Path) -> None:
    """Begin a lab of your own in FOLDER, which is made.

    It holds a commented lab.toml, an example check with its test, and reference answers with what they are to earn. The
    lab takes its id from the folder's name. Nothing that is there already is overwritten.
    """
    from grader.lab.starter import StarterError, write_starter

    try:
        starter = write_starter(folder)
    except StarterError as error:
        raise _UnusableInputError(str(error)) from error
    except OSError as error:
        raise _UnusableInputError(f"cannot write to {error.filename or folder}: {error.strerror}.") from error
    click.echo(f"{folder} holds a lab in {starter} files.")
    told_next(*commands(folder), f"edit {folder / 'lab.toml'}; every key is explained there.", others="then")
