"""`grade truth`: the verbs that need the real libraries. Each is a module of its own, loaded when help or work asks."""

import os
from typing import Any, Final

import click

from reference.cli_bands import bands_command
from reference.cli_build import build_command, show_command, verify_command
from reference.cli_count import count_command
from reference.cli_rerun import collect_command, rerun_command

_LIBRARIES: Final = frozenset({"torch", "transformers", "peft", "huggingface_hub"})


class _MissingLibrariesError(click.ClickException):
    exit_code = 2


class _NeedsLibraries(click.Group):
    """A group whose verbs say how to install the libraries that are not there."""

    def invoke(self, ctx: click.Context) -> Any:
        os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # its advice is about running models
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            if missing not in _LIBRARIES:
                raise
            raise _MissingLibrariesError(
                f"{missing} is not installed; truths are computed with: pip install 'lab-grader[reference]'"
            ) from error


@click.group(cls=_NeedsLibraries, context_settings={"help_option_names": ["-h", "--help"]})
def truth() -> None:
    """Compute what is true from the real libraries."""


for command in (
    build_command,
    verify_command,
    show_command,
    count_command,
    rerun_command,
    collect_command,
    bands_command,
):
    truth.add_command(command)
