"""The steps before a class is graded: what is unchanged, whether the lab can be used, what the run is called."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from grader.gradebook.keeper import Keeper
from grader.gradebook.kept import NewRun
from grader.pipeline.course.people import named
from grader.pipeline.order import Order
from grader.pipeline.outputs import RESULT
from grader.pipeline.plan import Plan, inputs_of, planned


class Session(NamedTuple):
    """What is left to do of an order, and what staff should be told."""

    order: Order
    plan: Plan
    notes: tuple[str, ...]

    @property
    def waiting(self) -> int:
        """How many hand-ins are to be graded."""
        return len(self.order.sources) - len(self.plan.unchanged)


def session(order: Order, out: Path, keeper: Keeper, *, again: bool) -> Session:
    """What is to be done. Where that is anything, the lab is verified and the libraries for reports are looked for.

    Raises GradebookError, LabError.
    """
    inputs = inputs_of(order)
    found = Session(order, planned(order, out, keeper, inputs, again=again), ())
    if found.waiting:
        verify(order)
        problem = missing_for_reports(order)
        if problem:
            order = replace(order, with_reports=False)
            found = Session(order, planned(order, out, keeper, inputs, again=again), (problem,))
    return found._replace(notes=(*found.notes, *_unchanged(found), *_left_behind(order, out)))


def verify(order: Order) -> None:
    """Make sure that the lab can be graded; where all was graded before, that proves it already. Raises LabError."""
    from grader.checks.runner import verify as verify_lab

    verify_lab(order.lab, order.truth)


def missing_for_reports(order: Order) -> str | None:
    """Why no reports can be made, if they are wanted."""
    if not order.with_reports:
        return None
    from grader.report.pdf import missing_libraries

    problem = missing_libraries()
    return f"No PDFs: {problem}" if problem else None


def new_run(found: Session, options: Mapping[str, object]) -> NewRun:
    """The run as the gradebook lists it."""
    order = found.order
    grader = next((inputs.grader for inputs in found.plan.inputs.values()), "")
    return NewRun(
        lab=order.lab.id,
        lab_sha256=order.lab.sha256,
        truth_sha256=order.truth.sha256,
        grader=grader,
        language=order.presentation.language,
        options=options,
    )


def _unchanged(found: Session) -> Iterator[str]:
    unchanged, all_ = len(found.plan.unchanged), len(found.order.sources)
    if unchanged:
        yield (
            f"{unchanged:,} of {all_:,} submissions are unchanged since they were graded, so they are not graded again "
            "(--again grades them all)."
        )
    restored = list(found.plan.restored)
    if restored:
        yield f"result.json was missing or changed, and is put back from the gradebook: {named(restored)}"


def _left_behind(order: Order, out: Path) -> Iterator[str]:
    now = {source.student_id for source in order.sources}
    others = sorted(path.parent.name for path in out.glob(f"*/{RESULT}") if path.parent.name not in now)
    if others:
        yield (
            f"graded before, but not among these hand-ins: {named(others)}. Their folders stay; grades.csv, class.json "
            "and the report of the class leave them out."
        )
