"""The second shipped lab: another model, other values, two seeds. Nothing in the grader is made for the first one."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from grader.checks.finding import Status
from grader.intake.layouts import Layout, find_sources
from grader.lab.definition import Lab
from grader.lab.files import LABS, load_lab, load_truth
from grader.lab.truth import GroundTruth
from grader.pipeline.one import grade_source
from grader.result import ItemResult, Result

FOLDER = LABS / "small_gpt2"


@cache
def lab() -> Lab:
    return load_lab(FOLDER)


@cache
def truth() -> GroundTruth:
    return load_truth(FOLDER)


class Graded(NamedTuple):
    result: Result

    def item(self, id_: str) -> ItemResult:
        return next(one for one in self.result.items if one.id == id_)

    def statuses(self, *ids: str) -> list[Status]:
        return [self.item(id_).status for id_ in ids]


Grade = Callable[[str], Graded]


@pytest.fixture
def grade(tmp_path: Path) -> Grade:
    """Grade a report, alone."""

    def graded(report: str) -> Graded:
        hand_in, work = tmp_path / "student", tmp_path / "work"
        hand_in.mkdir()
        work.mkdir()
        (hand_in / "report.md").write_text(report, encoding="utf-8")
        (source,), _ = find_sources(hand_in, Layout.STUDENT)
        return Graded(grade_source(source, lab(), truth(), work))

    return graded


def reference(language: str = "english") -> str:
    (path,) = (FOLDER / "answers" / language).glob("*.md")
    return path.read_text(encoding="utf-8")


def changed(*pairs: tuple[str, str], language: str = "english") -> str:
    text = reference(language)
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("language", ["english", "french"])
def test_without_the_notebook_nothing_is_lost_that_the_report_states(grade: Grade, language: str) -> None:
    """The whole answers, notebooks included, are graded by `grade lab check`. The report says what code counted."""
    items = grade(reference(language)).result.items
    assert {item.id for item in items if item.status is not Status.CORRECT} == set()


WRONG = {
    "no last norm": (10_039_680, ["without-ln-f-norm"]),
    "no positions": (9_958_400, ["without-position-embedding"]),
    "12 layers": (17_438_080, ["wrong-number-of-layers"]),
    "one layer": (3_875_520, ["one-layer"]),
    "GPT-2's own vocabulary": (50_257 * 320 + 81_920 + 7_372_800, ["token-embedding-rows"]),
    "narrow or few": (2_641_920 + 6 * 614_400, ["feed-forward-width", "wrong-number-of-layers"]),
    "anything": (1_234_567, []),
}


@pytest.mark.parametrize(("total", "diagnoses"), WRONG.values(), ids=WRONG)
def test_a_wrong_count_is_explained_for_this_model(grade: Grade, total: int, diagnoses: list[str]) -> None:
    item = grade(f"## Question 1\n\nTotal number of parameters: {total:,}\n").item("q1.total")
    assert (item.status, item.score) == (Status.INCORRECT, 0)
    assert [one.id for one in item.diagnoses] == diagnoses


def test_a_derivation_decides_between_stories(grade: Grade) -> None:
    report = """## Question 1

Tokens 8000 × 320 = 2,560,000; positions 256 × 320 = 81,920. Attention: 4 × 320 × 320 = 409,600. Feed-forward:
2 × 320 × 320 = 204,800. Six layers: 6 × 614,400 = 3,686,400.

Total number of parameters: 2,560,000 + 81,920 + 3,686,400 = 6,328,320
"""
    graded = grade(report)
    assert [one.id for one in graded.item("q1.total").diagnoses] == ["feed-forward-width"]
    assert graded.item("q1.derivation").status is Status.PARTIAL


def test_a_head_of_its_own_is_right_in_part(grade: Grade) -> None:
    assert grade("## Question 1\n\nTotal: 12,600,320 parameters\n").item("q1.total").status is Status.PARTIAL


@pytest.mark.parametrize(
    ("parameter", "line", "status"),
    [
        ("lora_alpha", "the update is multiplied by 32/8 = 4", Status.CORRECT),
        ("lora_alpha", "the update is multiplied by alpha / r = 4", Status.CORRECT),
        (
            "target_modules",
            "the modules that get an adapter, here the fused layer of query, key and value",
            Status.CORRECT,
        ),
        ("lora_dropout", "10% of the inputs of the LoRA layers are randomly zeroed during training", Status.CORRECT),
        ("r", "the rank of the low-rank matrices", Status.CORRECT),
        ("r", "the learning rate", Status.INCORRECT),
    ],
)
def test_definitions_are_judged_with_this_labs_values(grade: Grade, parameter: str, line: str, status: Status) -> None:
    """By the first lab's model: what it is not sure of may go to a person, but is never decided otherwise."""
    graded = grade(f"# Question 2\n\n- {parameter}: {line}\n")
    assert graded.item(f"q2.{parameter}").status in (status, Status.REVIEW), graded.item(f"q2.{parameter}")


@pytest.mark.parametrize(
    ("parameter", "stated"),
    [("r", "16"), ("lora_alpha", "16"), ("target_modules", "query_key_value"), ("lora_dropout", "0.05")],
)
def test_the_first_labs_values_are_wrong_here(grade: Grade, parameter: str, stated: str) -> None:
    own = next(one.value for one in lab().parameters if one.id == parameter)
    text = reference()
    start = text.index(f"**{parameter} =")
    end = text.index("**:", start)
    graded = grade(text[:start] + text[start:end].replace(own, stated) + text[end:])
    assert graded.statuses(f"q2.{parameter}", "q2.values") == [Status.PARTIAL, Status.PARTIAL]
    assert stated in graded.item("q2.values").feedback


@pytest.mark.parametrize(
    ("pairs", "item", "status"),
    [
        ([("deviation 0.35 %", "deviation 3.5 %")], "t2.statistics", Status.PARTIAL),
        ([("mean 97.15 %", "mean 95.15 %")], "t2.statistics", Status.PARTIAL),
        ([("deviation 0.35 %", "deviation 0.49 %")], "t2.statistics", Status.CORRECT),
        ([("| 1 | 3 | 98.25 % | 97.50 % |\n", "")], "t2.seeds", Status.REVIEW),
        ([("96.80", "66.80"), ("97.50", "67.50"), ("97.15", "67.15")], "t2.band", Status.REVIEW),
    ],
)
def test_training_with_two_seeds(grade: Grade, pairs: list[tuple[str, str]], item: str, status: Status) -> None:
    assert grade(changed(*pairs)).item(item).status is status


def test_a_hand_in_of_the_first_lab_earns_next_to_nothing(grade: Grade) -> None:
    graded = grade((LABS / "nlp_frameworks" / "answers" / "report.md").read_text(encoding="utf-8"))
    assert graded.item("q1.total").status is Status.INCORRECT
    assert graded.result.score <= 3
    print(f"a report of the first lab earns {graded.result.score} of {graded.result.max_score} here")
