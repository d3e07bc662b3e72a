"""Decide whether an answer is certainly absent.

`absence` collects what speaks against it in an `Absence`: text, pictures and unread parts. `concluded_absent` turns it
into a finding: `missing` if the absence is certain, otherwise review.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain, islice, pairwise
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.checks.decide import with_verdict
from grader.checks.feedback import NOT_READ_WHOLE, UNCERTAIN, left_to_person
from grader.checks.finding import Finding, Flag, Status
from grader.checks.shown_values import question_cells
from grader.claims.answer import Answer
from grader.claims.answer_cells import are_unanswered
from grader.claims.captions import CAPTION_START, caption_of_picture
from grader.claims.code import CodeCell
from grader.claims.listings import less_listed
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.claims.statements import speaks_of, statements
from grader.claims.voice import comment
from grader.frozen import Frozen
from grader.lab.definition import Lab, Question
from grader.language.folding import fold_text
from grader.language.shapes import LONG_WORD
from grader.message import PERSON_DECIDES, Message, Words, join_messages, label_text, say
from grader.reading.document import Block, BlockKind, Evidence, ReadingDoubt, RepairKind

_MOST_PLACES: Final = 5
_FEWEST_CAPTION_WORDS: Final = 3
FEWEST_WORDS: Final = 8
"""The fewest words of comments in a cell that may be an answer."""
_SHOWN: Final = re.compile(r"\d|[\"“«`].*[\"”»`]")
"""A number or a quotation, one of which a short text must contain to say something."""
_PROSE: Final = (BlockKind.LINE, BlockKind.LIST_ITEM)
_SILENT: Final = (BlockKind.HEADING, BlockKind.FIGURE, BlockKind.CAPTION)
_QUOTE: Final = 200
_MOST_CODE: Final = 200_000
_STORED: Final = re.compile(r"(?m)^[^\S\n]*[A-Za-z_]\w*(?:\.\w+)+\s*=(?!=)")
"""An assignment to an attribute, which does not use the value."""


class Absence(Frozen):
    """The evidence against the absence of an answer."""

    spoken: tuple[Evidence, ...] = ()
    """The places that mention the subject or stand where the answer belongs."""
    pictures: tuple[Evidence, ...] = ()
    """The pictures that may show the answer."""
    unread: tuple[Words, ...] = ()
    """The parts of the submission that could not be read completely."""
    is_told: bool = True
    """Whether the lab gives words for the subject, or nothing was written at all. Otherwise no absence is certain."""
    doubt: Words = say("The quoted words may be one.")
    """The sentence about the places that mention the subject."""

    @property
    def is_certain(self) -> bool:
        """Whether there is certainly no answer."""
        return self.is_told and not (self.spoken or self.pictures or self.unread)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The places where a marker should look."""
        return (*self.spoken[:2], *self.pictures[:2])

    @property
    def reason(self) -> Words:
        """The reason for a review, in one or more sentences."""
        messages: list[Words] = []
        if self.pictures:
            messages.append(say("The answer may stand in a picture, which is not read."))
        if self.spoken:
            messages += [self.doubt, PERSON_DECIDES]
        if self.unread:
            messages.append(say("Not read: {problems}", problems=join_messages(say("; "), self.unread)))
        return join_messages(" ", messages or [PERSON_DECIDES])


