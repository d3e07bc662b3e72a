"""Texts of the notebook format."""

import re
from typing import Any, Final

from grader.reading.bytes_in import lines_of, storable

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


def joined(value: Any) -> str:
    """A multi-line string: a string or a list of strings."""
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return storable(value).replace("\0", "") if isinstance(value, str) else ""


def printed(value: Any) -> str:
    """Text as a terminal would show it, less colours; a progress bar's carriage returns become line ends."""
    return "\n".join(lines_of(_ANSI.sub("", joined(value))))
