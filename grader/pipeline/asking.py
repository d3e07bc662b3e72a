"""A reader asked about the hand-ins of a class, before they are graded.

Workers that handle hand-ins have no network, and what has a network handles no hand-in: the texts are read in caged
processes, come back as lines, and are sent from here; the answers go to the workers with the jobs.
"""

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from grader.intake.opening import open_submission
from grader.intake.store import StoreError, fetch_source
from grader.intake.submission import Source
from grader.lab.definition import Lab
from grader.pipeline.blind import betraying, without_names
from grader.pipeline.cage import Bounds, temporary_folder
from grader.pipeline.isolation import Send, run_isolated
from grader.pipeline.order import Order
from grader.pipeline.outputs import write_atomically
from grader.pipeline.worker import files_of
from grader.reader.answer import NoAnswerError, Record, parse_answer
from grader.reader.card import EarnedRights
from grader.reader.readers import Reader, ReaderError, Recordings, hash_of
from grader.reader.request import LONGEST, Request, instruction, instruction_hash, lines_of, requests, schema

_SHORTEST: Final = 2_000
"""In characters: a text that is too long for the model is cut in half until its parts are so short."""
_MOST_IN_A_ROW: Final = 3
"""After so many hand-ins without an answer, one after the other, the reader is not asked about the others."""
_MOST_LINES: Final = 50_000


@dataclass(frozen=True)
class Consulting:
    """A reader, its rights, and the limits of asking it: the number of concurrent requests (`at_once`), the number of
    tokens that all answers may cost (`most_tokens`; 0 means no limit), and the folder in which answers are kept by
    their request."""

    reader: Recordings | Reader
    earned: EarnedRights
    cache: Path | None = None
    at_once: int = 8
    most_tokens: int = 0


class OrderWithAnswers(NamedTuple):
    """The order with the answers, and what staff should be told."""

    order: Order
    notes: tuple[str, ...]


def with_reader(order: Order, consulting: Consulting) -> Order:
    """The order with what the grades depend on of the reader, before it is asked."""
    records = {source.student_id: _unasked(source, order.lab, consulting) for source in order.sources}
    return _with_records(order, records)


def with_answers(
    order: Order,
    waiting: Sequence[Source],
    consulting: Consulting,
    *,
    workers: int,
    done: Callable[[int, int], None] = lambda number, all_: None,
) -> OrderWithAnswers:
    """The order with what the reader says of the hand-ins that wait to be graded. `done` is told how many of how many
    were asked about."""
    unasked = {source.student_id: _unasked(source, order.lab, consulting) for source in waiting}
    if isinstance(consulting.reader, Recordings):
        records = {}
        for student, record in unasked.items():
            try:
                answer = consulting.reader.answer_of(student)
                parse_answer(answer)
                records[student] = record.model_copy(update={"answers": (answer,)})
            except (ReaderError, NoAnswerError) as error:
                records[student] = record.model_copy(update={"failure": str(error)})
    else:
        records = _asked(order, waiting, unasked, consulting, consulting.reader, workers, done)
    reasons = Counter(record.failure for record in records.values() if record.failure)
    notes = (
        f"The reader gave no answer for {number:,} of {len(records):,} submissions, which are graded without it: "
        f"{reason}."
        for reason, number in reasons.items()
    )
    return OrderWithAnswers(_with_records(order, records), tuple(notes))


def _with_records(order: Order, records: Mapping[str, Record]) -> Order:
    changed = {
        source.student_id: order.circumstances_of(source).model_copy(update={"reader": records[source.student_id]})
        for source in order.sources
        if source.student_id in records
    }
    return replace(order, circumstances={**order.circumstances, **changed})


def _unasked(source: Source, lab: Lab, consulting: Consulting) -> Record:
    reader, earned = consulting.reader, consulting.earned
    if isinstance(reader, Recordings):
        try:
            recording_key = hashlib.sha256(reader.answer_of(source.student_id).encode()).hexdigest()
        except ReaderError as error:
            recording_key = str(error)
        return Record(reader=reader.name, inputs=hash_of(recording_key, earned.model_dump()), earned=earned)
    parameters = dict(reader.parameters)
    inputs = hash_of(reader.name, parameters, instruction_hash(lab), earned.model_dump())
    asked = instruction(lab)
    return Record(reader=reader.name, inputs=inputs, earned=earned, parameters=parameters, instruction=asked)


