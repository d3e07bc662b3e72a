"""Names, numbers and subsets as logs write them."""

import re
from typing import Final

from grader.reading.log import Subset

LONGEST_VALUE: Final = 300
"""In characters. No setting that tells something about a run is longer."""

_NUMBER: Final = re.compile(
    r"[+-]?(?:\d[\d,]{0,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?|[+-]?(?:[nN][aA][nN]|[iI][nN][fF])"
)
_LONGEST_NUMBER: Final = 80
_SHORT: Final = 20
_SUBSETS: Final = {
    "train": Subset.TRAIN,
    "training": Subset.TRAIN,
    "valid": Subset.VALID,
    "validation": Subset.VALID,
    "val": Subset.VALID,
    "eval": Subset.VALID,
    "dev": Subset.VALID,
    "test": Subset.TEST,
    "predict": Subset.TEST,
}


def number(text: str) -> float | None:
    """The number that a text is: `81.5`, `1e-05`, `23,388,418`, `nan`; None when it is anything else."""
    if len(text) < _SHORT and text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    bare = text.strip().strip("'\"")
    if len(bare) >= _LONGEST_NUMBER or not _NUMBER.fullmatch(bare):
        return None
    return float(bare.replace(",", "") if "," in bare else bare)


def whole(text: str | None) -> int | None:
    """The whole number that a text is, also written as `1125.0`; None when it is anything else."""
    value = number(text) if text is not None else None
    return int(value) if value is not None and abs(value) < 1e12 and value == int(value) else None


def subset_named(name: str) -> Subset | None:
    """The part of the data with a name such as `valid`, `valid1` or `dev`; None for names that do not tell."""
    return _SUBSETS.get(name.lower().rstrip("0123456789"))


def plain(value: str) -> str:
    """A value without its quotation marks, and the one item of a list without its brackets."""
    text = value.strip()
    if len(text) > 1 and text[0] == "[" and text[-1] == "]" and "," not in text:
        text = text[1:-1].strip()
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        text = text[1:-1]
    return text[:LONGEST_VALUE]
