"""Lines of code that a page shows as text."""

import pytest

from grader.claims.listings import less_listed, listed_lines
from grader.claims.passage import Passage
from grader.claims.sections import sections
from grader.reading.document import Block, BlockKind
from tests.claims.making import document
from tests.claims.test_two_levels import lab

R_CODE = """# read the rows
rows <- read.csv("rows.csv", header = TRUE)
set.seed(7)
part <- sample(1:nrow(rows), 40)
error <- mean(rows$y[part] != 0.25)"""
PYTHON = """import numpy as np
from sklearn.svm import SVC
model = SVC(kernel="rbf", C=4.0)
model.fit(train_x, train_y)
print(model.score(test_x, test_y))"""
JAVASCRIPT = """function share(rows) {
  const kept = rows.filter((row) => row.size > 3);
  return kept.length / rows.length;
}"""
PROSE = """The error on the training data is 0.25, as the table shows.
It is larger on the test data (0.31), because the model is too simple.
In short: more rows would help."""
FORMULAS = """f(x) = 3x + 2
g(x) = f(x) - 1 = 3x + 1
f(2) = 3(2) + 2 = 8
log(p) = -1.2"""


def page(text: str) -> tuple[Block, ...]:
    return tuple(Block(kind=BlockKind.LINE, text=line, page=1) for line in text.split("\n"))


@pytest.mark.parametrize("text", [R_CODE, PYTHON, JAVASCRIPT])
def test_code_in_any_language_is_found(text: str) -> None:
    blocks = page(f"{PROSE}\n{text}\n{PROSE}")
    lines = len(text.split("\n"))
    assert listed_lines(blocks) == set(range(3, 3 + lines))


@pytest.mark.parametrize("text", [PROSE, FORMULAS, "a = 3\nb = 4\nc = 5", "Epoch: 3\nLoss: 0.2\nError: 0.1"])
def test_words_formulas_and_results_are_no_code(text: str) -> None:
    assert not listed_lines(page(text))


def test_comments_in_code_stay() -> None:
    passage = Passage(file="report.pdf", exact=True, blocks=page(f"{PROSE}\n{R_CODE}"))
    assert less_listed(passage).text == f"{PROSE}\n# read the rows"


@pytest.mark.parametrize("ticks", ["0.0 0.2 0.4 0.6", "30\n20\n10\n0"])
def test_ticks_of_an_axis_are_no_answer(ticks: str) -> None:
    passage = Passage(file="report.pdf", exact=True, blocks=page(f"{PROSE}\n{ticks}\nTime"))
    assert less_listed(passage).text == f"{PROSE}\nTime"


def test_results_in_lines_of_their_own_stay() -> None:
    passage = Passage(file="report.pdf", exact=True, blocks=page("0.31\n0.28\n0.27"))
    assert less_listed(passage) is passage


def test_labels_in_code_give_way_to_headings() -> None:
    text = (
        "# Assignment 1.1\n\nhistogram\n\n# Assignment 1.2\n\nmedian\n\n# Code\n\n"
        'x <- read.csv("a.csv", sep = ";")\nset.seed(1)\n# Assignment 1.1\ny <- mean(x$a[1:3])\nz <- sd(x$a[4:9])\n'
    )
    # In Markdown, a line that begins with a number sign is a heading, so the document is built as a page.
    blocks = tuple(
        Block(kind=BlockKind.HEADING if place < 9 and line.startswith("#") else BlockKind.LINE, text=line, page=1)
        for place, line in enumerate(text.split("\n"))
        if line
    )
    found = sections(document("x").model_copy(update={"blocks": blocks}), lab("assignment"))
    assert [one.questions for one in found] == [("q1.1",), ("q1.2",), ()]
