"""The hyper-parameters that Python code gives the Trainer of transformers."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.checks.hyperparameter_values import Found
from grader.claims.code import CodeCell

ARGUMENTS: Final = ("TrainingArguments", "Seq2SeqTrainingArguments")
ADAPTERS: Final = frozenset({"LoraConfig", "get_peft_model", "BitsAndBytesConfig", "prepare_model_for_kbit_training"})
"""Names of what a lab's later tasks train: from there on, a file's settings are for another model."""

_CLASSIFIER: Final = "SequenceClassification"
"""In the name of the model that the lab trains with the Trainer; others are trained with other settings."""

_FROM_COMMAND: Final = re.compile(r"[A-Za-z_].{0,80}\.([A-Za-z_]\w{0,60})")
_OPTION: Final = re.compile(r"['\"]--?([\w-]{1,60})['\"]")


class TrainerSetting(NamedTuple):
    """An argument by its name, and its value."""

    name: str
    found: Found


def trainer_settings(code: Sequence[CodeCell]) -> Iterator[TrainerSetting]:
    """The arguments of the Trainer that code gives and that are known, in order; those that come from the command line
    as the commands that run the script give them, else with the default that the script sets. Only where a classifier
    is trained."""
    for file in dict.fromkeys(cell.file for cell in code):
        own = list(_before_adapters([cell for cell in code if cell.file == file]))
        if not any(_CLASSIFIER in name for cell in own for name in cell.names):
            continue
        given = _command_line(own, file, code)
        for call in (call for cell in own for call in cell.calls if call.name in ARGUMENTS):
            if call.dead or call.own:
                continue
            for name, value in call.keywords.items():
                option = _FROM_COMMAND.fullmatch(value)
                for text in given.get(option[1], ()) if option else (value,):
                    yield TrainerSetting(name, Found(text, call.evidence))


def _before_adapters(cells: Sequence[CodeCell]) -> Iterator[CodeCell]:
    """The cells that may have run, up to the one where an adapter comes in."""
    for cell in cells:
        if cell.names & ADAPTERS:
            return
        if not cell.gaps and (cell.ran or not cell.is_notebook):
            yield cell


def _command_line(own: Sequence[CodeCell], file: str, code: Sequence[CodeCell]) -> dict[str, tuple[str, ...]]:
    """The values of a script's options, by their names with underscores."""
    defaults: dict[str, str] = {}
    for call in (
        call for cell in own for call in cell.calls if call.name == "add_argument" and "default" in call.keywords
    ):
        names = [match[1].replace("-", "_") for one in call.arguments if (match := _OPTION.fullmatch(one))]
        defaults |= dict.fromkeys(names[-1:], call.keywords["default"])
    script = file.rpartition("/")[2]
    commands = [one for cell in code if cell.ran for one in cell.commands if defaults and one.runs([script])]
    given = [dict(one.options()) for one in commands]
    return {
        name: tuple(dict.fromkeys(one.get(name, default) for one in given)) or (default,)
        for name, default in defaults.items()
    }
