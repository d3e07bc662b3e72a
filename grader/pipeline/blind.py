"""Blind grading: pseudonyms in the place of students, their key apart from the grades, and names cut from texts,
results and pictures of pages.
"""

import re
import secrets
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from pydantic import Field, ValidationError

from grader.cohort.rows import MappedSequence
from grader.frozen import Frozen
from grader.gradebook import GradebookError
from grader.gradebook.people import fold_letters, words
from grader.intake.layouts import names_nobody
from grader.intake.submission import KNOWN_SUFFIXES, Source, Submission
from grader.language.shapes import TOKEN
from grader.pipeline.outputs import RESULT, write_atomically
from grader.reading.document import Box
from grader.report.pictures import Picture, Place
from grader.result import Flag, Identity, ItemResult, Result, Student

_PREFIX: Final = "anon-"
_BYTES: Final = 3


class KeyEntry(Frozen):
    """The student behind a pseudonym: the id and name that a grading with names would show, and the name that the
    hand-in was found under."""

    id: str
    name: str
    identity: Identity | None = None
    origin: str = ""


class Key(Frozen):
    """The students by pseudonym."""

    students: dict[str, KeyEntry] = Field(default_factory=dict)


def key_file(out: Path) -> Path:
    """Return the path of the key to a folder of grades. It lies beside the folder, so that the folder can be given
    away."""
    folder = out.absolute()
    return folder.with_name(f"{folder.name}-key.json")


def read_key(path: Path) -> Key:
    """The key in a file, empty where there is none. Raises GradebookError when the file is no key."""
    try:
        return Key.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Key()
    except (ValidationError, OSError) as error:
        raise GradebookError(
            f"{path}: it cannot be read as a key of blind grading. Put back a copy of it; without it nobody can tell "
            "whose the grades are. To begin anew, choose another --out."
        ) from error


def ids_in(path: Path) -> dict[str, str]:
    """The ids in the key in a file, by the names that the hand-ins were found under. Raises GradebookError."""
    return {student.origin: student.id for student in read_key(path).students.values() if student.origin}


def existing_key(path: Path) -> Key:
    """The key in a file that must be there. Raises GradebookError."""
    if not path.is_file():
        raise GradebookError(f"{path}: there is no such file; the key of graded/ is graded-key.json beside it.")
    return read_key(path)


def with_names(results: Sequence[Result], key: Key) -> Sequence[Result]:
    """The results with the names and ids of school systems; those of unknown pseudonyms as they are. Their own ids
    stay, as their reports lie under these."""

    def with_name(result: Result) -> Result:
        entry = key.students.get(result.student.id)
        if entry is None:
            return result
        identity = entry.identity or Identity(entry=entry.id)
        return result.model_copy(update={"student": Student(id=result.student.id, name=entry.name, identity=identity)})

    return MappedSequence(results, with_name)


_PSEUDONYM: Final = re.compile(r"anon-[0-9a-f]{6}")


def keep_apart(out: Path, *, anonymous: bool) -> None:
    """Make sure that a folder holds results of one kind only. Raises GradebookError."""
    graded = {path.parent.name for path in out.glob(f"*/{RESULT}")}
    key = key_file(out)
    if anonymous:
        if not all(_PSEUDONYM.fullmatch(student) for student in graded):
            raise GradebookError(f"{out}: results under names lie there; choose another --out to grade blind.")
        if graded - set(read_key(key).students):
            raise GradebookError(
                f"{out}: results under pseudonyms lie there that {key} does not know. Put their key back: without it "
                "nobody can tell whose they are, and everybody would be graded anew without what was decided. To begin "
                "anew, choose another --out."
            )
        return
    if graded and key.is_file() and graded & set(read_key(key).students):
        raise GradebookError(
            f"{out}: results under pseudonyms lie there, and names beside them would tell whose they are; add "
            "--anonymous, or choose another --out."
        )


CUT: Final = "███"
"""As long for every name, so that not even its length is told."""

_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}")
_HOME: Final = re.compile(r"((?:/home/|/Users/|\\Users\\))[^/\\\s'\"]{1,64}")
_SHORT: Final = 2
_INSIDE: Final = 5
"""Letters from which a name is also cut out of a longer word, such as `martindupont` or `TP4Dupont`."""


