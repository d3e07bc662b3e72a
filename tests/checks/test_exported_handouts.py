"""A hand-out whose answers stand in cells with only a mark, handed in as a notebook, as its export, and as both."""

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.runner import draw_conclusions
from grader.claims.answer import extract
from grader.claims.answer_cells import is_for_answer
from grader.claims.handout import places_of_answers, template_of
from grader.intake.submission import Role
from grader.lab.definition import Lab, Templates
from grader.lab.truth import GroundTruth
from grader.reading.document import Block, BlockKind, Document
from grader.reading.exports import notebook_of
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.reading import FileRecord, FileState, Reading
from tests.claims.making import document

M, C = CellKind.MARKDOWN, CellKind.CODE
HIVE = (
    "### Question 1 - The hive at night\n\nThe table shows what three hives weighed.\n\n"
    "| Hive | Weight | Bees |\n| --- | --- | --- |\n| Oak | 31 kg | 20,000 |\n| Elm | 24 kg | 14,000 |\n\n"
    "* Why does the weight of a hive sink during the night?\n\n"
    "**Hint:** Think of the water that evaporates from the nectar. You may refer to the manual for your answer."
)
SOUND = (
    "### Question 2 - The sound before a swarm\n\n"
    "* Does the sound of the hive tell reliably that a swarm will leave? Justify your answer.\n\n"
    "**Hint:** The queen pipes before a swarm leaves, and the bees fan louder."
)
CELLS: tuple[tuple[CellKind, str], ...] = (
    (M, "# Listening to bees\n\nIn this notebook you look at the sensors of three hives over a whole summer."),
    (C, "import pandas as pd\nhives = pd.read_csv('hives.csv')\nprint(hives.shape)"),
    (M, HIVE),
    (M, "**Answer: **"),
    (C, "spectrum = hives['sound'].rolling(24).mean()\nprint(spectrum.max())"),
    (M, SOUND),
    (M, "**Answer: **"),
    (M, "## Summing up\n\nOnce all questions are answered, hand in the notebook together with its export."),
)
NIGHT = "**Answer:** Water evaporates from the nectar, and the bees eat some of their stores."
SWARM = "**Answer: ** Yes. The piping of the queen is heard two days before."


def notebook(changes: Mapping[int, str] | None = None, *, ran: bool = True) -> Notebook:
    """The notebook as handed out, with the source of some cells changed."""
    changes = changes or {}
    cells = [
        Cell(index=at, kind=kind, source=changes.get(at, source), output="(912, 4)\n" if kind is C and ran else "")
        for at, (kind, source) in enumerate(CELLS)
    ]
    return Notebook(file="bees.ipynb", cells=tuple(cells))


FILLED = {3: NIGHT, 6: SWARM}
WORDS = {"check": "contains", "options": {"must": [["evaporat"]], "names": ["that water evaporates"]}}
YES = {"check": "choice", "options": {"choices": {"a": "yes", "b": "no"}, "right": ["a"]}}


def lab() -> Lab:
    """Two questions on the hives, with the list of the hand-out."""
    asked: list[dict[str, Any]] = [
        {"id": "q1", "title": "The hive at night", "labels": ["question 1"], "words": ["night", "nectar"]},
        {"id": "q2", "title": "The sound before a swarm", "labels": ["question 2"], "words": ["swarm", "queen"]},
    ]
    items = [{"id": f"{one['id']}.x", "title": "x", "points": 1} for one in asked]
    questions = [{**one, "items": [{**item, **how}]} for one, item, how in zip(asked, items, (WORDS, YES), strict=True)]
    made = Lab.model_validate({"id": "bees", "title": "Bees", "questions": questions})
    return made.model_copy(update={"templates": Templates(notebooks=(template_of(notebook(ran=False)),))})


def found(*handed: Notebook | Document) -> dict[str, Finding]:
    """The findings on a hand-in, by item."""
    notebooks = tuple(one for one in handed if isinstance(one, Notebook))
    documents = tuple(one for one in handed if isinstance(one, Document))
    files = [(one.file, Role.NOTEBOOK if isinstance(one, Notebook) else Role.REPORT) for one in handed]
    reading = Reading(
        notebooks=notebooks,
        documents=documents,
        files=tuple(FileRecord(path=path, role=role, state=FileState.READ) for path, role in files),
    )
    concluded = draw_conclusions(extract(reading, lab()), GroundTruth(lab="bees"), lab())
    return {one.item: one for one in concluded.findings}


