"""Checks of what an answer says or shows, as far as rules can tell: a choice among options, words, a section, a figure;
and the item that always a person decides.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Final, NamedTuple

from pydantic import Field

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.numbers_asked import own_sections
from grader.claims.answer import Answer
from grader.claims.code import CodeCell
from grader.claims.numerals import sentence_bounds
from grader.claims.passage import Passage
from grader.claims.sections import Section, folded, is_doubtful, sayings, speaks_of
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.message import Words, joined, say, say_data, say_number
from grader.reading.document import Block, BlockKind, Evidence

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_QUOTE: Final = 200
_MOST_TEXT: Final = 20_000
_WORD: Final = re.compile(r"[^\W_]+")
_TICKED: Final = re.compile(r"^(?:\W*[a-z]\))?\W*(?:\[(?P<mark>[xX✓✔ ]?)\]|(?P<sign>[☑☒☐]))\s*", re.MULTILINE)
_FEW_WORDS: Final = 3
_SHORT: Final = 40
"""An answer of at most so many words that names one option chooses it."""


class _Chosen(NamedTuple):
    """An option that a text names: by its letter or its own words, from `start` to `end`. `is_firm` where it begins a
    line, or ends the beginning of a sentence; `is_bare` where it stands behind a colon or almost alone; `is_only` where
    a short answer names no other option."""

    option: str
    start: int
    end: int
    is_firm: bool
    is_bare: bool
    is_only: bool = False


CHOICE: Final = "choice"


@check(CHOICE)
def choice(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    choices: dict[str, str],
    right: tuple[str, ...],
    why: Mapping[str, str] = _NOTHING,
) -> Iterator[Conclusion]:
    """The right option was chosen.

    - `choices`: the options, each letter or number with its words.
    - `right`: which of them are right; of several, all have to be chosen.
    - `why`: for wrong options, what choosing them shows.

    Decides: an option named by its letter (`b`, `(b)`, `Answer: B`), in its own words or in those that no other option
    has, or ticked in a list; some of several right ones without a wrong one are `partial`.

    Leaves to people: doubts and negations, several options where one is right, words that are not the option's own.

    Example:
        choices = { a = "L1 regularisation", b = "dropout", c = "early stopping" }
        right = ["b"]
        why = { c = "Early stopping ends the training; it changes no activations." }
    """
    names = {one: f"{one}) {words}" for one, words in choices.items()}
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        expected=Expected(text=joined("; ", (say_data(names[one]) for one in right if one in names))),
    )
    question = lab.question_of(item)
    places = [(one, _chosen(one, choices)) for one in own_sections(answer, question)]
    found = [(section, one) for section, several in places for one in several]
    if not found:
        yield _nothing_found(finding, answer, lab)
        return
    chosen = tuple(dict.fromkeys(one.option for _, one in found))
    finding = finding.changed(
        found=", ".join(chosen),
        evidence=tuple(dict.fromkeys(section.passage.evidence(one.start, one.end) for section, one in found[:4])),
    )
    others = {one.id for one in lab.questions if one.id != question and any(own.check == CHOICE for own in one.items)}
    is_own = all(question in one.questions and not others & set(one.questions) for one, _ in found)
    is_open = any(_is_open(section.passage.text, one) for section, one in found)
    is_one_too_many = len(right) == 1 and len(chosen) > 1
    decided = _compared(finding, chosen, right, why)
    is_right = decided.status is Status.CORRECT
    is_certain = all(
        one.is_bare or (one.is_firm and (is_right or one.is_only)) or (is_right and one.is_only) for _, one in found
    )
    if is_open or is_one_too_many or not (is_own and is_certain):
        suggestion = None if is_open or is_one_too_many else decided.status
        said = say("It is not certain which option is chosen; a person reads the answer.")
        yield finding.changed(suggestion=suggestion, feedback=said)
    else:
        yield decided


def _compared(finding: Finding, chosen: Sequence[str], right: Sequence[str], why: Mapping[str, str]) -> Finding:
    told = ", ".join(chosen)
    if set(chosen) == set(right):
        return finding.changed(status=Status.CORRECT, feedback=say("{chosen} is right.", chosen=told))
    wrong = [one for one in chosen if one not in right]
    said = [say_data(why[one]) for one in wrong if one in why]
    finding = finding.changed(
        diagnoses=tuple(Diagnosis(id=f"option:{one}", text=say_data(why[one])) for one in wrong if one in why)
    )
    if not wrong:
        return finding.changed(status=Status.PARTIAL, feedback=say("{chosen} is right, but not all.", chosen=told))
    if set(chosen) & set(right):
        text = say("Some of {chosen} are right and some are not.", chosen=told)
        return finding.changed(suggestion=Status.PARTIAL, feedback=joined(" ", (text, *said)))
    text = say("{chosen} is not right.", chosen=told)
    return finding.changed(status=Status.INCORRECT, feedback=joined(" ", (text, *said)))


def _is_open(text: str, one: _Chosen) -> bool:
    left, right = sentence_bounds(text, one.start, one.end)
    return is_doubtful(text[left:right], one.start - left, one.end - left)


def _chosen(section: Section, choices: Mapping[str, str]) -> list[_Chosen]:
    """The options that a section names: those ticked, where some are; else the firmly named ones, or all. A list of
    all options, copied from the question, names none."""
    text = section.passage.text[:_MOST_TEXT]
    # A part's own letter, `(a)`, is neither an option nor a word of the answer.
    text = re.sub(r"[^\n]", " ", text[: section.lead]) + text[section.lead :]
    own = list(_named(text, choices)) or list(_by_own_words(text, choices))
    marks = [(match.end(), match["mark"], match["sign"]) for match in _TICKED.finditer(text)]
    if marks:
        lines = {end: text[end : text.find("\n", end) if "\n" in text[end:] else len(text)] for end, _, _ in marks}
        ticked = [end for end, mark, sign in marks if (mark or "").strip() or (sign or "☐") != "☐"]
        return [one for end in ticked for one in own if end <= one.start < end + len(lines[end]) + 1]
    listed = _listed(text, own, choices)
    own = _in_a_row(text, [one for one in own if one not in listed])
    is_one = len({one.option for one in own}) == 1
    is_both = is_one and len({folded(text[one.start : one.end]) for one in own}) > 1  # by its letter and its words
    is_short = is_one and len(_WORD.findall(text)) <= _SHORT
    own = [one._replace(is_only=is_short or is_both, is_firm=one.is_firm or is_both) for one in own]
    return [one for one in own if one.is_firm] or own


def _in_a_row(text: str, own: Sequence[_Chosen]) -> list[_Chosen]:
    """The options of which those that follow a firm one with nothing but commas and joining words between are firm."""
    found: list[_Chosen] = []
    for one in own:
        between = _WORD.findall(text[found[-1].end : one.start]) if found else ["other"]
        joins = all(folded(word) in _JOINING or len(word) <= _FEW_WORDS for word in between)
        is_next = bool(found) and joins and not re.search(r"\n|[.!?;]\s", text[found[-1].end : one.start])
        found.append(one._replace(is_firm=one.is_firm or (is_next and found[-1].is_firm)))
    return found


def _listed(text: str, own: Sequence[_Chosen], choices: Mapping[str, str]) -> set[_Chosen]:
    """The mentions in lines that hold an option's letter and its words, where every option has such a line."""
    lines: dict[int, set[str]] = {}
    for one in own:
        lines.setdefault(text.rfind("\n", 0, one.start), set()).add(one.option)
    pairs = {
        at: next(iter(options))
        for at, options in lines.items()
        if len(options) == 1 and sum(text.rfind("\n", 0, one.start) == at for one in own) > 1
    }
    if set(pairs.values()) != set(choices):
        return set()
    return {one for one in own if text.rfind("\n", 0, one.start) in pairs}


