"""One hand-in of a team counts for all its members, and never for anybody else."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from grader.gradebook.people import Person
from grader.intake.submission import Identity, Member, Source
from grader.pipeline.course import RosterMatch, identify_students


def source(name: str, *members: Member) -> Source:
    identity = Identity(members=members) if members else None
    return Source(student_id=name, student_name=name, path=Path(name), identity=identity)


def person(name: str, group: str = "", **more: str) -> Person:
    return Person(label=name, name=name, group=group, **more)


def members(found: RosterMatch) -> dict[str, list[str]]:
    return {
        one.student_id: [member.name for member in one.identity.members] if one.identity else []
        for one in found.sources
    }


def absent(found: RosterMatch) -> list[str]:
    return [one.label for one in found.absent]


def pairs(count: int) -> Iterable[Person]:
    for number in range(count):
        yield from (person(f"Ann No{number}", f"G{number}"), person(f"Bob No{number}", f"G{number}"))


def test_members_whom_the_system_names_are_found_on_the_roster() -> None:
    roster = [person("Ana Dupont", number="11"), person("Ben Ode", email="b@x.org"), person("Dee Gil")]
    team = source(
        "t", Member(name="A. Dupont", number="0011"), Member(name="Ben", email="B@x.org"), Member(name="Cy Fox")
    )
    found = identify_students([team], roster)
    assert absent(found) == ["Dee Gil"]
    assert found.sources[0].identity
    first, second, third = found.sources[0].identity.members
    assert (first.name, second.email, third.name) == ("A. Dupont", "B@x.org", "Cy Fox")
    assert "roster: not on it: Cy Fox" in found.notes
    assert found.summary == ("roster: 1 of 1 submissions matched (none alone, 1 as teams)",)


def test_the_hand_in_of_one_of_a_pair_counts_for_both() -> None:
    roster = [person("Lucas Bernard", "Group A"), person("Emma Dubois", "group a"), person("Hugo Thomas", "Group B")]
    found = identify_students([source("Lucas Bernard"), source("Hugo Thomas")], roster)
    assert members(found) == {"Lucas Bernard": ["Lucas Bernard", "Emma Dubois"], "Hugo Thomas": []}
    assert absent(found) == []
    assert "Lucas Bernard + Emma Dubois" in found.notes[0]
    alone = identify_students([source("Lucas Bernard"), source("Hugo Thomas")], roster, with_groups=False)
    assert (members(alone)["Lucas Bernard"], absent(alone)) == ([], ["Emma Dubois"])


def test_all_attempts_of_a_team_are_its_own() -> None:
    roster = [person("Ann No0", "G0", email="a@x.org"), person("Bob No0", "G0")]
    ann = Identity(email="a@x.org")
    attempts = [Source(student_id=one, student_name="Ann", path=Path(one), identity=ann) for one in ("first", "second")]
    found = identify_students(attempts, roster)
    assert members(found) == {"first": ["Ann No0", "Bob No0"], "second": ["Ann No0", "Bob No0"]}
    assert len({one.series for one in found.sources}) == 1


def test_hours_at_which_students_meet_are_no_teams() -> None:
    large = [person(f"Ann No{number}", "Tuesday") for number in range(9)]
    found = identify_students([source("Ann No3")], large)
    assert (members(found), len(found.absent)) == ({"Ann No3": []}, 8)
    small = [*pairs(4)]
    everybody = [source(one.name) for one in small if one.name not in ("Bob No3",)]
    found = identify_students(everybody, small)
    assert (members(found)["Ann No3"], absent(found)) == ([], ["Bob No3"])
    assert any("in doubt, so each is graded alone" in note for note in found.notes)


def test_two_hand_ins_of_one_team_stay_with_their_owners() -> None:
    roster = [*pairs(4), person("Eve No0", "G0")]
    found = identify_students([source(f"Ann No{number}") for number in range(4)] + [source("Bob No0")], roster)
    assert members(found)["Ann No0"] == members(found)["Bob No0"] == []
    assert members(found)["Ann No1"] == ["Ann No1", "Bob No1"]
    assert absent(found) == ["Eve No0"]
    assert any("several submissions of G0" in note for note in found.notes)


@pytest.mark.parametrize("name", ["Group 7", "group-7"])
def test_a_hand_in_that_is_called_like_a_group_is_that_of_its_members(name: str) -> None:
    roster = [person("Ann Lee", "Group 7"), person("Bob Ng", "Group 7"), person("Eve X", "Group 8")]
    found = identify_students([source(name)], roster)
    assert (members(found)[name], absent(found)) == (["Ann Lee", "Bob Ng"], ["Eve X"])
