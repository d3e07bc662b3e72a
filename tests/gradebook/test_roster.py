"""Lists of students, as people write and as systems export them."""

from pathlib import Path

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.people import read_roster


def roster(tmp_path: Path, text: str):  # type: ignore[no-untyped-def]
    (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
    return read_roster(tmp_path / "roster.csv")


def test_a_list_of_ones_own(tmp_path: Path) -> None:
    (ada,) = roster(tmp_path, "id;Prénom;Nom;Courriel;Groupe\n0012;Zoé;Été;z@e.fr;A\n\n")
    assert (ada.label, ada.unsaid, ada.name, ada.email, ada.group) == ("Zoé Été", "0012", "Zoé Été", "z@e.fr", "A")


def test_moodles_worksheet(tmp_path: Path) -> None:
    text = "Identifier,Full name,ID number,Email address,Grade\nParticipant 12,Zoé Été,0012,z@e.fr,\n"
    (zoe,) = roster(tmp_path, text)
    assert (zoe.participant, zoe.number, zoe.email, zoe.unsaid) == ("12", "0012", "z@e.fr", "")


def test_canvas_knows_its_own_ids(tmp_path: Path) -> None:
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 4 (5)\n    Points Possible,,,,,20\n"
        '"Été, Zoé",12,0012,zete,A,\n"Student, Test",99,,,A,\n'
    )
    (zoe,) = roster(tmp_path, text)
    assert (zoe.name, zoe.canvas, zoe.number, zoe.login, zoe.unsaid) == ("Été, Zoé", "12", "0012", "zete", "")


def test_canvas_with_two_columns_of_names(tmp_path: Path) -> None:
    (zoe,) = roster(tmp_path, "LastName,FirstName,ID,SIS Login ID,Section,Lab 4 (5)\nÉté,Zoé,12,zete,A,\n")
    assert (zoe.name, zoe.canvas, zoe.unsaid) == ("Zoé Été", "12", "")


def test_gradescopes_grades(tmp_path: Path) -> None:
    (zoe,) = roster(tmp_path, "First Name,Last Name,SID,Email,Sections,Total Score\nZoé,Été,0012,z@e.fr,,3\n")
    assert (zoe.name, zoe.number, zoe.email) == ("Zoé Été", "0012", "z@e.fr")


@pytest.mark.parametrize(
    ("text", "words"), [("a,b\n1,2\n", "no column says who"), ("name\n", "lists nobody"), ("group\nA\n", "no column")]
)
def test_what_is_no_list(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(GradebookError, match=words):
        roster(tmp_path, text)
