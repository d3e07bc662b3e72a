"""Files of a hand-out as a lab lists them, and what an author should know of the list."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from grader.claims.answer_cells import answer_cells
from grader.claims.handout import module_template, template_of
from grader.claims.sections import sections
from grader.intake.submission import Role, SubmittedFile
from grader.lab.definition import Lab, Template
from grader.reading.bytes_in import text_of
from grader.reading.notebook import Notebook, notebook_document
from grader.reading.notebook_file import cells_for_answers, read_notebook


class HandoutError(Exception):
    """A file is none of a hand-out; the message says why."""


class Handout(NamedTuple):
    """A file of a hand-out as it is listed, and lines about it for its author."""

    template: Template
    lines: tuple[str, ...]


def handout(path: Path, lab: Lab) -> Handout:
    """A notebook or a module that students get. Raises HandoutError."""
    if not path.is_file():
        raise HandoutError(f"{path}: there is no such file. Give the notebook as students get it.")
    text = text_of(path).text
    if path.suffix == ".py":
        template = module_template(path.name, text)
        return Handout(template, tuple(_told(template, {}, "1 module")))
    size = path.stat().st_size
    notebook = read_notebook(
        SubmittedFile(path=path.as_posix(), role=Role.NOTEBOOK, size=size, sha256="", location=path)
    )
    if notebook.problems or not notebook.cells:
        reason = "; ".join(notebook.problems) or "it holds no cells"
        raise HandoutError(f"{path}: {reason}. Give the notebook as students get it.")
    marked = cells_for_answers(text)
    template = template_of(notebook, marked)
    answers = _answered(notebook, frozenset(answer_cells(notebook, marked)), lab)
    return Handout(template, tuple(_told(template, answers, f"{len(template.code)} code cells")))


def _answered(notebook: Notebook, cells: frozenset[int], lab: Lab) -> Mapping[int, str]:
    """The questions that the cells for answers are below, by cell; empty below none."""
    found = dict.fromkeys(sorted(cells), "")
    for section in sections(notebook_document(notebook), lab):
        for block in section.passage.blocks:
            if block.cell in found:
                found[block.cell] = ", ".join(section.questions)
    return found


def _told(template: Template, answers: Mapping[int, str], code: str) -> Iterator[str]:
    gaps = sum(len(cell.gaps) for cell in template.code)
    yield f"{template.name}: {len(template.lines)} different lines, {code}, {gaps} gaps"
    if not gaps:
        yield "  no gap was recognised in it: a notebook counts as blank when it adds hardly a line"
    if answers:
        cell_notes = (f"{cell} ({question or 'below no question of the lab'})" for cell, question in answers.items())
        yield f"  cells for answers, from 0: {', '.join(cell_notes)}"
