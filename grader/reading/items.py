"""How an item of a list begins."""

import re
from typing import Final

_BULLET: Final = re.compile(r"[•·∙‣◦▪■●○◆➢➤✓✔⁃*–—-](?=\s)")
_COUNTER: Final = re.compile(r"\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)](?=\s)")


def has_bullet(text: str) -> bool:
    """Whether a line begins with a bullet."""
    return bool(_BULLET.match(text))


def begins_item(text: str) -> bool:
    """Whether a line begins with a bullet or a counter such as `1.`, `a)` or `(iv)`, and goes on."""
    return has_bullet(text) or bool(_COUNTER.match(text))


def is_marker(text: str) -> bool:
    """Whether a text is nothing but a bullet or a counter, so that an item's words must follow elsewhere."""
    return " " not in text and begins_item(text + " ")
