"""Extract all claims of a submission for the checks, and choose the document that is the answer sheet.

`extract` returns an `Answer`. `candidates` orders the documents that may be the answer sheet.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from enum import StrEnum
from functools import cached_property
from itertools import chain, groupby, islice
from pathlib import PurePosixPath
from typing import Final

from pydantic import Field

from grader.claims.answer_cells import AnswerPlaces, cut_at_handout
from grader.claims.code import CodeCell, document_code, notebook_code
from grader.claims.code.commented import without_commented_code
from grader.claims.counts import SMALLEST, CountClaim, counts
from grader.claims.definitions import DefinitionClaim, definitions
from grader.claims.equations import Equation
from grader.claims.handout import (
    NotebookState,
    is_written_on_handout,
    notebook_state,
    own_blocks,
    own_code,
    own_logs,
    own_runs_kept,
    own_words,
    places_of_answers,
    with_open_gaps,
)
from grader.claims.implied_equations import all_equations
from grader.claims.logged import (
    LoggedRun,
    less_figures_of_others,
    logged_runs,
    of_the_lab,
    trainings,
    with_logged_experiments,
)
from grader.claims.passage import Passage
from grader.claims.results.claimed import ResultClaims, complete_claims, result_claims
from grader.claims.sections import Section, sections
from grader.claims.unanswered import FEWEST_GAPS, AnsweredSections, less_asked
from grader.claims.unfilled import handouts_beside
from grader.claims.voice import (
    cells_heard,
    comment,
    comments_as_words,
    silent_lines,
    with_voices,
    words,
    words_and_comments,
)
from grader.frozen import Frozen
from grader.intake.names import is_of_tracker
from grader.intake.submission import Role, is_read_me, lists_libraries
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.message import Message, Words, join_messages, label_text, say, say_number
from grader.reading.document import Block, BlockKind, Document, Evidence
from grader.reading.logs.written import message_of
from grader.reading.notebook import (
    Cell,
    CellKind,
    LibraryVersion,
    Notebook,
    OutputKind,
    exported_notebook,
    listed_text,
    notebook_document,
    versions_told,
)
from grader.reading.reading import FileRecord, FileState, Reading


class Kind(StrEnum):
    """A kind of evidence in a submission: text, code, printed output, or training logs."""

    WRITTEN = "written"
    CODE = "code"
    PRINTED = "printed"
    LOGGED = "logged"


EVERY_KIND: Final = frozenset(Kind)


class Gap(Frozen):
    """A file that could not be read completely, the reason, and the kinds of evidence that may be lost."""

    text: Words
    kinds: frozenset[Kind] = EVERY_KIND


class StatedChoice(Frozen):
    """The statement of how the checkpoints of some experiments were chosen.

    `by` is the split that chose them, `last` for the last checkpoint, or None for another way.
    """

    experiments: tuple[str, ...]
    by: str | None
    evidence: Evidence


class StatedComparison(Frozen):
    """A sentence that compares two experiments. `better` is None if it calls neither better."""

    better: str | None
    evidence: Evidence


class StatedValue(Frozen):
    """The value that a text states for a parameter, with its place."""

    value: str
    evidence: Evidence


_FORMATS: Final = (".pdf", ".docx", ".odt", ".html", ".htm", ".md", ".tex")
"""The preferred formats of similar documents. Formats made for reading come before their sources."""

OUTPUT_LINES: Final = 40
"""The number of lines that are read from the beginning and the end of a cell's output as text. Training logs are read
elsewhere."""


class Candidate(Frozen):
    """A document that may be the answer sheet.

    `named` is the number of questions that its headings name. `answers` is the number of experiments, parameters and
    counts for which it states something.
    """

    file: str
    is_report: bool
    sections: tuple[Section, ...]
    named: int
    answers: int
    length: int

    @property
    def weight(self) -> tuple[bool, int, int, int, int]:
        """The sort key: reports before notebooks, then by answers, named questions, format and length."""
        suffix = PurePosixPath(self.file).suffix.lower()
        rank = -_FORMATS.index(suffix) if suffix in _FORMATS else -len(_FORMATS)
        return self.is_report, self.answers, self.named, rank, self.length

    @property
    def contents(self) -> Message:
        """A description of the content for messages."""
        questions = say_number("{number} question named", "{number} questions named", self.named)
        answers = say_number("{number} answer found", "{number} answers found", self.answers)
        none_named, none_found = say("no questions named"), say("no answers found")
        return join_messages(", ", (questions if self.named else none_named, answers if self.answers else none_found))


def candidates(reading: Reading, lab: Lab) -> tuple[Candidate, ...]:
    """Return all documents and notebooks with text, the answer sheet first."""
    written = _reports(reading, reading.documents)
    notebooks = [with_voices(notebook_document(notebook), most=OUTPUT_LINES) for notebook in reading.notebooks]
    found: list[Candidate] = []
    for documents, is_report in ((written, True), (notebooks, False)):
        own_documents = [document for document in documents if document.blocks]
        found += [
            _candidate(document, lab, is_report=is_report, is_alone=not 1 < len(own_documents) <= _MOST_COMPARED)
            for document in own_documents
        ]
    return tuple(sorted(found, key=lambda candidate: candidate.weight, reverse=True))


def _listings(documents: Iterable[Document], reading: Reading) -> Iterator[CodeCell]:
    """Yield the code that documents show.

    A document beside its source, such as `report.html` beside `report.Rmd`, was made by running the code.
    """
    paths = [PurePosixPath(file.path) for file in reading.files]
    sources = {path.with_suffix("") for path in paths if path.suffix in _SOURCES}
    for document in documents:
        path = PurePosixPath(document.file)
        is_made = path.suffix not in _SOURCES and path.with_suffix("") in sources
        yield from (cell for cell in document_code(document, is_made=is_made) if cell.does_something)


_SOURCES: Final = (".Rmd", ".rmd", ".qmd")


def _reports(reading: Reading, documents: Iterable[Document]) -> list[Document]:
    """Return the documents that were handed in as reports."""
    reports = {file.path for file in reading.files if file.role is Role.REPORT}
    return [document for document in documents if document.file in reports]


def _less_read_mes(documents: Iterable[Document], reports: Iterable[Document], lab: Lab) -> Iterator[Document]:
    """Yield the documents without those called README that name no question of the lab, beside other reports."""
    has_others = not all(is_read_me(document.file) for document in reports)
    for document in documents:
        if not (has_others and is_read_me(document.file)) or any(cut.questions for cut in sections(document, lab)):
            yield document


def reason_for_choice(chosen: Sequence[Candidate]) -> Words:
    """Return the reason why the first candidate is the answer sheet, or an empty text if there was no choice."""
    reports = [candidate for candidate in chosen if candidate.is_report]
    if not chosen or len(reports or chosen) == 1:
        return "" if reports or not chosen else say("no report was handed in, so the notebook is read as one")
    first, *others = reports or chosen
    rest = (label_text(other.file, other.contents) for other in others[:4])
    return join_messages(say("; "), (first.contents, *rest))


def _candidate(document: Document, lab: Lab, *, is_report: bool, is_alone: bool) -> Candidate:
    """Return a document as a candidate. Its answers are counted only if several documents must be compared, which is
    slow."""
    cut = sections(document, lab)
    return Candidate(
        file=document.file,
        is_report=is_report,
        sections=cut,
        named=len({question for section in cut for question in section.questions}),
        answers=0 if is_alone else _answers(cut, lab),
        length=sum(len(block.text) for block in document.blocks),
    )


_MOST_COMPARED: Final = 20
"""With more documents of a kind, their answers are not counted, because that would take too long."""

_LARGE = 100_000
"""Numbers of at least this size may be counts of parameters."""


def _answers(cut: Iterable[Section], lab: Lab) -> int:
    """Return the number of things that sections state: experiments with results, defined parameters, large counts."""
    own_sections = tuple(cut)
    stated = result_claims(own_sections, lab)
    experiments = {claim.experiment for claim in (*stated.seeds, *stated.summaries) if claim.experiment}
    parameters = {claim.parameter for section in own_sections for claim in definitions(section.passage, lab)}
    found = (count for section in own_sections for count in counts(section.passage, _LARGE))
    large = islice((count for count in found if count.is_result), 1)
    return len([*experiments, *parameters, *large])


_SAME_WORDS: Final = 0.9
_SAME_PART: Final = 0.6
_PIECES: Final = re.compile(r"[^\W\d_]{2,}|\d[\d.,]*")


def is_aside(file: str) -> bool:
    """Whether the path of a document calls it a draft, a copy or somebody else's."""
    return not set(lexicon.words("aside_file")).isdisjoint(re.split(r"[\W_]+", file.lower()))


