"""The characters for which a text in LaTeX has commands."""

import unicodedata
from typing import Final

ACCENTS: Final = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
"""Accents and the combining characters for them."""

SYMBOLS: Final = {
    "oe": "œ", "OE": "Œ", "ae": "æ", "AE": "Æ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "ss": "ß", "l": "ł",
    "L": "Ł", "i": "ı", "j": "ȷ", "S": "§", "P": "¶", "dots": "…", "ldots": "…", "textellipsis": "…",
    "copyright": "©", "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textunderscore": "_",
    "textbar": "|", "textless": "<", "textgreater": ">", "textdegree": "°", "textmu": "µ", "textpm": "±",
    "texttimes": "×", "euro": "€", "texteuro": "€", "EUR": "€", "og": "«", "fg": "»", "guillemotleft": "«",
    "guillemotright": "»", "flqq": "«", "frqq": "»", "textquotedblleft": "“", "textquotedblright": "”",
    "textquoteleft": "‘", "textquoteright": "’", "textquotesingle": "'", "quotesinglbase": "‚", "textendash": "–",
    "textemdash": "—", "textbullet": "•", "bullet": "•", "textperiodcentered": "·", "checkmark": "✓", "cmark": "✓",
    "LaTeX": "LaTeX", "TeX": "TeX", "ier": "er", "iere": "re", "ieme": "e", "no": "n°", "degres": "°",
    "textdollar": "$", "pm": "±", "times": "×", "approx": "≈", "rightarrow": "→", "to": "→", "Rightarrow": "⇒",
    "cdot": "·", "sim": "≈", "slash": "/", "textstar": "*", "textasteriskcentered": "*", "lbrack": "[",
    "rbrack": "]", "textbraceleft": "{", "textbraceright": "}", "lbrace": "{", "rbrace": "}", "textpercent": "%",
    "percent": "%",
}  # fmt: skip
"""Commands that stand for a text, whatever follows."""

ESCAPED: Final = frozenset("%&_#$}{")
SPACES: Final = frozenset(
    {
        " ",
        "\n",
        ",",
        ":",
        ";",
        ">",
        "!",
        "quad",
        "qquad",
        "enspace",
        "thinspace",
        "space",
        "enskip",
        "nobreakspace",
        "tab",
    }
    | {"newline", "linebreak", "tabularnewline", "\\"}
)

_LIGATURES: Final = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), (",,", "„"), ("`", "‘"))
_DOTLESS: Final = {"ı": "i", "ȷ": "j"}


def with_ligatures(text: str) -> str:
    """Running text with the dashes and quotation marks that TeX makes of several signs."""
    for signs, character in _LIGATURES:
        if signs in text:
            text = text.replace(signs, character)
    return text


def accented(accent: str, letters: str) -> str:
    """The first letter with an accent over or under it, and the others."""
    if not letters:
        return ""
    letter = _DOTLESS.get(letters[0], letters[0])
    return unicodedata.normalize("NFC", letter + ACCENTS[accent]) + letters[1:]