def absence(answer: Answer, lab: Lab, item: str, *, in_code: bool = True, stated_in: Collection[str] = ()) -> Absence:
    """Return the evidence against the absence of an answer to an item's question.

    - **Subject.** The question's `words` identify it. Any text under the question's own heading counts. In the answer
      to another question, a sentence counts if it has two of these words, or has one and does not match that other
      question.
    - **Shared answers.** If the answer may also be `stated_in` answers to other questions, a sentence elsewhere with
      one of the words counts only if it, its paragraph or the sentence before also matches those questions.
    - **Pictures.** They count in the question's own sections. If no section names the question, they count in
      sections of no question. A picture whose caption describes something else does not count.
    - **Code.** With `in_code`, code counts, too. Printed output never counts.
    - **Unchanged cells.** If the answer's cell is unchanged, only text outside all questions and comments in code
      count.
    - **Empty headings.** If headings name the question and nothing stands below them, and they are no list of the
      questions, answers to other questions do not count, except the nearest ones before and after, and places with the
      question's label.
    """
    question = lab.asking(item)
    named = [section for section in answer.sections if question.id in section.questions]
    if are_unanswered(named):
        return _absence_beside_cell(answer, question, {section.passage.file for section in named})
    is_blank = bool(named) and all(map(is_empty, named)) and not _are_listed(named, answer)
    apart = _of_others(answer, question) if is_blank else ()
    spoken = [
        *(section.passage.beginning(0) for section in answer.filled if question.id in section.questions),
        *_under_own_heading(named, question),
        *_copied_lists(named),
        *_spoken(answer, question, lab, stated_in, apart),
        *_in_singular(answer, question),
        *(_spoken_in_code(answer, question, apart) if in_code else ()),
    ]
    if question.id in answer.silent_on:
        spoken = []
    around = named or [section for section in answer.noted if question.id in section.questions]
    around = around or [section for section in answer.sections if not section.questions and not section.is_closing]
    nothing_written = not any(section.passage.text.strip() for section in answer.sections)
    return Absence(
        spoken=tuple(dict.fromkeys(islice(spoken, _MOST_PLACES))),
        pictures=tuple(islice(_pictures(around, question, lab), _MOST_PLACES)),
        unread=answer.not_read,
        is_told=bool(question.words) or (nothing_written and not (in_code and answer.code)),
    )


def _absence_beside_cell(answer: Answer, question: Question, files: Set[str]) -> Absence:
    """Return the evidence against the absence of an answer whose cell, in one of `files`, is unchanged.

    A student who fills the other cells answers there, so other files do not count.
    """
    free, cells = _free_text(answer), answer.code
    if _are_filled(answer, files):
        free = [section for section in free if section.passage.file in files]
        cells = tuple(cell for cell in cells if cell.file in files)
    remarks = _long_remarks(cells)
    free_cells = [*chain.from_iterable(question_cells(answer, question.id))]

    def is_about(cell: CodeCell, remark: str) -> bool:
        named = sum(speaks_of(remark, [word]) is not None for word in question.words)
        return named > (cell not in free_cells)  # in code for another question one word may be that question's

    spoken = chain(
        (
            place
            for section in free
            for place in _matched(section.passage, speaks_of(section.passage.text, question.words))
        ),
        (
            Evidence(file=cell.file, cell=cell.cell, quote=remark[:_QUOTE])
            for cell, remark in remarks
            if is_about(cell, remark)
        ),
    )
    return Absence(
        spoken=tuple(islice(spoken, _MOST_PLACES)),
        unread=answer.not_read,
        is_told=bool(question.words) or not free,
    )


def _long_remarks(cells: Iterable[CodeCell]) -> Iterator[tuple[CodeCell, str]]:
    """Yield the cells whose comments have some words, with the comments."""
    remarks = ((cell, _remarks(cell)) for cell in cells)
    yield from ((cell, remark) for cell, remark in remarks if len(remark.split()) >= FEWEST_WORDS)


def _free_text(answer: Answer) -> list[Section]:
    """Return the student's sections outside all questions."""
    return [section for section in answer.written if not (section.questions or section.is_closing or section.is_blank)]


def _are_filled(answer: Answer, files: Set[str]) -> bool:
    """Whether at least half of the questions that some files name are answered there."""
    by_question: dict[str, list[Section]] = {}
    for section in answer.sections:
        for question in section.questions if section.passage.file in files else ():
            by_question.setdefault(question, []).append(section)
    return 2 * sum(map(are_unanswered, by_question.values())) <= len(by_question)


