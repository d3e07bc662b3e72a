"""The training commands in the source of a notebook's cell, and which of the printed runs each belongs to."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.reading.logs.commands import command_pairs, is_training_command
from grader.reading.logs.pairs import Pair

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
