"""The sentences that every check says in the same words: what an answer is, and why a person has to look at it."""

from typing import Final, NamedTuple

from grader.message import Message, say


class Reason(NamedTuple):
    """The reason why a person has to look at an answer. It `is_likely` that the verdict stands all the same, so that it
    is suggested; otherwise the reason speaks against every verdict."""

    text: str
    is_likely: bool = True

    def when(self, holds: object) -> "Reason | None":
        """This reason where it holds."""
        return self if holds else None


PERSON: Final = say("A person decides.")

UNCERTAIN: Final = Reason(say("It is not certain what is meant as the answer."), is_likely=False)
LIKELY_MEANT: Final = Reason(say("It is not certain that it is meant as the answer."))
OPEN: Final = Reason(say("The sentence leaves it open whether that is the answer."), is_likely=False)
ELSEWHERE: Final = Reason(say("It may not be the answer to this question."))
SEVERAL: Final = Reason(say("Other answers stand beside it."))
NEAR: Final = Reason(say("An answer that may be right stands there, but not alone or not exactly."), is_likely=False)
IN_PICTURE: Final = Reason(say("The answer may stand in a picture, which is not read."), is_likely=False)
MISREAD: Final = Reason(say("It may have been misread."))


def right(found: str) -> Message:
    """Return the message that an answer is right."""
    return say("{found} is right.", found=found)


def wrong(found: str) -> Message:
    """Return the message that an answer is not right."""
    return say("{found} is not right.", found=found)
