"""What lies between a reading and a result, and which part of a lab each stage may see.

Two stages of grading are kept beside a result as compressed JSON, so that a class can be graded again without its
hand-ins:

graded/<student>/reading.json.gz     what was read in the hand-in
graded/<student>/findings.json.gz    what the checks concluded; follows from reading, lab and truth

Only the reading is needed. The findings save time while nothing that they follow from has changed. What is read back is
as little trusted as a hand-in: it is checked against its model, within bounds, and nothing in it is run.
"""

import json
import zlib
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, Field, ValidationError

from grader.checks.finding import Finding, Flag
from grader.claims.likeness import TextPrint
from grader.frozen import Frozen, remembered
from grader.lab.definition import Item, Lab, LatePolicy
from grader.lab.short_answers import Decisions
from grader.message import Words
from grader.pipeline.stored_words import Told, stored_words, with_words
from grader.reader.consulted import ReaderUsed
from grader.reading.log import FileRecord
from grader.result import Average, Curve, CurveBand, SeriesPrint


class Judged(Frozen):
    """All that a result tells of one hand-in before a point is given: who it is, and what it is worth, come later."""

    findings: tuple[Finding, ...]
    flags: tuple[Flag, ...]
    files: tuple[FileRecord, ...] = ()
    report: str | None = None
    report_reason: Words = ""
    curves: tuple[Curve, ...] = ()
    curve_bands: tuple[CurveBand, ...] = ()
    series: tuple[SeriesPrint, ...] = ()
    averages: tuple[Average, ...] = ()
    average_bands: tuple[CurveBand, ...] = ()
    prose: TextPrint | None = None
    reader: ReaderUsed | None = None


@remembered
def seen_by_checks(lab: Lab) -> Lab:
    """The lab without points, lateness and names of files: checks know none of these, so a change of them leaves
    every finding as it is."""
    return _with_items(lab, {"points": Decimal(0), "partial": Decimal(0)}).model_copy(
        update={"late": LatePolicy(), "language": "en", "models": (), "sha256": ""}
    )


@remembered
def seen_by_claims(lab: Lab) -> Lab:
    """The lab as the reading of claims sees it: without what its checks are asked for, too, and without decisions."""
    return _with_items(seen_by_checks(lab), {"options": {}, "needs": ()}).model_copy(
        update={"decisions": Decisions(), "watches": (), "reruns": ()}
    )


def _with_items(lab: Lab, changes: dict[str, object]) -> Lab:
    def changed(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(item.model_copy(update=changes) for item in items)

    questions = tuple(one.model_copy(update={"items": changed(one.items)}) for one in lab.questions)
    return lab.model_copy(update={"questions": questions})


READING, FINDINGS = STAGE_FILES = ("reading.json.gz", "findings.json.gz")
FORMER_STAGE_FILE: Final = "claims.json.gz"
"""Was kept by earlier versions. It is never read, and removed where its hand-in is graded anew."""

SCHEMA: Final = 1
MOST_BYTES: Final = 32 * 2**20
"""Of the JSON. What is larger is not kept, and not read back."""

_LEVEL: Final = 4
_GZIP: Final = 16 + zlib.MAX_WBITS

Stage = TypeVar("Stage", bound=BaseModel)


class StoredReadingError(Exception):
    """A kept stage cannot be used; the message says why, in words that follow the file's name."""


class Maker(Frozen):
    """What made a file: the grader to the last line of its code, the versions of what it stands on, and the hash of
    the lab's own forms of logs, where it has some."""

    grader: str = ""
    logs: str = ""
    libraries: dict[str, str] = Field(default_factory=dict)

    def read_as(self, other: "Maker") -> bool:
        """Whether another one would read a hand-in in the same way."""
        return (self.grader, self.logs) == (other.grader, other.logs)


class Kept(Frozen, Generic[Stage]):
    """A stage as it is kept. `key` stands for all that it follows from."""

    schema_version: int = Field(alias="schema")
    key: str
    maker: Maker
    words: list[dict[str, Any]] = Field(default_factory=list, repr=False)
    value: Stage


def packed(value: BaseModel, key: str, maker: Maker) -> bytes | None:
    """The content of a file that keeps a stage, the same for the same value; None where it is too large, or where it
    would not be read back as it is."""
    content = _json(value, key, maker)
    if len(content) > MOST_BYTES:
        return None
    try:
        back = _read(content, type(value))
    except ValidationError:
        return None
    if back.value != value and _json(back.value, key, maker) != content:  # values that are no numbers equal nothing
        return None
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return packer.compress(content) + packer.flush()


def unpacked(content: bytes, kind: type[Stage]) -> Kept[Stage]:
    """A stage from the content of its file. Raises StoredReadingError."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        text = unpacker.decompress(content, MOST_BYTES + 1)
    except zlib.error as error:
        raise StoredReadingError("is damaged") from error
    if len(text) > MOST_BYTES:
        raise StoredReadingError("is larger than this grader writes")
    if not unpacker.eof:
        raise StoredReadingError("is cut off")
    try:
        kept = _read(text, kind)
    except (ValidationError, RecursionError) as error:
        raise StoredReadingError("does not hold what this version of the grader keeps") from error
    if kept.schema_version != SCHEMA:
        raise StoredReadingError(f"has the schema {kept.schema_version}; this grader knows {SCHEMA}")
    return kept


def kept_in(path: Path, kind: type[Stage]) -> Kept[Stage]:
    """A stage from its file. Raises StoredReadingError, also when there is none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise StoredReadingError("is larger than this grader writes")
        return unpacked(path.read_bytes(), kind)
    except FileNotFoundError as error:
        raise StoredReadingError("is not there") from error
    except OSError as error:
        raise StoredReadingError(f"cannot be read ({error.strerror})") from error


def _read(content: bytes, kind: type[Stage]) -> Kept[Stage]:
    kept = Kept[kind].model_validate_json(content)  # type: ignore[valid-type]  # the model of this very kind
    words: list[Told] = kept.words
    return kept.model_copy(update={"value": with_words(kept.value, words)})


def _json(value: BaseModel, key: str, maker: Maker) -> bytes:
    whole = {
        "schema": SCHEMA,
        "key": key,
        "maker": maker.model_dump(),
        "words": stored_words(value),
        "value": value.model_dump(exclude_defaults=True),
    }
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), default=_plain_reading)
    return text.encode("utf-8", "replace")


def _plain_reading(value: Any) -> Any:
    """Sets in an order of their own; exact numbers and times as text."""
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
