"""Compare texts and logs: similar short answers, and fingerprints of submissions.

Fingerprints keep no words, machines or times. Sequences of five words are hashed, and the smallest hashes are kept.
They are a fair sample of the sequences, and the same for the same text (Broder 1997, "On the resemblance and
containment of documents").
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, Field

from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.language.shapes import WORD
from grader.reading.document import BlockKind
from grader.reading.log import Run, Series

if TYPE_CHECKING:
    from grader.claims.sections import Section

_HASH_LENGTH: Final = 16
_WORD: Final = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+|[=+/<>?≤≥≠∈~≈^%#@$×-]")
_LIST_LENGTH: Final = 4
_SHORTEST_OF_A_LIST: Final = 3
_LONGER_OF_A_LIST: Final = 6
"""One of this many pieces of a list may be longer."""


def words(text: str) -> tuple[str, ...]:
    """Return the words, numbers and signs of a text, without case, accents and hyphens within words."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return tuple(entry for entry in _WORD.findall(re.sub(r"(?<=\w)-\s?(?=\w)", "", plain)) if entry != "-")


def group_key(topic: str, text: str, other_value: str | None = None) -> str:
    """Return the key of an answer for stored decisions.

    Case, accents and punctuation make no difference. A stated value that is not the lab's does.
    """
    tokens = (*words(text), *(("=", *words(other_value)) if other_value else ()))
    return f"{topic}:{hashlib.sha256(' '.join(tokens).encode()).hexdigest()[:_HASH_LENGTH]}"


def is_word_list(text: str) -> bool:
    """Whether a text lists things without a statement: several pieces of one or two words between punctuation."""
    pieces = [words(piece) for piece in re.split(r"[,;/|•\n–—]|\s-\s", text) if piece.strip()]
    longer = sum(len(piece) >= _SHORTEST_OF_A_LIST for piece in pieces)
    return len(pieces) >= _LIST_LENGTH and longer <= len(pieces) // _LONGER_OF_A_LIST


_DENIED: Final = re.compile(
    r"^\W*(?:no\W+)?(?:(?:it|this|that|he|she)\s+)?(?:is|are|was|means|ce|c'est|ce n'est|n'est)?\s*"
    r"(?:not|never|unlike|anything but|by no means|rather than|the opposite|the contrary|pas|jamais|le contraire)\b"
    r"|^\W*(?:it is |this is )?(?:wrong|false|faux)\b"
    r"|\b(?:is|are|c'est)\s+(?:wrong|false|not true|faux)\W*$|nothing to do with|rien à voir avec",
    re.IGNORECASE,
)


def is_denied(text: str) -> bool:
    """Whether a text denies its own content: `not the rank of …`, `…: this is wrong`."""
    return bool(_DENIED.search(text))


RUN: Final = 5
KEPT: Final = 256
DIGITS: Final = 8
_MOST_WORDS: Final = 50_000
_PROSE: Final = (BlockKind.LINE, BlockKind.LIST_ITEM)


class TextPrint(Frozen):
    """A fingerprint of prose, for staff only. No word can be read from it.

    `runs` is the number of different sequences of words. `sketch` has the smallest of their hashes in order, each with
    `DIGITS` hexadecimal digits.
    """

    runs: int
    sketch: str = ""

    @property
    def hashes(self) -> list[int]:
        """The hashes of the sketch in ascending order."""
        return [int(self.sketch[at : at + DIGITS], 16) for at in range(0, len(self.sketch), DIGITS)]

    @property
    def is_whole(self) -> bool:
        """Whether the sketch contains all sequences instead of a sample."""
        return self.runs <= KEPT


def text_print(sections: "Iterable[Section]", lab: Lab) -> TextPrint | None:
    """Return the fingerprint of an answer sheet's prose, or None without prose.

    Formulas, tables, code, captions, pictures, references, numbers, and sequences from the lab's titles or the
    library's documentation are left out.
    """
    common_runs = set(_runs(_words_of_everyone(lab)))
    own_runs = {run for run in _runs(_prose(sections)) if run not in common_runs}
    if not own_runs:
        return None
    smallest = sorted({_hash(run) for run in own_runs})[:KEPT]
    return TextPrint(runs=len(own_runs), sketch="".join(f"{digest:0{DIGITS}x}" for digest in smallest))


def _prose(sections: "Iterable[Section]") -> Iterator[str]:
    """Return one text for each section, because a sequence of words ends with its section."""
    for section in sections:
        if not section.is_closing:
            yield "\n".join(block.text for block in section.passage.blocks if block.kind in _PROSE)


def _words_of_everyone(lab: Lab) -> Iterator[str]:
    """Return the texts of the course and the library, whose words everyone may use."""
    yield lab.title
    for question in lab.questions:
        yield question.title
        yield from (item.title for item in question.items)
    for parameter in lab.parameters:
        yield from parameter.documentation


def _runs(texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
    left = _MOST_WORDS
    for text in texts:
        words: Sequence[str] = WORD.findall(text.casefold())[: max(left, 0)]
        left -= len(words)
        yield from zip(*(words[at:] for at in range(RUN)), strict=False)


def _hash(run: tuple[str, ...]) -> int:
    return int.from_bytes(blake2b(" ".join(run).encode(), digest_size=DIGITS // 2).digest(), "big")


_FEWEST: Final = 3
"""Shorter curves may be equal by chance."""


class SeriesPrint(Frozen):
    """A logged curve of a submission as a hash of its steps and values."""

    # Results of earlier releases also contain hashes of times and processes, which are ignored.
    model_config = ConfigDict(frozen=True, extra="ignore")

    experiment: str | None
    seed: int | None
    split: str
    points: int
    values: str = Field(description="Hash of steps and values.")


def series_prints(runs: Iterable[Run], lab: Lab) -> tuple[SeriesPrint, ...]:
    """Return the fingerprints of all curves with at least three points."""
    return tuple(dict.fromkeys(series_print for run in runs for series_print in _prints_of_run(run, lab)))


def _prints_of_run(run: Run, lab: Lab) -> Iterator[SeriesPrint]:
    """Yield the fingerprints of a run's curves that are long enough."""
    from grader.claims.logged import curves_of, logged_runs

    known_runs = logged_runs([run], lab)
    curves = ((measure, *curve) for measure in lab.measured for curve in curves_of(run, measure, lab))
    for measure, _log, series, split in curves:
        if known_runs and len(series.steps) >= _FEWEST:
            yield SeriesPrint(
                experiment=known_runs[0].experiment,
                seed=known_runs[0].seed,
                split=split,
                points=len(series.steps),
                values=_series_hash(*series.steps, *(f"{value:.5g}" for value in _in_percent(series, measure))),
            )


def _in_percent(series: Series, measure: Measure) -> Iterator[float]:
    """Return the values of a series, shares in percent."""
    factor = 100 if measure.is_share and all(value <= 1 for value in series.values) else 1
    return (value * factor for value in series.values)


def _series_hash(*parts: object) -> str:
    return sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]
