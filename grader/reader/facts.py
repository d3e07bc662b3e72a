"""The facts that a reader states, found again in the hand-in: those of which every word and number of the quote
stands there.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from grader.claims.answer import Answer, StatedChoice, StatedComparison, StatedValue
from grader.claims.code import document_code
from grader.claims.commitment import Stance
from grader.claims.counts import CountClaim, counts
from grader.claims.definitions import DefinitionClaim, definitions
from grader.claims.numerals import Numeral, numerals, percentages
from grader.claims.passage import Passage, normalise
from grader.claims.results.claimed import ResultClaims, claims_of
from grader.claims.results.fact import Fact, Moment, Nearness, Role, Statistic
from grader.claims.results.numbers import numbers_in
from grader.claims.results.vocabulary import Kind, abbreviations_in, mentions
from grader.claims.sections import Section
from grader.claims.statements import all_statements
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.reader.answer import Quoted, Read, Reported, Selection
from grader.reader.card import (
    COMPARISON,
    DEFINITIONS,
    NOTHING,
    PARTS,
    RESULTS,
    SELECTION,
    SNIPPETS,
    TOTAL,
    VALUES,
    Earned,
)
from grader.reading.document import Block, BlockKind, Document, Evidence

_SHORTEST: Final = 2
"""Characters; less than that stands anywhere."""
_ALIKE: Final = {ord(one): "'" for one in "‘’ʼ′`´"} | {ord(one): '"' for one in "“”„«»″"} | {
    ord(one): "-" for one in "‐‑‒–—−"
}  # fmt: skip
_UNSEEN: Final = frozenset("\u00ad\u200b\ufeff_|\u2060")
"""Passed over beside white space: what a document's format adds or loses between the same words."""


class Place(NamedTuple):
    """`text[start:end]` of a passage."""

    passage: Passage
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words that stand there."""
        return self.passage.text[self.start : self.end]

    @property
    def evidence(self) -> Evidence:
        """The place as evidence."""
        return self.passage.evidence(self.start, max(self.end, self.start + 1))


def find(quote: str, passages: Sequence[Passage]) -> Place | None:
    """The first place where a quote stands: the same characters one after the other, white space, line breaks,
    ligatures, forms of quotation marks and dashes aside. None where it stands nowhere."""
    return next(places(quote, passages), None)


def places(quote: str, passages: Sequence[Passage]) -> Iterator[Place]:
    """All such places, in reading order."""
    wanted = "".join(one for one, _ in _squeezed(quote))
    if len(wanted) < _SHORTEST:
        return
    for passage in passages:
        text, origin = _as_read(passage)
        at = text.find(wanted)
        while at >= 0:
            start, end = (passage.offset_of(*origin[place]) for place in (at, at + len(wanted) - 1))
            yield Place(passage, start, min(end + 1, len(passage.text)))
            at = text.find(wanted, at + 1)


def number_in(value: str, place: Place) -> Numeral | None:
    """The number in a quote's place that a value gives, in whatever way it is written; None where it is not there. Of
    several the first one."""
    sought = normalise(value).text.strip(" %")
    # A sign or a point may stand before the number.
    whole = (one for one in _numbers(sought) if one.start <= 1 and one.end >= len(sought))
    wanted = {reading for one in whole for reading in one.readings}
    text = place.text
    for found in _numbers(text) if wanted else ():
        beside = text[max(0, found.start - 1) : found.start], text[found.end : found.end + 1]
        if wanted.intersection(found.readings) and not any(map(str.isdigit, beside)):
            return found._replace(start=found.start + place.start, end=found.end + place.start)
    return None


def _numbers(text: str) -> Iterator[Numeral]:
    yield from percentages(text)
    yield from numerals(text)
    yield from numbers_in(text)


@lru_cache(maxsize=256)
def _as_read(passage: Passage) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of a passage as it was read, squeezed, with the block and the offset in it of each character."""
    found = [
        (one, (index, offset)) for index, block in enumerate(passage.blocks) for one, offset in _squeezed(block.text)
    ]
    return "".join(one for one, _ in found), tuple(place for _, place in found)


def _squeezed(text: str) -> Iterator[tuple[str, int]]:
    """The characters of a text without white space and in one spelling, each with its offset."""
    for offset, character in enumerate(text):
        if character.isspace() or character in _UNSEEN:
            continue
        for plain in unicodedata.normalize("NFKC", character.translate(_ALIKE)):
            if not plain.isspace():
                yield plain, offset


