"""The check `contains`: an answer has the words that were asked for."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from itertools import chain, compress
from typing import Final, NamedTuple, Self

from pydantic import Field

from grader.checks.absence import (
    FEWEST_WORDS,
    nothing_recognised,
    remarks_of,
    told_sections,
)
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import LIKELY_MEANT, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status
from grader.checks.shown_values import (
    question_cells,
)
from grader.checks.subjects import Subject, clause_at, places_of, subject_of
from grader.claims.answer import Answer
from grader.claims.sections import Section
from grader.claims.statements import Polarity, Saying, polarity, sayings, speaks_of
from grader.frozen import Frozen
from grader.lab.definition import Lab, Question
from grader.language import lexicon
from grader.language.shapes import words_in
from grader.message import Message, join_messages, say, say_data
from grader.reading.document import Evidence


class Lacking(StrEnum):
    """The verdict if only some of the required content is stated."""

    REVIEW = "review"
    PARTIAL = "partial"


class WrongWords(Frozen):
    """The words of a known wrong answer, its cause, and the share of the points that it earns."""

    words: tuple[str, ...]
    why: str
    share: Decimal = Field(default=Decimal(0), ge=0, le=1)

    @property
    def name(self) -> str:
        """The first word."""
        return self.words[0]


_CONTAINS: Final = "contains"


@check(_CONTAINS)
def contains(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    must: tuple[tuple[str, ...], ...] = (),
    about: tuple[tuple[str, ...], ...] = (),
    must_not: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    needed: tuple[str, ...] = (),
    wrong: tuple[WrongWords, ...] = (),
    lacking: Lacking = Lacking.REVIEW,
) -> Iterator[Conclusion]:
    """The answer states what was asked for.

    - `must`: lists of words. The answer must state one word of each list. The entry `not differentiable` matches every
      denial that something is differentiable.
    - `about`: lists of words for the subject. The answer must mention one word of each list anywhere, even in a denial:
      `we used no validation set` mentions `validation`.
    - `must_not`: words that the answer must not state.
    - `names`: names for the lists of `must`, then of `about`, in feedback to students.
    - `needed`: names of lists without which the others earn nothing.
    - `wrong`: known wrong answers. An entry counts if the answer states one of its `words` and no word of `must`. If it
      also states words of `must`, it goes to review. In a complete answer, only wrong words about its subject count:
      their sentence must have a word of `about`.
    - `lacking`: the verdict on an answer that does not state everything. With `partial`, it earns the share of the
      lists that it states. It is `incorrect` if it states no list of `must` and denies one or states a forbidden word.
      An answer that says more, in a clause without any of these words, goes to review, except reasons (`because …`).

    Decides: an answer that states everything required and nothing forbidden is `correct`. Negated words (`non-uniform`
    for `uniform`) and questions state nothing. If another item of the question has a different `about`, a word of
    `must` counts only where it is said of this item's subject: in `the training error falls, the test error rises`,
    `rises` is said of `test`. Comments count as in `numeric-answer`.

    Leaves to people: all other answers, with the words that are missing or forbidden.

    Example:
        must = [["overfit", "over-fit"]]
        about = [["validation"]]
        must_not = ["underfit"]
        names = ["overfitting", "the validation set"]
        wrong = [{ words = ["too little data"], why = "The size of the validation set is not the cause." }]
        lacking = "partial"
    """
    question = lab.question_of(item)
    lists = (*must, *about)
    places = _places(answer, lab, question, lists)
    called = [names[n] if n < len(names) else "" for n in range(len(lists))]
    rivals = _rivals(lab.asking(item), item, about)
    own_words = tuple(word for words in about for word in words)
    groups = [
        _Group.from_sections(places, words, own_words, rivals, wider=_names_beside(words, lists)) for words in must
    ]
    groups += [_Group.from_sections(places, words, is_topic=True, wider=_names_beside(words, lists)) for words in about]
    wrong_groups = [
        (wrong_words, _Group.from_sections(places, wrong_words.words, own_words, rivals, is_near=True))
        for wrong_words in wrong
    ]
    unwanted = _Group.from_sections(places, must_not)
    lacks = any(not group.stated for group in groups)
    # Beside a whole answer, only a wrong statement about the same subject counts.
    of_own = (_Group.from_sections(places, wrong_words.words, own_words, needs_own=not lacks) for wrong_words in wrong)
    forbidden = [*unwanted.stated, *unwanted.open, *(place for group in of_own for place in group.stated)]
    found = [group.first for group in groups if group.first]
    evidence = tuple(dict.fromkeys((*forbidden[:2], *found)))[:5]
    expected = ExpectedAnswer(text=join_messages(", ", map(say_data, filter(None, called)))) if any(called) else None
    unstated = [
        _list_told(name, words[0]) for name, words, group in zip(called, lists, groups, strict=True) if not group.stated
    ]
    note = say("Not stated: {words}.", words=join_messages(", ", unstated)) if unstated else ""
    finding = Finding(item=item, status=Status.REVIEW, expected=expected, evidence=evidence, note=note)
    if not evidence and groups:
        yield nothing_recognised(finding.with_changes(note=""), answer, lab)
        return
    elsewhere = LIKELY_MEANT.keep_if(not any(question in place.questions for place in places))
    is_any = any(group.stated or group.open for group in groups[: len(must)])
    known_wrong_words = next((wrong_words for wrong_words, group in wrong_groups if group.stated), None)
    if known_wrong_words and not is_any and not any(group.open for _, group in wrong_groups):
        yield _known_wrong(finding, known_wrong_words, elsewhere)
        return
    absent = ", ".join(name for name, group in zip(called, groups, strict=True) if name and not group.stated)
    decides = (
        lacking is Lacking.PARTIAL
        and not unwanted.open
        and _says_no_more(places, (*lists, must_not, *(wrong_words.words for wrong_words in wrong)))
    )
    is_needed = [name in needed for name in called]
    if decides and (judged := _in_part(groups, len(must), is_needed, len(forbidden))):
        status, share = judged
        yield with_verdict(finding, status, _absent_told(absent, is_some=share is not None), elsewhere, share=share)
        return
    missing = Reason(_absent_told(absent, is_some=True), is_likely=False)
    all_there = say("Everything that was asked for is stated.")
    yield with_verdict(
        finding, Status.CORRECT, all_there, _FORBIDDEN.keep_if(forbidden), missing.keep_if(lacks), elsewhere
    )


def _places(answer: Answer, lab: Lab, question: str, lists: Sequence[Sequence[str]]) -> list[Section]:
    """Return the sections that answer a question.

    If the handout has no cell for the answer and the sections contain nothing that is sought, comments in code count,
    too.
    """
    places = told_sections(answer, lab, question, fewest_words=FEWEST_WORDS)
    is_in_code = lab.templates.notebooks and not any(place.is_inline for place in places)
    texts = [place.passage.text[place.lead :] for place in places]
    if is_in_code and not any(speaks_of(text, words) for text in texts for words in lists):
        return [*places, *remarks_of(question_cells(answer, question).own, question)]
    return places


def _list_told(name: str, first: str) -> Message:
    """Return the words for a list of words: its name, or its first word, which may be only the beginning of one."""
    is_whole = bool(name) or " " in first
    return say_data(name or first) if is_whole else say("a word that begins with {beginning}-", beginning=first)


def _absent_told(absent: str, *, is_some: bool) -> Message:
    """Return the message about what is not stated, if the lab has readable words for it."""
    if is_some:
        message = say("Not stated: {words}.", words=absent)
        return message if absent else say("Not everything that was asked for is stated.")
    message = say("It says something else than was asked for.")
    return join_messages(" ", (message, say("Not stated: {words}.", words=absent))) if absent else message


def _known_wrong(finding: Finding, known_wrong_words: WrongWords, elsewhere: Reason | None) -> Finding:
    """Return the verdict on an answer that states a known wrong answer and nothing right."""
    why = say_data(known_wrong_words.why)
    return with_verdict(
        finding.with_changes(note=""),
        Status.PARTIAL if known_wrong_words.share else Status.INCORRECT,
        why,
        elsewhere,
        share=known_wrong_words.share or None,
        diagnoses=(Diagnosis(id=f"known-wrong:{known_wrong_words.name}", text=why),),
    )


def _in_part(
    groups: Sequence["_Group"], claims: int, needed: Sequence[bool], forbidden: int
) -> tuple[Status, Decimal | None] | None:
    """Return the verdict and share of an incomplete answer, or None if it is open.

    The first `claims` groups are claims, the others topics. A topic alone answers nothing, nor does anything without
    the `needed` groups.
    """
    if any(group.is_left_open for group in groups):
        return None
    stated = [bool(group.stated) for group in groups]
    if not any(stated[: claims or None]):
        return (Status.INCORRECT, None) if forbidden or any(group.denied for group in groups) else None
    if forbidden or all(stated):
        return None
    if not all(compress(stated, needed)):
        return Status.INCORRECT, None
    return Status.PARTIAL, Decimal(sum(stated)) / len(groups)


class _Group(NamedTuple):
    """The places where an answer states, denies or leaves open one list of words."""

    stated: list[Evidence]
    denied: list[Evidence]
    open: list[Evidence]

    @property
    def is_left_open(self) -> bool:
        """Whether a place leaves the words open and no place states them."""
        return bool(self.open) and not self.stated

    @property
    def first(self) -> Evidence | None:
        """The first place, preferably one where it is stated."""
        return next(iter((*self.stated, *self.denied, *self.open)), None)

    @classmethod
    def from_sections(
        cls,
        places: Sequence[Section],
        words: Sequence[str],
        own_words: Sequence[str] = (),
        rivals: Sequence[str] = (),
        *,
        is_topic: bool = False,
        wider: Sequence[str] = (),
        needs_own: bool = False,
        is_near: bool = False,
    ) -> Self:
        """Return the places of one list of words in some sections, except those within the names in `wider`.

        For a topic, every statement counts. Denying the rest of a negative word, as in `not differentiable`, states the
        word. A statement that is only about the subjects in `rivals`, or about something that ends, is left open. With
        `needs_own`, sentences that do not mention the words in `own_words`, if there are any, do not count. With
        `is_near`, conditions and clauses that do not name the subject are left open if there are `rivals`.
        """
        by: dict[Polarity, list[Evidence]] = {candidate: [] for candidate in Polarity}
        negated = tuple(filter(None, map(_less_negation, words)))
        plain = tuple(word for word in words if _less_negation(word) is None)
        for place in places:
            for saying in _sayings(place, plain):
                if _is_of_others(saying.text, plain, wider, own_words if needs_own else ()):
                    continue
                is_said = is_topic and not saying.text.rstrip().endswith("?")
                how = (
                    Polarity.STATED if is_said else _polarity_of_own(saying, plain, own_words, rivals, is_near=is_near)
                )
                by[how].append(saying.evidence)
            for saying in chain.from_iterable(_sayings(place, [word]) for word in negated):
                by[_TURNED.get(saying.polarity, saying.polarity)].append(saying.evidence)
        return cls(by[Polarity.STATED], by[Polarity.DENIED], by[Polarity.OPEN])


def _names_beside(words: Sequence[str], lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the names in other lists, such as those of files: `model` within `model_small` does not speak of a
    model."""
    return tuple(word for other in lists if other != words for word in other if "_" in word and word not in words)


