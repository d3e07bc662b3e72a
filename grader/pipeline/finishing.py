"""The finishing run: it applies people's decisions to results, reports and the files of the class, as if the class were
graded again with them, and opens no hand-in."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from pydantic import ValidationError

from grader.cohort.attention import Absent
from grader.gradebook.keeper import Keeper
from grader.gradebook.store import NO_INPUTS
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import say
from grader.pipeline.assigning import IN_FORCE, OUTDATED, key_of_sections, sections_in
from grader.pipeline.class_files import ClassRun
from grader.pipeline.hashes import grader_identity
from grader.pipeline.order import Answers, Circumstances, Order, with_decisions
from grader.pipeline.order import GradeSummary as InShort
from grader.pipeline.outputs import CLASS, PAGE, REPORT, Reports, files_in, list_in, write_atomically, write_student
from grader.pipeline.pictures import page_text, pictures_of
from grader.pipeline.regrading import (
    GradedFolder,
    StoredHandIn,
    by_readings,
    graded_in,
    render_reports,
    sources_of,
    stored_hand_in,
)
from grader.pipeline.session import overrides_hash, run_by
from grader.pipeline.stages import basis_of, kept_findings
from grader.pipeline.worker import WorkerOutput
from grader.report.pictures import Pictures
from grader.report.resources import Presentation
from grader.result import Override, Result

NO_ANSWERS: Mapping[str, Answers] = MappingProxyType({})


class FinishOutcome(NamedTuple):
    """The outcome of a finishing run: the number of results, the number of new ones, and the reports that could not be
    made, with reasons. `pending` are the students about whom a person has yet to decide, `earlier` those of them with
    decisions about another answer, and the items."""

    students: int
    written: int
    problems: tuple[tuple[str, str], ...]
    pending: tuple[str, ...] = ()
    earlier: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def from_grades(cls, made: Sequence[InShort], written: int, problems: Iterable[tuple[str, str]]) -> "FinishOutcome":
        """Return the outcome of a run over these grades."""
        return cls(
            len(made),
            written,
            tuple(sorted(problems)),
            tuple(grade.student for grade in made if grade.pending),
            tuple((grade.student, grade.stale) for grade in made if grade.stale),
        )


def finish_class(
    out: Path,
    lab: Lab,
    truth: GroundTruth,
    overrides: Callable[[str], Mapping[str, Override]],
    keeper: Keeper,
    *,
    presentation: Presentation,
    answers: Mapping[str, Answers] = NO_ANSWERS,
    with_reports: bool = True,
    workers: int = 1,
    done: Callable[[int, int], None] = lambda made, of: None,
) -> FinishOutcome:
    """Put decisions in force in every result in `out`, and render the reports of those that change or whose report is
    not there. `overrides` are those of a student, by item; `answers` those to requests. `done` is told how many of how
    many students have been gone through.

    One student after the other is read, so a class of any size fits into memory. Raises OSError when something cannot
    be written, GradebookError when the gradebook cannot be used.
    """
    folder = graded_in(out)
    known_lab_standings = keeper.standings_for(lab.id)
    order = Order(
        sources=(), lab=lab, truth=truth, with_reports=with_reports, missing=_missing(out), presentation=presentation
    )
    # The options of the run before, so that later ones find the hand-ins and the course.
    keeper.begin(
        run_by(grader_identity(), order, dict(known_lab_standings.last.options) if known_lab_standings.last else {})
    )
    run = ClassRun(out, order, keeper, known_lab_standings)
    problems: list[tuple[str, str]] = []
    new: dict[str, Result] = {}
    assigned = {made.student: made for made in _assigned(folder, order, overrides, workers=workers)}
    problems += [(made.student, made.problem) for made in assigned.values() if made.result is None]

    def waiting() -> Iterator[Result | None]:
        """The new results that are to be written; None now and then, so that reports are looked after meanwhile."""
        for number, (student, graded_folder) in enumerate(folder.items()):
            if number % _AT_A_TIME == 0:
                done(number, len(folder))
                yield None
            if graded_folder.result is None:
                continue
            again = assigned.get(student)
            base = again.result if again and again.result else graded_folder.result
            result = with_decisions(base, lab, overrides(student), answers.get(student, {}))
            there = all((out / student / name).is_file() for name in (REPORT, PAGE))
            if result == graded_folder.result and (there or not with_reports):
                standing, files = known_lab_standings.standings.get(student), files_in(out / student)
                run.stay(result, files, standing, overrides(student))
                run.enter(at_least=_AT_A_TIME)
            else:
                new[student] = result
                yield result

    def pictures(result: Result) -> Pictures:
        """Return the pictures of the previous report."""
        return pictures_of(page_text(out / result.student.id / PAGE), result)

    written = 0
    for again in (
        render_reports(waiting(), {}, order, workers=workers, pictures=pictures)
        if with_reports
        else (WorkerOutput(candidate.student.id) for candidate in waiting() if candidate)
    ):
        result = new.pop(again.student)
        for name, content in assigned.get(again.student, WorkerOutput(again.student)).stages.items():
            write_atomically(out / again.student / name, content)
        files = write_student(out, result, Reports(again.report, again.page))
        standing = known_lab_standings.standings.get(again.student)
        decided = Circumstances(overrides=dict(overrides(again.student)), answers=dict(answers.get(again.student, {})))
        inputs = standing.grade.inputs._replace(overrides=overrides_hash(decided)) if standing else NO_INPUTS
        run.add(result, inputs, files, overrides(again.student))
        written += 1
        if again.problem:
            problems.append((again.student, again.problem))
    done(len(folder), len(folder))
    run.finish(run.files())
    return FinishOutcome.from_grades(run.made, written, problems)


_AT_A_TIME: Final = 50


def _assigned(
    folder: Mapping[str, GradedFolder],
    order: Order,
    overrides: Callable[[str], Mapping[str, Override]],
    *,
    workers: int,
) -> Iterator[WorkerOutput]:
    """The students whose sections a person assigned, or no longer assigns, since they were graded: their results from
    what was read, or why there are none."""
    basis = basis_of(order.lab, order.truth)
    concerned: list[StoredHandIn] = []
    circumstances: dict[str, Circumstances] = {}
    for student, graded_folder in folder.items():
        result, own_overrides = graded_folder.result, dict(overrides(student))
        if result is None or not (
            sections_in(own_overrides) or {flag.id for flag in result.flags} & {IN_FORCE, OUTDATED}
        ):
            continue
        if kept_findings(
            graded_folder.folder, result.submission.sha256, basis, None, key_of_sections(sections_in(own_overrides))
        ):
            continue
        if result.lab.sha256 != order.lab.sha256 or result.reader:
            yield WorkerOutput(
                student, problem=say("its sections were assigned, so run `grade regrade` to grade it by them")
            )
            continue
        [source] = sources_of({student: graded_folder})
        concerned.append(stored_hand_in(source, graded_folder))
        circumstances[student] = Circumstances(lateness=result.lateness, overrides=own_overrides)
    yield from by_readings(concerned, replace(order, circumstances=circumstances), basis, workers=workers)


def _missing(out: Path) -> tuple[Absent, ...]:
    """The students without a hand-in, as the class was graded; none where that cannot be read."""
    try:
        return tuple(Absent.model_validate(student) for student in list_in(out / CLASS, "missing"))
    except ValidationError:
        return ()
