"""Sources from downloads of course systems, recognised by the names of files and folders.

Canvas, *Download submissions*: `<sortable name>[_LATE]_<user id>_<attachment id>_<file>` side by side in one zip.
The name is in lower case and holds word characters only; `anon_<anonymous id>` stands for name and id in anonymous
grading. A text entry ends in `_text.html`, a link in `_link.html`.

Moodle, *Download all submissions*: `<Full name>_<participant id>_assignsubmission_file`, as folders or prefixes.
Facts from Moodle's own code: underscores in a full name become spaces; from 4.1 on the folder has no underscore at its
end; blind marking writes `Participant`; a team's entry has the group's name and id; some sites prepend the login; with
a group chosen, its name and a dash go before the full name.

A zip of a team assignment holds each member's folder with the same files: `<Group>-<Full name>_<participant id>_…`.

PrairieLearn, zips of submitted files, named by its own queries (`instructorAssessmentDownloads.sql`):
`<uid>_<uin>_<qid>_<submission id>_<file>` for manual grading,
`<uid>_<instance>_<qid>_<variant>_<number>_<submission id>_<file>` else, before 2023 without the submission id. The uid
is an address, or a team's name in letters and digits. A question's id may hold underscores, numbers and slashes.

autograder-py: `<user>/<course>::<assignment>::<user>::<Unix time>/input`, beside the program's own output.

Blackboard: `<assignment>_<login>_attempt_<time>_<file>`, and a text of Blackboard's own without a file's name.

Brightspace: folders `<ids> - <Full name> - <Nov 21, 2026 1058 PM>`, and an `index.html`.

nbgrader's exchange: `inbound/<student>+<assignment>+<2026-11-21 22:58:10 UTC>`, with random signs at the end; its
course folder: `submitted/<student>/<assignment>`, with the time in `timestamp.txt`, beside folders of the other steps.

GitHub Classroom, as `gh classroom clone student-repos` leaves it: `<assignment>-submissions/<assignment>-<login>`.

Submitty: `<user>/<version>`, with the version that counts in `user_assignment_settings.json`.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import takewhile
from typing import Any, Final, NamedTuple

from grader.intake import IntakeError
from grader.intake.archive import BAD_ARCHIVE, members, open_archive
from grader.intake.names import (
    inner_path,
    is_archive,
    is_zip,
    natural,
    origin_of,
    printable,
    printable_name,
    read_time,
    unique_ids,
)
from grader.intake.opening import condense_refusals
from grader.intake.places import Place
from grader.intake.submission import Identity, Member, Part, Refusal, Role, Source, role_of
from grader.message import say

LARGEST: Final = 256 * 2**20
"""Bytes; the file holds all test output of a class."""

_DEEPEST: Final = 100
_KEPT: Final = frozenset({":submitters", ":created_at", ":history"})


class EntryMetadata(NamedTuple):
    """The submitters and the time of an entry, and the times of earlier attempts."""

    submitters: tuple[Member, ...]
    created_at: datetime | None
    history: tuple[datetime, ...]


def read_metadata(content: bytes) -> dict[str, EntryMetadata] | None:
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


def _submitted(value: dict[str, Any]) -> EntryMetadata:
    history = [_time(candidate.get(":created_at")) for candidate in _dicts(value.get(":history"))]
    submitters = (
        Member(
            name=_text(candidate.get(":name")),
            number=_text(candidate.get(":sid")),
            email=_text(candidate.get(":email")),
        )
        for candidate in _dicts(value.get(":submitters"))
    )
    return EntryMetadata(tuple(submitters), _time(value.get(":created_at")), tuple(filter(None, history)))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    text = printable(value).strip() if isinstance(value, str) else ""
    return "" if text in ("~", "null") else text


def _time(value: Any) -> datetime | None:
    """A time with its zone; Ruby's YAML means UTC where it writes none."""
    time = read_time(value) if isinstance(value, str) else None
    return time.replace(tzinfo=UTC) if time and time.tzinfo is None else time


_BESIDE = say("it lies in the download beside the submissions and is not one")


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
    marked_late: bool = False


