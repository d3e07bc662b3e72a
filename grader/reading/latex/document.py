"""A LaTeX document with the files that it includes."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.message import Words, say
from grader.reading.document import Document
from grader.reading.formulas import understood
from grader.reading.latex.expansion import Expansion
from grader.reading.latex.labels import labels_of
from grader.reading.latex.sources import Source, Sources, WrittenFile, plain_name, source_of
from grader.reading.latex.tokens import Token, listing, tokens
from grader.reading.latex.walk import walk

MOST_FILES: Final = 200
"""How often files are included."""

_FIRST_LINE: Final = re.compile(r"first_?line\s*=\s*(\d{1,6})")
_LAST_LINE: Final = re.compile(r"last_?line\s*=\s*(\d{1,6})")


def read_latex(file: SubmittedFile, others: Sequence[SubmittedFile] = ()) -> Document:
    """A main file's text with that of the files it includes, in reading order: a block for each source line, item, row
    and equation, each with its line and, where it is not the main one, its file. `others` are the hand-in's files,
    among which included ones are looked for. A part that is missing or damaged is a problem."""
    source = source_of(file)
    included = _Included(file, others, source)
    labels = labels_of(Expansion(_from_start(source), _Included(file, others, source)))
    stream = Expansion(_from_start(source), included, labels)
    blocks = walk(stream, file.path, in_body=not source.is_whole)
    problems = [*source.problems, *included.problems]
    if stream.is_exhausted:
        problems.append(say("the document is too long; only its beginning is read"))
    if stream.is_runaway:
        problems.append(
            say("the document's own commands yield too much; some of them are left out: write the text in full")
        )
    return Document(
        file=file.path, exact=True, blocks=tuple(understood(blocks)), problems=tuple(dict.fromkeys(problems))
    )


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
            return self._read(inner.name, self.source.within(inner)) if self._may_open(inner.name) else None
        file = self._found(name, f"\\input{{{name[:100]}}}", place, folder)
        return self._read(file.path, source_of(file)) if file and self._may_open(file.path) else None

    def listed(self, name: str, options: str, place: Token) -> Iterator[Token] | None:
        """The lines of a file that is shown as it stands; None where it is not read."""
        inner = self._written(name)
        if inner:
            return _lines(self.source.within(inner), options, place) if self._may_open(inner.name) else None
        file = self._found(name, f"\\{place.text}{{{name[:100]}}}", place)
        if file is None or not self._may_open(file.path):
            return None
        source = source_of(file)
        self._keep_problems(source)
        return _lines(source, options, place._replace(file=source.path, line=1))

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
            self.problems.append(
                say("more than {most_files} files are included; the others are not read", most_files=MOST_FILES)
            )
        else:
            self.count += 1
            return True
        return False

    def _keep_problems(self, source: Source) -> None:
        self.problems += [say("{file}: {problem}", file=source.path, problem=problem) for problem in source.problems]

    def _read(self, path: str, source: Source) -> Iterator[Token]:
        self._keep_problems(source)
        self.open_now.append(path)
        yield from _from_start(source, source.start)
        self.open_now.remove(path)


def _lines(source: Source, options: str, place: Token) -> Iterator[Token]:
    """A source as it stands, or the lines of it that the options of its command ask for."""
    first, last = (int(match[1]) if (match := sign.search(options)) else None for sign in (_FIRST_LINE, _LAST_LINE))
    lines = source.text[source.start :].split("\n")[max((first or 1) - 1, 0) : last]
    begins = source.text.count("\n", 0, source.start) + max(first or 1, 1)
    return listing("\n".join(lines), options, place, begins)
