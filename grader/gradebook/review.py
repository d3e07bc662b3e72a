"""Groups of like answers that await a person, so that one decision settles them all.

Answers to one item are alike if they have the same words; else if their words are nearly the same; else if the grader
left them for the same reason with the same suggestion, or if all are spot checks. `group_answers` can be replaced by
any function from answers to groups.
"""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from grader.cohort.attention import WHOLE, WHOLE_TITLE, audits, kind_of_doubt, reason_of
from grader.gradebook.outline import one_of_equal
from grader.message import Words, say
from grader.result import HAND_IN, UNREADABLE, ItemResult, Result, Status, answer_summary, is_settled_for_class

EACH: Final = "each"
"""What stands for a verdict where each answer gets the status that is suggested for it."""
AUDIT: Final = "audit"
"""Tag of an automatic verdict that a person is asked to check."""
NEAR: Final = 0.72
"""Least share of common runs of letters at which two answers count as nearly the same."""
_RUN: Final = 4
_LONGEST: Final = 600
_LENGTH: Final = 10
_SUFFICES: Final = 8
"""Fewest letters of words that runs of letters can compare."""
_ACCEPTED: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING)


class Likeness(StrEnum):
    """The property that the answers of a group share."""

    HAND_IN = "hand-in"
    WORDS = "words"
    NEAR = "near"
    REASON = "reason"


class Answer(NamedTuple):
    """A student's answer to an item that the grader left to a person, before any person decided about it: what is
    needed to list, group and decide the answers of a class of any size. `score` and `status` are the grader's own;
    `reason` is why it was left to a person; `group` stands for its words where a lab can remember a decision about
    them; `is_audit`: the grader decided it, and a person is asked to check; `is_returned`: it waits only because a
    person decided about another answer before. `is_found`: `words` are the answer, and not a place where one may stand.
    For `subject` and `about` see `Override`."""

    student: str
    name: str
    item: str
    title: Words
    status: Status
    score: Decimal
    max_score: Decimal
    reason: Words
    suggestion: Status | None
    expected: str | None
    finding: str
    group: str
    is_audit: bool
    words: str
    subject: str = ""
    about: str = ""
    is_returned: bool = False
    is_found: bool = True

    @property
    def key(self) -> tuple[str, str]:
        """The student and the item."""
        return self.student, self.item

    @property
    def suggested(self) -> Status | None:
        """The status that a person can accept: the grader's suggestion, or its verdict for a spot check."""
        status = self.status if self.is_audit else self.suggestion
        return status if status in _ACCEPTED else None


class AnswerGroup(NamedTuple):
    """Like answers, the most typical first. `id` is stable as long as the answers it was made from are there. A group
    of whole hand-ins, or of items of which they hold nothing, is about no single item: `item` is empty then.
    `suggestion` is the same for all answers; spot checks may have several, each its own (`suggests_each`)."""

    id: str
    item: str
    title: Words
    likeness: Likeness
    reason: Words
    suggestion: Status | None
    answers: tuple[Answer, ...]

    @property
    def points(self) -> Decimal:
        """The points at stake in all answers of the group."""
        return sum((answer.max_score for answer in self.answers), Decimal(0))

    @property
    def doubts_hand_ins(self) -> bool:
        """Whether the hand-ins are in doubt as a whole: unreadable, blank, or of another lab."""
        return not self.item and self.answers[0].group.startswith((HAND_IN, UNREADABLE))

    @property
    def suggests_each(self) -> bool:
        """Whether each answer has a suggestion of its own, and these differ."""
        return self.suggestion is None and self.confirms_each

    @property
    def confirms_each(self) -> bool:
        """Whether each answer of an item has a suggestion that one decision can confirm."""
        return bool(self.item) and all(answer.suggested for answer in self.answers)


Grouping = Callable[[Sequence[Answer]], tuple[AnswerGroup, ...]]
"""A function that groups answers."""


