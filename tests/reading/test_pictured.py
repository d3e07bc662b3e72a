"""Pictures amid text: OCR reads them where an answer may stand there, and they speak for a student only."""

import json
import shutil
from base64 import b64encode
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest

from grader.checks.finding import Finding, Status, in_force
from grader.intake.opening import open_submission
from grader.intake.submission import Source
from grader.lab.files import load_lab, load_truth
from grader.pipeline.one import stages
from grader.reading.tesseract import Failure, Recognise, recognising_by
from scripts.samples.hand_in_files import pdf
from tests.conftest import ROOT
from tests.replay import SHIPPED

SHEET = (ROOT / "tests" / "producers" / "sheet.md").read_text("utf-8").split("---\n", 2)[2]
BEFORE, REST = SHEET.split("| Seed | Validation accuracy | Test accuracy |")
AFTER = "# Task 6" + REST.split("# Task 6")[1]
WITH_TESSERACT = pytest.mark.skipif(not shutil.which("tesseract"), reason="needs Tesseract")
ITEMS = ("t5.seeds", "t5.statistics", "t5.band")


def picture(mean: str = "79.73", scale: float = 110 / 72) -> bytes:
    """The results of task 5 as a screen shows them."""
    rows = "".join(f"<tr><td>{row.replace(' ', '<td>')}" for row in ("0 84.0 80.10", "1 82.0 79.25", "2 84.0 79.85"))
    style = "<style>@page{size:420pt 170pt;margin:8pt}td,th{padding:2pt 10pt;border-bottom:0.5pt solid}</style>"
    words = f"<p>The average test accuracy is {mean} %, with a standard deviation of 0.36.</p>"
    page = pdf(f"{style}<table><tr><th>Seed<th>Validation accuracy<th>Test accuracy</tr>{rows}</table>{words}")
    written = BytesIO()
    with pypdfium2.PdfDocument(page) as document:
        document[0].render(scale=scale).to_pil().save(written, "PNG")
    return written.getvalue()


def hand_in(form: str, folder: Path, png: bytes) -> None:
    encoded = b64encode(png).decode()
    shown = f'<img src="data:image/png;base64,{encoded}">'
    if form == "markdown":
        (folder / "report.md").write_text(f"{BEFORE}![](results.png)\n\n{AFTER}", "utf-8")
        (folder / "results.png").write_bytes(png)
    elif form in ("html", "pdf"):
        lines = (f"<h1>{one[2:]}</h1>" if one.startswith("# ") else one or "<p>" for one in BEFORE.split("\n"))
        page = "\n".join((*lines, f"<p>{shown}</p><h1>Task 6</h1>"))
        (folder / f"report.{form}").write_bytes(page.encode() if form == "html" else pdf(page))
    else:
        cell = {"cell_type": "markdown", "metadata": {}}
        if form == "attachment":
            middle = {**cell, "source": "![a](attachment:a.png)", "attachments": {"a.png": {"image/png": encoded}}}
        else:
            output = {"output_type": "display_data", "metadata": {}, "data": {"image/png": encoded}}
            middle = {"cell_type": "code", "metadata": {}, "source": "Image('results.png')", "execution_count": 1}
            middle["outputs"] = [output]
        cells = [{**cell, "source": BEFORE}, middle, {**cell, "source": AFTER}]
        content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (folder / "report.ipynb").write_text(json.dumps(content), "utf-8")


def found(folder: Path, recognise: Recognise | None = None) -> dict[str, Finding]:
    lab, truth = load_lab(SHIPPED), load_truth(SHIPPED)
    work = folder.parent / "work"
    work.mkdir()
    source = Source(path=folder, student_id="ada", student_name="Ada")
    with recognising_by(recognise):
        done = stages(open_submission(source, work), lab, truth)
    return {one.item: one for one in in_force(done.found, lab).findings}


@WITH_TESSERACT
@pytest.mark.parametrize("form", ["markdown", "html", "pdf", "attachment", "output"])
def test_results_in_a_picture_count_where_they_prove_themselves(form: str, tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    hand_in(form, tmp_path / "ada", picture())
    findings = found(tmp_path / "ada")
    assert [findings[item].status for item in ITEMS] == [Status.CORRECT] * 3
    assert all(any(place.recognised for place in findings[item].evidence) for item in ITEMS)
    assert "OCR" in findings["t5.statistics"].note


@WITH_TESSERACT
def test_a_picture_is_never_held_against_a_student(tmp_path: Path) -> None:
    """The average does not follow from the values: the picture may have been misread."""
    (tmp_path / "ada").mkdir()
    hand_in("markdown", tmp_path / "ada", picture(mean="77.73"))
    findings = found(tmp_path / "ada")
    assert {findings[item].status for item in ITEMS} == {Status.REVIEW}
    assert {findings[item].suggestion for item in ITEMS} <= {None, Status.CORRECT}


def test_without_tesseract_a_picture_leaves_its_answer_to_a_person(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    hand_in("markdown", tmp_path / "ada", picture())
    findings = found(tmp_path / "ada", lambda _picture, _in_columns: Failure.ABSENT)
    assert {findings[item].status for item in ITEMS} == {Status.REVIEW}
    assert not any(place.recognised for one in findings.values() for place in one.evidence)


def test_no_picture_is_read_where_every_answer_was_found(tmp_path: Path) -> None:
    def never(_picture: bytes, _in_columns: bool) -> Failure:
        raise AssertionError

    (tmp_path / "ada").mkdir()
    text = f"{SHEET}\n# Appendix\n\n![A photo of the sea](sea.png)\n"
    (tmp_path / "ada" / "report.md").write_text(text, "utf-8")
    (tmp_path / "ada" / "sea.png").write_bytes(picture())
    assert found(tmp_path / "ada", never)["t5.statistics"].status is Status.CORRECT
