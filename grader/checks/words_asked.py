"""The checks `contains`, `section-present`, `figure-present`, `by-hand` and `printed-value`.

They examine the parts of an answer that rules can judge: words, sections, figures and printed numbers. `by-hand` always
leaves the item to a marker.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from enum import StrEnum
from functools import partial
from itertools import chain, compress, takewhile
from typing import Final, NamedTuple, Self

from pydantic import Field

from grader.checks.absence import (
    FEWEST_WORDS,
    absence,
    concluded_absent,
    nothing_recognised,
    own_sections,
    remarks_of,
    told_sections,
)
from grader.checks.check import Conclusion, check
from grader.checks.decide import Wrong, decided, decided_wrong
from grader.checks.feedback import LIKELY_MEANT, NEAR, SEVERAL, UNCERTAIN, Reason, right
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.own_numbers import bounds_told, in_range
from grader.checks.shown_values import (
    MOST_OUTPUT,
    Line,
    all_numbers,
    asked_split,
    bare_values,
    in_tables,
    is_of_other_split,
    labelled,
    may_be_of_another,
    named_in_code,
    question_cells,
    sizes,
)
from grader.checks.subjects import Subject, places_of, subject_of
from grader.claims.answer import Answer
from grader.claims.answer_cells import are_unanswered
from grader.claims.captions import is_caption
from grader.claims.code import CodeCell, returned_names
from grader.claims.numerals import Target, quantities, range_target, sentence_bounds, target
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.claims.statements import Polarity, Saying, mention, polarity, sayings, speaks_of
from grader.frozen import Frozen
from grader.lab.definition import Lab, Question
from grader.lab.truth import GroundTruth
from grader.language import lexicon
from grader.language.folding import folded
from grader.language.shapes import TOKEN, words_in
from grader.message import PERSON_DECIDES, Message, Words, joined, plural_of, say, say_data, say_number
from grader.reading.document import Block, BlockKind, Evidence

_QUOTE: Final = 200
_LONG_QUOTE: Final = 300
_FEW_WORDS: Final = 40
"""A line with at most this many words may describe the figure beside it."""


class Lacking(StrEnum):
    """The verdict if only some of the required content is stated."""

    REVIEW = "review"
    PARTIAL = "partial"


class WrongWords(Frozen):
    """The words of a known wrong answer, its cause, and the share of the points that it earns."""

    words: tuple[str, ...]
    why: str
    share: Decimal = Field(default=Decimal(0), ge=0, le=1)

    @property
    def name(self) -> str:
        """The first word."""
        return self.words[0]


_CONTAINS: Final = "contains"


@check(_CONTAINS)
def contains(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    must: tuple[tuple[str, ...], ...] = (),
    about: tuple[tuple[str, ...], ...] = (),
    must_not: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    needed: tuple[str, ...] = (),
    wrong: tuple[WrongWords, ...] = (),
    lacking: Lacking = Lacking.REVIEW,
) -> Iterator[Conclusion]:
    """The answer states what was asked for.

    - `must`: lists of words. The answer must state one word of each list. The entry `not differentiable` matches every
      denial that something is differentiable.
    - `about`: lists of words. The answer must mention one word of each list, even in a denial.
    - `must_not`: words that the answer must not state.
    - `names`: names for the lists of `must`, then of `about`, in feedback to students.
    - `needed`: names of lists that must be stated; without them, the others earn nothing.
    - `wrong`: known wrong answers. An entry applies if the answer states one of its `words` and no word of `must`.
      Beside words of `must`, it sends the answer to review if its sentence also mentions the item's `about`, if any.
    - `lacking`: the verdict on an answer that does not state everything. With `partial`, it earns the share of the
      lists that it states. If it states no list of `must`, it is `incorrect` if it denies one or states a forbidden
      word. An answer that also has a clause without any of these words goes to review, unless the clause gives a
      reason (`because …`).

    Decides: an answer that states everything required and nothing forbidden is `correct`. Negated words and questions
    state nothing: `not underfitting but overfitting` states only the second. If several items of the question have
    `about`, words of `must` count only in clauses that mention this item's `about`. If the handout in `templates.toml`
    has no cell for an answer in words, the student's comments in the question's code cells are read, too.

    Leaves to people: all other answers, with the words that are missing or forbidden.

    Example:
        must = [["overfit", "over-fit"]]
        about = [["validation"]]
        must_not = ["underfit"]
        names = ["overfitting", "the validation set"]
        wrong = [{ words = ["too little data"], why = "The size of the validation set is not the cause." }]
        lacking = "partial"
    """
    question = lab.question_of(item)
    lists = (*must, *about)
    places = _places(answer, lab, question, lists)
    called = [names[n] if n < len(names) else "" for n in range(len(lists))]
    rivals = _rivals(lab.asking(item), item, about)
    own = tuple(word for words in about for word in words)
    groups = [_Group.of(places, words, own, rivals, wider=_names_beside(words, lists)) for words in must]
    groups += [_Group.of(places, words, is_topic=True, wider=_names_beside(words, lists)) for words in about]
    said = [(wrong_words, _Group.of(places, wrong_words.words, own)) for wrong_words in wrong]
    unwanted = _Group.of(places, must_not)
    of_own = (_Group.of(places, wrong_words.words, own, needs_own=True) for wrong_words in wrong)
    forbidden = [*unwanted.stated, *unwanted.open, *(place for group in of_own for place in group.stated)]
    found = [group.first for group in groups if group.first]
    evidence = tuple(dict.fromkeys((*forbidden[:2], *found)))[:5]
    expected = Expected(text=joined(", ", map(say_data, filter(None, called)))) if any(called) else None
    unstated = [
        _list_told(name, words[0]) for name, words, group in zip(called, lists, groups, strict=True) if not group.stated
    ]
    note = say("Not stated: {words}.", words=joined(", ", unstated)) if unstated else ""
    finding = Finding(item=item, status=Status.REVIEW, expected=expected, evidence=evidence, note=note)
    if not evidence and groups:
        yield nothing_recognised(finding.changed(note=""), answer, lab)
        return
    elsewhere = LIKELY_MEANT.when(not any(question in place.questions for place in places))
    is_any = any(group.stated or group.open for group in groups[: len(must)])
    known_wrong_words = next((wrong_words for wrong_words, group in said if group.stated), None)
    if known_wrong_words and not is_any and not any(group.open for _, group in said):
        yield _known_wrong(finding, known_wrong_words, elsewhere)
        return
    absent = ", ".join(name for name, group in zip(called, groups, strict=True) if name and not group.stated)
    lacks = any(not group.stated for group in groups)
    decides = (
        lacking is Lacking.PARTIAL
        and not unwanted.open
        and _says_no_more(places, (*lists, must_not, *(wrong_words.words for wrong_words in wrong)))
    )
    is_needed = [name in needed for name in called]
    if decides and (judged := _in_part(groups, len(must), is_needed, len(forbidden))):
        status, share = judged
        yield decided(finding, status, _absent_told(absent, is_some=share is not None), elsewhere, share=share)
        return
    missing = Reason(_absent_told(absent, is_some=True), is_likely=False)
    all_there = say("Everything that was asked for is stated.")
    yield decided(finding, Status.CORRECT, all_there, _FORBIDDEN.when(forbidden), missing.when(lacks), elsewhere)


def _places(answer: Answer, lab: Lab, question: str, lists: Sequence[Sequence[str]]) -> list[Section]:
    """Return the sections that answer a question.

    If the handout has no cell for the answer and the sections contain nothing that is sought, comments in code count,
    too.
    """
    places = told_sections(answer, lab, question, fewest_words=FEWEST_WORDS)
    is_in_code = lab.templates.notebooks and not any(place.is_inline for place in places)
    texts = [place.passage.text[place.lead :] for place in places]
    if is_in_code and not any(speaks_of(text, words) for text in texts for words in lists):
        return [*places, *remarks_of(question_cells(answer, question).own, question)]
    return places


def _list_told(name: str, first: str) -> Message:
    """Return the words for a list of words: its name, or its first word, which may be only the beginning of one."""
    is_whole = bool(name) or " " in first
    return say_data(name or first) if is_whole else say("a word that begins with {beginning}-", beginning=first)


def _absent_told(absent: str, *, is_some: bool) -> Message:
    """Return the message about what is not stated, if the lab has readable words for it."""
    if is_some:
        message = say("Not stated: {words}.", words=absent)
        return message if absent else say("Not everything that was asked for is stated.")
    message = say("It says something else than was asked for.")
    return joined(" ", (message, say("Not stated: {words}.", words=absent))) if absent else message


def _known_wrong(finding: Finding, known_wrong_words: WrongWords, elsewhere: Reason | None) -> Finding:
    """Return the verdict on an answer that states a known wrong answer and nothing right."""
    why = say_data(known_wrong_words.why)
    return decided(
        finding.changed(note=""),
        Status.PARTIAL if known_wrong_words.share else Status.INCORRECT,
        why,
        elsewhere,
        share=known_wrong_words.share or None,
        diagnoses=(Diagnosis(id=f"known-wrong:{known_wrong_words.name}", text=why),),
    )


def _in_part(
    groups: Sequence["_Group"], claims: int, needed: Sequence[bool], forbidden: int
) -> tuple[Status, Decimal | None] | None:
    """Return the verdict and share of an incomplete answer, or None if it is open.

    The first `claims` groups are claims, the others topics. A topic alone answers nothing, nor does anything without
    the `needed` groups.
    """
    if any(group.is_left_open for group in groups):
        return None
    stated = [bool(group.stated) for group in groups]
    if not any(stated[: claims or None]):
        return (Status.INCORRECT, None) if forbidden or any(group.denied for group in groups) else None
    if forbidden or all(stated):
        return None
    if not all(compress(stated, needed)):
        return Status.INCORRECT, None
    return Status.PARTIAL, Decimal(sum(stated)) / len(groups)


class _Group(NamedTuple):
    """The places where an answer states, denies or leaves open one list of words."""

    stated: list[Evidence]
    denied: list[Evidence]
    open: list[Evidence]

    @property
    def is_left_open(self) -> bool:
        """Whether a place leaves the words open and no place states them."""
        return bool(self.open) and not self.stated

    @property
    def first(self) -> Evidence | None:
        """The first place, preferably one where it is stated."""
        return next(iter((*self.stated, *self.denied, *self.open)), None)

    @classmethod
    def of(
        cls,
        places: Sequence[Section],
        words: Sequence[str],
        own: Sequence[str] = (),
        rivals: Sequence[str] = (),
        *,
        is_topic: bool = False,
        wider: Sequence[str] = (),
        needs_own: bool = False,
    ) -> Self:
        """Return the places of one list of words in some sections, except those within the names in `wider`.

        For a topic, every statement counts. Denying the rest of a negative word, as in `not differentiable`, states the
        word. A statement that is only about the subjects in `rivals`, or about something that ends, is left open. With
        `needs_own`, sentences that do not mention the words in `own`, if there are any, do not count.
        """
        by: dict[Polarity, list[Evidence]] = {candidate: [] for candidate in Polarity}
        negated = tuple(filter(None, map(_less_negation, words)))
        plain = tuple(word for word in words if _less_negation(word) is None)
        for place in places:
            for saying in _sayings(place, plain):
                if _is_of_others(saying.text, plain, wider, own if needs_own else ()):
                    continue
                is_said = is_topic and not saying.text.rstrip().endswith("?")
                how = Polarity.STATED if is_said else _polarity_of_own(saying, plain, own, rivals)
                by[how].append(saying.evidence)
            for saying in chain.from_iterable(_sayings(place, [word]) for word in negated):
                by[_TURNED.get(saying.polarity, saying.polarity)].append(saying.evidence)
        return cls(by[Polarity.STATED], by[Polarity.DENIED], by[Polarity.OPEN])


def _names_beside(words: Sequence[str], lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the names in other lists, such as those of files: `model` within `model_small` does not speak of a
    model."""
    return tuple(word for other in lists if other != words for word in other if "_" in word and word not in words)


