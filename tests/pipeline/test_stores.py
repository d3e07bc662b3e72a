"""Hand-ins and results in an object store: the same grades, on this machine and on a cluster that shares no disk."""

import logging
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import fsspec
import pytest
from moto.server import ThreadedMotoServer

from grader.gradebook.store import FILE
from grader.intake import store
from grader.intake.layouts import find_all_sources
from grader.intake.store import Store, StoreError, listing
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline import classroom
from grader.pipeline.classroom import grade_class
from grader.pipeline.order import GradeSummary, Order
from grader.pipeline.outputs import open_store_output
from grader.result import Result
from tests.conftest import ROOT, run_grade

STUDENTS = ("student-11", "student-12")


class Bucket:
    """A server of S3 that runs here, and a bucket there."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.files = fsspec.filesystem("s3", use_listings_cache=False)
        self.files.mkdir("course")

    def put_class(self, folder: str) -> str:
        """Two hand-ins of the sample class; the URL."""
        for student in STUDENTS:
            self.files.put(f"{ROOT / 'submissions' / student}/", f"course/{folder}/{student}/", recursive=True)
        return f"s3://course/{folder}"

    def read(self, folder: str) -> dict[str, bytes]:
        """All files below a folder."""
        found = self.files.find(f"course/{folder}")
        return {name.removeprefix(f"course/{folder}/"): self.files.cat_file(name) for name in found}


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    before = fsspec.config.conf.get("s3")
    fsspec.config.conf["s3"] = {"endpoint_url": f"http://{host}:{port}", "key": "tester", "secret": "tester"}
    store._file_system.cache_clear()
    try:
        yield Bucket(f"http://{host}:{port}")
    finally:
        fsspec.config.conf.pop("s3") if before is None else fsspec.config.conf.update(s3=before)
        store._file_system.cache_clear()
        server.stop()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The two hand-ins, graded from a folder into a folder."""
    out = tmp_path_factory.mktemp("alone") / "graded"
    done = run_grade(*(ROOT / "submissions" / one for one in STUDENTS), "--as", "student", "--out", out)
    assert done.returncode == 0, done.stderr
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def same(found: dict[str, bytes], alone: dict[str, bytes]) -> None:
    """All files, with the same bytes but for the times in the gradebook."""
    assert set(found) == set(alone)
    differ = {name for name in alone if found[name] != alone[name]}
    assert differ <= {FILE}, differ


def test_a_class_in_a_bucket(bucket: Bucket, alone: dict[str, bytes]) -> None:
    there = bucket.put_class("autumn")
    first = run_grade(there, "--out", "s3://course/graded")
    assert first.returncode == 0, first.both
    assert f"{there} is graded as a class of 2 submissions" in first.stdout
    assert "Results of 2 submissions are in s3://course/graded." in first.stdout
    same(bucket.read("graded"), alone)

    again = run_grade(there, "--out", "s3://course/graded")
    assert "2 of 2 submissions are unchanged" in again.stdout, again.both

    bucket.files.pipe_file("course/autumn/student-11/more.md", b"# More\n1 + 1 = 2")
    bucket.files.rm_file("course/graded/student-12/result.json")
    changed = run_grade(there, "--out", "s3://course/graded", "--no-reports")
    assert "1 of 2 submissions are unchanged" in changed.stdout, changed.both
    assert "put back from the gradebook: student-12" in changed.stdout
    found = bucket.read("graded")
    assert found["student-12/result.json"] == alone["student-12/result.json"]
    assert "more.md" in {file.path for file in Result.from_json(found["student-11/result.json"]).submission.files}
    assert "student-11/report.pdf" not in found, "it would no longer be true"


def test_machines_that_share_no_disk(bucket: Bucket, alone: dict[str, bytes], tmp_path: Path) -> None:
    """What the run leaves on this machine is in its own folder for temporary files, which is gone."""
    there = bucket.put_class("cluster")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as found:
        done = run_grade(there, "--out", "s3://course/clustered", "--cluster", found.scheduler_address, cwd=tmp_path)
    assert done.returncode == 0, done.both
    same(bucket.read("clustered"), alone)
    assert not list(tmp_path.iterdir())


