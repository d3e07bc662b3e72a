"""Answers made from Markdown and notebooks, as the pipeline makes them, and one check at a time over them."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from grader.checks.finding import Finding, Flag
from grader.checks.registry import check_of
from grader.claims.answer import Answer, extract
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.lab.files import lab_folder, load_truth
from grader.lab.truth import GroundTruth
from grader.reading.log import Log, Series, Subset
from grader.reading.notebook import Cell, CellKind, Notebook, versions_in
from grader.reading.reading import FileRecord, FileState, Reading
from grader.reading.runs import runs_of
from tests.claims.making import document, lab
from tests.kept import lines_of

CONCLUDED: Final[list[str]] = []
"""What checks have concluded in the test that runs, as `tests/checks/kept/units` keeps it."""

REPORT = "report.md"
NOTEBOOK = "code/lab.ipynb"


@cache
def truth() -> GroundTruth:
    """The ground truth of the shipped lab."""
    return load_truth(lab_folder("nlp-frameworks"))


def code(source: str, output: str = "", *, ran: bool = True) -> Cell:
    """A code cell. Its index is given by its place in the notebook."""
    return Cell(index=0, kind=CellKind.CODE, source=source, output=output, execution_count=1 if ran else None)


def answer(
    report: str | None = None,
    cells: Sequence[Cell] = (),
    logs: Iterable[Log] = (),
    *,
    lost: str | None = None,
    exact: bool = True,
    the_lab: Lab | None = None,
) -> Answer:
    """The claims of a hand-in with a report, a notebook and logs, in the shipped lab or another. `lost` names a report
    that could not be read."""
    files = [FileRecord(path=REPORT, role=Role.REPORT, state=FileState.READ)] if report is not None else []
    if lost:
        files.append(FileRecord(path=lost, role=Role.REPORT, state=FileState.UNREADABLE, reason="the file is damaged"))
    numbered = tuple(cell.model_copy(update={"index": index}) for index, cell in enumerate(cells))
    if cells:
        files.append(FileRecord(path=NOTEBOOK, role=Role.NOTEBOOK, state=FileState.READ))
    reading = Reading(
        documents=(document(report, REPORT, exact=exact),) if report is not None else (),
        notebooks=(Notebook(file=NOTEBOOK, cells=numbered, versions=versions_in(numbered)),) if cells else (),
        runs=runs_of(logs),
        files=tuple(files),
    )
    return extract(reading, the_lab or lab())


def run(experiment: str, seed: int, valid: Sequence[float], test: Sequence[float]) -> tuple[Log, Log]:
    """The two logs of one training run, evaluated every 225 updates, as fairseq leaves them."""
    steps = tuple(225 * (epoch + 1) for epoch in range(len(valid)))
    name = f"{experiment}/seed_{seed}"

    def log(subset: Subset, values: Sequence[float]) -> Log:
        return Log(
            file=f"{name}/{subset}/events.out.tfevents.1",
            name=name,
            seed=seed,
            series=(Series(tag="accuracy", subset=subset, steps=steps, values=tuple(values)),),
        )

    return log(Subset.VALID, valid), log(Subset.TEST, test)


def decide(item: str, given: Answer) -> tuple[Finding, list[Flag]]:
    """What the check of one rubric item of the shipped lab concludes."""
    asked = next(one for one in lab().items if one.id == item)
    conclusions = list(check_of(asked).bind_options(asked)(answer=given, truth=truth(), lab=lab()))
    (finding,) = (one for one in conclusions if isinstance(one, Finding))
    return finding, concluded(conclusions, finding)


def concluded(conclusions: Iterable[object], *findings: Finding) -> list[Flag]:
    """The flags among some conclusions; they and some findings are noted as concluded in the test that runs."""
    flags = [one for one in conclusions if isinstance(one, Flag)]
    CONCLUDED.extend(lines_of(findings, flags))
    return flags
