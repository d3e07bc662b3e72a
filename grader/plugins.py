"""The interface for packages of your own: checks that decide a lab's items, and exporters to other systems.

Import from here only. What this module names stays as it is between versions, or the CHANGELOG says what to change; all
other modules may move. Nothing here is loaded from a folder: `pip install` makes a package known by its entry points.

**A check** is a function under `@check(NAME)`, offered in the package's `pyproject.toml` as

    [project.entry-points."lab_grader.checks"]
    short-conclusion = "my_checks:conclusion"

    from collections.abc import Iterator

    from grader.plugins import Answer, Conclusion, Finding, Status, check, say


    @check("short-conclusion")
    def conclusion(answer: Answer, *, item: str, question: str, most: int = 100) -> Iterator[Conclusion]:
        \"\"\"The conclusion is short.\"\"\"
        texts = [section.passage for section in answer.sections if question in section.questions]
        if not texts:
            yield Finding(item=item, status=Status.MISSING, feedback=say("No conclusion was found."))
            return
        words = sum(len(text.text.split()) for text in texts)
        yield Finding(
            item=item,
            status=Status.CORRECT if words <= most else Status.PARTIAL,
            evidence=tuple(text.evidence(0, min(len(text.text), 300)) for text in texts),
            feedback=say("It has {words} words.", words=words),
        )

- The first line of its docstring says what is right.
- Its positional parameters say what it needs, by name, in any order and number: `answer` (Answer: what the student
  claims), `truth` (GroundTruth: what `truth.json` holds), `lab` (Lab: what `lab.toml` asks, without points).
- Its keyword parameters are `item`, the id of the item that it decides, and the options that `lab.toml` may set. They
  are checked against the annotations before anything is graded: an unknown, missing or unfit option is a LabError. A
  check without `item` watches the hand-in as a whole: it may also need `findings`, and yields flags.
- It yields one Finding for its item, and any number of Flags, which cost no points. It knows no points: which share of
  them a status earns, the lab says. A finding that is sure needs Evidence; what is in doubt is `Status.REVIEW`, with a
  `suggestion` where there is evidence for one.
- Whatever it raises makes its item `Status.ERROR`, which a person decides; all other items stand. It must end within
  the time of a hand-in (two minutes).

**An exporter** is a function of the results of a class and of what the caller asks for, offered as

    [project.entry-points."lab_grader.exporters"]
    my-system = "my_export:export"

    from grader.plugins import ExportedFiles, ExportOptions, Result, gradable


    def export(results: tuple[Result, ...], wanted: ExportOptions) -> ExportedFiles:
        \"\"\"A line for each student: `ada;12.5`.\"\"\"
        graded = gradable(results, wanted)
        lines = [f"{one.student.id};{one.score:f}" for one in graded.results]
        return ExportedFiles((("grades.txt", "\\n".join(lines).encode()),), graded.notes, people=len(lines))

`grade export my-system graded` then writes `grades.txt`. `gradable` leaves out those whose grade may not go out yet,
and its notes say who and why; `ExportOptions` holds the options of `grade export`. An exporter raises ExportError with
a sentence for people where the grades cannot be written; nothing is written then, nor after any other error.
"""

from pathlib import Path

from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Doubt, ExpectedAnswer, Finding, Flag, Severity, Status
from grader.claims.answer import Answer
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.gradebook import GradebookError as ExportError
from grader.gradebook.exports.outcome import ExportedFiles, ExportOptions, feedback_line, gradable
from grader.lab.definition import Lab
from grader.lab.files import LabError
from grader.lab.truth import GroundTruth
from grader.message import join_messages, say, say_number
from grader.reading.document import Evidence
from grader.result import Result

__all__ = [
    "Answer",
    "Conclusion",
    "Diagnosis",
    "Doubt",
    "Evidence",
    "ExpectedAnswer",
    "ExportError",
    "ExportOptions",
    "ExportedFiles",
    "Finding",
    "Flag",
    "GroundTruth",
    "Lab",
    "LabError",
    "Passage",
    "Result",
    "Section",
    "Severity",
    "Status",
    "check",
    "feedback_line",
    "gradable",
    "join_messages",
    "say",
    "say_number",
    "status_of",
]


def status_of(lab: Path | str, item: str, report: str) -> Status:
    """Return the status that an item receives for a report, for tests of a lab and of its checks.

    `lab` is the folder that holds `lab.toml`, `item` the id of an item, and `report` a text in Markdown that is graded
    as a submission: `status_of("my-lab", "q3.short", "# Question 3\\n\\nIt works.") is Status.CORRECT`.

    Raises LabError if the lab or one of its checks cannot be used, and KeyError if there is no such item.
    """
    from grader.pipeline.inspection import grade_texts  # a check has no need of the whole way

    return {candidate.id: candidate.status for candidate in grade_texts(Path(lab), report=report).items}[item]