def _is_of_others(text: str, words: Sequence[str], wider: Sequence[str], own_words: Sequence[str]) -> bool:
    """Whether words stand only within wider names, or a text mentions nothing in `own_words`, if there is any."""
    return bool((wider and _are_within(text, words, wider)) or (own_words and not speaks_of(text, own_words)))


def _are_within(text: str, words: Sequence[str], names: Sequence[str]) -> bool:
    """Whether all places of some words in a text lie within names."""
    wide = list(places_of(text, names))
    return all(any(left <= start and end <= right for left, right in wide) for start, end in places_of(text, words))


def _rivals(question: Question, item: str, about: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the subjects of the question's other items that are not subjects of this item."""
    own_words = tuple(chain.from_iterable(about))
    others = (
        candidate.options for candidate in question.items if candidate.check == _CONTAINS and candidate.id != item
    )
    named = chain.from_iterable(chain.from_iterable(other.get("about", ()) for other in others if other.get("must")))
    alike = (
        (word, [speaks_of(word, own_words), *(speaks_of(other, (word,)) for other in own_words)]) for word in named
    )
    return tuple(word for word, found in alike if own_words and not any(found))


def _polarity_of_own(
    saying: Saying, words: Sequence[str], own_words: Sequence[str], rivals: Sequence[str], *, is_near: bool
) -> Polarity:
    """Return the polarity of a sentence towards words that it says of this item's subject, unless it says that they
    end, or says them of the contrary case."""
    if saying.polarity is not Polarity.STATED:
        return saying.polarity
    opposites = tuple(f"{prefix}{word}" for word in own_words for prefix in _OPPOSITE)
    others = (*rivals, *(word for word in opposites if speaks_of(saying.text, [word]) and word not in own_words))
    for start, end in places_of(saying.text, words):
        is_ended = lexicon.match(r"[^\W\d_]*\s+(?:(?!<because>)\w+\s+){0,7}?<vanishing>", saying.text, end)
        is_ended = is_ended or lexicon.search(r"<ceasing>\W+(?:to\W+)?\Z", saying.text[:start])
        is_own = _is_own(saying.text, start, own_words, others, needs_name=is_near and bool(rivals))
        if is_own and not is_ended:
            return polarity(saying.text, start, end)
    return Polarity.OPEN


def _is_own(text: str, start: int, own_words: Sequence[str], others: Sequence[str], *, needs_name: bool) -> bool:
    """Whether a sentence says a word of a subject.

    With `needs_name`, the clause of the word must name the subject and be no condition: `as we increase the number of
    images, …`.
    """
    if others and subject_of(text, start, own_words, others) is not Subject.OWN:
        return False
    clause = clause_at(text, start)
    is_named = bool(speaks_of(clause, own_words)) and not lexicon.match(r"\W*<condition|supposing>\s", clause)
    return (is_named or not needs_name) and not _is_turned(text, start, own_words)


def _is_turned(text: str, start: int, own_words: Sequence[str]) -> bool:
    """Whether a growth or fall is said of the case that the subject is less: `if the ratio is lower, it falls`."""
    if not (own_words and lexicon.match("<more|less>", text, start)):
        return False
    supposed = lexicon.search(r"(?<!\w)<condition>\s(?P<case>[^.;]*)\Z", text[:start])
    case = supposed["case"] if supposed else ""
    is_less = lexicon.search("<less>", case) is not None and lexicon.search("<more>", case) is None
    return is_less and speaks_of(case, own_words) is not None


_OPPOSITE: Final = ("non-", "not ")
"""What makes a subject another one: a non-linear model is no linear one."""

_TURNED: Final = {Polarity.STATED: Polarity.DENIED, Polarity.DENIED: Polarity.STATED}


def _less_negation(word: str) -> str | None:
    """Return the rest of a word that begins with a negation, or None."""
    match = lexicon.match(r"<negation>[\s-]+(?=\w)", word)
    return word[match.end() :] if match else None


def _sayings(place: Section, words: Sequence[str]) -> Iterator[Saying]:
    """Return the statements of a section about some words, without its label and title."""
    return (saying for saying in sayings(place.passage, words) if saying.start >= place.lead)


_FEWEST_TOLD: Final = 3
"""The fewest words that say something."""


def _says_no_more(places: Sequence[Section], word_lists: Sequence[Sequence[str]]) -> bool:
    """Whether each clause of an answer is about known words, too short to say anything, or a reason."""
    words = [_less_negation(word) or word for several in word_lists for word in several]
    for place in places:
        text = place.passage.text[place.lead :]
        edges = [0, *(at for match in lexicon.find_all(_CLAUSE_END, text) for at in match.span()), len(text)]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            clause, before = text[start:end], text[max(0, start - _REASON_WINDOW) : start]
            is_reason = lexicon.match(r"\W*<because|for>", clause) or lexicon.search(r"<because|for>\W*\Z", before)
            if words_in(clause) >= _FEWEST_TOLD and not speaks_of(clause, words) and not is_reason:
                return False
    return True


_CLAUSE_END: Final = r"[.,;:!?()\n，。；：！？、（）]\s*|\s<and>\s|\s<break>\s"


_REASON_WINDOW: Final = 12


_FORBIDDEN: Final = Reason(say("It says something that should not be there."), is_likely=False)