# --- Texts, read in a cage --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TextJob:
    source: Source
    lab: Lab
    work: Path


def _read_text(job: _TextJob, send: Send) -> None:
    from grader.pipeline.one import extract_claims
    from grader.reading.formats import read

    reading = read(open_submission(job.source, job.work), job.lab.log_formats)
    send(json.dumps(lines_of(extract_claims(reading, job.lab))).encode("utf-8", "replace"))


def _texts(
    order: Order, waiting: Sequence[Source], workers: int, *, leaves: bool
) -> Iterator[tuple[Source, tuple[str, ...] | None]]:
    """The lines of each hand-in as they come; None where it cannot be read."""
    preload = ("grader.pipeline.warm",) if order.with_reports else ("grader.pipeline.worker", "grader.pipeline.one")
    stores = tuple(listing.store for listing in order.listings)
    unfetched: list[tuple[Source, None]] = []

    def jobs() -> Iterator[_TextJob]:
        for number, source in enumerate(waiting):
            work = Path(folder, str(number), "work")
            work.mkdir(parents=True)
            try:
                here = fetch_source(source, stores, work.with_name("hand-in"), temporary_folder() / "archives")
                yield _TextJob(here, order.lab, work)
            except StoreError:  # it is said where the hand-in is graded
                unfetched.append((source, None))

    def bounds(job: _TextJob) -> Bounds:
        return Bounds((*files_of(job.source), *job.lab.files), job.work, converts=True)

    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        for outcome in run_isolated(_read_text, jobs(), workers=workers, preload=preload, bounds=bounds):
            shutil.rmtree(outcome.job.work.parent, ignore_errors=True)
            yield from unfetched
            unfetched.clear()
            source = outcome.job.source
            lines = _lines(outcome.messages)
            names = order.circumstances_of(source).blind or (betraying(source) if leaves else None)
            if lines is not None and names is not None:
                lines = tuple(without_names(line, names) for line in lines)
            yield source, lines
    yield from unfetched


def _lines(messages: Sequence[bytes]) -> tuple[str, ...] | None:
    """Return the lines that a worker sent, or None if it sent anything else: it has handled a stranger's text."""
    try:
        found = json.loads(b"".join(messages))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or len(found) > _MOST_LINES or not all(isinstance(entry, str) for entry in found):
        return None
    return tuple(found)


# --- Questions --------------------------------------------------------------------------------------------------------


@dataclass
class _Desk:
    """The state that all requests of a run share: the answers received so far by request, the tokens that they cost,
    and, if no more requests are sent, the reason."""

    reader: Reader
    form: Mapping[str, Any]
    consulting: Consulting
    locks: dict[str, Lock] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)
    known: dict[str, str] = field(default_factory=dict)
    tokens: int = 0
    failures: int = 0
    closed: str = ""

    def answer(self, request: Request) -> str:
        """The answer to a request: the one that is known, else the reader's. Raises ReaderError."""
        key = hash_of(self.reader.name, dict(self.reader.parameters), request.key, self.form)
        with self.lock:
            request_lock = self.locks.setdefault(key, Lock())
        with request_lock:
            if key not in self.known:
                self.known[key] = self._kept(key) or self._new(key, request)
            return self.known[key]

    def _new(self, key: str, request: Request) -> str:
        if self.closed:
            raise ReaderError(self.closed)
        try:
            asked = self.reader.ask(request.instruction, request.text, self.form)
            with self.lock:
                self.tokens += asked.tokens
                if 0 < self.consulting.most_tokens <= self.tokens:
                    self.closed = f"the limit of {self.consulting.most_tokens:,} tokens is reached"
            parse_answer(asked.answer)
        except ReaderError as error:
            self._failed(error)
            raise
        except NoAnswerError as error:
            failed = ReaderError(str(error))
            self._failed(failed)
            raise failed from error
        except Exception as error:  # whatever befalls a reader must cost no student anything
            too_long = bool(getattr(error, "too_long", False))
            why = "the text is too long for the model" if too_long else f"the reader failed ({type(error).__name__})"
            failed = ReaderError(why, too_long=too_long)
            self._failed(failed)
            raise failed from error
        with self.lock:
            self.failures = 0
        if path := self._path(key):
            write_atomically(path, asked.answer.encode("utf-8", "replace"), mode=0o600)
        return asked.answer

    def _failed(self, error: ReaderError) -> None:
        with self.lock:
            self.failures += not error.too_long
            if error.is_final or self.failures >= _MOST_IN_A_ROW * self.consulting.at_once:
                self.closed = self.closed or str(error)

    def _kept(self, key: str) -> str | None:
        path = self._path(key)
        try:
            return path.read_text(encoding="utf-8") if path else None
        except (OSError, UnicodeDecodeError):
            return None

    def _path(self, key: str) -> Path | None:
        return self.consulting.cache / f"{key}.txt" if self.consulting.cache else None


