"""Several seeds at once come to what they come to one by one."""

from pathlib import Path
from typing import Any

import pytest

from reference.reruns.fine_tuning import ignore_progress
from reference.reruns.run_record import Hardware, RerunError, RunRecord
from reference.reruns.spec import Job
from reference.reruns.together import PackedRun, run_on_cluster, run_one_by_one, run_packed, run_side_by_side, unpack
from tests.reference.reruns.making import spec


def jobs(data: Path, out: Path, **changes: Any) -> list[Job]:
    hardware = Hardware(threads=1)
    return [Job(spec=spec(), seed=seed, data=data, out=out, hardware=hardware, **changes) for seed in (0, 1)]


def figures(records: Any) -> list[Any]:
    return [record.model_dump(include={"plan", "epochs"}) for record in records]


def test_a_packed_run_arrives_whole(data: Path, tmp_path: Path) -> None:
    packed = run_packed(jobs(data, tmp_path / "there")[0])
    assert isinstance(packed.record, RunRecord)
    unpack(packed, tmp_path / "here")
    there, here = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "there", tmp_path / "here")
    )
    assert here == there
    assert any("run.json" in str(path) for path in here)


def test_the_record_is_unpacked_last(data: Path, tmp_path: Path) -> None:
    packed = run_packed(jobs(data, tmp_path / "there")[0])
    broken: Any = {name: content if name.endswith("run.json") else None for name, content in packed.files.items()}
    with pytest.raises(TypeError):
        unpack(PackedRun(packed.record, broken), tmp_path / "here")
    assert not list((tmp_path / "here").rglob("run.json"))


@pytest.mark.slow
def test_side_by_side(data: Path, tmp_path: Path) -> None:
    told: list[int] = []

    def watch(job: Job) -> Any:
        return lambda done, of, loss: told.append(done)

    alone = run_one_by_one(jobs(data, tmp_path / "alone"), lambda _job: ignore_progress)
    assert figures(run_side_by_side(jobs(data, tmp_path / "both"), 2, watch)) == figures(alone)
    assert told
    with pytest.raises(RerunError, match="--data"):
        run_side_by_side(jobs(tmp_path / "nowhere", tmp_path / "out"), 2, watch)


@pytest.mark.slow
def test_on_a_cluster(data: Path, tmp_path: Path) -> None:
    """A scheduler and a worker on this machine; the worker has a GPU in name only."""
    distributed = pytest.importorskip("distributed")
    alone = run_one_by_one(jobs(data, tmp_path / "alone"), lambda _job: ignore_progress)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, resources={"GPU": 1}, dashboard_address=None
    ) as cluster:
        records = run_on_cluster(jobs(data, tmp_path / "cluster"), cluster.scheduler_address)
        assert figures(records) == figures(alone)
        with pytest.raises(RerunError, match="--data"):
            run_on_cluster(jobs(tmp_path / "nowhere", tmp_path / "out"), cluster.scheduler_address)


def test_no_scheduler(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("reference.reruns.together.CONNECT_SECONDS", 0.5)
    with pytest.raises(RerunError, match="dask scheduler"):
        run_on_cluster(jobs(data, tmp_path), "tcp://127.0.0.1:9")
