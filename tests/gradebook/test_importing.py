"""Our files of grades, read by the rules of the systems that import them."""

from pathlib import Path

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.exports.checking import check_grades
from grader.gradebook.exports.outcome import Absence, ExportOptions, Pending
from grader.result import Member, Status
from tests.factories import item
from tests.gradebook import importers
from tests.gradebook.making import bytes_of, export, filled, known, team

ENGLISH = ("Identifier", "Grade", "Last modified (grade)", "Participant ")
FRENCH = ("Identifiant", "Note", "Dernière modification (note)", "Participant ")
GERMAN = ("Bezeichner", "Bewertung", "Zuletzt geändert (Bewertung)", "Teilnehmer/in ")


def worksheet(words: tuple[str, str, str, str], maximum: str, *, modified: str = "-") -> str:
    identifier, grade, last, participant = words
    head = f'{identifier},Name,Status,{grade},"Maximum Grade","{last}"\n'
    return head + "".join(
        f'{participant}{place},{name},x,,"{maximum}","{modified}"\n' for place, name in PEOPLE.items()
    )


PEOPLE = {"12": "Zoé Été", "7": "Ann Lee", "123": "Eve Xu"}


@pytest.mark.parametrize(
    ("words", "maximum", "mark"), [(ENGLISH, "20.00", "."), (FRENCH, "20,00", ","), (GERMAN, "20,00", ",")]
)
@pytest.mark.parametrize("comma", [None, False])
def test_moodle_takes_every_grade_of_the_worksheet(
    tmp_path: Path, words: tuple[str, str, str, str], maximum: str, mark: str, comma: bool | None
) -> None:
    results = [known("a", "16.6", name="Zoé Été"), known("b", "0", name="Ann Lee")]
    text, _ = filled("moodle-worksheet", worksheet(words, maximum), results, tmp_path, decimal_comma=comma)
    assert importers.moodle_worksheet(text, words=words, mark=mark) == {"12": 16.6, "7": 0.0}


def test_the_rows_that_moodle_would_skip_are_told(tmp_path: Path) -> None:
    """Moodle reads times in English only; any grade that it has is newer than one that it cannot read."""
    results = [known("a", "16.6", name="Zoé Été")]
    german = worksheet(GERMAN, "20,00", modified="Dienstag, 5. Dezember 2023, 22:58")
    text, notes = filled("moodle-worksheet", german, results, tmp_path)
    assert importers.moodle_worksheet(text, words=GERMAN, mark=",", graded={"12": 1.7e9}) == {}
    assert "Zoé Été" in notes.partition("skips")[2]
    english = worksheet(ENGLISH, "20.00", modified="Tuesday, 5 December 2023, 10:58 PM")
    text, notes = filled("moodle-worksheet", english, results, tmp_path)
    seen = importers.php_time("Tuesday, 5 December 2023, 10:58 PM")
    assert importers.moodle_worksheet(text, words=ENGLISH, graded={"12": seen}) == {"12": 16.6}
    assert "skips" not in notes


GRADEBOOK = """\
"First name","Last name","ID number","Email address","Assignment: Lab 4 (Real)","Assignment: Lab 4 (Feedback)",\
"Last downloaded from this course"
Zoé,Été,1,zoe@x.org,15.00,"changed after an appeal",1763130000
Ann,Lee,2,ann@x.org,-,,1763130000
Bob,Ng,3,no address,-,,1763130000
"""
USERS = {"zoe@x.org": "zoe", "ann@x.org": "ann"}


def test_moodles_gradebook_keeps_what_a_teacher_entered(tmp_path: Path) -> None:
    results = [known(one, "17", name=one) for one in ("Zoé Été", "Ann Lee", "Bob Ng")]
    text, notes = filled("moodle-grades", GRADEBOOK, results, tmp_path)
    assert importers.moodle_grades(text, "Email address", USERS) == {"ann": 17.0}
    assert "Zoé Été holds another grade, 15.00" in notes
    assert "left out: Bob Ng" in notes, "whose address is none: one unknown user would stop Moodle"
    forced, _ = filled("moodle-grades", GRADEBOOK, results, tmp_path, force=True)
    assert importers.moodle_grades(forced, "Email address", USERS) == {"zoe": 17.0, "ann": 17.0}


