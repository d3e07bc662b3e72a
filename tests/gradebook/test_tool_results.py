"""Results that otter-grader 7.0.0, nbgrader 0.9.6 and pytest wrote for a tiny assignment, read as data."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.tool_results import tool_results

FILES = Path(__file__).parent / "tool_results"


def points(spec: str) -> dict[str, dict[str, tuple[float, float]]]:
    """What each student's tests gave, of what."""
    _, found = tool_results(spec)
    return {
        one.person.label: {name: (float(score.earned), float(score.possible)) for name, score in one.tests.items()}
        for one in found
    }


def database(folder: Path) -> Path:
    """nbgrader's database, made again from its dump."""
    path = folder / "gradebook.db"
    with sqlite3.connect(path) as made:
        made.executescript((FILES / "nbgrader" / "gradebook.sql").read_text(encoding="utf-8"))
    made.close()
    return path


OTTER = {
    "ada": {"q1": (2, 2), "q3": (1, 1)},
    "bob": {"q1": (1, 2), "q3": (0, 1)},
    "eve": {"q1": (1, 2), "q3": (1, 1)},
}


def test_otter_s_table_and_its_files_say_the_same() -> None:
    assert points(f"otter:{FILES / 'otter'}") == OTTER
    assert points(f"otter:{FILES / 'otter_grades.csv'}") == OTTER
    assert points(f"gradescope:{FILES / 'otter'}") == OTTER


def test_nbgrader_s_database(tmp_path: Path) -> None:
    path = database(tmp_path)
    before = path.read_bytes()
    found = points(f"nbgrader:{tmp_path}")
    assert found["bitdiddle"] == {
        **dict.fromkeys(("q1", "tiny/q1", "ps1/tiny/q1"), (2, 2)),
        **dict.fromkeys(("q3", "tiny/q3", "ps1/tiny/q3"), (1, 1)),
    }  # what is to be read by hand has no score yet
    assert found["hacker"]["q1"] == (0, 2)
    assert found["blank"]["q1"] == (0, 2)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["gradebook.db"]


def test_a_score_by_hand_counts_before_that_of_the_tests(tmp_path: Path) -> None:
    path = database(tmp_path)
    with sqlite3.connect(path) as made:
        made.execute("UPDATE grade SET manual_score = 1.5, needs_manual_grade = 0 WHERE auto_score = 2.0")
    made.close()
    assert points(f"nbgrader:{path}")["bitdiddle"]["q1"] == (1.5, 2)


def test_nbgrader_s_export_tells_whole_assignments() -> None:
    assert points(f"nbgrader:{FILES / 'nbgrader' / 'grades.csv'}") == {
        "bitdiddle": {"ps1": (3, 6)},
        "blank": {"ps1": (0, 6)},
        "hacker": {"ps1": (1, 6)},
    }


def test_pytest_s_junit() -> None:
    found = points(f"pytest:{FILES / 'pytest'}")
    assert found["ada"]["test_q1"] == (4, 4)  # a test that was skipped tells nothing
    assert found["bob"]["test_signs"] == (1, 2)
    assert found["bob"]["test_signs[-3]"] == (0, 1)
    assert found["bob"]["TestSquare"] == found["bob"]["test_q1.TestSquare"] == (2, 3)
    assert found["bob"]["test_k"] == (0, 1)
    assert "test_gpu" not in found["bob"]


def written(folder: Path, tests: Any, name: str = "ada.json") -> str:
    (folder / name).write_text(tests if isinstance(tests, str) else json.dumps({"tests": tests}), encoding="utf-8")
    return f"gradescope:{folder}"


def test_gradescope_s_format(tmp_path: Path) -> None:
    tests = [
        {"name": "2.1", "score": 3, "max_score": 4},
        {"number": "2.2", "score": 9, "max_score": 4},
        {"name": "2.3", "score": -1, "max_score": 4},
        {"name": "2.4", "status": "passed"},
        {"name": "2.5", "output": "All tests passed!"},
        {"name": "2.6", "score": 0, "max_score": 0},
        {"name": "twice", "score": 0, "max_score": 1},
        {"name": "twice", "score": 1, "max_score": 1},
    ]
    assert points(written(tmp_path, tests)) == {"ada": {"2.1": (3, 4), "2.2": (4, 4), "2.3": (0, 4), "2.4": (1, 1)}}
    (found,) = tool_results(f"gradescope:{tmp_path}")[1]
    assert found.unclear == {"twice"}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("no JSON", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "no list `tests`"),
        ('{"tests": 3}', "no list `tests`"),
        ('{"tests": [{"name": "a", "score": "many", "max_score": 2}]}', "is no score"),
        ('{"tests": [{"name": "a", "score": NaN, "max_score": 2}]}', "is no score"),
    ],
)
def test_what_is_no_result_is_refused(content: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(GradebookError, match=told):
        tool_results(written(tmp_path, content))


BOMB = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuites><testcase name="&b;"/></testsuites>'


@pytest.mark.parametrize("content", [BOMB, "<testsuites>", "", '<a xmlns:x="y"', "\0"])
def test_xml_with_a_document_type_or_damage_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "ada.xml").write_text(content, encoding="utf-8")
    with pytest.raises(GradebookError, match="no JUnit XML"):
        tool_results(f"pytest:{tmp_path}")


def test_a_database_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gradebook.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    with pytest.raises(GradebookError, match="cannot be read as nbgrader's database"):
        tool_results(f"nbgrader:{tmp_path}")


def test_an_open_database_is_not_read(tmp_path: Path) -> None:
    database(tmp_path)
    (tmp_path / "gradebook.db-wal").write_bytes(b"x")
    with pytest.raises(GradebookError, match="it is open in nbgrader"):
        tool_results(f"nbgrader:{tmp_path}")


@pytest.mark.parametrize("spec", ["otter", "otter:", "mocha:x", ":x", "otter:no/such/folder"])
def test_a_specification_names_a_tool_and_a_place(spec: str) -> None:
    with pytest.raises(GradebookError, match="--tests"):
        tool_results(spec)


def test_a_pickle_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "results.pkl").write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")
    with pytest.raises(GradebookError, match="no results of otter"):
        tool_results(f"otter:{tmp_path}")


def test_a_crash_of_all_tests_is_no_result(tmp_path: Path) -> None:
    table = (FILES / "otter_grades.csv").read_text(encoding="utf-8").replace("0.3333,Completed", "0,Kernel died")
    (tmp_path / "final_grades.csv").write_text(table, encoding="utf-8")
    assert points(f"otter:{tmp_path}") == {name: OTTER[name] for name in ("ada", "eve")}
