"""Imported once by the server that workers are forked from: what every hand-in needs is there before it comes.

The libraries; and where the server is given a lab, all that is worked out from it on first use (patterns, stems, the
frozen model of short answers, templates, fonts): a made-up hand-in is graded once and a made-up report is made; only
the latter where only reports are wanted. For one hand-in alone, what it may not need is left to its worker.
"""

# ruff: noqa: E402
import gc

gc.disable()  # what is loaded here stays, so that looking for what is no longer needed would take time for nothing

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Final

import grader.pipeline.worker
from grader.checks.finding import Finding, Status
from grader.frozen import build_models
from grader.intake.submission import Source, Submission
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import language_of
from grader.pipeline.isolation import WARM
from grader.pipeline.order import result_of
from grader.pipeline.stages import Basis, HandInFindings, Maker
from grader.pipeline.worker import Job, grade_job, light_report
from grader.report.pdf import fonts, missing_libraries
from grader.report.pictures import NONE
from grader.report.resources import Presentation

__all__ = ["grader"]

_ALLOCATIONS: Final = 1_000_000
"""Between collections of garbage in a worker; with Python's default of 700 a report would take a twentieth longer."""
_NOTHING: Final = "# Report"


def _warm_up() -> None:
    path = os.environ.get(WARM)
    if not path:
        import grader.pipeline.regrading

        _load_readers()
        _load_fonts()
        return
    # Written by the process that starts the server, before there is any hand-in.
    settings = json.loads(Path(path).read_bytes())
    if settings["alone"]:
        import grader.pipeline.one

        if settings["with_reports"]:
            _load_fonts()
        return
    _load_readers()
    build_models()
    if settings["model"]:
        settings["lab"]["short_answers"]["model"]["path"] = settings["model"]
    lab = Lab.model_validate(settings["lab"])
    shown = settings["presentation"]
    truth = GroundTruth.model_validate(settings["truth"])
    if settings["again"]:
        import grader.pipeline.regrading  # noqa: F401
    if not settings["only_reports"]:
        from grader.reading.pdf.shapes import draw_references

        draw_references()
        # A hand-in that says a little about all that is asked, and one that says nothing, load what grading needs.
        for text in _NOTHING, "\n\n".join(_sentences(lab)):
            with tempfile.TemporaryDirectory() as folder:
                hand_in, work = Path(folder, "hand-in"), Path(folder, "work")
                hand_in.mkdir()
                work.mkdir()
                (hand_in / "report.md").write_text(text, encoding="utf-8")
                job = Job(
                    Source(student_id="-", student_name="-", path=hand_in),
                    lab,
                    truth,
                    work,
                    with_report=False,
                    basis=Basis(Maker(), ""),
                )
                grade_job(job, lambda _: None)
    if shown:
        _load_fonts()
        _report(lab, truth, Presentation.model_validate(shown))


def _load_readers() -> None:
    """Load the modules that read hand-ins, beside those that are imported here."""
    import babel.numbers  # noqa: F401
    import jinja2  # noqa: F401
    import numpy  # noqa: F401
    import pypdfium2  # noqa: F401
    from PIL import Image

    import grader.pipeline.blind
    import grader.pipeline.one
    import grader.pipeline.pictures
    import grader.reading.docx
    import grader.reading.html
    import grader.reading.pdf  # noqa: F401

    Image.preinit()  # which would load the kinds of pictures when the first is written


def _load_fonts() -> None:
    import grader.report.render  # noqa: F401

    # Without Pango WeasyPrint does not load; then reports are not asked for either.
    if missing_libraries() is None:
        fonts()


def _report(lab: Lab, truth: GroundTruth, presentation: Presentation) -> None:
    """Make a report on a hand-in of which nothing was read, with items of every status, of the largest question."""
    from grader.report.render import student_page

    lab = lab.model_copy(update={"questions": (max(lab.questions, key=lambda question: len(question.items)),)})
    findings = tuple(
        Finding(item=item.id, status=status, found="512", feedback="512 × 512 = 262,144.")
        for item, status in zip(lab.items, cycle(Status), strict=False)
    )
    nobody = Submission(student_id="-", student_name="-", sha256="")
    language = language_of(presentation.language)
    result = result_of(nobody, HandInFindings(findings=findings, flags=()), lab, truth, language=language)
    light_report(result, NONE, presentation)
    student_page(result, NONE, presentation)


def _sentences(lab: Lab) -> Iterator[str]:
    for question in lab.questions:
        yield f"# {question.title}"
        yield from (f"{item.title}: 512 × 512 = 262,144 parameters." for item in question.items)
    for experiment in lab.experiments:
        yield f"## {experiment.title}"
        yield "| seed | validation | test |\n|---|---|---|\n| 1 | 81.0 | 79.3 |\n| 2 | 80.0 | 78.5 |"
        yield f"{experiment.title}: the average test accuracy is 79.30 % with a standard deviation of 0.65 %."
    for parameter in lab.parameters:
        yield f"- {parameter.id}={parameter.value}: {parameter.summary or 'what it is for.'}"
    yield "```python\nmodel = Model(size=512)\nprint(sum(p.numel() for p in model.parameters()))\n```"


with contextlib.suppress(Exception):  # a server that is not warm works as well
    _warm_up()
# What is there now stays: no worker looks through it for what is no longer needed, or copies its memory for that. Nor
# does it look through much of its own, which goes with it after one hand-in.
gc.collect()
gc.freeze()
gc.set_threshold(_ALLOCATIONS)
gc.enable()
