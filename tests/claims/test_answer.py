import pytest

from grader.claims.answer import Answer, candidates, extract, reason_for_choice
from grader.intake.submission import Role
from grader.reading.document import Block, BlockKind, Document
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.reading import FileRecord, FileState, Reading
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


def test_definitions_are_found_under_a_number_of_the_students_own() -> None:
    defined = "- r: the rank of the update\n- lora_alpha: the scale of the update\n- bias: which biases are trained\n"
    text = f"# Question 2\n\nThe code counts 22,829,056.\n\n# Task 7\n\n{defined}"
    for written, found in ((text, ["r", "lora_alpha", "bias"]), (text.replace(defined, "- bias: we have none\n"), [])):
        answer = extract(Reading(documents=(document(written),), files=(record("report.md"),)), lab())
        assert [claim.parameter for claim in answer.definitions if claim.text] == found


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
    assert answer.not_read == tuple(f"{name}: the file is damaged" for name in damaged)


def notebook(*cells: str, outputs: tuple[str, ...] = ()) -> Notebook:
    """Cells of text where they begin with a heading, else of code, with what they put out."""
    made = (
        Cell(
            index=index,
            kind=CellKind.MARKDOWN if source.startswith("# ") else CellKind.CODE,
            source=source,
            output=outputs[index] if index < len(outputs) else "",
            execution_count=index + 1,
        )
        for index, source in enumerate(cells)
    )
    return Notebook(file="lab.ipynb", cells=tuple(made))


def beside(report: str, *notebooks: Notebook) -> Answer:
    return extract(reading(report=report).model_copy(update={"notebooks": notebooks}), lab())


FIGURES = "# Task 3\n\nOn test seed 1 reaches 79.30, seed 2 78.55, seed 3 80.15; the mean is 79.33."


def seeds(answer: Answer) -> list[str]:
    return [f"{one.experiment} {one.split} {one.seed} {one.value}" for one in answer.results.seeds]


RUNS = ["pretrained test 1 79.30", "pretrained test 2 78.55", "pretrained test 3 80.15"]


def test_what_a_notebook_states_counts_where_the_report_is_silent() -> None:
    assert seeds(beside(REPORT, notebook(FIGURES))) == RUNS
    assert seeds(beside("# Task 3\n\nOn test the mean is 77.33.", notebook(FIGURES))) == []


def test_what_an_exported_notebook_shows_is_read_as_a_notebook_is() -> None:
    blocks = (
        Block(kind=BlockKind.CODE, text="print('Task 3, test accuracy')", cell=0),
        Block(kind=BlockKind.OUTPUT, text="Task 3, test accuracy: seed 1 79.30, seed 2 78.55, seed 3 80.15", cell=0),
        Block(kind=BlockKind.OUTPUT, text="Task 3, mean test accuracy 79.33", cell=0),
    )
    page = Document(file="lab.html", exact=True, blocks=blocks)
    given = reading(report=REPORT).model_copy(update={"documents": (document(REPORT), page)})
    answer = extract(given, lab())
    assert seeds(answer) == RUNS
    assert [cell.file for cell in answer.code] == ["lab.html"]
    alone = given.model_copy(update={"documents": (page,), "files": (record("lab.html"),)})
    assert [one.seed for one in extract(alone, lab()).shown.seeds] == []


def test_notebooks_beside_a_report_are_noted_less_their_code() -> None:
    answer = beside(REPORT, notebook("# Task 3\n\nWe keep the best epoch.", "x = 5  # by validation\nprint(x)"))
    words = " ".join(section.passage.text for section in answer.noted)
    assert ("best epoch" in words, "by validation" in words, "print" in words) == (True, True, False)


def test_of_like_reports_one_that_was_made_to_be_read_is_taken() -> None:
    names = ("report.tex", "report.pdf", "report.xyz", "report.md")
    given = Reading(documents=tuple(document(REPORT, name) for name in names), files=tuple(map(record, names)))
    assert [one.file for one in candidates(given, lab())] == ["report.pdf", "report.md", "report.tex", "report.xyz"]


