"""The worked labs: images, a language model, classical machine learning. Their invented hand-ins were marked before the
grader saw them; the checks are measured by these marks.
"""

from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from grader.checks.finding import Status
from grader.intake.layouts import Layout, find_sources
from grader.lab.files import CLASSES, LABS, TEMPLATES, load_lab, load_truth, write_starter
from grader.pipeline.inspection import Comparison, expected_answers, inspect, measure_checks, unproven
from grader.pipeline.one import grade_source
from grader.result import ItemResult

WORKED = ("digits_cnn", "small_llama", "diabetes_regression")


@cache
def graded(name: str) -> tuple[Comparison, ...]:
    """The hand-ins of a lab, graded in this process."""
    folder = LABS / name
    lab, truth = load_lab(folder), load_truth(folder)
    expected, problems = expected_answers(folder)
    assert not problems
    found = []
    for one in expected:
        (source,), _ = find_sources(folder / one.path, Layout.STUDENT)
        with TemporaryDirectory() as work:
            found.append(Comparison(one.path, grade_source(source, lab, truth, Path(work)), (), one))
    return tuple(found)


def item(name: str, who: str, id_: str) -> ItemResult:
    result = next(one.result for one in graded(name) if one.path == f"hand_ins/{who}")
    assert result is not None
    return next(one for one in result.items if one.id == id_)


@pytest.mark.parametrize("name", WORKED)
def test_the_checks_agree_with_a_person(name: str) -> None:
    rows = measure_checks(graded(name), load_lab(LABS / name))
    verdicts, decided, right = (sum(getattr(row, key) for row in rows) for key in ("verdicts", "decided", "right"))
    print(f"{name}: {decided} of {verdicts} decided, {right} right")
    assert len(graded(name)) == 12
    assert decided >= 0.75 * verdicts
    assert right >= 0.97 * decided
    assert sum(row.withheld for row in rows) == 0
    assert sum(row.unearned for row in rows) <= 1


@pytest.mark.parametrize(
    ("name", "who", "id_", "status", "said"),
    [
        ("digits_cnn", "04", "q1.total", Status.INCORRECT, "for one input channel"),
        ("digits_cnn", "05", "q1.total", Status.INCORRECT, "hidden layer has 2,048 inputs instead of 512"),
        ("digits_cnn", "02", "q1.total", Status.PARTIAL, "is another count than was asked for"),
        ("digits_cnn", "05", "t1.optimiser", Status.INCORRECT, "Adam is called, not SGD"),
        ("digits_cnn", "04", "t1.optimiser", Status.PARTIAL, "weight_decay is 0.005, not 0.0005"),
        ("digits_cnn", "07", "t1.optimiser", Status.CORRECT, ""),
        ("digits_cnn", "06", "t2.curves", Status.MISSING, "no figure"),
        ("small_llama", "03", "t1.config", Status.PARTIAL, "r is 8, not 4"),
        ("small_llama", "07", "t3.generation", Status.CORRECT, ""),
        ("small_llama", "05", "t3.generation", Status.PARTIAL, "max_new_tokens=40 is not set"),
        ("small_llama", "05", "q3.bleu", Status.INCORRECT, "brevity penalty was left out"),
        ("small_llama", "02", "q2.perplexity", Status.INCORRECT, "the base is e"),
        ("diabetes_regression", "02", "p1.entropy", Status.INCORRECT, "in nats"),
        ("diabetes_regression", "04", "t1.rmse", Status.INCORRECT, "mean squared error"),
        ("diabetes_regression", "05", "p2.zero", Status.INCORRECT, "absolute penalty does"),
        ("diabetes_regression", "08", "t2.folds", Status.INCORRECT, "0 of 5 results are right"),
        ("digits_cnn", "12", "t2.curves", Status.CORRECT, "The figure is there"),
        ("digits_cnn", "10", "q1.layers", Status.CORRECT, "All cells are right"),
        ("digits_cnn", "10", "t2.seeds", Status.PARTIAL, "of validation, but test was asked for"),
    ],
)
def test_what_students_are_told(name: str, who: str, id_: str, status: Status, said: str) -> None:
    found = item(name, who, id_)
    assert found.status is status
    assert said in str(found.feedback)


def test_some_of_several_arguments_earn_their_share() -> None:
    """One value is another one, and `dampening` is not written out, which the hand-out asks for."""
    found = item("digits_cnn", "04", "t1.optimiser")
    assert (found.score, found.max_score) == (Decimal("0.6"), 1)
    assert "dampening=0 is not set" in str(found.feedback)


def test_unproven_items_are_those_without_an_answer_that_is_right_or_wrong() -> None:
    lab = load_lab(LABS / "digits_cnn")
    first = graded("digits_cnn")[:1]
    assert unproven(first, lab).right == ()
    assert set(unproven(first, lab).wrong) == {one.id for one in lab.items if one.check != "by-hand"}
    assert "q1.total" not in unproven(graded("digits_cnn"), lab).wrong


@pytest.mark.parametrize("template", sorted(TEMPLATES))
def test_a_template_is_a_whole_lab(tmp_path: Path, template: str) -> None:
    folder = tmp_path / f"my {template} course"
    assert write_starter(folder, template) == sum(path.is_file() for path in folder.rglob("*"))
    lab, truth = load_lab(folder), load_truth(folder)
    assert lab.id == truth.lab == f"my-{template}-course"
    assert len(list(lab.items)) == len(list(load_lab(TEMPLATES[template]).items))
    answers = next(folder / one for one in CLASSES if (folder / one).is_dir())
    assert len(find_sources(answers, Layout.CLASS)[0]) > 1


def test_a_blank_lab_is_ready(tmp_path: Path) -> None:
    write_starter(tmp_path / "course", "blank")
    found = inspect(tmp_path / "course")
    assert found.errors == found.warnings == ()
    assert [one.result.score for one in found.answers if one.result] == [2, 0]
