"""What is told of the state of notebooks."""

from collections.abc import Sequence

import pytest

from grader.checks.blank_notebooks import blank_notebooks, instructions
from grader.checks.finding import Flag, Severity
from grader.checks.notebook_state import notebook_state
from grader.claims.answer import Answer
from grader.claims.handout import HandoutShare, NotebookState, versions_of
from grader.message import Message
from grader.reading.document import Evidence
from grader.reading.notebook import LibraryVersion, VersionSource
from tests.checks.making import answer, code, concluded
from tests.claims.making import lab


def told(given: Answer, libraries: Sequence[str] = ("transformers", "peft")) -> list[Flag]:
    return concluded(notebook_state.function(given, lab(), libraries=tuple(libraries)))


def state(**changes: object) -> Answer:
    return Answer(notebooks=(NotebookState.model_validate({"file": "a.ipynb", "code_cells": 9, **changes}),))


def test_a_notebook_that_was_run_from_top_to_bottom_is_not_spoken_of() -> None:
    cells = [code(f"x = {number}").model_copy(update={"execution_count": number}) for number in range(1, 5)]
    assert told(answer(None, cells)) == []
    assert told(answer("# Question 1\n\n22,807,552")) == []


def test_what_is_odd_is_told_with_its_cells() -> None:
    cells = [
        code("a").model_copy(update={"execution_count": 5}),
        code("b").model_copy(update={"execution_count": 2, "error": "NameError: b"}),
        code("c", ran=False),
        code("lr = # fill me", ran=False),
    ]
    (flag,) = told(answer(None, cells))
    assert (flag.id, flag.severity) == ("notebook-state", Severity.INFO)
    assert flag.message == (
        "code/lab.ipynb: 2 of 4 code cells show that they were run. Without a sign of a run: cells 2, 3. "
        "Run before the one above it: cell 1. Ended in an error: cell 1 (NameError: b). A gap is still open."
    )
    assert [place.cell for place in flag.evidence] == [1, 3]


def test_an_argument_that_the_shown_version_does_not_take_is_told() -> None:
    cells = [
        code("import transformers\nprint(transformers.__version__)", "5.15.0"),
        code("TrainingArguments('out', warmup_ratio=0.06)"),
    ]
    (flag,) = told(answer(None, cells))
    assert "TrainingArguments of transformers 5.15.0 has no argument warmup_ratio. It has warmup_steps." in flag.message
    cells[0] = code("!pip install transformers==4.38.2")
    assert "warmup_ratio" not in " ".join(flag.message for flag in told(answer(None, cells)))


def test_versions_that_matter_are_told_beside_it() -> None:
    versions = [
        LibraryVersion(name="transformers", version="4.31.0", source=VersionSource.INSTALLED, cell=0),
        LibraryVersion(name="numpy", version="1.23.5", source=VersionSource.INSTALLED, cell=0),
    ]
    (flag,) = told(state(not_run=(3,), versions=tuple(versions)))
    assert flag.message.endswith("Versions: transformers 4.31.0.")
    assert "numpy" not in flag.message


def test_many_cells_are_counted_and_the_first_named() -> None:
    (flag,) = told(state(not_run=tuple(range(9))))
    assert "0 of 9 code cells" in flag.message
    assert "cells 0, 1, 2, 3, 4, 5, 6, 7, …" in flag.message


def test_a_script_is_not_blamed_for_cells_that_show_no_run() -> None:
    script = {"file": "a.py", "holds_outputs": False, "not_run": tuple(range(9))}
    assert told(state(**script)) == []
    gap = Evidence(file="a.py", cell=3, quote="# fill me")
    (flag,) = told(state(**script, gaps=(gap,)))
    assert flag.message == "a.py is a script, which cannot show a run. A gap is still open."
    assert not blank_notebooks(state(**script, gaps=(gap,) * 3, open_cells=3).notebooks)
    (blank,) = blank_notebooks(state(**script, gaps=(gap,) * 5, open_cells=5).notebooks)
    assert blank.sentence == "In a.py 5 gaps are still open."


