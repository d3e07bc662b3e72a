"""Answers in the cells of notebooks whose hand-out the lab lists."""

from typing import Any

import pytest

from grader.checks.finding import Finding, Status
from grader.claims.answer import extract
from grader.claims.handout import places_of_answers, template_of
from grader.lab.definition import Templates
from grader.reading.notebook import Cell, Notebook
from grader.reading.reading import Reading
from tests.checks.notebook_lab import MARGINS, MODULE, NEIGHBOURS, C, M, found, lab, notebook
from tests.claims.making import document

LENGTH = {"check": "section-present", "options": {"least_words": 10}}
WORDS = {"check": "contains", "options": {"must": [["outlier", "noise", "far"]]}}
PRINTED = {"out_4": "largest distance: 12.5\n" + "\n".join(f"row {n} noise outlier far away" for n in range(40))}
LABEL = "**Inline Question 1**\n\nSome rows of the distance matrix are brighter. What in the data causes them?\n\n"
PLACE = "$\\color{blue}{\\textit Your Answer:}$"
SAID = "Bright rows are test images that lie far from all training images, so they are outliers or noise."


def cause(source: str | None, check: dict[str, Any] = LENGTH, *added: tuple[int, str], **ran: str) -> Finding:
    """The finding on the first inline question, its cell changed, and with text cells added below some places."""
    one = notebook(NEIGHBOURS, {} if source is None else {2: source}, **{**PRINTED, **ran})
    cells = list(one.cells)
    for at, text in sorted(added, reverse=True):
        cells.insert(at + 1, Cell(index=0, kind=M, source=text))
    numbered = tuple(cell.model_copy(update={"index": number}) for number, cell in enumerate(cells))
    return found(lab({"cause": check}), Notebook(file="knn.ipynb", cells=numbered))["cause.x"]


@pytest.mark.parametrize("check", [LENGTH, WORDS, {"check": "by-hand"}])
@pytest.mark.parametrize("source", [None, "", LABEL + PLACE, LABEL, "**Inline Question 1**"])
def test_a_cell_as_it_was_handed_out_is_missing_whatever_code_prints_below(
    source: str | None, check: dict[str, Any]
) -> None:
    finding = cause(source, check)
    expected = Status.MISSING if source != "" else finding.status  # without its label it is not found
    assert finding.status is expected
    assert finding.status not in (Status.CORRECT, Status.PARTIAL)


@pytest.mark.parametrize(
    "source",
    [
        f"{LABEL}{PLACE} {SAID}",
        f"{LABEL}{PLACE}\n\n{SAID}",
        f"**Inline Question 1**\n\n{SAID}",
        f"{LABEL}{SAID}",
        f"{LABEL}*fill this in.* {SAID}",
    ],
)
def test_an_answer_in_its_cell_counts_in_whatever_place(source: str) -> None:
    assert cause(source).status is Status.CORRECT
    assert cause(source, WORDS).status is Status.CORRECT


