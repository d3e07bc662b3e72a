"""A hand-in read in a process of its own, in the cage in which it is graded, and what was read of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from grader.intake.submission import Part, Source
from grader.lab.definition import Lab
from grader.message import Words, say
from grader.pipeline.cage import Bounds
from grader.pipeline.isolation import Outcome, Send, run_isolated
from grader.selfcheck.seen import Seen

SECONDS: Final = 60.0
"""By the wall clock."""
CLAIM_SECONDS: Final = 4.0
"""Of processor time, to find the claims in what was read."""
PRELOAD: Final = ("grader.selfcheck.reading", "numpy", "pypdfium2")


class UnseenError(Exception):
    """A hand-in could not be read at all; the message says why."""


@dataclass(frozen=True)
class Look:
    """A hand-in to read: its files and folders. `work` is an empty folder, made ready by the caller."""

    paths: tuple[Path, ...]
    lab: Lab
    language: str
    work: Path


def look_at(look: Look) -> Seen:
    """What was read of a hand-in, in its author's language. Raises UnseenError."""
    ((_, found),) = looks([look], workers=1)
    if isinstance(found, UnseenError):
        raise found
    return found


def looks(jobs: Iterable[Look | None], workers: int) -> Iterator[tuple[Look, Seen | UnseenError]]:
    """What was read of several hand-ins, as it comes; None among them says that there is none just now."""
    for outcome in run_isolated(_work, jobs, workers=workers, preload=PRELOAD, seconds=SECONDS, bounds=_bounds):
        yield outcome.job, _seen(outcome)


def _seen(outcome: Outcome) -> Seen | UnseenError:
    if outcome.failure or not outcome.messages:
        return UnseenError(outcome.failure or say("nothing came back"))
    try:
        return Seen.model_validate_json(outcome.messages[-1])
    except ValidationError:  # by a worker that was taken over
        return UnseenError(say("what came back is no result"))


def source_of(paths: Sequence[Path]) -> Source:
    """The hand-in that some files and folders make up; a single one may be an archive."""
    parts = () if len(paths) == 1 else tuple(Part(path=path, name=path.name) for path in paths)
    return Source(student_id="you", student_name="", path=paths[0], parts=parts)


def why_unseen(reason: Words) -> Words:
    """A sentence for the student."""
    return say("This hand-in cannot be read: {reason}.", reason=reason)


def _bounds(look: Look) -> Bounds:
    return Bounds(look.paths, look.work, converts=True)


def _work(look: Look, send: Send) -> None:
    from grader.selfcheck.reading import read_hand_in

    send(read_hand_in(look).model_dump_json(by_alias=True).encode())