class Download(NamedTuple):
    """The hand-ins of a download, and the refusals."""

    hand_ins: Sequence[HandIn]
    problems: tuple[Refusal, ...] = ()
    litter: frozenset[str] = frozenset()


def sources(place: Place, download: Download) -> tuple[tuple[Source, ...], tuple[Refusal, ...]]:
    """A source for each hand-in in natural order, and refusals for everything else."""
    in_order = sorted(download.hand_ins, key=lambda hand_in: (natural(hand_in.called), hand_in.pieces))
    ids = unique_ids(hand_in.called for hand_in in in_order)
    made = tuple(_source(place, hand_in, id_) for hand_in, id_ in zip(in_order, ids, strict=True))
    contents = place.contents()
    used = {piece.entry.split("/")[0] for hand_in in in_order for piece in hand_in.pieces} | download.litter
    names = (*contents.folders, *contents.files)
    beside = [Refusal(path=printable_name(name), reason=_BESIDE) for name in names if name not in used]
    # Entries with refused names, except those that are reported with a student's files.
    below = tuple(f"{place.locate(entry)[1]}/" for entry in used)
    outside = [refusal for refusal in place.refused if not refusal.path.startswith(below)]
    return made, condense_refusals((*contents.refused, *download.problems, *beside, *outside))


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
        marked_late=hand_in.marked_late,
        origin=origin_of(hand_in.series or hand_in.called),
    )


_FILE: Final = r"(?:(?P<attachment>\d{1,20})_(?P<file>.+)|(?P<typed>(?:text|link)\.html))"
_NAMED: Final = re.compile(rf"(?P<name>\w*?)(?P<late>_LATE)?_(?P<user>\d{{1,20}})_{_FILE}", re.DOTALL)
_ANONYMOUS: Final = re.compile(
    rf"(?:LATE_)?(?P<name>anon)_(?:LATE_)?(?P<user>[A-Za-z0-9]{{3,12}})_(?:LATE_)?{_FILE}", re.DOTALL
)


def canvas_download(place: Place) -> Download | None:
    """The hand-ins of a Canvas download; None for anything else. Raises OSError when the place cannot be listed.

    Every user has one name, and no attachment is there twice. Files of another form lie beside the download, as a
    roster does; they are taken for that only where there are reports of at least two users.
    """
    contents = place.contents()
    pieces: dict[tuple[str, str, bool], list[tuple[Piece, bool]]] = {}
    attachments: list[str] = []
    for entry in contents.files:
        anonymous = _ANONYMOUS.fullmatch(entry)
        found = anonymous or _NAMED.fullmatch(entry)
        if found is None or found["name"] != found["name"].lower():
            continue
        who = found["name"], found["user"], anonymous is not None
        piece = Piece(entry, found["file"] or found["typed"])
        pieces.setdefault(who, []).append((piece, "LATE" in entry[: -len(piece.name)].split("_")))
        attachments += [found["attachment"]] if found["attachment"] else []
    with_report = {
        who for who, user_pieces in pieces.items() if any(_may_be_hand_in(piece.name) for piece, _ in user_pieces)
    }
    is_whole = not contents.folders and sum(map(len, pieces.values())) == len(contents.files)
    one_name_each = len({user for _, user, _ in pieces}) == len(pieces) and len(set(attachments)) == len(attachments)
    if not one_name_each or len(with_report) < (1 if is_whole else 2):
        return None
    return Download([_canvas_hand_in(*who, user_pieces) for who, user_pieces in pieces.items()])


def _canvas_hand_in(name: str, user: str, is_anonymous: bool, marked_pieces: Sequence[tuple[Piece, bool]]) -> HandIn:
    """The hand-in with its files; each file says whether it is late."""
    called = f"{name}_{user}" if name else user
    identity_fields = {} if is_anonymous else {"name": printable(name), "canvas_user": user}
    identity = Identity(**identity_fields, entry=printable(marked_pieces[0][0].entry))
    shown_name = called if is_anonymous else name or user
    parts = tuple(piece for piece, _ in marked_pieces)
    return HandIn(
        called, shown_name, identity, parts, f"canvas {called}", marked_late=any(late for _, late in marked_pieces)
    )


