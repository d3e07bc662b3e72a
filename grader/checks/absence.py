"""Absence of an answer: the places where the answer to a question may stand, and whether a hand-in certainly holds
nothing about it. Only then is the answer missing."""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.checks.finding import Finding, Flag, Status
from grader.claims.answer import Answer
from grader.claims.answer_cells import are_unanswered
from grader.claims.captions import CAPTION_START, caption_of_picture
from grader.claims.code import CodeCell
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.claims.statements import speaks_of, statements
from grader.claims.voice import comment
from grader.frozen import Frozen
from grader.lab.definition import Lab, Question
from grader.language.folding import folded
from grader.message import Message, Words, joined, label_text, say
from grader.reading.document import Block, BlockKind, Evidence, ReadingDoubt, RepairKind

_MOST_PLACES: Final = 5
_FEWEST_CAPTION_WORDS: Final = 3
_FEWEST_WORDS: Final = 8
_SHOWN: Final = re.compile(r"\d|[\"“«`].*[\"”»`]")
"""What few words must hold to say something: a figure, or something quoted."""
_PROSE: Final = (BlockKind.LINE, BlockKind.LIST_ITEM)
_SILENT: Final = (BlockKind.HEADING, BlockKind.FIGURE, BlockKind.CAPTION)
_QUOTE: Final = 200
_MOST_CODE: Final = 200_000
_STORED: Final = re.compile(r"(?m)^[^\S\n]*[A-Za-z_]\w*(?:\.\w+)+\s*=(?!=)")
"""An attribute that code sets: it is put to use elsewhere, if at all."""


class Absence(Frozen):
    """The evidence against an answer's absence: `spoken`, the places that speak of its matter or stand where it is
    asked for; `pictures`, which may show it; and `unread`, the parts that could not be read whole. `is_told` says that
    the lab names words of the matter or that nothing was written at all; without it nothing is certain."""

    spoken: tuple[Evidence, ...] = ()
    pictures: tuple[Evidence, ...] = ()
    unread: tuple[Words, ...] = ()
    is_told: bool = True

    @property
    def is_certain(self) -> bool:
        """Whether there is certainly no answer."""
        return self.is_told and not (self.spoken or self.pictures or self.unread)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The places where a person should look."""
        return (*self.spoken[:2], *self.pictures[:2])

    @property
    def reason(self) -> Words:
        """The reason why a person must look, in one or more sentences."""
        messages = []
        if self.pictures:
            messages.append(say("The answer may stand in a picture, which is not read."))
        if self.spoken:
            messages.append(say("What is written there was not recognised as an answer."))
        if self.unread:
            messages.append(say("Not read: {problems}", problems=joined(say("; "), self.unread)))
        return joined(" ", messages or [say("A person decides.")])


def absence(answer: Answer, lab: Lab, item: str, *, in_code: bool = True, stated_in: Collection[str] = ()) -> Absence:
    """Whether the answer to the question of an item is absent, and else why that is not certain.

    The question's `words` tell what speaks of its matter. A text under a heading of its own speaks of it whatever its
    words are. In the answer to another question a sentence speaks of it in two of the words, or in one where it does
    not speak of that question's matter. An answer that may also be `stated_in` answers to other questions shares their
    matter: elsewhere a sentence with one of the words, its paragraph, or the sentence before has to speak of that, too.
    Pictures count
    where the question is answered, in a notebook if only a heading there names it, or outside the other questions'
    parts if none does; one whose caption speaks of something else does not. With `in_code`, for what code may answer,
    it is looked through, too. What programs print speaks of nothing. An answer whose cell is as it was handed out can
    only stand where no question is answered, or in remarks in the student's code.

    Where headings name the question, with nothing below any of them, its answer does not stand under those of other
    questions, but for the ones right before and right behind it, and where its label is named.
    """
    question = lab.asking(item)
    named = [section for section in answer.sections if question.id in section.questions]
    if are_unanswered(named):
        return _absence_beside_cell(answer, question)
    apart = _of_others(answer, question) if named and all(map(is_empty, named)) else ()
    spoken = [
        *_under_own_heading(named, question),
        *_copied_lists(named),
        *_spoken(answer, question, lab, stated_in, apart),
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


def _absence_beside_cell(answer: Answer, question: Question) -> Absence:
    """The absence of an answer to whose cell nothing was added."""
    free = [section for section in answer.written if not (section.questions or section.is_closing or section.is_blank)]
    remarks = ((cell, _remarks(cell)) for cell in answer.code)
    spoken = chain(
        (
            place
            for section in free
            for place in _matched(section.passage, speaks_of(section.passage.text, question.words))
        ),
        (
            Evidence(file=cell.file, cell=cell.cell, quote=told[:_QUOTE])
            for cell, told in remarks
            if len(told.split()) >= _FEWEST_WORDS and speaks_of(told, question.words)
        ),
    )
    return Absence(
        spoken=tuple(islice(spoken, _MOST_PLACES)),
        unread=answer.not_read,
        is_told=bool(question.words) or not free,
    )


def _remarks(cell: CodeCell) -> str:
    """The student's remarks in a cell, as one text."""
    return " ".join(told.strip("# ") for line in cell.living if (told := comment(line)))


