"""Sources from downloads of course systems (Canvas, Moodle, PrairieLearn, Gradescope), recognised by file names.

Canvas, *Download submissions*: `<sortable name>[_LATE]_<user id>_<attachment id>_<file>` side by side in one zip.
The name is in lower case and holds word characters only; `anon_<anonymous id>` stands for name and id in anonymous
grading. A text entry ends in `_text.html`, a link in `_link.html`.

Moodle, *Download all submissions*: `<Full name>_<participant id>_assignsubmission_file`, as folders or prefixes.
Facts from Moodle's own code: underscores in a full name become spaces; from 4.1 on the folder has no underscore at its
end; blind marking writes `Participant`; a team's entry has the group's name and id; some sites prepend the login; with
a group chosen, its name and a dash go before the full name.

PrairieLearn, zips of submitted files, named by its own queries (`instructorAssessmentDownloads.sql`):
`<uid>_<uin>_<qid>_<submission id>_<file>` for manual grading, `<uid>_<instance>_<qid>_<variant>_<submission>_<file>`
else. The uid is an address.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from grader.intake.archive import BAD_ARCHIVE, members, open_archive
from grader.intake.names import (
    inner_path,
    is_archive,
    is_zip,
    natural,
    origin_of,
    printable,
    read_time,
    shown,
    unique_ids,
)
from grader.intake.opening import condensed
from grader.intake.places import Place
from grader.intake.submission import Identity, Member, Part, Refusal, Role, Source, role_of
from grader.message import say

LARGEST: Final = 256 * 2**20
"""Bytes; the file holds all test output of a class."""

_DEEPEST: Final = 100
_KEPT: Final = frozenset({":submitters", ":created_at", ":history"})


class Submitted(NamedTuple):
    """The submitters and the time of an entry, and the times of earlier attempts."""

    submitters: tuple[Member, ...]
    created_at: datetime | None
    history: tuple[datetime, ...]


def read_metadata(content: bytes) -> dict[str, Submitted] | None:
    """The metadata of each entry, in the file's order; None when the content is not Gradescope's metadata."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        data = _document(yaml.parse(content.decode("utf-8-sig"), Loader=loader), yaml)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        return None
    if not isinstance(data, dict) or not data:
        return None
    return {printable(name): _submitted(value) for name, value in data.items() if isinstance(value, dict)}


def _document(events: Any, yaml: Any) -> Any:
    """The first YAML document as dicts, lists and text. Raises ValueError when it is nested too deeply."""
    stack: list[tuple[Any, list[str]]] = []
    root: Any = None
    for event in events:
        if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            stack.pop()
        elif isinstance(event, yaml.DocumentEndEvent):
            return root
        elif isinstance(event, yaml.NodeEvent):
            value: Any = str(getattr(event, "value", ""))
            if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                value = {} if isinstance(event, yaml.MappingStartEvent) else []
            root = value if not stack else root
            _add_value(stack, value)
            if isinstance(value, dict | list):
                stack.append((value, []))
                if len(stack) > _DEEPEST:
                    raise ValueError("it is nested too deep")
    return root


def _add_value(stack: list[tuple[Any, list[str]]], value: Any) -> None:
    """Adds a value to the innermost container. Within an entry, only the needed keys are kept."""
    if not stack:
        return
    container, key = stack[-1]
    if isinstance(container, list):
        container.append(value)
    elif not key:
        key.append(value if isinstance(value, str) else "")
    else:
        name = key.pop()
        if len(stack) != 2 or name in _KEPT:
            container.setdefault(name, value)


def _submitted(value: dict[str, Any]) -> Submitted:
    history = [_time(one.get(":created_at")) for one in _dicts(value.get(":history"))]
    submitters = (
        Member(name=_text(one.get(":name")), number=_text(one.get(":sid")), email=_text(one.get(":email")))
        for one in _dicts(value.get(":submitters"))
    )
    return Submitted(tuple(submitters), _time(value.get(":created_at")), tuple(filter(None, history)))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    text = printable(value).strip() if isinstance(value, str) else ""
    return "" if text in ("~", "null") else text


def _time(value: Any) -> datetime | None:
    """A time with its zone; Ruby's YAML means UTC where it writes none."""
    time = read_time(value) if isinstance(value, str) else None
    return time.replace(tzinfo=UTC) if time and time.tzinfo is None else time


_BESIDE = say("it lies in the download beside the hand-ins and is none")


class Piece(NamedTuple):
    """A file or folder of the download that belongs to a hand-in; `name` is the student's own name of a file."""

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
    """The hand-ins of a download, and the refusals."""

    hand_ins: Sequence[HandIn]
    problems: tuple[Refusal, ...] = ()
    litter: frozenset[str] = frozenset()