def _may_be_hand_in(file: str) -> bool:
    return is_archive(file) or role_of(file, b"") in (Role.REPORT, Role.NOTEBOOK)


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
    hand_ins = [_moodle_hand_in(who, id_, tuple(own_pieces)) for (who, id_), own_pieces in pieces.items()]
    return Download(_with_teams(place, hand_ins))


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


def _with_teams(place: Place, hand_ins: list[HandIn]) -> list[HandIn]:
    """The hand-ins, with one for each team: all folders that begin with a group's name hold the same files.

    Where a group was chosen for the download, its name begins all folders, too, but their files differ.
    """
    if not all("-" in candidate.name for candidate in hand_ins):
        return hand_ins
    groups: dict[str, list[HandIn]] = {}
    for hand_in in hand_ins:
        words = hand_in.name.split("-")
        for length in range(1, len(words)):
            groups.setdefault("-".join(words[:length]), []).append(hand_in)
    teams: list[HandIn] = []
    left = dict.fromkeys(hand_ins)
    # A longer name is a group's own: `Group-A` and `Group-B` both begin with `Group`.
    for group in sorted(groups, key=len, reverse=True):
        own_hand_ins = groups[group]
        is_open = len(own_hand_ins) > 1 and left.keys() >= {*own_hand_ins}
        if is_open and len({_contents_of(place, candidate.pieces) for candidate in own_hand_ins}) == 1:
            teams.append(_moodle_team(group, own_hand_ins))
            for hand_in in own_hand_ins:
                del left[hand_in]
    return [*left, *teams]


def _moodle_team(group: str, hand_ins: Sequence[HandIn]) -> HandIn:
    members = tuple(
        Member(
            name=printable(hand_in.name.removeprefix(f"{group}-")),
            login=hand_in.identity.login,
            moodle_participant=hand_in.identity.moodle_participant,
        )
        for hand_in in hand_ins
    )
    first = hand_ins[0]
    identity = Identity(entry=first.identity.entry, members=members)
    called = f"{group}_{members[0].moodle_participant}"
    return HandIn(
        called, " + ".join(member.name for member in members), identity, first.pieces, series=f"moodle team {group}"
    )


def _contents_of(place: Place, pieces: Sequence[Piece]) -> str:
    """A hash that is equal for the same files, by their checksums in an archive."""
    files: list[tuple[str, str]] = []
    for piece in pieces:
        path, inside = place.locate(piece.entry)
        name = piece.name or piece.entry.rpartition("_assignsubmission_")[2]
        if inside:
            with open_archive(path) as archive:
                for member in members(archive)[0]:
                    if not member.is_folder and f"{member.path}/".startswith(f"{inside}/"):
                        files.append(
                            (name + member.path[len(inside) :], f"{member.entry.CRC} {member.entry.file_size}")
                        )
        else:
            found = (
                [path] if path.is_file() else sorted(candidate for candidate in path.rglob("*") if candidate.is_file())
            )
            for found_path in found:
                with found_path.open("rb") as file:
                    files.append(
                        (name + str(found_path)[len(str(path)) :], hashlib.file_digest(file, "sha256").hexdigest())
                    )
    return repr(sorted(files))


class _PrairielearnEntry(NamedTuple):
    """A file: whose it is, the user's number or the instance, the question, the numbers behind it, and its own name."""

    entry: str
    uid: str
    first: str
    qid: str
    numbers: tuple[int, ...]
    file: str

    @property
    def order(self) -> tuple[int, ...]:
        """The order of submissions: by their ids, before these were written by instance, variant and number."""
        return (int(self.first), *self.numbers) if len(self.numbers) == 2 else self.numbers[-1:]


