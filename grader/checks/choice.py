"""The check `choice`: which option of a question an answer chooses.

`_chosen` finds the options: ticked ones, lists, letters and words. `_compared` judges them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.checks.absence import nothing_recognised, proves_only, told_sections
from grader.checks.affirmed import affirmed_option, yes_no_options
from grader.checks.check import Conclusion, check
from grader.checks.comparatives import compared_options, told_comparative
from grader.checks.decide import with_verdict
from grader.checks.feedback import LIKELY_MEANT, UNCERTAIN, Reason, say_right, say_wrong
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status
from grader.checks.opposed import are_opposed, stated_options
from grader.checks.options_shown import Extreme, ShownOption, shown_options
from grader.checks.options_told import Lists, ToldOptions, is_unsure, told_by_lists, told_each
from grader.checks.superlatives import Superlative, is_most, told_most
from grader.claims.answer import Answer
from grader.claims.numerals import sentence_bounds
from grader.claims.passage import Passage
from grader.claims.restated import marks_in
from grader.claims.sections import Section
from grader.claims.statements import Polarity, is_doubtful, polarity, sayings, speaks_of
from grader.lab.definition import Lab, Question
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.language.shapes import TOKEN
from grader.message import join_messages, say, say_data
from grader.reading.document import BlockKind

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_MOST_TEXT: Final = 20_000
_MOST_NAMED: Final = 100
_BESIDE: Final = 60
_BESIDE_LETTER: Final = 300
"""The number of characters in a line that are examined on each side of a letter."""
_TICKED: Final = re.compile(r"^(?:\W*[a-z]\))?\W*(?:\[(?P<mark>[xX✓✔ ]?)\]|(?P<sign>[☑☒☐]))\s*", re.MULTILINE)
_FEW_WORDS: Final = 3
_JOINING: Final = frozenset(lexicon.words("and", "or", "plus"))
_AND, _OR = "|".join(lexicon.words("and")), "|".join(sorted(_JOINING))
_SHORT: Final = 40
"""An answer with at most this many words that names one option chooses it."""
_PART: Final = re.compile(r"^[ \t*•-]*\(?[a-z]\)", re.MULTILINE)
_NO_PROSE: Final = (BlockKind.ROW, BlockKind.CODE, BlockKind.OUTPUT)


class _Chosen(NamedTuple):
    """A mention of an option, by its letter or its words, at `text[start:end]`.

    `is_firm`: it begins a line, or ends the beginning of a sentence. `is_bare`: it follows a colon or stands almost
    alone. `is_only`: a short answer names no other option. `beside` are other options that are named less firmly.
    """

    option: str
    start: int
    end: int
    is_firm: bool
    is_bare: bool
    is_only: bool = False
    beside: frozenset[str] = frozenset()
    is_told: bool = False
    """Whether the answer says of each option whether it is meant."""

    @property
    def is_letter(self) -> bool:
        """Whether the letter names the option."""
        return self.end - self.start <= len(self.option)

    def is_certain(self, is_right: bool, are_several: bool) -> bool:
        """Whether this option is certainly chosen. The criteria are stricter for a wrong option and for one of
        several."""
        is_firm = self.is_firm and (is_right or are_several or self.is_only)
        return self.is_bare or is_firm or (is_right and self.is_only)


class MixedVerdict(StrEnum):
    """The verdict if right options are chosen together with wrong ones."""

    REVIEW = "review"
    PARTIAL = "partial"


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
    mixed: MixedVerdict = MixedVerdict.REVIEW,
    contrary: tuple[str, ...] = (),
    lists: Lists | None = None,
    because: tuple[tuple[str, ...], ...] = (),
    printed: Extreme | None = None,
) -> Iterator[Conclusion]:
    """The right option was chosen.

    - `choices`: the options, each with its letter, number or short name (`a5`), and its text.
    - `right`: the right options; all must be chosen, as in `a, c`, `(a) and (c)`, or by their texts.
    - `why`: for wrong options, the explanation.
    - `mixed`: the verdict on right options together with wrong ones. With `partial`, each wrong option cancels a right
      one, and the remaining right ones earn their share. If none remains, the answer goes to review.
    - `contrary`: words for the opposite of what is asked, such as `["highest"]`. A sentence with an option and such a
      word goes to review.
    - `lists`: if students sort the options into two lists, their names: `{ chosen = ["change"], left = ["unchanged"]
      }`.
    - `because`: if the question asks for reasons, lists of words. The answer must state one word of each list. A right
      choice without reasons is `partial`.
    - `printed`: if code prints a table with a row for each option, the row that answers the question.

    Decides: an option that the answer names by its letter (`b`, `(b)`, `Answer: B`) or its whole text, or marks in a
    list. The option after `I would choose` or `I trust` is chosen, even if the reasons name others. A copied list of
    options chooses none. An answer with only some of the right options is `partial`.

    | question | chosen |
    | --- | --- |
    | which options are true | those that the answer calls true, if it calls each one true or false |
    | which has more or less | the first option of `more x than y` |
    | which is faster, longer, … | the option before the comparative: `the deep one took longer` |

    If the letters or texts of the options are `yes` and `no`, `Yes, …` and `No, …` choose them. A sentence that repeats
    most words of `asks` without a negation means yes. To have `It is differentiable` understood, use its words as
    texts: `{ yes = "differentiable", no = "not differentiable" }`.

    If the text names no option, output of the question's own cells can prove the right one: at its end, in a line with
    the question's `words`, or in the row that `printed` selects.

    Leaves to people: doubts, most negations, paraphrased options, options in both lists, and reasons in other words.

    Example:
        choices = { a = "L1 regularisation", b = "dropout", c = "early stopping" }
        right = ["b"]
        why = { c = "Early stopping ends the training; it changes no activations." }
    """
    shown = join_messages(
        say("; "), (say_data(f"{example}) {choices[example]}") for example in right if example in choices)
    )
    finding = Finding(item=item, status=Status.REVIEW, expected=ExpectedAnswer(text=shown))
    question, asking = lab.question_of(item), lab.asking(item)
    most = told_most(f"{asking.title}. {asking.asks}") if len(right) == 1 else None
    sought = _Sought(most, _asks_for_more(asking), yes_no_options(asking, choices), are_opposed(asking, choices))
    places = told_sections(answer, lab, question)
    found = [
        (section, candidate)
        for section in places
        for candidate in _chosen(section, choices, lists, sought, several=len(right) > 1)
        if not re.search(_SECTION_NUMBER, section.passage.text[: candidate.start])
    ]
    title = next(candidate.title for candidate in asking.items if candidate.id == item)
    kind = told_comparative(asking, title) if len(right) == 1 and not (sought.yes_no or contrary) else ""
    compared = [
        (section, option)
        for section in (places if kind else ())
        for option in compared_options(section.passage.text[:_MOST_TEXT], section.lead, choices, kind)
    ]
    if len({option.option for _, option in compared}) == 1:
        found = [(section, _Chosen(*option, is_firm=True, is_bare=True, is_told=True)) for section, option in compared]
    stated = _stated(places, asking, choices)
    affirms = bool(stated)
    if stated:
        rest = ((place, option) for place, option in found if option.is_firm and option.option != stated[0][1].option)
        found = [*stated, *rest]
    if not affirms and not (found and (not sought.yes_no or any(candidate.is_firm for _, candidate in found))):
        answers = [(section, affirmed_option(section.passage, section.lead, asking, choices)) for section in places]
        affirming = [
            (section, _Chosen(*candidate[:3], candidate.is_certain, candidate.is_certain))
            for section, candidate in answers
            if candidate
        ]
        affirms = bool(affirming)
        found = affirming or found
    if not found:
        by_cells = shown_options(answer, lab.asking(item), choices, printed)
        yield _of_shown(finding, by_cells, right, why) if by_cells else nothing_recognised(finding, answer, lab)
        return
    chosen = tuple(dict.fromkeys(candidate.option for _, candidate in found))
    quoted = (section.passage.evidence(candidate.start, candidate.end) for section, candidate in found[:4])
    finding = finding.with_changes(found=", ".join(chosen), evidence=tuple(dict.fromkeys(quoted)))
    judged = _compared(finding, chosen, right, why, mixed)
    lacking = set(right) - set(chosen)
    is_one_too_many = len(chosen) > 1 if len(right) == 1 else any(lacking & candidate.beside for _, candidate in found)
    is_torn = is_one_too_many or any(
        not (candidate.is_told or affirms) and _is_open(section.passage.text, candidate, contrary)
        for section, candidate in found
    )
    others = {
        candidate.id
        for candidate in lab.questions
        if candidate.id != question and any(own_item.check == CHOICE for own_item in candidate.items)
    }
    is_own = all(
        question in section.questions
        and not others & set(section.questions)
        and (candidate.is_told or not section.is_beside_code)  # a comment may name an option as a label of the code
        for section, candidate in found
    )
    is_right = judged.status is Status.CORRECT
    if is_own and not is_torn and all(candidate.is_certain(is_right, len(right) > 1) for _, candidate in found):
        if because and is_right:
            judged = _explained(judged, [section for section, _ in found], choices, because)
        yield proves_only(judged, places)
    else:
        is_named = all(candidate.is_bare or candidate.is_firm or candidate.is_only for _, candidate in found)
        reason = UNCERTAIN._replace(is_likely=is_named and not is_torn)
        yield with_verdict(finding, judged.suggestion or judged.status, "", reason)


_SECTION_NUMBER: Final = r"\d\.\Z"
"""The number of a chapter before its last part: the option `4 clusters` does not stand in `1.8.4 Clusters`."""


def _stated(sections: Sequence[Section], asking: Question, choices: Mapping[str, str]) -> list[tuple[Section, _Chosen]]:
    """Return the option that sentences state without restriction, if no other sentence does so for the other one."""
    found = [
        (section, option)
        for section in sections
        for option in stated_options(section.passage, section.lead, asking, choices)
        if not option.is_scoped
    ]
    if len({option.option for _, option in found}) != 1:
        return []
    return [(section, _Chosen(*option[:3], is_firm=True, is_bare=True)) for section, option in found]


_UNEXPLAINED: Final = say("The choice is right, but nothing explains it.")
_OTHERWISE: Final = Reason(say("The explanation uses other words than the lab knows."))
_FEW: Final = 6
"""With at most this many other words, an option is not explained."""


def _explained(
    judged: Finding, sections: Sequence[Section], choices: Mapping[str, str], because: Sequence[Sequence[str]]
) -> Finding:
    """Return a right choice after its explanation was examined. Without an explanation it is partly right.

    The explanation must state one word of each list in `because`.
    """
    polarity_lists = [
        [saying.polarity for place in sections for saying in sayings(place.passage, words)] for words in because
    ]
    if all(Polarity.STATED in polarities for polarities in polarity_lists):
        return judged
    text = " ".join(section.passage.text[section.lead :] for section in sections)
    for words in choices.values():
        text = re.sub(re.escape(words), " ", text, flags=re.IGNORECASE)
    is_silent = len(TOKEN.findall(text)) <= _FEW and not any(polarity_lists)
    return with_verdict(judged, Status.PARTIAL, _UNEXPLAINED if is_silent else "", _OTHERWISE.keep_if(not is_silent))


def _of_shown(
    finding: Finding, shown: Sequence[ShownOption], right_ones: Sequence[str], why: Mapping[str, str]
) -> Finding:
    """Return the verdict on the output of cells if the text names no option. Only a single right option is certain."""
    options = tuple(dict.fromkeys(shown_option.option for shown_option in shown))
    finding = finding.with_changes(
        found=", ".join(options), evidence=tuple(dict.fromkeys(shown_option.evidence for shown_option in shown[:4]))
    )
    judged = _compared(finding, options, right_ones, why, MixedVerdict.REVIEW)
    is_right = judged.status is Status.CORRECT and all(shown_option.is_certain for shown_option in shown)
    return judged if is_right else with_verdict(finding, judged.suggestion or judged.status, "", UNCERTAIN)


def _compared(
    finding: Finding, chosen: Sequence[str], right_ones: Sequence[str], why: Mapping[str, str], mixed: MixedVerdict
) -> Finding:
    """Return the verdict on options that are certainly the chosen ones."""
    chosen_text, wrong_ones = ", ".join(chosen), [text for text in chosen if text not in right_ones]
    explained = [(text, say_data(why[text])) for text in wrong_ones if text in why]
    finding = finding.with_changes(
        diagnoses=tuple(Diagnosis(id=f"option:{candidate}", text=text) for candidate, text in explained)
    )
    messages = [text for _, text in explained]
    if set(chosen) == set(right_ones):
        return with_verdict(finding, Status.CORRECT, say_right(chosen_text))
    if not wrong_ones:
        return with_verdict(
            finding, Status.PARTIAL, say("{chosen} is right, but more is right than that.", chosen=chosen_text)
        )
    if not set(chosen) & set(right_ones):
        return with_verdict(finding, Status.INCORRECT, join_messages(" ", (say_wrong(chosen_text), *messages)))
    share = Decimal(len(chosen) - 2 * len(wrong_ones)) / len(right_ones)
    some = join_messages(" ", (say("Some of {chosen} are right and some are not.", chosen=chosen_text), *messages))
    is_worth = mixed is MixedVerdict.PARTIAL and share > 0
    return with_verdict(finding, Status.PARTIAL, some, LIKELY_MEANT.keep_if(not is_worth), share=share)


def _is_open(text: str, candidate: _Chosen, contrary: Sequence[str]) -> bool:
    """Whether a sentence leaves an option open, or its clause says the contrary. The reason after it does not count."""
    left, right = sentence_bounds(text, candidate.start, candidate.end)
    reason = lexicon.search(r":\s|<because>", text, candidate.end, right)
    right = reason.start() if reason and "?" not in text[reason.start() : right] else right
    is_answer = lexicon.match(r"[\W_]*<no>[*_\s]*(?:[,;:!–—]|\.(?!\s*\d)|\Z)", text, left)
    if is_answer and candidate.start < is_answer.end():
        # The word itself denies what was asked; what follows gives a reason, unless it takes something back.
        excerpt = text[is_answer.end() : right]
        is_back = lexicon.search("<contrast|but_or_while>", excerpt) is not None
        return is_back or is_doubtful(f", {re.split('[,;:()]', excerpt)[0]}", 0, 0)
    clause = (
        re.split(r"[,;:()]", text[left : candidate.start])[-1] + re.split(r"[,;:()]", text[candidate.start : right])[0]
    )
    is_contrary = bool(contrary) and speaks_of(clause, contrary) is not None
    is_contrary = is_contrary or lexicon.search("<contrary>", clause) is not None
    is_open = is_contrary or is_doubtful(text[left:right], candidate.start - left, candidate.end - left)
    if candidate.is_letter or is_open:
        return is_open
    begin = left + max((match.end() for match in re.finditer(r"[,;:]\s", text[left : candidate.start])), default=0)
    excerpt = _ASIDE.sub("", text[begin:right])
    return is_doubtful(excerpt, 0, len(excerpt))


_VALUE: Final = r"(?:(?P<yes><true>|[✓✔✅☑])|(?P<no><false>|[✗✘❌]))"
_VALUE_FIRST: Final = rf"[\s).:=|→>*_(-]*(?:<is> )?{_VALUE}"
_VALUE_LAST: Final = rf"(?s:.*)[\s:=|→>(-]{_VALUE}[\s).,;|*_-]*\Z"


def _valued(text: str, own_choices: Sequence[_Chosen], choices: Mapping[str, str]) -> list[_Chosen] | None:
    """Return the options that an answer affirms if it affirms or denies every option, in any order; otherwise None."""
    first: dict[str, _Chosen] = {}
    for own_choice in own_choices:
        first.setdefault(own_choice.option, own_choice)
    if set(first) != set(choices):
        return None
    places = sorted(first.values(), key=lambda candidate: candidate.start)
    ends = [*(place.start for place in places[1:]), len(text)]
    chosen: list[_Chosen] = []
    for own_choice, end in zip(places, ends, strict=True):
        behind = text[own_choice.end : end]
        behind = behind.split("\n", 1)[0] if own_choice is places[-1] else behind
        match = lexicon.match(_VALUE_FIRST, behind) or lexicon.match(_VALUE_LAST, behind)
        if match is None or is_unsure(behind):
            return None
        chosen += [own_choice._replace(is_bare=True, is_firm=True)] if match["yes"] else []
    return chosen or None


def _of_told(told_options: ToldOptions, choices: Mapping[str, str]) -> list[_Chosen]:
    """Return the chosen options of an answer about each option. If it only lists the rejected ones, the rest is likely
    chosen."""
    rest = dict.fromkeys(choices.keys() - told_options.left.keys(), next(iter(told_options.left.values()), (0, 0)))
    places = told_options.chosen or rest
    return [
        _Chosen(name, *places[name], told_options.is_certain, told_options.is_certain, is_told=told_options.is_certain)
        for name in choices
        if name in places
    ]


def _chosen(
    section: Section, choices: Mapping[str, str], lists: Lists | None, sought: "_Sought", *, several: bool
) -> list[_Chosen]:
    """Return the options that a section chooses.

    Ticked options or options in a list count first, then firmly named ones, then all. A copied list of all options
    chooses none.
    """
    text, own_choices = _named(section, choices, several=several, is_opposed=sought.are_opposed)
    own_choices = sorted({*own_choices, *_by_answer_word(text, sought.yes_no)}, key=lambda candidate: candidate.start)
    told_options = told_by_lists(text, choices, lists) if lists else None
    told_options = told_options or told_each(text, choices, lists)
    if told_options:
        return _of_told(told_options, choices)
    marks = list(_TICKED.finditer(text))
    if marks:
        ticked = [mark.end() for mark in marks if (mark["mark"] or "").strip() or (mark["sign"] or "☐") != "☐"]
        lines = [(start, start + len(text[start:].partition("\n")[0])) for start in ticked]
        return [candidate for start, end in lines for candidate in own_choices if start <= candidate.start <= end]
    valued = _valued(text, own_choices, choices)
    if valued is not None:
        return valued
    listed, marked = _listed(section.passage, text, own_choices, choices)
    if marked:
        return [example._replace(is_bare=True, is_firm=True) for example in marked]
    own_choices = _less_denied(text, [candidate for candidate in own_choices if candidate not in listed])
    most = _said_to_be_most(text, own_choices, sought.most) if sought.most else []
    most = most or _said_to_be_more(text, own_choices, is_more=sought.is_more)
    most = most or ([] if several else _said_to_be_chosen(text, own_choices))
    if most:
        return most
    own_choices = _in_a_row(text, _without_asides(text, own_choices, choices))
    is_one = len({candidate.option for candidate in own_choices}) == 1
    is_both = (
        is_one and len({fold_text(text[candidate.start : candidate.end]) for candidate in own_choices}) > 1
    )  # named by its letter and its words
    prose = (block.text for block in section.passage.blocks if block.kind not in _NO_PROSE)
    written_out = {text.count("\n", 0, requirement.start): requirement.start for requirement in listed}.values()
    copied = " ".join(_line_at(text, at) for at in written_out)
    is_short = is_one and len(TOKEN.findall(" ".join(prose))) - len(TOKEN.findall(copied)) <= _SHORT
    own_choices = [
        candidate._replace(is_only=is_short or is_both, is_firm=candidate.is_firm or is_both)
        for candidate in own_choices
    ]
    own_choices = _opening(text, own_choices)
    if own_choices and lexicon.search(
        r"<every>[^.!?\n]{0,40}<but>\W*\Z", text[: own_choices[0].start]
    ):  # the answer excludes an option: `all but C`
        left_out = {candidate.option for candidate in own_choices}
        own_choices = [own_choices[0]._replace(option=name) for name in choices if name not in left_out]
    firm = [candidate for candidate in own_choices if candidate.is_firm]
    rest = frozenset(candidate.option for candidate in own_choices) - {candidate.option for candidate in firm}
    return [
        candidate._replace(is_bare=candidate.is_bare and not rest, beside=rest) for candidate in firm
    ] or own_choices


def _by_answer_word(text: str, yes_no: Mapping[str, str]) -> Iterator[_Chosen]:
    """Yield the options `yes` and `no` with which lines begin, if a sign follows: `No, it does not`."""
    for line in re.finditer(r"[^\n]+", text):
        for form, option in yes_no.items():
            match = lexicon.match(rf"[\W_]*(?P<word>{form})(?=\s*(?:[,;:!–—]|\.(?!\s*\d)|\Z))", line.group())
            if match:
                start, end = (line.start() + at for at in match.span("word"))
                yield _Chosen(option, start, end, is_firm=True, is_bare=False)


class _Sought(NamedTuple):
    """The superlative or comparison by which a question asks for an option.

    `is_more` says whether it asks for the option of which there is more or less; None if it compares no two options.
    `yes_no` are the options by their forms, `<yes>` and `<no>`, if the question asks for yes or no. `are_opposed`: one
    of these denies the question's own words.
    """

    most: Superlative | None
    is_more: bool | None
    yes_no: Mapping[str, str]
    are_opposed: bool = False


def _asks_for_more(asking: Question) -> bool | None:
    text = f"{asking.title}. {asking.asks}"
    more, less = (lexicon.search(f"<{word}>", text) is not None for word in ("more", "less"))
    return more if more is not less else None


def _said_to_be_chosen(text: str, own_choices: Sequence[_Chosen]) -> list[_Chosen]:
    """Return the option that the student says to choose, `I would trust the second one`, if it is only one.

    A sentence that denies, asks or restricts something is ignored. `If I had to choose` restricts nothing.
    """
    found = []
    for own_choice in own_choices:
        left, end = sentence_bounds(text, own_choice.start, own_choice.end)
        phrase = lexicon.search(r"<i_choose>(?:\s+[^\W\d_]+){0,3}\W{1,4}\Z", text, left, own_choice.start)
        reason = lexicon.search("<because>", text, own_choice.end, end)
        rest = f"{text[left : own_choice.start]} {text[own_choice.end : reason.start() if reason else end]}"
        rest = " ".join(lexicon.split("<supposition>", rest))
        if phrase and not lexicon.search(r"\?|<negation|only_if>", rest):
            found.append(own_choice._replace(is_bare=True, is_firm=True, is_told=True))
    return found if len({own_choice.option for own_choice in found}) == 1 else []


def _said_to_be_more(text: str, own_choices: Sequence[_Chosen], *, is_more: bool | None) -> list[_Chosen]:
    """Return the option of which a sentence says that there is more than of the other, as in `more hits than misses`.

    Return nothing if the question does not ask for that, or if the answer names the options elsewhere.
    """
    if is_more is None or len(own_choices) != _PAIR or own_choices[0].option == own_choices[1].option:
        return []
    first, second = own_choices
    left, right = sentence_bounds(text, first.start, first.end)
    before = " ".join(TOKEN.findall(text[left : first.start])[-_PAIR:])
    between = text[first.end : second.start]
    says_more, says_less = (lexicon.search(f"<{word}>", before) is not None for word in ("more", "less"))
    is_compared = len(TOKEN.findall(between)) <= _FEW_WORDS and lexicon.search("<compared_with>", between) is not None
    is_denied = lexicon.search("<negation>", text[left:right]) is not None
    if not is_compared or second.end > right or says_more is says_less or is_denied:
        return []
    chosen = first if says_more is is_more else second
    return [chosen._replace(is_bare=True, is_firm=True)]


_PAIR: Final = 2


def _said_to_be_most(text: str, own_choices: Sequence[_Chosen], sought: Superlative) -> list[_Chosen]:
    """Return the option to which sentences attribute the superlative, if they name no other one before their
    reasons."""
    sentences: dict[tuple[int, int], list[_Chosen]] = {}
    for mention_ in own_choices:
        sentences.setdefault(sentence_bounds(text, mention_.start, mention_.end), []).append(mention_)
    choices: list[_Chosen] = []
    for (left, end), several in sentences.items():
        reason = lexicon.search("<because|contrast|but_or_while>", text, several[0].end, end)
        right = reason.start() if reason else end
        choices += (
            [candidate for candidate in several if candidate.start < right] if is_most(text[left:right], sought) else []
        )
    is_one = len({candidate.option for candidate in choices}) == 1
    return [candidate._replace(is_bare=True, is_firm=True) for candidate in choices] if is_one else []


_SAID_OF_FIRST: Final = re.compile(r"\s?[):.=]\s?\w+[\s,;.(]*")


def _less_denied(text: str, own_choices: list[_Chosen]) -> list[_Chosen]:
    """Return the mentions without denied options, if another one is named: `not a but b`.

    A word between two options, as in `b) no c)`, belongs to the first.
    """
    ends = {candidate.end for candidate in own_choices}
    bounds = [
        (candidate, *sentence_bounds(text, candidate.start, candidate.end))
        for candidate in own_choices
        if not any(_SAID_OF_FIRST.fullmatch(text, end, candidate.start) for end in ends if end < candidate.start)
    ]
    denied = {
        candidate.option
        for candidate, left, end in bounds
        if polarity(text[left:end], candidate.start - left, candidate.end - left) is Polarity.DENIED
    }
    return [candidate for candidate in own_choices if candidate.option not in denied] or own_choices


def _named(
    section: Section, choices: Mapping[str, str], *, several: bool, is_opposed: bool
) -> tuple[str, list[_Chosen]]:
    """Return the text of a section and all options that it names, in order."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match.group())

    text = section.passage.text[:_MOST_TEXT]
    # The letter of a part of the question, `(a)`, is no option.
    text = re.sub(r"[^\n]", " ", text[: section.lead]) + text[section.lead :]
    text = _PART.sub(blank, text) if len(section.questions) > 1 else text
    body = text
    for index, block in enumerate(section.passage.blocks):
        if block.kind is BlockKind.HEADING:  # the title repeats the question
            start, end = (section.passage.offset_of(index, within) for within in (0, len(block.text)))
            body = body[:start] + re.sub(r"[^\n]", " ", body[start:end]) + body[end:]
    own_choices = [*_by_letter(text, choices), *_by_words(body, choices)]
    if not is_opposed:  # a part of `does not help` says nothing
        own_choices += _by_rest(body, choices, own_choices, several=several)
    return text, sorted(own_choices, key=lambda candidate: candidate.start)[:_MOST_NAMED]


