"""The stages between a reading and a result: which part of a lab each stage may see, how two stages are kept, and how
the later ones are repeated from what the earlier ones left.

They are kept beside a result as compressed JSON, so that a class can be graded again without its hand-ins:

graded/<student>/reading.json.gz     what was read in the hand-in
graded/<student>/findings.json.gz    what the checks concluded; follows from reading, lab and truth

Only the reading is needed. The findings save time while nothing that they follow from has changed. What is read back is
as little trusted as a hand-in: it is checked against its model, within bounds, and nothing in it is run. The messages
within a value are kept beside its JSON, so that they can be said in other languages when it is read back.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cache
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, Field, ValidationError

from grader.checks.finding import HAND_IN, UNREADABLE, Conclusions, is_withdrawn, without_decisions
from grader.claims.likeness import TextPrint
from grader.frozen import Frozen, memoise
from grader.lab.definition import Item, Lab, LatePolicy, RequestPolicy
from grader.lab.short_answers import Decisions
from grader.lab.truth import GroundTruth
from grader.message import Message, Words, say, say_number
from grader.pipeline.hashes import grader_identity, hash_of, library_versions
from grader.reader.answer import ReaderUsed, Record
from grader.reading.reading import FileRecord, Reading
from grader.result import Average, Curve, CurveBand, Override, SeriesPrint

if TYPE_CHECKING:
    from grader.pipeline.one import Stages


class HandInFindings(Conclusions):
    """All that a result tells of one hand-in before a point is given: who it is, what the lab's stored decisions say of
    it, and what it is worth, come later. Where a reader was consulted, the decisions are in force already:
    `is_settled`."""

    is_settled: bool = False
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


@memoise
def seen_by_checks(lab: Lab) -> Lab:
    """The lab without points, lateness, requests and names of files: checks know none of these, so a change of them
    leaves every finding as it is."""
    return _with_items(lab, {"points": Decimal(0), "partial": Decimal(0)}).model_copy(
        update={"late": LatePolicy(), "requests": RequestPolicy(), "language": "en", "models": (), "sha256": ""}
    )


@memoise
def seen_by_claims(lab: Lab) -> Lab:
    """The lab as the reading of claims sees it: without what its checks are asked for, too, and without decisions."""
    return _with_items(
        seen_by_checks(lab), {"options": {}, "needs": (), "evidence": "report", "witness": ""}
    ).model_copy(update={"decisions": Decisions(), "watches": (), "reruns": ()})


def _with_items(lab: Lab, changes: dict[str, object]) -> Lab:
    def changed(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(item.model_copy(update=changes) for item in items)

    questions = tuple(question.model_copy(update={"items": changed(question.items)}) for question in lab.questions)
    return lab.model_copy(update={"questions": questions})


READING, FINDINGS = STAGE_FILES = ("reading.json.gz", "findings.json.gz")
FORMER_STAGE_FILE: Final = "claims.json.gz"
"""Was kept by earlier versions. It is never read, and removed where its hand-in is graded anew."""

HIDDEN_TEXT: Final = "hidden-text.png"
"""Shows staff where on a page the first text stands that a PDF hides."""

SCHEMA: Final = 1
MOST_BYTES: Final = 32 * 2**20
"""Of the JSON. What is larger is not kept, and not read back."""

_LEVEL: Final = 4
_GZIP: Final = 16 + zlib.MAX_WBITS

Stage = TypeVar("Stage", bound=BaseModel)


class StoredReadingError(Exception):
    """A kept stage cannot be used; the message says why, in words that follow the file's name."""


class Maker(Frozen):
    """The identity of the program that made a file: the grader to the last line of its code, the versions of its
    libraries, and the hash of the lab's own log formats, if it has any."""

    grader: str = ""
    logs: str = ""
    libraries: dict[str, str] = Field(default_factory=dict)

    def read_as(self, other: "Maker") -> bool:
        """Whether another one would read a hand-in in the same way."""
        return (self.grader, self.logs) == (other.grader, other.logs)


class KeptStage(Frozen, Generic[Stage]):
    """A stage as it is kept. `key` stands for all that it follows from."""

    schema_version: int = Field(alias="schema")
    key: str
    maker: Maker
    words: list[dict[str, Any]] = Field(default_factory=list, repr=False)
    value: Stage


