"""`grade truth …`: hand the verbs that compute ground truth to the package that knows the real libraries.

Grading needs only the frozen truth, so nothing here imports that package: it is found through its entry point.
"""

import click

from grader.cli.commands import told_next

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
