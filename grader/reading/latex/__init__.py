"""A LaTeX document with the files that it includes: which of a hand-in's files includes which, and what labels stand
for, as LaTeX numbers it.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.submission import REPORT_FORMATS, SubmittedFile
from grader.message import Words, label_text, say
from grader.reading.bytes_in import TOO_LONG, lines_of, text_of
from grader.reading.document import Block, BlockKind, Document, with_parsed_formulas
from grader.reading.latex.arithmetic import LEVELS, Label
from grader.reading.latex.expansion import Expansion
from grader.reading.latex.ink import HiddenText, VisibleTokens
from grader.reading.latex.tokens import Kind, Token, listing, source_text, tokens
from grader.reading.latex.walk import walk
from grader.reading.maths.tokens import names
from grader.reading.visibility import HIDDEN_TEXT, MOST_HIDDEN, Visibility, doubtful_text

_EQUATIONS: Final = names("equation align gather multline eqnarray flalign alignat")
_OF_LINES: Final = names("align gather eqnarray flalign alignat")
_FLOATS: Final = names("figure wrapfigure table wraptable longtable")
_UNNUMBERED: Final = ("nonumber", "notag")
_MOST_LABELS: Final = 5_000


def labels_of(stream: Expansion) -> dict[str, Label]:
    """The labels of a document, which is read to its end for that, with what they number; those that stand before
    anything is numbered are left out."""
    scan = _Scan(stream)
    while len(scan.labels) < _MOST_LABELS and (token := stream.take()) is not None:
        scan.step(token)
    return {name: label for name, label in scan.labels.items() if name and label.number}


class _Scan:
    """Counts as LaTeX does; one use only."""

    def __init__(self, stream: Expansion) -> None:
        self.stream = stream
        self.labels: dict[str, Label] = {}
        self.here = Label("", "")
        self.open: list[str] = []

    def step(self, token: Token) -> None:
        name = token.text
        if token.kind is Kind.BEGIN:
            self.begin(name)
        elif token.kind is Kind.END:
            del self.open[-1:]
        elif token.kind is Kind.COMMAND and name in LEVELS:
            self.section(name)
        elif token.kind is Kind.COMMAND and name == "label":
            self.labels.setdefault(self.stream.words(), self.here)
        elif token.kind is Kind.COMMAND and self.open:
            self.count_in_environment(name)

    def count_in_environment(self, command: str) -> None:
        """A command that counts in some environments only."""
        environment = self.open[-1]
        if command == "caption":
            self.caption()
        elif command == "\\" and environment in _OF_LINES:
            self.count("equation", "Equation")
        elif command in _UNNUMBERED and environment in _OF_LINES:
            self.uncount()
        elif command == "tag" and environment.rstrip("*") in _EQUATIONS:
            self.stream.take_star()
            if environment in _EQUATIONS:
                self.uncount()
            self.here = Label("Equation", self.stream.words())
        elif command == "item" and environment == "enumerate":
            self.count(f"item {len(self.open)}", "Item")

    def count(self, counter: str, name: str) -> None:
        self.stream.numbering.step(counter)
        self.here = Label(name, self.stream.number_of(counter))

    def uncount(self) -> None:
        """Takes back the number of the equation that was counted last."""
        values = self.stream.numbering.values
        values["equation"] = max(values.get("equation", 0) - 1, 0)

    def section(self, level: str) -> None:
        if self.stream.take_star():
            return
        self.stream.option()
        title = self.stream.argument()
        self.count(level, level.capitalize() if level == "chapter" else "Section")
        self.here = self.here._replace(title=source_text(title))
        self.stream.push(title)

    def begin(self, environment: str) -> None:
        self.open.append(environment)
        theorem = self.stream.definitions.theorems.get(environment)
        if environment in _EQUATIONS:
            self.count("equation", "Equation")
        elif theorem and theorem.counter:
            self.count(theorem.counter, theorem.title)
        elif environment == "enumerate":
            self.stream.numbering.set(f"item {len(self.open)}", 0)

    def caption(self) -> None:
        kind = next((text.rstrip("*") for text in reversed(self.open) if text.rstrip("*") in _FLOATS), None)
        if kind is not None:
            name = "Figure" if kind.endswith("figure") else "Table"
            self.count(name.lower(), name)


MOST_BYTES: Final = 4_000_000
"""Of one source. A thesis has about one million."""

_SUFFIXES: Final = REPORT_FORMATS["latex"]

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

    def embedded_source(self, file: "WrittenFile") -> "Source":
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
        names = [name] if PurePosixPath(name).suffix in (*_SUFFIXES, ".sty", ".cls") else [f"{name}.tex", name]
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
    """The source of a LaTeX file, with problems of its text."""
    text, problems = text_of(file.location, MOST_BYTES)
    text = "\n".join(lines_of(text))
    found = islice(_BEGINNING.finditer(text), _MOST_BEGINNINGS)
    beginning = next((match for match in found if not _in_comment(text, match.start())), None)
    code = frozenset(match[1] or match[2] or f"{match[3]}code" for match in _OWN_CODE.finditer(text))
    start = beginning.end() if beginning else 0
    return Source(file.path, text, start, code, problems, tuple(_written_files(text)))


def main_files(files: Sequence[SubmittedFile]) -> tuple[SubmittedFile, ...]:
    """The LaTeX files that no other one includes, in their order: each is a document of its own, with all that it
    includes. Where files include each other in a circle, it is the one with a document class, else the first."""
    written = [file for file in files if PurePosixPath(file.path).suffix.lower() in _SUFFIXES]
    sources = Sources(files)
    texts = {file.path: source_of(file).text for file in written}
    included = {file.path: set(_included(file.path, texts[file.path], sources)) for file in written}
    named = ((path, _CLASS.search(_COMMENT.sub(r"\1", text))) for path, text in texts.items())
    classes = {path for path, match in named if match and match[1].strip() != "subfiles"}
    parts = {part for path, found in included.items() for part in found if part != path}
    parts_of_documents = {part for path in classes for part in included[path]}
    roots = [
        file
        for file in written
        if file.path not in parts or (file.path in classes and file.path not in parts_of_documents)
    ]
    return tuple(roots or [file for file in written if file.path in classes][:1] or written[:1])


def _included(path: str, text: str, sources: Sources) -> Iterator[str]:
    for match in _INCLUDED.finditer(_COMMENT.sub(r"\1", text)):
        found = sources.find(match["name"], path, path, match["folder"] or "")
        if found:
            yield found.path


def _written_files(text: str) -> Iterator[WrittenFile]:
    for match in islice(_WRITTEN.finditer(text), _MOST_WRITTEN):
        end = text.find(f"\\end{{filecontents{match['star']}}}", match.end())
        if end >= 0 and not _in_comment(text, match.start()):
            yield WrittenFile(match["name"].strip(), match.end(), end)


def _in_comment(text: str, position: int) -> bool:
    start = text.rfind("\n", 0, position) + 1
    return bool(_COMMENT.search(text, start, position))


MOST_FILES: Final = 200
"""Most inclusions of files."""

_MOST_QUOTED: Final = 20
_COMMAND_NAME: Final = re.compile(r"\\[a-zA-Z]+")
_LARGEST_PACKAGE: Final = 300_000
"""In bytes, a package of the hand-in whose definitions are read."""

_FIRST_LINE: Final = re.compile(r"first_?line\s*=\s*(\d{1,6})")
_LAST_LINE: Final = re.compile(r"last_?line\s*=\s*(\d{1,6})")


def read_latex(file: SubmittedFile, others: Sequence[SubmittedFile] = ()) -> Document:
    """A main file's text with that of the files it includes, in reading order: a block for each source line, item, row
    and equation, each with its line and, where it is not the main one, its file. `others` are the hand-in's files,
    among which included ones are looked for. A part that is missing or damaged is a problem."""
    source = source_of(file)
    included = _Included(file, others, source)
    in_body = not source.is_whole
    ahead = VisibleTokens(_from_start(source), _Included(file, others, source), in_body=in_body)
    labels = labels_of(ahead)
    stream = VisibleTokens(_from_start(source), included, labels, in_body=in_body, known_pages=ahead.pages.found)
    blocks, covered = walk(stream, file.path, in_body=in_body)
    hidden, doubtful = _unseen(stream, blocks, covered)
    problems = [*source.problems, *included.problems, *(doubtful_text(text) for text in doubtful[:_MOST_QUOTED])]
    if hidden:
        problems.append(HIDDEN_TEXT)
    if stream.is_exhausted:
        problems.append(TOO_LONG)
    if stream.is_runaway:
        problems.append(
            say("the document's own commands expand to too much text, so some are left out: write the text in full")
        )
    return Document(
        file=file.path,
        exact=True,
        blocks=tuple(with_parsed_formulas(blocks)),
        hidden=tuple(
            Block(
                kind=BlockKind.LINE,
                text=candidate.text,
                line=candidate.place.line or None,
                file=candidate.place.file if candidate.place.file not in ("", file.path) else None,
            )
            for candidate in hidden[:MOST_HIDDEN]
        ),
        problems=tuple(dict.fromkeys(problems)),
    )


def _unseen(
    stream: VisibleTokens, blocks: Sequence[Block], covered: Sequence[tuple[str, Token]]
) -> tuple[list[HiddenText], list[str]]:
    """The texts that cannot be seen, and those of which it is not known. What only takes up the place of figures, or of
    a text that stands elsewhere, hides nothing."""
    hidden = [
        candidate for candidate in stream.hidden if candidate.seen is Visibility.HIDDEN and not _is_filler(candidate)
    ]
    spaced = [candidate for candidate in hidden if candidate.is_spacer]
    if spaced:
        shown = _squeezed("".join(block.text for block in blocks))
        hidden = [candidate for candidate in hidden if not (candidate.is_spacer and _squeezed(candidate.text) in shown)]
    doubtful = [candidate.text for candidate in stream.hidden if candidate.seen is Visibility.DOUBTFUL]
    return hidden, [*doubtful, *(text for text, _ in covered)]


def _is_filler(hidden_text: HiddenText) -> bool:
    """Whether a hidden text says nothing: a sign that keeps a place, a few digits or letters for alignment."""
    text = _COMMAND_NAME.sub("", hidden_text.text)
    signs = {character for character in text if character.isalnum()}
    digits, letters = (sum(test(character) for character in text) for test in (str.isdigit, str.isalpha))
    return len(signs) <= 1 or (hidden_text.is_spacer and digits <= 4 and letters <= 3)


def _squeezed(text: str) -> str:
    return "".join(character for character in text if character not in "{}$ ~&")


def _from_start(source: Source, start: int = 0) -> Iterator[Token]:
    return tokens(source.text, source.path, start, source.code)


class _Included:
    """Finds and opens included files, and keeps what went wrong."""

    def __init__(self, root: SubmittedFile, others: Sequence[SubmittedFile], source: Source) -> None:
        self.root = root.path
        self.source = source
        self.sources = Sources([root, *(file for file in others if file.path != root.path)])
        self.open_now = [root.path]
        self.count = 0
        self.problems: list[Words] = []

    def open(self, name: str, folder: str, place: Token) -> Iterator[Token] | None:
        """The tokens of the file that is included under a name; None where it is not read."""
        inner = self._written(name, f"{name}.tex")
        if inner:
            return self._read(inner.name, self.source.embedded_source(inner)) if self._may_open(inner.name) else None
        file = self._found(name, f"\\input{{{name[:100]}}}", place, folder)
        return self._read(file.path, source_of(file)) if file and self._may_open(file.path) else None

    def open_listing(self, name: str, options: str, place: Token) -> Iterator[Token] | None:
        """The lines of a file that is shown as it stands; None where it is not read."""
        inner = self._written(name)
        if inner:
            return _lines(self.source.embedded_source(inner), options, place) if self._may_open(inner.name) else None
        file = self._found(name, f"\\{place.text}{{{name[:100]}}}", place)
        if file is None or not self._may_open(file.path):
            return None
        source = source_of(file)
        self._keep_problems(source)
        return _lines(source, options, place._replace(file=source.path, line=1))

    def package(self, name: str) -> Iterator[Token] | None:
        """The tokens of a package or a class that was handed in; None for any other."""
        file = self.sources.find(name, self.root, self.root)
        if file is None or file.size > _LARGEST_PACKAGE or file.path in self.open_now or self.count >= MOST_FILES:
            return None
        self.count += 1
        return self._read(file.path, source_of(file))

    def _written(self, *names: str) -> WrittenFile | None:
        """The file that the main one writes itself, under one of some names."""
        wanted = {plain_name(name) for name in names}
        return next((file for file in self.source.written if plain_name(file.name) in wanted), None)

    def _found(self, name: str, command: str, place: Token, folder: str = "") -> SubmittedFile | None:
        file = self.sources.find(name, self.root, place.file, folder) if name else None
        if file is None and name and len(self.problems) < MOST_FILES:
            self.problems.append(say("{command}: the file was not handed in", command=command))
        return file

    def _may_open(self, path: str) -> bool:
        """Whether a file may be included once more."""
        if path in self.open_now:
            self.problems.append(say("{file} includes itself; it is read once", file=path))
        elif self.count >= MOST_FILES:
            self.problems.append(TOO_LONG)
        else:
            self.count += 1
            return True
        return False

    def _keep_problems(self, source: Source) -> None:
        self.problems += [label_text(source.path, problem) for problem in source.problems]

    def _read(self, path: str, source: Source) -> Iterator[Token]:
        self._keep_problems(source)
        self.open_now.append(path)
        try:
            yield from _from_start(source, source.start)
        finally:
            self.open_now.remove(path)


def _lines(source: Source, options: str, place: Token) -> Iterator[Token]:
    """A source as it stands, or the lines of it that the options of its command ask for."""
    first, last = (int(match[1]) if (match := sign.search(options)) else None for sign in (_FIRST_LINE, _LAST_LINE))
    lines = source.text[source.start :].split("\n")[max((first or 1) - 1, 0) : last]
    begins = source.text.count("\n", 0, source.start) + max(first or 1, 1)
    return listing("\n".join(lines), options, place, begins)
