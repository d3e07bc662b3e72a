"""What a logger said, without the time, level and name that it put before."""

import re
from typing import Final, NamedTuple

_FAIRSEQ: Final = " | INFO | "
_HYDRA: Final = re.compile(r"\[\d{4}-[^\]]{1,40}\]\[([\w.]{1,80})\]\[[A-Z]{4,8}\] - ?")
_TRANSFORMERS: Final = re.compile(r"\[[A-Z]{4,8}\|([\w.]{1,80})(?::\d{1,6})?\][^>]{0,40}>> ?")
_BASIC: Final = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d - [A-Z]{4,8} - ([\w.]{1,80}) - {0,3} ?")


class Message(NamedTuple):
    """A line of a log: the logger's name, empty where the line does not tell it, and the words."""

    logger: str
    text: str


def message_of(line: str) -> Message:
    """Take off what fairseq, hydra, transformers or Python's logging put before a message. A progress bar that a
    message was printed behind goes with it."""
    at = line.find(_FAIRSEQ)
    if at >= 0:
        logger, bar, text = line[at + len(_FAIRSEQ) :].partition(" | ")
        return Message(logger.strip(), text) if bar else Message("", logger)
    for stamp in (_HYDRA, _TRANSFORMERS, _BASIC):
        found = stamp.search(line, 0, 400)
        if found:
            return Message(found[1], line[found.end() :])
    return Message("", line)


def is_stamped(line: str) -> bool:
    """Whether a line begins a message of its own."""
    return message_of(line[:400]).logger != ""
