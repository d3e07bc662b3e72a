"""How a status looks: always a word and a shape, so that nothing hangs on colour."""

from typing import Final

from grader.frozen import Frozen
from grader.language import Language
from grader.message import Words, say
from grader.result import Status


class Mark(Frozen):
    """A status as a word, the name of a shape (drawn in `templates/macros.html`), and what it means in one sentence."""

    word: Words
    shape: str
    meaning: Words


MARKS: Final = {
    Status.CORRECT: Mark(word=say("Correct"), shape="check", meaning=say("all of its points")),
    Status.PARTIAL: Mark(word=say("Partly correct"), shape="half", meaning=say("some of its points")),
    Status.INCORRECT: Mark(word=say("Incorrect"), shape="cross", meaning=say("something else was found")),
    Status.MISSING: Mark(word=say("Missing"), shape="ring", meaning=say("no answer was found")),
    Status.REVIEW: Mark(word=say("For review"), shape="diamond", meaning=say("a person will decide")),
    Status.NOT_RUN: Mark(word=say("Not assessed"), shape="dash", meaning=say("it builds on something that is missing")),
    Status.ERROR: Mark(word=say("Grader error"), shape="triangle", meaning=say("not your fault; a person will decide")),
}
"""In English; what a page shows is said by `mark`."""


def mark(status: Status, language: Language) -> Mark:
    """The mark of a status in a language."""
    one = MARKS[status]
    return Mark(word=language.say(one.word), shape=one.shape, meaning=language.say(one.meaning))
