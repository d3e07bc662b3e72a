"""Judgement of a hand-in with the help of a reader's answer. A fact counts only if every word and number of its quote
stands in the hand-in. Conclusions on which rules and reader agree stand, those that differ go to a person, and those
that only the reader finds stand if they are verified or earned."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from grader.checks.addressed import FLAG as ADDRESSED
from grader.checks.addressed import addressed_flag
from grader.checks.experiment import report_of, values
from grader.checks.feedback import left_to_person
from grader.checks.finding import STATUS_WORDS, UNDECIDED, Finding, Findings, Flag, Severity, Status
from grader.claims.answer import Answer, StatedChoice, StatedComparison, StatedValue
from grader.claims.code import document_code
from grader.claims.commitment import Stance
from grader.claims.counts import CountClaim, counts
from grader.claims.definitions import DefinitionClaim, definitions
from grader.claims.numerals import Numeral, numerals, percentages
from grader.claims.passage import Passage, normalise
from grader.claims.results.claimed import ResultClaims, claims_of, mean_fits, std_fits
from grader.claims.results.fact import Fact, Moment, Nearness, Role, Statistic
from grader.claims.results.numbers import numbers_in
from grader.claims.results.vocabulary import Kind, abbreviations_in, mentions
from grader.claims.sections import Section
from grader.claims.statements import all_statements
from grader.frozen import Frozen
from grader.lab.definition import Item, Lab
from grader.lab.experiments import Measure
from grader.language.shapes import DIGIT
from grader.message import join_messages, say
from grader.reader.answer import NoAnswerError, QuotedStatement, Read, ReaderUsed, Record, ReportedResult, Selection
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
    EarnedRights,
)
from grader.reading.document import Block, BlockKind, Document, Evidence

_SHORTEST: Final = 2
"""Characters; less than that stands anywhere."""
_ALIKE: Final = {ord(sign): "'" for sign in "‘’ʼ′`´"} | {ord(sign): '"' for sign in "“”„«»″"} | {
    ord(sign): "-" for sign in "‐‑‒–—−"
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
    wanted = "".join(sign for sign, _ in _squeezed(quote))
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
    whole = (number for number in _numbers(sought) if number.start <= 1 and number.end >= len(sought))
    wanted = {reading for number in whole for reading in number.readings}
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
        (sign, (index, offset)) for index, block in enumerate(passage.blocks) for sign, offset in _squeezed(block.text)
    ]
    return "".join(text for text, _ in found), tuple(place for _, place in found)


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
    """Counts of statements that were looked for in the hand-in, and of the quotes and numbers among them that were not
    found."""

    stated: int = 0
    without_quote: int = 0
    without_number: int = 0

    @property
    def lost(self) -> int:
        """The number of statements that do not count."""
        return self.without_quote + self.without_number


class LocatedAnswer(NamedTuple):
    """A reader's answer as claims of the hand-in; the places alone that it points at for the kinds in `shown`; and what
    became of its statements, by kind. `addressed` are words of the hand-in that speak to the reader."""

    answer: Answer
    pointed: Answer
    shown: frozenset[str]
    addressed: tuple[Evidence, ...]
    tallies: dict[str, Tally]

    @property
    def stated(self) -> int:
        """The number of statements that were looked for."""
        return sum(tally.stated for tally in self.tallies.values())

    @property
    def lost(self) -> int:
        """The number of statements that do not stand in the hand-in."""
        return sum(tally.lost for tally in self.tallies.values())


class _Counting:
    """Finds quotes, and counts those that are not there."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = passages
        self.tallies: dict[str, Tally] = {}

    def place(self, kind: str, quote: QuotedStatement, value: str | None = None) -> Place | None:
        """Return the place of a statement with its number, if it has one."""
        tally = self.tallies.get(kind, Tally())
        tally = tally.model_copy(update={"stated": tally.stated + 1})
        place = find(quote.quote, self.passages)
        if place is None:
            tally = tally.model_copy(update={"without_quote": tally.without_quote + 1})
        elif value is not None and number_in(value, place) is None:
            place, tally = None, tally.model_copy(update={"without_number": tally.without_number + 1})
        self.tallies[kind] = tally
        return place


