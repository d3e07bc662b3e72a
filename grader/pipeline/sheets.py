"""Several documents that may be the answer sheet, or hold what the answer sheet does not say: each is judged alone, and
where that makes a difference a person decides.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.checks.finding import Conclusions, Finding, Flag, Severity, Status
from grader.claims.answer import Answer, is_aside
from grader.message import joined, say
from grader.reading.document import Document, Evidence
from grader.reading.log import Reading

_MOST_RIVALS: Final = 2
_MOST_PARTS: Final = 8
_MOST_ASIDE: Final = 2
_WORTH: Final = (Status.MISSING, Status.INCORRECT, Status.PARTIAL, Status.CORRECT)
_PARTLY: Final = _WORTH.index(Status.PARTIAL)


def settled(
    concluded: Conclusions, answer: Answer, reading: Reading, judge: Callable[[Reading], Conclusions]
) -> Conclusions:
    """The conclusions about an answer whose report is not the only document. What the answer sheet says alone counts;
    what only another document says counts when a person decides so."""
    if not (answer.rivals or answer.beside) or answer.report is None:
        return concluded
    every = {answer.report, *answer.rivals, *answer.beside}
    parts = _parts(answer.report, answer, reading, judge)
    if parts == every:
        return concluded
    answer = answer.model_copy(
        update={
            "rivals": tuple(one for one in answer.rivals if one not in parts),
            "beside": tuple(one for one in answer.beside if one not in parts),
        }
    )
    sheets = (parts, *({one} for one in answer.rivals[:_MOST_RIVALS]))
    alone = [judge(_without(reading, every - one)) for one in sheets]
    findings = []
    differing: list[Finding] = []
    silent = any(finding.status is Status.MISSING for one in alone for finding in one.findings)
    aside = answer.beside[:_MOST_ASIDE] if silent else ()
    said = [{one.item: one for one in judge(_without(reading, every - {file})).findings} for file in aside]
    for finding, *apart in zip(concluded.findings, *(one.findings for one in alone), strict=True):
        changed = _settled(finding, apart, answer)
        found = next((of[finding.item] for of in said if _worth(of[finding.item]) >= _PARTLY), None)
        if changed.status is Status.MISSING and found is not None:
            changed = _said_aside(found, answer)
        findings.append(changed)
        if changed is not finding and changed.status is Status.REVIEW:
            differing.append(changed)
    flags = (*concluded.flags, *_flag(differing, answer))
    return concluded.model_copy(update={"findings": tuple(findings), "flags": flags})


def _parts(report: str, answer: Answer, reading: Reading, judge: Callable[[Reading], Conclusions]) -> set[str]:
    """The documents over which the answer sheet is spread, `part1.pdf` and `part2.pdf` or one for each question: of its
    format, not called drafts or the like, and each with answers that the others do not give."""
    suffix = PurePosixPath(report).suffix.lower()
    alike = [one for one in (*answer.rivals, *answer.beside) if PurePosixPath(one).suffix.lower() == suffix]
    alike = [one for one in alike if not is_aside(one)]
    if not alike or len(alike) > _MOST_PARTS or is_aside(report):
        return {report}
    others = {*answer.rivals, *answer.beside}
    rest = [_first_line(one) if one.file == report else one for one in reading.documents if one.file not in others]
    elsewhere = _given(judge(reading.model_copy(update={"documents": tuple(rest)})))
    parts = {report: _given(judge(_without(reading, others))).less(elsewhere)}
    for file in alike:
        own = _given(judge(_without(reading, {report, *others} - {file}))).less(elsewhere)
        if own.items and not any(own.is_another_of(part) for part in parts.values()):
            parts[file] = own
    return set(parts)


def _first_line(document: Document) -> Document:
    return document.model_copy(update={"blocks": document.blocks[:1]})


class _Given(NamedTuple):
    """The items that something answers without leaving them to a person, and those with a good answer."""

    items: frozenset[str]
    good: frozenset[str]

    def less(self, other: "_Given") -> "_Given":
        return _Given(self.items - other.items, self.good - other.items)

    def is_another_of(self, other: "_Given") -> bool:
        """Whether both answer much the same, as two versions do, and parts do not."""
        if 2 * len(self.items & other.items) > min(len(self.items), len(other.items)):
            return True
        return 4 * len(self.good & other.good) > min(len(self.good), len(other.good))


def _given(concluded: Conclusions) -> _Given:
    found = [one for one in concluded.findings if one.status in _WORTH and one.status is not Status.MISSING]
    return _Given(frozenset(one.item for one in found), frozenset(one.item for one in found if _worth(one) >= _PARTLY))


def _without(reading: Reading, files: set[str]) -> Reading:
    kept = tuple(one for one in reading.documents if one.file not in files)
    return reading.model_copy(update={"documents": kept})


def _settled(finding: Finding, apart: Sequence[Finding], answer: Answer) -> Finding:
    """The finding of all documents together, held against those of each that may be the answer sheet alone."""
    sheet, *rivals = apart
    if any((one.status, one.share) != (sheet.status, sheet.share) for one in rivals):
        return _for_a_person(
            finding,
            say(
                "{files} answer this differently, and nothing tells which of them is the answer sheet.",
                files=joined(", ", (answer.report or "", *answer.rivals)),
            ),
        )
    if (finding.status, finding.share) == (sheet.status, sheet.share):
        return finding
    if _worth(finding) >= _PARTLY and _worth(finding) > _worth(sheet):
        return _said_aside(finding, answer)
    return sheet if _worth(sheet) > 0 else finding


def _said_aside(finding: Finding, answer: Answer) -> Finding:
    """The finding of what only a document beside the answer sheet says."""
    others = (*answer.beside, *answer.rivals)
    places = dict.fromkeys(one.file for one in finding.evidence if one.file in others)
    said = say(
        "The answer sheet, {sheet}, does not say it; {files} does, which lies beside it.",
        sheet=answer.report,
        files=joined(", ", list(places) or others[:1]),
    )
    return _for_a_person(finding, said)


def _worth(finding: Finding) -> int:
    return _WORTH.index(finding.status) if finding.status in _WORTH else -1


def _for_a_person(finding: Finding, reason: str) -> Finding:
    is_decided = finding.status in _WORTH and finding.status is not Status.MISSING
    return finding.changed(
        status=Status.REVIEW,
        suggestion=finding.status if is_decided else finding.suggestion,
        feedback=say("{feedback} {reason} A person decides.", feedback=finding.feedback, reason=reason),
    )


def _flag(differing: Sequence[Finding], answer: Answer) -> Iterator[Flag]:
    if differing:
        yield Flag(
            id="several-reports",
            severity=Severity.WARNING,
            message=say(
                "Beside {sheet}, which is taken as the answer sheet, {files} was handed in, which says something else "
                "on: {items}.",
                sheet=answer.report,
                files=joined(", ", (*answer.rivals, *answer.beside)[:4]),
                items=joined(", ", [one.item for one in differing]),
            ),
            evidence=tuple(Evidence(file=one, quote="") for one in (*answer.rivals, *answer.beside)[:4]),
        )
