"""Roster, times, extensions, attempts and overrides brought to the hand-ins of a class."""

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.gradebook import GradebookError
from grader.intake.layouts import find_all_sources, find_sources
from grader.lab.files import lab_folder, load_lab
from grader.pipeline.course import Attempt, Course, CourseOptions, prepare
from tests.intake.making import plant

LAB = load_lab(lab_folder("nlp-frameworks"))
DEADLINE = "2023-11-21T23:59+01:00"


def course(tmp_path: Path, folder: Path, **files: Any) -> Course:
    """The course around a folder; `roster`, `times` and `extensions` are texts of files."""
    given = dict(files)
    for name in ("roster", "times", "extensions", "overrides"):
        if name in given:
            suffix = "toml" if given[name].startswith("[[") else "csv"
            path = tmp_path / f"{name}.{suffix}"
            path.write_text(given[name], encoding="utf-8")
            given[name] = path
    return prepare(find_sources(folder)[0], LAB, CourseOptions(**given), tmp_path / "out")


def penalties(made: Course) -> dict[str, Decimal | None]:
    return {id_: one.lateness.penalty for id_, one in made.circumstances.items() if one.lateness}


def notes(made: Course) -> str:
    return "\n".join(made.notes)


ROSTER = """\
id,name,email,group
00123,"Été, Zoé",zoe@example.org,
00124,Ann Lee,ann@example.org,Team A
00125,Bob Ng,bob@example.org,Team A
00126,Bob Ng,bob2@example.org,
00127,Eve Absent,eve@example.org,
"""


