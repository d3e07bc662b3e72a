"""Gradescope, PrairieLearn, CSV, JSON and spreadsheets."""

import csv
import io
import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.exports.autograders import grading_json, results_json
from grader.gradebook.exports.registry import EXPORTS
from grader.result import AppliedOverride, Diagnosis, Flag, Member, Severity, Status
from tests.conftest import run_grade
from tests.factories import item, result
from tests.gradebook.making import bytes_of, export, filled, known, team

ITEMS = [
    item("q1.a", Status.CORRECT, "2", feedback="Right."),
    item("q1.b", Status.PARTIAL, "1", found="<b>4", expected="5"),
    item("q2.a", Status.REVIEW, "3", note="For staff only"),
]


def test_the_help_names_every_format() -> None:
    told = run_grade("export", "--help").stdout
    assert [name for name in EXPORTS if name not in " ".join(told.split())] == []


def test_gradescope_shows_every_item_and_takes_our_total() -> None:
    late = result("ada", ITEMS, score=Decimal("1.5"), late_penalty=Decimal(1))
    data = json.loads(results_json(late))
    assert data["score"] == 1.5
    assert [(test["number"], test.get("score"), test.get("max_score")) for test in data["tests"]] == [
        ("1.1", 2.0, 2.0),
        ("1.2", 0.5, 1.0),
        ("2.1", None, None),
    ]
    assert [test.get("status") for test in data["tests"]] == ["passed", "failed", None]
    assert {test["visibility"] for test in data["tests"]} == {"visible"}
    assert "A person decides." in data["tests"][2]["output"]
    assert "For staff only" not in results_json(late).decode()
    assert data["output_format"] == "text"


def test_nothing_is_told_twice() -> None:
    """Feedback often ends with what a diagnosis says."""
    twice = item(
        feedback="Read. No log was found.",
        diagnoses=(Diagnosis(id="a", text="No log was found."), Diagnosis(id="b", text="The mean is off.")),
    )
    (test,) = json.loads(results_json(result(items=[twice])))["tests"]
    assert test["output"] == "Read. No log was found.\nThe mean is off."


def test_an_override_is_told_with_its_reason() -> None:
    put = AppliedOverride(
        points=Decimal(1), reason="Figure 2.", author="MD", date=date(2024, 1, 12), before=Status.REVIEW, score_before=0
    )
    data = json.loads(results_json(result(items=[item(override=put)])))
    assert "Decided by MD: Figure 2." in data["tests"][0]["output"]
    silent = item(override=put.model_copy(update={"reason": ""}), feedback="Half of it. A person decides.")
    (test,) = json.loads(results_json(result(items=[silent])))["tests"]
    assert test["output"].startswith("Decided by MD on 12 January 2024.\nHalf of it.")
    assert "A person decides." not in test["output"]


def test_gradescope_writes_one_file_for_each(tmp_path: Path) -> None:
    assert [name for name, _ in export("gradescope", [known("a")], tmp_path).files] == ["results.json"]
    both = export("gradescope", [known("a"), known("b")], tmp_path).files
    assert [name for name, _ in both] == ["a/results.json", "b/results.json"]
    assert [json.loads(bytes_of(content))["extra_data"]["student"] for _, content in both] == ["a", "b"]


def test_prairielearn_results() -> None:
    data = json.loads(grading_json(result("ada", ITEMS)))
    assert data["gradable"] is True
    assert data["score"] == pytest.approx(2.5 / 3), "of the three points that are decided"
    assert [(test["points"], test["max_points"]) for test in data["tests"]] == [(2, 2), (0.5, 1), (0, 0)]
    assert "3 points are pending review" in data["message"]
    waiting = json.loads(grading_json(result("ada", [item("q1.a", Status.REVIEW)])))
    assert (waiting["gradable"], "score" in waiting) == (False, False)
    assert "a person will grade" in waiting["format_errors"][0]
    assert all({"points", "max_points", "name"} <= set(test) for test in data["tests"])
    empty = json.loads(grading_json(result("ada", files=())))
    assert (empty["gradable"], "score" in empty) == (False, False)
    large = [item(f"q1.{n}", feedback="x" * 100_000) for n in range(100)]
    assert len(grading_json(result("ada", large))) <= 1_000_000


