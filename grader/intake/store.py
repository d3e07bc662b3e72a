"""Files in an object store or on another machine, by fsspec: which there are, the bytes of single hand-ins, and results
put there.

A path on this machine stands for a place in a store, so that all that works by names needs to know no store; nothing
lies there until it is fetched. Names in a store are a stranger's: no file on this machine is ever called by one.
"""

import functools
import hashlib
import re
import tempfile
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from grader.intake import IntakeError, NotLetInError
from grader.intake.archive import DEFAULT_LIMITS, ENTRIES_PER_FILE
from grader.intake.lms import METADATA
from grader.intake.names import INVALID_PATH, inner_path, is_litter, is_zip, printable, printable_name
from grader.intake.places import StoreFolder, Tree, folder_in
from grader.intake.submission import Part, Refusal, Source
from grader.message import say

_PAUSES: Final = (0.5, 2.0)
"""In seconds: before another try where a store did not answer."""
_MOST_BYTES: Final = 4 * DEFAULT_LIMITS.total_bytes
"""Of one hand-in; more is not fetched at all."""
_CLIMBS: Final = re.compile(r"(?:^|(?<=/))\.\.[ .]*(?=/|$)")
_HELP: Final = "docs/scale.md tells how a store and its credentials are named."

Value = TypeVar("Value")


class StoreError(IntakeError):
    """A store, or a place in it, cannot be used; the message says which, why, and what to do."""


class Stat(NamedTuple):
    """A file in a store: its size in bytes, what stands for its content, and whether it is a file at all."""

    size: int
    token: str
    is_file: bool = True


@dataclass(frozen=True)
class Store:
    """A folder in a store by its URL, and the path on this machine that stands for it."""

    url: str
    root: Path

    def stats(self, below: str = "") -> dict[str, Stat]:
        """All files below a relative path, or the file there, by their relative paths. Raises StoreError."""
        fs, base = _file_system(self.url)
        start = f"{base}/{below}" if below else base
        with _explained(f"{self.url}/{below}" if below else self.url):
            found = _tried(lambda: fs.find(start, detail=True))
        return {key.removeprefix(base).lstrip("/"): _stat(info) for key, info in found.items() if not key.endswith("/")}

    def fetch(self, targets: Mapping[str, Path]) -> None:
        """Copy files to this machine, by their relative paths. Raises StoreError."""
        if not targets:
            return
        fs, base = _file_system(self.url)
        with _explained(self.url):
            _tried(lambda: fs.get([f"{base}/{name}" for name in targets], [str(path) for path in targets.values()]))

    def put(self, contents: Mapping[str, bytes | None]) -> None:
        """Write files, whole, by their relative paths; one without content is removed. Raises StoreError."""
        fs, base = _file_system(self.url)
        with _explained(self.url):
            for name, content in contents.items():
                if content is not None:
                    _tried(functools.partial(fs.pipe_file, f"{base}/{name}", content))
                elif fs.exists(f"{base}/{name}"):
                    fs.rm_file(f"{base}/{name}")

    def hash_of(self, name: str, token: str) -> str:
        """The name of the file on this machine that keeps a copy of an archive."""
        return hashlib.sha256(f"{self.url}\0{name}\0{token}".encode()).hexdigest()


@functools.cache
def _file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL and the path in it. Raises StoreError."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise StoreError(f"{url}: fsspec is needed for it: pip install 'lab-grader[cluster]'.") from error
    try:
        system, path = url_to_fs(url, use_listings_cache=False)
    except ImportError as error:
        raise StoreError(f"{url}: a package for this kind of store is missing: {error}") from error
    except ValueError as error:
        raise StoreError(f"{url}: {error}. {_HELP}") from error
    return system, str(path).rstrip("/")


