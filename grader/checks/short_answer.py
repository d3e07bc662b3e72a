"""The check `short-answer`: a model of marked examples judges an answer in words, as far as its measured risk allows.

`short_answer` collects the texts of the answer and scores them (`_score`, `_surer`). `_judged` applies the lab's rules,
such as relations that an answer may invert. `_less_rivals` and `_as_committed` send doubtful verdicts to review.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple

from grader.checks.absence import absence, nothing_recognised
from grader.checks.check import Conclusion, check
from grader.checks.feedback import left_to_person, say_wrong
from grader.checks.finding import AUTOMATIC, STATUS_WORDS, Diagnosis, ExpectedAnswer, Finding, Status
from grader.checks.parameter_values import may_be_value, same_value
from grader.claims.answer import Answer, Kind
from grader.claims.commitment import Stance, open_parts
from grader.claims.definition_prose import mentions, of_another_question
from grader.claims.definitions import DefinitionClaim, unassigned_text
from grader.claims.likeness import group_key, is_denied, is_word_list
from grader.claims.numerals import numerals
from grader.claims.passage import Passage
from grader.claims.relations import (
    contradiction,
    parts_lacking,
    says_only_right,
    says_trend,
    turned_quotient,
    without_trends,
)
from grader.claims.voice import words_and_comments
from grader.lab.definition import Lab, Parameter
from grader.lab.short_answers import example_texts
from grader.lab.truth import GroundTruth
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.message import Message, join_messages, say, say_data
from grader.model.answers import MASKED_VALUE, Score, readable
from grader.reading.document import BlockKind, Evidence

_LONGEST_QUOTE = 160


class Parts(NamedTuple):
    """A wrong answer divided into the part that makes it wrong and the rest, which is right alone."""

    right: str
    wrong: str


def feedback(
    status: Status,
    meaning: Status,
    asked: Parameter | None,
    stated: str | None,
    parts: Parts | None,
    wording: str = "",
    meant: str = "",
) -> Message:
    """Return the feedback on an answer with the verdict `status`.

    `meaning` is the verdict on the words without the `stated` value, which may be wrong. `meant` is the other parameter
    that the words define.
    """
    if status is Status.CORRECT:
        return say("The explanation is right.")
    if stated and asked and status is Status.PARTIAL:
        value = _other_value(stated, asked)
        is_right = say("The explanation is right.") if meaning is Status.CORRECT else say("This is right in part.")
        return join_messages(" ", (is_right, value))
    if parts:
        return say(
            "{right} is right, but {wrong} is not.",
            right=quote_texts([parts.right]),
            wrong=quote_texts([parts.wrong]),
        )
    if asked is None:
        return _IN_PART if status is Status.PARTIAL else say_wrong(quote_texts([wording]))
    return _lacking(status, asked, wording, meant)


def _lacking(status: Status, asked: Parameter, wording: str, meant: str) -> Message:
    """Return the feedback on a definition that lacks something: what it lacks, or what it defines instead."""
    full = say("A full answer: {right}", right=say_data(asked.summary)) if asked.summary else ""
    rest = _not_found(parts_lacking(wording, asked)) or full
    if status is Status.PARTIAL:
        return join_messages(" ", (say("This is right in part."), rest)) if rest else _IN_PART
    if meant:
        return say(
            "{quote} says what {other} is, not {name}.", quote=quote_texts([wording]), other=meant, name=asked.id
        )
    verdict = say("{quote} does not say what {name} is.", quote=quote_texts([wording]), name=asked.id)
    return join_messages(" ", filter(None, (verdict, rest)))


_IN_PART: Final = say(
    "This is right in part. Compare it with the right answer: something is missing, or something is wrong."
)


def _not_found(parts: Sequence[str]) -> Message | str:
    """The sentence on the parts of a right definition that an answer lacks; the empty text if it lacks none."""
    named = join_messages(say("; "), map(say_data, parts))
    return say("Not found in it: {parts}.", parts=named) if parts else ""


def _other_value(stated: str, asked: Parameter) -> Message:
    return say("The lab's value of {name} is {value}, not {stated}.", name=asked.id, stated=stated, value=asked.value)


def staff_note(scored: Score, lab: Lab) -> Message:
    """Return the reasons for a score, for staff: the likeliest label, the nearest examples, and the words that weigh
    most."""
    texts = example_texts(lab.short_answers)
    heavy = [run for run in scored.words if MASKED_VALUE.strip() not in run]
    parts = [
        say(
            "Likeliest: {label} ({probability:.0%}); words that weigh most: {words}.",
            label=STATUS_WORDS[Status(scored.label)],
            probability=scored.probability,
            words=join_messages(" / ", map(readable, heavy)) if heavy else "–",
        )
    ]
    for near in scored.near:
        text = texts[near.example] if near.example < len(texts) else None
        if text is not None:
            parts.append(
                say(
                    "Nearest {label} example: {quote}.",
                    label=STATUS_WORDS[Status(near.label)],
                    quote=quote_texts([text]),
                )
            )
    return join_messages(" ", parts)


def quote_texts(texts: Sequence[str]) -> Message:
    """Return texts in quotation marks, shortened if they are long."""
    text = " / ".join(texts)
    short = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1].rsplit(" ", 1)[0] + " …"
    return say("“{words}”", words=short)


_LEAST_LIKE: Final = 0.08
"""The least similarity to the nearest examples for a sentence that may be an answer.

