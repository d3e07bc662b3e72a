"""What has to be graded: not what was graded before from the same inputs, and lies there as it was written."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from grader.gradebook.inputs import Inputs
from grader.gradebook.keeper import NOTHING, Keeper, Known
from grader.gradebook.kept import Files, Standing
from grader.intake.submission import Source
from grader.pipeline.circumstances import Circumstances
from grader.pipeline.grader_hash import grader_identity
from grader.pipeline.hashes import hash_of, hash_of_folder
from grader.pipeline.order import Order
from grader.pipeline.outputs import PAGE, REPORT, RESULT, files_in
from grader.pipeline.source_hash import UNKNOWN, source_hashes
from grader.report.presentation import Presentation


class Plan(NamedTuple):
    """`inputs` of all students; those whose grade still holds, with the files that lie there; and of these, the bytes
    of each `result.json` that has to be put back. Everybody else is graded."""

    inputs: Mapping[str, Inputs]
    unchanged: Mapping[str, Standing]
    restored: Mapping[str, bytes]
    known: Known


ALL: Final = Plan({}, {}, {}, NOTHING)
"""Everybody is graded, and nobody asked what was graded before."""


def planned(order: Order, out: Path, keeper: Keeper, inputs: Mapping[str, Inputs], *, again: bool = False) -> Plan:
    """What the gradebook and the files in `out` leave to do; everything where all is to be graded `again`. Raises
    GradebookError."""
    known = keeper.known(order.lab.id)
    if again:
        return Plan(inputs, {}, {}, known)
    held = _held(order, out, known, inputs)
    lost = {student: one for student, one in held.items() if one.files.get(RESULT) != one.grade.result_sha256}
    restored = keeper.stored(lost.values())
    unchanged = {
        student: one._replace(files={**one.files, RESULT: one.grade.result_sha256})
        for student, one in held.items()
        if student not in lost or student in restored
    }
    return Plan(inputs, unchanged, restored, known)


def _held(order: Order, out: Path, known: Known, inputs: Mapping[str, Inputs]) -> dict[str, Standing]:
    """The grades that hold, with the files that lie there now."""
    standings = {
        source.student_id: standing
        for source in order.sources
        if (standing := known.standings.get(source.student_id)) and standing.grade.inputs == inputs[source.student_id]
    }
    there = {student: standing._replace(files=files_in(out / student)) for student, standing in standings.items()}
    return {
        student: there[student]
        for student, standing in standings.items()
        if holds(standing, there[student].files, with_reports=order.with_reports)
    }


def holds(standing: Standing, there: Files, *, with_reports: bool) -> bool:
    """Whether a grade from the same inputs need not be made again: it is no failure, and its reports lie there as
    written, or are not wanted. A missing or changed `result.json` is no hindrance, as the gradebook has it."""
    if standing.grade.inputs.source == UNKNOWN or standing.grade.outline.error is not None:
        return False
    return all(
        there[name] == standing.files.get(name) if name in there else not with_reports for name in (REPORT, PAGE)
    )


def inputs_of(order: Order) -> dict[str, Inputs]:
    """What each student's grade depends on. Raises OSError when the grader's own files or templates cannot be read."""
    grader, shown = grader_identity(), _presentation_hash(order.presentation)
    return {
        source.student_id: Inputs(
            source=hash_,
            lab=order.lab.sha256,
            truth=order.truth.sha256,
            grader=_with_reader(grader, order.circumstances_of(source)),
            presentation=shown,
            **dict(_circumstances_hashes(source, order.circumstances_of(source))),
        )
        for source, hash_ in zip(order.sources, source_hashes(order.sources), strict=True)
    }


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


def _with_reader(grader: str, circumstances: Circumstances) -> str:
    """The grader and the reader that helps it."""
    record = circumstances.reader
    if record is None:
        return grader
    return f"{grader}, reader {record.inputs[:12]}"


def _circumstances_hashes(source: Source, circumstances: Circumstances) -> Iterator[tuple[str, str]]:
    """What stands in no field of its own counts as identity, so that nothing is forgotten."""
    fields = circumstances.model_dump(exclude={"reader"})
    fields.pop("overrides")
    fields.pop("answers")
    yield "overrides", overrides_hash(circumstances)
    yield "lateness", hash_of([fields.pop("lateness"), source.submitted_at])
    identity = source.identity.model_dump() if source.identity else None
    yield "identity", hash_of([source.student_id, source.student_name, identity, fields])


def overrides_hash(circumstances: Circumstances) -> str:
    """Stands for what persons decided about a student, and answered."""
    fields = circumstances.model_dump()
    return hash_of([fields["overrides"], fields["answers"]] if fields["answers"] else fields["overrides"])


def _presentation_hash(presentation: Presentation) -> str:
    templates = hash_of_folder(presentation.templates) if presentation.templates else ""
    return hash_of([presentation.language, templates])