def _pieces(candidate: Candidate) -> frozenset[str]:
    """Return the words and numbers of a document."""
    return frozenset(_PIECES.findall("\n".join(section.passage.text for section in candidate.sections).lower()))


def _continues(candidate: Candidate, other: Candidate) -> bool:
    """Whether a notebook without labels is another part of the same answers, not another version of them."""
    pieces, others = _pieces(candidate), _pieces(other)
    is_version = len(pieces & others) >= _SAME_PART * min(len(pieces), len(others))
    return not (candidate.is_report or other.is_report or candidate.named or is_aside(candidate.file) or is_version)


def _says_the_same(candidate: Candidate, other: Candidate) -> bool:
    """Whether two documents contain the same text: nearly all words of the shorter one, and the same large numbers."""
    pieces, its = _pieces(candidate), _pieces(other)
    large = [{digits for word in words if len(digits := re.sub(r"\D", "", word)) > 3} for words in (pieces, its)]
    return large[0] == large[1] and len(pieces & its) >= _SAME_WORDS * min(len(pieces), len(its))


class Sheet(Frozen):
    """The report that is the answer sheet, its rivals, which may be it as well, and other reports."""

    chosen: Candidate
    rivals: tuple[Candidate, ...] = ()
    beside: tuple[Candidate, ...] = ()


