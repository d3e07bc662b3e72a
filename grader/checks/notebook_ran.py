"""The check `notebook-ran`: the notebooks are in the state after a run from top to bottom."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from grader.checks.blank_notebooks import blank_notebooks
from grader.checks.check import Conclusion, check
from grader.checks.decide import decided_by_parts
from grader.checks.feedback import Reason
from grader.checks.finding import ExpectedAnswer, Finding, Status
from grader.checks.notebook_state import cells_named
from grader.claims.answer import Answer, Kind
from grader.claims.code import CodeCell
from grader.claims.code.syntax import prepare_cell
from grader.claims.handout import NotebookState
from grader.claims.sections import is_called
from grader.lab.definition import Lab
from grader.message import Words, join_messages, say
from grader.reading.document import Evidence

_SUFFIX: Final = ".ipynb"


@check("notebook-ran", kinds=(Kind.CODE, Kind.PRINTED))
def notebook_ran(answer: Answer, lab: Lab, *, item: str) -> Iterator[Conclusion]:
    """The notebook was run from top to bottom, without errors.

    It has no options and looks at the question's `file`, or at all notebooks.

    Decides: whether the code cells ran, in order, and without an error. If only some of this is true, it earns its
    share, provided that at least half of the cells ran. An unchanged handout is `missing`.

    Leaves to people: notebooks with outputs but no order of execution, and notebooks saved as scripts.
    """
    states = _states(answer, lab.asking(item).file)
    finding = Finding(item=item, status=Status.REVIEW, expected=ExpectedAnswer(text=say("all cells ran, in order")))
    blank = blank_notebooks(states)
    if not sum(state.code_cells for state in states):
        status = Status.REVIEW if answer.gaps else Status.MISSING
        yield finding.with_changes(status=status, feedback=say("No notebook with code was handed in."))
    elif blank:
        status = Status.MISSING if all(notebook.is_known for notebook in blank) else Status.REVIEW
        places = tuple(place for notebook in blank for place in notebook.evidence)[:3]
        yield finding.with_changes(
            status=status, feedback=join_messages(" ", [notebook.sentence for notebook in blank]), evidence=places
        )
    elif not any(state.holds_outputs for state in states):
        yield finding.with_changes(feedback=say("A notebook saved as a script cannot show that it was run."))
    else:
        keeps_runs = any(cell.count is not None for notebook in lab.templates.notebooks for cell in notebook.code)
        yield _judged(finding, states, answer.code, keeps_runs=keeps_runs)


def _states(answer: Answer, name: str) -> list[NotebookState]:
    """Return the notebooks with a file's name, or all; without notebooks, pages that show some."""
    found = [notebook for notebook in answer.notebooks if not name or is_called(notebook.file, name)]
    return [notebook for notebook in found if notebook.file.endswith(_SUFFIX)] or found


_Places = Sequence[tuple[str, int | None]]


def _judged(
    finding: Finding, states: Sequence[NotebookState], code: Sequence[CodeCell], *, keeps_runs: bool
) -> Finding:
    """Return the verdict on some notebooks. `keeps_runs`: the handout contains outputs, which may also be the
    student's."""
    cells = _cells(states, code)
    late, failed = _faults(states)
    total = sum(state.code_cells for state in states)
    not_run = _not_run(states, cells)
    is_mostly_run = 2 * len(not_run) < total
    may_be_kept = keeps_runs and _are_given(list(map(cells.get, not_run)))
    if may_be_kept and is_mostly_run:  # if the other cells ran, these did as well
        not_run = ()
    all_ran = None if may_be_kept and not_run else not not_run
    verdicts = [all_ran, *(is_mostly_run and not places for places in (late, failed))]
    text = join_messages(" ", _told(not_run, late, failed, total))
    places = [*not_run, *late, *failed, (states[0].file, None)][:5]
    finding = finding.with_changes(evidence=tuple(Evidence(file=file, cell=cell, quote="") for file, cell in places))
    is_unordered = None in {cell.order for cell in cells.values() if cell.ran}
    return decided_by_parts(finding, verdicts, text, _KEPT.keep_if(all_ran is None), _UNORDERED.keep_if(is_unordered))


def _cells(states: Sequence[NotebookState], code: Sequence[CodeCell]) -> dict[tuple[str, int | None], CodeCell]:
    """Return the code cells of some notebooks by their places."""
    return {(cell.file, cell.cell): cell for state in states for cell in code if cell.file == state.file}


def _faults(states: Sequence[NotebookState]) -> tuple[_Places, _Places]:
    """Return the cells that ran before the one above them, and those that ended in an error."""
    late = [(state.file, cell) for state in states for cell in state.out_of_order]
    return late, [(place.file, place.cell) for state in states for place in state.errors]


def _not_run(states: Sequence[NotebookState], cells: Mapping[tuple[str, int | None], CodeCell]) -> _Places:
    """Return the cells without a sign of a run, including those that a magic keeps from running, except comments."""
    silent: list[tuple[str, int | None]] = [(state.file, cell) for state in states for cell in state.not_run]
    silent += [place for place, cell in cells.items() if _runs_nothing(cell)]
    return [place for place in dict.fromkeys(silent) if place not in cells or not _is_remark(cells[place])]


def _are_given(cells: Sequence[CodeCell | None]) -> bool:
    """Whether there are cells, and all their lines are the handout's."""
    whole = (cell is not None and len(cell.given) > cell.as_handed_in.count("\n") for cell in cells)
    return bool(cells) and all(whole)


_KEPT: Final = Reason(
    say("The handout was given with outputs of these cells, so they may not be the student's."), is_likely=False
)
_UNORDERED: Final = Reason(say("Some cells show what they printed, but not when they were run."))


def _told(not_run: _Places, late: _Places, failed: _Places, total: int) -> Iterator[Words]:
    shown = [cells_named([cell for _, cell in places if cell is not None]) for places in (not_run, late, failed)]
    if not_run:
        yield say("Without a sign of a run: {cells}.", cells=shown[0])
    if late:
        yield say("Run before the one above it: {cells}.", cells=shown[1])
    if failed:
        yield say("Ended in an error: {cells}.", cells=shown[2])
    if not (not_run or late or failed):
        yield say("All {total} code cells ran, in order.", total=total)


def _is_remark(cell: CodeCell) -> bool:
    """Whether a cell contains only comments."""
    lines = cell.as_handed_in.split("\n")
    return all(not line.strip() or line.lstrip().startswith("#") for line in lines)


def _runs_nothing(cell: CodeCell) -> bool:
    """Whether a magic such as `%%script false` keeps a cell from running."""
    return cell.ran and cell.as_handed_in.lstrip().startswith("%%script") and prepare_cell(cell.as_handed_in).is_shown
