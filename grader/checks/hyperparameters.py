"""Was training run with the hyper-parameters that the lab fixes, as the commands in the code tell?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from grader.checks.check import Conclusion, check
from grader.checks.finding import Flag
from grader.checks.hyperparameter_values import Found, Wanted, mismatches, wanted_of
from grader.claims.answer import Answer
from grader.claims.code import Command
from grader.claims.code.model import OPEN
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence

_PRETRAINED: Final = "pretrained"
_RANDOM: Final = "random"
_LONGEST: Final = 600


@check("hyperparameters")
def hyperparameters(
    answer: Answer, lab: Lab, *, programs: dict[str, tuple[str, ...]], weights: tuple[str, ...]
) -> Iterator[Conclusion]:
    """The training commands that ran have the lab's hyper-parameters.

    `programs` are those that train in each experiment. Where experiments share one, the options in `weights`, which
    name the weights to begin from, tell the pretrained model's from the random one's.
    """
    commands = [one for cell in answer.code if cell.ran and not cell.gaps for one in cell.commands]
    for experiment, names in programs.items():
        wanted = wanted_of(lab, experiment)
        own = [one for one in commands if one.runs(names) and _starts_so(one, wanted, experiment, programs, weights)]
        yield from _told(wanted, own)


def _starts_so(
    command: Command, wanted: Wanted, experiment: str, programs: Mapping[str, Sequence[str]], weights: Sequence[str]
) -> bool:
    if not any(command.runs(names) for other, names in programs.items() if other != experiment):
        return True
    named = command.option(*weights)
    return wanted.start == (_PRETRAINED if named and named[0] else _RANDOM)


def _told(wanted: Wanted, commands: Sequence[Command]) -> Iterator[Flag]:
    """A flag for each quantity that no command has right; a value that is not known for certain may be right."""
    found: dict[str, list[Found]] = {}
    unsure: set[str] = set()
    for command in commands:
        for name, value in command.options():
            if OPEN in value or "$" in value or "{" in value:
                unsure.add(name)
            else:
                found.setdefault(name, []).append(Found(value, command.evidence))
    known = {name: values for name, values in found.items() if name not in unsure}
    for flag in mismatches(wanted, known):
        yield flag.model_copy(update={"evidence": tuple(_shown(flag, commands))})


def _shown(flag: Flag, commands: Sequence[Command]) -> Iterator[Evidence]:
    """The places of a flag. Where values came from variables, the quote is the command as it was filled in."""
    for place in flag.evidence:
        command = next((one for one in commands if one.evidence == place), None)
        text = " ".join(command.words) if command else place.quote
        yield place.model_copy(update={"quote": text[:_LONGEST]})
