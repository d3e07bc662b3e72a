"""What is to be graded, and by what."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.cohort.absence import Absent
from grader.intake.submission import Source
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.pipeline.circumstances import ORDINARY, Circumstances
from grader.report.presentation import PLAIN, Presentation


@dataclass(frozen=True)
class Order:
    """The hand-ins of a class, the lab and the truth that they are graded by, and how the results are presented.

    `circumstances` are by student id. `missing` are students of whom there is no hand-in, for the files of the class.
    The stages of grading are kept beside the results `with_readings`. `debug` has errors printed with where in the
    program they happened.
    """

    sources: tuple[Source, ...]
    lab: Lab
    truth: GroundTruth
    with_reports: bool = True
    with_readings: bool = True
    circumstances: Mapping[str, Circumstances] = field(default_factory=dict)
    presentation: Presentation = PLAIN
    missing: tuple[Absent, ...] = ()
    debug: bool = False

    def circumstances_of(self, source: Source) -> Circumstances:
        """What counts for a hand-in beside itself."""
        return self.circumstances.get(source.student_id, ORDINARY)
