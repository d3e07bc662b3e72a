"""The check `section-present`: a section was written."""

from collections.abc import Iterator, Sequence
from typing import Final

from grader.checks.absence import (
    absence,
    concluded_absent,
)
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import Reason
from grader.checks.finding import ExpectedAnswer, Finding, Status
from grader.claims.answer import Answer
from grader.claims.passage import Passage
from grader.claims.statements import speaks_of
from grader.lab.definition import Lab
from grader.language.shapes import TOKEN
from grader.message import say, say_number
from grader.reading.document import BlockKind


@check("section-present")
def section_present(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    heading: tuple[str, ...] = (),
    least_words: int = 1,
    most_words: int | None = None,
) -> Iterator[Conclusion]:
    """The section that was asked for is there.

    - `heading`: words of its heading. Without any, the section is the answer to the question.
    - `least_words`, `most_words`: the bounds of its length, without code, output and text of the handout. A longer
      section is `partial`.

    Decides: whether the section exists, and its length.

    Leaves to people: sections that are too short, and text without such a heading.

    Example:
        heading = ["limitation"]
        least_words = 30
    """
    asked = say("at least {least} words", least=least_words)
    if most_words is not None:
        asked = say("at most {most} words", most=most_words)
    finding = Finding(item=item, status=Status.REVIEW, expected=ExpectedAnswer(text=asked))
    passage, start, end = _section_of(answer, lab.question_of(item), heading) or (None, 0, 0)
    words = _words_between(passage, start, end) if passage else 0
    if passage is None or not words:
        yield concluded_absent(finding, absence(answer, lab, item))
        return
    length = say_number("{number} word", "{number} words", words)
    finding = finding.with_changes(found=length, evidence=(passage.beginning(start, end),))
    message = say("Length: {length}.", length=length)
    if most_words is not None and words > most_words:
        message = say("Length: {length}; at most {most} are asked for.", length=length, most=most_words)
        yield with_verdict(finding, Status.PARTIAL, message)
    elif words < least_words:
        yield with_verdict(finding, Status.PARTIAL, message, _SHORT.keep_if(True))
    else:
        yield with_verdict(finding, Status.CORRECT, message)


def _words_between(passage: Passage, start: int, end: int) -> int:
    """Return the number of words between two offsets of a passage, without code and output."""
    silent = (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.FIGURE)
    block_indexes = [index for index, block in enumerate(passage.blocks) if block.kind not in silent]
    bounds = ((passage.offset_of(index), passage.offset_of(index + 1)) for index in block_indexes)
    return sum(len(TOKEN.findall(passage.text[max(start, first) : min(end, last)])) for first, last in bounds)


_SHORT: Final = Reason(say("That is less than was asked for."))


def _section_of(answer: Answer, question: str, heading: Sequence[str]) -> tuple[Passage, int, int] | None:
    """Return the place of a section: after the heading with some words, up to the next heading of its level or
    question."""
    for section in answer.written:
        blocks = section.passage.blocks
        for index, block in enumerate(blocks if heading else ()):
            if block.kind is BlockKind.HEADING and speaks_of(block.text, heading):
                after = (
                    number
                    for number, candidate in enumerate(blocks[index + 1 :], index + 1)
                    if candidate.kind is BlockKind.HEADING and (candidate.level or 1) <= (block.level or 1)
                )
                end = section.passage.offset_of(next(after, len(blocks)))
                return section.passage, min(end, section.passage.offset_of(index, len(block.text))), end
    named = [candidate for candidate in answer.written if question in candidate.questions and not heading]
    places = [(candidate.passage, candidate.lead, len(candidate.passage.text)) for candidate in named]
    # A heading and the question below it may both name the question.
    return max(places, key=lambda place: _words_between(*place), default=None)
