"""A class that is graded again while the review page is open: a decision is about the answer that its page showed."""

import shutil
from pathlib import Path

import pytest

from grader.result import LabReference, Status
from tests.cli.test_decisions_kept import grade, hand_in, items_of
from tests.conftest import results_in, run_grade
from tests.factories import item, result
from tests.serve.serving import Client, groups_of, seen_of, serving

DAMAGED = "%PDF-1.4\n{} is no page\n%%EOF\n"
LOADED = 'name="loaded" value="'


def fields_of(page: str, **more: str) -> dict[str, object]:
    """What the form of a page sends beside the verdict."""
    return {"seen": seen_of(page), "loaded": page.partition(LOADED)[2].partition('"')[0], **more}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A class of two whose definitions of `r` wait, each in words of its own, so in a group by their reason."""
    for student, words in (("ana", "squeezed then"), ("eve", "how big the thing is")):
        hand_in(tmp_path / "class", student, f"# Question 2\nr: it tells how much LoRA is {words}.\n")
    assert grade(tmp_path / "class", tmp_path / "graded").returncode == 0
    return tmp_path / "graded"


def again(out: Path, student: str, text: str, name: str = "report.md") -> None:
    shutil.rmtree(out.parent / "class" / student, ignore_errors=True)
    hand_in(out.parent / "class", student, text, name)
    assert grade(out.parent / "class", out).returncode == 0


def test_a_group_decides_only_answers_that_its_page_showed(out: Path) -> None:
    """Files that cannot be opened are put together by that reason, whatever they are."""
    for student in ("ben", "eve"):
        again(out, student, DAMAGED.format(student), "report.pdf")
    with serving(out) as served:
        ana = Client(served, "ana")
        pages = {group: ana.get(f"/groups/{group}")[2] for group in groups_of(ana.get("/")[2])}
        group, page = next((one, text) for one, text in pages.items() if 'value="unreadable"' in text and "eve" in text)
        again(out, "eve", DAMAGED.format("another one"), "report.pdf")
        again(out, "fay", DAMAGED.format("fay"), "report.pdf")
        status, _, text = ana.post(f"/groups/{group}/decide", fields_of(page, verdict="unreadable"))
        one_hand_in = f"{len(items_of(out, 'ben'))} answers: "
        assert (status, one_hand_in in text) == (200, True)
        shown = ana.get(f"/groups/{group}")[2]
        assert ana.post(f"/groups/{group}/decide", fields_of(shown, verdict="unreadable", only="fay"))[0] == 200
    assert run_grade("regrade", "finish", out).returncode == 0
    decided = {student for student in results_in(out) if items_of(out, student)["q1.total"].override}
    assert decided == {"ben", "fay"}


def test_each_spot_check_of_a_group_is_confirmed_as_it_was_decided(tmp_path: Path) -> None:
    out = tmp_path / "graded"
    for student, status in (("ana", Status.CORRECT), ("eve", Status.PARTIAL)):
        drawn = item("q2.r", status, "0.6", found=f"as {student} says", tags=("audit",))
        (out / student).mkdir(parents=True)
        reference = LabReference(id="nlp-frameworks", title="NLP", sha256="a" * 64)
        (out / student / "result.json").write_text(result(student, items=[drawn], lab=reference).to_json(), "utf-8")
    with serving(out) as served:
        ana = Client(served, "ana")
        (group,) = groups_of(ana.get("/")[2])
        page = ana.get(f"/groups/{group}")[2]
        assert ('data-suggested="each"' in page, page.count('class="card"')) == (True, 2)
        status_, _, text = ana.post(f"/groups/{group}/decide", fields_of(page, verdict="each"))
        assert (status_, "2 answers: " in text) == (200, True)
        told = ana.get("/history")[2]
        assert all(f"{one}" in told for one in ("Correct", "Partly correct"))


@pytest.mark.parametrize("way", ["items/q2.r/decide", "whole"])
def test_a_students_page_decides_no_answer_that_came_later(out: Path, way: str) -> None:
    with serving(out) as served:
        ana = Client(served, "ana")
        page = ana.get("/students/eve")[2]
        again(out, "eve", "# Question 2\nr: it tells how much LoRA is squeezed a lot then.\n")
        given = {"whole": "blank"} if way == "whole" else {"verdict": "correct"}
        status, _, text = ana.post(f"/students/eve/{way}", fields_of(page, **given))
        assert (status, "look at it again" in text) == (400, True)
        assert items_of(out, "eve")["q2.r"].override is None
        page = ana.get("/students/eve")[2]
        assert "squeezed a lot" in page
        assert ana.post(f"/students/eve/{way}", fields_of(page, **given))[0] == 200
    assert run_grade("regrade", "finish", out).returncode == 0
    assert items_of(out, "eve")["q2.r"].override is not None
