"""Are the parts of a count there and right, and does the arithmetic hold?"""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from grader.checks.check import Conclusion, check
from grader.checks.derivation_values import shown_values
from grader.checks.diagnosis.stories import Story
from grader.checks.finding import Diagnosis, Expected, Finding, Flag, Severity, Status
from grader.checks.totals import committed_totals
from grader.checks.wrong_count import bases, explanations
from grader.claims.answer import Answer
from grader.claims.equations import Equation
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import Component, Count, GroundTruth
from grader.message import Message, Words, joined, say, say_data, say_number
from grader.reading.evidence import Evidence

LAYERS = "layers"
"""The name under which a lab values that every layer is counted."""


class _Part(Frozen):
    """A part of the model: its sizes under the conventions, for one layer; the values that a right derivation may show
    for it; and where one of them stands."""

    name: str
    sizes: frozenset[int]
    values: frozenset[int]
    evidence: Evidence | None = None


class _Derivation(Frozen):
    """What a derivation holds: its parts as found, equations that do not hold, and whether its total is right; if not,
    the one story that explains it, where one stands out."""

    parts: tuple[_Part, ...]
    wrong: tuple[Equation, ...]
    has_total: bool
    total_is_right: bool
    slips: tuple[Words, ...] = ()
    slipped: frozenset[str] = frozenset()

    @property
    def absent(self) -> tuple[str, ...]:
        """Parts without a right value."""
        return tuple(part.name for part in self.parts if not part.evidence)


@check("count-derivation")
def count_derivation(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    model: str,
    accept: tuple[str, ...],
    parts: Mapping[str, Decimal] | None = None,
) -> Iterator[Conclusion]:
    """The count is derived part by part, and its arithmetic holds.

    `accept` are the conventions of counting that are right; a slip is told against the nearest of them. `parts` says
    what share of the points each part is worth in a derivation that is right in part.
    """
    question = lab.question_of(item)
    derivation = _derivation(answer, truth, lab, question, bases(truth, model, accept))
    if derivation.wrong:
        yield Flag(
            id="arithmetic",
            severity=Severity.WARNING,
            message=joined(" ", (_sentence(equation) for equation in derivation.wrong)),
            evidence=tuple(equation.evidence for equation in derivation.wrong),
        )
    shown = [part for part in derivation.parts if part.evidence]
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=joined(", ", (say_data(part.name) for part in shown)) or None,
        expected=Expected(
            text=joined(
                say("; "),
                (say("{part}: {sizes}", part=say_data(p.name), sizes=_shown(p.sizes)) for p in derivation.parts),
            ),
            truths=(model,),
        ),
        evidence=tuple(dict.fromkeys(part.evidence for part in shown if part.evidence)),
    )
    yield _concluded(finding, derivation, parts or {})


def _derivation(answer: Answer, truth: GroundTruth, lab: Lab, question: str, counts: tuple[Count, ...]) -> _Derivation:
    model = counts[0].model
    shown = shown_values(answer, lab, question)
    parts = tuple(_located(part, shown.places) for part in _parts(truth, model))
    totals = committed_totals(answer.counts(question), truth, model)
    total = totals[-1].value if totals else None
    right = total is not None and any(count.total == total for count in truth.counts_of(model))
    near = explanations(total, counts, truth, shown.seen) if total and not right else ()
    return _Derivation(
        parts=parts,
        wrong=tuple(equation for equation in answer.equations(question) if not equation.holds),
        has_total=total is not None,
        total_is_right=right,
        slips=tuple(slip.sentence for slip in near[0].slips) if len(near) == 1 else (),
        slipped=_slipped(near[0]) if len(near) == 1 else frozenset(),
    )


def _slipped(story: Story) -> frozenset[str]:
    """The parts that a story counts otherwise than they are; `layers` where it counts them another number of times."""
    changed = {piece.part for piece in set(story.right) ^ set(story.counted)}
    times = {piece.times for piece in story.counted if piece.times > 1} or {1}
    layers = {piece.times for piece in story.right if piece.times > 1} or {1}
    if times != layers:
        per_layer = {(piece.part, piece.once) for piece in story.right} ^ {(p.part, p.once) for p in story.counted}
        return frozenset({part for part, _ in per_layer} | {LAYERS})
    return frozenset(changed)


