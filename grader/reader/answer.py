"""The form of a reader's answer, a JSON object. Whatever does not have that form is dropped and counted. The module
also holds the record of question and answer that is kept beside the result."""

import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from grader.frozen import Frozen
from grader.reader.card import NOTHING, EarnedRights

LONGEST: Final = 2_000_000
"""Of an answer, in characters; a longer one is none."""
MOST_ENTRIES: Final = 1_000
"""Of one list of an answer; what follows is dropped."""
_LONGEST_TEXT: Final = 4_000

PARTS: Final = (
    "token embedding",
    "position embedding",
    "attention",
    "feed-forward",
    "norms",
    "biases",
    "head",
    "layer",
    "all layers",
    "other",
)
Label = Literal["correct", "partial", "wrong"]


def _plain(value: Any) -> Any:
    """A number as text: `79.3` for `"79.3"`; a long text cut."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return repr(value)
    return value[:_LONGEST_TEXT] if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_plain)]


class _Entry(BaseModel):
    """One statement of an answer; keys that nobody asked for are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class QuotedStatement(_Entry):
    """A statement with the words that state it."""

    quote: Annotated[Text, Field(min_length=1)]


class Number(QuotedStatement):
    """A number as it stands."""

    value: Text


class Part(Number):
    """A part of the model that is counted."""

    part: Text
    per_layer: bool = False


class ReportedResult(Number):
    """A value of a measure, or a statistic of such values; of the lab's usual measure where none is named. `split` is
    the id of one of the lab's, or something else that is none."""

    experiment: Text
    measure: Text = ""
    split: Text = "unstated"
    seed: Text | None = None
    moment: Text = "unstated"
    statistic: Literal["value", "mean", "std", "median", "min", "max", "difference"] = "value"
    form: Text = Field(default="percent", alias="as")


class Selection(QuotedStatement):
    """The rule by which the checkpoints of some experiments were chosen."""

    experiments: tuple[Text, ...] = ()
    rule: Literal["best validation", "last epoch", "best test", "fixed step", "other"]


class Comparison(QuotedStatement):
    """The experiment that a sentence calls better than another."""

    better: Text


class Definition(QuotedStatement):
    """The words that define a parameter, and what the reader thinks of them."""

    label: Label | None = None


class Read(Frozen):
    """All that an answer states, as far as it has the form asked for. `malformed` counts what has another one."""

    total: Number | None = None
    printed_count: Number | None = None
    parts: tuple[Part, ...] = ()
    results: tuple[ReportedResult, ...] = ()
    seeds: dict[str, int] = Field(default_factory=dict)
    selection: tuple[Selection, ...] = ()
    comparison: tuple[Comparison, ...] = ()
    addressed: tuple[QuotedStatement, ...] = ()
    definitions: dict[str, Definition] = Field(default_factory=dict)
    values: dict[str, str] = Field(default_factory=dict)
    quantisation: QuotedStatement | None = None
    trainable: QuotedStatement | None = None
    prompt: QuotedStatement | None = None
    malformed: int = 0


class NoAnswerError(Exception):
    """The response is no answer; the message says why."""


Entry = TypeVar("Entry", bound=_Entry)


def parse_answer(text: str) -> Read:
    """An answer from its text: the first JSON object in it, with or without a fence around it. Raises NoAnswerError."""
    if len(text) > LONGEST:
        raise NoAnswerError("the answer is too long")
    found = _object_in(text)
    bad: list[object] = []
    definitions = {
        name: definition
        for name, value in _table(found.get("definitions")).items()
        if value and (definition := _entry(value, Definition, bad))
    }
    values = {
        name: str(_plain(value))
        for name, value in _table(found.get("values")).items()
        if isinstance(value, str | int | float)
    }
    seeds = {
        name: value
        for name, value in _table(found.get("seeds")).items()
        if isinstance(value, int) and 0 <= value <= MOST_ENTRIES
    }
    read = Read(
        definitions=definitions,
        values=values,
        seeds=seeds,
        **{name: _entry(found[name], kind, bad) for name, kind in _SINGLE.items() if found.get(name)},
        **{name: tuple(_entries(found.get(name), kind, bad)) for name, kind in _LISTS.items()},
    )
    return read.model_copy(update={"malformed": len(bad)})


def merge_reads(reads: Sequence[Read]) -> Read:
    """Several answers about parts of one text as one: single statements from the first that makes them."""
    if len(reads) == 1:
        return reads[0]
    lists = {name: tuple(entry for read in reads for entry in getattr(read, name)) for name in _LISTS}
    tables = {
        name: {key: value for read in reversed(reads) for key, value in getattr(read, name).items()}
        for name in ("definitions", "values", "seeds")
    }
    single = {name: next((statement for read in reads if (statement := getattr(read, name))), None) for name in _SINGLE}
    return Read.model_validate({**lists, **tables, **single, "malformed": sum(read.malformed for read in reads)})


_LISTS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {
        "parts": Part,
        "results": ReportedResult,
        "selection": Selection,
        "comparison": Comparison,
        "addressed": QuotedStatement,
    }
)
_SINGLE: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {
        "total": Number,
        "printed_count": Number,
        "quantisation": QuotedStatement,
        "trainable": QuotedStatement,
        "prompt": QuotedStatement,
    }
)
"""What the statements of an answer are, by their keys."""


def _object_in(text: str) -> Mapping[str, Any]:
    decoder = json.JSONDecoder()
    for match in re.finditer(r"\{", text[:_LONGEST_TEXT]):
        try:
            found, _ = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and (not found or not found.keys().isdisjoint(Read.model_fields)):
            return found
    raise NoAnswerError("what came holds no whole answer of the form asked for")


def _table(value: Any) -> Mapping[str, Any]:
    return dict(islice(value.items(), MOST_ENTRIES)) if isinstance(value, dict) else {}


def _entries(values: Any, kind: type[Entry], malformed: list[object]) -> Iterator[Entry]:
    if not isinstance(values, list):
        return
    malformed += values[MOST_ENTRIES:]
    for value in values[:MOST_ENTRIES]:
        entry = _entry(value, kind, malformed)
        if entry is not None:
            yield entry


def _entry(value: Any, kind: type[Entry], malformed: list[object]) -> Entry | None:
    try:
        return kind.model_validate(value)
    except ValidationError:
        malformed.append(value)
        return None


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
    earned: EarnedRights = NOTHING
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
        """Return the statements of all answers together. Raises NoAnswerError."""
        if self.failure or not self.answers:
            raise NoAnswerError(self.failure or "there is no answer")
        return merge_reads([parse_answer(answer) for answer in self.answers])


class RecordError(Exception):
    """A kept record cannot be used; the message says why, in words that follow the file's name."""


def pack_record(record: Record) -> bytes:
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


class ReaderUsed(Frozen):
    """The record that a reader was asked. Of its `stated` facts, `lost` do not stand in the hand-in and count for
    nothing; `malformed` statements had another form than asked for. `reliable`: it errs so little in this hand-in that
    its word may count. `failure` says why it gave no answer."""

    reader: str
    stated: int = 0
    lost: int = 0
    malformed: int = 0
    reliable: bool = False
    failure: str = ""
