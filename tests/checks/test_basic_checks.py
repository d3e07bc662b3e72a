"""The checks that every course needs, on answers that were written before them."""

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pytest

from grader.checks.check import Conclusion
from grader.checks.finding import UNDECIDED, Finding, Status
from grader.checks.registry import check_of
from grader.claims.answer import extract
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.basic_answers import (
    CHOICE,
    NUMBERS,
    PRINTED,
    PRINTED_OPTIONS,
    TABLES,
    WORDS,
    Case,
    R,
)
from tests.checks.making import CONCLUDED, concluded, truth
from tests.claims.making import document

NOTEBOOK = "lab.ipynb"


def lab_with(check: str, options: dict[str, Any], words: tuple[str, ...] = (), title: str = "T", **more: Any) -> Lab:
    """A lab of one question with one item."""
    item = {"id": "p1.x", "title": title, "points": "1", "check": check, "options": options}
    question = {"id": "p1", "title": "T", "labels": ["problem 1", "p1"], "words": words, "items": [item]}
    return Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question], **more})


def judged(lab: Lab, report: str | None, cells: Iterable[Cell] = (), item: str = "p1.x") -> Finding:
    """What the check of an item concludes about a report and the cells of a notebook."""
    numbered = tuple(cell.model_copy(update={"index": index}) for index, cell in enumerate(cells))
    files = [FileRecord(path="report.md", role=Role.REPORT, state=FileState.READ)] if report is not None else []
    files += [FileRecord(path=NOTEBOOK, role=Role.NOTEBOOK, state=FileState.READ)] if numbered else []
    reading = Reading(
        documents=(document(report),) if report is not None else (),
        notebooks=(Notebook(file=NOTEBOOK, cells=numbered),) if numbered else (),
        files=tuple(files),
    )
    asked = next(one for one in lab.items if one.id == item)
    found: list[Conclusion] = list(
        check_of(asked).bind_options(asked)(answer=extract(reading, lab), truth=truth(), lab=lab)
    )
    (finding,) = (one for one in found if isinstance(one, Finding))
    concluded(found, finding)
    return finding


def verdict(case: Case, text: str) -> Finding:
    report = text if text.startswith("#") else f"# Problem 1\n\n{text}\n"
    return judged(lab_with(case.check, case.options, case.words), report)


def printed(options: dict[str, Any], *cells: tuple[str, str]) -> Finding:
    made = [Cell(index=0, kind=CellKind.CODE, source=code, output=out, execution_count=1) for code, out in cells]
    return judged(lab_with("printed-value", options, ("rmse",)), None, made)


def tally(judgements: Iterable[tuple[str, Finding]], name: str) -> Counter[str]:
    """How many answers were decided, and how many of these rightly; what must never be is asserted."""
    counted: Counter[str] = Counter()
    for kind, finding in judgements:
        counted["all"] += 1
        gained = finding.status in (Status.CORRECT, Status.PARTIAL)
        withheld = finding.status in (Status.INCORRECT, Status.MISSING, Status.PARTIAL)
        assert not (kind != R and gained), f"points for nothing: {finding}"
        assert not (kind == R and withheld), f"a right answer is called wrong: {finding}"
        assert finding.status is not Status.ERROR
        if finding.status not in UNDECIDED:
            counted["decided"] += 1
            assert finding.evidence or finding.status is Status.MISSING
    print(f"{name}: {counted['decided']} of {counted['all']} decided, all of them rightly")
    CONCLUDED.clear()  # as `test_kept_verdicts` keeps them
    return counted


@pytest.mark.parametrize("cases", [NUMBERS, CHOICE, TABLES, WORDS], ids=["numbers", "choice", "tables", "words"])
def test_nothing_is_decided_wrongly_and_most_is_decided(cases: tuple[Case, ...]) -> None:
    for case in cases:
        counted = tally(((kind, verdict(case, text)) for kind, text in case.answers), case.check)
        assert counted["decided"] >= 0.6 * counted["all"] or case.check == "contains"