def found_again(read: Read, answer: Answer, lab: Lab, earned: EarnedRights = NOTHING) -> LocatedAnswer:
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
            StatedComparison(
                better=None if comparison.better == "neither" else comparison.better, evidence=place.evidence
            )
            for comparison in read.comparison
            if (place := counting.place(COMPARISON, comparison))
        )
    for part in read.parts:
        counting.place(PARTS, part, part.value)
    shown = {
        kind: place
        for kind in SNIPPETS
        if (statement := getattr(read, kind)) and (place := counting.place(kind, statement))
    }
    pointed = _shown_alone(answer, shown, lab)
    addressed = tuple(place.evidence for quote in read.addressed if (place := find(quote.quote, passages)))
    forged = tuple(_forged(passages))
    places = tuple(dict.fromkeys((*forged, *addressed)))[:_MOST_PLACES]
    return LocatedAnswer(answer.model_copy(update=changes), pointed, frozenset(shown), places, counting.tallies)


def _forged(passages: Iterable[Passage]) -> Iterator[Evidence]:
    """Yield the places where a hand-in contains text in the form of a reader's answer."""
    for passage in passages:
        keys = list(_KEY.finditer(passage.text))
        if len({match[1] for match in keys}) >= _FEWEST_KEYS:
            yield passage.evidence(keys[0].start(), keys[0].end())


def _silent(read: Read, lab: Lab, earned: EarnedRights) -> Iterator[str]:
    """The ids of what a reader states nothing about, as far as that has weight. What a place only shows may also stand
    in a file that it is not given to read."""
    if DEFINITIONS in earned.absences and read.definitions:
        yield from (parameter.id for parameter in lab.parameters if parameter.id not in read.definitions)
    if COMPARISON in earned.absences and read.results and not read.comparison:
        yield from (item.id for item in lab.items if item.check == "comparison")
    if RESULTS in earned.absences and read.results:
        stated_ids = {result.experiment for result in read.results}
        yield from (experiment.id for experiment in lab.experiments if experiment.id not in stated_ids)


def _shown_alone(answer: Answer, shown: Mapping[str, Place], lab: Lab) -> Answer:
    """The answer as if it held nothing but the places that a reader points at, each under its question."""
    sections, code = [], []
    for kind, place in shown.items():
        # A quote that was cut for its length goes on in the next lines.
        passage = place.passage
        first, last = passage.index_at(place.start), passage.index_at(max(place.start, place.end - 1))
        further = _FURTHER if len(place.text) >= _CUT else 0
        blocks = passage.blocks[first : last + 1 + further]
        alone = Passage(file=place.passage.file, exact=place.passage.exact, blocks=blocks)
        asked = [
            question.id for question in lab.questions if any(item.check == SNIPPETS[kind] for item in question.items)
        ]
        sections.append(Section(title="", questions=tuple(asked), passage=alone))
        as_code = tuple(block.model_copy(update={"kind": BlockKind.CODE}) for block in blocks)
        listing = Document(file=alone.file, exact=alone.exact, blocks=as_code)
        code += [cell for cell in document_code(listing) if cell.does_something]
    return answer.model_copy(
        update={"sections": tuple(sections), "code": tuple(code), "notebooks": (), "runs": (), "defining": ()}
    )


def _stated_values(read: Read, counting: _Counting, lab: Lab) -> Iterator[tuple[str, StatedValue]]:
    """The values that stand in the text; a reader quotes nothing for them."""
    for parameter in lab.parameters:
        value = read.values.get(parameter.id, "").strip()
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
            yield parameter.id, StatedValue(value=value, evidence=passage.evidence(match.start(), match.end()))


def _results(results: Iterable[ReportedResult], counting: _Counting, lab: Lab) -> ResultClaims:
    experiment_ids = {experiment.id for experiment in lab.experiments}
    facts: dict[str, list[Fact]] = {}
    for result in results:
        # The measure that is named, or the usual one of the experiment; None for one that the lab does not have.
        own_measures = lab.measures_of(result.experiment) if result.experiment in experiment_ids else ()
        measure = next((measure for measure in own_measures if result.measure in ("", measure.id)), None)
        if result.statistic not in _STATISTICS or measure is None:
            if DIGIT.search(result.value):
                counting.place(RESULTS, result, result.value)
            continue
        place = counting.place(RESULTS, result, result.value)
        if place is not None:
            facts.setdefault(measure.id, []).append(_fact(result, place, measure, lab))
    found = [
        claims_of(_numbered(_with_deviations(facts[candidate.id])), lab, candidate)
        for candidate in lab.measured
        if candidate.id in facts
    ]
    return ResultClaims(
        seeds=tuple(claim for claims in found for claim in claims.seeds),
        summaries=tuple(claim for claims in found for claim in claims.summaries),
        course=tuple(claim for claims in found for claim in claims.course),
        loose=tuple(claim for claims in found for claim in claims.loose),
    )


