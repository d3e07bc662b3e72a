"""What a document's labels stand for, as LaTeX numbers it: sections, equations, tables, figures, theorems, items."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from grader.reading.latex.tokens import Kind, Token
from grader.reading.latex.vocabulary import names

REFERENCES: Final = {
    "ref": "{number}",
    "eqref": "({number})",
    **dict.fromkeys(("autoref", "cref", "Cref", "vref", "fullref"), "{name} {number}"),
}
"""Commands that show the number of a label, and how."""

_SECTIONS: Final = ("section", "subsection", "subsubsection")
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


class Label(NamedTuple):
    """What is numbered, such as `Table`, and its number."""

    name: str
    number: str


class _Scan:
    """Counts as LaTeX does; one use only."""

    def __init__(self) -> None:
        self.labels: dict[str, Label] = {}
        self.here = Label("", "")
        self.counters: dict[str, int] = {}
        self.theorems: dict[str, tuple[str, str]] = {}
        self.open: list[str] = []

    def run(self, tokens: list[Token]) -> None:
        for index, token in enumerate(tokens):
            if token.kind is not Kind.COMMAND:
                continue
            name = token.text
            if name in _SECTIONS and not _is_starred(tokens, index + 1):
                self.section(_SECTIONS.index(name))
            elif name == "newtheorem":
                self.theorem(tokens, index + 1)
            elif name == "label":
                self.labels.setdefault(_argument(tokens, index + 1), self.here)
            elif name in ("begin", "end"):
                self.environment(name, _argument(tokens, index + 1))
            elif self.open:
                self.within(name)

    def within(self, command: str) -> None:
        """A command that counts in some environments only."""
        environment = self.open[-1]
        if command == "caption":
            self.caption()
        elif command == "\\" and environment in _OF_LINES:
            self.count("equation", "Equation")
        elif command in _UNNUMBERED and environment in _OF_LINES:
            self.counters["equation"] = self.counters.get("equation", 1) - 1
        elif command == "item" and environment == "enumerate":
            self.count(f"item {len(self.open)}", "Item")

    def count(self, counter: str, name: str) -> None:
        self.counters[counter] = self.counters.get(counter, 0) + 1
        self.here = Label(name, str(self.counters[counter]))

    def section(self, depth: int) -> None:
        for deeper in _SECTIONS[depth + 1 :]:
            self.counters[deeper] = 0
        self.count(_SECTIONS[depth], "Section")
        self.here = Label("Section", ".".join(str(self.counters.get(one, 0)) for one in _SECTIONS[: depth + 1]))

    def theorem(self, tokens: list[Token], index: int) -> None:
        written = "".join(token.text for token in tokens[index : index + 12])
        parts = [part for part in written.replace("}", "{").replace("]", "[").split("{") if part]
        if len(parts) > 1:
            shared = parts[1].strip("[") if parts[1].startswith("[") else parts[0]
            title = parts[2] if parts[1].startswith("[") and len(parts) > 2 else parts[1]
            self.theorems[parts[0]] = (shared, title)

    def environment(self, command: str, environment: str) -> None:
        if command == "end":
            del self.open[-1:]
            return
        self.open.append(environment)
        if environment in _EQUATIONS:
            self.count("equation", "Equation")
        elif environment in self.theorems:
            self.count(*self.theorems[environment])
        elif environment == "enumerate":
            self.counters[f"item {len(self.open)}"] = 0

    def caption(self) -> None:
        kind = next((one for one in reversed(self.open) if one.rstrip("*") in _FLOATS), None)
        if kind is not None:
            self.count(_FLOATS[kind.rstrip("*")], _FLOATS[kind.rstrip("*")])


def labels_of(tokens: Iterable[Token]) -> dict[str, Label]:
    """The labels of a source with what they number; those that stand before anything is numbered are left out."""
    scan = _Scan()
    scan.run([token for token in tokens if token.kind not in (Kind.NEWLINE, Kind.PARAGRAPH)])
    return {name: label for name, label in scan.labels.items() if name and label.number}


def _is_starred(tokens: list[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].kind is Kind.TEXT and tokens[index].text.startswith("*")


def _argument(tokens: list[Token], index: int) -> str:
    """The text in braces from an index on."""
    found: list[str] = []
    for token in tokens[index : index + 40]:
        if token.kind is Kind.CLOSE:
            return "".join(found).strip()
        if token.kind is not Kind.OPEN:
            found.append(token.text)
    return ""
