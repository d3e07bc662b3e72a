"""Some hundred hand-ins made to do harm, graded beside honest ones."""

import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.hostile.generate import hand_ins
from tests.hostile.timed import Cost, costs

SECONDS = 10.0
"""Of processor time: what one hand-in may cost at most, opening, reading, judging and its result included."""
MEMORY = 1536.0
"""In MiB."""
HONEST = ("student-02", "student-08", "student-11")
# One of each kind, but those that cost seconds: these are among all.
SOME = (
    "flood-html-entity", "class.html", "gradebook.sqlite-wal", "sparse-report",
    "sparse-zip", "pdf-marked", "zip-climbs", "zip-listing", "links", "pipes", "digits-md",
    "laughs-odt", "deep-json", "pickle", "safetensors-header", "events-length", "yaml",
)  # fmt: skip


def test_there_are_enough_of_them() -> None:
    names = [name for name, _ in hand_ins()]
    assert len(set(names)) == len(names) >= 300


@pytest.mark.parametrize("names", [SOME, pytest.param((), marks=pytest.mark.slow)], ids=["some", "all"])
def test_each_ends_in_a_reasoned_result_and_harms_no_other(names: tuple[str, ...], tmp_path: Path) -> None:
    for name, make in hand_ins():
        if not names or name in names:
            place = tmp_path / "class" / name.replace("/", "_")
            place.mkdir(parents=True)
            make(place)
    hostile = len(list((tmp_path / "class").iterdir()))
    for student in HONEST:
        shutil.copytree(ROOT / "submissions" / student, tmp_path / "class" / student)
        shutil.copytree(ROOT / "submissions" / student, tmp_path / "alone" / student)
    found = {one.student: one for one in costs(tmp_path / "class")}
    assert len(found) == hostile + len(HONEST)
    alone = {one.student: one for one in costs(tmp_path / "alone")}
    for student in HONEST:
        assert _json(found[student]) == _json(alone[student])
    for one in found.values():
        assert one.result or "run out of memory" in str(one.failure), (one.student, one.failure)
        if one.result:
            assert all(item.status.value for item in one.result.items)
            assert one.student in HONEST or one.result.score == 0, f"{one.student} earns {one.result.score}"
    costly = [one._replace(result=None) for one in found.values() if one.seconds > SECONDS or one.memory > MEMORY]
    assert not costly
    print(f"\n{hostile} hostile hand-ins: at most {max(one.seconds for one in found.values()):.1f} s of computing, "
          f"{max(one.memory for one in found.values()):.0f} MiB")  # fmt: skip


def _json(one: Cost) -> str:
    assert one.result
    return one.result.to_json()
