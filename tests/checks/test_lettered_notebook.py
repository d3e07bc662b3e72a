"""A made-up notebook whose questions are lettered parts under numbered headings, answered in cells of code."""

from collections.abc import Mapping
from typing import Any

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.runner import draw_conclusions
from grader.claims.answer import extract
from grader.claims.handout import template_of
from grader.claims.sections import sections
from grader.intake.submission import Role
from grader.lab.definition import Lab, Templates
from grader.lab.truth import GroundTruth
from grader.reading.notebook import Cell, CellKind, Notebook, Output, OutputKind
from grader.reading.reading import FileRecord, FileState, Reading
from tests.claims.making import document

M, C = CellKind.MARKDOWN, CellKind.CODE
BOOSTING = "Load the best booster\nthat you have stored and report its test error."
HANDOUT = (
    (M, "## Part 1. Trees [6 pt]"),
    (M, "### Part (a) -- 1 pt\n\nHow many rows are left for training,\nand for testing?"),
    (C, ""),
    (M, "### Part (b) - 2pt\n\nFit `shallow_tree` and `deep_tree`. Which of them took longer to fit?"),
    (C, ""),
    (M, "### Part (c) - 3 pt\n\nDescribe how the accuracy changes with the depth of the tree."),
    (C, ""),
    (M, "## Part 2. Forests [5 pt]\n\n### Part (a) - 2 pt\n\nPlot the accuracy of every forest that you have tried."),
    (C, ""),
    (M, "### Part (b) - 3pt\n\nPlot the accuracy of the forest with the most trees again, on other data."),
    (C, ""),
    (M, "## Part 2. Boosting [3 pt]\n\n### Part (a) - 1pt\n\n" + BOOSTING),
    (C, "def score(model, rows):\n    error, depth = model.run(rows)\n    return error, depth"),
    (C, "name = None\nmodel = load(name)\nmodel.use(rows)"),
)
ASKS = {
    "1a": HANDOUT[1][1].partition("\n\n")[2],
    "1b": HANDOUT[3][1].partition("\n\n")[2],
    "1c": HANDOUT[5][1].partition("\n\n")[2],
    "2a": HANDOUT[7][1].rpartition("\n\n")[2],
    "2b": HANDOUT[9][1].partition("\n\n")[2],
}


def lab(**checks: Mapping[str, Any]) -> Lab:
    """The lab with one item for each question; `checks` gives the checks of some, all others are by hand."""
    asked = {f"q{key}": {"labels": [f"part {key}"], "asks": text} for key, text in ASKS.items()}
    asked["boost"] = {"labels": [], "asks": BOOSTING}
    items = {name: [{"check": "by-hand", "options": {}}] for name in asked}
    items |= {name: list(check if isinstance(check, list) else [check]) for name, check in checks.items()}
    questions = [
        {"id": name, "title": name, "words": ["tree", "forest", "booster"], **asked[name]}
        | {"items": [{"id": f"{name}.{n}", "title": "x", "points": 1, **one} for n, one in enumerate(items[name])]}
        for name in asked
    ]
    made = Lab.model_validate({"id": "trees", "title": "Trees", "questions": questions})
    return made.model_copy(update={"templates": Templates(notebooks=(template_of(notebook({})),))})


def notebook(
    sources: Mapping[int, str], outputs: Mapping[int, str] | None = None, pictures: Mapping[int, str] | None = None
) -> Notebook:
    """The handout's notebook with other sources of some cells, their outputs, and the digests of their pictures."""
    cells = []
    for at, (kind, source) in enumerate(HANDOUT):
        output = (outputs or {}).get(at, "")
        shown = [Output(kind=OutputKind.STDOUT, line=1, lines=output.count("\n") + 1)] if output else []
        if digest := (pictures or {}).get(at, ""):
            shown.append(Output(kind=OutputKind.PICTURE, line=1, lines=0, digest=digest))
        ran = at + 1 if kind is C and at in sources else None
        own = sources.get(at, source)
        cells.append(Cell(index=at, kind=kind, source=own, output=output, outputs=tuple(shown), execution_count=ran))
    return Notebook(file="trees.ipynb", cells=tuple(cells))


def found(the_lab: Lab, own: Notebook) -> dict[str, Finding]:
    """The findings on a notebook."""
    files = (FileRecord(path=own.file, role=Role.NOTEBOOK, state=FileState.READ),)
    reading = Reading(notebooks=(own,), files=files)
    return {
        one.item: one for one in draw_conclusions(extract(reading, the_lab), GroundTruth(lab="trees"), the_lab).findings
    }


def answered(markdown: str) -> dict[str, str]:
    """The texts of the questions' sections."""
    texts: dict[str, str] = {}
    for section in sections(document(markdown), lab()):
        for question in section.questions:
            texts[question] = texts.get(question, "") + section.passage.text[section.lead :]
    return texts


