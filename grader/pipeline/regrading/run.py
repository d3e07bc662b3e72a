"""A regrade as a run: what is new is written, entered in the gradebook, and told."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from grader.gradebook.diff import GradeChange, changes
from grader.gradebook.inputs import NO_INPUTS, Inputs
from grader.gradebook.keeper import Keeper
from grader.gradebook.kept import Kept, NewRun, Standing
from grader.intake.submission import Source
from grader.pipeline.class_files import class_files
from grader.pipeline.graded import Graded as GradedNow
from grader.pipeline.graded import graded as graded_now
from grader.pipeline.hashes import hash_of
from grader.pipeline.order import Order
from grader.pipeline.outputs import RESULT
from grader.pipeline.plan import Plan, inputs_of
from grader.pipeline.regrading.again import Again, rendered
from grader.pipeline.regrading.regrade import Regraded, Way, regraded, write
from grader.pipeline.regrading.targets import Graded
from grader.pipeline.replay import basis_of
from grader.result import Result


class Wanted(NamedTuple):
    """What a regrade is asked for: the items (none named: all), reports even where only versions changed, and the
    options that the gradebook lists with the run."""

    only: tuple[str, ...] = ()
    all_reports: bool = False
    workers: int = 1
    options: Mapping[str, object] = MappingProxyType({})


class Told(NamedTuple):
    """What became of one student; `change` is None where there was no grade before, or there is none now."""

    regraded: Regraded
    change: GradeChange | None
    report_problem: str = ""


def regrade_class(
    order: Order,
    out: Path,
    graded: Mapping[str, Graded],
    opened: Mapping[str, Source],
    keeper: Keeper,
    wanted: Wanted,
    done: Callable[[str, int, int], None] = lambda step, made, of: None,
) -> list[Told]:
    """Grade once more what was graded into `out`, and write what is new. `opened` are hand-ins that are at hand.
    `done` is told of each step how many of how many hand-ins it has made.

    Raises OSError when something cannot be written, GradebookError when the gradebook cannot be used.
    """
    basis = basis_of(order.lab, order.truth)
    known = keeper.known(order.lab.id)
    found: list[Regraded] = []
    done("grading", 0, len(order.sources))
    for one in regraded(order, graded, opened, basis, only=wanted.only, workers=wanted.workers):
        found.append(one)
        done("grading", len(found), len(order.sources))
    found.sort(key=lambda one: one.source.student_id)
    inputs = dict(_inputs(found, order, opened, known.standings))
    before = {student: _before(one, inputs.get(student, NO_INPUTS)) for student, one in graded.items()}
    before |= {student: standing.grade for student, standing in known.standings.items() if student in graded}
    keeper.begin(_run(order, basis.maker.grader, wanted))
    ready: dict[str, Again] = {}
    shown = _to_render(found, order, wanted)
    for made in _rendered(shown, opened, order, wanted):
        ready[made.student] = made
        done("reports", len(ready), len(shown))
    now: list[GradedNow] = []
    told: list[Told] = []
    for one in found:
        student = one.source.student_id
        old = before[student]
        if one.after is None:
            keeper.hold([known.standings[student]] if student in known.standings else [])
            now += [GradedNow(old)] if old and one.before else []
            told.append(Told(one, None))
            continue
        grade = _written(out, one, ready.get(student), inputs[student], keeper)
        now.append(grade)
        told.append(Told(one, changes(old, grade.grade) if old else None, grade.report_problem or ""))
    done("report of the class", 0, 1)
    keeper.finish(*class_files(out, now, order, Plan(inputs, {}, {}, known)))
    return told


def _written(out: Path, one: Regraded, report: Again | None, inputs: Inputs, keeper: Keeper) -> GradedNow:
    """What is new of a student, written and entered."""
    if one.after is None:
        raise ValueError("there is nothing to write")
    files = write(out, one, report, keep_report=report is None and not one.shows)
    keeper.keep(one.after, inputs, files)
    return graded_now(one.after, inputs, files[RESULT], (report.problem if report else "") or None)


def _to_render(found: Sequence[Regraded], order: Order, wanted: Wanted) -> list[Result]:
    """Those who have another outcome; all that are written, if they are wanted."""
    if not order.with_reports:
        return []
    return [one.after for one in found if one.after and (one.shows or (wanted.all_reports and one.changed))]


def _rendered(results: Sequence[Result], opened: Mapping[str, Source], order: Order, wanted: Wanted) -> Iterator[Again]:
    visible = {student: source for student, source in opened.items() if order.circumstances[student].blind is None}
    yield from rendered(results, visible, order, workers=wanted.workers)


def _inputs(
    found: Sequence[Regraded], order: Order, opened: Mapping[str, Source], standings: Mapping[str, Standing]
) -> Iterator[tuple[str, Inputs]]:
    """What each grade depends on. A hand-in that was not opened is the one that it was; what was kept of other
    versions makes the inputs others than those of a grade that is made anew."""
    anew = {one.source.student_id for one in found if one.way is Way.SUBMISSION}
    sources = tuple(opened[one.student_id] if one.student_id in anew else one for one in order.sources)
    hashed = inputs_of(replace(order, sources=sources))
    for one in found:
        student = one.source.student_id
        inputs = hashed[student]
        if student not in anew:
            standing = standings.get(student)
            inputs = inputs._replace(source=standing.grade.inputs.source if standing else "")
        if one.kept:
            inputs = inputs._replace(lab=hash_of([inputs.lab, [item.before.id for item in one.kept]]))
        if one.way is Way.OLD_READING:
            inputs = inputs._replace(grader=f"{inputs.grader}, from an older reading")
        yield student, inputs


def _before(one: Graded, inputs: Inputs) -> Kept | None:
    """The grade of before, as its file tells it."""
    result = one.result
    if result is None:
        return None
    was = inputs._replace(lab=result.lab.sha256, truth=result.truth_sha256)
    return graded_now(result, was, "", None).grade


def _run(order: Order, grader: str, wanted: Wanted) -> NewRun:
    return NewRun(
        lab=order.lab.id,
        lab_sha256=order.lab.sha256,
        truth_sha256=order.truth.sha256,
        grader=grader,
        language=order.presentation.language,
        options=wanted.options,
    )
