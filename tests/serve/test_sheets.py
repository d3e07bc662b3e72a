"""The page beside the item: files of a hand-in as they look, drawn in the cage, and nothing of them active."""

import base64
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from PIL import Image

from grader.pipeline import sheets
from grader.pipeline.sheets import KEPT, SheetError, Sheets
from grader.result import Result
from tests.conftest import ROOT
from tests.serve.serving import CHROMIUM, Client, Served, opened, serving
from tests.serve.test_access import Code

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
WORDS = "# Question 1\n\nThe total is 32000 * 512 = 16384000, and so **22,807,552** parameters.\n"
ACTIVE = (
    "\n<script>alert(1)</script>\n\n<img src='http://evil.example/x.png' onerror='alert(1)'>\n\n"
    "![there](fig/loss.png)\n\n![gone](fig/none.png)\n\n![far](https://evil.example/y.png)\n\n![out](../../x.png)\n"
)


def png(colour: str, width: int = 60, kind: str = "PNG") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (width, 40), colour).save(written, kind)
    return written.getvalue()


def notebook() -> str:
    plot = {
        "output_type": "display_data",
        "metadata": {},
        "data": {
            "image/png": base64.b64encode(png("red")).decode(),
            "image/svg+xml": "<svg onload='alert(3)'/>",
            "text/html": "<script>alert(2)</script>",
        },
    }
    broken = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo="}}
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": WORDS},
        {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "plot()", "outputs": [plot, broken]},
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def grade(hand_ins: Path, graded: Path, *options: str) -> None:
    command = [sys.executable, "-m", "grader", str(hand_ins), "--out", str(graded), "--jobs", "1", "--no-reports"]
    subprocess.run([*command, *options], cwd=hand_ins.parent, check=True, capture_output=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class with a PDF, Markdown and a notebook, and its results."""
    base = tmp_path_factory.mktemp("class")
    hand_ins = base / "hand-ins"
    (hand_ins / "ada").mkdir(parents=True)
    shutil.copy(ROOT / "submissions" / "student-07" / "report.pdf", hand_ins / "ada" / "report.pdf")
    (hand_ins / "ben" / "fig").mkdir(parents=True)
    (hand_ins / "ben" / "report.md").write_text(WORDS + ACTIVE, encoding="utf-8")
    (hand_ins / "ben" / "fig" / "loss.png").write_bytes(png("blue"))
    (hand_ins / "eve").mkdir()
    (hand_ins / "eve" / "lab.ipynb").write_text(notebook(), encoding="utf-8")
    grade(hand_ins, base / "graded")
    return base


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with serving(folder / "graded") as running:
        yield running


def result(folder: Path, student: str) -> Result:
    return Result.from_json((folder / "graded" / student / "result.json").read_bytes())


def on_page(folder: Path) -> tuple[str, int]:
    """An item of ada's whose evidence stands on a page, and the number of that piece."""
    for item in result(folder, "ada").items:
        for number, one in enumerate(item.evidence):
            if one.box:
                return item.id, number
    raise AssertionError


def test_a_page_shows_the_box_of_its_evidence(served: Served, folder: Path) -> None:
    ana = Client(served, "ana")
    item, number = on_page(folder)
    page = ana.get(f"/students/ada/sheet?item={item}&evidence={number}")[2]
    assert 'id="place" class="meant"' in page
    assert Code.within(page) == []
    (address,) = (part.partition('"')[0] for part in page.split('src="')[1:] if part.startswith("/pages/"))
    status, headers, _ = ana.get(address.replace("&amp;", "&"))
    assert (status, headers["content-type"]) == (200, "image/png")
    kept = [*(folder / "graded" / KEPT).rglob("*.png")]
    assert len(kept) == 1, "the other page of the report was not asked for"
    with Image.open(kept[0]) as image:
        assert image.width > 1000


def test_nothing_of_a_hand_in_is_active(served: Served) -> None:
    ana = Client(served, "ana")
    for student, pictures in (("ben", 1), ("eve", 1)):
        page = ana.get(f"/students/{student}/sheet")[2]
        assert Code.within(page) == []
        assert "evil.example" not in "".join(part.partition('"')[0] for part in page.split('src="')[1:])
        assert page.count('src="/pages/') == pictures, "the one that is there; none is fetched, none comes from outside"
        assert "22,807,552" in page
    assert "1 picture cannot be shown" in ana.get("/students/eve/sheet")[2]


@pytest.mark.parametrize("file", ["../ben/report.md", "/etc/passwd", "report.md\0", "none.pdf"])
def test_other_files_are_not_reached(served: Served, file: str) -> None:
    ana = Client(served, "ana")
    assert ana.get(f"/students/ada/sheet?file={quote(file)}")[0] == 404
    assert ana.get(f"/pages/ada/1/0.png?file={quote(file)}")[0] == 404
    assert Client(served, None).get("/students/ada/sheet")[0] == 401
    assert Client(served, None).get("/pages/ada/1/0.png?file=report.pdf")[0] == 401


def test_only_the_hand_in_that_was_graded_is_shown(folder: Path, tmp_path: Path) -> None:
    graded = Path(shutil.copytree(folder / "graded", tmp_path / "graded"))
    shutil.rmtree(graded / KEPT, ignore_errors=True)
    other = Path(shutil.copytree(folder / "hand-ins", tmp_path / "other"))
    (other / "ben" / "report.md").write_text("Another answer.", encoding="utf-8")
    with serving(graded, "ana", "--submissions", str(other)) as running:
        ana = Client(running, "ana")
        assert "has changed since it was graded" in ana.get("/students/ben/sheet")[2]
        assert "page 1 of" in ana.get("/students/ada/sheet")[2]
        shutil.rmtree(other / "ada")
        assert "page 1 of" in ana.get("/students/ada/sheet")[2], "what was drawn once is kept"
        assert "/pages/" not in ana.get("/students/ada/sheet?page=2")[2], "and the rest cannot be drawn any more"


def test_blind_grading_shows_no_pages(folder: Path, tmp_path: Path) -> None:
    grade(folder / "hand-ins", tmp_path / "graded", "--anonymous")
    student = next(path.parent.name for path in (tmp_path / "graded").glob("*/result.json"))
    with serving(tmp_path / "graded", "ana", "--submissions", str(folder / "hand-ins")) as running:
        page = Client(running, "ana").get(f"/students/{student}/sheet")[2]
    assert "/pages/" not in page


def test_what_was_drawn_has_a_bound(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.cli.regrade import hand_ins
    from grader.gradebook.store import FILE

    monkeypatch.setattr(sheets, "MOST_KEPT", 1)
    found = hand_ins(folder / "graded", folder / "graded" / FILE, ())
    drawing = Sheets(tmp_path, lambda: found)
    drawing.draw_page(result(folder, "ada"), "report.pdf", 1, 0)
    drawing.draw_page(result(folder, "eve"), "lab.ipynb", 1, 0)
    assert drawing.picture(result(folder, "ada"), "report.pdf", 1, 0) is None
    assert drawing.picture(result(folder, "eve"), "lab.ipynb", 1, 0)
    with pytest.raises(SheetError, match="there is no page 9"):
        drawing.draw_page(result(folder, "ada"), "report.pdf", 9, 0)


def test_pictures_are_made_anew_or_left_out() -> None:
    assert sheets._as_png(png("red", 3000, "JPEG")) != png("red", 3000)
    assert sheets._as_png(png("red")[:20]) is None
    assert sheets._as_png(b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>") is None
    huge = bytearray(png("red"))
    huge[16:24] = (60_000).to_bytes(4, "big") * 2
    assert sheets._as_png(bytes(huge)) is None


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: the review page is not tried in a browser")
@pytest.mark.parametrize("width", [360, 800, 1440])
def test_the_page_stands_beside_the_answer(browser: Any, served: Served, folder: Path, width: int) -> None:
    page = opened(browser, served, viewport={"width": width, "height": 900}, bypass_csp=True)
    item, number = on_page(folder)
    page.goto(f"{served.base}/students/ada#{item}")
    page.locator(f'article[id="{item}"] a[data-sheet]').nth(number).click()
    page.wait_for_selector("#sheet .paper img")
    page.wait_for_function("() => document.querySelector('#sheet .paper img').naturalWidth > 0")
    page.wait_for_timeout(200)
    room, place = (page.locator(one).bounding_box() for one in ("#sheet .paper-room", "#place"))
    assert room["y"] - 1 <= place["y"] <= room["y"] + room["height"], "it is scrolled to the place"
    answer = page.locator(f'article[id="{item}"] blockquote').first.bounding_box()
    beside = room["x"] >= answer["x"] + answer["width"]
    assert beside == (width >= 1200)
    assert beside or room["y"] > answer["y"], "on a narrow screen the answer comes first"
    page.keyboard.press("+")
    assert page.locator("#sheet .paper").bounding_box()["width"] > 1.2 * room["width"]
    page.keyboard.press("]")
    page.wait_for_function("() => document.querySelector('.sheet-acts').innerText.includes('page 2 of')")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(told => told.violations)")
    assert not [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]
    assert not page.problems


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: the review page is not tried in a browser")
def test_a_sheet_opens_by_keys_and_without_scripts(browser: Any, served: Served) -> None:
    page = opened(browser, served, viewport={"width": 800, "height": 900})
    page.keyboard.press("Enter")
    page.wait_for_selector(".card.current")
    assert not page.locator("#sheet").is_visible()
    page.keyboard.press("v")
    page.wait_for_selector("#sheet .paper-room")
    assert page.locator(".card.current #sheet").count() == 1
    page.keyboard.press("v")
    assert not page.locator("#sheet").is_visible()
    plain = opened(browser, served, java_script_enabled=False)
    plain.goto(f"{served.base}/students/ada/sheet?page=2")
    assert plain.locator(".paper img").count() == 1
    plain.locator('a[data-turn="-1"]').click()
    assert "page 1 of" in plain.locator(".sheet-acts").inner_text()