Of 343 right definitions from whole submissions, judged by the examples of others, all but one reach it and satisfy
`_AS_LIKE`.
"""
_CLEARLY_LIKE: Final = 0.15
"""The similarity from which a sentence is most likely about the question. Nine of ten definitions reach it."""
_AS_LIKE: Final = 0.7
"""The least ratio of a sentence's similarity to the question's examples and to any other question's examples."""
Credit = Literal["correct", "partial", "incorrect", "review"]


_CLAUSE_END: Final = re.compile(r"(?<=[.;:!?,])\s+")
_MOST_CLAUSES: Final = 8
"""The most clauses of an answer that is taken apart. For longer ones there are too many combinations."""
_FEWEST_WORDS: Final = 3
"""The fewest words of an answer."""


def parts_of(text: str, is_right: Callable[[str], bool]) -> Parts | None:
    """Return the shortest sequence of clauses without which the answer is right, with the rest, or None.

    Clauses are never judged alone, because most clauses of a right answer say too little to be right.
    """
    clauses = _CLAUSE_END.split(text)
    if len(clauses) > _MOST_CLAUSES:
        return None
    for length in range(1, len(clauses)):
        for start in range(len(clauses) - length, -1, -1):  # the clause that is added last is most often wrong
            right = " ".join(clauses[:start] + clauses[start + length :])
            if len(right.split()) >= _FEWEST_WORDS and is_right(right):
                return Parts(right.rstrip(" ,;:."), " ".join(clauses[start : start + length]).rstrip(" ,;:."))
    return None


