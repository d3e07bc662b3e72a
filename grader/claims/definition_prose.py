"""Definitions in running text: `The parameter r is the rank of …, and alpha scales it`, `r (the rank of …)`, `r
and alpha are respectively … and …`; or sentences without any name.

What a sentence is about is told by its words, compared with the lab's marked examples, and by the names in it. Each
parameter has at most one run of sentences, and runs in the order of the lab's configuration are likelier, so that
definitions without names are found by their order.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from grader.claims.definition_openings import AFTER_NAME, VALUE, spelled
from grader.claims.sections import speaks_of
from grader.frozen import remembered
from grader.lab.definition import Lab, Parameter
from grader.reading.log import programs

_NOUN = (
    rf"(?:(?:the|le|la|our|its)\s+)?(?:(?P<noun>(?:(?:{'|'.join(one.id for one in programs().adapters)})\s+)?"
    r"(?:hyper-?)?(?:parameters?|params?|arguments?|options?"
    r"|settings?|fields?|paramètres?|hyperparamètres?)\s+)|(?:list|(?P<rank>rank|rang))\s+)?"
)
_SENTENCE_END = re.compile(r"[.;!?](?=\s)|\n(?=\s*\n)")
_LINK = re.compile(
    r"(?:[,;:]\s*)?(?:(?:and|et|while|whereas|but|mais|tandis que|alors que|finally|enfin|lastly|then|puis)\s+)*"
    r"(?:(?:finally|enfin|lastly|also|then)(?:\s*,)?\s*)?(?:(?P<keep>with|avec|by|for|in)\s+)?$",
    re.IGNORECASE,
)
_OF = re.compile(r"\s+(?:of|de|du|des)\b", re.IGNORECASE)
_LINK_AHEAD = re.compile(
    r"[\s,;:]*(?:(?:and|et|while|whereas|but|mais|tandis que|alors que)\s+)?"
    r"(?:(?:finally|enfin|lastly|then|also|puis)\b,?\s*)?",
    re.IGNORECASE,
)
_ENUMERATES = re.compile(r"\s*(?:,|and|et|&|,\s*and|,\s*et)\s*$", re.IGNORECASE)
_INSIDE = re.compile(r"\s*\((?P<inside>[^()\n]{3,400})\)")
_RESPECTIVELY = re.compile(r",?\s*\b(?:respectively|resp\.?|respectivement)\b,?\s*", re.IGNORECASE)
_FIRST = re.compile(
    r"(?:[^.:;\n]{0,80}[.:;])?[\s:,.;-]*(?:the |le |la )?(?:first|former|premi(?:er|ère))(?: one)?,?\s+(?P<first>\S.*?)"
    r"\b(?:second|latter|deuxième|dernier|dernière)(?: one)?,?\s+(?P<second>.*)",
    re.IGNORECASE | re.DOTALL,
)
_AND = re.compile(r",?\s+(?:and|et)\s+|;\s*|,\s+", re.IGNORECASE)
_BETWEEN = ("the", "le", "la", "and", "et", "while")
"""Words between what is said of the first and of the second."""

_LONGEST = 4_000
_LEAST_LIKE = 0.15
_CLEARLY = 1.3
"""How like its nearest examples a text must be, and how much more than another parameter's, to be about it."""


class Part(NamedTuple):
    """A stretch of prose about one parameter: from `start`, its words from `begin` to `end`. `apart` if it stands in
    brackets of its own; the name is `written` so, and `leads` if its sentence begins with it, `About bias, …`."""

    parameter: str
    start: int
    begin: int
    end: int
    value: str | None = None
    apart: bool = False
    written: str = ""
    leads: bool = False


class _Mention(NamedTuple):
    parameter: str
    start: int
    end: int
    value: str | None
    certain: bool
    written: str


