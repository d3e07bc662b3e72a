"""The files about a class as a whole, its report among them, made anew only where something about them is new."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from grader.cohort.attention import MOST_CHANGES, Absent, Change
from grader.cohort.statistics import Class
from grader.gradebook.exports.outcome import GradesTable
from grader.gradebook.history import ClassChanges
from grader.gradebook.keeper import Keeper, LabStandings
from grader.gradebook.store import NO_INPUTS, Files, GradeToStore, Inputs, Run, Standing, StoredGrade, grade_to_store
from grader.message import say
from grader.pipeline.cage import Bounds, Layer, temporary_folder
from grader.pipeline.hashes import hash_of
from grader.pipeline.isolation import MEMORY, SECONDS, Send, run_isolated
from grader.pipeline.order import GradeSummary, Order, in_short
from grader.pipeline.outputs import CLASS, CLASS_FILES, GRADES, RESULT, Reports, files_in, list_in, write_class
from grader.pipeline.worker import SENT_PAGE, SENT_PROBLEM, SENT_REPORT, own_templates
from grader.report.pictures import Pictures
from grader.report.resources import Presentation
from grader.result import Override, Result

if TYPE_CHECKING:
    from grader.report.render import ClassViews


class ClassFiles(NamedTuple):
    """The hash of the sources of the class files, and the hashes of the files by name."""

    made_from: str
    files: Files


class ClassRun:
    """The work that every run over a class does, whichever stage it begins with: it enters the grades in the gradebook
    as they come, and makes the files about the class at the end. `made` are the grades so far."""

    def __init__(self, out: Path, order: Order, keeper: Keeper | None, known_lab_standings: LabStandings) -> None:
        self.made: list[GradeSummary] = []
        self._out, self._order, self._keeper, self._last = out, order, keeper, known_lab_standings.last
        self._changed = ClassChanges(known_lab_standings.before)
        self._new: list[GradeToStore] = []
        self._held: list[Standing] = []

    def add(
        self,
        result: Result,
        inputs: Inputs,
        files: Files,
        overrides: Mapping[str, Override],
        report_problem: str | None = None,
    ) -> StoredGrade:
        """A new grade, whose files are written; it is in the gradebook after `enter`."""
        entry = grade_to_store(result, inputs, files)
        if self._keeper:
            self._keeper.bind(result, overrides)
            self._new.append(entry)
        self._changed.add(entry.grade)
        self.made.append(in_short(entry.grade, report_problem=report_problem))
        return entry.grade

    def stay(self, result: Result, files: Files, standing: Standing | None, overrides: Mapping[str, Override]) -> None:
        """A result that stays as it is; a new grade where the gradebook does not have it."""
        if standing is None or standing.grade.result_sha256 != files[RESULT]:
            self.add(result, standing.grade.inputs if standing else NO_INPUTS, files, overrides)
            return
        if self._keeper:
            self._keeper.bind(result, overrides)
            self._held.append(standing._replace(files=files))
        self.made.append(in_short(standing.grade, unchanged=True))

    def enter(self, at_least: int = 1) -> None:
        """Bring into the gradebook what waits for that, where it is so much."""
        if self._keeper and len(self._new) + len(self._held) >= at_least:
            self._keeper.keep_all(self._order.lab.id, self._new)
            self._keeper.hold(self._held)
            self._new, self._held = [], []

    def files(self, lacking: frozenset[str] | None = None) -> ClassFiles:
        """The files about the class that lie in `out` if they are still true, else new ones, whose report tells what
        changed; there is none of a single student. `lacking` are the layers of protection that were not there for some
        hand-in of the class; where that is not given, what those files said of it. Raises OSError."""
        self.enter()
        self.made.sort(key=lambda grade: grade.student)
        out, order = self._out, self._order
        lacking = unprotected_in(out) if lacking is None else lacking
        grades = sorted((grade.student, grade.result_sha256) for grade in self.made)
        shown = sorted({grade.made_by for grade in self.made})
        hash_ = hash_of(
            [grades, shown, [absent_student.model_dump() for absent_student in order.missing], sorted(lacking)]
        )
        with_report = order.with_reports and len(self.made) + len(order.missing) > 1
        if there := _still_true(out, self._last, hash_, with_report=with_report):
            return there
        changes = self._changed.all_changes()
        material = _Material(
            out=out,
            results=[(grade.student, grade.result) for grade in self.made],
            lacking=lacking,
            changes=tuple(changes[:MOST_CHANGES]),
            more_changes=max(len(changes) - MOST_CHANGES, 0),
            missing=order.missing,
            presentation=order.presentation,
            with_report=with_report,
            debug=order.debug,
        )
        if len(self.made) <= MOST_MADE_HERE:
            return ClassFiles(hash_, _made(material))
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            return ClassFiles(hash_, other.submit(_made, material).result())

    def finish(self, files: ClassFiles) -> None:
        """End the run, whose files about the class are these."""
        if self._keeper:
            self._keeper.finish(*files)


def unprotected_in(out: Path) -> frozenset[str]:
    """Return the layers of protection that were lacking according to the class file in `out`; empty if there is no such
    file."""
    found = list_in(out / CLASS, "unprotected")
    return frozenset(layer for layer in Layer if layer in found)


def _still_true(out: Path, last: Run | None, made_from: str, *, with_report: bool) -> ClassFiles | None:
    """The files in `out`, if the last run wrote them from the same grades and they lie there as written; reports may
    be missing where they are not wanted."""
    if last is None or last.class_sha256 != made_from:
        return None
    there = files_in(out, CLASS_FILES)
    needed = CLASS_FILES if with_report else (GRADES, CLASS)
    as_written = all(last.files.get(name) == content for name, content in there.items())
    return ClassFiles(made_from, there) if as_written and all(name in there for name in needed) else None


MOST_MADE_HERE: Final = 1_000
"""Files of a larger class are made by a process of their own, whose memory is given back."""


class _Material(NamedTuple):
    """The material for the files of a class. `results` are the students, each with its result if that lies in no
    folder; of many `changes`, `more_changes` are left out."""

    out: Path
    results: list[tuple[str, Result | None]]
    lacking: frozenset[str]
    changes: tuple[Change, ...]
    more_changes: int
    missing: tuple[Absent, ...]
    presentation: Presentation
    with_report: bool
    debug: bool


def _made(material: _Material) -> Files:
    """Made from the results in a folder, of which one at a time is in memory.

    The report tells what became of the grades before; the other files do not, so that they depend on nothing but the
    grades.
    """
    from grader.cohort.statistics import summarise_results

    out, table = material.out, GradesTable()
    of = summarise_results(_results(material, table), missing=material.missing, unprotected=material.lacking)
    report, failure = Reports(), None
    if material.with_report:
        from grader.pipeline.pictures import example_pictures

        full_statistics = of._replace(
            summary=of.summary.model_copy(update={"changes": material.changes}),
            shown=of.shown._replace(more_changes=material.more_changes),
        )
        report, failure = rendered_apart(
            full_statistics, material.presentation, example_pictures(out, full_statistics), debug=material.debug
        )
    files = write_class(out, table.lines(), of.summary, report)
    if failure:
        raise RuntimeError(say("there is no report of the class: {failure}", failure=failure))
    return files


def _results(material: _Material, table: GradesTable) -> Iterator[Result]:
    """The results by student; each is entered into the table as it goes by."""
    for student, unwritten in material.results:
        result = unwritten or Result.from_json((material.out / student / RESULT).read_bytes())
        table.add(result)
        yield result


_SECONDS_EACH: Final = 1.0
_BYTES_EACH: Final = 4 * 2**20
"""What each student that is shown adds to the limits."""


@dataclass(frozen=True)
class _ClassJob:
    views: "ClassViews"
    presentation: Presentation
    pictures: Pictures
    work: Path
    debug: bool


def rendered_apart(
    of: Class, presentation: Presentation, pictures: Pictures, *, debug: bool
) -> tuple[Reports, str | None]:
    """The report as PDF and as HTML, and why it is not there, if it is not. `pictures` are by `class_place`."""
    from grader.report.render import class_views

    def bounds(job: _ClassJob) -> Bounds:
        return Bounds(own_templates(job.presentation), job.work, talks=job.debug)

    views = class_views(of, presentation, pictures)
    shown = len(of.shown.rows)
    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        (outcome,) = run_isolated(
            _render,
            [_ClassJob(views, presentation, dict(pictures), Path(folder), debug)],
            workers=1,
            preload=("grader.pipeline.warm",),
            seconds=SECONDS + _SECONDS_EACH * shown,
            memory=MEMORY + _BYTES_EACH * shown,
            bounds=bounds,
        )
    sent = outcome.sent
    failure = sent[SENT_PROBLEM].decode(errors="replace") if SENT_PROBLEM in sent else outcome.failure
    return Reports(sent.get(SENT_REPORT), sent.get(SENT_PAGE)), failure


def _render(job: _ClassJob, send: Send) -> None:
    from grader.report.render import class_page, class_report

    try:
        send(SENT_REPORT + class_report(job.views, job.presentation, job.pictures))
        send(SENT_PAGE + class_page(job.views, job.presentation).encode())
    except Exception as error:
        send(SENT_PROBLEM + f"{type(error).__name__}: {error}".encode())
        if job.debug:
            raise
