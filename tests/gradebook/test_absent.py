"""Those who handed nothing in: written as the instructor chooses, and never where they may have handed in."""

from pathlib import Path

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.exports.outcome import Absence
from grader.result import Result, Status
from tests.factories import item
from tests.gradebook.making import export, filled, known

# As Canvas's own importer takes it:
# https://github.com/instructure/canvas-lms/blob/master/spec/lib/gradebook_importer_spec.rb
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Lab 4 (55),Final Score
    Points Possible,,,,,20,(read only)
"Lee, Ann",7,00124,alee,A,,0
"Ng, Bob",8,00125,bng,A,EX,
"Roe, Jane",9,00126,jroe,A,,
"Zhu, Wei",10,00127,wzhu,A,,
"Student, Test",99,,deadbeef,A,,
"""
ANN = known("ann", "13.5", number="124")


@pytest.mark.parametrize(("absent", "cell"), [("blank", ""), ("zero", "0"), ("excused", "EX")])
def test_canvas_takes_each_choice(tmp_path: Path, absent: str, cell: str) -> None:
    text, notes = filled("canvas", CANVAS, [ANN], tmp_path, absent=Absence(absent))
    lines = text.splitlines()
    assert lines[2].split(",")[-2] == "13.5"
    assert lines[3].split(",")[-2] == "EX", "what stands there stays"
    assert [lines[place].split(",")[-2] for place in (4, 5)] == [cell, cell]
    assert lines[6].split(",")[-2] == "", "the test student is nobody"
    assert ("handed nothing in" in notes) == (absent != "blank")


def test_whoever_may_have_handed_in_gets_no_zero(tmp_path: Path) -> None:
    """A result without a row: it may be that of anybody with whom it shares a name."""
    text, notes = filled("canvas", CANVAS, [ANN, known("j_doe-roe", name="J. Doe Roe")], tmp_path, absent=Absence.ZERO)
    cells = [line.split(",")[-2] for line in text.splitlines()]
    assert (cells[4], cells[5]) == ("", "0")
    assert "perhaps somebody above, so left blank: Roe, Jane" in notes
    nameless = known("submission_77", name="")
    text, _ = filled("canvas", CANVAS, [ANN, nameless], tmp_path, absent=Absence.ZERO)
    assert [line.split(",")[-2] for line in text.splitlines()][4:6] == ["", ""]
    other_name = known("x", name="Somebody Else", canvas_user="10", number="999")
    text, _ = filled("canvas", CANVAS.replace("00127", "55"), [ANN, other_name], tmp_path, absent=Absence.ZERO)
    assert text.splitlines()[5].split(",")[-2] in ("", "13.5"), "its Canvas id is in that row"


def test_names_with_commas_are_told_apart(tmp_path: Path) -> None:
    _, notes = filled("canvas", CANVAS, [ANN], tmp_path)
    assert "rows without a result: Ng, Bob; Roe, Jane; Zhu, Wei" in notes


# Columns as Moodle exports them:
# https://github.com/moodle/moodle/blob/main/mod/assign/feedback/offline/locallib.php
WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (grade)
Participant 101,Jan Novak,jan1@example.org,Submitted,,20.00,Yes,-
Participant 102,Jan Novak,jan2@example.org,Submitted,,20.00,Yes,-
Participant 103,Eva Malá,eva@example.org,No submission,,20.00,Yes,-
Participant 104,Ivo Tichý,ivo@example.org,No submission,,20.00,No,-
"""


def test_moodles_worksheet_takes_zero_and_knows_no_excuse(tmp_path: Path) -> None:
    both = [
        known(f"jan_{id_}", grade, name="Jan Novak", moodle_participant=id_)
        for id_, grade in (("101", "11"), ("102", "12"))
    ]
    text, _ = filled("moodle-worksheet", WORKSHEET, both, tmp_path, absent=Absence.ZERO, feedback=False)
    assert [line.split(",")[4] for line in text.splitlines()[1:]] == ["11", "12", "0", ""]
    with pytest.raises(GradebookError, match="it takes blank, zero"):
        filled("moodle-worksheet", WORKSHEET, both, tmp_path, absent=Absence.EXCUSED)


