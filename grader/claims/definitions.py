"""Find definitions of configuration parameters, and the values that they state.

A definition begins a line, list item, table row or comment with the parameter's name, or stands in prose. A definition
without a name is assigned by the lab's marked examples. Each text belongs to at most one parameter.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

from grader.claims.commitment import Stance, open_parts
from grader.claims.definition_openings import (
    Opening,
    cells_of,
    find_openings,
    is_value,
    opens_another,
    settings,
    with_words_of_code,
    wraps,
)
from grader.claims.definition_prose import Run, Span, mentions, runs
from grader.claims.numerals import text_before
from grader.claims.passage import Passage, is_within
from grader.frozen import Frozen, memoise
from grader.lab.definition import Lab, Parameter
from grader.language import lexicon
from grader.reading.document import BlockKind, Evidence

_LONGEST = 1_500
_NUMBER = r"\d+(?:[.,]\d+)?(?:e[-+]?\d+|\s?%)?|\.\d+"
_MARK = re.compile(r"^\W*\.\s+|^(?:\(\d{1,2}\)|\d{1,2}[.)])\s+(?=[^\W\d])")
_COMMENT_SIGN = re.compile(r"\n\s*#+\s?")
_PROSE = (BlockKind.LINE, BlockKind.LIST_ITEM)
_FEWEST_WORDS = 3
_MOST = 60
"""The most definitions, and paragraphs beside them, that are examined."""
_TOGETHER = 2
"""The number of parameters that a row may name together."""
_NEAR = 1_200
"""The largest distance, in characters, of a definition without its own line from the others."""
_BESIDE = range(3)
"""The possible distances, in characters, between a setting in code and a comment on the next line."""


class DefinitionClaim(Frozen):
    """A text's statement about one parameter."""

    parameter: str
    text: str
    """The definition, normalised, without name and value."""
    value: str | None
    """The stated value as written."""
    evidence: Evidence
    in_text: bool = False
    """Whether only the words of the definition state the value."""
    named: bool = True
    """Whether the text names the parameter. Otherwise its meaning identifies the parameter."""
    opinion: str = ""
    """The verdict of a reader, if there is one."""
    stance: Stance = Stance.ASSERTED
    """The stance of the sentences that the text does not assert, if there are any."""
    committed: str = ""
    """The definition without these sentences."""
    behind: str = ""
    """The text directly behind it in its paragraph, if it belongs to no definition."""


class Leftover(NamedTuple):
    """Text that belongs to no definition, with its place. `is_near`: a definition stands near it, or none was found."""

    text: str
    place: Evidence
    is_near: bool


def definitions(passage: Passage, lab: Lab) -> Iterator[DefinitionClaim]:
    """Yield the definitions of a passage in reading order, then the values that stand with a name alone."""
    passage = with_words_of_code(passage)
    found, values = _found(passage, lab)
    starts = sorted([*(start for run in found for start, _ in _whole(run)), *(value.start for value in values)])
    claims = [(run.places[0][0], _claim(passage, run, lab, _behind(passage, run, starts, lab))) for run in found]
    claims += [(value.start, _value_claim(passage, value)) for value in values]
    yield from (claim for _, claim in sorted(claims, key=lambda entry: entry[0]))


def unassigned_text(passage: Passage, lab: Lab) -> Iterator[Leftover]:
    """Yield the text of a passage that belongs to no definition, without headings and introductions (`…:`)."""
    passage = with_words_of_code(passage)
    found, values = _found(passage, lab)
    places = list(chain.from_iterable(map(_whole, found)))
    near = {False: _near(places), True: _near([place for place in places if _is_aside(passage, place[0])])}
    for start, end in _left(passage, [*places, *((value.start, value.end) for value in values)]):
        text, is_aside = passage.text[start:end].strip(), _is_aside(passage, start)
        around = near[is_aside]
        is_near = not is_aside if around is None else start in around or end in around
        if len(text.split()) >= _FEWEST_WORDS and not text.endswith(":") and (is_near or not is_aside):
            yield Leftover(text, passage.evidence(start, end), is_near)


def _is_aside(passage: Passage, start: int) -> bool:
    """Whether a text is a comment or docstring. It is about its code unless it names a parameter."""
    voice = passage.block_at(start).voice
    return voice is not None and voice.is_code


