"""Is a hand-in an answer to this lab at all? Several signs must agree, its language among them: one word or a title
proves nothing.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from grader.checks.check import Conclusion, check
from grader.checks.finding import Doubt, Finding, Flag, Severity, Status
from grader.checks.steps_ran import blank_notebooks, instructions
from grader.claims.answer import Answer
from grader.language.shapes import LONG_WORD, WORD
from grader.message import joined, say, say_number
from grader.reading.document import BlockKind, Evidence

_FEWEST_WORDS: Final = 60
_FEW_TERMS: Final = 0.25
_MANY_TERMS: Final = 0.6
_FEWEST_OTHERS: Final = 2
_FEWEST_TOGETHER: Final = 2
_FEWEST_TIMES: Final = 4
_MOST_TIMES: Final = 50
_MOST: Final = 300_000
_OUTPUT: Final = 2_000
_GIVEN: Final = (Status.CORRECT, Status.PARTIAL)


class Belonging(NamedTuple):
    """The signs. Of `terms` things that the lab is about `found` are mentioned; `own` are the names found that only the
    lab's model and data have, and `others` the words for other labs' subjects, which it uses so many `times`. Of the
    answers that show by themselves what the hand-in is about, `telling` are right and `may_tell` right or in a person's
    hands; `given` items of `items` are right at all. `can_tell`: the lab says what would show it."""

    words: int
    terms: int
    found: tuple[str, ...]
    own: tuple[str, ...]
    others: tuple[str, ...]
    times: int
    telling: int
    may_tell: int
    given: int
    items: int
    can_tell: bool
    places: tuple[Evidence, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """Whether all signs speak against it: no figure and no name of this lab, and either no right answer and hardly
        any of its subjects, or other labs' subjects again and again."""
        if self.telling or self.own or not self.terms:
            return False
        if self.can_tell and len(self.others) >= _FEWEST_OTHERS and self.times >= _FEWEST_TIMES:
            return True
        is_silent = not self.given and not self.may_tell and self.words >= _FEWEST_WORDS
        return is_silent and len(self.found) <= _FEW_TERMS * self.terms

    @property
    def is_unplaced(self) -> bool:
        """Whether points are given though nothing tells what the hand-in is about: not even most of the subjects."""
        is_given = self.can_tell and bool(self.given) and not self.telling and not self.own
        return is_given and len(self.found) < _MANY_TERMS * self.terms

    def told(self) -> Iterator[str]:
        """The signs in words, a sentence each."""
        named = ", ".join(self.found)
        yield (
            say("Of the {terms} things that it is about, it mentions only {named}.", terms=self.terms, named=named)
            if self.found
            else say("Of the {terms} things that it is about, it mentions none.", terms=self.terms)
        )
        if self.can_tell:
            yield say("Neither a name nor a figure shows this lab's model or data.")
        if self.others:
            yield say("It speaks of other things: {others}.", others=", ".join(self.others[:6]))
        if not self.given:
            yield say("None of the {items} items is answered rightly.", items=self.items)
        else:
            yield say_number(
                "Only {number} of {items} items is answered as asked.",
                "Only {number} of {items} items are answered as asked.",
                self.given,
                items=self.items,
            )


def belonging(
    answer: Answer,
    findings: Sequence[Finding],
    terms: Sequence[str],
    own: Sequence[str],
    others: Sequence[str],
    telling: Sequence[str],
    together: Sequence[str] = (),
) -> Belonging:
    """The signs in a hand-in."""
    report = "\n".join(section.passage.text for section in answer.sections)
    code = "\n".join(f"{cell.source}\n{cell.output[:_OUTPUT]}" for cell in answer.code)
    text = f"{report[:_MOST]}\n{code[:_MOST]}"
    right = {finding.item for finding in findings if finding.status in _GIVEN}
    likely = {finding.item for finding in findings if finding.suggestion is Status.CORRECT} | right
    places = (one for term in others for one in islice(_pattern(term).finditer(text), _MOST_TIMES))
    strange = [one.group().lower() for one in places]
    return Belonging(
        words=sum(1 for _ in LONG_WORD.finditer(text)),
        terms=len(terms),
        found=tuple(said.group() for term in terms if (said := _pattern(term).search(text))),
        own=tuple(said.group() for term in own if (said := _pattern(term).search(text))),
        others=tuple(dict.fromkeys(strange)),
        times=len(strange),
        telling=len(right.intersection(telling)) + (len(right.intersection(together)) >= _FEWEST_TOGETHER),
        may_tell=len(likely.intersection(telling)),
        given=len(right),
        items=len(findings),
        can_tell=bool(own or telling),
        places=tuple(_places(answer, list(dict.fromkeys(strange))[:4])),
    )