def parts(text: str, lab: Lab, *, begun: bool = False) -> Iterator[Part]:
    """The stretches of a paragraph that define parameters by name. Each begins with the clause that names it. A text
    that is `begun` goes on with a definition at first."""
    mentions = _mentions(text[:_LONGEST], lab)
    together = _together(text, mentions, lab)
    if together:
        yield from together
        return
    starts = [_clause_start(text, mentions, number, begun) for number in range(len(mentions))]
    for number, mention in enumerate(mentions):
        end = starts[number + 1] if number + 1 < len(mentions) else len(text)
        inside = _INSIDE.match(text, mention.end)
        if inside and len(inside["inside"].split()) > 1 and not _is_value_aside(inside["inside"], mention, lab):
            begin, end = inside.span("inside")
            yield Part(mention.parameter, starts[number], begin, end, mention.value, apart=True)
        elif mentions.index(_first_of(mention, mentions)) == number:
            begin = _begin(text, starts[number])
            yield Part(
                mention.parameter, starts[number], begin, end, mention.value,
                written=mention.written, leads=_leads(text, mention),
            )  # fmt: skip


_MOST_ASIDE: Final = 3


def _is_value_aside(inside: str, mention: _Mention, lab: Lab) -> bool:
    """Whether brackets give a parameter its value in a few words: `(we have 32)`."""
    asked = next(one for one in lab.parameters if one.id == mention.parameter)
    rest, times = re.subn(_value_of(asked), " ", inside, flags=re.IGNORECASE)
    return times > 0 and len(re.findall(r"[^\W\d_]+", rest)) <= _MOST_ASIDE


def _first_of(mention: _Mention, mentions: Sequence[_Mention]) -> _Mention:
    return next(one for one in mentions if one.parameter == mention.parameter)


def _begin(text: str, start: int) -> int:
    """Where a clause begins behind the words that link it to the one before."""
    link = _LINK_AHEAD.match(text, start)
    return link.end() if link else start


@remembered
def _mentions(text: str, lab: Lab) -> tuple[_Mention, ...]:
    """The names of parameters, in order, that a text speaks about: a name that is also a common word or a letter only
    where a value, a sign or a verb follows it, or another name in a row of names."""
    found = sorted(
        (
            _Mention(parameter.id, match.start(), match.end(), match["value"], _is_certain(match), match["name"])
            for parameter in lab.parameters
            for match in _pattern(parameter).finditer(text)
        ),
        key=lambda mention: (mention.start, -mention.end),
    )
    kept: list[_Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    rows = {n for n in range(len(kept)) if n + 1 < len(kept) and _in_row(text, kept[n], kept[n + 1])}
    return tuple(one for n, one in enumerate(kept) if n in rows or n - 1 in rows or _speaks(text, one))


@lru_cache
def _pattern(parameter: Parameter) -> re.Pattern[str]:
    names = "|".join(spelled(name) for name in parameter.names)
    value = rf"(?:\s*(?:=|\((?==?\s*[\d\"'\[])|(?:to|at|à)\s(?=\s*\d))=?\s*(?P<value>{VALUE})\)?)?"
    return re.compile(
        rf"(?<![\w/]){_NOUN}[\"']?(?<![\w/])(?<!/\s)(?P<name>{names})[\"']?(?![\w/]|\s*/){value}", re.IGNORECASE
    )


def _is_certain(match: re.Match[str]) -> bool:
    """Whether a name can be no common word: it is joined from several, has a value, or is called a parameter,
    or the rank of something."""
    of_something = match["rank"] and _OF.match(match.string, match.end())
    return bool(match["noun"] or match["value"] or of_something or re.search(r"[_ ]", match["name"].strip()))


def _in_row(text: str, one: _Mention, following: _Mention) -> bool:
    return bool(_ENUMERATES.fullmatch(text, one.end, following.start))


def _speaks(text: str, mention: _Mention) -> bool:
    """Whether a name that stands alone is spoken about."""
    return mention.certain or _leads(text, mention) or bool(AFTER_NAME.match(text, mention.end))


_SET_ONLY = re.compile(r"\s*(?:[,;)\]\n]|$|and\b|et\b)")


def spoken_of(parameter: Parameter, text: str, lab: Lab) -> Iterator[tuple[int, int]]:
    """Where a text speaks about a parameter by its name, which is more than to set it or to use a common word."""
    for found in _mentions(text, lab):
        if found.parameter == parameter.id and not (found.value and _SET_ONLY.match(text, found.end)):
            yield found.start, found.end


def _leads(text: str, mention: _Mention) -> bool:
    return bool(_LEADING.search(text, 0, mention.start) and re.match(r"[*`\"]*,\s", text[mention.end :]))


_LEADING = re.compile(r"(?:^|[.;!?]\s+|\n\s*\n)\s*[^\W\d_]+(?:\s+[^\W\d_]+)?\s+[\"'*`]*$")
"""One or two words that begin a sentence."""


def _clause_start(text: str, mentions: Sequence[_Mention], number: int, begun: bool) -> int:
    """Where the clause of a mention begins: at its sentence, or behind the clause of the mention before."""
    mention = mentions[number]
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, mention.start)]
    sentence = ends[-1] if ends else 0
    before = mentions[number - 1].end if number else 0
    if before <= sentence and not (begun and sentence == 0):
        return sentence
    link = _LINK.search(text, before, mention.start)
    if link is None:
        return mention.start
    return link.start("keep") if link["keep"] and not link.group()[: -len(link["keep"]) - 1].strip() else link.start()


