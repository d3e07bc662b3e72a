"""Are trainable parameters told from all parameters, by right code or by the right printed figures?"""

from collections.abc import Iterator, Sequence
from typing import Final

from grader.checks.absence import absence, concluded_absent
from grader.checks.adapter_figures import Figures, Variant, figures_of, slip
from grader.checks.check import Conclusion, check
from grader.checks.counting_code import Verdict, counting_code
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.printed import disorder
from grader.checks.printed_pairs import Pair, printed_pairs
from grader.checks.stated_figures import Stated, stated_figures
from grader.claims.answer import Answer
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import joined, say, say_data

_DECIDED: Final = {"all-as-trainable": Status.INCORRECT, "swapped": Status.PARTIAL}
"""What figures are worth that show a wrong way of counting."""


@check("trainable-count")
def trainable_count(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    model: str,
    function: str,
    rank: str = "r",
    base: str | None = None,
    variants: tuple[Variant, ...] = (),
    others: tuple[str, ...] = (),
    adapter: tuple[str, ...] = (),
    ways: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """Trainable parameters are counted by requires_grad, or the printed figures match.

    `function` is the one that the hand-out asks to complete; `rank` is the parameter that holds the adapter's rank,
    which the count is a multiple of. `base` is the model without the adapter, `variants` what is true of it, and
    `others` are models with an adapter that may have been loaded instead. What the report states counts as what code
    prints: `adapter` are words for what is trained, `ways` those by which a sentence tells how it was counted.
    """
    known = {value.parameter: value.value for value in truth.values}
    right = int(known[rank]) if known.get(rank, "").isdecimal() else 1
    figures = figures_of(truth, model, right, base, variants)
    titles = {one.id: one.title for one in truth.models}
    figures = figures._replace(
        others=tuple((titles.get(other, other), figures_of(truth, other, right)) for other in others)
    )
    finding = Finding(item=item, status=Status.REVIEW, expected=_expected(figures))
    code = counting_code(answer.code, function)
    pairs = list(printed_pairs(answer, figures.bases))
    by_code = _concluded(finding, pairs, code, figures) if pairs or code.evidence else None
    stated = stated_figures(answer, figures, adapter, ways)
    by_report = _by_report(finding, stated, figures) if stated else None
    shown = [one for one in (by_code, by_report) if one]
    for status in (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING, Status.REVIEW):
        for one in shown:
            if one.status is status:
                yield one
                return
    yield concluded_absent(finding, absence(answer, lab, item))


def _by_report(finding: Finding, stated: Stated, figures: Figures) -> Finding:
    finding = finding.but(found=stated.found[:200], evidence=stated.evidence)
    if stated.status or stated.pair is None:
        return finding.but(status=stated.status or Status.REVIEW, feedback=stated.feedback)
    wrong = slip(stated.pair, figures)
    return _by_slip(finding, wrong) or finding.but(
        diagnoses=(wrong,) if wrong else (),
        suggestion=Status.PARTIAL if wrong else None,
        feedback=wrong.text if wrong else stated.feedback,
    )


def _by_slip(finding: Finding, wrong: Diagnosis | None) -> Finding | None:
    """What figures are worth that certainly come from a wrong way of counting."""
    status = _DECIDED.get(wrong.id) if wrong else None
    if wrong is None or status is None:
        return None
    return finding.but(status=status, diagnoses=(wrong,), feedback=wrong.text)


def _expected(figures: Figures) -> Expected:
    totals = joined(say(" or "), (say("{count:,}", count=count.total) for count in figures.totals))
    return Expected(
        text=say("{trainable:,} trainable parameters of {totals}", trainable=figures.trainable.total, totals=totals),
        truths=(figures.trainable.id, *(count.id for count in figures.totals)),
    )


def _concluded(finding: Finding, pairs: Sequence[Pair], code: Verdict, figures: Figures) -> Finding:
    right = [pair for pair in pairs if figures.is_right(pair)]
    states = [(pair, state) for pair in pairs if (state := figures.state(pair))]
    telling = [(pair, state) for pair, state in states if state.variant.telling]
    if right and not code.gaps:
        text = _shared(say("The printed figures are right."), right[-1])
        return _by_figures(finding, right[-1], code).but(feedback=text)
    if code.certain:
        return _by_code(finding, pairs, code, figures)
    if telling and not code.gaps and not code.is_wrong:
        pair, state = telling[-1]
        text = say("The printed figures are right for the model at that point: {title}.", title=_title(state.variant))
        return _by_figures(finding, pair, code).but(feedback=_shared(text, pair))
    return _for_a_person(finding, pairs, right, code, figures)


def _title(variant: Variant) -> str:
    return say_data(variant.title)


def _by_figures(finding: Finding, pair: Pair, code: Verdict) -> Finding:
    odd = [say("The code as it stands does not print this: {what}", what=code.feedback)] if code.is_wrong else []
    return finding.but(
        status=Status.CORRECT,
        found=pair.shown,
        evidence=(*pair.evidence, *code.evidence[:1]),
        note=joined(" ", [*odd, *filter(None, [disorder(pair.cell, code.cell)])]),
    )


def _shared(text: str, pair: Pair) -> str:
    """With what is to be said of the share that was printed beside the figures."""
    if not pair.is_fraction:
        return text
    return joined(" ", [text, say("The share beside them is a fraction; in percent it is a hundred times as much.")])


def _by_code(finding: Finding, pairs: Sequence[Pair], code: Verdict, figures: Figures) -> Finding:
    known = [state for pair in pairs if (state := figures.state(pair))]
    states = [say("Printed was what is true of {title}.", title=_title(state.variant)) for state in known]
    slips = [found.text for pair in pairs if not figures.state(pair) and (found := slip(pair, figures))]
    odd = [disorder(pair.cell, code.cell) for pair in pairs[-1:]]
    return finding.but(
        status=Status.CORRECT,
        found=code.found,
        evidence=(*code.evidence[:1], *(pair.evidence[0] for pair in pairs[-1:])),
        feedback=code.feedback,
        note=joined(" ", dict.fromkeys(filter(None, [*states[-1:], *slips[-1:], *odd]))),
        confidence=0.9,
    )


def _for_a_person(
    finding: Finding, pairs: Sequence[Pair], right: Sequence[Pair], code: Verdict, figures: Figures
) -> Finding:
    shown = right[:1] or _most_telling(pairs, figures)
    if not shown or code.gaps:
        evidence = code.gaps[:1] or code.evidence[:1]
        is_certain = code.decides and not shown
        return finding.but(
            status=code.status if is_certain else Status.REVIEW,
            found=code.found,
            evidence=(*evidence, *(pair.evidence[0] for pair in shown)),
            suggestion=None if is_certain else _suggestion(code),
            feedback=(code.found if is_certain else None) or code.feedback,
        )
    pair = shown[0]
    state = figures.state(pair)
    decided = None if state or right else _by_slip(finding, slip(pair, figures))
    if decided is not None:
        return decided.but(found=pair.shown, evidence=(*pair.evidence, *code.evidence[:1]))
    slips = tuple(filter(None, [None if state else slip(pair, figures)]))
    said = [one.text for one in slips]
    if state:
        title = _title(state.variant)
        said = [say("These figures are true of {title}, but other code prints them too.", title=title)]
    return finding.but(
        found=pair.shown,
        evidence=(*pair.evidence, *code.evidence[:1]),
        diagnoses=slips,
        suggestion=Status.PARTIAL if said else _suggestion(code),
        feedback=joined(" ", [*said, code.feedback]),
    )


def _suggestion(code: Verdict) -> Status | None:
    """What the code is likely worth: nothing is said of code that may not be meant for this at all."""
    return code.status if code.is_asked or code.is_wrong or code.gaps else None


def _most_telling(pairs: Sequence[Pair], figures: Figures) -> list[Pair]:
    """The last pair that something is known of; of several numbers together, such as a share, not all are counts."""
    known = [pair for pair in pairs if figures.state(pair) or _is_known(slip(pair, figures))]
    return (known or list(pairs))[-1:]


def _is_known(found: Diagnosis | None) -> bool:
    return found is not None and found.id != "another-model"
