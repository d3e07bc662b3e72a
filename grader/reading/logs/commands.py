"""The settings in a command line, as a shell, a notebook or a log shows it."""

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from grader.reading.logs.pairs import Pair
from grader.reading.logs.written import LONGEST_VALUE

MOST_CHARACTERS: Final = 20_000

_TRAINS: Final = re.compile(
    r"fairseq-(?:hydra-)?train\b|fairseq_cli[./]train\b|\btrain\.py\b|\brun_(?:glue|classification|text_classification)\w*\.py\b"
)
_OVERRIDE: Final = re.compile(r"[+~]{0,2}([A-Za-z_][\w.]{0,100})=(.*)", re.DOTALL)
_PLACEHOLDER: Final = re.compile(r"[{}$]|<[A-Za-z_ ]+>")


def is_training_command(text: str) -> bool:
    """Whether a text runs a training script with options."""
    found = _TRAINS.search(text, 0, MOST_CHARACTERS)
    return found is not None and ("--" in text or "=" in text[found.end() :])


def command_pairs(text: str) -> Iterator[Pair]:
    """The settings of a training command: `--max-update 1125` as `max_update`, a flag alone as `True`, hydra's
    `common.seed=1` as `seed`, fairseq's first argument as `data`. Values that a shell or a program was to fill in
    (`$SEED`, `{seed}`) are left out."""
    text = text[:MOST_CHARACTERS]
    found = _TRAINS.search(text)
    if not found:
        return
    words = _words(text[found.end() :])
    if "fairseq" in found.group() and words and not words[0].startswith("-") and "=" not in words[0]:
        yield Pair("data", words[0], words[0])
    for index, word in enumerate(words):
        pair = _option(word, words[index + 1 :]) if word.startswith("--") else _override(word)
        if pair and not _PLACEHOLDER.search(pair.value):
            yield pair


def _words(text: str) -> list[str]:
    """The words up to what ends a command. The lines of a command end in a backslash."""
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ").split("\n", 1)[0]
    try:
        words = shlex.split(joined)
    except ValueError:
        words = joined.split()
    return list(takewhile(lambda word: word not in ("&&", "||", "|", ";", "&", ">", "2>&1", ">>"), words))[:1000]


def _option(word: str, rest: list[str]) -> Pair:
    name, equals, value = word[2:].partition("=")
    if not equals:
        value = " ".join(takewhile(lambda other: not other.startswith("--"), rest[:8])) or "True"
    return Pair(name.replace("-", "_").rsplit(".", 1)[-1], value[:LONGEST_VALUE], f"{word} {value}"[:120])


def _override(word: str) -> Pair | None:
    match = _OVERRIDE.fullmatch(word)
    return Pair(match[1].rsplit(".", 1)[-1], match[2][:LONGEST_VALUE], word[:120]) if match else None
