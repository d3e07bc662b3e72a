"""What the cells of a notebook show: whose value it is, which number belongs to a label, tables and options."""

from typing import Any

import pytest

from grader.checks.finding import Finding, Status
from grader.claims.code import CodeCell
from grader.claims.shown_tables import shown_tables
from grader.lab.definition import Lab
from grader.reading.notebook import Cell, CellKind
from tests.checks.test_basic_checks import judged

Shown = tuple[str, str]
"""The source of a cell and what it shows; words where the source is empty."""
REVIEW, RIGHT, WRONG = Status.REVIEW, Status.CORRECT, Status.INCORRECT


def lab_of(check: str, options: dict[str, Any], title: str = "T", **question: Any) -> Lab:
    """A lab of two questions, of which the first has one item."""
    item = {"id": "p1.x", "title": title, "points": "1", "check": check, "options": options}
    first = {"id": "p1", "title": "T", "labels": ["problem 1"], "words": ["rmse", "score"], "items": [item], **question}
    other = {"id": "p2.x", "title": "T", "points": "1", "check": "by-hand"}
    second = {"id": "p2", "title": "T", "labels": ["problem 2"], "items": [other]}
    return Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [first, second]})


def conclusion(lab: Lab, *cells: Shown) -> Finding:
    """What is concluded about the first question of a notebook."""
    made = [
        Cell(index=0, kind=CellKind.CODE, source=source, output=output, execution_count=1)
        if source
        else Cell(index=0, kind=CellKind.MARKDOWN, source=output)
        for source, output in cells
    ]
    return judged(lab, None, made)


PRINTED = {"value": 0.52, "tolerance": 0.005, "label": ["rmse", "score"]}
FIRST, SECOND = ("", "# Problem 1"), ("", "# Problem 2")


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ((FIRST, ("rmse(y, p)", "0.5212"), SECOND, ("rmse(y, q)", "rmse 0.75")), RIGHT),
        ((FIRST, ("rmse(y, p)", "np.float64(0.5212)")), RIGHT),
        ((FIRST, ("run(m)", "array([0.5212])"), SECOND, ("run(m)", "score: 0.9")), RIGHT),
        ((FIRST, ("run(m)", "0.75")), REVIEW),
        ((FIRST, ("run(m)", "score 0.75")), WRONG),
        ((FIRST, ("fit(m)", "Model()"), SECOND, ("run(m)", "score: 0.52")), REVIEW),
        ((FIRST, ("fit(m)", "Model()"), SECOND, ("run(m)", "score: 0.75")), REVIEW),
        ((FIRST, ("fit(m)", "Model()"), ("", "# Results"), ("run(m)", "score: 0.52")), RIGHT),
        ((FIRST, ("run(m)", "loss of the run\n0.52")), REVIEW),
        ((FIRST, ("run(m)", "(0.1, np.float64(0.52))")), REVIEW),
    ],
)
def test_only_the_questions_own_cells_count(cells: tuple[Shown, ...], status: Status) -> None:
    assert conclusion(lab_of("printed-value", PRINTED), *cells).status is status


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("The rmse with seed 9 is: 0.521", RIGHT),
        ("rmse (alpha=0.1) = 0.521", RIGHT),
        ("rmse for r=0.01: 0.75", WRONG),
        ("rmse: 0.521 mae: 0.75", RIGHT),
        ("rmse on the data: 0.521 (before: 0.75)", RIGHT),
        ("rmse after 3 epochs -> 0.521", RIGHT),
        ("val_rmse = 0.521", RIGHT),
        ("val_rmse = 0.75", REVIEW),
        ("lead_score   0.521\nlead_source   0.75", REVIEW),
        ("{'lead_score': 0.521, 'lead_source': 0.75}", REVIEW),
        ("lead_score   0.75\nlead_source   0.9", REVIEW),
        ("rmse 0.75\nrmse 0.521", REVIEW),
        ("rmse 0.5207\nrmse 0.52", RIGHT),
        ("rmse 0.75\nrmse 0.9", WRONG),
        ("rmse 0.75\nrmse 0.9\nafterwards 0.52", REVIEW),
        ("The rmse is : \n  0.521", RIGHT),
    ],
)
def test_the_number_that_belongs_to_a_label(output: str, status: Status) -> None:
    assert conclusion(lab_of("printed-value", PRINTED), FIRST, ("run(m)", output)).status is status


