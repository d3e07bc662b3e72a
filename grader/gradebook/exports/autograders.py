"""Gradescope's `results.json`, and PrairieLearn's CSV file for *Upload scores* and `results.json` of its external
graders.

In Gradescope, the top-level score overrides the sum of the tests, so lateness counts. No test is hidden, as one hidden
test would hide the total. A test that awaits a person has no score, so that it is shown as a remark.

In PrairieLearn, scores are uploaded in percent of the question; a blank cell leaves the score unchanged. A result is at
most 1 MB.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, BinaryIO, Final

from grader.cohort.rows import MappedSequence
from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table, csv_text, read_table
from grader.gradebook.exports.outcome import (
    FORMULA_STARTS,
    Absence,
    Content,
    ExportedFiles,
    ExportOptions,
    Gradable,
    Pending,
    absences,
    cell,
    feedback_line,
    format_points,
    gradable,
    language_by,
    plain_number,
    rows_of,
)
from grader.gradebook.people import Person, column_called, join_names, keys_of, persons_of
from grader.message import PERSON_DECIDES, Language, once_decided, say
from grader.result import AppliedOverride, ItemResult, Result

_LONGEST: Final = 20_000
_NEXT: Final = (
    "have an autograder of your own copy each student's file to /autograder/results/results.json; "
    "`grade package gradescope` makes one that grades at every upload."
)


def gradescope(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """A file for each student; a single one is called `results.json`. Students with pending points are included, as
    each file marks the pending items."""
    ready = gradable(results, wanted, Pending.SCORE)
    files = _each(ready, results_json)
    if len(files) == 1:
        files = (("results.json", files[0][1]),)
    return ExportedFiles(files, ready.notes, len(files), len(files), _NEXT)


def _each(ready: Gradable, made: Callable[[Result], bytes]) -> Sequence[tuple[str, Content]]:
    """A file for each student, whose content is made when it is written."""

    def file(place: int) -> tuple[str, Content]:
        def write(into: BinaryIO) -> None:
            into.write(made(ready.results[place]))

        return f"{ready.students[place]}/results.json", write

    return MappedSequence(range(len(ready.students)), file)


def results_json(result: Result) -> bytes:
    """The text of `results.json`, with everything visible."""
    return (json.dumps(results_data(result), ensure_ascii=False) + "\n").encode("utf-8", errors="replace")


def results_data(result: Result, visibility: str = "visible") -> dict[str, Any]:
    """Return the content for `results.json`; `visibility` is that of the items."""
    language = language_by(result.language)
    numbers = {question.id: place for place, question in enumerate(result.questions, 1)}
    seen: dict[str, int] = {}
    tests = []
    for item in result.items:
        seen[item.question] = seen.get(item.question, 0) + 1
        test: dict[str, Any] = {
            "name": f"{item.title} ({item.id})",
            "number": f"{numbers.get(item.question, 0)}.{seen[item.question]}",
            "output": explain_item(item, language),
            "visibility": visibility,
        }
        if not item.pending:
            status = "passed" if item.score == item.max_score else "failed"
            test |= {"score": float(item.score), "max_score": float(item.max_score), "status": status}
        tests.append(test)
    return {
        "score": float(result.score),
        "output": feedback_line(result),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"lab": result.lab.id, "student": result.student.id, "needs_review": result.needs_review},
    }


def explain_item(item: ItemResult, language: Language) -> str:
    """An item as text for the student: what was read, what is expected, and the feedback."""
    put = item.override
    parts = (
        PERSON_DECIDES if item.pending else "",
        _decision(put, language) if put else "",
        item.feedback if item.pending else once_decided(item.feedback, language),
        *dict.fromkeys(diagnosis.text for diagnosis in item.diagnoses if diagnosis.text not in item.feedback),
        say("Read: {found}", found=item.found) if item.found else "",
        say("Right: {expected}", expected=item.expected) if item.expected else "",
    )
    return "\n".join(language.say(part) for part in parts if part)[:_LONGEST]


def _decision(put: AppliedOverride, language: Language) -> str:
    if put.reason:
        return say("Decided by {author}: {reason}", author=put.author, reason=put.reason)
    return say("Decided by {author} on {day}.", author=put.author, day=language.day(put.date))


_PRAIRIELEARN_NEXT: Final = "in PrairieLearn: the assessment, Uploads, Upload new question scores, choose this file."
_OF_RESULTS: Final = (
    "have an external grader of your own copy each student's file to /grade/results/results.json; "
    "`grade package prairielearn` makes one that grades at every upload."
)
_LARGEST: Final = 1_000_000
PRAIRIELEARN_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "submission_id": ("submission id",),
    "uid": ("uid",),
    "group_name": ("group name", "team name"),
    "instance": ("instance", "assessment instance"),
    "qid": ("qid", "question"),
}
"""The columns that an upload needs, and what PrairieLearn's own exports call them."""


