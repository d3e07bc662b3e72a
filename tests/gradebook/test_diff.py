"""Who has another grade, by how much, and why."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.cohort.attention import Change
from grader.gradebook import GradebookError
from grader.gradebook.history import ClassChanges, changes, compare_runs, history_of
from grader.gradebook.outline import Outline, outline_of
from grader.gradebook.store import Database, Inputs, Origin, Reason, Standing, keep_standing, reasons, standings
from grader.result import AppliedOverride, Status
from tests.factories import item, result
from tests.gradebook.keeping import INPUTS, LAB, gradebook, kept_run, new_run

_OF_INPUT = {
    "lab": Reason.LAB,
    "truth": Reason.TRUTH,
    "grader": Reason.GRADER,
    "overrides": Reason.OVERRIDES,
    "lateness": Reason.LATENESS,
    "identity": Reason.ROSTER,
    "presentation": Reason.REPORTS,
}


@given(st.sets(st.sampled_from(sorted(_OF_INPUT))))
def test_every_input_that_differs_is_a_reason(fields: set[str]) -> None:
    after = INPUTS._replace(**dict.fromkeys(fields, "other"))
    found = set(reasons(Origin(INPUTS, "s"), Origin(after, "s")))
    assert found == ({_OF_INPUT[field] for field in fields} or {Reason.AGAIN})


def test_the_same_files_packed_anew_are_the_same_submission() -> None:
    packed, lab = INPUTS._replace(source="zipped again"), INPUTS._replace(source="zipped again", lab="other")
    assert reasons(Origin(INPUTS, "s"), Origin(lab, "s")) == (Reason.LAB,)
    assert reasons(Origin(INPUTS, "s"), Origin(packed, "s")) == (Reason.SUBMISSION,)
    assert reasons(Origin(INPUTS, "s"), Origin(INPUTS._replace(lab="other"), "t")) == (Reason.SUBMISSION, Reason.LAB)


def test_a_failure_is_not_called_another_submission() -> None:
    """A result without a grade has no hash of a submission."""
    assert reasons(Origin(INPUTS, "", failed=True), Origin(INPUTS, "s")) == (Reason.FAILURE,)


def _overridden(**more: Any) -> Any:
    override = AppliedOverride(
        points=Decimal(2), status=Status.CORRECT, reason="It is on page 2.", author="M. Dupont", date=date(2024, 1, 12),
        before=Status.INCORRECT, score_before=Decimal(0), **more,
    )  # fmt: skip
    return item("q1.total", override=override)


def told(database: Database) -> Sequence[Change]:
    """The changes between the last two runs as the report of the class shows them."""
    changed = compare_runs(database).found.changed
    shown = ClassChanges({one.student: Standing(one.before, {}) for one in changed})
    for one in changed:
        shown.add(one.after)
    return shown.all_changes()


def test_each_item_has_its_own_reason(place: Path | str) -> None:
    """An override explains the item that it is about; the lab the others."""
    database = gradebook(place)
    kept_run(database, [result("ada", [item("q1.total", Status.INCORRECT), item("q2.bias"), item("q3.same")])])
    other = INPUTS._replace(lab="other", overrides="one")
    kept_run(database, [result("ada", [_overridden(), item("q2.bias", Status.PARTIAL), item("q3.same")])], other)
    (change,) = compare_runs(database).found.changed
    assert change.points == Decimal(1)
    assert change.why == (Reason.LAB, Reason.OVERRIDES)
    assert [(one.item, one.why) for one in change.items] == [
        ("q1.total", (Reason.OVERRIDES,)),
        ("q2.bias", (Reason.LAB,)),
    ]
    words = {one.item: str(one.why) for one in told(database)}
    assert words["q1.total"] == "decided by M. Dupont, 2024-01-12: It is on page 2."
    assert words[None] == "the lab changed, overrides changed"


def test_lateness_is_a_change_without_an_item(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("ada")])
    late = result("ada", score=Decimal(1), late_penalty=Decimal(1))
    kept_run(database, [late], INPUTS._replace(lateness="late"))
    (change,) = compare_runs(database).found.changed
    assert (change.shows, change.items, change.why) == (True, (), (Reason.LATENESS,))
    (only,) = told(database)
    assert str(only.after) == "1 / 2, 1 taken off for lateness"


def test_items_come_and_go_with_the_lab() -> None:
    database_free = [
        result("ada", [item("q1.old"), item("q1.both")]),
        result("ada", [item("q1.both"), item("q1.new")]),
    ]
    before, after = (_kept(number, made) for number, made in enumerate(database_free))
    found = {one.item: (one.before is None, one.after is None) for one in changes(before, after).items}
    assert found == {"q1.new": (True, False), "q1.old": (False, True)}


def _kept(number: int, made: Any) -> Any:
    from grader.gradebook.store import new_grade

    return new_grade(made, INPUTS, "0")._replace(id=number)


def test_two_runs_compare_what_held_then(place: Path | str) -> None:
    """A run of one student between two of the class hides nothing."""
    database = gradebook(place)
    kept_run(database, [result("ada"), result("bob"), result("cleo")])
    first = standings(database, LAB)
    other = INPUTS._replace(lab="other")
    kept_run(database, [result("ada", [item(status=Status.INCORRECT)])], other)
    third = kept_run(database, [result("bob", [item(status=Status.PARTIAL)]), result("dora")], other)
    keep_standing(database, third, [standings(database, LAB)["ada"]])
    found = compare_runs(database, 1, 3).found
    assert {one.student: float(one.points) for one in found.changed} == {"ada": -2, "bob": -1}
    assert [kept.student for kept in found.added] == ["dora"]
    assert found.gone == ("cleo",)
    assert [one.student for one in compare_runs(database).found.changed] == ["bob"]
    assert first["cleo"].grade.id == standings(database, LAB)["cleo"].grade.id


def test_a_run_that_was_cut_off_is_not_the_one_before(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("ada"), result("bob")])
    other = INPUTS._replace(truth="other")
    kept_run(database, [result("ada", [item(status=Status.PARTIAL)])], other, finished=False)
    kept_run(database, [result(name, [item(status=Status.PARTIAL)]) for name in ("ada", "bob")], other)
    assert {one.student for one in compare_runs(database).found.changed} == {"ada", "bob"}


def test_history_keeps_old_scores(place: Path | str) -> None:
    database = gradebook(place)
    for number, status in enumerate((Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.CORRECT)):
        kept_run(database, [result("ada", [item(status=status)])], INPUTS._replace(truth=str(number)))
    entries = history_of(database, "ada")
    assert [float(entry.grade.outline.score) for entry in entries] == [2, 1, 0, 2]
    assert entries[0].change is None
    assert [float(entry.change.points) for entry in entries if entry.change] == [-1, -1, 2]


@pytest.mark.parametrize("runs", [(1, 9), (9, 1)])
def test_runs_that_there_are_not(tmp_path: Path, runs: tuple[int, int]) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result("ada")])
    with pytest.raises(GradebookError, match="no run 9"):
        compare_runs(database, *runs)
    with pytest.raises(GradebookError, match="first of"):
        compare_runs(database)
    kept_run(database, [result("ada")], lab="other")
    with pytest.raises(GradebookError, match="two labs"):
        compare_runs(database, 1, 2)


def test_a_slip_in_a_name_is_met_with_a_suggestion(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("student-07")])
    with pytest.raises(GradebookError, match=r"Did you mean 'student-07'\?"):
        history_of(database, "student-7")


_points = st.decimals(min_value=0, max_value=20, places=2)


@settings(deadline=None)
@given(st.text(min_size=1, max_size=20), st.lists(_points, max_size=4), st.text(max_size=20))
def test_an_outline_comes_back(student: str, points: list[Decimal], feedback: str) -> None:
    items = [item(f"q1.i{number}", points=str(one), feedback=feedback) for number, one in enumerate(points)]
    outline = outline_of(result(student or "x", items, error=feedback or None))
    assert Outline.from_json(outline.to_json()) == outline


def test_runs_remember_what_they_were_asked(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [])
    from grader.gradebook.history import all_runs

    (run,) = all_runs(database)
    assert run.options == new_run().options
    assert isinstance(INPUTS, Inputs)
