"""fairseq's lines of statistics, where a narrow window broke them into several."""

import re
from collections.abc import Sequence
from typing import Final

from grader.reading.logs.messages import Message, is_stamped

MOST_PIECES: Final = 8
"""Lines below a line that may be its rest."""

_STATISTICS: Final = re.compile(r"[| ]{0,3}(?:epoch \d{1,6}[: ]|valid on ')")
_COMPLETE: Final = re.compile(r"num_updates[ =]\d+(?!\d)")
_NAME_AT_END: Final = re.compile(r"(?:\| |^)[a-z_]{1,40}$")
_NARROW: Final = 40


def unwrapped(message: Message, following: Sequence[str]) -> Message:
    """The message with the lines that it goes on in. It is whole when it tells the number of updates; a number at a
    line's end may go on as well."""
    if not _STATISTICS.match(message.text):
        return message
    text = message.text
    for line in following:
        complete = _COMPLETE.search(text)
        if complete and (complete.end() < len(text) or len(text) < _NARROW or not _goes_on(line)):
            break
        if is_stamped(line) or not line.strip() or "epoch" in line:
            break
        spaced = _NAME_AT_END.search(text) and line[:1].isdigit()
        text = f"{text} {line}" if spaced else text + line
    return Message(message.logger, text)


def _goes_on(line: str) -> bool:
    """Whether a line may be the rest of a number, and of what follows it."""
    return bool(re.match(r"\d{0,6}\s?(?:$|[|,])", line[:20])) and "%|" not in line and bool(line.strip())
