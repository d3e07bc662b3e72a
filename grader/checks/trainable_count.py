"""Are trainable parameters told from all parameters, by right code or by the right printed figures?"""

from collections.abc import Iterator
from typing import NamedTuple

from grader.checks.absence import without_code
from grader.checks.check import Conclusion, check
from grader.checks.counting_code import Verdict, counting_code
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.printed import Printed, is_typed, printed_numbers
from grader.claims.answer import Answer
from grader.lab.truth import GroundTruth
from grader.reading.evidence import Evidence

_LINES_APART = 3
"""Both figures are printed together, at most so many lines apart."""


class _Figures(NamedTuple):
    """What the model has: with its adapter, and without under each way of counting all parameters; `rank` is the
    adapter's."""

    trainable: int
    totals: frozenset[int]
    rank: int

    @property
    def bases(self) -> frozenset[int]:
        """All parameters without the adapter."""
        return frozenset(total - self.trainable for total in self.totals)


class _Pair(NamedTuple):
    """Two numbers printed together, as trainable and all parameters."""

    trainable: Printed
    total: Printed

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return tuple(dict.fromkeys((self.trainable.evidence, self.total.evidence)))


@check("trainable-count")
def trainable_count(
    answer: Answer, truth: GroundTruth, *, item: str, model: str, function: str, rank: str = "r"
) -> Iterator[Conclusion]:
    """Trainable parameters are counted by requires_grad, or the printed figures match.

    `function` is the one that the hand-out asks to complete; `rank` is the parameter that holds the adapter's rank,
    which the count is a multiple of.
    """
    totals = {count.convention: count for count in truth.counts_of(model)}
    trainable = totals.pop("trainable")
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        expected=Expected(
            text=f"{trainable.total:,} trainable of " + " or ".join(f"{count.total:,}" for count in totals.values()),
            truths=(trainable.id, *(count.id for count in totals.values())),
        ),
    )
    if not answer.code:
        # The trainable count alone means nothing: other parts of other models have the same size.
        written = (f"{count.total:,}".replace(",", mark) for count in totals.values() for mark in (",", " ", ""))
        yield without_code(item, answer, finding.expected or Expected(text=""), *written)
        return
    known = {value.parameter: value.value for value in truth.values}
    right = int(known[rank]) if known.get(rank, "").isdecimal() else 1
    figures = _Figures(trainable.total, frozenset(count.total for count in totals.values()), right)
    yield _concluded(finding, list(_pairs(answer)), counting_code(answer.code, function), figures)


def _concluded(finding: Finding, pairs: list[_Pair], code: Verdict, figures: _Figures) -> Finding:
    right = [pair for pair in pairs if _is_right(pair, figures)]
    if right and not code.gaps:
        pair = right[-1]
        return finding.but(
            status=Status.CORRECT,
            found=pair.trainable.line.strip()[:200],
            evidence=(*pair.evidence, *code.evidence[:1]),
            feedback="The printed figures are right.",
        )
    slips = tuple(slip for pair in pairs if not _is_right(pair, figures) if (slip := _slip(pair, figures)))[-1:]
    if code.certain:
        return finding.but(
            status=Status.CORRECT,
            found=code.found,
            evidence=(*code.evidence[:1], *(pair.trainable.evidence for pair in pairs[-1:])),
            feedback=code.feedback,
            note=" ".join(slip.text for slip in slips),
            confidence=0.9,
        )
    shown = (right or pairs)[-1:]
    if not shown or code.gaps:
        evidence = tuple(gap for gap in code.gaps[:1]) or code.evidence[:1]
        return finding.but(
            found=code.found,
            evidence=(*evidence, *(pair.trainable.evidence for pair in shown)),
            suggestion=code.status,
            feedback=code.feedback,
        )
    return finding.but(
        found=shown[0].trainable.line.strip()[:200],
        evidence=(*shown[0].evidence, *code.evidence[:1]),
        diagnoses=slips,
        suggestion=Status.PARTIAL if slips else code.status,
        feedback=" ".join([*(slip.text for slip in slips), code.feedback]),
    )


def _pairs(answer: Answer) -> Iterator[_Pair]:
    """Numbers that were printed close together, the smaller one first or last. What the code has typed in is none."""
    for cell in answer.code:
        numbers = [one for one in printed_numbers(cell) if not is_typed(one.value, cell)]
        for index, one in enumerate(numbers[:2_000]):
            for other in numbers[index + 1 : index + 4]:
                words = f"{one.line} {other.line}".lower()
                if other.number - one.number <= _LINES_APART and _speaks_of_it(words, one, other):
                    yield _Pair(*sorted((one, other), key=lambda printed: printed.value))


def _speaks_of_it(words: str, one: Printed, other: Printed) -> bool:
    same_line = one.number == other.number
    return same_line or any(word in words for word in ("train", "param", "total", "all", "entra"))


def _is_right(pair: _Pair, figures: _Figures) -> bool:
    return pair.trainable.value == figures.trainable and pair.total.value in figures.totals


def _slip(pair: _Pair, figures: _Figures) -> Diagnosis | None:
    """What a wrong pair of figures shows."""
    trainable, total = pair.trainable.value, pair.total.value
    unit = figures.trainable // figures.rank
    if total in figures.bases:
        return Diagnosis(id="before-adapter", text="The figures printed are those of the model without its adapter.")
    if total - trainable in figures.bases and trainable % unit == 0:
        rank = trainable // unit
        return Diagnosis(id="another-rank", text=f"The figures are those of an adapter of rank {rank}.")
    if total - trainable in figures.bases:
        text = "The model is the right one, but another adapter was put into it."
        return Diagnosis(id="another-adapter", text=text)
    if "train" in pair.trainable.line.lower():
        return Diagnosis(id="another-model", text="The figures printed are those of another model.")
    return None