def _sheet_among(reports: Sequence[Candidate]) -> Sheet:
    """Return the answer sheet among the reports that answer the lab and are no drafts. The preferred format wins.

    If several have this format, any of them may be the answer sheet.
    """
    most = max(report.named + report.answers for report in reports)
    answering = [report for report in reports if 2 * (report.named + report.answers) >= most]
    meant = [candidate for candidate in answering if not is_aside(candidate.file)] or answering
    suffixes = [PurePosixPath(candidate.file).suffix.lower() for candidate in meant]
    ranks = [_FORMATS.index(suffix) if suffix in _FORMATS else len(_FORMATS) for suffix in suffixes]
    likely = [candidate for candidate, rank in zip(meant, ranks, strict=True) if rank == min(ranks)]
    chosen = likely[0]
    others = [report for report in reports if report is not chosen and not _says_the_same(chosen, report)]
    rivals = tuple(other for other in others if other in likely)
    return Sheet(chosen=chosen, rivals=rivals, beside=tuple(other for other in others if other not in rivals))


class Printout(Frozen):
    """Printed output in a file other than a notebook. `line` is the number of its first line."""

    file: str
    text: str
    line: int = 1

    @cached_property
    def silent(self) -> frozenset[int]:
        """The lines, numbered from 0, that yield no claims."""
        return silent_lines(self.text)