@contextmanager
def _explained(url: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise StoreError(f"{url}: there is no such bucket, folder or file; check the address.") from error
    except PermissionError as error:
        raise StoreError(f"{url}: access is denied; check the credentials and what they allow. {_HELP}") from error
    except Exception as error:  # each kind of store has errors of its own
        raise StoreError(f"{url}: the store failed ({type(error).__name__}: {error}). {_HELP}") from error


def _tried(action: Callable[[], Value]) -> Value:
    """Return an action's result, at the third try at the latest. An error that another try does not change is raised at
    once."""
    for pause in _PAUSES:
        try:
            return action()
        except (FileNotFoundError, PermissionError, ImportError):
            raise
        except Exception:  # each kind of store has errors of its own
            time.sleep(pause)
    return action()


def _stat(info: Mapping[str, Any]) -> Stat:
    """The token is the store's own hash of the content, else the time of the last change."""
    tokens = (info.get(name) for name in ("ETag", "etag", "md5Hash", "content_md5", "mtime", "LastModified", "created"))
    size = int(info.get("size") or 0)
    is_file = info.get("type") == "file" and not info.get("islink")
    return Stat(size, f"{size} {next((str(entry) for entry in tokens if entry), '')}", is_file)


# --- What is there ----------------------------------------------------------------------------------------------------


class Listing(NamedTuple):
    """The files at a URL: `place` stands for it, a folder or what was fetched; the tokens of all files, by the paths
    that stand for them, in order."""

    store: Store
    place: StoreFolder | Path
    paths: tuple[str, ...]
    tokens: tuple[str, ...]

    def files_below(self, path: Path) -> list[tuple[str, str]] | None:
        """The names and tokens of the files at a path or below it; None where the path is not in this store."""
        if not path.is_relative_to(self.store.root):
            return None
        start = str(path)
        first = bisect_left(self.paths, start)
        last = bisect_left(self.paths, f"{start}0")  # the character after the slash
        return [
            (name, token)
            for text, token in zip(self.paths[first:last], self.tokens[first:last], strict=True)
            if not (name := text.removeprefix(start)) or name.startswith("/")
        ]


def listing(url: str, folder: Path) -> Listing:
    """Return the files at a URL. `folder`, new and empty, stands for it; a class's archive and a course system's table
    are fetched there, since they are opened to find the hand-ins. Raises StoreError."""
    url = url.rstrip("/")
    outer, name = url.rpartition("/")[::2]
    bare = Store(url, folder)
    found = bare.stats()
    if not found:
        raise StoreError(f"{url}: there is nothing; check the address.")
    if set(found) == {""}:  # a single file
        store = Store(outer, folder)
        path = folder / _plain(name)
        store.fetch({name: path})
        return Listing(store, path, (str(path),), (found[""].token,))
    store = Store(url, folder / _plain(name or "class"))
    store.root.mkdir(parents=True)
    tree, refused = _tree(found)
    place = StoreFolder(store.root, refused=refused, tree=tree)
    # The files that are opened to find the hand-ins; only names that are safe.
    useful = [text for text in found if not is_litter(text) and _label(text) == text]
    opened_ = [text for text in useful if text.rpartition("/")[2] == METADATA and text.count("/") <= 2]
    if len(useful) == 1 and is_zip(useful[0]):
        opened_ += useful
    for opened in opened_:
        target = store.root / opened
        target.parent.mkdir(parents=True, exist_ok=True)
        store.fetch({opened: target})
    path_tokens = sorted((str(store.root / text), stat.token) for text, stat in found.items())
    return Listing(store, place, tuple(path for path, _ in path_tokens), tuple(token for _, token in path_tokens))


def _plain(name: str) -> str:
    """The last part of a URL, which staff wrote, as a file's name."""
    return re.sub(r"[^\w. ()+-]", "_", name).lstrip(".") or "class"


def _tree(found: Mapping[str, Stat]) -> tuple[Tree, tuple[Refusal, ...]]:
    top: Tree = {}
    refused = []
    for name, stat in found.items():
        try:
            if "//" in f"/{name}" or "/./" in f"/{name}":
                raise NotLetInError(INVALID_PATH)
            inner_path(name)
        except NotLetInError as error:
            refused.append(Refusal(path=printable_name(name), reason=error.reason))
            continue
        *folders, last = name.split("/")
        here = top
        for folder in folders:
            here = folder_in(here, folder)
        if stat.is_file:
            here.setdefault(last, None)
        else:
            refused.append(Refusal(path=printable_name(name), reason=_NO_FILE, is_many=True))
    return top, tuple(refused)


_NO_FILE: Final = say("it is neither a file nor a folder (a device, a pipe); leave it out")


# --- What is fetched --------------------------------------------------------------------------------------------------


def fetch_source(source: Source, stores: Sequence[Store], folder: Path, cache: Path) -> Source:
    """The hand-in as it lies on this machine, below `folder`, which is made; the same where it is in no store. Of a
    class's archive one copy is kept in `cache` for all its hand-ins. Raises StoreError, OSError."""
    parts = source.parts or (Part(path=source.path, inside=source.inside),)
    places = [next((store for store in stores if part.path.is_relative_to(store.root)), None) for part in parts]
    if not any(places):
        return source
    folder.mkdir(parents=True)
    here: list[Part] = []
    for part, store in zip(parts, places, strict=True):
        if store is None:
            here.append(part)
        elif part.inside:
            archive = _archive(store, part.path, cache)
            here.append(part.model_copy(update={"path": archive}))
        else:
            found = _listed(store, part.path)
            if not source.parts and set(found) == {""} and is_zip(part.path.name):
                path = folder / f"hand-in{part.path.suffix}"
                _fetch(store, {part.path: (path, found[""])}, DEFAULT_LIMITS.total_bytes)
                return replace(source, path=path)
            here.extend(_pieces(store, part, found, folder, len(here)))
    if not source.parts and source.inside:
        return replace(source, path=here[0].path)
    return replace(source, path=folder, inside="", parts=tuple(here))


def _listed(store: Store, path: Path) -> dict[str, Stat]:
    """The files at a path or below it, by their names from there."""
    start = _relative(store, path)
    found = store.stats(start)
    if not found:
        raise StoreError(f"{store.url}/{start}: it is not there any more.")
    return {name.removeprefix(start).lstrip("/"): stat for name, stat in found.items()}


def _relative(store: Store, path: Path) -> str:
    inner = path.relative_to(store.root).as_posix()
    return "" if inner == "." else inner


def _pieces(store: Store, part: Part, found: Mapping[str, Stat], folder: Path, first: int) -> Iterator[Part]:
    """The files of a piece of a hand-in, under numbers. Their names in the hand-in are labels only."""
    kept = {name: stat for name, stat in found.items() if stat.is_file and not is_litter(name)}
    _check(store, part.path, kept)
    alone = set(found) == {""}
    wanted = {}
    for number, (name, stat) in enumerate(sorted(kept.items()), first):
        piece_name = part.name or part.path.name if alone else "/".join(filter(None, (part.name, name)))
        suffix = re.search(r"\.[A-Za-z0-9]{1,8}$", piece_name)
        target = folder / f"{number:06}{suffix[0] if suffix else ''}"
        wanted[part.path / name] = target, stat
        yield Part(path=target, name=_label(piece_name))
    _fetch(store, wanted, DEFAULT_LIMITS.file_bytes)


def _check(store: Store, path: Path, found: Mapping[str, Stat]) -> None:
    """Raises StoreError where there is far more than a hand-in may hold."""
    size = sum(stat.size for stat in found.values() if stat.size <= DEFAULT_LIMITS.file_bytes)
    if len(found) > ENTRIES_PER_FILE * DEFAULT_LIMITS.files or size > _MOST_BYTES:
        where = f"{store.url}/{_relative(store, path)}"
        raise StoreError(
            f"{where}: {len(found):,} files of {size / 2**20:,.0f} MiB are more than a submission may hold."
        )


def _fetch(store: Store, wanted: Mapping[Path, tuple[Path, Stat]], most: int) -> None:
    """Fetch files; of a file that is too large to be let in, only the size is kept."""
    for path, stat in wanted.values():
        if stat.size > most:
            with path.open("xb") as file:
                file.truncate(stat.size)
    store.fetch({_relative(store, key): path for key, (path, stat) in wanted.items() if stat.size <= most})


def _label(name: str) -> str:
    """A name as the hand-in's files are told apart by; it leads nowhere."""
    try:
        return inner_path(name)
    except NotLetInError:
        return printable(_CLIMBS.sub("__", name.replace("\\", "/").lstrip("/")))[-_LONGEST:] or "_"


_LONGEST: Final = 240
_ARCHIVES: Final = threading.Lock()


def _archive(store: Store, path: Path, cache: Path) -> Path:
    """The copy of an archive on this machine."""
    if path.is_file():
        return path
    name = _relative(store, path)
    with _ARCHIVES:
        stat = store.stats(name).get(name)
        if stat is None:
            raise StoreError(f"{store.url}/{name}: it is not there any more.")
        kept = cache / f"{store.hash_of(name, stat.token)[:32]}.zip"
        if not kept.is_file():
            cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=cache) as new:
                store.fetch({name: Path(new, "archive")})
                Path(new, "archive").replace(kept)
    return kept