def _fact(figure: ReportedResult, place: Place, measure: Measure, lab: Lab) -> Fact:
    number = number_in(figure.value, place)
    assert number is not None  # noqa: S101  # it was found before
    splits = {split.id for split in lab.splits}
    return Fact(
        number=number if measure.is_share else number._replace(is_plain=True),
        statistic=_STATISTICS[figure.statistic],
        experiment=Role(value=figure.experiment, nearness=Nearness.LABEL),
        split=Role(value=figure.split if figure.split in splits else None, nearness=Nearness.LABEL),
        run=int(figure.seed) if figure.seed and figure.seed.isdecimal() and len(figure.seed) < 10 else None,
        moment=Moment(
            epoch=int(epoch[1]) if (epoch := _EPOCH.search(figure.moment)) else None,
            step=int(step[1]) if (step := _STEP.search(figure.moment)) else None,
            is_end=figure.moment == "last epoch",
            is_chosen=figure.moment == _CHOSEN,
        ),
        is_marked=figure.moment == _CHOSEN,
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
            own_fact = next((std for std in rest if (std.experiment, std.split, std.moment) == key), None)
            if own_fact is not None:
                rest.remove(own_fact)
                evidence = tuple(dict.fromkeys((*fact.evidence, *own_fact.evidence)))
                fact = fact.model_copy(update={"deviation": own_fact.number, "evidence": evidence})
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
    for choice in selection:
        place = counting.place(SELECTION, choice)
        if place is not None:
            by = rules.get(choice.rule)
            is_named = by not in splits or by in _splits_named(place, lab)
            yield StatedChoice(experiments=choice.experiments, by=by if is_named else None, evidence=place.evidence)


def _splits_named(place: Place, lab: Lab) -> set[str]:
    """The splits that the sentences in which a quote stands name, by a word of theirs."""
    passage = place.passage
    around = [
        statement
        for statement in all_statements(passage)
        if statement.start < place.end and place.start < statement.end
    ]
    text = " ".join((*(statement.text for statement in around), place.text))
    found = mentions(text, lab, abbreviations_in(passage.text, lab))
    return {mention.value for mention in found if mention.kind is Kind.SPLIT}


def _total(read: Read, counting: _Counting) -> CountClaim | None:
    if read.total is None or (place := counting.place(TOTAL, read.total, read.total.value)) is None:
        return None
    number = number_in(read.total.value, place)
    assert number is not None  # noqa: S101  # it was found before
    return next((claim for claim in counts(place.passage) if claim.start == number.start), None)


def _definitions(read: Read, counting: _Counting, lab: Lab, earned: EarnedRights) -> Iterator[DefinitionClaim]:
    parameter_ids = {parameter.id for parameter in lab.parameters}
    for name, definition in read.definitions.items():
        place = counting.place(DEFINITIONS, definition) if name in parameter_ids else None
        if place is not None:
            label = _LABELS.get(definition.label or "", "")
            yield _definition(name, place, label if label in earned.labels else "", lab)


def _definition(name: str, place: Place, opinion: str, lab: Lab) -> DefinitionClaim:
    """The claim that the quoted words make: less the name and the value that open them, where they do."""
    text = " ".join(place.text.split())
    block = Block(kind=BlockKind.LINE, text=text)
    quoted = Passage(file=place.passage.file, exact=place.passage.exact, blocks=(block,))
    own_definition = next((claim for claim in definitions(quoted, lab) if claim.parameter == name and claim.text), None)
    return DefinitionClaim(
        parameter=name,
        text=own_definition.text if own_definition else text,
        value=own_definition.value if own_definition else None,
        evidence=place.evidence,
        in_text=bool(own_definition and own_definition.in_text),
        opinion=opinion,
        stance=own_definition.stance if own_definition else Stance.ASSERTED,
        committed=own_definition.committed if own_definition else text,
    )


SAME, ALONE, OTHER, SUGGESTS = "reader:same", "reader:alone", "reader:other", "reader:suggests"
"""The tags of findings that a reader has part in: it finds the same; it alone finds it; it finds something else; it may
only suggest."""

_RESTS_ON: Final = {
    "seeds-reported": (RESULTS,),
    "seed-statistics": (RESULTS,),
    "expected-band": (RESULTS,),
    "checkpoint-selection": (RESULTS, SELECTION),
    "comparison": (RESULTS, COMPARISON),
    "short-answer": (DEFINITIONS,),
    "parameter-count": (TOTAL,),
    "count-derivation": (TOTAL,),
    "parameter-values": (VALUES,),
    **{check: (kind,) for kind, check in SNIPPETS.items()},
}
"""The kinds of a reader's facts that a check's verdict rests on."""

_MOST_LOST: Final = 0.1
"""A reader that errs in a larger share of what it states of a hand-in is not believed in anything about it that
nothing confirms."""
_ABSENT: Final = (Status.MISSING, Status.NOT_RUN)
_RANK: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING, Status.NOT_RUN)
_NOTHING: Final = (Status.MISSING, Status.INCORRECT, Status.NOT_RUN)