def _is_of_others(text: str, words: Sequence[str], wider: Sequence[str], own: Sequence[str]) -> bool:
    """Whether words stand only within wider names, or a text mentions nothing in `own`, if there is any."""
    return bool((wider and _are_within(text, words, wider)) or (own and not speaks_of(text, own)))


def _are_within(text: str, words: Sequence[str], names: Sequence[str]) -> bool:
    """Whether all places of some words in a text lie within names."""
    wide = list(places_of(text, names))
    return all(any(left <= start and end <= right for left, right in wide) for start, end in places_of(text, words))


def _rivals(question: Question, item: str, about: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the subjects of the question's other items that are not subjects of this item."""
    own = tuple(chain.from_iterable(about))
    others = (
        candidate.options for candidate in question.items if candidate.check == _CONTAINS and candidate.id != item
    )
    named = chain.from_iterable(chain.from_iterable(other.get("about", ()) for other in others if other.get("must")))
    alike = ((word, [speaks_of(word, own), *(speaks_of(other, (word,)) for other in own)]) for word in named)
    return tuple(word for word, found in alike if own and not any(found))


def _polarity_of_own(saying: Saying, words: Sequence[str], own: Sequence[str], rivals: Sequence[str]) -> Polarity:
    """Return the polarity of a sentence towards words that it says of this item's subject, unless it says that they
    end."""
    if saying.polarity is not Polarity.STATED:
        return saying.polarity
    opposites = tuple(f"{prefix}{word}" for word in own for prefix in _OPPOSITE)
    others = (*rivals, *(word for word in opposites if speaks_of(saying.text, [word]) and word not in own))
    for start, end in places_of(saying.text, words):
        is_own = not others or subject_of(saying.text, start, own, others) is Subject.OWN
        is_ended = lexicon.match(r"[^\W\d_]*\s+(?:(?!<because>)\w+\s+){0,7}?<vanishing>", saying.text, end)
        if is_own and not is_ended and not lexicon.search(r"<ceasing>\W+(?:to\W+)?\Z", saying.text[:start]):
            return polarity(saying.text, start, end)
    return Polarity.OPEN


_OPPOSITE: Final = ("non-", "not ")
"""What makes a subject another one: a non-linear model is no linear one."""

_TURNED: Final = {Polarity.STATED: Polarity.DENIED, Polarity.DENIED: Polarity.STATED}


def _less_negation(word: str) -> str | None:
    """Return the rest of a word that begins with a negation, or None."""
    match = lexicon.match(r"<negation>[\s-]+(?=\w)", word)
    return word[match.end() :] if match else None


def _sayings(place: Section, words: Sequence[str]) -> Iterator[Saying]:
    """Return the statements of a section about some words, without its label and title."""
    return (saying for saying in sayings(place.passage, words) if saying.start >= place.lead)


_FEWEST_TOLD: Final = 3
"""The fewest words that say something."""


def _says_no_more(places: Sequence[Section], known: Sequence[Sequence[str]]) -> bool:
    """Whether each clause of an answer is about known words, too short to say anything, or a reason."""
    words = [_less_negation(word) or word for several in known for word in several]
    for place in places:
        text = place.passage.text[place.lead :]
        edges = [0, *(at for match in lexicon.find_all(_CLAUSE_END, text) for at in match.span()), len(text)]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            clause, before = text[start:end], text[max(0, start - _REASON_WINDOW) : start]
            is_reason = lexicon.match(r"\W*<because|for>", clause) or lexicon.search(r"<because|for>\W*\Z", before)
            if words_in(clause) >= _FEWEST_TOLD and not speaks_of(clause, words) and not is_reason:
                return False
    return True


_CLAUSE_END: Final = r"[.,;:!?()\n，。；：！？、（）]\s*|\s<and>\s|\s<break>\s"
_REASON_WINDOW: Final = 12
_FORBIDDEN: Final = Reason(say("It says something that should not be there."), is_likely=False)


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
    - `least_words`, `most_words`: the smallest and the largest number of the student's own words. Code, output and text
      of the handout do not count. A longer section is `partial`.

    Decides: whether the section exists, and its length.

    Leaves to people: sections that are too short, and text without such a heading.

    Example:
        heading = ["limitation"]
        least_words = 30
    """
    asked = say("at least {least} words", least=least_words)
    if most_words is not None:
        asked = say("at most {most} words", most=most_words)
    finding = Finding(item=item, status=Status.REVIEW, expected=Expected(text=asked))
    passage, start, end = _section_of(answer, lab.question_of(item), heading) or (None, 0, 0)
    words = _words_between(passage, start, end) if passage else 0
    if passage is None or not words:
        yield concluded_absent(finding, absence(answer, lab, item))
        return
    length = say_number("{number} word", "{number} words", words)
    finding = finding.changed(found=length, evidence=(passage.beginning(start, end),))
    message = say("Length: {length}.", length=length)
    if most_words is not None and words > most_words:
        message = say("Length: {length}; at most {most} are asked for.", length=length, most=most_words)
        yield decided(finding, Status.PARTIAL, message)
    elif words < least_words:
        yield decided(finding, Status.PARTIAL, message, _SHORT.when(True))
    else:
        yield decided(finding, Status.CORRECT, message)


def _words_between(passage: Passage, start: int, end: int) -> int:
    """Return the number of words between two offsets of a passage, without code and output."""
    silent = (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.FIGURE)
    told = [index for index, block in enumerate(passage.blocks) if block.kind not in silent]
    bounds = ((passage.offset_of(index), passage.offset_of(index + 1)) for index in told)
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


FIGURE: Final = "figure-present"


@check(FIGURE)
def figure_present(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    words: tuple[str, ...] = (),
    shows: tuple[tuple[str, ...], ...] = (),
    least: int = 1,
) -> Iterator[Conclusion]:
    """The figure that was asked for is there.

    - `words`: one of these words must stand in the caption, in a short line beside the figure, in the code that draws
      it, or in the sentence that names its file.
    - `shows`: lists of words for what the figure has to show. If the student names only some of it, the item goes to
      review.
    - `least`: the number of figures required.

    Decides: a figure in the answer with one of the words, or the only figure under the question's heading, unless its
    caption names something else. A figure elsewhere belongs to the answer that its caption names or that mentions it.
    The answer is `missing` if there is no figure and no text has one of the words.

    Leaves to people: figures without these words or in another place, a picture that a notebook also shows in the
    answer to an earlier question, and what a figure shows, which is not read.

    Example:
        words = ["loss", "learning curve"]
    """
    question = lab.question_of(item)
    wanted = say("a figure") if least == 1 else say("{least} figures", least=least)
    finding = Finding(item=item, status=Status.REVIEW, expected=Expected(text=wanted))
    sections = [section for section in answer.sections if not section.is_closing]
    named = [section for section in sections if question in section.questions]
    own_figures = [
        figure
        for section in named
        for figure in (*_figures(section, answer.code), *_named_files(section, answer.pictures))
    ]
    other = [figure for section in sections if section not in named for figure in _figures(section, answer.code)]
    files = [
        _Figure(Evidence(file=path, quote=name), name.rpartition(".")[0].replace("_", " "))
        for path in answer.pictures
        for name in [path.rpartition("/")[2]]
    ]
    # The name of a file identifies a figure only if no other figure is asked for.
    is_only = sum(candidate.check == FIGURE for candidate in lab.items) == 1
    fitting = [figure.place for figure in own_figures if not words or speaks_of(figure.told, words)]
    fitting = fitting or [file.place for file in files if is_only and speaks_of(file.told, words)]
    shown_there = [(section, figure) for section in named for figure in _figures(section, answer.code)]
    if not fitting and least == 1 and len(shown_there) == 1 and _is_of_one(shown_there[0][0]):
        fitting = _only_figure(shown_there[0][1], lab, question, named)
    told = " ".join(figure.told for figure in own_figures if figure.place in fitting[:least])
    shown = sum(speaks_of(told, one) is not None for one in shows)
    doubtful = [figure.place for figure in (*own_figures, *other) if not words or speaks_of(figure.told, words)]
    if len(fitting) >= least:
        is_partly = 0 < shown < len(shows)
        shown_before = _shown_before(sections, question)
        copies = [figure.place for figure in own_figures if figure.digest in shown_before]
        own_places = [place for place in fitting if place not in copies]
        is_copied = len(own_places) < least
        finding = finding.changed(evidence=tuple((fitting if is_copied else own_places)[:least]))
        message = say("The figure is there.")
        yield decided(finding, Status.CORRECT, message, _COPIED.when(is_copied), _PARTLY_SHOWN.when(is_partly))
    elif own_figures or (words and doubtful):
        places = tuple((doubtful or [own_figures[0].place])[:4])
        yield decided(finding.changed(evidence=places), Status.CORRECT, "", _ANOTHER_FIGURE)
    elif files:
        places = tuple(file.place for file in files[:4])
        yield decided(finding.changed(evidence=places), Status.CORRECT, "", _UNNAMED_FILES)
    elif (
        words
        and not other
        and not answer.gaps
        and not any(speaks_of(section.passage.text, (*words, "fig", "plot")) for section in answer.sections)
    ):
        yield finding.changed(status=Status.MISSING, feedback=say("There is no figure, and the text mentions none."))
    else:
        # In page layouts, a figure may be far from its question.
        adrift = tuple(figure.place for figure in other if figure.place.page is not None)
        found = absence(answer, lab, item)
        yield concluded_absent(finding, found.model_copy(update={"pictures": (*found.pictures, *adrift)}))


_PARTLY_SHOWN: Final = Reason(
    say("There is a figure, but the words beside it name only a part of what it has to show."), is_likely=False
)
_COPIED: Final = Reason(say("The same picture stands in the answer to another question."), is_likely=False)
_ANOTHER_FIGURE: Final = Reason(
    say("There is a figure, but it may not be the one that was asked for."), is_likely=False
)
_UNNAMED_FILES: Final = Reason(say("Pictures were handed in as files, but no text mentions them."), is_likely=False)


def _shown_before(sections: Sequence[Section], question: str) -> Set[str]:
    """Return the digests of the pictures in answers to other questions that stand before the answer to a question."""
    named = [len(section.questions) for section in sections if question in section.questions]
    before = takewhile(
        lambda section: not (question in section.questions and len(section.questions) == min(named)), sections
    )
    others = (section for section in before if section.questions and question not in section.questions)
    return {block.digest for section in others for block in section.passage.blocks if block.digest}


class _Figure(NamedTuple):
    """A figure with its place and the words about it.

    `told` are all words near it, `caption` those of its description and captions. `is_drawn`: the code that draws it is
    shown.
    """

    place: Evidence
    told: str
    caption: str = ""
    is_drawn: bool = False
    digest: str = ""


def _is_of_one(section: Section) -> bool:
    """Whether a section answers one question, or is a caption that names several."""
    return len(section.questions) == 1 or section.passage.blocks[0].kind is BlockKind.CAPTION


def _only_figure(figure: _Figure, lab: Lab, question: str, named: Sequence[Section]) -> list[Evidence]:
    """Return the only figure under a question's heading if the question asks for one figure.

    Return nothing if its caption or code is about something else. If the answer mentions the figure by its number, that
    must be the subject of another question.
    """
    [asking] = (candidate for candidate in lab.questions if candidate.id == question)
    if figure.is_drawn or sum(item.check == FIGURE for item in asking.items) != 1:
        return []
    is_other = _is_of_rival if _mentions(named, figure) else _is_of_something_else
    return [] if is_other(figure.caption, lab, asking) else [figure.place]


def _mentions(named: Sequence[Section], figure: _Figure) -> bool:
    """Whether an answer mentions a figure by its number."""
    number = lexicon.match(r"\W*<figure>\.?\s*(?P<number>\d{1,3})", figure.caption)
    blocks = chain.from_iterable(section.passage.blocks for section in named)
    text = " ".join(block.text for block in blocks if not is_caption(block) and block.kind is not BlockKind.FIGURE)
    return number is not None and lexicon.search(rf"<figure>\.?\s*{number['number']}(?!\d)", text) is not None


def _is_of_rival(caption: str, lab: Lab, asking: Question) -> bool:
    """Whether a caption has words that only another question has, and none of its own question."""
    rivals = Counter(word for question in lab.questions for word in {*question.words, *_figure_words(question)})
    only = [word for word, number in rivals.items() if number == 1]
    return not speaks_of(caption, asking.words) and speaks_of(caption, only) is not None


def _is_of_something_else(caption: str, lab: Lab, asking: Question) -> bool:
    """Whether a caption is about something else than a question. Words shared by several other questions belong to the
    lab."""
    if speaks_of(caption, asking.words):
        return False
    others = Counter(
        word for question in lab.questions if question != asking for word in {*question.words, *_figure_words(question)}
    )
    of_lab = [word for word, number in others.items() if number > 1]
    words = (word for word in TOKEN.findall(caption) if len(word) >= _TELLING and not word.isdecimal())
    return not all(lexicon.fullmatch("<any_picture>", word) or speaks_of(word, of_lab) for word in words)


_TELLING: Final = 4
"""The fewest letters of an informative word in a caption."""


def _figure_words(question: Question) -> Iterator[str]:
    """Yield the words that the lab expects at a question's figures."""
    for item in question.items:
        yield from item.options.get("words", ()) if item.check == FIGURE else ()


def _figures(section: Section, code: Sequence[CodeCell]) -> Iterator[_Figure]:
    """Yield the figures of a section with their descriptions, captions, adjacent short lines and code."""
    blocks = section.passage.blocks
    for index, block in enumerate(blocks):
        if block.kind is not BlockKind.FIGURE or block.in_line:
            continue
        near = [
            candidate
            for candidate in blocks[max(0, index - 1) : index + 4]
            if candidate.text.strip() and candidate is not block
        ]
        captions = [
            candidate.text
            for candidate in (*near, *_rest_of_captions(blocks, index))
            if candidate.kind is BlockKind.CAPTION or lexicon.match(r"\W*<figure>\.?\s*\d", candidate.text)
        ]
        captions = list(dict.fromkeys(captions))
        above = next((candidate for candidate in reversed(blocks[:index]) if candidate.text.strip()), None)
        below = next((candidate for candidate in blocks[index + 1 :] if candidate.text.strip()), None)
        lines = [
            candidate.text
            for candidate in (above, below)
            if candidate
            and candidate.kind in (BlockKind.LINE, BlockKind.LIST_ITEM)
            and len(TOKEN.findall(candidate.text)) <= _FEW_WORDS
        ]
        file = block.file or section.passage.file
        drawn = [
            cell.source for cell in code if block.cell is not None and (cell.file, cell.cell) == (file, block.cell)
        ]
        place = block.evidence(file, " ".join((block.text, *captions)).strip()[:_QUOTE])
        caption = " ".join((block.text, *captions))
        yield _Figure(place, " ".join((caption, *lines, *drawn)), caption, bool(drawn), block.digest)


def _rest_of_captions(blocks: Sequence[Block], index: int) -> Iterator[Block]:
    """Yield the lines of captions directly above and below a figure."""
    for side in (reversed(blocks[:index]), iter(blocks[index + 1 :])):
        yield from takewhile(lambda block: block.kind is BlockKind.CAPTION or not block.text.strip(), side)


def _named_files(section: Section, pictures: Sequence[str]) -> Iterator[_Figure]:
    """Yield the image files of the submission that a section names, each with its sentence."""
    text = section.passage.text
    for name in dict.fromkeys(path.rpartition("/")[2] for path in pictures):
        match = re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE)
        if match:
            left, right_end = sentence_bounds(text, *match.span())
            yield _Figure(section.passage.evidence(left, right_end), text[left:right_end], text[left:right_end])


