"""Canvas's *Download submissions*: `<sortable name>[_LATE]_<user id>_<attachment id>_<file>` side by side in one zip.

The name is in lower case and holds word characters only; `anon_<anonymous id>` stands for name and id in anonymous
grading. A text entry ends in `_text.html`, a link in `_link.html`.
"""

import re
from typing import Final, NamedTuple

from grader.intake.identity import Identity
from grader.intake.lms.download import Download, HandIn, Piece
from grader.intake.names import is_archive, printable
from grader.intake.places import Place
from grader.intake.roles import role_of
from grader.intake.submission import Role

_FILE: Final = r"(?:(?P<attachment>\d{1,20})_(?P<file>.+)|(?P<typed>(?:text|link)\.html))"
_NAMED: Final = re.compile(rf"(?P<name>\w*?)(?P<late>_LATE)?_(?P<user>\d{{1,20}})_{_FILE}", re.DOTALL)
_ANONYMOUS: Final = re.compile(
    rf"(?:LATE_)?(?P<name>anon)_(?:LATE_)?(?P<user>[A-Za-z0-9]{{3,12}})_(?:LATE_)?{_FILE}", re.DOTALL
)


class _Entry(NamedTuple):
    name: str
    user: str
    file: str
    anonymous: bool


def canvas_download(place: Place) -> Download | None:
    """The hand-ins, if this is such a download: only files, and all of them named so. Raises OSError."""
    contents = place.contents()
    found = {name: _entry(name) for name in contents.files}
    if contents.folders or not found or not any(one and _is_hand_in(one.file) for one in found.values()):
        return None
    pieces: dict[tuple[str, str, bool], list[Piece]] = {}
    for name, entry in found.items():
        if entry is None:
            return None
        pieces.setdefault((entry.name, entry.user, entry.anonymous), []).append(Piece(name, entry.file))
    return Download([_hand_in(*who, tuple(own)) for who, own in pieces.items()])


def _entry(name: str) -> _Entry | None:
    anonymous = _ANONYMOUS.fullmatch(name)
    found = anonymous or _NAMED.fullmatch(name)
    if found is None or found["name"] != found["name"].lower():
        return None
    return _Entry(found["name"], found["user"], found["file"] or found["typed"], anonymous is not None)


def _is_hand_in(file: str) -> bool:
    return is_archive(file) or role_of(file, b"") in (Role.REPORT, Role.NOTEBOOK)


def _hand_in(name: str, user: str, anonymous: bool, pieces: tuple[Piece, ...]) -> HandIn:
    called = f"{name}_{user}" if name else user
    identity = Identity(
        name="" if anonymous else printable(name),
        canvas_user="" if anonymous else user,
        entry=printable(pieces[0].entry),
    )
    return HandIn(called, called if anonymous else name or user, identity, pieces, series=f"canvas {called}")
