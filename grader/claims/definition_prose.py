"""Assign parts of a text to the parameters that they define.

The assignment weighs the parameters' names, the similarity of sentences to the lab's marked examples, their positions,
and the order of the lab's configuration.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from grader.claims.definition_openings import AFTER_NAME, MIDST_OF_SETTINGS, VALUE, Opening, is_prose, spelling_pattern
from grader.claims.statements import speaks_of
from grader.frozen import memoise
from grader.lab.definition import Lab, Parameter
from grader.language import lexicon
from grader.language.shapes import LONG_WORD
from grader.model.answers import Scorer


class Mention(NamedTuple):
    """A parameter's name in a text, with its value if one stands beside it."""

    start: int
    end: int
    parameter: str
    value: str | None


def mentions(text: str, start: int, end: int, lab: Lab) -> list[Mention]:
    """Return the names of parameters in a part of a text, in order."""
    if not _any_name(lab.parameters).search(text, start, end):
        return []
    return sorted(
        _mention(match, parameter)
        for parameter in lab.parameters
        for match in _name(parameter).finditer(text, start, end)
    )


def _mention(match: re.Match[str], parameter: Parameter) -> Mention:
    """Return a name with the value beside it. Words after an equals sign define: `task_type = causal generation`."""
    value = match["value"]
    if value and value.isalpha() and value.islower() and is_prose(match.string, match, parameter):
        return Mention(match.start(), match.end("name"), parameter.id, None)
    return Mention(*match.span(), parameter.id, value)


@lru_cache
def _any_name(parameters: tuple[Parameter, ...]) -> re.Pattern[str]:
    """Return a pattern for all names. If it is not found, no other search is needed."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(_own_names, parameters)) or '(?!)'})", re.IGNORECASE)


@lru_cache
def _name(parameter: Parameter) -> re.Pattern[str]:
    """Return a pattern for a name and its value: `weight_decay`, `decay (0.1)`, `decay = 0.1`, `decay to 0.1`."""
    names = _own_names(parameter)
    value = rf"(?:\s*(?:=|\((?==?\s*[\d\"'\[])|(?:to|at|à)\s(?=\s*\d))=?\s*(?P<value>{VALUE})\)?)?"
    return re.compile(rf"(?<![\w/×·^])(?<![/×·^*]\s)(?P<name>{names})(?![\w/×·^]|\s*[/×])[\"']?{value}", re.IGNORECASE)


def _own_names(parameter: Parameter) -> str:
    """Return a pattern for the names of a parameter. A single letter counts only if the parameter has no other name."""
    return (
        "|".join(spelling_pattern(name) for name in parameter.names if len(name) > 1 or len(parameter.names) == 1)
        or "(?!)"
    )


_END: Final = re.compile(
    r"(?<!i\.e)(?<!e\.g)(?<!c\.-à-d)(?<!\bresp)[.;!?][)\"]?(?=\s)|\n(?=\s*\n|\d{1,2}\.?\s+[A-ZÀ-Ý])"
)
_ASSIGNMENT: Final = re.compile(rf"(?:(?<![\w.])[\w.]+\(|\()?\s*(?<!\w)\w+\s*=\s*(?:{VALUE})\s*[,)]*")
_ORDINAL: Final = r"(?:[^.:;\n]{0,80}[.:;])?[\s:,.;-]*(?:<the> )?<first_of_two>(?: one)?,?\s+"
_SPOKEN: Final = rf"(?=\s*[^\s)]){AFTER_NAME}"
_GOVERNS: Final = r"(?:^|[^\w])(?:<about|condition|of|by|in|for|and|or|the|because|asking>|\w')\s*\Z"
"""A word before a name that makes it part of the text before."""
_VALUE_CLOSES: Final = re.compile(rf"\((?:{VALUE})\)\s+\Z")
_AROUND: Final = 40
"""The distance around a name, in characters, within which its clause begins and its verb stands."""
_ADDED: Final = re.compile(r"[(\-–—:=→|][\s\"'`*]*$")
_LED: Final = re.compile(r"[)\]\"'`*]+\s*[:=–—-]|[\s?.:]*$")
_VALUE_ALONE: Final = re.compile(r"[\s,:;=]*(?:\[[^\]\n]*\]|\"[^\"\n]*\"|'[^'\n]*'|[\d.,]+)?[\s)\].,;|`*]*")
"""The text before a name at the end of a sentence, and after such a name or one that begins a sentence."""
_FEWEST_WORDS: Final = 4
_ENOUGH: Final = 1_000
"""A text with too few words in this many characters contains no sentences."""
_NO_SENTENCE: Final = re.compile(r"\s*\[\d+\]|.*[:?]\s*$", re.DOTALL)
"""An entry of a bibliography, an introduction, or a question."""
_MOST: Final = 60
_FEWEST_IN_ORDER: Final = 4
_BETWEEN: Final = re.compile(r"\W*(?:\w+\W+){0,2}")
"""Several names with at most this text between them form an order: `in the order r, alpha, modules, dropout, bias`."""
_LONGEST_FLOW: Final = 1_500
"""A longer text, in characters, is a log or a list of numbers."""
_NONE: Final = 0.1
"""The least similarity of a sentence about a parameter to its nearest examples."""
_NAMED, _WORD_NAMED, _BESIDE, _OTHER_NAMED, _IN_ORDER, _BEGUN, _GAP = 0.15, 0.075, 0.12, 0.06, 0.05, 0.07, 0.02
"""The weights of a name in a sentence, of a name that is a common word, of its value beside it, of another parameter's
name, of the configuration's order, of a new sequence, and of an unassigned sentence between two sequences."""
_UNNAMED: Final = 0.2
"""The cost of a parameter's name that stands neither in a sentence nor before it, while another name does."""
_LEAD: Final = re.compile(r"\W*(?:\w+\W+){0,4}")
_IS_SAID: Final = rf"{_LEAD.pattern}\w+[)\]\"'`*]*(?!\s*,){AFTER_NAME}"
"""Words before a name at the beginning of a sentence."""
_SAID: Final = 0.6
"""The weight of a sentence that says what a parameter is or does: `The parameter decay is …`."""
_ELSEWHERE: Final = 0.1
_CERTAIN: Final = 9.0
_MOST_BEHIND: Final = 4.5
"""Assignments whose weight is this much below the best are dropped."""


