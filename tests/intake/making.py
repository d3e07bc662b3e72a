"""Hand-ins made for a test: folders, archives, and archives that no honest program writes."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.intake.archive import DEFAULT_LIMITS, Limits
from grader.intake.opening import open_submission
from grader.intake.submission import Source, Submission

Entries = Mapping[str, bytes] | Iterable[tuple[str | zipfile.ZipInfo, bytes]]

UTF8_NAMES = 0x800
ENCRYPTED = 0x1


def zipped(entries: Entries, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive; names are written as they are, repeated ones too. A name that ends in `/` is a folder."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in entries.items() if isinstance(entries, Mapping) else entries:
            entry = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            entry.compress_type = method
            archive.writestr(entry, content)
    return buffer.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    """An entry with a Unix file mode."""
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = mode << 16
    return entry


def with_flags(archive: bytes, put: int = 0, clear: int = 0) -> bytes:
    """The archive with bits of the general purpose flag changed in every header, local and central."""
    changed = bytearray(archive)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(signature)
        while at >= 0:
            flags = int.from_bytes(changed[at + offset : at + offset + 2], "little")
            changed[at + offset : at + offset + 2] = ((flags | put) & ~clear).to_bytes(2, "little")
            at = changed.find(signature, at + 4)
    return bytes(changed)


def plant(folder: Path, files: Mapping[str, bytes] | Iterable[str]) -> Path:
    """A folder with these files; a path that ends in `/` is an empty folder. Without contents, files say their path."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = files if isinstance(files, Mapping) else {path: path.encode() for path in files}
    for path, content in contents.items():
        target = folder / path
        if path.endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return folder


def opened(tmp_path: Path, content: bytes | Path, inside: str = "", limits: Limits = DEFAULT_LIMITS) -> Submission:
    """The hand-in of a folder, or of the bytes of an archive, opened in `tmp_path/work`."""
    path = content if isinstance(content, Path) else tmp_path / "hand-in.zip"
    if isinstance(content, bytes):
        path.write_bytes(content)
    source = Source(student_id="ada", student_name="Ada", path=path, inside=inside)
    return open_submission(source, tmp_path / "work", limits)


def paths(submission: Submission) -> list[str]:
    return [file.path for file in submission.files]


def reasons(submission: Submission) -> dict[str, str]:
    return {refusal.path: refusal.reason for refusal in submission.refused}


def contents(submission: Submission) -> dict[str, bytes]:
    return {file.path: file.location.read_bytes() for file in submission.files}
