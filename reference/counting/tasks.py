"""The tasks that a model can be built for, with the Auto class that builds it and what its head is called."""

import re
from typing import Final

from transformers import PreTrainedConfig
from transformers.models.auto import modeling_auto

from grader.frozen import Frozen
from reference.counting.errors import CountError


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