class RubricRow(Frozen):
    """A row of a rubric with its points, which are negative for a deduction."""

    text: str
    points: Decimal = Field(allow_inf_nan=False)


@check("by-hand")
def by_hand(answer: Answer, lab: Lab, *, item: str, rubric: tuple[RubricRow, ...] = ()) -> Iterator[Conclusion]:
    """A person decides.

    - `rubric`: criteria, each with a `text` and its `points`, which the marker ticks. An override can name them by
      number (`rows = [1, 2]`).

    Decides: nothing, except that an unchanged answer cell of a notebook is `missing`.

    Leaves to people: every other answer, with its place and the rubric.

    Example:
        rubric = [
            { text = "The limits are named.", points = 1 },
            { text = "An experiment is proposed that would test them.", points = 1 },
        ]
    """
    rows = (
        say_number(
            "Criterion {row}, worth {points} point: {text}",
            "Criterion {row}, worth {points} points: {text}",
            plural_of(row.points),
            row=number,
            points=str(row.points),
            text=say_data(row.text),
        )
        for number, row in enumerate(rubric, 1)
    )
    question = lab.question_of(item)
    places = [section for section in own_sections(answer, question) if section.passage.text[section.lead :].strip()]
    evidence = tuple(place.passage.beginning(place.lead) for place in places[:3])
    cells = [section for section in answer.sections if question in section.questions]
    if are_unanswered(cells) and (found := absence(answer, lab, item)).is_certain:
        yield concluded_absent(Finding(item=item, status=Status.REVIEW), found)
        return
    yield Finding(
        item=item,
        status=Status.REVIEW,
        evidence=evidence,
        feedback=PERSON_DECIDES,
        note=joined(" · ", rows) if rubric else "",
    )


