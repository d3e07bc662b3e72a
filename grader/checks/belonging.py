"""What speaks for a hand-in's being an answer to this lab, and what against it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from grader.checks.finding import Finding, Status
from grader.claims.answer import Answer
from grader.message import say, say_number
from grader.reading.evidence import Evidence

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS: Final = 60
_FEW_TERMS: Final = 0.25
_MANY_TERMS: Final = 0.6
_FEWEST_OTHERS: Final = 2
_FEWEST_TIMES: Final = 4
_MOST_TIMES: Final = 50
_MOST: Final = 300_000
_OUTPUT: Final = 2_000
_RIGHT: Final = (Status.CORRECT, Status.PARTIAL)


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
) -> Belonging:
    """The signs in a hand-in."""
    report = "\n".join(section.passage.text for section in answer.sections)
    code = "\n".join(f"{cell.source}\n{cell.output[:_OUTPUT]}" for cell in answer.code)
    text = f"{report[:_MOST]}\n{code[:_MOST]}"
    right = {finding.item for finding in findings if finding.status in _RIGHT}
    likely = {finding.item for finding in findings if finding.suggestion is Status.CORRECT} | right
    strange = [word.lower() for term in others for word in _said(term, text)]
    return Belonging(
        words=sum(1 for _ in _WORD.finditer(text)),
        terms=len(terms),
        found=tuple(said[0] for term in terms if (said := _said(term, text))),
        own=tuple(said[0] for term in own if (said := _said(term, text))),
        others=tuple(dict.fromkeys(strange)),
        times=len(strange),
        telling=len(right.intersection(telling)),
        may_tell=len(likely.intersection(telling)),
        given=len(right),
        items=len(findings),
        can_tell=bool(own or telling),
        places=tuple(_places(answer, list(dict.fromkeys(strange))[:4])),
    )


def _pattern(term: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{term})(?![^\W_])", re.IGNORECASE)


def _said(term: str, text: str) -> list[str]:
    """How a text mentions a term, again and again."""
    return [match.group() for match in islice(_pattern(term).finditer(text), _MOST_TIMES)]


def _places(answer: Answer, words: Iterable[str]) -> Iterator[Evidence]:
    """Where the report first mentions each."""
    for word in words:
        for section in answer.sections:
            match = _pattern(re.escape(word)).search(section.passage.text)
            if match:
                yield section.passage.evidence(match.start(), match.end())
                break
