"""Gradescope's *Export submissions*: `submission_metadata.yml` and beside it an entry for each submission."""

from typing import Final

from grader.intake.identity import Identity
from grader.intake.lms.download import Download, HandIn, Piece
from grader.intake.lms.metadata import LARGEST, Submitted, read_metadata
from grader.intake.names import inner_path, shown
from grader.intake.places import Place
from grader.intake.submission import Refusal
from grader.intake.zip_table import BAD_ARCHIVE, members, open_archive
from grader.message import say

METADATA: Final = "submission_metadata.yml"
_FROM: Final = "Gradescope"


def gradescope_download(place: Place) -> Download | None:
    """The hand-ins, if this is such an export. Raises OSError when it cannot be read."""
    contents = place.contents()
    if METADATA not in contents.files:
        return None
    described = read_metadata(_content(place))
    if described is None:
        return None
    entries = {*contents.folders, *contents.files}
    here = [_hand_in(entry, told) for entry, told in described.items() if entry in entries]
    if not here:
        return None
    untold = [
        _hand_in(entry, Submitted((), None, ()))
        for entry in contents.folders
        if entry not in described and entry.startswith("submission_")
    ]
    missing = [
        Refusal(
            path=shown(entry),
            reason=say("{file} names it, but it is not there; export the submissions again", file=METADATA),
        )
        for entry in described
        if entry not in entries
    ]
    return Download([*here, *untold], tuple(missing), litter=frozenset({METADATA}))


def _hand_in(entry: str, told: Submitted) -> HandIn:
    members = told.submitters
    first = members[0] if members else None
    names = [member.name or member.email or member.number for member in members]
    name = " + ".join(filter(None, names)) or entry
    told_apart = "_".join(filter(None, (first.number or first.email.split("@")[0] for first in members[:3])))
    fields = dict(first) if first and len(members) == 1 else {}
    identity = Identity(**fields, entry=entry, members=members if len(members) > 1 else ())
    key = " ".join(sorted(member.email or member.number for member in members))
    return HandIn(
        called=f"{name}_{told_apart}" if told_apart and told_apart != name else name,
        name=name,
        identity=identity,
        pieces=(Piece(entry),),
        series=f"gradescope {key}" if key.strip() else "",
        submitted_at=told.created_at,
        time_from=_FROM if told.created_at else "",
        earlier=tuple(time for time in told.history if told.created_at and time < told.created_at),
    )


def _content(place: Place) -> bytes:
    """The metadata file, cut where it is overlong, which makes it invalid; empty where it is damaged."""
    path, inside = place.locate(METADATA)
    if not inside:
        with path.open("rb") as file:
            return file.read(LARGEST)
    try:
        with open_archive(path) as archive:
            entry = next(one.entry for one in members(archive)[0] if one.path == inner_path(inside))
            with archive.open(entry) as file:
                return file.read(LARGEST)
    except BAD_ARCHIVE:
        return b""