class Take(StrEnum):
    """The number that counts if several are printed."""

    LAST = "last"
    BEST = "best"
    ALL = "all"


@check("printed-value", one_of=("value", "truth_id", "least|most"))
def printed_value(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    value: Decimal | None = None,
    truth_id: str = "",
    least: Decimal | None = None,
    most: Decimal | None = None,
    take: Take = Take.LAST,
    enough: Decimal = Decimal(1),
    fewest: int = 1,
    tolerance: Decimal | None = None,
    relative: Decimal = Decimal(0),
    label: tuple[str, ...] = (),
    code: tuple[str, ...] = (),
    not_of: tuple[str, ...] = (),
    wrong: tuple[Wrong, ...] = (),
) -> Iterator[Conclusion]:
    """What the code printed is right.

    - `value`: the right number. `truth_id`: instead, the id of a count or parameter value in `truth.json`.
    - `least`, `most`: instead, one or both bounds. Without `least` the lower bound is 0. A printed `15%` is 0.15.
    - `take`: which of several printed numbers counts: the `last`, the `best` or `all`. The best is the highest if
      `least` is set, and otherwise the lowest.
    - `enough`: with `take = "all"`, the share of the printed numbers that must be right. If fewer are right, the answer
      earns the share that is right.
    - `fewest`: with `take = "all"`, how many numbers must be printed at least.
    - `tolerance`, `relative`, `wrong`: as for `numeric-answer`.
    - `label`: words before the number in its line, or in the line above. The first label found counts.
    - `code`: words in the code of the cell, such as the name of a function.
    - `not_of`: words that mark a different number, such as `["train"]`.

    Decides: the number after its label, if all cells print the same one. If the question has a heading in the notebook,
    only its own cells count, and those between its answer cell and the next heading. Without a label, a right value at
    the end of one of these cells counts, and one in a size such as `(159, 16)` or beside words of the item's title. If
    titles or labels ask for the training, validation or test part, values of other parts do not count. The values that
    a function returns together have the names in its `return`. Several numbers after one label are `incorrect` if none
    of the question's cells prints the right one.

    Leaves to people: a wrong number that may be of something else (another order of magnitude, whole where the right
    one is not, beside a right one in its line, of the training or validation part where no part is asked for, or right
    for another item), a right number that is written in the code itself, different numbers after one label, a number
    that is nearly right, and output without the label.

    Example:
        value = 0.512
        tolerance = 0.005
        label = ["test rmse"]
        code = ["predict"]
    """
    exact = truth.number(truth_id) if truth_id else value
    aim = range_target(least, most) if exact is None else target(exact, tolerance, relative)
    expected: Words = bounds_told(least, most) if exact is None else str(exact)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        expected=Expected(text=expected, truths=(truth_id,) if truth_id else ()),
    )
    places = [
        [cell for cell in cells if not code or any(folded(name) in folded(cell.source) for name in code)]
        for cells in question_cells(answer, lab.question_of(item))
    ]
    cells = [*places[0], *places[1]]
    split = asked_split(lab, item, label)
    returned = returned_names(cell.as_handed_in for cell in answer.code)
    tried = (_shown(own_cells, label, returned, is_own=own_cells is places[0]) for own_cells in places)
    shown = next(filter(None, tried), [])
    shown = [line for line in shown if not (line.is_of(not_of) or is_of_other_split(line.before, split))]
    found = _less_others(shown, aim, lab, item)
    title = next(candidate.title for candidate in lab.items if candidate.id == item)
    found = (_told_apart(places[0], title, aim) if exact is not None and not label else []) or found
    if found and take is Take.BEST:
        best = max if least is not None else min
        found = [best(found, key=lambda line: aim.numbers(line.quantity)[0])]
    with_output = next((cell for cell in cells if cell.output.strip()), None)
    if found and take is Take.ALL:
        is_unclear = any(may_be_of_another(line, aim, split) for line in found if not aim.is_right(line.quantity))
        yield _together(finding, found, aim, enough, fewest, _not_numbers(cells, label), is_unclear=is_unclear)
    elif found:
        listed = [(wrong_value, target(wrong_value.value, tolerance, relative)) for wrong_value in wrong]
        is_its_own = not may_be_of_another(found[-1], aim, split) and not _is_right_for_another(found[-1], lab, item)
        is_its_own = is_its_own or any(other.is_right(found[-1].quantity) for _, other in listed)
        is_certain = bool(label) and is_its_own and all(line.is_certain for line in found)
        # Where no number that may be right stands in the question's own cells, it does not matter which one is meant.
        beside = chain.from_iterable(map(all_numbers, places[0])) if exact is not None else ()
        is_known = exact is None or (
            bool(places[0]) and not any(other.is_right(line.quantity) for _, other in listed for line in found)
        )
        is_all_outside = is_known and not any(aim.may_be_right(line.quantity) for line in chain(found, beside))
        judged = _printed(finding, found[-1:] if is_all_outside else found, aim, listed, is_labelled=is_certain)
        yield in_range(judged, aim, expected)
    elif with_output:
        quote = Evidence(file=with_output.file, cell=with_output.cell, quote=with_output.output.strip()[:_LONG_QUOTE])
        yield decided(finding.changed(evidence=(quote,)), Status.CORRECT, "", _UNRECOGNISED)
    elif not answer.gaps and not any(cell.output.strip() for cell in answer.code) and not _is_shown(answer, aim):
        message = say("No output of code was handed in, neither in a notebook nor in the text.")
        yield finding.changed(status=Status.MISSING, feedback=message)
    else:
        yield concluded_absent(finding, absence(answer, lab, item))


