"""`grade read`: what the grader sees in a file."""

import sys
from pathlib import Path

import click


@click.command("read")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
def read_command(files: tuple[Path, ...]) -> None:
    """Print as JSON what the grader reads in each FILE.

    Text comes as blocks with page and box or line, notebooks as cells, event files as runs with their series. Fields
    without a value are left out; a value that is not a number is printed as null.
    """
    from grader.reading.reader import read_path

    for file in files:
        if not file.is_file():
            what = "is not a file" if file.exists() else "does not exist"
            raise click.UsageError(f"{file} {what}; name a file such as a report, a notebook or an event file.")
    for file in files:
        try:
            reading = read_path(file)
        except OSError as error:
            raise click.UsageError(f"{file} cannot be opened: {error.strerror}") from error
        json = reading.model_dump_json(indent=2, exclude_defaults=True)
        sys.stdout.buffer.write(json.encode("utf-8") + b"\n")
        sys.stdout.flush()