def _named(text: str, choices: Mapping[str, str]) -> Iterator[_Chosen]:
    """Where a text names options, in reading order. An option's words within those of a longer one are the longer's."""
    found = [*_by_letter(text, choices), *_by_words(text, choices)]
    yield from sorted(found, key=lambda one: one.start)


def _by_letter(text: str, choices: Mapping[str, str]) -> Iterator[_Chosen]:
    """Letters in brackets or before one, capitals that stand alone, and small ones that do so in a list of options. A
    capital that begins a sentence, as `A` does in `A model is`, is a word."""
    spelled = "|".join(sorted((re.escape(one) for one in choices), key=len, reverse=True))
    for match in re.finditer(rf"(?<![^\W_])(?:\(\s?)?(?P<name>{spelled})(?![^\W_'])", text, re.IGNORECASE):
        left = text.rfind("\n", 0, match.start()) + 1
        right = text.find("\n", match.end())
        line = text[left : right if right >= 0 else len(text)]
        before, after = line[: match.start() - left], line[match.end() - left :]
        others = [word for word in _WORD.findall(f"{before} {after}") if not _is_name(word, choices)]
        is_bracketed = bool(re.match(r"\s?\)", after))
        is_alone = not [word for word in others if folded(word) not in _JOINING]
        is_led = bool(re.search(rf":(?:\W|\b(?:{spelled}|and|et)\b)*\Z", before, re.IGNORECASE))
        is_led = is_led and not re.match(r"\s+[^\W\d_]{3,}", after)
        begins = not before.strip(" \t-•([*")
        is_word = match["name"] in "AI" and bool(re.match(r"\s+[^\W\d_]", after))
        is_capital = match["name"].isupper() and not (begins and is_word)
        if is_bracketed or is_alone or is_led or is_capital:
            name = next(one for one in choices if one.casefold() == match["name"].casefold())
            begins_so = begins and (is_bracketed or bool(re.match(r"[.:](?:\s|$)", after)))
            is_bare = is_alone or is_led or begins_so or len(others) <= _FEW_WORDS
            is_firm = is_bare or begins or _ends_a_beginning(before, after)
            yield _Chosen(name, match.start("name"), match.end("name"), is_firm, is_bare)


