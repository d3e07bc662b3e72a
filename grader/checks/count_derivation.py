"""The check `count-derivation`: a count is derived part by part, and its arithmetic holds.

`_derivation` collects the parts, the equations and the total. `_concluded` judges them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import IN_PICTURE, LIKELY_MEANT, MISREAD, NOT_LEADING, UNCERTAIN, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Flag, Severity, Status
from grader.checks.totals import (
    Commitment,
    Part,
    ShownNumbers,
    commitment,
    floor,
    leads_to,
    locate_parts,
    miswritten,
    part_names,
    parts_named,
    parts_of,
    shown_values,
    speaking,
    totals_apart,
)
from grader.checks.wrong_count import Story, bases, explanations, stories
from grader.claims.answer import Answer, Kind
from grader.claims.counts import SMALLEST, CountClaim
from grader.claims.equations import Equation
from grader.claims.numerals import numerals, surrounding_text
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth
from grader.language import lexicon
from grader.message import Message, join_messages, label_text, say, say_data, say_values
from grader.reading.document import Block, BlockKind, Document, Evidence, Voice

LAYERS = "layers"
"""The name under which a lab grants points for counting every layer."""

_SIGNS = frozenset("+×*/=^|")
_PRODUCT = re.compile(r"\d\s?(?:[×^]|x\s?\d)|[×^]\s?\d")
_LARGE = 10_000
"""Several numbers of at least this size beside the total may be the parts of a sum."""

_AROUND = 500
"""The distance from the total, in characters, within which a derivation is looked for."""

_NAMED = 2
"""The fewest named parts in a description of the count."""


@dataclass(frozen=True)
class _Derivation:
    """The content of a derivation.

    `wrong` are equations that do not hold, `near` the stories that may explain a wrong total. `calculates`: something
    is calculated near the total. `names` is the number of parts named there. `is_bare`: there are neither names nor
    signs of a calculation. `picture` may contain the derivation. `leads`: the shown values lead to the total. `apart`
    are the places of known totals outside all questions.
    """

    parts: tuple[Part, ...]
    wrong: tuple[Equation, ...]
    total: Commitment | None
    total_is_right: bool
    calculates: bool
    names: int
    is_bare: bool = False
    picture: Evidence | None = None
    near: tuple[Story, ...] = ()
    apart: tuple[Evidence, ...] = ()
    miswritten: tuple[int, int] | None = None
    leads: bool = True

    @property
    def absent(self) -> tuple[str, ...]:
        """The parts without a right value."""
        return tuple(part.name for part in self.parts if not part.evidence)

    @property
    def missing(self) -> str:
        """The message that names the parts without a right value, or an empty message."""
        names = join_messages(", ", map(say_data, self.absent))
        return say("Not found with a right value: {parts}.", parts=names) if self.absent else ""

    @property
    def right(self) -> tuple[str, ...]:
        """The parts with a right value."""
        return tuple(part.name for part in self.parts if part.evidence)

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it leads to the total."""
        return not self.right and not self.wrong and not self.calculates

    def leads_to(self, total: Commitment | None) -> bool:
        """Whether it has a total and this is the given one, or no total is given."""
        return self.total is not None and (total is None or total.claim.value == self.total.claim.value)

    @property
    def is_doubtful(self) -> bool:
        """Whether the total is uncertain, so that nothing is decided by it."""
        total = self.total
        if total is None or not (total.is_certain and total.stance.is_committed):
            return True
        return total.rival is not None or self.has_rounded_total

    @property
    def has_rounded_total(self) -> bool:
        """Whether the total is given in round numbers, as 22.8 million."""
        return self.total is not None and bool(self.total.claim.rounded_to)


