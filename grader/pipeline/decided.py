"""A result with the decisions of persons put in force: the same as if it were graded again with them."""

from collections.abc import Mapping
from decimal import Decimal

from grader.checks.finding import UNDECIDED
from grader.lab.definition import Item, Lab
from grader.pipeline.regrading.merging import summed
from grader.result import AppliedOverride, ItemResult, LookedAgain, Override, Result
from grader.scoring import decided_status, given_points

Answers = Mapping[str, tuple[LookedAgain, ...]]
"""By item: a student's requests that were answered."""


def with_decisions(
    result: Result, lab: Lab, overrides: Mapping[str, Override], answers: Answers | None = None
) -> Result:
    """The result with these overrides by item, and no others; with these answers to requests, unless they are to stay
    as they are. Items that the lab does not have keep what they have."""
    known = {item.id: item for item in lab.items}
    items = tuple(
        _with(undecided(item), known[item.id], overrides.get(item.id)) if item.id in known else item
        for item in result.items
    )
    if answers is not None:
        items = tuple(item.model_copy(update={"requests": answers.get(item.id, ())}) for item in items)
    if items == result.items:
        return result
    return summed(result, items)


def undecided(item: ItemResult) -> ItemResult:
    """The item as the grader left it, before any person decided."""
    put = item.override
    if put is None:
        return item
    pending = item.max_score if put.before in UNDECIDED else Decimal(0)
    return item.model_copy(
        update={"status": put.before, "score": put.score_before, "pending": pending, "override": None}
    )


def _with(item: ItemResult, lab_item: Item, override: Override | None) -> ItemResult:
    if override is None:
        return item
    put = AppliedOverride(
        **{**dict(override), "status": decided_status(lab_item, override)},
        before=item.status,
        score_before=item.score,
        stale=bool(override.finding) and override.finding != item.finding,
    )
    return item.model_copy(
        update={
            "status": put.status,
            "score": given_points(lab_item, override),
            "pending": Decimal(0),
            "override": put,
        }
    )
