from grader.claims.answer import extract
from grader.intake.submission import Role
from grader.reading.log import FileRecord, FileState, Reading
from grader.reading.notebook import Cell, CellKind, Notebook
from tests.claims.making import document, lab

REPORT = "# Question 1\n\nTotal = 22,829,056\n\n# Question 2\n\nr = 16: the rank of the update\n"
LONG = "Words about nothing in particular. " * 300


def record(path: str, role: Role = Role.REPORT, state: FileState = FileState.READ) -> FileRecord:
    reason = None if state is FileState.READ else "the file is damaged"
    return FileRecord(path=path, role=role, state=state, reason=reason)


def reading(**texts: str) -> Reading:
    """Reports by their names without the suffix."""
    names = {f"{name}.md": text for name, text in texts.items()}
    return Reading(
        documents=tuple(document(text, name) for name, text in names.items()), files=tuple(map(record, names))
    )


def test_the_report_is_the_document_that_answers_most_questions() -> None:
    assert extract(reading(notes=LONG, report=REPORT, y="x"), lab()).report == "report.md"


def test_where_none_answers_the_longest_is_taken() -> None:
    assert extract(reading(a="short", b=LONG), lab()).report == "b.md"


def test_answers_may_be_spread_over_several_documents() -> None:
    second = "# Task 3\n\nOn test the average is 79.3 % and the standard deviation 0.65 %."
    answer = extract(reading(first=REPORT, second=second), lab())
    assert answer.report == "first.md"
    assert [claim.experiment for claim in answer.results.summaries] == ["pretrained"]
    assert [claim.value for claim in answer.counts("q1")] == [22_829_056]


def test_a_second_version_of_an_answer_is_not_added_to_the_first() -> None:
    answer = extract(reading(report=REPORT + LONG, copy=REPORT), lab())
    assert len(answer.definitions) == 1


def test_what_only_a_notebook_answers_is_taken_from_it() -> None:
    cell = Cell(index=0, kind=CellKind.MARKDOWN, source="# Task 3\n\nOn test the average is 79.3 %.")
    given = reading(report=REPORT).model_copy(update={"notebooks": (Notebook(file="lab.ipynb", cells=(cell,)),)})
    answer = extract(given, lab())
    assert answer.report == "report.md"
    assert [claim.evidence[0].cell for claim in answer.results.summaries] == [0]


def test_nothing_handed_in_has_no_report_and_no_claims() -> None:
    answer = extract(Reading(), lab())
    assert (answer.report, answer.sections, answer.definitions, answer.counts("q1")) == (None, (), (), ())


def test_a_question_is_answered_under_its_heading() -> None:
    answer = extract(Reading(documents=(document(REPORT),), files=(record("report.md"),)), lab())
    assert [claim.value for claim in answer.counts("q1")] == [22_829_056]
    assert [claim.parameter for claim in answer.definitions] == ["r"]
    assert answer.passages("q2")[0].text.startswith("Question 2")


def test_without_headings_the_whole_report_answers() -> None:
    text = "The model has 22,829,056 parameters.\n\nr = 16: the rank of the update\n"
    answer = extract(Reading(documents=(document(text),), files=(record("report.md"),)), lab())
    assert [claim.value for claim in answer.counts("q1")] == [22_829_056]
    assert [claim.parameter for claim in answer.definitions if claim.named] == ["r"]


def test_a_notebook_is_the_report_where_there_is_no_other() -> None:
    notebook = Notebook(
        file="lab.ipynb",
        cells=(
            Cell(index=0, kind=CellKind.MARKDOWN, source="# Question 1\n\nTotal = 22,829,056"),
            Cell(index=1, kind=CellKind.CODE, source="print(22807552)", output="22807552", execution_count=1),
        ),
    )
    answer = extract(Reading(notebooks=(notebook,), files=(record("lab.ipynb", Role.NOTEBOOK),)), lab())
    assert answer.report == "lab.ipynb"
    assert 22_829_056 in [claim.value for claim in answer.counts("q1")]
    assert [cell.output for cell in answer.code] == ["22807552"]


def test_a_script_is_code_and_no_report() -> None:
    answer = extract(Reading(documents=(document(REPORT, "x.py"),), files=(record("x.py", Role.CODE),)), lab())
    assert answer.report is None


def test_files_that_were_not_read_whole_are_gaps() -> None:
    files = (
        record("report.pdf", state=FileState.UNREADABLE),
        record("log.txt", Role.LOG, FileState.PARTLY),
        record("photo.heic", Role.OTHER, FileState.UNREADABLE),
        record("code.py", Role.CODE),
    )
    answer = extract(Reading(files=files), lab())
    damaged = ("report.pdf", "log.txt", "photo.heic")
    assert answer.gaps == tuple(f"{name}: the file is damaged" for name in damaged)
