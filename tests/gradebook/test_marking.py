"""Work is dealt out evenly, samples stay the same, and only differences that matter are told."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from grader.gradebook.marking import (
    ITEM,
    STUDENT,
    Judgment,
    Look,
    Shares,
    dealt,
    figures,
    give,
    sample,
    shares_of,
    split,
    warnings,
)
from grader.gradebook.review import Answer, answers_left, group_answers
from grader.result import Status
from tests.factories import item, result
from tests.gradebook.keeping import LAB, gradebook


def judged(marker: str, item: str, shares: list[float], start: int = 0) -> list[Judgment]:
    """Judgments, a minute after another."""
    begin = datetime(2026, 11, 29, tzinfo=UTC)
    return [
        Judgment(start + place, marker, f"s{start + place:03}", item, share, begin + timedelta(minutes=start + place))
        for place, share in enumerate(shares)
    ]


def open_answers() -> list[Answer]:
    ids = ("q1", "q2", "q3")
    students = [
        result(
            f"s{number:02}", items=[item(one, Status.REVIEW, found=f"words {number} {one}", note="?") for one in ids]
        )
        for number in range(20)
    ]
    return list(answers_left(students))


def test_work_is_dealt_out_evenly_and_completely() -> None:
    answers = open_answers()
    groups = group_answers(answers)
    for kind, subjects in ((ITEM, {"q1", "q2", "q3"}), (STUDENT, {one.student for one in answers})):
        found = dealt(groups, ["ana", "ben"], kind)
        assert set(found) == subjects
        counts = [list(found.values()).count(name) for name in ("ana", "ben")]
        assert max(counts) - min(counts) <= 1
    shares = Shares(students={"s00": "ana"}, items={"q1": "ben"})
    parts = list(split(groups, shares))
    assert sorted(one.key for _, part in parts for one in part.answers) == sorted(one.key for one in answers)
    assert len({part.id for _, part in parts}) == len(parts)
    for marker, part in parts:
        assert {shares.marker(one.student, one.item) for one in part.answers} == {marker}


def test_a_whole_hand_in_stays_together() -> None:
    (first, *_) = group_answers(open_answers())
    whole = first._replace(item="", answers=tuple(one for one in open_answers() if one.student in ("s00", "s01")))
    ((marker, part),) = split([whole], Shares(items={"q1": "ben"}))
    assert (marker, part) == ("", whole)
    assert dealt([whole], ["ana"], ITEM) == {}
    found = dict(split([whole], Shares(items={"q1": "ben"}, students={"s00": "ana"})))
    assert {one.student for one in found["ana"].answers} == {"s00"}
    assert {one.student for one in found[""].answers} == {"s01"}


def test_shares_are_kept_given_on_and_taken_back(place: Path | str) -> None:
    database = gradebook(place)
    give(database, LAB, ITEM, {"q1": "ana", "q2": "ben"})
    give(database, LAB, STUDENT, {"eve": "cy"})
    give(database, LAB, ITEM, {"q2": "ana"})
    assert shares_of(database, LAB) == Shares({"q1": "ana", "q2": "ana"}, {"eve": "cy"})
    assert shares_of(database, LAB).marker("eve", "q1") == "cy", "a student's marker comes first"
    give(database, LAB, STUDENT, {"eve": ""})
    assert shares_of(database, LAB).marker("eve", "q1") == "ana"
    give(database, LAB, STUDENT, {"bob": "ben"}, anew=True)
    assert shares_of(database, LAB) == Shares({}, {"bob": "ben"})
    assert shares_of(database, "another") == Shares({}, {})
    database.close()


def test_a_sample_has_some_of_every_marker_and_stays_the_same() -> None:
    all_ = judged("ana", "q1", [1.0] * 200) + judged("ben", "q1", [0.0] * 30, 200) + judged("cy", "q1", [0.5] * 3, 230)
    drawn = sample(all_)
    counts = {name: sum(one.marker == name for one in drawn) for name in ("ana", "ben", "cy")}
    assert counts == {"ana": 20, "ben": 5, "cy": 3}
    assert sample(list(reversed(all_))) == drawn


def test_figures_say_mean_spread_and_agreement() -> None:
    all_ = judged("ana", "q1", [1.0, 0.5, 0.0, 1.0]) + judged("ben", "q1", [0.5, 0.5], 4)
    looks = {0: Look(0, "ben", "", 1.0), 1: Look(1, "ben", "", 0.0)}
    ana, ben = figures(all_, looks)
    assert (ana.judgments, ana.mean, ana.looked_at, ana.agreement, ana.second_gave) == (4, 0.625, 2, 0.5, -0.25)
    assert ana.spread == pytest.approx(0.4146, abs=1e-4)
    assert ana.beside_others == pytest.approx(0.125)
    assert ben.beside_others == pytest.approx(-0.125)
    assert (ben.looked_at, ben.agreement) == (0, None)


def test_a_marker_who_grows_strict_and_one_who_is_strict_are_told() -> None:
    chance = Random(1)

    def given(mean: float, number: int) -> list[float]:
        return [1.0 if chance.random() < mean else 0.0 for _ in range(number)]

    drifting = judged("ana", "q1", [*given(0.9, 40), *given(0.4, 40)])
    told = warnings(drifting, {})
    assert [(one.marker, one.kind) for one in told] == [("ana", "drift")]
    assert told[0].share < -0.3
    strict = judged("ana", "q1", given(0.8, 60)) + judged("ben", "q1", given(0.4, 60), 60)
    assert {(one.marker, one.kind, one.share > 0) for one in warnings(strict, {})} == {
        ("ana", "level", True),
        ("ben", "level", False),
    }


def test_chance_alone_is_seldom_told() -> None:
    told = 0
    for seed in range(200):
        chance = Random(seed)
        all_ = [
            one
            for place, marker in enumerate(("ana", "ben"))
            for one in judged(marker, "q1", [chance.choice((0.0, 0.5, 1.0)) for _ in range(40)], 100 * place)
        ]
        told += bool(warnings(all_, {}))
    assert told <= 12, "in 200 classes in which nobody marks otherwise"


def test_second_looks_that_disagree_are_told() -> None:
    all_ = judged("ana", "q1", [1.0] * 10)
    looks = {place: Look(place, "ben", "", 1.0 if place < 5 else 0.0) for place in range(10)}
    assert [(one.kind, one.share) for one in warnings(all_, looks)] == [("agreement", 0.5)]
    looks = {place: Look(place, "ben", "", 1.0) for place in range(10)}
    assert warnings(all_, looks) == ()