def _by_own_words(text: str, choices: Mapping[str, str]) -> Iterator[_Chosen]:
    """Options of which a text has at least half of the words and numbers that no other option has: `the lasso` of `the
    absolute penalty (lasso)`. A number in a fraction or with decimals is another one."""
    words = {one: set(map(folded, _WORD.findall(told))) for one, told in choices.items()}
    for option, own in words.items():
        others = set().union(*(several for one, several in words.items() if one != option))
        telling = {word for word in own - others if len(word) >= _LONG or word.isdecimal()}
        places = [
            match
            for match in re.finditer(r"[^\W_]+", folded(text))
            if match.group() in telling
            and not (match.group().isdecimal() and _IN_NUMBER.search(text[max(0, match.start() - 1) : match.end() + 1]))
        ]
        if telling and 2 * len({match.group() for match in places}) >= len(telling):
            yield _Chosen(option, places[0].start(), places[0].end(), is_firm=False, is_bare=False)


_IN_NUMBER: Final = re.compile(r"\d[./,%]|[./,]\d")
_LONG: Final = 4
_CAUSE: Final = re.compile(r"\W*(?:\Z|[.,;:)]|(?:because|since|car|parce|puisque)\b)", re.IGNORECASE)


def _ends_a_beginning(before: str, after: str) -> bool:
    """Whether few words of a sentence stand before something, and behind it a sign, a reason or nothing."""
    sentence = re.split(r"[.!?;]\s", before)[-1]
    return len(_WORD.findall(sentence)) <= _FEW_WORDS and bool(_CAUSE.match(after))


_JOINING: Final = frozenset({"and", "et", "or", "ou", "plus"})


def _is_name(word: str, choices: Mapping[str, str]) -> bool:
    return any(word.casefold() == one.casefold() for one in choices)