def _end_of_first(found: re.Match[str]) -> int:
    """Where what is said of the first ends, without the words that lead to the second."""
    said = found["first"].rstrip(" ,;.\n\t")
    while said.casefold().endswith(tuple(f" {word}" for word in _BETWEEN)):
        said = said.rpartition(" ")[0].rstrip(" ,;.\n\t")
    return found.start("first") + len(said)


def _together(text: str, mentions: Sequence[_Mention], lab: Lab) -> list[Part]:
    """Two parameters that are named together and defined one after the other."""
    if len(mentions) < 2 or not _in_row(text, mentions[0], mentions[1]):
        return []
    one, two = mentions[:2]
    if len(mentions) > 2 and mentions[2].start < len(text) and _in_row(text, two, mentions[2]):
        return []
    behind = text[two.end : two.end + _LONGEST]
    first = _FIRST.match(behind)
    if first:
        return [
            Part(
                one.parameter,
                one.start,
                two.end + first.start("first"),
                two.end + _end_of_first(first),
                one.value,
                True,
            ),
            Part(
                two.parameter,
                two.end + first.start("second"),
                two.end + first.start("second"),
                len(text),
                two.value,
                True,
            ),
        ]
    if not _RESPECTIVELY.search(behind):
        return []
    cut = _cut_between(one.parameter, two.parameter, text, two.end, lab)
    if cut is not None:
        return [
            Part(one.parameter, one.start, two.end, cut.start(), one.value, True),
            Part(two.parameter, cut.end(), cut.end(), len(text), two.value, True),
        ]
    return [Part(one.parameter, one.start, one.start, len(text), one.value)]


def _cut_between(one: str, two: str, text: str, start: int, lab: Lab) -> re.Match[str] | None:
    """The linking word before which a text is most about one parameter, and behind which most about the other."""
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    best, most = None, 0.0
    if scorer is None:
        return None
    for cut in _AND.finditer(text, start):
        first, second = scorer.about(text[start : cut.start()]), scorer.about(text[cut.end() :])
        told = first.get(one, 0) - first.get(two, 0), second.get(two, 0) - second.get(one, 0)
        if min(told) > 0 and sum(told) > most:
            best, most = cut, sum(told)
    return best


def named_together(text: str, lab: Lab) -> list[Part]:
    """The definitions of two parameters that a text names together at first: `r and alpha: the former is …`."""
    mentions = _mentions(text[:_LONGEST], lab)
    return _together(text, mentions, lab)


def valued(text: str, lab: Lab) -> Iterator[Part]:
    """Where a paragraph, or a line of code, gives a parameter a value."""
    for one in _mentions(text[:_LONGEST], lab):
        if one.value:
            yield Part(one.parameter, one.start, one.end, one.end, one.value)


def about(text: str, lab: Lab) -> str | None:
    """The parameter that a text is about, as far as the lab's marked examples tell it from the others."""
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    if scorer is None:
        return None
    ranked = sorted(((likeness, name) for name, likeness in scorer.about(text).items()), reverse=True)
    (best, name), second = ranked[0], ranked[1][0] if len(ranked) > 1 else 0.0
    return name if best >= _LEAST_LIKE and best >= _CLEARLY * second else None