def _remarks(cell: CodeCell) -> str:
    """Return the student's comments in a cell as one text."""
    return " ".join(remark.strip("# ") for line in cell.living if (remark := comment(line)))


def remarks_of(cells: Iterable[CodeCell], question: str, *, fewest: int = FEWEST_WORDS) -> list[Section]:
    """Return the student's comments in some cells as sections of a question.

    Comments with fewer than `fewest` words count only in a cell without code.
    """
    found: list[Section] = []
    for cell in cells:
        words = len(_remarks(cell).split())
        is_beside = any(line.strip() and not line.lstrip().startswith("#") for line in cell.living)
        if words >= (fewest if is_beside else 1):
            blocks = (Block(kind=BlockKind.LINE, text=line, cell=cell.cell) for line in _remark_lines(cell))
            passage = Passage(file=cell.file, exact=True, blocks=tuple(blocks))
            found.append(Section(title="", questions=(question,), passage=passage, is_beside_code=is_beside))
    return found


def _remark_lines(cell: CodeCell) -> list[str]:
    """Return the student's comments in a cell. A line that continues the sentence of the line above is joined to it."""
    found: list[str] = []
    is_open = False
    for line in cell.living:
        remark = (comment(line) or "").strip("# ")
        if is_open and remark[:1].islower() and not re.match(r"[\w ]{1,40}[=:]", remark):
            found[-1] = f"{found[-1]} {remark}"
        elif remark:
            found.append(remark)
        is_open = bool(remark) and remark[-1] not in ".!?:"
    return found


def told_sections(answer: Answer, lab: Lab, question: str, *, fewest_words: int = 1) -> list[Section]:
    """Return the sections with text that answer a question.

    If the handout has no cell for the answer and its sections say nothing, the comments in the question's code cells
    are its text. Comments beside code need some words.
    """
    places = own_sections(answer, question)
    fewest = min((len(place.questions) for place in places), default=0)
    if any(_has_text(place) for place in places) or not all(question in place.questions for place in places):
        return places
    closest = [place for place in places if len(place.questions) == fewest]
    if lab.templates.notebooks and not any(place.is_inline for place in places):
        return remarks_of(_cells_below(answer, question, fewest), question, fewest=fewest_words) or closest
    return closest


def _cells_below(answer: Answer, question: str, fewest: int) -> Iterator[CodeCell]:
    """Yield the code cells in the sections that name a question with the fewest others."""
    sections = (section for section in answer.sections if question in section.questions)
    below = {
        (block.file or section.passage.file, block.cell)
        for section in sections
        for block in section.passage.blocks
        if len(section.questions) == fewest
    }
    return (cell for cell in question_cells(answer, question).own if (cell.file, cell.cell) in below)


def proves_only(finding: Finding, places: Sequence[Section]) -> Finding:
    """Return the finding, or a review if it withholds points because of a comment beside code."""
    beside = {(place.passage.file, place.passage.blocks[0].cell) for place in places if place.is_beside_code}
    withholds = finding.status in (Status.INCORRECT, Status.PARTIAL)
    if withholds and any((place.file, place.cell) in beside for place in finding.evidence):
        return with_verdict(finding.with_changes(share=None), finding.status, "", UNCERTAIN)
    return finding


def _has_text(section: Section) -> bool:
    """Whether a section has text after its label other than headings, which may be the handout's."""
    passage = section.passage
    return any(
        any(map(str.isalnum, passage.text[max(section.lead, passage.offset_of(index)) : passage.offset_of(index + 1)]))
        for index, block in enumerate(passage.blocks)
        if block.kind is not BlockKind.HEADING
    )