def remarks_of(cells: Iterable[CodeCell], question: str) -> list[Section]:
    """Return the student's remarks in some cells of a question as sections of their own, where they say something."""
    told = ((cell, _remarks(cell)) for cell in cells)
    blocks = (
        (cell.file, Block(kind=BlockKind.LINE, text=text, cell=cell.cell))
        for cell, text in told
        if len(text.split()) >= _FEWEST_WORDS
    )
    passages = (Passage(file=file, exact=True, blocks=(block,)) for file, block in blocks)
    return [Section(title="", questions=(question,), passage=passage) for passage in passages]


def cut_off(finding: Finding, answer: Answer, lab: Lab) -> tuple[Words, ...]:
    """Return descriptions of the places where the edge of a page cuts off text that may count for an item. If no answer
    was found, that is a line in a section of its question, or one that speaks of its matter beyond the edge; else it is
    a line that was judged. Text beyond the edge never counts in favour: nobody sees it."""
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
    """The finding, or a review of it where points would be withheld although a part of what was judged, on the same
    page or in a section of the question, is drawn instead of written or may be something else than what was read. An
    open finding tells of that, too, or else of what was put together there by its places on a page."""
    is_open = finding.status is Status.REVIEW
    if not is_open and finding.status not in (Status.CORRECT, Status.INCORRECT, Status.PARTIAL, Status.MISSING):
        return finding
    drawn = list(_unsure_for(finding, answer, lab.asking(finding.item).id))
    if not drawn:
        return _beside_layout(finding, answer, lab.asking(finding.item).id) if is_open else finding
    reasons = dict.fromkeys(_REASONS[reason] for _, reason in drawn)
    problem = say("Not read: {problems}", problems=joined(say("; "), tuple(reasons)))
    evidence = tuple(dict.fromkeys((*finding.evidence, *(place for place, _ in drawn[:2]))))
    if is_open:
        return finding.changed(
            evidence=evidence,
            note=joined(" ", filter(None, (finding.note, problem))),
        )
    return finding.changed(
        status=Status.REVIEW,
        suggestion=None if finding.status is Status.MISSING else finding.status,
        evidence=evidence,
        feedback=say(
            "{feedback} Some of the submission could not be read; a person decides.", feedback=finding.feedback
        ),
        note=problem,
    )


def _beside_layout(finding: Finding, answer: Answer, question: str) -> Finding:
    """An open finding, which tells what in the answer, or on the lines of its evidence, is known only by its places on
    a page or was converted: as another program would write it, it may be understood."""
    blocks = [
        (block, PurePosixPath(block.file or section.passage.file).suffix.lower())
        for section in answer.sections
        for block in section.passage.blocks
        if question in section.questions or any(_quotes(place, section, block) for place in finding.evidence)
    ]
    found = [reason for reason, is_in in _LAID_OUT if any(is_in(block, suffix) for block, suffix in blocks)]
    if not found:
        return finding
    text = say("What may have been read wrongly: {problems}.", problems=joined(say("; "), found))
    return finding.changed(note=joined(" ", filter(None, (finding.note, text))))