class Answer(Frozen):
    """All claims of one submission."""

    report: str | None = None
    """The document that is the answer sheet. `report_reason` says why it was chosen."""
    report_reason: Words = ""
    rivals: tuple[str, ...] = ()
    """Other documents that may also be the answer sheet."""
    beside: tuple[str, ...] = ()
    """Documents with another text that are not the answer sheet."""
    handouts: tuple[str, ...] = ()
    """The documents that only ask, beside one that answers."""
    filled: tuple[Section, ...] = ()
    """The sections of these documents in which something may be an answer. They are not in `sections`."""
    sections: tuple[Section, ...] = ()
    noted: tuple[Section, ...] = ()
    """The text cells, comments and pictures of notebooks beside a report."""
    asked: tuple[Passage, ...] = ()
    """The passages of notebooks that only ask questions. They are not in `sections`."""
    blank: tuple[str, ...] = ()
    """The notebooks in which nothing is answered."""
    results: ResultClaims = ResultClaims()
    """The claimed results, completed by results from notebooks."""
    shown: ResultClaims = ResultClaims()
    """The results that notebooks beside a report show."""
    defining: tuple[Passage, ...] = ()
    """The passages in which definitions were looked for."""
    definitions: tuple[DefinitionClaim, ...] = ()
    code: tuple[CodeCell, ...] = ()
    printed: tuple[Printout, ...] = ()
    """The output in logs, text files and listings."""
    files: tuple[str, ...] = ()
    """The paths of all files in the submission."""
    unread: tuple[str, ...] = ()
    """The files that may be programs and were not read."""
    notebooks: tuple[NotebookState, ...] = ()
    versions: tuple[LibraryVersion, ...] = ()
    """The versions of libraries that files other than notebooks show."""
    runs: tuple[LoggedRun, ...] = ()
    other_trainings: frozenset[tuple[str, int]] = frozenset()
    """The cells, by file and number, that log trainings that the lab does not ask for."""
    gaps: tuple[Gap, ...] = ()
    """The files that could not be read completely."""
    pictures: tuple[str, ...] = ()
    """The paths of image files in the submission."""
    choices: tuple[StatedChoice, ...] | None = None
    """The statements about checkpoints that a reader extracted. None if there was no reader."""
    comparisons: tuple[StatedComparison, ...] | None = None
    """The comparisons that a reader extracted. None if there was no reader."""
    total: CountClaim | None = None
    """The total that a reader extracted."""
    values: dict[str, StatedValue] = Field(default_factory=dict)
    """The values of parameters that a reader extracted, by id."""
    silent_on: frozenset[str] = frozenset()
    """The ids of questions, items, experiments and parameters about which the text says nothing, according to a
    reader."""

    def seen_for(self, kinds: Set[Kind]) -> "Answer":
        """Return the answer without gaps that lost none of some kinds of evidence."""
        gaps = tuple(gap for gap in self.gaps if not kinds.isdisjoint(gap.kinds))
        return self if len(gaps) == len(self.gaps) else self.model_copy(update={"gaps": gaps})

    @property
    def not_read(self) -> tuple[Words, ...]:
        """Descriptions of the parts that could not be read."""
        return tuple(gap.text for gap in self.gaps)

    def passages(self, *questions: str) -> tuple[Passage, ...]:
        """Return the passages that answer some questions, or the whole report without references if no heading names
        one."""
        named = tuple(s.passage for s in self.sections if not set(questions).isdisjoint(s.questions))
        return named or tuple(section.passage for section in self.sections if not section.is_closing)

    @cached_property
    def written(self) -> tuple[Section, ...]:
        """The sections with only the student's text, without code and output.

        If a comment in code names the question, the comments count as text.
        """
        by_comment = [
            bool(section.questions) and section.passage.blocks[0].kind is BlockKind.CODE for section in self.sections
        ]
        voice_filters = (comments_as_words if is_code else words for is_code in by_comment)
        pairs = zip(voice_filters, self.sections, strict=True)
        return tuple(heard for way, section in pairs for heard in _only(way, (section,)))

    def counts(self, *questions: str, least: int = SMALLEST) -> tuple[CountClaim, ...]:
        """Return the integers of at least `least` in the answers to some questions, in reading order."""
        if self.total is not None:
            return (self.total,)
        return tuple(count for passage in self.passages(*questions) for count in counts(passage, least))

    def equations(self, *questions: str) -> tuple[Equation, ...]:
        """Return the numeric equations in the answers to some questions, or in the whole report."""
        return tuple(equation for passage in self.passages(*questions) for equation in all_equations(passage))

    def picture(self, *questions: str) -> Evidence | None:
        """Return the first picture in the answers to some questions, or None."""
        for passage in self.passages(*questions):
            for index, block in enumerate(passage.blocks):
                if block.kind is BlockKind.FIGURE:
                    return passage.block_evidence(index)
        return None

    def mention(self, *words: str) -> Evidence | None:
        """Return the first place where the report mentions one of some words, in any case and with or without
        underscores."""
        spelled = "|".join(re.escape(word.strip()).replace("_", r"[_ ]?") for word in words)
        for section in self.sections:
            match = re.search(spelled, section.passage.text, re.IGNORECASE)
            if match:
                return section.passage.evidence(match.start(), match.end())
        return None


