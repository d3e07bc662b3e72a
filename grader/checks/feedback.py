"""Messages that all checks share, and the reasons for review."""

from typing import Final, NamedTuple

from grader.message import PERSON_DECIDES, Message, join_messages, say


class Reason(NamedTuple):
    """A reason for which a marker has to look at an answer.

    If `is_likely`, the verdict is probably right and is suggested to the marker. Otherwise nothing is suggested.
    """

    text: str
    is_likely: bool = True

    def keep_if(self, holds: object) -> "Reason | None":
        """Return this reason if the condition holds, otherwise None."""
        return self if holds else None


UNCERTAIN: Final = Reason(say("It is not certain that this is meant as the answer."), is_likely=False)
LIKELY_MEANT: Final = UNCERTAIN._replace(is_likely=True)
SEVERAL: Final = Reason(say("There are other answers beside it."))
NEAR: Final = Reason(say("There may be a right answer there, but not alone or not exact."), is_likely=False)
IN_PICTURE: Final = Reason(say("The answer may stand in a picture, which is not read."), is_likely=False)
MISREAD: Final = Reason(say("It may have been misread."))
GAP: Final = say("A gap is left open in the code.")
NOT_READ_WHOLE: Final = say("Some of the submission could not be read.")
NO_RESULT: Final = say("No result of this experiment was found.")
NOT_LEADING: Final = say("The text names the parts or their values, but no calculation leads to the total.")
UNSHOWN: Final = say("The report describes it, but shows neither the code nor its output.")
UNPLACED: Final = Reason(say("It was not recognised which experiment the quoted figures belong to."), is_likely=False)


def left_to_person(*sentences: str) -> Message:
    """Return the feedback of a review: the sentences, without empty ones, and that a person decides."""
    return join_messages(" ", [*filter(None, sentences), PERSON_DECIDES])


def say_right(found: str) -> Message:
    """Return the message that an answer is right."""
    return say("{found} is right.", found=found)


def say_wrong(found: str) -> Message:
    """Return the message that an answer is not right."""
    return say("{found} is not right.", found=found)
