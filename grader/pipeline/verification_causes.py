"""Why a result is not what is computed now."""

import hashlib
import json
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

from grader.frozen import Frozen
from grader.pipeline.readings import READING, Maker, StoredReadingError, kept_in
from grader.reading.reading import Reading
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
        item.id: item.override.model_dump(mode="json", exclude={"before", "score_before", "stale"})
        for item in result.items
        if item.override
    }
    return json.dumps(decided, sort_keys=True, ensure_ascii=False)


def _lateness(result: Result) -> str:
    late = result.lateness.model_dump_json() if result.lateness else "none"
    return f"{late}, handed in {result.submission.submitted_at or 'at an unknown time'}"


def maker_of(folder: Path) -> Maker | None:
    """What read the hand-in when it was graded, where that is known."""
    try:
        return kept_in(folder / READING, Reading).maker
    except StoredReadingError:
        return None


def changed_since(content: bytes, recorded: str) -> Iterator[Why]:
    """That a file was changed since it was written, where a gradebook has `recorded` another hash of it."""
    hash_ = hashlib.sha256(content).hexdigest()
    if recorded and recorded != hash_:
        yield Why(cause=Cause.CHANGED, then=recorded, now=hash_)


def unexplained(recorded: str) -> Why:
    """Nothing differs, so the grader contradicts itself; unless the file was changed, and no gradebook can tell."""
    return Why(cause=Cause.DEFECT, then="" if recorded else "no gradebook tells whether the file was changed by hand")


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
