"""Results held against the same results computed once more."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from grader.frozen import Frozen
from grader.intake.submission import Source
from grader.pipeline.order import Order
from grader.pipeline.outputs import PAGE, REPORT
from grader.pipeline.regrading.again import Again, Expected, by_readings, by_submissions
from grader.pipeline.regrading.merging import merged
from grader.pipeline.regrading.targets import Graded
from grader.pipeline.replay import Basis, basis_of
from grader.pipeline.verification_causes import (
    Cause,
    Key,
    Why,
    causes,
    changed_since,
    first_difference,
    maker_of,
    unexplained,
)
from grader.result import Result


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
    the stored readings; never from kept claims or findings."""
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
    for again in _again(waiting, order, graded, opened, basis, workers=workers, with_reports=with_reports):
        yield _verdict(graded[again.student], again, order, basis, recorded, with_reports=with_reports)


def _again(
    waiting: Sequence[Source],
    order: Order,
    graded: Mapping[str, Graded],
    opened: Mapping[str, Source] | None,
    basis: Basis,
    *,
    workers: int,
    with_reports: bool,
) -> Iterator[Again]:
    if opened is not None:
        sources = [opened[source.student_id] for source in waiting]
        return by_submissions(sources, order, None, workers=workers, with_reports=with_reports)
    some = [Expected(source, graded[source.student_id].folder, _submission(graded, source)) for source in waiting]
    return by_readings(some, order, basis, workers=workers, use_claims=False)


def _submission(graded: Mapping[str, Graded], source: Source) -> str:
    result = graded[source.student_id].result
    return result.submission.sha256 if result else ""


def _verdict(
    one: Graded, again: Again, order: Order, basis: Basis, recorded: Recorded, *, with_reports: bool
) -> Verdict:
    stored = one.result
    if again.result is None or stored is None:
        cause = Cause.NO_READING if "stored reading" in again.problem else Cause.FAILED
        return Verdict(student=again.student, same=False, why=(Why(cause=cause, now=again.problem),))
    computed, kept = _with_kept(stored, Result.from_json(again.result))
    if computed.to_json().encode() == one.content:
        reports = _reports(one.folder, again) if with_reports else ()
        return Verdict(student=again.student, same=not reports, why=reports, kept=kept)
    written = recorded.get(again.student, "")
    found = (*changed_since(one.content, written), *causes(stored, computed, maker_of(one.folder), basis.maker))
    first = first_difference(json.loads(one.content), json.loads(computed.to_json()))
    why = found or (unexplained(written),)
    return Verdict(student=again.student, same=False, why=why, first=first, kept=kept)


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
