"""The options of `grade` that name a reader, and what they come to."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from grader.lab.definition import Lab
    from grader.pipeline.asking import Consulting
    from grader.reader.card import Card
    from grader.reader.readers import Reader, Recordings

Command = Callable[..., Any]
_CACHE = ".reader"

_OPTIONS = (
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


def reader_options(command: Command) -> Command:
    """The options, added to a command in this order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def reader_of(spec: str, *, allow_upload: bool) -> "Recordings | Reader":
    """The reader of a specification. Raises UnusableInputError, also where texts would leave this machine and that is
    not allowed."""
    from grader.cli.preparation import UnusableInputError
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
    """The reader that the options name and what it may do, and what staff should be told. Raises UnusableInputError."""
    if not options["reader"]:
        return None, ()
    from grader.cli.preparation import UnusableInputError
    from grader.pipeline.asking import Consulting
    from grader.reader.card import earned
    from grader.reader.cards import CardError
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
    from grader.reader.cards import CardError, card_path, read_card
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
