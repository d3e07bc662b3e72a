"""The state of an unfinished run, from which it goes on after a kill to the same result."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reference.reruns.errors import RerunError
from reference.reruns.run_record import Logged, Plan

if TYPE_CHECKING:
    import torch

FILE = "state.pt"


@dataclass
class Tally:
    """Sums since the last log: of losses in nats, right answers, examples, tokens, gradient norms and updates."""

    loss: float = 0.0
    right: int = 0
    examples: int = 0
    tokens: int = 0
    norm: float = 0.0
    updates: int = 0
    seconds: float = 0.0

    def add(self, other: "Tally") -> None:
        """Count another tally in."""
        for name in vars(other):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Position:
    """How far a run is. It needs no state of random numbers: these are drawn anew from seed and update, as fairseq
    does before every update."""

    updates: int = 0
    seconds: float = 0.0
    sittings: int = 0
    inner: Tally = field(default_factory=Tally)
    epoch: Tally = field(default_factory=Tally)
    logged: list[Logged] = field(default_factory=list)


def save_state(
    folder: Path, plan: Plan, position: Position, model: "torch.nn.Module", optimiser: "torch.optim.Optimizer"
) -> None:
    """Write the state to a temporary name and rename it, so that a kill leaves the last whole one."""
    import torch

    content = {
        "plan": plan.sha256,
        "updates": position.updates,
        "seconds": position.seconds,
        "sittings": position.sittings,
        "inner": vars(position.inner),
        "epoch": vars(position.epoch),
        "logged": [entry.model_dump() for entry in position.logged],
        "model": model.state_dict(),
        "optimiser": optimiser.state_dict(),
    }
    temporary = folder / f"{FILE}.tmp"
    torch.save(content, temporary)
    temporary.replace(folder / FILE)


def load_state(
    folder: Path, plan: Plan, model: "torch.nn.Module", optimiser: "torch.optim.Optimizer"
) -> Position | None:
    """Put model and optimiser where they were; None when there is nothing to go on from.

    Raises RerunError when the state is of another plan.
    """
    import torch

    file = folder / FILE
    if not file.is_file():
        return None
    content = torch.load(file, map_location=plan.hardware.device, weights_only=True)
    if content["plan"] != plan.sha256:
        raise RerunError(
            f"{folder} holds an unfinished run with other settings or data. Choose another --out, or delete it."
        )
    model.load_state_dict(content["model"])
    optimiser.load_state_dict(content["optimiser"])
    return Position(
        updates=content["updates"],
        seconds=content["seconds"],
        sittings=content["sittings"],
        inner=Tally(**content["inner"]),
        epoch=Tally(**content["epoch"]),
        logged=[Logged.model_validate(entry) for entry in content["logged"]],
    )
