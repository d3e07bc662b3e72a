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


def told_next(*steps: str, others: str = "or") -> None:
    """Tell people what to do next, as commands that work as they stand or in words; on the error output, since the
    other may go into a file or another program. `others` says how further steps follow on the first."""
    import click

    for number, step in enumerate(steps):
        word = "Next:" if not number else f"{others}:".rjust(len("Next:"))
        click.echo(f"{word} {_as_started(step)}", err=True)


def quoted(path: object) -> str:
    """A path as a shell takes it for one word."""
    return shlex.quote(str(path))


def _as_started(step: str) -> str:
    """A step that begins with our command, with the name by which this process was started where a shell would not
    find the bare one: `.venv/bin/grade`."""
    started = Path(sys.argv[0])
    found = shutil.which("grade")
    is_ours = started.name == "grade" and started.is_file()
    if not step.startswith("grade ") or not is_ours or (found and Path(found).samefile(started)):
        return step
    return f"{shlex.quote(str(started))}{step.removeprefix('grade')}"
