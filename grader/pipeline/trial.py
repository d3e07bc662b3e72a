"""A lab tried on a few lines of text, as tests of its checks want it."""

import tempfile
from pathlib import Path

from grader.checks.finding import Status
from grader.checks.runner import verify
from grader.intake.layouts import Layout, find_sources
from grader.lab.files import load_lab, load_truth
from grader.pipeline.one import grade_source
from grader.result import Result


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


def status_of(lab_folder: Path, item: str, report: str) -> Status:
    """What an item comes to for a report in Markdown. Raises LabError, and StopIteration when there is no such item."""
    return next(one.status for one in grade_texts(lab_folder, report=report).items if one.id == item)