def test_points_of_a_heading_are_no_number_of_a_question() -> None:
    texts = answered("# Part 1 - 2 points\n\nfirst\n\n# Part 2 [1 pt]\n\nsecond")
    assert "first" in texts["q1a"]
    assert "second" not in texts["q1a"]
    assert "second" in texts["q2a"]
    assert "first" not in texts["q2a"]


@pytest.mark.parametrize(
    "form", ["### Part ({}) - 1pt", "### Part ({})", "**Question ({})**", "### ({}) -- 2 pt", "#### {})"]
)
def test_a_letter_under_a_numbered_heading_names_a_part(form: str) -> None:
    parts = "\n\n".join(f"{form.format(letter)}\n\nanswer {letter}" for letter in "abc")
    texts = answered(
        f"## Part 1. Trees [6 pt]\n\n{parts}\n\n## Part 2\n\n{form.format('a')}\n\nforest\n\n{form.format('b')}\n\nmore"
    )
    assert {key: texts[key].split("\n")[-1].strip() for key in ("q1a", "q1b", "q1c", "q2a", "q2b")} == {
        "q1a": "answer a",
        "q1b": "answer b",
        "q1c": "answer c",
        "q2a": "forest",
        "q2b": "more",
    }


def test_of_two_parts_with_one_name_each_has_its_own_answer() -> None:
    the_lab = lab(
        q2a={"check": "contains", "options": {"about": [["apple"]]}},
        boost={"check": "contains", "options": {"about": [["pear"]]}},
    )
    own = notebook(
        {8: "# Nothing but an apple is written in this answer.", 13: "# Nothing but a pear is written in this answer."}
    )
    assert {key: one.status for key, one in found(the_lab, own).items() if key in ("q2a.0", "boost.0")} == {
        "q2a.0": Status.CORRECT,
        "boost.0": Status.CORRECT,
    }
    swapped = notebook(
        {13: "# Nothing but an apple is written in this answer.", 8: "# Nothing but a pear is written in this answer."}
    )
    assert Status.CORRECT not in {one.status for one in found(the_lab, swapped).values()}


ROWS = lab(
    q1a=[
        {"check": "numeric-answer", "options": {"value": 912, "words": ["train", "training"]}},
        {"check": "numeric-answer", "options": {"value": 304, "words": ["test", "testing"]}},
    ]
)


@pytest.mark.parametrize(
    "source",
    [
        "# training = 912\n# testing = 304",
        "# 912 for training, 304 for testing",
        "rows = load()\n# There are 912 rows for training and 304 for testing.",
    ],
)
def test_comments_are_the_text_of_a_question_without_a_cell_for_text(source: str) -> None:
    judged = found(ROWS, notebook({2: source}))
    assert [judged[item].status for item in ("q1a.0", "q1a.1")] == [Status.CORRECT] * 2


def test_a_comment_beside_code_takes_no_points() -> None:
    judged = found(ROWS, notebook({2: "rows = load()\nmodel = fit(rows)\n# training: 5 epochs\n# test: 7 folds"}))
    assert [judged[item].status for item in ("q1a.0", "q1a.1")] == [Status.REVIEW] * 2


def test_printed_numbers_in_order_belong_to_the_names_before() -> None:
    printed = "rows for training and testing: 912 and 304 respectively"
    judged = found(ROWS, notebook({2: "print(text)"}, {2: printed}))
    assert [judged[item].status for item in ("q1a.0", "q1a.1")] == [Status.CORRECT] * 2
    judged = found(ROWS, notebook({2: "print(text)"}, {2: printed.replace("912 and 304", "304 and 912")}))
    assert Status.CORRECT not in {judged[item].status for item in ("q1a.0", "q1a.1")}


LONGER = lab(q1b={"check": "choice", "options": {"choices": {"s": "shallow_tree", "d": "deep_tree"}, "right": ["d"]}})


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("The deep tree took longer because it has more nodes than the shallow tree.", Status.CORRECT),
        ("Compared to the shallow tree, the deep tree took longer to fit.", Status.CORRECT),
        ("The shallow tree was faster than the deep tree.", Status.CORRECT),
        ("The shallow tree took longer than the deep tree.", Status.INCORRECT),
        ("The deep tree was faster, 3 s.", Status.INCORRECT),
        ("The deep tree did not take longer than the shallow tree.", Status.REVIEW),
        ("The deep tree and the shallow tree took longer than I thought.", Status.REVIEW),
        ("Did the deep tree take longer than the shallow tree?", Status.REVIEW),
    ],
)
def test_a_comparative_chooses_its_subject(said: str, status: Status) -> None:
    own = notebook({})
    cells = [cell.model_copy(update={"kind": M, "source": said}) if cell.index == 4 else cell for cell in own.cells]
    assert found(LONGER, own.model_copy(update={"cells": tuple(cells)}))["q1b.0"].status is status


