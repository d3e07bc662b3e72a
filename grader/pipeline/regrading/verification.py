"""Results held against the same results computed once more, and why one is not what is computed now."""

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any

from grader.frozen import Frozen
from grader.intake.submission import Source
from grader.pipeline.order import Order
from grader.pipeline.outputs import PAGE, REPORT
from grader.pipeline.regrading.again import Again, Graded, by_readings, by_submissions, expected
from grader.pipeline.regrading.regrade import merged
from grader.pipeline.stages import READING, Basis, Maker, StoredReadingError, basis_of, kept_in
from grader.reading.log import Reading
from grader.result import Result


class Cause(StrEnum):
    """Why a result is not what is computed now."""

    UNREADABLE = "result unreadable"
    NO_HAND_IN = "no hand-in"
    NO_READING = "no reading"
    FAILED = "grading failed"
    GRADER = "grader"
    LIBRARIES = "libraries"
    LAB = "lab"
    TRUTH = "truth"
    SUBMISSION = "submission"
    OVERRIDES = "overrides"
    LATENESS = "lateness"
    STUDENT = "student"
    LANGUAGE = "language"
    CHANGED = "changed after it was written"
    DEFECT = "defect"
    REPORT = "report"


class Why(Frozen):
    """A cause, with what it was then and is now."""

    cause: Cause
    then: str = ""
    now: str = ""


class Key(Frozen):
    """The first key, such as `items[3].score`, at which two results differ, and both values as JSON."""

    key: str
    stored: str
    computed: str


def causes(stored: Result, now: Result, maker: Maker | None, current: Maker) -> Iterator[Why]:
    """All that differs of what a result follows from. `maker` is what read the hand-in then, if that is known."""
    pairs: tuple[tuple[Cause, Callable[[Result], Any]], ...] = (
        (Cause.GRADER, lambda result: result.grader_version),
        (Cause.LAB, lambda result: result.lab.sha256),
        (Cause.TRUTH, lambda result: result.truth_sha256),
        (Cause.SUBMISSION, lambda result: result.submission.sha256),
        (Cause.OVERRIDES, _overrides),
        (Cause.LATENESS, _lateness),
        (Cause.STUDENT, lambda result: result.student.model_dump_json()),
        (Cause.LANGUAGE, lambda result: result.language),
    )
    told = {cause: (part(stored), part(now)) for cause, part in pairs}
    differing = {cause: both for cause, both in told.items() if both[0] != both[1]}
    if maker and maker.grader != current.grader and Cause.GRADER not in differing:
        yield from _maker_causes(maker, current)
    yield from (Why(cause=cause, then=then, now=after) for cause, (then, after) in differing.items())


def _maker_causes(then: Maker, now: Maker) -> Iterator[Why]:
    """Another grader under the same version: by its libraries, or by its code."""
    names = [name for name in now.libraries if then.libraries.get(name) != now.libraries[name]]
    for name in names:
        yield Why(
            cause=Cause.LIBRARIES, then=f"{name} {then.libraries.get(name, '')}", now=f"{name} {now.libraries[name]}"
        )
    if not names:
        yield Why(cause=Cause.GRADER, then=then.grader, now=now.grader)


def _overrides(result: Result) -> str:
    """The decisions themselves, not what the grader concluded before them."""
    decided = {
        item.id: put.model_dump(mode="json", exclude={"before", "score_before", "suggestion_before", "stale"})
        for item in result.items
        if (put := item.override or item.earlier)
    }
    return json.dumps(decided, sort_keys=True, ensure_ascii=False)


def _lateness(result: Result) -> str:
    late = result.lateness.model_dump_json() if result.lateness else "none"
    return f"{late}, handed in {result.submission.submitted_at or 'at an unknown time'}"


def first_difference(stored: Any, computed: Any, key: str = "") -> Key | None:
    """The first difference, in the order of the keys as they are written."""
    if isinstance(stored, dict) and isinstance(computed, dict):
        for name in dict.fromkeys((*computed, *stored)):
            if name not in stored or name not in computed:
                return _key(f"{key}.{name}", stored.get(name), computed.get(name))
            if found := first_difference(stored[name], computed[name], f"{key}.{name}"):
                return found
        return None
    if isinstance(stored, list) and isinstance(computed, list) and len(stored) == len(computed):
        pairs = enumerate(zip(stored, computed, strict=True))
        return next((found for n, pair in pairs if (found := first_difference(*pair, f"{key}[{n}]"))), None)
    return None if type(stored) is type(computed) and stored == computed else _key(key, stored, computed)


