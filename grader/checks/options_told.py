"""Read answers that say something about each option of a question.

They use two lists, `Change: 1 2 3 / Not change: 4 5`, or one value per option, `1. true, 2. false`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from grader.claims.statements import mention
from grader.frozen import Frozen
from grader.language import lexicon

_NEAR: Final = 40
"""The most characters between the name of a list and its first option."""
_JOINS: Final = r"(?:[\s,;/&+()•*]|<and|the|article>)+"
_UNSURE: Final = r"\?|<doubt|ignorance|own_ignorance>"
_DENIED_BEFORE: Final = r"<negation>(?:\W+\w+){0,2}\W*\Z"
_DENIED_BEHIND: Final = r"\w*(?:\W+\w+)?\W+<verb_denial>"
_END: Final = r"(?!\w)"


def is_unsure(text: str) -> bool:
    """Whether a text asks, or says that its author does not know."""
    return lexicon.search(_UNSURE, text) is not None


class Lists(Frozen):
    """The names of the two lists as beginnings of words: `chosen` for the required options, `left` for the others."""

    chosen: tuple[str, ...]
    left: tuple[str, ...] = ()


class ToldOptions(NamedTuple):
    """The chosen and the rejected options, each with its place.

    `is_certain` is False if only one list is given, or an option stands in both.
    """

    chosen: Mapping[str, tuple[int, int]]
    left: Mapping[str, tuple[int, int]]
    is_certain: bool = True


_Place = tuple[int, int, str]
"""The start and end of an option's name, and the option."""


class _Label(NamedTuple):
    start: int
    end: int
    is_chosen: bool


def told_by_lists(text: str, choices: Mapping[str, str], lists: Lists) -> ToldOptions | None:
    """Return the options by two lists, or None if the text names none of the lab's lists."""
    for words in choices.values():
        text = re.sub(re.escape(words), lambda match: " " * len(match[0]), text, flags=re.IGNORECASE)
    labels = _labels(text, lists)
    options = [(match.start(), match.end(), match["name"]) for match in _names(choices).finditer(text)]
    if not labels or not options:
        return None
    found: dict[bool, dict[str, tuple[int, int]]] = {True: {}, False: {}}
    for label, run in _runs(text, labels, options):
        for start, stop, name in run:
            found[label.is_chosen].setdefault(_known(name, choices), (start, stop))
    if not (found[True] or found[False]):
        return None
    are_apart = bool(found[True]) and not found[True].keys() & found[False].keys()
    return ToldOptions(found[True], found[False], are_apart and not is_unsure(text))


def _runs(text: str, labels: Sequence[_Label], options: Sequence[_Place]) -> Iterator[tuple[_Label, list[_Place]]]:
    """Yield each list with its options, which stand after its name, or before it if the first option does."""
    is_behind = labels[0].start < options[0][0]
    edges = (
        [0, *(candidate.end for candidate in labels[:-1])],
        [*(candidate.start for candidate in labels[1:]), len(text)],
    )
    for label, begin, end in zip(labels, *edges, strict=True):
        if is_behind:
            own_options = [option for option in options if label.end <= option[0] < end]
        else:
            own_options = [option for option in reversed(options) if begin <= option[0] < label.start]
        yield label, _run(text, own_options, label, is_behind=is_behind)


def _labels(text: str, lists: Lists) -> list[_Label]:
    """Return the places where a text names the lists, in order. A denied name is that of the other list."""
    left = [_Label(*at, False) for at in _mentions(text, lists.left)]
    taken = {at for label in left for at in range(label.start, label.end)}
    chosen = []
    for start, end in _mentions(text, lists.chosen):
        if start in taken or end - 1 in taken:
            continue
        line = text.rfind("\n", 0, start) + 1
        is_denied = lexicon.search(_DENIED_BEFORE, text, line, start) or lexicon.match(_DENIED_BEHIND, text, end)
        chosen.append(_Label(start, end, not is_denied))
    return sorted((*left, *chosen))


def _mentions(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    while words and (match := mention(text, words, found[-1][1] if found else 0)) is not None:
        found.append(match)
    return found


def _run(text: str, options: Sequence[_Place], label: _Label, *, is_behind: bool) -> list[_Place]:
    """Return the options directly after a list's name, or directly before it, with only punctuation between them."""
    run: list[_Place] = []
    for option in options:
        last = run[-1] if run else (label.start, label.end, "")
        between = text[last[1] : option[0]] if is_behind else text[option[1] : last[0]]
        is_next = (
            lexicon.fullmatch(_JOINS, between) if run else len(between) <= _NEAR and not re.search("[.?!]", between)
        )
        if not is_next:
            break
        run.append(option)
    return run


def _names(choices: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern for the options' letters or numbers, apart from words and longer numbers: `a model` names
    none."""
    spelled = "|".join(sorted(map(re.escape, choices), key=len, reverse=True))
    article = rf"(?!\s(?!(?:{'|'.join(lexicon.words('and'))})\b)[^\W\d_]{{3,}})"
    is_word = any(choice.isalpha() for choice in choices)
    return re.compile(
        rf"(?<![\w.,'’-])(?P<name>{spelled})(?![\w'’-]|[.,]\d){article if is_word else ''}", re.IGNORECASE
    )


def _known(name: str, choices: Mapping[str, str]) -> str:
    return next(choice for choice in choices if choice.casefold() == name.casefold())


def told_each(text: str, choices: Mapping[str, str], lists: Lists | None) -> ToldOptions | None:
    """Return the options by the value after each letter or number, or None if some option has none or the text is
    unsure."""
    if is_unsure(text):
        return None
    value = _value(choices, lists or Lists(chosen=()))
    found: dict[bool, dict[str, tuple[int, int]]] = {True: {}, False: {}}
    for name in choices:
        form = rf"(?<![\w.,]){re.escape(name.lower())}[\s).:=|→*_-]{{1,5}}(?:<is>\s)?{value}"
        spans = {bool(match["yes"]): match.span() for match in lexicon.find_all(form, text)}
        if len(spans) != 1:
            return None
        ((is_yes, place),) = spans.items()
        found[is_yes][name] = place
    told_options = ToldOptions(found[True], found[False])
    behind = text[max(end for _, end in (*told_options.chosen.values(), *told_options.left.values())) :]
    is_corrected = lexicon.search("<other_choice|failing>", behind) and _names(choices).search(behind)
    return None if is_corrected else told_options


def _value(choices: Mapping[str, str], lists: Lists) -> str:
    """Return a pattern for the values that choose or reject an option. A letter for true or false must not be an
    option."""
    letters = {choice.casefold() for choice in choices}
    yes = ["<true>", "[✓✔✅☑]", *({"v", "t"} - letters), *(rf"{re.escape(word.lower())}\w*" for word in lists.chosen)]
    no = ["<false>", "[✗✘❌☒]", *({"f"} - letters), *(rf"{re.escape(word.lower())}\w*" for word in lists.left)]
    return rf"(?:(?P<no>{'|'.join(sorted(no))})|(?P<yes>{'|'.join(sorted(yes))})){_END}"