def test_moodle_stops_where_somebody_graded_since(tmp_path: Path) -> None:
    text, _ = filled("moodle-grades", GRADEBOOK, [known("Ann Lee", "17")], tmp_path)
    with pytest.raises(PermissionError):
        importers.moodle_grades(
            text, "Email address", USERS, stamp="Last downloaded from this course", graded={"ann": 1763130100}
        )


def test_the_item_of_moodles_gradebook_is_never_guessed(tmp_path: Path) -> None:
    two = GRADEBOOK.replace("Assignment: Lab 4 (Feedback)", "Assignment: Lab 5 (Real)")
    with pytest.raises(GradebookError, match="--column"):
        filled("moodle-grades", two, [known("Ann Lee")], tmp_path)
    text, _ = filled("moodle-grades", two, [known("Ann Lee", "17")], tmp_path, column="Lab 5")
    assert importers.moodle_grades(text, "Email address", USERS) == {"ann": 17.0}


CANVAS = """\
Student,ID,SIS Login ID,Section,Section 2: reading (13),Lab 4 (14)
    Points Possible,,,,5,20
"Été, Zoé",501,zoe,A,,
"Lee, Ann",502,ann,A,,
"Xu, Eve",503,eve,A,,
"""


def test_canvas_gets_the_column_that_was_asked_for(tmp_path: Path) -> None:
    results = [known("a", "17.15", name="Zoé Été")]
    text, _ = filled("canvas", CANVAS, results, tmp_path, column="Lab 4")
    assert importers.canvas(text, "14") == {"501": "17.15", "502": "", "503": ""}
    assert importers.canvas(text, "13") == {"501": "", "502": "", "503": ""}
    last = CANVAS.replace("Section 2: reading (13),Lab 4 (14)", "Lab 4 (14),Section 2: reading (13)").replace(
        "5,20", "20,5"
    )
    text, _ = filled("canvas", last, results, tmp_path, column="Lab 4")
    assert importers.canvas(text, "14")["501"] == "17.15", "whatever the other assignments are called"


def test_points_are_converted_only_where_the_maximum_is_known(tmp_path: Path) -> None:
    hundred = CANVAS.replace("5,20", "5,100")
    text, _ = filled("canvas", hundred, [known("a", "17.15", name="Zoé Été")], tmp_path, column="Lab 4", scale=True)
    assert importers.canvas(text, "14")["501"] == "85.75"
    without = "\n".join(line for line in CANVAS.splitlines() if "Possible" not in line)
    with pytest.raises(GradebookError, match="does not say the maximum"):
        filled("canvas", without, [known("a", name="Zoé Été")], tmp_path, column="Lab 4", scale=True)
    with pytest.raises(GradebookError, match="--scale"):
        export("moodle-grades", [known("a", email="a@x.org")], tmp_path, scale=True)


def test_nobody_of_a_canvas_group_gets_the_zero_of_the_absent(tmp_path: Path) -> None:
    """Canvas names a group's file after the group and gives one member's id."""
    group = known("teamone_501", "17", name="teamone", canvas_user="501")
    text, notes = filled("canvas", CANVAS, [group], tmp_path, column="Lab 4", absent=Absence.ZERO)
    assert importers.canvas(text, "14") == {"501": "17", "502": "", "503": ""}
    assert "perhaps submissions of groups" in notes
    alone = known("étézoé_501", "17", name="étézoé", canvas_user="501")
    text, _ = filled("canvas", CANVAS, [alone], tmp_path, column="Lab 4", absent=Absence.ZERO)
    assert importers.canvas(text, "14") == {"501": "17", "502": "0", "503": "0"}


