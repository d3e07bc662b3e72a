"""What a character code out of a PDF stands for, where its font does not say so in plain Unicode."""

import unicodedata
from typing import Final

LOST: Final = "\ufffd"
"""Stands for a character whose meaning the file does not give."""

_HYPHENS: Final = frozenset({0x02, 0xAD, 0x2010, 0x2011, 0xFFFE})
"""How pdfium reports a hyphen at the end of a line, the soft hyphen, and the typographic ones."""

_SYMBOLS: Final = {0xF0B7: "•", 0xF0A7: "•", 0xF0D8: "•", 0xF0FC: "•", 0xF076: "•", 0xF0B4: "×", 0xF0B1: "±"}
"""Symbol and Wingdings as word processors write them, in the private use area."""

COMBINING: Final = {
    "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "^": "\u0302", "¨": "\u0308", "˜": "\u0303", "~": "\u0303",
    "¸": "\u0327", "˚": "\u030a", "ˇ": "\u030c", "˘": "\u0306", "¯": "\u0304", "˙": "\u0307", "˝": "\u030b",
    **{chr(code): chr(code) for code in range(0x300, 0x329)},
}  # fmt: skip
"""Accents that fonts draw by themselves, and Unicode's combining ones: what they become on a letter."""

_SLOTS: Final = {
    slot: sign
    for sign, slots in {
        "(": (0x00, 0x10, 0x12, 0x20, 0x30),
        ")": (0x01, 0x11, 0x13, 0x21, 0x31),
        "[": (0x02, 0x14, 0x22, 0x32, 0x68),
        "]": (0x03, 0x15, 0x23, 0x33, 0x69),
        "{": (0x08, 0x1A, 0x28, 0x38, 0x6E),
        "}": (0x09, 0x1B, 0x29, 0x39, 0x6F),
        "|": (0x0C,),
        "/": (0x0E, 0x1E, 0x2E),
        "∑": (0x50, 0x58),
        "∏": (0x51, 0x59),
        "∫": (0x52, 0x5A),
        "√": (0x70, 0x71, 0x72, 0x73, 0x74),
    }.items()
    for slot in slots
}
"""TeX's large signs by their slot. Source: the OMX encoding (LaTeX's encguide)."""

_PIECES: Final = {0xF8EB: "(", 0xF8F6: ")", 0xF8EE: "[", 0xF8F9: "]", 0xF8F1: "{", 0xF8FC: "}"}
"""The upper ends of brackets that are built from pieces. Source: Adobe's corporate use area, F8E6 to F8FE."""


def sign(code: int) -> str:
    """The text of a character code. Superscript digits stay; ligatures and mathematical letters become plain ones."""
    if 0x20 <= code < 0x7F:
        return chr(code)
    if code in _HYPHENS:
        return "-"
    if code < 0x20 or code >= 0xFFFE or 0xD800 <= code < 0xE000:
        return LOST if code <= 0x10FFFF else ""
    if 0xFB00 <= code <= 0xFB06 or 0x1D400 <= code <= 0x1D7FF:
        return unicodedata.normalize("NFKC", chr(code))
    if 0xE000 <= code <= 0xF8FF:
        return _SYMBOLS.get(code) or (chr(code - 0xF000) if 0xF021 <= code <= 0xF07E else LOST)
    return chr(code)


def is_ligature(code: int) -> bool:
    """Whether a character code stands for several letters."""
    return 0xFB00 <= code <= 0xFB06


def large_sign(code: int, named: bool) -> str:
    """The text of a character of a font of large mathematical signs; empty for the further pieces of one sign.

    `named` is true where the font gives a Unicode value and false where `code` is a bare slot.
    """
    if not named:
        return _SLOTS.get(code, "")
    if 0xF8E5 <= code <= 0xF8FE:
        return _PIECES.get(code, "")
    return sign(code)
