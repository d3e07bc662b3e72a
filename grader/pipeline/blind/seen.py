"""What others see of a hand-in that is graded blind."""

from collections.abc import Collection

from grader.intake.submission import Submission
from grader.pipeline.blind.hiding import hidden_boxes
from grader.pipeline.blind.result import neutral_names, without_identity
from grader.pipeline.evidence_pictures import evidence_pictures
from grader.report.pictures import Picture, Place
from grader.result import Result


def seen(result: Result, names: Collection[str] | None) -> Result:
    """The result as others see it; as it is where nobody's `names` are to be hidden."""
    return result if names is None else without_identity(result, names, neutral_names(result))


def pictures_seen(result: Result, submission: Submission, names: Collection[str] | None) -> dict[Place, Picture]:
    """The pictures for the result as others see it. `result` is the one that names the files as the student did."""
    if names is None:
        return evidence_pictures(result, submission)
    called = neutral_names(result)
    pictures = evidence_pictures(result, submission, hidden_boxes(result, submission, names))
    return {(item, called[file], page, box): picture for (item, file, page, box), picture in pictures.items()}
