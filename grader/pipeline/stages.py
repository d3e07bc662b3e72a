"""What lies between a reading and a result, and which part of a lab each stage may see."""

from decimal import Decimal

from grader.checks.finding import Finding, Flag
from grader.claims.text_print import TextPrint
from grader.frozen import Frozen, remembered
from grader.lab.decisions import Decisions
from grader.lab.definition import Item, Lab
from grader.lab.late_policy import LatePolicy
from grader.message import Words
from grader.reader.consulted import ReaderUsed
from grader.reading.reading import FileRecord
from grader.result import Average, Curve, CurveBand, SeriesPrint


class Judged(Frozen):
    """All that a result tells of one hand-in before a point is given: who it is, and what it is worth, come later."""

    findings: tuple[Finding, ...]
    flags: tuple[Flag, ...]
    files: tuple[FileRecord, ...] = ()
    report: str | None = None
    report_reason: Words = ""
    curves: tuple[Curve, ...] = ()
    curve_bands: tuple[CurveBand, ...] = ()
    series: tuple[SeriesPrint, ...] = ()
    averages: tuple[Average, ...] = ()
    average_bands: tuple[CurveBand, ...] = ()
    prose: TextPrint | None = None
    reader: ReaderUsed | None = None


@remembered
def seen_by_checks(lab: Lab) -> Lab:
    """The lab without points, lateness and names of files: checks know none of these, so a change of them leaves
    every finding as it is."""
    return _with_items(lab, {"points": Decimal(0), "partial": Decimal(0)}).model_copy(
        update={"late": LatePolicy(), "language": "en", "models": (), "sha256": ""}
    )


@remembered
def seen_by_claims(lab: Lab) -> Lab:
    """The lab as the reading of claims sees it: without what its checks are asked for, too, and without decisions."""
    return _with_items(seen_by_checks(lab), {"options": {}, "needs": ()}).model_copy(
        update={"decisions": Decisions(), "watches": (), "reruns": ()}
    )


def _with_items(lab: Lab, changes: dict[str, object]) -> Lab:
    def changed(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(item.model_copy(update=changes) for item in items)

    questions = tuple(one.model_copy(update={"items": changed(one.items)}) for one in lab.questions)
    return lab.model_copy(update={"questions": questions})
