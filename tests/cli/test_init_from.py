"""`grade lab init --from`: the questions of a hand-out become a lab that is ready at once."""

import json
import tomllib
from decimal import Decimal
from pathlib import Path

import pytest

from grader.lab.draft import DraftedQuestion
from grader.lab.files import SCHEMA, StarterError
from grader.pipeline.drafting import draft_of, write_draft
from grader.pipeline.inspection import looked_through
from tests.conftest import run_grade
from tests.reading.making import pdf
from tests.reading.making_docx import docx, paragraph

LINES = (
    "Problem 1 (4 points). Count the parameters of the network by hand.",
    "Show each step of the calculation.",
    "Problem 2: Train it with three seeds.",
    "(a) [2 pts] Report the mean and the standard deviation.",
    "(b) [1.5 pts] Plot the loss of the best run.",
    "Problem 3. Why does dropout help here?",
)
WANTED = (
    ("problem 1", Decimal(4)),
    ("problem 2a", Decimal(2)),
    ("problem 2b", Decimal("1.5")),
    ("problem 3", None),
)


def page(lines: tuple[str, ...]) -> str:
    return "".join(
        f"BT /F1 11 Tf 72 {700 - 40 * at} Td ({line.replace('(', chr(92) + '(').replace(')', chr(92) + ')')}) Tj ET\n"
        for at, line in enumerate(lines)
    )


def notebook(lines: tuple[str, ...]) -> str:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": line} for line in lines]
    cells.insert(3, {"cell_type": "code", "metadata": {}, "source": "# Problem 9\nx = 1", "outputs": []})
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