def sources(place: Place, download: Download) -> tuple[tuple[Source, ...], tuple[Refusal, ...]]:
    """A source for each hand-in in natural order, and refusals for everything else."""
    in_order = sorted(download.hand_ins, key=lambda one: (natural(one.called), one.pieces))
    ids = unique_ids(one.called for one in in_order)
    made = tuple(_source(place, one, id_) for one, id_ in zip(in_order, ids, strict=True))
    contents = place.contents()
    used = {piece.entry for one in in_order for piece in one.pieces} | download.litter
    names = (*contents.folders, *contents.files)
    beside = [Refusal(path=shown(name), reason=_BESIDE) for name in names if name not in used]
    # Entries with refused names, except those that are reported with a student's files.
    below = tuple(f"{place.locate(entry)[1]}/" for entry in used)
    outside = [refusal for refusal in place.refused if not refusal.path.startswith(below)]
    return made, condensed((*contents.refused, *download.problems, *beside, *outside))


def _source(place: Place, hand_in: HandIn, id_: str) -> Source:
    first = hand_in.pieces[0]
    path, inside = place.locate(first.entry)
    whole = len(hand_in.pieces) == 1 and (not first.name or is_zip(first.name))
    placed = ((piece, *place.locate(piece.entry)) for piece in hand_in.pieces)
    parts = tuple(Part(path=path, inside=inside, name=printable(piece.name)) for piece, path, inside in placed)
    return Source(
        student_id=id_,
        student_name=printable(hand_in.name),
        path=path,
        inside=inside,
        parts=() if whole else parts,
        identity=hand_in.identity,
        submitted_at=hand_in.submitted_at,
        time_from=hand_in.time_from,
        series=hand_in.series,
        earlier=hand_in.earlier,
        origin=origin_of(hand_in.series or hand_in.called),
    )


_FILE: Final = r"(?:(?P<attachment>\d{1,20})_(?P<file>.+)|(?P<typed>(?:text|link)\.html))"
_NAMED: Final = re.compile(rf"(?P<name>\w*?)(?P<late>_LATE)?_(?P<user>\d{{1,20}})_{_FILE}", re.DOTALL)
_ANONYMOUS: Final = re.compile(
    rf"(?:LATE_)?(?P<name>anon)_(?:LATE_)?(?P<user>[A-Za-z0-9]{{3,12}})_(?:LATE_)?{_FILE}", re.DOTALL
)


def canvas_download(place: Place) -> Download | None:
    """The hand-ins of a Canvas download: only files, all named in its form; else None. Raises OSError."""
    contents = place.contents()
    pieces: dict[tuple[str, str, bool], list[Piece]] = {}
    for entry in contents.files:
        anonymous = _ANONYMOUS.fullmatch(entry)
        found = anonymous or _NAMED.fullmatch(entry)
        if found is None or found["name"] != found["name"].lower():
            return None
        who = found["name"], found["user"], anonymous is not None
        pieces.setdefault(who, []).append(Piece(entry, found["file"] or found["typed"]))
    files = [piece.name for own in pieces.values() for piece in own]
    is_hand_in = (is_archive(file) or role_of(file, b"") in (Role.REPORT, Role.NOTEBOOK) for file in files)
    if contents.folders or not any(is_hand_in):
        return None
    hand_ins = []
    for (name, user, is_anonymous), own in pieces.items():
        called = f"{name}_{user}" if name else user
        known = {} if is_anonymous else {"name": printable(name), "canvas_user": user}
        identity = Identity(**known, entry=printable(own[0].entry))
        shown_name = called if is_anonymous else name or user
        hand_ins.append(HandIn(called, shown_name, identity, tuple(own), series=f"canvas {called}"))
    return Download(hand_ins)


_ENTRY: Final = re.compile(
    r"(?P<who>[^_].*?)_(?P<id>\d{1,20})_assignsubmission_(?P<kind>file|onlinetext|[a-z]+(?=_|\Z))(?P<tail>.*)",
    re.DOTALL,
)
BLIND: Final = "Participant"


def moodle_download(place: Place) -> Download | None:
    """The hand-ins of a Moodle download; None for anything else. Raises OSError when the place cannot be listed."""
    contents = place.contents()
    pieces: dict[tuple[str, str], list[Piece]] = {}
    for entry in (*contents.folders, *contents.files):
        found = _ENTRY.fullmatch(entry)
        if found:
            name = "" if entry in contents.folders else found["tail"].lstrip("_") or found["kind"]
            pieces.setdefault((found["who"], found["id"]), []).append(Piece(entry, name))
    if not pieces:
        return None
    return Download([_moodle_hand_in(who, id_, tuple(own)) for (who, id_), own in pieces.items()])


