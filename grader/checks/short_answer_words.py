"""What is said about a judged short answer: to the student, and to the person who reviews it."""

from collections.abc import Sequence

from grader.checks.finding import Status
from grader.lab.definition import Lab, Parameter
from grader.lab.scorer import MASKED_VALUE, Score
from grader.lab.short_answers import example_texts
from grader.message import Message, joined, say, say_data

_LONGEST_QUOTE = 160


def feedback(status: Status, asked: Parameter | None, stated: str | None) -> Message:
    """What is said about the answer. Its own words and the right ones stand beside it in a report."""
    if status is Status.CORRECT:
        return say("The definition is right.")
    if stated and asked and status is Status.PARTIAL:
        return say("The lab's value is {value}, not {stated}.", value=asked.value, stated=stated)
    if status is Status.PARTIAL:
        return say("A part of this is right, but something is missing or wrong.")
    return say("This is not what {name} means.", name=asked.id) if asked else say("This is not a right answer.")


def staff_note(scored: Score, lab: Lab) -> Message:
    """Why: the likeliest label, the nearest marked examples, and the words that weigh most."""
    texts = example_texts(lab.short_answers)
    parts = [
        say(
            "Likeliest: {label} ({probability:.0%}); words that weigh most: {words}.",
            label=say_data(scored.label),
            probability=scored.probability,
            words=" / ".join(word for word in scored.words if MASKED_VALUE.strip() not in word) or "–",
        )
    ]
    for near in scored.near:
        text = texts[near.example] if near.example < len(texts) else None
        if text is not None:
            parts.append(say("Nearest {label} example: {quote}.", label=near.label, quote=quoted([text])))
    return joined(" ", parts)


def quoted(texts: Sequence[str]) -> Message:
    """The texts of an answer in quotes, a long one cut."""
    text = " / ".join(texts)
    short = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1].rsplit(" ", 1)[0] + " …"
    return say("“{words}”", words=short)