_NO_NUMBER: Final = r"(?i)[\W_]{0,5}(?:nan|-?inf)\b"
_FEW: Final = Reason(say("Fewer numbers were printed than were asked for."), is_likely=False)


def _not_numbers(cells: Sequence[CodeCell], labels: Sequence[str]) -> int:
    """Return how often an output has `nan` or `inf` after a label."""
    number = 0
    for cell in cells if labels else ():
        at = 0
        output = cell.output[-MOST_OUTPUT:]
        while place := mention(output, labels, at):
            at = place[1]
            number += re.match(_NO_NUMBER, output[at : at + 12]) is not None
    return number


def _together(
    finding: Finding,
    found: Sequence[Line],
    aim: Target,
    enough: Decimal,
    fewest: int,
    others: int,
    *,
    is_unclear: bool,
) -> Finding:
    """Return the verdict on all numbers printed after a label, and on `others` values that are no numbers.

    If `is_unclear`, some wrong ones may be of something else.
    """
    right_ones = [line for line in found if aim.is_right(line.quantity)]
    rest = [line for line in found if line not in right_ones]
    total = len(found) + others
    share = Decimal(len(right_ones)) / total
    message = say_number("{number} of {all} is right.", "{number} of {all} are right.", len(right_ones), all=total)
    places = tuple(dict.fromkeys(line.evidence for line in (*rest[:3], *right_ones[:2])))
    typed = all(map(_is_typed, found))
    reasons = (_FEW.when(total < fewest), _TYPED.when(typed))
    finding = finding.changed(found=message, evidence=places)
    if share >= enough:
        return decided(finding, Status.CORRECT, message, *reasons)
    status = Status.PARTIAL if right_ones else Status.INCORRECT
    return decided(finding, status, message, *reasons, UNCERTAIN.when(is_unclear), share=share or None)


