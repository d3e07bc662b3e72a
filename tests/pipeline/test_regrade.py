"""What was graded once more, without the hand-ins: exactly the right items change, and everything else is as it was."""

import gzip
import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.pipeline.regrading import StoredHandIn, by_findings
from grader.pipeline.stages import FINDINGS, READING
from grader.result import Result
from tests.conftest import results_in
from tests.pipeline.making import change_lab, grade, small_class

HALF = Decimal("0.5")


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    small_class(folder)
    return folder


@pytest.fixture
def graded(once: Path, tmp_path: Path) -> Path:
    """A graded class whose hand-ins are gone, beside its lab."""
    for name in ("graded", "lab"):
        shutil.copytree(once / name, tmp_path / name)
    return tmp_path / "graded"


def regrade(graded: Path, *options: object, status: int = 0) -> str:
    """Without the hand-ins, which lie elsewhere: their paths are not there."""
    nowhere = ("--submissions", graded.parent / "lab" / "decisions")
    (graded.parent / "lab" / "decisions").mkdir(exist_ok=True)
    (graded.parent / "lab" / "decisions" / "notes.txt").write_text("no hand-in")
    done = grade("regrade", graded, "--lab", graded.parent / "lab", *nowhere, *options)
    assert done.exit_code == status, done.output
    return done.output


def changed(before: dict[str, Result], after: dict[str, Result]) -> set[tuple[str, str]]:
    """Students and items whose outcome is another."""
    return {
        (student, new.id)
        for student in before
        for old, new in zip(before[student].items, after[student].items, strict=True)
        if old != new
    }


def test_nothing_changed_changes_nothing(graded: Path) -> None:
    before = {path: path.read_bytes() for path in sorted(graded.rglob("*.json*"))}
    assert "Nobody's grade changes." in regrade(graded)
    assert {path: path.read_bytes() for path in sorted(graded.rglob("*.json*"))} == before


