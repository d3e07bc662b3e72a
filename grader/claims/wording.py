"""The words by which texts name experiments, splits, seeds and statistics."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from grader.lab.definition import Experiment, Lab, Split

MEAN = re.compile(r"\b(?:means?|averages?|averaged|avg|moyennes?)\b|[μµ]|x̄", re.IGNORECASE)
STD = re.compile(
    r"\b(?:standard[ -]deviations?|deviations?|std(?:\.? ?dev)?s?|stdev|s\.d\.|sd|[ée]carts?[- ]types?|sigma)\b|σ",
    re.IGNORECASE,
)
SEED = re.compile(
    r"(?<![^\W_])(?:seeds?|graines?|runs?)\s*(?:[#=:_(-]|n°|no\.?|number)?[\s#]{0,3}(\d{1,6})\b(?![.,]\d|\s?%)",
    re.IGNORECASE,
)
SEED_LIST = re.compile(
    r"\b(?:seeds|graines|runs)\s*((?:\d{1,6}(?:, ?|,? (?:and|et|&) ))+\d{1,6})\b(?![.,]\d|\s?%)", re.IGNORECASE
)
SEEDS = re.compile(r"\b(?:seeds|graines|runs)\b", re.IGNORECASE)
ACCURACY = re.compile(r"\b(?:acc(?:uracy|uracies)?|exactitude|précision)\b", re.IGNORECASE)
OTHER_MEASURE = re.compile(
    r"\b(?:loss(?:es)?|perte|perplexity|times?|temps|duration|seconds?|minutes?|learning rate|lr"
    r"|train(?:ing)? acc(?:uracy|uracies)?)\b|^\W*(?:train|training|entra[îi]nement)(?: set| \(%\))?\W*$",
    re.IGNORECASE,
)
PROGRESS = re.compile(r"\b(?:epochs?|[ée]poques?|steps?|updates?|it[ée]rations?|checkpoint_?\d)", re.IGNORECASE)
CHOSEN_BY = re.compile(
    r"\b(?:best|highest|meilleure?s?|max(?:imum|imal)?|selected|chosen|according)[^\w.;:]+(?:\w+[^\w.;:]+){0,3}$",
    re.IGNORECASE,
)

CHOICE = re.compile(
    r"\b(?:checkpoints?|epochs?|[ée]poques?|keep|kept|choose|chose|chosen|select\w*|pick\w*|choisi\w*|retenu\w*|according)\b",
    re.IGNORECASE,
)
"""Words of a sentence about which checkpoint is taken."""

_ATTACHED = re.compile(r"[\W_]{0,4}|\W*\b(?:for|with|on|in|by|from|as|pour|avec|sur|en)\b[^.;:\d]{0,40}", re.IGNORECASE)

_BRACKETS = re.compile(r"\([^()]*\)")
_NEW_FIGURE = re.compile(r"(?: accuracy)?\W{0,3}(?:of |is )?\d", re.IGNORECASE)
"""A word that a figure of its own follows, as in `79.6 (validation 83.0)`, belongs to that figure."""


@lru_cache
def words_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for any of some words, whole and in any case."""
    alternatives = "|".join(sorted((re.escape(word) for word in words), key=len, reverse=True))
    return re.compile(rf"(?<![^\W_])(?:{alternatives})(?![^\W_])", re.IGNORECASE)


def experiments_named(text: str, lab: Lab) -> tuple[str, ...]:
    """Ids of the experiments that a text names. One that is `like` another hides it: the other's words are its own."""
    named = [experiment for experiment in lab.experiments if words_pattern(experiment.words).search(text)]
    hidden = {other for experiment in named for other in experiment.like}
    return tuple(experiment.id for experiment in named if experiment.id not in hidden)


Named = Sequence[Experiment] | Sequence[Split]


def belonging(text: str, start: int, end: int, candidates: Named) -> str | None:
    """The id of the candidate that `text[start:end]`, a number, belongs to: one in the same brackets (`(val 81.5)`),
    one attached right behind it (`79.9 on test`), else the last one named before it, else the first one after it.
    What stands in other brackets belongs to other numbers."""
    opened = text.rfind("(", 0, start)
    inside = _words(text[opened:start], candidates) if opened > text.rfind(")", 0, start) else []
    if inside:
        return inside[-1][2]
    if is_attached(text[end:], candidates):
        return _words(text[end:], candidates)[0][2]
    before = _words(_BRACKETS.sub(_blank, text[:start]), candidates)
    after = _words(_BRACKETS.sub(_blank, text[end:]), candidates)
    return before[-1][2] if before else after[0][2] if after else None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def is_attached(behind: str, candidates: Named) -> bool:
    """Whether the text behind a number attaches a candidate to it: `79.9 on test`, `79.9 (test)`."""
    words = _words(behind, candidates)
    if not words:
        return False
    start, end, _ = words[0]
    return bool(_ATTACHED.fullmatch(behind, 0, start)) and not _NEW_FIGURE.match(behind, end)


def _words(text: str, candidates: Named) -> list[tuple[int, int, str]]:
    """Start, end and id for every word in a text that names a candidate, in order."""
    return sorted(
        (match.start(), match.end(), candidate.id)
        for candidate in candidates
        for match in words_pattern(candidate.words).finditer(text)
    )


def split_of_label(label: str, splits: Iterable[Split]) -> str | None:
    """The split that a table's label names. In `test accuracy at best validation` validation only chooses, and so it
    does in `we keep the checkpoint with the best validation accuracy`."""
    named = [
        (bool(CHOSEN_BY.search(label[: match.start()])), split.id)
        for split in splits
        for match in words_pattern(split.words).finditer(label)
    ]
    telling = {split for chooses, split in named if not chooses}
    if not telling and not CHOICE.search(label):
        telling = {split for _, split in named}
    return telling.pop() if len(telling) == 1 else None
