"""The counters of a document, as LaTeX steps, resets and shows them."""

from typing import Final

LEVELS: Final = ("chapter", "section", "subsection", "subsubsection")
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"
_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_LARGEST_ROMAN: Final = 5_000
MOST_COUNTERS: Final = 1_000

SHOWN: Final = ("arabic", "alph", "Alph", "roman", "Roman")
"""Commands that show a counter."""


class Numbering:
    """The counters of one document in the order of reading; one use only. A counter within another one starts anew
    with it and shows its number first, as `2.1`."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}
        self._within = {"subsection": "section", "subsubsection": "subsection"}
        self._in_appendix = False

    def put_within(self, counter: str, outer: str) -> None:
        """A counter is reset by another one from now on, as by `\\numberwithin`."""
        if len(self._within) < MOST_COUNTERS and counter not in self._chain(outer):
            self._within[counter] = outer

    def begin_appendix(self) -> None:
        """Chapters or sections are lettered from now on."""
        self._in_appendix = True
        self._reset(self._top)
        self.values[self._top] = 0

    def set(self, counter: str, value: int) -> None:
        """Give a counter a value; nothing starts anew by that."""
        if counter in self.values or len(self.values) < MOST_COUNTERS:
            self.values[counter] = value

    def step(self, counter: str) -> str:
        """Count one more; returns the number as it is shown."""
        if counter == "chapter" and "section" not in self._within:
            for inner in ("section", "equation", "figure", "table"):
                self.put_within(inner, "chapter")
        self.set(counter, self.values.get(counter, 0) + 1)
        self._reset(counter)
        return self.shown(counter)

    def shown(self, counter: str) -> str:
        """The number of a counter, behind those of the counters that it is within, as far as these have begun."""
        chain = self._chain(counter)
        begun = [one for one in chain if one == counter or self.values.get(one)]
        return ".".join(self._single(one) for one in reversed(begun))

    @property
    def _top(self) -> str:
        return "chapter" if "section" in self._within else "section"

    def _single(self, counter: str) -> str:
        lettered = self._in_appendix and counter == self._top
        return in_style("Alph" if lettered else "arabic", self.values.get(counter, 0))

    def _chain(self, counter: str) -> list[str]:
        """A counter and those that it is within, from the inside out."""
        found = [counter]
        while (outer := self._within.get(found[-1])) is not None and outer not in found:
            found.append(outer)
        return found

    def _reset(self, counter: str) -> None:
        for inner in self._within:
            if inner in self.values and counter in self._chain(inner)[1:]:
                self.values[inner] = 0


def in_style(style: str, value: int) -> str:
    """A number as `\\arabic`, `\\alph`, `\\Alph`, `\\roman` or `\\Roman` shows it; in digits where that cannot."""
    shown = ""
    if style.lower() == "alph" and 0 < value <= len(_ALPHABET):
        shown = _ALPHABET[value - 1]
    elif style.lower() == "roman" and 0 < value <= _LARGEST_ROMAN:
        rest = value
        for worth, letters in _ROMAN:
            shown += letters * (rest // worth)
            rest %= worth
    return (shown.upper() if style[0].isupper() else shown) or str(value)