def test_the_partner_of_a_group_in_the_worksheet_gets_no_zero(tmp_path: Path) -> None:
    head = "Identifier,Full name,Group,Grade,Last modified (grade)\n"
    sheet = f"{head}Participant 12,Zoé Été,A,,-\nParticipant 7,Ann Lee,A,,-\nParticipant 8,Bob Ng,B,,-\n"
    text, notes = filled("moodle-worksheet", sheet, [known("a", name="Zoé Été")], tmp_path, absent=Absence.ZERO)
    assert importers.moodle_worksheet(text, words=ENGLISH) == {"12": 13.5, "8": 0.0}
    assert "left blank: Ann Lee" in notes


SUBMISSIONS = [
    {"id": "501", "who": "Ada.B@x.org", "qid": "lab/4"},
    {"id": "502", "who": "bob@x.org", "qid": "lab/4"},
    {"id": "503", "who": "bob@x.org", "qid": "warm-up"},
]


def test_prairielearn_takes_the_rows_of_its_final_submissions(tmp_path: Path) -> None:
    head = (
        "UID,UIN,Username,Name,Role,Assessment,Assessment instance,Question,Question instance,Variant,submission_id,x"
    )
    rows = [
        "Ada.B@x.org,1,Ada.B,Ada,Student,HW1,1,lab/4,1,1,501,",
        "bob@x.org,2,bob,Bob,Student,HW1,1,lab/4,1,1,502,",
        "bob@x.org,2,bob,Bob,Student,HW1,1,warm-up,2,1,503,",
    ]
    own = "\n".join((head, *rows))
    results = [known("ada", "17", email="ada.b@x.org"), known("bob", "10", email="bob@x.org")]
    with pytest.raises(GradebookError, match="--qid"):
        filled("prairielearn", own, results, tmp_path)
    text, _ = filled("prairielearn", own, results, tmp_path, question="lab/4")
    assert importers.prairielearn(text, SUBMISSIONS) == ({"Ada.B@x.org": 85.0, "bob@x.org": 50.0}, [])


def test_prairielearn_takes_teams_and_shared_questions(tmp_path: Path) -> None:
    shared = [
        {"id": "1", "who": "redpandas", "qid": "@hub/lab4"},
        {"id": "2", "who": "Ada.B@x.org", "qid": "@hub/lab4"},
    ]
    group = known("redpandas", "17", login="redpandas", entry="redpandas_1_lab4_1_1_501_report.md")
    results = [group, known("ada", "10", email="Ada.B@x.org")]
    ((_, content),) = export("prairielearn", results, tmp_path, question="@hub/lab4").files
    assert importers.prairielearn(bytes_of(content).decode(), shared) == ({"redpandas": 85.0, "Ada.B@x.org": 50.0}, [])
    own = 'Group name,Usernames,Question,submission_id\nredpandas,"a@x.org, b@x.org",@hub/lab4,1\n'
    text, _ = filled("prairielearn", own, [group], tmp_path)
    assert importers.prairielearn(text, shared) == ({"redpandas": 85.0}, [])
    assert group.student.identity
    told = group.student.identity.model_copy(update={"members": (Member(name="A", email="a@x.org"), Member(name="B"))})
    rostered = group.model_copy(update={"student": group.student.model_copy(update={"identity": told})})
    text, _ = filled("prairielearn", own, [rostered], tmp_path)
    assert importers.prairielearn(text, shared) == ({"redpandas": 85.0}, []), "also where a roster names its members"


def test_a_team_of_the_download_gives_every_member_the_grade(tmp_path: Path) -> None:
    pair = team("A_12", "16.9", Member(name="Zoé Été", moodle_participant="12"), Member(name="Ann Lee"))
    text, _ = filled("moodle-worksheet", worksheet(ENGLISH, "20.00"), [pair], tmp_path, absent=Absence.ZERO)
    assert importers.moodle_worksheet(text, words=ENGLISH) == {"12": 16.9, "7": 16.9, "123": 0.0}