def test_buckets_that_are_missing(bucket: Bucket, tmp_path: Path) -> None:
    done = run_grade("s3://nowhere/lab", "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert "s3://nowhere/lab: there is no such bucket, folder or file; check the address." in done.stderr
    done = run_grade(ROOT / "submissions" / "student-11", "--out", "s3://nowhere/graded")
    assert done.returncode == 2
    assert "s3://nowhere/graded: there is no such bucket" in done.stderr


def test_access_that_is_denied(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket.put_class("closed")
    monkeypatch.setitem(fsspec.config.conf["s3"], "key", "stranger")
    monkeypatch.setattr(store, "_file_system", store._file_system.__wrapped__)

    def count(number: int) -> None:
        """After so many requests the server looks at the keys."""
        told = urllib.request.Request(
            f"{bucket.url}/moto-api/reset-auth", str(number).encode(), {"Content-Type": "text/plain"}, method="POST"
        )
        urllib.request.urlopen(told).close()

    count(0)
    try:
        done = run_grade("s3://course/closed", "--out", tmp_path / "out")
    finally:
        count(10**9)
    assert done.returncode == 2
    assert "s3://course/closed: access is denied; check the credentials" in done.stderr


def test_blind_grading_keeps_its_key_on_this_machine(bucket: Bucket) -> None:
    done = run_grade(bucket.put_class("blind"), "--out", "s3://course/blind-graded", "--anonymous")
    assert done.returncode == 2
    assert "give --out a folder on this machine" in " ".join(done.stderr.split())
    assert bucket.read("blind-graded") == {}


# --- Stores that fail -------------------------------------------------------------------------------------------------


def order_in_memory(folder: Path, students: int) -> tuple[Order, Any]:
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    for number in range(students):
        memory.pipe_file(f"/lost/lab/student-{number}/report.md", f"# Lab of {number}".encode())
    here = listing("memory://lost/lab", folder)
    sources, _ = find_all_sources([here.place])
    lab = lab_folder("nlp-frameworks")
    order = Order(sources, load_lab(lab), load_truth(lab), with_reports=False, with_readings=False, listings=(here,))
    return order, memory


def graded(order: Order, out: Path) -> dict[str, GradeSummary]:
    return {one.student: one for one in grade_class(order, out, workers=1, done=lambda one: None)}


def test_one_hand_in_that_cannot_be_fetched_is_for_a_person(tmp_path: Path) -> None:
    order, memory = order_in_memory(tmp_path, 3)
    memory.rm("/lost/lab/student-1", recursive=True)
    found = graded(order, tmp_path / "out")
    assert "memory://lost/lab/student-1: " in str(found["student-1"].error)
    assert [one.error for name, one in found.items() if name != "student-1"] == [None, None]


def test_a_store_that_is_lost_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order, memory = order_in_memory(tmp_path, 5)
    monkeypatch.setattr(classroom, "_MOST_UNFETCHED", 2)
    memory.rm("/lost/lab", recursive=True)
    with pytest.raises(StoreError, match="2 submissions, one after the other, could not be fetched"):
        graded(order, tmp_path / "out")


def test_names_in_an_output_folder_that_are_not_ours_are_left_there(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    for name in ("class.json", "ana/result.json", "ana/report.pdf", "ana/deeper/result.json", "a:b/result.json"):
        memory.pipe_file(f"/results/out/{name}", name.encode())
    memory.pipe_file("/results/out/../climbed/result.json", b"no")
    with open_store_output("memory://results/out", tmp_path / "here") as found:
        here = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
        assert here == {"here/class.json", "here/ana/result.json"}
        assert found.files_of("ana", {"report.pdf": "1", "report.html": "2"})["report.pdf"] == "1"
        assert "report.html" not in found.files_of("ana", {"report.pdf": "1", "report.html": "2"})
    assert Store("memory://results/out", tmp_path).stats()["ana/report.pdf"].size == len("ana/report.pdf")
