"""The header of a safetensors file: names, types, shapes and places of its tensors, without their values.

A file is the header's length (8 bytes, little-endian), the header (a JSON object), and the values; places count from
the end of the header. Source: the format's description at github.com/huggingface/safetensors.
"""

import json
from itertools import pairwise
from math import prod
from typing import Any, BinaryIO, Final, NamedTuple, TypeGuard

from grader.message import Message, Words, say
from grader.reading.bytes_in import storable

MOST_HEADER: Final = 4_000_000
"""In bytes; the format allows 100 million. That of the lab's adapter has 7 thousand."""

MOST_TENSORS: Final = 20_000

BITS: Final = {
    "BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32, "I32": 32, "U64": 64, "I64": 64,
    "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "C64": 64,
    "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "F6_E2M3": 6, "F6_E3M2": 6, "F4": 4,
}  # fmt: skip
"""Bits of one value, by type."""

_LENGTH: Final = 8
_LONGEST_NAME: Final = 500
_MOST_DIMENSIONS: Final = 10
_LARGEST: Final = 2**48


class Entry(NamedTuple):
    """One tensor; its values are the bytes from `begin` to `end` of the file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class Header(NamedTuple):
    """The sound entries by place, the writer's notes, and what is wrong. `whole`: these are all tensors that the header
    names; `apart`: no two of them share bytes."""

    entries: tuple[Entry, ...] = ()
    metadata: dict[str, str] = {}  # noqa: RUF012 - never written to
    problems: tuple[Words, ...] = ()
    whole: bool = False
    apart: bool = True


def read_header(file: BinaryIO, size: int) -> Header:
    """The header of an open file of `size` bytes. Never raises for any content."""
    start = file.read(_LENGTH)
    length = int.from_bytes(start, "little")
    if size == 0:
        return Header(problems=(say("the file is empty"),))
    if len(start) < _LENGTH or length < 2 or file.read(1) != b"{":
        return Header(problems=(say("the file is not in the safetensors format, or its beginning is damaged"),))
    if length > MOST_HEADER:
        return Header(
            problems=(
                say(
                    "the file's header claims {length} bytes; more than {most} are not read",
                    length=length,
                    most=MOST_HEADER,
                ),
            )
        )
    if length > size - _LENGTH:
        return Header(problems=(say("the file ends within its header: it was not saved or uploaded whole"),))
    content = _parsed(b"{" + file.read(length - 1))
    return _header(content, _LENGTH + length, size) if isinstance(content, dict) else Header(problems=(content,))


def _parsed(raw: bytes) -> dict[str, Any] | str:
    """The header as JSON, or what is wrong with it."""
    try:
        content = json.loads(raw.decode("utf-8"))
    except RecursionError:
        return say("the file's header is nested too deeply")
    except ValueError as error:
        return say("the file's header is not valid JSON: {error}", error=storable(str(error))[:120])
    return content if isinstance(content, dict) else say("the file's header is no JSON object")


def _header(content: dict[str, Any], base: int, size: int) -> Header:
    notes = content.pop("__metadata__", {})
    entries: list[Entry] = []
    faults: list[str] = []
    for name, description in list(content.items())[:MOST_TENSORS]:
        entry = _entry(name, description, base)
        if isinstance(entry, Entry):
            entries.append(entry)
        else:
            faults.append(say("{name}: {problem}", name=storable(name)[:100], problem=entry))
    entries.sort(key=lambda entry: (entry.begin, entry.end, entry.name))
    problems = [_left_out(faults, len(content))] if faults else []
    if len(content) > MOST_TENSORS:
        problems.append(
            say("the file holds {count} tensors; only {most} are listed", count=len(content), most=MOST_TENSORS)
        )
    elif not content:
        problems.append(say("the file holds no tensors"))
    apart = all(first.end <= then.begin for first, then in pairwise(entries))
    whole = 0 < len(entries) == len(content)
    problems += _layout(entries, base, size, apart, whole)
    return Header(tuple(entries), _notes(notes), tuple(problems), whole, apart)


def _left_out(faults: list[str], of: int) -> str:
    return say(
        "{count} of {all} tensors are not described as the format asks and are left out; first {first}",
        count=len(faults),
        all=of,
        first=faults[0],
    )


def _notes(notes: Any) -> dict[str, str]:
    if not isinstance(notes, dict):
        return {}
    pairs = [(key, value) for key, value in notes.items() if isinstance(value, str)][:100]
    return {storable(key)[:_LONGEST_NAME]: storable(value)[:_LONGEST_NAME] for key, value in pairs}


def _entry(name: str, description: Any, base: int) -> Entry | str:
    """The tensor that a header describes, or what is wrong with the description."""
    if not isinstance(description, dict) or len(name) > _LONGEST_NAME:
        return say("no description, or a name that is too long")
    dtype, shape, place = (description.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not isinstance(dtype, str) or dtype not in BITS:
        return say("its type is unknown")
    if not _are_sizes(shape) or len(shape) > _MOST_DIMENSIONS:
        return say("its shape is no list of sizes")
    if not _are_sizes(place) or len(place) != 2:
        return say("its place in the file is not given")
    begin, end = place
    if 8 * (end - begin) != prod(shape) * BITS[dtype]:
        return say("its place in the file does not have the size of its shape")
    return Entry(storable(name), dtype, tuple(shape), base + begin, base + end)


def _are_sizes(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(part) is int and 0 <= part <= _LARGEST for part in value)


def _layout(entries: list[Entry], base: int, size: int, apart: bool, whole: bool) -> list[Message]:
    """What is wrong with how the values lie in the file. With entries left out, gaps mean nothing."""
    problems = [] if apart else [say("tensors of the file share bytes, which the format forbids; no values are read")]
    end = max((entry.end for entry in entries), default=base)
    if end > size:
        cut = sum(entry.end > size for entry in entries)
        problems.append(
            say(
                "the file is cut off: the values of {cut} of {count} tensors are missing; save or upload it again",
                cut=cut,
                count=len(entries),
            )
        )
    elif apart and whole and sum(entry.end - entry.begin for entry in entries) != size - base:
        problems.append(say("the file holds bytes that belong to no tensor, which the format forbids"))
    return problems
