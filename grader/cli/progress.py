"""Output while a class is graded, and the summary at the end."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from grader.cohort.attention import UNLABELLED, titles_seen
from grader.cohort.rows import Store
from grader.gradebook.outline import StoredResultError, stored_result
from grader.pipeline.order import GradeSummary
from grader.result import Result

_MOST_ROWS: Final = 60
_MOST_LINES: Final = 1_000
_ASKED_EACH: Final = 10
_SECONDS_BETWEEN: Final = 2.0
_SECONDS_BETWEEN_RATES: Final = 30.0
_MOST_READ: Final = 20
"""So many hand-ins are looked at for the titles in them."""
_MANY: Final = 0.3
"""Where so many reports label no question, the lab's labels are likely to be at fault."""

_HEADINGS: Final = ("student", "score", "pending review", "remarks")


class RateColumn(ProgressColumn):
    """The number of hand-ins that are graded in a second, or in a minute if that is less than one."""

    def render(self, task: Task) -> Text:
        """See rich."""
        return Text(rate_of(task.finished_speed or task.speed or 0.0), style="progress.data.speed")


def rate_of(each_second: float) -> str:
    """A rate for people; empty where none is known."""
    if not each_second:
        return ""
    return f"{each_second:.1f}/s" if each_second >= 1 else f"{each_second * 60:.1f}/min"


