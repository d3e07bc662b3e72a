"""Takes out of rich text (RTF) what a reader of the page cannot see: pandoc, which converts it, keeps no colours and
sizes. Words of control are those of the RTF specification 1.9.1.
"""

import re
from typing import Final, NamedTuple

from grader.reading.visibility import BLACK, UNKNOWN, Colour, Ink, LeftOut, Visibility

_TOKEN: Final = re.compile(
    rb"[{}]|\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|\\'[0-9a-fA-F]{2}|\\[^a-zA-Z]|[^\\{}]+", re.DOTALL
)
_COLOUR: Final = re.compile(rb"\\(red|green|blue)([0-9]{1,3})|;")
_DESTINATIONS: Final = frozenset((
    b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"header", b"footer", b"headerl", b"headerr",
    b"headerf", b"footerl", b"footerr", b"footerf", b"listtable", b"listoverridetable", b"fldinst", b"generator",
    b"themedata", b"colorschememapping", b"latentstyles", b"datastore", b"xmlnstbl", b"rsidtbl", b"mmathPr",
))  # fmt: skip
"""Groups whose content is no text of the page."""
_ON_GROUNDS: Final = (b"clcbpat", b"cbpat", b"trcbpat", b"clcfpat", b"clshdng", b"shading", b"shp", b"background")
"""Words after which the ground of a paragraph, a cell or a box is not known."""
_PRIMARIES: Final = (b"red", b"green", b"blue")
_WITHOUT_NUMBER: Final = {b"fs": 24, b"charscalex": 100, b"deleted": 1}


class _State(NamedTuple):
    """What holds within a group: the numbers of the colours in the table of colours, 0 for the automatic one."""

    colour: int = 0
    ground: int = 0
    size: float = 12.0
    scale: float = 1.0
    deleted: bool = False
    skipped: bool = False


def without_unseen(rtf: bytes) -> tuple[bytes, LeftOut]:
    """Rich text without the text whose colour and size hide it, and that text. Light text is doubtful where the
    document has grounds of paragraphs or cells. Deletions that are tracked are left out without a trace, as in other
    formats; text that is marked as hidden is left to pandoc, which leaves it out."""
    colours = _colours(rtf)
    page = UNKNOWN if any(b"\\" + word in rtf for word in _ON_GROUNDS) else None
    kept: list[bytes] = []
    left_out: dict[Visibility, list[bytes]] = {Visibility.HIDDEN: [], Visibility.DOUBTFUL: []}
    state, outer = _State(), list[_State]()
    for token in _TOKEN.finditer(rtf):
        piece, word = token[0], token[1]
        if piece == b"{":
            outer.append(state)
        elif piece == b"}":
            state = outer.pop() if outer else state
        elif (word and word != b"u") or piece == b"\\*":
            state = _changed(state, word or b"*", token[2])
        elif state.deleted:
            continue
        elif not state.skipped and (seen := _visibility(state, colours, page)) is not Visibility.SHOWN:
            left_out[seen].append(piece)
            continue
        kept.append(piece)
    texts = [b"".join(pieces).decode("cp1252", "replace") for pieces in left_out.values()]
    unseen = LeftOut()
    unseen.add(None, *(text if any(map(str.isalnum, text)) else "" for text in texts))
    return b"".join(kept), unseen


def _changed(state: _State, word: bytes, number: bytes | None) -> _State:
    value = int(number) if number else _WITHOUT_NUMBER.get(word, 0)
    if word in _DESTINATIONS or word == b"*":
        return state._replace(skipped=True)
    match word:
        case b"cf":
            return state._replace(colour=value)
        case b"highlight" | b"chcbpat" | b"cb":
            return state._replace(ground=value)
        case b"fs":
            return state._replace(size=value / 2)
        case b"charscalex":
            return state._replace(scale=value / 100)
        case b"deleted":
            return state._replace(deleted=value != 0)
        case b"plain":
            return _State(skipped=state.skipped)
        case _:
            return state


def _visibility(state: _State, colours: tuple[Colour | None, ...], page: Colour | None) -> Visibility:
    colour, ground = (colours[one] if 0 <= one < len(colours) else None for one in (state.colour, state.ground))
    return Ink(colour, page if ground is None else ground, state.size * min(state.scale, 1.0)).visibility


def _colours(rtf: bytes) -> tuple[Colour | None, ...]:
    """The table of colours; None for the automatic one."""
    start = rtf.find(b"{\\colortbl")
    table = rtf[start : rtf.find(b"}", start)] if start >= 0 else b""
    found: list[Colour | None] = []
    parts: dict[bytes, int] = {}
    for match in _COLOUR.finditer(table):
        if match[1]:
            parts[match[1]] = min(int(match[2]), 255)
            continue
        red, green, blue = (parts.get(name, default) for name, default in zip(_PRIMARIES, BLACK, strict=True))
        found.append((red, green, blue) if parts else None)
        parts = {}
    return tuple(found)