def test_why_a_report_is_the_answer_sheet() -> None:
    two = candidates(reading(notes=LONG, report=REPORT), lab())
    told = "2 questions named, 2 answers found; notes.md: no questions named, no answers found"
    assert str(reason_for_choice(two)) == told
    assert reason_for_choice(two[:1]) == ""
    assert reason_for_choice(()) == ""
    alone = candidates(Reading(notebooks=(notebook("# Question 1\n\nTotal = 22,829,056"),)), lab())
    assert str(reason_for_choice(alone)) == "no report was handed in, so the notebook is read as one"


def test_large_results_experiments_and_parameters_are_answers() -> None:
    texts = ("Total = 100,000", "Total = 99,999", FIGURES, "r = 16: the rank", FIGURES + "\n\nTotal = 100,000")
    given = [reading(report=text, other="x") for text in texts]
    assert [candidates(one, lab())[0].answers for one in given] == [1, 0, 1, 1, 2]


def test_what_programs_printed_stands_in_plain_texts_and_listings() -> None:
    texts = {"report.md": REPORT, "out.txt": "one\ntwo", "notes.md": "words\n\n```\nlisted\n```", "run.py": "print(1)"}
    files = [record(name, Role.CODE if name == "run.py" else Role.REPORT) for name in texts]
    documents = tuple(document(text, name) for name, text in texts.items())
    answer = extract(Reading(documents=documents, files=tuple(files)), lab())
    assert [(one.file, one.line) for one in answer.printed] == [("out.txt", 1), ("notes.md", 4)]
    assert "listed" in answer.printed[1].text


@pytest.mark.parametrize(
    ("name", "state", "role", "may"),
    [
        ("run.bat", FileState.IGNORED, Role.OTHER, True), ("code.ZIP", FileState.IGNORED, Role.OTHER, True),
        ("Makefile", FileState.IGNORED, Role.OTHER, True), ("a/LICENSE", FileState.IGNORED, Role.OTHER, False),
        (".gitignore", FileState.IGNORED, Role.OTHER, False), ("x.bin", FileState.IGNORED, Role.OTHER, False),
        ("run.bat", FileState.READ, Role.OTHER, False), ("run.bat", FileState.IGNORED, Role.LOG, False),
    ],
)  # fmt: skip
def test_files_that_may_be_programs_and_were_not_read(name: str, state: FileState, role: Role, may: bool) -> None:
    answer = extract(Reading(files=(record(name, role, state), record("plot.PNG", Role.OTHER))), lab())
    assert answer.unread == ((name,) if may else ())
    assert answer.pictures == ("plot.PNG",)
    assert answer.files == (name, "plot.PNG")


def test_a_model_that_was_not_read_is_no_gap() -> None:
    assert extract(Reading(files=(record("model.bin", Role.MODEL, FileState.UNREADABLE),)), lab()).gaps == ()


def test_where_a_word_or_a_picture_stands() -> None:
    answer = extract(reading(report="# Question 2\n\nLora Alpha scales.\n\n![a curve](curve.png)\n\nr = 16"), lab())
    found = answer.mention("lora_alpha")
    assert found is not None
    assert found.quote == "Lora Alpha scales."
    assert answer.mention("target_modules", "scales") is not None
    assert answer.mention("dropout") is None
    picture = answer.picture("q2")
    assert picture is not None
    assert picture.line == 5
    assert extract(reading(report=REPORT), lab()).picture() is None
    last = extract(reading(report="# Question 2\n\nSee the plot.\n\n![](curve.png)"), lab()).picture("q2")
    assert last is not None, "a picture without words may end a text"
    assert last.line == 5


def test_references_answer_nothing_that_no_heading_names() -> None:
    text = "Total = 22,829,056\n\n# References\n\nSmith (2019), 11,111,111 words."
    answer = extract(reading(report=text), lab())
    assert [one.value for one in answer.counts("q1")] == [22_829_056]
    assert [one.value for one in answer.counts("q1", least=30_000_000)] == []


def test_code_that_was_followed_is_not_written() -> None:
    text = "# Question 1\n\nIn words.\n\n```python\n# counted here\nx = 22829056\nprint(x)\n```"
    answer = extract(reading(report=text), lab())
    written = "\n".join(section.passage.text for section in answer.written)
    assert "In words" in written
    assert "counted here" in written
    assert "x = 22829056" not in written
