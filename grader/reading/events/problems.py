"""What is wrong with an event file, in words for its student."""

from collections.abc import Iterator, Mapping
from typing import Final

from grader.reading.events.records import Damage, Kind

_NO_EVENTS: Final = "this is no TensorBoard event file"
_SIGNS: Final = (
    (b"\x1f\x8b", "the file is compressed with gzip: unpack it and hand in what is inside"),
    (b"PK\x03\x04", f"{_NO_EVENTS}: it is a zip archive; unpack it and hand in what is inside"),
    (b"BZh", "the file is compressed with bzip2: unpack it and hand in what is inside"),
    (b"\xfd7zXZ", "the file is compressed with xz: unpack it and hand in what is inside"),
    (b"\x28\xb5\x2f\xfd", "the file is compressed with zstd: unpack it and hand in what is inside"),
    (b"7z\xbc\xaf", f"{_NO_EVENTS}: it is a 7z archive; unpack it and hand in what is inside"),
    (b"%PDF", f"{_NO_EVENTS}: it is a PDF"),
    (b"\x89PNG", f"{_NO_EVENTS}: it is a picture"),
    (b"\xff\xd8\xff", f"{_NO_EVENTS}: it is a picture"),
    (b"version https://git-lfs", "this is a Git LFS pointer and not the file itself: get that with `git lfs pull`"),
)
_ADVICE: Final = "(a fresh copy of the file may be whole)"
_HTML: Final = (b"<!doctype html", b"<html")
_HEAD: Final = 1024


def what_it_is(data: bytes) -> str:
    """Why a file without a single whole event is none, as far as its first bytes tell."""
    for sign, sentence in _SIGNS:
        if data.startswith(sign):
            return sentence
    head = data[:_HEAD]
    if head.lstrip().lower().startswith(_HTML):
        return f"{_NO_EVENTS}: it is a web page (was the page saved instead of the file?)"
    if not head.strip(b"\0"):
        return f"{_NO_EVENTS}: it begins with {len(head):,} zero bytes (was a download interrupted?)"
    if _is_text(head):
        return f"{_NO_EVENTS}: it is text"
    size = f"{len(data):,}"
    return f"{_NO_EVENTS}, or damaged throughout: none of its {size} bytes can be read (was it copied as text?)"


def _is_text(head: bytes) -> bool:
    text = head.decode("utf-8", "ignore")
    return len(text.encode()) >= len(head) - 3 and all(sign.isprintable() or sign.isspace() for sign in text)


def damage_problems(events: int, damage: Mapping[Kind, Damage], malformed: Damage) -> Iterator[str]:
    """A sentence for each kind of damage: how much, and where. `events` counts the records that are whole."""
    if Kind.DATA in damage:
        lone = damage[Kind.DATA]
        which = f"{lone.count:,} of {events + lone.count:,} events {'is' if lone.count == 1 else 'are'}"
        yield f"{which} damaged and left out, {_places(lone)} {_ADVICE}"
    if Kind.LOST in damage:
        lost = damage[Kind.LOST]
        yield f"{_bytes(lost)} are damaged and left out, {_places(lost)}; what follows is read again {_ADVICE}"
    if Kind.CUT in damage:
        cut = damage[Kind.CUT]
        yield (
            f"the file is cut off in the middle of an event: the last {_bytes(cut)}, {_places(cut)}, are lost, "
            f"after {_events(events)} (was it copied while the training ran?)"
        )
    if Kind.REST in damage:
        rest = damage[Kind.REST]
        yield (
            f"the last {_bytes(rest)}, {_places(rest)}, are damaged or no events, and left out, "
            f"after {_events(events)} {_ADVICE}"
        )
    if malformed.count:
        yield f"{malformed.count:,} of {events:,} events cannot be understood wholly, {_places(malformed)}"


def _events(count: int) -> str:
    return f"{count:,} event{'' if count == 1 else 's'}"


def _bytes(damage: Damage) -> str:
    return f"{damage.size:,} byte{'' if damage.size == 1 else 's'}"


def _places(damage: Damage) -> str:
    """Where the damage begins."""
    places = [f"{place:,}" for place in damage.places]
    if damage.count == 1:
        return f"from byte {places[0]} on"
    if damage.count > len(places):
        return f"from bytes {', '.join(places)} and {damage.count - len(places):,} more on"
    return f"from bytes {', '.join(places[:-1])} and {places[-1]} on"
