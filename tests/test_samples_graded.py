"""The sample class is graded as the lab says, not as the code happens to do."""

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from grader.checks.finding import Status
from grader.result import Result
from tests.conftest import ROOT, results_in

EXPECTED = tomllib.loads((ROOT / "tests" / "samples_expected.toml").read_text(encoding="utf-8"))
STUDENTS = sorted(EXPECTED)


@pytest.fixture(scope="module")
def results(graded_samples: Path) -> dict[str, Result]:
    return results_in(graded_samples)


def test_every_sample_has_an_expectation(results: dict[str, Result]) -> None:
    assert sorted(results) == STUDENTS


@pytest.mark.parametrize("student", STUDENTS)
def test_sample(results: dict[str, Result], student: str) -> None:
    result, expected = results[student], EXPECTED[student]
    items = {item.id: item for item in result.items}
    assert result.error is None
    assert not [item.id for item in result.items if item.status is Status.ERROR]
    if "total" in expected:
        assert items["q1.total"].found == str(expected["total"])
    if "total_status" in expected:
        assert items["q1.total"].status == expected["total_status"]
    if "score" in expected:
        assert result.score == expected["score"]
    if "needs_review" in expected:
        assert result.needs_review is expected["needs_review"]
    raised = {flag.id for flag in result.flags}
    assert set(expected.get("flags", [])) <= raised
    assert raised.isdisjoint(expected.get("flags_absent", []))
    assert [name for name in expected.get("full", []) if items[name].score != items[name].max_score] == []
    assert [name for name in expected.get("not_full", []) if items[name].score == items[name].max_score] == []
    zero = (Status.INCORRECT, Status.MISSING)
    assert [name for name in expected.get("not_zero", []) if items[name].status in zero] == []
    assert [name for name in expected.get("missing", []) if items[name].status is not Status.MISSING] == []


def test_decided_points_cite_evidence_and_truth(results: dict[str, Result]) -> None:
    """A grade is a proof: full or partial points without a place in the hand-in would be none."""
    for result in results.values():
        unproven = [
            item.id
            for item in result.items
            if item.status in (Status.CORRECT, Status.PARTIAL) and not (item.evidence and item.expected)
        ]
        assert unproven == [], result.student.id


def test_results_follow_the_published_schema(graded_samples: Path) -> None:
    schema = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema)
    for path in graded_samples.glob("*/result.json"):
        assert list(validator.iter_errors(json.loads(path.read_text(encoding="utf-8")))) == []


def test_the_published_schemas_are_those_of_the_program() -> None:
    from scripts.make_schema import DOCS, PUBLISHED, schema

    for name, model in PUBLISHED.items():
        assert (DOCS / name).read_text(encoding="utf-8") == schema(model), "run: make schema"


def test_every_item_is_listed_with_its_maximum(results: dict[str, Result]) -> None:
    for result in results.values():
        assert len(result.items) == 25
        assert result.max_score == sum(item.max_score for item in result.items) == 20
        assert result.score == sum(item.score for item in result.items)
