"""TensorBoard event files: the scalar series and texts in them, read in one pass that accounts for every byte; who
wrote them, and what is wrong with them in words for their student.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.message import Message, Words, joined, say, say_number
from grader.reading.bytes_in import read_bytes
from grader.reading.events.event import Collector, series_of
from grader.reading.events.records import Damage, Kind, Records
from grader.reading.log import Log, LoggedText, Origin, Series, Subset, run_name

_LONGEST_NAME: Final = 255
_NAME: Final = re.compile(r"tfevents\.([0-9]{1,12})(?:\.(.*))?$", re.DOTALL)
_PROCESS: Final = re.compile(r"(.+)\.([0-9]{1,10})\.([0-9]{1,10})(?:[^0-9].*)?", re.DOTALL)
_PROCESS_ALONE: Final = re.compile(r"(.+)\.([0-9]{1,10})", re.DOTALL)
_SUFFIX: Final = re.compile(r"(?:\.v2| ?\([0-9]{1,4}\))$")


def origin_of(path: str) -> Origin | None:
    """Read `events.out.tfevents.<seconds>.<host>.<pid>.<number>`; what a name lacks is None, or an empty host.

    A host may hold dots. TensorFlow 1 and tensorboardX tell no process id, and what stands behind the number, such as
    the `.v2` of TensorFlow 2 or the ` (1)` of a second download, says nothing.
    """
    named = _NAME.search(PurePosixPath(path).name[-_LONGEST_NAME:])
    if named is None:
        return None
    started_at, rest = float(named[1]), named[2] or ""
    if process := _PROCESS.fullmatch(rest):
        return Origin(started_at=started_at, host=process[1], pid=int(process[2]), number=int(process[3]))
    rest = _SUFFIX.sub("", rest)
    if process := _PROCESS_ALONE.fullmatch(rest):
        return Origin(started_at=started_at, host=process[1], pid=int(process[2]))
    return Origin(started_at=started_at, host=rest)


_NO_EVENTS: Final = say("this is no TensorBoard event file")
_SIGNS: Final = (
    (b"\x1f\x8b", say("the file is compressed with gzip: unpack it and hand in what is inside")),
    (b"PK\x03\x04", say("{none}: it is a zip archive; unpack it and hand in what is inside", none=_NO_EVENTS)),
    (b"BZh", say("the file is compressed with bzip2: unpack it and hand in what is inside")),
    (b"\xfd7zXZ", say("the file is compressed with xz: unpack it and hand in what is inside")),
    (b"\x28\xb5\x2f\xfd", say("the file is compressed with zstd: unpack it and hand in what is inside")),
    (b"7z\xbc\xaf", say("{none}: it is a 7z archive; unpack it and hand in what is inside", none=_NO_EVENTS)),
    (b"%PDF", say("{none}: it is a PDF", none=_NO_EVENTS)),
    (b"\x89PNG", say("{none}: it is a picture", none=_NO_EVENTS)),
    (b"\xff\xd8\xff", say("{none}: it is a picture", none=_NO_EVENTS)),
    (
        b"version https://git-lfs",
        say("this is a Git LFS pointer and not the file itself: get that with `git lfs pull`"),
    ),
)
_ADVICE: Final = say("(a fresh copy of the file may be whole)")
_HTML: Final = (b"<!doctype html", b"<html")
_HEAD: Final = 1024


def what_it_is(data: bytes) -> str:
    """Why a file without any whole event is not an event file, judging by its first bytes."""
    for sign, sentence in _SIGNS:
        if data.startswith(sign):
            return sentence
    head = data[:_HEAD]
    if head.lstrip().lower().startswith(_HTML):
        return say("{none}: it is a web page (was the page saved instead of the file?)", none=_NO_EVENTS)
    if not head.strip(b"\0"):
        return say(
            "{none}: it begins with {count:,} zero bytes (was a download interrupted?)",
            none=_NO_EVENTS,
            count=len(head),
        )
    if _is_text(head):
        return say("{none}: it is text", none=_NO_EVENTS)
    return say(
        "{none}, or damaged throughout: none of its {size:,} bytes can be read (was it copied as text?)",
        none=_NO_EVENTS,
        size=len(data),
    )


def _is_text(head: bytes) -> bool:
    text = head.decode("utf-8", "ignore")
    return len(text.encode()) >= len(head) - 3 and all(sign.isprintable() or sign.isspace() for sign in text)


def damage_problems(events: int, damage: Mapping[Kind, Damage], malformed: Damage) -> Iterator[Message]:
    """A sentence for each kind of damage: how much, and where. `events` counts the records that are whole."""
    if Kind.DATA in damage:
        lone = damage[Kind.DATA]
        yield say_number(
            "{number:,} of {all:,} events is damaged and left out, {places} {advice}",
            "{number:,} of {all:,} events are damaged and left out, {places} {advice}",
            lone.count,
            all=events + lone.count,
            places=_places(lone),
            advice=_ADVICE,
        )
    if Kind.LOST in damage:
        yield say(
            "{bytes} are damaged and left out, {places}; what follows is read again {advice}",
            bytes=_bytes(damage[Kind.LOST]),
            places=_places(damage[Kind.LOST]),
            advice=_ADVICE,
        )
    if Kind.CUT in damage:
        yield say(
            "the file is cut off in the middle of an event: the last {bytes}, {places}, are lost, after {events} (was "
            "it copied while the training ran?)",
            bytes=_bytes(damage[Kind.CUT]),
            places=_places(damage[Kind.CUT]),
            events=_events(events),
        )
    if Kind.REST in damage:
        yield say(
            "the last {bytes}, {places}, are damaged or no events, and left out, after {events} {advice}",
            bytes=_bytes(damage[Kind.REST]),
            places=_places(damage[Kind.REST]),
            events=_events(events),
            advice=_ADVICE,
        )
    if malformed.count:
        yield say(
            "{count:,} of {all:,} events cannot be understood wholly, {places}",
            count=malformed.count,
            all=events,
            places=_places(malformed),
        )


def _events(count: int) -> Message:
    return say_number("{number:,} event", "{number:,} events", count)


def _bytes(damage: Damage) -> Message:
    return say_number("{number:,} byte", "{number:,} bytes", damage.size)


def _places(damage: Damage) -> Message:
    """Where the damage begins."""
    places = [say("{place:,}", place=place) for place in damage.places]
    if damage.count == 1:
        return say("from byte {place} on", place=places[0])
    if damage.count > len(places):
        more = damage.count - len(places)
        return say("from bytes {places} and {more:,} more on", places=joined(", ", places), more=more)
    return say("from bytes {places} and {last} on", places=joined(", ", places[:-1]), last=places[-1])


MOST_BYTES: Final = 100_000_000


_Content = tuple[tuple[Series, ...], tuple[LoggedText, ...], tuple[Words, ...]]
"""What was logged, and the problems."""


def read_event_file(file: SubmittedFile) -> Log:
    """The scalars and texts of an event file, steps ascending; of a step logged twice the last value counts.

    Another value for a step, and any damage with its place, becomes a problem. A file without scalars is none: programs
    log hyper-parameters alone, too. Never raises for any content of the file.
    """
    name = run_name(file.path)
    data, trouble = read_bytes(file.location, MOST_BYTES)
    series, texts, problems = _content(data, name.subset, whole=not trouble)
    return Log(
        file=file.path,
        name=name.folder,
        seed=name.seed,
        series=series,
        texts=texts,
        origin=origin_of(file.path),
        problems=(*trouble, *problems),
    )


def _content(data: bytes, subset: Subset | None, whole: bool) -> _Content:
    """The content of a file's bytes. If they are not the `whole` file, a truncated end is not reported as damage."""
    if not data:
        return (), (), (say("the file is empty"),) if whole else ()
    records, collector = Records(data), Collector()
    collector.take(records)
    if not whole:
        records.damage.pop(Kind.CUT, None)
    if not collector.events and records.damage.keys() == {Kind.REST}:
        return (), (), (what_it_is(data),)
    series, repeated = _series(collector, subset)
    problems = tuple(damage_problems(collector.events, records.damage, collector.malformed))
    return series, tuple(collector.texts), (*problems, *_other_problems(repeated, collector.left_out))


def _series(collector: Collector, subset: Subset | None) -> tuple[tuple[Series, ...], int]:
    """The series by tag, and how many points were replaced by a later one. The collector's points are released on the
    way."""
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