def prairielearn_download(place: Place) -> Download | None:
    """The last submission of every student or team in a PrairieLearn download of one question; None for anything else.
    Raises OSError when the place cannot be listed."""
    contents = place.contents()
    folders = [folder for folder in contents.folders if "@" in folder]  # of questions with a slash in their id
    paths = [*contents.files, *(path for folder in folders for path in _files_below(place, folder))]
    strays = len(contents.folders) - len(folders)
    entries = _best_reading(paths, strays, _owned, (3, 2, 1)) or _best_reading(paths, strays, _of_team, (3,))
    if not entries:
        return None
    kept: dict[str, list[_PrairielearnEntry]] = {}
    for entry in sorted(entries, key=lambda candidate: candidate.order):
        if kept.get(entry.uid) and kept[entry.uid][0].order < entry.order:
            kept[entry.uid] = []
        kept.setdefault(entry.uid, []).append(entry)
    taken = {candidate.entry.split("/")[0] for candidate in entries}
    return Download(
        [_prairielearn_hand_in(uid, own_entries) for uid, own_entries in kept.items()], litter=frozenset(taken)
    )


def _prairielearn_hand_in(uid: str, own_entries: Sequence[_PrairielearnEntry]) -> HandIn:
    number = own_entries[0].first if len(own_entries[0].numbers) == 1 and own_entries[0].first.isalnum() else ""
    who = {"email": printable(uid), "number": printable(number)} if "@" in uid else {"login": printable(uid)}
    pieces = tuple(Piece(entry.entry, entry.file) for entry in own_entries)
    return HandIn(uid, uid, Identity(**who, entry=printable(own_entries[0].entry)), pieces, f"prairielearn {uid}")


def _owned(path: str) -> tuple[str, str]:
    """The address that a path begins with, and the rest behind it; empty where there is none."""
    local, _, behind = path.partition("@")
    domain, _, rest = behind.partition("_")
    return (f"{local}@{domain}", rest) if local and domain and "/" not in local else ("", "")


def _of_team(path: str) -> tuple[str, str]:
    """The team's name that a path begins with, and the rest behind it; empty where there is none."""
    name, _, rest = path.partition("_")
    return (name, rest) if name.isascii() and name.isalnum() else ("", "")


def _files_below(place: Place, folder: str) -> Iterator[str]:
    inner = place.enter(folder)
    contents = inner.contents()
    yield from (f"{folder}/{file}" for file in contents.files)
    for below in contents.folders:
        yield from (f"{folder}/{path}" for path in _files_below(inner, below))


def _best_reading(
    paths: Sequence[str], strays: int, who: Callable[[str], tuple[str, str]], counts: Sequence[int]
) -> list[_PrairielearnEntry]:
    """The parsed files, if more of them than of all others can be of one question; else empty.

    Names can be parted in several ways, since a question's id may hold numbers (`lab_4`) and a file's name may begin
    with one. The right way leaves the fewest different names of files.
    """
    found = [(path, *owner) for path in paths if (owner := who(path))[1]]
    if len(found) <= len(paths) - len(found) + strays or (who is _of_team and len({uid for _, uid, _ in found}) < 2):
        return []
    return min(_readings(found, counts), key=lambda reading: len({entry.file for entry in reading}), default=[])


def _readings(found: Sequence[tuple[str, str, str]], counts: Sequence[int]) -> Iterator[list[_PrairielearnEntry]]:
    """Every way to part the paths, of which the user is known, in which all files are of one question."""
    longest = min(rest.count("_") for *_, rest in found)
    for count in counts:
        for size in range(1, longest - count + 1):
            parted = [_parted(path, uid, rest.split("_"), size, count) for path, uid, rest in found]
            entries = [entry for entry in parted if entry]
            if len(entries) == len(found) and _is_of_one_question(entries):
                yield entries


def _parted(path: str, uid: str, words: Sequence[str], size: int, count: int) -> _PrairielearnEntry | None:
    """The parts of a name whose question's id has `size` words and is followed by `count` numbers; None where they are
    not there."""
    first, qid, numbers, file = (
        words[0],
        words[1 : 1 + size],
        words[1 + size : 1 + size + count],
        words[1 + size + count :],
    )
    is_instance = first.isdecimal() or count == 1
    if not is_instance or not any(file) or not all(word.isascii() and word.isdecimal() for word in numbers):
        return None
    return _PrairielearnEntry(path, uid, first, "_".join(qid), tuple(map(int, numbers)), "_".join(file))


