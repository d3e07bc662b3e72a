"""Judge numbers that depend on the student's own work.

They are measured numbers with bounds, chosen numbers that a run shows, numbers that follow from an earlier error, and
the parts of a wrong sum.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from typing import Final

from grader.checks.decide import with_verdict
from grader.checks.feedback import Reason
from grader.checks.finding import Diagnosis, Finding, Status
from grader.checks.formula_answer import UnknownError, names_in, worth
from grader.claims.answer import Answer
from grader.claims.commitment import stance
from grader.claims.formulas import formulas
from grader.claims.numerals import Firmness, Quantity, Target, quantities, sentence_bounds, target
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.claims.statements import mention, quantities_of
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.message import Message, Words, say, say_data
from grader.reading.document import BlockKind, Evidence
from grader.reading.maths.parser import parse_maths

_MOST_OUTPUT: Final = 50_000
_MOST_LINES: Final = 2_000
_DIGITS: Final = 9
"""The number of digits of a formula's value that count."""


def bounds_told(least: Decimal | None, most: Decimal | None) -> Message:
    """Return the bounds of right values for messages."""
    if least is None:
        return say("at most {most}", most=str(most))
    if most is None:
        return say("at least {least}", least=str(least))
    return say("{low} to {high}", low=str(least), high=str(most))


def in_range(judged: Finding, aim: Target, bounds: Words) -> Finding:
    """Return the verdict on a measured number. A number outside the bounds gets a message with the bounds."""
    if judged.status is not Status.INCORRECT or not aim.is_range or judged.diagnoses:
        return judged
    return judged.with_changes(
        feedback=say("{found} is not within what was asked for: {range}.", found=judged.found or "", range=bounds)
    )


def chosen_values(answer: Answer, labels: Sequence[str]) -> tuple[Decimal, ...]:
    """Return the numbers that the submission's runs have for some labels: in output, lists in code, and settings of
    logs."""
    found: list[Decimal] = []
    for cell in (candidate for candidate in answer.code if labels and (candidate.ran or candidate.output.strip())):
        for line in cell.output[-_MOST_OUTPUT:].split("\n")[-_MOST_LINES:]:
            found += _behind_labels(line, labels)
        for line in cell.source.split("\n")[:_MOST_LINES]:
            found += _in_lists(line, labels)
    return tuple(dict.fromkeys((*found, *_in_settings(answer, labels))))


def _in_settings(answer: Answer, labels: Sequence[str]) -> Iterator[Decimal]:
    """Yield the numbers of log settings with such a name."""
    for setting in (candidate for run in answer.runs for candidate in run.settings):
        number = next(iter(quantities(str(setting.value))), None)
        if number is not None and mention(setting.name, labels, 0):
            yield number.readings[0]


def _behind_labels(line: str, labels: Sequence[str]) -> Iterator[Decimal]:
    """Yield the first number after each mention of a label in a line."""
    at = 0
    while place := mention(line, labels, at):
        at = place[1]
        number = next(iter(quantities(line[at:])), None)
        if number is not None:
            yield number.readings[0]


_LIST: Final = r"(?P<name>[\w.\"'-]+)\"?'?\s*(?:=|:|\bin\b)\s*[\[(](?P<values>[^\[\]()]{1,400})[\])]"


def _in_lists(line: str, labels: Sequence[str]) -> Iterator[Decimal]:
    """Yield the numbers of lists that a line of code assigns to a name: `learning_rates = [1e-3, 1e-4]`."""
    for match in re.finditer(_LIST, line.partition("#")[0]):
        if mention(match["name"], labels, 0):
            yield from (quantity.readings[0] for quantity in quantities(match["values"].replace(",", " , ")))


_NOT_AMONG: Final = Reason(say("No run that is shown has this value."), is_likely=False)
_NO_RUNS: Final = Reason(say("No run shows which values were tried."), is_likely=False)


def as_choice(judged: Finding, *, are_shown: bool) -> Finding:
    """Return the verdict on a number that students choose. It goes to review if no run shows it."""
    if judged.found is None or judged.status is Status.MISSING:
        return judged
    if are_shown and Status.CORRECT in (judged.status, judged.suggestion):
        return judged
    return with_verdict(judged, Status.PARTIAL, "", _NOT_AMONG if are_shown else _NO_RUNS)


def credit_carried_error(
    judged: Finding,
    above: Sequence[Finding],
    lab: Lab,
    follows: str,
    formula: str,
    aim: Target,
    share: Decimal | None,
) -> Finding:
    """Return the verdict on a wrong number that follows by a formula from the wrong number of an earlier item: partly
    right.

    It goes to review if the earlier item is undecided. If `follows` names no item, nothing changes.
    """
    other = next((finding for finding in above if finding.item == follows), None)
    if other is None or other.status is Status.CORRECT or not _is_withheld(judged) or aim.is_range:
        return judged
    own_value, result = _number_of(judged), _worked_out(formula, _number_of(other))
    if (
        own_value is None
        or result is None
        or aim.holds(result)
        or abs(own_value - result) > aim.margin * _scale(aim, result)
    ):
        return judged
    message = say(
        "{found} is not right, but it follows from the {before} that was found before ({title}).",
        found=judged.found,
        before=other.found,
        title=_title_of(lab, follows),
    )
    return with_verdict(
        judged,
        Status.PARTIAL,
        message,
        _NOT_DECIDED.keep_if(Status.REVIEW in (judged.status, other.status)),
        share=share,
        diagnoses=(*judged.diagnoses, Diagnosis(id=f"follows:{other.item}", text=message)),
    )


def _title_of(lab: Lab, item: str) -> Message:
    return say_data(next(candidate.title for candidate in lab.items if candidate.id == item))