def prairielearn(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """The file of scores, with the rows of PrairieLearn's own export or one for each student's address."""
    ready = gradable(results, wanted)
    if wanted.into is not None:
        head, body, notes = _from_export(ready, wanted)
    else:
        head, body, notes = _from_addresses(ready.results, wanted)
    text = csv_text([[*head, "score_perc", *(["feedback"] if wanted.feedback else [])], *body])
    return ExportedFiles(
        (("prairielearn.csv", text.encode()),), (*ready.notes, *notes), len(body), len(body), _PRAIRIELEARN_NEXT
    )


def prairielearn_results(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """A result file for each student; a single one is called `results.json`."""
    ready = gradable(results, wanted, Pending.SCORE)
    files = _each(ready, grading_json)
    return ExportedFiles((("results.json", files[0][1]),) if len(files) == 1 else files, ready.notes, next=_OF_RESULTS)


def grading_json(result: Result) -> bytes:
    """The bytes of `results.json`, with texts shortened if it would become too large."""
    content = b""
    for longest in (20_000, 2_000, 200, 0):
        content = (json.dumps(_grading(result, longest), ensure_ascii=False) + "\n").encode(errors="replace")
        if len(content) <= _LARGEST:
            break
    return content


def _grading(result: Result, longest: int) -> dict[str, Any]:
    """The content of `results.json`. Pending points never count as zero: their test has no points, which is shown as
    neutral, and the score covers decided points only. If nothing is decided, the hand-in is not gradable yet, which
    costs no attempt."""
    language = language_by(result.language)
    if not result.submission.files and result.error is None:
        return {"gradable": False, "format_errors": [language.say(say("No file was found in this submission."))]}
    decided = result.max_score - sum((item.pending for item in result.items), Decimal(0))
    if result.error or decided <= 0:
        problem = say(
            "Nothing could be decided without a person. No attempt is lost: a person will grade this submission."
        )
        return {"gradable": False, "format_errors": [language.say(problem)]}
    tests = [
        {
            "name": f"{item.title} ({item.id})"[: max(longest, 80)],
            "points": 0.0 if item.pending else float(item.score),
            "max_points": 0.0 if item.pending else float(item.max_score),
            "message": explain_item(item, language)[:longest],
        }
        for item in result.items
    ]
    message = feedback_line(result)
    if result.pending:
        so_far = say(
            "This score counts only the {decided:f} points that are decided so far.", decided=plain_number(decided)
        )
        message = f"{language.say(so_far)} {message}"
    score = float(min(result.score / decided, Decimal(1)))
    return {"gradable": True, "score": score, "message": message, "tests": tests}


def _from_export(ready: Gradable, wanted: ExportOptions) -> tuple[list[str], list[list[str]], tuple[str, ...]]:
    """The rows of PrairieLearn's file. The ids are kept as they are: PrairieLearn compares them letter by letter."""
    assert wanted.into is not None  # noqa: S101
    table = read_table(wanted.into)
    keys = keys_of(table)
    kept = {
        name: place
        for name, headings in PRAIRIELEARN_KEYS.items()
        if (place := column_called(keys, headings)) is not None
    }
    where = table.place_of_row(table.header)
    if "qid" not in kept or not kept.keys() & {"uid", "group_name"} or not kept.keys() & {"submission_id", "instance"}:
        raise GradebookError(
            f"{where}: columns are missing; it needs `uid` or `group_name`, `qid`, and `submission_id` or `instance`."
        )
    questions = dict.fromkeys(table.text(row, kept["qid"]) for row in table.data_rows)
    if len(questions) > 1 and wanted.question not in questions:
        raise GradebookError(f"{where}: which question is it? Name one by --qid. There are: {join_names(questions)}.")
    only = [row for row in table.data_rows if wanted.question in (None, table.text(row, kept["qid"]))]
    rows = rows_of(table, by_team(table, ready.results), by_team(table, ready.left), only)
    absent, absent_notes = absences(rows, wanted, {Absence.ZERO: "0"})
    cells = {row: [zero, *([""] if wanted.feedback else [])] for row, zero in absent.items()}
    cells |= {row: _scores(result, wanted) for row, result in rows.rows.items()}
    body = [[*(table.text(row, place) for place in kept.values()), *cells[row]] for row in only if row in cells]
    return list(kept), body, (*rows.notes, *absent_notes)


def by_team(table: Table, results: Sequence[Result]) -> Sequence[Result]:
    """The results for a file of PrairieLearn's: where its rows are teams and not people, a team whose members a roster
    tells is found by its own name."""
    keys = keys_of(table)
    if column_called(keys, PRAIRIELEARN_KEYS["uid"]) is not None:
        return results

    def alone(place: int) -> Result:
        result = results[place]
        who = result.student.identity
        if who is None or not (who.login and who.members):
            return result
        team = result.student.model_copy(update={"identity": who.model_copy(update={"members": ()})})
        return result.model_copy(update={"student": team})

    return MappedSequence(range(len(results)), alone)


def _from_addresses(
    results: Sequence[Result], wanted: ExportOptions
) -> tuple[list[str], list[list[str]], tuple[str, ...]]:
    if not wanted.question:
        raise GradebookError(
            "prairielearn: name the question by --qid ID, or PrairieLearn's own export by --into FILE."
        )
    if wanted.absent is not Absence.BLANK:
        raise GradebookError("--absent: name PrairieLearn's own export by --into FILE, which says who is in the class.")
    rows: list[tuple[str, str, Result]] = []
    without = []
    for result in results:
        for person in persons_of(result):
            uid, team = _user_or_team(person)
            if uid or team:
                rows.append((uid, team, result))
            else:
                without.append(person.label)
    has_teams = any(team for _, team, _ in rows)
    notes = (f"no e-mail address is known, so left out: {join_names(without)}",) if without else ()
    body = [
        [uid, *([team] if has_teams else []), str(wanted.instance), wanted.question, *_scores(result, wanted)]
        for uid, team, result in rows
    ]
    return ["uid", *(["group_name"] if has_teams else []), "instance", "qid"], body, notes


def _user_or_team(person: Person) -> tuple[str, str]:
    """The address, as it is written, since PrairieLearn tells addresses apart by their case; else the name of the team
    that PrairieLearn's download begins with. What begins like a formula is neither."""
    uid = next((text for text in (person.email, person.login, person.unsaid) if "@" in text), "")
    team = person.login if not uid and person.login and person.text.startswith(f"{person.login}_") else ""
    return ("", "") if (uid or team).startswith(FORMULA_STARTS) else (uid, team)


def _scores(result: Result, wanted: ExportOptions) -> list[str]:
    percent = format_points(100 * result.score / result.max_score) if result.max_score else "0"
    return [percent, *([cell(feedback_line(result))] if wanted.feedback else [])]