def page(one: Notebook, width: int | None = None, more: str = "") -> Document:
    """The export of a notebook: its text as rendered, its code, and what that put out; with a width as a printer breaks
    the lines."""
    blocks: list[Block] = []
    for cell in one.cells:
        if cell.kind is M:
            blocks += [block.model_copy(update={"line": None}) for block in document(cell.source).blocks]
        else:
            blocks += [Block(kind=BlockKind.CODE, text=line) for line in cell.source.split("\n")]
            blocks += [Block(kind=BlockKind.OUTPUT, text=line) for line in cell.output.split("\n") if line]
    blocks += document(more).blocks if more else ()
    if width:
        blocks = [
            block.model_copy(update={"text": line})
            for block in blocks
            for line in (wrap(block.text, width) if block.kind is BlockKind.LINE else [block.text])
        ]
    return Document(file="bees.html", exact=True, blocks=tuple(blocks))


@pytest.mark.parametrize(
    "line",
    [
        "**Answer: **",
        "Answer 3:",
        "### Answer",
        "*Your answer here*",
        "Réponse :",
        "Antwort zu Aufgabe 2:",
        "Answer (b)",
        "_Type your answer here, replacing this text._",
        "**Your answer to question 2.1:**",
        "Votre réponse :",
    ],
)
def test_a_mark_is_a_place_for_an_answer(line: str) -> None:
    assert is_for_answer(line)


@pytest.mark.parametrize(
    "line",
    [
        *("Justify your answer for each.", "You can refer to the docs for your answer.", "Answers"),
        *("Your answer should be justified.", "The answer to this is a number."),
        "To support your answer, give an example of a parameter.",
    ],
)
def test_a_line_that_speaks_of_the_answer_is_none(line: str) -> None:
    assert not is_for_answer(line)


def test_the_cells_with_a_mark_are_the_places_of_answers() -> None:
    the_lab = lab()
    assert set(places_of_answers(notebook(), the_lab).answers) == {3, 6}
    assert set(places_of_answers(notebook(FILLED), the_lab).answers) == {3, 6}
    # Only the second one is filled in: the first one keeps its place.
    assert set(places_of_answers(notebook({6: SWARM}), the_lab).answers) == {3, 6}


def test_answers_in_their_cells_count() -> None:
    assert {one.status for one in found(notebook(FILLED)).values()} == {Status.CORRECT}


def test_a_blank_cell_is_missing_and_the_other_one_counts() -> None:
    findings = found(notebook({6: SWARM}))
    assert findings["q1.x"].status is Status.MISSING
    assert findings["q2.x"].status is Status.CORRECT
    assert {one.status for one in found(notebook()).values()} == {Status.MISSING}


@pytest.mark.parametrize("width", [None, 34])
def test_the_hand_out_s_words_earn_nothing_in_an_export(width: int | None) -> None:
    blank = found(page(notebook(), width))
    assert not {one.status for one in blank.values()} & {Status.CORRECT, Status.PARTIAL}
    filled = found(page(notebook(FILLED), width))
    assert {one.status for one in filled.values()} == {Status.CORRECT}
    quotes = " ".join(place.quote for one in filled.values() for place in one.evidence)
    assert "Think of the water" not in quotes


def test_words_of_the_hand_out_that_stand_there_again_are_the_student_s() -> None:
    said = "Answer: Think of the water that evaporates from the nectar."
    assert found(page(notebook({3: said})))["q1.x"].status is Status.CORRECT


def test_an_export_beside_its_notebook_is_known() -> None:
    own = notebook(FILLED)
    for width in (None, 34):
        assert notebook_of(page(own, width), [own]) is own


@pytest.mark.parametrize(
    "more",
    ["We also weighed the hive at noon, and it had gained a kilogram.", "The fan ran at 4711 turns.", "![](plot.png)"],
)
def test_a_page_with_something_of_its_own_is_no_export(more: str) -> None:
    own = notebook(FILLED)
    assert notebook_of(page(own, more=more), [own]) is None


def test_an_export_of_another_state_is_none() -> None:
    assert notebook_of(page(notebook(FILLED)), [notebook()]) is None
    assert notebook_of(document("A short report.\n\nIt evaporates."), [notebook(FILLED)]) is None
