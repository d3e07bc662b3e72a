"""Settings in a text: options of commands, keyword arguments, and entries of configurations, wherever they are quoted.

`--adam-betas "(0.9, 0.98)"`, `Adam(lr=1e-5, betas=(0.9, 0.98))`, `'adam_betas': '(0.9, 0.98)'` and `warmup_ratio: 0.06`
say how a program is to run. Their values are never results. What an entry is shows in its name: an option of a command
is always a setting; other names are settings by their own words, or because they stand in a list of settings.
"""

import re
from functools import lru_cache
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
_ALONE: Final = frozenset("alpha beta betas dropout eps epsilon gamma lr momentum temperature warmup β".split())
"""Names of settings that are one word. A word with a blank before it may be a part of another name: `error rate: 20`."""
_HEADS: Final = frozenset(
    "batch clip clipping fraction interval patience ratio size smoothing split threshold tolerance weight".split()
)
"""The last words of the names of settings, whatever stands before them: `val_loss_weight`."""
_PARAMETERS: Final = _ALONE | frozenset(
    "adam adamw annealing decay initializer layerdrop learning memory noise norm penalty prob probability proba quant "
    "quantization range scale".split()
)
_MEASURED: Final = re.compile(
    rf"{any_of('accuracy', 'mean', 'std', 'run', 'error')}|f1|precision|recall|loss|results?|values?", re.IGNORECASE
)
_FEWEST: Final = 3
"""So many entries of one line are a list of settings, where one of them certainly is one."""


@lru_cache(maxsize=4096)
def setting_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where in a text the values of settings stand."""
    if not ("=" in text or ":" in text or "-" in text):
        return ()
    spans = [
        match.span("values")
        for match in _OPTION.finditer(text)
        if match["dashes"] == "--" or _is_setting(match["name"])
    ]
    entries = list(_ENTRY.finditer(text))
    certain = [match for match in entries if _is_setting(match["name"])]
    if certain and len(entries) >= _FEWEST:
        certain = [match for match in entries if match in certain or not _is_measured(_words(match["name"]))]
    return tuple(sorted({*spans, *(match.span("values") for match in certain)}))


def is_in_setting(text: str, offset: int) -> bool:
    """Whether a place in a text lies in the value of a setting."""
    return any(start <= offset < end for start, end in setting_spans(text))


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _is_measured(words: list[str]) -> bool:
    """Whether a name says what was measured, on which data or in which run."""
    return any(word in SUBSETS or _MEASURED.fullmatch(word) for word in words)


@lru_cache(maxsize=4096)
def _is_setting(name: str) -> bool:
    """Whether the words of a name say that it is a setting: the last one does, or any in a name of nothing measured."""
    words = _words(name)
    if len(words) < 2:
        return words[:1] != [] and words[0] in _ALONE
    known = any(name.replace("-", "_") in one.settings for one in programs().frameworks)
    return known or words[-1] in _HEADS or (not _PARAMETERS.isdisjoint(words) and not _is_measured(words))
