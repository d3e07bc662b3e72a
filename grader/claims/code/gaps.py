"""Places that a hand-out leaves for students to fill in, and that are still open.

A remark such as `# fill me` stays behind when a gap is filled, so it only counts where no code came to it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

MARK: Final = re.compile(
    r"\bfill(?:[ _-]?(?:me|in|this|here|up)\b|[ _-]?(?:the[ _-])?(?:gaps?|blanks?)\b)"
    r"|\b(?:your|put|write|insert|add)(?: your)? (?:code|answer|solution|prompt)s?(?: goes)?(?: here)?\b"
    r"|\bto[ _-]?do\b|\bcomplete (?:me|this|here|the)\b|<\s?(?:gap|fill|blank)\s?>"
    r"|\b(?:à|a) (?:compléter|completer|remplir)\b|\b(?:compléter|complétez|remplir|remplissez)\b",
    re.IGNORECASE,
)
_BLANK: Final = re.compile(r"(?<![\w'\"])_{3,}(?![\w'\"])|(?<=['\"])_{3,}(?=['\"])")
_OPEN_END: Final = re.compile(
    r"(?:=\s*,?|\breturn|\bpass|\.\.\.|=\s?None,?|=\s?(?:\"\"|''|\[\]|\{\}),?|--[\w-]+)\s*\\?$"
)
_OPENS: Final = re.compile(r"[(\[{:]\s*$")
_NO_VALUE: Final = re.compile(r"(?<![=!<>])=\s*(?:,|\)|$)")
_BARE_RETURN: Final = re.compile(r"\s*return\s*#")
_ELLIPSIS: Final = re.compile(r"(?:=|\breturn|[(,])\s*\.\.\.\s*(?:,|\)|$)|^\.\.\.\s*$")
_NOTHING: Final = re.compile(r"\s*(?:pass|\.\.\.|return|return None|raise NotImplementedError.*)?\s*$")
_MOST_LINES: Final = 5_000
_LONGEST: Final = 1_000


def gap_lines(source: str, *, whole: bool) -> Iterator[int]:
    """The numbers from 1 of the lines that hold a gap. `whole`: the source is complete Python, so that an assignment
    without a value does not occur in it."""
    lines = [line[:_LONGEST] for line in source.split("\n")[:_MOST_LINES]]
    for index, line in enumerate(lines):
        code, comment = _parted(line)
        if (
            _in_code(code, whole)
            or _BARE_RETURN.match(line)
            or (MARK.search(comment) and _stayed_open(code, lines, index))
        ):
            yield index + 1


def _in_code(code: str, whole: bool) -> bool:
    part = _assigned_part(code)
    if MARK.search(part) or _BLANK.search(part) or _ELLIPSIS.search(part):
        return True
    return not whole and bool(_NO_VALUE.search(code)) and "--" not in code


def _assigned_part(code: str) -> str:
    """What may hold a gap in code: values, texts and options, but no names of functions or texts that are printed."""
    return "" if re.match(r"\s*(?:def|class|import|from|print|#)\b", code) else code


def _parted(line: str) -> tuple[str, str]:
    """A line's code and its comment; a `#` within quotes begins none."""
    quote = ""
    for index, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "#":
            return line[:index], line[index:]
    return line, ""


def _stayed_open(code: str, lines: Sequence[str], index: int) -> bool:
    """Whether no code came to a remark: its line ends where a value should follow, or no code follows it."""
    if _OPENS.search(code):
        return not _follows(lines, index, _indent(code) + 1)
    if code.strip():
        return bool(_OPEN_END.search(code.rstrip()))
    return not _follows(lines, index, _indent(lines[index]))


def _follows(lines: Sequence[str], index: int, indent: int) -> bool:
    """Whether code stands below a line, at least as far in, before the block ends."""
    for line in lines[index + 1 : index + 30]:
        code, comment = _parted(line)
        if not code.strip():
            if MARK.search(comment):
                return False
            continue
        return _indent(code) >= indent and not _NOTHING.fullmatch(code)
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