class Span(NamedTuple):
    """A part of a text that may define parameters.

    With an `opening`, it begins with a parameter's name. `leads_on`: another definition follows directly, so the span
    is not divided into sentences. `beside` are the values of parameters beside it.
    """

    start: int
    end: int
    opening: Opening | None = None
    leads_on: bool = False
    beside: Mapping[str, str] = {}

    @property
    def opened(self) -> str | None:
        """The parameter whose name begins it."""
        return self.opening.parameter if self.opening else None


class _Unit(NamedTuple):
    """A sentence, or a part of one that names another parameter than the part before.

    It is `certain` to be about the parameter whose name it has. `label` is the parameter that it is about if it defines
    any: `With decay=0.1 …`, `What is decay? …`, `… (decay)`. `above` is the last label before it.
    """

    span: Span
    start: int
    end: int
    certain: str | None = None
    label: str | None = None
    above: str | None = None


class Run(NamedTuple):
    """The text about one parameter, in several `places` if other text stands between. `span` has the first place.
    `named`: the parameter's name stands there."""

    parameter: str
    span: Span
    places: tuple[tuple[int, int], ...]
    named: bool


def runs(text: str, spans: Sequence[Span], lab: Lab) -> Iterator[Run]:
    """Return the sequences of sentences that define parameters.

    There is one for each span with a name, and at most one for each other parameter.
    """
    units = [unit for span in spans for unit in _units(text, span, lab)][:_MOST]
    opened_parameters = {span.opened for span in spans}
    named = [{mention.parameter for mention in mentions(text, unit.start, unit.end, lab)} for unit in units]
    worth = [
        _worth(unit, text, unit_parameters, opened_parameters, lab)
        for unit, unit_parameters in zip(units, named, strict=True)
    ]
    joins = [_joins(*pair) for pair in pairwise(unit.span for unit in units)]
    for number, first, last in _best(worth, [False, *joins]):
        parameter, span = lab.parameters[number].id, units[first].span
        places = [
            ((group_units := list(group))[0].start, group_units[-1].end)
            for _, group in groupby(units[first : last + 1], lambda unit: unit.span[:2])
        ]
        titled = {span.opened, *(name for unit in units[first : last + 1] for name in (unit.certain, unit.label))}
        is_named = parameter in titled or any(
            parameter in unit_parameters for unit_parameters in named[first : last + 1]
        )
        yield Run(parameter, span, tuple(places), is_named)


