"""Moodle's *Download all submissions*: `<Full name>_<participant id>_assignsubmission_file`, as folders or prefixes.

Facts from Moodle's own code: underscores in a full name become spaces; from 4.1 on the folder has no underscore at its
end; blind marking writes `Participant`; a team's entry has the group's name and id; some sites prepend the login; with
a group chosen, its name and a dash go before the full name.
"""

import re
from typing import Final

from grader.intake.identity import Identity
from grader.intake.lms.download import Download, HandIn, Piece
from grader.intake.names import printable
from grader.intake.places import Place

_ENTRY: Final = re.compile(
    r"(?P<who>[^_].*?)_(?P<id>\d{1,20})_assignsubmission_(?P<kind>file|onlinetext|[a-z]+(?=_|\Z))(?P<tail>.*)",
    re.DOTALL,
)
BLIND: Final = "Participant"


def moodle_download(place: Place) -> Download | None:
    """The hand-ins, if this is such a download. Raises OSError when the place cannot be listed."""
    contents = place.contents()
    pieces: dict[tuple[str, str], list[Piece]] = {}
    for entry in (*contents.folders, *contents.files):
        found = _ENTRY.fullmatch(entry)
        if found:
            name = "" if entry in contents.folders else found["tail"].lstrip("_") or found["kind"]
            pieces.setdefault((found["who"], found["id"]), []).append(Piece(entry, name))
    if not pieces:
        return None
    return Download([_hand_in(who, id_, tuple(own)) for (who, id_), own in pieces.items()])


def _hand_in(who: str, id_: str, pieces: tuple[Piece, ...]) -> HandIn:
    login, _, name = who.rpartition("_")
    identity = Identity(
        name="" if name == BLIND else printable(name),
        login=printable(login),
        moodle_participant=id_,
        entry=printable(pieces[0].entry),
    )
    shown = f"{BLIND} {id_}" if name == BLIND else name
    return HandIn(f"{who}_{id_}", shown, identity, pieces, series=f"moodle {id_} {name}")
