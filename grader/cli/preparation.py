"""What the command line asks for, made ready for grading, and what can be wrong with it in words."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from grader.gradebook.keeper import Keeper
    from grader.gradebook.store import Run
    from grader.intake.submission import Source
    from grader.pipeline.order import Order


class UnusableInputError(click.ClickException):
    """What was asked for cannot be done at all; the exit status is that of a usage error."""

    exit_code = 2


@contextmanager
def explained(out: Path, *, debug: bool) -> Iterator[None]:
    """Errors of the staff's files and of the machine in words, or as they are for debugging."""
    from grader.gradebook import GradebookError
    from grader.intake import IntakeError
    from grader.lab.files import LabError
    from grader.message import LanguageError
    from grader.pipeline import ClusterError

    try:
        yield
    except (LabError, IntakeError, GradebookError, LanguageError, ClusterError) as error:
        if debug:
            raise
        raise UnusableInputError(str(error)) from error
    except BrokenPipeError:
        raise  # nobody reads on
    except OSError as error:
        if debug:
            raise
        raise UnusableInputError(f"cannot write to {error.filename or out}: {error.strerror or error}.") from error


def ordered(
    paths: tuple[Path, ...], out: Path, options: dict[str, Any], keeper: "Keeper | None" = None
) -> "tuple[Order, tuple[str, ...]]":
    """The hand-ins with the lab and the course around them, and what staff should be told. `keeper` knows what persons
    decided. Raises what `explained` explains."""
    from grader.intake.layouts import Layout, find_all_sources
    from grader.pipeline.blind import keep_apart, key_file

    keep_apart(out, anonymous=options["anonymous"])
    sources, refused = find_all_sources(paths, Layout(options["layout"]))
    order, notes = order_for(sources, out, options, key_file(out) if options["anonymous"] else None, keeper)
    if options["anonymous"] and refused:
        return order, (f"left out: {len(refused):,} files or folders (not named in blind grading)", *notes)
    left_out = (f"left out: {refusal.path}: {refusal.reason}" for refusal in refused)
    taken = _taken_for(paths, sources) if options["layout"] == Layout.AUTO else ()
    return order, (*taken, *left_out, *notes)


def _taken_for(paths: tuple[Path, ...], sources: "Sequence[Source]") -> "Iterator[str]":
    """What each folder or archive was taken for, and the option that changes it."""
    for path in paths:
        own = [one for one in sources if one.path == path or path in one.path.parents]
        if len(own) > 1:
            yield f"{path} was taken for a class of {len(own):,} hand-ins; --as student takes it for one student's."
        elif own and (path.is_dir() or path.suffix.lower() == ".zip"):
            yield f"{path} was taken for one student's hand-in; --as class takes it for a class."


def order_for(
    sources: "Sequence[Source]",
    out: Path,
    options: dict[str, Any],
    key: Path | None = None,
    keeper: "Keeper | None" = None,
) -> "tuple[Order, tuple[str, ...]]":
    """Some hand-ins with the lab and the course around them, and what staff should be told. `key` is where pseudonyms
    are kept, for blind grading. Raises what `explained` explains."""
    from grader.lab.files import lab_folder, load_lab, load_truth
    from grader.message import language_of
    from grader.pipeline.course import Attempt, Given, nothing_answered, nothing_recorded, prepare
    from grader.pipeline.order import Order
    from grader.report.resources import Presentation

    folder = lab_folder(options["lab"])
    lab, truth = load_lab(folder), load_truth(folder)
    given = {**options, "attempt": Attempt(options["attempt"]), "grace_minutes": options["grace"], "key": key}
    given["recorded"] = keeper.decided if keeper else nothing_recorded
    given["answered"] = keeper.answered if keeper else nothing_answered
    course = prepare(sources, lab, Given(**{field: given[field] for field in Given._fields}), out)
    order = Order(
        sources=course.sources,
        lab=lab,
        truth=truth,
        with_reports=not options["no_reports"],
        with_readings=not options["no_readings"],
        circumstances=course.circumstances,
        missing=course.missing,
        presentation=Presentation(
            language=language_of(options["lang"] or lab.language).code, templates=options["templates"]
        ),
        debug=options["debug"],
    )
    return order, course.notes


def remembered(paths: tuple[Path, ...], options: dict[str, Any]) -> dict[str, object]:
    """The options that the gradebook lists with a run; paths are absolute, so that they hold from any folder. A path
    may tell a name, so blind grading leaves those of the hand-ins out."""
    given: dict[str, object] = {name: _kept(value) for name, value in options.items() if value not in (None, False)}
    lab = Path(str(given.get("lab", "")))
    if (lab / "lab.toml").is_file():
        given["lab"] = str(lab.absolute())
    return given if options["anonymous"] else {"paths": [str(path.absolute()) for path in paths], **given}


def _kept(value: object) -> str:
    return str(value.absolute() if isinstance(value, Path) else value)


def lab_that_graded(graded: Path, lab: str, named: str | None, run: "Run | None") -> Path:
    """The folder of the lab with an id by which results in a folder were graded: the one that was named, else the one
    that the last run remembers, else a shipped one of that id. Raises UnusableInputError."""
    from grader.lab.files import LabError, lab_folder, load_lab

    recorded = str(run.options.get("lab", "")) if run else ""
    for name in dict.fromkeys(one for one in (named, recorded, lab) if one):
        for beside in (Path(), graded.absolute().parent):
            try:
                folder = lab_folder(name, beside=beside)
                found = load_lab(folder).id
            except LabError:
                if name == named and beside != Path():
                    raise
                continue
            if found == lab:
                return folder
            if name == named:
                raise UnusableInputError(f"{graded}: graded by {lab}, not by {found}; name that lab with --lab.")
    raise UnusableInputError(
        f"{graded}: graded by {lab}, which is no lab that ships, and its folder is not where it was"
        f"{f' ({recorded})' if recorded else ''}; name it with --lab FOLDER."
    )