def _joins(first: Span, second: Span) -> bool:
    """Whether a definition in one span may continue in the next: in running text, and in cells of one opening."""
    return first[:2] == second[:2] or (first.opening is second.opening and not first.beside and not second.beside)


def _worth(unit: _Unit, text: str, named: set[str], opened_parameters: set[str | None], lab: Lab) -> dict[int, float]:
    """Return the weight of a unit as part of the definition of each parameter, by the parameters' numbers."""
    span, unit_text = unit.span, text[unit.start : unit.end]
    certain = unit.certain or (span.opened if span.leads_on and not named - {span.opened} else None)
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    if certain or scorer is None:
        return {number: _CERTAIN for number, parameter in enumerate(lab.parameters) if parameter.id == certain}
    like, cost = scorer.topic_likeness(unit_text), _NONE + of_another_question(unit_text, lab)
    if unit.label:
        value = max(like.values(), default=0.0) + (_SAID if lexicon.match(_IS_SAID, unit_text) else _NAMED) - cost
        return {number: value for number, parameter in enumerate(lab.parameters) if parameter.id == unit.label}
    quotes = {quote.group(2) for quote in re.finditer(r"(['\"`])([^\W\d]\w+)\1", unit_text)}
    cited = {parameter.id for parameter in lab.parameters if parameter.value.strip("\"'") in quotes}
    found: dict[int, float] = {}
    for number, parameter_id in enumerate(parameter.id for parameter in lab.parameters):
        by_name = (_NAMED if "_" in parameter_id else _WORD_NAMED) if parameter_id in named else 0.0
        beside = _BESIDE if parameter_id in span.beside else _WORD_NAMED if parameter_id in cited else 0.0
        others = _OTHER_NAMED if named - {parameter_id} else 0.0
        value = like.get(parameter_id, 0.0) + max(by_name, beside) - others - cost
        if unit.above and parameter_id not in (unit.above, *named):
            value -= _UNNAMED
        if parameter_id == span.opened or parameter_id not in opened_parameters:
            found[number] = value
    return found


@memoise
def of_another_question(text: str, lab: Lab) -> float:
    """Return the penalty for a sentence about another question's subject and not about this one's."""
    asking = [question for question in lab.questions if any(item.check == "short-answer" for item in question.items)]
    is_own = any(speaks_of(text, question.words) for question in asking)
    other = any(speaks_of(text, question.words) for question in lab.questions if question not in asking)
    return _ELSEWHERE if other and not is_own else 0.0


def _settings(text: str, start: int, end: int, named: Sequence[Mention]) -> Iterator[re.Match[str]]:
    """Return the settings in a part of a text, without those that define the parameter `named`."""
    words = [mention.start for mention in named if mention.value is None]
    for setting in _ASSIGNMENT.finditer(text, start, end):
        if not any(setting.start() <= at < setting.end() for at in words):
            yield setting


def _units(text: str, span: Span, lab: Lab) -> Iterator[_Unit]:
    """Yield the sentences of a span with text besides settings, divided where a clause names another parameter."""
    ends = [] if span.leads_on else [match.end() for match in _END.finditer(text, span.start, span.end)]
    certain, label, above = span.opened, None, span.opened
    before: Sequence[Mention] = ()
    for begin, stop in pairwise([span.start, *ends, span.end]):
        if not certain and _is_order(text, mentions(text, begin, stop, lab)):
            continue
        above_it, before = before, mentions(text, begin, stop, lab)
        if pair := list(_pair(text, begin, stop, certain, span, before or above_it, lab)):
            yield from pair
            certain = label = None
            continue
        for first, second in pairwise([begin, *_clauses(text, begin, stop, certain, lab), stop]):
            at, is_whole = first, (first, second) == (begin, stop)
            for setting in _settings(text, first, second, before) if not certain else ():
                if _is_word_poor(text[at : setting.start()]) and not _is_word_poor(text[setting.end() : second]):
                    at = setting.end()
            rest = _ASSIGNMENT.sub(" ", text[at:second])
            is_sentence = (
                not (_NO_SENTENCE.match(text[at:second]) or _is_word_poor(rest)) and second - at <= _LONGEST_FLOW
            )
            found = _label(text, first, second, lab, is_clause=first > begin)
            label, above = found or label, found or above
            is_title = (
                not is_sentence and is_whole and bool(found) if not certain else not LONG_WORD.search(text, at, second)
            )
            label = label or (certain if is_title else None)
            if (
                (certain and not is_title)
                or is_sentence
                or ((span.opening or span.beside) and is_whole and not is_title)
            ):
                yield _Unit(span, at, second, certain, label, above)
            certain, label = None, label if is_title else None


