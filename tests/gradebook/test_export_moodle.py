"""Moodle: the grading worksheet filled, a file of grades, and reports to give back.

The forms are those of Moodle's own code and tests:
https://github.com/moodle/moodle/blob/main/mod/assign/feedback/offline/importgradeslib.php (the worksheet's columns),
https://github.com/moodle/moodle/blob/main/mod/assign/feedback/file/tests/importziplib_test.php (names of feedback).
"""

import csv
import io
import zipfile
from pathlib import Path

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.exports.outcome import Pending, feedback_line
from grader.result import Member, Status
from tests.factories import item
from tests.gradebook.making import bytes_of, export, filled, known, team

WORKSHEET = """\
Identifier,"Full name","ID number","Email address",Status,Group,Grade,"Maximum Grade","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 12","Zoé Été",00123,zoe@example.org,"Submitted for grading",A,,"20,00",Yes,\
"Tuesday, 21 November 2023, 10:58 PM",-,
"Participant 7","Ann Lee",00124,ann@example.org,"Submitted for grading",A,"11,00","20,00",Yes,-,\
"Wednesday, 22 November 2023, 9:00 AM","Well done"
"Participant 8","Bob Ng",00125,bob@example.org,"No submission",B,,"20,00",No,-,-,
"Participant 123","Eve X",12,eve@example.org,"No submission",B,,"20,00",Yes,-,-,
"""


def cells(text: str, column: str) -> list[str]:
    return [row[column] for row in csv.DictReader(io.StringIO(text))]


def test_the_worksheet_is_filled_in_its_own_way(tmp_path: Path) -> None:
    results = [known("Zoé Été_12", "13.5", name="Zoé Été", moodle_participant="12"), known("Bob Ng", "3")]
    text, notes = filled("moodle-worksheet", WORKSHEET, results, tmp_path)
    assert cells(text, "Grade") == ["13,5", "11,00", "", ""]
    assert cells(text, "Feedback comments")[1:] == ["Well done", "", ""]
    assert cells(text, "Feedback comments")[0].startswith("13.5 of 20 points. q1")
    assert "Bob Ng: Moodle says" in notes
    for column in ("Identifier", "Last modified (grade)", "Last modified (submission)", "Maximum Grade"):
        assert cells(text, column) == cells(WORKSHEET, column)
    untouched = WORKSHEET.splitlines()
    assert [line for line in text.splitlines() if line not in untouched] == [text.splitlines()[1]]


def test_a_grade_that_is_there_is_replaced_only_by_force(tmp_path: Path) -> None:
    ann = [known("Ann Lee", "12.25")]
    text, notes = filled("moodle-worksheet", WORKSHEET, ann, tmp_path)
    assert text == WORKSHEET
    assert "another grade, 11,00" in notes
    forced, _ = filled("moodle-worksheet", WORKSHEET, ann, tmp_path, force=True, feedback=False)
    assert cells(forced, "Grade")[1] == "12,25"
    assert cells(forced, "Feedback comments") == cells(WORKSHEET, "Feedback comments")


def test_points_are_written_with_a_point_where_the_file_has_points(tmp_path: Path) -> None:
    english = WORKSHEET.replace("20,00", "20.00").replace("11,00", "11.00")
    assert cells(filled("moodle-worksheet", english, [known("Zoé Été")], tmp_path)[0], "Grade")[0] == "13.5"
    with pytest.raises(GradebookError, match="read 16,6 as 16"):
        filled("moodle-worksheet", english, [known("Zoé Été")], tmp_path, decimal_comma=True)
    asked = filled("moodle-worksheet", WORKSHEET, [known("Zoé Été")], tmp_path, decimal_comma=False)[0]
    assert cells(asked, "Grade")[0] == "13.5", "which Moodle understands in every language"


def test_a_participants_number_is_no_student_number(tmp_path: Path) -> None:
    text, notes = filled("moodle-worksheet", WORKSHEET, [known("x", name="Nobody", number="7")], tmp_path)
    assert text == WORKSHEET
    assert "not matched to any row: x" in notes
    group = known("Group A_7", name="Group A", moodle_participant="7")
    assert filled("moodle-worksheet", WORKSHEET, [group], tmp_path)[0] == WORKSHEET


