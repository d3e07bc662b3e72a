"""What became of one submission in a run."""

from dataclasses import dataclass
from datetime import UTC, datetime

from grader.gradebook.inputs import Inputs
from grader.gradebook.kept import Kept
from grader.gradebook.outline import Outline, outline_of
from grader.result import Result


@dataclass(frozen=True)
class Graded:
    """A student's grade, and its whole result where it was made in this run and is not `unchanged`.

    `report_problem` is why the report could not be made, if it could not.
    """

    grade: Kept
    result: Result | None = None
    report_problem: str | None = None

    @property
    def outline(self) -> Outline:
        """The grade in short."""
        return self.grade.outline

    @property
    def unchanged(self) -> bool:
        """Whether an earlier grade still holds."""
        return self.result is None


def graded(result: Result, inputs: Inputs, result_sha256: str, report_problem: str | None) -> Graded:
    """A submission that was graded now; the gradebook gives its grade a number of its own."""
    grade = Kept(
        id=0,
        run=0,
        student=result.student.id,
        graded=datetime.now(UTC),
        submission_sha256=result.submission.sha256,
        inputs=inputs,
        result_sha256=result_sha256,
        outline=outline_of(result),
    )
    return Graded(grade, result, report_problem)
