"""Numbers that are right for a student's own sake: measured ones between bounds, chosen ones that a run shows, those that
follow from an earlier slip, and the parts of a sum that is wrong.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from grader.checks.decide import decided
from grader.checks.feedback import Reason
from grader.checks.finding import Diagnosis, Finding, Status
from grader.checks.formulas_asked import UnknownError, names_in, worth
from grader.claims.answer import Answer
from grader.claims.commitment import stance
from grader.claims.formulas import formulas
from grader.claims.numerals import Firmness, Quantity, Target, quantities, sentence_bounds
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.claims.statements import mention, quantities_of
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.message import Message, Words, say
from grader.reading.document import BlockKind, Evidence
from grader.reading.maths.parser import parse_maths

_MOST_OUTPUT: Final = 50_000
_MOST_LINES: Final = 2_000
_DIGITS: Final = 9
"""So many digits of what a formula comes to count."""


def bounds_told(least: Decimal | None, most: Decimal | None) -> Message:
    """The bounds of what is right, for people."""
    if least is None:
        return say("at most {most}", most=str(most))
    if most is None:
        return say("at least {least}", least=str(least))
    return say("{low} to {high}", low=str(least), high=str(most))


def in_range(judged: Finding, aim: Target, told: Words) -> Finding:
    """The verdict on a measured number, which is not wrong in itself where it lies elsewhere."""
    if judged.status is not Status.INCORRECT or not aim.is_range or judged.diagnoses:
        return judged
    return judged.changed(
        feedback=say("{found} is not within what was asked for: {range}.", found=judged.found or "", range=told)
    )


def chosen_values(answer: Answer, labels: Sequence[str]) -> tuple[Decimal, ...]:
    """The numbers that the runs of a hand-in have for what some labels name: in the lines that code printed, in lists of
    code that ran, in options of commands, and in the settings of logs."""
    found: list[Decimal] = []
    for cell in answer.code:
        if cell.output.strip():
            for line in cell.output[-_MOST_OUTPUT:].split("\n")[-_MOST_LINES:]:
                found += _behind_labels(line, labels)
        if cell.ran or cell.output.strip():
            for line in cell.source.split("\n")[:_MOST_LINES]:
                found += _in_lists(line, labels)
    for run in answer.runs:
        for one in run.settings:
            if mention(one.name, labels, 0):
                found += [own.readings[0] for own in quantities(str(one.value))][:1]
    return tuple(dict.fromkeys(found))


def _behind_labels(line: str, labels: Sequence[str]) -> Iterator[Decimal]:
    """The first number behind each mention of a label in a line."""
    at = 0
    while place := mention(line, labels, at):
        at = place[1]
        number = next(iter(quantities(line[at:])), None)
        if number is not None:
            yield number.readings[0]


_LIST: Final = re.compile(r"(?P<name>[\w.\"'-]+)\"?'?\s*(?:=|:|\bin\b)\s*[\[(](?P<values>[^\[\]()]{1,400})[\])]")


def _in_lists(line: str, labels: Sequence[str]) -> Iterator[Decimal]:
    """The numbers of the lists that a line of code gives to a name, `learning_rates = [1e-3, 1e-4]`."""
    for match in _LIST.finditer(line.partition("#")[0]):
        if mention(match["name"], labels, 0):
            yield from (one.readings[0] for one in quantities(match["values"].replace(",", " , ")))


_NOT_AMONG: Final = Reason(say("No run that is shown has this value."), is_likely=False)
_NO_RUNS: Final = Reason(say("No run shows which values were tried."), is_likely=False)


def as_choice(judged: Finding, *, are_shown: bool) -> Finding:
    """The verdict on a number that students choose themselves: a person looks where no run has it, or none is shown."""
    if judged.found is None or judged.status is Status.MISSING:
        return judged
    if are_shown and Status.CORRECT in (judged.status, judged.suggestion):
        return judged
    return decided(judged, Status.PARTIAL, "", _NOT_AMONG if are_shown else _NO_RUNS)


def followed(
    judged: Finding, other: Finding | None, formula: str, aim: Target, title: str, share: Decimal | None
) -> Finding:
    """A wrong number that follows by a formula from the wrong one of an item above is right in part; a person looks
    where that one is not decided."""
    own, before = _number_of(judged), _number_of(other) if other else None
    if judged.status not in (Status.INCORRECT, Status.REVIEW) or own is None or before is None:
        return judged
    if other is None or other.status is Status.CORRECT or judged.suggestion in (Status.CORRECT, Status.PARTIAL):
        return judged
    follows = _worked_out(formula, before)
    if follows is None or aim.is_range or aim.holds(follows):
        return judged
    scale = abs(follows / aim.value) if aim.value and aim.value != aim.value.to_integral_value() else Decimal(1)
    if abs(own - follows) > aim.margin * scale:
        return judged
    said = say(
        "{found} is not right, but it follows from the {before} that was found before ({title}).",
        found=judged.found or str(own),
        before=other.found or str(before),
        title=title,
    )
    is_open = judged.status is Status.REVIEW or other.status is Status.REVIEW
    return decided(
        judged,
        Status.PARTIAL,
        said,
        _NOT_DECIDED.when(is_open),
        share=share,
        diagnoses=(*judged.diagnoses, Diagnosis(id=f"follows:{other.item}", text=said)),
    )


_NOT_DECIDED: Final = Reason(say("One of the two is not certain."))


def _number_of(finding: Finding) -> Decimal | None:
    """The one number that a finding's answer is."""
    found = list(quantities(str(finding.found or "")))
    return found[0].readings[0] if len(found) == 1 else None


