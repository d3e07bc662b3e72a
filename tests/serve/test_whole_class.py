"""What is decided for the whole class in the terminal and on its page: told before, kept, undone, and shown to all."""

import re
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from starlette.datastructures import FormData

from grader.gradebook.decisions import Verdict, decided_since, standing
from grader.gradebook.releases import release
from grader.gradebook.store import FILE, open_database
from grader.result import Result, Status
from grader.serve.hand_ins import whole_verdict
from scripts.made_class import LAB
from tests.conftest import results_in, run_grade
from tests.serve.serving import Client, groups_of, seen_of, serving

ITEM = "q1.total"


def scores(graded: Path) -> dict[str, tuple[float, float]]:
    found = {}
    for student, result in results_in(graded).items():
        (item,) = (one for one in result.items if one.id == ITEM)
        found[student] = float(item.score), float(item.max_score)
    return found


def finish(graded: Path) -> dict[str, Result]:
    done = run_grade("regrade", "finish", graded)
    assert done.returncode == 0, done.stderr
    return results_in(graded)


def test_the_terminal_tells_who_changes_before_anything_is_decided(few: Path) -> None:
    before = scores(few)
    told = run_grade("serve", "class", few, ITEM, "--give", "correct")
    assert "Nothing is decided yet." in told.stdout
    less = [student for student, (score, most) in before.items() if score < most]
    assert less
    assert sorted(re.findall(r"(?m)^(made-\d+) .* → correct 2\.5/2\.5", told.stdout)) == sorted(less)
    finish(few)
    assert scores(few) == before


def test_released_reports_among_those_that_change_are_told(few: Path) -> None:
    student = next(student for student, (score, most) in scores(few).items() if score < most)
    run_grade("serve", "review", few)
    database = open_database(few / FILE, create=True)
    release(database, LAB, {student: {"report.pdf": "0" * 64}}, "ana", datetime.now(UTC))
    database.close()
    told = run_grade("serve", "class", few, ITEM, "--give", "correct").stdout
    assert "Reports released among these: 1." in told
    with serving(few) as served:
        page = Client(served, "ana").get(f"/items/{ITEM}?kind=everyone&give=correct")[2]
        assert "1 of these reports is released" in page


def test_the_preview_tells_the_new_maximum_and_unknown_slips(few: Path) -> None:
    dropped = run_grade("serve", "class", few, ITEM, "--drop").stdout
    assert re.search(r"→ does not count   in all [\d.]+ / 20 → [\d.]+ / 17\.5", dropped)
    unknown = run_grade("serve", "class", few, ITEM, "--slip", "no-such", "--give", "1")
    assert (unknown.returncode, "nobody made the slip" in unknown.stderr) == (2, True)


def test_several_items_of_a_hand_in_are_missing_or_earn_all_points() -> None:
    review: Any = SimpleNamespace(say=str)
    full, nothing = (whole_verdict(review, given, FormData()) for given in ("full", "nothing"))
    assert full == Verdict(Status.CORRECT, None, "")
    assert (nothing.status, bool(nothing.reason)) == (Status.MISSING, True)


def test_everyone_gets_the_points_and_it_can_be_taken_back(few: Path) -> None:
    before = scores(few)
    assert run_grade("serve", "class", few, ITEM, "--give", "correct", "--apply").returncode == 2  # no reason
    done = run_grade("serve", "class", few, ITEM, "--give", "correct", "--apply", "--why", "Ambiguous.")
    assert done.returncode == 0, done.stderr
    finish(few)
    assert set(scores(few).values()) == {(2.5, 2.5)}
    assert "Ambiguous." in run_grade("serve", "class", few).stdout
    assert ITEM not in run_grade("serve", "review", few).stdout
    run_grade("serve", "class", few, ITEM, "--give", "correct", "--back", "--apply")
    finish(few)
    assert scores(few) == before


def test_an_item_that_does_not_count_is_no_part_of_the_maximum(few: Path) -> None:
    run_grade("serve", "class", few, ITEM, "--drop", "--apply", "--why", "Broken.")
    for result in finish(few).values():
        assert result.max_score == 17.5
        assert result.score + result.pending <= result.max_score
    assert ",17.5," in (few / "grades.csv").read_text(encoding="utf-8")


