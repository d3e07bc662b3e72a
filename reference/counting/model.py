"""A model of any size, built on the meta device for a task: shapes without weights, in no memory.

It comes from a configuration of transformers, or from a function of the lab's own reference code, which is run here and
never when grading.
"""

import importlib
import importlib.util
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import huggingface_hub.constants
import torch
import transformers
from torch import nn
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.models.auto import modeling_auto

from grader.frozen import Frozen
from grader.lab.files import reference_file
from reference.counting.configs import CountError, Values, culprits, make_config, short


class Task(Frozen):
    """A kind of model: `auto` is the name of transformers' Auto class, `head` what lies outside of the base model."""

    auto: str
    head: str


_LANGUAGE: Final = "language-model head"
_CLASSES: Final = "classification head"

_USUAL: Final[dict[str, Task]] = {
    "base": Task(auto="AutoModel", head="head"),
    "masked-lm": Task(auto="AutoModelForMaskedLM", head=_LANGUAGE),
    "causal-lm": Task(auto="AutoModelForCausalLM", head=_LANGUAGE),
    "seq2seq-lm": Task(auto="AutoModelForSeq2SeqLM", head=_LANGUAGE),
    "pretraining": Task(auto="AutoModelForPreTraining", head="pre-training head"),
    "seq-classification": Task(auto="AutoModelForSequenceClassification", head=_CLASSES),
    "token-classification": Task(auto="AutoModelForTokenClassification", head=_CLASSES),
    "question-answering": Task(auto="AutoModelForQuestionAnswering", head="question-answering head"),
    "multiple-choice": Task(auto="AutoModelForMultipleChoice", head=_CLASSES),
    "next-sentence": Task(auto="AutoModelForNextSentencePrediction", head=_CLASSES),
    "image-classification": Task(auto="AutoModelForImageClassification", head=_CLASSES),
    "audio-classification": Task(auto="AutoModelForAudioClassification", head=_CLASSES),
    "video-classification": Task(auto="AutoModelForVideoClassification", head=_CLASSES),
    "speech-seq2seq": Task(auto="AutoModelForSpeechSeq2Seq", head=_LANGUAGE),
    "ctc": Task(auto="AutoModelForCTC", head=_LANGUAGE),
    "image-text-to-text": Task(auto="AutoModelForImageTextToText", head=_LANGUAGE),
    "multimodal-lm": Task(auto="AutoModelForMultimodalLM", head=_LANGUAGE),
    "object-detection": Task(auto="AutoModelForObjectDetection", head="detection head"),
    "semantic-segmentation": Task(auto="AutoModelForSemanticSegmentation", head="segmentation head"),
    "depth-estimation": Task(auto="AutoModelForDepthEstimation", head="depth head"),
}


def _all_tasks() -> dict[str, Task]:
    """The usual tasks, then all others that the installed library has an Auto class for, called as it calls them."""
    usual = {task.auto for task in _USUAL.values()}
    others = [name for name in dir(modeling_auto) if name.startswith("AutoModelFor") and name not in usual]
    return _USUAL | {_kebab(name.removeprefix("AutoModelFor")): Task(auto=name, head="head") for name in others}


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


TASKS: Final[dict[str, Task]] = _all_tasks()


def tasks_of(config: PreTrainedConfig) -> dict[str, str]:
    """The tasks that the library can build this architecture for, each with the name of the class that is built."""
    classes = {name: _class_name(task, config) for name, task in TASKS.items()}
    return {name: class_name for name, class_name in classes.items() if class_name}


def default_task(config: PreTrainedConfig) -> str:
    """The task of the class that the configuration names in `architectures`, else the base model, else what there is.

    Raises CountError for an architecture that is only ever a part of another one.
    """
    possible = tasks_of(config)
    named = config.architectures if isinstance(config.architectures, (list, tuple)) else ()
    for task, class_name in possible.items():
        if class_name in named:
            return task
    if not possible:
        raise CountError(
            f"`model_type` {config.model_type!r} is no model of its own: transformers has no Auto class for it. "
            "Name the model that it is a part of."
        )
    return next(iter(possible))


def check_task(config: PreTrainedConfig, task: str) -> None:
    """Raise CountError for a task that is unknown, or unknown for this architecture."""
    if task not in TASKS:
        raise CountError(f"Task {task!r} is unknown; known are {', '.join(TASKS)}.")
    possible = tasks_of(config)
    if task not in possible:
        raise CountError(
            f"transformers has no {TASKS[task].auto} for {config.model_type!r}; it can be built for "
            f"{', '.join(possible) or 'no task'}."
        )


