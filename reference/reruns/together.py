"""The runs that a command asks for: one after another, side by side in processes of their own, or on a Dask cluster,
with their progress and what came out.
"""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from grader.frozen import Frozen
from grader.own_code import use_only_installed_code
from reference.reruns.fine_tuning import Watch
from reference.reruns.generation_run import GenerationRecord
from reference.reruns.hardware import best_hardware
from reference.reruns.run_record import Hardware, RerunError, RunRecord
from reference.reruns.running import run_job
from reference.reruns.spec import Job, load_specs, spec_of

if TYPE_CHECKING:
    from distributed import Client


class Wishes(Frozen):
    """The options that were asked for; None leaves the choice to the lab or the machine."""

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


Record = RunRecord | GenerationRecord
WatchJob = Callable[[Job], Watch]


RECORDS = ("run.json", "generation.json")

CONNECT_SECONDS = 15
"""How long to wait for a scheduler to answer."""


class PackedRun(NamedTuple):
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
        queue = manager.Queue()
        running = [pool.submit(_run_and_tell, job, place, queue) for place, job in enumerate(jobs)]
        while not all(future.done() for future in running):
            try:
                place, *news = queue.get(timeout=0.2)
            except Empty:
                continue
            watches[place](*news)
        return [future.result() for future in running]


def _run_and_tell(job: Job, place: int, queue: Any) -> Record:
    return run_job(job, lambda done, of, loss: queue.put((place, done, of, loss)))


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
        packed: list[PackedRun] = client.gather(futures)
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


def run_packed(job: Job) -> PackedRun:
    """Perform a run and pack its logs. Raises RerunError."""
    use_only_installed_code()
    record = run_job(job)
    logs = _logs(_folder_of(record, job))
    return PackedRun(record, {path.relative_to(job.out).as_posix(): path.read_bytes() for path in logs})


def _folder_of(record: Record, job: Job) -> Path:
    return job.out / (record.plan.name if isinstance(record, RunRecord) else f"{record.experiment}_seed{record.seed}")


def _logs(folder: Path) -> list[Path]:
    """All files of a run but the Trainer's checkpoints, which are large."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any("checkpoint-" in part for part in path.parts)
    ]


def unpack(packed: PackedRun, out: Path) -> None:
    """Write the logs of a run that was performed elsewhere; the record comes last, so that a kill leaves no half run
    that looks whole."""
    for name, content in sorted(packed.files.items(), key=lambda file: file[0].endswith(RECORDS)):
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


@contextmanager
def progress_bars(console: Console) -> Iterator[WatchJob]:
    """Yield a function that opens a bar for a run; bars are only drawn on a terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:

        def open_bar(job: Job) -> Watch:
            task = progress.add_task(job.name, total=None, loss="…")
            return lambda done, of, loss: progress.update(task, completed=done, total=of, loss=f"{loss:.3f}")

        yield open_bar


def show_records(records: Sequence[Record]) -> None:
    """Print a table of classifier runs with their mean and sample standard deviation, and what language models said."""
    console = Console(highlight=False)
    runs = [record for record in records if isinstance(record, RunRecord)]
    if runs:
        console.print(_table(runs))
    for record in records:
        if isinstance(record, GenerationRecord):
            _show_answers(console, record)


def _table(runs: list[RunRecord]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("run", "epoch", "valid %", "test %", "minutes"):
        table.add_column(heading, justify="left" if heading == "run" else "right")
    for run in runs:
        table.add_row(
            run.plan.name, str(run.selected), f"{run.valid:.2f}", f"{run.test:.2f}", f"{run.seconds / 60:.1f}"
        )
    table.add_row("mean", "", *(f"{fmean(values):.2f}" for values in _columns(runs)), "")
    if len(runs) > 1:
        table.add_row("sample deviation", "", *(f"{stdev(values):.2f}" for values in _columns(runs)), "")
    return table


def _columns(runs: list[RunRecord]) -> tuple[list[float], list[float]]:
    return [run.valid for run in runs], [run.test for run in runs]


def _show_answers(console: Console, record: GenerationRecord) -> None:
    share = 100 * record.trainable / record.all
    bits = "4-bit storage" if record.four_bit else "full precision"
    console.print(
        f"seed {record.seed}: {record.trainable:,} of {record.all:,} are trained ({share:.4f} %, {bits}); "
        f"loss {record.losses[0]:.3f} to {record.losses[-1]:.3f}"
    )
    for asked in record.answers:
        console.print(f"  {asked.question}", markup=False)
        console.print(f"    before: {asked.before}", markup=False)
        console.print(f"    after:  {asked.after}", markup=False)
