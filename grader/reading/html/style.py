"""What styles say that bears on the meaning: raised, lowered, bold, not shown."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from grader.reading.tree import Node

_RULE: Final = re.compile(r"(?:\A|(?<=\}))\s*\.([\w-]{1,80})\s?\{([^{}]{0,2000})\}")
_LONGEST_SHEET: Final = 500_000
_RAISED: Final = re.compile(r"vertical-align\s?:\s?(super|sub)\b")
_BOLD: Final = re.compile(r"font-weight\s?:\s?(?:bold|[6-9]00)")
_PLAIN: Final = re.compile(r"font-weight\s?:\s?(?:normal|[1-5]00)")
_NOT_SHOWN: Final = re.compile(r"(?:^|;)\s?(?:display\s?:\s?none|visibility\s?:\s?hidden)")
_SCRIPTS: Final = {"super": "^", "sub": "_"}


class Look(NamedTuple):
    """How an element is shown. `bold` is None where nothing is said."""

    script: str = ""
    bold: bool | None = None
    hidden: bool = False


Sheet = Mapping[str, Look]
"""The looks of classes."""


def sheet(styles: Iterable[Node]) -> Sheet:
    """The looks that `style` elements give to single classes. That a class is not shown is not believed: scripts and
    other rules may show it again."""
    found: dict[str, Look] = {}
    for style in styles:
        for name, body in _RULE.findall(style.text()[:_LONGEST_SHEET]):
            look = _look(body)._replace(hidden=False)
            if look != Look():
                found[name] = look
    return found


def look_of(node: Node, looks: Sheet) -> Look:
    """How an element is shown by its own style and those of its classes."""
    own = _look(node.attributes.get("style", ""))
    classes = [looks[name] for name in node.attributes.get("class", "").split() if name in looks] if looks else []
    return Look(
        script=own.script or next((look.script for look in classes if look.script), ""),
        bold=own.bold if own.bold is not None else next((look.bold for look in classes if look.bold is not None), None),
        hidden=own.hidden or "hidden" in node.attributes,
    )


def _look(body: str) -> Look:
    if not body:
        return Look()
    body = " ".join(body.lower().split())
    script = _RAISED.search(body)
    bold = True if _BOLD.search(body) else False if _PLAIN.search(body) else None
    return Look(_SCRIPTS[script[1]] if script else "", bold, bool(_NOT_SHOWN.search(body)))
