"""Is a hand-in an answer to this lab at all? Several signs must agree: one word or a title proves nothing."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.checks.blank import blank_notebooks, instructions, untouched_share
from grader.checks.check import Conclusion, check
from grader.checks.doubt import Doubt
from grader.checks.finding import Finding, Flag, Severity, Status
from grader.checks.language import other_language
from grader.claims.answer import Answer
from grader.reading.evidence import Evidence

_GIVEN: Final = (Status.CORRECT, Status.PARTIAL)
_WITHHELD: Final = (Status.MISSING, Status.INCORRECT)
_FEWEST_WORDS: Final = 150
_FEW_TERMS: Final = 0.25
_HARDLY_TERMS: Final = 0.1
_FEW_ANSWERS: Final = 0.1
_HANDOUT_ANSWERS: Final = 0.25
_MOST_UNTOUCHED: Final = 0.9
_FEWEST_INSTRUCTIONS: Final = 4


@check("foreign-hand-in")
def foreign_hand_in(
    answer: Answer,
    findings: tuple[Finding, ...],
    *,
    terms: tuple[str, ...],
    languages: tuple[str, ...] = ("English", "French"),
    templates: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The hand-in is an answer to this lab, not another lab's, and not the hand-out.

    `terms` are what a hand-in of this lab can hardly do without, each a word or alternatives with `|` between them;
    `templates` are the hashes of the lines of the hand-out's notebooks, as `line_hash` gives them.
    """
    report = "\n".join(section.passage.text for section in answer.sections)
    code = "\n".join(f"{cell.source}\n{cell.output[:20_000]}" for cell in answer.code)
    answered = _answered(findings)
    blank = list(_blank(answer, report, answered, len(findings), frozenset(templates)))
    yield from blank
    if not blank:
        yield from _wrong_lab(answer, f"{report}\n{code}", answered, findings, terms)
    language = other_language(report, languages)
    if language:
        yield Flag(
            id="other-language",
            severity=Severity.INFO,
            message=f"The report seems to be written in {language}, which the grader does not understand.",
            evidence=_beginning(answer),
        )
        yield Doubt(statuses=_WITHHELD, reason=f"The report seems to be written in {language}.")


def _answered(findings: Sequence[Finding]) -> int:
    """How many items show anything that the student said or did."""
    return sum(finding.status in _GIVEN or bool(finding.found) for finding in findings)


def _blank(answer: Answer, report: str, answered: int, items: int, templates: frozenset[str]) -> Iterator[Flag | Doubt]:
    notebooks = blank_notebooks(answer.code)
    untouched = untouched_share(answer.code, templates)
    told = instructions(report)
    reasons = []
    if notebooks and answered <= _HANDOUT_ANSWERS * items:
        reasons += [notebook.sentence for notebook in notebooks]
    if untouched is not None and untouched >= _MOST_UNTOUCHED:
        reasons.append(f"{untouched:.0%} of the lines of code are the hand-out's own.")
    if len(told) >= _FEWEST_INSTRUCTIONS and answered <= _HANDOUT_ANSWERS * items:
        reasons.append(f"The text tells what to do ({', '.join(told[:4])}) and answers little.")
    if _only_titles(answer) and answered <= _FEW_ANSWERS * items:
        reasons.append("The report has titles, and nothing below them.")
    evidence = tuple(place for notebook in notebooks for place in notebook.evidence) or _beginning(answer)
    if reasons:
        yield Flag(
            id="blank-handout",
            severity=Severity.WARNING,
            message=f"This seems to be the hand-out rather than an answer. {' '.join(reasons)}",
            evidence=evidence[:6],
        )
        yield Doubt(statuses=_GIVEN, reason="The hand-in seems to be the hand-out, whose own text is no answer.")
    elif notebooks:
        yield Flag(
            id="blank-handout",
            severity=Severity.INFO,
            message=" ".join(notebook.sentence for notebook in notebooks),
            evidence=evidence[:6],
        )


def _wrong_lab(
    answer: Answer, text: str, answered: int, findings: Sequence[Finding], terms: Sequence[str]
) -> Iterator[Flag | Doubt]:
    words = len(text.split())
    found = [term for term in terms if re.search(rf"(?<![^\W_])(?:{term})(?![^\W_])", text[:2_000_000], re.IGNORECASE)]
    share = len(found) / len(terms) if terms else 1
    most = _FEW_ANSWERS * len(findings) if share <= _HARDLY_TERMS else 0
    if words < _FEWEST_WORDS or share > _FEW_TERMS or answered > most:
        return
    named = f"only {', '.join(term.split('|')[0] for term in found)}" if found else "none"
    yield Flag(
        id="wrong-lab",
        severity=Severity.WARNING,
        message=f"This does not look like an answer to this lab: of the {len(terms)} things that it is about, {named} "
        f"{'is' if len(found) == 1 else 'are'} mentioned, and {answered} of {len(findings)} items show an answer.",
        evidence=_beginning(answer),
    )
    yield Doubt(statuses=_GIVEN, reason="The hand-in seems to be for another lab.")


def _only_titles(answer: Answer) -> bool:
    """Whether a report with several titles holds hardly anything else."""
    if answer.code or sum(bool(section.questions) for section in answer.sections) < 3:
        return False
    words = sum(len(section.passage.text.split()) for section in answer.sections)
    return words < 12 * len(answer.sections)


def _beginning(answer: Answer) -> tuple[Evidence, ...]:
    """How the report begins, or the code where there is none."""
    for section in answer.sections:
        if section.passage.text.strip():
            start = len(section.passage.text) - len(section.passage.text.lstrip())
            return (section.passage.evidence(start, min(start + 80, len(section.passage.text))),)
    for cell in answer.code[:1]:
        return (Evidence(file=cell.file, cell=cell.cell, quote=cell.source.strip().split("\n", 1)[0][:200]),)
    return ()