_WORD: Final = r"[^\W\d_]+['’\s]\s*"
_LEAD: Final = (
    rf"[\"'`*(\[]*(?:\(?(?:\d{{1,2}}|[a-z])[.)]\s+)?(?P<words>(?:[^\W\d_]+,?\s+){{0,2}})"
    rf"(?:(?:the|le|la|l['’]|our)\s*(?:{_WORD})?(?:parameters?|arguments?|options?|settings?|letter|list|value"
    rf"|paramètre|réglage|lettre|liste|valeur),?\s+)?[\"'`*(\[]*"
)
"""A few words before a name: `with`, `next comes`, `the argument`."""
_DENIAL: Final = re.compile(r"\b(?:no|not|never|unlike|without|n't|ne|n|pas|jamais|sans)\b", re.IGNORECASE)
_FEWEST_BEHIND: Final = 2


_COPULA: Final = re.compile(
    r"^(?:is|are|est|sont)\s+(?=(?:the|an?|les?|la|l['’]|une?|des)(?:\s|(?<=['’])))", re.IGNORECASE
)


def without_name(text: str, parameter: Parameter) -> str:
    """A definition without the words at its beginning that only name its parameter, or give it its value in passing:
    `The argument r, which we set to 16, is the rank of …` is `is the rank of …`; `We set it to 16. It is …`, `It is …`.
    """
    for pattern in (_naming(parameter), _setting(parameter)):
        found = pattern.match(text)
        rest = text[found.end() :].lstrip(" :,.)=→|-") if found and not _DENIAL.search(found.group()) else ""
        if len(re.findall(r"[^\W\d_]{2,}", rest)) >= _FEWEST_BEHIND and found and _is_aside(found, text):
            text = _COPULA.sub("", rest.removeprefix("# "))
    return text


def _is_aside(found: re.Match[str], text: str) -> bool:
    """Whether a name is no part of what is said: its value stands with it, or a sign or a verb behind it. A common word
    with words before it is part of that: `rate of dropout: …`."""
    if "stated" not in found.groupdict() or found["stated"]:
        return True
    behind = text[found.end() :]
    is_verb = behind[:1].isspace() and behind.lstrip()[:1].isalpha() and AFTER_NAME.match(behind)
    is_joined = bool(re.search(r"[_ ]", found["name"].strip()))
    return bool((is_joined or not found["words"]) and (is_verb or re.match(r"\s*(?:[:=→]|[-–]\s)", behind)))


def _value_of(parameter: Parameter) -> str:
    own = "|".join(rf"{spelled(one)}(?!\w)" for one in (parameter.value, *parameter.spellings))
    return rf"[\"'`\[(]*(?:{own})[\"'`\])]*"


@lru_cache
def _naming(parameter: Parameter) -> re.Pattern[str]:
    value = _value_of(parameter)
    stated = (
        rf"\s*\((?:{_WORD}){{0,3}}{value}[^()]{{0,12}}\)|,\s(?:{_WORD}){{0,5}}{value}(?:\s[^\W\d_]+){{0,3}}\s*,"
        rf"|\s+(?:{_WORD}){{1,4}}{value}(?=\s+(?:is|means?|est)\b)|\s*:?=\s*{value}|\s*\[[^\]]*\]\s*:"
        rf"|(?:\s+(?:at|of|de|à|to)|\s*:)\s+{value}(?=\s*[,:;(]|\s+(?!of\b|de\b|des\b)[^\W\d_])"
    )
    names = "|".join(map(spelled, parameter.names))
    return re.compile(
        rf"{_LEAD}(?<![\w/])(?P<name>{names})(?![\w/]|\s*[/×*])[\"'`*)\]]*(?P<stated>{stated})?", re.IGNORECASE
    )


@lru_cache
def _setting(parameter: Parameter) -> re.Pattern[str]:
    return re.compile(rf"(?:{_WORD}){{0,5}}{_value_of(parameter)}\s*[.;:→]\s+", re.IGNORECASE)


