"""Find the documents beside a report that only ask: the handout itself, or copies of it.

Such a document contains the text of nearly all questions of the lab, and hardly anything below them.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from grader.claims.answer_cells import is_marker_of_answer
from grader.claims.asking import asks
from grader.claims.handout import own_blocks
from grader.claims.passage import Passage
from grader.claims.restated import questions_copied
from grader.claims.sections import Section, sections
from grader.claims.statements import statements
from grader.lab.definition import Lab
from grader.reading.document import Block, BlockKind, Document

_FEWEST: Final = 3
"""The fewest copied questions that identify a handout."""
_MOST_COPIED: Final = 0.75
"""The least share of the lab's questions that a handout contains."""
_MOST_FILLED: Final = 1 / 2
"""The largest share of questions below which a blank handout has text of its own, such as an introduction to the next
question."""


def handouts_beside(
    reports: Iterable[Document], others: Iterable[Document], lab: Lab
) -> dict[str, tuple[Section, ...]]:
    """Return the reports that only ask, by file, each with the sections in which something may still be an answer.

    The further reports and `others` must answer more questions than they do. A document that a marker assigned to
    questions does not only ask.
    """
    own_reports = [document for document in reports if document.blocks]
    blank = _asking(own_reports, lab)
    most = max((len(_answered(cut)) for cut in blank.values()), default=0)
    rest = (document for document in (*own_reports, *others) if blank and document.file not in blank)
    answered: set[str] = set()
    for document in rest:
        answered |= _answered(_own_sections(document, lab))
        if len(answered) > most:
            return {file: tuple(filter(_may_answer, cut)) for file, cut in blank.items()}
    return {}


def _asking(reports: Iterable[Document], lab: Lab) -> dict[str, tuple[Section, ...]]:
    """Return the chapters of questions in the reports that ask nearly everything and hardly answer anything."""
    asked = sum(bool(question.asks) for question in lab.questions)
    least, most = max(_FEWEST, _MOST_COPIED * asked), _MOST_FILLED * asked
    copies = (document for document in reports if _may_only_ask(document, lab, least))
    found = {document.file: tuple(map(_chapter, _own_sections(document, lab))) for document in copies}
    return {file: cut for file, cut in found.items() if len(_answered(cut)) <= most}


def _may_only_ask(document: Document, lab: Lab, least: float) -> bool:
    is_assigned = any(block.assigned is not None for block in document.blocks)
    return not is_assigned and len(questions_copied(document.blocks, lab)) >= least


def _own_sections(document: Document, lab: Lab) -> Iterator[Section]:
    """Yield the sections of questions, without the handout's lines."""
    return (section for section in sections(own_blocks(document, lab), lab) if section.questions)


def _chapter(section: Section) -> Section:
    """Return a section up to the heading of another chapter."""
    blocks = section.passage.blocks
    end = next((at for at, block in enumerate(blocks) if at and _ends(blocks[0], block)), len(blocks))
    return section.model_copy(update={"passage": section.passage.of_blocks(blocks[:end])})


def _answered(cut: Iterable[Section]) -> set[str]:
    """Return the questions with a filled table, a picture, code, or text that does not ask."""
    shown = (BlockKind.FIGURE, BlockKind.CODE, BlockKind.OUTPUT)
    answering = (section for section in cut if _shows(section.passage, *shown) or not all(map(asks, _said(section))))
    return {question for section in answering for question in section.questions}


def _may_answer(section: Section) -> bool:
    """Whether a section has a filled table, a picture, or text of which nothing asks or instructs."""
    sentences = _said(section)
    return _shows(section.passage, BlockKind.FIGURE) or (bool(sentences) and not any(map(asks, sentences)))


def _ends(label: Block, block: Block) -> bool:
    """Whether a heading below the label of a question begins another chapter, not a part of the answer."""
    is_below = label.kind is BlockKind.HEADING and (block.level or 0) > (label.level or 0)
    return block.kind is BlockKind.HEADING and not (is_below or is_marker_of_answer(block.text))


def _said(section: Section) -> list[str]:
    """Return the sentences behind a label."""
    passage, lead = section.passage, section.lead
    words = passage.of_blocks(
        [block for block in passage.blocks if block.kind not in (BlockKind.ROW, BlockKind.CAPTION)]
    )
    sentences = (words.text[max(sentence.start, lead) : sentence.end] for sentence in statements(words))
    return [text for text in sentences if any(map(str.isalnum, text))]


def _shows(passage: Passage, *kinds: BlockKind) -> bool:
    """Whether a passage has a block of some kinds, or a row below the first one of its table with a second cell."""
    rows = [block if block.kind is BlockKind.ROW else None for block in passage.blocks]
    is_filled = any(above and row and any(map(str.isalnum, "".join(row.cells[1:]))) for above, row in pairwise(rows))
    return is_filled or any(block.kind in kinds for block in passage.blocks)