def weigh(
    by_rules: Sequence[Finding],
    by_reader: Mapping[str, Finding],
    found: LocatedAnswer,
    earned: EarnedRights,
    lab: Lab,
    *,
    reliable: bool,
) -> tuple[Finding, ...]:
    """One finding for each item, in the lab's order."""
    items = {item.id: item for item in lab.items}
    return tuple(
        _both(finding, by_reader[finding.item], items[finding.item], found, earned, lab, reliable=reliable)
        for finding in by_rules
    )


def contradicting_places(rules: Answer, read: Answer) -> list[str]:
    """Figures that both found in one place and say to be of different experiments or splits."""
    by_place = {(claim.evidence, claim.value): claim for claim in rules.results.seeds}
    return [
        f"{claim.value}"
        for claim in read.results.seeds
        if (same := by_place.get((claim.evidence, claim.value)))
        and any(
            None not in pair and pair[0] != pair[1]
            for pair in ((same.experiment, claim.experiment), (same.split, claim.split))
        )
    ]


def _both(
    rules: Finding, read: Finding, item: Item, found: LocatedAnswer, earned: EarnedRights, lab: Lab, reliable: bool
) -> Finding:
    if item.check not in _RESTS_ON or Status.ERROR in (rules.status, read.status):
        return rules
    pointed = _RESTS_ON[item.check][0] in found.shown
    if pointed and read.status in _NOTHING:
        return rules  # the place alone may be too little to be understood
    if rules.status not in UNDECIDED:
        return _beside_verdict(rules, read, item, found, earned, pointed=pointed)
    if read.status in UNDECIDED:
        return rules if rules.suggestion or not read.suggestion else _suggested(rules, read.suggestion, read)
    rests = _RESTS_ON[item.check]
    if read.status in _ABSENT:
        # What it rests on first of all counts here, but not where rules found a sentence that may be a comparison.
        is_earned = rests[0] in earned.absences and not (COMPARISON in rests and rules.found is not None)
        note = say("Only the reader says so: it found nothing about this, and it rarely misses anything.")
    else:
        is_earned = earned.facts.issuperset(rests)
        note = say("Only the reader found this; the checks decided on the words that it quoted from the submission.")
    if not (reliable and is_earned) and not _is_verified(read, item, found, lab):
        return _suggested(rules, read.status, read)
    return read.with_changes(note=_with(read.note, note), tags=(*read.tags, ALONE))


def _beside_verdict(
    rules: Finding, read: Finding, item: Item, found: LocatedAnswer, earned: EarnedRights, *, pointed: bool
) -> Finding:
    """Return the finding that results from a verdict of the rules and the statements of a reader."""
    # The label that a reader gives the answer to an item, as far as that has weight.
    labels = (
        definition.opinion
        for definition in found.answer.definitions
        if definition.parameter == item.options.get("topic")
    )
    opinion = next(labels, "")
    if opinion and opinion != _meant(rules):
        return _differing(rules, read)
    if read.status in UNDECIDED:
        return _differing(rules, read) if not opinion and _leaves_open(rules, read, item, found, earned) else rules
    if read.status in _ABSENT and _RESTS_ON[item.check][0] not in earned.absences:
        return rules  # that it states nothing says nothing
    if pointed and _RANK.index(rules.status) < _RANK.index(read.status) and not _share_places(rules, read):
        return rules  # of several places the best counts, and a reader points at one
    if rules.status is read.status or {rules.status, read.status} <= set(_NOTHING):
        return rules.with_changes(tags=(*rules.tags, SAME), confidence=max(rules.confidence, 0.99))
    return _differing(rules, read)


