"""The process that wrote an event file, by the file's name."""

import re
from pathlib import PurePosixPath
from typing import Final

from grader.reading.log import Origin

_LONGEST_NAME: Final = 255
_NAME: Final = re.compile(r"tfevents\.([0-9]{1,12})(?:\.(.*))?$", re.DOTALL)
_PROCESS: Final = re.compile(r"(.+)\.([0-9]{1,10})\.([0-9]{1,10})(?:[^0-9].*)?", re.DOTALL)
_PROCESS_ALONE: Final = re.compile(r"(.+)\.([0-9]{1,10})", re.DOTALL)
_SUFFIX: Final = re.compile(r"(?:\.v2| ?\([0-9]{1,4}\))$")


def origin_of(path: str) -> Origin | None:
    """Read `events.out.tfevents.<seconds>.<host>.<pid>.<number>`; what a name lacks is None, or an empty host.

    A host may hold dots. TensorFlow 1 and tensorboardX tell no process id, and what stands behind the number, such as
    the `.v2` of TensorFlow 2 or the ` (1)` of a second download, says nothing.
    """
    named = _NAME.search(PurePosixPath(path).name[-_LONGEST_NAME:])
    if named is None:
        return None
    started_at, rest = float(named[1]), named[2] or ""
    if process := _PROCESS.fullmatch(rest):
        return Origin(started_at=started_at, host=process[1], pid=int(process[2]), number=int(process[3]))
    rest = _SUFFIX.sub("", rest)
    if process := _PROCESS_ALONE.fullmatch(rest):
        return Origin(started_at=started_at, host=process[1], pid=int(process[2]))
    return Origin(started_at=started_at, host=rest)
