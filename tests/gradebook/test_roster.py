"""Lists of students, as people write and as systems export them."""

from pathlib import Path

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.people import read_roster


def roster(tmp_path: Path, text: str):  # type: ignore[no-untyped-def]
    (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
    return read_roster(tmp_path / "roster.csv")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (
            "id;Prénom;Nom;Courriel;Groupe\n0012;Zoé;Été;z@e.fr;A\n\n",
            {"label": "Zoé Été", "unsaid": "0012", "name": "Zoé Été", "email": "z@e.fr", "group": "A"},
        ),
        (
            "Identifier,Full name,ID number,Email address,Grade\nParticipant 12,Zoé Été,0012,z@e.fr,\n",
            {"participant": "12", "number": "0012", "email": "z@e.fr", "unsaid": ""},
        ),
        (
            "Student,ID,SIS User ID,SIS Login ID,Section,Lab 4 (5)\n    Points Possible,,,,,20\n"
            '"Été, Zoé",12,0012,zete,A,\n"Student, Test",99,,,A,\n',
            {"name": "Été, Zoé", "canvas": "12", "number": "0012", "login": "zete", "unsaid": ""},
        ),
        (
            "LastName,FirstName,ID,SIS Login ID,Section,Lab 4 (5)\nÉté,Zoé,12,zete,A,\n",
            {"name": "Zoé Été", "canvas": "12", "unsaid": ""},
        ),
        (
            "First Name,Last Name,SID,Email,Sections,Total Score\nZoé,Été,0012,z@e.fr,,3\n",
            {"name": "Zoé Été", "number": "0012", "email": "z@e.fr"},
        ),
    ],
    ids=["own", "moodle", "canvas", "canvas-two-columns", "gradescope"],
)
def test_lists_of_each_system_say_who_a_student_is(tmp_path: Path, text: str, known: dict[str, str]) -> None:
    (zoe,) = roster(tmp_path, text)
    assert {name: getattr(zoe, name) for name in known} == known


@pytest.mark.parametrize(
    ("text", "words"), [("a,b\n1,2\n", "no column says who"), ("name\n", "lists nobody"), ("group\nA\n", "no column")]
)
def test_what_is_no_list(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(GradebookError, match=words):
        roster(tmp_path, text)
