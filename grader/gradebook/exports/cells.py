"""Numbers and text as cells: plain decimal numbers, and no text that a spreadsheet might take for a formula.

A cell that begins like a formula is prefixed by an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection).
"""

import unicodedata
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

FORMULA_STARTS: Final = tuple("=+-@＝＋－＠\t\r\n")
BREAKING: Final = ("Cc", "Zl", "Zp")
"""Unicode categories of control characters and of line and paragraph separators."""

CENT: Final = Decimal("0.01")


def number(points: Decimal) -> str:
    """A plain number: no exponent, no trailing zeros, no minus before zero."""
    return format(points.normalize(), "f") if points else "0"


def rounded(points: Decimal) -> str:
    """A number of at most two decimals, half a cent rounded up."""
    return number(points.quantize(CENT, ROUND_HALF_UP))


def cell(text: str) -> str:
    """Text that is one line and no formula; control characters become spaces and lone surrogates question marks."""
    harmless = one_line(text)
    return f"'{harmless}" if text.startswith(FORMULA_STARTS) or harmless.startswith(FORMULA_STARTS) else harmless


def one_line(text: str) -> str:
    """Text as one line of valid UTF-8."""
    if text.isascii() and text.isprintable():
        return text.strip()
    line = "".join(" " if unicodedata.category(char) in BREAKING else char for char in text).strip()
    return line.encode("utf-8", errors="replace").decode("utf-8")