@pytest.mark.parametrize("form", ["csv", "json"])
def test_points_that_a_person_has_yet_to_give_are_no_zero(tmp_path: Path, form: str) -> None:
    results = [known("ada", items=[item("q1.a"), item("q1.b", Status.REVIEW), item("q1.c", Status.MISSING)])]
    ((_, content),) = export(form, results, tmp_path, pending=Pending.SCORE).files
    text = bytes_of(content).decode()
    if form == "csv":
        header, row = text.splitlines()
        assert dict(zip(header.split(","), row.split(","), strict=True))["q1.b"] == ""
    else:
        assert '"q1.b": null' in text
        assert '"q1.c": 0.0' in text


def test_what_moodle_would_do_with_an_edited_worksheet_is_told(tmp_path: Path) -> None:
    fresh = worksheet(ENGLISH, "20.00")
    names = [known("a", "16.6", name="Zoé Été"), known("b", "12", name="Ann Lee"), known("c", "9", name="Eve Xu")]
    text, _ = filled("moodle-worksheet", fresh, names, tmp_path)
    file = tmp_path / "filled.csv"
    file.write_text(text, encoding="utf-8")
    assert check_grades("moodle-worksheet", file, names, ExportOptions(tmp_path)) == (
        "3 grades would be taken, 0 rows skipped",
    )
    edited = text.replace("16.6,", '"16,6",', 1).replace(",12,", ",120,", 1).replace(",9,", ",8,", 1)
    file.write_text(edited, encoding="utf-8")
    assert check_grades("moodle-worksheet", file, names, ExportOptions(tmp_path)) == (
        "Zoé Été: Moodle reads 16,6 as 16",
        "Ann Lee: skipped: 120 is not between 0 and 20.00",
        "Eve Xu: 8 in the file, 9 by the results",
        "2 grades would be taken, 1 rows skipped",
    )
    taken = importers.moodle_worksheet(edited, words=ENGLISH)
    assert (taken["12"], taken["123"]) == (16.0, 8.0)


def test_rows_that_were_graded_since_are_told_from_a_fresh_worksheet(tmp_path: Path) -> None:
    file, fresh = tmp_path / "filled.csv", tmp_path / "fresh.csv"
    text, _ = filled("moodle-worksheet", worksheet(ENGLISH, "20.00"), [known("a", name="Zoé Été")], tmp_path)
    file.write_text(text, encoding="utf-8")
    fresh.write_text(worksheet(ENGLISH, "20.00", modified="Monday, 4 December 2023, 9:00 AM"), encoding="utf-8")
    told = check_grades("moodle-worksheet", file, [known("a", name="Zoé Été")], ExportOptions(tmp_path, into=fresh))
    assert told[0].startswith("Zoé Été: skipped unless `Allow updating records` is ticked: graded since")
    assert importers.moodle_worksheet(text, words=ENGLISH, graded={"12": 1.7e9}) == {}


def test_what_canvas_would_do_with_an_edited_gradebook_is_told(tmp_path: Path) -> None:
    results = [known("a", "17.15", name="Zoé Été"), known("b", "12", name="Ann Lee")]
    text, _ = filled("canvas", CANVAS, results, tmp_path, column="Lab 4")
    file = tmp_path / "filled.csv"
    edited = text.replace(",17.15", ',"1,717.15"')
    file.write_text(edited, encoding="utf-8")
    told = check_grades("canvas", file, results, ExportOptions(tmp_path, column="Lab 4"))
    assert told == ("Été, Zoé: Canvas reads 1,717.15 as 1717.15", "2 grades would be taken, 1 rows skipped")
    assert importers.canvas(edited, "14")["501"] == "1717.15"
    with pytest.raises(GradebookError, match="no rules"):
        check_grades("xlsx", file, results, ExportOptions(tmp_path))


