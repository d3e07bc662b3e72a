"""Jobs on the machines of a Dask cluster, for classes that are too large for one.

Every machine isolates its jobs as a single one does, so a hand-in can touch no other there either. The machines see the
hand-ins under the same paths.
"""

import tempfile
from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path

from grader.pipeline.cage import Layer
from grader.pipeline.errors import ClusterError
from grader.pipeline.isolation import Outcome, run_isolated
from grader.pipeline.temporary import temporary_folder
from grader.pipeline.worker import Job, anew, bounds_of, grade_job


def run_on_cluster(
    address: str, jobs: Iterable[Job], *, preload: tuple[str, ...] = ()
) -> Generator[Outcome, None, None]:
    """Run jobs on the cluster whose scheduler is at an address, and yield the outcomes as they come.

    Raises ClusterError when Dask is not installed or no scheduler answers.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise ClusterError("Dask is needed for --cluster: pip install 'lab-grader[cluster]'.") from error
    try:
        client = Client(address, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ClusterError(f"no Dask scheduler answers at {address}: start one with `dask scheduler`.") from error
    with client:
        waiting = {client.submit(_run_there, job, preload, pure=False): job for job in jobs}
        for future in as_completed(waiting):  # type: ignore[no-untyped-call]
            try:
                messages, failure, lacking = future.result()
            except Exception as error:  # a worker that is lost must not cost the other hand-ins
                messages, failure, lacking = (), f"the cluster lost it ({type(error).__name__})", ()
            yield Outcome(waiting[future], messages, failure, lacking)


def _run_there(job: Job, preload: tuple[str, ...]) -> tuple[tuple[bytes, ...], str | None, tuple[Layer, ...]]:
    """One job, on the machine of a worker."""
    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        work = Path(folder) / "work"
        work.mkdir()
        (outcome,) = run_isolated(
            grade_job, [replace(job, work=work)], workers=1, preload=preload, bounds=bounds_of, anew=anew
        )
    return outcome.messages, outcome.failure, outcome.lacking