def test_only_the_words_of_the_student_are_counted() -> None:
    short = cause(f"{LABEL}{PLACE} Because of outliers.")
    assert (short.status, short.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert short.found == "3 words"


def test_an_answer_in_a_cell_added_below_counts() -> None:
    assert cause(None, WORDS, (2, SAID)).status is Status.CORRECT


def test_an_answer_ends_where_its_cell_ends() -> None:
    # What is said below the hand-out's next cells belongs to them.
    finding = cause(f"{LABEL}{PLACE} Because the images differ.", WORDS, (4, "The noise of the outliers is far away."))
    assert finding.status is Status.REVIEW
    assert "noise" not in "".join(one.quote for one in finding.evidence)


def test_the_answer_to_a_question_that_the_lab_leaves_out_counts_for_no_other() -> None:
    cells = [*NEIGHBOURS[:4], (M, NEIGHBOURS[2][1].replace("Question 1", "Question 2")), *NEIGHBOURS[4:]]
    the_lab = lab({"cause": WORDS})
    listed = Templates(notebooks=(template_of(notebook(cells)),))
    said = notebook(cells, {2: f"{LABEL}{PLACE} It differs.", 4: f"**Inline Question 2**\n\n{PLACE} {SAID}"})
    finding = found(the_lab.model_copy(update={"templates": listed}), said)["cause.x"]
    assert finding.status is Status.REVIEW
    assert "differs" in finding.evidence[0].quote


def test_an_answer_elsewhere_is_for_a_person() -> None:
    free = "Remark: the bright rows come from outliers that are far from all others."
    assert cause(None, WORDS, (0, free)).status is Status.REVIEW


def test_a_remark_in_code_may_be_the_answer() -> None:
    cells = [*NEIGHBOURS]
    cells[4] = (C, NEIGHBOURS[4][1] + "\n# the bright rows are caused by outliers that lie far from everything else")
    the_lab = lab({"cause": WORDS})
    assert found(the_lab, notebook(cells))["cause.x"].status is Status.REVIEW


def test_a_question_without_a_number_is_found_by_its_title() -> None:
    check = {"check": "section-present", "options": {"least_words": 5}}
    the_lab = lab({"cause": LENGTH, "kernel": check})
    blank = found(the_lab, notebook(NEIGHBOURS))
    assert blank["kernel.x"].status is Status.MISSING
    said = found(the_lab, notebook(NEIGHBOURS, {6: "The linear kernel, since the classes are separable."}))
    assert said["kernel.x"].status is Status.CORRECT


def test_several_notebooks_are_one_lab() -> None:
    the_lab = lab({"cause": LENGTH, "fails": LENGTH})
    kink = "**Inline Question 1**\n\n*Your Answer:* The hinge has a kink where it is not differentiable, so it fails."
    both = found(the_lab, notebook(NEIGHBOURS), notebook(MARGINS, {1: kink}, file="hand-in/smith_svm (1).ipynb"))
    assert both["cause.x"].status is Status.MISSING
    assert both["fails.x"].status is Status.CORRECT
    assert both["fails.x"].evidence[0].file.endswith("smith_svm (1).ipynb")
    swapped = found(the_lab, notebook(NEIGHBOURS, {2: f"{LABEL}{PLACE} {SAID}"}), notebook(MARGINS, file="svm.ipynb"))
    assert swapped["cause.x"].status is Status.CORRECT
    assert swapped["fails.x"].status is Status.MISSING


def test_a_label_that_two_files_share_names_nothing_in_a_third() -> None:
    the_lab = lab({"cause": LENGTH, "fails": LENGTH})
    other = found(the_lab, notebook(MARGINS, {1: f"**Inline Question 1**\n\n{SAID}"}, file="Untitled.ipynb"))
    assert {one.status for one in other.values()} <= {Status.REVIEW, Status.MISSING}
    assert other["cause.x"].status is Status.REVIEW  # its words stand there


def test_answers_in_a_report_beside_blank_notebooks_count() -> None:
    the_lab = lab({"cause": LENGTH})
    report = document(f"# Answers\n\n{SAID} The kernel is linear.", "report.md")
    assert found(the_lab, notebook(NEIGHBOURS), documents=[report])["cause.x"].status is Status.REVIEW


def test_places_are_known_where_students_move_and_replace_cells() -> None:
    cells = [*NEIGHBOURS[:2], (M, "My notes"), *NEIGHBOURS[2:]]
    cells[7] = (M, "The linear one.")
    places = places_of_answers(notebook(cells), lab({"cause": LENGTH}))
    assert sorted(places.answers) == [3, 7]
    assert places.given == {0, 1, 4, 5, 6, 8}


FILLED = (
    "def distances(A, B):\n    #########\n    # TODO: compute all distances\n    # without a loop.\n    #########\n"
    "    d = ((A[:, None] - B[None]) ** 2).sum(-1)\n    # END OF YOUR CODE\n    return d"
)


@pytest.mark.parametrize(
    ("source", "gaps"),
    [
        (None, 1),
        (FILLED, 0),
        (FILLED.replace("    d = ", "    pass\n    d = "), 0),
        (
            FILLED.replace(
                "    d = ((A[:, None] - B[None]) ** 2).sum(-1)\n",
                "    pass\n    # I do not know how it is done\n",
            ),
            1,
        ),
    ],
)
def test_a_gap_is_open_where_the_code_below_is_as_handed_out(source: str | None, gaps: int) -> None:
    one = notebook(NEIGHBOURS, {} if source is None else {3: source})
    answer = extract(Reading(notebooks=(one,)), lab({"cause": LENGTH}))
    assert len(answer.notebooks[0].gaps) == gaps


@pytest.mark.parametrize(("said", "gaps"), [("", 1), ("# no", 1), ("# The curve gets wider and flatter.", 0)])
def test_a_remark_answers_a_gap_that_asks_for_words(said: str, gaps: int) -> None:
    handed_out = "plot(curve)\n\n# TODO\n# Predict what happens to the plot if sigma is 2.\n"
    listed = Templates(notebooks=(template_of(notebook([(C, handed_out)])),))
    the_lab = lab({"cause": LENGTH}).model_copy(update={"templates": listed})
    answer = extract(Reading(notebooks=(notebook([(C, handed_out + said)]),)), the_lab)
    assert len(answer.notebooks[0].gaps) == gaps


def test_a_line_with_a_gap_in_it_stays_open() -> None:
    cells = [(C, "a = 1\nrate = ___  # TODO: choose the rate\nprint(rate)")]
    the_lab = lab({"cause": LENGTH}).model_copy(
        update={"templates": Templates(notebooks=(template_of(notebook(cells)),))}
    )
    answer = extract(Reading(notebooks=(notebook([*cells, (C, "b = 2")]),)), the_lab)
    assert len(answer.notebooks[0].gaps) == 1


@pytest.mark.parametrize(
    ("source", "gaps"),
    [(MODULE, 1), (MODULE.replace("    pass\n", "    value = (w * w).sum() * reg\n"), 0)],
)
def test_a_gap_in_a_module_of_the_hand_out(source: str, gaps: int) -> None:
    module = document("```python\n" + source + "```", "linear.py")
    answer = extract(Reading(documents=(module,)), lab({"cause": LENGTH}))
    assert sum(len(cell.gaps) for cell in answer.code) == gaps


def test_the_output_below_an_answer_s_cell_is_the_question_s() -> None:
    rates = [{"row": name, "column": "hits", "least": least, "most": 100, "unit": "%"} for name, least in RATES.items()]
    cells = [
        (M, "**Inline Question 1**\n\nHow many faces are found in cats and in birds?"),
        (M, "__Answer:__"),
        (C, "from data import cats\nfew = cats[:50]\n"),
        (M, "### Choice of the kernel"),
        (C, "run()"),
    ]
    the_lab = lab({"cause": {"check": "table", "options": {"cells": rates}}, "kernel": LENGTH}, is_listed=False)
    listed = the_lab.model_copy(update={"templates": Templates(notebooks=(template_of(notebook(cells)),))})
    source = "from data import cats\nfew = cats[:50]\ncount(few)"
    shown = notebook(cells, {2: source}, out_2="cats: 91%\nbirds: 62%")
    assert found(listed, shown)["cause.x"].status is Status.CORRECT
    later = notebook(cells, {2: source, 4: "run(2)"}, out_4="cats: 91%\nbirds: 62%")
    assert found(listed, later)["cause.x"].status is not Status.CORRECT


RATES = {"cats": 90, "birds": 60}


@pytest.mark.parametrize(
    ("remark", "status"),
    [
        ("# The outliers lie far from all other rows of the data.", Status.CORRECT),
        ("# far", Status.REVIEW),
        ("# outliers = far(rows)", Status.MISSING),
    ],
)
def test_the_hand_out_may_ask_for_an_answer_in_a_remark(remark: str, status: Status) -> None:
    cells = [
        (M, "**Inline Question 1**\n\nDraw the distances, and describe them in a comment. What are the bright rows?"),
        (C, "# Describe here what you see:\n#\nshow(d)"),
    ]
    words = {"check": "contains", "options": {"about": [["outlier"]], "must": [["far"]]}}
    the_lab = lab({"cause": words}, is_listed=False)
    listed = the_lab.model_copy(update={"templates": Templates(notebooks=(template_of(notebook(cells)),))})
    own = notebook(cells, {1: f"# Describe here what you see:\n{remark}\nshow(d)"})
    assert found(listed, own)["cause.x"].status is status


def test_the_answer_may_stand_below_the_question_s_own_words() -> None:
    asks = "Describe how you found better features."
    cells = [(M, f"### Inline Question 1: Selection\n\n{asks}"), (M, "_Type your answer here._")]
    questions = lab({"cause": LENGTH}, is_listed=False)
    one = questions.questions[0].model_copy(update={"asks": asks})
    listed = questions.model_copy(
        update={"questions": (one,), "templates": Templates(notebooks=(template_of(notebook(cells)),))}
    )
    own = notebook(cells, {1: "1. I counted the words of both kinds and kept those that differ most between them."})
    assert found(listed, own)["cause.x"].status is Status.CORRECT


def test_the_words_of_the_question_are_no_part_of_the_answer_below_them() -> None:
    asks = (
        "When the tree has two leaves, does the model suffer from high bias or from high variance? How do you see it?"
    )
    cells = [(M, f"### Inline Question 1\n{asks}"), (M, "**Answer:**"), (M, "### The end")]
    check = {"check": "contains", "options": {"about": [["two leaves"]], "must": [["high bias"]]}}
    questions = lab({"cause": check}, is_listed=False)
    one = questions.questions[0].model_copy(update={"asks": asks})
    listed = questions.model_copy(
        update={"questions": (one,), "templates": Templates(notebooks=(template_of(notebook(cells)),))}
    )
    said = "With two leaves, the model suffers from high bias: it misses most of the shape."
    assert found(listed, notebook(cells, {1: f"**Answer:**\n\n{said}"}))["cause.x"].status is Status.CORRECT


@pytest.mark.parametrize(
    ("remark", "status"),
    [
        ("draw the rows that are bright, one below the other, in the colours of the map", Status.MISSING),
        ("the bright rows are those of an outlier, which is far from all the others", Status.REVIEW),
    ],
)
def test_an_answer_whose_cell_was_taken_away_is_missing(remark: str, status: Status) -> None:
    cells = [
        (M, "### Inline Question 1\n\nWhat are the bright rows?"),
        (M, "_Type your answer here._"),
        (M, "### Inline Question 2\n\nDraw the rows."),
        (C, "# TODO: draw\npass"),
        (M, "### Inline Question 3\n\nWhat is the scale?"),
        (M, "_Type your answer here, in words._"),
    ]
    questions = lab({"cause": WORDS}, is_listed=False)
    other = {"id": "draw", "title": "Rows", "labels": ["inline question 2"], "file": "knn.ipynb", "items": []}
    item = {"id": "draw.x", "title": "x", "points": 1, "check": "by-hand"}
    second = type(questions.questions[0]).model_validate({**other, "items": [item]})
    listed = questions.model_copy(
        update={
            "questions": (*questions.questions, second),
            "templates": Templates(notebooks=(template_of(notebook(cells)),)),
        }
    )
    own = notebook([cells[0], cells[2], (C, f"# {remark}\nplt.imshow(d)"), cells[4], (M, "It is linear.")])
    assert found(listed, own)["cause.x"].status is status