@check("short-answer", kinds=(Kind.WRITTEN,))
def short_answer(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    topic: str,
    wrong_value: Credit = "partial",
    value_alone: Credit = "incorrect",
    turned_round: Credit = "partial",
) -> Iterator[Conclusion]:
    """The question is answered in the student's own words.

    - `topic`: the [topic](short-answers.md) of the marked examples.
    - `wrong_value`: the verdict on a right definition with a wrong value.
    - `value_alone`: the verdict on an answer that gives only a value.
    - `turned_round`: the best verdict for an answer that inverts a quotient, such as `r / alpha`.

    Decides: answers that the lab's model judges within its risk.

    Leaves to people: all other answers, with the nearest marked examples.
    """
    asked = next((parameter for parameter in lab.parameters if parameter.id == topic), None)
    finding = Finding(item=item, status=Status.REVIEW, expected=_expected(asked, truth))
    every = [claim for claim in answer.definitions if claim.parameter == topic] if asked else _whole(answer, lab, item)
    claims = [claim for claim in every if claim.text] or every
    claims = [claim for claim in claims if not _counts(claim.text)] or claims
    texts = tuple(dict.fromkeys(claim.text for claim in claims if claim.text))
    if claims:
        finding = finding.with_changes(
            found=max(texts, key=len, default=claims[0].value),
            evidence=tuple(dict.fromkeys(claim.evidence for claim in claims)),
        )
    if not texts:
        yield _unanswered(finding, claims, asked, answer, lab, value_alone)
        return
    wording = " ".join(texts)
    stated = _wrong_value(claims, every, asked, truth) if asked else None
    group = group_key(topic, wording, stated)
    scored = _score(lab, topic, wording, asked)
    opinions = {claim.opinion for claim in claims if claim.opinion}
    if scored and opinions:  # a reader's opinion decides nothing alone; the verdict is certain if both agree
        scored = scored._replace(decided=opinions == {scored.label})
    elif scored and asked:
        scored = _surer(scored, wording, asked, lab, topic)
    tags = (f"{AUTOMATIC}{scored.label}",) if scored and scored.decided else ()
    finding = finding.with_changes(group=group, tags=tags, decided_tags=tags)
    if scored is None:
        yield finding.with_changes(note=say("No model of marked examples has been trained: grade lab train."))
    else:
        judged = _judged(finding, scored, texts, stated, asked, lab, topic, wrong_value, turned_round, opinions)
        if not opinions:  # a reader has read every clause
            judged = _doubted(judged, claims, lab, topic, asked)
        yield _as_committed(judged, claims, lab, topic, asked)


def _counts(text: str) -> bool:
    """Whether a text is a calculation with large numbers, for example a count of weights that mentions biases."""
    return "=" in text and sum(numeral.value >= _LARGE for numeral in numerals(text)) > 1


_LARGE: Final = 100
_CONTRARY: Final = say("It seems to say the contrary of what is true.")
_UNLIKE: Final = say("No marked example is close enough to decide this answer.")


def _left_open(doubt: str, wording: str, asked: Parameter | None, label: Status | None) -> Message:
    """Return the feedback on an answer that a person decides: the `doubt`; where that is only that no marked example is
    close enough, the parts that are not found in it, or its likely label."""
    if doubt != _UNLIKE:
        return left_to_person(doubt)
    lacking = _not_found(parts_lacking(wording, asked)) if asked and label is not Status.CORRECT else ""
    if lacking:
        return left_to_person(lacking, say("It may say so in other words."))
    seems_right = say(
        "{quote} seems right, but is too unlike the marked examples to be sure.", quote=quote_texts([wording])
    )
    unsure = say(
        "Whether {quote} is right is not certain: it is too unlike the marked examples.", quote=quote_texts([wording])
    )
    return left_to_person(seems_right if label is Status.CORRECT else unsure)


def _doubted(
    finding: Finding, claims: Sequence[DefinitionClaim], lab: Lab, topic: str, asked: Parameter | None
) -> Finding:
    """Return the finding, with a right verdict changed to a review if one of several definitions seems wrong alone, or
    if the answer says more, which may be wrong."""
    if finding.status is not Status.CORRECT:
        return finding
    if _has_wrong_rival(claims, lab, topic, asked):
        doubt, suggestion = say("Several meanings are given, and one of them seems to be wrong."), Status.PARTIAL
    elif more := next(_additions(claims, lab, topic, asked), ""):
        quote = quote_texts([more])
        doubt = say("{quote} says more than the marked examples, and may be wrong.", quote=quote)
        suggestion = Status.CORRECT
    else:
        return finding
    note = join_messages(" ", (doubt, finding.note))
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=suggestion,
        feedback=left_to_person(doubt),
        note=note,
        tags=(),
        confidence=1.0,
    )


def _has_wrong_rival(claims: Sequence[DefinitionClaim], lab: Lab, topic: str, asked: Parameter | None) -> bool:
    """Whether one of several definitions seems wrong alone. A setting such as `LoraConfig(r=16` explains nothing."""
    texts = tuple(dict.fromkeys(claim.text for claim in claims if claim.text))
    alone = [text for text in texts[:_MOST_CLAUSES] if "=" not in text] if len(texts) > 1 else []
    scores = [_score(lab, topic, text, asked) for text in alone]
    return any(score and score.label == Status.INCORRECT and score.probability >= _LIKELY for score in scores)


