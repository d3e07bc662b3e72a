"""From what was asked for on the command line to the runs that it means."""

from pathlib import Path
from typing import Any

from grader.frozen import Frozen
from reference.reruns.errors import RerunError
from reference.reruns.hardware import best_hardware
from reference.reruns.job import Job
from reference.reruns.run_record import Hardware
from reference.reruns.spec import load_specs, spec_of


class Wishes(Frozen):
    """What was asked for; None leaves the choice to the lab or the machine."""

    data: Path
    out: Path
    seeds: tuple[int, ...] | None = None
    checkpoint: Path | None = None
    schedule: int | None = None
    device: str | None = None
    precision: str | None = None
    compiled: bool | None = None
    threads: int | None = None
    micro_batch: int | None = None
    side_by_side: int | None = None
    keep_weights: bool = False
    scheduler: str | None = None


def jobs_of(folder: Path, experiment: str, wishes: Wishes) -> tuple[list[Job], int]:
    """The runs of an experiment of a lab, and how many to perform at once. Raises LabError or RerunError."""
    lab, specs = load_specs(folder)
    spec = spec_of(specs, experiment)
    seeds = wishes.seeds or tuple(range(lab.seeds))
    if len(set(seeds)) < len(seeds):
        raise RerunError("A seed is named twice; every seed is one run.")
    hardware = _hardware(wishes)
    jobs = [
        Job(
            spec=spec,
            seed=seed,
            data=wishes.data,
            out=wishes.out,
            checkpoint=wishes.checkpoint.resolve() if wishes.checkpoint else None,
            schedule=wishes.schedule,
            hardware=hardware,
            keep_weights=wishes.keep_weights,
            parameters={parameter.id: parameter.value for parameter in lab.parameters},
        )
        for seed in seeds
    ]
    at_once = wishes.side_by_side or (len(jobs) if hardware.device == "cuda" else 1)
    return jobs, min(at_once, len(jobs))


def _hardware(wishes: Wishes) -> Hardware:
    chosen = best_hardware(wishes.device, elsewhere=wishes.scheduler is not None)
    asked: dict[str, Any] = {
        key: value
        for key in ("precision", "compiled", "threads", "micro_batch")
        if (value := getattr(wishes, key)) is not None
    }
    hardware = Hardware.model_validate(chosen.model_dump() | asked)
    if hardware.device == "cpu" and hardware.precision == "tf32":
        raise RerunError("TF32 is a precision of GPUs; on a CPU choose float32 or bfloat16.")
    return hardware