def test_what_code_printed() -> None:
    counted = tally(((one.kind, printed(PRINTED_OPTIONS, (one.code, one.output))) for one in PRINTED), "printed-value")
    assert counted["decided"] >= 0.7 * counted["all"]


def test_a_known_wrong_number_is_explained_and_may_earn_a_share() -> None:
    known = {"value": 4096, "why": "The pooling is left out.", "share": 0.25}
    lab = lab_with("numeric-answer", {"value": 1024, "wrong": [known]})
    found = judged(lab, "# Problem 1\n\n16 × 16 × 16 = 4096\n")
    assert (found.status, found.share) == (Status.PARTIAL, known["share"])
    assert [one.text for one in found.diagnoses] == ["The pooling is left out."]
    assert found.evidence[0].quote == "16 × 16 × 16 = 4096"


def test_of_several_known_wrong_numbers_within_the_tolerance_the_nearest_counts() -> None:
    entries = [{"value": 30, "why": "Not halved."}, {"value": 32, "why": "A bias is counted."}]
    lab = lab_with("numeric-answer", {"value": 15, "tolerance": 3, "words": ["mean"], "wrong": entries})
    for stated, why in ((32, "A bias is counted."), (30, "Not halved."), (33, "A bias is counted.")):
        found = judged(lab, f"# Problem 1\n\nThe mean is {stated}.\n")
        assert (found.status, found.diagnoses[0].text) == (Status.INCORRECT, why)


def test_a_number_of_the_truth() -> None:
    (count, *_) = truth().counts
    lab = lab_with("numeric-answer", {"truth_id": count.id})
    found = judged(lab, f"# Problem 1\n\nThere are {count.total:,} parameters.\n")
    assert found.status is Status.CORRECT
    assert found.expected is not None
    assert found.expected.truths == (count.id,)


