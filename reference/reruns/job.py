"""One run as an order: plain data that can be sent to another process or machine."""

from pathlib import Path

from pydantic import Field

from grader.frozen import Frozen
from reference.reruns.run_record import Hardware
from reference.reruns.spec import Spec


class Job(Frozen):
    """Perform an experiment with a seed. `parameters` are those of the lab, by name (LoRA's, for generation)."""

    spec: Spec
    seed: int
    data: Path
    out: Path
    checkpoint: Path | None = None
    schedule: int | None = None
    hardware: Hardware = Hardware()
    keep_weights: bool = False
    parameters: dict[str, str] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """What a progress bar calls it."""
        return f"{self.spec.id}, seed {self.seed}"