def test_its_words_can_be_translated() -> None:
    (flag,) = told(state(not_run=(1,), errors=(Evidence(file="a.ipynb", cell=1, quote="x"),)))
    assert isinstance(flag.message, Message)


def version(number: str, source: VersionSource, name: str = "peft") -> LibraryVersion:
    return LibraryVersion(name=name, version=number, source=source, cell=0)


def test_the_surest_source_tells_a_library_s_version_and_the_latest_comes_first() -> None:
    asked, present = version("0.3.0", VersionSource.ASKED), version("0.2.0", VersionSource.PRESENT)
    first, second = version("0.4.0", VersionSource.INSTALLED), version("0.5.0", VersionSource.INSTALLED)
    one = NotebookState(file="a", versions=(asked, present, first))
    two = NotebookState(file="b", versions=(second, version("1", VersionSource.PRINTED, "torch")))
    assert versions_of(one.versions, "PEFT") == ("0.4.0",)
    assert versions_of((*one.versions, *two.versions), "peft") == ("0.5.0", "0.4.0")
    assert versions_of((asked,), "peft") == ("0.3.0",)
    assert versions_of((*one.versions, *two.versions), "transformers") == ()


@pytest.mark.parametrize(
    ("gaps", "ran", "open_cells", "cells", "is_blank"),
    [
        (3, 0, 3, 8, True),
        (2, 0, 2, 8, False),
        (4, 0, 4, 8, True),
        (3, 2, 3, 8, True),
        (3, 3, 3, 8, False),
        (3, 3, 4, 8, True),
        (3, 8, 4, 8, True),
        (3, 8, 3, 8, False),
        (9, 3, 1, 8, False),
    ],
)
def test_a_notebook_with_gaps_of_which_hardly_a_cell_ran_is_blank(
    gaps: int, ran: int, open_cells: int, cells: int, *, is_blank: bool
) -> None:
    places = tuple(Evidence(file="a.ipynb", cell=number, quote="# fill me") for number in range(gaps))
    one = NotebookState(
        file="a.ipynb", code_cells=cells, not_run=tuple(range(cells - ran)), gaps=places, open_cells=open_cells
    )
    found = blank_notebooks([one])
    assert bool(found) is is_blank
    for blank in found:
        assert blank.sentence == f"In a.ipynb {gaps} gaps are still open, and {ran} of {cells} cells were run."
        assert (blank.evidence, blank.is_known) == (places[:3], False)


@pytest.mark.parametrize(
    ("lines", "same", "gaps", "left", "is_blank"),
    [
        (10, 10, 4, 4, True),
        (9, 9, 4, 4, False),
        (11, 11, 4, 4, True),
        (20, 18, 4, 4, True),
        (20, 17, 4, 4, False),
        (20, 19, 4, 3, True),
        (20, 19, 4, 2, False),
        (20, 20, 0, 0, True),
        (20, 18, 0, 0, True),
        (30, 27, 0, 0, False),
        (40, 38, 0, 0, True),
    ],
)
def test_a_hand_out_s_own_lines_and_gaps_tell_a_blank_notebook(
    lines: int, same: int, gaps: int, left: int, *, is_blank: bool
) -> None:
    share = HandoutShare(lines=lines, same=same, gaps=gaps, open=left)
    found = blank_notebooks([NotebookState(file="a.ipynb", code_cells=4, handout=share)])
    assert bool(found) is is_blank
    for blank in found:
        assert f"({same} of {lines}), and {left} of its {gaps} gaps are still open." in blank.sentence
        assert blank.sentence.startswith(f"{same / lines:.0%} of the lines of a.ipynb")
        assert blank.is_known


def test_what_only_a_hand_out_says_is_told_once_each() -> None:
    text = "Deadline: Monday. You must hand in your report; you must not copy. Complete the gaps (3 points). deadline"
    assert instructions(text) == ["deadline", "you must", "hand in your", "complete the", "3 points"]
    assert instructions("Vous devez rendre le compte rendu. Barème : 5 points.") == ["vous devez", "barème", "5 points"]
    assert instructions("We trained the model with three seeds and report the averages.") == []
