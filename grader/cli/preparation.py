"""Turns the command line's arguments into an order for grading, and errors into messages."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.cli.options import UnusableInputError

if TYPE_CHECKING:
    from grader.gradebook.keeper import Keeper
    from grader.gradebook.store import Run
    from grader.intake.places import StoreFolder
    from grader.intake.store import Listing
    from grader.intake.submission import Source
    from grader.pipeline.order import Order


@contextmanager
def explained(out: Path | str, *, debug: bool) -> Iterator[None]:
    """Turns errors in the staff's files and of the machine into messages, or keeps tracebacks for debugging."""
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
        raise  # the reader of our output has closed the pipe
    except OSError as error:
        if debug:
            raise
        raise UnusableInputError(f"cannot write to {error.filename or out}: {error.strerror or error}.") from error


def ordered(
    paths: "tuple[Path | str, ...]", out: Path, options: dict[str, Any], keeper: "Keeper | None" = None
) -> "tuple[Order, tuple[str, ...]]":
    """The order to grade the hand-ins at some paths or URLs, and notes for staff. `keeper` provides persons' decisions.
    Raises the errors that `explained` handles."""
    from grader.intake.layouts import Layout, find_all_sources
    from grader.pipeline.blind import keep_apart, key_file

    keep_apart(out, anonymous=options["anonymous"])
    listings = {path: _listing(path) for path in paths if isinstance(path, str)}
    places = tuple(listings[path].place if isinstance(path, str) else path for path in paths)
    with _by_their_urls(listings.values()):
        sources, refused = find_all_sources(places, Layout(options["layout"]))
    order, notes = order_for(sources, out, options, key_file(out) if options["anonymous"] else None, keeper)
    order = replace(order, listings=tuple(listings.values()))
    if options["anonymous"] and refused:
        return order, (f"left out: {len(refused):,} files or folders (not named in blind grading)", *notes)
    left_out = (f"left out: {refusal.path}: {refusal.reason}" for refusal in refused)
    taken = _interpretation_notes(paths, places, sources) if options["layout"] == Layout.AUTO else ()
    return order, (*taken, *left_out, *notes)


def _listing(url: str) -> "Listing":
    """What lies in a store, which a new folder of this process stands for."""
    from grader.intake.store import listing
    from grader.pipeline.cage import temporary_folder

    return listing(url, Path(tempfile.mkdtemp(dir=temporary_folder())))


@contextmanager
def _by_their_urls(listings: "Iterable[Listing]") -> Iterator[None]:
    """Errors that name the URL, not the path that stands for it."""
    from grader.intake import IntakeError

    try:
        yield
    except IntakeError as error:
        told = str(error)
        for one in listings:
            told = told.replace(str(one.store.root), one.store.url)
        raise IntakeError(told) from error


def _interpretation_notes(
    paths: "Sequence[Path | str]", places: "Sequence[Path | StoreFolder]", sources: "Sequence[Source]"
) -> "Iterator[str]":
    """Notes on how each folder or archive was interpreted, and the option that changes it."""
    for called, place in zip(paths, places, strict=True):
        path = place if isinstance(place, Path) else place.path
        own = [one for one in sources if one.path == path or path in one.path.parents]
        if len(own) > 1:
            yield f"{called} was taken for a class of {len(own):,} hand-ins; --as student takes it for one student's."
        elif own and (path.is_dir() or path.suffix.lower() == ".zip"):
            yield f"{called} was taken for one student's hand-in; --as class takes it for a class."


def order_for(
    sources: "Sequence[Source]",
    out: Path,
    options: dict[str, Any],
    key: Path | None = None,
    keeper: "Keeper | None" = None,
) -> "tuple[Order, tuple[str, ...]]":
    """The order to grade some hand-ins, and notes for staff. `key` is the file of pseudonyms for blind grading. Raises
    the errors that `explained` handles."""
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


def remembered(paths: "tuple[Path | str, ...]", options: dict[str, Any]) -> dict[str, object]:
    """The options stored with a run in the gradebook; paths are absolute. A path may contain a name, so blind grading
    leaves out the paths of the hand-ins."""
    given: dict[str, object] = {name: _kept(value) for name, value in options.items() if value not in (None, False)}
    lab = Path(str(given.get("lab", "")))
    if (lab / "lab.toml").is_file():
        given["lab"] = str(lab.absolute())
    return given if options["anonymous"] else {"paths": [_kept(path) for path in paths], **given}


def _kept(value: object) -> str:
    return str(value.absolute() if isinstance(value, Path) else value)


def lab_that_graded(graded: Path, lab: str, named: str | None, run: "Run | None") -> Path:
    """The folder of the lab that graded a folder of results, by its id: the one given, else the one stored with the
    last run, else a shipped lab. Raises UnusableInputError."""
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
