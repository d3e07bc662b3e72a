"""A class, or some of its items, graded once more from what was kept, after a change of lab, truth, overrides or
lateness; what is new is written, entered in the gradebook, and told.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.checks.finding import HAND_IN, OVERRULED, UNREADABLE, is_automatic, is_withdrawn
from grader.gradebook.history import ClassChanges, GradeChange, changes
from grader.gradebook.keeper import Keeper
from grader.gradebook.store import Files, Inputs, Kept, New, Standing, new_grade
from grader.intake.submission import Source
from grader.lab.definition import Lab
from grader.pipeline.class_files import class_files
from grader.pipeline.hashes import hash_of, source_hashes
from grader.pipeline.order import Graded as GradedNow
from grader.pipeline.order import Order, in_short, summed
from grader.pipeline.outputs import PAGE, REPORT, RESULT, Reports, files_in, write_atomically, write_student
from grader.pipeline.pictures import MOST_BYTES, MOST_PICTURES, page_text, pictures_of
from grader.pipeline.regrading.again import Again, Graded, by_findings, by_readings, by_submissions, expected, rendered
from grader.pipeline.session import Plan, inputs_by, run_by, same_but_decisions
from grader.pipeline.stages import Basis, basis_of, findings_hold
from grader.report.pictures import NONE, Pictures, place_of
from grader.result import ItemResult, Result, Status, Versions
from grader.scoring import late_flags


class KeptItem(NamedTuple):
    """An item that was kept as it was, although it would be otherwise now."""

    before: ItemResult
    now: ItemResult


class Merged(NamedTuple):
    """The result in force, and what was kept in it."""

    result: Result
    kept: tuple[KeptItem, ...]


def named(item: str, only: Collection[str]) -> bool:
    """Whether an item is meant by one of some names, in which `*` stands for anything. No names mean all items."""
    return not only or any(fnmatchcase(item, one) for one in only)


def merged(before: Result | None, now: Result, only: Collection[str]) -> Merged:
    """The new result, in which the items that `only` does not name are as they were before. Points are summed anew and
    lateness is taken off anew. An item without a past is taken as it is now."""
    if before is None or not only or before.error:
        return Merged(now, ())
    past = {item.id: item for item in before.items}
    pairs = [(past.get(item.id), item) for item in now.items]
    kept = tuple(
        KeptItem(old, new)
        for old, new in pairs
        if old and not named(new.id, only) and old.model_copy(update={"kept_from": None}) != new
    )
    if not kept:
        return Merged(now, ())
    versions = Versions(
        lab_sha256=before.lab.sha256, truth_sha256=before.truth_sha256, grader_version=before.grader_version
    )
    stay = {old.id: old.model_copy(update={"kept_from": old.kept_from or versions}) for old, _ in kept}
    items = tuple(stay.get(item.id, item) for item in now.items)
    return Merged(summed(now, items).model_copy(update={"flags": tuple(_flags(before, now))}), kept)


def _flags(before: Result, now: Result) -> Iterator[object]:
    """A flag may belong to an item that was kept, so those of before stay; but lateness is of now."""
    late = late_flags(now.lateness)
    old = late_flags(before.lateness)
    yield from (flag for flag in before.flags if flag.id not in {one.id for one in old})
    yield from (flag for flag in now.flags if flag.id in {one.id for one in late})


class Way(StrEnum):
    """What a new result was made from."""

    FINDINGS = "findings"
    READING = "reading"
    OLD_READING = "old-reading"
    SUBMISSION = "submission"


@dataclass(frozen=True)
class Regraded:
    """A student before, as the folder tells, and after. `after` is None where nothing could be made, for the reason in
    `problem`; `kept` are items that would be otherwise, had they been named; `stages` are files of stages that are
    new."""

    source: Source
    was: Graded
    after: Result | None
    way: Way | None = None
    kept: tuple[KeptItem, ...] = ()
    stages: Mapping[str, bytes] | None = None
    problem: str = ""

    @property
    def before(self) -> Result | None:
        """The result of before, if there is one."""
        return self.was.result

    @cached_property
    def content(self) -> bytes:
        """What is to stand in `result.json`."""
        return self.after.to_json().encode() if self.after else b""

    @cached_property
    def changed(self) -> bool:
        """Whether `result.json` is to be another."""
        return self.after is not None and self.content != self.was.content

    @cached_property
    def shows(self) -> bool:
        """Whether more is otherwise than the versions of grader, lab and truth."""
        if not self.changed or self.before is None or self.after is None:
            return self.changed
        return _plain(self.before) != _plain(self.after)


def regraded(
    order: Order,
    graded: Mapping[str, Graded],
    opened: Mapping[str, Source],
    basis: Basis,
    *,
    only: Collection[str] = (),
    workers: int = 1,
    still: Callable[[Source, Graded], Result | None] = lambda source, one: None,
) -> Iterator[Regraded]:
    """Every hand-in of the order once more, as they come. Those in `opened` can be read anew, and are where their
    reading cannot be used or is by another grader. `still` is the result of one that need not be made, if it knows.
    Nothing is written."""
    waiting: list[Source] = []
    for source in order.sources:
        one = graded[source.student_id]
        result = still(source, one) or by_findings(expected(source, one), order, basis)
        if result:
            yield _regraded(source, graded, result, Way.FINDINGS, only)
        else:
            waiting.append(source)
    yield from _from_readings(waiting, order, graded, opened, basis, only, workers)


def write(out: Path, one: Regraded, report: Again | None, before: Files, *, keep_report: bool) -> Files:
    """Write what is new about a student; returns the hashes of result and reports, by name. Reports of before stay only
    where they are to; `before` are the hashes of those that were written, as far as that is known. Raises OSError."""
    folder = out / one.source.student_id
    for name, content in (one.stages or {}).items():
        write_atomically(folder / name, content)
    if one.after is not None and one.changed and not keep_report:
        return write_student(out, one.after, Reports(report.report, report.page) if report else Reports())
    if one.after is not None and one.changed:
        write_atomically(folder / RESULT, one.content)
    if one.after is None or REPORT not in before or PAGE not in before:
        return files_in(folder)
    reports = {name: before[name] for name in (REPORT, PAGE) if (folder / name).is_file()}
    return {RESULT: hashlib.sha256(one.content).hexdigest(), **reports}


def _from_readings(
    waiting: Sequence[Source],
    order: Order,
    graded: Mapping[str, Graded],
    opened: Mapping[str, Source],
    basis: Basis,
    only: Collection[str],
    workers: int,
) -> Iterator[Regraded]:
    sources = {source.student_id: source for source in waiting}
    anew: list[Source] = []
    some = (expected(source, graded[source.student_id]) for source in waiting)
    for again in by_readings(some, order, basis, workers=workers):
        source = sources[again.student]
        same = again.maker is not None and again.maker.read_as(basis.maker)
        if again.student in opened and (again.result is None or not same):
            anew.append(opened[again.student])
        elif again.result is None:
            yield Regraded(source, graded[again.student], None, problem=again.problem)
        else:
            way = Way.READING if same else Way.OLD_READING
            yield _regraded(source, graded, Result.from_json(again.result), way, only, again.stages)
    for again in by_submissions(anew, order, basis, workers=workers, with_reports=False):
        source = sources[again.student]
        result = Result.from_json(again.result) if again.result else None
        if result is None or result.error:
            problem = (result.error if result else None) or again.problem
            yield Regraded(source, graded[again.student], None, problem=problem)
        else:
            yield _regraded(source, graded, result, Way.SUBMISSION, only, again.stages)


def _regraded(
    source: Source,
    graded: Mapping[str, Graded],
    result: Result,
    way: Way,
    only: Collection[str],
    stages: Mapping[str, bytes] | None = None,
) -> Regraded:
    was = graded[source.student_id]
    now = merged(was.result, result, only)
    return Regraded(source, was, now.result, way, now.kept, stages)


def _plain(result: Result) -> Result:
    """A result without the versions of what it was graded by."""
    lab = result.lab.model_copy(update={"sha256": ""})
    return result.model_copy(update={"lab": lab, "truth_sha256": "", "grader_version": ""})


class Wanted(NamedTuple):
    """What a regrade is asked for: the items (none named: all), reports even where only versions changed, and the
    options that the gradebook lists with the run."""

    only: tuple[str, ...] = ()
    all_reports: bool = False
    workers: int = 1
    options: Mapping[str, object] = MappingProxyType({})


class StudentOutcome(NamedTuple):
    """What became of one student; `change` is None where there was no grade before, or there is none now."""

    regraded: Regraded
    change: GradeChange | None
    report_problem: str = ""


_AT_A_TIME: Final = 48
"""So many students are graded once more, then reported and written, before the next: no more are in memory."""


def regrade_class(
    order: Order,
    out: Path,
    graded: Mapping[str, Graded],
    opened: Mapping[str, Source],
    keeper: Keeper,
    wanted: Wanted,
    done: Callable[[str, int, int], None] = lambda step, made, of: None,
) -> Iterator[StudentOutcome]:
    """Grade once more what was graded into `out`, write what is new, and yield what became of each student. `opened`
    are hand-ins that are at hand. `done` is told of each step how many of how many hand-ins it has made. A run that is
    stopped leaves whole results, old ones and new ones; another one goes on from there.

    Raises OSError when something cannot be written, GradebookError when the gradebook cannot be used.
    """
    basis = basis_of(order.lab, order.truth)
    known = keeper.known(order.lab.id)
    given = inputs_by(order, basis.maker.grader)
    keeper.begin(run_by(basis.maker.grader, order, wanted.options))
    now: list[GradedNow] = []
    changed = ClassChanges(known.before)
    done("grading", 0, len(order.sources))

    def still(source: Source, one: Graded) -> Result | None:
        standing = known.standings.get(source.student_id)
        if standing is None or not findings_hold(one.folder, standing.grade.submission_sha256, basis):
            return None
        return restated(one, standing, given(source, standing.grade.inputs.source), order.lab)

    found = regraded(order, graded, opened, basis, only=wanted.only, workers=wanted.workers, still=still)
    made = 0
    while some := list(islice(found, _AT_A_TIME)):
        ready = {}
        for again in _rendered(out, some, opened, order, wanted):
            ready[again.student] = again
            done("grading", made + len(ready), len(order.sources))
        new: list[New] = []
        outcomes: list[StudentOutcome] = []
        for one in some:
            student = one.source.student_id
            standing = known.standings.get(student)
            inputs = _inputs(one, given, order, opened, standing)
            old = standing.grade if standing else _before(one.before, inputs)
            if one.after is None:
                keeper.hold([standing] if standing else [])
                now += [in_short(old, unchanged=True)] if old and one.before else []
                outcomes.append(StudentOutcome(one, None))
                continue
            report = ready.get(student)
            before = standing.files if standing else {}
            files = write(out, one, report, before, keep_report=report is None and not one.shows)
            keeper.bind(one.after, order.circumstances_of(one.source).overrides)
            grade = new_grade(one.after, inputs, files[RESULT])
            new.append(New(grade, one.content, files))
            changed.add(grade)
            now.append(in_short(grade))
            problem = report.problem if report else ""
            outcomes.append(StudentOutcome(one, changes(old, grade) if old else None, problem))
        keeper.keep_all(order.lab.id, new)
        yield from outcomes
        made += len(some)
        done("grading", made, len(order.sources))
    done("report of the class", 0, 1)
    now.sort(key=lambda one: one.student)
    keeper.finish(*class_files(out, now, order, Plan({}, {}, (), known), changes=changed.shown()))


def restated(one: Graded, standing: Standing, inputs: Inputs, lab: Lab) -> Result | None:
    """The result of before with the version of the lab that it is graded by now, where it follows from the gradebook
    that nothing else of it is new: the file is as it was written, its inputs are those of now but for the lab's stored
    decisions, and these are not about it. None where that does not follow, as where a reader was consulted."""
    if one.result is None or one.result.reader or not same_but_decisions(standing.grade.inputs, inputs):
        return None
    if hashlib.sha256(one.content).hexdigest() != standing.grade.result_sha256:
        return None
    if any(_may_be_decided(item, lab) for item in one.result.items):
        return None
    return one.result.model_copy(update={"lab": one.result.lab.model_copy(update={"sha256": lab.sha256})})


def _may_be_decided(item: ItemResult, lab: Lab) -> bool:
    """Whether stored decisions are about an item, or were."""
    if item.decided_by or item.group.startswith((HAND_IN, UNREADABLE)) or lab.decisions.of(item.group):
        return True
    return OVERRULED in item.tags or (is_automatic(item.tags) and is_withdrawn(lab, item.group.partition(":")[0]))


def _rendered(
    out: Path, found: Sequence[Regraded], opened: Mapping[str, Source], order: Order, wanted: Wanted
) -> Iterator[Again]:
    """The reports of those who have another outcome, or of all that are written, if they are wanted. Where the evidence
    is as it was, its pictures are those of the report of before, and the hand-in is not opened."""
    results = [
        one.after
        for one in found
        if order.with_reports and one.after and (one.shows or (wanted.all_reports and one.changed))
    ]
    visible = {student: source for student, source in opened.items() if order.circumstances[student].blind is None}
    pictured: set[str] = set()
    for one in found:
        if one.source.student_id in visible and _has_its_pictures(out, one):
            del visible[one.source.student_id]
            pictured.add(one.source.student_id)

    def pictures(one: Result) -> Pictures:
        return pictures_of(page_text(_page(out, one)), one) if one.student.id in pictured else NONE

    yield from rendered(results, visible, order, workers=wanted.workers, pictures=pictures)


def _has_its_pictures(out: Path, one: Regraded) -> bool:
    """Whether the report of before has pictures, and those that there would be now. They are of the same evidence; of
    an item that is not correct there is a second one, if it has several places. Where there are as many as a report may
    have, those of items that are not correct come first."""
    if one.before is None or one.after is None or not one.shows:
        return False
    pairs = list(zip(one.before.items, one.after.items, strict=False))
    if [(old.id, old.evidence) for old, _ in pairs] != [(item.id, item.evidence) for item in one.after.items]:
        return False
    turned = [now for old, now in pairs if (old.status is Status.CORRECT) is not (now.status is Status.CORRECT)]
    if any(len({place_of(item.id, place) for place in item.evidence} - {None}) > 1 for item in turned):
        return False
    pictures = {picture.png for picture in pictures_of(page_text(_page(out, one.after)), one.after).values()}
    is_full = len(pictures) >= MOST_PICTURES or sum(map(len, pictures)) >= MOST_BYTES
    return bool(pictures) and not (turned and is_full)


def _page(out: Path, result: Result) -> Path:
    return out / result.student.id / PAGE


def _inputs(
    one: Regraded,
    given: Callable[[Source, str], Inputs],
    order: Order,
    opened: Mapping[str, Source],
    standing: Standing | None,
) -> Inputs:
    """What a grade depends on. A hand-in that was not opened is the one that it was; what was kept of other versions
    makes the inputs others than those of a grade that is made anew."""
    if one.way is Way.SUBMISSION:
        source = opened[one.source.student_id]
        inputs = given(source, source_hashes([source], order.listings)[0])
    else:
        inputs = given(one.source, standing.grade.inputs.source if standing else "")
    if one.kept:
        inputs = inputs._replace(lab=hash_of([inputs.lab, [item.before.id for item in one.kept]]))
    if one.way is Way.OLD_READING:
        inputs = inputs._replace(grader=f"{inputs.grader}, from an older reading")
    return inputs


def _before(result: Result | None, inputs: Inputs) -> Kept | None:
    """The grade of before, as its file tells it."""
    if result is None:
        return None
    was = inputs._replace(lab=result.lab.sha256, truth=result.truth_sha256)
    return new_grade(result, was, "")