@memoise
def _found(passage: Passage, lab: Lab) -> tuple[tuple[Run, ...], tuple[Opening, ...]]:
    """Return the definitions, and the names with only a value."""
    openings = list(islice(find_openings(passage, lab.parameters), _MOST))
    for start, end in islice(_left(passage, [(opening.start, opening.end) for opening in openings]), _MOST):
        openings += (
            Opening(mention.parameter, mention.start, mention.end, mention.value, ())
            for mention in mentions(passage.text, start, end, lab)
            if mention.value
        )
    openings.sort(key=lambda opening: opening.start)
    spans = []
    for first, second in pairwise([*openings, None]):
        assert first is not None  # noqa: S101  # only the last is None
        leads_on = len(first.places) > 1 or (second is not None and not passage.text[first.end : second.start].strip())
        spans += [Span(*place, first, leads_on) for place in first.places]
    near = _near([(span.start, span.end) for span in spans])
    beside = list(islice(settings(passage, lab.parameters), _MOST))
    taken = [(opening.start, opening.end) for opening in (*openings, *beside) if opening.places or opening in beside]
    for start, end in _left(passage, taken):
        if near is None or start in near or end in near:
            values = {
                opening.parameter: opening.value or ""
                for opening in beside
                if opening.start - end in _BESIDE or start - opening.end in _BESIDE
            }
            # In a comment, an ordinary word such as `bias` may mean anything.
            named = [
                parameter.id
                for parameter in lab.parameters
                if "_" in parameter.id and parameter.id in passage.text[start:end]
            ]
            if _is_aside(passage, start) and not values and not named:
                continue
            spans.append(Span(start, end, beside=values))
    spans += _rows(passage, taken, lab)
    spans.sort(key=lambda span: span[:2])
    found = tuple(runs(passage.text, spans, lab))
    defined = {run.span.opening for run in found if run.span.opened == run.parameter}
    alone = (
        opening._replace(end=opening.places[0][0], places=()) if opening.places else opening
        for opening in openings
        if opening not in defined
    )
    return found, tuple(alone)


def _rows(passage: Passage, taken: Sequence[tuple[int, int]], lab: Lab) -> Iterator[Span]:
    """Yield the table rows that define parameters without beginning with a name.

    They name two parameters together, or contain the value of one and some words.
    """
    for number, block in enumerate(passage.blocks):
        start = passage.offset_of(number)
        if not block.cells or is_within(start, taken):
            continue
        cells = cells_of(passage, number)
        words = [(at, at + len(text)) for at, text in cells if len(text.split()) >= _FEWEST_WORDS]
        if words and _names_two(passage, *cells[0], lab):
            yield Span(cells[0][0], words[-1][1], leads_on=True)  # a row counts as one sentence
            continue
        values = _values_of(cells, lab)
        if len(words) == len(values) == 1:
            yield Span(*words[0], beside=values)


def _values_of(cells: Sequence[tuple[int, str]], lab: Lab) -> dict[str, str]:
    """Return the values of parameters in some cells."""
    ends = [re.split(r"[:=]\s", text)[-1] for _, text in cells]
    return {parameter.id: text for parameter in lab.parameters for text in ends if is_value(text, parameter)}


def _names_two(passage: Passage, start: int, text: str, lab: Lab) -> bool:
    return len({mention.parameter for mention in mentions(passage.text, start, start + len(text), lab)}) == _TOGETHER


def _near(places: Sequence[tuple[int, int]]) -> range | None:
    """Return the range in which definitions stand together, or None."""
    return range(min(places)[0] - _NEAR, max(end for _, end in places) + _NEAR) if places else None


def _whole(run: Run) -> Iterator[tuple[int, int]]:
    """Yield the places of a definition, including its name."""
    opening = run.span.opening
    yield (opening.start if opening else run.places[0][0]), run.places[0][1]
    yield from run.places[1:]


