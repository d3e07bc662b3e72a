"""Is a hand-in an answer to this lab at all? Several signs must agree: one word or a title proves nothing."""

from collections.abc import Iterator, Sequence
from typing import Final

from grader.checks.belonging import Belonging, belonging
from grader.checks.blank import BlankNotebook, blank_notebooks, instructions
from grader.checks.check import Conclusion, check
from grader.checks.doubt import Doubt
from grader.checks.finding import Finding, Flag, Severity, Status
from grader.checks.language import other_language
from grader.claims.answer import Answer
from grader.message import joined, say
from grader.reading.document import BlockKind
from grader.reading.evidence import Evidence

_GIVEN: Final = (Status.CORRECT, Status.PARTIAL)
_WITHHELD: Final = (Status.MISSING, Status.INCORRECT)
_FEW_ANSWERS: Final = 0.1
_HANDOUT_ANSWERS: Final = 0.25
_FEWEST_INSTRUCTIONS: Final = 4


@check("foreign-hand-in")
def foreign_hand_in(
    answer: Answer,
    findings: tuple[Finding, ...],
    *,
    terms: tuple[str, ...],
    own: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
    telling: tuple[str, ...] = (),
    languages: tuple[str, ...] = ("English", "French"),
) -> Iterator[Conclusion]:
    """The hand-in is an answer to this lab, not another lab's, and not the hand-out.

    Words are single ones, or alternatives with `|` between them. `terms` are what a hand-in of this lab can hardly do
    without; `own` are names that only this lab's model and data have, and `others` what other labs are about.
    `telling` are the items whose right answer shows by itself that the hand-in is for this lab.
    """
    report = "\n".join(section.passage.text for section in answer.sections)
    answered = _answered(findings)
    blank = list(_blank(answer, report, answered, len(findings)))
    yield from blank
    if not blank:
        yield from _wrong_lab(answer, belonging(answer, findings, terms, own, others, telling))
    language = other_language(report, languages)
    if language:
        yield Flag(
            id="other-language",
            severity=Severity.INFO,
            message=say(
                "The report seems to be written in {language}, which the grader does not understand.",
                language=language,
            ),
            evidence=_beginning(answer),
        )
        yield Doubt(statuses=_WITHHELD, reason=say("The report seems to be written in {language}.", language=language))


def _answered(findings: Sequence[Finding]) -> int:
    """How many items show anything that the student said or did."""
    return sum(finding.status in _GIVEN or bool(finding.found) for finding in findings)


def _blank(answer: Answer, report: str, answered: int, items: int) -> Iterator[Flag | Doubt]:
    notebooks = blank_notebooks(answer.notebooks)
    is_little = answered <= _HANDOUT_ANSWERS * items
    reasons = [notebook.sentence for notebook in notebooks] if is_little else []
    told = instructions(report)
    if len(told) >= _FEWEST_INSTRUCTIONS and is_little:
        quoted = ", ".join(told[:4])
        reasons.append(say("The text tells what to do ({told}) and answers little.", told=quoted))
    if _only_titles(answer) and answered <= _FEW_ANSWERS * items:
        reasons.append(say("The report has titles, and nothing below them."))
    evidence = tuple(place for notebook in notebooks for place in notebook.evidence) or _beginning(answer)
    if reasons:
        opening = say("This seems to be the hand-out rather than an answer.")
        yield Flag(
            id="blank-handout",
            severity=Severity.WARNING,
            message=joined(" ", [opening, *reasons]),
            evidence=evidence[:6],
        )
        reason = say("The hand-in seems to be the hand-out, whose own text is no answer.")
        yield Doubt(statuses=_GIVEN, reason=reason, is_whole=True)
    elif notebooks:
        yield _beside_work(notebooks, evidence)


def _beside_work(notebooks: Sequence[BlankNotebook], evidence: tuple[Evidence, ...]) -> Flag:
    """A blank notebook in a hand-in that answers otherwise."""
    message = joined(" ", [notebook.sentence for notebook in notebooks])
    return Flag(id="blank-handout", severity=Severity.INFO, message=message, evidence=evidence[:6])


def _wrong_lab(answer: Answer, signs: Belonging) -> Iterator[Flag | Doubt]:
    if signs.is_foreign:
        opening = say("This does not look like an answer to this lab.")
        yield Flag(
            id="wrong-lab",
            severity=Severity.WARNING,
            message=joined(" ", [opening, *signs.told()]),
            evidence=tuple(dict.fromkeys((*_beginning(answer), *signs.places)))[:6],
        )
        yield Doubt(statuses=_GIVEN, reason=say("The hand-in seems to be for another lab."), is_whole=True)
    elif signs.is_unplaced:
        reason = say("Nothing in the hand-in shows that it is about the model and the data of this lab.")
        yield Doubt(statuses=_GIVEN, reason=reason, is_whole=True)


def _only_titles(answer: Answer) -> bool:
    """Whether a report with several titles holds hardly anything below them: few words, and no number."""
    named = [section.passage for section in answer.sections if section.questions]
    if answer.code or len(named) < 3:
        return False
    below = [block.text for passage in named for block in passage.blocks[1:] if block.kind is not BlockKind.HEADING]
    words = sum(len(text.split()) for text in below)
    return words < 3 * len(named) and not any(character.isdigit() for text in below for character in text)


def _beginning(answer: Answer) -> tuple[Evidence, ...]:
    """How the report begins, or the code where there is none."""
    for section in answer.sections:
        if section.passage.text.strip():
            start = len(section.passage.text) - len(section.passage.text.lstrip())
            return (section.passage.evidence(start, min(start + 80, len(section.passage.text))),)
    for cell in answer.code[:1]:
        return (Evidence(file=cell.file, cell=cell.cell, quote=cell.source.strip().split("\n", 1)[0][:200]),)
    return ()