def extract(reading: Reading, lab: Lab) -> Answer:
    """Return the claims of everything that was read, without the handout's own content."""
    asking = handouts_beside(_reports(reading, reading.documents), map(notebook_document, reading.notebooks), lab)
    kept = [document for document in reading.documents if document.file not in asking]
    kept = list(_less_read_mes(kept, _reports(reading, kept), lab))
    reading = reading.model_copy(update={"documents": tuple(kept)})
    pages = tuple(page for document in reading.documents if (page := exported_notebook(document)))
    handed = tuple(own_runs_kept(notebook, lab.templates) for notebook in (*reading.notebooks, *pages))
    code = [tuple(with_open_gaps(notebook_code(notebook), lab.templates)) for notebook in handed]
    places = {notebook.file: places_of_answers(notebook, lab) for notebook in reading.notebooks}
    shown_as_cells = {page.file for page in pages}
    documents = tuple(own_blocks(document, lab) for document in reading.documents)
    listed = [document for document in documents if document.file not in shown_as_cells]
    reports = {
        document.file for document in reading.documents if not is_written_on_handout(document, lab.templates)
    } - shown_as_cells
    scripts = tuple(with_open_gaps(_listings(listed, reading), lab.templates))
    cells = (*(cell for notebook_cells in code for cell in notebook_cells), *scripts)
    lines = (line.strip() for cell in cells if cell.whole for line in cell.source.split("\n"))
    followed = {line for line in lines if not line.startswith("#")}
    documents = tuple(with_voices(document, followed) for document in documents)
    worded = tuple(own_words(notebook, lab) for notebook in handed[: len(reading.notebooks)])
    plain_documents = tuple(map(_less_commented, documents))
    worded = tuple(_with_cells(notebook, _less_commented_cell) for notebook in worded)
    has_report = any(document.blocks for document in _reports(reading, documents))
    less_logs = _less_training if has_report else _less_logged_lines
    readable = tuple(less_logs(notebook, reading) for notebook in worded)
    found = candidates(reading.model_copy(update={"documents": plain_documents, "notebooks": readable}), lab)
    rivals = [candidate for candidate in found if candidate.is_report]
    sheet = _sheet_among(rivals) if len(rivals) > 1 else None
    if sheet:
        found = (sheet.chosen, *(candidate for candidate in found if candidate is not sheet.chosen))
    found = tuple(
        candidate.model_copy(update={"sections": _ended(candidate.file, candidate.sections, places)})
        for candidate in found
    )
    gaps = _open_cells(handed, code)
    less = {candidate.file: _less_asked(candidate.file, candidate.sections, gaps, lab) for candidate in found}
    found = tuple(candidate.model_copy(update={"sections": less[candidate.file].sections}) for candidate in found)
    cut = tuple(_all_answers(found, {experiment.question for experiment in lab.experiments}))
    exported = (own_words(page, lab) for page in handed[len(reading.notebooks) :] if page.file != found[0].file)
    beside = (*readable, *(_less_training(page, reading) for page in exported)) if has_report else ()
    logs = tuple(own_logs(reading.runs, handed, lab.templates))
    logged = logged_runs(logs, lab)
    runs = of_the_lab(logged, cut, lab)
    trained = trainings(logs, logged, runs)
    cut = tuple(less_figures_of_others(cut, trained))
    results, shown = _results(cut, lab), ResultClaims()
    noted = tuple(less_figures_of_others(_noted(cut, beside, gaps, places, lab), trained))
    if beside:
        figures = less_figures_of_others(_noted(cut, map(_less_figures, beside), gaps, places, lab), trained)
        written, printed, coded = (
            with_logged_experiments(result_claims(form, lab), runs)
            for form in (tuple(_only(words, noted)), tuple(figures), noted)
        )
        shown = complete_claims(printed, coded, lab)
        results = complete_claims(complete_claims(results, written, lab, is_written=True), shown, lab)
    passages = _defining(cut, lab)
    return Answer(
        report=found[0].file if found else None,
        report_reason=reason_for_choice(found),
        rivals=tuple(rival.file for rival in sheet.rivals) if sheet else (),
        beside=tuple(candidate.file for candidate in sheet.beside) if sheet else (),
        handouts=tuple(asking),
        filled=tuple(chain.from_iterable(asking.values())),
        sections=cut,
        noted=tuple(_only(words_and_comments, noted)),
        asked=tuple(map(words, chain.from_iterable(answered_sections.asked for answered_sections in less.values()))),
        blank=tuple(file for file, answered_sections in less.items() if answered_sections.is_blank),
        results=results,
        shown=shown,
        defining=passages,
        definitions=tuple(claim for passage in passages for claim in definitions(_less_printed(passage), lab)),
        code=tuple(own_code(cells_heard(cells), lab.templates, reports)),
        printed=tuple(_printouts(reading, listed, found[0].file if found else None)),
        files=tuple(file.path for file in reading.files),
        unread=tuple(file.path for file in reading.files if _may_be_program(file)),
        notebooks=tuple(notebook_state(*pair, lab.templates) for pair in zip(handed, code, strict=True)),
        versions=tuple(version for document in reading.documents for version in _versions(document)),
        runs=runs,
        other_trainings=frozenset(cell for cell, is_own in trained.items() if not is_own),
        gaps=tuple(_gaps(reading, found[0].file if has_report else None, asking)),
        pictures=tuple(file.path for file in reading.files if file.path.lower().endswith(_PICTURES)),
    )