def _leaves_open(rules: Finding, read: Finding, item: Item, found: LocatedAnswer, earned: EarnedRights) -> bool:
    """Whether full points that rules give are in doubt by what a reader states of the same matter, or by its stating
    nothing where that has weight."""
    tallies = {kind: found.tallies.get(kind, Tally()) for kind in _RESTS_ON[item.check]}
    is_heard = all(
        tally.stated > tally.lost or (not tally.stated and kind in earned.absences) for kind, tally in tallies.items()
    )
    return is_heard and rules.status is Status.CORRECT and read.suggestion is not rules.status


def _share_places(rules: Finding, read: Finding) -> bool:
    """Whether both rest on the same words."""
    return any(
        place.file == other.file
        and place.page == other.page
        and (place.quote in other.quote or other.quote in place.quote)
        for place in rules.evidence
        for other in read.evidence
        if place.quote and other.quote
    )


def _meant(finding: Finding) -> Status:
    """The label of an answer in words, before a wrong value beside it was counted."""
    by_value = (
        any(diagnosis.id == "wrong-value" for diagnosis in finding.diagnoses) and finding.status is Status.PARTIAL
    )
    return Status.CORRECT if by_value else finding.status


def _differing(rules: Finding, read: Finding) -> Finding:
    """Both shown to a person. What was found without the reader is not worth more than what it found, nor less."""
    note = say(
        "Without the reader: {first} ({why}) With the reader: {second} ({other})",
        first=STATUS_WORDS[rules.status],
        why=rules.feedback,
        second=STATUS_WORDS[read.status],
        other=read.feedback,
    )
    return rules.with_changes(
        status=Status.REVIEW,
        suggestion=None if rules.status in _NOTHING else rules.status,
        evidence=tuple(dict.fromkeys((*rules.evidence, *read.evidence))),
        feedback=left_to_person(say("Two ways of reading this come to different conclusions.")),
        note=_with(rules.note, note),
        tags=(*(tag for tag in rules.tags if not tag.startswith("automatic:")), OTHER),
        confidence=min(rules.confidence, read.confidence),
    )


def _suggested(rules: Finding, status: Status, read: Finding) -> Finding:
    """Return a finding that the rules left open, with the suggestion of the reader's facts. Having found nothing is no
    evidence."""
    if status is Status.MISSING or status is Status.NOT_RUN or not read.evidence:
        return rules
    note = say("The reader's facts suggest: {status} ({why})", status=STATUS_WORDS[status], why=read.feedback)
    return rules.with_changes(
        suggestion=rules.suggestion or status,
        evidence=tuple(dict.fromkeys((*rules.evidence, *read.evidence))),
        note=_with(rules.note, note),
        tags=(*rules.tags, SUGGESTS),
    )


def _with(note: str, more: str) -> str:
    return join_messages(" ", (note, more)) if note else more


def _is_verified(read: Finding, item: Item, found: LocatedAnswer, lab: Lab) -> bool:
    """Whether the numbers themselves prove what a reader states: it is right, and so are the averages and deviations
    of the experiments that it rests on."""
    if read.status is not Status.CORRECT:
        return False
    experiments = [item.options[name] for name in ("experiment", "better", "worse") if name in item.options]
    if item.check == "parameter-count":
        return True
    return bool(experiments) and all(_follows(experiment, found.answer, lab) for experiment in experiments)