def _moodle_hand_in(who: str, id_: str, pieces: tuple[Piece, ...]) -> HandIn:
    login, _, name = who.rpartition("_")
    identity = Identity(
        name="" if name == BLIND else printable(name),
        login=printable(login),
        moodle_participant=id_,
        entry=printable(pieces[0].entry),
    )
    shown = f"{BLIND} {id_}" if name == BLIND else name
    return HandIn(f"{who}_{id_}", shown, identity, pieces, series=f"moodle {id_} {name}")


_UID: Final = r"(?P<uid>[^/]+?@[A-Za-z0-9.-]+)"
_MANUAL: Final = re.compile(rf"{_UID}_(?P<uin>[^_]*)_(?P<qid>.+?)_(?P<number>\d+)_(?P<file>.+)", re.DOTALL)
_NUMBERED: Final = re.compile(
    rf"{_UID}_(?P<instance>\d+)_(?P<qid>.+?)_(?P<variant>\d+)_(?P<number>\d+)_(?P<file>.+)", re.DOTALL
)


class _PrairielearnEntry(NamedTuple):
    entry: str
    uid: str
    uin: str
    order: tuple[int, int, int]
    file: str


def prairielearn_download(place: Place) -> Download | None:
    """The last submission of every student in a PrairieLearn download of one question; None for anything else. Raises
    OSError when the place cannot be listed."""
    contents = place.contents()
    if contents.folders or not contents.files:
        return None
    entries = _matching_entries(contents.files, _NUMBERED) or _matching_entries(contents.files, _MANUAL)
    if not entries:
        return None
    last: dict[str, tuple[int, int, int]] = {}
    for one in entries:
        last[one.uid] = max(last.get(one.uid, one.order), one.order)
    kept: dict[str, list[_PrairielearnEntry]] = {}
    for one in entries:
        if one.order == last[one.uid]:
            kept.setdefault(one.uid, []).append(one)
    hand_ins = []
    for uid, own in kept.items():
        number = own[0].uin if own[0].uin.isalnum() else ""
        identity = Identity(email=printable(uid), number=printable(number), entry=printable(own[0].entry))
        pieces = tuple(Piece(one.entry, one.file) for one in own)
        hand_ins.append(HandIn(uid, uid, identity, pieces, series=f"prairielearn {uid}"))
    return Download(hand_ins)


def _matching_entries(names: Iterable[str], form: re.Pattern[str]) -> list[_PrairielearnEntry]:
    """The parsed entries, if all of them match the form and belong to one question; else empty."""
    matches = [(name, form.fullmatch(name)) for name in names]
    found = [(name, match.groupdict()) for name, match in matches if match]
    if len(found) < len(matches) or len({one["qid"] for _, one in found}) > 1:
        return []
    return [
        _PrairielearnEntry(
            name,
            one["uid"],
            one.get("uin") or "",
            (int(one.get("instance") or 0), int(one.get("variant") or 0), int(one["number"])),
            one["file"],
        )
        for name, one in found
    ]


METADATA: Final = "submission_metadata.yml"
_FROM: Final = "Gradescope"


def gradescope_download(place: Place) -> Download | None:
    """The hand-ins of a Gradescope export; None for anything else. Raises OSError when it cannot be read."""
    contents = place.contents()
    if METADATA not in contents.files:
        return None
    described = read_metadata(_content(place))
    if described is None:
        return None
    entries = {*contents.folders, *contents.files}
    here = [_gradescope_hand_in(entry, told) for entry, told in described.items() if entry in entries]
    if not here:
        return None
    untold = [
        _gradescope_hand_in(entry, Submitted((), None, ()))
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


def _gradescope_hand_in(entry: str, metadata: Submitted) -> HandIn:
    members = metadata.submitters
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
        submitted_at=metadata.created_at,
        time_from=_FROM if metadata.created_at else "",
        earlier=tuple(time for time in metadata.history if metadata.created_at and time < metadata.created_at),
    )


def _content(place: Place) -> bytes:
    """The bytes of the metadata file; truncated, and so invalid, if it is too long; empty if it is damaged."""
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


_SYSTEMS = (gradescope_download, moodle_download, canvas_download, prairielearn_download)


def downloaded(way: Iterable[Place]) -> tuple[tuple[Source, ...], tuple[Refusal, ...]] | None:
    """The sources of the outermost place that is a download, or None. Raises OSError when a place cannot be read."""
    for place in way:
        for system in _SYSTEMS:
            download = system(place)
            if download is not None:
                return sources(place, download)
    return None