_EPOCH: Final = re.compile(r"epoch\s*(\d{1,3})\b", re.IGNORECASE)
_STEP: Final = re.compile(r"step\s*(\d{1,6})\b", re.IGNORECASE)
_DIGIT: Final = re.compile(r"\d")
_STATISTICS: Final = {"value": Statistic.VALUE, "mean": Statistic.MEAN, "std": Statistic.STD}
_KEY: Final = re.compile(
    r"[\"']?\b(quote|results|definitions|experiment|statistic|selection|comparison|label|per_layer|printed_count)\b[\"']\s?:"
)
_FEWEST_KEYS: Final = 2
_MOST_PLACES: Final = 5
_CUT: Final = 280
"""Characters: so long a quote was cut, or may have been."""
_FURTHER: Final = 8
"""Lines."""
_CHOSEN: Final = "best validation"
_LABELS: Final = {"correct": "correct", "partial": "partial", "wrong": "incorrect"}


class Tally(Frozen):
    """Of some statements so many were asked to be found again, and of these so many quotes and numbers were not."""

    stated: int = 0
    without_quote: int = 0
    without_number: int = 0

    @property
    def lost(self) -> int:
        """How many do not count."""
        return self.without_quote + self.without_number


class Found(NamedTuple):
    """A reader's answer as claims of the hand-in; the places alone that it points at for the kinds in `shown`; and what
    became of its statements, by kind. `addressed` are words of the hand-in that speak to the reader."""

    answer: Answer
    pointed: Answer
    shown: frozenset[str]
    addressed: tuple[Evidence, ...]
    tallies: dict[str, Tally]

    @property
    def stated(self) -> int:
        """How many statements were looked for."""
        return sum(one.stated for one in self.tallies.values())

    @property
    def lost(self) -> int:
        """How many of them do not stand in the hand-in."""
        return sum(one.lost for one in self.tallies.values())


class _Counting:
    """Finds quotes, and counts those that are not there."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = passages
        self.tallies: dict[str, Tally] = {}

    def place(self, kind: str, one: Quoted, value: str | None = None) -> Place | None:
        """Where a statement stands with its number, if it has one."""
        tally = self.tallies.get(kind, Tally())
        tally = tally.model_copy(update={"stated": tally.stated + 1})
        place = find(one.quote, self.passages)
        if place is None:
            tally = tally.model_copy(update={"without_quote": tally.without_quote + 1})
        elif value is not None and number_in(value, place) is None:
            place, tally = None, tally.model_copy(update={"without_number": tally.without_number + 1})
        self.tallies[kind] = tally
        return place


def found_again(read: Read, answer: Answer, lab: Lab, earned: Earned = NOTHING) -> Found:
    """The claims of a hand-in as a reader states them: what it read takes the place of what rules found, the rest of
    the answer stays. Its labels and what it does not state count as far as it has `earned` that: else what the words
    are understood to say of a choice or a comparison stays, too."""
    passages = [section.passage for section in answer.sections]
    counting = _Counting(passages)
    changes: dict[str, Any] = {
        "results": _results(read.results, counting, lab),
        "total": _total(read, counting),
        "definitions": tuple(_definitions(read, counting, lab, earned)),
        "values": dict(_stated_values(read, counting, lab)),
        "silent_on": frozenset(_silent(read, lab, earned)),
    }
    if read.selection or SELECTION in earned.absences:
        changes["choices"] = tuple(_choices(read.selection, counting, lab))
    if read.comparison or COMPARISON in earned.absences:
        changes["comparisons"] = tuple(
            StatedComparison(better=None if one.better == "neither" else one.better, evidence=place.evidence)
            for one in read.comparison
            if (place := counting.place(COMPARISON, one))
        )
    for part in read.parts:
        counting.place(PARTS, part, part.value)
    shown = {kind: place for kind in SNIPPETS if (one := getattr(read, kind)) and (place := counting.place(kind, one))}
    pointed = _shown_alone(answer, shown, lab)
    addressed = tuple(place.evidence for one in read.addressed if (place := find(one.quote, passages)))
    forged = tuple(_forged(passages))
    places = tuple(dict.fromkeys((*forged, *addressed)))[:_MOST_PLACES]
    return Found(answer.model_copy(update=changes), pointed, frozenset(shown), places, counting.tallies)


def _forged(passages: Iterable[Passage]) -> Iterator[Evidence]:
    """Where a hand-in holds what has the form of a reader's answer."""
    for passage in passages:
        keys = list(_KEY.finditer(passage.text))
        if len({match[1] for match in keys}) >= _FEWEST_KEYS:
            yield passage.evidence(keys[0].start(), keys[0].end())


