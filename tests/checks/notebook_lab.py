"""A made-up lab of two notebooks, their hand-out, and answers made by changing cells of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from grader.checks.finding import Finding
from grader.checks.runner import draw_conclusions
from grader.claims.answer import extract
from grader.claims.handout import module_template, template_of
from grader.intake.submission import Role
from grader.lab.definition import Lab, Templates
from grader.lab.truth import GroundTruth
from grader.reading.document import Document
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.reading import FileRecord, FileState, Reading

M, C = CellKind.MARKDOWN, CellKind.CODE
Cells = Sequence[tuple[CellKind, str]]

NEIGHBOURS: Cells = (
    (M, "# Nearest neighbours\n\nWe compute the distance of each row to each column."),
    (C, "import numpy as np\nfrom data import load\nX, y = load()\nprint(X.shape)"),
    (
        M,
        "**Inline Question 1**\n\nSome rows of the distance matrix are brighter. What in the data causes them?\n\n"
        "$\\color{blue}{\\textit Your Answer:}$ *fill this in.*",
    ),
    (
        C,
        "def distances(A, B):\n    #########\n    # TODO: compute all distances\n    # without a loop.\n    #########\n"
        "    pass\n    # END OF YOUR CODE\n    return d",
    ),
    (C, "d = distances(X, X)\nprint('largest distance:', d.max())\nfor row in d[:5]:\n    print('row', row)"),
    (M, "### Choice of the kernel\n\nWhich kernel do you choose, and why?"),
    (M, "_Type your answer here, replacing this text._"),
    (C, "import matplotlib.pyplot as plt\nplt.imshow(d)\nplt.show()"),
)
MARGINS: Cells = (
    (M, "# Margins"),
    (M, "**Inline Question 1**\n\nWhy does the gradient check fail once in a while?\n\n*Your Answer:* fill this in"),
    (C, "print('loss', loss(w))"),
)


def notebook(cells: Cells, changes: Mapping[int, str] | None = None, file: str = "knn.ipynb", **ran: Any) -> Notebook:
    """A notebook of some cells, a few of them with another source; `ran` are outputs of code cells by `out_NUMBER`."""
    changes = changes or {}
    return Notebook(
        file=file,
        cells=tuple(
            Cell(
                index=number,
                kind=kind,
                source=changes.get(number, source),
                output=ran.get(f"out_{number}", ""),
                execution_count=number + 1 if kind is C else None,
            )
            for number, (kind, source) in enumerate(cells)
        ),
    )


def not_run(one: Notebook) -> Notebook:
    """A notebook without any signs of a run."""
    cells = (cell.model_copy(update={"execution_count": None, "output": ""}) for cell in one.cells)
    return one.model_copy(update={"cells": tuple(cells)})


MODULE = "def loss(w, reg):\n    value = 0.0\n    # TODO: compute the loss\n    pass\n    return value\n"
HANDOUT = Templates(
    notebooks=(
        template_of(not_run(notebook(NEIGHBOURS))),
        template_of(not_run(notebook(MARGINS, file="svm.ipynb"))),
        module_template("linear.py", MODULE),
    )
)


def lab(checks: Mapping[str, Mapping[str, Any]], *, is_listed: bool = True) -> Lab:
    """The lab with one item for each of some questions, `cause`, `kernel` and `fails`: its check and options."""
    asked: dict[str, dict[str, Any]] = {
        "cause": {"file": "knn.ipynb", "labels": ["inline question 1"], "words": ["bright", "outlier", "noise"]},
        "kernel": {"file": "knn.ipynb", "labels": [], "title": "Choice of the kernel", "words": ["kernel"]},
        "fails": {"file": "svm.ipynb", "labels": ["inline question 1"], "words": ["gradient", "hinge", "kink"]},
    }
    questions = [
        {"id": name, "title": name, **asked[name], "items": [{"id": f"{name}.x", "title": "x", "points": 1, **check}]}
        for name, check in checks.items()
    ]
    made = Lab.model_validate({"id": "notebooks", "title": "Notebooks", "questions": questions})
    return made.model_copy(update={"templates": HANDOUT}) if is_listed else made


def found(the_lab: Lab, *notebooks: Notebook, documents: Sequence[Document] = ()) -> dict[str, Finding]:
    """What the checks of the lab find in a hand-in, by item."""
    own = [(one.file, Role.NOTEBOOK) for one in notebooks]
    own += [(one.file, Role.CODE if one.file.endswith(".py") else Role.REPORT) for one in documents]
    reading = Reading(
        notebooks=notebooks,
        documents=tuple(documents),
        files=tuple(FileRecord(path=path, role=role, state=FileState.READ) for path, role in own),
    )
    concluded = draw_conclusions(extract(reading, the_lab), GroundTruth(lab="notebooks"), the_lab)
    return {one.item: one for one in concluded.findings}
