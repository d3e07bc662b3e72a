"""The LaTeX files of a hand-in, and which of them includes which."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.reading.bytes_in import decoded, lines_of, read_bytes

MOST_BYTES: Final = 4_000_000
"""Of one source. A thesis has about one million."""

SUFFIXES: Final = (".tex", ".ltx", ".latex")

_MOST_BEGINNINGS: Final = 20
_INCLUDED: Final = re.compile(
    r"\\(?:input|include|subfile|subfileinclude|InputIfFileExists|(?:sub)?(?:import|inputfrom|includefrom)\s{0,9}"
    r"\{(?P<folder>[^{}\n]{0,300})\})\s{0,9}\{(?P<name>[^{}\n]{1,300})\}"
)
_COMMENT: Final = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_CLASS: Final = re.compile(r"\\document(?:class|style)\s{0,9}(?:\[[^\]]{0,500}\])?\s{0,9}\{([^{}]{0,100})\}")
_BEGINNING: Final = re.compile(r"\\begin\s{0,9}\{document\}")
_OWN_CODE: Final = re.compile(
    r"\\(?:lstnewenvironment|DefineVerbatimEnvironment|newtcblisting|NewTCBListing)\s{0,9}\{([a-zA-Z]+)\}"
    r"|\\newminted\s{0,9}(?:\[([a-zA-Z]+)\]\s{0,9}\{|\{([a-zA-Z]+)\})"
)
_WRITTEN: Final = re.compile(
    r"\\begin\s{0,9}\{filecontents(?P<star>\*?)\}\s{0,9}(?:\[[^\]\n]{0,100}\])?\s{0,9}\{(?P<name>[^{}\n]{1,300})\}[^\n]*\n"
)
_MOST_WRITTEN: Final = 50


class Source(NamedTuple):
    """One file's text, with line feeds only. `start` is the offset behind `\\begin{document}`, 0 where it has none;
    `code` are environments that it sets up for code, `written` the files that it writes when it is typeset."""

    path: str
    text: str
    start: int = 0
    code: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
    written: tuple["WrittenFile", ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it is a document of its own rather than a part of one."""
        return self.start > 0

    def within(self, file: "WrittenFile") -> "Source":
        """One of the files that it writes, with its place here."""
        return Source(self.path, self.text[: file.end], file.start, self.code)


class WrittenFile(NamedTuple):
    """A file that a source holds between `\\begin{filecontents}` and its end: its name, and where its text stands."""

    name: str
    start: int
    end: int


class Sources:
    """The files among which a document's parts are looked for."""

    def __init__(self, files: Sequence[SubmittedFile]) -> None:
        self._files = {file.path: file for file in files}
        self._named: dict[str, list[str]] = {}
        for path in self._files:
            self._named.setdefault(PurePosixPath(path).name, []).append(path)

    def find(self, name: str, root: str, within: str, folder: str = "") -> SubmittedFile | None:
        """The file that is included under a name: sought from the main file's folder, then from that of the file that
        includes it, then anywhere in the hand-in when only one file is called so."""
        name = plain_name(name)
        names = [name] if PurePosixPath(name).suffix in (*SUFFIXES, ".sty", ".cls") else [f"{name}.tex", name]
        for base in (posixpath.dirname(root), posixpath.dirname(within)):
            for candidate in names:
                path = posixpath.normpath(posixpath.join(base, folder.strip(), candidate))
                if path in self._files:
                    return self._files[path]
        for candidate in names:
            alike = self._named.get(PurePosixPath(candidate).name, [])
            if len(alike) == 1:
                return self._files[alike[0]]
        return None


def plain_name(name: str) -> str:
    """The name of a file without what may stand around it."""
    return name.strip().strip('"').removeprefix("./")


def source_of(file: SubmittedFile) -> Source:
    """A file's text; what is doubtful about it is a problem."""
    data, trouble = read_bytes(file.location, MOST_BYTES)
    text, problems = decoded(data)
    text = "\n".join(lines_of(text))
    found = islice(_BEGINNING.finditer(text), _MOST_BEGINNINGS)
    beginning = next((match for match in found if not _in_comment(text, match.start())), None)
    code = frozenset(_code_names(text))
    start = beginning.end() if beginning else 0
    return Source(file.path, text, start, code, (*trouble, *problems), tuple(_written_files(text)))


def main_files(files: Sequence[SubmittedFile]) -> tuple[SubmittedFile, ...]:
    """The LaTeX files that no other one includes, in their order: each is a document of its own, with all that it
    includes. Where files include each other in a circle, it is the one with a document class, else the first."""
    written = [file for file in files if PurePosixPath(file.path).suffix.lower() in SUFFIXES]
    sources = Sources(files)
    texts = {file.path: source_of(file).text for file in written}
    included = {file.path: set(_included(file.path, texts[file.path], sources)) for file in written}
    classes = {path for path, text in texts.items() if _is_root(text)}
    roots = [
        file
        for file in written
        if not any(file.path in parts and path != file.path for path, parts in included.items())
        or (file.path in classes and not any(file.path in included[path] for path in classes))
    ]
    return tuple(roots or [file for file in written if file.path in classes][:1] or written[:1])


def _included(path: str, text: str, sources: Sources) -> Iterator[str]:
    for match in _INCLUDED.finditer(_COMMENT.sub(r"\1", text)):
        found = sources.find(match["name"], path, path, match["folder"] or "")
        if found:
            yield found.path


def _is_root(text: str) -> bool:
    match = _CLASS.search(_COMMENT.sub(r"\1", text))
    return bool(match and match[1].strip() != "subfiles")


def _code_names(text: str) -> Iterator[str]:
    for match in _OWN_CODE.finditer(text):
        yield match[1] or match[2] or f"{match[3]}code"


def _written_files(text: str) -> Iterator[WrittenFile]:
    for match in islice(_WRITTEN.finditer(text), _MOST_WRITTEN):
        end = text.find(f"\\end{{filecontents{match['star']}}}", match.end())
        if end >= 0 and not _in_comment(text, match.start()):
            yield WrittenFile(match["name"].strip(), match.end(), end)


def _in_comment(text: str, position: int) -> bool:
    start = text.rfind("\n", 0, position) + 1
    return bool(_COMMENT.search(text, start, position))
