"""The check `figure-present`: a figure stands in the answer."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import chain, dropwhile, takewhile
from typing import Final, NamedTuple

from grader.checks.absence import (
    absence,
    concluded_absent,
)
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import Reason
from grader.checks.finding import ExpectedAnswer, Finding, Status
from grader.claims.answer import Answer
from grader.claims.captions import is_caption
from grader.claims.code import CodeCell
from grader.claims.numerals import sentence_bounds
from grader.claims.sections import Section
from grader.claims.statements import speaks_of
from grader.lab.definition import Lab, Question
from grader.language import lexicon
from grader.language.shapes import TOKEN
from grader.message import say
from grader.reading.document import Block, BlockKind, Evidence

_QUOTE: Final = 200


_FEW_WORDS: Final = 40
"""A line with at most this many words may describe the figure beside it."""


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

    - `words`: words in the caption, in a short line beside the figure, in the code that draws it, or in the sentence
      that names its file.
    - `shows`: lists of words for what the figure has to show. If the words beside the figure name only some of that,
      the item goes to review.
    - `least`: how many figures with one of the `words` are required. If there are fewer, the item goes to review.

    Decides: a figure (picture or plot) in the answer with one of the words, or the only figure there, unless its
    caption names something else. A figure elsewhere belongs to the answer that its caption names or that mentions it.
    The answer is `missing` if there is no figure and no text has one of the words.

    Leaves to people: figures without these words or in another place, and a picture that an earlier answer of the
    notebook also shows. What a figure shows is not read.

    Example:
        words = ["loss", "learning curve"]
    """
    question = lab.question_of(item)
    wanted = say("a figure") if least == 1 else say("{least} figures", least=least)
    finding = Finding(item=item, status=Status.REVIEW, expected=ExpectedAnswer(text=wanted))
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
    figure_text = " ".join(figure.told for figure in own_figures if figure.place in fitting[:least])
    shown = sum(speaks_of(figure_text, word_list) is not None for word_list in shows)
    doubtful = [figure.place for figure in (*own_figures, *other) if not words or speaks_of(figure.told, words)]
    if len(fitting) >= least:
        is_partly = 0 < shown < len(shows)
        shown_before = _shown_before(sections, question)
        copies = [figure.place for figure in own_figures if figure.digest in shown_before]
        own_places = [place for place in fitting if place not in copies]
        is_copied = len(own_places) < least
        finding = finding.with_changes(evidence=tuple((fitting if is_copied else own_places)[:least]))
        message = say("The figure is there.")
        yield with_verdict(
            finding, Status.CORRECT, message, _COPIED.keep_if(is_copied), _PARTLY_SHOWN.keep_if(is_partly)
        )
    elif own_figures or (words and doubtful):
        places = tuple((doubtful or [own_figures[0].place])[:4])
        yield with_verdict(finding.with_changes(evidence=places), Status.CORRECT, "", _ANOTHER_FIGURE)
    elif files:
        places = tuple(file.place for file in files[:4])
        yield with_verdict(finding.with_changes(evidence=places), Status.CORRECT, "", _UNNAMED_FILES)
    elif (
        words
        and not other
        and not answer.gaps
        and not any(speaks_of(section.passage.text, (*words, "fig", "plot")) for section in answer.sections)
    ):
        yield finding.with_changes(
            status=Status.MISSING, feedback=say("There is no figure, and the text mentions none.")
        )
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
        drawn += _code_above(blocks[:index]) if block.cell is None else []
        place = block.evidence(file, " ".join((block.text, *captions)).strip()[:_QUOTE])
        caption = " ".join((block.text, *captions))
        yield _Figure(place, " ".join((caption, *lines, *drawn)), caption, bool(drawn), block.digest)


def _code_above(blocks: Sequence[Block]) -> list[str]:
    """Return the lines of the listing that a report shows above a figure, with nothing but output between them."""
    above = dropwhile(lambda block: block.kind in _BETWEEN or not block.text.strip(), reversed(blocks))
    return [block.text for block in takewhile(lambda block: block.kind is BlockKind.CODE, above)]


_BETWEEN: Final = frozenset({BlockKind.FIGURE, BlockKind.OUTPUT})


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
