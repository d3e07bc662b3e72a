"""A lab's folder from its first file to its reference answers: all that is wrong with checks, options and truth, and
what the answers earn. A lab can be tried on a few lines of text, too.
"""

import tempfile
from pathlib import Path
from typing import NamedTuple

from grader.checks.runner import verify
from grader.intake.layouts import Layout, find_sources
from grader.lab.definition import Lab
from grader.lab.files import load_lab, load_truth
from grader.pipeline.inspection.answers import Comparison, compare
from grader.pipeline.inspection.form import Problem, Severity
from grader.pipeline.inspection.soundness import looked_through
from grader.pipeline.one import grade_source
from grader.result import Result


class Inspection(NamedTuple):
    """What was found; `lab` is None where its files could not be read. `answers` are not graded where anything else is
    wrong already."""

    lab: Lab | None
    problems: tuple[Problem, ...]
    answers: tuple[Comparison, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        """All errors, those of the answers last."""
        everything = (*self.problems, *(one for answer in self.answers for one in answer.problems))
        return tuple(one for one in everything if one.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is worth a look."""
        return tuple(one for one in self.problems if one.severity is Severity.WARNING)


def inspect(folder: Path) -> Inspection:
    """All problems of a lab's folder, and where its files are sound, what its reference answers earn."""
    found = looked_through(folder)
    if found.errors or found.lab is None or found.truth is None:
        return Inspection(found.lab, found.problems)
    return Inspection(found.lab, found.problems, tuple(compare(found.expected, found.lab, found.truth, folder)))


def grade_texts(lab_folder: Path, **files: str) -> Result:
    """Grade one hand-in that consists of texts: `report="…"` becomes report.md. It is graded in this process, without
    limits on time and memory.

    Raises LabError when the lab cannot be used.
    """
    lab, truth = load_lab(lab_folder), load_truth(lab_folder)
    verify(lab, truth)
    with tempfile.TemporaryDirectory(prefix="grade-trial-") as folder:
        hand_in, work = Path(folder) / "student", Path(folder) / "work"
        hand_in.mkdir()
        work.mkdir()
        for name, text in files.items():
            (hand_in / f"{name}.md").write_text(text, encoding="utf-8")
        (source,), _ = find_sources(hand_in, Layout.STUDENT)
        return grade_source(source, lab, truth, work)
