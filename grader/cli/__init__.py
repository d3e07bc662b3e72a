"""The command line: `grade PATH…` grades, and each further verb is a small module of its own.

Verbs import what they need when they run, so that help and mistakes answer in a blink.
"""

import gc
import sys
from typing import Final

import click

from grader import __version__
from grader.cli.export import export_command, package_group
from grader.cli.history import diff_command, history_command
from grader.cli.lab import init_command, lab_command, reader_command, truth_command
from grader.cli.options import sound
from grader.cli.read import doctor_command, read_command
from grader.cli.regrade import regrade_command, verify_command
from grader.cli.review import finish_command, review_command
from grader.cli.run import run_command
from grader.cli.serve import requests_command, serve_command
from grader.selfcheck.command import check_command

_ALLOCATIONS: Final = 100_000
"""Allocations between garbage collections. Nearly all objects live as long as the command; with Python's default of
700, collection would take a fifth of the time."""


class _Verbs(click.Group):
    """A group whose first verb may be left out: `grade submissions/` means `grade run submissions/`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, *ctx.help_option_names, "--version"):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "PATH... [OPTIONS]")
        formatter.write_usage(ctx.command_path, "VERB ...", prefix="       ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        run_command.format_options(click.Context(run_command), formatter)
        self.format_commands(ctx, formatter)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="grade")
def _grade() -> None:
    """Grade lab submissions, and prove every point.

    PATH is a folder of student folders or zips, one student's folder, a zip of either, or a single report.
    """


_grade.add_command(run_command)
next(one for one in check_command.params if one.name == "lab").callback = sound  # the room of the check knows no truth
_grade.add_command(check_command)
_grade.add_command(read_command)
_grade.add_command(reader_command)
_grade.add_command(export_command)
_grade.add_command(truth_command)
_grade.add_command(review_command)
_grade.add_command(requests_command)
_grade.add_command(serve_command)
_grade.add_command(finish_command)
_grade.add_command(history_command)
_grade.add_command(diff_command)
_grade.add_command(regrade_command)
_grade.add_command(verify_command)
_grade.add_command(init_command)
_grade.add_command(lab_command)
_grade.add_command(package_group)
_grade.add_command(doctor_command)


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
