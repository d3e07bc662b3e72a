"""Grading on a Dask cluster: the same results as on one machine, each hand-in once, whatever befalls the machines."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import distributed
import pytest

from grader.gradebook.store import FILE
from grader.intake.layouts import find_all_sources
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline import ClusterError, cluster
from grader.pipeline.classroom import grade_class
from grader.pipeline.isolation import Send
from grader.pipeline.order import GradeSummary, Order
from grader.pipeline.worker import Job
from tests.conftest import ROOT, run_grade

STUDENTS = (ROOT / "submissions" / "student-12", ROOT / "submissions" / "student-11")
COPIED = ("student-02", "student-08", "student-11", "student-12")


@pytest.fixture(scope="module")
def here() -> Iterator[distributed.LocalCluster]:
    """A scheduler and a worker in this process; the hand-ins are in processes of their own all the same."""
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as found:
        yield found


def order_of(folder: Path) -> Order:
    sources, _ = find_all_sources([folder])
    lab = lab_folder("nlp-frameworks")
    return Order(sources, load_lab(lab), load_truth(lab), with_reports=False, with_readings=False)


def made_class(folder: Path, copies: int) -> Path:
    for number in range(copies):
        for student in COPIED:
            shutil.copytree(ROOT / "submissions" / student, folder / f"{student}-{number}")
    return folder


def graded_on(address: str, order: Order, out: Path, told: Callable[[str], None] = print) -> dict[str, GradeSummary]:
    """By student. Each is told of once."""
    done: list[str] = []
    graded = grade_class(order, out, workers=1, done=lambda one: done.append(one.student), cluster=address, notify=told)
    assert sorted(done) == sorted(source.student_id for source in order.sources)
    return {one.student: one for one in graded}


# --- In this process --------------------------------------------------------------------------------------------------


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 0.5)
    done = run_grade(STUDENTS[0], "--out", tmp_path / "graded", "--no-reports", "--cluster", "tcp://127.0.0.1:1")
    assert done.returncode == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in done.stderr


def test_the_results_are_those_of_one_machine(here: Any, tmp_path: Path) -> None:
    arguments = (*STUDENTS, "--as", "student")
    there = run_grade(*arguments, "--out", tmp_path / "there", "--cluster", here.scheduler_address)
    assert there.returncode == 0, there.stderr
    alone = run_grade(*arguments, "--out", tmp_path / "here")
    assert alone.returncode == 0, alone.stderr
    files = [path.relative_to(tmp_path / "here") for path in (tmp_path / "here").rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"result.json", "report.html", "reading.json.gz", "class.json"}
    for path in files:
        if path.name != FILE:
            assert (tmp_path / "there" / path).read_bytes() == (tmp_path / "here" / path).read_bytes(), path


def tell_of_the_cage(job: Job, send: Send) -> None:
    """What a process may do that grades a hand-in, in the place of a report."""
    may = []
    for name, action in (
        ("read", lambda: (ROOT / "pyproject.toml").read_bytes()),
        ("connect", lambda: __import__("socket").create_connection(("127.0.0.1", 9))),
        ("start", lambda: subprocess.run(["/bin/true"], check=True)),
    ):
        try:
            action()
            may.append(name)
        except OSError:
            continue
    raise_in = " ".join(may) or "nothing"
    send(b"R" + raise_in.encode())


def test_hand_ins_are_caged_on_the_machines_as_here(here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[bytes, ...]] = []
    delivered = cluster.delivery_of
    monkeypatch.setattr(cluster, "grade_job", tell_of_the_cage)
    monkeypatch.setattr(cluster, "delivery_of", lambda outcome, shared: seen.append(outcome.messages) or delivered(
        outcome, shared
    ))  # fmt: skip
    found = graded_on(here.scheduler_address, order_of(STUDENTS[0]), tmp_path)
    assert seen == [(b"Rnothing",)]
    assert "no valid result" in str(found["student-12"].error)


def need_too_much(job: Job, send: Send) -> None:
    """Take all memory that there is."""
    if job.source.student_id == "student-12":
        kept = []
        while True:
            kept.append(bytearray(2**26))
    from grader.pipeline.worker import grade_job

    grade_job(job, send)


def test_a_hand_in_that_takes_all_memory_costs_itself_alone(
    here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for student in STUDENTS:
        shutil.copytree(student, tmp_path / "class" / student.name)
    monkeypatch.setattr(cluster, "grade_job", need_too_much)
    found = graded_on(here.scheduler_address, order_of(tmp_path / "class"), tmp_path / "out")
    assert "Grading stopped" in str(found["student-12"].error)
    assert found["student-11"].error is None


def test_a_machine_with_another_grader_is_not_used(here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_identity_here", lambda: "0.0.1+other")
    with pytest.raises(ClusterError, match=r"inproc.* has the grader 0\.0\.1\+other"):
        graded_on(here.scheduler_address, order_of(STUDENTS[0]), tmp_path)


def test_machines_that_fail_each_time_leave_it_to_a_person(
    here: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    job_of = cluster.job_of

    def fails(shared: Any, source: Any, *rest: Any) -> Job:
        tried.append(source.student_id)
        if source.student_id == "student-12":
            raise OSError("the disk is full")
        return job_of(shared, source, *rest)

    monkeypatch.setattr(cluster, "job_of", fails)
    for student in STUDENTS:
        shutil.copytree(student, tmp_path / "class" / student.name)
    found = graded_on(here.scheduler_address, order_of(tmp_path / "class"), tmp_path / "out")
    assert "the disk is full" in str(found["student-12"].error)
    assert found["student-11"].error is None
    assert tried.count("student-12") == 3


def test_a_scheduler_that_is_lost_ends_the_run_and_keeps_what_is_graded(tmp_path: Path) -> None:
    made_class(tmp_path / "class", 2)
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as found,
    ):
        order, done = order_of(tmp_path / "class"), list[str]()

        def stop(one: GradeSummary) -> None:
            done.append(one.student)
            if len(done) == 2:
                threading.Thread(target=found.scheduler.loop.add_callback, args=(found.scheduler.close,)).start()

        with pytest.raises(ClusterError, match="scheduler of the cluster was lost"):
            grade_class(order, tmp_path / "out", workers=1, done=stop, cluster=found.scheduler_address)
    written = {path.parent.name for path in (tmp_path / "out").glob("*/result.json")}
    assert written == set(done)
    assert len(done) < len(order.sources)


# --- A cluster from a file --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('kind = "slurm"', "name either `workers`"),
        ('kind = "slurm"\nworkers = 2\nmost = 3', "name either `workers`"),
        ('kind = "slurm"\nleast = 4\nmost = 3', "`least` is more than `most`"),
        ('kind = "slurm"\nworkers = 0', "workers: "),
        ('kind = "moon"\nworkers = 1', "kind: "),
        ('kind = "address"', "has an address"),
        ('kind = "kubernetes"\nworkers = 1\naddress = "tcp://x:1"', "has no address"),
        ('kind = "slurm"\nworkers = 1\nqueue = "long"', "queue: "),
        ("kind = ", "no TOML"),
    ],
)
def test_mistakes_in_the_file_are_explained(tmp_path: Path, text: str, wrong: str) -> None:
    file = tmp_path / "cluster.toml"
    file.write_text(text)
    done = run_grade(STUDENTS[0], "--out", tmp_path / "graded", "--no-reports", "--cluster", file)
    assert done.returncode == 2
    assert f"{file}: " in done.stderr.replace("\n", "")
    assert wrong in done.stderr


def test_a_file_that_names_an_address(here: Any, tmp_path: Path) -> None:
    file = tmp_path / "cluster.toml"
    file.write_text(f'kind = "address"\naddress = "{here.scheduler_address}"\n')
    assert set(graded_on(str(file), order_of(STUDENTS[0]), tmp_path / "out")) == {"student-12"}


def page_examples(kind: str) -> list[str]:
    """The TOML files of the page about scale, for one kind of cluster."""
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in page.split("```toml\n")[1:]]
    return [block for block in blocks if f'kind = "{kind}"' in block]


def test_the_documented_slurm_file_makes_a_job_as_slurm_takes_it(tmp_path: Path) -> None:
    (example,) = page_examples("slurm")
    file = tmp_path / "slurm.toml"
    file.write_text(example)
    what = cluster.read_description(file)
    with cluster.start_cluster(what.model_copy(update={"workers": None, "least": 0, "most": 1}), str(file)) as made:
        script = made.job_script()
    assert script.startswith("#!/usr/bin/env bash")
    options = [line for line in script.splitlines() if line.startswith("#SBATCH")]
    assert {line.split()[1] for line in options} >= {"-J", "-p", "-n", "--cpus-per-task=4", "--mem=15G", "-t"}
    assert f"{sys.executable} -P -E -m distributed.cli.dask_worker tcp://" in script


def test_slurm_is_not_waited_for_where_it_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "slurm.toml"
    file.write_text('kind = "slurm"\nworkers = 1\n')
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClusterError, match="no sbatch on this machine"):
        graded_on(str(file), order_of(STUDENTS[0]), tmp_path / "graded")


def test_an_option_that_slurm_does_not_have_is_named(tmp_path: Path) -> None:
    what = cluster.ClusterDescription(kind="slurm", workers=1, options={"cores": 1, "memory": "4GB", "colour": "red"})
    with (
        pytest.raises(ClusterError, match=r"slurm\.toml: the cluster could not be started .*colour"),
        cluster.start_cluster(what, "slurm.toml"),
    ):
        pass


def test_the_documented_kubernetes_file_makes_what_the_operator_takes(tmp_path: Path) -> None:
    (example,) = page_examples("kubernetes")
    file = tmp_path / "kubernetes.toml"
    file.write_text(example)
    what = cluster.read_description(file)
    assert {"name", "image"} <= set(what.options)
    operator = pytest.importorskip("dask_kubernetes.operator")
    spec = operator.make_cluster_spec(
        **{key: value for key, value in what.options.items() if key not in ("namespace",)}
    )
    (container,) = spec["spec"]["worker"]["spec"]["containers"]
    assert container["image"] == what.options["image"]


# --- Machines that end ------------------------------------------------------------------------------------------------


WORKER = "from distributed.cli.dask_worker import main; main()"


class Machines:
    """Workers in processes of their own, as machines would be; `scheduler` lives in this process."""

    def __init__(self, scheduler: Any, folder: Path) -> None:
        self.scheduler, self._folder = scheduler, folder
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(self.scheduler.address)

    def start(self, *options: str, before: tuple[str, ...] = (), program: str = WORKER) -> subprocess.Popen[bytes]:
        """One more, without a nanny if the options do not name one; called by its place among all. `before` is the
        beginning of its command."""
        process = subprocess.Popen(
            [
                *(*before, sys.executable, "-c", program, self.address, "--nthreads", "1"),
                *("--no-dashboard", "--local-directory", str(self._folder), "--name", str(len(self.processes))),
                *(options or ("--no-nanny",)),
            ],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def wait(self, number: int) -> None:
        """Until so many are there."""
        until = time.monotonic() + 60
        while len(self.scheduler.workers) < number:
            assert time.monotonic() < until, "the workers do not start"
            time.sleep(0.05)

    def with_hand_in(self, number: int) -> list[int]:
        """The processes that have the hand-in of that number in the run."""
        return [
            self.processes[int(worker.name)].pid
            for worker in list(self.scheduler.workers.values())
            for task in list(worker.processing)
            if str(task.key).split("-")[-2] == str(number)
        ]

    def end(self) -> None:
        """All of them, also those that sleep."""
        for process in self.processes:
            process.kill()
            process.wait(timeout=30)


@contextmanager
def machines(folder: Path, **settings: Any) -> Iterator[Machines]:
    named = {f"distributed.scheduler.{name.replace('_', '-')}": value for name, value in settings.items()}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 3, **named}),
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0", protocol="tcp") as found,
    ):
        made = Machines(found.scheduler, folder)
        try:
            yield made
        finally:
            made.end()


@contextmanager
def meanwhile(action: Callable[[], None]) -> Iterator[None]:
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    yield
    thread.join(timeout=60)


def undisturbed(order: Order, out: Path) -> dict[str, bytes]:
    grade_class(order, out, workers=2, done=lambda one: None)
    return results(out)


def results(out: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in out.glob("*/result.json")}


@pytest.mark.slow
def test_workers_are_killed_while_they_grade(tmp_path: Path) -> None:
    """Kill -9, six times; others take their place."""
    order = order_of(made_class(tmp_path / "class", 6))
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while not over.wait(2.5) and len(killed) < 6:
            victim = grading.processes[len(killed)]
            victim.send_signal(signal.SIGKILL)
            killed.append(victim.pid)
            grading.start()

    with machines(tmp_path, allowed_failures=20) as grading:
        grading.start()
        grading.start()
        grading.wait(2)
        with meanwhile(kill):
            found = graded_on(grading.address, order, tmp_path / "out")
            over.set()
    assert len(killed) >= 3
    assert all(one.error is None for one in found.values())
    assert results(tmp_path / "out") == undisturbed(order, tmp_path / "here")


@pytest.mark.slow
def test_a_hand_in_under_which_every_worker_ends_goes_to_a_person(tmp_path: Path) -> None:
    order = order_of(made_class(tmp_path / "class", 3))
    poison, over, killed = 3, threading.Event(), set[int]()

    def kill() -> None:
        while not over.wait(0.05):
            for pid in grading.with_hand_in(poison):
                if pid not in killed:
                    killed.add(pid)
                    os.kill(pid, signal.SIGKILL)
                    grading.start()

    with machines(tmp_path, allowed_failures=1) as grading:
        grading.start()
        grading.start()
        grading.wait(2)
        with meanwhile(kill):
            found = graded_on(grading.address, order, tmp_path / "out")
            over.set()
    student = order.sources[poison - 1].student_id
    failed = {name: str(one.error) for name, one in found.items() if one.error}
    assert set(failed) == {student}, failed
    assert "every machine of the cluster that graded it ended" in failed[student]
    assert len(killed) >= 4
    whole = undisturbed(order, tmp_path / "here")
    assert {name: content for name, content in results(tmp_path / "out").items() if name != student} == {
        name: content for name, content in whole.items() if name != student
    }


@pytest.mark.slow
def test_workers_vanish_are_slow_and_come_later(tmp_path: Path) -> None:
    """The run begins with no machine. One comes; it stands still for some seconds, again and again; a second one comes
    and stands still for good, so that its heartbeat is missed."""
    order = order_of(made_class(tmp_path / "class", 3))
    over, told = threading.Event(), list[str]()

    def disturb() -> None:
        over.wait(13)
        slow = grading.start()
        grading.wait(1)
        lost = grading.start()
        grading.wait(2)
        over.wait(1.5)
        lost.send_signal(signal.SIGSTOP)
        while not over.is_set():
            slow.send_signal(signal.SIGSTOP)
            over.wait(1.0)
            slow.send_signal(signal.SIGCONT)
            over.wait(1.0)

    with machines(tmp_path, worker_ttl="5s") as grading, meanwhile(disturb):
        found = graded_on(grading.address, order, tmp_path / "out", told.append)
        over.set()
    assert len([one for one in told if "No machine of the cluster is there" in one]) == 1
    assert all(one.error is None for one in found.values())
    assert results(tmp_path / "out") == undisturbed(order, tmp_path / "here")


def swell() -> None:
    """Take more memory than the nanny allows its worker."""
    swollen = [b"1" * 2**24 for _ in range(80)]
    time.sleep(60)
    assert swollen


@pytest.mark.slow
def test_a_worker_that_runs_out_of_memory_is_replaced(tmp_path: Path) -> None:
    order = order_of(made_class(tmp_path / "class", 4))
    replaced: list[str] = []

    def swell_one() -> None:
        with distributed.Client(grading.address, set_as_default=False) as client:
            before = set(client.nthreads())
            task = client.submit(swell, workers=[min(before)], pure=False, priority=1)
            until = time.monotonic() + 60
            while time.monotonic() < until and min(before) in client.nthreads():
                time.sleep(0.2)
            task.cancel()
            while time.monotonic() < until and not (new := set(client.nthreads()) - before):
                time.sleep(0.2)
            replaced.extend(new)

    with machines(tmp_path, allowed_failures=20) as grading:
        grading.start("--nanny", "--memory-limit", "900MiB")
        grading.start("--nanny", "--memory-limit", "900MiB")
        grading.wait(2)
        with meanwhile(swell_one):
            found = graded_on(grading.address, order, tmp_path / "out")
    assert len(replaced) == 1, "no worker was replaced"
    assert all(one.error is None for one in found.values())
    assert results(tmp_path / "out") == undisturbed(order, tmp_path / "here")


@pytest.mark.slow
def test_a_machine_without_the_grader_is_named(tmp_path: Path) -> None:
    bare = f"import sys; sys.modules['grader'] = None\n{WORKER}"
    with machines(tmp_path) as grading:
        grading.start(program=bare)
        grading.wait(1)
        with pytest.raises(ClusterError, match="install the same version of lab-grader there"):
            graded_on(grading.address, order_of(STUDENTS[0]), tmp_path / "out")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("unshare") or os.geteuid() != 0, reason="only the superuser may hide a folder")
def test_a_machine_that_does_not_see_the_hand_ins_is_named(tmp_path: Path) -> None:
    """One for which something else is mounted in the place of the class."""
    made_class(tmp_path / "class", 1)
    hidden = f'mount -t tmpfs none "{tmp_path / "class"}" && exec "$@"'
    with machines(tmp_path) as grading:
        grading.start(before=("unshare", "-m", "sh", "-c", hidden, "sh"))
        grading.wait(1)
        with pytest.raises(ClusterError, match=r"tcp://\S+ does not see .*class/.* share no disk"):
            graded_on(grading.address, order_of(tmp_path / "class"), tmp_path / "out")
    assert not list((tmp_path / "out").glob("*/result.json")), "nobody gets a grade for that"


@pytest.mark.slow
def test_the_gradebook_has_each_grade_once(tmp_path: Path) -> None:
    """A worker is killed in a run of the command, and the run after it finds nothing to do."""
    made_class(tmp_path / "class", 2)

    def kill() -> None:
        time.sleep(3)
        grading.processes[0].kill()

    with machines(tmp_path) as grading:
        grading.start()
        grading.start()
        grading.wait(2)
        arguments = (tmp_path / "class", "--out", tmp_path / "out", "--no-reports", "--cluster", grading.address)
        with meanwhile(kill):
            first = run_grade(*arguments)
        second = run_grade(*arguments)
    assert (first.returncode, second.returncode) == (0, 0), first.both + second.both
    assert "8 of 8 submissions are unchanged" in second.stdout
    with sqlite3.connect(tmp_path / "out" / FILE) as connection:
        (count,) = connection.execute("SELECT count(*) FROM grades").fetchone()
    assert count == 8
    assert len((tmp_path / "out" / "grades.csv").read_text().splitlines()) == 1 + 8
