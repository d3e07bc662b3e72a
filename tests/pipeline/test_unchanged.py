"""What is unchanged is not graded again; what is not as it was, is."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from grader.gradebook.keeper import Keeper
from grader.gradebook.store import FILE
from grader.intake.layouts import find_all_sources
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline.classroom import GradeSummary, grade_class
from grader.pipeline.order import Circumstances, Order
from grader.pipeline.session import inputs_of, new_run, plan_grading, session
from grader.report.resources import Presentation
from grader.result import Override

LAB = lab_folder("nlp-frameworks")
REPORT = "# Lab 4\n\n## Question 1\n\nThe embedding has 1,024 × 512 = 524,288 parameters.\n"
Changed = Callable[[Order], Order]


@pytest.fixture(autouse=True)
def one_grader(monkeypatch: pytest.MonkeyPatch) -> None:
    """The grader's own files stay out of it, so that they may be worked on meanwhile."""
    monkeypatch.setattr("grader.pipeline.session.grader_identity", lambda: "0.1.0+one")


@pytest.fixture(scope="module")
def class_of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two students, graded once."""
    folder = tmp_path_factory.mktemp("two")
    hand_ins(folder, "ada", "bob")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("grader.pipeline.session.grader_identity", lambda: "0.1.0+one")
        assert run(folder) == {"ada", "bob"}
    return folder


@pytest.fixture
def two(class_of_two: Path, tmp_path: Path) -> Path:
    """A copy of them of one's own."""
    shutil.copytree(class_of_two, tmp_path, dirs_exist_ok=True)
    return tmp_path


def same(order: Order) -> Order:
    return order


def ordered(tmp_path: Path) -> Order:
    sources, _ = find_all_sources([tmp_path / "class"])
    return Order(sources, load_lab(LAB), load_truth(LAB), with_reports=False, with_readings=False)


def waiting(tmp_path: Path, changed: Changed = same) -> set[str]:
    """Who would be graded."""
    order = changed(ordered(tmp_path))
    with Keeper(tmp_path / "graded" / FILE) as keeper:
        plan = plan_grading(order, tmp_path / "graded", keeper, inputs_of(order))
    return {source.student_id for source in order.sources} - plan.unchanged.keys()


def hand_ins(tmp_path: Path, *students: str) -> None:
    for student in students:
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "report.md").write_text(REPORT + student, encoding="utf-8")


def run(tmp_path: Path, changed: Changed = same, *, again: bool = False) -> set[str]:
    """Grade the class; returns who was graded."""
    order = changed(ordered(tmp_path))
    out, done = tmp_path / "graded", []
    with Keeper(out / FILE) as keeper:
        found = session(order, out, keeper, again=again)
        out.mkdir(exist_ok=True)
        keeper.begin(new_run(found, {}))
        graded = grade_class(found.order, out, workers=2, done=done.append, plan=found.plan, keeper=keeper)
    assert keeper.problem is None
    assert [one.student for one in graded] == [source.student_id for source in order.sources]
    assert {one.student for one in done} == {one.student for one in graded if not one.unchanged}
    return {one.student for one in done}


def written(tmp_path: Path) -> dict[Path, tuple[int, bytes]]:
    """The files of the results with what they are on disk: a file that was written anew is another one."""
    return {
        path: (path.stat().st_ino, path.read_bytes())
        for path in (tmp_path / "graded").rglob("*")
        if path.is_file() and not path.name.startswith("gradebook")
    }


def test_nothing_is_done_twice(two: Path) -> None:
    before = written(two)
    assert run(two) == set()
    assert written(two) == before
    assert run(two, again=True) == {"ada", "bob"}
    assert {path: content for path, (_, content) in written(two).items()} == {
        path: content for path, (_, content) in before.items()
    }


def test_one_who_hands_in_again_is_graded_alone(two: Path) -> None:
    (two / "class" / "bob" / "report.md").write_text(REPORT + "Another.", encoding="utf-8")
    hand_ins(two, "cleo")
    assert run(two) == {"bob", "cleo"}
    rows = (two / "graded" / "grades.csv").read_text(encoding="utf-8").splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ["ada", "bob", "cleo"]


OVERRIDE = Override(points=Decimal(1), reason="Seen.", author="M. D.", date=date(2024, 1, 12))