def test_prairielearn_scores(tmp_path: Path) -> None:
    members = team("team", "10", Member(name="Bob", email="bob@example.org"), Member(name="Eve"))
    results = [known("ada", "13.5", email="ada@example.org"), members]
    with pytest.raises(GradebookError, match="--qid"):
        export("prairielearn", results, tmp_path)
    exported = export("prairielearn", results, tmp_path, question="labs/nlp")
    rows = list(csv.DictReader(io.StringIO(bytes_of(exported.files[0][1]).decode())))
    assert [(row["uid"], row["instance"], row["qid"], row["score_perc"]) for row in rows] == [
        ("ada@example.org", "1", "labs/nlp", "67.5"),
        ("bob@example.org", "1", "labs/nlp", "50"),
    ]
    assert "no e-mail address is known, so left out: Eve" in exported.notes


def test_prairielearn_gets_no_score_for_what_awaits_a_person(tmp_path: Path) -> None:
    """A blank cell leaves what is there unchanged: https://prairielearn.readthedocs.io, "Uploading scores"."""
    own = "UID,Name,Instance,qid\nada@example.org,Ada,1,q\nbob@example.org,Bob,1,q\n"
    waits = known("ada", email="ada@example.org", items=ITEMS)
    done, notes = filled("prairielearn", own, [waits, known("b", email="bob@example.org")], tmp_path, feedback=False)
    assert done.splitlines()[1:] == ["bob@example.org,1,q,67.5"]
    assert "points pending review, so left out" in notes
    only = export("prairielearn", [waits], tmp_path, question="q")
    assert only.people == 0, "and alone it is a file without a row, which is not written"


def test_prairielearns_own_export_keeps_its_keys(tmp_path: Path) -> None:
    text = "UID,Name,Instance,qid,Submission ID\nada@example.org,Ada,2,q,0071\neve@example.org,Eve,1,q,72\n"
    done, notes = filled("prairielearn", text, [known("x", email="ADA@example.org")], tmp_path, feedback=False)
    assert done == "submission_id,uid,instance,qid,score_perc\n0071,ada@example.org,2,q,67.5\n"
    assert "rows without a result: Eve" in notes
    with pytest.raises(GradebookError, match="columns are missing"):
        filled("prairielearn", "uid,x\nada@example.org,1\n", [known("ada")], tmp_path)


def test_json_holds_points_and_who(tmp_path: Path) -> None:
    ((_, content),) = export("json", [result("b", ITEMS), known("a", email="a@b.c")], tmp_path).files
    data = json.loads(bytes_of(content))
    assert bytes_of(content).decode() == json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    assert [student["id"] for student in data["students"]] == ["a", "b"]
    assert data["students"][0]["identity"]["email"] == "a@b.c"
    assert data["students"][1]["items"] == {"q1.a": 2.0, "q1.b": 0.5, "q2.a": None}, "as nobody decided it"
    assert [student["pending_items"] for student in data["students"]] == [{}, {"q2.a": 3.0}]


def test_a_spreadsheet_holds_numbers_as_numbers_and_no_formula(tmp_path: Path) -> None:
    import openpyxl

    flags = (Flag(id="late", severity=Severity.WARNING, message="m"),)
    results = [
        result("=1+1", ITEMS, name="\x00@SUM(A1)\n", flags=flags),
        result("http://b", ITEMS, error="=HYPERLINK()"),
    ]
    exported = export("xlsx", results, tmp_path)
    book = openpyxl.load_workbook(io.BytesIO(bytes_of(exported.files[0][1])))
    heading, first, second = book["Grades"].iter_rows()
    columns = {cell.value: place for place, cell in enumerate(heading)}
    assert {cell.data_type for row in (first, second) for cell in row} <= {"s", "n"}
    assert (first[0].value, first[columns["name"]].value) == ("=1+1", "@SUM(A1)")
    assert (first[columns["score"]].value, first[columns["q1.b"]].value, first[columns["flags"]].value) == (
        2.5,
        0.5,
        "late",
    )
    assert second[0].hyperlink is None
    assert second[columns["error"]].value == "=HYPERLINK()"
    assert [row[0].value for row in book["Items"].iter_rows(min_row=2)] == ["q1.a", "q1.b", "q2.a"]
    assert export("xlsx", results, tmp_path).files == exported.files
