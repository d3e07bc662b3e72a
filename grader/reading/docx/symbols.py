"""Characters that a document names by a place in a symbol font."""

from typing import Final

_SYMBOL: Final = {
    0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2A: "∗", 0x2D: "−", 0x40: "≅", 0x5C: "∴", 0xA2: "′", 0xA3: "≤", 0xA4: "⁄",
    0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB3: "≥", 0xB4: "×",
    0xB5: "∝", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xC4: "⊗", 0xC5: "⊕",
    0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xCF: "∉", 0xD1: "∇", 0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xD8: "¬",
    0xDB: "⇔", 0xDC: "⇐", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫",
}  # fmt: skip
_GREEK: Final = dict(zip(b"abcdefghiklmnopqrstuwxyz", "αβχδεφγηικλμνοπθρστυωξψζ", strict=True))
_WINGDINGS: Final = {0xE0: "→", 0xDF: "←", 0xF0: "→", 0xFC: "✓", 0xFB: "✗", 0xA7: "▪", 0xD8: "➢", 0x6C: "●", 0x6E: "■"}


def symbol(font: str, code: str) -> str:
    """The character at a place (in hexadecimal) of a symbol font; `\ufffd` where it is not known. The places follow
    Adobe's Symbol encoding and the Wingdings chart; Word adds F000 to them."""
    try:
        place = int(code[:6], 16)
    except ValueError:
        return "\ufffd"
    place -= 0xF000 if place >= 0xF000 else 0
    if font.lower().startswith("symbol"):
        return _SYMBOL.get(place) or _GREEK.get(place) or (chr(place) if 0x20 <= place < 0x7F else "\ufffd")
    if font.lower().startswith("wingdings"):
        return _WINGDINGS.get(place, "\ufffd")
    return chr(place) if 0x20 <= place < 0xD800 else "\ufffd"