@pytest.mark.parametrize(
    ("changed", "who"),
    [
        (lambda order: replace(order, lab=order.lab.model_copy(update={"sha256": "0" * 64})), {"ada", "bob"}),
        (lambda order: replace(order, truth=order.truth.model_copy(update={"sha256": "0" * 64})), {"ada", "bob"}),
        (lambda order: replace(order, presentation=Presentation(language="fr")), {"ada", "bob"}),
        (lambda order: replace(order, circumstances={"bob": Circumstances(overrides={"q1.total": OVERRIDE})}), {"bob"}),
        (
            lambda order: replace(order, sources=tuple(replace(one, student_name="Zoé") for one in order.sources)),
            {"ada", "bob"},
        ),
    ],
    ids=["lab", "truth", "language", "override", "name"],
)
def test_what_a_grade_depends_on_makes_it_anew(two: Path, changed: Changed, who: set[str]) -> None:
    assert waiting(two) == set()
    assert waiting(two, changed) == who


def test_a_change_of_the_grader_counts(two: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.pipeline.session.grader_identity", lambda: "0.1.0+another")
    assert run(two) == {"ada", "bob"}
    assert run(two) == set()


def test_results_that_were_lost_or_changed_by_hand_are_put_back(two: Path) -> None:
    before = {path: content for path, (_, content) in written(two).items()}
    (two / "graded" / "ada" / "result.json").unlink()
    forged = (two / "graded" / "bob" / "result.json").read_bytes().replace(b'"score"', b'"score" ')
    (two / "graded" / "bob" / "result.json").write_bytes(forged)
    (two / "graded" / "grades.csv").write_text("mine")
    assert run(two) == set()
    assert {path: content for path, (_, content) in written(two).items()} == before


def test_who_is_gone_keeps_a_folder_and_leaves_the_class(two: Path) -> None:
    (two / "class" / "bob" / "report.md").unlink()
    (two / "class" / "bob").rmdir()
    hand_ins(two, "cleo")
    order = ordered(two)
    with Keeper(two / "graded" / FILE) as keeper:
        notes = "\n".join(session(order, two / "graded", keeper, again=False).notes)
    assert "1 of 2 submissions are unchanged" in notes
    assert "not among these submissions: bob" in notes
    run(two)
    assert (two / "graded" / "bob" / "result.json").is_file()
    assert "bob" not in (two / "graded" / "grades.csv").read_text(encoding="utf-8")


def test_a_report_that_is_missing_or_changed_is_made_anew(tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="needs Pango", exc_type=OSError)
    hand_ins(tmp_path, "ada")

    def reports(order: Order) -> Order:
        return replace(order, with_reports=True)

    assert run(tmp_path) == {"ada"}
    assert run(tmp_path, reports) == {"ada"}
    assert run(tmp_path) == run(tmp_path, reports) == set()
    report = tmp_path / "graded" / "ada" / "report.pdf"
    content = report.read_bytes()
    report.write_bytes(content + b"by hand")
    assert run(tmp_path, reports) == {"ada"}
    assert report.read_bytes() == content
    (tmp_path / "graded" / "ada" / "report.html").unlink()
    assert run(tmp_path) == set()
    assert run(tmp_path, reports) == {"ada"}


def test_what_failed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_ins(tmp_path, "ada")
    with monkeypatch.context() as patched:
        patched.setattr(
            "grader.pipeline.isolation.run_isolated.__kwdefaults__", {"preload": (), "seconds": 0.0, "memory": 2**32}
        )
        run(tmp_path)
    assert b"longer than" in (tmp_path / "graded" / "ada" / "result.json").read_bytes()
    assert run(tmp_path) == {"ada"}
    assert run(tmp_path) == set()


def test_an_interrupted_class_goes_on_where_it_stopped(tmp_path: Path) -> None:
    hand_ins(tmp_path, "ada", "bob", "cleo")
    order = ordered(tmp_path)
    out, first = tmp_path / "graded", []

    def stop(one: GradeSummary) -> None:
        first.append(one.student)
        raise KeyboardInterrupt

    with Keeper(out / FILE) as keeper:
        found = session(order, out, keeper, again=False)
        out.mkdir()
        keeper.begin(new_run(found, {}))
        with pytest.raises(KeyboardInterrupt):
            grade_class(found.order, out, workers=1, done=stop, plan=found.plan, keeper=keeper)
    assert not (out / "grades.csv").exists()
    assert run(tmp_path) == {"ada", "bob", "cleo"} - set(first)
    assert (out / "grades.csv").exists()
