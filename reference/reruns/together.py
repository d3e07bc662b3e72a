"""Several runs: one after another, side by side in processes of their own, or on a Dask cluster."""

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from queue import Empty
from typing import TYPE_CHECKING, Any, NamedTuple

from reference.reruns.errors import RerunError
from reference.reruns.fine_tuning import Watch
from reference.reruns.generation_run import GenerationRecord
from reference.reruns.job import Job
from reference.reruns.run_record import RunRecord
from reference.reruns.running import run_job

if TYPE_CHECKING:
    from distributed import Client

Record = RunRecord | GenerationRecord
WatchJob = Callable[[Job], Watch]
KEPT_THERE = frozenset({"state.pt", "weights.pt"})
"""Large files that stay on the machine that made them, like the Trainer's checkpoints."""


RECORDS = ("run.json", "generation.json")

CONNECT_SECONDS = 15
"""How long to wait for a scheduler to answer."""


class Packed(NamedTuple):
    """A whole run as it travels between machines: its record, and its logs by their paths in the output folder."""

    record: Record
    files: dict[str, bytes]


def run_one_by_one(jobs: Sequence[Job], watch: WatchJob) -> list[Record]:
    """Perform runs in this process. Raises RerunError."""
    return [run_job(job, watch(job)) for job in jobs]


def run_side_by_side(jobs: Sequence[Job], at_once: int, watch: WatchJob) -> list[Record]:
    """Perform runs in processes that share the machine, at most `at_once` at a time. Raises RerunError."""
    context = multiprocessing.get_context("spawn")
    watches = [watch(job) for job in jobs]
    with context.Manager() as manager, ProcessPoolExecutor(at_once, mp_context=context) as pool:
        told = manager.Queue()
        running = [pool.submit(_run_and_tell, job, place, told) for place, job in enumerate(jobs)]
        while not all(future.done() for future in running):
            try:
                place, *news = told.get(timeout=0.2)
            except Empty:
                continue
            watches[place](*news)
        return [future.result() for future in running]


def _run_and_tell(job: Job, place: int, told: Any) -> Record:
    return run_job(job, lambda done, of, loss: told.put((place, done, of, loss)))


def run_on_cluster(jobs: Sequence[Job], address: str) -> list[Record]:
    """Perform runs as tasks of a Dask cluster and bring their logs here. Each takes one unit of the resource `GPU`
    where it needs one, so start workers there with `dask worker … --resources GPU=1`.

    Data and checkpoints must be at the same paths on the workers. A worker that dies is replaced by another, which
    goes on where the output folder is shared and starts anew where it is not. Raises RerunError.
    """
    with _client(address) as client:
        futures = [
            client.submit(run_packed, job, key=f"rerun-{job.name}-{job.schedule}", resources=_needs(job), pure=False)
            for job in jobs
        ]
        packed: list[Packed] = client.gather(futures)
    for job, result in zip(jobs, packed, strict=True):
        unpack(result, job.out)
    return [result.record for result in packed]


def _client(address: str) -> "Client":
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise RerunError("A cluster needs Dask: pip install 'lab-grader[cluster]'") from error
    try:
        return Client(address, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise RerunError(f"No Dask scheduler answers at {address}: {error}. Start one with: dask scheduler") from error


def _needs(job: Job) -> dict[str, int] | None:
    return {"GPU": 1} if job.hardware.device == "cuda" else None


def run_packed(job: Job) -> Packed:
    """Perform a run and pack its logs. Raises RerunError."""
    record = run_job(job)
    logs = _logs(_folder_of(record, job))
    return Packed(record, {path.relative_to(job.out).as_posix(): path.read_bytes() for path in logs})


def _folder_of(record: Record, job: Job) -> Path:
    return job.out / (record.plan.name if isinstance(record, RunRecord) else f"{record.experiment}_seed{record.seed}")


def _logs(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in KEPT_THERE and not any("checkpoint-" in part for part in path.parts)
    ]


def unpack(packed: Packed, out: Path) -> None:
    """Write the logs of a run that was performed elsewhere; the record comes last, so that a kill leaves no half run
    that looks whole."""
    for name, content in sorted(packed.files.items(), key=lambda file: file[0].endswith(RECORDS)):
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
