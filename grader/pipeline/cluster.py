"""Hand-ins graded on the machines of a Dask cluster, each counted once whatever becomes of the machines.

A machine is given the lab once, when a run begins or when it joins one, and then hand-ins one after the other; it
cages each as a single machine does. A hand-in whose machine ends or vanishes is graded on another. One that is there
whenever a machine ends is tried once more with no other suspect beside it, then goes to a person.
"""

import contextlib
import multiprocessing
import os
import shlex
import shutil
import sys
import tempfile
import threading
import time
import tomllib
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, Literal, cast

from distributed import CancelledError, Client, Future, KilledWorker, Worker, WorkerPlugin, get_worker
from distributed.comm.core import CommClosedError
from pydantic import Field, ValidationError, model_validator

from grader.frozen import Frozen
from grader.intake.store import StoreError
from grader.intake.submission import Source
from grader.message import say
from grader.own_code import use_only_installed_code
from grader.pipeline import ClusterError
from grader.pipeline.cage import temporary_folder
from grader.pipeline.classroom import PRELOAD, Delivery, SharedSettings, delivery_of, failure_of, job_of, unfetched_of
from grader.pipeline.hashes import grader_identity
from grader.pipeline.isolation import MEMORY, run_isolated, workers_that_fit
from grader.pipeline.order import Circumstances
from grader.pipeline.worker import bounds_of, files_of, follow_up_job, grade_job, own_templates

_CONNECT_SECONDS: Final = 10
_LOOK: Final = 2.0
"""In seconds: how often it is looked at which machines are there."""
_PATIENCE: Final = 10.0
"""In seconds: for so long no machine need be there before staff is told."""
_MOST_DEATHS: Final = 2
"""So often a hand-in is given up by the scheduler, after machines ended while they had it, before a person gets it."""
_MOST_FAILURES: Final = 3
"""So often a hand-in is given to machines on which the grading itself fails."""
_MOST_CALLS: Final = 20
"""So often the machines are called to a run; each call fails where one of them ends."""
_SHARE_OF_MEMORY: Final = 0.75
_LOST: Final = (
    "The scheduler of the cluster was lost. What is graded stays; run the same command again to grade the others, "
    "when the scheduler is there."
)

HandIn = tuple[Source, Circumstances]


class UnseenError(Exception):
    """A machine of the cluster does not see a hand-in; the message says which machine and where it should lie."""


@cache
def _identity_here() -> str:
    """The grader as this process has it loaded; files that are exchanged below it do not change that."""
    return grader_identity()


# --- On the machines --------------------------------------------------------------------------------------------------


class Host(WorkerPlugin):
    """A run on one of the machines: what its hand-ins are graded by, and how many of them fit into its memory."""

    def __init__(self, name: str, shared: SharedSettings, warmth: bytes, identity: str) -> None:
        self.name, self.shared = name, shared
        self._warmth, self._identity = warmth, identity
        self.problem: str | None = None
        self._room: threading.Semaphore | None = None

    def setup(self, worker: Worker) -> None:
        """Make ready for hand-ins, unless this machine would grade in another way. Raises nothing: another version
        might not know what it is."""
        use_only_installed_code()
        self.problem = self._unfit(worker.address)
        if self.problem:
            return
        # A worker below a nanny may start no processes, lest they outlive it; ours end with the one that started them.
        multiprocessing.current_process().daemon = False
        limit = worker.memory_manager.memory_limit
        fit = int(limit * _SHARE_OF_MEMORY) // MEMORY if limit else workers_that_fit()
        self._room = threading.Semaphore(max(1, min(fit, workers_that_fit())))
        # No hand-in is there yet, so the environment that the server is spared is missed by nobody.
        assert not list(run_isolated(grade_job, (), workers=1, preload=PRELOAD, warmth=self._warmth))  # noqa: S101

    def _unfit(self, address: str) -> str | None:
        here = _identity_here()
        if here != self._identity:
            return (
                f"{address} has the grader {here}, this machine {self._identity}: install the same version of "
                "lab-grader, its libraries, templates and checks there, and restart its workers"
            )
        missing = [path for path in (*self.shared.lab.files, *own_templates(self.shared.presentation)) if _gone(path)]
        if missing:
            return (
                f"{address} does not see {missing[0]}, which the lab needs: all machines need the lab, the templates "
                "and the grader under the same paths"
            )
        return None

    def grade(self, source: Source, circumstances: Circumstances) -> Delivery | str:
        """Grade a hand-in in a cage; or why this machine is not to grade. Raises UnseenError."""
        if self.problem or self._room is None:
            return self.problem or "a machine was not made ready"
        with (
            self._room,
            tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder,
        ):
            try:
                job = job_of(self.shared, source, circumstances, Path(folder, "0"))
            except StoreError as error:
                return unfetched_of(self.shared, source, circumstances, error)
            if unseen := [path for path in files_of(job.source) if _gone(path)]:
                raise UnseenError(f"{get_worker().address} does not see {unseen[0]}")
            (outcome,) = run_isolated(
                grade_job, [job], workers=1, preload=PRELOAD, bounds=bounds_of, anew=follow_up_job
            )
            return delivery_of(outcome, self.shared)


