"""PrairieLearn's zips of submitted files: for manual grading, and those of all, best or final submissions.

Names as PrairieLearn's own queries make them (`instructorAssessmentDownloads.sql`): `<uid>_<uin>_<qid>_<submission
id>_<file>` for manual grading, `<uid>_<instance>_<qid>_<variant>_<submission>_<file>` else. The uid is an address.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from grader.intake.identity import Identity
from grader.intake.lms.download import Download, HandIn, Piece
from grader.intake.names import printable
from grader.intake.places import Place

_UID: Final = r"(?P<uid>[^/]+?@[A-Za-z0-9.-]+)"
_MANUAL: Final = re.compile(rf"{_UID}_(?P<uin>[^_]*)_(?P<qid>.+?)_(?P<number>\d+)_(?P<file>.+)", re.DOTALL)
_NUMBERED: Final = re.compile(
    rf"{_UID}_(?P<instance>\d+)_(?P<qid>.+?)_(?P<variant>\d+)_(?P<number>\d+)_(?P<file>.+)", re.DOTALL
)


class _Entry(NamedTuple):
    entry: str
    uid: str
    uin: str
    order: tuple[int, int, int]
    file: str


def prairielearn_download(place: Place) -> Download | None:
    """The last submission of everybody, if this is such a download of one question. Raises OSError when it cannot be
    listed."""
    contents = place.contents()
    if contents.folders or not contents.files:
        return None
    entries = _all(contents.files, _NUMBERED) or _all(contents.files, _MANUAL)
    if not entries:
        return None
    last: dict[str, tuple[int, int, int]] = {}
    for one in entries:
        last[one.uid] = max(last.get(one.uid, one.order), one.order)
    kept: dict[str, list[_Entry]] = {}
    for one in entries:
        if one.order == last[one.uid]:
            kept.setdefault(one.uid, []).append(one)
    return Download([_hand_in(uid, own) for uid, own in kept.items()])


def _all(names: Iterable[str], form: re.Pattern[str]) -> list[_Entry]:
    """The entries, if all of them have the form and are of one question."""
    matches = [(name, form.fullmatch(name)) for name in names]
    found = [(name, match.groupdict()) for name, match in matches if match]
    if len(found) < len(matches) or len({one["qid"] for _, one in found}) > 1:
        return []
    return [
        _Entry(
            name,
            one["uid"],
            one.get("uin") or "",
            (int(one.get("instance") or 0), int(one.get("variant") or 0), int(one["number"])),
            one["file"],
        )
        for name, one in found
    ]


def _hand_in(uid: str, own: list[_Entry]) -> HandIn:
    first = own[0]
    number = first.uin if first.uin.isalnum() else ""
    identity = Identity(email=printable(uid), number=printable(number), entry=printable(first.entry))
    pieces = tuple(Piece(one.entry, one.file) for one in own)
    return HandIn(uid, uid, identity, pieces, series=f"prairielearn {uid}")
