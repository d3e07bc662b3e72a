"""Runs Tesseract, which reads the text in pictures.

Tesseract is a program of its own and need not be installed. It is given the pixels of one picture alone, which the
grader draws itself: no byte of a submitted file reaches it. A process that may run no program asks another one: see
`recognising_by`.
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from html.parser import HTMLParser
from typing import Final, NamedTuple

SECONDS: Final = 25.0
"""Seconds of processor time for one picture where Tesseract is confined; elsewhere the wall-clock limit applies."""
SECONDS_FOR_ALL: Final = 60.0
"""Seconds of processor time after which a helper reads no more pictures of a hand-in."""
MOST_BYTES: Final = 20_000_000
"""Of one picture, and of what is read in it."""
_MOST_SECONDS: Final = 60.0
_MOST_WORDS: Final = 5_000
_LANGUAGES: Final = "fra+eng"
"""Those that are not installed are passed over."""
_COLUMNS, _ONE_COLUMN = "3", "4"
"""Ways to part a page, as Tesseract counts them."""


class Failure(IntEnum):
    """The reason why nothing was read."""

    DAMAGED = -1
    ABSENT = -2
    TOO_MUCH = -3


class Word(NamedTuple):
    """A word as Tesseract reads it: its left, top, right and bottom edge in pixels, and how sure it is, from 0 to
    100."""

    text: str
    box: tuple[int, int, int, int]
    confidence: int


class TextLine(NamedTuple):
    """The words of a line, its box, and where its baseline runs: its slope, and its height from the box's bottom left
    corner."""

    words: tuple[Word, ...]
    box: tuple[int, int, int, int]
    slope: float
    rise: float

    def baseline_at(self, x: float) -> float:
        """The height of the baseline, in pixels from the top."""
        left, _, _, bottom = self.box
        return bottom + self.rise + self.slope * (x - left)


Recognise = Callable[[bytes, bool], bytes | Failure]
"""From a picture in levels of grey (a binary PGM), and whether text may stand in columns in it, to what Tesseract reads
in it, as hOCR."""
_RECOGNISE: Final[ContextVar[Recognise | None]] = ContextVar("recognise", default=None)


class Wish:
    """Stands for a helper that was not started, and notes that it would have been asked."""

    def __init__(self) -> None:
        self.is_made = False

    def __call__(self, _picture: bytes, _in_columns: bool) -> Failure:
        """Note the wish."""
        self.is_made = True
        return Failure.ABSENT


@contextmanager
def recognising_by(recognise: Recognise | None) -> Iterator[None]:
    """Within this context, pictures are read by `recognise`, if given, instead of by a program run in this process."""
    before = _RECOGNISE.set(recognise)
    try:
        yield
    finally:
        _RECOGNISE.reset(before)


def asks_for_help() -> bool:
    """Whether a picture was met in this context that a helper would have read."""
    recognise = _RECOGNISE.get()
    return isinstance(recognise, Wish) and recognise.is_made


def is_there() -> bool:
    """Whether there is, or may be, a program to read pictures with."""
    return _RECOGNISE.get() is not None or shutil.which("tesseract") is not None


def lines_in(picture: bytes, *, in_columns: bool = False) -> Sequence[TextLine] | Failure:
    """The lines of text that Tesseract reads in a picture in levels of grey (a binary PGM), in its reading order. It
    looks for columns only where text may stand `in_columns`, since it takes those of a table for such, too."""
    recognise = _RECOGNISE.get()
    program = shutil.which("tesseract") if recognise is None else None
    if recognise is None and program is None:
        return Failure.ABSENT
    if recognise is not None:
        read = recognise(picture, in_columns)
    else:
        read = recognised_by(program or "", picture, in_columns, seconds=_MOST_SECONDS)
    return read if isinstance(read, Failure) else text_lines(read.decode("utf-8", "replace"))


def recognised_by(program: str, picture: bytes, in_columns: bool, *, seconds: float | None) -> bytes | Failure:
    """Return what Tesseract (at the path `program`) reads in a picture. `seconds` is the wall-clock limit; None if
    something else limits the time."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program; the picture is only its input
            [program, "stdin", "stdout", "-l", _LANGUAGES, "--psm", _COLUMNS if in_columns else _ONE_COLUMN, "hocr"],
            input=picture,
            capture_output=True,
            timeout=seconds,
            check=False,
            env={"LANG": "C.UTF-8", "HOME": "/", "OMP_THREAD_LIMIT": "1"},
            cwd="/",
        )
    except subprocess.TimeoutExpired:
        return Failure.TOO_MUCH
    except OSError:
        return Failure.DAMAGED
    if done.returncode == 0:
        return done.stdout if len(done.stdout) <= MOST_BYTES else Failure.TOO_MUCH
    return Failure.TOO_MUCH if done.returncode < 0 else Failure.DAMAGED


def text_lines(hocr: str) -> list[TextLine]:
    """The lines in what Tesseract writes about a picture; what is not as it writes it is passed over."""
    reader = _HocrReader()
    reader.feed(hocr)
    reader.close()
    return reader.lines()


_LINES: Final = frozenset(("ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"))
_VALUES: Final = re.compile(r"(\w+)((?: -?[\d.]+)+)(?:;|$)")


class _HocrReader(HTMLParser):
    """Gathers lines and words; text outside words is nothing but layout."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[tuple[dict[str, list[float]], list[tuple[dict[str, list[float]], list[str]]]]] = []
        self._in_word = False
        self._words = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        kind = given.get("class")
        if tag != "span" or self._words > _MOST_WORDS:
            return
        values = {
            name: [float(number) for number in numbers.split() if number.count(".") < 2]
            for name, numbers in _VALUES.findall(given.get("title") or "")
        }
        if kind in _LINES:
            self._lines.append((values, []))
        elif kind == "ocrx_word" and self._lines:
            self._lines[-1][1].append((values, []))
            self._words += 1
            self._in_word = True

    def handle_endtag(self, tag: str) -> None:
        self._in_word = self._in_word and tag != "span"

    def handle_data(self, data: str) -> None:
        if self._in_word:
            self._lines[-1][1][-1][1].append(data)

    def lines(self) -> list[TextLine]:
        """All lines that hold words."""
        found = []
        for values, inner in self._lines:
            words = [
                Word("".join("".join(text).split()), box, int(word_values.get("x_wconf", [0])[0]))
                for word_values, text in inner
                if (box := _box(word_values)) and "".join(text).strip()
            ]
            box, (slope, rise) = _box(values), values.get("baseline", [0.0, 0.0])[:2]
            if words and box:
                found.append(TextLine(tuple(words), box, slope, rise))
        return found


def _box(values: dict[str, list[float]]) -> tuple[int, int, int, int] | None:
    match [int(side) for side in values.get("bbox", ())]:
        case [left, top, right, bottom] if 0 <= left < right and 0 <= top < bottom:
            return left, top, right, bottom
    return None