def _gone(path: Path) -> bool:
    return not os.path.lexists(path)


def _problem_there(run: str, dask_worker: Worker) -> str | None:
    """Return the reason why a machine must not grade, or None. Dask supplies the worker."""
    return cast(Host, dask_worker.plugins[run]).problem


def _grade_there(run: str, source: Source, circumstances: Circumstances) -> Delivery | str:
    """The task of one hand-in, on the machine of a worker."""
    return cast(Host, get_worker().plugins[run]).grade(source, circumstances)


# --- On the machine that leads ----------------------------------------------------------------------------------------


@dataclass
class _Try:
    """A hand-in, its number, and what befell it so far: how often it was given to a machine, how often the scheduler
    gave it up after machines `died`, and how often machines `failed`."""

    number: int
    source: Source
    circumstances: Circumstances
    given: int = 0
    died: int = 0
    failed: int = 0

    @property
    def is_suspect(self) -> bool:
        """Whether machines ended while they had it."""
        return self.died > 0


@dataclass
class _Run:
    """The hand-ins of a run that wait, and those that are with the cluster; of suspects one at most."""

    client: Client
    name: str
    shared: SharedSettings
    waiting: Iterator[HandIn]
    told: Callable[[str], None]
    again: deque[_Try] = field(default_factory=deque)
    suspects: deque[_Try] = field(default_factory=deque)
    there: dict[Future[Delivery | str], _Try] = field(default_factory=dict)
    ended: SimpleQueue[Future[Delivery | str]] = field(default_factory=SimpleQueue)
    taken: int = 0
    threads: int = 0
    looked: float = 0.0
    alone_since: float | None = None

    def deliveries(self) -> Iterator[Delivery]:
        """Results as they come. Raises ClusterError."""
        while True:
            self._look()
            while len(self.there) < 2 * self.threads + 2 and (next_one := self._next()) is not None:
                self._give(next_one)
            if not self.there:
                return
            try:
                future = self.ended.get(timeout=_LOOK)
            except Empty:
                continue
            delivery = self._taken(future, self.there.pop(future))
            if delivery is not None:
                yield delivery

    def _next(self) -> _Try | None:
        if self.suspects and not any(attempt.is_suspect for attempt in self.there.values()):
            return self.suspects.popleft()
        if self.again:
            return self.again.popleft()
        hand_in = next(self.waiting, None)
        if hand_in is None:
            return None
        self.taken += 1
        return _Try(self.taken, *hand_in)

    def _give(self, attempt: _Try) -> None:
        attempt.given += 1
        key = f"{self.name}-{attempt.number}-{attempt.given}"  # names of students are nothing for a dashboard
        future = self.client.submit(_grade_there, self.name, attempt.source, attempt.circumstances, key=key, pure=False)
        self.there[future] = attempt
        future.add_done_callback(self.ended.put)

    def _taken(self, future: Future[Delivery | str], attempt: _Try) -> Delivery | None:
        """Return the delivery of a try; None if there is to be another try."""
        try:
            delivery = future.result(timeout=_CONNECT_SECONDS)
        except KilledWorker:
            attempt.died += 1
            if attempt.died < _MOST_DEATHS:
                self.suspects.append(attempt)
                return None
            return self._failure(attempt, say("every machine of the cluster that graded it ended"))
        except (CancelledError, CommClosedError) as error:
            raise ClusterError(_LOST) from error
        except ImportError as error:
            raise ClusterError(_not_installed(error)) from error
        except Exception as error:  # a machine that fails must not cost the other hand-ins
            if isinstance(error, UnseenError) and not any(map(_gone, files_of(attempt.source))):
                raise ClusterError(
                    f"{error}, which this machine does: the machines share no disk. Put the submissions into a store "
                    "(docs/scale.md), or on a disk that all machines see under the same path."
                ) from error
            if isinstance(error, TimeoutError) and future.status != "error":  # its machine ended with the result
                self.there[future] = attempt
                self.ended.put(future)
                return None
            attempt.failed += 1
            if attempt.failed < _MOST_FAILURES:
                self.again.append(attempt)
                return None
            problem = f"{type(error).__name__}: {error}"
            return self._failure(attempt, say("the machines of the cluster failed ({problem})", problem=problem))
        if isinstance(delivery, str):
            raise ClusterError(_unfit(delivery))
        return delivery

    def _failure(self, attempt: _Try, reason: str) -> Delivery:
        return failure_of(self.shared, attempt.source, attempt.circumstances, reason)

    def _look(self) -> None:
        """See which machines are there; machines may come at any time. Raises ClusterError."""
        now = time.monotonic()
        if now - self.looked < _LOOK:
            return
        self.looked = now
        try:
            self.threads = sum(self.client.nthreads().values())
        except (OSError, ValueError, CancelledError) as error:  # TimeoutError and CommClosedError are OSErrors
            raise ClusterError(_LOST) from error
        if self.threads:
            self.alone_since = None
        elif self.alone_since is None:
            self.alone_since = now
        elif now - self.alone_since > _PATIENCE:
            self.alone_since = float("inf")
            address = self.client.scheduler.address if self.client.scheduler else "ADDRESS"
            self.told(
                "No machine of the cluster is there. Grading goes on as soon as one is: start workers with "
                f"`dask worker {address}`. Ctrl-C ends the run; what is graded stays."
            )

    def close(self) -> None:
        """Leave the cluster as it was found."""
        with contextlib.suppress(Exception):  # it may be gone
            self.client.cancel(list(self.there), force=True)
        with contextlib.suppress(Exception):
            self.client.unregister_worker_plugin(self.name)


