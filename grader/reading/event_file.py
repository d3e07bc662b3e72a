"""TensorBoard event files: the scalar series in them."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from grader.intake.submission import SubmittedFile
from grader.reading.bytes_in import read_bytes, storable
from grader.reading.event_records import records_of
from grader.reading.log import Log, Series, Subset
from grader.reading.run_names import run_name

MOST_BYTES: Final = 100_000_000
_NAME: Final = "events.out.tfevents.0.whole"


def read_event_file(file: SubmittedFile) -> Log:
    """The scalars of an event file, steps ascending; of a step logged twice the last value counts, and that is said.

    Damage becomes a problem with a count of what was lost. Never raises for any content of the file.
    """
    name = run_name(file.path)
    series, problems = _series(file, name.subset)
    return Log(file=file.path, name=name.folder, seed=name.seed, series=series, problems=problems)


def _series(file: SubmittedFile, subset: Subset | None) -> tuple[tuple[Series, ...], tuple[str, ...]]:
    data, trouble = read_bytes(file.location, MOST_BYTES)
    if not data:
        return (), trouble or ("the file is empty",)
    whole, _, damage = records_of(data)
    problems = (*trouble, *damage)
    if not whole:
        return (), problems
    try:
        logged = _logged(b"".join(data[begin:end] for begin, end in whole))
    except Exception as error:  # whatever a library makes of hostile bytes
        return (), (*problems, f"its {len(whole)} events cannot be understood ({type(error).__name__})")
    series, repeats = _last_of_each_step(logged, subset)
    if repeats:
        problems = (
            *problems,
            f"{repeats} values were logged again for the same step (a restart?): the last one counts",
        )
    return series, problems if series else (*problems, "the file holds no scalars")


def _logged(records: bytes) -> list[tuple[str, int, float]]:
    """Tag, step and value of each logged scalar; for each tag by step, and in the file's order where steps repeat."""
    from tbparse import SummaryReader

    with TemporaryDirectory() as folder:
        path = Path(folder) / _NAME
        path.write_bytes(records)
        reader = SummaryReader(str(path), event_types={"scalars", "tensors"})
        return [*_rows(reader.scalars), *_rows(reader.tensors)]


def _rows(table: Any) -> Iterator[tuple[str, int, float]]:
    """The rows of a pandas table that hold one number. TF2 logs scalars as tensors without dimensions."""
    if table.empty:
        return
    for tag, step, value in zip(table["tag"], table["step"], table["value"], strict=True):
        if getattr(value, "shape", ()) == () and getattr(value, "dtype", float) not in (object, bytes):
            yield storable(str(tag)), int(step), float(value)


def _last_of_each_step(logged: list[tuple[str, int, float]], subset: Subset | None) -> tuple[tuple[Series, ...], int]:
    """The series by tag, and how many values a later one replaced."""
    by_tag: dict[str, dict[int, float]] = {}
    for tag, step, value in logged:
        by_tag.setdefault(tag, {})[step] = value
    kept = sum(len(points) for points in by_tag.values())
    series = (_one_series(tag, subset, points) for tag, points in sorted(by_tag.items()))
    return tuple(series), len(logged) - kept


def _one_series(tag: str, subset: Subset | None, points: dict[int, float]) -> Series:
    steps = tuple(sorted(points))
    return Series(tag=tag, subset=subset, steps=steps, values=tuple(points[step] for step in steps))