def _is_typed(line: Line) -> bool:
    """Whether a printed number stands in the code itself."""
    return bool(re.search(rf"(?<![\w.]){re.escape(line.quantity.text)}(?![\w.])", line.cell.source))


_UNRECOGNISED: Final = Reason(say("No output was recognised as the one asked for."), is_likely=False)
_TYPED: Final = Reason(say("The number stands in the code itself, so nothing was computed."), is_likely=False)


def _shown(
    cells: Sequence[CodeCell], labels: Sequence[str], returned: Mapping[str, Sequence[str]], *, is_own: bool
) -> list[Line]:
    """Return the numbers that some cells print after a label.

    Labels in the output count before names in the code, and earlier labels before later ones. If none is found, the
    last values of the question's own cells count; without labels, all numbers.
    """
    if not labels:
        return [line for cell in cells for line in all_numbers(cell)]
    in_names, in_code = partial(labelled, in_names=True), partial(named_in_code, returned=returned)
    ways: list[Callable[[CodeCell], Iterable[Line]]]
    ways = [partial(way, label=label) for way in (labelled, in_code, in_names) for label in labels]
    ways = [partial(in_tables, labels=labels), *ways, *([bare_values] if is_own else [])]
    tried = (list(chain.from_iterable(map(way, cells))) for way in ways)
    return next(filter(None, tried), [])


