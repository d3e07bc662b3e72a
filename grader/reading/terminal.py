"""Text that a program wrote to a terminal, as the terminal shows it at the end: what was written over is gone.

Progress bars write each state over the one before, by a carriage return, by backspaces, or by moving the cursor up.
Their earlier states are no lines of a log.
"""

import re
from typing import Final

_PIECES: Final = re.compile(
    r"(?P<text>[^\r\n\b\x1b]+)|(?P<end>\r?\n)|(?P<back>\r)|(?P<left>\x08+)"
    r"|\x1b\[(?P<number>[0-?]*)[ -/]*(?P<control>[@-~])|\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])?"
)
_OVERWRITING: Final = ("\r", "\b", "\x1b[A", "\x1b[1A")


def overwrites(text: str) -> bool:
    """Whether a text begins by writing over the line that the cursor stands in."""
    return text.startswith(_OVERWRITING) and not text.startswith("\r\n")


def as_shown(text: str) -> str:
    """The lines that a terminal shows after a text was written to it, without colours. A text that is written over
    another one replaces the rest of its line, too, as its author means it to."""
    if not any(sign in text for sign in "\r\b\x1b"):
        return text
    rows, row = [""], 0
    column: int | None = None  # where the next text is written; None behind the end of the row
    for piece in _PIECES.finditer(text):
        if piece["text"]:
            rows[row] = (rows[row] if column is None else rows[row][:column]) + piece["text"]
            column = None
        elif piece["end"]:
            row += 1
            column = 0 if row < len(rows) else None
            rows += [""] if column is None else []
        elif piece["back"]:
            column = 0
        elif piece["left"]:
            column = max(0, (len(rows[row]) if column is None else column) - len(piece["left"]))
        elif piece["control"] == "A":
            row, column = (
                max(0, row - int(piece["number"] or 1)) if piece["number"].isdigit() else max(0, row - 1),
                None,
            )
        elif piece["control"] == "K":
            rows[row] = "" if piece["number"] == "2" else rows[row][:column]
    return "\n".join(line.rstrip() if not line.strip() else line for line in rows)
