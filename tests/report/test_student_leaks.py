"""What students may see is listed; everything else in a result stays with staff."""

import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from grader.report.render import student_html, student_page
from grader.result import AppliedOverride, Diagnosis, Flag, Result, SeriesPrint, Severity, Status
from tests.factories import evidence, item, result

SHOWN = {
    "student.name",
    "student.id",
    "lab.title",
    "lab.sha256",
    "truth_sha256",
    "grader_version",
    "submission.sha256",
    "submission.report",
    "submission.report_reason",
    "submission.files.path",
    "submission.files.reason",
    "questions.title",
    "items.title",
    "items.found",
    "items.expected",
    "items.truths",
    "items.diagnoses.text",
    "items.evidence.file",
    "items.evidence.tag",
    "items.evidence.quote",
    "items.feedback",
    "items.decided_by",
    "items.override.reason",
    "items.override.author",
    "flags.message",
    "flags.evidence.file",
    "flags.evidence.quote",
    "flags.evidence.tag",
}
"""The texts of a result that a student's report may hold, by their place in it."""

FIXED = {"status", "severity", "suggestion", "before", "state", "role", "date", "schema", "language", "question", "id"}
"""Keys whose values are not free texts."""

PLACE = re.compile(r"secret\.([a-z0-9_.]+?)\.end")


def marked(value: Any, place: str) -> Any:
    """A result's JSON with every free text replaced by one that says where it stands."""
    key = place.rpartition(".")[2]
    if isinstance(value, dict):
        return {name: marked(one, f"{place}.{name}".lstrip(".")) for name, one in value.items()}
    if isinstance(value, list):
        return [marked(one, place) for one in value]
    return f"secret.{place}.end" if isinstance(value, str) and _is_free(place, key) else value


def _is_free(place: str, key: str) -> bool:
    return key not in FIXED or place == "student.id"


def everything(flag: str) -> Result:
    """A result in which every field holds something."""
    proof = evidence(tag="t", step=3)
    override = AppliedOverride(
        reason="r", author="a", date=date(2024, 1, 2), before=Status.REVIEW, score_before=Decimal(0), finding="f"
    )
    words = {"found": "f", "expected": "e", "feedback": "f", "note": "n", "group": "g", "finding": "f"}
    lists = {"truths": ("t",), "tags": ("t",), "diagnoses": (Diagnosis(id="d", text="t"),), "evidence": (proof,)}
    items = [
        item("q1.a", Status.PARTIAL, **words, **lists, decided_by="p"),
        item("q1.b", Status.REVIEW, **words, **lists, suggestion=Status.CORRECT),
        item("q2.c", Status.CORRECT, **words, **lists, override=override),
    ]
    full = result(items=items).model_copy(
        update={
            "flags": (Flag(id=flag, severity=Severity.WARNING, message="m", evidence=(proof,)),),
            "series": (SeriesPrint(experiment="e", seed=1, split="test", points=3, values="v"),),
        }
    )
    return Result.model_validate(marked(full.model_dump(mode="json", by_alias=True), ""))


@pytest.mark.parametrize("render", [student_html, student_page])
def test_only_what_is_listed_is_shown(render: Any) -> None:
    seen = set(PLACE.findall(render(everything("arithmetic"))))
    assert seen - SHOWN == set()
    assert {"items.feedback", "items.diagnoses.text", "items.evidence.quote", "flags.message"} <= seen


@pytest.mark.parametrize("flag", ["identical-series", "copied-documentation", "made-up-by-a-custom-check"])
def test_flags_are_for_staff_unless_they_are_known_to_help_students(flag: str) -> None:
    assert "secret.flags" not in student_html(everything(flag))