def test_moodles_import_and_prairielearn(tmp_path: Path) -> None:
    class_ = "First name,Last name,Email address\nAnn,Lee,ann@example.org\nEva,Malá,eva@example.org\n"
    ann = known("ann", "11", email="ann@example.org")
    text, _ = filled("moodle-grades", class_, [ann], tmp_path, absent=Absence.ZERO, feedback=False)
    assert text.splitlines()[1:] == ["ann@example.org,11", "eva@example.org,0"]
    own = "UID,Name,Instance,qid\nann@example.org,Ann Lee,1,q\neva@example.org,Eva Malá,1,q\n"
    text, _ = filled("prairielearn", own, [ann], tmp_path, absent=Absence.ZERO, feedback=False)
    assert text.splitlines()[1:] == ["ann@example.org,1,q,55", "eva@example.org,1,q,0"]
    for form, more in (("moodle-grades", {}), ("prairielearn", {"question": "q"})):
        with pytest.raises(GradebookError, match="--into FILE"):
            export(form, [ann], tmp_path, absent=Absence.ZERO, **more)


CLASS = (
    "First name,Last name,Email address\nAnn,Lee,ann@example.org\nEva,Malá,eva@example.org\nIvo,Roe,ivo@example.org\n"
)
QUESTION = (
    "UID,Name,Instance,qid\nann@example.org,Ann Lee,1,q\neva@example.org,Eva Malá,1,q\nivo@example.org,Ivo Roe,1,q\n"
)


def _zeros(form: str, results: list[Result], folder: Path) -> set[str]:
    """The people of a class of Ann, Eva and Ivo to whom an export with `--absent zero` gives a zero."""
    own = {"moodle-grades": CLASS, "prairielearn": QUESTION}.get(form)
    if form == "canvas":
        own = (
            "Student,ID,SIS Login ID,Section,Lab 4 (55)\n    Points Possible,,,,20\n"
            '"Lee, Ann",7,ann@example.org,A,\n"Malá, Eva",8,eva@example.org,A,\n"Roe, Ivo",9,ivo@example.org,A,\n'
        )
    if form == "moodle-worksheet":
        own = (
            "Identifier,Full name,Email address,Grade\nParticipant 1,Ann Lee,ann@example.org,\n"
            "Participant 2,Eva Malá,eva@example.org,\nParticipant 3,Ivo Roe,ivo@example.org,\n"
        )
    text, _ = filled(form, own or "", results, folder, absent=Absence.ZERO, feedback=False)
    lines = [line for line in text.splitlines() if line.endswith((",0", ",0.0"))]
    return {name for name in ("ann", "eva", "ivo") for line in lines if name in line}


@pytest.mark.parametrize("form", ["canvas", "moodle-worksheet", "moodle-grades", "prairielearn"])
def test_nobody_who_handed_in_gets_the_zero_of_the_absent(form: str, tmp_path: Path) -> None:
    ann = known("ann", "11", email="ann@example.org", name="Ann Lee")
    open_ = [item("q1.a", Status.CORRECT, "2"), item("q1.b", Status.REVIEW, "3")]
    eva = known("eva", "2", email="eva@example.org", name="Eva Malá", items=open_)
    assert _zeros(form, [ann, eva], tmp_path) == {"ivo"}
    failed = known("eva", "0", email="eva@example.org", name="Eva Malá", error="The grader failed.")
    assert _zeros(form, [ann, failed], tmp_path) == {"ivo"}
    without_row = known("i_roe", "2", name="I. Roe", items=open_)
    assert _zeros(form, [ann, without_row], tmp_path) == {"eva"}, "who waits may be Ivo"
