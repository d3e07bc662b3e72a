"""Formulas put into LaTeX from their parts."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_ESCAPED: Final = re.compile(r"([%#&_{}])")
_STYLED: Final = re.compile("[\U0001d400-\U0001d7ff\u2102-\u2149]")
"""Letters in mathematical italics, bold and the like stand for the letters themselves."""

_INVISIBLE: Final = {"\u2061": "", "\u2062": r"\cdot ", "\u2063": ",", "\u2064": "+", "\u200b": ""}
_ATOM: Final = re.compile(r"[\w.,]+|\\[a-zA-Z]+|.|\([^()]*\)|\[[^\[\]]*\]", re.DOTALL)
_COMMAND_END: Final = re.compile(r"\\[a-zA-Z]+\Z")
LARGE: Final = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int", "⋃": r"\bigcup", "⋂": r"\bigcap", "∐": r"\coprod"}
ACCENTS: Final = {
    "\u0302": "hat", "^": "hat", "ˆ": "hat", "\u0303": "tilde", "~": "tilde", "˜": "tilde", "\u0304": "bar",
    "\u0305": "bar", "¯": "bar", "‾": "bar", "_": "bar", "\u20d7": "vec", "→": "vec", "\u0307": "dot", "˙": "dot",
}  # fmt: skip


BRACES: Final = frozenset("⏞⏟︷︸")


def symbols(text: str) -> str:
    """The characters of a formula: plain letters for styled ones, and LaTeX's own signs escaped."""
    for sign, meaning in _INVISIBLE.items():
        text = text.replace(sign, f"\0{meaning}" if meaning else "")
    text = _STYLED.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    return _ESCAPED.sub(r"\\\1", text).replace("\0", "")


def words(text: str) -> str:
    """Words within a formula."""
    written = symbols(text)
    return rf"\text{{{written}}}" if " " in written.strip() else written


def row(parts: Iterable[str]) -> str:
    """Parts side by side; a command is kept apart from a letter that follows it."""
    found: list[str] = []
    for part in parts:
        if part:
            apart = found and part[0].isalpha() and _COMMAND_END.search(found[-1][-40:])
            found.append(f" {part}" if apart else part)
    return "".join(found)


def scripted(base: str, below: str = "", above: str = "") -> str:
    """A base with an index and an exponent."""
    base = base.strip()
    written = base if not base or _ATOM.fullmatch(base) else f"{{{base}}}"
    return (
        written
        + (f"_{{{below.strip()}}}" if below.strip() else "")
        + (f"^{{{above.strip()}}}" if above.strip() else "")
    )


def fraction(above: str, below: str, command: str = "frac") -> str:
    """One over the other."""
    return rf"\{command}{{{above.strip()}}}{{{below.strip()}}}"


def root(radicand: str, degree: str = "") -> str:
    """A square root, or the root of a degree."""
    return rf"\sqrt[{degree}]{{{radicand.strip()}}}" if degree.strip() else rf"\sqrt{{{radicand.strip()}}}"


def accented(base: str, sign: str) -> str:
    """A base with a sign over it; a sign that is no accent stays beside it as an exponent."""
    command = ACCENTS.get(sign.strip())
    return rf"\{command}{{{base.strip()}}}" if command else scripted(base, above=sign)


def under(base: str, below: str) -> str:
    """A base with a brace or an index below it; a label below a brace stays the brace's."""
    if below.strip() in BRACES:
        return rf"\underbrace{{{base.strip()}}}"
    return f"{base.strip()}_{{{below.strip()}}}" if base.startswith(r"\underbrace{") else scripted(base, below)


def over(base: str, above: str) -> str:
    """A base with a brace, an accent or an exponent above it; a label above a brace stays the brace's."""
    if above.strip() in BRACES:
        return rf"\overbrace{{{base.strip()}}}"
    return f"{base.strip()}^{{{above.strip()}}}" if base.startswith(r"\overbrace{") else accented(base, above)


def matrix(rows: Iterable[Iterable[str]]) -> str:
    """Rows of entries."""
    inner = r" \\ ".join(" & ".join(entry.strip() for entry in entries) for entries in rows)
    return rf"\begin{{matrix}} {inner} \end{{matrix}}"