def run_on_cluster(
    cluster: str,
    shared: SharedSettings,
    warmth: bytes,
    hand_ins: Iterable[HandIn],
    notify: Callable[[str], None],
) -> Iterator[Delivery]:
    """Grade hand-ins on a cluster, named by its scheduler's address or by the file that describes it, and yield the
    results as they come. `notify` hears what staff should know.

    Raises ClusterError when the cluster cannot be used, and when its scheduler is lost.
    """
    with _client(cluster) as client:
        name = f"grade-{uuid.uuid4().hex[:12]}"
        run = _Run(client, name, shared, iter(hand_ins), notify)
        try:
            # Give the run to all machines, and to those that come later.
            host = Host(name, shared, warmth, grader_identity())
            found: dict[str, Any] = {}
            for left in reversed(range(_MOST_CALLS)):
                try:
                    client.register_plugin(host, name=host.name)
                    found = client.run(_problem_there, host.name, on_error="ignore")
                    break
                except (OSError, CancelledError) as error:  # a machine that ends meanwhile is no hindrance
                    if not left or client.status != "running":
                        raise ClusterError(_LOST) from error
                except Exception as error:  # whatever a machine raises that does not know what it is given
                    raise ClusterError(_not_installed(error)) from error
            problems = [problem for problem in found.values() if isinstance(problem, str)]
            if problems:
                raise ClusterError(_unfit(problems[0]))
            yield from run.deliveries()
        finally:
            run.close()