def test_a_short_label_is_found_in_capitals_where_a_sign_sets_it() -> None:
    lab = lab_of("printed-value", PRINTED | {"label": ["cc"]})
    assert conclusion(lab, FIRST, ("run(m)", "mae: 0.3\tCC: 0.521")).status is RIGHT
    assert conclusion(lab, FIRST, ("run(m)", "mae: 0.3\tCCA 0.521")).status is REVIEW


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("(740, 12)", RIGHT),
        ("the shape of X: (740, 12), that of y: (740,)", RIGHT),
        ("(740, 12)\n(700, 12)", REVIEW),
        ("740\n12", RIGHT),
        ("Number of penguins: 740, number of columns: 12", RIGHT),
        ("Number of columns: 12\nNumber of penguins: 740", RIGHT),
        ("Number of columns: 740\nNumber of penguins: 12", REVIEW),
        ("a 740\nb 12", REVIEW),
    ],
)
def test_a_number_without_a_label_stands_in_a_size_or_beside_words_of_the_title(output: str, status: Status) -> None:
    lab = lab_of("printed-value", {"value": 740}, "All penguins")
    assert conclusion(lab, FIRST, ("frame.shape", output)).status is status


def test_the_cells_of_a_question_that_the_lab_leaves_out_are_its_own() -> None:
    titles = [("", f"### ========== Question 1.{n} --- [1 mark] ==========") for n in (1, 2, 3)]
    lab = lab_of("printed-value", {"value": 740}, labels=["question 1.1"])
    other = lab.questions[1].model_copy(update={"labels": ("question 1.3",)})
    lab = lab.model_copy(update={"questions": (lab.questions[0], other)})
    cells = (titles[0], ("frame.shape", "(740, 12)"), titles[1], ("frame", "0   8.5\n1   9.5"), titles[2])
    assert conclusion(lab, *cells).status is RIGHT
    assert (
        conclusion(lab, titles[0], ("frame", "0"), titles[1], ("frame.shape", "(740, 12)"), titles[2]).status is REVIEW
    )


def test_a_label_that_is_a_number_is_no_part_of_another() -> None:
    lab = lab_of("printed-value", PRINTED | {"label": ["0", "zero"]})
    assert conclusion(lab, FIRST, ("run(m)", "with 0: 0.521\nwith the mean: 0.46")).status is RIGHT
    assert conclusion(lab, FIRST, ("run(m)", "with the mean: 0.46")).status is REVIEW
    assert conclusion(lab, FIRST, ("run(m)", "Zero: 0.75 Mean: 0.52")).status is WRONG


@pytest.mark.parametrize(
    "shown", [("run(m)", "valid rmse: 0.521"), ("rmse(y_val, p)", "0.521"), ("rmse(y_train, p)", "0.521")]
)
def test_the_value_of_another_part_of_the_data_is_not_taken(shown: Shown) -> None:
    lab = lab_of("printed-value", PRINTED, "The error on the test data")
    assert conclusion(lab, FIRST, shown).status is REVIEW
    assert conclusion(lab_of("printed-value", PRINTED), FIRST, shown).status is RIGHT
    assert conclusion(lab, FIRST, ("rmse(y_test, p)", "0.521")).status is RIGHT


def test_a_cell_of_a_printed_table_is_found_by_its_row_and_its_column() -> None:
    lab = lab_of("printed-value", {"value": 149, "tolerance": 0.5, "label": ["50%", "power"]})
    frame = "        weight   power \\\ncount   9704.0  8996.0\nmean    3001.2   149.6\n50%     2993.2   {}\n\n"
    frame += "      year\n50%   2011.0"
    assert conclusion(lab, FIRST, ("df.describe()", frame.format("149.0"))).status is RIGHT
    assert conclusion(lab, FIRST, ("df.describe()", frame.format("160.0"))).status is REVIEW