def test_a_comment_that_labels_code_chooses_nothing() -> None:
    judged = found(LONGER, notebook({4: "# deep tree\nfit(deep_tree)\nplot()"}))
    assert judged["q1b.0"].status is Status.REVIEW


def test_the_picture_of_another_answer_goes_to_review() -> None:
    figure = {"check": "figure-present", "options": {"words": ["plot"]}}
    the_lab = lab(q2a=figure, q2b=figure)
    sources = {8: "plot(forests)", 10: "plot(forests)"}
    judged = found(the_lab, notebook(sources, pictures={8: "aa", 10: "bb"}))
    assert [judged[item].status for item in ("q2a.0", "q2b.0")] == [Status.CORRECT] * 2
    judged = found(the_lab, notebook(sources, pictures={8: "aa", 10: "aa"}))
    assert [judged[item].status for item in ("q2a.0", "q2b.0")] == [Status.CORRECT, Status.REVIEW]


def words(said: str, **options: Any) -> Status:
    """The status of an answer in words to question 1c."""
    judged = found(lab(q1c={"check": "contains", "options": options}), notebook({6: f"# {said}"}))
    return judged["q1c.0"].status


def test_a_word_within_a_name_of_another_list_is_not_said() -> None:
    asked = {"about": [["tree_depth*", "every depth"], ["tree", "split*"]]}
    assert words("The file written at the very end is called tree_depth4.", **asked) is Status.REVIEW
    assert words("The file written with all splits is called tree_depth4.", **asked) is Status.CORRECT


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("With more depth the tree overfits and does not generalise to new rows.", Status.CORRECT),
        ("With more depth the tree does not overfit, and it generalises well to new rows.", Status.REVIEW),
        ("With less depth the overfitting of the whole tree finally disappears.", Status.REVIEW),
        ("With less depth every overfitting of the tree is avoided here.", Status.REVIEW),
    ],
)
def test_a_negation_has_its_own_verb(said: str, status: Status) -> None:
    assert words(said, must=[["overfit*"]]) is status


LOADED = lab(boost={"check": "code-asked", "options": {"calls": [["load"], ["use"]]}})
DEFINED = lab(boost={"check": "code-asked", "options": {"calls": [["Layer"]]}})


def test_statements_of_the_handout_that_use_a_filled_in_value_are_done() -> None:
    filled = 'name = best("deep")\nmodel = load(name)\nmodel.use(rows)'
    assert found(LOADED, notebook({13: filled}))["boost.0"].status is Status.CORRECT
    assert found(LOADED, notebook({13: HANDOUT[13][1]}))["boost.0"].status is not Status.CORRECT
    other = "depth = 3\nname = None\nmodel = load(name)\nmodel.use(rows)"
    assert found(LOADED, notebook({13: other}))["boost.0"].status is not Status.CORRECT


def test_a_class_that_nothing_uses_proves_nothing() -> None:
    defined = "class Net:\n    def __init__(self):\n        self.layer = Layer(3)\n"
    assert found(DEFINED, notebook({13: defined + "fit(other)"}))["boost.0"].status is Status.REVIEW
    assert found(DEFINED, notebook({13: defined + "fit(Net())"}))["boost.0"].status is Status.CORRECT


ERROR = lab(boost={"check": "printed-value", "options": {"least": 0.1, "most": 0.3, "label": ["test error", "error"]}})


@pytest.mark.parametrize(
    ("source", "output", "status"),
    [
        ("score(model, rows)", "reading rows of the file\n(0.21, 0.2)", Status.CORRECT),
        ("score(model, rows)\n# the output is (0.21, 0.2)", "(0.21, 0.2)", Status.REVIEW),
        ("score(model, rows)", "reading rows of the file\n(0.71, 0.2)", Status.INCORRECT),
        ("show(model)", "test error and depth: 0.21 4.5", Status.CORRECT),
        ("show(model)", "depth and test error: 4.5 0.21", Status.CORRECT),
        ("show(model)", "depth and test error: 0.21 0.45", Status.INCORRECT),
        ("error = 0.21\nprint('test error', 0.21)", "test error 0.21", Status.REVIEW),
    ],
)
def test_values_that_are_printed_together_have_their_own_names(source: str, output: str, status: Status) -> None:
    cells = {12: HANDOUT[12][1], 13: source}
    judged = found(ERROR, notebook(cells, {13: output}))["boost.0"]
    assert judged.status is status or (status is Status.INCORRECT and judged.suggestion is status)
