"""Generated notebooks read and judged as the pipeline does it."""

import random
import tempfile
from pathlib import Path

from grader.checks.finding import Finding
from grader.claims.answer import Answer, extract
from grader.intake.submission import Role, SubmittedFile
from grader.reading.document import Document
from grader.reading.notebook import Notebook
from grader.reading.notebook_file import read_notebook
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import decide
from tests.claims.making import document, lab
from tests.generated.notebooks import Case, cases

REPORT = "# Task 1\n\nSee the code.\n"


def reading_of(*contents: bytes) -> Answer:
    """The claims of a hand-in that holds these notebooks and nothing else."""
    return answered(*map(notebook_in, contents), report=None)


def judged_cases(item: str, draw: random.Random, times: int = 3) -> list[tuple[Case, Finding]]:
    """Every generated notebook for an item with what its check concludes."""
    return [(case, decide(item, reading_of(case.content))[0]) for case in cases(item, draw, times)]


def notebook_in(content: bytes) -> Notebook:
    """A notebook as it is read from a file."""
    with tempfile.NamedTemporaryFile(suffix=".ipynb") as kept:
        kept.write(content)
        kept.flush()
        name, path = Path(kept.name).name, Path(kept.name)
        file = SubmittedFile(path=name, role=Role.NOTEBOOK, size=len(content), sha256="", location=path)
        return read_notebook(file)


def answered(*notebooks: Notebook, report: str | None = REPORT) -> Answer:
    """The claims of a hand-in with these notebooks."""
    files = tuple(
        FileRecord(
            path=one.file,
            role=Role.NOTEBOOK,
            state=FileState.PARTLY if one.problems else FileState.READ,
            reason="; ".join(one.problems) or None,
        )
        for one in notebooks
    )
    documents: tuple[Document, ...] = ()
    if report is not None:
        documents = (document(report, "report.md"),)
        files += (FileRecord(path="report.md", role=Role.REPORT, state=FileState.READ),)
    return extract(Reading(documents=documents, notebooks=notebooks, files=files), lab())
