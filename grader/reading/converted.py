"""Texts in formats that only pandoc reads: Typst, reStructuredText, Org, RTF, EPUB.

pandoc is a program of its own and need not be installed. It is given the bytes of the file alone, without access to
files or the network (`--sandbox`), with a limit on memory and time, and its web page is read like any other. A process
that may run no program asks another to convert: see `converting_by`.
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import PurePosixPath
from typing import Final

from grader.intake.submission import REPORT_FORMATS, SubmittedFile
from grader.message import Words, say
from grader.reading.bytes_in import decoded, lines_of, read_bytes
from grader.reading.document import Block, Document
from grader.reading.html import page_document
from grader.reading.office import AS_PDF

FORMATS: Final = ("typst", "rst", "org", "rtf", "epub")
"""Those that pandoc converts, by its names."""
_FORMAT: Final = {suffix: name for name in FORMATS for suffix in REPORT_FORMATS[name]}

_WITHOUT_LINES: Final = frozenset({".epub", ".rtf"})
CONVERSION_SECONDS: Final = 5.0
"""Seconds of processor time for one file where pandoc is confined; elsewhere the wall-clock limit below applies."""
MOST_BYTES: Final = 20_000_000
_MOST_SECONDS: Final = 30.0
_HEAP: Final = "-M640M"
_MOST_LINES: Final = 20_000
_WORD: Final = re.compile(r"[^\W_]+")
_FEWEST_LETTERS: Final = 4
_LOOKED_AT: Final = 6
"""Number of words at the start of a block by which its line is found."""


_FALLBACK: Final = re.compile(rb"(\\u-?[0-9]{1,5})(?![0-9]) ?([^\\{}\s])")
_OTHER_FALLBACKS: Final = re.compile(rb"\\uc(?!1[^0-9])")
"""Where a character has no such sign, or several."""


Convert = Callable[[bytes, str], bytes | None]
"""From a text and pandoc's name for its format to a web page; None where it cannot be converted."""
_CONVERT: Final[ContextVar[Convert | None]] = ContextVar("convert", default=None)


@contextmanager
def converting_by(convert: Convert | None) -> Iterator[None]:
    """Within this context, documents are converted by `convert`, if given, instead of by a program run in this
    process."""
    before = _CONVERT.set(convert)
    try:
        yield
    finally:
        _CONVERT.reset(before)


def asks_for_help(files: Iterable[SubmittedFile]) -> bool:
    """Whether a file needs conversion and this process has no means of converting it."""
    wanted = (_FORMAT.get(PurePosixPath(file.path).suffix.lower()) for file in files)
    return any(one and one not in _formats() for one in wanted) and _CONVERT.get() is None


def read_converted(file: SubmittedFile) -> Document:
    """The blocks of a text as pandoc converts it, with their lines where the source is plain text and its words are
    found there. Never raises for any content."""
    suffix = PurePosixPath(file.path).suffix.lower()
    wanted = _FORMAT[suffix]
    data, trouble = read_bytes(file.location, MOST_BYTES)
    convert = _CONVERT.get()
    if convert is None and wanted not in _formats():
        reason = say(
            "{format} needs the program pandoc, which is missing here or too old: {remedy}",
            format=wanted,
            remedy=AS_PDF,
        )
        return Document(file=file.path, exact=True, problems=(*trouble, reason))
    source = _with_fallbacks_in_hex(data) if wanted == "rtf" else data
    converted = (convert or _convert_here)(source, wanted)
    if converted is None:
        reason = say(
            "pandoc could not convert the file: it is damaged, or pandoc is too old for {format}; {remedy}",
            format=wanted,
            remedy=AS_PDF,
        )
        return Document(file=file.path, exact=True, problems=(*trouble, reason))
    document = page_document(file.path, converted.decode("utf-8", "replace"))
    text, problems = ("", ()) if suffix in _WITHOUT_LINES else decoded(data)
    blocks = tuple(_placed(document.blocks, lines_of(text)[:_MOST_LINES]))
    all_problems: tuple[Words, ...] = (*trouble, *problems, *document.problems)
    return document.model_copy(update={"blocks": blocks, "problems": all_problems})


@cache
def _formats() -> frozenset[str]:
    """The formats that the installed pandoc reads; none where there is no pandoc, or one without a sandbox."""
    program = shutil.which("pandoc")
    if program is None:
        return frozenset()
    try:
        listed = subprocess.run(  # noqa: S603 - a fixed program without any input
            [program, "--sandbox", "--list-input-formats"], capture_output=True, timeout=_MOST_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(listed.stdout.decode("ascii", "ignore").split())


def _with_fallbacks_in_hex(rtf: bytes) -> bytes:
    """RTF in which the sign that old programs show for a character stands as its code. pandoc before 3.0 loses the
    character behind one that stands as itself: `512\\u215?64` would be 512 × 4."""
    if _OTHER_FALLBACKS.search(rtf):
        return rtf
    return _FALLBACK.sub(lambda found: b"%s\\'%02x" % (found[1], found[2][0]), rtf)


def _convert_here(data: bytes, wanted: str) -> bytes | None:
    return converted_by(shutil.which("pandoc") or "pandoc", data, wanted, seconds=_MOST_SECONDS)


def converted_by(program: str, data: bytes, wanted: str, *, seconds: float | None) -> bytes | None:
    """The web page that pandoc (at the path `program`) makes of a text in pandoc's format `wanted`. `seconds` is the
    wall-clock limit; None where something else limits the time."""
    command = [program, "--sandbox", "--from", wanted, "--to", "html5", "--mathjax", "+RTS", _HEAP, "-RTS"]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program; the file is only its input
            command,
            input=data,
            capture_output=True,
            timeout=seconds,
            check=True,
            env={"LANG": "C.UTF-8", "HOME": "/"},
            cwd="/",
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout[:MOST_BYTES]


def _placed(blocks: Sequence[Block], lines: Sequence[str]) -> Iterator[Block]:
    """The blocks with the source line of their first words, searched forward from the last line found."""
    words = [{word.casefold() for word in _WORD.findall(line)} for line in lines]
    last = 0
    for block in blocks:
        wanted = [
            word.casefold() for word in _WORD.findall(block.text) if len(word) >= _FEWEST_LETTERS or word.isdigit()
        ]
        first = set(wanted[:_LOOKED_AT])
        found = next((n for n in range(last, len(words)) if first and len(first & words[n]) * 2 > len(first)), None)
        last = found if found is not None else last
        yield block.model_copy(update={"line": None if found is None else found + 1})
