"""Remove the handout's text from documents made from its notebook, such as a web page, a PDF or a Word document.

Such a document has lost the notebook's lines and marks. So a lab also lists the sentences, lists and tables of the
handout by the number and the hash of their letters and digits. A document was made from the handout if it contains half
of one notebook. Then the first copy of each text is the handout's, and further ones are the student's.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from grader.claims.answer_cells import is_marker_of_answer
from grader.claims.restated import SqueezedText, blank_letters, parts_of, squeeze
from grader.lab.definition import LENGTH, Templates
from grader.reading.document import Block, BlockKind, Document
from grader.reading.notebook import CellKind, Notebook

_FEWEST_WORDS: Final = 4
_MOST_BREAKS: Final = 80
"""The most ends of lines and sentences within a list or a table."""
_MOST_KEPT: Final = 0.5
_FEWEST_HELD: Final = 3
_SILENT: Final = (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.FIGURE)


def words_said(notebook: Notebook) -> tuple[str, ...]:
    """Return the sentences, lists and tables of a handout's text cells as a lab lists them.

    For example, `24:a1b2c3d4e5f6` for 24 letters and digits with this hash.
    """
    texts = (cell.source for cell in notebook.cells if cell.kind is CellKind.MARKDOWN)
    parts = (part for text in texts for part in parts_of(text) if part.words >= _FEWEST_WORDS)
    return tuple(_told(part.letters) for part in parts)


def _told(letters: str) -> str:
    return f"{len(letters)}:{hashlib.sha256(letters.encode()).hexdigest()[:LENGTH]}"


def less_printed_handout(document: Document, templates: Templates) -> Document:
    """Return a document with the handout's text blanked, except headings. Documents not made from the handout are
    unchanged."""
    listed = [Counter(notebook.said) for notebook in templates.notebooks if notebook.said]
    if not listed:
        return document
    texts = ["" if block.kind in _SILENT else block.text for block in document.blocks]
    squeezed_text = squeeze(texts)
    found = list(_found(squeezed_text, sum(listed, Counter())))
    if not _is_written_on([entry for entry, _, _ in found], listed):
        return document
    blank = {squeezed_text.places[at] for _, start, end in found for at in range(start, end)}
    blocks = blank_letters(document.blocks, texts, blank)
    return document.model_copy(update={"blocks": tuple(map(_less_marker, blocks))})


def _is_written_on(found: Sequence[str], listed: Sequence[Counter[str]]) -> bool:
    """Whether a document with some of the handout's text contains half of one notebook."""
    held = Counter(found)
    return any(
        (held & requirement).total() >= max(_FEWEST_HELD, _MOST_KEPT * requirement.total()) for requirement in listed
    )


def _less_marker(block: Block) -> Block:
    """Return a block blanked if it only says that an answer follows."""
    is_marker = block.kind in (BlockKind.LINE, BlockKind.LIST_ITEM) and is_marker_of_answer(block.text)
    return block.model_copy(update={"text": ""}) if is_marker else block


def _found(text: SqueezedText, listed: Counter[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the places of listed entries in a text, each at most as often as it is listed, the longer ones first."""
    left = Counter(listed)
    lengths = {int(requirement.partition(":")[0]) for requirement in listed}
    bounds = [at for at in range(len(text.letters) + 1) if text.is_bound(at)]
    done = 0
    for number, start in enumerate(bounds):
        if start < done:
            continue
        ends = [end for end in bounds[number + 1 : number + 1 + _MOST_BREAKS] if end - start in lengths]
        candidates = ((_told(text.letters[start:end]), end) for end in reversed(ends))
        entry, done = next(((candidate, end) for candidate, end in candidates if left[candidate] > 0), ("", start))
        if entry:
            left[entry] -= 1
            yield entry, start, done