def _by_rest(text: str, choices: Mapping[str, str], named: Sequence[_Chosen], *, several: bool) -> Iterator[_Chosen]:
    """Yield the options that only some of their own words name, if none is named otherwise or several are asked for."""
    named_options = {candidate.option for candidate in named}
    if not named or (several and not any(candidate.is_letter for candidate in named)):
        yield from (candidate for candidate in _by_own_words(text, choices) if candidate.option not in named_options)


def _opening(text: str, own_choices: list[_Chosen]) -> list[_Chosen]:
    """Return the options with which an answer begins, if punctuation follows and no other sentence begins with an
    option."""
    if not own_choices or TOKEN.search(text[: own_choices[0].start]) or not own_choices[0].is_firm:
        return own_choices
    run = [own_choices[0]]
    for own_choice in own_choices[1:]:
        between = text[run[-1].end : own_choice.start]
        words = TOKEN.findall(between)
        if re.search(r"\n|[.:;](?:\s|$)", between) or any(fold_text(word) not in _JOINING for word in words):
            break
        run.append(own_choice)
    last = _sentence_start(text, run[-1])
    begins = [
        candidate
        for candidate in own_choices
        if not TOKEN.search(text[_sentence_start(text, candidate) : candidate.start])
    ]
    rest = [
        candidate
        for candidate in own_choices
        if candidate not in run and (candidate in begins or _sentence_start(text, candidate) == last)
    ]
    is_ended = re.match(r"\W*(?:[.:;,)\n—–]|\s-\s|\Z)", text[run[-1].end :])
    return run if is_ended and not rest else own_choices