def test_points_change_one_item_and_ask_no_check(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = results_in(graded)
    change_lab(graded.parent / "lab", "q1.total", 'points = "2.5"', 'points = "3"')
    monkeypatch.setattr("grader.pipeline.regrading.run_isolated", no_process)
    output = regrade(graded)
    after = results_in(graded)
    assert changed(before, after) == {(student, "q1.total") for student in before}
    assert (after["student-02"].score, after["student-02"].max_score) == (before["student-02"].score + HALF, 20.5)
    assert "correct, 2.5 / 2.5" in output
    assert "correct, 3 / 3" in output


DECISION = """
[[decisions]]
group = "{group}"
label = "incorrect"
text = "-"
why = "It says what another parameter does."
author = "R. Lee"
date = 2026-03-20
"""


def no_process(*_: object, **__: object) -> None:
    pytest.fail("decisions and points are no reason to run checks")


def decide(graded: Path, *groups: str, **changes: str) -> None:
    """Stored decisions about some groups of answers."""
    entry = "".join(f'{name} = "{value}"\n' for name, value in changes.items())
    (graded.parent / "lab" / "decisions.toml").write_text("".join(DECISION.format(group=one) + entry for one in groups))


def test_a_decision_changes_those_whose_answer_it_is_and_asks_no_check(
    graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = results_in(graded)
    group = {one.id: one for one in before["student-02"].items}["q2.bias"].group
    own = {(student, one.id) for student, result in before.items() for one in result.items if one.group == group}
    assert {"student-02"} <= {student for student, _ in own} < set(before)
    monkeypatch.setattr("grader.pipeline.regrading.run_isolated", no_process)
    made: list[str] = []

    def counted(one: StoredHandIn, *others: Any) -> Result | None:
        made.append(one.source.student_id)
        return by_findings(one, *others)

    monkeypatch.setattr("grader.pipeline.regrading.by_findings", counted)
    decide(graded, group)
    regrade(graded, "--no-reports")
    assert set(made) == {student for student, _ in own}
    assert changed(before, results_in(graded)) == own
    after = {one.id: one for one in results_in(graded)["student-02"].items}["q2.bias"]
    assert (after.status, "R. Lee" in after.decided_by) == ("incorrect", True)
    (graded.parent / "lab" / "decisions.toml").unlink()
    regrade(graded, "--no-reports")
    assert results_in(graded) == before


def test_points_that_change_with_a_decision_change_for_all(graded: Path, once: Path) -> None:
    items = {one.id: one for one in results_in(graded)["student-02"].items}
    decide(graded, items["q2.bias"].group)
    change_lab(graded.parent / "lab", "q1.total", 'points = "2.5"', 'points = "3"')
    regrade(graded, "--no-reports")
    same_as_graded_anew(graded, once)


def test_a_result_that_was_changed_by_hand_is_made_again(graded: Path, once: Path) -> None:
    path = graded / "student-11" / "result.json"
    path.write_text(path.read_text().replace('"status": "correct"', '"status": "incorrect"', 1))
    decide(graded, {one.id: one for one in results_in(graded)["student-02"].items}["q2.bias"].group)
    regrade(graded, "--no-reports")
    same_as_graded_anew(graded, once)


@pytest.mark.parametrize("withdrawn", [False, True])
def test_a_regrade_after_decisions_yields_what_grading_yields(graded: Path, once: Path, *, withdrawn: bool) -> None:
    items = results_in(graded)["student-02"].items
    judged = next(one for one in items if any("automatic" in tag for tag in one.tags))
    topic = judged.group.partition(":")[0]
    if withdrawn:  # audits of others' answers
        decide(graded, *(f"{topic}:{number:016x}" for number in range(20)), automatic="correct")
    else:
        decide(graded, judged.group, next(one for one in items if one.id == "q2.bias").group)
    regrade(graded, "--no-reports")
    after = {one.id: one.status for one in results_in(graded)["student-02"].items}
    assert after[judged.id] == ("review" if withdrawn else "incorrect")
    same_as_graded_anew(graded, once)


def same_as_graded_anew(graded: Path, once: Path) -> None:
    """All that was graded once more is what grading itself makes, byte for byte."""
    anew = graded.parent / "anew"
    done = grade(once / "class", "--lab", graded.parent / "lab", "--out", anew, "--no-reports")
    assert done.exit_code == 0
    for student in results_in(graded):
        for name in ("result.json", READING, FINDINGS):
            assert (graded / student / name).read_bytes() == (anew / student / name).read_bytes(), (student, name)
    for name in ("grades.csv", "class.json"):
        assert (graded / name).read_bytes() == (anew / name).read_bytes()


def test_a_regrade_yields_what_grading_yields(graded: Path, once: Path) -> None:
    lab = graded.parent / "lab"
    change_lab(lab, "q1.total", '"all-but-head"]', '"all-but-head", "with-head", "weights-and-biases"]')
    change_lab(lab, "t3.band", 'points = "0.5"', 'points = "0.75"')
    regrade(graded)
    same_as_graded_anew(graded, once)


def test_an_accepted_convention_changes_its_answers_only(graded: Path) -> None:
    before = results_in(graded)
    counted = {one.id: one for one in before["student-11"].items}["q1.total"].diagnoses[0].id
    change_lab(graded.parent / "lab", "q1.total", '"all-but-head"]', f'"all-but-head", "{counted}"]')
    regrade(graded)
    after = results_in(graded)
    items = {one.id: one for one in after["student-11"].items}
    assert (items["q1.total"].status, items["q1.total"].score) == ("correct", 2.5)
    outcomes = {
        (student, new.id)
        for student in before
        for old, new in zip(before[student].items, after[student].items, strict=True)
        if (old.status, old.score) != (new.status, new.score)
    }
    assert outcomes == {("student-11", "q1.total")}


def test_a_dry_run_tells_the_same_and_writes_nothing(graded: Path) -> None:
    change_lab(graded.parent / "lab", "q1.total", 'points = "2.5"', 'points = "3"')
    before = {path: path.read_bytes() for path in sorted(graded.rglob("*")) if path.suffix in (".json", ".gz", ".csv")}
    told = regrade(graded, "--dry-run")
    assert {path: path.read_bytes() for path in before} == before
    assert "would have another grade. Nothing was written." in told
    done = regrade(graded)
    assert told.partition("would have")[0] == done.partition("have another")[0]
    points = next(line for line in done.splitlines() if line.startswith("Points: "))
    assert points in told
    assert " × +0.5" in points


def test_only_the_named_items_change_and_the_others_are_told(graded: Path) -> None:
    before = results_in(graded)
    change_lab(graded.parent / "lab", "q1.total", 'points = "2.5"', 'points = "3"')
    change_lab(graded.parent / "lab", "t3.band", 'points = "0.5"', 'points = "1"')
    output = regrade(graded, "--only", "q1.*")
    after = results_in(graded)
    assert changed(before, after) - {(student, "t3.band") for student in before} == {
        (student, "q1.total") for student in before
    }
    kept = {one.id: one for one in after["student-02"].items}["t3.band"]
    old = {one.id: one for one in before["student-02"].items}["t3.band"]
    assert kept.kept_from is not None
    assert kept.kept_from.lab_sha256 == before["student-02"].lab.sha256
    assert kept.model_copy(update={"kept_from": None}) == old
    assert after["student-02"].max_score == before["student-02"].max_score + HALF
    assert sum(one.score for one in after["student-02"].items) == after["student-02"].score
    told = output.partition("Kept as they were")[2]
    assert "student-02  t3.band  correct, 0.5 / 0.5  →  correct, 1 / 1" in told
    assert "q1.total" not in told

    regrade(graded)
    whole = results_in(graded)
    assert {one.id: one for one in whole["student-02"].items}["t3.band"].score == 1
    assert not any(one.kept_from for result in whole.values() for one in result.items)


def test_an_item_that_there_is_not_is_refused(graded: Path) -> None:
    assert "no such item" in regrade(graded, "--only", "q9.*", status=2)


OVERRIDE = """[[override]]
student = "student-02"
item = "q1.total"
points = 1
reason = "Copied."
author = "A. Prof"
date = 2024-01-12
"""


def test_overrides_are_applied_anew_and_never_twice(graded: Path) -> None:
    before = results_in(graded)["student-02"]
    (graded / "overrides.toml").write_text(OVERRIDE)
    for _ in range(2):
        regrade(graded)
        assert results_in(graded)["student-02"].score == before.score - 3 * HALF
    (graded / "overrides.toml").unlink()
    regrade(graded)
    assert results_in(graded)["student-02"] == before


@pytest.mark.slow
def test_lateness_is_taken_off_anew_and_the_options_of_before_hold(once: Path, tmp_path: Path) -> None:
    times = tmp_path / "times.csv"
    times.write_text("student,submitted_at\nstudent-02,2023-11-22T10:00+01:00\nstudent-11,2023-11-20T10:00+01:00\n")
    shutil.copytree(once / "lab", tmp_path / "lab")
    late = ("--deadline", "2023-11-21T23:59+01:00", "--times", times)
    done = grade(once / "class", "--lab", tmp_path / "lab", "--out", tmp_path / "graded", "--no-reports", *late)
    assert done.exit_code == 0, done.output
    before = results_in(tmp_path / "graded")["student-02"]
    assert before.late_penalty == 5
    change_lab(tmp_path / "lab", "q1.total", 'points = "2.5"', 'points = "3"')
    for _ in range(2):
        regrade(tmp_path / "graded")
    after = results_in(tmp_path / "graded")["student-02"]
    assert (after.late_penalty, after.score, after.lateness) == (5, before.score + HALF, before.lateness)

    (tmp_path / "graded" / "gradebook.sqlite").unlink()
    output = regrade(tmp_path / "graded")
    assert "lateness as in the results" in output
    assert results_in(tmp_path / "graded")["student-02"] == after


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def other(path: Path) -> None:
    content = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps(content | {"key": "f" * 64}).encode()))


