"""Offline runs of Weights & Biases, as its library writes them since version 0.19."""

import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from zlib import crc32

from grader.reading.events import VARINT, key_of, varint_of

_BLOCK: Final = 32_768
_HEADER: Final = 7
_MAGIC: Final = b":W&B\xe1\xbe\x00"
_KEY, _NESTED_KEY = 1, 2
HISTORY, SUMMARY = 2, 3

Row = Mapping[str, object]


def field(number: int, content: bytes) -> bytes:
    """A field of bytes in a message of Protocol Buffers."""
    return varint_of(key_of(number, 2)) + varint_of(len(content)) + content


def count(number: int, value: int) -> bytes:
    """A field of an unsigned integer."""
    return varint_of(key_of(number, VARINT)) + varint_of(value)


def items(row: Row, nested: bool = True) -> bytes:
    """The values of a row by their names, whose parts are separated by a colon."""
    key = _NESTED_KEY if nested else _KEY
    named = {b"".join(field(key, part.encode()) for part in name.split(":")): value for name, value in row.items()}
    return b"".join(field(1, name + field(16, json.dumps(value).encode())) for name, value in named.items())


def record(number: int, kind: int, row: Row, step: int | None = None, nested: bool = True) -> bytes:
    """A row of the history, or of the summary."""
    behind = b"" if step is None else field(2, count(1, step) if step else b"")
    return count(1, number) + field(kind, items(row, nested) + behind)


def records(rows: Iterable[tuple[int, Row]]) -> Iterator[bytes]:
    """What the calls that log some rows leave, each by its step: two summaries and the row, with the names of each in
    any order, as Go puts them."""
    for number, (step, row) in enumerate(rows):
        own = list({**row, "_timestamp": 1.7e9 + step / 7, "_runtime": step / 7, "_step": step}.items())
        turned, turned_else = (dict(own[at:] + own[:at]) for at in (number % len(own), number * 5 % len(own)))
        yield record(3 * number + 1, SUMMARY, {"_wandb:runtime": step // 7})
        yield record(3 * number + 2, SUMMARY, turned)
        yield record(3 * number + 3, HISTORY, turned_else, step)


def framed(payloads: Iterable[bytes]) -> bytes:
    """Records in blocks of 32 KiB, each piece with its checksum, length and kind."""
    parts, at = [_MAGIC], len(_MAGIC)
    for payload in payloads:
        rest, begun = payload, False
        while rest or not begun:
            room = _BLOCK - at % _BLOCK
            if room < _HEADER:
                parts.append(bytes(room))
                at += room
                continue
            piece, rest = rest[: room - _HEADER], rest[room - _HEADER :]
            kind = (3 if rest else 4) if begun else (2 if rest else 1)
            parts.append(struct.pack("<IHB", crc32(bytes([kind]) + piece), len(piece), kind) + piece)
            at += _HEADER + len(piece)
            begun = True
    return b"".join(parts)