def _sentence_start(text: str, candidate: _Chosen) -> int:
    return sentence_bounds(text, candidate.start, candidate.end)[0]


_FIGURE: Final = re.compile(r"\d\s?/\s?\d|\d[.,]\d|\d\s?%")
_OF_OPTION: Final = rf"(?:{_FIGURE.pattern})%?\s<of|for|in>\s(?:<the>\s)?(?:[^\W\d_]+\s)?\Z"
"""A number directly before an option's name belongs to it: `5/7 for class 3`."""
_FIGURE_BEHIND: Final = rf"\)?\s?(?:[:=]|<is|has>)\s{{0,2}}(?:{_FIGURE.pattern})"
_ASIDE: Final = re.compile(r"\([^()\n]{3,200}\)")


def _without_asides(text: str, own_choices: Sequence[_Chosen], choices: Mapping[str, str]) -> list[_Chosen]:
    """Return the mentions without those that only give an option's numbers, if one option is left.

    They stand in brackets with numbers (`class 5 (class 3: 0.71, class 8: 0.83)`), after a number (`against 0.71 for
    class 3`), or in a sentence with a number for each option.
    """
    brackets = [match.span() for match in _ASIDE.finditer(text) if _FIGURE.search(match.group())]
    aside = [
        candidate
        for candidate in own_choices
        if any(start <= candidate.start < end for start, end in brackets)
        or lexicon.search(_OF_OPTION, _beside(text, candidate.start, candidate.end)[0])
    ]
    figured = [candidate for candidate in own_choices if lexicon.match(_FIGURE_BEHIND, text, candidate.end)]
    is_figured = {candidate.option for candidate in figured} == set(choices)
    sentences: dict[tuple[int, int], list[_Chosen]] = {}
    for own_choice in own_choices:
        sentences.setdefault(sentence_bounds(text, own_choice.start, own_choice.end), []).append(own_choice)
    figure_choices = [
        candidate
        for (left, end), several in sentences.items()
        if {own_choice.option for own_choice in several} == set(choices)
        and len(_FIGURE.findall(text[left:end])) >= len(choices)
        for candidate in several
    ]
    for out in (aside, [*aside, *figured] if is_figured else [], figure_choices):
        rest = [candidate for candidate in own_choices if candidate not in out]
        if out and len({candidate.option for candidate in rest}) == 1:
            return rest
    return list(own_choices)