def pack_stage(value: BaseModel, key: str, maker: Maker) -> bytes | None:
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


def unpack_stage(content: bytes, kind: type[Stage]) -> KeptStage[Stage]:
    """A stage from the content of its file. Raises StoredReadingError."""
    text = _unzipped(content)
    try:
        kept = _read(text, kind)
    except (ValidationError, RecursionError) as error:
        raise StoredReadingError("does not hold what this version of the grader keeps") from error
    if kept.schema_version != SCHEMA:
        raise StoredReadingError(f"has the schema {kept.schema_version}; this grader knows {SCHEMA}")
    return kept


def key_of(content: bytes) -> str:
    """The key in a file that keeps a stage, which is whole; what else it holds is not looked at. Raises
    StoredReadingError."""
    found = _KEY.match(_unzipped(content))
    if found is None:
        raise StoredReadingError("does not hold what this version of the grader keeps")
    return found[1].decode()


_KEY: Final = re.compile(rb'\{"schema":%d,"key":"([^"\\]*)"' % SCHEMA)


def _unzipped(content: bytes) -> bytes:
    """Raises StoredReadingError."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        text = unpacker.decompress(content, MOST_BYTES + 1)
    except zlib.error as error:
        raise StoredReadingError("is damaged") from error
    if len(text) > MOST_BYTES:
        raise StoredReadingError("is larger than this grader writes")
    if not unpacker.eof:
        raise StoredReadingError("is cut off")
    return text


def kept_in(path: Path, kind: type[Stage]) -> KeptStage[Stage]:
    """A stage from its file. Raises StoredReadingError, also when there is none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise StoredReadingError("is larger than this grader writes")
        return unpack_stage(path.read_bytes(), kind)
    except FileNotFoundError as error:
        raise StoredReadingError("is not there") from error
    except OSError as error:
        raise StoredReadingError(f"cannot be read ({error.strerror})") from error


def _read(content: bytes, kind: type[Stage]) -> KeptStage[Stage]:
    kept = _kept_as(kind).model_validate_json(content)
    words: list[Told] = kept.words
    return kept.model_copy(update={"value": with_words(kept.value, words)})


@cache
def _kept_as(kind: type[Stage]) -> type[KeptStage[Stage]]:
    """The model of this very kind; pydantic itself would forget it, and takes milliseconds to make it."""
    return KeptStage[kind]  # type: ignore[valid-type]


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
    """Kinds by their values, sets in an order of their own; exact numbers and times as text."""
    if isinstance(value, set | frozenset):
        return sorted(entry.value if isinstance(entry, Enum) else entry for entry in value)
    return value.value if isinstance(value, Enum) else str(value)


Value = TypeVar("Value", bound=BaseModel)
Told = dict[str, Any]
"""A message as JSON: its sentence, its values, and where it depends on a number, the plural and the number."""

_MARK: Final = get_args(Words)[1]
_SPEC: Final = re.compile(r",?(?:\.\d{1,2})?[dfgeG%]?|capital|%[YmdHM:% -]{1,30}")
_DEEPEST: Final = 12


def stored_words(value: BaseModel) -> list[Told]:
    """Every message in those fields of a model that hold `Words`, in the order of the words; of those that say the
    same, one."""
    by_message: dict[str, Told] = {}
    for message in _messages(value):
        candidate = _told(message)
        by_message[message] = min(candidate, by_message.get(message, candidate), key=repr)
    return [by_message[words] for words in sorted(by_message)]


def with_words(value: Value, stored: list[Told]) -> Value:
    """The value with its words made messages again. What is no message that `say` could have made stays plain words:
    the file may be damaged, or made up."""
    known_messages = {str(message): message for entry in stored if (message := _message(entry))}
    return _changed(value, known_messages) if known_messages else value


def _messages(value: Any) -> Iterator[Message]:
    if isinstance(value, Message):
        if value:
            yield value
    elif isinstance(value, BaseModel):
        for name in _fields(type(value)):
            yield from _messages(getattr(value, name))
    elif isinstance(value, tuple):
        for part in value:
            yield from _messages(part)