def test_a_star_in_overrides_toml_is_about_everyone(few: Path) -> None:
    (few / "overrides.toml").write_text(
        f'[[override]]\nstudent = "*"\nitem = "{ITEM}"\nstatus = "correct"\n'
        'reason = "Ambiguous."\nauthor = "M. D."\ndate = 2026-01-02\n\n'
        '[[override]]\nstudent = "made-0001"\n'
        f'item = "{ITEM}"\npoints = 1\nreason = "Copied."\nauthor = "M. D."\ndate = 2026-01-02\n',
        encoding="utf-8",
    )
    finish(few)
    assert scores(few) == {student: (1 if student == "made-0001" else 2.5, 2.5) for student in scores(few)}


def test_decisions_for_the_class_go_into_a_file_and_back(few: Path, tmp_path: Path) -> None:
    run_grade("serve", "class", few, ITEM, "--worth", "5", "--apply", "--why", "Counts double.")
    run_grade(
        "serve", "class", few, "q1.derivation", "--answer", "12 x", "--give", "1", "--apply", "--why", "Also right."
    )
    file = tmp_path / "decisions.toml"
    run_grade("serve", "review", few, "--export", file)
    text = file.read_text(encoding="utf-8")
    assert 'student = "*"' in text
    assert "maximum = 5" in text
    assert 'answer = "12 x"' in text
    for options in (("--worth", "5"), ("--answer", "12 x", "--give", "1")):
        item = ITEM if "--worth" in options else "q1.derivation"
        run_grade("serve", "class", few, item, *options, "--back", "--apply")
    assert "Nothing was decided" in run_grade("serve", "class", few).stdout
    run_grade("serve", "review", few, "--import", file)
    assert run_grade("serve", "class", few).stdout.count("\n") >= 2


def test_the_page_previews_decides_and_undoes_in_one_step(few: Path) -> None:
    before = scores(few)
    with serving(few) as served:
        ana = Client(served, "ana")
        seen = seen_of(ana.get("/students/made-0000")[2])
        ana.post(f"/students/made-0000/items/{ITEM}/decide", {"seen": seen, "verdict": "incorrect", "comment": "No."})
        page = ana.get(f"/items/{ITEM}?kind=everyone&give=correct&why=Ambiguous")[2]
        assert "Nobody" not in page
        assert "a decision about this student is taken back" in page
        fields = {"kind": "everyone", "give": "correct", "why": "Ambiguous.", "seen": seen_of(page)}
        assert ana.post(f"/items/{ITEM}/decide", {**fields, "why": ""})[0] == 400
        assert "Decided for the whole class." in ana.post(f"/items/{ITEM}/decide", fields)[2]
        assert "Correct, 2.5 / 2.5" in ana.get("/history")[2]
        assert f'id="title-{ITEM}"' in ana.get("/students/made-0000")[2]
        decided = decisions(few)
        assert ("*", ITEM) in decided
        assert ("made-0000", ITEM) not in decided
        ana.post("/undo", {"back": f"/items/{ITEM}"})
        decided = decisions(few)
        assert ("*", ITEM) not in decided
        assert ("made-0000", ITEM) in decided
    finish(few)
    assert scores(few) == {**before, "made-0000": (0, 2.5)}


def decisions(graded: Path) -> set[tuple[str, str]]:
    database = open_database(graded / FILE, create=False)
    try:
        return set(standing(decided_since(database, LAB)))
    finally:
        database.close()


def test_a_group_decides_only_the_answers_that_were_shown(made: Path) -> None:
    with serving(made) as served:
        ana = Client(served, "ana")
        for group in groups_of(ana.get("/")[2]):
            page = ana.get(f"/groups/{group}")[2]
            students = re.findall(r'name="shown" value="([^"]+)"', page)
            if len(students) > 1:
                break
        fields = {"seen": seen_of(page), "verdict": "correct", "shown": students[:1]}
        ana.post(f"/groups/{group}/decide", fields)
    assert {student for student, _ in decisions(made)} == {students[0]}