def test_what_moodles_gradebook_would_do_with_a_file_is_told(tmp_path: Path) -> None:
    results = [known("Ann Lee", "17", email="ann@x.org"), known("Zoé Été", "12", email="zoe@x.org")]
    own, file = tmp_path / "gradebook.csv", tmp_path / "grades.csv"
    own.write_text(GRADEBOOK, encoding="utf-8")
    file.write_text("Email address,Grade\nann@x.org,17\nzoe@x.org,12\n", encoding="utf-8")
    wanted = ExportOptions(tmp_path, into=own)
    assert check_grades("moodle-grades", file, results, wanted) == ("2 grades would be taken, 0 rows skipped",)
    for line, told in (
        ("eve@x.org,3", "eve@x.org: Moodle stops: no such user is in its gradebook"),
        ('ann@x.org,"16,5"', "ann@x.org: Moodle stops: '16,5' is no number here"),
    ):
        text = f"Email address,Grade\n{line}\nzoe@x.org,12\n"
        file.write_text(text, encoding="utf-8")
        found = check_grades("moodle-grades", file, results, wanted)
        assert found == (told, "the system stops at the first of these, and takes no grade of the file")
    file.write_text("Email address,Grade\nann@x.org,21\nzoe@x.org,\n", encoding="utf-8")
    assert check_grades("moodle-grades", file, results, wanted) == (
        "ann@x.org: Moodle lowers 21 to the item's maximum, 20",
        "zoe@x.org: an empty cell clears the grade that is there",
        "1 grades would be taken, 1 rows skipped",
    )
    with pytest.raises(LookupError):
        importers.moodle_grades("Email address,Grade\neve@x.org,3\n", "Email address", USERS)


def test_what_prairielearn_would_do_with_a_file_is_told(tmp_path: Path) -> None:
    results = [known("ada", "17", email="Ada.B@x.org"), known("bob", "10", email="bob@x.org")]
    own, file = tmp_path / "final_submissions.csv", tmp_path / "scores.csv"
    own.write_text("UID,Question,submission_id\nAda.B@x.org,lab/4,501\nbob@x.org,lab/4,502\n", encoding="utf-8")
    wanted = ExportOptions(tmp_path, into=own)
    head = "submission_id,uid,qid,score_perc\n"
    right = f"{head}501,Ada.B@x.org,lab/4,85\n502,bob@x.org,lab/4,50\n"
    file.write_text(right, encoding="utf-8")
    assert check_grades("prairielearn", file, results, wanted) == ("2 grades would be taken, 0 rows skipped",)
    assert importers.prairielearn(right, SUBMISSIONS) == ({"Ada.B@x.org": 85.0, "bob@x.org": 50.0}, [])
    wrong = f'{head}501,ada.b@x.org,lab/4,85\n502,bob@x.org,lab/4,"50,5"\n'
    file.write_text(wrong, encoding="utf-8")
    told = check_grades("prairielearn", file, results, wanted)
    assert told == (
        "ada.b@x.org: refused: there is no such submission; the ids are compared letter by letter",
        "bob@x.org: refused: '50,5' is no number with a point",
        "0 grades would be taken, 2 rows skipped",
    )
    assert importers.prairielearn(wrong.replace("50,5", "50"), SUBMISSIONS)[1], "its own rules refuse the address, too"
    file.write_text(f"{head}501,Ada.B@x.org,lab/4,\n502,bob@x.org,lab/4,70\n", encoding="utf-8")
    assert check_grades("prairielearn", file, results, wanted) == (
        "bob@x.org: 70 in the file, 50 by the results",
        "1 grades would be taken, 1 rows skipped",
    )
    file.write_text("submission_id,uid,score_perc\n501,bob@x.org,85\n", encoding="utf-8")
    with pytest.raises(GradebookError, match="submission_id or instance"):
        check_grades("prairielearn", file, results, wanted)