@pytest.mark.parametrize(
    ("damage", "said"), [(cut, "is cut off"), (other, "is of another submission"), (Path.unlink, "is not there")]
)
def test_a_reading_that_cannot_be_used_is_said_and_the_hand_in_read_anew(
    graded: Path, once: Path, damage: Callable[[Path], None], said: str
) -> None:
    before = results_in(graded)
    change_lab(graded.parent / "lab", "q1.total", 'points = "2.5"', 'points = "3"')
    damage(graded / "student-02" / READING)
    output = regrade(graded, status=1)
    assert f"student-02: not graded again: the stored reading {said}" in output
    assert results_in(graded)["student-02"] == before["student-02"]

    done = grade("regrade", graded, "--lab", graded.parent / "lab", "--submissions", once / "class")
    assert done.exit_code == 0, done.output
    assert "Read anew from the submissions" in done.output
    assert results_in(graded)["student-02"].max_score == before["student-02"].max_score + HALF


@pytest.mark.parametrize(
    "damage", [cut, Path.unlink, lambda path: shutil.copy(path.parents[1] / "student-11" / FINDINGS, path)]
)
def test_findings_that_cannot_be_used_are_made_again(graded: Path, damage: Callable[[Path], object]) -> None:
    before = {path: path.read_bytes() for path in sorted(graded.rglob("*.gz"))}
    damage(graded / "student-02" / FINDINGS)
    assert "Nobody's grade changes." in regrade(graded)
    assert {path: path.read_bytes() for path in sorted(graded.rglob("*.gz"))} == before