def _worked_out(formula: str, value: Decimal) -> Decimal | None:
    """What a formula of one name comes to for a value."""
    parsed = parse_maths(formula)
    names = names_in(parsed) if parsed else frozenset()
    if parsed is None or len(names) != 1:
        return None
    try:
        return Decimal(repr(round(worth(parsed, dict.fromkeys(names, float(value))), _DIGITS)))
    except UnknownError:
        return None


class AskedPart(Frozen):
    """A summand of a number, and beginnings of words of which one has to stand beside it."""

    value: Decimal
    words: tuple[str, ...] = ()


def with_parts(
    judged: Finding, sections: Sequence[Section], lab: Lab, parts: Sequence[AskedPart], share: Decimal | None
) -> Finding:
    """An answer of which the number is wrong or missing, but all its summands are shown, is right in part. Where their
    sum stands anywhere, nothing changes: it may be meant."""
    if judged.status not in (Status.INCORRECT, Status.REVIEW) or judged.suggestion in (Status.CORRECT, Status.PARTIAL):
        return judged
    every = [(one, place.passage) for place in sections for one in quantities_of(place.passage)]
    whole = sum(one.value for one in parts)
    if any(whole in one.readings for one, _ in every):
        return judged
    places = [next((place for own in sections if (place := _shown(part, own, lab))), None) for part in parts]
    if not places or not all(places):
        return judged
    number = _number_of(judged)
    is_missing = number is None or any(number == one.value for one in parts)
    missing, wrong = say("Its parts are right; their sum is missing."), say("Its parts are right, but not their sum.")
    said = missing if is_missing else wrong
    evidence = tuple(dict.fromkeys(place for place in places if place))[:5]
    return decided(judged.changed(evidence=evidence), Status.PARTIAL, said, share=share, diagnoses=())


def _shown(part: AskedPart, section: Section, lab: Lab) -> Evidence | None:
    """Where a section shows a summand: as a result, in a sum, in a table, or as a term of a calculation."""
    passage = section.passage
    for one in quantities_of(passage):
        if one.start < section.lead or part.value not in one.readings or not _is_committed(one, passage):
            continue
        is_result = _is_result(one, passage) and _is_beside(part.words, passage, one.start, one.end)
        if is_result or _is_of(one, passage, part.words):
            return passage.evidence(one.start, one.end)
    for formula in formulas(passage, lab):
        if formula.start >= section.lead and part.value in formula.terms:
            if _is_beside(part.words, passage, formula.start, formula.start + len(formula.text)):
                return formula.evidence
    return None


_IN_SUM_BEFORE: Final = re.compile(r"\+\s*\(?\Z")
_IN_SUM_BEHIND: Final = re.compile(r"\)?\s*\+")
_OF_LETTER: Final = re.compile(r"(?<![\w(])[A-Za-z](?:_\w+)?\s*[=:]\s*\Z")
"""A letter that is given a value: that is no result."""


def _is_committed(one: Quantity, passage: Passage) -> bool:
    return stance(passage, one.start, one.end).is_committed


def _is_of(one: Quantity, passage: Passage, words: Sequence[str]) -> bool:
    """Whether some words stand right behind a number, `16 biases`, `16 for the biases`."""
    behind = lexicon.match(r"\s(?:<of|for>\s)?(?:<the>\s)?", passage.text, one.end)
    named = mention(passage.text, words, behind.end()) if behind and words else None
    return named is not None and behind is not None and named[0] == behind.end()


def _is_result(one: Quantity, passage: Passage) -> bool:
    text = passage.text
    if passage.block_at(one.start).kind is BlockKind.ROW:
        return True
    if one.firmness is Firmness.OPERAND:
        before, behind = text[max(0, one.start - 3) : one.start], text[one.end : one.end + 3]
        is_factor = re.search(r"[×/^(]\s*\Z", before) or re.match(r"\s*[×/^]", behind)
        return not is_factor and bool(_IN_SUM_BEFORE.search(before) or _IN_SUM_BEHIND.match(behind))
    return one.firmness >= Firmness.STATED and not _OF_LETTER.search(text[max(0, one.start - 40) : one.start])


def _is_beside(words: Sequence[str], passage: Passage, start: int, end: int) -> bool:
    """Whether some words stand in the sentence or row of `text[start:end]`."""
    return not words or mention(passage.text, words, *sentence_bounds(passage.text, start, end)) is not None
