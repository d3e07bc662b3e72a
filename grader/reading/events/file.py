"""An event file: its scalar series, its texts, and who wrote it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.message import Words, say, say_number
from grader.reading.bytes_in import read_bytes
from grader.reading.events.collecting import Collector
from grader.reading.events.origin import origin_of
from grader.reading.events.points import series_of
from grader.reading.events.problems import damage_problems, what_it_is
from grader.reading.events.records import Kind, Records
from grader.reading.log import Log, LoggedText, Series, Subset
from grader.reading.run_names import run_name

MOST_BYTES: Final = 100_000_000


class _Content(NamedTuple):
    series: tuple[Series, ...] = ()
    texts: tuple[LoggedText, ...] = ()
    problems: tuple[Words, ...] = ()


def read_event_file(file: SubmittedFile) -> Log:
    """The scalars and texts of an event file, steps ascending; of a step logged twice the last value counts.

    That, and any damage with its place, becomes a problem. Never raises for any content of the file.
    """
    name = run_name(file.path)
    data, trouble = read_bytes(file.location, MOST_BYTES)
    if data:
        content = _content(data, name.subset, whole=not trouble)
    else:
        content = _Content(problems=() if trouble else (say("the file is empty"),))
    return Log(
        file=file.path,
        name=name.folder,
        seed=name.seed,
        series=content.series,
        texts=content.texts,
        origin=origin_of(file.path),
        problems=(*trouble, *content.problems),
    )


def _content(data: bytes, subset: Subset | None, whole: bool) -> _Content:
    """What the bytes of a file say. Where they are not the `whole` file, a cut end is no damage."""
    records, collector = Records(data), Collector()
    collector.take(records)
    if not whole:
        records.damage.pop(Kind.CUT, None)
    if not collector.events and records.damage.keys() == {Kind.REST}:
        return _Content(problems=(what_it_is(data),))
    series, repeated = _series(collector, subset)
    problems = tuple(damage_problems(collector.events, records.damage, collector.malformed))
    if not (series or collector.texts or problems):
        problems = (say("the file holds no scalars"),)
    return _Content(series, tuple(collector.texts), (*problems, *_other_problems(repeated, collector.left_out)))


def _series(collector: Collector, subset: Subset | None) -> tuple[tuple[Series, ...], int]:
    """The series by tag, and how many points a later one replaced. The collector's points are given up on the way."""
    series, replaced = [], 0
    for tag in sorted(collector.points):
        one, repeated = series_of(tag, subset, collector.points.pop(tag))
        series.append(one)
        replaced += repeated
    return tuple(series), replaced


def _other_problems(repeated: int, left_out: int) -> Iterator[str]:
    if repeated:
        yield say_number(
            "{number:,} value was logged again for the same step (a restart?): of each step the last value counts",
            "{number:,} values were logged again for the same step (a restart?): of each step the last value counts",
            repeated,
        )
    if left_out:
        yield say(
            "{left_out:,} values or texts are left out, because the file holds more than is read", left_out=left_out
        )