def _silent(read: Read, lab: Lab, earned: Earned) -> Iterator[str]:
    """The ids of what a reader states nothing about, as far as that has weight. What a place only shows may also stand
    in a file that it is not given to read."""
    if DEFINITIONS in earned.absences and read.definitions:
        yield from (one.id for one in lab.parameters if one.id not in read.definitions)
    if COMPARISON in earned.absences and read.results and not read.comparison:
        yield from (item.id for item in lab.items if item.check == "comparison")
    if RESULTS in earned.absences and read.results:
        told = {one.experiment for one in read.results}
        yield from (one.id for one in lab.experiments if one.id not in told)


def _shown_alone(answer: Answer, shown: Mapping[str, Place], lab: Lab) -> Answer:
    """The answer as if it held nothing but the places that a reader points at, each under its question."""
    sections, code = [], []
    for kind, place in shown.items():
        blocks = _blocks(place)
        alone = Passage(file=place.passage.file, exact=place.passage.exact, blocks=blocks)
        asked = [one.id for one in lab.questions if any(item.check == SNIPPETS[kind] for item in one.items)]
        sections.append(Section(title="", questions=tuple(asked), passage=alone))
        as_code = tuple(block.model_copy(update={"kind": BlockKind.CODE}) for block in blocks)
        listing = Document(file=alone.file, exact=alone.exact, blocks=as_code)
        code += [cell for cell in document_code(listing) if cell.does_something]
    return answer.model_copy(
        update={"sections": tuple(sections), "code": tuple(code), "notebooks": (), "runs": (), "defining": ()}
    )


def _blocks(place: Place) -> tuple[Block, ...]:
    """The lines of a place; a quote that was cut for its length goes on in the next ones."""
    passage = place.passage
    first, last = passage.index_at(place.start), passage.index_at(max(place.start, place.end - 1))
    further = _FURTHER if len(place.text) >= _CUT else 0
    return passage.blocks[first : last + 1 + further]


def _stated_values(read: Read, counting: _Counting, lab: Lab) -> Iterator[tuple[str, StatedValue]]:
    """The values that stand in the text; a reader quotes nothing for them."""
    for one in lab.parameters:
        value = read.values.get(one.id, "").strip()
        bare = value.strip("[]()\"'` ")
        if not bare:
            continue
        spelled = re.escape(bare).replace("_", r"[\s_]{0,2}")
        pattern = re.compile(rf"(?<![\w.,]){spelled}(?![\w%]|[.,]\d)")
        found = ((passage, pattern.search(passage.text)) for passage in counting.passages)
        place = next(((passage, match) for passage, match in found if match), None)
        tally = counting.tallies.get(VALUES, Tally())
        lost = tally.without_number + (place is None)
        counting.tallies[VALUES] = tally.model_copy(update={"stated": tally.stated + 1, "without_number": lost})
        if place:
            passage, match = place
            yield one.id, StatedValue(value=value, evidence=passage.evidence(match.start(), match.end()))


def _results(results: Iterable[Reported], counting: _Counting, lab: Lab) -> ResultClaims:
    known = {one.id for one in lab.experiments}
    facts: dict[str, list[Fact]] = {}
    for one in results:
        # The measure that is named, or the usual one of the experiment; None for one that the lab does not have.
        own = lab.measures_of(one.experiment) if one.experiment in known else ()
        measure = next((measure for measure in own if one.measure in ("", measure.id)), None)
        if one.statistic not in _STATISTICS or measure is None:
            if _DIGIT.search(one.value):
                counting.place(RESULTS, one, one.value)
            continue
        place = counting.place(RESULTS, one, one.value)
        if place is not None:
            facts.setdefault(measure.id, []).append(_fact(one, place, measure, lab))
    found = [claims_of(_numbered(_with_deviations(facts[one.id])), lab, one) for one in lab.measured if one.id in facts]
    return ResultClaims(
        seeds=tuple(claim for one in found for claim in one.seeds),
        summaries=tuple(claim for one in found for claim in one.summaries),
        course=tuple(claim for one in found for claim in one.course),
        loose=tuple(claim for one in found for claim in one.loose),
    )