def _changed(value: Any, known_messages: Mapping[str, Message]) -> Any:
    if isinstance(value, str):
        return known_messages.get(value, value)
    if isinstance(value, tuple):
        return tuple(_changed(part, known_messages) for part in value)
    if isinstance(value, BaseModel):
        held = {name: getattr(value, name) for name in _fields(type(value))}
        new = {name: changed for name, old in held.items() if (changed := _changed(old, known_messages)) is not old}
        return value.model_copy(update=new) if new else value
    return value


@cache
def _fields(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a model that hold words, or models that do. No model holds itself."""
    return tuple(
        name for name, field in model.model_fields.items() if _MARK in field.metadata or _holds_words(field.annotation)
    )


def _holds_words(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return bool(_fields(annotation))
    return annotation == Words or any(_holds_words(part) for part in get_args(annotation))


def _told(message: Message) -> Told:
    values = {name: _plain(value) for name, value in message.values.items()}
    entry: Told = {"sentence": message.sentence, "values": values}
    return entry if message.plural is None else entry | {"plural": message.plural, "number": message.number}


def _plain(value: object) -> object:
    match value:
        case Message():
            return {"message": _told(value)}
        case Decimal():
            return {"decimal": str(value)}
        case datetime():
            return {"time": value.isoformat()}
        case date():
            return {"day": value.isoformat()}
        case None | bool() | int() | float():
            return value
    return str(value)


_VALUES: Final[Mapping[str, Callable[[str], object]]] = {
    "decimal": Decimal,
    "time": datetime.fromisoformat,
    "day": date.fromisoformat,
}


def _message(entry: Told, depth: int = 0) -> Message | None:
    """The message, or None where this is none. Only plain gaps are filled: no attributes, no widths."""
    try:
        sentence, values = (
            str(entry["sentence"]),
            {name: _value(value, depth) for name, value in entry["values"].items()},
        )
        plural, number = entry.get("plural"), entry.get("number")
        if not (_is_harmless(sentence) and _is_harmless(str(plural or ""))) and values:
            return None
        if plural is None or number is None:
            return say(sentence, **values)
        return say_number(sentence, str(plural), int(number), **{k: v for k, v in values.items() if k != "number"})
    except (LookupError, TypeError, ValueError, AttributeError, InvalidOperation):
        return None


def _value(value: Any, depth: int) -> object:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "message" and depth < _DEEPEST:
        return _message(content, depth + 1) or ""
    return _VALUES[kind](content)


def _is_harmless(sentence: str) -> bool:
    gaps = [gap for gap in Formatter().parse(sentence) if gap[1] is not None]
    return all(str(name).isidentifier() and not kind and _SPEC.fullmatch(spec or "") for _, name, spec, kind in gaps)


class Basis(NamedTuple):
    """The basis of findings, beside the reading: this grader, and a hash of the parts of lab and truth that checks see.
    The stored decisions are applied later, and matter only if a reader was consulted: those about a hand-in's own
    answers, and whether the verdicts on a question are `withdrawn`."""

    maker: Maker
    findings: str
    decisions: Decisions = Decisions()
    withdrawn: tuple[str, ...] = ()


class ReplayOutcome(NamedTuple):
    """The findings from a kept reading, the maker of the reading, and the content of the file that keeps the findings;
    None if they are too large to be kept."""

    found: HandInFindings
    maker: Maker
    findings: bytes | None


def basis_of(lab: Lab, truth: GroundTruth) -> Basis:
    """The basis of grading a lab with this grader. Raises OSError when the grader's own files cannot be read."""
    grader = grader_identity()
    facts = truth.sha256 or hash_of(truth.model_dump())
    topics = sorted({_topic(decision.group) for decision in lab.decisions.decisions})
    return Basis(
        Maker(
            grader=grader,
            logs=hash_of([log.model_dump() for log in lab.logs]) if lab.logs else "",
            libraries=library_versions(),
        ),
        hash_of([grader, without_decisions(seen_by_checks(lab)).model_dump(), facts]),
        lab.decisions,
        tuple(topic for topic in topics if is_withdrawn(lab, topic)),
    )


def kept_stages(
    stages: "Stages", submission_sha256: str, basis: Basis, record: Record | None = None, sections: str = ""
) -> dict[str, bytes]:
    """The content of the files that keep the stages, by name: none where the reading is too large to be kept. `record`
    is what a reader answered, `sections` stands for those that a person assigned."""
    reading = pack_stage(stages.reading, submission_sha256, basis.maker)
    if reading is None:
        return {}
    findings = _packed_findings(stages.found, _hash(reading), submission_sha256, basis, record, sections)
    return {READING: reading} if findings is None else {READING: reading, FINDINGS: findings}


def kept_findings(
    folder: Path, submission_sha256: str, basis: Basis, record: Record | None = None, sections: str = ""
) -> HandInFindings | None:
    """Return the kept findings of a submission if everything that they follow from is unchanged; else None."""
    try:
        reading_hash = _hash((folder / READING).read_bytes())
        kept = kept_in(folder / FINDINGS, HandInFindings)
    except (StoredReadingError, OSError):
        return None
    key = _findings_key(kept.value, reading_hash, submission_sha256, basis, record, sections)
    return kept.value if kept.key == key else None


def findings_hold(folder: Path, submission_sha256: str, basis: Basis) -> bool:
    """Whether what is kept of the reading of a submission is whole, and everything that its findings follow from is as
    it was. They themselves are not read. False also for those that a reader had part in."""
    try:
        reading_hash = _hash((folder / READING).read_bytes())
        return key_of((folder / FINDINGS).read_bytes()) == _key(reading_hash, submission_sha256, basis)
    except (StoredReadingError, OSError):
        return False


def replay_findings(
    folder: Path,
    submission_sha256: str,
    lab: Lab,
    truth: GroundTruth,
    basis: Basis,
    record: Record | None = None,
    sections: Override | None = None,
) -> ReplayOutcome:
    """Return the findings from the reading in a student's folder. Without a hash, the reading of any submission will
    do.

    Raises StoredReadingError when there is no reading of this submission.
    """
    from grader.pipeline.assigning import key_of_sections
    from grader.pipeline.one import judge_reading

    kept = kept_in(folder / READING, Reading)
    if submission_sha256 and kept.key != submission_sha256:
        raise StoredReadingError("is of another submission")
    found = judge_reading(kept.value, lab, truth, record, sections).found
    reading_hash = _hash((folder / READING).read_bytes())
    key = key_of_sections(sections)
    return ReplayOutcome(found, kept.maker, _packed_findings(found, reading_hash, kept.key, basis, record, key))


def _packed_findings(
    found: HandInFindings, reading_hash: str, submission_sha256: str, basis: Basis, record: Record | None, sections: str
) -> bytes | None:
    key = _findings_key(found, reading_hash, submission_sha256, basis, record, sections)
    return pack_stage(found, key, basis.maker)


def _findings_key(
    found: HandInFindings, reading_hash: str, submission_sha256: str, basis: Basis, record: Record | None, sections: str
) -> str:
    asked = (*((record.key,) if record else ()), *filter(None, (sections,)))
    return _key(reading_hash, submission_sha256, basis, _decided(found, basis), *asked)


def _key(reading_hash: str, submission_sha256: str, basis: Basis, decided: str = "", *asked: str) -> str:
    parts = (reading_hash, submission_sha256, basis.findings, decided, *asked)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _decided(found: HandInFindings, basis: Basis) -> str:
    """The decisions that a hand-in's findings follow from: none, unless a reader was consulted. Which groups its
    answers belong to follows from no decision, and every finding that may be decided names its group, or that of the
    whole hand-in."""
    if not found.is_settled:
        return ""
    groups = sorted({finding.group for finding in found.findings if finding.group})
    if any(group.startswith((HAND_IN, UNREADABLE)) for group in groups):
        return hash_of([basis.decisions.model_dump(), basis.withdrawn])
    decisions = [decision.model_dump() for group in groups if (decision := basis.decisions.decision_for(group))]
    return hash_of([decisions, sorted({_topic(group) for group in groups}.intersection(basis.withdrawn))])


def _topic(group: str) -> str:
    return group.partition(":")[0]


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
