"""Safetensors files: the tensors' names, types and shapes, and of some whether their values are zero."""

import struct
from collections.abc import Callable
from math import hypot
from typing import BinaryIO, Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.adapters.adapter import Tensor, Weights
from grader.reading.adapters.names import starts_at_zero
from grader.reading.adapters.safetensors_header import Entry, read_header

MOST_DECODED: Final = 32_000_000
"""In bytes of one file, for norms; what lies beyond is only compared with zero."""

_CHUNK: Final = 1 << 16
_ZEROS: Final = bytes(_CHUNK)
_CODES: Final = {
    "F64": "d", "F32": "f", "F16": "e", "I8": "b", "U8": "B", "I16": "h", "U16": "H", "I32": "i", "U32": "I",
    "I64": "q", "U64": "Q",
}  # fmt: skip
"""Of the struct module, by the format's names."""


class _Values(NamedTuple):
    zero: bool | None = None
    norm: float | None = None


def read_safetensors(file: SubmittedFile) -> Weights:
    """The tensors of a file by name; values are read only of those that start at zero, so that it can be told whether
    training moved them. What is wrong becomes a problem; never raises for any content."""
    try:
        with file.location.open("rb") as opened:
            return _weights(file.path, opened)
    except OSError as error:
        return Weights(
            file=file.path, problems=(say("the file cannot be opened: {error}", error=error.strerror or "OSError"),)
        )


def _weights(path: str, opened: BinaryIO) -> Weights:
    size = opened.seek(0, 2)
    opened.seek(0)
    header = read_header(opened, size)
    left = MOST_DECODED
    tensors: list[Tensor] = []
    for entry in header.entries:
        values = _Values()
        if header.apart and entry.begin < entry.end <= size and starts_at_zero(entry.name):
            values, left = _values(opened, entry, left)
        tensors.append(
            Tensor(name=entry.name, dtype=entry.dtype, shape=entry.shape, zero=values.zero, norm=values.norm)
        )
    tensors.sort(key=lambda tensor: tensor.name)
    return Weights(
        file=path,
        tensors=tuple(tensors),
        whole=header.whole,
        metadata=header.metadata,
        problems=header.problems,
    )


def _values(opened: BinaryIO, entry: Entry, left: int) -> tuple[_Values, int]:
    """Whether a tensor's values are zero and their norm, and how many bytes may still be decoded after that."""
    decode = _decoder(entry.dtype)
    opened.seek(entry.begin)
    norm, all_known = 0.0, True
    for begin in range(entry.begin, entry.end, _CHUNK):
        chunk = opened.read(min(_CHUNK, entry.end - begin))
        if chunk == _ZEROS[: len(chunk)]:
            continue
        if decode is None or left < len(chunk):
            all_known = False
            break
        left -= len(chunk)
        norm = hypot(norm, *decode(chunk))
    if all_known:
        return _Values(norm == 0, norm), left
    return _Values(False if norm else None), left


def _decoder(dtype: str) -> Callable[[bytes], tuple[float, ...]] | None:
    """From bytes of whole values to numbers; None for types that weights are seldom saved in."""
    if dtype == "BF16":
        return _bfloats
    code = _CODES.get(dtype)
    return None if code is None else lambda chunk: struct.unpack(f"<{len(chunk) // struct.calcsize(code)}{code}", chunk)


def _bfloats(chunk: bytes) -> tuple[float, ...]:
    """A BF16 is the upper half of a 32-bit float."""
    wide = bytearray(2 * len(chunk))
    wide[2::4], wide[3::4] = chunk[0::2], chunk[1::2]
    return struct.unpack(f"<{len(chunk) // 2}f", wide)
