"""Files of results, each written whole or not at all."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from grader.gradebook.store import FILE as GRADEBOOK
from grader.intake.names import safe_id
from grader.intake.store import Store
from grader.pipeline.hashes import hash_of_file
from grader.pipeline.stages import FORMER_STAGE_FILE, HIDDEN_TEXT, STAGE_FILES
from grader.reader.answer import FILE as READER
from grader.result import Result

if TYPE_CHECKING:
    from grader.cohort.statistics import ClassSummary

RESULT, REPORT, PAGE = STUDENT_FILES = ("result.json", "report.pdf", "report.html")
GRADES, CLASS, CLASS_REPORT, CLASS_PAGE = CLASS_FILES = ("grades.csv", "class.json", "class.pdf", "class.html")


class Reports(NamedTuple):
    """A report as PDF and as HTML; either may be lacking. `stages` are the files that keep the stages of grading and
    what a reader answered, all that there are to be; None leaves those that are there."""

    pdf: bytes | None = None
    html: bytes | None = None
    stages: Mapping[str, bytes] | None = None


def write_atomically(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a file so that whoever looks sees the old content or the new, never a part."""
    write_pieces(path, (content,), mode)


def write_pieces(path: Path, pieces: Iterable[bytes], mode: int = 0o644) -> str:
    """As `write_atomically`, for what is too long to be in memory as a whole; returns the hash of the file."""
    written = hashlib.sha256()

    def write(file: BinaryIO) -> None:
        for piece in pieces:
            file.write(piece)
            written.update(piece)

    write_by(path, write, mode)
    return written.hexdigest()


def write_by(path: Path, write: Callable[[BinaryIO], None], mode: int = 0o644) -> None:
    """As `write_atomically`, with what `write` puts into the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_student(out: Path, result: Result, report: Reports) -> dict[str, str]:
    """Write one student's result and reports; returns the hashes of these, by name. Those of an earlier result are
    removed: they would no longer be true."""
    if report.stages is not None:
        names = (*STAGE_FILES, FORMER_STAGE_FILE, HIDDEN_TEXT, READER)
        _written(out / result.student.id, {name: report.stages.get(name) for name in names})
    return _written(out / result.student.id, {RESULT: result.to_json().encode(), REPORT: report.pdf, PAGE: report.html})


@dataclass(frozen=True)
class StoreOutput:
    """An output folder in a store. `folder`, on this machine, holds what the run itself needs of it: results, the files
    of the class, the gradebook. `names` are the files that were in the store when the run began."""

    store: Store
    folder: Path
    names: frozenset[str]

    def files_of(self, student: str, written: Mapping[str, str]) -> dict[str, str]:
        """The hashes of a student's files that are there. Of reports it is only known that they are there: what was
        written is taken for true."""
        there = {
            name: written[name] for name in (REPORT, PAGE) if name in written and f"{student}/{name}" in self.names
        }
        return there | files_in(self.folder / student, (RESULT,))

    def put_student(self, result: Result, stored: Mapping[str, str]) -> dict[str, str]:
        """Put a result, the last of a student's files; `stored` are the hashes of those that were put before. Those
        of an earlier result are removed. Returns the hashes, by name."""
        content = result.to_json().encode()
        names = (REPORT, PAGE, *STAGE_FILES, FORMER_STAGE_FILE, HIDDEN_TEXT, READER)
        student = result.student.id
        gone = {f"{student}/{name}": None for name in names if f"{student}/{name}" in self.names and name not in stored}
        write_atomically(self.folder / student / RESULT, content)
        self.store.put({**gone, f"{student}/{RESULT}": content})
        shown = {name: stored[name] for name in (REPORT, PAGE) if name in stored}
        return {RESULT: hashlib.sha256(content).hexdigest(), **shown}

    def put_back(self, names: Iterable[str]) -> None:
        """Put files of the folder on this machine; one that is not there is removed."""
        for name in names:
            path = self.folder / name
            if path.is_file():
                self.store.put({name: path.read_bytes()})
            elif name in self.names:
                self.store.put({name: None})


def put_report(store: Store, student: str, report: Reports) -> dict[str, str]:
    """Put all of a student's files but the result; returns their hashes, by name."""
    contents = {REPORT: report.pdf, PAGE: report.html, **(report.stages or {})}
    there = {name: content for name, content in contents.items() if content is not None}
    store.put({f"{student}/{name}": content for name, content in there.items()})
    return {name: hashlib.sha256(content).hexdigest() for name, content in there.items()}


@contextlib.contextmanager
def open_store_output(url: str, folder: Path) -> Iterator[StoreOutput]:
    """The output folder at a URL, what the run needs of it fetched into an empty folder; its gradebook is put back at
    the end, however the run ends. Raises StoreError."""
    store = Store(url.rstrip("/"), folder)
    names = frozenset(name for name in store.stats() if name)
    needed = [
        name
        for name in names
        if ("/" not in name and safe_name(name)) or (name.count("/") == 1 and name.endswith(f"/{RESULT}"))
    ]
    targets = {name: folder / name for name in needed if all(map(safe_name, name.split("/")))}
    for target in targets.values():
        target.parent.mkdir(parents=True, exist_ok=True)
    store.fetch(targets)
    found = StoreOutput(store, folder, names)
    try:
        yield found
    finally:
        found.put_back([path.name for path in folder.glob(f"{GRADEBOOK}*")])


def safe_name(name: str) -> bool:
    """Whether a name may be a file's here, as every name is that this program has written."""
    return safe_id(name) == name or name.startswith(("class.", "grades.", "gradebook.", "overrides."))


def write_class(out: Path, grades: Iterable[str], summary: "ClassSummary", report: Reports) -> dict[str, str]:
    """Write what is about the class as a whole, `grades` being the lines of `grades.csv`; returns the hashes of the
    files, by name."""
    texts = {GRADES: grades, CLASS: summary.pieces()}
    hashes = {name: write_pieces(out / name, (piece.encode() for piece in text)) for name, text in texts.items()}
    return hashes | _written(out, {CLASS_REPORT: report.pdf, CLASS_PAGE: report.html})


def list_in(path: Path, name: str) -> list[Any]:
    """A list that the file of a class holds under a name, without reading the whole file into memory; empty where there
    is none, or the file is of another make."""
    first, last = f'  "{name}": ', "  ]"
    try:
        with path.open(encoding="utf-8") as lines:
            begun = next((line for line in lines if line.startswith(first)), "")
            found = [begun.removeprefix(first)]
            if begun.rstrip("\n").endswith("["):
                found += takewhile(lambda line: not line.startswith(last), lines)
                found.append("]")
        value = json.loads("".join(found).rstrip().rstrip(","))
    except (OSError, ValueError):
        return []
    return value if isinstance(value, list) else []


def files_in(folder: Path, names: Iterable[str] = STUDENT_FILES) -> dict[str, str]:
    """The hashes of those files, by name, that are there and can be read."""
    found = {}
    for name in names:
        with contextlib.suppress(OSError):
            found[name] = hash_of_file(folder / name)
    return found


def _written(folder: Path, contents: Mapping[str, bytes | None]) -> dict[str, str]:
    for name, content in contents.items():
        path = folder / name
        if content is None:
            path.unlink(missing_ok=True)
        else:
            write_atomically(path, content)
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items() if content is not None}