def test_a_unit_that_is_needed_and_a_form_that_is_not_accepted_are_for_a_person() -> None:
    with_unit = lab_with("numeric-answer", {"value": 12, "unit": "ms", "unit_needed": True})
    without = judged(with_unit, "# Problem 1\n\nt = 12\n")
    assert (without.status, without.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert judged(with_unit, "# Problem 1\n\nt = 0.012 s\n").status is Status.CORRECT
    decimal = lab_with("numeric-answer", {"value": 0.375, "forms": ["decimal"]})
    assert judged(decimal, "# Problem 1\n\nP = 3/8\n").status is Status.REVIEW
    assert judged(decimal, "# Problem 1\n\nP = 0.375\n").status is Status.CORRECT


def two_numbers() -> Lab:
    items = [
        {"id": f"p1.{name}", "title": name, "points": "1", "check": "numeric-answer"}
        | {"options": {"value": value, "words": [name]}}
        for name, value in (("precision", 0.8), ("recall", 0.6))
    ]
    question = {"id": "p1", "title": "T", "labels": ["problem 1"], "items": items}
    return Lab.model_validate({"id": "small", "title": "S", "seeds": 1, "questions": [question]})


@pytest.mark.parametrize(
    ("text", "precision", "recall"),
    [
        ("Precision is 0.8 and recall is 0.6.", Status.CORRECT, Status.CORRECT),
        ("precision = 8/10 = 0.8, recall = 0.5", Status.CORRECT, Status.INCORRECT),
        ("- recall: 60 %\n- precision: 70 %", Status.INCORRECT, Status.CORRECT),
        ("| precision | recall |\n|---|---|\n| 0.8 | 0.6 |", Status.CORRECT, Status.CORRECT),
        ("| precision | recall |\n|---|---|\n| 0.6 | 0.8 |", Status.REVIEW, Status.REVIEW),
        ("A precision and a recall of 0.8 and 0.6.", Status.CORRECT, Status.CORRECT),
        ("A recall and a precision of 0.8 and 0.6.", Status.REVIEW, Status.REVIEW),
        ("We get 0.8 (precision) and 0.6 (recall).", Status.CORRECT, Status.CORRECT),
        ("We get 0.8 (recall) and 0.6 (precision).", Status.REVIEW, Status.REVIEW),
        ("0.6 for the recall, with a precision of 0.8", Status.CORRECT, Status.CORRECT),
        ("A precision/recall of 0.8/0.6", Status.REVIEW, Status.REVIEW),
        ("0.8 and 0.6", Status.REVIEW, Status.REVIEW),
    ],
)
def test_several_numbers_of_a_question_are_told_apart_by_their_words(
    text: str, precision: Status, recall: Status
) -> None:
    report = f"# Problem 1\n\n{text}\n"
    found = [judged(two_numbers(), report, item=f"p1.{name}").status for name in ("precision", "recall")]
    assert found == [precision, recall]


@pytest.mark.parametrize(
    ("source", "output", "status"),
    [
        ("print(precision, recall)", "0.8 0.6", Status.CORRECT),
        ("print(f'{precision:.2f} {recall:.2f}')", "0.80 0.60", Status.CORRECT),
        ("precision, recall", "(0.8, 0.6)", Status.CORRECT),
        ("print(recall, precision)", "0.8 0.6", Status.REVIEW),
        ("for one in (precision, recall): print(one)", "0.8\n0.6", Status.REVIEW),
    ],
)
def test_code_tells_what_the_numbers_are_that_it_prints(source: str, output: str, status: Status) -> None:
    code = Cell(index=1, kind=CellKind.CODE, source=source, execution_count=1, output=output)
    cells = [Cell(index=0, kind=CellKind.MARKDOWN, source="# Problem 1"), code]
    assert judged(two_numbers(), None, cells, item="p1.precision").status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("| | train | test |\n|---|---|---|\n| RMSE | 0.4 | 0.5 |", Status.CORRECT),
        ("| | RMSE |\n|---|---|\n| train | 0.4 |\n| test | 0.5 |", Status.CORRECT),
        ("| | train | test |\n|---|---|---|\n| RMSE | 0.5 | 0.4 |", Status.REVIEW),
    ],
)
def test_of_several_cells_of_a_number_the_title_of_the_item_tells_which(text: str, status: Status) -> None:
    lab = lab_with("numeric-answer", {"value": 0.5, "words": ["RMSE"]}, title="RMSE on the test part")
    assert judged(lab, f"# Problem 1\n\n{text}\n").status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (
            "| layer | weights | biases | all |\n|---|---|---|---|\n| 1 | 144 | 16 | 160 |\n| 2 | 4608 | 32 | 4640 |",
            "correct",
        ),
        ("| layer | all |\n|---|---|\n| second conv | 160 |\n| first conv | 4640 |", "incorrect"),
        ("| layer | parameters |\n|---|---|\n| first conv | 160 |\n| the other one | 4640 |", "correct"),
        ("| layer | parameters |\n|---|---|\n| first conv | 160 |\n| the other one | 4600 |", "review"),
        ("First conv: 160, second conv: 4640.", "correct"),
        ("There are 160 for the first conv and 4640 for the second conv.", "correct"),
        ("There are 160 for the second conv and 4640 for the first conv.", "review"),
    ],
)
def test_what_tells_the_cells_of_a_table(text: str, status: str) -> None:
    cells = [
        {"row": ["first conv"], "column": ["param", "all"], "value": 160},
        {"row": ["second conv"], "column": ["param", "all"], "value": 4640},
    ]
    assert judged(lab_with("table", {"cells": cells}), f"# Problem 1\n\n{text}\n").status == status