def _as_committed(
    finding: Finding, claims: Sequence[DefinitionClaim], lab: Lab, topic: str, asked: Parameter | None
) -> Finding:
    """Return the finding, or a review if the verdict rests on words that the text does not assert."""
    open_one = next((claim.stance for claim in claims if not claim.stance.is_committed), None)
    if open_one is None or finding.status is Status.REVIEW:
        return finding
    rest = " ".join(dict.fromkeys(claim.committed for claim in claims if claim.committed))
    scored = _score(lab, topic, rest, asked) if len(rest.split()) >= _FEWEST_WORDS else None
    if scored and scored.decided and scored.label == finding.status.value:
        return finding
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=finding.status,
        diagnoses=(*finding.diagnoses, Diagnosis(id="uncommitted", text=open_one.reason)),
        feedback=left_to_person(open_one.reason),
        note=join_messages(" ", (open_one.reason, finding.note)),
        tags=(),
        confidence=1.0,
    )


def _expected(asked: Parameter | None, truth: GroundTruth) -> ExpectedAnswer | None:
    if asked is None:
        return None
    facts = [fact for name in asked.facts if (fact := truth.fact(name))]
    # Students learn from the summary. A measured fact is shown only if there is no summary.
    measured = (say("Measured on a small model: {fact}", fact=say_data(fact.sentence)) for fact in facts[:1])
    return ExpectedAnswer(
        text=say_data(asked.summary) if asked.summary else join_messages("", measured),
        truths=(truth.value_of(asked.id).id, *(fact.id for fact in facts)),
    )


def _whole(answer: Answer, lab: Lab, item: str) -> list[DefinitionClaim]:
    """Return all text under the heading of an item's question as answers."""
    passages = [section.passage for section in answer.sections if lab.question_of(item) in section.questions]
    return [_as_claim(passage, text) for passage in passages if (text := " ".join(passage.text.split()))]


def _as_claim(passage: Passage, text: str) -> DefinitionClaim:
    """Return a whole passage as an answer."""
    end = len(passage.text)
    open_ones = open_parts(passage, 0, end)
    edges = [0, *(edge for left, right, _ in open_ones for edge in (left, right)), end]
    left = " ".join(passage.text[first:other] for first, other in zip(edges[::2], edges[1::2], strict=True))
    return DefinitionClaim(
        parameter="",
        text=text,
        value=None,
        evidence=passage.evidence(0, end),
        stance=open_ones[0][2] if open_ones else Stance.ASSERTED,
        committed=" ".join(left.split()),
    )


def _score(lab: Lab, topic: str, text: str, asked: Parameter | None) -> Score | None:
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    if scorer is None or topic not in scorer.topics:
        return None
    scored = scorer.score(topic, text, (asked.value, *asked.spellings) if asked else ())
    # A verdict that is too uncertain is never decided, even if a mistake would cost little.
    least = _LIKELY if scored.label == Status.CORRECT.value else _LIKELY_LESS
    return scored._replace(decided=scored.decided and scored.probability >= least)


def _is_right(lab: Lab, topic: str, asked: Parameter | None, text: str) -> bool:
    """Whether a text alone would earn full points within the lab's risk."""
    scored = _score(lab, topic, text, asked)
    decided = scored is not None and scored.decided and scored.label == Status.CORRECT.value
    return decided and not (is_word_list(text) or is_denied(text) or (asked and contradiction(text, asked)))


