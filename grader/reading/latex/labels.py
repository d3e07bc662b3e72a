"""What a document's labels stand for, as LaTeX numbers it: sections, equations, tables, figures, theorems, items."""

from typing import Final

from grader.reading.latex.expansion import Expansion
from grader.reading.latex.numbering import LEVELS
from grader.reading.latex.references import Label
from grader.reading.latex.stream import written
from grader.reading.latex.tokens import Kind, Token
from grader.reading.latex.vocabulary import names

_EQUATIONS: Final = names("equation align gather multline eqnarray flalign alignat")
_OF_LINES: Final = names("align gather eqnarray flalign alignat")
_FLOATS: Final = {
    "figure": "Figure",
    "wrapfigure": "Figure",
    "table": "Table",
    "wraptable": "Table",
    "longtable": "Table",
}
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
            self.within(name)

    def within(self, command: str) -> None:
        """A command that counts in some environments only."""
        environment = self.open[-1]
        if command == "caption":
            self.caption()
        elif command == "\\" and environment in _OF_LINES:
            self.count("equation", "Equation")
        elif command in _UNNUMBERED and environment in _OF_LINES:
            self.uncount()
        elif command == "tag" and environment.rstrip("*") in _EQUATIONS:
            self.stream.starred()
            if environment in _EQUATIONS:
                self.uncount()
            self.here = Label("Equation", self.stream.words())
        elif command == "item" and environment == "enumerate":
            self.count(f"item {len(self.open)}", "Item")

    def count(self, counter: str, name: str) -> None:
        self.stream.numbering.step(counter)
        self.here = Label(name, self.stream.number_of(counter))

    def uncount(self) -> None:
        """The equation that was counted last has no number."""
        values = self.stream.numbering.values
        values["equation"] = max(values.get("equation", 0) - 1, 0)

    def section(self, level: str) -> None:
        if self.stream.starred():
            return
        self.stream.option()
        title = self.stream.argument()
        self.count(level, level.capitalize() if level == "chapter" else "Section")
        self.here = self.here._replace(title=written(title))
        self.stream.push(title)

    def begin(self, environment: str) -> None:
        self.open.append(environment)
        theorem = self.stream.definitions.theorems.get(environment)
        if environment in _EQUATIONS:
            self.count("equation", "Equation")
        elif theorem:
            self.count(theorem.counter, theorem.title)
        elif environment == "enumerate":
            self.stream.numbering.set(f"item {len(self.open)}", 0)

    def caption(self) -> None:
        kind = next((one.rstrip("*") for one in reversed(self.open) if one.rstrip("*") in _FLOATS), None)
        if kind is not None:
            self.count(_FLOATS[kind].lower(), _FLOATS[kind])
