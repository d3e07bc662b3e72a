"""`grade lab check`: whether a lab is ready."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.pipeline.inspection.answers import Comparison
    from grader.pipeline.inspection.inspect import Inspection
    from grader.pipeline.inspection.problem import Problem


class _UnusableInputError(click.ClickException):
    """What was named is no lab; the exit status is that of a usage error."""

    exit_code = 2


@click.group("lab")
def lab_command() -> None:
    """Look after a lab of your own; `grade init` begins one."""


@lab_command.command("check")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def check_command(folder: Path) -> None:
    """Validate the lab in FOLDER, or a shipped one by its name, and grade its reference answers.

    Every mistake is told with its file and line and what to do. The exit status is 0 when the lab is ready, 1 when
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
        click.echo(_told(problem, place))
    for answer in found.answers:
        _show(answer, place)
    click.echo(_summary(found))
    sys.exit(1 if found.errors else 0)


def _told(problem: "Problem", folder: Path) -> str:
    from grader.message import say

    return say(
        "{place}: {kind}: {text}", place=folder / problem.place, kind=problem.severity.value, text=problem.text.rstrip()
    )


def _show(answer: "Comparison", folder: Path) -> None:
    from grader.message import say

    for problem in answer.problems:
        click.echo(_told(problem, folder))
    if answer.result and not answer.problems:
        points = {"score": answer.result.score.normalize(), "maximum": answer.result.max_score.normalize()}
        click.echo(say("{path}: {score:f} of {maximum:f} points, as expected", path=folder / answer.path, **points))


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