def cut_off(finding: Finding, answer: Answer, lab: Lab) -> tuple[Words, ...]:
    """Return descriptions of the text cut off at a page's edge that may count for an item.

    If no answer was found, lines in the question's sections and lines about its subject count. If the answer is wrong,
    the judged lines count. Text beyond the edge never counts for the student, because nobody sees it.
    """
    question = lab.asking(finding.item)

    def concerns(section: Section, block: Block) -> bool:
        if finding.status is Status.INCORRECT:
            return any(_quotes(place, section, block) for place in finding.evidence)
        is_own = question.id in section.questions or not question.words
        return finding.status is Status.MISSING and (is_own or speaks_of(block.beyond, question.words) is not None)

    cut = {
        (block.file or section.passage.file, block.page)
        for section in answer.sections
        for block in section.passage.blocks
        if block.beyond and concerns(section, block)
    }
    return tuple(
        label_text(file, say("text is cut off at the edge of page {page}", page=page)) for file, page in sorted(cut)
    )


def beside_drawn_words(finding: Finding, answer: Answer, lab: Lab) -> Finding:
    """Return the finding, or a review if it withholds points although the text may have been read wrongly.

    This is so if a part of the judged text is drawn instead of written, or may differ from what was read. A finding
    that is already open gets a note about it.
    """
    is_open = finding.status is Status.REVIEW
    if not is_open and finding.status not in (Status.CORRECT, Status.INCORRECT, Status.PARTIAL, Status.MISSING):
        return finding
    drawn = list(_unsure_for(finding, answer, lab.asking(finding.item).id))
    if not drawn:
        return _beside_layout(finding, answer, lab.asking(finding.item).id) if is_open else finding
    reasons = dict.fromkeys(_REASONS[reason] for _, reason in drawn)
    problem = say("Not read: {problems}", problems=join_messages(say("; "), tuple(reasons)))
    evidence = tuple(dict.fromkeys((*finding.evidence, *(place for place, _ in drawn[:2]))))
    if is_open:
        return finding.with_changes(
            evidence=evidence,
            note=join_messages(" ", filter(None, (finding.note, problem))),
        )
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=None if finding.status is Status.MISSING else finding.status,
        evidence=evidence,
        feedback=left_to_person(finding.feedback, NOT_READ_WHOLE),
        note=problem,
    )


def _beside_layout(finding: Finding, answer: Answer, question: str) -> Finding:
    """Add a note to an open finding on text that was reconstructed from positions or converted, and so may be
    misread."""
    blocks = [
        (block, PurePosixPath(block.file or section.passage.file).suffix.lower())
        for section in answer.sections
        for block in section.passage.blocks
        if question in section.questions or any(_quotes(place, section, block) for place in finding.evidence)
    ]
    found = [reason for reason, is_in in _LAID_OUT if any(is_in(block, suffix) for block, suffix in blocks)]
    if not found:
        return finding
    text = say("What may have been read wrongly: {problems}.", problems=join_messages(say("; "), found))
    return finding.with_changes(note=join_messages(" ", filter(None, (finding.note, text))))


_CONVERTED: Final = frozenset((".docx", ".odt", ".rtf", ".html", ".htm", ".xhtml", ".epub"))
_PLAIN: Final = frozenset((".adoc", ".asciidoc", ".rst", ".org", ".textile", ".wiki", ".mediawiki"))
_OF_FORMULAS: Final = frozenset((RepairKind.POWER, RepairKind.INDEX, RepairKind.FRACTION))
_LAID_OUT: Final[tuple[tuple[Message, Callable[[Block, str], bool]], ...]] = (
    (
        say("a table that was reconstructed from the positions of its words"),
        lambda block, _: block.page is not None and block.kind is BlockKind.ROW,
    ),
    (
        say("formulas that were reconstructed from the positions of their signs"),
        lambda block, _: block.page is not None and any(repair.kind in _OF_FORMULAS for repair in block.repairs),
    ),
    (
        say("lines that were reconstructed from the positions of their words"),
        lambda block, _: block.page is not None and ("\t" in block.text or bool(block.repairs)) and not block.cells,
    ),
    (
        say("formulas that were converted from another notation"),
        lambda block, suffix: suffix in _CONVERTED and (block.kind is BlockKind.MATH or "$" in block.text),
    ),
    (say("text without marks of tables and formulas"), lambda _, suffix: suffix in _PLAIN),
)
"""The kinds of text that may be misread, each with a predicate on a block and its file's suffix."""