def _class_name(task: Task, config: PreTrainedConfig) -> str | None:
    mapping = getattr(modeling_auto, task.auto)._model_mapping
    if type(config) not in mapping:
        return None
    try:
        classes = mapping[type(config)]
    except ValueError:  # a few configurations name a class that the library does not have
        return None
    return str((classes[0] if isinstance(classes, tuple) else classes).__name__)


@dataclass(frozen=True)
class BuiltModel:
    """A model on the meta device, with the values that it was built from and the task that it was built for, which is
    empty for a model of the lab's own."""

    model: nn.Module
    values: Values
    task: str

    @property
    def head(self) -> str:
        """The name of the parameters outside of the base model."""
        return TASKS[self.task].head if self.task else ""

    @property
    def config(self) -> transformers.PreTrainedConfig | None:
        """The configuration, of a model of transformers."""
        return self.model.config if isinstance(self.model, PreTrainedModel) else None


def build(values: Values, task: str | None = None) -> BuiltModel:
    """Build the architecture of a configuration for a task, or for the one that the configuration asks for.

    Nothing is downloaded and no code of a model's repository is run. Raises CountError for values from which the
    library cannot build a model.
    """
    config = make_config(values)
    chosen = task or default_task(config)
    check_task(config, chosen)

    def construct(keys: Values) -> PreTrainedModel:
        with _offline(), torch.device("meta"):
            auto = getattr(transformers, TASKS[chosen].auto)
            return auto.from_config(make_config(keys), trust_remote_code=False)  # type: ignore[no-any-return]

    try:
        return BuiltModel(model=construct(values), values=values, task=chosen)
    except Exception as error:
        reason = culprits(construct, values) or _without_default(config)
        raise CountError(
            f"No {config.model_type} model can be built from these values{reason}: "
            f"{type(error).__name__}: {short(error)}"
        ) from error


def build_reference(name: str, folder: Path, arguments: Values) -> BuiltModel:
    """The torch module that a function of the lab's own code returns, given as `models.py:cnn` (a file in the lab's
    folder) or `my_lab.models:cnn` (such a file, or an installed package).

    Raises CountError where there is no such function, it fails, or it returns something else.
    """
    function = _function(name, folder)
    try:
        with _offline(), torch.device("meta"):
            model = function(**arguments)
    except Exception as error:
        raise CountError(f"{name} failed: {type(error).__name__}: {short(error)}") from error
    if not isinstance(model, nn.Module):
        raise CountError(f"{name} returned {type(model).__name__}, not a torch module.")
    return BuiltModel(model=model, values=arguments, task="")


def _function(name: str, folder: Path) -> Callable[..., object]:
    module_name, sign, function_name = name.partition(":")
    if not sign or not function_name.isidentifier():
        raise CountError(f"{name!r} names no function; write it as `models.py:cnn` or `my_lab.models:cnn`.")
    path = reference_file(name, folder)
    try:
        if path is None:
            module = importlib.import_module(module_name.removesuffix(".py"))
        else:
            spec = importlib.util.spec_from_file_location(f"lab_reference_{path.stem}", path)
            if spec is None or spec.loader is None:
                raise CountError(f"{path} is no Python module.")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise CountError(
            f"{module_name} cannot be imported ({type(error).__name__}: {short(error)}). It is a file in {folder}, or "
            "an installed package."
        ) from error
    found = getattr(module, function_name, None)
    if not callable(found):
        raise CountError(f"{module_name} has no function {function_name}.")
    return found  # type: ignore[no-any-return]


def _without_default(config: transformers.PreTrainedConfig) -> str:
    """The architecture's own keys that have no value, as a clause: a missing one may be why it cannot be built."""
    generic = vars(transformers.PreTrainedConfig())
    empty = [key for key, value in vars(config).items() if value is None and key not in generic]
    return f" (without a value are {', '.join(f'`{key}`' for key in empty)})" if empty else ""


@contextmanager
def _offline() -> Iterator[None]:
    """Refuse every request of the hub's library for the duration of the block: nothing is fetched, whatever a
    configuration names."""
    constants = huggingface_hub.constants
    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before
