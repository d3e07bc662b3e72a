"""Names of people and folders as identifiers that every file system takes."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_LONGEST_BYTES: Final = 100
_FORBIDDEN: Final = re.compile(r'[<>:"/\\|?*%]')
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[ .].*)?", re.IGNORECASE)
_OUR_FILES: Final = re.compile(r"(class|grades|gradebook|overrides)\..*", re.IGNORECASE)
"""What is written beside the students' folders, and what may be: with a database, its log and its copies."""

_NAMELESS: Final = "student"


def safe_id(name: str) -> str:
    """A name as one folder's name on any system: letters of all scripts stay, what a system might act on becomes `_`.

    The same name gives the same id. An overlong one is cut, and a hash of the whole keeps it apart from its like.
    """
    kept = "".join(_safe(character) for character in unicodedata.normalize("NFC", name))
    trimmed = re.sub(r"\s+", " ", kept).lstrip(" .~-").rstrip(" .")
    if not trimmed.strip("_ "):
        return f"{_NAMELESS}-{_hash(name)}" if name else _NAMELESS
    if _RESERVED.fullmatch(trimmed) or _OUR_FILES.fullmatch(trimmed):
        trimmed = f"_{trimmed}"
    return trimmed if len(trimmed.encode()) <= _LONGEST_BYTES else _cut(trimmed, name)


def unique_ids(names: Iterable[str]) -> tuple[str, ...]:
    """One id per name, in order; those that only case or a neutralised sign would tell apart get a number.

    Names that are safe as they are come first, so that nobody else's name changes their ids.
    """
    wanted = [(safe_id(name), name) for name in names]
    used = {_folded(id_) for id_, _ in wanted}
    ids: dict[int, str] = {}
    taken: set[str] = set()
    for number, (id_, _) in sorted(enumerate(wanted), key=lambda one: one[1][0] != one[1][1]):
        ids[number] = id_ if _folded(id_) not in taken else _numbered(id_, taken | used)
        taken.add(_folded(ids[number]))
    return tuple(ids[number] for number in range(len(wanted)))


def _safe(character: str) -> str:
    """Separators of words stay visible; control, format and private characters do not survive."""
    category = unicodedata.category(character)
    if category.startswith("Z"):
        return " "
    return "_" if category.startswith("C") or _FORBIDDEN.match(character) else character


def _cut(id_: str, name: str) -> str:
    short = id_.encode()[: _LONGEST_BYTES - 9].decode(errors="ignore").rstrip(" .")
    return f"{short}-{_hash(name)}"


def _numbered(id_: str, used: set[str]) -> str:
    number = 2
    while _folded(f"{id_}-{number}") in used:
        number += 1
    return f"{id_}-{number}"


def _folded(id_: str) -> str:
    return unicodedata.normalize("NFKD", id_.casefold())


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]
