"""Classes of any size: what is measured by benches on large classes is true of small ones."""

from pathlib import Path

import pytest

from grader.gradebook.keeper import NOTHING
from grader.gradebook.store import NO_INPUTS
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline import class_files
from grader.pipeline.order import Order
from grader.pipeline.outputs import CLASS_FILES, Reports, write_student
from grader.result import Result
from scripts.bench import likeness, scale
from scripts.made_class import LAB, add_stages, made_results


def test_the_files_of_a_large_class_are_made_in_another_process_and_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = Order((), load_lab(lab_folder(LAB)), load_truth(lab_folder(LAB)))
    contents = []
    for most in (class_files.MOST_MADE_HERE, 0):
        monkeypatch.setattr(class_files, "MOST_MADE_HERE", most)
        out = tmp_path / f"graded {most}"
        run = class_files.ClassRun(out, order, None, NOTHING)
        for _, content in made_results(5):
            result = Result.from_json(content)
            run.add(result, NO_INPUTS, write_student(out, result, Reports()), {})
        files = run.files().files
        assert set(files) >= {"class.json", "grades.csv"}
        contents.append({name: (out / name).read_bytes() for name in CLASS_FILES if name in files})
    assert contents[0] == contents[1]


def test_planted_copies_are_found_in_small_classes() -> None:
    found = {figure.name: figure for figure in likeness.figures((400, 1_200))}
    assert all(figure.holds for figure in found.values()), found
    assert sum("over the threshold found" in name for name in found) == 2
    assert [one.value for name, one in found.items() if "nobody planted" in name] == [0, 0]


def test_a_small_class_is_measured_as_a_large_one() -> None:
    """The steering process keeps little of a student, and its time for each does not grow with the class."""
    few, more = (scale.measure_class(students, "--no-report") for students in (40, 160))
    assert more["memory_graded"] - few["memory_graded"] < 20
    assert more["memory"] < scale.MEMORY
    assert more["grading"] / 160 < 2 * few["grading"] / 40


@pytest.mark.slow
def test_time_and_memory_of_ten_thousand() -> None:
    missed = [str(figure) for figure in scale.figures() if not figure.holds]
    assert not missed


@pytest.mark.slow
def test_what_follows_grading_holds_no_class_in_memory(tmp_path: Path) -> None:
    """Every verb that goes through a class, each in a process of its own; and what the review page first shows. One
    that held all results would need 100 MiB more for the larger class."""
    told: dict[str, list[float]] = {}
    for students in (1_100, 2_600):
        folder = tmp_path / str(students)
        scale.measure_class(students, "--no-report", folder=folder)
        add_stages(folder / "graded")
        for verb, found in scale.measure_verbs(folder / "graded"):
            told.setdefault(verb, []).append(found["memory"])
    assert max(more for _, more in told.values()) < scale.MEMORY
    assert {verb: more - few for verb, (few, more) in told.items() if more - few > 20} == {}
