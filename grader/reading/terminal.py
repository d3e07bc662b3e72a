"""Text that a program wrote to a terminal, as the terminal shows it at the end: what was written over is gone.

Progress bars write each state over the one before, by a carriage return, by backspaces, or by moving the cursor up.
Their earlier states are no lines of a log.
"""

import json
import re
from contextlib import suppress
from typing import Final

_PIECES: Final = re.compile(
    r"(?P<text>[^\r\n\b\x1b]+)|(?P<begin>\r?\n|\r)|(?P<left>\x08+)"
    r"|\x1b\[(?P<number>[0-?]*)[ -/]*(?P<control>[@-~])|\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])?"
)
_OVERWRITING: Final = ("\r", "\b", "\x1b[A", "\x1b[1A")


def overwrites(text: str) -> bool:
    """Whether a text begins by writing over the line that the cursor stands in."""
    return text.startswith(_OVERWRITING) and not text.startswith("\r\n")


def as_shown(text: str) -> str:
    """The lines that a terminal shows after a text was written to it, without colours. A text that is written over
    another one replaces the rest of its line, too, as its author means it to."""
    if not any(map(text.count, "\r\b\x1b")):
        return text
    rows, row = [""], 0
    column: int | None = None  # where the next text is written; None behind the end of the row
    for piece in _PIECES.finditer(text):
        if piece["text"]:
            rows[row] = rows[row][:column] + piece["text"]
            column = None
        elif piece["begin"]:
            row += piece["begin"].endswith("\n")
            rows += [""] * (row + 1 - len(rows))  # none where the row is there already
            column = 0
        elif piece["left"]:
            column = max(0, len(rows[row][:column]) - len(piece["left"]))
        elif piece["control"] == "A":
            row = max(0, row - (int(piece["number"]) if piece["number"].isdigit() else 1))
            column = None
        elif piece["control"] == "K":
            rows[row] = "" if piece["number"] == "2" else rows[row][:column]
    return "\n".join(line.rstrip() if not line.strip() else line for line in rows)


_STREAMED: Final = '[{"stream_name":'


def from_streams(text: str) -> str:
    """Return a program's print from a log that a host keeps as JSON with an object for each piece (Kaggle); any other
    text as it is. A log that is cut is read up to its last whole piece."""
    if not text.startswith(_STREAMED):
        return text
    pieces: list[str] = []
    for line in text.split("\n"):
        with suppress(ValueError, RecursionError):
            piece = json.loads(line.strip().lstrip("[,").rstrip("],") or "{}")
            pieces.append(str(piece.get("data", "")))
    return "".join(pieces)
