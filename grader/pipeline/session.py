"""The steps before a class is graded: what is unchanged since it was graded and written, whether the lab can be used,
what the run is called.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from grader.cohort.rows import ReadOnDemand
from grader.gradebook.keeper import NOTHING, Keeper, LabStandings
from grader.gradebook.store import Files, Inputs, NewRun, Standing
from grader.intake.submission import Source
from grader.lab.short_answers import Decisions
from grader.pipeline.assigning import key_of_sections, sections_in
from grader.pipeline.course import abridged_names
from grader.pipeline.hashes import UNKNOWN, grader_identity, hash_of, hash_of_folder, source_hashes
from grader.pipeline.order import Circumstances, Order
from grader.pipeline.outputs import PAGE, REPORT, RESULT, StoreOutput, files_in


class Plan(NamedTuple):
    """`inputs` of all students; those whose grade still holds, with the files that lie there; and of these, the ones
    whose `result.json` has to be put back from the gradebook. Everybody else is graded."""

    inputs: Mapping[str, Inputs]
    unchanged: Mapping[str, Standing]
    restored: tuple[str, ...]
    known: LabStandings


ALL: Final = Plan({}, {}, (), NOTHING)
"""Everybody is graded, and nobody asked what was graded before."""


def plan_grading(
    order: Order,
    out: Path,
    keeper: Keeper,
    inputs: Mapping[str, Inputs],
    *,
    again: bool = False,
    elsewhere: StoreOutput | None = None,
) -> Plan:
    """Return the work that the gradebook and the files in `out`, or `elsewhere`, leave to do; everything if all is to
    be graded `again`. Raises GradebookError."""
    known_lab_standings = keeper.standings_for(order.lab.id)
    if again:
        return Plan(inputs, {}, (), known_lab_standings)
    unchanged: list[str] = []
    there: dict[str, Files] = {}
    restored: list[str] = []
    for source in order.sources:
        student = source.student_id
        standing = known_lab_standings.standings.get(student)
        if standing is None or standing.grade.inputs != inputs[student]:
            continue
        files = elsewhere.files_of(student, standing.files) if elsewhere else files_in(out / student)
        if not holds(standing, files, with_reports=order.with_reports):
            continue
        if files.get(RESULT) != standing.grade.result_sha256:
            if not any(keeper.stored_contents([standing])):
                continue
            restored.append(student)
        unchanged.append(student)
        files = {**files, RESULT: standing.grade.result_sha256}
        if files != standing.files:
            there[student] = files

    def held(student: str) -> Standing:
        standing = known_lab_standings.standings[student]
        return standing._replace(files=there[student]) if student in there else standing

    return Plan(inputs, ReadOnDemand(unchanged, held), tuple(restored), known_lab_standings)


def holds(standing: Standing, there: Files, *, with_reports: bool) -> bool:
    """Whether a grade from the same inputs need not be made again: it is no failure, and its reports lie there as
    written, or are not wanted. A missing or changed `result.json` is no hindrance, as the gradebook has it."""
    if standing.grade.inputs.source == UNKNOWN or standing.grade.outline.error is not None:
        return False
    return all(
        there[name] == standing.files.get(name) if name in there else not with_reports for name in (REPORT, PAGE)
    )


def inputs_of(order: Order) -> dict[str, Inputs]:
    """Return the inputs of each student's grade. Raises OSError when the grader's own files or templates cannot be
    read."""
    given = inputs_by(order)
    hashes = source_hashes(order.sources, order.listings)
    return {source.student_id: given(source, hash_) for source, hash_ in zip(order.sources, hashes, strict=True)}


def inputs_by(order: Order, grader: str = "") -> Callable[[Source, str], Inputs]:
    """Return a function from a hand-in and its hash to the inputs of its grade; `grader` is this grader's identity, if
    it is known. Raises OSError as `inputs_of`."""
    grader = grader or grader_identity()
    templates = hash_of_folder(order.presentation.templates) if order.presentation.templates else ""
    shown = hash_of([order.presentation.language, templates])
    undecided = order.lab.model_copy(update={"sha256": "", "decisions": Decisions()})
    lab = f"{order.lab.sha256} {hash_of(undecided.model_dump())}"
    same: dict[str, str] = {}  # most students have the same lateness and overrides: none

    def given(source: Source, hash_: str) -> Inputs:
        circumstances = order.circumstances_of(source)
        reader = circumstances.reader
        late = hash_of([circumstances.lateness and circumstances.lateness.model_dump(), source.submitted_at])
        overrides = overrides_hash(circumstances)
        # What stands in no field of its own counts as identity, so that nothing is forgotten.
        others = circumstances.model_dump(exclude={"reader", "lateness", "overrides", "answers"})
        identity = source.identity.model_dump() if source.identity else None
        return Inputs(
            source=hash_,
            lab=lab,
            truth=order.truth.sha256,
            grader=f"{grader}, reader {reader.inputs[:12]}" if reader else grader,
            presentation=shown,
            overrides=same.setdefault(overrides, overrides),
            lateness=same.setdefault(late, late),
            identity=hash_of([source.student_id, source.student_name, identity, others]),
        )

    return given


def with_failures(plan: Plan, order: Order) -> Plan:
    """The plan with the inputs of those about whom the reader gave no answer, so that it is asked again next time."""
    failed = {
        source.student_id: plan.inputs[source.student_id]._replace(
            grader=f"{plan.inputs[source.student_id].grader} failed"
        )
        for source in order.sources
        if (record := order.circumstances_of(source).reader) and record.failure
    }
    return plan._replace(inputs={**plan.inputs, **failed})


def overrides_hash(circumstances: Circumstances) -> str:
    """Stands for what persons decided about a student, and answered."""
    fields = circumstances.model_dump()
    decisions = [fields["overrides"], fields["answers"]] if fields["answers"] else fields["overrides"]
    sections = key_of_sections(sections_in(circumstances.overrides))
    return hash_of([decisions, sections] if sections else decisions)


def same_but_decisions(inputs: Inputs, other: Inputs) -> bool:
    """Whether both are the same, or differ in nothing but the stored decisions of the lab."""
    undecided, of_other = inputs.lab.partition(" ")[2], other.lab.partition(" ")[2]
    return inputs._replace(lab=other.lab) == other and bool(undecided) and undecided == of_other


class Session(NamedTuple):
    """The remaining work of an order, and the notes for staff."""

    order: Order
    plan: Plan
    notes: tuple[str, ...]

    @property
    def waiting(self) -> int:
        """The number of hand-ins that are to be graded."""
        return len(self.order.sources) - len(self.plan.unchanged)


def session(order: Order, out: Path, keeper: Keeper, *, again: bool, elsewhere: StoreOutput | None = None) -> Session:
    """Return the work that is to be done. If there is any, the libraries for reports are looked for.

    Raises GradebookError.
    """
    inputs = inputs_of(order)
    found = Session(order, plan_grading(order, out, keeper, inputs, again=again, elsewhere=elsewhere), ())
    if found.waiting:
        problem = missing_for_reports(order)
        if problem:
            order = replace(order, with_reports=False)
            found = Session(
                order, plan_grading(order, out, keeper, inputs, again=again, elsewhere=elsewhere), (problem,)
            )
    return found._replace(notes=(*found.notes, *_notes(found, out)))


def missing_for_reports(order: Order) -> str | None:
    """Return the reason why no reports can be made, if they are wanted."""
    if not order.with_reports:
        return None
    from grader.report.pdf import libraries_are_there, missing_libraries

    problem = None if libraries_are_there() else missing_libraries()
    return f"No PDFs: {problem}" if problem else None


def new_run(found: Session, options: Mapping[str, object]) -> NewRun:
    """The run as the gradebook lists it."""
    return run_by(next((inputs.grader for inputs in found.plan.inputs.values()), ""), found.order, options)


def run_by(grader: str, order: Order, options: Mapping[str, object]) -> NewRun:
    """A run over an order by a grader, as the gradebook lists it."""
    return NewRun(
        lab=order.lab.id,
        lab_sha256=order.lab.sha256,
        truth_sha256=order.truth.sha256,
        grader=grader,
        language=order.presentation.language,
        options=options,
    )


def _notes(found: Session, out: Path) -> Iterator[str]:
    unchanged, all_ = len(found.plan.unchanged), len(found.order.sources)
    if unchanged:
        yield (
            f"{unchanged:,} of {all_:,} submissions are unchanged since they were graded, so they are not graded again "
            "(--again grades them all)."
        )
    if found.plan.restored:
        restored = abridged_names(found.plan.restored)
        yield f"result.json was missing or changed, and is put back from the gradebook: {restored}"
    now = {source.student_id for source in found.order.sources}
    others = sorted(path.parent.name for path in out.glob(f"*/{RESULT}") if path.parent.name not in now)
    if others:
        yield (
            f"graded before, but not among these submissions: {abridged_names(others)}. Their folders stay; "
            "grades.csv, "
            "class.json and the report of the class leave them out."
        )
