"""Options shared by several verbs, the order for grading that they come to, with errors as messages, and commands that
people can copy and run as printed.
"""

import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from grader.gradebook.keeper import Keeper
    from grader.gradebook.store import Run
    from grader.intake.places import StoreFolder
    from grader.intake.submission import Source
    from grader.lab.definition import Lab
    from grader.pipeline.asking import Consulting
    from grader.pipeline.order import Order
    from grader.reader.card import Card
    from grader.reader.readers import Reader, Recordings


FILE = click.Path(path_type=Path)
LAB = click.option(
    "--lab",
    default="nlp-frameworks",
    show_default=True,
    help="The lab: the name of a shipped one, or a folder with a lab.toml.",
)
LAB_OF_RESULTS = click.option("--lab", metavar="NAME|FOLDER", help="The lab.  [default: the lab that graded them]")
GRADEBOOK_OF_RESULTS = click.option(
    "--gradebook", metavar="URL", help="The gradebook: a file, or a SQLAlchemy URL.  [default: the file in GRADED]"
)
DEBUG = click.option("--debug", is_flag=True, help="Show a traceback when an error occurs.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class UnusableInputError(click.ClickException):
    """The request cannot be carried out at all; the exit status is that of a usage error."""

    exit_code = 2


@contextmanager
def refuse_on(*errors: type[Exception]) -> Iterator[None]:
    """Turn these errors into the message that the request cannot be carried out."""
    try:
        yield
    except errors as error:
        raise UnusableInputError(str(error)) from error


_SECTIONS: Final = {
    "Input": ("lab", "submissions", "layout", "roster", "no_groups", "times", "tests", "attempt", "from_readings"),
    "Policy": ("deadline", "timezone", "grace", "extensions", "anonymous", "overrides"),
    "Output": (
        *("out", "no_reports", "all_reports", "reports", "no_readings", "lang", "templates", "gradebook"),
        *("dry_run", "as_json"),
    ),
    "Reading by a language model": ("reader", "reader_card", "reader_jobs", "reader_tokens", "allow_upload"),
    "Running": ("only", "sample", "seed", "jobs", "cluster", "again", "debug"),
}
"""The options of verbs that grade, by the heading of the help under which they stand."""


class SectionedCommand(click.Command):
    """A command whose help lists its options under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See click."""
        records = {option.name: option.get_help_record(ctx) for option in self.get_params(ctx)}
        for title, names in _SECTIONS.items():
            if rows := [record for name in names if (record := records.get(name))]:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Location(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic in click's newest versions only
    """A path on this machine, or the URL of a store as text; `file://` is a path."""

    name = "location"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        """See click."""
        if not isinstance(value, str) or "://" not in value:
            return Path(value)
        return Path(value.removeprefix("file://")) if value.startswith("file://") else value


Command = Callable[..., Any]


def combine_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A decorator that gives a command some options, in this order."""

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


course_options = combine_options(
    click.option("--roster", type=FILE, help="CSV file of the students: ids, e-mail addresses, names, groups."),
    click.option("--no-groups", is_flag=True, help="Grade each student alone, even if the roster has groups."),
    click.option("--deadline", metavar="TIME", help="When submissions are due, for example 2023-11-21T23:59+01:00."),
    click.option("--timezone", metavar="ZONE", help="Time zone of times that have none, for example Europe/Paris."),
    click.option(
        "--grace", type=click.FloatRange(0), metavar="MINUTES", help="Minutes after the deadline that cost nothing."
    ),
    click.option("--times", type=FILE, help="CSV file of submission times, for example Moodle's worksheet."),
    click.option(
        "--tests", multiple=True, metavar="TOOL:PATH", help="Test results of otter, nbgrader, gradescope or pytest."
    ),
    click.option("--extensions", type=FILE, help="CSV or TOML file of students with a later deadline."),
    click.option(
        "--attempt",
        default="last",
        show_default=True,
        type=click.Choice(["last", "first", "latest"]),
        help="Which attempt counts: the last one before the deadline, the first, or the latest of all.",
    ),
    click.option(
        "--anonymous", is_flag=True, help="Grade blind: results carry pseudonyms, and the key is written beside --out."
    ),
    click.option("--overrides", type=FILE, help="TOML file of overrides.  [default: overrides.toml in --out]"),
)
"""The options about the course."""

_GRADEBOOK = click.option(
    "--gradebook", metavar="URL", help="The gradebook: a file, or a SQLAlchemy URL.  [default: a file in --out]"
)
_OUT = click.option(
    "--out", default="graded", show_default=True, type=click.Path(path_type=Path), help="The folder of results."
)
_AGAIN = click.option("--again", is_flag=True, help="Grade unchanged submissions again, too.")


keeping_options = combine_options(_GRADEBOOK, _AGAIN)
"""The options of a verb that grades, passed as `gradebook` and `again`."""
asking_options = combine_options(_OUT, _GRADEBOOK, JSON)
"""The options of a verb that queries the gradebook, passed as `out`, `gradebook` and `as_json`."""


def place(gradebook: str | None, out: Path) -> Path | str:
    """The location of the gradebook: a file, or a URL."""
    from grader.gradebook.store import FILE

    if gradebook is None:
        return out / FILE
    file = gradebook.removeprefix("sqlite:///") if not gradebook.endswith(":memory:") else gradebook
    return file if "://" in file else Path(file)


def _tried(context: click.Context, parameter: click.Parameter, templates: Path | None) -> Path | None:
    """The templates folder, once a report of made-up results was rendered with it."""
    if templates is None or context.resilient_parsing:
        return templates
    from grader.report.own_templates import TemplatesError, check_templates
    from grader.report.resources import Presentation

    with refuse_on(TemplatesError):
        check_templates(Presentation(templates=templates))
    return templates


presentation_options = combine_options(
    click.option(
        "--lang", metavar="LANGUAGE", help="Language of the reports, en or fr.  [default: the lab's language]"
    ),
    click.option(
        "--templates",
        type=click.Path(path_type=Path, exists=True, file_okay=False, resolve_path=True),
        callback=_tried,
        help="Folder of templates that replace those of the same name.",
    ),
)
"""The options passed as `lang` and `templates`; the templates are tested first."""


_CACHE = ".reader"

reader_options = combine_options(
    click.option("--reader", metavar="READER", help="A language model that extracts what texts state: "
                 "openai:URL#MODEL, transformers:FOLDER or recordings:FOLDER.  [default: none]"),
    click.option("--reader-card", metavar="FILE", type=click.Path(path_type=Path),
                 help="The reader's measured error rates, written by `grade lab qualify`.  "
                 "[default: the lab's card for this reader]"),
    click.option("--reader-jobs", type=click.IntRange(1, 64), default=8, show_default=True,
                 help="Maximum number of concurrent requests."),
    click.option("--reader-tokens", type=click.IntRange(0), default=0, metavar="N",
                 help="Stop asking after this many tokens.  [default: no limit]"),
    click.option("--allow-upload", is_flag=True, help="Allow texts to be sent to another machine."),
)  # fmt: skip
"""The options about the reader."""


def reader_of(spec: str, *, allow_upload: bool) -> "Recordings | Reader":
    """The reader of a specification. Raises UnusableInputError, also if texts would leave this machine without
    `allow_upload`."""
    from grader.reader.readers import ReaderChoiceError, Recordings, choose_reader

    with refuse_on(ReaderChoiceError):
        reader = choose_reader(spec)
    leaves = None if isinstance(reader, Recordings) else reader.leaves
    if leaves and not allow_upload:
        raise UnusableInputError(
            f"--reader would send the texts of submissions to {leaves}, which is another machine. Add --allow-upload "
            "if that is allowed; names, e-mail addresses and home folders are cut from the texts first."
        )
    return reader


def consulting(options: dict[str, Any], out: Path, lab: "Lab") -> "tuple[Consulting | None, tuple[str, ...]]":
    """The reader named by the options with its permissions, and notes for staff. Raises UnusableInputError."""
    if not options["reader"]:
        return None, ()
    from grader.pipeline.asking import Consulting
    from grader.reader.card import CardError, rights_of
    from grader.reader.readers import Recordings

    reader = reader_of(options["reader"], allow_upload=options["allow_upload"])
    try:
        card = _card(options["reader_card"], reader, lab, options["lab"])
    except CardError as error:
        raise UnusableInputError(f"--reader-card: {error}") from error
    may = rights_of(card, risk_of(lab))
    found = Consulting(
        reader=reader,
        earned=may,
        cache=None if isinstance(reader, Recordings) else out / _CACHE,
        at_once=options["reader_jobs"],
        most_tokens=options["reader_tokens"],
    )
    return found, tuple(_notes(reader, card))


def risk_of(lab: "Lab") -> float:
    """The share of wrong verdicts that a lab allows."""
    from grader.lab.short_answers import ShortAnswers

    return (lab.short_answers or ShortAnswers()).risk


def _card(given: Path | None, reader: "Recordings | Reader", lab: "Lab", named: str) -> "Card | None":
    from grader.lab.files import lab_folder
    from grader.reader.card import CardError, card_path, read_card
    from grader.reader.readers import Recordings

    if given is not None:
        card = read_card(given)
        if card is None:
            raise CardError(f"{given} is not there; `grade lab qualify` writes it.")
        return card
    if isinstance(reader, Recordings) and (recorded_card := read_card(reader.folder / "card.json")):
        return recorded_card
    return read_card(card_path(lab_folder(named), reader.name))


def _notes(reader: "Recordings | Reader", card: "Card | None") -> Iterator[str]:
    from grader.reader.readers import Recordings

    if not isinstance(reader, Recordings) and reader.leaves:
        yield (
            f"The texts of submissions are sent to {reader.leaves}: their lines as they were read, without names, "
            "e-mail addresses and home folders; no files, no pictures."
        )
    if card is None:
        yield (
            f"The reader {reader.name} has no card: its word alone decides nothing that the checks do not prove. "
            "`grade lab qualify` measures it."
        )


def commands(folder: Path) -> tuple[str, ...]:
    """The next commands for a new lab: install its checks, validate it, grade an answer with it."""
    lab = shlex.quote(str(folder))
    answer = shlex.quote(str(folder / "answers" / "right"))
    # `grade` alone, if the one on the path belongs to the same environment.
    found = shutil.which("grade")
    if found and Path(found).absolute().parent == Path(sys.executable).absolute().parent:
        grade = "grade"
    else:
        beside = Path(sys.executable).with_name("grade")
        grade = shlex.quote(str(beside)) if beside.is_file() else f"{_python()} -m grader"
    # pip takes a bare name for a package, so the path begins with a dot.
    text = folder.as_posix()
    local = shlex.quote(text if "/" in text else f"./{text}")
    return (
        f"{_python()} -m pip install -e {local}",
        f"{grade} lab check {lab}",
        f"{grade} {answer} --lab {lab} --out graded",
    )


def _python() -> str:
    """The command of the running Python: a short name if that starts it, else its path."""
    for name in ("python", "python3"):
        found = shutil.which(name)
        if found and Path(found).absolute() == Path(sys.executable).absolute():
            return name
    return shlex.quote(sys.executable)


def lab_called(name: str) -> "tuple[Path, Lab]":
    """A shipped lab, or the one in a folder, with its folder. Raises UnusableInputError, also when it is not ready."""
    from grader.lab.files import LabError, lab_folder
    from grader.pipeline.soundness import sound_lab

    with refuse_on(LabError):
        folder = lab_folder(name)
        lab, _ = sound_lab(folder)
    return folder, lab


def sound(context: click.Context, parameter: click.Parameter, lab: str | None) -> str | None:
    """The name given by `--lab` to a command that students may run, once the lab is found to be sound. What students
    have of a lab holds no truth."""
    from grader.lab.files import TRUTH, LabError, lab_folder
    from grader.pipeline.soundness import sound_lab

    with refuse_on(LabError):
        if lab is not None and not context.resilient_parsing and (lab_folder(lab) / TRUTH).is_file():
            sound_lab(lab_folder(lab))
    return lab


def as_json(data: object) -> str:
    """Data as people and programs read it."""
    import json

    return json.dumps(data, indent=2, ensure_ascii=False)


def note(*notes: str) -> None:
    """Prints what staff should know to standard error."""
    for message in notes:
        click.echo(message, err=True)


def told_next(*steps: str, others: str = "or") -> None:
    """Prints the next steps, as commands that work as printed or in words, to standard error, since standard output may
    go into a file or another program. `others` is the word that joins further steps to the first."""
    started = Path(sys.argv[0])
    found = shutil.which("grade")
    is_ours = started.name == "grade" and started.is_file()
    for number, step in enumerate(steps):
        word = "Next:" if not number else f"{others}:".rjust(len("Next:"))
        # Where a shell would not find our command by its bare name, by that which started this: `.venv/bin/grade`.
        if step.startswith("grade ") and is_ours and not (found and Path(found).samefile(started)):
            step = f"{shlex.quote(str(started))}{step.removeprefix('grade')}"
        note(f"{word} {step}")


_MOST_NAMED = 12


def earlier_notes(some: "Iterable[tuple[str, Sequence[str]]]") -> "Iterator[str]":
    """A line for each student with decisions that were made about another answer, given with their items."""
    for student, items in some:
        if items:
            named = ", ".join(items[:_MOST_NAMED]) + (" …" if len(items) > _MOST_NAMED else "")
            number = "1 decision was" if len(items) == 1 else f"{len(items)} decisions were"
            yield (
                f"{student}: {number} about another answer than the present one, so a person has to look again: {named}"
            )


def quote_path(path: object) -> str:
    """A path quoted for a shell."""
    return shlex.quote(str(path))


@contextmanager
def explain_errors(out: Path | str, *, debug: bool) -> Iterator[None]:
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


def order_from_paths(
    paths: "tuple[Path | str, ...]", out: Path, options: dict[str, Any], keeper: "Keeper | None" = None
) -> "tuple[Order, tuple[str, ...]]":
    """The order to grade the hand-ins at some paths or URLs, and notes for staff. `keeper` provides persons' decisions.
    Raises the errors that `explain_errors` handles."""
    from grader.intake import IntakeError
    from grader.intake.layouts import Layout, find_all_sources
    from grader.intake.store import listing
    from grader.pipeline.blind import keep_apart, key_file
    from grader.pipeline.cage import temporary_folder

    keep_apart(out, anonymous=options["anonymous"])
    # A new folder of this process stands for each store.
    listings = {
        path: listing(path, Path(tempfile.mkdtemp(dir=temporary_folder()))) for path in paths if isinstance(path, str)
    }
    places = tuple(listings[path].place if isinstance(path, str) else path for path in paths)
    try:
        sources, refused = find_all_sources(places, Layout(options["layout"]))
    except IntakeError as error:
        message = str(error)
        for store_listing in listings.values():
            message = message.replace(str(store_listing.store.root), store_listing.store.url)
        raise IntakeError(message) from error
    key = key_file(out) if options["anonymous"] else None
    order, notes = order_for(sources, out, options, key, keeper, as_found=True)
    order = replace(order, listings=tuple(listings.values()))
    if options["anonymous"] and refused:
        return order, (f"left out: {len(refused):,} files or folders (not named in blind grading)", *notes)
    left_out = (f"left out: {refusal.path}: {refusal.reason}" for refusal in refused)
    taken = _interpretation_notes(paths, places, sources) if options["layout"] == Layout.AUTO else ()
    return order, (*taken, *left_out, *notes)


def _interpretation_notes(
    paths: "Sequence[Path | str]", places: "Sequence[Path | StoreFolder]", sources: "Sequence[Source]"
) -> "Iterator[str]":
    """Notes on how each folder or archive was interpreted, and the option that changes it."""
    for called, place in zip(paths, places, strict=True):
        path = place if isinstance(place, Path) else place.path
        place_sources = [source for source in sources if source.path == path or path in source.path.parents]
        if len(place_sources) > 1:
            yield f"{called} is graded as a class of {len(place_sources):,} submissions; --as student grades it as one."
        elif place_sources and (path.is_dir() or path.suffix.lower() == ".zip"):
            yield f"{called} is graded as one student's submission; --as class grades it as a class."


def order_for(
    sources: "Sequence[Source]",
    out: Path,
    options: dict[str, Any],
    key: Path | None = None,
    keeper: "Keeper | None" = None,
    *,
    as_found: bool = False,
) -> "tuple[Order, tuple[str, ...]]":
    """The order to grade some hand-ins, and notes for staff. `key` is the file of pseudonyms for blind grading. Those
    that are `as_found` get the ids that they had before. Raises the errors that `explain_errors` handles."""
    from grader.lab.files import lab_folder
    from grader.message import language_of
    from grader.pipeline.course import Attempt, CourseOptions, prepare
    from grader.pipeline.order import Order
    from grader.pipeline.soundness import sound_lab
    from grader.report.resources import Presentation

    lab, truth = sound_lab(lab_folder(options["lab"]))
    given = {**options, "attempt": Attempt(options["attempt"]), "grace_minutes": options["grace"], "key": key}
    given["groups"] = not options.get("no_groups")
    if keeper:
        given |= {"recorded": keeper.decisions_for, "answered": keeper.answers_for, "bound": keeper.bindings_for}
        given |= {"names": keeper.names} if as_found else {}
    course = prepare(
        sources, lab, CourseOptions(**{field: given[field] for field in CourseOptions._fields if field in given}), out
    )
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


def stored_options(paths: "tuple[Path | str, ...]", options: dict[str, Any]) -> dict[str, object]:
    """The options stored with a run in the gradebook; paths are absolute. A path may contain a name, so blind grading
    leaves out the paths of the hand-ins."""
    given: dict[str, object] = {name: _kept(value) for name, value in options.items() if value not in (None, False, ())}
    lab = Path(str(given.get("lab", "")))
    if (lab / "lab.toml").is_file():
        given["lab"] = str(lab.absolute())
    return given if options["anonymous"] else {"paths": [_kept(path) for path in paths], **given}


def _kept(value: object) -> object:
    if isinstance(value, tuple):
        return [_kept(entry) for entry in value]
    return str(value.absolute() if isinstance(value, Path) else value)


def lab_that_graded(graded: Path, lab: str, named: str | None, run: "Run | None") -> Path:
    """The folder of the lab that graded a folder of results, by its id: the one given, else the one stored with the
    last run, else a shipped lab. Raises UnusableInputError."""
    from grader.lab.files import LabError, lab_folder, load_lab
    from grader.pipeline.soundness import sound_lab

    recorded = str(run.options.get("lab", "")) if run else ""
    for name in dict.fromkeys(candidate for candidate in (named, recorded, lab) if candidate):
        for beside in (Path(), graded.absolute().parent):
            try:
                folder = lab_folder(name, beside=beside)
            except LabError:
                if name == named and beside != Path():
                    raise
                continue
            try:
                found = load_lab(folder).id
            except LabError:
                sound_lab(folder)  # tells all that is wrong with it
                raise
            if found == lab:
                return folder
            if name == named:
                raise UnusableInputError(f"{graded}: graded by {lab}, not by {found}; name that lab with --lab.")
    raise UnusableInputError(
        f"{graded}: graded by {lab}, which is no lab that ships, and its folder is not where it was"
        f"{f' ({recorded})' if recorded else ''}; name it with --lab FOLDER."
    )