def _judged(
    finding: Finding,
    scored: Score,
    texts: Sequence[str],
    stated: str | None,
    asked: Parameter | None,
    lab: Lab,
    topic: str,
    wrong_value: Credit,
    turned_round: Credit,
    opinions: Collection[str],
) -> Finding:
    """Return the verdict on a scored answer by the lab's rules, or a review with its reason."""
    wording, doubt = " ".join(texts), ""
    opposed = _opposed(wording, Status(scored.label), asked, lab, turned_round, is_own=not stated)
    label, turned = opposed.worth, opposed.diagnosis
    diagnoses: tuple[Diagnosis, ...] = (turned,) if turned else ()
    if stated and asked:
        diagnoses = (*diagnoses, Diagnosis(id="wrong-value", text=_other_value(stated, asked)))
        label = Status(wrong_value) if label is Status.CORRECT else label
    if not scored.decided and opinions:
        doubt = say("Another model judges it as {labels}.", labels=", ".join(sorted(opinions)))
    elif not scored.decided:
        doubt = _UNLIKE
    elif opposed.is_at_odds:
        doubt = turned.text if turned else _CONTRARY
    elif label is Status.REVIEW:
        doubt = _other_value(stated, asked) if stated and asked else _CONTRARY
    elif label is not Status.INCORRECT and is_word_list(wording):
        doubt, label = say("It is a list of words that states nothing."), Status.INCORRECT
    elif label is Status.CORRECT:
        doubt, label = (_CONTRARY, Status.REVIEW) if any(map(is_denied, texts)) else ("", label)
    if doubt:
        suggestion = label if turned or _is_likely(scored, label) else None
        return finding.with_changes(
            suggestion=suggestion,
            tags=(),
            diagnoses=diagnoses,
            feedback=_left_open(_UNLIKE if opinions and not scored.decided else doubt, wording, asked, suggestion),
            note=join_messages(" ", (doubt, staff_note(scored, lab))),
        )
    is_blamed = label is not Status.CORRECT and scored.probability >= _LIKELY
    parts = parts_of(wording, partial(_is_right, lab, topic, asked)) if is_blamed else None
    others = (other for other in lab.parameters if asked and label is Status.INCORRECT and other.id != topic)
    less_name = wording if asked is None else re.sub(rf"\b(?:{'|'.join(map(re.escape, asked.names))})\b", "", wording)
    meant = next((other.id for other in others if says_only_right(less_name, other)), "")
    if parts and asked and says_trend(parts.wrong, asked):  # the seemingly wrong part is true
        return finding.with_changes(
            suggestion=Status.CORRECT,
            diagnoses=diagnoses,
            tags=(),
            feedback=_left_open(_UNLIKE, wording, asked, Status.CORRECT),
            note=join_messages(" ", (_UNLIKE, staff_note(scored, lab))),
        )
    return finding.with_changes(
        status=label,
        diagnoses=diagnoses,
        feedback=turned.text if turned else feedback(label, Status(scored.label), asked, stated, parts, wording, meant),
        note=staff_note(scored, lab),
        tags=(f"{AUTOMATIC}{label.value}",),
        confidence=round(scored.probability, 3),
    )


def _additions(claims: Sequence[DefinitionClaim], lab: Lab, topic: str, asked: Parameter | None) -> Iterator[str]:
    """Yield the clauses of a right answer, and the texts directly behind it, that no right example resembles.

    Clauses to which the text does not commit are left out. Whole answers are judged by most of their words, so a wrong
    clause beside right ones weighs little.
    """
    texts = dict.fromkeys(text for claim in claims for text in (claim.committed, claim.behind) if text)
    parts = [part for text in texts for part in _parts(without_trends(text, asked) if asked else text)]
    long = [part for part in parts if len(part.split()) >= _FEWEST_WORDS_ADDED] if len(parts) > 1 else []
    yield from (part for part in long if _is_unlike_right(_score(lab, topic, part, asked)))


def _parts(text: str) -> list[str]:
    """Return the clauses of a text. Short ones behind a long one and a comma, as in a list, belong to it."""
    parts: list[str] = []
    for part in _ADDED.split(text):
        is_in_list = bool(parts) and parts[-1].endswith(",") and len(parts[-1].split()) >= _FEWEST_WORDS_ADDED
        if is_in_list and len(part.split()) < _FEWEST_WORDS_ADDED:
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return parts


def _is_unlike_right(score: Score | None) -> bool:
    """Whether a text is not right alone and unlike all right examples."""
    right = Status.CORRECT.value
    if score is None or score.label == right:
        return False
    return max((near.likeness for near in score.near if near.label == right), default=0.0) < _UNLIKE_RIGHT