def _is_withheld(judged: Finding) -> bool:
    """Whether a verdict is `incorrect`, or a review that suggests no points."""
    return judged.status in (Status.INCORRECT, Status.REVIEW) and judged.suggestion in (None, Status.INCORRECT)


def _scale(aim: Target, value: Decimal) -> Decimal:
    """Return the factor by which the margin of a measured number grows for another value. Whole numbers keep their
    margin."""
    is_whole = not aim.value or aim.value == aim.value.to_integral_value()
    return Decimal(1) if is_whole else abs(value / aim.value)


_NOT_DECIDED: Final = Reason(say("One of the two numbers is not certain."))


def _number_of(finding: Finding) -> Decimal | None:
    """Return the only number of a finding's answer, or None."""
    found = list(quantities(str(finding.found or "")))
    return found[0].readings[0] if len(found) == 1 else None


def _worked_out(formula: str, value: Decimal | None) -> Decimal | None:
    """Return the value of a formula with one name for a number, or None."""
    parsed = parse_maths(formula)
    names = names_in(parsed) if parsed else frozenset()
    if parsed is None or value is None or len(names) != 1:
        return None
    try:
        return Decimal(repr(round(worth(parsed, dict.fromkeys(names, float(value))), _DIGITS)))
    except UnknownError:
        return None


class AskedPart(Frozen):
    """A summand of a number, and beginnings of words, one of which must stand beside it."""

    value: Decimal
    words: tuple[str, ...] = ()


def with_parts(
    judged: Finding, sections: Sequence[Section], lab: Lab, parts: Sequence[AskedPart], share: Decimal | None
) -> Finding:
    """Return the verdict partly right if the number is wrong or missing but all its summands are shown.

    If their sum stands anywhere, nothing changes, because it may be the answer.
    """
    if not parts or not _is_withheld(judged):
        return judged
    whole = target(sum((part.value for part in parts), Decimal(0)), None, Decimal(0))
    values = {part.value for part in parts}
    if any(map(whole.may_be_right, _written(sections, values))):
        return judged
    places = [next(filter(None, (_shown(part, own_section, lab) for own_section in sections)), None) for part in parts]
    evidence = tuple(dict.fromkeys(filter(None, places)))
    if None in places:
        return judged
    is_missing = _number_of(judged) in {None, *values}
    missing, wrong = (
        say("Each part is there with a right value, but no total was found."),
        say("Each part is there with a right value, but their sum is not right."),
    )
    message = missing if is_missing else wrong
    return with_verdict(judged.with_changes(evidence=evidence[:5]), Status.PARTIAL, message, share=share, diagnoses=())


def _written(sections: Sequence[Section], parts: Collection[Decimal]) -> Iterator[Quantity]:
    """Return the numbers of an answer without the given parts. A rounded number may stand for more than a part."""
    for quantity in (candidate for place in sections for candidate in quantities_of(place.passage)):
        if quantity.resolution > 1 or quantity.readings[0] not in parts:
            yield quantity


def _shown(part: AskedPart, section: Section, lab: Lab) -> Evidence | None:
    """Return the place where a section shows a summand: as a result, in a sum, in a table, or as a term of a
    calculation."""
    passage = section.passage
    for quantity in quantities_of(passage):
        if (
            quantity.start >= section.lead
            and part.value in quantity.readings
            and _is_part(quantity, passage, part.words)
        ):
            return passage.evidence(quantity.start, quantity.end)
    for formula in (candidate for candidate in formulas(passage, lab) if candidate.start >= section.lead):
        end = formula.start + len(formula.text)
        if part.value in formula.terms and _is_beside(part.words, passage, formula.start, end):
            return formula.evidence
    return None


def _is_part(quantity: Quantity, passage: Passage, words: Sequence[str]) -> bool:
    """Whether a number is stated as the count of a part."""
    is_result = _is_result(quantity, passage) and _is_beside(words, passage, quantity.start, quantity.end)
    return stance(passage, quantity.start, quantity.end).is_committed and (
        is_result or _is_of(quantity, passage, words)
    )


_IN_SUM_BEFORE, _IN_SUM_BEHIND = r"\+\s*\(?\Z", r"\)?\s*\+"
_OF_LETTER: Final = r"(?<![\w(])[A-Za-z](?:_\w+)?\s*[=:]\s*\Z"
"""A letter with a value, which is no result."""


def _is_of(quantity: Quantity, passage: Passage, words: Sequence[str]) -> bool:
    """Whether some words directly follow a number: `16 biases`, `16 for the biases`."""
    behind = lexicon.match(r"\s(?:<of|for>\s)?(?:<the>\s)?", passage.text, quantity.end)
    named = mention(passage.text, words, behind.end()) if behind and words else None
    return named is not None and behind is not None and named[0] == behind.end()


def _is_result(quantity: Quantity, passage: Passage) -> bool:
    text = passage.text
    if passage.block_at(quantity.start).kind is BlockKind.ROW:
        return True
    if quantity.firmness is Firmness.OPERAND:
        before, behind = text[max(0, quantity.start - 3) : quantity.start], text[quantity.end : quantity.end + 3]
        is_factor = re.search(r"[×/^(]\s*\Z", before) or re.match(r"\s*[×/^]", behind)
        return not is_factor and bool(re.search(_IN_SUM_BEFORE, before) or re.match(_IN_SUM_BEHIND, behind))
    return quantity.firmness >= Firmness.STATED and not re.search(
        _OF_LETTER, text[max(0, quantity.start - 40) : quantity.start]
    )


def _is_beside(words: Sequence[str], passage: Passage, start: int, end: int) -> bool:
    """Whether some words stand in the sentence or row of `text[start:end]`."""
    return not words or mention(passage.text, words, *sentence_bounds(passage.text, start, end)) is not None