def _versions(document: Document) -> tuple[LibraryVersion, ...]:
    return versions_told(listed_text(document.blocks), is_list=lists_libraries(PurePosixPath(document.file).name))


_PLAIN: Final = (".txt", ".text", ".log", ".out", ".err", "")
_PROGRAMS: Final = (
    *(".bat", ".cmd", ".ps1", ".fish", ".csh", ".tcsh", ".r", ".jl", ".pl", ".rb", ".mak", ".out", ".err"),
    *(".zip", ".tar", ".gz", ".tgz", ".7z", ".rar", ".bz2", ".xz", ""),
)
"""The suffixes of files that may contain programs or their output and are not read."""

_NO_PROGRAMS: Final = frozenset({"license", "licence", "copying", "notice", "authors", "readme"})


def _printouts(reading: Reading, documents: Sequence[Document], report: str | None) -> Iterator[Printout]:
    """Yield the plain text files beside the answer sheet, and the listings of other documents, except programs."""
    programs = {file.path for file in reading.files if file.role is Role.CODE}
    for document in documents:
        is_plain = document.file != report and PurePosixPath(document.file).suffix.lower() in _PLAIN
        kept = [block for block in document.blocks if is_plain or block.kind in (BlockKind.OUTPUT, BlockKind.CODE)]
        if kept and document.file not in programs:
            yield Printout(file=document.file, text=listed_text(kept), line=kept[0].line or 1)


def _may_be_program(file: FileRecord) -> bool:
    """Whether an unread file may contain a program or printed output."""
    path = PurePosixPath(file.path)
    is_unread = file.state is FileState.IGNORED and file.role is Role.OTHER and not is_of_tracker(file.path)
    return (
        is_unread
        and path.suffix.lower() in _PROGRAMS
        and not (path.name.startswith(".") or path.name.lower() in _NO_PROGRAMS)
    )


_PICTURES: Final = (".png", ".jpg", ".jpeg", ".svg", ".gif", ".webp")


def _less_printed(passage: Passage) -> Passage:
    """Return a passage without printed output, which defines nothing."""
    return passage.of_blocks([block for block in passage.blocks if block.voice is None or block.voice.is_code])


def _only(voice_filter: Callable[[Passage], Passage], cut: Iterable[Section]) -> Iterator[Section]:
    """Yield the sections reduced to some voices, without empty ones."""
    heard_of = (section.model_copy(update={"passage": voice_filter(section.passage)}) for section in cut)
    return (name for name in heard_of if name.passage.blocks)


def _results(cut: tuple[Section, ...], lab: Lab) -> ResultClaims:
    """Return the results claimed in a text.

    In a notebook, the student's text has priority over code and output, which may belong to any trial. Everything that
    a report quotes counts as the report's.
    """
    found, written = result_claims(cut, lab), tuple(_only(words, cut))
    is_notebook = any(block.cell is not None for section in cut for block in section.passage.blocks)
    if not is_notebook or written == cut:
        return found
    return complete_claims(result_claims(written, lab), found, lab, is_written=True)


def _all_answers(found: Sequence[Candidate], reported: Set[str]) -> Iterator[Section]:
    """Return the sections of the answer sheet, and those of further documents that answer open questions.

    Notebooks beside a report do not count for questions whose results the report gives. Without a report, several
    notebooks may form one answer sheet.
    """
    answered: set[str] = set()
    for number, candidate in enumerate(found):
        of_others = reported if found[0].is_report and not candidate.is_report else frozenset()
        is_part = all(_continues(candidate, other) for other in found[:number])
        yield from (
            section
            for section in candidate.sections
            if is_part or (section.questions and (answered | of_others).isdisjoint(section.questions))
        )
        answered.update(question for section in candidate.sections for question in section.questions)