def _in_a_row(text: str, own_choices: Sequence[_Chosen]) -> list[_Chosen]:
    """Return the mentions, with those firm that follow a firm one after only commas and joining words."""
    found: list[_Chosen] = []
    for own_choice in own_choices:
        between = TOKEN.findall(text[found[-1].end : own_choice.start]) if found else ["other"]
        joins = all(fold_text(word) in _JOINING or len(word) <= _FEW_WORDS for word in between)
        is_next = bool(found) and joins and not re.search(r"\n|[.!?;]\s", text[found[-1].end : own_choice.start])
        found.append(own_choice._replace(is_firm=own_choice.is_firm or (is_next and found[-1].is_firm)))
    bracketed = {
        candidate
        for candidate in found
        if text[candidate.start - 1 : candidate.start] == "(" and text[candidate.end : candidate.end + 1] == ")"
    }
    firm = {_sentence_start(text, candidate) for candidate in bracketed if candidate.is_firm}
    return [
        candidate._replace(
            is_firm=candidate.is_firm or (candidate in bracketed and _sentence_start(text, candidate) in firm)
        )
        for candidate in found
    ]


def _listed(
    passage: Passage, text: str, own_choices: Sequence[_Chosen], choices: Mapping[str, str]
) -> tuple[set[_Chosen], list[_Chosen]]:
    """Return the mentions in a copied list of all options, and the marked ones in it.

    The list has a line for every option, with letter and words, or with words alone in the question's order; or one
    line has all of them.
    """
    lines: dict[int, list[_Chosen]] = {}
    for own_choice in own_choices:
        lines.setdefault(text.count("\n", 0, own_choice.start), []).append(own_choice)
    pairs = [
        several
        for several in lines.values()
        if len(several) > 1 and len({candidate.option for candidate in several}) == 1
    ]
    is_paired = {several[0].option for several in pairs} == set(choices)
    run = pairs if is_paired else next(_lists(text, list(lines.values()), choices), [])
    marks = [_marks_at(passage, text, several) for several in run]
    marked = [several[0] for several, signs in zip(run, marks, strict=True) if _is_marked(signs, marks)]
    return set(chain.from_iterable(run)), marked