def _unfit(problem: str) -> str:
    return f"A machine of the cluster would not grade as this one does: {problem}."


def _not_installed(error: Exception) -> str:
    return (
        f"The workers of the cluster cannot grade ({str(error)[:300]}): install the same version of lab-grader there, "
        "in the environment of the workers, and restart them."
    )


# --- Which cluster ----------------------------------------------------------------------------------------------------


class ClusterDescription(Frozen, extra="forbid"):
    """A cluster as a TOML file describes it. Of `workers`, or between `least` and `most` as there is work, are asked
    for; `options` are those of `dask_jobqueue.SLURMCluster` or `dask_kubernetes.operator.KubeCluster`."""

    kind: Literal["address", "slurm", "kubernetes"]
    address: str = ""
    workers: int | None = Field(default=None, ge=1)
    least: int = Field(default=0, ge=0)
    most: int | None = Field(default=None, ge=1)
    options: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits(self) -> "ClusterDescription":
        if self.kind == "address":
            if not self.address or self.workers or self.most or self.options:
                raise ValueError("a cluster of kind address has an address, and nothing else")
        elif self.address:
            raise ValueError(f"a cluster of kind {self.kind} has no address: it is started for the run")
        elif (self.workers is None) == (self.most is None):
            raise ValueError("name either `workers`, or `most` (and `least`), the number of workers")
        elif self.most is not None and self.least > self.most:
            raise ValueError("`least` is more than `most`")
        return self


def read_description(path: Path) -> ClusterDescription:
    """The cluster that a file describes. Raises ClusterError with the file and the key."""
    try:
        return ClusterDescription.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ClusterError(f"{path}: it cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ClusterError(f"{path}: it is no TOML file: {error}.") from error
    except ValidationError as error:
        details = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'the file'}: {problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors()
        )
        raise ClusterError(f"{path}: {details}. docs/scale.md shows such files.") from error


@contextlib.contextmanager
def _client(cluster: str) -> Iterator[Client]:
    what = read_description(Path(cluster)) if cluster.endswith(".toml") else None
    if what and what.kind != "address":
        if what.kind == "slurm" and shutil.which("sbatch") is None:
            raise ClusterError(
                f"{cluster}: there is no sbatch on this machine; run this where jobs are given to Slurm."
            )
        with start_cluster(what, cluster) as started_cluster, Client(started_cluster) as client:
            yield client
        return
    address = what.address if what else cluster
    try:
        client = Client(address, timeout=f"{_CONNECT_SECONDS}s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no Dask scheduler answers at {address}: start one with `dask scheduler`.") from error
    with client:
        yield client


@contextlib.contextmanager
def start_cluster(what: ClusterDescription, where: str) -> Iterator[Any]:
    """A cluster of one's own on Slurm or Kubernetes, which ends with the run. Raises ClusterError."""
    package = "dask-jobqueue" if what.kind == "slurm" else "dask-kubernetes"
    options = what.options
    made: Any
    try:
        if what.kind == "slurm":
            from dask_jobqueue.slurm import SLURMCluster

            made = SLURMCluster
            # A job starts in the folder that it was asked for in, which may be a hand-in.
            options = {"python": f"{shlex.quote(sys.executable)} -P -E"} | options
        else:
            from dask_kubernetes.operator import KubeCluster

            made = KubeCluster
    except ImportError as error:
        raise ClusterError(f'{where}: {package} is needed for kind = "{what.kind}": pip install {package}.') from error
    try:
        cluster = made(**options)
    except Exception as error:  # these packages raise whatever their own tools do
        raise ClusterError(f"{where}: the cluster could not be started ({type(error).__name__}: {error}).") from error
    with cluster:
        if what.workers is not None:
            cluster.scale(what.workers)
        else:
            cluster.adapt(minimum=what.least, maximum=what.most)
        yield cluster