def _open_cells(notebooks: Iterable[Notebook], code: Iterable[Sequence[CodeCell]]) -> dict[str, frozenset[int | None]]:
    """Return the cells with open gaps by notebook, if a notebook has so many gaps that it was begun with a handout."""
    gaps = {
        notebook.file: [gap for cell in cells for gap in cell.gaps]
        for notebook, cells in zip(notebooks, code, strict=True)
    }
    return {
        file: frozenset(gap.evidence.cell for gap in own_gaps)
        for file, own_gaps in gaps.items()
        if len(own_gaps) >= FEWEST_GAPS
    }


def _less_asked(
    file: str, cut: Sequence[Section], gaps: Mapping[str, frozenset[int | None]], lab: Lab
) -> AnsweredSections:
    return less_asked(cut, gaps[file], lab) if file in gaps else AnsweredSections(tuple(cut))


def _ended(file: str, cut: Sequence[Section], places: Mapping[str, AnswerPlaces]) -> tuple[Section, ...]:
    return tuple(cut_at_handout(cut, places[file])) if file in places else tuple(cut)


def _noted(
    cut: Iterable[Section],
    notebooks: Iterable[Notebook],
    gaps: Mapping[str, frozenset[int | None]],
    places: Mapping[str, AnswerPlaces],
    lab: Lab,
) -> Iterator[Section]:
    """Return the sections of notebooks that do not belong to the answer sheet."""
    taken = {(section.passage.file, question) for section in cut for question in section.questions}
    for notebook in notebooks:
        document = with_voices(notebook_document(notebook), most=OUTPUT_LINES)
        cut_own = _ended(notebook.file, sections(document, lab), places) if document.blocks else ()
        for section in _less_asked(notebook.file, cut_own, gaps, lab).sections:
            if taken.isdisjoint((notebook.file, question) for question in section.questions):
                yield section


def _less_commented(document: Document) -> Document:
    """Return a document without code that is commented out in its listings."""
    blocks: list[Block] = []
    for kind, group in groupby(document.blocks, key=lambda block: block.kind):
        group_blocks = list(group)
        if kind is BlockKind.CODE:
            lines = without_commented_code([block.text for block in group_blocks])
            group_blocks = [block for block, line in zip(group_blocks, lines, strict=True) if line or not block.text]
        blocks += group_blocks
    return document if len(blocks) == len(document.blocks) else document.model_copy(update={"blocks": tuple(blocks)})


def _less_commented_cell(cell: Cell) -> Cell:
    if cell.kind is not CellKind.CODE:
        return cell
    return cell.model_copy(update={"source": "\n".join(without_commented_code(cell.source.split("\n")))})


def _less_training(notebook: Notebook, reading: Reading) -> Notebook:
    """Return a notebook without code that trains, except comments, and without its output, which is read as a log."""
    logs = (log for run in reading.runs for log in run.logs if log.file == notebook.file)
    training = {series.cell for log in logs for series in log.series}
    return _with_cells(notebook, lambda cell: _less_code(cell) if cell.index in training else cell)


def _less_logged_lines(notebook: Notebook, reading: Reading) -> Notebook:
    """Return a notebook without code that trains by a known program, except comments, and without the program's log
    lines.

    A log proves its values and states nothing.
    """
    logged: dict[int, set[int]] = {}
    for log in (log for run in reading.runs if run.framework for log in run.logs if log.file == notebook.file):
        for series in (candidate for candidate in log.series if candidate.cell is not None):
            logged.setdefault(series.cell or 0, set()).update(series.lines)
    return _with_cells(notebook, lambda cell: _less_lines(cell, logged[cell.index]) if cell.index in logged else cell)


def _less_lines(cell: Cell, logged: set[int]) -> Cell:
    lines = cell.output.split("\n")
    for at in tuple(logged):  # only the last row of a table of metrics is marked as logged
        while at > 0 and lines[at - 1].split()[1:2] == ["="]:
            logged.add(at)
            at -= 1
    kept = ("" if at in logged or message_of(line[:_LONGEST_HEAD]).logger else line for at, line in enumerate(lines, 1))
    outputs = (
        output.model_copy(update={"rows": ()})
        if logged.intersection(range(output.line, output.line + output.lines))
        else output
        for output in cell.outputs
    )
    return _less_code(cell).model_copy(update={"output": "\n".join(kept), "outputs": tuple(outputs)})


_LONGEST_HEAD: Final = 400
"""The longest text, in characters, that loggers put before a message."""


def _less_figures(notebook: Notebook) -> Notebook:
    """Return a notebook whose code with output has no numbers, because only its words describe the output."""
    return _with_cells(
        notebook, lambda cell: _without_figures(cell) if cell.kind is CellKind.CODE and cell.output else cell
    )