def _is_order(text: str, named: Sequence[Mention]) -> bool:
    """Whether a sentence only lists several parameters."""
    gaps = [_BETWEEN.fullmatch(text, first.end, second.start) for first, second in pairwise(named)]
    is_plain = not any(mention.value for mention in named)
    return is_plain and len({mention.parameter for mention in named}) >= _FEWEST_IN_ORDER and all(gaps)


def _label(text: str, start: int, end: int, lab: Lab, *, is_clause: bool) -> str | None:
    """Return the parameter whose name begins or ends a sentence, or None.

    Within a sentence, a name before a comma or one of several settings does not count: `…, then divided by decay, …`.
    """
    named = mentions(text, start, end, lab)
    leading = next((mention for mention in named if _LEAD.fullmatch(text, start, mention.start)), None)
    if leading and is_clause:
        is_aside = text[leading.end :].lstrip().startswith(",") or MIDST_OF_SETTINGS.search(text[:start].rstrip())
        leading = None if is_aside else leading
    if leading and (
        leading.value
        or _is_spoken_of(text, leading, end, lab)
        or _LED.match(text, leading.end, end)
        or (is_clause and _VALUE_CLOSES.search(text[max(0, start - _AROUND) : start]))
    ):
        return leading.parameter
    if text[start:end].rstrip().endswith("?") and len({mention.parameter for mention in named}) == 1:
        return named[0].parameter
    if named and _ADDED.search(text, start, named[-1].start) and _VALUE_ALONE.fullmatch(text, named[-1].end, end):
        return named[-1].parameter
    return None


def _is_word_poor(text: str) -> bool:
    words = re.finditer(r"[^\W\d_]{2,}", text[:_ENOUGH])
    return sum(1 for _ in islice(words, _FEWEST_WORDS)) < _FEWEST_WORDS


def _clauses(text: str, start: int, end: int, opened: str | None, lab: Lab) -> Iterator[int]:
    """Yield the offsets at which a clause about another parameter begins.

    It follows a comma or a linking word, or has a name and a verb. A single letter needs a sign or a verb after it,
    because it is often part of a formula or a list.
    """
    seen = {opened} if opened else set()
    signs = {match.end() for match in lexicon.find_all(r"[,:;.]\s|\s(?=<and|while>\s)", text, start, end)}
    for first, second in pairwise([start, *sorted(signs.union(_begun(text, start, end, lab))), end]):
        clause_parameters = {
            named.parameter
            for named in mentions(text, first, second, lab)
            if named.end > named.start + 1 or _is_spoken_of(text, named, second, lab)
        }
        is_behind_value = _VALUE_CLOSES.search(text[max(start, first - _AROUND) : first])
        if len(clause_parameters) == 1 and (seen or is_behind_value) and not clause_parameters & seen:
            yield first
            seen = set()
        seen |= clause_parameters


def _begun(text: str, start: int, end: int, lab: Lab) -> Iterator[int]:
    """Yield the offsets at which a name begins a clause without a sign before it, as the verb or the value before it
    shows.

    For example, `… of the update lora_alpha is …` or `… of the update (16) lora_alpha`. After a word such as `by`, the
    name belongs to the text before.
    """
    for named in mentions(text, start, end, lab):
        before = text[max(start, named.start - _AROUND) : named.start]
        article = lexicon.search(r"(?:<the>\s+)?\Z", before)
        before = before[: article.start()] if article else before
        is_verb_behind = _is_spoken_of(text, named, end, lab, by=r"\s*(?:[:=→]|<defines>)")
        if _VALUE_CLOSES.search(before) or (is_verb_behind and not lexicon.search(_GOVERNS, before)):
            yield named.start - len(article[0] if article else "")


def _is_spoken_of(text: str, named: Mention, end: int, lab: Lab, by: str = _SPOKEN) -> bool:
    """Whether a sign or a verb follows a name or its value: `bias none means …`."""
    values = (
        spelling_pattern(parameter.value.lower()) for parameter in lab.parameters if parameter.id == named.parameter
    )
    behind = text[named.end : min(end, named.end + _AROUND)]
    return lexicon.match(rf"(?:\s+(?:{next(values)}|\d[\d.,]*)(?!\w))?{by}", behind) is not None


