"""Find settings in a text: command-line options, keyword arguments, and entries of configurations.

Examples are `--adam-betas "(0.9, 0.98)"`, `Adam(lr=1e-5, betas=(0.9, 0.98))`, `'adam_betas': '(0.9, 0.98)'` and
`warmup_ratio: 0.06`. Their values are never results. A command-line option is always a setting. Other entries are
settings by their names, or because they stand in a list of settings.
"""

import re
import tomllib
from bisect import bisect_right
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Final

from grader.claims.results.measures import any_of
from grader.reading.log import SUBSETS, programs

_VALUE: Final = (
    r"(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\([^()\n]{0,300}\)|\[[^\[\]\n]{0,300}\]|[+-]?\.?\d[\w.+-]{0,40})"
)
_OPTION: Final = re.compile(
    rf"(?<![\w-])(?P<dashes>--?)(?P<name>[A-Za-z][\w.-]{{0,80}})(?:=|\s+)(?P<values>{_VALUE}(?:\s+{_VALUE}(?!\s?%)){{0,20}})"
)
_ENTRY: Final = re.compile(
    rf"(?<![\w.-])(?P<quote>['\"]?)(?P<name>[A-Za-z_β][\w.-]{{0,80}})(?P=quote)"
    rf"(?:\s{{0,2}}[:=]\s{{0,2}}|\s(?:(?:of|de)\s)?(?=\())(?P<values>{_VALUE})(?!\s?%)"
)
_WORD: Final = re.compile(r"[A-Z]?[a-zà-ÿβ]+|[A-Z]+")
_NAMES: Final[dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("settings.toml").read_text(encoding="utf-8")
)
_ALONE: Final = frozenset(_NAMES["alone"])
_LAST: Final = frozenset(_NAMES["last"])
_ANY: Final = _ALONE.union(_NAMES["any"])
_MEASURED: Final = re.compile(
    rf"{any_of('accuracy', 'mean', 'deviation', 'run', 'error')}|f1|precision|recall|loss|results?|values?",
    re.IGNORECASE,
)
_FEWEST: Final = 3
"""The fewest entries in a line that form a list of settings, one of which must certainly be a setting."""


@lru_cache(maxsize=4096)
def setting_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Return the places of the values of settings in a text."""
    if {"=", ":", "-"}.isdisjoint(text):
        return ()
    spans = [
        match.span("values")
        for match in _OPTION.finditer(text)
        if match["dashes"] == "--" or _is_setting(match["name"])
    ]
    entries = list(_ENTRY.finditer(text))
    certain = [match for match in entries if _is_setting(match["name"])]
    if certain and len(entries) >= _FEWEST:
        certain += [match for match in entries if not _is_measured(_words(match["name"]))]
    return tuple(sorted({*spans, *(match.span("values") for match in certain)}))


def is_in_setting(text: str, offset: int) -> bool:
    """Whether an offset lies in the value of a setting."""
    spans = setting_spans(text)
    at = bisect_right(spans, offset, key=itemgetter(0))
    return any(offset < end for _, end in spans[max(0, at - 2) : at])  # an option's value may hold an entry


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _is_measured(words: list[str]) -> bool:
    """Whether a name describes a measurement, a part of the data or a run."""
    return any(word in SUBSETS or _MEASURED.fullmatch(word) for word in words)


@lru_cache(maxsize=4096)
def _is_setting(name: str) -> bool:
    """Whether a name is that of a setting: its last word says so, or any word does and it names no measurement."""
    words = _words(name)
    if len(words) < 2:  # a word with a blank before it may be a part of another name: `error rate: 20`
        return bool(words) and words[0] in _ALONE
    is_known = any(name.replace("-", "_") in framework.settings for framework in programs().frameworks)
    return is_known or words[-1] in _LAST or (not _ANY.isdisjoint(words) and not _is_measured(words))
