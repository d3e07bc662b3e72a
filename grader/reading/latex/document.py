"""A LaTeX document with the files that it includes."""

from collections.abc import Iterator, Sequence
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.message import Words, say
from grader.reading.document import Document
from grader.reading.formulas import understood
from grader.reading.latex.expansion import Expansion
from grader.reading.latex.labels import labels_of
from grader.reading.latex.sources import Source, Sources, source_of
from grader.reading.latex.tokens import Token, tokens
from grader.reading.latex.walk import walk

MOST_FILES: Final = 200
"""How often files are included."""


def read_latex(file: SubmittedFile, others: Sequence[SubmittedFile] = ()) -> Document:
    """A main file's text with that of the files it includes, in reading order: a block for each source line, item, row
    and equation, each with its line and, where it is not the main one, its file. `others` are the hand-in's files,
    among which included ones are looked for. A part that is missing or damaged is a problem."""
    included = _Included(file, others)
    source = source_of(file)
    stream = Expansion(_from_start(source), included.open, labels_of(_from_start(source)))
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

    def __init__(self, root: SubmittedFile, others: Sequence[SubmittedFile]) -> None:
        self.root = root.path
        self.sources = Sources([root, *(file for file in others if file.path != root.path)])
        self.open_now = [root.path]
        self.count = 0
        self.problems: list[Words] = []

    def open(self, name: str, folder: str, place: Token) -> Iterator[Token] | None:
        """The tokens of the file that is included under a name; None where it is not read."""
        file = self.sources.find(name, self.root, place.file, folder) if name else None
        if file is None:
            if name and len(self.problems) < MOST_FILES:
                self.problems.append(say("{command}: the file was not handed in", command=f"\\input{{{name[:100]}}}"))
            return None
        if file.path in self.open_now:
            self.problems.append(say("{file} includes itself; it is read once", file=file.path))
            return None
        if self.count >= MOST_FILES:
            self.problems.append(
                say("more than {most_files} files are included; the others are not read", most_files=MOST_FILES)
            )
            return None
        self.count += 1
        return self._read(source_of(file))

    def _read(self, source: Source) -> Iterator[Token]:
        self.problems += [say("{file}: {problem}", file=source.path, problem=problem) for problem in source.problems]
        self.open_now.append(source.path)
        yield from _from_start(source, source.start)
        self.open_now.remove(source.path)
