"""What a lab's policy makes of what was understood of a definition."""

from collections.abc import Sequence
from enum import StrEnum

from grader.checks.finding import Status
from grader.frozen import Frozen
from grader.lab.grammar import DefinedParameter, Grammar, Misconception, PartialDefinition
from grader.lab.parameter_grammar import NEUTRAL
from grader.lab.understanding import Understanding


class Reason(StrEnum):
    """Why a definition got its status."""

    RIGHT = "right"
    WRONG_VALUE = "wrong-value"
    INCOMPLETE = "incomplete"
    MISTAKE = "mistake"
    FALSE_ADDITION = "false-addition"
    WORD_LIST = "word-list"
    NOTHING_DEFINED = "nothing-defined"
    NOT_UNDERSTOOD = "not-understood"


class Verdict(Frozen):
    """The status of a definition, given as one or several `texts` with what was understood of each. A `suggestion`
    goes with REVIEW only. `lack` is what an incomplete definition leaves out; `wrong_value` stands beside the name."""

    status: Status
    reason: Reason
    texts: tuple[str, ...]
    understood: tuple[Understanding, ...]
    mistakes: tuple[Misconception, ...] = ()
    suggestion: Status | None = None
    lack: PartialDefinition | None = None
    wrong_value: str | None = None


def verdict(
    texts: Sequence[str],
    known: DefinedParameter,
    grammar: Grammar,
    wrong_value: str | None,
    *,
    apart: bool = True,
) -> Verdict:
    """Judge all that a student says about a parameter. What was not found `apart` from other text may be cut off, so it
    loses nothing without a person."""
    understood = tuple(grammar.understood(known.id, text) for text in texts)
    named = {name for one in understood for name in (*one.mistakes, *(place.name for place in one.suspected))}
    mistakes = tuple(one for one in known.misconceptions if one.id in named)
    about = Verdict(
        status=Status.REVIEW,
        reason=Reason.NOT_UNDERSTOOD,
        texts=tuple(texts),
        understood=understood,
        mistakes=mistakes,
        suggestion=_suggestion(understood, mistakes),
        wrong_value=wrong_value,
    )
    if not all(one.whole for one in understood):
        return about
    said = _of_whole(about, known, grammar)
    if apart or said.status is Status.CORRECT or said.reason is Reason.WRONG_VALUE:
        return said
    return said.model_copy(update={"status": Status.REVIEW, "suggestion": said.suggestion or said.status})


def _of_whole(about: Verdict, known: DefinedParameter, grammar: Grammar) -> Verdict:
    said = frozenset[str]().union(*(one.statements for one in about.understood)) - {NEUTRAL}
    false = frozenset[str]().union(*(one.mistakes for one in about.understood))
    policy = grammar.policy
    other_value = about.wrong_value is not None or any(one.other_value for one in about.understood)
    if any(one.is_list for one in about.understood):
        return _changed(about, Reason.WORD_LIST)
    if false:
        right = any(names <= said for names in known.right_sets)
        mistakes = tuple(one for one in known.misconceptions if one.id in false)
        if right:
            return _changed(about, Reason.FALSE_ADDITION, policy.false_addition, "partial", mistakes=mistakes)
        credit = "incorrect" if any(one.credit == "incorrect" for one in mistakes) else "partial"
        decided = all(one.decided for one in mistakes)
        return _changed(about, Reason.MISTAKE, credit if decided else "review", credit, mistakes=mistakes)
    if any(one.is_right for one in about.understood):
        if other_value:
            return _changed(about, Reason.WRONG_VALUE, policy.wrong_value, "partial", mistakes=())
        return _changed(about, Reason.RIGHT, "correct", mistakes=())
    lack = next((one for one in known.partial if one.needs in said and said <= {one.needs, *one.besides}), None)
    if lack is not None:
        return _changed(about, Reason.INCOMPLETE, lack.credit, "partial", mistakes=(), lack=lack)
    return _changed(about, Reason.NOTHING_DEFINED)


def _changed(
    about: Verdict, reason: Reason, credit: str = "review", suggestion: str | None = None, **more: object
) -> Verdict:
    status = Status(credit)
    suggested = Status(suggestion) if suggestion else about.suggestion
    return about.model_copy(
        update={
            "reason": reason,
            "status": status,
            "suggestion": suggested if status is Status.REVIEW else None,
            **more,
        }
    )


def _suggestion(understood: Sequence[Understanding], mistakes: Sequence[Misconception]) -> Status | None:
    """What a person is likely to decide: right words with a mistake beside them are worth a part; a right definition
    that is denied, or a mistake alone, nothing."""
    holds_right = any(one.holds_right for one in understood)
    if mistakes:
        return Status.PARTIAL if holds_right or all(one.credit == "partial" for one in mistakes) else Status.INCORRECT
    if holds_right:
        return Status.CORRECT
    return Status.INCORRECT if any(one.denied for one in understood) else None