def _with_cells(notebook: Notebook, change: Callable[[Cell], Cell]) -> Notebook:
    return notebook.model_copy(update={"cells": tuple(map(change, notebook.cells))})


def _less_code(cell: Cell) -> Cell:
    """Return a cell with only its comments and pictures, in their lines."""
    if cell.kind is not CellKind.CODE:
        return cell
    pictures = tuple(output for output in cell.outputs if output.kind is OutputKind.PICTURE)
    comments = (comment(line) or "" for line in cell.source.split("\n"))
    return cell.model_copy(update={"source": "\n".join(comments), "output": "", "outputs": pictures})


def _without_figures(cell: Cell) -> Cell:
    """Return a cell of code without numbers, except in comments. The result is still Python."""
    lines = (line if line.lstrip().startswith("#") else _NUMBER.sub("...", line) for line in cell.source.split("\n"))
    return cell.model_copy(update={"source": "\n".join(lines)})


_NUMBER: Final = re.compile(r"\d+(?:\.\d*)?")


def _defining(cut: Sequence[Section], lab: Lab) -> tuple[Passage, ...]:
    """Return the passages in which parameters are defined: the sections of the questions that ask for it.

    All sections count if there are none of these. If at least half of all parameters are defined by name elsewhere and
    at most one there, such as `bias` in `without bias`, the student numbers the questions differently, and the sections
    that name parameters count.
    """
    asked = _asked_to_define(cut, lab)
    named = {section.passage: _named(section.passage, lab) for section in cut}
    defined = {passage: {claim.parameter for claim in claims if claim.text} for passage, claims in named.items()}
    there = frozenset().union(*(defined[passage] for passage in asked))
    if 2 * len(frozenset().union(*defined.values())) < len(lab.parameters) or len(there) > 1 or len(asked) == len(cut):
        return asked
    return tuple(passage for passage, claims in named.items() if claims)


def _asked_to_define(cut: Sequence[Section], lab: Lab) -> tuple[Passage, ...]:
    """Return the passages under the questions that ask for definitions, or all passages if there are none."""
    asking = {question.id for question in lab.questions for item in question.items if item.check == "short-answer"}
    asked = tuple(section.passage for section in cut if not asking.isdisjoint(section.questions))
    return asked or tuple(section.passage for section in cut)


def _named(passage: Passage, lab: Lab) -> tuple[DefinitionClaim, ...]:
    """Return the definitions and values of a passage that stand with the name of their parameter."""
    return tuple(claim for claim in definitions(_less_printed(passage), lab) if claim.named)


def _gaps(reading: Reading, sheet: str | None, asking: Collection[str]) -> Iterable[Gap]:
    """Return the parts that may contain an answer and could not be read completely, with reasons.

    Unknown files count only if they may contain one. `sheet` is the report that was read as the answer sheet; the files
    in `asking` only ask.
    """
    for file in (candidate for candidate in reading.files if candidate.path not in asking):
        if file.role is not Role.MODEL and file.state in (FileState.PARTLY, FileState.UNREADABLE):
            reason = file.reason or say("could not be read whole")
            yield Gap(text=label_text(file.path, reason), kinds=_lost_with(file, sheet))


_DATA_LOGS: Final = (".json", ".csv", ".yaml", ".yml", ".tsv", ".wandb", ".db", ".sqlite", ".sqlite3")


def _lost_with(file: FileRecord, sheet: str | None) -> frozenset[Kind]:
    """Return the kinds of evidence that may be lost with a file.

    If another report answers the lab and has no name such as notes, only documents may contain a report's content.
    """
    name = PurePosixPath(file.path).name
    match file.role:
        case Role.LOG:
            is_of_figures = ".tfevents." in name or name.endswith(_DATA_LOGS) or file.path.endswith("/")
            return frozenset({Kind.LOGGED} if is_of_figures else {Kind.LOGGED, Kind.PRINTED})
        case _ if sheet is None or file.path == sheet or is_aside(sheet):
            return EVERY_KIND
        case Role.REPORT:
            return frozenset({Kind.WRITTEN})
        case Role.CODE:
            return frozenset({Kind.CODE})
        case Role.NOTEBOOK:
            return frozenset({Kind.CODE, Kind.PRINTED})
    return EVERY_KIND - {Kind.WRITTEN}
