"""What is said about a judged definition: to the student, and to the person who reviews it."""

from grader.checks.definition_verdict import Reason, Verdict
from grader.checks.finding import Diagnosis, Status
from grader.lab.definition import Parameter
from grader.lab.parameter_grammar import NEUTRAL
from grader.lab.truth import GroundTruth
from grader.lab.understanding import Understanding

_LONGEST_QUOTE = 160
_MOST_SUSPICIONS = 2
_REASONS = {
    Reason.NOTHING_DEFINED: "All of it is understood and true, but it does not define the parameter.",
    Reason.WORD_LIST: "It is a list of words; nothing is asserted.",
    Reason.FALSE_ADDITION: "The definition is right, but a mistake stands beside it.",
    Reason.INCOMPLETE: "It is understood, but as a part only; it was cut out of running text, so more may be said.",
    Reason.MISTAKE: "All of it is understood, as a known mistake.",
}


def feedback(said: Verdict, asked: Parameter) -> str:
    """The sentence quoted, what is right about it, and what is missing."""
    quoted = f"“{_shortened(' / '.join(said.texts))}”"
    if said.status is Status.CORRECT:
        return f"{quoted}: the definition is right."
    if said.reason is Reason.WRONG_VALUE:
        stated = said.wrong_value or "the one that is stated"
        return f"{quoted}: the meaning is right; the lab's value is {asked.value}, not {stated}."
    if said.reason is Reason.INCOMPLETE and said.lack is not None:
        return f"{quoted}: true, but not a whole definition. {said.lack.missing}"
    if said.status is not Status.REVIEW:
        return f"{quoted}: this is a known mistake."
    right = _right_words(said)
    found = f" Right in it: {', '.join(f'“{words}”' for words in right)}." if right else ""
    return f"{quoted}: not understood word for word, so a person reads it.{found}"


def note(said: Verdict) -> str:
    """For staff: why it was not decided."""
    if said.status is not Status.REVIEW:
        return ""
    return _REASONS.get(said.reason) or " ".join(
        _stuck(text, one) for text, one in zip(said.texts, said.understood, strict=True) if not one.whole
    )


def suspicions(said: Verdict, asked: Parameter, truth: GroundTruth) -> tuple[Diagnosis, ...]:
    """The mistakes that a definition makes or seems to make, each with the experiment that refutes it."""
    if said.status is Status.CORRECT:
        return ()
    found = []
    for mistake in said.mistakes[:_MOST_SUSPICIONS]:
        fact = truth.fact(mistake.fact)
        if fact is not None:
            found.append(Diagnosis(id=mistake.id, text=f"{fact.sentence} ({fact.id})"))
    if said.wrong_value or said.reason is Reason.WRONG_VALUE:
        stated = said.wrong_value or "another value"
        text = f"{asked.id} is said to be {stated}; the lab's value is {asked.value}."
        found.append(Diagnosis(id="wrong-value", text=text))
    return tuple(found)


def tags(said: Verdict) -> tuple[str, ...]:
    """What was recognised in an undecided definition: why it was not decided, the mistakes that are suspected, and
    the statements that were made out."""
    held = {place.name for one in said.understood for place in one.held}
    made = {name for one in said.understood for name in one.statements if name != NEUTRAL}
    return (said.reason.value, *sorted({mistake.id for mistake in said.mistakes} | held | made))


def _stuck(text: str, understood: Understanding) -> str:
    if understood.stuck is None:
        return "The text is too long to be read by the grammar."
    start, end = understood.stuck
    denied = "".join(f" “{text[place.start : place.end]}” is denied." for place in understood.denied[:1])
    right = " A right definition stands in it, with other words around it." if understood.holds_right else ""
    return f"Word not understood: “{text[start:end]}”.{right}{denied}"


def _right_words(said: Verdict) -> list[str]:
    pairs = zip(said.texts, said.understood, strict=True)
    return list(dict.fromkeys(text[place.start : place.end] for text, one in pairs for place in one.held))[:3]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1].rsplit(" ", 1)[0] + " …"
