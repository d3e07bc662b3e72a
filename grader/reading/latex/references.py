"""What labels stand for, and what references to them show."""

from collections.abc import Mapping
from typing import Final, NamedTuple

REFERENCES: Final = {
    "ref": "{number}",
    "eqref": "({number})",
    **dict.fromkeys(("autoref", "cref", "Cref", "vref", "fullref"), "{name} {number}"),
    **dict.fromkeys(("nameref", "titleref"), "{title}"),
    "pageref": "",
}
"""Commands that show something of a label, and what. A page's number is known to TeX only."""

UNKNOWN: Final = "??"
"""What TeX prints for a reference that it cannot resolve."""


class Label(NamedTuple):
    """What is numbered, such as `Table`, its number, and the title of a section."""

    name: str
    number: str
    title: str = ""


def shown_of(command: str, names: str, labels: Mapping[str, Label]) -> str:
    """What a reference to labels, parted by commas, shows."""
    return ", ".join(_shown(command, labels.get(name.strip())) for name in names.split(","))


def _shown(command: str, label: Label | None) -> str:
    return (REFERENCES[command].format(**label._asdict()).strip() if label else "") or UNKNOWN
