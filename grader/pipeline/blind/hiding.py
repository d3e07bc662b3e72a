"""Where on the pages of a PDF a name may stand: what a picture of a page must not show."""

from collections.abc import Collection, Iterator
from typing import Final

from grader.intake.submission import Submission, SubmittedFile
from grader.pipeline.blind.cutting import holds_name
from grader.reading.document import Block
from grader.reading.evidence import Box
from grader.reading.pdf.file import read_pdf
from grader.result import Result

Hidden = dict[tuple[str, int], tuple[Box, ...]]
"""Boxes in points by file and page."""

_TITLE: Final = 1
"""The page that a title stands on."""


def hidden_boxes(result: Result, submission: Submission, names: Collection[str]) -> Hidden:
    """The lines that hold a name; running heads and feet, whose names nobody may have told us; and on the first page
    all above the first claim: there authors stand."""
    cited = {proof.file for item in result.items for proof in item.evidence if proof.box}
    hidden: Hidden = {}
    for file in submission.files:
        if file.path in cited and file.path.lower().endswith(".pdf"):
            for page, box in _of_file(file, _first_claim(result, file.path), names):
                hidden[file.path, page] = (*hidden.get((file.path, page), ()), box)
    return hidden


def _of_file(file: SubmittedFile, claim: float, names: Collection[str]) -> Iterator[tuple[int, Box]]:
    document = read_pdf(file)
    for block in document.furniture:
        yield from _place(block)
    for block in document.blocks:
        above = block.page == _TITLE and block.box is not None and block.box[3] <= claim
        if above or holds_name(block.text, names):
            yield from _place(block)


def _first_claim(result: Result, path: str) -> float:
    """The top of the uppermost claim on the first page, in points from the page's top; 0 where there is none."""
    tops = [
        proof.box[1]
        for item in result.items
        for proof in item.evidence
        if proof.file == path and proof.page == _TITLE and proof.box
    ]
    return min(tops, default=0.0)


def _place(block: Block) -> Iterator[tuple[int, Box]]:
    if block.page is not None and block.box is not None:
        yield block.page, block.box