def answers_left(results: Sequence[Result]) -> Iterator[Answer]:
    """The answers that the grader left to persons, audits included, whether or not a person has decided since. The
    results are gone through twice, one after the other."""
    drawn = {(audit.student, audit.item) for audit in audits(results)}
    for result in results:
        if result.lateness is not None and result.lateness.penalty is None:
            continue
        for item in (candidate for candidate in result.items if not is_settled_for_class(candidate)):
            is_audit = (result.student.id, item.id) in drawn or AUDIT in item.tags
            is_left = is_audit or _of_grader(item)[0] in (Status.REVIEW, Status.ERROR)
            if is_left or item.earlier:
                yield _answer(result, item, is_audit=is_audit, is_returned=not is_left)


_points: Final = lru_cache(maxsize=8192)(Decimal)
"""One object for each spelling of a number of points."""


def _of_grader(item: ItemResult) -> tuple[Status, Decimal]:
    """The grader's own status and score of an item."""
    put = item.override or item.earlier
    return (put.before, put.score_before) if put else (item.status, item.score)


def _answer(result: Result, item: ItemResult, *, is_audit: bool, is_returned: bool) -> Answer:
    status, score = _of_grader(item)
    read = item.found or (item.evidence[0].quote if item.evidence else "")
    return Answer(
        student=result.student.id,
        name=result.student.name,
        item=one_of_equal(item.id),
        title=one_of_equal(item.title),
        status=status,
        score=_points(str(score)),
        max_score=_points(str(item.max_score)),
        reason=one_of_equal(reason_of(item)),
        suggestion=item.suggestion,
        expected=one_of_equal(item.expected),
        finding=item.finding,
        group=item.group,
        is_audit=is_audit,
        words=plain_words(read),
        subject=item.subject,
        about=answer_summary(item),
        is_returned=is_returned,
        is_found=bool(item.found),
    )


def group_answers(answers: Sequence[Answer]) -> tuple[AnswerGroup, ...]:
    """The groups, the most points first; every answer is in exactly one group."""
    together: dict[str, dict[str, list[Answer]]] = defaultdict(lambda: defaultdict(list))
    by_item: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        together[_of_hand_in(answer)][answer.student].append(answer)
    alone = together.pop("", {})
    groups = []
    for key, by_student in together.items():
        if several := [entry for own_answers in by_student.values() if len(own_answers) > 1 for entry in own_answers]:
            groups.append(_group_of_hand_ins(key, several))
        alone.update(
            {f"{key} {student}": own_answers for student, own_answers in by_student.items() if len(own_answers) == 1}
        )
    for answer in chain.from_iterable(alone.values()):
        by_item[answer.item].append(answer)
    groups += [group for own_answers in by_item.values() for group in _groups_of_item(own_answers)]
    return tuple(sorted(groups, key=lambda group: (-group.points, -len(group.answers), group.item, group.id)))


_SEVERAL: Final = say("No answer to several items was recognised, for the same reason.")


def _group_of_hand_ins(key: str, answers: Sequence[Answer]) -> AnswerGroup:
    reason = next((text for prefix, text in WHOLE.items() if key.startswith(prefix)), _SEVERAL)
    group = _group(Likeness.HAND_IN, answers, key)
    return group._replace(item="", title=WHOLE_TITLE, reason=reason, suggestion=None)


def _of_hand_in(answer: Answer) -> str:
    """Return the property that an answer shares with others of the same hand-in: that it is in doubt as a whole, or
    that nothing was found for the same reason and at the same place. Empty if it stands for itself."""
    if answer.is_audit or answer.is_returned:
        return ""
    if answer.group.startswith((HAND_IN, UNREADABLE)):
        return answer.group
    return "" if answer.is_found else f"{_kind(answer)} {answer.words}"


