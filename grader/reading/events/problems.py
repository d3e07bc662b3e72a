"""What is wrong with an event file, in words for its student."""

from collections.abc import Iterator, Mapping
from typing import Final

from grader.message import Message, joined, say, say_number
from grader.reading.events.records import Damage, Kind

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
    """Why a file without a single whole event is none, as far as its first bytes tell."""
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