_LONE_NUMBER: Final = re.compile(r"[.;]\s+(\d+(?:[.,]\d+)?\s?%?)(?=[.;]\s|[.;]?$)")
_ADDED: Final = re.compile(r"(?<=[.;:!?,])\s+|\s+(?=\()|(?<=\))\s+")
_FEWEST_WORDS_ADDED: Final = 5
"""The fewest words of a clause that may say something else beside a right definition."""
_UNLIKE_RIGHT: Final = 0.35
"""A clause less similar than this to every right example says something else."""


class _Opposed(NamedTuple):
    """The best verdict on an answer that inverts a relation, with the diagnosis.

    `is_at_odds`: this alone makes the answer wrong, although the marked examples do not.
    """

    worth: Status
    diagnosis: Diagnosis | None = None
    is_at_odds: bool = False


def _opposed(
    wording: str, label: Status, asked: Parameter | None, lab: Lab, turned_round: Credit, *, is_own: bool
) -> _Opposed:
    """Return the best verdict that the lab's relations allow for an answer.

    `is_own`: the text states the lab's value, or none. With another value, a seemingly inverted statement may be right.
    """
    if asked is None:
        return _Opposed(label)
    if is_own and (against := contradiction(wording, asked)):
        contrary = say("{quote} is the contrary of what is true.", quote=quote_texts([against.quote]))
        if against.why:
            contrary = join_messages(" ", (say_wrong(quote_texts([against.quote])), say_data(against.why)))
        worth = Status(against.worth) if label is Status.CORRECT else label
        return _Opposed(worth, Diagnosis(id="contrary", text=contrary), label is not worth is Status.INCORRECT)
    turned = _turned(wording, asked, lab) if label is not Status.INCORRECT else None
    return _Opposed(Status(turned_round) if turned and label is Status.CORRECT else label, turned)


def _surer(scored: Score, wording: str, asked: Parameter, lab: Lab, topic: str) -> Score:
    """Return the score, made more certain by the lab's relations if possible.

    An answer that is probably right and has one of the lab's forms of right definitions is right. A true trend (`…, the
    larger r, the more is trained`) or an opening (`the first one, r, says …`) makes no right answer wrong.
    """
    if says_only_right(wording, asked) and not turned_quotient(wording, asked, lab):
        return scored._replace(decided=scored.label == Status.CORRECT)
    if scored.label == Status.INCORRECT:
        return scored._replace(decided=scored.decided or _is_nothing_but_contrary(wording, asked))
    if scored.decided and scored.label == Status.CORRECT:
        return scored
    return _without_additions(scored, wording, asked, lab, topic)


def _without_additions(scored: Score, wording: str, asked: Parameter, lab: Lab, topic: str) -> Score:
    """Return the score of a definition without parts that add nothing, if that decides it, or the given score.

    Points are withheld only if the definition does not seem right without them either.
    """
    alone = [
        score
        for core, label in _cores(wording, scored, asked)
        if (score := _score(lab, topic, core, asked)) and score.label == label
    ]
    likely = None if scored.label == Status.CORRECT else next((s for s in alone if s.label == Status.CORRECT), None)
    return next((score for score in alone if score.decided), likely._replace(decided=False) if likely else scored)


def _cores(text: str, scored: Score, asked: Parameter) -> Iterator[tuple[str, Status]]:
    """Yield the definition without parts that add nothing, each time with the verdict that the rest may confirm.

    These parts are true trends and, if the score is likely but uncertain, an opening (`the first one, r, is the
    rank`, `we think it is …`), the value (`is 16 and tells …`) and a verb before a question (`says which are trained`).
    """
    cores = {without_trends(text, asked): Status.CORRECT}
    names = "|".join(re.escape(name) for name in sorted(asked.names, key=len, reverse=True))
    named = rf"(?:(?:\w+\s+){{1,3}}\w+,\s+)?(?:{fold_text(names)})(?!\w),?\s+"
    opening = lexicon.match(rf"{named}|(?:\w+\s+){{1,2}}<it_is>\s+", text)
    rest = text[opening.end() :] if opening else text
    values = "|".join(re.escape(value.strip("\"'")) for value in (asked.value, *asked.spellings))
    value = lexicon.match(rf"(?:\w+\s+){{0,3}}[\"'`]?(?:{fold_text(values)})[\"'`]?\s+<and>\s+", rest)
    core = rest[value.end() :] if value else rest
    verb = lexicon.match(r"(?:to\s+)?<defines>\s+(?=(?:\w+\s+)?<asking>)", core)
    if scored.probability >= _LIKELY and not scored.decided:
        cores |= dict.fromkeys((rest, core, core[verb.end() :] if verb else core), Status(scored.label))
    yield from (
        candidate for candidate in cores.items() if candidate[0] != text and len(candidate[0].split()) >= _FEWEST_WORDS
    )


