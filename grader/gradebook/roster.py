"""The list of a course's students: a CSV file of their own, or what Moodle, Canvas or Gradescope export."""

from collections.abc import Sequence
from pathlib import Path

from grader.gradebook.columns import data_rows, header_row, who_columns
from grader.gradebook.csv_table import read_table
from grader.gradebook.errors import GradebookError
from grader.gradebook.matching import match
from grader.gradebook.person import Person


def read_roster(path: Path) -> tuple[Person, ...]:
    """Everybody on a list. Raises GradebookError when the file is no list of people.

    Columns are known by their headings (id, student number, login, e-mail, name or first and last name, group).
    Canvas's row of possible points and its test student are nobody.
    """
    table = read_table(path)
    header = header_row(table)
    columns = who_columns(table, header)
    rows = data_rows(table, header)
    people = [columns.person(table.texts(row), table.where(row)) for row in rows]
    known = tuple(person for person in people if not is_nobody(person))
    if not known:
        raise GradebookError(f"{path}: it lists nobody; name a CSV file with a row for each student.")
    return known


def joined(people: Sequence[Person], others: Sequence[Person]) -> tuple[Person, ...]:
    """People with the participant ids that another list, such as Moodle's worksheet, has for them. They are brought
    together by e-mail address or id, and by name only where that leaves no doubt."""
    told = [person for person in others if person.participant]
    matching = match([person._replace(participant="") for person in told], people)
    found = {owner: told[place].participant for place, owner in matching.found.items()}
    return tuple(
        person._replace(participant=person.participant or found.get(place, "")) for place, person in enumerate(people)
    )


def people_in(path: Path) -> tuple[Person, ...]:
    """Everybody in a file of a course; nobody where no column says who a row is about."""
    try:
        return read_roster(path)
    except GradebookError:
        return ()


def is_nobody(person: Person) -> bool:
    """Whether a row of an export stands for no student."""
    name = person.name.strip().casefold()
    return "points possible" in name or name in ("student, test", "test student", "test, student")
