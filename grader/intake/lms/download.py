"""What a download tells of each hand-in, made into sources."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from grader.intake.identity import Identity
from grader.intake.names import is_zip, printable, shown
from grader.intake.order import natural
from grader.intake.places import Contents, Place
from grader.intake.refusals import condensed
from grader.intake.student_ids import unique_ids
from grader.intake.submission import Part, Refusal, Source
from grader.message import say

_BESIDE = say("it lies in the download beside the hand-ins and is none")


class Piece(NamedTuple):
    """A file or folder of the download that belongs to a hand-in; `name` is what a file was called by its student."""

    entry: str
    name: str = ""


class HandIn(NamedTuple):
    """One student's or team's hand-in. `called` becomes its id; those of one `series` are attempts of one student."""

    called: str
    name: str
    identity: Identity
    pieces: tuple[Piece, ...]
    series: str = ""
    submitted_at: datetime | None = None
    time_from: str = ""
    earlier: tuple[datetime, ...] = ()


class Download(NamedTuple):
    """The hand-ins of a download, and what is not as it should be."""

    hand_ins: Sequence[HandIn]
    problems: tuple[Refusal, ...] = ()
    litter: frozenset[str] = frozenset()


def sources(place: Place, download: Download) -> tuple[tuple[Source, ...], tuple[Refusal, ...]]:
    """A source for each hand-in in natural order, and what lies beside them."""
    in_order = sorted(download.hand_ins, key=lambda one: (natural(one.called), one.pieces))
    ids = unique_ids(one.called for one in in_order)
    made = tuple(_source(place, one, id_) for one, id_ in zip(in_order, ids, strict=True))
    contents = place.contents()
    used = {piece.entry for one in in_order for piece in one.pieces} | download.litter
    beside = [Refusal(path=shown(name), reason=_BESIDE) for name in _entries(contents) if name not in used]
    return made, condensed((*contents.refused, *download.problems, *beside, *_outside(place, used)))


def _entries(contents: Contents) -> tuple[str, ...]:
    return (*contents.folders, *contents.files)


def _source(place: Place, hand_in: HandIn, id_: str) -> Source:
    first = hand_in.pieces[0]
    path, inside = place.locate(first.entry)
    whole = len(hand_in.pieces) == 1 and (not first.name or is_zip(first.name))
    return Source(
        student_id=id_,
        student_name=printable(hand_in.name),
        path=path,
        inside=inside,
        parts=() if whole else tuple(_part(place, piece) for piece in hand_in.pieces),
        identity=hand_in.identity,
        submitted_at=hand_in.submitted_at,
        time_from=hand_in.time_from,
        series=hand_in.series,
        earlier=hand_in.earlier,
    )


def _part(place: Place, piece: Piece) -> Part:
    path, inside = place.locate(piece.entry)
    return Part(path=path, inside=inside, name=printable(piece.name))


def _outside(place: Place, used: Iterable[str]) -> list[Refusal]:
    """Entries with refused names, but for those that will be reported with a student's files."""
    below = tuple(f"{place.locate(entry)[1]}/" for entry in used)
    return [refusal for refusal in place.refused if not refusal.path.startswith(below)]