CELLS = [
    {"row": row, "column": ["mi", "score"], "value": value, "tolerance": 0.001}
    for row, value in (("source", 0.035), ("status", 0.013), ("place", 0.004))
]
SERIES = "source    0.035\nstatus    0.013\nplace     {}\ndtype: float64"


@pytest.mark.parametrize(
    ("output", "status"),
    [
        (SERIES.format("0.004"), RIGHT),
        (SERIES.format("0.009"), REVIEW),
        ("           MI\n" + SERIES.format("0.004").partition("\ndtype")[0], RIGHT),
        ("  name  gain\n0  source  0.035\n1  status  0.013\n2  place  0.004", RIGHT),
        ("{'source': np.float64(0.035), 'status': 0.013, 'place': 0.004}", RIGHT),
        ("[('source', 0.035), ('status', 0.013), ('place', 0.004)]", RIGHT),
        ("[{'name': 'source', 'mi': 0.035}, {'name': 'status', 'mi': 0.013}, {'name': 'place', 'mi': 0.004}]", RIGHT),
        ("score of source: 0.035\nscore of status: 0.013\nscore of place: 0.004", RIGHT),
        ("source -> 0.035 | n = 5\nstatus -> 0.013 | n = 5\nplace -> 0.004 | n = 5", RIGHT),
        ("source 5\nstatus 4\nplace 7", REVIEW),
        (SERIES.format("0.004") + "\nsource 5\nstatus 4\nplace 7", RIGHT),
    ],
)
def test_what_cells_print_is_a_table(output: str, status: Status) -> None:
    lab = lab_of("table", {"cells": CELLS})
    assert conclusion(lab, FIRST, ("scores(df)", output), SECOND).status is status
    assert conclusion(lab, FIRST, ("fit(m)", "Model()"), SECOND, ("scores(df)", output)).status is REVIEW


def test_a_printed_table_of_another_part_of_the_data_is_not_taken() -> None:
    cells = [{"row": row, "column": "acc", "value": 0.7, "tolerance": 0.001} for row in ("0.1", "1", "10")]
    lines = "C = 0.10: {0} accuracy = 0.7\nC = 1.0: {0} accuracy = 0.7\nC = 10.0: {0} accuracy = 0.7"
    lab = lab_of("table", {"cells": cells}, "The accuracies on the validation data")
    assert conclusion(lab, FIRST, ("run(m)", lines.format("validation"))).status is RIGHT
    assert conclusion(lab, FIRST, ("run(m)", lines.format("training"))).status is REVIEW


CHOICES = {"choices": {"a": "retail", "b": "health_care", "c": "finance"}, "right": ["b"]}


@pytest.mark.parametrize(
    ("shown", "status"),
    [
        (("df.rmse.mode()", "0    health_care\nName: x, dtype: object"), RIGHT),
        (("best_score(df)", "'health care'"), RIGHT),
        (("best_score(df)", "('health_care', np.float64(0.3))"), RIGHT),
        (("print(x)", "The best score is health_care"), RIGHT),
        (("df.x.unique()", "health_care"), REVIEW),
        (("best_score(df)", "retail"), REVIEW),
        (("best_score(df)", "['retail', 'health_care']"), REVIEW),
        (("scores(df)", "retail    0.1\nhealth_care    0.5\nfinance    0.2\ndtype: float64"), REVIEW),
    ],
)
def test_an_option_that_a_cell_shows_alone_is_chosen(shown: Shown, status: Status) -> None:
    lab = lab_of("choice", CHOICES)
    assert conclusion(lab, FIRST, shown, SECOND).status is status
    assert conclusion(lab, FIRST, SECOND, shown).status is not RIGHT
    assert conclusion(lab, FIRST, shown, ("best_score(df)", "finance")).status is REVIEW


