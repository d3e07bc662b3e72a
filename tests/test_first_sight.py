"""`make first-sight`: hand-ins are scored by the keys of their writers."""

import json
import shutil
from pathlib import Path

from tests.conftest import ROOT
from tests.first_sight import lines, verdicts
from tests.replay import labelled


def scored(folder: Path, **key: object) -> list[str]:
    """The report on a sample whose key is given."""
    shutil.copytree(ROOT / "submissions" / "student-01", folder / "submissions" / "student-01")
    (folder / "keys").mkdir()
    (folder / "keys" / "student-01.json").write_text(json.dumps(key), encoding="utf-8")
    return list(lines(one for hand_in in labelled(folder) for one in verdicts(hand_in)))


def test_what_the_key_allows_is_right(tmp_path: Path) -> None:
    told = scored(tmp_path, items={"q1.total": ["correct", "partial"], "q2.r": "correct"}, flags=[])
    assert not [line for line in told if line.startswith(("wrong", "missed", "false"))]
    (all_,) = (line for line in told if line.startswith("all "))
    assert "2 of   2: 100% decided, 100.0% of these right" in all_


def test_a_wrong_verdict_is_listed_with_the_check_that_gave_it(tmp_path: Path) -> None:
    told = scored(tmp_path, items={"q1.total": "incorrect"}, flags=["std-unit"])
    assert told[0].startswith("wrong: ")
    assert "student-01 q1.total: correct (key: incorrect) by parameter-count" in told[0]
    assert told[1].startswith("missed: ")
    assert "points for nothing 1, right answers given nothing 0" in told[-2]