def _unsure_for(finding: Finding, answer: Answer, question: str) -> Iterator[tuple[Evidence, ReadingDoubt]]:
    """Yield the doubtful places that concern a finding, with the reasons.

    For a correct answer, only its own lines count; otherwise the whole answer and the pages of the evidence. Text cut
    off at an edge counts only if the answer is missing or open, or if the line itself was judged.
    """
    places = {(place.file, place.page) for place in finding.evidence if place.page is not None}
    for section, place, reason in _drawn_words(answer):
        if finding.status is Status.CORRECT:
            concerns = reason is ReadingDoubt.OVERLAPPING and _is_on(place, finding.evidence)
        elif reason is ReadingDoubt.CUT:
            is_open = finding.status in (Status.MISSING, Status.REVIEW) and question in section.questions
            concerns = is_open or _is_on(place, finding.evidence)
        else:
            concerns = question in section.questions or (place.file, place.page) in places
        if concerns:
            yield place, reason


def _is_on(place: Evidence, evidence: Sequence[Evidence]) -> bool:
    """Whether a place lies on the line of some evidence."""
    box = place.box
    return box is not None and any(
        evidence_place.box is not None
        and (evidence_place.file, evidence_place.page) == (place.file, place.page)
        and evidence_place.box[1] < (box[1] + box[3]) / 2 < evidence_place.box[3]
        for evidence_place in evidence
    )


_REASONS: Final = {
    ReadingDoubt.DRAWN: say("formulas or words that are drawn, not written"),
    ReadingDoubt.LOST: say("formulas that the program which made the file left out"),
    ReadingDoubt.GARBLED: say("formulas whose signs are lost or stand twice"),
    ReadingDoubt.MISALIGNED: say("a table whose columns do not stand below each other"),
    ReadingDoubt.OVERLAPPING: say("words that are printed over each other"),
    ReadingDoubt.CUT: say("words or formulas that an edge cuts off"),
}


def _drawn_words(answer: Answer) -> Iterator[tuple[Section, Evidence, ReadingDoubt]]:
    """Yield the places where text is drawn or may have been misread, with their sections and reasons."""
    for section in answer.sections:
        for index, block in enumerate(section.passage.blocks):
            if block.in_line:
                yield section, section.passage.block_evidence(index), block.unsure or ReadingDoubt.DRAWN
            elif block.beyond:
                yield section, section.passage.block_evidence(index), ReadingDoubt.CUT


def less_drawn(flags: Sequence[Flag], answer: Answer) -> list[Flag]:
    """Return the flags without those about numbers near drawn, garbled or cut text, which may be misread."""
    unsure = [(place, reason) for _, place, reason in _drawn_words(answer) if place.page is not None]
    return [
        flag
        for flag in flags
        if flag.id not in _OF_FIGURES or not any(_is_beside(*doubt, flag.evidence) for doubt in unsure)
    ]


def _is_beside(place: Evidence, reason: ReadingDoubt, evidence: Sequence[Evidence]) -> bool:
    """Whether some evidence is on the page of a doubtful place, or on its line if text is cut off there."""
    if reason is ReadingDoubt.CUT:
        return _is_on(place, evidence)
    return any((evidence_place.file, evidence_place.page) == (place.file, place.page) for evidence_place in evidence)


_OF_FIGURES: Final = frozenset(("arithmetic", "outside-band", "std-unit", "statistics-mismatch", "table-contradiction"))


def _quotes(evidence: Evidence, section: Section, block: Block) -> bool:
    """Whether some evidence is, or contains, a block of a page."""
    if evidence.box is None or block.box is None:
        return False
    middle = (block.box[1] + block.box[3]) / 2
    is_beside = evidence.box[0] < block.box[2] and block.box[0] < evidence.box[2]
    is_there = (evidence.file, evidence.page) == (block.file or section.passage.file, block.page)
    return is_there and is_beside and evidence.box[1] < middle < evidence.box[3]