@check("count-derivation", kinds=(Kind.WRITTEN, Kind.CODE))
def count_derivation(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    model: str,
    accept: tuple[str, ...],
    partial: tuple[str, ...] = (),
    parts: Mapping[str, Decimal] | None = None,
    slip_costs: bool = False,
) -> Iterator[Conclusion]:
    """The count is derived part by part, and its arithmetic holds.

    - `model`: the model.
    - `accept`, `partial`: the conventions of counting that are right or partly right.
    - `parts`: the share of the points for each part of a partly right derivation.
    - `slip_costs`: whether a slip that explains the wrong total also costs points here.

    Decides: a derivation that shows all parts and leads to an accepted count is `correct`. Other derivations earn the
    share of their right parts. With a wrong equation, a derivation is `partial`.

    Leaves to people: parts that are not recognised, pictures, and equations that may have been misread.
    """
    question = lab.question_of(item)
    counts = bases(truth, model, accept)
    derivation = _derivation(answer, truth, lab, question, counts)
    if derivation.is_empty and answer.total is None:
        others = (_derivation(note, truth, lab, question, counts) for note in _notes(answer, question))
        derivation = next((other for other in others if other.right and other.leads_to(derivation.total)), derivation)
    elsewhere = (equation for equation in answer.equations() if not equation.holds)
    wrong = tuple(dict.fromkeys((*derivation.wrong, *elsewhere)))
    if wrong:
        yield Flag(
            id="arithmetic",
            severity=Severity.WARNING,
            message=join_messages(" ", (_sentence(equation) for equation in wrong)),
            evidence=tuple(equation.evidence for equation in wrong),
        )
    shown = [part for part in derivation.parts if part.evidence]
    sizes = (label_text(say_data(part.name), _shown(part.sizes)) for part in derivation.parts)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=join_messages(", ", (say_data(part.name) for part in shown)) or None,
        expected=ExpectedAnswer(text=join_messages(say("; "), sizes), truths=(model,)),
        evidence=tuple(dict.fromkeys(part.evidence for part in shown if part.evidence)),
    )
    judged = _concluded(finding, derivation, parts or {}, slip_costs=slip_costs)
    total = derivation.total.claim.value if derivation.total else None
    known_count = next((c for c in truth.counts_of(model) if c.total == total and c.convention in partial), None)
    if known_count is not None and judged.status is Status.CORRECT:
        words = say("The count is that of {convention}.", convention=say_data(known_count.title))
        judged = with_verdict(judged, Status.PARTIAL, words)
    yield judged


_LEFT_OUT: Final = r"<left_out>[^.;\n)]*"


def _derivation(answer: Answer, truth: GroundTruth, lab: Lab, question: str, counts: tuple[Count, ...]) -> _Derivation:
    """Return the derivation in the answers to a question."""
    model = counts[0].model
    shown, least = shown_values(answer, lab, question, truth, model), floor(truth, model)
    total = commitment(answer.counts(question, least=least), shown, truth, model, lab)
    number = total.claim.value if total else None
    right = any(count.total == number for count in truth.counts_of(model))
    near = explanations(stories(number, counts, truth), shown.seen) if number and not right else ()
    around = _around(answer, question, total.claim if total else None)
    # `without biases and the head` says what is not counted.
    counted = "".join(lexicon.split(_LEFT_OUT, around))
    names = len(parts_named(counted, speaking(lab, part_names(truth, model))))
    # If the text mentions layers, the values of one layer count once per layer.
    known_model = truth.model(model)
    times = known_model.layers if known_model and lexicon.search("<model_layer>", around) else 1
    return _Derivation(
        parts=locate_parts(parts_of(truth, model), shown),
        # Equations with small numbers, such as averages of accuracies, are not part of a count.
        wrong=(
            *(equation for equation in answer.equations(question) if not equation.holds and equation.largest >= least),
            *shown.wrong,
        ),
        total=total,
        total_is_right=right,
        calculates=_calculates(around, truth, least),
        names=names,
        is_bare=not names and _SIGNS.isdisjoint(around),
        picture=answer.picture(question),
        near=near,
        apart=totals_apart(answer, truth, model),
        miswritten=miswritten(shown, truth, model),
        leads=_leads(total, shown, names, times),
    )


def _leads(total: Commitment | None, shown: ShownNumbers, names: int, times: int) -> bool:
    """Whether the shown values lead to the total.

    Return True without a total, for a total that is calculated in place, and for one beside the named parts of layers.
    """
    if total is None or total.is_derived or (names >= _NAMED and times > 1):
        return True
    return leads_to(total.claim.value, shown, times)


def _notes(answer: Answer, question: str) -> Iterator[Answer]:
    """Yield notes beside the report that may derive the total, each as an answer.

    They stand under the question's heading in notebooks and scripts, or are programs that compute a number. Programs
    that count a model's own parameters are left out.
    """
    noted = [section.passage for section in answer.noted if question in section.questions]
    for cell in answer.code:
        printout = cell.output or cell.prints
        if printout.strip() and len(cell.source) <= _LONGEST and _OF_MODEL.isdisjoint(cell.names):
            blocks = [
                Block(kind=kind, text=line, cell=cell.cell, line=number)
                for kind, text in ((BlockKind.CODE, cell.source), (BlockKind.OUTPUT, printout[:_LONGEST]))
                for number, line in enumerate(text.split("\n"), start=1)
            ]
            noted.append(Passage.from_document(Document(file=cell.file, exact=True, blocks=tuple(blocks))))
    for passage in noted[:_MOST_NOTES]:
        yield Answer(sections=(Section(title="", questions=(question,), passage=passage),))


