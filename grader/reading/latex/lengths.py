"""Lengths as TeX writes them, in points, and the options of packages."""

import re
from typing import Final

from grader.reading.latex.stream import Stream
from grader.reading.latex.tokens import Kind

_POINTS: Final = {"pt": 1.0, "pc": 12.0, "in": 72.27, "bp": 1.00375, "cm": 28.453, "mm": 2.8453, "dd": 1.07,
                  "cc": 12.84, "sp": 1 / 65536, "em": 10.0, "ex": 4.3, "mu": 10 / 18, "px": 1.00375,
                  r"\textwidth": 345.0, r"\linewidth": 345.0, r"\columnwidth": 345.0, r"\hsize": 345.0,
                  r"\paperwidth": 597.5, r"\paperheight": 845.0, r"\textheight": 550.0, r"\vsize": 550.0,
                  r"\baselineskip": 12.0, r"\parindent": 15.0, r"\width": 100.0, r"\height": 7.0, r"\fboxsep": 3.0,
                  r"\tabcolsep": 6.0, r"\parskip": 0.0, r"\p@": 1.0, r"\z@": 0.0, r"\maxdimen": 16383.0}  # fmt: skip
"""Units, and usual values of the lengths that layouts are built from."""
_TERM: Final = re.compile(
    r"\s{0,9}(?P<sign>[+-]*)\s{0,9}(?P<number>\d{0,9}(?:[.,]\d{0,9})?)\s{0,9}\*?\s{0,9}(?:true\s?)?(?P<unit>[a-z]{2}|\\[a-zA-Z@]+|)"
)
_MOST_TERMS: Final = 10
_WORDS: Final = re.compile(r"\s{1,9}(?:plus|minus)\b.*", re.DOTALL)


def points(written: str, default: str = "") -> float | None:
    """A length such as `-2.5cm` or `0.5\\textwidth+1em` in points; None where it cannot be told. `default` is the unit
    of a bare number."""
    text = _WORDS.sub("", written.replace(r"\dimexpr", "").replace(r"\relax", "")).strip()
    total, place = 0.0, 0
    for _ in range(_MOST_TERMS):
        match = _TERM.match(text, place)
        if match is None or match.end() == place or (place and not match["sign"]):
            return None
        unit = _POINTS.get(match["unit"] or default)
        digits = match["number"].replace(",", ".")
        if unit is None or (not digits and not match["unit"].startswith("\\")) or digits == ".":
            return None
        sign = -1.0 if match["sign"].count("-") % 2 else 1.0
        total += sign * float(digits or 1) * unit
        place = match.end()
        if not text[place:].strip():
            return total
    return None


def length(stream: Stream) -> float | None:
    """The length that follows a command of plain TeX, with a sign of equality or not, which is passed."""
    stream.skip_blank()
    stream.passed("=")
    stream.skip_blank()
    token = stream.take()
    text = ""
    while token is not None and token.kind is Kind.TEXT and not set(token.text) - set("+-."):
        text += token.text
        token = stream.take()
    if token is None:
        return None
    if token.kind is Kind.COMMAND and token.text in ("wd", "ht", "dp"):  # of a box
        if not stream.digits():
            stream.take()
        return None
    if token.kind is Kind.COMMAND and f"\\{token.text}" in _POINTS:
        return points(f"{text}\\{token.text}")
    match = _TERM.match(f"{text}{token.text}") if token.kind is Kind.TEXT else None
    if match is None or not match["number"]:
        stream.push([token])
        return None
    rest = f"{text}{token.text}"[match.end() :]
    stream.push([token._replace(text=rest)] if rest else [])
    if not match["unit"]:  # `2 cm`, `2\baselineskip`
        stream.skip_blank()
        following = stream.take()
        unit = following.source if following is not None else ""
        if following is None or not (unit in _POINTS or unit[:2] in _POINTS):
            stream.put_back(following)
            return None
        if unit not in _POINTS:
            stream.push([following._replace(text=unit[2:])])
            unit = unit[:2]
        return points(f"{match.group().strip()}{unit}")
    return points(match.group())


def keys_of(written: str) -> dict[str, str]:
    """The options of a list such as `colback=black, title={a, b}`, without the braces around values."""
    found: dict[str, str] = {}
    depth, part = 0, ""
    for character in f"{written},":
        depth += (character in "{[") - (character in "}]")
        if character == "," and depth <= 0:
            key, _, value = part.partition("=")
            value = value.strip()
            found[" ".join(key.split())] = value[1:-1] if value[:1] == "{" and value[-1:] == "}" else value
            part = ""
        else:
            part += character
    return found