def _lists(text: str, lines: Sequence[list[_Chosen]], choices: Mapping[str, str]) -> Iterator[Sequence[list[_Chosen]]]:
    """Yield the lines that may be a copied list of all options in the question's order."""
    alone = [several for several in lines if _holds_nothing_else(text, several)]
    for start, several in enumerate(alone):
        run = alone[start : start + len(choices)]
        if [{candidate.option for candidate in each} for each in run] == [{name} for name in choices]:
            yield run
        if [candidate.option for candidate in several] == list(choices):
            yield [several]


def _line_at(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0]


def _less_options(text: str, several: Sequence[_Chosen]) -> str:
    """Return a line without its options."""
    start = text.rfind("\n", 0, several[0].start) + 1
    left = [*_line_at(text, start)]
    for mention_ in several:
        left[mention_.start - start : mention_.end - start] = " " * (mention_.end - mention_.start)
    return "".join(left)


def _holds_nothing_else(text: str, several: Sequence[_Chosen]) -> bool:
    """Whether a line contains only options, joining words, bullets and marks."""
    left = _less_options(text, several)
    return ":" not in left and all(fold_text(word) in _JOINING for word in TOKEN.findall(left))


def _marks_at(passage: Passage, text: str, several: Sequence[_Chosen]) -> str:
    """Return the signs that may mark the options in a line. Text that was read has lost the asterisks of bold words."""
    is_bold = any(sign in passage.block_at(several[0].start).text for sign in ("**", "__"))
    return marks_in(_less_options(text, several)) + ("**" if is_bold else "")