@pytest.mark.slow
def test_no_readings_are_kept_where_they_are_not_wanted_or_would_tell_names(once: Path, tmp_path: Path) -> None:
    for option in ("--no-readings", "--anonymous"):
        out = tmp_path / option.strip("-") / "graded"
        done = grade(once / "class", "--lab", once / "lab", "--out", out, "--no-reports", option)
        assert done.exit_code == 0, done.output
        assert not list(out.rglob("*.gz"))


@pytest.mark.slow
def test_a_blind_class_is_graded_again_from_its_hand_ins_and_stays_blind(once: Path, tmp_path: Path) -> None:
    shutil.copytree(once / "lab", tmp_path / "lab")
    out = tmp_path / "graded"
    grade(once / "class", "--lab", tmp_path / "lab", "--out", out, "--no-reports", "--anonymous")
    before = results_in(out)
    change_lab(tmp_path / "lab", "q1.total", 'points = "2.5"', 'points = "3"')
    done = grade("regrade", out, "--submissions", once / "class", "--anonymous")
    assert done.exit_code == 0, done.output
    after = results_in(out)
    assert after.keys() == before.keys()
    assert changed(before, after) == {(student, "q1.total") for student in before}
    text = "".join(path.read_text() for path in out.glob("*/result.json"))
    assert "student-02" not in text
    assert not list(out.rglob("*.gz"))


@pytest.mark.slow
def test_reports_are_rendered_for_those_who_changed(once: Path, tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="needs Pango", exc_type=OSError)
    shutil.copytree(once / "lab", tmp_path / "lab")
    out = tmp_path / "graded"
    for student in ("student-08", "student-11"):
        shutil.copytree(once / "class" / student, tmp_path / "class" / student)
    grade(tmp_path / "class", "--lab", tmp_path / "lab", "--out", out)
    reports = {path: path.read_bytes() for path in sorted(out.glob("*/report.*"))}
    assert len(reports) == 4
    (out / "overrides.toml").write_text(OVERRIDE.replace("student-02", "student-11"))
    change_lab(tmp_path / "lab", "q1.total", "options.accept", "# nothing else\noptions.accept")
    done = grade("regrade", out)
    assert done.exit_code == 0, done.output
    other = {path: path.read_bytes() for path in sorted(out.glob("*/report.*"))}
    assert other.keys() == reports.keys()
    assert {path.parent.name for path in reports if reports[path] != other[path]} == {"student-11"}
    assert "their reports stay" in done.output


def test_a_regrade_that_is_killed_leaves_whole_results_and_goes_on_later(
    graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.pipeline import regrading as module

    before = results_in(graded)
    change_lab(graded.parent / "lab", "q1.total", 'points = "2.5"', 'points = "3"')
    written: list[object] = []

    def killed(path: Path, content: bytes) -> None:
        written.append(path)
        if len(written) > 1:
            raise KeyboardInterrupt
        module.write_atomically(path, content)

    monkeypatch.setattr("grader.pipeline.outputs.write_atomically", killed)
    with pytest.raises(AssertionError):
        regrade(graded)
    monkeypatch.undo()
    half = results_in(graded)
    assert 0 < sum(half[student] != before[student] for student in before) < len(before)
    assert not [path for path in graded.rglob(".*") if path.is_file()]
    regrade(graded)
    assert {result.max_score for result in results_in(graded).values()} == {Decimal("20.5")}
