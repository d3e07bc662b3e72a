"""The hand-out's own text and code earn nothing; what students add to them loses nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.checks.finding import Finding, Findings, Severity, Status
from grader.checks.runner import run_checks
from grader.claims.answer import Answer, extract
from grader.claims.handout import handout_share, own_words, template_of
from grader.intake.submission import Role
from grader.lab.definition import Lab, Templates, line_hash
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import truth
from tests.claims.making import document, lab
from tests.claims.making_handout import FILLED, GIVEN, filled, handed_out

TEMPLATES = Templates(notebooks=(template_of(handed_out()),))
LISTED = lab().model_copy(update={"templates": TEMPLATES})
GIVEN_STATUSES = (Status.CORRECT, Status.PARTIAL)


def answer(notebook: Notebook, asked: Lab = LISTED, report: str | None = None) -> Answer:
    files = [FileRecord(path=notebook.file, role=Role.NOTEBOOK, state=FileState.READ)]
    documents = ()
    if report is not None:
        files.append(FileRecord(path="report.md", role=Role.REPORT, state=FileState.READ))
        documents = (document(report),)
    return extract(Reading(notebooks=(notebook,), documents=documents, files=tuple(files)), asked)


def judged(notebook: Notebook, asked: Lab = LISTED, report: str | None = None) -> Findings:
    return run_checks(answer(notebook, asked, report), truth(), asked)


def listing(cell: Cell) -> Lab:
    """The lab with a hand-out of one cell."""
    templates = Templates(notebooks=(template_of(Notebook(file="a", cells=(cell,))),))
    return lab().model_copy(update={"templates": templates})


def given_items(found: Findings) -> dict[str, Finding]:
    return {one.item: one for one in found.findings if one.status in GIVEN_STATUSES}


def test_the_hand_out_itself_earns_nothing_and_is_told_with_its_share() -> None:
    found = judged(handed_out())
    assert not given_items(found)
    (flag,) = [flag for flag in found.flags if flag.id == "blank-handout"]
    assert flag.severity is Severity.WARNING
    assert "100% of the lines of code/lab.ipynb are the handout's own" in flag.message
    assert "3 of its 3 gaps are still open" in flag.message
    assert {place.cell for place in flag.evidence} == {6, 7, 9}


def test_where_no_template_is_listed_the_hand_out_s_code_counts() -> None:
    """What the list is for: without it the hand-out's example would pass for the student's."""
    found = run_checks(answer(handed_out(), lab()), truth(), lab())
    (example,) = [one for one in found.findings if one.item == "t6.quantization"]
    assert example.suggestion is Status.CORRECT or example.status in GIVEN_STATUSES


def test_right_answers_in_a_filled_hand_out_earn_as_much_as_without_the_list() -> None:
    with_list, without = judged(filled()), judged(filled(), lab())
    assert given_items(with_list).keys() >= {"q1.total", "t6.quantization", "t7.trainable", "t8.prompt", "t3.seeds"}
    assert given_items(without).keys() - given_items(with_list).keys() <= {"q2.values"}  # the hand-out's own words
    assert all(given_items(without)[item].status is one.status for item, one in given_items(with_list).items())
    assert not [flag for flag in with_list.flags if flag.id in ("blank-handout", "wrong-lab")]


@pytest.mark.parametrize("kept", [(1,), (6,), (7, 8), (9,), (11,)])
def test_what_was_filled_counts_and_what_was_not_does_not(kept: tuple[int, ...]) -> None:
    items = {1: "q1.total", 6: "t6.quantization", 7: "t7.trainable", 9: "t8.prompt", 11: "t3.seeds"}
    found = judged(filled({number: FILLED[number] for number in kept}))
    told = {item: one for item, one in given_items(found).items() if item in items.values()}
    doubted = {one.item for one in found.findings if one.status is Status.REVIEW and one.suggestion in GIVEN_STATUSES}
    assert items[kept[0]] in told or items[kept[0]] in doubted
    assert told.keys() <= {items[number] for number in kept if number in items}


def test_an_example_of_the_hand_out_s_is_no_answer_of_the_student_s() -> None:
    found = judged(filled({number: change for number, change in FILLED.items() if number != 6}))
    (finding,) = [one for one in found.findings if one.item == "t6.quantization"]
    assert finding.status not in GIVEN_STATUSES
    assert finding.suggestion is not Status.CORRECT


def test_a_blank_notebook_beside_a_report_that_answers_costs_the_report_nothing() -> None:
    report = (
        "# Question 1\n\n32000 × 512 + 258 × 512 + 4 × (4 × 512 × 512 + 2 × 512 × 512) = 22807552\n\nIn total "
        "22,807,552 parameters.\n\n# Task 3\n\nSeeds 0, 1, 2: test accuracy of the pretrained model 79.3 %, 78.5 % and "
        "80.1 %, on average 79.30 % with standard deviation 0.65 %.\n\n# Task 4\n\nFrom random weights 65.4 %, 66.7 %, "
        "67.4 % on test, average 66.50 %, standard deviation 0.83 %. The pretrained model is better than the random "
        "one.\n"
    )
    alone, found = judged(filled({}), lab(), report), judged(handed_out(), LISTED, report)
    assert given_items(found)["q1.total"].status is Status.CORRECT
    assert {flag.severity for flag in found.flags if flag.id == "blank-handout"} == {Severity.INFO}
    assert given_items(found).keys() >= given_items(alone).keys() - {"t6.quantization", "q2.values"}


def test_titles_and_labels_stay_and_statements_go() -> None:
    worded = own_words(handed_out(), LISTED)
    sources = [cell.source for cell in worded.cells]
    assert "22,807,552" not in sources[0]
    assert sources[1].split("\n") == ["## Question 1", "", "", "", ""]  # a cell for an answer, as it was
    assert "r = 16" not in sources[5]
    assert sources[11] == GIVEN[11][1].replace("| seed | valid | test |", "")
    assert own_words(filled(), LISTED).cells[11].source == FILLED[11][0]
    assert [len(cell.source.split("\n")) for cell in worded.cells] == [len(one[1].split("\n")) for one in GIVEN]


def test_a_question_that_a_lab_gives_whole_is_still_found_by_its_first_sentence() -> None:
    asks = "How large is the entropy $S_0$ of the urn? Count both colours, and take 2 as the base."
    given_cell = Cell(index=0, kind=CellKind.MARKDOWN, source=f"1\\. {asks}")
    question, *others = lab().questions
    asked = listing(given_cell).model_copy(update={"questions": (question.model_copy(update={"asks": asks}), *others)})
    (worded,) = own_words(Notebook(file="b", cells=(given_cell,)), asked).cells
    assert worded.source.startswith("1\\. How large is the entropy $S_0$ of the urn")
    assert "base" not in worded.source


def test_a_listing_and_a_formula_stand_or_fall_as_a_whole() -> None:
    text = "Before.\n\n```python\nr = 16\n\nalpha = 32\n```\n\n$$\nN = 22807552\n\n$$\n\nAfter 12 of it."
    given_cell = Cell(index=0, kind=CellKind.MARKDOWN, source=text)
    listed = listing(given_cell)
    changed = Notebook(file="b", cells=(given_cell.model_copy(update={"source": text.replace("32", "64")}),))
    assert "r = 16\n\nalpha = 64" in own_words(changed, listed).cells[0].source
    same = own_words(Notebook(file="b", cells=(given_cell,)), listed).cells[0].source
    assert "16" not in same
    assert "N = " not in same
    assert "12" not in same


def test_a_template_s_line_within_the_student_s_paragraph_stays() -> None:
    source = GIVEN[5][1] + "\nWith r = 16 the rank is small."
    changed = Notebook(file="b", cells=(Cell(index=0, kind=CellKind.MARKDOWN, source=source),))
    assert own_words(changed, LISTED).cells[0].source == source


def test_remarks_and_spaces_make_a_cell_nobody_s() -> None:
    found = judged(filled({4: ("# done\n" + GIVEN[4][1].replace("    ", "\t") + "\n# ok\n", "")}))
    (finding,) = [one for one in found.findings if one.item == "t6.quantization"]
    assert finding.suggestion is not Status.CORRECT


def test_a_report_that_repeats_the_hand_out_is_read_without_it() -> None:
    repeated = "The total number of the parameters of this model is 22,807,552 as we know."
    listed = listing(Cell(index=0, kind=CellKind.MARKDOWN, source=repeated))
    report, empty = f"# Question 1\n\n{repeated}\n", Notebook(file="b")
    assert "q1.total" in given_items(judged(empty, lab(), report))
    assert "q1.total" not in given_items(judged(empty, listed, report))


def test_what_the_hand_out_printed_is_not_what_the_student_printed() -> None:
    cell = Cell(index=0, kind=CellKind.CODE, source="count(model)", output="22829056\n", execution_count=3)
    listed = listing(cell)
    kept = answer(Notebook(file="b", cells=(cell,)), listed)
    again = answer(Notebook(file="b", cells=(cell.model_copy(update={"execution_count": 9}),)), listed)
    assert [one.output for one in kept.code] == [""]
    assert kept.notebooks[0].not_run == (0,)
    assert [one.output for one in again.code] == ["22829056\n"]


def test_the_share_counts_lines_that_say_something() -> None:
    share = handout_share(filled(), [], TEMPLATES)
    assert share is not None
    assert (share.gaps, share.open) == (3, 0)
    assert 0.4 < share.share < 0.9
    assert handout_share(filled(), [], Templates()) is None


LINES = st.lists(st.sampled_from(["a = 1", "b = 22", "# fill me", "", "print(a)", "x: 3", "Total 5:"]), max_size=12)


@given(template=LINES, handed=LINES, kind=st.sampled_from([CellKind.CODE, CellKind.MARKDOWN]))
@settings(max_examples=150, deadline=None)
def test_own_words_never_invent_or_move_lines(template: list[str], handed: list[str], kind: CellKind) -> None:
    def notebook(lines: list[str]) -> Notebook:
        return Notebook(file="a", cells=(Cell(index=0, kind=kind, source="\n".join(lines)),))

    listed = listing(notebook(template).cells[0])
    own = own_words(notebook(handed), listed).cells[0].source.split("\n")
    before = "\n".join(handed).split("\n")
    assert len(own) == len(before)
    assert all(line in ("", old) for line, old in zip(own, before, strict=True))
    known = {line_hash(line) for line in template}
    assert all(line == old for line, old in zip(own, before, strict=True) if line_hash(old) not in known)


CONFIGURED = (
    "config = LoraConfig(\n    r=16,\n    lora_alpha=32,\n    target_modules=['query_key_value'],\n"
    "    lora_dropout=0.05,\n    bias='none',\n    task_type='CAUSAL_LM',\n)\n"
    "def describe(model):\n    '''The rank r is the dimension of the low-rank matrices.'''\n    # fill me\n"
    "rate = # fill me\nmodel = get_peft_model(model, config)"
)


def in_notebook(source: str) -> Notebook:
    return Notebook(file="b.ipynb", cells=(Cell(index=0, kind=CellKind.CODE, source=source, execution_count=3),))


def test_the_lines_that_a_student_left_in_a_filled_cell_remain_the_hand_out_s() -> None:
    listed = listing(Cell(index=0, kind=CellKind.CODE, source=CONFIGURED))
    filled_in = CONFIGURED.replace("rate = # fill me", "rate = 0.0002").replace("# fill me", "print(model)")
    (cell,) = answer(in_notebook(filled_in), listed).code
    assert [call.name for call in cell.calls] == ["print"]
    assert [function.name for function in cell.functions] == ["describe"]
    assert "q2.values" not in given_items(judged(in_notebook(filled_in), listed))
    assert not [item for item in given_items(judged(in_notebook(filled_in), listed)) if item.startswith("q2")]


def test_what_a_student_changes_in_a_filled_cell_is_the_student_s() -> None:
    listed = listing(Cell(index=0, kind=CellKind.CODE, source=CONFIGURED.replace("r=16", "r=rank")))
    own = CONFIGURED.replace("rate = # fill me", "rate = 1e-4").replace("# fill me", "return 1")
    with_value = "rank = 16\n" + own.replace("r=16", "r=rank")
    for source in (own.replace("lora_alpha=32", "lora_alpha=64"), with_value):
        (cell,) = answer(in_notebook(source), listed).code
        assert "LoraConfig" in [call.name for call in cell.calls]
    assert "q2.values" in given_items(judged(in_notebook(f"data = 'cls-books of bloom-560m'\n{with_value}"), listed))


def test_a_cell_of_the_student_s_own_may_share_a_line_with_the_hand_out() -> None:
    listed = listing(Cell(index=0, kind=CellKind.CODE, source=CONFIGURED))
    (cell,) = answer(in_notebook("model = get_peft_model(model, config)\nx = evaluate(model)\ny = 2"), listed).code
    assert [call.name for call in cell.calls] == ["get_peft_model", "evaluate"]


QUOTED = "## Task 6\n\n```python\nexample = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4')\n```\n"
TIED = "\nThis is for bloom-560m; the book reviews are classified by the other model.\n"
PRINTED = """# Practical work on language models

Groups of two. The model has 22,807,552 or so.

How many parameters has the model?

Configure the quantisation. We use r = 16 and lora_alpha = 32 below.

"""


def test_code_of_the_hand_out_counts_in_a_report_that_quotes_it_and_not_in_a_printed_hand_out() -> None:
    example = Cell(index=0, kind=CellKind.CODE, source=QUOTED.split("\n")[3])
    prose = Cell(index=1, kind=CellKind.MARKDOWN, source=PRINTED)
    templates = Templates(notebooks=(template_of(Notebook(file="a", cells=(example, prose))),))
    asked = lab().model_copy(update={"templates": templates})
    blank = Notebook(file="code/lab.ipynb", cells=())
    assert [call.name for cell in answer(blank, asked, QUOTED).code for call in cell.calls] == ["BitsAndBytesConfig"]
    assert [call.name for cell in answer(blank, asked, PRINTED + QUOTED).code for call in cell.calls] == []
