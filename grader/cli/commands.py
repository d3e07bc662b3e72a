"""Commands for people to copy, which work where they stand."""

import shlex
import shutil
import sys
from pathlib import Path


def commands(folder: Path) -> tuple[str, ...]:
    """What to do next with a new lab: install its checks, validate it, grade an answer with it."""
    lab = shlex.quote(str(folder))
    answer = shlex.quote(str(folder / "answers" / "right"))
    grade = _grade()
    return (
        f"{_python()} -m pip install -e {_local(folder)}",
        f"{grade} lab check {lab}",
        f"{grade} {answer} --lab {lab} --out graded",
    )


def _python() -> str:
    """What starts this very Python: its short name where that does, else its path."""
    for name in ("python", "python3"):
        found = shutil.which(name)
        if found and Path(found).absolute() == Path(sys.executable).absolute():
            return name
    return shlex.quote(sys.executable)


def _grade() -> str:
    """What starts this very grader: the command of the same environment, if it is the one on the path."""
    found = shutil.which("grade")
    if found and Path(found).absolute().parent == Path(sys.executable).absolute().parent:
        return "grade"
    beside = Path(sys.executable).with_name("grade")
    return shlex.quote(str(beside)) if beside.is_file() else f"{_python()} -m grader"


def _local(folder: Path) -> str:
    """A path that pip does not take for the name of a package."""
    text = folder.as_posix()
    return shlex.quote(text if "/" in text else f"./{text}")


def told_next(*steps: str) -> None:
    """Tell people what to do next; on the error output, since the other may go into a file or another program."""
    import click

    for number, step in enumerate(steps):
        click.echo(f"{'Next:' if not number else '  or:'} {step}", err=True)