def _left(passage: Passage, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs and list items of a passage without the places that are taken."""
    in_order = sorted(taken)
    for begin, end in _paragraphs(passage):
        for taken_start, taken_end in (*in_order, (end, end)):
            stop = min(taken_start, end)
            if passage.text[begin:stop].strip():
                yield begin, stop
            begin = max(begin, taken_end)


def _paragraphs(passage: Passage) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each list item and each sequence of consecutive lines."""
    start: int | None = None
    for index, block in enumerate(passage.blocks):
        if start is None and block.kind in _PROSE and not opens_another(passage.blocks, index):
            start = passage.offset_of(index)
        if start is not None and not wraps(passage.blocks, index + 1):
            yield start, passage.end_of(index)
            start = None


def _behind(passage: Passage, run: Run, starts: Sequence[int], lab: Lab) -> str:
    """Return the text from the end of a definition to the end of its paragraph, to the next definition or to another
    parameter's name, if the student commits to it."""
    end = run.places[-1][1]
    until = next((start for start in starts if start >= end), len(passage.text))
    until = min(until, passage.end_of(passage.index_at(max(0, end - 1))))
    others = (name.start for name in mentions(passage.text, end, until, lab) if name.parameter != run.parameter)
    until = next(others, until)
    return "" if list(open_parts(passage, end, until)) else passage.text[end:until]


def _claim(passage: Passage, run: Run, lab: Lab, behind: str) -> DefinitionClaim:
    opening = run.span.opening if run.span.opened == run.parameter else None
    value = opening.value if opening else run.span.beside.get(run.parameter)
    whole = _less_marks(passage.text[first:second] for first, second in run.places)
    text = _less_setting(whole)
    asked = {parameter.id: parameter for parameter in lab.parameters}[run.parameter]
    (start, _), *_ = places = list(_whole(run))
    place = passage.evidence(start, places[-1][1])
    stated = None if value else _stated(whole, asked)
    open_ones = open_parts(passage, start, places[-1][1])
    cut = [(left, right) for left, right, _ in open_ones]
    left = (passage.text[at:to] for first, second in run.places for at, to in _without(first, second, cut))
    return DefinitionClaim(
        parameter=run.parameter,
        text=text,
        stance=open_ones[0][2] if open_ones else Stance.ASSERTED,
        committed=_less_setting(_less_marks(left)) if open_ones else text,
        value=(value or stated or "").strip(" \"'") or None,
        evidence=place,
        in_text=stated is not None,
        named=run.named,
        behind=_less_marks([behind]),
    )


def _less_marks(parts: Iterable[str]) -> str:
    """Return the words of a definition without the signs around them."""
    words = " ".join(_COMMENT_SIGN.sub("\n", part) for part in parts)
    return _MARK.sub("", " ".join(words[:_LONGEST].split())).lstrip(" :-|,=→>#").rstrip(" :-|,=→")


def _less_setting(text: str) -> str:
    """Return a definition without the value in front of it, such as `set to 16.`"""
    setting = lexicon.match(_SET, text)
    return text[setting.end() :] if setting else text


def _without(start: int, end: int, cut: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the rest of a stretch of text without some others, which are in order."""
    for left, right in (*cut, (end, end)):
        if start < min(left, end):
            yield start, min(left, end)
        start = max(start, right)


def _value_claim(passage: Passage, opening: Opening) -> DefinitionClaim:
    place = passage.evidence(opening.start, opening.end)
    value = opening.value.strip(" \"'") if opening.value else None
    return DefinitionClaim(parameter=opening.parameter, text="", value=value, evidence=place)


def _stated(text: str, parameter: Parameter) -> str | None:
    """Return the value that the words of a definition state, or None. In `is set to 0`, 0 is never the parameter's
    value."""
    text = re.sub(rf"^(?:{'|'.join(map(re.escape, parameter.names))})[\s,:]+", "", text)
    nouns = "|".join(re.escape(word) for word in parameter.names if word.replace(" ", "").isalpha())
    pattern = (
        rf"(?:<takes_value>|<in_our_setup>(?:,? (?:<is>|<it_is>))?|(?<!\w)(?:{nouns}) (?:of|de|=))"
        rf"(?:[:,]| <taken_here>)*\s*(?:<a_value_of>\s)?(?P<value>{_NUMBER}|\"[^\"]+\")"
        rf"|\(=?\s*(?P<inside>{_NUMBER})\)"
        rf"|^(?:(?:which |that |qui )?(?:is|est|equals|vaut)\s)?(?P<first>{_NUMBER})(?=[.;,:]\s|$)"
    )
    # In `alpha / r, here 2`, 2 is the value of the quotient.
    matches = (
        candidate
        for candidate in lexicon.find_all(pattern, text)
        if not re.search(_QUOTIENT, text_before(text, candidate.start(), 30))
    )
    found = (match["value"] or match["inside"] or match["first"] for match in matches)
    return next((value for value in found if value.strip("% ") not in ("0", "0.0")), None)


_SET = rf"^(?:<is> )?<takes_value> (?:{_NUMBER}|[\"'`][^\"'`]+[\"'`])[.;,:]\s+"
_QUOTIENT = r"[/÷]|\b(?:over|sur|divi\w+)\b"