def concluded_absent(finding: Finding, found: Absence, text: Words | None = None) -> Finding:
    """Return the finding `missing` if the absence is certain, otherwise a review without suggestion.

    Not finding an answer is no evidence, so nothing is suggested. `text` says what was not found.
    """
    text = text or say("No answer to this was found in the submission.")
    if found.is_certain:
        return finding.with_changes(status=Status.MISSING, suggestion=None, feedback=text)
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=None,
        evidence=tuple(dict.fromkeys((*finding.evidence, *found.evidence))),
        feedback=say("No answer was recognised with certainty. {reason}", reason=found.reason),
    )


def _under_own_heading(named: Sequence[Section], question: Question) -> Iterator[Evidence]:
    """Yield the beginnings of sections that answer only this question and may contain the answer.

    A few words without code, numbers or quotations do not count.
    """
    for section in (candidate for candidate in named if candidate.questions == (question.id,)):
        blocks = section.passage.blocks
        texts = {
            index: block.text if index else section.passage.text[section.lead :].partition("\n")[0]
            for index, block in enumerate(blocks)
            if block.kind not in _SILENT
        }
        below = {index: text for index, text in texts.items() if any(map(str.isalnum, text))}
        shows = any(blocks[index].kind not in _PROSE or _SHOWN.search(text) for index, text in below.items())
        if shows or sum(len(text.split()) for text in below.values()) >= FEWEST_WORDS:
            start = section.passage.offset_of(min(below))
            yield section.passage.evidence(start)


def is_empty(section: Section) -> bool:
    """Whether a section has nothing below its label."""
    has_text = any(map(str.isalnum, section.passage.text[section.lead :]))
    return not has_text and all(block.kind in (*_PROSE, BlockKind.HEADING) for block in section.passage.blocks)


def _of_others(answer: Answer, question: Question) -> tuple[Section, ...]:
    """Return the sections that answer other questions, except the nearest filled ones before and after the question's.

    If several headings follow each other, the section below may answer all their questions.
    """
    filled = [index for index, section in enumerate(answer.sections) if not is_empty(section)]
    beside: set[int] = set()
    for place in (index for index, section in enumerate(answer.sections) if question.id in section.questions):
        at = bisect_left(filled, place)
        beside.update(filled[max(at - 1, 0) : at + 1])
    return tuple(section for index, section in enumerate(answer.sections) if section.questions and index not in beside)


def _copied_lists(named: Sequence[Section]) -> Iterator[Evidence]:
    """Yield the sections with a copied list of the question in which only the page may show the marked item."""
    for section in named:
        if section.has_list and PurePosixPath(section.passage.file).suffix.lower() not in _WITH_MARKS:
            yield section.passage.beginning(0)


_WITH_MARKS: Final = (".md", ".markdown", ".ipynb", ".txt", ".text", ".tex", ".py", ".rmd", ".qmd")
"""The suffixes of files whose text contains all marks."""
_OFFICE: Final = (".docx", ".docm", ".dotx", ".odt", ".ott")
"""The suffixes of office documents."""


