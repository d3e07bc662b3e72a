"""Reads a hand-in in a separate process, in the same sandbox as grading, and reports to its author what was read. It
knows no truth: the lab is the version that students may see.
"""

import multiprocessing
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from grader.intake.names import printable
from grader.lab.definition import Lab
from grader.message import Words, language_of, say
from grader.pipeline.cage import Bounds, with_last_opened
from grader.pipeline.isolation import Outcome, Send, run_isolated
from grader.selfcheck.seen import SeenSubmission

SECONDS: Final = 60.0
"""Wall-clock seconds."""
CLAIM_SECONDS: Final = 4.0
"""Seconds of processor time for finding the claims in what was read."""
_SEEN, _WHY = b"S", b"W"
"""The tags of a worker's messages: the result as JSON, and the reason of a failure."""
_LONGEST_REASON: Final = 300
PRELOAD: Final = ("grader.selfcheck.summary", "numpy", "pypdfium2")


class UnseenError(Exception):
    """A hand-in could not be read at all; the message says why."""


@dataclass(frozen=True)
class Look:
    """A hand-in to read: its files and folders. `work` is an empty folder made by the caller; `left_out` are the paths
    of files at which the process of an earlier attempt ended, `seconds` the processor time for finding claims."""

    paths: tuple[Path, ...]
    lab: Lab
    language: str
    work: Path
    left_out: tuple[str, ...] = ()
    seconds: float = CLAIM_SECONDS


def look_at(look: Look) -> SeenSubmission:
    """Return what was read of a hand-in, in its author's language. Raises UnseenError.

    Where the system has no processes to confine (Windows), it is read in this one: there its author reads files of
    their own on a machine of their own.
    """
    if "forkserver" in multiprocessing.get_all_start_methods():
        ((_, found),) = looks([look], workers=1)
    else:
        messages: list[bytes] = []
        _work(look, messages.append)
        found = _seen(Outcome(look, tuple(messages)))
    if isinstance(found, UnseenError):
        raise found
    return found


def looks(jobs: Iterable[Look | None], workers: int) -> Iterator[tuple[Look, SeenSubmission | UnseenError]]:
    """Yield what was read of several hand-ins, in the order of completion. A job of None means that none is waiting at
    the moment."""

    def bounds(look: Look) -> Bounds:
        return Bounds(look.paths, look.work, converts=True)

    for outcome in run_isolated(
        _work, jobs, workers=workers, preload=PRELOAD, seconds=SECONDS, bounds=bounds, anew=_retry
    ):
        yield outcome.job, _seen(outcome)


def _seen(outcome: Outcome) -> SeenSubmission | UnseenError:
    sent = outcome.sent
    if _WHY in sent:
        return UnseenError(printable(sent[_WHY].decode(errors="replace"))[:_LONGEST_REASON])
    if outcome.failure or _SEEN not in sent:
        return UnseenError(outcome.failure or say("its process sent no valid result"))
    try:
        return SeenSubmission.model_validate_json(sent[_SEEN])
    except ValidationError:  # the hand-in has taken over its worker
        return UnseenError(say("its process sent no valid result"))


def why_unseen(reason: Words) -> Words:
    """The reason of a failure as a sentence for the student."""
    return say(
        "This submission cannot be read: {reason}. Leave out what the lab does not ask for, and check again.",
        reason=reason,
    )


def _retry(look: Look, outcome: Outcome) -> Look | None:
    """The same hand-in without the file at which the process ended; None if it did not end at a file."""
    left_out = with_last_opened(look.left_out, outcome.messages) if outcome.failure else ()
    if not left_out:
        return None
    shutil.rmtree(look.work / "files", ignore_errors=True)
    return replace(look, left_out=left_out)


def _work(look: Look, send: Send) -> None:
    from grader.selfcheck.summary import read_hand_in

    try:
        found = read_hand_in(look, send)
    except Exception as error:  # any error is reported to the author of the hand-in
        send(_WHY + language_of(look.language).say(_reason(error)).encode(errors="replace"))
    else:
        send(_SEEN + found.model_dump_json(by_alias=True).encode())


def _reason(error: Exception) -> Words:
    if isinstance(error, MemoryError):
        return say("it needed more memory than one submission may take")
    reason: Words = error.args[0] if error.args and isinstance(error, RuntimeError) else type(error).__name__
    return reason