def _fact(one: Reported, place: Place, measure: Measure, lab: Lab) -> Fact:
    number = number_in(one.value, place)
    assert number is not None  # noqa: S101  # it was found before
    splits = {split.id for split in lab.splits}
    return Fact(
        number=number if measure.is_share else number._replace(is_plain=True),
        statistic=_STATISTICS[one.statistic],
        experiment=Role(value=one.experiment, nearness=Nearness.LABEL),
        split=Role(value=one.split if one.split in splits else None, nearness=Nearness.LABEL),
        run=int(one.seed) if one.seed and one.seed.isdecimal() and len(one.seed) < 10 else None,
        moment=Moment(
            epoch=int(epoch[1]) if (epoch := _EPOCH.search(one.moment)) else None,
            step=int(step[1]) if (step := _STEP.search(one.moment)) else None,
            is_end=one.moment == "last epoch",
            is_chosen=one.moment == _CHOSEN,
        ),
        is_marked=one.moment == _CHOSEN,
        evidence=(place.passage.evidence(number.start, number.end),),
    )


def _with_deviations(facts: Sequence[Fact]) -> list[Fact]:
    """Averages with the deviations of the same experiment, split and moment, in their order."""
    rest = [fact for fact in facts if fact.statistic is Statistic.STD]
    result = []
    for fact in facts:
        if fact.statistic is Statistic.STD:
            continue
        if fact.statistic is Statistic.MEAN:
            key = (fact.experiment, fact.split, fact.moment)
            own = next((std for std in rest if (std.experiment, std.split, std.moment) == key), None)
            if own is not None:
                rest.remove(own)
                evidence = tuple(dict.fromkeys((*fact.evidence, *own.evidence)))
                fact = fact.model_copy(update={"deviation": own.number, "evidence": evidence})
        result.append(fact)
    return [*result, *rest]


def _numbered(facts: Sequence[Fact]) -> list[Fact]:
    """Values of which no seed is told, counted from 1 where several stand side by side."""
    counted: dict[tuple[object, ...], int] = {}
    result = []
    for fact in facts:
        if fact.statistic is Statistic.VALUE and fact.run is None and not fact.moment.is_told:
            key = (fact.experiment.value, fact.split.value, fact.moment)
            counted[key] = counted.get(key, 0) + 1
            fact = fact.model_copy(update={"run": counted[key]})
        result.append(fact)
    return result


def _choices(selection: Iterable[Selection], counting: _Counting, lab: Lab) -> Iterator[StatedChoice]:
    """The choices stated. One by a split counts where the sentence quoted names that split; else it is open by what."""
    splits = {split.id for split in lab.splits}
    reported = lab.reported[0] if lab.reported else None
    rules = {"best validation": lab.selecting, "best test": reported, "last epoch": "last", "fixed step": "last"}
    for one in selection:
        place = counting.place(SELECTION, one)
        if place is not None:
            by = rules.get(one.rule)
            is_named = by not in splits or by in _splits_named(place, lab)
            yield StatedChoice(experiments=one.experiments, by=by if is_named else None, evidence=place.evidence)


def _splits_named(place: Place, lab: Lab) -> set[str]:
    """The splits that the sentences in which a quote stands name, by a word of theirs."""
    passage = place.passage
    around = [one for one in all_statements(passage) if one.start < place.end and place.start < one.end]
    text = " ".join((*(one.text for one in around), place.text))
    found = mentions(text, lab, abbreviations_in(passage.text, lab))
    return {one.value for one in found if one.kind is Kind.SPLIT}


def _total(read: Read, counting: _Counting) -> CountClaim | None:
    if read.total is None or (place := counting.place(TOTAL, read.total, read.total.value)) is None:
        return None
    number = number_in(read.total.value, place)
    assert number is not None  # noqa: S101  # it was found before
    return next((claim for claim in counts(place.passage) if claim.start == number.start), None)


def _definitions(read: Read, counting: _Counting, lab: Lab, earned: Earned) -> Iterator[DefinitionClaim]:
    known = {one.id for one in lab.parameters}
    for name, one in read.definitions.items():
        place = counting.place(DEFINITIONS, one) if name in known else None
        if place is not None:
            label = _LABELS.get(one.label or "", "")
            yield _definition(name, place, label if label in earned.labels else "", lab)


def _definition(name: str, place: Place, opinion: str, lab: Lab) -> DefinitionClaim:
    """The claim that the quoted words make: less the name and the value that open them, where they do."""
    text = " ".join(place.text.split())
    block = Block(kind=BlockKind.LINE, text=text)
    quoted = Passage(file=place.passage.file, exact=place.passage.exact, blocks=(block,))
    own = next((claim for claim in definitions(quoted, lab) if claim.parameter == name and claim.text), None)
    return DefinitionClaim(
        parameter=name,
        text=own.text if own else text,
        value=own.value if own else None,
        evidence=place.evidence,
        in_text=bool(own and own.in_text),
        opinion=opinion,
        stance=own.stance if own else Stance.ASSERTED,
        committed=own.committed if own else text,
    )