def _is_of_one_question(entries: Sequence[_PrairielearnEntry]) -> bool:
    """Whether there is one question, and every id of a submission is of one student."""
    owners = {(entry.numbers[-1], entry.uid) for entry in entries if len(entry.numbers) != 2}
    return len({entry.qid for entry in entries}) == 1 and len({id_ for id_, _ in owners}) == len(owners)


_AUTOGRADER: Final = "autograder"
_UNIX_DIGITS: Final = 10


def autograder_download(place: Place) -> Download | None:
    """The attempts in autograder-py's folders of results; None for anything else. Raises OSError."""
    hand_ins = []
    for folder in place.contents().folders:
        for run in place.enter(folder).contents().folders:
            user, _, time = run.partition("::")[2].partition("::")[2].rpartition("::")
            if user != folder or not (time.isascii() and time.isdecimal() and len(time) == _UNIX_DIGITS):
                return None
            identity = Identity(**{"email" if "@" in folder else "login": printable(folder)}, entry=printable(folder))
            hand_ins.append(
                HandIn(
                    called=folder,
                    name=folder,
                    identity=identity,
                    pieces=(Piece(f"{folder}/{run}/input"),),
                    series=f"autograder {folder}",
                    submitted_at=datetime.fromtimestamp(int(time), UTC),
                    time_from=_AUTOGRADER,
                )
            )
    return Download(hand_ins) if hand_ins else None


_SHORTEST_ID: Final = 4
_ATTEMPT: Final = "_attempt_"
_TIME_LENGTH: Final = len("2026-11-21-22-58-10")


