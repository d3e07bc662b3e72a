"""What a reader was asked about one hand-in and what it answered, as it is kept beside the result."""

import hashlib
import zlib
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError

from grader.frozen import Frozen
from grader.reader.answer import NoAnswerError, Read, merged, parsed
from grader.reader.card import NOTHING, Earned

FILE: Final = "reader.json.gz"
MOST_BYTES: Final = 16 * 2**20
"""Of the JSON; what is larger is not read back."""
_GZIP: Final = 16 + zlib.MAX_WBITS
_LEVEL: Final = 6


class Record(Frozen):
    """One hand-in's request and answer. `inputs` stands for all that the answer depends on beside the hand-in: reader,
    request, parameters, and what the reader has `earned`. `requests` and `answers` are texts in pairs, more than one
    where the hand-in is too long to be asked about at once; a recorded answer has no request. `asked` is when, in UTC.
    `failure` says why there is no answer."""

    reader: str
    inputs: str
    earned: Earned = NOTHING
    parameters: dict[str, Any] = Field(default_factory=dict)
    instruction: str = ""
    requests: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    asked: str = ""
    failure: str = ""

    @property
    def key(self) -> str:
        """Stands for what follows from it; the time does not count."""
        return hashlib.sha256(self.model_dump_json(exclude={"asked"}).encode()).hexdigest()

    def read(self) -> Read:
        """What the answers state together. Raises NoAnswerError."""
        if self.failure or not self.answers:
            raise NoAnswerError(self.failure or "there is no answer")
        return merged([parsed(answer) for answer in self.answers])


class RecordError(Exception):
    """A kept record cannot be used; the message says why, in words that follow the file's name."""


def packed(record: Record) -> bytes:
    """The content of the file that keeps a record."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return packer.compress(record.model_dump_json().encode("utf-8", "replace")) + packer.flush()


def kept_in(folder: Path) -> Record | None:
    """The record beside a result; None where there is none. Raises RecordError."""
    path = folder / FILE
    try:
        content = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b""
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordError(f"cannot be read ({error.strerror})") from error
    unpacker = zlib.decompressobj(_GZIP)
    try:
        text = unpacker.decompress(content, MOST_BYTES + 1)
    except zlib.error as error:
        raise RecordError("is damaged") from error
    if len(text) > MOST_BYTES or not unpacker.eof:
        raise RecordError("is cut off, or larger than this grader writes")
    try:
        return Record.model_validate_json(text)
    except (ValidationError, RecursionError) as error:
        raise RecordError("does not hold what this version of the grader keeps") from error
