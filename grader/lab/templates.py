"""The hand-out's notebooks, known by the hashes of their lines, so that a lab can list them without holding them."""

import hashlib
from functools import cached_property
from typing import Annotated, Final

from pydantic import StringConstraints

from grader.frozen import Frozen

FILE: Final = "templates.toml"
LENGTH: Final = 12

Hash = Annotated[str, StringConstraints(pattern=rf"^[0-9a-f]{{{LENGTH}}}$")]


def line_hash(line: str) -> str:
    """A line as a lab lists it: the first 12 hexadecimal digits of the SHA-256 of its words, one space between them."""
    return hashlib.sha256(" ".join(line.split()).encode("utf-8", "replace")).hexdigest()[:LENGTH]


class TemplateCell(Frozen):
    """A code cell of the hand-out: its lines in order, those of them that are to be filled in, and what the hand-out
    kept of a run of it: the hash of its whole output and its execution count."""

    lines: tuple[Hash, ...]
    gaps: tuple[Hash, ...] = ()
    output: Hash | None = None
    count: int | None = None


class Template(Frozen):
    """A notebook of the hand-out: the lines of its text cells, and its code cells."""

    name: str
    prose: tuple[Hash, ...] = ()
    code: tuple[TemplateCell, ...] = ()

    @cached_property
    def lines(self) -> frozenset[str]:
        """All its lines."""
        return frozenset(self.prose).union(*(cell.lines for cell in self.code))


class Templates(Frozen):
    """The notebooks of a hand-out; none where a lab lists none."""

    notebooks: tuple[Template, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.notebooks)

    @cached_property
    def prose(self) -> frozenset[str]:
        """The lines of all text cells."""
        return frozenset(line for one in self.notebooks for line in one.prose)

    @cached_property
    def code(self) -> frozenset[str]:
        """The lines of all code cells."""
        return frozenset(line for one in self.notebooks for cell in one.code for line in cell.lines)

    @cached_property
    def cells(self) -> dict[str, tuple[TemplateCell, ...]]:
        """The code cells that hold a line, by that line."""
        found: dict[str, tuple[TemplateCell, ...]] = {}
        for cell in (cell for one in self.notebooks for cell in one.code):
            for line in dict.fromkeys(cell.lines):
                found[line] = (*found.get(line, ()), cell)
        return found


def as_toml(templates: Templates) -> str:
    """The templates as the file that a lab's folder holds."""
    parts = ["# The lines of the hand-out's notebooks by their hashes: what they hold is not the students' own."]
    for one in templates.notebooks:
        parts += ["", "[[notebooks]]", f"name = {_quoted(one.name)}", f"prose = {_listed(one.prose)}"]
        for cell in one.code:
            parts += ["", "[[notebooks.code]]", f"lines = {_listed(cell.lines)}"]
            parts += [f"gaps = {_listed(cell.gaps)}"] if cell.gaps else []
            parts += [f'output = "{cell.output}"'] if cell.output else []
            parts += [f"count = {cell.count}"] if cell.count is not None else []
    return "\n".join(parts) + "\n"


def _listed(hashes: tuple[str, ...]) -> str:
    rows = [" ".join(f'"{one}",' for one in hashes[at : at + 7]) for at in range(0, len(hashes), 7)]
    return "[\n" + "".join(f"  {row}\n" for row in rows) + "]" if rows else "[]"


def _quoted(text: str) -> str:
    kept = "".join(character for character in text if character.isprintable() and character not in '"\\')
    return f'"{kept}"'