def _pattern(term: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{term})(?![^\W_])", re.IGNORECASE)


def _places(answer: Answer, words: Iterable[str]) -> Iterator[Evidence]:
    """Where the report first mentions each."""
    for word in words:
        for section in answer.sections:
            match = _pattern(re.escape(word)).search(section.passage.text)
            if match:
                yield section.passage.evidence(match.start(), match.end())
                break


_COMMON: Final = {
    "English": "the of and to is in that for with are this we as be by on it from which our",
    "French": "le la les des et est une un que pour dans nous avec sur par du ce cette qui sont",
    "German": "der die das und ist ein eine nicht mit von den wir zu auf für dem werden sich im sind",
    "Spanish": "el los las y es una que para con por se como del más hemos esta son al lo pero",
    "Italian": "il di che è per una con non sono della del si come più nel gli abbiamo questo le dei",
    "Portuguese": "o os uma que para com não por como mais dos das foi são ao nós em um do da",
    "Dutch": "de het een en van is niet met voor op zijn dat wij te aan wordt deze bij ook naar",
    "Polish": "i w na z się że do jest nie o od dla przez są to jak oraz po jako jest",
    "Turkish": "ve bir bu için ile olarak da de daha çok olan gibi ne biz kadar sonra her en ya model",
}
_LANGUAGE_FEWEST_WORDS: Final = 80
_FOREIGN_LETTERS: Final = 0.3
_LATIN: Final = "\u0400"
"""The letters before it are Latin or Greek; Greek ones stand in formulas."""

_MARGIN: Final = 1.8
_LANGUAGE_MOST: Final = 200_000


def other_language(text: str, understood: tuple[str, ...]) -> str | None:
    """The language of a text where it is none of those that are understood; None where it is, or cannot be told."""
    found = WORD.findall(text[:_LANGUAGE_MOST].lower())
    letters = "".join(found)
    foreign = sum(character > _LATIN for character in letters)
    if foreign > max(_LANGUAGE_FEWEST_WORDS, _FOREIGN_LETTERS * len(letters)):
        return say("a language with another script")
    words = Counter(found)
    total = len(found)
    if total < _LANGUAGE_FEWEST_WORDS:
        return None
    counts = {name: sum(words[word] for word in common.split()) for name, common in _COMMON.items()}
    best = max(counts, key=lambda name: counts[name])
    known = max(counts[name] for name in understood)
    return best if best not in understood and counts[best] > max(_MARGIN * known, 0.08 * total) else None


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
    together: tuple[str, ...] = (),
    languages: tuple[str, ...] = ("English", "French"),
) -> Iterator[Conclusion]:
    """The hand-in is an answer to this lab, not another lab's, and not the hand-out.

    Words are single ones, or alternatives with `|` between them. `terms` are what a hand-in of this lab can hardly do
    without; `own` are names that only this lab's model and data have, and `others` what other labs are about.
    `telling` are the items whose right answer shows by itself that the hand-in is for this lab, and `together` those of
    which two right ones do.

    Decides: nothing; with its doubts what would be taken off goes to a person.

    Leaves to people: hand-ins that hold few of the terms, and those that are the hand-out itself.
    """
    report = "\n".join(section.passage.text for section in answer.sections)
    answered = _answered(findings)
    blank = list(_blank(answer, report, answered, len(findings)))
    yield from blank
    if not blank:
        yield from _wrong_lab(answer, belonging(answer, findings, terms, own, others, telling, together))
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
    """What is told of a hand-in that is the hand-out, or of a blank notebook in one that answers otherwise."""
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
        message = joined(" ", [notebook.sentence for notebook in notebooks])
        yield Flag(id="blank-handout", severity=Severity.INFO, message=message, evidence=evidence[:6])


def _wrong_lab(answer: Answer, signs: Belonging) -> Iterator[Flag | Doubt]:
    """What is told of a hand-in for another lab, or for none that can be seen."""
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
            return (section.passage.beginning(start),)
    for cell in answer.code[:1]:
        return (Evidence(file=cell.file, cell=cell.cell, quote=cell.source.strip().split("\n", 1)[0][:200]),)
    return ()
