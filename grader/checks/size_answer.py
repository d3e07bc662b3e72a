"""The check `size-answer`: a size is right, such as that of a layer's output.

`32×32×16`, `(16, 32, 32)` and `16 maps of 32 by 32` are the same size.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.checks.absence import nothing_recognised, own_sections
from grader.checks.check import Conclusion, check
from grader.checks.decide import WrongSize, decided_wrong, with_verdict
from grader.checks.feedback import LIKELY_MEANT, NEAR, UNCERTAIN, say_right
from grader.checks.finding import ExpectedAnswer, Finding, Status
from grader.claims.answer import Answer
from grader.claims.commitment import stance
from grader.claims.numerals import sentence_bounds
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.claims.statements import is_doubtful, quantities_of, statements
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.language.shapes import LONG_WORD
from grader.reading.document import Evidence

_MOST_SIZES: Final = 100
_FEW_WORDS: Final = 12
"""In an answer with more words, a second size may be that of something else, such as a kernel."""
_TIMES: Final = r"(?<![\w.,])\d{1,7}(?:(?:\s?[×x*]\s?|\s?\\?times\s?|\s<times_in_size>\s)\d{1,7}){1,5}(?![\d.,]*\d|\w)"
_LISTED: Final = re.compile(r"[(\[]\s?(\d{1,7}(?:\s?[,;]\s?\d{1,7}){1,5})\s?[)\]]")
_CALCULATES: Final = re.compile(r"\s?(?:[+/^]|-\s?\d|=\s?\d)")
"""The text after the factors of a calculation."""


class _Size(NamedTuple):
    """The numbers of a size at `passage.text[start:end]`."""

    numbers: tuple[int, ...]
    passage: Passage
    start: int
    end: int

    @property
    def evidence(self) -> Evidence:
        return self.passage.evidence(self.start, self.end)

    @property
    def is_open(self) -> bool:
        """Whether its sentence denies it or leaves it open."""
        left, right_end = sentence_bounds(self.passage.text, self.start, self.end)
        is_stated = stance(self.passage, self.start, self.end).is_committed
        sentence = self.passage.text[left:right_end]
        return not is_stated or is_doubtful(sentence, self.start - left, self.end - left)


@check("size-answer")
def size_answer(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    size: tuple[int, ...],
    ordered: bool = False,
    given: tuple[tuple[int, ...], ...] = (),
    wrong: tuple[WrongSize, ...] = (),
) -> Iterator[Conclusion]:
    """The size that was asked for is right.

    - `size`: the numbers, such as the size of a layer's output.
    - `ordered`: whether their order matters; otherwise channels may come first or last.
    - `given`: sizes that the question states; they are not answers.
    - `wrong`: known wrong sizes.

    Decides: the only size in the answer with as many numbers as `size`, in any notation: `32x32x16`, `(16, 32, 32)`,
    `16 maps of 32 by 32`. If there is none, a shorter size counts if it is in `wrong`.

    Leaves to people: answers with several sizes, doubts or negations, and sizes with fewer or more numbers.

    Example:
        size = [32, 32, 16]
        given = [[32, 32, 3]]
        wrong = [{ size = [28, 28, 16], why = "The padding is missing." }]
    """
    question = lab.question_of(item)
    places = own_sections(answer, question)
    spelled = "×".join(map(str, size))
    finding = Finding(item=item, status=Status.REVIEW, expected=ExpectedAnswer(text=spelled))
    found = [
        candidate
        for place in places
        for candidate in _sizes(place)
        if not any(_is(candidate.numbers, given_size) for given_size in given)
    ]
    whole = [candidate for candidate in found if len(candidate.numbers) == len(size)]
    whole = whole or [candidate for candidate in found if _completes(candidate, size)]
    known_wrong_size = next(
        (
            own_wrong_size
            for own_wrong_size in wrong
            for candidate in whole or found
            if _is(candidate.numbers, own_wrong_size.size)
        ),
        None,
    )
    named = whole or [
        candidate for candidate in found if known_wrong_size and _is(candidate.numbers, known_wrong_size.size)
    ]
    if not named:
        yield nothing_recognised(finding, answer, lab)
        return
    size_text = "×".join(map(str, named[-1].numbers))
    finding = finding.with_changes(
        found=size_text, evidence=tuple(dict.fromkeys(candidate.evidence for candidate in named[:3]))
    )
    is_right = [_is(candidate.numbers, size, ordered=ordered) or _completes(candidate, size) for candidate in named]
    beside = {value for place in places for quantity in quantities_of(place.passage) for value in quantity.plain}
    is_near = any(is_right) or (not whole and not beside.isdisjoint(Counter(size) - Counter(named[-1].numbers)))
    reasons = (
        NEAR.keep_if(is_near and not all(is_right)),
        UNCERTAIN.keep_if(any(candidate.is_open for candidate in named)),
        LIKELY_MEANT.keep_if(not any(question in place.questions for place in places)),
    )
    if all(is_right):
        yield with_verdict(finding, Status.CORRECT, say_right(size_text), *reasons)
        return
    words = sum(len(LONG_WORD.findall(place.passage.text[place.lead :])) for place in places)
    is_one = len({tuple(sorted(candidate.numbers)) for candidate in named}) == 1
    is_other = not is_one or (known_wrong_size is None and words > _FEW_WORDS)
    yield decided_wrong(finding, size_text, known_wrong_size, *reasons, LIKELY_MEANT.keep_if(is_other))


def _is(numbers: Sequence[int], size: Sequence[int], *, ordered: bool = False) -> bool:
    """Whether numbers are those of a size."""
    return tuple(numbers) == tuple(size) if ordered else Counter(numbers) == Counter(size)


def _completes(short_size: _Size, size: Sequence[int]) -> bool:
    """Whether a size that lacks one number is completed by the only count beside it: `16 maps of 32 by 32`."""
    rest = Counter(size) - Counter(short_size.numbers)
    if len(short_size.numbers) != len(size) - 1 or rest.total() != 1:
        return False
    sentence = next(
        (
            own_statement
            for own_statement in statements(short_size.passage)
            if own_statement.start <= short_size.start < own_statement.end
        ),
        None,
    )
    return sentence is not None and {*rest} == {
        quantity.plain[0]
        for quantity in quantities_of(short_size.passage)
        if sentence.start <= quantity.start < sentence.end
        and not short_size.start <= quantity.start < short_size.end
        and lexicon.match(r"\s(?:<of>\s|[^\W\d_]{3})", short_size.passage.text, quantity.end)
    }


def _sizes(place: Section) -> Iterator[_Size]:
    """Yield the sizes in a section, in order, without products that are calculated."""
    text, passage = place.passage.text, place.passage
    found = [
        _Size(tuple(map(int, re.findall(r"\d+", match.group()))), passage, *match.span())
        for match in lexicon.find_all(_TIMES, text, place.lead)
        if not _CALCULATES.match(text, match.end())
    ]
    for match in _LISTED.finditer(text, place.lead):
        found.append(_Size(tuple(map(int, re.findall(r"\d+", match[1]))), passage, match.start(1), match.end(1)))
    yield from sorted(found, key=lambda size: size.start)[:_MOST_SIZES]
