"""`grade reader qualify`: what a reader may do, measured on a lab's labelled examples."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import quoted, told_next

if TYPE_CHECKING:
    from grader.lab.definition import Lab
    from grader.lab.scorer import Scorer
    from grader.reader.qualifying import Labelled, Scorers
    from grader.reader.readers import Reader, Recordings


@click.group("reader")
def reader_command() -> None:
    """Look after a language model that reads hand-ins."""


@reader_command.command("qualify")
@click.option("--reader", required=True, metavar="READER", help="Such as openai:http://localhost:11434/v1#qwen3.")
@click.option("--lab", default="nlp-frameworks", show_default=True, help="A shipped lab's name, or its folder.")
@click.option("--examples", type=click.Path(path_type=Path), help="A folder.  [default: the lab's]")
@click.option("--card", type=click.Path(path_type=Path), help="Where the card goes.  [default: to the lab]")
@click.option("--reader-jobs", type=click.IntRange(1, 64), default=8, show_default=True, help="Requests at a time.")
@click.option("--allow-upload", is_flag=True, help="Let the reader send the examples to another machine.")
def qualify_command(
    reader: str, lab: str, examples: Path | None, card: Path | None, reader_jobs: int, allow_upload: bool
) -> None:
    """Have a reader read the labelled examples of a lab, and write its card.

    The card says how often what it states is right, how much it finds, and so what it may do: what falls short of the
    lab's risk only suggests. Labels of definitions are measured beside models of short answers that have not seen the
    example; that needs scikit-learn: pip install 'lab-grader[train]'.
    """
    from grader.cli.options import reader_of, risk_of
    from grader.cli.preparation import UnusableInputError
    from grader.lab.files import LabError, lab_folder, load_lab
    from grader.reader.card import FOLDER, card_path, earned
    from grader.reader.qualifying import EXAMPLES, ExamplesError, dumped, labelled, shown
    from grader.reader.qualifying import card as card_of
    from grader.reader.request import instruction_hash

    try:
        folder = lab_folder(lab)
        loaded = load_lab(folder)
        some = labelled(examples or folder / FOLDER / EXAMPLES)
    except (LabError, ExamplesError) as error:
        raise UnusableInputError(str(error)) from error
    chosen = reader_of(reader, allow_upload=allow_upload)
    answers = _answers(chosen, some, loaded, reader_jobs)
    found = card_of(chosen.name, instruction_hash(loaded), answers, some, loaded, _scorers(loaded, folder, some))
    may = earned(found, risk_of(loaded))
    totals = {
        "decides alone by": may.facts,
        "nothing is there where it states nothing on": may.absences,
        "labels count beside the model of short answers": may.labels,
    }
    for line in shown(found, totals):
        click.echo(line)
    place = card or card_path(folder, chosen.name)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(dumped(found))
    except OSError as error:
        raise UnusableInputError(f"{place} cannot be written ({error.strerror}); name another by --card.") from error
    click.echo(f"The card is in {place}.")
    own = f" --reader-card {quoted(card)}" if card else ""
    told_next(f"grade PATH --lab {quoted(lab)} --reader {quoted(reader)}{own}")


def _answers(
    reader: "Recordings | Reader", some: "Sequence[Labelled]", lab: "Lab", at_once: int
) -> dict[str, tuple[str, ...] | None]:
    from grader.pipeline.asking import answers_about
    from grader.reader.readers import ReaderError, Recordings

    def recorded(folder: "Recordings", name: str) -> "tuple[str, ...] | ReaderError":
        try:
            return (folder.answer_of(name),)
        except ReaderError as error:
            return error

    if isinstance(reader, Recordings):
        found = [recorded(reader, one.id) for one in some]
    else:
        found = answers_about([one.lines for one in some], lab, reader, at_once)
    for one, answer in zip(some, found, strict=True):
        if isinstance(answer, ReaderError):
            click.echo(f"{one.id}: {answer}", err=True)
    return {
        one.id: None if isinstance(answer, ReaderError) else answer for one, answer in zip(some, found, strict=True)
    }


def _scorers(lab: "Lab", folder: Path, some: "Sequence[Labelled]") -> "Scorers":
    """Models of short answers, each trained without the examples of one source; none where training is impossible."""
    if lab.short_answers is None or lab.short_answers.like:
        return lambda _source: lab.short_answers.scorer() if lab.short_answers else None
    try:
        from grader.training.train import examples_of, train
    except ImportError:
        click.echo("Labels are not measured: pip install 'lab-grader[train]'.", err=True)
        return lambda _source: None
    settings: Any = lab.short_answers
    marked = examples_of(lab, folder)
    learned = {one.source for one in marked}
    known: dict[str, Scorer | None] = {}

    def of(source: str) -> "Scorer | None":
        from io import BytesIO

        import numpy as np

        from grader.lab.scorer import Scorer

        if source not in learned:
            return lab.short_answers.scorer() if lab.short_answers else None
        if source not in known:
            done = train([one for one in marked if one.source != source], lab, settings)
            with np.load(BytesIO(done.model), allow_pickle=False) as data:
                known[source] = Scorer({name: data[name] for name in data.files})
        return known[source]

    return of