def _spoken(
    answer: Answer, question: Question, lab: Lab, stated_in: Collection[str], apart: Sequence[Section]
) -> Iterator[Evidence]:
    """Yield the places where the student's text mentions the subject of a question or its label.

    In the sections `apart`, only the label counts.
    """
    silent = {(candidate.passage.file, candidate.questions) for candidate in apart}
    beside = [candidate for candidate in lab.questions if candidate.id in stated_in and candidate != question]
    shared = tuple(word for candidate in beside for word in candidate.words)
    for section in (candidate for candidate in answer.written if not candidate.is_closing):
        passage = section.passage
        others = [candidate for candidate in lab.questions if candidate.id in section.questions]
        places: Iterator[Evidence]
        if (passage.file, section.questions) in silent:
            places = iter(())
        elif question in others or not (others or shared) or any(other in beside for other in others):
            places = _matched(passage, speaks_of(passage.text, question.words))
        else:
            rivals = others or [candidate for candidate in lab.questions if candidate not in (question, *beside)]
            least = 1 if others else _SEVERAL
            places = (
                text.place
                for text in _texts(passage)
                if (not shared or speaks_of(text.leading, shared)) and _is_of(text, question, rivals, least)
            )
        labels = question.labels if question not in others else ()
        named = _labelled(labels).search(fold_text(passage.text)) if labels else None
        yield from islice(chain(places, _matched(passage, named)), 1)


def _are_listed(named: Sequence[Section], answer: Answer) -> bool:
    """Whether a question's empty sections are entries of a list of the questions, as in an introduction.

    Then an entry beside them is empty, too, and its question is answered elsewhere.
    """
    answered = {question for section in answer.sections if not is_empty(section) for question in section.questions}
    beside = ((first, other) for first, other in pairwise(answer.sections) if first in named or other in named)
    return any(
        is_empty(first) and is_empty(other) and not answered.isdisjoint({*first.questions, *other.questions})
        for first, other in beside
    )


def _in_singular(answer: Answer, question: Question) -> Iterator[Evidence]:
    """Yield the places outside of other questions that mention a word of the question in the singular: `node` for
    `nodes`."""
    plurals = (re.fullmatch(r"([^\W\d_]{3,}[^\W\d_s])s", fold_text(word)) for word in question.words)
    singular = "|".join(re.escape(plural[1]) for plural in plurals if plural)
    free = [section for section in answer.written if question.id in section.questions or not section.questions]
    for section in (candidate for candidate in free if singular and not candidate.is_closing):
        yield from _matched(
            section.passage, re.search(rf"(?<!\w)(?:{singular})(?!\w)", fold_text(section.passage.text))
        )


def _matched(passage: Passage, match: re.Match[str] | None) -> Iterator[Evidence]:
    if match:
        yield passage.evidence(*match.span())


class _Text(NamedTuple):
    """A sentence or row with its context.

    `leading` is its paragraph and the sentence before; `around` also has the sentence after.
    """

    place: Evidence
    text: str
    leading: str
    around: str


def _texts(passage: Passage) -> Iterator[_Text]:
    """Yield the sentences and rows of a passage with their context."""
    sentences = statements(passage)
    for index, statement in enumerate(sentences):
        near = [each.text for each in sentences[max(0, index - 1) : index + 2]]
        leading = "\n".join((passage.block_at(statement.start).text, *near[: 2 if index else 1]))
        yield _Text(
            passage.evidence(statement.start, statement.end), statement.text, leading, "\n".join((leading, near[-1]))
        )
    for index, block in enumerate(passage.blocks):
        if block.kind is BlockKind.ROW:
            yield _Text(passage.block_evidence(index, _QUOTE), block.text, block.text, block.text)


def _is_of(text: _Text, question: Question, others: Sequence[Question], least: int) -> bool:
    """Whether a sentence is about a question.

    It has several words of the question's subject, or one while its context matches no other question in `least` words.
    """
    match_count = matter_told(text.text, question)
    return match_count >= _SEVERAL or (
        match_count == 1 and not any(matter_told(text.around, other) >= least for other in others)
    )


def matter_told(text: str, question: Question) -> int:
    """Return the number of words of a question's subject in a text."""
    return sum(speaks_of(text, (word,)) is not None for word in {fold_text(word) for word in question.words})


_SEVERAL: Final = 2


