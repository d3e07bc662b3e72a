"""`grade init`, `grade lab check`, `grade lab train`: begin, validate and train a lab. `grade truth …` is passed on to
the package that uses the real libraries.

Grading needs only the frozen truth, so nothing here imports that package: it is found through its entry point.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import commands, quoted, told_next

if TYPE_CHECKING:
    from grader.pipeline.inspection.answers import Comparison
    from grader.pipeline.inspection.form import Problem
    from grader.pipeline.inspection.inspect import Inspection


class _UnusableInputError(click.ClickException):
    """The argument is not a lab; the exit status is that of a usage error."""

    exit_code = 2


@click.group("lab")
def lab_command() -> None:
    """Look after a lab of your own; `grade init` begins one."""


@lab_command.command("check")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def check_command(folder: Path) -> None:
    """Validate the lab in FOLDER, or a shipped one by its name, and grade its reference answers.

    Every mistake is told with its file and line and what to do. Answers that a person marked (`measured = true` in
    answers.toml) measure each check; and it is told of which items no answer proves that a right one is understood, or
    that a wrong one is caught. The exit status is 0 when the lab is ready, 1 when
    something is wrong, 2 when there is no lab. The truth is taken as it is frozen, so no PyTorch is needed.
    """
    from grader.lab.files import LabError, lab_folder
    from grader.pipeline.inspection.inspect import inspect

    place = folder
    if not folder.is_dir():
        try:
            place = lab_folder(str(folder))
        except LabError as error:
            raise _UnusableInputError(str(error)) from error
    found = inspect(place)
    for problem in (*(one for one in found.problems if one in found.errors), *found.warnings):
        click.echo(_problem_line(problem, place))
    for answer in found.answers:
        _print_comparison(answer, place)
    _print_measured(found)
    if found.lab is not None:
        from grader.pipeline.inspection.answers import shown_card

        for line in shown_card(found.lab):
            click.echo(line)
    click.echo(_summary(found))
    lab = quoted(folder)
    told_next(f"grade PATH --lab {lab}" if not found.errors else f"mend these, then: grade lab check {lab}")
    sys.exit(1 if found.errors else 0)


@lab_command.command("train")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def train_command(folder: Path) -> None:
    """Train the model of the short answers of the lab in FOLDER, or of a shipped one by its name.

    It learns from the lab's marked examples and from the decisions that people stored with `grade review`, and writes
    answers.npz and its card, which says what is decided and how often that is wrong. It needs scikit-learn:
    pip install 'lab-grader[train]'.
    """
    from grader.lab.files import LabError, lab_folder, load_lab

    try:
        place = folder if folder.is_dir() else lab_folder(str(folder))
        lab = load_lab(place)
    except LabError as error:
        raise _UnusableInputError(str(error)) from error
    if lab.short_answers is None or lab.short_answers.like:
        raise _UnusableInputError(f"{place}: lab.toml has no [short_answers] with examples of its own.")
    try:
        from grader.training.train import examples_of, train, written
    except ImportError as error:
        raise click.ClickException(f"{error.name} is not installed: pip install 'lab-grader[train]'") from error
    from grader.pipeline.inspection.answers import card_lines

    try:
        done = train(examples_of(lab, place), lab, lab.short_answers)
        written(done, place)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    for line in card_lines(done.card):
        click.echo(line)
    told_next(f"grade lab check {quoted(folder)}   (whether the reference answers still earn what they should)")


def _problem_line(problem: "Problem", folder: Path) -> str:
    from grader.message import say

    return say(
        "{place}: {kind}: {text}", place=folder / problem.place, kind=problem.severity.value, text=problem.text.rstrip()
    )


def _print_comparison(answer: "Comparison", folder: Path) -> None:
    from grader.message import say

    for problem in answer.problems:
        click.echo(_problem_line(problem, folder))
    if answer.result and not answer.problems and not answer.expected.measured:
        points = {"score": answer.result.score.normalize(), "maximum": answer.result.max_score.normalize()}
        click.echo(say("{path}: {score:f} of {maximum:f} points, as expected", path=folder / answer.path, **points))


def _print_measured(found: "Inspection") -> None:
    """What the checks made of answers that a person marked, and which items no answer proves."""
    from grader.message import say, say_data
    from grader.pipeline.inspection.answers import measured, unproven

    if found.lab is None or not found.answers:
        return
    for problem in (one for answer in found.answers for one in answer.differing):
        click.echo(say("  otherwise than a person: {text}", text=problem.text.rstrip()))
    rows = measured(found.answers, found.lab)
    for row in rows:
        click.echo(
            say(
                "  {check}: {decided} of {verdicts} decided, {right} of these right",
                check=say_data(f"{row.check:20}"),
                decided=row.decided,
                verdicts=row.verdicts,
                right=row.right,
            )
        )
    if rows:
        verdicts, decided, right = (sum(getattr(r, key) for r in rows) for key in ("verdicts", "decided", "right"))
        click.echo(
            say(
                "Measured on {answers} marked answers: {share:.0%} of {verdicts} verdicts decided, {right:.1%} of them "
                "right; {unearned} earned something for nothing, {withheld} right ones earned nothing.",
                answers=sum(one.expected.measured for one in found.answers),
                share=decided / verdicts,
                verdicts=verdicts,
                right=right / decided if decided else 0.0,
                unearned=sum(row.unearned for row in rows),
                withheld=sum(row.withheld for row in rows),
            )
        )
    lacking = unproven(found.answers, found.lab)
    if lacking.right:
        click.echo(say("No answer shows that a right one is understood: {items}.", items=", ".join(lacking.right)))
    if lacking.wrong:
        click.echo(say("No answer shows that a wrong one is caught: {items}.", items=", ".join(lacking.wrong)))


def _summary(found: "Inspection") -> str:
    from grader.message import say, say_number

    errors = say_number("{number} error", "{number} errors", len(found.errors))
    warnings = say_number("{number} warning", "{number} warnings", len(found.warnings))
    if found.lab is None:
        return say("The lab cannot be read: {errors}.", errors=errors)
    items = say_number("{number} item", "{number} items", len(tuple(found.lab.items)))
    ready = say("ready") if not found.errors else say("not ready")
    return say(
        "{lab}: {items}, {points:f} points; {errors}, {warnings}: {ready}.",
        lab=found.lab.id,
        items=items,
        points=found.lab.max_score.normalize(),
        errors=errors,
        warnings=warnings,
        ready=ready,
    )


class _UnusableFolderError(click.ClickException):
    """A lab cannot be created in the folder; the exit status is that of a usage error."""

    exit_code = 2


@click.command("init")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option(
    "--template",
    type=click.Choice(["cnn", "transformer", "classical", "blank"]),
    help="Begin as a whole lab on images, a language model or classical machine learning, or as a small one.",
)
def init_command(folder: Path, template: str | None) -> None:
    """Begin a lab of your own in FOLDER, which is made.

    It holds a commented lab.toml, an example check with its test, and reference answers with what they are to earn.
    With --template it is a copy of a whole lab, with its truth and answers, right and wrong, that are a first class to
    be graded. The lab takes its id from the folder's name. Nothing that is there already is overwritten.
    """
    from grader.lab.files import CLASSES, StarterError, write_starter

    try:
        starter = write_starter(folder, template)
    except StarterError as error:
        raise _UnusableFolderError(str(error)) from error
    except OSError as error:
        raise _UnusableFolderError(f"cannot write to {error.filename or folder}: {error.strerror}.") from error
    click.echo(f"{folder} holds a lab in {starter} files.")
    if template is None:
        told_next(*commands(folder), f"edit {folder / 'lab.toml'}; every key is explained there.", others="then")
        return
    lab = quoted(folder)
    answers = next(name for name in CLASSES if (folder / name).is_dir())
    told_next(
        f"grade {quoted(folder / answers)} --lab {lab} --out graded   (the first class)",
        f"grade lab check {lab}",
        f"edit {folder / 'lab.toml'}; docs/tutorials.md goes through it.",
        others="then",
    )


ENTRY_POINTS = "lab_grader.verbs"
"""The group of entry points in which an installed package offers verbs, each as a click command."""


class _NotInstalledError(click.ClickException):
    exit_code = 2


@click.command(
    "truth", add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def truth_command(arguments: tuple[str, ...]) -> None:
    """Compute, verify and show the ground truth."""
    _load("truth").main(list(arguments), prog_name="grade truth", obj=told_next)


def _load(verb: str) -> click.Command:
    from importlib.metadata import entry_points

    for entry_point in entry_points(group=ENTRY_POINTS, name=verb):
        command: click.Command = entry_point.load()
        return command
    raise _NotInstalledError(f"`{verb}` is not installed; it comes with: pip install 'lab-grader[reference]'")
