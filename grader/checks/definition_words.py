"""What is said about a judged definition: to the student, and to the person who reviews it."""

from collections.abc import Sequence

from grader.checks.definition_verdict import Reason, Verdict
from grader.checks.finding import Diagnosis, Status
from grader.lab.definition import Parameter
from grader.lab.parameter_grammar import NEUTRAL
from grader.lab.truth import GroundTruth
from grader.lab.understanding import Understanding
from grader.message import Message, Words, joined, say, say_data

_LONGEST_QUOTE = 160
_MOST_SUSPICIONS = 2
_REASONS = {
    Reason.NOTHING_DEFINED: say("All of it is understood and true, but it does not define the parameter."),
    Reason.WORD_LIST: say("It is a list of words; nothing is asserted."),
    Reason.FALSE_ADDITION: say("The definition is right, but a mistake stands beside it."),
    Reason.INCOMPLETE: say(
        "It is understood, but as a part only; it was cut out of running text, so more may be said."
    ),
    Reason.MISTAKE: say("All of it is understood, as a known mistake."),
}


def feedback(said: Verdict, asked: Parameter) -> Message:
    """The sentence quoted, what is right about it, and what is missing."""
    quote = quoted(said.texts)
    if said.status is Status.CORRECT:
        return say("{quote}: the definition is right.", quote=quote)
    if said.reason is Reason.WRONG_VALUE:
        stated = said.wrong_value or say("the one that is stated")
        return say(
            "{quote}: the meaning is right; the lab's value is {value}, not {stated}.",
            quote=quote,
            value=asked.value,
            stated=stated,
        )
    if said.reason is Reason.INCOMPLETE and said.lack is not None:
        missing = say_data(said.lack.missing)
        return say("{quote}: true, but not a whole definition. {missing}", quote=quote, missing=missing)
    if said.status is not Status.REVIEW:
        return say("{quote}: this is a known mistake.", quote=quote)
    words = say("{quote}: not understood word for word, so a person reads it.", quote=quote)
    right = joined(", ", (_in_quotes(part) for part in _right_words(said)))
    return say("{told} Right in it: {words}.", told=words, words=right) if right else words


def quoted(texts: Sequence[str]) -> Message:
    """The texts of a definition in quotes, a long one cut."""
    return _in_quotes(_shortened(" / ".join(texts)))


def note(said: Verdict) -> Words:
    """For staff: why it was not decided."""
    if said.status is not Status.REVIEW:
        return ""
    return _REASONS.get(said.reason) or joined(
        " ", (_stuck(text, one) for text, one in zip(said.texts, said.understood, strict=True) if not one.whole)
    )


def suspicions(said: Verdict, asked: Parameter, truth: GroundTruth) -> tuple[Diagnosis, ...]:
    """The mistakes that a definition makes or seems to make, each with the experiment that refutes it."""
    if said.status is Status.CORRECT:
        return ()
    found = []
    for mistake in said.mistakes[:_MOST_SUSPICIONS]:
        fact = truth.fact(mistake.fact)
        if fact is not None:
            found.append(
                Diagnosis(id=mistake.id, text=say("{sentence} ({id})", sentence=say_data(fact.sentence), id=fact.id))
            )
    if said.wrong_value or said.reason is Reason.WRONG_VALUE:
        stated = said.wrong_value or say("another value")
        text = say(
            "{name} is said to be {stated}; the lab's value is {value}.",
            name=asked.id,
            stated=stated,
            value=asked.value,
        )
        found.append(Diagnosis(id="wrong-value", text=text))
    return tuple(found)


def tags(said: Verdict) -> tuple[str, ...]:
    """What was recognised in an undecided definition: why it was not decided, the mistakes that are suspected, and
    the statements that were made out."""
    held = {place.name for one in said.understood for place in one.held}
    made = {name for one in said.understood for name in one.statements if name != NEUTRAL}
    return (said.reason.value, *sorted({mistake.id for mistake in said.mistakes} | held | made))


def _stuck(text: str, understood: Understanding) -> Message:
    if understood.stuck is None:
        return say("The text is too long to be read by the grammar.")
    start, end = understood.stuck
    parts = [say("Word not understood: {word}.", word=_in_quotes(text[start:end]))]
    if understood.holds_right:
        parts.append(say("A right definition stands in it, with other words around it."))
    parts += [say("{words} is denied.", words=_in_quotes(text[p.start : p.end])) for p in understood.denied[:1]]
    return joined(" ", parts)


def _in_quotes(words: str) -> Message:
    return say("“{words}”", words=words)


def _right_words(said: Verdict) -> list[str]:
    pairs = zip(said.texts, said.understood, strict=True)
    return list(dict.fromkeys(text[place.start : place.end] for text, one in pairs for place in one.held))[:3]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1].rsplit(" ", 1)[0] + " …"
