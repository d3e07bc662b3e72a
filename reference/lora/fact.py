"""The steps from an experiment to a fact: a small function that measures, a sentence that it must bear out, and a
record of where it ran.

An experiment is a plain function without arguments. The first paragraph of its docstring is the sentence that a student
reads; what it returns are the measured figures; it compares them itself with what the sentence claims (`expect`).
"""

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

import torch
from pydantic import JsonValue, TypeAdapter

from grader.lab.truth import Fact, Provenance
from reference.lora.models import TINY

Figures = Mapping[str, object]
"""What was measured, by name: numbers, truths, words, and lists and dictionaries of them, as JSON has them."""

_JSON = TypeAdapter(dict[str, JsonValue])

LIBRARIES = ("peft", "torch", "transformers")
METHOD = "method"
"""What stands for a field's name in facts about LoRA as a whole."""


class MismatchError(Exception):
    """An experiment measured something else than its sentence claims."""


class RefutedError(Exception):
    """The installed libraries no longer bear out a fact; the text says which one, how, and what is known of it."""

    def __init__(self, experiment: "Experiment", reason: str) -> None:
        hint = f" Known: {experiment.drift}" if experiment.drift else ""
        super().__init__(f"{experiment.id}: {reason}{hint}")
        self.experiment = experiment
        self.reason = reason


@dataclass(frozen=True)
class Experiment:
    """A measurement on the real library. `id` is lora/<field>/<what is shown>; `drift` says how the outcome depends on
    the library's version, where it does."""

    id: str
    measure: Callable[[], Figures]
    drift: str | None = None

    @property
    def field(self) -> str:
        """The field of LoraConfig that the fact is about, or `METHOD`."""
        return self.id.split("/")[1]

    @property
    def sentence(self) -> str:
        """The sentence that the experiment shows, for students: the first paragraph of its docstring, on one line."""
        return " ".join(inspect.cleandoc(self.measure.__doc__ or "").split("\n\n")[0].split())


def expect(measured: Figures, claimed: Figures) -> Figures:
    """The measured figures, once they are those that the sentence claims. Raises MismatchError when they are not."""
    if measured != claimed:
        raise MismatchError(f"measured {json.dumps(measured)}, where {json.dumps(claimed)} is claimed.")
    return measured


def perform(experiment: Experiment, date: str) -> Fact:
    """Run an experiment on the CPU, apart from the process's random state. `date` is today's, as YYYY-MM-DD.

    Raises RefutedError when the figures are not those claimed, and when the library fails where the experiment needs
    it."""
    try:
        with torch.random.fork_rng(devices=[]):
            figures = _JSON.validate_python(dict(experiment.measure()))
    except MismatchError as mismatch:
        raise RefutedError(experiment, str(mismatch)) from mismatch
    except Exception as error:
        raise RefutedError(experiment, f"the library raised {type(error).__name__}: {error}.") from error
    return Fact(
        id=experiment.id,
        field=experiment.field,
        sentence=experiment.sentence,
        figures=figures,
        drift=experiment.drift,
        provenance=_provenance(experiment, date),
    )


def installed_versions(*libraries: str) -> dict[str, str]:
    """The installed versions of libraries, without the build that a local part names (2.13.0+cpu is 2.13.0)."""
    return {library: _installed(library) for library in libraries}


@cache  # it is looked up in files, and asked for by every experiment
def _installed(library: str) -> str:
    return version(library).split("+")[0]


def _provenance(experiment: Experiment, date: str) -> Provenance:
    inputs = inspect.getsource(experiment.measure) + json.dumps(TINY, sort_keys=True)
    return Provenance(
        how=f"{experiment.measure.__module__}.{experiment.measure.__qualname__}",
        versions=installed_versions(*LIBRARIES),
        date=date,
        inputs_sha256=hashlib.sha256(inputs.encode()).hexdigest(),
        device="cpu",
    )
