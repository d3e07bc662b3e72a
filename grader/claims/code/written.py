"""Shell scripts that a cell writes to a file, and the cells that run them."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.claims.code.model import Command

_WRITES: Final = re.compile(r"\s{0,20}%%\s?(?:writefile|file)[ \t]+(?:-a[ \t]+)?(\S{1,200}\.(?:sh|bash))[ \t]*(?:\n|$)")
_MOST_SCRIPTS: Final = 20
_LOOKING: Final = frozenset({"cat", "chmod", "ls", "head", "tail", "echo", "rm", "cp", "mv", "wc", "less", "dos2unix"})


def with_scripts(sources: Sequence[str], commands: Sequence[list[Command]]) -> list[list[Command]]:
    """The commands of each cell; those of a script also where it is run, in a cell below the one that writes it."""
    found = [[*own] for own in commands]
    for home, name in list(_scripts(sources))[:_MOST_SCRIPTS]:
        for later in range(home + 1, len(sources)):
            if any(_names(command, name) for command in commands[later]):
                found[later] += commands[home]
    return found


def _scripts(sources: Sequence[str]) -> Iterator[tuple[int, str]]:
    for home, source in enumerate(sources):
        match = _WRITES.match(source)
        if match:
            yield home, match[1].rpartition("/")[2]


def _names(command: Command, script: str) -> bool:
    return any(word.rpartition("/")[2] == script for word in command.words[:3]) and command.words[0] not in _LOOKING
