"""`grade export`: grades in the formats of the systems that take them. `grade package`: what other systems run, made
from a lab.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import LAB, UnusableInputError, lab_called, note, quote_path, refuse_on, told_next

if TYPE_CHECKING:
    from grader.gradebook.exports.outcome import Content, ExportedFiles
    from grader.lab.definition import Lab
    from grader.packages.autograders import Settings
    from grader.result import Result

    Targets = Sequence[tuple[Path, Content]]


@click.command("export")
@click.argument("form", metavar="FORMAT")
@click.argument("results", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option("--into", type=click.Path(path_type=Path), help="File exported by the system, to be filled in.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="File or folder to write.  [default: in RESULTS; beside it with --key]",
)
@click.option("--column", metavar="TITLE", help="Column to fill: its title, or Canvas's assignment id.")
@click.option("--scale", is_flag=True, help="Convert points if the system has a different maximum.")
@click.option(
    "--pending",
    type=click.Choice(["skip", "score"]),
    help="Students with points pending review: leave them out, or write the decided points.  "
    "[default: skip; score for formats that list items]",
)
@click.option(
    "--absent",
    type=click.Choice(["blank", "zero", "excused"]),
    default="blank",
    show_default=True,
    help="What to write for students in --into without a submission; excused is Canvas's EX.",
)
@click.option(
    "--reports",
    type=click.Choice(["pdf", "html", "both"]),
    default="pdf",
    show_default=True,
    help="Reports that moodle-feedback and canvas-feedback return.",
)
@click.option("--no-feedback", is_flag=True, help="Write grades without comments.")
@click.option("--decimal", type=click.Choice(["point", "comma"]), help="Decimal mark.  [default: as in --into]")
@click.option("--qid", metavar="ID", help="PrairieLearn: the question.")
@click.option("--instance", default=1, show_default=True, help="PrairieLearn: the instance of the assessment.")
@click.option(
    "--key", type=click.Path(path_type=Path), help="Key of blind grading, to write names instead of pseudonyms."
)
@click.option(
    "--check",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write nothing; list the rows of FILE that the system would skip or change. --into may name a newer "
    "worksheet.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file, and grades that --into already holds.")
def export_command(
    form: str, results: Path, out: Path | None, key: Path | None, check: Path | None, **options: Any
) -> None:
    """Write the grades in RESULTS, a folder of graded submissions, in the format of another system.

    FORMAT is canvas, moodle-worksheet or moodle-grades (CSV files with grades), moodle-feedback or canvas-feedback
    (zip files with reports), gradescope, prairielearn, prairielearn-results, csv, json, xlsx, or a format of an
    installed package. With --into, only the students' grades change in that file; students who cannot be matched
    are listed.

    \b
    Examples:
      grade export xlsx graded
      grade export canvas graded --into gradebook.csv --column "Lab 4"
      grade export moodle-worksheet graded --into worksheet.csv --absent zero
      grade export moodle-worksheet graded --check worksheet.csv
    """
    from grader.gradebook import GradebookError
    from grader.gradebook.exports.checking import check_grades
    from grader.gradebook.exports.outcome import Absence, ExportOptions, Pending
    from grader.gradebook.exports.registry import exporter
    from grader.gradebook.outline import StoredResultError, not_in_last_run
    from grader.pipeline.course import abridged_names

    wanted = ExportOptions(
        folder=results,
        feedback=not options.pop("no_feedback"),
        decimal_comma={"comma": True, "point": False, None: None}[options.pop("decimal")],
        question=options.pop("qid"),
        absent=Absence(options.pop("absent")),
        pending=Pending(pending) if (pending := options.pop("pending")) else None,
        reports=("pdf", "html") if (reports := options.pop("reports")) == "both" else (reports,),
        **options,
    )
    try:
        export = exporter(form)
        graded = _graded(results, key)
        if check:
            click.echo("\n".join(check_grades(form, check, graded, wanted)))
            return
        exported = export(graded, wanted)
        note(*exported.notes)
        if left := not_in_last_run(results):
            note(
                f"{abridged_names(left)}: no submission of the last run, so the grade is that of an earlier one. "
                "Remove the "
                f"folder in {results} where the submission was renamed or withdrawn, and export again."
            )
        if exported.people == 0:
            raise GradebookError("no grade would be in the file, so nothing was written; the lines above say why.")
        written = _write(_targets(exported, out or _usual(form, results, exported, key)), force=wanted.force)
    except (GradebookError, StoredResultError) as error:
        raise UnusableInputError(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"cannot write {error.filename or out}: {error.strerror}.") from error
    if exported.written == 0:
        click.echo("No grade is new in it: each is there already, or was left as it is.")
    elif exported.written is not None:
        click.echo("1 grade is new in it." if exported.written == 1 else f"{exported.written:,} grades are new in it.")
    click.echo(f"written: {written}")
    if exported.next:
        told_next(exported.next)


def _graded(results: Path, key: Path | None) -> "Sequence[Result]":
    """The results in a folder, with the names of a key. Raises GradebookError where there are none."""
    from grader.gradebook import GradebookError
    from grader.gradebook.outline import stored_results
    from grader.gradebook.overrides import FILE, check_students
    from grader.pipeline.blind import existing_key, with_names

    graded = stored_results(results)
    check_students(results / FILE, {path.parent.name for path in results.glob("*/result.json")})
    if key:
        graded = with_names(graded, existing_key(key))
    if not graded:
        raise GradebookError(f"{results}: no results there; name the folder that `grade` wrote (--out).")
    return graded


def _usual(form: str, results: Path, exported: "ExportedFiles", key: Path | None) -> Path:
    """The default path of an export: in the folder of results, or beside it if the export holds names under blind
    grading, as that folder may be passed on."""
    folder = results.absolute()
    several = len(exported.files) != 1
    name = form if several else exported.files[0][0]
    return results.with_name(f"{folder.name}-{name}") if key and results.name else results / name


def _write(targets: "Targets", *, force: bool) -> Path:
    """Writes all files, or none if one of them exists already; returns the path."""
    from grader.gradebook import GradebookError
    from grader.pipeline.outputs import write_atomically, write_by

    there = [path for path, _ in targets if path.exists()]
    if there and not force:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise GradebookError(f"{there[0]}{more} is there already; choose another --out, or replace it by --force.")
    if not targets:
        raise GradebookError("there is nothing to write: nobody's grade may go out.")
    for path, content in targets:
        if isinstance(content, bytes):
            write_atomically(path, content)
        else:
            write_by(path, content)
    return targets[0][0] if len(targets) == 1 else targets[0][0].parent.parent


def _targets(exported: "ExportedFiles", out: Path) -> "Targets":
    """The path and content of each file: a single file is `out` itself unless that is a folder; several go into the
    folder."""
    from grader.cohort.rows import MappedSequence

    if len(exported.files) == 1:
        name, content = exported.files[0]
        return [(out / name if out.is_dir() else out, content)]
    return MappedSequence(exported.files, lambda file: (out / file[0], file[1]))


OUT = click.option("--out", type=click.Path(path_type=Path), help="Folder to write; it must be new or empty.")
OUT_FILE = click.option("--out", type=click.Path(path_type=Path), help="Zip file to write.")
LANG = click.option("--lang", metavar="LANGUAGE", help="Language, en or fr.  [default: the lab's language]")
SHOWN = click.option(
    "--show",
    "shown",
    default="after_published",
    show_default=True,
    type=click.Choice(["visible", "after_due_date", "after_published", "hidden"]),
    help="When students see points and proofs, which reveal the right answers.",
)


@click.group("package", subcommand_metavar="KIND")
def package_group() -> None:
    """Package a lab for students or for a course system.

    Only the package for students may be given to students: the others hold the lab's truth.
    """


@package_group.command("students")
@LAB
@OUT
def students(lab: str, out: Path | None) -> None:
    """Build the check for students to install.

    It shows what the grader reads in a submission and holds none of the lab's truth, keys, points or example
    answers.
    """
    from grader.packages.students import students_package

    _, found = lab_called(lab)
    folder = out or Path(f"{found.id}-check")
    _written(folder, students_package(found))
    wheel = next(path.name for path in folder.glob("*.whl"))
    told_next(
        f"give students the folder {quote_path(folder)}; its README.md says how to install {wheel}.",
        f"grade serve --check --lab {quote_path(lab)}   (the same in the browser)",
    )


@package_group.command("gradescope")
@LAB
@OUT_FILE
@SHOWN
@LANG
@click.option(
    "--wheels",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with wheels of the dependencies (`pip download`), for images built without a network.",
)
def gradescope(lab: str, out: Path | None, shown: str, lang: str | None, wheels: Path | None) -> None:
    """Build an autograder for Gradescope.

    Upload it under Configure Autograder. It grades every upload. Students see at once what was read; --show says when
    they see points and proofs.
    """
    from grader.packages.autograders import EXECUTABLE, gradescope_files, lab_files
    from grader.packages.students import zip_archive

    place, found = lab_called(lab)
    target = out or Path(f"{found.id}-gradescope.zip")
    there = {path.name: path.read_bytes() for path in sorted(wheels.glob("*.whl"))} if wheels else {}
    if wheels and not there:
        raise UnusableInputError(f"{wheels} holds no wheels; `pip download` writes them for an image's Python.")
    files = gradescope_files(lab_files(place), _settings(found, shown, lang), there)
    if target.exists():
        raise UnusableInputError(f"{target} is there already; name another file by --out.")
    _written(target.parent, {target.name: zip_archive(files, EXECUTABLE)}, empty=False)
    told_next(
        f"upload {quote_path(target)} in Gradescope under Configure Autograder, with "
        f"{found.max_score.normalize():f} points and a base image with Python 3.11 or newer (Ubuntu 24.04)."
    )


@package_group.command("prairielearn")
@LAB
@OUT
@LANG
@click.option("--registry", default="", metavar="NAME", help="Registry of the image, for example ghcr.io/my-course.")
def prairielearn(lab: str, out: Path | None, lang: str | None, registry: str) -> None:
    """Build a question for PrairieLearn.

    The question is graded outside; the image is built from a folder that is written, too.
    """
    from grader.packages.autograders import lab_files, prairielearn_files

    place, found = lab_called(lab)
    folder = out or Path(f"{found.id}-prairielearn")
    _written(folder, prairielearn_files(found, lab_files(place), _settings(found, "visible", lang), registry))
    questions = quote_path(folder / "questions")
    told_next(f"build and push the image (image/Dockerfile says how), then copy {questions} into your course.")


@package_group.command("github")
@LAB
@OUT
def github(lab: str, out: Path | None) -> None:
    """Build workflows for GitHub Classroom.

    One workflow shows students, in their repositories, what was read. The other one grades all repositories, in a
    private repository. Only the folder `template` may be seen by students; the folder `course` holds the truth.
    """
    from grader.packages.autograders import github_files, lab_files

    place, found = lab_called(lab)
    folder = out or Path(f"{found.id}-github")
    _written(folder, github_files(found, lab_files(place)))
    told_next(
        f"put what is in {folder}/template into the assignment's template repository, and what is in {folder}/course "
        "into a private one that has a secret COURSE_TOKEN."
    )


def _settings(lab: "Lab", shown: str, lang: str | None) -> "Settings":
    from grader.message import LanguageError, language_of
    from grader.packages.autograders import Settings

    with refuse_on(LanguageError):
        code = language_of(lang or lab.language).code
    return Settings.model_validate({"language": code, "visibility": shown})


def _written(folder: Path, files: Mapping[str, bytes], *, empty: bool = True) -> None:
    from grader.pipeline.outputs import write_atomically

    try:
        if empty and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UnusableInputError(f"{folder} is there and is not empty; name a new folder by --out.")
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / path, content)
    except OSError as error:
        raise UnusableInputError(f"cannot write to {error.filename or folder}: {error.strerror}.") from error
    click.echo(f"{len(files)} files are in {folder}." if empty else f"written: {folder / next(iter(files))}")
