"""Options shared by several verbs, and commands that people can copy and run as printed."""

import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from grader.lab.definition import Lab
    from grader.pipeline.asking import Consulting
    from grader.reader.card import Card
    from grader.reader.readers import Reader, Recordings

FILE = click.Path(path_type=Path)
LAB = click.option(
    "--lab", default="nlp-frameworks", show_default=True, help="A shipped lab's name, or a folder with lab.toml."
)
LAB_OF_RESULTS = click.option("--lab", metavar="NAME|FOLDER", help="[default: the one they were graded by]")
GRADEBOOK_OF_RESULTS = click.option(
    "--gradebook", metavar="URL", help="A file, or a database by its SQLAlchemy URL.  [default: in GRADED]"
)
DEBUG = click.option("--debug", is_flag=True, help="Show where in the program an error happened.")
JSON = click.option("--json", "as_json", is_flag=True, help="For programs.")


class UnusableInputError(click.ClickException):
    """The request cannot be carried out at all; the exit status is that of a usage error."""

    exit_code = 2


class Location(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic in click's newest versions only
    """A path on this machine, or the URL of a store as text; `file://` is a path."""

    name = "location"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        """See click."""
        if not isinstance(value, str) or "://" not in value:
            return Path(value)
        return Path(value.removeprefix("file://")) if value.startswith("file://") else value


Command = Callable[..., Any]


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A decorator that gives a command some options, in this order."""

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


course_options = together(
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
"""The options about the course."""

_GRADEBOOK = click.option(
    "--gradebook", metavar="URL", help="A file, or a database by its SQLAlchemy URL.  [default: a file in --out]"
)
_OUT = click.option(
    "--out", default="graded", show_default=True, type=click.Path(path_type=Path), help="Where grades are."
)
_AGAIN = click.option("--again", is_flag=True, help="Grade also what is unchanged since it was graded.")


keeping_options = together(_GRADEBOOK, _AGAIN)
"""The options of a verb that grades, passed as `gradebook` and `again`."""
asking_options = together(_OUT, _GRADEBOOK, JSON)
"""The options of a verb that queries the gradebook, passed as `out`, `gradebook` and `as_json`."""


def place(gradebook: str | None, out: Path) -> Path | str:
    """The location of the gradebook: a file, or a URL."""
    from grader.gradebook.database import FILE

    if gradebook is None:
        return out / FILE
    return gradebook if "://" in gradebook else Path(gradebook)


def _tried(context: click.Context, parameter: click.Parameter, templates: Path | None) -> Path | None:
    """The templates folder, after a test that reports can be made with it, before anything is graded."""
    if templates is None or context.resilient_parsing:
        return templates
    from grader.report.own_templates import TemplatesError, check_templates
    from grader.report.resources import Presentation

    try:
        check_templates(Presentation(templates=templates))
    except TemplatesError as error:
        raise UnusableInputError(str(error)) from error
    return templates


presentation_options = together(
    click.option("--lang", metavar="LANGUAGE", help="Language of the reports: en or fr.  [default: the lab's]"),
    click.option(
        "--templates",
        type=click.Path(path_type=Path, exists=True, file_okay=False, resolve_path=True),
        callback=_tried,
        help="A folder whose files stand in for the project's own templates.",
    ),
)
"""The options passed as `lang` and `templates`; the templates are tested first."""


_CACHE = ".reader"

reader_options = together(
    click.option("--reader", metavar="READER", help="A language model that writes down what the texts state: "
                 "openai:URL#MODEL, transformers:FOLDER or recordings:FOLDER.  [default: none]"),
    click.option("--reader-card", metavar="FILE", type=click.Path(path_type=Path),
                 help="What it may do, as `grade reader qualify` measured.  [default: the lab's card of it]"),
    click.option("--reader-jobs", type=click.IntRange(1, 64), default=8, show_default=True,
                 help="Requests that wait for an answer at a time."),
    click.option("--reader-tokens", type=click.IntRange(0), default=0, metavar="N",
                 help="Ask no more once all answers have cost so many.  [default: any number]"),
    click.option("--allow-upload", is_flag=True, help="Let the reader send texts to another machine."),
)  # fmt: skip
"""The options about the reader."""


def reader_of(spec: str, *, allow_upload: bool) -> "Recordings | Reader":
    """The reader of a specification. Raises UnusableInputError, also if texts would leave this machine without
    `allow_upload`."""
    from grader.reader.readers import ReaderChoiceError, Recordings, chosen

    try:
        reader = chosen(spec)
    except ReaderChoiceError as error:
        raise UnusableInputError(str(error)) from error
    leaves = None if isinstance(reader, Recordings) else reader.leaves
    if leaves and not allow_upload:
        raise UnusableInputError(
            f"--reader would send the texts of the hand-ins to {leaves}, which is another machine. Add --allow-upload "
            "if that is allowed; names, e-mail addresses and home folders are cut from the texts first."
        )
    return reader


def consulting(options: dict[str, Any], out: Path, lab: "Lab") -> "tuple[Consulting | None, tuple[str, ...]]":
    """The reader named by the options with its permissions, and notes for staff. Raises UnusableInputError."""
    if not options["reader"]:
        return None, ()
    from grader.pipeline.asking import Consulting
    from grader.reader.card import CardError, earned
    from grader.reader.readers import Recordings

    reader = reader_of(options["reader"], allow_upload=options["allow_upload"])
    try:
        card = _card(options["reader_card"], reader, lab, options["lab"])
    except CardError as error:
        raise UnusableInputError(f"--reader-card: {error}") from error
    may = earned(card, risk_of(lab))
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
            raise CardError(f"{given} is not there; `grade reader qualify` writes it.")
        return card
    if isinstance(reader, Recordings) and (own := read_card(reader.folder / "card.json")):
        return own
    return read_card(card_path(lab_folder(named), reader.name))


def _notes(reader: "Recordings | Reader", card: "Card | None") -> Iterator[str]:
    from grader.reader.readers import Recordings

    if not isinstance(reader, Recordings) and reader.leaves:
        yield (
            f"The texts of the hand-ins are sent to {reader.leaves}: their lines as they were read, without names, "
            "e-mail addresses and home folders; no files, no pictures."
        )
    if card is None:
        yield (
            f"The reader {reader.name} has no card: its word alone decides nothing that the checks do not prove. "
            "`grade reader qualify` measures it."
        )


def commands(folder: Path) -> tuple[str, ...]:
    """The next commands for a new lab: install its checks, validate it, grade an answer with it."""
    lab = shlex.quote(str(folder))
    answer = shlex.quote(str(folder / "answers" / "right"))
    grade = _grade()
    return (
        f"{_python()} -m pip install -e {_local(folder)}",
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


def _grade() -> str:
    """The command of the running grader: `grade` if the one on the path belongs to the same environment."""
    found = shutil.which("grade")
    if found and Path(found).absolute().parent == Path(sys.executable).absolute().parent:
        return "grade"
    beside = Path(sys.executable).with_name("grade")
    return shlex.quote(str(beside)) if beside.is_file() else f"{_python()} -m grader"


def _local(folder: Path) -> str:
    """A path in a form that pip does not mistake for a package name."""
    text = folder.as_posix()
    return shlex.quote(text if "/" in text else f"./{text}")


def told_next(*steps: str, others: str = "or") -> None:
    """Prints the next steps, as commands that work as printed or in words, to standard error, since standard output may
    go into a file or another program. `others` is the word that joins further steps to the first."""
    for number, step in enumerate(steps):
        word = "Next:" if not number else f"{others}:".rjust(len("Next:"))
        click.echo(f"{word} {_as_started(step)}", err=True)


def quoted(path: object) -> str:
    """A path quoted for a shell."""
    return shlex.quote(str(path))


def _as_started(step: str) -> str:
    """A step that begins with our command. If a shell would not find the bare name, it is replaced by the name that
    started this process: `.venv/bin/grade`."""
    started = Path(sys.argv[0])
    found = shutil.which("grade")
    is_ours = started.name == "grade" and started.is_file()
    if not step.startswith("grade ") or not is_ours or (found and Path(found).samefile(started)):
        return step
    return f"{shlex.quote(str(started))}{step.removeprefix('grade')}"