def _asked(
    order: Order,
    waiting: Sequence[Source],
    unasked: Mapping[str, Record],
    consulting: Consulting,
    reader: Reader,
    workers: int,
    done: Callable[[int, int], None],
) -> dict[str, Record]:
    """The records of all hand-ins, asked about while others are still being read."""
    desk = _Desk(reader, schema(order.lab), consulting)
    records: dict[str, Record] = {}
    running: dict[Future[Record], str] = {}
    with ThreadPoolExecutor(max_workers=consulting.at_once) as pool:
        try:
            for source, lines in _texts(order, waiting, workers, leaves=reader.leaves is not None):
                student = source.student_id
                running[pool.submit(_one, desk, lines, order.lab, unasked[student])] = student
            for number, future in enumerate(as_completed(running), start=1):
                records[running[future]] = future.result()
                done(number, len(waiting))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    missing = {student: record for student, record in unasked.items() if student not in records}
    return records | {name: _failed(record, "it could not be read") for name, record in missing.items()}


def _one(desk: _Desk, lines: Sequence[str] | None, lab: Lab, unasked: Record) -> Record:
    if lines is None:
        return _failed(unasked, "it could not be read")
    if not lines:
        return _failed(unasked, "it holds no text")
    try:
        pairs = _pairs(desk, lines, lab, LONGEST)
    except ReaderError as error:
        return _failed(unasked, str(error))
    return unasked.model_copy(
        update={
            "requests": tuple(request.text for request, _ in pairs),
            "answers": tuple(answer for _, answer in pairs),
            "asked": datetime.now(UTC).isoformat(timespec="seconds"),
        }
    )


def answers_about(
    texts: Sequence[Sequence[str]], lab: Lab, reader: Reader, at_once: int
) -> list[tuple[str, ...] | ReaderError]:
    """Return a reader's answers about some texts, given in lines; several texts are asked about at a time. A text
    without answers gets the error instead."""
    desk = _Desk(reader, schema(lab), Consulting(reader, EarnedRights(), at_once=at_once))

    def one(lines: Sequence[str]) -> tuple[str, ...] | ReaderError:
        try:
            return tuple(answer for _, answer in _pairs(desk, lines, lab, LONGEST))
        except ReaderError as error:
            return error

    with ThreadPoolExecutor(max_workers=at_once) as pool:
        return list(pool.map(one, texts))


def _pairs(desk: _Desk, lines: Sequence[str], lab: Lab, longest: int) -> list[tuple[Request, str]]:
    """Requests with their answers; a text that is too long for the model is asked about in smaller parts. Raises
    ReaderError."""
    try:
        return [(request, desk.answer(request)) for request in requests(lines, lab, longest)]
    except ReaderError as error:
        size = min(longest, sum(map(len, lines)))
        if not error.too_long or size <= _SHORTEST:
            raise
        return _pairs(desk, lines, lab, size // 2)


def _failed(record: Record, reason: str) -> Record:
    return record.model_copy(update={"failure": reason, "asked": datetime.now(UTC).isoformat(timespec="seconds")})
