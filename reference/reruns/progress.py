"""A progress bar for each run."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reference.reruns.fine_tuning import Watch
from reference.reruns.job import Job
from reference.reruns.together import WatchJob


@contextmanager
def progress_bars(console: Console) -> Iterator[WatchJob]:
    """Yield a function that opens a bar for a run; bars are only drawn on a terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:

        def open_bar(job: Job) -> Watch:
            task = progress.add_task(job.name, total=None, loss="…")
            return lambda done, of, loss: progress.update(task, completed=done, total=of, loss=f"{loss:.3f}")

        yield open_bar