def _key(key: str, stored: Any, computed: Any) -> Key:
    return Key(key=key.removeprefix("."), stored=_shown(stored), computed=_shown(computed))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:199]}…"


class Verdict(Frozen):
    """Whether a student's result, and reports if they were asked for, are byte for byte what is computed. `kept` are
    items that a regrade left as they were: what they were graded by is not at hand, so they are not computed again."""

    student: str
    same: bool
    why: tuple[Why, ...] = ()
    first: Key | None = None
    kept: tuple[str, ...] = ()


Recorded = Mapping[str, str]
"""The hashes under which a gradebook has the students' results."""


def chosen(order: Order, number: int | None, seed: int) -> Order:
    """The order for some of its students, the same for the same seed; for all where no number is given."""
    if number is None or number >= len(order.sources):
        return order
    picked = Random(seed).sample(sorted(order.sources, key=lambda one: one.student_id), number)  # noqa: S311  # no secret
    return replace(order, sources=tuple(picked))


def verified(
    order: Order,
    graded: Mapping[str, Graded],
    opened: Mapping[str, Source] | None,
    *,
    recorded: Recorded,
    workers: int = 1,
    with_reports: bool = False,
) -> Iterator[Verdict]:
    """A verdict on every hand-in of the order, as they come: from the hand-ins in `opened`, or where that is None from
    the stored readings; never from kept findings."""
    basis = basis_of(order.lab, order.truth)
    waiting = []
    for source in order.sources:
        one = graded[source.student_id]
        if one.result is None:
            yield Verdict(student=source.student_id, same=False, why=(Why(cause=Cause.UNREADABLE, now=one.problem),))
        elif opened is not None and source.student_id not in opened:
            yield Verdict(student=source.student_id, same=False, why=(Why(cause=Cause.NO_HAND_IN),))
        else:
            waiting.append(source)
    if opened is not None:
        sources = [opened[source.student_id] for source in waiting]
        made = by_submissions(sources, order, None, workers=workers, with_reports=with_reports)
    else:
        some = [expected(source, graded[source.student_id]) for source in waiting]
        made = by_readings(some, order, basis, workers=workers)
    for again in made:
        yield _verdict(graded[again.student], again, basis, recorded, with_reports=with_reports)


def _verdict(one: Graded, again: Again, basis: Basis, recorded: Recorded, *, with_reports: bool) -> Verdict:
    stored = one.result
    if again.result is None or stored is None:
        cause = Cause.NO_READING if "stored reading" in again.problem else Cause.FAILED
        return Verdict(student=again.student, same=False, why=(Why(cause=cause, now=again.problem),))
    computed, kept = _with_kept(stored, Result.from_json(again.result))
    if computed.to_json().encode() == one.content:
        reports = _reports(one.folder, again) if with_reports else ()
        return Verdict(student=again.student, same=not reports, why=reports, kept=kept)
    written, hash_ = recorded.get(again.student, ""), hashlib.sha256(one.content).hexdigest()
    why: list[Why] = []
    if written and written != hash_:
        why.append(Why(cause=Cause.CHANGED, then=written, now=hash_))
    maker = None
    with contextlib.suppress(StoredReadingError):  # what read the hand-in when it was graded is known then
        maker = kept_in(one.folder / READING, Reading).maker
    why += causes(stored, computed, maker, basis.maker)
    if not why:  # the grader contradicts itself; unless the file was changed, and no gradebook can tell
        unknown = "" if written else "no gradebook tells whether the file was changed by hand"
        why = [Why(cause=Cause.DEFECT, then=unknown)]
    first = first_difference(json.loads(one.content), json.loads(computed.to_json()))
    return Verdict(student=again.student, same=False, why=tuple(why), first=first, kept=kept)


def _with_kept(stored: Result, computed: Result) -> tuple[Result, tuple[str, ...]]:
    """The computed result with the items that a regrade left as they were, and which these are."""
    kept = tuple(item.id for item in stored.items if item.kept_from)
    if not kept:
        return computed, ()
    return merged(stored, computed, [item.id for item in computed.items if item.id not in kept]).result, kept


def _reports(folder: Path, again: Again) -> tuple[Why, ...]:
    if again.report is None:
        return (Why(cause=Cause.REPORT, now=again.problem or "no report was made"),)
    made = {REPORT: again.report, PAGE: again.page}
    return tuple(Why(cause=Cause.REPORT, then=name) for name, new in made.items() if _bytes(folder / name) != new)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