def _follows(experiment: str, answer: Answer, lab: Lab) -> bool:
    """Whether an average and a deviation of an experiment follow from values of as many seeds as asked for, each of
    which is possible on its split."""
    report = report_of(experiment, answer, lab)
    sizes = {split.id: split.examples for split in lab.splits}
    for group in report.series():
        numbers = values(group)
        size = sizes.get(group[0].split or "")
        if (
            len(group) < lab.seeds
            or not size
            or any(abs(n * size / 100 - round(n * size / 100)) > 1e-6 for n in numbers)
        ):
            continue
        if any(
            summary.mean is not None
            and summary.std is not None
            and mean_fits(summary.mean, summary.mean_resolution, numbers)
            and std_fits(summary.std, summary.std_resolution, numbers)
            for summary in report.summaries
        ):
            return True
    return False


def all_flags(own_flags: Collection[Flag], reread: Collection[Flag]) -> tuple[Flag, ...]:
    """The flags of both, each kind at one place once."""
    known_places = {(flag.id, place.quote) for flag in own_flags for place in flag.evidence}
    further = [flag for flag in reread if not any((flag.id, place.quote) in known_places for place in flag.evidence)]
    return (*own_flags, *(flag for flag in further if flag.id not in {candidate.id for candidate in own_flags}))


Check = Callable[[Answer, Lab], Findings]
"""Runs the checks of a lab over claims."""


class ConsultedFindings(NamedTuple):
    """Findings and flags with the reader's part in them."""

    findings: Sequence[Finding]
    flags: Sequence[Flag]
    used: ReaderUsed


def consult(record: Record, answer: Answer, by_rules: Findings, lab: Lab, check: Check) -> ConsultedFindings:
    """The findings of the rules weighed against those of the reader's facts. Whatever is wrong with its answer, the
    findings are then those without it."""
    try:
        read = record.read()
    except NoAnswerError as error:
        used = ReaderUsed(reader=record.reader, failure=str(error))
        return ConsultedFindings(by_rules.findings, by_rules.flags, used)
    found = found_again(read, answer, lab, record.earned)
    reread = check(found.answer, lab)
    by_reader = dict(_by_item(reread, found, lab, check))
    # What a reader states of this hand-in has to stand there mostly, and to be the same where rules found it too.
    wrong = found.lost + len(contradicting_places(answer, found.answer))
    reliable = wrong <= _MOST_LOST * max(found.stated, 1)
    used = ReaderUsed(
        reader=record.reader, stated=found.stated, lost=found.lost, malformed=read.malformed, reliable=reliable
    )
    findings = weigh(by_rules.findings, by_reader, found, record.earned, lab, reliable=reliable)
    flags = all_flags(by_rules.flags, reread.flags) if reliable else by_rules.flags
    return ConsultedFindings(findings, (*_speaking(found, flags), *_astray(used, found, answer)), used)


def _astray(used: ReaderUsed, found: LocatedAnswer, rules: Answer) -> Iterator[Flag]:
    """A flag where so much of a reader's answer is not in the hand-in that its word counts for little."""
    if used.stated and not used.reliable:
        message = say(
            "Of {stated} statements of the reader, {lost} are not in the submission and {against} contradict it, "
            "so it decided nothing alone here.",
            stated=used.stated,
            lost=used.lost,
            against=len(contradicting_places(rules, found.answer)),
        )
        yield Flag(id="reader-astray", severity=Severity.INFO, message=message)


def _speaking(found: LocatedAnswer, flags: Iterable[Flag]) -> Iterator[Flag]:
    """The flags, with the places where a hand-in speaks to the reader in the one that tells of such words."""
    places = list(found.addressed)
    for flag in flags:
        if flag.id == ADDRESSED:
            places += flag.evidence
        else:
            yield flag
    once = {(place.file, place.page, place.line, place.quote): place for place in places}
    if once:
        yield addressed_flag(once.values())


def _by_item(reread: Findings, found: LocatedAnswer, lab: Lab, check: Check) -> Iterator[tuple[str, Finding]]:
    """The findings that rest on what a reader states, by item: where it points at a place, on that place alone."""
    yield from ((finding.item, finding) for finding in reread.findings)
    checks = {SNIPPETS[kind] for kind in found.shown}
    questions = []
    for question in lab.questions:
        items = tuple(item.model_copy(update={"needs": ()}) for item in question.items if item.check in checks)
        if items:
            questions.append(question.model_copy(update={"items": items}))
    if questions:
        alone = lab.model_copy(update={"questions": tuple(questions), "watches": ()})
        yield from ((finding.item, finding) for finding in check(found.pointed, alone).findings)
