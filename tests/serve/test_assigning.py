"""A person says once in the review page which part of a hand-in answers which question, and everything follows."""

import re
import shutil
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import grader
from grader.result import Result
from tests.conftest import run_grade
from tests.serve.serving import CHROMIUM, Client, Served, opened, seen_of, serving

BLANK = Path(grader.__file__).parent / "blank"
TEXT = """# What we were given

Three figures were on the sheet, and we looked at them for a while before we began. We were asked for several things.

# First thing

Their mean is 4.

# Second thing

a) the mean

# Third thing

It leaves out how far the figures lie apart: 1, 4 and 7 have the same one as 3, 4 and 5, although they spread more.
"""
STUDENT = "ada"
CHOSEN = {"Their mean is 4.": "q1", "a) the mean": "q2", "Third thing": "q3"}


@pytest.fixture(scope="module")
def graded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sections")
    shutil.copytree(BLANK, folder / "lab", ignore=shutil.ignore_patterns("answers", "answers.toml"))
    hand_in(folder, TEXT)
    grade(folder)
    return folder


@pytest.fixture
def folder(graded_once: Path, tmp_path: Path) -> Path:
    """A lab and the graded hand-in of a student who labels nothing."""
    return Path(shutil.copytree(graded_once, tmp_path / "own"))


def hand_in(folder: Path, text: str) -> None:
    (folder / "class" / STUDENT).mkdir(parents=True, exist_ok=True)
    (folder / "class" / STUDENT / "report.md").write_text(text, encoding="utf-8")


def grade(folder: Path, *command: str) -> str:
    place = (folder / "graded",) if command else (folder / "class", "--out", folder / "graded", "--no-reports")
    done = run_grade(*command, *place, "--lab", folder / "lab")
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def result_in(folder: Path) -> Result:
    return Result.from_json((folder / "graded" / STUDENT / "result.json").read_bytes())


def statuses(folder: Path) -> dict[str, str]:
    return {item.id: item.status.value for item in result_in(folder).items}


def flags(folder: Path) -> set[str]:
    return {flag.id for flag in result_in(folder).flags}


def fields_of(page: str) -> dict[str, str]:
    """The fields of the form by the words that stand beside them."""
    found = re.findall(r'<p class="unit[^"]*" dir="auto" id="text-([^"]+)">(.*?)</p>', page)
    return {unescape(text): name for name, text in found}


def choose(client: Client, chosen: dict[str, str]) -> tuple[int, str]:
    page = client.get(f"/students/{STUDENT}/sections")[2]
    names = fields_of(page)
    text = re.findall(r'name="text" value="(\w+)"', page)[0]
    fields = {"seen": seen_of(page), "text": text, **{names[words]: one for words, one in chosen.items()}}
    status, _, told = client.post(f"/students/{STUDENT}/sections", fields)
    return status, told


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with serving(folder / "graded", "ana,ben", "--lab", str(folder / "lab")) as running:
        yield running


def test_assigned_sections_are_graded_by_when_the_class_is_finished(folder: Path, served: Served) -> None:
    assert "no-question-found" in flags(folder)
    assert statuses(folder)["q2.choice"] != "correct"
    client = Client(served, "ana")
    assert f"/students/{STUDENT}/sections" in client.get("/")[2]
    status, told = choose(client, CHOSEN)
    assert status == 200
    assert "Kept." in told
    assert "No question was recognised" not in client.get("/")[2]
    grade(folder, "regrade", "finish")
    assert statuses(folder) | {"q3.text": ""} == {"q1.mean": "correct", "q2.choice": "correct", "q3.text": ""}
    assert flags(folder) >= {"sections-assigned"}
    assert "no-question-found" not in flags(folder)
    kept = tomllib.loads((folder / "graded" / "gradebook.decisions.toml").read_text(encoding="utf-8"))["override"]
    assert [part["question"] for part in kept[0]["sections"]] == ["q1", "q2", "q3"]

    # Grading again, and verifying what was graded, comes to the same.
    before = result_in(folder).to_json()
    grade(folder, "regrade", "verify")
    grade(folder)
    assert result_in(folder).to_json() == before


