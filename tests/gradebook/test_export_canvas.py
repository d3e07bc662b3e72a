"""Canvas's gradebook filled: one column, by Canvas's own rules."""

from pathlib import Path

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.exports.outcome import Absence, Pending
from grader.result import Member, Status
from tests.factories import item
from tests.gradebook.making import filled, known, team

GRADEBOOK = """\
Student,ID,SIS User ID,SIS Login ID,Section,Notes,Lab 3 (54),Lab 4: NLP (55),Imported Final Score,Final Score
,,,,,,Manual Posting,,,
    Points Possible,,,,,,10,20,(read only),(read only)
"Été, Zoé",12,00123,zete,"A, B",,9.50,,47.5,47.5
"Lee, Ann",7,00124,alee,A,,N/A,-,0,0
"Ng, Bob",8,00125,bng,A,,,EX,,
"O'Brien, Pat",9,,pat@example.org,A,,,N/A,,
"Hu, =1+1",10,00126,hu,A,,,11,,
"Student, Test",99,,deadbeef,A,,,,,
"""


def test_one_column_is_filled_and_all_else_stays(tmp_path: Path) -> None:
    results = [known("étézoé_12", "13.5", canvas_user="12"), known("x", "7", number="124"), known("Hu, =1+1", "11.00")]
    text, notes = filled("canvas", GRADEBOOK, results, tmp_path, column="55")
    expected = GRADEBOOK.replace(",9.50,,47.5", ",9.50,13.5,47.5").replace("N/A,-,0", "N/A,7,0")
    assert text == expected
    assert "3 of 3" in notes
    assert "rows without a result: Ng, Bob; O'Brien, Pat" in notes


def test_what_is_excused_not_assigned_or_graded_stays_and_is_said(tmp_path: Path) -> None:
    results = [known("b", number="125"), known("p", email="pat@example.org"), known("h", "12", number="126")]
    text, notes = filled("canvas", GRADEBOOK, results, tmp_path, column="Lab 4: NLP")
    assert text == GRADEBOOK
    assert all(word in notes for word in ("'EX'", "'N/A'", "another grade, 11", "Ng, Bob"))
    forced, _ = filled("canvas", GRADEBOOK, results, tmp_path, column="Lab 4: NLP", force=True)
    assert forced == GRADEBOOK.replace(",,,11,,", ",,,12,,")


def test_who_is_not_there_or_in_doubt_is_named_and_not_guessed(tmp_path: Path) -> None:
    twins = GRADEBOOK + '"Lee, Ann",77,00999,alee2,A,,,,,\n'
    text, notes = filled("canvas", twins, [known("Ann Lee"), known("Eve")], tmp_path, column="55")
    assert text == twins
    assert "graded, but not matched to any row: Ann Lee; Eve" in notes
    assert "in doubt" in notes


def test_each_member_of_a_team_gets_its_grade(tmp_path: Path) -> None:
    both = team("team", "18", Member(name="Zoé Été"), Member(name="Ann Lee", number="124"))
    text, _ = filled("canvas", GRADEBOOK, [both], tmp_path, column="55")
    assert (text.count(",18,"), "9.50,18,47.5" in text, "N/A,18,0" in text) == (2, True, True)


@pytest.mark.parametrize("column", [None, "Lab 5", "Final Score", "Notes", "56", "Lab"])
def test_a_column_that_is_not_there_is_never_made(tmp_path: Path, column: str | None) -> None:
    with pytest.raises(GradebookError, match=r"Lab 3 \(54\); Lab 4: NLP \(55\)"):
        filled("canvas", GRADEBOOK, [known("Ann Lee")], tmp_path, column=column)


def test_the_only_assignment_need_not_be_named(tmp_path: Path) -> None:
    only = GRADEBOOK.replace("Lab 3 (54)", "Remarks")
    assert ",13.5,0" in filled("canvas", only, [known("Ann Lee")], tmp_path)[0]


def test_another_maximum_is_converted_only_if_asked(tmp_path: Path) -> None:
    hundred = GRADEBOOK.replace(",10,20,", ",10,100,")
    with pytest.raises(GradebookError, match=r"maximum there is 100.*20 points.*--scale"):
        filled("canvas", hundred, [known("Ann Lee")], tmp_path, column="55")
    assert ",67.5,0" in filled("canvas", hundred, [known("Ann Lee")], tmp_path, column="55", scale=True)[0]


def test_semicolons_marks_and_line_ends_are_kept_and_numbers_have_points(tmp_path: Path) -> None:
    written = "\ufeff" + GRADEBOOK.replace(",", ";").replace("\n", "\r\n")
    into = written.replace('"Été; Zoé"', '"Été, Zoé"').encode()
    text, _ = filled("canvas", into, [known("Zoé Été", "1234.56", canvas_user="12")], tmp_path, column="55")
    assert "9.50;1234.56;47.5;47.5\r\n" in text
    assert text.count("\r\n") == GRADEBOOK.count("\n")


def test_what_is_not_decided_at_all_is_no_zero(tmp_path: Path) -> None:
    items = [item("q1.a", Status.REVIEW, "20")]
    undecided = known("Ann Lee", "0", items=items)
    failed = known("Zoé Été", "0", error="Grading stopped.", items=[item("q1.a", Status.ERROR, "20")])
    partly = known("Bob Ng", "5", items=[item("q1.a", Status.CORRECT, "5"), item("q1.b", Status.REVIEW, "15")])
    into = GRADEBOOK.replace(",EX,", ",,")
    text, notes = filled("canvas", into, [undecided, failed, partly], tmp_path, column="55")
    assert text == into
    assert "nothing is decided yet, so left out: Ann Lee; Zoé Été" in notes
    assert "points pending review, so left out (--pending score writes their decided points): Bob Ng" in notes
    wanted, notes = filled("canvas", into, [undecided, partly], tmp_path, column="55", pending=Pending.SCORE)
    assert wanted == into.replace("bng,A,,,,,", "bng,A,,,5,,")
    assert "so these grades are not final: only decided points are written" in notes


# Forms that Canvas's importer takes, by its own tests: no columns of the school, maxima and muted columns anywhere.
# https://github.com/instructure/canvas-lms/blob/master/spec/lib/gradebook_importer_spec.rb
SORTED = """\
Student,ID,Section,Lab 4,Final Score
"Lee, Ann",7,A,-,
"Ng, Bob",8,A,-,
"Ox, Cy",10,A,-,
"Pi, Di",11,A,-,
Points Possible,,,{maximum},
 , ,,Muted,
"Zhu, Wei",9,A,-,
"""


def test_a_gradebook_that_somebody_has_sorted(tmp_path: Path) -> None:
    twenty = SORTED.format(maximum=20)
    both = [known("Ann Lee"), known("Wei Zhu", "2")]
    text, _ = filled("canvas", twenty, both, tmp_path, column="Lab 4", absent=Absence.ZERO)
    cells = [line.split(",")[-2] for line in text.splitlines()[1:]]
    assert cells == ["13.5", "0", "0", "0", "20", "Muted", "2"], "maxima and what is muted are nobody's"
    with pytest.raises(GradebookError, match="maximum there is 100"):
        filled("canvas", SORTED.format(maximum=100), [known("Ann Lee")], tmp_path, column="Lab 4")


@pytest.mark.parametrize("text", ["Name,Grade\nAnn,1\n", "Student,ID\nAnn,1\n"])
def test_what_is_no_gradebook_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(GradebookError, match="no gradebook of Canvas"):
        filled("canvas", text, [known("Ann")], tmp_path, column="55")