def _by_words(text: str, choices: Mapping[str, str]) -> Iterator[_Chosen]:
    plain = folded(text)
    taken: list[tuple[int, int]] = []
    for option, words in sorted(choices.items(), key=lambda pair: -len(pair[1])):
        spelled = r"[\s_-]+".join(re.escape(part) for part in re.split(r"[\s_-]+", folded(words.strip())) if part)
        for match in re.finditer(rf"(?<![^\W_]){spelled}(?![^\W_])", plain) if spelled else ():
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            taken.append(match.span())
            left = text.rfind("\n", 0, match.start()) + 1
            right = text.find("\n", match.end())
            before, after = text[left : match.start()], text[match.end() : right if right >= 0 else len(text)]
            others = [word for word in _WORD.findall(f"{before} {after}") if not _is_name(word, choices)]
            is_bare = len(others) <= _FEW_WORDS
            is_firm = is_bare or _ends_a_beginning(before, after)
            yield _Chosen(option, match.start(), match.end(), is_firm, is_bare)


def _nothing_found(finding: Finding, answer: Answer, lab: Lab) -> Finding:
    """No answer was recognised: missing where nothing at all stands there, else a person reads what does."""
    question = lab.question_of(finding.item)
    for section in answer.written:
        text = section.passage.text
        if question in section.questions and text[section.lead :].strip():
            place = section.passage.evidence(section.lead, min(len(text), section.lead + _QUOTE))
            return finding.changed(
                evidence=(place,), feedback=say("No answer was recognised in what stands there; a person reads it.")
            )
    return concluded_absent(finding, absence(answer, lab, finding.item))