def test_what_was_assigned_is_undone_taken_back_and_in_conflict_as_other_decisions_are(
    folder: Path, served: Served
) -> None:
    ana, ben = Client(served, "ana"), Client(served, "ben")
    page = ben.get(f"/students/{STUDENT}/sections")[2]
    assert choose(ana, CHOSEN)[0] == 200
    text = re.findall(r'name="text" value="(\w+)"', page)[0]
    fields = {"seen": seen_of(page), "text": text, fields_of(page)["Their mean is 4."]: "q2"}
    assert "Decided meanwhile" in ben.post(f"/students/{STUDENT}/sections", fields)[2]
    told = ana.post("/undo", {"back": f"/students/{STUDENT}/sections"})[2]
    assert "Undone" in told
    assert "No question was recognised" in ana.get("/")[2]
    assert choose(ana, CHOSEN)[0] == 200
    grade(folder, "regrade", "finish")
    assert statuses(folder)["q2.choice"] == "correct"
    page = ana.get(f"/students/{STUDENT}/sections")[2]
    assert page.count("selected>q") == 3
    fields = {"seen": seen_of(page), "text": text, "back": "1"}
    assert "Taken back." in ana.post(f"/students/{STUDENT}/sections", fields)[2]
    grade(folder, "regrade", "finish")
    assert "no-question-found" in flags(folder)
    assert statuses(folder)["q2.choice"] != "correct"


def test_a_changed_text_is_told_and_the_same_text_in_another_hand_in_is_not(folder: Path, served: Served) -> None:
    assert choose(Client(served, "ana"), CHOSEN)[0] == 200
    hand_in(folder, TEXT.replace("# First", "#  First") + "\n\n")
    grade(folder)
    assert flags(folder) >= {"sections-assigned"}
    assert statuses(folder)["q2.choice"] == "correct"
    hand_in(folder, TEXT.replace("the mean", "the median"))
    grade(folder)
    assert flags(folder) >= {"sections-changed", "no-question-found"}
    client = Client(served, "ana")
    assert "the text has changed since" in client.get("/")[2]
    page = client.get(f"/students/{STUDENT}/sections")[2]
    assert "has changed since its sections were assigned" in page
    assert page.count("selected>q") == 2  # what stands there as before


@pytest.mark.parametrize("wrong", [{"u0-0": "q9"}, {}, {"text": "other"}])
def test_forms_that_the_page_never_sends_are_refused(served: Served, wrong: dict[str, str]) -> None:
    client = Client(served, "ana")
    page = client.get(f"/students/{STUDENT}/sections")[2]
    text = re.findall(r'name="text" value="(\w+)"', page)[0]
    fields = {"seen": seen_of(page), "text": text, **wrong}
    assert client.post(f"/students/{STUDENT}/sections", fields)[0] == 400
    assert client.get("/students/eve/sections")[0] == 404


def test_decisions_from_a_file_hold_sections(folder: Path, served: Served, tmp_path: Path) -> None:
    assert choose(Client(served, "ana"), CHOSEN)[0] == 200
    file = tmp_path / "decisions.toml"
    grade(folder, "serve", "review", "--export", str(file))
    graded = folder / "graded"
    for path in graded.glob("gradebook*"):
        path.unlink()
    grade(folder, "serve", "review", "--import", str(file))
    grade(folder, "regrade", "finish")
    assert flags(folder) >= {"sections-assigned"}
    assert statuses(folder)["q2.choice"] == "correct"


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_in_a_browser(browser: Any, served: Served, width: int) -> None:
    page = opened(browser, served, viewport={"width": width, "height": 900}, bypass_csp=True)
    page.locator(".requests a").first.click()
    page.wait_for_url(f"**/students/{STUDENT}/sections")
    page.locator("li", has_text="a) the mean").locator("select").select_option("q2")
    axe(page, width)
    page.get_by_role("button", name="Keep the sections").click()
    page.wait_for_selector(".toast")
    assert page.locator("li.chosen").count() == 1
    axe(page, width)
    page.keyboard.press("u")
    page.wait_for_url(f"**/students/{STUDENT}")
    assert not page.problems


def axe(page: Any, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"wider than {width}"
    page.evaluate((Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(told => told.violations)")
    assert not [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]
