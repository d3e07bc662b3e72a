"""The command line: `grade PATH…` grades, and each further verb is a small module of its own.

Verbs import what they need when they run, so that help and mistakes answer in a blink.
"""

import gc
import sys
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Final

import click

from grader import __version__
from grader.cli.export import export_command, package_group
from grader.cli.history import diff_command, history_command
from grader.cli.lab import lab_command, truth_command
from grader.cli.markers import markers_command
from grader.cli.options import note, sound
from grader.cli.read import doctor_command, read_command
from grader.cli.regrade import regrade_command, verify_command
from grader.cli.review import finish_command, review_command
from grader.cli.run import run_command
from grader.cli.serve import requests_command, serve_command
from grader.cli.students import links_command, release_command
from grader.cli.whole_class import class_command
from grader.selfcheck.command import check_command

_ALLOCATIONS: Final = 100_000
"""Allocations between garbage collections. Nearly all objects live as long as the command; with Python's default of
700, collection would take a fifth of the time."""


class _Verbs(click.Group):
    """A group whose first verb may be left out: `grade submissions/` means `grade run submissions/`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] in _FORMER:
            note(f"`grade {args[0]}` is now `grade {_FORMER[args[0]]}`; the old name goes with the next release.")
            args = [*_FORMER[args[0]].split(), *args[1:]]
        if args and args[0] not in (*self.commands, *ctx.help_option_names, "--version"):
            is_word = args[0].isalpha() and not Path(args[0]).exists()
            if is_word and (close := get_close_matches(args[0], (*self.commands, *_FORMER), n=1)):
                raise click.UsageError(f"{args[0]}: no verb, file or folder is called so; did you mean `{close[0]}`?")
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # A verb of two words stands beside that of its first word alone, which has arguments of its own.
        both = " ".join(args[:2])
        return super().resolve_command(ctx, [both, *args[2:]] if both in self.commands else args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "PATH... [OPTIONS]")
        formatter.write_usage(ctx.command_path, "VERB ...", prefix="       ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in _VERBS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(str(command.name), help_line) for command, help_line in verbs if " " not in str(command.name)]
                )
        run_command.format_options(click.Context(run_command), formatter)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="grade")
def _grade() -> None:
    """Grade lab submissions, and prove every point.

    PATH is a folder or zip file of students' submissions, one student's submission, or the download of a course
    system. The options below are those of `grade PATH`; for those of a verb, run `grade VERB --help`.

    \b
    Examples:
      grade submissions --out graded
      grade submissions --lab my-lab --roster class.csv --deadline 2026-11-21T23:59
      grade serve graded
      grade export xlsx graded
    """


_VERBS: Final = {
    "Grade": (
        (run_command, "Grade submissions. The verb can be omitted."),
        (check_command, "Show students what the grader reads in a submission."),
        (regrade_command, "Grade again, verify results, or apply overrides."),
        (read_command, "Print what the grader reads in a file, as JSON."),
    ),
    "Review and return": (
        (serve_command, "Decide what is pending review; release reports."),
        (export_command, "Write grades for a course system; show their history."),
    ),
    "Labs": (
        (lab_command, "Create, check and train a lab of your own."),
        (truth_command, "Compute, verify and show the ground truth."),
        (package_group, "Package a lab for students or a course system."),
    ),
    "This machine": ((doctor_command, "Check this machine: libraries, isolation, memory."),),
}
"""The verbs by task, each with a line for the help."""

_FURTHER: Final = {
    regrade_command: (
        (verify_command, "Compute results again and compare them."),
        (finish_command, "Apply overrides to results and reports."),
    ),
    serve_command: (
        (review_command, "List and decide pending items in the terminal."),
        (class_command, "Decide an item for the whole class."),
        (requests_command, "Import and answer regrade requests."),
        (markers_command, "Distribute work among markers; compare them."),
        (release_command, "Release reports to students; lock decisions."),
        (links_command, "Issue and revoke links to released reports."),
    ),
    export_command: (
        (history_command, "List every grade of a student."),
        (diff_command, "List grades that changed between two runs."),
    ),
}
"""Verbs of two words, by the verb that is their first one and whose help names them."""

_NEVER_ALONE: Final = (class_command, release_command, links_command, markers_command)
_FORMER: Final = {
    str(entry.name).split()[1]: str(entry.name)
    for some in _FURTHER.values()
    for entry, _ in some
    if entry not in _NEVER_ALONE
} | {
    "init": "lab init",
    "reader": "lab",
}
"""The names that verbs had before, which scripts may use for one more release."""

next(
    entry for entry in check_command.params if entry.name == "lab"
).callback = sound  # the room of the check knows no truth
for _command, _ in chain(chain.from_iterable(_VERBS.values()), chain.from_iterable(_FURTHER.values())):
    _grade.add_command(_command)
for _command, _some in _FURTHER.items():
    _command.epilog = "\b\n" + "\n".join(
        ("Further verbs:", *(f"  grade {entry.name:<16} {help_line}" for entry, help_line in _some))
    )


def main() -> None:
    """The entry point of the `grade` command."""
    gc.set_threshold(_ALLOCATIONS)
    try:
        sys.exit(_grade.main(prog_name="grade"))
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        click.echo(f"Error: {type(error).__name__}: {error}", err=True)
        sys.exit(1)