GRID = {("cat", "cat"): 5, ("cat", "dog"): 1, ("dog", "cat"): 2, ("dog", "dog"): 4}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("    [[5 1]\n     [2 4]]", "correct"),
        ("cm = [[5, 1], [2, 4]]", "correct"),
        ("$$\\begin{pmatrix} 5 & 1 \\\\ 2 & 4 \\end{pmatrix}$$", "correct"),
        ("Rows are true, columns predicted:\n\n5 1\n2 4", "correct"),
        ("    [[5 2]\n     [1 4]]", "review"),
        ("    [[4 2]\n     [1 5]]", "review"),
        ("    [[5 1]\n     [3 4]]", "partial"),
        ("cat: 5, 1; dog: 2, 4", "correct"),
        ("columns dog, cat; cat: 5, 1; dog: 2, 4", "review"),
        ("The columns are dog and cat:\n\n5 1\n2 4", "review"),
        ("The columns are cat and dog:\n\n5 1\n2 4", "correct"),
    ],
)
def test_a_matrix_without_labels(text: str, status: str) -> None:
    cells = [{"row": row, "column": column, "value": value} for (row, column), value in GRID.items()]
    assert judged(lab_with("table", {"cells": cells}), f"# Problem 1\n\n{text}\n").status == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The least has class 5 (4/7; class 3: 5/7, class 8: 5/6).", "correct"),
        ("Class 3: 5/7, class 5: 4/7, class 8: 5/6. So class 5.", "correct"),
        ("Class 3: 5/7, class 5: 4/7, class 8: 5/6.", "review"),
        ("Class 3 (4/7; class 5: 5/7, class 8: 5/6).", "incorrect"),
    ],
)
def test_figures_of_the_other_options_choose_none(text: str, status: str) -> None:
    lab = lab_with("choice", {"choices": {"a": "class 3", "b": "class 5", "c": "class 8"}, "right": ["b"]})
    assert judged(lab, f"# Problem 1\n\n{text}\n").status in {status, "review"}
    if status == "correct":
        assert judged(lab, f"# Problem 1\n\n{text}\n").status == status


OPTIONS = {"a": "the scaler's means", "b": "the selection of features", "c": "the loss function", "d": "the medians"}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The scaler (A), the selection of features (B) and the medians (D).", "correct"),
        ("A, B and D. The loss (C) is not fitted.", "correct"),
        ("All but C.", "correct"),
        ("Tout sauf C", "correct"),
        ("A and D", "partial"),
        ("All four: A, B, C and D", "partial"),
        ("C", "incorrect"),
        ("A, B or D", "review"),
    ],
)
def test_several_options_are_chosen(text: str, status: str) -> None:
    lab = lab_with("choice", {"choices": OPTIONS, "right": ["a", "b", "d"], "mixed": "partial"})
    assert judged(lab, f"# Problem 1\n\n{text}\n").status == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The entropy of 10 ill and 6 well patients is needed. It is 0.954.", "correct"),
        ("The entropy, with p = 10/16 = 0.625, is 0.954.", "correct"),
        ("The entropy comes out as\n0.424 + 0.53 = 0.954.", "correct"),
        ("The entropy is 0.954, or 95.4 %.", "correct"),
        ("The entropy is 0.954 or 0.662.", "review"),
        ("The entropy, with p = 10/16 = 0.954, is 0.6.", "review"),
    ],
)
def test_what_an_answer_commits_to(text: str, status: str) -> None:
    lab = lab_with("numeric-answer", {"value": 0.954, "words": ["entropy"]})
    assert judged(lab, f"# Problem 1\n\n{text}\n").status == status


def test_a_number_that_another_item_asks_for_does_not_compete_with_what_was_printed() -> None:
    cells = [{"row": "knn", "column": "RMSE", "value": 57.73, "tolerance": 0.05}]
    items = [
        {"id": "p1.x", "title": "T", "points": "1", "check": "printed-value"}
        | {"options": {"value": 54.03, "tolerance": 0.01, "label": ["rmse"]}},
        {"id": "p1.y", "title": "T", "points": "1", "check": "table", "options": {"cells": cells}},
    ]
    question = {"id": "p1", "title": "T", "labels": ["problem 1"], "items": items}
    lab = Lab.model_validate({"id": "small", "title": "S", "seeds": 1, "questions": [question]})
    for other, status in (("57.726", Status.CORRECT), ("53.57", Status.REVIEW)):
        printed = [
            Cell(index=0, kind=CellKind.CODE, source="run(one)", execution_count=1, output=f"rmse {value}")
            for value in ("54.031", other)
        ]
        assert judged(lab, None, printed).status is status