_END: Final = re.compile(r"(?<!i\.e)(?<!e\.g)(?<!c\.-à-d)[.;!?][)\"]?(?=\s)|\n(?=\s*\n|\d{1,2}\.?\s+[A-ZÀ-Ý])")
_ASSIGNMENT: Final = re.compile(rf"(?:[\w.]+\(|\()?\s*(?P<name>\w+)\s*=\s*(?:{VALUE})\s*[,)]*")
_FEWEST_WORDS: Final = 4
_FEWEST_SET: Final = 3
"""A sentence that sets so many parameters defines none of them before the last."""
_NO_SENTENCE: Final = re.compile(r"\s*\[\d+\]|.*[:?]\s*$", re.DOTALL)
"""An entry of a bibliography, an announcement, a question."""
_MOST: Final = 60
_LONGEST_FLOW: Final = 1_500
"""A longer run of text, in characters, is no sentence but a log or a list of numbers."""
_NONE: Final = 0.1
"""How like its nearest examples a sentence must be to be about a parameter at all."""
_NAMED, _OTHER_NAMED, _IN_ORDER, _BEGUN, _GAP = 0.15, 0.06, 0.05, 0.07, 0.02
"""What a name in a sentence, another parameter's name in it, the configuration's order, a new run, and a sentence
between two runs that belongs to none count."""
_ELSEWHERE: Final = 0.1
_STRAY: Final = 0.1
"""How like its nearest examples a further sentence of a definition must be to belong to it."""


class Unit(NamedTuple):
    """A sentence, or a part of one that names another parameter than the part before."""

    start: int
    end: int


class Run(NamedTuple):
    """Sentences about one parameter, from `start` to `end`; `named` where its name stands in them."""

    parameter: str
    start: int
    end: int
    named: bool


def runs(text: str, spans: Sequence[tuple[int, int]], wanted: Sequence[str], lab: Lab) -> Iterator[Run]:
    """The runs of sentences within some spans of a text that define the wanted parameters."""
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    units = [unit for start, end in spans for unit in _units(text, start, end, lab)][:_MOST]
    asked = [one for one in lab.parameters if one.id in wanted]
    if scorer is None or not units or not asked:
        return
    likeness = [scorer.about(text[unit.start : unit.end]) for unit in units]
    mentioned = [{one.id for one in lab.parameters if names(one, text[u.start : u.end])} for u in units]
    elsewhere = [of_another_question(text[unit.start : unit.end], lab) for unit in units]
    worth = [
        [_worth(like.get(one.id, 0.0), one.id, said) - cost for one in asked]
        for like, said, cost in zip(likeness, mentioned, elsewhere, strict=True)
    ]
    for number, first, last in _best(worth, [lab.parameters.index(one) for one in asked]):
        of_run = range(first, last + 1)
        named = any(asked[number].id in mentioned[at] for at in of_run)
        yield Run(asked[number].id, units[first].start, units[last].end, named)


def _worth(likeness: float, parameter: str, mentioned: set[str]) -> float:
    named = (_NAMED if "_" in parameter else _NAMED / 2) if parameter in mentioned else 0.0
    others = _OTHER_NAMED if mentioned - {parameter} else 0.0
    return likeness - _NONE + named - others


@remembered
def of_another_question(text: str, lab: Lab) -> float:
    """What it costs a sentence to speak of what another question asks, and of nothing that this one does."""
    asking = [one for one in lab.questions if any(item.check == "short-answer" for item in one.items)]
    own = any(speaks_of(text, one.words) for one in asking)
    other = any(speaks_of(text, one.words) for one in lab.questions if one not in asking)
    return _ELSEWHERE if other and not own else 0.0


def names(parameter: Parameter, text: str) -> bool:
    """Whether a text speaks of a parameter by its name; a name that is also a common word tells less, but counts."""
    return bool(_name(parameter).search(text))


@lru_cache
def _name(parameter: Parameter) -> re.Pattern[str]:
    own = [name for name in parameter.names if len(name) > 1 or len(parameter.names) == 1]
    return re.compile(rf"(?<![\w/×·^]){'(?:' + '|'.join(map(spelled, own)) + ')'}(?![\w/×·^]|\s*[/×])", re.IGNORECASE)