@check("contains")
def contains(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    must: tuple[tuple[str, ...], ...] = (),
    must_not: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The answer speaks of what it has to.

    - `must`: lists of beginnings of words; of each list one has to stand in the answer.
    - `must_not`: beginnings of words of which none may stand there.

    Decides: an answer in which all that has to stand there does, in sentences that do not deny it, and nothing else of
    it is forbidden, is `correct`.

    Leaves to people: every other answer that is there, with the words that are missing or forbidden. Words alone make
    no answer wrong.

    Example:
        must = [["overfit", "over-fit"], ["validation"]]
        must_not = ["underfit"]
    """
    question = lab.question_of(item)
    places = own_sections(answer, question)
    passages = [one.passage for one in places]
    expected = joined(", ", (say_data(group[0]) for group in must))
    finding = Finding(item=item, status=Status.REVIEW, expected=Expected(text=expected))
    found: list[Evidence] = []
    lacking: list[str] = []
    for group in must:
        said = [one for passage in passages for one in sayings(passage, group)]
        plain = next((one for one in said if not one.is_denied), None)
        found += [plain.evidence] if plain else [one.evidence for one in said[:1]]
        lacking += [] if plain else [group[0]]
    forbidden = [one.evidence for passage in passages for one in sayings(passage, must_not)]
    is_named = any(question in one.questions for one in places)
    if lacking and not found and not forbidden:
        yield _nothing_found(finding, answer, lab)
        return
    finding = finding.changed(evidence=tuple(dict.fromkeys((*forbidden[:2], *found)))[:5])
    if forbidden or lacking:
        parts = []
        if lacking:
            parts.append(say("Not found as a statement: {words}.", words=", ".join(lacking)))
        if forbidden:
            parts.append(say("Something stands there that should not."))
        yield finding.changed(feedback=joined(" ", (*parts, say("A person reads the answer."))))
    elif not is_named:
        said_there = say("What was asked for stands in the text; a person looks whether it answers this question.")
        yield finding.changed(suggestion=Status.CORRECT, feedback=said_there)
    else:
        yield finding.changed(status=Status.CORRECT, feedback=say("It speaks of all that was asked for."))


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

    - `heading`: beginnings of words of its heading; where there are none, it is the answer to the question.
    - `least_words`, `most_words`: how many words stand in it. A longer one is `partial`.

    Decides: whether the section is there and how long it is.

    Leaves to people: a section that is shorter than asked for, and one that no heading names.

    Example:
        heading = ["limitation"]
        least_words = 30
    """
    finding = Finding(item=item, status=Status.REVIEW, expected=Expected(text=_length(least_words, most_words)))
    place = _section_of(answer, lab.question_of(item), heading)
    if place is None:
        yield concluded_absent(finding, absence(answer, lab, item))
        return
    passage, start, end = place
    words = len(_WORD.findall(passage.text[start:end]))
    if not words:
        yield concluded_absent(finding, absence(answer, lab, item))
        return
    length = say_number("{number} word", "{number} words", words)
    finding = finding.changed(found=length, evidence=(passage.evidence(start, min(end, start + _QUOTE)),))
    said = say("Length: {length}.", length=length)
    if words < least_words:
        yield finding.changed(suggestion=Status.PARTIAL, feedback=joined(" ", (said, say("A person reads it."))))
    elif most_words is not None and words > most_words:
        yield finding.changed(
            status=Status.PARTIAL,
            feedback=say("Length: {length}; at most {most} are asked for.", length=length, most=most_words),
        )
    else:
        yield finding.changed(status=Status.CORRECT, feedback=said)


def _length(least: int, most: int | None) -> Words:
    if most is not None:
        return say("at most {most} words", most=most)
    return say("at least {least} words", least=least)


def _section_of(answer: Answer, question: str, heading: Sequence[str]) -> tuple[Passage, int, int] | None:
    """Where the section stands: behind the heading with some words up to the next of its level, or the question's."""
    for section in answer.sections:
        blocks = section.passage.blocks
        for index, block in enumerate(blocks if heading else ()):
            if block.kind is BlockKind.HEADING and speaks_of(block.text, heading):
                after = (
                    number
                    for number, one in enumerate(blocks[index + 1 :], index + 1)
                    if one.kind is BlockKind.HEADING and (one.level or 1) <= (block.level or 1)
                )
                last = next(after, None)
                text = section.passage.text
                end = section.passage.offset_of(last) if last is not None else len(text)
                return section.passage, min(end, section.passage.offset_of(index, len(block.text))), end
    named = [one for one in answer.sections if question in one.questions and not heading]
    return next(((one.passage, one.lead, len(one.passage.text)) for one in named), None)


@check("figure-present")
def figure_present(
    answer: Answer, lab: Lab, *, item: str, words: tuple[str, ...] = (), least: int = 1
) -> Iterator[Conclusion]:
    """The figure that was asked for is there.

    - `words`: beginnings of words of which one stands in its caption or description, in a short line right above or
      below it, in the code of the notebook's cell that draws it, or in the sentence that names its file in the hand-in.
    - `least`: how many figures there have to be.

    Decides: a figure in the answer to the question at which one of the words stands. It is `missing` where there is
    no figure at all and no text has one of the words.

    Leaves to people: a figure without these words, one that stands elsewhere, and what a figure shows: it is not read.

    Example:
        words = ["loss", "learning curve"]
    """
    question = lab.question_of(item)
    wanted = say("a figure") if least == 1 else say("{least} figures", least=least)
    finding = Finding(item=item, status=Status.REVIEW, expected=Expected(text=wanted))
    every = [one for one in answer.sections if not one.is_closing]
    named = [one for one in every if question in one.questions]
    own = [figure for one in named for figure in (*_figures(one, answer.code), *_named_files(one, answer.pictures))]
    other = [figure for one in every if one not in named for figure in _figures(one, answer.code)]
    fitting = [place for place, told in own if not words or speaks_of(told, words)]
    if len(fitting) >= least:
        yield finding.changed(
            status=Status.CORRECT, evidence=tuple(fitting[:least]), feedback=say("The figure is there.")
        )
    elif own or any(speaks_of(told, words) for _, told in other):
        places = [place for place, told in (*own, *other) if not words or speaks_of(told, words)] or [own[0][0]]
        said = say("A figure is there; a person looks whether it is the one that was asked for.")
        yield finding.changed(evidence=tuple(places[:4]), feedback=said)
    elif words and not other and _is_silent(answer, words):
        yield finding.changed(status=Status.MISSING, feedback=say("There is no figure, and nothing speaks of one."))
    else:
        yield concluded_absent(finding, absence(answer, lab, item))


def _is_silent(answer: Answer, words: Sequence[str]) -> bool:
    """Whether all was read and no text speaks of what a figure was to show."""
    texts = (one.passage.text for one in answer.sections)
    return not answer.gaps and not any(speaks_of(text, (*words, *_FIGURES)) for text in texts)


_FIGURES: Final = ("fig", "plot")


def _figures(section: Section, code: Sequence[CodeCell] = ()) -> Iterator[tuple[Evidence, str]]:
    """The figures of a section, each with the words at it: its description, its captions, the short lines right above
    and below it, and the code that draws it."""
    blocks = section.passage.blocks
    for index, block in enumerate(blocks):
        if block.kind is BlockKind.FIGURE:
            near = [one for one in blocks[max(0, index - 1) : index + 4] if one.text.strip() and one is not block]
            beside = [one.text for one in near if one.kind is BlockKind.CAPTION or _CAPTION.match(one.text)]
            above = next((one for one in reversed(blocks[:index]) if one.text.strip()), None)
            below = next((one for one in blocks[index + 1 :] if one.text.strip()), None)
            lines = [one.text for one in (above, below) if one is not None and _is_line(one)]
            file = block.file or section.passage.file
            drawn = [
                one.source for one in code if (one.file, one.cell) == (file, block.cell) and block.cell is not None
            ]
            place = Evidence(
                file=file,
                page=block.page,
                box=block.box,
                line=block.line,
                cell=block.cell,
                quote=" ".join((block.text, *beside)).strip()[:_QUOTE],
            )
            yield place, " ".join((block.text, *beside, *lines, *drawn))


def _named_files(section: Section, pictures: Sequence[str]) -> Iterator[tuple[Evidence, str]]:
    """The pictures handed in as files that a section names by their names, each with its sentence."""
    text = section.passage.text
    for name in dict.fromkeys(path.rpartition("/")[2] for path in pictures):
        match = re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE)
        if match:
            left, right = sentence_bounds(text, *match.span())
            yield section.passage.evidence(left, right), text[left:right]


