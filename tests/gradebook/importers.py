"""What course systems do with a file of grades, written anew from the rules in their own code.

Moodle: `mod/assign/feedback/offline/importgradeslib.php` and `grade/import/csv/classes/load_data.php`; Canvas:
`lib/gradebook_importer.rb`; PrairieLearn: `lib/score-upload.ts` and `score-upload.sql`. None of the product's code is
used, so that a misunderstanding of it does not hide here.
"""

import csv
import io
import re
from collections.abc import Mapping
from datetime import datetime


def unformat_float(text: str, mark: str) -> float:
    """Moodle's number: the site's decimal mark becomes a point, and PHP reads as far as it is a number."""
    found = re.match(r"-?\d+(\.\d+)?", text.strip().replace(" ", "").replace(mark, "."))
    return float(found[0]) if found else 0.0


def php_time(text: str) -> float:
    """A time by PHP's strtotime, which knows English only; what it does not know counts as 1970."""
    for form in ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p"):
        try:
            return datetime.strptime(text, form).timestamp()
        except ValueError:
            continue
    return 0.0


def moodle_worksheet(
    text: str, *, words: tuple[str, str, str, str], mark: str = ".", graded: Mapping[str, float] | None = None
) -> dict[str, float]:
    """The grades that Moodle takes over, by participant. `words` are the site's for Identifier, Grade, Last modified
    (grade) and Participant; `graded` are the times of the grade records that Moodle has."""
    identifier, grade, modified, participant = words
    taken = {}
    for row in csv.DictReader(io.StringIO(text)):
        person = row[identifier][len(participant) :]
        value = row[grade].strip()
        is_stale = bool(graded and person in graded and graded[person] > php_time(row[modified]) + 60)
        if value and unformat_float(value, mark) >= 0 and not is_stale:
            taken[person] = unformat_float(value, mark)
    return taken


def moodle_grades(
    text: str,
    key: str,
    users: Mapping[str, str],
    *,
    stamp: str | None = None,
    graded: Mapping[str, int] | None = None,
) -> dict[str, float]:
    """The grades by user; a single unknown user, or a grade that was given after the export, stops everything."""
    taken = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row[key] not in users:
            raise LookupError(row[key])
        user = users[row[key]]
        if stamp and graded and graded.get(user, 0) > int(row[stamp]):
            raise PermissionError(user)
        taken[user] = unformat_float(row["Grade"], ".")
    return taken


def canvas(text: str, assignment: str) -> dict[str, str]:
    """The scores of an assignment, given by its id, by Canvas' user id."""
    rows = list(csv.reader(io.StringIO(text)))
    header = rows[0]
    if len(header) <= 3 or "Student" not in header[0] or "ID" not in header[1] or "Section" not in header:
        raise ValueError("Invalid header row")
    places = [place for place, heading in enumerate(header) if re.search(rf"\({assignment}\)\s*$", heading)]
    place = places[0]
    taken = {}
    for row in rows[1:]:
        if "Points Possible" in row[0] or not row[1]:
            continue
        score = row[place].strip()
        if re.fullmatch(r"-?[\d.,]+", score):  # the last comma or point is the decimal mark
            whole, _, part = re.sub(r"[.,](?=.*[.,])", "", score).replace(",", ".").partition(".")
            score = f"{whole}.{part}" if part else whole
        taken[row[1]] = score
    return taken


def prairielearn(
    text: str, submissions: list[dict[str, str]], *, instance: str = "1"
) -> tuple[dict[str, float], list[str]]:
    """The scores in percent by user or team, and the errors. Columns that are missing are not the same as empty ones:
    with an id of a submission, `uid` (or `group_name`) and `qid` are compared, and what is undefined equals nothing."""
    taken: dict[str, float] = {}
    errors = []
    for raw in csv.DictReader(io.StringIO(text)):
        row = {key.lower(): value for key, value in raw.items()}
        given = {key: row.get(key) or None for key in ("submission_id", "instance")}
        who = row.get("group_name") or row.get("uid", "undefined") or None
        qid = row.get("qid", "undefined") or None
        found = next(
            (
                one
                for one in submissions
                if one["id"] == given["submission_id"]
                or (not given["submission_id"] and (one["who"], one["qid"], instance) == (who, qid, given["instance"]))
            ),
            None,
        )
        if found is None or (who and found["who"] != who) or (qid and found["qid"] != qid):
            errors.append(str(row))
        elif row["score_perc"]:
            taken[found["who"]] = float(row["score_perc"])
    return taken, errors