_CONVERTED: Final = frozenset((".docx", ".odt", ".rtf", ".html", ".htm", ".xhtml", ".epub"))
_PLAIN: Final = frozenset((".adoc", ".asciidoc", ".rst", ".org", ".textile", ".wiki", ".mediawiki"))
_OF_FORMULAS: Final = frozenset((RepairKind.POWER, RepairKind.INDEX, RepairKind.FRACTION))
_LAID_OUT: Final[tuple[tuple[Message, Callable[[Block, str], bool]], ...]] = (
    (
        say("a table that is known only by the places of its words"),
        lambda block, _: block.page is not None and block.kind is BlockKind.ROW,
    ),
    (
        say("formulas that are known only by the places of their signs"),
        lambda block, _: block.page is not None and any(repair.kind in _OF_FORMULAS for repair in block.repairs),
    ),
    (
        say("lines that are known only by the places of their words"),
        lambda block, _: block.page is not None and ("\t" in block.text or bool(block.repairs)) and not block.cells,
    ),
    (
        say("formulas that were converted from another notation"),
        lambda block, suffix: suffix in _CONVERTED and (block.kind is BlockKind.MATH or "$" in block.text),
    ),
    (say("text without marks of tables and formulas"), lambda _, suffix: suffix in _PLAIN),
)
"""What may be read wrongly, and whether a block of a file with some suffix is that."""