def _concluded(finding: Finding, derivation: _Derivation, shares: Mapping[str, Decimal]) -> Finding:
    missing = (
        say(
            "These parts were not found with a right value: {parts}. ",
            parts=joined(", ", map(say_data, derivation.absent)),
        )
        if derivation.absent
        else ""
    )
    if len(derivation.absent) == len(derivation.parts) and not derivation.has_total:
        return finding.but(
            status=Status.MISSING, feedback=say("No derivation was found in the answer to this question.")
        )
    if derivation.wrong:
        return _with_errors(finding, derivation, missing)
    if derivation.slips:
        return _slipped_finding(finding, derivation, shares)
    if derivation.absent or not derivation.total_is_right:
        other = say("The total that they lead to is none of the known counts. ")
        total = "" if derivation.total_is_right else other
        words = say("{missing}{total}A person looks at the derivation.", missing=missing, total=total)
        return finding.but(suggestion=Status.PARTIAL, feedback=words)
    return finding.but(
        status=Status.CORRECT, feedback=say("Every part is there with a right value, and the arithmetic holds.")
    )


def _with_errors(finding: Finding, derivation: _Derivation, missing: Words) -> Finding:
    """Equations that do not hold. It is decided only where all else is right and every character was read as such."""
    doubt = Diagnosis(id="arithmetic", text=joined(" ", (_sentence(equation) for equation in derivation.wrong)))
    finding = finding.but(
        diagnoses=(doubt,),
        evidence=tuple(dict.fromkeys((*(equation.evidence for equation in derivation.wrong), *finding.evidence))),
        suggestion=Status.PARTIAL,
        feedback=say_number(
            "{missing}An equation does not hold as read: {equations}",
            "{missing}{number} equations do not hold as read: {equations}",
            len(derivation.wrong),
            missing=missing,
            equations=doubt.text,
        ),
    )
    certain = not any(equation.is_inferred for equation in derivation.wrong)
    if certain and derivation.total_is_right and not derivation.absent:
        words = say_number(
            "Every part is there with a right value, but an equation does not hold: {equations}",
            "Every part is there with a right value, but {number} equations do not hold: {equations}",
            len(derivation.wrong),
            equations=doubt.text,
        )
        return finding.but(status=Status.PARTIAL, suggestion=None, feedback=words)
    return finding


def _slipped_finding(finding: Finding, derivation: _Derivation, shares: Mapping[str, Decimal]) -> Finding:
    """A wrong total that one story explains: the parts that it leaves as they are, and that are shown, are right."""
    right = [part.name for part in derivation.parts if part.evidence and part.name not in derivation.slipped]
    known = [*right, *(() if LAYERS in derivation.slipped else (LAYERS,))] if right else []
    told = joined(say("; "), derivation.slips)
    names = joined(", ", map(say_data, right))
    finding = finding.but(
        found=names or None,
        diagnoses=(Diagnosis(id="slip", text=say("{clause:capital}.", clause=told)),),
        feedback=say(
            "Right: {parts}. What the total shows: {slips}.", parts=names or say("none of the parts"), slips=told
        ),
        suggestion=Status.PARTIAL,
    )
    if not right or not shares:
        return finding
    share = sum((shares.get(name, Decimal(0)) for name in known), Decimal(0))
    return finding.but(status=Status.PARTIAL, suggestion=None, share=min(share, Decimal(1)))


def _sentence(equation: Equation) -> Message:
    return say(
        "{left} = {right} does not hold: the left side is {value}.",
        left=equation.left,
        right=equation.right,
        value=equation.actual,
    )


def _parts(truth: GroundTruth, model: str) -> list[_Part]:
    """The parts that every convention counts."""
    counted = [truth.components(model, count.convention) for count in truth.counts_of(model)]
    names = [{component.part for component in components} for components in counted]
    needed = set.intersection(*names) if names else set()
    ordered = dict.fromkeys(component.part for components in counted for component in components)
    return [_part(name, counted) for name in ordered if name in needed]


def _part(name: str, counted: list[tuple[Component, ...]]) -> _Part:
    """A part's size under each convention; a right derivation may show it for one layer or for all, alone or with a
    norm of its own."""
    sizes: set[int] = set()
    values: set[int] = set()
    for components in counted:
        own = [component for component in components if component.part == name]
        times, size = own[0].times, sum(component.values for component in own)
        norms = {c.values for c in components if c.part == "norms" and c.times == times}
        single = {size, *(size + norm for norm in norms)}
        sizes.add(size)
        values |= single | {value * times for value in single}
    return _Part(name=name, sizes=frozenset(sizes), values=frozenset(values))


def _located(part: _Part, shown: Mapping[int, Evidence]) -> _Part:
    place = next((shown[value] for value in sorted(part.values) if value in shown), None)
    return part.model_copy(update={"evidence": place})


def _shown(values: frozenset[int]) -> Message:
    return joined(say(" or "), (say("{value:,}", value=value) for value in sorted(values)))
