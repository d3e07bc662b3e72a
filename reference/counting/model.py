"""A model of any size, built on the meta device: shapes without weights, in no memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import huggingface_hub.constants
import torch
import transformers
from transformers import PreTrainedModel

from reference.counting.configs import Values, culprits, make_config, short
from reference.counting.errors import CountError
from reference.counting.tasks import TASKS, check_task, default_task


@dataclass(frozen=True)
class Built:
    """A model on the meta device, with the values that it was built from and the task that it was built for."""

    model: PreTrainedModel
    values: Values
    task: str

    @property
    def head(self) -> str:
        """What the parameters outside of the base model are called."""
        return TASKS[self.task].head


def build(values: Values, task: str | None = None) -> Built:
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
        return Built(model=construct(values), values=values, task=chosen)
    except Exception as error:
        reason = culprits(construct, values) or _without_default(config)
        raise CountError(
            f"No {config.model_type} model can be built from these values{reason}: "
            f"{type(error).__name__}: {short(error)}"
        ) from error


def _without_default(config: transformers.PreTrainedConfig) -> str:
    """The architecture's own keys that have no value, as a clause: a missing one may be why it cannot be built."""
    generic = vars(transformers.PreTrainedConfig())
    empty = [key for key, value in vars(config).items() if value is None and key not in generic]
    return f" (without a value are {', '.join(f'`{key}`' for key in empty)})" if empty else ""


@contextmanager
def _offline() -> Iterator[None]:
    """Whatever a configuration names, nothing is fetched: the hub's library refuses every request meanwhile."""
    constants = huggingface_hub.constants
    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before
