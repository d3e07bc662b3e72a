"""Blind grading: no name, address or file name of a student reaches what is written."""

import io
import json
import shutil
import zipfile
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from grader.intake.layouts import find_all_sources
from grader.intake.opening import open_submission
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline.blind import betraying, neutral_names, pictures_seen, visible_result
from grader.pipeline.one import grade_submission
from scripts.samples.hand_in_files import pdf
from tests.conftest import ROOT, run_grade

BETRAYING = ("Élodie", "Elodie", "Martin-Kowalczyk", "Kowalczyk", "kowalczyk", "ekowalc", "7654321")
REPORT = """<style>@page { @top-left { content: "NLP lab – Élodie Martin-Kowalczyk" } }</style>
<h1>Lab 4</h1><p>Élodie Martin-Kowalczyk, elodie.mk@example.org</p>
<h2>Question 1</h2>
<p>I, Elodie Kowalczyk, count 22,807,552 parameters in all.</p>
<p>32000 × 512 = 16,384,000</p><p style="break-before: page">258 × 512 = 132,096</p>
<p>4 × 1,572,864 = 6,291,456</p><p>16,384,000 + 132,096 + 6,291,456 = 22,807,552</p>
<h2>Question 2</h2><p>r: the rank of the two small matrices, r=16, says E. Kowalczyk.</p>"""
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "source": "# written by Kowalczyk\\nprint(sum(p.numel() for p in model.parameters()))",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": "/home/ekowalc/lab: 22829056 by Élodie\n22829056\n"}
            ],
        }
    ],
}


@pytest.fixture(scope="module")
def hand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class") / "Lab4_Martin-Kowalczyk_Elodie.zip"
    with zipfile.ZipFile(folder, "w") as archive:
        archive.writestr("Lab4_Martin-Kowalczyk_Elodie/Kowalczyk_report.pdf", pdf(REPORT))
        archive.writestr("Lab4_Martin-Kowalczyk_Elodie/code/ekowalc_lab.ipynb", json.dumps(NOTEBOOK))
        archive.writestr("Lab4_Martin-Kowalczyk_Elodie/code/Élodie/broken.ipynb", "{")
    return folder


def test_nothing_that_is_written_tells_who_it_was(hand_in: Path, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,email\n7654321,Élodie Martin-Kowalczyk,ekowalc@example.org\n", encoding="utf-8")
    shutil.copytree(hand_in.parent, tmp_path / "class")
    shutil.copytree(
        ROOT / "submissions" / "student-02", tmp_path / "class" / "student-02"
    )  # a class of one has no report
    out = tmp_path / "graded"
    run = run_grade(tmp_path / "class", "--anonymous", "--roster", roster, "--out", out)
    assert run.returncode == 0, run.stderr
    told = json.loads((tmp_path / "graded-key.json").read_text())["students"]
    (folder,) = [path.parent for path in out.glob("*/result.json") if ".pdf" in _text(path)]
    assert folder.name.startswith("anon-")
    assert told[folder.name]["identity"]["number"]
    written = [path for path in out.rglob("*") if path.is_file()]
    assert {"report.pdf", "report.html", "result.json", "class.pdf", "grades.csv"} <= {path.name for path in written}
    for path in written:
        text = _text(path)
        assert [name for name in BETRAYING if name in text or name in str(path.relative_to(out))] == [], path
    assert "22,807,552" in _text(folder / "result.json"), "what the student answered is still quoted"


def test_pictures_show_neither_running_heads_nor_names(hand_in: Path, tmp_path: Path) -> None:
    (source,), _ = find_all_sources([hand_in])
    lab = lab_folder("nlp-frameworks")
    submission = open_submission(source, tmp_path)
    result = grade_submission(submission, load_lab(lab), load_truth(lab))
    names = betraying(source)
    open_pictures, blind = pictures_seen(result, submission, None), pictures_seen(result, submission, names)
    called = neutral_names(result)
    assert {(item, called[file], page, box) for item, file, page, box in open_pictures} == set(blind)
    plain = {(place[0], called[place[1]], *place[2:]): one for place, one in open_pictures.items()}
    assert any(_dark(blind[place].png) < _dark(plain[place].png) for place in blind), "something was painted over"
    quoted = {proof.quote for item in visible_result(result, names).items for proof in item.evidence}
    assert any("███" in quote for quote in quoted)


def test_pseudonyms_stay_and_exports_find_the_names_again(tmp_path: Path) -> None:
    out = tmp_path / "graded"
    for _ in range(2):
        run_grade(ROOT / "submissions" / "student-03", "--as", "student", "--anonymous", "--no-reports", "--out", out)
    (folder,) = [path.parent for path in out.glob("*/result.json")]
    run = run_grade("export", "csv", out, "--key", tmp_path / "graded-key.json", "--out", tmp_path / "grades.csv")
    assert run.returncode == 0, run.stderr
    assert "student-03" in (tmp_path / "grades.csv").read_text()
    assert folder.name in (out / "grades.csv").read_text()


def test_a_key_that_cannot_be_read_is_not_replaced(tmp_path: Path) -> None:
    key = tmp_path / "graded-key.json"
    key.write_text("{broken")
    run = run_grade(ROOT / "submissions" / "student-03", "--as", "student", "--anonymous", "--out", tmp_path / "graded")
    assert run.returncode == 2
    assert "graded-key.json" in run.stderr
    assert key.read_text() == "{broken"


def _text(path: Path) -> str:
    if path.suffix != ".pdf":
        return path.read_bytes().decode("utf-8", errors="replace")
    document = pypdfium2.PdfDocument(path)
    pages = "".join(page.get_textpage().get_text_range() for page in document)
    return pages + json.dumps(document.get_metadata_dict(), ensure_ascii=False)


def _dark(png: bytes) -> int:
    """How many pixels are ink."""
    return sum(Image.open(io.BytesIO(png)).convert("L").histogram()[:120])