_LONGEST = 5_000
"""The most characters of a program, and of its output, in which a calculation is looked for."""
_MOST_NOTES = 40
"""The most programs and notes that are examined."""
_OF_MODEL = frozenset({"numel", "num_parameters", "parameters", "named_parameters", "state_dict", "shape", "load"})


def _around(answer: Answer, question: str, claim: CountClaim | None) -> str:
    """Return the text around a number without printed numbers, or without a number the whole answer."""
    passages = answer.passages(question)
    for passage in passages:
        end = claim.start + len(claim.text) if claim else 0
        if claim and end <= len(passage.text) and passage.evidence(claim.start, end) == claim.evidence:
            block_index = passage.index_at(claim.start)
            kept = [
                at for at, block in enumerate(passage.blocks) if at == block_index or block.voice is not Voice.FIGURES
            ]
            kept_passage = passage.of_blocks([passage.blocks[at] for at in kept])
            start = kept_passage.offset_of(kept.index(block_index)) + claim.start - passage.offset_of(block_index)
            return " ".join(surrounding_text(kept_passage.text, start, start + len(claim.text), _AROUND))
    return "\n".join(passage.text for passage in passages)


def _calculates(text: str, truth: GroundTruth, least: int) -> bool:
    """Whether a text multiplies, or contains several large numbers that are not counts of whole models."""
    totals = {count.total for count in truth.counts}
    smallest = _LARGE if least == SMALLEST else least
    large = {int(numeral.value) for numeral in numerals(text) if smallest <= numeral.value <= max(totals)} - totals
    return bool(_PRODUCT.search(text)) or len(large) > 1


def _slipped(story: Story) -> frozenset[str]:
    """Return the parts that a story counts wrongly, and `layers` if it uses a wrong number of layers."""
    changed = {piece.part for piece in set(story.right) ^ set(story.counted)}
    times = {piece.times for piece in story.counted if piece.is_layered}
    layers = {piece.times for piece in story.right if piece.is_layered}
    if times != layers:
        per_layer = {(piece.part, piece.once) for piece in story.right} ^ {(p.part, p.once) for p in story.counted}
        return frozenset({part for part, _ in per_layer} | {LAYERS})
    return frozenset(changed)


_WHOLE: Final = say("Every part is there with a right value.")
_ROUNDED: Final = Reason(say("The total is rounded, so it does not show what was calculated."), is_likely=False)
_NO_TOTAL: Final = Reason(say("It is not certain which number is meant as the total."), is_likely=False)
_ALL_CALCULATED: Final = say("Every part is calculated.")


def _concluded(
    finding: Finding, derivation: _Derivation, shares: Mapping[str, Decimal], *, slip_costs: bool
) -> Finding:
    """Return the verdict on a derivation."""
    if derivation.is_empty:
        return _without_calculation(finding, derivation)
    if derivation.wrong:
        return _with_errors(finding, derivation)
    if derivation.is_doubtful:
        return with_verdict(finding, Status.PARTIAL, "", _ROUNDED if derivation.has_rounded_total else _NO_TOTAL)
    if not derivation.total_is_right:
        return _with_wrong_total(finding, derivation, shares, slip_costs=slip_costs)
    written, size = derivation.miswritten or (0, 0)
    miswritten = Reason(say("{one:,} looks like a misspelling of {size:,}.", one=written, size=size))
    if derivation.missing:
        # If the total is right, the missing parts are probably counted in another form.
        likely = Status.CORRECT if derivation.leads else Status.PARTIAL
        return with_verdict(finding, likely, "", Reason(derivation.missing, is_likely=bool(derivation.right)))
    is_led = derivation.leads and not derivation.is_bare
    is_whole = is_led and not derivation.miswritten
    status, message = (Status.CORRECT, _WHOLE) if is_whole else (Status.PARTIAL, "")
    return with_verdict(
        finding,
        status,
        message,
        Reason(NOT_LEADING).keep_if(not is_led),
        miswritten.keep_if(derivation.miswritten),
    )


