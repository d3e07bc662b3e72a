"""Are the steps of a task there, and did they run?"""

from collections.abc import Iterator

from grader.checks.absence import without_code
from grader.checks.check import Conclusion, check
from grader.checks.finding import Expected, Finding, Status
from grader.claims.answer import Answer
from grader.claims.code import CodeCell
from grader.frozen import Frozen
from grader.reading.evidence import Evidence


class Step(Frozen):
    """A step of a task, known by any of some words in its code."""

    title: str
    words: tuple[str, ...]


@check("steps-ran")
def steps_ran(answer: Answer, *, item: str, steps: tuple[Step, ...]) -> Iterator[Conclusion]:
    """The commands of each step are there and ran."""
    expected = Expected(text="; ".join(step.title for step in steps))
    found = [(step, _cell_of(step, answer.code)) for step in steps]
    evidence = tuple(_place(step, cell) for step, cell in found if cell)
    absent = [step.title for step, cell in found if cell is None]
    not_run = [step.title for step, cell in found if cell and not cell.ran]
    if not absent and not not_run:
        yield Finding(
            item=item,
            status=Status.CORRECT,
            found="; ".join(step.title for step, _ in found),
            expected=expected,
            evidence=evidence,
            feedback="Every step is there and ran.",
        )
    elif not answer.code:
        yield without_code(item, answer, expected, *(word for step in steps for word in step.words))
    else:
        said = [f"not found: {', '.join(absent)}"] if absent else []
        said += [f"no sign that it ran: {', '.join(not_run)}"] if not_run else []
        yield Finding(
            item=item,
            status=Status.REVIEW,
            expected=expected,
            evidence=evidence,
            suggestion=Status.PARTIAL if evidence else Status.INCORRECT,
            feedback=f"{'; '.join(said).capitalize()}. A person looks at the code.",
        )


def _cell_of(step: Step, code: tuple[CodeCell, ...]) -> CodeCell | None:
    """The cell that holds a step; one that ran, where there is a choice."""
    holding = [cell for cell in code if any(word in cell.source for word in step.words)]
    return next((cell for cell in holding if cell.ran), holding[0] if holding else None)


def _place(step: Step, cell: CodeCell) -> Evidence:
    number, line = next(
        (number, line)
        for number, line in enumerate(cell.source.splitlines(), start=1)
        if any(word in line for word in step.words)
    )
    return Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:300])
