"""Arguments that only some versions of a library take are judged by the version that a hand-in shows."""

import pytest

from grader.checks.changed_arguments import changed_arguments
from grader.claims.answer import Answer, extract
from grader.intake.submission import Role
from grader.lab.definition import ChangedArgument
from grader.reading.document import Block, BlockKind, Document
from grader.reading.notebook import Cell, Notebook
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import answer, code
from tests.claims.making import lab

ARGUMENTS = (
    "from transformers import TrainingArguments\nsettings = TrainingArguments('out', evaluation_strategy='epoch')"
)


def taken(given: Answer) -> list[bool | None]:
    calls = [call for cell in given.code for call in cell.calls]
    return [one.is_taken for call in calls for one in changed_arguments(call, given, lab())]


@pytest.mark.parametrize(
    ("cell", "is_taken"),
    [
        (code("import transformers\nprint(transformers.__version__)", "4.38.2"), True),
        (code("import transformers\nprint(transformers.__version__)", "4.51.0"), False),
        (code("!pip install transformers", "Successfully installed tokenizers-0.22.2 transformers-5.1.0"), False),
        (code("!pip install -q transformers==4.31.0 peft"), True),
        (code("!pip install 'transformers>=4.31'"), None),
        (code("!pip freeze", "torch==2.4.0\ntransformers==4.50.3"), True),
        (code("!pip show transformers", "Name: transformers\nVersion: 4.57.6\nSummary: models"), False),
        (code("x = 1", "FutureWarning: `evaluation_strategy` is deprecated and will be removed in version 4.46"), True),
        (code("x = 1"), None),
    ],
)
def test_the_version_that_a_notebook_shows_decides(cell: Cell, is_taken: bool | None) -> None:
    assert taken(answer(None, [cell, code(ARGUMENTS)])) == [is_taken]


def test_a_list_of_requirements_beside_the_notebook_counts() -> None:
    lines = [Block(kind=BlockKind.CODE, text=text, line=1) for text in ("torch", "transformers==4.38.2  # of the lab")]
    files = {"code/a.ipynb": Role.NOTEBOOK, "code/requirements.txt": Role.CODE}
    reading = Reading(
        documents=(Document(file="code/requirements.txt", exact=True, blocks=tuple(lines)),),
        notebooks=(Notebook(file="code/a.ipynb", cells=(code(ARGUMENTS),)),),
        files=tuple(FileRecord(path=path, role=role, state=FileState.READ) for path, role in files.items()),
    )
    assert taken(extract(reading, lab())) == [True]


def test_what_another_library_calls_so_is_another_matter() -> None:
    cells = [code("!pip install transformers==5.1.0"), code(ARGUMENTS.replace("from transformers", "from course"))]
    assert taken(answer(None, cells)) == []


@pytest.mark.parametrize(
    ("version", "is_taken"),
    [("5.14.1", True), ("5.15", False), ("5.15.0rc1", None), ("5.15.0.dev0", None), ("5", None), ("5.24.0+cpu", False)],
)
def test_early_forms_of_a_release_tell_nothing(version: str, is_taken: bool | None) -> None:
    change = ChangedArgument(library="transformers", calls=("f",), arguments={"warmup_ratio": ""}, until="5.15")
    assert change.takes(version) is is_taken
