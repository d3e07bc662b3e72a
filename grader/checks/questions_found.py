"""Check whether the report labels its answers, so that the lab's questions are found."""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Final

from grader.checks.finding import Finding, Flag, Severity, Status
from grader.claims.answer import Answer
from grader.claims.sections import Section
from grader.lab.definition import Lab
from grader.message import join_messages, say, say_data
from grader.reading.document import BlockKind, Evidence

FLAG: Final = "no-question-found"
_UNANSWERED: Final = (Status.REVIEW, Status.MISSING)
_FEWEST_WORDS: Final = 40
_MOST_TITLES: Final = 6


def no_question_found(answer: Answer, lab: Lab, findings: Collection[Finding]) -> Iterator[Flag]:
    """Yield a flag if a long report labels none of several questions, and much is open or missing.

    The flag costs no points: answers are looked for in the whole text.
    """
    sections = [section for section in answer.written if not section.is_closing]
    words = sum(len(section.passage.text.split()) for section in sections)
    unanswered = sum(finding.status in _UNANSWERED for finding in findings)
    is_labelled = any(section.questions for section in sections)
    if is_labelled or len(lab.questions) < 2 or words < _FEWEST_WORDS or 2 * unanswered < len(findings):
        return
    titles = list(islice(_titles(sections), _MOST_TITLES))
    message = say("No question of the lab was recognised in the report; answers are looked for in all of its text.")
    named = say(
        "Its titles are: {titles}.", titles=join_messages("; ", [say_data(title.quote.strip()) for title in titles])
    )
    yield Flag(
        id=FLAG,
        severity=Severity.INFO,
        message=join_messages(" ", [message, named]) if titles else message,
        evidence=tuple(titles) or (sections[0].passage.beginning(0),),
    )


def _titles(sections: Iterable[Section]) -> Iterator[Evidence]:
    for passage in (section.passage for section in sections):
        for block in passage.blocks:
            if block.kind is BlockKind.HEADING and block.text.strip():
                yield block.evidence(passage.file, block.text)
