"""Was training run with the hyper-parameters that the lab fixes, as commands in the code and logs tell?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from grader.checks.check import Conclusion, check
from grader.checks.command_seeds import repeated_seeds
from grader.checks.experiment import report_of
from grader.checks.finding import Flag
from grader.checks.hyperparameter_values import Found, Wanted, mismatches, wanted_of
from grader.checks.run_hyperparameters import run_mismatches
from grader.checks.trainer_settings import TrainerSetting, trainer_settings
from grader.claims.answer import Answer
from grader.claims.code import Command
from grader.claims.code.model import OPEN
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence

_PRETRAINED: Final = "pretrained"
_RANDOM: Final = "random"
TRANSFORMERS: Final = "transformers"
_LONGEST: Final = 600


@check("hyperparameters")
def hyperparameters(
    answer: Answer, lab: Lab, *, programs: dict[str, tuple[str, ...]], weights: tuple[str, ...]
) -> Iterator[Conclusion]:
    """Training was run with the lab's hyper-parameters.

    `programs` are those that train in each experiment. Where experiments share one, the options in `weights`, which
    name the weights to begin from, tell the pretrained model's from the random one's.
    """
    commands = [one for cell in answer.code if cell.ran and not cell.gaps for one in cell.commands]
    found: list[Flag] = []
    for experiment in dict.fromkeys((*programs, *(one.id for one in lab.experiments))):
        wanted = wanted_of(lab, experiment)
        names = programs.get(experiment, ())
        own = [one for one in commands if one.runs(names) and _starts_so(one, wanted, experiment, programs, weights)]
        found += run_mismatches(report_of(experiment, answer, lab).runs, experiment, lab)
        in_python = trainer_settings(answer.code) if wanted.framework == TRANSFORMERS else ()
        found += [*_told(wanted, own, in_python), *repeated_seeds(own, wanted.title, lab.seeds)]
    yield from _together(found)


def _together(flags: Sequence[Flag]) -> Iterator[Flag]:
    """What commands and logs say alike is said once, with the places in both."""
    same: dict[tuple[str, str], list[Flag]] = {}
    for flag in flags:
        same.setdefault((flag.id, flag.message), []).append(flag)
    for alike in same.values():
        places = tuple(dict.fromkeys(place for flag in alike for place in flag.evidence))
        yield alike[0].model_copy(update={"evidence": places})


def _starts_so(
    command: Command, wanted: Wanted, experiment: str, programs: Mapping[str, Sequence[str]], weights: Sequence[str]
) -> bool:
    if not any(command.runs(names) for other, names in programs.items() if other != experiment):
        return True
    named = command.option(*weights)
    return wanted.start == (_PRETRAINED if named and named[0] else _RANDOM)


def _told(wanted: Wanted, commands: Sequence[Command], in_python: Iterable[TrainerSetting]) -> Iterator[Flag]:
    """A flag for each quantity that no command has right; a value that is not known for certain may be right."""
    found: dict[str, list[Found]] = {}
    unsure: set[str] = set()
    for command in commands:
        for name, value in command.options():
            if OPEN in value or "$" in value or "{" in value:
                unsure.add(name)
            else:
                found.setdefault(name, []).append(Found(value, command.evidence))
    for setting in in_python:
        found.setdefault(setting.name, []).append(setting.found)
    known = {name: values for name, values in found.items() if name not in unsure}
    for flag in mismatches(wanted, known):
        yield flag.model_copy(update={"evidence": tuple(_shown(flag, commands))})


def _shown(flag: Flag, commands: Sequence[Command]) -> Iterator[Evidence]:
    """The places of a flag. Where values came from variables, the quote is the command as it was filled in."""
    for place in flag.evidence:
        command = next((one for one in commands if one.evidence == place), None)
        text = " ".join(command.words) if command else place.quote
        yield place.model_copy(update={"quote": text[:_LONGEST]})
