"""Numbers and units as the package siunitx writes them."""

import re
from typing import Final

from grader.reading.latex.stream import Stream, written

NUMBERS: Final = {"num": 1, "tablenum": 1, "numlist": 1, "numproduct": 1, "numrange": 2, "ang": 1}
QUANTITIES: Final = {"SI": 1, "qty": 1, "SIlist": 1, "qtylist": 1, "SIrange": 2, "qtyrange": 2, "qtyproduct": 1}
UNITS: Final = frozenset({"si", "unit"})

_POWER: Final = re.compile(r"[eEdD]\s*([+-]?)\s*(\d+)")
_SPACED_DIGITS: Final = re.compile(r"(?<=\d)[ ~]+(?=\d)|\\[,;: ]|~")
_SIGNS: Final = {r"\percent": "%", r"\%": "%", r"\degree": "°", r"\celsius": "°C", r"\per": "/", r"\giga": "G",
                 r"\mega": "M", r"\kilo": "k", r"\milli": "m", r"\micro": "µ", r"\nano": "n", r"\byte": "B",
                 r"\second": "s", r"\minute": "min", r"\hour": "h", r"\meter": "m", r"\metre": "m", r"\gram": "g",
                 r"\hertz": "Hz", r"\watt": "W", r"\bit": "bit", r"\pm": "±", r"\times": "×"}  # fmt: skip
_COMMAND: Final = re.compile(r"\\[a-zA-Z]+|\\%")


def is_quantity(command: str) -> bool:
    """Whether a command writes a number, a unit or both."""
    return command in NUMBERS or command in QUANTITIES or command in UNITS


def quantity(command: str, stream: Stream) -> str:
    """What the command shows; its arguments follow in the stream."""
    stream.option()
    if command in UNITS:
        return unit(stream.words())
    count = NUMBERS.get(command) or QUANTITIES.get(command, 1)
    figures = "–".join(number(stream.words()) for _ in range(count))
    if command in NUMBERS:
        return f"{figures}°" if command == "ang" else figures
    shown = unit(written(stream.argument()))
    return f"{figures} {shown}".strip()


def number(source: str) -> str:
    """`22 807 552` without its spaces, `2.28e7` as 2.28 × 10^7, `80.1 +- 0.7` with ±, lists with their commas."""
    text = source.replace(r"\pm", "±").replace("+-", "±").replace(r"\times", "x")
    text = _SPACED_DIGITS.sub("", text)
    text = _POWER.sub(lambda match: f" × 10^{match[1].replace('+', '')}{match[2]}", text)
    text = re.sub(r"\s*±\s*", " ± ", text)
    text = re.sub(r"\s*x\s*", " × ", text)
    return re.sub(r"\s*;\s*", ", ", text).strip()


def unit(source: str) -> str:
    """`\\percent` as %; other units by their usual signs or their names."""
    shown = _COMMAND.sub(lambda match: _SIGNS.get(match.group(), match.group()[1:]), source)
    return " ".join(re.sub(r"[{}$~]", "", shown).split())
