"""Rows of a rubric are ticked in the review page, and are worth for everybody what the lab says now."""

import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.lab.files import LABS
from grader.result import ItemResult, Result
from tests.conftest import run_grade
from tests.serve.serving import CHROMIUM, Client, groups_of, opened, seen_of, serving

ITEM = "q3.limits"
ANSWERS = {
    "ada": "The patients are of one study only. I would measure the RMSE on patients of another clinic.",
    "bo": "There are only ten features, and it explains 40 % of the variance.",
    "cy": "A computer is no doctor.",
}


@pytest.fixture(scope="module")
def graded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rubric")
    shutil.copytree(
        LABS / "diabetes_regression", folder / "lab", ignore=shutil.ignore_patterns("hand_ins", "answers.toml")
    )
    for student, text in ANSWERS.items():
        (folder / "class" / student).mkdir(parents=True)
        (folder / "class" / student / "report.md").write_text(f"# Question 3\n\n{text}\n", encoding="utf-8")
    run_grade(folder / "class", "--lab", folder / "lab", "--out", folder / "graded", "--no-reports", "--jobs", "1")
    return folder


@pytest.fixture
def folder(graded_once: Path, tmp_path: Path) -> Path:
    """A lab with a rubric of two rows, and three graded hand-ins."""
    return Path(shutil.copytree(graded_once, tmp_path / "own"))


def item_of(folder: Path, student: str) -> ItemResult:
    result = Result.from_json((folder / "graded" / student / "result.json").read_bytes())
    return next(one for one in result.items if one.id == ITEM)


def group_of(client: Client) -> tuple[str, str]:
    """The address and the page of the group of the item with the rubric."""
    for group in groups_of(client.get("/")[2]):
        page = client.get(f"/groups/{group}")[2]
        if f'<span class="code">{ITEM}</span></h1>' in page:
            return f"/groups/{group}", page
    raise AssertionError("the item is not in the queue")


def test_rows_that_are_worth_something_else_are_so_for_everybody(folder: Path) -> None:
    with serving(folder / "graded", "ana", "--lab", str(folder / "lab")) as served:
        client = Client(served, "ana")
        for only, rows in (("ada", [1, 2]), ("bo", [1]), ("cy", [])):
            address, page = group_of(client)
            assert page.count('name="row"') == 2
            fields = {"seen": seen_of(page), "verdict": "rows", "row": rows, "only": only}
            assert client.post(f"{address}/decide", fields)[0] == 200
        status, _, told = client.post("/students/cy/items/q3.limits/decide", {"seen": 99, "verdict": "rows", "row": 3})
        assert status == 400, told
        page = client.get("/students/bo")[2]
        assert page.count('name="row" value="1" data-worth="0.5" checked') == 1
    run_grade("regrade", "finish", folder / "graded", "--lab", folder / "lab")
    assert [item_of(folder, one).score for one in ANSWERS] == [Decimal(1), Decimal("0.5"), Decimal(0)]
    assert item_of(folder, "bo").status == "partial"
    override = item_of(folder, "bo").override
    assert override is not None
    assert override.rows == (1,)
    assert "Two reasons are named" in override.reason

    lab = folder / "lab" / "lab.toml"
    text = lab.read_text(encoding="utf-8")
    row = 'its data.", points = 0.5'
    assert row in text
    lab.write_text(text.replace(row, 'its data.", points = 0.25'), encoding="utf-8")
    run_grade("regrade", "finish", folder / "graded", "--lab", folder / "lab")
    assert [item_of(folder, one).score for one in ANSWERS] == [Decimal("0.75"), Decimal("0.25"), Decimal(0)]


# A browser is no part of the project: as in test_browser, keys are tried where one is installed; what they send to the
# server is tested above without one.
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: the review page is not tried in a browser")
def test_rows_are_ticked_by_keys(browser: Any, folder: Path) -> None:
    with serving(folder / "graded", "ana", "--lab", str(folder / "lab")) as served:
        address, _ = group_of(Client(served, "ana"))
        page = opened(browser, served)
        page.goto(f"{served.base}{address}")
        page.wait_for_selector(".card.current")
        first = page.locator(".card.current").get_attribute("data-student")
        worth = page.locator("[data-sum]")
        for key, shown in (("1", "0.5"), ("2", "1"), ("1", "0.5"), ("0", "0"), ("2", "0.5")):
            page.keyboard.press(key)
            assert worth.inner_text() == shown
        assert page.locator("input[name=verdict][value=rows]").is_checked()
        page.keyboard.press("Shift+Enter")
        page.wait_for_function("() => document.querySelectorAll('.card').length === 2")
        assert page.locator(f".card[data-student={first}]").count() == 0
        assert not page.problems
        shown = Client(served, "ana").get(f"/students/{first}")[2]
        assert 'name="row" value="2" data-worth="0.5" checked' in shown
