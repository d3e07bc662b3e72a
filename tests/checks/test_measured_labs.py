"""Labs of other fields: RMSE and R² over five folds, perplexity, one run only, three splits. Their hand-ins were
written, and marked, before the checks could read anything but accuracies in percent."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from grader.checks.runner import run_checks
from grader.claims.answer import Answer
from grader.lab.definition import Lab
from grader.lab.files import load_lab, load_truth
from tests.checks.making import answer
from tests.conftest import ROOT

LABS: Final = ROOT / "tests" / "labs"
MISREAD: Final = {
    ("shift", "prose", "q2.comparison"): "`loses less than` is understood as losing",
    (
        "shift",
        "inside-only",
        "q1.selection",
    ): "that a network was selected is not understood as a choice of a checkpoint",
}
"""What the frozen model of sentences misunderstands."""


@cache
def lab_of(name: str) -> Lab:
    return load_lab(LABS / name)


def cases() -> list[object]:
    found = []
    for path in sorted(LABS.glob("*/answers.toml")):
        name = path.parent.name
        for one in tomllib.loads(path.read_text(encoding="utf-8"))["answers"]:
            for item in lab_of(name).items:
                wanted = one.get("items", {}).get(item.id, "correct")
                stem = Path(one["path"]).stem
                why = MISREAD.get((name, stem, item.id))
                marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
                found.append(
                    pytest.param(name, one["path"], item.id, wanted, marks=marks, id=f"{name}-{stem}-{item.id}")
                )
    return found


@cache
def given(name: str, path: str) -> Answer:
    return answer((LABS / name / path).read_text(encoding="utf-8"), the_lab=lab_of(name))


@cache
def verdicts(name: str, path: str) -> dict[str, str]:
    found = run_checks(given(name, path), load_truth(LABS / name), lab_of(name))
    return {one.item: one.status.value for one in found.findings}


@pytest.mark.parametrize(("name", "path", "item", "wanted"), cases())
def test_each_verdict_is_that_of_a_marker(name: str, path: str, item: str, wanted: str) -> None:
    assert verdicts(name, path)[item] == wanted


def test_a_perplexity_is_no_percentage() -> None:
    found = run_checks(given("language", "answers/good.md"), load_truth(LABS / "language"), lab_of("language"))
    told = [text for one in found.findings for text in (one.feedback, one.note, str(one.found), one.expected)]
    assert not [text for text in told if text and "%" in str(text)]


def test_values_are_those_of_the_measure_that_is_named() -> None:
    found = given("bearing", "answers/hot.md").accuracies
    of = {
        name: [float(one.value) for one in found.seeds if (one.experiment, one.measure) == ("linear", name)]
        for name in ("rmse", "r2")
    }
    assert of == {"rmse": [2.31, 2.18, 2.44, 2.09, 2.27], "r2": [0.812, 0.831, 0.794, 0.840, 0.818]}
    assert {one.measure for one in found.seeds if one.experiment == "forest"} == {"rmse"}


def test_groups_of_digits_are_read_as_the_range_allows() -> None:
    found = given("language", "answers/large.md").accuracies
    first = [one.value for one in found.seeds if (one.experiment, one.split, one.seed) == ("transformer", "eval", 0)]
    assert [float(value) for value in first] == [1134.1]
    assert [float(one.value) for one in found.seeds if one.experiment == "trigrams"] == [1874]
