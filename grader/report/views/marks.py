"""How a status looks: always a word and a shape, so that nothing hangs on colour."""

from grader.frozen import Frozen
from grader.result import Status


class Mark(Frozen):
    """A status as a word, the name of a shape (drawn in `templates/macros.html`), and what it means in one sentence."""

    word: str
    shape: str
    meaning: str


MARKS = {
    Status.CORRECT: Mark(word="Correct", shape="check", meaning="all of its points"),
    Status.PARTIAL: Mark(word="Partly correct", shape="half", meaning="some of its points"),
    Status.INCORRECT: Mark(word="Incorrect", shape="cross", meaning="something else was found"),
    Status.MISSING: Mark(word="Missing", shape="ring", meaning="no answer was found"),
    Status.REVIEW: Mark(word="For review", shape="diamond", meaning="a person will decide"),
    Status.NOT_RUN: Mark(word="Not assessed", shape="dash", meaning="it builds on something that is missing"),
    Status.ERROR: Mark(word="Grader error", shape="triangle", meaning="not your fault; a person will decide"),
}