@pytest.mark.parametrize("text", ["# Problem 2\n\nx = 5", "x = 5", "# Results\n\nThe mean is 5."])
def test_a_wrong_number_elsewhere_is_not_taken_for_the_answer(text: str) -> None:
    lab = lab_with("numeric-answer", {"value": 42, "words": ["mean"]}, ("mean",))
    assert judged(lab, text).status is not Status.INCORRECT


def test_a_picture_may_hold_the_answer() -> None:
    lab = lab_with("numeric-answer", {"value": 42}, ("mean",))
    assert judged(lab, "# Problem 1\n\n![](scan.png)\n").status is Status.REVIEW


def test_a_swapped_confusion_matrix_is_for_a_person() -> None:
    counts = (("cat", "cat", 8), ("cat", "dog", 2), ("dog", "cat", 3))
    cells = [{"row": row, "column": column, "value": value} for row, column, value in counts]
    lab = lab_with("table", {"cells": cells})
    straight = "# Problem 1\n\n| | cat | dog |\n|---|---|---|\n| cat | 8 | 2 |\n| dog | 3 | 7 |\n"
    assert judged(lab, straight).status is Status.CORRECT
    swapped = "# Problem 1\n\n| | cat | dog |\n|---|---|---|\n| cat | 8 | 3 |\n| dog | 2 | 7 |\n"
    assert judged(lab, swapped).status is Status.REVIEW
    some = "# Problem 1\n\n| | cat | dog |\n|---|---|---|\n| cat | 8 | 2 |\n| dog | 5 | 7 |\n"
    found = judged(lab, some)
    assert found.status is Status.PARTIAL
    assert found.share is not None
    assert round(found.share, 2) == Decimal("0.67")


@pytest.mark.parametrize(
    ("matrix", "status"),
    [
        ("[[0 1]\n     [5 1]\n     [2 4]]", "correct"),
        ("[[0 1 2]\n     [5 1 0]\n     [2 4 0]]", "review"),
    ],
)
def test_the_first_row_of_a_matrix_may_name_its_columns(matrix: str, status: str) -> None:
    cells = [
        {"row": r, "column": c, "value": v} for r, c, v in (("0", "0", 5), ("0", "1", 1), ("1", "0", 2), ("1", "1", 4))
    ]
    assert judged(lab_with("table", {"cells": cells}), f"# Problem 1\n\n    {matrix}\n").status == status


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ("0.72", "correct"),
        ("0.72, 0.72", "correct"),
        ("0.72, 0.6 + 0.1", "review"),
        ("0.6 + 0.1, 0.72", "review"),
        ("0.72, none", "correct"),
    ],
)
def test_of_two_rows_of_a_name_each_has_a_number(cells: str, status: str) -> None:
    lab = lab_with("table", {"cells": [{"row": "linear", "column": "RMSE", "value": 0.72}]})
    rows = "\n".join(f"| linear {number} | {cell} |" for number, cell in enumerate(cells.split(", "), 1))
    assert judged(lab, f"# Problem 1\n\n| Model | RMSE |\n|---|---|\n{rows}\n").status == status


def test_two_tables_that_differ_are_for_a_person() -> None:
    lab = lab_with("table", {"cells": [{"row": "linear", "column": "RMSE", "value": 0.72}]})
    one, other = (f"| Model | RMSE |\n|---|---|\n| linear | {value} |\n" for value in ("0.72", "0.91"))
    found = judged(lab, f"# Problem 1\n\nTraining:\n\n{one}\n\nTest:\n\n{other}")
    assert (found.status, found.suggestion) == (Status.REVIEW, Status.CORRECT)