def _units(text: str, start: int, end: int, lab: Lab) -> Iterator[Unit]:
    """The sentences of a span that say something beside settings in code, cut where a clause names another
    parameter."""
    named = {name for parameter in lab.parameters for name in parameter.names}
    ends = [match.end() for match in _END.finditer(text, start, end)]
    for begin, stop in zip([start, *ends], [*ends, end], strict=True):
        configured = [one for one in _ASSIGNMENT.finditer(text, begin, stop) if one["name"] in named]
        if len({one["name"] for one in configured}) >= _FEWEST_SET:
            begin = configured[-1].end()
        cuts = [begin, *_clauses(text, begin, stop, lab), stop]
        for one, two in pairwise(cuts):
            if two - one > _LONGEST_FLOW:
                continue
            settings = list(_ASSIGNMENT.finditer(text, one, two))
            is_led = bool(settings) and _is_word_poor(text[one : settings[0].start()])
            if is_led and not _is_word_poor(text[settings[-1].end() : two]):
                one = settings[-1].end()
            rest = _ASSIGNMENT.sub(" ", text[one:two])
            if not _NO_SENTENCE.match(text[one:two]) and not _is_word_poor(rest):
                yield Unit(one, two)


def _is_word_poor(text: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", text)) < _FEWEST_WORDS


def _clauses(text: str, start: int, end: int, lab: Lab) -> Iterator[int]:
    """Where, behind a comma or a linking word, a clause begins that names another parameter than what stands before."""
    seen: set[str] = set()
    places = [start, *(match.end() for match in re.finditer(r"[,:]\s|\s(?=(?:and|et|while)\s)", text[start:end]))]
    places = [start, *(start + one for one in places[1:])]
    for one, two in zip(places, [*places[1:], end], strict=True):
        said = {parameter.id for parameter in lab.parameters if _is_subject(parameter, text[one:two])}
        if said and seen and not said & seen and len(said) == 1:
            yield one
            seen = said
        seen |= said


def _is_subject(parameter: Parameter, clause: str) -> bool:
    """Whether a clause may be about a parameter that it names: a letter alone is often a part of a formula, or one of
    several things, so that a sign or a verb has to stand behind it."""
    found = _name(parameter).search(clause)
    if found is None or len(found.group()) > 1:
        return found is not None
    return bool(clause[found.end() :].strip() and AFTER_NAME.match(clause, found.end()))


_BEFORE, _BETWEEN_NAMES, _AFTER = -1, -2, -3
"""Where a sentence stands that belongs to no run: definitions stand together, so that one between them costs."""

_State = tuple[int, int, int]
"""The parameter of the current sentence or its place among the runs, the parameter before, those that had their run."""
_Path = tuple[tuple[int, int, int], ...]


def _best(worth: Sequence[Sequence[float]], order: Sequence[int]) -> _Path:
    """The runs that are worth most together: of each, the number of its parameter, its first and its last sentence."""
    states: dict[_State, tuple[float, _Path]] = {(_BEFORE, -1, 0): (0.0, ())}
    for at, values in enumerate(worth):
        following: dict[_State, tuple[float, _Path]] = {}
        for state, (total, found) in states.items():
            for next_, value, path in _steps(state, found, at, values, order):
                if next_ not in following or total + value > following[next_][0]:
                    following[next_] = (total + value, path)
        states = following
    return max(states.values(), key=lambda one: one[0])[1]


def _steps(
    state: _State, found: _Path, at: int, values: Sequence[float], order: Sequence[int]
) -> Iterator[tuple[_State, float, _Path]]:
    """What a sentence may be after what is before it, with what that is worth."""
    now, before, done = state
    if now == _AFTER:
        yield state, 0.0, found
        return
    if now == _BEFORE:
        yield state, 0.0, found
    else:
        yield (_BETWEEN_NAMES, before, done), -_GAP, found
        yield (_AFTER, before, done), 0.0, found
    if now >= 0:
        yield state, values[now], (*found[:-1], (now, found[-1][1], at))
    for new, value in enumerate(values):
        if not done >> new & 1:
            is_next = before >= 0 and order[new] == order[before] + 1
            gain = value - _BEGUN + (_IN_ORDER if is_next else 0.0)
            yield (new, new, done | 1 << new), gain, (*found, (new, at, at))


def own_end(text: str, start: int, end: int, parameter: str, lab: Lab) -> int:
    """Where a definition ends whose first sentence begins at `start`: before the first further sentence that is not
    about its parameter."""
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    ends = [match.end() for match in _END.finditer(text, start, end)]
    if scorer is None or not ends or parameter not in scorer.topics:
        return end
    for one, two in zip(ends, [*ends[1:], end], strict=True):
        if not text[one:two].strip():
            continue
        if scorer.about(text[one:two])[parameter] < _STRAY + of_another_question(text[one:two], lab):
            return one
    return end