def _unsure_for(finding: Finding, answer: Answer, question: str) -> Iterator[tuple[Evidence, ReadingDoubt]]:
    """The places that make a finding unsure, with the reasons: for one in favour those that are its own lines, for
    others all in the answer and on the pages of its evidence. What an edge cuts off leaves the lines around it as they
    were read: there it concerns what was not found or not understood, or was judged by the line itself."""
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
    """Whether some evidence is a line over the middle of which a place lies."""
    box = place.box
    return box is not None and any(
        own.box is not None
        and (own.file, own.page) == (place.file, place.page)
        and own.box[1] < (box[1] + box[3]) / 2 < own.box[3]
        for own in evidence
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
    """The places where formulas and words are drawn, or may be others than those that are read, with their sections
    and the reasons."""
    for section in answer.sections:
        for index, block in enumerate(section.passage.blocks):
            if block.in_line:
                yield section, section.passage.block_evidence(index), block.unsure or ReadingDoubt.DRAWN
            elif block.beyond:
                yield section, section.passage.block_evidence(index), ReadingDoubt.CUT


def less_drawn(flags: Sequence[Flag], answer: Answer) -> list[Flag]:
    """The flags but those that hold figures against a student on a page where formulas are drawn or garbled, or on a
    line that an edge cuts off: what was read there may be a part of one."""
    unsure = [(place, reason) for _, place, reason in _drawn_words(answer) if place.page is not None]
    return [
        flag
        for flag in flags
        if flag.id not in _OF_FIGURES or not any(_is_beside(*doubt, flag.evidence) for doubt in unsure)
    ]


def _is_beside(place: Evidence, reason: ReadingDoubt, evidence: Sequence[Evidence]) -> bool:
    """Whether some evidence stands on the page of a doubtful place, or on its line if an edge cuts that off."""
    if reason is ReadingDoubt.CUT:
        return _is_on(place, evidence)
    return any((own.file, own.page) == (place.file, place.page) for own in evidence)


_OF_FIGURES: Final = frozenset(("arithmetic", "outside-band", "std-unit", "statistics-mismatch", "table-contradiction"))


def _quotes(evidence: Evidence, section: Section, block: Block) -> bool:
    """Whether some evidence is, or holds, a block of a page."""
    if evidence.box is None or block.box is None:
        return False
    middle = (block.box[1] + block.box[3]) / 2
    is_beside = evidence.box[0] < block.box[2] and block.box[0] < evidence.box[2]
    is_there = (evidence.file, evidence.page) == (block.file or section.passage.file, block.page)
    return is_there and is_beside and evidence.box[1] < middle < evidence.box[3]


def concluded_absent(finding: Finding, found: Absence, text: Words | None = None) -> Finding:
    """The finding that an answer is missing; or that a person looks for it where that is not certain. There is no
    suggestion then: having found nothing is no evidence. `text` says what was not found."""
    text = text or say("No answer to this was found in the submission.")
    if found.is_certain:
        return finding.changed(status=Status.MISSING, suggestion=None, feedback=text)
    return finding.changed(
        status=Status.REVIEW,
        suggestion=None,
        evidence=tuple(dict.fromkeys((*finding.evidence, *found.evidence))),
        feedback=say("No answer was recognised with certainty. {reason}", reason=found.reason),
    )


def _under_own_heading(named: Sequence[Section], question: Question) -> Iterator[Evidence]:
    """Yield the places in sections that answer this question alone which may hold the answer. A few words without code,
    figures or quotes tell nothing."""
    for section in (candidate for candidate in named if candidate.questions == (question.id,)):
        blocks = section.passage.blocks
        texts = {
            index: block.text if index else section.passage.text[section.lead :].partition("\n")[0]
            for index, block in enumerate(blocks)
            if block.kind not in _SILENT
        }
        below = {index: text for index, text in texts.items() if any(map(str.isalnum, text))}
        shows = any(blocks[index].kind not in _PROSE or _SHOWN.search(text) for index, text in below.items())
        if shows or sum(len(text.split()) for text in below.values()) >= _FEWEST_WORDS:
            start = section.passage.offset_of(min(below))
            yield section.passage.evidence(start)


def is_empty(section: Section) -> bool:
    """Whether nothing stands below the label of a section."""
    said = any(map(str.isalnum, section.passage.text[section.lead :]))
    return not said and all(block.kind in (*_PROSE, BlockKind.HEADING) for block in section.passage.blocks)


def _of_others(answer: Answer, question: Question) -> tuple[Section, ...]:
    """The sections that answer other questions, but for the nearest ones before and behind the question's in which
    something stands: below several headings, one may hold the answers to all."""
    filled = [index for index, section in enumerate(answer.sections) if not is_empty(section)]
    beside: set[int] = set()
    for place in (index for index, section in enumerate(answer.sections) if question.id in section.questions):
        at = bisect_left(filled, place)
        beside.update(filled[max(at - 1, 0) : at + 1])
    return tuple(section for index, section in enumerate(answer.sections) if section.questions and index not in beside)


def _copied_lists(named: Sequence[Section]) -> Iterator[Evidence]:
    """The sections with a list of the question's, in which an item may be marked as only the page shows it."""
    for section in named:
        if section.has_list and PurePosixPath(section.passage.file).suffix.lower() not in _WITH_MARKS:
            yield section.passage.beginning(0)


_WITH_MARKS: Final = (".md", ".markdown", ".ipynb", ".txt", ".text", ".tex", ".py", ".rmd", ".qmd")
"""Suffixes of files whose texts hold whatever marks a word."""
_OFFICE: Final = (".docx", ".docm", ".dotx", ".odt", ".ott")
"""Suffixes of office documents."""


def _spoken(
    answer: Answer, question: Question, lab: Lab, stated_in: Collection[str], apart: Sequence[Section]
) -> Iterator[Evidence]:
    """Yield the places where the student's words speak of the matter of a question, or name it by its label; in
    sections `apart` only where they name it."""
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
        named = _labelled(labels).search(folded(passage.text)) if labels else None
        yield from islice(chain(places, _matched(passage, named)), 1)


def _matched(passage: Passage, match: re.Match[str] | None) -> Iterator[Evidence]:
    if match:
        yield passage.evidence(*match.span())


class _Text(NamedTuple):
    """A sentence or row: what leads to it, its own paragraph and the sentence before; and that with the next one."""

    place: Evidence
    text: str
    leading: str
    around: str


def _texts(passage: Passage) -> Iterator[_Text]:
    """The sentences and rows of a passage."""
    said = statements(passage)
    for index, statement in enumerate(said):
        near = [each.text for each in said[max(0, index - 1) : index + 2]]
        leading = "\n".join((passage.block_at(statement.start).text, *near[: 2 if index else 1]))
        yield _Text(
            passage.evidence(statement.start, statement.end), statement.text, leading, "\n".join((leading, near[-1]))
        )
    for index, block in enumerate(passage.blocks):
        if block.kind is BlockKind.ROW:
            yield _Text(passage.block_evidence(index, _QUOTE), block.text, block.text, block.text)


def _is_of(text: _Text, question: Question, others: Sequence[Question], least: int) -> bool:
    """Whether a sentence speaks of the matter of a question: in several words, or in one where what stands around it
    speaks of that of none of the others, in so many words at `least`."""
    told = matter_told(text.text, question)
    return told >= _SEVERAL or (told == 1 and not any(matter_told(text.around, other) >= least for other in others))


def matter_told(text: str, question: Question) -> int:
    """The number of words of a question's matter in a text."""
    return sum(speaks_of(text, (word,)) is not None for word in {folded(word) for word in question.words})


_SEVERAL: Final = 2


def _spoken_in_code(answer: Answer, question: Question, apart: Sequence[Section]) -> Iterator[Evidence]:
    """Yield the places where code speaks of the matter of a question, except for cells in the sections `apart`."""
    silent = {(block.file or section.passage.file, block.cell) for section in apart for block in section.passage.blocks}
    for cell in answer.code:
        if cell.cell is not None and (cell.file, cell.cell) in silent:
            continue
        # A line of the hand-out speaks where the student's run of it has printed something.
        source = cell.source if cell.heard.strip() else "\n".join(cell.living)
        text = _STORED.sub("", source[:_MOST_CODE])
        if match := speaks_of(text, question.words):
            line = text[: match.start()].rpartition("\n")[2] + text[match.start() :].partition("\n")[0]
            yield Evidence(file=cell.file, cell=cell.cell, quote=line.strip()[:_QUOTE])


@lru_cache
def _labelled(labels: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for the label of a question within a text, with a sign behind it: `Q2: 22.65`."""
    spelled = "|".join(re.escape(folded(label)) for label in labels)
    return re.compile(rf"(?<!\w)(?:{spelled})\s*[:=)]")


def _pictures(around: Sequence[Section], question: Question, lab: Lab) -> Iterator[Evidence]:
    """The pictures in some sections that may show the answer to a question."""
    for section in around:
        blocks = section.passage.blocks
        for index, block in enumerate(blocks):
            if block.kind is BlockKind.FIGURE and not _is_of_another(index, section.passage, question, lab):
                yield section.passage.block_evidence(index, _QUOTE)


def _is_of_another(index: int, passage: Passage, question: Question, lab: Lab) -> bool:
    """Whether the words at a picture tell that it shows something else. What describes a picture in an office document
    is often written by the program (`A graph of a function`, a file's name): it tells that only where it speaks of
    another question's matter."""
    caption = CAPTION_START.sub("", caption_of_picture(passage.blocks, index))
    described = passage.blocks[index].text
    if PurePosixPath(passage.file).suffix.lower() in _OFFICE:
        rivals = (candidate for candidate in lab.questions if candidate.id != question.id)
        described = described if any(speaks_of(described, rival.words) for rival in rivals) else ""
    told = f"{described} {caption}"
    return len(re.findall(r"[^\W\d_]+", told)) >= _FEWEST_CAPTION_WORDS and speaks_of(told, question.words) is None


def nothing_recognised(finding: Finding, answer: Answer, lab: Lab) -> Finding:
    """No answer was recognised: missing where nothing at all stands there, else a person reads what does."""
    question = lab.question_of(finding.item)
    for section in answer.written:
        said = section.passage.text[section.lead :]
        if question in section.questions and not section.is_blank and any(map(str.isalnum, said)):
            place = section.passage.beginning(section.lead)
            return finding.changed(
                evidence=(place,), feedback=say("What is written there was not recognised as an answer.")
            )
    return concluded_absent(finding, absence(answer, lab, finding.item))


def own_sections(answer: Answer, question: str) -> list[Section]:
    """The sections that answer a question, without code and what it printed; else those under no question's heading."""
    named = [section for section in answer.written if question in section.questions]
    return named or [section for section in answer.written if not section.questions and not section.is_closing]