def _is_line(block: Block) -> bool:
    """Whether a block is a line that may tell what is drawn beside it."""
    return block.kind in (BlockKind.LINE, BlockKind.LIST_ITEM) and len(_WORD.findall(block.text)) <= _SHORT


_CAPTION: Final = re.compile(r"\W*(?:fig(?:ure)?|abb)\w*\.?\s*\d", re.IGNORECASE)


class RubricRow(Frozen):
    """A row of a rubric: what it says and what it is worth; negative where it takes points off."""

    text: str
    points: Decimal = Field(allow_inf_nan=False)


@check("by-hand")
def by_hand(answer: Answer, lab: Lab, *, item: str, rubric: tuple[RubricRow, ...] = ()) -> Iterator[Conclusion]:
    """A person decides.

    - `rubric`: rows with a `text` and what it is worth in `points`, as in Gradescope; they are shown to the person. An
      entry of `overrides.toml` may name them by their numbers (`rows = [1, 2]`): then a row that is changed to be worth
      something else is so for everybody, once the class is graded or finished again.

    Decides: nothing.

    Leaves to people: every answer, with the place where it stands and the rows of the rubric. What the person decides
    is an override, as for any other item.

    Example:
        rubric = [
            { text = "The limits are named.", points = 1 },
            { text = "An experiment is proposed that would test them.", points = 1 },
        ]
    """
    rows = (
        say("{number}. {points} for: {text}", number=number, points=str(row.points), text=say_data(row.text))
        for number, row in enumerate(rubric, 1)
    )
    places = [one for one in own_sections(answer, lab.question_of(item)) if one.passage.text[one.lead :].strip()]
    evidence = tuple(
        one.passage.evidence(one.lead, min(len(one.passage.text), one.lead + _QUOTE)) for one in places[:3]
    )
    yield Finding(
        item=item,
        status=Status.REVIEW,
        evidence=evidence,
        feedback=say("A person reads this answer."),
        note=joined(" · ", rows) if rubric else "",
    )
