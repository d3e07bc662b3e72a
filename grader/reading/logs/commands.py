"""The settings in a command line, as a shell, a notebook or a log shows it, and which of the printed runs a
notebook's training commands belong to.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from grader.reading.log import programs
from grader.reading.logs.written import LONGEST_VALUE, Pair

MOST_CHARACTERS: Final = 20_000

_TRAINS: Final = re.compile("|".join(command for one in programs().frameworks for command in one.commands))
_WITH_DATA: Final = re.compile(
    "|".join(command for one in programs().frameworks if one.data_first for command in one.commands)
)
_OVERRIDE: Final = re.compile(r"[+~]{0,2}([A-Za-z_][\w.]{0,100})=(.*)", re.DOTALL)
_PLACEHOLDER: Final = re.compile(r"[{}$]|<[A-Za-z_ ]+>")


def is_training_command(text: str) -> bool:
    """Whether a text runs a training script with options."""
    found = _TRAINS.search(text, 0, MOST_CHARACTERS)
    return found is not None and ("--" in text or "=" in text[found.end() :])


def command_pairs(text: str) -> Iterator[Pair]:
    """The settings of a training command: `--max-update 1125` as `max_update`, a flag alone as `True`, hydra's
    `common.seed=1` as `seed`, the first argument of some programs as `data`. Values that a shell or a
    program was to fill in (`$SEED`, `{seed}`) are left out."""
    text = text[:MOST_CHARACTERS]
    found = _TRAINS.search(text)
    if not found:
        return
    words = _words(text[found.end() :])
    if _WITH_DATA.fullmatch(found.group()) and words and not words[0].startswith("-") and "=" not in words[0]:
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


_MOST_IN_SOURCE: Final = 200_000

_LOOP: Final = re.compile(
    r"\s{0,40}for (\w{1,30}) in "
    r"(?:\[([^\[\]]{1,400})\]|\(([^()]{1,400})\)|range\((\d{1,6}(?:, ?\d{1,6})?)\)|([^;:]{1,400})(?:;|$))"
)
_MOST_TURNS: Final = 50


class SourceRuns(NamedTuple):
    """The settings of each training run that a source starts, in order."""

    commands: tuple[tuple[Pair, ...], ...] = ()

    def settings_for(self, runs: int) -> list[tuple[Pair, ...]]:
        """The settings for each of the printed runs: command by command where their numbers agree, else what all
        commands have in common."""
        if len(self.commands) == runs:
            return list(self.commands)
        shared = {(pair.name, pair.value) for pair in self.commands[0]} if self.commands else set()
        for command in self.commands[1:]:
            shared &= {(pair.name, pair.value) for pair in command}
        common = tuple(pair for pair in (self.commands or ((),))[0] if (pair.name, pair.value) in shared)
        return [common] * runs


def runs_in_source(lines: Sequence[str]) -> SourceRuns:
    """The training commands of a cell. One whose values come from a loop over a written list counts once a turn."""
    logical = list(_logical("\n".join(lines)[:_MOST_IN_SOURCE]))
    loops = [turns for line in logical if (turns := _turns(line))]
    commands = [line for line in logical if is_training_command(line)]
    if len(loops) == 1:
        variable, values = loops[0]
        filled = [_filled(command, variable, value) for value in values for command in commands]
    else:
        filled = commands
    return SourceRuns(tuple(tuple(command_pairs(command)) for command in filled))


def _logical(text: str) -> Iterator[str]:
    """Lines with their continuations, without comments."""
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ")
    return (line for line in joined.split("\n") if not line.lstrip().startswith("#"))


def _turns(line: str) -> tuple[str, list[str]] | None:
    """The variable of a loop, and its values where they are written out."""
    found = _LOOP.match(line[:600])
    if not found:
        return None
    if found[4]:
        bounds = [int(part) for part in found[4].split(",")]
        values = [str(value) for value in range(*bounds)[:_MOST_TURNS]]
    elif found[5]:
        values = found[5].split()
    else:
        values = [part.strip().strip("'\"") for part in (found[2] or found[3]).split(",")]
    return (found[1], values[:_MOST_TURNS]) if values and all(re.fullmatch(r"[\w.-]+", one) for one in values) else None


def _filled(command: str, variable: str, value: str) -> str:
    for written in (f"{{{variable}}}", f"${{{variable}}}", f"${variable}"):
        command = command.replace(written, value)
    return command
