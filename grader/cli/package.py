"""`grade package`: what other systems run, made from a lab."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import quoted, told_next

if TYPE_CHECKING:
    from grader.lab.definition import Lab
    from grader.packages.upload import Settings

OUT = click.option("--out", type=click.Path(path_type=Path), help="The folder to write, new or empty.")
OUT_FILE = click.option("--out", type=click.Path(path_type=Path), help="The zip file to write.")
LAB = click.option(
    "--lab", default="nlp-frameworks", show_default=True, help="A shipped lab's name, or a folder with lab.toml."
)

LANG = click.option("--lang", metavar="LANGUAGE", help="Such as en or fr.  [default: that of the lab]")
SHOWN = click.option(
    "--show",
    "shown",
    default="after_published",
    show_default=True,
    type=click.Choice(["visible", "after_due_date", "after_published", "hidden"]),
    help="When students see points and proofs, which tell what is right.",
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
    """The check, for students to install.

    It shows what is read of a hand-in, and holds none of the lab's truth, keys, points or examples of answers.
    """
    from grader.packages.students import students_package

    found = _lab(lab)
    folder = out or Path(f"{found.id}-check")
    _written(folder, students_package(found))
    wheel = next(path.name for path in folder.glob("*.whl"))
    told_next(
        f"give students the folder {quoted(folder)}; its README.md says how to install {wheel}.",
        f"grade serve --check --lab {quoted(lab)}   (the same in the browser)",
    )


@package_group.command("gradescope")
@LAB
@OUT_FILE
@SHOWN
@LANG
@click.option(
    "--wheels",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with wheels of the dependencies (`pip download`), for an image that is built without a network.",
)
def gradescope(lab: str, out: Path | None, shown: str, lang: str | None, wheels: Path | None) -> None:
    """An autograder's zip for Gradescope.

    It grades at every upload. What was read is shown at once; points and proofs when --show says so. Upload it
    under Configure Autograder.
    """
    from grader.packages.autograders import EXECUTABLE, gradescope_files
    from grader.packages.students import zipped

    found = _lab(lab)
    target = out or Path(f"{found.id}-gradescope.zip")
    there = {path.name: path.read_bytes() for path in sorted(wheels.glob("*.whl"))} if wheels else {}
    if wheels and not there:
        raise _CannotPackageError(f"{wheels} holds no wheels; `pip download` writes them for an image's Python.")
    files = gradescope_files(_lab_files(lab), _settings(lab, shown, lang), there)
    if target.exists():
        raise _CannotPackageError(f"{target} is there already; name another file by --out.")
    _written(target.parent, {target.name: zipped(files, EXECUTABLE)}, empty=False)
    told_next(
        f"upload {quoted(target)} in Gradescope under Configure Autograder, with "
        f"{found.max_score.normalize():f} points and a base image with Python 3.11 or newer (Ubuntu 24.04)."
    )


@package_group.command("prairielearn")
@LAB
@OUT
@LANG
@click.option("--registry", default="", metavar="NAME", help="Where the image will be, such as ghcr.io/my-course.")
def prairielearn(lab: str, out: Path | None, lang: str | None, registry: str) -> None:
    """A question for PrairieLearn and its image.

    The question is graded outside; the image is built from a folder that is written, too.
    """
    from grader.packages.autograders import prairielearn_files

    found = _lab(lab)
    folder = out or Path(f"{found.id}-prairielearn")
    _written(folder, prairielearn_files(found, _lab_files(lab), _settings(lab, "visible", lang), registry))
    questions = quoted(folder / "questions")
    told_next(f"build and push the image (image/Dockerfile says how), then copy {questions} into your course.")


@package_group.command("github")
@LAB
@OUT
def github(lab: str, out: Path | None) -> None:
    """Workflows for GitHub Classroom.

    One shows in students' repositories what was read; one grades all of them in a private repository. Only the
    folder `template` may be seen by students; the folder `course` holds the truth.
    """
    from grader.packages.upload import github_files

    found = _lab(lab)
    folder = out or Path(f"{found.id}-github")
    _written(folder, github_files(found, _lab_files(lab)))
    told_next(
        f"put what is in {folder}/template into the assignment's template repository, and what is in {folder}/course "
        "into a private one that has a secret COURSE_TOKEN."
    )


def _settings(lab: str, shown: str, lang: str | None) -> "Settings":
    from grader.message import LanguageError, language_of
    from grader.packages.upload import Settings

    try:
        code = language_of(lang or _lab(lab).language).code
    except LanguageError as error:
        raise _CannotPackageError(str(error)) from error
    return Settings.model_validate({"language": code, "visibility": shown})


def _lab_files(name: str) -> dict[str, bytes]:
    from grader.lab.files import lab_folder
    from grader.packages.upload import lab_files

    return lab_files(lab_folder(name))


def _lab(name: str) -> "Lab":
    from grader.lab.files import LabError, lab_folder, load_lab

    try:
        return load_lab(lab_folder(name))
    except LabError as error:
        raise _CannotPackageError(str(error)) from error


def _written(folder: Path, files: Mapping[str, bytes], *, empty: bool = True) -> None:
    from grader.pipeline.outputs import write_atomically

    try:
        if empty and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise _CannotPackageError(f"{folder} is there and is not empty; name a new folder by --out.")
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / path, content)
    except OSError as error:
        raise _CannotPackageError(f"cannot write to {error.filename or folder}: {error.strerror}.") from error
    click.echo(f"{len(files)} files are in {folder}." if empty else f"written: {folder / next(iter(files))}")