def _is_nothing_but_contrary(wording: str, asked: Parameter) -> bool:
    """Whether a text is a single sentence that inverts a relation. If the model judges it as wrong, it is certainly
    wrong."""
    against = contradiction(wording, asked)
    return against is not None and against.is_all and against.worth == Status.INCORRECT.value


def _is_likely(scored: Score, label: Status) -> bool:
    """Whether a label is likely enough to be suggested. For `incorrect`, the nearest example must agree."""
    nearest = max(scored.near, key=lambda near: near.likeness, default=None)
    is_like = label is not Status.INCORRECT or (nearest is not None and nearest.label == label.value)
    is_like = is_like and (scored.is_understood or label is Status.CORRECT)
    return label is not Status.REVIEW and scored.probability >= _LIKELY and is_like


_LIKELY: Final = 0.6
"""The least probability of a suggestion. Of such suggestions, five of six were right on unseen submissions. Below it,
no clause is reported as wrong."""
_LIKELY_LESS: Final = 0.66
"""The least probability at which an answer is given less than full points."""


def _turned(text: str, asked: Parameter, lab: Lab) -> Diagnosis | None:
    """Return the diagnosis that a text inverts a quotient of the right answer without also giving the right one, or
    None."""
    if pair := turned_quotient(text, asked, lab):
        above, below = pair
        message = say(
            "The text divides {below} by {above}; the right form is {above} / {below}.", above=above, below=below
        )
        return Diagnosis(id="turned-quotient", text=message)
    return None


def _wrong_value(
    claims: Sequence[DefinitionClaim], every: Sequence[DefinitionClaim], asked: Parameter, truth: GroundTruth
) -> str | None:
    """Return a value beside the definitions in `claims`, or in a sentence of its own, that is not the lab's. If none of
    them has a value, the other claims about the parameter in `every` count, unless one gives the lab's value."""
    allowed = truth.allowed_values(asked.id)

    def values(of: Sequence[DefinitionClaim]) -> list[str]:
        stated = [
            value
            for claim in of
            for value in ([claim.value] if claim.value else _LONE_NUMBER.findall(f"{claim.text} {claim.behind}"))
        ]
        return [value for value in stated if value and may_be_value(value, asked, allowed)]

    beside, anywhere = values(claims), values(every)
    if not beside and any(same_value(value, asked) for value in anywhere):
        return None
    return next((value for value in beside or anywhere if not same_value(value, asked)), None)


def _unanswered(
    finding: Finding,
    claims: Sequence[DefinitionClaim],
    asked: Parameter | None,
    answer: Answer,
    lab: Lab,
    value_alone: Credit,
) -> Finding:
    """Return the finding if nothing, or only a value, was found.

    The answer is certainly missing only if the whole report was read, most of the other definitions were found by their
    names, and no remaining text may be the definition.
    """
    if asked is None:
        return nothing_recognised(finding, answer, lab)
    name, found = asked.id, {claim.parameter for claim in answer.definitions if claim.text}
    left = list(_may_define(asked, answer, lab))
    if any(claim.value for claim in claims):
        is_open = 2 * len(found) < len(lab.parameters) and any(
            any(unassigned_text(section.passage, lab)) for section in answer.written
        )
        label, text = Status(value_alone), say("{name} is given a value, but what it does is not said.", name=name)
    else:
        is_open = (
            bool(claims)
            or _is_named(asked, answer, lab)
            or not all(definition.named for definition in answer.definitions)
        )
        label, text = Status.MISSING, say("No definition of {name} was found.", name=name)
    is_silent = answer.report is None or (name in answer.silent_on and answer.definitions)
    is_absent = not (left or answer.definitions or claims) and _are_all_absent(asked, answer, lab, finding.item)
    if not (is_silent or is_absent) and (left or is_open or not answer.definitions):
        where = (
            say("The quoted passage may hold one.") if left else say("It may stand where its name was not recognised.")
        )
        return finding.with_changes(
            evidence=(*finding.evidence, *left[:1]),
            feedback=left_to_person(text, where),
            group=group_key(name, str(finding.found or "")),
        )
    return finding.with_changes(status=label, feedback=text)