def _is_marked(signs: str, among: Sequence[str]) -> bool:
    """Whether an item of a list is marked while another one is not."""
    return bool(signs) and "" in among and not _REFUSED.intersection("".join(among))


_REFUSED: Final = frozenset("✗✘❌☒?~")


def _by_letter(text: str, choices: Mapping[str, str]) -> Iterator[_Chosen]:
    """Yield the letters that name options: in brackets, capitals alone, and small ones alone in a list of options.

    A capital at the beginning of a sentence, as in `A model is`, is a word.
    """
    names = {candidate.casefold() for candidate in choices}
    spelled = "|".join(sorted((re.escape(candidate) for candidate in choices), key=len, reverse=True))
    for match in re.finditer(rf"(?<![^\W_])(?:\(\s?)?(?P<name>{spelled})(?![^\W_'])", text, re.IGNORECASE):
        before, after = _beside(text, *match.span())
        others = [word for word in TOKEN.findall(f"{before} {after}") if word.casefold() not in names]
        is_bracketed = bool(re.match(r"\s?\)", after))
        is_alone = not [word for word in others if fold_text(word) not in _JOINING]
        is_led = bool(re.search(rf":(?:\W|\b(?:{spelled}|{_AND})\b)*\Z", before, re.IGNORECASE))
        is_led = is_led and not re.match(r"\s+[^\W\d_]{3,}", after)
        is_led = is_led or bool(
            lexicon.search(r"<option>\W{1,3}\Z", before) and re.match(r"\W*(?:[.:;,)\n–-]|\Z)", after)
        )
        begins = len(before) <= _BESIDE and not before.strip(" \t-•([*")
        is_joined = re.match(rf"\s+(?:{_OR})\s+\(?(?:{spelled})(?![^\W_'])", after, re.IGNORECASE)
        is_word = match["name"] in "AI" and not is_joined and bool(re.match(r"\s+[^\W\d_]", after))
        is_first = begins or re.search(r"[.!?]\s+\Z", before) is not None
        is_capital = match["name"].isupper() and not (is_first and is_word)
        if is_bracketed or is_alone or is_led or is_capital:
            name = next(candidate for candidate in choices if candidate.casefold() == match["name"].casefold())
            begins_so = begins and (is_bracketed or bool(re.match(r"[.:](?:\s|$)", after)))
            is_bare = is_alone or is_led or begins_so or len(others) <= _FEW_WORDS
            is_firm = is_bare or begins or _ends_a_beginning(before, after)
            yield _Chosen(name, match.start("name"), match.end("name"), is_firm, is_bare)