def test_matched_ambiguous_unmatched_and_absent_are_told(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", [f"{n}/report.md" for n in ("00123", "Lab4_lee_ann", "Bob Ng", "stranger")])
    made = course(tmp_path, folder, roster=ROSTER)
    identities = {one.student_id: one.identity and one.identity.email for one in made.sources}
    assert identities == {
        "00123": "zoe@example.org",
        "Bob Ng": None,
        "Lab4_lee_ann": "ann@example.org",
        "stranger": None,
    }
    assert next(one for one in made.sources if one.student_id == "00123").student_name == "Été, Zoé"
    assert made.notes == (
        "roster: 2 of 4 submissions matched (1 by id, 1 by name)",
        "roster: in doubt, so left as it is: Bob Ng (perhaps Bob Ng; Bob Ng)",
        "roster: not on it: stranger",
        "roster: no submission of: Bob Ng; Bob Ng; Eve Absent",
    )


def test_a_team_has_its_members(tmp_path: Path) -> None:
    folder = plant(
        tmp_path / "c", ["Team A_00123_assignsubmission_file/report.md", "Zoé Été_5_assignsubmission_file/r.md"]
    )
    made = course(tmp_path, folder, roster=ROSTER)
    team, zoe = made.sources
    assert team.identity
    assert [member.email for member in team.identity.members] == ["ann@example.org", "bob@example.org"]
    assert zoe.identity
    assert (zoe.identity.number, zoe.identity.moodle_participant) == ("00123", "5")
    assert "1 as teams" in made.notes[0]


def test_times_decide_what_is_late(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", [f"{name}/report.md" for name in ("ada", "bob", "cat", "dan")])
    rows = {"ada": "21 23:59", "bob": "22 12:00", "cat": "25 00:00", "gone": "21 10:00"}
    times = "student,submitted_at\n" + "".join(f"{name},2023-11-{time}\n" for name, time in rows.items())
    made = course(tmp_path, folder, times=times, deadline=DEADLINE)
    assert penalties(made) == {"ada": 0, "bob": 5, "cat": None, "dan": 0}
    assert "nothing is taken off (give --times): dan" in notes(made)
    assert "times: no submission of: gone" in notes(made)
    late = made.circumstances["bob"].lateness
    assert late
    assert late.time_from == "times.csv, line 3"


def test_without_a_deadline_nothing_is_late(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", ["ada/report.md", "bob/report.md"])
    made = course(tmp_path, folder, times="student,time\nada,2099-01-01 00:00\n")
    assert penalties(made) == {}
    assert made.sources[0].submitted_at == datetime(2099, 1, 1)


@pytest.mark.parametrize("toml", [False, True])
def test_extensions(tmp_path: Path, toml: bool) -> None:
    folder = plant(tmp_path / "c", [f"{name}/report.md" for name in ("ada", "bob", "cat")])
    times = "student,time\nada,2023-11-23 12:00\nbob,2023-11-23 12:00\ncat,2023-11-23 12:00\n"
    rows = "student,until,hours,reason\nada,2023-11-23T23:59+01:00,,ill\nbob,,24,\ntypo,,24,\n"
    entries = (
        '[[extension]]\nstudent = "ada"\nuntil = 2023-11-23T23:59:00+01:00\nreason = "ill"\n'
        '[[extension]]\nstudent = "bob"\nhours = 24\n[[extension]]\nstudent = "typo"\nhours = 24\n'
    )
    made = course(tmp_path, folder, times=times, extensions=entries if toml else rows, deadline=DEADLINE)
    assert penalties(made) == {"ada": 0, "bob": 5, "cat": 10}
    assert made.circumstances["ada"].lateness.extension == "ill"  # type: ignore[union-attr]
    assert "extensions: no submission of: typo" in notes(made)


def attempts(tmp_path: Path, *times: str, which: Attempt = Attempt.LAST, **more: str) -> Course:
    folder = plant(tmp_path / "c", ["bob/r.md", *(f"ada/attempt {n}/r.md" for n in range(1, 1 + len(times)))])
    rows = "".join(f"ada attempt {n},{time}\n" for n, time in enumerate(times, 1) if time)
    return course(tmp_path, folder, times=f"student,time\nbob,2023-11-20 10:00\n{rows}", attempt=which, **more)


@pytest.mark.parametrize(
    ("which", "times", "taken"),
    [
        (Attempt.LAST, ("2023-11-20 10:00", "2023-11-21 10:00", "2023-11-22 10:00"), 2),
        (Attempt.FIRST, ("2023-11-20 10:00", "2023-11-21 10:00", "2023-11-22 10:00"), 1),
        (Attempt.LATEST, ("2023-11-20 10:00", "2023-11-21 10:00", "2023-11-22 10:00"), 3),
        (Attempt.LAST, ("2023-11-22 10:00", "2023-11-22 11:00", "2023-11-23 11:00"), 2),
        (Attempt.LAST, ("2023-12-22 10:00", "2023-12-22 11:00"), 2),
        (Attempt.LAST, ("2023-11-21 10:00", "2023-11-20 10:00"), 1),
    ],
)
def test_which_attempt_counts(tmp_path: Path, which: Attempt, times: tuple[str, ...], taken: int) -> None:
    made = attempts(tmp_path, *times, which=which, deadline=DEADLINE)
    ada = next(source for source in made.sources if source.student_id == "ada")
    assert (ada.path.name, ada.student_name) == (f"attempt {taken}", "ada")
    assert [source.student_id for source in made.sources] == ["ada", "bob"]
    assert f"of {len(times)} by ada" in notes(made)


def test_an_extension_of_a_student_holds_for_all_attempts(tmp_path: Path) -> None:
    extended = {"deadline": DEADLINE, "extensions": "student,hours\nada,24\n"}
    made = attempts(tmp_path, "2023-11-21 10:00", "2023-11-22 10:00", "2023-11-25 10:00", **extended)
    assert next(source for source in made.sources if source.student_id == "ada").path.name == "attempt 2"
    assert penalties(made)["ada"] == 0


def test_without_times_the_numbers_tell_the_order(tmp_path: Path) -> None:
    made = attempts(tmp_path, "", "")
    assert made.sources[0].path.name == "attempt 2"


def test_two_hand_ins_of_one_id_are_attempts_and_never_guessed_between(tmp_path: Path) -> None:
    for day in ("mon", "tue"):
        plant(tmp_path / day, ["Ann Lee_4_assignsubmission_file/report.md", "Bob Ng_5_assignsubmission_file/r.md"])
    sources, _ = find_all_sources([tmp_path / "mon", tmp_path / "tue"])
    made = prepare(sources, LAB, CourseOptions(), tmp_path / "out")
    assert len(made.sources) == 4
    assert "times are unknown" in notes(made)


OVERRIDE = (
    '[[override]]\nstudent = "ada"\nitem = "q1.total"\npoints = 2\nreason = "r"\nauthor = "a"\ndate = 2024-01-12\n'
)


def test_overrides_lie_beside_the_results_or_where_they_are_named(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", ["ada/report.md", "bob/report.md"])
    assert course(tmp_path, folder).circumstances["ada"].overrides == {}
    named = course(tmp_path, folder, overrides=OVERRIDE)
    plant(tmp_path / "out", {"overrides.toml": OVERRIDE.encode()})
    beside = course(tmp_path, folder)
    assert named.circumstances == beside.circumstances
    assert beside.circumstances["ada"].overrides["q1.total"].points == 2


def test_one_student_of_a_class_can_be_graded_again_beside_overrides_of_all(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", ["bob/report.md"])
    plant(tmp_path / "out", {"ada/result.json": b"{}"})
    assert course(tmp_path, folder / "bob", overrides=OVERRIDE).circumstances["bob"].overrides == {}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"deadline": "tomorrow"}, "--deadline tomorrow"),
        ({"deadline": "2023-11-21T23:59"}, "time zone"),
        ({"deadline": DEADLINE, "timezone": "Mars/X"}, "Mars/X"),
        ({"times": "student,time\nada,05/06/2023 10:00\n"}, "times.csv, line 2"),
        ({"times": "student,when\nada,1\n"}, "submitted_at"),
        ({"times": "time\n2023-11-21 10:00\n"}, "no column says who"),
        ({"times": "student,time\nada,2023-11-21 10:00\nada,2023-11-21 11:00\n"}, "two times"),
        ({"extensions": "student,hours\nada,many\n"}, "extensions.csv, line 2"),
        ({"extensions": "student,hours\nada,1\nada,2\n"}, "second extension"),
        ({"extensions": "student\nada\n"}, "until"),
        ({"extensions": '[[extension]]\nstudent = "ada"\ndays = 3\n'}, "extensions.toml, line 3"),
        ({"extensions": '[[extension]]\nstudent = "ada"\nuntil = "x"\n'}, "extensions.toml, line 3"),
        ({"overrides": OVERRIDE.replace('"ada"', '"adda"')}, "did you mean 'ada'"),
        ({"overrides": OVERRIDE.replace("points = 2", "points = 3")}, "line 4"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, files: dict[str, str], words: str) -> None:
    folder = plant(tmp_path / "c", ["ada/report.md", "bob/report.md"])
    with pytest.raises(GradebookError) as told:
        course(tmp_path, folder, **files)
    assert words in str(told.value)


def team_course(tmp_path: Path, **more: Any) -> Course:
    folder = plant(tmp_path / "c", ["Team A_77_assignsubmission_file/report.md"])
    return course(tmp_path, folder, roster=ROSTER, deadline=DEADLINE, **more)


def test_a_team_is_timed_by_its_members(tmp_path: Path) -> None:
    rows = "Identifier,Full name,Email address,Submitted\nParticipant 8,Ann Lee,ann@example.org,2023-11-22 12:00\n"
    rows += "Participant 9,Bob Ng,bob@example.org,2023-11-22 12:00\n"
    made = team_course(tmp_path, times=rows)
    assert list(penalties(made).values()) == [5]
    assert "times:" not in notes(made)
    more = "student,hours\nann@example.org,24\nbob@example.org,24\n"
    assert list(penalties(team_course(tmp_path, times=rows, extensions=more)).values()) == [0]


@pytest.mark.parametrize("rows", ["ann@example.org,24\nbob@example.org,48", "bob@example.org,48\nann@example.org,24"])
def test_of_unequal_extensions_of_one_team_the_longest_counts(tmp_path: Path, rows: str) -> None:
    made = team_course(tmp_path, extensions=f"student,hours\n{rows}\n")
    (one,) = made.circumstances.values()
    assert one.lateness is not None
    assert one.lateness.deadline.isoformat() == "2023-11-23T23:59:00+01:00"
    assert "members of one team have several, so the longest counts" in notes(made)
    with pytest.raises(GradebookError, match="second extension"):
        team_course(tmp_path / "again", extensions="student,hours\nann@example.org,24\nann@example.org,48\n")


def test_blind_grading_names_nobody_in_its_remarks(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", [f"{name}/report.md" for name in ("Ann Lee", "Bob Ng", "stranger")])
    times = "student,time\nGone Girl,2023-11-21 10:00\n"
    made = course(tmp_path, folder, roster=ROSTER, times=times, deadline=DEADLINE, key=tmp_path / "out-key.json")
    said = notes(made)
    assert not any(name in said for name in ("Ann", "Bob", "Eve", "Gone", "stranger"))
    assert "1 of 3 submissions matched" in said
    assert "4 remarks about roster, times name people" in said