def _spoken_in_code(answer: Answer, question: Question, apart: Sequence[Section]) -> Iterator[Evidence]:
    """Yield the places where code mentions the subject of a question, outside the sections `apart`."""
    silent = {(block.file or section.passage.file, block.cell) for section in apart for block in section.passage.blocks}
    for cell in answer.code:
        if cell.cell is not None and (cell.file, cell.cell) in silent:
            continue
        # A line of the handout counts if the student ran it and it printed something.
        source = cell.source if cell.heard.strip() else "\n".join(cell.living)
        text = _STORED.sub("", source[:_MOST_CODE])
        if match := speaks_of(text, question.words):
            line = text[: match.start()].rpartition("\n")[2] + text[match.start() :].partition("\n")[0]
            yield Evidence(file=cell.file, cell=cell.cell, quote=line.strip()[:_QUOTE])


@lru_cache
def _labelled(labels: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for the label of a question within a text, such as `Q2: 22.65`."""
    spelled = "|".join(re.escape(fold_text(label)) for label in labels)
    return re.compile(rf"(?<!\w)(?:{spelled})\s*[:=)]")


def _pictures(around: Sequence[Section], question: Question, lab: Lab) -> Iterator[Evidence]:
    """Yield the pictures in some sections that may show the answer to a question."""
    for section in around:
        blocks = section.passage.blocks
        for index, block in enumerate(blocks):
            if block.kind is BlockKind.FIGURE and not _is_of_another(index, section.passage, question, lab):
                yield section.passage.block_evidence(index, _QUOTE)


def _is_of_another(index: int, passage: Passage, question: Question, lab: Lab) -> bool:
    """Whether the text at a picture says that it shows something else.

    The description of a picture in an office document is often written by the program. It counts only if it mentions
    the subject of another question.
    """
    caption = CAPTION_START.sub("", caption_of_picture(passage.blocks, index))
    described = passage.blocks[index].text
    if PurePosixPath(passage.file).suffix.lower() in _OFFICE:
        rivals = (candidate for candidate in lab.questions if candidate.id != question.id)
        described = described if any(speaks_of(described, rival.words) for rival in rivals) else ""
    description = f"{described} {caption}"
    return (
        len(re.findall(r"[^\W\d_]+", description)) >= _FEWEST_CAPTION_WORDS
        and speaks_of(description, question.words) is None
    )


def nothing_recognised(finding: Finding, answer: Answer, lab: Lab) -> Finding:
    """Return the finding if no answer was recognised: review if text stands there, otherwise missing if that is
    certain."""
    question = lab.question_of(finding.item)
    for section in answer.written:
        text = section.passage.text[section.lead :]
        if question in section.questions and not section.is_blank and any(map(str.isalnum, text)):
            place = section.passage.beginning(section.lead)
            return finding.with_changes(
                evidence=(place,), feedback=say("What is written there was not recognised as an answer.")
            )
    return concluded_absent(finding, absence(answer, lab, finding.item))


def own_sections(answer: Answer, question: str, *, with_code: bool = False) -> list[Section]:
    """Return the sections with text that answer a question, or else those under no question's heading.

    Sections that answer fewer questions come before those that answer several, unless they say nothing. Lines of code
    that a page shows are left out, unless `with_code`.
    """
    found = _sections_of(answer, question)
    if with_code:
        return found
    prose_sections = [_less_code(section) for section in found]
    fewest = min((len(section.questions) for section in prose_sections if _says_something(section)), default=0)
    return [section for section in prose_sections if len(section.questions) <= fewest] or prose_sections


def _sections_of(answer: Answer, question: str) -> list[Section]:
    named = [section for section in answer.written if question in section.questions]
    return named or [section for section in answer.written if not section.questions and not section.is_closing]


def _less_code(section: Section) -> Section:
    """Return a section without lines of code after its label."""
    passage = less_listed(section.passage, section.lead)
    return section if passage is section.passage else section.model_copy(update={"passage": passage})


def _says_something(section: Section) -> bool:
    return len(LONG_WORD.findall(section.passage.text, section.lead)) >= _FEWEST_SAID


_FEWEST_SAID: Final = 3
