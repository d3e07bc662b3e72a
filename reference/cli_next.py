"""What to do after a verb of `grade truth`. `grade` hands over how it tells people, so that this package need not know
its command line."""

import shlex

import click


def told_next(*steps: str) -> None:
    """Tell people what to do next, by the function that the caller of the verb has put into its context."""
    tell = click.get_current_context().obj
    if tell is not None:
        tell(*steps)


def quoted(path: object) -> str:
    """A path as a shell takes it for one word."""
    return shlex.quote(str(path))