def plain_words(text: str) -> str:
    """Text in lower case without accents and punctuation, for comparing."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(re.findall(r"\w+", "".join(sign for sign in plain if not unicodedata.combining(sign))))


def nearness(first: frozenset[str], other: frozenset[str]) -> float:
    """The share of runs of letters that two texts have in common, 0 to 1."""
    return len(first & other) / len(first | other) if first and other else 0.0


def letter_runs(words: str) -> frozenset[str]:
    """All runs of four letters of plain words."""
    text = f" {words[:_LONGEST]} "
    return frozenset(text[at : at + _RUN] for at in range(max(len(text) - _RUN + 1, 1)))


def contradictions(
    verdicts: Iterable[tuple[Answer, Status]],
) -> tuple[tuple[str, str, dict[Status, tuple[str, ...]]], ...]:
    """Answers with the same words that persons decided differently: item, words, and the students by status."""
    found: dict[tuple[str, str], dict[Status, list[str]]] = defaultdict(lambda: defaultdict(list))
    for answer, status in verdicts:
        if answer.words:
            found[answer.item, answer.words][status].append(answer.student)
    return tuple(
        (item, words, {status: tuple(sorted(students)) for status, students in sorted(by_status.items())})
        for (item, words), by_status in sorted(found.items())
        if len(by_status) > 1
    )


def _groups_of_item(answers: Sequence[Answer]) -> Iterator[AnswerGroup]:
    """The groups of one item: by equal words, then by similar words, then by reason and suggestion. Of the latter are
    single answers, all spot checks, and two alike that wait for a yes only: they are no decision of their own."""
    same: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in answers:
        same[(answer.words, _kind(answer)) if answer.words else ("", answer.student)].append(answer)
    clusters = _joined([equal for (words, _), equal in same.items() if words])
    clusters += [[equal] for (words, _), equal in same.items() if not words]
    by_reason: dict[str, list[list[Answer]]] = defaultdict(list)
    for alike in (list(chain.from_iterable(cluster)) for cluster in clusters):
        if alike[0].is_audit or len(alike) <= (2 if alike[0].suggested else 1):
            by_reason[_kind(alike[0])].append(alike)
        else:
            yield _alike(alike)
    for kind, parts in by_reason.items():
        several = list(chain.from_iterable(parts))
        yield _alike(several) if len(parts) == 1 < len(several) else _group(Likeness.REASON, several, kind)


def _alike(answers: Sequence[Answer]) -> AnswerGroup:
    likeness = Likeness.WORDS if len({answer.words for answer in answers}) == 1 else Likeness.NEAR
    return _group(likeness, answers, answers[0].words)


def _joined(clusters: Sequence[list[Answer]]) -> list[list[list[Answer]]]:
    """Merges clusters with similar words, starting from the largest."""
    leaders: dict[str, list[tuple[frozenset[str], list[list[Answer]]]]] = defaultdict(list)
    for new_cluster in sorted(clusters, key=lambda candidate: (-len(candidate), candidate[0].words)):
        runs, kind_leaders = letter_runs(new_cluster[0].words), leaders[_kind(new_cluster[0])]
        usable = len(new_cluster[0].words) >= _SUFFICES
        near = [
            (nearness(runs, other), number)
            for number, (other, _) in enumerate(kind_leaders)
            if usable and min(len(runs), len(other)) >= NEAR * max(len(runs), len(other))
        ]
        share, closest = max(near, default=(0.0, 0))
        # Answers with other numbers are not alike, however similar their words are.
        if share >= NEAR and _numbers(new_cluster[0]) == _numbers(kind_leaders[closest][1][0][0]):
            kind_leaders[closest][1].append(new_cluster)
        else:
            kind_leaders.append((runs, [new_cluster]))
    return [cluster for kind_leaders in leaders.values() for _, cluster in kind_leaders]


def _numbers(answer: Answer) -> list[str]:
    return re.findall(r"\d+", answer.words)


def _group(likeness: Likeness, answers: Sequence[Answer], key: str) -> AnswerGroup:
    first = answers[0]
    text = "\n".join((first.item, likeness, key, _kind(first)))
    if likeness is Likeness.HAND_IN:
        text = f"{likeness}\n{key}"
    return AnswerGroup(
        id=hashlib.sha256(text.encode()).hexdigest()[:_LENGTH],
        item=first.item,
        title=first.title,
        likeness=likeness,
        reason=first.reason,
        suggestion=first.suggested if len({answer.suggested for answer in answers}) == 1 else None,
        answers=tuple(answers),
    )


def _kind(answer: Answer) -> str:
    """Return the reason why a person decides about an answer; the same for all spot checks, which carry their
    verdicts."""
    if answer.is_audit:
        return AUDIT
    return str(one_of_equal(kind_of_doubt(answer.item, answer.reason, answer.suggestion, answer.status)))
