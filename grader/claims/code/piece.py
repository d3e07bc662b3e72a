"""A source before it is followed."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from grader.reading.evidence import Evidence

LONGEST_QUOTE: Final = 300


@dataclass(frozen=True)
class Piece:
    """A source, where it stands, and what came of running it."""

    file: str
    cell: int | None
    line: int | None
    source: str
    output: str = ""
    ran: bool = False
    error: str | None = None
    order: int | None = None

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the source."""
        return self.source.split("\n")

    def evidence(self, line: int) -> Evidence:
        """A line by its number from 1."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        at = line if self.line is None else self.line + line - 1
        return Evidence(file=self.file, cell=self.cell, line=at, quote=text.strip()[:LONGEST_QUOTE])
