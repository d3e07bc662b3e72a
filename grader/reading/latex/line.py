"""One line of running text while it is put together."""

from grader.reading.document import Block, BlockKind
from grader.reading.latex.tokens import Token
from grader.reading.maths.formula import Formula


class Line:
    """Collects text and formulas; spaces in a row are one. `begin` is the place of its first visible token."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.begin: Token | None = None
        self.is_bold = True
        self._formulas: list[tuple[int, int]] = []
        self._blank = True

    def __bool__(self) -> bool:
        return self.length > 0

    @property
    def text(self) -> str:
        """What was collected, without a space at its end."""
        return "".join(self.parts).rstrip()

    def add(self, text: str, place: Token, *, bold: bool = False) -> None:
        """A piece of text."""
        if self._blank:
            text = text.lstrip(" ")
        if not text:
            return
        if not text.isspace():
            self.begin = self.begin or place
            self.is_bold = self.is_bold and (bold or not text.strip(" :."))
        self.parts.append(text)
        self.length += len(text)
        self._blank = text.endswith(" ")

    def space(self) -> None:
        """A space, if none stands there and the line has begun."""
        if not self._blank:
            self.parts.append(" ")
            self.length += 1
            self._blank = True

    def formula(self, source: str, place: Token, *, bold: bool = False) -> None:
        """A formula within the text, put between dollar signs."""
        if source:
            start = self.length + 1
            self.add(f"${source}$", place, bold=bold)
            self._formulas.append((start, start + len(source)))

    def append(self, other: "Line") -> None:
        """All of another line."""
        if other.begin is None:
            return
        start = self.length
        self.add(other.text, other.begin, bold=other.is_bold)
        self._formulas += [(start + left, start + right) for left, right in other._formulas]

    def formulas(self) -> tuple[Formula, ...]:
        """The places of the formulas in the text."""
        return tuple(Formula(start=start, end=end) for start, end in self._formulas)

    def block(self, kind: BlockKind, root: str, level: int | None = None, cells: tuple[str, ...] = ()) -> Block:
        """The line as a block of a document whose main file is `root`. The line must have begun."""
        place = self.begin
        return Block(
            kind=kind,
            text=self.text,
            level=level,
            cells=cells,
            line=place.line if place else None,
            formulas=self.formulas(),
            file=place.file if place and place.file != root else None,
        )
