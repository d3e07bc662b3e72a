"""All claims of a submission, as the checks receive them."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from pydantic import Field

from grader.claims.accuracies import accuracies
from grader.claims.accuracy import AccuracyClaims
from grader.claims.answer_sheet import Candidate, candidates, why
from grader.claims.code import CodeCell, document_code, notebook_code
from grader.claims.counts import CountClaim, counts
from grader.claims.definitions import DefinitionClaim, definitions
from grader.claims.equations import Equation
from grader.claims.handout import own_blocks, own_code, own_logs, own_runs_kept, own_words
from grader.claims.implied_equations import all_equations
from grader.claims.logged import LoggedRun, logged_runs
from grader.claims.notebook_state import NotebookState, notebook_state
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.claims.stated import StatedChoice, StatedComparison, StatedValue
from grader.frozen import Frozen
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.message import Words, say
from grader.reading.document import Block, BlockKind
from grader.reading.evidence import Evidence
from grader.reading.reading import FileState, Reading


class Answer(Frozen):
    """The claims of one submission. `report` is the document taken as the answer sheet, of several for
    the reason given; `gaps` say which files of
    weight could not be read whole, so that a check may doubt an absence; `defining` are the passages in which
    definitions were looked for. `choices`, `comparisons` and `total` are set where somebody has read the text for them
    already; else the checks look for them in its words; `values` are those stated for parameters, by id, and if
    there are any, there are no others. On the questions, items, experiments and parameters in `silent_on`, given by
    their ids, the text states nothing, says somebody who has read it whole."""

    report: str | None = None
    report_reason: Words = ""
    sections: tuple[Section, ...] = ()
    accuracies: AccuracyClaims = AccuracyClaims()
    defining: tuple[Passage, ...] = ()
    definitions: tuple[DefinitionClaim, ...] = ()
    code: tuple[CodeCell, ...] = ()
    notebooks: tuple[NotebookState, ...] = ()
    runs: tuple[LoggedRun, ...] = ()
    gaps: tuple[Words, ...] = ()
    choices: tuple[StatedChoice, ...] | None = None
    comparisons: tuple[StatedComparison, ...] | None = None
    total: CountClaim | None = None
    values: dict[str, StatedValue] = Field(default_factory=dict)
    silent_on: frozenset[str] = frozenset()

    def passages(self, *questions: str) -> tuple[Passage, ...]:
        """The passages that answer any of some questions; when no heading names one of them, the whole report without
        its references."""
        named = tuple(s.passage for s in self.sections if not set(questions).isdisjoint(s.questions))
        return named or tuple(section.passage for section in self.sections if not section.is_closing)

    @cached_property
    def written(self) -> tuple[Section, ...]:
        """The sections without what notebooks hold as code and print, and without code that was followed: what these
        show is judged as code, and not as words."""
        followed = {line.strip() for cell in self.code if cell.whole for line in cell.source.split("\n")}
        return tuple(
            one.model_copy(update={"passage": Passage(file=one.passage.file, exact=one.passage.exact, blocks=blocks)})
            for one in self.sections
            if (blocks := tuple(block for block in one.passage.blocks if not _is_code(block, followed)))
        )

    def counts(self, *questions: str) -> tuple[CountClaim, ...]:
        """Large integers in the answers to some questions, in reading order."""
        if self.total is not None:
            return (self.total,)
        return tuple(count for passage in self.passages(*questions) for count in counts(passage))

    def equations(self, *questions: str) -> tuple[Equation, ...]:
        """Numeric equations in the answers to some questions, or in the whole report."""
        return tuple(equation for passage in self.passages(*questions) for equation in all_equations(passage))

    def picture(self, *questions: str) -> Evidence | None:
        """The first picture in the answers to some questions, which may hold what no text says."""
        for passage in self.passages(*questions):
            for index, block in enumerate(passage.blocks):
                if block.kind is BlockKind.FIGURE:
                    return passage.evidence(passage.offset_of(index), passage.offset_of(index))
        return None

    def mention(self, *words: str) -> Evidence | None:
        """Where the report first mentions one of some words, in any case and whether or not it lost underscores."""
        spelled = "|".join(re.escape(word.strip()).replace("_", r"[_ ]?") for word in words)
        for section in self.sections:
            match = re.search(spelled, section.passage.text, re.IGNORECASE)
            if match:
                return section.passage.evidence(match.start(), match.end())
        return None


def extract(reading: Reading, lab: Lab) -> Answer:
    """The claims of all that was read, less what is the hand-out's own."""
    handed = tuple(own_runs_kept(notebook, lab.templates) for notebook in reading.notebooks)
    documents = tuple(own_blocks(document, lab) for document in reading.documents)
    worded = tuple(own_words(notebook, lab) for notebook in handed)
    found = candidates(reading.model_copy(update={"documents": documents, "notebooks": worded}), lab)
    cut = tuple(_answers(found))
    passages = tuple(s.passage for s in cut if _may_define(s, lab)) or tuple(s.passage for s in cut)
    code = [tuple(notebook_code(notebook)) for notebook in handed]
    shown = [cell for document in documents for cell in document_code(document) if cell.does_something]
    cells = (*(cell for one in code for cell in one), *shown)
    return Answer(
        report=found[0].file if found else None,
        report_reason=why(found),
        sections=cut,
        accuracies=accuracies(cut, lab),
        defining=passages,
        definitions=tuple(claim for passage in passages for claim in definitions(passage, lab)),
        code=tuple(own_code(cells, lab.templates)),
        notebooks=tuple(notebook_state(*pair, lab.templates) for pair in zip(handed, code, strict=True)),
        runs=logged_runs(own_logs(reading.runs, handed, lab.templates), lab),
        gaps=tuple(_gaps(reading)),
    )


def _is_code(block: Block, followed: set[str]) -> bool:
    if block.kind is BlockKind.CODE:
        return block.cell is not None or block.text.strip() in followed
    return block.kind is BlockKind.OUTPUT and block.cell is not None


def _answers(found: Iterable[Candidate]) -> Iterator[Section]:
    """The sections of the answer sheet, and those of further documents that answer questions left open so far."""
    answered: set[str] = set()
    for number, candidate in enumerate(found):
        yield from (
            section
            for section in candidate.sections
            if number == 0 or (section.questions and answered.isdisjoint(section.questions))
        )
        answered.update(question for section in candidate.sections for question in section.questions)


def _may_define(section: Section, lab: Lab) -> bool:
    asking = {question.id for question in lab.questions for item in question.items if item.check == "short-answer"}
    return not asking.isdisjoint(section.questions)


def _gaps(reading: Reading) -> Iterable[Words]:
    """What may hold an answer and could not be read whole, with the reason; of unknown files only those are unreadable
    that may."""
    for file in reading.files:
        if file.role is not Role.MODEL and file.state in (FileState.PARTLY, FileState.UNREADABLE):
            yield say("{file}: {reason}", file=file.path, reason=file.reason or say("could not be read whole"))