def _are_all_absent(asked: Parameter, answer: Answer, lab: Lab, item: str) -> bool:
    """Whether a completely read report says hardly anything in answer to the question and does not name the parameter.

    It may name one other parameter, because a name such as `bias` may belong to another question.
    """
    found, question = absence(answer, lab, item, in_code=False), lab.question_of(item)
    named = [parameter.id for parameter in lab.parameters if _is_named(parameter, answer, lab)]
    own_texts = (
        "\n".join(
            block.text for block in words_and_comments(section.passage).blocks if block.kind is not BlockKind.OUTPUT
        )[section.lead :]
        for section in answer.sections
        if question in section.questions
    )
    is_short = sum(len(text.split()) for text in own_texts) <= _MOST_WORDS_OF_NOTHING
    return is_short and not (found.pictures or found.unread) and asked.id not in named and len(named) <= 1


_MOST_WORDS_OF_NOTHING: Final = 7
"""The most words of a text that says nothing, such as `I had no time left for this`."""


def _is_named(asked: Parameter, answer: Answer, lab: Lab) -> bool:
    """Whether the report names a parameter other than by giving it a value in code.

    A name of one letter counts only in answers that define parameters, and in code only in comments.
    """
    has_words = any(len(name) > 1 for name in asked.names)
    own_passages = [section.passage for section in answer.written]
    passages = own_passages if has_words else map(words_and_comments, answer.defining)
    return any(
        mention.parameter == asked.id and not _ASSIGNED.match(passage.text, mention.end)
        for passage in passages
        for mention in mentions(passage.text, 0, len(passage.text), lab)
    )


_ASSIGNED: Final = re.compile(r"""["']?[ ]*[=:][ ]*(?:"[^"\n]*"|'[^'\n]*'|\[[^]\n]*\]|[\w.+-]+)[ ]*[,)]*[ ]*(?:\n|$)""")
"""A value after a name in code, with nothing after it."""


def _may_define(asked: Parameter, answer: Answer, lab: Lab) -> Iterator[Evidence]:
    """Yield the places where a sentence may define a parameter.

    It stands near the definitions and was assigned to no parameter, or it was assigned to another parameter although
    the marked examples show that it is about this one.
    """
    for passage in answer.defining:
        for leftover in unassigned_text(passage, lab):
            if leftover.is_near and _is_about(asked, leftover.text, lab, _LEAST_LIKE, _AS_LIKE):
                yield leftover.place
    for claim in answer.definitions:
        parts = dict.fromkeys((claim.text, *lexicon.split(r",?\s<and>\s", claim.text)))
        if claim.parameter != asked.id and any(_is_about(asked, part, lab, _CLEARLY_LIKE, 1.0) for part in parts):
            yield claim.evidence


def _is_about(asked: Parameter, text: str, lab: Lab, least: float, share: float) -> bool:
    """Whether a sentence of a text is similar enough to the examples of a parameter.

    `least` is the least similarity, `share` the least ratio to the similarity to any other parameter's examples. A
    sentence about another question must be more similar, and an entry of a bibliography does not count. Without a
    model, every sentence counts.
    """
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    return not _REFERENCE.match(text) and any(
        scorer is None
        or (likeness := scorer.topic_likeness(entry)).get(asked.id, 0.0)
        >= max(least + of_another_question(entry, lab), share * max(likeness.values()))
        for entry in re.split(r"(?<=[.;])\s", text)
    )


_REFERENCE: Final = re.compile(r"\s*\[\d+\]")
