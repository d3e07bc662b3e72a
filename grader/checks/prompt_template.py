"""Which form a prompt has that code makes."""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from grader.claims.code import Function
from grader.claims.code.model import HOLE, OPEN

_LONGEST: Final = 4_000
_LONGEST_NAME: Final = 40


class Form(Enum):
    """How a prompt is put together."""

    RIGHT = "right"
    SWAPPED = "swapped"
    REPEATED = "repeated"
    ONE_LINE = "one-line"
    BREAKS = "breaks"
    ESCAPED = "escaped"
    ORDER = "order"
    MARKS = "marks"
    OTHER_NAMES = "other-names"
    NO_VALUES = "no-values"
    NO_VALUE = "no-value"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"


class Made(NamedTuple):
    """The prompt that a function makes, its form, and whether the markers of the format stand in its code at all."""

    form: Form
    text: str
    has_markers: bool


def made_by(function: Function, markers: Sequence[str], values: Sequence[Sequence[str]]) -> Made:
    """The prompt that a function returns, or else prints. Of several the longest counts, if the others are in the
    format as well, as where there is no response yet."""
    texts = [text for text in function.returns if text.strip()] or [text for text in function.prints if text.strip()]
    strings = "".join(function.strings)
    has_markers = all(marker.strip() in strings for marker in markers)
    forms = {text: form_of(text, markers, values) for text in texts}
    right = [text for text, form in forms.items() if form is Form.RIGHT]
    others = [form for form in forms.values() if form not in (Form.RIGHT, Form.NO_VALUES, Form.NO_VALUE)]
    if right and not others:
        return Made(Form.RIGHT, max(right, key=len), has_markers)
    if function.is_empty or (texts and all(_is_given(text, function) for text in texts)):
        return Made(Form.INCOMPLETE, strings, has_markers=False)
    if not texts or all(_is_hole(text) for text in texts):
        return Made(Form.UNKNOWN if strings.strip() else Form.INCOMPLETE, strings, has_markers)
    if right:
        return Made(Form.UNKNOWN, max(right, key=len), has_markers)
    text = max(texts, key=len)
    return Made(forms[text], text, has_markers)


def form_of(text: str, markers: Sequence[str], values: Sequence[Sequence[str]]) -> Form:
    """The form of a prompt. Spaces at the ends of lines do not matter, nor blank lines around the whole."""
    text = text.strip()[:_LONGEST]
    parts = _parts(text, markers)
    if parts is None:
        return _other_form(text, markers)
    if any(_has_other_breaks(part, is_last=index == len(parts) - 1) for index, part in enumerate(parts)):
        return Form.BREAKS
    belong = [_belongs(part, values, index) for index, part in enumerate(parts)]
    if False in belong:
        return Form.REPEATED if True in belong else Form.SWAPPED
    if not values or all(OPEN in part for part in parts):
        return Form.RIGHT
    return Form.NO_VALUE if any(OPEN in part for part in parts) else Form.NO_VALUES


def _parts(text: str, markers: Sequence[str]) -> list[str] | None:
    """What stands after each marker, where all stand in order, each once, and on lines of their own."""
    lines = [line.strip() for line in text.split("\n")]
    starts = []
    for marker in markers:
        opens = re.compile(r"\s*".join(re.escape(piece) for piece in re.split(r"(?=:)", marker.strip())))
        found = [index for index, line in enumerate(lines) if opens.match(line)]
        if len(found) != 1:
            return None
        starts.append((found[0], opens))
    order = [index for index, _ in starts]
    if order != sorted(set(order)) or order[0] != 0:
        return None
    ends = [*order[1:], len(lines)]
    joined = ["\n".join(lines[index:end]) for (index, _), end in zip(starts, ends, strict=True)]
    parts = [opens.sub("", text, count=1) for (_, opens), text in zip(starts, joined, strict=True)]
    return None if any(marker.strip() in part for part in parts for marker in markers) else parts


def _has_other_breaks(part: str, *, is_last: bool) -> bool:
    """Whether a marker stands alone on its line, or a blank line follows its part."""
    return bool(part.strip()) and (part.lstrip(" ").startswith("\n") or (part.endswith("\n") and not is_last))


def _belongs(part: str, values: Sequence[Sequence[str]], index: int) -> bool | None:
    """Whether a part holds what belongs there, by the names of its unknown values; None where they do not tell."""
    if len(values) <= index:
        return None
    names = " ".join(HOLE.findall(part)).lower()
    own = any(word in names for word in values[index])
    foreign = any(word in names for number, words in enumerate(values) if number != index for word in words)
    return own if own != foreign else None


def _other_form(text: str, markers: Sequence[str]) -> Form:
    positions = [text.find(marker.strip()) for marker in markers]
    if all(position >= 0 for position in positions):
        if positions != sorted(positions):
            return Form.ORDER
        between = text[positions[0] : positions[-1]]
        if "\n" in between:
            return Form.INCOMPLETE
        return Form.ESCAPED if re.search(r"[\\/]n\s*$", between) else Form.ONE_LINE
    if _has_names(text, markers):
        return Form.MARKS
    lines = [line for line in text.split("\n") if re.match(r"\s*[#<\[]*\s*\w[\w ]{0,20}\W{0,4}:", line)]
    if len(lines) >= len(markers) and OPEN in text:
        return Form.OTHER_NAMES
    return Form.UNKNOWN if _is_hole(text) else Form.INCOMPLETE


def _has_names(text: str, markers: Sequence[str]) -> bool:
    """Whether lines begin with the names of all roles, in order, but in other marks."""
    begins = [re.sub(r"\W.*", "", line.lstrip("<[(#*_ \t{|'\"")[:_LONGEST_NAME].lower()) for line in text.split("\n")]
    names = [re.sub(r"\W", "", marker).lower() for marker in markers]
    places = [begins.index(name) if name in begins else -1 for name in names]
    return -1 not in places and places == sorted(set(places))


def _is_given(text: str, function: Function) -> bool:
    """Whether a text is nothing but what the function was given."""
    return _is_hole(text) and all(source in function.parameters for source in HOLE.findall(text))


def _is_hole(text: str) -> bool:
    """Whether nothing of a text is known."""
    return not HOLE.sub("", text).strip() and OPEN in text
