"""`grade package`: what other systems run, made from a lab."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.commands import told_next

if TYPE_CHECKING:
    from grader.lab.definition import Lab

OUT = click.option("--out", type=click.Path(path_type=Path), help="The folder to write, new or empty.")
LAB = click.option(
    "--lab", default="nlp-frameworks", show_default=True, help="A shipped lab's name, or a folder with lab.toml."
)


class _CannotPackageError(click.ClickException):
    exit_code = 2


@click.group("package", subcommand_metavar="KIND")
def package_group() -> None:
    """Make from a lab what students or course systems run.

    Only the package for students may be given to students: the others hold the lab's truth.
    """


@package_group.command("students")
@LAB
@OUT
def students(lab: str, out: Path | None) -> None:
    """The self-check, for students to install: it shows what is read of a hand-in.

    It holds none of the lab's truth, keys, points or examples of answers.
    """
    from grader.packages.students import students_package

    found = _lab(lab)
    folder = out or Path(f"{found.id}-check")
    _written(folder, students_package(found))
    wheel = next(path.name for path in folder.glob("*.whl"))
    told_next(
        f"give students the folder {folder}; its README.md says how to install {wheel}.",
        f"grade serve --check --lab {lab}",
    )


def _lab(name: str) -> "Lab":
    from grader.lab.files import LabError, lab_folder, load_lab

    try:
        return load_lab(lab_folder(name))
    except LabError as error:
        raise _CannotPackageError(str(error)) from error


def _written(folder: Path, files: Mapping[str, bytes]) -> None:
    from grader.pipeline.outputs import write_atomically

    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise _CannotPackageError(f"{folder} is there and is not empty; name a new folder by --out.")
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / path, content)
    except OSError as error:
        raise _CannotPackageError(f"cannot write to {error.filename or folder}: {error.strerror}.") from error
    click.echo(f"{len(files)} files are in {folder}.")
