"""Lists of students, as people write and as systems export them."""

from pathlib import Path

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.people import read_roster, shortened_ids, similar_person, unused_columns


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


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("Matrikelnummer;Vorname;Nachname;E-Mail;Gruppe", "0012;Zoé;Été;z@e.fr;A"),
        ("Matrikelnr.;Name;Vorname;E-Mail-Adresse;Team", "0012;Été;Zoé;z@e.fr;A"),
        ("Número de identificación;Nombre;Apellidos;Dirección de correo;Grupo", "0012;Zoé;Été;z@e.fr;A"),
        ("N° étudiant;Nom complet;Courriel;Groupe", "0012;Zoé Été;z@e.fr;A"),
        ("OrgDefinedId;First Name;Last Name;Email;Groups", "0012;Zoé;Été;z@e.fr;A"),
        ("SID;Name;Email;Group Name", '="0012";Zoé Été;z@e.fr;A'),
    ],
)
def test_headings_in_the_languages_of_the_systems(tmp_path: Path, head: str, row: str) -> None:
    (zoe,) = roster(tmp_path, f"{head}\n{row}\n")
    assert (zoe.number, zoe.name, zoe.email, zoe.group) == ("0012", "Zoé Été", "z@e.fr", "A")


@pytest.mark.parametrize(
    ("head", "participant"),
    [
        ("Bezeichner,Vollständiger Name,E-Mail-Adresse", "Teilnehmer/in 12"),
        ("Identificador,Nombre completo,Dirección de correo", "Participante 12"),
    ],
)
def test_moodles_worksheet_in_other_languages(tmp_path: Path, head: str, participant: str) -> None:
    (zoe,) = roster(tmp_path, f"{head}\n{participant},Zoé Été,z@e.fr\n")
    assert (zoe.participant, zoe.name, zoe.email) == ("12", "Zoé Été", "z@e.fr")


def test_github_classrooms_identifier_is_no_participant_of_moodle(tmp_path: Path) -> None:
    (zoe,) = roster(tmp_path, '"identifier","github_username","github_id","name"\n"z12","zoe-e","99",""\n')
    assert (zoe.unsaid, zoe.login, zoe.participant) == ("z12", "zoe-e", "")


def test_ids_that_a_spreadsheet_spoilt(tmp_path: Path) -> None:
    ids = ['="0012"', "1234.0", "2.023E+3", "2.02301E+11", "2,02301E+11", "12e5"]
    people = roster(tmp_path, "number;name\n" + "".join(f"{id_};P{place}\n" for place, id_ in enumerate(ids)))
    assert [one.number for one in people] == ["0012", "1234", "2023", "", "", "12e5"], "lost digits are nobody's number"


def test_a_person_on_two_lines_is_one(tmp_path: Path) -> None:
    text = "number,name,email,group\n12,Zoé Été,,A\n12,ZOE ETE,z@e.fr,B\n13,Ann Lee,a@e.fr,\n13,Bob Ng,b@e.fr,\n"
    zoe, ann, bob = roster(tmp_path, text)
    assert (zoe.number, zoe.name, zoe.email, zoe.group) == ("12", "Zoé Été", "z@e.fr", "")
    assert (ann.name, bob.name) == ("Ann Lee", "Bob Ng"), "two people of one number stay two"


def test_columns_that_say_nothing_of_who_it_is_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("Opiskelijanumero,Nimi,email\n12,Zoé,z@e.fr\n", encoding="utf-8")
    assert unused_columns(tmp_path / "r.csv") == ("Opiskelijanumero", "Nimi")


def test_shortened_ids_are_told(tmp_path: Path) -> None:
    roster(tmp_path, 'SID,Name\n2.02301E+11,Zoé Été\n"=""0012""",Ana Roy\n1234.0,Bo Li\n')
    assert shortened_ids(tmp_path / "roster.csv") == ("2.02301E+11",)


def test_a_name_that_is_nearly_somebodys_is_a_hint(tmp_path: Path) -> None:
    people = roster(tmp_path, "Name,Email\nAna Dupont,a@e.fr\nJane Doe,jdoe42@e.fr\nZoé Été,z@e.fr\n")
    found = [similar_person(name, people) for name in ("Dupond_Ana", "jdoe42", "Bo Li", "")]
    assert found == ["Ana Dupont", "Jane Doe", "", ""]
