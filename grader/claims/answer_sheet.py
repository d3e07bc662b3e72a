"""Which of the documents of a hand-in is the answer sheet, and why."""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from grader.claims.accuracies import accuracies
from grader.claims.counts import counts
from grader.claims.definitions import definitions
from grader.claims.sections import Section, sections
from grader.frozen import Frozen
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.message import Message, Words, joined, say, say_number
from grader.reading.document import Document
from grader.reading.notebook_document import notebook_document
from grader.reading.reading import Reading

_FORMATS: Final = (".pdf", ".docx", ".odt", ".html", ".htm", ".md", ".tex")
"""Of like documents the first of these is taken: what was made to be read before what it was made from."""

OUTPUT_LINES: Final = 40
"""As many lines from the beginning and end of a cell's output are read as part of a text: what a student states
in prose or prints at the end is kept, and a training log is read elsewhere."""


class Candidate(Frozen):
    """A document that may hold answers, cut into sections. `named` counts the lab's questions that its headings name,
    `answers` the experiments, parameters and counts that it states something about."""

    file: str
    is_report: bool
    sections: tuple[Section, ...]
    named: int
    answers: int
    length: int

    @property
    def weight(self) -> tuple[bool, int, int, int, int]:
        """Reports before notebooks, then what answers most, names most questions, and is the longest."""
        suffix = PurePosixPath(self.file).suffix.lower()
        rank = -_FORMATS.index(suffix) if suffix in _FORMATS else -len(_FORMATS)
        return self.is_report, self.answers, self.named, rank, self.length

    @property
    def contents(self) -> Message:
        """What it holds, in words."""
        questions = say_number("{number} question named", "{number} questions named", self.named)
        answers = say_number("{number} answer found", "{number} answers found", self.answers)
        none_named, none_found = say("no questions named"), say("no answers found")
        return joined(", ", (questions if self.named else none_named, answers if self.answers else none_found))


def candidates(reading: Reading, lab: Lab) -> tuple[Candidate, ...]:
    """All documents and notebooks that hold text, the answer sheet first."""
    reports = {file.path for file in reading.files if file.role is Role.REPORT}
    written = [document for document in reading.documents if document.file in reports]
    notebooks = [notebook_document(notebook, OUTPUT_LINES) for notebook in reading.notebooks]
    found: list[Candidate] = []
    for documents, is_report in ((written, True), (notebooks, False)):
        own = [one for one in documents if one.blocks]
        found += [_candidate(one, lab, is_report=is_report, is_alone=len(own) == 1) for one in own]
    return tuple(sorted(found, key=lambda one: one.weight, reverse=True))


def why(chosen: Sequence[Candidate]) -> Words:
    """Why the first of some candidates is the answer sheet; empty where there was no choice."""
    reports = [one for one in chosen if one.is_report]
    if not chosen or len(reports or chosen) == 1:
        return "" if reports or not chosen else say("no report was handed in, so the notebook is read as one")
    first, *others = reports or chosen
    rest = (say("{file}: {contents}", file=other.file, contents=other.contents) for other in others[:4])
    return joined(say("; "), (first.contents, *rest))


def _candidate(document: Document, lab: Lab, *, is_report: bool, is_alone: bool) -> Candidate:
    """What is answered is only counted where documents of one kind have to be compared: it is most of the work."""
    cut = sections(document, lab)
    return Candidate(
        file=document.file,
        is_report=is_report,
        sections=cut,
        named=len({question for section in cut for question in section.questions}),
        answers=0 if is_alone else _answers(cut, lab),
        length=sum(len(block.text) for block in document.blocks),
    )


_LARGE = 100_000
"""Numbers from here on may be counts of parameters; smaller ones stand in any text."""


def _answers(cut: Iterable[Section], lab: Lab) -> int:
    """How many things the sections state: experiments with figures, parameters defined, large counts."""
    own = tuple(cut)
    stated = accuracies(own, lab)
    experiments = {claim.experiment for claim in (*stated.seeds, *stated.summaries)}
    parameters = {claim.parameter for section in own for claim in definitions(section.passage, lab)}
    has_count = any(count.is_result and count.value >= _LARGE for section in own for count in counts(section.passage))
    return len(experiments - {None}) + len(parameters) + has_count
