"""Begin, validate and train a lab, and measure a reader on its labelled examples. `grade truth …` is passed on to the
package that uses the real libraries.

Grading needs only the frozen truth, so nothing here imports that package: it is found through its entry point.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import (
    LAB,
    UnusableInputError,
    commands,
    note,
    quote_path,
    reader_of,
    refuse_on,
    risk_of,
    told_next,
)

if TYPE_CHECKING:
    from grader.lab.definition import Lab
    from grader.model.answers import Scorer
    from grader.pipeline.inspection import Inspection
    from grader.reader.qualifying import LabelledExample, Scorers
    from grader.reader.readers import Reader, Recordings


@click.group("lab")
def lab_command() -> None:
    """Create, check and train a lab of your own; measure a reader."""


@lab_command.command("check")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def check_command(folder: Path) -> None:
    """Validate a lab and grade its reference answers.

    FOLDER is the lab's folder, or the name of a shipped lab.

    Every mistake is reported with its file and line and what to do. With answers that a person marked
    (`measured = true` in answers.toml), it also prints how often each check is right. It lists items for which the
    reference answers hold no right answer, or no wrong one. The
    exit status is 0 if the lab is ready, 1 if something is wrong, 2 if there is no lab. PyTorch is not needed.
    """
    from grader.lab.files import LabError, lab_folder
    from grader.pipeline.inspection import inspect, shown_card

    with refuse_on(LabError):
        place = folder if folder.is_dir() else lab_folder(str(folder))
    found = inspect(place)
    for problem in (*(candidate for candidate in found.problems if candidate in found.errors), *found.warnings):
        click.echo(problem.report_line(place))
    for answer in found.answers:
        for problem in answer.problems:
            click.echo(problem.report_line(place))
        if answer.result and not answer.problems and not answer.expected.measured:
            points = f"{answer.result.score.normalize():f} of {answer.result.max_score.normalize():f} points"
            click.echo(f"{place / answer.path}: {points}, as expected")
    _print_measured(found)
    for line in shown_card(found.lab) if found.lab else ():
        click.echo(line)
    click.echo(_summary(found))
    lab = quote_path(folder)
    told_next(f"grade PATH --lab {lab}" if not found.errors else f"mend these, then: grade lab check {lab}")
    sys.exit(1 if found.errors else 0)


@lab_command.command("train")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def train_command(folder: Path) -> None:
    """Train the model of short answers.

    FOLDER is the lab's folder, or the name of a shipped lab.

    It learns from the lab's marked examples and from decisions that markers stored with `grade serve review`. It writes
    the model, answers.npz, and a card, which says how many verdicts are decided and how many of these are wrong. It
    needs scikit-learn: pip install 'lab-grader[train]'.
    """
    from grader.lab.files import LabError, lab_folder, load_lab

    with refuse_on(LabError):
        place = folder if folder.is_dir() else lab_folder(str(folder))
        lab = load_lab(place)
    if lab.short_answers is None or lab.short_answers.like:
        raise UnusableInputError(
            f"{place}: lab.toml has no [short_answers] with examples of its own; add the table with `examples`."
        )
    try:
        from grader.training.answers import examples_of, train, write_model
    except ImportError as error:
        raise click.ClickException(f"{error.name} is not installed: pip install 'lab-grader[train]'") from error
    from grader.pipeline.inspection import card_lines

    try:
        done = train(examples_of(lab, place), lab, lab.short_answers)
        write_model(done, lab.short_answers, place)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    for line in card_lines(done.card):
        click.echo(line)
    told_next(f"grade lab check {quote_path(folder)}   (whether the reference answers still earn what they should)")


def _print_measured(found: "Inspection") -> None:
    """Print how the checks judged answers that a person marked, and which items no answer proves."""
    from grader.pipeline.inspection import measure_checks, unproven

    if found.lab is None or not found.answers:
        return
    for problem in (entry for answer in found.answers for entry in answer.differing):
        click.echo(f"  differs from the marker: {problem.text.rstrip()}")
    rows = measure_checks(found.answers, found.lab)
    for row in rows:
        click.echo(f"  {row.check:20}: {row.decided} of {row.verdicts} decided, {row.right} of these right")
    if rows:
        fields = ("verdicts", "decided", "right", "unearned", "withheld")
        verdicts, decided, right, unearned, withheld = (sum(getattr(row, name) for row in rows) for name in fields)
        click.echo(
            f"Measured on {sum(entry.expected.measured for entry in found.answers)} marked answers: "
            f"{decided / verdicts:.0%} of {verdicts} verdicts decided, {right / decided if decided else 0:.1%} of them "
            f"right; {unearned} earned something for nothing, {withheld} right ones earned nothing."
        )
    lacking = unproven(found.answers, found.lab)
    if lacking.right:
        click.echo(f"To test right answers, add a reference answer that is right in: {', '.join(lacking.right)}.")
    if lacking.wrong:
        click.echo(f"To test wrong answers, add a reference answer with a mistake in: {', '.join(lacking.wrong)}.")


def _summary(found: "Inspection") -> str:
    def counted(number: int, what: str) -> str:
        return f"{number} {what}" if number == 1 else f"{number} {what}s"

    errors, warnings = counted(len(found.errors), "error"), counted(len(found.warnings), "warning")
    if found.lab is None:
        return f"The lab cannot be read: {errors}."
    score = found.lab.max_score.normalize()
    items, points = counted(len(tuple(found.lab.items)), "item"), f"{score:f} point{'' if score == 1 else 's'}"
    return f"{found.lab.id}: {items}, {points}; {errors}, {warnings}: {'not ready' if found.errors else 'ready'}."


@lab_command.command("init")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option(
    "--template",
    type=click.Choice(["cnn", "transformer", "classical", "blank"]),
    help="Copy a complete lab on images, a language model or classical machine learning, or a minimal one.",
)
@click.option(
    "--from",
    "hand_out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Draft the questions from a handout: PDF, notebook, LaTeX, Markdown or Word document.",
)
def init_command(folder: Path, template: str | None, hand_out: Path | None) -> None:
    """Create a lab of your own in FOLDER.

    With --from, the lab holds the questions of a handout, with their numbers, wording and points; a person decides them
    until you name a check for each. With --template, it is a copy of a complete lab, with its truth and with marked
    submissions to grade. With neither, it holds a commented lab.toml, an example check with its test, and reference
    answers. The lab takes its id from the folder's name. Existing files are not overwritten.
    """
    from grader.lab.files import CLASSES, StarterError, write_starter

    if template and hand_out:
        raise click.UsageError("--from and --template exclude each other; give one of them.")
    if hand_out:
        _draft(folder, hand_out)
        return
    try:
        with refuse_on(StarterError):
            starter = write_starter(folder, template)
    except OSError as error:
        raise UnusableInputError(f"cannot write to {error.filename or folder}: {error.strerror}.") from error
    click.echo(f"{folder} holds a lab in {starter} files.")
    if template is None:
        told_next(*commands(folder), f"edit {folder / 'lab.toml'}; every key is explained there.", others="then")
        return
    lab = quote_path(folder)
    answers = next(name for name in CLASSES if (folder / name).is_dir())
    told_next(
        f"grade {quote_path(folder / answers)} --lab {lab} --out graded   (the first class)",
        f"grade lab check {lab}",
        f"edit {folder / 'lab.toml'}; docs/tutorials.md goes through it.",
        others="then",
    )


def _draft(folder: Path, hand_out: Path) -> None:
    """Begin a lab with the questions of a hand-out."""
    from grader.lab.files import StarterError
    from grader.pipeline.drafting import write_draft

    try:
        with refuse_on(StarterError):
            draft = write_draft(folder, hand_out)
    except OSError as error:
        raise UnusableInputError(f"cannot write to {error.filename or folder}: {error.strerror}.") from error
    for question in draft.questions:
        points = (
            "points not stated"
            if question.points is None
            else f"{question.points.normalize():f} point{'' if question.points == 1 else 's'}"
        )
        click.echo(f"  {question.label or 'no number':<16} {question.title}  ({points})")
    count = len(draft.questions)
    click.echo(
        f"{folder / 'lab.toml'}: {'1 question' if count == 1 else f'{count} questions'} drafted from {hand_out}."
    )
    if any("\ufffd" in f"{question.title}{question.asks}" for question in draft.questions):
        click.echo(f"Some symbols of {hand_out} could not be read: correct each \ufffd in the lab.")
    told_next(
        f"edit {folder / 'lab.toml'}: look through the questions, then name checks for them (docs/new-lab.md)",
        f"grade lab check {quote_path(folder)}",
        others="then",
    )


@lab_command.command("template")
@click.argument("handouts", metavar="HANDOUT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--lab", default=".", show_default=True, help="The lab: its folder, or the name of a shipped one.")
def template_command(handouts: tuple[Path, ...], lab: str) -> None:
    """Register the handout's notebooks in a lab.

    The lab stores hashes of their lines, not their text.

    HANDOUT are the .ipynb and .py files as students get them. The command replaces the lab's templates.toml. Parts that
    students leave unchanged then earn nothing. The grader also knows which text cells are for answers: cells that are
    empty, ask for an answer (`Your answer:`), have the tag `answer`, or are marked as solutions by nbgrader.
    """
    from grader.lab.definition import FILE, Templates, as_toml
    from grader.lab.files import LabError, lab_folder, load_lab
    from grader.pipeline.handouts import HandoutError, handout

    with refuse_on(LabError, HandoutError):
        target = lab_folder(lab) / FILE
        loaded = load_lab(target.parent)
        found = [handout(path, loaded) for path in handouts]
    try:
        target.write_text(
            as_toml(Templates(notebooks=tuple(notebook.template for notebook in found))), encoding="utf-8"
        )
    except OSError as error:
        raise UnusableInputError(f"{target} cannot be written ({error.strerror}).") from error
    for notebook in found:
        for line in notebook.lines:
            click.echo(line)
    click.echo(f"written to {target}")
    told_next(f"grade lab check {quote_path(lab)}")


ENTRY_POINTS = "lab_grader.verbs"
"""The group of entry points in which an installed package offers verbs, each as a click command."""


@click.command(
    "truth", add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def truth_command(arguments: tuple[str, ...]) -> None:
    """Compute, verify and show the ground truth."""
    from importlib.metadata import entry_points

    for entry_point in entry_points(group=ENTRY_POINTS, name="truth"):
        entry_point.load().main(list(arguments), prog_name="grade truth", obj=told_next)
        return
    raise UnusableInputError("`truth` is not installed; it comes with: pip install 'lab-grader[reference]'")


@lab_command.command("qualify")
@click.option(
    "--reader",
    required=True,
    metavar="READER",
    help="The language model, for example openai:http://localhost:11434/v1#qwen3.",
)
@LAB
@click.option("--examples", type=click.Path(path_type=Path), help="Folder of labelled examples.  [default: the lab's]")
@click.option(
    "--card", type=click.Path(path_type=Path), help="Card to write.  [default: the lab's card for this reader]"
)
@click.option(
    "--reader-jobs",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    help="Maximum number of concurrent requests.",
)
@click.option("--allow-upload", is_flag=True, help="Allow the examples to be sent to another machine.")
def qualify_command(
    reader: str, lab: str, examples: Path | None, card: Path | None, reader_jobs: int, allow_upload: bool
) -> None:
    """Measure a reader and write its card.

    The card says how many of the reader's facts are right and how many facts it finds. Kinds of facts that are wrong
    more often than the lab's risk allows only suggest verdicts. Verdicts on definitions are measured together with
    models of short answers that have not seen the example; this needs scikit-learn: pip install 'lab-grader[train]'.
    """
    from grader.lab.files import LabError, lab_folder
    from grader.pipeline.soundness import sound_lab
    from grader.reader.card import FOLDER, card_path, rights_of
    from grader.reader.qualifying import EXAMPLES, ExamplesError, card_file, describe_card, load_examples
    from grader.reader.qualifying import card as card_of
    from grader.reader.request import instruction_hash

    with refuse_on(LabError, ExamplesError):
        folder = lab_folder(lab)
        loaded, _ = sound_lab(folder)
        some = load_examples(examples or folder / FOLDER / EXAMPLES)
    chosen = reader_of(reader, allow_upload=allow_upload)
    answers = _answers(chosen, some, loaded, reader_jobs)
    found = card_of(chosen.name, instruction_hash(loaded), answers, some, loaded, _scorers(loaded, folder, some))
    may = rights_of(found, risk_of(loaded))
    totals = {
        "decides alone by": may.facts,
        "nothing is there where it states nothing on": may.absences,
        "labels count beside the model of short answers": may.labels,
    }
    for line in describe_card(found, totals):
        click.echo(line)
    place = card or card_path(folder, chosen.name)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(card_file(found))
    except OSError as error:
        raise UnusableInputError(f"{place} cannot be written ({error.strerror}); name another by --card.") from error
    click.echo(f"The card is in {place}.")
    card_option = f" --reader-card {quote_path(card)}" if card else ""
    told_next(f"grade PATH --lab {quote_path(lab)} --reader {quote_path(reader)}{card_option}")


def _answers(
    reader: "Recordings | Reader", some: "Sequence[LabelledExample]", lab: "Lab", at_once: int
) -> dict[str, tuple[str, ...] | None]:
    from grader.pipeline.asking import answers_about
    from grader.reader.readers import ReaderError, Recordings

    def recorded(folder: "Recordings", name: str) -> "tuple[str, ...] | ReaderError":
        try:
            return (folder.answer_of(name),)
        except ReaderError as error:
            return error

    if isinstance(reader, Recordings):
        found = [recorded(reader, example.id) for example in some]
    else:
        found = answers_about([example.lines for example in some], lab, reader, at_once)
    answers: dict[str, tuple[str, ...] | None] = {}
    for example, answer in zip(some, found, strict=True):
        answers[example.id] = None if isinstance(answer, ReaderError) else answer
        if isinstance(answer, ReaderError):
            note(f"{example.id}: {answer}")
    return answers


def _scorers(lab: "Lab", folder: Path, some: "Sequence[LabelledExample]") -> "Scorers":
    """Models of short answers, each trained without the examples of one source; none where training is impossible."""
    if lab.short_answers is None or lab.short_answers.like:
        return lambda _source: lab.short_answers.scorer() if lab.short_answers else None
    try:
        from grader.training.answers import examples_of, train
    except ImportError:
        click.echo("Labels are not measured: pip install 'lab-grader[train]'.", err=True)
        return lambda _source: None
    settings: Any = lab.short_answers
    marked = examples_of(lab, folder)
    learned = {example.source for example in marked}
    scorers: dict[str, Scorer | None] = {}

    def of(source: str) -> "Scorer | None":
        from io import BytesIO

        from grader.model.answers import Scorer
        from grader.model.linear import read_arrays

        if source not in learned:
            return lab.short_answers.scorer() if lab.short_answers else None
        if source not in scorers:
            done = train([example for example in marked if example.source != source], lab, settings)
            scorers[source] = Scorer(read_arrays(BytesIO(done.model)))
        return scorers[source]

    return of
