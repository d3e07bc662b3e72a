"""What of a Markdown source is no text: fenced code, and comments in HTML."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

FENCE: Final = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})")
"""A line that opens a block of code; its first group is the fence."""

_BEGIN: Final = "<!--"
_END: Final = "-->"


def fence_end(lines: Sequence[str], start: int, fence: str) -> int:
    """The index of the line that closes a block of code, or of the end of the text."""
    for index in range(start + 1, len(lines)):
        text = lines[index].strip()
        if text.startswith(fence) and not text.strip(fence[0]):
            return index
    return len(lines)


def without_comments(lines: Sequence[str]) -> list[str]:
    """The lines without comments. One that never ends is none, and code may hold what looks like one."""
    found = list(lines)
    ends = [index for index, line in enumerate(lines) if _END in line]
    index = 0
    while index < len(found):
        fence = FENCE.match(found[index])
        if fence:
            index = fence_end(found, index, fence[1])
        elif _BEGIN in found[index]:
            index = _blanked(found, index, ends)
        index += 1
    return found


def _blanked(lines: list[str], start: int, ends: Sequence[int]) -> int:
    """Leave out the comments that begin on a line; the index of the line on which the last of them ends."""
    kept: list[str] = []
    line, position = lines[start], 0
    while (begin := line.find(_BEGIN, position)) >= 0:
        end = line.find(_END, begin + len(_BEGIN))
        if end < 0:
            return _blanked_below(lines, start, "".join([*kept, line[position:begin]]), line[begin:], ends)
        kept.append(line[position:begin])
        position = end + len(_END)
    lines[start] = "".join([*kept, line[position:]])
    return start


def _blanked_below(lines: list[str], start: int, kept: str, comment: str, ends: Sequence[int]) -> int:
    """A comment that goes on below: what stands before it and behind its end stays."""
    position = bisect_left(ends, start + 1)
    if position == len(ends):
        lines[start] = kept + comment
        return start
    end = ends[position]
    lines[start : end + 1] = [kept, *[""] * (end - start - 1), lines[end].partition(_END)[2]]
    return end - 1 if _BEGIN in lines[end] else end
