"""A class graded once more from what was kept, after a change of lab, truth, overrides or lateness."""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from grader.intake.submission import Source
from grader.pipeline.order import Order
from grader.pipeline.outputs import RESULT, Reports, files_in, write_atomically, write_student
from grader.pipeline.regrading.again import Again, Expected, by_findings, by_readings, by_submissions
from grader.pipeline.regrading.merging import KeptItem, merged
from grader.pipeline.regrading.targets import Graded
from grader.pipeline.replay import Basis
from grader.result import Result


class Way(StrEnum):
    """What a new result was made from."""

    FINDINGS = "findings"
    READING = "reading"
    OLD_READING = "old-reading"
    SUBMISSION = "submission"


class Regraded(NamedTuple):
    """A student before and after. `after` is None where nothing could be made, for the reason in `problem`; `kept` are
    items that would be otherwise, had they been named; `stages` are files of stages that are new."""

    source: Source
    before: Result | None
    after: Result | None
    way: Way | None = None
    kept: tuple[KeptItem, ...] = ()
    stages: Mapping[str, bytes] | None = None
    problem: str = ""

    @property
    def changed(self) -> bool:
        """Whether `result.json` is to be another."""
        return self.after is not None and (self.before is None or self.after.to_json() != self.before.to_json())

    @property
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
) -> Iterator[Regraded]:
    """Every hand-in of the order once more. Those in `opened` can be read anew, and are where their reading cannot be
    used or is by another grader. Nothing is written."""
    waiting: list[Expected] = []
    for source in order.sources:
        one = _expected(source, graded[source.student_id])
        result = by_findings(one, order, basis)
        if result:
            yield _regraded(source, graded, result, Way.FINDINGS, only)
        else:
            waiting.append(one)
    yield from _from_readings(waiting, order, graded, opened, basis, only, workers)


def write(out: Path, one: Regraded, report: Again | None, *, keep_report: bool) -> Mapping[str, str]:
    """Write what is new about a student; returns the hashes of result and reports, by name. Reports of before stay only
    where they are to. Raises OSError."""
    folder = out / one.source.student_id
    for name, content in (one.stages or {}).items():
        write_atomically(folder / name, content)
    if one.after is not None and one.changed and not keep_report:
        return write_student(out, one.after, Reports(report.report, report.page) if report else Reports())
    if one.after is not None and one.changed:
        write_atomically(folder / RESULT, one.after.to_json().encode())
    return files_in(folder)


def _from_readings(
    waiting: list[Expected],
    order: Order,
    graded: Mapping[str, Graded],
    opened: Mapping[str, Source],
    basis: Basis,
    only: Collection[str],
    workers: int,
) -> Iterator[Regraded]:
    sources = {one.source.student_id: one.source for one in waiting}
    anew: list[Source] = []
    for again in by_readings(waiting, order, basis, workers=workers):
        source = sources[again.student]
        same = again.maker is not None and again.maker.read_as(basis.maker)
        if again.student in opened and (again.result is None or not same):
            anew.append(opened[again.student])
        elif again.result is None:
            yield Regraded(source, graded[again.student].result, None, problem=again.problem)
        else:
            way = Way.READING if same else Way.OLD_READING
            yield _regraded(source, graded, Result.from_json(again.result), way, only, again.stages)
    for again in by_submissions(anew, order, basis, workers=workers, with_reports=False):
        source = sources[again.student]
        result = Result.from_json(again.result) if again.result else None
        if result is None or result.error:
            problem = (result.error if result else None) or again.problem
            yield Regraded(source, graded[again.student].result, None, problem=problem)
        else:
            yield _regraded(source, graded, result, Way.SUBMISSION, only, again.stages)


def _expected(source: Source, one: Graded) -> Expected:
    return Expected(source, one.folder, one.result.submission.sha256 if one.result else "")


def _regraded(
    source: Source,
    graded: Mapping[str, Graded],
    result: Result,
    way: Way,
    only: Collection[str],
    stages: Mapping[str, bytes] | None = None,
) -> Regraded:
    before = graded[source.student_id].result
    now = merged(before, result, only)
    return Regraded(source, before, now.result, way, now.kept, stages)


def _plain(result: Result) -> Result:
    """A result without the versions of what it was graded by."""
    lab = result.lab.model_copy(update={"sha256": ""})
    return result.model_copy(update={"lab": lab, "truth_sha256": "", "grader_version": ""})