def test_a_short_section_is_for_a_person_and_a_long_one_is_partial() -> None:
    lab = lab_with("section-present", {"heading": ["limit"], "least_words": 3, "most_words": 6})
    for words, status in ((2, Status.REVIEW), (5, Status.CORRECT), (9, Status.PARTIAL)):
        found = judged(lab, "# Problem 1\n\nx\n\n## Limitations\n\n" + "word " * words + "\n\n## More\n\n" + "z " * 50)
        assert found.status is status


def test_a_person_always_decides_by_the_rubric() -> None:
    rows = [{"text": "The limits are named.", "points": 1}, {"text": "A copied sentence.", "points": -0.5}]
    found = judged(lab_with("by-hand", {"rubric": rows}), "# Problem 1\n\nThe data is small.\n")
    assert (found.status, found.suggestion) == (Status.REVIEW, None)
    assert (
        found.note
        == "Criterion 1, worth 1 point: The limits are named. · Criterion 2, worth -0.5 points: A copied sentence."
    )
    assert found.evidence[0].quote.strip().endswith("The data is small.")


def test_exactly_one_source_of_a_number_is_given() -> None:
    for options in ({}, {"value": 1, "truth_id": "x"}):
        (item,) = lab_with("numeric-answer", options).items
        told = [str(one.text) for one in check_of_text(item)]
        assert any("give one of the options 'value' or 'truth_id'" in one for one in told)


def check_of_text(item: Any) -> Any:
    return check_of(item).misuses(item)


@pytest.mark.parametrize(
    ("caption", "status"),
    [
        ("Figure 1: learning curves.", "correct"),
        ("Figure 1: learning curves, training loss and validation accuracy.", "correct"),
        ("Figure 1: learning curves of the training loss.", "review"),
    ],
)
def test_a_figure_that_is_said_to_show_a_part_goes_to_a_person(caption: str, status: str) -> None:
    lab = lab_with("figure-present", {"words": ["curve"], "shows": [["loss"], ["accura"]]}, words=("curve",))
    assert judged(lab, f"# Problem 1\n\n![](a.png)\n\n{caption}\n").status == status


def test_data_in_the_question_are_no_wrong_answer_where_the_right_one_stands_below() -> None:
    item = {"id": "p1.x", "title": "T", "points": "1", "check": "numeric-answer"}
    options = {"value": 0.954, "tolerance": 0.001, "unit": "bits", "words": ["entropy"]}
    first = {"id": "a", "title": "T", "labels": ["problem 1 (a)"], "items": [{**item, "options": options}]}
    second = {
        "id": "b",
        "title": "T",
        "labels": ["problem 1 (b)"],
        "items": [{**item, "id": "p2.x", "options": options}],
    }
    lab = Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [first, second]})
    asked = Cell(index=0, kind=CellKind.MARKDOWN, source="## Problem 1\n(a) entropy of [10, 6] and (b) the gain")
    found = judged(lab, None, [asked, Cell(index=1, kind=CellKind.MARKDOWN, source="H = 0.954 bits")])
    assert found.status in ("review", "correct")


KINDS = {"a": "false alarms", "b": "missed faults"}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("There are more missed faults than false alarms (310 vs 12).", "correct"),
        ("Fewer false alarms than missed faults.", "correct"),
        ("More missed fault.", "correct"),
        ("There are more false alarms than missed faults.", "incorrect"),
        ("There are not more missed faults than false alarms.", "review"),
        ("It has more false alarms than the first model, but less missed faults.", "review"),
        ("More missed faults than false alarms here, but with a lower threshold more false alarms.", "review"),
    ],
)
def test_an_option_of_which_there_is_more_than_of_the_other(text: str, status: str) -> None:
    lab = lab_with("choice", {"choices": KINDS, "right": ["b"]})
    asked = lab.questions[0].model_copy(update={"asks": "Are there more false alarms or more missed faults?"})
    asking = lab.model_copy(update={"questions": (asked,)})
    assert judged(asking, f"# Problem 1\n\n{text}\n").status == status