def blackboard_download(place: Place) -> Download | None:
    """The attempts in a Blackboard download; None for anything else. Raises OSError when it cannot be listed."""
    contents = place.contents()
    attempts: dict[tuple[str, str], list[Piece]] = {}
    taken: set[str] = set()
    for entry in contents.files:
        name, _, behind = entry.rpartition(_ATTEMPT)
        time, rest = behind[:_TIME_LENGTH], behind[_TIME_LENGTH:]
        if name and _blackboard_time(time) and (rest == ".txt" or rest.startswith("_")):
            attempts.setdefault((name, time), []).append(Piece(entry, rest.partition("_")[2]))
            taken.add(entry)
    if 2 * len(taken) <= len(contents.files) + len(contents.folders):
        return None
    # A login may hold underscores: it begins where the first and the last of all names differ.
    (first, _), (last, _) = min(attempts), max(attempts)
    shared = "".join(text for text, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    behind_assignment = len(shared.rpartition("_")[0])
    hand_ins = [
        _blackboard_hand_in(name[behind_assignment:].removeprefix("_"), time, own_pieces)
        for (name, time), own_pieces in attempts.items()
    ]
    return Download(hand_ins, litter=frozenset(taken))


def _blackboard_time(text: str) -> datetime | None:
    return read_time(f"{text[:10]} {text[11:].replace('-', ':')}")


def _blackboard_hand_in(login: str, time: str, own_pieces: Sequence[Piece]) -> HandIn:
    # Blackboard's own text says who it is; what a student typed stands there, too.
    pieces = tuple(piece for piece in own_pieces if piece.name) or (Piece(own_pieces[0].entry, "text.txt"),)
    # The end of a login, as of `stud_1` and `stud_2`, could be the number of somebody else.
    known_login = "" if login.isdigit() and len(login) < _SHORTEST_ID else login
    identity = Identity(login=printable(known_login), entry=printable(own_pieces[0].entry))
    return HandIn(login, login, identity, pieces, f"blackboard {login}", _blackboard_time(time), "Blackboard")


def brightspace_download(place: Place) -> Download | None:
    """The attempts in Brightspace's download, folders named by student and time; None for anything else. Raises OSError
    when the place cannot be listed."""
    folders = place.contents().folders
    hand_ins = [hand_in for folder in folders if (hand_in := _of_brightspace(folder))]
    return Download(hand_ins) if hand_ins and len(hand_ins) == len(folders) else None


def _of_brightspace(folder: str) -> HandIn | None:
    ids, _, rest = folder.partition(" - ")
    name, _, written = rest.rpartition(" - ")
    day, _, clock = written.removesuffix("M").rstrip("AP ").rpartition(" ")
    time = read_time(f"{day} {clock[:-2]}:{clock[-2:]} {written[-2:]}")
    if time is None or not name or not ids.replace("-", "").isdecimal():
        return None
    identity = Identity(name=printable(name), entry=printable(folder))
    called = f"{name}_{ids}"
    return HandIn(called, name, identity, (Piece(folder),), f"brightspace {called}", time, "Brightspace")


_STEPS: Final = frozenset({"source", "release", "autograded", "feedback", "outbound"})
_SUBMITTED: Final = ("submitted", "inbound")
_TIMESTAMP: Final = "timestamp.txt"
_ENOUGH: Final = 5
"""So many students' folders are looked into for a sign."""


def nbgrader_download(place: Place, assignment: str = "") -> Download | None:
    """The hand-ins of an assignment in nbgrader's course folder or exchange, or in the folder of one of its steps; None
    for anything else. Raises OSError, and IntakeError where there are several assignments and none is named."""
    folders = place.contents().folders
    step = next((name for name in _SUBMITTED if name in folders and _STEPS & {*folders}), "")
    inner, below = (place.enter(step), f"{step}/") if step else (place, "")
    found = _exchanged(inner.contents().folders, below) or _by_student(inner, below)
    wanted = assignment or _only_assignment({of for of, _ in found}, inner)
    hand_ins = [hand_in for of, hand_in in found if of == wanted]
    litter = frozenset((*folders, *place.contents().files))
    return Download(hand_ins, litter=litter) if hand_ins else None


def _only_assignment(assignments: Iterable[str], place: Place) -> str:
    """The one assignment at a place; empty where there is none. Raises IntakeError where there are several."""
    in_order = sorted(assignments, key=natural)
    if len(in_order) > 1:
        at = place.locate("")[0]
        problem = f"it holds several assignments ({', '.join(in_order)}); name one, as {at / in_order[0]}"
        raise IntakeError(f"{at}: {problem}.")
    return "".join(in_order)


def _exchanged(folders: Sequence[str], below: str) -> list[tuple[str, HandIn]]:
    """The hand-ins in nbgrader's exchange with their assignments; none where a folder has another name."""
    found = []
    for folder in folders:
        student, *rest = folder.split("+")
        time = read_time(rest[1]) if len(rest) in (2, 3) else None
        if time is None or not student:
            return []
        found.append((rest[0], _of_nbgrader(student, (Piece(below + folder),), time)))
    return found


def _by_student(place: Place, below: str) -> list[tuple[str, HandIn]]:
    """The hand-ins in a folder of nbgrader's with their assignments, `<student>/<assignment>`. Where nothing else tells
    that it is one, the files do in which nbgrader notes times."""
    found: list[tuple[str, HandIn]] = []
    is_known = bool(below)
    for number, student in enumerate(place.contents().folders):
        if number == _ENOUGH and not is_known:
            return []
        for assignment in place.enter(student).contents().folders:
            folder = place.enter(student).enter(assignment)
            names = [*folder.contents().folders, *folder.contents().files]
            time = None
            if _TIMESTAMP in names:
                names.remove(_TIMESTAMP)
                time = read_time(_content(folder, _TIMESTAMP).decode(errors="replace").strip())
                is_known = True
            at = f"{below}{student}/{assignment}"
            pieces = tuple(Piece(f"{at}/{name}", name) for name in names) or (Piece(at),)
            found.append((assignment, _of_nbgrader(student, pieces, time)))
    return found if is_known else []


def _of_nbgrader(student: str, pieces: tuple[Piece, ...], time: datetime | None) -> HandIn:
    identity = Identity(login=printable(student), entry=printable(student))
    return HandIn(student, student, identity, pieces, f"nbgrader {student}", time, "nbgrader" if time else "")


_CHECKOUTS: Final = "-submissions"


def github_checkouts(place: Place) -> Download | None:
    """The repositories that GitHub's tools check out of a classroom, `<assignment>-submissions/<assignment>-<login>`;
    None for anything else. Raises OSError when the place cannot be listed."""
    prefix = place.name.removesuffix(_CHECKOUTS) + "-"
    folders = place.contents().folders
    logins = {
        folder: folder.removeprefix(prefix) for folder in folders if folder.startswith(prefix) and folder != prefix
    }
    if not place.name.endswith(_CHECKOUTS) or not logins or len(logins) < len(folders):
        return None
    return Download(
        [
            HandIn(login, login, Identity(login=printable(login), entry=printable(folder)), (Piece(folder),))
            for folder, login in logins.items()
        ]
    )


_SETTINGS: Final = "user_assignment_settings.json"


def submitty_download(place: Place) -> Download | None:
    """The versions that count in a Submitty download; None for anything else. Raises OSError."""
    hand_ins, problems = [], []
    for user in place.contents().folders:
        contents = place.enter(user).contents()
        if _SETTINGS not in contents.files:
            continue
        try:
            version = str(json.loads(_content(place.enter(user), _SETTINGS))["active_version"])
        except (ValueError, KeyError, TypeError, RecursionError):
            version = ""
        if version in contents.folders:
            identity = Identity(login=printable(user), entry=printable(user))
            hand_ins.append(HandIn(user, user, identity, (Piece(f"{user}/{version}"),), f"submitty {user}"))
        else:
            reason = say("none of its versions counts, since {file} names one that is not there", file=_SETTINGS)
            problems.append(Refusal(path=printable_name(user), reason=reason))
    litter = frozenset(problem.path for problem in problems)
    return Download(hand_ins, tuple(problems), litter) if hand_ins else None


METADATA: Final = "submission_metadata.yml"
_FROM: Final = "Gradescope"


def gradescope_download(place: Place) -> Download | None:
    """The hand-ins of a Gradescope export; None for anything else. Raises OSError when it cannot be read."""
    contents = place.contents()
    if METADATA not in contents.files:
        return None
    described = read_metadata(_content(place, METADATA))
    if described is None:
        return None
    entries = {*contents.folders, *contents.files}
    here = [
        _gradescope_hand_in(entry, entry_metadata) for entry, entry_metadata in described.items() if entry in entries
    ]
    if not here:
        return None
    untold = [
        _gradescope_hand_in(entry, EntryMetadata((), None, ()))
        for entry in contents.folders
        if entry not in described and entry.startswith("submission_")
    ]
    missing = [
        Refusal(
            path=printable_name(entry),
            reason=say("{file} names it, but it is not there; export the submissions again", file=METADATA),
        )
        for entry in described
        if entry not in entries
    ]
    return Download([*here, *untold], tuple(missing), litter=frozenset({METADATA}))


def _gradescope_hand_in(entry: str, metadata: EntryMetadata) -> HandIn:
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


def _content(place: Place, name: str) -> bytes:
    """The bytes of a file of metadata; truncated, and so invalid, if it is too long; empty if it is damaged."""
    path, inside = place.locate(name)
    if not inside:
        with path.open("rb") as file:
            return file.read(LARGEST)
    try:
        with open_archive(path) as archive:
            entry = next(member.entry for member in members(archive)[0] if member.path == inner_path(inside))
            with archive.open(entry) as file:
                return file.read(LARGEST)
    except BAD_ARCHIVE:
        return b""


_SYSTEMS = (
    gradescope_download,
    moodle_download,
    canvas_download,
    prairielearn_download,
    autograder_download,
    blackboard_download,
    brightspace_download,
    submitty_download,
    github_checkouts,
)


def sources_of_download(
    way: Iterable[Place], assignment: str = ""
) -> tuple[tuple[Source, ...], tuple[Refusal, ...]] | None:
    """The sources of the outermost place that is a download, or None. `assignment` names one of several that lie there.
    Raises OSError when a place cannot be read, and IntakeError where one of several assignments must be named."""
    systems = () if assignment else _SYSTEMS
    for place in way:
        for system in (*systems, partial(nbgrader_download, assignment=assignment)):
            download = system(place)
            if download is not None:
                return sources(place, download)
    return None