def test_a_french_blind_worksheet(tmp_path: Path) -> None:
    text = "Identifiant;Statut;Note;Note maximale;Dernière modification (note)\nParticipant 12;Remis;;20,00;-\n"
    blind = known("Participant_12", name="Participant 12", moodle_participant="12")
    done, _ = filled("moodle-worksheet", "\ufeff" + text, [blind], tmp_path)
    assert done == text.replace(";;20,00", ";13,5;20,00")


def test_a_worksheet_with_a_scale_or_another_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GradebookError, match="scale"):
        filled("moodle-worksheet", WORKSHEET.replace("Maximum Grade", "Scale"), [known("Ann Lee")], tmp_path)
    with pytest.raises(GradebookError, match="no grading worksheet"):
        filled("moodle-worksheet", "Student,ID\nAnn,1\n", [known("Ann")], tmp_path)
    with pytest.raises(GradebookError, match="--into"):
        export("moodle-worksheet", [known("Ann")], tmp_path)
    with pytest.raises(GradebookError, match="--scale"):
        filled("moodle-worksheet", WORKSHEET.replace("20,00", "100,00"), [known("Zoé Été")], tmp_path)


def test_grades_to_import_need_an_address(tmp_path: Path) -> None:
    results = [known("ann", "13.5", email="ann@example.org"), known("bob", "2"), known("eve", email="=eve@example.org")]
    exported = export("moodle-grades", results, tmp_path)
    rows = list(csv.reader(io.StringIO(bytes_of(exported.files[0][1]).decode())))
    assert rows[0] == ["Email address", "Grade", "Feedback"]
    assert [row[:2] for row in rows[1:]] == [["ann@example.org", "13.5"], ["'=eve@example.org", "13.5"]]
    assert "no email address is known, so left out: bob" in exported.notes


def test_grades_to_import_name_only_those_whom_moodle_knows(tmp_path: Path) -> None:
    head = "First name,Last name,ID number,Email address,Assignment: Lab 4 (Real)"
    gradebook = f'{head}\nAnn,Lee,00124,,-\nBob,Ng,00125,b@e.fr,"3,50"\nZoé,Été,,z@e.fr,-\n'
    text, notes = filled("moodle-grades", gradebook, [known("Ann Lee"), known("Zoé Été"), known("Eve")], tmp_path)
    assert text.splitlines()[0] == "Email address,Grade,Feedback"
    assert text.splitlines()[1].startswith('z@e.fr,"13,5",')
    assert "left out: Ann Lee" in notes
    assert "not matched to any row: Eve" in notes


def reports(folder: Path, *students: str) -> None:
    for student in students:
        (folder / student).mkdir()
        (folder / student / "report.pdf").write_bytes(b"%PDF " + student.encode())


def test_feedback_goes_back_under_the_names_of_the_download(tmp_path: Path) -> None:
    entries = {
        "Zoé Été_12": "Zoé Été_12_assignsubmission_file",
        "Ann Lee_7": "Ann Lee_7_assignsubmission_file_",
        "bng_Bob Ng_8": "bng_Bob Ng_8_assignsubmission_file",
        "Eve_X_123": "Eve X_123_assignsubmission_file_report.pdf",
    }
    results = [
        known(id_, name=id_, moodle_participant=id_.rsplit("_")[-1], entry=entry) for id_, entry in entries.items()
    ]
    members = (Member(name="Li Lei", moodle_participant="31"), Member(name="Han/Mei", moodle_participant="32"))
    results += [team("Group A_77", "3", *members, moodle_participant="77"), known("plain")]
    reports(tmp_path, *(one.student.id for one in results))
    exported = export("moodle-feedback", results, tmp_path)
    with zipfile.ZipFile(io.BytesIO(bytes_of(exported.files[0][1]))) as archive:
        names = archive.namelist()
        assert archive.read(names[0]) == b"%PDF " + "Zoé Été_12".encode()
    assert names == [
        "Zoé Été_12_assignsubmission_file/feedback.pdf",
        "Ann Lee_7_assignsubmission_file_/feedback.pdf",
        "bng Bob Ng 8_8_assignsubmission_file_/feedback.pdf",
        "Eve X 123_123_assignsubmission_file_/feedback.pdf",
        "Li Lei_31_assignsubmission_file_/feedback.pdf",
        "Han Mei_32_assignsubmission_file_/feedback.pdf",
    ]
    for name in names:  # as Moodle's importer reads it
        part = name.split("/")[0].split("_", 4)
        assert part[1].isdigit()
        assert part[2:4] == ["assignsubmission", "file"]
    assert "plain" in exported.notes[1]
    again = export("moodle-feedback", results, tmp_path)
    assert bytes_of(again.files[0][1]) == bytes_of(exported.files[0][1])