def _pair(
    text: str, start: int, end: int, opened: str | None, span: Span, names: Sequence[Mention], lab: Lab
) -> Iterator[_Unit]:
    """Return the two parts of a sentence that defines two parameters in order.

    For example, `r and alpha are respectively …`, `the former is … and the latter …`. The sentence is divided at the
    linking word where the parts match the two parameters best.
    """
    is_told = lexicon.search("<respectively>|<former>(?s:.*)<latter>", text, start, end) is not None
    is_here = bool(names) and names[0].start >= start
    named = [Mention(start, start, opened, None), *names] if opened and is_here else [*names]
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    if scorer is None or not _are_together(text, named) or not (is_here or (is_told and len(named) == _TWO)):
        return
    (_, _, first, _), (_, behind, second, _) = named[:2]
    begin = max(start, behind)
    best = max(_cuts(text, begin, end, (first, second), scorer, is_told=is_told), key=itemgetter(0), default=None)
    if best:
        yield _Unit(span, _behind_ordinal(text, begin), best[1], first)
        yield _Unit(span, _behind_ordinal(text, best[2]), end, second)


def _cuts(
    text: str, start: int, end: int, pair: tuple[str, str], scorer: Scorer, *, is_told: bool
) -> Iterator[tuple[float, int, int]]:
    """Yield the places at which the text about two parameters may be divided, each with its weight."""
    first_parameter, two = pair
    for cut in lexicon.find_all(_PARTS, text, start, end):
        first, second = scorer.topic_likeness(text[start : cut.start()]), scorer.topic_likeness(text[cut.end() : end])
        margins = first.get(first_parameter, 0) - first.get(two, 0), second.get(two, 0) - second.get(first_parameter, 0)
        if min(margins) > 0 or (is_told and max(margins) < 0):
            yield abs(sum(margins)), *cut.span()


def _are_together(text: str, named: Sequence[Mention]) -> bool:
    """Whether two parameters are first named as a pair, without a third one."""
    rows = [bool(lexicon.fullmatch(_TOGETHER, text, first.end, second.start)) for first, second in pairwise(named)]
    return rows[:1] == [True] and rows[1:2] != [True]


_TWO: Final = 2
_TOGETHER: Final = r"[\s\"'`]*(?:,|&|(?:,\s*)?<and>)[\s\"'`]*"
_PARTS: Final = r",?\s+<and>\s+|[;,]\s*<respectively>[,:]?\s+|;\s*|,\s+"
"""The text between two names of a pair, and between their definitions."""


def _behind_ordinal(text: str, start: int) -> int:
    found = lexicon.match(_ORDINAL, text, start)
    return found.end() if found else start


_State = tuple[int, int, frozenset[int]]
"""The number of the current sentence's parameter or -1, that of the sequence before, and those with a finished
sequence."""
_Path = tuple[tuple[int, int, int], ...]


_NO_RUN: Final = -2
"""No parameter follows."""


def _best(worth: Sequence[Mapping[int, float]], joins: Sequence[bool]) -> _Path:
    """Return the sequences with the greatest total weight, each as parameter number, first and last sentence.

    `joins` says which sentences may belong to the sequence of the sentence before.
    """
    states: dict[_State, tuple[float, _Path]] = {(-1, _NO_RUN, frozenset()): (0.0, ())}
    for at, values in enumerate(worth):
        following: list[tuple[_State, float, _Path]] = []
        for (now, before, done), (total, found) in states.items():
            following.append(((-1, before, done), total, found))
            if joins[at] and now in values:
                goes_on = *found[:-1], (now, found[-1][1], at)
                following.append(((now, before, done), total + values[now], goes_on))
            begun = total - _BEGUN - _GAP * (at - 1 - found[-1][2] if found else 0)
            for new, value in values.items():
                if value == _CERTAIN or new not in done:
                    gained = begun + value + (_IN_ORDER if new == before + 1 else 0.0)
                    following.append(((new, new, done.union([new])), gained, (*found, (new, at, at))))
        following.sort(key=lambda candidate: candidate[1], reverse=True)
        least = following[0][1] - _MOST_BEHIND
        states = {state: (total, found) for state, total, found in reversed(following) if total >= least}
    return max(states.values(), key=lambda candidate: candidate[0])[1]
