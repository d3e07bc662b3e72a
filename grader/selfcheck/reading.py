"""What happens in the process of one self-check."""

from functools import partial
from typing import TYPE_CHECKING

from grader.claims.answer import extract
from grader.intake.opening import open_submission
from grader.language import language_of, translated
from grader.message import say
from grader.pipeline.cage import watched
from grader.reading.reader import read
from grader.selfcheck.seen import Seen, seen
from grader.time_limit import TooSlowError, within

if TYPE_CHECKING:
    from grader.pipeline.isolation import Send
    from grader.selfcheck.look import Look


def read_hand_in(look: "Look", send: "Send") -> Seen:
    """What was read, in the language of the look; `send` is told which file is being read. Raises RuntimeError where
    that takes too long."""
    from grader.selfcheck.look import source_of

    submission = open_submission(source_of(look.paths), look.work / "files")
    watch = partial(watched, send)
    reading = read(submission, look.lab.logs, leave_out=look.left_out, watch=watch)
    try:
        with within(look.seconds):
            answer = extract(reading, look.lab)
    except TooSlowError as error:
        raise RuntimeError(say("to find what it says takes too long, as it is built in an uncommon way")) from error
    return translated(seen(submission, reading, answer, look.lab), language_of(look.language))