FORMS = {
    "handout.md": "\n\n".join(LINES).encode(),
    "handout.tex": ("\\documentclass{article}\\begin{document}\n" + "\n\n".join(LINES) + "\n\\end{document}").encode(),
    "handout.ipynb": notebook(LINES).encode(),
    "handout.pdf": pdf(page(LINES)),
    "handout.docx": docx("".join(paragraph(line) for line in LINES)),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_hand_out_of_each_format_is_a_ready_lab(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FORMS[name])
    done = run_grade("lab", "init", "my-lab", "--from", name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "my-lab" / "lab.toml").read_text(encoding="utf-8")
    lab = tomllib.loads(text)
    assert [one["labels"] for one in lab["questions"]] == [[label] for label, _ in WANTED]
    items = [item for one in lab["questions"] for item in one["items"]]
    assert [Decimal(item["points"]) for item in items] == [points or 1 for _, points in WANTED]
    assert {item["check"] for item in items} == {"by-hand"}
    assert lab["questions"][3]["asks"] == "Why does dropout help here?"
    assert '# check = "figure-present"' in text
    assert text.startswith(f"#:schema ./{SCHEMA}\n")
    assert (tmp_path / "my-lab" / SCHEMA).is_file()
    found = looked_through(tmp_path / "my-lab")
    assert found.errors == ()
    assert "4 questions drafted" in done.stdout


def test_a_drafted_lab_grades_a_hand_in(tmp_path: Path) -> None:
    (tmp_path / "handout.md").write_bytes(FORMS["handout.md"])
    write_draft(tmp_path / "my-lab", tmp_path / "handout.md")
    (tmp_path / "anna").mkdir()
    (tmp_path / "anna" / "report.md").write_text("# Problem 1\n\n42 parameters.\n", encoding="utf-8")
    done = run_grade("anna", "--lab", "my-lab", "--no-reports", "--out", "graded", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def drafted(text: str, folder: Path, name: str = "handout.md") -> tuple[DraftedQuestion, ...]:
    (folder / name).write_text(text, encoding="utf-8")
    return draft_of(folder / name).questions


NUMBERED = {
    "a question in each heading": (
        "## 1. What is a gradient?\n\n## 2. What is a Hessian?\n\n## 3. Define a norm.\n",
        ["question 1", "question 2", "question 3"],
    ),
    "numbers that begin anew in each part": (
        "# Part 1\n\n### 1. What is a set?\n\n### 2. What is a map?\n\n# Part 2\n\n### 1. What is a norm?\n",
        ["question 1.1", "question 1.2", "question 2.1"],
    ),
    "French": (
        "# Exercice 1\n\nExpliquez le rôle du pas.\n\n# Exercice 2\n\nTracez la courbe.\n",
        ["exercice 1", "exercice 2"],
    ),
    "numbers of two parts": (
        "# Question 2.1: Data\n\nLoad it.\n\n# Question 2.2: Model\n\nTrain it.\n",
        ["question 2.1", "question 2.2"],
    ),
    "another word": (
        "Assignment 0:\n\nRead it.\n\nAssignment 1:\n\nUse it.\n\nAssignment 2:\n\nShow it.\n",
        ["assignment 0", "assignment 1", "assignment 2"],
    ),
    "sections with parts": (
        "# 1 Introduction\n\nWelcome.\n\n# 2 Gradients\n\na) Derive it.\n\nb) Compute it.\n",
        ["question 2a", "question 2b"],
    ),
    "titles": ("# Lab\n\n## The data\n\nPlot the data.\n\n## The model\n\nTrain the model.\n", ["", ""]),
}


@pytest.mark.parametrize(("text", "labels"), NUMBERED.values(), ids=NUMBERED)
def test_the_numbers_are_those_of_the_questions(text: str, labels: list[str], tmp_path: Path) -> None:
    assert [one.label for one in drafted(text, tmp_path)] == labels


def test_lists_and_steps_are_no_questions(tmp_path: Path) -> None:
    text = (
        "# Hand-out\n\nTo begin:\n\n1. the archive,\n2. the environment,\n3. the notebook.\n\n"
        "## Task 1\n\nTrain it:\n\n1. with Adam,\n2. with SGD.\n\n## Task 2\n\nCompare both.\n"
    )
    assert [one.label for one in drafted(text, tmp_path)] == ["task 1", "task 2"]


def test_points_of_a_whole_are_shared_by_its_parts_and_told(tmp_path: Path) -> None:
    parts = drafted("## Task 1 (3 points)\n\n(a) Why?\n\n(b) How?\n\n## Task 2\n\nShow it.\n", tmp_path)
    assert [(one.label, one.points, one.shared) for one in parts] == [
        ("task 1a", Decimal("1.50"), Decimal(3)),
        ("task 1b", Decimal("1.50"), Decimal(3)),
        ("task 2", None, None),
    ]


def test_what_gives_no_draft_says_why_and_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text("# A course\n\nWelcome.\n", encoding="utf-8")
    with pytest.raises(StarterError, match=r"headings seen: A course.*blank"):
        write_draft(tmp_path / "my-lab", tmp_path / "empty.md")
    with pytest.raises(StarterError, match=r"is not there.*handout\.pdf"):
        write_draft(tmp_path / "my-lab", tmp_path / "nowhere.pdf")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing")
    with pytest.raises(StarterError, match="cannot be read"):
        write_draft(tmp_path / "my-lab", tmp_path / "broken.pdf")
    assert not (tmp_path / "my-lab").exists()
    done = run_grade("lab", "init", "x", "--from", "empty.md", "--template", "cnn", cwd=tmp_path)
    assert done.returncode == 2
    assert "exclude each other" in done.stderr


def test_text_in_a_hand_out_stays_text(tmp_path: Path) -> None:
    (tmp_path / "h.md").write_text('# Task 1\n\nSay "hi"\\n] and # this?\n\n# Task 2\n\nShow it.\n', encoding="utf-8")
    write_draft(tmp_path / "my-lab", tmp_path / "h.md")
    assert looked_through(tmp_path / "my-lab").errors == ()


def test_symbols_that_a_hand_out_lost_are_told(tmp_path: Path) -> None:
    for name, symbol in (("lost", "\ufffd"), ("whole", "ε")):
        (tmp_path / f"{name}.md").write_text(f"# Task 1\n\nWhat is the effect of {symbol}?\n", encoding="utf-8")
        done = run_grade("lab", "init", name, "--from", f"{name}.md", cwd=tmp_path)
        assert ("could not be read" in done.stdout) == (name == "lost"), done.stderr