def time_of(seconds: float) -> str:
    """A duration for people, in hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


class Progress:
    """A progress bar on a terminal, plain lines elsewhere; both tell the rate and the time that is left."""

    def __init__(self, total: int, out: Path | str) -> None:
        self._console = Console(highlight=False)
        self._total = total
        self._out = out
        self._finished = 0
        self._began = self._told = time.monotonic()
        columns = (
            TextColumn("grading"),
            BarColumn(),
            MofNCompleteColumn(),
            RateColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
        )
        self._bar = Bar(*columns, console=self._console, transient=True) if self._console.is_terminal else None
        self._task = self._bar.add_task("", total=total) if self._bar else None

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def note(self, message: str) -> None:
        """Prints a message that is not about one graded submission."""
        self._console.print(Text(message), style="yellow", soft_wrap=True)

    def notes(self, messages: Iterable[str]) -> None:
        """Prints several such messages."""
        for message in messages:
            self.note(message)

    def report_asked(self, number: int, all_: int) -> None:
        """Reports that the reader was asked about a submission."""
        if self._bar and self._task is not None:
            self._bar.update(self._task, description=f"asked about {number} of {all_}")
        elif number == all_ or number % _ASKED_EACH == 0:
            self._console.print(Text(f"The reader was asked about {number} of {all_}."), soft_wrap=True)

    def report_graded(self, graded: GradeSummary) -> None:
        """Reports that a submission is graded."""
        self._finished += 1
        if self._bar and self._task is not None:
            self._bar.update(self._task, advance=1, description=graded.student)
        else:
            score = f"{_points(graded.score)} / {_points(graded.max_score)}"
            self._console.print(Text(f"{self._finished} of {self._total}  {graded.student}  {score}"), soft_wrap=True)
            self._tell_rate()
        if graded.error:
            self.note(f"{graded.student}: {graded.error}")
        elif graded.report_problem:
            self.note(f"{graded.student}: no report: {graded.report_problem}")

    def _tell_rate(self) -> None:
        now = time.monotonic()
        left = self._total - self._finished
        if left and now - self._told >= _SECONDS_BETWEEN_RATES:
            self._told = now
            each_second = self._finished / (now - self._began)
            self._console.print(
                Text(f"{rate_of(each_second)}, {time_of(left / each_second)} left"), style="dim", soft_wrap=True
            )

    def report_interruption(self) -> None:
        """Reports what an interrupted run leaves behind."""
        self.note(
            f"Interrupted: {self._finished} of {self._total} submissions are graded, with whole results in "
            f"{self._out}. The class's files were not written. Run the same command again to grade the others."
        )

    def table(self, graded: list[GradeSummary]) -> None:
        """Prints a table of the class; for a large class, only of the hand-ins graded in this run, and where those are
        very many, only of those that could not be graded."""
        shown = graded if len(graded) <= _MOST_ROWS else [grade for grade in graded if not grade.unchanged]
        shown = shown if len(shown) <= _MOST_LINES else [grade for grade in shown if grade.error]
        rows = [_HEADINGS, *map(_row, shown[:_MOST_LINES])] if shown else []
        widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
        self._console.print()
        for number, row in enumerate(rows):
            self._console.print(Text(_line(row, widths), style="" if number else "bold"), soft_wrap=True)
        what = "The result of 1 submission is" if len(graded) == 1 else f"Results of {len(graded):,} submissions are"
        self._console.print(Text(f"\n{what} in {self._out}."), soft_wrap=True)
        self.notes(_of_labels(graded, self._out))


def _of_labels(graded: Sequence[GradeSummary], out: Path | str) -> Iterator[str]:
    """Yield advice on hand-ins that label their answers in no way that the lab knows."""
    unlabelled = [grade.student for grade in graded if UNLABELLED in grade.flags]
    if not unlabelled:
        return
    titles = titles_seen(_results(out, unlabelled[:_MOST_READ]))
    seen = f"; sections seen: {'; '.join(titles)}" if titles else ""
    is_much = len(graded) > 1 and len(unlabelled) >= _MANY * len(graded)
    labels = (
        "Add the headings that students use to the `labels` of the questions in lab.toml, or assign"
        if is_much
        else "Assign"
    )
    yield (
        f"No question of the lab was recognised in {len(unlabelled)} of {len(graded)} submissions{seen}. {labels} the "
        f"sections of such a submission once in `grade serve`."
    )


def _results(out: Path | str, students: Iterable[str]) -> Iterator[Result]:
    """The results of some students, where they lie on this machine."""
    if isinstance(out, Path):
        for student in students:
            with suppress(StoredResultError):
                yield stored_result(out, student)


@contextmanager
def steps() -> Iterator[Callable[[str, int, int], None]]:
    """A callback that shows the current step and its progress: a bar on a terminal, an occasional line elsewhere."""
    console = Console(stderr=True, highlight=False)
    last_shown = [time.monotonic()]
    with Bar(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=console, transient=True
    ) as bar:
        task = bar.add_task("", total=None)

        def done(step: str, made: int, of: int) -> None:
            bar.update(task, description=step, completed=made, total=of)
            if not console.is_terminal and time.monotonic() - last_shown[0] >= _SECONDS_BETWEEN:
                last_shown[0] = time.monotonic()
                console.print(Text(f"{step}: {made:,} of {of:,}"), soft_wrap=True)

        yield done


class Row(BaseModel):
    """The cells of a row of a table."""

    cells: tuple[str, ...]


class Table:
    """Rows by student, the first cell, under a heading, in columns as wide as their widest cell."""

    def __init__(self, store: Store, heading: tuple[str, ...]) -> None:
        self.rows = store.rows(Row)
        self._heading, self._widths = heading, [len(cell) for cell in heading]

    def add(self, cells: tuple[str, ...]) -> None:
        """Adds a row."""
        self.rows.add(Row(cells=tuple(map(str, cells))), cells[0])
        self._widths = [max(width, len(cell)) for width, cell in zip(self._widths, cells, strict=True)]

    def lines(self) -> Iterator[str]:
        """The heading and the rows."""
        for cells in chain([self._heading], (row.cells for row in self.rows)):
            yield "  ".join(cell.ljust(width) for cell, width in zip(cells, self._widths, strict=True)).rstrip()


def _row(grade: GradeSummary) -> tuple[str, ...]:
    unit = "point" if grade.pending == 1 else "points"
    pending = f"{_points(grade.pending)} {unit}" if grade.pending else ""
    score = f"{_points(grade.score)} / {_points(grade.max_score)}"
    remarks = "not graded: " + grade.error if grade.error else ", ".join(grade.flags)
    return grade.student, score, pending, remarks


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """A line of the table with aligned cells; points are right-aligned."""
    gaps = [" " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True)]
    student, score, pending, remarks = cells
    return f"{student}{gaps[0]}  {gaps[1]}{score}  {gaps[2]}{pending}  {remarks}".rstrip()


def _points(points: Decimal) -> str:
    return f"{float(points):g}"
