"""What a person sees while a class is graded, and at the end."""

from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from grader.pipeline.classroom import Graded
from grader.result import Result


class Progress:
    """A bar on a terminal, plain lines elsewhere."""

    def __init__(self, total: int, out: Path) -> None:
        self._console = Console(highlight=False)
        self._total = total
        self._out = out
        self._finished = 0
        columns = (
            TextColumn("grading"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
        )
        self._bar = Bar(*columns, console=self._console, transient=True) if self._console.is_terminal else None
        self._task = self._bar.add_task("", total=total) if self._bar else None

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def note(self, message: str) -> None:
        """Say something that is not about one graded submission."""
        self._console.print(Text(message), style="yellow", soft_wrap=True)

    def done(self, graded: Graded) -> None:
        """Tell that a submission is graded."""
        self._finished += 1
        result = graded.result
        if self._bar and self._task is not None:
            self._bar.update(self._task, advance=1, description=result.student.id)
        else:
            score = f"{result.score} / {result.max_score}"
            self._console.print(
                Text(f"{self._finished} of {self._total}  {result.student.id}  {score}"), soft_wrap=True
            )
        if result.error:
            self.note(f"{result.student.id}: {result.error}")
        elif graded.report_problem:
            self.note(f"{result.student.id}: no report: {graded.report_problem}")

    def interrupted(self) -> None:
        """Tell what an interrupted run leaves behind."""
        self.note(
            f"Interrupted: {self._finished} of {self._total} submissions are graded, with whole results in "
            f"{self._out}. The class's files were not written. Run the same command again to grade all."
        )

    def table(self, graded: list[Graded]) -> None:
        """The class at a glance."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading, justify in (
            ("student", "left"),
            ("score", "right"),
            ("awaits review", "right"),
            ("remarks", "left"),
        ):
            table.add_column(heading, justify=justify)  # type: ignore[arg-type]
        for one in graded:
            result = one.result
            pending = f"{_points(result.pending)} points" if result.pending else ""
            table.add_row(Text(result.student.id), _score(result), pending, Text(_remarks(result)))
        self._console.print()
        self._console.print(table)
        self._console.print(Text(f"\nResults of {len(graded)} submissions are in {self._out}."), soft_wrap=True)


def _score(result: Result) -> str:
    return f"{_points(result.score)} / {_points(result.max_score)}"


def _points(points: object) -> str:
    return f"{float(str(points)):g}"


def _remarks(result: Result) -> str:
    if result.error:
        return "not graded: " + result.error
    return ", ".join(dict.fromkeys(flag.id for flag in result.flags))