@pytest.mark.parametrize(
    ("values", "status"),
    [((0.1, 0.5, 0.2), RIGHT), ((0.5, 0.1, 0.2), REVIEW), ((0.5, 0.5, 0.2), REVIEW)],
)
def test_the_row_of_a_printed_table_with_the_largest_number_is_chosen(
    values: tuple[float, ...], status: Status
) -> None:
    lab = lab_of("choice", CHOICES | {"printed": "largest"})
    rows = zip(("retail", "health_care", "finance"), values, strict=True)
    output = "\n".join(f"{name}    {value}" for name, value in rows) + "\nother    0.9\ndtype: float64"
    assert conclusion(lab, FIRST, ("scores(df)", output)).status is status


@pytest.mark.parametrize(
    "output",
    ["[" * 5_000, "{'a': [" + "[" * 90 + "]" * 90 + "]}", "{1: 2, 1: 3}", "('a',)", "[('a', True)]", "1 2\n1 2"],
)
def test_what_is_no_table_yields_none(output: str) -> None:
    assert not [one for one in shown_tables(CodeCell(file="a", cell=1, source="", output=output)) if len(one.cells) > 1]


@pytest.mark.parametrize(
    ("text", "status"),
    [("We choose a₅.", RIGHT), ("We choose $a_{5}$.", RIGHT), ("We choose a5.", RIGHT), ("We choose a₄.", REVIEW)],
)
def test_a_lowered_number_belongs_to_its_name(text: str, status: Status) -> None:
    lab = lab_of("contains", {"must": [["a5"]]})
    assert conclusion(lab, ("", f"# Problem 1\n\n{text}")).status is status


@pytest.mark.parametrize("mark", ["′", "ʹ", "´", "’"])
def test_any_prime_parts_groups_of_digits(mark: str) -> None:
    lab = lab_of("numeric-answer", {"value": 148810})
    assert conclusion(lab, ("", f"# Problem 1\n\nThere are 148{mark}810 of them.")).status is RIGHT
    assert conclusion(lab, ("", f"# Problem 1\n\nThere are 148{mark}811 of them.")).status is not RIGHT


WARNED = "/opt/lib/tool.py:41: FutureWarning: rmse changes in 0.20\n"


@pytest.mark.parametrize(
    ("options", "output", "status"),
    [
        ({}, "rmse: 0.75", WRONG),
        ({}, "rmse: 7.5", REVIEW),
        ({}, "rmse of models: 12", REVIEW),
        ({}, "rmse: 0.60 (0.52)", REVIEW),
        ({}, "rmse: 0.60, mae: 0.52", WRONG),
        ({}, "train rmse: 0.75", REVIEW),
        ({}, "test rmse: 0.75", WRONG),
        ({}, WARNED + "rmse: 0.52", RIGHT),
        ({}, WARNED, REVIEW),
        ({"value": 3, "tolerance": 0}, "rmse: 2", WRONG),
        ({"value": 3, "tolerance": 0}, "rmse: 2.5", REVIEW),
        ({"label": ["r"]}, "-r--r--r-- 13 file\nr: 0.52", RIGHT),
        ({"take": "all", "enough": "0.5"}, "rmse: 0.52\nrmse: 0.6\nrmse: 0.7", Status.PARTIAL),
        ({"take": "all", "enough": "0.5"}, "rmse: 0.52\nrmse after 300 steps\nrmse for 200", REVIEW),
    ],
)
def test_a_wrong_number_counts_only_if_it_is_certainly_the_one_asked_for(
    options: dict[str, Any], output: str, status: Status
) -> None:
    assert conclusion(lab_of("printed-value", PRINTED | options), FIRST, ("run(m)", output)).status is status


@pytest.mark.parametrize(("bounds", "status"), [((500, 900), REVIEW), ((0.4, 0.6), WRONG)])
def test_a_number_of_another_order_is_not_the_one_a_range_asks_for(bounds: tuple[float, float], status: Status) -> None:
    options = {"least": bounds[0], "most": bounds[1], "label": ["rmse"]}
    assert conclusion(lab_of("printed-value", options), FIRST, ("run(m)", "rmse: 0.75")).status is status