def _told_apart(cells: Sequence[CodeCell], title: str, aim: Target) -> list[Line]:
    """Return the right number that a question's own cells show if the lab names no label.

    The number stands in every size that the cells show, `(159, 16)`, or else it is the only one beside words of the
    item's title.
    """
    words = re.findall(r"[^\W\d_]{4,}", title)
    named = [[line] for cell in cells for line in all_numbers(cell) if line.is_of(words)]
    groups = [*chain.from_iterable(map(sizes, cells))] or named
    right_ones = [[line for line in group if aim.is_right(line.quantity)][:1] for group in groups]
    return right_ones[-1] if right_ones and all(right_ones) else []


def _less_others(found: list[Line], aim: Target, lab: Lab, item: str) -> list[Line]:
    """Return the printed numbers without the right ones of other items, if others are left.

    For example, the errors of two models may be printed after the same word.
    """
    others = [*_aims_of_others(lab, item)]
    return [
        line for line in found if aim.is_right(line.quantity) or not any(o.is_right(line.quantity) for o in others)
    ] or found


def _is_right_for_another(line: Line, lab: Lab, item: str) -> bool:
    """Whether a printed number is the right one of another item."""
    return any(aim.is_right(line.quantity) for aim in _aims_of_others(lab, item))


def _aims_of_others(lab: Lab, item: str) -> Iterator[Target]:
    """Yield the right numbers of all other items."""
    return (
        target(
            Decimal(str(value)),
            None if asked.get("tolerance") is None else Decimal(str(asked["tolerance"])),
            Decimal(str(asked.get("relative", 0))),
        )
        for candidate in lab.items
        if candidate.id != item
        for asked in (candidate.options, *candidate.options.get("cells", ()))
        for value in (asked.get("value"), *asked.get("values", ()))
        if isinstance(value, int | float | Decimal)
    )


