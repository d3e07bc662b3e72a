"""Decodes bytes of unknown origin into text, and reports problems."""

import codecs
from pathlib import Path
from typing import Final, NamedTuple

from grader.message import Message, Words, say, say_number

MOST_BYTES: Final = 20_000_000
"""Bytes of a text file. A long training log has a few million."""

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MUCH_NUL: Final = 0.01


class Text(NamedTuple):
    """The text of a file; `problems` say what is doubtful or missing."""

    text: str
    problems: tuple[Words, ...] = ()


def read_bytes(location: Path, limit: int = MOST_BYTES) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of a file, at most `limit` of them, with a problem when there are more or it cannot be opened."""
    try:
        with location.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        return b"", (cannot_open(error),)
    return (data[:limit], (TOO_LONG,)) if len(data) > limit else (data, ())


TOO_LONG: Final = say("it is too long; only its beginning is read")
"""The problem of a file that holds more than is read."""
DAMAGED: Final = say("it is damaged; only what could be recovered is read")
TOO_DEEP: Final = say("it is nested too deeply to be read whole")
_BAD_CHARACTERS: Final = say("some of its characters are damaged")


def read_up_to(place: Message) -> Message:
    """The problem of a file that is read up to a place."""
    return say("it is too long; it is read up to {place}", place=place)


def invalid_json(error: ValueError) -> Message:
    """The problem of a file that is not valid JSON."""
    return say("it is not valid JSON ({error})", error=storable(str(error))[:120])


def cannot_open(error: OSError) -> Message:
    """The problem of a file that cannot be opened or read."""
    return say("it cannot be opened ({error})", error=error.strerror or type(error).__name__)


def decode_text(data: bytes) -> Text:
    """Bytes as text: UTF-8, UTF-16 with a byte order mark, else Windows-1252. NUL characters are left out."""
    text, problems = _decoded(data)
    nuls = text.count("\0")
    if nuls > _MUCH_NUL * len(text):
        return Text("", (say("the file is not text (it holds binary data)"),))
    if nuls:
        problem = say_number("{number} NUL character is left out", "{number} NUL characters are left out", nuls)
        return Text(text.replace("\0", ""), (*problems, problem))
    return Text(text, problems)


def _decoded(data: bytes) -> Text:
    if data.startswith(_UTF16):
        text = data.decode("utf-16", errors="replace")
        broken = "\ufffd" in text
        return Text(text, (_BAD_CHARACTERS,) if broken else ())
    try:
        return Text(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        if error.start >= len(data) - 3:
            return Text(data[: error.start].decode("utf-8-sig"), (_BAD_CHARACTERS,))
    text = data.decode("cp1252", errors="replace") if b"\0" not in data else data.decode("latin-1")
    return Text(text, (say("the file is not UTF-8; it is read as Windows-1252, so accented letters may be wrong"),))


def text_of(location: Path, limit: int = MOST_BYTES) -> Text:
    """The text of a file, of its first bytes where it has more than `limit`."""
    data, trouble = read_bytes(location, limit)
    text, problems = decode_text(data)
    return Text(text, (*trouble, *problems))


def lines_of(text: str) -> list[str]:
    """Lines as an editor counts them: only line feeds and carriage returns end one."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def storable(text: str) -> str:
    """The text with lone surrogates, which no UTF-8 file can hold, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
