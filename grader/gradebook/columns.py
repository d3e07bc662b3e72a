"""Which column of a list of students holds what, by its heading, English or French, of Moodle, Canvas or Gradescope."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from grader.gradebook.csv_table import Table
from grader.gradebook.errors import GradebookError
from grader.gradebook.person import Person
from grader.gradebook.person_names import folded

_HEADINGS: Final = {
    "email": "email|e mail|mail|email address|e mail address|courriel|adresse de courriel|adresse e mail|adresse mail",
    "number": "number|id number|idnumber|student number|sid|sis user id|sis id|matriculation number|matricule|numero|"
    "numero d identification|numero etudiant|no etudiant",
    "login": "login|login id|username|user name|sis login id|uid|nom d utilisateur|utilisateur",
    "name": "name|full name|fullname|student name|display name|nom complet|nom et prenom|prenom et nom",
    "first": "first name|firstname|given name|prenom",
    "last": "last name|lastname|surname|family name|nom|nom de famille",
    "group": "group|groups|group name|team|groupe|groupes|equipe",
    "participant": "identifier|identifiant|participant|participant id|moodle participant",
    "canvas": "canvas id|canvas user id",
    "unsaid": "student|student id|id|who|etudiant|etudiante|participante",
}
_MEANING: Final = {heading: kind for kind, headings in _HEADINGS.items() for heading in headings.split("|")}
_LABELS: Final = ("email", "unsaid", "number", "login", "participant", "canvas")
_TAIL_NUMBER: Final = re.compile(r"(\d+)\s*$")
_SECTION: Final = "section"


class Columns(NamedTuple):
    """The places of the columns that say who a row is about, by kind."""

    places: dict[str, int]

    def person(self, cells: Sequence[str], label: str) -> Person:
        """Whom a row is about; `label` where it names nobody."""
        text = {kind: cells[place] if place < len(cells) else "" for kind, place in self.places.items()}
        name = text.get("name") or " ".join(part for part in (text.get("first"), text.get("last")) if part)
        participant = _TAIL_NUMBER.search(text.get("participant", ""))
        return Person(
            label=next(filter(None, (name, *(text.get(kind) for kind in _LABELS))), label),
            name=name,
            email=text.get("email", ""),
            number=text.get("number", ""),
            login=text.get("login", ""),
            participant=participant.group(1) if participant else "",
            canvas=text.get("canvas", ""),
            group=text.get("group", ""),
            unsaid=text.get("unsaid", ""),
        )


def columns_of(headings: Sequence[str]) -> Columns:
    """The columns under these headings; the first of several of one kind. Canvas calls names `Student`, ids `ID`."""
    plain = [heading_key(heading) for heading in headings]
    begins = {"student", "lastname", "last name"} & set(plain[:1])
    canvas = bool(begins) and "id" in plain and any(_SECTION in heading for heading in plain)
    places: dict[str, int] = {}
    for place, heading in enumerate(plain):
        kind = _MEANING.get(heading, "")
        if canvas:
            kind = {"student": "name", "id": "canvas"}.get(heading, kind)
        if kind:
            places.setdefault(kind, place)
    return Columns(places)


def heading_key(heading: str) -> str:
    """A heading for comparing: lower case, without accents, words parted by single spaces."""
    return " ".join(re.findall(r"[^\W_]+", folded(heading)))


def who_columns(table: Table, header: int) -> Columns:
    """The columns that say who. Raises GradebookError where there is none."""
    found = columns_of(table.texts(header))
    if not set(found.places) - {"group"}:
        raise GradebookError(
            f"{table.where(header)}: no column says who a row is about; name one `student`, `email` or `id` "
            f"(there are: {', '.join(table.texts(header))})."
        )
    return found


def header_row(table: Table) -> int:
    """The first row that is not blank."""
    return next(row for row, cells in enumerate(table.rows) if any(cell.strip() for cell in cells))


def data_rows(table: Table, header: int) -> list[int]:
    """The rows below a header that are not blank, in order."""
    return [row for row in range(header + 1, len(table.rows)) if any(cell.strip() for cell in table.rows[row])]
