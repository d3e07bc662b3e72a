"""`grade check`, and `lab-check` in a package for students: what was read of a hand-in."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.lab.definition import Lab

PACKAGED = Path(__file__).parent / "lab.json"
"""The students' version of the lab; only a package for students holds it."""


class CannotCheckError(click.ClickException):
    """Nothing can be checked; the exit status is that of a usage error."""

    exit_code = 2


HELP = """Show what the grader reads in a submission: a report and a folder of code, a folder with both, or a zip.

This is for students, before they hand in. It lists the files, the questions, numbers, results, definitions and
training logs that were found, and what could not be read. It does not know the right answers. The exit status is
1 if something is missing or cannot be read.
"""


@click.command("check", help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--lab", metavar="NAME|FOLDER", help="The lab.  [default: nlp-frameworks, or the lab of the package]")
@click.option("--lang", metavar="LANGUAGE", help="Language, en or fr.  [default: the lab's language]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_command(paths: tuple[Path, ...], lab: str | None, lang: str | None, as_json: bool) -> None:
    """The verb."""
    from grader.message import LanguageError, language_of
    from grader.selfcheck.lines import lines, wrap_line
    from grader.selfcheck.look import Look, UnseenError, look_at, why_unseen
    from grader.selfcheck.seen import Level

    for path in paths:
        if not path.exists():
            raise CannotCheckError(f"{path} does not exist; name your report, your folder of code, or the zip of both.")
    shown = _lab(lab)
    try:
        language = language_of(lang or shown.language)
    except LanguageError as error:
        raise CannotCheckError(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="check-", ignore_cleanup_errors=True) as work:
        try:
            found = look_at(Look(tuple(path.resolve() for path in paths), shown, language.code, Path(work)))
        except UnseenError as error:
            raise CannotCheckError(language.say(why_unseen(error.args[0]))) from error
    if as_json:
        click.echo(found.model_dump_json(indent=2, by_alias=True))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        click.echo("\n".join(wrap_line(line, width) for line in lines(found, language)))
    sys.exit(1 if any(remark.level is Level.MEND for remark in found.remarks) else 0)


def _lab(name: str | None) -> "Lab":
    """The lab as students may see it: the packaged one, or one of this machine. Raises CannotCheckError."""
    from grader.lab.definition import Lab

    if PACKAGED.is_file() and name is None:
        return Lab.model_validate_json(PACKAGED.read_bytes())
    from grader.lab.files import LabError, lab_folder, load_lab, seen_by_students

    try:
        return seen_by_students(load_lab(lab_folder(name or "nlp-frameworks")))
    except LabError as error:
        raise CannotCheckError(str(error)) from error


def main() -> None:
    """The entry point of `lab-check`."""
    check_command.main(prog_name="lab-check")


if __name__ == "__main__":
    main()
