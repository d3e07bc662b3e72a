"""A class of any size: what is kept of it lies on the disk, and nothing is lost or told otherwise."""

from collections.abc import Sequence

import pytest

from grader.cohort import statistics
from grader.cohort.attention import FlaggedStudent
from grader.cohort.rows import Rows, Store
from grader.cohort.statistics import Class, summarise_results
from grader.report.render import class_views
from grader.result import Average, Flag, Result, Severity, Status
from tests.factories import evidence, item, result

ODD = ("", "a", "a\x01", "é", "\u2028", "日本", "🙂", "b")


def row(student: str) -> FlaggedStudent:
    return FlaggedStudent(student=student, messages=("“told”",))


def filled(store: Store, students: Sequence[str]) -> Rows[FlaggedStudent]:
    rows = store.rows(FlaggedStudent)
    for student in students:
        rows.add(row(student), student)
    return rows


@pytest.mark.parametrize("most", [0, 3, 100])
def test_rows_come_in_the_order_of_their_keys_wherever_they_lie(most: int) -> None:
    store = Store(most)
    first, second = filled(store, ODD), filled(store, ODD[::-1])
    for rows in (first, second):
        assert [one.student for one in rows] == sorted(ODD)
        assert [one.student for one in rows[2:4]] == sorted(ODD)[2:4]
        assert (len(rows), rows[-1].student) == (len(ODD), max(ODD))
        with pytest.raises(IndexError):
            rows[len(ODD)]
    assert isinstance(first.as_sequence(), tuple) == (most == 100)


def class_of(students: int) -> list[Result]:
    """Everything that a summary holds a row for, and more open answers of the later students."""
    statuses = (Status.REVIEW, Status.CORRECT, Status.PARTIAL, Status.INCORRECT)
    return [
        result(
            f"s{n:04}",
            [
                item(f"q{i}.a", statuses[(n + i) % 4], found=f"{n % 7}", evidence=(evidence(f"“{n}”"),), note="Why?")
                for i in range(1, 4)
            ],
            flags=(Flag(id="late" if n % 2 else "odd", severity=Severity.INFO, message=f"Flag {n}."),),
            averages=(Average(experiment="pretrained", split="test", value=70 + n % 20),),
            error="Boom." if n % 11 == 10 else None,
        )
        for n in range(students)
    ]


def of(results: list[Result], monkeypatch: pytest.MonkeyPatch, most: int) -> Class:
    monkeypatch.setattr(statistics, "Store", lambda: Store(most))
    return summarise_results(results)


def test_a_summary_is_the_same_from_memory_and_from_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    results = class_of(60)
    held, moved = of(results, monkeypatch, 10**6), of(results, monkeypatch, 7)
    assert not isinstance(moved.summary.failures, tuple)
    assert moved.summary.to_json() == held.summary.to_json()
    assert class_views(moved) == class_views(held)


def test_pieces_make_the_json_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for results in ([], class_of(30)):
        summary = of(results, monkeypatch, 10**6).summary
        assert summary.to_json() == summary.model_dump_json(indent=2, by_alias=True) + "\n"
        assert max(map(len, summary.pieces())) < 3_000


def test_of_a_large_class_those_who_need_a_person_most_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "ALL_SHOWN", 20)
    monkeypatch.setattr(statistics, "MOST_SHOWN", 8)
    results = class_of(100)
    whole = summarise_results(results)
    urgent = sorted(results, key=lambda one: (-one.pending, one.score, one.student.id))[:8]
    assert [one.student for one in whole.shown.rows] == sorted(one.student.id for one in urgent)
    view = class_views(whole).pdf
    assert "This table shows 8 students" in (view.not_in_matrices or "")
    assert "The other 92" in (view.not_in_matrices or "")
    assert whole.summary.counts.students == 100
    assert class_views(summarise_results(results[:20])).pdf.not_in_matrices is None