def _beside(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the examined text on each side in the same line."""
    return text[:start].rpartition("\n")[2][-_BESIDE_LETTER:], text[end:].partition("\n")[0][:_BESIDE_LETTER]


def _by_own_words(text: str, choices: Mapping[str, str]) -> Iterator[_Chosen]:
    """Yield the options of which a text contains at least half of the words and numbers that no other option has.

    For example, `the lasso` for `the absolute penalty (lasso)`. A number within a fraction or decimal is a different
    one.
    """
    words = {candidate: set(map(fold_text, TOKEN.findall(wording))) for candidate, wording in choices.items()}
    for option, option_words in words.items():
        others = set().union(*(several for candidate, several in words.items() if candidate != option))
        telling = {word for word in option_words - others if len(word) >= _LONG or word.isdecimal()}
        places = [
            match
            for match in re.finditer(r"[^\W_]+", fold_text(text))
            if match.group() in telling
            and not (match.group().isdecimal() and _IN_NUMBER.search(text[max(0, match.start() - 1) : match.end() + 2]))
        ]
        if telling and 2 * len({match.group() for match in places}) >= len(telling):
            yield _Chosen(option, places[0].start(), places[0].end(), is_firm=False, is_bare=False)


_IN_NUMBER: Final = re.compile(r"\d[./,]\d|\d\s?%|[./,]\d")
_LONG: Final = 4


def _ends_a_beginning(before: str, after: str) -> bool:
    """Whether few words of the sentence stand before a mention, and punctuation, a reason or nothing after it."""
    sentence = re.split(r"[.!?;:]\s", before)[-1]
    return len(TOKEN.findall(sentence)) <= _FEW_WORDS and bool(lexicon.match(r"\W*(?:\Z|[.,;:)]|<because>)", after))


def _by_words(text: str, choices: Mapping[str, str]) -> Iterator[_Chosen]:
    """Yield the places where a text names options by their words. Words within the words of a longer option belong to
    that one."""
    plain = fold_text(text)
    names = {candidate.casefold() for candidate in choices}
    taken: list[tuple[int, int]] = []
    for option, words in sorted(choices.items(), key=lambda pair: -len(pair[1])):
        spelled = r"[\s_-]+".join(map(re.escape, filter(None, re.split(r"[\s_-]+", fold_text(words.strip())))))
        spelled += "?" if spelled.endswith("s") else ""  # `a false alarm` is one of the `false alarms`
        for match in re.finditer(rf"(?<![^\W_]){spelled}(?![^\W_])", plain) if spelled else ():
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            taken.append(match.span())
            before, after = _beside(text, *match.span())
            others = [word for word in TOKEN.findall(f"{before} {after}") if word.casefold() not in names]
            is_bare = len(others) <= _FEW_WORDS
            is_firm = is_bare or _ends_a_beginning(before, after)
            yield _Chosen(option, match.start(), match.end(), is_firm, is_bare)