def _without_calculation(finding: Finding, derivation: _Derivation) -> Finding:
    """Return the finding if no number leads to the total.

    Words that name parts make a derivation partly right, a picture may contain one, and a number alone is none.
    """
    if derivation.picture is not None:
        return with_verdict(finding.with_changes(evidence=(derivation.picture,)), Status.MISSING, "", IN_PICTURE)
    if not derivation.names:
        none = say("No derivation was found in the answer to this question.")
        return with_verdict(finding, Status.MISSING, none, UNCERTAIN.keep_if(derivation.apart))
    is_named = derivation.names >= _NAMED
    few = Reason(NOT_LEADING, is_likely=False)
    total = derivation.total
    return with_verdict(
        finding.with_changes(evidence=(total.claim.evidence,) if total else finding.evidence),
        Status.PARTIAL,
        NOT_LEADING,
        few.keep_if(not is_named),
        LIKELY_MEANT.keep_if(not derivation.total_is_right or derivation.is_doubtful),
    )


def _with_errors(finding: Finding, derivation: _Derivation) -> Finding:
    """Return the verdict on a derivation with wrong equations. It goes to review if some characters may have been
    misread."""
    equations = join_messages(" ", dict.fromkeys(_sentence(equation) for equation in derivation.wrong))
    places = (*(equation.evidence for equation in derivation.wrong), *finding.evidence)
    message = join_messages(" ", (derivation.missing or _ALL_CALCULATED, equations))
    is_torn = not derivation.right or (derivation.is_doubtful and bool(derivation.absent))
    return with_verdict(
        finding.with_changes(
            diagnoses=(Diagnosis(id="arithmetic", text=equations),), evidence=tuple(dict.fromkeys(places))
        ),
        Status.PARTIAL,
        message,
        MISREAD.keep_if(is_torn or any(equation.is_inferred for equation in derivation.wrong)),
    )


def _with_wrong_total(
    finding: Finding, derivation: _Derivation, shares: Mapping[str, Decimal], *, slip_costs: bool
) -> Finding:
    """Return the verdict on a derivation whose total no convention explains.

    Parts with a right value are right, except those that the only explaining story changes. A single slip costs the
    total; it costs the derivation only with `slip_costs`.
    """
    near = derivation.near
    slipped = _slipped(near[0]) if len(near) == 1 else frozenset()
    right = [name for name in derivation.right if name not in slipped]
    absent = [name for name in derivation.absent if name not in slipped]
    names = join_messages(", ", map(say_data, right))
    sentences: list[str] = [say("Right: {parts}.", parts=names or say("none of the parts"))]
    if len(near) == 1:
        message = join_messages(say("; "), (slip.sentence for slip in near[0].slips))
        finding = finding.with_changes(
            diagnoses=(Diagnosis(id="slip", text=say_values("{clause:capital}.", clause=message)),)
        )
        sentences.append(say("The total shows what is wrong: {slips}.", slips=message))
        lacking = join_messages(", ", map(say_data, absent))
        sentences += [say("Not found with a right value: {parts}.", parts=lacking)] if absent else []
    else:
        sentences.append(say("The total is none of the known counts."))
        sentences = [derivation.missing, *sentences] if derivation.missing else sentences
    if not slip_costs and len(near) == 1 and len(near[0].slips) == 1 and right and not absent:
        message = say("Apart from this slip, every part is right.")
        return with_verdict(
            finding.with_changes(found=names), Status.CORRECT, join_messages(" ", (*sentences, message))
        )
    layered = bool(near) and not any(LAYERS in _slipped(story) for story in near)
    share = sum((shares.get(name, Decimal(0)) for name in (*right, *((LAYERS,) if layered else ()))), Decimal(0))
    return with_verdict(
        finding.with_changes(found=names or None),
        Status.PARTIAL if right else Status.INCORRECT,
        join_messages(" ", sentences),
        LIKELY_MEANT.keep_if(not right),
        share=min(share, Decimal(1)) if shares and right else None,
    )


def _sentence(equation: Equation) -> Message:
    return say(
        "{left} = {right} is wrong: the left side is {value}.",
        left=equation.left,
        right=equation.right,
        value=equation.actual,
    )


def _shown(values: frozenset[int]) -> Message:
    return join_messages(say(" or "), (say_values("{value:,}", value=value) for value in sorted(values)))