def test_a_comparison_chooses_nothing_where_the_question_compares_nothing() -> None:
    lab = lab_with("choice", {"choices": KINDS, "right": ["b"]})
    text = "There are more missed faults than false alarms."
    assert judged(lab, f"# Problem 1\n\n{text}\n").status == "review"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The table contains zeros, and the words do not appear in many rows.", "correct"),
        ("The words appear in many rows, and the table contains zeros.", "review"),
    ],
)
def test_each_denied_word_is_looked_for_by_itself(text: str, status: str) -> None:
    lab = lab_with("contains", {"must": [["not contain", "not appear"]]})
    assert judged(lab, f"# Problem 1\n\n{text}\n").status == status


def test_of_several_printed_numbers_all_may_miss_the_bound() -> None:
    options = {"least": 0.1, "most": 1, "label": ["test accuracy"]}
    cells = [("test(net, 1)", "test accuracy: 4%"), ("test(net, 2)", "test accuracy: 2%")]
    assert printed(options, *cells).status is Status.INCORRECT
    assert printed(options, *cells, ("test(net, 3)", "test accuracy: 14%")).status is not Status.INCORRECT
    assert printed(options, ("test(net)", "test accuracy: 14%"), *cells).status is Status.REVIEW


@pytest.mark.parametrize(
    ("cell", "status"), [("91", "correct"), ("0.91", "correct"), ("40", "incorrect"), ("0.4", "incorrect")]
)
def test_only_a_share_of_at_most_one_is_read_as_a_fraction(cell: str, status: str) -> None:
    cells = [{"row": "knn", "column": "accuracy", "least": 85, "unit": "%"}]
    report = f"# Problem 1\n\n| | accuracy |\n|---|---|\n| knn | {cell} |\n"
    assert judged(lab_with("table", {"cells": cells}), report).status == status


@pytest.mark.parametrize(
    ("text", "status"),
    [("0.91", "correct"), ("91 %", "correct"), ("91", "correct"), ("40", "review"), ("0.4", "incorrect")],
)
def test_above_a_share_a_number_without_percent_sign_may_be_a_percentage(text: str, status: str) -> None:
    lab = lab_with("numeric-answer", {"least": 0.85, "words": ["accuracy"]})
    assert judged(lab, f"# Problem 1\n\nThe accuracy is {text}.\n").status == status


def test_a_value_that_a_report_states_without_output_is_for_a_person() -> None:
    lab = lab_with("printed-value", {"value": 0.022, "label": ["test error"]}, ("test error",))
    assert judged(lab, "# Problem 1\n\nThe printed test error is 0.022.\n").status is Status.REVIEW
    assert judged(lab, "# Problem 1\n\nThe printed test error is 0.3.\n").status is Status.MISSING


@pytest.mark.parametrize("words", [[], ["captur"]])
def test_a_question_turned_into_a_statement_is_an_answer(words: list[str]) -> None:
    item = {"id": "p1.x", "title": "T", "points": "1", "check": "choice"}
    item["options"] = {"choices": {"yes": "yes", "no": "no"}, "right": ["yes"]}
    question = {"id": "p1", "title": "Fit", "labels": ["problem 1"], "words": words, "items": [item]}
    question["asks"] = "Has the model captured the variation of the data?"
    lab = Lab.model_validate({"id": "small", "title": "S", "seeds": 1, "questions": [question]})
    assert judged(lab, "# Problem 1\n\nThe model has captured the variation of the data.\n").status is Status.CORRECT
    assert judged(lab, f"# Problem 1\n\n{question['asks']}\n").status is not Status.CORRECT