def _is_shown(answer: Answer, aim: Target) -> bool:
    """Whether the exact number, or output of a program, stands in a text."""
    blocks = [block for section in answer.sections for block in section.passage.blocks]
    if any(block.kind in (BlockKind.OUTPUT, BlockKind.FIGURE) for block in blocks):
        return True
    code = (quantity for block in blocks if block.kind is BlockKind.CODE for quantity in quantities(block.text))
    if any(aim.may_be_right(quantity) for quantity in code):  # output may be part of a listing
        return True
    digits = -int(aim.margin.normalize().as_tuple().exponent) if aim.margin else 0
    exact = (quantity for block in blocks for quantity in quantities(block.text) if aim.is_right(quantity))
    return any(-int(quantity.resolution.normalize().as_tuple().exponent) > digits for quantity in exact)


def _printed(
    finding: Finding, found: Sequence[Line], aim: Target, known: Sequence[tuple[Wrong, Target]], *, is_labelled: bool
) -> Finding:
    """Return the verdict on the numbers printed after a label. The last one counts."""
    last, shown = found[-1], found[-1].quantity.text
    alike = [line.evidence for line in found if aim.is_right(line.quantity)][:1]
    finding = finding.changed(found=shown, evidence=tuple(dict.fromkeys((last.evidence, *alike))))
    differ = len({line.quantity.readings[0] for line in found}) > 1
    if aim.is_right(last.quantity):
        others = any(not aim.is_right(line.quantity) for line in found)
        return decided(finding, Status.CORRECT, right(shown), _TYPED.when(_is_typed(last)), SEVERAL.when(others))
    return decided_wrong(
        finding,
        shown,
        next((wrong_value for wrong_value, other in known if other.is_right(last.quantity)), None),
        NEAR.when(any(aim.may_be_right(line.quantity) for line in found)),
        UNCERTAIN.when(not is_labelled),
        SEVERAL.when(differ),
    )