def without_names(text: str, names: Collection[str]) -> str:
    """The text with every name in it cut. A name of two letters is one only beside another; e-mail addresses and home
    folders are cut whoever's they are. `names` are folded words."""
    text = _HOME.sub(rf"\g<1>{CUT}", _ADDRESS.sub(CUT, unicodedata.normalize("NFC", text)))
    pieces, end = [], 0
    for first, last in _joined(sorted(_named(text, names))):
        pieces += [text[end:first], CUT]
        end = last
    return "".join((*pieces, text[end:]))


def _named(text: str, names: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of names in a text, as pairs of offsets."""
    spans = [(match.start(), match.end(), fold_letters(match[0])) for match in TOKEN.finditer(text)]
    long = [name for name in names if len(name) >= _INSIDE or not name.isascii()]
    name_flags = [word in names or any(name in word for name in long) for _, _, word in spans]
    for place, (first, last, word) in enumerate(spans):
        beside = (place > 0 and name_flags[place - 1]) or (place + 1 < len(name_flags) and name_flags[place + 1])
        if name_flags[place] and (len(word) > _SHORT or not word.isascii() or beside):
            yield first, last


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans that touch or overlap become one."""
    if not spans:
        return
    start = spans[0][0]
    for (_, end), (following, _) in pairwise(spans):
        if following > end:
            yield start, end
            start = following
    yield start, spans[-1][1]


Hidden = dict[tuple[str, int], tuple[Box, ...]]
"""Boxes in points by file and page."""

_TITLE: Final = 1
"""The page that a title stands on."""


def hidden_boxes(result: Result, submission: Submission, names: Collection[str]) -> Hidden:
    """The lines that hold a name; running heads and feet, whose names nobody may have told us; and on the first page
    all above the first claim: there authors stand."""
    from grader.reading.pdf import read_pdf

    hidden: Hidden = {}
    proofs = [proof for item in result.items for proof in item.evidence]
    for file in submission.files:
        cited = [(proof.page, proof.box) for proof in proofs if proof.file == file.path and proof.box]
        if not cited or not file.path.lower().endswith(".pdf"):
            continue
        document = read_pdf(file)
        first_claim = min((box[1] for page, box in cited if page == _TITLE), default=0.0)
        telling = [
            block
            for block in document.blocks
            if (block.page == _TITLE and block.box and block.box[3] <= first_claim)
            or without_names(block.text, names) != unicodedata.normalize("NFC", block.text)
        ]
        for block in (*document.furniture, *telling):
            if block.page is not None and block.box is not None:
                hidden[file.path, block.page] = (*hidden.get((file.path, block.page), ()), block.box)
    return hidden


_LONG_NUMBER = 5
"""Shorter numbers are those of labs, groups and attempts, and may be figures of an answer."""


def betraying(source: Source) -> frozenset[str]:
    """The words, folded as by `words`, that must not be seen: of names, addresses, logins, and of the file's name."""
    found = {word for text in _texts(source) for word in words(text)}
    return frozenset(
        word
        for word in found
        if not (len(word) < _LONG_NUMBER if word.isdecimal() else len(word) < 2 or names_nobody(word))
    )


def _texts(source: Source) -> Iterator[str]:
    yield source.student_id
    yield source.student_name
    for path in (source.path.name, source.inside, *(part.path.name for part in source.parts)):
        yield PurePosixPath(path).stem
    if source.identity:
        yield source.identity.entry
        for member in (source.identity, *source.identity.members):
            yield from (member.name, member.number, member.login, member.email.partition("@")[0])


_WORDS: Final = frozenset(
    {
        "quote",
        "found",
        "feedback",
        "note",
        "message",
        "reason",
        "text",
        "report_reason",
        "error",
        "tag",
        "time_from",
        "about",
    }
)
"""The keys under which a result holds words that may be, or quote, a student's."""

_PATHS: Final = frozenset({"file", "path", "report"})


def without_identity(result: Result, names: Collection[str], called: Mapping[str, str]) -> Result:
    """The result with names cut from what it quotes and says. `called` are the neutral names of its files."""
    longest_first = sorted(called, key=len, reverse=True)
    bases = {PurePosixPath(path).name: called[path] for path in reversed(longest_first)}
    plain = {**{base: name for base, name in bases.items() if "." in base}, **called}
    replacements = {path: plain[path] for path in sorted(plain, key=len, reverse=True)}
    return Result.model_validate(_cut(result.model_dump(by_alias=True), "", names, called, replacements))


def neutral_names(result: Result) -> dict[str, str]:
    """A name for every file of a hand-in that tells only what it is: `report-1.pdf`, `notebook-2.ipynb`."""
    roles = {file.path: file.role for file in result.submission.files}
    entries: tuple[ItemResult | Flag, ...] = (*result.items, *result.flags)
    cited = (proof.file for entry in entries for proof in entry.evidence)
    names = {}
    for number, path in enumerate(dict.fromkeys((*roles, *cited)), start=1):
        ending = PurePosixPath(path).suffix.lower()
        names[path] = f"{roles.get(path, 'file')}-{number}{ending if ending in KNOWN_SUFFIXES else ''}"
    return names


def _cut(
    value: Any, key: str, names: Collection[str], called: Mapping[str, str], replacements: Mapping[str, str]
) -> Any:
    if isinstance(value, dict):
        return {name: _cut(entry, name, names, called, replacements) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cut(entry, key, names, called, replacements) for entry in value]
    if not isinstance(value, str):
        return value
    if key in _PATHS:
        return called.get(value, value)
    if key not in _WORDS:
        return value
    for path, name in replacements.items():
        value = value.replace(path, name)
    return without_names(value, names)


def visible_result(result: Result, names: Collection[str] | None) -> Result:
    """The result as others see it; as it is where nobody's `names` are to be hidden."""
    return result if names is None else without_identity(result, names, neutral_names(result))


def pictures_seen(result: Result, submission: Submission, names: Collection[str] | None) -> dict[Place, Picture]:
    """The pictures for the result as others see it. `result` is the one that names the files as the student did."""
    from grader.pipeline.pictures import evidence_pictures

    if names is None:
        return evidence_pictures(result, submission)
    called = neutral_names(result)
    pictures = evidence_pictures(result, submission, hidden_boxes(result, submission, names))
    return {(item, called[file], page, box): picture for (item, file, page, box), picture in pictures.items()}


_OWN_EYES = 0o600


class Blind(NamedTuple):
    """The hand-ins under pseudonyms, and for each of these the words that would betray who it is."""

    sources: tuple[Source, ...]
    names: dict[str, frozenset[str]]


def under_pseudonyms(sources: Sequence[Source], path: Path) -> Blind:
    """The hand-ins with pseudonyms for ids and names, in an order that tells nothing.

    The key file at `path` is read, and written where there are new students. Raises GradebookError when it can be
    neither.
    """
    key = read_key(path)
    entries = dict(key.students)
    called = {entry.id: pseudonym for pseudonym, entry in entries.items()}
    for source in sources:
        # Who has one keeps it; a new one is drawn by chance, so that it tells nothing, not even the order of names.
        pseudonym = called.get(source.student_id, "")
        while not pseudonym or (source.student_id not in called and pseudonym in entries):
            pseudonym = f"{_PREFIX}{secrets.token_hex(_BYTES)}"
        called[source.student_id] = pseudonym
        entries[pseudonym] = KeyEntry(
            id=source.student_id, name=source.student_name, identity=source.identity, origin=source.origin
        )
    grown = Key(students=dict(sorted(entries.items())))
    if grown != key:
        try:
            write_atomically(path, grown.model_dump_json(indent=2).encode() + b"\n", mode=_OWN_EYES)
        except OSError as error:
            raise GradebookError(f"{path}: the key of blind grading cannot be written: {error.strerror}.") from error
    blind = tuple(
        replace(hand_in, student_id=pseudonym, student_name=pseudonym, identity=None, origin=pseudonym)
        for hand_in in sources
        for pseudonym in (called[hand_in.student_id],)
    )
    names = {called[hand_in.student_id]: betraying(hand_in) for hand_in in sources}
    return Blind(tuple(sorted(blind, key=lambda hand_in: hand_in.student_id)), names)