def test_feedback_without_a_download_needs_a_worksheet(tmp_path: Path) -> None:
    reports(tmp_path, "Zoé Été")
    with pytest.raises(GradebookError, match="participant id"):
        export("moodle-feedback", [known("Zoé Été")], tmp_path)
    (tmp_path / "w.csv").write_text(WORKSHEET)
    exported = export("moodle-feedback", [known("Zoé Été")], tmp_path, into=tmp_path / "w.csv")
    with zipfile.ZipFile(io.BytesIO(bytes_of(exported.files[0][1]))) as archive:
        assert archive.namelist() == ["Zoé Été_12_assignsubmission_file_/feedback.pdf"]


def test_feedback_for_canvas_keeps_the_two_numbers(tmp_path: Path) -> None:
    results = [
        known("étézoé_12", canvas_user="12", entry="étézoé_LATE_12_3401_2023_report.docx"),
        known("anon_aB3x9", entry="anon_aB3x9_55_2_report.pdf"),
        known("pat_9", canvas_user="9", entry="pat_9_text.html"),
    ]
    reports(tmp_path, *(one.student.id for one in results))
    exported = export("canvas-feedback", results, tmp_path)
    with zipfile.ZipFile(io.BytesIO(bytes_of(exported.files[0][1]))) as archive:
        assert archive.namelist() == ["étézoé_LATE_12_3401_2023_report.pdf"]
    assert "anon_aB3x9; pat_9" in exported.notes[1]


def test_feedback_may_be_pages_or_both(tmp_path: Path) -> None:
    ann = known("Ann", moodle_participant="7", entry="Ann_7_assignsubmission_file")
    reports(tmp_path, "Ann")
    with pytest.raises(GradebookError, match=r"report\.html"):
        export("moodle-feedback", [ann], tmp_path, reports=("html",))
    (tmp_path / "Ann" / "report.html").write_bytes(b"<!DOCTYPE html>")
    exported = export("moodle-feedback", [ann], tmp_path, reports=("pdf", "html"))
    with zipfile.ZipFile(io.BytesIO(bytes_of(exported.files[0][1]))) as archive:
        assert [name.split("/")[1] for name in archive.namelist()] == ["feedback.pdf", "feedback.html"]


def test_feedback_tells_of_points_that_await_a_person(tmp_path: Path) -> None:
    items = [item("q1.a"), item("q1.b", Status.REVIEW)]
    ann = known("Ann", moodle_participant="7", entry="Ann_7_assignsubmission_file", items=items)
    reports(tmp_path, "Ann")
    assert "not final" in export("moodle-feedback", [ann], tmp_path).notes[-1]
    with pytest.raises(GradebookError):
        export("moodle-feedback", [ann], tmp_path, pending=Pending.SKIP)


def test_a_comment_is_in_the_language_of_the_report(tmp_path: Path) -> None:
    ann = known("Ann", score="13.5", language="fr", items=[item("q1.a"), item("q1.b", Status.REVIEW)])
    assert feedback_line(ann) == "13,5 points sur 20. q1 2/4. 2 points attendent une décision."


def test_a_row_whose_grade_is_withheld_is_not_called_without_a_result(tmp_path: Path) -> None:
    text = "Identifier,Full name,Grade,Maximum Grade\nParticipant 7,Ann,,20\nParticipant 8,Eve,,20\n"
    items = [item("q1.a"), item("q1.b", Status.REVIEW)]
    filled_text, notes = filled("moodle-worksheet", text, [known("Ann", moodle_participant="7", items=items)], tmp_path)
    assert "points pending review, so left out" in notes
    assert "rows without a result: Eve" in notes
    assert "Participant 7,Ann,,20" in filled_text
