"""Untrusted names and times as archives, disks and other systems write them: safe paths and identifiers, natural sort
order, names of files to ignore, and dates. An ambiguous day is refused, never guessed.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final
from zipfile import ZipInfo

from grader.intake import NotLetInError
from grader.message import say

LONGEST_PATH: Final = 1_000
LONGEST_NAME: Final = 255

_OTHER_ARCHIVES: Final = frozenset({".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst"})
_UTF8_NAME: Final = 0x800
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def is_zip(path: str) -> bool:
    """Whether a name has the suffix of a zip archive."""
    return PurePosixPath(path).suffix.lower() == ".zip"


def is_archive(path: str) -> bool:
    """Whether a name has the suffix of any kind of archive."""
    return is_zip(path) or PurePosixPath(path).suffix.lower() in _OTHER_ARCHIVES


_PACKERS: Final = frozenset({".gz", ".bz2", ".xz", ".zst"})


def packed_name(path: str) -> str | None:
    """The name of the one file that is packed under a name, `train.csv` for `train.csv.gz`; None for what holds several
    files or does not say what it holds."""
    name = PurePosixPath(path)
    inner = name.with_suffix("")
    return str(inner) if name.suffix.lower() in _PACKERS and inner.suffix and inner.suffix != ".tar" else None


def printable(name: str) -> str:
    """The name in NFC, with control characters and lone surrogates, which no page or JSON file can show, as U+FFFD."""
    return unicodedata.normalize("NFC", _UNPRINTABLE.sub("\ufffd", name))


def printable_name(name: str) -> str:
    """A refused name for results: printable, and truncated if it is too long."""
    return printable(name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…")


def entry_name(entry: ZipInfo) -> str:
    """An entry's full name. Many programs write UTF-8 without setting the flag; such a name is decoded again as
    UTF-8."""
    name = entry.orig_filename
    if entry.flag_bits & _UTF8_NAME:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


INVALID_PATH: Final = say(
    "its path is not valid (empty, absolute, or with '..' or a NUL character); rename it and make the archive again"
)


def inner_path(name: str) -> str:
    """The relative path, with forward slashes, of an entry's name.

    Backslashes (written by some Windows programs) and redundant parts are normalised. Raises NotLetInError for a name
    that is absolute, has a drive, climbs out with `..`, contains a NUL, is too long, or is empty.
    """
    path = name.replace("\\", "/")
    if "\0" in path:
        raise NotLetInError(INVALID_PATH)
    if path.startswith("/") or _DRIVE.match(path):
        raise NotLetInError(INVALID_PATH)
    parts = [part for part in path.split("/") if part not in ("", ".")]
    # Some systems drop spaces and dots at the end, so `.. ` leads to the folder above as well.
    if any(part.startswith("..") and not part.strip(" .") for part in parts):
        raise NotLetInError(INVALID_PATH)
    if not parts:
        raise NotLetInError(INVALID_PATH)
    if len(path) > LONGEST_PATH or max(map(len, parts)) > LONGEST_NAME:
        raise NotLetInError(say("its name is too long; rename it and make the archive again"))
    return printable("/".join(parts))


_PARTS: Final = re.compile(r"([0-9]+)")

NaturalKey = tuple[tuple[tuple[int, int, str], ...], str]


def natural(name: str) -> NaturalKey:
    """A sort key that compares runs of digits as numbers, and letters without case and accents. The order is total, so
    results are deterministic."""
    return tuple(_key(part) for part in _PARTS.split(name)), name


def _key(part: str) -> tuple[int, int, str]:
    if part[:1].isascii() and part[:1].isdigit():
        digits = part.lstrip("0")
        return 0, len(digits), digits
    letters = unicodedata.normalize("NFD", part.casefold())
    return 1, 0, "".join(letter for letter in letters if not unicodedata.combining(letter))


_NAMES: Final = frozenset(
    {
        *("__macosx", ".ds_store", ".appledouble", ".spotlight-v100", ".fseventsd", ".trashes", "icon\r"),
        *("thumbs.db", "ehthumbs.db", "desktop.ini", "$recycle.bin", "system volume information"),
        *(".directory", "lost+found", ".git", ".gitignore", ".gitattributes", ".gitkeep", ".svn", ".hg"),
        *(".ipynb_checkpoints", "__pycache__", ".venv", "node_modules", ".idea", ".vscode"),
    }
)
_BEGINNINGS: Final = ("._", "~$", ".~lock.", "~wrl", ".~wrl")
_ENDS: Final = (".swp", ".swo", ".synctex.gz", ".synctex", ".lnk")
"""Of what editors and TeX leave."""


def is_litter(path: str) -> bool:
    """Whether a relative path names such a file, or lies in such a folder."""
    names = map(str.casefold, PurePosixPath(path).parts)
    return any(name in _NAMES or name.startswith(_BEGINNINGS) or name.endswith(_ENDS) for name in names)


_TRACKERS: Final = frozenset({"wandb", "mlruns"})


def is_of_tracker(path: str) -> bool:
    """Whether a file lies in a folder that a tracker of experiments keeps: its files without a suffix, its own logs and
    its links hold no answers."""
    *folders, name = PurePosixPath(path).parts or ("",)
    is_own = "." not in name or (name.startswith("debug") and name.endswith(".log"))
    return is_own and not _TRACKERS.isdisjoint(map(str.casefold, folders))


_LONGEST_BYTES: Final = 100
_FORBIDDEN: Final = frozenset('<>:"/\\|?*%')
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[ .].*)?", re.IGNORECASE)
_OUR_FILES: Final = re.compile(r"(class|grades|gradebook|overrides)\..*", re.IGNORECASE)
"""Names of files that grading writes beside the students' folders, including a database's log and copies."""

_NAMELESS: Final = "student"


def safe_id(name: str) -> str:
    """A name that is safe as a folder's name on any system: letters of all scripts are kept, special characters become
    `_`.

    The same name gives the same id. A name that is too long is truncated, with a hash of the whole to keep it unique.
    """
    kept = "".join(_safe(character) for character in unicodedata.normalize("NFC", name))
    trimmed = re.sub(r"\s+", " ", kept).lstrip(" .~-").rstrip(" .")
    if not trimmed.strip("_ "):
        return f"{_NAMELESS}-{_hash(name)}" if name else _NAMELESS
    if _RESERVED.fullmatch(trimmed) or _OUR_FILES.fullmatch(trimmed):
        trimmed = f"_{trimmed}"
    if len(trimmed.encode()) <= _LONGEST_BYTES:
        return trimmed
    short = trimmed.encode()[: _LONGEST_BYTES - 9].decode(errors="ignore").rstrip(" .")
    return f"{short}-{_hash(name)}"


def unique_ids(names: Iterable[str]) -> tuple[str, ...]:
    """One id per name, in order; ids that differ only in case or in a replaced character get a number.

    Names that are already safe are assigned first, so that no other name changes their ids.
    """
    wanted = [(safe_id(name), name) for name in names]
    used = {_folded(id_) for id_, _ in wanted}
    ids: dict[int, str] = {}
    taken: set[str] = set()
    for number, (id_, _) in sorted(enumerate(wanted), key=lambda entry: entry[1][0] != entry[1][1]):
        ids[number] = id_ if _folded(id_) not in taken else _numbered(id_, taken | used)
        taken.add(_folded(ids[number]))
    return tuple(ids[number] for number in range(len(wanted)))


def remembered_ids(hand_ins: Iterable[tuple[str, str]], known_ids: Mapping[str, str]) -> tuple[str, ...]:
    """The ids of hand-ins, given as the name that each was found under and the id that it would have on its own.

    `known_ids` are the ids that were given before, by name. They stay with their names: a newcomer gets another one, as
    does each of several hand-ins under one name but the first.
    """
    pairs = list(hand_ins)
    taken = {_folded(id_) for id_ in known_ids.values()}
    ids: dict[int, str] = {}
    given: set[str] = set()
    for number, (name, _) in enumerate(pairs):
        if name in known_ids and known_ids[name] not in given:
            ids[number] = known_ids[name]
            given.add(known_ids[name])
    used = taken | {_folded(wanted) for _, wanted in pairs}
    for number, (_, wanted) in enumerate(pairs):
        if number not in ids:
            ids[number] = wanted if _folded(wanted) not in taken else _numbered(wanted, used | taken)
            taken.add(_folded(ids[number]))
    return tuple(ids[number] for number in range(len(pairs)))


def origin_of(name: str) -> str:
    """A name that a hand-in was found under, exact but for how its letters are encoded, as text that can be stored."""
    return unicodedata.normalize("NFC", name).encode("utf-8", "backslashreplace").decode()


def _safe(character: str) -> str:
    """The safe form of a character: any space becomes a plain one; control, format, private-use and forbidden
    characters become `_`."""
    category = unicodedata.category(character)
    if category.startswith("Z"):
        return " "
    return "_" if category.startswith("C") or character in _FORBIDDEN else character


def _numbered(id_: str, used: set[str]) -> str:
    number = 2
    while _folded(f"{id_}-{number}") in used:
        number += 1
    return f"{id_}-{number}"


def _folded(id_: str) -> str:
    return unicodedata.normalize("NFKD", id_.casefold())


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]


_MONTHS: Final = {
    name: month
    for month, names in enumerate(
        (
            "january jan janvier janv januar enero ene",
            "february feb fevrier fevr februar febrero",
            "march mar mars marz maerz marzo",
            "april apr avril avr abril abr",
            "may mai mayo",
            "june jun juin juni junio",
            "july jul juillet juil juli julio",
            "august aug aout agosto ago",
            "september sep sept septembre septiembre",
            "october oct octobre oktober okt octubre",
            "november nov novembre noviembre",
            "december dec decembre dezember dez diciembre dic",
        ),
        start=1,
    )
    for name in names.split()
}
_ISO: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ]+(\d\d?:\d\d)(:\d\d)?(\.\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_NUMBERS: Final = re.compile(
    r"(\d\d?)[/.](\d\d?)[/.](\d{4})[ ,]+(\d\d?):(\d\d)(?::(\d\d))?\s*(?:([ap])m)?", re.IGNORECASE
)
_CLOCK: Final = r"(\d{4})[\s,a]+(\d\d?)[:h](\d\d)(?::(\d\d))?\s*(?:uhr|([ap])\.?\s?m\.?)?"
_WORDS: Final = re.compile(
    rf"(?:[^\W\d_]+\.?,?\s+)?(\d\d?)\.?\s+(?:de\s+)?([^\W\d_]+)\.?,?\s+(?:de\s+)?{_CLOCK}", re.IGNORECASE
)
_MONTH_FIRST: Final = re.compile(rf"(?:[^\W\d_]+\.?,?\s+)?([^\W\d_]+)\.?\s+(\d\d?),?\s+{_CLOCK}", re.IGNORECASE)
_LONGEST: Final = 80


def read_time(text: str, *, day_first: bool | None = None) -> datetime | None:
    """The time in a text; None where there is none. It has a zone only if the text names one.

    Understood are ISO 8601, Gradescope's `2023-11-21 22:58:10 +0100`, Moodle's `Tuesday, 21 November 2023, 10:58 PM`
    or `Tuesday, November 21, 2023, 10:58 PM` (and in French, German and Spanish), and `21/11/2023 22:58` where
    `day_first` is known or the numbers leave no choice.
    """
    plain = _plain(text) if len(text) <= _LONGEST else ""
    try:
        if found := _ISO.fullmatch(plain.upper()):
            return _iso(found)
        if found := _WORDS.fullmatch(plain):
            day, month, year, *clock = found.groups()
            return _datetime_of(int(year), _MONTHS[month], int(day), clock)
        if found := _MONTH_FIRST.fullmatch(plain):
            month, day, year, *clock = found.groups()
            return _datetime_of(int(year), _MONTHS[month], int(day), clock)
        if found := _NUMBERS.fullmatch(plain):
            first, second, year, *clock = found.groups()
            month_first = day_comes_first((text,)) is False if day_first is None else not day_first
            if day_first is None and day_comes_first((text,)) is None:
                return None
            day, month = (second, first) if month_first else (first, second)
            return _datetime_of(int(year), int(month), int(day), clock)
    except (ValueError, KeyError):
        return None
    return None


def day_comes_first(texts: Iterable[str]) -> bool | None:
    """Whether numeric dates begin with the day; None where they do not determine it, or contradict each other."""
    day_first = month_first = False
    for text in texts:
        if found := _NUMBERS.fullmatch(text.strip()):
            day_first |= int(found[1]) > 12
            month_first |= int(found[2]) > 12
    return day_first if day_first != month_first else None


def _iso(found: re.Match[str]) -> datetime:
    day, clock, seconds, fraction, zone = (part or "" for part in found.groups())
    offset = "+00:00" if zone in ("Z", "UTC", "GMT") else zone
    parts = f"{fraction[:7]:0<7}" if fraction else ""
    return datetime.fromisoformat(f"{day}T{clock.rjust(5, '0')}{seconds or ':00'}{parts}{offset}")


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.strip().removesuffix(".").casefold())
    return "".join(sign for sign in letters if not unicodedata.combining(sign))


def _datetime_of(year: int, month: int, day: int, clock: list[str]) -> datetime:
    hour, minute, second, half = (clock[0], clock[1], clock[2] or "0", clock[3])
    hours = int(hour)
    if half:
        hours = hours % 12 + (12 if half.casefold() == "p" else 0)
    return datetime(year, month, day, hours, int(minute), int(second))
