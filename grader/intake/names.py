"""Names as they come from strangers' archives and disks, made into paths that stay where they belong."""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Final
from zipfile import ZipInfo

from grader.intake.errors import NotLetInError
from grader.message import say

LONGEST_PATH: Final = 1_000
LONGEST_NAME: Final = 255

_OTHER_ARCHIVES: Final = frozenset({".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst"})
_UTF8_NAME: Final = 0x800
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def is_zip(path: str) -> bool:
    """Whether a name says that it is a zip archive."""
    return PurePosixPath(path).suffix.lower() == ".zip"


def is_archive(path: str) -> bool:
    """Whether a name says that it is an archive of any kind."""
    return is_zip(path) or PurePosixPath(path).suffix.lower() in _OTHER_ARCHIVES


def printable(name: str) -> str:
    """The name with what no page or JSON file can show (control characters, lone surrogates) as U+FFFD; composed."""
    return unicodedata.normalize("NFC", _UNPRINTABLE.sub("\ufffd", name))


def shown(name: str) -> str:
    """A refused name as a result can carry it: printable, and cut when it is overlong."""
    return printable(name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…")


def entry_name(entry: ZipInfo) -> str:
    """An entry's name in full. Many programs write UTF-8 without saying so; then the name is read anew as UTF-8."""
    name = entry.orig_filename
    if entry.flag_bits & _UTF8_NAME:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def inner_path(name: str) -> str:
    """The relative path, with forward slashes, that an entry's name stands for.

    Backslashes (written by some Windows programs) and idle parts are put right. Raises NotLetInError for a name that is
    absolute, has a drive, climbs out with `..`, holds a NUL, is overlong, or is nothing.
    """
    path = name.replace("\\", "/")
    if "\0" in path:
        raise NotLetInError(say("its name holds a NUL character, as no file's name does; make the archive again"))
    if path.startswith("/") or _DRIVE.match(path):
        raise NotLetInError(
            say("its name is an absolute path; make the archive again from within the hand-in's folder")
        )
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if any(_climbs(part) for part in parts):
        raise NotLetInError(say("its name leads out of the hand-in ('..'); make the archive again without such names"))
    if not parts:
        raise NotLetInError(say("it has no name; make the archive again"))
    if len(path) > LONGEST_PATH or max(map(len, parts)) > LONGEST_NAME:
        raise NotLetInError(say("its name is too long; rename it and make the archive again"))
    return printable("/".join(parts))


def _climbs(part: str) -> bool:
    """Some systems drop spaces and dots at a name's end, so `.. ` climbs as well."""
    return part.startswith("..") and not part.strip(" .")
